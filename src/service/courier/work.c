// What a clerk does with a job, by the kind of provider. See courier_internal.h.
#include "courier/courier_internal.h"

#include "base/clock.h"
#include "base/diag.h"
#include "base/rng.h"
#include "courier/retry.h"

#include <math.h>
#include <sodium.h>
#include <stddef.h>

static sc_failure suspended(sc_errand *errand)
{
    sc_fail(&errand->diag, SC_ENET,
            "the provider has failed too often, and is left alone for a while");
    return SC_FAILURE_SUSPENDED;
}

// --- Built in -------------------------------------------------------------------------------

static void do_built_in(sc__worker *worker, sc__job *job)
{
    sc_courier *courier = worker->courier;
    sc_errand *errand = job->errand;
    if (sc__courier_is_too_late(job)) {
        sc__courier_settle(courier, job, SC_FAILURE_UNSENT);
        return;
    }
    errand->tries = 1;
    atomic_fetch_add_explicit(&courier->tries, 1, memory_order_relaxed);
    // The set of this moment, until the answers are made: they are copies.
    sc_objects *objects = courier->options.objects ? sc_objects_hold(courier->options.objects)
                                                   : sc_object_feed_current(courier->options.feed);
    const sc_failure failure = sc__clerk_evaluate(&worker->desk, objects, errand);
    sc_objects_release(objects);
    sc__courier_settle(courier, job, failure);
}

// --- Over HTTP --------------------------------------------------------------------------------

static sc__job *job_of(const sc__exchange *exchange)
{
    return (sc__job *)(void *)((char *)(uintptr_t)exchange - offsetof(sc__job, exchange));
}

void sc__exchange_leaves(void *context, const sc__exchange *exchange)
{
    const sc_courier *courier = context;
    if (!courier->options.leaves) return;
    courier->options.leaves(courier->options.context, job_of(exchange)->errand, exchange->request,
                            exchange->request_size);
}

bool sc__exchange_may_go_on(void *context, const sc__exchange *exchange)
{
    return sc__courier_may_go_on(context, job_of(exchange));
}

void sc__exchange_back(void *context, sc__exchange *exchange)
{
    sc__job *job = job_of(exchange);
    job->errand->tries = exchange->tries;
    if (exchange->failure) {
        sc__courier_settle(context, job, exchange->failure);
    } else {
        job->is_replied = true;
        sc__courier_enqueue(context, job);
    }
}

static bool is_late(sc_errand *errand)
{
    if (sc_clock_us() < errand->deadline_us) return false;
    sc_fail(&errand->diag, SC_ELATE, "the deadline came before a clerk did: more of them may help");
    return true;
}

static void read_reply(sc__worker *worker, sc__job *job)
{
    sc_courier *courier = worker->courier;
    sc__exchange *exchange = &job->exchange;
    const sc_failure failure =
        is_late(job->errand)
            ? SC_FAILURE_TIMEOUT
            : sc__clerk_read(&worker->desk, job->errand, exchange->reply, exchange->reply_size);
    sc__courier_settle(courier, job, failure);
}

// Another gateway has asked.
static void read_given(sc__worker *worker, sc__job *job)
{
    const sc_failure failure = is_late(job->errand)
                                   ? SC_FAILURE_TIMEOUT
                                   : sc__clerk_read_given(&worker->desk, job->errand);
    sc__courier_settle(worker->courier, job, failure);
}

static void write_request(sc__worker *worker, sc__job *job)
{
    sc_courier *courier = worker->courier;
    sc_errand *errand = job->errand;
    sc_failure failure = sc__courier_is_too_late(job) ? SC_FAILURE_UNSENT : SC_FAILURE_NONE;
    if (!failure && !sc__courier_admit(courier, job)) failure = suspended(errand);
    if (!failure) failure = sc__clerk_write(&worker->desk, errand, &job->request);
    if (failure) {
        sc__courier_settle(courier, job, failure);
        return;
    }
    job->exchange = (sc__exchange){.request = job->request.data,
                                   .request_size = job->request.size,
                                   .leave_by_us = job->leave_by_us,
                                   .deadline_us = errand->deadline_us,
                                   .diag = &errand->diag};
    sc__wire_post(courier->wire, &job->exchange);
}

// --- Points -----------------------------------------------------------------------------------

