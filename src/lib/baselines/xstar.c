// XStar: a super-star grows around a star, until it is enough for all queries on it.
// docs/methods.md has the rules. Queries are placed as in the cloaking graph, but all of a star are
// one vertex, its group, whatever they ask for; with a k_spread there is a group for each k that
// goes together, and a super-star takes along only those that do not want many times its start's.
//
// Stars join ring by ring: the start, those one hop from it, those two hops from it, ...; of
// a ring the cheapest first. A star with queries brings its group along. The first star that
// does not fit, because it is too far from a group or its own group is too far from something,
// ends the growth. Two facts keep that short:
//
//  1. Stars and groups fit together or not, in whichever order they come. So a ring with
//     which users cannot become enough joins as a whole or ends the growth, and the costs of
//     its stars are not needed.
//  2. A star of ring h is at most g + h hops from one of ring g. As long as that is within the
//     limit of a group, its ball need not be looked at.
//
// The stars of the start's ball are numbered as they stand in it, so a ring is a range of
// numbers, and sets of stars are bits.
#include "baselines/methods.h"

#include "base/alloc.h"
#include "base/sort.h"
#include "engine/candidate.h"
#include "engine/cloaking_graph.h"
#include "engine/covered_set.h"
#include "engine/search.h"

#include <string.h>

/** A star of a ring, and what decides its turn. */
typedef struct ranked {
    double cost;  ///< of answering for this star alone
    sc_star_id star;
    uint32_t number;
} ranked;

/** The method's own state: memory for a search. */
typedef struct xstar_memory {
    ranked *ring;  ///< its stars
    size_t ring_capacity;
    sc__active_star *groups;  ///< those that come along; an entry each
    size_t group_capacity;
} xstar_memory;

/** A super-star that grows, or has grown. Masks have `words` words. */
typedef struct growth {
    sc_engine *engine;
    const sc__vertex *start;
    const sc_star_id *stars;  ///< by number
    uint32_t star_count;      ///< within the start's own limit
    size_t words;
    const sc__active_star *groups;  ///< within it, that come along, by number of their star
    size_t seen_count;              ///< of these
    uint64_t most_k;                ///< of a group that comes along
    // What is in.
    uint64_t *inside;
    size_t group_count;  ///< the engine's chosen vertices
    uint64_t users;      ///< at most as many
    uint32_t k;
    uint32_t l;
    bool is_counting;      ///< `segment_count` is kept; not before users may be enough
    size_t segment_count;  ///< of the stars inside
    uint64_t *allowed;     ///< stars beyond no limit that has been looked at
    uint64_t *covered;     ///< by the group at hand
} growth;

/** Stars equally far from the start, and the groups among them. */
typedef struct ring {
    uint32_t hops;
    uint32_t first;  ///< its stars have the numbers from here
    uint32_t end;    ///< to before this one
    size_t first_group;
    size_t end_group;
} ring;

/** How it goes on after a star or a ring. */
typedef enum growth_step {
    GROWING,
    ENDED,   ///< something did not fit
    ENOUGH,  ///< a cloak for all groups inside
} growth_step;

static bool has_bit(const uint64_t *mask, uint32_t number)
{
    return mask[number / 64] >> (number % 64) & 1;
}

// --- Limits -----------------------------------------------------------------

/** From here on the stars beyond the limit of `group` count. False: one of them is inside. */
static bool limit(growth *g, const sc__vertex *group)
{
    const sc__numbers *numbers = &g->engine->numbers;
    const sc_star_id *stars = sc__ball_stars(group->ball);
    const uint32_t count = sc__ball_count(group->ball, group->max_hops);
    memset(g->covered, 0, g->words * sizeof *g->covered);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t number = sc__number_of(numbers, stars[i]);
        if (number < numbers->count) g->covered[number / 64] |= UINT64_C(1) << (number % 64);
    }
    for (size_t word = 0; word < g->words; word++) {
        if (g->inside[word] & ~g->covered[word]) return false;
        g->allowed[word] &= g->covered[word];
    }
    return true;
}

