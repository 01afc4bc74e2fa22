// Methods in which each query makes a region of its own. See per_query.h.
//
// Who can be a member of what is in mates.c, and in which order roads join in sampling.c and
// expansion.c. Here is who waits where, who tries when, and what becomes of it.
//
// Somebody comes. A cloak that was not possible before has them as a member; so it can help only
// those who could be in one cloak with them, and nobody at all if even all of these together would
// not be enough. So most who wait need not choose a single road when somebody comes.
#include "baselines/per_query_internal.h"

#include "base/alloc.h"
#include "engine/candidate.h"
#include "engine/cloaking_graph.h"

#include <string.h>

// --- Life -------------------------------------------------------------------------

static void close_method(sc_engine *engine)
{
    sc__per_query *per_query = sc__per_query_of(engine);
    if (!per_query) return;
    for (size_t i = 0; i < per_query->wait_capacity; i++) {
        sc__nearest_fini(&per_query->waits[i].nearest);
    }
    sc_free(per_query->waits);
    sc__regions_fini(&per_query->regions);
    sc__mates_fini(&per_query->mates);
    sc__draw_fini(&per_query->draw);
    sc__walks_fini(&per_query->walks);
    sc_free(per_query->waiting);
    sc_free(per_query->tries);
    sc_free(per_query->chosen);
    sc_free(per_query);
    engine->method_state = NULL;
}

static sc_err open_method(sc_engine *engine)
{
    sc__per_query *per_query = sc_calloc(1, sizeof *per_query);
    if (!per_query) return SC_ENOMEM;
    engine->method_state = per_query;
    per_query->newcomer = SC_NONE;
    per_query->waiting = sc_calloc(sc_map_segment_count(engine->map), sizeof *per_query->waiting);
    if (!per_query->waiting || sc__regions_init(&per_query->regions, engine->map) != SC_OK) {
        close_method(engine);
        return SC_ENOMEM;
    }
    return SC_OK;
}

// --- Coming and going ---------------------------------------------------------------

/** Hold the regions of a query, around either end of its segment. */
static sc_err hold_regions(sc_engine *engine, const sc_query *query)
{
    sc__regions *regions = &sc__per_query_of(engine)->regions;
    const sc_segment *segment = &engine->segments[query->segment];
    sc_err err = sc__region_hold(engine, regions, segment->star_a, query->max_hops);
    if (err || sc__end_count(segment) == 1) return err;
    err = sc__region_hold(engine, regions, segment->star_b, query->max_hops);
    if (err) sc__region_release(regions, segment->star_a);
    return err;
}

static void release_regions(sc_engine *engine, const sc_query *query)
{
    const sc_segment *segment = &engine->segments[query->segment];
    for (unsigned end = 0; end < sc__end_count(segment); end++) {
        sc__region_release(&sc__per_query_of(engine)->regions, sc__end_star(segment, end));
    }
}

/** An empty place for what is kept of each query. */
static sc_err reserve_waits(sc_engine *engine)
{
    sc__per_query *per_query = sc__per_query_of(engine);
    const size_t old = per_query->wait_capacity;
    if (!sc_reserve(&per_query->waits, engine->pending.made, &per_query->wait_capacity,
                    sizeof *per_query->waits)) {
        return SC_ENOMEM;
    }
    for (size_t i = old; i < per_query->wait_capacity; i++) {
        per_query->waits[i] = (sc__wait){0};
    }
    return SC_OK;
}

/**
 * Whether the segments in reach of a query, around either end of its own, are enough for its l. If
 * so, all is ready for add().
 */
static sc_err is_feasible(sc_engine *engine, sc__slot slot, bool *out)
{
    sc__per_query *per_query = sc__per_query_of(engine);
    const sc_query *query = &sc__pending_at(engine, slot)->query;
    if (!sc_reserve(&per_query->tries, 1, &per_query->try_capacity, sizeof *per_query->tries))
        return SC_ENOMEM;
    sc_err err = reserve_waits(engine);
    if (!err) err = hold_regions(engine, query);
    if (err) return err;
    *out = sc__has_enough_roads(engine, query, 0) ||
           (sc__end_count(&engine->segments[query->segment]) == 2 &&
            sc__has_enough_roads(engine, query, 1));
    if (!*out) release_regions(engine, query);
    return SC_OK;
}

/**
 * Put a query, which is in no list, on its segment. Unless it is company, it and those near it that
 * it might help are to try. Cannot fail: is_feasible() has reserved the memory.
 */
static void add(sc_engine *engine, sc__slot slot)
{
    sc__per_query *per_query = sc__per_query_of(engine);
    sc__pending *query = sc__pending_at(engine, slot);
    sc__waiters *waiters = &per_query->waiting[query->query.segment];
    sc__list list = sc__waiters_list(waiters);
    sc__list_append(engine, &list, slot);
    sc__waiters_put(waiters, list);
    query->state = SC__IN_GRAPH;
    if (query->is_company) return;
    per_query->newcomer = slot;
    per_query->newcomer_number++;
    per_query->has_tries = false;
    per_query->tries[0] = (sc__placed){query->order, slot};
    engine->to_search = 1;
}

