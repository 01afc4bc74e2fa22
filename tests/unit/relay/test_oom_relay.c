// Every allocation of writing and reading relays and replies fails once, in turn: it is told,
// nothing leaks, and a reply can be filled again. (jansson's own memory is not ours to take away.)
#include "support/check.h"
#include "support/messages.h"
#include "support/oom.h"

#include "relay/relay_build.h"

// An exchange that needs every table: runs, lists, own objects, several requests.
static exchange rich_exchange(bool own_objects)
{
    for (uint64_t seed = 0;; seed++) {
        sketch s = sketch_grid(SC_COORDS_GEOGRAPHIC, 4, 4);
        sc_builder *builder = sketch_builder(&s);
        for (uint32_t e = 0; e < s.edge_count; e++) {
            put_object(builder, e, 0.5, exchange_categories[e % 5], e % 2 ? "name" : "");
        }
        sketch_free(&s);
        exchange x = exchange_on(finish_builder(builder), seed, own_objects);
        const size_t lists = x.reply.request_count * x.reply.border_node_count;
        if (x.reply.request_count > 1 && x.reply.border_node_count > 1 &&
            x.reply.run_start[x.reply.request_count] > 1 && x.reply.near_start[lists] > 20) {
            return x;
        }
        exchange_free(&x);
    }
}

static void check_relay(const exchange *x, sc_encoding encoding, unsigned long least)
{
    const sc_codec_limits limits = sc_codec_limits_default();
    sc_diag diag = {""};
    sc_bytes bytes = {0};
    unsigned long failures = 0;
    FOR_EACH_FAILURE(n)
    {
        const sc_err err = sc_relay_encode(
            &(sc_codec){.map = x->map, .vocabulary = &x->vocabulary, .encoding = encoding},
            x->relay, &bytes, &diag);
        if (!oom_happened()) {
            CHECK_OK(err, &diag);
            break;
        }
        CHECK_REFUSED(err, SC_ENOMEM, &diag, "out of memory while writing a");
        sc_bytes_fini(&bytes);
        failures++;
    }
    FOR_EACH_FAILURE(n)
    {
        sc_relay *relay = NULL;
        const sc_err err = sc_relay_decode(&(sc_codec){.map = x->map,
                                                       .vocabulary = &x->vocabulary,
                                                       .encoding = encoding,
                                                       .limits = &limits},
                                           bytes.data, bytes.size, &relay, &diag);
        if (!oom_happened()) {
            CHECK_OK(err, &diag);
            check_same_relay(relay, x->relay);
            sc_relay_free(relay);
            break;
        }
        CHECK_REFUSED(err, SC_ENOMEM, &diag, "out of memory while");
        assert_null(relay);
        failures++;
    }
    assert_true(failures >= least);
    sc_bytes_fini(&bytes);
}

static void check_reply(const exchange *x, sc_encoding encoding, unsigned long least)
{
    const sc_codec_limits limits = sc_codec_limits_default();
    sc_diag diag = {""};
    sc_bytes bytes = {0};
    sc_reply reply;
    sc_reply_init(&reply);
    unsigned long failures = 0;
    FOR_EACH_FAILURE(n)
    {
        const sc_err err = sc_reply_encode(
            &(sc_codec){.map = x->map, .vocabulary = &x->vocabulary, .encoding = encoding},
            x->relay, &x->reply, &bytes, &diag);
        if (!oom_happened()) {
            CHECK_OK(err, &diag);
            break;
        }
        CHECK_REFUSED(err, SC_ENOMEM, &diag, "out of memory while writing a");
        sc_bytes_fini(&bytes);
        failures++;
    }
    FOR_EACH_FAILURE(n)
    {
        const sc_err err = sc_reply_decode(&(sc_codec){.map = x->map,
                                                       .vocabulary = &x->vocabulary,
                                                       .encoding = encoding,
                                                       .limits = &limits},
                                           x->relay, bytes.data, bytes.size, &reply, &diag);
        if (!oom_happened()) {
            CHECK_OK(err, &diag);
            check_same_lists(&reply, &x->reply, 1e-6);
            break;
        }
        CHECK_REFUSED(err, SC_ENOMEM, &diag, "out of memory while reading a");
        // Without what it had, so that it must be made again.
        if (n % 2) sc_reply_fini(&reply);
        failures++;
    }
    assert_true(failures >= least);
    sc_reply_fini(&reply);
    sc_bytes_fini(&bytes);
}

static void test_messages_that_do_not_fit_are_told(void **state)
{
    (void)state;
    for (unsigned own = 0; own < 2; own++) {
        exchange x = rich_exchange(own);
        check_relay(&x, SC_ENCODING_COMPACT, 12);
        check_relay(&x, SC_ENCODING_GEOJSON, 12);
        check_reply(&x, SC_ENCODING_COMPACT, 20);
        check_reply(&x, SC_ENCODING_GEOJSON, 12);
        exchange_free(&x);
    }
}

static void test_a_vocabulary_that_does_not_fit_is_told(void **state)
{
    (void)state;
    sc_map *map = full_map(SC_COORDS_PLANAR);
    sc_vocabulary vocabulary = {0};
    sc_alloc_fail_at(1);
    const sc_err err = sc_vocabulary_init_from_map(map, &vocabulary);
    assert_true(oom_happened());
    assert_int_equal(err, SC_ENOMEM);
    assert_null(vocabulary.names);
    sc_map_free(map);
}

static void test_a_reply_without_memory_can_be_begun_again(void **state)
{
    (void)state;
    sc_reply reply;
    sc_reply_init(&reply);
    unsigned long failures = 0;
    FOR_EACH_FAILURE(n)
    {
        const bool done = sc__reply_begin(&reply, 2, 2) && sc__reply_add_run(&reply, 1, 1) &&
                          sc__reply_add_near(&reply, (sc_near){1, 1.0, 1.0});
        if (!oom_happened()) {
            assert_true(done);
            break;
        }
        assert_false(done);
        failures++;
        sc_reply_fini(&reply);
    }
    assert_int_equal(failures, 5);
    sc_reply_fini(&reply);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_messages_that_do_not_fit_are_told),
    cmocka_unit_test(test_a_vocabulary_that_does_not_fit_is_told),
    cmocka_unit_test(test_a_reply_without_memory_can_be_begun_again),
};
SC_SUITE(tests)
