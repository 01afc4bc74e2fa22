// Posteriors that can be followed with pencil and paper: the exact computation comes to the same
// numbers, and so, within its errors, does the adversary.
#include <starcloak/attack.h>

#include "support/check.h"
#include "support/toy_stage.h"

static const double rounding = 1e-12;

// --- Two in the small town -------------------------------------------------------

// The town of docs/engine.md. Two strangers want two users, four segments, one hop; the cloak that
// is seen are the seven segments of A and B.
static const char town[] = "    L       M       N    \n"
                           "    |       |       |    \n"
                           "K---A-------B-------C---O\n"
                           "    |       |       |    \n"
                           "    P       D--E--F Q    \n";

// A and C cost 18, B costs 34. Where the dice decide, a traveller on A-B goes to A with a chance
// of p = 34/52, one on B-C to B with q = 18/52.
//
// Which stars lead to these seven segments?
//     A and B     both allow {A, B}; both have a member, nothing is pruned      yes
//     A and A     ball {A, B}; B is trimmed, since A's four segments suffice    no, 4 segments
//     B and B     ball {A, B, C}, the whole town: nothing to prune              no, 10 segments
//     with C      C is not within the seven's stars                             no
// So one must be at A and the other at B. On the roads (a: AK, AL, AP; b: BM, BF):
//
//     first      second   chance that they are at A and B
//     a          b        1
//     a          A-B      0       A is active, so it goes there too
//     a          B-C      q       neither end is active
//     b          a        1
//     b          A-B, B-C 0       B is active
//     A-B        a        1 - p   the first must have gone to B
//     A-B        b        p
//     A-B        A-B      0       the road is assigned
//     A-B        B-C      p q     at B the first would draw the second there too
//     B-C        a        q
//     B-C        b, A-B, B-C  0
//
// Each pair tells of both its travellers. For one road of each kind, first and second together:
//     a      2 + q + 2 + (1 - p) + q
//     b      3 + 3 + p
//     A-B    3 (1 - p) + 2 p + p q
//     B-C    3 q + 3 q + p q
static void test_two_in_the_small_town(void **state)
{
    (void)state;
    toy_stage toy;
    toy_stage_open(&toy, town, SC_VARIANT_BASIC);
    toy_set_strangers(&toy, 2, (sc_needs){.k = 2, .l = 4, .max_hops = 1, .result_size = 1});
    toy_see_stars(&toy, "AB");
    assert_int_equal(toy.segment_count, 7);
    const slow_posterior exact = toy_attack(&toy, SC_LIKENESS_EXACT);

    const double p = 34.0 / 52;
    const double q = 18.0 / 52;
    const double a = 5 + 2 * q - p;
    const double b = 6 + p;
    const double ab = 3 - p + p * q;
    const double bc = 6 * q + p * q;
    const double sum = 3 * a + 2 * b + ab + bc;
    CHECK_CLOSE(toy_link(&toy, &exact, "AK"), a / sum, rounding);
    CHECK_CLOSE(toy_link(&toy, &exact, "AL"), a / sum, rounding);
    CHECK_CLOSE(toy_link(&toy, &exact, "AP"), a / sum, rounding);
    CHECK_CLOSE(toy_link(&toy, &exact, "BM"), b / sum, rounding);
    CHECK_CLOSE(toy_link(&toy, &exact, "BF"), b / sum, rounding);
    CHECK_CLOSE(toy_link(&toy, &exact, "AB"), ab / sum, rounding);
    CHECK_CLOSE(toy_link(&toy, &exact, "BC"), bc / sum, rounding);
    // Two travellers on seven roads each, and two tales of each pair.
    CHECK_CLOSE(exact.likeness, sum / 2 / 49, rounding);
    const double weights[] = {a, a, a, b, b, ab, bc};
    CHECK_CLOSE(exact.normalised_entropy, slow_normalised_entropy(weights, 7), rounding);
    toy_stage_close(&toy);
}

