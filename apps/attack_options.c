// Options of `starcloak attack`. See attack_options.h.
#include "attack_options.h"

#include "inputs.h"
#include "values.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
    KEY_ATTACK = SC_KEY_FIRST,
    KEY_DENSITY,
    KEY_INJECTED,
    KEY_INJECTED_PROFILE,
    KEY_INJECTED_WITHIN,
    KEY_TOP_SPEED,
    KEY_BOTH_WAYS,
    KEY_RULE,
    KEY_DEMANDED_TRAFFIC,
    KEY_DEMANDED,
    KEY_KNOWN_ZONES,
    KEY_SAMPLES,
    KEY_PLACEMENTS,
    KEY_RUNS,
    KEY_FRUITFUL,
    KEY_LIKENESS,
    KEY_LIMIT,
    KEY_THREADS,
    KEY_LINKS,
    KEY_CLOAKS_CSV,
    KEY_LINKS_CSV,
    KEY_GEOJSON,
    KEY_SEED,
    KEY_JSON,
};

/** How many are injected where the attack is an injection and nothing is said. */
#define INJECTED_DEFAULT 4

/** More would take too long, or too much memory. */
#define REPLAYS_MAX UINT64_C(1000000000000)

const sc_option sc_attack_options[] = {
    {"attack", KEY_ATTACK, "NAME",
     "replay, correlation (default), injection, tracking or rule; see below",
     "replay correlation injection tracking rule"},
    {"density", KEY_DENSITY, "NAME|FILE",
     "what the adversary knows of the traffic: uniform (default), traffic (counted from simulated "
     "travellers), or a table made by 'starcloak density'",
     "uniform traffic"},
    {"injected", KEY_INJECTED, "N",
     "injection: queries of the adversary's own for each victim, 1 to 64 (default 4)", NULL},
    {"injected-profile", KEY_INJECTED_PROFILE, "K:L:SIGMA_S[:S]",
     "injection: what its queries ask for, and how many seconds they wait; K of 0 is one more than "
     "are injected (default 0:1:1:10)",
     NULL},
    {"injected-within", KEY_INJECTED_WITHIN, "HOPS",
     "injection: how near the victim they are put (default 1)", NULL},
    {"top-speed", KEY_TOP_SPEED, "M/S",
     "tracking: the top speed on any road (default 0: free flow, by the map's travel times)", NULL},
    {"both-ways", KEY_BOTH_WAYS, NULL,
     "tracking: reckon with driving against one-way streets, as if all were open both ways", NULL},
    {"rule", KEY_RULE, NULL,
     "exclude segments on which a member cannot be by the rules of cloaking and by what it asked "
     "for; alone it is --attack rule, and it can be added to --attack tracking",
     NULL},
    {"traffic", KEY_DEMANDED_TRAFFIC, "N",
     "the engine, which is patient, demanded that no segment be likelier than 1 in N, 2 to 4, or "
     "1: "
     "it did not; for replays and --rule (default: as the record says)",
     NULL},
    {"engine-density", KEY_DEMANDED, "FILE",
     "with --traffic: the table that the engine had, if the adversary knows another one (default: "
     "that of --density)",
     SC_COMPLETE_FILES},
    {"known-zones", KEY_KNOWN_ZONES, NULL,
     "with --rule: the adversary knows the zones of each member's user, as the record has them, "
     "and "
     "excludes those that are not whole in the cloak",
     NULL},
    {"samples", KEY_SAMPLES, "M",
     "replays of a cloak where placements are drawn at random (default 20k)", NULL},
    {"placements", KEY_PLACEMENTS, "N",
     "the most placements of a cloak that are all replayed (default 20k; 0: always draw)", NULL},
    {"runs", KEY_RUNS, "N",
     "how often each of them is replayed at least, since the method is random (default 4)", NULL},
    {"fruitful", KEY_FRUITFUL, "N",
     "replays wanted that give back some part of the cloak: while there are fewer, more are run, "
     "up to 16 times as many (default 300; 0: run no more)",
     NULL},
    {"likeness", KEY_LIKENESS, "NAME",
     "what a replay counts: overlap, the part of the cloak that it brought back (default), or "
     "exact, 1 if it brought back the very same cloak",
     "overlap exact"},
    {"limit", KEY_LIMIT, "N",
     "cloaks to attack, victims to choose or travellers to follow, drawn at random (default 100; "
     "0: all)",
     NULL},
    {"threads", KEY_THREADS, "N", "replay in that many threads (default: one per processor)", NULL},
    {"seed", KEY_SEED, "N",
     "seed of the random numbers; the same seed gives the same result (default 1)", NULL},
    {"engine", SC_KEY_ENGINE, "NAME",
     "the method that the adversary assumes, with the parameters given by the options below: "
     "basic, bounded, hybrid, patient, xstar, sampling or expansion (default: the record's, with "
     "its parameters)",
     "basic bounded hybrid xstar sampling expansion patient"},
    {"strict", SC_KEY_STRICT, NULL,
     "with --engine bounded or hybrid: strict setting, take a star only if it is near one taken "
     "before; with patient: a segment counts for a member only if it can be its own by its sigma_s "
     "(default with --traffic)",
     NULL},
    SC_SEARCH_OPTIONS,
    SC_COST_OPTIONS,
    {"links", KEY_LINKS, NULL,
     "below the table, print the linkability of every segment of the first 20 cloaks, likeliest "
     "first",
     NULL},
    {"cloaks-csv", KEY_CLOAKS_CSV, "FILE",
     "write a row for each cloak; - is standard output (default: do not)", SC_COMPLETE_FILES},
    {"links-csv", KEY_LINKS_CSV, "FILE",
     "write a row for each segment of each cloak, with its linkability (default: do not)",
     SC_COMPLETE_FILES},
    {"geojson", KEY_GEOJSON, "FILE",
     "write the segments with their linkabilities, for a map (default: do not)", SC_COMPLETE_FILES},
    {"quiet", 'q', NULL, "print nothing but errors and what --json asks for; no progress bar",
     NULL},
    {"json", KEY_JSON, NULL, "print everything as one JSON object, with --quiet too", NULL},
    {NULL, 0, NULL, NULL, NULL},
};

