// Searching the cloaking graph: which vertices can be cloaked together with one. docs/engine.md has
// the rules.
//
// The stars of the start's covered set are numbered 0, 1, 2, ... and sets of stars
// are bits: a neighbour's covered set, as far as it lies within the start's; the
// intersection of all covered sets of a combination; the stars of its members. Three
// facts make a check a handful of instructions:
//
//  1. A combination contains the start, so nothing outside the start's covered set
//     ever matters.
//  2. v fits a combination iff v's star is in the combination's intersection and all
//     stars of the combination are in v's covered set. That the pairs of vertices
//     share segments enough need not be tested: the intersection of them all is a part
//     of each pair's, so if it meets the demand, each pair does (demand.h: monotone).
//  3. Segments are counted only until there are enough, which two or three
//     stars mostly are.
//
// Users are first counted as if no two vertices shared one, which can only be too
// many; where that would do, they are counted exactly.
//
// StarCloak has three variants of it. Bounded keeps cloaks together by going outwards level by
// level, at the price of longer waits and more drops. Hybrid does the same as long as there is
// time, and takes what it can get when there is not. An engine can be switched from one to another:
// they have all of their state in common but for which queries are urgent, which only hybrid has.
// (XStar's search is in baselines/xstar.c.)
#include "engine/search.h"

#include "base/alloc.h"
#include "base/sort.h"
#include "engine/candidate.h"
#include "engine/cloaking_graph.h"

#include <string.h>

/** How far apart the members of a candidate may be. */
typedef struct search_bounds {
    uint32_t hops_per_level;  ///< levels of that width must have no gap; 0: no levels
    uint32_t near_hops;       ///< each within so many hops of another; UINT32_MAX: no matter
} search_bounds;

/** The start and some of its neighbours, short of users. */
typedef struct sc__combination {
    uint32_t parent;  ///< the combination it was made from; 0 is the start alone
    uint32_t last;    ///< the neighbour that was added to it
    uint32_t level;   ///< of that neighbour
    uint32_t users;   ///< at most as many
    uint32_t k;
    uint32_t l;
    bool has_special;  ///< a query of it has demands of its own
} combination;

/** One search. Masks have `words` words each. */
typedef struct search_state {
    sc_engine *engine;
    sc__slot start;
    const sc__vertex *vertex;
    const sc_star_id *stars;  ///< by number
    size_t words;
    size_t neighbour_count;
    bool is_strict;       ///< a vertex must be near one of those it joins
    bool all_counted;     ///< all users in reach have been counted, and are enough
    bool cap_hit;         ///< something could not be kept
    size_t kept;          ///< combinations; the first is the start alone
    uint32_t most_users;  ///< of any of them
    uint64_t *shared;     ///< per combination: stars in the covered sets of all
    uint64_t *members;    ///< per combination: stars of its vertices, the start's too
    uint64_t *covered;    ///< of the neighbour at hand, within the start's
    uint64_t *near;       ///< strict: stars near it
    uint64_t *joined;     ///< the intersection being checked
} search_state;

/** What came of checking a combination with one more vertex. */
typedef enum verdict {
    SHORT,     ///< of users or segments; kept, if it can grow and there is room
    STRANGER,  ///< not even a neighbour of the start: no use to try it with others
    ENOUGH,    ///< a candidate
    HOPELESS,  ///< no combination can be enough: all users in reach are too few
} verdict;

void sc__scratch_fini(sc__scratch *scratch)
{
    sc_free(scratch->active_stars);
    sc_free(scratch->neighbours);
    sc_free(scratch->combinations);
    sc_free(scratch->masks);
    sc_free_wiped(scratch->users, scratch->user_capacity, sizeof *scratch->users);
    sc_free(scratch->chosen);
    sc_free_wiped(scratch->placed, scratch->placed_capacity, sizeof *scratch->placed);
    sc_free(scratch->urgent);
    sc_free(scratch->specials);
    *scratch = (sc__scratch){0};
}

// --- Users ------------------------------------------------------------------

sc_err sc__collect_users(sc_engine *engine, sc__slot vertex, size_t *count)
{
    sc__scratch *scratch = &engine->scratch;
    for (sc__slot at = sc__vertex_at(engine, vertex)->queries.first; at != SC_NONE;) {
        const sc__pending *query = sc__pending_at(engine, at);
        if (!sc_grow(&scratch->users, *count, &scratch->user_capacity, sizeof *scratch->users)) {
            return SC_ENOMEM;
        }
        scratch->users[(*count)++] = query->query.user;
        at = query->next;
    }
    return SC_OK;
}

