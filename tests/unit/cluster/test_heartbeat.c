// Beats and placements in memory: blocks of the size that is asked for, copies, and which placement
// counts.
#include "support/check.h"

#include "cluster/placement.h"

static void test_a_heartbeat_has_room_for_its_parts(void **state)
{
    (void)state;
    sc_heartbeat *heartbeat = sc_heartbeat_new(SC_PARTITION_PARTS_MAX);
    assert_non_null(heartbeat);
    assert_int_equal(heartbeat->part_count, SC_PARTITION_PARTS_MAX);
    for (size_t i = 0; i < heartbeat->part_count; i++) {
        assert_int_equal(heartbeat->parts[i].load.queries, 0);
        heartbeat->parts[i].load.queries = i;
    }
    sc_heartbeat_free(heartbeat);
    assert_null(sc_heartbeat_new(SC_PARTITION_PARTS_MAX + 1));
    sc_heartbeat_free(NULL);
}

static void test_a_placement_begins_without_owners_and_is_copied_whole(void **state)
{
    (void)state;
    sc_placement *placement = sc_placement_new(3);
    assert_non_null(placement);
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(placement->owners[i], SC_PEER_NONE);
        placement->owners[i] = 10 + i;
    }
    placement->epoch = 7;
    placement->leader = 8;
    placement->partition = 9;
    sc_placement *clone = sc_placement_clone(placement);
    assert_non_null(clone);
    sc_placement_free(placement);
    assert_int_equal(clone->epoch, 7);
    assert_int_equal(clone->leader, 8);
    assert_int_equal(clone->partition, 9);
    assert_int_equal(clone->parts, 3);
    assert_int_equal(clone->owners[2], 12);
    sc_placement_free(clone);
    assert_null(sc_placement_new(SC_PARTITION_PARTS_MAX + 1));
    sc_placement_free(NULL);
}

static void test_the_later_epoch_counts_and_then_the_greater_leader(void **state)
{
    (void)state;
    const sc_placement old = {.epoch = 1, .leader = 9};
    const sc_placement lesser = {.epoch = 2, .leader = 3};
    const sc_placement greater = {.epoch = 2, .leader = 4};
    assert_true(sc_placement_is_newer(&old, NULL));
    assert_true(sc_placement_is_newer(&lesser, &old));
    assert_false(sc_placement_is_newer(&old, &lesser));
    assert_true(sc_placement_is_newer(&greater, &lesser));
    assert_false(sc_placement_is_newer(&lesser, &greater));
    assert_false(sc_placement_is_newer(&lesser, &lesser));
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_heartbeat_has_room_for_its_parts),
    cmocka_unit_test(test_a_placement_begins_without_owners_and_is_copied_whole),
    cmocka_unit_test(test_the_later_epoch_counts_and_then_the_greater_leader),
};
SC_SUITE(tests)
