// Answering cloaks, batch by batch, and comparing answers with a plain search.
//
//     a cloak -> batch (batch.c) -> provider and back (exchange.c) -> count, check, write
#include "sim/evaluate.h"

#include "base/alloc.h"
#include "base/diag.h"
#include "record/record_write.h"
#include "record/run_reader.h"
#include "sim/counts.h"
#include "sim/evaluate_internal.h"

#include <math.h>

// === Checks: answers compared with plain searches ===============================================

/** Distances, or travel times, that differ by more are different. */
#define TOLERANCE 1e-3

/** Where all are compared, so many at a time. */
enum { BATCH = 1024 };

static bool wants_all(const sc_checks *checks)
{
    return checks->wanted > UINT32_MAX;
}

static sc_err compare(sc_checks *checks, const sc_check *check, sc_diag *diag)
{
    const sc_near *nearest = NULL;
    size_t count = 0;
    const sc_near_query query = {{.edge = check->edge, .offset_m = check->offset_m},
                                 &check->request};
    const sc_err err = sc_lbs_nearest(checks->lbs, checks->objects, &query, &nearest, &count, diag);
    if (err) return err;
    bool is_right = count == check->count;
    for (size_t i = 0; i < count && is_right; i++) {
        const double cost = sc_near_cost(&nearest[i], check->request.metric);
        is_right = fabs(cost - check->costs[i]) <= TOLERANCE;
    }
    checks->checked++;
    if (is_right) return SC_OK;
    if (checks->wrong++ == 0) checks->first_wrong = check->line;
    return SC_OK;
}

static sc_err compare_kept(sc_checks *checks, sc_diag *diag)
{
    sc_err err = SC_OK;
    for (size_t i = 0; i < checks->kept_count && !err; i++) {
        err = compare(checks, &checks->kept[i], diag);
    }
    for (size_t i = 0; i < checks->kept_count; i++) {
        sc_free(checks->kept[i].costs);
    }
    checks->kept_count = 0;
    return err;
}

// Let go of all but `wanted`, spread evenly: one wherever i * wanted / count takes a step.
static void thin_out(sc_checks *checks, uint64_t wanted)
{
    const uint64_t count = checks->kept_count;
    size_t kept = 0;
    for (uint64_t i = 0; i < count; i++) {
        const bool is_kept = i * wanted / count != (i + 1) * wanted / count;
        if (is_kept) {
            checks->kept[kept++] = checks->kept[i];
        } else {
            sc_free(checks->kept[i].costs);
        }
    }
    checks->kept_count = kept;
}

static sc_err keep(sc_checks *checks, sc_check check, const sc_near *results)
{
    if (!sc_grow(&checks->kept, checks->kept_count, &checks->kept_capacity, sizeof check)) {
        return SC_ENOMEM;
    }
    check.costs = sc_malloc_array(check.count, sizeof *check.costs);
    if (!check.costs) return SC_ENOMEM;
    for (size_t i = 0; i < check.count; i++) {
        check.costs[i] = sc_near_cost(&results[i], check.request.metric);
    }
    checks->kept[checks->kept_count++] = check;
    return SC_OK;
}

sc_err sc_checks_add(sc_checks *checks, sc_check check, const sc_near *results, sc_diag *diag)
{
    if (checks->wanted == 0) return SC_OK;
    if (checks->stride == 0) checks->stride = 1;
    if (checks->seen++ % checks->stride != 0) return SC_OK;
    if (keep(checks, check, results)) return sc_fail_memory(diag, "checking answers");
    if (wants_all(checks)) {
        return checks->kept_count == BATCH ? compare_kept(checks, diag) : SC_OK;
    }
    // Those at odd places go, so that the rest are at multiples of the new stride.
    if (checks->kept_count == 2 * checks->wanted) {
        for (size_t i = 0; i < checks->kept_count; i += 2) {
            sc_free(checks->kept[i + 1].costs);
            checks->kept[i / 2] = checks->kept[i];
        }
        checks->kept_count /= 2;
        checks->stride *= 2;
    }
    return SC_OK;
}

