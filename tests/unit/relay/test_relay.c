// Requests, category names, relays and replies in memory, and the check of a relay.
#include <starcloak/relay.h>

#include "relay/relay_build.h"
#include "support/check.h"
#include "support/sketch.h"

#include <math.h>

// === Requests: which make sense, and when two are the same ======================================

static sc_err check(sc_request request, sc_diag *diag)
{
    const sc_request_limits limits = sc_request_limits_default();
    return sc_request_check(&request, &limits, 3, diag);
}

static sc_request knn(uint32_t k)
{
    return (sc_request){.type = SC_REQUEST_KNN, .k = k};
}

static sc_request range(double radius_m)
{
    return (sc_request){.type = SC_REQUEST_RANGE, .radius_m = radius_m};
}

static sc_request range_s(double radius_s)
{
    return (sc_request){.type = SC_REQUEST_RANGE, .metric = SC_METRIC_TIME, .radius_s = radius_s};
}

static void test_a_request_within_the_limits_makes_sense(void **state)
{
    (void)state;
    sc_diag diag = {""};
    CHECK_OK(check(knn(1), &diag), &diag);
    CHECK_OK(check(knn(1000), &diag), &diag);
    CHECK_OK(check(range(0.0), &diag), &diag);
    CHECK_OK(check(range(100000.0), &diag), &diag);
    CHECK_OK(check(range_s(0.0), &diag), &diag);
    CHECK_OK(check(range_s(7200.0), &diag), &diag);
    sc_request request = knn(5);
    request.category_count = 2;
    request.categories[0] = 2;
    request.categories[1] = 0;
    CHECK_OK(check(request, &diag), &diag);
    assert_string_equal(diag.message, "");
}

static void test_what_cannot_be_asked_is_refused_with_a_reason(void **state)
{
    (void)state;
    sc_diag diag = {""};
    CHECK_REFUSED(check(knn(0), &diag), SC_EREQUEST, &diag, "k is 0; ask for 1 to 1000");
    CHECK_REFUSED(check(knn(1001), &diag), SC_EREQUEST, &diag, "k is 1001; ask for 1 to 1000");
    CHECK_REFUSED(check(range(-0.5), &diag), SC_EREQUEST, &diag, "the radius is -0.5 m");
    CHECK_REFUSED(check(range(100001.0), &diag), SC_EREQUEST, &diag, "ask for 0 to 100000 m");
    CHECK_REFUSED(check(range(NOT_A_NUMBER), &diag), SC_EREQUEST, &diag, "the radius is");
    CHECK_REFUSED(check(range(HUGE_VAL), &diag), SC_EREQUEST, &diag, "the radius is inf m");
    CHECK_REFUSED(check(range_s(-0.5), &diag), SC_EREQUEST, &diag, "the radius is -0.5 s");
    CHECK_REFUSED(check(range_s(7201.0), &diag), SC_EREQUEST, &diag, "ask for 0 to 7200 s");
    CHECK_REFUSED(check(range_s(NOT_A_NUMBER), &diag), SC_EREQUEST, &diag, "the radius is");
    const sc_request_limits none = {.max_k = 1, .max_radius_m = HUGE_VAL, .max_radius_s = HUGE_VAL};
    const sc_request below = range_s(-1.0);
    CHECK_REFUSED(sc_request_check(&below, &none, 3, &diag), SC_EREQUEST, &diag,
                  "the radius is -1 s; ask for 0 s or more");
    sc_request request = knn(5);
    request.category_count = 1;
    request.categories[0] = 3;
    CHECK_REFUSED(check(request, &diag), SC_EREQUEST, &diag,
                  "there is no category 3; the map has 3");
    request.category_count = SC_REQUEST_CATEGORIES + 1;
    CHECK_REFUSED(check(request, &diag), SC_EREQUEST, &diag, "name at most 16");
    request = knn(5);
    request.metric = SC_METRIC_COUNT;
    CHECK_REFUSED(check(request, &diag), SC_EREQUEST, &diag, "is distance or time");
    request = knn(5);
    request.type = (sc_request_type)2;
    CHECK_REFUSED(check(request, &diag), SC_EREQUEST, &diag, "must be of type knn or range");
}

