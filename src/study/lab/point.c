// One point of an experiment, and what all points of a map share.
//
//     travellers, served by basic -> questions -> each method -> cloaks -> provider
//                                        |                         |
//                                        +-> victims, injections --+----> adversary
#include "lab/point.h"

#include "base/diag.h"
#include "lab/attack_points.h"
#include "lab/results.h"
#include "lab/run_listeners.h"
#include "sim/evaluate.h"
#include "sim/literal.h"
#include "travel/walk.h"

#include <inttypes.h>
#include <stdio.h>

// === What all points of one map share ===========================================================

static sc_err fetch_objects(sc__map_setup *setup, const sc_lab_options *options, sc_diag *diag)
{
    const sc_err err = sc_objects_new_from_map(setup->map->map, &setup->objects);
    if (err == SC_ENOMEM) return sc_fail_memory(diag, "reading the objects of a map");
    if (err) return sc_fail(diag, err, "%s: %s", setup->map->name, sc_err_text(err));
    if (!options->is_indexed || sc_objects_index_info(setup->objects).k > 0) return SC_OK;
    const sc_index_options index = sc_index_options_default();
    return sc_objects_build_index(setup->objects, &index, diag);
}

static sc_err find_ways(sc__map_setup *setup, const sc_lab_options *options, sc_diag *diag)
{
    const sc_map *map = setup->map->map;
    if (setup->map->traces) return sc_routes_new(map, SC_CAR, NULL, &setup->routes, diag);
    return options->is_walk ? SC_OK : sc_route_table_init(&setup->table, map, NULL, diag);
}

sc_err sc__map_setup_init(sc__map_setup *setup, const sc_lab_options *options,
                          const sc_lab_map *map, sc_diag *diag)
{
    setup->map = map;
    sc_err err = find_ways(setup, options, diag);
    if (!err && sc_map_object_count(map->map) > 0) err = fetch_objects(setup, options, diag);
    if (err) sc__map_setup_fini(setup);
    return err;
}

void sc__map_setup_fini(sc__map_setup *setup)
{
    sc_route_table_fini(&setup->table);
    sc_routes_free(setup->routes);
    sc_objects_release(setup->objects);
    *setup = (sc__map_setup){.map = NULL};
}

static sc_err follow(const sc__map_setup *setup, const sc_lab_options *options, uint64_t seed,
                     sc_movement **out, sc_diag *diag)
{
    sc_follow_options follow = setup->map->follow;
    follow.max_count = options->travellers;
    follow.seed = seed;
    sc_follow_summary summary;
    sc_movement *movement = NULL;
    const sc_follow_input input = {
        .map = setup->map->map, .routes = setup->routes, .traces = setup->map->traces};
    const sc_err err = sc_follow_new(&input, &follow, NULL, &movement, &summary, diag);
    if (err) return err;
    const double seconds = options->warm_up_s + options->counted_s;
    if (summary.seconds < seconds) {
        sc_movement_free(movement);
        return sc_fail(diag, SC_EINVAL,
                       "the traces of %s last %.0f s, but %.0f s are needed; use longer traces, "
                       "longer windows, or a shorter counted time",
                       setup->map->name, summary.seconds, seconds);
    }
    *out = movement;
    return SC_OK;
}

sc_err sc__map_setup_movement(const sc__map_setup *setup, const sc_lab_options *options,
                              uint64_t seed, sc_movement **out, sc_diag *diag)
{
    const sc_map *map = setup->map->map;
    if (setup->map->traces) return follow(setup, options, seed, out, diag);
    if (options->is_walk) return sc_walk_new(map, options->travellers, seed, out, diag);
    const sc_trips_options trips = {
        .count = options->travellers, .truck_share = options->truck_share, .seed = seed};
    return sc_trips_new(map, &setup->table, &trips, out, diag);
}

// === One point ==================================================================================

typedef struct point_run {
    const sc_lab_options *options;
    const sc__map_setup *setup;
    const sc_lab_point *point;
    bool is_attacked;  ///< an adversary comes
    bool is_injected;  ///< with queries of its own
    sc_workload workload;
    sc_run_window counted;
    double seconds;  ///< with warm-up and what comes after
    sc__questions questions;
    sc__cloaks cloaks[SC_LAB_METHOD_COUNT];  ///< for the provider
    sc__point_attack attack;
    sc_case_collector collectors[SC_LAB_METHOD_COUNT];  ///< for the adversary
    sc_lab_measure *measures;                           ///< by method
    uint32_t *travellers;                               ///< how many there are
} point_run;

/** Whether each method serves travellers of its own. */
static bool is_closed(const point_run *b)
{
    return b->options->is_closed && !b->is_injected;
}