sc_err sc_checks_finish(sc_checks *checks, sc_diag *diag)
{
    if (checks->kept_count > checks->wanted) thin_out(checks, checks->wanted);
    return compare_kept(checks, diag);
}

void sc_checks_fini(sc_checks *checks)
{
    for (size_t i = 0; i < checks->kept_count; i++) {
        sc_free(checks->kept[i].costs);
    }
    sc_free(checks->kept);
    checks->kept = NULL;
    checks->kept_count = 0;
    checks->kept_capacity = 0;
}

// === Evaluations ================================================================================

/** What is counted, per cloak and per query. */
enum {
    TALLY_REQUESTS,
    TALLY_BYTES_OUT,
    TALLY_BYTES_IN,
    TALLY_CANDIDATES,
    TALLY_DISTINCT,
    TALLY_RESULTS,
    TALLY_COUNT
};

struct sc_evaluation {
    sc_record *copy;  ///< borrowed; NULL: none is written
    sc_batch batch;
    sc_exchange exchange;
    sc_lbs *check_lbs;  ///< for checks; NULL: there are none
    sc_checks checks;
    sc_distribution tallies[TALLY_COUNT];
    sc_evaluate_report report;
};

sc_evaluate_options sc_evaluate_options_default(void)
{
    return (sc_evaluate_options){.lbs = sc_lbs_options_default(),
                                 .filter = sc_filter_options_default()};
}

double sc_evaluate_cpu_per_cloak_s(const sc_evaluate_report *report)
{
    const double cpu_s = report->provider_cpu_s + report->codec_cpu_s + report->trusted_cpu_s;
    return report->cloaks > 0 ? cpu_s / (double)report->cloaks : 0;
}

bool sc_evaluate_is_fruitless(const sc_evaluate_report *report)
{
    return report->answered == 0 && report->queries > 0;
}

// --- Life --------------------------------------------------------------------

static sc_err set_up(sc_evaluation *e, const sc_map *map, const sc_evaluate_options *options,
                     sc_diag *diag)
{
    for (size_t i = 0; i < TALLY_COUNT; i++) {
        if (sc_distribution_init(&e->tallies[i])) return sc_fail_memory(diag, "evaluating cloaks");
    }
    sc_err err = sc_exchange_init(&e->exchange, map, options, &e->report, diag);
    // Checks have someone of their own to ask, whose work does not count.
    if (!err && options->check_count > 0) err = sc_lbs_new(map, &options->lbs, &e->check_lbs, diag);
    e->checks = (sc_checks){
        .lbs = e->check_lbs, .objects = options->objects, .wanted = options->check_count};
    return err;
}

sc_err sc_evaluation_new(const sc_map *map, const sc_evaluate_options *options, sc_evaluation **out,
                         sc_diag *diag)
{
    // On the heap: batches are too large for a stack.
    sc_evaluation *e = sc_calloc(1, sizeof *e);
    if (!e) return sc_fail_memory(diag, "evaluating cloaks");
    const sc_err err = set_up(e, map, options, diag);
    if (err) {
        sc_evaluation_free(e);
        return err;
    }
    *out = e;
    return SC_OK;
}

void sc_evaluation_free(sc_evaluation *evaluation)
{
    if (!evaluation) return;
    sc_checks_fini(&evaluation->checks);
    sc_lbs_free(evaluation->check_lbs);
    sc_exchange_fini(&evaluation->exchange);
    sc_batch_fini(&evaluation->batch);
    for (size_t i = 0; i < TALLY_COUNT; i++) {
        sc_distribution_fini(&evaluation->tallies[i]);
    }
    sc_free(evaluation);
}

const sc_vocabulary *sc_evaluation_vocabulary(const sc_evaluation *evaluation)
{
    return evaluation->exchange.vocabulary;
}

