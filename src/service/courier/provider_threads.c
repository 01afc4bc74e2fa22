// Provider threads: the queue of jobs, the breaker before the provider, and what such a thread does
// with a job, by the kind of provider. See courier_internal.h.
//
// A thread takes one job at a time, however many wait: the lock costs a thousandth of the work, and
// what is behind a hard job can so be taken by another thread.
#include "base/clock.h"
#include "base/diag.h"
#include "base/rng.h"
#include "courier/courier_internal.h"
#include "courier/provider_request.h"

#include <math.h>
#include <sodium.h>
#include <stddef.h>
#include <stdio.h>

// --- The queue ------------------------------------------------------------------------------

/** Steps, 4 ms of a processor: more is dear. An ordinary cloak costs some hundreds. */
#define DEAR_STEPS 20000.0

// Under the lock. A job has its moment to leave until it has been sent.
static void append(sc_courier *courier, sc__job *job)
{
    sc_deadlines_add(&courier->queue[job->is_dear], job->order_us, job, &job->place);
    if (!job->is_replied) sc_deadlines_add(&courier->leaving, job->leave_by_us, job, &job->leaving);
    // A thread is counted as called when it is signalled, so that several jobs at once call several
    // threads, and none twice.
    if (courier->idle_count > 0) {
        courier->idle_count--;
        pthread_cond_signal(&courier->is_needed);
    } else if (!courier->is_in_place && !job->is_replied && job->leave_by_us < courier->look_us) {
        // No thread may come for it in time. What a thread was called for needs no watch.
        courier->look_us = job->leave_by_us;
        pthread_cond_signal(&courier->is_changed);
    }
}

// Under the lock.
static void take_out(sc_courier *courier, sc__job *job)
{
    sc_deadlines_cancel(&courier->queue[job->is_dear], &job->place);
    if (!job->is_replied) sc_deadlines_cancel(&courier->leaving, &job->leaving);
}

// Under the lock: the job whose turn it is, cheap or dear; NULL: there is none for a thread now.
static sc__job *first_in_order(const sc_courier *courier, bool may_be_dear)
{
    const bool is_dear = may_be_dear && sc_deadlines_next(&courier->queue[true]) <
                                            sc_deadlines_next(&courier->queue[false]);
    return sc_deadlines_first(&courier->queue[is_dear]);
}

// Under the lock: whether a thread may take a dear job, so that half of them are left to others.
static bool may_take_dear(const sc_courier *courier)
{
    return courier->dear_count < (courier->thread_count + 1) / 2;
}

// Under the lock.
static sc__job *take_first(sc_courier *courier)
{
    sc__job *job = first_in_order(courier, true);
    if (job) take_out(courier, job);
    return job;
}

void sc__courier_enqueue(sc_courier *courier, sc__job *job)
{
    pthread_mutex_lock(&courier->lock);
    append(courier, job);
    pthread_mutex_unlock(&courier->lock);
}

sc__job *sc__courier_next(sc_courier *courier)
{
    sc__job *job = NULL;
    pthread_mutex_lock(&courier->lock);
    while (!(job = first_in_order(courier, may_take_dear(courier))) && !courier->is_stopping) {
        courier->idle_count++;
        pthread_cond_wait(&courier->is_needed, &courier->lock);
    }
    if (courier->is_stopping) {
        job = NULL;
    } else {
        take_out(courier, job);
        courier->dear_count += job->is_dear;
    }
    pthread_mutex_unlock(&courier->lock);
    return job;
}

void sc__courier_done(sc_courier *courier, bool was_dear)
{
    if (!was_dear) return;
    pthread_mutex_lock(&courier->lock);
    courier->dear_count--;
    // Threads that were called for dear jobs and could not take them wait for this.
    if (courier->queue[true].count > 0 && courier->idle_count > 0) {
        courier->idle_count--;
        pthread_cond_signal(&courier->is_needed);
    }
    pthread_mutex_unlock(&courier->lock);
}

