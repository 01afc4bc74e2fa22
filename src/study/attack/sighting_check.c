// Whether a sighting makes sense. See sighting_check.h.
#include "attack/sighting_check.h"

#include "base/diag.h"

static sc_err check_segments(const sc_map *map, const sc_sighting *sighting, sc_diag *diag)
{
    if (sighting->segment_count < 1) {
        return sc_fail(diag, SC_EINVAL, "attack: the cloak has no segment");
    }
    for (size_t i = 0; i < sighting->segment_count; i++) {
        if (sighting->segments[i] >= sc_map_segment_count(map)) {
            return sc_fail(diag, SC_EUNKNOWN,
                           "attack: the cloak has a segment that the map does not have; is it of "
                           "another map?");
        }
        if (i > 0 && sighting->segments[i] <= sighting->segments[i - 1]) {
            return sc_fail(diag, SC_EINVAL, "attack: the segments of the cloak do not ascend");
        }
    }
    return SC_OK;
}

static sc_err check_needs(const sc_needs *needs, sc_diag *diag)
{
    if (needs->k >= 1 && needs->l >= 1) return SC_OK;
    return sc_fail(diag, SC_EINVAL,
                   "attack: a member asks for %u users and %u segments; both are 1 at least",
                   needs->k, needs->l);
}

/** Whether S, which ascends, has the segment. */
static bool has_segment(const sc_sighting *sighting, sc_seg_id segment)
{
    size_t first = 0;
    size_t end = sighting->segment_count;
    while (first < end) {
        const size_t middle = first + (end - first) / 2;
        if (sighting->segments[middle] < segment) {
            first = middle + 1;
        } else {
            end = middle;
        }
    }
    return first < sighting->segment_count && sighting->segments[first] == segment;
}

static sc_err check_members(const sc_sighting *sighting, sc_diag *diag)
{
    if (sighting->stranger_count < 1) {
        return sc_fail(diag, SC_EINVAL, "attack: the cloak has no member to be found in it");
    }
    if (sighting->stranger_count > SC_ATTACK_MEMBERS_MAX ||
        sighting->injected_count > SC_ATTACK_MEMBERS_MAX - sighting->stranger_count) {
        return sc_fail(diag, SC_EINVAL, "attack: the cloak has more than %d members",
                       SC_ATTACK_MEMBERS_MAX);
    }
    sc_err err = SC_OK;
    for (size_t i = 0; !err && i < sighting->stranger_count; i++) {
        err = check_needs(&sighting->strangers[i], diag);
    }
    for (size_t i = 0; !err && i < sighting->injected_count; i++) {
        if (!has_segment(sighting, sighting->injected[i].segment)) {
            return sc_fail(diag, SC_EINVAL, "attack: an injected query is not on the cloak");
        }
        err = check_needs(&sighting->injected[i].needs, diag);
    }
    return err;
}

sc_err sc__sighting_check(const sc_map *map, const sc_sighting *sighting, sc_diag *diag)
{
    const sc_err err = check_segments(map, sighting, diag);
    return err ? err : check_members(sighting, diag);
}
