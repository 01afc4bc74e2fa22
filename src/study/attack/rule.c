// What the rules of cloaking exclude (starcloak/attack.h): nothing is replayed.
//
// Written from the rules, and on purpose without the engine's code for them, so that a mistake
// there does not hide here: hops come from a search of its own over the tables of the map, and the
// core from sorting. Roads in the order of their density, the core is the longest row from the
// quietest on whose last has at most the n-th part of the row: with a road all quieter ones are in
// the core, since they make its sum larger and no share of it too large. The same with the traffic
// that can have come from the user's last cloak, of all roads of S.
//
// Demands are of the roads that *count*: the possible ones, or all of S if the engine was not
// strict.
#include <starcloak/attack.h>

#include "attack/belief.h"
#include "base/alloc.h"
#include "base/diag.h"

#include <stdlib.h>

/** A road, to be sorted. */
typedef struct road {
    uint64_t weight;
    size_t place;  ///< in S
} road;

struct sc_rule {
    const sc_map *map;           ///< borrowed
    const sc_density *density;   ///< borrowed; NULL: uniform
    const sc_density *demanded;  ///< borrowed; NULL: uniform
    uint32_t traffic;
    bool counts_all;

    // Marks, by star: the number of the call or search that set them, so they are never cleared.
    uint64_t number;
    uint64_t *in_cloak;
    uint64_t *is_possible;
    uint64_t *was_visited;
    sc_star_id *queue;  ///< room for all stars

    // By segment of the cloak at hand.
    bool *is_left;
    size_t left_capacity;
    bool *counts;
    size_t counts_capacity;
    double *weights;
    size_t weight_capacity;
    double *prior;
    size_t prior_capacity;
    road *roads;
    size_t road_capacity;
};

// --- Making and freeing ------------------------------------------------------------------

static sc_err check_density(const sc_map *map, const sc_density *density, sc_diag *diag)
{
    const uint32_t segment_count = sc_map_segment_count(map);
    if (!density || sc_density_segment_count(density) == segment_count) return SC_OK;
    return sc_fail(diag, SC_EINVAL,
                   "the density has %zu segments, but the map has %u; use a density of this map",
                   sc_density_segment_count(density), (unsigned)segment_count);
}

sc_err sc_rule_new(const sc_map *map, const sc_rule_options *options, sc_rule **out, sc_diag *diag)
{
    const uint32_t star_count = sc_map_star_count(map);
    sc_err err = check_density(map, options->density, diag);
    if (!err) err = check_density(map, options->demanded, diag);
    if (err) return err;
    sc_rule *rule = sc_calloc(1, sizeof *rule);
    if (!rule) return sc_fail_memory(diag, "making a rule");
    rule->map = map;
    rule->density = options->density;
    rule->demanded = options->demanded ? options->demanded : options->density;
    rule->traffic = options->traffic;
    rule->counts_all = options->counts_all;
    rule->in_cloak = sc_calloc(star_count, sizeof *rule->in_cloak);
    rule->is_possible = sc_calloc(star_count, sizeof *rule->is_possible);
    rule->was_visited = sc_calloc(star_count, sizeof *rule->was_visited);
    rule->queue = sc_malloc_array(star_count, sizeof *rule->queue);
    if (!rule->in_cloak || !rule->is_possible || !rule->was_visited || !rule->queue) {
        sc_rule_free(rule);
        return sc_fail_memory(diag, "making a rule");
    }
    *out = rule;
    return SC_OK;
}

void sc_rule_free(sc_rule *rule)
{
    if (!rule) return;
    sc_free(rule->in_cloak);
    sc_free(rule->is_possible);
    sc_free(rule->was_visited);
    sc_free(rule->queue);
    sc_free(rule->is_left);
    sc_free(rule->counts);
    sc_free(rule->weights);
    sc_free(rule->prior);
    sc_free(rule->roads);
    sc_free(rule);
}

// --- What is seen ------------------------------------------------------------------------

// Ids must exist and ascend.
static sc_err check_ids(const uint32_t *ids, size_t count, uint32_t id_count)
{
    if (count == 0) return SC_EINVAL;
    for (size_t i = 0; i < count; i++) {
        if (ids[i] >= id_count) return SC_EUNKNOWN;
        if (i > 0 && ids[i] <= ids[i - 1]) return SC_EINVAL;
    }
    return SC_OK;
}

