// Methods in which each query makes a region of its own. See alone.h.
//
// Who can be a member of what is in circle.c, and in which order roads join in sampling.c and
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

sc_err sc__alone_new(const sc_engine *engine, sc__alone **out)
{
    sc__alone *alone = sc_calloc(1, sizeof *alone);
    if (!alone) return SC_ENOMEM;
    alone->newcomer = SC_NONE;
    alone->waiting = sc_calloc(sc_map_segment_count(engine->map), sizeof *alone->waiting);
    if (!alone->waiting || sc__regions_init(&alone->regions, engine->map) != SC_OK) {
        sc__alone_free(alone);
        return SC_ENOMEM;
    }
    *out = alone;
    return SC_OK;
}

void sc__alone_free(sc__alone *alone)
{
    if (!alone) return;
    for (size_t i = 0; i < alone->wait_capacity; i++) {
        sc__nearest_fini(&alone->waits[i].nearest);
    }
    sc_free(alone->waits);
    sc__regions_fini(&alone->regions);
    sc__circle_fini(&alone->circle);
    sc__draw_fini(&alone->draw);
    sc__walks_fini(&alone->walks);
    sc_free(alone->waiting);
    sc_free(alone->row);
    sc_free(alone->chosen);
    sc_free(alone);
}

// --- Coming and going ---------------------------------------------------------------

/** Hold the regions of a query, around either end of its segment. */
static sc_err hold_regions(sc_engine *engine, const sc_query *query)
{
    sc__regions *regions = &engine->alone->regions;
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
        sc__region_release(&engine->alone->regions, sc__end_star(segment, end));
    }
}

/** An empty place for what is kept of each query. */
static sc_err reserve_waits(sc_engine *engine)
{
    sc__alone *alone = engine->alone;
    const size_t old = alone->wait_capacity;
    if (!sc_reserve(&alone->waits, engine->pending.made, &alone->wait_capacity,
                    sizeof *alone->waits)) {
        return SC_ENOMEM;
    }
    for (size_t i = old; i < alone->wait_capacity; i++) {
        alone->waits[i] = (sc__wait){0};
    }
    return SC_OK;
}

sc_err sc__alone_is_feasible(sc_engine *engine, sc__slot slot, bool *out)
{
    sc__alone *alone = engine->alone;
    const sc_query *query = &sc__pending_at(engine, slot)->query;
    if (!sc_reserve(&alone->row, 1, &alone->row_capacity, sizeof *alone->row)) return SC_ENOMEM;
    sc_err err = reserve_waits(engine);
    if (!err) err = hold_regions(engine, query);
    if (err) return err;
    *out = sc__has_enough_roads(engine, query, 0) ||
           (sc__end_count(&engine->segments[query->segment]) == 2 &&
            sc__has_enough_roads(engine, query, 1));
    if (!*out) release_regions(engine, query);
    return SC_OK;
}

void sc__alone_add(sc_engine *engine, sc__slot slot)
{
    sc__alone *alone = engine->alone;
    sc__pending *query = sc__pending_at(engine, slot);
    sc__waiters *waiters = &alone->waiting[query->query.segment];
    sc__list list = sc__waiters_list(waiters);
    sc__list_append(engine, &list, slot);
    sc__waiters_put(waiters, list);
    query->state = SC__IN_GRAPH;
    if (query->is_company) return;
    alone->newcomer = slot;
    alone->newcomer_number++;
    alone->is_row_made = false;
    alone->row[0] = (sc__placed){query->order, slot};
    engine->to_search = 1;
}

/** Nobody is to try any more. */
static void clear_row(sc_engine *engine)
{
    engine->alone->newcomer = SC_NONE;
    engine->to_search = 0;
}

/** A query that leaves its segment will not try, and if it is the newcomer, nobody needs to. */
static void leave_row(sc_engine *engine, sc__slot slot)
{
    sc__alone *alone = engine->alone;
    if (slot == alone->newcomer) {
        clear_row(engine);
        return;
    }
    size_t kept = 0;
    for (size_t i = 0; i < engine->to_search; i++) {
        alone->row[kept] = alone->row[i];
        kept += alone->row[i].slot != slot;
    }
    engine->to_search = kept;
}

