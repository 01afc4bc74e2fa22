/**
 * @file exchange.h
 * @brief A batch of cloaks goes to a provider and comes back as answers.
 *
 * Two kinds: the built-in provider, through the real bytes of an encoding, and one
 * that knows points only. Both take time around each step of the whole batch.
 *
 * A cloak that the provider cannot answer, or answers in a way that cannot be believed, is marked
 * as failed and the batch goes on. What is wrong with a cloak itself ends it.
 *
 * Uses: answer, lbs, points, sim/batch. Used by: sim/evaluation.
 */
#ifndef SC_SIM_EXCHANGE_H
#define SC_SIM_EXCHANGE_H

#include "sim/batch.h"
#include "sim/evaluate.h"

/** Zero-initialise, then sc_exchange_init(); release with sc_exchange_fini(). */
typedef struct sc_exchange {
    const sc_map *map;
    const sc_evaluate_options *options;  ///< borrowed
    const sc_vocabulary *vocabulary;     ///< of whoever answers
    sc_rng *rng;
    sc_lbs *lbs;  ///< NULL, as the filter, if the provider knows points only
    sc_filter *filter;
    sc_codec_limits limits;
    bool are_foreign;  ///< the objects are not the map's own
    sc_batch *batch;   ///< at hand
    sc_evaluate_report *report;
    const char *record_name;  ///< for messages; NULL: the cloaks are of no record
} sc_exchange;

/** @param report  told of times, work and failures; borrowed */
SC_CHECKED sc_err sc_exchange_init(sc_exchange *exchange, const sc_map *map,
                                   const sc_evaluate_options *options, sc_evaluate_report *report,
                                   sc_diag *diag);

/** Harmless twice, and on a zeroed one. */
void sc_exchange_fini(sc_exchange *exchange);

/** Let the batch go there and back. */
SC_CHECKED sc_err sc_exchange_run(sc_exchange *exchange, sc_batch *batch, sc_diag *diag);

// --- For exchange.c and point_exchange.c ---------------------------------------

/** One step with one cloak. */
typedef sc_err (*sc__step)(sc_exchange *exchange, sc_batch_cloak *cloak, sc_diag *diag);

/** Take the step with every cloak that has something to ask and has not failed. */
SC_CHECKED sc_err sc__exchange_step(sc_exchange *exchange, sc__step step, sc_diag *diag);

/** CPU time of all threads, and time that passes; seconds. */
double sc__cpu_s(void);
double sc__wall_s(void);

/** The way to a provider that knows points only, from relays on. */
SC_CHECKED sc_err sc__point_exchange(sc_exchange *exchange, sc_diag *diag);

#endif
