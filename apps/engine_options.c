// Options of every command that runs an engine.
#include "engine_options.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

#include "inputs.h"
#include "values.h"

/** No cloak reaches farther than admission's limit of hops, so more would mean nothing. */
#define LAMBDA_MAX 1000

#define ALPHA_MAX_S 86400.0

/** The least that --vmax and --tau may be. */
#define VMAX_MIN_M_S 0.1
#define TAU_MIN_S 0.001

/** What a density asks for where nothing else is said. */
#define SC_TRAFFIC_DEFAULT 2

sc_engine_settings sc_engine_settings_default(void)
{
    return (sc_engine_settings){.run = sc_run_options_default()};
}

static sc_variant variant_of(const struct argp_state *state, const char *argument)
{
    const char *names[SC_VARIANT_COUNT + 1];
    for (unsigned i = 0; i < SC_VARIANT_COUNT; i++) {
        names[i] = sc_variant_name((sc_variant)i);
    }
    names[SC_VARIANT_COUNT] = NULL;
    return (sc_variant)sc_value_word(state, "--engine", argument, names);
}

/**
 * A cost constant, `*value` of `cost`. What is too large the library knows: all of them are
 * looked at each time, so that the option that spoils them is the one that is named.
 */
static void take_cost(const struct argp_state *state, const char *option, const char *argument,
                      const sc_cost_model *cost, double *value)
{
    *value = sc_value_number(state, option, argument, 0, HUGE_VAL);
    sc_diag diag = {.message = ""};
    if (sc_cost_model_check(cost, &diag)) sc_usage_error(state, "%s: %s", option, diag.message);
}

/** The cost constants; false if `key` is none of them. */
static bool cost_option(int key, const char *argument, const struct argp_state *state,
                        sc_cost_model *cost)
{
    switch (key) {
    case SC_KEY_COST_SEGMENT:
        take_cost(state, "--cost-segment", argument, cost, &cost->segment);
        return true;
    case SC_KEY_COST_BORDER_NODE:
        take_cost(state, "--cost-border-node", argument, cost, &cost->border_node);
        return true;
    case SC_KEY_COST_OBJECT:
        take_cost(state, "--cost-object", argument, cost, &cost->object);
        return true;
    case SC_KEY_COST_BALANCE:
        take_cost(state, "--cost-balance", argument, cost, &cost->balance);
        return true;
    default:
        return false;
    }
}

bool sc_search_option(int key, const char *argument, const struct argp_state *state,
                      sc_engine_settings *settings)
{
    sc_engine_options *engine = &settings->run.engine;
    switch (key) {
    case SC_KEY_ENGINE:
        engine->variant = variant_of(state, argument);
        if (!settings->has_cap) engine->max_combinations = sc_variant_cap(engine->variant);
        return true;
    case SC_KEY_STRICT:
        engine->is_strict = true;
        return true;
    case SC_KEY_LAMBDA:
        settings->has_lambda = true;
        engine->compactness = (uint32_t)sc_value_count(state, "--lambda", argument, 1, LAMBDA_MAX);
        return true;
    case SC_KEY_ALPHA:
        settings->has_alpha = true;
        engine->consideration_us =
            sc_time_from_seconds(sc_value_number(state, "--alpha", argument, 0, ALPHA_MAX_S));
        return true;
    case SC_KEY_CROWD:
        settings->has_crowd = true;
        engine->crowd = (uint32_t)sc_value_count(state, "--crowd", argument, 1, SC_CROWD_MAX);
        return true;
    case SC_KEY_K_SPREAD:
        settings->has_k_spread = true;
        engine->k_spread =
            (uint32_t)sc_value_count(state, "--k-spread", argument, 0, SC_K_SPREAD_MAX);
        return true;
    case SC_KEY_CAP:
        settings->has_cap = true;
        engine->max_combinations =
            (uint32_t)sc_value_count(state, "--cap", argument, 1, SC_COMBINATIONS_MAX);
        return true;
    case SC_KEY_PARANOID:
        engine->is_paranoid = true;
        return true;
    default:
        return cost_option(key, argument, state, &engine->cost);
    }
}