static sc_err check_cloak(const sc_rule *rule, const sc_ruled *cloak)
{
    const sc_err err =
        check_ids(cloak->segments, cloak->segment_count, sc_map_segment_count(rule->map));
    return err ? err : check_ids(cloak->stars, cloak->star_count, sc_map_star_count(rule->map));
}

static bool make_room(sc_rule *rule, size_t count)
{
    return sc_reserve(&rule->is_left, count, &rule->left_capacity, sizeof *rule->is_left) &&
           sc_reserve(&rule->counts, count, &rule->counts_capacity, sizeof *rule->counts) &&
           sc_reserve(&rule->weights, count, &rule->weight_capacity, sizeof *rule->weights) &&
           sc_reserve(&rule->prior, count, &rule->prior_capacity, sizeof *rule->prior) &&
           sc_reserve(&rule->roads, count, &rule->road_capacity, sizeof *rule->roads);
}

// --- Possible roads ----------------------------------------------------------------------

// Stars beside `star` that the search has not come to go to the end of the queue.
static size_t visit_neighbours(sc_rule *rule, sc_star_id star, uint64_t search, size_t queued)
{
    const sc_star *at = &sc_map_stars(rule->map)[star];
    const sc_seg_id *listed = sc_map_star_segments(rule->map);
    for (uint32_t i = at[0].first_segment; i < at[1].first_segment; i++) {
        const sc_segment *segment = &sc_map_segments(rule->map)[listed[i]];
        const sc_star_id other = segment->star_a == star ? segment->star_b : segment->star_a;
        if (other == SC_NONE || rule->was_visited[other] == search) continue;
        rule->was_visited[other] = search;
        rule->queue[queued++] = other;
    }
    return queued;
}

// How many stars of the cloak are within so many hops of `from`, itself among them. Stars are
// queued hop by hop.
static size_t count_within(sc_rule *rule, sc_star_id from, uint32_t max_hops, uint64_t cloak)
{
    const uint64_t search = ++rule->number;
    size_t count = 0;
    size_t queued = 1;
    size_t done = 0;
    rule->was_visited[from] = search;
    rule->queue[0] = from;
    for (uint32_t hops = 0; done < queued; hops++) {
        for (const size_t end = queued; done < end; done++) {
            const sc_star_id star = rule->queue[done];
            count += rule->in_cloak[star] == cloak;
            if (hops < max_hops) queued = visit_neighbours(rule, star, search, queued);
        }
    }
    return count;
}

/** Mark the stars of T that reach all of T, and the roads of S there. @return how many roads */
static size_t find_possible(sc_rule *rule, const sc_ruled *cloak)
{
    const uint64_t number = ++rule->number;
    for (size_t i = 0; i < cloak->star_count; i++) {
        rule->in_cloak[cloak->stars[i]] = number;
    }
    for (size_t i = 0; i < cloak->star_count; i++) {
        const sc_star_id star = cloak->stars[i];
        const size_t within = count_within(rule, star, cloak->needs.max_hops, number);
        if (within == cloak->star_count) rule->is_possible[star] = number;
    }
    size_t possible = 0;
    for (size_t i = 0; i < cloak->segment_count; i++) {
        const sc_segment *segment = &sc_map_segments(rule->map)[cloak->segments[i]];
        const sc_star_id a = segment->star_a;
        const sc_star_id b = segment->star_b;
        rule->is_left[i] =
            rule->is_possible[a] == number || (b != SC_NONE && rule->is_possible[b] == number);
        rule->counts[i] = rule->counts_all || rule->is_left[i];
        possible += rule->is_left[i];
    }
    return possible;
}

// --- The core ----------------------------------------------------------------------------

static int lightest_first(const void *a, const void *b)
{
    const uint64_t left = ((const road *)a)->weight;
    const uint64_t right = ((const road *)b)->weight;
    return (left > right) - (left < right);
}

