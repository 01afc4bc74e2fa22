// Fastest ways: the times they are made of, and how all is put together. See routes.h.
#include "travel/routes.h"

#include "base/alloc.h"
#include "base/diag.h"
#include "travel/routes_internal.h"

#include <math.h>

// --- Times --------------------------------------------------------------------

double sc_routes_edge_ms(const sc_routes *routes, sc_edge_id edge, uint32_t units)
{
    const unsigned road_class = sc_map_edge_classes(routes->map)[edge];
    return units *
           routes->ms_per_unit[road_class < SC_ROAD_CLASS_COUNT ? road_class : SC_ROAD_UNKNOWN];
}

uint32_t sc_routes_segment_ms(const sc_routes *routes, sc_seg_id segment)
{
    return routes->segment_ms[segment];
}

// From the first node of a segment along the edges before `place`, and the part of the one it is
// on; not rounded. Terms are added in the same order always, so that farther is never sooner.
static double exact_ms(const sc_routes *routes, sc_place place)
{
    const sc_edge *edges = sc_map_edges(routes->map);
    double ms = 0;
    for (sc_edge_id e = sc_map_segments(routes->map)[edges[place.edge].segment].first_edge;
         e < place.edge; e++) {
        ms += sc_routes_edge_ms(routes, e, edges[e].length);
    }
    return ms + sc_routes_edge_ms(routes, place.edge, place.offset);
}

uint32_t sc__place_ms(const sc_routes *routes, sc_place place)
{
    return (uint32_t)round(exact_ms(routes, place));
}

static sc_err measure_segments(sc_routes *routes, sc_vehicle vehicle)
{
    const double unit_m = sc_map_unit_m(routes->map);
    for (unsigned c = 0; c < SC_ROAD_CLASS_COUNT; c++) {
        routes->ms_per_unit[c] = 1e3 * unit_m / sc_speed_m_s(vehicle, c);
    }
    const sc_segment *segments = sc_map_segments(routes->map);
    const sc_edge *edges = sc_map_edges(routes->map);
    for (sc_seg_id s = 0; s < sc_map_segment_count(routes->map); s++) {
        const sc_edge_id last = segments[s + 1].first_edge - 1;
        const double ms = round(exact_ms(routes, (sc_place){last, edges[last].length}));
        if (ms > SC__MOST_MS) return SC_ELIMIT;
        routes->segment_ms[s] = ms < 1 ? 1 : (uint32_t)ms;
    }
    return SC_OK;
}

// --- Parts --------------------------------------------------------------------

uint32_t sc_routes_part(const sc_routes *routes, sc_seg_id segment)
{
    return routes->parts[sc_map_segments(routes->map)[segment].star_a];
}

uint32_t sc_routes_part_count(const sc_routes *routes)
{
    return routes->part_count;
}

// --- Making and freeing ---------------------------------------------------------

static sc_err make(sc_routes *routes, sc_vehicle vehicle, const sc_progress *progress)
{
    const uint32_t segment_count = sc_map_segment_count(routes->map);
    const uint32_t star_count = sc_map_star_count(routes->map);
    if (segment_count >= SC__MOST_IDS || star_count >= SC__MOST_IDS) return SC_ELIMIT;
    routes->segment_ms = sc_malloc_array(segment_count, sizeof *routes->segment_ms);
    routes->parts = sc_malloc_array(star_count, sizeof *routes->parts);
    if (!routes->segment_ms || !routes->parts) return SC_ENOMEM;
    sc_err err = measure_segments(routes, vehicle);
    if (err) return err;

    sc__net net;
    err = sc__net_init(&net, routes->map, routes->segment_ms);
    if (err) return err;
    err = sc__find_parts(routes, &net);
    if (!err) err = sc__order(routes, &net, progress);
    sc__net_fini(&net);
    return err;
}

sc_err sc_routes_new(const sc_map *map, sc_vehicle vehicle, const sc_progress *progress,
                     sc_routes **out, sc_diag *diag)
{
    sc_routes *routes = sc_calloc(1, sizeof *routes);
    if (!routes) return sc_fail_memory(diag, "finding ways");
    routes->map = map;
    const sc_err err = make(routes, vehicle, progress);
    if (err) {
        sc_routes_free(routes);
        if (err == SC_ENOMEM) return sc_fail_memory(diag, "finding ways");
        return sc_fail(diag, err,
                       "the map is too large for finding ways: it has more than a thousand "
                       "million segments, or somewhere it takes more than 12 days to drive; check "
                       "the unit of its lengths");
    }
    *out = routes;
    return SC_OK;
}

void sc_routes_free(sc_routes *routes)
{
    if (!routes) return;
    sc_free(routes->segment_ms);
    sc_free(routes->parts);
    sc_free(routes->rank_of);
    sc_free(routes->first_arc);
    sc_free(routes->arcs);
    sc_free(routes);
}

size_t sc_routes_bytes(const sc_routes *routes)
{
    const size_t star_count = sc_map_star_count(routes->map);
    const size_t numbers = sc_map_segment_count(routes->map) + 3 * star_count + 1;
    return sizeof *routes + numbers * sizeof(uint32_t) +
           routes->first_arc[star_count] * sizeof *routes->arcs;
}
