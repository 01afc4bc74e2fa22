// The literal baselines before an adversary: what their replays assume, and what comes out.
#include "lab/literal_cloaker.h"

#include "support/check.h"
#include "support/oom.h"
#include "support/sketch.h"

#include <math.h>

static void test_poisson_numbers_have_their_mean_and_variance(void **state)
{
    (void)state;
    enum { DRAWS = 20000 };
    static const double means[] = {0, 0.1, 2.5, 12, 29.9, 30.1, 200};
    sc_rng rng;
    sc_rng_seed(&rng, 1);
    for (size_t i = 0; i < sizeof means / sizeof means[0]; i++) {
        double sum = 0;
        double squares = 0;
        for (int n = 0; n < DRAWS; n++) {
            const double drawn = sc__poisson_draw(&rng, means[i]);
            sum += drawn;
            squares += (drawn - means[i]) * (drawn - means[i]);
        }
        // Five standard errors: of a mean sqrt(m / n), of a variance about m sqrt(2.5 / n) + that.
        const double error = sqrt(means[i] / DRAWS);
        assert_true(fabs(sum / DRAWS - means[i]) <= 5 * error);
        assert_true(fabs(squares / DRAWS - means[i]) <= 5 * (means[i] * sqrt(2.5 / DRAWS) + error));
    }
}

/** A town, and what an adversary believes of one cloak of a literal baseline in it. */
static sc_err attack_with(const sc_map *map, sc_literal_method method, sc_lab_others where,
                          sc_likeness likeness, sc_posterior *out, sc_seg_id own)
{
    enum { EACH = 3 };  // travellers on each road
    const uint32_t count = sc_map_segment_count(map);
    sc_adversary_options options = sc_adversary_options_default();
    sc__literal_cloaker how = {.map = NULL};
    sc_literal *literal = NULL;
    sc_adversary *adversary = NULL;
    uint32_t *others = test_take(count, sizeof *others);
    for (uint32_t s = 0; s < count; s++) {
        others[s] = EACH;
    }
    const sc_needs needs = {.k = 16, .l = 5, .max_hops = 3};
    const sc_query query = {.segment = own, .k = needs.k, .l = needs.l, .max_hops = needs.max_hops};
    sc_rng rng;
    sc_rng_seed(&rng, 7);
    options.samples = 2000;
    options.likeness = likeness;
    options.threads = 1;
    sc_literal_cloak cloak = {0};
    const sc__literal_beliefs beliefs = {
        .method = method, .others = where, .travellers = EACH * count};
    sc_err err = sc__literal_cloaker_init(&how, map, &beliefs);
    const sc_cloaker cloaker = sc__literal_cloaker_of(&how);
    if (!err) err = sc_literal_new(map, &literal);
    if (!err) err = sc_literal_choose(literal, method, &query, others, &rng, &cloak);
    if (!err) {
        assert_true(cloak.segment_count >= needs.l);
        err = sc__literal_cloaker_see(&how, cloak.segments, cloak.segment_count, needs.max_hops);
    }
    if (!err) err = sc_adversary_new(map, &options, &cloaker, &adversary, NULL);
    if (!err) {
        const sc_sighting sighting = {.segments = cloak.segments,
                                      .segment_count = cloak.segment_count,
                                      .strangers = &needs,
                                      .stranger_count = 1};
        err = sc_adversary_correlate(adversary, 1, &sighting, out, NULL);
    }
    sc_adversary_free(adversary);
    sc_literal_free(literal);
    sc__literal_cloaker_fini(&how);
    sc__literal_cloaker_fini(&how);
    free(others);
    return err;
}

/** By an adversary that puts others onto all roads around. */
static sc_err attack(const sc_map *map, sc_literal_method method, sc_likeness likeness,
                     sc_posterior *out, sc_seg_id own)
{
    return attack_with(map, method, SC_OTHERS_ROADS, likeness, out, own);
}

static double belief_in(const sc_posterior *posterior, sc_seg_id segment)
{
    for (size_t i = 0; i < posterior->link_count; i++) {
        if (posterior->links[i].segment == segment) return posterior->links[i].linkability;
    }
    return 0;
}

