// The engine: the queue, deadlines and the main loop. starcloak/engine.h has the contract.
//
// A query's way: add() -> queue -> graph -> candidate -> accepted; or back to the queue when the
// cloak is refused; or to the drops when its deadline passes.
#include <starcloak/engine.h>

#include "base/alloc.h"
#include "base/diag.h"
#include "engine/cloaking_graph.h"
#include "engine/method.h"
#include "engine/options.h"
#include "engine/search.h"
#include "engine/star_choice.h"

#include <string.h>

// --- Tables of demands -------------------------------------------------------

/** Whether the tables of demands are of this map. */
static sc_err check_tables(const sc_map *map, const sc_demands *demands, sc_diag *diag)
{
    const size_t count = sc_map_segment_count(map);
    if (demands->density && sc_density_segment_count(demands->density) != count) {
        return sc_fail(diag, SC_EINVAL,
                       "engine: the density is of another map: it has %zu segments, not %zu",
                       sc_density_segment_count(demands->density), count);
    }
    if (demands->classes && sc_place_classes_segment_count(demands->classes) != count) {
        return sc_fail(diag, SC_EINVAL,
                       "engine: the classes of places are of another map: it has %zu segments, "
                       "not %zu",
                       sc_place_classes_segment_count(demands->classes), count);
    }
    return SC_OK;
}

static sc__demand_tables tables_of(const sc_demands *demands)
{
    sc__demand_tables tables = {0};
    if (demands->traffic > 0) {
        tables.density = sc_density_numbers(demands->density);
        tables.traffic = demands->traffic;
    }
    const uint32_t class_count = demands->classes ? sc_place_classes_count(demands->classes) : 0;
    if (class_count > 0) {
        tables.classes = sc_place_classes_bits(demands->classes);
        tables.class_count = class_count;
    }
    return tables;
}

// --- Life --------------------------------------------------------------------

sc_err sc_engine_new(const sc_map *map, const sc_engine_options *options, sc_rng *rng,
                     sc_engine **out, sc_diag *diag)
{
    sc_err err = sc__options_check(options, diag);
    if (!err) err = check_tables(map, &options->demands, diag);
    if (err) return err;
    sc_engine *engine = sc_calloc(1, sizeof *engine);
    if (!engine) return sc_fail_memory(diag, "making an engine");

    const uint32_t star_count = sc_map_star_count(map);
    engine->map = map;
    engine->options = *options;
    if (!sc_variant_has_k_spread(options->variant)) engine->options.k_spread = 0;
    engine->rng = rng;
    engine->now = INT64_MIN;
    engine->object_density = sc_map_object_density(map);
    engine->tables = tables_of(&options->demands);
    engine->stars = sc_map_stars(map);
    engine->star_segments = sc_map_star_segments(map);
    engine->star_neighbours = sc_map_star_neighbours(map);
    engine->segments = sc_map_segments(map);
    sc_item_pool_init(&engine->pending, sizeof(sc__pending));
    sc_item_pool_init(&engine->vertices, sizeof(sc__vertex));
    engine->deadlines.context = &engine->pending;
    engine->queue = SC__LIST_EMPTY;
    engine->drops = SC__LIST_EMPTY;
    engine->waiting[SC__RELAXED] = SC__LIST_EMPTY;
    engine->waiting[SC__URGENT] = SC__LIST_EMPTY;
    engine->is_beyond_cache = star_count >= SC__CACHED_STARS;
    for (size_t i = 0; i < SC_ENGINE_PREFETCH_AHEAD; i++) {
        engine->prefetched[i] = SC_NONE;
    }
    engine->method = sc__engine_method_of(options->variant);
    engine->not_first_vertex = sc_calloc(star_count, sizeof *engine->not_first_vertex);
    if (sc__has_graph(engine)) {
        engine->assigned = sc_calloc(sc_map_segment_count(map), sizeof *engine->assigned);
    }
    if (!engine->not_first_vertex || (sc__has_graph(engine) && !engine->assigned)) {
        err = sc_fail_memory(diag, "making an engine");
        goto fail;
    }
    if (engine->method->open) {
        err = engine->method->open(engine);
        if (err) {
            (void)sc_fail_memory(diag, "making an engine");
            goto fail;
        }
    }
    if (options->is_paranoid) {
        err = sc_verifier_new(map, &engine->verifier);
        if (err) {
            (void)sc_fail_memory(diag, "making an engine");
            goto fail;
        }
    }
    *out = engine;
    return SC_OK;
fail:
    sc_engine_free(engine);
    return err;
}

