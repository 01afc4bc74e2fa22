// Replies: tables that are filled again and again and keep their memory. See reply_make.h.
#include "relay/reply_make.h"

#include "base/alloc.h"

#include <string.h>

void sc_reply_init(sc_reply *reply)
{
    *reply = (sc_reply){0};
}

void sc_reply_fini(sc_reply *reply)
{
    sc_free(reply->run_start);
    sc_free(reply->runs);
    sc_free(reply->near_start);
    sc_free(reply->nears);
    if (reply->memory) sc_free(reply->memory->owned);
    sc_free(reply->memory);
    sc_reply_init(reply);
}

size_t sc_reply_candidate_count(const sc_reply *reply, size_t request)
{
    size_t count = 0;
    for (uint32_t i = reply->run_start[request]; i < reply->run_start[request + 1]; i++) {
        count += reply->runs[i].count;
    }
    const size_t list = request * reply->border_node_count;
    return count + reply->near_start[list + reply->border_node_count] - reply->near_start[list];
}

/** At least `count` entries of `starts`, all of them zero. */
static bool clear_starts(uint32_t **starts, size_t *capacity, size_t count)
{
    if (!sc_reserve(starts, count, capacity, sizeof(**starts))) return false;
    memset(*starts, 0, count * sizeof(**starts));
    return true;
}

bool sc__reply_begin(sc_reply *reply, size_t request_count, size_t border_node_count)
{
    reply->map_checksum = 0;
    reply->request_count = 0;
    reply->border_node_count = 0;
    reply->table = (sc_object_table){0};
    if (!reply->memory) reply->memory = sc_calloc(1, sizeof *reply->memory);
    if (!reply->memory) return false;
    sc_free(reply->memory->owned);
    reply->memory->owned = NULL;

    size_t lists = 0;
    if (__builtin_mul_overflow(request_count, border_node_count, &lists) || lists == SIZE_MAX ||
        request_count == SIZE_MAX) {
        return false;
    }
    if (!clear_starts(&reply->run_start, &reply->memory->run_start_capacity, request_count + 1) ||
        !clear_starts(&reply->near_start, &reply->memory->near_start_capacity, lists + 1)) {
        return false;
    }
    // Never NULL, so that a list of nothing has a place too.
    if (!reply->runs && !sc__reply_grow_runs(reply)) return false;
    if (!reply->nears && !sc__reply_grow_nears(reply)) return false;
    reply->request_count = request_count;
    reply->border_node_count = border_node_count;
    return true;
}

bool sc__reply_grow_runs(sc_reply *reply)
{
    const size_t count = reply->memory->run_capacity;
    return count <= UINT32_MAX / 2 &&
           sc_grow(&reply->runs, count, &reply->memory->run_capacity, sizeof(*reply->runs));
}

bool sc__reply_grow_nears(sc_reply *reply)
{
    const size_t count = reply->memory->near_capacity;
    return count <= UINT32_MAX / 2 &&
           sc_grow(&reply->nears, count, &reply->memory->near_capacity, sizeof(*reply->nears));
}
