// Random sampling and network expansion: methods that cloak each query by itself.
//
// A query waits on its segment. Every other query that comes near may be the member it lacks, so it
// tries again: it lets a set of segments S grow from its own, in the order of its method
// (regions.c), until enough users are on S whose own needs S also meets (mates.c), or until that
// has become impossible. What is found leaves as a candidate without stars.
//
// A cloak that was not possible before a query came has that newcomer as a member. So only those
// queries try that could be in one cloak with it, and none at all if even all of these together
// would not be enough; most queries that wait need not choose a single road. They try in the order
// in which they were added, the newcomer among them, and at most max_combinations beside it, until
// it leaves as a member. A newcomer that is company makes no query try. docs/methods.md ("Random
// sampling") has the rules to the last draw.
//
// Invariants, between any two calls:
//  1. A query of state SC__IN_GRAPH is in the list of its segment, linked by `previous` and `next`,
//     and holds the regions of both ends.
//  2. Queries that are to try are in `tries`, oldest first; `to_search` of the engine counts them.
//     There are some only if a search has stopped for lack of memory.
#include "baselines/per_query.h"

#include "base/alloc.h"
#include "base/rng.h"
#include "base/sort.h"
#include "baselines/methods.h"
#include "engine/candidate.h"
#include "engine/cloaking_graph.h"

#include <string.h>

/** What is kept of a query while it waits. */
typedef struct kept_query {
    sc__nearest nearest;  ///< expansion: its roads
    uint64_t met;         ///< number of the last newcomer that could be in a cloak with it
} kept_query;

/** State of the methods, for one engine. */
typedef struct per_query {
    sc__waiters *waiting;  ///< by segment: the queries there
    sc__regions regions;
    kept_query *waits;  ///< by slot
    size_t wait_capacity;

    sc__slot newcomer;         ///< that queries are to try for; SC_NONE: none is to
    uint64_t newcomer_number;  ///< newcomers are numbered from 1
    bool has_tries;            ///< else they are to be listed, and the newcomer is the only one
    sc__placed *tries;         ///< queries that are to try, oldest first; engine->to_search of them
    size_t try_capacity;

    // The try under way.
    sc__mates mates;
    sc__draw draw;
    sc__walks walks;
    sc_seg_id *chosen;  ///< roads
    size_t chosen_count;
    size_t chosen_capacity;
} per_query;

static per_query *state_of(const sc_engine *engine)
{
    return engine->method_state;
}

// --- Life -------------------------------------------------------------------------

static void close_method(sc_engine *engine)
{
    per_query *own = state_of(engine);
    if (!own) return;
    for (size_t i = 0; i < own->wait_capacity; i++) {
        sc__nearest_fini(&own->waits[i].nearest);
    }
    sc_free(own->waits);
    sc__regions_fini(&own->regions);
    sc__mates_fini(&own->mates);
    sc__draw_fini(&own->draw);
    sc__walks_fini(&own->walks);
    sc_free(own->waiting);
    sc_free(own->tries);
    sc_free(own->chosen);
    sc_free(own);
    engine->method_state = NULL;
}

static sc_err open_method(sc_engine *engine)
{
    per_query *own = sc_calloc(1, sizeof *own);
    if (!own) return SC_ENOMEM;
    engine->method_state = own;
    own->newcomer = SC_NONE;
    own->waiting = sc_calloc(sc_map_segment_count(engine->map), sizeof *own->waiting);
    if (!own->waiting || sc__regions_init(&own->regions, engine->map) != SC_OK) {
        close_method(engine);
        return SC_ENOMEM;
    }
    return SC_OK;
}

// --- Coming and going -------------------------------------------------------------

/** Whether the region of that end of the query's segment has enough roads for it. */
static bool has_enough_roads(const sc_engine *engine, const sc_query *query, unsigned end)
{
    const sc_star_id star = sc__end_star(&engine->segments[query->segment], end);
    const sc__region *region = state_of(engine)->regions.of_star[star];
    return sc__demand_is_met((sc__demand){.segments = query->l},
                             sc__region_count(region, query->max_hops));
}

/** Hold the regions of a query, around either end of its segment. */
static sc_err hold_regions(sc_engine *engine, const sc_query *query)
{
    sc__regions *regions = &state_of(engine)->regions;
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
        sc__region_release(&state_of(engine)->regions, sc__end_star(segment, end));
    }
}

/** An empty place for what is kept of each query. */
static sc_err reserve_waits(sc_engine *engine)
{
    per_query *own = state_of(engine);
    const size_t old = own->wait_capacity;
    if (!sc_reserve(&own->waits, engine->pending.made, &own->wait_capacity, sizeof *own->waits)) {
        return SC_ENOMEM;
    }
    for (size_t i = old; i < own->wait_capacity; i++) {
        own->waits[i] = (kept_query){0};
    }
    return SC_OK;
}

