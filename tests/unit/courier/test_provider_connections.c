// The connections by itself: bytes there, bytes back, each exchange once.
#include "courier/provider_connections.h"

#include <pthread.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/rng.h"
#include "support/check.h"
#include "support/rough_provider.h"

#include <curl/curl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

/** A connections to someone who replies with what was sent. */
typedef struct line_up {
    rough_provider *provider;
    sc_courier_options options;
    sc__connections *connections;
    atomic_size_t back_count;
    atomic_size_t asked_count;  ///< how often the connections asked whether it may go on
    atomic_size_t may_go_on;    ///< how often it is told that it may
} line_up;

static void on_back(void *context, sc__exchange *exchange)
{
    (void)exchange;
    atomic_fetch_add(&((line_up *)context)->back_count, 1);
}

static bool may_go_on(void *context, const sc__exchange *exchange)
{
    (void)exchange;
    line_up *l = context;
    return atomic_fetch_add(&l->asked_count, 1) < atomic_load(&l->may_go_on);
}

static void line_up_open_with(line_up *l, unsigned connections, unsigned threads)
{
    assert_int_equal(curl_global_init(CURL_GLOBAL_DEFAULT), 0);
    *l = (line_up){.provider = rough_provider_new(NULL, SC_ENCODING_COMPACT)};
    atomic_store(&l->may_go_on, SIZE_MAX);
    rough_provider_up(l->provider);
    l->options = sc_courier_options_default();
    l->options.url = rough_provider_url(l->provider);
    l->options.connections = connections;
    l->options.threads = threads;
    l->options.max_errands = 100;
    l->options.try_timeout_s = 60.0;
    sc_rng *rng = NULL;
    CHECK_OK(sc_rng_new_seeded(1, &rng), NULL);
    const sc__connections_hooks hooks = {.back = on_back, .may_go_on = may_go_on, .context = l};
    sc_diag diag = {""};
    CHECK_OK(sc__connections_new(&l->options, &hooks, rng, &l->connections, &diag), &diag);
}

static void line_up_open(line_up *l, unsigned connections)
{
    line_up_open_with(l, connections, 1);
}

static void line_up_close(line_up *l)
{
    sc__connections_free(l->connections);
    rough_provider_free(l->provider);
    curl_global_cleanup();
}

static void await(const line_up *l, size_t count)
{
    for (int i = 0; i < 60000 && atomic_load(&l->back_count) < count; i++) {
        usleep(1000);
    }
    assert_int_equal(atomic_load(&l->back_count), count);
}

static sc__exchange exchange_of(const char *text, sc_diag *diag)
{
    *diag = (sc_diag){""};
    return (sc__exchange){.request = text,
                          .request_size = strlen(text),
                          .leave_by_us = sc_clock_us() + INT64_C(60000000),
                          .deadline_us = sc_clock_us() + INT64_C(60000000),
                          .diag = diag};
}

static void test_every_exchange_gets_its_own_reply(void **state)
{
    (void)state;
    enum { MANY = 100 };
    line_up l;
    line_up_open(&l, 4);
    sc__exchange exchanges[MANY];
    char texts[MANY][32];
    sc_diag diags[MANY];
    uint64_t bytes = 0;
    for (int i = 0; i < MANY; i++) {
        snprintf(texts[i], sizeof texts[i], "letter %d", i);
        bytes += strlen(texts[i]);
        exchanges[i] = exchange_of(texts[i], &diags[i]);
        sc__connections_post(l.connections, &exchanges[i]);
    }
    await(&l, MANY);
    for (int i = 0; i < MANY; i++) {
        assert_int_equal(exchanges[i].failure, SC_FAILURE_NONE);
        assert_int_equal(exchanges[i].status, 200);
        assert_int_equal(exchanges[i].reply_size, strlen(texts[i]));
        assert_memory_equal(exchanges[i].reply, texts[i], strlen(texts[i]));
        sc__connections_forget(l.connections, &exchanges[i]);
        sc__connections_forget(l.connections, &exchanges[i]);
    }
    const sc__connections_counts counts = sc__connections_counts_of(l.connections);
    assert_int_equal(counts.tries, MANY);
    assert_int_equal(counts.bytes_out, bytes);
    assert_int_equal(counts.bytes_in, bytes);
    assert_true(rough_provider_connections(l.provider) <= 4);
    line_up_close(&l);
}