// One traveller alone, asking for one user only, in the same cloak.
//     at A    ball {A, B}, trimmed to A: four of the seven
//     at B    the whole town: seven of the seven
//     at C    ball {B, C}, trimmed to C: one of the seven, which is B-C
static void test_replay_in_the_small_town(void **state)
{
    (void)state;
    toy_stage toy;
    toy_stage_open(&toy, town, SC_VARIANT_BASIC);
    toy_set_strangers(&toy, 2, (sc_needs){.k = 2, .l = 4, .max_hops = 1, .result_size = 1});
    toy_see_stars(&toy, "AB");
    const sc_sighting sighting = {toy.segments, toy.segment_count, toy.needs, 2, NULL, 0};
    const slow_posterior exact = slow_replay(&toy.town, &sighting, NULL, SC_LIKENESS_OVERLAP);

    const double p = 34.0 / 52;
    const double q = 18.0 / 52;
    const double ab = p * 4 + (1 - p) * 7;
    const double bc = q * 7 + (1 - q) * 1;
    const double sum = 3 * 4 + 2 * 7 + ab + bc;
    CHECK_CLOSE(toy_link(&toy, &exact, "AK"), 4 / sum, rounding);
    CHECK_CLOSE(toy_link(&toy, &exact, "BF"), 7 / sum, rounding);
    CHECK_CLOSE(toy_link(&toy, &exact, "AB"), ab / sum, rounding);
    CHECK_CLOSE(toy_link(&toy, &exact, "BC"), bc / sum, rounding);
    toy_attack(&toy, SC_LIKENESS_OVERLAP);
    toy_stage_close(&toy);
}

// --- Four roads, drawn -----------------------------------------------------------

// Random sampling without a hop: from a dead end there are the roads of its star, from A-B either
// those of A or those of B. One traveller asks for two roads, and the cloak is {AC, AB}.
//     AC     its star has two other roads; A-B is drawn with a chance of 1/2
//     AB     A comes first with 1/2, and of its two other roads AC is drawn with 1/2
// Three times as many drive on A-B as on AC (5 + 1 and 1 + 1, one is always added): it is
// 1/2 * 2 against 1/4 * 6.
static void test_a_draw_of_two_roads(void **state)
{
    (void)state;
    toy_stage toy;
    toy_stage_open(&toy,
                   "C---A---B---F\n"
                   "    |   |    \n"
                   "    D   E    \n",
                   SC_VARIANT_SAMPLING);
    toy_set_strangers(&toy, 1, (sc_needs){.k = 1, .l = 2, .max_hops = 0, .result_size = 1});
    toy_see_roads(&toy, "AC AB");
    slow_posterior exact = toy_attack(&toy, SC_LIKENESS_EXACT);
    CHECK_CLOSE(toy_link(&toy, &exact, "AC"), 2.0 / 3, rounding);
    CHECK_CLOSE(toy_link(&toy, &exact, "AB"), 1.0 / 3, rounding);

    toy_set_traffic(&toy, "AC 1 AB 5");
    exact = toy_attack(&toy, SC_LIKENESS_EXACT);
    CHECK_CLOSE(toy_link(&toy, &exact, "AC"), 1.0 / 2.5, rounding);
    CHECK_CLOSE(toy_link(&toy, &exact, "AB"), 1.5 / 2.5, rounding);
    toy_stage_close(&toy);
}

// --- A query of one's own --------------------------------------------------------

// The adversary stands on A-B as well, with the needs of the stranger: two users, one segment, no
// hop. The stranger came first or second.
//     seen: the roads of A. Who was on AC or AD: A-B has gone to A, by its dice if it came first
//     (a chance of 1/2, both ends cost the same), as A was active if it came second: 3/4.
//     Who was on A-B itself: the first of them by its dice, the second after it: 1/2.
static void test_an_injected_query_on_the_same_road(void **state)
{
    (void)state;
    const sc_needs needs = {.k = 2, .l = 1, .max_hops = 0, .result_size = 1};
    toy_stage toy;
    toy_stage_open(&toy,
                   "C---A---B---F\n"
                   "    |   |    \n"
                   "    D   E    \n",
                   SC_VARIANT_BASIC);
    toy_set_strangers(&toy, 1, needs);
    toy_inject(&toy, "AB", needs);
    toy_see_stars(&toy, "A");
    const slow_posterior exact = toy_attack(&toy, SC_LIKENESS_EXACT);
    CHECK_CLOSE(toy_link(&toy, &exact, "AC"), 3.0 / 8, rounding);
    CHECK_CLOSE(toy_link(&toy, &exact, "AD"), 3.0 / 8, rounding);
    CHECK_CLOSE(toy_link(&toy, &exact, "AB"), 2.0 / 8, rounding);
    toy_stage_close(&toy);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_two_in_the_small_town),
    cmocka_unit_test(test_replay_in_the_small_town),
    cmocka_unit_test(test_a_draw_of_two_roads),
    cmocka_unit_test(test_an_injected_query_on_the_same_road),
};
SC_SUITE(tests)
