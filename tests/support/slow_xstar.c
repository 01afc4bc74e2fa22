// XStar by plain sets. The steps are those of docs/methods.md.
#include "support/slow_xstar.h"

#include "support/check.h"

/** A super-star: a flag per star. */
typedef struct super_star {
    uint64_t group;  ///< from which it grows
    sc_star_id start;
    uint64_t most_k;  ///< of a group that comes along
    bool *inside;
} super_star;

static uint32_t largest_k(const slow_engine *engine, uint64_t group)
{
    uint32_t largest = 0;
    for (size_t i = 0; i < engine->query_count; i++) {
        const slow_query *q = &engine->queries[i];
        if (slow_holds(q, group) && q->query.k > largest) largest = q->query.k;
    }
    return largest;
}

// All queries at a star inside are members, but for groups that want too large a k.
static bool is_member(const slow_engine *engine, const super_star *s, const slow_query *q)
{
    return q->place == IN_GRAPH && s->inside[q->star] && largest_k(engine, q->vertex) <= s->most_k;
}

// --- Is it enough? ---------------------------------------------------------------

static bool is_first_of_user(const slow_engine *engine, const super_star *s, size_t i)
{
    for (size_t j = 0; j < i; j++) {
        const slow_query *before = &engine->queries[j];
        if (is_member(engine, s, before) && before->query.user == engine->queries[i].query.user) {
            return false;
        }
    }
    return true;
}

static size_t count_users(const slow_engine *engine, const super_star *s)
{
    size_t count = 0;
    for (size_t i = 0; i < engine->query_count; i++) {
        count += is_member(engine, s, &engine->queries[i]) && is_first_of_user(engine, s, i);
    }
    return count;
}

// For each member: as many users and segments as it asks for.
static bool is_enough(const slow_engine *engine, const super_star *s)
{
    const size_t users = count_users(engine, s);
    const size_t segments = slow_segment_count(&engine->roads, s->inside);
    for (size_t i = 0; i < engine->query_count; i++) {
        const slow_query *q = &engine->queries[i];
        if (!is_member(engine, s, q)) continue;
        if (users < q->query.k || segments < q->query.l) return false;
    }
    return true;
}

// --- Growing ---------------------------------------------------------------------

// Whether all stars inside are within the limit of each member.
static bool is_within_limits(const slow_engine *engine, const super_star *s)
{
    for (size_t i = 0; i < engine->query_count; i++) {
        const slow_query *q = &engine->queries[i];
        if (!is_member(engine, s, q)) continue;
        for (sc_star_id x = 0; x < engine->roads.star_count; x++) {
            if (s->inside[x] && slow_hops(&engine->roads, q->star, x) > q->query.max_hops) {
                return false;
            }
        }
    }
    return true;
}

// The most objects that anybody of the group asks for.
static uint32_t largest_result(const slow_engine *engine, uint64_t group)
{
    uint32_t largest = 0;
    for (size_t i = 0; i < engine->query_count; i++) {
        const slow_query *q = &engine->queries[i];
        if (!slow_holds(q, group)) continue;
        if (q->query.result_size > largest) largest = q->query.result_size;
    }
    return largest;
}

// The least hops from the start to a star outside; SC_NONE if none can be reached.
static uint32_t next_hops(const slow_engine *engine, const super_star *s)
{
    uint32_t least = SC_NONE;
    for (sc_star_id x = 0; x < engine->roads.star_count; x++) {
        const uint32_t hops = slow_hops(&engine->roads, s->start, x);
        if (!s->inside[x] && hops < least) least = hops;
    }
    return least;
}

// Of the stars outside that are so far from the start, the cheapest, the first of equals.
static sc_star_id next_star(const slow_engine *engine, const super_star *s, uint32_t hops)
{
    const uint32_t result_size = largest_result(engine, s->group);
    sc_star_id cheapest = SC_NONE;
    double least_cost = 0;
    for (sc_star_id x = 0; x < engine->roads.star_count; x++) {
        if (s->inside[x] || slow_hops(&engine->roads, s->start, x) != hops) continue;
        const double cost = slow_star_cost(engine, x, result_size);
        if (cheapest != SC_NONE && cost >= least_cost) continue;
        cheapest = x;
        least_cost = cost;
    }
    return cheapest;
}

static void propose(slow_engine *engine, const super_star *s)
{
    bool *members = test_take(engine->query_count, sizeof *members);
    for (size_t i = 0; i < engine->query_count; i++) {
        members[i] = is_member(engine, s, &engine->queries[i]);
    }
    slow_propose(engine, members, s->inside);
    free(members);
}

static sc_star_id star_of(const slow_engine *engine, uint64_t group)
{
    size_t i = 0;
    while (!slow_holds(&engine->queries[i], group)) {
        i++;
    }
    return engine->queries[i].star;
}

bool slow_xstar_search(slow_engine *engine, uint64_t group)
{
    engine->stats.searches++;
    const uint64_t spread = slow_k_spread(engine);
    super_star s = {
        .group = group,
        .start = star_of(engine, group),
        .most_k = spread > 0 ? spread * largest_k(engine, group) : UINT64_MAX,
        .inside = test_take(engine->roads.star_count, sizeof(bool)),
    };
    s.inside[s.start] = true;
    bool found = false;
    while (is_within_limits(engine, &s) && !(found = is_enough(engine, &s))) {
        const uint32_t hops = next_hops(engine, &s);
        if (hops == SC_NONE) break;
        s.inside[next_star(engine, &s, hops)] = true;
    }
    if (found) propose(engine, &s);
    free(s.inside);
    return found;
}
