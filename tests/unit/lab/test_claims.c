// Claims that hold, that are contradicted, and that cannot be told.
#include "judged.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void test_all_claims_hold_where_all_is_as_the_paper_says(void **state)
{
    (void)state;
    judged j;
    judged_init(&j);
    made_results_fill(&j.made, as_the_paper_says);
    judge(&j);
    for (size_t i = 0; i < j.claims.count; i++) {
        check_verdict(&j.claims.all[i], SC_LAB_HOLDS);
        assert_true(strlen(j.claims.all[i].found) > 20);
        assert_true(j.claims.all[i].agreeing_count <= j.claims.all[i].point_count);
    }
    // 104 on a map with objects, 78 on one without, 4 about both.
    assert_int_equal(j.claims.count, 104 + 78 + 4);
    assert_int_equal(j.claims.by_verdict[SC_LAB_HOLDS], j.claims.count);
    for (size_t number = 0; number < SC_LAB_PAPER_CLAIMS; number++) {
        assert_int_equal(sc__paper_claim_verdict(&j.claims, number, SC_LAB_READING_SHARED),
                         SC_LAB_HOLDS);
    }
    judged_fini(&j);
}

static void test_they_hold_with_one_seed_too(void **state)
{
    (void)state;
    judged j;
    judged_init(&j);
    j.made.options.seed_count = 1;
    made_results_fill(&j.made, as_the_paper_says);
    judge(&j);
    for (size_t i = 0; i < j.claims.count; i++) {
        check_verdict(&j.claims.all[i], SC_LAB_HOLDS);
    }
    judged_fini(&j);
}

// --- As wholes ---------------------------------------------------------------------------

static void test_a_claim_of_the_paper_holds_if_all_that_can_be_told_of_it_does(void **state)
{
    (void)state;
    judged j;
    judged_init(&j);
    // Without bounded, a part of the sixth claim cannot be told.
    j.made.options.methods &= ~(1U << SC_LAB_BOUNDED);
    // And of the seventh nothing, since no figure of it is asked for.
    j.made.options.figures[SC_LAB_CANDIDATES] = 0;
    made_results_fill(&j.made, as_the_paper_says);
    // One statement on one map, for one method, is enough for the first to hold only mostly.
    for (size_t i = 0; i < j.made.results.count; i++) {
        sc_lab_result *r = &j.made.all[i];
        if (r->point.map != COUNTRY) continue;
        r->by_method[SC_LAB_STRICT].cloaked -= 3000;
    }
    judge(&j);
    assert_int_equal(sc__paper_claim_verdict(&j.claims, 0, SC_LAB_READING_SHARED),
                     SC_LAB_MOSTLY_HOLDS);
    assert_int_equal(sc__paper_claim_verdict(&j.claims, 5, SC_LAB_READING_SHARED), SC_LAB_HOLDS);
    assert_int_equal(sc__paper_claim_verdict(&j.claims, 6, SC_LAB_READING_SHARED), SC_LAB_UNTOLD);
    const sc_lab_verdicts town =
        sc__paper_claim_verdicts(&j.claims, 0, SC_LAB_READING_SHARED, TOWN);
    // 1a, 1b for both settings of bounded, 1c for four variants.
    assert_int_equal(town.by_verdict[SC_LAB_HOLDS], 5);
    assert_int_equal(town.by_verdict[SC_LAB_FAILS], 0);
    assert_int_equal(town.by_verdict[SC_LAB_UNTOLD], 2);
    const sc_lab_verdicts country =
        sc__paper_claim_verdicts(&j.claims, 0, SC_LAB_READING_SHARED, COUNTRY);
    assert_int_equal(country.by_verdict[SC_LAB_HOLDS], 4);
    assert_int_equal(country.by_verdict[SC_LAB_FAILS], 1);
    const sc_lab_verdicts wholes = sc__paper_claims_by_verdict(&j.claims, SC_LAB_READING_SHARED);
    assert_int_equal(wholes.by_verdict[SC_LAB_HOLDS], 6);
    assert_int_equal(wholes.by_verdict[SC_LAB_MOSTLY_HOLDS], 1);
    assert_int_equal(wholes.by_verdict[SC_LAB_FAILS], 0);
    assert_int_equal(wholes.by_verdict[SC_LAB_UNTOLD], 1);
    // And it is said which one that is.
    char wanted[200];
    snprintf(wanted, sizeof wanted, "1c on %s (bounded, strict against XStar)",
             j.made.options.maps[COUNTRY].name);
    assert_string_equal(
        sc__paper_claim_exceptions(&j.claims, &j.made.options, 0, SC_LAB_READING_SHARED).text,
        wanted);
    assert_string_equal(
        sc__paper_claim_exceptions(&j.claims, &j.made.options, 5, SC_LAB_READING_SHARED).text, "");
    judged_fini(&j);
}

