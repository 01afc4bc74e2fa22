/**
 * @file rng.h
 * @brief Seeded pseudo-random numbers: the same seed, the same numbers.
 *
 * For generated maps, simulations and tests: a run can be repeated bit for bit,
 * on any machine but for sc_rng_normal(), which uses the C library's logarithm.
 * The generator is xoshiro256++, seeded through splitmix64. It is predictable
 * by design and must never choose a cloak in a service.
 *
 * Used by: city, tests.
 */
#ifndef SC_BASE_RNG_H
#define SC_BASE_RNG_H

#include <stdint.h>

typedef struct sc_rng {
    uint64_t state[4];
} sc_rng;

/** Start from `seed`; every seed is good, 0 too. */
void sc_rng_seed(sc_rng *rng, uint64_t seed);

/** 64 random bits. */
uint64_t sc_rng_next(sc_rng *rng);

/** Uniform in [0, bound); bound >= 1. Without bias. */
uint32_t sc_rng_below(sc_rng *rng, uint32_t bound);

/** Uniform in [0, 1), on a grid of 2^-53. */
double sc_rng_unit(sc_rng *rng);

/** Normally distributed, mean 0 and deviation 1. */
double sc_rng_normal(sc_rng *rng);

#endif
