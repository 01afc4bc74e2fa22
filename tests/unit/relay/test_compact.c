// The compact encoding: what is written is read back, bit for bit; what is not such a message, cut
// or altered, is refused or harmless.
#include "support/check.h"
#include "support/messages.h"

#include "base/rng.h"
#include "relay/relay_build.h"

enum { CASES = 1500 };

static sc_bytes encode_relay(const exchange *x)
{
    sc_bytes bytes = {0};
    sc_diag diag = {""};
    CHECK_OK(sc_relay_encode(&(sc_codec){.map = x->map,
                                         .vocabulary = &x->vocabulary,
                                         .encoding = SC_ENCODING_COMPACT},
                             x->relay, &bytes, &diag),
             &diag);
    return bytes;
}

static sc_bytes encode_reply(const exchange *x)
{
    sc_bytes bytes = {0};
    sc_diag diag = {""};
    CHECK_OK(sc_reply_encode(&(sc_codec){.map = x->map,
                                         .vocabulary = &x->vocabulary,
                                         .encoding = SC_ENCODING_COMPACT},
                             x->relay, &x->reply, &bytes, &diag),
             &diag);
    return bytes;
}

static sc_err decode_relay(const exchange *x, const void *bytes, size_t size, sc_relay **out,
                           sc_diag *diag)
{
    const sc_codec_limits limits = sc_codec_limits_default();
    return sc_relay_decode(&(sc_codec){.map = x->map,
                                       .vocabulary = &x->vocabulary,
                                       .encoding = SC_ENCODING_COMPACT,
                                       .limits = &limits},
                           bytes, size, out, diag);
}

static sc_err decode_reply(const exchange *x, const void *bytes, size_t size, sc_reply *out,
                           sc_diag *diag)
{
    const sc_codec_limits limits = sc_codec_limits_default();
    return sc_reply_decode(&(sc_codec){.map = x->map,
                                       .vocabulary = &x->vocabulary,
                                       .encoding = SC_ENCODING_COMPACT,
                                       .limits = &limits},
                           x->relay, bytes, size, out, diag);
}

// --- There and back ---------------------------------------------------------------

static void test_a_relay_is_read_as_it_was_written(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < CASES; seed++) {
        check_case(seed);
        exchange x = exchange_new(seed, false);
        sc_bytes bytes = encode_relay(&x);
        sc_relay *relay = NULL;
        sc_diag diag = {""};
        CHECK_OK(decode_relay(&x, bytes.data, bytes.size, &relay, &diag), &diag);
        check_same_relay(relay, x.relay);
        assert_null(relay->border_places);
        sc_relay_free(relay);
        sc_bytes_fini(&bytes);
        exchange_free(&x);
    }
    check_case_done();
}

static void test_a_reply_about_objects_of_the_map_is_read_as_it_was_written(void **state)
{
    (void)state;
    sc_reply reply;
    sc_reply_init(&reply);
    for (uint64_t seed = 0; seed < CASES; seed++) {
        check_case(seed);
        exchange x = exchange_new(seed, false);
        sc_bytes bytes = encode_reply(&x);
        sc_diag diag = {""};
        CHECK_OK(decode_reply(&x, bytes.data, bytes.size, &reply, &diag), &diag);
        check_same_lists(&reply, &x.reply, 0.0);
        assert_null(reply.table.keys);
        assert_ptr_equal(reply.table.objects, sc_map_objects(x.map));
        const uint32_t runs = x.reply.run_start[x.reply.request_count];
        assert_int_equal(reply.run_start[reply.request_count], runs);
        assert_true(runs == 0 || memcmp(reply.runs, x.reply.runs, runs * sizeof *reply.runs) == 0);
        sc_bytes_fini(&bytes);
        exchange_free(&x);
    }
    check_case_done();
    sc_reply_fini(&reply);
}

static void test_a_reply_about_own_objects_is_read_as_it_was_written(void **state)
{
    (void)state;
    sc_reply reply;
    sc_reply_init(&reply);
    for (uint64_t seed = 0; seed < CASES; seed++) {
        check_case(seed);
        exchange x = exchange_new(seed, true);
        sc_bytes bytes = encode_reply(&x);
        sc_diag diag = {""};
        CHECK_OK(decode_reply(&x, bytes.data, bytes.size, &reply, &diag), &diag);
        check_same_lists(&reply, &x.reply, 0.0);
        assert_non_null(reply.table.keys);
        // Only what is spoken of is told about, where it is.
        uint32_t listed = 0;
        for (uint32_t i = 0; i < reply.table.count; i++) {
            const char *key = exchange_key(&reply.table, i);
            const uint32_t original =
                1000 - (uint32_t)strtoul(key + strlen("key \xc3\xa4"), NULL, 10);
            assert_true(original < x.reply.table.count);
            assert_int_equal(reply.table.objects[i].edge, x.own_objects[original].edge);
            assert_int_equal(reply.table.objects[i].offset, x.own_objects[original].offset);
            listed++;
        }
        size_t candidates = 0;
        for (size_t r = 0; r < reply.request_count; r++) {
            candidates += sc_reply_candidate_count(&reply, r);
        }
        assert_true(listed <= candidates);
        sc_bytes_fini(&bytes);
        exchange_free(&x);
    }
    check_case_done();
    sc_reply_fini(&reply);
}

