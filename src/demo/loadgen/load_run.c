// A run of the load generator, from its options to its report: the service's counts are read,
// groups of clients start in threads of their own, and the calling thread supervises them: it shows
// progress, measures, and kills and stops the provider if it may. Afterwards the counts of both
// sides are compared.
#include "demo/loadgen/loadgen.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/diag.h"
#include "base/sanitizers.h"
#include "base/thread.h"
#include "demo/loadgen/clients.h"
#include "demo/loadgen/faults.h"
#include "demo/loadgen/http_response.h"
#include "demo/loadgen/load_counts.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

typedef struct load_run load_run;

/** A group, its thread, and how it ended. */
typedef struct group_thread {
    load_run *run;
    sc__client_group *group;
    pthread_t thread;
    bool is_started;
    sc_err err;
} group_thread;

struct load_run {
    const sc_load_options *options;
    sc_target target;
    sc_target metrics_target;  ///< where the metrics are, if they are elsewhere
    sc__request_writer *writer;
    sc__load_run shared;
    group_thread *threads;
    atomic_uint running;  ///< groups that have not ended
    sc__provider_child child;
    sc_load_report *report;
};

/** How long the first look at the service may take. */
#define GREETING_S 10.0

enum { GROUPS_MAX = 64 };

sc_load_options sc_load_options_default(void)
{
    return (sc_load_options){
        .check_per_mille = 10,
        .group_count = 1,
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
    if (options->group_count < 1 || options->group_count > GROUPS_MAX) {
        return sc_fail(diag, SC_EINVAL, "the number of threads must be 1 to %d", GROUPS_MAX);
    }
    return sc_workload_check(&options->workload, diag);
}

// --- The service ------------------------------------------------------------------

/** Whether the service answers; any HTTP reply will do. */
static sc_err greet(load_run *run, sc_diag *diag)
{
    sc_response reply = {0};
    const sc_err err = sc_fetch(&run->target, "/healthz", NULL, GREETING_S, &reply, diag);
    sc_response_clear(&reply);
    return err;
}

static sc_err read_service_counts(const load_run *run, sc_service_counts *out, sc_diag *diag)
{
    const char *token = sc_tokens_at(run->options->tokens, 0);
    const bool is_elsewhere = run->options->metrics != NULL;
    sc_service_counts counts;
    const sc_err err =
        sc_service_counts_fetch(is_elsewhere ? &run->metrics_target : &run->target,
                                is_elsewhere ? "" : "/metrics", token, &counts, diag);
    if (err) return err;
    if (!counts.has_queries) {
        return sc_fail(diag, SC_ENET, "the metrics there are not those of a StarCloak service");
    }
    *out = counts;
    return SC_OK;
}

static sc_err open_service(load_run *run, sc_diag *diag)
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
    err = read_service_counts(run, &report->service_before, &why);
    report->has_service = !err;
    snprintf(report->no_service, sizeof report->no_service, "%.199s", why.message);
    return err == SC_ENOMEM ? err : SC_OK;
}

// --- Supervising -----------------------------------------------------------------

/** How often the supervisor looks at the groups. */
enum { LOOK_NS = 20000000 };

/** Holding: without a change for so long, nothing more will come. */
#define STILL_US 15000000

/** After our last query has ended, the service may still be settling those of travellers who left:
 * until their deadline, the provider's (that is what patience is for), and so much more. */
#define SETTLE_S 0.5

static void sleep_briefly(void)
{
    const struct timespec pause = {.tv_nsec = LOOK_NS};
    (void)nanosleep(&pause, NULL);
}

static sc__client_progress count_all(const load_run *run)
{
    sc__client_progress sum = {0};
    for (unsigned i = 0; i < run->options->group_count; i++) {
        const sc__client_progress one = sc__client_progress_of(run->threads[i].group);
        sum.asked += one.asked;
        sum.sent += one.sent;
        sum.ended += one.ended;
    }
    return sum;
}

static bool is_stopped(const load_run *run)
{
    return run->options->stop && *run->options->stop;
}

static void tell(const load_run *run, const char *phase, uint64_t done, uint64_t total)
{
    const sc_progress *progress = &run->options->progress;
    if (progress->report) progress->report(progress->context, phase, done, total);
}