static void test_three_quarters_are_most(void **state)
{
    (void)state;
    static const struct {
        size_t held;
        size_t failed;
        size_t untold;
        sc_lab_verdict verdict;
    } cases[] = {
        {7, 0, 0, SC_LAB_HOLDS},          {1, 0, 9, SC_LAB_HOLDS}, {6, 1, 0, SC_LAB_MOSTLY_HOLDS},
        {3, 1, 5, SC_LAB_MOSTLY_HOLDS},   {2, 1, 9, SC_LAB_FAILS}, {74, 25, 0, SC_LAB_FAILS},
        {75, 25, 0, SC_LAB_MOSTLY_HOLDS}, {0, 1, 0, SC_LAB_FAILS}, {0, 0, 3, SC_LAB_UNTOLD},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const sc_lab_verdicts verdicts = {{[SC_LAB_HOLDS] = cases[i].held,
                                           [SC_LAB_FAILS] = cases[i].failed,
                                           [SC_LAB_UNTOLD] = cases[i].untold}};
        assert_int_equal(sc__verdict_of(&verdicts), cases[i].verdict);
    }
    assert_string_equal(sc__verdict_text(SC_LAB_MOSTLY_HOLDS), "mostly holds");
}

static void test_of_many_exceptions_some_are_named_and_all_are_counted(void **state)
{
    (void)state;
    judged j;
    judged_init(&j);
    made_results_fill(&j.made, as_the_paper_says);
    for (size_t i = 0; i < j.made.results.count; i++) {
        success_is_the_same_everywhere(&j.made.all[i]);
    }
    judge(&j);
    const sc_lab_exceptions found =
        sc__paper_claim_exceptions(&j.claims, &j.made.options, 1, SC_LAB_READING_SHARED);
    const size_t failed =
        sc__paper_claim_total(&j.claims, 1, SC_LAB_READING_SHARED).by_verdict[SC_LAB_FAILS];
    size_t named = 0;
    for (const char *at = found.text; at; at = strstr(at, "; ")) {
        at += named > 0 ? 2 : 0;
        named++;
    }
    const char *last = strstr(found.text, "; and ");
    assert_non_null(last);
    // The last of the parts says how many more there are.
    assert_int_equal(named - 1 + strtoul(last + 6, NULL, 10), failed);
    assert_non_null(strstr(found.text, "2a on "));
    judged_fini(&j);
}

// --- In two readings of the baselines ------------------------------------------------------

static size_t count_reading(const judged *j, sc_lab_reading reading)
{
    size_t count = 0;
    for (size_t i = 0; i < j->claims.count; i++) {
        count += j->claims.all[i].reading == reading;
    }
    return count;
}

