// The bytes of every message between processes of a cluster are those that are stored, so that
// processes of two versions understand each other.
#include "support/check.h"
#include "support/cluster_keys.h"
#include "support/golden.h"
#include "support/made_messages.h"

#include "cluster/bus_internal.h"
#include "cluster/cluster_seal.h"

enum { CASES = 3, PARTS = 9 };

/** The calendar's clock less the process's own. */
static const int64_t offset = INT64_C(123456789012345);

/** The same numbers for a case, whatever other cases there are. */
static sc_rng rng_of(unsigned kind, unsigned number)
{
    sc_rng rng;
    sc_rng_seed(&rng, kind * 100 + number);
    return rng;
}

static void test_words_of_every_kind_have_the_bytes_that_are_stored(void **state)
{
    (void)state;
    msg_town town = msg_town_new();
    golden_text golden;
    golden_begin(&golden);
    for (unsigned kind = SC_MSG_NONE + 1; kind < SC_MSG_KIND_COUNT; kind++) {
        for (unsigned i = 0; i < CASES; i++) {
            sc_rng rng = rng_of(kind, i);
            sc_msg msg = made_msg(&town, (sc_msg_kind)kind, &rng);
            sc_bytes bytes = {0};
            assert_int_equal(sc_msg_encode(&town.codec, &msg, offset, &bytes), SC_OK);
            char title[64];
            snprintf(title, sizeof title, "%s %u", sc_msg_kind_name(msg.kind), i);
            golden_bytes(&golden, title, bytes.data, bytes.size);
            sc_bytes_fini(&bytes);
            sc_msg_fini(&msg);
        }
    }
    for (unsigned i = 0; i < 2 * CASES; i++) {
        sc_rng rng = rng_of(SC_MSG_ADD, CASES + i);
        sc_msg msg = made_msg(&town, SC_MSG_ADD, &rng);
        made_own(&town, &msg, &rng);
        sc_bytes bytes = {0};
        assert_int_equal(sc_msg_encode(&town.codec, &msg, offset, &bytes), SC_OK);
        golden_bytes(&golden, "add with demands", bytes.data, bytes.size);
        sc_bytes_fini(&bytes);
        sc_msg_fini(&msg);
    }
    golden_end(&golden, "cluster-messages.txt");
    msg_town_free(&town);
}

static void test_heartbeats_and_placements_have_the_bytes_that_are_stored(void **state)
{
    (void)state;
    golden_text golden;
    golden_begin(&golden);
    sc_bytes bytes = {0};
    for (unsigned i = 0; i < CASES; i++) {
        sc_rng rng = rng_of(0, i);
        sc_heartbeat *heartbeat = made_heartbeat(PARTS, &rng);
        assert_int_equal(sc_heartbeat_encode(heartbeat, &bytes), SC_OK);
        golden_bytes(&golden, "beat", bytes.data, bytes.size);
        sc_heartbeat_free(heartbeat);
        sc_placement *placement = made_placement(PARTS, &rng);
        assert_int_equal(sc_placement_encode(placement, &bytes), SC_OK);
        golden_bytes(&golden, "placement", bytes.data, bytes.size);
        sc_placement_free(placement);
    }
    sc_bytes_fini(&bytes);
    golden_end(&golden, "cluster-beats.txt");
}

static void test_subjects_are_spelled_as_they_are_stored(void **state)
{
    (void)state;
    const sc_peer gateway = UINT64_C(0x0edcba9876543210);
    const sc_peer worker = UINT64_C(0xfedcba9876543210);
    const sc_bus bus = {.cluster = "town", .self = gateway};
    golden_text golden;
    golden_begin(&golden);
    fprintf(golden.out, "%s\n", sc__bus_subject_peer(&bus, gateway).text);
    fprintf(golden.out, "%s\n", sc__bus_subject_peer(&bus, worker).text);
    fprintf(golden.out, "%s\n", sc__bus_subject_heartbeats(&bus, false).text);
    fprintf(golden.out, "%s\n", sc__bus_subject_heartbeats(&bus, true).text);
    fprintf(golden.out, "%s\n", sc__bus_subject_placements(&bus).text);
    fprintf(golden.out, "%s\n", sc__bus_subject_no_responders(&bus, worker).text);
    fprintf(golden.out, "%s\n", sc__bus_subject_no_responders_any(&bus).text);
    golden_end(&golden, "cluster-subjects.txt");
}

