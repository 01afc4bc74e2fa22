/*
 * `starcloak partition`: divide a map into parts, each for an engine of its own. The partition goes
 * to a file that `serve`, gateways and workers read; what it is like is printed, and drawn if
 * wished.
 */
#include "base/file.h"
#include "command.h"
#include "densities.h"
#include "format.h"
#include "inputs.h"
#include "partition/partition_make.h"
#include "progress_bar.h"
#include "table.h"
#include "values.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/** All that a report tells. */
typedef struct partition_view {
    const char *map;      ///< its path
    const char *output;   ///< where the partition went
    const char *weights;  ///< the record's path; NULL: all segments weigh the same
    const sc_partition *partition;
    const sc_partition_report *report;
    uint32_t seed;
    double seconds;  ///< that partitioning took
} partition_view;

// --- Report -------------------------------------------------------------------------------------

static const sc_entry meanings[] = {
    {"edge cut", "Adjacencies of the star graph between two parts, of all."},
    {"balance", "The heaviest part by the mean: 1 is even. By weight it tells how evenly queries "
                "spread if they come as they did, by segments how evenly roads do."},
    {"pieces", "Connected pieces of a part. Components that are small beside a part are packed "
               "whole wherever there is room."},
    {"stars near a border", "Stars with another part within so many hops: queries there may need "
                            "members from several parts."},
    {NULL, NULL},
};

static const sc_topic partition_topics[] = {{"Meanings", meanings}, {NULL, NULL}};

static void put_head(sc_report *table, const partition_view *view)
{
    sc_report_string(table, "output", view->output);
    sc_report_string(table, "map", view->map);
    sc_report_hex(table, "map_checksum", sc_map_checksum(sc_partition_map(view->partition)));
    sc_report_hex(table, "partition_checksum", sc_partition_checksum(view->partition));
    sc_report_break_line(table, " ");
    sc_report_string(table, "weights", view->weights ? view->weights : "segments");
    sc_report_count(table, NULL, "seed", view->seed, "");
    sc_report_seconds(table, NULL, "seconds", view->seconds, "");
    sc_report_break_line(table, " ");
    if (table->is_json) return;
    sc_print_text(table->stream, view->output);
    fputs(": a partition of ", table->stream);
    sc_print_text(table->stream, view->map);
    if (view->weights) fputs(", weighted by ", table->stream);
    if (view->weights) sc_print_text(table->stream, view->weights);
    fputc('\n', table->stream);
}

static void put_summary(sc_report *table, const sc_partition_report *report)
{
    char all[SC_FORMAT_SIZE];
    char of_stars[SC_FORMAT_SIZE + 16];
    char of_edge_cut[SC_FORMAT_SIZE + 48];
    snprintf(of_stars, sizeof(of_stars), "in %s component%s",
             sc_format_count(all, report->components), report->components == 1 ? "" : "s");
    snprintf(of_edge_cut, sizeof(of_edge_cut), "%.2f %% of %s adjacencies",
             sc_share(report->edge_cut, report->adjacencies),
             sc_format_count(all, report->adjacencies));
    sc_report_count(table, "parts", "parts", report->parts, "");
    sc_report_count(table, "stars", "stars", report->stars, of_stars);
    sc_report_count(table, NULL, "components", report->components, "");
    sc_report_count(table, NULL, "adjacencies", report->adjacencies, "");
    sc_report_count(table, "edge cut", "edge_cut", report->edge_cut, of_edge_cut);
    sc_report_number(table, "balance", "balance", report->balance, 3, "by weight");
    sc_report_number(table, "", "balance_segments", report->balance_segments, 3, "by segments");
}

