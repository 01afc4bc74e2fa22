// Messages as bytes: what is written is read back as it was; what is cut or altered is refused or
// harmless.
#include "support/check.h"
#include "support/made_messages.h"

#include "cluster/cluster_codec_internal.h"

enum { CASES = 60, PARTS = 40 };

/** The calendar's clock less the process's own. */
static const int64_t offset = INT64_C(123456789012345);

static sc_bytes encode(const sc_cluster_codec *codec, const sc_msg *msg, int64_t offset_us)
{
    sc_bytes bytes = {0};
    assert_int_equal(sc_msg_encode(codec, msg, offset_us, &bytes), SC_OK);
    return bytes;
}

// --- There and back
// -------------------------------------------------------------------------------

static void test_words_of_every_kind_are_read_as_they_were_written(void **state)
{
    (void)state;
    msg_town town = msg_town_new();
    sc_rng rng;
    sc_rng_seed(&rng, 1);
    for (uint64_t seed = 0; seed < CASES; seed++) {
        check_case(seed);
        for (unsigned kind = SC_MSG_NONE + 1; kind < SC_MSG_KIND_COUNT; kind++) {
            sc_msg msg = made_msg(&town, (sc_msg_kind)kind, &rng);
            const bool has_own = kind == SC_MSG_ADD || kind == SC_MSG_COMPANY;
            if (has_own && seed % 2 == 0) made_own(&town, &msg, &rng);
            sc_bytes bytes = encode(&town.codec, &msg, 0);
            sc_msg read;
            assert_int_equal(bytes.data[0], 0x0a);  // docs/cluster-protocol.md
            assert_int_equal(sc_msg_decode(&town.codec, bytes.data, bytes.size, 0, &read), SC_OK);
            check_same_msg(&read, &msg);
            sc_msg_fini(&read);
            sc_msg_fini(&msg);
            sc_bytes_fini(&bytes);
        }
    }
    check_case_done();
    msg_town_free(&town);
}

static void test_heartbeats_are_read_as_they_were_written(void **state)
{
    (void)state;
    sc_rng rng;
    sc_rng_seed(&rng, 2);
    sc_bytes bytes = {0};
    for (uint64_t seed = 0; seed < CASES; seed++) {
        check_case(seed);
        sc_heartbeat *heartbeat = made_heartbeat(PARTS, &rng);
        sc_heartbeat *read = NULL;
        heartbeat->demands.is_strict = seed % 2 == 0;
        heartbeat->demands.traffic = (uint32_t)(seed % 3);
        if (seed % 5 == 0) {
            heartbeat->demands.continuity.is_asked = true;
            heartbeat->demands.continuity.vmax_m_s = (double)(seed % 7) / 3;
            heartbeat->demands.continuity.tau_s = (double)seed;
        }
        assert_int_equal(sc_heartbeat_encode(heartbeat, &bytes), SC_OK);
        assert_int_equal(bytes.data[0], 0x12);
        assert_int_equal(sc_heartbeat_decode(seed % 2 ? PARTS : 0, bytes.data, bytes.size, &read),
                         SC_OK);
        check_same_heartbeat(read, heartbeat);
        sc_heartbeat_free(read);
        sc_heartbeat_free(heartbeat);
    }
    check_case_done();
    sc_bytes_fini(&bytes);
}

static void test_placements_are_read_as_they_were_written(void **state)
{
    (void)state;
    sc_rng rng;
    sc_rng_seed(&rng, 3);
    sc_bytes bytes = {0};
    for (uint64_t seed = 0; seed < CASES; seed++) {
        check_case(seed);
        const uint32_t parts = 1 + sc_rng_below(&rng, PARTS);
        sc_placement *placement = made_placement(parts, &rng);
        sc_placement *read = NULL;
        assert_int_equal(sc_placement_encode(placement, &bytes), SC_OK);
        assert_int_equal(bytes.data[0], 0x1a);
        assert_int_equal(sc_placement_decode(seed % 2 ? parts : 0, bytes.data, bytes.size, &read),
                         SC_OK);
        check_same_placement(read, placement);
        sc_placement_free(read);
        sc_placement_free(placement);
    }
    check_case_done();
    sc_bytes_fini(&bytes);
}

