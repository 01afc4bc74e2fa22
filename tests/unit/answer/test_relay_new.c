// What leaves for a cloak: its segments, its border nodes and the different requests, and nothing
// of who asked for what.
#include <starcloak/answer.h>

#include "base/rng.h"
#include "support/check.h"
#include "support/sketch.h"

enum { MEMBERS = 5 };

static sc_request knn(uint32_t k)
{
    return (sc_request){.type = SC_REQUEST_KNN, .k = k};
}

/** A map, and a generator. */
typedef struct scene {
    sketch s;
    sc_map *map;
    sc_rng rng;
} scene;

static scene scene_new(uint64_t seed)
{
    scene at = {.s = sketch_named("street of three")};
    at.map = sketch_map(&at.s);
    sc_rng_seed(&at.rng, seed);
    return at;
}

static void scene_free(scene *at)
{
    sc_map_free(at->map);
    sketch_free(&at->s);
}

static const sc_seg_id some_segments[] = {1, 3, 4};
static const sc_node_id some_border_nodes[] = {4, 5};

static sc_relay *make(scene *at, const sc_request *requests, size_t count, uint32_t *which)
{
    sc_relay *relay = NULL;
    CHECK_OK(sc_relay_new(at->map,
                          &(sc_relay_content){.segments = some_segments,
                                              .segment_count = 3,
                                              .border_nodes = some_border_nodes,
                                              .border_node_count = 2,
                                              .requests = requests,
                                              .member_count = count},
                          &at->rng, which, &relay),
             NULL);
    return relay;
}

static void test_a_relay_has_the_cloak_and_the_map_it_is_of(void **state)
{
    (void)state;
    scene at = scene_new(1);
    const sc_request request = knn(5);
    uint32_t which = 77;
    sc_relay *relay = make(&at, &request, 1, &which);
    assert_true(relay->map_checksum == sc_map_checksum(at.map));
    assert_int_equal(relay->segment_count, 3);
    assert_memory_equal(relay->segments, some_segments, sizeof some_segments);
    assert_int_equal(relay->border_node_count, 2);
    assert_memory_equal(relay->border_nodes, some_border_nodes, sizeof some_border_nodes);
    assert_int_equal(relay->request_count, 1);
    assert_true(sc_request_equal(&relay->requests[0], &request));
    assert_int_equal(which, 0);
    sc_relay_free(relay);
    scene_free(&at);
}

// Two ask for the 5 nearest (one of them with a radius that means nothing), two for the same
// categories in another order, one within 100 m.
static void test_members_who_ask_the_same_are_one_request(void **state)
{
    (void)state;
    const sc_request requests[MEMBERS] = {
        {.type = SC_REQUEST_KNN, .k = 5},
        {.type = SC_REQUEST_KNN, .k = 5, .category_count = 2, .categories = {3, 1}},
        {.type = SC_REQUEST_RANGE, .radius_m = 100.0},
        {.type = SC_REQUEST_KNN, .k = 5, .radius_m = 8.0},
        {.type = SC_REQUEST_KNN, .k = 5, .category_count = 3, .categories = {1, 3, 1}},
    };
    for (uint64_t seed = 0; seed < 50; seed++) {
        check_case(seed);
        scene at = scene_new(seed);
        uint32_t which[MEMBERS];
        sc_relay *relay = make(&at, requests, MEMBERS, which);
        assert_int_equal(relay->request_count, 3);
        for (size_t i = 0; i < MEMBERS; i++) {
            assert_true(which[i] < 3);
            const sc_request normal = sc_request_normalise(&requests[i]);
            assert_true(sc_request_equal(&relay->requests[which[i]], &normal));
        }
        assert_int_equal(which[0], which[3]);
        assert_int_equal(which[1], which[4]);
        sc_relay_free(relay);
        scene_free(&at);
    }
    check_case_done();
}

