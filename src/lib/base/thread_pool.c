// A queue with many takers.
#include "base/thread_pool.h"

#include "base/alloc.h"
#include "base/thread.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

typedef struct pool_thread {
    sc_thread_pool *pool;
    unsigned number;
    pthread_t thread;
} pool_thread;

struct sc_thread_pool {
    // Read only.
    sc_thread_pool_options options;

    // Of the thread that makes and frees the pool.
    pool_thread *threads;
    unsigned started;

    pthread_mutex_t lock;
    pthread_cond_t has_waiting;  ///< or the end has come

    // Under `lock`.
    void *first;
    void *last;
    size_t waiting;
    unsigned idle;  ///< threads that sleep
    bool is_ending;
};

// A job's pointer to the next one may be of any type; its bytes are what is read and written.
static void *next_of(const sc_thread_pool *pool, const void *job)
{
    void *next = NULL;
    memcpy(&next, (const char *)job + pool->options.link, sizeof next);
    return next;
}

static void set_next(const sc_thread_pool *pool, void *job, void *next)
{
    memcpy((char *)job + pool->options.link, &next, sizeof next);
}

// Under the lock; NULL if there is none.
static void *take(sc_thread_pool *pool)
{
    void *job = pool->first;
    if (!job) return NULL;
    pool->first = next_of(pool, job);
    if (!pool->first) pool->last = NULL;
    pool->waiting--;
    set_next(pool, job, NULL);
    return job;
}

static void *work(void *argument)
{
    const pool_thread *self = argument;
    sc_thread_pool *pool = self->pool;
    pthread_mutex_lock(&pool->lock);
    for (;;) {
        while (!pool->first && !pool->is_ending) {
            pool->idle++;
            pthread_cond_wait(&pool->has_waiting, &pool->lock);
            pool->idle--;
        }
        if (pool->is_ending) break;
        void *job = take(pool);
        pthread_mutex_unlock(&pool->lock);
        pool->options.run(pool->options.context, self->number, job);
        pthread_mutex_lock(&pool->lock);
    }
    pthread_mutex_unlock(&pool->lock);
    return NULL;
}

sc_err sc_thread_pool_new(const sc_thread_pool_options *options, sc_thread_pool **out)
{
    sc_thread_pool *pool = sc_calloc(1, sizeof *pool);
    if (!pool) return SC_ENOMEM;
    pool->options = *options;
    pool->lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    pool->has_waiting = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
    pool->threads = sc_calloc(options->thread_count, sizeof *pool->threads);
    sc_err err = pool->threads ? SC_OK : SC_ENOMEM;
    while (!err && pool->started < options->thread_count) {
        pool_thread *thread = &pool->threads[pool->started];
        *thread = (pool_thread){.pool = pool, .number = pool->started};
        err = sc_thread_start(&thread->thread, work, thread);
        if (!err) pool->started++;
    }
    if (err) {
        const int why = errno;
        sc_thread_pool_free(pool, NULL);
        errno = why;
        return err;
    }
    *out = pool;
    return SC_OK;
}

void sc_thread_pool_free(sc_thread_pool *pool, void (*leave)(void *job))
{
    if (!pool) return;
    pthread_mutex_lock(&pool->lock);
    pool->is_ending = true;
    pthread_cond_broadcast(&pool->has_waiting);
    pthread_mutex_unlock(&pool->lock);
    for (unsigned i = 0; i < pool->started; i++) {
        pthread_join(pool->threads[i].thread, NULL);
    }
    for (void *job; leave && (job = take(pool));) {
        leave(job);
    }
    pthread_cond_destroy(&pool->has_waiting);
    pthread_mutex_destroy(&pool->lock);
    sc_free(pool->threads);
    sc_free(pool);
}

void sc_thread_pool_put(sc_thread_pool *pool, void *job)
{
    set_next(pool, job, NULL);
    pthread_mutex_lock(&pool->lock);
    if (pool->last) {
        set_next(pool, pool->last, job);
    } else {
        pool->first = job;
    }
    pool->last = job;
    pool->waiting++;
    // Threads that are at work look at the queue before they sleep.
    if (pool->idle > 0) pthread_cond_signal(&pool->has_waiting);
    pthread_mutex_unlock(&pool->lock);
}

size_t sc_thread_pool_waiting(sc_thread_pool *pool)
{
    pthread_mutex_lock(&pool->lock);
    const size_t waiting = pool->waiting;
    pthread_mutex_unlock(&pool->lock);
    return waiting;
}