static void test_limits_are_what_the_provider_says(void **state)
{
    (void)state;
    const sc_request_limits limits = {.max_k = 3, .max_radius_m = 10.0};
    const sc_request four = knn(4);
    const sc_request wide = range(10.5);
    const sc_request fine = range(10.0);
    sc_diag diag = {""};
    CHECK_REFUSED(sc_request_check(&four, &limits, 0, &diag), SC_EREQUEST, &diag, "1 to 3");
    CHECK_REFUSED(sc_request_check(&wide, &limits, 0, &diag), SC_EREQUEST, &diag, "0 to 10 m");
    CHECK_OK(sc_request_check(&fine, &limits, 0, &diag), NULL);
}

static void test_requests_that_ask_the_same_have_one_normal_form(void **state)
{
    (void)state;
    // What a type does not use, the order of categories and their repetition do not count.
    sc_request a = {.type = SC_REQUEST_KNN,
                    .k = 5,
                    .radius_m = 7.0,
                    .category_count = 4,
                    .categories = {2, 0, 2, 1}};
    sc_request b = {
        .type = SC_REQUEST_KNN, .k = 5, .category_count = 3, .categories = {1, 2, 0, 9}};
    assert_false(sc_request_equal(&a, &b));
    a = sc_request_normalise(&a);
    b = sc_request_normalise(&b);
    assert_true(sc_request_equal(&a, &b));
    assert_int_equal(a.category_count, 3);
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(a.categories[i], i);
    }
    CHECK_SAME(a.radius_m, 0.0);

    sc_request c = range(-0.0);
    c.k = 3;
    c = sc_request_normalise(&c);
    const sc_request d = range(0.0);
    assert_true(sc_request_equal(&c, &d));
    CHECK_SAME(c.radius_m, 0.0);

    // The radius of the other metric does not count either.
    sc_request e = range_s(5.0);
    e.radius_m = 7.0;
    e = sc_request_normalise(&e);
    const sc_request f = range_s(5.0);
    assert_true(sc_request_equal(&e, &f));
}

static void test_requests_that_differ_in_anything_are_not_equal(void **state)
{
    (void)state;
    const sc_request plain = {
        .type = SC_REQUEST_KNN, .k = 5, .category_count = 1, .categories = {1}};
    sc_request other = plain;
    assert_true(sc_request_equal(&plain, &other));
    other.k = 6;
    assert_false(sc_request_equal(&plain, &other));
    other = plain;
    other.categories[0] = 2;
    assert_false(sc_request_equal(&plain, &other));
    other = plain;
    other.category_count = 0;
    assert_false(sc_request_equal(&plain, &other));
    const sc_request near = range(5.0);
    const sc_request far = range(6.0);
    assert_false(sc_request_equal(&near, &far));
    assert_false(sc_request_equal(&near, &plain));
    const sc_request soon = range_s(5.0);
    const sc_request later = range_s(6.0);
    assert_false(sc_request_equal(&near, &soon));
    assert_false(sc_request_equal(&soon, &later));
    other = plain;
    other.metric = SC_METRIC_TIME;
    assert_false(sc_request_equal(&plain, &other));
}

// === The words for categories ===================================================================

static void test_a_word_is_found_and_an_unknown_one_is_not(void **state)
{
    (void)state;
    const char *const words[] = {"cafe", "", "caf\xc3\xa9"};
    const sc_vocabulary vocabulary = {words, 3};
    assert_int_equal(sc_vocabulary_find(&vocabulary, "cafe"), 0);
    assert_int_equal(sc_vocabulary_find(&vocabulary, ""), 1);
    assert_int_equal(sc_vocabulary_find(&vocabulary, "caf\xc3\xa9"), 2);
    assert_int_equal(sc_vocabulary_find(&vocabulary, "caf"), SC_NONE);
    assert_int_equal(sc_vocabulary_find(&(sc_vocabulary){0}, "cafe"), SC_NONE);
}

