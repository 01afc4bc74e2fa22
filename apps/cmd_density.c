/*
 * `starcloak density`: how busy is each segment? A table that `starcloak attack` may know, and that
 * an operator measures cloaks by. Counted on the roads or in a recorded run, or learnt from cloaks.
 */
#include "command.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "densities.h"
#include "format.h"
#include "inputs.h"
#include "progress_bar.h"
#include "table.h"
#include "values.h"
#include "workload_options.h"

typedef struct density_options {
    const char *map;
    const char *output;
    const char *run;
    const char **cloaks;  ///< logs, records; there is room for as many as there are arguments
    size_t cloaks_count;
    sc_counting counting;
    const char *road_option;  ///< name of one that was given and is about travellers on the roads
    bool quiet;
} density_options;

enum { KEY_RUN = SC_KEY_FIRST, KEY_CLOAKS, KEY_SECONDS, KEY_STEP, KEY_SEED };

static const sc_option options_table[] = {
    {"output", 'o', "DENSITY.csv", "where the table goes (required); - is standard output",
     SC_COMPLETE_FILES},
    {"run", KEY_RUN, "RUN.jsonl",
     "count where the queries of this recorded run were asked, instead of travellers on the roads "
     "(default: none)",
     SC_COMPLETE_FILES},
    {"cloaks", KEY_CLOAKS, "FILE.jsonl",
     "learn from published cloaks, by which segments they have and how many users, without a "
     "position, instead of counting: the cloak log of a service, or a recorded run; may be given "
     "several times (default: none)",
     SC_COMPLETE_FILES},
    {"seconds", KEY_SECONDS, "S", "how long travellers are counted, in seconds (default 600)",
     NULL},
    {"step", KEY_STEP, "S", "seconds from one count to the next (default 30)", NULL},
    {"seed", KEY_SEED, "N", "seed of the travellers (default 1)", NULL},
    SC_MOVEMENT_OPTIONS,
    {"quiet", 'q', NULL, "print nothing but errors; no progress bar", NULL},
    {NULL, 0, NULL, NULL, NULL},
};

/** Whether the output would replace one of the inputs. */
static bool replaces_input(const density_options *options)
{
    const char *output = options->output;
    const char *traces = options->counting.movement.traces.path;
    bool replaces = sc_overlaps(output, options->map) ||
                    (options->run && sc_overlaps(output, options->run)) ||
                    (traces && sc_overlaps(output, traces));
    for (size_t i = 0; i < options->cloaks_count; i++) {
        replaces = replaces || sc_overlaps(output, options->cloaks[i]);
    }
    return replaces;
}

static void check_usage(const struct argp_state *state, const density_options *options)
{
    const char *output = options->output;
    if (!output) sc_usage_error(state, "no output given; add -o DENSITY.csv");
    sc_value_file(state, "-o", output);
    if (replaces_input(options)) {
        sc_usage_error(state, "the output '%s' is also an input; choose another name", output);
    }
    if (options->run && options->cloaks_count > 0) {
        sc_usage_error(state,
                       "--run counts the queries of a record, and --cloaks learns from cloaks "
                       "alone; leave one out");
    }
    if (options->run && options->road_option) {
        sc_usage_error(state,
                       "--run counts the queries of a record, and --%s is about travellers on the "
                       "roads; leave one out",
                       options->road_option);
    }
    if (options->cloaks_count > 0 && options->road_option) {
        sc_usage_error(state,
                       "--cloaks learns from published cloaks, and --%s is about travellers on "
                       "the roads; leave one out",
                       options->road_option);
    }
    sc_movement_settings_check(state, &options->counting.movement);
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    density_options *options = state->input;
    sc_counting *counting = &options->counting;
    if (sc_movement_option(key, argument, state, &counting->movement)) {
        options->road_option = sc_option_name(options_table, key);
        return 0;
    }
    switch (key) {
    case 'o':
        options->output = argument;
        return 0;
    case KEY_RUN:
        options->run = sc_value_file(state, "--run", argument);
        return 0;
    case KEY_CLOAKS:
        options->cloaks[options->cloaks_count++] = sc_value_file(state, "--cloaks", argument);
        return 0;
    case KEY_SECONDS:
        counting->seconds = sc_value_number(state, "--seconds", argument, 1, SC_SECONDS_MAX);
        options->road_option = sc_option_name(options_table, key);
        return 0;
    case KEY_STEP:
        counting->step_s = sc_value_number(state, "--step", argument, 0.001, SC_SECONDS_MAX);
        options->road_option = sc_option_name(options_table, key);
        return 0;
    case KEY_SEED:
        counting->seed = sc_value_count(state, "--seed", argument, 0, UINT64_MAX);
        options->road_option = sc_option_name(options_table, key);
        return 0;
    case 'q':
        options->quiet = true;
        return 0;
    case ARGP_KEY_END:
        if (options->map) check_usage(state, options);
        break;
    default:
        break;
    }
    return sc_parse_map(key, argument, state, &options->map);
}

static void print_report(const density_options *options, const uint64_t *counts, size_t count)
{
    FILE *stream = sc_report_stream(options->output);
    uint64_t total = 0;
    size_t busy = 0;
    char seen[SC_FORMAT_SIZE];
    char segments[SC_FORMAT_SIZE];
    char all[SC_FORMAT_SIZE];
    for (size_t i = 0; i < count; i++) {
        total += counts[i];
        busy += counts[i] > 0;
    }
    const char *what = options->run ? "questions" : "travellers were seen";
    if (options->cloaks_count > 0) what = "users of cloaks were likely";
    sc_print_text(stream, options->output);
    fprintf(stream, ": %s %s on %s of %s segments\n", sc_format_count(seen, total), what,
            sc_format_count(segments, busy), sc_format_count(all, count));
}