static void test_moments_travel_by_the_calendar_and_never_stays_never(void **state)
{
    (void)state;
    msg_town town = msg_town_new();
    sc_rng rng;
    sc_rng_seed(&rng, 4);
    sc_msg msg = made_msg(&town, SC_MSG_ADD, &rng);
    const sc_time deadlines[] = {sc_time_from_seconds(5), -7, SC_TIME_NEVER};
    const int64_t there = 1000000;
    for (size_t i = 0; i < sizeof deadlines / sizeof deadlines[0]; i++) {
        msg.query.deadline = deadlines[i];
        sc_bytes bytes = encode(&town.codec, &msg, offset);
        sc_msg read;
        assert_int_equal(sc_msg_decode(&town.codec, bytes.data, bytes.size, offset + there, &read),
                         SC_OK);
        assert_int_equal(read.query.deadline,
                         deadlines[i] == SC_TIME_NEVER ? SC_TIME_NEVER : deadlines[i] - there);
        sc_bytes_fini(&bytes);
    }
    // A proposal's, with some that never come.
    sc_msg proposal = {.kind = SC_MSG_RESERVE, .from = 5, .proposal = sc_proposal_new(0, 1, 0, 3)};
    for (size_t i = 0; i < 3; i++) {
        proposal.proposal->members[i] = (sc_proposal_member){
            .query = {.deadline = deadlines[i], .k = 1, .l = 1, .owner = 9}, .star = SC_NONE};
    }
    proposal.proposal->worker = 5;
    proposal.proposal->releaser = 9;
    proposal.proposal->is_single = true;
    proposal.proposal->deadline = -7;
    proposal.proposal->last = SC_TIME_NEVER;
    sc_bytes bytes = encode(&town.codec, &proposal, offset);
    sc_msg read;
    assert_int_equal(sc_msg_decode(&town.codec, bytes.data, bytes.size, offset + there, &read),
                     SC_OK);
    assert_int_equal(read.proposal->deadline, -7 - there);
    assert_int_equal(read.proposal->last, SC_TIME_NEVER);
    assert_int_equal(read.proposal->members[0].query.deadline, sc_time_from_seconds(5) - there);
    sc_msg_fini(&read);
    sc_msg_fini(&proposal);
    sc_bytes_fini(&bytes);
    msg_town_free(&town);
}

static void test_a_worker_carries_categories_that_it_does_not_know(void **state)
{
    (void)state;
    msg_town town = msg_town_new();
    sc_cluster_codec worker = {.map = town.map, .parts = town.codec.parts};
    assert_int_equal(sc_category_table_new(&worker.categories), SC_OK);
    sc_rng rng;
    sc_rng_seed(&rng, 5);
    for (uint64_t seed = 0; seed < CASES; seed++) {
        check_case(seed);
        sc_msg ok = made_msg(&town, SC_MSG_OK, &rng);
        sc_bytes bytes = encode(&town.codec, &ok, 0);
        sc_msg carried;
        assert_int_equal(sc_msg_decode(&worker, bytes.data, bytes.size, 0, &carried), SC_OK);
        sc_bytes_fini(&bytes);
        bytes = encode(&worker, &carried, 0);
        sc_msg read;
        assert_int_equal(sc_msg_decode(&town.codec, bytes.data, bytes.size, 0, &read), SC_OK);
        check_same_msg(&read, &ok);
        sc_msg_fini(&read);
        sc_msg_fini(&carried);
        sc_msg_fini(&ok);
        sc_bytes_fini(&bytes);
    }
    check_case_done();
    sc_category_table_free(worker.categories);
    msg_town_free(&town);
}

// --- Small messages
// -------------------------------------------------------------------------------

// What a query costs to send: the sizes in docs/cluster-protocol.md.
static void test_messages_are_small(void **state)
{
    (void)state;
    msg_town town = msg_town_new();
    const sc_query query = {.user = UINT64_MAX,
                            .deadline = sc_time_from_seconds(1.7e9),
                            .segment = 40,
                            .k = 5,
                            .l = 10,
                            .max_hops = 4,
                            .result_size = 5,
                            .owner = UINT64_MAX};
    const sc_msg add = {
        .kind = SC_MSG_ADD, .from = UINT64_MAX, .part = 1, .home = 1, .query = query};
    sc_bytes bytes = encode(&town.codec, &add, 0);
    assert_in_range(bytes.size, 60, 70);
    sc_bytes_fini(&bytes);
    msg_town_free(&town);
}