static void test_a_map_lends_its_words(void **state)
{
    (void)state;
    sc_map *map = full_map(SC_COORDS_PLANAR);
    sc_vocabulary vocabulary = {0};
    CHECK_OK(sc_vocabulary_init_from_map(map, &vocabulary), NULL);
    assert_int_equal(vocabulary.count, sc_map_category_count(map));
    assert_true(vocabulary.count >= 2);
    for (sc_category_id i = 0; i < vocabulary.count; i++) {
        assert_string_equal(vocabulary.names[i], sc_map_category_name(map, i));
        assert_int_equal(sc_vocabulary_find(&vocabulary, vocabulary.names[i]), i);
    }
    sc_vocabulary_fini(&vocabulary);
    assert_int_equal(vocabulary.count, 0);
    sc_vocabulary_fini(&vocabulary);
    sc_map_free(map);
}

// === Relays in one block, and replies that are filled again and again ===========================

static void test_a_relay_has_room_for_its_tables(void **state)
{
    (void)state;
    sc_seg_id *segments = NULL;
    sc_node_id *nodes = NULL;
    sc_request *requests = NULL;
    sc_relay *relay = sc__relay_alloc(3, 2, 5, &segments, &nodes, &requests);
    assert_non_null(relay);
    // The sanitizer sees a byte beyond the block.
    memset(segments, 0x11, 3 * sizeof *segments);
    memset(nodes, 0x22, 2 * sizeof *nodes);
    memset(requests, 0x33, 5 * sizeof *requests);
    assert_int_equal(relay->segment_count, 3);
    assert_int_equal(relay->border_node_count, 2);
    assert_int_equal(relay->request_count, 5);
    assert_int_equal(relay->segments[2], 0x11111111);
    assert_int_equal(relay->border_nodes[0], 0x22222222);
    assert_int_equal(relay->requests[4].k, 0x33333333);
    assert_null(relay->border_places);
    assert_int_equal(relay->border_place_count, 0);
    sc_relay_free(relay);
    sc_relay_free(NULL);
}

static void test_a_relay_beyond_all_sizes_is_none(void **state)
{
    (void)state;
    sc_seg_id *segments = NULL;
    sc_node_id *nodes = NULL;
    sc_request *requests = NULL;
    assert_null(sc__relay_alloc(SIZE_MAX, 1, 1, &segments, &nodes, &requests));
    assert_null(sc__relay_alloc(1, SIZE_MAX / 4, 1, &segments, &nodes, &requests));
    assert_null(sc__relay_alloc(1, 1, SIZE_MAX / 8, &segments, &nodes, &requests));
}

// Two requests, three border nodes; list i of request r has i + r entries.
static void fill(sc_reply *reply)
{
    assert_true(sc__reply_begin(reply, 2, 3));
    for (uint32_t r = 0; r < 2; r++) {
        for (uint32_t i = 0; i < r + 1; i++) {
            assert_true(sc__reply_add_run(reply, 10 * r + i, i + 1));
        }
        sc__reply_end_runs(reply, r);
        for (uint32_t b = 0; b < 3; b++) {
            for (uint32_t i = 0; i < b + r; i++) {
                assert_true(sc__reply_add_near(reply, (sc_near){100 * r + 10 * b + i, i, 2.0 * i}));
            }
            sc__reply_end_nears(reply, r, b);
        }
    }
}

static void test_a_reply_is_filled_list_by_list_and_again(void **state)
{
    (void)state;
    sc_reply reply;
    sc_reply_init(&reply);
    for (int again = 0; again < 3; again++) {
        fill(&reply);
        assert_int_equal(reply.run_start[0], 0);
        assert_int_equal(reply.run_start[1], 1);
        assert_int_equal(reply.run_start[2], 3);
        assert_int_equal(reply.runs[2].first, 11);
        assert_int_equal(reply.runs[2].count, 2);
        const uint32_t starts[] = {0, 0, 1, 3, 4, 6, 9};
        for (int i = 0; i < 7; i++) {
            assert_int_equal(reply.near_start[i], starts[i]);
        }
        assert_int_equal(reply.nears[8].object, 122);
        CHECK_SAME(reply.nears[8].distance_m, 2.0);
        CHECK_SAME(reply.nears[8].duration_s, 4.0);
        assert_int_equal(sc_reply_candidate_count(&reply, 0), 1 + 3);
        assert_int_equal(sc_reply_candidate_count(&reply, 1), 3 + 6);
    }
    const void *kept = reply.nears;
    assert_true(sc__reply_begin(&reply, 1, 0));
    assert_ptr_equal(reply.nears, kept);
    assert_int_equal(sc_reply_candidate_count(&reply, 0), 0);
    sc_reply_fini(&reply);
    sc_reply_fini(&reply);
    assert_null(reply.nears);
}

