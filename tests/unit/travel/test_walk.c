// Driving along the roads: the right distance, the right turns, and always an end.
#include "support/check.h"
#include "support/metric.h"
#include "support/sketch.h"

#include "travel/travel_internal.h"

/** A map with its crossings. */
typedef struct fixture {
    sc_map *map;
    sc__crossings crossings;
    sc_rng rng;
} fixture;

// Takes the sketch.
static fixture fixture_of(sketch *s, uint64_t seed)
{
    fixture f = {.map = sketch_map(s)};
    sketch_free(s);
    CHECK_OK(sc__crossings_init(&f.crossings, f.map), NULL);
    sc_rng_seed(&f.rng, seed);
    return f;
}

static fixture fixture_named(const char *name, uint64_t seed)
{
    sketch s = sketch_named(name);
    return fixture_of(&s, seed);
}

static void fixture_free(fixture *f)
{
    sc__crossings_fini(&f->crossings);
    sc_map_free(f->map);
}

static void check_on_road(const fixture *f, const sc__driver *driver)
{
    assert_true(driver->edge < sc_map_edge_count(f->map));
    assert_true(driver->offset <= sc_map_edges(f->map)[driver->edge].length);
    const double pace = fabs((double)driver->pace);
    assert_true(pace >= SC__PACE_MIN - 1e-6 && pace <= SC__PACE_MAX + 1e-6);
}

static road_place place_of(const fixture *f, const sc__driver *driver)
{
    return (road_place){driver->edge, driver->offset * sc_map_unit_m(f->map)};
}

// --- Which edges meet where -------------------------------------------------

static void test_every_node_knows_the_ends_of_its_edges(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 500; seed++) {
        check_case(seed);
        sketch s = sketch_odd(seed);
        fixture f = fixture_of(&s, seed);
        const sc_edge *edges = sc_map_edges(f.map);
        for (sc_node_id v = 0; v < sc_map_node_count(f.map); v++) {
            uint32_t at = f.crossings.first[v];
            for (sc_edge_id e = 0; e < sc_map_edge_count(f.map); e++) {
                if (edges[e].from == v) assert_int_equal(f.crossings.ends[at++], e);
                if (edges[e].to == v) assert_int_equal(f.crossings.ends[at++], e);
            }
            assert_int_equal(at, f.crossings.first[v + 1]);
        }
        fixture_free(&f);
    }
    check_case_done();
}

// --- How far ----------------------------------------------------------------

// Along a ring there is nothing to choose. The edges of a segment are in order, so a
// place is the length of the edges before it and its offset.
static double place_on_ring(const fixture *f, const sc__driver *driver)
{
    double before = 0;
    for (sc_edge_id e = 0; e < driver->edge; e++) {
        before += sc_map_edge_length_m(f->map, e);
    }
    return before + driver->offset * sc_map_unit_m(f->map);
}

static void test_a_driver_on_a_ring_gets_exactly_as_far_as_its_speed_takes_it(void **state)
{
    (void)state;
    fixture f = fixture_named("ring", 1);
    const double round_m = sc_map_segment_length_m(f.map, 0);
    // Each edge takes a whole number of milliseconds, so its speed is not quite that of the others.
    const double round_s = sc_map_segment_times(f.map)[0].forward * sc_map_time_unit_s(f.map);
    const double speed = round_m / round_s;
    CHECK_CLOSE(speed, sc_speed_m_s(SC_CAR, SC_ROAD_LOCAL), 0.01);
    for (int i = 0; i < 1000; i++) {
        sc__driver driver = sc__driver_anywhere(&f.crossings, &f.rng);
        const double pace = (double)driver.pace;
        const double start = place_on_ring(&f, &driver);
        const double seconds = sc_rng_unit(&f.rng) * 100.0;
        sc__drive(&f.crossings, &driver, seconds, &f.rng);
        check_on_road(&f, &driver);
        // The last step is cut to whole millimetres.
        const double off = place_on_ring(&f, &driver) - (start + pace * speed * seconds);
        const double uneven = 0.005 * sc_map_edge_count(f.map);
        CHECK_CLOSE(remainder(off, round_m), 0.0, 0.0011 + uneven);
    }
    fixture_free(&f);
}

