/**
 * @file listing.h
 * @brief Listings: where the queries of a patient engine wait.
 *
 * A query waits at each end star of its road whose ball has enough segments for it: it has one or
 * two listings. A listing repeats what searches ask of its query, so that they read no other memory
 * of it. A star with listings is active and keeps one ball for all of them.
 *
 * The engine's pool of vertices holds listings instead, and its table of first vertices the first
 * listing of each star. A query knows its first listing as its `vertex`.
 */
#ifndef SC_ENGINE_LISTING_H
#define SC_ENGINE_LISTING_H

#include "engine/engine_internal.h"

/** Listings reach no farther, however many hops a query allows: hops are stored in 16 bits. */
#define SC__LISTING_HOPS_MAX 65534u

typedef struct sc__listing {
    uint64_t user;
    sc_time deadline;
    uint64_t order : 61;      ///< of adding
    uint64_t is_company : 1;  ///< its query is
    uint64_t is_second : 1;   ///< the listing at star_b of a query that has one at star_a too
    uint64_t has_own : 1;     ///< its query has demands of its own
    struct sc__ball *ball;    ///< of its star; one for all listings of the star
    sc__slot query;
    sc_star_id star;
    sc__slot previous;  ///< of the star, in the order of listing
    sc__slot next;
    sc__slot twin;  ///< the other listing of the query, or SC_NONE
    uint32_t k;
    uint32_t l;
    uint32_t max_hops;
} sc__listing;

_Static_assert(sizeof(sc__listing) <= 64, "a listing is one cache line");

/** How far the listings of a query reach. */
static inline uint32_t sc__listing_hops(const sc_query *query)
{
    return query->max_hops < SC__LISTING_HOPS_MAX ? query->max_hops : SC__LISTING_HOPS_MAX;
}

static inline sc__listing *sc__listing_at(const sc_engine *engine, sc__slot slot)
{
    return sc_item_pool_at(&engine->vertices, slot);
}

/** What the query of a listing asks in the way that all do. */
static inline sc__demand sc__listing_demand(const sc_engine *engine, const sc__listing *listing)
{
    if (!engine->tables.density) return (sc__demand){.segments = listing->l};
    return sc__demand_of(&engine->tables, &sc__pending_at(engine, listing->query)->query);
}

/** The largest k that others may want for a query to count on them (k_spread). */
static inline uint64_t sc__listing_most_k(const sc_engine *engine, const sc__listing *listing)
{
    return sc__most_k(engine, listing->k);
}

/** Whether two listings could be of one cloak: of different users, each star within both hops. */
static inline bool sc__listing_reaches(const sc__listing *a, const sc__listing *b, uint32_t hops)
{
    return hops <= a->max_hops && hops <= b->max_hops && a->user != b->user;
}

/** The ends of a road whose balls have enough segments for a query. */
typedef struct sc__listing_ends {
    sc_star_id stars[2];  ///< star_a's first
    unsigned count;
} sc__listing_ends;

/**
 * Find the ends that will do for a query, and make room for its listings: the next
 * sc__listing_add() for it cannot fail.
 */
SC_CHECKED sc_err sc__listing_prepare(sc_engine *engine, const sc_query *query,
                                      sc__listing_ends *out);

/** List a query (in no list) at `ends`, of which there is at least one. */
void sc__listing_add(sc_engine *engine, sc__slot slot, const sc__listing_ends *ends);

/** Take the listings of a query away. Needs no memory. */
void sc__listing_remove(sc_engine *engine, sc__slot slot);

/** A ball of any star that reaches `max_hops`. Lent until the next call of this or until listings
 * come or go. The numbers of stars stay as they are. */
SC_CHECKED sc_err sc__ball_of(sc_engine *engine, sc_star_id star, uint32_t max_hops,
                              const sc__ball **out);

/** Release the balls of all active stars. */
void sc__listing_free_balls(sc_engine *engine);

#endif
