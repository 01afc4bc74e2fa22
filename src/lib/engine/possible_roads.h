/**
 * @file possible_roads.h
 * @brief Strict demands: which roads of a cloak can be a member's own, and whether they are enough.
 *
 * A member is at an end of its road from which all stars of T are within its max_hops (P4). So who
 * knows T and its max_hops knows that it is on a road of one of its *possible stars*: those of T
 * from which no star of T is farther. Strict demands are on the roads of these alone. Which they
 * are depends on max_hops, so members with the same one are tested together.
 *
 * A smaller T has fewer stars, but more of them can be possible: whether a T is good says nothing
 * of smaller ones.
 */
#ifndef SC_ENGINE_POSSIBLE_ROADS_H
#define SC_ENGINE_POSSIBLE_ROADS_H

#include "engine/covered_set.h"

/** What the members with one max_hops ask for. */
typedef struct sc__reach_demand {
    uint32_t max_hops;
    sc__demand demand;
} sc__reach_demand;

/** A set of stars that loses some, and the demands of its members. */
typedef struct sc__star_trial {
    const sc__demand_tables *tables;
    sc__road_set roads;               ///< numbers of stars; its mask is not used
    size_t words;                     ///< of all masks
    const uint64_t *all;              ///< stars at first
    uint64_t *left;                   ///< of them, those that are left
    uint64_t *possible;               ///< working memory
    const sc__reach_demand *reaches;  ///< by max_hops, ascending
    size_t reach_count;
    const uint64_t *far;  ///< per star of `all`, per reach: the stars of `all` that are farther
    sc__specials specials;
} sc__star_trial;

/** What sc__star_trial_fails_at() says if no set with fewer stars can be good. */
#define SC__FAILS_FOR_GOOD SIZE_MAX

/**
 * Whether the stars that are left are good for all members.
 *
 * @return `reach_count` if they are; else the first reach whose members lack possible roads, or
 *         SC__FAILS_FOR_GOOD
 */
size_t sc__star_trial_fails_at(const sc__star_trial *trial);

#endif
