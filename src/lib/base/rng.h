/**
 * @file rng.h
 * @brief Random numbers, and what is inside the sc_rng of starcloak/rng.h.
 *
 * A seeded source is xoshiro256++, seeded through splitmix64. Its numbers are the
 * same on any machine, but for those of sc_rng_normal(), which uses the C
 * library's logarithm. It is small and may live on the stack:
 *
 *     sc_rng rng;
 *     sc_rng_seed(&rng, 42);
 *
 * A secure source takes its numbers from libsodium, a reserve at a time, since a
 * number by itself would cost a call of the system. It is made by
 * sc_rng_new_secure() alone. A process that forks must not use one on both
 * sides: they would draw the same numbers from the same reserve.
 */
#ifndef SC_BASE_RNG_H
#define SC_BASE_RNG_H

#include <starcloak/rng.h>

#include <stddef.h>
#include <stdint.h>

/** Numbers fetched at once: 512 bytes. */
enum { SC_RNG_RESERVE = 64 };

/** Numbers of a secure source that are still to be used; those used are zero. */
typedef struct sc_rng_reserve {
    size_t left;  ///< the first `left` numbers are unused
    uint64_t numbers[SC_RNG_RESERVE];
} sc_rng_reserve;

struct sc_rng {
    uint64_t state[4];        ///< of xoshiro256++
    sc_rng_reserve *reserve;  ///< of a secure source; NULL in a seeded one
};

/** Make `rng` a seeded source. Every seed is good, 0 too. */
void sc_rng_seed(sc_rng *rng, uint64_t seed);

/** The next number of a secure source; call sc_rng_next(). */
uint64_t sc__rng_next_secure(sc_rng_reserve *reserve);

static inline uint64_t sc__rng_rotate(uint64_t x, int bits)
{
    return (x << bits) | (x >> (64 - bits));
}

/** 64 random bits. */
static inline uint64_t sc_rng_next(sc_rng *rng)
{
    if (rng->reserve) return sc__rng_next_secure(rng->reserve);

    // xoshiro256++ by Blackman and Vigna.
    uint64_t *s = rng->state;
    const uint64_t result = sc__rng_rotate(s[0] + s[3], 23) + s[0];
    const uint64_t t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = sc__rng_rotate(s[3], 45);
    return result;
}

/** Uniform in [0, bound); bound >= 1. Without bias. */
uint32_t sc_rng_below(sc_rng *rng, uint32_t bound);

/** Uniform in [0, 1), on a grid of 2^-53. */
double sc_rng_unit(sc_rng *rng);

/** Normally distributed, mean 0 and deviation 1. */
double sc_rng_normal(sc_rng *rng);

#endif
