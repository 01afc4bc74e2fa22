// Every allocation of trails and of injections fails once, in turn; finding victims needs none.
#include "support/check.h"
#include "support/oom.h"
#include "support/sketch.h"

#include "unit/score/made_cases.h"
#include "unit/score/made_lines.h"

#include "score/inject.h"
#include "score/score.h"

static const made_world world = {
    .case_count = 40, .user_count = 12, .most_members = 6, .segment_count = 6};

static void test_trails_without_memory_are_not_there(void **state)
{
    (void)state;
    sc_cases cases = made_cases(&world, 1);
    unsigned long failures = 0;
    FOR_EACH_FAILURE(n)
    {
        sc_trails trails = {0};
        const sc_err err = sc_trails_init(&trails, &cases, 2, 1);
        if (!oom_happened()) {
            CHECK_OK(err, NULL);
            assert_true(trails.count > 5);
            sc_trails_fini(&trails);
            break;
        }
        assert_int_equal(err, SC_ENOMEM);
        assert_null(trails.all);
        failures++;
    }
    // The roll and its numbers, which may have to grow, the trails and the steps.
    assert_true(failures >= 4);
    sc_cases_fini(&cases);
}

static void test_a_step_without_memory_is_not_seen(void **state)
{
    (void)state;
    sc_map *map = full_map(SC_COORDS_PLANAR);
    sc_cases cases = made_cases(&world, 1);
    sc_trails trails = {0};
    CHECK_OK(sc_trails_init(&trails, &cases, 2, 1), NULL);
    const sc_tracker_options options = {.top_speed_m_s = 10};
    sc_tracker *tracker = NULL;
    CHECK_OK(sc_tracker_new(map, &options, &tracker, NULL), NULL);
    unsigned long failures = 0;
    for (size_t i = 0; i < 2; i++) {
        FOR_EACH_FAILURE(n)
        {
            sc_posterior posterior = {0};
            sc_score score = {-1, -1};
            const sc_err err = sc_trail_see(tracker, NULL, &trails, 0, i, &posterior, &score);
            if (!oom_happened()) {
                CHECK_OK(err, NULL);
                assert_true(score.rank >= 1);
                sc_posterior_fini(&posterior);
                break;
            }
            assert_int_equal(err, SC_ENOMEM);
            assert_null(posterior.links);
            CHECK_SAME(score.rank, -1);
            failures++;
        }
    }
    assert_true(failures >= 2);
    sc_tracker_free(tracker);
    sc_trails_fini(&trails);
    sc_cases_fini(&cases);
    sc_map_free(map);
}

static void test_an_injection_without_memory_is_told(void **state)
{
    (void)state;
    sc_map *map = full_map(SC_COORDS_PLANAR);
    const made_stream stream = {
        .count = 80, .user_count = 60, .longest_gap = 5, .most_k = 2, .most_l = 2};
    made_lines made = made_lines_on(map, &stream, 1, false);
    sc_injection_options options = sc_injection_options_default();
    options.injected = 3;
    unsigned long failures = 0;
    FOR_EACH_FAILURE(n)
    {
        sc_injection injection = {0};
        sc_diag diag = {""};
        const sc_err err =
            sc_injection_init(&injection, map, made.lines, made.count, &options, &diag);
        if (!oom_happened()) {
            CHECK_OK(err, &diag);
            assert_true(injection.victim_count > 30);
            sc_injection_fini(&injection);
            break;
        }
        CHECK_REFUSED(err, SC_ENOMEM, &diag, "out of memory while putting queries near victims");
        assert_null(injection.lines);
        failures++;
    }
    // Places, victims twice, their numbers; lines, names, the ball's four, segments; the whole.
    assert_true(failures >= 12);
    made_lines_free(&made);
    sc_map_free(map);
}

static void test_victims_are_found_without_memory(void **state)
{
    (void)state;
    sc_cases cases = made_cases(&world, 1);
    const sc_case_member someone = sc_cases_at(&cases, 20).members[0];
    sc_victim victim = {.user = someone.user, .asked = someone.asked};
    sc_injection injection = {.victims = &victim, .victim_count = 1};
    uint32_t put;
    CHECK_OK(sc_hash_put(&injection.numbers, (sc_key){.high = victim.user}, 0, &put), NULL);
    size_t which = 0;
    sc_alloc_fail_at(1);
    const size_t found = sc_injection_find(&injection, &cases, &which);
    assert_false(oom_happened());
    assert_int_equal(found, 1);
    assert_int_equal(which, 20);
    sc_hash_fini(&injection.numbers);
    sc_cases_fini(&cases);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_trails_without_memory_are_not_there),
    cmocka_unit_test(test_a_step_without_memory_is_not_seen),
    cmocka_unit_test(test_an_injection_without_memory_is_told),
    cmocka_unit_test(test_victims_are_found_without_memory),
};
SC_SUITE(tests)
