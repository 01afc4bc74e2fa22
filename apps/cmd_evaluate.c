/*
 * `starcloak evaluate`: let a provider answer every cloak of a recorded run, filter its replies
 * to the exact answers, write these into the record, and tell what it took.
 */
#include <starcloak/map.h>

#include "command.h"
#include "format.h"
#include "inputs.h"
#include "objects_options.h"
#include "progress_bar.h"
#include "sim/evaluate.h"
#include "table.h"
#include "values.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/** All that is printed about one evaluation. Everything is borrowed. */
typedef struct evaluate_view {
    const char *map;
    const char *record;
    const char *output;  ///< NULL: nothing was written
    const sc_evaluate_options *options;
    const sc_evaluate_report *report;
} evaluate_view;

// --- Report -------------------------------------------------------------------------------------

static const sc_entry meanings[] = {
    {"provider", "Answering for whole cloaks: the objects on their segments, and the answers of "
                 "their border nodes. CPU time."},
    {"encoding", "From tables to bytes and back, for requests and replies, on both sides."},
    {"trusted side", "Making requests out of cloaks, checking replies, and filtering them to the "
                     "exact answers."},
    {"candidates", "Objects in the reply to a query's request, as sent: an object that several "
                   "border nodes list counts several times."},
    {"looked up", "Answers of border nodes that were in the nearest index ('starcloak map index'); "
                  "the others were searched, several at once."},
    {"refused", "Queries whose request is too large to be sent to a provider: more than 1,000 "
                "objects, or farther than 100 km. In the record: failed, reason 'request'."},
    {"failed", "Queries for which the provider gave no answer, or none that passes the checks. In "
               "the record: failed, reason 'provider'."},
    {NULL, NULL},
};

static const sc_topic evaluate_topics[] = {{"Meanings", meanings}, {NULL, NULL}};

static double cpu_s(const sc_evaluate_report *report)
{
    return report->provider_cpu_s + report->codec_cpu_s + report->trusted_cpu_s;
}

