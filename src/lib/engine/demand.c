// Demands on sets of roads. demand.h has the idea, docs/demands.md the meaning.
//
// Traffic asks that a member's own road is in the *core* of the roads X that can be its own: the
// largest part of X in which no road is more likely, by density, than one of n. It is found by
// trimming: leave out the roads that are, again and again. What is left are the roads up to some
// density; so a member's road is in it iff it is no busier than that, and of many members with one
// n only the busiest own road matters (`exposure`).
//
// Trimming is seldom needed. Roads up to the exposure that together have n times its traffic are
// inside the core, and so are all roads if even the busiest is not more likely than one of n. Both
// are sums that grow with X: a test ends at the first star where one of them suffices.
#include "engine/demand.h"

#include "base/alloc.h"
#include "engine/covered_set.h"

#include <string.h>

// --- Sets of roads -----------------------------------------------------------

__attribute__((always_inline)) static inline uint32_t number_in(const sc__road_set *set,
                                                                sc_star_id star)
{
    return set->numbers ? sc__number_of(set->numbers, star) : set->places[star] - 1;
}

static inline bool has_number(const sc__road_set *set, uint32_t number)
{
    return number < set->count && (!set->mask || sc__mask_has(set->mask, number));
}

static bool has_star(const sc__road_set *set, sc_star_id star)
{
    return star != SC_NONE && has_number(set, number_in(set, star));
}

static bool has_road(const sc__road_set *set, sc_seg_id segment)
{
    const sc_segment *at = &set->segments[segment];
    return has_star(set, at->star_a) || has_star(set, at->star_b);
}

/** The first number of the set from `from` on; its `count` or more: there is none. */
static inline uint32_t next_number(const sc__road_set *set, uint32_t from)
{
    if (!set->mask || from >= set->count) return from;
    size_t word = from / 64;
    uint64_t bits = set->mask[word] >> (from % 64) << (from % 64);
    while (bits == 0) {
        if (++word == set->words) return UINT32_MAX;
        bits = set->mask[word];
    }
    return (uint32_t)(word * 64) + (uint32_t)__builtin_ctzll(bits);
}

/** Whether a road of a star is at no earlier star of the set. */
static inline bool is_new(const sc__road_set *set, sc_seg_id segment, sc_star_id star,
                          uint32_t number)
{
    const sc_star_id other = sc__other_end(&set->segments[segment], star);
    if (other == SC_NONE) return true;
    const uint32_t theirs = number_in(set, other);
    return theirs >= number || !has_number(set, theirs);
}

typedef void visitor(void *context, sc_seg_id segment);

/** Call `visit` for each road of the set, once. */
static inline void visit_roads(const sc__road_set *set, visitor *visit, void *context)
{
    for (uint32_t number = 0; (number = next_number(set, number)) < set->count; number++) {
        const sc_star_id star = set->stars[number];
        const sc_star *at = &set->map_stars[star];
        for (uint32_t j = at[0].first_segment; j < at[1].first_segment; j++) {
            const sc_seg_id segment = set->star_segments[j];
            if (is_new(set, segment, star, number)) visit(context, segment);
        }
    }
}

// --- The core ----------------------------------------------------------------

/** Roads up to some density, and their traffic. */
typedef struct trimming {
    const uint32_t *density;
    uint64_t most;
    uint64_t traffic;
} trimming;

static void add_if_low(void *context, sc_seg_id segment)
{
    trimming *t = context;
    if (t->density[segment] <= t->most) t->traffic += t->density[segment];
}

/**
 * Whether a road of density `exposure` is in the core of a set.
 *
 * @param traffic  of all of it
 */
static bool is_in_core(const sc__demand_tables *tables, const sc__road_set *set, uint32_t n,
                       uint32_t exposure, uint64_t traffic)
{
    for (;;) {
        trimming left = {.density = tables->density, .most = traffic / n};
        if (exposure > left.most) return false;
        visit_roads(set, add_if_low, &left);
        if (left.traffic == traffic) return true;
        traffic = left.traffic;
    }
}

// --- What all ask ------------------------------------------------------------

