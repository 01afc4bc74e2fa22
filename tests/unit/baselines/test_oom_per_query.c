// Every allocation of an engine's life fails once, in turn (support/life.h), in the methods where
// each query makes a region of its own. Expansion leaves nothing to chance, sampling everything.
//
// Then a query is removed while memory is out and several are to try.
#include <starcloak/engine.h>

#include "support/check.h"
#include "support/life.h"
#include "support/oom.h"
#include "support/streams.h"

static void fail_in(sc_variant variant)
{
    for (uint64_t seed = 0; seed < 6; seed++) {
        check_case(seed);
        life_plan plan = {.seed = seed,
                          .options = sc_engine_options_default(),
                          .is_everywhere = true,
                          .is_certain = variant == SC_VARIANT_EXPANSION};
        plan.options.variant = variant;
        plan.options.is_paranoid = seed < 2;
        const unsigned long failures = life_fail_each(&plan);
        print_message("# %s: %lu\n", sc_variant_name(variant), failures);
        assert_true(failures > 40);  // an engine takes about fifteen, and each query a few
    }
    check_case_done();
}

// Four are to try when memory runs out. Before it is there again, `gone` of them goes away: 3 is
// the one who came last, for whose sake all of them were to try.
static unsigned long interrupt(sc_variant variant, uint32_t gone)
{
    enum { COUNT = 4 };
    sc_map *map = stream_long_street(1);
    sc_engine_options options = sc_engine_options_default();
    options.variant = variant;
    unsigned long interruptions = 0;
    bool has_failed = true;
    for (unsigned long n = 1; has_failed; n++) {
        sc_rng rng;
        sc_rng_seed(&rng, 1);
        sc_engine *engine = NULL;
        CHECK_OK(sc_engine_new(map, &options, &rng, &engine, NULL), NULL);
        for (uint32_t number = 0; number < COUNT; number++) {
            const sc_query query = plain_query(number, 3, COUNT, 2, 2, 100);
            CHECK_OK(sc_engine_add(engine, &query), NULL);
            if (number + 1 < COUNT) CHECK_OK(sc_engine_run(engine, 0), NULL);
        }
        sc_alloc_fail_at(n);
        const sc_err err = sc_engine_run(engine, 0);
        has_failed = oom_happened();
        sc_cloak *cloak = sc_engine_take_candidate(engine);
        assert_int_equal(err, has_failed ? SC_ENOMEM : SC_OK);
        assert_int_equal(cloak != NULL, !has_failed);
        if (has_failed) {
            const sc_query_id id = plain_id(gone);
            CHECK_OK(sc_engine_remove(engine, &id), NULL);
            CHECK_OK(sc_engine_run(engine, 0), NULL);
            assert_null(sc_engine_take_candidate(engine));  // three are too few
            assert_int_equal(sc_engine_next_wake(engine), 101);
            interruptions++;
        }
        sc_cloak_free(cloak);
        sc_engine_free(engine);
    }
    sc_map_free(map);
    return interruptions;
}

static void test_who_goes_away_between_two_runs_is_not_tried_for(void **state)
{
    (void)state;
    for (uint32_t gone = 0; gone < 4; gone++) {
        assert_true(interrupt(SC_VARIANT_EXPANSION, gone) > 2);
        assert_true(interrupt(SC_VARIANT_SAMPLING, gone) > 2);
    }
}

static void test_in_expansion_a_failed_allocation_makes_no_difference(void **state)
{
    (void)state;
    fail_in(SC_VARIANT_EXPANSION);
}

static void test_in_sampling_every_query_still_ends_once(void **state)
{
    (void)state;
    fail_in(SC_VARIANT_SAMPLING);
}

static const struct CMUnitTest tests[] = {
    SC_CASES(test_in_expansion_a_failed_allocation_makes_no_difference),
    SC_CASES(test_in_sampling_every_query_still_ends_once),
    cmocka_unit_test(test_who_goes_away_between_two_runs_is_not_tried_for),
};
SC_SUITE(tests)
