// Where few replays bring anything back: the adversary runs more of them, until there are enough or
// it has done what it can; and what it then believes is surer.
#include <starcloak/attack.h>

#include "base/rng.h"
#include "sighted.h"
#include "support/sketch.h"
#include "support/toy_cloakers.h"

// --- A cloaker that seldom succeeds ----------------------------------------------------

enum { WIDTH = 5, STRANGERS = 2, PLACEMENTS = 15, SAMPLES = 3200, ODDS = 50 };

/** Does as another cloaker, but one time in `odds` only. */
typedef struct seldom {
    sc_cloaker inner;
    uint32_t odds;
    bool fails_at_success;
} seldom;

typedef struct seldom_cloaker {
    const seldom *how;
    sc_rng *rng;
    void *inner;
} seldom_cloaker;

static sc_err open_seldom(void *context, const sc_map *map, sc_rng *rng, void **out, sc_diag *diag)
{
    const seldom *how = context;
    seldom_cloaker *w = test_take(1, sizeof *w);
    *w = (seldom_cloaker){.how = how, .rng = rng};
    CHECK_OK(how->inner.open(how->inner.context, map, rng, &w->inner, diag), diag);
    *out = w;
    return SC_OK;
}

static sc_err replay_seldom(void *opened, const sc_query *queries, size_t count,
                            sc_replayed *replayed)
{
    const seldom_cloaker *w = opened;
    if (sc_rng_below(w->rng, w->how->odds) != 0) return SC_OK;
    if (w->how->fails_at_success) return SC_ETIME;
    return w->how->inner.replay(w->inner, queries, count, replayed);
}

static void close_seldom(void *opened)
{
    seldom_cloaker *w = opened;
    w->how->inner.close(w->inner);
    free(w);
}

// --- How it is attacked -----------------------------------------------------------------

typedef enum attack_way { DRAWN, ENUMERATED, ALONE, WAY_COUNT } attack_way;

typedef struct fixture {
    sc_map *map;
    toy_cloaking cloaking;
    seldom how;
    sc_seg_id roads[WIDTH];
    sc_needs needs[STRANGERS];
    sc_sighting sighting;
} fixture;

static void fixture_open(fixture *f)
{
    *f = (fixture){.cloaking = {TOY_TORN, WIDTH}, .how = {.odds = ODDS}};
    f->how.inner = toy_cloaker(&f->cloaking);
    sketch s = sketch_grid(SC_COORDS_PLANAR, 4, 4);
    f->map = sketch_map(&s);
    sketch_free(&s);
    toy_window(f->map, 10, WIDTH, f->roads);
    for (size_t i = 0; i < STRANGERS; i++) {
        f->needs[i] = (sc_needs){.k = STRANGERS, .l = WIDTH, .max_hops = 1};
    }
    f->sighting = (sc_sighting){f->roads, WIDTH, f->needs, STRANGERS, NULL, 0};
}

static void fixture_close(fixture *f)
{
    sc_map_free(f->map);
}

static sc_err attack(fixture *f, attack_way way, uint64_t fruitful, unsigned threads,
                     sc_posterior *out)
{
    sc_adversary_options options = sighted_options(SC_VARIANT_BASIC);
    options.max_placements = way == DRAWN ? 0 : PLACEMENTS;
    options.samples = SAMPLES;
    options.fruitful = fruitful;
    options.threads = threads;
    const sc_cloaker cloaker = {&f->how, open_seldom, replay_seldom, close_seldom};
    sc_adversary *adversary = NULL;
    CHECK_OK(sc_adversary_new(f->map, &options, &cloaker, &adversary, NULL), NULL);
    const sc_err err = way == ALONE ? sc_adversary_replay(adversary, 1, &f->sighting, out, NULL)
                                    : sc_adversary_correlate(adversary, 1, &f->sighting, out, NULL);
    sc_adversary_free(adversary);
    return err;
}

static sc_posterior attacked(fixture *f, attack_way way, uint64_t fruitful, unsigned threads)
{
    sc_posterior posterior = {0};
    CHECK_OK(attack(f, way, fruitful, threads, &posterior), NULL);
    assert_int_equal(posterior.is_enumerated, way != DRAWN);
    return posterior;
}

/** How many replays are run for so many that are fruitful; and how many of them then are. */
static uint64_t replays_for(fixture *f, attack_way way, uint64_t wanted, uint64_t *fruitful)
{
    sc_posterior posterior = attacked(f, way, wanted, 1);
    const uint64_t replays = posterior.replays;
    *fruitful = posterior.fruitful;
    sc_posterior_fini(&posterior);
    return replays;
}

// --- The tests --------------------------------------------------------------------------

static void test_however_few_are_fruitful_no_more_are_run_unless_asked_for(void **state)
{
    (void)state;
    // In whole rounds over the placements, or segments, in each of 32 batches.
    static const uint64_t replays[WAY_COUNT] = {
        [DRAWN] = SAMPLES, [ENUMERATED] = UINT64_C(32) * 7 * PLACEMENTS, [ALONE] = SAMPLES};
    fixture f;
    fixture_open(&f);
    for (attack_way way = DRAWN; way < WAY_COUNT; way++) {
        uint64_t fruitful;
        assert_int_equal(replays_for(&f, way, 0, &fruitful), replays[way]);
        assert_in_range(fruitful, 1, replays[way] / 20);
    }
    fixture_close(&f);
}