static void put_nearness(sc_report *table, const sc_partition_report *report)
{
    sc_report_break_line(table, " ");
    if (sc_report_member(table)) {
        sc_json_open_array(&table->json, "near");
        for (int h = 0; h <= SC_PARTITION_HOPS; h++) {
            sc_json_put_rounded(&table->json, NULL, report->near[h], table->digits);
        }
        sc_json_close_array(&table->json);
        return;
    }
    fputs("\nStars near a border\n  within hops ", table->stream);
    for (int h = 1; h <= SC_PARTITION_HOPS; h++) {
        fprintf(table->stream, "%7d", h);
    }
    fputs("\n  %           ", table->stream);
    for (int h = 1; h <= SC_PARTITION_HOPS; h++) {
        fprintf(table->stream, "%7.1f", 100.0 * report->near[h]);
    }
    fputc('\n', table->stream);
}

static void put_part(sc_report *table, uint32_t id, const sc_partition_part *part)
{
    const sc_cell cells[] = {
        sc_cell_id("part", "part", 7, id),
        sc_cell_count("stars", "stars", 12, part->stars),
        sc_cell_count("segments", "segments", 12, part->segments),
        sc_cell_number("weight %", NULL, 10, 100.0 * part->weight, 3),
        sc_cell_number(NULL, "weight", 0, part->weight, 0),
        sc_cell_count("pieces", "pieces", 8, part->pieces),
        sc_cell_count("neighbours", "neighbours", 11, part->neighbours),
    };
    sc_report_break_line(table, "  ");
    sc_report_cells(table, cells, sizeof(cells) / sizeof(cells[0]));
}

static void put_parts(sc_report *table, const sc_partition_report *report)
{
    sc_report_break_line(table, " ");
    sc_report_open_cells(table, "each");
    for (uint32_t i = 0; i < report->parts; i++) {
        put_part(table, i, &report->each[i]);
    }
    sc_report_close_cells(table);
}

static void print_report(bool is_json, const partition_view *view)
{
    sc_report table = sc_report_begin_line(sc_report_stream(view->output), is_json, 11);
    table.digits = 9;
    put_head(&table, view);
    put_summary(&table, view->report);
    sc_report_seconds(&table, "time", NULL, view->seconds, "");
    put_nearness(&table, view->report);
    put_parts(&table, view->report);
    sc_report_end(&table);
}

// --- The command --------------------------------------------------------------------------------

/**
 * So much of all weight is spread evenly over the segments, whatever the record says. A record is a
 * sample: roads without queries in it may have some later, and roads that weigh nothing
 * would be heaped on parts that look light.
 */
static const double base_share = 0.05;

typedef struct partition_options {
    const char *map;
    const char *output;
    const char *geojson;
    const char *run;  ///< the record that weights come from; NULL: all segments weigh the same
    uint32_t parts;   ///< 0: not given
    uint32_t seed;
    bool quiet;
    bool json;
} partition_options;

enum { KEY_WEIGHTS = SC_KEY_FIRST, KEY_SEED, KEY_GEOJSON, KEY_JSON };

static const sc_option options_table[] = {
    {"output", 'o', "FILE.partition", "where the partition goes (required); - is standard output",
     SC_COMPLETE_FILES},
    {"parts", 'n', "PARTS",
     "how many parts to make, 1 to 4096 (required); some eight per worker let load be spread "
     "evenly",
     NULL},
    {"weights", KEY_WEIGHTS, "RUN.jsonl|segments",
     "what to balance between parts: the queries of this recorded run, or segments (default "
     "segments)",
     SC_COMPLETE_FILES},
    {"seed", KEY_SEED, "N", "another number, another partition (default 1)", NULL},
    {"geojson", KEY_GEOJSON, "FILE.geojson",
     "also draw the parts, in colours, for a look at them in other programs (default: no drawing)",
     SC_COMPLETE_FILES},
    {"quiet", 'q', NULL, "print nothing but errors and what --json asks for; no progress bar",
     NULL},
    {"json", KEY_JSON, NULL, "print the report as one JSON object, with --quiet too", NULL},
    {NULL, 0, NULL, NULL, NULL},
};

