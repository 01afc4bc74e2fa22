// Methods side by side: they are asked the same, their figures are those of a plain recount, and
// being served late changes nothing.
#include "demo/method_comparison.h"

#include <math.h>

#include "compared_town.h"

#define SECOND INT64_C(1000000)

static sc_comparison *open_comparison(compared_town *town)
{
    const sc_comparison_options options = compared_town_options(town);
    sc_comparison *comparison = NULL;
    sc_diag diag = {""};
    CHECK_OK(sc_comparison_new(town->map, &options, TOWN_START, &comparison, &diag), &diag);
    return comparison;
}

// --- Figures -------------------------------------------------------------------------------------

static bool is_within(sc_time t, sc_time now)
{
    const sc_time until = TOWN_START + (now - TOWN_START) / SECOND * SECOND;
    return t < until && t >= until - SC_COMPARISON_WINDOW_S * SECOND;
}

static void check_mean(double got, double sum, uint64_t count)
{
    if (count == 0) {
        assert_true(isnan(got));
    } else {
        CHECK_CLOSE(got, sum / (double)count, 1e-9);
    }
}

static void check_figures(const compared_town *town, const sc_comparison *comparison, size_t method,
                          sc_time now)
{
    const sc_comparison_figures got = sc_comparison_figures_of(comparison, method);
    uint64_t asked = 0;
    uint64_t cloaked = 0;
    uint64_t pending = 0;
    for (size_t i = 0; i < town->question_count; i++) {
        const town_question *question = &town->questions[i];
        const bool is_cloaked = question->is_cloaked[method];
        asked += is_within(question->query.deadline, now);
        cloaked += is_cloaked && is_within(question->query.deadline, now);
        pending += !is_cloaked && question->query.deadline >= now;
    }
    assert_int_equal(got.asked, asked);
    assert_int_equal(got.cloaked, cloaked);
    assert_true(got.pending <= pending);  // some were found to be infeasible at once

    town_cloak sum = {0};
    uint64_t cloaks = 0;
    for (size_t i = 0; i < town->cloak_count; i++) {
        const town_cloak *cloak = &town->cloaks[i];
        if (cloak->method != method || !is_within(cloak->t, now)) continue;
        cloaks++;
        sum.users += cloak->users;
        sum.segments += cloak->segments;
        sum.border_nodes += cloak->border_nodes;
        sum.members += cloak->members;
        sum.wait += cloak->wait;
    }
    assert_int_equal(got.cloaks, cloaks);
    check_mean(got.users, (double)sum.users, cloaks);
    check_mean(got.segments, (double)sum.segments, cloaks);
    check_mean(got.border_nodes, (double)sum.border_nodes, cloaks);
    check_mean(got.wait_s, (double)sum.wait * 1e-6, sum.members);
    assert_int_equal(got.violations, 0);
}

static void test_figures_are_those_of_a_recount(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 3; seed++) {
        check_case(seed);
        compared_town town;
        compared_town_init(&town, seed);
        sc_comparison *comparison = open_comparison(&town);
        assert_int_equal(sc_comparison_method_count(comparison), 3);
        sc_time now = TOWN_START;
        while (now < TOWN_START + 150 * SECOND) {
            now += sc_rng_below(&town.rng, 200000);
            CHECK_OK(sc_comparison_ask(comparison, compared_town_ask(&town, now), now), NULL);
            if (sc_rng_below(&town.rng, 20) > 0) continue;
            now += sc_rng_below(&town.rng, 3000000);
            CHECK_OK(sc_comparison_advance(comparison, now), NULL);
            for (size_t i = 0; i < 3; i++) {
                check_figures(&town, comparison, i, now);
            }
        }
        // All methods have cloaked and dropped, so that something was compared.
        for (size_t i = 0; i < 3; i++) {
            const sc_comparison_figures figures = sc_comparison_figures_of(comparison, i);
            assert_true(figures.cloaked > 0 && figures.cloaked < figures.asked);
            assert_int_equal(figures.asked, sc_comparison_figures_of(comparison, 0).asked);
        }
        assert_int_equal(sc_comparison_left_out(comparison), 0);
        // Long after the last question there is nothing to tell.
        now += 1000 * SECOND;
        CHECK_OK(sc_comparison_advance(comparison, now), NULL);
        for (size_t i = 0; i < 3; i++) {
            check_figures(&town, comparison, i, now);
            assert_int_equal(sc_comparison_figures_of(comparison, i).asked, 0);
            assert_int_equal(sc_comparison_figures_of(comparison, i).pending, 0);
        }
        sc_comparison_free(comparison);
        compared_town_fini(&town);
    }
    check_case_done();
}

