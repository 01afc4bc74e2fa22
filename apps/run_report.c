/*
 * The report of a run for people: sections of aligned numbers, within 80 columns.
 * What was not admitted is told on standard error, since nobody asked for it.
 */
#include "run_report.h"

#include <inttypes.h>

#include "format.h"
#include "map_report.h"

static const sc_entry meanings[] = {
    {"expired", "No company came in time."},
    {"infeasible", "The segments asked for exceed all roads in reach, so no company could help."},
    {"wait", "From the question to its cloak. Means and maxima are exact; medians and percentiles "
             "are within 0.05 %."},
    {"users", "Different travellers in a cloak; two queries of one count once."},
    {"border nodes", "Nodes of a cloak with a road that is not in it: where a provider has to "
                     "answer as if one stood there."},
    {"checks", "Combinations of company that the searches looked at; with sampling and expansion, "
               "sets of segments."},
    {"cap hit",
     "Searches that found more combinations than --cap lets them keep; with sampling and "
     "expansion, newcomers for whom more others might have tried."},
    {"queries per CPU second",
     "Of all threads together. From admission on: with ids, and with snapping where a stream has "
     "positions, but without reading or writing JSON and without moving travellers."},
    {NULL, NULL},
};

const sc_topic sc_run_topics[] = {{"Meanings", meanings}, {NULL, NULL}};

static void put_row(FILE *stream, const char *label, const char *value, const char *remark)
{
    fprintf(stream, "  %-24s %13s%s%s\n", label, value, remark[0] != '\0' ? "  " : "", remark);
}

static void put_count(FILE *stream, const char *label, uint64_t count, const char *remark)
{
    char number[SC_FORMAT_SIZE];
    put_row(stream, label, sc_format_count(number, count), remark);
}

/** A count, and its share of `whole`. */
static void put_share(FILE *stream, const char *label, uint64_t count, uint64_t whole,
                      const char *of)
{
    char remark[64] = "";
    if (whole > 0) {
        snprintf(remark, sizeof(remark), "%5.1f %%%s", 100.0 * (double)count / (double)whole, of);
    }
    put_count(stream, label, count, remark);
}

static void put_what_ran(FILE *stream, const sc_run_view *view)
{
    const sc_engine_options *engine = &view->options->engine;
    char number[SC_FORMAT_SIZE];
    if (view->stream) {
        sc_print_text(stream, view->stream);
        fputs(" on ", stream);
    } else {
        fprintf(stream, "%s travellers for %g s on ", sc_format_count(number, view->users),
                view->seconds);
    }
    sc_print_text(stream, view->map);
    fprintf(stream, "\n  %s", sc_variant_name(engine->variant));
    if (engine->is_strict) fputs(", strict", stream);
    if (engine->variant == SC_VARIANT_BOUNDED || engine->variant == SC_VARIANT_HYBRID) {
        fprintf(stream, ", lambda %" PRIu32, engine->compactness);
    }
    if (engine->variant == SC_VARIANT_HYBRID) {
        fprintf(stream, ", alpha %g s", (double)engine->consideration_us * 1e-6);
    }
    if (engine->variant != SC_VARIANT_XSTAR) {
        fprintf(stream, ", cap %s", sc_format_count(number, engine->max_combinations));
    }
    if (view->options->is_secure) {
        fputs(", secure", stream);
    } else {
        fprintf(stream, ", seed %" PRIu64, view->options->seed);
    }
    fprintf(stream, "%s\n", engine->is_paranoid ? ", paranoid" : "");
}

static void put_queries(FILE *stream, const sc_run_report *report)
{
    fputs("\nQueries\n", stream);
    put_count(stream, "admitted", report->queries, "");
    put_share(stream, "cloaked", report->cloaked, report->queries, "");
    for (unsigned i = 0; i < SC_DROP_REASON_COUNT; i++) {
        char label[32];
        snprintf(label, sizeof(label), "dropped: %s", sc_drop_reason_name((sc_drop_reason)i));
        put_share(stream, label, report->engine.dropped[i], report->queries, "");
    }
    const uint64_t refused = sc_run_refused_count(report);
    if (refused > 0) put_count(stream, "not admitted", refused, "");
}

static void put_summary_heading(FILE *stream, const char *title)
{
    fprintf(stream, "\n%-26s %13s %10s %10s %10s\n", title, "mean", "median", "99 %", "max");
}

static void put_summary(FILE *stream, const char *label, const sc_summary *summary, int decimals)
{
    char mean[SC_FORMAT_SIZE];
    char median[SC_FORMAT_SIZE];
    char p99[SC_FORMAT_SIZE];
    char max[SC_FORMAT_SIZE];
    // A mean of whole numbers is none.
    fprintf(stream, "  %-24s %13s %10s %10s %10s\n", label,
            sc_format_decimal(mean, summary->mean, decimals > 0 ? decimals : 2),
            sc_format_decimal(median, summary->median, decimals),
            sc_format_decimal(p99, summary->p99, decimals),
            sc_format_decimal(max, summary->max, decimals));
}

