/**
 * @file engine_internal.h
 * @brief What the files of the engine share: its state.
 *
 * Invariants, between any two calls:
 *  1. A query is in exactly one place (sc__state), and is in the heap iff it is in
 *     the queue or the graph. Its id is in the table until it is dropped, removed or
 *     accepted.
 *  2. A vertex holds at least one query. Its needs are the strongest of its
 *     queries', and its covered set has at least l segments (not so with XStar).
 *  3. A star has a vertex iff it is active; its ball reaches as far as the farthest
 *     of its vertices, but for those that were relaxed since the last run.
 *  4. A segment is assigned to an end star only while that star is active.
 * With a patient engine 2 to 4 are of listings instead (patient.c, listing.h).
 */
#ifndef SC_ENGINE_ENGINE_INTERNAL_H
#define SC_ENGINE_ENGINE_INTERNAL_H

#include <starcloak/verify.h>

#include "base/rng.h"
#include "engine/ball_store.h"
#include "engine/covered_set.h"
#include "engine/demand.h"
#include "engine/pending_queries.h"

/** Vertices that wait to be searched from again, and why. */
typedef enum sc__search_reason {
    SC__RELAXED,  ///< lost a query, so that their needs became less
    SC__URGENT,   ///< hybrid: one of their queries has come close to its deadline
    SC__WAITING_COUNT
} sc__search_reason;

/** Queries of one star that can be cloaked together. Small: searches read many of them. */
typedef struct sc__vertex {
    uint64_t age;           ///< vertices are numbered as they are made
    struct sc__ball *ball;  ///< of its star; one for all vertices of the star
    sc_star_id star;
    sc__slot next;  ///< of the same star, in the order of making
    sc__list queries;
    uint32_t own_count;   ///< queries that are not company
    uint32_t user_count;  ///< different users
    uint32_t k;           ///< combined needs
    uint32_t l;
    uint32_t max_hops;
    sc__slot next_waiting[SC__WAITING_COUNT];  ///< in the engine's lists
    uint8_t waits_in;                          ///< a bit for each list it is in
    bool needs_search : 1;                     ///< it has not been searched since it came there
    bool is_new : 1;                           ///< that search is the first since a query joined it
    bool has_urgent : 1;                       ///< hybrid: one of its own queries is urgent
    bool has_special : 1;                      ///< a query has demands of its own
    bool is_dead : 1;  ///< it has left the graph, and waits to leave the lists
} sc__vertex;

_Static_assert(sizeof(sc__vertex) <= 64, "a vertex is one cache line");

/** Which end star a segment is assigned to. */
enum { SC__UNASSIGNED = 0, SC__TO_STAR_A = 1, SC__TO_STAR_B = 2 };

/** A query, and the order in which it was added. */
typedef struct sc__placed {
    uint64_t order;
    sc__slot slot;
} sc__placed;

/** Working memory of searches; see search.c and candidate.c. */
typedef struct sc__scratch {
    struct sc__active_star *active_stars;
    size_t active_star_capacity;
    struct sc__neighbour *neighbours;
    size_t neighbour_capacity;
    struct sc__combination *combinations;  ///< max_combinations of them
    uint64_t *masks;
    size_t mask_capacity;  ///< in words
    uint64_t *users;
    size_t user_capacity;
    sc__slot *chosen;  ///< vertices of what was found
    size_t chosen_capacity;
    sc__placed *placed;  ///< queries of these
    size_t placed_capacity;
    const sc_query **specials;  ///< queries with demands of their own
    size_t special_capacity;
    sc__slot *urgent;  ///< vertices near a new query whose time is running out
    size_t urgent_capacity;
} sc__scratch;

/** So many stars, with all that waits at them, are in a cache: 1 to 2 MB for a tenth of these. */
#define SC__CACHED_STARS (UINT32_C(1) << 15)

struct sc_engine {
    const sc_map *map;
    sc_engine_options options;
    sc_rng *rng;
    sc_verifier *verifier;  ///< of paranoid engines
    sc_time now;            ///< of the last run
    double object_density;
    sc__demand_tables tables;  ///< what demands are tested by

    // The map's tables, at hand.
    const sc_star *stars;
    const sc_seg_id *star_segments;
    const sc_star_id *star_neighbours;
    const sc_segment *segments;

