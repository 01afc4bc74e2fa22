// Another variant while engines run: it is taken over in the next round, which comes even if no
// message is sent, by engines made later too, and calling for it often takes no room from messages.
#include "worker/engine_pool.h"
#include "worker/engine_thread.h"

#include "base/rng.h"
#include "support/check.h"
#include "support/received.h"
#include "support/sketch.h"
#include "support/streams.h"

#include <pthread.h>
#include <unistd.h>

enum { LONG_MS = 60000, GATEWAY = 5 };

//   A   B   C
//   |   |   |
//   D---E---F
//   |   |   |
//   G   H   I
// D and F are two hops apart, so that only a basic search joins them. To hybrid everybody is
// urgent.
typedef struct scene {
    sc_map *map;
    sc_partition *partition;
    received received;
    sc__engine_thread *engine_thread;
    sc_seg_id first;  ///< a dead end of D
    sc_seg_id last;   ///< one of F
} scene;

/** A dead end of a star. */
static sc_seg_id dead_end(const sc_map *map, sc_star_id star)
{
    for (sc_seg_id s = 0; s < sc_map_segment_count(map); s++) {
        const sc_segment *segment = &sc_map_segments(map)[s];
        if (segment->star_a == star && segment->star_b == SC_NONE) return s;
    }
    fail_msg("a star without a dead end");
    return SC_NONE;
}

static sc_engine_pool_options options_of(scene *s, sc_variant variant)
{
    sc_engine_pool_options options = {
        .engine = sc_engine_options_default(),
        .partition = s->partition,
        .engine_threads = 1,
        .max_queries = 10,
        .patience_us = 1000000,
        .port = received_port(&s->received),
    };
    options.engine.variant = variant;
    options.engine.consideration_us = INT64_MAX;
    return options;
}

static void scene_open(scene *s, sc_variant variant)
{
    sketch drawn = sketch_named(small_maps[0].name);
    *s = (scene){.map = sketch_map(&drawn)};
    sketch_free(&drawn);
    CHECK_OK(sc_partition_whole(s->map, &s->partition, NULL), NULL);
    received_open(&s->received);
    assert_int_equal(sc_map_star_count(s->map), 3);
    s->first = dead_end(s->map, 0);
    s->last = dead_end(s->map, 2);
    const sc_engine_pool_options options = options_of(s, variant);
    sc_rng rng;
    sc_rng_seed(&rng, 5);
    sc_diag diag = {""};
    CHECK_OK(sc__engine_thread_new(s->map, &options, 0, &rng, &s->engine_thread, &diag), &diag);
    sc__engine_thread_set_parts(s->engine_thread, (uint16_t[]){0}, 1);
}

static void scene_close(scene *s)
{
    sc__engine_thread_free(s->engine_thread);
    received_close(&s->received);
    sc_partition_free(s->partition);
    sc_map_free(s->map);
}

/** Query `number`, for two users. */
static void tell_add(scene *s, uint32_t number, sc_seg_id segment)
{
    sc_msg msg = {.kind = SC_MSG_ADD};
    msg.query = plain_query(number, segment, 2, 1, 100, SC_TIME_NEVER);
    msg.query.owner = GATEWAY;
    assert_true(sc__engine_thread_receive(s->engine_thread, &msg));
}

static void check_joined(scene *s)
{
    sc_msg msg = received_next(&s->received, SC_MSG_RESERVE, GATEWAY);
    assert_int_equal(msg.proposal->member_count, 2);
    sc_msg_fini(&msg);
}

