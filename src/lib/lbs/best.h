/**
 * @file best.h
 * @brief The k least of some distances: how far the k-th nearest object is at most.
 *
 * A heap with the greatest on top. A distance that is put in may turn out shorter later; the
 * top is then a little too far, never too near, and a search that stops there has missed nothing.
 *
 * Used by: the searches of this folder.
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

/** Take in a distance; of more than k the greatest is forgotten. */
static inline void sc__best_add(sc_best *best, double distance)
{
    double *d = best->distances;
    if (best->count < best->k) {
        uint32_t at = best->count++;
        for (; at > 0 && d[(at - 1) / 2] < distance; at = (at - 1) / 2) {
            d[at] = d[(at - 1) / 2];
        }
        d[at] = distance;
        return;
    }
    if (best->k == 0 || distance >= d[0]) return;
    uint32_t at = 0;
    for (;;) {
        uint32_t child = 2 * at + 1;
        if (child >= best->count) break;
        if (child + 1 < best->count && d[child + 1] > d[child]) child++;
        if (d[child] <= distance) break;
        d[at] = d[child];
        at = child;
    }
    d[at] = distance;
}

/** No object farther than this is among the k nearest; `otherwise` while there are fewer than k. */
static inline double sc__best_bound(const sc_best *best, double otherwise)
{
    return best->count == best->k && best->k > 0 ? best->distances[0] : otherwise;
}

#endif
