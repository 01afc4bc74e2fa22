// The options of an experiment: names, defaults, and which values make sense.
#include "base/diag.h"
#include "lab/lab.h"
#include "lab/results.h"
#include "score/inject.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

// === Names of methods, axes, metrics and maps ===================================================

const char *sc_lab_method_name(sc_lab_method method)
{
    switch (method) {
#define X(id, name, title, variant, is_strict) \
    case SC_LAB_##id:                          \
        return name;
        SC_LAB_METHOD_MAP(X)
#undef X
    default:
        return "unknown";
    }
}

const char *sc_lab_axis_name(sc_lab_axis axis)
{
    switch (axis) {
#define X(id, name, symbol, unit) \
    case SC_LAB_AXIS_##id:        \
        return name;
        SC_LAB_AXIS_MAP(X)
#undef X
    default:
        return "unknown";
    }
}

const char *sc_lab_metric_name(sc_lab_metric metric)
{
    switch (metric) {
#define X(id, name, title, unit, is_log) \
    case SC_LAB_##id:                    \
        return name;
        SC_LAB_METRIC_MAP(X)
#undef X
    default:
        return "unknown";
    }
}

bool sc_lab_is_name(const char *name)
{
    // Spelt out: what isalnum() takes for a letter depends on where one lives.
    static const char allowed[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_";
    const size_t size = strlen(name);
    return size > 0 && size <= SC_LAB_NAME_MAX && strspn(name, allowed) == size;
}

// === Options ====================================================================================

/** As many hops as an engine takes for a level. */
#define LAMBDA_MAX (1u << 30)

// --- Defaults ----------------------------------------------------------------

/** As many as there are processors. */
static unsigned default_jobs(void)
{
    const long count = sysconf(_SC_NPROCESSORS_ONLN);
    if (count < 1) return 1;
    return count < SC_LAB_JOBS_MAX ? (unsigned)count : SC_LAB_JOBS_MAX;
}

/**
 * Figures are means over many cloaks, so each may be guessed at with fewer replays than when it is
 * looked at by itself: at 1,200 the error of one is below what cloaks differ by (measured on
 * California and Northwest Atlanta). Points are what is done side by side; an adversary has no
 * threads.
 */
static sc_adversary_options default_adversary(void)
{
    sc_adversary_options options = sc_adversary_options_default();
    options.max_placements = 600;
    options.runs = 2;
    options.samples = 1200;
    options.fruitful = 16;
    options.threads = 1;
    return options;
}

sc_lab_options sc_lab_options_default(void)
{
    const unsigned of_profile =
        1u << SC_LAB_AXIS_K | 1u << SC_LAB_AXIS_L | 1u << SC_LAB_AXIS_SIGMA_S;
    const unsigned all_needs = of_profile | 1u << SC_LAB_AXIS_SIGMA_T;
    return (sc_lab_options){
        .figures = {[SC_LAB_SUCCESS] = all_needs,
                    [SC_LAB_THROUGHPUT] = all_needs,
                    [SC_LAB_ANONYMIZATION] = all_needs,
                    [SC_LAB_PROCESSING] = all_needs,
                    // How long one waits does not change what comes back: here the paper varies
                    // how many objects are asked for instead.
                    [SC_LAB_CANDIDATES] = of_profile | 1u << SC_LAB_AXIS_NEAREST,
                    [SC_LAB_ENTROPY] =
                        1u << SC_LAB_AXIS_K | 1u << SC_LAB_AXIS_L | 1u << SC_LAB_AXIS_INJECTED,
                    [SC_LAB_EFFECTIVE] = 1u << SC_LAB_AXIS_ASKED},
        .methods = ((1u << SC_LAB_METHOD_COUNT) - 1) & ~SC_LAB_LITERAL_BASELINES,
        .grids = {[SC_LAB_AXIS_K] = {{3, 4, 5, 6, 7, 8, 9}, 7},
                  [SC_LAB_AXIS_L] = {{3, 5, 7, 9, 11}, 5},
                  [SC_LAB_AXIS_SIGMA_S] = {{2, 3, 4, 5, 6}, 5},
                  [SC_LAB_AXIS_SIGMA_T] = {{5, 10, 15, 20}, 4},
                  [SC_LAB_AXIS_NEAREST] = {{2, 5, 10, 15, 20}, 5},
                  [SC_LAB_AXIS_INJECTED] = {{0, 1, 2, 3, 4, 5, 6}, 7},
                  [SC_LAB_AXIS_ASKED] = {{1, 2, 3, 4, 5}, 5}},
        .seed_count = 3,
        .first_seed = 1,
        .workload = sc_workload_default(),
        .travellers = 10000,
        .truck_share = sc_trips_options_default().truck_share,
        .engine = sc_engine_options_default(),
        .warm_up_s = 30,
        .counted_s = 60,
        .max_cloaks = 2000,
        .adversary = default_adversary(),
        .max_victims = 20,
        .jobs = default_jobs(),
    };
}

void sc_lab_options_be_quick(sc_lab_options *options)
{
    // The ends of each range and its middle. As many travellers as ever: who is alone depends on
    // it.
    static const sc_lab_grid grids[SC_LAB_AXIS_COUNT] = {
        [SC_LAB_AXIS_K] = {{3, 5, 9}, 3},
        [SC_LAB_AXIS_L] = {{3, 5, 11}, 3},
        [SC_LAB_AXIS_SIGMA_S] = {{2, 4, 6}, 3},
        [SC_LAB_AXIS_SIGMA_T] = {{5, 10, 20}, 3},
        [SC_LAB_AXIS_NEAREST] = {{2, 5, 20}, 3},
        [SC_LAB_AXIS_INJECTED] = {{0, 2, 4, 6}, 4},
        // Travellers do not ask much more often in so short a time.
        [SC_LAB_AXIS_ASKED] = {{1, 2}, 2},
    };
    memcpy(options->grids, grids, sizeof grids);
    options->seed_count = 1;
    options->warm_up_s = 20;
    options->counted_s = 20;
    options->max_cloaks = 500;
    options->adversary.samples = 1000;
    options->adversary.max_placements = 500;
    options->max_victims = 8;
}

// --- Checks ------------------------------------------------------------------

static sc_err check_maps(const sc_lab_options *options, sc_diag *diag)
{
    if (options->map_count == 0) return sc_fail(diag, SC_EINVAL, "no map given; name at least one");
    if (options->map_count > SC_LAB_MAPS_MAX) {
        return sc_fail(diag, SC_EINVAL, "%zu maps were given; name at most %d", options->map_count,
                       SC_LAB_MAPS_MAX);
    }
    for (size_t i = 0; i < options->map_count; i++) {
        const sc_lab_map *map = &options->maps[i];
        if (!map->name || !sc_lab_is_name(map->name)) {
            return sc_fail(diag, SC_EINVAL,
                           "a map must have a name of at most %d letters, digits, '-' and '_': "
                           "files are named after it",
                           SC_LAB_NAME_MAX);
        }
        if (!map->map) return sc_fail(diag, SC_EINVAL, "%s: the map is missing", map->name);
        for (size_t j = 0; j < i; j++) {
            if (strcmp(map->name, options->maps[j].name) != 0) continue;
            return sc_fail(diag, SC_EINVAL, "two maps are called %s; give them different names",
                           map->name);
        }
    }
    return SC_OK;
}

/** The most of an axis of the workload that is admitted, and asked of the provider. */
static double most_of(sc_lab_axis axis)
{
    const sc_limits limits = sc_limits_default();
    switch (axis) {
    case SC_LAB_AXIS_K:
        return limits.max_k;
    case SC_LAB_AXIS_L:
        return limits.max_l;
    case SC_LAB_AXIS_SIGMA_S:
        return limits.max_hops;
    case SC_LAB_AXIS_SIGMA_T:
        return (double)limits.max_wait_us * 1e-6;
    default:
        return sc_request_limits_default().max_k;
    }
}

/** An axis that is of no workload counts something. */
static sc_err check_count(sc_lab_axis axis, double value, sc_diag *diag)
{
    const bool is_asked = axis == SC_LAB_AXIS_ASKED;
    const int least = is_asked ? 1 : 0;
    const int most = is_asked ? SC_LAB_ASKED_MAX : SC_INJECTED_MAX;
    if (value >= least && value <= most && value == floor(value)) return SC_OK;
    return sc_fail(diag, SC_EINVAL, "%s must be a whole number from %d to %d, not %.15g",
                   sc_lab_axis_name(axis), least, most, value);
}

/** @param is_used  whether numbers are drawn around the value */
static sc_err check_value(const sc_lab_options *options, sc_lab_axis axis, double value,
                          bool is_used, sc_diag *diag)
{
    if (!sc_lab_is_of_workload(axis)) return check_count(axis, value, diag);
    sc_workload workload = options->workload;
    sc__axis_move(&workload, axis, value);
    const char *name = sc_lab_axis_name(axis);
    if (sc_workload_check(&workload, NULL)) {
        return sc_fail(diag, SC_EINVAL, "%s cannot be %.15g; the value is too small or too large",
                       name, value);
    }
    const double max = is_used ? sc__axis_spread(&workload, axis)->max : value;
    if (max > most_of(axis)) {
        return sc_fail(diag, SC_EINVAL,
                       "%s with the mean %.15g goes up to %.15g, but at most %.15g is admitted",
                       name, value, max, most_of(axis));
    }
    return SC_OK;
}

/**
 * Also of an axis that no figure is over, where a mistake would go unnoticed; but there may be no
 * values there, and how far others stray from them does not matter.
 */
static sc_err check_grid(const sc_lab_options *options, sc_lab_axis axis, bool is_drawn,
                         sc_diag *diag)
{
    const sc_lab_grid *grid = &options->grids[axis];
    const char *name = sc_lab_axis_name(axis);
    if ((is_drawn && grid->count == 0) || grid->count > SC_LAB_GRID_MAX) {
        return sc_fail(diag, SC_EINVAL, "%s must take 1 to %d values", name, SC_LAB_GRID_MAX);
    }
    for (size_t i = 0; i < grid->count; i++) {
        const sc_err err = check_value(options, axis, grid->values[i], is_drawn, diag);
        if (err) return err;
        if (i == 0 || grid->values[i - 1] < grid->values[i]) continue;
        return sc_fail(diag, SC_EINVAL,
                       "the values of %s must ascend, each once: %.15g comes after %.15g", name,
                       grid->values[i], grid->values[i - 1]);
    }
    return SC_OK;
}

/** Whether any figure can be drawn: those of the provider need objects. */
static bool has_any_figure(const sc_lab_options *options)
{
    for (uint32_t map = 0; map < options->map_count; map++) {
        for (sc_lab_axis axis = 0; axis < SC_LAB_AXIS_COUNT; axis++) {
            if (sc__plan_needs(options, map, axis)) return true;
        }
    }
    return false;
}

/** Whether every figure is one that can be drawn. */
static sc_err check_pairs(const sc_lab_options *options, sc_diag *diag)
{
    for (sc_lab_metric metric = 0; metric < SC_LAB_METRIC_COUNT; metric++) {
        for (sc_lab_axis axis = 0; axis < SC_LAB_AXIS_COUNT; axis++) {
            const bool is_asked_for = (options->figures[metric] >> axis) & 1u;
            if (!is_asked_for || sc_lab_goes_over(metric, axis)) continue;
            return sc_fail(
                diag, SC_EINVAL,
                "%s cannot be drawn over %s; draw effective over asked only, entropy over all axes "
                "but asked, and the others over k, l, sigma_s, sigma_t and nearest",
                sc_lab_metric_name(metric), sc_lab_axis_name(axis));
        }
    }
    return SC_OK;
}

static sc_err check_figures(const sc_lab_options *options, sc_diag *diag)
{
    unsigned axes = 0;
    for (sc_lab_metric metric = 0; metric < SC_LAB_METRIC_COUNT; metric++) {
        axes |= options->figures[metric];
    }
    if (axes == 0) return sc_fail(diag, SC_EINVAL, "no figure given; name at least one");
    if (axes >> SC_LAB_AXIS_COUNT) {
        return sc_fail(diag, SC_EINVAL, "a figure has an unknown axis");
    }
    sc_err err = check_pairs(options, diag);
    for (sc_lab_axis axis = 0; axis < SC_LAB_AXIS_COUNT && !err; axis++) {
        err = check_grid(options, axis, (axes >> axis) & 1u, diag);
    }
    if (err) return err;
    if (has_any_figure(options)) return SC_OK;
    return sc_fail(diag, SC_EINVAL,
                   "the figures requested need objects, but no map has any; name another figure, "
                   "or a map with objects");
}

static sc_err check_workload(const sc_lab_options *options, sc_diag *diag)
{
    sc_err err = sc_workload_check(&options->workload, diag);
    for (sc_lab_axis axis = 0; axis < SC_LAB_AXIS_COUNT && !err; axis++) {
        err = check_value(options, axis, sc__axis_middle(options, axis), true, diag);
    }
    if (err || options->workload.wanted != SC_WANT_THIS) return err;
    for (size_t i = 0; i < options->map_count; i++) {
        const sc_lab_map *map = &options->maps[i];
        if (sc_map_object_count(map->map) == 0) continue;
        if (map->category < sc_map_category_count(map->map)) continue;
        return sc_fail(
            diag, SC_EINVAL,
            "the map %s does not have the category; choose another, or leave out the map",
            map->name);
    }
    return SC_OK;
}

/** As an engine would, which is made only when a point is done. */
static sc_err check_engine(const sc_lab_options *options, sc_diag *diag)
{
    const sc_engine_options *engine = &options->engine;
    const uint32_t cap = engine->max_combinations;
    if (engine->compactness < 1 || engine->compactness > LAMBDA_MAX) {
        return sc_fail(diag, SC_EINVAL, "lambda must be from 1 to %u, not %" PRIu32, LAMBDA_MAX,
                       engine->compactness);
    }
    if (engine->consideration_us < 0) {
        return sc_fail(diag, SC_EINVAL, "alpha must not be negative");
    }
    if (engine->crowd < 1 || engine->crowd > SC_CROWD_MAX) {
        return sc_fail(diag, SC_EINVAL, "crowd must be from 1 to %u, not %" PRIu32, SC_CROWD_MAX,
                       engine->crowd);
    }
    if (engine->k_spread > SC_K_SPREAD_MAX) {
        return sc_fail(diag, SC_EINVAL, "the spread of k must be from 0 to %u, not %" PRIu32,
                       SC_K_SPREAD_MAX, engine->k_spread);
    }
    if (options->has_cap && (cap < 1 || cap > SC_COMBINATIONS_MAX)) {
        return sc_fail(diag, SC_EINVAL,
                       "the cap on combinations must be from 1 to %u, not %" PRIu32,
                       SC_COMBINATIONS_MAX, cap);
    }
    return sc_cost_model_check(&engine->cost, diag);
}

/** Of traces there may be no other travellers than those who ask: to count them is to know them. */
static sc_err check_traffic(const sc_lab_options *options, sc_diag *diag)
{
    for (size_t i = 0; i < options->map_count && options->knows_traffic; i++) {
        if (!options->maps[i].traces) continue;
        return sc_fail(diag, SC_EINVAL,
                       "%s: the travellers are those of the traces, so a density counted from them "
                       "would contain the victims; use the uniform density here, or 'starcloak "
                       "attack' with a density of other days",
                       options->maps[i].name);
    }
    return SC_OK;
}

/** What it holds of the options; the rest is set where it is used. */
static sc_err check_adversary(const sc_lab_options *options, sc_diag *diag)
{
    const sc_adversary_options *adversary = &options->adversary;
    if (options->max_victims < 1 || options->max_victims > SC_LAB_VICTIMS_MAX) {
        return sc_fail(diag, SC_EINVAL, "the number of victims must be 1 to %d, not %" PRIu32,
                       SC_LAB_VICTIMS_MAX, options->max_victims);
    }
    if (adversary->samples < SC_ATTACK_BATCHES) {
        return sc_fail(diag, SC_EINVAL,
                       "an adversary needs at least %d samples to estimate its error, not %" PRIu64,
                       SC_ATTACK_BATCHES, adversary->samples);
    }
    if (adversary->runs < 2) {
        return sc_fail(diag, SC_EINVAL,
                       "an adversary must run each placement at least twice to estimate its error, "
                       "not %" PRIu32 " times",
                       adversary->runs);
    }
    if (adversary->likeness != SC_LIKENESS_OVERLAP && adversary->likeness != SC_LIKENESS_EXACT) {
        return sc_fail(diag, SC_EINVAL, "unknown likeness of the adversary");
    }
    if (options->others != SC_OTHERS_ROADS && options->others != SC_OTHERS_CLOAK) {
        return sc_fail(diag, SC_EINVAL, "unknown place of other travellers");
    }
    return SC_OK;
}

/** Written so that whatever is no number fails too. */
static bool is_duration(double seconds)
{
    return seconds >= 0 && seconds <= 1e6;
}

static sc_err check_run(const sc_lab_options *options, sc_diag *diag)
{
    const uint32_t seeds = options->seed_count;
    if (options->methods == 0 || options->methods >> SC_LAB_METHOD_COUNT) {
        return sc_fail(diag, SC_EINVAL,
                       "no method, or an unknown one; name at least one of the methods");
    }
    if (seeds < 1 || seeds > SC_LAB_SEEDS_MAX || options->first_seed > UINT64_MAX - seeds) {
        return sc_fail(diag, SC_EINVAL, "the number of seeds must be 1 to %d", SC_LAB_SEEDS_MAX);
    }
    if (options->travellers < 1 || options->travellers > SC_TRAVELLERS_MAX) {
        return sc_fail(diag, SC_EINVAL, "the number of travellers must be 1 to %u",
                       SC_TRAVELLERS_MAX);
    }
    if (!(options->truck_share >= 0 && options->truck_share <= 1)) {
        return sc_fail(diag, SC_EINVAL, "the share of trucks must be from 0 to 1, not %.15g",
                       options->truck_share);
    }
    if (!is_duration(options->warm_up_s) || !is_duration(options->counted_s) ||
        options->counted_s < 1e-6) {
        return sc_fail(diag, SC_EINVAL,
                       "the warm-up must last 0 to 1,000,000 s, and the counted time more than 0 "
                       "and at most 1,000,000 s");
    }
    if (options->max_cloaks == 0) {
        return sc_fail(diag, SC_EINVAL, "at least one cloak must go to the provider");
    }
    if (options->jobs < 1 || options->jobs > SC_LAB_JOBS_MAX) {
        return sc_fail(diag, SC_EINVAL, "the number of processes must be 1 to %d", SC_LAB_JOBS_MAX);
    }
    if (!options->directory || options->directory[0] == '\0') {
        return sc_fail(diag, SC_EINVAL, "no directory for the results given; name one");
    }
    return SC_OK;
}

sc_err sc_lab_options_check(const sc_lab_options *options, sc_diag *diag)
{
    sc_err err = check_maps(options, diag);
    if (!err) err = check_run(options, diag);
    if (!err) err = check_engine(options, diag);
    if (!err) err = check_adversary(options, diag);
    if (!err) err = check_traffic(options, diag);
    if (!err) err = check_workload(options, diag);
    if (!err) err = check_figures(options, diag);
    return err;
}
