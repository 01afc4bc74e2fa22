// Relays that make no sense: each is refused with its code and a sentence, and changes nothing.
//
//      A   B   C
//      |   |   |
//      D---E---F        the street of three, with an object on each of its roads
//      |   |   |
//      G   H   I
#include <starcloak/lbs.h>

#include "support/check.h"
#include "support/odd_cloak.h"
#include "support/sketch.h"
#include "support/slow_nearest.h"

#include <math.h>

/** A map, and a relay that is fine until a test breaks it. */
typedef struct street {
    sketch sketch;
    sc_map *map;
    sc_objects *objects;
    sc_lbs *lbs;
    sc_reply reply;
    odd_cloak cloak;  ///< the star at D
    sc_request requests[2];
    sc_relay relay;
} street;

enum { MOST_SEGMENTS = 5, MOST_REQUESTS = 3, MOST_OBJECTS = 19 };

static sc_node_id node_at(const street *st, char letter)
{
    return sketch_node(&st->sketch, letter);
}

static odd_cloak star_cloak(const street *st, char letter)
{
    bool *inside = test_take(sc_map_segment_count(st->map), sizeof *inside);
    const sc_edge *edges = sc_map_edges(st->map);
    for (sc_edge_id e = 0; e < sc_map_edge_count(st->map); e++) {
        const sc_node_id node = node_at(st, letter);
        if (edges[e].from == node || edges[e].to == node) inside[edges[e].segment] = true;
    }
    return odd_cloak_of(st->map, inside);
}

static int open_street(void **state)
{
    street *st = test_take(1, sizeof *st);
    st->sketch = sketch_named("street of three");
    sc_builder *builder = sketch_builder(&st->sketch);
    for (uint32_t e = 0; e < st->sketch.edge_count; e++) {
        put_object(builder, e, 0.5, e % 2 ? "cafe" : "school", "");
    }
    st->map = finish_builder(builder);
    CHECK_OK(sc_objects_new_from_map(st->map, &st->objects), NULL);
    sc_lbs_options options = sc_lbs_options_default();
    options.max_segments = MOST_SEGMENTS;
    options.max_requests = MOST_REQUESTS;
    options.max_objects = MOST_OBJECTS;
    CHECK_OK(sc_lbs_new(st->map, &options, &st->lbs, NULL), NULL);
    sc_reply_init(&st->reply);
    st->cloak = star_cloak(st, 'D');
    assert_int_equal(st->cloak.segment_count, 3);
    assert_int_equal(st->cloak.border_node_count, 1);
    st->requests[0] = (sc_request){.type = SC_REQUEST_KNN, .k = 2};
    st->requests[1] = (sc_request){.type = SC_REQUEST_RANGE, .radius_m = 12};
    st->relay = odd_cloak_relay(&st->cloak, st->map, st->requests, 2);
    *state = st;
    return 0;
}

static int close_street(void **state)
{
    street *st = *state;
    odd_cloak_free(&st->cloak);
    sc_reply_fini(&st->reply);
    sc_lbs_free(st->lbs);
    sc_objects_release(st->objects);
    sc_map_free(st->map);
    sketch_free(&st->sketch);
    free(st);
    return 0;
}

// The relay as it was at first is answered, whatever was refused before.
static void check_still_answers(street *st)
{
    const sc_relay relay = odd_cloak_relay(&st->cloak, st->map, st->requests, 2);
    sc_diag diag = {""};
    CHECK_OK(sc_lbs_evaluate(st->lbs, st->objects, &relay, &st->reply, &diag), &diag);
    slow_nearest slow = slow_nearest_new(st->map, sc_objects_table(st->objects));
    for (size_t r = 0; r < 2; r++) {
        slow_answer wanted = slow_nearest_at_node(&slow, relay.border_nodes[0], &st->requests[r]);
        const uint32_t first = st->reply.near_start[r];
        slow_check_answer(&slow, &wanted, &st->reply.nears[first],
                          st->reply.near_start[r + 1] - first, "border node");
        slow_answer_free(&wanted);
    }
    slow_nearest_free(&slow);
}

static void check_refused(street *st, const sc_relay *relay, sc_err wanted)
{
    sc_diag diag = {""};
    const sc_err err = sc_lbs_evaluate(st->lbs, st->objects, relay, &st->reply, &diag);
    assert_int_equal(err, wanted);
    assert_true(strlen(diag.message) > 10);
    check_still_answers(st);
}

static void test_a_relay_that_is_fine_is_answered(void **state)
{
    check_still_answers(*state);
}

static void test_a_relay_of_another_map_is_refused(void **state)
{
    street *st = *state;
    sc_relay relay = st->relay;
    relay.map_checksum++;
    check_refused(st, &relay, SC_EMISMATCH);
}

