// Relays and replies as GeoJSON. See docs/provider-protocol.md.
//
// A provider with a map of its own is told geometry, never our ids: roads as lines, border nodes as
// points, in the order of the relay, which is that of our map and so the same for the same cloak.
#include "relay/codec_internal.h"
#include "relay/page.h"
#include "relay/spoken.h"

#include "base/diag.h"

// Nodes lie on a grid of 1e-7 degrees, so that this shows them exactly. Objects lie between nodes,
// by whole millimetres along the road: two decimals more keep them apart.
enum { NODE_DECIMALS = 7, OBJECT_DECIMALS = 9, DISTANCE_DECIMALS = 6 };

static void write_position(sc__page *page, double lon, double lat, unsigned decimals)
{
    sc__page_text(page, "[");
    sc__page_decimal(page, lon, decimals);
    sc__page_text(page, ",");
    sc__page_decimal(page, lat, decimals);
    sc__page_text(page, "]");
}

static void write_node(sc__page *page, const sc_map *map, sc_node_id node)
{
    double lon = 0.0;
    double lat = 0.0;
    sc_map_node_position(map, node, &lon, &lat);
    write_position(page, lon, lat, NODE_DECIMALS);
}

// A comma between the members of a list.
static void write_comma(sc__page *page, size_t place)
{
    if (place > 0) sc__page_text(page, ",");
}

// --- Relays ---------------------------------------------------------------------

static void write_request(sc__page *page, const sc_vocabulary *vocabulary,
                          const sc_request *request)
{
    if (request->type == SC_REQUEST_KNN) {
        sc__page_text(page, "{\"type\":\"knn\",\"k\":");
        sc__page_count(page, request->k);
    } else {
        sc__page_text(page, "{\"type\":\"range\",\"radius_m\":");
        sc__page_exact(page, request->radius_m);
    }
    if (request->category_count > 0) {
        sc__page_text(page, ",\"categories\":[");
        for (uint32_t i = 0; i < request->category_count; i++) {
            write_comma(page, i);
            sc__page_string(page, vocabulary->names[request->categories[i]]);
        }
        sc__page_text(page, "]");
    }
    sc__page_text(page, "}");
}

static void write_segment(sc__page *page, const sc_map *map, size_t place, sc_seg_id id)
{
    const sc_segment *segment = &sc_map_segments(map)[id];
    const sc_edge *edges = sc_map_edges(map);
    sc__page_text(page, "{\"type\":\"Feature\",\"id\":\"s");
    sc__page_count(page, place);
    sc__page_text(page, "\",\"properties\":null,\"geometry\":{\"type\":\"LineString\","
                        "\"coordinates\":[");
    write_node(page, map, edges[segment->first_edge].from);
    for (sc_edge_id e = segment->first_edge; e < segment[1].first_edge; e++) {
        sc__page_text(page, ",");
        write_node(page, map, edges[e].to);
    }
    sc__page_text(page, "]}}");
}

static void write_border_node(sc__page *page, const sc_map *map, size_t place, sc_node_id node)
{
    sc__page_text(page, ",\n{\"type\":\"Feature\",\"id\":\"b");
    sc__page_count(page, place);
    sc__page_text(page, "\",\"properties\":null,\"geometry\":{\"type\":\"Point\","
                        "\"coordinates\":");
    write_node(page, map, node);
    sc__page_text(page, "}}");
}

static sc_err end_page(const sc__codec *codec, sc__page *page, const char *doing)
{
    sc__page_text(page, "]}\n");
    return page->is_full ? sc_fail_memory(codec->diag, doing) : SC_OK;
}

sc_err sc__geojson_write_relay(const sc__codec *codec, const sc_relay *relay, sc_bytes *out)
{
    sc__page page = {.out = out};
    sc__page_text(&page, "{\"type\":\"FeatureCollection\",\"starcloak\":1,\"requests\":[");
    for (size_t i = 0; i < relay->request_count; i++) {
        write_comma(&page, i);
        write_request(&page, codec->vocabulary, &relay->requests[i]);
    }
    sc__page_text(&page, "],\"features\":[\n");
    for (size_t i = 0; i < relay->segment_count; i++) {
        if (i > 0) sc__page_text(&page, ",\n");
        write_segment(&page, codec->map, i, relay->segments[i]);
    }
    for (size_t i = 0; i < relay->border_node_count; i++) {
        write_border_node(&page, codec->map, i, relay->border_nodes[i]);
    }
    return end_page(codec, &page, "writing a relay");
}

