// The cloaking graph: which queries of a star are one vertex, which vertices are to be searched
// again, and which ones are near another.
#include "engine/cloaking_graph.h"

#include "base/alloc.h"
#include "engine/method.h"
#include "engine/star_choice.h"

#include <stdlib.h>

// --- Needs ------------------------------------------------------------------

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static bool has_user(const sc_engine *engine, const sc__vertex *vertex, uint64_t user)
{
    for (sc__slot at = vertex->queries.first; at != SC_NONE;) {
        const sc__pending *query = sc__pending_at(engine, at);
        if (query->query.user == user) return true;
        at = query->next;
    }
    return false;
}

/** A vertex without needs. */
static void clear_needs(sc__vertex *vertex)
{
    vertex->own_count = 0;
    vertex->k = 0;
    vertex->l = 0;
    vertex->max_hops = UINT32_MAX;
    vertex->has_urgent = false;
    vertex->has_special = false;
}

/** Let the needs of a query count. */
static void add_needs(const sc_engine *engine, sc__vertex *vertex, const sc__pending *query)
{
    const sc_query *needs = &query->query;
    vertex->own_count += !query->is_company;
    if (needs->k > vertex->k) vertex->k = needs->k;
    if (needs->l > vertex->l) vertex->l = needs->l;
    if (needs->own) vertex->has_special = true;
    vertex->max_hops = least(vertex->max_hops, needs->max_hops);
    if (sc__is_urgent(engine, query)) vertex->has_urgent = true;
}

/** Append a query to a vertex. */
static void join(sc_engine *engine, sc__vertex *vertex, sc__slot slot)
{
    const sc__pending *query = sc__pending_at(engine, slot);
    vertex->user_count += !has_user(engine, vertex, query->query.user);
    add_needs(engine, vertex, query);
    sc__list_append(engine, &vertex->queries, slot);
}

bool sc__k_fits(const sc_engine *engine, const sc__vertex *vertex, uint32_t k)
{
    const uint64_t spread = engine->options.k_spread;
    if (spread == 0) return true;
    if (k <= vertex->k) return vertex->k <= spread * k;
    for (sc__slot at = vertex->queries.first; at != SC_NONE;) {
        const sc__pending *query = sc__pending_at(engine, at);
        if (k > spread * query->query.k) return false;
        at = query->next;
    }
    return true;
}

// --- Vertices and stars -----------------------------------------------------

sc_err sc__list_specials(sc_engine *engine, sc__slot vertex, size_t *count)
{
    sc__scratch *scratch = &engine->scratch;
    for (sc__slot at = sc__vertex_at(engine, vertex)->queries.first; at != SC_NONE;) {
        const sc__pending *query = sc__pending_at(engine, at);
        at = query->next;
        if (!query->query.own) continue;
        if (!sc_grow(&scratch->specials, *count, &scratch->special_capacity,
                     sizeof(const sc_query *))) {
            return SC_ENOMEM;
        }
        scratch->specials[(*count)++] = &query->query;
    }
    return SC_OK;
}

/** The queries of a vertex that have demands of their own, and `query` if it has. */
static sc_err list_specials_with(sc_engine *engine, sc__slot vertex, const sc_query *query,
                                 sc__specials *out)
{
    sc__scratch *scratch = &engine->scratch;
    size_t count = 0;
    const sc_err err = sc__list_specials(engine, vertex, &count);
    if (err) return err;
    if (!sc_grow(&scratch->specials, count, &scratch->special_capacity, sizeof(const sc_query *))) {
        return SC_ENOMEM;
    }
    scratch->specials[count] = query;
    *out = (sc__specials){.queries = scratch->specials, .count = count + (query->own != NULL)};
    return SC_OK;
}

