// The threads that evaluate cloaks, and their jobs.
//
// All evaluators take from one queue, so that a request that takes long delays no other. Results go
// back by the handover of the loop that the job came from.
#include "provider/provider_internal.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/diag.h"

#include <errno.h>
#include <string.h>

// --- Jobs ------------------------------------------------------------------------------

sc__provider_job *sc__provider_job_new(const void *body, size_t size)
{
    if (size > SIZE_MAX - sizeof(sc__provider_job)) return NULL;
    sc__provider_job *job = sc_malloc(sizeof *job + size);
    if (!job) return NULL;
    *job = (sc__provider_job){.size = size};
    if (size > 0) memcpy(job->body, body, size);
    return job;
}

void sc__provider_job_free(sc__provider_job *job)
{
    if (!job) return;
    sc_bytes_fini(&job->reply);
    sc_free(job);
}

// --- Answering -------------------------------------------------------------------------

sc_objects *sc__provider_objects(const sc_provider_options *options)
{
    return options->objects ? sc_objects_hold(options->objects)
                            : sc_object_feed_current(options->feed);
}

/** The same objects from the first word to the last, whatever the feed brings meanwhile. */
static sc_err answer_with(sc__provider_evaluator *evaluator, const sc_objects *objects,
                          sc__provider_job *job)
{
    const sc__provider_pool *pool = evaluator->pool;
    const sc_vocabulary *vocabulary = sc_objects_vocabulary(objects);
    sc_relay *relay = NULL;
    sc_err err = sc_relay_decode(&(sc_codec){.map = pool->map,
                                             .vocabulary = vocabulary,
                                             .encoding = job->encoding,
                                             .limits = &pool->options->codec},
                                 job->body, job->size, &relay, &job->diag);
    if (!err) err = sc_lbs_evaluate(evaluator->lbs, objects, relay, &evaluator->reply, &job->diag);
    if (!err) {
        err = sc_reply_encode(
            &(sc_codec){.map = pool->map, .vocabulary = vocabulary, .encoding = job->encoding},
            relay, &evaluator->reply, &job->reply, &job->diag);
    }
    sc_relay_free(relay);
    return err;
}

static void count_work(sc__provider_evaluator *evaluator)
{
    sc__provider_counts *counts = evaluator->pool->counts;
    const sc_lbs_work work = sc_lbs_get_work(evaluator->lbs);
    atomic_fetch_add_explicit(&counts->looked_up, work.looked_up - evaluator->work.looked_up,
                              memory_order_relaxed);
    atomic_fetch_add_explicit(&counts->searched, work.searched - evaluator->work.searched,
                              memory_order_relaxed);
    evaluator->work = work;
}

void sc__provider_evaluate(sc__provider_evaluator *evaluator, sc__provider_job *job)
{
    const int64_t begun_us = sc_clock_us();
    sc_objects *objects = sc__provider_objects(evaluator->pool->options);
    job->err = answer_with(evaluator, objects, job);
    sc_objects_release(objects);
    count_work(evaluator);
    sc_histogram_add(&evaluator->pool->counts->evaluation_s,
                     (double)(sc_clock_us() - begun_us) / 1e6);
}

// --- Threads ---------------------------------------------------------------------------

static void work(void *context, unsigned thread, void *item)
{
    const sc__provider_pool *pool = context;
    sc__provider_job *job = item;
    if (!atomic_load_explicit(&job->is_unwanted, memory_order_relaxed)) {
        pool->answer(&pool->evaluators[thread], job);
    }
    // There is room for every job there is.
    (void)sc_handover_put(pool->back[job->loop], &job);
}

static sc_err open_evaluator(sc__provider_pool *pool, sc__provider_evaluator *evaluator,
                             sc_diag *diag)
{
    evaluator->pool = pool;
    sc_reply_init(&evaluator->reply);
    return sc_lbs_new(pool->map, &pool->options->lbs, &evaluator->lbs, diag);
}

static sc_err start_threads(sc__provider_pool *pool, sc_diag *diag)
{
    const sc_thread_pool_options options = {.thread_count = pool->options->threads,
                                            .link = offsetof(sc__provider_job, next),
                                            .run = work,
                                            .context = pool};
    const sc_err err = sc_thread_pool_new(&options, &pool->threads);
    if (err == SC_EIO) {
        return sc_fail(diag, SC_EIO, "cannot start a thread that evaluates: %s", strerror(errno));
    }
    return err ? sc_fail_memory(diag, "starting the threads that evaluate") : SC_OK;
}

sc_err sc__provider_pool_start(sc__provider_pool *pool, sc_diag *diag)
{
    pool->evaluators = sc_calloc(pool->options->threads, sizeof *pool->evaluators);
    if (!pool->evaluators) return sc_fail_memory(diag, "starting the threads that evaluate");

    sc_err err = SC_OK;
    while (!err && pool->evaluator_count < pool->options->threads) {
        err = open_evaluator(pool, &pool->evaluators[pool->evaluator_count++], diag);
    }
    return err ? err : start_threads(pool, diag);
}

static void free_job(void *item)
{
    sc__provider_job_free(item);
}

void sc__provider_pool_fini(sc__provider_pool *pool)
{
    sc_thread_pool_free(pool->threads, free_job);
    for (size_t i = 0; i < pool->evaluator_count; i++) {
        sc_reply_fini(&pool->evaluators[i].reply);
        sc_lbs_free(pool->evaluators[i].lbs);
    }
    sc_free(pool->evaluators);
    *pool = (sc__provider_pool){.evaluators = NULL};
}

void sc__provider_pool_put(sc__provider_pool *pool, sc__provider_job *job)
{
    sc_thread_pool_put(pool->threads, job);
}

size_t sc__provider_pool_waiting(sc__provider_pool *pool)
{
    return sc_thread_pool_waiting(pool->threads);
}
