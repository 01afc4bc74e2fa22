// Every allocation of writing and reading a cluster's messages fails once, in turn: it is reported,
// nothing leaks, and the next attempt succeeds.
#include "support/check.h"
#include "support/made_messages.h"
#include "support/oom.h"

#include "cluster/cluster_codec_internal.h"

enum { PARTS = 40, CASES = 8 };

static void check_msg(const msg_town *town, const sc_msg *msg)
{
    sc_bytes bytes = {0};
    unsigned long failures = 0;
    FOR_EACH_FAILURE(n)
    {
        const sc_err err = sc_msg_encode(&town->codec, msg, 0, &bytes);
        if (!oom_happened()) {
            assert_int_equal(err, SC_OK);
            break;
        }
        assert_int_equal(err, SC_ENOMEM);
        sc_bytes_fini(&bytes);
        failures++;
    }
    FOR_EACH_FAILURE(n)
    {
        sc_msg read = {.kind = SC_MSG_NONE};
        const sc_err err = sc_msg_decode(&town->codec, bytes.data, bytes.size, 0, &read);
        if (!oom_happened()) {
            assert_int_equal(err, SC_OK);
            check_same_msg(&read, msg);
            sc_msg_fini(&read);
            break;
        }
        assert_int_equal(err, SC_ENOMEM);
        assert_int_equal(read.kind, SC_MSG_NONE);
        failures++;
    }
    assert_true(failures >= 2);
    sc_bytes_fini(&bytes);
}

static void test_msgs(void **state)
{
    (void)state;
    msg_town town = msg_town_new();
    sc_rng rng;
    sc_rng_seed(&rng, 1);
    for (int i = 0; i < CASES; i++) {
        for (unsigned kind = SC_MSG_NONE + 1; kind < SC_MSG_KIND_COUNT; kind++) {
            sc_msg msg = made_msg(&town, (sc_msg_kind)kind, &rng);
            if (kind == SC_MSG_ADD || kind == SC_MSG_COMPANY) made_own(&town, &msg, &rng);
            check_msg(&town, &msg);
            sc_msg_fini(&msg);
        }
    }
    msg_town_free(&town);
}

static void test_heartbeats_and_placements(void **state)
{
    (void)state;
    sc_rng rng;
    sc_rng_seed(&rng, 2);
    sc_heartbeat *heartbeat = made_heartbeat(PARTS, &rng);
    sc_placement *placement = made_placement(PARTS, &rng);
    FOR_EACH_FAILURE(n)
    {
        sc_bytes bytes = {0};
        sc_heartbeat *read = NULL;
        sc_err err = sc_heartbeat_encode(heartbeat, &bytes);
        if (!err) err = sc_heartbeat_decode(PARTS, bytes.data, bytes.size, &read);
        const bool failed = oom_happened();
        assert_int_equal(err, failed ? SC_ENOMEM : SC_OK);
        if (read) check_same_heartbeat(read, heartbeat);
        sc_heartbeat_free(read);
        sc_bytes_fini(&bytes);
        if (!failed) break;
    }
    FOR_EACH_FAILURE(n)
    {
        sc_bytes bytes = {0};
        sc_placement *read = NULL;
        sc_err err = sc_placement_encode(placement, &bytes);
        if (!err) err = sc_placement_decode(PARTS, bytes.data, bytes.size, &read);
        const bool failed = oom_happened();
        assert_int_equal(err, failed ? SC_ENOMEM : SC_OK);
        if (read) check_same_placement(read, placement);
        sc_placement_free(read);
        sc_bytes_fini(&bytes);
        if (!failed) break;
    }
    FOR_EACH_FAILURE(n)
    {
        sc_placement *clone = sc_placement_clone(placement);
        if (!oom_happened()) {
            check_same_placement(clone, placement);
            sc_placement_free(clone);
            break;
        }
        assert_null(clone);
    }
    sc_heartbeat_free(heartbeat);
    sc_placement_free(placement);
}

static void test_a_workers_msgs(void **state)
{
    (void)state;
    FOR_EACH_FAILURE(n)
    {
        struct sc_category_table *msgs = NULL;
        uint32_t number = SC_NONE;
        sc_err err = sc_category_table_new(&msgs);
        for (int i = 0; i < 40 && !err; i++) {
            const char msg[] = {(char)('A' + i), '\0'};
            err = sc__category_table_number(msgs, msg, &number);
        }
        const bool failed = oom_happened();
        assert_int_equal(err, failed ? SC_ENOMEM : SC_OK);
        if (msgs) {
            // What was refused for want of memory is taken now, and nothing was numbered twice.
            assert_int_equal(sc__category_table_number(msgs, "A", &number), SC_OK);
            assert_int_equal(number, 0);
        }
        sc_category_table_free(msgs);
        if (!failed) break;
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_msgs),
    cmocka_unit_test(test_heartbeats_and_placements),
    cmocka_unit_test(test_a_workers_msgs),
};
SC_SUITE(tests)