static void test_writing_again_replaces_what_was_there(void **state)
{
    (void)state;
    exchange x = exchange_new(7, true);
    sc_bytes first = encode_reply(&x);
    sc_bytes bytes = encode_relay(&x);
    CHECK_OK(
        sc_reply_encode(
            &(sc_codec){.map = x.map, .vocabulary = &x.vocabulary, .encoding = SC_ENCODING_COMPACT},
            x.relay, &x.reply, &bytes, NULL),
        NULL);
    assert_int_equal(bytes.size, first.size);
    assert_memory_equal(bytes.data, first.data, first.size);
    sc_bytes_fini(&bytes);
    sc_bytes_fini(&bytes);
    sc_bytes_fini(&first);
    exchange_free(&x);
}

// The example of docs/provider-protocol.md, byte for byte behind the checksum.
static void test_the_bytes_are_those_of_the_documentation(void **state)
{
    (void)state;
    enum { CHECKSUM = 9 };
    static const uint8_t asked[] = {0x12, 0x03, 0x03, 0x01, 0x05, 0x1a, 0x02, 0x02,
                                    0x05, 0x22, 0x0a, 0x08, 0x05, 0x1a, 0x04, 0x63,
                                    0x61, 0x66, 0x65, 0x28, 0x01, 0x28, 0x02};
    static const uint8_t answered[] = {0x1a, 0x20, 0x0a, 0x01, 0x18, 0x1a, 0x02, 0x02, 0x01,
                                       0x22, 0x03, 0x30, 0x0c, 0x03, 0x2a, 0x07, 0xe0, 0xd4,
                                       0x03, 0xa8, 0x46, 0xdc, 0x0b, 0x32, 0x09, 0xc0, 0xb9,
                                       0x55, 0x9f, 0x9c, 0x01, 0xc0, 0xb8, 0x02, 0x20, 0x02};
    sketch s = sketch_grid(SC_COORDS_GEOGRAPHIC, 4, 4);
    sc_builder *builder = sketch_builder(&s);
    for (uint32_t e = 0; e < s.edge_count; e++) {
        put_object(builder, e, 0.5, "cafe", "");
    }
    sketch_free(&s);
    sc_map *map = finish_builder(builder);
    sc_vocabulary vocabulary = {0};
    CHECK_OK(sc_vocabulary_init_from_map(map, &vocabulary), NULL);

    const sc_request request = {.metric = SC_METRIC_TIME, .k = 5, .category_count = 1};
    const sc_relay relay = {.map_checksum = sc_map_checksum(map),
                            .segments = (const sc_seg_id[]){3, 4, 9},
                            .segment_count = 3,
                            .border_nodes = (const sc_node_id[]){2, 7},
                            .border_node_count = 2,
                            .requests = &request,
                            .request_count = 1};
    sc_reply reply;
    sc_reply_init(&reply);
    assert_true(sc__reply_begin(&reply, 1, 2) && sc__reply_add_run(&reply, 12, 1) &&
                sc__reply_add_near(&reply, (sc_near){12, 700.0, 60.0}) &&
                sc__reply_add_near(&reply, (sc_near){15, 690.0, 69.0}));
    sc__reply_end_runs(&reply, 0);
    sc__reply_end_nears(&reply, 0, 0);
    assert_true(sc__reply_add_near(&reply, (sc_near){12, 20.0, 1.5}));
    sc__reply_end_nears(&reply, 0, 1);
    reply.table =
        (sc_object_table){.objects = sc_map_objects(map), .count = sc_map_object_count(map)};

    sc_bytes bytes = {0};
    CHECK_OK(
        sc_relay_encode(
            &(sc_codec){.map = map, .vocabulary = &vocabulary, .encoding = SC_ENCODING_COMPACT},
            &relay, &bytes, NULL),
        NULL);
    assert_int_equal(bytes.size, CHECKSUM + sizeof asked);
    assert_memory_equal(bytes.data + CHECKSUM, asked, sizeof asked);
    CHECK_OK(
        sc_reply_encode(
            &(sc_codec){.map = map, .vocabulary = &vocabulary, .encoding = SC_ENCODING_COMPACT},
            &relay, &reply, &bytes, NULL),
        NULL);
    // A checksum of 0 would be left out.
    assert_int_equal(bytes.size, sizeof answered);
    assert_memory_equal(bytes.data, answered, sizeof answered);
    sc_bytes_fini(&bytes);
    sc_reply_fini(&reply);
    sc_vocabulary_fini(&vocabulary);
    sc_map_free(map);
}

// --- Strangers' bytes -------------------------------------------------------------

// A refusal says why, in one line.
static void check_refusal(sc_err err, const sc_diag *diag)
{
    assert_true(err != SC_ENOMEM);
    assert_true(diag->message[0] != '\0');
    assert_null(strpbrk(diag->message, "\r\n"));
}