static void test_statements_about_baselines_are_judged_in_both_readings(void **state)
{
    (void)state;
    judged j;
    judged_init(&j);
    made_results_fill(&j.made, as_the_paper_says);
    judge(&j);
    const size_t count = j.claims.count;
    const size_t shared = count_reading(&j, SC_LAB_READING_SHARED);
    assert_true(shared > 0 && count_reading(&j, SC_LAB_READING_LITERAL) == 0);
    // To the letter expansion waits for none, so that basic is not the lowest there.
    j.made.options.methods |= SC_LAB_LITERAL_BASELINES;
    for (size_t i = 0; i < j.made.results.count; i++) {
        j.made.all[i].by_method[SC_LAB_EXPANSION_LITERAL].wait_s = 0;
    }
    judge(&j);
    assert_int_equal(count_reading(&j, SC_LAB_READING_SHARED), shared);
    assert_int_equal(count_reading(&j, SC_LAB_READING_LITERAL), shared);
    assert_int_equal(j.claims.count, count + shared);
    assert_int_equal(sc__paper_claim_verdict(&j.claims, 4, SC_LAB_READING_SHARED), SC_LAB_HOLDS);
    assert_int_equal(sc__paper_claim_verdict(&j.claims, 4, SC_LAB_READING_LITERAL), SC_LAB_FAILS);
    const sc_lab_verdicts literal = sc__paper_claims_by_verdict(&j.claims, SC_LAB_READING_LITERAL);
    assert_int_equal(literal.by_verdict[SC_LAB_HOLDS], 7);
    // What is said of the literal ones is said of no other baseline.
    for (size_t i = 0; i < j.claims.count; i++) {
        const sc_lab_claim *claim = &j.claims.all[i];
        const unsigned methods = claim->other | 1U << claim->method;
        assert_int_equal((methods & SC_LAB_SHARED_BASELINES) != 0,
                         claim->reading == SC_LAB_READING_SHARED);
        assert_int_equal((methods & SC_LAB_LITERAL_BASELINES) != 0,
                         claim->reading == SC_LAB_READING_LITERAL);
    }
    // By themselves they are judged alone.
    j.made.options.methods &= ~SC_LAB_SHARED_BASELINES;
    judge(&j);
    assert_false(j.claims.has_reading[SC_LAB_READING_SHARED]);
    assert_int_equal(count_reading(&j, SC_LAB_READING_SHARED), 0);
    assert_int_equal(j.claims.count, count);
    check_verdict(claim_of(&j, "8i", TOWN, SC_LAB_SAMPLING_LITERAL), SC_LAB_HOLDS);
    judged_fini(&j);
}

static void test_every_statement_is_a_part_of_one_whole(void **state)
{
    (void)state;
    judged j;
    judged_init(&j);
    made_results_fill(&j.made, as_the_paper_says);
    judge(&j);
    for (size_t i = 0; i < j.claims.count; i++) {
        size_t wholes = 0;
        for (size_t number = 0; number < SC_LAB_PAPER_CLAIMS; number++) {
            wholes += sc__is_of_paper_claim(&j.claims.all[i], number);
        }
        assert_int_equal(wholes, 1);
    }
    judged_fini(&j);
}

// --- Each can be contradicted --------------------------------------------------------

/** One change that makes a claim fail, done to every point of one map. */
typedef void spoil(sc_lab_result *result);

static void hybrid_beats_basic(sc_lab_result *r)
{
    r->by_method[SC_LAB_HYBRID].cloaked = r->by_method[SC_LAB_BASIC].cloaked + 100;
}

static void strict_beats_hybrid(sc_lab_result *r)
{
    r->by_method[SC_LAB_STRICT].cloaked = r->by_method[SC_LAB_HYBRID].cloaked + 50;
}

static void xstar_equals_basic(sc_lab_result *r)
{
    r->by_method[SC_LAB_XSTAR].cloaked = r->by_method[SC_LAB_BASIC].cloaked;
}

static void xstar_never_loses(sc_lab_result *r)
{
    r->by_method[SC_LAB_XSTAR].cloaked = 4000;
}

static void expansion_loses_most(sc_lab_result *r)
{
    r->by_method[SC_LAB_EXPANSION].cloaked = (uint64_t)(1000 * r->point.mean[SC_LAB_AXIS_SIGMA_S]);
}

static void sampling_is_fast(sc_lab_result *r)
{
    r->by_method[SC_LAB_SAMPLING].cpu_us = r->by_method[SC_LAB_BASIC].cpu_us;
}

static void xstar_gets_faster_with_l(sc_lab_result *r)
{
    sc_lab_measure *xstar = &r->by_method[SC_LAB_XSTAR];
    xstar->cpu_us = (double)xstar->cloaked / r->point.mean[SC_LAB_AXIS_L];
}

static void sampling_waits_least(sc_lab_result *r)
{
    r->by_method[SC_LAB_SAMPLING].wait_s = 1;
}

static void strict_waits_long(sc_lab_result *r)
{
    r->by_method[SC_LAB_STRICT].wait_s = 5.5;
}

static void xstar_waits_least(sc_lab_result *r)
{
    r->by_method[SC_LAB_XSTAR].wait_s = 1;
}

static void hybrid_is_processed_slowly(sc_lab_result *r)
{
    r->by_method[SC_LAB_HYBRID].provider_cpu_us = r->by_method[SC_LAB_BASIC].provider_cpu_us + 1;
}

static void xstar_is_processed_fast(sc_lab_result *r)
{
    r->by_method[SC_LAB_XSTAR].provider_cpu_us = 1;
}

