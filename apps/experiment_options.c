// Options of `starcloak experiment`.
#include "experiment_options.h"

#include <stdio.h>
#include <string.h>

#include "values.h"

#define CLOAKS_MAX 100000000
#define REPLAYS_MAX 1000000000

enum {
    KEY_FIGURE = SC_KEY_FIRST,
    KEY_METHODS,
    KEY_BASELINES,
    KEY_GRID,
    KEY_SEEDS,
    KEY_SEED,
    KEY_SECONDS,
    KEY_WARM_UP,
    KEY_CLOAKS,
    KEY_VICTIMS,
    KEY_SAMPLES,
    KEY_PLACEMENTS,
    KEY_LIKENESS,
    KEY_DENSITY,
    KEY_OTHERS,
    KEY_CLOSED,
    KEY_INDEXED,
    KEY_JOBS,
    KEY_QUICK,
    KEY_FRESH,
    KEY_JSON,
};

const sc_option sc_experiment_options[] = {
    {"output", 'o', "DIR", "the folder for points, figures and claims (required)",
     SC_COMPLETE_DIRECTORIES},
    {"map", 'm', "[NAME=]FILE.scm",
     "a map to run on; may be given again (default: a generated city)", SC_COMPLETE_MAPS},
    {"traces", SC_KEY_TRACES, "PATH",
     "let travellers on the map named before this option move as in these traces (default: none)",
     SC_COMPLETE_FILES},
    SC_TRACE_OPTIONS,
    {"figure", KEY_FIGURE, "NAME",
     "success, throughput, anonymization, processing, candidates, entropy or effective, alone or "
     "with what it is drawn over (success-k, candidates-nearest, entropy-injected, all-k); several "
     "with commas, or given again (default all)",
     "all success throughput anonymization processing candidates entropy effective"},
    {"methods", KEY_METHODS, "NAMES",
     "basic, hybrid, bounded, strict (bounded, in its strict setting), xstar, sampling, expansion, "
     "patient, with commas (default all)",
     NULL},
    {"baselines", KEY_BASELINES, "READING",
     "how random sampling and network expansion are read: shared (default), where k counts the "
     "queries that share a cloak; literal, to the letter of the paper, where a query takes no "
     "notice of others and k counts all travellers (its cloaks keep no promise); or both, side by "
     "side",
     "shared literal both"},
    {"grid", KEY_GRID, "AXIS=V,V...",
     "the values that k, l, sigma_s, sigma_t, nearest, injected or asked takes; may be given again",
     NULL},
    {"seeds", KEY_SEEDS, "N", "number of repetitions, each with another seed (default 3)", NULL},
    {"seed", KEY_SEED, "X", "the first of the seeds (default 1)", NULL},
    {"users", 'n', "N", "how many travellers (default 10k)", NULL},
    {"seconds", KEY_SECONDS, "S", "how long queries are counted, in virtual seconds (default 60)",
     NULL},
    {"warm-up", KEY_WARM_UP, "S",
     "how long travellers ask before counting begins, in virtual seconds (default 30)", NULL},
    {"cloaks", KEY_CLOAKS, "N",
     "how many cloaks of each method go to the provider at one point, at most (default 2000)",
     NULL},
    {"victims", KEY_VICTIMS, "N",
     "how many cloaks of each method are attacked at one point of an entropy figure (default 20)",
     NULL},
    {"samples", KEY_SAMPLES, "N", "replays of a cloak where placements are drawn (default 1200)",
     NULL},
    {"placements", KEY_PLACEMENTS, "N",
     "the most placements of a cloak that are all replayed (default 600)", NULL},
    {"likeness", KEY_LIKENESS, "NAME",
     "what a replay counts: overlap with the cloak (default), or exact, the very same cloak",
     "overlap exact"},
    {"density", KEY_DENSITY, "NAME",
     "what the adversary knows of the traffic: uniform (default), or traffic, counted with another "
     "seed",
     "uniform traffic"},
    {"others", KEY_OTHERS, "WHERE",
     "where the adversary of a literal baseline puts the travellers that it counts: on all roads "
     "around (default), or k - 1 of them in the cloak",
     "roads cloak"},
    {"closed", KEY_CLOSED, NULL,
     "let every method serve travellers of its own, who ask again a pause after their outcome, "
     "instead of giving all methods one stream",
     NULL},
    {"indexed", KEY_INDEXED, NULL,
     "let the provider use the map's nearest index; else it searches from the border nodes", NULL},
    SC_WORKLOAD_OPTIONS,
    SC_DRIVE_OPTIONS,
    SC_SEARCH_OPTIONS,
    SC_COST_OPTIONS,
    {"jobs", 'j', "N", "points to run in parallel (default: one per core)", NULL},
    {"quick", KEY_QUICK, NULL, "a run of about a minute: fewer values and seconds, one seed", NULL},
    {"fresh", KEY_FRESH, NULL, "discard the points that an earlier run left in DIR", NULL},
    {"quiet", 'q', NULL, "print nothing but errors and what --json asks for; no progress bar",
     NULL},
    {"json", KEY_JSON, NULL, "print a summary as one JSON object, with --quiet too", NULL},
    {NULL, 0, NULL, NULL, NULL},
};