static void test_the_next_round_searches_in_the_new_way(void **state)
{
    (void)state;
    scene s;
    scene_open(&s, SC_VARIANT_BASIC);
    tell_add(&s, 1, s.first);
    sc__engine_thread_round(s.engine_thread, 1);
    assert_int_equal(sc__engine_thread_variant(s.engine_thread), SC_VARIANT_BASIC);
    CHECK_OK(sc__engine_thread_switch(s.engine_thread, SC_VARIANT_BOUNDED), NULL);
    assert_int_equal(sc__engine_thread_variant(s.engine_thread), SC_VARIANT_BOUNDED);
    tell_add(&s, 2, s.last);
    sc__engine_thread_round(s.engine_thread, 2);
    received_check_quiet(&s.received);
    CHECK_OK(sc__engine_thread_switch(s.engine_thread, SC_VARIANT_HYBRID), NULL);
    sc__engine_thread_round(s.engine_thread, 3);
    check_joined(&s);
    scene_close(&s);
}

static void test_a_part_that_is_opened_later_searches_in_the_new_way(void **state)
{
    (void)state;
    scene s;
    scene_open(&s, SC_VARIANT_BASIC);
    sc__engine_thread_set_parts(s.engine_thread, NULL, 0);
    CHECK_OK(sc__engine_thread_switch(s.engine_thread, SC_VARIANT_BOUNDED), NULL);
    sc__engine_thread_round(s.engine_thread, 1);
    sc__engine_thread_set_parts(s.engine_thread, (uint16_t[]){0}, 1);
    tell_add(&s, 1, s.first);
    tell_add(&s, 2, s.last);
    sc__engine_thread_round(s.engine_thread, 2);
    received_check_quiet(&s.received);
    CHECK_OK(sc__engine_thread_switch(s.engine_thread, SC_VARIANT_HYBRID), NULL);
    sc__engine_thread_round(s.engine_thread, 3);
    check_joined(&s);
    scene_close(&s);
}

static void test_of_several_wishes_the_last_counts(void **state)
{
    (void)state;
    scene s;
    scene_open(&s, SC_VARIANT_BOUNDED);
    tell_add(&s, 1, s.first);
    tell_add(&s, 2, s.last);
    CHECK_OK(sc__engine_thread_switch(s.engine_thread, SC_VARIANT_BASIC), NULL);
    CHECK_OK(sc__engine_thread_switch(s.engine_thread, SC_VARIANT_HYBRID), NULL);
    CHECK_OK(sc__engine_thread_switch(s.engine_thread, SC_VARIANT_BOUNDED), NULL);
    sc__engine_thread_round(s.engine_thread, 1);
    received_check_quiet(&s.received);
    scene_close(&s);
}

static void test_calling_often_takes_no_room_from_other_msgs(void **state)
{
    (void)state;
    scene s;
    scene_open(&s, SC_VARIANT_BOUNDED);
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 5000; i++) {
            CHECK_OK(sc__engine_thread_switch(s.engine_thread, (sc_variant)(i % 3)), NULL);
            sc__engine_thread_set_parts(s.engine_thread, (uint16_t[]){0}, 1);
        }
        // One message waits, and not ten thousand.
        assert_false(sc__engine_thread_is_behind(s.engine_thread));
        sc__engine_thread_round(s.engine_thread, round);
    }
    CHECK_OK(sc__engine_thread_switch(s.engine_thread, SC_VARIANT_BASIC), NULL);
    tell_add(&s, 1, s.first);
    tell_add(&s, 2, s.last);
    sc__engine_thread_round(s.engine_thread, 3);
    check_joined(&s);
    scene_close(&s);
}

static void test_other_methods_are_refused(void **state)
{
    (void)state;
    scene s;
    scene_open(&s, SC_VARIANT_HYBRID);
    assert_int_equal(sc__engine_thread_switch(s.engine_thread, SC_VARIANT_XSTAR), SC_EINVAL);
    assert_int_equal(sc__engine_thread_switch(s.engine_thread, SC_VARIANT_COUNT), SC_EINVAL);
    assert_int_equal(sc__engine_thread_variant(s.engine_thread), SC_VARIANT_HYBRID);
    scene_close(&s);
    scene_open(&s, SC_VARIANT_EXPANSION);
    assert_int_equal(sc__engine_thread_switch(s.engine_thread, SC_VARIANT_BASIC), SC_EINVAL);
    assert_int_equal(sc__engine_thread_variant(s.engine_thread), SC_VARIANT_EXPANSION);
    scene_close(&s);
}