static void test_a_reply_grows_as_it_needs(void **state)
{
    (void)state;
    sc_reply reply;
    sc_reply_init(&reply);
    assert_true(sc__reply_begin(&reply, 1, 1));
    for (uint32_t i = 0; i < 1000; i++) {
        assert_true(sc__reply_add_run(&reply, i, 2));
        assert_true(sc__reply_add_near(&reply, (sc_near){i, i, i}));
    }
    sc__reply_end_runs(&reply, 0);
    sc__reply_end_nears(&reply, 0, 0);
    assert_int_equal(sc_reply_candidate_count(&reply, 0), 3000);
    for (uint32_t i = 0; i < 1000; i++) {
        assert_int_equal(reply.runs[i].first, i);
        assert_int_equal(reply.nears[i].object, i);
    }
    sc_reply_fini(&reply);
}

static void test_a_reply_beyond_all_sizes_stays_empty(void **state)
{
    (void)state;
    sc_reply reply;
    sc_reply_init(&reply);
    fill(&reply);
    assert_false(sc__reply_begin(&reply, SIZE_MAX, 2));
    assert_int_equal(reply.request_count, 0);
    assert_false(sc__reply_begin(&reply, SIZE_MAX, 0));
    fill(&reply);
    sc_reply_fini(&reply);
}

// === Relay check ================================================================================
// Is this a relay of this map? One that is passes; each way of not being one has its code.

enum { SEGMENTS = 3, NODES = 4, ENDS = 2 * SEGMENTS };

/** A map, and a relay of it that a test may spoil. Border nodes need not be any here. */
typedef struct sample {
    sc_map *map;
    sc_seg_id segments[SEGMENTS];
    sc_node_id nodes[ENDS + 1];
    sc_request request;
    sc_relay relay;
} sample;

static int open_sample(void **state)
{
    sample *s = test_take(1, sizeof *s);
    s->map = full_map(SC_COORDS_PLANAR);
    const uint32_t segment_count = sc_map_segment_count(s->map);
    const uint32_t node_count = sc_map_node_count(s->map);
    assert_true(segment_count > SEGMENTS && node_count > ENDS + 1);
    for (uint32_t i = 0; i < SEGMENTS; i++) {
        s->segments[i] = segment_count - SEGMENTS + i;
    }
    for (uint32_t i = 0; i < ENDS + 1; i++) {
        s->nodes[i] = node_count - NODES + i;
    }
    s->request = (sc_request){.type = SC_REQUEST_KNN, .k = 1};
    s->relay = (sc_relay){
        .map_checksum = sc_map_checksum(s->map),
        .segments = s->segments,
        .segment_count = SEGMENTS,
        .border_nodes = s->nodes,
        .border_node_count = NODES,
        .requests = &s->request,
        .request_count = 1,
    };
    *state = s;
    return 0;
}

static int close_sample(void **state)
{
    sample *s = *state;
    sc_map_free(s->map);
    free(s);
    return 0;
}

static void check_fine(const sample *s, size_t max_segments)
{
    sc_diag diag = {""};
    CHECK_OK(sc__relay_check(s->map, &s->relay, max_segments, &diag), &diag);
}

static void check_refused(const sample *s, size_t max_segments, sc_err code, const char *why)
{
    sc_diag diag = {""};
    CHECK_REFUSED(sc__relay_check(s->map, &s->relay, max_segments, &diag), code, &diag, why);
}

static void test_a_relay_of_the_map_passes_up_to_its_last_segment_and_node(void **state)
{
    sample *s = *state;
    check_fine(s, SIZE_MAX);
    check_fine(s, SEGMENTS);
    s->relay.border_node_count = 0;
    s->relay.border_nodes = NULL;
    check_fine(s, SIZE_MAX);
}

