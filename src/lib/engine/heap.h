/**
 * @file heap.h
 * @brief The heap of moments: what happens next, and to which query.
 *
 * A query expires when the clock has passed its deadline; before that, in hybrid,
 * it becomes urgent. Each query has one moment at a time. Four children per node:
 * new deadlines are mostly late ones and stay near the bottom, and what leaves is
 * mostly near the bottom too, so both cost little whatever the size.
 *
 * Used by: engine/.
 */
#ifndef SC_ENGINE_HEAP_H
#define SC_ENGINE_HEAP_H

#include <starcloak/query.h>

#include "base/pool.h"

/** A moment and whose it is. */
typedef struct sc__moment {
    sc_time t;
    uint32_t slot;  ///< an sc__pending
} sc__moment;

/** Zero-initialise; sc__heap_fini() when done. */
typedef struct sc__heap {
    sc__moment *moments;
    size_t count;
    size_t capacity;
} sc__heap;

void sc__heap_fini(sc__heap *heap);

/** Make sure that `count` moments find room: every query that may have one, now or later. */
SC_CHECKED sc_err sc__heap_reserve(sc__heap *heap, size_t count);

/**
 * Add the moment of a query. `pending` is the pool that slots are of: equal moments go by
 * deadline, then by the order in which queries were added, and each query is told its place.
 */
void sc__heap_push(sc__heap *heap, const sc_pool *pending, sc_time t, uint32_t slot);

/** Put in order again what was written into `moments`: the times of any of them may have changed.
 */
void sc__heap_reorder(sc__heap *heap, const sc_pool *pending);

/** Take a query's moment out, wherever it is. */
void sc__heap_remove(sc__heap *heap, const sc_pool *pending, uint32_t slot);

/** The earliest moment, which is lent; NULL if there is none. */
const sc__moment *sc__heap_top(const sc__heap *heap);

#endif