static double own_cpu_s(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6;
}

// --- Measuring --------------------------------------------------------------------

/** One moment of both sides. */
typedef struct moment {
    bool is_taken;
    int64_t t_us;
    double own_cpu_s;
    bool has_service;
    sc_service_counts service;
} moment;

static moment look_now(const load_run *run)
{
    moment now = {.is_taken = true};
    if (run->report->has_service) {
        now.has_service = read_service_counts(run, &now.service, NULL) == SC_OK;
    }
    now.t_us = sc_clock_us();
    now.own_cpu_s = own_cpu_s();
    return now;
}

static uint64_t outcomes_of(const sc_service_counts *counts)
{
    return counts->answered + counts->dropped + counts->failed + counts->gone;
}

static void measure(sc_load_report *report, const moment *from, const moment *to)
{
    report->measured_s = (double)(to->t_us - from->t_us) * 1e-6;
    report->own_cpu_s = to->own_cpu_s - from->own_cpu_s;
    if (!from->has_service || !to->has_service || !to->service.has_cpu) return;
    report->has_service_cpu = true;
    report->service_cpu_s = to->service.cpu_s - from->service.cpu_s;
    report->service_replies = outcomes_of(&to->service) - outcomes_of(&from->service);
}

// --- Asking -----------------------------------------------------------------------

/** "asking (1.2k waiting)": what the bar clients the phase must stay the same word. */
static void tell_asking(const load_run *run, int64_t now_us)
{
    const sc__load_run *shared = &run->shared;
    const uint64_t total = (uint64_t)(shared->measure_to_us - shared->start_us) / 1000000;
    const uint64_t done = (uint64_t)(now_us - shared->start_us) / 1000000;
    const sc__client_progress counts = count_all(run);
    if (total == 0) return;
    // Seconds would say little; queries by now, and how many there will be at this pace.
    const uint64_t expected = done > 0 ? counts.ended * total / done : 0;
    tell(run, "asking", counts.ended, expected > counts.ended ? expected : 0);
}

static sc_err drain(load_run *run, sc_diag *diag)
{
    const bool leaves = run->report->is_interrupted && run->options->leaves_when_stopped;
    atomic_store(&run->shared.phase, leaves ? SC__CLOSING : SC__DRAINING);
    const sc_err err = sc__provider_child_settle(&run->child, sc_clock_us(), diag);
    if (err) return err;
    while (atomic_load(&run->running) > 0) {
        const sc__client_progress counts = count_all(run);
        tell(run, "waiting for the last outcomes", counts.ended, counts.asked);
        sleep_briefly();
    }
    return SC_OK;
}

static sc_err supervise(load_run *run, sc_diag *diag)
{
    const sc__load_run *shared = &run->shared;
    moment from = {0};
    int64_t now_us = sc_clock_us();
    while (now_us < shared->measure_to_us && atomic_load(&run->running) > 0) {
        if (!from.is_taken && now_us >= shared->measure_from_us) from = look_now(run);
        if (is_stopped(run)) {
            run->report->is_interrupted = true;
            break;
        }
        const sc_err err = sc__provider_child_trouble(&run->child, now_us, diag);
        if (err) return err;
        tell_asking(run, now_us);
        sleep_briefly();
        now_us = sc_clock_us();
    }
    if (!from.is_taken) from = look_now(run);
    const moment to = look_now(run);
    measure(run->report, &from, &to);
    return drain(run, diag);
}

// --- Holding ----------------------------------------------------------------------

