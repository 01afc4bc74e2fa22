/**
 * @file geojson_match.h
 * @brief Finding the roads of the map that GeoJSON lines, points and objects lie on.
 */
#ifndef SC_RELAY_GEOJSON_MATCH_H
#define SC_RELAY_GEOJSON_MATCH_H

#include "relay/relay_codec_internal.h"

/** A position in degrees. */
typedef struct sc__geojson_degrees {
    double lon;
    double lat;
} sc__geojson_degrees;

/** Maps of the same roads differ by a few metres; roads side by side are farther apart. */
#define SC__GEOJSON_TOLERANCE_M 5.0

// --- Roads for lines -------------------------------------------------------------

/** The segments that the lines of one message run along. Zero-initialise but for the codec. */
typedef struct sc__geojson_matching {
    const sc__relay_codec *codec;
    sc_seg_id *segments;
    size_t count;
    size_t capacity;
    size_t lines;

    // Of the line at hand.
    struct sc__geojson_sample *samples;
    size_t sample_count;
    size_t sample_capacity;
    sc_seg_id *fits;  ///< roads with its very points
    size_t fit_count;
    size_t fit_capacity;

    // Of all lines.
    size_t samples_done;
    struct sc__geojson_twin *twins;  ///< roads that a line fits as well as others
    size_t twin_count;
    size_t twin_capacity;
} sc__geojson_matching;

/** Harmless twice. */
void sc__geojson_matching_fini(sc__geojson_matching *matching);

/**
 * Find the roads under the next line.
 *
 * @return SC_OK, SC_ENOMEM, SC_ELIMIT, SC_EUNKNOWN (it leaves the roads, or runs along a part of
 *         one)
 */
SC_CHECKED sc_err sc__geojson_matching_add(sc__geojson_matching *matching,
                                           const sc__geojson_degrees *points, size_t count);

/**
 * All lines are in: the segments ascend from here on, each once.
 *
 * @return SC_OK, SC_EUNKNOWN (there are none, two lines share one, a line fits another as well)
 */
SC_CHECKED sc_err sc__geojson_matching_end(sc__geojson_matching *matching);

// --- Crossings for points ----------------------------------------------------------

/**
 * For each point the crossing at an end of one of the segments that it means.
 *
 * @param nodes  set to one node per point
 * @return SC_OK, SC_ENOMEM, SC_EUNKNOWN (there is none, or there are two)
 */
SC_CHECKED sc_err sc__geojson_find_crossings(const sc__relay_codec *codec,
                                             const sc_seg_id *segments, size_t segment_count,
                                             const sc__geojson_degrees *points, size_t count,
                                             sc_node_id *nodes);

// --- Roads for objects -------------------------------------------------------------

/** Finds the nearest point of a relay's segments. */
typedef struct sc__geojson_nearby {
    const sc_map *map;
    const sc_seg_id *segments;
    size_t count;
    struct sc__geojson_extent *extents;  ///< one per segment
} sc__geojson_nearby;

SC_CHECKED sc_err sc__geojson_nearby_init(sc__geojson_nearby *nearby, const sc_map *map,
                                          const sc_relay *relay);

/** Harmless twice. */
void sc__geojson_nearby_fini(sc__geojson_nearby *nearby);

/**
 * As sc_map_snap() without a limit, among these segments only.
 *
 * @param is_told  false if the position does not tell the road: it is inside a piece that another
 *                 road of these is drawn like, or at a road that has a length and is drawn as a
 * point
 */
sc_snap sc__geojson_nearby_snap(const sc__geojson_nearby *nearby, sc__geojson_degrees at,
                                bool *is_told);

#endif
