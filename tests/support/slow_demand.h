/**
 * @file slow_demand.h
 * @brief What members ask of the roads of their cloak, by the definitions: sets as rows of flags.
 *
 * A member is on one of its *possible roads*: those at a star of T from which all of T is within
 * its hops. Of these it wants as many as its l, and that its own is in their core: the busiest road
 * of the core carries at most the n-th part of the core's traffic. A zone that it is in must be
 * there whole, and roads of a class that the operator marks do not count for its l.
 *
 * Nothing here knows the engine's own way of testing demands; tests compare them.
 */
#ifndef SC_TESTS_SUPPORT_SLOW_DEMAND_H
#define SC_TESTS_SUPPORT_SLOW_DEMAND_H

#include "base/rng.h"
#include "support/slow_roads.h"

/** What holds for all members of an engine. */
typedef struct slow_demand_rules {
    const uint64_t *density;  ///< by segment, each at least 1; NULL: none is known
    uint32_t traffic;         ///< the most that is asked of a core; below 2: nothing
    size_t class_count;
    const bool *const *classes;  ///< of each class: a flag per segment
} slow_demand_rules;

/** One member, and where it is. */
typedef struct slow_demand_member {
    sc_seg_id own;
    sc_star_id star;
    uint32_t l;
    uint32_t max_hops;
    const bool *zone;  ///< a flag per segment, its own among them; NULL: it is in none
} slow_demand_member;

/** The core by sorting: the longest ascending row of the roads with a flag in `set` of which the
 * last weighs at most the n-th part of all. Clears the flags of the others. */
void slow_core(const uint64_t *weights, size_t count, uint32_t n, bool *set);

/** The same by trimming: again and again, all go that weigh more than the n-th part of those left.
 */
void slow_core_by_trimming(const uint64_t *weights, size_t count, uint32_t n, bool *set);

/** The same by its definition: all sets with that property, joined. Takes time for more than 12. */
void slow_core_by_subsets(const uint64_t *weights, size_t count, uint32_t n, bool *set);

/** Whether a set of roads is all that the member asks for. */
bool slow_demand_is_met(const slow_roads *roads, const slow_demand_rules *rules,
                        const slow_demand_member *member, const bool *set);

/** The member's possible roads in T. */
void slow_possible_roads(const slow_roads *roads, const slow_demand_member *member,
                         const bool *stars, bool *out);

/** Whether each member's possible roads in T are all that it asks for. */
bool slow_is_good(const slow_roads *roads, const slow_demand_rules *rules,
                  const slow_demand_member *members, size_t count, const bool *stars);

/** Take stars out of T until it is good. False: it cannot be; T is then of no use. */
bool slow_settle(const slow_roads *roads, const slow_demand_rules *rules,
                 const slow_demand_member *members, size_t count, bool *stars, sc_rng *rng);

#endif
