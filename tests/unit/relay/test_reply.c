// Relays in one block, and replies that are filled again and again.
#include "support/check.h"

#include "relay/relay_build.h"

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
                assert_true(sc__reply_add_near(reply, 100 * r + 10 * b + i, i));
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
        assert_true(sc__reply_add_near(&reply, i, i));
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

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_relay_has_room_for_its_tables),
    cmocka_unit_test(test_a_relay_beyond_all_sizes_is_none),
    cmocka_unit_test(test_a_reply_is_filled_list_by_list_and_again),
    cmocka_unit_test(test_a_reply_grows_as_it_needs),
    cmocka_unit_test(test_a_reply_beyond_all_sizes_stays_empty),
};
SC_SUITE(tests)
