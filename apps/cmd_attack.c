/*
 * `starcloak attack`: what an adversary that knows everything but the random choices learns from
 * the cloaks of a recorded run.
 *
 * The adversary is the library's (attack.h); true positions are used to score what it believes,
 * and to put queries of its own near its victims (src/study/score).
 */
#include "attack_demands.h"
#include "attack_options.h"
#include "attack_report.h"
#include "command.h"
#include "densities.h"
#include "inputs.h"
#include "progress_bar.h"
#include "score/cases.h"

#include <string.h>

/** What is open. Zero-initialise. */
typedef struct scene {
    sc_map *map;
    sc_case_record record;
    sc_density *density;
    sc_density *demanded;  ///< NULL: the density
    sc_trial trial;
} scene;

static void close_scene(scene *on)
{
    sc_trial_fini(&on->trial);
    sc_density_free(on->density);
    sc_density_free(on->demanded);
    sc_case_record_fini(&on->record);
    sc_map_free(on->map);
}

static sc_err read_record(const sc_attack_flags *options, scene *on, const sc_progress *progress,
                          sc_diag *diag)
{
    const bool wants_lines = options->trial.kind == SC_TRIAL_INJECTION;
    const sc_err err =
        sc_case_record_read(on->map, options->record, wants_lines, progress, &on->record, diag);
    return err ? sc_input_explain(err, options->record, SC_INPUT_RECORD, diag) : SC_OK;
}

/** The method as the options have it, or the record; if neither says anything, it is basic. */
static void settle_engine(const sc_call *call, sc_attack_flags *options, const scene *on)
{
    sc_engine_options *engine = &options->trial.adversary.engine;
    if (options->has_engine) {
        *engine = options->engine.run.engine;
    } else if (on->record.has_engine) {
        *engine = on->record.engine;
    } else if (sc_trial_has_replays(options->trial.kind)) {
        sc_call_note(call, "note: the record does not say which method made it; basic StarCloak is "
                           "assumed (--engine NAME chooses another)");
    }
}

static sc_err attack(const sc_call *call, sc_attack_flags *options, scene *on,
                     const sc_progress *progress, sc_diag *diag)
{
    // Another seed than the run's is likely to have had, so that its travellers are others.
    const uint64_t traffic_seed = options->trial.seed + 1000003;
    sc_err err = sc_input_open_map(options->map, options->record, &on->map, diag);
    if (!err) err = sc_trial_files_check(&options->files, on->map, diag);
    if (!err) err = read_record(options, on, progress, diag);
    if (!err) {
        err = sc_density_by_name(on->map, options->density, traffic_seed, progress, &on->density,
                                 diag);
    }
    if (!err && options->demanded) {
        err = sc_density_by_name(on->map, options->demanded, traffic_seed, progress, &on->demanded,
                                 diag);
    }
    if (err) return err;
    settle_engine(call, options, on);
    const sc_attack_given given = {.demands = &on->record.demands,
                                   .density = on->density,
                                   .demanded = on->demanded,
                                   .has_engine = options->has_engine};
    err = sc_attack_settle_demands(call, &given, &options->trial, diag);
    if (err) return err;
    options->trial.adversary.density = on->density;
    options->trial.adversary.seed = options->trial.seed;
    options->trial.progress = *progress;
    return sc_trial_run(on->map, &on->record, &options->trial, &on->trial, diag);
}

static sc_err write_files(const sc_attack_flags *options, const scene *on, sc_diag *diag)
{
    const sc_trial_files *files = &options->files;
    sc_err err = SC_OK;
    if (files->cloaks) err = sc_trial_write_cloaks(&on->trial, files->cloaks, diag);
    if (!err && files->links) err = sc_trial_write_links(&on->trial, files->links, diag);
    if (!err && files->geojson) {
        err = sc_trial_write_geojson(&on->trial, on->map, files->geojson, diag);
    }
    return err;
}

/** Where the table goes: not into a file that is written to standard output. */
static FILE *table_stream(const sc_attack_flags *options)
{
    const sc_trial_files *files = &options->files;
    const char *const outputs[] = {files->cloaks, files->links, files->geojson};
    for (size_t i = 0; i < sizeof(outputs) / sizeof(outputs[0]); i++) {
        if (outputs[i] && strcmp(outputs[i], "-") == 0) return stderr;
    }
    return stdout;
}

static sc_err print_report(const sc_attack_flags *options, const scene *on)
{
    const sc_attack_view view = {.map = options->map,
                                 .record = options->record,
                                 .density = options->density,
                                 .is_assumed = options->has_engine || !on->record.has_engine,
                                 .shows_links = options->shows_links,
                                 .demands = &on->record.demands,
                                 .options = &options->trial,
                                 .trial = &on->trial};
    if (options->is_json) {
        sc_attack_print_json(stdout, &view);
        return SC_OK;
    }
    if (options->is_quiet) return SC_OK;
    return sc_attack_print_text(table_stream(options), &view);
}

static int run(sc_call *call)
{
    sc_attack_flags options = sc_attack_flags_default();
    sc_call_parse(call, &options);

    scene on = {.map = NULL};
    sc_diag diag = {.message = ""};
    sc_bar bar;
    sc_bar_init(&bar, options.is_quiet);
    const sc_progress progress = sc_bar_listen(&bar);
    sc_err err = attack(call, &options, &on, &progress, &diag);
    if (!err) err = write_files(&options, &on, &diag);
    sc_bar_clear(&bar);
    if (!err) err = print_report(&options, &on);
    close_scene(&on);
    return err ? sc_call_fail(call, err, &diag) : SC_EXIT_OK;
}

static const sc_entry examples[] = {
    {"starcloak simulate cal.scm --record run.jsonl", "Make a record."},
    {"starcloak attack cal.scm run.jsonl",
     "What an adversary that can replay the method learns from the cloaks."},
    {"starcloak attack cal.scm run.jsonl --density traffic --limit 20 --geojson cloaks.geojson",
     "The same for an adversary that knows the traffic, as lines for a map."},
    {"starcloak attack cal.scm run.jsonl --attack injection --injected 6 --json",
     "With six queries of the adversary's own near each victim."},
    {"starcloak attack cal.scm run.jsonl --attack tracking",
     "How fast repeated queries give a traveller away."},
    {"starcloak attack cal.scm run.jsonl --rule --density density.csv --limit 0",
     "How many members one exposes who knows the traffic and what each of them asked for."},
    {NULL, NULL},
};

const sc_command sc_cmd_attack = {
    .name = "attack",
    .summary = "see what an adversary learns from the cloaks of a recorded run",
    .arguments = "FILE.scm RUN.jsonl",
    .complete = SC_COMPLETE_MAPS,
    .complete_2 = SC_COMPLETE_FILES,
    .description =
        "Read the record of a run, made with --record, and attack its cloaks. The adversary knows "
        "a cloak's segments, what its members asked for, the map, the method with its parameters "
        "and costs, and perhaps how busy the roads are: everything but the random choices. It puts "
        "travellers onto segments of the cloak, runs the method again, and considers those "
        "segments likely from which a similar cloak results. True positions are used only to score "
        "it.\nFor each cloak it prints the entropy of the adversary's belief, with its standard "
        "error, and the probability of the segments on which the members really are. --links, "
        "--links-csv and --geojson give the linkability of every segment.",
    .options = sc_attack_options,
    .topics = sc_attack_topics,
    .examples = examples,
    .parse = sc_attack_parse,
    .run = run,
};
