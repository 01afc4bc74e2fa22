/**
 * @file demand.h
 * @brief What queries ask of the roads of their cloak, and the one place where it is tested.
 *
 * A demand is a sum over the segments of S that must reach a need. Here each
 * segment weighs 1 and the need is the query's l (P3). Demands still to come
 * weigh segments otherwise, but all share what search and pruning live by:
 *
 *   A demand is monotone: a set that fails it never recovers by getting smaller.
 *
 * So a search may throw away a combination that fails, and pruning may stop at
 * the first removal that would fail.
 */
#ifndef SC_ENGINE_DEMAND_H
#define SC_ENGINE_DEMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct sc__demand {
    uint32_t segments;  ///< at least as many; 0 asks for nothing
} sc__demand;

/** The weakest demand that is met only where both are. */
static inline sc__demand sc__demand_meet(sc__demand a, sc__demand b)
{
    return a.segments > b.segments ? a : b;
}

/** Whether roads of `segment_count` segments are enough. */
static inline bool sc__demand_is_met(sc__demand demand, size_t segment_count)
{
    return segment_count >= demand.segments;
}

#endif
