// A piece of one segment, driven in one direction. See stretch.h.
//
// The edges of a segment are numbered along it, so that a stretch is a row of numbers, counted up
// or down. It enters its first edge at `from` and leaves its last at `to`; all others it passes
// from one end to the other.
#include "travel/stretch.h"

/** What a stretch passes of one edge. */
typedef struct piece {
    uint32_t enters;  ///< units from the edge's `from`
    uint32_t leaves;
} piece;

static piece piece_of(const sc_map *map, const sc__stretch *stretch, sc_edge_id edge)
{
    const uint32_t length = sc_map_edges(map)[edge].length;
    piece passed = stretch->is_backwards ? (piece){length, 0} : (piece){0, length};
    if (edge == stretch->from.edge) passed.enters = stretch->from.offset;
    if (edge == stretch->to.edge) passed.leaves = stretch->to.offset;
    return passed;
}

static uint32_t units_of(piece passed)
{
    return passed.leaves > passed.enters ? passed.leaves - passed.enters
                                         : passed.enters - passed.leaves;
}

static sc_edge_id next_edge(const sc__stretch *stretch, sc_edge_id edge)
{
    return stretch->is_backwards ? edge - 1 : edge + 1;
}

sc__stretch sc__stretch_whole(const sc_map *map, sc_leg leg)
{
    const sc_segment *segment = &sc_map_segments(map)[leg.segment];
    const sc_edge_id last = segment[1].first_edge - 1;
    const sc_place begin = {segment->first_edge, 0};
    const sc_place end = {last, sc_map_edges(map)[last].length};
    if (leg.is_backwards) return (sc__stretch){end, begin, true};
    return (sc__stretch){begin, end, false};
}

sc__stretch sc__stretch_between(sc_place from, sc_place to)
{
    const bool is_backwards = from.edge == to.edge ? to.offset < from.offset : to.edge < from.edge;
    return (sc__stretch){from, to, is_backwards};
}

double sc__stretch_ms(const sc_map *map, const sc_routes *routes, const sc__stretch *stretch)
{
    double ms = 0;
    for (sc_edge_id edge = stretch->from.edge;; edge = next_edge(stretch, edge)) {
        ms += sc_routes_edge_ms(routes, edge, units_of(piece_of(map, stretch, edge)));
        if (edge == stretch->to.edge) return ms;
    }
}

sc_place sc__stretch_at(const sc_map *map, const sc_routes *routes, const sc__stretch *stretch,
                        double ms)
{
    for (sc_edge_id edge = stretch->from.edge;; edge = next_edge(stretch, edge)) {
        const piece passed = piece_of(map, stretch, edge);
        const uint32_t units = units_of(passed);
        const double takes_ms = sc_routes_edge_ms(routes, edge, units);
        if (ms < takes_ms) {
            // Cut to whole units: nobody is ahead of time.
            const uint32_t done = (uint32_t)(units * (ms / takes_ms));
            return (sc_place){edge,
                              stretch->is_backwards ? passed.enters - done : passed.enters + done};
        }
        if (edge == stretch->to.edge) return stretch->to;
        ms -= takes_ms;
    }
}
