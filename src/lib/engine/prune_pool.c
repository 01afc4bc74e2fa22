// A pool of threads that prune. See starcloak/prune.h.
//
// Candidates wait in one queue, finished cloaks in another; both are chained
// through the cloaks themselves, so that handing one over takes no memory and
// cannot fail. Each thread has a pruner and a generator of its own and holds the
// lock only while it moves a cloak from or to a queue.
//
// The descriptor is an eventfd that counts 1 while something is finished and 0
// otherwise; it changes together with the queue, under the same lock, so that
// poll() never sleeps through a cloak and never wakes for none.
//
// Used by: whoever drives an engine and has processors to spare.
#include <starcloak/prune.h>

#include "base/alloc.h"
#include "base/thread.h"
#include "engine/cloak_make.h"

#include <sys/eventfd.h>
#include <unistd.h>

/** Cloaks chained by `next`, first in, first out. */
typedef struct queue {
    sc_cloak *first;
    sc_cloak *last;
} queue;

typedef struct worker {
    sc_prune_pool *pool;
    sc_pruner *pruner;
    sc_rng *rng;
    pthread_t thread;
} worker;

struct sc_prune_pool {
    // Set before a thread starts, then read only.
    int finished_fd;

    // Of the thread that makes and frees the pool.
    worker *workers;
    unsigned worker_count;  ///< whose pruner and generator are made, or are being made
    unsigned thread_count;  ///< that were started

    pthread_mutex_t lock;

    // Under `lock`.
    pthread_cond_t has_waiting;  ///< or the end has come
    pthread_cond_t has_finished;
    queue waiting;
    queue finished;
    size_t inside_count;  ///< given and not yet taken
    bool is_ending;
};

static void put(queue *q, sc_cloak *cloak)
{
    sc__candidate_of(cloak)->next = NULL;
    if (q->last) {
        sc__candidate_of(q->last)->next = cloak;
    } else {
        q->first = cloak;
    }
    q->last = cloak;
}

static sc_cloak *take(queue *q)
{
    sc_cloak *cloak = q->first;
    if (!cloak) return NULL;
    q->first = sc__candidate_of(cloak)->next;
    if (!q->first) q->last = NULL;
    sc__candidate_of(cloak)->next = NULL;
    return cloak;
}

// --- The threads ------------------------------------------------------------

static void *work(void *argument)
{
    worker *self = argument;
    sc_prune_pool *pool = self->pool;
    pthread_mutex_lock(&pool->lock);
    for (;;) {
        sc_cloak *cloak = NULL;
        while (!pool->is_ending && !(cloak = take(&pool->waiting))) {
            pthread_cond_wait(&pool->has_waiting, &pool->lock);
        }
        if (!cloak) break;

        pthread_mutex_unlock(&pool->lock);
        // Out of memory, the candidate is as it was: without segments, as promised.
        const sc_err err = sc_pruner_prune(self->pruner, cloak, self->rng);
        (void)err;
        pthread_mutex_lock(&pool->lock);

        if (!pool->finished.first) eventfd_write(pool->finished_fd, 1);
        put(&pool->finished, cloak);
        pthread_cond_signal(&pool->has_finished);
    }
    pthread_mutex_unlock(&pool->lock);
    return NULL;
}

static sc_err start_worker(sc_prune_pool *pool, const sc_map *map, sc_rng *rng)
{
    worker *w = &pool->workers[pool->worker_count++];
    w->pool = pool;
    sc_err err = sc_pruner_new(map, &w->pruner);
    if (!err) err = sc_rng_fork(rng, &w->rng);
    if (!err) err = sc_thread_start(&w->thread, work, w);
    if (!err) pool->thread_count++;
    return err;
}

static sc_err start_workers(sc_prune_pool *pool, const sc_map *map, unsigned threads, sc_rng *rng)
{
    sc_err err = SC_OK;
    while (!err && pool->thread_count < threads) {
        err = start_worker(pool, map, rng);
    }
    return err;
}

// --- The pool ---------------------------------------------------------------

sc_err sc_prune_pool_new(const sc_map *map, unsigned threads, sc_rng *rng, sc_prune_pool **out)
{
    if (threads < 1 || threads > SC_PRUNE_THREADS_MAX) return SC_EINVAL;
    sc_prune_pool *pool = sc_calloc(1, sizeof *pool);
    if (!pool) return SC_ENOMEM;
    pool->lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    pool->has_waiting = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
    pool->has_finished = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
    pool->finished_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);

    sc_err err = pool->finished_fd < 0 ? SC_EIO : SC_OK;
    if (!err) {
        pool->workers = sc_calloc(threads, sizeof *pool->workers);
        err = pool->workers ? start_workers(pool, map, threads, rng) : SC_ENOMEM;
    }
    if (err) {
        sc_prune_pool_free(pool);
        return err;
    }
    *out = pool;
    return SC_OK;
}

static void free_all(queue *q)
{
    for (sc_cloak *cloak; (cloak = take(q));) {
        sc_cloak_free(cloak);
    }
}

void sc_prune_pool_free(sc_prune_pool *pool)
{
    if (!pool) return;
    pthread_mutex_lock(&pool->lock);
    pool->is_ending = true;
    pthread_cond_broadcast(&pool->has_waiting);
    pthread_mutex_unlock(&pool->lock);
    for (unsigned i = 0; i < pool->thread_count; i++) {
        pthread_join(pool->workers[i].thread, NULL);
    }
    for (unsigned i = 0; i < pool->worker_count; i++) {
        sc_pruner_free(pool->workers[i].pruner);
        sc_rng_free(pool->workers[i].rng);
    }
    free_all(&pool->waiting);
    free_all(&pool->finished);
    pthread_cond_destroy(&pool->has_finished);
    pthread_cond_destroy(&pool->has_waiting);
    pthread_mutex_destroy(&pool->lock);
    if (pool->finished_fd >= 0) close(pool->finished_fd);
    sc_free(pool->workers);
    sc_free(pool);
}

void sc_prune_pool_give(sc_prune_pool *pool, sc_cloak *candidate)
{
    pthread_mutex_lock(&pool->lock);
    put(&pool->waiting, candidate);
    pool->inside_count++;
    pthread_cond_signal(&pool->has_waiting);
    pthread_mutex_unlock(&pool->lock);
}

sc_cloak *sc_prune_pool_take(sc_prune_pool *pool, bool wait)
{
    pthread_mutex_lock(&pool->lock);
    while (wait && !pool->finished.first && pool->inside_count > 0) {
        pthread_cond_wait(&pool->has_finished, &pool->lock);
    }
    sc_cloak *cloak = take(&pool->finished);
    if (cloak) {
        pool->inside_count--;
        eventfd_t count = 0;
        if (!pool->finished.first) eventfd_read(pool->finished_fd, &count);
    }
    pthread_mutex_unlock(&pool->lock);
    return cloak;
}

int sc_prune_pool_fd(const sc_prune_pool *pool)
{
    return pool->finished_fd;
}
