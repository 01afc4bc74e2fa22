// Reading a record from its first line to its end. See starcloak/verify.h.
//
// Lines become events (record_events.h), events are followed (query_states.h), and when the record
// is over the sampled answers are compared with plain searches (answer_check.h).
#include "verify/verify_record.h"

#include "base/diag.h"
#include "base/line_reader.h"
#include "verify/answer_check.h"
#include "verify/query_states.h"

#include <inttypes.h>
#include <string.h>

/** Lines, and answers, between two reports of progress. */
enum { LINES_PER_REPORT = 1 << 12, ANSWERS_PER_REPORT = 16 };

/** A record that is being read. */
typedef struct reading {
    sc_line_reader source;
    sc_event_reader reader;
    sc_follow follow;
    const sc_verify_options *options;
    sc_diag *diag;
} reading;

sc_verify_options sc_verify_options_default(void)
{
    return (sc_verify_options){.answer_sample = 1000};
}

static void report_progress(const reading *r, const char *phase, uint64_t done, uint64_t total)
{
    const sc_progress *progress = &r->options->progress;
    if (progress->report) progress->report(progress->context, phase, done, total);
}

static sc_err fail_following(const reading *r, sc_err err)
{
    if (err == SC_ENOMEM) return sc_fail_memory(r->diag, "verifying a record");
    if (err == SC_EPARSE || err == SC_EMISMATCH) {
        return sc_fail(r->diag, err, "%s:%" PRIu64 ": %s", r->source.name, r->source.line,
                       r->follow.demands.refusal);
    }
    return sc_fail(r->diag, err, "%s:%" PRIu64 ": more queries than can be counted", r->source.name,
                   r->source.line);
}

static sc_err read_line(reading *r, sc_slice line)
{
    if (r->follow.has_ended) {
        return sc_fail(r->diag, SC_EPARSE, "%s:%" PRIu64 ": is after the end event of the record",
                       r->source.name, r->source.line);
    }
    sc_err err = sc__reader_read(&r->reader, r->source.line, line, r->diag);
    if (err) return err;
    err = sc__follow_event(&r->follow, r->source.line, &r->reader.event);
    return err ? fail_following(r, err) : SC_OK;
}

static sc_err read_lines(reading *r)
{
    for (;;) {
        sc_slice line = {NULL, 0};
        sc_err err = sc_line_reader_next(&r->source, &line, r->diag);
        if (err || !line.text) return err;
        if (line.size == 0) continue;
        err = read_line(r, line);
        if (err) return err;
        if (r->source.line % LINES_PER_REPORT == 0) {
            report_progress(r, "verifying", r->source.passed, r->source.total);
        }
    }
}

static sc_err look_at_answers(reading *r)
{
    sc_follow *f = &r->follow;
    sc_err err = sc__sample_close(&f->sample, &f->ledger);
    if (err || f->sample.count == 0) return err;
    sc_answers answers;
    err = sc__answers_init(&answers, f->map);
    if (err) return err;
    for (size_t i = 0; i < f->sample.count && !err; i++) {
        f->line = f->sample.watched[i].line;
        err = sc__answers_look(&answers, &f->sample.watched[i], &f->findings);
        if (i % ANSWERS_PER_REPORT == 0) {
            report_progress(r, "comparing answers", i, f->sample.count);
        }
    }
    sc__answers_fini(&answers);
    return err;
}

// Everything but opening the source, which is closed in any case.
static sc_err verify(reading *r, const sc_map *map, sc_verify_report *report)
{
    sc_err err = sc__follow_init(&r->follow, map, r->options);
    if (err) {
        sc_line_reader_close(&r->source);
        return fail_following(r, err);
    }
    r->reader = (sc_event_reader){.map = map, .name = r->source.name};
    err = read_lines(r);
    if (!err && !r->follow.has_ended) {
        err = sc_fail(r->diag, SC_EPARSE, "%s: the record has no end event: %s", r->source.name,
                      r->source.line == 0 ? "the file is empty" : "the file is cut short");
    }
    if (!err) {
        err = look_at_answers(r);
        if (err) err = fail_following(r, err);
    }
    if (!err) {
        *report = r->follow.report;
        memcpy(report->checked, r->follow.findings.checked, sizeof report->checked);
        memcpy(report->violated, r->follow.findings.violated, sizeof report->violated);
    }
    sc__reader_fini(&r->reader);
    sc__follow_fini(&r->follow);
    sc_line_reader_close(&r->source);
    return err;
}

sc_err sc__verify_input(const sc_map *map, const sc_input *input, const sc_verify_options *options,
                        sc_verify_report *report, sc_diag *diag)
{
    reading r = {.options = options, .diag = diag};
    sc_line_reader_of(&r.source, input);
    return verify(&r, map, report);
}

sc_err sc_record_verify(const sc_map *map, const char *path, const sc_verify_options *options,
                        sc_verify_report *report, sc_diag *diag)
{
    reading r = {.options = options, .diag = diag};
    const sc_err err = sc_line_reader_open(&r.source, path, diag);
    return err ? err : verify(&r, map, report);
}
