// The search of the slow engine: which vertices make a cloak together. See
// slow_engine.h; the steps are those of docs/engine.md.
#include "support/slow_engine_internal.h"

#include "engine/candidate.h"
#include "support/check.h"
#include "support/slow_xstar.h"

/** The needs of a vertex: those of all its queries together. */
typedef struct needs {
    sc_star_id star;
    uint32_t k;
    uint32_t max_hops;
} needs;

/** Vertices that may become a cloak; the one searched from is the first. */
typedef struct combination {
    uint64_t *vertices;
    size_t count;
} combination;

typedef enum verdict { PASSES, LACKS_USERS, LACKS_SEGMENTS } verdict;

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static uint32_t most(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

static needs needs_of(const slow_engine *engine, uint64_t vertex)
{
    needs all = {.star = SC_NONE, .max_hops = UINT32_MAX};
    for (size_t i = 0; i < engine->query_count; i++) {
        const slow_query *q = &engine->queries[i];
        if (!slow_holds(q, vertex)) continue;
        all.star = q->star;
        all.k = most(all.k, q->query.k);
        all.max_hops = least(all.max_hops, q->query.max_hops);
    }
    return all;
}

static bool covers(const slow_engine *engine, const needs *vertex, sc_star_id star)
{
    const uint32_t hops = slow_hops(&engine->roads, vertex->star, star);
    return hops != SC_NONE && hops <= vertex->max_hops;
}

static bool is_in(const combination *c, uint64_t vertex)
{
    for (size_t i = 0; i < c->count; i++) {
        if (c->vertices[i] == vertex) return true;
    }
    return false;
}

static bool is_held(const combination *c, const slow_query *q)
{
    return q->place == IN_GRAPH && is_in(c, q->vertex);
}

// --- The check -------------------------------------------------------------------

// The stars that all vertices cover.
static void intersect(const slow_engine *engine, const combination *c, bool *stars)
{
    memset(stars, true, engine->roads.star_count * sizeof *stars);
    for (size_t i = 0; i < c->count; i++) {
        const needs vertex = needs_of(engine, c->vertices[i]);
        for (sc_star_id x = 0; x < engine->roads.star_count; x++) {
            stars[x] = stars[x] && covers(engine, &vertex, x);
        }
    }
}

// Whether the roads of these stars are what each query of the combination asks for.
static bool may_do(const slow_engine *engine, const combination *c, const bool *stars)
{
    for (size_t i = 0; i < engine->query_count; i++) {
        const slow_query *q = &engine->queries[i];
        if (!is_held(c, q)) continue;
        const sc_demands *demands = &engine->options.demands;
        if (!slow_stars_may_do(&engine->roads, demands, &q->query, stars)) return false;
    }
    return true;
}

// Different users among all queries of the combination: each is counted at the first of its
// queries.
static uint32_t count_users(const slow_engine *engine, const combination *c)
{
    uint32_t count = 0;
    for (size_t i = 0; i < engine->query_count; i++) {
        const slow_query *q = &engine->queries[i];
        bool is_new = is_held(c, q);
        for (size_t j = 0; j < i && is_new; j++) {
            const slow_query *before = &engine->queries[j];
            is_new = !is_held(c, before) || before->query.user != q->query.user;
        }
        count += is_new;
    }
    return count;
}

static verdict check(slow_engine *engine, const combination *c, bool *stars)
{
    engine->stats.checks++;
    intersect(engine, c, stars);
    uint32_t k = 0;
    for (size_t i = 0; i < c->count; i++) {
        k = most(k, needs_of(engine, c->vertices[i]).k);
    }
    if (!may_do(engine, c, stars)) return LACKS_SEGMENTS;
    return count_users(engine, c) < k ? LACKS_USERS : PASSES;
}

// --- Neighbours ------------------------------------------------------------------

// Whether each one's star is in the other's covered set.
static bool cover_each_other(const slow_engine *engine, uint64_t a, uint64_t b)
{
    const needs of_a = needs_of(engine, a);
    const needs of_b = needs_of(engine, b);
    return covers(engine, &of_a, of_b.star) && covers(engine, &of_b, of_a.star);
}

static bool are_neighbours(const slow_engine *engine, uint64_t a, uint64_t b)
{
    if (!cover_each_other(engine, a, b)) return false;
    bool *stars = test_take(engine->roads.star_count, sizeof *stars);
    const combination both = {(uint64_t[]){a, b}, 2};
    intersect(engine, &both, stars);
    const bool enough = may_do(engine, &both, stars);
    free(stars);
    return enough;
}

static uint32_t hops_between(const slow_engine *engine, uint64_t a, uint64_t b)
{
    return slow_hops(&engine->roads, needs_of(engine, a).star, needs_of(engine, b).star);
}

// Put a vertex where it belongs: by hops from `u`, then by age.
static void insert(const slow_engine *engine, combination *sorted, uint64_t u, uint64_t vertex)
{
    const uint32_t hops = hops_between(engine, u, vertex);
    size_t at = sorted->count++;
    for (; at > 0; at--) {
        const uint64_t before = sorted->vertices[at - 1];
        const uint32_t before_hops = hops_between(engine, u, before);
        if (before_hops < hops || (before_hops == hops && before < vertex)) break;
        sorted->vertices[at] = before;
    }
    sorted->vertices[at] = vertex;
}

// The vertices that cover the star of `u` and whose star it covers, without those that want more
// users than `u` and all others left have, each counted by itself.
static combination find_hopeful(const slow_engine *engine, uint64_t u)
{
    combination left = {test_take(engine->query_count, sizeof(uint64_t)), 0};
    for (size_t i = 0; i < engine->query_count; i++) {
        const slow_query *q = &engine->queries[i];
        if (q->place != IN_GRAPH || q->vertex == u || is_in(&left, q->vertex)) continue;
        if (cover_each_other(engine, u, q->vertex)) left.vertices[left.count++] = q->vertex;
    }
    for (size_t before = SIZE_MAX; left.count < before;) {
        uint32_t users = count_users(engine, &(combination){&u, 1});
        for (size_t i = 0; i < left.count; i++) {
            users += count_users(engine, &(combination){&left.vertices[i], 1});
        }
        before = left.count;
        left.count = 0;
        for (size_t i = 0; i < before; i++) {
            const uint64_t vertex = left.vertices[i];
            if (needs_of(engine, vertex).k <= users) left.vertices[left.count++] = vertex;
        }
    }
    return left;
}

// The neighbours of `u`, by hops and then by age; room for one per query.
static combination find_neighbours(const slow_engine *engine, uint64_t u)
{
    combination found = {test_take(engine->query_count, sizeof(uint64_t)), 0};
    combination hopeful = find_hopeful(engine, u);
    for (size_t i = 0; i < engine->query_count; i++) {
        const slow_query *q = &engine->queries[i];
        if (q->place != IN_GRAPH || q->vertex == u || is_in(&found, q->vertex)) continue;
        if (slow_k_spread(engine) > 0 && !is_in(&hopeful, q->vertex)) continue;
        if (are_neighbours(engine, u, q->vertex)) insert(engine, &found, u, q->vertex);
    }
    free(hopeful.vertices);
    return found;
}

// --- Growing combinations --------------------------------------------------------

// Bounded: v is at the level of the last vertex or the next one; in the strict setting it is
// also within 2 * lambda - 1 hops of one of them.
static bool is_compact(const slow_engine *engine, const combination *c, uint64_t v)
{
    const uint64_t u = c->vertices[0];
    const uint32_t lambda = engine->options.compactness;
    const uint32_t level = hops_between(engine, u, v) / lambda;
    const uint32_t last_level = hops_between(engine, u, c->vertices[c->count - 1]) / lambda;
    if (level > last_level + 1) return false;

    bool is_near = !engine->options.is_strict;
    for (size_t i = 0; i < c->count; i++) {
        is_near |= hops_between(engine, c->vertices[i], v) <= 2 * lambda - 1;
    }
    return is_near;
}

static bool are_all_neighbours(const slow_engine *engine, const combination *c, uint64_t v)
{
    for (size_t i = 0; i < c->count; i++) {
        if (!are_neighbours(engine, c->vertices[i], v)) return false;
    }
    return true;
}

static combination joined(const combination *c, uint64_t v)
{
    combination larger = {test_take(c->count + 1, sizeof(uint64_t)), c->count + 1};
    for (size_t i = 0; i < c->count; i++) {
        larger.vertices[i] = c->vertices[i];
    }
    larger.vertices[c->count] = v;
    return larger;
}

// --- The candidate ---------------------------------------------------------------

static void append_candidate(slow_engine *engine, sc_cloak *cloak)
{
    sc_cloak **end = &engine->candidates;
    while (*end) {
        end = &sc__candidate_of(*end)->next;
    }
    *end = cloak;
}

void slow_propose(slow_engine *engine, const bool *is_member, const bool *stars)
{
    sc_cloak *cloak = test_take(1, sizeof(sc__candidate));
    cloak->stars = slow_ids(stars, engine->roads.star_count, &cloak->star_count);
    cloak->members = test_take(engine->query_count, sizeof *cloak->members);
    sc__candidate_of(cloak)->is_whole = engine->options.variant == SC_VARIANT_XSTAR;
    cloak->deadline = SC_TIME_NEVER;
    for (size_t i = 0; i < engine->query_count; i++) {
        slow_query *q = &engine->queries[i];
        if (!is_member[i]) continue;
        cloak->members[cloak->member_count++] = (sc_member){q->query, q->star, q->is_company};
        if (q->query.deadline < cloak->deadline) cloak->deadline = q->query.deadline;
        q->place = IN_PROPOSAL;
        q->proposal = cloak;
    }
    slow_end_assignments(engine);
    append_candidate(engine, cloak);
}

static void propose(slow_engine *engine, const combination *c, const bool *stars)
{
    bool *is_member = test_take(engine->query_count, sizeof *is_member);
    for (size_t i = 0; i < engine->query_count; i++) {
        is_member[i] = is_held(c, &engine->queries[i]);
    }
    slow_propose(engine, is_member, stars);
    free(is_member);
}

/** The combinations that lack users alone, the start vertex by itself being the first. */
typedef struct kept_list {
    combination *at;
    size_t count;
    bool is_full;  ///< something could not be kept
} kept_list;

// Takes `c`: it is kept, proposed or thrown away. True if it is the candidate.
static bool try_combination(slow_engine *engine, combination c, kept_list *kept)
{
    bool *stars = test_take(engine->roads.star_count, sizeof *stars);
    const verdict v = check(engine, &c, stars);
    if (v == PASSES) propose(engine, &c, stars);
    free(stars);

    // The start vertex by itself does not count.
    const bool has_room = kept->count < (size_t)engine->options.max_combinations + 1;
    if (v == LACKS_USERS && has_room) {
        kept->at = slow_grown(kept->at, kept->count, sizeof *kept->at);
        kept->at[kept->count++] = c;
    } else {
        kept->is_full |= v == LACKS_USERS;
        free(c.vertices);
    }
    return v == PASSES;
}

static bool search(slow_engine *engine, uint64_t u, bool is_bounded)
{
    engine->stats.searches++;
    kept_list kept = {0};
    combination neighbours = find_neighbours(engine, u);
    bool found = try_combination(engine, joined(&(combination){NULL, 0}, u), &kept);
    for (size_t n = 0; n < neighbours.count && !found; n++) {
        const uint64_t v = neighbours.vertices[n];
        const size_t before = kept.count;
        for (size_t i = 0; i < before && !found; i++) {
            const combination *c = &kept.at[i];
            if (is_bounded && !is_compact(engine, c, v)) continue;
            if (!are_all_neighbours(engine, c, v)) continue;
            found = try_combination(engine, joined(c, v), &kept);
        }
    }
    engine->stats.cap_hits += kept.is_full;
    for (size_t i = 0; i < kept.count; i++) {
        free(kept.at[i].vertices);
    }
    free(kept.at);
    free(neighbours.vertices);
    return found;
}

static bool holds_urgent(const slow_engine *engine, uint64_t vertex)
{
    for (size_t i = 0; i < engine->query_count; i++) {
        const slow_query *q = &engine->queries[i];
        if (slow_holds(q, vertex) && slow_is_urgent(engine, q)) return true;
    }
    return false;
}

bool slow_search(slow_engine *engine, uint64_t vertex)
{
    if (engine->options.variant == SC_VARIANT_XSTAR) {
        return slow_xstar_search(engine, vertex);
    }
    const bool is_bounded = engine->options.variant != SC_VARIANT_BASIC;
    return search(engine, vertex, is_bounded) ||
           (holds_urgent(engine, vertex) && search(engine, vertex, false));
}

// The vertices, other than `vertex`, that hold an urgent query, whose stars `vertex` covers and
// which cover its star; by hops, then by age.
static combination find_urgent(const slow_engine *engine, uint64_t vertex)
{
    combination found = {test_take(engine->query_count, sizeof(uint64_t)), 0};
    for (size_t i = 0; i < engine->query_count; i++) {
        const slow_query *q = &engine->queries[i];
        if (q->place != IN_GRAPH || q->vertex == vertex || is_in(&found, q->vertex)) continue;
        if (!holds_urgent(engine, q->vertex)) continue;
        if (cover_each_other(engine, vertex, q->vertex)) {
            insert(engine, &found, vertex, q->vertex);
        }
    }
    return found;
}

void slow_search_for_new(slow_engine *engine, uint64_t vertex)
{
    if (slow_search(engine, vertex)) return;
    combination urgent = find_urgent(engine, vertex);
    for (size_t i = 0; i < urgent.count; i++) {
        if (search(engine, urgent.vertices[i], false)) break;
    }
    free(urgent.vertices);
}