static void test_more_are_run_until_enough_are_fruitful_and_no_longer(void **state)
{
    (void)state;
    fixture f;
    fixture_open(&f);
    for (attack_way way = DRAWN; way < WAY_COUNT; way++) {
        uint64_t found;
        uint64_t found_4;
        uint64_t found_16;
        uint64_t again;
        const uint64_t once = replays_for(&f, way, 0, &found);
        assert_int_equal(replays_for(&f, way, found, &again), once);
        assert_int_equal(again, found);

        assert_int_equal(replays_for(&f, way, found + 1, &found_4), 4 * once);
        assert_in_range(found_4, 2 * found, 8 * found);
        assert_int_equal(replays_for(&f, way, found_4, &again), 4 * once);
        assert_int_equal(again, found_4);

        assert_int_equal(replays_for(&f, way, found_4 + 1, &found_16), 16 * once);
        assert_in_range(found_16, 2 * found_4, 8 * found_4);
        // There is an end to it, enough or not.
        assert_int_equal(replays_for(&f, way, found_16 + 1, &again), SC_ATTACK_MORE * once);
        assert_int_equal(again, found_16);
        assert_int_equal(replays_for(&f, way, UINT64_MAX, &again), SC_ATTACK_MORE * once);
    }
    fixture_close(&f);
}

static void test_the_stated_error_falls_with_more_that_are_fruitful(void **state)
{
    (void)state;
    fixture f;
    fixture_open(&f);
    for (attack_way way = DRAWN; way < WAY_COUNT; way++) {
        sc_posterior few = attacked(&f, way, 0, 1);
        sc_posterior many = attacked(&f, way, UINT64_MAX, 1);
        // A quarter, but for chance.
        assert_true(few.normalised_error > 0.0);
        assert_true(many.normalised_error < 0.5 * few.normalised_error);
        for (size_t i = 0; i < WIDTH; i++) {
            assert_true(many.links[i].error < 0.6 * few.links[i].error);
        }
        sc_posterior_fini(&few);
        sc_posterior_fini(&many);
    }
    fixture_close(&f);
}

static void test_the_number_of_threads_does_not_matter_where_more_are_run(void **state)
{
    (void)state;
    fixture f;
    fixture_open(&f);
    for (attack_way way = DRAWN; way < WAY_COUNT; way++) {
        sc_posterior alone = attacked(&f, way, 150, 1);
        sc_posterior together = attacked(&f, way, 150, 3);
        assert_true(alone.replays > UINT64_C(2) * SAMPLES);
        assert_int_equal(alone.replays, together.replays);
        assert_int_equal(alone.fruitful, together.fruitful);
        CHECK_SAME(alone.normalised_error, together.normalised_error);
        CHECK_SAME(alone.normalised_bias, together.normalised_bias);
        for (size_t i = 0; i < WIDTH; i++) {
            CHECK_SAME(alone.links[i].linkability, together.links[i].linkability);
            CHECK_SAME(alone.links[i].error, together.links[i].error);
        }
        sc_posterior_fini(&alone);
        sc_posterior_fini(&together);
    }
    fixture_close(&f);
}

static void test_what_never_succeeds_is_tried_as_often_as_can_be_and_stays_unexplained(void **state)
{
    (void)state;
    fixture f;
    fixture_open(&f);
    f.how.odds = UINT32_MAX;
    sc_posterior posterior = attacked(&f, DRAWN, 1, 1);
    assert_int_equal(posterior.replays, SC_ATTACK_MORE * SAMPLES);
    assert_int_equal(posterior.fruitful, 0);
    assert_true(posterior.is_unexplained);
    sc_posterior_fini(&posterior);
    fixture_close(&f);
}

static void test_a_failure_among_those_that_are_run_more_is_told_and_leaves_nothing(void **state)
{
    (void)state;
    fixture f;
    fixture_open(&f);
    f.how.fails_at_success = true;
    // The replays at first are too few to meet it, and all that may be run are not.
    f.how.odds = 4 * SAMPLES;
    sc_posterior posterior = {0};
    CHECK_OK(attack(&f, DRAWN, 0, 1, &posterior), NULL);
    sc_posterior_fini(&posterior);
    assert_int_equal(attack(&f, DRAWN, 1, 1, &posterior), SC_ETIME);
    assert_null(posterior.links);
    fixture_close(&f);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_however_few_are_fruitful_no_more_are_run_unless_asked_for),
    cmocka_unit_test(test_more_are_run_until_enough_are_fruitful_and_no_longer),
    cmocka_unit_test(test_the_stated_error_falls_with_more_that_are_fruitful),
    cmocka_unit_test(test_the_number_of_threads_does_not_matter_where_more_are_run),
    cmocka_unit_test(test_what_never_succeeds_is_tried_as_often_as_can_be_and_stays_unexplained),
    cmocka_unit_test(test_a_failure_among_those_that_are_run_more_is_told_and_leaves_nothing),
};
SC_SUITE(tests)