// --- Names -------------------------------------------------------------------------

/** The next of the words that commas part; false if there are no more. */
static bool next_word(const struct argp_state *state, const char *option, const char **rest,
                      char *out, size_t size)
{
    if (!*rest) return false;
    const size_t length = strcspn(*rest, ",");
    if (length == 0 || length >= size) {
        sc_usage_error(state, "%s: a name is missing or too long; separate names with commas",
                       option);
    }
    memcpy(out, *rest, length);
    out[length] = '\0';
    *rest = (*rest)[length] == ',' ? *rest + length + 1 : NULL;
    return true;
}

static size_t axis_of(const struct argp_state *state, const char *option, const char *word)
{
    const char *names[SC_LAB_AXIS_COUNT + 1] = {NULL};
    for (unsigned i = 0; i < SC_LAB_AXIS_COUNT; i++) {
        names[i] = sc_lab_axis_name((sc_lab_axis)i);
    }
    return sc_value_word(state, option, word, names);
}

static void take_figure(const struct argp_state *state, char *word, sc_experiment_flags *flags)
{
    const sc_lab_options all = sc_lab_options_default();
    flags->has_figures = true;
    char *dash = strchr(word, '-');
    if (dash) *dash = '\0';
    const char *names[SC_LAB_METRIC_COUNT + 2] = {NULL};
    for (unsigned i = 0; i < SC_LAB_METRIC_COUNT; i++) {
        names[i] = sc_lab_metric_name((sc_lab_metric)i);
    }
    names[SC_LAB_METRIC_COUNT] = "all";
    const size_t metric = sc_value_word(state, "--figure", word, names);
    const size_t axis = dash ? axis_of(state, "--figure", dash + 1) : 0;
    for (size_t i = 0; i < SC_LAB_METRIC_COUNT; i++) {
        const bool is_named = metric == i;
        if (!is_named && metric != SC_LAB_METRIC_COUNT) continue;
        if (!dash) {
            flags->figures[i] |= all.figures[i];
        } else if (sc_lab_goes_over((sc_lab_metric)i, (sc_lab_axis)axis)) {
            flags->figures[i] |= 1u << axis;
        } else if (is_named) {
            sc_usage_error(state, "--figure: %s cannot be drawn over %s", word, dash + 1);
        }
    }
}

static void take_method(const struct argp_state *state, const char *word,
                        sc_experiment_flags *flags)
{
    const char *names[SC_LAB_METHOD_COUNT + 1] = {NULL};
    // The literal baselines come last; --baselines chooses them.
    for (unsigned i = 0; i < SC_LAB_SAMPLING_LITERAL; i++) {
        names[i] = sc_lab_method_name((sc_lab_method)i);
    }
    flags->methods |= 1u << sc_value_word(state, "--methods", word, names);
}

// --- Values ---------------------------------------------------------------------------

/** "k=3,5,7": ascending, each once. */
static void take_grid(const struct argp_state *state, const char *argument,
                      sc_experiment_flags *flags)
{
    const size_t length = strcspn(argument, "=");
    char name[16];
    if (length == 0 || length >= sizeof(name) || argument[length] == '\0') {
        sc_usage_error(state, "--grid: '%s' is not AXIS=V,V... (as k=3,5,7)", argument);
    }
    snprintf(name, sizeof(name), "%.*s", (int)length, argument);
    sc_lab_grid *grid = &flags->grids[axis_of(state, "--grid", name)];
    const char *rest = argument + length + 1;
    char word[32];
    *grid = (sc_lab_grid){.count = 0};
    while (next_word(state, "--grid", &rest, word, sizeof(word))) {
        const double value = sc_value_number(state, "--grid", word, 0, SC_NORMAL_MAX);
        if (grid->count == SC_LAB_GRID_MAX) {
            sc_usage_error(state, "--grid %s: at most %d values", name, SC_LAB_GRID_MAX);
        }
        if (grid->count > 0 && value <= grid->values[grid->count - 1]) {
            sc_usage_error(state, "--grid %s: the values must ascend, but %s does not", name, word);
        }
        grid->values[grid->count++] = value;
    }
}

