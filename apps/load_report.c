/*
 * The report of a load for people: sections of aligned numbers, within 80 columns.
 */
#include "load_report.h"

#include <inttypes.h>

#include "format.h"

static const sc_entry meanings[] = {
    {"answered, dropped, failed",
     "The outcomes of queries that the service took: an answer, no company in time, no answer from "
     "the provider."},
    {"refused", "Not taken, with the status and the problem told."},
    {"left", "Given up by us: chaos, or a run that was interrupted."},
    {"lost", "No outcome was told: a violation, always."},
    {"latency", "From sending a query on an open connection to its outcome."},
    {"beyond waiting", "Of answered queries: the latency, less the wait until the cloak left. What "
                       "is not anonymity but machinery."},
    {"behind", "How late travellers were sent by us; if that is long, this machine is too slow for "
               "the pace asked for."},
    {"violation",
     "Something that must not happen, whatever else does: fewer users or segments than "
     "asked for, a cloak too late, a wrong answer, a reply that is none, two replies, a "
     "query without an end, counts that do not agree; or no query at all with an outcome. "
     "Any of them makes the command fail."},
    {NULL, NULL},
};

const sc_topic sc_load_topics[] = {{"Meanings", meanings}, {NULL, NULL}};

static void put_row(FILE *stream, const char *label, const char *value, const char *remark)
{
    fprintf(stream, "  %-28s %13s%s%s\n", label, value, remark[0] != '\0' ? "  " : "", remark);
}

static void put_count(FILE *stream, const char *label, uint64_t count, const char *remark)
{
    char number[SC_FORMAT_SIZE];
    put_row(stream, label, sc_format_count(number, count), remark);
}

static void put_decimal(FILE *stream, const char *label, double value, int decimals,
                        const char *remark)
{
    char number[SC_FORMAT_SIZE];
    put_row(stream, label, sc_format_decimal(number, value, decimals), remark);
}

static void put_what_ran(FILE *stream, const sc_load_view *view)
{
    char number[SC_FORMAT_SIZE];
    const sc_load_options *options = view->options;
    fprintf(stream, "%s travellers on ", sc_format_count(number, view->report->travellers));
    sc_print_text(stream, view->map);
    fputs(" ask ", stream);
    sc_print_text(stream, options->url);
    if (options->holds) {
        fputs("\n  once each, and wait", stream);
    } else if (options->rate > 0) {
        fprintf(stream, "\n  %s queries per second for %g s",
                sc_format_decimal(number, options->rate, 0), options->duration_s);
    } else if (options->is_restless) {
        fprintf(stream, "\n  without pauses, for %g s", options->duration_s);
    } else {
        fprintf(stream, "\n  with pauses of %g s, for %g s", options->workload.pause_s.mean,
                options->duration_s);
    }
    if (options->warmup_s > 0) fprintf(stream, " after %g s to warm up", options->warmup_s);
    fprintf(stream, ", %u %s, seed %" PRIu64 "%s%s\n", options->group_count,
            options->group_count == 1 ? "thread" : "threads", options->seed,
            options->chaos.is_on ? ", chaos" : "",
            view->report->is_interrupted ? " (interrupted)" : "");
}

/** Each end, and below it why. */
static void put_end(FILE *stream, const sc_load_counts *counts, sc_load_end end)
{
    char remark[64] = "";
    if (counts->asked > 0) {
        snprintf(remark, sizeof(remark), "%5.1f %%",
                 100.0 * (double)counts->ends[end] / (double)counts->asked);
    }
    put_count(stream, sc_load_end_name(end), counts->ends[end], remark);
    for (size_t i = 0; i < counts->tally_count; i++) {
        const sc_load_tally *t = &counts->tallies[i];
        if (t->end != end || t->word[0] == '\0') continue;
        char label[64];
        if (t->status > 200) {
            snprintf(label, sizeof(label), "  %d %s", t->status, t->word);
        } else {
            snprintf(label, sizeof(label), "  %s", t->word);
        }
        put_count(stream, label, t->count, "");
    }
}

static void put_queries(FILE *stream, const sc_load_report *report)
{
    const sc_load_counts *counts = &report->counts;
    fputs("\nQueries\n", stream);
    put_count(stream, "asked", counts->asked, "");
    for (unsigned i = 0; i < SC_LOAD_END_COUNT; i++) {
        // Answered and dropped are always of interest; of the rest, what there is.
        if (i > SC_LOAD_DROPPED && counts->ends[i] == 0) continue;
        put_end(stream, counts, (sc_load_end)i);
    }
    put_count(stream, "answers compared", counts->checked, "");
    put_count(stream, "connections opened", counts->connects, "");
    if (counts->none_idle > 0) {
        put_count(stream, "not asked", counts->none_idle, "every traveller was busy");
    }
    if (counts->spoiled + counts->strays + report->provider_kills + report->provider_stops == 0)
        return;
    fputs("\nChaos\n", stream);
    put_count(stream, "queries spoiled", counts->spoiled, "");
    put_count(stream, "nonsense sent", counts->strays, "");
    put_count(stream, "provider killed", report->provider_kills, "");
    put_count(stream, "provider stopped", report->provider_stops, "");
}

