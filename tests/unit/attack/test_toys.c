// On maps so small that every way of chance can be gone, the adversary believes what is true: with
// all placements or samples of them, for all methods, both likenesses, with and without a density
// and queries of its own.
#include <starcloak/attack.h>

#include "support/check.h"
#include "support/toy_stage.h"

static const sc_needs two_want_three = {.k = 2, .l = 3, .max_hops = 1, .result_size = 1};

// Two junctions.
static const char pair[] = "C---A---B---F\n"
                           "    |   |    \n"
                           "    D   E    \n";

// Three in a row, and more roads beyond, so that there is something to prune.
static const char row[] = "    F   G   H   I    \n"
                          "    |   |   |   |    \n"
                          "E---A---B---C---D---J\n";

static void attack_both_ways(const toy_stage *toy)
{
    toy_attack(toy, SC_LIKENESS_OVERLAP);
    const slow_posterior exact = toy_attack(toy, SC_LIKENESS_EXACT);
    assert_true(exact.likeness > 0);  // this cloak can come of it, or nothing is tested
}

/** The same cloak under a uniform density and two others. */
static void attack_under_densities(toy_stage *toy, const char *traffic, const char *other)
{
    attack_both_ways(toy);
    toy_set_traffic(toy, traffic);
    attack_both_ways(toy);
    toy_set_traffic(toy, other);
    attack_both_ways(toy);
}

// --- By method -------------------------------------------------------------------

// Both at B, or at B and A: from the row's four stars the right ones are trimmed.
static void test_basic_with_pruning(void **state)
{
    (void)state;
    toy_stage toy;
    toy_stage_open(&toy, row, SC_VARIANT_BASIC);
    toy_set_strangers(&toy, 2, two_want_three);
    toy_see_stars(&toy, "AB");
    attack_under_densities(&toy, "AE 9 BC 4", "AB 7 BG 2 AF 1");
    toy_stage_close(&toy);
}

static void test_bounded_and_hybrid(void **state)
{
    (void)state;
    toy_stage toy;
    toy_stage_open(&toy, row, SC_VARIANT_BOUNDED);
    toy_set_strangers(&toy, 3, (sc_needs){.k = 3, .l = 4, .max_hops = 2, .result_size = 2});
    toy_see_stars(&toy, "ABC");
    attack_both_ways(&toy);
    toy_set_variant(&toy, SC_VARIANT_HYBRID);
    attack_both_ways(&toy);
    toy_stage_close(&toy);
}

static void test_xstar(void **state)
{
    (void)state;
    toy_stage toy;
    toy_stage_open(&toy, row, SC_VARIANT_XSTAR);
    toy_set_strangers(&toy, 2, two_want_three);
    toy_see_stars(&toy, "AB");
    attack_under_densities(&toy, "AF 9 BC 4", "BG 20 AE 3");
    toy_stage_close(&toy);
}

static void test_expansion(void **state)
{
    (void)state;
    toy_stage toy;
    toy_stage_open(&toy, row, SC_VARIANT_EXPANSION);
    toy_set_strangers(&toy, 2, two_want_three);
    toy_see_roads(&toy, "AE AF AB");
    attack_under_densities(&toy, "AE 9 AB 4", "AF 20");
    toy_stage_close(&toy);
}

static void test_sampling(void **state)
{
    (void)state;
    toy_stage toy;
    toy_stage_open(&toy, pair, SC_VARIANT_SAMPLING);
    toy.runs = 128;  // many draws, few of them the right ones
    toy_set_strangers(&toy, 2, two_want_three);
    toy_see_roads(&toy, "AC AD AB");
    attack_under_densities(&toy, "AC 9", "AB 3 AD 1");
    toy_stage_close(&toy);
}

// --- By what is known ------------------------------------------------------------

// Which member asked for more is not known, only that one did.
static void test_needs_that_differ_are_dealt_out(void **state)
{
    (void)state;
    static const sc_variant variants[] = {SC_VARIANT_BASIC, SC_VARIANT_XSTAR, SC_VARIANT_EXPANSION};
    for (size_t i = 0; i < sizeof variants / sizeof variants[0]; i++) {
        toy_stage toy;
        toy_stage_open(&toy, row, variants[i]);
        toy.stranger_count = 2;
        toy.needs[0] = (sc_needs){.k = 2, .l = 1, .max_hops = 1, .result_size = 1};
        toy.needs[1] = (sc_needs){.k = 1, .l = 4, .max_hops = 2, .result_size = 5};
        toy_see_stars(&toy, "AB");
        toy_attack(&toy, SC_LIKENESS_OVERLAP);
        toy_attack(&toy, SC_LIKENESS_EXACT);
        toy_stage_close(&toy);
    }
}

static void test_three_strangers(void **state)
{
    (void)state;
    static const sc_variant variants[] = {SC_VARIANT_BASIC, SC_VARIANT_XSTAR, SC_VARIANT_EXPANSION};
    for (size_t i = 0; i < sizeof variants / sizeof variants[0]; i++) {
        toy_stage toy;
        toy_stage_open(&toy, pair, variants[i]);
        toy.runs = 32;  // of 35 placements
        toy_set_strangers(&toy, 3, (sc_needs){.k = 3, .l = 2, .max_hops = 1, .result_size = 1});
        toy_see_stars(&toy, "AB");
        attack_both_ways(&toy);
        toy_set_traffic(&toy, "AC 5 BE 2");
        attack_both_ways(&toy);
        toy_stage_close(&toy);
    }
}

