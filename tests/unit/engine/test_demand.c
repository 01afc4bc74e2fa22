// Demands: what is enough, what both want, and that less is never more.
#include "support/check.h"

#include "engine/demand.h"

// Needs around which something could go wrong.
static const uint32_t needs[] = {0, 1, 2, 3, 7, 8, 1000, UINT32_MAX - 1, UINT32_MAX};
enum { NEEDS = sizeof needs / sizeof *needs };

// Roads as well, beyond what 32 bits hold.
static const size_t roads[] = {
    0, 1, 2, 3, 6, 7, 8, 9, 999, 1000, UINT32_MAX - 1, UINT32_MAX, (size_t)UINT32_MAX + 1};
enum { ROADS = sizeof roads / sizeof *roads };

static void test_as_many_segments_as_are_needed_are_enough(void **state)
{
    (void)state;
    assert_true(sc__demand_is_met((sc__demand){.segments = 5}, 5));
    assert_true(sc__demand_is_met((sc__demand){.segments = 5}, 6));
    assert_false(sc__demand_is_met((sc__demand){.segments = 5}, 4));
    assert_false(sc__demand_is_met((sc__demand){.segments = 1}, 0));
    assert_true(sc__demand_is_met((sc__demand){.segments = UINT32_MAX}, (size_t)UINT32_MAX + 1));
}

static void test_a_demand_of_nothing_is_always_met(void **state)
{
    (void)state;
    for (size_t i = 0; i < ROADS; i++) {
        assert_true(sc__demand_is_met((sc__demand){0}, roads[i]));
    }
}

static void test_both_demands_are_met_exactly_where_each_is(void **state)
{
    (void)state;
    for (size_t a = 0; a < NEEDS; a++) {
        for (size_t b = 0; b < NEEDS; b++) {
            const sc__demand of_a = {.segments = needs[a]};
            const sc__demand of_b = {.segments = needs[b]};
            const sc__demand both = sc__demand_meet(of_a, of_b);
            for (size_t i = 0; i < ROADS; i++) {
                const bool each =
                    sc__demand_is_met(of_a, roads[i]) && sc__demand_is_met(of_b, roads[i]);
                assert_int_equal(sc__demand_is_met(both, roads[i]), each);
            }
        }
    }
}

// What search and pruning live by.
static void test_what_fails_a_demand_fails_it_with_fewer_segments_too(void **state)
{
    (void)state;
    for (size_t a = 0; a < NEEDS; a++) {
        for (size_t more = 0; more < ROADS; more++) {
            if (sc__demand_is_met((sc__demand){.segments = needs[a]}, roads[more])) continue;
            for (size_t fewer = 0; fewer <= more; fewer++) {
                assert_false(sc__demand_is_met((sc__demand){.segments = needs[a]}, roads[fewer]));
            }
        }
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_as_many_segments_as_are_needed_are_enough),
    cmocka_unit_test(test_a_demand_of_nothing_is_always_met),
    cmocka_unit_test(test_both_demands_are_met_exactly_where_each_is),
    cmocka_unit_test(test_what_fails_a_demand_fails_it_with_fewer_segments_too),
};
SC_SUITE(tests)
