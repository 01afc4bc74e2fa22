// What the adversary believes: that two ways to the same number agree, and that cloakers whose
// secrets are known by construction are seen through as far as they can be, and no further.
#include <starcloak/attack.h>

#include "sighted.h"

#include <math.h>

// --- Two ways to the same number -------------------------------------------------------

/** Both are within 4.5 standard errors of each other: in some thousand numbers none is farther off
 * by chance. What is rarer than one in a thousand may not have been seen at all. */
static void check_agree(double a, double a_error, double b, double b_error)
{
    CHECK_CLOSE(a, b, 4.5 * sqrt(a_error * a_error + b_error * b_error) + 1e-3);
}

static void check_posteriors_agree(const sc_posterior *a, const sc_posterior *b)
{
    assert_int_equal(a->link_count, b->link_count);
    for (size_t i = 0; i < a->link_count; i++) {
        check_agree(a->links[i].linkability, a->links[i].error, b->links[i].linkability,
                    b->links[i].error);
    }
    check_agree(a->normalised_entropy - a->normalised_bias, a->normalised_error,
                b->normalised_entropy - b->normalised_bias, b->normalised_error);
}

/** A density that differs by up to six times. */
static sc_density *uneven_density(const sc_map *map, uint64_t seed)
{
    sc_rng rng;
    sc_rng_seed(&rng, seed);
    uint64_t *counts = test_take(sc_map_segment_count(map), sizeof *counts);
    for (uint32_t i = 0; i < sc_map_segment_count(map); i++) {
        counts[i] = sc_rng_below(&rng, 6);
    }
    sc_density *density = NULL;
    CHECK_OK(sc_density_new_counted(map, counts, &density), NULL);
    free(counts);
    return density;
}

static void test_enumerated_and_drawn_placements_tell_the_same(void **state)
{
    (void)state;
    enum { CASES = 3 * SC_VARIANT_COUNT };
    for (uint64_t seed = 0; seed < CASES; seed++) {
        check_case(seed);
        sc_adversary_options options = sighted_options((sc_variant)(seed % SC_VARIANT_COUNT));
        options.runs = 16;
        options.samples = 6400;
        sighted s;
        sighted_new(&s, &options.engine, 1000 + 100 * seed);
        // With as many strangers as that there are few placements; the others are injected.
        sc_sighting sighting = s.sighting;
        sc_injected injected[SIGHTED_MEMBERS];
        sighting.injected = injected;
        while (sighting.stranger_count > 2) {
            const size_t last = --sighting.stranger_count;
            injected[sighting.injected_count++] =
                (sc_injected){.segment = s.segments[last], .needs = s.needs[last]};
        }
        sc_density *density = seed % 3 > 0 ? uneven_density(s.map, seed) : NULL;
        options.density = density;
        sc_adversary *adversary = adversary_on(s.map, &options);
        sc_posterior enumerated = correlate(adversary, seed, &sighting);
        assert_true(enumerated.is_enumerated);
        sc_adversary_free(adversary);
        options.max_placements = 0;
        adversary = adversary_on(s.map, &options);
        sc_posterior drawn = correlate(adversary, seed, &sighting);
        assert_false(drawn.is_enumerated);
        sc_adversary_free(adversary);
        check_posteriors_agree(&enumerated, &drawn);
        sc_posterior_fini(&enumerated);
        sc_posterior_fini(&drawn);
        sc_density_free(density);
        sighted_free(&s);
    }
    check_case_done();
}

static void test_a_lone_stranger_of_k_1_is_replayed_alike_by_both_attacks(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < SC_VARIANT_COUNT; seed++) {
        check_case(seed);
        sc_adversary_options options = sighted_options((sc_variant)seed);
        options.runs = 300;
        options.samples = 6400;
        sighted s;
        sighted_new(&s, &options.engine, 100 * seed);
        const sc_needs needs = {.k = 1, .l = 4, .max_hops = 3};
        const sc_sighting sighting = {s.segments, s.sighting.segment_count, &needs, 1, NULL, 0};
        sc_adversary *adversary = adversary_on(s.map, &options);
        sc_posterior alone = replay(adversary, seed, &sighting);
        sc_posterior correlated = correlate(adversary, seed, &sighting);
        check_posteriors_agree(&alone, &correlated);
        sc_posterior_fini(&alone);
        sc_posterior_fini(&correlated);
        sc_adversary_free(adversary);
        sighted_free(&s);
    }
    check_case_done();
}

// --- Cloakers that are known -------------------------------------------------------------

/** What a made-up cloaker cloaks every query with, wherever it is. */
typedef struct fixed_cloak {
    const sc_seg_id *segments;
    size_t segment_count;
    bool is_own_segment;  ///< no: everybody is given nothing but their own segment
} fixed_cloak;

