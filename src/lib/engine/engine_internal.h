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
 *
 * Used by: engine/ and its tests.
 */
#ifndef SC_ENGINE_ENGINE_INTERNAL_H
#define SC_ENGINE_ENGINE_INTERNAL_H

#include <starcloak/engine.h>
#include <starcloak/verify.h>

#include "base/item_pool.h"
#include "base/rng.h"
#include "engine/demand.h"
#include "engine/ids.h"
#include "engine/numbers.h"

/** A query or a vertex in its pool, or SC_NONE. */
typedef uint32_t sc__slot;

/** Where a query is. */
typedef enum sc__state {
    SC__QUEUED,
    SC__IN_GRAPH,  ///< or, with methods that have none, on its segment (alone.h)
    SC__PROPOSED,
    SC__DROPPED,
} sc__state;

/** A query that has not ended, or whose drop nobody has taken yet. */
typedef struct sc__pending {
    sc_query query;
    union {
        uint64_t order;      ///< queries are numbered as they are added
        sc_time dropped_at;  ///< once it is dropped
    };
    sc__slot previous;  ///< in the queue, its vertex or the drops
    sc__slot next;
    union {
        sc__slot vertex;    ///< in the graph: where
        uint32_t proposal;  ///< proposed: in which, by the low bits of its number
    };
    uint32_t heap_at;  ///< its place in the heap; kept by the heap
    uint8_t state;     ///< an sc__state
    uint8_t reason;    ///< dropped: an sc_drop_reason
    bool is_company;
    bool is_gone;  ///< proposed, and removed meanwhile
} sc__pending;

/** What happens next to a query: in hybrid it becomes urgent; then it expires, once the clock has
 * passed its deadline. Each query in the queue or the graph has one moment at a time. */
typedef struct sc__engine_moment {
    sc_time t;
    sc__slot slot;
} sc__engine_moment;

/** Equal moments go by deadline, then by the order in which queries were added. */
static inline bool sc__engine_moment_is_before(const sc_item_pool *pending, sc__engine_moment a,
                                               sc__engine_moment b)
{
    if (a.t != b.t) return a.t < b.t;
    const sc__pending *of_a = sc_item_pool_at(pending, a.slot);
    const sc__pending *of_b = sc_item_pool_at(pending, b.slot);
    // Moments at the very beginning of time (alpha is endless) are equal where deadlines are not.
    if (of_a->query.deadline != of_b->query.deadline) {
        return of_a->query.deadline < of_b->query.deadline;
    }
    return of_a->order < of_b->order;
}

static inline void sc__engine_moment_place(const sc_item_pool *pending, sc__slot slot, size_t at)
{
    sc__pending *query = sc_item_pool_at(pending, slot);
    query->heap_at = (uint32_t)at;
}

// Four children per entry: new deadlines are mostly late ones and stay near the bottom, and what
// leaves is mostly near the bottom too, so both cost little whatever the size.
#define SC_HEAP sc__engine_moments
#define SC_HEAP_ENTRY sc__engine_moment
#define SC_HEAP_CHILDREN 4
#define SC_HEAP_CONTEXT const sc_item_pool *
#define SC_HEAP_IS_BEFORE(heap, a, b) sc__engine_moment_is_before((heap)->context, a, b)
#define SC_HEAP_PLACE(heap, entry, at) sc__engine_moment_place((heap)->context, (entry).slot, at)
#include "base/heap_template.h"

/** Things in a row, each naming the next: queries, which name the one before too, or vertices. */
typedef struct sc__list {
    sc__slot first;
    sc__slot last;
} sc__list;

/** Vertices that wait to be searched from again, and why. */
typedef enum sc__waiting {
    SC__RELAXED,  ///< lost a query, so that their needs became less
    SC__URGENT,   ///< hybrid: one of their queries has come close to its deadline
    SC__WAITING_COUNT
} sc__waiting;

/** Queries of one star that can be cloaked together. Small: searches read many of them. */
typedef struct sc__vertex {
    uint64_t age;           ///< vertices are numbered as they are made
    struct sc__ball *ball;  ///< of its star; one for all vertices of the star
    sc_star_id star;
    sc__slot next;  ///< of the same star, in the order of making
    sc__list queries;
    uint32_t own_count;   ///< queries without company
    uint32_t user_count;  ///< different users
    uint32_t k;           ///< combined needs
    uint32_t max_hops;
    sc__demand demand;
    sc__slot next_waiting[SC__WAITING_COUNT];  ///< in the engine's lists
    uint8_t waits_in;                          ///< a bit for each list it is in
    bool needs_search : 1;                     ///< it has not been searched since it came there
    bool is_new : 1;                           ///< that search is the first since a query joined it
    bool has_urgent : 1;                       ///< hybrid: one of its own queries is urgent
    bool is_dead : 1;  ///< it has left the graph, and waits to leave the lists
} sc__vertex;

