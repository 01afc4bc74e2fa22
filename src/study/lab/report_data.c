// DIR/report.json: what tools/report.py has to know beside the numbers in the CSV files.
//
// It says what was run (maps, methods, needs, seeds, the adversary, the machine), how things are
// called, which figures there are, and the texts of the claims. It is written last, so that a
// folder with it is whole. There is no date in it, and no name of a host.
#include "lab/lab_output.h"

#include "base/json_write.h"
#include "lab/results.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

/** Raise it when tools/report.py of before cannot read the file. */
enum { FORMAT = 2 };

// Numbers keep ten digits, so that the file is the same on every machine.
static void put_number(sc_json_writer *json, const char *name, double value)
{
    char text[32];
    snprintf(text, sizeof text, "%.10g", value);
    sc_json_put_number(json, name, isfinite(value) ? strtod(text, NULL) : value);
}

static void put_text(sc_json_writer *json, const char *name, const char *text)
{
    if (text) {
        sc_json_put_string(json, name, text);
    } else {
        sc_json_put_null(json, name);
    }
}

static void open_row(sc_json_writer *json)
{
    sc_json_break_line(json);
    sc_json_open_object(json, NULL);
}

static void open_list(sc_json_writer *json, const char *name)
{
    sc_json_break_line(json);
    sc_json_open_array(json, name);
}

// --- Maps and methods ------------------------------------------------------------

// Recorded travellers may be fewer than asked for, and not the same with every seed.
static void put_crowd(sc_json_writer *json, const sc_lab_results *results, uint32_t map)
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
        sc_json_put_null(json, "travellers");
        return;
    }
    sc_json_open_object(json, "travellers");
    sc_json_put_count(json, "least", least);
    sc_json_put_count(json, "most", most);
    sc_json_close_object(json);
}

static void put_movement(sc_json_writer *json, const sc_lab_options *options, const sc_lab_map *map)
{
    if (map->traces) {
        const sc_traces_summary traces = sc_traces_summary_of(map->traces);
        sc_json_put_string(json, "movement", "traces");
        sc_json_put_count(json, "tracks", traces.track_count);
        sc_json_put_count(json, "fixes", traces.fix_count);
        put_number(json, "fold_s", map->follow.fold_s);
    } else if (options->is_walk) {
        sc_json_put_string(json, "movement", "walk");
    } else {
        sc_json_put_string(json, "movement", "trips");
        put_number(json, "truck_share", options->truck_share);
    }
}

