/**
 * @file thread_pool.h
 * @brief Threads that do the jobs of one queue, in the order in which these were put.
 *
 * Jobs are chained through a pointer that each carries inside, so that putting one takes no memory
 * and cannot fail. A thread that is free takes the first job: one that takes long holds up no
 * other. The lock is held for a few instructions, never while a job is done. What becomes of a job
 * when it is done is the caller's affair; for items that are all there at the start, see
 * parallel.h.
 */
#ifndef SC_BASE_THREAD_POOL_H
#define SC_BASE_THREAD_POOL_H

#include <starcloak/err.h>
#include <stddef.h>

typedef struct sc_thread_pool sc_thread_pool;

typedef struct sc_thread_pool_options {
    unsigned thread_count;
    size_t link;  ///< offsetof() a pointer in a job, of the pool while the job waits
    /** Do a job. In a thread of the pool; each has a number from 0 on. */
    void (*run)(void *context, unsigned thread, void *job);
    void *context;
} sc_thread_pool_options;

/** @return SC_OK, SC_ENOMEM, or SC_EIO: a thread cannot be started; errno has the reason */
SC_CHECKED sc_err sc_thread_pool_new(const sc_thread_pool_options *options, sc_thread_pool **out);

/**
 * Let each thread finish the job that it has begun, wait for it, and free the pool; NULL is fine.
 *
 * @param leave  called for each job that still waits, in order; NULL: leave them alone
 */
void sc_thread_pool_free(sc_thread_pool *pool, void (*leave)(void *job));

/** Put a job at the end of the queue. Any thread. */
void sc_thread_pool_put(sc_thread_pool *pool, void *job);

/** How many jobs wait; it may be others by the time that this returns. Any thread. */
size_t sc_thread_pool_waiting(sc_thread_pool *pool);

#endif
