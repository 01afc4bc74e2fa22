// Where one can drive from a place without leaving its segment. See road_legs.h.
#include "map/road_legs.h"

static uint32_t time_of(const sc_map *map, sc_edge_id edge, bool backward)
{
    const sc_travel_times times = sc_map_edge_times(map)[edge];
    return backward ? times.backward : times.forward;
}

static bool is_open(const sc_map *map, sc_edge_id edge, bool backward)
{
    return time_of(map, edge, backward) != SC_CLOSED;
}

// What a whole edge adds to the time of a spot behind it.
static double whole_time(const sc_map *map, sc_edge_id edge, bool backward)
{
    return is_open(map, edge, backward) ? time_of(map, edge, backward) : 0.0;
}

double sc__edge_part_time(const sc_map *map, sc_edge_id edge, double offset, bool backward)
{
    const double length = sc_map_edges(map)[edge].length;
    if (length <= 0.0) return 0.0;
    return whole_time(map, edge, backward) * ((backward ? length - offset : offset) / length);
}

// The spot at the `from` of an edge of a segment; of the edge behind the last, at the last's `to`.
static sc_road_spot spot_before(const sc_map *map, const sc_segment *segment, sc_edge_id edge)
{
    const sc_edge *edges = sc_map_edges(map);
    sc_road_spot spot = {.along = 0.0};
    for (sc_edge_id e = segment[0].first_edge; e < edge; e++) {
        spot.along += edges[e].length;
        spot.forward += whole_time(map, e, false);
    }
    for (sc_edge_id e = edge; e < segment[1].first_edge; e++) {
        spot.backward += whole_time(map, e, true);
    }
    return spot;
}

static const sc_segment *segment_of(const sc_map *map, sc_edge_id edge)
{
    return &sc_map_segments(map)[sc_map_edges(map)[edge].segment];
}

// Go on from the `from` of an edge to a place on it; its times are rounded if `is_whole`.
static void move_along(const sc_map *map, sc_edge_id edge, double offset, bool is_whole,
                       sc_road_spot *spot)
{
    const double forward = sc__edge_part_time(map, edge, offset, false);
    const double backward = sc__edge_part_time(map, edge, offset, true);
    spot->along += offset;
    spot->forward += is_whole ? nearbyint(forward) : forward;
    spot->backward += (is_whole ? nearbyint(backward) : backward) - whole_time(map, edge, true);
}

void sc__road_move_whole(const sc_map *map, sc_edge_id edge, uint32_t offset, sc_road_spot *spot)
{
    move_along(map, edge, offset, true, spot);
}

sc_road_spot sc__road_spot_whole(const sc_map *map, sc_edge_id edge, uint32_t offset)
{
    sc_road_spot spot = spot_before(map, segment_of(map, edge), edge);
    move_along(map, edge, offset, true, &spot);
    return spot;
}

// The edge that a leg from `edge` ends with.
static sc_edge_id last_edge(const sc_map *map, sc_edge_id edge, bool is_backward)
{
    const sc_segment *segment = segment_of(map, edge);
    if (is_backward) {
        while (edge > segment[0].first_edge && is_open(map, edge - 1, true)) {
            edge--;
        }
        return edge;
    }
    while (edge + 1 < segment[1].first_edge && is_open(map, edge + 1, false)) {
        edge++;
    }
    return edge;
}

// A leg from `edge` as far as the road is open.
static sc_road_leg leg_from(const sc_map *map, sc_edge_id edge, bool is_backward)
{
    const sc_segment *segment = segment_of(map, edge);
    const sc_edge_id last = last_edge(map, edge, is_backward);
    const sc_edge_id end = is_backward ? segment[0].first_edge : segment[1].first_edge - 1;
    return (sc_road_leg){.is_backward = is_backward,
                         .reaches_end = last == end,
                         .limit = spot_before(map, segment, is_backward ? last : last + 1)};
}

// Whether a leg ends where the road does not go on, so that one has to turn round. At a segment's
// end without a star it does, and where the next edge is closed.
static bool ends_on_the_way(const sc_map *map, sc_edge_id edge, const sc_road_leg *leg)
{
    const sc_segment *segment = segment_of(map, edge);
    return !leg->reaches_end || (!leg->is_backward && segment->star_b == SC_NONE);
}

// The leg back from where `ahead` ends, at whose last edge one turns.
static sc_road_leg leg_back(const sc_map *map, sc_edge_id last, const sc_road_leg *ahead)
{
    sc_road_leg back = leg_from(map, last, !ahead->is_backward);
    const sc_road_spot turn = ahead->limit;
    back.from = turn.along;
    back.distance = ahead->distance;
    back.time = ahead->time;
    back.distance.whole += ahead->is_backward ? -2.0 * turn.along : 2.0 * turn.along;
    back.time.whole +=
        ahead->is_backward ? turn.backward - turn.forward : turn.forward - turn.backward;
    return back;
}

static void add_leg(sc_road_legs *legs, const sc_map *map, sc_edge_id edge,
                    const sc_road_spot *place, bool is_backward)
{
    sc_road_leg leg = leg_from(map, edge, is_backward);
    leg.from = place->along;
    leg.distance.shift = is_backward ? place->along : -place->along;
    leg.time.shift = is_backward ? -place->backward : -place->forward;
    legs->legs[legs->count++] = leg;
}

sc_road_legs sc__road_legs(const sc_map *map, sc_edge_id edge, double offset,
                           sc_direction direction)
{
    sc_road_legs legs = {.count = 0};
    sc_road_spot place = spot_before(map, segment_of(map, edge), edge);
    move_along(map, edge, offset, false, &place);
    const bool is_two_way = is_open(map, edge, false) && is_open(map, edge, true);
    const bool is_known = is_two_way && direction != SC_EITHER_WAY;
    for (int backward = 0; backward < 2; backward++) {
        if (!is_open(map, edge, backward)) continue;
        if (is_known && (direction == SC_BACKWARD) != backward) continue;
        add_leg(&legs, map, edge, &place, backward);
    }
    if (is_known && ends_on_the_way(map, edge, &legs.legs[0])) {
        const bool is_backward = legs.legs[0].is_backward;
        const sc_edge_id last = last_edge(map, edge, is_backward);
        if (is_open(map, last, !is_backward)) {
            legs.legs[legs.count++] = leg_back(map, last, &legs.legs[0]);
        }
    }
    return legs;
}