/** The first vertex of `star` that can take `query`, or SC_NONE. */
static sc_err find_vertex(sc_engine *engine, sc_star_id star, const sc_query *query, sc__slot *out)
{
    for (sc__slot at = sc__first_vertex(engine, star); at != SC_NONE;) {
        const sc__vertex *vertex = sc__vertex_at(engine, at);
        // The paper's second case compares with the new query's l alone; the needs
        // of both have to be met.
        const sc__demand both = {.segments = vertex->l > query->l ? vertex->l : query->l};
        bool is_met = false;
        const bool k_fits = sc__k_fits(engine, vertex, query->k);
        if (engine->method->gathers_by_k_alone) {
            is_met = k_fits;
        } else if (k_fits) {
            sc__specials specials = {0};
            sc_err err = SC_OK;
            if (vertex->has_special || query->own) {
                err = list_specials_with(engine, at, query, &specials);
            }
            if (!err) {
                err = sc__ball_meets_all(engine, star, least(vertex->max_hops, query->max_hops),
                                         both, specials, &is_met);
            }
            if (err) return err;
        }
        if (is_met) {
            *out = at;
            return SC_OK;
        }
        at = vertex->next;
    }
    *out = SC_NONE;
    return SC_OK;
}

/** A ball of `star` that reaches `max_hops`: the one its vertices have, or a new one for them all.
 */
static sc_err find_ball(sc_engine *engine, sc_star_id star, uint32_t max_hops, sc__ball **out)
{
    const sc__slot first = sc__first_vertex(engine, star);
    if (first == SC_NONE) return sc__ball_new(engine, star, max_hops, out);

    sc__ball *old = sc__vertex_at(engine, first)->ball;
    *out = old;
    if (sc__ball_reaches(old, max_hops)) return SC_OK;
    const sc_err err = sc__ball_new(engine, star, max_hops, out);
    if (err) return err;
    for (sc__slot at = first; at != SC_NONE; at = sc__vertex_at(engine, at)->next) {
        sc__vertex_at(engine, at)->ball = *out;
    }
    sc__ball_free(engine, old);
    return SC_OK;
}

/** Put a vertex behind the others of its star. */
static void put_last(sc_engine *engine, sc_star_id star, sc__slot made)
{
    if (!sc__is_active(engine, star)) {
        engine->stats.active_stars++;
        sc__set_first_vertex(engine, star, made);
        return;
    }
    sc__vertex *last = sc__vertex_at(engine, sc__first_vertex(engine, star));
    while (last->next != SC_NONE) {
        last = sc__vertex_at(engine, last->next);
    }
    last->next = made;
}

/** Take a vertex from among those of its star. */
static void take_out(sc_engine *engine, sc__slot slot)
{
    const sc__vertex *vertex = sc__vertex_at(engine, slot);
    const sc__slot first = sc__first_vertex(engine, vertex->star);
    if (first == slot) {
        sc__set_first_vertex(engine, vertex->star, vertex->next);
        return;
    }
    sc__vertex *before = sc__vertex_at(engine, first);
    while (before->next != slot) {
        before = sc__vertex_at(engine, before->next);
    }
    before->next = vertex->next;
}

static sc_err open_vertex(sc_engine *engine, sc_star_id star, uint32_t max_hops, sc__slot *out)
{
    sc__ball *ball;
    sc_err err = sc_item_pool_reserve(&engine->vertices);
    if (!err) err = find_ball(engine, star, max_hops, &ball);
    if (err) return err;

    const sc__slot made = sc_item_pool_take(&engine->vertices);
    sc__vertex *vertex = sc__vertex_at(engine, made);
    *vertex = (sc__vertex){
        .age = engine->next_age++,
        .ball = ball,
        .star = star,
        .next = SC_NONE,
        .queries = SC__LIST_EMPTY,
    };
    clear_needs(vertex);
    engine->stats.vertices++;
    put_last(engine, star, made);
    *out = made;
    return SC_OK;
}

sc_err sc__graph_add(sc_engine *engine, sc__slot slot, sc_star_id star, sc__slot *out)
{
    sc__pending *query = sc__pending_at(engine, slot);
    sc__slot vertex;
    sc_err err = find_vertex(engine, star, &query->query, &vertex);
    if (!err && vertex == SC_NONE) {
        err = open_vertex(engine, star, query->query.max_hops, &vertex);
    }
    if (err) return err;

    join(engine, sc__vertex_at(engine, vertex), slot);
    sc__assign(engine, &query->query, star);
    query->state = SC__IN_GRAPH;
    query->vertex = vertex;
    *out = vertex;
    return SC_OK;
}

