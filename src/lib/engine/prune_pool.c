// A pool of threads that prune. starcloak/prune.h has the contract.
//
// Candidates wait in the queue of a pool of threads, finished cloaks in another; both are chained
// through the cloaks themselves, so that handing one over takes no memory and cannot fail. Each
// thread has a pruner and a generator of its own.
//
// The descriptor is an eventfd that counts 1 while something is finished and 0
// otherwise; it changes together with the queue, under the same lock, so that
// poll() never sleeps through a cloak and never wakes for none.
#include <starcloak/prune.h>

#include "base/alloc.h"
#include "base/thread_pool.h"
#include "engine/candidate.h"

#include <pthread.h>
#include <stddef.h>
#include <sys/eventfd.h>
#include <unistd.h>

/** What belongs to one thread. */
typedef struct prune_thread {
    sc_pruner *pruner;
    sc_rng *rng;
} prune_thread;

struct sc_prune_pool {
    // Set before a thread starts, then read only.
    int finished_fd;
    prune_thread *own;  ///< of each thread
    unsigned own_count;
    sc_thread_pool *threads;

    pthread_mutex_t lock;
    pthread_cond_t has_finished;

    // Under `lock`.
    sc_cloak *first_finished;
    sc_cloak *last_finished;
    size_t inside_count;  ///< given and not yet taken
};

// --- The threads ------------------------------------------------------------

static void prune(void *context, unsigned thread, void *job)
{
    sc_prune_pool *pool = context;
    const prune_thread *self = &pool->own[thread];
    sc_cloak *cloak = job;
    // Out of memory, the candidate is as it was: without segments, as promised.
    const sc_err err = sc_pruner_prune(self->pruner, cloak, self->rng);
    (void)err;

    pthread_mutex_lock(&pool->lock);
    if (pool->last_finished) {
        sc__candidate_of(pool->last_finished)->next = cloak;
    } else {
        pool->first_finished = cloak;
        eventfd_write(pool->finished_fd, 1);
    }
    pool->last_finished = cloak;
    pthread_cond_signal(&pool->has_finished);
    pthread_mutex_unlock(&pool->lock);
}

static sc_err start(sc_prune_pool *pool, const sc_map *map, unsigned threads, sc_rng *rng)
{
    pool->own = sc_calloc(threads, sizeof *pool->own);
    if (!pool->own) return SC_ENOMEM;
    sc_err err = SC_OK;
    while (!err && pool->own_count < threads) {
        prune_thread *made = &pool->own[pool->own_count++];
        err = sc_pruner_new(map, &made->pruner);
        if (!err) err = sc_rng_fork(rng, &made->rng);
    }
    if (err) return err;
    const sc_thread_pool_options options = {.thread_count = threads,
                                            .link = offsetof(sc__candidate, next),
                                            .run = prune,
                                            .context = pool};
    return sc_thread_pool_new(&options, &pool->threads);
}

// --- The pool ---------------------------------------------------------------

sc_err sc_prune_pool_new(const sc_map *map, unsigned threads, sc_rng *rng, sc_prune_pool **out)
{
    if (threads < 1 || threads > SC_PRUNE_THREADS_MAX) return SC_EINVAL;
    sc_prune_pool *pool = sc_calloc(1, sizeof *pool);
    if (!pool) return SC_ENOMEM;
    pool->lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    pool->has_finished = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
    pool->finished_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);

    sc_err err = pool->finished_fd < 0 ? SC_EIO : SC_OK;
    if (!err) err = start(pool, map, threads, rng);
    if (err) {
        sc_prune_pool_free(pool);
        return err;
    }
    *out = pool;
    return SC_OK;
}

static void free_cloak(void *job)
{
    sc_cloak_free(job);
}

// Under the lock; NULL if there is none.
static sc_cloak *take_finished(sc_prune_pool *pool)
{
    sc_cloak *cloak = pool->first_finished;
    if (!cloak) return NULL;
    pool->first_finished = sc__candidate_of(cloak)->next;
    sc__candidate_of(cloak)->next = NULL;
    pool->inside_count--;
    if (!pool->first_finished) {
        eventfd_t count = 0;
        pool->last_finished = NULL;
        eventfd_read(pool->finished_fd, &count);
    }
    return cloak;
}

void sc_prune_pool_free(sc_prune_pool *pool)
{
    if (!pool) return;
    sc_thread_pool_free(pool->threads, free_cloak);
    for (unsigned i = 0; i < pool->own_count; i++) {
        sc_pruner_free(pool->own[i].pruner);
        sc_rng_free(pool->own[i].rng);
    }
    for (sc_cloak *cloak; (cloak = take_finished(pool));) {
        sc_cloak_free(cloak);
    }
    pthread_cond_destroy(&pool->has_finished);
    pthread_mutex_destroy(&pool->lock);
    if (pool->finished_fd >= 0) close(pool->finished_fd);
    sc_free(pool->own);
    sc_free(pool);
}

void sc_prune_pool_give(sc_prune_pool *pool, sc_cloak *candidate)
{
    pthread_mutex_lock(&pool->lock);
    pool->inside_count++;
    pthread_mutex_unlock(&pool->lock);
    sc_thread_pool_put(pool->threads, candidate);
}

sc_cloak *sc_prune_pool_take(sc_prune_pool *pool, bool wait)
{
    pthread_mutex_lock(&pool->lock);
    while (wait && !pool->first_finished && pool->inside_count > 0) {
        pthread_cond_wait(&pool->has_finished, &pool->lock);
    }
    sc_cloak *cloak = take_finished(pool);
    pthread_mutex_unlock(&pool->lock);
    return cloak;
}

int sc_prune_pool_fd(const sc_prune_pool *pool)
{
    return pool->finished_fd;
}