static void bounded_keeps_its_distance(sc_lab_result *r)
{
    r->by_method[SC_LAB_BOUNDED].provider_cpu_us = r->by_method[SC_LAB_BASIC].provider_cpu_us - 10;
}

static void expansion_has_few_candidates(sc_lab_result *r)
{
    r->by_method[SC_LAB_EXPANSION].candidates = 1;
}

static void sampling_has_most_candidates(sc_lab_result *r)
{
    r->by_method[SC_LAB_SAMPLING].candidates = 1e5;
}

static void basic_has_always_as_many(sc_lab_result *r)
{
    r->by_method[SC_LAB_BASIC].candidates = 200;
}

static void hybrid_is_sampled(sc_lab_result *r)
{
    r->by_method[SC_LAB_HYBRID].entropy = r->by_method[SC_LAB_SAMPLING].entropy + 0.01;
}

static void xstar_is_the_weakest(sc_lab_result *r)
{
    r->by_method[SC_LAB_XSTAR].entropy = 0.3;
}

static void xstar_is_as_strict(sc_lab_result *r)
{
    r->by_method[SC_LAB_XSTAR].entropy = r->by_method[SC_LAB_STRICT].entropy;
}

static void bounded_is_weak(sc_lab_result *r)
{
    r->by_method[SC_LAB_BOUNDED].entropy -= 0.15;
}

static void basic_stays_as_it_is(sc_lab_result *r)
{
    r->by_method[SC_LAB_BASIC].entropy = 0.93;
}

static void strict_gains_little(sc_lab_result *r)
{
    r->by_method[SC_LAB_STRICT].entropy = r->by_method[SC_LAB_BASIC].entropy - 0.01;
}

static void sampling_can_be_injected(sc_lab_result *r)
{
    r->by_method[SC_LAB_SAMPLING].entropy -= 0.01 * r->point.mean[SC_LAB_AXIS_INJECTED];
}

/** What a change does to a claim. */
typedef struct contradiction {
    spoil *spoil;
    const char *id;
    sc_lab_method fails;
    sc_lab_method holds;  ///< another method for which the claim still holds, or the same
    uint32_t spoilt_map;
    uint32_t map;
} contradiction;

static const contradiction contradictions[] = {
    {hybrid_beats_basic, "1a", SC_LAB_BASIC, SC_LAB_BASIC, TOWN, TOWN},
    {strict_beats_hybrid, "1b", SC_LAB_STRICT, SC_LAB_BOUNDED, COUNTRY, COUNTRY},
    {xstar_equals_basic, "1c", SC_LAB_BASIC, SC_LAB_BASIC, TOWN, TOWN},
    {success_is_the_same_everywhere, "2a", SC_LAB_BOUNDED, SC_LAB_BOUNDED, TOWN, TOWN},
    {success_is_the_same_everywhere, "2b", SC_LAB_XSTAR, SC_LAB_XSTAR, TOWN, TOWN},
    {success_is_the_same_everywhere, "2a", SC_LAB_SAMPLING, SC_LAB_SAMPLING, COUNTRY, COUNTRY},
    {success_is_the_same_everywhere, "2c", SC_LAB_HYBRID, SC_LAB_HYBRID, COUNTRY, SC_NONE},
    {success_is_the_same_everywhere, "3a", SC_LAB_BASIC, SC_LAB_BASIC, COUNTRY, COUNTRY},
    {success_is_the_same_everywhere, "3b", SC_LAB_STRICT, SC_LAB_STRICT, TOWN, TOWN},
    {xstar_never_loses, "3c", SC_LAB_HYBRID, SC_LAB_HYBRID, TOWN, TOWN},
    {expansion_loses_most, "3c", SC_LAB_EXPANSION, SC_LAB_SAMPLING, COUNTRY, COUNTRY},
    {sampling_is_fast, "4a", SC_LAB_SAMPLING, SC_LAB_EXPANSION, TOWN, TOWN},
    {xstar_gets_faster_with_l, "4b", SC_LAB_XSTAR, SC_LAB_XSTAR, COUNTRY, COUNTRY},
    {sampling_waits_least, "5a", SC_LAB_BASIC, SC_LAB_BASIC, COUNTRY, COUNTRY},
    {strict_waits_long, "5b", SC_LAB_STRICT, SC_LAB_BOUNDED, TOWN, TOWN},
    {xstar_waits_least, "5c", SC_LAB_XSTAR, SC_LAB_XSTAR, TOWN, TOWN},
    {hybrid_is_processed_slowly, "6a", SC_LAB_HYBRID, SC_LAB_BOUNDED, TOWN, TOWN},
    {xstar_is_processed_fast, "6b", SC_LAB_STRICT, SC_LAB_STRICT, TOWN, TOWN},
    {bounded_keeps_its_distance, "6c", SC_LAB_BOUNDED, SC_LAB_STRICT, TOWN, TOWN},
    {expansion_has_few_candidates, "7a", SC_LAB_HYBRID, SC_LAB_HYBRID, TOWN, TOWN},
    {sampling_has_most_candidates, "7b", SC_LAB_XSTAR, SC_LAB_XSTAR, TOWN, TOWN},
    {basic_has_always_as_many, "7c", SC_LAB_BASIC, SC_LAB_HYBRID, TOWN, TOWN},
    {basic_has_always_as_many, "7d", SC_LAB_BASIC, SC_LAB_XSTAR, TOWN, TOWN},
    {sampling_has_most_candidates, "7d", SC_LAB_SAMPLING, SC_LAB_EXPANSION, TOWN, TOWN},
    {hybrid_is_sampled, "8a", SC_LAB_SAMPLING, SC_LAB_SAMPLING, TOWN, TOWN},
    {xstar_is_the_weakest, "8b", SC_LAB_EXPANSION, SC_LAB_EXPANSION, COUNTRY, COUNTRY},
    {xstar_is_as_strict, "8c", SC_LAB_STRICT, SC_LAB_BASIC, TOWN, TOWN},
    {bounded_is_weak, "8d", SC_LAB_BOUNDED, SC_LAB_STRICT, TOWN, TOWN},
    {basic_stays_as_it_is, "8e", SC_LAB_BASIC, SC_LAB_HYBRID, COUNTRY, COUNTRY},
    {strict_gains_little, "8f", SC_LAB_STRICT, SC_LAB_BOUNDED, TOWN, TOWN},
    {xstar_is_as_strict, "8g", SC_LAB_STRICT, SC_LAB_BASIC, COUNTRY, COUNTRY},
    {basic_stays_as_it_is, "8h", SC_LAB_BASIC, SC_LAB_XSTAR, TOWN, TOWN},
    {sampling_can_be_injected, "8i", SC_LAB_SAMPLING, SC_LAB_EXPANSION, TOWN, TOWN},
};

