/**
 * @file literal.h
 * @brief Random sampling and network expansion as the paper has them to the letter: a query makes a
 * region of its own and takes no notice of other queries.
 *
 * For comparisons in the laboratory alone. The methods of an engine (baselines/per_query.c) count
 * k over the queries that share a cloak, which is what P2 promises. Here k is counted over all
 * travellers on the roads of the cloak, whether they ask or not; a cloak has one member, and P2
 * does not hold. So this is no variant of an engine: no service can switch it on, and its cloaks
 * are not recorded. docs/methods.md ("To the letter") has the rules to the last draw.
 */
#ifndef SC_SIM_LITERAL_H
#define SC_SIM_LITERAL_H

#include <starcloak/map.h>
#include <starcloak/query.h>
#include <starcloak/rng.h>

#include "sim/run.h"
#include "sim/workload.h"
#include "travel/movement.h"

typedef enum sc_literal_method {
    SC_LITERAL_SAMPLING,   ///< roads join at random
    SC_LITERAL_EXPANSION,  ///< nearest first
} sc_literal_method;

// === One cloak ==================================================================================

/** Working memory for one map. Opaque; one thread at a time. */
typedef struct sc_literal sc_literal;

/** @param map  borrowed; must outlive the result */
SC_CHECKED sc_err sc_literal_new(const sc_map *map, sc_literal **out);

/** Free; NULL is fine. */
void sc_literal_free(sc_literal *literal);

/** The roads of a cloak; lent until the next call. */
typedef struct sc_literal_cloak {
    const sc_seg_id *segments;  ///< ascending
    size_t segment_count;       ///< 0: the roads in reach are too few, or have too few travellers
} sc_literal_cloak;

/**
 * Choose roads for a query, from its own on, until they are as many as its l and have as many
 * travellers as its k, the asker among them.
 *
 * @param others  by segment: how many travellers are there, the asker left out
 * @param rng     of SC_LITERAL_SAMPLING
 * @return SC_OK, SC_ENOMEM
 */
SC_CHECKED sc_err sc_literal_choose(sc_literal *literal, sc_literal_method method,
                                    const sc_query *query, const uint32_t *others, sc_rng *rng,
                                    sc_literal_cloak *out);

// === A run ======================================================================================
// A query is cloaked in the moment in which it is asked, or dropped in it; none waits. Travellers
// tell where they are once in a second of virtual time, at its beginning; the asker is on its own
// road. The dice of a query follow from the seed and its id, so that other queries do not touch
// them. A query that is dropped is told as infeasible.

/** Whose cloaks are made, and for whom k counts. */
typedef struct sc_literal_crowd {
    sc_literal_method method;
    sc_movement
        *seen;  ///< all travellers; borrowed, from its beginning, and used up. Walkers
                ///< (travel/walk.h) turn elsewhere than those who ask: as many, not the same
} sc_literal_crowd;

/**
 * As sc_run_lines(): cloak what was asked.
 *
 * @param options  engine and prune_threads are not used; there must be no record
 * @return SC_OK, SC_EINVAL (a record is wanted), SC_ENOMEM, or what a listener failed with
 */
SC_CHECKED sc_err sc_literal_run_lines(const sc_literal_crowd *crowd, const sc_request_line *lines,
                                       size_t count, const sc_run_options *options,
                                       sc_run_report *report, sc_diag *diag);

/**
 * As sc_run_travellers(): each asks again a pause after its outcome.
 *
 * @param movement  another one with the same travellers as `seen`
 */
SC_CHECKED sc_err sc_literal_run_travellers(const sc_literal_crowd *crowd, sc_movement *movement,
                                            const sc_workload *workload, double seconds,
                                            const sc_run_options *options, sc_run_report *report,
                                            sc_diag *diag);

#endif
