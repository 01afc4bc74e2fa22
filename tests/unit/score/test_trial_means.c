// Means over rows, beside numbers worked out by hand.
#include "score/trial.h"

#include "support/check.h"

#include <math.h>

/** Two cloaks of one traveller, the second unexplained, and one of another. */
static const sc_trial_row rows[] = {
    {.cloak = 4,
     .seen = 1,
     .members = 4,
     .recognised = 1,
     .by_density = 3,
     .posterior = {.link_count = 4,
                   .normalised_entropy = 0.5,
                   .normalised_error = 0.03,
                   .normalised_bias = -0.01,
                   .effective = 2,
                   .ruled_out = 1,
                   .is_enumerated = true,
                   .replays = 100},
     .score = {.probability = 0.5, .rank = 1},
     .expected = 0.4},
    {.cloak = 5,
     .seen = 2,
     .members = 5,
     .recognised = 0,
     .by_density = 7,
     .posterior = {.link_count = 8,
                   .normalised_entropy = 0.9,
                   .normalised_error = 0.04,
                   .normalised_bias = 0.02,
                   .effective = 6,
                   .ruled_out = 0,
                   .is_unexplained = true,
                   .replays = 1000},
     .score = {.probability = 0.25, .rank = 2.5},
     .expected = 0.3},
    {.cloak = 6,
     .seen = 1,
     .members = 3,
     .recognised = 2,
     .by_density = 2,
     .posterior = {.link_count = 2,
                   .normalised_entropy = 0.7,
                   .normalised_error = 0,
                   .normalised_bias = -0.04,
                   .effective = 1.5,
                   .ruled_out = 1,
                   .is_enumerated = true,
                   .replays = 10},
     .score = {.probability = 0.75, .rank = 2},
     .expected = 0.6},
};

/** Rows are only read; the cast is for a list that others may change. */
static sc_trial first_rows(size_t count)
{
    return (sc_trial){.rows = (sc_trial_row *)(uintptr_t)rows, .row_count = count};
}

static void test_means_are_those_by_hand(void **state)
{
    (void)state;
    const double near = 1e-12;
    const sc_trial trial = first_rows(3);
    const sc_trial_means means = sc_trial_means_of(&trial, 0);
    assert_int_equal(means.count, 3);
    assert_int_equal(means.enumerated, 2);
    assert_int_equal(means.unexplained, 1);
    assert_int_equal(means.replays, 1110);
    CHECK_CLOSE(means.segments, 14.0 / 3, near);
    CHECK_CLOSE(means.members, 4, near);
    CHECK_CLOSE(means.recognised, 1, near);
    // From here on without the second, which is unexplained.
    assert_int_equal(means.explained, 2);
    CHECK_CLOSE(means.entropy, 0.6, near);
    // The root of (0.0009 + 0) / 2.
    CHECK_CLOSE(means.entropy_error, 0.0212132034355964, near);
    // Deviations are 0.1 and 0.1: the root of 0.02 / 1 / 2.
    CHECK_CLOSE(means.mean_error, 0.1, near);
    CHECK_CLOSE(means.bias, -0.025, near);
    CHECK_CLOSE(means.effective, 1.75, near);
    CHECK_CLOSE(means.effective_error, 0.25, near);
    CHECK_CLOSE(means.by_density, 2.5, near);
    CHECK_CLOSE(means.probability, 0.625, near);
    CHECK_CLOSE(means.probability_error, 0.125, near);
    CHECK_CLOSE(means.expected, 0.5, near);
    CHECK_CLOSE(means.by_chance, 0.375, near);
    CHECK_CLOSE(means.rank, 1.5, near);
    CHECK_CLOSE(means.ruled_out, 1, near);
}