/** Resident memory of another process, as the kernel counts it; 0 if it does not tell. */
static uint64_t resident_bytes(int pid)
{
    char text[256];
    if (pid <= 0) return 0;
    snprintf(text, sizeof text, "/proc/%d/statm", pid);
    FILE *file = fopen(text, "re");
    if (!file) return 0;
    const bool is_read = fgets(text, sizeof text, file) != NULL;
    fclose(file);
    // The second number: pages that are resident.
    const char *second = is_read ? strchr(text, ' ') : NULL;
    const uint64_t pages = second ? strtoull(second, NULL, 10) : 0;
    return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

/** Pending queries that are ours, as the service says; `sent` if it says nothing. */
static uint64_t pending_now(const load_run *run, uint64_t sent)
{
    sc_service_counts now = {0};
    if (!run->report->has_service || read_service_counts(run, &now, NULL)) return sent;
    const uint64_t before = run->report->service_before.pending;
    return now.pending > before ? now.pending - before : 0;
}

static sc_err hold(load_run *run, sc_diag *diag)
{
    (void)diag;
    sc_load_report *report = run->report;
    sc_load_held *held = &report->held;
    int64_t changed_us = sc_clock_us();
    held->wanted = report->travellers;
    held->bytes_before = resident_bytes(run->options->hold_pid);
    const int64_t start_us = sc_clock_us();
    while (atomic_load(&run->running) > 0 && !is_stopped(run) && held->pending < held->wanted &&
           sc_clock_us() - changed_us < STILL_US) {
        sleep_briefly();
        const sc__client_progress counts = count_all(run);
        tell(run, "opening", counts.sent, held->wanted);
        // The service is asked only once all is said: asking costs it time.
        const bool is_sent = counts.sent + counts.ended >= held->wanted;
        const uint64_t pending = is_sent ? pending_now(run, counts.sent - counts.ended) : 0;
        if (counts.sent != held->sent || pending != held->pending) changed_us = sc_clock_us();
        held->sent = counts.sent;
        held->pending = pending;
        if (is_sent && counts.ended > 0 && pending + counts.ended >= held->wanted) break;
    }
    held->seconds = (double)(sc_clock_us() - start_us) * 1e-6;
    held->bytes_after = resident_bytes(run->options->hold_pid);
    report->is_interrupted = is_stopped(run);
    atomic_store(&run->shared.phase, SC__CLOSING);
    return SC_OK;
}

// --- Accounting -------------------------------------------------------------------

/** Ask until nothing is pending, or it takes too long. */
static bool wait_until_settled(const load_run *run, sc_service_counts *out)
{
    const int64_t end_us =
        sc_clock_us() +
        (int64_t)((run->options->workload.max_wait_s.max + run->options->patience_s + SETTLE_S) *
                  1e6);
    for (;;) {
        if (read_service_counts(run, out, NULL)) return false;
        const bool is_settled = out->pending <= run->report->service_before.pending;
        if (is_settled || sc_clock_us() > end_us || is_stopped(run)) return true;
        tell(run, "settling", 0, 0);
        sleep_briefly();
    }
}

static void account(load_run *run)
{
    sc_load_report *report = run->report;
    sc_load_counts *counts = &report->counts;
    uint64_t ended = 0;
    for (unsigned i = 0; i < SC_LOAD_END_COUNT; i++) {
        ended += counts->ends[i];
    }
    if (ended != counts->asked) {
        sc__load_counts_violate(counts, SC_VIOLATION_MISCOUNT,
                                "%" PRIu64 " queries were asked here, but %" PRIu64 " have ended",
                                counts->asked, ended);
    }
    if (!run->options->holds) sc__load_counts_want_outcome(counts);
    if (!report->has_service) return;
    if (!wait_until_settled(run, &report->service_after)) {
        sc__load_counts_violate(
            counts, SC_VIOLATION_MISCOUNT,
            "the service's metrics could be read before the run, but not after it");
        return;
    }
    sc__load_counts_compare(counts, &report->service_before, &report->service_after);
}

// --- The groups -------------------------------------------------------------------

// The thread sanitizer believes that a number means the same descriptor in all threads.
enum { MAY_HAVE_OWN_DESCRIPTORS = !SC_UNDER_THREAD_SANITIZER };

/** Give this thread a table of descriptors of its own, and go on without if that is refused. */
static void own_descriptors(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
        limit.rlim_cur = limit.rlim_max;
        (void)setrlimit(RLIMIT_NOFILE, &limit);
    }
    if (MAY_HAVE_OWN_DESCRIPTORS) (void)unshare(CLONE_FILES);
}

static void *run_thread(void *context)
{
    group_thread *thread = context;
    own_descriptors();
    thread->err = sc__client_group_run(thread->group);
    atomic_fetch_sub(&thread->run->running, 1);
    return NULL;
}