// --- With threads ---------------------------------------------------------------------------

static void wait_until_both_are_in_the_graph(scene *s)
{
    for (int i = 0;; i++) {
        sc_engine_pool_stats stats = {0};
        sc__engine_thread_add_stats(s->engine_thread, &stats, NULL);
        if (stats.engine.vertices == 2) return;
        assert_true(i < LONG_MS);
        usleep(1000);
    }
}

static void test_it_happens_soon_though_no_message_is_sent(void **state)
{
    (void)state;
    scene s;
    scene_open(&s, SC_VARIANT_BOUNDED);
    CHECK_OK(sc__engine_thread_start(s.engine_thread), NULL);
    tell_add(&s, 1, s.first);
    tell_add(&s, 2, s.last);
    wait_until_both_are_in_the_graph(&s);
    CHECK_OK(sc__engine_thread_switch(s.engine_thread, SC_VARIANT_HYBRID), NULL);
    for (int i = 0; received_count(&s.received) == 0; i++) {
        assert_true(i < LONG_MS);
        usleep(1000);
    }
    check_joined(&s);
    scene_close(&s);
}

typedef struct switcher {
    sc_engine_pool *engines;
    uint64_t seed;
} switcher;

static void *switch_often(void *argument)
{
    const switcher *self = argument;
    sc_rng rng;
    sc_rng_seed(&rng, self->seed);
    for (int i = 0; i < 2000; i++) {
        CHECK_OK(sc_engine_pool_switch(self->engines, (sc_variant)sc_rng_below(&rng, 3)), NULL);
        assert_true(sc_variant_is_switchable(sc_engine_pool_variant(self->engines)));
    }
    return NULL;
}

static void test_any_thread_may_switch_a_engine_pool_also_when_it_is_over(void **state)
{
    (void)state;
    scene s;
    scene_open(&s, SC_VARIANT_BASIC);
    sc_engine_pool_options options = options_of(&s, SC_VARIANT_BASIC);
    options.engine_threads = 2;
    sc_rng rng;
    sc_rng_seed(&rng, 1);
    sc_engine_pool *engines = NULL;
    CHECK_OK(sc_engine_pool_new(s.map, &options, &rng, &engines, NULL), NULL);
    CHECK_OK(sc_engine_pool_set_parts(engines, (uint16_t[]){0}, 1), NULL);
    CHECK_OK(sc_engine_pool_start(engines), NULL);
    assert_int_equal(sc_engine_pool_variant(engines), SC_VARIANT_BASIC);
    assert_int_equal(sc_engine_pool_switch(engines, SC_VARIANT_SAMPLING), SC_EINVAL);
    switcher switchers[] = {{engines, 1}, {engines, 2}};
    pthread_t threads[2];
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, switch_often, &switchers[i]), 0);
    }
    sc_engine_pool_end(engines);
    for (size_t i = 0; i < 2; i++) {
        pthread_join(threads[i], NULL);
    }
    CHECK_OK(sc_engine_pool_switch(engines, SC_VARIANT_HYBRID), NULL);
    assert_int_equal(sc_engine_pool_variant(engines), SC_VARIANT_HYBRID);
    sc_engine_pool_free(engines);
    scene_close(&s);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_the_next_round_searches_in_the_new_way),
    cmocka_unit_test(test_a_part_that_is_opened_later_searches_in_the_new_way),
    cmocka_unit_test(test_of_several_wishes_the_last_counts),
    cmocka_unit_test(test_calling_often_takes_no_room_from_other_msgs),
    cmocka_unit_test(test_other_methods_are_refused),
    cmocka_unit_test(test_it_happens_soon_though_no_message_is_sent),
    cmocka_unit_test(test_any_thread_may_switch_a_engine_pool_also_when_it_is_over),
};
SC_SUITE(tests)
