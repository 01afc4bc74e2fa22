/**
 * @file on_trips.h
 * @brief Small maps with their ways, and travellers on them.
 */
#ifndef SC_TESTS_UNIT_TRAVEL_ON_TRIPS_H
#define SC_TESTS_UNIT_TRAVEL_ON_TRIPS_H

#include "travel/trips.h"

#include "support/check.h"
#include "support/sketch.h"

/** A map with its ways. */
typedef struct fixture {
    sc_map *map;
    sc_route_table routes;
} fixture;

// Takes the sketch.
static inline fixture fixture_of(sketch *s)
{
    fixture f = {.map = sketch_map(s)};
    sketch_free(s);
    sc_diag diag = {""};
    CHECK_OK(sc_route_table_init(&f.routes, f.map, NULL, &diag), &diag);
    return f;
}

static inline fixture fixture_grid(uint32_t width, uint32_t height)
{
    sketch s = sketch_grid(SC_COORDS_PLANAR, width, height);
    return fixture_of(&s);
}

static inline void fixture_free(fixture *f)
{
    sc_route_table_fini(&f->routes);
    sc_route_table_fini(&f->routes);  // harmless twice
    sc_map_free(f->map);
}

static inline sc_movement *trips_on(const fixture *f, uint32_t count, double truck_share,
                                    uint64_t seed)
{
    const sc_trips_options options = {.count = count, .truck_share = truck_share, .seed = seed};
    sc_movement *trips = NULL;
    sc_diag diag = {""};
    CHECK_OK(sc_trips_new(f->map, &f->routes, &options, &trips, &diag), &diag);
    return trips;
}

static inline sc_place place_at(sc_movement *trips, uint32_t who, sc_time t)
{
    sc_place place = {SC_NONE, 0};
    sc_time back = -1;
    CHECK_OK(sc_movement_at(trips, who, t, &place, &back), NULL);
    assert_true(back == t);
    return place;
}

static inline void check_on_road(const sc_map *map, sc_place place)
{
    assert_true(place.edge < sc_map_edge_count(map));
    assert_true(place.offset <= sc_map_edges(map)[place.edge].length);
}

static inline void check_same_place(sc_place a, sc_place b)
{
    assert_int_equal(a.edge, b.edge);
    assert_int_equal(a.offset, b.offset);
}

#endif
