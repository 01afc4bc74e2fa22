// Pruning without memory: reported, nothing leaks, and a candidate is as it was.
#include <starcloak/prune.h>

#include "engine/candidate.h"
#include "support/candidate.h"
#include "support/check.h"
#include "support/oom.h"
#include "support/slow_prune.h"

static ground grid_ground(uint64_t seed)
{
    return ground_on(sketch_grid(SC_COORDS_PLANAR, 6, 6), seed);
}

static void test_a_pruner_without_memory_is_told(void **state)
{
    (void)state;
    ground g = grid_ground(1);
    unsigned long failures = 0;
    FOR_EACH_FAILURE(n)
    {
        sc_pruner *pruner = NULL;
        const sc_err err = sc_pruner_new(g.map, &pruner);
        if (!oom_happened()) {
            CHECK_OK(err, NULL);
            sc_pruner_free(pruner);
            break;
        }
        assert_int_equal(err, SC_ENOMEM);
        assert_null(pruner);
        failures++;
    }
    assert_int_equal(failures, 2);
    ground_free(&g);
}

static void test_a_candidate_that_finds_no_memory_is_as_it_was(void **state)
{
    (void)state;
    ground g = grid_ground(2);
    sc_cloak *candidate = random_candidate(&g);
    sc_cloak *before = twin_of(candidate);
    const sc_rng rng_before = g.rng;
    unsigned long failures = 0;
    FOR_EACH_FAILURE(n)
    {
        const sc_err err = sc_pruner_prune(g.pruner, candidate, &g.rng);
        if (!oom_happened()) {
            CHECK_OK(err, NULL);
            break;
        }
        assert_int_equal(err, SC_ENOMEM);
        check_same_ids("stars", candidate->stars, candidate->star_count, before->stars,
                       before->star_count);
        assert_int_equal(candidate->segment_count, 0);
        assert_int_equal(candidate->border_node_count, 0);
        assert_memory_equal(candidate->members, before->members,
                            before->member_count * sizeof *before->members);
        assert_memory_equal(&g.rng, &rng_before, sizeof g.rng);
        failures++;
    }
    assert_true(failures >= 1);
    check_pruned(&g.roads, before, candidate);
    slow_cloak_free(before);
    sc_cloak_free(candidate);
    ground_free(&g);
}

static void test_a_smaller_candidate_needs_no_more_memory(void **state)
{
    (void)state;
    ground g = grid_ground(3);
    bool *inside = test_take(g.roads.star_count, sizeof *inside);
    memset(inside, true, g.roads.star_count);
    sc_cloak *all = candidate_of(&g, inside, &(sc_star_id){0}, 1, 1);
    CHECK_OK(sc_pruner_prune(g.pruner, all, &g.rng), NULL);
    for (int i = 0; i < 100; i++) {
        sc_cloak *candidate = random_candidate(&g);
        sc_alloc_fail_at(1);
        CHECK_OK(sc_pruner_prune(g.pruner, candidate, &g.rng), NULL);
        assert_false(oom_happened());
        sc_cloak_free(candidate);
    }
    sc_cloak_free(all);
    free(inside);
    ground_free(&g);
}

// Of four threads those that run already are ended when the next one finds no memory.
static void test_a_pool_without_memory_is_told(void **state)
{
    (void)state;
    ground g = grid_ground(4);
    unsigned long failures = 0;
    FOR_EACH_FAILURE(n)
    {
        sc_prune_pool *pool = NULL;
        const sc_err err = sc_prune_pool_new(g.map, 4, &g.rng, &pool);
        if (!oom_happened()) {
            CHECK_OK(err, NULL);
            sc_prune_pool_free(pool);
            break;
        }
        assert_int_equal(err, SC_ENOMEM);
        assert_null(pool);
        failures++;
    }
    assert_true(failures >= 2 + 4 * 3);
    ground_free(&g);
}

static void test_a_cloak_without_memory_is_not_made(void **state)
{
    (void)state;
    sc_alloc_fail_at(1);
    assert_null(sc__cloak_new(3, 5, 2));
    sc_alloc_fail_at(0);
    // More than can be counted in bytes, whichever part of it is too large.
    const size_t quarter = SIZE_MAX / 4;
    assert_null(sc__cloak_new(0, SIZE_MAX, 0));
    assert_null(sc__cloak_new(SIZE_MAX, quarter, 0));
    assert_null(sc__cloak_new(quarter, quarter, 0));
    assert_null(sc__cloak_new(0, 0, quarter));
    assert_null(sc__cloak_new(quarter / 2, quarter / 4, SIZE_MAX / sizeof(sc_member)));
    assert_null(sc__cloak_new(0, 0, SIZE_MAX / sizeof(sc_member)));
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_pruner_without_memory_is_told),
    cmocka_unit_test(test_a_candidate_that_finds_no_memory_is_as_it_was),
    cmocka_unit_test(test_a_smaller_candidate_needs_no_more_memory),
    cmocka_unit_test(test_a_pool_without_memory_is_told),
    cmocka_unit_test(test_a_cloak_without_memory_is_not_made),
};
SC_SUITE(tests)
