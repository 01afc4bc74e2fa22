/**
 * @file slow_literal.h
 * @brief The literal baselines, written again from docs/methods.md: slow, plain.
 *
 * Every road of the map is looked at for every road that joins; ways are found by going over all
 * edges until nothing changes.
 */
#ifndef SC_TESTS_SUPPORT_SLOW_LITERAL_H
#define SC_TESTS_SUPPORT_SLOW_LITERAL_H

#include "sim/literal.h"
#include "support/slow_roads.h"

/**
 * The roads of a query's cloak, a flag per segment; NULL if it gets none. Release with free().
 *
 * @param others  by segment: travellers there, the asker left out
 */
bool *slow_literal_choose(const slow_roads *roads, sc_literal_method method, const sc_query *query,
                          const uint32_t *others, sc_rng *rng);

/** Twice the way from the midpoint of a segment to that of another; UINT64_MAX: there is none. */
uint64_t slow_literal_way(const slow_roads *roads, sc_seg_id from, sc_seg_id to);

#endif
