/**
 * @file same_trial.h
 * @brief Trials that must have come to the same, bit for bit.
 */
#ifndef SC_TESTS_UNIT_SCORE_SAME_TRIAL_H
#define SC_TESTS_UNIT_SCORE_SAME_TRIAL_H

#include "score/trial.h"
#include "support/check.h"

static inline void check_same_posterior(const sc_posterior *got, const sc_posterior *wanted)
{
    assert_int_equal(got->link_count, wanted->link_count);
    for (size_t i = 0; i < wanted->link_count; i++) {
        assert_int_equal(got->links[i].segment, wanted->links[i].segment);
        CHECK_SAME(got->links[i].linkability, wanted->links[i].linkability);
        CHECK_SAME(got->links[i].error, wanted->links[i].error);
    }
    CHECK_SAME(got->entropy, wanted->entropy);
    CHECK_SAME(got->normalised_entropy, wanted->normalised_entropy);
    CHECK_SAME(got->normalised_error, wanted->normalised_error);
    CHECK_SAME(got->normalised_bias, wanted->normalised_bias);
    CHECK_SAME(got->effective, wanted->effective);
    assert_int_equal(got->ruled_out, wanted->ruled_out);
    assert_int_equal(got->is_enumerated, wanted->is_enumerated);
    assert_int_equal(got->placements, wanted->placements);
    assert_int_equal(got->replays, wanted->replays);
    assert_int_equal(got->fruitful, wanted->fruitful);
    assert_int_equal(got->is_unexplained, wanted->is_unexplained);
}

static inline void check_same_row(const sc_trial_row *got, const sc_trial_row *wanted)
{
    assert_int_equal(got->cloak, wanted->cloak);
    assert_int_equal(got->traveller, wanted->traveller);
    assert_int_equal(got->seen, wanted->seen);
    assert_int_equal(got->members, wanted->members);
    assert_int_equal(got->recognised, wanted->recognised);
    assert_int_equal(got->l, wanted->l);
    assert_int_equal(got->possible, wanted->possible);
    CHECK_SAME(got->bound, wanted->bound);
    CHECK_SAME(got->by_density, wanted->by_density);
    CHECK_SAME(got->score.probability, wanted->score.probability);
    CHECK_SAME(got->score.rank, wanted->score.rank);
    CHECK_SAME(got->expected, wanted->expected);
    check_same_posterior(&got->posterior, &wanted->posterior);
}

static inline void check_same_trial(const sc_trial *got, const sc_trial *wanted)
{
    assert_int_equal(got->choice, wanted->choice);
    assert_int_equal(got->victims, wanted->victims);
    assert_int_equal(got->passed_over, wanted->passed_over);
    assert_int_equal(got->row_count, wanted->row_count);
    for (size_t i = 0; i < wanted->row_count; i++) {
        check_same_row(&got->rows[i], &wanted->rows[i]);
    }
}

#endif