void sc__graph_remove(sc_engine *engine, sc__slot slot)
{
    const sc__pending *gone = sc__pending_at(engine, slot);
    sc__vertex *vertex = sc__vertex_at(engine, gone->vertex);
    sc__list_remove(engine, &vertex->queries, slot);
    if (vertex->queries.first == SC_NONE) {
        sc__graph_drop_vertex(engine, gone->vertex);
        return;
    }
    vertex->user_count -= !has_user(engine, vertex, gone->query.user);
    clear_needs(vertex);
    for (sc__slot at = vertex->queries.first; at != SC_NONE;) {
        const sc__pending *query = sc__pending_at(engine, at);
        add_needs(engine, vertex, query);
        at = query->next;
    }
    sc__graph_wait(engine, SC__RELAXED, gone->vertex);
}

void sc__graph_drop_vertex(sc_engine *engine, sc__slot slot)
{
    sc__vertex *vertex = sc__vertex_at(engine, slot);
    take_out(engine, slot);
    if (!sc__is_active(engine, vertex->star)) {
        sc__unassign(engine, vertex->star);
        sc__ball_free(engine, vertex->ball);
        engine->stats.active_stars--;
    }
    // The lists may still name it; taking it off the last of them gives its slot back.
    vertex->is_dead = true;
    engine->stats.vertices--;
    engine->to_search -= (size_t)__builtin_popcount(vertex->waits_in);
    if (vertex->waits_in == 0) sc_item_pool_give(&engine->vertices, slot);
}

sc_err sc__graph_stretch(sc_engine *engine)
{
    for (sc__slot at = engine->waiting[SC__RELAXED].first; at != SC_NONE;) {
        const sc__vertex *vertex = sc__vertex_at(engine, at);
        if (!vertex->is_dead) {
            sc__ball *ball;
            const sc_err err = find_ball(engine, vertex->star, vertex->max_hops, &ball);
            if (err) return err;
        }
        at = vertex->next_waiting[SC__RELAXED];
    }
    return SC_OK;
}

// --- Vertices to search again -----------------------------------------------

void sc__graph_wait(sc_engine *engine, sc__search_reason why, sc__slot slot)
{
    sc__vertex *vertex = sc__vertex_at(engine, slot);
    sc__list *list = &engine->waiting[why];
    vertex->needs_search = true;
    if (vertex->waits_in & 1u << why) return;
    vertex->waits_in |= (uint8_t)(1u << why);
    vertex->next_waiting[why] = SC_NONE;
    engine->to_search++;
    if (list->last == SC_NONE) {
        list->first = slot;
    } else {
        sc__vertex_at(engine, list->last)->next_waiting[why] = slot;
    }
    list->last = slot;
}

/** Take the first vertex off a list. If it is dead and in no list any more, free its slot. */
static void take_off(sc_engine *engine, sc__search_reason why)
{
    sc__list *list = &engine->waiting[why];
    const sc__slot slot = list->first;
    sc__vertex *vertex = sc__vertex_at(engine, slot);
    list->first = vertex->next_waiting[why];
    if (list->first == SC_NONE) list->last = SC_NONE;
    vertex->waits_in &= (uint8_t) ~(1u << why);
    if (!vertex->is_dead) {
        engine->to_search--;
    } else if (vertex->waits_in == 0) {
        sc_item_pool_give(&engine->vertices, slot);
    }
}

sc__slot sc__graph_first_waiting(sc_engine *engine, sc__search_reason why)
{
    const sc__list *list = &engine->waiting[why];
    while (list->first != SC_NONE) {
        const sc__vertex *vertex = sc__vertex_at(engine, list->first);
        if (!vertex->is_dead && vertex->needs_search) break;
        take_off(engine, why);
    }
    return list->first;
}

// --- Neighbours --------------------------------------------------------------
//
// On a large map every vertex is an access to distant memory, and reading one before asking for the
// next would make a search wait for each in turn. So stars with vertices are noted first, and the
// vertices prefetched; then they are read.

