/**
 * @file rng.h
 * @brief Randomness, handed to whatever needs it.
 *
 * Two sources behind one type. A service takes the cryptographic one, since
 * predictable choices can be undone. Simulations and tests take
 * the seeded one, which repeats a run bit for bit and is predictable by design.
 *
 * An sc_rng belongs to one thread at a time, and after fork() to one of the two processes.
 */
#ifndef STARCLOAK_RNG_H
#define STARCLOAK_RNG_H

#include <stdint.h>

#include <starcloak/err.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A source of random numbers. Opaque. */
typedef struct sc_rng sc_rng;

/** The same seed, the same numbers. Every seed is good, 0 too. */
SC_API SC_CHECKED sc_err sc_rng_new_seeded(uint64_t seed, sc_rng **out);

/**
 * Numbers that cannot be predicted, from libsodium, fetched a few hundred bytes at a
 * time. What has been used is wiped from the buffer.
 *
 * @return SC_OK, SC_ENOMEM, SC_EIO (the system has no randomness to give)
 */
SC_API SC_CHECKED sc_err sc_rng_new_secure(sc_rng **out);

/**
 * A source of the same kind for another thread. Of a seeded one the new seed is
 * drawn, so that it too is repeatable.
 */
SC_API SC_CHECKED sc_err sc_rng_fork(sc_rng *rng, sc_rng **out);

/** Wipe and free; NULL is fine. */
SC_API void sc_rng_free(sc_rng *rng);

#ifdef __cplusplus
}
#endif
#endif
