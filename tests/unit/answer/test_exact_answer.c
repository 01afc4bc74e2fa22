// The exact answer, on cloaks small enough to be worked out by hand. The pictures are the
// specification; drawn_cloak.h has the town. Thousands of odd ones are in test_exact.c.
#include "drawn_cloak.h"

#include "base/rng.h"

#include <starcloak/lbs.h>

// --- In the middle of a town ---------------------------------------------------------------

//     A-*-B-*-C---D      Someone (p) is on F-G, 25 m from F. Cafes: * ; schools: +
//     |   +   |   |      F-G 15 m; K-L 45 m by G and K; B-C 55 m by G and C, by F and B 65 m;
//     E---F*-pG---H-*-M  B-A 55 m by F and B; H-M 85 m; B-F 40 m; D-H 63 m by G and H;
//     +   |   |   +      E-I 75 m by F and E
//     I---J---K*--L
static void test_someone_in_the_middle_gets_the_nearest_inside_and_outside(void **state)
{
    (void)state;
    drawn_cloak *c = drawn_cloak_new();
    drawn_ask(c, drawn_knn(3));
    drawn_ask(c, drawn_only(c, drawn_knn(2), "school"));
    drawn_ask(c, drawn_only(c, drawn_knn(20), "cafe"));
    drawn_reply(c);
    sc_filter *filter = drawn_filter(c);
    CHECK_ANSWER(c, filter, "FG", 25.0, 0, {"on FG", 15.0}, {"on BF", 40.0}, {"on KL", 45.0});
    CHECK_ANSWER(c, filter, "FG", 25.0, 1, {"on BF", 40.0}, {"on DH", 63.0});
    // Also from other places of the same cloak: nothing is left from the answer before.
    CHECK_ANSWER(c, filter, "GK", 20.0, 0, {"on KL", 10.0}, {"on FG", 50.0}, {"on BC", 60.0});
    CHECK_ANSWER(c, filter, "GH", 40.0, 1, {"on DH", 8.0}, {"on BF", 95.0});
    sc_filter_free(filter);
    drawn_cloak_free(c);
}

// On B-C and on B-A, both at 55 m: the lower number comes first, and alone if there is room for
// one.
static void test_of_equally_far_ones_the_lowest_number_comes_first(void **state)
{
    (void)state;
    drawn_cloak *c = drawn_cloak_new();
    drawn_ask(c, drawn_only(c, drawn_knn(4), "cafe"));
    drawn_ask(c, drawn_only(c, drawn_knn(3), "cafe"));
    drawn_reply(c);
    sc_filter *filter = drawn_filter(c);
    const bool bc_first = drawn_object_named(c, "on BC") < drawn_object_named(c, "on BA");
    const char *first = bc_first ? "on BC" : "on BA";
    const char *second = bc_first ? "on BA" : "on BC";
    CHECK_ANSWER(c, filter, "FG", 25.0, 0, {"on FG", 15.0}, {"on KL", 45.0}, {first, 55.0},
                 {second, 55.0});
    CHECK_ANSWER(c, filter, "FG", 25.0, 1, {"on FG", 15.0}, {"on KL", 45.0}, {first, 55.0});
    sc_filter_free(filter);
    drawn_cloak_free(c);
}

