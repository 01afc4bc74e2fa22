/*
 * Where densities come from.
 */
#include "densities.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "inputs.h"
#include "record/cloak_reader.h"
#include "record/run_reader.h"
#include "travel/density_learner.h"
#include "travel/movement.h"

/** So many lines of a record for each report of progress. */
enum { LINES_PER_PROGRESS = 4096 };

sc_counting sc_counting_default(void)
{
    return (sc_counting){.movement = sc_movement_settings_default(),
                         .seed = 1,
                         .seconds = SC_COUNT_SECONDS_DEFAULT,
                         .step_s = SC_COUNT_STEP_DEFAULT};
}

sc_err sc_count_traffic(const sc_map *map, const sc_counting *counting, const sc_progress *progress,
                        sc_crowd *crowd, uint64_t *counts, sc_diag *diag)
{
    const sc_crowd_wish wish = {
        .settings = &counting->movement, .seed = counting->seed, .seconds = counting->seconds};
    const sc_err err = sc_crowd_open(crowd, map, &wish, progress, diag);
    if (err) return err;
    return sc_traffic_count(crowd->movement, 0, sc_time_from_seconds(counting->seconds),
                            sc_time_from_seconds(counting->step_s), counts);
}

static void report_progress(const sc_run_reader *reader, const sc_progress *progress)
{
    if (!progress || !progress->report) return;
    uint64_t total = 0;
    const uint64_t passed = sc_run_reader_passed(reader, &total);
    progress->report(progress->context, "reading", passed, total);
}

/** Count the questions that are still to come from `reader`. */
static sc_err count_lines(sc_run_reader *reader, const sc_progress *progress, uint64_t *counts,
                          sc_diag *diag)
{
    bool has_questions = false;
    sc_run_line line;
    sc_err err;
    while (!(err = sc_run_reader_next(reader, &line, diag)) && line.text.text) {
        if (line.kind == SC_RUN_QUERY) {
            counts[line.segment]++;
            has_questions = true;
        }
        if (line.number % LINES_PER_PROGRESS == 0) report_progress(reader, progress);
    }
    if (err || has_questions) return err;
    return sc_explain(
        diag, SC_EINVAL,
        "%.400s: the record has no queries to count; use the record of a run that has some",
        sc_run_reader_name(reader));
}

sc_err sc_count_questions(const sc_map *map, const char *path, const sc_progress *progress,
                          uint64_t *counts, sc_diag *diag)
{
    sc_run_reader *reader = NULL;
    sc_err err = sc_run_reader_open(map, NULL, path, &reader, diag);
    if (!err) err = count_lines(reader, progress, counts, diag);
    sc_run_reader_free(reader);
    return sc_input_explain(err, path, SC_INPUT_RECORD, diag);
}

/** Show `learner` the cloaks that are still to come from `reader`. */
static sc_err see_cloaks(sc_cloak_reader *reader, const sc_progress *progress,
                         sc_density_learner *learner, sc_diag *diag)
{
    const size_t before = sc_density_learner_cloaks(learner);
    sc_seen_cloak cloak;
    sc_err err;
    while (!(err = sc_cloak_reader_next(reader, &cloak, diag)) && cloak.segments) {
        err =
            sc_density_learner_see(learner, cloak.segments, cloak.segment_count, cloak.user_count);
        if (err) return err;
        if (progress && progress->report &&
            sc_cloak_reader_lines(reader) % LINES_PER_PROGRESS == 0) {
            uint64_t total = 0;
            const uint64_t passed = sc_cloak_reader_passed(reader, &total);
            progress->report(progress->context, "reading", passed, total);
        }
    }
    if (err || sc_density_learner_cloaks(learner) > before) return err;
    return sc_explain(diag, SC_EINVAL,
                      "%.400s: there are no cloaks to learn from; use the cloak log of a day, or "
                      "the record of a run, that has some",
                      sc_cloak_reader_name(reader));
}

/** What was learnt must tell some road from others: a table of zeros would be taken for one. */
static sc_err check_learnt(const sc_density_learner *learner, const uint64_t *counts, size_t count,
                           const char *path, sc_diag *diag)
{
    for (size_t i = 0; i < count; i++) {
        if (counts[i] > 0) return SC_OK;
    }
    return sc_explain(diag, SC_EINVAL,
                      "%.400s: too few cloaks to learn from, %zu in all: no segment comes to one "
                      "user; give the cloak logs of more or busier days",
                      path, sc_density_learner_cloaks(learner));
}

sc_err sc_count_cloaks(const sc_map *map, const char *const *paths, size_t path_count,
                       const sc_progress *progress, uint64_t *counts, sc_cloaks_read *read,
                       sc_diag *diag)
{
    *read = (sc_cloaks_read){0};
    sc_density_learner *learner = NULL;
    sc_err err = sc_density_learner_new(sc_map_segment_count(map), &learner);
    for (size_t i = 0; i < path_count && !err; i++) {
        sc_cloak_reader *reader = NULL;
        err = sc_cloak_reader_open(map, paths[i], &reader, diag);
        if (!err) err = see_cloaks(reader, progress, learner, diag);
        if (!err) read->cut_lines += sc_cloak_reader_cut_lines(reader);
        if (!err && sc_cloak_reader_traffic(reader) > 0 && !read->balanced) {
            read->balanced = paths[i];
        }
        sc_cloak_reader_free(reader);
        err = sc_input_explain(err, paths[i], SC_INPUT_RECORD, diag);
    }
    if (!err) err = sc_density_learner_learn(learner, progress, counts);
    if (!err) err = check_learnt(learner, counts, sc_map_segment_count(map), paths[0], diag);
    sc_density_learner_free(learner);
    return err;
}

static sc_err count_default(const sc_map *map, uint64_t seed, const sc_progress *progress,
                            sc_density **out, sc_diag *diag)
{
    sc_counting counting = sc_counting_default();
    sc_crowd crowd = {0};
    uint64_t *counts = calloc((size_t)sc_map_segment_count(map) + 1, sizeof(*counts));
    counting.seed = seed;
    sc_err err =
        counts ? sc_count_traffic(map, &counting, progress, &crowd, counts, diag) : SC_ENOMEM;
    if (!err) err = sc_density_new_counted(map, counts, out);
    sc_crowd_close(&crowd);
    free(counts);
    return err;
}

sc_err sc_density_by_name(const sc_map *map, const char *name, uint64_t seed,
                          const sc_progress *progress, sc_density **out, sc_diag *diag)
{
    *out = NULL;
    if (strcmp(name, "uniform") == 0) return SC_OK;
    if (strcmp(name, "traffic") == 0) return count_default(map, seed, progress, out, diag);
    const sc_err err = sc_density_read(map, name, out, diag);
    return err ? sc_input_explain(err, name, SC_INPUT_DENSITY, diag) : SC_OK;
}
