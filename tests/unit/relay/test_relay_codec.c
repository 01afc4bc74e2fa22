// What both encodings share: names, limits, ids, and what a writer refuses to write.
#include "relay/relay_codec_internal.h"
#include "support/check.h"
#include "support/messages.h"

#include <math.h>

// === Numbers that ascend ========================================================================

static void test_numbers_ascend_each_once(void **state)
{
    (void)state;
    uint32_t numbers[] = {7, 3, UINT32_MAX, 3, 0, 7, 7};
    const uint32_t wanted[] = {0, 3, 7, UINT32_MAX};
    assert_int_equal(sc__relay_sort_ids(numbers, 7), 4);
    assert_memory_equal(numbers, wanted, sizeof wanted);
    assert_int_equal(sc__relay_sort_ids(numbers, 0), 0);
    assert_int_equal(sc__relay_id_place(wanted, 4, 0), 0);
    assert_int_equal(sc__relay_id_place(wanted, 4, 7), 2);
    assert_int_equal(sc__relay_id_place(wanted, 4, UINT32_MAX), 3);
    assert_int_equal(sc__relay_id_place(wanted, 4, 4), 2);
    assert_int_equal(sc__relay_id_place(wanted, 3, 8), 3);
}

// === What both encodings share: their names, limits, and what a writer refuses to write =========

static void test_encodings_have_names_and_media_types(void **state)
{
    (void)state;
    assert_string_equal(sc_encoding_name(SC_ENCODING_COMPACT), "compact");
    assert_string_equal(sc_encoding_name(SC_ENCODING_GEOJSON), "geojson");
    assert_null(sc_encoding_name(2));
    assert_string_equal(sc_encoding_media_type(SC_ENCODING_COMPACT),
                        "application/x-protobuf; version=2");
    assert_string_equal(sc_encoding_media_type(SC_ENCODING_GEOJSON),
                        "application/geo+json; version=2");
}

static void test_a_media_type_is_of_one_encoding_and_of_this_version_or_none(void **state)
{
    (void)state;
    for (unsigned e = 0; e < 2; e++) {
        const char *type = sc_encoding_media_type((sc_encoding)e);
        assert_true(sc_encoding_is_media_type((sc_encoding)e, type));
        assert_false(sc_encoding_is_media_type((sc_encoding)(1 - e), type));
        assert_false(sc_encoding_is_media_type((sc_encoding)e, NULL));
    }
    static const char *const fine[] = {
        "application/geo+json",
        "Application/Geo+JSON",
        "\tapplication/geo+json ",
        "application/geo+json;",
        "application/geo+json;version=2",
        "application/geo+json ; charset=utf-8 ; Version=2 ",
        "application/geo+json; version=\"2\"",
    };
    static const char *const others[] = {
        "",
        "application/geo+json; version=1",
        "application/geo+json; version=3",
        "application/geo+json; version=22",
        "application/geo+json; version=",
        "application/geo+json; version=\"1\"",
        "application/geo+json; version=2; version=1",
        "application/geo+jsonl",
        "application/geo",
        "application/geo+json, application/x-protobuf",
    };
    for (size_t i = 0; i < sizeof fine / sizeof *fine; i++) {
        assert_true(sc_encoding_is_media_type(SC_ENCODING_GEOJSON, fine[i]));
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        assert_false(sc_encoding_is_media_type(SC_ENCODING_GEOJSON, others[i]));
    }
}

static void test_a_message_that_is_too_large_is_not_even_looked_at(void **state)
{
    (void)state;
    exchange x = exchange_on(full_map(SC_COORDS_GEOGRAPHIC), 1, false);
    sc_codec_limits limits = sc_codec_limits_default();
    assert_int_equal(limits.max_bytes, 16777216);
    limits.max_bytes = 99;
    const uint8_t nothing = 0;
    for (unsigned encoding = 0; encoding < 2; encoding++) {
        sc_relay *relay = NULL;
        sc_reply reply;
        sc_reply_init(&reply);
        sc_diag diag = {""};
        // There is one byte only: reading more would be seen.
        CHECK_REFUSED(sc_relay_decode(&(sc_codec){.map = x.map,
                                                  .vocabulary = &x.vocabulary,
                                                  .encoding = (sc_encoding)encoding,
                                                  .limits = &limits},
                                      &nothing, 100, &relay, &diag),
                      SC_ELIMIT, &diag, "the message has 100 bytes; at most 99 are allowed");
        CHECK_REFUSED(sc_reply_decode(&(sc_codec){.map = x.map,
                                                  .vocabulary = &x.vocabulary,
                                                  .encoding = (sc_encoding)encoding,
                                                  .limits = &limits},
                                      x.relay, &nothing, 100, &reply, &diag),
                      SC_ELIMIT, &diag, "the message has 100 bytes; at most 99 are allowed");
        sc_reply_fini(&reply);
    }
    exchange_free(&x);
}

