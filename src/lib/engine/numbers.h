/**
 * @file numbers.h
 * @brief Small numbers for the few stars at hand, so that sets of them can be bits.
 *
 * A hash table from star to 0, 1, 2, ... It is small enough to stay in the nearest
 * cache however large the map, which a number stored beside each star would not be.
 * Stars near each other have ids near each other, so the low bits of the id spread
 * them as well as any hash.
 *
 * Numbers are stored as offsets into a range of integers that only this set of
 * stars has: the next set takes the next range, so nothing is cleared between them.
 *
 * Used by: cover, search.
 */
#ifndef SC_ENGINE_NUMBERS_H
#define SC_ENGINE_NUMBERS_H

#include <starcloak/map.h>

typedef struct sc__numbered {
    sc_star_id star;
    uint32_t stored;  ///< counts if it lies in the present range
} sc__numbered;

/** Zero-initialise; sc__numbers_fini() when done. */
typedef struct sc__numbers {
    sc__numbered *entries;
    uint32_t capacity;  ///< a power of two, at least twice `count`; or 0
    uint32_t first;     ///< the present range begins here
    uint32_t count;     ///< and has this many numbers
} sc__numbers;

void sc__numbers_fini(sc__numbers *numbers);

/** Forget all numbers and make room for `count` stars; more can come. */
SC_CHECKED sc_err sc__numbers_begin(sc__numbers *numbers, uint32_t count);

/** Make the table large enough for `count` stars; use sc__numbers_reserve(). */
SC_CHECKED sc_err sc__numbers_grow(sc__numbers *numbers, uint64_t count);

/** Make room for `more` stars than there are. */
SC_CHECKED static inline sc_err sc__numbers_reserve(sc__numbers *numbers, uint32_t more)
{
    const uint64_t count = (uint64_t)numbers->count + more;
    return count <= numbers->capacity / 2 ? SC_OK : sc__numbers_grow(numbers, count);
}

/** Where `star` is, or would be put. There must be room. */
static inline sc__numbered *sc__numbers_at(const sc__numbers *numbers, sc_star_id star)
{
    const uint32_t mask = numbers->capacity - 1;
    uint32_t at = star & mask;
    while (numbers->entries[at].stored - numbers->first < numbers->count &&
           numbers->entries[at].star != star) {
        at = (at + 1) & mask;
    }
    return &numbers->entries[at];
}

/** The number of `star`, or something >= count if it has none. */
static inline uint32_t sc__number_of(const sc__numbers *numbers, sc_star_id star)
{
    return sc__numbers_at(numbers, star)->stored - numbers->first;
}

/** Give the next number to a star that has none. There must be room. */
static inline void sc__numbers_put(sc__numbers *numbers, sc__numbered *at, sc_star_id star)
{
    *at = (sc__numbered){star, numbers->first + numbers->count};
    numbers->count++;
}

#endif
