/*
 * `starcloak experiment`: the whole evaluation, from travellers to figures and claims, as numbers.
 *
 * The work is the laboratory's (src/study/lab); here maps and traces are opened, a keystroke
 * stops the run without losing what is done, and a summary is printed at the end.
 */
#include "command.h"

#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include <starcloak/map_generate.h>

#include "base/json_write.h"
#include "experiment_options.h"
#include "format.h"
#include "inputs.h"
#include "progress_bar.h"

/** The map where none is given: a small city. */
#define CITY_NODES 5000
#define CITY_SEED 1

/** Set by a signal, looked at by the laboratory. */
static volatile sig_atomic_t is_stopped;

static void stop(int number)
{
    (void)number;
    is_stopped = 1;
}

static void listen_for_stop(void)
{
    // Once: a second signal means not to wait for what is not looked at.
    struct sigaction action = {.sa_handler = stop, .sa_flags = (int)SA_RESETHAND};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGHUP, &action, NULL);
}

/** What was opened, to be closed again. */
typedef struct opened {
    sc_map *maps[SC_LAB_MAPS_MAX];
    sc_traces *traces[SC_LAB_MAPS_MAX];
} opened;

static void close_all(opened *open)
{
    for (size_t i = 0; i < SC_LAB_MAPS_MAX; i++) {
        sc_traces_free(open->traces[i]);
        sc_map_free(open->maps[i]);
    }
}

static sc_err open_city(sc_lab_options *lab, opened *open, sc_diag *diag)
{
    const sc_city_options city = {.node_count = CITY_NODES, .seed = CITY_SEED};
    const sc_err err = sc_map_generate_city(&city, &open->maps[0], diag);
    if (err) return err;
    lab->maps[0] =
        (sc_lab_map){.name = "city", .map = open->maps[0], .follow = sc_follow_options_default()};
    lab->map_count = 1;
    return SC_OK;
}

static sc_err open_map(const sc_experiment_flags *flags, size_t i, sc_lab_options *lab,
                       opened *open, sc_diag *diag)
{
    const sc_named_map *named = &flags->maps[i];
    sc_err err = sc_input_open_map(named->path, NULL, &open->maps[i], diag);
    if (err) return err;
    if (named->traces.path) {
        sc_traces_options read = named->traces.read;
        read.progress = lab->progress;
        err = sc_traces_read(named->traces.path, &read, &open->traces[i], diag);
        if (err) return err;
    }
    lab->maps[i] = (sc_lab_map){.name = named->name,
                                .map = open->maps[i],
                                .traces = open->traces[i],
                                .follow = named->traces.follow};
    lab->map_count = i + 1;
    return SC_OK;
}

/** What --category means on a map; where there are no objects, it means nothing. */
static sc_err find_category(const sc_experiment_flags *flags, sc_lab_map *map, sc_diag *diag)
{
    if (sc_map_object_count(map->map) == 0) return SC_OK;
    sc_asking asking = flags->asking;
    const sc_err err = sc_workload_find_category(&asking, map->map, diag);
    map->category = asking.workload.category;
    if (err) {
        snprintf(diag->message, sizeof(diag->message),
                 "--category: the map %.64s has no category '%.60s'; 'starcloak map info' lists "
                 "its categories",
                 map->name, flags->asking.category);
    }
    return err;
}

static sc_err open_all(const sc_experiment_flags *flags, sc_lab_options *lab, opened *open,
                       sc_diag *diag)
{
    sc_err err = flags->map_count == 0 ? open_city(lab, open, diag) : SC_OK;
    for (size_t i = 0; !err && i < flags->map_count; i++) {
        err = open_map(flags, i, lab, open, diag);
    }
    for (size_t i = 0; !err && i < lab->map_count; i++) {
        err = find_category(flags, &lab->maps[i], diag);
    }
    return err;
}

// --- The end ------------------------------------------------------------------------------

static bool is_literal(const sc_lab_reading_summary *one)
{
    return strcmp(one->reading, "literal") == 0;
}

