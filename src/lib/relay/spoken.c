// The objects that a reply speaks of. See spoken.h.
#include "relay/spoken.h"

#include "base/alloc.h"
#include "base/diag.h"
#include "relay/ascending.h"

sc_err sc__spoken_init(const sc__codec *codec, const sc_reply *reply, sc__spoken *out)
{
    uint64_t total = 0;
    for (size_t r = 0; r < reply->request_count; r++) {
        total += sc_reply_candidate_count(reply, r);
    }
    if (total > UINT32_MAX) {
        return sc_fail(codec->diag, SC_ELIMIT, "the reply has more objects than a message can");
    }
    uint32_t *objects = sc_malloc_array((size_t)total, sizeof *objects);
    if (!objects) return sc_fail_memory(codec->diag, "writing a reply");

    uint32_t count = 0;
    for (uint32_t i = 0; i < reply->run_start[reply->request_count]; i++) {
        for (uint32_t k = 0; k < reply->runs[i].count; k++) {
            objects[count++] = reply->runs[i].first + k;
        }
    }
    const size_t lists = reply->request_count * reply->border_node_count;
    for (uint32_t i = 0; i < reply->near_start[lists]; i++) {
        objects[count++] = reply->nears[i].object;
    }
    count = sc__sort_unique(objects, count);
    for (uint32_t i = 0; i < count; i++) {
        if (reply->table.objects[objects[i]].category < codec->vocabulary->count) continue;
        const uint32_t object = objects[i];
        sc_free(objects);
        return sc_fail(codec->diag, SC_EINVAL, "object %u is of a category without a word for it",
                       object);
    }
    *out = (sc__spoken){objects, count};
    return SC_OK;
}

void sc__spoken_fini(sc__spoken *spoken)
{
    sc_free(spoken->objects);
    *spoken = (sc__spoken){0};
}