// A road of 100 m motorway and 100 m service road between two dead ends: back and forth,
// each part at its own speed.
static void test_each_road_is_driven_at_its_own_speed_and_dead_ends_turn_back(void **state)
{
    (void)state;
    sketch s = sketch_new(SC_COORDS_NONE);
    for (int i = 0; i < 3; i++) {
        sketch_add_node(&s, 0, 0);
    }
    sketch_add_edge(&s, 0, 1, 100.0);
    sketch_add_edge(&s, 1, 2, 100.0);
    s.edges[0].road_class = SC_ROAD_MOTORWAY;
    s.edges[1].road_class = SC_ROAD_SERVICE;
    fixture f = fixture_of(&s, 2);
    const uint8_t *classes = sc_map_edge_classes(f.map);
    const double first_m_s = edge_m_s(f.map, 0);
    const double second_m_s = edge_m_s(f.map, 1);
    CHECK_CLOSE(first_m_s, sc_speed_m_s(SC_CAR, classes[0]), 0.01);
    CHECK_CLOSE(second_m_s, sc_speed_m_s(SC_CAR, classes[1]), 0.01);
    assert_true(sc_speed_m_s(SC_CAR, SC_ROAD_MOTORWAY) > 4 * sc_speed_m_s(SC_CAR, SC_ROAD_SERVICE));
    const double first_s = 100.0 / first_m_s;
    const double whole_s = first_s + 100.0 / second_m_s;

    for (int i = 0; i < 500; i++) {
        const double seconds = 5 * whole_s * i / 500;
        sc__driver driver = {.edge = 0, .offset = 0, .pace = 1.0F};
        sc__drive(&f.crossings, &driver, seconds, &f.rng);
        // Time there and back, folded.
        const double folded = fabs(remainder(seconds, 2 * whole_s));
        const double wanted =
            folded <= first_s ? folded * first_m_s : 100.0 + (folded - first_s) * second_m_s;
        const double got = driver.edge * 100.0 + driver.offset * sc_map_unit_m(f.map);
        CHECK_CLOSE(got, wanted, 0.0011);
    }
    fixture_free(&f);
}

static void test_no_traveller_gets_farther_than_the_fastest_road_allows(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 300; seed++) {
        check_case(seed);
        sketch s = sketch_odd(seed);
        fixture f = fixture_of(&s, seed);
        metric m = metric_new(f.map);
        const double fastest = fastest_m_s(f.map, SC_CAR);
        for (int i = 0; i < 20; i++) {
            sc__driver driver = sc__driver_anywhere(&f.crossings, &f.rng);
            check_on_road(&f, &driver);
            const road_place start = place_of(&f, &driver);
            const double pace = fabs((double)driver.pace);
            const double seconds = sc_rng_unit(&f.rng) * 60.0;
            sc__drive(&f.crossings, &driver, seconds, &f.rng);
            check_on_road(&f, &driver);
            const double moved = metric_between(&m, start, place_of(&f, &driver));
            assert_true(moved <= fastest * pace * seconds + 1e-6);
        }
        metric_free(&m);
        fixture_free(&f);
    }
    check_case_done();
}

// --- One-way streets ------------------------------------------------------------------

/** The named map with the direction of each edge, in the sketch's order: '>', '<' or '='. */
static fixture fixture_directed(const char *name, const char *directions, uint64_t seed)
{
    sketch s = sketch_named(name);
    sc_builder *builder = sketch_builder(&s);
    for (sc_edge_id e = 0; e < s.edge_count; e++) {
        const double seconds = s.edges[e].length / 10.0;
        CHECK_OK(sc_builder_set_edge_times(builder, e, directions[e] == '<' ? SC_CLOSED_S : seconds,
                                           directions[e] == '>' ? SC_CLOSED_S : seconds),
                 NULL);
    }
    sketch_free(&s);
    fixture f = {.map = finish_builder(builder)};
    CHECK_OK(sc__crossings_init(&f.crossings, f.map), NULL);
    sc_rng_seed(&f.rng, seed);
    return f;
}