static void test_a_query_of_its_own_stays_where_it_was_put(void **state)
{
    (void)state;
    static const sc_variant variants[] = {SC_VARIANT_BASIC, SC_VARIANT_BOUNDED, SC_VARIANT_HYBRID,
                                          SC_VARIANT_XSTAR};
    for (size_t i = 0; i < sizeof variants / sizeof variants[0]; i++) {
        toy_stage toy;
        toy_stage_open(&toy, row, variants[i]);
        toy_set_strangers(&toy, 1, two_want_three);
        toy_inject(&toy, "AF", two_want_three);
        toy_see_stars(&toy, "AB");
        attack_both_ways(&toy);
        toy_set_traffic(&toy, "BC 6");
        attack_both_ways(&toy);
        toy_stage_close(&toy);
    }
}

static void test_a_query_of_its_own_among_roads_that_are_drawn_or_nearest(void **state)
{
    (void)state;
    static const sc_variant variants[] = {SC_VARIANT_SAMPLING, SC_VARIANT_EXPANSION};
    for (size_t i = 0; i < sizeof variants / sizeof variants[0]; i++) {
        toy_stage toy;
        toy_stage_open(&toy, pair, variants[i]);
        toy.runs = 128;
        toy_set_strangers(&toy, 1, two_want_three);
        toy_inject(&toy, "AD", two_want_three);
        toy_see_roads(&toy, "AC AD AB");
        attack_both_ways(&toy);
        toy_stage_close(&toy);
    }
}

static void test_two_of_its_own_and_two_strangers(void **state)
{
    (void)state;
    const sc_needs four = {.k = 4, .l = 2, .max_hops = 1, .result_size = 1};
    toy_stage toy;
    toy_stage_open(&toy, pair, SC_VARIANT_BASIC);
    toy_set_strangers(&toy, 2, four);
    toy_inject(&toy, "AC", four);
    toy_inject(&toy, "AB", four);
    toy_see_stars(&toy, "AB");
    attack_both_ways(&toy);
    toy_stage_close(&toy);
}

// A cloak that the method does not make: nothing can be known but the density.
static void test_what_cannot_be_explained_leaves_the_density(void **state)
{
    (void)state;
    toy_stage toy;
    toy_stage_open(&toy, row, SC_VARIANT_BASIC);
    toy_set_strangers(&toy, 2, two_want_three);
    toy_see_roads(&toy, "AE BG CH");
    toy_set_traffic(&toy, "BG 1");
    const slow_posterior exact = toy_attack(&toy, SC_LIKENESS_EXACT);
    CHECK_CLOSE(exact.likeness, 0, 0);
    CHECK_CLOSE(toy_link(&toy, &exact, "AE"), 0.25, 1e-12);
    CHECK_CLOSE(toy_link(&toy, &exact, "BG"), 0.5, 1e-12);
    toy_stage_close(&toy);
}

// --- Errors that are stated are errors that are made -----------------------------

// If the errors stated were too small by half, about one estimate in twenty would be off by more
// than four of them; if they were too large by half, hardly one by more than one and a half. So:
// over many seeds the estimates lie within one stated error about two times out of three.
static void test_stated_errors_are_as_large_as_true_ones(void **state)
{
    (void)state;
    enum { SEEDS = 60 };
    toy_stage toy;
    toy_stage_open(&toy, row, SC_VARIANT_BASIC);
    toy_set_strangers(&toy, 2, two_want_three);
    toy_see_stars(&toy, "AB");
    const slow_posterior exact = toy_exact(&toy, SC_LIKENESS_EXACT);
    const sc_sighting sighting = {toy.segments, toy.segment_count, toy.needs, 2, NULL, 0};
    sc_adversary_options options = sc_adversary_options_default();
    options.engine = toy.town.options;
    options.likeness = SC_LIKENESS_EXACT;
    options.max_placements = 0;
    options.samples = 1024;
    options.fruitful = 0;
    options.threads = 1;
    sc_adversary *adversary = NULL;
    CHECK_OK(sc_adversary_new(toy.map, &options, NULL, &adversary, NULL), NULL);
    uint32_t within_one = 0;
    uint32_t within_two = 0;
    double squares = 0;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        sc_posterior estimate = {0};
        CHECK_OK(sc_adversary_correlate(adversary, seed, &sighting, &estimate, NULL), NULL);
        // One road for each seed: those of one estimate depend on each other.
        const size_t i = seed % exact.count;
        const double off =
            (estimate.links[i].linkability - exact.links[i]) / estimate.links[i].error;
        within_one += off >= -1 && off <= 1;
        within_two += off >= -2 && off <= 2;
        squares += off * off;
        sc_posterior_fini(&estimate);
    }
    sc_adversary_free(adversary);
    // 0.683 and 0.954 of 60 would be 41 and 57; four deviations are 14 and 7. The mean of the
    // squares is 1 with a deviation of about 0.18.
    assert_in_range(within_one, 27, 55);
    assert_in_range(within_two, 50, SEEDS);
    CHECK_CLOSE(squares / SEEDS, 1, 0.75);
    toy_stage_close(&toy);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_basic_with_pruning),
    cmocka_unit_test(test_bounded_and_hybrid),
    cmocka_unit_test(test_xstar),
    cmocka_unit_test(test_expansion),
    cmocka_unit_test(test_sampling),
    cmocka_unit_test(test_needs_that_differ_are_dealt_out),
    cmocka_unit_test(test_three_strangers),
    cmocka_unit_test(test_a_query_of_its_own_stays_where_it_was_put),
    cmocka_unit_test(test_a_query_of_its_own_among_roads_that_are_drawn_or_nearest),
    cmocka_unit_test(test_two_of_its_own_and_two_strangers),
    cmocka_unit_test(test_what_cannot_be_explained_leaves_the_density),
    cmocka_unit_test(test_stated_errors_are_as_large_as_true_ones),
};
SC_SUITE(tests)