sc_attack_flags sc_attack_flags_default(void)
{
    sc_attack_flags options = {.density = "uniform",
                               .trial = sc_trial_options_default(),
                               .engine = sc_engine_settings_default()};
    options.trial.injection.injected = INJECTED_DEFAULT;
    return options;
}

// --- Usage ----------------------------------------------------------------------------

/** Options that mean something to some attacks only must not be passed over in silence. */
static void check_attack(const sc_attack_flags *options, const struct argp_state *state)
{
    const sc_trial_kind kind = options->trial.kind;
    const char *name = sc_trial_kind_name(kind);
    if (options->injection_option && kind != SC_TRIAL_INJECTION) {
        sc_usage_error(state, "--%s is for --attack injection, but the attack is %s",
                       options->injection_option, name);
    }
    if (options->tracking_option && kind != SC_TRIAL_TRACKING) {
        sc_usage_error(state, "--%s is for --attack tracking, but the attack is %s",
                       options->tracking_option, name);
    }
    if (options->replay_option && !sc_trial_has_replays(kind)) {
        sc_usage_error(state, "--%s is about replays, and --attack %s runs none",
                       options->replay_option, name);
    }
    if (options->trial.knows_rules && sc_trial_has_replays(kind)) {
        sc_usage_error(state, "--rule goes with --attack tracking, or alone, but the attack is %s",
                       name);
    }
    if (options->demand_option && kind == SC_TRIAL_TRACKING && !options->trial.knows_rules) {
        sc_usage_error(state, "--%s needs --rule with --attack tracking", options->demand_option);
    }
    if (options->trial.knows_zones && !sc_trial_knows_rules(&options->trial)) {
        sc_usage_error(state, "--known-zones is for --rule, but the attack is %s without it", name);
    }
    if (options->demanded && options->trial.traffic == 1) {
        sc_usage_error(state,
                       "--engine-density is for a demand of traffic, and --traffic 1 is none");
    }
    if (options->engine_option && !options->has_engine) {
        sc_usage_error(
            state,
            "--%s needs --engine NAME; without it the record's engine and parameters are used",
            options->engine_option);
    }
    if (options->has_engine && !sc_trial_has_replays(kind)) {
        sc_usage_error(state, "--engine is about replays, and --attack %s runs none", name);
    }
}