void sc_evaluation_of_record(sc_evaluation *evaluation, const char *name, sc_record *copy)
{
    evaluation->exchange.record_name = name;
    evaluation->copy = copy;
    if (copy && evaluation->exchange.area_lines) {
        const sc_slice line = sc_area_lines_start(evaluation->exchange.area_lines);
        sc_record_lines(copy, line.text, line.size);
    }
}

// --- A batch -------------------------------------------------------------------

static void count_bytes(sc_evaluation *e, const sc_batch_cloak *cloak)
{
    size_t out = cloak->bytes_out.size;
    size_t in = cloak->bytes_in.size;
    if (cloak->points) {
        const sc_point_work work = sc_point_reply_work(cloak->points);
        out = work.bytes_out;
        in = work.bytes_in;
    }
    if (cloak->areas) {
        out = cloak->area_bytes_out;
        in = cloak->area_bytes_in;
    }
    sc_distribution_add(&e->tallies[TALLY_REQUESTS], cloak->relay->request_count);
    sc_distribution_add(&e->tallies[TALLY_BYTES_OUT], out);
    sc_distribution_add(&e->tallies[TALLY_BYTES_IN], in);
}

static sc_err count_member(sc_evaluation *e, const sc_batch_cloak *cloak,
                           const sc_batch_member *member, sc_diag *diag)
{
    e->report.queries++;
    if (member->end == SC_BATCH_REFUSED) {
        e->report.refused++;
        return SC_OK;
    }
    if (member->end == SC_BATCH_FAILED) {
        e->report.failed++;
        return SC_OK;
    }
    e->report.answered++;
    sc_distribution_add(&e->tallies[TALLY_CANDIDATES], member->candidates);
    sc_distribution_add(&e->tallies[TALLY_DISTINCT], member->distinct);
    sc_distribution_add(&e->tallies[TALLY_RESULTS], member->result_count);
    const sc_check check = {.edge = member->edge,
                            .offset_m = member->offset_m,
                            .request = member->request,
                            .line = cloak->line,
                            .count = member->result_count};
    return sc_checks_add(&e->checks, check, e->batch.results + member->first_result, diag);
}

static sc_err count_cloak(sc_evaluation *e, const sc_batch_cloak *cloak, sc_diag *diag)
{
    sc_err err = SC_OK;
    e->report.cloaks++;
    if (cloak->relay && !cloak->failure) count_bytes(e, cloak);
    for (size_t i = 0; i < cloak->member_count && !err; i++) {
        err = count_member(e, cloak, &e->batch.members[cloak->first_member + i], diag);
    }
    return err;
}

static sc_err run_batch(sc_evaluation *e, sc_diag *diag)
{
    sc_err err = sc_exchange_run(&e->exchange, &e->batch, diag);
    for (size_t i = 0; i < e->batch.cloak_count && !err; i++) {
        err = count_cloak(e, &e->batch.cloaks[i], diag);
    }
    if (!err && e->copy) sc_batch_write(&e->batch, e->copy, e->exchange.are_foreign);
    sc_batch_clear(&e->batch);
    return err;
}

// --- In and out ------------------------------------------------------------------

static sc_err go_on(sc_evaluation *e, sc_err err, sc_diag *diag)
{
    if (err) return sc_fail_memory(diag, "evaluating cloaks");
    return sc_batch_is_full(&e->batch) ? run_batch(e, diag) : SC_OK;
}

sc_err sc_evaluation_add_line(sc_evaluation *evaluation, const sc_run_line *line, sc_diag *diag)
{
    if (line->kind == SC_RUN_ANSWER) evaluation->report.replaced++;
    if (line->kind == SC_RUN_ANSWER || line->kind == SC_RUN_AREAS) return SC_OK;
    return go_on(evaluation, sc_batch_add(&evaluation->batch, line), diag);
}

