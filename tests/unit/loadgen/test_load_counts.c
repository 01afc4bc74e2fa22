// Counting, putting together, and holding the service's numbers against ours.
#include "demo/loadgen/load_counts.h"

#include <stdio.h>

#include "support/check.h"

static sc_load_counts *new_counts(void)
{
    return test_take(1, sizeof(sc_load_counts));
}

static void test_ends_are_counted_with_their_reasons(void **state)
{
    (void)state;
    sc_load_counts *counts = new_counts();
    sc__load_counts_end(counts, SC_LOAD_DROPPED, 200, "expired");
    sc__load_counts_end(counts, SC_LOAD_DROPPED, 200, "expired");
    sc__load_counts_end(counts, SC_LOAD_REFUSED, 429, "rate");
    sc__load_counts_end(counts, SC_LOAD_REFUSED, 429, "pending");
    assert_int_equal(counts->ends[SC_LOAD_DROPPED], 2);
    assert_int_equal(counts->ends[SC_LOAD_REFUSED], 2);
    assert_int_equal(counts->tally_count, 3);
    assert_int_equal(counts->tallies[0].count, 2);
    assert_string_equal(counts->tallies[2].word, "pending");
    free(counts);
}

// A service may invent words without end; the table has room for some, and no count is lost.
static void test_more_words_than_there_is_room_for_are_counted_together(void **state)
{
    (void)state;
    sc_load_counts *counts = new_counts();
    uint64_t sum = 0;
    for (int i = 0; i < 1000; i++) {
        char word[64];
        snprintf(word, sizeof(word), "a-word-that-is-longer-than-any-of-ours-%d", i % 200);
        word[i % 40] = (char)('a' + i % 26);
        sc__load_counts_end(counts, SC_LOAD_REFUSED, 400 + i % 7, word);
    }
    assert_int_equal(counts->tally_count, SC_LOAD_TALLIES);
    for (size_t i = 0; i < counts->tally_count; i++) {
        sum += counts->tallies[i].count;
    }
    assert_int_equal(sum, 1000);
    free(counts);
}

static void test_only_outcomes_are_measured(void **state)
{
    (void)state;
    sc_load_counts *counts = new_counts();
    sc_reply_check *check = test_take(1, sizeof(*check));
    *check = (sc_reply_check){.end = SC_LOAD_ANSWERED, .wait_s = 0.001, .users = 6, .segments = 9};
    sc__load_counts_measure(counts, check, 1250);
    // Told rounded, the wait may exceed the latency.
    sc__load_counts_measure(counts, check, 900);
    check->end = SC_LOAD_DROPPED;
    sc__load_counts_measure(counts, check, 2000);
    check->end = SC_LOAD_REFUSED;
    sc__load_counts_measure(counts, check, 3000);
    assert_int_equal(counts->replies, 3);
    assert_int_equal(counts->latency_us.count, 3);
    assert_int_equal(counts->latency_us.max, 2000);
    assert_int_equal(counts->beyond_us.count, 2);
    assert_int_equal(counts->beyond_us.max, 250);
    assert_int_equal(counts->beyond_us.counts[0], 1);
    assert_int_equal(counts->users.max, 6);
    free(check);
    free(counts);
}

static void test_counts_of_two_groups_are_added(void **state)
{
    (void)state;
    sc_load_counts *a = new_counts();
    sc_load_counts *b = new_counts();
    a->asked = 3;
    b->asked = 4;
    sc__load_counts_end(a, SC_LOAD_DROPPED, 200, "expired");
    sc__load_counts_end(b, SC_LOAD_DROPPED, 200, "expired");
    sc__load_counts_end(b, SC_LOAD_LOST, 0, "lost");
    for (int i = 0; i < SC_LOAD_SHOWN; i++) {
        sc__load_counts_violate(a, SC_VIOLATION_LATE, "late %d", i);
        sc__load_counts_violate(b, SC_VIOLATION_LOST_QUERY, "lost %d", i);
    }
    sc__load_counts_merge(a, b);
    assert_int_equal(a->asked, 7);
    assert_int_equal(a->tally_count, 2);
    assert_int_equal(a->tallies[0].count, 2);
    assert_int_equal(a->violations[SC_VIOLATION_LATE], SC_LOAD_SHOWN);
    assert_int_equal(a->violations[SC_VIOLATION_LOST_QUERY], SC_LOAD_SHOWN);
    assert_int_equal(a->shown_count, SC_LOAD_SHOWN);
    free(a);
    free(b);
}

/** Hold numbers against counts in which 10 were answered, 4 dropped, 2 failed, and `left` left. */
static sc_load_counts *hold(sc_service_counts after, uint64_t left)
{
    const sc_service_counts before = {.answered = 100, .dropped = 50, .taken = 150};
    sc_load_counts *counts = new_counts();
    counts->ends[SC_LOAD_ANSWERED] = 10;
    counts->ends[SC_LOAD_DROPPED] = 4;
    counts->ends[SC_LOAD_FAILED] = 2;
    counts->ends[SC_LOAD_LEFT] = left;
    after.has_pending = true;
    sc__load_counts_compare(counts, &before, &after);
    return counts;
}

static void check_held(sc_service_counts after, uint64_t left, sc_violation violation,
                       const char *part)
{
    sc_load_counts *counts = hold(after, left);
    assert_true(counts->violations[violation] > 0);
    bool is_told = false;
    for (size_t i = 0; i < counts->shown_count; i++) {
        is_told |= strstr(counts->shown[i].text, part) != NULL;
    }
    assert_true(is_told);
    free(counts);
}