static void check_output(const sc_attack_flags *options, const struct argp_state *state,
                         const char *option, const char *output)
{
    if (!output) return;
    sc_value_file(state, option, output);
    const char *const inputs[] = {options->map, options->record, options->density,
                                  options->demanded};
    for (size_t i = 0; i < sizeof(inputs) / sizeof(inputs[0]); i++) {
        if (inputs[i] && sc_overlaps(output, inputs[i])) {
            sc_usage_error(state, "%s: '%s' is also an input; choose another name", option, output);
        }
    }
}

/** Whether two outputs would be one. */
static bool is_same_output(const char *a, const char *b)
{
    return strcmp(a, b) == 0 || sc_overlaps(a, b);
}

/** Two of them in one place would be one too many. */
static void check_outputs(const sc_attack_flags *options, const struct argp_state *state)
{
    const struct {
        const char *option;
        const char *path;
    } outputs[] = {{"--cloaks-csv", options->files.cloaks},
                   {"--links-csv", options->files.links},
                   {"--geojson", options->files.geojson}};
    const size_t count = sizeof(outputs) / sizeof(outputs[0]);
    for (size_t i = 0; i < count; i++) {
        const char *path = outputs[i].path;
        check_output(options, state, outputs[i].option, path);
        if (path && strcmp(path, "-") == 0 && options->is_json) {
            sc_usage_error(state, "%s - and --json both write to standard output; name a file",
                           outputs[i].option);
        }
        for (size_t j = 0; path && j < i; j++) {
            if (!outputs[j].path || !is_same_output(path, outputs[j].path)) continue;
            sc_usage_error(state, "%s and %s are the same file; choose another name",
                           outputs[j].option, outputs[i].option);
        }
    }
}

static void check_usage(sc_attack_flags *options, const struct argp_state *state)
{
    if (!options->map) return;
    if (!options->record) {
        sc_usage_error(state, "no record given; name the RUN.jsonl to attack, or - for standard "
                              "input ('starcloak simulate --record' makes one)");
    }
    if (strcmp(options->record, "-") == 0 && strcmp(options->density, "-") == 0) {
        sc_usage_error(state, "the record and --density cannot both come from standard input; name "
                              "a file for one of them");
    }
    check_attack(options, state);
    check_outputs(options, state);
    sc_engine_settings_check(state, &options->engine, (const char *const[]){NULL});
}

// --- Parsing --------------------------------------------------------------------------

/** Take digits off `text`, and what must stand behind them. */
static bool take_count(const char **text, char behind, uint32_t *out)
{
    if (!isdigit((unsigned char)**text)) return false;
    char *end = NULL;
    errno = 0;
    const unsigned long count = strtoul(*text, &end, 10);
    if (errno != 0 || count > UINT32_MAX || *end != behind) return false;
    *out = (uint32_t)count;
    *text = end + 1;
    return true;
}

/** The whole of `text` is seconds. */
static bool take_wait(const char *text, sc_profile *profile)
{
    if (!isdigit((unsigned char)*text)) return false;
    char *end = NULL;
    const double seconds = strtod(text, &end);
    if (*end != '\0' || !(seconds <= 1e9)) return false;
    profile->max_wait_us = sc_time_from_seconds(seconds);
    return true;
}

