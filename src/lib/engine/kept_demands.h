/**
 * @file kept_demands.h
 * @brief What pruning must keep of a candidate beyond a number of segments.
 *
 * Pruning is done outside of the engine, perhaps in another thread and after the engine has
 * forgotten the members. So a candidate whose members ask for more has a block of its own: the
 * demands of all, copies of those of single members, and how far apart its stars are.
 */
#ifndef SC_ENGINE_KEPT_DEMANDS_H
#define SC_ENGINE_KEPT_DEMANDS_H

#include <starcloak/cloak.h>

#include "engine/possible_roads.h"

typedef struct sc__kept_demands {
    size_t size;  ///< of the block, in bytes
    sc__demand_tables tables;
    sc__demand demand;          ///< of all members, on all roads: where there are no reaches
    const sc_query **specials;  ///< members with demands of their own, before they are shuffled
    size_t special_count;
    uint64_t *reached_stars;  ///< of the specials, once they are noted
    size_t *first_reached;    ///< by special
    bool has_reached_stars;
    sc__reach_demand *reaches;  ///< strict: as in sc__star_trial, stars by their places in T
    size_t reach_count;
    size_t words;
    uint64_t *all;
    uint64_t *left;
    uint64_t *possible;
    uint64_t *far;
    unsigned char *own;  ///< room for the demands of single members
} sc__kept_demands;

/** What a block has room for. */
typedef struct sc__kept_sizes {
    size_t star_count;
    size_t member_count;
    size_t reach_count;
    size_t own_bytes;      ///< the sum of sc__own_size()
    size_t reached_count;  ///< of all members together
} sc__kept_sizes;

/** A block of `sizes` whose `reaches` and `far` are to be filled in; NULL when memory is out. */
sc__kept_demands *sc__kept_demands_new(const sc__demand_tables *tables,
                                       const sc__kept_sizes *sizes);

/** Wipe and free; NULL is fine. */
void sc__kept_demands_free(sc__kept_demands *kept);

/** The members of the cloak are there: their own demands are copied, and become the cloak's. */
void sc__kept_demands_fill(sc__kept_demands *kept, sc_cloak *cloak);

/** Note the stars at roads that members can have reached: there are SC__REACHED_STARS_MAX at most.
 *
 * @param roads  stars by their places in T
 */
void sc__kept_demands_note_reached(sc__kept_demands *kept, const sc__road_set *roads);

/**
 * Whether the stars in `kept->left` are good for all members.
 *
 * @param roads  stars by their places in T
 */
bool sc__kept_demands_are_met(const sc__kept_demands *kept, const sc__road_set *roads);

#endif
