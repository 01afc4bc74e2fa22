// Which figures there are, and which numbers they show.
#include "lab/figures.h"

#include "base/alloc.h"
#include "support/check.h"
#include "support/made_results.h"

#include <math.h>

static void test_all_figures_are_listed_by_metric_map_and_axis(void **state)
{
    (void)state;
    made_results made = made_results_new();
    sc_lab_figures figures;
    sc__figures_list(&made.options, &figures);
    // Three metrics over four axes on two maps, two more on the map that has objects, and of the
    // adversary entropy over three axes and effective segments over one.
    assert_int_equal(figures.count, 3 * 4 * 2 + 2 * 4 + (3 + 1) * 2);
    assert_int_equal(figures.all[0].metric, SC_LAB_SUCCESS);
    assert_int_equal(figures.all[0].map, 0);
    assert_int_equal(figures.all[0].axis, SC_LAB_AXIS_K);
    assert_int_equal(figures.all[4].map, 1);
    assert_int_equal(figures.all[8].metric, SC_LAB_THROUGHPUT);
    const sc_lab_figure *last = &figures.all[figures.count - 1];
    assert_int_equal(last->metric, SC_LAB_EFFECTIVE);
    assert_int_equal(last->map, 1);
    assert_int_equal(last->axis, SC_LAB_AXIS_ASKED);
    made_results_free(&made);
}

static void test_what_was_not_asked_for_is_not_listed(void **state)
{
    (void)state;
    made_results made = made_results_new();
    memset(made.options.figures, 0, sizeof made.options.figures);
    made.options.figures[SC_LAB_CANDIDATES] = 1U << SC_LAB_AXIS_L;
    sc_lab_figures figures;
    sc__figures_list(&made.options, &figures);
    assert_int_equal(figures.count, 1);
    made.options.map_count = 1;
    made.options.maps[0] = made.options.maps[1];
    sc__figures_list(&made.options, &figures);
    assert_int_equal(figures.count, 0);
    made_results_free(&made);
}

static void test_a_metric_is_not_drawn_over_an_axis_it_has_no_numbers_on(void **state)
{
    (void)state;
    made_results made = made_results_new();
    made.options.map_count = 1;
    const unsigned all = (1U << SC_LAB_AXIS_COUNT) - 1;
    memset(made.options.figures, 0, sizeof made.options.figures);
    made.options.figures[SC_LAB_EFFECTIVE] = all;
    sc_lab_figures figures;
    sc__figures_list(&made.options, &figures);
    assert_int_equal(figures.count, 1);
    assert_int_equal(figures.all[0].axis, SC_LAB_AXIS_ASKED);
    made.options.figures[SC_LAB_EFFECTIVE] = 0;
    made.options.figures[SC_LAB_ENTROPY] = all;
    sc__figures_list(&made.options, &figures);
    assert_int_equal(figures.count, SC_LAB_AXIS_COUNT - 1);
    made_results_free(&made);
}

static void test_a_file_is_named_after_map_metric_and_axis(void **state)
{
    (void)state;
    made_results made = made_results_new();
    const sc_lab_figure figure = {
        .metric = SC_LAB_CANDIDATES, .map = 1, .axis = SC_LAB_AXIS_SIGMA_S};
    char *name = sc__figure_file(&made.options, &figure, "csv");
    assert_string_equal(name, "country-candidates-sigma_s.csv");
    sc_free(name);
    made_results_free(&made);
}

// A number that tells where it comes from.
static double telling(const sc_lab_point *point, sc_lab_method method)
{
    double sum = (double)point->map * 1000 + (double)point->seed * 100 + (int)method;
    for (sc_lab_axis axis = 0; axis < SC_LAB_AXIS_COUNT; axis++) {
        sum += point->mean[axis] * 0.01 * (1 + (int)axis);
    }
    return sum;
}

static sc_lab_measure telling_measure(const sc_lab_point *point, sc_lab_method method)
{
    const double number = telling(point, method);
    sc_lab_measure measure = {.queries = 1000,
                              .cloaked = 500,
                              .wait_s = number,
                              .cpu_us = 1 / number,
                              .evaluated_queries = 1,
                              .candidates = number + 1,
                              .provider_cpu_us = number + 2,
                              .attacked_cloaks = 1,
                              .entropy = number + 3};
    for (size_t i = 0; i < SC_LAB_ASKED_MAX; i++) {
        measure.followed[i] = 1;
        measure.effective[i] = number + 4 + (double)i;
    }
    return measure;
}

