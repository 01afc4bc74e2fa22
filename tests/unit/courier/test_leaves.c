// The observer is told what leaves for an errand: exactly the bytes that the provider gets,
// once, and only if something is said.
#include "courier/courier.h"

#include <pthread.h>

#include "base/clock.h"
#include "support/check.h"
#include "support/errands.h"
#include "support/odd_town.h"
#include "support/rough_provider.h"

#include <unistd.h>

enum { MOST = 64 };

/** What was told of one errand. */
typedef struct told {
    uint64_t number;
    uint8_t *bytes;
    size_t size;
} told;

/** A town, a provider over HTTP that is down, a courier, and what it has told. */
typedef struct scene {
    errand_box box;
    pthread_mutex_t lock;
    told told[MOST];  ///< under `lock`, as the next
    size_t told_count;
    odd_town town;
    rough_provider *provider;
    sc_courier_options options;
    sc_courier *courier;
} scene;

static void on_back(void *context, sc_errand *errand)
{
    scene *s = context;
    errand_box_back(&s->box, errand);
}

static void on_leaves(void *context, const sc_errand *errand, const void *bytes, size_t size)
{
    scene *s = context;
    pthread_mutex_lock(&s->lock);
    assert_true(s->told_count < MOST);
    told *t = &s->told[s->told_count++];
    *t = (told){errand->number, test_take(size, 1), size};
    memcpy(t->bytes, bytes, size);
    pthread_mutex_unlock(&s->lock);
}

static void scene_open(scene *s, sc_courier_kind kind)
{
    *s = (scene){.lock = PTHREAD_MUTEX_INITIALIZER, .town = odd_town_drawn(13)};
    s->provider = rough_provider_new(s->town.objects, SC_ENCODING_COMPACT);
    errand_box_init(&s->box);
    s->options = sc_courier_options_default();
    s->options.kind = kind;
    s->options.objects = s->town.objects;
    s->options.url = rough_provider_url(s->provider);
    s->options.connections = 2;
    s->options.try_timeout_s = 30.0;
    s->options.breaker_failures = 0;
    s->options.leaves = on_leaves;
    s->options.back = on_back;
    s->options.context = s;
}

static void start(scene *s)
{
    sc_rng rng;
    sc_rng_seed(&rng, 7);
    sc_diag diag = {""};
    CHECK_OK(sc_courier_new(s->town.map, &s->options, &rng, &s->courier, &diag), &diag);
}

static void scene_close(scene *s)
{
    sc_courier_free(s->courier);
    rough_provider_free(s->provider);
    errand_box_fini(&s->box);
    for (size_t i = 0; i < s->told_count; i++) {
        free(s->told[i].bytes);
    }
    odd_town_free(&s->town);
    pthread_mutex_destroy(&s->lock);
}

/** Send one that must leave within so much time. */
static sc_errand *dispatch(scene *s, uint64_t number, double leave_s)
{
    sc_errand *e =
        errand_new(s->town.map, sc_courier_vocabulary(s->courier)->count, &s->town.rng, 2);
    e->number = number;
    e->leave_by_us = sc_clock_us() + (int64_t)(leave_s * 1e6);
    CHECK_OK(sc_courier_send(s->courier, e), NULL);
    return e;
}

/** The one thing told of an errand. */
static const told *told_of(const scene *s, uint64_t number)
{
    const told *found = NULL;
    for (size_t i = 0; i < s->told_count; i++) {
        if (s->told[i].number != number) continue;
        assert_null(found);
        found = &s->told[i];
    }
    assert_non_null(found);
    return found;
}

/** Whether the provider was sent just that in request `i`. */
static bool was_sent(const scene *s, const told *t, size_t i)
{
    const sc_bytes body = rough_provider_body(s->provider, i);
    return body.size == t->size && memcmp(body.data, t->bytes, t->size) == 0;
}

static void test_what_is_told_is_what_the_provider_gets(void **state)
{
    (void)state;
    enum { ERRANDS = 30 };
    scene s;
    scene_open(&s, SC_COURIER_HTTP);
    rough_provider_up(s.provider);
    start(&s);
    sc_errand *errands[ERRANDS];
    for (uint64_t i = 0; i < ERRANDS; i++) {
        errands[i] = dispatch(&s, 1000 + i, 60.0);
    }
    errand_box_await(&s.box, ERRANDS);
    assert_int_equal(s.told_count, ERRANDS);
    assert_int_equal(rough_provider_count(s.provider), ERRANDS);
    for (uint64_t i = 0; i < ERRANDS; i++) {
        errand_check_well(errands[i]);
        const told *t = told_of(&s, 1000 + i);
        size_t times = 0;
        for (size_t j = 0; j < ERRANDS; j++) {
            times += was_sent(&s, t, j);
        }
        assert_int_equal(times, 1);
        errand_free(errands[i]);
    }
    scene_close(&s);
}