static void test_another_map_is_told_before_its_ids_are_looked_at(void **state)
{
    sample *s = *state;
    s->relay.map_checksum++;
    s->segments[0] = SC_NONE;
    check_refused(s, SIZE_MAX, SC_EMISMATCH, "of another map");
}

static void test_no_segment_and_no_request_are_refused(void **state)
{
    sample *s = *state;
    s->relay.request_count = 0;
    check_refused(s, SIZE_MAX, SC_EINVAL, "no requests");
    s->relay.segment_count = 0;
    check_refused(s, SIZE_MAX, SC_EINVAL, "no segments");
}

static void test_one_segment_more_than_allowed_is_too_many(void **state)
{
    check_refused(*state, SEGMENTS - 1, SC_ELIMIT, "has 3 segments; at most 2 are allowed");
}

static void test_segments_that_do_not_exist_or_ascend_are_refused(void **state)
{
    sample *s = *state;
    s->segments[2] = sc_map_segment_count(s->map);
    check_refused(s, SIZE_MAX, SC_EUNKNOWN, "segment 2 of the relay does not exist");
    s->segments[2] = SC_NONE;
    check_refused(s, SIZE_MAX, SC_EUNKNOWN, "segment 2 of the relay does not exist");
    s->segments[2] = s->segments[1];
    check_refused(s, SIZE_MAX, SC_EINVAL, "segment 2 of the relay is not above the one before");
    s->segments[2] = 0;
    check_refused(s, SIZE_MAX, SC_EINVAL, "segment 2 of the relay is not above the one before");
}

static void test_border_nodes_that_do_not_exist_or_ascend_are_refused(void **state)
{
    sample *s = *state;
    s->nodes[3] = sc_map_node_count(s->map);
    check_refused(s, SIZE_MAX, SC_EUNKNOWN, "border node 3 of the relay does not exist");
    s->nodes[3] = s->nodes[2];
    check_refused(s, SIZE_MAX, SC_EINVAL, "border node 3 of the relay is not above");
    s->nodes[3] = 0;
    check_refused(s, SIZE_MAX, SC_EINVAL, "border node 3 of the relay is not above");
}

static void test_a_segment_has_two_border_nodes_at_most(void **state)
{
    sample *s = *state;
    for (uint32_t i = 0; i < ENDS + 1; i++) {
        s->nodes[i] = i;
    }
    s->relay.border_node_count = ENDS;
    check_fine(s, SIZE_MAX);
    s->relay.border_node_count++;
    check_refused(s, SIZE_MAX, SC_EINVAL, "3 segments cannot have 7 border nodes");
}

#define SAMPLE(test) cmocka_unit_test_setup_teardown(test, open_sample, close_sample)

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_request_within_the_limits_makes_sense),
    cmocka_unit_test(test_what_cannot_be_asked_is_refused_with_a_reason),
    cmocka_unit_test(test_limits_are_what_the_provider_says),
    cmocka_unit_test(test_requests_that_ask_the_same_have_one_normal_form),
    cmocka_unit_test(test_requests_that_differ_in_anything_are_not_equal),
    cmocka_unit_test(test_a_word_is_found_and_an_unknown_one_is_not),
    cmocka_unit_test(test_a_map_lends_its_words),
    cmocka_unit_test(test_a_relay_has_room_for_its_tables),
    cmocka_unit_test(test_a_relay_beyond_all_sizes_is_none),
    cmocka_unit_test(test_a_reply_is_filled_list_by_list_and_again),
    cmocka_unit_test(test_a_reply_grows_as_it_needs),
    cmocka_unit_test(test_a_reply_beyond_all_sizes_stays_empty),
    SAMPLE(test_a_relay_of_the_map_passes_up_to_its_last_segment_and_node),
    SAMPLE(test_another_map_is_told_before_its_ids_are_looked_at),
    SAMPLE(test_no_segment_and_no_request_are_refused),
    SAMPLE(test_one_segment_more_than_allowed_is_too_many),
    SAMPLE(test_segments_that_do_not_exist_or_ascend_are_refused),
    SAMPLE(test_border_nodes_that_do_not_exist_or_ascend_are_refused),
    SAMPLE(test_a_segment_has_two_border_nodes_at_most),
};
SC_SUITE(tests)
