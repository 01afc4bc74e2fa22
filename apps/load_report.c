/*
 * The report of a load: a table within 80 columns, or JSON. Ends and violations that did not occur
 * are in the JSON too, with 0.
 */
#include "load_report.h"

#include <inttypes.h>
#include <string.h>

#include "api/drop_advice.h"
#include "format.h"
#include "table.h"

static const sc_entry meanings[] = {
    {"answered, dropped, failed", "The outcomes of queries that the service accepted: an answer, "
                                  "no cloak in time, no answer from the provider."},
    {"refused", "Not accepted, with the status and the problem."},
    {"left", "Given up by this command: chaos, or a run that was interrupted."},
    {"lost", "No outcome was received: always a violation."},
    {"unsent", "There was no connection: a violation if the service did not accept it, and none if "
               "this machine had no descriptor (no-descriptor), port or memory (no-resources)."},
    {"latency", "From sending a query on an open connection to its outcome."},
    {"beyond waiting", "Of answered queries: the latency, less the wait until the cloak left. The "
                       "time that the service itself adds."},
    {"behind", "How late queries were sent; if that is long, this machine is too slow for the rate "
               "asked for."},
    {"violation", "Something that must never happen: fewer users or segments than asked for, a "
                  "cloak too late, a wrong answer, an invalid reply, two replies, a query without "
                  "an outcome, counts that differ from those of the service; or no outcome of any "
                  "query. Any violation makes the command fail."},
    {NULL, NULL},
};

const sc_topic sc_load_topics[] = {{"Meanings", meanings}, {NULL, NULL}};

static void put_text_head(FILE *stream, const sc_load_view *view)
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

static void put_json_head(sc_report *table, const sc_load_view *view)
{
    const sc_load_options *options = view->options;
    sc_report_string(table, "url", options->url);
    sc_report_string(table, "map", view->map);
    sc_report_count(table, NULL, "travellers", view->report->travellers, "");
    sc_report_count(table, NULL, "threads", options->group_count, "");
    sc_report_count(table, NULL, "seed", options->seed, "");
    sc_report_number(table, NULL, "rate", options->rate, 0, "");
    sc_report_number(table, NULL, "pause_s",
                     options->is_restless ? 0 : options->workload.pause_s.mean, 0, "");
    sc_report_number(table, NULL, "warmup_s", options->warmup_s, 0, "");
    sc_report_number(table, NULL, "duration_s", options->duration_s, 0, "");
    sc_report_flag(table, "chaos", options->chaos.is_on);
    sc_report_flag(table, "interrupted", view->report->is_interrupted);
}

/** An end; in text its reasons below it. */
static void put_end(sc_report *table, const sc_load_counts *counts, sc_load_end end)
{
    // Answered and dropped are always of interest; of the rest, what there is.
    const bool is_shown =
        end == SC_LOAD_ANSWERED || end == SC_LOAD_DROPPED || counts->ends[end] > 0;
    const char *name = sc_load_end_name(end);
    sc_report_share(table, is_shown ? name : NULL, name, counts->ends[end], counts->asked, "");
    for (size_t i = 0; is_shown && i < counts->tally_count; i++) {
        const sc_load_tally *t = &counts->tallies[i];
        if (t->end != end || t->word[0] == '\0') continue;
        char label[64];
        if (t->status > 200) {
            snprintf(label, sizeof(label), "  %d %s", t->status, t->word);
        } else {
            snprintf(label, sizeof(label), "  %s", t->word);
        }
        sc_report_count(table, label, NULL, t->count,
                        end == SC_LOAD_DROPPED ? sc_drop_help(t->word) : "");
    }
}

static void put_json_reasons(sc_report *table, const sc_load_counts *counts)
{
    if (!sc_report_member(table)) return;
    sc_json_open_array(&table->json, "reasons");
    for (size_t i = 0; i < counts->tally_count; i++) {
        const sc_load_tally *t = &counts->tallies[i];
        if (t->word[0] == '\0') continue;
        sc_json_open_object(&table->json, NULL);
        sc_json_put_string(&table->json, "end", sc_load_end_name(t->end));
        sc_json_put_signed(&table->json, "status", t->status);
        sc_json_put_string(&table->json, "reason", t->word);
        sc_json_put_count(&table->json, "count", t->count);
        sc_json_close_object(&table->json);
    }
    sc_json_close_array(&table->json);
}

/** Where the service may change its map: on which of them answers were exact. */
static void put_exact(sc_report *table, size_t other_maps, const sc_load_counts *counts)
{
    if (other_maps == 0) return;
    uint64_t on_others = 0;
    for (size_t i = 1; i <= other_maps; i++) {
        on_others += counts->exact_on[i];
    }
    sc_report_count(table, "  exact on the map", "exact", counts->exact_on[0], "");
    sc_report_count(table, "  exact on another", "exact_on_another", on_others, "");
}

