// The text of server-sent events. See event_text.h.
#include "api/event_text.h"

sc_json_writer sc_event_begin(sc_bytes *out, const char *event)
{
    sc_json_writer json = sc_json_writer_of(out);
    sc_json_put_text(&json, "event: ");
    sc_json_put_text(&json, event);
    sc_json_put_text(&json, "\ndata: ");
    sc_json_open_object(&json, NULL);
    return json;
}

bool sc_event_end(sc_json_writer *json)
{
    sc_json_close_object(json);
    sc_json_put_text(json, "\n\n");
    return !json->has_failed;
}

// --- Cloaks ----------------------------------------------------------------------------------

static void put_ids(sc_json_writer *json, const char *name, const uint32_t *ids, size_t count)
{
    sc_json_open_array(json, name);
    for (size_t i = 0; i < count; i++) {
        sc_json_put_count(json, NULL, ids[i]);
    }
    sc_json_close_array(json);
}

static void put_request(sc_json_writer *json, const sc_request *request,
                        const sc_vocabulary *vocabulary)
{
    sc_json_open_object(json, NULL);
    const char *metric = sc_metric_name(request->metric);
    if (request->type == SC_REQUEST_KNN) {
        sc_json_put_string(json, "type", "knn");
        sc_json_put_string(json, "metric", metric);
        sc_json_put_count(json, "k", request->k);
    } else {
        sc_json_put_string(json, "type", "range");
        sc_json_put_string(json, "metric", metric);
        if (request->metric == SC_METRIC_TIME) {
            sc_json_put_number(json, "radius_s", request->radius_s);
        } else {
            sc_json_put_number(json, "radius_m", request->radius_m);
        }
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

bool sc_event_text_cloak(const sc_relay *relay, uint64_t cloak, const sc_vocabulary *vocabulary,
                         sc_bytes *out)
{
    sc_json_writer json = sc_event_begin(out, "cloak");
    sc_json_put_hex(&json, "id", cloak);
    put_ids(&json, "segments", relay->segments, relay->segment_count);
    put_ids(&json, "border_nodes", relay->border_nodes, relay->border_node_count);
    sc_json_open_array(&json, "requests");
    for (size_t i = 0; i < relay->request_count; i++) {
        put_request(&json, &relay->requests[i], vocabulary);
    }
    sc_json_close_array(&json);
    return sc_event_end(&json);
}

bool sc_event_text_sent(uint64_t cloak, sc_encoding encoding, const void *bytes, size_t size,
                        sc_bytes *out)
{
    sc_json_writer json = sc_event_begin(out, "sent");
    sc_json_put_hex(&json, "cloak", cloak);
    sc_json_put_string(&json, "encoding", sc_encoding_name(encoding));
    sc_json_put_base64(&json, "bytes", bytes, size);
    return sc_event_end(&json);
}

bool sc_event_text_map(uint64_t checksum, sc_bytes *out)
{
    sc_json_writer json = sc_event_begin(out, "map");
    sc_json_put_hex(&json, "checksum", checksum);
    return sc_event_end(&json);
}

// --- Counters --------------------------------------------------------------------------------

static void put_seconds(sc_json_writer *json, const char *name, double seconds)
{
    sc_json_put_fixed(json, name, seconds, 3);
}

#define PUT(json, name, value) \
    _Generic((value), double : put_seconds, uint64_t : sc_json_put_count)((json), (name), (value))

bool sc_event_text_counters(const sc_counters *row, sc_bytes *out)
{
    sc_json_writer json = sc_event_begin(out, "counters");
#define X(type, name) PUT(&json, #name, row->name);
    SC_COUNTER_MAP(X)
#undef X
    return sc_event_end(&json);
}

static void put_fields(sc_json_writer *json)
{
    sc_json_open_array(json, "fields");
#define X(type, name) sc_json_put_string(json, NULL, #name);
    SC_COUNTER_MAP(X)
#undef X
    sc_json_close_array(json);
}

static void put_row(sc_json_writer *json, const sc_counters *row)
{
    sc_json_open_array(json, NULL);
#define X(type, name) PUT(json, NULL, row->name);
    SC_COUNTER_MAP(X)
#undef X
    sc_json_close_array(json);
}

void sc_history_add(sc_history *history, const sc_counters *row)
{
    history->rows[history->taken % SC_HISTORY_ROWS] = *row;
    history->taken++;
}

bool sc_event_text_history(const sc_history *history, sc_bytes *out)
{
    const size_t end = history->taken;
    const size_t first = end > SC_HISTORY_ROWS ? end - SC_HISTORY_ROWS : 0;
    sc_json_writer json = sc_event_begin(out, "history");
    put_fields(&json);
    sc_json_open_array(&json, "rows");
    for (size_t i = first; i < end; i++) {
        put_row(&json, &history->rows[i % SC_HISTORY_ROWS]);
    }
    sc_json_close_array(&json);
    return sc_event_end(&json);
}