sc__job *sc__courier_take(sc_courier *courier)
{
    pthread_mutex_lock(&courier->lock);
    sc__job *job = take_first(courier);
    pthread_mutex_unlock(&courier->lock);
    return job;
}

bool sc__courier_has_jobs(sc_courier *courier)
{
    pthread_mutex_lock(&courier->lock);
    const bool has_jobs = courier->queue[false].count > 0 || courier->queue[true].count > 0;
    pthread_mutex_unlock(&courier->lock);
    return has_jobs;
}

static struct timespec moment(int64_t us)
{
    return (struct timespec){.tv_sec = (time_t)(us / 1000000),
                             .tv_nsec = (long)(us % 1000000) * 1000};
}

bool sc__courier_pause(sc_courier *courier, int64_t until_us)
{
    const struct timespec until = moment(until_us);
    pthread_mutex_lock(&courier->lock);
    while (!courier->is_stopping && sc_clock_us() < until_us) {
        pthread_cond_timedwait(&courier->is_over, &courier->lock, &until);
    }
    const bool goes_on = !courier->is_stopping;
    pthread_mutex_unlock(&courier->lock);
    return goes_on;
}

// --- The watch ------------------------------------------------------------------------------

bool sc__courier_is_too_late(const sc__job *job)
{
    if (sc_clock_us() < job->leave_by_us) return false;
    sc_fail(&job->errand->diag, SC_ELATE,
            "no provider thread was free before the least deadline of a cloak, so it was not sent; "
            "raise "
            "provider-threads");
    return true;
}

// Under the lock: sleep until the next one must leave, or an earlier one comes.
static void sleep_until_due(sc_courier *courier)
{
    courier->look_us = sc_deadlines_next(&courier->leaving);
    if (courier->look_us != INT64_MAX) {
        const struct timespec until = moment(courier->look_us);
        pthread_cond_timedwait(&courier->is_changed, &courier->lock, &until);
    } else {
        pthread_cond_wait(&courier->is_changed, &courier->lock);
    }
}

void *sc__watch_run(void *context)
{
    sc_courier *courier = context;
    pthread_setname_np(pthread_self(), "courier-watch");
    pthread_mutex_lock(&courier->lock);
    while (!courier->is_stopping) {
        sc__job *job = sc_deadlines_first(&courier->leaving);
        if (job && sc__courier_is_too_late(job)) {
            take_out(courier, job);
            pthread_mutex_unlock(&courier->lock);
            sc__courier_settle(courier, job, SC_FAILURE_UNSENT);
            pthread_mutex_lock(&courier->lock);
        } else {
            sleep_until_due(courier);
        }
    }
    pthread_mutex_unlock(&courier->lock);
    return NULL;
}

// --- The gate -------------------------------------------------------------------------------

bool sc__courier_admit(sc_courier *courier, sc__job *job)
{
    const int64_t now_us = sc_clock_us();
    pthread_mutex_lock(&courier->lock);
    const bool is_admitted = sc__breaker_admit(&courier->breaker, now_us, &job->is_trial);
    pthread_mutex_unlock(&courier->lock);
    return is_admitted;
}

bool sc__courier_may_go_on(sc_courier *courier, const sc__job *job)
{
    pthread_mutex_lock(&courier->lock);
    const bool may_go_on = sc__breaker_may_go_on(&courier->breaker, job->is_trial);
    pthread_mutex_unlock(&courier->lock);
    return may_go_on;
}

/** A provider that is too slow for one errand need not be for others. */
#define OUTLIER_RATIO 8.0

// Under the lock: whether a job without a reply in time says nothing about the provider, since
// others that were under way with it came back well, or since it costs far more than they do.
static bool is_outlier(const sc_courier *courier, const sc__job *job)
{
    return courier->well_us > job->sent_us ||
           (courier->well_cost > 0 && job->cost > OUTLIER_RATIO * courier->well_cost);
}

// Under the lock.
static void remember_well(sc_courier *courier, const sc__job *job, int64_t now_us)
{
    const double weight = courier->well_cost > 0 ? 1.0 / 16 : 1;
    courier->well_us = now_us;
    courier->well_cost += weight * (fmax(job->cost, 1) - courier->well_cost);
}