static void put_spread(FILE *stream, const char *label, const sc_log_histogram *spread, double unit,
                       int decimals)
{
    char p50[SC_FORMAT_SIZE];
    char p90[SC_FORMAT_SIZE];
    char p99[SC_FORMAT_SIZE];
    char max[SC_FORMAT_SIZE];
    if (spread->count == 0) return;
    fprintf(stream, "  %-28s %13s %10s %10s %10s\n", label,
            sc_format_decimal(p50, sc_log_histogram_quantile(spread, 0.5) * unit, decimals),
            sc_format_decimal(p90, sc_log_histogram_quantile(spread, 0.9) * unit, decimals),
            sc_format_decimal(p99, sc_log_histogram_quantile(spread, 0.99) * unit, decimals),
            sc_format_decimal(max, (double)spread->max * unit, decimals));
}

static void put_heading(FILE *stream, const char *title)
{
    fprintf(stream, "\n%-30s %13s %10s %10s %10s\n", title, "median", "90 %", "99 %", "max");
}

static void put_times(FILE *stream, const sc_load_counts *counts)
{
    put_heading(stream, "Time, ms");
    put_spread(stream, "latency", &counts->latency_us, 1e-3, 2);
    put_spread(stream, "waiting for company", &counts->wait_us, 1e-3, 2);
    put_spread(stream, "beyond waiting", &counts->beyond_us, 1e-3, 2);
    put_spread(stream, "connecting", &counts->connect_us, 1e-3, 2);
    put_spread(stream, "behind", &counts->behind_us, 1e-3, 2);
    put_heading(stream, "Cloaks, of answered queries");
    put_spread(stream, "users", &counts->users, 1, 0);
    put_spread(stream, "segments", &counts->segments, 1, 0);
}

static void put_pace(FILE *stream, const sc_load_report *report)
{
    char number[SC_FORMAT_SIZE];
    fputs("\nPace\n", stream);
    put_row(stream, "measured", sc_format_seconds(number, report->measured_s), "");
    if (report->measured_s > 0) {
        put_decimal(stream, "outcomes per second",
                    (double)report->counts.replies / report->measured_s, 1, "");
    }
    put_row(stream, "CPU, here", sc_format_seconds(number, report->own_cpu_s), "");
    if (!report->has_service_cpu) return;
    put_row(stream, "CPU, service", sc_format_seconds(number, report->service_cpu_s), "");
    if (report->service_cpu_s > 0) {
        put_decimal(stream, "outcomes per CPU second",
                    (double)report->service_replies / report->service_cpu_s, 0, "of the service");
    }
}

static void put_violations(FILE *stream, const sc_load_report *report)
{
    const sc_load_counts *counts = &report->counts;
    fputs("\nViolations\n", stream);
    put_count(stream, "all", sc_load_violations(report), "");
    for (unsigned i = 0; i < SC_VIOLATION_COUNT; i++) {
        if (counts->violations[i] == 0) continue;
        put_count(stream, sc_violation_name((sc_violation)i), counts->violations[i], "");
    }
    if (!report->has_service) {
        fprintf(stream, "  the service's own counts were not read%s%s\n",
                report->no_service[0] != '\0' ? ": " : "", report->no_service);
    }
    for (size_t i = 0; i < counts->shown_count; i++) {
        fprintf(stream, "  %s: ", sc_violation_name(counts->shown[i].violation));
        sc_print_text(stream, counts->shown[i].text);
        fputc('\n', stream);
    }
}

double sc_load_bytes_per_held(const sc_load_report *report)
{
    const sc_load_held *held = &report->held;
    if (held->pending == 0 || held->bytes_before == 0 || held->bytes_after < held->bytes_before) {
        return 0;
    }
    return (double)(held->bytes_after - held->bytes_before) / (double)held->pending;
}

static void put_held(FILE *stream, const sc_load_report *report)
{
    const sc_load_held *held = &report->held;
    char number[SC_FORMAT_SIZE];
    fputs("\nHeld\n", stream);
    put_count(stream, "wanted", held->wanted, "");
    put_count(stream, "sent", held->sent, "");
    put_count(stream, "pending at once", held->pending,
              report->has_service ? "as the service says" : "as far as is known here");
    put_row(stream, "until then", sc_format_seconds(number, held->seconds), "");
    if (held->bytes_before == 0) return;
    put_row(stream, "memory before", sc_format_bytes(number, held->bytes_before), "");
    put_row(stream, "memory while held", sc_format_bytes(number, held->bytes_after), "");
    put_decimal(stream, "bytes per pending query", sc_load_bytes_per_held(report), 0, "");
}

void sc_load_print_text(FILE *stream, const sc_load_view *view)
{
    const sc_load_report *report = view->report;
    put_what_ran(stream, view);
    put_queries(stream, report);
    if (view->options->holds) {
        put_held(stream, report);
    } else {
        put_times(stream, &report->counts);
        put_pace(stream, report);
    }
    put_violations(stream, report);
}
