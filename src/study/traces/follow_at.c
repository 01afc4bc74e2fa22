// Where a follower is: a look at its stops and the way between two of them. See follow_internal.h.
//
// Invariants that this relies on, and follow_make.c sees to:
//  1. A follower's stops ascend in time; each has a way to the next or is reached by one.
//  2. Its last stop has no way.
//  3. Every way begins before `until`: whoever waits for one finds it.
#include "traces/follow_internal.h"

#include "base/alloc.h"

// Where it is on the way from `stop` to the next, in the same share as of time.
static sc_place place_between(const sc__follow *follow, const sc__stop *stop, sc_time t)
{
    const double share = (double)(t - stop->t) / (double)(stop[1].t - stop->t);
    const uint64_t units = (uint64_t)((double)stop->way.length * share);
    return sc__way_place(follow->movement.map, &follow->legs, &stop->way, stop->place, units);
}

static sc_err follow_at(sc_movement *movement, uint32_t who, sc_time t, sc_place *out,
                        sc_time *back)
{
    sc__follow *follow = (sc__follow *)movement;
    sc__follower *one = &follow->followers[who];
    if (t > one->until) {
        *back = SC_TIME_NEVER;
        return SC_OK;
    }
    while (one->stop + 1 < one->stop_end && follow->stops[one->stop + 1].t <= t) {
        one->stop++;
    }
    const sc__stop *stop = &follow->stops[one->stop];
    if (stop->t <= t && sc__has_way(stop)) {
        *out = place_between(follow, stop, t);
        *back = t;
    } else if (stop->t == t) {
        *out = stop->place;  // it has just arrived
        *back = t;
    } else {
        // Before its first stop, or behind one without a way; then it goes on from the next.
        const size_t next = stop->t > t ? one->stop : one->stop + 1;
        *back = next < one->stop_end ? follow->stops[next].t : SC_TIME_NEVER;
    }
    return SC_OK;
}

// NOLINTNEXTLINE(readability-non-const-parameter): other kinds write to `room`
static const char *follow_name(const sc_movement *movement, uint32_t who, char room[32])
{
    (void)room;
    const sc__follow *follow = (const sc__follow *)movement;
    return follow->names + follow->followers[who].name;
}

static void follow_free(sc_movement *movement)
{
    sc__follow *follow = (sc__follow *)movement;
    sc_free(follow->followers);
    sc_free(follow->stops);
    sc_free(follow->legs.all);
    sc_free(follow->names);
    sc_free(follow);
}

const sc_movement_kind sc__follow_kind = {follow_at, follow_name, follow_free};