// What the end of a job tells about the provider. Under the lock.
static sc__verdict verdict_of(const sc_courier *courier, const sc__job *job, sc_failure failure)
{
    if (job->errand->given) return SC__NO_VERDICT;
    switch (failure) {
    case SC_FAILURE_NONE:
        return SC__WENT_WELL;
    case SC_FAILURE_UNREACHABLE:
    case SC_FAILURE_UNBELIEVABLE:
        return SC__WENT_BADLY;
    case SC_FAILURE_TIMEOUT:
        // It may not have been asked, or have answered in time, and the threads were late.
        return job->errand->tries > 0 && !job->is_replied && !is_outlier(courier, job)
                   ? SC__WENT_BADLY
                   : SC__NO_VERDICT;
    case SC_FAILURE_REFUSED:
        if (job->errand->tries == 0) return SC__NO_VERDICT;
        return job->exchange.status >= 500 ? SC__WENT_BADLY : SC__WENT_WELL;
    default:
        return SC__NO_VERDICT;
    }
}

// --- There and back -------------------------------------------------------------------------

// Under the lock; NULL: all are out.
static sc__job *take_spare(sc_courier *courier)
{
    sc__job *job = courier->spare;
    if (job) {
        courier->spare = job->next;
    } else if (courier->job_count < courier->options.max_errands) {
        job = &courier->jobs[courier->job_count++];
    }
    return job;
}

sc_err sc_courier_send(sc_courier *courier, sc_errand *errand)
{
    const int64_t now_us = sc_clock_us();
    const bool is_given = errand->given != NULL;  // the errand may be gone before this returns
    for (size_t i = 0; i < errand->place_count; i++) {
        errand->places[i].answer = NULL;
    }
    errand->failure = SC_FAILURE_NONE;
    errand->diag.message[0] = '\0';
    errand->latency_s = 0.0;
    errand->reply = (sc_bytes){.data = NULL};
    errand->tries = 0;
    const double cost = is_given ? 0 : sc_cost_of_relay(courier->costs, errand->relay);
    pthread_mutex_lock(&courier->lock);
    sc__job *job = courier->is_stopping ? NULL : take_spare(courier);
    if (job) {
        *job = (sc__job){.errand = errand,
                         .sent_us = now_us,
                         .cost = cost,
                         .order_us = sc__order_of(now_us, cost),
                         .is_dear = cost > DEAR_STEPS,
                         .is_replied = is_given,
                         .leave_by_us = errand->leave_by_us < errand->deadline_us
                                            ? errand->leave_by_us
                                            : errand->deadline_us};
        courier->under_way++;
        append(courier, job);
    }
    pthread_mutex_unlock(&courier->lock);
    if (!job) return SC_EBUSY;
    if (!is_given) atomic_fetch_add_explicit(&courier->sent, 1, memory_order_relaxed);
    return SC_OK;
}

// An answer that comes after the deadline is none.
static sc_failure forget_late_answers(sc_errand *errand)
{
    for (size_t i = 0; i < errand->place_count; i++) {
        sc_answer_free(errand->places[i].answer);
        errand->places[i].answer = NULL;
    }
    sc_fail(&errand->diag, SC_ELATE, "the answers were not ready before the deadline");
    return SC_FAILURE_TIMEOUT;
}

// What tells how the provider does.
static void count(sc_courier *courier, const sc_errand *errand)
{
    if (errand->failure) {
        atomic_fetch_add_explicit(&courier->failed[errand->failure], 1, memory_order_relaxed);
    } else {
        sc_histogram_add(&courier->latency, errand->latency_s);
    }
}

