/**
 * @file routes.h
 * @brief Fastest ways over the roads, for one class of vehicle.
 *
 * Ten thousand travellers who set out at once want ten thousand ways, and on a map of
 * hundred thousands of junctions a plain search for each takes minutes. So the junctions (stars)
 * are put in order and contracted one by one, each leaving shortcuts between its neighbours where
 * it lay on the fastest way (contraction hierarchies); a search then climbs from both ends and
 * looks at a few hundred stars. Roads are driven in the directions in which they are open, and as
 * fast as the map says (trucks slower).
 *
 * Times are whole milliseconds per segment, at least 1, so that sums are exact and do not depend
 * on how a way was found: its time is that of a plain search, always.
 */
#ifndef SC_TRAVEL_ROUTES_H
#define SC_TRAVEL_ROUTES_H

#include <starcloak/map.h>
#include <starcloak/progress.h>

#include "travel/movement.h"
#include "travel/speeds.h"

/** Made once, then read by any number of threads. */
typedef struct sc_routes sc_routes;

/**
 * @param map       borrowed; must outlive the result
 * @param progress  may be NULL; phase "routes"
 * @return SC_OK, SC_ENOMEM, SC_ELIMIT (a map too large for its numbers)
 */
SC_CHECKED sc_err sc_routes_new(const sc_map *map, sc_vehicle vehicle, const sc_progress *progress,
                                sc_routes **out, sc_diag *diag);

/** The same as if one-way streets were open both ways, and took as long. */
SC_CHECKED sc_err sc_routes_new_both_ways(const sc_map *map, sc_vehicle vehicle,
                                          const sc_progress *progress, sc_routes **out,
                                          sc_diag *diag);

/** NULL is fine. */
void sc_routes_free(sc_routes *routes);

/** Bytes that it occupies. */
size_t sc_routes_bytes(const sc_routes *routes);

/** Of a way: a segment, passed along its edges or against them, whole or (at both ends) in part. */
typedef struct sc_leg {
    sc_seg_id segment;
    bool is_backwards;  ///< from its last node to its first
} sc_leg;

/** How long it takes to drive a segment from end to end, in ms; SC_CLOSED: it is not open. */
uint32_t sc_routes_segment_ms(const sc_routes *routes, sc_leg leg);

/** How long so many units of an edge take, in ms; none where it is closed, or has no length. */
double sc_routes_edge_ms(const sc_routes *routes, sc_edge_id edge, bool is_backwards,
                         uint32_t units);

/**
 * Roads between which one can drive there and back have the same number; numbers go from 0. SC_NONE
 * if one cannot come to all of a road and leave it again: it is one-way to a dead end, say.
 */
uint32_t sc_routes_part(const sc_routes *routes, sc_seg_id segment);

/** Some numbers may have no road. */
uint32_t sc_routes_part_count(const sc_routes *routes);

/** A leg in four bytes: twice its segment, and 1 more if backwards. */
typedef uint32_t sc_packed_leg;

/** There is room for it on every map that sc_routes_new() accepts. */
static inline sc_packed_leg sc_leg_pack(sc_leg leg)
{
    return leg.segment * 2 + leg.is_backwards;
}

static inline sc_leg sc_leg_unpack(sc_packed_leg packed)
{
    return (sc_leg){.segment = packed / 2, .is_backwards = packed % 2 == 1};
}

/** A way. Zero-initialise; sc_route_fini(). One is used again and again. */
typedef struct sc_route {
    sc_leg *legs;  ///< from the segment of `from` to that of `to`; both may be the same
    size_t leg_count;
    size_t leg_capacity;
} sc_route;

void sc_route_fini(sc_route *route);

/** Working memory of one thread that searches. */
typedef struct sc_route_search sc_route_search;

SC_CHECKED sc_err sc_route_search_new(const sc_routes *routes, sc_route_search **out);

/** NULL is fine. */
void sc_route_search_free(sc_route_search *search);

/**
 * Find a fastest way. The first leg begins at `from` and goes on to the end of its segment (or to
 * `to`, if that lies ahead on the same one and no other way is faster), the last ends at `to`.
 * Between equally fast ones the choice is always the same.
 *
 * @param route  filled; no legs if there is no way
 * @return SC_OK, SC_ENOMEM
 */
SC_CHECKED sc_err sc_route_find(sc_route_search *search, sc_place from, sc_place to,
                                sc_route *route);

// --- Both classes of vehicle ----------------------------------------------------------------

/** Ways for both classes of vehicle, which many movements can share. */
typedef struct sc_route_table {
    sc_routes *by_vehicle[SC_VEHICLE_COUNT];
} sc_route_table;

/** Make both, side by side where there are two cores. @param progress  may be NULL */
SC_CHECKED sc_err sc_route_table_init(sc_route_table *routes, const sc_map *map,
                                      const sc_progress *progress, sc_diag *diag);

/** Harmless twice, and on a zeroed one. */
void sc_route_table_fini(sc_route_table *routes);

#endif