/** What is asked of the roads of cloaks; false if `key` is none of it. */
static bool demand_option(int key, const char *argument, const struct argp_state *state,
                          sc_engine_settings *settings)
{
    sc_demand_settings *demands = &settings->demands;
    switch (key) {
    case SC_KEY_STRICT:
        demands->has_strict = true;  // which of its two meanings, the engine decides
        return false;
    case SC_KEY_NO_STRICT:
        demands->has_no_strict = true;
        return true;
    case SC_KEY_ENGINE_DENSITY:
        demands->density = sc_value_file(state, "--density", argument);
        return true;
    case SC_KEY_TRAFFIC: {
        const uint64_t traffic = sc_value_count(state, "--traffic", argument, 0, SC_TRAFFIC_MAX);
        if (traffic == 1) {
            sc_usage_error(state, "--traffic 1 asks for nothing; give 2 to %d, or 0 for none",
                           SC_TRAFFIC_MAX);
        }
        demands->has_traffic = true;
        settings->run.engine.demands.traffic = (uint32_t)traffic;
        return true;
    }
    case SC_KEY_CONTINUITY:
        settings->run.has_continuity = true;
        return true;
    case SC_KEY_VMAX:
        demands->has_vmax = true;
        settings->run.continuity.vmax_m_s =
            sc_value_number(state, "--vmax", argument, VMAX_MIN_M_S, SC_VMAX_MAX_M_S);
        return true;
    case SC_KEY_TAU:
        demands->has_tau = true;
        settings->run.continuity.tau_us = sc_time_from_seconds(
            sc_value_number(state, "--tau", argument, TAU_MIN_S, SC_TAU_MAX_S));
        return true;
    case SC_KEY_CLASSES:
        demands->classes = sc_value_file(state, "--classes", argument);
        return true;
    case SC_KEY_ZONES:
        demands->zones = sc_value_file(state, "--zones", argument);
        return true;
    default:
        return false;
    }
}

bool sc_engine_option(int key, char *argument, const struct argp_state *state,
                      sc_engine_settings *settings)
{
    if (demand_option(key, argument, state, settings)) return true;
    sc_run_options *run = &settings->run;
    switch (key) {
    case SC_KEY_SEED:
        settings->has_seed = true;
        run->seed = sc_value_count(state, "--seed", argument, 0, UINT64_MAX);
        return true;
    case SC_KEY_SECURE:
        run->is_secure = true;
        return true;
    case SC_KEY_PRUNE_THREADS:
        run->prune_threads =
            (unsigned)sc_value_count(state, "--prune-threads", argument, 0, SC_PRUNE_THREADS_MAX);
        return true;
    case SC_KEY_RECORD:
        run->record = argument;
        return true;
    case 'q':
        settings->is_quiet = true;
        return true;
    case SC_KEY_JSON:
        settings->is_json = true;
        return true;
    default:
        return sc_search_option(key, argument, state, settings);
    }
}

/** An option that the engine does not use is refused, not ignored. */
static void check_variant(const struct argp_state *state, const sc_engine_settings *settings)
{
    const sc_variant variant = settings->run.engine.variant;
    const bool is_bounded = variant == SC_VARIANT_BOUNDED || variant == SC_VARIANT_HYBRID;
    const bool is_patient = variant == SC_VARIANT_PATIENT;
    const bool is_by_stars = is_patient || sc_variant_is_switchable(variant);
    const struct {
        const char *option;
        bool is_given;
        bool has_effect;
        const char *engines;
    } options[] = {
        {"--strict", settings->run.engine.is_strict,
         is_bounded || (is_patient && settings->demands.has_strict),
         settings->demands.has_strict ? "bounded, hybrid or patient" : "bounded or hybrid"},
        {"--no-strict", settings->demands.has_no_strict, is_patient, "patient"},
        {"--density", settings->demands.density != NULL, is_patient, "patient"},
        {"--traffic", settings->demands.has_traffic, is_patient, "patient"},
        {"--continuity", settings->run.has_continuity, is_patient, "patient"},
        {"--classes", settings->demands.classes != NULL, is_by_stars,
         "basic, bounded, hybrid or patient"},
        {"--zones", settings->demands.zones != NULL, is_by_stars,
         "basic, bounded, hybrid or patient"},
        {"--lambda", settings->has_lambda, is_bounded, "bounded or hybrid"},
        {"--alpha", settings->has_alpha, variant == SC_VARIANT_HYBRID || is_patient,
         "hybrid or patient"},
        {"--crowd", settings->has_crowd, is_patient, "patient"},
        {"--k-spread", settings->has_k_spread, sc_variant_has_k_spread(variant),
         "basic, bounded, hybrid, patient or xstar"},
        {"--cap", settings->has_cap, variant != SC_VARIANT_XSTAR, "any but xstar"},
    };
    for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
        if (!options[i].is_given || options[i].has_effect) continue;
        sc_usage_error(state, "%s is for --engine %s, but the engine is %s", options[i].option,
                       options[i].engines, sc_variant_name(variant));
    }
}