/** The first `length` letters as the map's name. */
static void take_name(const struct argp_state *state, const char *first, size_t length,
                      sc_named_map *map)
{
    snprintf(map->name, sizeof(map->name), "%.*s", (int)length, first);
    if (length < sizeof(map->name) && sc_lab_is_name(map->name)) return;
    sc_usage_error(state,
                   "--map: files cannot be named after '%.*s'; give a name of at most %d letters, "
                   "digits, - and _ as NAME=FILE.scm",
                   (int)length, first, SC_LAB_NAME_MAX);
}

/** "NAME=FILE", or a file whose own name will do. */
static void take_map(const struct argp_state *state, const char *argument,
                     sc_experiment_flags *flags)
{
    if (flags->map_count == SC_LAB_MAPS_MAX) {
        sc_usage_error(state, "--map: at most %d maps", SC_LAB_MAPS_MAX);
    }
    sc_named_map *map = &flags->maps[flags->map_count++];
    const char *equals = strchr(argument, '=');
    const char *slash = strrchr(argument, '/');
    // A path may have '=' in it, a name has no '/'.
    if (equals && slash && slash < equals) equals = NULL;
    map->path = equals ? equals + 1 : argument;
    const char *first = equals ? argument : slash ? slash + 1 : argument;
    size_t length = equals ? (size_t)(equals - argument) : strlen(first);
    if (!equals && length > 4 && strcmp(first + length - 4, ".scm") == 0) length -= 4;
    if (map->path[0] == '\0' || length == 0) {
        sc_usage_error(state, "--map: '%s' is not [NAME=]FILE.scm", argument);
    }
    take_name(state, first, length, map);
    map->traces = (sc_trace_settings){.read = sc_traces_options_default(),
                                      .follow = sc_follow_options_default()};
    for (size_t i = 0; i + 1 < flags->map_count; i++) {
        if (strcmp(flags->maps[i].name, map->name) != 0) continue;
        sc_usage_error(state, "--map: two maps are called '%s'; give names as NAME=FILE.scm",
                       map->name);
    }
}

/** What is said of traces is said of the map before it. */
static bool take_traces(const struct argp_state *state, int key, const char *argument,
                        sc_experiment_flags *flags)
{
    sc_trace_settings nobodys = {.path = NULL};
    const bool has_map = flags->map_count > 0;
    sc_trace_settings *traces = has_map ? &flags->maps[flags->map_count - 1].traces : &nobodys;
    if (!sc_trace_option(key, argument, state, traces)) return false;
    if (!has_map) {
        sc_usage_error(state, "options of traces apply to the map before them; put --map first");
    }
    return true;
}

// --- The parser -------------------------------------------------------------------------

/** Which of the engines of the laboratory use an option. */
static bool has_variant(unsigned methods, const sc_variant *variants, size_t count)
{
    static const sc_variant of[] = {
#define X(id, name, title, variant, is_strict) SC_VARIANT_##variant,
        SC_LAB_METHOD_MAP(X)
#undef X
    };
    for (unsigned m = 0; m < SC_LAB_METHOD_COUNT; m++) {
        for (size_t i = 0; i < count && (methods >> m & 1U) != 0; i++) {
            if (of[m] == variants[i] && !sc_lab_is_literal((sc_lab_method)m)) return true;
        }
    }
    return false;
}

