// A doubt as a value: made, checked, given up, wiped. See doubt.h.
#include "demo/attack_on_demand.h"

#include "base/alloc.h"
#include "base/diag.h"
#include "demo/attack_on_demand_internal.h"

#include <string.h>

sc_doubt *sc_doubt_new(void)
{
    return sc_calloc(1, sizeof(sc_doubt));
}

/** Where somebody is, or may be, must not stay behind in memory. */
static void wipe_and_free(void *memory, size_t size)
{
    if (memory) explicit_bzero(memory, size);
    sc_free(memory);
}

void sc_doubt_free(sc_doubt *doubt)
{
    if (!doubt) return;
    wipe_and_free(doubt->segments, doubt->segment_count * sizeof *doubt->segments);
    wipe_and_free(doubt->places, doubt->member_count * sizeof *doubt->places);
    wipe_and_free(doubt->members, doubt->member_count * sizeof *doubt->members);
    sc__posterior_wipe(&doubt->posterior);
    wipe_and_free(doubt, sizeof *doubt);
}

void sc__posterior_wipe(sc_posterior *posterior)
{
    if (posterior->links) {
        explicit_bzero(posterior->links, posterior->link_count * sizeof *posterior->links);
    }
    sc_posterior_fini(posterior);
}

void sc_doubt_give_up(sc_doubt *doubt)
{
    atomic_store_explicit(&doubt->is_unwanted, true, memory_order_relaxed);
}

// --- Whether it makes sense ----------------------------------------------------------------------

static sc_err check_segments(const sc_map *map, const sc_seg_id *segments, size_t count,
                             sc_diag *diag)
{
    for (size_t i = 0; i < count; i++) {
        if (segments[i] >= sc_map_segment_count(map)) {
            return sc_fail(diag, SC_EUNKNOWN,
                           "doubt: there is a segment that the map does not have");
        }
    }
    return SC_OK;
}

static sc_err check_cloak(const sc_doubt *doubt, sc_diag *diag)
{
    if (doubt->segment_count < 1 || doubt->segment_count > SC_DOUBT_SEGMENTS_MAX) {
        return sc_fail(diag, SC_EINVAL, "doubt: a cloak has 1 to %d segments, not %zu",
                       (int)SC_DOUBT_SEGMENTS_MAX, doubt->segment_count);
    }
    for (size_t i = 1; i < doubt->segment_count; i++) {
        if (doubt->segments[i] <= doubt->segments[i - 1]) {
            return sc_fail(diag, SC_EINVAL, "doubt: the segments of the cloak do not ascend");
        }
    }
    return SC_OK;
}

static sc_err check_members(const sc_doubt *doubt, sc_diag *diag)
{
    if (!doubt->members || doubt->member_count < 1 || doubt->member_count > SC_DOUBT_MEMBERS_MAX) {
        return sc_fail(diag, SC_EINVAL, "doubt: there are 1 to %d members or queries, not %zu",
                       (int)SC_DOUBT_MEMBERS_MAX, doubt->member_count);
    }
    for (size_t i = 0; i < doubt->member_count; i++) {
        if (doubt->members[i].k < 1 || doubt->members[i].l < 1) {
            return sc_fail(diag, SC_EINVAL, "doubt: k and l are 1 at least");
        }
    }
    return SC_OK;
}

sc_err sc__doubt_check(const sc_map *map, const sc_doubt *doubt, sc_diag *diag)
{
    if ((unsigned)doubt->method >= SC_VARIANT_COUNT) {
        return sc_fail(diag, SC_EINVAL, "doubt: no such method: %d", (int)doubt->method);
    }
    if (!doubt->segments == !doubt->places) {
        return sc_fail(diag, SC_EINVAL,
                       "doubt: there is either a cloak, or queries and their places");
    }
    sc_err err = check_members(doubt, diag);
    if (!err && doubt->segments) err = check_cloak(doubt, diag);
    if (err) return err;
    return doubt->segments ? check_segments(map, doubt->segments, doubt->segment_count, diag)
                           : check_segments(map, doubt->places, doubt->member_count, diag);
}