// A tie is one also from a place between two units, and after distances have been through other
// units and back: sums are of whole numbers, and rounded once.
static void test_ties_hold_at_every_position(void **state)
{
    (void)state;
    // Two cafes, as far from F one way as the other, but over different roads.
    static const drawn_object objects[] = {
        {"one", "EI", 10.0, "cafe"}, {"two", "BA", 30.0, "cafe"}, {NULL, NULL, 0.0, NULL}};
    drawn_cloak *c = drawn_cloak_of(drawn_sketch(drawn_town, ""), objects, drawn_roads);
    drawn_ask(c, drawn_knn(1));
    drawn_ask(c, drawn_knn(2));
    drawn_reply(c);
    for (size_t list = 0; list < 2 * c->relay.border_node_count; list++) {
        double before_m = 0.0;  // they must stay in order
        for (uint32_t i = c->reply.near_start[list]; i < c->reply.near_start[list + 1]; i++) {
            sc_near *near = &c->reply.nears[i];
            near->distance_m += near->object == 0 ? 1e-9 : -1e-9;
            near->distance_m = fmax(near->distance_m, before_m);
            before_m = near->distance_m;
        }
    }
    sc_filter *filter = drawn_filter(c);
    const uint32_t lowest = 0;
    sc_rng rng;
    sc_rng_seed(&rng, 1);
    for (int i = 0; i < 200; i++) {
        const sc_near *got = NULL;
        size_t count = 0;
        double offset_m = 0.0;
        const sc_edge_id edge = drawn_place(c, "FG", 30.0 * sc_rng_unit(&rng), &offset_m);
        CHECK_OK(sc_filter_answer(filter, (sc_road_point){.edge = edge, .offset_m = offset_m}, 1,
                                  &got, &count, NULL),
                 NULL);
        assert_int_equal(count, 2);
        assert_int_equal(got[0].object, lowest);
        CHECK_SAME(got[0].distance_m, got[1].distance_m);
        CHECK_OK(sc_filter_answer(filter, (sc_road_point){.edge = edge, .offset_m = offset_m}, 0,
                                  &got, &count, NULL),
                 NULL);
        assert_int_equal(got[0].object, lowest);
    }
    sc_filter_free(filter);
    drawn_cloak_free(c);
}

static void test_a_range_includes_its_rim(void **state)
{
    (void)state;
    drawn_cloak *c = drawn_cloak_new();
    drawn_ask(c, drawn_range(55.0));
    drawn_ask(c, drawn_range(54.999));
    drawn_ask(c, drawn_range(0.0));
    drawn_reply(c);
    sc_filter *filter = drawn_filter(c);
    const bool bc_first = drawn_object_named(c, "on BC") < drawn_object_named(c, "on BA");
    CHECK_ANSWER(c, filter, "FG", 25.0, 0, {"on FG", 15.0}, {"on BF", 40.0}, {"on KL", 45.0},
                 {bc_first ? "on BC" : "on BA", 55.0}, {bc_first ? "on BA" : "on BC", 55.0});
    CHECK_ANSWER(c, filter, "FG", 25.0, 1, {"on FG", 15.0}, {"on BF", 40.0}, {"on KL", 45.0});
    check_answer(c, filter, "FG", 25.0, 2, NULL, 0);
    CHECK_ANSWER(c, filter, "FG", 10.0, 2, {"on FG", 0.0});
    sc_filter_free(filter);
    drawn_cloak_free(c);
}

// --- Other maps, other objects -------------------------------------------------------------

// Without coordinates, and in units of unknown size, distances are what they are.
static void test_maps_without_coordinates_are_answered_as_well(void **state)
{
    (void)state;
    sketch s = drawn_sketch(drawn_town, "");
    s.coords = SC_COORDS_NONE;
    s.unit_unknown = true;
    drawn_cloak *c = drawn_cloak_of(s, drawn_objects, drawn_roads);
    drawn_ask(c, drawn_knn(3));
    drawn_reply(c);
    sc_filter *filter = drawn_filter(c);
    CHECK_ANSWER(c, filter, "FG", 25.0, 0, {"on FG", 15.0}, {"on BF", 40.0}, {"on KL", 45.0});
    sc_filter_free(filter);
    drawn_cloak_free(c);
}

static void test_objects_of_the_provider_are_called_by_its_numbers(void **state)
{
    (void)state;
    drawn_cloak *c = drawn_cloak_new();
    drawn_give_keys(c);
    drawn_ask(c, drawn_knn(3));
    drawn_reply(c);
    sc_filter *filter = drawn_filter(c);
    CHECK_ANSWER(c, filter, "FG", 25.0, 0, {"on FG", 15.0}, {"on BF", 40.0}, {"on KL", 45.0});
    sc_filter_free(filter);
    drawn_cloak_free(c);
}