static void add_classes(sc__tally *tally, uint32_t classes)
{
    for (; classes != 0; classes &= classes - 1) {
        uint32_t *marked = &tally->marked[__builtin_ctz(classes)];
        (*marked)++;
        if (*marked > tally->most_marked) tally->most_marked = *marked;
    }
}

static void add_traffic(sc__tally *tally, const sc__demand_tables *tables, uint32_t density,
                        const sc__demand *demand)
{
    tally->traffic += density;
    if (density > tally->busiest) tally->busiest = density;
    for (uint32_t i = 0; i + 2 <= tables->traffic; i++) {
        tally->low[i] += density <= demand->exposure[i] ? density : 0;
    }
}

void sc__tally_add(sc__tally *tally, const sc__demand_tables *tables, const sc__road_set *set,
                   sc_star_id star, uint32_t number, const sc__demand *demand)
{
    const sc_star *at = &set->map_stars[star];
    for (uint32_t j = at[0].first_segment; j < at[1].first_segment; j++) {
        const sc_seg_id segment = set->star_segments[j];
        if (!is_new(set, segment, star, number)) continue;
        tally->count++;
        if (tables->density) add_traffic(tally, tables, tables->density[segment], demand);
        if (tables->classes) add_classes(tally, tables->classes[segment]);
    }
}

static bool has_count(const sc__tally *tally, const sc__demand *demand)
{
    return sc__demand_is_met(*demand, tally->count - tally->most_marked);
}

/** Whether the roads of `tally` alone have a core with roads up to the exposure to one of n. */
static bool has_core(const sc__tally *tally, const sc__demand *demand, uint32_t n)
{
    const uint32_t exposure = demand->exposure[n - 2];
    if (tally->low[n - 2] >= (uint64_t)n * exposure) return true;
    return tally->busiest >= exposure && (uint64_t)n * tally->busiest <= tally->traffic;
}

bool sc__tally_is_enough(const sc__tally *tally, const sc__demand_tables *tables,
                         const sc__demand *demand)
{
    if (!has_count(tally, demand)) return false;
    if (!tables->density) return true;
    for (uint32_t n = 2; n <= tables->traffic; n++) {
        if (!has_core(tally, demand, n)) return false;
    }
    return true;
}

bool sc__tally_meets(const sc__tally *tally, const sc__demand_tables *tables,
                     const sc__road_set *set, const sc__demand *demand)
{
    if (!has_count(tally, demand)) return false;
    if (!tables->density) return true;
    for (uint32_t n = 2; n <= tables->traffic; n++) {
        if (has_core(tally, demand, n)) continue;
        if (!is_in_core(tables, set, n, demand->exposure[n - 2], tally->traffic)) return false;
    }
    return true;
}

/**
 * sc__roads_meet() where traffic is the only table, and one of two the only share: most of the
 * tests of an engine that keeps its defaults. Few sums, which stay in registers.
 */
static bool roads_meet_half(const sc__demand_tables *tables, const sc__road_set *set,
                            const sc__demand *demand)
{
    const uint32_t *density = tables->density;
    const uint32_t exposure = demand->exposure[0];
    const size_t need = demand->segments;
    size_t count = 0;
    uint64_t traffic = 0;
    uint64_t low = 0;
    uint32_t busiest = exposure;
    for (uint32_t number = 0; (number = next_number(set, number)) < set->count; number++) {
        const sc_star_id star = set->stars[number];
        const sc_star *at = &set->map_stars[star];
        for (uint32_t j = at[0].first_segment; j < at[1].first_segment; j++) {
            const sc_seg_id segment = set->star_segments[j];
            // No branch: which roads are new is hard to predict.
            const uint32_t weight = is_new(set, segment, star, number) ? density[segment] : 0;
            count += weight > 0;
            traffic += weight;
            low += weight <= exposure ? weight : 0;
            busiest = weight > busiest ? weight : busiest;
        }
        if (count < need) continue;
        if (low >= 2 * (uint64_t)exposure || 2 * (uint64_t)busiest <= traffic) return true;
    }
    return count >= need && is_in_core(tables, set, 2, exposure, traffic);
}

