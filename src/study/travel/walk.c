// Random walks over the roads.
//
// A walker is driven on when its position is asked for. From one question to the next it keeps a
// single number, the seed of what it will draw on the way: so it takes its own turns, whatever
// others do, and needs little room.
#include "travel/walk.h"

#include "base/alloc.h"
#include "base/diag.h"
#include "travel/travel_internal.h"

#include <math.h>

// --- Which edges meet where -------------------------------------------------

// While it is filled, first[v + 1] is where the next end at v goes; when all are in, where they
// stop.
static void fill(sc__crossings *crossings, uint32_t node_count, uint32_t edge_count)
{
    const sc_edge *edges = sc_map_edges(crossings->map);
    uint32_t *next = crossings->first + 1;
    for (sc_edge_id e = 0; e < edge_count; e++) {
        next[edges[e].from]++;
        next[edges[e].to]++;
    }
    sc__counts_to_starts(next, node_count);
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
    const double pace = sc__pace_draw(rng);
    const bool is_drawn = sc_rng_below(rng, 2) == 0;
    // On a one-way street there is no choice.
    const sc_travel_times times = sc_map_edge_times(crossings->map)[edge];
    const bool is_forward = is_drawn ? times.forward != SC_CLOSED : times.backward == SC_CLOSED;
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

// How long it takes to drive an edge from one of its ends; SC_CLOSED if one may not.
static uint32_t time_from(const sc_map *map, road_end begin)
{
    const sc_travel_times times = sc_map_edge_times(map)[begin.edge];
    return begin.is_to ? times.backward : times.forward;
}

// The driver is at the end of its edge: choose where to go on.
static void turn(const sc__crossings *crossings, sc__driver *driver, sc_rng *rng)
{
    const sc_map *map = crossings->map;
    const sc_edge *edges = sc_map_edges(crossings->map);
    const road_end here = {driver->edge, driver->pace > 0};
    const sc_node_id node = here.is_to ? edges[here.edge].to : edges[here.edge].from;
    const uint32_t first = crossings->first[node];
    const uint32_t degree = crossings->first[node + 1] - first;
    uint32_t choices = 0;
    for (uint32_t i = 0; i < degree; i++) {
        const road_end end = end_at(crossings, node, first + i);
        const bool is_here = end.edge == here.edge && end.is_to == here.is_to;
        choices += !is_here && time_from(map, end) != SC_CLOSED;
    }

    // At a dead end there is no other: the driver leaves by the end it came to.
    road_end next = here;
    while (choices > 0 && ((next.edge == here.edge && next.is_to == here.is_to) ||
                           time_from(map, next) == SC_CLOSED)) {
        next = end_at(crossings, node, first + sc_rng_below(rng, degree));
    }
    // From where one may not go on at all, the driver is gone, and another one begins elsewhere.
    if (time_from(map, next) == SC_CLOSED) {
        *driver = sc__driver_anywhere(crossings, rng);
        return;
    }
    driver->edge = next.edge;
    driver->offset = next.is_to ? edges[next.edge].length : 0;
    driver->pace = next.is_to ? -fabsf(driver->pace) : fabsf(driver->pace);
}

void sc__drive(const sc__crossings *crossings, sc__driver *driver, double seconds, sc_rng *rng)
{
    const sc_edge *edges = sc_map_edges(crossings->map);
    const sc_travel_times *times = sc_map_edge_times(crossings->map);
    const double unit_s = sc_map_time_unit_s(crossings->map);

    for (int passed = 0; passed < SC__MAX_ROADS_PASSED; passed++) {
        const bool is_forward = driver->pace > 0;
        const double pace = fabs((double)driver->pace);
        const sc_edge *edge = &edges[driver->edge];
        const uint32_t ahead = is_forward ? edge->length - driver->offset : driver->offset;
        const double edge_s =
            (is_forward ? times[driver->edge].forward : times[driver->edge].backward) * unit_s;
        const double ahead_s = ahead > 0 ? edge_s * ((double)ahead / edge->length) / pace : 0.0;
        if (seconds <= ahead_s) {
            const uint32_t step = ahead_s > 0.0 ? (uint32_t)(ahead * (seconds / ahead_s)) : 0;
            driver->offset = is_forward ? driver->offset + step : driver->offset - step;
            return;
        }
        seconds = fmax(0.0, seconds - ahead_s);
        turn(crossings, driver, rng);
    }
}

// --- As a movement -----------------------------------------------------------

/** A traveller who walks. */
typedef struct walker {
    sc_time t;  ///< when it was where `driver` is
    uint64_t numbers;
    sc__driver driver;
} walker;

typedef struct walk {
    sc_movement base;
    sc__crossings crossings;
    walker *walkers;
} walk;

static sc_err walk_at(sc_movement *movement, uint32_t who, sc_time t, sc_place *out, sc_time *back)
{
    walk *all = (walk *)movement;
    walker *asked = &all->walkers[who];
    if (t > asked->t) {
        sc_rng rng;
        sc_rng_seed(&rng, asked->numbers);
        sc__drive(&all->crossings, &asked->driver, (double)(t - asked->t) * 1e-6, &rng);
        asked->numbers = sc_rng_next(&rng);
        asked->t = t;
    }
    *out = (sc_place){asked->driver.edge, asked->driver.offset};
    *back = t;
    return SC_OK;
}

static void walk_free(sc_movement *movement)
{
    walk *all = (walk *)movement;
    sc__crossings_fini(&all->crossings);
    sc_free(all->walkers);
    sc_free(all);
}

static const sc_movement_kind walking = {
    .at = walk_at, .name = sc__movement_number_name, .free = walk_free};

static void place_all(walk *all, uint64_t seed)
{
    for (uint32_t i = 0; i < all->base.count; i++) {
        sc_rng rng;
        sc_rng_seed(&rng, sc_traveller_seed(seed, i, SC_FOR_WALKING));
        walker *placed = &all->walkers[i];
        placed->t = 0;
        placed->driver = sc__driver_anywhere(&all->crossings, &rng);
        placed->numbers = sc_rng_next(&rng);
    }
}

sc_err sc_walk_new(const sc_map *map, uint32_t count, uint64_t seed, sc_movement **out,
                   sc_diag *diag)
{
    sc_err err = sc__movement_check(map, count, diag);
    if (err) return err;
    walk *all = sc_calloc(1, sizeof *all);
    if (!all) return sc_fail_memory(diag, "making travellers");
    all->base = (sc_movement){.kind = &walking, .map = map, .count = count};
    all->walkers = sc_malloc_array(count, sizeof *all->walkers);
    err = all->walkers ? sc__crossings_init(&all->crossings, map) : SC_ENOMEM;
    if (err) {
        walk_free(&all->base);
        return err == SC_ENOMEM ? sc_fail_memory(diag, "making travellers")
                                : sc_fail(diag, err, "the map has too many edges to travel on");
    }
    place_all(all, seed);
    *out = &all->base;
    return SC_OK;
}
