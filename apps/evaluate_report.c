// The report of an evaluation. See evaluate_report.h.
#include "evaluate_report.h"

#include <inttypes.h>

#include "base/json_write.h"
#include "format.h"

static const sc_entry meanings[] = {
    {"provider", "Answering for whole cloaks: the objects on their segments, and the answers of "
                 "their border nodes. CPU time."},
    {"encoding", "From tables to bytes and back, for requests and replies, on both sides."},
    {"trusted side", "Making requests out of cloaks, checking replies, and filtering them to the "
                     "exact answers."},
    {"candidates", "Objects that came back for a query's request, as they were sent: one that "
                   "several border nodes name counts as often."},
    {"looked up", "Answers of border nodes that were in the nearest index ('starcloak map index'); "
                  "the others were searched for, several in one search."},
    {"refused", "Queries whose request is beyond what providers are asked for: more than 1,000 "
                "objects, or farther than 100 km. In the record: failed, reason 'request'."},
    {"failed", "Queries for which the provider gave no answer, or none that can be believed. In "
               "the record: failed, reason 'provider'."},
    {NULL, NULL},
};

const sc_topic sc_evaluate_topics[] = {{"Meanings", meanings}, {NULL, NULL}};

static double cpu_s(const sc_evaluate_report *report)
{
    return report->provider_cpu_s + report->codec_cpu_s + report->trusted_cpu_s;
}

// --- For people -----------------------------------------------------------------------

static void put_row(FILE *stream, const char *label, const char *value, const char *remark)
{
    fprintf(stream, "  %-24s %13s%s%s\n", label, value, remark[0] != '\0' ? "  " : "", remark);
}

static void put_count(FILE *stream, const char *label, uint64_t count, const char *remark)
{
    char number[SC_FORMAT_SIZE];
    put_row(stream, label, sc_format_count(number, count), remark);
}

static void put_what_ran(FILE *stream, const sc_evaluate_view *view)
{
    const sc_evaluate_options *options = view->options;
    sc_print_text(stream, view->record);
    fputs(" on ", stream);
    sc_print_text(stream, view->map);
    if (options->points) {
        fputs("\n  asked at points", stream);
    } else {
        fprintf(stream, "\n  %s%s", sc_encoding_name(options->encoding),
                options->lbs.without_index ? ", without index" : "");
    }
    if (view->output) {
        fputs(", answers in ", stream);
        sc_print_text(stream, view->output);
    } else {
        fputs(", answers not kept", stream);
    }
    fputc('\n', stream);
}

static void put_queries(FILE *stream, const sc_evaluate_report *report)
{
    fputs("\nQueries\n", stream);
    put_count(stream, "in cloaks", report->queries, "");
    put_count(stream, "answered", report->answered, "");
    if (report->refused > 0) put_count(stream, "refused", report->refused, "");
    if (report->failed > 0) put_count(stream, "failed", report->failed, "");
    if (report->replaced > 0) put_count(stream, "answers replaced", report->replaced, "");
    if (report->checked > 0) {
        put_count(stream, "checked", report->checked, "against a plain search");
        put_count(stream, "wrong", report->wrong, "");
    }
}

static void put_time(FILE *stream, const char *label, double seconds,
                     const sc_evaluate_report *report)
{
    char total[SC_FORMAT_SIZE];
    char mean[SC_FORMAT_SIZE];
    const double cloaks = report->cloaks > 0 ? (double)report->cloaks : 1;
    const double whole = cpu_s(report) > 0 ? cpu_s(report) : 1;
    fprintf(stream, "  %-24s %13s %10s %8.1f %%\n", label,
            sc_format_decimal(mean, seconds / cloaks * 1e6, 1), sc_format_seconds(total, seconds),
            100 * seconds / whole);
}

static void put_times(FILE *stream, const sc_evaluate_view *view)
{
    const sc_evaluate_report *report = view->report;
    char number[SC_FORMAT_SIZE];
    fprintf(stream, "\n%-26s %13s %10s %10s\n", "CPU time", "us per cloak", "total", "share");
    put_time(stream, "provider", report->provider_cpu_s, report);
    if (!view->options->points) put_time(stream, "encoding", report->codec_cpu_s, report);
    put_time(stream, "trusted side", report->trusted_cpu_s, report);
    put_time(stream, "together", cpu_s(report), report);
    if (view->options->points) {
        put_row(stream, "waiting for answers", sc_format_seconds(number, report->provider_wall_s),
                "by the clock");
    }
}

static void put_summary(FILE *stream, const char *label, const sc_summary *summary)
{
    char mean[SC_FORMAT_SIZE];
    char median[SC_FORMAT_SIZE];
    char p99[SC_FORMAT_SIZE];
    char max[SC_FORMAT_SIZE];
    fprintf(stream, "  %-24s %13s %10s %10s %10s\n", label,
            sc_format_decimal(mean, summary->mean, 2),
            sc_format_decimal(median, summary->median, 0), sc_format_decimal(p99, summary->p99, 0),
            sc_format_decimal(max, summary->max, 0));
}