static void test_the_adversary_s_chance_is_the_mean_over_members(void **state)
{
    (void)state;
    compared_town town;
    compared_town_init(&town, 5);
    sc_comparison *comparison = open_comparison(&town);
    assert_true(isnan(sc_comparison_figures_of(comparison, 1).chance));
    sc_comparison_add_attack(comparison, 1, 0.5, 4);
    CHECK_OK(sc_comparison_advance(comparison, TOWN_START + 10 * SECOND), NULL);
    sc_comparison_add_attack(comparison, 1, 0.4, 2);
    CHECK_OK(sc_comparison_advance(comparison, TOWN_START + 59 * SECOND), NULL);
    CHECK_CLOSE(sc_comparison_figures_of(comparison, 1).chance, 0.15, 1e-12);
    assert_int_equal(sc_comparison_figures_of(comparison, 1).attacked, 2);
    assert_int_equal(sc_comparison_figures_of(comparison, 0).attacked, 0);
    // The first one leaves the window, then the other.
    CHECK_OK(sc_comparison_advance(comparison, TOWN_START + 61 * SECOND), NULL);
    CHECK_CLOSE(sc_comparison_figures_of(comparison, 1).chance, 0.2, 1e-12);
    CHECK_OK(sc_comparison_advance(comparison, TOWN_START + 71 * SECOND), NULL);
    assert_true(isnan(sc_comparison_figures_of(comparison, 1).chance));
    assert_int_equal(sc_comparison_figures_of(comparison, 1).attacked, 0);
    sc_comparison_free(comparison);
    compared_town_fini(&town);
}

// --- Time ----------------------------------------------------------------------------------------

/** The same questions; between them time goes on in steps, or not at all. */
static void play(compared_town *town, sc_time step)
{
    compared_town_init(town, 9);
    sc_comparison *comparison = open_comparison(town);
    sc_time now = TOWN_START;
    for (int i = 0; i < 500; i++) {
        const sc_time next = now + sc_rng_below(&town->rng, 200000);
        for (sc_time t = now + step; step > 0 && t < next; t += step) {
            CHECK_OK(sc_comparison_advance(comparison, t), NULL);
        }
        now = next;
        CHECK_OK(sc_comparison_ask(comparison, compared_town_ask(town, now), now), NULL);
    }
    CHECK_OK(sc_comparison_advance(comparison, now + 20 * SECOND), NULL);
    sc_comparison_free(comparison);
}

static int by_method(const void *a, const void *b)
{
    const town_cloak *x = a;
    const town_cloak *y = b;
    if (x->method != y->method) return x->method < y->method ? -1 : 1;
    return (x->t > y->t) - (x->t < y->t);
}

static void test_engines_that_are_served_late_find_the_same(void **state)
{
    (void)state;
    compared_town towns[2];
    play(&towns[0], 7000);
    play(&towns[1], 0);
    assert_true(towns[0].cloak_count > 30);
    assert_int_equal(towns[0].cloak_count, towns[1].cloak_count);
    for (size_t i = 0; i < 2; i++) {
        qsort(towns[i].cloaks, towns[i].cloak_count, sizeof *towns[i].cloaks, by_method);
    }
    for (size_t i = 0; i < towns[0].cloak_count; i++) {
        const town_cloak *a = &towns[0].cloaks[i];
        const town_cloak *b = &towns[1].cloaks[i];
        assert_int_equal(a->t, b->t);
        assert_int_equal(a->method, b->method);
    }
    for (size_t i = 0; i < towns[0].question_count; i++) {
        assert_memory_equal(towns[0].questions[i].is_cloaked, towns[1].questions[i].is_cloaked,
                            sizeof towns[0].questions[i].is_cloaked);
    }
    compared_town_fini(&towns[0]);
    compared_town_fini(&towns[1]);
}

