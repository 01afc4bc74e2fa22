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

static size_t count_without(const slow_roads *roads, const bool *set, const bool *left_out)
{
    size_t count = 0;
    for (sc_seg_id s = 0; s < roads->segment_count; s++) {
        count += set[s] && !(left_out && left_out[s]);
    }
    return count;
}

static bool is_in_core(const slow_roads *roads, const uint64_t *weights, uint32_t n, sc_seg_id own,
                       const bool *set)
{
    bool *core = test_take(roads->segment_count, sizeof *core);
    memcpy(core, set, roads->segment_count * sizeof *core);
    slow_core(weights, roads->segment_count, n, core);
    const bool is_in = core[own];
    free(core);
    return is_in;
}

bool slow_demand_is_met(const slow_roads *roads, const slow_demand_rules *rules,
                        const slow_demand_member *member, const bool *set)
{
    if (count_without(roads, set, NULL) < member->l) return false;
    for (size_t i = 0; i < rules->class_count; i++) {
        if (count_without(roads, set, rules->classes[i]) < member->l) return false;
    }
    for (sc_seg_id s = 0; member->zone && s < roads->segment_count; s++) {
        if (member->zone[s] && !set[s]) return false;
    }
    const uint32_t n = least(member->l, rules->traffic);
    if (!rules->density || rules->traffic < 2) return true;
    return is_in_core(roads, rules->density, n, member->own, set);
}

// --- Possible roads --------------------------------------------------------------

static bool is_farther(const slow_roads *roads, sc_star_id a, sc_star_id b, uint32_t max_hops)
{
    const uint32_t hops = slow_hops(roads, a, b);
    return hops == SC_NONE || hops > max_hops;
}

static size_t count_farther(const slow_roads *roads, const bool *stars, sc_star_id from,
                            uint32_t max_hops)
{
    size_t count = 0;
    for (sc_star_id x = 0; x < roads->star_count; x++) {
        count += stars[x] && is_farther(roads, from, x, max_hops);
    }
    return count;
}

void slow_possible_roads(const slow_roads *roads, const slow_demand_member *member,
                         const bool *stars, bool *out)
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

static bool has_its_roads(const slow_roads *roads, const slow_demand_rules *rules,
                          const slow_demand_member *member, const bool *stars)
{
    bool *set = test_take(roads->segment_count, sizeof *set);
    slow_possible_roads(roads, member, stars, set);
    const bool is_met = slow_demand_is_met(roads, rules, member, set);
    free(set);
    return is_met;
}

// Of the members that lack roads, the least max_hops; UINT32_MAX if none does.
static uint32_t first_that_fails(const slow_roads *roads, const slow_demand_rules *rules,
                                 const slow_demand_member *members, size_t count, const bool *stars)
{
    uint32_t first = UINT32_MAX;
    for (size_t i = 0; i < count; i++) {
        if (members[i].max_hops >= first) continue;
        if (!has_its_roads(roads, rules, &members[i], stars)) first = members[i].max_hops;
    }
    return first;
}

bool slow_is_good(const slow_roads *roads, const slow_demand_rules *rules,
                  const slow_demand_member *members, size_t count, const bool *stars)
{
    return first_that_fails(roads, rules, members, count, stars) == UINT32_MAX;
}

// --- Settling --------------------------------------------------------------------

static bool is_star_of_member(const slow_demand_member *members, size_t count, sc_star_id star)
{
    for (size_t i = 0; i < count; i++) {
        if (members[i].star == star) return true;
    }
    return false;
}

// The star that is in the way of most others: drawn among equals; SC_NONE if none is.
static sc_star_id choose_obstacle(const slow_roads *roads, const slow_demand_member *members,
                                  size_t count, const bool *stars, uint32_t max_hops, sc_rng *rng)
{
    size_t most = 0;
    uint32_t equals = 0;
    for (sc_star_id x = 0; x < roads->star_count; x++) {
        if (!stars[x] || is_star_of_member(members, count, x)) continue;
        const size_t farther = count_farther(roads, stars, x, max_hops);
        if (farther > most) equals = 0;
        if (farther > most) most = farther;
        equals += farther == most;
    }
    if (most == 0) return SC_NONE;
    uint32_t skip = sc_rng_below(rng, equals);
    for (sc_star_id x = 0; x < roads->star_count; x++) {
        if (!stars[x] || is_star_of_member(members, count, x)) continue;
        if (count_farther(roads, stars, x, max_hops) < most) continue;
        if (skip-- == 0) return x;
    }
    return SC_NONE;
}

bool slow_settle(const slow_roads *roads, const slow_demand_rules *rules,
                 const slow_demand_member *members, size_t count, bool *stars, sc_rng *rng)
{
    uint32_t most_l = 0;
    for (size_t i = 0; i < count; i++) {
        if (members[i].l > most_l) most_l = members[i].l;
    }
    for (uint32_t hops;
         (hops = first_that_fails(roads, rules, members, count, stars)) != UINT32_MAX;) {
        const sc_star_id star = choose_obstacle(roads, members, count, stars, hops, rng);
        if (star == SC_NONE) return false;
        stars[star] = false;
        if (slow_segment_count(roads, stars) < most_l) return false;
    }
    return true;
}
