// Random sampling: roads around a query join its cloak as they are drawn, without putting back.
//
// Every road of the region has the same chance at every draw, whoever is on it. That is what this
// method is strong in: the roads say next to nothing about where it began. Leaning towards roads
// with company would find cloaks sooner, and give that away.
//
// How roads are drawn is told in docs/methods.md, so that it can be done again. Only as many are
// drawn as are needed.
#include "baselines/road_order.h"

#include "base/alloc.h"
#include "base/rng.h"

#include <string.h>

void sc__draw_fini(sc__draw *draw)
{
    sc_free(draw->roads);
    *draw = (sc__draw){0};
}

sc_err sc__draw_begin(sc__draw *draw, const sc__region *region, uint32_t hops, sc_seg_id taken)
{
    const uint32_t count = sc__region_count(region, hops);
    if (!sc_reserve(&draw->roads, count, &draw->capacity, sizeof *draw->roads)) return SC_ENOMEM;
    // It is one of the first: no road is nearer to its own end.
    uint32_t at = 0;
    while (region->segments[at] != taken) {
        at++;
    }
    memcpy(draw->roads, region->segments, at * sizeof *draw->roads);
    memcpy(draw->roads + at, region->segments + at + 1, (count - 1 - at) * sizeof *draw->roads);
    draw->count = count - 1;
    draw->drawn_count = 0;
    return SC_OK;
}

sc_seg_id sc__draw_next(sc__draw *draw, sc_rng *rng)
{
    if (draw->drawn_count == draw->count) return SC_NONE;
    const uint32_t at = draw->drawn_count++;
    const uint32_t drawn = at + sc_rng_below(rng, draw->count - at);
    const sc_seg_id road = draw->roads[drawn];
    draw->roads[drawn] = draw->roads[at];
    draw->roads[at] = road;
    return road;
}
