// The thread that runs attacks, and its queue.
//
// Invariants:
//  1. Every attack that was taken is handed to `done` once, in the attack thread, in order of
//     arrival; after that it is not touched any more.
//  2. The lock is held for a few words only: submitting never waits for an attack.
#include "demo/attack_on_demand_internal.h"

#include "base/alloc.h"
#include "base/diag.h"
#include "base/thread.h"
#include "engine/options.h"

#include <errno.h>
#include <string.h>

struct sc_attack_thread {
    // Read-only once the thread runs.
    const sc_map *map;  ///< borrowed
    sc_attack_thread_options options;
    pthread_t thread;
    bool is_started;

    sc_rng *rng;  ///< the thread's

    atomic_bool is_stopping;  ///< set under the lock, read anywhere

    pthread_mutex_t lock;
    pthread_cond_t has_changed;
    // Under the lock: those who wait, the oldest first.
    sc_attack_request *first;
    sc_attack_request *last;
    size_t waiting;
    bool is_ready;  ///< the thread has the priority that it keeps
};

// --- The thread ----------------------------------------------------------------------------------

/** The oldest that waits, or NULL: there is none, and there will be no more. */
static sc_attack_request *next_attack(sc_attack_thread *attacker)
{
    pthread_mutex_lock(&attacker->lock);
    while (!attacker->first && !atomic_load(&attacker->is_stopping)) {
        pthread_cond_wait(&attacker->has_changed, &attacker->lock);
    }
    sc_attack_request *attack = attacker->first;
    if (attack) {
        attacker->first = attack->next;
        if (!attacker->first) attacker->last = NULL;
        attacker->waiting--;
        attack->next = NULL;
    }
    pthread_mutex_unlock(&attacker->lock);
    return attack;
}

static void tell_ready(sc_attack_thread *attacker)
{
    pthread_mutex_lock(&attacker->lock);
    attacker->is_ready = true;
    pthread_cond_signal(&attacker->has_changed);
    pthread_mutex_unlock(&attacker->lock);
}

static void *work(void *argument)
{
    sc_attack_thread *attacker = argument;
    const sc__attack_examiner examiner = {.map = attacker->map,
                                          .options = &attacker->options,
                                          .rng = attacker->rng,
                                          .is_stopping = &attacker->is_stopping};
    sc_thread_lower_priority();
    tell_ready(attacker);
    for (sc_attack_request *attack; (attack = next_attack(attacker));) {
        attack->err = sc__attack_run(&examiner, attack);
        attacker->options.done(attacker->options.context, attack);
    }
    return NULL;
}

// --- Life ----------------------------------------------------------------------------------------

sc_attack_thread_options sc_attack_thread_options_default(void)
{
    return (sc_attack_thread_options){
        .engine = sc_engine_options_default(), .max_waiting = 8, .samples = 4096};
}

static sc_err check_options(const sc_map *map, const sc_attack_thread_options *options,
                            sc_diag *diag)
{
    if (!options->done || options->max_waiting < 1) {
        return sc_fail(
            diag, SC_EINVAL,
            "attack: a callback is needed, and at least one request must be allowed to wait");
    }
    if (options->samples < SC_ATTACK_BATCHES || options->samples > SC_ATTACK_REQUEST_SAMPLES_MAX) {
        return sc_fail(diag, SC_EINVAL, "attack: there must be %d to %d samples, not %llu",
                       SC_ATTACK_BATCHES, (int)SC_ATTACK_REQUEST_SAMPLES_MAX,
                       (unsigned long long)options->samples);
    }
    if (options->density &&
        sc_density_segment_count(options->density) != sc_map_segment_count(map)) {
        return sc_fail(diag, SC_EINVAL, "attack: the density is that of another map");
    }
    return sc__options_check(&options->engine, diag);
}

/** A service enters its sandbox when this is made, and there no priority can be changed any more: a
 * thread that has its first turn only then would compete with those who answer queries. */
static void await_ready(sc_attack_thread *attacker)
{
    pthread_mutex_lock(&attacker->lock);
    while (!attacker->is_ready) {
        pthread_cond_wait(&attacker->has_changed, &attacker->lock);
    }
    pthread_mutex_unlock(&attacker->lock);
}

sc_err sc_attack_thread_new(const sc_map *map, const sc_attack_thread_options *options,
                            sc_attack_thread **out, sc_diag *diag)
{
    sc_err err = check_options(map, options, diag);
    if (err) return err;
    sc_attack_thread *attacker = sc_calloc(1, sizeof *attacker);
    if (!attacker) return sc_fail_memory(diag, "starting the attack thread");
    attacker->map = map;
    attacker->options = *options;
    pthread_mutex_init(&attacker->lock, NULL);
    pthread_cond_init(&attacker->has_changed, NULL);
    err = sc_rng_new_secure(&attacker->rng);
    if (err == SC_ENOMEM) (void)sc_fail_memory(diag, "starting the attack thread");
    if (err == SC_EIO)
        (void)sc_fail(diag, err, "attack: the system's random generator is not available");
    if (!err) {
        err = sc_thread_start(&attacker->thread, work, attacker);
        attacker->is_started = err == SC_OK;
        if (err) (void)sc_fail(diag, err, "attack: cannot start a thread: %s", strerror(errno));
    }
    if (err) {
        sc_attack_thread_free(attacker);
        return err;
    }
    await_ready(attacker);
    *out = attacker;
    return SC_OK;
}

void sc_attack_thread_stop(sc_attack_thread *attacker)
{
    pthread_mutex_lock(&attacker->lock);
    atomic_store(&attacker->is_stopping, true);
    pthread_cond_signal(&attacker->has_changed);
    pthread_mutex_unlock(&attacker->lock);
}

void sc_attack_thread_free(sc_attack_thread *attacker)
{
    if (!attacker) return;
    if (attacker->is_started) {
        sc_attack_thread_stop(attacker);
        pthread_join(attacker->thread, NULL);
    }
    sc_rng_free(attacker->rng);
    pthread_cond_destroy(&attacker->has_changed);
    pthread_mutex_destroy(&attacker->lock);
    sc_free(attacker);
}

/** Under the lock. */
static void enqueue(sc_attack_thread *attacker, sc_attack_request *attack)
{
    attack->next = NULL;
    if (attacker->last) {
        attacker->last->next = attack;
    } else {
        attacker->first = attack;
    }
    attacker->last = attack;
    attacker->waiting++;
    pthread_cond_signal(&attacker->has_changed);
}

sc_err sc_attack_thread_submit(sc_attack_thread *attacker, sc_attack_request *attack, sc_diag *diag)
{
    sc_err err = sc__attack_check(attacker->map, attack, diag);
    if (err) return err;
    pthread_mutex_lock(&attacker->lock);
    if (atomic_load(&attacker->is_stopping)) {
        err = sc_fail(diag, SC_EINTERRUPTED, "attack: no more attacks are accepted");
    } else if (attacker->waiting >= attacker->options.max_waiting) {
        err = sc_fail(diag, SC_EBUSY, "attack: too many attacks are waiting");
    } else {
        enqueue(attacker, attack);
    }
    pthread_mutex_unlock(&attacker->lock);
    return err;
}
