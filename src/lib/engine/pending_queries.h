/**
 * @file pending_queries.h
 * @brief Pending queries: their lists, the heap of their deadlines, and the table of their ids.
 */
#ifndef SC_ENGINE_PENDING_QUERIES_H
#define SC_ENGINE_PENDING_QUERIES_H

#include <starcloak/engine.h>

#include "base/item_pool.h"

/** A query or a vertex in its pool, or SC_NONE. */
typedef uint32_t sc__slot;

/** Where a query is. */
typedef enum sc__state {
    SC__QUEUED,
    SC__IN_GRAPH,  ///< or, with methods that have none, in the method's own lists
    SC__PROPOSED,
    SC__DROPPED,
} sc__state;

/** A query that has not ended, or whose drop was not taken yet. */
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
    bool is_company : 1;
    bool is_gone : 1;  ///< proposed, and removed meanwhile
    bool is_owed : 1;  ///< patient: it became urgent, and was not searched from since
} sc__pending;

// --- Lists -------------------------------------------------------------------

/** A linked list of queries (in both directions) or of vertices. */
typedef struct sc__list {
    sc__slot first;
    sc__slot last;
} sc__list;

/** Put a query at the end of a list, at its front, or take it out. */
void sc__list_append(const sc_engine *engine, sc__list *list, sc__slot slot);
void sc__list_prepend(const sc_engine *engine, sc__list *list, sc__slot slot);
void sc__list_remove(const sc_engine *engine, sc__list *list, sc__slot slot);

#define SC__LIST_EMPTY ((sc__list){SC_NONE, SC_NONE})

// --- Deadlines ---------------------------------------------------------------

/** When the clock next changes a query: in hybrid it becomes urgent; then it expires, once the
 * clock has passed its deadline. Each query in the queue or the graph has one entry at a time. */
typedef struct sc__engine_deadline {
    sc_time t;
    sc__slot slot;
} sc__engine_deadline;

/** Equal times go by deadline, then by the order in which queries were added. */
static inline bool sc__engine_deadline_is_before(const sc_item_pool *pending, sc__engine_deadline a,
                                                 sc__engine_deadline b)
{
    if (a.t != b.t) return a.t < b.t;
    const sc__pending *of_a = sc_item_pool_at(pending, a.slot);
    const sc__pending *of_b = sc_item_pool_at(pending, b.slot);
    // With an endless alpha all times are INT64_MIN, and deadlines still differ.
    if (of_a->query.deadline != of_b->query.deadline) {
        return of_a->query.deadline < of_b->query.deadline;
    }
    return of_a->order < of_b->order;
}

static inline void sc__engine_deadline_place(const sc_item_pool *pending, sc__slot slot, size_t at)
{
    sc__pending *query = sc_item_pool_at(pending, slot);
    query->heap_at = (uint32_t)at;
}

// Four children per entry: new deadlines are mostly late ones and stay near the bottom, and what
// leaves is mostly near the bottom too, so both cost little whatever the size.
#define SC_HEAP sc__engine_deadlines
#define SC_HEAP_ENTRY sc__engine_deadline
#define SC_HEAP_CHILDREN 4
#define SC_HEAP_CONTEXT const sc_item_pool *
#define SC_HEAP_IS_BEFORE(heap, a, b) sc__engine_deadline_is_before((heap)->context, a, b)
#define SC_HEAP_PLACE(heap, entry, at) sc__engine_deadline_place((heap)->context, (entry).slot, at)
#include "base/heap_template.h"

// --- Ids ---------------------------------------------------------------------
//
// Ids come from a keyed hash, so their own bits serve as the hash; mixing them serves callers with
// ids of their own making (numbers, in a test).

typedef struct sc__ids_entry {
    uint32_t slot;  ///< SC_NONE: empty
    uint32_t hash;  ///< of the id, so that entries are compared and moved without reading the query
} sc__ids_entry;

/** Zero-initialise; sc__ids_fini() when done. */
typedef struct sc__ids {
    sc__ids_entry *slots;
    size_t capacity;  ///< a power of two up to 2^32, or 0
    size_t count;
} sc__ids;

void sc__ids_fini(sc__ids *ids);

/** Make sure that the next sc__ids_put() succeeds. */
SC_CHECKED sc_err sc__ids_reserve(sc__ids *ids);

/** The slot of the query with that id, or SC_NONE. */
uint32_t sc__ids_find(const sc__ids *ids, const sc_item_pool *pending, const sc_query_id *id);

/** Prefetch the place of an id, for a find that comes soon. */
void sc__ids_prefetch(const sc__ids *ids, const sc_query_id *id);

/** Enter a query; its id must not be there yet. */
void sc__ids_put(sc__ids *ids, const sc_item_pool *pending, uint32_t slot);

/** Take a query out that is there. */
void sc__ids_remove(sc__ids *ids, const sc_item_pool *pending, uint32_t slot);

#endif
