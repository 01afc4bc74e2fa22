/**
 * @file attack_on_demand_internal.h
 * @brief What other files of the demo, tests and a fuzzer need of attack_on_demand.c.
 */
#ifndef SC_DEMO_ATTACK_ON_DEMAND_INTERNAL_H
#define SC_DEMO_ATTACK_ON_DEMAND_INTERNAL_H

#include "demo/attack_on_demand.h"

/** For sc_attack_thread_submit(). No sentence repeats a segment. @return SC_OK, SC_EINVAL,
 * SC_EUNKNOWN */
SC_CHECKED sc_err sc__attack_check(const sc_map *map, const sc_attack_request *attack,
                                   sc_diag *diag);

/** The operator's engine with another method; how many combinations to try is another number for
 * those that are not of its kind. */
sc_engine_options sc__attack_engine_for(const sc_engine_options *engine, sc_variant method);

/** Wipe what an adversary believes, and release it: it has assumed positions. As harmless as
 * sc_posterior_fini(). */
void sc__posterior_wipe(sc_posterior *posterior);

/** What is the same for all attacks. */
typedef struct sc__attack_examiner {
    const sc_map *map;
    const sc_attack_thread_options *options;
    sc_rng *rng;  ///< the dice of engines, and seeds of adversaries
    const atomic_bool *is_stopping;
} sc__attack_examiner;

/** Settle an attack that was checked: all but `err`, which is returned, is filled in. */
SC_CHECKED sc_err sc__attack_run(const sc__attack_examiner *examiner, sc_attack_request *attack);

#endif