sc_err sc__list_active_stars(sc_engine *engine, const sc__ball *ball, uint32_t star_count,
                             size_t *count)
{
    sc__scratch *scratch = &engine->scratch;
    const sc_star_id *stars = sc__ball_stars(ball);
    size_t seen = 0;
    uint32_t hops = 0;
    for (uint32_t number = 0; number < star_count; number++) {
        __builtin_prefetch(&engine->not_first_vertex[stars[number]]);
    }
    for (uint32_t number = 0; number < star_count; number++) {
        while (number == sc__ball_count(ball, hops)) {
            hops++;
        }
        const sc__slot vertex = sc__first_vertex(engine, stars[number]);
        if (vertex == SC_NONE) continue;
        if (!sc_grow(&scratch->active_stars, seen, &scratch->active_star_capacity,
                     sizeof *scratch->active_stars)) {
            return SC_ENOMEM;
        }
        __builtin_prefetch(sc__vertex_at(engine, vertex));
        scratch->active_stars[seen++] = (sc__active_star){vertex, number, hops};
    }
    *count = seen;
    return SC_OK;
}

/** Add the vertices of one star, from the one sighted on, as far as they may be neighbours. */
static sc_err add(sc_engine *engine, sc__slot start, sc__active_star seen, uint32_t level,
                  size_t *count)
{
    sc__scratch *scratch = &engine->scratch;
    for (sc__slot at = seen.vertex; at != SC_NONE;) {
        const sc__vertex *vertex = sc__vertex_at(engine, at);
        // The start has the neighbour's star in its covered set; is it so the other way round?
        if (at != start && seen.hops <= vertex->max_hops) {
            if (!sc_grow(&scratch->neighbours, *count, &scratch->neighbour_capacity,
                         sizeof *scratch->neighbours)) {
                return SC_ENOMEM;
            }
            scratch->neighbours[(*count)++] = (sc__neighbour){
                .vertex = at,
                .number = seen.number,
                .level = level,
                .users = vertex->user_count,
                .k = vertex->k,
                .l = vertex->l,
                .age = vertex->age,
                .max_hops = vertex->max_hops,
                .has_special = vertex->has_special,
                .ball = vertex->ball,
            };
        }
        at = vertex->next;
    }
    return SC_OK;
}

static int compare_age(const void *a, const void *b)
{
    const sc__neighbour *x = a;
    const sc__neighbour *y = b;
    return (x->age > y->age) - (x->age < y->age);
}

/** Put the neighbours from `first` on, all equally far, in the order of their age. */
static void sort_by_age(sc__neighbour *neighbours, size_t first, size_t end)
{
    enum { FEW = 32 };
    if (end - first > FEW) {
        qsort(neighbours + first, end - first, sizeof *neighbours, compare_age);
        return;
    }
    for (size_t i = first + 1; i < end; i++) {
        const sc__neighbour moved = neighbours[i];
        size_t at = i;
        for (; at > first && neighbours[at - 1].age > moved.age; at--) {
            neighbours[at] = neighbours[at - 1];
        }
        neighbours[at] = moved;
    }
}

sc_err sc__neighbours_list(sc_engine *engine, sc__slot start, uint32_t hops_per_level,
                           size_t *count, uint64_t *user_count)
{
    const sc__scratch *scratch = &engine->scratch;
    const sc__vertex *vertex = sc__vertex_at(engine, start);
    const uint32_t star_count = sc__ball_count(vertex->ball, vertex->max_hops);
    size_t seen = 0;
    size_t ring = 0;  // neighbours before this one are nearer
    *count = 0;
    sc_err err = sc__list_active_stars(engine, vertex->ball, star_count, &seen);
    for (size_t i = 0; !err && i < seen; i++) {
        const sc__active_star this = scratch->active_stars[i];
        if (i > 0 && this.hops != scratch->active_stars[i - 1].hops) {
            sort_by_age(scratch->neighbours, ring, *count);
            ring = *count;
        }
        err = add(engine, start, this, hops_per_level > 0 ? this.hops / hops_per_level : 0, count);
    }
    if (err) return err;
    sort_by_age(scratch->neighbours, ring, *count);

    *user_count = vertex->user_count;
    for (size_t i = 0; i < *count; i++) {
        *user_count += scratch->neighbours[i].users;
    }
    return SC_OK;
}

void sc__neighbours_prefetch_balls(const sc_engine *engine, size_t count)
{
    enum { LINE = 64, LINES = 3 };  // a ball of four hops has some thirty stars
    for (size_t i = 0; i < count; i++) {
        const char *ball = (const char *)engine->scratch.neighbours[i].ball;
        for (size_t line = 0; line < LINES; line++) {
            __builtin_prefetch(ball + line * LINE);
        }
    }
}