// --- What is not written -------------------------------------------------------------

static sc_err write_relay(const exchange *x, const sc_relay *relay, sc_diag *diag)
{
    sc_bytes bytes = {0};
    const sc_err err = sc_relay_encode(
        &(sc_codec){.map = x->map, .vocabulary = &x->vocabulary, .encoding = SC_ENCODING_COMPACT},
        relay, &bytes, diag);
    sc_bytes_fini(&bytes);
    return err;
}

static void test_a_relay_that_is_none_is_not_written(void **state)
{
    (void)state;
    exchange x = exchange_on(full_map(SC_COORDS_GEOGRAPHIC), 1, false);
    const sc_seg_id repeated[] = {0, 0};
    const sc_seg_id beyond[] = {0, sc_map_segment_count(x.map)};
    const sc_node_id descending[] = {1, 0};
    const sc_node_id far = sc_map_node_count(x.map);
    const sc_request none = {.type = SC_REQUEST_KNN, .k = 0};
    const sc_request unknown = {.k = 1, .category_count = 1, .categories = {x.vocabulary.count}};
    sc_diag diag = {""};
    sc_relay relay = *x.relay;

    relay.segments = repeated;
    relay.segment_count = 2;
    CHECK_REFUSED(write_relay(&x, &relay, &diag), SC_EINVAL, &diag, "segment 1 of the relay");
    relay.segments = beyond;
    CHECK_REFUSED(write_relay(&x, &relay, &diag), SC_EUNKNOWN, &diag, "segment 1 of the relay");
    relay.segment_count = 0;
    CHECK_REFUSED(write_relay(&x, &relay, &diag), SC_EINVAL, &diag, "has no segments");

    relay = *x.relay;
    relay.border_nodes = descending;
    relay.border_node_count = 2;
    CHECK_REFUSED(write_relay(&x, &relay, &diag), SC_EINVAL, &diag, "border node 1 of the relay");
    relay.border_nodes = &far;
    relay.border_node_count = 1;
    CHECK_REFUSED(write_relay(&x, &relay, &diag), SC_EUNKNOWN, &diag, "border node 0 of the relay");

    relay = *x.relay;
    relay.request_count = 1;
    relay.requests = &none;
    CHECK_REFUSED(write_relay(&x, &relay, &diag), SC_EINVAL, &diag, "k is 0");
    relay.requests = &unknown;
    CHECK_REFUSED(write_relay(&x, &relay, &diag), SC_EINVAL, &diag, "no category");
    relay.request_count = 0;
    CHECK_REFUSED(write_relay(&x, &relay, &diag), SC_EINVAL, &diag, "no requests");

    relay = *x.relay;
    relay.map_checksum++;
    CHECK_REFUSED(write_relay(&x, &relay, &diag), SC_EMISMATCH, &diag, "of another map");
    exchange_free(&x);
}

static sc_err write_reply(const exchange *x, sc_encoding encoding, sc_diag *diag)
{
    sc_bytes bytes = {0};
    const sc_err err = sc_reply_encode(
        &(sc_codec){.map = x->map, .vocabulary = &x->vocabulary, .encoding = encoding}, x->relay,
        &x->reply, &bytes, diag);
    sc_bytes_fini(&bytes);
    return err;
}

// A reply with a run, and with a list of at least two objects; which list that is, and where.
static exchange reply_with_lists(size_t *list, uint32_t *first)
{
    for (uint64_t seed = 0;; seed++) {
        exchange x = exchange_on(full_map(SC_COORDS_GEOGRAPHIC), seed, true);
        const size_t lists = x.reply.request_count * x.reply.border_node_count;
        for (*list = 0; *list < lists && x.reply.run_start[x.reply.request_count] > 0; ++*list) {
            *first = x.reply.near_start[*list];
            if (x.reply.near_start[*list + 1] - *first >= 2) return x;
        }
        exchange_free(&x);
    }
}

