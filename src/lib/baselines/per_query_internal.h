/**
 * @file per_query_internal.h
 * @brief What per_query.c (who waits where, who tries when) and per_query_try.c (one try) share.
 *
 * Used by: these two.
 */
#ifndef SC_BASELINES_PER_QUERY_INTERNAL_H
#define SC_BASELINES_PER_QUERY_INTERNAL_H

#include "baselines/mates.h"
#include "baselines/per_query.h"
#include "baselines/road_order.h"

/** What is kept of a query while it waits. */
typedef struct sc__wait {
    sc__nearest nearest;  ///< expansion: its roads
    uint64_t met;         ///< the number of the last newcomer who could be in a cloak with it
} sc__wait;

/** State of the methods, for one engine. */
typedef struct sc__per_query {
    sc__waiters *waiting;  ///< by segment: who is there
    sc__regions regions;
    sc__wait *waits;  ///< by slot
    size_t wait_capacity;

    sc__slot newcomer;         ///< for whose sake there is a row; SC_NONE: there is none
    uint64_t newcomer_number;  ///< newcomers are numbered from 1
    bool has_tries;            ///< else it is to be made, and has the newcomer alone
    sc__placed *tries;         ///< who is to try, the oldest first; engine->to_search of them
    size_t try_capacity;

    // The try under way.
    sc__mates mates;
    sc__draw draw;
    sc__walks walks;
    sc_seg_id *chosen;  ///< roads
    size_t chosen_count;
    size_t chosen_capacity;
} sc__per_query;

static inline sc__per_query *sc__per_query_of(const sc_engine *engine)
{
    return engine->method_state;
}

/** Take a query from its segment. No other query gains by that, so none tries again. */
void sc__per_query_remove(sc_engine *engine, sc__slot slot);

/** Whether the region of that end of the query's segment has enough roads for it. */
static inline bool sc__has_enough_roads(const sc_engine *engine, const sc_query *query,
                                        unsigned end)
{
    const sc_star_id star = sc__end_star(&engine->segments[query->segment], end);
    const sc__region *region = sc__per_query_of(engine)->regions.of_star[star];
    return sc__demand_is_met((sc__demand){query->l}, sc__region_count(region, query->max_hops));
}

/**
 * Let a query try, around one end of its segment and then around the other, where the newcomer
 * might help. What is found becomes a candidate. On failure nothing has changed but the generator.
 */
SC_CHECKED sc_err sc__per_query_try(sc_engine *engine, sc__slot slot);

#endif
