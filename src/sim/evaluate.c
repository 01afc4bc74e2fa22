// A record in, a record with answers out. See evaluate.h.
//
//     read a line -> batch (batch.h) -> there and back (exchange.h) -> count, check, write
#include "sim/evaluate.h"

#include "base/alloc.h"
#include "base/diag.h"
#include "record/record.h"
#include "record/run_reader.h"
#include "sim/batch.h"
#include "sim/checks.h"
#include "sim/exchange.h"
#include "sim/tally.h"

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

typedef struct evaluation {
    const sc_map *map;
    const sc_evaluate_options *options;
    sc_run_reader *reader;
    sc_record *record;  ///< NULL: none is written
    sc_batch batch;
    sc_exchange exchange;
    sc_lbs *doubter;  ///< who checks ask; NULL: nobody does
    sc_checks checks;
    sc_tally tallies[TALLY_COUNT];
    sc_evaluate_report report;
} evaluation;

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

static sc_err set_up(evaluation *e, const char *path, sc_diag *diag)
{
    const sc_evaluate_options *options = e->options;
    for (size_t i = 0; i < TALLY_COUNT; i++) {
        if (sc_tally_init(&e->tallies[i])) return sc_fail_memory(diag, "evaluating a record");
    }
    sc_err err = sc_exchange_init(&e->exchange, e->map, options, &e->report, diag);
    if (err) return err;
    // Checks have someone of their own to ask, whose work does not count.
    if (options->check_count > 0) err = sc_lbs_new(e->map, &options->lbs, &e->doubter, diag);
    if (err) return err;
    e->checks =
        (sc_checks){.lbs = e->doubter, .objects = options->objects, .wanted = options->check_count};
    err = sc_run_reader_open(e->map, e->exchange.vocabulary, path, &e->reader, diag);
    if (err) return err;
    e->exchange.record_name = sc_run_reader_name(e->reader);
    if (!options->output) return SC_OK;
    return sc_record_open(e->map, options->output, &e->record, diag);
}

static void tear_down(evaluation *e)
{
    sc_record_abandon(e->record);
    sc_run_reader_free(e->reader);
    sc_checks_fini(&e->checks);
    sc_lbs_free(e->doubter);
    sc_exchange_fini(&e->exchange);
    sc_batch_fini(&e->batch);
    for (size_t i = 0; i < TALLY_COUNT; i++) {
        sc_tally_fini(&e->tallies[i]);
    }
}

// --- A batch -------------------------------------------------------------------

static void count_bytes(evaluation *e, const sc_batch_cloak *cloak)
{
    size_t out = cloak->bytes_out.size;
    size_t in = cloak->bytes_in.size;
    if (cloak->points) {
        const sc_point_work work = sc_point_reply_work(cloak->points);
        out = work.bytes_out;
        in = work.bytes_in;
    }
    sc_tally_add(&e->tallies[TALLY_REQUESTS], cloak->relay->request_count);
    sc_tally_add(&e->tallies[TALLY_BYTES_OUT], out);
    sc_tally_add(&e->tallies[TALLY_BYTES_IN], in);
}

static sc_err count_member(evaluation *e, const sc_batch_cloak *cloak,
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
    sc_tally_add(&e->tallies[TALLY_CANDIDATES], member->candidates);
    sc_tally_add(&e->tallies[TALLY_DISTINCT], member->distinct);
    sc_tally_add(&e->tallies[TALLY_RESULTS], member->result_count);
    const sc_check check = {.edge = member->edge,
                            .offset_m = member->offset_m,
                            .request = member->request,
                            .line = cloak->line,
                            .count = member->result_count};
    return sc_checks_add(&e->checks, check, e->batch.results + member->first_result, diag);
}

static sc_err count_cloak(evaluation *e, const sc_batch_cloak *cloak, sc_diag *diag)
{
    sc_err err = SC_OK;
    e->report.cloaks++;
    if (cloak->relay && !cloak->failure) count_bytes(e, cloak);
    for (size_t i = 0; i < cloak->member_count && !err; i++) {
        err = count_member(e, cloak, &e->batch.members[cloak->first_member + i], diag);
    }
    return err;
}

static sc_err run_batch(evaluation *e, sc_diag *diag)
{
    sc_err err = sc_exchange_run(&e->exchange, &e->batch, diag);
    for (size_t i = 0; i < e->batch.cloak_count && !err; i++) {
        err = count_cloak(e, &e->batch.cloaks[i], diag);
    }
    if (!err && e->record) sc_batch_write(&e->batch, e->record, e->exchange.are_foreign);
    sc_batch_clear(&e->batch);
    return err;
}

// --- The record -------------------------------------------------------------------

static void report_progress(const evaluation *e)
{
    const sc_progress *progress = &e->options->progress;
    if (!progress->report) return;
    uint64_t total = 0;
    const uint64_t passed = sc_run_reader_passed(e->reader, &total);
    progress->report(progress->context, "evaluating", passed, total);
}

static sc_err read_lines(evaluation *e, sc_diag *diag)
{
    for (;;) {
        sc_run_line line;
        sc_err err = sc_run_reader_next(e->reader, &line, diag);
        if (err) return err;
        const bool is_over = !line.text.text;
        if (line.kind == SC_RUN_ANSWER) {
            e->report.replaced++;
            continue;
        }
        if (!is_over && sc_batch_add(&e->batch, &line)) {
            return sc_fail_memory(diag, "evaluating a record");
        }
        if (is_over || sc_batch_is_full(&e->batch)) {
            err = run_batch(e, diag);
            report_progress(e);
        }
        if (err || is_over) return err;
    }
}

static void fill_report(evaluation *e)
{
    sc_evaluate_report *report = &e->report;
    report->requests = sc_tally_summary(&e->tallies[TALLY_REQUESTS], 1);
    report->bytes_out = sc_tally_summary(&e->tallies[TALLY_BYTES_OUT], 1);
    report->bytes_in = sc_tally_summary(&e->tallies[TALLY_BYTES_IN], 1);
    report->candidates = sc_tally_summary(&e->tallies[TALLY_CANDIDATES], 1);
    report->distinct = sc_tally_summary(&e->tallies[TALLY_DISTINCT], 1);
    report->results = sc_tally_summary(&e->tallies[TALLY_RESULTS], 1);
    report->checked = e->checks.checked;
    report->wrong = e->checks.wrong;
    report->first_wrong = e->checks.first_wrong;
}

sc_err sc_evaluate(const sc_map *map, const char *path, const sc_evaluate_options *options,
                   sc_evaluate_report *report, sc_diag *diag)
{
    // On the heap: batches are too large for a stack.
    evaluation *e = sc_calloc(1, sizeof *e);
    if (!e) return sc_fail_memory(diag, "evaluating a record");
    e->map = map;
    e->options = options;
    sc_err err = set_up(e, path, diag);
    if (!err) err = read_lines(e, diag);
    if (!err) err = sc_checks_finish(&e->checks, diag);
    // Answers from before are worth more than none.
    if (!err && e->record && !sc_evaluate_is_fruitless(&e->report)) {
        sc_record *record = e->record;
        e->record = NULL;
        err = sc_record_commit(record, diag);
    }
    if (!err) {
        fill_report(e);
        *report = e->report;
    }
    tear_down(e);
    sc_free(e);
    return err;
}
