// An engine pool with its threads, and gateways in another: queries come, parts move, other
// threads read the counts and switch engines; at the end nothing is lost.
#include "worker/engine_pool.h"

#include "base/clock.h"
#include "base/rng.h"
#include "support/check.h"
#include "support/obedient.h"
#include "support/streams.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

enum { PARTS = 6, QUERIES = 3000, CLOAKS = 100, LONG_MS = 60000 };

// Some expire. Others wait until there is company, and leave at the end.
static const sc_time short_life_us = 300000;
static const sc_time long_life_us = INT64_C(600000000);

typedef struct scene {
    sc_map *map;
    sc_partition *partition;
    obedient gateways;
    sc_engine_pool *engines;
    atomic_bool is_over;
} scene;

static void scene_open(scene *s, unsigned engine_threads, unsigned prune_threads, uint32_t gateways)
{
    *s = (scene){.map = stream_long_street(3)};
    const uint32_t stars = sc_map_star_count(s->map);
    uint16_t *part_of_star = test_take(stars, sizeof *part_of_star);
    for (uint32_t i = 0; i < stars; i++) {
        part_of_star[i] = (uint16_t)(i * PARTS / stars);
    }
    CHECK_OK(sc_partition_new(s->map, part_of_star, PARTS, &s->partition, NULL), NULL);
    free(part_of_star);
    obedient_open(&s->gateways, QUERIES, gateways);
    sc_engine_pool_options options = {
        .engine = sc_engine_options_default(),
        .partition = s->partition,
        .engine_threads = engine_threads,
        .prune_threads = prune_threads,
        .max_queries = QUERIES,
        .patience_us = 100000000,
        .port = received_port(&s->gateways.received),
    };
    options.engine.is_paranoid = true;
    sc_rng rng;
    sc_rng_seed(&rng, engine_threads);
    sc_diag diag = {""};
    CHECK_OK(sc_engine_pool_new(s->map, &options, &rng, &s->engines, &diag), &diag);
    s->gateways.engines = s->engines;
    s->gateways.partition = s->partition;
}

static void scene_close(scene *s)
{
    sc_engine_pool_free(s->engines);
    obedient_close(&s->gateways);
    sc_partition_free(s->partition);
    sc_map_free(s->map);
}

/** Another thread, which reads the counts and switches. */
static void *look_on(void *argument)
{
    scene *s = argument;
    sc_part_load loads[PARTS];
    for (unsigned i = 0; !atomic_load(&s->is_over); i++) {
        const sc_engine_pool_stats stats = sc_engine_pool_stats_of(s->engines, loads);
        assert_true(stats.proposals_published <= stats.proposals);
        (void)sc_engine_pool_is_behind(s->engines);
        CHECK_OK(sc_engine_pool_switch(s->engines, (sc_variant)(i % 3)), NULL);
        usleep(500);
    }
    return NULL;
}

static void set_parts(scene *s, uint16_t first, size_t count)
{
    uint16_t parts[PARTS];
    for (size_t i = 0; i < count; i++) {
        parts[i] = (uint16_t)(first + i);
    }
    CHECK_OK(sc_engine_pool_set_parts(s->engines, parts, count), NULL);
}

static void ask(scene *s, uint32_t number, sc_rng *rng)
{
    const sc_seg_id segment = sc_rng_below(rng, sc_map_segment_count(s->map));
    obedient_ask(&s->gateways, number, segment, 1 + sc_rng_below(rng, 4), 1 + sc_rng_below(rng, 4),
                 sc_rng_below(rng, 5), sc_clock_us() + (number % 2 ? long_life_us : short_life_us));
}

/** Those who would wait for long. */
static void leave_all(scene *s)
{
    for (uint32_t number = 1; number < QUERIES; number += 2) {
        obedient_leave(&s->gateways, number);
    }
}