// Try these bytes as both messages, in memory of exactly their size.
static void try_bytes(const exchange *x, const uint8_t *bytes, size_t size, sc_reply *reply)
{
    uint8_t *copy = test_take(size > 0 ? size : 1, 1);
    if (size > 0) memcpy(copy, bytes, size);
    sc_diag diag = {""};
    sc_relay *relay = NULL;
    sc_err err = decode_relay(x, copy, size, &relay, &diag);
    if (err) {
        check_refusal(err, &diag);
    } else {
        sc_relay_free(relay);
    }
    err = decode_reply(x, copy, size, reply, &diag);
    if (err) check_refusal(err, &diag);
    free(copy);
}

static void test_messages_cut_anywhere_are_harmless(void **state)
{
    (void)state;
    sc_reply reply;
    sc_reply_init(&reply);
    for (uint64_t seed = 0; seed < 12; seed++) {
        check_case(seed);
        exchange x = exchange_new(seed, seed % 2);
        sc_bytes messages[] = {encode_relay(&x), encode_reply(&x)};
        for (size_t i = 0; i < 2; i++) {
            for (size_t size = 0; size < messages[i].size; size++) {
                try_bytes(&x, messages[i].data, size, &reply);
            }
            sc_bytes_fini(&messages[i]);
        }
        exchange_free(&x);
    }
    check_case_done();
    sc_reply_fini(&reply);
}

static void test_messages_with_a_bit_turned_are_harmless(void **state)
{
    (void)state;
    sc_reply reply;
    sc_reply_init(&reply);
    for (uint64_t seed = 0; seed < 8; seed++) {
        check_case(seed);
        exchange x = exchange_new(seed, seed % 2);
        sc_bytes messages[] = {encode_relay(&x), encode_reply(&x)};
        for (size_t i = 0; i < 2; i++) {
            const size_t bits = messages[i].size * 8;
            const size_t step = bits / 1500 + 1;
            for (size_t bit = 0; bit < bits; bit += step) {
                messages[i].data[bit / 8] ^= (uint8_t)(1u << bit % 8);
                try_bytes(&x, messages[i].data, messages[i].size, &reply);
                messages[i].data[bit / 8] ^= (uint8_t)(1u << bit % 8);
            }
            sc_bytes_fini(&messages[i]);
        }
        exchange_free(&x);
    }
    check_case_done();
    sc_reply_fini(&reply);
}

static void test_random_bytes_are_harmless(void **state)
{
    (void)state;
    exchange x = exchange_new(3, false);
    sc_reply reply;
    sc_reply_init(&reply);
    sc_rng rng;
    sc_rng_seed(&rng, 4);
    for (uint64_t seed = 0; seed < 5000; seed++) {
        check_case(seed);
        uint8_t bytes[64];
        const size_t size = sc_rng_below(&rng, sizeof bytes + 1);
        for (size_t i = 0; i < size; i++) {
            // Small numbers are tags and lengths more often.
            bytes[i] = (uint8_t)sc_rng_below(&rng, sc_rng_below(&rng, 2) ? 256 : 64);
        }
        try_bytes(&x, bytes, size, &reply);
    }
    check_case_done();
    sc_reply_fini(&reply);
    exchange_free(&x);
}

static void test_a_message_about_another_map_is_refused(void **state)
{
    (void)state;
    exchange x = exchange_new(1, false);
    exchange other = exchange_new(2, false);
    sc_bytes relay_bytes = encode_relay(&other);
    sc_bytes reply_bytes = encode_reply(&other);
    sc_relay *relay = NULL;
    sc_reply reply;
    sc_reply_init(&reply);
    sc_diag diag = {""};
    CHECK_REFUSED(decode_relay(&x, relay_bytes.data, relay_bytes.size, &relay, &diag), SC_EMISMATCH,
                  &diag, "about another map");
    assert_null(relay);
    CHECK_REFUSED(decode_reply(&x, reply_bytes.data, reply_bytes.size, &reply, &diag), SC_EMISMATCH,
                  &diag, "about another map");
    sc_reply_fini(&reply);
    sc_bytes_fini(&relay_bytes);
    sc_bytes_fini(&reply_bytes);
    exchange_free(&x);
    exchange_free(&other);
}

static const struct CMUnitTest tests[] = {
    SC_CASES(test_a_relay_is_read_as_it_was_written),
    SC_CASES(test_a_reply_about_objects_of_the_map_is_read_as_it_was_written),
    SC_CASES(test_a_reply_about_own_objects_is_read_as_it_was_written),
    cmocka_unit_test(test_writing_again_replaces_what_was_there),
    cmocka_unit_test(test_the_bytes_are_those_of_the_documentation),
    SC_CASES(test_messages_cut_anywhere_are_harmless),
    SC_CASES(test_messages_with_a_bit_turned_are_harmless),
    SC_CASES(test_random_bytes_are_harmless),
    cmocka_unit_test(test_a_message_about_another_map_is_refused),
};
SC_SUITE(tests)