static void test_every_statement_can_be_contradicted(void **state)
{
    (void)state;
    const size_t count = sizeof contradictions / sizeof contradictions[0];
    judged j;
    judged_init(&j);
    for (size_t i = 0; i < count; i++) {
        const contradiction *c = &contradictions[i];
        made_results_fill(&j.made, as_the_paper_says);
        for (size_t r = 0; r < j.made.results.count; r++) {
            if (j.made.all[r].point.map == c->spoilt_map) c->spoil(&j.made.all[r]);
        }
        judge(&j);
        check_verdict(claim_of(&j, c->id, c->map, c->fails), SC_LAB_FAILS);
        if (c->holds != c->fails) {
            check_verdict(claim_of(&j, c->id, c->map, c->holds), SC_LAB_HOLDS);
        }
    }
    judged_fini(&j);
    // No statement is left out above.
    size_t statement_count = 0;
    const sc_lab_statement *statements = sc__statements(&statement_count);
    for (size_t i = 0; i < statement_count; i++) {
        size_t found = 0;
        for (size_t c = 0; c < count; c++) {
            found += strcmp(contradictions[c].id, statements[i].id) == 0;
        }
        assert_true(found > 0);
    }
}

// --- Not told --------------------------------------------------------------------------

static void test_a_method_that_was_not_run_leaves_its_claims_untold(void **state)
{
    (void)state;
    judged j;
    judged_init(&j);
    j.made.options.methods &= ~(1U << SC_LAB_XSTAR | 1U << SC_LAB_STRICT);
    made_results_fill(&j.made, as_the_paper_says);
    judge(&j);
    const sc_lab_claim *claim = claim_of(&j, "1c", TOWN, SC_LAB_BASIC);
    check_verdict(claim, SC_LAB_UNTOLD);
    assert_string_equal(claim->found, "XStar was not run");
    assert_true(isnan(claim->left) && isnan(claim->right));
    assert_int_equal(claim->point_count, 0);
    check_verdict(claim_of(&j, "5a", TOWN, SC_LAB_BASIC), SC_LAB_UNTOLD);
    check_verdict(claim_of(&j, "1b", TOWN, SC_LAB_STRICT), SC_LAB_UNTOLD);
    check_verdict(claim_of(&j, "1b", TOWN, SC_LAB_BOUNDED), SC_LAB_HOLDS);
    check_verdict(claim_of(&j, "1a", TOWN, SC_LAB_BASIC), SC_LAB_HOLDS);
    assert_int_equal(j.claims.by_verdict[SC_LAB_FAILS], 0);
    judged_fini(&j);
}