/** Nobody is to try any more. */
static void clear_tries(sc_engine *engine)
{
    sc__per_query_of(engine)->newcomer = SC_NONE;
    engine->to_search = 0;
}

/** A query that leaves its segment will not try, and if it is the newcomer, nobody needs to. */
static void cancel_try(sc_engine *engine, sc__slot slot)
{
    sc__per_query *per_query = sc__per_query_of(engine);
    if (slot == per_query->newcomer) {
        clear_tries(engine);
        return;
    }
    size_t kept = 0;
    for (size_t i = 0; i < engine->to_search; i++) {
        per_query->tries[kept] = per_query->tries[i];
        kept += per_query->tries[i].slot != slot;
    }
    engine->to_search = kept;
}

void sc__per_query_remove(sc_engine *engine, sc__slot slot)
{
    sc__per_query *per_query = sc__per_query_of(engine);
    const sc_query *query = &sc__pending_at(engine, slot)->query;
    sc__waiters *waiters = &per_query->waiting[query->segment];
    sc__list list = sc__waiters_list(waiters);
    sc__list_remove(engine, &list, slot);
    sc__waiters_put(waiters, list);
    release_regions(engine, query);
    sc__nearest_fini(&per_query->waits[slot].nearest);
    per_query->waits[slot] = (sc__wait){0};
    cancel_try(engine, slot);
}

// --- Who tries ------------------------------------------------------------------------

/** Mark those in the newcomer's circle whom it might help: who might be in one cloak with it. */
static void mark_helped(sc_engine *engine, const sc_query *newcomer)
{
    sc__mates *mates = &sc__per_query_of(engine)->mates;
    const unsigned end_count = sc__end_count(&engine->segments[newcomer->segment]);
    for (unsigned end = 0; end < end_count; end++) {
        if (!sc__has_enough_roads(engine, newcomer, end)) continue;
        sc__mates_begin(mates, end);
        if (!sc__mates_find_possible(mates)) continue;
        for (size_t i = 0; i < mates->left_count; i++) {
            sc__mate *mate = &mates->all[mates->left[i]];
            mate->is_helped |= mate->is_found;
        }
    }
}

/** Keep the oldest `most` of the row, beside the newcomer. */
static void limit_tries(sc_engine *engine, size_t most)
{
    sc__per_query *per_query = sc__per_query_of(engine);
    size_t others = 0;
    size_t kept = 0;
    for (size_t i = 0; i < engine->to_search; i++) {
        const bool is_newcomer = per_query->tries[i].slot == per_query->newcomer;
        if (!is_newcomer && others++ >= most) continue;
        per_query->tries[kept++] = per_query->tries[i];
    }
    engine->stats.cap_hits += kept < engine->to_search;
    engine->to_search = kept;
}

/** Line up all whom the newcomer might help, itself among them, the oldest first. */
static sc_err list_tries(sc_engine *engine)
{
    sc__per_query *per_query = sc__per_query_of(engine);
    sc__mates *mates = &per_query->mates;
    const sc_query *newcomer = &sc__pending_at(engine, per_query->newcomer)->query;
    const sc_err err = sc__mates_gather(engine, mates, &per_query->regions, per_query->waiting,
                                        per_query->newcomer);
    if (err) return err;
    if (!sc_reserve(&per_query->tries, mates->count, &per_query->try_capacity,
                    sizeof *per_query->tries)) {
        return SC_ENOMEM;
    }
    mark_helped(engine, newcomer);
    engine->to_search = 0;
    for (size_t i = 0; i < mates->count; i++) {
        const sc__slot slot = mates->all[i].slot;
        const sc__pending *query = sc__pending_at(engine, slot);
        per_query->waits[slot].met = per_query->newcomer_number;
        if (!mates->all[i].is_helped || query->is_company) continue;
        per_query->tries[engine->to_search++] = (sc__placed){query->order, slot};
    }
    sc__placed_sort(per_query->tries, engine->to_search);
    limit_tries(engine, engine->options.max_combinations);
    per_query->has_tries = true;
    return SC_OK;
}

/** Let all queries try that are to, the oldest first. Stops for lack of memory between two tries,
 * and goes on when called again. */
static sc_err search_all(sc_engine *engine)
{
    sc__per_query *per_query = sc__per_query_of(engine);
    while (engine->to_search > 0) {
        if (!per_query->has_tries) {
            const sc_err err = list_tries(engine);
            if (err) return err;
            continue;
        }
        const sc__slot first = per_query->tries[0].slot;
        const sc_err err = sc__per_query_try(engine, first);
        if (err) return err;
        // If it found something, it has left the row by itself.
        if (engine->to_search > 0 && per_query->tries[0].slot == first) {
            engine->to_search--;
            memmove(per_query->tries, per_query->tries + 1,
                    engine->to_search * sizeof *per_query->tries);
        }
    }
    clear_tries(engine);
    return SC_OK;
}

const sc__method sc__per_query_method = {
    .open = open_method,
    .close = close_method,
    .is_feasible = is_feasible,
    .add = add,
    .remove = sc__per_query_remove,
    .search_all = search_all,
};
