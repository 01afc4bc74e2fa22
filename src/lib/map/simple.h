/**
 * @file simple.h
 * @brief Counting a map as publications do: loops dropped, parallel edges merged.
 *
 * Uses: map. Used by: star/describe.c.
 */
#ifndef SC_MAP_SIMPLE_H
#define SC_MAP_SIMPLE_H

#include <starcloak/map_info.h>

/** Count `map` as a simple graph. Time O(edges log edges). */
SC_CHECKED sc_err sc_simple_count(const sc_map *map, sc_simple_counts *out);

/** How many values occur more than once among `count` pairs, which are sorted in place. */
uint64_t sc_count_repeated(uint64_t *pairs, size_t count);

/** A pair of ids as one number, the same in either order. */
static inline uint64_t sc_pair(uint32_t a, uint32_t b)
{
    return a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
}

#endif
