// The exact answer on roads of every kind: dead ends, loops, parallel roads, cloaks in pieces and
// without a border. The pictures are the specification; drawn_cloak.h has the town.
#include "drawn_cloak.h"

//     A---B---C---D      The cloak is one segment, B-A-E, and both of its ends are border nodes. It
//     |   |   |   |      is long, and the way around by F is short: two places on it are nearer to
//     E---F---...        each other around than along it.
static void test_the_shortest_way_between_two_places_of_a_cloak_may_lead_outside(void **state)
{
    (void)state;
    static const drawn_object objects[] = {{"near E", "EA", 5.0, "cafe"},
                                           {"at A", "AB", 0.0, "cafe"},
                                           {"beyond F", "FG", 1.0, "cafe"},
                                           {NULL, NULL, 0.0, NULL}};
    sketch s = drawn_sketch(drawn_town, "");
    drawn_length(&s, "AB", 400.0);
    drawn_length(&s, "AE", 200.0);
    drawn_cloak *c = drawn_cloak_of(s, objects, "AB");
    assert_int_equal(c->relay.segment_count, 1);
    assert_int_equal(c->relay.border_node_count, 2);
    drawn_ask(c, drawn_knn(3));
    drawn_reply(c);
    sc_filter *filter = drawn_filter(c);
    // From 7 m beside B: to F 27 m, to E 67 m, and 5 m on.
    CHECK_ANSWER(c, filter, "BA", 7.0, 0, {"beyond F", 28.0}, {"near E", 72.0},
                 {"at A", 7.0 + 20.0 + 40.0 + 200.0});
    // From 390 m beside B: A is 10 m away, and E 210 m along the road.
    CHECK_ANSWER(c, filter, "BA", 390.0, 0, {"at A", 10.0}, {"near E", 205.0}, {"beyond F", 251.0});
    sc_filter_free(filter);
    drawn_cloak_free(c);
}

//     H---M: a dead end, with something before and behind a traveller on it
static void test_a_dead_end_is_left_by_one_end(void **state)
{
    (void)state;
    static const drawn_object objects[] = {{"at its end", "HM", 40.0, "cafe"},
                                           {"at its beginning", "HM", 2.0, "cafe"},
                                           {"outside", "HD", 3.0, "cafe"},
                                           {NULL, NULL, 0.0, NULL}};
    drawn_cloak *c = drawn_cloak_of(drawn_sketch(drawn_town, ""), objects, "HM");
    assert_int_equal(c->relay.border_node_count, 1);
    drawn_ask(c, drawn_knn(3));
    drawn_reply(c);
    sc_filter *filter = drawn_filter(c);
    CHECK_ANSWER(c, filter, "HM", 30.0, 0, {"at its end", 10.0}, {"at its beginning", 28.0},
                 {"outside", 33.0});
    CHECK_ANSWER(c, filter, "HM", 40.0, 0, {"at its end", 0.0}, {"at its beginning", 38.0},
                 {"outside", 43.0});
    sc_filter_free(filter);
    drawn_cloak_free(c);
}

//        .--C--.
//     A--B     |     A loop at B, by C and D, 100 m long: one may go either way round
//        '--D--'
static void test_a_loop_is_gone_round_the_shorter_way(void **state)
{
    (void)state;
    static const drawn_object objects[] = {{"early", "BC", 10.0, "cafe"},
                                           {"late", "DB", 10.0, "cafe"},
                                           {"out", "AB", 5.0, "cafe"},
                                           {NULL, NULL, 0.0, NULL}};
    sketch s = sketch_draw(SC_COORDS_PLANAR, "A---B---E\n", "");
    const uint32_t top = sketch_add_node(&s, 40.0, -20.0);
    const uint32_t bottom = sketch_add_node(&s, 40.0, 20.0);
    s.letters[top] = 'C';
    s.letters[bottom] = 'D';
    sketch_add_edge(&s, sketch_node(&s, 'B'), top, 25.0);
    sketch_add_edge(&s, top, bottom, 50.0);
    sketch_add_edge(&s, bottom, sketch_node(&s, 'B'), 25.0);
    drawn_cloak *c = drawn_cloak_of(s, objects, "BC");
    assert_int_equal(c->relay.segment_count, 1);
    assert_int_equal(c->relay.border_node_count, 1);
    drawn_ask(c, drawn_knn(3));
    drawn_reply(c);
    sc_filter *filter = drawn_filter(c);
    // The road A-B is 10 m long in this picture. From 5 m behind B the late one is 15 m before it.
    CHECK_ANSWER(c, filter, "BC", 5.0, 0, {"early", 5.0}, {"out", 10.0}, {"late", 20.0});
    // From 60 m round: the late one is at 85, the early one at 10 or, across B, at 110.
    CHECK_ANSWER(c, filter, "CD", 35.0, 0, {"late", 25.0}, {"out", 45.0}, {"early", 50.0});
    sc_filter_free(filter);
    drawn_cloak_free(c);
}

