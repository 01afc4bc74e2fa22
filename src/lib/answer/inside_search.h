/**
 * @file inside_search.h
 * @brief The roads of one cloak as a small graph, and searches that stay inside.
 *
 * Vertices are the end stars of the cloak's segments, numbered by star; a dead end is none. It
 * is built once per cloak and searched once per border node and once per answer. All memory is
 * taken while building, so that no search can fail.
 *
 * Roads are driven as they are open, and a search goes by distance or by time: of ways that cost
 * the same in its metric it takes the one that costs less in the other. Costs are those of
 * road_legs.h: whole numbers of the map's units, and what the traveller's position adds to them.
 *
 * Invariants, once built:
 *  1. relay->segments ascend; segment i of the graph is relay->segments[i].
 *  2. relay->border_nodes are exactly the border nodes of these segments.
 *  3. Every edge of a segment knows where along the segment it begins (edge_spots).
 */
#ifndef SC_ANSWER_INSIDE_SEARCH_H
#define SC_ANSWER_INSIDE_SEARCH_H

#include <starcloak/map.h>
#include <starcloak/relay.h>

#include "map/road_legs.h"

#include <math.h>

/**
 * A search from a border node stops once it has met so many others. Cloaks have about six; only on
 * huge ones are far border nodes not compared with each other, which keeps the work on them linear.
 */
enum { SC_INSIDE_MET = 64 };

/** What a way costs in the metric of the search, and in the other one. */
typedef struct sc_inside_span {
    sc_cost cost;  ///< HUGE_VAL: there is no way
    sc_cost other;
} sc_inside_span;

/** The same, looked at. */
typedef struct sc_reach {
    double cost;  ///< HUGE_VAL: there is no way
    double other;
} sc_reach;

static inline bool sc__reach_is_less(sc_reach a, sc_reach b)
{
    return a.cost < b.cost || (a.cost == b.cost && a.other < b.other);
}

static inline sc_reach sc__inside_span_reach(sc_inside_span span)
{
    return (sc_reach){sc__cost_plus(span.cost, 0.0), sc__cost_plus(span.other, 0.0)};
}

/** Two measures of one way, ordered as a search by `metric` has them. */
static inline sc_inside_span sc__inside_span_of(sc_metric metric, sc_cost distance, sc_cost time)
{
    return metric == SC_METRIC_TIME ? (sc_inside_span){time, distance}
                                    : (sc_inside_span){distance, time};
}

/** A segment of the cloak. */
typedef struct sc_inside_segment {
    uint32_t end_a;  ///< vertex at its first node
    uint32_t end_b;  ///< vertex at its last node; SC_NONE at a dead end
    sc_edge_id first_edge;
    uint32_t edge_count;
    size_t first_start;  ///< its edges' part of `edge_spots`
    double length;
    double open_ahead;   ///< how far along it one can drive from its first node
    double open_behind;  ///< how far along it one can drive backwards from its last node
} sc_inside_segment;

/** A segment as it leads from one of its ends to the other. */
typedef struct sc_inside_way {
    uint32_t to;  ///< vertex
    double distance;
    double time;
} sc_inside_way;

typedef struct sc_inside_queued {
    sc_reach reach;
    uint32_t vertex;
} sc_inside_queued;

#define SC_HEAP sc_inside_queue
#define SC_HEAP_ENTRY sc_inside_queued
#define SC_HEAP_IS_BEFORE(heap, a, b) sc__reach_is_less((a).reach, (b).reach)
#include "base/heap_template.h"

/** Another border node that a search has met. */
typedef struct sc_inside_met {
    uint32_t border;  ///< its place in the relay
    double cost;
} sc_inside_met;

/** Zero-initialise; release with sc__inside_fini(). */
typedef struct sc_inside {
    const sc_map *map;
    const sc_relay *relay;  ///< what it was built from

    sc_inside_segment *segments;
    size_t segment_count;
    sc_road_spot *edge_spots;  ///< where each edge begins
    sc_star_id *stars;         ///< of the vertices, ascending
    size_t vertex_count;
    uint32_t *first_way;  ///< ways of vertex v: [first_way[v], first_way[v + 1])
    sc_inside_way *ways;
    uint32_t *border_of;      ///< per vertex: its place among the border nodes, or SC_NONE
    uint32_t *border_vertex;  ///< per border node: its vertex

    // The last search.
    sc_metric metric;
    sc_inside_span *spans;  ///< per vertex: how far it is
    uint32_t *touched;      ///< vertices that have a span; the others need no clearing
    size_t touched_count;
    sc_inside_queue queue;             ///< the nearest on top
    sc_inside_met met[SC_INSIDE_MET];  ///< nearest first
    size_t met_count;

    size_t segment_room;  ///< segments that there is room for
    size_t edge_room;     ///< edges that edge_spots has room for
    size_t end_room;      ///< what all other arrays have room for
} sc_inside;

void sc__inside_fini(sc_inside *inside);

/**
 * The graph of a relay, in place of the one before. The relay must stay as it is while the graph is
 * used.
 *
 * @return SC_OK, SC_EMISMATCH (another map), SC_EUNKNOWN (no such segment or node), SC_EINVAL (not
 * a cloak), SC_ENOMEM; after a failure there is no graph
 */
SC_CHECKED sc_err sc__inside_build(sc_inside *inside, const sc_map *map, const sc_relay *relay,
                                   sc_diag *diag);

/**
 * Where an object on an edge of the map lies in the cloak.
 *
 * @param offset  from the edge's `from`
 * @param spot    set to where it is on its segment
 * @return the number of its segment; SC_NONE if it is not in the cloak
 */
uint32_t sc__inside_locate(const sc_inside *inside, sc_edge_id edge, uint32_t offset,
                           sc_road_spot *spot);

/** The number of the segment of an edge; SC_NONE if it is not in the cloak. */
uint32_t sc__inside_segment_of(const sc_inside *inside, sc_edge_id edge);

/**
 * Search from border node `border` until all within `limit` is searched, or SC_INSIDE_MET others
 * are met.
 */
void sc__inside_search_border(sc_inside *inside, sc_metric metric, uint32_t border, double limit);

/** Search from a place on a segment, by its legs, through all of the cloak. */
void sc__inside_search_place(sc_inside *inside, sc_metric metric, uint32_t segment,
                             const sc_road_legs *legs);

/** Wipe what the last searches left behind. The graph must be built again before the next search.
 */
void sc__inside_wipe(sc_inside *inside);

/**
 * What it takes from where the last search began to a spot on a segment, by way of the segment's
 * ends; HUGE_VAL if there is no way. Of a search that stopped early it may be too much, never too
 * little.
 */
sc_reach sc__inside_reach(const sc_inside *inside, uint32_t segment, const sc_road_spot *spot);

#endif
