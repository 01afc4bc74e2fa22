// A provider over HTTP that is down, slow, rude or lying: what may pass is tried again with the
// same bytes, what cannot be believed is not, and every errand comes back once.
#include <pthread.h>

#include "base/clock.h"
#include "courier/courier.h"
#include "support/check.h"
#include "support/errands.h"
#include "support/odd_town.h"
#include "support/rough_provider.h"

#include <stdio.h>
#include <unistd.h>

/** Whether couriers are in place, unless the test says how many provider threads they have. */
static bool is_in_place;

/** A town, its provider and a courier between them. */
typedef struct scene {
    odd_town town;
    rough_provider *provider;
    errand_box box;
    sc_courier_options options;
    sc_courier *courier;
} scene;

/** The provider is down; options may be changed before start(). A try has more time than any busy
 * machine needs. */
static void scene_open(scene *s)
{
    *s = (scene){.town = odd_town_new(13)};
    s->provider = rough_provider_new(s->town.objects, SC_ENCODING_COMPACT);
    errand_box_init(&s->box);
    s->options = sc_courier_options_default();
    if (is_in_place) s->options.threads = 0;
    s->options.kind = SC_COURIER_HTTP;
    s->options.url = rough_provider_url(s->provider);
    s->options.try_timeout_s = 60.0;
    s->options.back = errand_box_back;
    s->options.context = &s->box;
}

/** Of the courier that is there; for one in place. */
static turner turns;

static void start(scene *s)
{
    sc_rng rng;
    sc_rng_seed(&rng, 7);
    sc_diag diag = {""};
    CHECK_OK(sc_courier_new(s->town.map, &s->options, &rng, &s->courier, &diag), &diag);
    turner_start(&turns, s->courier);
}

static void scene_close(scene *s)
{
    turner_stop(&turns);
    sc_courier_free(s->courier);
    rough_provider_free(s->provider);
    errand_box_fini(&s->box);
    odd_town_free(&s->town);
}

/** Send one with so much time; it need not be back. */
static sc_errand *dispatch(scene *s, double seconds)
{
    sc_errand *e =
        errand_new(s->town.map, sc_courier_vocabulary(s->courier)->count, &s->town.rng, 4);
    e->deadline_us = sc_clock_us() + (int64_t)(seconds * 1e6);
    e->leave_by_us = e->deadline_us;
    CHECK_OK(sc_courier_send(s->courier, e), NULL);
    return e;
}

/** The same, and wait for it. */
static sc_errand *run(scene *s, double seconds)
{
    const size_t before = errand_box_count(&s->box);
    sc_errand *e = dispatch(s, seconds);
    errand_box_await(&s->box, before + 1);
    return e;
}

/** With more and more time, until it left and was tried so often: on a busy machine a deadline that
 * is short may come before that. */
static sc_errand *run_until_tried(scene *s, double seconds, unsigned tries)
{
    for (;; seconds *= 4.0) {
        sc_errand *e = run(s, seconds);
        if ((e->failure != SC_FAILURE_UNSENT && e->tries >= tries) || seconds > 15.0) return e;
        errand_free(e);
    }
}

/** All that the provider was sent; how much it is, each time. */
static size_t check_same_bytes(scene *s, size_t count)
{
    const sc_bytes first = rough_provider_body(s->provider, 0);
    for (size_t i = 1; i < count; i++) {
        const sc_bytes next = rough_provider_body(s->provider, i);
        assert_int_equal(first.size, next.size);
        assert_memory_equal(first.data, next.data, first.size);
    }
    return first.size;
}

// --- What may pass --------------------------------------------------------------------------

/** The first try fails, and the second goes well; where a try ends because it takes too long, a
 * busy machine may need more of them. */
static void check_tries(scene *s, const sc_errand *e, bool is_exact)
{
    const sc_courier_stats stats = sc_courier_stats_of(s->courier);
    const size_t count = rough_provider_count(s->provider);
    assert_true(e->tries >= 2 && count >= 2);
    if (is_exact) assert_true(e->tries == 2 && count == 2);
    const size_t size = check_same_bytes(s, count);
    assert_int_equal(stats.tries, e->tries);
    assert_true(stats.bytes_out >= 2 * size && stats.bytes_out <= e->tries * size);
    assert_int_equal(stats.failed[SC_FAILURE_NONE], 0);
}

