// Replies that look right and contradict the roads, or themselves. Each honest reply is spoilt in
// one way (spoilt.h), and refused for that reason and no other; what is rounding, or the slack of a
// provider with a map of its own, is not refused, and what cannot be seen is not claimed to be.
#include "spoilt.h"

#include "support/odd_cloak.h"

#include <starcloak/lbs.h>

// --- Distances and roads -------------------------------------------------------------------

// From J it is 21 m to F, and 10 m to the cafe on F-G; the straight line is 22.4 m.
static void nearer_than_the_straight_line(drawn_cloak *c)
{
    entry_of(c, THREE_NEAREST, 'J', "on FG")->distance_m = 22.0;
}

// The dead end begins at H, and the cafe is 30 m into it.
static void nearer_than_the_way_into_a_dead_end(drawn_cloak *c)
{
    entry_of(c, CAFES_AROUND, 'H', "on HM")->distance_m = 29.0;
}

static void all_at_no_distance(drawn_cloak *c)
{
    const near_list l = list_of(c, THREE_NEAREST, 'J');
    for (size_t i = 0; i < l.count; i++) {
        l.nears[i].distance_m = 0.0;
    }
}

// Through the cloak it is 21 m from J to F, and 15.3 m on to the school on B-F.
static void farther_than_through_the_cloak(drawn_cloak *c)
{
    sc_near *entry = entry_of(c, ALL_SCHOOLS, 'J', "on BF");
    entry->distance_m += 0.01;
}

// On B-C, 20 m from B, a border node: along the road, and not in the cloak.
static void farther_than_along_its_own_road(drawn_cloak *c)
{
    sc_near *entry = entry_of(c, CAFES_AROUND, 'B', "on BC");
    entry->distance_m += 0.01;
}

static void near_on_the_segments_and_missing(drawn_cloak *c)
{
    drop_entry(c, CAFES_AROUND, 'K', "on FG");
}

static void replaced_by_something_farther(drawn_cloak *c)
{
    // The nearest of B, on B-F in the cloak, makes room for one that is farther than all.
    const near_list l = list_of(c, THREE_NEAREST, 'B');
    const uint32_t object = drawn_object_named(c, "on HM");
    assert_int_equal(l.nears[0].object, drawn_object_named(c, "on BF"));
    l.nears[0] = l.nears[1];
    l.nears[1] = l.nears[2];
    l.nears[2] = (sc_near){object, 140.0, 14.0};
}

// --- Lists and lists -----------------------------------------------------------------------

// The school on E-I is 10 m from E, and E is 61 m from B through the cloak.
static void farther_than_the_neighbour_says(drawn_cloak *c)
{
    const near_list l = list_of(c, ALL_SCHOOLS, 'B');
    sc_near *entry = entry_of(c, ALL_SCHOOLS, 'B', "on EI");
    assert_true(entry < l.nears + l.count - 1);  // so that it stays in order
    entry->distance_m = entry[1].distance_m;
}

static void missing_though_the_neighbour_has_it(drawn_cloak *c)
{
    drop_entry(c, ALL_SCHOOLS, 'B', "on DH");
}

static void missing_within_the_radius(drawn_cloak *c)
{
    drop_entry(c, CAFES_AROUND, 'C', "on KL");
}

// The cafe on B-C is 20.2 m from C, and C is 41.7 m from K; but K names the one on H-M instead, at
// a distance that could be.
static void forgotten_for_something_farther(drawn_cloak *c)
{
    sc_near *entry = entry_of(c, THREE_NEAREST, 'K', "on BC");
    *entry = (sc_near){drawn_object_named(c, "on HM"), 76.0, 7.6};
}

static void answers_of_two_border_nodes_swapped(drawn_cloak *c)
{
    const near_list b = list_of(c, THREE_NEAREST, 'B');
    const near_list k = list_of(c, THREE_NEAREST, 'K');
    for (size_t i = 0; i < 3; i++) {
        const sc_near near = b.nears[i];
        b.nears[i] = k.nears[i];
        k.nears[i] = near;
    }
}

static void one_border_node_knows_nothing(drawn_cloak *c)
{
    const near_list l = list_of(c, ALL_SCHOOLS, 'H');
    for (size_t i = 0; i < l.count; i++) {
        drop_entry(c, ALL_SCHOOLS, 'H',
                   sc_map_object_name(c->map, list_of(c, ALL_SCHOOLS, 'H').nears[0].object));
    }
}

static void left_out_everywhere(drawn_cloak *c)
{
    for (const char *letter = "BCEHJK"; *letter; letter++) {
        drop_entry(c, ALL_SCHOOLS, *letter, "on EI");
    }
}

