// Events in words. See event_text.h; docs/ui.md shows them all.
#include "api/event_text.h"

#include "api/json_write.h"

// --- Cloaks ----------------------------------------------------------------------------------

static bool put_ids(sc_bytes *out, const char *name, const uint32_t *ids, size_t count)
{
    bool fits = sc_json_append_text(out, name) && sc_json_append_text(out, "[");
    for (size_t i = 0; fits && i < count; i++) {
        fits = (i == 0 || sc_json_append_text(out, ",")) && sc_json_append_whole(out, ids[i]);
    }
    return fits && sc_json_append_text(out, "]");
}

static bool put_categories(sc_bytes *out, const sc_request *request,
                           const sc_vocabulary *vocabulary)
{
    bool fits = sc_json_append_text(out, ",\"categories\":[");
    for (uint32_t i = 0; fits && i < request->category_count; i++) {
        fits = (i == 0 || sc_json_append_text(out, ",")) &&
               sc_json_append_string(out, vocabulary->names[request->categories[i]]);
    }
    return fits && sc_json_append_text(out, "]");
}

static bool put_request(sc_bytes *out, const sc_request *request, const sc_vocabulary *vocabulary)
{
    const bool fits = request->type == SC_REQUEST_KNN
                          ? sc_json_append_text(out, "{\"type\":\"knn\",\"k\":") &&
                                sc_json_append_whole(out, request->k)
                          : sc_json_append_text(out, "{\"type\":\"range\",\"radius_m\":") &&
                                sc_json_append_number(out, request->radius_m);
    return fits && (request->category_count == 0 || put_categories(out, request, vocabulary)) &&
           sc_json_append_text(out, "}");
}

bool sc__event_cloak(const sc_relay *relay, uint64_t cloak, const sc_vocabulary *vocabulary,
                     sc_bytes *out)
{
    bool fits = sc_json_append_text(out, "event: cloak\ndata: {\"id\":") &&
                sc_json_append_hex(out, cloak) &&
                put_ids(out, ",\"segments\":", relay->segments, relay->segment_count) &&
                put_ids(out, ",\"border_nodes\":", relay->border_nodes, relay->border_node_count) &&
                sc_json_append_text(out, ",\"requests\":[");
    for (size_t i = 0; fits && i < relay->request_count; i++) {
        fits = (i == 0 || sc_json_append_text(out, ",")) &&
               put_request(out, &relay->requests[i], vocabulary);
    }
    return fits && sc_json_append_text(out, "]}\n\n");
}

bool sc__event_sent(uint64_t cloak, sc_encoding encoding, const void *bytes, size_t size,
                    sc_bytes *out)
{
    return sc_json_append_text(out, "event: sent\ndata: {\"cloak\":") &&
           sc_json_append_hex(out, cloak) && sc_json_append_text(out, ",\"encoding\":") &&
           sc_json_append_string(out, sc_encoding_name(encoding)) &&
           sc_json_append_text(out, ",\"bytes\":") && sc_json_append_base64(out, bytes, size) &&
           sc_json_append_text(out, "}\n\n");
}

// --- Counters --------------------------------------------------------------------------------

static bool put_seconds(sc_bytes *out, double seconds)
{
    return sc_json_append_fixed(out, seconds, 3);
}

#define PUT(out, value) \
    _Generic((value), double : put_seconds, uint64_t : sc_json_append_whole)((out), (value))

static bool put_name(sc_bytes *out, const char *before, const char *name)
{
    return sc_json_append_text(out, before) && sc_json_append_string(out, name);
}

bool sc__event_counters(const sc__counters *row, sc_bytes *out)
{
    bool fits = sc_json_append_text(out, "event: counters\ndata: ");
    const char *before = "{";
#define X(type, name)                                                               \
    fits = fits && put_name(out, before, #name) && sc_json_append_text(out, ":") && \
           PUT(out, row->name);                                                     \
    before = ",";
    SC__COUNTER_MAP(X)
#undef X
    return fits && sc_json_append_text(out, "}\n\n");
}

static bool put_fields(sc_bytes *out)
{
    bool fits = true;
    const char *before = "[";
#define X(type, name)                            \
    fits = fits && put_name(out, before, #name); \
    before = ",";
    SC__COUNTER_MAP(X)
#undef X
    return fits && sc_json_append_text(out, "]");
}

static bool put_row(sc_bytes *out, const sc__counters *row)
{
    bool fits = true;
    const char *before = "[";
#define X(type, name)                                                       \
    fits = fits && sc_json_append_text(out, before) && PUT(out, row->name); \
    before = ",";
    SC__COUNTER_MAP(X)
#undef X
    return fits && sc_json_append_text(out, "]");
}

void sc__history_add(sc__history *history, const sc__counters *row)
{
    history->rows[history->taken % SC__HISTORY_ROWS] = *row;
    history->taken++;
}

bool sc__event_history(const sc__history *history, sc_bytes *out)
{
    const size_t end = history->taken;
    const size_t first = end > SC__HISTORY_ROWS ? end - SC__HISTORY_ROWS : 0;
    bool fits = sc_json_append_text(out, "event: history\ndata: {\"fields\":") && put_fields(out) &&
                sc_json_append_text(out, ",\"rows\":[");
    for (size_t i = first; fits && i < end; i++) {
        fits = (i == first || sc_json_append_text(out, ",")) &&
               put_row(out, &history->rows[i % SC__HISTORY_ROWS]);
    }
    return fits && sc_json_append_text(out, "]}\n\n");
}
