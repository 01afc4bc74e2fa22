// Events in words. See event_text.h.
#include "service/event_text.h"

#include "service/json_write.h"

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

bool sc__event_cloak(const sc_relay *relay, const sc_vocabulary *vocabulary, sc_bytes *out)
{
    bool fits = sc_json_append_text(out, "event: cloak\ndata: {") &&
                put_ids(out, "\"segments\":", relay->segments, relay->segment_count) &&
                put_ids(out, ",\"border_nodes\":", relay->border_nodes, relay->border_node_count) &&
                sc_json_append_text(out, ",\"requests\":[");
    for (size_t i = 0; fits && i < relay->request_count; i++) {
        fits = (i == 0 || sc_json_append_text(out, ",")) &&
               put_request(out, &relay->requests[i], vocabulary);
    }
    return fits && sc_json_append_text(out, "]}\n\n");
}

static bool put_count(sc_bytes *out, const char *name, uint64_t count)
{
    return sc_json_append_text(out, name) && sc_json_append_whole(out, count);
}

bool sc__event_counters(const sc_ledger_stats *stats, size_t listeners, sc_bytes *out)
{
    uint64_t dropped = 0;
    uint64_t failed = 0;
    for (size_t i = 0; i < SC_DROP_REASON_COUNT; i++) {
        dropped += stats->dropped[i];
    }
    for (size_t i = 0; i < SC_FAILURE_COUNT; i++) {
        failed += stats->failed[i];
    }
    return put_count(out, "event: counters\ndata: {\"pending\":", stats->pending) &&
           put_count(out, ",\"answered\":", stats->answered) &&
           put_count(out, ",\"dropped\":", dropped) && put_count(out, ",\"failed\":", failed) &&
           put_count(out, ",\"gone\":", stats->gone) &&
           put_count(out, ",\"cloaks\":", stats->cloaks) &&
           put_count(out, ",\"listeners\":", listeners) && sc_json_append_text(out, "}\n\n");
}
