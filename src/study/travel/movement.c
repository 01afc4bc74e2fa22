// What all movements share: the seeds, paces and names of travellers that are made up, and counting
// where travellers are.
#include "travel/movement.h"

#include "base/alloc.h"
#include "base/diag.h"
#include "travel/travel_internal.h"

#include <math.h>
#include <stdio.h>

// Every bit of the result depends on every bit of `x` (the finalizer of splitmix64).
static uint64_t mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

uint64_t sc_traveller_seed(uint64_t seed, uint32_t who, uint32_t purpose)
{
    // The seed is mixed first: else traveller 1 of one seed could be traveller 2 of the next. One
    // is added, since nothing mixed is nothing.
    const uint64_t of_whom = ((uint64_t)purpose << 32) | who;
    return mix(mix(seed + 1) ^ of_whom);
}

double sc__pace_draw(sc_rng *rng)
{
    return fmin(fmax(1.0 + 0.1 * sc_rng_normal(rng), SC__PACE_MIN), SC__PACE_MAX);
}

sc_err sc__movement_check(const sc_map *map, uint32_t count, sc_diag *diag)
{
    if (count == 0 || count > SC_TRAVELLERS_MAX) {
        return sc_fail(diag, SC_EINVAL, "there must be 1 to %u travellers, not %u",
                       SC_TRAVELLERS_MAX, (unsigned)count);
    }
    if (sc_map_edge_count(map) == 0) {
        return sc_fail(diag, SC_EINVAL, "the map has no roads to travel on");
    }
    return SC_OK;
}

const char *sc__movement_number_name(const sc_movement *movement, uint32_t who, char room[32])
{
    (void)movement;
    snprintf(room, 32, "u%u", (unsigned)who);
    return room;
}

void sc__counts_to_starts(uint32_t *counts, uint32_t kind_count)
{
    uint32_t before = 0;
    for (uint32_t kind = 0; kind < kind_count; kind++) {
        const uint32_t count = counts[kind];
        counts[kind] = before;
        before += count;
    }
}

// === Counting traffic ===========================================================================

// The first moment of a clock that ticks every `step`, and did at `t`, that is not before `back`;
// `until` if there is none before that.
static sc_time tick_from(sc_time t, sc_time back, sc_time step, sc_time until)
{
    if (back >= until) return until;
    const sc_time behind = (back - t) % step;
    const sc_time wait = behind == 0 ? 0 : step - behind;
    return wait < until - back ? back + wait : until;
}

static sc_err count_one(sc_movement *movement, uint32_t who, sc_time from, sc_time until,
                        sc_time step, uint64_t *counts)
{
    const sc_edge *edges = sc_map_edges(movement->map);
    for (sc_time t = from; t < until;) {
        sc_place place;
        sc_time back = t;
        const sc_err err = sc_movement_at(movement, who, t, &place, &back);
        if (err) return err;
        if (back == t) {
            counts[edges[place.edge].segment]++;
            t = step < until - t ? t + step : until;
        } else {
            t = tick_from(t, back, step, until);
        }
    }
    return SC_OK;
}

sc_err sc_traffic_count(sc_movement *movement, sc_time from, sc_time until, sc_time step,
                        uint64_t *counts)
{
    if (from < 0 || until <= from || step <= 0) return SC_EINVAL;
    // Counted aside, so that a failure leaves no half of it behind.
    const uint32_t segment_count = sc_map_segment_count(movement->map);
    uint64_t *counted = sc_calloc(segment_count, sizeof *counted);
    if (!counted) return SC_ENOMEM;
    sc_err err = SC_OK;
    for (uint32_t who = 0; who < movement->count && !err; who++) {
        err = count_one(movement, who, from, until, step, counted);
    }
    for (sc_seg_id s = 0; s < segment_count && !err; s++) {
        counts[s] += counted[s];
    }
    sc_free(counted);
    return err;
}
