/**
 * @file best.h
 * @brief The k least of some distances: how far the k-th nearest object is at most.
 *
 * A heap with the greatest on top. A distance that is put in may turn out shorter later; the
 * top is then a little too far, never too near, and a search that stops there has missed nothing.
 */
#ifndef SC_LBS_BEST_H
#define SC_LBS_BEST_H

#include <stddef.h>
#include <stdint.h>

/** Room for k distances, which the caller owns. */
typedef struct sc_best {
    double *distances;
    uint32_t count;
    uint32_t k;
} sc_best;

#define SC_HEAP sc__farthest
#define SC_HEAP_ENTRY double
#define SC_HEAP_IS_BEFORE(heap, a, b) ((a) > (b))
#include "base/heap_template.h"

/** Take in a distance; of more than k the greatest is forgotten. */
static inline void sc__best_add(sc_best *best, double distance)
{
    sc__farthest heap = {.entries = best->distances, .count = best->count};
    if (best->count < best->k) {
        best->count++;
        sc__farthest_push(&heap, distance);
    } else if (best->k > 0 && distance < best->distances[0]) {
        sc__farthest_replace_top(&heap, distance);
    }
}

/** No object farther than this is among the k nearest; `otherwise` while there are fewer than k. */
static inline double sc__best_bound(const sc_best *best, double otherwise)
{
    return best->count == best->k && best->k > 0 ? best->distances[0] : otherwise;
}

#endif
