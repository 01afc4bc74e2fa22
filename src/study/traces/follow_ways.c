// The ways between places, all in one array. See follow_internal.h.
//
// A way is kept as its legs alone, 4 bytes each. Where it begins and ends is with the stops; how
// far along it somebody is follows from the lengths of its segments, which the map has.
#include "traces/follow_internal.h"

#include "base/alloc.h"

// --- Legs -------------------------------------------------------------------

// How far into a leg a place on its segment is.
static uint64_t units_along(const sc_map *map, sc_leg leg, sc_place place)
{
    const sc_edge *edges = sc_map_edges(map);
    const sc_segment *segment = &sc_map_segments(map)[leg.segment];
    uint64_t units = place.offset;
    for (sc_edge_id e = segment->first_edge; e < place.edge; e++) {
        units += edges[e].length;
    }
    return leg.is_backwards ? segment->length - units : units;
}

// The place that far into a leg.
static sc_place place_along(const sc_map *map, sc_leg leg, uint64_t units)
{
    const sc_edge *edges = sc_map_edges(map);
    const sc_segment *segment = &sc_map_segments(map)[leg.segment];
    if (leg.is_backwards) units = segment->length - units;
    sc_edge_id e = segment->first_edge;
    for (; units > edges[e].length; e++) {
        units -= edges[e].length;
    }
    return (sc_place){e, (uint32_t)units};
}

sc_place sc__way_place(const sc_map *map, const sc__legs *legs, const sc__way *way, sc_place from,
                       uint64_t units)
{
    if (units == 0) return from;
    const sc_segment *segments = sc_map_segments(map);
    const sc_packed_leg *next = legs->all + way->first_leg;
    sc_leg leg = sc_leg_unpack(*next++);
    units += units_along(map, leg, from);
    while (units > segments[leg.segment].length) {
        units -= segments[leg.segment].length;
        leg = sc_leg_unpack(*next++);
    }
    return place_along(map, leg, units);
}

// --- Finding ----------------------------------------------------------------

sc_err sc__way_finder_init(sc__way_finder *finder, const sc_map *map, const sc_routes *routes)
{
    *finder = (sc__way_finder){.map = map, .way = {.length = SC__NO_WAY}};
    return sc_route_search_new(routes, &finder->search);
}

void sc__way_finder_fini(sc__way_finder *finder)
{
    sc_route_search_free(finder->search);
    sc_route_fini(&finder->route);
    *finder = (sc__way_finder){0};
}

// From where the first leg is joined to where the last one is left.
static uint64_t route_length(const sc_map *map, const sc_route *route, sc_place from, sc_place to)
{
    const sc_segment *segments = sc_map_segments(map);
    const size_t last = route->leg_count - 1;
    uint64_t length = 0;
    for (size_t i = 0; i < last; i++) {
        length += segments[route->legs[i].segment].length;
    }
    return length + units_along(map, route->legs[last], to) -
           units_along(map, route->legs[0], from);
}

static bool is_same_place(sc_place a, sc_place b)
{
    return a.edge == b.edge && a.offset == b.offset;
}

static sc_err keep_route(sc__legs *legs, const sc_route *route)
{
    if (!sc_reserve(&legs->all, legs->count + route->leg_count, &legs->capacity,
                    sizeof *legs->all)) {
        return SC_ENOMEM;
    }
    for (size_t i = 0; i < route->leg_count; i++) {
        legs->all[legs->count++] = sc_leg_pack(route->legs[i]);
    }
    return SC_OK;
}

sc_err sc__way_find(sc__way_finder *finder, sc__legs *legs, sc_place from, sc_place to,
                    double max_length, sc__way *out)
{
    const bool is_known = finder->way.length != SC__NO_WAY && is_same_place(finder->from, from) &&
                          is_same_place(finder->to, to) && (double)finder->way.length <= max_length;
    if (!is_known) {
        sc_route *route = &finder->route;
        sc_err err = sc_route_find(finder->search, from, to, route);
        if (err) return err;
        *out = (sc__way){.length = SC__NO_WAY};
        if (route->leg_count == 0) return SC_OK;
        const uint64_t length = route_length(finder->map, route, from, to);
        if ((double)length > max_length) return SC_OK;
        const sc__way way = {.length = length, .first_leg = legs->count};
        err = keep_route(legs, route);
        if (err) return err;
        finder->from = from;
        finder->to = to;
        finder->way = way;
    }
    *out = finder->way;
    return SC_OK;
}