bool sc__roads_meet(const sc__demand_tables *tables, const sc__road_set *set,
                    const sc__demand *demand)
{
    if (!tables->classes && tables->traffic == 2) return roads_meet_half(tables, set, demand);
    sc__tally tally = {0};
    for (uint32_t number = 0; (number = next_number(set, number)) < set->count; number++) {
        sc__tally_add(&tally, tables, set, set->stars[number], number, demand);
        if (sc__tally_is_enough(&tally, tables, demand)) return true;
    }
    return sc__tally_meets(&tally, tables, set, demand);
}

// --- Specials ----------------------------------------------------------------

bool sc__zone_is_inside(const sc__road_set *set, const sc_query *query)
{
    for (size_t i = 0; i < query->own->zone_count; i++) {
        if (!has_road(set, query->own->zone[i])) return false;
    }
    return true;
}

/** Never more than fits. */
static uint64_t add_up(uint64_t a, uint64_t b)
{
    uint64_t sum;
    return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

void sc__reached_stars(const sc__road_set *set, const sc_query *query, uint64_t *out)
{
    for (size_t i = 0; i < query->own->reached_count; i++) {
        const sc_segment *road = &set->segments[query->own->reached[i].segment];
        const sc_star_id ends[] = {road->star_a, road->star_b};
        out[i] = 0;
        for (int end = 0; end < 2; end++) {
            if (ends[end] == SC_NONE) continue;
            const uint32_t number = number_in(set, ends[end]);
            if (number < set->count) out[i] |= UINT64_C(1) << number;
        }
    }
}

/** What a query's user can have reached, and where that is in a set. */
typedef struct reached_roads {
    const sc__demand_tables *tables;
    const sc__road_set *set;
    const sc_reached *items;
    size_t count;
    const uint64_t *reached_stars;  ///< NULL: to be looked up
} reached_roads;

static inline bool is_inside(const reached_roads *roads, size_t i)
{
    return roads->reached_stars ? (roads->reached_stars[i] & *roads->set->mask) != 0
                                : has_road(roads->set, roads->items[i].segment);
}

static uint64_t weight_of(const sc__demand_tables *tables, const sc_reached *reached)
{
    return (uint64_t)tables->density[reached->segment] * reached->part;
}

/** What a user can have reached of the roads of a set. */
typedef struct reached_tally {
    uint64_t parts;    ///< the sum of the parts
    uint64_t traffic;  ///< the sum of their traffic
    uint64_t low;      ///< the same of those with no more than the exposure
    uint64_t busiest;  ///< the most traffic of a road
} reached_tally;

static inline void tally_reached(const reached_roads *roads, size_t i, uint64_t weight,
                                 uint64_t exposure, reached_tally *tally)
{
    tally->parts += roads->items[i].part;
    tally->traffic = add_up(tally->traffic, weight);
    if (weight <= exposure) tally->low = add_up(tally->low, weight);
    if (weight > tally->busiest) tally->busiest = weight;
}

/** Leave out the roads with more traffic than one n-th of all. */
static reached_tally trim_reached(const reached_roads *roads, uint64_t most)
{
    reached_tally tally = {0};
    for (size_t i = 0; i < roads->count; i++) {
        const uint64_t weight = weight_of(roads->tables, &roads->items[i]);
        if (weight <= most && is_inside(roads, i)) tally_reached(roads, i, weight, 0, &tally);
    }
    return tally;
}

/** How much traffic can have come to the query's own road. */
static uint64_t exposure_of(const sc__demand_tables *tables, const sc_query *query)
{
    const sc_reached *reached = query->own->reached;
    size_t low = 0;
    for (size_t high = query->own->reached_count; low < high;) {
        const size_t middle = low + (high - low) / 2;
        if (reached[middle].segment < query->segment) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    const bool is_there = low < query->own->reached_count && reached[low].segment == query->segment;
    return is_there ? weight_of(tables, &reached[low]) : 0;
}

/** The same as sc__reached_is_enough(), and that the own road is in the core by the traffic that
 * can have come. */
static bool is_in_reached_core(const reached_roads *roads, const sc_query *query, uint32_t n)
{
    const uint64_t need = (uint64_t)query->l * SC_REACHED_WHOLE;
    const uint64_t exposure = exposure_of(roads->tables, query);
    const uint64_t low_need = n * exposure;  // 50 bits at most
    reached_tally tally = {0};
    for (size_t i = 0; i < roads->count; i++) {
        if (!is_inside(roads, i)) continue;
        const uint64_t weight = weight_of(roads->tables, &roads->items[i]);
        tally_reached(roads, i, weight, exposure, &tally);
        // Roads up to the exposure with n times its traffic are inside the core, as all are then.
        if (tally.parts >= need && tally.low >= low_need) return true;
    }
    if (tally.parts < need) return false;
    while (tally.busiest > tally.traffic / n) {
        if (exposure > tally.traffic / n) return false;
        tally = trim_reached(roads, tally.traffic / n);
    }
    return exposure <= tally.traffic / n;
}

bool sc__reached_is_enough(const sc__demand_tables *tables, const sc__road_set *set,
                           const sc__specials *specials, size_t i)
{
    const sc_query *query = specials->queries[i];
    if (!query->own->has_reached) return true;
    const reached_roads roads = {
        .tables = tables,
        .set = set,
        .items = query->own->reached,
        .count = query->own->reached_count,
        .reached_stars =
            specials->reached_stars ? specials->reached_stars + specials->first_reached[i] : NULL,
    };
    const uint32_t share = sc__share_of(tables, query->l);
    if (share >= 2) return is_in_reached_core(&roads, query, share);
    const uint64_t need = (uint64_t)query->l * SC_REACHED_WHOLE;
    uint64_t sum = 0;
    for (size_t j = 0; sum < need && j < roads.count; j++) {
        if (is_inside(&roads, j)) sum += roads.items[j].part;
    }
    return sum >= need;
}

bool sc__specials_are_met(const sc__demand_tables *tables, const sc__road_set *set,
                          sc__specials specials)
{
    for (size_t i = 0; i < specials.count; i++) {
        const sc_query *query = specials.queries[i];
        if (!sc__zone_is_inside(set, query)) return false;
        if (!sc__reached_is_enough(tables, set, &specials, i)) return false;
    }
    return true;
}

// --- Demands of single queries -----------------------------------------------

// One block: the struct, then what users can have reached, then the zone.
_Static_assert(sizeof(sc_own_demands) % _Alignof(sc_reached) == 0, "reached follows the struct");
_Static_assert(sizeof(sc_reached) % _Alignof(sc_seg_id) == 0, "the zone follows what is reached");

size_t sc__own_size(const sc_own_demands *own)
{
    const size_t size = sizeof *own + own->reached_count * sizeof *own->reached +
                        own->zone_count * sizeof *own->zone;
    const size_t unit = _Alignof(sc_own_demands);
    return (size + unit - 1) / unit * unit;
}

sc_own_demands *sc__own_copy(const sc_own_demands *own, void *memory)
{
    sc_own_demands *copy = memory;
    sc_reached *reached = (sc_reached *)(copy + 1);
    sc_seg_id *zone = (sc_seg_id *)(reached + own->reached_count);
    *copy = *own;
    if (own->reached_count > 0) {
        memcpy(reached, own->reached, own->reached_count * sizeof *reached);
    }
    if (own->zone_count > 0) memcpy(zone, own->zone, own->zone_count * sizeof *zone);
    copy->reached = reached;
    copy->zone = zone;
    return copy;
}

void sc__own_wipe_and_free(const sc_own_demands *own)
{
    sc_own_demands *copy = (sc_own_demands *)(uintptr_t)own;
    explicit_bzero(copy, sc__own_size(own));
    sc_free(copy);
}

sc_err sc__own_check(const sc_own_demands *own, size_t segment_count)
{
    for (size_t i = 0; i < own->zone_count; i++) {
        if (own->zone[i] >= segment_count) return SC_EUNKNOWN;
        if (i > 0 && own->zone[i] <= own->zone[i - 1]) return SC_EINVAL;
    }
    for (size_t i = 0; i < own->reached_count; i++) {
        const sc_reached *at = &own->reached[i];
        if (at->segment >= segment_count) return SC_EUNKNOWN;
        if (at->part == 0 || (i > 0 && at->segment <= at[-1].segment)) return SC_EINVAL;
    }
    return SC_OK;
}
