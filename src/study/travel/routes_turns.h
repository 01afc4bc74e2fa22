/**
 * @file routes_turns.h
 * @brief Whose turn it is: stars by a number each, the least first.
 *
 * A number and a star are one key of 64 bits, so that comparing is one instruction and equal
 * numbers go by the star: the order is the same on every machine. Entries are never changed; a star
 * whose number has become another is put in again, and whoever takes out the older entry finds it
 * out of date. Four children per entry: fewer levels than with two, and half a cache line.
 */
#ifndef SC_TRAVEL_ROUTES_TURNS_H
#define SC_TRAVEL_ROUTES_TURNS_H

#include <stdbool.h>
#include <stdint.h>

#define SC_HEAP sc__turns
#define SC_HEAP_ENTRY uint64_t
#define SC_HEAP_IS_BEFORE(heap, a, b) ((a) < (b))
#define SC_HEAP_CHILDREN 4
#include "base/heap_template.h"

/** One entry, taken out. */
typedef struct sc__turn {
    uint32_t number;
    uint32_t star;
} sc__turn;

/** False when memory is out. */
static inline bool sc__turns_put(sc__turns *turns, uint32_t number, uint32_t star)
{
    if (!sc__turns_reserve(turns, turns->count + 1)) return false;
    sc__turns_push(turns, (uint64_t)number << 32 | star);
    return true;
}

/** The least number; there must be an entry. */
static inline uint32_t sc__turns_least(const sc__turns *turns)
{
    return (uint32_t)(turns->entries[0] >> 32);
}

/** Take the least out; there must be one. */
static inline sc__turn sc__turns_take(sc__turns *turns)
{
    const uint64_t least = sc__turns_pop(turns);
    return (sc__turn){(uint32_t)(least >> 32), (uint32_t)least};
}

#endif
