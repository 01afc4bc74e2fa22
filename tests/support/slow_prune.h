/**
 * @file slow_prune.h
 * @brief Pruning, written again from docs/engine.md: plain sets, nothing kept.
 *
 * Draws the same numbers in the same order as sc_pruner_prune(), and must come to the
 * same cloak.
 */
#ifndef SC_TESTS_SUPPORT_SLOW_PRUNE_H
#define SC_TESTS_SUPPORT_SLOW_PRUNE_H

#include <starcloak/cloak.h>

#include "support/slow_demand.h"

/** Prune a candidate of a slow engine with such demands in place. */
void slow_prune(const slow_roads *roads, const sc_demands *demands, sc_cloak *candidate,
                sc_rng *rng);

/** Free a cloak of a slow engine, whose parts are blocks of their own; NULL is fine. */
void slow_cloak_free(sc_cloak *cloak);

#endif