static void test_objects_of_another_map_are_refused(void **state)
{
    street *st = *state;
    sc_map *other = full_map(SC_COORDS_PLANAR);
    sc_objects *objects = NULL;
    CHECK_OK(sc_objects_new_from_map(other, &objects), NULL);
    sc_diag diag = {""};
    CHECK_REFUSED(sc_lbs_evaluate(st->lbs, objects, &st->relay, &st->reply, &diag), SC_EMISMATCH,
                  &diag, "map");
    const sc_near *near = NULL;
    size_t count = 0;
    CHECK_REFUSED(sc_lbs_nearest(st->lbs, objects,
                                 &(sc_near_query){{.edge = 0, .offset_m = 0}, &st->requests[0]},
                                 &near, &count, &diag),
                  SC_EMISMATCH, &diag, "map");
    check_still_answers(st);
    sc_objects_release(objects);
    sc_map_free(other);
}

static void test_a_request_that_makes_no_sense_is_refused(void **state)
{
    street *st = *state;
    const sc_request bad[] = {
        {.type = SC_REQUEST_KNN, .k = 0},
        {.type = SC_REQUEST_KNN, .k = 1001},
        {.type = SC_REQUEST_RANGE, .radius_m = -0.001},
        {.type = SC_REQUEST_RANGE, .radius_m = NOT_A_NUMBER},
        {.type = SC_REQUEST_RANGE, .radius_m = HUGE_VAL},
        {.type = SC_REQUEST_RANGE, .radius_m = 100001},
        {.type = SC_REQUEST_KNN, .k = 1, .category_count = 1, .categories = {2}},
        {.type = SC_REQUEST_KNN, .k = 1, .category_count = 1, .categories = {SC_NONE}},
        {.type = SC_REQUEST_KNN, .k = 1, .category_count = SC_REQUEST_CATEGORIES + 1},
        {.type = (sc_request_type)2, .k = 1, .radius_m = 1},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        check_case(i);
        const sc_request requests[2] = {st->requests[0], bad[i]};
        sc_relay relay = st->relay;
        relay.requests = requests;
        check_refused(st, &relay, SC_EREQUEST);
    }
    check_case_done();
}

static void test_too_many_requests_are_refused(void **state)
{
    street *st = *state;
    sc_request requests[MOST_REQUESTS + 1];
    for (uint32_t i = 0; i <= MOST_REQUESTS; i++) {
        requests[i] = (sc_request){.type = SC_REQUEST_KNN, .k = 1 + i};
    }
    sc_relay relay = st->relay;
    relay.requests = requests;
    relay.request_count = MOST_REQUESTS + 1;
    check_refused(st, &relay, SC_ELIMIT);
    relay.request_count = MOST_REQUESTS;
    sc_diag diag = {""};
    CHECK_OK(sc_lbs_evaluate(st->lbs, st->objects, &relay, &st->reply, &diag), &diag);
}

static void test_segments_that_do_not_exist_are_refused(void **state)
{
    street *st = *state;
    const sc_seg_id none[] = {sc_map_segment_count(st->map), SC_NONE};
    for (size_t i = 0; i < 2; i++) {
        const sc_seg_id segments[] = {st->cloak.segments[0], none[i]};
        sc_relay relay = st->relay;
        relay.segments = segments;
        relay.segment_count = 2;
        check_refused(st, &relay, SC_EUNKNOWN);
    }
}

static void test_border_nodes_that_are_no_intersections_are_refused(void **state)
{
    street *st = *state;
    // Two dead ends, one of them of the cloak; the others are no nodes at all.
    const sc_node_id bad[] = {node_at(st, 'I'), node_at(st, 'A'), sc_map_node_count(st->map),
                              SC_NONE};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        check_case(i);
        sc_relay relay = st->relay;
        relay.border_nodes = &bad[i];
        check_refused(st, &relay, SC_EUNKNOWN);
    }
    check_case_done();
}

// A lone road or ring has a star, but no place of it borders on anything.
static void test_no_node_of_a_lone_road_is_a_border_node(void **state)
{
    (void)state;
    static const char *const names[] = {"lone road", "ring", "loop alone"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        sketch s = sketch_named(names[i]);
        sc_map *map = sketch_map(&s);
        sc_objects *objects = NULL;
        sc_lbs *lbs = NULL;
        const sc_lbs_options options = sc_lbs_options_default();
        sc_reply reply;
        sc_reply_init(&reply);
        CHECK_OK(sc_objects_new_from_map(map, &objects), NULL);
        CHECK_OK(sc_lbs_new(map, &options, &lbs, NULL), NULL);
        bool *inside = test_take(1, sizeof *inside);
        inside[0] = true;
        odd_cloak all = odd_cloak_of(map, inside);
        const sc_request one = {.type = SC_REQUEST_KNN, .k = 1};
        for (sc_node_id node = 0; node < sc_map_node_count(map); node++) {
            check_case(node);
            sc_relay relay = odd_cloak_relay(&all, map, &one, 1);
            relay.border_nodes = &node;
            relay.border_node_count = 1;
            sc_diag diag = {""};
            CHECK_REFUSED(sc_lbs_evaluate(lbs, objects, &relay, &reply, &diag), SC_EUNKNOWN, &diag,
                          "border node");
        }
        check_case_done();
        odd_cloak_free(&all);
        sc_reply_fini(&reply);
        sc_lbs_free(lbs);
        sc_objects_release(objects);
        sc_map_free(map);
        sketch_free(&s);
    }
}

