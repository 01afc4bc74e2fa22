// Writing streams: what is written reads back equal. See stream.h.
#include "record/record_internal.h"

#include "base/json_write.h"

void sc__put_profile(FILE *out, const sc_profile *profile)
{
    sc__put(out, "{\"k\":");
    sc__put_count(out, profile->k);
    sc__put(out, ",\"l\":");
    sc__put_count(out, profile->l);
    sc__put(out, ",\"sigma_s\":");
    sc__put_count(out, profile->max_hops);
    sc__put(out, ",\"sigma_t\":");
    sc_time_write(out, profile->max_wait_us);
    sc__put(out, "}");
}

// None, one or a list: whoever knows nothing of lists can still read the first two.
static void put_categories(FILE *out, const sc_map *map, const sc_request *request)
{
    if (request->category_count == 0) {
        sc__put(out, "null");
        return;
    }
    if (request->category_count > 1) sc__put(out, "[");
    for (uint32_t i = 0; i < request->category_count; i++) {
        if (i > 0) sc__put(out, ",");
        sc_json_string(out, sc_map_category_name(map, request->categories[i]));
    }
    if (request->category_count > 1) sc__put(out, "]");
}

void sc_request_write(FILE *out, const sc_map *map, const sc_request *request)
{
    if (request->type == SC_REQUEST_RANGE) {
        sc__put(out, "{\"type\":\"range\",\"radius_m\":");
        sc__put_exactly(out, request->radius_m);
    } else {
        sc__put(out, "{\"type\":\"knn\",\"k\":");
        sc__put_count(out, request->k);
    }
    sc__put(out, ",\"category\":");
    put_categories(out, map, request);
    sc__put(out, "}");
}

void sc_stream_write(FILE *out, const sc_map *map, const sc_ask *ask, const sc_request *request)
{
    sc__put(out, "{\"user\":");
    sc_json_text(out, ask->user, ask->user_size);
    sc__put(out, ",\"t\":");
    sc_time_write(out, ask->t);
    if (ask->is_on_edge) {
        sc__put(out, ",\"edge\":");
        sc__put_count(out, ask->edge);
        sc__put(out, ",\"offset_m\":");
        sc__put_exactly(out, ask->offset_m);
    } else {
        sc__put(out, ",\"lon\":");
        sc__put_exactly(out, ask->x);
        sc__put(out, ",\"lat\":");
        sc__put_exactly(out, ask->y);
    }
    sc__put(out, ",\"profile\":");
    sc__put_profile(out, &ask->profile);
    sc__put(out, ",\"request\":");
    sc_request_write(out, map, request);
    sc__put(out, "}\n");
}