/** An output is a file of its own: neither the map nor the record is written over. */
static void check_output(const struct argp_state *state, const partition_options *options,
                         const char *option, const char *output)
{
    sc_value_file(state, option, output);
    if (sc_overlaps(output, options->map) || (options->run && sc_overlaps(output, options->run))) {
        sc_usage_error(state, "the output '%s' is also an input; choose another name", output);
    }
}

static void check_usage(const struct argp_state *state, const partition_options *options)
{
    if (!options->output) sc_usage_error(state, "no output given; add -o FILE.partition");
    if (options->parts == 0) sc_usage_error(state, "no number of parts given; add -n PARTS");
    check_output(state, options, "-o", options->output);
    if (strcmp(options->output, "-") == 0 && isatty(STDOUT_FILENO)) {
        sc_usage_error(state,
                       "-o -: a partition is not written to a terminal; add '> FILE.partition'");
    }
    if (!options->geojson) return;
    check_output(state, options, "--geojson", options->geojson);
    if (strcmp(options->geojson, "-") == 0) {
        sc_usage_error(state, "--geojson: the report goes to standard output; name a file");
    }
    if (sc_overlaps(options->geojson, options->output)) {
        sc_usage_error(state, "-o and --geojson name the same file; choose another for one");
    }
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    partition_options *options = state->input;
    switch (key) {
    case 'o':
        options->output = argument;
        return 0;
    case 'n':
        options->parts = (uint32_t)sc_value_count(state, "-n", argument, 1, SC_PARTITION_PARTS_MAX);
        return 0;
    case KEY_WEIGHTS:
        sc_value_file(state, "--weights", argument);
        options->run = strcmp(argument, "segments") == 0 ? NULL : argument;
        return 0;
    case KEY_SEED:
        options->seed = (uint32_t)sc_value_count(state, "--seed", argument, 0, INT32_MAX);
        return 0;
    case KEY_GEOJSON:
        options->geojson = argument;
        return 0;
    case 'q':
        options->quiet = true;
        return 0;
    case KEY_JSON:
        options->json = true;
        return 0;
    case ARGP_KEY_END:
        if (options->map) check_usage(state, options);
        break;
    default:
        break;
    }
    return sc_parse_map(key, argument, state, &options->map);
}

/** What can be told before the work. */
static sc_err check_wishes(const partition_options *options, const sc_map *map, sc_diag *diag)
{
    if (options->geojson && sc_map_coords(map) == SC_COORDS_NONE) {
        return sc_explain(
            diag, SC_ENOCOORDS,
            "%.800s: the map has no coordinates, so there is no GeoJSON of it; leave out "
            "--geojson",
            options->map);
    }
    const sc_err err = sc_outfile_check(options->output, diag);
    return err || !options->geojson ? err : sc_outfile_check(options->geojson, diag);
}

/** Count the queries of the record per segment, and add the base share. */
static sc_err weigh_by_run(const sc_map *map, const char *run, const sc_progress *progress,
                           double **out, sc_diag *diag)
{
    const size_t count = sc_map_segment_count(map);
    uint64_t *counts = calloc(count + 1, sizeof(*counts));
    double *weights = calloc(count + 1, sizeof(*weights));
    sc_err err =
        counts && weights ? sc_count_questions(map, run, progress, counts, diag) : SC_ENOMEM;
    if (!err) {
        double total = 0;
        for (size_t i = 0; i < count; i++) {
            total += (double)counts[i];
        }
        const double base = base_share / (1 - base_share) * total / (double)count;
        for (size_t i = 0; i < count; i++) {
            weights[i] = (double)counts[i] + base;
        }
        *out = weights;
        weights = NULL;
    }
    free(counts);
    free(weights);
    return err;
}