static void test_what_may_pass_is_tried_again_with_the_same_bytes(void **state)
{
    (void)state;
    const rough_mode passing[] = {ROUGH_CLOSES, ROUGH_HALFWAY, ROUGH_FAILS,
                                  ROUGH_BUSY,   ROUGH_SILENT,  ROUGH_DRIPS};
    for (size_t i = 0; i < sizeof passing / sizeof passing[0]; i++) {
        check_case(passing[i]);
        scene s;
        scene_open(&s);
        const bool is_slow = passing[i] == ROUGH_SILENT || passing[i] == ROUGH_DRIPS;
        if (is_slow) s.options.try_timeout_s = 0.5;
        rough_provider_up(s.provider);
        rough_provider_next(s.provider, passing[i], 1);
        start(&s);
        sc_errand *e = run(&s, 60.0);
        errand_check(e, s.town.objects, &s.town.slow);
        check_tries(&s, e, !is_slow);
        if (passing[i] == ROUGH_BUSY) assert_true(e->latency_s >= 1.0);
        errand_free(e);
        scene_close(&s);
    }
    check_case_done();
}

static void test_a_provider_that_comes_up_in_time_answers(void **state)
{
    (void)state;
    scene s;
    scene_open(&s);
    start(&s);
    sc_errand *e = dispatch(&s, 60.0);
    while (sc_courier_stats_of(s.courier).tries < 2) {
        usleep(1000);
    }
    rough_provider_up(s.provider);
    errand_box_await(&s.box, 1);
    errand_check(e, s.town.objects, &s.town.slow);
    assert_true(e->tries >= 2);
    errand_free(e);
    scene_close(&s);
}

static void test_a_provider_that_stays_down_is_given_up(void **state)
{
    (void)state;
    scene s;
    scene_open(&s);
    start(&s);
    sc_errand *e = run_until_tried(&s, 0.5, 2);
    errand_check_failed(e, SC_FAILURE_UNREACHABLE, "the provider cannot be asked");
    assert_true(e->tries >= 2);
    assert_true(sc_courier_stats_of(s.courier).failed[SC_FAILURE_UNREACHABLE] >= 1);
    errand_free(e);
    scene_close(&s);
}

static void test_a_provider_that_is_silent_or_drips_is_given_up_at_the_deadline(void **state)
{
    (void)state;
    const rough_mode modes[] = {ROUGH_SILENT, ROUGH_DRIPS};
    for (size_t i = 0; i < 2; i++) {
        scene s;
        scene_open(&s);
        rough_provider_up(s.provider);
        rough_provider_next(s.provider, modes[i], 1000);
        start(&s);
        sc_errand *e = run_until_tried(&s, 0.3, 1);  // less than one try takes
        errand_check_failed(e, SC_FAILURE_TIMEOUT, "did not answer");
        assert_int_equal(e->tries, 1);
        assert_true(sc_clock_us() >= e->deadline_us);
        errand_free(e);
        scene_close(&s);
    }
}

static void
test_a_provider_that_is_busy_for_longer_than_there_is_time_is_not_asked_again(void **state)
{
    (void)state;
    scene s;
    scene_open(&s);
    rough_provider_up(s.provider);
    rough_provider_next(s.provider, ROUGH_BUSY_LONG, 1);
    start(&s);
    sc_errand *e = run(&s, 30.0);
    errand_check_failed(e, SC_FAILURE_REFUSED, "the provider answered with status 429");
    assert_int_equal(e->tries, 1);
    errand_free(e);
    scene_close(&s);
}

// --- What may not ---------------------------------------------------------------------------

static void check_final(rough_mode mode, sc_failure failure, const char *part)
{
    check_case(mode);
    scene s;
    scene_open(&s);
    rough_provider_up(s.provider);
    rough_provider_next(s.provider, mode, 1);
    start(&s);
    sc_errand *e = run(&s, 60.0);
    errand_check_failed(e, failure, part);
    assert_int_equal(e->tries, 1);
    assert_int_equal(rough_provider_count(s.provider), 1);
    errand_free(e);
    // And the next one goes well.
    e = run(&s, 60.0);
    errand_check(e, s.town.objects, &s.town.slow);
    errand_free(e);
    scene_close(&s);
}