void sc__courier_settle(sc_courier *courier, sc__job *job, sc_failure failure)
{
    sc_errand *errand = job->errand;
    const int64_t now_us = sc_clock_us();
    const sc_failure provider_failure = failure;  // our own lateness is none of the provider's
    if (!failure && now_us > errand->deadline_us) failure = forget_late_answers(errand);
    if (failure == SC_FAILURE_STOPPED) {
        sc_fail(&errand->diag, SC_EINTERRUPTED, "the service stopped before the provider answered");
    }
    errand->failure = failure;
    errand->latency_s = (double)(now_us - job->sent_us) * 1e-6;
    if (failure) {
        sc_bytes_fini(&errand->reply);
    } else {
        errand->diag.message[0] = '\0';  // of tries before
    }
    if (!errand->given) count(courier, errand);
    if (courier->connections) sc__connections_forget(courier->connections, &job->exchange);
    sc_bytes_fini(&job->request);

    pthread_mutex_lock(&courier->lock);
    const sc__verdict verdict = verdict_of(courier, job, provider_failure);
    if (verdict == SC__WENT_WELL) remember_well(courier, job, now_us);
    sc__breaker_report(&courier->breaker, now_us, job->is_trial, verdict);
    job->next = courier->spare;
    courier->spare = job;
    courier->under_way--;
    pthread_mutex_unlock(&courier->lock);
    courier->options.back(courier->options.context, errand);
}

void sc__courier_clear(sc_courier *courier)
{
    for (sc__job *job = take_first(courier); job; job = take_first(courier)) {
        sc__courier_settle(courier, job, SC_FAILURE_STOPPED);
    }
}

static sc_failure suspended(sc_errand *errand)
{
    sc_fail(&errand->diag, SC_ENET, "the provider failed too often and is suspended for a while");
    return SC_FAILURE_SUSPENDED;
}

// --- Built in -------------------------------------------------------------------------------

static void do_built_in(sc__provider_thread *thread, sc__job *job)
{
    sc_courier *courier = thread->courier;
    sc_errand *errand = job->errand;
    if (sc__courier_is_too_late(job)) {
        sc__courier_settle(courier, job, SC_FAILURE_UNSENT);
        return;
    }
    errand->tries = 1;
    atomic_fetch_add_explicit(&courier->tries, 1, memory_order_relaxed);
    sc_object_feed *feed = courier->options.objects ? NULL : courier->options.feed;
    const uint64_t loads = feed ? sc_object_feed_status(feed).loads : 0;
    // The set of this moment, until the answers are made: they are copies.
    sc_objects *objects = courier->options.objects ? sc_objects_hold(courier->options.objects)
                                                   : sc_object_feed_current(courier->options.feed);
    const sc_failure failure = sc__answerer_evaluate(&thread->answerer, objects, errand);
    if (feed) sc__courier_recount(courier, objects, loads);
    sc_objects_release(objects);
    sc__courier_settle(courier, job, failure);
}

// --- Over HTTP ------------------------------------------------------------------------------

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
    sc_fail(&errand->diag, SC_ELATE,
            "the deadline came before a provider thread was free; raise provider-threads");
    return true;
}

static void read_reply(sc__provider_thread *thread, sc__job *job)
{
    sc_courier *courier = thread->courier;
    sc__exchange *exchange = &job->exchange;
    const sc_failure failure = is_late(job->errand)
                                   ? SC_FAILURE_TIMEOUT
                                   : sc__answerer_read(&thread->answerer, job->errand,
                                                       exchange->reply, exchange->reply_size);
    sc__courier_settle(courier, job, failure);
}

// Another gateway has asked.
static void read_given(sc__provider_thread *thread, sc__job *job)
{
    const sc_failure failure = is_late(job->errand)
                                   ? SC_FAILURE_TIMEOUT
                                   : sc__answerer_read_given(&thread->answerer, job->errand);
    sc__courier_settle(thread->courier, job, failure);
}