/** Wipe and free the demands of all queries that have not ended; drops have none. */
static void free_own_demands(sc_engine *engine)
{
    for (size_t i = 0; i < engine->ids.capacity; i++) {
        const sc__slot slot = engine->ids.slots[i].slot;
        if (slot != SC_NONE) sc__own_free(sc__pending_at(engine, slot)->query.own);
    }
}

void sc_engine_free(sc_engine *engine)
{
    if (!engine) return;
    if (engine->method->close) engine->method->close(engine);
    // Stars that are active own a ball each; all but large ones go with the store.
    const bool has_balls = engine->not_first_vertex && sc__has_graph(engine);
    const uint32_t star_count = has_balls ? sc_map_star_count(engine->map) : 0;
    for (sc_star_id i = 0; i < star_count && engine->balls.large_count > 0; i++) {
        const sc__slot first = sc__first_vertex(engine, i);
        if (first != SC_NONE) sc__ball_free(engine, sc__vertex_at(engine, first)->ball);
    }
    while (engine->first_candidate) {
        sc_cloak_free(sc_engine_take_candidate(engine));
    }
    free_own_demands(engine);
    for (size_t i = 0; i < engine->pending.chunk_count; i++) {
        explicit_bzero(engine->pending.chunks[i], SC_ITEM_POOL_CHUNK * engine->pending.item_size);
    }
    sc_item_pool_fini(&engine->pending);
    sc_item_pool_fini(&engine->vertices);
    sc__ball_store_fini(&engine->balls);
    sc__engine_deadlines_fini(&engine->deadlines);
    sc__ids_fini(&engine->ids);
    sc__scratch_fini(&engine->scratch);
    sc_verifier_free(engine->verifier);
    sc__numbers_fini(&engine->numbers);
    sc_free(engine->not_first_vertex);
    sc_free(engine->assigned);
    sc_free(engine->walk);
    sc_free(engine->walk_upto);
    sc_free(engine);
}

// --- Prefetching -------------------------------------------------------------
//
// On a map that no cache can hold, each query begins somewhere else, and finding its star and its
// ball goes from table to table: segment, its stars, their neighbours, theirs. Each step is an
// access to memory that can begin only when the one before has ended. So a query goes through these
// steps ahead of its time, one step for each other query that is served meanwhile, and each step
// prefetches the lines of the next one. Nothing here changes any result.
//
// A map of fewer than SC__CACHED_STARS stars is in the second cache, with all that waits on it.

/** Steps for one query; the first is for the segment itself. */
enum { STEPS = 5 };

static void prefetch_star(const sc_engine *engine, sc_star_id star)
{
    __builtin_prefetch(&engine->stars[star]);
    __builtin_prefetch(&engine->not_first_vertex[star]);
}

static void prefetch_lists(const sc_engine *engine, sc_star_id star)
{
    __builtin_prefetch(&engine->star_neighbours[engine->stars[star].first_neighbour]);
    __builtin_prefetch(&engine->star_segments[engine->stars[star].first_segment]);
}

typedef void prefetcher(const sc_engine *engine, sc_star_id star);

static void prefetch_neighbours(const sc_engine *engine, sc_star_id star, prefetcher *prefetch)
{
    const sc_star *at = &engine->stars[star];
    for (uint32_t j = at[0].first_neighbour; j < at[1].first_neighbour; j++) {
        prefetch(engine, engine->star_neighbours[j]);
    }
}

static void prefetch_segments(const sc_engine *engine, sc_star_id star)
{
    const sc_star *at = &engine->stars[star];
    for (uint32_t j = at[0].first_segment; j < at[1].first_segment; j++) {
        __builtin_prefetch(&engine->segments[engine->star_segments[j]]);
    }
}

/** One step for the star at an end of the road. What earlier steps prefetched has arrived. */
static void step(const sc_engine *engine, unsigned number, sc_star_id star)
{
    switch (number) {
    case 1:
        prefetch_star(engine, star);
        break;
    case 2:
        prefetch_lists(engine, star);
        break;
    case 3:
        prefetch_segments(engine, star);
        prefetch_neighbours(engine, star, prefetch_star);
        break;
    case 4:
        prefetch_neighbours(engine, star, prefetch_lists);
        break;
    default:
        break;
    }
}

