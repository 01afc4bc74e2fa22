/**
 * @file work.h
 * @brief Numbered items of work, shared by the calling thread and as many more as it likes.
 *
 * Whoever is free takes the next item. What comes of an item must not depend on who does it, nor on
 * what that one did before: then the number of workers changes nothing but the time.
 *
 * Uses: base. Used by: attack/estimate.
 */
#ifndef SC_ATTACK_WORK_H
#define SC_ATTACK_WORK_H

#include <starcloak/err.h>

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct sc__work {
    size_t item_count;
    /**
     * Do one item. A worker does one at a time, so what belongs to a worker needs no lock.
     *
     * @param worker   its number, 0 is the caller
     * @param is_over  somebody has failed: an item that takes long looks here now and then, and if
     *                 so returns with whatever it has
     */
    sc_err (*run)(void *context, unsigned worker, size_t item, const atomic_bool *is_over);
    void *context;
} sc__work;

/**
 * Do all items. The caller is the first worker: with one no thread is started. All threads have
 * ended when this returns, and take no signals meanwhile.
 *
 * @return SC_OK, SC_ENOMEM, SC_EIO (a thread cannot be started), or what an item failed with
 */
SC_CHECKED sc_err sc__work_share(const sc__work *work, unsigned worker_count);

#endif
