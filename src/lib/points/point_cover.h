/**
 * @file point_cover.h
 * @brief The points at which a provider is asked for a cloak.
 *
 * They are a function of the segments alone: the ends of every segment, and on longer ones points
 * in between, evenly, so that two neighbours along a road are never farther apart than the
 * spacing. A stretch of road between two neighbours is a *piece*. Whoever is on a segment is on
 * one of its pieces, and within half of it of one of its two points.
 *
 *     A------p------p------p------B      a segment in four pieces, five points
 *
 * Lengths are measured as the provider's distance asks for: along the road as the map has it, or
 * over ground along the straight lines between its nodes. The latter is rounded up where the
 * globe makes it uneven, so that no place is ever farther from a point than its piece says.
 *
 * Used by: reply, reach, believe, answer.
 */
#ifndef SC_POINTS_POINT_COVER_H
#define SC_POINTS_POINT_COVER_H

#include <starcloak/map.h>
#include <starcloak/point_provider.h>

/** A point to ask at: exactly as it will be asked, rounded to the decimals of an address. */
typedef struct sc__point {
    double x;
    double y;
    double half_gap_m;  ///< no place whose nearer point this is can be farther from it
} sc__point;

typedef struct sc__cover {
    const sc_map *map;
    sc_point_distance distance;
    sc_seg_id *segments;  ///< ascending
    size_t segment_count;
    double *lengths_m;     ///< of each segment, as measured here
    uint32_t *first_stop;  ///< segment_count + 1
    uint32_t *stops;       ///< points along segment i: stops[first_stop[i]] .. [first_stop[i+1]-1]
    sc__point *points;
    uint32_t point_count;
} sc__cover;

/** A place on a road of the cloak, by the piece it is on. */
typedef struct sc__spot {
    uint32_t points[2];  ///< at the ends of the piece; they may be the same
    double length_m;     ///< of the piece
    double along_m;      ///< from the first of them
    double piece_at_m;   ///< where the piece begins, from the beginning of its segment
} sc__spot;

/**
 * @param segments  ascending, each once, at least one; copied
 * @param out       set on success; release with sc__cover_fini()
 * @return SC_OK, SC_ELIMIT (more than `max_points`), SC_ENOMEM
 */
SC_CHECKED sc_err sc__cover_init(const sc_map *map, const sc_seg_id *segments, size_t count,
                                 const sc_point_options *options, sc__cover *out, sc_diag *diag);

/** Harmless twice. */
void sc__cover_fini(sc__cover *cover);

/** How far a place on an edge is from the beginning of its segment, as the cover measures. */
double sc__cover_along_m(const sc__cover *cover, sc_edge_id edge, double offset_m);

/** Where on the cloak a place on an edge is; false if its segment is none of the cloak's. */
bool sc__cover_find(const sc__cover *cover, sc_edge_id edge, double offset_m, sc__spot *out);

/** As the crow flies, by the map's own coordinates. */
double sc__straight_m(const sc_map *map, double x_a, double y_a, double x_b, double y_b);

#endif