/** P2, exactly: are there `k` different users in the start, `added` and the combination? */
static sc_err has_users(const search_state *search, uint32_t grown_from, uint32_t added, uint32_t k,
                        bool *out)
{
    sc_engine *engine = search->engine;
    const sc__scratch *scratch = &engine->scratch;
    size_t count = 0;
    sc_err err = sc__collect_users(engine, search->start, &count);
    if (!err) err = sc__collect_users(engine, scratch->neighbours[added].vertex, &count);
    for (uint32_t at = grown_from; !err && at != 0; at = scratch->combinations[at].parent) {
        const uint32_t last = scratch->combinations[at].last;
        err = sc__collect_users(engine, scratch->neighbours[last].vertex, &count);
    }
    if (!err) *out = sc_sort_count_different(scratch->users, count) >= k;
    return err;
}

/**
 * Are there enough different users in reach, whichever vertices are combined? Asked at most once in
 * a search, when users turn out to be fewer than they seemed: otherwise one user with queries on
 * many stars would have every combination of them counted.
 */
static sc_err has_users_in_reach(search_state *search, bool *out)
{
    const sc__scratch *scratch = &search->engine->scratch;
    size_t count = 0;
    sc_err err = sc__collect_users(search->engine, search->start, &count);
    for (size_t i = 0; !err && i < search->neighbour_count; i++) {
        err = sc__collect_users(search->engine, scratch->neighbours[i].vertex, &count);
    }
    if (!err) *out = sc_sort_count_different(scratch->users, count) >= search->vertex->k;
    return err;
}

// --- The search -------------------------------------------------------------

/** Make room for all that a search needs from here on, and part the masks. */
static sc_err lay_out(search_state *search)
{
    sc__scratch *scratch = &search->engine->scratch;
    const size_t room = (size_t)search->engine->options.max_combinations + 1;
    const size_t words = search->words;
    const size_t needed = (2 * room + 3) * words;
    if (needed > scratch->mask_capacity) {
        uint64_t *masks = sc_realloc_array(scratch->masks, needed, sizeof *masks);
        if (!masks) return SC_ENOMEM;
        scratch->masks = masks;
        scratch->mask_capacity = needed;
    }
    if (!scratch->combinations) {
        scratch->combinations = sc_malloc_array(room, sizeof *scratch->combinations);
        if (!scratch->combinations) return SC_ENOMEM;
    }
    if (search->neighbour_count + 1 > scratch->chosen_capacity) {
        const size_t capacity = 2 * search->neighbour_count + 1;
        sc__slot *chosen = sc_realloc_array(scratch->chosen, capacity, sizeof *chosen);
        if (!chosen) return SC_ENOMEM;
        scratch->chosen = chosen;
        scratch->chosen_capacity = capacity;
    }
    search->shared = scratch->masks;
    search->members = search->shared + room * words;
    search->covered = search->members + room * words;
    search->near = search->covered + words;
    search->joined = search->near + words;
    return SC_OK;
}

/** The start alone is the combination that all others grow from. Its star has number 0. */
static void keep_start(search_state *search, uint32_t star_count)
{
    sc__mask_fill(search->shared, search->words, star_count);
    memset(search->members, 0, search->words * sizeof *search->members);
    search->members[0] = 1;
    search->engine->scratch.combinations[0] = (combination){
        .users = search->vertex->user_count,
        .k = search->vertex->k,
        .l = search->vertex->l,
        .has_special = search->vertex->has_special,
    };
    search->kept = 1;
    search->most_users = search->vertex->user_count;
}

/** Whether the neighbour at hand can stand beside all vertices of combination `at`. */
static inline bool fits(const search_state *search, size_t at, uint32_t number, size_t words)
{
    const uint64_t *members = search->members + at * words;
    if (!sc__mask_has(search->shared + at * words, number)) return false;
    for (size_t i = 0; i < words; i++) {
        if (members[i] & ~search->covered[i]) return false;
    }
    if (!search->is_strict) return true;
    uint64_t near = 0;
    for (size_t i = 0; i < words; i++) {
        near |= members[i] & search->near[i];
    }
    return near != 0;
}

static inline void intersect(const search_state *search, size_t at, size_t words)
{
    for (size_t i = 0; i < words; i++) {
        search->joined[i] = search->shared[at * words + i] & search->covered[i];
    }
}

static inline bool is_full(const search_state *search)
{
    return search->kept > search->engine->options.max_combinations;
}

