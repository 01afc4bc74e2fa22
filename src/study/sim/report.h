/**
 * @file report.h
 * @brief What a run came to: rates, waits, sizes, work.
 *
 * Uses: engine. Used by: sim/run, sim/evaluate, starcloak cloak and simulate.
 */
#ifndef SC_SIM_REPORT_H
#define SC_SIM_REPORT_H

#include <starcloak/engine.h>

/** A handful of numbers about many. */
typedef struct sc_summary {
    uint64_t count;
    double mean;
    double median;
    double p99;
    double max;
} sc_summary;

/** Reasons to refuse are told apart by sc_err, all of which are below this (see report.c). */
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

#endif
