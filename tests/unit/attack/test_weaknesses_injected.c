// What an adversary learns by asking itself: queries of its own in the cloak, whose stars it knows.
// The smallest maps that show it; docs/attacks.md tells of them, with the numbers asserted here.
#include <starcloak/attack.h>

#include "weakness.h"

/** On the street of five, three segments and two hops: the adversary is on BH and waits for one. */
static void open_with_injected(toy_stage *toy, sc_variant variant, const char *stars)
{
    toy_stage_open(toy, street_of_five, variant);
    toy_set_strangers(toy, 1, needs(2, 3, 2));
    toy_inject(toy, "BH", needs(2, 3, 2));
    toy_see_stars(toy, stars);
}

/** The same without it: two strangers. */
static void open_without(toy_stage *toy, sc_variant variant, const char *stars)
{
    toy_stage_open(toy, street_of_five, variant);
    toy_set_strangers(toy, 2, needs(2, 3, 2));
    toy_see_stars(toy, stars);
}

// A super-star ends with the star that was missing. The adversary's is B, and {B} would have been
// enough for two at B: the other one is at A. Who is on AB was drawn there only if it came first.
static void test_a_super_star_around_an_injected_query_tells_who_was_missing(void **state)
{
    (void)state;
    toy_stage toy;
    open_without(&toy, SC_VARIANT_XSTAR, "AB");
    attack(&toy, 0.965, 0.998);
    toy_stage_close(&toy);

    open_with_injected(&toy, SC_VARIANT_XSTAR, "AB");
    const slow_posterior exact = attack(&toy, 0.623, 0.987);
    const double to_a = 33.5 / 51;
    const double sum = 2 + to_a / 2;
    CHECK_LINK(&toy, &exact, "AF", 1 / sum);
    CHECK_LINK(&toy, &exact, "AG", 1 / sum);
    CHECK_LINK(&toy, &exact, "AB", to_a / 2 / sum);
    CHECK_LINK(&toy, &exact, "BH", 0);
    CHECK_LINK(&toy, &exact, "BC", 0);
    toy_stage_close(&toy);
}

// And with C in it, which is there for the stranger only: the growth from B took A first, which is
// cheaper.
static void test_a_super_star_that_went_farther_tells_as_much(void **state)
{
    (void)state;
    toy_stage toy;
    open_without(&toy, SC_VARIANT_XSTAR, "ABC");
    attack(&toy, 0.980, 0.994);
    toy_stage_close(&toy);

    open_with_injected(&toy, SC_VARIANT_XSTAR, "ABC");
    const slow_posterior exact = attack(&toy, 0.534, 0.984);
    assert_int_equal(exact.ruled_out, 4);
    CHECK_LINK(&toy, &exact, "BC", 0.25);
    CHECK_LINK(&toy, &exact, "CI", 0.5);
    CHECK_LINK(&toy, &exact, "CD", 0.25);
    toy_stage_close(&toy);
}

// StarCloak publishes {A, B} wherever at A or B the stranger is: A is never pruned behind B.
static void test_pruning_may_hide_what_growing_tells(void **state)
{
    (void)state;
    toy_stage toy;
    open_without(&toy, SC_VARIANT_BASIC, "AB");
    attack(&toy, 0.947, 0.996);
    toy_stage_close(&toy);
    open_with_injected(&toy, SC_VARIANT_BASIC, "AB");
    attack(&toy, 0.996, 1);
    toy_stage_close(&toy);
}

// But it prunes down to the members. C, and D likewise, can only be there for the stranger, since
// the adversary knows its own star: B.
static void test_pruning_tells_an_adversary_which_star_is_not_its_own(void **state)
{
    (void)state;
    toy_stage toy;
    open_without(&toy, SC_VARIANT_BASIC, "ABC");
    attack(&toy, 0.974, 0.993);
    toy_stage_close(&toy);
    open_with_injected(&toy, SC_VARIANT_BASIC, "ABC");
    slow_posterior exact = attack(&toy, 0.491, 0.996);
    assert_int_equal(exact.ruled_out, 4);
    CHECK_LINK(&toy, &exact, "BC", 1.0 / 7);
    CHECK_LINK(&toy, &exact, "CI", 4.0 / 7);
    CHECK_LINK(&toy, &exact, "CD", 2.0 / 7);
    toy_stage_close(&toy);

    open_with_injected(&toy, SC_VARIANT_BASIC, "BCD");
    exact = attack(&toy, 0.513, 0.964);
    const double to_d = 17.5 / 51;
    const double sum = 1 + 0.5 + to_d;
    assert_int_equal(exact.ruled_out, 4);
    CHECK_LINK(&toy, &exact, "CD", 0.5 / sum);
    CHECK_LINK(&toy, &exact, "DJ", 1 / sum);
    CHECK_LINK(&toy, &exact, "DE", to_d / sum);
    toy_stage_close(&toy);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_super_star_around_an_injected_query_tells_who_was_missing),
    cmocka_unit_test(test_a_super_star_that_went_farther_tells_as_much),
    cmocka_unit_test(test_pruning_may_hide_what_growing_tells),
    cmocka_unit_test(test_pruning_tells_an_adversary_which_star_is_not_its_own),
};
SC_SUITE(tests)