/** Keep a combination for others to join, if there is room. */
static inline void keep(search_state *search, combination made, uint32_t number, size_t words)
{
    if (is_full(search)) {
        search->cap_hit = true;
        return;
    }
    const size_t at = search->kept++;
    search->engine->scratch.combinations[at] = made;
    if (made.users > search->most_users) search->most_users = made.users;
    for (size_t i = 0; i < words; i++) {
        search->shared[at * words + i] = search->joined[i];
        search->members[at * words + i] = search->members[made.parent * words + i];
    }
    search->members[at * words + number / 64] |= UINT64_C(1) << (number % 64);
}

/** Whether `joined` has what single queries of the start, `added` and the combination ask for. */
static sc_err meets_specials(const search_state *search, uint32_t grown_from, uint32_t added,
                             bool *out)
{
    sc_engine *engine = search->engine;
    const sc__scratch *scratch = &engine->scratch;
    size_t count = 0;
    sc_err err = sc__list_specials(engine, search->start, &count);
    if (!err) err = sc__list_specials(engine, scratch->neighbours[added].vertex, &count);
    for (uint32_t at = grown_from; !err && at != 0; at = scratch->combinations[at].parent) {
        const uint32_t last = scratch->combinations[at].last;
        err = sc__list_specials(engine, scratch->neighbours[last].vertex, &count);
    }
    if (!err) {
        *out =
            sc__mask_meets_specials(engine, search->stars, search->joined, search->words,
                                    (sc__specials){.queries = scratch->specials, .count = count});
    }
    return err;
}

/** Check combination `at` with neighbour `added`, which fits it. */
static inline sc_err judge(search_state *search, uint32_t at, uint32_t added, size_t words,
                           verdict *out)
{
    const combination *grown_from = &search->engine->scratch.combinations[at];
    const sc__neighbour *v = &search->engine->scratch.neighbours[added];
    const combination made = {
        .parent = at,
        .last = added,
        .level = v->level,
        .users = grown_from->users + v->users,
        .k = grown_from->k > v->k ? grown_from->k : v->k,
        .l = grown_from->l > v->l ? grown_from->l : v->l,
        .has_special = grown_from->has_special || v->has_special,
    };
    *out = SHORT;
    const bool may_be_enough = made.users >= made.k;
    // Neither enough nor to be kept: no need to know about its segments.
    if (!may_be_enough && search->cap_hit) return SC_OK;

    intersect(search, at, words);
    bool is_met = sc__mask_meets(search->engine, search->stars, search->joined, words,
                                 (sc__demand){.segments = made.l});
    if (is_met && made.has_special) {
        const sc_err err = meets_specials(search, at, added, &is_met);
        if (err) return err;
    }
    if (!is_met) {
        if (at == 0) *out = STRANGER;
        return SC_OK;
    }
    if (may_be_enough) {
        bool is_enough = false;
        sc_err err = has_users(search, at, added, made.k, &is_enough);
        if (!err && is_enough) *out = ENOUGH;
        if (err || is_enough) return err;
        if (!search->all_counted) {
            err = has_users_in_reach(search, &search->all_counted);
            if (!err && !search->all_counted) *out = HOPELESS;
            if (err || !search->all_counted) return err;
        }
    }
    keep(search, made, v->number, words);
    return SC_OK;
}

/**
 * Check neighbour `added` with the start and with all combinations kept before, until a
 * verdict ends that. One body for any number of words; callers with a constant get a version
 * of their own.
 *
 * @param grown_from  the combination that the verdict is about
 */
__attribute__((always_inline)) static inline sc_err try_neighbour(search_state *search,
                                                                  uint32_t added, size_t words,
                                                                  uint32_t *grown_from,
                                                                  verdict *out)
{
    sc_engine *engine = search->engine;
    const sc__neighbour *v = &engine->scratch.neighbours[added];
    const size_t before = search->kept;
    sc_err err = SC_OK;
    *out = SHORT;
    for (uint32_t at = 0; !err && *out == SHORT && at < before; at++) {
        // Levels must have no gap.
        if (v->level > engine->scratch.combinations[at].level + 1) continue;
        if (!fits(search, at, v->number, words)) continue;
        engine->stats.checks++;
        *grown_from = at;
        err = judge(search, at, added, words, out);
    }
    return err;
}

