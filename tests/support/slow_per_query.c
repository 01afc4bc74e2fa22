// The methods in which each query makes a region of its own.
#include "support/slow_per_query.h"

#include "base/rng.h"
#include "engine/candidate.h"
#include "support/check.h"

// --- Reach -----------------------------------------------------------------------

// The different end stars of a segment.
static size_t ends_of(const slow_engine *engine, sc_seg_id segment, sc_star_id ends[2])
{
    const sc_segment *at = &sc_map_segments(engine->roads.map)[segment];
    ends[0] = at->star_a;
    ends[1] = at->star_b;
    return at->star_b == SC_NONE || at->star_b == at->star_a ? 1 : 2;
}

// Hops from a star to the nearer end of a segment; SC_NONE where there is no way.
static uint32_t hops_to(const slow_engine *engine, sc_star_id star, sc_seg_id segment)
{
    sc_star_id ends[2];
    uint32_t least = SC_NONE;
    for (size_t i = 0; i < ends_of(engine, segment, ends); i++) {
        const uint32_t hops = slow_hops(&engine->roads, star, ends[i]);
        if (hops < least) least = hops;
    }
    return least;
}

static bool is_in_region(const slow_engine *engine, sc_star_id star, uint32_t max_hops,
                         sc_seg_id segment)
{
    const uint32_t hops = hops_to(engine, star, segment);
    return hops != SC_NONE && hops <= max_hops;
}

static bool has_enough_roads(const slow_engine *engine, const sc_query *query, sc_star_id end)
{
    return slow_ball_segment_count(&engine->roads, end, query->max_hops) >= query->l;
}

bool slow_per_query_is_feasible(const slow_engine *engine, const sc_query *query)
{
    sc_star_id ends[2];
    bool is_feasible = false;
    for (size_t i = 0; i < ends_of(engine, query->segment, ends); i++) {
        is_feasible |= has_enough_roads(engine, query, ends[i]);
    }
    return is_feasible;
}

// Whether all of S, and the own segment, are in the region of one end of the query's segment.
static bool reaches_all(const slow_engine *engine, const sc_query *query, const bool *roads)
{
    sc_star_id ends[2];
    bool reaches = false;
    for (size_t i = 0; i < ends_of(engine, query->segment, ends); i++) {
        bool from_here = true;
        for (sc_seg_id s = 0; s < engine->roads.segment_count; s++) {
            if (roads[s]) from_here &= is_in_region(engine, ends[i], query->max_hops, s);
        }
        reaches |= from_here;
    }
    return reaches;
}

// Whether the segment is in the region of either end of the query's.
static bool reaches(const slow_engine *engine, const sc_query *query, sc_seg_id segment)
{
    bool *roads = test_take(engine->roads.segment_count, sizeof *roads);
    roads[segment] = true;
    const bool does = reaches_all(engine, query, roads);
    free(roads);
    return does;
}

// Whether two could be in one cloak, for all that their segments say.
static bool could_meet(const slow_engine *engine, const sc_query *a, const sc_query *b)
{
    return reaches(engine, a, b->segment) && reaches(engine, b, a->segment);
}

// --- Content sets ----------------------------------------------------------------

// Different users among the queries with a flag: each is counted at the first of them.
static uint32_t count_users(const slow_engine *engine, const bool *flags)
{
    uint32_t count = 0;
    for (size_t i = 0; i < engine->query_count; i++) {
        bool is_new = flags[i];
        for (size_t j = 0; j < i && is_new; j++) {
            is_new = !flags[j] || engine->queries[j].query.user != engine->queries[i].query.user;
        }
        count += is_new;
    }
    return count;
}

// Leave the greatest set in which no k is more than the users there are.
static void keep_satisfied(const slow_engine *engine, bool *flags)
{
    for (bool has_changed = true; has_changed;) {
        has_changed = false;
        const uint32_t users = count_users(engine, flags);
        for (size_t i = 0; i < engine->query_count; i++) {
            if (!flags[i] || engine->queries[i].query.k <= users) continue;
            flags[i] = false;
            has_changed = true;
        }
    }
}

// Who can be a member with S as it is.
static void find_members(const slow_engine *engine, const bool *roads, size_t size, bool *flags)
{
    for (size_t i = 0; i < engine->query_count; i++) {
        const slow_query *q = &engine->queries[i];
        flags[i] = q->place == IN_GRAPH && roads[q->query.segment] && q->query.l <= size &&
                   reaches_all(engine, &q->query, roads);
    }
    keep_satisfied(engine, flags);
}

