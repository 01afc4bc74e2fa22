// An attack as a value: made, checked, given up, wiped. See attack_on_demand.h.
#include "demo/attack_on_demand.h"

#include "base/alloc.h"
#include "base/diag.h"
#include "demo/attack_on_demand_internal.h"

#include <string.h>

sc_attack_request *sc_attack_request_new(void)
{
    return sc_calloc(1, sizeof(sc_attack_request));
}

/** Where somebody is, or may be, must not stay behind in memory. */
static void wipe_and_free(void *memory, size_t size)
{
    if (memory) explicit_bzero(memory, size);
    sc_free(memory);
}

void sc_attack_request_free(sc_attack_request *attack)
{
    if (!attack) return;
    wipe_and_free(attack->segments, attack->segment_count * sizeof *attack->segments);
    wipe_and_free(attack->places, attack->member_count * sizeof *attack->places);
    wipe_and_free(attack->members, attack->member_count * sizeof *attack->members);
    sc__posterior_wipe(&attack->posterior);
    wipe_and_free(attack, sizeof *attack);
}

void sc__posterior_wipe(sc_posterior *posterior)
{
    if (posterior->links) {
        explicit_bzero(posterior->links, posterior->link_count * sizeof *posterior->links);
    }
    sc_posterior_fini(posterior);
}

void sc_attack_give_up(sc_attack_request *attack)
{
    atomic_store_explicit(&attack->is_unwanted, true, memory_order_relaxed);
}

// --- Whether it makes sense ----------------------------------------------------------------------

static sc_err check_segments(const sc_map *map, const sc_seg_id *segments, size_t count,
                             sc_diag *diag)
{
    for (size_t i = 0; i < count; i++) {
        if (segments[i] >= sc_map_segment_count(map)) {
            return sc_fail(diag, SC_EUNKNOWN,
                           "attack: there is a segment that the map does not have");
        }
    }
    return SC_OK;
}

static sc_err check_cloak(const sc_attack_request *attack, sc_diag *diag)
{
    if (attack->segment_count < 1 || attack->segment_count > SC_ATTACK_REQUEST_SEGMENTS_MAX) {
        return sc_fail(diag, SC_EINVAL, "attack: a cloak has 1 to %d segments, not %zu",
                       (int)SC_ATTACK_REQUEST_SEGMENTS_MAX, attack->segment_count);
    }
    for (size_t i = 1; i < attack->segment_count; i++) {
        if (attack->segments[i] <= attack->segments[i - 1]) {
            return sc_fail(diag, SC_EINVAL, "attack: the segments of the cloak do not ascend");
        }
    }
    return SC_OK;
}

static sc_err check_members(const sc_attack_request *attack, sc_diag *diag)
{
    if (!attack->members || attack->member_count < 1 ||
        attack->member_count > SC_ATTACK_REQUEST_MEMBERS_MAX) {
        return sc_fail(diag, SC_EINVAL, "attack: there are 1 to %d members or queries, not %zu",
                       (int)SC_ATTACK_REQUEST_MEMBERS_MAX, attack->member_count);
    }
    for (size_t i = 0; i < attack->member_count; i++) {
        if (attack->members[i].k < 1 || attack->members[i].l < 1) {
            return sc_fail(diag, SC_EINVAL, "attack: k and l are 1 at least");
        }
    }
    return SC_OK;
}

sc_err sc__attack_check(const sc_map *map, const sc_attack_request *attack, sc_diag *diag)
{
    if ((unsigned)attack->method >= SC_VARIANT_COUNT) {
        return sc_fail(diag, SC_EINVAL, "attack: no such method: %d", (int)attack->method);
    }
    if (!attack->segments == !attack->places) {
        return sc_fail(diag, SC_EINVAL,
                       "attack: there is either a cloak, or queries and their places");
    }
    sc_err err = check_members(attack, diag);
    if (!err && attack->segments) err = check_cloak(attack, diag);
    if (err) return err;
    return attack->segments ? check_segments(map, attack->segments, attack->segment_count, diag)
                            : check_segments(map, attack->places, attack->member_count, diag);
}