/**
 * Whether the segments in reach of a query, around either end of its own, are enough for its l. If
 * so, all is ready for add().
 */
static sc_err is_feasible(sc_engine *engine, sc__slot slot, bool *out)
{
    per_query *own = state_of(engine);
    const sc_query *query = &sc__pending_at(engine, slot)->query;
    if (!sc_reserve(&own->tries, 1, &own->try_capacity, sizeof *own->tries)) return SC_ENOMEM;
    sc_err err = reserve_waits(engine);
    if (!err) err = hold_regions(engine, query);
    if (err) return err;
    *out = has_enough_roads(engine, query, 0) ||
           (sc__end_count(&engine->segments[query->segment]) == 2 &&
            has_enough_roads(engine, query, 1));
    if (!*out) release_regions(engine, query);
    return SC_OK;
}

/**
 * Put a query, which is in no list, on its segment. Unless it is company, it and those near it that
 * it might help are to try. Cannot fail: is_feasible() has reserved the memory.
 */
static void add(sc_engine *engine, sc__slot slot)
{
    per_query *own = state_of(engine);
    sc__pending *query = sc__pending_at(engine, slot);
    sc__waiters *waiters = &own->waiting[query->query.segment];
    sc__list list = sc__waiters_list(waiters);
    sc__list_append(engine, &list, slot);
    sc__waiters_put(waiters, list);
    query->state = SC__IN_GRAPH;
    if (query->is_company) return;
    own->newcomer = slot;
    own->newcomer_number++;
    own->has_tries = false;
    own->tries[0] = (sc__placed){query->order, slot};
    engine->to_search = 1;
}

/** No query is to try any more. */
static void clear_tries(sc_engine *engine)
{
    state_of(engine)->newcomer = SC_NONE;
    engine->to_search = 0;
}

/** A query that leaves its segment does not try, and if it is the newcomer, no query does. */
static void cancel_try(sc_engine *engine, sc__slot slot)
{
    per_query *own = state_of(engine);
    if (slot == own->newcomer) {
        clear_tries(engine);
        return;
    }
    size_t kept = 0;
    for (size_t i = 0; i < engine->to_search; i++) {
        own->tries[kept] = own->tries[i];
        kept += own->tries[i].slot != slot;
    }
    engine->to_search = kept;
}

/** Take a query from its segment. No other query gains by that, so none tries again. */
static void take_away(sc_engine *engine, sc__slot slot)
{
    per_query *own = state_of(engine);
    const sc_query *query = &sc__pending_at(engine, slot)->query;
    sc__waiters *waiters = &own->waiting[query->segment];
    sc__list list = sc__waiters_list(waiters);
    sc__list_remove(engine, &list, slot);
    sc__waiters_put(waiters, list);
    release_regions(engine, query);
    sc__nearest_fini(&own->waits[slot].nearest);
    own->waits[slot] = (kept_query){0};
    cancel_try(engine, slot);
}

// --- A candidate ------------------------------------------------------------------

/** List the mates found, in the order in which they were added. */
static sc_err list_members(sc_engine *engine, size_t *member_count)
{
    sc__scratch *scratch = &engine->scratch;
    const sc__mates *mates = &state_of(engine)->mates;
    size_t count = 0;
    for (size_t i = 0; i < mates->left_count; i++) {
        const sc__mate *mate = &mates->all[mates->left[i]];
        if (!mate->is_found) continue;
        if (!sc_grow(&scratch->placed, count, &scratch->placed_capacity, sizeof *scratch->placed)) {
            return SC_ENOMEM;
        }
        const sc__pending *query = sc__pending_at(engine, mate->slot);
        scratch->placed[count++] = (sc__placed){query->order, mate->slot};
    }
    sc__placed_sort(scratch->placed, count);
    *member_count = count;
    return SC_OK;
}

/** The chosen roads and the mates found on them become a candidate. On failure nothing has changed.
 */
static sc_err propose(sc_engine *engine)
{
    const per_query *own = state_of(engine);
    size_t member_count = 0;
    const sc_err err = list_members(engine, &member_count);
    if (err) return err;
    // Either end of a road may be a border node.
    sc_cloak *cloak = sc__cloak_new(0, 2 * own->chosen_count, member_count);
    if (!cloak) return SC_ENOMEM;

    cloak->engine = engine;
    sc__candidate_of(cloak)->proposal = engine->next_proposal++;
    for (size_t i = 0; i < own->chosen_count; i++) {
        cloak->segments[i] = own->chosen[i];
    }
    cloak->segment_count = own->chosen_count;
    sc_sort_u32(cloak->segments, cloak->segment_count);
    for (size_t i = 0; i < member_count; i++) {
        const sc__slot slot = engine->scratch.placed[i].slot;
        take_away(engine, slot);
        sc__make_member(engine, cloak, i, slot, SC_NONE);
    }
    sc__offer(engine, cloak);
    return SC_OK;
}

