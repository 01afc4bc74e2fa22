// What the methods give away as they are specified, each on the smallest map that shows it.
// docs/attacks.md tells of them; the numbers there are those asserted here.
#include <starcloak/attack.h>

#include "weakness.h"

// --- Network expansion: roads that no traveller on them can produce --------------

//     B---A---C      AB is 10 m long, AC 11 m, AD 12 m
//         |
//         D
//
// From the middle of AB the nearest other middle is that of AC, from AC that of AB, from AD that of
// AB. Who wants two roads gets {AB, AC} on AB and on AC, and {AB, AD} on AD.
static const char fork_of_three[] = "B---A---C\n"
                                    "    |    \n"
                                    "    D    \n";

static void test_a_road_that_is_nearest_to_no_other_gives_its_traveller_away(void **state)
{
    (void)state;
    toy_stage toy;
    toy_stage_open(&toy, fork_of_three, SC_VARIANT_EXPANSION);
    toy_set_strangers(&toy, 1, needs(1, 2, 1));
    toy_see_roads(&toy, "AB AD");
    const slow_posterior exact = attack(&toy, 0, 0.918);
    CHECK_LINK(&toy, &exact, "AB", 0);
    CHECK_LINK(&toy, &exact, "AD", 1);
    toy_stage_close(&toy);
}

// Two, who want each other's company. On AD and AD the cloak is {AB, AD}. On AD and AB it is only
// if the one on AD came first and so tries first: the other one would take AC on its way.
static void test_company_does_not_hide_it(void **state)
{
    (void)state;
    toy_stage toy;
    toy_stage_open(&toy, fork_of_three, SC_VARIANT_EXPANSION);
    toy_set_strangers(&toy, 2, needs(2, 2, 1));
    toy_see_roads(&toy, "AB AD");
    const slow_posterior exact = attack(&toy, 0.811, 0.985);
    CHECK_LINK(&toy, &exact, "AB", 0.25);
    CHECK_LINK(&toy, &exact, "AD", 0.75);
    toy_stage_close(&toy);
}

// --- Pruning: what could go and did not has a member -----------------------------

//         F   G   H   I
//         |   |   |   |
//     E---A---B---C---D---J
//
// One traveller, three segments, one hop. At B the ball is {A, B, C}. C goes; B has a member, so A
// never comes to the boundary: the five segments of {A, B} are published. At A the ball is {A, B},
// and B goes. An adversary that sees {A, B} sees a boundary star, B, without which three segments
// would be left: pruning cannot have stopped for want of segments, so B has a member, and the roads
// that end at A alone are out. (street_of_four)
static void test_a_boundary_star_that_could_have_gone_has_a_member(void **state)
{
    (void)state;
    toy_stage toy;
    toy_stage_open(&toy, street_of_four, SC_VARIANT_BASIC);
    toy_set_strangers(&toy, 1, needs(1, 3, 1));
    toy_see_stars(&toy, "AB");
    const slow_posterior exact = attack(&toy, 0.620, 0.986);
    // Where the dice decide: A costs 17.5, B and C 33.5.
    const double to_b = 17.5 / 51;
    const double sum = 1 + to_b + 0.5;
    CHECK_LINK(&toy, &exact, "AE", 0);
    CHECK_LINK(&toy, &exact, "AF", 0);
    CHECK_LINK(&toy, &exact, "AB", to_b / sum);
    CHECK_LINK(&toy, &exact, "BG", 1 / sum);
    CHECK_LINK(&toy, &exact, "BC", 0.5 / sum);
    toy_stage_close(&toy);
}

// Two travellers: one of them must be at B, the other may be at A. That hides much more.
static void test_with_two_members_one_of_them_is_at_that_star(void **state)
{
    (void)state;
    toy_stage toy;
    toy_stage_open(&toy, street_of_four, SC_VARIANT_BASIC);
    toy_set_strangers(&toy, 2, needs(2, 3, 1));
    toy_see_stars(&toy, "AB");
    attack(&toy, 0.947, 0.992);
    toy_stage_close(&toy);
}

//         G   H   I   J   K
//         |   |   |   |   |
//     F---A---B---C---D---E---L
//
// Two travellers, three segments, two hops. {B, C, D} has two boundary stars, B and D, and without
// either of them five segments would be left: both have a member. There are but two members, so the
// dead end of C is out.
static void test_with_as_many_such_stars_as_members_no_member_is_elsewhere(void **state)
{
    (void)state;
    toy_stage toy;
    toy_stage_open(&toy, street_of_five, SC_VARIANT_BASIC);
    toy_set_strangers(&toy, 2, needs(2, 3, 2));
    toy_see_stars(&toy, "BCD");
    const slow_posterior exact = attack(&toy, 0.869, 0.986);
    assert_int_equal(exact.ruled_out, 1);
    CHECK_LINK(&toy, &exact, "CI", 0);
    toy_stage_close(&toy);
}