static sc_map *town(void)
{
    sketch s = sketch_grid(SC_COORDS_PLANAR, 7, 7);
    sc_map *map = sketch_map(&s);
    sketch_free(&s);
    return map;
}

// Of the segments that expansion has, few have grown into the very same ones: by exact likeness the
// own one is found out. Which of its roads sampling began with cannot be told.
static void test_expansion_to_the_letter_is_found_out_and_sampling_is_not(void **state)
{
    (void)state;
    sc_map *map = town();
    const sc_seg_id own = sc_map_segment_count(map) / 2;
    sc_posterior exact = {.links = NULL};
    sc_posterior overlap = {.links = NULL};
    sc_posterior sampled = {.links = NULL};
    CHECK_OK(attack(map, SC_LITERAL_EXPANSION, SC_LIKENESS_EXACT, &exact, own), NULL);
    CHECK_OK(attack(map, SC_LITERAL_EXPANSION, SC_LIKENESS_OVERLAP, &overlap, own), NULL);
    CHECK_OK(attack(map, SC_LITERAL_SAMPLING, SC_LIKENESS_OVERLAP, &sampled, own), NULL);
    assert_false(exact.is_unexplained);
    assert_true(belief_in(&exact, own) > 0.5);
    assert_true(exact.normalised_entropy < overlap.normalised_entropy);
    assert_true(overlap.normalised_entropy < sampled.normalised_entropy);
    assert_true(sampled.normalised_entropy > 0.97);
    sc_posterior_fini(&exact);
    sc_posterior_fini(&overlap);
    sc_posterior_fini(&sampled);
    sc_map_free(map);
}

// With the others in the cloak, an expansion from any of its segments finds k travellers only in
// all of them, so that it becomes the whole cloak again and none stands out; sampling also draws
// roads without travellers, and seldom comes back.
static void test_with_others_in_the_cloak_the_order_is_another(void **state)
{
    (void)state;
    sc_map *map = town();
    const sc_seg_id own = sc_map_segment_count(map) / 2;
    sc_posterior expanded = {.links = NULL};
    sc_posterior around = {.links = NULL};
    sc_posterior sampled = {.links = NULL};
    CHECK_OK(attack_with(map, SC_LITERAL_EXPANSION, SC_OTHERS_CLOAK, SC_LIKENESS_OVERLAP, &expanded,
                         own),
             NULL);
    CHECK_OK(
        attack_with(map, SC_LITERAL_EXPANSION, SC_OTHERS_ROADS, SC_LIKENESS_OVERLAP, &around, own),
        NULL);
    CHECK_OK(
        attack_with(map, SC_LITERAL_SAMPLING, SC_OTHERS_CLOAK, SC_LIKENESS_OVERLAP, &sampled, own),
        NULL);
    assert_true(expanded.normalised_entropy > around.normalised_entropy);
    assert_true(expanded.normalised_entropy > sampled.normalised_entropy);
    sc_posterior_fini(&expanded);
    sc_posterior_fini(&around);
    sc_posterior_fini(&sampled);
    sc_map_free(map);
}

static void test_replays_survive_the_failure_of_every_allocation(void **state)
{
    (void)state;
    sc_map *map = town();
    unsigned long failures = 0;
    FOR_EACH_FAILURE(n)
    {
        sc_posterior posterior = {.links = NULL};
        const sc_err err = attack(map, SC_LITERAL_EXPANSION, SC_LIKENESS_OVERLAP, &posterior, 20);
        const bool has_failed = oom_happened();
        sc_posterior_fini(&posterior);
        if (!has_failed) {
            CHECK_OK(err, NULL);
            break;
        }
        assert_int_equal(err, SC_ENOMEM);
        failures++;
    }
    assert_true(failures > 15);
    sc_map_free(map);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_poisson_numbers_have_their_mean_and_variance),
    cmocka_unit_test(test_expansion_to_the_letter_is_found_out_and_sampling_is_not),
    cmocka_unit_test(test_with_others_in_the_cloak_the_order_is_another),
    cmocka_unit_test(test_replays_survive_the_failure_of_every_allocation),
};
SC_SUITE(tests)
