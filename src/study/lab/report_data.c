// DIR/report.json: what tools/report.py has to know beside the numbers in the CSV files.
//
// It says what was run (maps, methods, needs, seeds, the adversary, the machine), how things are
// called, which figures there are, and the texts of the claims. It is written last, so that a
// folder with it is whole. There is no date in it, and no name of a host.
#include "lab/lab_output.h"

#include "base/json_write.h"
#include "lab/results.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

/** Raise it when tools/report.py of before cannot read the file. */
enum { FORMAT = 1 };

// --- JSON ------------------------------------------------------------------------

static void put_text(FILE *stream, const char *name, const char *text)
{
    fprintf(stream, "\"%s\": ", name);
    if (text) {
        sc_json_string(stream, text);
    } else {
        fputs("null", stream);
    }
}

// JSON has no infinity.
static void put_number(FILE *stream, const char *name, double value)
{
    if (isfinite(value)) {
        fprintf(stream, "\"%s\": %.10g", name, value);
    } else {
        fprintf(stream, "\"%s\": null", name);
    }
}

static const char *word_of(bool value)
{
    return value ? "true" : "false";
}

static const char *comma_if(bool has_more)
{
    return has_more ? ",\n" : "\n";
}

// --- Maps and methods ------------------------------------------------------------

// Recorded travellers may be fewer than asked for, and not the same with every seed.
static void put_crowd(FILE *stream, const sc_lab_results *results, uint32_t map)
{
    uint32_t least = UINT32_MAX;
    uint32_t most = 0;
    for (size_t i = 0; i < results->count; i++) {
        const sc_lab_result *result = &results->all[i];
        if (result->point.map != map) continue;
        if (result->travellers < least) least = result->travellers;
        if (result->travellers > most) most = result->travellers;
    }
    if (least > most) {
        fputs("\"travellers\": null, ", stream);
    } else {
        fprintf(stream, "\"travellers\": {\"least\": %" PRIu32 ", \"most\": %" PRIu32 "}, ", least,
                most);
    }
}

static void put_movement(FILE *stream, const sc_lab_options *options, const sc_lab_map *map)
{
    if (map->traces) {
        const sc_traces_summary traces = sc_traces_summary_of(map->traces);
        fprintf(stream, "\"movement\": \"traces\", \"tracks\": %zu, \"fixes\": %zu, ",
                traces.track_count, traces.fix_count);
        put_number(stream, "fold_s", map->follow.fold_s);
    } else if (options->is_walk) {
        fputs("\"movement\": \"walk\"", stream);
    } else {
        fputs("\"movement\": \"trips\", ", stream);
        put_number(stream, "truck_share", options->truck_share);
    }
}

static void put_map(FILE *stream, const sc_lab_results *results, uint32_t i)
{
    const sc_lab_options *options = results->options;
    const sc_lab_map *map = &options->maps[i];
    fputs("    {", stream);
    put_text(stream, "name", map->name);
    fprintf(stream,
            ", \"nodes\": %" PRIu32 ", \"edges\": %" PRIu32 ", \"segments\": %" PRIu32
            ", \"stars\": %" PRIu32 ", \"objects\": %" PRIu32 ",\n     ",
            sc_map_node_count(map->map), sc_map_edge_count(map->map),
            sc_map_segment_count(map->map), sc_map_star_count(map->map),
            sc_map_object_count(map->map));
    put_crowd(stream, results, i);
    put_movement(stream, options, map);
    fprintf(stream, ", \"checksum\": \"%016" PRIx64 "\"}%s", sc_map_checksum(map->map),
            comma_if(i + 1 < options->map_count));
}

static void put_maps(FILE *stream, const sc_lab_results *results)
{
    fputs("  \"maps\": [\n", stream);
    for (uint32_t i = 0; i < results->options->map_count; i++) {
        put_map(stream, results, i);
    }
    fputs("  ],\n", stream);
}

// By how much entropy was corrected, over all points; 0 if none was attacked.
static double mean_correction(const sc_lab_results *results, sc_lab_method method)
{
    double sum = 0;
    uint64_t count = 0;
    for (size_t i = 0; i < results->count; i++) {
        const sc_lab_measure *measure = &results->all[i].by_method[method];
        sum -= measure->entropy_bias * (double)measure->attacked_cloaks;
        count += measure->attacked_cloaks;
    }
    return count > 0 ? sum / (double)count : 0;
}

static void put_methods(FILE *stream, const sc_lab_results *results)
{
    const char *before = "\n";
    fputs("  \"methods\": [", stream);
    for (sc_lab_method method = 0; method < SC_LAB_METHOD_COUNT; method++) {
        if (!sc__has_method(results->options, method)) continue;
        fprintf(stream, "%s    {", before);
        put_text(stream, "name", sc_lab_method_name(method));
        fputs(", ", stream);
        put_text(stream, "title", sc__method_title(method));
        fputs(", ", stream);
        put_number(stream, "entropy_correction", mean_correction(results, method));
        fputc('}', stream);
        before = ",\n";
    }
    fputs("\n  ],\n", stream);
}