// --- Nothing to prune: a ball tells its centre -----------------------------------

// Seven segments are wanted, and within a hop of B there are just seven. The one at B gets them
// all; at A there are too few, so travellers on AB end up at B; at C the ball is another one.
static void test_a_ball_that_is_just_enough_tells_its_centre(void **state)
{
    (void)state;
    toy_stage toy;
    toy_stage_open(&toy, street_of_four, SC_VARIANT_BASIC);
    toy_set_strangers(&toy, 1, needs(1, 7, 1));
    toy_see_stars(&toy, "ABC");
    const slow_posterior exact = attack(&toy, 0.542, 0.821);
    assert_int_equal(exact.ruled_out, 4);
    CHECK_LINK(&toy, &exact, "AB", 0.4);
    CHECK_LINK(&toy, &exact, "BG", 0.4);
    CHECK_LINK(&toy, &exact, "BC", 0.2);
    toy_stage_close(&toy);
}

//         E   F   G
//         |   |   |
//     D---A---B---C---H
//
// One segment would do, but the ball around B is the whole island: no star of it has a neighbour
// outside, so none is boundary, and all seven roads are published. Around A it is not, and A alone
// is left.
static void test_a_ball_that_is_the_whole_island_is_not_pruned_and_tells_its_centre(void **state)
{
    (void)state;
    toy_stage toy;
    toy_stage_open(&toy,
                   "    E   F   G    \n"
                   "    |   |   |    \n"
                   "D---A---B---C---H\n",
                   SC_VARIANT_BASIC);
    toy_set_strangers(&toy, 1, needs(1, 1, 1));
    toy_see_stars(&toy, "ABC");
    const slow_posterior exact = attack(&toy, 0.492, 0.972);
    const double to_b = 17.5 / 51;
    const double sum = 1 + 2 * to_b;
    assert_int_equal(exact.ruled_out, 4);
    CHECK_LINK(&toy, &exact, "BF", 1 / sum);
    CHECK_LINK(&toy, &exact, "AB", to_b / sum);
    CHECK_LINK(&toy, &exact, "BC", to_b / sum);
    toy_stage_close(&toy);
}

// --- XStar -----------------------------------------------------------------------

// One traveller who wants four segments. A super-star grows to the cheaper neighbour first. From B
// that is A, with one border node less than C; from C it is B, the first of two that cost the same.
// So {B, C} comes from C only.
static void test_a_super_star_tells_where_it_began(void **state)
{
    (void)state;
    toy_stage toy;
    toy_stage_open(&toy, street_of_five, SC_VARIANT_XSTAR);
    toy_set_strangers(&toy, 1, needs(1, 4, 1));
    toy_see_stars(&toy, "BC");
    const slow_posterior exact = attack(&toy, 0.646, 0.985);
    CHECK_LINK(&toy, &exact, "AB", 0);
    CHECK_LINK(&toy, &exact, "BH", 0);
    CHECK_LINK(&toy, &exact, "BC", 0.25);
    CHECK_LINK(&toy, &exact, "CI", 0.5);
    CHECK_LINK(&toy, &exact, "CD", 0.25);
    toy_stage_close(&toy);
}

// --- Random sampling: not everybody draws from the same roads --------------------

// Three roads are wanted, one hop. From B all seven roads can be drawn, from A those of A and B,
// from C those of B and C. The cloak {AE, BF, CG} comes from BF only: the others do not reach it.
static void test_roads_drawn_from_two_sides_tell_the_middle(void **state)
{
    (void)state;
    toy_stage toy;
    toy_stage_open(&toy,
                   "    E   F   G    \n"
                   "    |   |   |    \n"
                   "D---A---B---C---H\n",
                   SC_VARIANT_SAMPLING);
    toy.runs = 256;  // the right roads are seldom drawn
    toy_set_strangers(&toy, 1, needs(1, 3, 1));
    toy_see_roads(&toy, "AE BF CG");
    slow_posterior exact = attack(&toy, 0, 0.999);
    CHECK_LINK(&toy, &exact, "BF", 1);

    // All three can have produced {AD, AE, BF}: those at A draw two of four others, with a chance
    // of 1/6, the one at B two of six, with 1/15.
    toy_see_roads(&toy, "AD AE BF");
    exact = attack(&toy, 0.936, 0.997);
    CHECK_LINK(&toy, &exact, "AD", 5.0 / 12);
    CHECK_LINK(&toy, &exact, "AE", 5.0 / 12);
    CHECK_LINK(&toy, &exact, "BF", 2.0 / 12);
    toy_stage_close(&toy);
}

// --- Roads that lead out ---------------------------------------------------------

