/**
 * @file prune.h
 * @brief From a candidate to a cloak: trim its stars at random, as far as every l allows.
 *
 * Pruning touches nothing of the engine, so it may be done where the caller
 * likes: inline, right after sc_engine_take_candidate(), which repeats bit for
 * bit with a seeded generator; or by a pool of threads.
 */
#ifndef STARCLOAK_PRUNE_H
#define STARCLOAK_PRUNE_H

#include <starcloak/cloak.h>
#include <starcloak/rng.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Working memory of one thread that prunes. */
typedef struct sc_pruner sc_pruner;

/** @param map  borrowed; must outlive the result */
SC_API SC_CHECKED sc_err sc_pruner_new(const sc_map *map, sc_pruner **out);

/** Free; NULL is fine. */
SC_API void sc_pruner_free(sc_pruner *pruner);

/**
 * Trim the stars of `candidate` in place, unless it is whole, fill in its segments and border
 * nodes, and shuffle its members. docs/engine.md has the order of the random choices. One that
 * has been pruned stays as it is.
 *
 * @return SC_OK, or SC_ENOMEM, or SC_EINVAL (a member's star is not among its stars, or it
 *         has neither stars nor segments: no engine made it): the candidate is then as it was
 */
SC_API SC_CHECKED sc_err sc_pruner_prune(sc_pruner *pruner, sc_cloak *candidate, sc_rng *rng);

/** No pool has more threads than this. */
#define SC_PRUNE_THREADS_MAX 256

/** Threads that prune. One thread gives and takes; the pool's own do the work. */
typedef struct sc_prune_pool sc_prune_pool;

/**
 * Start `threads` threads (1 to SC_PRUNE_THREADS_MAX), each with a generator forked from `rng`.
 *
 * @param map  borrowed; must outlive the result
 * @param rng  used only during this call
 * @return SC_OK, SC_ENOMEM, SC_EINVAL, SC_EIO (a thread cannot be started)
 */
SC_API SC_CHECKED sc_err sc_prune_pool_new(const sc_map *map, unsigned threads, sc_rng *rng,
                                           sc_prune_pool **out);

/**
 * Stop the threads and free. Candidates still inside are freed with it, so take
 * them out first; NULL is fine.
 */
SC_API void sc_prune_pool_free(sc_prune_pool *pool);

/** Hand a candidate over; it comes back through sc_prune_pool_take(). */
SC_API void sc_prune_pool_give(sc_prune_pool *pool, sc_cloak *candidate);

/**
 * The next finished cloak, in any order; NULL if there is none. With `wait` NULL means
 * that nothing is inside any more. A cloak that is not pruned could not be for
 * lack of memory: refuse it.
 */
SC_API sc_cloak *sc_prune_pool_take(sc_prune_pool *pool, bool wait);

/** A descriptor that is readable while something can be taken; for poll(). Lent. */
SC_API int sc_prune_pool_fd(const sc_prune_pool *pool);

#ifdef __cplusplus
}
#endif
#endif