static void write_request(sc__provider_thread *thread, sc__job *job)
{
    sc_courier *courier = thread->courier;
    sc_errand *errand = job->errand;
    sc_failure failure = sc__courier_is_too_late(job) ? SC_FAILURE_UNSENT : SC_FAILURE_NONE;
    if (!failure && !sc__courier_admit(courier, job)) failure = suspended(errand);
    if (!failure) failure = sc__answerer_write(&thread->answerer, errand, &job->request);
    if (failure) {
        sc__courier_settle(courier, job, failure);
        return;
    }
    job->exchange = (sc__exchange){.request = job->request.data,
                                   .request_size = job->request.size,
                                   .leave_by_us = job->leave_by_us,
                                   .deadline_us = errand->deadline_us,
                                   .order_us = job->order_us,
                                   .is_dear = job->is_dear,
                                   .diag = &errand->diag};
    sc__connections_post(courier->connections, &job->exchange);
}

// --- Points ---------------------------------------------------------------------------------

// One round of questions, and no longer than until the errand's deadline.
static sc_failure ask_points(sc__provider_thread *thread, sc__job *job)
{
    sc_courier *courier = thread->courier;
    sc_errand *errand = job->errand;
    const int64_t now_us = sc_clock_us();
    const double left_s = (double)(errand->deadline_us - now_us) * 1e-6;
    const sc_point_patience patience = {.deadline_s = fmax(left_s, 1e-3),
                                        .leave_s =
                                            fmax((double)(job->leave_by_us - now_us) * 1e-6, 1e-6)};
    sc_point_work work = {.points = 0};
    errand->tries++;
    atomic_fetch_add_explicit(&courier->tries, 1, memory_order_relaxed);
    const sc_failure failure =
        sc__answerer_ask(&thread->answerer, thread->points, &patience, thread->rng, errand, &work);
    job->exchange.status = sc_point_provider_status(thread->points);
    atomic_fetch_add_explicit(&courier->bytes_out, work.bytes_out, memory_order_relaxed);
    atomic_fetch_add_explicit(&courier->bytes_in, work.bytes_in, memory_order_relaxed);
    // A point provider's client does not tell one from the other, and counts in milliseconds.
    const int64_t about_us = 5000;
    const bool is_over = sc_clock_us() >= errand->deadline_us - about_us;
    // A redirect, or a refusal: the next answer will be the same.
    const int status = job->exchange.status;
    if (status != 0 && !sc__retry_may_help(status)) return SC_FAILURE_REFUSED;
    return failure == SC_FAILURE_UNREACHABLE && is_over ? SC_FAILURE_TIMEOUT : failure;
}

// A round may be hundreds of questions, and is asked from its beginning: one that answers with
// errors is given this many. Where there was no answer, the deadline is the only limit.
enum { MAX_ANSWERED_ROUNDS = 4 };

/** One round of questions about an errand. */
typedef sc_failure (*ask_once)(sc__provider_thread *thread, sc__job *job);

static void ask_until_answered(sc__provider_thread *thread, sc__job *job, ask_once ask)
{
    unsigned answered = 0;
    sc_courier *courier = thread->courier;
    sc_errand *errand = job->errand;
    sc_failure failure = sc__courier_is_too_late(job) ? SC_FAILURE_UNSENT : SC_FAILURE_NONE;
    if (!failure && !sc__courier_admit(courier, job)) failure = suspended(errand);
    while (!failure) {
        failure = ask(thread, job);
        if (job->exchange.status != 0 && ++answered == MAX_ANSWERED_ROUNDS) break;
        if (failure != SC_FAILURE_UNREACHABLE || !sc__courier_may_go_on(courier, job)) break;
        // It is not known whether a round that failed has sent anything: the next one must leave in
        // time, too.
        const int64_t at_us = sc__retry_at(errand->tries, 0, sc_clock_us(), job->leave_by_us,
                                           sc_rng_unit(thread->rng));
        if (at_us == SC__RETRY_NEVER) break;
        failure = sc__courier_pause(courier, at_us) ? SC_FAILURE_NONE : SC_FAILURE_STOPPED;
    }
    sc__courier_settle(courier, job, failure);
}

// --- Areas ----------------------------------------------------------------------------------