static sc_err open_fixed(void *context, const sc_map *map, sc_rng *rng, void **opened,
                         sc_diag *diag)
{
    (void)map;
    (void)rng;
    (void)diag;
    *opened = context;
    return SC_OK;
}

static sc_err replay_fixed(void *opened, const sc_query *queries, size_t count,
                           sc_replayed *replayed)
{
    const fixed_cloak *fixed = opened;
    size_t members[SIGHTED_MEMBERS];
    assert_true(count <= SIGHTED_MEMBERS);
    for (size_t i = 0; i < count; i++) {
        members[i] = i;
        if (fixed->is_own_segment) sc_replayed_add(replayed, &queries[i].segment, 1, &i, 1);
    }
    if (fixed->segment_count > 0) {
        sc_replayed_add(replayed, fixed->segments, fixed->segment_count, members, count);
    }
    return SC_OK;
}

static void close_fixed(void *opened)
{
    (void)opened;
}

static sc_adversary *adversary_of(const sc_map *map, const sc_adversary_options *options,
                                  fixed_cloak *fixed)
{
    const sc_cloaker cloaker = {fixed, open_fixed, replay_fixed, close_fixed};
    sc_adversary *adversary = NULL;
    CHECK_OK(sc_adversary_new(map, options, &cloaker, &adversary, NULL), NULL);
    return adversary;
}

/** Linkabilities are the density's shares of S. */
static void check_is_density(const sc_posterior *posterior, const sc_density *density,
                             double tolerance)
{
    double sum = 0;
    for (size_t i = 0; i < posterior->link_count; i++) {
        sum += sc_density_weight(density, posterior->links[i].segment);
    }
    for (size_t i = 0; i < posterior->link_count; i++) {
        const double share = sc_density_weight(density, posterior->links[i].segment) / sum;
        CHECK_CLOSE(posterior->links[i].linkability, share,
                    tolerance + 4.5 * posterior->links[i].error);
    }
}

static void test_of_a_perfect_cloaker_nothing_is_learnt_but_the_density(void **state)
{
    (void)state;
    for (sc_likeness likeness = SC_LIKENESS_OVERLAP; likeness <= SC_LIKENESS_EXACT; likeness++) {
        sc_adversary_options options = sighted_options(SC_VARIANT_BASIC);
        sighted s;
        sighted_new(&s, &options.engine, 0);
        sc_density *density = uneven_density(s.map, 1);
        options.density = density;
        options.likeness = likeness;
        fixed_cloak perfect = {.segments = s.segments, .segment_count = s.sighting.segment_count};
        sc_adversary *adversary = adversary_of(s.map, &options, &perfect);
        sc_posterior posterior = correlate(adversary, 1, &s.sighting);
        check_is_density(&posterior, density, 1e-12);
        assert_int_equal(posterior.fruitful, posterior.replays);
        sc_posterior_fini(&posterior);
        posterior = replay(adversary, 1, &s.sighting);
        check_is_density(&posterior, density, 1e-12);
        sc_posterior_fini(&posterior);
        sc_adversary_free(adversary);

        options.max_placements = 0;
        adversary = adversary_of(s.map, &options, &perfect);
        posterior = correlate(adversary, 1, &s.sighting);
        check_is_density(&posterior, density, 0);
        sc_posterior_fini(&posterior);
        sc_adversary_free(adversary);
        sc_density_free(density);
        sighted_free(&s);
    }
}

static void test_what_never_comes_about_is_unexplained_and_the_density_stands(void **state)
{
    (void)state;
    sc_adversary_options options = sighted_options(SC_VARIANT_BASIC);
    sighted s;
    sighted_new(&s, &options.engine, 0);
    sc_density *density = uneven_density(s.map, 2);
    fixed_cloak nothing = {.segment_count = 0};
    for (int turn = 0; turn < 2; turn++) {
        options.density = turn == 0 ? density : NULL;
        sc_adversary *adversary = adversary_of(s.map, &options, &nothing);
        sc_posterior posterior = correlate(adversary, 1, &s.sighting);
        assert_true(posterior.is_unexplained);
        assert_int_equal(posterior.fruitful, 0);
        assert_int_equal(posterior.ruled_out, 0);
        if (turn == 0) check_is_density(&posterior, density, 1e-12);
        if (turn == 1) CHECK_CLOSE(posterior.normalised_entropy, 1.0, 1e-12);
        sc_posterior_fini(&posterior);
        sc_adversary_free(adversary);
    }
    sc_density_free(density);
    sighted_free(&s);
}

