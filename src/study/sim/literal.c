// The roads of one cloak, for a method that takes no notice of other queries.
//
// A query's region is the same as with the engine's methods (baselines/regions.c): all segments
// that touch the ball of sigma_s hops around one end of its own segment. What is different is what
// k counts, and that nothing has to be found out about other queries: if the region has enough
// segments and travellers, any order of its roads ends in a cloak.
#include "sim/literal.h"

#include <starcloak/star.h>

#include <string.h>

#include "base/alloc.h"
#include "base/rng.h"
#include "base/sort.h"

/** Something to come to on a walk: a star, or the midpoint of a road. */
typedef struct literal_stop {
    uint64_t distance;  ///< twice as long as it is, so that half a road is a whole number
    uint32_t id;
    bool is_road;
} literal_stop;

/** Stars before roads: behind a star there may be a road without length, no farther than it. */
static inline bool is_before(literal_stop a, literal_stop b)
{
    if (a.distance != b.distance) return a.distance < b.distance;
    if (a.is_road != b.is_road) return b.is_road;
    return a.id < b.id;
}

#define SC_HEAP literal_stops
#define SC_HEAP_ENTRY literal_stop
#define SC_HEAP_IS_BEFORE(heap, a, b) is_before(a, b)
#include "base/heap_template.h"

/** What the last walk knows of a star. */
typedef struct star_mark {
    uint64_t walk;  ///< its number, if it came to the star
    uint64_t distance;
} star_mark;

struct sc_literal {
    const sc_segment *segments;
    const sc_star *stars;
    const sc_seg_id *star_segments;
    sc_ball *ball;
    uint64_t *listed;  ///< by segment: the last region that has it
    uint64_t region_number;
    sc_seg_id *region;
    size_t region_capacity;
    size_t region_count;
    uint64_t region_users;  ///< without the asker

    star_mark *star_marks;  ///< by star
    uint64_t *met;          ///< by segment: the last walk that met it
    uint64_t walk_number;
    literal_stops stops;

    sc_seg_id *chosen;
    size_t chosen_capacity;
};

// --- Life ------------------------------------------------------------------------

sc_err sc_literal_new(const sc_map *map, sc_literal **out)
{
    sc_literal *x = sc_calloc(1, sizeof *x);
    if (!x) return SC_ENOMEM;
    const size_t segment_count = sc_map_segment_count(map);
    x->segments = sc_map_segments(map);
    x->stars = sc_map_stars(map);
    x->star_segments = sc_map_star_segments(map);
    x->listed = sc_calloc(segment_count, sizeof *x->listed);
    x->met = sc_calloc(segment_count, sizeof *x->met);
    x->star_marks = sc_calloc(sc_map_star_count(map), sizeof *x->star_marks);
    if (!x->listed || !x->met || !x->star_marks || sc_ball_new(map, &x->ball) != SC_OK) {
        sc_literal_free(x);
        return SC_ENOMEM;
    }
    *out = x;
    return SC_OK;
}

void sc_literal_free(sc_literal *literal)
{
    if (!literal) return;
    sc_ball_free(literal->ball);
    sc_free(literal->listed);
    sc_free(literal->region);
    sc_free(literal->star_marks);
    sc_free(literal->met);
    literal_stops_fini(&literal->stops);
    sc_free(literal->chosen);
    sc_free(literal);
}

// --- The region --------------------------------------------------------------------

/** Append the segments of a star that are not listed yet. */
static sc_err list_star(sc_literal *x, sc_star_id star, const uint32_t *others)
{
    for (uint32_t j = x->stars[star].first_segment; j < x->stars[star + 1].first_segment; j++) {
        const sc_seg_id segment = x->star_segments[j];
        if (x->listed[segment] == x->region_number) continue;
        if (!sc_grow(&x->region, x->region_count, &x->region_capacity, sizeof *x->region)) {
            return SC_ENOMEM;
        }
        x->listed[segment] = x->region_number;
        x->region[x->region_count++] = segment;
        x->region_users += others[segment];
    }
    return SC_OK;
}

/** List the region of a star, by hops and then by id, and count who is there. */
static sc_err list_region(sc_literal *x, sc_star_id star, uint32_t max_hops, const uint32_t *others)
{
    size_t count = 0;
    const sc_star_id *stars = sc_ball_walk(x->ball, star, max_hops, &count);
    const uint32_t *hops = sc_ball_hops(x->ball);
    size_t ring = 0;
    x->region_number++;
    x->region_count = 0;
    x->region_users = 0;
    for (size_t i = 0; i < count; i++) {
        const sc_err err = list_star(x, stars[i], others);
        if (err) return err;
        if (i + 1 < count && hops[i + 1] == hops[i]) continue;
        sc_sort_u32(x->region + ring, x->region_count - ring);
        ring = x->region_count;
    }
    return SC_OK;
}

static bool is_enough(const sc_query *query, size_t segment_count, uint64_t others)
{
    return segment_count >= query->l && others + 1 >= query->k;
}

// --- At random ---------------------------------------------------------------------

/** Bring the own segment to the front; the others keep their order. */
static void put_first(sc_seg_id *roads, sc_seg_id own)
{
    size_t at = 0;
    while (roads[at] != own) {
        at++;
    }
    memmove(roads + 1, roads, at * sizeof *roads);
    roads[0] = own;
}