static bool is_legal(const fixture *f, const sc__driver *driver)
{
    const sc_travel_times times = sc_map_edge_times(f->map)[driver->edge];
    return (driver->pace > 0 ? times.forward : times.backward) != SC_CLOSED;
}

static void test_drivers_obey_one_way_streets(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 300; seed++) {
        check_case(seed);
        sketch s = sketch_odd(seed);
        sc_builder *builder = sketch_builder(&s);
        sc_rng rng;
        sc_rng_seed(&rng, seed);
        for (sc_edge_id e = 0; e < s.edge_count; e++) {
            const uint32_t closed = s.edges[e].length > 0 ? sc_rng_below(&rng, 3) : 2;
            CHECK_OK(sc_builder_set_edge_times(builder, e, closed == 0 ? SC_CLOSED_S : 1.0,
                                               closed == 1 ? SC_CLOSED_S : 2.0),
                     NULL);
        }
        sketch_free(&s);
        fixture f = {.map = finish_builder(builder)};
        CHECK_OK(sc__crossings_init(&f.crossings, f.map), NULL);
        sc_rng_seed(&f.rng, seed);
        for (int i = 0; i < 20; i++) {
            sc__driver driver = sc__driver_anywhere(&f.crossings, &f.rng);
            for (int step = 0; step < 20; step++) {
                assert_true(is_legal(&f, &driver));
                check_on_road(&f, &driver);
                sc__drive(&f.crossings, &driver, sc_rng_unit(&f.rng) * 3.0, &f.rng);
            }
        }
        fixture_free(&f);
    }
    check_case_done();
}

static void test_a_driver_goes_round_a_one_way_ring(void **state)
{
    (void)state;
    fixture f = fixture_directed("ring", "><><", 3);
    sc__driver driver = sc__driver_anywhere(&f.crossings, &f.rng);
    const bool is_forward = driver.pace > 0;
    for (int i = 0; i < 1000; i++) {
        sc__drive(&f.crossings, &driver, 1.7, &f.rng);
        assert_int_equal(driver.pace > 0, is_forward);
    }
    fixture_free(&f);
}

static void test_no_time_moves_no_traveller(void **state)
{
    (void)state;
    fixture f = fixture_named("street of three", 4);
    for (int i = 0; i < 100; i++) {
        sc__driver driver = sc__driver_anywhere(&f.crossings, &f.rng);
        const sc__driver before = driver;
        sc__drive(&f.crossings, &driver, 0.0, &f.rng);
        assert_int_equal(driver.edge, before.edge);
        assert_int_equal(driver.offset, before.offset);
    }
    fixture_free(&f);
}

// --- Turns ------------------------------------------------------------------

//      A
//      |
//   B--X--C     from A: B, C and D, each as often as the others, and never back to A
//      |
//      D
static void test_a_junction_leads_everywhere_but_back_each_way_as_often(void **state)
{
    (void)state;
    enum { TRIPS = 30000 };
    sketch s = sketch_draw(SC_COORDS_PLANAR, "   A\n   |\nB--X--C\n   |\n   D\n", "");
    const sc_node_id a = sketch_node(&s, 'A');
    fixture f = fixture_of(&s, 5);
    const sc_edge *edges = sc_map_edges(f.map);
    sc_edge_id start = 0;
    while (edges[start].from != a && edges[start].to != a) {
        start++;
    }
    // From A to the junction takes a second or so; from there on no traveller gets to an end.
    const double seconds =
        (sc_map_edge_length_m(f.map, start) + 1.0) / sc_speed_m_s(SC_CAR, SC_ROAD_LOCAL);
    const bool is_forward = edges[start].from == a;
    uint32_t counts[4] = {0};
    for (int i = 0; i < TRIPS; i++) {
        sc__driver driver = {.edge = start,
                             .offset = is_forward ? 0 : edges[start].length,
                             .pace = is_forward ? 1.0F : -1.0F};
        sc__drive(&f.crossings, &driver, seconds, &f.rng);
        counts[driver.edge]++;
    }
    // Four standard errors of a third of the trips.
    for (sc_edge_id e = 0; e < 4; e++) {
        if (e == start) {
            assert_int_equal(counts[e], 0);
        } else {
            CHECK_CLOSE(counts[e], TRIPS / 3.0, 4.0 * sqrt(TRIPS * 2.0 / 9.0));
        }
    }
    fixture_free(&f);
}