// One star: who is on a dead end of it had no choice, who is on a road that leads out could have
// gone to its other end.
static void test_a_road_that_leads_out_of_the_cloak_is_half_as_likely(void **state)
{
    (void)state;
    toy_stage toy;
    toy_stage_open(&toy, street_of_five, SC_VARIANT_BASIC);
    toy_set_strangers(&toy, 1, needs(1, 3, 0));
    toy_see_stars(&toy, "C");
    const slow_posterior exact = attack(&toy, 0.946, 0.982);
    CHECK_LINK(&toy, &exact, "CI", 0.5);
    CHECK_LINK(&toy, &exact, "BC", 0.25);
    CHECK_LINK(&toy, &exact, "CD", 0.25);
    toy_stage_close(&toy);
}

// --- On the whole ----------------------------------------------------------------

// Five junctions with two dead ends each.
static const char street[] = "o   o   o   o   o\n"
                             "|   |   |   |   |\n"
                             "A---B---C---D---E\n"
                             "|   |   |   |   |\n"
                             "o   o   o   o   o\n";

/** A cloak that a traveller on the street gets, and how often. */
typedef struct published {
    toy_segments segments;
    double chance;
} published;

enum { CLOAKS = 512 };

/** All cloaks of a lone traveller who may be anywhere. */
static size_t list_cloaks(const toy_stage *toy, published *cloaks)
{
    size_t count = 0;
    dice d = dice_new();
    do {
        const toy_query query = {dice_below(&d, toy->town.segment_count), toy->needs[0]};
        toy_outcome outcome;
        toy_cloak(&toy->town, &query, 1, &d, &outcome);
        assert_int_equal(outcome.count, 1);
        size_t i = 0;
        while (i < count && cloaks[i].segments != outcome.cloaks[0].segments) {
            i++;
        }
        assert_true(i < CLOAKS);
        if (i == count) cloaks[count++] = (published){outcome.cloaks[0].segments, 0};
        cloaks[i].chance += d.chance;
    } while (dice_turn(&d));
    return count;
}

/** The entropy to expect, to the letter and by overlap. */
static void check_mean(sc_variant variant, double normalised, double by_overlap)
{
    toy_stage toy;
    published *cloaks = test_take(CLOAKS, sizeof *cloaks);
    toy_stage_open(&toy, street, variant);
    toy_set_strangers(&toy, 1, needs(1, 4, 1));
    const size_t count = list_cloaks(&toy, cloaks);
    double exact = 0;
    double overlap = 0;
    for (size_t i = 0; i < count; i++) {
        toy_see(&toy, cloaks[i].segments);
        exact += cloaks[i].chance * toy_exact(&toy, SC_LIKENESS_EXACT).normalised_entropy;
        overlap += cloaks[i].chance * toy_exact(&toy, SC_LIKENESS_OVERLAP).normalised_entropy;
    }
    CHECK_CLOSE(exact, normalised, 0.0005);
    CHECK_CLOSE(overlap, by_overlap, 0.0005);
    toy_stage_close(&toy);
    free(cloaks);
}

// A lone traveller anywhere on this street, who wants four segments within a hop. By overlap
// sampling hides best, and all methods much the same. To the letter StarCloak does, and by far.
static void test_to_the_letter_the_methods_come_in_another_order(void **state)
{
    (void)state;
    check_mean(SC_VARIANT_BASIC, 0.981, 0.989);
    check_mean(SC_VARIANT_PATIENT, 0.981, 0.989);
    check_mean(SC_VARIANT_XSTAR, 0.814, 0.982);
    check_mean(SC_VARIANT_SAMPLING, 0.682, 0.994);
    check_mean(SC_VARIANT_EXPANSION, 0.456, 0.974);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_road_that_is_nearest_to_no_other_gives_its_traveller_away),
    cmocka_unit_test(test_company_does_not_hide_it),
    cmocka_unit_test(test_a_boundary_star_that_could_have_gone_has_a_member),
    cmocka_unit_test(test_with_two_members_one_of_them_is_at_that_star),
    cmocka_unit_test(test_with_as_many_such_stars_as_members_no_member_is_elsewhere),
    cmocka_unit_test(test_a_ball_that_is_just_enough_tells_its_centre),
    cmocka_unit_test(test_a_ball_that_is_the_whole_island_is_not_pruned_and_tells_its_centre),
    cmocka_unit_test(test_a_super_star_tells_where_it_began),
    cmocka_unit_test(test_roads_drawn_from_two_sides_tell_the_middle),
    cmocka_unit_test(test_a_road_that_leads_out_of_the_cloak_is_half_as_likely),
    cmocka_unit_test(test_to_the_letter_the_methods_come_in_another_order),
};
SC_SUITE(tests)