static void test_what_cannot_be_believed_is_not_asked_again(void **state)
{
    (void)state;
    check_final(ROUGH_GARBAGE, SC_FAILURE_UNBELIEVABLE, "");
    check_final(ROUGH_EMPTY, SC_FAILURE_UNBELIEVABLE, "");
    check_final(ROUGH_LIES, SC_FAILURE_UNBELIEVABLE, "reply: ");
    check_final(ROUGH_NOT_HTTP, SC_FAILURE_UNBELIEVABLE, "the provider cannot be asked");
    check_final(ROUGH_HUGE, SC_FAILURE_UNBELIEVABLE, "larger than the limit of 16777216 bytes");
    check_final(ROUGH_HUGE_IN_CHUNKS, SC_FAILURE_UNBELIEVABLE,
                "larger than the limit of 16777216 bytes");
    check_final(ROUGH_ENDLESS_HEADERS, SC_FAILURE_UNBELIEVABLE, "headers");
    check_final(ROUGH_OTHER_TYPE, SC_FAILURE_UNBELIEVABLE, "of type 'text/html' instead");
    check_final(ROUGH_VERSION_3, SC_FAILURE_UNBELIEVABLE,
                "of type 'application/x-protobuf; version=3' instead of application/x-protobuf; "
                "version=2");
    check_final(ROUGH_FIRST, SC_FAILURE_UNBELIEVABLE,
                "the reply is of version 1 of the provider protocol, and the service reads version "
                "2; update the provider");
    check_case_done();
}

static void test_a_refusal_is_told_and_not_asked_again(void **state)
{
    (void)state;
    check_final(ROUGH_REFUSES, SC_FAILURE_REFUSED,
                "the provider answered with status 422: no such? caf??");
    check_final(ROUGH_FORBIDS, SC_FAILURE_REFUSED, "the provider answered with status 403");
    check_final(ROUGH_FIRST_415, SC_FAILURE_REFUSED,
                "the provider answered with status 415: the Content-Type must be "
                "application/x-protobuf or application/geo+json; it must read version 2 of the "
                "provider protocol: update it if it does not");
    check_final(ROUGH_REDIRECTS, SC_FAILURE_REFUSED, "redirect (status 302)");
    check_case_done();
}

// --- What is sent ---------------------------------------------------------------------------

static void test_nothing_is_told_but_the_cloak(void **state)
{
    (void)state;
    // No proxy was asked for.
    assert_int_equal(setenv("http_proxy", "http://127.0.0.1:1/", 1), 0);
    scene s;
    scene_open(&s);
    rough_provider_up(s.provider);
    rough_provider_next(s.provider, ROUGH_FAILS, 1);  // and sends a cookie
    start(&s);
    sc_errand *e = run(&s, 60.0);
    errand_check_well(e);
    errand_free(e);
    unsetenv("http_proxy");
    for (size_t i = 0; i < 2; i++) {
        char wanted[512];
        const char *host = s.options.url + strlen("http://");
        snprintf(wanted, sizeof wanted,
                 "POST /ask HTTP/1.1\r\nHost: %.*s\r\nUser-Agent: StarCloak\r\n"
                 "Content-Type: application/x-protobuf; version=2\r\n"
                 "Accept: application/x-protobuf; version=2\r\n"
                 "Content-Length: %zu\r\n\r\n",
                 (int)strcspn(host, "/"), host, rough_provider_body(s.provider, i).size);
        assert_string_equal(rough_provider_head(s.provider, i), wanted);
    }
    scene_close(&s);
}