static void parse_profile(const struct argp_state *state, const char *argument, sc_profile *profile)
{
    const sc_limits limits = sc_limits_default();
    const char *at = argument;
    sc_profile asked = *profile;
    const bool is_read = take_count(&at, ':', &asked.k) && take_count(&at, ':', &asked.l);
    if (!is_read || !(take_count(&at, '\0', &asked.max_hops) ||
                      (take_count(&at, ':', &asked.max_hops) && take_wait(at, &asked)))) {
        sc_usage_error(state,
                       "--injected-profile: '%s' is not K:L:SIGMA_S[:S], as 0:1:1 or 0:1:1:3",
                       argument);
    }
    if (asked.max_wait_us <= 0 || asked.max_wait_us > limits.max_wait_us) {
        sc_usage_error(state, "--injected-profile: the wait goes from above 0 to %g s",
                       (double)limits.max_wait_us * 1e-6);
    }
    if (asked.k > limits.max_k || asked.l < 1 || asked.l > limits.max_l ||
        asked.max_hops > limits.max_hops) {
        sc_usage_error(state,
                       "--injected-profile: K goes up to %u, L from 1 to %u, SIGMA_S up to %u",
                       limits.max_k, limits.max_l, limits.max_hops);
    }
    *profile = asked;
}

/** What the adversary does; false if `key` is about something else. */
static bool attack_option(int key, const char *argument, const struct argp_state *state,
                          sc_attack_flags *options)
{
    sc_trial_options *trial = &options->trial;
    const char *const attacks[] = {
#define X(id, name, title) name,
        SC_TRIAL_MAP(X)
#undef X
            NULL};
    switch (key) {
    case KEY_ATTACK:
        trial->kind = (sc_trial_kind)sc_value_word(state, "--attack", argument, attacks);
        options->has_attack = true;
        return true;
    case KEY_INJECTED:
        options->injection_option = sc_option_name(sc_attack_options, key);
        trial->injection.injected =
            (uint32_t)sc_value_count(state, "--injected", argument, 1, SC_INJECTED_MAX);
        return true;
    case KEY_INJECTED_PROFILE:
        options->injection_option = sc_option_name(sc_attack_options, key);
        parse_profile(state, argument, &trial->injection.profile);
        return true;
    case KEY_INJECTED_WITHIN:
        options->injection_option = sc_option_name(sc_attack_options, key);
        trial->injection.within_hops = (uint32_t)sc_value_count(
            state, "--injected-within", argument, 0, sc_limits_default().max_hops);
        return true;
    case KEY_TOP_SPEED:
        options->tracking_option = sc_option_name(sc_attack_options, key);
        trial->top_speed_m_s = sc_value_number(state, "--top-speed", argument, 0, 1000);
        return true;
    case KEY_BOTH_WAYS:
        options->tracking_option = sc_option_name(sc_attack_options, key);
        trial->ignores_one_ways = true;
        return true;
    default:
        return false;
    }
}

/** What it knows of the rules; false if `key` is about something else. */
static bool rule_option(int key, const char *argument, const struct argp_state *state,
                        sc_attack_flags *options)
{
    switch (key) {
    case KEY_RULE:
        options->trial.knows_rules = true;
        return true;
    case KEY_DEMANDED_TRAFFIC:
        options->demand_option = sc_option_name(sc_attack_options, key);
        options->trial.traffic =
            (uint32_t)sc_value_count(state, "--traffic", argument, 1, SC_TRAFFIC_MAX);
        return true;
    case KEY_DEMANDED:
        options->demand_option = sc_option_name(sc_attack_options, key);
        options->demanded = sc_value_file(state, "--engine-density", argument);
        return true;
    case KEY_KNOWN_ZONES:
        options->trial.knows_zones = true;
        return true;
    default:
        return false;
    }
}

