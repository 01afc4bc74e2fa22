// The bytes of every message between processes of a cluster are those that are stored, so that
// processes of two versions understand each other.
#include "support/check.h"
#include "support/golden.h"
#include "support/made_messages.h"

#include "cluster/bus_internal.h"
#include "cluster/cluster_key.h"

#include <sodium.h>

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
    const sc_bus bus = {.cluster = "town", .partition = UINT64_C(0x0123456789abcdef)};
    const sc_peer peer = UINT64_C(0xfedcba9876543210);
    golden_text golden;
    golden_begin(&golden);
    fprintf(golden.out, "%s\n", sc__bus_subject_part(&bus, 7).text);
    fprintf(golden.out, "%s\n", sc__bus_subject_peer(&bus, peer).text);
    fprintf(golden.out, "%s\n", sc__bus_subject_heartbeats(&bus).text);
    fprintf(golden.out, "%s\n", sc__bus_subject_placements(&bus).text);
    fprintf(golden.out, "%s\n", sc__bus_subject_no_responders(&bus, peer, 7).text);
    fprintf(golden.out, "%s\n", sc__bus_subject_no_responders_any(&bus, peer).text);
    golden_end(&golden, "cluster-subjects.txt");
}

// Sealed by libsodium alone, for the subject "town.beat".
static void test_a_message_that_was_sealed_long_ago_opens(void **state)
{
    (void)state;
    static const uint8_t sealed[] = {0x00, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x09,
                                     0x0a, 0x0b, 0x0c, 0x0d, 0x0e, 0x0f, 0x10, 0x11, 0x12, 0x13,
                                     0x14, 0x15, 0x16, 0x17, 0x19, 0xf0, 0xb6, 0xe0, 0xee, 0xe2,
                                     0xb6, 0xef, 0x86, 0xbd, 0x24, 0x60, 0x11, 0xe9, 0xa1, 0xac,
                                     0x06, 0x46, 0x2e, 0xc3, 0xa2, 0xa7, 0xa4, 0x2e, 0xb2};
    uint8_t key[SC_SEAL_KEY_SIZE];
    char plain[sizeof sealed - SC_SEAL_EXTRA + 1] = "";
    assert_true(sodium_init() >= 0);
    memset(key, 1, sizeof key);
    assert_true(sc_unseal(key, "town.beat", sealed, sizeof sealed, plain));
    assert_string_equal(plain, "a message");
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_words_of_every_kind_have_the_bytes_that_are_stored),
    cmocka_unit_test(test_heartbeats_and_placements_have_the_bytes_that_are_stored),
    cmocka_unit_test(test_subjects_are_spelled_as_they_are_stored),
    cmocka_unit_test(test_a_message_that_was_sealed_long_ago_opens),
};
SC_SUITE(tests)
