/**
 * @file inside_search.h
 * @brief The roads of one cloak as a small graph, and searches that stay inside.
 *
 * Vertices are the end stars of the cloak's segments, numbered by star; a dead end is none. It
 * is built once per cloak and searched once per border node and once per answer. All memory is
 * taken while building, so that no search can fail.
 *
 * Lengths are in units of the map, as doubles: whole numbers of them, and sums of these, are exact.
 * The exact position of a traveller is no whole number. So a distance is kept in two parts, a whole
 * number and what the position adds to it, and is rounded once, when it is looked at: ways that are
 * equally long come out equal, whatever they lead through.
 *
 * Invariants, once built:
 *  1. relay->segments ascend; segment i of the graph is relay->segments[i].
 *  2. relay->border_nodes are exactly the border nodes of these segments.
 *  3. Every edge of a segment knows how far along the segment it begins (edge_starts).
 */
#ifndef SC_ANSWER_INSIDE_SEARCH_H
#define SC_ANSWER_INSIDE_SEARCH_H

#include <starcloak/map.h>
#include <starcloak/relay.h>

#include <math.h>

/**
 * A search from a border node stops once it has met so many others. Cloaks have about six; only on
 * huge ones are far border nodes not compared with each other, which keeps the work on them linear.
 */
enum { SC_INSIDE_MET = 64 };

/** The length of a way: a whole number, and what is added to it last. */
typedef struct sc_inside_span {
    double whole;  ///< HUGE_VAL: there is no way
    double shift;
} sc_inside_span;

/** The length of the way and of `more`, a whole number, together. */
static inline double sc__inside_span_plus(sc_inside_span span, double more)
{
    return (span.whole + more) + span.shift;
}

/** A segment of the cloak. */
typedef struct sc_inside_segment {
    uint32_t end_a;  ///< vertex at its first node
    uint32_t end_b;  ///< vertex at its last node; SC_NONE at a dead end
    sc_edge_id first_edge;
    uint32_t edge_count;
    size_t first_start;  ///< its edges' part of `edge_starts`
    double length;
} sc_inside_segment;

/** A segment as seen from one of its ends. */
typedef struct sc_inside_way {
    uint32_t to;  ///< vertex
    double length;
} sc_inside_way;

typedef struct sc_inside_queued {
    double distance;
    uint32_t vertex;
} sc_inside_queued;

#define SC_HEAP sc_inside_queue
#define SC_HEAP_ENTRY sc_inside_queued
#define SC_HEAP_IS_BEFORE(heap, a, b) ((a).distance < (b).distance)
#include "base/heap_template.h"

/** Another border node that a search has met. */
typedef struct sc_inside_met {
    uint32_t border;  ///< its place in the relay
    double distance;
} sc_inside_met;

/** Zero-initialise; release with sc__inside_fini(). */
typedef struct sc_inside {
    const sc_map *map;
    const sc_relay *relay;  ///< what it was built from

    sc_inside_segment *segments;
    size_t segment_count;
    double *edge_starts;
    sc_star_id *stars;  ///< of the vertices, ascending
    size_t vertex_count;
    uint32_t *first_way;  ///< ways of vertex v: [first_way[v], first_way[v + 1])
    sc_inside_way *ways;
    uint32_t *border_of;      ///< per vertex: its place among the border nodes, or SC_NONE
    uint32_t *border_vertex;  ///< per border node: its vertex

    // The last search.
    sc_inside_span *spans;  ///< per vertex: how far it is
    uint32_t *touched;      ///< vertices that have a span; the others need no clearing
    size_t touched_count;
    sc_inside_queue queue;             ///< the nearest on top
    sc_inside_met met[SC_INSIDE_MET];  ///< nearest first
    size_t met_count;

    size_t segment_room;  ///< segments that there is room for
    size_t edge_room;     ///< edges that edge_starts has room for
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
 * Where a place on an edge of the map lies in the cloak.
 *
 * @param offset  from the edge's `from`
 * @param along   set to how far it is from the first node of its segment
 * @return the number of its segment; SC_NONE if it is not in the cloak
 */
uint32_t sc__inside_locate(const sc_inside *inside, sc_edge_id edge, double offset, double *along);

/**
 * Search from border node `border` until all within `limit` is searched, or SC_INSIDE_MET others
 * are met.
 */
void sc__inside_search_border(sc_inside *inside, uint32_t border, double limit);

/** Search from a place on a segment, `along` from its first node, through all of the cloak. */
void sc__inside_search_place(sc_inside *inside, uint32_t segment, double along);

/** Wipe what the last searches left behind. The graph must be built again before the next search.
 */
void sc__inside_wipe(sc_inside *inside);

/**
 * How far a place on a segment is from where the last search began, by way of the segment's ends;
 * HUGE_VAL if there is no way. Of a search that stopped early it may be too far, never too near.
 */
static inline double sc__inside_reach(const sc_inside *inside, uint32_t segment, double along)
{
    const sc_inside_segment *road = &inside->segments[segment];
    const double by_a = sc__inside_span_plus(inside->spans[road->end_a], along);
    if (road->end_b == SC_NONE) return by_a;
    const double by_b = sc__inside_span_plus(inside->spans[road->end_b], road->length - along);
    return by_b < by_a ? by_b : by_a;
}

#endif
