// Making the hierarchy: of maps too wide or with odd junctions, and being told how far it is.
#include "travel/routes.h"

#include "support/check.h"
#include "support/sketch.h"

static void test_a_map_too_wide_for_whole_milliseconds_is_refused(void **state)
{
    (void)state;
    // At 35 km/h: a road of 11 days; a dead end of 14; two roads of 11 behind each other.
    static const struct {
        const char *roads[2];
        double km;
        sc_err wanted;
    } cases[] = {{{"DE", "DE"}, 9000, SC_OK},
                 {{"AD", "AD"}, 12000, SC_ELIMIT},
                 {{"DE", "EF"}, 9000, SC_ELIMIT}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sketch s = sketch_named("street of three");
        for (uint32_t e = 0; e < s.edge_count; e++) {
            const char ends[] = {s.letters[s.edges[e].from], s.letters[s.edges[e].to], '\0'};
            const bool is_long =
                !strcmp(ends, cases[i].roads[0]) || !strcmp(ends, cases[i].roads[1]);
            if (is_long) s.edges[e].length = cases[i].km * 1e3;
        }
        sc_map *map = sketch_map(&s);
        sc_routes *routes = NULL;
        sc_diag diag = {""};
        const sc_err err = sc_routes_new(map, SC_CAR, NULL, &routes, &diag);
        if (cases[i].wanted) {
            CHECK_REFUSED(err, cases[i].wanted, &diag, "check the unit of its lengths");
            assert_null(routes);
        } else {
            CHECK_OK(err, &diag);
        }
        sc_routes_free(routes);
        sc_map_free(map);
        sketch_free(&s);
    }
}

static void test_a_junction_of_thousands_of_roads_is_taken_in_its_stride(void **state)
{
    (void)state;
    // A hub and a rim: without care, its shortcuts alone would number millions.
    enum { SPOKES = 3000 };
    sketch s = sketch_new(SC_COORDS_NONE);
    const uint32_t hub = sketch_add_node(&s, 0, 0);
    for (uint32_t i = 0; i < SPOKES; i++) {
        sketch_add_node(&s, 0, 0);
    }
    for (uint32_t i = 0; i < SPOKES; i++) {
        sketch_add_edge(&s, hub, 1 + i, 1000);
        sketch_add_edge(&s, 1 + i, 1 + (i + 1) % SPOKES, 10);
    }
    sc_map *map = sketch_map(&s);
    sc_routes *routes = NULL;
    sc_route_search *search = NULL;
    sc_route route = {0};
    CHECK_OK(sc_routes_new(map, SC_CAR, NULL, &routes, NULL), NULL);
    CHECK_OK(sc_route_search_new(routes, &search), NULL);
    assert_int_equal(sc_routes_part_count(routes), 1);
    assert_true(sc_routes_bytes(routes) < (size_t)100 * sc_map_star_count(map));

    const sc_edge *edges = sc_map_edges(map);
    sc_place rim[2] = {{0, 0}, {0, 0}};
    for (sc_edge_id e = 0; e < sc_map_edge_count(map); e++) {
        if (edges[e].from == 1 && edges[e].to == 2) rim[0].edge = e;
        if (edges[e].from == 1501 && edges[e].to == 1502) rim[1].edge = e;
    }
    // Half way round the rim is 15 km; over the hub, 2 km.
    CHECK_OK(sc_route_find(search, rim[0], rim[1], &route), NULL);
    assert_int_equal(route.leg_count, 4);
    sc_route_fini(&route);
    sc_route_search_free(search);
    sc_routes_free(routes);
    sc_map_free(map);
    sketch_free(&s);
}

typedef struct received {
    uint64_t last;
    uint64_t total;
} received;

static void hear(void *context, const char *phase, uint64_t done, uint64_t total)
{
    received *h = context;
    assert_string_equal(phase, "routes");
    assert_true(done >= h->last);
    h->last = done;
    h->total = total;
}

static void test_progress_is_told_to_the_end(void **state)
{
    (void)state;
    sketch s = sketch_grid(SC_COORDS_PLANAR, 80, 80);
    sc_map *map = sketch_map(&s);
    received h = {0, 0};
    sc_routes *routes = NULL;
    CHECK_OK(sc_routes_new(map, SC_CAR, &(sc_progress){hear, &h}, &routes, NULL), NULL);
    assert_int_equal(h.total, sc_map_star_count(map));
    assert_int_equal(h.last, h.total);
    sc_routes_free(routes);
    sc_map_free(map);
    sketch_free(&s);
}

static void test_freeing_nothing_is_fine(void **state)
{
    (void)state;
    sc_route route = {0};
    sc_routes_free(NULL);
    sc_route_search_free(NULL);
    sc_route_fini(&route);
    assert_null(route.legs);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_map_too_wide_for_whole_milliseconds_is_refused),
    cmocka_unit_test(test_a_junction_of_thousands_of_roads_is_taken_in_its_stride),
    cmocka_unit_test(test_progress_is_told_to_the_end),
    cmocka_unit_test(test_freeing_nothing_is_fine),
};
SC_SUITE(tests)
