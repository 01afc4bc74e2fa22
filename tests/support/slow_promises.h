/**
 * @file slow_promises.h
 * @brief P1 to P7 of one cloak, by plain loops over plain sets.
 *
 * Shares nothing with the engine, nor with src/lib/verify.
 */
#ifndef SC_TESTS_SUPPORT_SLOW_PROMISES_H
#define SC_TESTS_SUPPORT_SLOW_PROMISES_H

#include <starcloak/cloak.h>

#include "support/slow_roads.h"

/** Fail the test unless a pruned cloak keeps all promises when it leaves at `now`. */
void slow_check_promises(const slow_roads *roads, const sc_cloak *cloak, sc_time now);

#endif
