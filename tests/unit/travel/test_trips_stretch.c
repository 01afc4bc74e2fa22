// Pieces of a segment: as long as their edges say, and passed in order, forth and back.
#include "travel/travel_internal.h"

#include "support/check.h"
#include "support/sketch.h"

#include "base/rng.h"

#include <math.h>

/** A road of three edges: 100 m, nothing, 60 m; of different classes, so of different speeds. */
typedef struct fixture {
    sc_map *map;
    sc_routes *routes;
    double ms[3];  ///< of each edge
} fixture;

static fixture fixture_new(void)
{
    sketch s = sketch_draw(SC_COORDS_PLANAR, "A-B-C-D\n", "");
    static const double lengths[] = {100.0, 0.0, 60.0};
    static const sc_road_class classes[] = {SC_ROAD_MOTORWAY, SC_ROAD_LOCAL, SC_ROAD_SERVICE};
    for (int i = 0; i < 3; i++) {
        s.edges[i].length = lengths[i];
        s.edges[i].road_class = classes[i];
    }
    fixture f = {.map = sketch_map(&s)};
    sketch_free(&s);
    sc_diag diag = {""};
    CHECK_OK(sc_routes_new(f.map, SC_CAR, NULL, &f.routes, &diag), &diag);
    assert_int_equal(sc_map_segment_count(f.map), 1);
    for (sc_edge_id e = 0; e < 3; e++) {
        f.ms[e] = sc_map_edge_times(f.map)[e].forward * sc_map_time_unit_s(f.map) * 1e3;
    }
    return f;
}

static void fixture_free(fixture *f)
{
    sc_routes_free(f->routes);
    sc_map_free(f->map);
}

/** When, driving along the edges from the beginning, one is at a place; milliseconds. */
static double ms_at(const fixture *f, sc_place place)
{
    double ms = 0;
    for (sc_edge_id e = 0; e < place.edge; e++) {
        ms += f->ms[e];
    }
    const uint32_t length = sc_map_edges(f->map)[place.edge].length;
    return length > 0 ? ms + f->ms[place.edge] * place.offset / length : ms;
}

static sc_place any_place(const fixture *f, sc_rng *rng)
{
    const sc_edge_id edge = sc_rng_below(rng, 3);
    return (sc_place){edge, sc_rng_below(rng, sc_map_edges(f->map)[edge].length + 1)};
}

static void test_a_whole_segment_goes_from_end_to_end_either_way(void **state)
{
    (void)state;
    fixture f = fixture_new();
    const sc__stretch forth = sc__stretch_whole(f.map, (sc_leg){0, false});
    const sc__stretch back = sc__stretch_whole(f.map, (sc_leg){0, true});
    const uint32_t length = sc_map_edges(f.map)[2].length;
    assert_true(forth.from.edge == 0 && forth.from.offset == 0);
    assert_true(forth.to.edge == 2 && forth.to.offset == length);
    assert_true(back.from.edge == 2 && back.from.offset == length);
    assert_true(back.to.edge == 0 && back.to.offset == 0);
    const double all = f.ms[0] + f.ms[1] + f.ms[2];
    CHECK_CLOSE(sc__stretch_ms(f.map, f.routes, &forth), all, 1e-6);
    CHECK_CLOSE(sc__stretch_ms(f.map, f.routes, &back), all, 1e-6);
    fixture_free(&f);
}

static void test_time_and_place_between_any_two_places_agree(void **state)
{
    (void)state;
    fixture f = fixture_new();
    sc_rng rng;
    sc_rng_seed(&rng, 1);
    for (int i = 0; i < 5000; i++) {
        const sc_place from = any_place(&f, &rng);
        const sc_place to = any_place(&f, &rng);
        const sc__stretch stretch = sc__stretch_between(from, to);
        const double begins = ms_at(&f, from);
        const double ends = ms_at(&f, to);
        const double takes = sc__stretch_ms(f.map, f.routes, &stretch);
        CHECK_CLOSE(takes, fabs(ends - begins), 1e-6);
        const double share = sc_rng_unit(&rng);
        const sc_place here = sc__stretch_at(f.map, f.routes, &stretch, takes * share);
        // A millimetre is a fifth of a millisecond at the slowest.
        CHECK_CLOSE(ms_at(&f, here), begins + (ends - begins) * share, 0.2);
        // Cut to whole millimetres, no traveller is ahead.
        assert_true(fabs(ms_at(&f, here) - begins) <= takes * share + 1e-6);
    }
    fixture_free(&f);
}

static void test_a_stretch_begins_at_its_begin_and_ends_at_its_end(void **state)
{
    (void)state;
    fixture f = fixture_new();
    sc_rng rng;
    sc_rng_seed(&rng, 2);
    for (int i = 0; i < 2000; i++) {
        const sc_place to = any_place(&f, &rng);
        const sc__stretch stretch = sc__stretch_between(any_place(&f, &rng), to);
        const double takes = sc__stretch_ms(f.map, f.routes, &stretch);
        CHECK_CLOSE(ms_at(&f, sc__stretch_at(f.map, f.routes, &stretch, 0)),
                    ms_at(&f, stretch.from), 1e-9);
        const sc_place end = sc__stretch_at(f.map, f.routes, &stretch, takes + 1);
        assert_int_equal(end.edge, to.edge);
        assert_int_equal(end.offset, to.offset);
    }
    fixture_free(&f);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_whole_segment_goes_from_end_to_end_either_way),
    cmocka_unit_test(test_time_and_place_between_any_two_places_agree),
    cmocka_unit_test(test_a_stretch_begins_at_its_begin_and_ends_at_its_end),
};
SC_SUITE(tests)
