// The queue to the provider: cheap before dear, old before new, half of the threads and connections
// for cheap ones; and slow outliers do not open the breaker.
#include "courier/courier_internal.h"

#include "base/clock.h"
#include "support/check.h"
#include "support/errands.h"
#include "support/odd_town.h"
#include "support/rough_provider.h"

#include <unistd.h>

typedef struct scene {
    odd_town town;
    rough_provider *provider;
    errand_box box;
    sc_courier_options options;
    sc_courier *courier;
} scene;

static void scene_open(scene *s)
{
    *s = (scene){.town = odd_town_new(13)};
    s->provider = rough_provider_new(s->town.objects, SC_ENCODING_COMPACT);
    errand_box_init(&s->box);
    s->options = sc_courier_options_default();
    s->options.kind = SC_COURIER_HTTP;
    s->options.url = rough_provider_url(s->provider);
    s->options.try_timeout_s = 60.0;
    s->options.breaker_failures = 2;
    s->options.breaker_pause_s = 600.0;
    s->options.back = errand_box_back;
    s->options.context = &s->box;
    rough_provider_up(s->provider);
}

static void start(scene *s)
{
    sc_rng rng;
    sc_rng_seed(&rng, 7);
    CHECK_OK(sc_courier_new(s->town.map, &s->options, &rng, &s->courier, NULL), NULL);
}

static void scene_close(scene *s)
{
    sc_courier_free(s->courier);
    rough_provider_free(s->provider);
    errand_box_fini(&s->box);
    odd_town_free(&s->town);
}

static sc_errand *dispatch(scene *s, double seconds)
{
    sc_errand *e =
        errand_new(s->town.map, sc_courier_vocabulary(s->courier)->count, &s->town.rng, 4);
    e->deadline_us = sc_clock_us() + (int64_t)(seconds * 1e6);
    e->leave_by_us = e->deadline_us;
    CHECK_OK(sc_courier_send(s->courier, e), NULL);
    return e;
}

// --- The order ------------------------------------------------------------------------------

static void test_a_dear_errand_waits_for_cheap_ones_and_not_for_ever(void **state)
{
    (void)state;
    const int64_t second = 1000000;
    // A second later, and a hundred steps against three hundred thousand: first all the same.
    assert_true(sc__order_of(second, 100) < sc__order_of(0, 300000));
    assert_true(sc__order_of(10 * second, 100) > sc__order_of(0, 300000));
    assert_true(sc__order_of(0, 100) < sc__order_of(1, 100));
    assert_true(sc__order_of(0, 1e300) == 60 * second);
}

static void test_jobs_are_taken_in_that_order(void **state)
{
    (void)state;
    scene s;
    scene_open(&s);
    s.options.threads = 0;  // nothing is taken but by us
    start(&s);
    sc__job jobs[5] = {{.order_us = 50},
                       {.order_us = 40, .is_dear = true},
                       {.order_us = 10},
                       {.order_us = 60, .is_dear = true},
                       {.order_us = 30}};
    for (size_t i = 0; i < 5; i++) {
        jobs[i].is_replied = true;  // so that none has to leave
        sc__courier_enqueue(s.courier, &jobs[i]);
    }
    static const size_t wanted[] = {2, 4, 1, 0, 3};
    for (size_t i = 0; i < 5; i++) {
        assert_true(sc__courier_has_jobs(s.courier));
        assert_ptr_equal(sc__courier_take(s.courier), &jobs[wanted[i]]);
    }
    assert_null(sc__courier_take(s.courier));
    scene_close(&s);
}

static void test_half_of_the_threads_are_left_to_cheap_jobs(void **state)
{
    (void)state;
    scene s;
    scene_open(&s);
    s.options.threads = 0;
    start(&s);
    s.courier->thread_count = 4;  // as far as the queue is concerned
    sc__job jobs[4] = {{.order_us = 1, .is_dear = true},
                       {.order_us = 2, .is_dear = true},
                       {.order_us = 3, .is_dear = true},
                       {.order_us = 4}};
    for (size_t i = 0; i < 4; i++) {
        jobs[i].is_replied = true;
        sc__courier_enqueue(s.courier, &jobs[i]);
    }
    assert_ptr_equal(sc__courier_next(s.courier), &jobs[0]);
    assert_ptr_equal(sc__courier_next(s.courier), &jobs[1]);
    assert_ptr_equal(sc__courier_next(s.courier), &jobs[3]);
    sc__courier_done(s.courier, false);
    sc__courier_done(s.courier, true);
    assert_ptr_equal(sc__courier_next(s.courier), &jobs[2]);
    s.courier->thread_count = 1;
    scene_close(&s);
}

// --- The breaker ----------------------------------------------------------------------------

static void wait_for_requests(scene *s, size_t count)
{
    while (rough_provider_count(s->provider) < count) {
        usleep(1000);
    }
}

static void test_time_outs_while_others_are_answered_do_not_open_the_breaker(void **state)
{
    (void)state;
    enum { SLOW = 3 };
    scene s;
    scene_open(&s);
    start(&s);
    sc_errand *slow[SLOW];
    rough_provider_next(s.provider, ROUGH_SILENT, SLOW);
    for (size_t i = 0; i < SLOW; i++) {
        slow[i] = dispatch(&s, 5.0);
    }
    wait_for_requests(&s, SLOW);
    sc_errand *quick = dispatch(&s, 60.0);
    errand_box_await(&s.box, SLOW + 1);
    errand_check_well(quick);
    for (size_t i = 0; i < SLOW; i++) {
        errand_check_failed(slow[i], SC_FAILURE_TIMEOUT, "deadline");
        errand_free(slow[i]);
    }
    errand_free(quick);
    assert_int_equal(sc_courier_stats_of(s.courier).times_suspended, 0);
    scene_close(&s);
}

/** Errands that are sent and not answered, until so many had left. */
static void let_time_out(scene *s, size_t count)
{
    rough_provider_next(s->provider, ROUGH_SILENT, 1000);
    double seconds = 0.2;
    while (count > 0 && !sc_courier_stats_of(s->courier).is_suspended) {
        const size_t before = errand_box_count(&s->box);
        sc_errand *e = dispatch(s, seconds);
        errand_box_await(&s->box, before + 1);
        if (e->failure == SC_FAILURE_TIMEOUT && e->tries > 0) {
            count--;
        } else {
            seconds *= 2;  // on a busy machine
        }
        errand_free(e);
    }
}

static void test_time_outs_of_what_costs_far_more_do_not_open_the_breaker(void **state)
{
    (void)state;
    scene s;
    scene_open(&s);
    start(&s);
    // As if cloaks of a thousandth of a step had come back well, before any of these was sent.
    s.courier->well_cost = 1e-3;
    let_time_out(&s, 4);
    assert_int_equal(sc_courier_stats_of(s.courier).times_suspended, 0);
    // They are as others: it is the provider.
    s.courier->well_cost = 1e9;
    let_time_out(&s, 4);
    assert_int_equal(sc_courier_stats_of(s.courier).times_suspended, 1);
    scene_close(&s);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_dear_errand_waits_for_cheap_ones_and_not_for_ever),
    cmocka_unit_test(test_jobs_are_taken_in_that_order),
    cmocka_unit_test(test_half_of_the_threads_are_left_to_cheap_jobs),
    cmocka_unit_test(test_time_outs_while_others_are_answered_do_not_open_the_breaker),
    cmocka_unit_test(test_time_outs_of_what_costs_far_more_do_not_open_the_breaker),
};
SC_SUITE(tests)
