// Relays and replies as GeoJSON. See docs/provider-protocol.md.
//
// A provider with a map of its own gets geometry, never our ids: roads as lines, border nodes as
// points, in the order of the relay, which is that of our map and so the same for the same cloak.
// Roads across the 180th meridian are cut there.
#include "relay/relay_codec_internal.h"

#include "base/diag.h"
#include "base/json_write.h"
#include "map/line_pieces.h"

#include <inttypes.h>

// Nodes lie on a grid of 1e-7 degrees, so that this shows them exactly. Objects lie between nodes,
// by whole millimetres along the road: two decimals more keep them apart.
enum { NODE_DECIMALS = 7, OBJECT_DECIMALS = 9, WAY_DECIMALS = 6 };

static void write_position(sc_json_writer *json, const char *name, double lon, double lat,
                           unsigned decimals)
{
    sc_json_open_array(json, name);
    sc_json_put_fixed(json, NULL, lon, decimals);
    sc_json_put_fixed(json, NULL, lat, decimals);
    sc_json_close_array(json);
}

static void write_node(sc_json_writer *json, const char *name, const sc_map *map, sc_node_id node)
{
    double lon = 0.0;
    double lat = 0.0;
    sc_map_node_position(map, node, &lon, &lat);
    write_position(json, name, lon, lat, NODE_DECIMALS);
}

/** What a segment or a border node is called: a letter, and its place in the relay. */
typedef struct label {
    char text[24];
} label;

static label label_of(char letter, size_t place)
{
    label made;
    (void)snprintf(made.text, sizeof made.text, "%c%zu", letter, place);
    return made;
}

// --- Relays ---------------------------------------------------------------------

static void write_request(sc_json_writer *json, const sc_vocabulary *vocabulary,
                          const sc_request *request)
{
    sc_json_open_object(json, NULL);
    if (request->type == SC_REQUEST_KNN) {
        sc_json_put_string(json, "type", "knn");
        sc_json_put_count(json, "k", request->k);
    } else {
        sc_json_put_string(json, "type", "range");
    }
    const bool is_by_time = request->metric == SC_METRIC_TIME;
    sc_json_put_string(json, "metric", sc_metric_name(request->metric));
    if (request->type == SC_REQUEST_RANGE) {
        sc_json_put_number(json, is_by_time ? "radius_s" : "radius_m",
                           is_by_time ? request->radius_s : request->radius_m);
    }
    if (request->category_count > 0) {
        sc_json_open_array(json, "categories");
        for (uint32_t i = 0; i < request->category_count; i++) {
            sc_json_put_string(json, NULL, vocabulary->names[request->categories[i]]);
        }
        sc_json_close_array(json);
    }
    sc_json_close_object(json);
}

// A feature up to its coordinates, on a line of its own.
static void open_feature(sc_json_writer *json, label id, const char *geometry)
{
    sc_json_break_line(json);
    sc_json_open_object(json, NULL);
    sc_json_put_string(json, "type", "Feature");
    sc_json_put_string(json, "id", id.text);
    sc_json_put_null(json, "properties");
    sc_json_open_object(json, "geometry");
    sc_json_put_string(json, "type", geometry);
}

static void close_feature(sc_json_writer *json)
{
    sc_json_close_object(json);
    sc_json_close_object(json);
}

/** The line of a segment, being written. */
typedef struct line_output {
    sc_json_writer *json;
    bool is_cut;
    bool has_begun;
} line_output;

static void write_point(void *context, double lon, double lat, bool begins)
{
    line_output *line = context;
    if (line->is_cut && begins) {
        if (line->has_begun) sc_json_close_array(line->json);
        sc_json_open_array(line->json, NULL);
        line->has_begun = true;
    }
    write_position(line->json, NULL, lon, lat, NODE_DECIMALS);
}

static void write_segment(sc_json_writer *json, const sc_map *map, size_t place, sc_seg_id id)
{
    line_output line = {.json = json, .is_cut = sc_map_line_pieces(map, id, NULL, NULL) > 1};
    open_feature(json, label_of('s', place), line.is_cut ? "MultiLineString" : "LineString");
    sc_json_open_array(json, "coordinates");
    sc_map_line_pieces(map, id, write_point, &line);
    if (line.is_cut) sc_json_close_array(json);
    sc_json_close_array(json);
    close_feature(json);
}

static void write_border_node(sc_json_writer *json, const sc_map *map, size_t place,
                              sc_node_id node)
{
    open_feature(json, label_of('b', place), "Point");
    write_node(json, "coordinates", map, node);
    close_feature(json);
}

static void begin_message(sc_json_writer *json)
{
    sc_json_open_object(json, NULL);
    sc_json_put_string(json, "type", "FeatureCollection");
    sc_json_put_count(json, "starcloak", SC__RELAY_VERSION);
}

static sc_err end_message(const sc__relay_codec *codec, sc_json_writer *json, const char *doing)
{
    sc_json_close_array(json);
    sc_json_close_object(json);
    sc_json_put_text(json, "\n");
    return json->has_failed ? sc_fail_memory(codec->diag, doing) : SC_OK;
}

