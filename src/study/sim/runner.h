/**
 * @file runner.h
 * @brief A run, a slice of questions after the other.
 *
 * A slice has four parts, and CPU time is taken around those marked:
 *   1. admit the questions                                             (admission)
 *   2. play the engine to their times and through its own wakes
 *      between them; the outcomes stay in memory                       (engine)
 *   3. report questions and outcomes to listeners in the order of time,
 *      count them, let travellers go on
 *   4. free the outcomes                                               (engine)
 *
 * Listeners and counts see times that never run backwards; of a question and an
 * outcome of the same moment in one slice the question comes first.
 */
#ifndef SC_SIM_RUNNER_H
#define SC_SIM_RUNNER_H

#include "sim/run.h"

/** Questions in a slice: enough that reading the clock costs nothing, few enough for the cache. */
#define SC_SLICE_MAX 1024

typedef struct sc_runner sc_runner;

/**
 * @param map         borrowed, as `options` and `travellers`; they must outlive the result
 * @param travellers  resumed at outcomes; NULL for a stream
 */
SC_CHECKED sc_err sc_runner_new(const sc_map *map, const sc_run_options *options,
                                sc_travellers *travellers, sc_runner **out, sc_diag *diag);

/** Free; what was not finished leaves no record. NULL is fine. */
void sc_runner_free(sc_runner *runner);

/** When the engine next has something to do by itself. */
sc_time sc_runner_next_wake(const sc_runner *runner);

/**
 * Play a slice.
 *
 * @param questions  borrowed; at most SC_SLICE_MAX
 * @param who        the traveller of each query; NULL if there are none
 * @param until      after the last question go on with the engine's wakes before this moment
 * @return SC_OK, SC_ENOMEM, SC_EBROKEN (the engine ends what was never asked), or what a listener
 *         failed with
 */
SC_CHECKED sc_err sc_runner_slice(sc_runner *runner, const sc_request_line *questions,
                                  const uint32_t *who, size_t count, sc_time until, sc_diag *diag);

/** Go on until every query has its outcome, close the record and fill in `report`. */
SC_CHECKED sc_err sc_runner_finish(sc_runner *runner, sc_run_report *report, sc_diag *diag);

#endif