// Requests by time and by distance alternate, and each is asked three times.
static void test_members_who_ask_the_same_in_one_metric_are_one_request(void **state)
{
    (void)state;
    static const sc_request different[] = {
        {.type = SC_REQUEST_KNN, .metric = SC_METRIC_DISTANCE, .k = 6},
        {.type = SC_REQUEST_KNN, .metric = SC_METRIC_TIME, .k = 6},
        {.type = SC_REQUEST_RANGE, .metric = SC_METRIC_TIME, .radius_s = 60.0},
        {.type = SC_REQUEST_RANGE, .metric = SC_METRIC_TIME, .radius_s = 30.0},
        {.type = SC_REQUEST_RANGE, .metric = SC_METRIC_DISTANCE, .radius_m = 60.0},
    };
    enum { DIFFERENT = sizeof different / sizeof *different, ASKED = 3 * DIFFERENT };
    sc_request requests[ASKED];
    for (size_t i = 0; i < ASKED; i++) {
        requests[i] = different[i % DIFFERENT];
    }
    scene at = scene_new(1);
    uint32_t which[ASKED];
    sc_relay *relay = make(&at, requests, ASKED, which);
    assert_int_equal(relay->request_count, DIFFERENT);
    for (size_t i = 0; i < ASKED; i++) {
        assert_int_equal(which[i], which[i % DIFFERENT]);
        assert_true(sc_request_equal(&relay->requests[which[i]], &requests[i]));
    }
    sc_relay_free(relay);
    scene_free(&at);
}

// What differs in one respect only is another request.
static void test_requests_that_differ_in_anything_stay_apart(void **state)
{
    (void)state;
    const sc_request requests[] = {
        {.type = SC_REQUEST_KNN, .k = 5},
        {.type = SC_REQUEST_KNN, .k = 6},
        {.type = SC_REQUEST_RANGE, .radius_m = 5.0},
        {.type = SC_REQUEST_RANGE, .radius_m = 6.0},
        {.type = SC_REQUEST_KNN, .k = 5, .category_count = 1, .categories = {0}},
        {.type = SC_REQUEST_KNN, .k = 5, .category_count = 1, .categories = {1}},
        {.type = SC_REQUEST_KNN, .k = 5, .category_count = 2, .categories = {0, 1}},
        {.type = SC_REQUEST_RANGE, .radius_m = 5.0, .category_count = 1, .categories = {1}},
    };
    enum { COUNT = sizeof requests / sizeof *requests };
    scene at = scene_new(3);
    uint32_t which[COUNT];
    sc_relay *relay = make(&at, requests, COUNT, which);
    assert_int_equal(relay->request_count, COUNT);
    unsigned seen = 0;
    for (size_t i = 0; i < COUNT; i++) {
        seen |= 1u << which[i];
    }
    assert_int_equal(seen, (1u << COUNT) - 1);
    sc_relay_free(relay);
    scene_free(&at);
}

// Three requests have six orders. Over 6,000 relays each comes about 1,000 times; the standard
// deviation is 29, and 150 is five of them.
static void test_requests_stand_in_any_order_equally_often(void **state)
{
    (void)state;
    enum { RELAYS = 6000 };
    const sc_request requests[] = {knn(1), knn(2), knn(3)};
    size_t count[27] = {0};
    scene at = scene_new(7);
    for (int i = 0; i < RELAYS; i++) {
        uint32_t which[3];
        sc_relay *relay = make(&at, requests, 3, which);
        count[9 * which[0] + 3 * which[1] + which[2]]++;
        sc_relay_free(relay);
    }
    static const size_t orders[] = {5, 7, 11, 15, 19, 21};  // 012, 021, 102, 120, 201, 210
    for (size_t i = 0; i < 6; i++) {
        assert_true(count[orders[i]] > 850 && count[orders[i]] < 1150);
    }
    scene_free(&at);
}