static sc_failure ask_areas(sc__provider_thread *thread, sc__job *job)
{
    sc_courier *courier = thread->courier;
    sc_errand *errand = job->errand;
    const int64_t now_us = sc_clock_us();
    const sc_area_patience patience = {
        .deadline_s = fmax((double)(errand->deadline_us - now_us) * 1e-6, 1e-3),
        .leave_s = fmax((double)(job->leave_by_us - now_us) * 1e-6, 1e-6)};
    errand->tries++;
    const sc_failure failure =
        sc__answerer_ask_areas(&thread->answerer, thread->asker, &patience, errand);
    const sc_area_work work = sc_area_asker_work(thread->asker);
    job->exchange.status = work.status;
    atomic_fetch_add_explicit(&courier->tries, work.questions, memory_order_relaxed);
    atomic_fetch_add_explicit(&courier->bytes_out, work.bytes_out, memory_order_relaxed);
    atomic_fetch_add_explicit(&courier->bytes_in, work.bytes_in, memory_order_relaxed);
    if (work.status != 0 && !sc__retry_may_help(work.status)) return SC_FAILURE_REFUSED;
    const bool is_over = sc_clock_us() >= errand->deadline_us - 5000;
    return failure == SC_FAILURE_UNREACHABLE && is_over ? SC_FAILURE_TIMEOUT : failure;
}

/** Bytes; what the work on an errand goes down to is less. */
enum { STACK_USED = 8192 };

// --- All ------------------------------------------------------------------------------------

static void do_job(sc__provider_thread *thread, sc__job *job)
{
    if (job->errand->given) {
        read_given(thread, job);
        return;
    }
    switch (thread->courier->options.kind) {
    case SC_COURIER_BUILT_IN:
        do_built_in(thread, job);
        break;
    case SC_COURIER_HTTP:
        if (job->is_replied) {
            read_reply(thread, job);
        } else {
            write_request(thread, job);
        }
        break;
    case SC_COURIER_POINTS:
        ask_until_answered(thread, job, ask_points);
        break;
    case SC_COURIER_AREAS:
        ask_until_answered(thread, job, ask_areas);
        break;
    }
}

// Places and distances were on this stack, in frames and in registers that were saved there.
static void wipe_stack(void)
{
    sodium_stackzero(STACK_USED);
}

void *sc__provider_thread_run(void *context)
{
    sc__provider_thread *thread = context;
    sc_courier *courier = thread->courier;
    char name[16];
    snprintf(name, sizeof name, "courier-%u", (unsigned)(thread - courier->threads));
    pthread_setname_np(pthread_self(), name);
    for (sc__job *job = sc__courier_next(courier); job; job = sc__courier_next(courier)) {
        const bool is_dear = job->is_dear;  // the job may be another's before it is done
        do_job(thread, job);
        wipe_stack();
        sc__courier_done(courier, is_dear);
    }
    return NULL;
}

// --- In place -------------------------------------------------------------------------------

// Returns whether some are left.
static bool do_jobs(sc__provider_thread *thread, int64_t until_us)
{
    bool has_done = false;
    while (sc_clock_us() < until_us) {
        sc__job *job = sc__courier_take(thread->courier);
        if (!job) break;
        do_job(thread, job);
        has_done = true;
    }
    // Each job is done where the one before left its frames, so that once is enough.
    if (has_done) wipe_stack();
    return sc__courier_has_jobs(thread->courier);
}

bool sc_courier_turn(sc_courier *courier, int64_t until_us)
{
    bool is_left = do_jobs(&courier->threads[0], until_us);
    if (courier->connections && sc__connections_turn(courier->connections)) {
        is_left = do_jobs(&courier->threads[0], until_us);
    }
    return is_left;
}

bool sc_courier_is_asking(const sc_courier *courier)
{
    return courier->connections && sc__connections_is_busy(courier->connections);
}

void sc_courier_poll(sc_courier *courier, struct pollfd *fds, size_t count, int64_t wake_us)
{
    if (courier->connections && courier->is_in_place) {
        sc__connections_poll(courier->connections, fds, count, wake_us);
    } else {
        (void)poll(fds, count, sc_clock_wait_ms(sc_clock_us(), wake_us));
    }
}
