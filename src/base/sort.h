/**
 * @file sort.h
 * @brief Putting things in the order of 32-bit keys, in time linear in their number.
 *
 * Used by: map builder (places on the Hilbert curve), city.
 */
#ifndef SC_BASE_SORT_H
#define SC_BASE_SORT_H

#include <starcloak/err.h>
#include <stdint.h>

/**
 * `order` becomes the permutation of 0..count-1 that sorts `keys`; equal keys
 * keep their order. Takes memory for another `order` meanwhile.
 */
SC_CHECKED sc_err sc_sort_order(const uint32_t *keys, uint32_t count, uint32_t *order);

#endif
