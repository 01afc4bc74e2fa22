/**
 * @file nearest.h
 * @brief The nearest edge by looking at every edge.
 *
 * What sc_map_snap() must answer, always: same edge, same offset, same distance,
 * to the last bit. The measure is the one of starcloak/map.h: degrees scaled to
 * metres at the position's own latitude, edges straight in that plane, ties to
 * the least id. The position is the origin of that plane, and the nearest point
 * is an end's own coordinates where it is an end; so edges that meet in a node
 * tie exactly.
 */
#ifndef SC_TESTS_SUPPORT_NEAREST_H
#define SC_TESTS_SUPPORT_NEAREST_H

#include <starcloak/map.h>

/** The edge nearest to a position on a map with coordinates. */
sc_snap nearest_edge(const sc_map *map, double x, double y);

/** Where an edge begins and ends in the plane around a position: metres, x then y. */
void edge_in_plane(const sc_map *map, sc_edge_id edge, double x, double y, double from[2],
                   double to[2]);

#endif
