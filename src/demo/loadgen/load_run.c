// A run from its beginning to its report. See load.h.
#include "demo/loadgen/loadgen.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/diag.h"
#include "base/thread.h"
#include "demo/loadgen/load_counts.h"
#include "demo/loadgen/fetch.h"
#include "demo/loadgen/run_internal.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/** How long the first look at the service may take. */
#define GREETING_S 10.0

enum { FLOCKS_MAX = 64 };

sc_load_options sc_load_options_default(void)
{
    return (sc_load_options){
        .check_per_mille = 10,
        .flock_count = 1,
        .workload = sc_workload_default(),
        .duration_s = 60,
        .keep_alive_s = 45,
        .patience_s = 30,
        .seed = 1,
        .chaos = {.share = 0.2, .every_s = 10},
    };
}

static sc_err check_options(const sc_load_options *options, sc_diag *diag)
{
    if (options->flock_count < 1 || options->flock_count > FLOCKS_MAX) {
        return sc_fail(diag, SC_EINVAL, "1 to %d threads can ask", FLOCKS_MAX);
    }
    return sc_workload_check(&options->workload, diag);
}

// --- The service ------------------------------------------------------------------

/** Is anybody there? Whatever is replied: it is HTTP. */
static sc_err greet(sc__run *run, sc_diag *diag)
{
    sc_response reply = {0};
    const sc_err err = sc_fetch(&run->target, "/healthz", NULL, GREETING_S, &reply, diag);
    sc_response_clear(&reply);
    return err;
}

sc_err sc__run_look(const sc__run *run, sc_service_counts *out, sc_diag *diag)
{
    const char *token = sc_tokens_at(run->options->tokens, 0);
    const bool is_elsewhere = run->options->metrics != NULL;
    sc_service_counts counts;
    const sc_err err =
        sc_service_counts_fetch(is_elsewhere ? &run->metrics_target : &run->target,
                                is_elsewhere ? "" : "/metrics", token, &counts, diag);
    if (err) return err;
    if (!counts.has_queries) {
        return sc_fail(diag, SC_ENET, "the metrics there are of something else");
    }
    *out = counts;
    return SC_OK;
}

static sc_err open_service(sc__run *run, sc_diag *diag)
{
    const sc_load_options *options = run->options;
    sc_err err = sc_target_init(&run->target, options->url, options->ca, diag);
    if (!err && options->metrics) {
        err = sc_target_init(&run->metrics_target, options->metrics, options->ca, diag);
    }
    if (!err) err = greet(run, diag);
    if (err || options->without_metrics) return err;
    // Without its numbers half of the accounting is missing, and the rest goes on.
    sc_load_report *report = run->report;
    sc_diag why = {.message = ""};
    err = sc__run_look(run, &report->service_before, &why);
    report->has_service = !err;
    snprintf(report->no_service, sizeof report->no_service, "%.199s", why.message);
    return err == SC_ENOMEM ? err : SC_OK;
}

// --- The flocks -------------------------------------------------------------------

static void *run_herd(void *context)
{
    sc__herd *herd = context;
    sc__flock_own_descriptors();
    herd->err = sc__flock_run(herd->flock);
    atomic_fetch_sub(&herd->run->running, 1);
    return NULL;
}

static sc_err gather(sc__run *run, sc_diag *diag)
{
    const sc_load_options *options = run->options;
    run->herds = sc_calloc(options->flock_count, sizeof *run->herds);
    if (!run->herds) return sc_fail_memory(diag, "gathering travellers");
    uint32_t first = 0;
    for (unsigned i = 0; i < options->flock_count; i++) {
        run->herds[i].run = run;
        const sc_err err = sc__flock_new(&run->course, i, first, &run->herds[i].flock, diag);
        if (err) return err;
        first += options->movements[i]->count;
    }
    run->report->travellers = first;
    return SC_OK;
}

/** Threads that no signal reaches: those are for the one who supervises. */
static sc_err start(sc__run *run, sc_diag *diag)
{
    sc_err err = SC_OK;
    for (unsigned i = 0; i < run->options->flock_count && !err; i++) {
        sc__herd *herd = &run->herds[i];
        atomic_fetch_add(&run->running, 1);
        herd->is_started = sc_thread_start(&herd->thread, run_herd, herd) == SC_OK;
        if (herd->is_started) continue;
        err = sc_fail(diag, SC_EIO, "a thread cannot be started: %s", strerror(errno));
        atomic_fetch_sub(&run->running, 1);
    }
    return err;
}

/** Wait for the threads, and take over what they have seen. */
static sc_err collect(sc__run *run, sc_diag *diag)
{
    sc_err err = SC_OK;
    for (unsigned i = 0; run->herds && i < run->options->flock_count; i++) {
        sc__herd *herd = &run->herds[i];
        if (!herd->is_started) continue;
        pthread_join(herd->thread, NULL);
        sc__books_merge(&run->report->books, sc__flock_books(herd->flock));
        if (herd->err && !err) {
            err = sc_fail(diag, herd->err, "a flock of travellers gave up: %s",
                          sc_err_text(herd->err));
        }
    }
    return err;
}

static void set_times(sc__run *run)
{
    const sc_load_options *options = run->options;
    sc__course *course = &run->course;
    course->start_us = options->start_us ? options->start_us : sc_clock_us();
    course->measure_from_us = course->start_us + (int64_t)(options->warmup_s * 1e6);
    course->measure_to_us = course->measure_from_us + (int64_t)(options->duration_s * 1e6);
}

static sc_err run_all(sc__run *run, sc_diag *diag)
{
    sc_err err = open_service(run, diag);
    if (!err) err = sc__words_new(run->course.map, &run->target, &run->words);
    if (err) return err;
    run->course.words = run->words;
    err = gather(run, diag);
    if (!err) err = sc__provider_child_start(&run->child, sc_clock_us(), diag);
    if (err) return err;
    set_times(run);
    err = start(run, diag);
    if (!err) err = run->options->holds ? sc__run_hold(run, diag) : sc__run_supervise(run, diag);
    if (err) atomic_store(&run->course.phase, SC__CLOSING);
    const sc_err collected = collect(run, diag);
    if (!err) err = collected;
    if (!err) sc__run_account(run);
    return err;
}

sc_err sc_load_run(const sc_map *map, const sc_load_options *options, sc_load_report *report,
                   sc_diag *diag)
{
    sc_err err = check_options(options, diag);
    if (err) return err;
    memset(report, 0, sizeof *report);
    sc__run run = {
        .options = options,
        .course = {.map = map, .options = options, .target = &run.target},
        .child = {.command = options->chaos.is_on ? options->chaos.provider_command : NULL,
                  .every_s = options->chaos.every_s},
        .report = report,
    };
    sc_rng_seed(&run.child.rng, options->seed);
    err = run_all(&run, diag);
    sc__provider_child_end(&run.child);
    report->provider_kills = run.child.kills;
    report->provider_stops = run.child.stops;
    for (unsigned i = 0; run.herds && i < options->flock_count; i++) {
        sc__flock_free(run.herds[i].flock);
    }
    sc_free(run.herds);
    sc__words_free(run.words);
    sc_target_fini(&run.target);
    sc_target_fini(&run.metrics_target);
    return err;
}