static void test_a_large_cloak_is_sent_at_once(void **state)
{
    (void)state;
    scene s;
    scene_open(&s);
    rough_provider_up(s.provider);
    start(&s);
    // Larger than what curl would ask for permission for, with a word that is unknown there.
    sc_request requests[100];
    enum { COUNT = sizeof requests / sizeof requests[0] };
    for (uint32_t i = 0; i < COUNT; i++) {
        requests[i] = (sc_request){.type = SC_REQUEST_RANGE, .radius_m = i + 0.123456789};
    }
    sc_errand *e = errand_new(s.town.map, 1, &s.town.rng, 1);
    const sc_request *before = e->relay->requests;
    const size_t before_count = e->relay->request_count;
    e->relay->requests = requests;
    e->relay->request_count = COUNT;
    CHECK_OK(sc_courier_send(s.courier, e), NULL);
    errand_box_await(&s.box, 1);
    assert_true(rough_provider_body(s.provider, 0).size > 1024);
    assert_null(strcasestr(rough_provider_head(s.provider, 0), "expect"));
    errand_check(e, s.town.objects, &s.town.slow);
    e->relay->requests = before;
    e->relay->request_count = before_count;
    errand_free(e);
    scene_close(&s);
}

// --- The breaker ----------------------------------------------------------------------------

static void test_a_provider_that_fails_again_and_again_is_left_alone_for_a_while(void **state)
{
    (void)state;
    scene s;
    scene_open(&s);
    s.options.breaker_failures = 2;
    s.options.breaker_pause_s = 0.5;
    rough_provider_up(s.provider);
    rough_provider_next(s.provider, ROUGH_GARBAGE, 2);
    start(&s);
    sc_errand *failed[2];
    for (size_t i = 0; i < 2; i++) {
        assert_false(sc_courier_stats_of(s.courier).is_suspended);
        failed[i] = run(&s, 60.0);
        errand_check_failed(failed[i], SC_FAILURE_UNBELIEVABLE, "");
        errand_free(failed[i]);
    }
    assert_true(sc_courier_stats_of(s.courier).is_suspended);
    assert_int_equal(sc_courier_stats_of(s.courier).times_suspended, 1);
    sc_errand *e = run(&s, 60.0);
    // As long as it is left alone it is not asked; it may be back by now, on a slow machine.
    if (e->failure) {
        errand_check_failed(e, SC_FAILURE_SUSPENDED, "suspended");
        assert_int_equal(e->tries, 0);
        assert_int_equal(rough_provider_count(s.provider), 2);
    }
    while (e->failure) {
        errand_free(e);
        usleep(20000);
        e = run(&s, 60.0);
        if (e->failure) errand_check_failed(e, SC_FAILURE_SUSPENDED, "suspended");
    }
    errand_check(e, s.town.objects, &s.town.slow);
    assert_false(sc_courier_stats_of(s.courier).is_suspended);
    assert_int_equal(rough_provider_count(s.provider), 3);
    errand_free(e);
    scene_close(&s);
}

static void test_refusals_do_not_open_the_breaker(void **state)
{
    (void)state;
    scene s;
    scene_open(&s);
    s.options.breaker_failures = 1;
    rough_provider_up(s.provider);
    rough_provider_next(s.provider, ROUGH_REFUSES, 3);
    start(&s);
    for (size_t i = 0; i < 3; i++) {
        sc_errand *e = run(&s, 60.0);
        errand_check_failed(e, SC_FAILURE_REFUSED, "422");
        errand_free(e);
    }
    assert_int_equal(sc_courier_stats_of(s.courier).times_suspended, 0);
    scene_close(&s);
}

// --- Several at once ------------------------------------------------------------------------

static void test_one_that_is_not_answered_holds_up_no_other(void **state)
{
    (void)state;
    scene s;
    scene_open(&s);
    s.options.connections = 2;
    s.options.try_timeout_s = 30.0;
    rough_provider_up(s.provider);
    rough_provider_next(s.provider, ROUGH_SILENT, 1);
    start(&s);
    sc_errand *stuck = dispatch(&s, 60.0);
    while (rough_provider_count(s.provider) < 1) {
        usleep(1000);
    }
    for (size_t i = 0; i < 20; i++) {
        sc_errand *e = run(&s, 60.0);
        errand_check(e, s.town.objects, &s.town.slow);
        errand_free(e);
    }
    assert_int_equal(errand_returns(stuck), 0);
    // They shared a connection.
    assert_int_equal(rough_provider_connections(s.provider), 2);
    turner_stop(&turns);
    sc_courier_free(s.courier);
    s.courier = NULL;
    errand_check_failed(stuck, SC_FAILURE_STOPPED, "the service stopped");
    errand_free(stuck);
    scene_close(&s);
}