/** A query on `segment` will be served a few queries from now. */
static void prefetch_segment(sc_engine *engine, sc_seg_id segment)
{
    if (!engine->is_beyond_cache) return;
    engine->prefetched[engine->next_prefetched % SC_ENGINE_PREFETCH_AHEAD] = segment;
    __builtin_prefetch(&engine->segments[segment]);
    if (engine->assigned) __builtin_prefetch(&engine->assigned[segment]);
    for (unsigned number = 1; number < STEPS; number++) {
        const sc_seg_id earlier =
            engine->prefetched[(engine->next_prefetched - number) % SC_ENGINE_PREFETCH_AHEAD];
        if (earlier == SC_NONE) break;
        const sc_segment *at = &engine->segments[earlier];
        step(engine, number, at->star_a);
        if (at->star_b != SC_NONE) step(engine, number, at->star_b);
    }
    engine->next_prefetched++;
}

// --- In ----------------------------------------------------------------------

/** When the clock next changes a query that it has not expired yet. */
static sc_time next_due(const sc_engine *engine, const sc__pending *query)
{
    const sc_time first = sc__first_due(engine, query);
    return engine->now <= first ? first : query->query.deadline;
}

void sc__enqueue(sc_engine *engine, sc__slot slot)
{
    sc__pending *query = sc__pending_at(engine, slot);
    query->state = SC__QUEUED;
    sc__list_append(engine, &engine->queue, slot);
    sc__engine_deadlines_push(&engine->deadlines,
                              (sc__engine_deadline){next_due(engine, query), slot});
    if (query->is_company) {
        engine->stats.company_held++;
    } else {
        engine->stats.pending++;
    }
}

sc_err sc__engine_reserve(sc_engine *engine)
{
    sc_err err = sc_item_pool_reserve(&engine->pending);
    if (!err &&
        !sc__engine_deadlines_reserve(&engine->deadlines, (size_t)engine->pending.count + 1)) {
        err = SC_ENOMEM;
    }
    if (!err) err = sc__ids_reserve(&engine->ids);
    return err;
}

/** Whether the engine can keep the demands of a query. */
static sc_err check_own(const sc_engine *engine, const sc_own_demands *own)
{
    const sc_variant variant = engine->options.variant;
    if (variant != SC_VARIANT_PATIENT &&
        (own->has_reached || (own->zone_count > 0 && !sc_variant_is_switchable(variant)))) {
        return SC_EINVAL;
    }
    return sc__own_check(own, sc_map_segment_count(engine->map));
}

static sc_err add(sc_engine *engine, const sc_query *query, bool is_company)
{
    const sc_own_demands *own = query->own;
    if (own && own->zone_count == 0 && !own->has_reached) own = NULL;  // it asks for nothing
    if (query->segment >= sc_map_segment_count(engine->map)) return SC_EUNKNOWN;
    if (query->k < 1 || query->l < 1) return SC_EPROFILE;
    if (query->deadline < engine->now) return SC_ELATE;
    if (sc__ids_find(&engine->ids, &engine->pending, &query->id) != SC_NONE) return SC_EDUPLICATE;

    sc_err err = own ? check_own(engine, own) : SC_OK;
    if (!err) err = sc__engine_reserve(engine);
    if (err) return err;
    if (own) {
        void *memory = sc_malloc(sc__own_size(own));
        if (!memory) return SC_ENOMEM;
        own = sc__own_copy(own, memory);
    }

    const sc__slot slot = sc_item_pool_take(&engine->pending);
    *sc__pending_at(engine, slot) = (sc__pending){
        .query = *query,
        .order = engine->next_order++,
        .is_company = is_company,
    };
    sc__pending_at(engine, slot)->query.own = own;
    sc__ids_put(&engine->ids, &engine->pending, slot);
    sc__enqueue(engine, slot);
    if (is_company) {
        engine->stats.company++;
    } else {
        engine->stats.added++;
    }
    return SC_OK;
}

sc_err sc_engine_add(sc_engine *engine, const sc_query *query)
{
    return add(engine, query, false);
}

void sc_engine_prefetch(sc_engine *engine, const sc_query *query)
{
    if (query->segment < sc_map_segment_count(engine->map))
        prefetch_segment(engine, query->segment);
    sc__ids_prefetch(&engine->ids, &query->id);
}

sc_err sc_engine_add_company(sc_engine *engine, const sc_query *query)
{
    return add(engine, query, true);
}