/** An option that no method uses is refused, not ignored. */
static void check_methods(const struct argp_state *state, const sc_experiment_flags *flags)
{
    static const sc_variant patient[] = {SC_VARIANT_PATIENT};
    static const sc_variant near[] = {SC_VARIANT_HYBRID, SC_VARIANT_PATIENT};
    static const sc_variant bounded[] = {SC_VARIANT_BOUNDED, SC_VARIANT_HYBRID};
    static const sc_variant graph[] = {SC_VARIANT_BASIC, SC_VARIANT_BOUNDED, SC_VARIANT_HYBRID,
                                       SC_VARIANT_PATIENT, SC_VARIANT_XSTAR};
    const struct {
        const char *option;
        bool is_given;
        const sc_variant *variants;
        size_t count;
        const char *methods;
    } options[] = {
        {"--lambda", flags->engine.has_lambda, bounded, 2, "bounded, strict or hybrid"},
        {"--alpha", flags->engine.has_alpha, near, 2, "hybrid or patient"},
        {"--crowd", flags->engine.has_crowd, patient, 1, "patient"},
        {"--k-spread", flags->engine.has_k_spread, graph, 5,
         "basic, bounded, strict, hybrid, patient or xstar"},
    };
    const unsigned methods = sc_experiment_settings(flags).methods;
    for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
        if (!options[i].is_given || has_variant(methods, options[i].variants, options[i].count)) {
            continue;
        }
        sc_usage_error(state, "%s is for the methods %s, and none of them is evaluated",
                       options[i].option, options[i].methods);
    }
    bool has_literal = false;
    for (unsigned m = 0; m < SC_LAB_METHOD_COUNT; m++) {
        has_literal |= (methods >> m & 1U) != 0 && sc_lab_is_literal((sc_lab_method)m);
    }
    if (flags->others != SC_OTHERS_ROADS && !has_literal) {
        sc_usage_error(state, "--others is about literal baselines, and none of them is evaluated; "
                              "add --baselines literal");
    }
}

static void check_usage(const struct argp_state *state, const sc_experiment_flags *flags)
{
    sc_movement_settings_check(state, &flags->movement);
    if (!flags->directory) {
        sc_usage_error(state, "no folder for the results given; add -o DIR");
    } else if (flags->directory[0] == '\0') {
        sc_usage_error(state, "-o: the name of the folder is empty");
    }
    for (size_t i = 0; i < flags->map_count; i++) {
        const sc_trace_settings *traces = &flags->maps[i].traces;
        if (traces->path || !traces->first_option) continue;
        sc_usage_error(state, "%s is about traces, but the map %s has none; add --traces PATH",
                       traces->first_option, flags->maps[i].name);
    }
    check_methods(state, flags);
}

/** Switches; false if `key` is about something else. */
static bool take_switch(int key, sc_experiment_flags *flags)
{
    switch (key) {
    case KEY_CLOSED:
        flags->is_closed = true;
        return true;
    case KEY_INDEXED:
        flags->is_indexed = true;
        return true;
    case KEY_QUICK:
        flags->is_quick = true;
        return true;
    case KEY_FRESH:
        flags->is_fresh = true;
        return true;
    case 'q':
        flags->is_quiet = true;
        return true;
    case KEY_JSON:
        flags->is_json = true;
        return true;
    default:
        return false;
    }
}

/** Numbers; false if `key` is about something else. */
static bool take_number(const struct argp_state *state, int key, const char *argument,
                        sc_experiment_flags *flags)
{
    switch (key) {
    case KEY_SEEDS:
        flags->seeds = sc_value_count(state, "--seeds", argument, 1, SC_LAB_SEEDS_MAX);
        return true;
    case KEY_SEED:
        flags->has_first_seed = true;
        flags->first_seed =
            sc_value_count(state, "--seed", argument, 0, UINT64_MAX - SC_LAB_SEEDS_MAX);
        return true;
    case 'n':
        flags->users = sc_value_count(state, "--users", argument, 1, SC_TRAVELLERS_MAX);
        return true;
    case KEY_SECONDS:
        flags->seconds = sc_value_number(state, "--seconds", argument, 1, SC_SECONDS_MAX);
        return true;
    case KEY_WARM_UP:
        flags->has_warm_up = true;
        flags->warm_up_s = sc_value_number(state, "--warm-up", argument, 0, SC_SECONDS_MAX);
        return true;
    case KEY_CLOAKS:
        flags->cloaks = sc_value_count(state, "--cloaks", argument, 1, CLOAKS_MAX);
        return true;
    case KEY_VICTIMS:
        flags->victims = sc_value_count(state, "--victims", argument, 1, SC_LAB_VICTIMS_MAX);
        return true;
    case KEY_SAMPLES:
        flags->samples =
            sc_value_count(state, "--samples", argument, SC_ATTACK_BATCHES, REPLAYS_MAX);
        return true;
    case KEY_PLACEMENTS:
        flags->has_placements = true;
        flags->placements = sc_value_count(state, "--placements", argument, 0, REPLAYS_MAX);
        return true;
    case SC_KEY_MOVEMENT:
    case SC_KEY_TRUCKS:
        return sc_movement_option(key, argument, state, &flags->movement);
    case 'j':
        flags->jobs = sc_value_count(state, "--jobs", argument, 1, SC_LAB_JOBS_MAX);
        return true;
    default:
        return false;
    }
}