static size_t draw_roads(sc_literal *x, const sc_query *query, const uint32_t *others, sc_rng *rng)
{
    uint64_t users = others[query->segment];
    size_t count = 1;
    put_first(x->region, query->segment);
    while (!is_enough(query, count, users)) {
        const size_t drawn = count + sc_rng_below(rng, (uint32_t)(x->region_count - count));
        const sc_seg_id road = x->region[drawn];
        x->region[drawn] = x->region[count];
        x->region[count++] = road;
        users += others[road];
    }
    memcpy(x->chosen, x->region, count * sizeof *x->chosen);
    return count;
}

// --- Nearest first -----------------------------------------------------------------

static sc_err push_stop(sc_literal *x, literal_stop stop)
{
    if (!literal_stops_reserve(&x->stops, x->stops.count + 1)) return SC_ENOMEM;
    literal_stops_push(&x->stops, stop);
    return SC_OK;
}

static sc_err reach_star(sc_literal *x, sc_star_id star, uint64_t distance)
{
    star_mark *mark = &x->star_marks[star];
    if (mark->walk == x->walk_number && mark->distance <= distance) return SC_OK;
    *mark = (star_mark){x->walk_number, distance};
    return push_stop(x, (literal_stop){.distance = distance, .id = star});
}

/** Go on from a star over all its roads; those of the region are met half of their length on. */
static sc_err leave_star(sc_literal *x, literal_stop stop)
{
    const sc_star_id star = stop.id;
    if (stop.distance > x->star_marks[star].distance) return SC_OK;  // there was a shorter way
    sc_err err = SC_OK;
    for (uint32_t j = x->stars[star].first_segment; !err && j < x->stars[star + 1].first_segment;
         j++) {
        const sc_seg_id road = x->star_segments[j];
        const sc_segment *segment = &x->segments[road];
        const sc_star_id other = segment->star_a == star ? segment->star_b : segment->star_a;
        if (other != SC_NONE && other != star) {
            err = reach_star(x, other, stop.distance + 2 * (uint64_t)segment->length);
        }
        if (err || x->listed[road] != x->region_number || x->met[road] == x->walk_number) continue;
        x->met[road] = x->walk_number;
        err = push_stop(x, (literal_stop){stop.distance + segment->length, road, true});
    }
    return err;
}

static sc_err set_out(sc_literal *x, const sc_query *query)
{
    const sc_segment *own = &x->segments[query->segment];
    x->walk_number++;
    x->stops.count = 0;
    x->met[query->segment] = x->walk_number;
    sc_err err = reach_star(x, own->star_a, own->length);
    if (!err && own->star_b != SC_NONE) err = reach_star(x, own->star_b, own->length);
    return err;
}

static sc_err expand(sc_literal *x, const sc_query *query, const uint32_t *others, size_t *out)
{
    uint64_t users = others[query->segment];
    size_t count = 1;
    x->chosen[0] = query->segment;
    sc_err err = set_out(x, query);
    while (!err && !is_enough(query, count, users)) {
        const literal_stop stop = literal_stops_pop(&x->stops);
        if (stop.is_road) {
            x->chosen[count++] = stop.id;
            users += others[stop.id];
        } else {
            err = leave_star(x, stop);
        }
    }
    *out = count;
    return err;
}

// --- The cloak ---------------------------------------------------------------------

/** Both ends of the own segment, the one to be tried first before the other; the same if one. */
static void order_ends(const sc_segment *own, sc_literal_method method, sc_rng *rng,
                       sc_star_id ends[2])
{
    ends[0] = own->star_a;
    ends[1] = own->star_b == SC_NONE ? own->star_a : own->star_b;
    if (ends[0] == ends[1]) return;
    const bool is_second =
        method == SC_LITERAL_SAMPLING ? sc_rng_below(rng, 2) == 1 : ends[1] < ends[0];
    if (!is_second) return;
    ends[1] = own->star_a;
    ends[0] = own->star_b;
}

sc_err sc_literal_choose(sc_literal *literal, sc_literal_method method, const sc_query *query,
                         const uint32_t *others, sc_rng *rng, sc_literal_cloak *out)
{
    sc_literal *x = literal;
    sc_star_id ends[2];
    order_ends(&x->segments[query->segment], method, rng, ends);
    sc_err err = list_region(x, ends[0], query->max_hops, others);
    if (!err && ends[1] != ends[0] && !is_enough(query, x->region_count, x->region_users)) {
        err = list_region(x, ends[1], query->max_hops, others);
    }
    if (err) return err;
    if (!is_enough(query, x->region_count, x->region_users)) {
        *out = (sc_literal_cloak){0};
        return SC_OK;
    }
    if (!sc_reserve(&x->chosen, x->region_count, &x->chosen_capacity, sizeof *x->chosen)) {
        return SC_ENOMEM;
    }
    size_t count = 0;
    if (method == SC_LITERAL_SAMPLING) {
        count = draw_roads(x, query, others, rng);
    } else {
        err = expand(x, query, others, &count);
    }
    if (err) return err;
    sc_sort_u32(x->chosen, count);
    *out = (sc_literal_cloak){x->chosen, count};
    return SC_OK;
}