static void put_text_head(FILE *stream, const evaluate_view *view)
{
    const sc_evaluate_options *options = view->options;
    sc_print_text(stream, view->record);
    fputs(" on ", stream);
    sc_print_text(stream, view->map);
    if (options->points || options->areas) {
        fprintf(stream, "\n  a provider asked %s", options->points ? "at points" : "for areas");
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

static void put_json_head(sc_report *table, const evaluate_view *view)
{
    const sc_evaluate_options *options = view->options;
    sc_report_string(table, "map", view->map);
    sc_report_string(table, "record", view->record);
    sc_report_string(table, "output", view->output);
    sc_report_string(table, "encoding",
                     options->points  ? "points"
                     : options->areas ? "areas"
                                      : sc_encoding_name(options->encoding));
    sc_report_flag(table, "without_index", options->lbs.without_index);
    sc_report_count(table, NULL, "cloaks", view->report->cloaks, "");
}

static void put_queries(sc_report *table, const sc_evaluate_report *report)
{
    const bool has_checks = report->checked > 0;
    sc_report_title(table, "Queries");
    sc_report_count(table, "in cloaks", "queries", report->queries, "");
    sc_report_count(table, "answered", "answered", report->answered, "");
    sc_report_count(table, report->refused > 0 ? "refused" : NULL, "refused", report->refused, "");
    sc_report_count(table, report->failed > 0 ? "failed" : NULL, "failed", report->failed, "");
    sc_report_count(table, report->replaced > 0 ? "answers replaced" : NULL, "replaced",
                    report->replaced, "");
    sc_report_count(table, has_checks ? "checked" : NULL, "checked", report->checked,
                    "against a plain search");
    sc_report_count(table, has_checks ? "wrong" : NULL, "wrong", report->wrong, "");
    sc_report_title(table, "Cloaks");
    sc_report_count(table, "evaluated", NULL, report->cloaks, "");
}

/** The mean and the share are for people. */
static void put_time(sc_report *table, const char *label, const char *name, double seconds,
                     const sc_evaluate_report *report)
{
    char total[SC_FORMAT_SIZE];
    char mean[SC_FORMAT_SIZE];
    const double cloaks = report->cloaks > 0 ? (double)report->cloaks : 1;
    const double whole = cpu_s(report) > 0 ? cpu_s(report) : 1;
    if (table->is_json) {
        sc_report_number(table, NULL, name, seconds, 0, "");
    } else if (label) {
        fprintf(table->stream, "  %-24s %13s %10s %8.1f %%\n", label,
                sc_format_decimal(mean, seconds / cloaks * 1e6, 1),
                sc_format_seconds(total, seconds), 100 * seconds / whole);
    }
}

static void put_times(sc_report *table, const evaluate_view *view)
{
    static const sc_column columns[] = {{"us per cloak", NULL, 13, SC_COLUMN_NUMBER},
                                        {"total", NULL, 10, SC_COLUMN_NUMBER},
                                        {"share", NULL, 10, SC_COLUMN_NUMBER},
                                        {NULL, NULL, 0, SC_COLUMN_NUMBER}};
    const sc_evaluate_report *report = view->report;
    const bool has_points = view->options->points || view->options->areas;
    sc_report_heading(table, "CPU time", columns);
    table->digits = 9;
    sc_report_open(table, "cpu_s");
    put_time(table, "provider", "provider", report->provider_cpu_s, report);
    put_time(table, has_points ? NULL : "encoding", "encoding", report->codec_cpu_s, report);
    put_time(table, "trusted side", "trusted", report->trusted_cpu_s, report);
    if (!table->is_json) put_time(table, "together", NULL, cpu_s(report), report);
    sc_report_number(table, NULL, "per_cloak", sc_evaluate_cpu_per_cloak_s(report), 0, "");
    sc_report_close(table);
    sc_report_seconds(table, has_points ? "waiting for answers" : NULL, "provider_wall_s",
                      report->provider_wall_s, "by the clock");
    table->digits = 10;
}

static void put_sizes(sc_report *table, const sc_evaluate_report *report)
{
    sc_report_heading(table, "Per cloak", sc_summary_columns);
    sc_report_summary(table, "different requests", "requests", &report->requests, 0);
    sc_report_summary(table, "bytes out", "bytes_out", &report->bytes_out, 0);
    sc_report_summary(table, "bytes in", "bytes_in", &report->bytes_in, 0);
    sc_report_heading(table, "Per query", sc_summary_columns);
    sc_report_summary(table, "candidates", "candidates", &report->candidates, 0);
    sc_report_summary(table, "different candidates", "distinct_candidates", &report->distinct, 0);
    sc_report_summary(table, "results", "results", &report->results, 0);
}

static void put_work(sc_report *table, const evaluate_view *view)
{
    const sc_evaluate_report *report = view->report;
    const sc_lbs_work *work = &report->work;
    const bool has_areas = view->options->areas != NULL;
    const bool has_points = view->options->points || has_areas;
    char remark[SC_FORMAT_SIZE + 16] = "";
    char number[SC_FORMAT_SIZE];
    if (work->searched > 0) {
        snprintf(remark, sizeof(remark), "in %s searches", sc_format_count(number, work->searches));
    }
    sc_report_title(table, has_points ? "Provider" : "Answers of border nodes");
    sc_report_open(table, "border_nodes");
    sc_report_count(table, has_points ? NULL : "looked up", "looked_up", work->looked_up, "");
    sc_report_count(table, has_points ? NULL : "searched for", "searched", work->searched, remark);
    sc_report_count(table, NULL, "searches", work->searches, "");
    sc_report_count(table, NULL, "stars_visited", work->stars_visited, "");
    sc_report_close(table);
    const char *places = has_areas ? "tiles needed" : "places asked at";
    sc_report_count(table, has_points ? places : NULL, has_areas ? "tiles" : "points",
                    report->points, "");
    sc_report_count(table, has_points ? "questions" : NULL, "questions", report->questions, "");
}

static void evaluate_print(FILE *stream, bool is_json, const evaluate_view *view)
{
    if (!is_json) put_text_head(stream, view);
    sc_report table = sc_report_begin(stream, is_json, 24);
    put_json_head(&table, view);
    put_queries(&table, view->report);
    put_times(&table, view);
    put_sizes(&table, view->report);
    put_work(&table, view);
    sc_report_end(&table);
}

// --- The command --------------------------------------------------------------------------------

typedef struct evaluate_options {
    const char *map;
    const char *record;
    const char *output;  ///< NULL: the record itself
    bool is_dry;
    sc_objects_options objects;
    sc_points_options points;
    const char *areas;  ///< the file of a provider of areas; NULL: none
    bool is_warm;       ///< measure when its tiles are there
    sc_evaluate_options how;
    bool has_encoding;
    bool json;
    bool quiet;
} evaluate_options;

enum {
    KEY_DRY_RUN = SC_KEY_FIRST,
    KEY_ENCODING,
    KEY_WITHOUT_INDEX,
    KEY_CHECK,
    KEY_AREAS,
    KEY_WARM,
    KEY_SEED,
    KEY_JSON,
};

static const sc_option options_table[] = {
    {"output", 'o', "OUT.jsonl",
     "where the record with its answers goes; - is standard output (default: RUN.jsonl itself is "
     "replaced)",
     SC_COMPLETE_FILES},
    {"dry-run", KEY_DRY_RUN, NULL, "write no record", NULL},
    SC_OBJECTS_OPTIONS,
    {"encoding", KEY_ENCODING, "NAME",
     "how requests and replies are encoded: compact (default) or geojson", "compact geojson"},
    {"without-index", KEY_WITHOUT_INDEX, NULL,
     "search for every answer, as if there were no nearest index", NULL},
    SC_POINTS_OPTIONS,
    {"area-provider", KEY_AREAS, SC_AREA_OPTION_ARGUMENT, SC_AREA_OPTION_TEXT, SC_COMPLETE_FILES},
    {"warm", KEY_WARM, NULL,
     "with --area-provider: answer the record once before, so that what is measured finds its "
     "tiles "
     "there and indexed",
     NULL},
    {"check", KEY_CHECK, "N",
     "compare N answers, evenly spread, or 'all' of them, with a plain search (default: none)",
     "all"},
    {"seed", KEY_SEED, "N", "seed of the order of requests (default: an unpredictable order)",
     NULL},
    {"quiet", 'q', NULL, "print nothing but errors and what --json asks for; no progress bar",
     NULL},
    {"json", KEY_JSON, NULL, "print the report as one JSON object, with --quiet too", NULL},
    {NULL, 0, NULL, NULL, NULL},
};

// --- Usage ----------------------------------------------------------------------------

static void check_output(const evaluate_options *options, const struct argp_state *state)
{
    const char *output = options->output;
    if (options->is_dry) {
        if (output)
            sc_usage_error(state,
                           "--dry-run writes no record, and -o names one; leave one of them out");
        return;
    }
    if (!output) {
        if (strcmp(options->record, "-") == 0) {
            sc_usage_error(state, "a record from standard input cannot be replaced; add -o "
                                  "OUT.jsonl, or --dry-run");
        }
        return;
    }
    sc_value_file(state, "-o", output);
    if (strcmp(output, "-") == 0 && isatty(STDOUT_FILENO)) {
        sc_usage_error(state, "-o -: a record is not written to a terminal; add '> OUT.jsonl'");
    }
    if (sc_overlaps(output, options->map)) {
        sc_usage_error(state, "the output '%s' is also the map; choose another name", output);
    }
}

/** A provider that knows points has its own objects, and its own way to be asked. */
static void check_provider(const evaluate_options *options, const struct argp_state *state)
{
    const struct {
        const char *option;
        bool is_given;
    } others[] = {
        {"--objects", options->objects.feed.database != NULL},
        {"--encoding", options->has_encoding},
        {"--without-index", options->how.lbs.without_index},
        {"--check", options->how.check_count > 0},
    };
    sc_objects_options_check(state, &options->objects);
    sc_points_options_check(state, &options->points);
    if (options->is_warm && !options->areas) {
        sc_usage_error(state, "--warm is about the tiles of an area provider; add --area-provider");
    }
    if (options->areas && sc_points_are_wanted(&options->points)) {
        sc_usage_error(state, "--area-provider and --point-provider name two providers; leave one "
                              "of them out");
    }
    if (!sc_points_are_wanted(&options->points) && !options->areas) return;
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        if (!others[i].is_given) continue;
        sc_usage_error(state, "%s is for the built-in provider, but %s names another",
                       others[i].option, options->areas ? "--area-provider" : "--point-provider");
    }
}

static void check_usage(const evaluate_options *options, const struct argp_state *state)
{
    check_provider(options, state);
    if (!options->map) return;
    if (!options->record) {
        sc_usage_error(state, "no record given; name the RUN.jsonl to evaluate, or - for standard "
                              "input");
    }
    check_output(options, state);
}

static uint64_t check_count(const struct argp_state *state, const char *argument)
{
    if (strcmp(argument, "all") == 0) return SC_CHECK_ALL;
    return sc_value_count(state, "--check", argument, 1, UINT32_MAX);
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    static const char *const encodings[] = {"compact", "geojson", NULL};
    evaluate_options *options = state->input;
    if (sc_objects_option(key, argument, state, &options->objects)) return 0;
    if (sc_points_option(key, argument, state, &options->points)) return 0;
    switch (key) {
    case 'o':
        options->output = argument;
        return 0;
    case KEY_DRY_RUN:
        options->is_dry = true;
        return 0;
    case KEY_ENCODING:
        options->has_encoding = true;
        options->how.encoding =
            (sc_encoding)sc_value_word(state, "--encoding", argument, encodings);
        return 0;
    case KEY_WITHOUT_INDEX:
        options->how.lbs.without_index = true;
        options->objects.no_index = true;
        return 0;
    case KEY_CHECK:
        options->how.check_count = check_count(state, argument);
        return 0;
    case KEY_AREAS:
        options->areas = argument;
        return 0;
    case KEY_WARM:
        options->is_warm = true;
        return 0;
    case KEY_SEED:
        options->how.is_seeded = true;
        options->how.seed = sc_value_count(state, "--seed", argument, 0, UINT64_MAX);
        return 0;
    case 'q':
        options->quiet = true;
        options->objects.is_quiet = true;
        return 0;
    case KEY_JSON:
        options->json = true;
        return 0;
    case ARGP_KEY_ARG:
        if (state->arg_num == 0) break;
        sc_parse_file("record", argument, state, &options->record);
        return 0;
    case ARGP_KEY_END:
        check_usage(options, state);
        break;
    default:
        break;
    }
    return sc_parse_map(key, argument, state, &options->map);
}

// --- Work -----------------------------------------------------------------------------

/** What can be known before anything is read. */
static sc_err check_inputs(const evaluate_options *options, const sc_map *map, sc_diag *diag)
{
    if (!options->objects.feed.database && !sc_points_are_wanted(&options->points) &&
        !options->areas) {
        const sc_err err = sc_input_need_objects(map, options->map, diag);
        if (err) return err;
    }
    const bool is_in_place = !options->output && !options->is_dry;
    if (is_in_place && sc_input_is_packed(options->record)) {
        return sc_explain(diag, SC_EINVAL,
                          "%.400s: the record is compressed and would be replaced by an "
                          "uncompressed one; add -o OUT.jsonl",
                          options->record);
    }
    if (options->how.encoding == SC_ENCODING_GEOJSON &&
        sc_map_coords(map) != SC_COORDS_GEOGRAPHIC) {
        return sc_explain(diag, SC_ENOCOORDS,
                          "%.400s: the map has no coordinates in degrees, which GeoJSON needs; use "
                          "--encoding compact",
                          options->map);
    }
    return SC_OK;
}

/** Nothing was answered; so nothing was written either. */
static void tell_fruitless(const sc_call *call, const evaluate_options *options)
{
    const char *output = options->output;
    if (options->is_dry || (output && strcmp(output, "-") == 0)) {
        sc_call_note(call, "no query could be answered");
    } else if (output) {
        sc_call_note(call, "no query could be answered; %.400s is not written", output);
    } else {
        sc_call_note(call, "no query could be answered; %.400s stays as it was", options->record);
    }
}

static void tell_troubles(const sc_call *call, const evaluate_options *options,
                          const sc_evaluate_report *report)
{
    if (report->first_failure.message[0] != '\0') {
        sc_call_note(call, "%" PRIu64 " queries failed; the first: %.700s", report->failed,
                     report->first_failure.message);
    }
    if (report->refused > 0) {
        sc_call_note(
            call,
            "%" PRIu64
            " queries request more objects or a larger radius than allowed, or an unknown category",
            report->refused);
    }
    if (report->wrong > 0) {
        sc_call_note(
            call,
            "%" PRIu64 " of %" PRIu64
            " answers differ from a plain search; the first belongs to the cloak in line %" PRIu64
            " of %.400s",
            report->wrong, report->checked, report->first_wrong, options->record);
    }
    if (sc_evaluate_is_fruitless(report)) {
        tell_fruitless(call, options);
    } else if (!options->quiet && report->replaced > 0 && !options->is_dry) {
        sc_call_note(call, "note: %" PRIu64 " answers that the record had before are replaced",
                     report->replaced);
    }
}

/** Nothing is wrong, and if there was something to answer, some of it was. */
static bool went_well(const sc_evaluate_report *report)
{
    return report->wrong == 0 && !sc_evaluate_is_fruitless(report);
}

/** The provider that answers. */
typedef struct provider {
    sc_opened_objects opened;  ///< of the built-in one
    sc_vocabulary vocabulary;  ///< of one that knows points
    sc_point_settings *point_settings;
    sc_point_provider *points;
    sc_opened_areas areas;
} provider;

static sc_err open_provider(const sc_call *call, const evaluate_options *options, const sc_map *map,
                            provider *out, sc_diag *diag)
{
    if (options->areas) return sc_areas_open(options->areas, map, &out->areas, diag);
    if (!sc_points_are_wanted(&options->points)) {
        return sc_objects_open(call, &options->objects, map, &out->opened, diag);
    }
    sc_err err = sc_vocabulary_init_from_map(map, &out->vocabulary);
    if (err) return err;
    err = sc_points_settings(&options->points, &out->point_settings, diag);
    if (err) return err;
    return sc_point_provider_new(map, &out->vocabulary, out->point_settings, &out->points, diag);
}

static void close_provider(provider *who)
{
    sc_objects_close(&who->opened);
    sc_areas_close(&who->areas);
    sc_point_provider_free(who->points);
    sc_point_settings_free(who->point_settings);
    sc_vocabulary_fini(&who->vocabulary);
}

/** Where the new record goes; NULL: nowhere. */
static const char *output_of(const evaluate_options *options)
{
    if (options->is_dry) return NULL;
    return options->output ? options->output : options->record;
}

static sc_err evaluate(const evaluate_options *options, const sc_map *map, const provider *who,
                       sc_evaluate_options *how, sc_evaluate_report *report, sc_diag *diag)
{
    sc_bar bar;
    sc_bar_init(&bar, options->quiet);
    how->objects = who->opened.objects;
    how->points = who->points;
    how->areas = who->areas.asker;
    how->area_provider = who->areas.provider;
    how->vocabulary =
        who->areas.provider ? sc_area_provider_vocabulary(who->areas.provider) : &who->vocabulary;
    how->progress = sc_bar_listen(&bar);
    sc_err err = SC_OK;
    if (options->is_warm) {
        err = sc_evaluate(map, options->record, NULL, how, report, diag);
        if (!err) err = sc_area_provider_build_index(who->areas.provider, diag);
    }
    if (!err) err = sc_evaluate(map, options->record, output_of(options), how, report, diag);
    sc_bar_clear(&bar);
    return err ? sc_input_explain(err, options->record, SC_INPUT_RECORD, diag) : SC_OK;
}

static void print_report(const evaluate_options *options, const sc_evaluate_options *how,
                         const sc_evaluate_report *report)
{
    const char *output = output_of(options);
    // What went to standard output cannot be taken back.
    const bool is_kept = output && (!sc_evaluate_is_fruitless(report) || strcmp(output, "-") == 0);
    const evaluate_view view = {.map = options->map,
                                .record = options->record,
                                .output = is_kept ? output : NULL,
                                .options = how,
                                .report = report};
    FILE *stream = sc_report_stream(output ? output : "");
    if (options->json || !options->quiet) evaluate_print(stream, options->json, &view);
}

static int answer(const sc_call *call, const sc_map *map, const evaluate_options *options)
{
    sc_diag diag = {.message = ""};
    provider who = {.points = NULL};
    sc_evaluate_options how = options->how;
    sc_evaluate_report report;
    sc_err err = check_inputs(options, map, &diag);
    if (!err) err = open_provider(call, options, map, &who, &diag);
    if (!err) err = evaluate(options, map, &who, &how, &report, &diag);
    if (!err) {
        tell_troubles(call, options, &report);
        print_report(options, &how, &report);
    }
    close_provider(&who);
    if (err) return sc_call_fail(call, err, &diag);
    return went_well(&report) ? SC_EXIT_OK : SC_EXIT_FAILURE;
}

static int run(sc_call *call)
{
    evaluate_options options = {.objects = sc_objects_options_default(),
                                .points = sc_points_options_default(),
                                .how = sc_evaluate_options_default()};
    sc_call_parse(call, &options);

    sc_diag diag = {.message = ""};
    sc_map *map = NULL;
    const sc_err err = sc_input_open_map(options.map, options.record, &map, &diag);
    if (err) return sc_call_fail(call, err, &diag);
    const int status = answer(call, map, &options);
    sc_map_free(map);
    return status;
}

static const sc_entry examples[] = {
    {"starcloak simulate cal.scm --users 10k --record run.jsonl", "Make a record."},
    {"starcloak evaluate cal.scm run.jsonl", "Answer it, and see what that takes."},
    {"starcloak verify cal.scm run.jsonl", "See whether the answers are the exact ones."},
    {"starcloak evaluate cal.scm run.jsonl.xz --dry-run --encoding geojson --check all",
     "What does geometry cost, and is every answer right?"},
    {"starcloak evaluate cal.scm run.jsonl --point-provider "
     "'https://poi.example/nearest?lon={lon}&lat={lat}&k={k}'",
     "Ask a provider that knows points only."},
    {"starcloak evaluate cal.scm run.jsonl --area-provider places.ini",
     "Ask a provider that lists what is in a box."},
    {NULL, NULL},
};

const sc_command sc_cmd_evaluate = {
    .name = "evaluate",
    .summary = "answer every cloak of a recorded run, and measure what it takes",
    .arguments = "FILE.scm RUN.jsonl",
    .complete = SC_COMPLETE_MAPS,
    .complete_2 = SC_COMPLETE_FILES,
    .description =
        "Read the record of a run, made with --record. For each cloak, what may leave the trusted "
        "side goes to a provider, encoded as it would be sent: segments, border nodes, and the "
        "members' different requests in random order. What comes back is checked and filtered to "
        "the exact answer of each member. Answers are written after their cloaks. The record is "
        "replaced when the new one is complete and at least one query could be answered; answers "
        "that it had before are left out. RUN.jsonl may be compressed with xz or gzip, or - for "
        "standard input; then -o is needed.\nThe provider is built in and answers from the map's "
        "objects, or from those of a database; or it is a provider over HTTP that does not know "
        "cloaks and is asked at points, or for areas.\nIt prints the time taken, the bytes sent "
        "each way, and "
        "how many objects came back. The exit status is 1 if --check finds a wrong answer, or if "
        "no query could be answered.",
    .options = options_table,
    .topics = evaluate_topics,
    .examples = examples,
    .parse = parse,
    .run = run,
};
