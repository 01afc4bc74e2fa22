// Every allocation of a comparison of methods fails once, in turn: it says so, and nothing leaks
// (the address sanitizer looks).
#include "demo/method_comparison.h"

#include "compared_town.h"
#include "support/oom.h"

static void test_a_comparison_without_memory_is_not_made(void **state)
{
    (void)state;
    compared_town town;
    compared_town_init(&town, 1);
    const sc_comparison_options options = compared_town_options(&town);
    unsigned long failures = 0;
    FOR_EACH_FAILURE(n)
    {
        sc_comparison *comparison = NULL;
        sc_diag diag = {""};
        const sc_err err = sc_comparison_new(town.map, &options, TOWN_START, &comparison, &diag);
        if (!oom_happened()) {
            CHECK_OK(err, &diag);
            sc_comparison_free(comparison);
            break;
        }
        CHECK_REFUSED(err, SC_ENOMEM, &diag, "out of memory");
        assert_null(comparison);
        failures++;
    }
    // Itself, the pruner; of each method an engine, its verifier, its dice, its ring.
    assert_true(failures > 14);
    compared_town_fini(&town);
}

/** Whether all questions could be asked. */
static bool play(sc_comparison *comparison, compared_town *town)
{
    sc_err err = SC_OK;
    sc_time now = TOWN_START;
    for (int i = 0; !err && i < 60; i++) {
        now += sc_rng_below(&town->rng, 200000);
        err = sc_comparison_ask(comparison, compared_town_ask(town, now), now);
    }
    if (!err) err = sc_comparison_advance(comparison, now + sc_time_from_seconds(20));
    assert_true(err == SC_OK || err == SC_ENOMEM);
    return err == SC_OK;
}

static void test_questions_without_memory_end_the_comparison(void **state)
{
    (void)state;
    unsigned long failures = 0;
    // Every one at first; searches are all alike, so of theirs ever fewer.
    for (unsigned long n = 1;; n += 1 + n / 32) {
        compared_town town;
        compared_town_init(&town, 7);
        const sc_comparison_options options = compared_town_options(&town);
        sc_comparison *comparison = NULL;
        CHECK_OK(sc_comparison_new(town.map, &options, TOWN_START, &comparison, NULL), NULL);
        sc_alloc_fail_at(n);
        const bool is_done = play(comparison, &town);
        const bool happened = oom_happened();
        assert_int_equal(is_done, !happened);
        const size_t cloaks = town.cloak_count;
        sc_comparison_free(comparison);
        compared_town_fini(&town);
        if (!happened) {
            assert_true(cloaks > 0);
            break;
        }
        failures++;
    }
    assert_true(failures > 30);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_comparison_without_memory_is_not_made),
    cmocka_unit_test(test_questions_without_memory_end_the_comparison),
};
SC_SUITE(tests)