static sc_err gather(load_run *run, sc_diag *diag)
{
    const sc_load_options *options = run->options;
    run->threads = sc_calloc(options->group_count, sizeof *run->threads);
    if (!run->threads) return sc_fail_memory(diag, "gathering travellers");
    uint32_t first = 0;
    for (unsigned i = 0; i < options->group_count; i++) {
        run->threads[i].run = run;
        const sc_err err =
            sc__client_group_new(&run->shared, i, first, &run->threads[i].group, diag);
        if (err) return err;
        first += options->movements[i]->count;
    }
    run->report->travellers = first;
    run->report->other_maps = options->other_count;
    return SC_OK;
}

/** Threads that no signal reaches: those are for the one who supervises. */
static sc_err start(load_run *run, sc_diag *diag)
{
    sc_err err = SC_OK;
    for (unsigned i = 0; i < run->options->group_count && !err; i++) {
        group_thread *thread = &run->threads[i];
        atomic_fetch_add(&run->running, 1);
        thread->is_started = sc_thread_start(&thread->thread, run_thread, thread) == SC_OK;
        if (thread->is_started) continue;
        err = sc_fail(diag, SC_EIO, "cannot start a thread: %s", strerror(errno));
        atomic_fetch_sub(&run->running, 1);
    }
    return err;
}

/** Wait for the threads, and take over what they have seen. */
static sc_err collect(load_run *run, sc_diag *diag)
{
    sc_err err = SC_OK;
    for (unsigned i = 0; run->threads && i < run->options->group_count; i++) {
        group_thread *thread = &run->threads[i];
        if (!thread->is_started) continue;
        pthread_join(thread->thread, NULL);
        sc__load_counts_merge(&run->report->counts, thread->group->counts);
        if (thread->err && !err) {
            err = sc_fail(diag, thread->err, "a group of clients failed: %s",
                          sc_err_text(thread->err));
        }
    }
    return err;
}

static void set_times(load_run *run)
{
    const sc_load_options *options = run->options;
    sc__load_run *shared = &run->shared;
    shared->start_us = options->start_us ? options->start_us : sc_clock_us();
    shared->measure_from_us = shared->start_us + (int64_t)(options->warmup_s * 1e6);
    shared->measure_to_us = shared->measure_from_us + (int64_t)(options->duration_s * 1e6);
}

static sc_err run_all(load_run *run, sc_diag *diag)
{
    sc_err err = open_service(run, diag);
    if (!err) err = sc__request_writer_new(run->shared.map, &run->target, &run->writer);
    if (err) return err;
    run->shared.writer = run->writer;
    err = gather(run, diag);
    if (!err) err = sc__provider_child_start(&run->child, sc_clock_us(), diag);
    if (err) return err;
    set_times(run);
    err = start(run, diag);
    if (!err) err = run->options->holds ? hold(run, diag) : supervise(run, diag);
    if (err) atomic_store(&run->shared.phase, SC__CLOSING);
    const sc_err collected = collect(run, diag);
    if (!err) err = collected;
    if (!err) account(run);
    return err;
}

sc_err sc_load_run(const sc_map *map, const sc_load_options *options, sc_load_report *report,
                   sc_diag *diag)
{
    sc_err err = check_options(options, diag);
    if (err) return err;
    memset(report, 0, sizeof *report);
    load_run run = {
        .options = options,
        .shared = {.map = map, .options = options, .target = &run.target},
        .child = {.command = options->chaos.is_on ? options->chaos.provider_command : NULL,
                  .every_s = options->chaos.every_s},
        .report = report,
    };
    sc_rng_seed(&run.child.rng, options->seed);
    err = run_all(&run, diag);
    sc__provider_child_end(&run.child);
    report->provider_kills = run.child.kills;
    report->provider_stops = run.child.stops;
    for (unsigned i = 0; run.threads && i < options->group_count; i++) {
        sc__client_group_free(run.threads[i].group);
    }
    sc_free(run.threads);
    sc__request_writer_free(run.writer);
    sc_target_fini(&run.target);
    sc_target_fini(&run.metrics_target);
    return err;
}
