// Travellers on their way somewhere: from node to node, the same however often positions are read,
// and never for ever. How fast they are is shown in test_trips_speed.c.
#include "on_trips.h"

#include <math.h>
#include <pthread.h>

// --- From where to where ----------------------------------------------------

// On a road with a single edge everybody starts at an end, and is at a uniformly random moment of a
// trip to an end: half of them stay where they are, the others are anywhere. Of such roads there
// are three, and no trip goes from one to another.
static void test_every_moment_of_the_first_way_is_as_likely_as_any_other(void **state)
{
    (void)state;
    enum { COUNT = 20000, TENTHS = 10 };
    sketch s = sketch_draw(SC_COORDS_PLANAR, "A--B C--D E--F\n", "");
    for (uint32_t e = 0; e < s.edge_count; e++) {
        s.edges[e].length = 1000.0;
    }
    fixture f = fixture_of(&s);
    sc_movement *trips = trips_on(&f, COUNT, 0.2, 9);
    const uint32_t length = sc_map_edges(f.map)[0].length;
    uint32_t counts[TENTHS] = {0};
    uint32_t at_ends = 0;
    for (uint32_t who = 0; who < COUNT; who++) {
        const sc_place place = place_at(trips, who, 0);
        if (place.offset == 0 || place.offset == length) {
            at_ends++;
        } else {
            counts[(uint64_t)place.offset * TENTHS / length]++;
        }
    }
    CHECK_CLOSE(at_ends, COUNT / 2.0, 4.0 * sqrt(COUNT / 4.0));
    const double each = (double)(COUNT - at_ends) / TENTHS;
    for (int i = 0; i < TENTHS; i++) {
        CHECK_CLOSE(counts[i], each, 4.0 * sqrt(each));
    }
    sc_movement_free(trips);
    fixture_free(&f);
}

// Three roads apart, with 1, 2 and 7 edges: travellers are on them by their edges, whatever the
// lengths, and never leave the one they are on.
static void test_travellers_are_where_edges_are_and_stay_on_connected_roads(void **state)
{
    (void)state;
    enum { COUNT = 20000, PARTS = 3 };
    static const uint32_t edge_counts[PARTS] = {1, 2, 7};
    sketch s = sketch_new(SC_COORDS_PLANAR);
    for (uint32_t part = 0; part < PARTS; part++) {
        uint32_t before = sketch_add_node(&s, 0, 1000.0 * part);
        for (uint32_t i = 0; i < edge_counts[part]; i++) {
            const uint32_t next = sketch_add_node(&s, 10.0 * (i + 1), 1000.0 * part);
            sketch_add_edge(&s, before, next, 1000.0 / edge_counts[part]);
            before = next;
        }
    }
    fixture f = fixture_of(&s);
    assert_int_equal(sc_routes_part_count(f.routes.by_vehicle[SC_CAR]), PARTS);
    sc_movement *trips = trips_on(&f, COUNT, 0.2, 10);
    uint32_t counts[PARTS] = {0};
    for (uint32_t who = 0; who < COUNT; who++) {
        const sc_edge *edges = sc_map_edges(f.map);
        const sc_seg_id segment = edges[place_at(trips, who, 0).edge].segment;
        const sc_segment *chain = &sc_map_segments(f.map)[segment];
        for (uint32_t part = 0; part < PARTS; part++) {
            counts[part] += chain[1].first_edge - chain->first_edge == edge_counts[part];
        }
        for (int i = 1; i < 5; i++) {
            const sc_place later = place_at(trips, who, sc_time_from_seconds(100) * i);
            assert_int_equal(edges[later.edge].segment, segment);
        }
    }
    for (uint32_t part = 0; part < PARTS; part++) {
        const double share = edge_counts[part] / 10.0;
        CHECK_CLOSE(counts[part], COUNT * share, 4.0 * sqrt(COUNT * share * (1 - share)));
    }
    sc_movement_free(trips);
    fixture_free(&f);
}