// The traffic of a road as the engine has it, or the part of it that can have come from the last
// cloak.
static road road_at(const sc_rule *rule, const sc_ruled *cloak, size_t place, bool is_linked)
{
    const uint32_t *numbers = rule->demanded ? sc_density_numbers(rule->demanded) : NULL;
    const uint64_t density = numbers ? numbers[cloak->segments[place]] : 1;
    return (road){.weight = is_linked ? density * cloak->reached[place] : density, .place = place};
}

// Exclude what is not in the core of the roads that count, or, `is_linked`, of all. A road and
// equally heavy ones are in it together: the last of them has the largest sum before it.
static void exclude_outside_core(sc_rule *rule, const sc_ruled *cloak, uint32_t n, bool is_linked)
{
    size_t count = 0;
    for (size_t i = 0; i < cloak->segment_count; i++) {
        if (is_linked || rule->counts[i]) rule->roads[count++] = road_at(rule, cloak, i, is_linked);
    }
    qsort(rule->roads, count, sizeof *rule->roads, lightest_first);
    size_t core = 0;
    uint64_t sum = 0;
    for (size_t i = 0; i < count; i++) {
        sum += rule->roads[i].weight;
        if (rule->roads[i].weight <= sum / n) core = i + 1;
    }
    for (size_t i = core; i < count; i++) {
        rule->is_left[rule->roads[i].place] = false;
    }
}

// --- Zones -------------------------------------------------------------------------------

static bool is_listed(const sc_known_zone *zone, sc_seg_id segment)
{
    for (size_t i = 0; i < zone->count; i++) {
        if (zone->segments[i] == segment) return true;
    }
    return false;
}

// A member on a road of its zone has all of the zone among the roads that count: if they do not
// have it, it is on none of them.
static void exclude_zone(sc_rule *rule, const sc_ruled *cloak, const sc_known_zone *zone)
{
    size_t counted = 0;
    for (size_t i = 0; i < cloak->segment_count; i++) {
        counted += rule->counts[i] && is_listed(zone, cloak->segments[i]);
    }
    if (counted == zone->count) return;
    for (size_t i = 0; i < cloak->segment_count; i++) {
        if (is_listed(zone, cloak->segments[i])) rule->is_left[i] = false;
    }
}

// --- What is believed --------------------------------------------------------------------

static sc_err believe(sc_rule *rule, const sc_ruled *cloak, sc_posterior *posterior)
{
    double sum = 0;
    for (size_t i = 0; i < cloak->segment_count; i++) {
        const sc_seg_id segment = cloak->segments[i];
        rule->prior[i] = rule->density ? sc_density_weight(rule->density, segment) : 1.0;
        rule->weights[i] = rule->is_left[i] ? rule->prior[i] : 0.0;
        sum += rule->prior[i];
    }
    for (size_t i = 0; i < cloak->segment_count; i++) {
        rule->prior[i] /= sum;
    }
    const sc__likelihoods likelihoods = {
        .rows = rule->weights, .batch_count = 1, .place_count = cloak->segment_count};
    return sc__posterior_init(posterior, cloak->segments, &likelihoods, rule->prior);
}

/** Exclude all on which the member's demands would not be met. */
static void exclude(sc_rule *rule, const sc_ruled *cloak)
{
    const uint32_t l = cloak->needs.l;
    const uint32_t n = l < rule->traffic ? l : rule->traffic;
    if (n >= 2) exclude_outside_core(rule, cloak, n, false);
    if (n >= 2 && cloak->reached) exclude_outside_core(rule, cloak, n, true);
    for (size_t i = 0; i < cloak->zone_count; i++) {
        exclude_zone(rule, cloak, &cloak->zones[i]);
    }
}

sc_err sc_rule_see(sc_rule *rule, const sc_ruled *cloak, sc_left *left, sc_posterior *posterior)
{
    sc_err err = check_cloak(rule, cloak);
    if (err) return err;
    if (!make_room(rule, cloak->segment_count)) return SC_ENOMEM;
    sc_left found = {.is_left = rule->is_left, .possible = find_possible(rule, cloak)};
    exclude(rule, cloak);
    for (size_t i = 0; i < cloak->segment_count; i++) {
        found.left += rule->is_left[i];
    }
    if (posterior) err = believe(rule, cloak, posterior);
    if (!err) *left = found;
    return err;
}
