// The weaknesses of basic that come of pruning and of selecting stars, for the patient engine: the
// same pictures (test_weaknesses.c, test_weaknesses_injected.c), with the numbers of
// docs/attacks.md. A lone traveller is cloaked alike by both engines, since no other one decides on
// its star.
#include <starcloak/attack.h>

#include "weakness.h"

static void open_patient(toy_stage *toy, const char *picture, size_t strangers, sc_needs asked,
                         const char *stars)
{
    toy_stage_open(toy, picture, SC_VARIANT_PATIENT);
    toy_set_strangers(toy, strangers, asked);
    toy_see_stars(toy, stars);
}

// --- Pruning ---------------------------------------------------------------------

static void test_pruning_betrays_a_lone_member_as_with_basic(void **state)
{
    (void)state;
    toy_stage toy;
    open_patient(&toy, street_of_four, 1, needs(1, 3, 1), "AB");
    const slow_posterior exact = attack(&toy, 0.620, 0.986);
    const double to_b = 17.5 / 51;
    const double sum = 1 + to_b + 0.5;
    CHECK_LINK(&toy, &exact, "AE", 0);
    CHECK_LINK(&toy, &exact, "AF", 0);
    CHECK_LINK(&toy, &exact, "AB", to_b / sum);
    CHECK_LINK(&toy, &exact, "BG", 1 / sum);
    CHECK_LINK(&toy, &exact, "BC", 0.5 / sum);
    toy_stage_close(&toy);
}

static void test_two_members_hide_each_other_a_little_better(void **state)
{
    (void)state;
    toy_stage toy;
    open_patient(&toy, street_of_four, 2, needs(2, 3, 1), "AB");
    attack(&toy, 0.951, 0.996);
    toy_stage_close(&toy);

    open_patient(&toy, street_of_five, 2, needs(2, 3, 2), "BCD");
    const slow_posterior exact = attack(&toy, 0.878, 0.999);
    assert_int_equal(exact.ruled_out, 1);
    CHECK_LINK(&toy, &exact, "CI", 0);
    toy_stage_close(&toy);
}

// --- Nothing to prune ------------------------------------------------------------

static void test_an_unpruned_ball_tells_its_centre_as_with_basic(void **state)
{
    (void)state;
    toy_stage toy;
    open_patient(&toy, street_of_four, 1, needs(1, 7, 1), "ABC");
    slow_posterior exact = attack(&toy, 0.542, 0.821);
    assert_int_equal(exact.ruled_out, 4);
    CHECK_LINK(&toy, &exact, "AB", 0.4);
    toy_stage_close(&toy);

    open_patient(&toy,
                 "    E   F   G    \n"
                 "    |   |   |    \n"
                 "D---A---B---C---H\n",
                 1, needs(1, 1, 1), "ABC");
    exact = attack(&toy, 0.492, 0.972);
    assert_int_equal(exact.ruled_out, 4);
    toy_stage_close(&toy);
}

// --- One injected query ----------------------------------------------------------

static slow_posterior see_injected(toy_stage *toy, const char *stars, double normalised,
                                   double by_overlap)
{
    open_patient(toy, street_of_five, 1, needs(2, 3, 2), stars);
    toy_inject(toy, "BH", needs(2, 3, 2));
    return attack(toy, normalised, by_overlap);
}

// Members that can be at B are put there, beside the adversary's own; so {A, B} says nothing at
// all, and what is farther says that the member could not be at B: BC is out as well, which basic
// leaves in.
static void test_an_injected_query_draws_others_to_its_star(void **state)
{
    (void)state;
    toy_stage toy;
    open_patient(&toy, street_of_five, 2, needs(2, 3, 2), "AB");
    attack(&toy, 0.932, 0.995);
    toy_stage_close(&toy);
    see_injected(&toy, "AB", 1, 1);
    toy_stage_close(&toy);

    open_patient(&toy, street_of_five, 2, needs(2, 3, 2), "ABC");
    attack(&toy, 0.961, 0.995);
    toy_stage_close(&toy);
    slow_posterior exact = see_injected(&toy, "ABC", 0.327, 0.996);
    assert_int_equal(exact.ruled_out, 5);
    CHECK_LINK(&toy, &exact, "CI", 2.0 / 3);
    CHECK_LINK(&toy, &exact, "CD", 1.0 / 3);
    toy_stage_close(&toy);

    exact = see_injected(&toy, "BCD", 0.542, 0.967);
    assert_int_equal(exact.ruled_out, 4);
    CHECK_LINK(&toy, &exact, "CD", 0.2);
    CHECK_LINK(&toy, &exact, "DJ", 0.4);
    CHECK_LINK(&toy, &exact, "DE", 0.4);
    toy_stage_close(&toy);
}

// --- Roads that lead out ---------------------------------------------------------

static void test_a_road_that_leads_out_is_half_as_likely_as_with_basic(void **state)
{
    (void)state;
    toy_stage toy;
    open_patient(&toy, street_of_five, 1, needs(1, 3, 0), "C");
    const slow_posterior exact = attack(&toy, 0.946, 0.982);
    CHECK_LINK(&toy, &exact, "CI", 0.5);
    CHECK_LINK(&toy, &exact, "BC", 0.25);
    CHECK_LINK(&toy, &exact, "CD", 0.25);
    toy_stage_close(&toy);
}

// --- A crowd ---------------------------------------------------------------------

// Three who want two, of whom two are at both ends of what they reach: at crowd 1 the second one is
// not waited for, at 2 a search may begin with either, and both agree with the engine.
static void test_crowds_of_any_size_are_replayed_as_they_are(void **state)
{
    (void)state;
    for (uint32_t crowd = 1; crowd <= 4; crowd *= 2) {
        toy_stage toy;
        open_patient(&toy, street_of_four, 3, needs(2, 3, 1), "ABC");
        toy.town.options.crowd = crowd;
        toy.runs = 32;
        toy_attack(&toy, SC_LIKENESS_OVERLAP);
        toy_stage_close(&toy);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_pruning_betrays_a_lone_member_as_with_basic),
    cmocka_unit_test(test_two_members_hide_each_other_a_little_better),
    cmocka_unit_test(test_an_unpruned_ball_tells_its_centre_as_with_basic),
    cmocka_unit_test(test_an_injected_query_draws_others_to_its_star),
    cmocka_unit_test(test_a_road_that_leads_out_is_half_as_likely_as_with_basic),
    cmocka_unit_test(test_crowds_of_any_size_are_replayed_as_they_are),
};
SC_SUITE(tests)
