/**
 * @file reference.h
 * @brief The road network by its definitions alone: slow, plain, obviously right.
 *
 * Written from the definitions of segment, star and star graph, not from the
 * library: sets are arrays of flags, graphs are matrices, and nothing is walked
 * that can be compared with everything else instead.
 *
 *   - A segment is a maximal chain whose inner nodes have degree 2: so two edges
 *     are in one segment iff a row of edges leads from one to the other in which
 *     neighbours share a node of degree 2.
 *   - A star is a node of degree >= 3, or stands for a component that has edges
 *     and no such node.
 *   - A star touches the segments that end at it; one that stands for a
 *     component touches the segments of that component.
 *   - Two stars are adjacent iff they touch a common segment.
 */
#ifndef SC_TESTS_SUPPORT_REFERENCE_H
#define SC_TESTS_SUPPORT_REFERENCE_H

#include "support/sketch.h"

typedef struct reference {
    const sketch *sketch;  ///< borrowed
    uint32_t *degree;      ///< by node; a loop counts twice
    uint32_t *component;   ///< by node: the least node connected with it
    uint32_t *segment_of;  ///< by edge: the least edge of its segment
    bool *touches;         ///< [star of a node][edge that names a segment]
    bool *adjacent;        ///< [star of a node][star of a node]
} reference;

reference reference_new(const sketch *s);
void reference_free(reference *r);

/**
 * The star that a node bears, named by a node: itself if it is an intersection;
 * the least node of its component if that has edges and no intersection (a
 * pseudo-star may sit at any of its nodes); SC_NONE otherwise.
 */
uint32_t reference_star(const reference *r, uint32_t node);

uint32_t reference_segment_count(const reference *r);
uint32_t reference_star_count(const reference *r);

/** Whether the star named by `star` touches the segment named by `edge`. */
bool reference_touches(const reference *r, uint32_t star, uint32_t edge);
bool reference_adjacent(const reference *r, uint32_t star, uint32_t other);

/** Hops from one star to every other; `hops` has a place per node, SC_NONE where there is no way.
 */
void reference_hops(const reference *r, uint32_t star, uint32_t *hops);

/**
 * Which edge of the sketch each edge of the map is: equal ends, length and
 * class. Edges equal in all of these are interchangeable. Fails unless the map
 * has exactly the sketch's edges. Release with free().
 */
uint32_t *reference_match_edges(const reference *r, const sc_map *map);

#endif