static void test_an_axis_that_was_not_varied_leaves_its_claims_untold(void **state)
{
    (void)state;
    judged j;
    judged_init(&j);
    for (int metric = 0; metric < SC_LAB_METRIC_COUNT; metric++) {
        j.made.options.figures[metric] = 0;
    }
    j.made.options.figures[SC_LAB_SUCCESS] = 1U << SC_LAB_AXIS_K;
    // Grids of axes that were not requested need not be there.
    j.made.options.grids[SC_LAB_AXIS_L].count = 0;
    made_results_fill(&j.made, as_the_paper_says);
    judge(&j);
    check_verdict(claim_of(&j, "1a", TOWN, SC_LAB_BASIC), SC_LAB_HOLDS);
    assert_int_equal(claim_of(&j, "1a", TOWN, SC_LAB_BASIC)->point_count, 7);
    check_verdict(claim_of(&j, "2a", TOWN, SC_LAB_BASIC), SC_LAB_HOLDS);
    check_verdict(claim_of(&j, "2b", TOWN, SC_LAB_BASIC), SC_LAB_UNTOLD);
    check_verdict(claim_of(&j, "3c", TOWN, SC_LAB_BASIC), SC_LAB_UNTOLD);
    check_verdict(claim_of(&j, "4a", TOWN, SC_LAB_SAMPLING), SC_LAB_UNTOLD);
    check_verdict(find(&j, "7b", TOWN, SC_LAB_XSTAR, SC_LAB_AXIS_L), SC_LAB_UNTOLD);
    // No cloak was attacked.
    for (size_t i = 0; i < j.claims.count; i++) {
        if (sc__is_of_paper_claim(&j.claims.all[i], 7)) {
            check_verdict(&j.claims.all[i], SC_LAB_UNTOLD);
        }
    }
    CHECK_CONTAINS(claim_of(&j, "2b", TOWN, SC_LAB_BASIC)->found, "no figure of this");
    judged_fini(&j);
}

static void test_an_axis_of_one_value_has_no_ends_to_compare(void **state)
{
    (void)state;
    judged j;
    judged_init(&j);
    j.made.options.grids[SC_LAB_AXIS_K] = (sc_lab_grid){{5}, 1};
    j.made.options.grids[SC_LAB_AXIS_SIGMA_S] = (sc_lab_grid){{4}, 1};
    made_results_fill(&j.made, as_the_paper_says);
    judge(&j);
    check_verdict(claim_of(&j, "2a", TOWN, SC_LAB_BASIC), SC_LAB_UNTOLD);
    check_verdict(claim_of(&j, "2c", SC_NONE, SC_LAB_BASIC), SC_LAB_UNTOLD);
    check_verdict(claim_of(&j, "3c", TOWN, SC_LAB_BASIC), SC_LAB_UNTOLD);
    judged_fini(&j);
}

static void test_claims_about_objects_need_a_map_that_has_them(void **state)
{
    (void)state;
    judged j;
    judged_init(&j);
    j.made.options.map_count = 1;
    j.made.options.maps[0] = j.made.options.maps[1];
    made_results_fill(&j.made, as_the_paper_says);
    judge(&j);
    check_verdict(claim_of(&j, "6a", SC_NONE, SC_LAB_HYBRID), SC_LAB_UNTOLD);
    check_verdict(claim_of(&j, "5c", SC_NONE, SC_LAB_XSTAR), SC_LAB_UNTOLD);
    CHECK_CONTAINS(claim_of(&j, "7c", SC_NONE, SC_LAB_BASIC)->found, "a map with objects");
    // And one map alone is neither sparser nor denser.
    check_verdict(claim_of(&j, "2c", SC_NONE, SC_LAB_BASIC), SC_LAB_UNTOLD);
    CHECK_CONTAINS(claim_of(&j, "2c", SC_NONE, SC_LAB_BASIC)->found, "two maps");
    judged_fini(&j);
}