static void put_queries(sc_report *table, const sc_load_report *report)
{
    const sc_load_counts *counts = &report->counts;
    const bool has_chaos =
        counts->faulty + counts->strays + report->provider_kills + report->provider_stops > 0;
    sc_report_title(table, "Queries");
    sc_report_count(table, "asked", "asked", counts->asked, "");
    for (unsigned i = 0; i < SC_LOAD_END_COUNT; i++) {
        put_end(table, counts, (sc_load_end)i);
    }
    put_json_reasons(table, counts);
    sc_report_count(table, "answers compared", "checked", counts->checked, "");
    put_exact(table, report->other_maps, counts);
    sc_report_count(table, "connections opened", "connects", counts->connects, "");
    sc_report_count(table, counts->none_idle > 0 ? "not asked" : NULL, "no_idle_traveller",
                    counts->none_idle, "every traveller was busy");
    if (has_chaos) sc_report_title(table, "Chaos");
    sc_report_count(table, has_chaos ? "queries with a fault" : NULL, "faulty", counts->faulty, "");
    sc_report_count(table, has_chaos ? "invalid requests sent" : NULL, "strays", counts->strays,
                    "");
    if (!has_chaos) return;
    sc_report_count(table, "provider killed", NULL, report->provider_kills, "");
    sc_report_count(table, "provider stopped", NULL, report->provider_stops, "");
}

static const sc_column spread_columns[] = {
    {NULL, "count", 1, SC_COLUMN_COUNT},     {NULL, "mean", 1, SC_COLUMN_NUMBER},
    {"median", "p50", 13, SC_COLUMN_NUMBER}, {"90 %", "p90", 10, SC_COLUMN_NUMBER},
    {"99 %", "p99", 10, SC_COLUMN_NUMBER},   {"max", "max", 10, SC_COLUMN_NUMBER},
    {NULL, NULL, 0, SC_COLUMN_NUMBER},
};

/** Times are kept in microseconds and shown in milliseconds, with decimals; the rest is whole. */
static void put_spread(sc_report *table, const char *label, const char *name,
                       const sc_log_histogram *spread, bool is_time)
{
    const double unit = is_time ? 1e-3 : 1;
    const double values[] = {(double)spread->count,
                             sc_log_histogram_mean(spread) * unit,
                             sc_log_histogram_quantile(spread, 0.5) * unit,
                             sc_log_histogram_quantile(spread, 0.9) * unit,
                             sc_log_histogram_quantile(spread, 0.99) * unit,
                             (double)spread->max * unit};
    sc_report_row(table, spread->count > 0 ? label : NULL, name, spread_columns, values,
                  is_time ? 2 : 0);
}

static void put_times(sc_report *table, const sc_load_counts *counts)
{
    sc_report_heading(table, "Time, ms", spread_columns);
    put_spread(table, "latency", "latency_ms", &counts->latency_us, true);
    put_spread(table, "waiting for a cloak", "wait_ms", &counts->wait_us, true);
    put_spread(table, "beyond waiting", "beyond_ms", &counts->beyond_us, true);
    put_spread(table, "connecting", "connect_ms", &counts->connect_us, true);
    put_spread(table, "behind", "behind_ms", &counts->behind_us, true);
    sc_report_heading(table, "Cloaks, of answered queries", spread_columns);
    put_spread(table, "users", "users", &counts->users, false);
    put_spread(table, "segments", "segments", &counts->segments, false);
}

static void put_pace(sc_report *table, const sc_load_report *report)
{
    const bool is_measured = report->measured_s > 0;
    sc_report_title(table, "Pace");
    sc_report_seconds(table, "measured", "measured_s", report->measured_s, "");
    sc_report_count(table, NULL, "outcomes", report->counts.replies, "");
    sc_report_number(table, is_measured ? "outcomes per second" : NULL, "outcomes_per_s",
                     is_measured ? (double)report->counts.replies / report->measured_s : 0, 1, "");
    sc_report_seconds(table, "CPU, here", "own_cpu_s", report->own_cpu_s, "");
    sc_report_count(table, NULL, "provider_kills", report->provider_kills, "");
    sc_report_count(table, NULL, "provider_stops", report->provider_stops, "");
    if (!report->has_service_cpu) return;
    sc_report_seconds(table, "CPU, service", NULL, report->service_cpu_s, "");
    if (report->service_cpu_s > 0) {
        sc_report_number(table, "outcomes per CPU second", NULL,
                         (double)report->service_replies / report->service_cpu_s, 0,
                         "of the service");
    }
}

