// The cloaking graph. See graph.h.
#include "engine/graph.h"

#include "base/alloc.h"
#include "engine/cover.h"
#include "engine/select.h"

// --- Lists of queries -------------------------------------------------------

void sc__list_append(const sc_engine *engine, sc__list *list, sc__slot slot)
{
    sc__pending *query = sc__pending_at(engine, slot);
    query->previous = list->last;
    query->next = SC_NONE;
    if (list->last == SC_NONE) {
        list->first = slot;
    } else {
        sc__pending_at(engine, list->last)->next = slot;
    }
    list->last = slot;
}

void sc__list_prepend(const sc_engine *engine, sc__list *list, sc__slot slot)
{
    sc__pending *query = sc__pending_at(engine, slot);
    query->previous = SC_NONE;
    query->next = list->first;
    if (list->first == SC_NONE) {
        list->last = slot;
    } else {
        sc__pending_at(engine, list->first)->previous = slot;
    }
    list->first = slot;
}

void sc__list_remove(const sc_engine *engine, sc__list *list, sc__slot slot)
{
    const sc__pending *query = sc__pending_at(engine, slot);
    if (query->previous == SC_NONE) {
        list->first = query->next;
    } else {
        sc__pending_at(engine, query->previous)->next = query->next;
    }
    if (query->next == SC_NONE) {
        list->last = query->previous;
    } else {
        sc__pending_at(engine, query->next)->previous = query->previous;
    }
}

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
    vertex->demand = (sc__demand){0};
    vertex->max_hops = UINT32_MAX;
    vertex->has_urgent = false;
}

/** Let the needs of a query count. */
static void add_needs(const sc_engine *engine, sc__vertex *vertex, const sc__pending *query)
{
    const sc_query *needs = &query->query;
    vertex->own_count += !query->is_company;
    if (needs->k > vertex->k) vertex->k = needs->k;
    vertex->demand = sc__demand_meet(vertex->demand, (sc__demand){needs->l});
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

// --- Vertices and stars -----------------------------------------------------

/** The first vertex of `star` that can take `query`, or SC_NONE. */
static sc_err find_vertex(sc_engine *engine, sc_star_id star, const sc_query *query, sc__slot *out)
{
    if (engine->options.variant ==
        SC_VARIANT_XSTAR) {  // whose queries of a star are one group, always
        *out = sc__first_vertex(engine, star);
        return SC_OK;
    }
    for (sc__slot at = sc__first_vertex(engine, star); at != SC_NONE;) {
        const sc__vertex *vertex = sc__vertex_at(engine, at);
        // The paper's second case compares with the new query's l alone; the needs
        // of both have to be met.
        const sc__demand both = sc__demand_meet(vertex->demand, (sc__demand){query->l});
        bool is_met = false;
        const sc_err err =
            sc__ball_meets(engine, star, least(vertex->max_hops, query->max_hops), both, &is_met);
        if (err) return err;
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
    sc_free(old);
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
    sc__assign(engine, query->query.segment, star);
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
        sc_free(vertex->ball);
        engine->stats.active_stars--;
    }
    // The lists may still name it; whoever takes it off them gives it back.
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

void sc__graph_wait(sc_engine *engine, sc__waiting why, sc__slot slot)
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

/** Take the first vertex off a list. If it has died, and no list names it any more, bury it. */
static void take_off(sc_engine *engine, sc__waiting why)
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

sc__slot sc__graph_first_waiting(sc_engine *engine, sc__waiting why)
{
    const sc__list *list = &engine->waiting[why];
    while (list->first != SC_NONE) {
        const sc__vertex *vertex = sc__vertex_at(engine, list->first);
        if (!vertex->is_dead && vertex->needs_search) break;
        take_off(engine, why);
    }
    return list->first;
}