static void print_claims(const sc_lab_reading_summary *one)
{
    printf("claims of the paper%s: %zu hold, %zu mostly hold, %zu do not hold, %zu cannot be "
           "decided\n",
           is_literal(one) ? ", baselines to the letter" : "", one->held, one->mostly_held,
           one->failed, one->untold);
    for (size_t i = 0; i < SC_LAB_PAPER_CLAIMS; i++) {
        if (one->exceptions[i].text[0] == '\0') continue;
        printf("  claim %zu mostly holds, except %s\n", i + 1, one->exceptions[i].text);
    }
}

static void print_json(const sc_lab_options *lab, const sc_lab_summary *done)
{
    fputs("{\"directory\": ", stdout);
    sc_json_string(stdout, lab->directory);
    printf(", \"points\": %zu, \"done_before\": %zu, \"wall_s\": %.3f, \"figures\": %zu",
           done->point_count, done->done_before, done->wall_s, done->figure_count);
    for (size_t i = 0; i < done->reading_count; i++) {
        const sc_lab_reading_summary *one = &done->readings[i];
        printf(", \"claims%s\": {\"hold\": %zu, \"mostly_hold\": %zu, \"do_not_hold\": %zu, "
               "\"not_told\": %zu}",
               is_literal(one) ? "_literal" : "", one->held, one->mostly_held, one->failed,
               one->untold);
    }
    printf(", \"statements\": {\"hold\": %zu, \"do_not_hold\": %zu, \"not_told\": %zu}}\n",
           done->claims_held, done->claims_failed, done->claims_untold);
}

static void print_text(const sc_lab_options *lab, const sc_lab_summary *done)
{
    char seconds[SC_FORMAT_SIZE];
    printf("%zu %s", done->point_count, done->point_count == 1 ? "point" : "points");
    if (done->done_before > 0) printf(" (%zu of them from before)", done->done_before);
    printf(" on %zu %s in %s\n", lab->map_count, lab->map_count == 1 ? "map" : "maps",
           sc_format_seconds(seconds, done->wall_s));
    printf("figures: %zu\n", done->figure_count);
    for (size_t i = 0; i < done->reading_count; i++) {
        print_claims(&done->readings[i]);
    }
    printf("their single statements: %zu hold, %zu do not hold, %zu cannot be decided\n",
           done->claims_held, done->claims_failed, done->claims_untold);
    printf("to plot them and write %s/report.html: tools/report.py %s (installed: "
           "starcloak-figures)\n",
           lab->directory, lab->directory);
}

static int tell_end(const sc_experiment_flags *flags, const sc_lab_options *lab,
                    const sc_lab_summary *done)
{
    if (flags->is_json) {
        print_json(lab, done);
    } else if (!flags->is_quiet) {
        print_text(lab, done);
    }
    return SC_EXIT_OK;
}

/** Whether a shell takes the word as it is. */
static bool is_plain(const char *word)
{
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=+,./:@%";
    return word[0] != '\0' && word[strspn(word, plain)] == '\0';
}

/** The command as one would type it, for the report; NULL if memory is out. To be freed. */
static char *typed(const sc_call *call)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    if (!stream) return NULL;
    fputs(call->path, stream);
    for (int i = 1; i < call->argc; i++) {
        const char *word = call->argv[i];
        const bool is_quoted = !is_plain(word);
        fputs(is_quoted ? " '" : " ", stream);
        for (; *word; word++) {
            if (*word == '\'' && is_quoted) {
                fputs("'\\''", stream);
            } else {
                fputc(*word, stream);
            }
        }
        if (is_quoted) fputc('\'', stream);
    }
    fclose(stream);
    return text;
}

