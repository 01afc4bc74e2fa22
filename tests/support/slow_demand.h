/**
 * @file slow_demand.h
 * @brief What members ask of the roads of their cloak, by the definitions: sets as rows of flags.
 *
 * A member is on one of its *possible roads*: those at a star of T from which all of T is within
 * its hops. Of these it wants as many as its l, and that its own is in their core: the busiest road
 * of the core carries at most the n-th part of the core's traffic. A zone that it is in must be
 * there whole, and roads of a class that the operator marks do not count for its l. Of all roads
 * of T it wants so much where its user can be since the last cloak.
 *
 * Without `is_strict` all of this is asked of all roads of T.
 *
 * Nothing here knows the engine's own way of testing demands; tests compare them.
 */
#ifndef SC_TESTS_SUPPORT_SLOW_DEMAND_H
#define SC_TESTS_SUPPORT_SLOW_DEMAND_H

#include <starcloak/cloak.h>

#include "base/rng.h"
#include "support/slow_roads.h"

/** The core by sorting: the longest ascending row of the roads with a flag in `set` of which the
 * last weighs at most the n-th part of all. Clears the flags of the others. */
void slow_core(const uint64_t *weights, size_t count, uint32_t n, bool *set);

/** The same by trimming: again and again, all go that weigh more than the n-th part of those left.
 */
void slow_core_by_trimming(const uint64_t *weights, size_t count, uint32_t n, bool *set);

/** The same by its definition: all sets with that property, joined. Takes time for more than 12. */
void slow_core_by_subsets(const uint64_t *weights, size_t count, uint32_t n, bool *set);

/** Whether a set of roads is what a member asks of its possible roads. */
bool slow_demand_is_met(const slow_roads *roads, const sc_demands *demands, const sc_query *member,
                        const bool *set);

/** Whether a set of roads is what a member asks of all roads of a cloak, because of where its user
 * was before. */
bool slow_continuity_is_met(const slow_roads *roads, const sc_demands *demands,
                            const sc_query *member, const bool *set);

/** Whether all roads of a set of stars are, together, what a member asks for in either way: if not,
 * no part of them is. */
bool slow_stars_may_do(const slow_roads *roads, const sc_demands *demands, const sc_query *member,
                       const bool *stars);

/** The same of the stars within so many hops of `star`. */
bool slow_ball_may_do(const slow_roads *roads, const sc_demands *demands, const sc_query *member,
                      sc_star_id star, uint32_t max_hops);

/** The member's possible roads in T. */
void slow_possible_roads(const slow_roads *roads, const sc_query *member, const bool *stars,
                         bool *out);

/** Whether T is what each member asks for. */
bool slow_is_good(const slow_roads *roads, const sc_demands *demands, const sc_member *members,
                  size_t count, const bool *stars);

/** Take stars out of T, but no member's, until it is good. False: it cannot be; T is then of no
 * use. */
bool slow_settle(const slow_roads *roads, const sc_demands *demands, const sc_member *members,
                 size_t count, bool *stars, sc_rng *rng);

#endif
