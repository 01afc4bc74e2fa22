/**
 * @file counts.h
 * @brief The counts of a run: every question and every outcome is counted, and the report made of
 * them.
 *
 * Every query that is counted must be ended exactly once (P8); what is ended twice or was
 * never asked is refused, and what is left open at the end can be counted. Memory
 * is needed for open queries only.
 *
 * A window of time may be set: then only what was asked in it counts, and cloaks that leave in it.
 * What comes before and after is counted all the same, since it too must end once.
 */
#ifndef SC_SIM_COUNTS_H
#define SC_SIM_COUNTS_H

#include <starcloak/cloak.h>
#include <starcloak/err.h>
#include <starcloak/query.h>

#include "sim/run.h"

#include <stdint.h>

// === Distributions ==============================================================================
// Many whole numbers, kept as a few: mean, median, 99th percentile, maximum.
//
// A run may have hundreds of millions of waits, so they are not kept one by one
// but counted in bins. Up to 2,048 each number has a bin of its own; above that
// the bins widen with the numbers, and a bin's middle is at most one part in 2,048
// off. So medians and percentiles are exact for the sizes of cloaks, and within
// 0.05 % for waits in microseconds. Count, mean and maximum are always exact.

/** Zero-initialise, then sc_distribution_init(). */
typedef struct sc_distribution {
    uint64_t count;
    uint64_t sum;
    uint64_t max;
    uint64_t *bins;
} sc_distribution;

/** Begin with nothing counted. About 450 kB, of which what is never used is never touched. */
SC_CHECKED sc_err sc_distribution_init(sc_distribution *distribution);

/** Release the memory; harmless twice, and on a zeroed distribution. */
void sc_distribution_fini(sc_distribution *distribution);

/** Count one number. */
void sc_distribution_add(sc_distribution *distribution, uint64_t value);

/** What was counted, each number times `unit`: 1e-6 gives seconds. All 0 if there was nothing. */
sc_summary sc_distribution_summary(const sc_distribution *distribution, double unit);

// === Open queries ===============================================================================
// Queries without an outcome: when they were asked, and by which traveller.
//
// The engine knows deadlines and pseudonyms only; how long a query waited and which
// traveller may go on is for the runner to remember. A hash table with removal, so
// that a run of any length needs memory only for what is open.

/** A query without an outcome. */
typedef struct sc_pending_query {
    sc_time since;
    uint32_t traveller;  ///< whatever the caller calls it
} sc_pending_query;

typedef struct sc_pending_slot sc_pending_slot;

/** Zero-initialise; sc_pending_queries_fini() when done. */
typedef struct sc_pending_queries {
    sc_pending_slot *slots;
    size_t capacity;  ///< a power of two, or 0
    size_t count;
} sc_pending_queries;

/** Enter `id`, which must not be there yet. Fails with SC_ENOMEM and has then changed nothing. */
SC_CHECKED sc_err sc_pending_queries_put(sc_pending_queries *pending, const sc_query_id *id,
                                         sc_pending_query wait);

/** Take `id` out; false if it is not there. */
bool sc_pending_queries_take(sc_pending_queries *pending, const sc_query_id *id,
                             sc_pending_query *out);

/** Release the memory; harmless twice. */
void sc_pending_queries_fini(sc_pending_queries *pending);

// === All counts of a run ========================================================================

/** Zero-initialise, then sc_run_counts_init(). */
typedef struct sc_run_counts {
    sc_run_window window;
    sc_pending_queries open;
    bool has_begun;
    sc_time first_asked;  ///< of all, as the next
    sc_time last_ended;
    uint64_t asked;           ///< in the window
    sc_distribution wait_us;  ///< of cloaked queries that were asked in the window
    sc_distribution users;    ///< of cloaks that left in the window, as all below
    sc_distribution segments;
    sc_distribution border_nodes;
    sc_distribution stars;
    uint64_t *user_room;  ///< to sort the users of a cloak in
    size_t user_capacity;
} sc_run_counts;

/** @param window  what counts; an empty one counts all */
SC_CHECKED sc_err sc_run_counts_init(sc_run_counts *counts, sc_run_window window);

/** Release the memory; harmless twice, and on zeroed counts. */
void sc_run_counts_fini(sc_run_counts *counts);

/** A query was admitted. Times must not run backwards. */
SC_CHECKED sc_err sc_run_counts_query(sc_run_counts *counts, const sc_query_id *id,
                                      sc_pending_query wait);

/** A cloak was accepted at `t`; its members end by sc_run_counts_end(). */
SC_CHECKED sc_err sc_run_counts_cloak(sc_run_counts *counts, const sc_cloak *cloak, sc_time t);

/**
 * A query has ended at `t`, in a cloak or without.
 *
 * @param wait  what was entered with it
 * @return SC_OK, SC_EBROKEN: it is not open, or `t` is before it was asked (it is then ended)
 */
SC_CHECKED sc_err sc_run_counts_end(sc_run_counts *counts, const sc_query_id *id, sc_time t,
                                    bool is_cloaked, sc_pending_query *wait);

/** Fill in what the counts know: queries, waits, sizes, the span of time. */
void sc_run_counts_report(const sc_run_counts *counts, sc_run_report *report);

#endif