/** Set the covered set of a neighbour, and what is near it, as bits. */
static void look_at(const search_state *search, const sc__neighbour *v, search_bounds bounds)
{
    const sc_star_id *stars = sc__ball_stars(v->ball);
    sc__mask_mark(search->engine, search->covered, search->words, stars,
                  sc__ball_count(v->ball, v->max_hops));
    if (search->is_strict) {
        const uint32_t near = bounds.near_hops < v->max_hops ? bounds.near_hops : v->max_hops;
        sc__mask_mark(search->engine, search->near, search->words, stars,
                      sc__ball_count(v->ball, near));
    }
}

/** Try the neighbours in turn. `found` is whether `added` makes `grown_from` a candidate. */
static sc_err try_all(search_state *search, search_bounds bounds, uint32_t *grown_from,
                      uint32_t *added, bool *found)
{
    const sc__scratch *scratch = &search->engine->scratch;
    sc_err err = SC_OK;
    verdict so_far = SHORT;
    for (uint32_t i = 0; !err && i < search->neighbour_count; i++) {
        const sc__neighbour *v = &scratch->neighbours[i];
        // What was kept last is of the highest level so far: a level without any ends it.
        if (v->level > scratch->combinations[search->kept - 1].level + 1) break;
        // Nothing more can be kept, and with nothing kept is it enough.
        if (search->cap_hit && (uint64_t)search->most_users + v->users < search->vertex->k)
            continue;

        look_at(search, v, bounds);
        *added = i;
        switch (search->words) {
        case 1:
            err = try_neighbour(search, i, 1, grown_from, &so_far);
            break;
        case 2:
            err = try_neighbour(search, i, 2, grown_from, &so_far);
            break;
        default:
            err = try_neighbour(search, i, search->words, grown_from, &so_far);
            break;
        }
        if (so_far == ENOUGH || so_far == HOPELESS) break;
    }
    search->engine->stats.cap_hits += search->cap_hit;
    *found = so_far == ENOUGH;
    return err;
}

/** Hand over what was found: the start, neighbour `added`, and the vertices of a combination. */
static sc_err propose(const search_state *search, uint32_t grown_from, uint32_t added)
{
    const sc__scratch *scratch = &search->engine->scratch;
    size_t count = 0;
    scratch->chosen[count++] = search->start;
    scratch->chosen[count++] = scratch->neighbours[added].vertex;
    // Combination 0 is the start, which is there already.
    for (uint32_t at = grown_from; at != 0; at = scratch->combinations[at].parent) {
        scratch->chosen[count++] = scratch->neighbours[scratch->combinations[at].last].vertex;
    }
    return sc__propose(search->engine, scratch->chosen, count, search->stars, search->joined,
                       search->words);
}

/**
 * Leave out neighbours that want more users than the start and all its neighbours have, again and
 * again: no combination with one of them is ever enough, but it would take the place of another.
 *
 * @param user_count  of the start and those left, if no two shared one
 */
static void leave_out_hopeless(search_state *search, uint64_t *user_count)
{
    sc__neighbour *neighbours = search->engine->scratch.neighbours;
    for (size_t before = SIZE_MAX; search->neighbour_count < before;) {
        before = search->neighbour_count;
        const uint64_t most = *user_count;
        size_t left = 0;
        for (size_t i = 0; i < before; i++) {
            if (neighbours[i].k <= most) {
                neighbours[left++] = neighbours[i];
            } else {
                *user_count -= neighbours[i].users;
            }
        }
        search->neighbour_count = left;
    }
}

/**
 * One search from a vertex. What is found leaves the graph and joins the engine's queue
 * of candidates; if that fails for lack of memory, nothing has changed.
 *
 * @param found  whether there is a new candidate
 */