static const lie lies[] = {
    {"nearer than the straight line", nearer_than_the_straight_line, OF_BOTH, SC_EREPLY,
     "is nearer than the roads allow"},
    {"nearer than the way into a dead end", nearer_than_the_way_into_a_dead_end, OF_BOTH, SC_EREPLY,
     "is nearer than the roads allow"},
    {"all at no distance", all_at_no_distance, OF_BOTH, SC_EREPLY,
     "is nearer than the roads allow"},
    {"farther than through the cloak", farther_than_through_the_cloak, OF_BOTH, SC_EREPLY,
     "is farther than a known route to it"},
    {"farther than along its own road", farther_than_along_its_own_road, OF_BOTH, SC_EREPLY,
     "is farther than a known route to it"},
    {"near on the segments and missing", near_on_the_segments_and_missing, OF_BOTH, SC_EREPLY,
     "is missing, though it is near on the segments"},
    {"replaced by something farther", replaced_by_something_farther, OF_BOTH, SC_EREPLY,
     "is missing, though it is near on the segments"},

    {"farther than the neighbour says", farther_than_the_neighbour_says, OF_BOTH, SC_EREPLY,
     "is too far, though border node 4 is near and lists it"},
    {"missing though the neighbour has it", missing_though_the_neighbour_has_it, OF_BOTH, SC_EREPLY,
     "is missing, though border node"},
    {"missing within the radius", missing_within_the_radius, OF_BOTH, SC_EREPLY,
     "is missing, though border node"},
    {"forgotten for something farther", forgotten_for_something_farther, OF_BOTH, SC_EREPLY,
     "is missing, though border node 2 is near and lists it"},
    {"answers of two border nodes swapped", answers_of_two_border_nodes_swapped, OF_BOTH, SC_EREPLY,
     "is nearer than the roads allow"},
    {"one border node knows nothing", one_border_node_knows_nothing, OF_BOTH, SC_EREPLY,
     "is missing, though it is near on the segments"},

    // More of this in test_hollow.c.
    {"left out everywhere", left_out_everywhere, OF_MAP, SC_EREPLY,
     "request 3, border node 1: 2 objects are listed, but 3 can be reached"},
};

static void test_every_contradiction_is_refused_for_its_reason(void **state)
{
    (void)state;
    check_lies(lies, sizeof lies / sizeof *lies);
}

// --- What is believed ----------------------------------------------------------------------

// What is off by a unit is rounding; by four it is not.
static void test_a_unit_more_or_less_is_rounding(void **state)
{
    (void)state;
    for (int sign = -1; sign <= 1; sign += 2) {
        drawn_cloak *c = honest(true);
        sc_filter *filter = drawn_filter(c);
        const size_t total = c->reply.near_start[18];
        for (size_t i = 0; i < total; i++) {
            c->reply.nears[i].distance_m += sign * 0.001;
        }
        sc_diag diag = {""};
        CHECK_OK(sc_filter_open(filter, &c->relay, &c->reply, &diag), &diag);
        for (size_t i = 0; i < total; i++) {
            c->reply.nears[i].distance_m += sign * 0.003;
        }
        assert_int_equal(sc_filter_open(filter, &c->relay, &c->reply, &diag), SC_EREPLY);
        sc_filter_free(filter);
        drawn_cloak_free(c);
    }
}

// A provider whose roads are 3 % longer or shorter everywhere.
static void test_with_slack_a_provider_may_have_a_map_of_its_own(void **state)
{
    (void)state;
    for (int sign = -1; sign <= 1; sign += 2) {
        drawn_cloak *c = honest(true);
        sc_filter *strict = filter_with(c, 1000, 0.0);
        sc_filter *lenient = filter_with(c, 1000, 0.05);
        for (size_t i = 0; i < c->reply.near_start[18]; i++) {
            c->reply.nears[i].distance_m *= 1.0 + sign * 0.03;
        }
        sc_diag diag = {""};
        assert_int_equal(sc_filter_open(strict, &c->relay, &c->reply, &diag), SC_EREPLY);
        CHECK_OK(sc_filter_open(lenient, &c->relay, &c->reply, &diag), &diag);

        // But not anything goes: a third of the distance is refused.
        entry_of(c, CAFES_AROUND, 'B', "on BA")->distance_m *= 0.3;
        CHECK_REFUSED(sc_filter_open(lenient, &c->relay, &c->reply, &diag), SC_EREPLY, &diag,
                      "is nearer than the roads allow");
        sc_filter_free(strict);
        sc_filter_free(lenient);
        drawn_cloak_free(c);
    }
}