// --- Axes, metrics, figures ------------------------------------------------------

static void put_spread(FILE *stream, const char *name, const sc_normal *spread)
{
    fprintf(stream, "\"%s\": {", name);
    put_number(stream, "mean", spread->mean);
    fputs(", ", stream);
    put_number(stream, "deviation", spread->deviation);
    fputs(", ", stream);
    put_number(stream, "min", spread->min);
    fputs(", ", stream);
    put_number(stream, "max", spread->max);
    fputc('}', stream);
}

static void put_axis(FILE *stream, const sc_lab_options *options, sc_lab_axis axis)
{
    unsigned asked = 0;
    for (sc_lab_metric metric = 0; metric < SC_LAB_METRIC_COUNT; metric++) {
        asked |= options->figures[metric];
    }
    fputs("    {", stream);
    put_text(stream, "name", sc_lab_axis_name(axis));
    fputs(", ", stream);
    put_text(stream, "symbol", sc__axis_symbol(axis));
    fputs(", ", stream);
    put_text(stream, "unit", sc__axis_unit(axis));
    fprintf(stream, ", \"varied\": %s, ", word_of((asked >> axis & 1U) != 0));
    const sc_normal *spread = sc__axis_spread(&options->workload, axis);
    if (spread) {
        put_spread(stream, "need", spread);
        fputs(", ", stream);
    }
    fputs("\"values\": [", stream);
    const sc_lab_grid *grid = &options->grids[axis];
    for (size_t i = 0; i < grid->count; i++) {
        fprintf(stream, "%s%.10g", i > 0 ? ", " : "", grid->values[i]);
    }
    fprintf(stream, "]}%s", comma_if(axis + 1 < SC_LAB_AXIS_COUNT));
}

static void put_axes(FILE *stream, const sc_lab_options *options)
{
    fputs("  \"axes\": [\n", stream);
    for (sc_lab_axis axis = 0; axis < SC_LAB_AXIS_COUNT; axis++) {
        put_axis(stream, options, axis);
    }
    fputs("  ],\n  ", stream);
    put_spread(stream, "pause_s", &options->workload.pause_s);
    fputs(",\n", stream);
}

static void put_metrics(FILE *stream)
{
    fputs("  \"metrics\": [\n", stream);
    for (sc_lab_metric metric = 0; metric < SC_LAB_METRIC_COUNT; metric++) {
        fputs("    {", stream);
        put_text(stream, "name", sc_lab_metric_name(metric));
        fputs(", ", stream);
        put_text(stream, "title", sc__metric_title(metric));
        fputs(", ", stream);
        put_text(stream, "unit", sc__metric_unit(metric));
        fprintf(stream, ", \"logarithmic\": %s, ", word_of(sc__metric_is_log(metric)));
        put_number(stream, "most", sc__metric_most(metric));
        fprintf(stream, "}%s", comma_if(metric + 1 < SC_LAB_METRIC_COUNT));
    }
    fputs("  ],\n", stream);
}

static void put_figures(FILE *stream, const sc_lab_findings *findings)
{
    const sc_lab_figures *figures = findings->figures;
    fputs("  \"figures\": [\n", stream);
    for (size_t i = 0; i < figures->count; i++) {
        const sc_lab_figure *figure = &figures->all[i];
        fputs("    {", stream);
        put_text(stream, "map", findings->results->options->maps[figure->map].name);
        fprintf(stream, ", \"metric\": \"%s\", \"axis\": \"%s\"}%s",
                sc_lab_metric_name(figure->metric), sc_lab_axis_name(figure->axis),
                comma_if(i + 1 < figures->count));
    }
    fputs("  ],\n", stream);
}

// --- Claims ----------------------------------------------------------------------

static void put_paper_claims(FILE *stream, const sc_lab_claims *claims)
{
    fputs("  \"paper_claims\": [\n", stream);
    for (size_t i = 0; i < SC_LAB_PAPER_CLAIMS; i++) {
        fputs("    {", stream);
        put_text(stream, "title", sc__paper_claim_title(i));
        fputs(", ", stream);
        put_text(stream, "verdict", sc__verdict_text(sc__paper_claim_verdict(claims, i)));
        fputs(",\n     ", stream);
        put_text(stream, "text", sc__paper_claim_text(i));
        fprintf(stream, "}%s", comma_if(i + 1 < SC_LAB_PAPER_CLAIMS));
    }
    fputs("  ],\n", stream);
}