// Said before room is made for them.
static void test_more_border_nodes_than_ends_are_refused(void **state)
{
    street *st = *state;
    const sc_node_id nodes[] = {0, 1, 2};
    sc_relay relay = st->relay;
    relay.segment_count = 1;
    relay.border_nodes = nodes;
    relay.border_node_count = 3;
    check_refused(st, &relay, SC_EINVAL);
}

static void test_lists_that_do_not_ascend_are_refused(void **state)
{
    street *st = *state;
    const sc_seg_id *s = st->cloak.segments;
    const sc_seg_id falling[] = {s[1], s[0], s[2]};
    const sc_seg_id repeated[] = {s[0], s[1], s[1]};
    const sc_seg_id *const lists[] = {falling, repeated};
    for (size_t i = 0; i < 2; i++) {
        sc_relay relay = st->relay;
        relay.segments = lists[i];
        check_refused(st, &relay, SC_EINVAL);
    }
    // All three intersections are ends of the segments of E.
    odd_cloak middle = star_cloak(st, 'E');
    const sc_node_id d = node_at(st, 'D');
    const sc_node_id f = node_at(st, 'F');
    const sc_node_id nodes[][2] = {{d > f ? d : f, d > f ? f : d}, {d, d}};
    for (size_t i = 0; i < 2; i++) {
        sc_relay relay = odd_cloak_relay(&middle, st->map, st->requests, 2);
        assert_int_equal(relay.border_node_count, 2);
        relay.border_nodes = nodes[i];
        check_refused(st, &relay, SC_EINVAL);
    }
    odd_cloak_free(&middle);
}

static void test_a_relay_of_nothing_is_refused(void **state)
{
    street *st = *state;
    sc_relay relay = st->relay;
    relay.segment_count = 0;
    relay.border_node_count = 0;
    check_refused(st, &relay, SC_EINVAL);
    relay = st->relay;
    relay.request_count = 0;
    check_refused(st, &relay, SC_EINVAL);
}

static void test_too_many_segments_are_refused(void **state)
{
    street *st = *state;
    sc_seg_id segments[MOST_SEGMENTS + 1];
    for (uint32_t i = 0; i <= MOST_SEGMENTS; i++) {
        segments[i] = i;
    }
    sc_relay relay = st->relay;
    relay.segments = segments;
    relay.segment_count = MOST_SEGMENTS + 1;
    relay.border_node_count = 0;
    check_refused(st, &relay, SC_ELIMIT);
    relay.segment_count = MOST_SEGMENTS;
    sc_diag diag = {""};
    CHECK_OK(sc_lbs_evaluate(st->lbs, st->objects, &relay, &st->reply, &diag), &diag);
}

// Two border nodes with all eight objects each and four on the segments: one more than allowed.
static void test_a_reply_of_too_many_objects_is_refused(void **state)
{
    street *st = *state;
    odd_cloak middle = star_cloak(st, 'E');
    sc_request requests[2] = {{.type = SC_REQUEST_KNN, .k = 1000}};
    sc_relay relay = odd_cloak_relay(&middle, st->map, requests, 1);
    check_refused(st, &relay, SC_ELIMIT);
    requests[0] = (sc_request){.type = SC_REQUEST_RANGE, .radius_m = 1000};
    check_refused(st, &relay, SC_ELIMIT);
    // Each of two is within the limit, both together are not.
    requests[0] = (sc_request){.type = SC_REQUEST_KNN, .k = 3};
    requests[1] = (sc_request){.type = SC_REQUEST_KNN, .k = 4};
    relay.request_count = 2;
    check_refused(st, &relay, SC_ELIMIT);
    relay.request_count = 1;
    sc_diag diag = {""};
    CHECK_OK(sc_lbs_evaluate(st->lbs, st->objects, &relay, &st->reply, &diag), &diag);
    assert_int_equal(sc_reply_candidate_count(&st->reply, 0), 4 + 2 * 3);
    odd_cloak_free(&middle);
}

#define STREET(test) cmocka_unit_test_setup_teardown(test, open_street, close_street)
static const struct CMUnitTest tests[] = {
    STREET(test_a_relay_that_is_fine_is_answered),
    STREET(test_a_relay_of_another_map_is_refused),
    STREET(test_objects_of_another_map_are_refused),
    STREET(test_a_request_that_makes_no_sense_is_refused),
    STREET(test_too_many_requests_are_refused),
    STREET(test_segments_that_do_not_exist_are_refused),
    STREET(test_border_nodes_that_are_no_intersections_are_refused),
    SC_CASES(test_no_node_of_a_lone_road_is_a_border_node),
    STREET(test_more_border_nodes_than_ends_are_refused),
    STREET(test_lists_that_do_not_ascend_are_refused),
    STREET(test_a_relay_of_nothing_is_refused),
    STREET(test_too_many_segments_are_refused),
    STREET(test_a_reply_of_too_many_objects_is_refused),
};
SC_SUITE(tests)