// --- What is cut or altered
// -----------------------------------------------------------------------

// A message in memory of exactly its size, so that the sanitizer sees a byte read behind it.
static void try_bytes(const msg_town *town, const uint8_t *bytes, size_t size)
{
    uint8_t *copy = malloc(size > 0 ? size : 1);
    assert_non_null(copy);
    memcpy(copy, bytes, size);
    sc_msg msg;
    sc_heartbeat *heartbeat = NULL;
    sc_placement *placement = NULL;
    if (!sc_msg_decode(&town->codec, copy, size, offset, &msg)) {
        sc_bytes again = {0};
        // What was read can be encoded.
        assert_int_equal(sc_msg_encode(&town->codec, &msg, offset, &again), SC_OK);
        sc_bytes_fini(&again);
        sc_msg_fini(&msg);
    }
    if (!sc_heartbeat_decode(PARTS, copy, size, &heartbeat)) sc_heartbeat_free(heartbeat);
    if (!sc_placement_decode(0, copy, size, &placement)) sc_placement_free(placement);
    free(copy);
}

static void spoil(const msg_town *town, sc_bytes *bytes)
{
    for (size_t size = 0; size < bytes->size; size++) {
        try_bytes(town, bytes->data, size);
    }
    for (size_t i = 0; i < bytes->size; i++) {
        const uint8_t masks[] = {0x01, 0x80, 0xff};
        for (size_t m = 0; m < sizeof masks; m++) {
            bytes->data[i] ^= masks[m];
            try_bytes(town, bytes->data, bytes->size);
            bytes->data[i] ^= masks[m];
        }
    }
}

static void test_every_truncation_and_every_altered_byte_is_refused_or_harmless(void **state)
{
    (void)state;
    msg_town town = msg_town_new();
    sc_rng rng;
    sc_rng_seed(&rng, 6);
    for (unsigned kind = SC_MSG_NONE + 1; kind < SC_MSG_KIND_COUNT; kind++) {
        for (int i = 0; i < 2; i++) {
            sc_msg msg = made_msg(&town, (sc_msg_kind)kind, &rng);
            sc_bytes bytes = encode(&town.codec, &msg, offset);
            spoil(&town, &bytes);
            sc_bytes_fini(&bytes);
            sc_msg_fini(&msg);
        }
    }
    sc_bytes bytes = {0};
    sc_heartbeat *heartbeat = made_heartbeat(PARTS, &rng);
    assert_int_equal(sc_heartbeat_encode(heartbeat, &bytes), SC_OK);
    spoil(&town, &bytes);
    sc_heartbeat_free(heartbeat);
    sc_placement *placement = made_placement(PARTS, &rng);
    assert_int_equal(sc_placement_encode(placement, &bytes), SC_OK);
    spoil(&town, &bytes);
    sc_placement_free(placement);
    sc_bytes_fini(&bytes);
    msg_town_free(&town);
}

static void test_no_message_is_what_another_is(void **state)
{
    (void)state;
    msg_town town = msg_town_new();
    sc_rng rng;
    sc_rng_seed(&rng, 7);
    sc_msg msg = made_msg(&town, SC_MSG_DEAD, &rng);
    sc_bytes bytes = encode(&town.codec, &msg, 0);
    sc_heartbeat *heartbeat = NULL;
    sc_placement *placement = NULL;
    assert_int_equal(sc_heartbeat_decode(0, bytes.data, bytes.size, &heartbeat), SC_EPARSE);
    assert_int_equal(sc_placement_decode(0, bytes.data, bytes.size, &placement), SC_EPARSE);
    sc_bytes_fini(&bytes);
    msg_town_free(&town);
}

static const struct CMUnitTest tests[] = {
    SC_CASES(test_words_of_every_kind_are_read_as_they_were_written),
    SC_CASES(test_heartbeats_are_read_as_they_were_written),
    SC_CASES(test_placements_are_read_as_they_were_written),
    cmocka_unit_test(test_moments_travel_by_the_calendar_and_never_stays_never),
    SC_CASES(test_a_worker_carries_categories_that_it_does_not_know),
    cmocka_unit_test(test_messages_are_small),
    cmocka_unit_test(test_every_truncation_and_every_altered_byte_is_refused_or_harmless),
    cmocka_unit_test(test_no_message_is_what_another_is),
};
SC_SUITE(tests)
