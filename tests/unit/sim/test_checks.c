// Answers compared with a plain search: which of them, and what is noticed.
#include "support/check.h"
#include "support/made_record.h"

#include "sim/evaluate_internal.h"

static sc_map *map;
static sc_objects *objects;
static sc_lbs *lbs;

static int open_map(void **state)
{
    (void)state;
    const sc_lbs_options options = sc_lbs_options_default();
    map = made_town();
    if (sc_objects_new_from_map(map, &objects)) return 1;
    return sc_lbs_new(map, &options, &lbs, NULL) ? 1 : 0;
}

static int close_map(void **state)
{
    (void)state;
    sc_lbs_free(lbs);
    sc_objects_release(objects);
    sc_map_free(map);
    return 0;
}

/** Shown to a check instead of an answer: too far, too few, too many. */
typedef enum flaw {
    FLAW_NONE,
    FLAW_MILLIMETRE,  // a little less than that
    FLAW_FAR,
    FLAW_FEWER,
    FLAW_MORE,
} flaw;

// The answer to "the three nearest of the middle of edge 0", told for line `line`.
static void add(sc_checks *checks, uint64_t line, flaw wrong)
{
    enum { K = 3 };
    const sc_request request = {.type = SC_REQUEST_KNN, .k = K};
    const double middle_m = sc_map_edge_length_m(map, 0) / 2;
    const sc_near *nearest = NULL;
    size_t count = 0;
    sc_diag diag = {""};
    CHECK_OK(sc_lbs_nearest(lbs, objects, &(sc_near_query){{.offset_m = middle_m}, &request},
                            &nearest, &count, &diag),
             &diag);
    assert_int_equal(count, K);
    sc_near answer[K + 1] = {nearest[0], nearest[1], nearest[2], nearest[2]};
    if (wrong == FLAW_MILLIMETRE) answer[1].distance_m += 0.0009;
    if (wrong == FLAW_FAR) answer[1].distance_m += 0.0011;
    if (wrong == FLAW_FEWER) count--;
    if (wrong == FLAW_MORE) count++;
    const sc_check check = {
        .edge = 0, .offset_m = middle_m, .request = request, .line = line, .count = count};
    CHECK_OK(sc_checks_add(checks, check, answer, &diag), &diag);
}

static void test_an_answer_that_is_not_that_of_a_plain_search_is_noticed(void **state)
{
    (void)state;
    static const struct {
        flaw flaw;
        uint64_t wrong;
    } cases[] = {
        {FLAW_NONE, 0}, {FLAW_MILLIMETRE, 0}, {FLAW_FAR, 1}, {FLAW_FEWER, 1}, {FLAW_MORE, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        check_case(i);
        sc_checks checks = {.lbs = lbs, .objects = objects, .wanted = UINT64_MAX};
        add(&checks, 1, FLAW_NONE);
        add(&checks, 17, cases[i].flaw);
        add(&checks, 18, cases[i].flaw);
        CHECK_OK(sc_checks_finish(&checks, NULL), NULL);
        assert_int_equal(checks.checked, 3);
        assert_int_equal(checks.wrong, 2 * cases[i].wrong);
        assert_int_equal(checks.first_wrong, 17 * cases[i].wrong);
        sc_checks_fini(&checks);
        sc_checks_fini(&checks);
    }
    check_case_done();
}

static void test_all_are_compared_if_all_are_wanted(void **state)
{
    (void)state;
    sc_checks checks = {.lbs = lbs, .objects = objects, .wanted = UINT64_MAX};
    for (uint64_t i = 0; i < 2500; i++) {
        add(&checks, i, i % 100 == 99 ? FLAW_FAR : FLAW_NONE);
        assert_true(checks.kept_count < 1024);  // in little memory
    }
    CHECK_OK(sc_checks_finish(&checks, NULL), NULL);
    assert_int_equal(checks.checked, 2500);
    assert_int_equal(checks.wrong, 25);
    assert_int_equal(checks.first_wrong, 99);
    sc_checks_fini(&checks);
}

static void test_none_are_compared_if_none_are_wanted(void **state)
{
    (void)state;
    sc_checks checks = {.lbs = lbs, .objects = objects};
    add(&checks, 1, FLAW_FAR);
    CHECK_OK(sc_checks_finish(&checks, NULL), NULL);
    assert_int_equal(checks.checked, 0);
    sc_checks_fini(&checks);
}

// Whatever the number of answers: so many as wanted, or all, and no two far from each other.
static void test_a_few_are_spread_evenly(void **state)
{
    (void)state;
    for (uint64_t wanted = 1; wanted <= 9; wanted += 2) {
        for (uint64_t total = 0; total < 70; total++) {
            check_case(wanted * 1000 + total);
            sc_checks checks = {.lbs = lbs, .objects = objects, .wanted = wanted};
            for (uint64_t i = 0; i < total; i++) {
                add(&checks, i, FLAW_NONE);
                assert_true(checks.kept_count <= 2 * wanted);
            }
            // Before they are compared they can be looked at.
            const size_t kept = checks.kept_count;
            assert_true(kept >= (total < wanted ? total : wanted));
            for (size_t i = 0; i < kept; i++) {
                assert_int_equal(checks.kept[i].line, i * checks.stride);
            }
            if (total > 0) assert_true(kept * checks.stride + checks.stride > total - 1);
            CHECK_OK(sc_checks_finish(&checks, NULL), NULL);
            assert_int_equal(checks.checked, total < wanted ? total : wanted);
            assert_int_equal(checks.wrong, 0);
            sc_checks_fini(&checks);
        }
    }
    check_case_done();
}

static const struct CMUnitTest tests[] = {
    SC_CASES(test_an_answer_that_is_not_that_of_a_plain_search_is_noticed),
    cmocka_unit_test(test_all_are_compared_if_all_are_wanted),
    cmocka_unit_test(test_none_are_compared_if_none_are_wanted),
    SC_CASES(test_a_few_are_spread_evenly),
};
SC_SUITE_WITH(tests, open_map, close_map)
