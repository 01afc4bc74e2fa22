// There and back, batch by batch. See evaluation.h.
//
//     a cloak -> batch (batch.h) -> there and back (exchange.h) -> count, check, write
#include "sim/evaluation.h"

#include "base/alloc.h"
#include "base/diag.h"
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

struct sc_evaluation {
    sc_record *copy;  ///< borrowed; NULL: none is written
    sc_batch batch;
    sc_exchange exchange;
    sc_lbs *doubter;  ///< who checks ask; NULL: nobody does
    sc_checks checks;
    sc_tally tallies[TALLY_COUNT];
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
        if (sc_tally_init(&e->tallies[i])) return sc_fail_memory(diag, "evaluating cloaks");
    }
    sc_err err = sc_exchange_init(&e->exchange, map, options, &e->report, diag);
    // Checks have someone of their own to ask, whose work does not count.
    if (!err && options->check_count > 0) err = sc_lbs_new(map, &options->lbs, &e->doubter, diag);
    e->checks =
        (sc_checks){.lbs = e->doubter, .objects = options->objects, .wanted = options->check_count};
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
    sc_lbs_free(evaluation->doubter);
    sc_exchange_fini(&evaluation->exchange);
    sc_batch_fini(&evaluation->batch);
    for (size_t i = 0; i < TALLY_COUNT; i++) {
        sc_tally_fini(&evaluation->tallies[i]);
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
    sc_tally_add(&e->tallies[TALLY_REQUESTS], cloak->relay->request_count);
    sc_tally_add(&e->tallies[TALLY_BYTES_OUT], out);
    sc_tally_add(&e->tallies[TALLY_BYTES_IN], in);
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
    if (line->kind == SC_RUN_ANSWER) {
        evaluation->report.replaced++;
        return SC_OK;
    }
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

sc_err sc_evaluation_finish(sc_evaluation *evaluation, sc_evaluate_report *report, sc_diag *diag)
{
    sc_err err = run_batch(evaluation, diag);
    if (!err) err = sc_checks_finish(&evaluation->checks, diag);
    if (!err) fill_report(evaluation, report);
    return err;
}
