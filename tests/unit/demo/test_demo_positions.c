// Where the demo's travellers are: on the roads, as the page of the map draws them; and the same
// for those who ask as for those who look.
#include "demo/demo_internal.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>

#include "support/check.h"
#include "support/sketch.h"

enum { COUNT = 40 };

// --- A traveller placed by the test --------------------------------------------------------------

typedef struct statue {
    sc_movement base;
    sc_place place;
    bool is_away;
} statue;

static sc_err statue_at(sc_movement *movement, uint32_t who, sc_time t, sc_place *out,
                        sc_time *back)
{
    const statue *s = (const statue *)movement;
    (void)who;
    *out = s->place;
    *back = s->is_away ? SC_TIME_NEVER : t;
    return SC_OK;
}

static void statue_free(sc_movement *movement)
{
    (void)movement;
}

static const sc_movement_kind of_statues = {.at = statue_at, .free = statue_free};

static void look_at(sc__travellers *travellers, const statue *s, int32_t at[2])
{
    statue stands = *s;
    stands.base = (sc_movement){.kind = &of_statues, .map = travellers->map, .count = 1};
    travellers->watched = &stands.base;
    CHECK_OK(sc__travellers_positions(travellers, 0, at), NULL);
    travellers->watched = NULL;
}

static json_int_t whole(const json_t *array, size_t i)
{
    return json_integer_value(json_array_get(array, i));
}

/** The page of a map. */
static json_t *page_of(const sc_map *map)
{
    sc_bytes text = {0};
    assert_true(sc__map_json_write(map, &text));
    json_t *page = json_loadb((const char *)text.data, text.size, 0, NULL);
    assert_non_null(page);
    sc_bytes_fini(&text);
    return page;
}

// A traveller on a node is exactly where the page draws it, counted from its corner.
static void check_nodes(const sc_map *map)
{
    sc__travellers travellers = {.map = map, .grid = sc_map_grid_of(map)};
    json_t *page = page_of(map);
    const json_t *bounds = json_object_get(page, "bounds");
    const double unit = json_number_value(json_object_get(page, "unit"));
    const int64_t west = llround(json_number_value(json_array_get(bounds, 0)) / unit);
    const int64_t south = llround(json_number_value(json_array_get(bounds, 1)) / unit);
    const sc_segment *segments = sc_map_segments(map);
    for (sc_seg_id s = 0; s < sc_map_segment_count(map); s++) {
        const json_t *line = json_array_get(json_object_get(page, "segments"), s);
        int64_t x = whole(line, 0);
        int64_t y = whole(line, 1);
        for (sc_edge_id e = segments[s].first_edge; e < segments[s + 1].first_edge; e++) {
            const size_t next = 2 * (size_t)(e - segments[s].first_edge + 1);
            int32_t at[2];
            look_at(&travellers, &(statue){.place = {e, 0}}, at);
            assert_int_equal(at[0], x - west);
            assert_int_equal(at[1], y - south);
            x += whole(line, next);
            y += whole(line, next + 1);
            look_at(&travellers, &(statue){.place = {e, sc_map_edges(map)[e].length}}, at);
            // The end of a road without length is its beginning.
            if (sc_map_edges(map)[e].length == 0) continue;
            assert_int_equal(at[0], x - west);
            assert_int_equal(at[1], y - south);
        }
    }
    json_decref(page);
}

static void test_positions_are_where_the_page_draws_them(void **state)
{
    (void)state;
    for (int coords = SC_COORDS_PLANAR; coords <= SC_COORDS_GEOGRAPHIC; coords++) {
        if (coords == SC_COORDS_NONE) continue;
        sc_map *map = full_map((sc_coords)coords);
        check_nodes(map);
        sc_map_free(map);
    }
}

// The page goes on beyond 180 degrees, and so do positions.
static void test_positions_across_the_180th_meridian_are_where_the_page_draws_them(void **state)
{
    (void)state;
    sketch grid = sketch_grid(SC_COORDS_GEOGRAPHIC, 5, 3);
    sketch_move_to_meridian(&grid);
    sc_map *map = sketch_map(&grid);
    sketch_free(&grid);
    const sc_map_grid drawn = sc_map_grid_of(map);
    assert_true(drawn.west < 180.0 && drawn.east > 180.0 && drawn.east - drawn.west < 0.1);
    check_nodes(map);
    sc_map_free(map);
}

static void test_a_traveller_off_the_road_has_no_place(void **state)
{
    (void)state;
    sc_map *map = full_map(SC_COORDS_PLANAR);
    sc__travellers travellers = {.map = map, .grid = sc_map_grid_of(map)};
    int32_t at[2] = {5, 5};
    look_at(&travellers, &(statue){.is_away = true}, at);
    assert_int_equal(at[0], -1);
    assert_int_equal(at[1], -1);
    sc_map_free(map);
}

// --- Travellers ----------------------------------------------------------------------------------