/** Whether cloaks go to the provider. */
static bool has_provider(const point_run *b)
{
    return b->setup->objects && !b->is_injected;
}

static sc_run_options run_options(const point_run *b, sc_lab_method method)
{
    static const struct {
        sc_variant variant;
        bool is_strict;
    } engines[SC_LAB_METHOD_COUNT] = {
#define X(id, name, title, variant, is_strict) [SC_LAB_##id] = {SC_VARIANT_##variant, is_strict},
        SC_LAB_METHOD_MAP(X)
#undef X
    };
    const sc_variant variant = engines[method].variant;
    sc_run_options options = sc_run_options_default();
    options.engine = b->options->engine;
    options.engine.variant = variant;
    options.engine.is_strict = engines[method].is_strict;
    if (!b->options->has_cap) options.engine.max_combinations = sc_variant_cap(variant);
    options.seed = b->point->seed;
    options.window = b->counted;
    return options;
}

/** Which of the two it is; of literal ones only. */
static sc_literal_method literal_of(sc_lab_method method)
{
    return method == SC_LAB_SAMPLING_LITERAL ? SC_LITERAL_SAMPLING : SC_LITERAL_EXPANSION;
}

// --- Runs --------------------------------------------------------------------

static sc_err movement_of(const point_run *b, sc_movement **out, sc_diag *diag)
{
    return sc__map_setup_movement(b->setup, b->options, b->point->seed, out, diag);
}

static sc_err serve_travellers(point_run *b, const sc_run_options *options, sc_run_report *report,
                               sc_diag *diag)
{
    sc_movement *movement = NULL;
    sc_err err = movement_of(b, &movement, diag);
    if (err) return err;
    *b->travellers = movement->count;
    err = sc_run_travellers(movement, &b->workload, b->seconds, options, report, diag);
    sc_movement_free(movement);
    return err;
}

static sc_err record_questions(point_run *b, sc_diag *diag)
{
    sc_run_report report;
    sc_run_options options = run_options(b, SC_LAB_BASIC);
    options.listener = sc__questions_listener(&b->questions);
    const sc_err err = serve_travellers(b, &options, &report, diag);
    sc__questions_settle(&b->questions);
    return err;
}

static sc_lab_measure measure_of(const sc_run_report *report)
{
    // The time is of all queries, those that are not counted too.
    const double cpu_s = report->admission_cpu_s + report->engine_cpu_s;
    const uint64_t asked = report->engine.added;
    return (sc_lab_measure){
        .queries = report->queries,
        .cloaked = report->cloaked,
        .cloaks = report->cloaks,
        .wait_s = report->wait_s.mean,
        .users = report->users.mean,
        .segments = report->segments.mean,
        .border_nodes = report->border_nodes.mean,
        .cpu_us = asked > 0 ? cpu_s * 1e6 / (double)asked : 0,
    };
}

/** What every method is asked; lent. */
typedef struct asked_lines {
    const sc_request_line *lines;
    size_t count;
} asked_lines;

/** What was asked before, with the adversary's queries if there are any. */
static asked_lines lines_of(const point_run *b)
{
    if (!b->is_injected) return (asked_lines){b->questions.lines, b->questions.count};
    return (asked_lines){b->attack.injection.lines, b->attack.injection.line_count};
}

static sc_err ask_again(const point_run *b, const sc_run_options *options, sc_run_report *report,
                        sc_diag *diag)
{
    const asked_lines asked = lines_of(b);
    return sc_run_lines(b->setup->map->map, asked.lines, asked.count, options, report, diag);
}

/** Let a literal baseline serve travellers of its own; all of them are those it counts. */
static sc_err serve_literally(point_run *b, const sc_literal_crowd *crowd,
                              const sc_run_options *options, sc_run_report *report, sc_diag *diag)
{
    sc_movement *movement = NULL;
    sc_err err = movement_of(b, &movement, diag);
    if (err) return err;
    *b->travellers = movement->count;
    err =
        sc_literal_run_travellers(crowd, movement, &b->workload, b->seconds, options, report, diag);
    sc_movement_free(movement);
    return err;
}

/** The same as below for a method that counts all travellers: they move again as they did. */
static sc_err run_literal(point_run *b, sc_lab_method method, bool is_own,
                          const sc_run_options *options, sc_run_report *report, sc_diag *diag)
{
    sc_literal_crowd crowd = {.method = literal_of(method)};
    sc_err err = movement_of(b, &crowd.seen, diag);
    if (err) return err;
    if (is_own) {
        err = serve_literally(b, &crowd, options, report, diag);
    } else {
        const asked_lines asked = lines_of(b);
        err = sc_literal_run_lines(&crowd, asked.lines, asked.count, options, report, diag);
    }
    sc_movement_free(crowd.seen);
    return err;
}