// One round of questions, and no longer than until the errand's deadline.
static sc_failure ask_points(sc__worker *worker, sc__job *job)
{
    sc_courier *courier = worker->courier;
    sc_errand *errand = job->errand;
    const int64_t now_us = sc_clock_us();
    const double left_s = (double)(errand->deadline_us - now_us) * 1e-6;
    sc_point_options options = courier->points.options;
    options.leave_s = fmax((double)(job->leave_by_us - now_us) * 1e-6, 1e-6);
    if (!(options.deadline_s > 0.0 && options.deadline_s < left_s)) {
        options.deadline_s = fmax(left_s, 1e-3);
    }
    sc_point_work work = {.points = 0};
    errand->tries++;
    atomic_fetch_add_explicit(&courier->tries, 1, memory_order_relaxed);
    const sc_failure failure = sc__clerk_ask(&worker->desk, &options, worker->rng, errand, &work);
    atomic_fetch_add_explicit(&courier->bytes_out, work.bytes_out, memory_order_relaxed);
    atomic_fetch_add_explicit(&courier->bytes_in, work.bytes_in, memory_order_relaxed);
    // Whoever asks at points does not tell one from the other, and counts in milliseconds.
    const int64_t about_us = 5000;
    const bool is_over = sc_clock_us() >= errand->deadline_us - about_us;
    return failure == SC_FAILURE_UNREACHABLE && is_over ? SC_FAILURE_TIMEOUT : failure;
}

static void do_points(sc__worker *worker, sc__job *job)
{
    sc_courier *courier = worker->courier;
    sc_errand *errand = job->errand;
    sc_failure failure = sc__courier_is_too_late(job) ? SC_FAILURE_UNSENT : SC_FAILURE_NONE;
    if (!failure && !sc__courier_admit(courier, job)) failure = suspended(errand);
    while (!failure) {
        failure = ask_points(worker, job);
        if (failure != SC_FAILURE_UNREACHABLE || !sc__courier_may_go_on(courier, job)) break;
        // Nobody knows whether a word was said in a round that failed: the next one must leave in
        // time, too.
        const int64_t at_us = sc__retry_at(errand->tries, 0, sc_clock_us(), job->leave_by_us,
                                           sc_rng_unit(worker->rng));
        if (at_us == SC__RETRY_NEVER) break;
        failure = sc__courier_pause(courier, at_us) ? SC_FAILURE_NONE : SC_FAILURE_STOPPED;
    }
    sc__courier_settle(courier, job, failure);
}

/** Bytes; what the work on an errand goes down to is less. */
enum { STACK_USED = 8192 };

// --- All --------------------------------------------------------------------------------------

static void do_job(sc__worker *worker, sc__job *job)
{
    if (job->errand->given) {
        read_given(worker, job);
        return;
    }
    switch (worker->courier->options.kind) {
    case SC_COURIER_BUILT_IN:
        do_built_in(worker, job);
        break;
    case SC_COURIER_HTTP:
        if (job->is_replied) {
            read_reply(worker, job);
        } else {
            write_request(worker, job);
        }
        break;
    case SC_COURIER_POINTS:
        do_points(worker, job);
        break;
    }
}

static void do_job_and_wipe(sc__worker *worker, sc__job *job)
{
    do_job(worker, job);
    // Places and distances were on this stack, in frames and in registers that were saved there.
    sodium_stackzero(STACK_USED);
}

void *sc__worker_run(void *context)
{
    sc__worker *worker = context;
    sc_courier *courier = worker->courier;
    pthread_setname_np(pthread_self(), "clerk");
    for (sc__job *job = sc__courier_next(courier); job; job = sc__courier_next(courier)) {
        do_job_and_wipe(worker, job);
    }
    return NULL;
}

// --- In place -----------------------------------------------------------------------------------

// Returns whether some are left.
static bool do_jobs(sc__worker *worker, int64_t until_us)
{
    while (sc_clock_us() < until_us) {
        sc__job *job = sc__courier_take(worker->courier);
        if (!job) return false;
        do_job_and_wipe(worker, job);
    }
    return sc__courier_has_jobs(worker->courier);
}

bool sc_courier_turn(sc_courier *courier, int64_t until_us)
{
    bool is_left = do_jobs(&courier->workers[0], until_us);
    if (courier->wire && sc__wire_turn(courier->wire)) {
        is_left = do_jobs(&courier->workers[0], until_us);
    }
    return is_left;
}

bool sc_courier_is_asking(const sc_courier *courier)
{
    return courier->wire && sc__wire_is_busy(courier->wire);
}

void sc_courier_poll(sc_courier *courier, struct pollfd *fds, size_t count, int64_t wake_us)
{
    if (courier->wire && courier->is_in_place) {
        sc__wire_poll(courier->wire, fds, count, wake_us);
    } else {
        (void)poll(fds, count, sc_clock_wait_ms(sc_clock_us(), wake_us));
    }
}
