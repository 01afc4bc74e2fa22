// A record in, a record with answers out. See evaluate.h.
#include "sim/evaluate.h"

#include "record/record_write.h"
#include "record/run_reader.h"

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
        const bool is_done = line.kind != SC_RUN_ANSWER && sc_evaluation_is_idle(evaluation);
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