static int run(sc_call *call)
{
    sc_experiment_flags flags = sc_experiment_flags_default();
    char *const command = typed(call);  // before argp puts the flags into another order
    sc_call_parse(call, &flags);

    sc_bar bar;
    sc_diag diag = {.message = ""};
    opened open = {0};
    sc_lab_summary done = {0};
    sc_lab_options lab = sc_experiment_settings(&flags);
    sc_bar_init(&bar, flags.is_quiet);
    lab.progress = sc_bar_listen(&bar);
    lab.version = SC_VERSION;
    lab.command = command;
    listen_for_stop();
    sc_err err = open_all(&flags, &lab, &open, &diag);
    // What was asked for makes no sense: that is a matter of usage, though maps had to be seen.
    const bool is_misused = !err && (err = sc_lab_options_check(&lab, &diag)) == SC_EINVAL;
    if (!err) err = sc_lab_run(&lab, &is_stopped, &done, &diag);
    sc_bar_clear(&bar);
    int status = err ? sc_call_fail(call, err, &diag) : tell_end(&flags, &lab, &done);
    if (is_misused) status = SC_EXIT_USAGE;
    close_all(&open);
    free(command);
    return status;
}

static const sc_entry examples[] = {
    {"starcloak experiment --quick -o taste", "A run of about a minute, on a generated city."},
    {"starcloak experiment --map cal.scm --map atl.scm -o results",
     "Every figure, on two maps. After an interruption, the same command continues where it "
     "stopped."},
    {"starcloak experiment --map cal.scm --figure success-k --methods basic,xstar --seeds 10 -o "
     "k",
     "One figure for two methods, with narrower intervals."},
    {"starcloak experiment --map cal.scm --baselines both -o readings",
     "With random sampling and network expansion to the letter of the paper beside the methods "
     "that share cloaks, and the claims judged for both."},
    {"starcloak experiment --map sf.scm --traces cabs --trace-fold 150 -o taxis",
     "With real movement: the traces in windows of 150 s, all at once."},
    {NULL, NULL},
};

static const sc_entry files[] = {
    {"DIR/MAP-METRIC-AXIS.csv", "A figure: means and 95 % intervals over the seeds."},
    {"DIR/points.csv", "Every point and method. Columns that end in _measured are CPU times; all "
                       "others follow from the seeds."},
    {"DIR/claims.csv", "What the paper claims, and what was found."},
    {"DIR/measures.csv", "Means and intervals at the default setting and of attacks, by method."},
    {"DIR/report.json", "What was run, which figures there are, and the texts of the claims."},
    {"DIR/report.html",
     "All figures, parameters and claims in one self-contained file. starcloak-figures DIR (in the "
     "source tree tools/report.py) makes it, and a plot MAP-METRIC-AXIS.svg of each figure."},
    {"DIR/points/",
     "One file for each finished point; an interrupted run continues from these files."},
    {NULL, NULL},
};

static const sc_topic topics[] = {{"Files", files}, {NULL, NULL}};

const sc_command sc_cmd_experiment = {
    .name = "experiment",
    .summary = "compare all methods over all parameters, with figures and claims",
    .arguments = "-o DIR",
    .description =
        "Run the evaluation: eight methods (StarCloak basic, hybrid, bounded in both its settings, "
        "and patient; XStar, random sampling, network expansion; the last two in two readings), "
        "over k, l, sigma_s, sigma_t and the "
        "k of k-NN requests, on one or several maps. At each point travellers ask, all methods get "
        "the same stream of queries, and an equal number of their cloaks goes to the provider. It "
        "measures the success rate, successful throughput, anonymization time, query processing "
        "time and the size of candidate results; some cloaks are attacked (as by 'starcloak "
        "attack'), and the remaining entropy is reported over k, l and the number of queries that "
        "the adversary injects; travellers who ask again are followed from cloak to cloak.\nThe "
        "same seeds give the same numbers, except for CPU times. Points run in parallel, one per "
        "core, and each is stored when it is finished: an interrupted run continues with the same "
        "command, and a run with more seeds, values or figures does only what is new.",
    .options = sc_experiment_options,
    .topics = topics,
    .examples = examples,
    .parse = sc_experiment_parse,
    .run = run,
};
