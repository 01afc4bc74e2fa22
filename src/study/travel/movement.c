// What all travellers that are made up share. See movement.h and movement_internal.h.
#include "travel/travel_internal.h"

#include "base/diag.h"

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
        return sc_fail(diag, SC_EINVAL, "the map has no road to travel on");
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