static void wait_for_the_end(scene *s)
{
    for (int i = 0;; i++) {
        (void)obedient_listen(&s->gateways, sc_clock_us());
        const uint32_t left = obedient_count(&s->gateways, OBEDIENT_OPEN) +
                              obedient_count(&s->gateways, OBEDIENT_RESERVED);
        if (left == 0) return;
        assert_true(i < LONG_MS);
        // There may be few cloaks until now, on a busy machine.
        if (s->gateways.cloaks > CLOAKS) leave_all(s);
        usleep(1000);
    }
}

static void play(unsigned engine_threads, unsigned prune_threads, uint32_t gateways, bool has_moves)
{
    scene s;
    scene_open(&s, engine_threads, prune_threads, gateways);
    set_parts(&s, 0, PARTS);
    CHECK_OK(sc_engine_pool_start(s.engines), NULL);
    pthread_t onlooker;
    assert_int_equal(pthread_create(&onlooker, NULL, look_on, &s), 0);
    sc_rng rng;
    sc_rng_seed(&rng, 9);
    for (uint32_t i = 0; i < QUERIES; i++) {
        ask(&s, i, &rng);
        if (i % 7 == 0) obedient_leave(&s.gateways, sc_rng_below(&rng, i + 1));
        if (i % 16 == 0) (void)obedient_listen(&s.gateways, sc_clock_us());
        if (has_moves && i % 300 == 0) {
            set_parts(&s, (uint16_t)sc_rng_below(&rng, 3), sc_rng_below(&rng, 4));
        }
        if (has_moves && i % 300 == 150) {
            set_parts(&s, 0, PARTS);
            obedient_resend(&s.gateways);
        }
    }
    wait_for_the_end(&s);
    atomic_store(&s.is_over, true);
    pthread_join(onlooker, NULL);
    sc_engine_pool_end(s.engines);
    sc_engine_pool_end(s.engines);
    obedient_check_ends(&s.gateways);
    const sc_engine_pool_stats stats = sc_engine_pool_stats_of(s.engines, NULL);
    assert_int_equal(stats.engine.added, stats.engine.accepted + stats.engine.dropped[0] +
                                             stats.engine.dropped[1] + stats.engine.removed +
                                             stats.engine.pending + stats.engine.proposed);
    assert_int_equal(stats.engine.broken, 0);
    assert_int_equal(stats.lost, 0);
    assert_int_equal(obedient_count(&s.gateways, OBEDIENT_NOT_TAKEN), 0);
    print_message(
        "# %u engine threads, %u prune threads, %u gateways: %u cloaks, %u across, %u noes\n",
        engine_threads, prune_threads, gateways, s.gateways.cloaks, s.gateways.across,
        s.gateways.noes);
    assert_true(s.gateways.cloaks > CLOAKS);
    scene_close(&s);
}

static void test_nothing_is_lost_between_threads(void **state)
{
    (void)state;
    play(1, 0, 1, false);
    play(3, 1, 1, false);
    play(2, 2, 3, false);
}

static void test_nothing_is_lost_when_parts_move_while_cloaks_are_pruned(void **state)
{
    (void)state;
    play(2, 2, 1, true);
    play(3, 0, 2, true);
}

static void test_a_engine_pool_that_ends_in_the_middle_frees_all(void **state)
{
    (void)state;
    scene s;
    scene_open(&s, 2, 1, 2);
    set_parts(&s, 0, PARTS);
    CHECK_OK(sc_engine_pool_start(s.engines), NULL);
    sc_rng rng;
    sc_rng_seed(&rng, 9);
    for (uint32_t i = 0; i < 500; i++) {
        ask(&s, i, &rng);
    }
    (void)obedient_listen(&s.gateways, sc_clock_us());
    // Messages that are never received are freed as well.
    sc_engine_pool_end(s.engines);
    (void)obedient_listen(&s.gateways, sc_clock_us());
    scene_close(&s);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_nothing_is_lost_between_threads),
    cmocka_unit_test(test_nothing_is_lost_when_parts_move_while_cloaks_are_pruned),
    cmocka_unit_test(test_a_engine_pool_that_ends_in_the_middle_frees_all),
};
SC_SUITE(tests)
