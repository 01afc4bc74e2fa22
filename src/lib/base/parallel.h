/**
 * @file parallel.h
 * @brief Numbered items of work, shared by the calling thread and as many more as it likes.
 *
 * A thread that is free takes the next item. What comes of an item must not depend on the thread
 * that does it, nor on what that thread did before: then the number of threads changes nothing but
 * the time. For work that arrives over time there is thread_pool.h.
 */
#ifndef SC_BASE_PARALLEL_H
#define SC_BASE_PARALLEL_H

#include <starcloak/err.h>

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct sc_parallel {
    size_t item_count;
    /**
     * Do one item. A thread does one at a time, so what belongs to a thread needs no lock.
     *
     * @param thread   its number, 0 is the caller
     * @param is_over  an item has failed: one that takes long looks here now and then, and if so
     *                 returns with what it has
     */
    sc_err (*run)(void *context, unsigned thread, size_t item, const atomic_bool *is_over);
    void *context;
    bool takes_fewer;  ///< where threads cannot be started, those that can be do all of it
} sc_parallel;

/**
 * Do all items. The caller is the first thread: with one no other is started. All threads have
 * ended when this returns, and take no signals meanwhile.
 *
 * @return SC_OK, SC_ENOMEM, SC_EIO (a thread cannot be started), or what an item failed with
 */
SC_CHECKED sc_err sc_parallel_run(const sc_parallel *work, unsigned thread_count);

#endif