static void put_cloaks(FILE *stream, const sc_run_report *report)
{
    put_summary_heading(stream, "Wait, s");
    put_summary(stream, "of cloaked queries", &report->wait_s, 3);
    put_summary_heading(stream, "Cloaks");
    put_summary(stream, "users", &report->users, 0);
    put_summary(stream, "segments", &report->segments, 0);
    put_summary(stream, "border nodes", &report->border_nodes, 0);
    if (report->stars.max > 0) put_summary(stream, "stars", &report->stars, 0);
    put_count(stream, "cloaks", report->cloaks, "");
    if (report->engine.refused > 0) {
        put_count(stream, "refused at the door", report->engine.refused, "");
    }
}

static void put_search(FILE *stream, const sc_run_report *report, sc_variant variant)
{
    char number[SC_FORMAT_SIZE];
    fputs("\nSearch\n", stream);
    put_count(stream, "searches", report->engine.searches, "");
    put_row(stream, "checks per query",
            sc_format_decimal(number, sc_run_checks_per_query(report), 1), "");
    if (variant == SC_VARIANT_SAMPLING || variant == SC_VARIANT_EXPANSION) {
        put_share(stream, "cap hit", report->engine.cap_hits, report->queries, " of queries");
    } else if (variant != SC_VARIANT_XSTAR) {
        put_share(stream, "cap hit", report->engine.cap_hits, report->engine.searches,
                  " of searches");
    }
}

static void put_time(FILE *stream, const sc_run_report *report)
{
    char number[SC_FORMAT_SIZE];
    fputs("\nTime\n", stream);
    put_row(stream, "virtual", sc_format_seconds(number, report->virtual_s), "");
    put_row(stream, "CPU, admission", sc_format_seconds(number, report->admission_cpu_s), "");
    put_row(stream, "CPU, engine", sc_format_seconds(number, report->engine_cpu_s), "");
    put_row(stream, "queries per CPU second",
            sc_format_decimal(number, sc_run_queries_per_cpu_s(report), 0), "from admission on");
    put_row(stream, "", sc_format_decimal(number, sc_run_engine_queries_per_cpu_s(report), 0),
            "engine alone");
}

void sc_run_print_text(FILE *stream, const sc_run_view *view)
{
    put_what_ran(stream, view);
    put_queries(stream, view->report);
    put_cloaks(stream, view->report);
    put_search(stream, view->report, view->options->engine.variant);
    put_time(stream, view->report);
}

static void tell_refusals(const sc_call *call, const sc_run_view *view)
{
    const sc_run_report *report = view->report;
    const uint64_t refused = sc_run_refused_count(report);
    if (refused == 0) return;
    for (size_t i = 0; i < report->shown_count; i++) {
        const sc_refusal *shown = &report->shown[i];
        if (shown->line > 0 && view->stream) {
            sc_call_note(call, "%.700s:%" PRIu64 ": %s", view->stream, shown->line, shown->text);
        } else {
            sc_call_note(call, "%s", shown->text);
        }
    }
    char reasons[512] = "";
    size_t used = 0;
    char number[SC_FORMAT_SIZE];
    for (unsigned i = 0; i < SC_REFUSAL_COUNT; i++) {
        if (report->refused[i] == 0 || used >= sizeof(reasons)) continue;
        used += (size_t)snprintf(reasons + used, sizeof(reasons) - used, ", %s %s",
                                 sc_refusal_name((sc_err)i),
                                 sc_format_count(number, report->refused[i]));
    }
    sc_call_note(call, "not admitted: %s%s", sc_format_count(number, refused), reasons);
}

/** A report of zeros is right, but may not be what was expected. */
static void tell_silence(const sc_call *call, const sc_run_view *view)
{
    if (view->report->queries > 0 || sc_run_refused_count(view->report) > 0) return;
    if (view->stream) {
        sc_call_note(call, "note: there is no query in %.700s", view->stream);
    } else {
        sc_call_note(call, "note: nobody asked within %g s", view->seconds);
    }
}

void sc_run_print(const sc_call *call, const sc_run_view *view, const sc_engine_settings *settings)
{
    const char *record = settings->run.record;
    FILE *stream = sc_report_stream(record ? record : "");
    tell_refusals(call, view);
    if (!settings->is_quiet) tell_silence(call, view);
    if (settings->is_json) {
        sc_run_print_json(stream, view);
    } else if (!settings->is_quiet) {
        sc_run_print_text(stream, view);
    }
}