static void test_those_who_find_no_connection_in_time_have_failed(void **state)
{
    (void)state;
    scene s;
    scene_open(&s);
    s.options.connections = 1;
    s.options.try_timeout_s = 30.0;
    rough_provider_up(s.provider);
    rough_provider_next(s.provider, ROUGH_SILENT, 1);
    start(&s);
    sc_errand *stuck = dispatch(&s, 60.0);
    while (rough_provider_count(s.provider) < 1) {
        usleep(1000);
    }
    sc_errand *waiting = NULL;
    double seconds = 0.2;
    do {  // on a busy machine its time may be over before a thread has it
        if (waiting) errand_free(waiting);
        waiting = run(&s, seconds);
        seconds *= 4.0;
    } while (strstr(waiting->diag.message, "no provider thread") && seconds < 60.0);
    errand_check_failed(waiting, SC_FAILURE_UNSENT, "no connection to the provider was free");
    assert_int_equal(waiting->tries, 0);
    turner_stop(&turns);
    sc_courier_free(s.courier);
    s.courier = NULL;
    assert_int_equal(errand_returns(stuck), 1);
    errand_free(stuck);
    errand_free(waiting);
    scene_close(&s);
}

static void test_errands_under_way_come_back_when_a_courier_ends(void **state)
{
    (void)state;
    enum { MANY = 50 };
    const rough_mode modes[] = {ROUGH_SILENT, ROUGH_FAILS, ROUGH_GOOD, ROUGH_CLOSES};
    for (size_t m = 0; m < 4; m++) {
        check_case(m);
        scene s;
        scene_open(&s);
        s.options.connections = 3;
        if (!is_in_place) s.options.threads = 2;
        rough_provider_up(s.provider);
        rough_provider_next(s.provider, modes[m], 1000000);
        start(&s);
        sc_errand *errands[MANY];
        for (size_t i = 0; i < MANY; i++) {
            errands[i] = dispatch(&s, 60.0);
        }
        while (rough_provider_count(s.provider) < 3) {
            usleep(1000);
        }
        turner_stop(&turns);
        sc_courier_free(s.courier);
        s.courier = NULL;
        assert_int_equal(errand_box_count(&s.box), MANY);
        for (size_t i = 0; i < MANY; i++) {
            if (errands[i]->failure) {
                errand_check_failed(errands[i], SC_FAILURE_STOPPED, "the service stopped");
            } else {
                errand_check(errands[i], s.town.objects, &s.town.slow);
            }
            errand_free(errands[i]);
        }
        scene_close(&s);
    }
    check_case_done();
}

static int with_threads(void **state)
{
    (void)state;
    is_in_place = false;
    return 0;
}

static int in_place(void **state)
{
    (void)state;
    is_in_place = true;
    return 0;
}

/** A test is run for both forms. */
#define BOTH(test)                                                        \
    cmocka_unit_test_setup_teardown(test, with_threads, check_tell_case), \
        cmocka_unit_test_setup_teardown(test, in_place, check_tell_case)

static const struct CMUnitTest tests[] = {
    BOTH(test_what_may_pass_is_tried_again_with_the_same_bytes),
    BOTH(test_a_provider_that_comes_up_in_time_answers),
    BOTH(test_a_provider_that_stays_down_is_given_up),
    BOTH(test_a_provider_that_is_silent_or_drips_is_given_up_at_the_deadline),
    BOTH(test_a_provider_that_is_busy_for_longer_than_there_is_time_is_not_asked_again),
    BOTH(test_what_cannot_be_believed_is_not_asked_again),
    BOTH(test_a_refusal_is_told_and_not_asked_again),
    BOTH(test_nothing_is_told_but_the_cloak),
    BOTH(test_a_large_cloak_is_sent_at_once),
    BOTH(test_a_provider_that_fails_again_and_again_is_left_alone_for_a_while),
    BOTH(test_refusals_do_not_open_the_breaker),
    BOTH(test_one_that_is_not_answered_holds_up_no_other),
    BOTH(test_those_who_find_no_connection_in_time_have_failed),
    BOTH(test_errands_under_way_come_back_when_a_courier_ends),
};
SC_SUITE(tests)