error_t sc_experiment_parse(int key, char *argument, struct argp_state *state)
{
    static const char *const likenesses[] = {"overlap", "exact", NULL};
    static const char *const densities[] = {"uniform", "traffic", NULL};
    static const char *const places[] = {"roads", "cloak", NULL};
    static const char *const readings[] = {"shared", "literal", "both", NULL};
    sc_experiment_flags *flags = state->input;
    char word[64];
    const char *rest = argument;
    if (sc_workload_option(key, argument, state, &flags->asking)) return 0;
    if (sc_search_option(key, argument, state, &flags->engine)) return 0;
    if (take_traces(state, key, argument, flags)) return 0;
    if (take_switch(key, flags) || take_number(state, key, argument, flags)) return 0;
    switch (key) {
    case 'o':
        flags->directory = argument;
        return 0;
    case 'm':
        take_map(state, argument, flags);
        return 0;
    case KEY_FIGURE:
        while (next_word(state, "--figure", &rest, word, sizeof(word))) {
            take_figure(state, word, flags);
        }
        return 0;
    case KEY_METHODS:
        while (next_word(state, "--methods", &rest, word, sizeof(word))) {
            take_method(state, word, flags);
        }
        return 0;
    case KEY_BASELINES:
        flags->baselines = (sc_baselines)sc_value_word(state, "--baselines", argument, readings);
        return 0;
    case KEY_LIKENESS:
        flags->is_exact = sc_value_word(state, "--likeness", argument, likenesses) == 1;
        return 0;
    case KEY_DENSITY:
        flags->knows_traffic = sc_value_word(state, "--density", argument, densities) == 1;
        return 0;
    case KEY_OTHERS:
        flags->others = (sc_lab_others)sc_value_word(state, "--others", argument, places);
        return 0;
    case KEY_GRID:
        take_grid(state, argument, flags);
        return 0;
    case ARGP_KEY_ARG:
        sc_usage_error(state, "unexpected argument '%s'; maps are given with --map", argument);
    case ARGP_KEY_END:
        check_usage(state, flags);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

// --- Settings ----------------------------------------------------------------------------

sc_experiment_flags sc_experiment_flags_default(void)
{
    return (sc_experiment_flags){
        .asking = {.workload = sc_workload_default()},
        .movement = sc_movement_settings_default(),
        .engine = sc_engine_settings_default(),
    };
}

sc_lab_options sc_experiment_settings(const sc_experiment_flags *flags)
{
    sc_lab_options lab = sc_lab_options_default();
    if (flags->is_quick) sc_lab_options_be_quick(&lab);
    lab.workload = flags->asking.workload;
    if (flags->has_figures) memcpy(lab.figures, flags->figures, sizeof(lab.figures));
    if (flags->methods != 0) lab.methods = flags->methods;
    const unsigned literal = sc_lab_to_literal(lab.methods);
    if (flags->baselines == SC_BASELINES_LITERAL) lab.methods = literal;
    if (flags->baselines == SC_BASELINES_BOTH) lab.methods |= literal;
    for (unsigned i = 0; i < SC_LAB_AXIS_COUNT; i++) {
        if (flags->grids[i].count > 0) lab.grids[i] = flags->grids[i];
    }
    if (flags->seeds > 0) lab.seed_count = (unsigned)flags->seeds;
    if (flags->has_first_seed) lab.first_seed = flags->first_seed;
    if (flags->users > 0) lab.travellers = (uint32_t)flags->users;
    if (flags->seconds > 0) lab.counted_s = flags->seconds;
    if (flags->has_warm_up) lab.warm_up_s = flags->warm_up_s;
    if (flags->cloaks > 0) lab.max_cloaks = (uint32_t)flags->cloaks;
    if (flags->victims > 0) lab.max_victims = (uint32_t)flags->victims;
    if (flags->samples > 0) lab.adversary.samples = flags->samples;
    if (flags->has_placements) lab.adversary.max_placements = flags->placements;
    if (flags->is_exact) lab.adversary.likeness = SC_LIKENESS_EXACT;
    lab.knows_traffic = flags->knows_traffic;
    lab.others = flags->others;
    if (flags->jobs > 0) lab.jobs = (unsigned)flags->jobs;
    lab.is_walk = flags->movement.is_walk;
    lab.truck_share = flags->movement.truck_share;
    lab.engine = flags->engine.run.engine;
    lab.has_cap = flags->engine.has_cap;
    lab.is_closed = flags->is_closed;
    lab.is_indexed = flags->is_indexed;
    lab.is_fresh = flags->is_fresh;
    lab.directory = flags->directory;
    return lab;
}
