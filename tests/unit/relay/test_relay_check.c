// Is this a relay of this map? One that is passes; each way of not being one has its code.
#include "relay/relay_build.h"

#include "support/check.h"
#include "support/sketch.h"

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
    SAMPLE(test_a_relay_of_the_map_passes_up_to_its_last_segment_and_node),
    SAMPLE(test_another_map_is_told_before_its_ids_are_looked_at),
    SAMPLE(test_no_segment_and_no_request_are_refused),
    SAMPLE(test_one_segment_more_than_allowed_is_too_many),
    SAMPLE(test_segments_that_do_not_exist_or_ascend_are_refused),
    SAMPLE(test_border_nodes_that_do_not_exist_or_ascend_are_refused),
    SAMPLE(test_a_segment_has_two_border_nodes_at_most),
};
SC_SUITE(tests)