// --- One try ----------------------------------------------------------------------

/** The roads around the query that tries, in the order of its method. */
typedef struct roads_ahead {
    sc__reach reach;
    sc__slot slot;
    unsigned end;  ///< within the region of this one
    uint32_t at;   ///< expansion: the next place of the nearest
} roads_ahead;

/** Start with the first road after its own. */
static sc_err set_out(sc_engine *engine, sc__slot slot, unsigned end, roads_ahead *ahead)
{
    per_query *own = state_of(engine);
    const sc_query *query = &sc__pending_at(engine, slot)->query;
    const sc__mate *self = &own->mates.all[own->mates.self];
    *ahead = (roads_ahead){
        .reach = {query->segment, query->max_hops, {self->regions[0], self->regions[1]}},
        .slot = slot,
        .end = end,
    };
    if (engine->options.variant != SC_VARIANT_SAMPLING) return SC_OK;
    return sc__draw_begin(&own->draw, self->regions[end], query->max_hops, query->segment);
}

/** The next road, or SC_NONE. */
static sc_err next_road(sc_engine *engine, roads_ahead *ahead, sc_seg_id *out)
{
    per_query *own = state_of(engine);
    if (engine->options.variant == SC_VARIANT_SAMPLING) {
        *out = sc__draw_next(&own->draw, engine->rng);
        return SC_OK;
    }
    const sc__reach *reach = &ahead->reach;
    do {
        const sc_err err = sc__nearest_at(engine, &own->walks, reach,
                                          &own->waits[ahead->slot].nearest, ahead->at++, out);
        if (err) return err;
    } while (*out != SC_NONE &&
             !sc__region_has(reach->regions[ahead->end], &engine->segments[*out], reach->max_hops));
    return SC_OK;
}

/** Let S grow within the region of that end, until it is enough or cannot become so. */
static sc_err grow(sc_engine *engine, sc__slot slot, unsigned end, bool *is_done)
{
    per_query *own = state_of(engine);
    sc__mates *mates = &own->mates;
    roads_ahead ahead;
    sc_err err = set_out(engine, slot, end, &ahead);
    sc__mates_begin(mates, end);
    own->chosen_count = 0;
    for (sc_seg_id road = ahead.reach.segment; !err && road != SC_NONE;) {
        if (!sc_grow(&own->chosen, own->chosen_count, &own->chosen_capacity, sizeof *own->chosen)) {
            return SC_ENOMEM;
        }
        own->chosen[own->chosen_count++] = road;
        if (own->chosen_count > 1) sc__mates_join(engine, mates, road);
        if (sc__mates_suffice(engine, mates)) {
            *is_done = true;
            return propose(engine);
        }
        if (!sc__mates_can_suffice(mates)) break;
        err = next_road(engine, &ahead, &road);
    }
    return err;
}

/** Leave out the mates that cannot be in a cloak with the newcomer. */
static void keep_met(const per_query *own, sc__mates *mates)
{
    size_t count = 0;
    for (size_t i = 0; i < mates->left_count; i++) {
        const sc__slot slot = mates->all[mates->left[i]].slot;
        mates->left[count] = mates->left[i];
        count += own->waits[slot].met == own->newcomer_number;
    }
    mates->left_count = count;
}

/** Whether the newcomer is among the mates found last. */
static bool has_newcomer(const per_query *own, const sc__mates *mates)
{
    for (size_t i = 0; i < mates->left_count; i++) {
        const sc__mate *mate = &mates->all[mates->left[i]];
        if (mate->slot == own->newcomer) return mate->is_found;
    }
    return false;
}

/** The ends around which a cloak with the newcomer in it might be found, as bits. */
static unsigned open_ends(const sc_engine *engine, const sc_query *query)
{
    const per_query *own = state_of(engine);
    sc__mates *mates = &state_of(engine)->mates;
    const unsigned end_count = sc__end_count(&engine->segments[query->segment]);
    unsigned open = 0;
    for (unsigned end = 0; end < end_count; end++) {
        if (!has_enough_roads(engine, query, end)) continue;
        sc__mates_begin(mates, end);
        keep_met(own, mates);
        if (!sc__mates_find_possible(mates) || !has_newcomer(own, mates)) continue;
        open |= (unsigned)SC__END_A << end;
    }
    return open;
}