sc_err sc__geojson_write_relay(const sc__relay_codec *codec, const sc_relay *relay, sc_bytes *out)
{
    sc_json_writer json = sc_json_writer_of(out);
    begin_message(&json);
    sc_json_open_array(&json, "requests");
    for (size_t i = 0; i < relay->request_count; i++) {
        write_request(&json, codec->vocabulary, &relay->requests[i]);
    }
    sc_json_close_array(&json);
    sc_json_open_array(&json, "features");
    for (size_t i = 0; i < relay->segment_count; i++) {
        write_segment(&json, codec->map, i, relay->segments[i]);
    }
    for (size_t i = 0; i < relay->border_node_count; i++) {
        write_border_node(&json, codec->map, i, relay->border_nodes[i]);
    }
    return end_message(codec, &json, "writing a relay");
}

// --- Replies --------------------------------------------------------------------

static void write_key(sc_json_writer *json, const char *name, const sc_object_table *table,
                      uint32_t object)
{
    if (table->keys) {
        sc_json_put_string(json, name, table->strings + table->keys[object]);
    } else {
        char digits[16];
        (void)snprintf(digits, sizeof digits, "%" PRIu32, object);
        sc_json_put_string(json, name, digits);
    }
}

static void write_object(sc_json_writer *json, const sc__relay_codec *codec,
                         const sc_object_table *table, uint32_t number)
{
    const sc_object *object = &table->objects[number];
    const char *name = table->strings ? table->strings + object->name : "";
    double lon = 0.0;
    double lat = 0.0;
    sc_map_edge_position(codec->map, object->edge, object->offset * sc_map_unit_m(codec->map), &lon,
                         &lat);
    sc_json_break_line(json);
    sc_json_open_object(json, NULL);
    sc_json_put_string(json, "type", "Feature");
    write_key(json, "id", table, number);
    sc_json_open_object(json, "properties");
    sc_json_put_string(json, "category", codec->vocabulary->names[object->category]);
    if (name[0] != '\0') sc_json_put_string(json, "name", name);
    sc_json_close_object(json);
    sc_json_open_object(json, "geometry");
    sc_json_put_string(json, "type", "Point");
    write_position(json, "coordinates", lon, lat, OBJECT_DECIMALS);
    close_feature(json);
}

static void write_on_segments(sc_json_writer *json, const sc_reply *reply, size_t r)
{
    sc_json_open_array(json, "on_segments");
    for (uint32_t i = reply->run_start[r]; i < reply->run_start[r + 1]; i++) {
        for (uint32_t k = 0; k < reply->runs[i].count; k++) {
            write_key(json, NULL, &reply->table, reply->runs[i].first + k);
        }
    }
    sc_json_close_array(json);
}

static void write_list(sc_json_writer *json, const sc_reply *reply, size_t r, size_t place)
{
    const size_t list = r * reply->border_node_count + place;
    for (uint32_t i = reply->near_start[list]; i < reply->near_start[list + 1]; i++) {
        sc_json_open_object(json, NULL);
        write_key(json, "object", &reply->table, reply->nears[i].object);
        sc_json_put_fixed(json, "distance_m", reply->nears[i].distance_m, WAY_DECIMALS);
        sc_json_put_fixed(json, "duration_s", reply->nears[i].duration_s, WAY_DECIMALS);
        sc_json_close_object(json);
    }
}

static void write_answer(sc_json_writer *json, const sc_relay *relay, const sc_reply *reply,
                         size_t r)
{
    sc_json_open_object(json, NULL);
    write_on_segments(json, reply, r);
    sc_json_open_object(json, "border_nodes");
    // By the names that the border nodes came with.
    const bool named = relay->border_places != NULL;
    const size_t count = named ? relay->border_place_count : relay->border_node_count;
    for (size_t b = 0; b < count; b++) {
        sc_json_open_array(json, label_of('b', b).text);
        write_list(json, reply, r, named ? relay->border_places[b] : b);
        sc_json_close_array(json);
    }
    sc_json_close_object(json);
    sc_json_close_object(json);
}

sc_err sc__geojson_write_reply(const sc__relay_codec *codec, const sc_relay *relay,
                               const sc_reply *reply, sc_bytes *out)
{
    sc__reply_objects named = {0};
    sc_err err = sc__reply_objects_init(codec, reply, &named);
    if (err) return err;

    sc_json_writer json = sc_json_writer_of(out);
    begin_message(&json);
    sc_json_open_array(&json, "answers");
    for (size_t r = 0; r < reply->request_count; r++) {
        write_answer(&json, relay, reply, r);
    }
    sc_json_close_array(&json);
    sc_json_open_array(&json, "features");
    for (uint32_t i = 0; i < named.count; i++) {
        write_object(&json, codec, &reply->table, named.objects[i]);
    }
    sc__reply_objects_fini(&named);
    return end_message(codec, &json, "writing a reply");
}
