// What has to be asked at every point. See topics.h.
#include "points/topics.h"

#include "base/alloc.h"
#include "base/diag.h"

#include <math.h>

size_t sc__topics_find(const sc__topics *topics, sc_category_id category)
{
    size_t i = 0;
    while (i < topics->count && topics->list[i].category != category) {
        i++;
    }
    return i;
}

static bool add(sc__topics *topics, const sc_request *request, sc_category_id category)
{
    const size_t i = sc__topics_find(topics, category);
    if (i == topics->count) {
        if (!sc_grow(&topics->list, i, &topics->capacity, sizeof *topics->list)) return false;
        topics->list[topics->count++] = (sc__topic){.category = category, .radius_m = -1.0};
    }
    sc__topic *topic = &topics->list[i];
    if (request->type == SC_REQUEST_RANGE) {
        topic->radius_m = fmax(topic->radius_m, request->radius_m);
    } else if (topic->k < request->k) {
        topic->k = request->k;
    }
    return true;
}

sc_err sc__topics_init(const sc_request *requests, size_t count, sc__topics *out, sc_diag *diag)
{
    sc__topics topics = {.list = NULL};
    bool is_fine = true;
    for (size_t i = 0; i < count; i++) {
        const sc_request *request = &requests[i];
        if (request->category_count == 0) is_fine = is_fine && add(&topics, request, SC_NONE);
        for (uint32_t c = 0; c < request->category_count; c++) {
            is_fine = is_fine && add(&topics, request, request->categories[c]);
        }
    }
    if (!is_fine) {
        sc__topics_fini(&topics);
        return sc_fail_memory(diag, "preparing to ask the provider");
    }
    *out = topics;
    return SC_OK;
}

void sc__topics_fini(sc__topics *topics)
{
    sc_free(topics->list);
    *topics = (sc__topics){.list = NULL};
}
