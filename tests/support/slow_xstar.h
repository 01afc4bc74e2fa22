/**
 * @file slow_xstar.h
 * @brief XStar, written again from docs/methods.md: slow, plain, obviously right.
 *
 * The slow engine does the rest: queue, stars, deadlines, proposals. Groups only tell who comes
 * along (k_spread): each query inside has limits of its own.
 */
#ifndef SC_TESTS_SUPPORT_SLOW_XSTAR_H
#define SC_TESTS_SUPPORT_SLOW_XSTAR_H

#include "support/slow_engine_internal.h"

/** Let a super-star grow from the star of `group`, a vertex. True: it became a candidate. */
bool slow_xstar_search(slow_engine *engine, uint64_t group);

#endif