// One filter for many cloaks, large and small in turn.
static void test_a_filter_takes_one_cloak_after_the_other(void **state)
{
    (void)state;
    drawn_cloak *c = drawn_cloak_new();
    drawn_ask(c, drawn_knn(3));
    drawn_reply(c);
    sc_filter *filter = drawn_filter(c);
    for (int i = 0; i < 3; i++) {
        drawn_set_cloak(c, "GK");
        c->relay.request_count = 0;
        drawn_ask(c, drawn_knn(1));
        drawn_reply(c);
        CHECK_OK(sc_filter_open(filter, &c->relay, &c->reply, NULL), NULL);
        CHECK_ANSWER(c, filter, "KG", 2.0, 0, {"on KL", 12.0});

        drawn_set_cloak(c, "AB BC BF EF FG FJ CG GH GK HM EI JK KL CD");
        c->relay.request_count = 0;
        drawn_ask(c, drawn_only(c, drawn_knn(1), "school"));
        drawn_ask(c, drawn_knn(1));
        drawn_reply(c);
        CHECK_OK(sc_filter_open(filter, &c->relay, &c->reply, NULL), NULL);
        assert_int_equal(c->relay.border_node_count, 0);
        CHECK_ANSWER(c, filter, "KG", 2.0, 0, {"on DH", 66.0});
        CHECK_ANSWER(c, filter, "HM", 2.0, 1, {"on DH", 10.0});
    }
    sc_filter_free(filter);
    drawn_cloak_free(c);
}

// --- Positions and requests that are none --------------------------------------------------

