// Random walks over the roads. See walk_internal.h.
#include "sim/walk_internal.h"

#include "base/alloc.h"
#include "base/rng.h"

#include <math.h>

// Free flow, a little below what is allowed on such roads; km/h.
static const double speed_km_h[SC_ROAD_CLASS_COUNT] = {
    [SC_ROAD_UNKNOWN] = 50, [SC_ROAD_MOTORWAY] = 105, [SC_ROAD_TRUNK] = 85,
    [SC_ROAD_PRIMARY] = 65, [SC_ROAD_SECONDARY] = 55, [SC_ROAD_TERTIARY] = 45,
    [SC_ROAD_LOCAL] = 35,   [SC_ROAD_SERVICE] = 20,   [SC_ROAD_RAMP] = 50,
    [SC_ROAD_PATH] = 15,
};

double sc__road_speed_m_s(unsigned road_class)
{
    const unsigned known = road_class < SC_ROAD_CLASS_COUNT ? road_class : SC_ROAD_UNKNOWN;
    return speed_km_h[known] / 3.6;
}

// --- Which edges meet where -------------------------------------------------

// Counting first: first[v + 1] becomes where the ends of v begin, and each end put
// in moves it on, so that in the end it is where they stop.
static void fill(sc__crossings *crossings, uint32_t node_count, uint32_t edge_count)
{
    const sc_edge *edges = sc_map_edges(crossings->map);
    uint32_t *next = crossings->first + 1;
    for (sc_edge_id e = 0; e < edge_count; e++) {
        next[edges[e].from]++;
        next[edges[e].to]++;
    }
    uint32_t before = 0;
    for (sc_node_id v = 0; v < node_count; v++) {
        const uint32_t degree = next[v];
        next[v] = before;
        before += degree;
    }
    for (sc_edge_id e = 0; e < edge_count; e++) {
        crossings->ends[next[edges[e].from]++] = e;
        crossings->ends[next[edges[e].to]++] = e;
    }
}

sc_err sc__crossings_init(sc__crossings *crossings, const sc_map *map)
{
    const uint32_t node_count = sc_map_node_count(map);
    const uint32_t edge_count = sc_map_edge_count(map);
    *crossings = (sc__crossings){.map = map};
    if (edge_count > UINT32_MAX / 2) return SC_ELIMIT;
    crossings->first = sc_calloc((size_t)node_count + 1, sizeof *crossings->first);
    crossings->ends = sc_malloc_array((size_t)edge_count * 2, sizeof *crossings->ends);
    if (!crossings->first || !crossings->ends) {
        sc__crossings_fini(crossings);
        return SC_ENOMEM;
    }
    fill(crossings, node_count, edge_count);
    return SC_OK;
}

void sc__crossings_fini(sc__crossings *crossings)
{
    sc_free(crossings->first);
    sc_free(crossings->ends);
    *crossings = (sc__crossings){0};
}

// --- Driving ----------------------------------------------------------------

sc__driver sc__driver_anywhere(const sc__crossings *crossings, sc_rng *rng)
{
    const sc_edge_id edge = sc_rng_below(rng, sc_map_edge_count(crossings->map));
    const uint32_t length = sc_map_edges(crossings->map)[edge].length;
    const uint32_t offset = (uint32_t)(sc_rng_unit(rng) * (length + 1.0));
    const double pace = fmin(fmax(1.0 + 0.1 * sc_rng_normal(rng), SC__PACE_MIN), SC__PACE_MAX);
    const bool is_forward = sc_rng_below(rng, 2) == 0;
    return (sc__driver){edge, offset, (float)(is_forward ? pace : -pace)};
}

/** One of the two ends of an edge. */
typedef struct road_end {
    sc_edge_id edge;
    bool is_to;
} road_end;

// The end that stands at `place` of the list, among those of `node`.
static road_end end_at(const sc__crossings *crossings, sc_node_id node, uint32_t place)
{
    const sc_edge_id id = crossings->ends[place];
    const sc_edge *edge = &sc_map_edges(crossings->map)[id];
    // Of a loop, the first of the two neighbours is its `from`.
    const bool is_second = place > crossings->first[node] && crossings->ends[place - 1] == id;
    return (road_end){id, edge->from == edge->to ? is_second : edge->to == node};
}

// The driver is at the end of its edge: choose where to go on.
static void turn(const sc__crossings *crossings, sc__driver *driver, sc_rng *rng)
{
    const sc_edge *edges = sc_map_edges(crossings->map);
    const road_end here = {driver->edge, driver->pace > 0};
    const sc_node_id node = here.is_to ? edges[here.edge].to : edges[here.edge].from;
    const uint32_t first = crossings->first[node];
    const uint32_t degree = crossings->first[node + 1] - first;

    // At a dead end there is no other: the driver leaves by the end it came to.
    road_end next = here;
    while (degree > 1 && next.edge == here.edge && next.is_to == here.is_to) {
        next = end_at(crossings, node, first + sc_rng_below(rng, degree));
    }
    driver->edge = next.edge;
    driver->offset = next.is_to ? edges[next.edge].length : 0;
    driver->pace = next.is_to ? -fabsf(driver->pace) : fabsf(driver->pace);
}

void sc__drive(const sc__crossings *crossings, sc__driver *driver, double seconds, sc_rng *rng)
{
    const sc_edge *edges = sc_map_edges(crossings->map);
    const uint8_t *classes = sc_map_edge_classes(crossings->map);
    const double unit_m = sc_map_unit_m(crossings->map);

    for (int passed = 0; passed < SC__MAX_ROADS_PASSED; passed++) {
        const bool is_forward = driver->pace > 0;
        const double pace = fabs((double)driver->pace);
        // In the map's units, like all that follows.
        const double speed = sc__road_speed_m_s(classes[driver->edge]) * pace / unit_m;
        const uint32_t ahead =
            is_forward ? edges[driver->edge].length - driver->offset : driver->offset;
        const double reach = seconds * speed;
        if (reach <= ahead) {
            const uint32_t step = (uint32_t)reach;
            driver->offset = is_forward ? driver->offset + step : driver->offset - step;
            return;
        }
        seconds = fmax(0.0, seconds - ahead / speed);
        turn(crossings, driver, rng);
    }
}