static sc_err draw(const partition_options *options, const sc_partition *partition,
                   const sc_partition_report *report, sc_diag *diag)
{
    sc_outfile file;
    sc_err err = sc_outfile_open(options->geojson, &file, diag);
    if (err) return err;
    err = sc_partition_draw(partition, report, file.stream, diag);
    if (err) {
        sc_outfile_abandon(&file);
        return err;
    }
    return sc_outfile_commit(&file, diag);
}

/** What is made on the way; zero-initialised, and freed by work_fini(). */
typedef struct work {
    sc_map *map;
    double *weights;
    sc_partition *partition;
    sc_partition_report report;
    double seconds;
} work;

static void work_fini(work *w)
{
    sc_partition_report_fini(&w->report);
    sc_partition_free(w->partition);
    free(w->weights);
    sc_map_free(w->map);
}

static sc_err do_work(const partition_options *options, const sc_progress *progress, work *w,
                      sc_diag *diag)
{
    sc_err err = sc_input_open_map(options->map, options->run, &w->map, diag);
    if (!err) err = check_wishes(options, w->map, diag);
    if (!err && options->run) {
        err = weigh_by_run(w->map, options->run, progress, &w->weights, diag);
    }
    if (err) return err;
    const double start = sc_clock_s();
    const sc_partition_options wish = {
        .parts = options->parts, .weights = w->weights, .seed = options->seed};
    err = sc_partition_make(w->map, &wish, &w->partition, diag);
    w->seconds = sc_clock_s() - start;
    if (!err) err = sc_partition_describe(w->partition, w->weights, &w->report, diag);
    // The picture first: who finds the partition finds all that was asked for.
    if (!err && options->geojson) err = draw(options, w->partition, &w->report, diag);
    if (!err) err = sc_partition_write(w->partition, options->output, diag);
    return err;
}

static int run(sc_call *call)
{
    partition_options options = {.seed = 1};
    sc_call_parse(call, &options);

    sc_bar bar;
    sc_diag diag = {.message = ""};
    work w = {0};
    sc_bar_init(&bar, options.quiet);
    const sc_progress progress = sc_bar_listen(&bar);
    const sc_err err = do_work(&options, &progress, &w, &diag);
    sc_bar_clear(&bar);

    int status = SC_EXIT_OK;
    if (err) {
        status = sc_call_fail(call, err, &diag);
    } else if (options.json || !options.quiet) {
        const partition_view view = {
            .map = options.map,
            .output = options.output,
            .weights = options.run,
            .partition = w.partition,
            .report = &w.report,
            .seed = options.seed,
            .seconds = w.seconds,
        };
        print_report(options.json, &view);
    }
    work_fini(&w);
    return status;
}

static const sc_entry examples[] = {
    {"starcloak partition cal.scm -n 32 -o cal.partition",
     "Thirty-two parts with equally many roads."},
    {"starcloak partition cal.scm -n 32 --weights yesterday.jsonl -o cal.partition",
     "With equally many queries, if they come as they did yesterday."},
    {"starcloak partition cal.scm -n 32 -o cal.partition --geojson cal.geojson",
     "And a picture of the parts."},
    {NULL, NULL},
};

const sc_command sc_cmd_partition = {
    .name = "partition",
    .summary = "divide a map into parts that workers share",
    .arguments = "FILE.scm -n PARTS -o FILE.partition",
    .complete = SC_COMPLETE_MAPS,
    .description =
        "Divide the star graph of a map into parts that have nearly equally much to do, through as "
        "few roads as possible. Every part has an engine of its own; queries near a border find "
        "members on both sides.\nWith --weights RUN.jsonl, parts weigh what was asked there in a "
        "recorded run; a twentieth of all weight is spread over all segments, since roads without "
        "a query in one run may have some in the next. A star that weighs more than a part should "
        "is a part of its own.\nA partition belongs to one map: after a change of the map, make it "
        "again. All gateways and workers of a cluster need the same one.",
    .options = options_table,
    .topics = partition_topics,
    .examples = examples,
    .parse = parse,
    .run = run,
};