static void test_means_of_one_number_of_cloaks_are_of_no_other(void **state)
{
    (void)state;
    const sc_trial trial = first_rows(3);
    const sc_trial_means first = sc_trial_means_of(&trial, 1);
    assert_int_equal(first.count, 2);
    CHECK_CLOSE(first.entropy, 0.6, 1e-12);
    // Deviations are 0.1 and 0.1: the root of 0.02 / 1 / 2.
    CHECK_CLOSE(first.mean_error, 0.1, 1e-12);
    CHECK_CLOSE(first.segments, 3, 1e-12);
    assert_int_equal(first.replays, 110);
    assert_int_equal(first.unexplained, 0);

    const sc_trial_means second = sc_trial_means_of(&trial, 2);
    assert_int_equal(second.count, 1);
    assert_int_equal(second.enumerated, 0);
    CHECK_CLOSE(second.segments, 8, 1e-12);
    assert_int_equal(sc_trial_most_seen(&trial), 2);
}

// Two of one cloak and one of another: deviations -2, 0 and 2 are -2 and 2 by cloak.
static void test_rows_of_one_cloak_count_together_in_errors(void **state)
{
    (void)state;
    sc_trial_row alike[3] = {{.cloak = 1, .seen = 1}, {.cloak = 1, .seen = 1}, {.cloak = 2}};
    for (size_t i = 0; i < 3; i++) {
        alike[i].posterior.link_count = 2;
        alike[i].posterior.effective = 1 + 2 * (double)i;
        alike[i].score.probability = 0.5;
    }
    sc_trial trial = {.rows = alike, .row_count = 3};
    sc_trial_means means = sc_trial_means_of(&trial, 0);
    // The root of (4 + 4) * 2 / 1, by three.
    CHECK_CLOSE(means.effective_error, 4.0 / 3, 1e-12);
    CHECK_SAME(means.probability_error, 0);
    CHECK_CLOSE(sc_trial_half_interval(1), 1.96, 1e-4);

    // Travellers, if they are followed, whatever their cloaks are.
    for (size_t i = 0; i < 3; i++) {
        alike[i].traveller = i + 1;
    }
    means = sc_trial_means_of(&trial, 0);
    CHECK_CLOSE(means.effective_error, sqrt(8.0 / 2 / 3), 1e-12);
    // Of one alone nothing can be told.
    for (size_t i = 0; i < 3; i++) {
        alike[i].traveller = 1;
    }
    means = sc_trial_means_of(&trial, 0);
    CHECK_SAME(means.effective_error, 0);
}

static void test_where_all_are_unexplained_nothing_is_believed(void **state)
{
    (void)state;
    const sc_trial trial = first_rows(3);
    const sc_trial_means means = sc_trial_means_of(&trial, 2);
    assert_int_equal(means.explained, 0);
    assert_int_equal(means.unexplained, 1);
    assert_int_equal(means.replays, 1000);
    CHECK_SAME(means.members, 5);
    const double believed[] = {means.entropy,     means.entropy_error, means.mean_error,
                               means.bias,        means.effective,     means.by_density,
                               means.probability, means.expected,      means.by_chance,
                               means.rank,        means.ruled_out};
    for (size_t i = 0; i < sizeof believed / sizeof believed[0]; i++) {
        CHECK_SAME(believed[i], 0);
    }
}

static void test_means_of_nothing_are_nothing(void **state)
{
    (void)state;
    const sc_trial none = first_rows(0);
    const sc_trial some = first_rows(3);
    const sc_trial_means zero = {.count = 0};
    const sc_trial_means means[] = {sc_trial_means_of(&none, 0), sc_trial_means_of(&some, 3)};
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(means[i].count, zero.count);
        CHECK_SAME(means[i].entropy, zero.entropy);
        CHECK_SAME(means[i].by_chance, zero.by_chance);
        CHECK_SAME(means[i].mean_error, zero.mean_error);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_means_are_those_by_hand),
    cmocka_unit_test(test_means_of_one_number_of_cloaks_are_of_no_other),
    cmocka_unit_test(test_rows_of_one_cloak_count_together_in_errors),
    cmocka_unit_test(test_where_all_are_unexplained_nothing_is_believed),
    cmocka_unit_test(test_means_of_nothing_are_nothing),
};
SC_SUITE(tests)