/** Look at the limits of those groups inside that no ring before `next` could exceed (fact 2). */
static void look_at_limits(growth *g, const ring *next)
{
    for (size_t i = 0; i < next->first_group; i++) {
        const sc__active_star *seen = &g->groups[i];
        const sc__vertex *group = sc__vertex_at(g->engine, seen->vertex);
        // It cannot fail: what is inside is of the rings before.
        if (seen->hops + next->hops - 1 == group->max_hops) (void)limit(g, group);
    }
}

// --- Joining ----------------------------------------------------------------

/** Segments of a star that no star inside has. */
static size_t new_segments(const growth *g, uint32_t number)
{
    const sc_engine *engine = g->engine;
    const sc_star_id star = g->stars[number];
    size_t count = 0;
    for (uint32_t j = engine->stars[star].first_segment; j < engine->stars[star + 1].first_segment;
         j++) {
        const sc_star_id other = sc__other_end(&engine->segments[engine->star_segments[j]], star);
        const uint32_t theirs =
            other == SC_NONE ? UINT32_MAX : sc__number_of(&engine->numbers, other);
        count += theirs >= g->star_count || !has_bit(g->inside, theirs);
    }
    return count;
}

static void take_star(growth *g, uint32_t number)
{
    if (g->is_counting) g->segment_count += new_segments(g, number);
    g->inside[number / 64] |= UINT64_C(1) << (number % 64);
}

/** Count the segments of the first `count` stars, which are all that are inside, and go on. */
static void begin_counting(growth *g, uint32_t count)
{
    if (g->is_counting) return;
    g->is_counting = true;
    memset(g->inside, 0, g->words * sizeof *g->inside);
    for (uint32_t number = 0; number < count; number++) {
        take_star(g, number);
    }
}

/** The group of a star that was taken comes along, if nothing inside is too far from it. */
static bool join(growth *g, sc__slot slot, uint32_t hops)
{
    const sc__vertex *group = sc__vertex_at(g->engine, slot);
    // Nothing inside is farther from the start than this one, so at most twice that from it.
    if (2 * hops > group->max_hops && !limit(g, group)) return false;
    g->engine->scratch.chosen[g->group_count++] = slot;
    g->users += group->user_count;
    if (group->k > g->k) g->k = group->k;
    if (group->l > g->l) g->l = group->l;
    return true;
}

/** P2 and P3 of the super-star as it is. */
static sc_err judge(growth *g, growth_step *out)
{
    g->engine->stats.checks++;
    *out = GROWING;
    if (g->users < g->k || !sc__demand_is_met((sc__demand){.segments = g->l}, g->segment_count))
        return SC_OK;
    size_t count = 0;
    for (size_t i = 0; i < g->group_count; i++) {
        const sc_err err = sc__collect_users(g->engine, g->engine->scratch.chosen[i], &count);
        if (err) return err;
    }
    g->users = sc_sort_count_different(g->engine->scratch.users, count);
    if (g->users >= g->k) *out = ENOUGH;
    return SC_OK;
}

// --- Rings ------------------------------------------------------------------

/** From one ring to the next. False: the start goes no farther. */
static bool next_ring(const growth *g, ring *at)
{
    if (at->end == g->star_count) return false;
    at->hops++;
    at->first = at->end;
    at->end = sc__ball_count(g->start->ball, at->hops);
    at->first_group = at->end_group;
    while (at->end_group < g->seen_count && g->groups[at->end_group].hops == at->hops) {
        at->end_group++;
    }
    return true;
}

/** Users that a ring would bring if no two groups shared one. */
static uint64_t users_of(const growth *g, const ring *at)
{
    uint64_t count = 0;
    for (size_t i = at->first_group; i < at->end_group; i++) {
        count += sc__vertex_at(g->engine, g->groups[i].vertex)->user_count;
    }
    return count;
}

/** Take a ring as a whole (fact 1). */
static growth_step take_ring(growth *g, const ring *all)
{
    for (uint32_t number = all->first; number < all->end; number++) {
        if (!has_bit(g->allowed, number)) return ENDED;
        take_star(g, number);
    }
    for (size_t i = all->first_group; i < all->end_group; i++) {
        if (!join(g, g->groups[i].vertex, all->hops)) return ENDED;
    }
    return GROWING;
}