// Where they stop is a node, chosen by the edges that end there: of a star with eight dead ends,
// half of all ends of edges are in the middle.
static void test_destinations_are_nodes_by_how_many_edges_they_have(void **state)
{
    (void)state;
    enum { COUNT = 400, MOMENTS = 400 };
    sketch s = sketch_new(SC_COORDS_PLANAR);
    const uint32_t middle = sketch_add_node(&s, 0, 0);
    for (uint32_t i = 0; i < 8; i++) {
        const uint32_t end = sketch_add_node(&s, cos(i), sin(i));
        sketch_add_edge(&s, middle, end, 30.0);
    }
    fixture f = fixture_of(&s);
    sc_movement *trips = trips_on(&f, COUNT, 0, 11);
    uint32_t stops[9] = {0};  // by node
    uint32_t all = 0;
    for (uint32_t who = 0; who < COUNT; who++) {
        bool was_stopped = false;
        sc_place before = place_at(trips, who, 0);
        for (int i = 1; i < MOMENTS; i++) {
            const sc_place here = place_at(trips, who, sc_time_from_seconds(0.25) * i);
            const bool is_same = here.edge == before.edge && here.offset == before.offset;
            if (is_same && !was_stopped) {
                const sc_edge *edge = &sc_map_edges(f.map)[here.edge];
                assert_true(here.offset == 0 || here.offset == edge->length);
                stops[here.offset == 0 ? edge->from : edge->to]++;
                all++;
            }
            was_stopped = is_same;
            before = here;
        }
    }
    assert_true(all > 1000);
    // Two stops in a row at the same end of the same edge look like one, which favours none of the
    // sixteen. Stops of one traveller hang together a little: eight standard errors.
    CHECK_CLOSE((double)stops[middle] / all, 0.5, 8.0 * sqrt(0.25 / all));
    for (uint32_t i = 0; i < 9; i++) {
        if (i == middle) continue;
        CHECK_CLOSE((double)stops[i] / all, 1.0 / 16.0, 8.0 * sqrt(15.0 / 256.0 / all));
    }
    sc_movement_free(trips);
    fixture_free(&f);
}

// --- The same for all readers -----------------------------------------------

// A street so long that a way has more legs than are kept, each moment asked for by one crowd, only
// every 60th by another, and in another order.
static void test_where_one_is_does_not_depend_on_who_else_was_asked_about_or_when(void **state)
{
    (void)state;
    enum { COUNT = 12, MOMENTS = 600 };
    fixture f = fixture_grid(300, 2);
    sc_movement *often = trips_on(&f, COUNT, 0.5, 13);
    sc_movement *seldom = trips_on(&f, COUNT, 0.5, 13);
    sc_place last[COUNT];
    for (int i = 0; i <= MOMENTS; i++) {
        for (uint32_t who = 0; who < COUNT; who++) {
            last[who] = place_at(often, who, sc_time_from_seconds(11) * i);
        }
        if (i % 60 != 0) continue;
        for (uint32_t who = COUNT; who-- > 0;) {
            if (who == 5 && i < MOMENTS) continue;  // asked about at the very end alone
            check_same_place(place_at(seldom, who, sc_time_from_seconds(11) * i), last[who]);
        }
    }
    sc_movement_free(often);
    sc_movement_free(seldom);
    fixture_free(&f);
}

static void test_another_seed_makes_other_travellers(void **state)
{
    (void)state;
    enum { COUNT = 100 };
    fixture f = fixture_grid(8, 8);
    sc_movement *a = trips_on(&f, COUNT, 0.2, 1);
    sc_movement *b = trips_on(&f, COUNT, 0.2, 2);
    int same_count = 0;
    for (uint32_t who = 0; who < COUNT; who++) {
        const sc_place in_a = place_at(a, who, 0);
        const sc_place in_b = place_at(b, who, 0);
        same_count += in_a.edge == in_b.edge;
    }
    // There are 112 edges, and some are passed more often: two or three of 100 coincide.
    assert_true(same_count < 10);
    sc_movement_free(a);
    sc_movement_free(b);
    fixture_free(&f);
}

// --- Always an end ----------------------------------------------------------

static void test_roads_without_length_and_endless_waits_let_travellers_rest(void **state)
{
    (void)state;
    // A single road, a loop, a ring of two, a star, and a loop with a way to it.
    static const char *const shapes[][2] = {{"A--B\n", ""},
                                            {"A\n", "AA"},
                                            {"A--B\n", "AB"},
                                            {"  B\n  |\nA-X-C\n", "AB"},
                                            {"A--B\n", "BB"}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        for (int is_zero = 0; is_zero < 2; is_zero++) {
            sketch s = sketch_draw(SC_COORDS_PLANAR, shapes[i][0], shapes[i][1]);
            for (uint32_t e = 0; is_zero && e < s.edge_count; e++) {
                s.edges[e].length = 0.0;
            }
            fixture f = fixture_of(&s);
            sc_movement *trips = trips_on(&f, 2, 0.5, 14);
            for (uint32_t who = 0; who < 2; who++) {
                check_on_road(f.map, place_at(trips, who, 0));
                check_on_road(f.map, place_at(trips, who, 1));
                check_on_road(f.map, place_at(trips, who, sc_time_from_seconds(1000)));
                check_on_road(f.map, place_at(trips, who, sc_time_from_seconds(1e9)));
                check_on_road(f.map, place_at(trips, who, sc_time_from_seconds(1e9) + 1));
                check_on_road(f.map, place_at(trips, who, sc_time_from_seconds(1e9 + 100)));
            }
            sc_movement_free(trips);
            fixture_free(&f);
        }
    }
}

