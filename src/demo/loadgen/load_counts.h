/**
 * @file load_counts.h
 * @brief Keeping count of a flock's queries, and putting the counts of several together.
 *
 * Uses: client/judge, client/load. Used by: client/flock, client/run.
 */
#ifndef SC_DEMO_LOADGEN_LOAD_COUNTS_H
#define SC_DEMO_LOADGEN_LOAD_COUNTS_H

#include "demo/loadgen/reply_checks.h"
#include "demo/loadgen/loadgen.h"

/** One more ended so. @param word  why; "" if there is nothing to say */
void sc__books_end(sc_load_books *books, sc_load_end end, int status, const char *word);

/** Something happened that must not. */
void sc__books_violate(sc_load_books *books, sc_violation violation, const char *format, ...)
    SC_PRINTF(3, 4);

/** An outcome of a query that is measured. @param latency_us  from sending it */
void sc__books_measure(sc_load_books *books, const sc_verdict *verdict, int64_t latency_us);

/** Add what `other` has. */
void sc__books_merge(sc_load_books *books, const sc_load_books *other);

/** Hold the service's own numbers, before and after, against ours; disagreements are violations. */
void sc__books_hold_against(sc_load_books *books, const sc_service_counts *before,
                            const sc_service_counts *after);

/** A run of which no query had an outcome has shown nothing, and must not pass for a good one.
 * Those that were lost, or could not be sent, are blamed already. */
void sc__books_want_outcome(sc_load_books *books);

#endif