// Who might be one with S or more of the region of `end`, an end of the asker's segment.
static void find_hope(const slow_engine *engine, const sc_query *asker, sc_star_id end,
                      const bool *roads, bool *flags)
{
    for (size_t i = 0; i < engine->query_count; i++) {
        const slow_query *q = &engine->queries[i];
        flags[i] = q->place == IN_GRAPH &&
                   is_in_region(engine, end, asker->max_hops, q->query.segment) &&
                   reaches_all(engine, &q->query, roads);
    }
    keep_satisfied(engine, flags);
}

// --- Roads in order --------------------------------------------------------------

// Twice the way from the midpoint of a segment to every node, over all roads; UINT64_MAX: none.
static uint64_t *ways_from(const slow_engine *engine, sc_seg_id segment)
{
    const sc_map *map = engine->roads.map;
    const sc_edge *edges = sc_map_edges(map);
    const sc_segment *own = &sc_map_segments(map)[segment];
    const uint32_t node_count = sc_map_node_count(map);
    uint64_t *ways = test_take(node_count, sizeof *ways);
    memset(ways, 0xff, node_count * sizeof *ways);
    ways[edges[own[0].first_edge].from] = own->length;
    ways[edges[own[1].first_edge - 1].to] = own->length;
    for (bool has_changed = true; has_changed;) {
        has_changed = false;
        for (sc_edge_id e = 0; e < 2 * sc_map_edge_count(map); e++) {
            const sc_edge *edge = &edges[e / 2];
            const sc_node_id from = e % 2 == 0 ? edge->from : edge->to;
            const sc_node_id to = e % 2 == 0 ? edge->to : edge->from;
            if (ways[from] == UINT64_MAX) continue;
            const uint64_t way = ways[from] + 2 * (uint64_t)edge->length;
            if (way >= ways[to]) continue;
            ways[to] = way;
            has_changed = true;
        }
    }
    return ways;
}

// Twice the way to the midpoint of a segment.
static uint64_t way_to(const slow_engine *engine, const uint64_t *ways, sc_seg_id segment)
{
    const sc_edge *edges = sc_map_edges(engine->roads.map);
    const sc_segment *at = &sc_map_segments(engine->roads.map)[segment];
    const uint64_t first = ways[edges[at[0].first_edge].from];
    const uint64_t last = ways[edges[at[1].first_edge - 1].to];
    return (first < last ? first : last) + at->length;
}

// Of the region, without the asker's own: by hops and then by id.
static size_t list_region(const slow_engine *engine, const sc_query *asker, sc_star_id end,
                          sc_seg_id *list)
{
    size_t count = 0;
    for (uint32_t hops = 0; hops <= asker->max_hops && hops < engine->roads.star_count; hops++) {
        for (sc_seg_id s = 0; s < engine->roads.segment_count; s++) {
            if (s != asker->segment && hops_to(engine, end, s) == hops) list[count++] = s;
        }
    }
    return count;
}

// Take the i-th of `count` roads: put it in its place, by chance or by distance.
static void take_road(slow_engine *engine, sc_seg_id *list, size_t count, size_t i,
                      const uint64_t *ways)
{
    size_t next = i;
    if (engine->options.variant == SC_VARIANT_SAMPLING) {
        next = i + sc_rng_below(engine->rng, (uint32_t)(count - i));
    } else {
        for (size_t j = i + 1; j < count; j++) {
            const uint64_t way = way_to(engine, ways, list[j]);
            const uint64_t least = way_to(engine, ways, list[next]);
            if (way < least || (way == least && list[j] < list[next])) next = j;
        }
    }
    const sc_seg_id road = list[next];
    list[next] = list[i];
    list[i] = road;
}

// --- A try -----------------------------------------------------------------------

static void propose(slow_engine *engine, const bool *members, const bool *roads)
{
    bool *no_stars = test_take(engine->roads.star_count, sizeof *no_stars);
    slow_propose(engine, members, no_stars);
    sc_cloak *cloak = engine->candidates;
    while (sc__candidate_of(cloak)->next) {
        cloak = sc__candidate_of(cloak)->next;
    }
    cloak->segments = slow_ids(roads, engine->roads.segment_count, &cloak->segment_count);
    free(no_stars);
}