// A loop is two ways out of its junction, and one that came round it may go round again.
static void test_a_loop_is_entered_at_both_ends_and_may_be_driven_again(void **state)
{
    (void)state;
    fixture f = fixture_named("loop alone", 6);
    const double round_s = sc_map_edge_length_m(f.map, 0) / edge_m_s(f.map, 0);
    for (int i = 0; i < 100; i++) {
        sc__driver driver = {.edge = 0, .offset = 0, .pace = 1.0F};
        sc__drive(&f.crossings, &driver, 2.5 * round_s, &f.rng);
        // Turning back is no choice here, so it is in its third round, halfway.
        assert_true(driver.pace > 0);
        CHECK_CLOSE(place_on_ring(&f, &driver), sc_map_edge_length_m(f.map, 0) / 2, 0.0011);
    }
    fixture_free(&f);

    f = fixture_named("loop at a dead end", 7);
    bool was_forward = false;
    bool was_backward = false;
    const sc_edge *edges = sc_map_edges(f.map);
    sc__driver driver = sc__driver_anywhere(&f.crossings, &f.rng);
    for (int i = 0; i < 1000; i++) {
        sc__drive(&f.crossings, &driver, 0.1, &f.rng);
        const bool on_loop = edges[driver.edge].from == edges[driver.edge].to;
        was_forward |= on_loop && driver.pace > 0;
        was_backward |= on_loop && driver.pace < 0;
    }
    assert_true(was_forward && was_backward);
    fixture_free(&f);
}

static uint32_t degree_of(const fixture *f, sc_node_id node)
{
    return f->crossings.first[node + 1] - f->crossings.first[node];
}

static void test_travellers_turn_round_only_at_a_dead_end(void **state)
{
    (void)state;
    for (const small_map *small = small_maps; small->name; small++) {
        print_message("# %s\n", small->name);
        fixture f = fixture_named(small->name, 8);
        const sc_edge *edges = sc_map_edges(f.map);
        sc__driver driver = sc__driver_anywhere(&f.crossings, &f.rng);
        for (int i = 0; i < 5000; i++) {
            // Short of any road there, so that at most one node is passed.
            const sc__driver before = driver;
            sc__drive(&f.crossings, &driver, 0.5, &f.rng);
            if (driver.edge != before.edge || (driver.pace > 0) == (before.pace > 0)) continue;
            const sc_edge *edge = &edges[driver.edge];
            assert_int_equal(degree_of(&f, before.pace > 0 ? edge->to : edge->from), 1);
        }
        fixture_free(&f);
    }
}

// --- Always an end ----------------------------------------------------------

static void test_roads_without_length_are_passed_and_let_the_driver_rest(void **state)
{
    (void)state;
    // A single road, a loop, a ring of two, a star: nothing has any length.
    static const char *const shapes[][2] = {
        {"A--B\n", ""}, {"A\n", "AA"}, {"A--B\n", "AB"}, {"  B\n  |\nA-X-C\n", "AB"}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        sketch s = sketch_draw(SC_COORDS_PLANAR, shapes[i][0], shapes[i][1]);
        for (uint32_t e = 0; e < s.edge_count; e++) {
            s.edges[e].length = 0.0;
        }
        fixture f = fixture_of(&s, 9);
        sc__driver driver = sc__driver_anywhere(&f.crossings, &f.rng);
        for (int trip = 0; trip < 20; trip++) {
            sc__drive(&f.crossings, &driver, 1e6, &f.rng);
            check_on_road(&f, &driver);
        }
        fixture_free(&f);
    }
}

