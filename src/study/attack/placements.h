/**
 * @file placements.h
 * @brief Where the strangers may be: all multisets of places, one after the other, or some drawn.
 *
 * A placement of n strangers on the segments of S is a non-decreasing list of n places in S
 * (0 to |S|-1): strangers cannot be told apart. Its weight is the probability that n independent
 * travellers, each on place p with probability w[p], are so placed: n! / (c0! c1! ...) times the
 * product of all w. The weights of all placements sum to 1.
 */
#ifndef SC_ATTACK_PLACEMENTS_H
#define SC_ATTACK_PLACEMENTS_H

#include "base/rng.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** How many there are: (places + strangers - 1) choose strangers; UINT64_MAX if that many or more.
 */
uint64_t sc__placement_count(size_t places, size_t strangers);

/** Set `at` to placement number `rank` in lexicographic order; rank must be below their number. */
void sc__placement_at(uint64_t rank, size_t places, size_t strangers, uint32_t *at);

/** Go on to the next in that order; false behind the last, and `at` is the first again. */
bool sc__placement_next(size_t places, size_t strangers, uint32_t *at);

/** Its weight. @param w  by place, summing to 1 */
double sc__placement_weight(const double *w, size_t strangers, const uint32_t *at);

/** Draws places by their weights; sc__draws_fini() when done. */
typedef struct sc__draws {
    double *sums;  ///< w[0], w[0] + w[1], ..., 1
    size_t count;
} sc__draws;

/** False if memory is out. */
bool sc__draws_init(sc__draws *draws, const double *w, size_t count);
void sc__draws_fini(sc__draws *draws);

/** A place, each with its weight as probability; a place with weight 0 never. */
uint32_t sc__draw(const sc__draws *draws, sc_rng *rng);

#endif