// --- Replies --------------------------------------------------------------------

static void write_key(sc__page *page, const sc_object_table *table, uint32_t object)
{
    if (table->keys) {
        sc__page_string(page, table->strings + table->keys[object]);
    } else {
        sc__page_text(page, "\"");
        sc__page_count(page, object);
        sc__page_text(page, "\"");
    }
}

static void write_object(sc__page *page, const sc__codec *codec, const sc_object_table *table,
                         uint32_t number)
{
    const sc_object *object = &table->objects[number];
    const char *name = table->strings ? table->strings + object->name : "";
    double lon = 0.0;
    double lat = 0.0;
    sc_map_edge_position(codec->map, object->edge, object->offset * sc_map_unit_m(codec->map), &lon,
                         &lat);
    sc__page_text(page, "{\"type\":\"Feature\",\"id\":");
    write_key(page, table, number);
    sc__page_text(page, ",\"properties\":{\"category\":");
    sc__page_string(page, codec->vocabulary->names[object->category]);
    if (name[0] != '\0') {
        sc__page_text(page, ",\"name\":");
        sc__page_string(page, name);
    }
    sc__page_text(page, "},\"geometry\":{\"type\":\"Point\",\"coordinates\":");
    write_position(page, lon, lat, OBJECT_DECIMALS);
    sc__page_text(page, "}}");
}

static void write_on_segments(sc__page *page, const sc_reply *reply, size_t r)
{
    bool any = false;
    sc__page_text(page, "{\"on_segments\":[");
    for (uint32_t i = reply->run_start[r]; i < reply->run_start[r + 1]; i++) {
        for (uint32_t k = 0; k < reply->runs[i].count; k++) {
            write_comma(page, any);
            write_key(page, &reply->table, reply->runs[i].first + k);
            any = true;
        }
    }
    sc__page_text(page, "]");
}

static void write_list(sc__page *page, const sc_reply *reply, size_t r, size_t place)
{
    const size_t list = r * reply->border_node_count + place;
    const uint32_t first = reply->near_start[list];
    for (uint32_t i = first; i < reply->near_start[list + 1]; i++) {
        write_comma(page, i - first);
        sc__page_text(page, "{\"object\":");
        write_key(page, &reply->table, reply->nears[i].object);
        sc__page_text(page, ",\"distance_m\":");
        sc__page_decimal(page, reply->nears[i].distance_m, DISTANCE_DECIMALS);
        sc__page_text(page, "}");
    }
}

static void write_answer(sc__page *page, const sc_relay *relay, const sc_reply *reply, size_t r)
{
    write_on_segments(page, reply, r);
    sc__page_text(page, ",\"border_nodes\":{");
    // By the names that the border nodes came with.
    const bool named = relay->border_places != NULL;
    const size_t count = named ? relay->border_place_count : relay->border_node_count;
    for (size_t b = 0; b < count; b++) {
        write_comma(page, b);
        sc__page_text(page, "\"b");
        sc__page_count(page, b);
        sc__page_text(page, "\":[");
        write_list(page, reply, r, named ? relay->border_places[b] : b);
        sc__page_text(page, "]");
    }
    sc__page_text(page, "}}");
}

sc_err sc__geojson_write_reply(const sc__codec *codec, const sc_relay *relay, const sc_reply *reply,
                               sc_bytes *out)
{
    sc__spoken spoken = {0};
    sc_err err = sc__spoken_init(codec, reply, &spoken);
    if (err) return err;

    sc__page page = {.out = out};
    sc__page_text(&page, "{\"type\":\"FeatureCollection\",\"starcloak\":1,\"answers\":[");
    for (size_t r = 0; r < reply->request_count; r++) {
        write_comma(&page, r);
        write_answer(&page, relay, reply, r);
    }
    sc__page_text(&page, "],\"features\":[");
    for (uint32_t i = 0; i < spoken.count; i++) {
        sc__page_text(&page, i > 0 ? ",\n" : "\n");
        write_object(&page, codec, &reply->table, spoken.objects[i]);
    }
    sc__spoken_fini(&spoken);
    return end_page(codec, &page, "writing a reply");
}
