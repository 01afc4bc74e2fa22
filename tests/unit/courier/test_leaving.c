// A cloak leaves before the least deadline of its members, or not at all, however busy connections
// and threads are; what has left in time may be said again until the errand's own deadline.
#include "courier/courier.h"

#include <pthread.h>

#include "base/clock.h"
#include "courier/provider_request.h"
#include "support/check.h"
#include "support/errands.h"
#include "support/odd_town.h"
#include "support/rough_provider.h"

#include <arpa/inet.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

/** Whether couriers are in place, unless the test says how many provider threads they have. */
static bool is_in_place;

/** A town, a provider over HTTP that is down, and a courier. */
typedef struct scene {
    odd_town town;
    rough_provider *provider;
    errand_box box;
    sc_courier_options options;
    sc_courier *courier;
} scene;

static void scene_open(scene *s, sc_courier_kind kind)
{
    *s = (scene){.town = odd_town_drawn(13)};
    s->provider = rough_provider_new(s->town.objects, SC_ENCODING_COMPACT);
    errand_box_init(&s->box);
    s->options = sc_courier_options_default();
    if (is_in_place) s->options.threads = 0;
    s->options.kind = kind;
    s->options.objects = s->town.objects;
    s->options.url = rough_provider_url(s->provider);
    s->options.connections = 1;
    s->options.try_timeout_s = 30.0;
    s->options.breaker_failures = 1;
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

/** Send one that must leave within so much time, and has a minute for the rest. */
static sc_errand *dispatch(scene *s, double leave_s)
{
    sc_errand *e =
        errand_new(s->town.map, sc_courier_vocabulary(s->courier)->count, &s->town.rng, 2);
    e->leave_by_us = sc_clock_us() + (int64_t)(leave_s * 1e6);
    CHECK_OK(sc_courier_send(s->courier, e), NULL);
    return e;
}

/** The same, and wait for it. */
static sc_errand *run(scene *s, double leave_s)
{
    const size_t before = errand_box_count(&s->box);
    sc_errand *e = dispatch(s, leave_s);
    errand_box_await(&s->box, before + 1);
    return e;
}

/** It was given up when it had to leave, long before its deadline, and no failure is counted. */
static void check_unsent(scene *s, sc_errand *e, unsigned tries, const char *part)
{
    errand_check_failed(e, SC_FAILURE_UNSENT, part);
    assert_int_equal(e->tries, tries);
    assert_true(sc_clock_us() >= e->leave_by_us);
    assert_int_equal(sc_courier_stats_of(s->courier).times_suspended, 0);
    errand_free(e);
}

static void await_requests(scene *s, size_t count)
{
    for (int i = 0; i < 60000 && rough_provider_count(s->provider) < count; i++) {
        usleep(1000);
    }
    assert_int_equal(rough_provider_count(s->provider), count);
}

// --- Connections ----------------------------------------------------------------------------

/** On a busy machine their time may be over before a thread has them; then they are freed, and
 * others may have so many times as much. */
static bool has_met_no_thread(sc_errand **errands, size_t count, double factor)
{
    bool has_met = false;
    for (size_t i = 0; i < count; i++) {
        has_met = has_met || strstr(errands[i]->diag.message, "no provider thread");
    }
    if (!has_met || factor > 100.0) return false;
    for (size_t i = 0; i < count; i++) {
        errand_free(errands[i]);
    }
    return true;
}

static void test_those_who_wait_for_a_busy_connection_are_not_sent_late(void **state)
{
    (void)state;
    scene s;
    scene_open(&s, SC_COURIER_HTTP);
    rough_provider_up(s.provider);
    rough_provider_next(s.provider, ROUGH_SILENT, 1);
    start(&s);
    sc_errand *stuck = dispatch(&s, 60.0);
    await_requests(&s, 1);
    sc_errand *waiting[4];
    size_t sent = 0;
    for (double factor = 1.0; sent == 0 || has_met_no_thread(waiting, 4, factor); factor *= 4.0) {
        for (size_t i = 0; i < 4; i++) {
            waiting[i] = dispatch(&s, factor * (0.1 + 0.05 * (double)i));
        }
        errand_box_await(&s.box, sent += 4);
    }
    for (size_t i = 0; i < 4; i++) {
        check_unsent(&s, waiting[i], 0, "no connection to the provider was free");
    }
    assert_int_equal(errand_returns(stuck), 0);
    assert_int_equal(rough_provider_count(s.provider), 1);
    assert_int_equal(sc_courier_stats_of(s.courier).failed[SC_FAILURE_UNSENT], sent);
    turner_stop(&turns);
    sc_courier_free(s.courier);
    s.courier = NULL;
    errand_free(stuck);
    scene_close(&s);
}

static void test_what_has_left_in_time_may_be_sent_again_later(void **state)
{
    (void)state;
    scene s;
    scene_open(&s, SC_COURIER_HTTP);
    rough_provider_up(s.provider);
    start(&s);
    sc_errand *e = NULL;
    size_t before = 0;
    do {  // on a slow machine it may not leave in time
        if (e) errand_free(e);
        before = rough_provider_count(s.provider);
        rough_provider_next(s.provider, ROUGH_BUSY, 1);  // for a second
        e = run(&s, 0.5);
    } while (e->failure == SC_FAILURE_UNSENT && rough_provider_count(s.provider) == before);
    errand_check(e, s.town.objects, &s.town.slow);
    assert_int_equal(e->tries, 2);
    assert_true(e->latency_s >= 1.0);
    assert_int_equal(rough_provider_count(s.provider), before + 2);
    errand_free(e);
    scene_close(&s);
}

static void test_what_has_left_in_time_may_be_answered_later(void **state)
{
    (void)state;
    scene s;
    scene_open(&s, SC_COURIER_HTTP);
    s.options.try_timeout_s = 0.6;
    rough_provider_up(s.provider);
    start(&s);
    sc_errand *e = NULL;
    size_t before = 0;
    do {
        if (e) errand_free(e);
        before = rough_provider_count(s.provider);
        rough_provider_next(s.provider, ROUGH_SILENT, 1);  // until the try is over
        e = run(&s, 0.3);
    } while (e->failure == SC_FAILURE_UNSENT && rough_provider_count(s.provider) == before);
    errand_check(e, s.town.objects, &s.town.slow);
    assert_true(e->tries >= 2);
    errand_free(e);
    scene_close(&s);
}

static void test_one_that_was_never_sent_is_not_tried_again_later(void **state)
{
    (void)state;
    scene s;
    scene_open(&s, SC_COURIER_HTTP);
    s.options.breaker_failures = 0;
    start(&s);
    sc_errand *e = run(&s, 0.4);  // nothing listens there
    assert_true(e->failure == SC_FAILURE_UNREACHABLE || e->failure == SC_FAILURE_UNSENT);
    assert_true(sc_clock_us() < e->deadline_us);
    errand_free(e);
    scene_close(&s);
}

/** Someone who takes connections and never says a word, at https://127.0.0.1:PORT and `path`. */
static int mute_listener(char *url, size_t size, const char *path)
{
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_addr = {.s_addr = htonl(INADDR_LOOPBACK)}};
    socklen_t length = sizeof address;
    assert_int_equal(bind(fd, (struct sockaddr *)&address, length), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&address, &length), 0);
    assert_int_equal(listen(fd, 16), 0);
    snprintf(url, size, "https://127.0.0.1:%d%s", (int)ntohs(address.sin_port), path);
    return fd;
}