/** The most objects that a query of the start asks for. */
static uint32_t largest_result(const growth *g)
{
    uint32_t largest = 0;
    for (sc__slot at = g->start->queries.first; at != SC_NONE;) {
        const sc__pending *query = sc__pending_at(g->engine, at);
        if (query->query.result_size > largest) largest = query->query.result_size;
        at = query->next;
    }
    return largest;
}

static bool is_cheaper(ranked a, ranked b)
{
    return a.cost < b.cost || (a.cost == b.cost && a.star < b.star);
}

#define SC_HEAP cheapest_first
#define SC_HEAP_ENTRY ranked
#define SC_HEAP_IS_BEFORE(heap, a, b) is_cheaper(a, b)
#include "base/heap_template.h"

/**
 * Put the stars of a ring into a heap, the cheapest at the top. Mostly a few of them are enough, so
 * sorting them all would be in vain.
 */
static sc_err rank(const growth *g, const ring *all, cheapest_first *out)
{
    sc_engine *engine = g->engine;
    xstar_memory *memory = engine->method_state;
    const size_t count = all->end - all->first;
    if (!sc_reserve(&memory->ring, count, &memory->ring_capacity, sizeof *memory->ring)) {
        return SC_ENOMEM;
    }
    const uint32_t result_size = largest_result(g);
    for (size_t i = 0; i < count; i++) {
        const uint32_t number = all->first + (uint32_t)i;
        const sc_extent extent = sc_star_extent(engine->map, g->stars[number]);
        memory->ring[i] = (ranked){
            .cost = sc_cost_model_estimate(&engine->options.cost, engine->object_density, extent,
                                           result_size),
            .star = g->stars[number],
            .number = number,
        };
    }
    *out = (cheapest_first){.entries = memory->ring, .count = count};
    cheapest_first_reorder(out);
    return SC_OK;
}

/** Take one star, with its groups that come along. */
static growth_step take(growth *g, const ranked *star, uint32_t hops)
{
    if (!has_bit(g->allowed, star->number)) return ENDED;
    take_star(g, star->number);
    for (sc__slot at = sc__first_vertex(g->engine, star->star); at != SC_NONE;) {
        const sc__vertex *group = sc__vertex_at(g->engine, at);
        if (group->k <= g->most_k && !join(g, at, hops)) return ENDED;
        at = group->next;
    }
    return GROWING;
}

/** Take the stars of a ring one by one, the cheapest first, as long as it takes. */
static sc_err take_in_order(growth *g, const ring *all, growth_step *out)
{
    begin_counting(g, all->first);
    cheapest_first heap = {0};
    sc_err err = rank(g, all, &heap);
    *out = GROWING;
    while (!err && *out == GROWING && heap.count > 0) {
        const ranked cheapest = cheapest_first_pop(&heap);
        *out = take(g, &cheapest, all->hops);
        if (*out == GROWING) err = judge(g, out);
    }
    return err;
}

// --- The search -------------------------------------------------------------

/** List the groups of the stars that the start reaches. */
static sc_err list_groups(growth *g)
{
    sc_engine *engine = g->engine;
    size_t star_count;
    sc_err err = sc__list_active_stars(engine, g->start->ball, g->star_count, &star_count);
    if (err) return err;
    g->groups = engine->scratch.active_stars;
    g->seen_count = star_count;
    if (engine->options.k_spread == 0) return SC_OK;

    xstar_memory *memory = engine->method_state;
    size_t count = 0;
    for (size_t i = 0; i < star_count; i++) {
        sc__active_star seen = engine->scratch.active_stars[i];
        while (seen.vertex != SC_NONE) {
            const sc__vertex *group = sc__vertex_at(engine, seen.vertex);
            if (group->k <= g->most_k) {
                if (!sc_grow(&memory->groups, count, &memory->group_capacity,
                             sizeof *memory->groups)) {
                    return SC_ENOMEM;
                }
                memory->groups[count++] = seen;
            }
            seen.vertex = group->next;
        }
    }
    g->groups = memory->groups;
    g->seen_count = count;
    return SC_OK;
}

