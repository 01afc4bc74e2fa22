/**
 * @file served_map.h
 * @brief Secret: a map that is served, with all that stands on it; and how another takes its place
 * while the service runs.
 *
 *     map --> engines, ledger --> courier --> objects        one block: nothing of it is ever
 *        \--> zones, pages, parts                            part of two maps
 *
 * A change of map is a change of one pointer, `sc_service_internal.served`. A query is asked,
 * cloaked, answered and told on the map that it came in on: the old map goes on without new
 * queries until the last of its own has its outcome, and is freed then. No query is moved, so none
 * can be published by both. What is not of a map (tokens, rates, pending queries of users, keys of
 * pseudonyms, connections, counts) is the service's and goes on; so a user has one pseudonym on
 * both maps, and counts once in a cloak of either.
 *
 * Who may use which map, without a lock and without counting holders:
 *
 *  1. A loop's thread may use what it reads from `served` until the function that the loop has
 *     called returns. Each loop counts its *turns* by a tick: once a loop has made a turn after the
 *     change, it will not touch the old map but for queries that are its own.
 *  2. A query that waits names its map. There is none when the ledger has none and no loop has
 *     tickets to take; one more turn later nothing is left on any stack.
 *  3. A hosted ledger (ledger.h) has its rounds until then, beside the new one's.
 *  4. Replies that lend a page (http.h) may be slower than all queries: the pages are freed when no
 *     loop has a connection that still sends from them.
 *  5. Other threads take the lock, under which the keeper takes a map from the list of those that
 *     are there: counts are the sum over these and over all that are gone.
 *
 * The keeper is a thread, started with the first change. It waits for 1, 2 and 4, and frees.
 *
 * Loops have tables of descriptors of their own (http.h), so the eventfds by which they wake a
 * ledger are opened at the start, for as many maps as there may be at once.
 */
#ifndef SC_API_SERVED_MAP_H
#define SC_API_SERVED_MAP_H

#include "api/service_internal.h"

/** Maps at once: the one that takes queries, and those before it whose queries have not ended. */
enum { SC_SERVED_MAPS = 3 };

struct sc_served_map {
    sc_service_internal *service;
    const sc_map *map;
    bool is_geographic;
    unsigned place;  ///< its number among those that are there, below SC_SERVED_MAPS
    const sc_density *density;
    sc_ledger *ledger;
    sc_courier *courier;
    sc_sealed_zones *sealed_zones;  ///< NULL: there are none
    sc_static_pages *pages;
    const sc_partition *partition;  ///< NULL: one part, and nothing to show of it
    /** Who has which part, now; NULL: there is one part. The result is the caller's
     * (sc_cluster_view_free()); NULL if memory is out. Any thread. */
    sc_cluster_view *(*view)(void *context);
    void *view_context;
    sc_process_view *process_view;      ///< of the engines of this process
    sc_partition_page *partition_page;  ///< NULL: there is one part
    void (*retired)(void *context);  ///< it is gone: what was lent to it may be freed. NULL: none
    void *retired_context;
    struct sc_served_map *older;  ///< of those that are there; under the lock, as the next
    bool is_gone;  ///< counted among those that are gone; its ledger is not asked any more
    enum sc_served_stage {
        SC_SERVED_NOW,       ///< or not yet
        SC_SERVED_LEFT,      ///< a loop may still be about to ask on it
        SC_SERVED_WAITING,   ///< until its last query has its outcome
        SC_SERVED_TELLING,   ///< and a loop has it
        SC_SERVED_QUIET,     ///< a loop may be in the midst of telling it
        SC_SERVED_UNHOSTED,  ///< or in a round of its ledger
        SC_SERVED_LENDING,   ///< all but its pages is gone
        SC_SERVED_OVER,      ///< a loop may be in the midst of looking at them
    } stage;
    uint64_t *marks;  ///< of each loop, what is waited for; the keeper's
};

typedef struct sc_served_maps sc_served_maps;

/** The one that takes queries. In a loop's thread; see above for how long. */
static inline sc_served_map *sc_served_now(const sc_service_internal *service)
{
    return atomic_load_explicit(&service->served, memory_order_acquire);
}

/**
 * Descriptors, ticks of the loops, and what hosts ledgers. Before sc_http_start(); sets
 * `service->maps`.
 *
 * @return SC_OK, SC_EIO (no descriptor), SC_ENOMEM
 */
SC_CHECKED sc_err sc_served_maps_new(sc_service_internal *service, sc_diag *diag);

/** Ends the keeper: maps that have not been freed by then stay until the end. NULL is fine, as for
 * all of these. */
void sc_served_maps_stop(sc_served_maps *maps);

/** No more tickets for any of them; then: what is there has failed as stopped. Any thread. */
void sc_served_maps_drain(sc_served_maps *maps);
void sc_served_maps_end(sc_served_maps *maps);

/** Stop all ledgers and free their couriers: no errand, and no ticket, is left with them. */
void sc_served_maps_close(sc_served_maps *maps);

/** Free all of it. */
void sc_served_maps_free(sc_served_maps *maps);

/**
 * Make all that stands on a map. It is not served yet.
 *
 * @param map      borrowed until `retired` is called, as what the options point to
 * @param options  of the service; those of the ledger, the courier, the zones, and the density are
 *                 used
 * @return SC_OK, SC_EBUSY (SC_SERVED_MAPS are there), or as of what is made
 */
SC_CHECKED sc_err sc_served_map_new(sc_service_internal *service, const sc_map *map,
                                    const sc_service_options *options, sc_served_map **out,
                                    sc_diag *diag);

/** One that was never served; `retired` is not called. */
void sc_served_map_discard(sc_served_map *served);

/** Start the keeper, if it is not there. @return SC_OK, SC_EIO */
SC_CHECKED sc_err sc_served_maps_keep(sc_served_maps *maps, sc_diag *diag);

/** Serve it from now on; the one before retires, for which the keeper must be there. */
void sc_served_map_serve(sc_served_map *served);

/** Withdraw a query, on whichever map it waits; nothing happens if it waits on none. Any thread. */
void sc_served_maps_withdraw(const sc_service_internal *service, const sc_query_id *id);

/** Sums over all maps since the start. */
typedef struct sc_served_sums {
    sc_ledger_stats ledger;
    sc_courier_stats courier;  ///< whether it is suspended: of the map that is served
    sc_histogram provider_latency;
    bool has_areas;
    sc_area_status areas;  ///< if it has
    uint64_t maps;         ///< that are there
    uint64_t changes;      ///< of map
} sc_served_sums;

/** Any thread. */
void sc_served_sums_of(const sc_service_internal *service, sc_served_sums *out);

#endif