static void check_figure(const sc_lab_table *table, const sc_lab_figure *figure)
{
    const sc_lab_options *options = table->options;
    const sc_lab_grid *grid = sc__figure_grid(options, figure);
    for (size_t i = 0; i < grid->count; i++) {
        for (sc_lab_method method = 0; method < SC_LAB_SAMPLING_LITERAL; method++) {
            const double *values = sc__table_values(table, figure, i, method);
            for (unsigned seed = 0; seed < options->seed_count; seed++) {
                const sc_lab_point point =
                    sc_lab_point_at(options, figure->map, figure->axis, grid->values[i],
                                    options->first_seed + seed);
                const double number = telling(&point, method);
                // At the n-th cloak seen, what is told of it by the point where all is as usual.
                const double seen = figure->axis == SC_LAB_AXIS_ASKED ? grid->values[i] : 1;
                const double wanted[] = {50,         0.5e6 * number, number,           number + 2,
                                         number + 1, number + 3,     number + 3 + seen};
                CHECK_CLOSE(values[seed], wanted[figure->metric], 1e-6 * wanted[figure->metric]);
            }
        }
    }
}

static void test_the_table_holds_every_number_in_its_place(void **state)
{
    (void)state;
    made_results made = made_results_new();
    made_results_fill(&made, telling_measure);
    sc_lab_table table;
    sc_diag diag = {""};
    CHECK_OK(sc__table_init(&table, &made.results, &diag), &diag);
    sc_lab_figures figures;
    sc__figures_list(&made.options, &figures);
    for (size_t i = 0; i < figures.count; i++) {
        check_figure(&table, &figures.all[i]);
    }
    sc__table_fini(&table);
    sc__table_fini(&table);
    made_results_free(&made);
}

static void test_what_did_not_come_out_has_no_number(void **state)
{
    (void)state;
    made_results made = made_results_new();
    made.options.methods &= ~(1U << SC_LAB_XSTAR);
    made_results_fill(&made, as_the_paper_says);
    // Nothing cloaked at k = 3 with the first seed; and the last point of all never done.
    sc_lab_result *result = made_result_at(&made, 0, SC_LAB_AXIS_K, 3, 1);
    result->by_method[SC_LAB_HYBRID] = (sc_lab_measure){.queries = 10, .cpu_us = 1};
    made.results.count--;
    sc_lab_table table;
    sc_diag diag = {""};
    CHECK_OK(sc__table_init(&table, &made.results, &diag), &diag);

    sc_lab_figure figure = {.metric = SC_LAB_ANONYMIZATION, .map = 0, .axis = SC_LAB_AXIS_K};
    const double *values = sc__table_values(&table, &figure, 0, SC_LAB_HYBRID);
    assert_true(isnan(values[0]));
    assert_true(!isnan(values[1]));
    assert_int_equal(sc__table_estimate(&table, &figure, 0, SC_LAB_HYBRID).count, 2);
    assert_int_equal(sc__table_estimate(&table, &figure, 0, SC_LAB_XSTAR).count, 0);
    figure.metric = SC_LAB_SUCCESS;
    CHECK_SAME(sc__table_values(&table, &figure, 0, SC_LAB_HYBRID)[0], 0);

    const sc_lab_figure last = {.metric = SC_LAB_ENTROPY, .map = 1, .axis = SC_LAB_AXIS_INJECTED};
    assert_int_equal(sc__table_estimate(&table, &last, 6, SC_LAB_BASIC).count, 2);
    sc__table_fini(&table);
    made_results_free(&made);
}

static void test_numbers_for_people_are_short(void **state)
{
    (void)state;
    assert_string_equal(sc__short_number(0).text, "0.00");
    assert_string_equal(sc__short_number(0.01234).text, "0.012");
    assert_string_equal(sc__short_number(0.001234).text, "0.0012");
    assert_string_equal(sc__short_number(0.95).text, "0.950");
    assert_string_equal(sc__short_number(-2.345).text, "-2.35");
    assert_string_equal(sc__short_number(99.44).text, "99.4");
    assert_string_equal(sc__short_number(123456.7).text, "123457");
}

static void test_shares_have_a_most(void **state)
{
    (void)state;
    CHECK_SAME(sc__metric_most(SC_LAB_SUCCESS), 100);
    CHECK_SAME(sc__metric_most(SC_LAB_ENTROPY), 1);
    assert_true(isinf(sc__metric_most(SC_LAB_ANONYMIZATION)));
    assert_true(isinf(sc__metric_most(SC_LAB_EFFECTIVE)));
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_all_figures_are_listed_by_metric_map_and_axis),
    cmocka_unit_test(test_what_was_not_asked_for_is_not_listed),
    cmocka_unit_test(test_a_metric_is_not_drawn_over_an_axis_it_has_no_numbers_on),
    cmocka_unit_test(test_a_file_is_named_after_map_metric_and_axis),
    cmocka_unit_test(test_the_table_holds_every_number_in_its_place),
    cmocka_unit_test(test_what_did_not_come_out_has_no_number),
    cmocka_unit_test(test_numbers_for_people_are_short),
    cmocka_unit_test(test_shares_have_a_most),
};
SC_SUITE(tests)
