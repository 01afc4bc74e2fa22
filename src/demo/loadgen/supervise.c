// What the supervisor does while the flocks ask: progress, measuring, trouble for the provider; and
// the accounting afterwards. See run_internal.h.
#include "demo/loadgen/run_internal.h"

#include "base/clock.h"
#include "demo/loadgen/load_counts.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

/** How often it looks. */
enum { LOOK_NS = 20000000 };

/** Holding: without a change for so long, nothing more will come. */
#define STILL_US 15000000

/** After our last query has ended, the service may still be settling those of travellers who left:
 * until their deadline, the provider's (that is what patience is for), and so much more. */
#define SETTLE_S 0.5

static void take_a_breath(void)
{
    const struct timespec pause = {.tv_nsec = LOOK_NS};
    (void)nanosleep(&pause, NULL);
}

static sc__flock_counts count_all(const sc__run *run)
{
    sc__flock_counts sum = {0};
    for (unsigned i = 0; i < run->options->flock_count; i++) {
        const sc__flock_counts one = sc__flock_counts_of(run->herds[i].flock);
        sum.asked += one.asked;
        sum.sent += one.sent;
        sum.ended += one.ended;
    }
    return sum;
}

static bool is_told_to_stop(const sc__run *run)
{
    return run->options->stop && *run->options->stop;
}

static void tell(const sc__run *run, const char *phase, uint64_t done, uint64_t total)
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

static moment look_now(const sc__run *run)
{
    moment now = {.is_taken = true};
    if (run->report->has_service) {
        now.has_service = sc__run_look(run, &now.service, NULL) == SC_OK;
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

/** "asking (1.2k waiting)": what the bar calls the phase must stay the same word. */
static void tell_asking(const sc__run *run, int64_t now_us)
{
    const sc__course *course = &run->course;
    const uint64_t total = (uint64_t)(course->measure_to_us - course->start_us) / 1000000;
    const uint64_t done = (uint64_t)(now_us - course->start_us) / 1000000;
    const sc__flock_counts counts = count_all(run);
    if (total == 0) return;
    // Seconds would say little; queries by now, and how many there will be at this pace.
    const uint64_t expected = done > 0 ? counts.ended * total / done : 0;
    tell(run, "asking", counts.ended, expected > counts.ended ? expected : 0);
}

static sc_err drain(sc__run *run, sc_diag *diag)
{
    const bool leaves = run->report->is_interrupted && run->options->leaves_when_stopped;
    atomic_store(&run->course.phase, leaves ? SC__CLOSING : SC__DRAINING);
    const sc_err err = sc__provider_child_settle(&run->child, sc_clock_us(), diag);
    if (err) return err;
    while (atomic_load(&run->running) > 0) {
        const sc__flock_counts counts = count_all(run);
        tell(run, "waiting for the last", counts.ended, counts.asked);
        take_a_breath();
    }
    return SC_OK;
}

sc_err sc__run_supervise(sc__run *run, sc_diag *diag)
{
    const sc__course *course = &run->course;
    moment from = {0};
    int64_t now_us = sc_clock_us();
    while (now_us < course->measure_to_us && atomic_load(&run->running) > 0) {
        if (!from.is_taken && now_us >= course->measure_from_us) from = look_now(run);
        if (is_told_to_stop(run)) {
            run->report->is_interrupted = true;
            break;
        }
        const sc_err err = sc__provider_child_trouble(&run->child, now_us, diag);
        if (err) return err;
        tell_asking(run, now_us);
        take_a_breath();
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
static uint64_t pending_now(const sc__run *run, uint64_t sent)
{
    sc_service_counts now;
    if (!run->report->has_service || sc__run_look(run, &now, NULL)) return sent;
    const uint64_t before = run->report->service_before.pending;
    return now.pending > before ? now.pending - before : 0;
}

sc_err sc__run_hold(sc__run *run, sc_diag *diag)
{
    (void)diag;
    sc_load_report *report = run->report;
    sc_load_held *held = &report->held;
    int64_t changed_us = sc_clock_us();
    held->wanted = report->travellers;
    held->bytes_before = resident_bytes(run->options->hold_pid);
    const int64_t start_us = sc_clock_us();
    while (atomic_load(&run->running) > 0 && !is_told_to_stop(run) &&
           held->pending < held->wanted && sc_clock_us() - changed_us < STILL_US) {
        take_a_breath();
        const sc__flock_counts counts = count_all(run);
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
    report->is_interrupted = is_told_to_stop(run);
    atomic_store(&run->course.phase, SC__CLOSING);
    return SC_OK;
}

// --- Accounting -------------------------------------------------------------------

/** Ask until nothing is pending, or it takes too long. */
static bool wait_until_settled(const sc__run *run, sc_service_counts *out)
{
    const int64_t end_us =
        sc_clock_us() +
        (int64_t)((run->options->workload.max_wait_s.max + run->options->patience_s + SETTLE_S) *
                  1e6);
    for (;;) {
        if (sc__run_look(run, out, NULL)) return false;
        const bool is_settled = out->pending <= run->report->service_before.pending;
        if (is_settled || sc_clock_us() > end_us || is_told_to_stop(run)) return true;
        tell(run, "settling", 0, 0);
        take_a_breath();
    }
}

void sc__run_account(sc__run *run)
{
    sc_load_report *report = run->report;
    sc_load_books *books = &report->books;
    uint64_t ended = 0;
    for (unsigned i = 0; i < SC_LOAD_END_COUNT; i++) {
        ended += books->ends[i];
    }
    if (ended != books->asked) {
        sc__books_violate(books, SC_VIOLATION_BOOKS,
                          "%" PRIu64 " queries were asked here, and %" PRIu64 " have ended",
                          books->asked, ended);
    }
    if (!run->options->holds) sc__books_want_outcome(books);
    if (!report->has_service) return;
    if (!wait_until_settled(run, &report->service_after)) {
        sc__books_violate(books, SC_VIOLATION_BOOKS,
                          "the service's metrics could be read before the run, but not after it");
        return;
    }
    sc__books_hold_against(books, &report->service_before, &report->service_after);
}
