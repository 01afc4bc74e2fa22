// Every allocation of an engine's life fails once, in turn (support/life.h), in every variant.
// Where queries come from dead ends alone, no star is left to chance.
#include "support/check.h"
#include "support/life.h"

static void fail_in_every_variant(bool is_certain)
{
    for (uint64_t seed = 0; seed < 2 * (uint64_t)SC_VARIANT_COUNT; seed++) {
        check_case(seed);
        const sc_variant variant = (sc_variant)(seed % SC_VARIANT_COUNT);
        if (is_certain && variant == SC_VARIANT_SAMPLING) continue;  // which is nothing but chance
        life_plan plan = {.seed = seed,
                          .options = sc_engine_options_default(),
                          .is_on_dead_ends = is_certain,
                          .is_certain = is_certain};
        plan.options.variant = variant;
        plan.options.consideration_us = 20;
        plan.options.is_paranoid = seed < SC_VARIANT_COUNT;
        plan.options.crowd = seed < SC_VARIANT_COUNT ? 1 : 4;
        const unsigned long failures = life_fail_each(&plan);
        print_message("# %s: %lu\n", sc_variant_name(variant), failures);
        assert_true(failures > 15);  // an engine takes about ten, and each candidate one
    }
    check_case_done();
}

static void test_without_chance_a_failed_allocation_makes_no_difference(void **state)
{
    (void)state;
    fail_in_every_variant(true);
}

static void test_with_chance_every_query_still_ends_once(void **state)
{
    (void)state;
    fail_in_every_variant(false);
}

// Whatever the run was at when memory ran out, the next may search in another way.
static void test_through_switches_every_query_still_ends_once(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 12; seed++) {
        check_case(seed);
        life_plan plan = {.seed = seed,
                          .options = sc_engine_options_default(),
                          .is_on_dead_ends = seed % 2 == 0,
                          .is_certain = seed % 2 == 0,
                          .has_switches = true};
        plan.options.variant = (sc_variant)(seed % 3);
        plan.options.consideration_us = 20;
        assert_true(life_fail_each(&plan) > 15);
    }
    check_case_done();
}

// Demands of queries are copied, listed with them, settled and pruned for.
static void test_with_demands_every_query_still_ends_once(void **state)
{
    static const sc_variant variants[] = {SC_VARIANT_PATIENT, SC_VARIANT_PATIENT,
                                          SC_VARIANT_PATIENT, SC_VARIANT_BASIC, SC_VARIANT_HYBRID};
    (void)state;
    for (uint64_t seed = 0; seed < 20; seed++) {
        check_case(seed);
        life_plan plan = {.seed = seed,
                          .options = sc_engine_options_default(),
                          .is_everywhere = seed % 2 == 1,
                          .is_on_dead_ends = seed % 2 == 0,
                          .is_certain = seed % 2 == 0,
                          .has_demands = true};
        plan.options.variant = variants[seed % (sizeof variants / sizeof *variants)];
        plan.options.consideration_us = 20;
        plan.options.crowd = 1;
        plan.options.is_paranoid = seed % 4 < 2;
        assert_true(life_fail_each(&plan) > 15);
    }
    check_case_done();
}

static const struct CMUnitTest tests[] = {
    SC_CASES(test_without_chance_a_failed_allocation_makes_no_difference),
    SC_CASES(test_with_chance_every_query_still_ends_once),
    SC_CASES(test_through_switches_every_query_still_ends_once),
    SC_CASES(test_with_demands_every_query_still_ends_once),
};
SC_SUITE(tests)