static void test_a_position_elsewhere_is_refused_and_not_repeated(void **state)
{
    (void)state;
    drawn_cloak *c = drawn_cloak_new();
    drawn_ask(c, drawn_knn(3));
    drawn_reply(c);
    sc_filter *filter = drawn_filter(c);
    double offset_m = 0.0;
    const sc_edge_id inside = drawn_place(c, "FG", 0.0, &offset_m);
    const sc_edge_id outside = drawn_place(c, "BC", 0.0, &offset_m);
    const struct {
        sc_edge_id edge;
        double offset_m;
    } cases[] = {
        {outside, 17.125},  {sc_map_edge_count(c->map), 17.125},
        {SC_NONE, 17.125},  {inside, -17.125},
        {inside, 40.002},   {inside, NOT_A_NUMBER},
        {inside, HUGE_VAL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const sc_near *got = NULL;
        size_t count = 77;
        sc_diag diag = {""};
        const sc_err err = sc_filter_answer(
            filter, (sc_road_point){.edge = cases[i].edge, .offset_m = cases[i].offset_m}, 0, &got,
            &count, &diag);
        CHECK_REFUSED(err, SC_EINVAL, &diag, "not on the segments");
        assert_null(strpbrk(diag.message, "0123456789"));
        assert_null(got);
        assert_int_equal(count, 77);
    }
    sc_filter_free(filter);
    drawn_cloak_free(c);
}

// A record has four decimals, and a unit may be lost there.
static void test_a_unit_beyond_the_end_of_a_road_is_its_end(void **state)
{
    (void)state;
    drawn_cloak *c = drawn_cloak_new();
    drawn_ask(c, drawn_knn(1));
    drawn_reply(c);
    sc_filter *filter = drawn_filter(c);
    CHECK_ANSWER(c, filter, "FG", -0.0009, 0, {"on FG", 10.0});
    CHECK_ANSWER(c, filter, "FG", 40.0009, 0, {"on FG", 30.0});
    sc_filter_free(filter);
    drawn_cloak_free(c);
}

static void test_before_a_reply_and_after_a_refused_one_there_is_no_answer(void **state)
{
    (void)state;
    drawn_cloak *c = drawn_cloak_new();
    drawn_ask(c, drawn_knn(1));
    drawn_reply(c);
    const sc_filter_options options = sc_filter_options_default();
    sc_filter *filter = NULL;
    sc_diag diag = {""};
    const sc_near *got = NULL;
    size_t count = 0;
    double offset_m = 0.0;
    const sc_edge_id edge = drawn_place(c, "FG", 25.0, &offset_m);
    CHECK_OK(sc_filter_new(c->map, &options, &filter, NULL), NULL);
    CHECK_REFUSED(sc_filter_answer(filter, (sc_road_point){.edge = edge, .offset_m = offset_m}, 0,
                                   &got, &count, &diag),
                  SC_EINVAL, &diag, "no reply is open");
    CHECK_OK(sc_filter_open(filter, &c->relay, &c->reply, NULL), NULL);
    CHECK_OK(sc_filter_answer(filter, (sc_road_point){.edge = edge, .offset_m = offset_m}, 0, &got,
                              &count, NULL),
             NULL);
    CHECK_REFUSED(sc_filter_answer(filter, (sc_road_point){.edge = edge, .offset_m = offset_m}, 1,
                                   &got, &count, &diag),
                  SC_EINVAL, &diag, "no request 2");
    c->reply.map_checksum++;
    assert_int_equal(sc_filter_open(filter, &c->relay, &c->reply, NULL), SC_EMISMATCH);
    CHECK_REFUSED(sc_filter_answer(filter, (sc_road_point){.edge = edge, .offset_m = offset_m}, 0,
                                   &got, &count, &diag),
                  SC_EINVAL, &diag, "no reply is open");
    sc_filter_free(filter);
    drawn_cloak_free(c);
}

static void test_options_out_of_range_are_refused(void **state)
{
    (void)state;
    drawn_cloak *c = drawn_cloak_new();
    const sc_filter_options bad[] = {{.max_candidates = 0, .slack = 0.0},
                                     {.max_candidates = 1, .slack = -0.1},
                                     {.max_candidates = 1, .slack = 1.1},
                                     {.max_candidates = 1, .slack = NOT_A_NUMBER}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        sc_filter *filter = NULL;
        sc_diag diag = {""};
        CHECK_REFUSED(sc_filter_new(c->map, &bad[i], &filter, &diag), SC_EINVAL, &diag,
                      i == 0 ? "at least one candidate" : "must be from 0 to 1");
        assert_null(filter);
    }
    drawn_cloak_free(c);
}

// What the built-in provider sends unless told otherwise is not refused for its size.
static void test_as_many_candidates_are_allowed_as_the_provider_sends(void **state)
{
    (void)state;
    const size_t allowed = sc_filter_options_default().max_candidates;
    assert_int_equal(allowed, sc_lbs_options_default().max_objects);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_someone_in_the_middle_gets_the_nearest_inside_and_outside),
    cmocka_unit_test(test_of_equally_far_ones_the_lowest_number_comes_first),
    cmocka_unit_test(test_ties_hold_at_every_position),
    cmocka_unit_test(test_a_range_includes_its_rim),
    cmocka_unit_test(test_maps_without_coordinates_are_answered_as_well),
    cmocka_unit_test(test_objects_of_the_provider_are_called_by_its_numbers),
    cmocka_unit_test(test_a_filter_takes_one_cloak_after_the_other),
    cmocka_unit_test(test_a_position_elsewhere_is_refused_and_not_repeated),
    cmocka_unit_test(test_a_unit_beyond_the_end_of_a_road_is_its_end),
    cmocka_unit_test(test_before_a_reply_and_after_a_refused_one_there_is_no_answer),
    cmocka_unit_test(test_options_out_of_range_are_refused),
    cmocka_unit_test(test_as_many_candidates_are_allowed_as_the_provider_sends),
};
SC_SUITE(tests)