static void test_needs_that_so_few_cannot_meet_are_unexplained(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < SC_VARIANT_COUNT; seed++) {
        const sc_adversary_options options = sighted_options((sc_variant)seed);
        sighted s;
        sighted_new(&s, &options.engine, 100 * seed);
        for (size_t i = 0; i < s.sighting.stranger_count; i++) {
            s.needs[i].k = (uint32_t)s.sighting.stranger_count + 1;
        }
        sc_adversary *adversary = adversary_on(s.map, &options);
        sc_posterior posterior = correlate(adversary, 1, &s.sighting);
        assert_true(posterior.is_unexplained);
        sc_posterior_fini(&posterior);
        sc_adversary_free(adversary);
        sighted_free(&s);
    }
}

static void test_a_cloaker_that_gives_the_own_segment_away_rules_all_others_out(void **state)
{
    (void)state;
    sc_adversary_options options = sighted_options(SC_VARIANT_BASIC);
    options.likeness = SC_LIKENESS_EXACT;
    sighted s;
    sighted_new(&s, &options.engine, 0);
    // What was seen is one segment; the stranger may be on two more, for all that is known before.
    fixed_cloak leaky = {.is_own_segment = true};
    const sc_needs needs = {1, 1, 1, 0};
    sc_adversary *adversary = adversary_of(s.map, &options, &leaky);
    const sc_sighting one = {s.segments, 1, &needs, 1, NULL, 0};
    sc_posterior posterior = correlate(adversary, 1, &one);
    CHECK_SAME(posterior.links[0].linkability, 1.0);
    CHECK_SAME(posterior.normalised_entropy, 0.0);
    sc_posterior_fini(&posterior);
    // S of three segments is never the own one alone.
    const sc_sighting three = {s.segments, 3, &needs, 1, NULL, 0};
    posterior = correlate(adversary, 1, &three);
    assert_true(posterior.is_unexplained);
    sc_posterior_fini(&posterior);
    sc_adversary_free(adversary);
    sighted_free(&s);
}

/** Cloaks with S a query that is together with the adversary's own: on its segment. */
static sc_err replay_with_own(void *opened, const sc_query *queries, size_t count,
                              sc_replayed *replayed)
{
    const fixed_cloak *fixed = opened;
    size_t own = count;
    for (size_t i = 0; i < count; i++) {
        if (queries[i].k == 77) own = i;
    }
    // It stands where it was put, in every replay.
    assert_true(own < count);
    assert_int_equal(queries[own].segment, fixed->segments[1]);
    size_t members[SIGHTED_MEMBERS];
    size_t member_count = 0;
    for (size_t i = 0; i < count; i++) {
        if (queries[i].segment == queries[own].segment) members[member_count++] = i;
    }
    sc_replayed_add(replayed, fixed->segments, fixed->segment_count, members, member_count);
    return SC_OK;
}

static void test_an_injected_query_stands_where_it_was_put(void **state)
{
    (void)state;
    for (int is_drawn = 0; is_drawn < 2; is_drawn++) {
        sc_adversary_options options = sighted_options(SC_VARIANT_BASIC);
        if (is_drawn) options.max_placements = 0;
        sighted s;
        sighted_new(&s, &options.engine, 0);
        fixed_cloak fixed = {.segments = s.segments, .segment_count = s.sighting.segment_count};
        const sc_cloaker cloaker = {&fixed, open_fixed, replay_with_own, close_fixed};
        const sc_injected own = {.segment = s.segments[1], .needs = {77, 1, 1, 0}};
        const sc_sighting sighting = {s.segments, fixed.segment_count, s.needs, 2, &own, 1};
        sc_adversary *adversary = NULL;
        CHECK_OK(sc_adversary_new(s.map, &options, &cloaker, &adversary, NULL), NULL);
        sc_posterior posterior = correlate(adversary, 1, &sighting);
        CHECK_SAME(posterior.links[1].linkability, 1.0);
        assert_int_equal(posterior.ruled_out, fixed.segment_count - 1);
        sc_posterior_fini(&posterior);
        sc_adversary_free(adversary);
        sighted_free(&s);
    }
}

static const struct CMUnitTest tests[] = {
    SC_CASES(test_enumerated_and_drawn_placements_tell_the_same),
    SC_CASES(test_a_lone_stranger_of_k_1_is_replayed_alike_by_both_attacks),
    cmocka_unit_test(test_of_a_perfect_cloaker_nothing_is_learnt_but_the_density),
    cmocka_unit_test(test_what_never_comes_about_is_unexplained_and_the_density_stands),
    cmocka_unit_test(test_needs_that_so_few_cannot_meet_are_unexplained),
    cmocka_unit_test(test_a_cloaker_that_gives_the_own_segment_away_rules_all_others_out),
    cmocka_unit_test(test_an_injected_query_stands_where_it_was_put),
};
SC_SUITE(tests)