static sc_err search_within(sc_engine *engine, sc__slot start, search_bounds bounds, bool *found)
{
    search_state search = {
        .engine = engine, .start = start, .vertex = sc__vertex_at(engine, start)};
    const sc__ball *ball = search.vertex->ball;
    const uint32_t star_count = sc__ball_count(ball, search.vertex->max_hops);
    search.stars = sc__ball_stars(ball);
    search.words = ((size_t)star_count + 63) / 64;
    search.is_strict = bounds.near_hops != UINT32_MAX;
    engine->stats.searches++;
    engine->stats.checks++;
    *found = false;

    // Is it enough alone? Its covered set has the segments, or it would not be a vertex.
    const bool is_alone = search.vertex->user_count >= search.vertex->k;
    sc_err err = SC_OK;
    if (!is_alone) {
        uint64_t user_count;
        err = sc__neighbours_list(engine, start, bounds.hops_per_level, &search.neighbour_count,
                                  &user_count);
        if (err) return err;
        if (engine->options.k_spread > 0) leave_out_hopeless(&search, &user_count);
        // Too few users all together, whichever vertices are combined.
        if (user_count < search.vertex->k) return SC_OK;
        sc__neighbours_prefetch_balls(engine, search.neighbour_count);
    }
    err = lay_out(&search);
    if (err) return err;
    keep_start(&search, star_count);
    if (is_alone) {
        engine->scratch.chosen[0] = start;
        err = sc__propose(engine, engine->scratch.chosen, 1, search.stars, search.shared,
                          search.words);
        *found = !err;
        return err;
    }
    uint32_t grown_from = 0;
    uint32_t added = 0;
    bool is_enough = false;
    err = sc__number_stars(engine, ball, star_count);
    if (!err) err = try_all(&search, bounds, &grown_from, &added, &is_enough);
    if (err || !is_enough) return err;
    err = propose(&search, grown_from, added);
    *found = !err;
    return err;
}

// --- Basic, bounded, hybrid --------------------------------------------------

static const search_bounds anywhere = {.hops_per_level = 0, .near_hops = UINT32_MAX};

static search_bounds within_levels(const sc_engine_options *options)
{
    return (search_bounds){
        .hops_per_level = options->compactness,
        .near_hops = options->is_strict ? 2 * options->compactness - 1 : UINT32_MAX,
    };
}

/** List those of the vertices near `vertex` that hold an urgent query. */
static sc_err list_urgent(sc_engine *engine, sc__slot vertex, size_t *count)
{
    sc__scratch *scratch = &engine->scratch;
    size_t neighbour_count;
    uint64_t user_count;
    const sc_err err = sc__neighbours_list(engine, vertex, 0, &neighbour_count, &user_count);
    if (err) return err;
    *count = 0;
    for (size_t i = 0; i < neighbour_count; i++) {
        const sc__slot near = scratch->neighbours[i].vertex;
        if (!sc__vertex_at(engine, near)->has_urgent) continue;
        if (!sc_grow(&scratch->urgent, *count, &scratch->urgent_capacity,
                     sizeof *scratch->urgent)) {
            return SC_ENOMEM;
        }
        scratch->urgent[(*count)++] = near;
    }
    return SC_OK;
}

/**
 * Hybrid: a new query has come to `vertex` and nothing was found. Vertices near it that hold an
 * urgent query are searched from again, until one finds something.
 */
static sc_err search_urgent(sc_engine *engine, sc__slot vertex)
{
    size_t count = 0;
    bool found = false;
    sc_err err = list_urgent(engine, vertex, &count);
    for (size_t i = 0; !err && !found && i < count; i++) {
        err = search_within(engine, engine->scratch.urgent[i], anywhere, &found);
    }
    return err;
}

static sc_err search_vertex(sc_engine *engine, sc__slot vertex, bool is_new)
{
    const sc_engine_options *options = &engine->options;
    bool found = false;
    if (options->variant == SC_VARIANT_BASIC)
        return search_within(engine, vertex, anywhere, &found);

    sc_err err = search_within(engine, vertex, within_levels(options), &found);
    if (err || found || options->variant == SC_VARIANT_BOUNDED) return err;
    if (sc__vertex_at(engine, vertex)->has_urgent) {
        err = search_within(engine, vertex, anywhere, &found);
        if (err || found) return err;
    }
    return is_new ? search_urgent(engine, vertex) : SC_OK;
}

const sc__engine_method sc__starcloak = {.search_vertex = search_vertex};

// --- From one variant to another -------------------------------------------------

sc_err sc_engine_switch(sc_engine *engine, sc_variant variant)
{
    if (!sc_variant_is_switchable(variant) || !sc_variant_is_switchable(engine->options.variant)) {
        return SC_EINVAL;
    }
    if (variant == engine->options.variant) return SC_OK;
    engine->options.variant = variant;
    // Each query's next time is set again. For hybrid it may have passed: then the next run finds
    // at once, in the order of deadlines, which queries are urgent.
    for (size_t i = 0; i < engine->deadlines.count; i++) {
        sc__engine_deadline *next = &engine->deadlines.entries[i];
        const sc__pending *query = sc__pending_at(engine, next->slot);
        next->t = sc__first_due(engine, query);
        if (query->state == SC__IN_GRAPH) sc__vertex_at(engine, query->vertex)->has_urgent = false;
    }
    sc__engine_deadlines_reorder(&engine->deadlines);
    return SC_OK;
}