static void test_those_who_ask_are_where_they_are_seen(void **state)
{
    (void)state;
    sketch grid = sketch_grid(SC_COORDS_GEOGRAPHIC, 6, 6);
    sc_map *map = sketch_map(&grid);
    sketch_free(&grid);
    sc__travellers travellers = {0};
    sc_diag diag = {""};
    sc_demo_options options = sc_demo_options_default();
    options.travellers = COUNT;
    options.seed = 7;
    CHECK_OK(sc__travellers_init(&travellers, map, &options, &diag), &diag);
    const double width = (travellers.grid.east - travellers.grid.west) * travellers.grid.per_unit;
    const double height =
        (travellers.grid.north - travellers.grid.south) * travellers.grid.per_unit;
    int32_t at[COUNT][2];
    int32_t before[COUNT][2] = {0};
    size_t moved = 0;
    // Those who look do so often, those who ask seldom, and each at another time.
    for (int i = 1; i <= 120; i++) {
        const sc_time t = sc_time_from_seconds(i * 0.25);
        CHECK_OK(sc__travellers_positions(&travellers, t, at[0]), NULL);
        for (uint32_t who = 0; who < COUNT; who++) {
            const int32_t x = at[who][0];
            const int32_t y = at[who][1];
            assert_true(x >= 0 && x <= width + 1 && y >= 0 && y <= height + 1);
            moved += x != before[who][0] || y != before[who][1];
            before[who][0] = x;
            before[who][1] = y;
            if ((i + (int)who) % 30 != 0) continue;
            sc_place place;
            sc_time back;
            CHECK_OK(sc_movement_at(travellers.asking, who, t, &place, &back), NULL);
            assert_int_equal(back, t);
            int32_t seen[2];
            sc__travellers other = {.map = map, .grid = travellers.grid};
            look_at(&other, &(statue){.place = place}, seen);
            assert_int_equal(seen[0], x);
            assert_int_equal(seen[1], y);
        }
    }
    // A second's stop at each destination is all the rest they get.
    assert_true(moved > COUNT * 120 / 2);
    sc__travellers_fini(&travellers);
    sc__travellers_fini(&travellers);
    sc_map_free(map);
}

// One cab, from one end of a road to the other in 10 s, again and again.
static void test_travellers_may_do_as_in_traces(void **state)
{
    (void)state;
    sketch s = sketch_grid(SC_COORDS_PLANAR, 3, 3);
    sc_map *map = sketch_map(&s);
    sketch_free(&s);
    double x[2];
    double y[2];
    sc_map_edge_position(map, 0, 0, &x[0], &y[0]);
    sc_map_edge_position(map, 0, sc_map_edge_length_m(map, 0), &x[1], &y[1]);
    char text[200];
    const int size = snprintf(text, sizeof text, "id,t,x,y\ncab,100,%.6f,%.6f\ncab,110,%.6f,%.6f\n",
                              x[0], y[0], x[1], y[1]);
    sc_traces *traces = NULL;
    sc_diag diag = {""};
    const sc_traces_options read = sc_traces_options_default();
    CHECK_OK(sc_traces_parse(text, (size_t)size, "cabs.csv", &read, &traces, &diag), &diag);
    sc_demo_options options = sc_demo_options_default();
    options.traces = traces;
    sc__travellers travellers = {0};
    CHECK_OK(sc__travellers_init(&travellers, map, &options, &diag), &diag);
    sc_traces_free(traces);
    assert_int_equal(travellers.followed.traveller_count, 1);
    assert_int_equal(travellers.watched->count, 1);
    const sc_map_grid *grid = &travellers.grid;
    for (int lap = 0; lap < 3; lap++) {
        for (int step = 0; step <= 10; step++) {
            const sc_time t = sc_time_from_seconds(lap * 10.000001 + step);
            int32_t at[2];
            CHECK_OK(sc__travellers_positions(&travellers, t, at), NULL);
            const double part = step / 10.0;
            CHECK_CLOSE(at[0] / grid->per_unit, x[0] + (x[1] - x[0]) * part - grid->west, 2e-3);
            CHECK_CLOSE(at[1] / grid->per_unit, y[0] + (y[1] - y[0]) * part - grid->south, 2e-3);
        }
    }
    sc__travellers_fini(&travellers);
    sc_map_free(map);
}

static void test_a_map_around_the_globe_is_refused(void **state)
{
    (void)state;
    sketch s = sketch_new(SC_COORDS_GEOGRAPHIC);
    const uint32_t west = sketch_add_node(&s, -179, 0);
    const uint32_t middle = sketch_add_node(&s, 0, 0);
    const uint32_t east = sketch_add_node(&s, 179, 0);
    sketch_add_edge(&s, west, middle, 1000);
    sketch_add_edge(&s, middle, east, 1000);
    sc_map *map = sketch_map(&s);
    sketch_free(&s);
    sc__travellers travellers = {0};
    sc_diag diag = {""};
    const sc_demo_options options = sc_demo_options_default();
    CHECK_REFUSED(sc__travellers_init(&travellers, map, &options, &diag), SC_ELIMIT, &diag,
                  "too wide");
    sc__travellers_fini(&travellers);
    sc_map_free(map);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_positions_are_where_the_page_draws_them),
    cmocka_unit_test(test_positions_across_the_180th_meridian_are_where_the_page_draws_them),
    cmocka_unit_test(test_a_traveller_off_the_road_has_no_place),
    cmocka_unit_test(test_those_who_ask_are_where_they_are_seen),
    cmocka_unit_test(test_travellers_may_do_as_in_traces),
    cmocka_unit_test(test_a_map_around_the_globe_is_refused),
};
SC_SUITE(tests)