/** Warn of a table that says little. */
static sc_err warn_if_thin(const sc_call *call, const sc_map *map, const uint64_t *counts)
{
    sc_density *density = NULL;
    const sc_err err = sc_density_new_counted(map, counts, &density);
    if (err) return err;
    char words[SC_DENSITY_WARNING_SIZE];
    if (sc_input_warns_of_density(density, words)) sc_call_note(call, "warning: %s", words);
    sc_density_free(density);
    return SC_OK;
}

static sc_err learn(const sc_call *call, const density_options *options, const sc_map *map,
                    const sc_progress *progress, uint64_t *counts, sc_diag *diag)
{
    sc_cloaks_read read;
    const sc_err err =
        sc_count_cloaks(map, options->cloaks, options->cloaks_count, progress, counts, &read, diag);
    if (err || options->quiet) return err;
    if (read.balanced) {
        sc_call_note(call,
                     "warning: traffic was demanded of the cloaks of %.400s, so they were made to "
                     "tell little of it, and so does what is learnt; use days without that demand",
                     read.balanced);
    }
    if (read.cut_lines > 0) {
        char lines[SC_FORMAT_SIZE];
        sc_call_note(call, "lines that a service could not finish, left out: %s",
                     sc_format_count(lines, read.cut_lines));
    }
    return err;
}

static sc_err count(const sc_call *call, const density_options *options, const sc_map *map,
                    const sc_progress *progress, uint64_t *counts, sc_diag *diag)
{
    if (options->run) return sc_count_questions(map, options->run, progress, counts, diag);
    if (options->cloaks_count > 0) return learn(call, options, map, progress, counts, diag);
    sc_crowd crowd = {0};
    const sc_crowd_wish wish = {.settings = &options->counting.movement,
                                .seed = options->counting.seed,
                                .seconds = options->counting.seconds};
    const sc_err err = sc_count_traffic(map, &options->counting, progress, &crowd, counts, diag);
    if (!err && !options->quiet) sc_crowd_note(call, &crowd, &wish);
    sc_crowd_close(&crowd);
    return err;
}

static int run(sc_call *call)
{
    sc_diag diag = {.message = ""};
    density_options options = {.counting = sc_counting_default()};
    options.cloaks = calloc((size_t)call->argc + 1, sizeof(*options.cloaks));
    if (!options.cloaks) return sc_call_fail(call, SC_ENOMEM, &diag);
    sc_call_parse(call, &options);

    sc_bar bar;
    sc_map *map = NULL;
    uint64_t *counts = NULL;
    sc_bar_init(&bar, options.quiet);
    const sc_progress progress = sc_bar_listen(&bar);
    sc_err err = sc_input_open_map(options.map, NULL, &map, &diag);
    if (!err) err = sc_outfile_check(options.output, &diag);
    const size_t segment_count = map ? sc_map_segment_count(map) : 0;
    if (!err) {
        counts = calloc(segment_count + 1, sizeof(*counts));
        err = counts ? count(call, &options, map, &progress, counts, &diag) : SC_ENOMEM;
    }
    if (!err) err = sc_density_write_counts(map, counts, options.output, &diag);
    sc_bar_clear(&bar);
    if (!err && !options.quiet) err = warn_if_thin(call, map, counts);
    if (!err && !options.quiet) print_report(&options, counts, segment_count);
    free(counts);
    free(options.cloaks);
    sc_map_free(map);
    return err ? sc_call_fail(call, err, &diag) : SC_EXIT_OK;
}

static const sc_entry examples[] = {
    {"starcloak density cal.scm -o density.csv", "Ten thousand travellers, for ten minutes."},
    {"starcloak density sf.scm --traces cabs --trace-end 1211400000 --trace-fold 600 -o week-1.csv",
     "Real taxis, of the days before that moment."},
    {"starcloak density cal.scm --run yesterday.jsonl -o density.csv",
     "Where the queries of a recorded run were asked."},
    {"starcloak density cal.scm --cloaks monday.jsonl --cloaks tuesday.jsonl.xz -o density.csv",
     "What the cloaks of a service ('starcloak serve --cloak-log') of two days tell, without a "
     "position."},
    {"starcloak attack cal.scm run.jsonl --density density.csv",
     "What an adversary who knows the table learns from the cloaks of a run."},
    {NULL, NULL},
};

const sc_command sc_cmd_density = {
    .name = "density",
    .summary = "count how busy each segment is",
    .arguments = "FILE.scm -o DENSITY.csv",
    .complete = SC_COMPLETE_MAPS,
    .description =
        "Let travellers drive, or follow recorded ones (--traces), and count at regular intervals "
        "on which segment each of them is; or count where the queries of a recorded run were asked "
        "(--run); or learn from published cloaks alone where their users were likely (--cloaks). "
        "The table "
        "has a row for every segment, with the columns segment and count, and says nothing of any "
        "single traveller. The options --density of simulate, cloak, serve, worker, verify and "
        "attack read it. A table that rests on fewer than "
        "5 counts per road on average is warned of: it says little of single roads.",
    .options = options_table,
    .examples = examples,
    .parse = parse,
    .run = run,
};