// What the metric of the request counts must not descend; the other measure may.
static void check_order_by_metric(const exchange *x, sc_encoding encoding, size_t list, uint32_t i)
{
    sc_near *nears = x->reply.nears;
    const sc_near kept[2] = {nears[i], nears[i + 1]};
    const bool is_by_time =
        x->relay->requests[list / x->reply.border_node_count].metric == SC_METRIC_TIME;
    sc_diag diag = {""};
    nears[i].distance_m = nears[i].duration_s = 2.0;
    nears[i + 1].distance_m = is_by_time ? 1.0 : 2.0;
    nears[i + 1].duration_s = is_by_time ? 2.0 : 1.0;
    const uint32_t behind = x->reply.near_start[list + 1];
    for (uint32_t k = i + 2; k < behind; k++) {
        assert_true(sc_near_cost(&nears[k], is_by_time ? SC_METRIC_TIME : SC_METRIC_DISTANCE) >=
                    2.0);
    }
    CHECK_OK(write_reply(x, encoding, &diag), &diag);
    nears[i + 1].distance_m = is_by_time ? 2.0 : 1.0;
    nears[i + 1].duration_s = is_by_time ? 1.0 : 2.0;
    CHECK_REFUSED(write_reply(x, encoding, &diag), SC_EINVAL, &diag, "not nearest first");
    nears[i] = kept[0];
    nears[i + 1] = kept[1];
}

static void test_a_reply_that_is_none_is_not_written(void **state)
{
    (void)state;
    size_t list = 0;
    uint32_t i = 0;
    exchange x = reply_with_lists(&list, &i);
    sc_diag diag = {""};
    for (unsigned encoding = 0; encoding < 2; encoding++) {
        const sc_encoding e = (sc_encoding)encoding;
        CHECK_OK(write_reply(&x, e, &diag), &diag);

        const sc_object_run run = x.reply.runs[0];
        x.reply.runs[0].count = 0;
        CHECK_REFUSED(write_reply(&x, e, &diag), SC_EINVAL, &diag, "run 0 of the reply");
        x.reply.runs[0] = (sc_object_run){1, UINT32_MAX};
        CHECK_REFUSED(write_reply(&x, e, &diag), SC_EINVAL, &diag, "run 0 of the reply");
        x.reply.runs[0] = (sc_object_run){x.reply.table.count, 1};
        CHECK_REFUSED(write_reply(&x, e, &diag), SC_EINVAL, &diag, "run 0 of the reply");
        x.reply.runs[0] = run;

        const sc_near near = x.reply.nears[i + 1];
        const double bad[] = {NOT_A_NUMBER, HUGE_VAL, -1.0, 2e15, SC_UNKNOWN_S};
        for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
            x.reply.nears[i + 1].distance_m = bad[k];
            CHECK_REFUSED(write_reply(&x, e, &diag), SC_EINVAL, &diag, "that no way has");
            x.reply.nears[i + 1] = near;
            x.reply.nears[i + 1].duration_s = bad[k];
            CHECK_REFUSED(write_reply(&x, e, &diag), SC_EINVAL, &diag, "that no way has");
            x.reply.nears[i + 1] = near;
        }
        check_order_by_metric(&x, e, list, i);
        x.reply.nears[i + 1].object = x.reply.table.count;
        CHECK_REFUSED(write_reply(&x, e, &diag), SC_EINVAL, &diag, "names no object");
        x.reply.nears[i + 1] = near;

        const sc_category_id category = x.own_objects[near.object].category;
        x.own_objects[near.object].category = x.vocabulary.count;
        CHECK_REFUSED(write_reply(&x, e, &diag), SC_EINVAL, &diag, "has a category without a name");
        x.own_objects[near.object].category = category;

        x.reply.request_count--;
        CHECK_REFUSED(write_reply(&x, e, &diag), SC_EINVAL, &diag, "does not belong to this relay");
        x.reply.request_count++;
    }
    exchange_free(&x);
}

static void test_names_of_border_nodes_must_have_their_place(void **state)
{
    (void)state;
    exchange x = exchange_on(full_map(SC_COORDS_GEOGRAPHIC), 1, false);
    const uint32_t beyond = (uint32_t)x.relay->border_node_count;
    x.relay->border_places = &beyond;
    x.relay->border_place_count = 1;
    sc_diag diag = {""};
    CHECK_REFUSED(write_reply(&x, SC_ENCODING_GEOJSON, &diag), SC_EINVAL, &diag,
                  "place 0 of the relay");
    exchange_free(&x);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_numbers_ascend_each_once),
    cmocka_unit_test(test_encodings_have_names_and_media_types),
    cmocka_unit_test(test_a_media_type_is_of_one_encoding_and_of_this_version_or_none),
    cmocka_unit_test(test_a_message_that_is_too_large_is_not_even_looked_at),
    cmocka_unit_test(test_a_relay_that_is_none_is_not_written),
    cmocka_unit_test(test_a_reply_that_is_none_is_not_written),
    cmocka_unit_test(test_names_of_border_nodes_must_have_their_place),
};
SC_SUITE(tests)
