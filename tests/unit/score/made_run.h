/**
 * @file made_run.h
 * @brief A run in memory as a trial wants it: questions, and the cloaks that came of them.
 *
 *     made_run run = made_run_on(map, &stream, 1);
 *     sc_trial_run(map, &run.record, &options, &trial, &diag);
 */
#ifndef SC_TESTS_UNIT_SCORE_MADE_RUN_H
#define SC_TESTS_UNIT_SCORE_MADE_RUN_H

#include "made_lines.h"
#include "score/trial.h"
#include "support/sketch.h"

typedef struct made_run {
    made_lines made;
    sc_case_collector collector;
    sc_case_record record;  ///< lent by the two above
} made_run;

/** Listen to a run of these lines. */
static inline void made_listen(const sc_map *map, const sc_request_line *lines, size_t count,
                               const sc_engine_options *engine, uint64_t seed,
                               sc_case_collector *collector)
{
    sc_run_options options = sc_run_options_default();
    sc_run_report report;
    sc_diag diag = {""};
    options.engine = *engine;
    options.seed = seed;
    options.listener = sc_case_collector_listener(collector);
    CHECK_OK(sc_run_lines(map, lines, count, &options, &report, &diag), &diag);
    sc_case_collector_settle(collector);
}

/** Release with made_run_free(). */
static inline made_run made_run_on(const sc_map *map, const made_stream *stream, uint64_t seed)
{
    made_run run = {.made = made_lines_on(map, stream, seed, false)};
    const sc_engine_options engine = sc_engine_options_default();
    made_listen(map, run.made.lines, run.made.count, &engine, seed, &run.collector);
    run.record = (sc_case_record){
        .cases = run.collector.cases,
        .query_count = run.made.count,
        .lines = run.made.lines,
        .line_count = run.made.count,
    };
    return run;
}

static inline void made_run_free(made_run *run)
{
    sc_case_collector_fini(&run->collector);
    made_lines_free(&run->made);
}

/** A square town, in which most who ask are cloaked, and many of them again. */
static inline sc_map *made_town(void)
{
    sketch s = sketch_grid(SC_COORDS_PLANAR, 5, 5);
    sc_map *map = sketch_map(&s);
    sketch_free(&s);
    return map;
}

static const made_stream made_traffic = {
    .count = 120, .user_count = 40, .longest_gap = 900000, .most_k = 3, .most_l = 4};

/** Options with little work: 300 replays or so for each cloak, by the caller alone. */
static inline sc_trial_options made_options(sc_trial_kind kind)
{
    sc_trial_options options = sc_trial_options_default();
    options.kind = kind;
    options.adversary.max_placements = 50;
    options.adversary.runs = 3;
    options.adversary.samples = 200;
    options.adversary.fruitful = 0;
    options.adversary.threads = 1;
    options.injection.injected = 2;
    return options;
}

/** A trial that must succeed; sc_trial_fini(). */
static inline sc_trial made_trial(const sc_map *map, const sc_case_record *record,
                                  const sc_trial_options *options)
{
    sc_trial trial = {.rows = NULL};
    sc_diag diag = {""};
    CHECK_OK(sc_trial_run(map, record, options, &trial, &diag), &diag);
    return trial;
}

/** A town with a run in it. */
typedef struct made_stage {
    sc_map *map;
    made_run run;
    sc_density *density;  ///< busier the higher its number
} made_stage;

static inline made_stage made_stage_open(void)
{
    made_stage on = {.map = made_town()};
    const size_t count = sc_map_segment_count(on.map);
    uint64_t *counts = test_take(count, sizeof *counts);
    for (size_t i = 0; i < count; i++) {
        counts[i] = i;
    }
    CHECK_OK(sc_density_new_counted(on.map, counts, &on.density), NULL);
    free(counts);
    on.run = made_run_on(on.map, &made_traffic, 1);
    assert_in_range(on.run.record.cases.count, 20, 100);
    return on;
}

static inline void made_stage_close(made_stage *on)
{
    made_run_free(&on->run);
    sc_density_free(on->density);
    sc_map_free(on->map);
}

#endif