// To that provider the cafe stands on a bridge across F-G, which one gets to by a long detour. With
// the same map for both that would be a lie.
static void test_with_slack_an_object_may_stand_beside_the_cloak(void **state)
{
    (void)state;
    static const drawn_object bridge[] = {{"bridge", "FG", 10.0, "cafe"}, {NULL, NULL, 0.0, NULL}};
    drawn_cloak *c = drawn_cloak_of(drawn_sketch(drawn_town, ""), bridge, drawn_roads);
    drawn_give_keys(c);
    drawn_ask(c, drawn_knn(1));
    drawn_reply(c);
    drop_run(c, 0, "bridge");
    for (uint32_t i = 0; i < c->reply.near_start[c->relay.border_node_count]; i++) {
        c->reply.nears[i].distance_m += 100.0;
    }
    sc_diag diag = {""};
    sc_filter *strict = filter_with(c, 1000, 0.0);
    CHECK_REFUSED(sc_filter_open(strict, &c->relay, &c->reply, &diag), SC_EREPLY, &diag,
                  "lies on the segments but is not listed there");
    sc_filter *lenient = filter_with(c, 1000, 0.05);
    CHECK_OK(sc_filter_open(lenient, &c->relay, &c->reply, &diag), &diag);
    // From below the bridge: 10 m to F, 20 m to B or J, and 130 m from there.
    const sc_near *got = NULL;
    size_t count = 0;
    double offset_m = 0.0;
    const sc_edge_id edge = drawn_place(c, "FG", 10.0, &offset_m);
    CHECK_OK(sc_filter_answer(lenient, (sc_road_point){.edge = edge, .offset_m = offset_m}, 0, &got,
                              &count, NULL),
             NULL);
    assert_int_equal(count, 1);
    CHECK_CLOSE(got[0].distance_m, 160.0, 1e-9);
    sc_filter_free(strict);
    sc_filter_free(lenient);
    drawn_cloak_free(c);
}

// The middle row of a grid: 80 border nodes, more than are compared with each other. Honest lists
// are believed all the same, and a list that contradicts its neighbours is not.
static void test_a_huge_cloak_is_believed_and_lies_to_neighbours_are_seen(void **state)
{
    (void)state;
    enum { LENGTH = 80, MIDDLE = 40 };
    sketch s = sketch_grid(SC_COORDS_PLANAR, LENGTH, 3);
    sc_builder *builder = sketch_builder(&s);
    for (uint32_t e = 1; e < s.edge_count; e += 17) {
        put_object(builder, e, 0.3, "cafe", "");
    }
    sc_map *map = finish_builder(builder);
    bool *inside = test_take(sc_map_segment_count(map), sizeof *inside);
    for (sc_edge_id e = 0; e < sc_map_edge_count(map); e++) {
        const sc_edge *edge = &sc_map_edges(map)[e];
        if (edge->from / LENGTH == 1 && edge->to / LENGTH == 1) inside[edge->segment] = true;
    }
    odd_cloak cloak = odd_cloak_of(map, inside);
    assert_int_equal(cloak.border_node_count, LENGTH);
    const sc_request request = drawn_knn(500);
    const sc_relay relay = odd_cloak_relay(&cloak, map, &request, 1);

    sc_diag diag = {""};
    sc_objects *objects = NULL;
    sc_lbs *lbs = NULL;
    sc_filter *filter = NULL;
    sc_reply reply;
    const sc_lbs_options lbs_options = sc_lbs_options_default();
    const sc_filter_options options = sc_filter_options_default();
    sc_reply_init(&reply);
    CHECK_OK(sc_objects_new_from_map(map, &objects), NULL);
    CHECK_OK(sc_lbs_new(map, &lbs_options, &lbs, &diag), &diag);
    CHECK_OK(sc_filter_new(map, &options, &filter, &diag), &diag);
    CHECK_OK(sc_lbs_evaluate(lbs, objects, &relay, &reply, &diag), &diag);
    CHECK_OK(sc_filter_open(filter, &relay, &reply, &diag), &diag);

    // The last of the one in the middle of the row becomes a little farther.
    reply.nears[reply.near_start[MIDDLE + 1] - 1].distance_m += 0.01;
    CHECK_REFUSED(sc_filter_open(filter, &relay, &reply, &diag), SC_EREPLY, &diag, "is too far");

    sc_reply_fini(&reply);
    sc_filter_free(filter);
    sc_lbs_free(lbs);
    sc_objects_release(objects);
    odd_cloak_free(&cloak);
    sc_map_free(map);
    sketch_free(&s);
}

// An object of the provider's own, outside, that no list names: this cannot be seen from here.
static void test_what_is_left_out_everywhere_cannot_be_seen(void **state)
{
    (void)state;
    drawn_cloak *c = honest(true);
    left_out_everywhere(c);
    sc_filter *filter = drawn_filter(c);
    const sc_near *got = NULL;
    size_t count = 0;
    double offset_m = 0.0;
    const sc_edge_id edge = drawn_place(c, "FG", 10.0, &offset_m);
    CHECK_OK(sc_filter_answer(filter, (sc_road_point){.edge = edge, .offset_m = offset_m},
                              ALL_SCHOOLS, &got, &count, NULL),
             NULL);
    assert_int_equal(count, 2);
    sc_filter_free(filter);
    drawn_cloak_free(c);
}

static const struct CMUnitTest tests[] = {
    SC_CASES(test_every_contradiction_is_refused_for_its_reason),
    cmocka_unit_test(test_a_unit_more_or_less_is_rounding),
    cmocka_unit_test(test_with_slack_a_provider_may_have_a_map_of_its_own),
    cmocka_unit_test(test_with_slack_an_object_may_stand_beside_the_cloak),
    cmocka_unit_test(test_a_huge_cloak_is_believed_and_lies_to_neighbours_are_seen),
    cmocka_unit_test(test_what_is_left_out_everywhere_cannot_be_seen),
};
SC_SUITE(tests)