void sc__alone_remove(sc_engine *engine, sc__slot slot)
{
    sc__alone *alone = engine->alone;
    const sc_query *query = &sc__pending_at(engine, slot)->query;
    sc__waiters *waiters = &alone->waiting[query->segment];
    sc__list list = sc__waiters_list(waiters);
    sc__list_remove(engine, &list, slot);
    sc__waiters_put(waiters, list);
    release_regions(engine, query);
    sc__nearest_fini(&alone->waits[slot].nearest);
    alone->waits[slot] = (sc__wait){0};
    leave_row(engine, slot);
}

// --- Who tries ------------------------------------------------------------------------

/** Mark those in the newcomer's circle whom it might help: who might be in one cloak with it. */
static void mark_helped(sc_engine *engine, const sc_query *newcomer)
{
    sc__circle *circle = &engine->alone->circle;
    const unsigned end_count = sc__end_count(&engine->segments[newcomer->segment]);
    for (unsigned end = 0; end < end_count; end++) {
        if (!sc__has_enough_roads(engine, newcomer, end)) continue;
        sc__circle_begin(circle, end);
        if (!sc__circle_find_hope(circle)) continue;
        for (size_t i = 0; i < circle->left_count; i++) {
            sc__mate *mate = &circle->mates[circle->left[i]];
            mate->is_helped |= mate->is_found;
        }
    }
}

/** Keep the oldest `most` of the row, beside the newcomer. */
static void shorten_row(sc_engine *engine, size_t most)
{
    sc__alone *alone = engine->alone;
    size_t others = 0;
    size_t kept = 0;
    for (size_t i = 0; i < engine->to_search; i++) {
        const bool is_newcomer = alone->row[i].slot == alone->newcomer;
        if (!is_newcomer && others++ >= most) continue;
        alone->row[kept++] = alone->row[i];
    }
    engine->stats.cap_hits += kept < engine->to_search;
    engine->to_search = kept;
}

/** Line up all whom the newcomer might help, itself among them, the oldest first. */
static sc_err make_row(sc_engine *engine)
{
    sc__alone *alone = engine->alone;
    sc__circle *circle = &alone->circle;
    const sc_query *newcomer = &sc__pending_at(engine, alone->newcomer)->query;
    const sc_err err =
        sc__circle_gather(engine, circle, &alone->regions, alone->waiting, alone->newcomer);
    if (err) return err;
    if (!sc_reserve(&alone->row, circle->mate_count, &alone->row_capacity, sizeof *alone->row)) {
        return SC_ENOMEM;
    }
    mark_helped(engine, newcomer);
    engine->to_search = 0;
    for (size_t i = 0; i < circle->mate_count; i++) {
        const sc__slot slot = circle->mates[i].slot;
        const sc__pending *query = sc__pending_at(engine, slot);
        alone->waits[slot].met = alone->newcomer_number;
        if (!circle->mates[i].is_helped || query->is_company) continue;
        alone->row[engine->to_search++] = (sc__placed){query->order, slot};
    }
    sc__placed_sort(alone->row, engine->to_search);
    shorten_row(engine, engine->options.max_combinations);
    alone->is_row_made = true;
    return SC_OK;
}

sc_err sc__alone_search(sc_engine *engine)
{
    sc__alone *alone = engine->alone;
    while (engine->to_search > 0) {
        if (!alone->is_row_made) {
            const sc_err err = make_row(engine);
            if (err) return err;
            continue;
        }
        const sc__slot first = alone->row[0].slot;
        const sc_err err = sc__alone_try(engine, first);
        if (err) return err;
        // If it found something, it has left the row by itself.
        if (engine->to_search > 0 && alone->row[0].slot == first) {
            engine->to_search--;
            memmove(alone->row, alone->row + 1, engine->to_search * sizeof *alone->row);
        }
    }
    clear_row(engine);
    return SC_OK;
}