/** Take a query out of the queue or the graph, and out of the heap. */
static void withdraw(sc_engine *engine, sc__slot slot)
{
    const sc__pending *query = sc__pending_at(engine, slot);
    sc__engine_deadlines_remove(&engine->deadlines, query->heap_at);
    if (query->state == SC__QUEUED) {
        sc__list_remove(engine, &engine->queue, slot);
    } else if (sc__has_graph(engine)) {
        sc__graph_remove(engine, slot);
    } else {
        engine->method->remove(engine, slot);
    }
    if (query->is_company) {
        engine->stats.company_held--;
    } else {
        engine->stats.pending--;
    }
}

/** Give a slot back, wiped: nothing of an ended query is kept. */
static void give_back(sc_engine *engine, sc__slot slot)
{
    sc__own_free(sc__pending_at(engine, slot)->query.own);
    explicit_bzero(&sc__pending_at(engine, slot)->query, sizeof(sc_query));
    sc_item_pool_give(&engine->pending, slot);
}

void sc__forget(sc_engine *engine, sc__slot slot)
{
    sc__ids_remove(&engine->ids, &engine->pending, slot);
    give_back(engine, slot);
}

sc_err sc_engine_remove(sc_engine *engine, const sc_query_id *id)
{
    const sc__slot slot = sc__ids_find(&engine->ids, &engine->pending, id);
    if (slot == SC_NONE) return SC_EUNKNOWN;
    sc__pending *query = sc__pending_at(engine, slot);
    if (query->state == SC__PROPOSED) {
        if (query->is_gone) return SC_EUNKNOWN;
        query->is_gone = true;
        return SC_OK;
    }
    withdraw(engine, slot);
    if (!query->is_company) engine->stats.removed++;
    sc__forget(engine, slot);
    return SC_OK;
}

// --- The clock ---------------------------------------------------------------

/** The end of a query that is in no list any more. That of company is reported by its own engine.
 */
static void drop(sc_engine *engine, sc__slot slot, sc_drop_reason reason)
{
    sc__pending *query = sc__pending_at(engine, slot);
    if (query->is_company) {
        sc__forget(engine, slot);
        return;
    }
    sc__ids_remove(&engine->ids, &engine->pending, slot);
    sc__own_free(query->query.own);
    query->query.own = NULL;
    query->state = SC__DROPPED;
    query->reason = (uint8_t)reason;
    query->dropped_at = engine->now;
    engine->stats.dropped[reason]++;
    sc__list_append(engine, &engine->drops, slot);
}

/** Handle all times that the clock has passed: queries become urgent, or expire. */
static void pass_deadlines(sc_engine *engine)
{
    while (engine->deadlines.count > 0 && engine->deadlines.entries[0].t < engine->now) {
        const sc__engine_deadline top = engine->deadlines.entries[0];
        const sc__slot slot = top.slot;
        const sc__pending *query = sc__pending_at(engine, slot);
        const sc_time deadline = query->query.deadline;
        if (top.t == deadline) {
            withdraw(engine, slot);
            drop(engine, slot, SC_DROP_EXPIRED);
            continue;
        }
        // It has become urgent. Next is its deadline, which may have passed too: then it comes up
        // again, in the order of deadlines.
        sc__engine_deadlines_replace_top(&engine->deadlines, (sc__engine_deadline){deadline, slot});
        if (deadline < engine->now || query->state != SC__IN_GRAPH) continue;
        if (engine->method->become_urgent) {
            engine->method->become_urgent(engine, slot);
        } else {
            sc__vertex_at(engine, query->vertex)->has_urgent = true;
            sc__graph_wait(engine, SC__URGENT, query->vertex);
        }
    }
}

/** Search from a vertex, unless it holds nothing but company. */
static sc_err search_from(sc_engine *engine, sc__slot slot)
{
    sc__vertex *vertex = sc__vertex_at(engine, slot);
    const bool is_new = vertex->is_new;
    vertex->needs_search = vertex->is_new = false;
    const sc_err err =
        vertex->own_count > 0 ? engine->method->search_vertex(engine, slot, is_new) : SC_OK;
    // What was found has left the graph; only what failed is still there for sure.
    if (err) {
        vertex->needs_search = true;
        vertex->is_new = is_new;
    }
    return err;
}

static sc_err search_again(sc_engine *engine)
{
    if (!sc__has_graph(engine)) return engine->method->search_all(engine);
    sc_err err = sc__graph_stretch(engine);
    for (sc__search_reason why = SC__RELAXED; why < SC__WAITING_COUNT; why++) {
        sc__slot vertex;
        while (!err && (vertex = sc__graph_first_waiting(engine, why)) != SC_NONE) {
            err = search_from(engine, vertex);
        }
    }
    return err;
}

