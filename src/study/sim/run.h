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
 * What happens can be listened to: every question that was admitted, with its true place, and
 * every outcome, in the order of time. A record is one listener, the lab another.
 */
#ifndef SC_SIM_RUN_H
#define SC_SIM_RUN_H

#include <starcloak/admit.h>
#include <starcloak/continuity.h>
#include <starcloak/engine.h>
#include <starcloak/progress.h>
#include <starcloak/prune.h>

#include "record/record_write.h"
#include "record/stream.h"
#include "record/zone_table.h"
#include "sim/workload.h"

// === The report of a run ========================================================================

/** A handful of numbers about many. */
typedef struct sc_summary {
    uint64_t count;
    double mean;
    double median;
    double p99;
    double max;
} sc_summary;

/** Reasons to refuse are told apart by sc_err, all of which are below this (see run.c). */
#define SC_REFUSAL_COUNT 22

/** How many refusals a report keeps in words. */
#define SC_REFUSALS_SHOWN 5

/** A question that was not admitted. */
typedef struct sc_refusal {
    uint64_t line;  ///< of the stream, from 1; 0 if there is none
    sc_err reason;
    char text[200];  ///< what admission said; names no user and no position
} sc_refusal;

typedef struct sc_run_report {
    uint64_t queries;  ///< admitted
    uint64_t cloaked;
    uint64_t refused[SC_REFUSAL_COUNT];  ///< not admitted, by sc_err
    uint64_t cloaks;
    sc_summary wait_s;  ///< from the question to its cloak
    sc_summary users;   ///< of a cloak
    sc_summary segments;
    sc_summary border_nodes;
    sc_summary stars;
    sc_engine_stats engine;
    sc_continuity_stats continuity;  ///< all 0 without
    double admission_cpu_s;
    double engine_cpu_s;
    double virtual_s;  ///< from the first question to the last outcome
    sc_time end;
    size_t shown_count;
    sc_refusal shown[SC_REFUSALS_SHOWN];  ///< the first that were refused
} sc_run_report;

/** Cloaked queries per admitted one, 0 to 1. */
double sc_run_success_rate(const sc_run_report *report);

/** Admitted queries per CPU second, admission included. */
double sc_run_queries_per_cpu_s(const sc_run_report *report);

/** Admitted queries per CPU second of the engine alone. */
double sc_run_engine_queries_per_cpu_s(const sc_run_report *report);

/** Combinations that the searches checked, per admitted query. */
double sc_run_checks_per_query(const sc_run_report *report);

/** Questions that were not admitted, for all reasons together. */
uint64_t sc_run_refused_count(const sc_run_report *report);

/** The word that reports use for a reason of refusal: "too_far". */
const char *sc_refusal_name(sc_err reason);

// === Runs =======================================================================================

/** Functions that are called as a run goes on. All is lent for the call; NULL is not called. */
typedef struct sc_run_listener {
    void *context;
    sc_err (*asked)(void *context, const sc_query *query, const sc_request_line *request_line,
                    const sc_snap *where);
    sc_err (*cloaked)(void *context, const sc_cloak *cloak, sc_time t);
    sc_err (*dropped)(void *context, const sc_query_id *id, sc_time t, sc_drop_reason reason);
} sc_run_listener;

/** Only what is asked in [from, until) counts in a report; the empty one counts all. */
typedef struct sc_run_window {
    sc_time from;
    sc_time until;
} sc_run_window;

/** Whether `t` is in a window; in the empty one every moment is. */
static inline bool sc_run_window_has(sc_run_window window, sc_time t)
{
    const bool is_empty = window.from >= window.until;
    return is_empty || (t >= window.from && t < window.until);
}

typedef struct sc_run_options {
    sc_engine_options engine;
    sc_limits limits;
    const sc_zone_table *zones;  ///< of users; borrowed; NULL: none
    bool has_continuity;         ///< patient: queries go by what their user can have reached
    sc_continuity_options continuity;
    uint64_t seed;           ///< of the choices; the travellers have their own from it
    bool is_secure;          ///< take the cryptographic generator instead
    unsigned prune_threads;  ///< 0: inline
    const char *record;      ///< where to record the run; NULL: nowhere
    sc_run_listener listener;
    sc_run_window window;  ///< queries and waits, and cloaks that leave in it; CPU time is of all
    sc_progress progress;
} sc_run_options;

sc_run_options sc_run_options_default(void);

/** Anonymize a recorded stream. Lines that admission refuses are counted by reason. */
SC_CHECKED sc_err sc_run_stream(const sc_map *map, const sc_stream *stream,
                                const sc_run_options *options, sc_run_report *report,
                                sc_diag *diag);

/** The same with lines in memory (borrowed), in the order of time. */
SC_CHECKED sc_err sc_run_lines(const sc_map *map, const sc_request_line *lines, size_t count,
                               const sc_run_options *options, sc_run_report *report, sc_diag *diag);

/** Let travellers ask for `seconds` of virtual time, each again a pause after its outcome. */
SC_CHECKED sc_err sc_run_travellers(sc_movement *movement, const sc_workload *workload,
                                    double seconds, const sc_run_options *options,
                                    sc_run_report *report, sc_diag *diag);

#endif