static void test_nothing_that_was_cloaked_tells_nothing(void **state)
{
    (void)state;
    judged j;
    judged_init(&j);
    made_results_fill(&j.made, as_the_paper_says);
    for (size_t i = 0; i < j.made.results.count; i++) {
        sc_lab_measure *hybrid = &j.made.all[i].by_method[SC_LAB_HYBRID];
        *hybrid = (sc_lab_measure){.queries = 100, .cpu_us = 1};
    }
    judge(&j);
    check_verdict(claim_of(&j, "5b", TOWN, SC_LAB_BOUNDED), SC_LAB_UNTOLD);
    check_verdict(claim_of(&j, "6a", TOWN, SC_LAB_HYBRID), SC_LAB_UNTOLD);
    check_verdict(claim_of(&j, "7d", TOWN, SC_LAB_HYBRID), SC_LAB_UNTOLD);
    // Its success is 0 everywhere, which is a number.
    check_verdict(claim_of(&j, "1a", TOWN, SC_LAB_BASIC), SC_LAB_HOLDS);
    check_verdict(claim_of(&j, "1c", TOWN, SC_LAB_HYBRID), SC_LAB_FAILS);
    judged_fini(&j);
}

static void test_the_rules_name_the_limits_that_are_used(void **state)
{
    (void)state;
    char all[8192] = "";
    for (size_t i = 0; i < sc__claim_rule_count(); i++) {
        strncat(all, sc__claim_rule(i, false), sizeof all - strlen(all) - 1);
    }
    char limit[64];
    snprintf(limit, sizeof limit, "at least %g in its direction", SC_LAB_CLAIM_RANKS);
    CHECK_CONTAINS(all, limit);
    snprintf(limit, sizeof limit, "than %g %% of the larger", 100 * SC_LAB_CLAIM_CHANCE);
    CHECK_CONTAINS(all, limit);
    snprintf(limit, sizeof limit, "less than %g %% of the larger", 100 * SC_LAB_CLAIM_EVEN);
    CHECK_CONTAINS(all, limit);
    snprintf(limit, sizeof limit, "within %g %% of the larger", 100 * SC_LAB_CLAIM_NEAR);
    CHECK_CONTAINS(all, limit);
    snprintf(limit, sizeof limit, "by at most %g %% of the larger", 100 * SC_LAB_CLAIM_STAYS);
    CHECK_CONTAINS(all, limit);
    snprintf(limit, sizeof limit, "paired ratios is at least %g;", SC_LAB_CLAIM_TIMES);
    CHECK_CONTAINS(all, limit);
}

static void test_the_rules_say_the_same_queries_only_where_they_were(void **state)
{
    (void)state;
    CHECK_CONTAINS(sc__claim_rule(0, false), "they got the same queries");
    assert_null(strstr(sc__claim_rule(0, true), "same queries"));
    CHECK_CONTAINS(sc__claim_rule(0, true), "travellers of its own with the same seed");
    for (size_t i = 1; i < sc__claim_rule_count(); i++) {
        assert_ptr_equal(sc__claim_rule(i, true), sc__claim_rule(i, false));
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_all_claims_hold_where_all_is_as_the_paper_says),
    cmocka_unit_test(test_they_hold_with_one_seed_too),
    cmocka_unit_test(test_a_claim_of_the_paper_holds_if_all_that_can_be_told_of_it_does),
    cmocka_unit_test(test_three_quarters_are_most),
    cmocka_unit_test(test_statements_about_baselines_are_judged_in_both_readings),
    cmocka_unit_test(test_of_many_exceptions_some_are_named_and_all_are_counted),
    cmocka_unit_test(test_every_statement_is_a_part_of_one_whole),
    cmocka_unit_test(test_every_statement_can_be_contradicted),
    cmocka_unit_test(test_a_method_that_was_not_run_leaves_its_claims_untold),
    cmocka_unit_test(test_an_axis_that_was_not_varied_leaves_its_claims_untold),
    cmocka_unit_test(test_an_axis_of_one_value_has_no_ends_to_compare),
    cmocka_unit_test(test_claims_about_objects_need_a_map_that_has_them),
    cmocka_unit_test(test_nothing_that_was_cloaked_tells_nothing),
    cmocka_unit_test(test_the_rules_name_the_limits_that_are_used),
    cmocka_unit_test(test_the_rules_say_the_same_queries_only_where_they_were),
};
SC_SUITE(tests)