/** Which one of two ends comes first: by chance, or the one with the lesser id. */
static unsigned first_end(sc_engine *engine, const sc_query *query)
{
    if (engine->options.variant == SC_VARIANT_SAMPLING) return sc_rng_below(engine->rng, 2);
    const sc_segment *segment = &engine->segments[query->segment];
    return segment->star_a < segment->star_b ? 0 : 1;
}

/**
 * Let a query try, around one end of its segment and then around the other, where the newcomer
 * might help. What is found becomes a candidate. On failure nothing has changed but the generator.
 */
static sc_err try_query(sc_engine *engine, sc__slot slot)
{
    per_query *own = state_of(engine);
    const sc_query *query = &sc__pending_at(engine, slot)->query;
    sc_err err = sc__mates_gather(engine, &own->mates, &own->regions, own->waiting, slot);
    if (err) return err;
    const unsigned open = open_ends(engine, query);
    if (open == 0) return SC_OK;

    engine->stats.searches++;
    unsigned end = open == SC__END_B;
    if (open == (SC__END_A | SC__END_B)) end = first_end(engine, query);
    bool is_done = false;
    err = grow(engine, slot, end, &is_done);
    if (err || is_done || open != (SC__END_A | SC__END_B)) return err;
    return grow(engine, slot, 1 - end, &is_done);
}

// --- Which queries try ------------------------------------------------------------

/** Mark those mates of the newcomer that it might help: they could be in one cloak with it. */
static void mark_helped(sc_engine *engine, const sc_query *newcomer)
{
    sc__mates *mates = &state_of(engine)->mates;
    const unsigned end_count = sc__end_count(&engine->segments[newcomer->segment]);
    for (unsigned end = 0; end < end_count; end++) {
        if (!has_enough_roads(engine, newcomer, end)) continue;
        sc__mates_begin(mates, end);
        if (!sc__mates_find_possible(mates)) continue;
        for (size_t i = 0; i < mates->left_count; i++) {
            sc__mate *mate = &mates->all[mates->left[i]];
            mate->is_helped |= mate->is_found;
        }
    }
}

/** Keep the oldest `most` of those to try, beside the newcomer. */
static void limit_tries(sc_engine *engine, size_t most)
{
    per_query *own = state_of(engine);
    size_t others = 0;
    size_t kept = 0;
    for (size_t i = 0; i < engine->to_search; i++) {
        const bool is_newcomer = own->tries[i].slot == own->newcomer;
        if (!is_newcomer && others++ >= most) continue;
        own->tries[kept++] = own->tries[i];
    }
    engine->stats.cap_hits += kept < engine->to_search;
    engine->to_search = kept;
}

/** List all queries that the newcomer might help, itself among them, oldest first. */
static sc_err list_tries(sc_engine *engine)
{
    per_query *own = state_of(engine);
    sc__mates *mates = &own->mates;
    const sc_query *newcomer = &sc__pending_at(engine, own->newcomer)->query;
    const sc_err err = sc__mates_gather(engine, mates, &own->regions, own->waiting, own->newcomer);
    if (err) return err;
    if (!sc_reserve(&own->tries, mates->count, &own->try_capacity, sizeof *own->tries)) {
        return SC_ENOMEM;
    }
    mark_helped(engine, newcomer);
    engine->to_search = 0;
    for (size_t i = 0; i < mates->count; i++) {
        const sc__slot slot = mates->all[i].slot;
        const sc__pending *query = sc__pending_at(engine, slot);
        own->waits[slot].met = own->newcomer_number;
        if (!mates->all[i].is_helped || query->is_company) continue;
        own->tries[engine->to_search++] = (sc__placed){query->order, slot};
    }
    sc__placed_sort(own->tries, engine->to_search);
    limit_tries(engine, engine->options.max_combinations);
    own->has_tries = true;
    return SC_OK;
}

/** Let all queries try that are to, the oldest first. Stops for lack of memory between two tries,
 * and goes on when called again. */
static sc_err search_all(sc_engine *engine)
{
    per_query *own = state_of(engine);
    while (engine->to_search > 0) {
        if (!own->has_tries) {
            const sc_err err = list_tries(engine);
            if (err) return err;
            continue;
        }
        const sc__slot first = own->tries[0].slot;
        const sc_err err = try_query(engine, first);
        if (err) return err;
        // If it found something, it is not in the list any more.
        if (engine->to_search > 0 && own->tries[0].slot == first) {
            engine->to_search--;
            memmove(own->tries, own->tries + 1, engine->to_search * sizeof *own->tries);
        }
    }
    clear_tries(engine);
    return SC_OK;
}

const sc__engine_method sc__per_query_method = {
    .open = open_method,
    .close = close_method,
    .is_feasible = is_feasible,
    .add = add,
    .remove = take_away,
    .search_all = search_all,
};