/** In place: let what was posted go on until the provider has had so many requests. */
static void turn_until_asked(line_up *l, size_t count)
{
    while (rough_provider_count(l->provider) < count) {
        sc__connections_turn(l->connections);
        sc__connections_poll(l->connections, NULL, 0, sc_clock_us() + 1000);
    }
}

static bool has_body(const line_up *l, size_t i, const char *text)
{
    const sc_bytes body = rough_provider_body(l->provider, i);
    return body.size == strlen(text) && memcmp(body.data, text, body.size) == 0;
}

static void test_the_first_in_order_gets_a_connection_first(void **state)
{
    (void)state;
    enum { MANY = 5 };
    static const char *const texts[MANY] = {"e", "b", "d", "a", "c"};
    line_up l;
    line_up_open_with(&l, 1, 0);
    sc__exchange exchanges[MANY];
    sc_diag diags[MANY];
    for (int i = 0; i < MANY; i++) {
        exchanges[i] = exchange_of(texts[i], &diags[i]);
        exchanges[i].order_us = (unsigned char)texts[i][0];
        exchanges[i].is_dear = i % 2;
        sc__connections_post(l.connections, &exchanges[i]);
    }
    turn_until_asked(&l, MANY);
    static const char *const wanted[MANY] = {"a", "b", "c", "d", "e"};
    for (size_t i = 0; i < MANY; i++) {
        assert_true(has_body(&l, i, wanted[i]));
    }
    while (atomic_load(&l.back_count) < MANY) {
        sc__connections_turn(l.connections);
    }
    for (int i = 0; i < MANY; i++) {
        sc__connections_forget(l.connections, &exchanges[i]);
    }
    line_up_close(&l);
}

static void test_half_of_the_connections_are_left_to_cheap_ones(void **state)
{
    (void)state;
    enum { MANY = 4 };
    static const char *const texts[MANY] = {"dear", "dear", "dear", "cheap"};
    line_up l;
    line_up_open_with(&l, 2, 0);
    rough_provider_next(l.provider, ROUGH_SILENT, MANY);
    sc__exchange exchanges[MANY];
    sc_diag diags[MANY];
    for (int i = 0; i < MANY; i++) {
        exchanges[i] = exchange_of(texts[i], &diags[i]);
        exchanges[i].order_us = i;
        exchanges[i].is_dear = i < 3;
        sc__connections_post(l.connections, &exchanges[i]);
    }
    turn_until_asked(&l, 2);
    assert_true(has_body(&l, 0, "cheap") || has_body(&l, 1, "cheap"));
    assert_int_equal(sc__connections_counts_of(l.connections).tries, 2);
    line_up_close(&l);
}

static void test_one_that_may_not_go_on_comes_back_with_its_last_failure(void **state)
{
    (void)state;
    line_up l;
    line_up_open(&l, 1);
    atomic_store(&l.may_go_on, 0);
    rough_provider_next(l.provider, ROUGH_FAILS, 1);
    sc_diag diag;
    sc__exchange exchange = exchange_of("x", &diag);
    sc__connections_post(l.connections, &exchange);
    await(&l, 1);
    assert_int_equal(exchange.failure, SC_FAILURE_REFUSED);
    assert_int_equal(exchange.status, 500);
    assert_int_equal(exchange.tries, 1);
    assert_int_equal(atomic_load(&l.asked_count), 1);
    CHECK_CONTAINS(diag.message, "500");
    line_up_close(&l);
}

static void test_one_that_pauses_asks_again_before_it_goes_on(void **state)
{
    (void)state;
    line_up l;
    line_up_open(&l, 1);
    atomic_store(&l.may_go_on, 1);  // before the pause, and not after it
    rough_provider_next(l.provider, ROUGH_BUSY, 1);
    sc_diag diag;
    sc__exchange exchange = exchange_of("x", &diag);
    sc__connections_post(l.connections, &exchange);
    await(&l, 1);
    assert_int_equal(atomic_load(&l.asked_count), 2);
    assert_int_equal(exchange.failure, SC_FAILURE_REFUSED);
    assert_int_equal(exchange.status, 503);
    assert_int_equal(rough_provider_count(l.provider), 1);
    line_up_close(&l);
}

