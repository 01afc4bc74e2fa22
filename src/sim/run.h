/**
 * @file run.h
 * @brief Driving an engine in virtual time, from a stream or with travellers.
 *
 * One driver for both: it admits queries, runs the engine at their times and
 * whenever sc_engine_next_wake() asks for it, prunes (inline or in a pool),
 * accepts, records, and keeps count. After the last question it goes on until
 * every query has its outcome.
 *
 * CPU time is taken around whole batches, once for admission and once for the
 * engine (selection, search, pruning, acceptance), so that reading JSON, moving
 * travellers, recording and the clock itself are not in it.
 *
 * Uses: engine, query, record, sim/workload. Used by: starcloak cloak and simulate.
 */
#ifndef SC_SIM_RUN_H
#define SC_SIM_RUN_H

#include <starcloak/engine.h>
#include <starcloak/progress.h>
#include <starcloak/prune.h>

#include "record/record.h"
#include "record/stream.h"
#include "sim/report.h"
#include "sim/workload.h"

typedef struct sc_run_options {
    sc_engine_options engine;
    sc_limits limits;
    uint64_t seed;           ///< of the choices; the travellers have their own from it
    bool is_secure;          ///< take the cryptographic generator instead
    unsigned prune_threads;  ///< 0: inline
    const char *record;      ///< where to record the run; NULL: nowhere
    sc_progress progress;
} sc_run_options;

sc_run_options sc_run_options_default(void);

/** Anonymize a recorded stream. Lines that admission refuses are counted by reason. */
SC_CHECKED sc_err sc_run_stream(const sc_map *map, const sc_stream *stream,
                                const sc_run_options *options, sc_run_report *report,
                                sc_diag *diag);

/** Let travellers ask for `seconds` of virtual time, each again a pause after its outcome. */
SC_CHECKED sc_err sc_run_travellers(const sc_map *map, const sc_workload *workload, uint32_t count,
                                    double seconds, const sc_run_options *options,
                                    sc_run_report *report, sc_diag *diag);

#endif
