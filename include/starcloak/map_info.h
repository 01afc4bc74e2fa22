/**
 * @file map_info.h
 * @brief What a road map is like: its counts, shares and sizes.
 *
 * Two countings are given. Ours keeps self-loops and parallel edges, as the
 * engine sees them. The *simple* one drops loops and merges parallel edges, as
 * most publications count; it is there for comparison.
 */
#ifndef STARCLOAK_MAP_INFO_H
#define STARCLOAK_MAP_INFO_H

#include <starcloak/map.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { SC_INFO_DEGREES = 10, SC_INFO_MAX_HOPS = 4, SC_INFO_TABLES = 19 };

/** How some numbers are spread. */
typedef struct sc_spread {
    uint64_t count;
    double mean;
    double p10;
    double median;
    double p90;
    double max;
} sc_spread;

/** Counts of the graph without self-loops and with parallel edges merged. */
typedef struct sc_simple_counts {
    uint64_t edges;
    uint64_t degrees[SC_INFO_DEGREES];  ///< the last: that many or more
    uint64_t stars;                     ///< nodes with at least three different neighbours
    uint64_t segments;                  ///< rings not counted
    uint64_t rings;
    uint64_t star_to_star;      ///< segments between two different stars
    uint64_t back_to_own_star;  ///< segments that return to their star
    uint64_t multiple_pairs;    ///< pairs of stars joined by more than one segment
    uint64_t longest_chain;     ///< edges of the longest segment
} sc_simple_counts;

typedef struct sc_map_info {
    uint64_t degrees[SC_INFO_DEGREES];  ///< nodes by degree; the last: that many or more
    uint64_t self_loops;
    uint64_t parallel_edges;  ///< edges that repeat the two ends of an earlier one
    uint64_t zero_length_edges;

    uint64_t components;
    uint64_t isolated_nodes;     ///< components without an edge; counted among them
    uint64_t largest_component;  ///< its nodes

    uint64_t rings;       ///< segments that are a whole component and closed
    uint64_t lone_roads;  ///< segments that are a whole component and open
    uint64_t dead_ends;   ///< segments with a star at one end only, lone roads not counted
    uint64_t star_to_star;
    uint64_t back_to_own_star;  ///< rings not counted
    uint64_t multiple_pairs;
    uint64_t longest_chain;
    sc_spread segment_length_m;
    double length_m;           ///< of all roads
    double one_way_m;          ///< of those that are open in one direction only
    double named_m;            ///< of segments that have a name
    const char *longest_name;  ///< that of the most road, lent by the map; "": no road has one
    double longest_name_m;     ///< of all segments that have it
    double top_speed_m_s;      ///< on the fastest edge; edges shorter than a metre are left out
    double class_length_m[SC_ROAD_CLASS_COUNT];

    uint64_t pseudo_stars;
    sc_spread ball[SC_INFO_MAX_HOPS + 1];  ///< other stars within r hops, r = 1..4
    uint64_t ball_sample;                  ///< stars that this was measured at
    double ball_segments;                  ///< mean segments of a 4-hop ball

    sc_simple_counts simple;

    /** Bounds; 0 without coordinates. Of a map with roads across the 180th meridian, min_x is the
     * western bound and greater than max_x. */
    double min_x, min_y, max_x, max_y;
    const char *table_names[SC_INFO_TABLES];
    size_t table_bytes[SC_INFO_TABLES];
} sc_map_info;

/**
 * Describe `map`. Balls are measured at all stars, or at 20,000 spread evenly if
 * there are more; at fewer where balls are huge. Time O(edges log edges).
 */
SC_API SC_CHECKED sc_err sc_map_describe(const sc_map *map, sc_map_info *out);

#ifdef __cplusplus
}
#endif
#endif
