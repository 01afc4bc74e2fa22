/*
 * The report of a load as JSON. One member per line, so that line-based tools can pick one; ends
 * and violations that did not occur are there too, with 0.
 */
#include "load_report.h"

#include <inttypes.h>

#include "base/json_write.h"

static void put_count(FILE *stream, const char *key, uint64_t value)
{
    fprintf(stream, ",\n  \"%s\": %" PRIu64, key, value);
}

static void put_number(FILE *stream, const char *key, double value)
{
    fprintf(stream, ",\n  \"%s\": %.10g", key, value);
}

static const char *truth(bool value)
{
    return value ? "true" : "false";
}

static void put_what_ran(FILE *stream, const sc_load_view *view)
{
    const sc_load_options *options = view->options;
    fputs("{\n  \"url\": ", stream);
    sc_json_string(stream, options->url);
    fputs(",\n  \"map\": ", stream);
    sc_json_string(stream, view->map);
    put_count(stream, "travellers", view->report->travellers);
    put_count(stream, "threads", options->group_count);
    put_count(stream, "seed", options->seed);
    put_number(stream, "rate", options->rate);
    put_number(stream, "pause_s", options->is_restless ? 0 : options->workload.pause_s.mean);
    put_number(stream, "warmup_s", options->warmup_s);
    put_number(stream, "duration_s", options->duration_s);
    fprintf(stream, ",\n  \"chaos\": %s,\n  \"interrupted\": %s", truth(options->chaos.is_on),
            truth(view->report->is_interrupted));
}

static void put_ends(FILE *stream, const sc_load_counts *counts)
{
    put_count(stream, "asked", counts->asked);
    for (unsigned i = 0; i < SC_LOAD_END_COUNT; i++) {
        put_count(stream, sc_load_end_name((sc_load_end)i), counts->ends[i]);
    }
    fputs(",\n  \"reasons\": [", stream);
    bool is_first = true;
    for (size_t i = 0; i < counts->tally_count; i++) {
        const sc_load_tally *t = &counts->tallies[i];
        if (t->word[0] == '\0') continue;
        fprintf(stream, "%s{\"end\": \"%s\", \"status\": %d, \"reason\": ", is_first ? "" : ", ",
                sc_load_end_name(t->end), t->status);
        sc_json_string(stream, t->word);
        fprintf(stream, ", \"count\": %" PRIu64 "}", t->count);
        is_first = false;
    }
    fputc(']', stream);
    put_count(stream, "checked", counts->checked);
    put_count(stream, "connects", counts->connects);
    put_count(stream, "nobody_idle", counts->none_idle);
    put_count(stream, "spoiled", counts->spoiled);
    put_count(stream, "strays", counts->strays);
}

static void put_spread(FILE *stream, const char *key, const sc_log_histogram *spread, double unit)
{
    fprintf(stream,
            ",\n  \"%s\": {\"count\": %" PRIu64
            ", \"mean\": %.10g, \"p50\": %.10g, \"p90\": %.10g, \"p99\": %.10g, \"max\": %.10g}",
            key, spread->count, sc_log_histogram_mean(spread) * unit,
            sc_log_histogram_quantile(spread, 0.5) * unit,
            sc_log_histogram_quantile(spread, 0.9) * unit,
            sc_log_histogram_quantile(spread, 0.99) * unit, (double)spread->max * unit);
}

static void put_measures(FILE *stream, const sc_load_report *report)
{
    const sc_load_counts *counts = &report->counts;
    put_spread(stream, "latency_ms", &counts->latency_us, 1e-3);
    put_spread(stream, "wait_ms", &counts->wait_us, 1e-3);
    put_spread(stream, "beyond_ms", &counts->beyond_us, 1e-3);
    put_spread(stream, "connect_ms", &counts->connect_us, 1e-3);
    put_spread(stream, "behind_ms", &counts->behind_us, 1e-3);
    put_spread(stream, "users", &counts->users, 1);
    put_spread(stream, "segments", &counts->segments, 1);
    put_number(stream, "measured_s", report->measured_s);
    put_count(stream, "outcomes", counts->replies);
    put_number(stream, "outcomes_per_s",
               report->measured_s > 0 ? (double)counts->replies / report->measured_s : 0);
    put_number(stream, "own_cpu_s", report->own_cpu_s);
    put_count(stream, "provider_kills", report->provider_kills);
    put_count(stream, "provider_stops", report->provider_stops);
}

/** null where its metrics could not be read. */
static void put_service(FILE *stream, const sc_load_report *report)
{
    if (!report->has_service) {
        fputs(",\n  \"service\": null", stream);
        return;
    }
    const sc_service_counts *before = &report->service_before;
    const sc_service_counts *after = &report->service_after;
    fprintf(stream,
            ",\n  \"service\": {\"answered\": %" PRIu64 ", \"dropped\": %" PRIu64
            ", \"failed\": %" PRIu64 ", \"gone\": %" PRIu64 ", \"pending\": %" PRIu64
            ", \"violations\": %" PRIu64,
            after->answered - before->answered, after->dropped - before->dropped,
            after->failed - before->failed, after->gone - before->gone, after->pending,
            after->violations - before->violations);
    fprintf(stream, ", \"resident_bytes_before\": %" PRIu64 ", \"resident_bytes_after\": %" PRIu64,
            before->resident_bytes, after->resident_bytes);
    if (report->has_service_cpu) {
        fprintf(stream,
                ",\n    \"cpu_s\": %.10g, \"outcomes\": %" PRIu64 ", \"outcomes_per_cpu_s\": %.10g",
                report->service_cpu_s, report->service_replies,
                report->service_cpu_s > 0 ? (double)report->service_replies / report->service_cpu_s
                                          : 0.0);
    }
    fputc('}', stream);
}

static void put_held(FILE *stream, const sc_load_report *report)
{
    const sc_load_held *held = &report->held;
    fprintf(stream,
            ",\n  \"held\": {\"wanted\": %" PRIu64 ", \"sent\": %" PRIu64 ", \"pending\": %" PRIu64
            ", \"seconds\": %.10g, \"bytes_before\": %" PRIu64 ", \"bytes_after\": %" PRIu64
            ", \"bytes_per_pending\": %.10g}",
            held->wanted, held->sent, held->pending, held->seconds, held->bytes_before,
            held->bytes_after, sc_load_bytes_per_held(report));
}

static void put_violations(FILE *stream, const sc_load_report *report)
{
    const sc_load_counts *counts = &report->counts;
    fprintf(stream, ",\n  \"violations\": {\"all\": %" PRIu64, sc_load_violations(report));
    for (unsigned i = 0; i < SC_VIOLATION_COUNT; i++) {
        fputs(", ", stream);
        sc_json_string(stream, sc_violation_name((sc_violation)i));
        fprintf(stream, ": %" PRIu64, counts->violations[i]);
    }
    fputs("},\n  \"remarks\": [", stream);
    for (size_t i = 0; i < counts->shown_count; i++) {
        if (i > 0) fputs(", ", stream);
        sc_json_string(stream, counts->shown[i].text);
    }
    fputc(']', stream);
}

void sc_load_print_json(FILE *stream, const sc_load_view *view)
{
    const sc_load_report *report = view->report;
    put_what_ran(stream, view);
    put_ends(stream, &report->counts);
    put_measures(stream, report);
    put_service(stream, report);
    if (view->options->holds) put_held(stream, report);
    put_violations(stream, report);
    fputs("\n}\n", stream);
}
