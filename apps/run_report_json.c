/*
 * The report of a run as JSON. One member per line, so that line-based tools can
 * pick one; reasons that did not occur are there too, with 0.
 */
#include "run_report.h"

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

static void put_source(FILE *stream, const sc_run_view *view)
{
    fputs("{\n  \"map\": ", stream);
    sc_json_string(stream, view->map);
    if (view->stream) {
        fputs(",\n  \"stream\": ", stream);
        sc_json_string(stream, view->stream);
    } else {
        put_count(stream, "users", view->users);
        put_number(stream, "seconds", view->seconds);
        // Of a map without objects, or without a record, there are none.
        if (view->has_answers) {
            put_count(stream, "answers", view->answers);
        } else {
            fputs(",\n  \"answers\": null", stream);
        }
    }
}

static void put_engine(FILE *stream, const sc_run_options *options)
{
    const sc_engine_options *engine = &options->engine;
    fprintf(stream,
            ",\n  \"engine\": {\"name\": \"%s\", \"lambda\": %" PRIu32
            ", \"strict\": %s, \"alpha_s\": %.10g, \"cap\": %" PRIu32 ", \"paranoid\": %s, "
            "\"prune_threads\": %u}",
            sc_variant_name(engine->variant), engine->compactness, truth(engine->is_strict),
            (double)engine->consideration_us * 1e-6, engine->max_combinations,
            truth(engine->is_paranoid), options->prune_threads);
    const sc_cost_model *cost = &engine->cost;
    fprintf(stream,
            ",\n  \"cost\": {\"segment\": %.10g, \"border_node\": %.10g, \"object\": %.10g, "
            "\"balance\": %.10g}",
            cost->segment, cost->border_node, cost->object, cost->balance);
    if (options->is_secure) {
        fputs(",\n  \"seed\": null", stream);
    } else {
        put_count(stream, "seed", options->seed);
    }
    fprintf(stream, ",\n  \"secure\": %s", truth(options->is_secure));
}

static void put_drops(FILE *stream, const sc_engine_stats *stats)
{
    fputs(",\n  \"drops\": {", stream);
    for (unsigned i = 0; i < SC_DROP_REASON_COUNT; i++) {
        fprintf(stream, "%s\"%s\": %" PRIu64, i > 0 ? ", " : "",
                sc_drop_reason_name((sc_drop_reason)i), stats->dropped[i]);
    }
    fputc('}', stream);
}

/** Reasons that admission has; what shares a word is counted together. */
static void put_refusals(FILE *stream, const sc_run_report *report)
{
    static const sc_err reasons[] = {SC_EPROFILE, SC_ETIME,     SC_EDUPLICATE, SC_EUNKNOWN,
                                     SC_ETOOFAR,  SC_ENOCOORDS, SC_EINVAL};
    fputs(",\n  \"refused\": {", stream);
    for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++) {
        fprintf(stream, "%s\"%s\": %" PRIu64, i > 0 ? ", " : "", sc_refusal_name(reasons[i]),
                report->refused[reasons[i]]);
    }
    fputc('}', stream);
}

static void put_summary(FILE *stream, const char *key, const sc_summary *summary)
{
    fprintf(stream, "\"%s\": {\"mean\": %.10g, \"median\": %.10g, \"p99\": %.10g, \"max\": %.10g}",
            key, summary->mean, summary->median, summary->p99, summary->max);
}

static void put_cloaks(FILE *stream, const sc_run_report *report)
{
    const struct {
        const char *key;
        const sc_summary *summary;
    } parts[] = {
        {"users", &report->users},
        {"segments", &report->segments},
        {"border_nodes", &report->border_nodes},
        {"stars", &report->stars},
    };
    fprintf(stream,
            ",\n  \"cloak\": {\"count\": %" PRIu64 ", \"refused\": %" PRIu64
            ", \"broken\": %" PRIu64,
            report->cloaks, report->engine.refused, report->engine.broken);
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        fputs(",\n    ", stream);
        put_summary(stream, parts[i].key, parts[i].summary);
    }
    fputs("\n  }", stream);
}

static void put_search(FILE *stream, const sc_run_report *report)
{
    fprintf(stream,
            ",\n  \"search\": {\"searches\": %" PRIu64 ", \"checks\": %" PRIu64
            ", \"checks_per_query\": %.10g, \"cap_hits\": %" PRIu64 "}",
            report->engine.searches, report->engine.checks, sc_run_checks_per_query(report),
            report->engine.cap_hits);
}

void sc_run_print_json(FILE *stream, const sc_run_view *view)
{
    const sc_run_report *report = view->report;
    put_source(stream, view);
    put_engine(stream, view->options);
    put_count(stream, "queries", report->queries);
    put_count(stream, "cloaked", report->cloaked);
    put_number(stream, "success_rate", sc_run_success_rate(report));
    put_drops(stream, &report->engine);
    put_refusals(stream, report);
    fputs(",\n  ", stream);
    put_summary(stream, "wait_s", &report->wait_s);
    put_cloaks(stream, report);
    put_search(stream, report);
    put_number(stream, "queries_per_cpu_s", sc_run_queries_per_cpu_s(report));
    put_number(stream, "engine_queries_per_cpu_s", sc_run_engine_queries_per_cpu_s(report));
    put_number(stream, "admission_cpu_s", report->admission_cpu_s);
    put_number(stream, "engine_cpu_s", report->engine_cpu_s);
    put_number(stream, "virtual_s", report->virtual_s);
    fputs("\n}\n", stream);
}