/** One fails and pauses; then another takes the only line and keeps it, until the first one's time
 * is over. False: on a busy machine something came too late for that. */
static bool fails_and_finds_no_line(int64_t time_us)
{
    line_up l;
    line_up_open(&l, 1);
    rough_provider_next(l.provider, ROUGH_BUSY, 1);  // a pause of a second
    sc_diag diags[2];
    sc__exchange first = exchange_of("first", &diags[0]);
    sc__exchange second = exchange_of("second", &diags[1]);
    first.leave_by_us = first.deadline_us = sc_clock_us() + time_us;
    sc__connections_post(l.connections, &first);
    while (atomic_load(&l.asked_count) < 1 && atomic_load(&l.back_count) < 1) {
        usleep(100);
    }
    rough_provider_next(l.provider, ROUGH_SILENT, 1);
    sc__connections_post(l.connections, &second);
    await(&l, 1);
    // Asked before the pause and after it, it went on, and yet was not tried again.
    const bool is_as_meant = atomic_load(&l.asked_count) == 2 && first.tries == 1;
    sc__connections_stop(l.connections);
    if (is_as_meant) {
        assert_int_equal(first.failure, SC_FAILURE_REFUSED);
        assert_int_equal(second.failure, SC_FAILURE_STOPPED);
    }
    assert_int_equal(atomic_load(&l.back_count), 2);
    line_up_close(&l);
    return is_as_meant;
}

static void test_one_that_failed_and_finds_no_line_again_has_failed_for_that_reason(void **state)
{
    (void)state;
    for (int64_t time_us = 2000000; !fails_and_finds_no_line(time_us); time_us += 1000000) {
        assert_true(time_us < 30000000);
    }
}

static void test_an_address_with_a_password_is_never_shown(void **state)
{
    (void)state;
    line_up l;
    line_up_open(&l, 1);
    sc__connections_free(l.connections);
    char url[128];
    snprintf(url, sizeof url, "http://me:hushhush@%s", rough_provider_url(l.provider) + 7);
    l.options.url = url;
    sc_rng *rng = NULL;
    CHECK_OK(sc_rng_new_seeded(1, &rng), NULL);
    const sc__connections_hooks hooks = {.back = on_back, .may_go_on = may_go_on, .context = &l};
    sc_diag diag;
    CHECK_OK(sc__connections_new(&l.options, &hooks, rng, &l.connections, &diag), &diag);
    const rough_mode modes[] = {ROUGH_CLOSES, ROUGH_FORBIDS, ROUGH_NOT_HTTP, ROUGH_REDIRECTS,
                                ROUGH_SILENT};
    size_t sent = 0;
    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++) {
        const size_t before = rough_provider_count(l.provider);
        // Until it was really asked, in spite of a busy machine.
        for (int64_t time_us = 100000; rough_provider_count(l.provider) == before; time_us *= 2) {
            assert_true(time_us < INT64_C(60000000));
            rough_provider_next(l.provider, modes[i], 100);
            sc__exchange exchange = exchange_of("x", &diag);
            exchange.leave_by_us = exchange.deadline_us = sc_clock_us() + time_us;
            sc__connections_post(l.connections, &exchange);
            await(&l, ++sent);
            assert_true(exchange.failure != SC_FAILURE_NONE);
            assert_null(strstr(diag.message, "hush"));
            assert_null(strstr(diag.message, "127.0.0.1"));
        }
    }
    // It is told to whom it belongs.
    CHECK_CONTAINS(rough_provider_head(l.provider, 0), "Authorization: Basic ");
    line_up_close(&l);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_the_first_in_order_gets_a_connection_first),
    cmocka_unit_test(test_half_of_the_connections_are_left_to_cheap_ones),
    cmocka_unit_test(test_every_exchange_gets_its_own_reply),
    cmocka_unit_test(test_one_that_may_not_go_on_comes_back_with_its_last_failure),
    cmocka_unit_test(test_one_that_pauses_asks_again_before_it_goes_on),
    cmocka_unit_test(test_one_that_failed_and_finds_no_line_again_has_failed_for_that_reason),
    cmocka_unit_test(test_an_address_with_a_password_is_never_shown),
};
SC_SUITE(tests)
