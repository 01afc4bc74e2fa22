/**
 * @file life.h
 * @brief An engine's life in which memory runs out: each allocation fails once, in turn.
 *
 * Queries come, try, find cloaks, expire, are removed and refused (support/streams.h). A call that
 * fails for lack of memory must say so, and the same call again succeed; in the end every query has
 * ended once. Nothing may leak (the address sanitizer looks). Where nothing is left to chance,
 * everything must come out as if nothing had been. Elsewhere it need not: what was drawn before
 * memory ran out is drawn again.
 *
 */
#ifndef SC_TESTS_SUPPORT_LIFE_H
#define SC_TESTS_SUPPORT_LIFE_H

#include <starcloak/engine.h>

/** What a life is like. */
typedef struct life_plan {
    uint64_t seed;
    sc_engine_options options;
    bool is_everywhere;  ///< queries come from all roads, some as company; else from the first few
    bool is_on_dead_ends;  ///< from dead ends alone, where there is one star to choose
    bool is_certain;       ///< nothing is left to chance
    bool has_demands;      ///< drawn ones; without chance they are of all roads of a cloak
    bool has_switches;     ///< among basic, bounded and hybrid, one of which the engine is
} life_plan;

/**
 * Live it on a long street, once untroubled and then again and again; in the n-th life the n-th
 * allocation fails, until there is none left that could.
 *
 * @return how many lives were troubled
 */
unsigned long life_fail_each(const life_plan *plan);

#endif
