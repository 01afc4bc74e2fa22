// Demands by their definitions. See slow_demand.h.
#include "support/slow_demand.h"

#include "support/check.h"

// --- The core --------------------------------------------------------------------

static uint64_t sum_of(const uint64_t *weights, size_t count, const bool *set)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < count; i++) {
        if (set[i]) sum += weights[i];
    }
    return sum;
}

static int compare_weights(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a;
    const uint64_t y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

void slow_core(const uint64_t *weights, size_t count, uint32_t n, bool *set)
{
    uint64_t *sorted = test_take(count + 1, sizeof *sorted);
    size_t size = 0;
    for (size_t i = 0; i < count; i++) {
        if (set[i]) sorted[size++] = weights[i];
    }
    qsort(sorted, size, sizeof *sorted, compare_weights);
    uint64_t sum = 0;
    uint64_t heaviest = 0;
    bool is_empty = true;
    for (size_t i = 0; i < size; i++) {
        sum += sorted[i];
        if (n * sorted[i] > sum) continue;
        heaviest = sorted[i];
        is_empty = false;
    }
    for (size_t i = 0; i < count; i++) {
        set[i] = set[i] && !is_empty && weights[i] <= heaviest;
    }
    free(sorted);
}

void slow_core_by_trimming(const uint64_t *weights, size_t count, uint32_t n, bool *set)
{
    for (bool has_changed = true; has_changed;) {
        has_changed = false;
        const uint64_t sum = sum_of(weights, count, set);
        for (size_t i = 0; i < count; i++) {
            if (!set[i] || n * weights[i] <= sum) continue;
            set[i] = false;
            has_changed = true;
        }
    }
}

// Whether no road of the set weighs more than the n-th part of it.
static bool is_level(const uint64_t *weights, size_t count, uint32_t n, const bool *set)
{
    const uint64_t sum = sum_of(weights, count, set);
    for (size_t i = 0; i < count; i++) {
        if (set[i] && n * weights[i] > sum) return false;
    }
    return true;
}

void slow_core_by_subsets(const uint64_t *weights, size_t count, uint32_t n, bool *set)
{
    bool *part = test_take(count + 1, sizeof *part);
    bool *core = test_take(count + 1, sizeof *core);
    for (uint64_t bits = 0; bits < UINT64_C(1) << count; bits++) {
        bool is_part = true;
        for (size_t i = 0; i < count; i++) {
            part[i] = bits >> i & 1;
            is_part = is_part && (set[i] || !part[i]);
        }
        if (!is_part || !is_level(weights, count, n, part)) continue;
        for (size_t i = 0; i < count; i++) {
            core[i] = core[i] || part[i];
        }
    }
    memcpy(set, core, count * sizeof *set);
    free(part);
    free(core);
}

// --- Demands ---------------------------------------------------------------------

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static bool asks_for_traffic(const sc_demands *demands)
{
    return demands->density && demands->traffic >= 2;
}

static size_t count_roads(const slow_roads *roads, const bool *set)
{
    size_t count = 0;
    for (sc_seg_id s = 0; s < roads->segment_count; s++) {
        count += set[s];
    }
    return count;
}

static size_t count_outside_class(const slow_roads *roads, const sc_place_classes *classes,
                                  uint32_t number, const bool *set)
{
    const uint32_t *bits = sc_place_classes_bits(classes);
    size_t count = 0;
    for (sc_seg_id s = 0; s < roads->segment_count; s++) {
        count += set[s] && !(bits[s] >> number & 1);
    }
    return count;
}

static bool has_enough_roads(const slow_roads *roads, const sc_demands *demands, uint32_t l,
                             const bool *set)
{
    if (count_roads(roads, set) < l) return false;
    const uint32_t class_count = demands->classes ? sc_place_classes_count(demands->classes) : 0;
    for (uint32_t i = 0; i < class_count; i++) {
        if (count_outside_class(roads, demands->classes, i, set) < l) return false;
    }
    return true;
}

static bool has_zone(const sc_own_demands *own, const bool *set)
{
    for (size_t i = 0; own && i < own->zone_count; i++) {
        if (!set[own->zone[i]]) return false;
    }
    return true;
}

// The part of a road that its user can have reached.
static uint64_t reached_part(const sc_own_demands *own, sc_seg_id segment)
{
    for (size_t i = 0; i < own->reached_count; i++) {
        if (own->reached[i].segment == segment) return own->reached[i].part;
    }
    return 0;
}

// Whether the member's road is in the core of `set` by traffic, or, `is_linked`, by that part of
// it that can have come from where the user was.
static bool is_in_core(const slow_roads *roads, const sc_demands *demands, const sc_query *member,
                       const bool *set, bool is_linked)
{
    const uint32_t *density = sc_density_numbers(demands->density);
    uint64_t *weights = test_take(roads->segment_count, sizeof *weights);
    bool *core = test_take(roads->segment_count, sizeof *core);
    for (sc_seg_id s = 0; s < roads->segment_count; s++) {
        weights[s] = density[s];
        if (is_linked) weights[s] *= reached_part(member->own, s);
        core[s] = set[s];
    }
    slow_core(weights, roads->segment_count, least(member->l, demands->traffic), core);
    const bool is_in = core[member->segment];
    free(weights);
    free(core);
    return is_in;
}

bool slow_demand_is_met(const slow_roads *roads, const sc_demands *demands, const sc_query *member,
                        const bool *set)
{
    return has_enough_roads(roads, demands, member->l, set) && has_zone(member->own, set) &&
           (!asks_for_traffic(demands) || is_in_core(roads, demands, member, set, false));
}

bool slow_continuity_is_met(const slow_roads *roads, const sc_demands *demands,
                            const sc_query *member, const bool *set)
{
    if (!member->own || !member->own->has_reached) return true;
    uint64_t reached = 0;
    for (sc_seg_id s = 0; s < roads->segment_count; s++) {
        if (set[s]) reached += reached_part(member->own, s);
    }
    if (reached < (uint64_t)member->l * SC_REACHED_WHOLE) return false;
    return !asks_for_traffic(demands) || is_in_core(roads, demands, member, set, true);
}

// Flags of seg(stars); release with free().
static bool *take_roads(const slow_roads *roads, const bool *stars)
{
    bool *set = test_take(roads->segment_count, sizeof *set);
    for (sc_seg_id s = 0; s < roads->segment_count; s++) {
        set[s] = slow_touches(roads, stars, s);
    }
    return set;
}

bool slow_stars_may_do(const slow_roads *roads, const sc_demands *demands, const sc_query *member,
                       const bool *stars)
{
    bool *set = take_roads(roads, stars);
    const bool may_do = slow_demand_is_met(roads, demands, member, set) &&
                        slow_continuity_is_met(roads, demands, member, set);
    free(set);
    return may_do;
}

static bool is_farther(const slow_roads *roads, sc_star_id a, sc_star_id b, uint32_t max_hops)
{
    const uint32_t hops = slow_hops(roads, a, b);
    return hops == SC_NONE || hops > max_hops;
}

bool slow_ball_may_do(const slow_roads *roads, const sc_demands *demands, const sc_query *member,
                      sc_star_id star, uint32_t max_hops)
{
    bool *ball = test_take(roads->star_count, sizeof *ball);
    for (sc_star_id x = 0; x < roads->star_count; x++) {
        ball[x] = !is_farther(roads, star, x, max_hops);
    }
    const bool may_do = slow_stars_may_do(roads, demands, member, ball);
    free(ball);
    return may_do;
}

// --- Possible roads --------------------------------------------------------------

static size_t count_farther(const slow_roads *roads, const bool *stars, sc_star_id from,
                            uint32_t max_hops)
{
    size_t count = 0;
    for (sc_star_id x = 0; x < roads->star_count; x++) {
        count += stars[x] && is_farther(roads, from, x, max_hops);
    }
    return count;
}

void slow_possible_roads(const slow_roads *roads, const sc_query *member, const bool *stars,
                         bool *out)
{
    bool *possible = test_take(roads->star_count, sizeof *possible);
    for (sc_star_id x = 0; x < roads->star_count; x++) {
        possible[x] = stars[x] && count_farther(roads, stars, x, member->max_hops) == 0;
    }
    for (sc_seg_id s = 0; s < roads->segment_count; s++) {
        out[s] = slow_touches(roads, possible, s);
    }
    free(possible);
}

static bool possible_roads_do(const slow_roads *roads, const sc_demands *demands,
                              const sc_query *member, const bool *stars)
{
    bool *set = test_take(roads->segment_count, sizeof *set);
    slow_possible_roads(roads, member, stars, set);
    const bool is_met = slow_demand_is_met(roads, demands, member, set);
    free(set);
    return is_met;
}

// Of the members whose possible roads do not do, the least max_hops; UINT32_MAX if all do. None has
// that many hops.
static uint32_t first_that_fails(const slow_roads *roads, const sc_demands *demands,
                                 const sc_member *members, size_t count, const bool *stars)
{
    uint32_t first = UINT32_MAX;
    for (size_t i = 0; i < count; i++) {
        const sc_query *query = &members[i].query;
        if (query->max_hops >= first) continue;
        if (!possible_roads_do(roads, demands, query, stars)) first = query->max_hops;
    }
    return first;
}

static bool is_continuous(const slow_roads *roads, const sc_demands *demands,
                          const sc_member *members, size_t count, const bool *stars)
{
    bool *set = take_roads(roads, stars);
    bool is_met = true;
    for (size_t i = 0; i < count; i++) {
        is_met = is_met && slow_continuity_is_met(roads, demands, &members[i].query, set);
    }
    free(set);
    return is_met;
}

bool slow_is_good(const slow_roads *roads, const sc_demands *demands, const sc_member *members,
                  size_t count, const bool *stars)
{
    if (demands->is_strict) {
        return is_continuous(roads, demands, members, count, stars) &&
               first_that_fails(roads, demands, members, count, stars) == UINT32_MAX;
    }
    for (size_t i = 0; i < count; i++) {
        if (!slow_stars_may_do(roads, demands, &members[i].query, stars)) return false;
    }
    return true;
}

// --- Settling --------------------------------------------------------------------

static bool is_at_zone(const slow_roads *roads, const sc_own_demands *own, sc_star_id star)
{
    for (size_t i = 0; own && i < own->zone_count; i++) {
        const sc_segment *road = &sc_map_segments(roads->map)[own->zone[i]];
        if (road->star_a == star || road->star_b == star) return true;
    }
    return false;
}

// Whether a star stays: a member's, or one at a road of a member's zone.
static bool is_kept(const slow_roads *roads, const sc_member *members, size_t count,
                    sc_star_id star)
{
    for (size_t i = 0; i < count; i++) {
        if (members[i].star == star || is_at_zone(roads, members[i].query.own, star)) return true;
    }
    return false;
}

// The star that is in the way of most others: drawn among equals; SC_NONE if none is.
static sc_star_id choose_obstacle(const slow_roads *roads, const sc_member *members, size_t count,
                                  const bool *stars, uint32_t max_hops, sc_rng *rng)
{
    size_t most = 0;
    uint32_t equals = 0;
    for (sc_star_id x = 0; x < roads->star_count; x++) {
        if (!stars[x] || is_kept(roads, members, count, x)) continue;
        const size_t farther = count_farther(roads, stars, x, max_hops);
        if (farther > most) equals = 0;
        if (farther > most) most = farther;
        equals += farther == most;
    }
    if (most == 0) return SC_NONE;
    uint32_t skip = sc_rng_below(rng, equals);
    for (sc_star_id x = 0; x < roads->star_count; x++) {
        if (!stars[x] || is_kept(roads, members, count, x)) continue;
        if (count_farther(roads, stars, x, max_hops) < most) continue;
        if (skip-- == 0) return x;
    }
    return SC_NONE;
}

bool slow_settle(const slow_roads *roads, const sc_demands *demands, const sc_member *members,
                 size_t count, bool *stars, sc_rng *rng)
{
    if (!demands->is_strict) return slow_is_good(roads, demands, members, count, stars);
    uint32_t most_l = 0;
    for (size_t i = 0; i < count; i++) {
        if (members[i].query.l > most_l) most_l = members[i].query.l;
    }
    for (;;) {
        if (!is_continuous(roads, demands, members, count, stars)) return false;
        const uint32_t hops = first_that_fails(roads, demands, members, count, stars);
        if (hops == UINT32_MAX) return true;
        const sc_star_id star = choose_obstacle(roads, members, count, stars, hops, rng);
        if (star == SC_NONE) return false;
        stars[star] = false;
        if (slow_segment_count(roads, stars) < most_l) return false;
    }
}