static void put_maps(sc_json_writer *json, const sc_lab_results *results)
{
    const sc_lab_options *options = results->options;
    open_list(json, "maps");
    for (uint32_t i = 0; i < options->map_count; i++) {
        const sc_lab_map *map = &options->maps[i];
        open_row(json);
        put_text(json, "name", map->name);
        sc_json_put_count(json, "nodes", sc_map_node_count(map->map));
        sc_json_put_count(json, "edges", sc_map_edge_count(map->map));
        sc_json_put_count(json, "segments", sc_map_segment_count(map->map));
        sc_json_put_count(json, "stars", sc_map_star_count(map->map));
        sc_json_put_count(json, "objects", sc_map_object_count(map->map));
        put_crowd(json, results, i);
        put_movement(json, options, map);
        sc_json_put_hex(json, "checksum", sc_map_checksum(map->map));
        sc_json_close_object(json);
    }
    sc_json_close_array(json);
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

static void put_methods(sc_json_writer *json, const sc_lab_results *results)
{
    open_list(json, "methods");
    for (sc_lab_method method = 0; method < SC_LAB_METHOD_COUNT; method++) {
        if (!sc__has_method(results->options, method)) continue;
        open_row(json);
        put_text(json, "name", sc_lab_method_name(method));
        put_text(json, "title", sc__method_title(method));
        put_number(json, "entropy_correction", mean_correction(results, method));
        sc_json_close_object(json);
    }
    sc_json_close_array(json);
}

// --- Axes, metrics, figures ------------------------------------------------------

static void put_spread(sc_json_writer *json, const char *name, const sc_normal *spread)
{
    sc_json_open_object(json, name);
    put_number(json, "mean", spread->mean);
    put_number(json, "deviation", spread->deviation);
    put_number(json, "min", spread->min);
    put_number(json, "max", spread->max);
    sc_json_close_object(json);
}

static void put_axis(sc_json_writer *json, const sc_lab_options *options, sc_lab_axis axis)
{
    unsigned asked = 0;
    for (sc_lab_metric metric = 0; metric < SC_LAB_METRIC_COUNT; metric++) {
        asked |= options->figures[metric];
    }
    open_row(json);
    put_text(json, "name", sc_lab_axis_name(axis));
    put_text(json, "symbol", sc__axis_symbol(axis));
    put_text(json, "unit", sc__axis_unit(axis));
    sc_json_put_flag(json, "varied", (asked >> axis & 1U) != 0);
    const sc_normal *spread = sc__axis_spread(&options->workload, axis);
    if (spread) put_spread(json, "need", spread);
    sc_json_open_array(json, "values");
    const sc_lab_grid *grid = &options->grids[axis];
    for (size_t i = 0; i < grid->count; i++) {
        put_number(json, NULL, grid->values[i]);
    }
    sc_json_close_array(json);
    sc_json_close_object(json);
}

static void put_axes(sc_json_writer *json, const sc_lab_options *options)
{
    open_list(json, "axes");
    for (sc_lab_axis axis = 0; axis < SC_LAB_AXIS_COUNT; axis++) {
        put_axis(json, options, axis);
    }
    sc_json_close_array(json);
    sc_json_break_line(json);
    put_spread(json, "pause_s", &options->workload.pause_s);
}

static void put_metrics(sc_json_writer *json)
{
    open_list(json, "metrics");
    for (sc_lab_metric metric = 0; metric < SC_LAB_METRIC_COUNT; metric++) {
        open_row(json);
        put_text(json, "name", sc_lab_metric_name(metric));
        put_text(json, "title", sc__metric_title(metric));
        put_text(json, "unit", sc__metric_unit(metric));
        sc_json_put_flag(json, "logarithmic", sc__metric_is_log(metric));
        put_number(json, "most", sc__metric_most(metric));
        sc_json_close_object(json);
    }
    sc_json_close_array(json);
}

static void put_figures(sc_json_writer *json, const sc_lab_findings *findings)
{
    const sc_lab_figures *figures = findings->figures;
    open_list(json, "figures");
    for (size_t i = 0; i < figures->count; i++) {
        const sc_lab_figure *figure = &figures->all[i];
        open_row(json);
        put_text(json, "map", findings->results->options->maps[figure->map].name);
        put_text(json, "metric", sc_lab_metric_name(figure->metric));
        put_text(json, "axis", sc_lab_axis_name(figure->axis));
        sc_json_close_object(json);
    }
    sc_json_close_array(json);
}

// --- Claims ----------------------------------------------------------------------

// What does not hold of a claim: statement, map and methods, each once for a map and a method.
static void put_exceptions(sc_json_writer *json, const sc_lab_findings *findings, size_t number,
                           sc_lab_reading reading)
{
    const sc_lab_claims *claims = findings->claims;
    sc_json_open_array(json, "exceptions");
    for (size_t i = 0; i < claims->count; i++) {
        const sc_lab_claim *claim = &claims->all[i];
        if (claim->verdict != SC_LAB_FAILS || !sc__is_in_reading(claim, number, reading)) continue;
        const bool has_map = claim->map != SC_NONE;
        sc_json_open_object(json, NULL);
        put_text(json, "claim", claim->statement->id);
        put_text(json, "map", has_map ? findings->results->options->maps[claim->map].name : "");
        put_text(json, "methods", claim->who);
        sc_json_close_object(json);
    }
    sc_json_close_array(json);
}

// What a claim comes to in each reading of the baselines that was run.
static void put_verdicts(sc_json_writer *json, const sc_lab_findings *findings, size_t number)
{
    const sc_lab_claims *claims = findings->claims;
    sc_json_open_array(json, "verdicts");
    for (sc_lab_reading reading = 0; reading < SC_LAB_READING_COUNT; reading++) {
        if (!claims->has_reading[reading]) continue;
        sc_json_open_object(json, NULL);
        put_text(json, "reading", sc__reading_name(reading));
        put_text(json, "verdict",
                 sc__verdict_text(sc__paper_claim_verdict(claims, number, reading)));
        put_exceptions(json, findings, number, reading);
        sc_json_close_object(json);
    }
    sc_json_close_array(json);
}

static void put_paper_claims(sc_json_writer *json, const sc_lab_findings *findings)
{
    open_list(json, "paper_claims");
    for (size_t i = 0; i < SC_LAB_PAPER_CLAIMS; i++) {
        open_row(json);
        put_text(json, "title", sc__paper_claim_title(i));
        put_text(json, "text", sc__paper_claim_text(i));
        put_verdicts(json, findings, i);
        sc_json_close_object(json);
    }
    sc_json_close_array(json);
}

static void put_statements(sc_json_writer *json)
{
    size_t count = 0;
    const sc_lab_statement *statements = sc__statements(&count);
    open_list(json, "statements");
    for (size_t i = 0; i < count; i++) {
        open_row(json);
        put_text(json, "claim", statements[i].id);
        put_text(json, "text", statements[i].text);
        sc_json_close_object(json);
    }
    sc_json_close_array(json);
}

static void put_rules(sc_json_writer *json, bool is_closed)
{
    const size_t count = sc__claim_rule_count();
    open_list(json, "rules");
    for (size_t i = 0; i < count; i++) {
        sc_json_break_line(json);
        put_text(json, NULL, sc__claim_rule(i, is_closed));
    }
    sc_json_close_array(json);
}

// --- The run and its machine -----------------------------------------------------

static void put_run(sc_json_writer *json, const sc_lab_results *results)
{
    const sc_lab_options *options = results->options;
    sc_json_put_count(json, "format", FORMAT);
    put_text(json, "version", options->version);
    put_text(json, "command", options->command);
    sc_json_break_line(json);
    sc_json_put_count(json, "points", results->count);
    sc_json_open_object(json, "seeds");
    sc_json_put_count(json, "first", options->first_seed);
    sc_json_put_count(json, "count", options->seed_count);
    sc_json_close_object(json);
    sc_json_put_count(json, "travellers", options->travellers);
    put_number(json, "warm_up_s", options->warm_up_s);
    put_number(json, "counted_s", options->counted_s);
    sc_json_put_flag(json, "closed", options->is_closed);
    sc_json_put_count(json, "max_cloaks", options->max_cloaks);
    sc_json_put_flag(json, "indexed", options->is_indexed);
}

static void put_adversary(sc_json_writer *json, const sc_lab_options *options)
{
    const sc_adversary_options *how = &options->adversary;
    sc_json_break_line(json);
    sc_json_open_object(json, "adversary");
    sc_json_put_flag(json, "knows_traffic", options->knows_traffic);
    put_text(json, "likeness", how->likeness == SC_LIKENESS_EXACT ? "exact" : "overlap");
    sc_json_put_count(json, "max_placements", how->max_placements);
    sc_json_put_count(json, "runs", how->runs);
    sc_json_put_count(json, "samples", how->samples);
    sc_json_put_count(json, "max_victims", options->max_victims);
    put_text(json, "others", options->others == SC_OTHERS_CLOAK ? "cloak" : "roads");
    sc_json_close_object(json);
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

static void put_machine(sc_json_writer *json)
{
    const double bytes = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    struct utsname system;
    sc_json_break_line(json);
    sc_json_open_object(json, "machine");
    put_text(json, "processor", processor().text);
    sc_json_put_signed(json, "cores", sysconf(_SC_NPROCESSORS_ONLN));
    sc_json_put_fixed(json, "memory_gib", bytes / (1024.0 * 1024 * 1024), 1);
    if (uname(&system) == 0) {
        label text;
        snprintf(text.text, sizeof text.text, "%.30s %.60s, %.30s", system.sysname, system.release,
                 system.machine);
        put_text(json, "system", text.text);
    }
    put_text(json, "compiler", __VERSION__);
    sc_json_close_object(json);
}

sc_err sc__report_data_write(const sc_lab_findings *findings, sc_diag *diag)
{
    const sc_lab_options *options = findings->results->options;
    sc_lab_file file;
    const sc_err err = sc__lab_file_open(&file, options, "report.json", diag);
    if (err) return err;
    sc_json_writer json = sc_json_writer_of_stream(file.out.stream);
    sc_json_open_object(&json, NULL);
    put_run(&json, findings->results);
    put_maps(&json, findings->results);
    put_methods(&json, findings->results);
    put_axes(&json, options);
    put_metrics(&json);
    put_figures(&json, findings);
    put_adversary(&json, options);
    put_paper_claims(&json, findings);
    put_statements(&json);
    put_rules(&json, options->is_closed);
    put_machine(&json);
    sc_json_close_object(&json);
    sc_json_put_text(&json, "\n");
    return sc__lab_file_commit(&file, diag);
}