sc_err sc_evaluation_add(sc_evaluation *evaluation, const sc_run_cloak *cloak, sc_diag *diag)
{
    return go_on(evaluation, sc_batch_add_cloak(&evaluation->batch, cloak), diag);
}

bool sc_evaluation_is_idle(const sc_evaluation *evaluation)
{
    return evaluation->batch.cloak_count == 0 && evaluation->batch.text_size == 0;
}

static void fill_report(const sc_evaluation *e, sc_evaluate_report *report)
{
    *report = e->report;
    report->requests = sc_distribution_summary(&e->tallies[TALLY_REQUESTS], 1);
    report->bytes_out = sc_distribution_summary(&e->tallies[TALLY_BYTES_OUT], 1);
    report->bytes_in = sc_distribution_summary(&e->tallies[TALLY_BYTES_IN], 1);
    report->candidates = sc_distribution_summary(&e->tallies[TALLY_CANDIDATES], 1);
    report->distinct = sc_distribution_summary(&e->tallies[TALLY_DISTINCT], 1);
    report->results = sc_distribution_summary(&e->tallies[TALLY_RESULTS], 1);
    report->checked = e->checks.checked;
    report->wrong = e->checks.wrong;
    report->first_wrong = e->checks.first_wrong;
}

sc_err sc_evaluation_finish(sc_evaluation *evaluation, sc_evaluate_report *report, sc_diag *diag)
{
    sc_err err = run_batch(evaluation, diag);
    if (!err) err = sc_checks_finish(&evaluation->checks, diag);
    if (!err) fill_report(evaluation, report);
    return err;
}

// === A record in, a record with answers out =====================================================

static void report_progress(const sc_progress *progress, const sc_run_reader *reader)
{
    if (!progress->report) return;
    uint64_t total = 0;
    const uint64_t passed = sc_run_reader_passed(reader, &total);
    progress->report(progress->context, "evaluating", passed, total);
}

static sc_err read_lines(sc_evaluation *evaluation, sc_run_reader *reader,
                         const sc_progress *progress, sc_diag *diag)
{
    for (;;) {
        sc_run_line line;
        sc_err err = sc_run_reader_next(reader, &line, diag);
        if (err || !line.text.text) return err;
        err = sc_evaluation_add_line(evaluation, &line, diag);
        if (err) return err;
        // Once for each batch; answers from before do not make one.
        const bool is_old = line.kind == SC_RUN_ANSWER || line.kind == SC_RUN_AREAS;
        const bool is_done = !is_old && sc_evaluation_is_idle(evaluation);
        if (is_done) report_progress(progress, reader);
    }
}

sc_err sc_evaluate(const sc_map *map, const char *path, const char *output,
                   const sc_evaluate_options *options, sc_evaluate_report *report, sc_diag *diag)
{
    sc_evaluation *evaluation = NULL;
    sc_run_reader *reader = NULL;
    sc_record *copy = NULL;
    sc_evaluate_report result;
    sc_err err = sc_evaluation_new(map, options, &evaluation, diag);
    if (err) goto end;
    err = sc_run_reader_open(map, sc_evaluation_vocabulary(evaluation), path, &reader, diag);
    if (err) goto end;
    if (output) err = sc_record_open(map, output, &copy, diag);
    if (err) goto end;
    sc_evaluation_of_record(evaluation, sc_run_reader_name(reader), copy);
    err = read_lines(evaluation, reader, &options->progress, diag);
    if (!err) err = sc_evaluation_finish(evaluation, &result, diag);
    if (err) goto end;
    report_progress(&options->progress, reader);
    // Answers from before are worth more than none.
    if (copy && !sc_evaluate_is_fruitless(&result)) {
        sc_record *whole = copy;
        copy = NULL;
        err = sc_record_commit(whole, diag);
    }
    if (!err) *report = result;
end:
    sc_record_abandon(copy);
    sc_run_reader_free(reader);
    sc_evaluation_free(evaluation);
    return err;
}
