// The doubter: a thread, and those who wait for it. See doubt.h.
//
// Invariants:
//  1. Every doubt that was taken is handed to `done` once, in the doubter's thread, in the order in
//     which they came; after that it is not touched any more.
//  2. The lock is held for a few words only: nobody who submits ever waits for a doubt.
#include "demo/attack_on_demand_internal.h"

#include "base/alloc.h"
#include "base/diag.h"
#include "base/thread.h"
#include "engine/options.h"

#include <errno.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

struct sc_doubter {
    // Read-only once the thread runs.
    const sc_map *map;  ///< borrowed
    sc_doubter_options options;
    pthread_t thread;
    bool is_started;

    sc_rng *rng;  ///< the thread's

    atomic_bool is_stopping;  ///< set under the lock, read anywhere

    pthread_mutex_t lock;
    pthread_cond_t bell;
    // Under the lock: those who wait, the oldest first.
    sc_doubt *first;
    sc_doubt *last;
    size_t waiting;
    bool is_ready;  ///< the thread has the priority that it keeps
};

// --- The thread ----------------------------------------------------------------------------------

/** The oldest that waits, or NULL: there is none, and there will be no more. */
static sc_doubt *next_doubt(sc_doubter *doubter)
{
    pthread_mutex_lock(&doubter->lock);
    while (!doubter->first && !atomic_load(&doubter->is_stopping)) {
        pthread_cond_wait(&doubter->bell, &doubter->lock);
    }
    sc_doubt *doubt = doubter->first;
    if (doubt) {
        doubter->first = doubt->next;
        if (!doubter->first) doubter->last = NULL;
        doubter->waiting--;
        doubt->next = NULL;
    }
    pthread_mutex_unlock(&doubter->lock);
    return doubt;
}

/** Nicer than those who answer queries. Where that may not be, it is as it is. */
static void step_back(void)
{
    enum { STEP = 10, NICEST = 19 };
    // Of this thread alone: on Linux each has its own, and begins with that of whoever starts it.
    const id_t self = (id_t)gettid();
    const int niceness = getpriority(PRIO_PROCESS, self) + STEP;
    (void)setpriority(PRIO_PROCESS, self, niceness < NICEST ? niceness : NICEST);
}

static void tell_ready(sc_doubter *doubter)
{
    pthread_mutex_lock(&doubter->lock);
    doubter->is_ready = true;
    pthread_cond_signal(&doubter->bell);
    pthread_mutex_unlock(&doubter->lock);
}

static void *work(void *argument)
{
    sc_doubter *doubter = argument;
    const sc__examiner examiner = {.map = doubter->map,
                                   .options = &doubter->options,
                                   .rng = doubter->rng,
                                   .is_stopping = &doubter->is_stopping};
    step_back();
    tell_ready(doubter);
    for (sc_doubt *doubt; (doubt = next_doubt(doubter));) {
        doubt->err = sc__doubt_examine(&examiner, doubt);
        doubter->options.done(doubter->options.context, doubt);
    }
    return NULL;
}

// --- Life ----------------------------------------------------------------------------------------

sc_doubter_options sc_doubter_options_default(void)
{
    return (sc_doubter_options){
        .engine = sc_engine_options_default(), .max_waiting = 8, .samples = 4096};
}

static sc_err check_options(const sc_map *map, const sc_doubter_options *options, sc_diag *diag)
{
    if (!options->done || options->max_waiting < 1) {
        return sc_fail(diag, SC_EINVAL, "doubt: somebody must be told, and one be allowed to wait");
    }
    if (options->samples < SC_ATTACK_BATCHES || options->samples > SC_DOUBT_SAMPLES_MAX) {
        return sc_fail(diag, SC_EINVAL, "doubt: there must be %d to %d samples, not %llu",
                       SC_ATTACK_BATCHES, (int)SC_DOUBT_SAMPLES_MAX,
                       (unsigned long long)options->samples);
    }
    if (options->density &&
        sc_density_segment_count(options->density) != sc_map_segment_count(map)) {
        return sc_fail(diag, SC_EINVAL, "doubt: the density is that of another map");
    }
    return sc__options_check(&options->engine, diag);
}

/** A service enters its sandbox when this is made, and there no priority can be changed any more: a
 * thread that has its first turn only then would compete with those who answer queries. */
static void await_ready(sc_doubter *doubter)
{
    pthread_mutex_lock(&doubter->lock);
    while (!doubter->is_ready) {
        pthread_cond_wait(&doubter->bell, &doubter->lock);
    }
    pthread_mutex_unlock(&doubter->lock);
}

sc_err sc_doubter_new(const sc_map *map, const sc_doubter_options *options, sc_doubter **out,
                      sc_diag *diag)
{
    sc_err err = check_options(map, options, diag);
    if (err) return err;
    sc_doubter *doubter = sc_calloc(1, sizeof *doubter);
    if (!doubter) return sc_fail_memory(diag, "making a doubter");
    doubter->map = map;
    doubter->options = *options;
    pthread_mutex_init(&doubter->lock, NULL);
    pthread_cond_init(&doubter->bell, NULL);
    err = sc_rng_new_secure(&doubter->rng);
    if (err == SC_ENOMEM) (void)sc_fail_memory(diag, "making a doubter");
    if (err == SC_EIO) (void)sc_fail(diag, err, "doubt: the system gives no randomness");
    if (!err) {
        err = sc_thread_start(&doubter->thread, work, doubter);
        doubter->is_started = err == SC_OK;
        if (err) (void)sc_fail(diag, err, "doubt: cannot start a thread: %s", strerror(errno));
    }
    if (err) {
        sc_doubter_free(doubter);
        return err;
    }
    await_ready(doubter);
    *out = doubter;
    return SC_OK;
}

void sc_doubter_stop(sc_doubter *doubter)
{
    pthread_mutex_lock(&doubter->lock);
    atomic_store(&doubter->is_stopping, true);
    pthread_cond_signal(&doubter->bell);
    pthread_mutex_unlock(&doubter->lock);
}

void sc_doubter_free(sc_doubter *doubter)
{
    if (!doubter) return;
    if (doubter->is_started) {
        sc_doubter_stop(doubter);
        pthread_join(doubter->thread, NULL);
    }
    sc_rng_free(doubter->rng);
    pthread_cond_destroy(&doubter->bell);
    pthread_mutex_destroy(&doubter->lock);
    sc_free(doubter);
}

/** Under the lock. */
static void enqueue(sc_doubter *doubter, sc_doubt *doubt)
{
    doubt->next = NULL;
    if (doubter->last) {
        doubter->last->next = doubt;
    } else {
        doubter->first = doubt;
    }
    doubter->last = doubt;
    doubter->waiting++;
    pthread_cond_signal(&doubter->bell);
}

sc_err sc_doubter_submit(sc_doubter *doubter, sc_doubt *doubt, sc_diag *diag)
{
    sc_err err = sc__doubt_check(doubter->map, doubt, diag);
    if (err) return err;
    pthread_mutex_lock(&doubter->lock);
    if (atomic_load(&doubter->is_stopping)) {
        err = sc_fail(diag, SC_EINTERRUPTED, "doubt: no more are taken");
    } else if (doubter->waiting >= doubter->options.max_waiting) {
        err = sc_fail(diag, SC_EBUSY, "doubt: too many wait already");
    } else {
        enqueue(doubter, doubt);
    }
    pthread_mutex_unlock(&doubter->lock);
    return err;
}