static void test_a_connection_that_is_never_ready_is_given_up_in_time(void **state)
{
    (void)state;
    scene s;
    scene_open(&s, SC_COURIER_HTTP);
    char url[64];
    // The other side never shows its certificate.
    const int fd = mute_listener(url, sizeof url, "/");
    s.options.url = url;
    start(&s);
    double leave_s = 1.0;
    sc_errand *e = run(&s, leave_s);
    while (has_met_no_thread(&e, 1, leave_s)) {
        leave_s *= 4.0;
        e = run(&s, leave_s);
    }
    check_unsent(&s, e, 1, "did not accept a connection");
    scene_close(&s);
    close(fd);
}

static void test_curl_is_kept_silent_when_it_is_late(void **state)
{
    (void)state;
    scene s;
    scene_open(&s, SC_COURIER_HTTP);
    rough_provider_up(s.provider);
    assert_int_equal(curl_global_init(CURL_GLOBAL_DEFAULT), 0);
    sc__request_rules rules;
    sc__provider_request request;
    sc_diag diag = {""};
    CHECK_OK(sc__request_rules_init(&rules, &s.options, &diag), &diag);
    CHECK_OK(sc__provider_request_init(&request, &rules, NULL), NULL);
    // In time, late (on the same connection), and again what was said before.
    const int64_t leave_by_us[] = {sc_clock_us() + INT64_C(60000000), sc_clock_us() - 1, INT64_MAX};
    for (size_t i = 0; i < 3; i++) {
        const bool is_late = i == 1;
        CHECK_OK(sc__provider_request_begin(&request, "x", 1, leave_by_us[i]), NULL);
        const CURLcode code = curl_easy_perform(request.easy);
        assert_int_equal(sc__provider_request_is_sent(&request), !is_late);
        const sc__provider_request_result result = sc__provider_request_end(&request, code, &diag);
        assert_int_equal(result.failure == SC_FAILURE_UNSENT, is_late);
        if (is_late) CHECK_CONTAINS(diag.message, "not sent");
        assert_false(result.may_pass);
    }
    assert_int_equal(rough_provider_count(s.provider), 2);
    sc__provider_request_fini(&request);
    sc__request_rules_fini(&rules);
    curl_global_cleanup();
    scene_close(&s);
}

// --- Threads --------------------------------------------------------------------------------

/** The thread that brings the first errand back is kept. */
typedef struct kept_thread {
    errand_box box;
    pthread_mutex_t lock;
    atomic_bool has_come;
} kept_thread;