static bool grow(slow_engine *engine, size_t asker, sc_star_id end)
{
    const sc_query *query = &engine->queries[asker].query;
    bool *flags = test_take(engine->query_count, sizeof *flags);
    bool *roads = test_take(engine->roads.segment_count, sizeof *roads);
    sc_seg_id *list = test_take(engine->roads.segment_count, sizeof *list);
    uint64_t *ways = ways_from(engine, query->segment);
    const size_t count = list_region(engine, query, end, list);
    bool is_found = false;
    roads[query->segment] = true;
    for (size_t taken = 0;; taken++) {
        find_members(engine, roads, taken + 1, flags);
        is_found = flags[asker];
        if (is_found || taken == count) break;
        bool *hope = test_take(engine->query_count, sizeof *hope);
        find_hope(engine, query, end, roads, hope);
        const bool has_hope = hope[asker];
        free(hope);
        if (!has_hope) break;
        take_road(engine, list, count, taken, ways);
        roads[list[taken]] = true;
    }
    if (is_found) propose(engine, flags, roads);
    free(flags);
    free(roads);
    free(list);
    free(ways);
    return is_found;
}

// Whether a cloak around that end with both of them in it might be found.
static bool is_open(const slow_engine *engine, size_t asker, sc_star_id end, size_t newcomer)
{
    const sc_query *query = &engine->queries[asker].query;
    bool *flags = test_take(engine->query_count, sizeof *flags);
    bool *roads = test_take(engine->roads.segment_count, sizeof *roads);
    roads[query->segment] = true;
    for (size_t i = 0; i < engine->query_count; i++) {
        const slow_query *q = &engine->queries[i];
        flags[i] = q->place == IN_GRAPH &&
                   is_in_region(engine, end, query->max_hops, q->query.segment) &&
                   reaches_all(engine, &q->query, roads) &&
                   could_meet(engine, &q->query, &engine->queries[newcomer].query);
    }
    keep_satisfied(engine, flags);
    const bool is = flags[asker] && flags[newcomer];
    free(flags);
    free(roads);
    return is && has_enough_roads(engine, query, end);
}

static void try_for(slow_engine *engine, size_t asker, size_t newcomer)
{
    sc_star_id ends[2];
    sc_star_id open[2];
    size_t count = 0;
    const size_t end_count = ends_of(engine, engine->queries[asker].query.segment, ends);
    for (size_t i = 0; i < end_count; i++) {
        if (is_open(engine, asker, ends[i], newcomer)) open[count++] = ends[i];
    }
    if (count == 0) return;
    engine->stats.searches++;
    if (count == 2) {
        const bool is_turned = engine->options.variant == SC_VARIANT_SAMPLING
                                   ? sc_rng_below(engine->rng, 2) == 1
                                   : open[1] < open[0];
        if (is_turned) {
            const sc_star_id first = open[1];
            open[1] = open[0];
            open[0] = first;
        }
    }
    if (!grow(engine, asker, open[0]) && count == 2) grow(engine, asker, open[1]);
}

// --- Who tries -------------------------------------------------------------------

// Flags of the queries that the newcomer might help: they could be in a cloak with it.
static bool *find_helped(const slow_engine *engine, size_t newcomer)
{
    const sc_query *query = &engine->queries[newcomer].query;
    sc_star_id ends[2];
    bool *helped = test_take(engine->query_count, sizeof *helped);
    bool *flags = test_take(engine->query_count, sizeof *flags);
    bool *roads = test_take(engine->roads.segment_count, sizeof *roads);
    roads[query->segment] = true;
    for (size_t e = 0; e < ends_of(engine, query->segment, ends); e++) {
        if (!has_enough_roads(engine, query, ends[e])) continue;
        find_hope(engine, query, ends[e], roads, flags);
        for (size_t i = 0; i < engine->query_count; i++) {
            helped[i] |= flags[newcomer] && flags[i] && !engine->queries[i].is_company;
        }
    }
    free(flags);
    free(roads);
    return helped;
}

// Beside the newcomer, only the oldest try.
static void leave_the_oldest(slow_engine *engine, bool *helped, size_t newcomer)
{
    size_t others = 0;
    for (size_t i = 0; i < engine->query_count; i++) {
        if (i == newcomer || !helped[i]) continue;
        helped[i] = others++ < engine->options.max_combinations;
    }
    engine->stats.cap_hits += others > engine->options.max_combinations;
}

void slow_per_query_arrive(slow_engine *engine, const slow_query *newcomer)
{
    const size_t new_at = (size_t)(newcomer - engine->queries);
    bool *helped = find_helped(engine, new_at);
    leave_the_oldest(engine, helped, new_at);
    for (size_t i = 0; i < engine->query_count; i++) {
        // Without the newcomer no query has more mates than before.
        if (engine->queries[new_at].place != IN_GRAPH) break;
        if (helped[i] && engine->queries[i].place == IN_GRAPH) try_for(engine, i, new_at);
    }
    free(helped);
}