    sc_item_pool pending;
    sc_item_pool vertices;
    sc__ball_store balls;
    sc__engine_deadlines deadlines;
    sc__ids ids;
    sc__list queue;
    sc__list drops;
    sc__list waiting[SC__WAITING_COUNT];  ///< of vertices, linked through next_waiting
    size_t to_search;  ///< vertices in these lists that still exist; or queries (method.h)
    sc_cloak *first_candidate;
    sc_cloak *last_candidate;

    // As long as the map, but zero where nothing ever happened: an engine of a part costs only the
    // pages that its part lies on.
    sc__slot *not_first_vertex;  ///< of each star: see sc__first_vertex()
    uint8_t *assigned;           ///< one per segment; NULL without a graph
    sc__numbers numbers;         ///< of the stars of the last walk or search
    sc_star_id *walk;            ///< stars of the last walk, nearest first
    size_t walk_capacity;
    uint32_t *walk_upto;
    size_t walk_upto_capacity;

    const struct sc__engine_method *method;  ///< see method.h
    void *method_state;                      ///< the method's own
    sc__scratch scratch;
    bool is_beyond_cache;  ///< the map is so large that prefetching pays; see engine.c
    sc_seg_id prefetched[SC_ENGINE_PREFETCH_AHEAD];  ///< segments of the next queries
    uint32_t next_prefetched;
    uint64_t next_order;
    uint64_t next_age;
    uint64_t next_proposal;
    sc_engine_stats stats;
};

static inline sc__pending *sc__pending_at(const sc_engine *engine, sc__slot slot)
{
    return sc_item_pool_at(&engine->pending, slot);
}

static inline sc__vertex *sc__vertex_at(const sc_engine *engine, sc__slot slot)
{
    return sc_item_pool_at(&engine->vertices, slot);
}

/** The largest k that may be taken along in a search for somebody who wants `k` (k_spread). */
static inline uint64_t sc__most_k(const sc_engine *engine, uint32_t k)
{
    const uint64_t spread = engine->options.k_spread;
    return spread > 0 ? spread * k : UINT64_MAX;
}

/**
 * The first vertex of a star; SC_NONE: it is not active. Slots are stored with all bits inverted,
 * so that zeroed memory is SC_NONE.
 */
static inline sc__slot sc__first_vertex(const sc_engine *engine, sc_star_id star)
{
    return ~engine->not_first_vertex[star];
}

static inline void sc__set_first_vertex(sc_engine *engine, sc_star_id star, sc__slot first)
{
    engine->not_first_vertex[star] = ~first;
}

static inline sc_time sc__saturating_sub(sc_time a, sc_time b)
{
    sc_time result;
    return __builtin_sub_overflow(a, b, &result) ? (b > 0 ? INT64_MIN : INT64_MAX) : result;
}

/** Whether queries become urgent, when they are close to their deadlines. */
static inline bool sc__has_urgent_queries(const sc_engine *engine)
{
    return engine->options.variant == SC_VARIANT_HYBRID ||
           engine->options.variant == SC_VARIANT_PATIENT;
}

/** Hybrid, patient: whether a query, which is no company, is close to its deadline. */
static inline bool sc__is_urgent(const sc_engine *engine, const sc__pending *query)
{
    return sc__has_urgent_queries(engine) && !query->is_company &&
           sc__saturating_sub(query->query.deadline, engine->now) <
               engine->options.consideration_us;
}

/**
 * The last time before the clock changes a query: in hybrid and patient it becomes urgent, which
 * company never does; else it expires.
 */
static inline sc_time sc__first_due(const sc_engine *engine, const sc__pending *query)
{
    const sc_time deadline = query->query.deadline;
    if (!sc__has_urgent_queries(engine) || query->is_company) return deadline;
    return sc__saturating_sub(deadline, engine->options.consideration_us);
}

/** Make sure that the next sc_engine_add() does not fail for lack of memory. */
SC_CHECKED sc_err sc__engine_reserve(sc_engine *engine);

/** Put a query that is in no list at the end of the queue, and its deadline into the heap. */
void sc__enqueue(sc_engine *engine, sc__slot slot);

/** Forget a query that is in no list any more. */
void sc__forget(sc_engine *engine, sc__slot slot);

#endif
