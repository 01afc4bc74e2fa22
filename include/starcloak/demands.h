/**
 * @file demands.h
 * @brief Secret: what queries ask of the roads of their cloak, beyond their number.
 *
 * Some demands hold for all queries of an engine: sc_demands, an option of it. Others are of single
 * queries, because of where their user has been or lives: sc_own_demands, which sc_query points to.
 * docs/demands.md tells what each promises, and to whom.
 *
 * The provider's side never includes this header.
 */
#ifndef STARCLOAK_DEMANDS_H
#define STARCLOAK_DEMANDS_H

#include <starcloak/density.h>
#include <starcloak/place_classes.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The most that `traffic` may be. */
#define SC_TRAFFIC_MAX 4

/** What all queries of an engine ask. Zeroed, it is nothing beyond l segments. */
typedef struct sc_demands {
    /** How busy the roads are; NULL: not known. Borrowed; must outlive the engine and its cloaks.
     */
    const sc_density *density;
    /** Patient: by the density no road that could be a member's own is more likely than one of so
     * many (or of its l, if that is less); 2 to SC_TRAFFIC_MAX, needs a density; 0: not asked. */
    uint32_t traffic;
    /** Patient: roads count for a member only if they could be its own by its max_hops. */
    bool is_strict;
    /** Roads that do not count for l; NULL: none. Borrowed; must outlive the engine and its cloaks.
     */
    const sc_place_classes *classes;
} sc_demands;

/** A part of a segment, in fixed point: all of it. */
#define SC_REACHED_WHOLE UINT16_MAX

/** How much of a segment a user can have reached since the last cloak. */
typedef struct sc_reached {
    sc_seg_id segment;
    uint16_t part;  ///< of SC_REACHED_WHOLE, rounded down; 1 or more
} sc_reached;

/** What one query asks beyond its profile. */
typedef struct sc_own_demands {
    /** The user's zone, if the query is in it, ascending: a cloak has all of it or none. */
    const sc_seg_id *zone;
    size_t zone_count;  ///< 0: it is in none
    /** Patient: where the user can be since the last cloak, by segment, ascending. Parts of
     * segments that are not listed are 0; the parts in a cloak add up to l segments. */
    const sc_reached *reached;
    size_t reached_count;
    bool has_reached;  ///< there was such a cloak; false: the table is not asked
} sc_own_demands;

#ifdef __cplusplus
}
#endif
#endif