static void put_heading(FILE *stream, const char *title)
{
    fprintf(stream, "\n%-26s %13s %10s %10s %10s\n", title, "mean", "median", "99 %", "max");
}

static void put_sizes(FILE *stream, const sc_evaluate_report *report)
{
    put_heading(stream, "Per cloak");
    put_summary(stream, "different requests", &report->requests);
    put_summary(stream, "bytes out", &report->bytes_out);
    put_summary(stream, "bytes in", &report->bytes_in);
    put_heading(stream, "Per query");
    put_summary(stream, "candidates", &report->candidates);
    put_summary(stream, "different candidates", &report->distinct);
    put_summary(stream, "results", &report->results);
}

static void put_work(FILE *stream, const sc_evaluate_view *view)
{
    const sc_evaluate_report *report = view->report;
    if (view->options->points) {
        fputs("\nProvider\n", stream);
        put_count(stream, "places asked at", report->points, "");
        put_count(stream, "questions", report->questions, "");
        return;
    }
    const sc_lbs_work *work = &report->work;
    char remark[SC_FORMAT_SIZE + 16];
    char number[SC_FORMAT_SIZE];
    fputs("\nAnswers of border nodes\n", stream);
    put_count(stream, "looked up", work->looked_up, "");
    snprintf(remark, sizeof(remark), "in %s searches", sc_format_count(number, work->searches));
    put_count(stream, "searched for", work->searched, work->searched > 0 ? remark : "");
}

void sc_evaluate_print_text(FILE *stream, const sc_evaluate_view *view)
{
    put_what_ran(stream, view);
    put_queries(stream, view->report);
    fputs("\nCloaks\n", stream);
    put_count(stream, "evaluated", view->report->cloaks, "");
    put_times(stream, view);
    put_sizes(stream, view->report);
    put_work(stream, view);
}

// --- For programs ---------------------------------------------------------------------

static void put_json_summary(FILE *stream, const char *key, const sc_summary *summary)
{
    fprintf(stream,
            ",\n  \"%s\": {\"mean\": %.10g, \"median\": %.10g, \"p99\": %.10g, \"max\": %.10g}",
            key, summary->mean, summary->median, summary->p99, summary->max);
}

static void put_json_source(FILE *stream, const sc_evaluate_view *view)
{
    fputs("{\n  \"map\": ", stream);
    sc_json_string(stream, view->map);
    fputs(",\n  \"record\": ", stream);
    sc_json_string(stream, view->record);
    fputs(",\n  \"output\": ", stream);
    if (view->output) {
        sc_json_string(stream, view->output);
    } else {
        fputs("null", stream);
    }
    fprintf(stream, ",\n  \"encoding\": \"%s\",\n  \"without_index\": %s",
            view->options->points ? "points" : sc_encoding_name(view->options->encoding),
            view->options->lbs.without_index ? "true" : "false");
}

void sc_evaluate_print_json(FILE *stream, const sc_evaluate_view *view)
{
    const sc_evaluate_report *r = view->report;
    put_json_source(stream, view);
    fprintf(stream,
            ",\n  \"cloaks\": %" PRIu64 ",\n  \"queries\": %" PRIu64 ",\n  \"answered\": %" PRIu64
            ",\n  \"refused\": %" PRIu64 ",\n  \"failed\": %" PRIu64 ",\n  \"replaced\": %" PRIu64
            ",\n  \"checked\": %" PRIu64 ",\n  \"wrong\": %" PRIu64,
            r->cloaks, r->queries, r->answered, r->refused, r->failed, r->replaced, r->checked,
            r->wrong);
    fprintf(stream,
            ",\n  \"cpu_s\": {\"provider\": %.9g, \"encoding\": %.9g, \"trusted\": %.9g, "
            "\"per_cloak\": %.9g},\n  \"provider_wall_s\": %.9g",
            r->provider_cpu_s, r->codec_cpu_s, r->trusted_cpu_s, sc_evaluate_cpu_per_cloak_s(r),
            r->provider_wall_s);
    put_json_summary(stream, "requests", &r->requests);
    put_json_summary(stream, "bytes_out", &r->bytes_out);
    put_json_summary(stream, "bytes_in", &r->bytes_in);
    put_json_summary(stream, "candidates", &r->candidates);
    put_json_summary(stream, "distinct_candidates", &r->distinct);
    put_json_summary(stream, "results", &r->results);
    fprintf(stream,
            ",\n  \"border_nodes\": {\"looked_up\": %" PRIu64 ", \"searched\": %" PRIu64
            ", \"searches\": %" PRIu64 ", \"stars_visited\": %" PRIu64 "}",
            r->work.looked_up, r->work.searched, r->work.searches, r->work.stars_visited);
    fprintf(stream, ",\n  \"points\": %" PRIu64 ",\n  \"questions\": %" PRIu64 "\n}\n", r->points,
            r->questions);
}