// Two roads between the same junctions, one short and one long.
static void test_of_two_parallel_roads_each_has_its_own_places(void **state)
{
    (void)state;
    static const drawn_object objects[] = {{"on the long one", "EC", 10.0, "cafe"},
                                           {"on the short one", "BC", 4.0, "cafe"},
                                           {NULL, NULL, 0.0, NULL}};
    sketch s = sketch_draw(SC_COORDS_PLANAR,
                           "  E\n"
                           " / \\\n"
                           "B---C---D\n"
                           "|\n"
                           "A\n",
                           "");
    drawn_length(&s, "BC", 10.0);
    drawn_length(&s, "BE", 50.0);
    drawn_length(&s, "EC", 50.0);
    drawn_cloak *c = drawn_cloak_of(s, objects, "BC BE");
    assert_int_equal(c->relay.segment_count, 2);
    assert_int_equal(c->relay.border_node_count, 2);
    drawn_ask(c, drawn_knn(2));
    drawn_reply(c);
    sc_filter *filter = drawn_filter(c);
    CHECK_ANSWER(c, filter, "BC", 1.0, 0, {"on the short one", 3.0}, {"on the long one", 49.0});
    CHECK_ANSWER(c, filter, "BE", 40.0, 0, {"on the long one", 20.0}, {"on the short one", 44.0});
    CHECK_ANSWER(c, filter, "BE", 10.0, 0, {"on the short one", 14.0}, {"on the long one", 50.0});
    sc_filter_free(filter);
    drawn_cloak_free(c);
}

//     A---B---C      D---E---F      A lone road and a ring, far from each other: whole components,
//                    |       |      so without any border node
//                    G-------H
static void test_cloaks_without_a_border_are_answered_from_their_own_objects(void **state)
{
    (void)state;
    static const drawn_object objects[] = {{"on the road", "BC", 10.0, "cafe"},
                                           {"on the ring", "EF", 30.0, "cafe"},
                                           {"also on the ring", "GH", 10.0, "cafe"},
                                           {NULL, NULL, 0.0, NULL}};
    static const char picture[] = "A---B---C      D---E---F\n"
                                  "               |       |\n"
                                  "               G-------H\n";
    drawn_cloak *c = drawn_cloak_of(drawn_sketch(picture, ""), objects, "AB DE");
    assert_int_equal(c->relay.segment_count, 2);
    assert_int_equal(c->relay.border_node_count, 0);
    drawn_ask(c, drawn_knn(5));
    drawn_ask(c, drawn_range(45.0));
    drawn_reply(c);
    sc_filter *filter = drawn_filter(c);
    // What no road leads to is in no answer.
    CHECK_ANSWER(c, filter, "AB", 3.0, 0, {"on the road", 47.0});
    // Round the ring, 200 m: from D by G it is 20 + 10 m, by E 40 + 30 m.
    CHECK_ANSWER(c, filter, "DE", 0.0, 0, {"also on the ring", 30.0}, {"on the ring", 70.0});
    CHECK_ANSWER(c, filter, "DG", 2.0, 0, {"also on the ring", 28.0}, {"on the ring", 72.0});
    CHECK_ANSWER(c, filter, "DE", 39.0, 1, {"on the ring", 31.0});
    sc_filter_free(filter);
    drawn_cloak_free(c);
}

// Two parts of one cloak that touch nowhere: what is in the other part is reached from outside.
static void test_a_cloak_may_be_in_pieces(void **state)
{
    (void)state;
    drawn_cloak *c = drawn_cloak_of(drawn_sketch(drawn_town, ""), drawn_objects, "BF KL");
    drawn_ask(c, drawn_knn(2));
    drawn_ask(c, drawn_only(c, drawn_knn(1), "cafe"));
    drawn_reply(c);
    sc_filter *filter = drawn_filter(c);
    // From F: B-F is 15 m up; F-G 10 m. From L: K-L is 30 m along the road.
    CHECK_ANSWER(c, filter, "BF", 20.0, 0, {"on FG", 10.0}, {"on BF", 15.0});
    CHECK_ANSWER(c, filter, "KL", 40.0, 1, {"on KL", 30.0});
    // From B: 30 m to the middle of F-G, past what is in the cloak; 10 m to A.
    CHECK_ANSWER(c, filter, "BF", 0.0, 1, {"on BA", 10.0});
    sc_filter_free(filter);
    drawn_cloak_free(c);
}

static void test_several_objects_at_one_place_are_all_there(void **state)
{
    (void)state;
    static const drawn_object objects[] = {{"a", "FG", 0.0, "cafe"},   {"b", "FE", 0.0, "cafe"},
                                           {"c", "FB", 0.0, "cafe"},   {"d", "FJ", 0.0, "cafe"},
                                           {"e", "FG", 0.0, "school"}, {NULL, NULL, 0.0, NULL}};
    drawn_cloak *c = drawn_cloak_of(drawn_sketch(drawn_town, ""), objects, drawn_roads);
    drawn_ask(c, drawn_knn(20));
    drawn_reply(c);
    sc_filter *filter = drawn_filter(c);
    const sc_near *got = NULL;
    size_t count = 0;
    double offset_m = 0.0;
    const sc_edge_id edge = drawn_place(c, "FG", 12.5, &offset_m);
    CHECK_OK(sc_filter_answer(filter, (sc_road_point){.edge = edge, .offset_m = offset_m}, 0, &got,
                              &count, NULL),
             NULL);
    assert_int_equal(count, 5);
    for (uint32_t i = 0; i < 5; i++) {
        assert_int_equal(got[i].object, i);
        CHECK_CLOSE(got[i].distance_m, 12.5, 1e-9);
    }
    sc_filter_free(filter);
    drawn_cloak_free(c);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_the_shortest_way_between_two_places_of_a_cloak_may_lead_outside),
    cmocka_unit_test(test_a_dead_end_is_left_by_one_end),
    cmocka_unit_test(test_a_loop_is_gone_round_the_shorter_way),
    cmocka_unit_test(test_of_two_parallel_roads_each_has_its_own_places),
    cmocka_unit_test(test_cloaks_without_a_border_are_answered_from_their_own_objects),
    cmocka_unit_test(test_a_cloak_may_be_in_pieces),
    cmocka_unit_test(test_several_objects_at_one_place_are_all_there),
};
SC_SUITE(tests)