/** Whether the users of all groups that can possibly be inside are enough for the start. */
static bool may_be_enough(const growth *g)
{
    uint64_t users = 0;
    uint32_t last = UINT32_MAX;  // hops: no ring beyond can join
    for (size_t i = 0; i < g->seen_count; i++) {
        const sc__active_star *seen = &g->groups[i];
        if (seen->hops > last) break;
        const sc__vertex *group = sc__vertex_at(g->engine, seen->vertex);
        if (seen->hops > group->max_hops) {
            last = seen->hops;  // too far from the start, it will end the growth
        } else {
            users += group->user_count;
        }
        if (users >= g->k) return true;
    }
    return false;
}

/** Make room for all that is left to do, and number the stars. */
static sc_err lay_out(growth *g)
{
    sc__scratch *scratch = &g->engine->scratch;
    const size_t words = g->words;
    if (!sc_reserve(&scratch->masks, 3 * words, &scratch->mask_capacity, sizeof *scratch->masks) ||
        !sc_reserve(&scratch->chosen, g->seen_count, &scratch->chosen_capacity,
                    sizeof *scratch->chosen)) {
        return SC_ENOMEM;
    }
    g->inside = scratch->masks;
    g->allowed = g->inside + words;
    g->covered = g->allowed + words;
    memset(g->inside, 0, words * sizeof *g->inside);
    memset(g->allowed, 0xff, words * sizeof *g->allowed);
    return sc__number_stars(g->engine, g->start->ball, g->star_count);
}

static sc_err grow(growth *g, growth_step *out)
{
    sc_err err = SC_OK;
    *out = GROWING;
    // The ring before the first; adding 1 makes it that of no hops, which is the start alone.
    for (ring at = {.hops = UINT32_MAX}; !err && *out == GROWING && next_ring(g, &at);) {
        look_at_limits(g, &at);
        if (g->users + users_of(g, &at) < g->k) {
            *out = take_ring(g, &at);
        } else {
            err = take_in_order(g, &at, out);
        }
    }
    return err;
}

/**
 * Let a super-star grow from the star of `vertex`, a group. If it is enough, its vertices leave the
 * graph and a candidate, whole, joins the engine's queue.
 */
static sc_err search_vertex(sc_engine *engine, sc__slot vertex, bool is_new)
{
    (void)is_new;
    const sc__vertex *start = sc__vertex_at(engine, vertex);
    growth g = {
        .engine = engine,
        .start = start,
        .stars = sc__ball_stars(start->ball),
        .star_count = sc__ball_count(start->ball, start->max_hops),
        .most_k = sc__most_k(engine, start->k),
        .k = start->k,
    };
    g.words = ((size_t)g.star_count + 63) / 64;
    engine->stats.searches++;
    sc_err err = list_groups(&g);
    if (err || !may_be_enough(&g)) return err;

    growth_step came_of_it = GROWING;
    err = lay_out(&g);
    if (!err) err = grow(&g, &came_of_it);
    if (err || came_of_it != ENOUGH) return err;
    return sc__propose(engine, engine->scratch.chosen, g.group_count, g.stars, g.inside, g.words);
}

static sc_err open_method(sc_engine *engine)
{
    engine->method_state = sc_calloc(1, sizeof(xstar_memory));
    return engine->method_state ? SC_OK : SC_ENOMEM;
}

static void close_method(sc_engine *engine)
{
    xstar_memory *memory = engine->method_state;
    if (!memory) return;
    // Stars around users, and where groups of them wait.
    sc_free_wiped(memory->ring, memory->ring_capacity, sizeof *memory->ring);
    sc_free_wiped(memory->groups, memory->group_capacity, sizeof *memory->groups);
    sc_free(memory);
}

const sc__engine_method sc__xstar = {
    .open = open_method,
    .close = close_method,
    .search_vertex = search_vertex,
    .gathers_by_k_alone = true,
    .keeps_all_stars = true,
};