/** null where its metrics could not be read. */
static void put_json_service(sc_report *table, const sc_load_report *report)
{
    if (!report->has_service) {
        sc_report_null(table, "service");
        return;
    }
    const sc_service_counts *before = &report->service_before;
    const sc_service_counts *after = &report->service_after;
    sc_report_open(table, "service");
    sc_report_count(table, NULL, "answered", after->answered - before->answered, "");
    sc_report_count(table, NULL, "dropped", after->dropped - before->dropped, "");
    sc_report_count(table, NULL, "failed", after->failed - before->failed, "");
    sc_report_count(table, NULL, "gone", after->gone - before->gone, "");
    sc_report_count(table, NULL, "pending", after->pending, "");
    sc_report_count(table, NULL, "violations", after->violations - before->violations, "");
    sc_report_count(table, NULL, "resident_bytes_before", before->resident_bytes, "");
    sc_report_count(table, NULL, "resident_bytes_after", after->resident_bytes, "");
    if (report->has_service_cpu) {
        const double cpu_s = report->service_cpu_s;
        sc_report_break_line(table, "    ");
        sc_report_number(table, NULL, "cpu_s", cpu_s, 0, "");
        sc_report_count(table, NULL, "outcomes", report->service_replies, "");
        sc_report_number(table, NULL, "outcomes_per_cpu_s",
                         cpu_s > 0 ? (double)report->service_replies / cpu_s : 0, 0, "");
    }
    sc_report_close(table);
}

/** Bytes per query that was held; 0 if that was not measured. */
static double bytes_per_held(const sc_load_report *report)
{
    const sc_load_held *held = &report->held;
    if (held->pending == 0 || held->bytes_before == 0 || held->bytes_after < held->bytes_before) {
        return 0;
    }
    return (double)(held->bytes_after - held->bytes_before) / (double)held->pending;
}

static void put_bytes(sc_report *table, const char *label, const char *name, uint64_t bytes)
{
    char number[SC_FORMAT_SIZE];
    sc_report_line(table, label, sc_format_bytes(number, bytes), "");
    sc_report_count(table, NULL, name, bytes, "");
}

static void put_held(sc_report *table, const sc_load_report *report)
{
    const sc_load_held *held = &report->held;
    const bool has_bytes = held->bytes_before > 0;
    sc_report_title(table, "Held");
    sc_report_open(table, "held");
    sc_report_count(table, "wanted", "wanted", held->wanted, "");
    sc_report_count(table, "sent", "sent", held->sent, "");
    sc_report_count(table, "pending at once", "pending", held->pending,
                    report->has_service ? "as counted by the service" : "as counted here");
    sc_report_seconds(table, "until then", "seconds", held->seconds, "");
    put_bytes(table, has_bytes ? "memory before" : NULL, "bytes_before", held->bytes_before);
    put_bytes(table, has_bytes ? "memory while held" : NULL, "bytes_after", held->bytes_after);
    sc_report_number(table, has_bytes ? "bytes per pending query" : NULL, "bytes_per_pending",
                     bytes_per_held(report), 0, "");
    sc_report_close(table);
}

static void put_violations(sc_report *table, const sc_load_report *report)
{
    const sc_load_counts *counts = &report->counts;
    sc_report_title(table, "Violations");
    sc_report_open(table, "violations");
    sc_report_count(table, "all", "all", sc_load_violations(report), "");
    for (unsigned i = 0; i < SC_VIOLATION_COUNT; i++) {
        const char *name = sc_violation_name((sc_violation)i);
        const uint64_t count = counts->violations[i];
        sc_report_count(table, count > 0 ? name : NULL, name, count, "");
    }
    sc_report_close(table);
}

static void put_remarks(sc_report *table, const sc_load_report *report)
{
    const sc_load_counts *counts = &report->counts;
    if (sc_report_member(table)) {
        sc_json_open_array(&table->json, "remarks");
        for (size_t i = 0; i < counts->shown_count; i++) {
            sc_json_put_string(&table->json, NULL, counts->shown[i].text);
        }
        sc_json_close_array(&table->json);
        return;
    }
    if (!report->has_service) {
        fprintf(table->stream, "  the service's own counts were not compared%s%s\n",
                report->no_service[0] != '\0' ? ": " : "", report->no_service);
    }
    for (size_t i = 0; i < counts->shown_count; i++) {
        fprintf(table->stream, "  %s: ", sc_violation_name(counts->shown[i].violation));
        sc_print_text(table->stream, counts->shown[i].text);
        fputc('\n', table->stream);
    }
}

void sc_load_print(FILE *stream, bool is_json, const sc_load_view *view)
{
    const sc_load_report *report = view->report;
    const bool holds = view->options->holds;
    if (!is_json) put_text_head(stream, view);
    sc_report table = sc_report_begin(stream, is_json, 28);
    put_json_head(&table, view);
    put_queries(&table, report);
    if (is_json || !holds) {
        put_times(&table, &report->counts);
        put_pace(&table, report);
    }
    if (is_json) put_json_service(&table, report);
    if (holds) put_held(&table, report);
    put_violations(&table, report);
    put_remarks(&table, report);
    sc_report_end(&table);
}