static void test_counts_that_agree_are_fine(void **state)
{
    (void)state;
    sc_load_counts *counts =
        hold((sc_service_counts){.taken = 166, .answered = 110, .dropped = 54, .failed = 2}, 0);
    assert_int_equal(counts->shown_count, 0);
    free(counts);
    // Of three who left, one was gone, one was answered, and one had never been heard.
    counts = hold(
        (sc_service_counts){.taken = 168, .answered = 111, .dropped = 54, .failed = 2, .gone = 1},
        3);
    assert_int_equal(counts->shown_count, 0);
    free(counts);
}

static void test_counts_that_do_not_agree_are_a_violation(void **state)
{
    (void)state;
    const sc_violation counts = SC_VIOLATION_MISCOUNT;
    check_held((sc_service_counts){.answered = 109, .dropped = 54, .failed = 2}, 3, counts,
               "answered: the service counts 9, but 10 were seen here");
    check_held((sc_service_counts){.answered = 111, .dropped = 54, .failed = 2}, 0, counts,
               "answered: the service counts 11");
    check_held((sc_service_counts){.answered = 110, .dropped = 55, .failed = 2}, 0, counts,
               "dropped");
    check_held((sc_service_counts){.answered = 110, .dropped = 54, .failed = 0}, 0, counts,
               "failed");
    check_held((sc_service_counts){.answered = 110, .dropped = 54, .failed = 2, .gone = 1}, 0,
               counts, "gone");
    check_held((sc_service_counts){.answered = 112, .dropped = 56, .failed = 2}, 2, counts,
               "all outcomes");
    check_held((sc_service_counts){.answered = 110, .dropped = 54, .failed = 2, .pending = 3}, 0,
               counts, "3 queries are still");
    check_held((sc_service_counts){.taken = 167, .answered = 110, .dropped = 54, .failed = 2}, 0,
               counts, "accepted 167");
    check_held((sc_service_counts){.answered = 110, .dropped = 54, .failed = 2, .violations = 2}, 0,
               SC_VIOLATION_BROKEN_PROMISE, "2 cloaks");
}

/** So many queries ended so, and that was all; what is said of it, or "" if nothing is. */
static void check_wanted(const sc_load_tally *ended, size_t count, const char *said)
{
    sc_load_counts *counts = new_counts();
    for (size_t i = 0; i < count; i++) {
        for (uint64_t n = 0; n < ended[i].count; n++) {
            counts->asked++;
            sc__load_counts_end(counts, ended[i].end, ended[i].status, ended[i].word);
        }
    }
    sc__load_counts_want_outcome(counts);
    const unsigned blamed = said[0] != '\0';
    assert_int_equal(counts->violations[SC_VIOLATION_NO_OUTCOME], blamed);
    assert_int_equal(counts->shown_count, blamed);
    assert_string_equal(counts->shown[0].text, said);
    free(counts);
}

static void test_a_run_without_any_outcome_is_a_violation(void **state)
{
    (void)state;
    const sc_load_tally odd = {.end = SC_LOAD_REFUSED, .status = 429, .word = "rate", .count = 1};
    const sc_load_tally key = {.end = SC_LOAD_REFUSED, .status = 401, .word = "token", .count = 3};
    const sc_load_tally left = {.end = SC_LOAD_LEFT, .word = "closed", .count = 2};
    check_wanted(&key, 1,
                 "no query was accepted: 3 refused with 401 token; check that the key file is that "
                 "of the service");
    check_wanted(&odd, 1, "no query was accepted: 1 refused with 429 rate");
    const sc_load_tally mixed[] = {left, odd, key};
    check_wanted(mixed, 3,
                 "no query was accepted: 3 refused with 401 token; check that the key file is that "
                 "of the service");
    check_wanted(&left, 1, "the run ended before any of 2 queries had an outcome");
}

static void test_a_run_with_an_outcome_or_without_queries_is_none(void **state)
{
    (void)state;
    static const sc_load_end ends[] = {SC_LOAD_ANSWERED, SC_LOAD_DROPPED, SC_LOAD_FAILED,
                                       SC_LOAD_LOST, SC_LOAD_UNSENT};
    check_wanted(NULL, 0, "");
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        const sc_load_tally both[] = {
            {.end = SC_LOAD_REFUSED, .status = 401, .word = "token", .count = 3},
            {.end = ends[i], .status = 200, .count = 1},
        };
        check_wanted(both, 2, "");
    }
}

static void test_every_end_and_violation_has_a_name(void **state)
{
    (void)state;
    for (unsigned i = 0; i < SC_LOAD_END_COUNT; i++) {
        assert_string_not_equal(sc_load_end_name((sc_load_end)i), "unknown");
    }
    for (unsigned i = 0; i < SC_VIOLATION_COUNT; i++) {
        assert_string_not_equal(sc_violation_name((sc_violation)i), "unknown");
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_ends_are_counted_with_their_reasons),
    cmocka_unit_test(test_more_words_than_there_is_room_for_are_counted_together),
    cmocka_unit_test(test_only_outcomes_are_measured),
    cmocka_unit_test(test_counts_of_two_groups_are_added),
    cmocka_unit_test(test_counts_that_agree_are_fine),
    cmocka_unit_test(test_counts_that_do_not_agree_are_a_violation),
    cmocka_unit_test(test_a_run_without_any_outcome_is_a_violation),
    cmocka_unit_test(test_a_run_with_an_outcome_or_without_queries_is_none),
    cmocka_unit_test(test_every_end_and_violation_has_a_name),
};
SC_SUITE(tests)
