/**
 * @file roads.h
 * @brief The roads as the doubter sees them: found again from the edges.
 *
 * A map has tables of which segments touch a star and which stars are
 * neighbours, and engines read those. Here they are not believed: one pass over
 * the edges, with no more than the nodes at which stars sit, finds them again. A
 * segment passes through nodes of degree 2 and ends at others, so a star (which
 * sits at an intersection, or stands for a whole lone road or ring) touches
 * exactly the segments that have an edge at its node.
 *
 * Uses: map. Used by: the verifier.
 */
#ifndef SC_VERIFY_ROADS_H
#define SC_VERIFY_ROADS_H

#include <starcloak/map.h>

/** The stars that a segment touches: one or two. */
typedef struct sc_touching {
    sc_star_id a;
    sc_star_id b;  ///< SC_NONE if there is only one, also at a loop
} sc_touching;

typedef struct sc_roads {
    const sc_map *map;
    uint32_t *degree;         ///< by node: ends of edges there; a self-loop has two
    uint32_t *first_touched;  ///< by star, and one more: where its part of `touched` begins
    sc_seg_id *touched;       ///< the segments that each star touches
    sc_touching *touching;    ///< by segment
} sc_roads;

/**
 * Find them. On failure there is nothing to release.
 *
 * @param map  borrowed; must outlive the result
 * @return SC_OK, SC_ENOMEM
 */
SC_CHECKED sc_err sc__roads_init(sc_roads *roads, const sc_map *map);

/** Harmless twice. */
void sc__roads_fini(sc_roads *roads);

/** Whether `star` is one of the stars that `segment` touches. Both must exist. */
static inline bool sc__roads_touch(const sc_roads *roads, sc_seg_id segment, sc_star_id star)
{
    const sc_touching *touching = &roads->touching[segment];
    return touching->a == star || touching->b == star;
}

#endif