static void test_a_drive_of_any_length_ends(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 100; seed++) {
        check_case(seed);
        sketch s = sketch_odd(seed);
        fixture f = fixture_of(&s, seed);
        sc__driver driver = sc__driver_anywhere(&f.crossings, &f.rng);
        sc__drive(&f.crossings, &driver, 1e18, &f.rng);
        check_on_road(&f, &driver);
        fixture_free(&f);
    }
    check_case_done();
}

static void test_a_road_in_unknown_units_is_driven_as_if_they_were_metres(void **state)
{
    (void)state;
    sketch s = sketch_draw(SC_COORDS_PLANAR, "A--B\n", "");
    s.unit_unknown = true;
    s.edges[0].length = 1000.0;
    fixture f = fixture_of(&s, 10);
    assert_false(sc_map_is_in_metres(f.map));
    sc__driver driver = {.edge = 0, .offset = 0, .pace = 1.0F};
    sc__drive(&f.crossings, &driver, 10.0, &f.rng);
    CHECK_CLOSE(driver.offset * sc_map_unit_m(f.map), 10.0 * edge_m_s(f.map, 0),
                1.1 * sc_map_unit_m(f.map));
    fixture_free(&f);
}

// Places are uniform over edges, and over each of them.
static void test_drivers_set_out_anywhere(void **state)
{
    (void)state;
    enum { DRIVERS = 40000 };
    fixture f = fixture_named("street of three", 11);
    const uint32_t edge_count = sc_map_edge_count(f.map);
    uint32_t counts[8] = {0};
    uint32_t forward = 0;
    double fractions = 0;
    double paces = 0;
    assert_int_equal(edge_count, 8);
    for (int i = 0; i < DRIVERS; i++) {
        const sc__driver driver = sc__driver_anywhere(&f.crossings, &f.rng);
        check_on_road(&f, &driver);
        counts[driver.edge]++;
        forward += driver.pace > 0;
        fractions += (double)driver.offset / sc_map_edges(f.map)[driver.edge].length;
        paces += fabs((double)driver.pace);
    }
    // Four standard errors each.
    for (uint32_t e = 0; e < edge_count; e++) {
        CHECK_CLOSE(counts[e], DRIVERS / 8.0, 4.0 * sqrt(DRIVERS * 7.0 / 64.0));
    }
    CHECK_CLOSE(forward, DRIVERS / 2.0, 4.0 * sqrt(DRIVERS / 4.0));
    CHECK_CLOSE(fractions / DRIVERS, 0.5, 4.0 / sqrt(12.0 * DRIVERS));
    CHECK_CLOSE(paces / DRIVERS, 1.0, 4.0 * 0.1 / sqrt(DRIVERS));
    fixture_free(&f);
}

static const struct CMUnitTest tests[] = {
    SC_CASES(test_every_node_knows_the_ends_of_its_edges),
    cmocka_unit_test(test_a_driver_on_a_ring_gets_exactly_as_far_as_its_speed_takes_it),
    cmocka_unit_test(test_each_road_is_driven_at_its_own_speed_and_dead_ends_turn_back),
    SC_CASES(test_no_traveller_gets_farther_than_the_fastest_road_allows),
    cmocka_unit_test(test_no_time_moves_no_traveller),
    SC_CASES(test_drivers_obey_one_way_streets),
    cmocka_unit_test(test_a_driver_goes_round_a_one_way_ring),
    cmocka_unit_test(test_a_junction_leads_everywhere_but_back_each_way_as_often),
    cmocka_unit_test(test_a_loop_is_entered_at_both_ends_and_may_be_driven_again),
    cmocka_unit_test(test_travellers_turn_round_only_at_a_dead_end),
    cmocka_unit_test(test_roads_without_length_are_passed_and_let_the_driver_rest),
    SC_CASES(test_a_drive_of_any_length_ends),
    cmocka_unit_test(test_a_road_in_unknown_units_is_driven_as_if_they_were_metres),
    cmocka_unit_test(test_drivers_set_out_anywhere),
};
SC_SUITE(tests)
