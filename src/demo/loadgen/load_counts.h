/**
 * @file load_counts.h
 * @brief Counting a group's queries, adding the counts of groups, and comparing them with the
 * service's own.
 *
 */
#ifndef SC_DEMO_LOADGEN_LOAD_COUNTS_H
#define SC_DEMO_LOADGEN_LOAD_COUNTS_H

#include <starcloak/err.h>

#include "demo/loadgen/load_connection.h"
#include "demo/loadgen/loadgen.h"
#include "demo/loadgen/reply_checks.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** One more ended so. @param word  why; "" if there is nothing to say */
void sc__load_counts_end(sc_load_counts *counts, sc_load_end end, int status, const char *word);

/** What this machine lacked for a query that is unsent without being a violation. */
#define SC__NO_DESCRIPTOR "no-descriptor"
#define SC__NO_RESOURCES "no-resources"

/** Count a violation. */
void sc__load_counts_violate(sc_load_counts *counts, sc_violation violation, const char *format,
                             ...) SC_PRINTF(3, 4);

/** An outcome of a query that is measured. @param latency_us  from sending it */
void sc__load_counts_measure(sc_load_counts *counts, const sc_reply_check *check,
                             int64_t latency_us);

/** Add what `other` has. */
void sc__load_counts_merge(sc_load_counts *counts, const sc_load_counts *other);

/** Compare with the service's own counts before and after the run; differences are violations. */
void sc__load_counts_compare(sc_load_counts *counts, const sc_service_counts *before,
                             const sc_service_counts *after);

/** A run of which no query had an outcome has shown nothing, and must not pass for a good one.
 * Those that were lost, or could not be sent, are blamed already. */
void sc__load_counts_want_outcome(sc_load_counts *counts);

// --- The service's counts ------------------------------------------------------------------------

/** Read Prometheus' text format; other lines are skipped. */
sc_service_counts sc_service_counts_of(const char *text, size_t size);

/** Fetch them. @param path  behind the target's own, as "/metrics"
 *  @return as sc_fetch(), or SC_ENET for another status than 200 */
SC_CHECKED sc_err sc_service_counts_fetch(const sc_target *target, const char *path,
                                          const char *token, sc_service_counts *out, sc_diag *diag);

#endif