/** Whether demands go together; and what follows from them. */
static void settle_demands(const struct argp_state *state, sc_engine_settings *settings)
{
    const sc_demand_settings *given = &settings->demands;
    sc_engine_options *engine = &settings->run.engine;
    sc_demands *demands = &engine->demands;
    if (given->has_strict && given->has_no_strict) {
        sc_usage_error(state, "--strict and --no-strict contradict each other; give one of them");
    }
    if (given->has_traffic && !given->density) {
        sc_usage_error(state, "--traffic needs --density FILE; 'starcloak density' makes one");
    }
    if ((given->has_vmax || given->has_tau) && !settings->run.has_continuity) {
        sc_usage_error(state, "%s says more of --continuity; give that, too",
                       given->has_vmax ? "--vmax" : "--tau");
    }
    if (given->density && !given->has_traffic) demands->traffic = SC_TRAFFIC_DEFAULT;
    if (engine->variant != SC_VARIANT_PATIENT) return;
    const bool has_any =
        demands->traffic > 0 || settings->run.has_continuity || given->classes || given->zones;
    demands->is_strict = given->has_strict || (has_any && !given->has_no_strict);
    engine->is_strict = false;
}

sc_err sc_demand_tables_open(const sc_call *call, const sc_engine_settings *settings,
                             const sc_map *map, sc_demand_tables *tables, sc_run_options *run,
                             sc_diag *diag)
{
    const sc_demand_settings *given = &settings->demands;
    if (given->density) {
        char words[SC_DENSITY_WARNING_SIZE];
        const sc_err err = sc_density_read(map, given->density, &tables->density, diag);
        if (err) return sc_input_explain(err, given->density, SC_INPUT_DENSITY, diag);
        if (!settings->is_quiet && sc_input_warns_of_density(tables->density, words)) {
            sc_call_note(call, "warning: %s", words);
        }
    }
    if (given->classes) {
        const sc_err err = sc_place_classes_read(map, given->classes, &tables->classes, diag);
        if (err) return sc_input_explain(err, given->classes, SC_INPUT_CLASSES, diag);
    }
    if (given->zones) {
        const sc_err err = sc_zone_table_read(map, given->zones, &tables->zones, diag);
        if (err) return sc_input_explain(err, given->zones, SC_INPUT_ZONES, diag);
    }
    run->engine.demands.density = tables->density;
    run->engine.demands.classes = tables->classes;
    run->zones = tables->zones;
    return SC_OK;
}

void sc_demand_tables_close(sc_demand_tables *tables)
{
    sc_density_free(tables->density);
    sc_place_classes_free(tables->classes);
    sc_zone_table_free(tables->zones);
    *tables = (sc_demand_tables){0};
}

static void check_is_no_input(const struct argp_state *state, const char *record, const char *input)
{
    if (!input || !sc_overlaps(record, input)) return;
    sc_usage_error(state, "the record '%s' is also an input; choose another name", record);
}

void sc_engine_settings_check(const struct argp_state *state, sc_engine_settings *settings,
                              const char *const *inputs)
{
    check_variant(state, settings);
    settle_demands(state, settings);
    const char *record = settings->run.record;
    if (!record) return;
    sc_value_file(state, "--record", record);
    if (strcmp(record, "-") == 0 && isatty(STDOUT_FILENO)) {
        sc_usage_error(state,
                       "--record -: a record is not written to a terminal; add '> RUN.jsonl'");
    }
    check_is_no_input(state, record, settings->demands.density);
    check_is_no_input(state, record, settings->demands.classes);
    check_is_no_input(state, record, settings->demands.zones);
    for (; *inputs; inputs++) {
        check_is_no_input(state, record, *inputs);
    }
}