/** How much work it does; false if `key` is about something else. */
static bool replay_option(int key, const char *argument, const struct argp_state *state,
                          sc_attack_flags *options)
{
    static const char *const likenesses[] = {"overlap", "exact", NULL};
    sc_adversary_options *adversary = &options->trial.adversary;
    switch (key) {
    case KEY_SAMPLES:
        options->replay_option = sc_option_name(sc_attack_options, key);
        adversary->samples =
            sc_value_count(state, "--samples", argument, SC_ATTACK_BATCHES, REPLAYS_MAX);
        return true;
    case KEY_PLACEMENTS:
        options->replay_option = sc_option_name(sc_attack_options, key);
        adversary->max_placements = sc_value_count(state, "--placements", argument, 0, REPLAYS_MAX);
        return true;
    case KEY_RUNS:
        options->replay_option = sc_option_name(sc_attack_options, key);
        adversary->runs = (uint32_t)sc_value_count(state, "--runs", argument, 2, 1000000);
        return true;
    case KEY_FRUITFUL:
        options->replay_option = sc_option_name(sc_attack_options, key);
        adversary->fruitful = sc_value_count(state, "--fruitful", argument, 0, REPLAYS_MAX);
        return true;
    case KEY_LIKENESS:
        options->replay_option = sc_option_name(sc_attack_options, key);
        adversary->likeness = (sc_likeness)sc_value_word(state, "--likeness", argument, likenesses);
        return true;
    case KEY_THREADS:
        options->replay_option = sc_option_name(sc_attack_options, key);
        adversary->threads =
            (unsigned)sc_value_count(state, "--threads", argument, 1, SC_ATTACK_THREADS_MAX);
        return true;
    default:
        return false;
    }
}

/** Where it is told; false if `key` is about something else. */
static bool output_option(int key, const char *argument, sc_attack_flags *options)
{
    switch (key) {
    case KEY_LINKS:
        options->shows_links = true;
        return true;
    case KEY_CLOAKS_CSV:
        options->files.cloaks = argument;
        return true;
    case KEY_LINKS_CSV:
        options->files.links = argument;
        return true;
    case KEY_GEOJSON:
        options->files.geojson = argument;
        return true;
    case KEY_JSON:
        options->is_json = true;
        return true;
    case 'q':
        options->is_quiet = true;
        return true;
    default:
        return false;
    }
}

static bool engine_option(int key, const char *argument, const struct argp_state *state,
                          sc_attack_flags *options)
{
    if (key == SC_KEY_PARANOID || !sc_search_option(key, argument, state, &options->engine)) {
        return false;
    }
    if (key == SC_KEY_STRICT) options->engine.demands.has_strict = true;
    if (key == SC_KEY_ENGINE) {
        options->has_engine = true;
    } else {
        options->engine_option = sc_option_name(sc_attack_options, key);
    }
    return true;
}

error_t sc_attack_parse(int key, char *argument, struct argp_state *state)
{
    sc_attack_flags *options = state->input;
    if (attack_option(key, argument, state, options) ||
        rule_option(key, argument, state, options) ||
        replay_option(key, argument, state, options) || output_option(key, argument, options) ||
        engine_option(key, argument, state, options)) {
        return 0;
    }
    switch (key) {
    case KEY_DENSITY:
        options->density = sc_value_file(state, "--density", argument);
        return 0;
    case KEY_LIMIT:
        options->trial.limit = sc_value_count(state, "--limit", argument, 0, UINT32_MAX);
        return 0;
    case KEY_SEED:
        options->trial.seed = sc_value_count(state, "--seed", argument, 0, UINT64_MAX);
        return 0;
    case ARGP_KEY_ARG:
        if (!options->map) break;
        sc_parse_file("record", argument, state, &options->record);
        return 0;
    case ARGP_KEY_END:
        if (options->trial.knows_rules && !options->has_attack) options->trial.kind = SC_TRIAL_RULE;
        check_usage(options, state);
        break;
    default:
        break;
    }
    return sc_parse_map(key, argument, state, &options->map);
}
