// XStar by plain sets. The steps are those of docs/methods.md.
#include "support/slow_xstar.h"

#include "support/check.h"

/** A super-star: a flag per star. */
typedef struct super_star {
    sc_star_id start;
    bool *inside;
} super_star;

// All queries at a star inside are members.
static bool is_member(const super_star *s, const slow_query *q)
{
    return q->place == IN_GRAPH && s->inside[q->star];
}

// --- Is it enough? ---------------------------------------------------------------

static bool is_first_of_user(const slow_engine *engine, const super_star *s, size_t i)
{
    for (size_t j = 0; j < i; j++) {
        const slow_query *before = &engine->queries[j];
        if (is_member(s, before) && before->query.user == engine->queries[i].query.user) {
            return false;
        }
    }
    return true;
}

static size_t count_users(const slow_engine *engine, const super_star *s)
{
    size_t count = 0;
    for (size_t i = 0; i < engine->query_count; i++) {
        count += is_member(s, &engine->queries[i]) && is_first_of_user(engine, s, i);
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
        if (!is_member(s, q)) continue;
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
        if (!is_member(s, q)) continue;
        for (sc_star_id x = 0; x < engine->roads.star_count; x++) {
            if (s->inside[x] && slow_hops(&engine->roads, q->star, x) > q->query.max_hops) {
                return false;
            }
        }
    }
    return true;
}

// The most objects that anybody at the start asks for.
static uint32_t largest_result(const slow_engine *engine, sc_star_id start)
{
    uint32_t largest = 0;
    for (size_t i = 0; i < engine->query_count; i++) {
        const slow_query *q = &engine->queries[i];
        if (q->place != IN_GRAPH || q->star != start) continue;
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
    const uint32_t result_size = largest_result(engine, s->start);
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
        members[i] = is_member(s, &engine->queries[i]);
    }
    slow_propose(engine, members, s->inside);
    free(members);
}

bool slow_xstar_search(slow_engine *engine, sc_star_id star)
{
    engine->stats.searches++;
    super_star s = {star, test_take(engine->roads.star_count, sizeof(bool))};
    s.inside[star] = true;
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
