/**
 * @file routes_turns.h
 * @brief Whose turn it is: stars by a number each, the least first.
 *
 * A number and a star are one key of 64 bits, so that comparing is one instruction and equal
 * numbers go by the star: the order is the same on every machine. Entries are never changed; a star
 * whose number has become another is put in again, and whoever takes out the older entry finds it
 * out of date. Four children per entry: fewer levels than with two, and half a cache line.
 *
 * The searches spend most of their time here, so all of it is inline.
 *
 * Used by: travel/routes_*.c.
 */
#ifndef SC_TRAVEL_ROUTES_TURNS_H
#define SC_TRAVEL_ROUTES_TURNS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/alloc.h"

/** Zero-initialise; sc__turns_fini() when done. */
typedef struct sc__turns {
    uint64_t *keys;
    size_t count;
    size_t capacity;
} sc__turns;

/** One entry, taken out. */
typedef struct sc__turn {
    uint32_t number;
    uint32_t star;
} sc__turn;

static inline void sc__turns_fini(sc__turns *turns)
{
    sc_free(turns->keys);
    *turns = (sc__turns){.count = 0};
}

/** False when memory is out. */
static inline bool sc__turns_push(sc__turns *turns, uint32_t number, uint32_t star)
{
    enum { CHILDREN = 4 };
    if (turns->count == turns->capacity &&
        !sc_grow(&turns->keys, turns->count, &turns->capacity, sizeof *turns->keys)) {
        return false;
    }
    const uint64_t key = (uint64_t)number << 32 | star;
    size_t at = turns->count++;
    while (at > 0) {
        const size_t parent = (at - 1) / CHILDREN;
        if (turns->keys[parent] <= key) break;
        turns->keys[at] = turns->keys[parent];
        at = parent;
    }
    turns->keys[at] = key;
    return true;
}

/** The least number; there must be an entry. */
static inline uint32_t sc__turns_least(const sc__turns *turns)
{
    return (uint32_t)(turns->keys[0] >> 32);
}

/** Take the least out; there must be one. */
static inline sc__turn sc__turns_pop(sc__turns *turns)
{
    enum { CHILDREN = 4 };
    uint64_t *keys = turns->keys;
    const uint64_t top = keys[0];
    const uint64_t last = keys[--turns->count];
    const size_t count = turns->count;
    size_t at = 0;
    for (;;) {
        const size_t first = CHILDREN * at + 1;
        if (first >= count) break;
        const size_t end = first + CHILDREN < count ? first + CHILDREN : count;
        size_t least = first;
        for (size_t i = first + 1; i < end; i++) {
            if (keys[i] < keys[least]) least = i;
        }
        if (keys[least] >= last) break;
        keys[at] = keys[least];
        at = least;
    }
    keys[at] = last;
    return (sc__turn){(uint32_t)(top >> 32), (uint32_t)top};
}

#endif