static void put_statements(FILE *stream)
{
    size_t count = 0;
    const sc_lab_statement *statements = sc__statements(&count);
    fputs("  \"statements\": [\n", stream);
    for (size_t i = 0; i < count; i++) {
        fputs("    {", stream);
        put_text(stream, "claim", statements[i].id);
        fputs(", ", stream);
        put_text(stream, "text", statements[i].text);
        fprintf(stream, "}%s", comma_if(i + 1 < count));
    }
    fputs("  ],\n", stream);
}

static void put_rules(FILE *stream, bool is_closed)
{
    const size_t count = sc__claim_rule_count();
    fputs("  \"rules\": [\n", stream);
    for (size_t i = 0; i < count; i++) {
        fputs("    ", stream);
        sc_json_string(stream, sc__claim_rule(i, is_closed));
        fputs(comma_if(i + 1 < count), stream);
    }
    fputs("  ],\n", stream);
}

// --- The run and its machine -----------------------------------------------------

static void put_run(FILE *stream, const sc_lab_results *results)
{
    const sc_lab_options *options = results->options;
    fprintf(stream, "  \"format\": %d,\n  ", FORMAT);
    put_text(stream, "version", options->version);
    fputs(",\n  ", stream);
    put_text(stream, "command", options->command);
    fprintf(stream,
            ",\n  \"points\": %zu,\n  \"seeds\": {\"first\": %" PRIu64
            ", \"count\": %u},\n  \"travellers\": %" PRIu32 ",\n  ",
            results->count, options->first_seed, options->seed_count, options->travellers);
    put_number(stream, "warm_up_s", options->warm_up_s);
    fputs(",\n  ", stream);
    put_number(stream, "counted_s", options->counted_s);
    fprintf(stream, ",\n  \"closed\": %s,\n  \"max_cloaks\": %" PRIu32 ",\n  \"indexed\": %s,\n",
            word_of(options->is_closed), options->max_cloaks, word_of(options->is_indexed));
}

static void put_adversary(FILE *stream, const sc_lab_options *options)
{
    const sc_adversary_options *how = &options->adversary;
    fprintf(stream,
            "  \"adversary\": {\"knows_traffic\": %s, \"likeness\": \"%s\", "
            "\"max_placements\": %" PRIu64 ", \"runs\": %" PRIu32 ", \"samples\": %" PRIu64
            ", \"max_victims\": %" PRIu32 "},\n",
            word_of(options->knows_traffic),
            how->likeness == SC_LIKENESS_EXACT ? "exact" : "overlap", how->max_placements,
            how->runs, how->samples, options->max_victims);
}

/** A short text. */
typedef struct label {
    char text[128];
} label;

// The first "model name" of /proc/cpuinfo; not every architecture has one.
static label processor(void)
{
    label found = {"unknown"};
    FILE *file = fopen("/proc/cpuinfo", "r");
    if (!file) return found;
    char line[256];
    while (fgets(line, sizeof line, file)) {
        const char *colon = strchr(line, ':');
        if (!colon || strncmp(line, "model name", 10) != 0) continue;
        const char *name = colon + 1 + strspn(colon + 1, " \t");
        snprintf(found.text, sizeof found.text, "%.*s", (int)strcspn(name, "\n"), name);
        break;
    }
    fclose(file);
    return found;
}

static void put_machine(FILE *stream)
{
    const double bytes = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    struct utsname system;
    fputs("  \"machine\": {", stream);
    put_text(stream, "processor", processor().text);
    fprintf(stream, ", \"cores\": %ld, \"memory_gib\": %.1f, ", sysconf(_SC_NPROCESSORS_ONLN),
            bytes / (1024.0 * 1024 * 1024));
    if (uname(&system) == 0) {
        label text;
        snprintf(text.text, sizeof text.text, "%.30s %.60s, %.30s", system.sysname, system.release,
                 system.machine);
        put_text(stream, "system", text.text);
        fputs(", ", stream);
    }
    put_text(stream, "compiler", __VERSION__);
    fputs("}\n", stream);
}

sc_err sc__report_data_write(const sc_lab_findings *findings, sc_diag *diag)
{
    const sc_lab_options *options = findings->results->options;
    sc_lab_file file;
    const sc_err err = sc__lab_file_open(&file, options, "report.json", diag);
    if (err) return err;
    FILE *stream = file.out.stream;
    fputs("{\n", stream);
    put_run(stream, findings->results);
    put_maps(stream, findings->results);
    put_methods(stream, findings->results);
    put_axes(stream, options);
    put_metrics(stream);
    put_figures(stream, findings);
    put_adversary(stream, options);
    put_paper_claims(stream, findings->claims);
    put_statements(stream);
    put_rules(stream, options->is_closed);
    put_machine(stream);
    fputs("}\n", stream);
    return sc__lab_file_commit(&file, diag);
}
