/**
 * @file same_cases.h
 * @brief Cases that must be the same.
 */
#ifndef SC_TESTS_UNIT_SCORE_SAME_CASES_H
#define SC_TESTS_UNIT_SCORE_SAME_CASES_H

#include "score/cases.h"

#include "support/check.h"

static inline void check_same_member(const sc_case_member *got, const sc_case_member *wanted)
{
    assert_int_equal(got->needs.k, wanted->needs.k);
    assert_int_equal(got->needs.l, wanted->needs.l);
    assert_int_equal(got->needs.max_hops, wanted->needs.max_hops);
    assert_int_equal(got->needs.result_size, wanted->needs.result_size);
    assert_int_equal(got->asked, wanted->asked);
    assert_int_equal(got->max_wait_us, wanted->max_wait_us);
    assert_int_equal(got->is_injected, wanted->is_injected);
    assert_int_equal(got->segment, wanted->segment);
    assert_true(got->user == wanted->user);
}

static inline void check_same_case(const sc_case *got, const sc_case *wanted)
{
    assert_int_equal(got->number, wanted->number);
    assert_int_equal(got->t, wanted->t);
    assert_int_equal(got->segment_count, wanted->segment_count);
    assert_memory_equal(got->segments, wanted->segments,
                        got->segment_count * sizeof *got->segments);
    assert_int_equal(got->star_count, wanted->star_count);
    for (size_t i = 0; i < wanted->star_count; i++) {
        assert_int_equal(got->stars[i], wanted->stars[i]);
    }
    assert_int_equal(got->member_count, wanted->member_count);
    for (size_t i = 0; i < wanted->member_count; i++) {
        check_same_member(&got->members[i], &wanted->members[i]);
    }
}

static inline void check_same_cases(const sc_cases *got, const sc_cases *wanted)
{
    assert_int_equal(got->count, wanted->count);
    for (size_t i = 0; i < got->count; i++) {
        const sc_case left = sc_cases_at(got, i);
        const sc_case right = sc_cases_at(wanted, i);
        check_same_case(&left, &right);
    }
}

#endif
