// Runs: where their questions come from (lines, or travellers), and the rates of a report.
//
// Travellers close the loop: each asks again a pause after its outcome. Since no pause is shorter
// than sc_travellers_least_pause(), all questions less than that ahead of the engine's clock are
// known already, and make a slice.
//
// Where nothing was asked or no time was taken, a rate is 0.
#include "sim/run.h"

#include "base/alloc.h"
#include "base/diag.h"
#include "sim/runner.h"

// === Running ====================================================================================

sc_run_options sc_run_options_default(void)
{
    return (sc_run_options){
        .engine = sc_engine_options_default(),
        .limits = sc_limits_default(),
        .continuity = sc_continuity_options_default(),
        .seed = 1,
    };
}

static void show_progress(const sc_run_options *options, uint64_t done, uint64_t total)
{
    if (!options->progress.report) return;
    options->progress.report(options->progress.context, "cloaking", done, total);
}

static void forget(sc_diag *diag)
{
    if (diag) diag->message[0] = '\0';
}

/**
 * Codes come with a sentence, but for memory that is out and for threads and randomness that the
 * system does not give. These get theirs here; no older sentence may be left in `diag`.
 */
static sc_err explain(sc_err err, sc_diag *diag)
{
    if (err == SC_ENOMEM) return sc_fail_memory(diag, "cloaking");
    if (err == SC_EIO && diag && diag->message[0] == '\0') {
        return sc_fail(diag, err,
                       "cloaking: the system's random generator is not available, or no more "
                       "threads can be started");
    }
    return err;
}

// --- A stream ----------------------------------------------------------------

sc_err sc_run_lines(const sc_map *map, const sc_request_line *lines, size_t count,
                    const sc_run_options *options, sc_run_report *report, sc_diag *diag)
{
    forget(diag);
    sc_runner *runner = NULL;
    sc_err err = sc_runner_new(map, options, NULL, &runner, diag);
    for (size_t done = 0; !err && done < count;) {
        const size_t left = count - done;
        const size_t size = left < SC_SLICE_MAX ? left : SC_SLICE_MAX;
        // What the engine does after the last line of a slice is left to the next, which
        // knows how far it may go.
        err = sc_runner_slice(runner, lines + done, NULL, size, INT64_MIN, diag);
        done += size;
        show_progress(options, done, count);
    }
    if (!err) err = sc_runner_finish(runner, report, diag);
    sc_runner_free(runner);
    return explain(err, diag);
}

sc_err sc_run_stream(const sc_map *map, const sc_stream *stream, const sc_run_options *options,
                     sc_run_report *report, sc_diag *diag)
{
    size_t count = 0;
    const sc_request_line *lines = sc_stream_lines(stream, &count);
    return sc_run_lines(map, lines, count, options, report, diag);
}

// --- Travellers --------------------------------------------------------------

/** Travellers, and room for what they ask in one slice. */
struct crowd {
    sc_travellers *travellers;
    sc_request_line *questions;
    uint32_t *who;
};

static sc_time earlier(sc_time a, sc_time b)
{
    return a < b ? a : b;
}

/** Ask what comes before *until; what finds no room is left, and *until set to its time. */
static size_t ask(const struct crowd *crowd, sc_time *until)
{
    size_t count = 0;
    while (count < SC_SLICE_MAX && sc_travellers_next(crowd->travellers) < *until) {
        crowd->who[count] = sc_travellers_ask(crowd->travellers, &crowd->questions[count]);
        count++;
    }
    *until = earlier(*until, sc_travellers_next(crowd->travellers));
    return count;
}

static sc_err drive(const struct crowd *crowd, sc_runner *runner, sc_time end,
                    const sc_run_options *options, sc_diag *diag)
{
    const sc_time span = sc_travellers_least_pause(crowd->travellers);
    for (;;) {
        const sc_time from =
            earlier(sc_travellers_next(crowd->travellers), sc_runner_next_wake(runner));
        if (from >= end) return SC_OK;
        sc_time until = end - from > span ? from + span : end;
        const size_t count = ask(crowd, &until);
        const sc_err err =
            sc_runner_slice(runner, crowd->questions, crowd->who, count, until, diag);
        if (err) return err;
        show_progress(options, (uint64_t)(until / sc_time_from_seconds(1)),
                      (uint64_t)(end / sc_time_from_seconds(1)));
    }
}

sc_err sc_run_travellers(sc_movement *movement, const sc_workload *workload, double seconds,
                         const sc_run_options *options, sc_run_report *report, sc_diag *diag)
{
    forget(diag);
    struct crowd crowd = {0};
    sc_runner *runner = NULL;
    sc_err err = sc_travellers_new(movement, workload, options->seed, &crowd.travellers, diag);
    if (err) goto end;
    err = SC_ENOMEM;
    crowd.questions = sc_malloc_array(SC_SLICE_MAX, sizeof *crowd.questions);
    if (!crowd.questions) goto end;
    crowd.who = sc_malloc_array(SC_SLICE_MAX, sizeof *crowd.who);
    if (!crowd.who) goto end;
    err = sc_runner_new(movement->map, options, crowd.travellers, &runner, diag);
    if (!err) err = drive(&crowd, runner, sc_time_from_seconds(seconds), options, diag);
    if (!err) err = sc_runner_finish(runner, report, diag);
end:
    sc_runner_free(runner);
    sc_free(crowd.questions);
    sc_free(crowd.who);
    sc_travellers_free(crowd.travellers);
    return explain(err, diag);
}

// === Rates ======================================================================================

#define X(name, value, text) \
    _Static_assert((value) < SC_REFUSAL_COUNT, "SC_" #name " has no place among the refused");
SC_ERR_MAP(X)
#undef X

static double ratio(double part, double whole)
{
    return whole > 0 ? part / whole : 0;
}

double sc_run_success_rate(const sc_run_report *report)
{
    return ratio((double)report->cloaked, (double)report->queries);
}

double sc_run_queries_per_cpu_s(const sc_run_report *report)
{
    return ratio((double)report->queries, report->admission_cpu_s + report->engine_cpu_s);
}

double sc_run_engine_queries_per_cpu_s(const sc_run_report *report)
{
    return ratio((double)report->queries, report->engine_cpu_s);
}

double sc_run_checks_per_query(const sc_run_report *report)
{
    return ratio((double)report->engine.checks, (double)report->queries);
}

uint64_t sc_run_refused_count(const sc_run_report *report)
{
    uint64_t count = 0;
    for (int i = 0; i < SC_REFUSAL_COUNT; i++) {
        count += report->refused[i];
    }
    return count;
}

const char *sc_refusal_name(sc_err reason)
{
    switch (reason) {
    case SC_EPROFILE:
        return "profile";
    case SC_ETIME:
        return "time";
    case SC_EDUPLICATE:
        return "duplicate";
    case SC_EUNKNOWN:
        return "unknown_edge";
    case SC_ETOOFAR:
        return "too_far";
    case SC_ENOCOORDS:
        return "no_coordinates";
    case SC_EINVAL:
        return "invalid";
    default:
        return "other";
    }
}
