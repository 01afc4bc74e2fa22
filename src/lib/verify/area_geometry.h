/**
 * @file area_geometry.h
 * @brief Boxes of tiles, and what roads are worth as straight lines, for area_check.c.
 *
 * Of what a box follows from there are two: one that is a little larger and one that is a little
 * smaller than any rounding makes it.
 */
#ifndef SC_VERIFY_AREA_GEOMETRY_H
#define SC_VERIFY_AREA_GEOMETRY_H

#include "verify/area_check.h"

/** Tiles of one span, at most. */
enum { SC__AREA_SPAN_TILES = 4 };

/** Metres north that are a unit of coordinates. */
double sc__area_per_unit_m(const sc_area_states *s);

/** The greater of both in each direction. */
sc_verify_box sc__area_join(sc_verify_box a, sc_verify_box b);

/** No smaller than any box that is said to reach so far. */
sc_verify_box sc__area_widen_most(const sc_area_states *s, sc_verify_box box, double by_m);

/** No larger than any. */
sc_verify_box sc__area_widen_least(const sc_area_states *s, sc_verify_box box, double by_m);

/** The box of a span of tiles. */
sc_verify_box sc__area_box_of(const sc_area_states *s, const sc_event_span *span);

/** The box around the segments of the cloak. */
sc_verify_box sc__area_box_of_segments(const sc_area_states *s);

/** Whether all of it is at least so far inside of a box. */
bool sc__area_is_inside_by(const sc_area_states *s, sc_verify_box it, sc_verify_box box,
                           double by_m);

/** Whether a span has the tiles that cover a box between these two: of the finest level where four
 * are enough. */
bool sc__area_is_cover(const sc_area_states *s, const sc_event_span *span, sc_verify_box least,
                       sc_verify_box most);

/** How far one gets at a cost, and so many units more, if all roads are straight and none is
 * quicker than usual. */
double sc__area_worth_m(const sc_area_states *s, sc_metric metric, double cost, double units);

/** A line so long that nothing beyond it costs less. */
double sc__area_line_m(const sc_area_states *s, sc_metric metric, double cost);

/** Whether something outside of a box might be reached from a node at that cost, by straight
 * lines. */
bool sc__area_may_lack(const sc_area_states *s, sc_verify_box box, sc_node_id node,
                       sc_metric metric, double cost);

#endif