// The same wishes and the same dice make the same relay, whichever member has which wish.
static void test_the_order_of_members_leaves_no_trace(void **state)
{
    (void)state;
    const sc_request one_way[] = {knn(3), knn(1), knn(2), knn(1)};
    const sc_request other_way[] = {knn(1), knn(2), knn(1), knn(3)};
    for (uint64_t seed = 0; seed < 30; seed++) {
        check_case(seed);
        scene a = scene_new(seed);
        scene b = scene_new(seed);
        uint32_t which[4];
        sc_relay *first = make(&a, one_way, 4, which);
        sc_relay *second = make(&b, other_way, 4, which);
        assert_int_equal(first->request_count, second->request_count);
        for (size_t i = 0; i < first->request_count; i++) {
            assert_true(sc_request_equal(&first->requests[i], &second->requests[i]));
        }
        sc_relay_free(first);
        sc_relay_free(second);
        scene_free(&a);
        scene_free(&b);
    }
    check_case_done();
}

static void test_segments_and_border_nodes_ascend_whatever_order_they_come_in(void **state)
{
    (void)state;
    scene at = scene_new(1);
    const sc_seg_id segments[] = {4, 1, 3};
    const sc_node_id border_nodes[] = {5, 4};
    const sc_request request = knn(5);
    uint32_t which = 0;
    sc_relay *relay = NULL;
    CHECK_OK(sc_relay_new(at.map,
                          &(sc_relay_content){.segments = segments,
                                              .segment_count = 3,
                                              .border_nodes = border_nodes,
                                              .border_node_count = 2,
                                              .requests = &request,
                                              .member_count = 1},
                          &at.rng, &which, &relay),
             NULL);
    assert_memory_equal(relay->segments, some_segments, sizeof some_segments);
    assert_memory_equal(relay->border_nodes, some_border_nodes, sizeof some_border_nodes);
    sc_relay_free(relay);
    scene_free(&at);
}

static void test_a_relay_without_segments_or_requests_is_none(void **state)
{
    (void)state;
    scene at = scene_new(1);
    const sc_request request = knn(5);
    uint32_t which = 77;
    sc_relay *relay = NULL;
    assert_int_equal(sc_relay_new(at.map,
                                  &(sc_relay_content){.segments = some_segments,
                                                      .segment_count = 0,
                                                      .border_nodes = some_border_nodes,
                                                      .border_node_count = 2,
                                                      .requests = &request,
                                                      .member_count = 1},
                                  &at.rng, &which, &relay),
                     SC_EINVAL);
    assert_int_equal(sc_relay_new(at.map,
                                  &(sc_relay_content){.segments = some_segments,
                                                      .segment_count = 3,
                                                      .border_nodes = some_border_nodes,
                                                      .border_node_count = 2,
                                                      .requests = &request,
                                                      .member_count = 0},
                                  &at.rng, &which, &relay),
                     SC_EINVAL);
    assert_null(relay);
    assert_int_equal(which, 77);
    // Without border nodes it is one: a cloak may be a whole component.
    CHECK_OK(sc_relay_new(at.map,
                          &(sc_relay_content){.segments = some_segments,
                                              .segment_count = 3,
                                              .border_nodes = NULL,
                                              .border_node_count = 0,
                                              .requests = &request,
                                              .member_count = 1},
                          &at.rng, &which, &relay),
             NULL);
    assert_int_equal(relay->border_node_count, 0);
    sc_relay_free(relay);
    scene_free(&at);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_relay_has_the_cloak_and_the_map_it_is_of),
    SC_CASES(test_members_who_ask_the_same_are_one_request),
    cmocka_unit_test(test_members_who_ask_the_same_in_one_metric_are_one_request),
    cmocka_unit_test(test_requests_that_differ_in_anything_stay_apart),
    cmocka_unit_test(test_requests_stand_in_any_order_equally_often),
    SC_CASES(test_the_order_of_members_leaves_no_trace),
    cmocka_unit_test(test_segments_and_border_nodes_ascend_whatever_order_they_come_in),
    cmocka_unit_test(test_a_relay_without_segments_or_requests_is_none),
};
SC_SUITE(tests)
