/**
 * @file tally.h
 * @brief Many whole numbers, kept as a few: mean, median, 99th percentile, maximum.
 *
 * A run may have hundreds of millions of waits, so they are not kept one by one
 * but counted in bins. Up to 2,048 each number has a bin of its own; above that
 * the bins widen with the numbers, and a bin's middle is at most one part in 2,048
 * off. So medians and percentiles are exact for the sizes of cloaks, and within
 * 0.05 % for waits in microseconds. Count, mean and maximum are always exact.
 *
 * Uses: sim/report. Used by: sim/books, sim/evaluation.
 */
#ifndef SC_SIM_TALLY_H
#define SC_SIM_TALLY_H

#include <starcloak/err.h>
#include <stdint.h>

#include "sim/report.h"

/** Zero-initialise, then sc_tally_init(). */
typedef struct sc_tally {
    uint64_t count;
    uint64_t sum;
    uint64_t max;
    uint64_t *bins;
} sc_tally;

/** Begin with nothing counted. About 450 kB, of which what is never used is never touched. */
SC_CHECKED sc_err sc_tally_init(sc_tally *tally);

/** Release the memory; harmless twice, and on a zeroed tally. */
void sc_tally_fini(sc_tally *tally);

/** Count one number. */
void sc_tally_add(sc_tally *tally, uint64_t value);

/** What was counted, each number times `unit`: 1e-6 gives seconds. All 0 if there was nothing. */
sc_summary sc_tally_summary(const sc_tally *tally, double unit);

#endif
