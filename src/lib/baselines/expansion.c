// Network expansion: roads around a query join its cloak nearest first, by the way to their
// midpoints. See order.h.
//
// The engine knows a query's segment and not its position, so ways begin at the midpoint of that
// segment. The way to a road ends at its midpoint and is the shorter one of those over its two
// ends; of roads equally far, the one with the least id comes first. Ways may lead anywhere, but
// only roads of the region count.
//
// A query that tries again takes the same roads in the same order, so the order is kept for it, as
// far as it was needed: most tries end after a few roads, and on a map with long roads the last one
// of a region may be farther off than half of the map. Going farther walks again from the start,
// twice as far, which costs less than keeping walks under way for everybody who waits.
#include "engine/order.h"

#include "base/alloc.h"

/** Roads of a first walk: about what a cloak has. */
enum { FIRST_WALK = 16 };

void sc__nearest_fini(sc__nearest *nearest)
{
    sc_free(nearest->roads);
    *nearest = (sc__nearest){0};
}

void sc__walks_fini(sc__walks *walks)
{
    sc__numbers_fini(&walks->stars);
    sc__numbers_fini(&walks->roads);
    sc_free(walks->distances);
    sc__walk_stops_fini(&walks->stops);
    *walks = (sc__walks){0};
}

// --- The heap of stops -------------------------------------------------------------

static sc_err push(sc__walks *x, sc__walk_stop stop)
{
    if (!sc__walk_stops_reserve(&x->stops, x->stops.count + 1)) return SC_ENOMEM;
    sc__walk_stops_push(&x->stops, stop);
    return SC_OK;
}

// --- The walk ------------------------------------------------------------------------

/** There is a way of that length to a star; it matters if it is the first or a shorter one. */
static sc_err come_to(sc__walks *x, sc_star_id star, uint64_t distance)
{
    const sc_err err = sc__numbers_reserve(&x->stars, 1);
    if (err) return err;
    sc__numbered *place = sc__numbers_at(&x->stars, star);
    const uint32_t number = place->stored - x->stars.first;
    if (number < x->stars.count) {
        if (distance >= x->distances[number]) return SC_OK;
        x->distances[number] = distance;
    } else {
        if (!sc_grow(&x->distances, x->stars.count, &x->distance_capacity, sizeof *x->distances)) {
            return SC_ENOMEM;
        }
        x->distances[x->stars.count] = distance;
        sc__numbers_put(&x->stars, place, star);
    }
    return push(x, (sc__walk_stop){.distance = distance, .id = star});
}

/** Whether a road is in the region of either end. */
static bool is_in_reach(const sc__reach *reach, const sc_segment *segment)
{
    return sc__region_has(reach->regions[0], segment, reach->max_hops) ||
           (reach->regions[1] && sc__region_has(reach->regions[1], segment, reach->max_hops));
}

/** A road is met, from one of its ends: the nearer one, unless it was met before. */
static sc_err meet(sc__walks *x, const sc__reach *reach, sc_seg_id road, const sc_segment *segment,
                   uint64_t distance)
{
    if (!is_in_reach(reach, segment)) return SC_OK;
    const sc_err err = sc__numbers_reserve(&x->roads, 1);
    if (err) return err;
    sc__numbered *place = sc__numbers_at(&x->roads, road);
    if (place->stored - x->roads.first < x->roads.count) return SC_OK;
    sc__numbers_put(&x->roads, place, road);
    return push(x, (sc__walk_stop){distance + segment->length, road, true});
}

/** Go on from a star over all its roads. */
static sc_err leave(const sc_engine *engine, sc__walks *x, const sc__reach *reach,
                    sc__walk_stop stop)
{
    const sc_star_id star = stop.id;
    if (stop.distance > x->distances[sc__number_of(&x->stars, star)]) return SC_OK;  // not nearest
    sc_err err = SC_OK;
    for (uint32_t j = engine->stars[star].first_segment;
         !err && j < engine->stars[star + 1].first_segment; j++) {
        const sc_seg_id road = engine->star_segments[j];
        const sc_segment *segment = &engine->segments[road];
        const sc_star_id other = sc__other_end(segment, star);
        if (other != SC_NONE && other != star) {
            err = come_to(x, other, stop.distance + 2 * (uint64_t)segment->length);
        }
        if (!err) err = meet(x, reach, road, segment, stop.distance);
    }
    return err;
}

/** Nothing is seen yet but the own segment, and its ends half of it away. */
static sc_err set_out(const sc_engine *engine, sc__walks *x, const sc__reach *reach)
{
    const sc_segment *own = &engine->segments[reach->segment];
    x->stops.count = 0;
    sc_err err = sc__numbers_begin(&x->stars, 2);
    if (!err) err = sc__numbers_begin(&x->roads, 1);
    if (err) return err;
    sc__numbers_put(&x->roads, sc__numbers_at(&x->roads, reach->segment), reach->segment);
    for (unsigned end = 0; !err && end < sc__end_count(own); end++) {
        err = come_to(x, sc__end_star(own, end), own->length);
    }
    return err;
}

/** Walk until `wanted` roads have been come to; there must be as many. */
static sc_err walk(const sc_engine *engine, sc__walks *x, const sc__reach *reach,
                   sc__nearest *nearest, uint32_t wanted)
{
    if (!sc_reserve(&nearest->roads, wanted, &nearest->capacity, sizeof *nearest->roads)) {
        return SC_ENOMEM;
    }
    uint32_t count = 0;
    sc_err err = set_out(engine, x, reach);
    while (!err && count < wanted) {
        const sc__walk_stop stop = sc__walk_stops_pop(&x->stops);
        if (stop.is_road) {
            nearest->roads[count++] = stop.id;
        } else {
            err = leave(engine, x, reach, stop);
        }
    }
    if (!err) nearest->count = count;
    return err;
}

/** How many roads are in reach, the own left out. */
static uint32_t count_roads(const sc_engine *engine, const sc__reach *reach)
{
    const sc__region *a = reach->regions[0];
    const sc__region *b = reach->regions[1];
    uint32_t count = sc__region_count(a, reach->max_hops) - 1;
    for (uint32_t i = 0; b && i < sc__region_count(b, reach->max_hops); i++) {
        count += !sc__region_has(a, &engine->segments[b->segments[i]], reach->max_hops);
    }
    return count;
}

sc_err sc__nearest_at(const sc_engine *engine, sc__walks *walks, const sc__reach *reach,
                      sc__nearest *nearest, uint32_t at, sc_seg_id *out)
{
    *out = SC_NONE;
    if (at >= nearest->count) {
        if (nearest->count == 0) nearest->all_count = count_roads(engine, reach);
        if (at >= nearest->all_count) return SC_OK;
        uint32_t wanted = at > 0 ? 2 * at : FIRST_WALK;
        if (wanted > nearest->all_count) wanted = nearest->all_count;
        const sc_err err = walk(engine, walks, reach, nearest, wanted);
        if (err) return err;
    }
    *out = nearest->roads[at];
    return SC_OK;
}
