// Densities learnt from cloaks: what was dealt is all there, busy roads come first, and cloaks that
// say nothing of single roads leave them alike.
#include "travel/density_learner.h"

#include "support/check.h"
#include "support/oom.h"

#include "base/rng.h"

enum { SEGMENTS = 40, BUSY = 17 };

static void see(sc_density_learner *learner, const sc_seg_id *segments, size_t count,
                size_t members)
{
    CHECK_OK(sc_density_learner_see(learner, segments, count, members), NULL);
}

static sc_density_learner *new_learner(void)
{
    sc_density_learner *learner = NULL;
    CHECK_OK(sc_density_learner_new(SEGMENTS, &learner), NULL);
    return learner;
}

static uint64_t sum_of_counts(const uint64_t counts[SEGMENTS])
{
    uint64_t sum = 0;
    for (size_t i = 0; i < SEGMENTS; i++) {
        sum += counts[i];
    }
    return sum;
}

static void test_what_cloaks_do_not_tell_apart_is_alike(void **state)
{
    (void)state;
    const sc_seg_id few[] = {3, 4, 5, 6};
    uint64_t counts[SEGMENTS] = {9, 9, 9};  // set, not added to
    sc_density_learner *learner = new_learner();
    for (int i = 0; i < 25; i++) {
        see(learner, few, 4, 8);
    }
    assert_int_equal(sc_density_learner_cloaks(learner), 25);
    CHECK_OK(sc_density_learner_learn(learner, NULL, counts), NULL);
    for (uint32_t s = 0; s < SEGMENTS; s++) {
        assert_int_equal(counts[s], s >= 3 && s <= 6 ? 50 : 0);
    }
    sc_density_learner_free(learner);
}

/** Stretches of six roads, each with the busy one or beside it, and members as there are. */
static void see_a_day(sc_density_learner *learner, uint64_t seed)
{
    sc_rng rng;
    sc_rng_seed(&rng, seed);
    for (int i = 0; i < 400; i++) {
        const sc_seg_id first = (sc_seg_id)sc_rng_below(&rng, SEGMENTS - 5);
        sc_seg_id stretch[6];
        bool is_busy = false;
        for (sc_seg_id j = 0; j < 6; j++) {
            stretch[j] = first + j;
            is_busy = is_busy || stretch[j] == BUSY;
        }
        see(learner, stretch, 6, is_busy ? 25 : 5);
    }
}

static void test_the_busy_road_comes_first(void **state)
{
    (void)state;
    uint64_t counts[SEGMENTS] = {0};
    uint64_t again[SEGMENTS] = {0};
    sc_density_learner *learner = new_learner();
    see_a_day(learner, 1);
    see_a_day(learner, 2);
    CHECK_OK(sc_density_learner_learn(learner, NULL, counts), NULL);
    for (uint32_t s = 0; s < SEGMENTS; s++) {
        if (s != BUSY) assert_true(counts[BUSY] > 2 * counts[s]);
    }
    CHECK_OK(sc_density_learner_learn(learner, NULL, again), NULL);
    assert_memory_equal(counts, again, sizeof counts);
    sc_density_learner_free(learner);
}

static void test_all_members_are_dealt_out(void **state)
{
    (void)state;
    uint64_t counts[SEGMENTS] = {0};
    uint64_t members = 0;
    sc_density_learner *learner = new_learner();
    for (sc_seg_id s = 0; s + 1 < SEGMENTS; s++) {
        const sc_seg_id pair[] = {s, s + 1};
        const size_t some = 100 * ((size_t)s % 7 + 1);
        see(learner, pair, 2, some);
        members += some;
    }
    CHECK_OK(sc_density_learner_learn(learner, NULL, counts), NULL);
    CHECK_CLOSE((double)sum_of_counts(counts), (double)members, SEGMENTS);  // whole numbers
    sc_density_learner_free(learner);
}

static void count_reports(void *context, const char *phase, uint64_t done, uint64_t total)
{
    int *reports = context;
    assert_string_equal(phase, "learning");
    assert_true(done < total);
    (*reports)++;
}

static void test_progress_is_told(void **state)
{
    (void)state;
    int reports = 0;
    uint64_t counts[SEGMENTS] = {0};
    const sc_progress progress = {.report = count_reports, .context = &reports};
    sc_density_learner *learner = new_learner();
    see_a_day(learner, 1);
    CHECK_OK(sc_density_learner_learn(learner, &progress, counts), NULL);
    assert_in_range(reports, 2, SC_LEARNER_ROUNDS_MAX);
    sc_density_learner_free(learner);
}

static void test_no_cloaks_and_what_is_none(void **state)
{
    (void)state;
    const sc_seg_id one = 1;
    uint64_t counts[SEGMENTS] = {0};
    sc_density_learner *learner = new_learner();
    assert_int_equal(sc_density_learner_see(learner, &one, 0, 1), SC_EINVAL);
    assert_int_equal(sc_density_learner_see(learner, &one, 1, 0), SC_EINVAL);
    assert_int_equal(sc_density_learner_cloaks(learner), 0);
    CHECK_OK(sc_density_learner_learn(learner, NULL, counts), NULL);
    assert_int_equal(sum_of_counts(counts), 0);
    sc_density_learner_free(learner);
    sc_density_learner_free(NULL);
}

static void test_memory_that_is_out_is_told(void **state)
{
    (void)state;
    const sc_seg_id few[] = {1, 2, 3};
    unsigned long failures = 0;
    FOR_EACH_FAILURE(n)
    {
        uint64_t counts[SEGMENTS] = {0};
        sc_density_learner *learner = NULL;
        sc_err err = sc_density_learner_new(SEGMENTS, &learner);
        if (!err) err = sc_density_learner_see(learner, few, 3, 6);
        if (!err) err = sc_density_learner_learn(learner, NULL, counts);
        sc_density_learner_free(learner);
        if (!oom_happened()) {
            CHECK_OK(err, NULL);
            assert_int_equal(sum_of_counts(counts), 6);
            break;
        }
        assert_int_equal(err, SC_ENOMEM);
        assert_int_equal(sum_of_counts(counts), 0);
        failures++;
    }
    assert_int_equal(failures, 4);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_what_cloaks_do_not_tell_apart_is_alike),
    cmocka_unit_test(test_the_busy_road_comes_first),
    cmocka_unit_test(test_all_members_are_dealt_out),
    cmocka_unit_test(test_progress_is_told),
    cmocka_unit_test(test_no_cloaks_and_what_is_none),
    cmocka_unit_test(test_memory_that_is_out_is_told),
};

SC_SUITE(tests)