/** Let a method serve travellers of its own, or ask it what was asked before. */
static sc_err run_one(point_run *b, sc_lab_method method, bool is_own,
                      const sc_run_options *options, sc_run_report *report, sc_diag *diag)
{
    if (sc_lab_is_literal(method)) return run_literal(b, method, is_own, options, report, diag);
    return is_own ? serve_travellers(b, options, report, diag)
                  : ask_again(b, options, report, diag);
}

static sc_err run_method(point_run *b, sc_lab_method method, sc_diag *diag)
{
    sc_run_report report;
    sc__listeners listeners = {.count = 0};
    sc_run_options options = run_options(b, method);
    b->cloaks[method].window = b->counted;
    if (has_provider(b)) {
        sc__listeners_add(&listeners, sc__cloaks_listener(&b->cloaks[method]));
    }
    if (b->is_attacked && !is_closed(b)) {
        sc__listeners_add(&listeners, sc_case_collector_listener(&b->collectors[method]));
    }
    options.listener = sc__listeners_listener(&listeners);
    const sc_err err = run_one(b, method, is_closed(b), &options, &report, diag);
    sc__cloaks_settle(&b->cloaks[method]);
    sc_case_collector_settle(&b->collectors[method]);
    if (!err) b->measures[method] = measure_of(&report);
    return err;
}

// --- The provider ------------------------------------------------------------

/** How many cloaks every method shows. */
static size_t shown_count(const point_run *b)
{
    size_t least = b->options->max_cloaks;
    for (sc_lab_method method = 0; method < SC_LAB_METHOD_COUNT; method++) {
        const size_t count = b->cloaks[method].count;
        if (count > 0 && count < least) least = count;
    }
    return least;
}

static sc_evaluate_options evaluate_options(const point_run *b)
{
    sc_evaluate_options options = sc_evaluate_options_default();
    options.objects = b->setup->objects;
    options.lbs.without_index = !b->options->is_indexed;
    // Work is not limited here: how much it takes is what is measured.
    options.lbs.max_segments = SIZE_MAX;
    options.lbs.max_requests = SIZE_MAX;
    options.lbs.max_objects = SIZE_MAX;
    options.lbs.max_visits = UINT64_MAX;
    options.is_seeded = true;
    options.seed = b->point->seed;
    return options;
}

static sc_err show(const sc__cloaks *cloaks, size_t count, sc_evaluation *evaluation,
                   sc_evaluate_report *report, sc_diag *diag)
{
    sc_err err = SC_OK;
    for (size_t i = 0; i < count && !err; i++) {
        const sc_run_cloak cloak = sc__cloaks_at(cloaks, i * cloaks->count / count);
        err = sc_evaluation_add(evaluation, &cloak, diag);
    }
    return err ? err : sc_evaluation_finish(evaluation, report, diag);
}

static void take_down(const sc_evaluate_report *report, sc_lab_measure *measure)
{
    measure->evaluated_cloaks = report->cloaks;
    measure->evaluated_queries = report->queries;
    measure->candidates = report->candidates.mean;
    measure->distinct = report->distinct.mean;
    measure->bytes_in = report->bytes_in.mean;
    measure->provider_cpu_us = report->provider_cpu_s * 1e6 / (double)report->queries;
}

/** Not all queries have their answer: why, for each of the two reasons that there may be. */
static sc_err fail_unanswered(sc_lab_method method, const sc_evaluate_report *report, sc_diag *diag)
{
    char refused[160] = "";
    char failed[sizeof report->first_failure.message + 64] = "";
    if (report->refused > 0) {
        snprintf(refused, sizeof refused,
                 "; %" PRIu64 " request more objects than allowed, or an unknown category; ask for "
                 "fewer objects or another category",
                 report->refused);
    }
    if (report->failed > 0) {
        snprintf(failed, sizeof failed, "; %" PRIu64 " got no valid answer, the first: %s",
                 report->failed, report->first_failure.message);
    }
    return sc_fail(diag, SC_EREPLY, "%s: %" PRIu64 " of %" PRIu64 " queries have no answer%s%s",
                   sc_lab_method_name(method), report->queries - report->answered, report->queries,
                   refused, failed);
}

static sc_err evaluate_method(point_run *b, sc_lab_method method, size_t count, sc_diag *diag)
{
    const sc_evaluate_options options = evaluate_options(b);
    sc_evaluation *evaluation = NULL;
    sc_evaluate_report report;
    sc_err err = sc_evaluation_new(b->setup->map->map, &options, &evaluation, diag);
    if (!err) err = show(&b->cloaks[method], count, evaluation, &report, diag);
    sc_evaluation_free(evaluation);
    if (err) return err;
    if (report.answered < report.queries) return fail_unanswered(method, &report, diag);
    take_down(&report, &b->measures[method]);
    return SC_OK;
}