static void test_the_number_is_no_part_of_it(void **state)
{
    (void)state;
    scene s;
    scene_open(&s, SC_COURIER_HTTP);
    rough_provider_up(s.provider);
    start(&s);
    sc_errand *e = dispatch(&s, 1, 60.0);
    errand_box_await(&s.box, 1);
    for (size_t i = 0; i < e->place_count; i++) {
        sc_answer_free(e->places[i].answer);
    }
    e->number = UINT64_MAX;
    CHECK_OK(sc_courier_send(s.courier, e), NULL);
    errand_box_await(&s.box, 2);
    const told *one = told_of(&s, 1);
    const told *other = told_of(&s, UINT64_MAX);
    assert_int_equal(one->size, other->size);
    assert_memory_equal(one->bytes, other->bytes, one->size);
    assert_true(was_sent(&s, one, 0) && was_sent(&s, one, 1));
    assert_string_equal(rough_provider_head(s.provider, 0), rough_provider_head(s.provider, 1));
    errand_free(e);
    scene_close(&s);
}

static void test_tries_that_follow_are_not_told(void **state)
{
    (void)state;
    scene s;
    scene_open(&s, SC_COURIER_HTTP);
    rough_provider_up(s.provider);
    // An answer that passes, and connections that are gone: curl itself may speak twice.
    rough_provider_next(s.provider, ROUGH_FAILS, 1);
    start(&s);
    sc_errand *e = dispatch(&s, 5, 60.0);
    errand_box_await(&s.box, 1);
    rough_provider_next(s.provider, ROUGH_CLOSES, 2);
    sc_errand *again = dispatch(&s, 6, 60.0);
    errand_box_await(&s.box, 2);
    errand_check_well(e);
    errand_check_well(again);
    assert_int_equal(e->tries, 2);
    assert_true(again->tries >= 2);
    assert_int_equal(s.told_count, 2);
    const size_t count = rough_provider_count(s.provider);
    assert_true(count >= 4);
    for (size_t i = 0; i < count; i++) {
        assert_true(was_sent(&s, told_of(&s, i < 2 ? 5 : 6), i));
    }
    errand_free(e);
    errand_free(again);
    scene_close(&s);
}

static void test_what_left_and_failed_is_told(void **state)
{
    (void)state;
    scene s;
    scene_open(&s, SC_COURIER_HTTP);
    rough_provider_up(s.provider);
    rough_provider_next(s.provider, ROUGH_FORBIDS, 1);
    start(&s);
    sc_errand *e = dispatch(&s, 7, 60.0);
    errand_box_await(&s.box, 1);
    errand_check_failed(e, SC_FAILURE_REFUSED, "403");
    assert_true(was_sent(&s, told_of(&s, 7), 0));
    errand_free(e);
    scene_close(&s);
}

static void test_what_finds_no_connection_in_time_is_not_told(void **state)
{
    (void)state;
    scene s;
    scene_open(&s, SC_COURIER_HTTP);
    s.options.connections = 1;
    rough_provider_up(s.provider);
    rough_provider_next(s.provider, ROUGH_SILENT, 1);
    start(&s);
    sc_errand *stuck = dispatch(&s, 1, 60.0);
    for (int i = 0; i < 60000 && rough_provider_count(s.provider) < 1; i++) {
        usleep(1000);
    }
    sc_errand *late = NULL;
    double seconds = 0.1;
    do {  // on a busy machine its time may be over before a thread has it
        if (late) errand_free(late);
        late = dispatch(&s, 2, seconds);
        errand_box_await(&s.box, errand_box_count(&s.box) + 1);
        seconds *= 4.0;
    } while (strstr(late->diag.message, "no provider thread") && seconds < 30.0);
    errand_check_failed(late, SC_FAILURE_UNSENT, "no connection");
    sc_courier_free(s.courier);
    s.courier = NULL;
    assert_int_equal(s.told_count, 1);
    assert_int_equal(s.told[0].number, 1);
    errand_free(stuck);
    errand_free(late);
    scene_close(&s);
}

static void test_without_a_listener_or_with_an_open_breaker_nothing_is_told(void **state)
{
    (void)state;
    scene s;
    scene_open(&s, SC_COURIER_HTTP);
    s.options.breaker_failures = 1;
    s.options.breaker_pause_s = 3600.0;
    start(&s);
    // On a slow machine the first may not even be tried; then the breaker knows nothing yet.
    sc_failure last = SC_FAILURE_UNSENT;
    for (size_t count = 1; last != SC_FAILURE_SUSPENDED; count++) {
        sc_errand *e = dispatch(&s, count, 0.3);
        errand_box_await(&s.box, count);
        last = e->failure;
        assert_true(last != SC_FAILURE_NONE);
        errand_free(e);
    }
    assert_int_equal(s.told_count, 0);
    scene_close(&s);
}

static void test_of_a_provider_that_is_built_in_nothing_is_told(void **state)
{
    (void)state;
    scene s;
    scene_open(&s, SC_COURIER_BUILT_IN);
    start(&s);
    sc_errand *e = dispatch(&s, 1, 60.0);
    errand_box_await(&s.box, 1);
    errand_check_well(e);
    assert_int_equal(s.told_count, 0);
    errand_free(e);
    scene_close(&s);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_what_is_told_is_what_the_provider_gets),
    cmocka_unit_test(test_the_number_is_no_part_of_it),
    cmocka_unit_test(test_tries_that_follow_are_not_told),
    cmocka_unit_test(test_what_left_and_failed_is_told),
    cmocka_unit_test(test_what_finds_no_connection_in_time_is_not_told),
    cmocka_unit_test(test_without_a_listener_or_with_an_open_breaker_nothing_is_told),
    cmocka_unit_test(test_of_a_provider_that_is_built_in_nothing_is_told),
};
SC_SUITE(tests)