// Sealed by libsodium alone: by the process 5 of worker w1, and as a broadcast of gateway 7.
static const uint8_t sealed_to_gateways[] = {
    0x05, 0x00, 0x00, 0x00, 0x87, 0xe6, 0x37, 0xb7, 0x00, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06,
    0x07, 0x08, 0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x0e, 0x0f, 0x10, 0x11, 0x12, 0x13, 0x14, 0x15,
    0x16, 0x17, 0xf6, 0xbe, 0x5c, 0xfe, 0xfa, 0x32, 0x5f, 0xfb, 0x8b, 0x07, 0x89, 0xf5, 0x31,
    0x2a, 0xbd, 0x6b, 0xdc, 0xc8, 0x0d, 0x8e, 0x56, 0x95, 0xde, 0xe8, 0xed};
static const uint8_t sealed_broadcast[] = {
    0x07, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07,
    0x08, 0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x0e, 0x0f, 0x10, 0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17,
    0xd2, 0x3e, 0xb8, 0x4a, 0xdf, 0x63, 0x43, 0x85, 0xf7, 0x6a, 0x07, 0x6b, 0x50, 0x2f, 0x69, 0xa8,
    0x74, 0x16, 0xd0, 0x20, 0x37, 0x38, 0x5d, 0x3b, 0x6b, 0x12, 0x45, 0xc1, 0x18, 0x61, 0x5b, 0xb3,
    0xc2, 0x49, 0x78, 0x98, 0x43, 0x4a, 0x29, 0xbc, 0x77, 0x4d, 0xbd, 0x12, 0xce, 0x91, 0xf8, 0xc1,
    0xfa, 0x36, 0xba, 0x43, 0xb2, 0xff, 0x86, 0x28, 0xc6, 0x47, 0x6c, 0x65, 0x86, 0x04, 0x1f, 0x45,
    0x80, 0xe1, 0x91, 0x50, 0xe2, 0xf3, 0x1c, 0xab, 0xc1, 0x57, 0x70, 0x2e, 0x48, 0xc3, 0x21, 0xea,
    0x07, 0x24, 0x06, 0x47, 0x7f, 0xc6, 0x94, 0xe3, 0x5e};

static void test_messages_that_were_sealed_long_ago_open(void **state)
{
    (void)state;
    sc_cluster_key *gateways = cluster_gateways_key();
    sc_cluster_key *worker = cluster_worker_key("w1");
    char plain[sizeof sealed_to_gateways + sizeof sealed_broadcast] = "";
    sc_peer from = SC_PEER_NONE;
    assert_int_equal(sc_unseal_message(gateways, SC_SEAL_TO_GATEWAYS,
                                       "town.gateway.0000000000000007", sealed_to_gateways,
                                       sizeof sealed_to_gateways, plain, &from),
                     9);
    assert_memory_equal(plain, "a message", 9);
    assert_true(sc_peer_is_worker(from));
    assert_int_equal(sc_unseal_message(worker, SC_SEAL_BROADCAST, "town.place", sealed_broadcast,
                                       sizeof sealed_broadcast, plain, &from),
                     9);
    assert_memory_equal(plain, "a message", 9);
    assert_int_equal(from, 7);
    sc_cluster_key_free(gateways);
    sc_cluster_key_free(worker);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_words_of_every_kind_have_the_bytes_that_are_stored),
    cmocka_unit_test(test_heartbeats_and_placements_have_the_bytes_that_are_stored),
    cmocka_unit_test(test_subjects_are_spelled_as_they_are_stored),
    cmocka_unit_test(test_messages_that_were_sealed_long_ago_open),
};
SC_SUITE(tests)