static sc_err evaluate_all(point_run *b, sc_diag *diag)
{
    sc_err err = SC_OK;
    const size_t count = shown_count(b);
    for (sc_lab_method method = 0; method < SC_LAB_METHOD_COUNT && !err; method++) {
        if (b->cloaks[method].count > 0) err = evaluate_method(b, method, count, diag);
    }
    return err;
}

// --- The adversary -----------------------------------------------------------

/** Its victims, and what all methods will be asked. */
static sc_err prepare_attack(point_run *b, sc_diag *diag)
{
    const sc__attacked_run run = {
        .setup = b->setup,
        .point = b->point,
        .lines = b->questions.lines,
        .line_count = b->questions.count,
        .counted = b->counted,
    };
    return sc__point_attack_init(&b->attack, b->options, &run, diag);
}

/** In a closed loop: what a method makes of the questions in which the victims are. */
static sc_err collect_cases(point_run *b, sc_lab_method method, sc_diag *diag)
{
    sc_run_report report;
    sc_run_options options = run_options(b, method);
    options.listener = sc_case_collector_listener(&b->collectors[method]);
    const sc_err err = run_one(b, method, false, &options, &report, diag);
    sc_case_collector_settle(&b->collectors[method]);
    return err;
}

static sc_err attack_method(point_run *b, sc_lab_method method, sc_diag *diag)
{
    const sc_literal_method literal = literal_of(method);
    const sc__attacked_method attacked = {
        .engine = run_options(b, method).engine,
        .literal = sc_lab_is_literal(method) ? &literal : NULL,
        .travellers = *b->travellers,
    };
    sc_err err = is_closed(b) ? collect_cases(b, method, diag) : SC_OK;
    if (!err) {
        err = sc__point_attack_run(&b->attack, &attacked, &b->collectors[method].cases,
                                   &b->measures[method], diag);
    }
    sc_case_collector_fini(&b->collectors[method]);
    return err;
}

static sc_err attack_all(point_run *b, sc_diag *diag)
{
    sc_err err = SC_OK;
    for (sc_lab_method method = 0; method < SC_LAB_METHOD_COUNT && !err; method++) {
        if (sc__has_method(b->options, method)) err = attack_method(b, method, diag);
    }
    return err;
}

// --- The whole ---------------------------------------------------------------

static sc_err run_all(point_run *b, sc_diag *diag)
{
    sc_err err = is_closed(b) && !b->is_attacked ? SC_OK : record_questions(b, diag);
    if (!err && b->is_attacked) err = prepare_attack(b, diag);
    for (sc_lab_method method = 0; method < SC_LAB_METHOD_COUNT && !err; method++) {
        if (sc__has_method(b->options, method)) err = run_method(b, method, diag);
    }
    if (!err && has_provider(b)) err = evaluate_all(b, diag);
    if (!err && b->is_attacked) err = attack_all(b, diag);
    return err;
}

static void clear(point_run *b)
{
    sc__point_attack_fini(&b->attack);
    sc__questions_fini(&b->questions);
    for (sc_lab_method method = 0; method < SC_LAB_METHOD_COUNT; method++) {
        sc__cloaks_fini(&b->cloaks[method]);
        sc_case_collector_fini(&b->collectors[method]);
    }
}

sc_err sc__point_run(const sc_lab_options *options, const sc__map_setup *setup,
                     const sc_lab_point *point, sc_lab_result *out, sc_diag *diag)
{
    sc_lab_result result = {
        .point = *point,
        .is_attacked = sc_lab_is_attacked(options, point),
        .least_asked = sc_lab_least_asked(options, point),
    };
    point_run b = {
        .options = options,
        .setup = setup,
        .point = point,
        .is_attacked = sc__point_attack_is_wanted(options, point),
        .is_injected = point->mean[SC_LAB_AXIS_INJECTED] > 0,
        .workload = sc__workload_at(options, point),
        .counted = {.from = sc_time_from_seconds(options->warm_up_s),
                    .until = sc_time_from_seconds(options->warm_up_s + options->counted_s)},
        .measures = result.by_method,
        .travellers = &result.travellers,
    };
    b.seconds = options->warm_up_s + options->counted_s + b.workload.max_wait_s.max;
    const sc_err err = run_all(&b, diag);
    clear(&b);
    if (!err) *out = result;
    return err == SC_ENOMEM ? sc_fail_memory(diag, "running a point") : err;
}
