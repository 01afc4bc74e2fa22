// Cloakers whose secrets are known. See toy_cloakers.h.
#include "support/toy_cloakers.h"

#include "base/rng.h"
#include "support/check.h"

typedef struct opened_cloaker {
    const toy_cloaking *cloaking;
    const sc_map *map;
    sc_rng *rng;
} opened_cloaker;

void toy_window(const sc_map *map, sc_seg_id first, size_t width, sc_seg_id *out)
{
    const sc_seg_id count = sc_map_segment_count(map);
    size_t taken = 0;
    for (sc_seg_id s = 0; s < count; s++) {
        const sc_seg_id behind = (s + count - first) % count;
        if (behind < width) out[taken++] = s;
    }
}

static sc_err open_cloaker(void *context, const sc_map *map, sc_rng *rng, void **out, sc_diag *diag)
{
    (void)diag;
    opened_cloaker *w = test_take(1, sizeof *w);
    *w = (opened_cloaker){context, map, rng};
    *out = w;
    return SC_OK;
}

// The road that the cloak begins with.
static sc_seg_id first_road(const opened_cloaker *w, sc_seg_id own)
{
    const toy_manner manner = w->cloaking->manner;
    const bool is_blind =
        manner == TOY_BLIND || (manner == TOY_TORN && sc_rng_below(w->rng, 2) == 1);
    return is_blind ? sc_rng_below(w->rng, sc_map_segment_count(w->map)) : own;
}

static bool is_gate(const toy_cloaking *how, sc_seg_id road)
{
    return road % how->width == 0;
}

static sc_err replay(void *opened, const sc_query *queries, size_t count, sc_replayed *replayed)
{
    const opened_cloaker *w = opened;
    const toy_cloaking *how = w->cloaking;
    sc_seg_id first = SC_NONE;
    size_t *members = test_take(count, sizeof *members);
    size_t member_count = 0;
    for (size_t i = 0; i < count; i++) {
        if (how->manner == TOY_GATED && !is_gate(how, queries[i].segment)) continue;
        if (member_count == 0) first = first_road(w, queries[i].segment);
        if (how->manner == TOY_GATED && queries[i].segment != first) continue;
        members[member_count++] = i;
    }
    if (member_count > 0) {
        sc_seg_id roads[TOY_WIDTH_MAX];
        toy_window(w->map, first, how->width, roads);
        sc_replayed_add(replayed, roads, how->width, members, member_count);
    }
    free(members);
    return SC_OK;
}

sc_cloaker toy_cloaker(toy_cloaking *cloaking)
{
    return (sc_cloaker){.context = cloaking, .open = open_cloaker, .replay = replay, .close = free};
}