/** The oldest query of the queue cannot be cloaked, whatever others come. */
static sc_err drop_first(sc_engine *engine)
{
    const sc__slot slot = engine->queue.first;
    sc_drop_reason reason;
    const sc_err err = sc__why_no_end(engine, &sc__pending_at(engine, slot)->query, &reason);
    if (err) return err;
    withdraw(engine, slot);
    drop(engine, slot, reason);
    return SC_OK;
}

/** Methods without a graph: pass the oldest query of the queue on, and search. */
static sc_err take_without_graph(sc_engine *engine)
{
    const sc__slot slot = engine->queue.first;
    bool is_feasible = false;
    const sc_err err = engine->method->is_feasible(engine, slot, &is_feasible);
    if (err) return err;
    if (!is_feasible) return drop_first(engine);
    sc__list_remove(engine, &engine->queue, slot);
    engine->method->add(engine, slot);
    // The method holds it now; what is left to do is the search.
    return engine->method->search_all(engine);
}

/** Assign the oldest query of the queue to a star and a vertex, and search from there. */
static sc_err take_from_queue(sc_engine *engine)
{
    if (!sc__has_graph(engine)) return take_without_graph(engine);
    const sc__slot slot = engine->queue.first;
    const sc__pending *query = sc__pending_at(engine, slot);
    sc_star_id star;
    sc_err err = sc__select_star(engine, &query->query, &star);
    if (err) return err;
    if (star == SC_NONE) return drop_first(engine);
    // From one list to another: the links are the same, so first out, then in.
    sc__list_remove(engine, &engine->queue, slot);
    sc__slot vertex;
    err = sc__graph_add(engine, slot, star, &vertex);
    if (err) {
        sc__list_prepend(engine, &engine->queue, slot);
        return err;
    }
    if (query->is_company) return SC_OK;
    sc__vertex_at(engine, vertex)->is_new = true;
    err = search_from(engine, vertex);
    // It is in the graph now; what is left to do is the search.
    if (err) sc__graph_wait(engine, SC__RELAXED, vertex);
    return err;
}

/** Prefetch for the query at `slot` of the queue; gives the one after it. */
static sc__slot prefetch_next(sc_engine *engine, sc__slot slot)
{
    if (slot == SC_NONE) return SC_NONE;
    const sc__pending *query = sc__pending_at(engine, slot);
    prefetch_segment(engine, query->query.segment);
    return query->next;
}

sc_err sc_engine_run(sc_engine *engine, sc_time now)
{
    if (now < engine->now) return SC_ETIME;
    engine->now = now;
    pass_deadlines(engine);
    sc_err err = search_again(engine);
    // While the first queries of a queue are served, the memory of later ones is prefetched.
    sc__slot ahead = engine->queue.first != engine->queue.last ? engine->queue.first : SC_NONE;
    for (int i = 0; i < SC_ENGINE_PREFETCH_AHEAD; i++) {
        ahead = prefetch_next(engine, ahead);
    }
    while (!err && engine->queue.first != SC_NONE) {
        ahead = prefetch_next(engine, ahead);
        err = take_from_queue(engine);
    }
    return err;
}

sc_time sc_engine_next_wake(const sc_engine *engine)
{
    if (engine->queue.first != SC_NONE || engine->to_search > 0) return engine->now;
    const sc_time next =
        engine->deadlines.count > 0 ? engine->deadlines.entries[0].t : SC_TIME_NEVER;
    if (next == SC_TIME_NEVER) return SC_TIME_NEVER;
    // A time counts once the clock has passed it. Some have passed already after a switch.
    return next < engine->now ? engine->now : next + 1;
}

// --- Out ---------------------------------------------------------------------

bool sc_engine_take_drop(sc_engine *engine, sc_drop *out)
{
    const sc__slot slot = engine->drops.first;
    if (slot == SC_NONE) return false;
    const sc__pending *query = sc__pending_at(engine, slot);
    *out = (sc_drop){
        .query = query->query,
        .reason = (sc_drop_reason)query->reason,
        .t = query->dropped_at,
    };
    sc__list_remove(engine, &engine->drops, slot);
    give_back(engine, slot);
    return true;
}

sc_engine_stats sc_engine_get_stats(const sc_engine *engine)
{
    return engine->stats;
}