/** All stars within some hops of one, nearest first: any smaller ball is the front of it. */
typedef struct sc__ball {
    uint32_t count;
    uint32_t depth;     ///< `upto` goes from 0 to depth
    bool is_complete;   ///< the whole component: reaches any number of hops
    uint32_t tables[];  ///< upto[depth + 1], then stars[count]
} sc__ball;

/** Which end star a segment is assigned to. */
enum { SC__UNASSIGNED = 0, SC__TO_STAR_A = 1, SC__TO_STAR_B = 2 };

/** A query, and the order in which it was added. */
typedef struct sc__placed {
    uint64_t order;
    sc__slot slot;
} sc__placed;

/** Working memory of searches; see search.c, xstar.c and candidate.c. */
typedef struct sc__scratch {
    struct sc__sighting *sightings;
    size_t sighting_capacity;
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
    sc__slot *urgent;  ///< vertices near a new query whose time is running out
    size_t urgent_capacity;
    struct sc__ranked *ranked;  ///< XStar: equally far stars, the cheapest first
    size_t ranked_capacity;
} sc__scratch;

struct sc_engine {
    const sc_map *map;
    sc_engine_options options;
    sc_rng *rng;
    sc_verifier *verifier;  ///< of paranoid engines
    sc_time now;            ///< of the last run
    double object_density;

    // The map's tables, at hand.
    const sc_star *stars;
    const sc_seg_id *star_segments;
    const sc_star_id *star_neighbours;
    const sc_segment *segments;

    sc_item_pool pending;
    sc_item_pool vertices;
    sc__engine_moments moments;
    sc__ids ids;
    sc__list queue;
    sc__list drops;
    sc__list waiting[SC__WAITING_COUNT];  ///< of vertices, linked through next_waiting
    size_t to_search;  ///< vertices in these lists that still exist; or queries (alone.h)
    sc_cloak *first_candidate;
    sc_cloak *last_candidate;

    // As long as the map, but zero where nothing ever happened: an engine of a part costs only the
    // pages that its part lies on.
    sc__slot *not_first_vertex;  ///< of each star: see sc__first_vertex()
    uint8_t *assigned;           ///< one per segment
    sc__numbers numbers;         ///< of the stars of the last walk or search
    sc_star_id *walk;            ///< stars of the last walk, nearest first
    size_t walk_capacity;
    uint32_t *walk_upto;
    size_t walk_upto_capacity;

    struct sc__alone *alone;  ///< of methods without a graph; NULL: this one has one
    sc__scratch scratch;
    sc_seg_id expected[SC_ENGINE_PREFETCH_AHEAD];  ///< see expect.c
    uint32_t next_expected;
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

/**
 * The first vertex of a star; SC_NONE: it is not active. Slots are kept with all bits turned, so
 * that memory that was never written says SC_NONE.
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

/** Hybrid: whether a query, which is no company, is close to its deadline. */
static inline bool sc__is_urgent(const sc_engine *engine, const sc__pending *query)
{
    return engine->options.variant == SC_VARIANT_HYBRID && !query->is_company &&
           sc__saturating_sub(query->query.deadline, engine->now) <
               engine->options.consideration_us;
}

/**
 * The last moment before something happens to a query by time alone: to become urgent, which
 * company never does, in hybrid; else to expire.
 */
static inline sc_time sc__first_moment(const sc_engine *engine, const sc__pending *query)
{
    const sc_time deadline = query->query.deadline;
    if (engine->options.variant != SC_VARIANT_HYBRID || query->is_company) return deadline;
    return sc__saturating_sub(deadline, engine->options.consideration_us);
}

/** Make sure that the next sc_engine_add() does not fail for lack of memory. */
SC_CHECKED sc_err sc__engine_reserve(sc_engine *engine);

/** Put a query that is in no list at the end of the queue, and its moment into the heap. */
void sc__enqueue(sc_engine *engine, sc__slot slot);

/** Forget a query that is in no list any more. */
void sc__forget(sc_engine *engine, sc__slot slot);

#endif
