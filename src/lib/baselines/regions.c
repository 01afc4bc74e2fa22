// The roads that a per-query cloak may have, and the order in which they join it.
//
// A region is built ring by ring from the ball of its star. Random sampling draws from it without
// putting back: every road has the same chance at every draw, whether or not there are queries on
// it. That is the strength of the method, since the roads reveal next to nothing about where it
// began; preferring roads with queries would find cloaks sooner, and reveal that. Network expansion
// takes roads nearest first, by the length of the way to their midpoints.
#include "base/alloc.h"
#include "base/rng.h"
#include "base/sort.h"
#include "baselines/per_query.h"

#include <string.h>

// --- Regions -----------------------------------------------------------------------

sc_err sc__regions_init(sc__regions *regions, const sc_map *map)
{
    regions->star_count = sc_map_star_count(map);
    regions->of_star = sc_calloc(regions->star_count, sizeof(sc__region *));
    return regions->of_star ? SC_OK : SC_ENOMEM;
}

void sc__regions_fini(sc__regions *regions)
{
    for (uint32_t i = 0; regions->of_star && i < regions->star_count; i++) {
        sc_free(regions->of_star[i]);
    }
    sc_free(regions->of_star);
    sc__numbers_fini(&regions->seen);
    *regions = (sc__regions){0};
}

/** Segments of all stars of `ball`, those between two of them counted twice. */
static uint32_t most_segments(const sc_engine *engine, const sc__ball *ball)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < ball->count; i++) {
        const sc_star *star = &engine->stars[sc__ball_stars(ball)[i]];
        count += star[1].first_segment - star[0].first_segment;
    }
    return count;
}

/** A region for a ball with room for so many segments; one block. */
static sc__region *region_new(const sc__ball *ball, uint32_t room)
{
    // At most a quarter full: most stars that are looked up are not in it, and an empty place ends
    // the lookup.
    uint32_t places = 4;
    while (places / 4 < ball->count) {
        if (places > UINT32_MAX / 2) return NULL;
        places *= 2;
    }
    const size_t id_count = (size_t)ball->depth + 1 + room;
    sc__region *region =
        sc_malloc(sizeof *region + places * sizeof *region->far + id_count * sizeof(uint32_t));
    if (!region) return NULL;
    *region = (sc__region){
        .depth = ball->depth,
        .is_complete = ball->is_complete,
        .far_mask = places - 1,
        .far = (sc__far *)(region + 1),
    };
    region->upto = (uint32_t *)(region->far + places);
    region->segments = region->upto + ball->depth + 1;
    memset(region->far, 0xff, places * sizeof *region->far);  // SC_NONE everywhere
    return region;
}

static void put_star(sc__region *region, sc_star_id star, uint32_t hops)
{
    uint32_t at = star & region->far_mask;
    while (region->far[at].star != SC_NONE) {
        at = (at + 1) & region->far_mask;
    }
    region->far[at] = (sc__far){star, hops};
}

/** Append the segments of `star` that are not listed yet. */
static void list_segments(const sc_engine *engine, sc__numbers *seen, sc_star_id star,
                          sc__region *region)
{
    const sc_star *at = &engine->stars[star];
    for (uint32_t j = at[0].first_segment; j < at[1].first_segment; j++) {
        const sc_seg_id segment = engine->star_segments[j];
        sc__numbered *place = sc__numbers_at(seen, segment);
        if (place->stored - seen->first < seen->count) continue;
        region->segments[seen->count] = segment;
        sc__numbers_put(seen, place, segment);
    }
}

/** Ring by ring. */
static void fill(const sc_engine *engine, sc__numbers *seen, const sc__ball *ball,
                 sc__region *region)
{
    uint32_t at = 0;
    for (uint32_t hops = 0; hops <= ball->depth; hops++) {
        const uint32_t first = seen->count;
        for (; at < sc__ball_count(ball, hops); at++) {
            const sc_star_id star = sc__ball_stars(ball)[at];
            put_star(region, star, hops);
            list_segments(engine, seen, star, region);
        }
        sc_sort_u32(region->segments + first, seen->count - first);
        region->upto[hops] = seen->count;
    }
}

static sc_err make_region(sc_engine *engine, sc__numbers *seen, sc_star_id star, uint32_t hops,
                          sc__region **out)
{
    sc__ball *ball = NULL;
    sc_err err = sc__ball_new(engine, star, hops, &ball);
    if (err) return err;
    const uint32_t room = most_segments(engine, ball);
    err = sc__numbers_begin(seen, room);
    sc__region *region = err ? NULL : region_new(ball, room);
    if (region) fill(engine, seen, ball, region);
    sc__ball_free(engine, ball);
    if (!region) return SC_ENOMEM;
    *out = region;
    return SC_OK;
}

sc_err sc__region_hold(sc_engine *engine, sc__regions *regions, sc_star_id star, uint32_t hops)
{
    sc__region *held = regions->of_star[star];
    if (!held || (!held->is_complete && held->depth < hops)) {
        sc__region *region = NULL;
        const sc_err err = make_region(engine, &regions->seen, star, hops, &region);
        if (err) return err;
        if (held) region->holder_count = held->holder_count;
        sc_free(held);
        regions->of_star[star] = region;
    }
    regions->of_star[star]->holder_count++;
    return SC_OK;
}

void sc__region_release(sc__regions *regions, sc_star_id star)
{
    sc__region *region = regions->of_star[star];
    if (--region->holder_count > 0) return;
    sc_free(region);
    regions->of_star[star] = NULL;
}

// --- Random sampling ---------------------------------------------------------------
//
// docs/methods.md tells how roads are drawn, so that a draw can be repeated. Only as many are drawn
// as are needed.

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

// --- Network expansion -------------------------------------------------------------
//
// The engine knows a query's segment and not its position, so ways begin at the midpoint of that
// segment. The way to a road ends at its midpoint and is the shorter one of those over its two
// ends; of roads equally far, the one with the least id comes first. Ways may lead anywhere, but
// only roads of the region count.
//
// A query that tries again takes the same roads in the same order, so the order is kept for it, as
// far as it was needed: most tries end after a few roads, and on a map with long roads the last one
// of a region may be farther off than half of the map. Going farther walks again from the start,
// twice as far, which costs less than keeping a walk for every query that waits.

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

static sc_err push(sc__walks *x, sc__walk_stop stop)
{
    if (!sc__walk_stops_reserve(&x->stops, x->stops.count + 1)) return SC_ENOMEM;
    sc__walk_stops_push(&x->stops, stop);
    return SC_OK;
}

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