static void test_a_question_from_before_counts_as_asked_now(void **state)
{
    (void)state;
    compared_town town;
    compared_town_init(&town, 2);
    sc_comparison *comparison = open_comparison(&town);
    CHECK_OK(sc_comparison_advance(comparison, TOWN_START + SECOND), NULL);
    (void)compared_town_ask(&town, TOWN_START + SECOND);
    sc_query *query = &town.questions[0].query;
    query->k = 1;
    query->l = 1;
    CHECK_OK(sc_comparison_ask(comparison, query, TOWN_START - 5 * SECOND), NULL);
    CHECK_OK(sc_comparison_advance(comparison, TOWN_START + 2 * SECOND), NULL);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(sc_comparison_figures_of(comparison, i).cloaks, 1);
        CHECK_SAME(sc_comparison_figures_of(comparison, i).wait_s, 0.0);
    }
    sc_comparison_free(comparison);
    compared_town_fini(&town);
}

// --- What is left out ----------------------------------------------------------------------------

static void test_questions_that_would_wait_too_long_or_not_at_all_are_left_out(void **state)
{
    (void)state;
    compared_town town;
    compared_town_init(&town, 3);
    sc_comparison *comparison = open_comparison(&town);
    const sc_time longest = SC_COMPARISON_LONGEST_WAIT_S * SECOND;
    const sc_time now = TOWN_START + SECOND / 2;
    const struct {
        sc_time deadline;
        uint64_t left_out;
    } cases[] = {{now + longest + 1, 1}, {now + longest, 1}, {now, 1}, {now - 1, 2}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sc_query query = *compared_town_ask(&town, now);
        query.deadline = cases[i].deadline;
        query.k = 100;
        CHECK_OK(sc_comparison_ask(comparison, &query, now), NULL);
        assert_int_equal(sc_comparison_left_out(comparison), cases[i].left_out);
    }
    // The latest deadline there can be is counted when its time has come.
    CHECK_OK(sc_comparison_advance(comparison, now + longest + SECOND), NULL);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(sc_comparison_figures_of(comparison, i).asked, 1);
        assert_int_equal(sc_comparison_figures_of(comparison, i).cloaked, 0);
    }
    sc_comparison_free(comparison);
    compared_town_fini(&town);
}

static void test_a_method_that_cannot_keep_the_demands_is_missing(void **state)
{
    (void)state;
    compared_town town;
    compared_town_init(&town, 4);
    sc_comparison_options options = compared_town_options(&town);
    options.methods[0] = SC_VARIANT_PATIENT;
    options.engine.variant = SC_VARIANT_PATIENT;
    options.engine.max_combinations = sc_variant_cap(SC_VARIANT_PATIENT);
    options.engine.demands.is_strict = true;
    sc_comparison *comparison = NULL;
    sc_diag diag = {""};
    CHECK_OK(sc_comparison_new(town.map, &options, TOWN_START, &comparison, &diag), &diag);
    assert_int_equal(sc_comparison_method_count(comparison), 1);
    assert_int_equal(sc_comparison_method(comparison, 0), SC_VARIANT_PATIENT);
    sc_comparison_free(comparison);
    comparison = NULL;
    options.method_count = SC_COMPARISON_METHODS_MAX + 1;
    CHECK_REFUSED(sc_comparison_new(town.map, &options, TOWN_START, &comparison, &diag), SC_EINVAL,
                  &diag, "at most 3 methods");
    assert_null(comparison);
    sc_comparison_free(NULL);
    compared_town_fini(&town);
}

static const struct CMUnitTest tests[] = {
    SC_CASES(test_figures_are_those_of_a_recount),
    cmocka_unit_test(test_the_adversary_s_chance_is_the_mean_over_members),
    cmocka_unit_test(test_engines_that_are_served_late_find_the_same),
    cmocka_unit_test(test_a_question_from_before_counts_as_asked_now),
    cmocka_unit_test(test_questions_that_would_wait_too_long_or_not_at_all_are_left_out),
    cmocka_unit_test(test_a_method_that_cannot_keep_the_demands_is_missing),
};
SC_SUITE(tests)
