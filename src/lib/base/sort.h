/**
 * @file sort.h
 * @brief Sorting numbers: many by radix, a handful by insertion.
 */
#ifndef SC_BASE_SORT_H
#define SC_BASE_SORT_H

#include <starcloak/err.h>
#include <stddef.h>
#include <stdint.h>

/**
 * `order` becomes the permutation of 0..count-1 that sorts `keys`; equal keys
 * keep their order. Takes time linear in `count`, and memory for another `order` meanwhile.
 */
SC_CHECKED sc_err sc_sort_order(const uint32_t *keys, uint32_t count, uint32_t *order);

/** Sort ids in place, ascending. Made for a handful of them, fine with many. */
void sc_sort_u32(uint32_t *ids, size_t count);

/** Sort `values` in place, ascending, and count how many of them are different. */
size_t sc_sort_count_different(uint64_t *values, size_t count);

#endif