static void keep_first(void *context, sc_errand *errand)
{
    kept_thread *kept = context;
    if (!atomic_exchange(&kept->has_come, true)) {
        pthread_mutex_lock(&kept->lock);
        pthread_mutex_unlock(&kept->lock);
    }
    errand_box_back(&kept->box, errand);
}

static void test_those_who_wait_for_a_busy_thread_are_not_evaluated_late(void **state)
{
    (void)state;
    enum { WAITING = 20 };
    scene s;
    scene_open(&s, SC_COURIER_BUILT_IN);
    kept_thread kept = {.lock = PTHREAD_MUTEX_INITIALIZER};
    errand_box_init(&kept.box);
    s.options.back = keep_first;
    s.options.context = &kept;
    start(&s);
    pthread_mutex_lock(&kept.lock);
    sc_errand *first = dispatch(&s, 60.0);
    while (!atomic_load(&kept.has_come)) {
        usleep(1000);
    }
    // One that has time is in the midst of them, and the last ones must leave first.
    sc_errand *patient = dispatch(&s, 60.0);
    sc_errand *waiting[WAITING];
    for (size_t i = 0; i < WAITING; i++) {
        waiting[i] = dispatch(&s, 0.2 - 0.005 * (double)i);
    }
    sc_errand *last = dispatch(&s, 60.0);
    errand_box_await(&kept.box, WAITING);
    for (size_t i = 0; i < WAITING; i++) {
        check_unsent(&s, waiting[i], 0, "no provider thread was free");
    }
    assert_int_equal(sc_courier_stats_of(s.courier).tries, 1);
    pthread_mutex_unlock(&kept.lock);
    errand_box_await(&kept.box, WAITING + 3);
    sc_errand *const well[] = {first, patient, last};
    for (size_t i = 0; i < 3; i++) {
        errand_check(well[i], s.town.objects, &s.town.slow);
        errand_free(well[i]);
    }
    scene_close(&s);
    errand_box_fini(&kept.box);
    pthread_mutex_destroy(&kept.lock);
}

static void test_one_that_should_have_left_is_not_evaluated(void **state)
{
    (void)state;
    scene s;
    scene_open(&s, SC_COURIER_BUILT_IN);
    start(&s);
    check_unsent(&s, run(&s, -0.001), 0, "deadline");
    assert_int_equal(sc_courier_stats_of(s.courier).tries, 0);
    scene_close(&s);
}

// --- Points ---------------------------------------------------------------------------------

static void test_points_are_not_asked_at_late(void **state)
{
    (void)state;
    scene s;
    scene_open(&s, SC_COURIER_POINTS);
    char url[128];
    // The only thread waits for someone who never shows a certificate.
    const int fd = mute_listener(url, sizeof url, "/?x={lon}&y={lat}&k={k}&c={category}");
    sc_point_options points = sc_point_options_default();
    points.url = url;
    sc_point_settings *settings = NULL;
    CHECK_OK(sc_point_settings_new(&points, &settings, NULL), NULL);
    s.options.points = settings;
    start(&s);
    sc_errand *first = NULL;
    sc_errand *second = NULL;
    bool is_as_meant = false;
    double leave_s = 2.0;
    do {
        // On a busy machine the thread may come too late for the first one, or the second one too
        // late to find the thread busy.
        if (first) errand_free(first);
        if (second) errand_free(second);
        const size_t before = errand_box_count(&s.box);
        const uint64_t tries = sc_courier_stats_of(s.courier).tries;
        first = dispatch(&s, leave_s);
        while (sc_courier_stats_of(s.courier).tries == tries &&
               errand_box_count(&s.box) == before) {
            usleep(1000);
        }
        second = dispatch(&s, leave_s / 20.0);
        errand_box_await(&s.box, before + 2);
        is_as_meant = first->tries == 1 && second->tries == 0;
        leave_s *= 4.0;
    } while (!is_as_meant && leave_s < 60.0);
    check_unsent(&s, first, 1, "there was no connection");
    check_unsent(&s, second, 0, "no provider thread was free");
    scene_close(&s);
    sc_point_settings_free(settings);
    close(fd);
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
    BOTH(test_those_who_wait_for_a_busy_connection_are_not_sent_late),
    BOTH(test_what_has_left_in_time_may_be_sent_again_later),
    BOTH(test_what_has_left_in_time_may_be_answered_later),
    BOTH(test_one_that_was_never_sent_is_not_tried_again_later),
    BOTH(test_a_connection_that_is_never_ready_is_given_up_in_time),
    BOTH(test_curl_is_kept_silent_when_it_is_late),
    cmocka_unit_test_setup(test_those_who_wait_for_a_busy_thread_are_not_evaluated_late,
                           with_threads),
    BOTH(test_one_that_should_have_left_is_not_evaluated),
    cmocka_unit_test_setup(test_points_are_not_asked_at_late, with_threads),
};
SC_SUITE(tests)