// --- Refusals and the road routes ---------------------------------------------

static void test_what_makes_no_sense_is_refused(void **state)
{
    (void)state;
    fixture f = fixture_grid(3, 3);
    sc_movement *trips = NULL;
    sc_diag diag = {""};
    sc_trips_options options = sc_trips_options_default();
    assert_int_equal(options.count, 10000);
    CHECK_SAME(options.truck_share, 0.2);
    assert_int_equal(options.seed, 1);
    options.count = 0;
    CHECK_REFUSED(sc_trips_new(f.map, &f.routes, &options, &trips, &diag), SC_EINVAL, &diag,
                  "1 to 100000000 travellers, not 0");
    options.count = 100000001;
    CHECK_REFUSED(sc_trips_new(f.map, &f.routes, &options, &trips, &diag), SC_EINVAL, &diag,
                  "not 100000001");
    static const double shares[] = {-0.01, 1.01, NOT_A_NUMBER};
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++) {
        options = (sc_trips_options){.count = 1, .truck_share = shares[i]};
        CHECK_REFUSED(sc_trips_new(f.map, &f.routes, &options, &trips, &diag), SC_EINVAL, &diag,
                      "the share of trucks must be 0 to 1");
    }
    assert_null(trips);
    fixture_free(&f);
}

static void test_a_route_table_has_ways_for_both_classes(void **state)
{
    (void)state;
    sketch s = sketch_draw(SC_COORDS_PLANAR, "A--B\n", "");
    s.edges[0].length = 10000.0;
    s.edges[0].road_class = SC_ROAD_MOTORWAY;
    fixture f = fixture_of(&s);
    const sc_leg road = {0, false};
    assert_true(sc_routes_segment_ms(f.routes.by_vehicle[SC_TRUCK], road) >
                sc_routes_segment_ms(f.routes.by_vehicle[SC_CAR], road));
    fixture_free(&f);
}

/** A thread with travellers of its own, and where they got. */
typedef struct lane {
    pthread_t thread;
    const fixture *fixture;
    sc_place places[200];
} lane;

static void *move_along(void *argument)
{
    lane *l = argument;
    const sc_trips_options options = {.count = 200, .truck_share = 0.5, .seed = 15};
    sc_movement *trips = NULL;
    // Asserts are for the main thread: what goes wrong here leaves places that differ.
    if (sc_trips_new(l->fixture->map, &l->fixture->routes, &options, &trips, NULL)) return NULL;
    for (int i = 0; i < 10; i++) {
        for (uint32_t who = 0; who < 200; who++) {
            sc_time back;
            if (sc_movement_at(trips, who, sc_time_from_seconds(100) * i, &l->places[who], &back))
                break;
        }
    }
    sc_movement_free(trips);
    return NULL;
}

static void test_movements_in_several_threads_share_a_route_table(void **state)
{
    (void)state;
    enum { LANES = 3 };
    fixture f = fixture_grid(20, 20);
    sc_movement *trips = trips_on(&f, 200, 0.5, 15);
    lane lanes[LANES] = {0};
    for (int i = 0; i < LANES; i++) {
        lanes[i].fixture = &f;
        assert_int_equal(pthread_create(&lanes[i].thread, NULL, move_along, &lanes[i]), 0);
    }
    for (int i = 0; i < LANES; i++) {
        pthread_join(lanes[i].thread, NULL);
    }
    for (uint32_t who = 0; who < 200; who++) {
        const sc_place wanted = place_at(trips, who, sc_time_from_seconds(900));
        for (int i = 0; i < LANES; i++) {
            check_same_place(lanes[i].places[who], wanted);
        }
    }
    sc_movement_free(trips);
    fixture_free(&f);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_every_moment_of_the_first_way_is_as_likely_as_any_other),
    cmocka_unit_test(test_travellers_are_where_edges_are_and_stay_on_connected_roads),
    cmocka_unit_test(test_destinations_are_nodes_by_how_many_edges_they_have),
    cmocka_unit_test(test_where_one_is_does_not_depend_on_who_else_was_asked_about_or_when),
    cmocka_unit_test(test_another_seed_makes_other_travellers),
    cmocka_unit_test(test_roads_without_length_and_endless_waits_let_travellers_rest),
    cmocka_unit_test(test_what_makes_no_sense_is_refused),
    cmocka_unit_test(test_a_route_table_has_ways_for_both_classes),
    cmocka_unit_test(test_movements_in_several_threads_share_a_route_table),
};
SC_SUITE(tests)
