// Plots: by the real gnuplot where there is one, and by none, and by one that fails.
#include "lab/plot.h"

#include "base/alloc.h"
#include "lab/gnuplot.h"
#include "lab/output.h"

#include "support/check.h"
#include "support/made_results.h"
#include "support/place.h"
#include "support/xml_page.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static bool has_gnuplot(void)
{
    static const char *const places[] = {"/usr/bin/gnuplot", "/usr/local/bin/gnuplot",
                                         "/opt/homebrew/bin/gnuplot"};
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        if (access(places[i], X_OK) == 0) return true;
    }
    return false;
}

/** Another $PATH until path_back(). */
typedef struct other_path {
    char *before;
} other_path;

static other_path path_to(const char *directory)
{
    const char *now = getenv("PATH");
    other_path changed = {.before = now ? strdup(now) : NULL};
    assert_int_equal(setenv("PATH", directory, 1), 0);
    return changed;
}

static void path_back(other_path *changed)
{
    if (changed->before) setenv("PATH", changed->before, 1);
    free(changed->before);
}

// Of each metric that is drawn over σs one figure on each map: ten, where a test needs no more.
static void want_few(made_results *made)
{
    for (int metric = 0; metric < SC_LAB_METRIC_COUNT; metric++) {
        made->options.figures[metric] = 1U << SC_LAB_AXIS_SIGMA_S;
    }
}

static sc_err write_to(made_results *made, const char *directory, sc_lab_summary *summary,
                       sc_diag *diag)
{
    made->options.directory = directory;
    *summary = (sc_lab_summary){0};
    return sc_lab_write(&made->results, summary, diag);
}

static void test_every_figure_becomes_a_drawing(void **state)
{
    (void)state;
    if (!has_gnuplot()) skip();
    made_results made = made_results_new();
    made_results_fill(&made, as_the_paper_says);
    place here = place_new();
    sc_lab_summary summary;
    sc_diag diag = {""};
    CHECK_OK(write_to(&made, here.path, &summary, &diag), &diag);
    assert_int_equal(summary.figure_count, 40);
    assert_int_equal(summary.plot_count, 40);

    sc_lab_figures figures;
    sc__figures_list(&made.options, &figures);
    for (size_t i = 0; i < figures.count; i++) {
        char name[256];
        snprintf(name, sizeof name, "%s-%s-%s.svg", made.options.maps[figures.all[i].map].name,
                 sc_lab_metric_name(figures.all[i].metric), sc_lab_axis_name(figures.all[i].axis));
        xml_page drawing = xml_page_read(place_path(&here, name));
        assert_int_equal(xml_page_count(&drawing, "svg"), 1);
        // Its own title and description, and none of gnuplot's.
        assert_int_equal(xml_page_count(&drawing, "title"), 1);
        assert_int_equal(xml_page_count(&drawing, "desc"), 1);
        // Seven marks in the legend alone.
        assert_true(xml_page_count(&drawing, "use") > 7);
        xml_page_check_ids(&drawing);
        xml_page_check_references(&drawing, here.path);
        xml_page_free(&drawing);
    }
    size_t size = 0;
    char *text = read_whole(place_path(&here, "town-success-sigma_s.svg"), &size);
    CHECK_CONTAINS(text, ">Success rate (%) on town, over σs (hops)</title>");
    CHECK_CONTAINS(text, "From 2 to 6: StarCloak from ");
    CHECK_CONTAINS(text, "network expansion");
    assert_null(strstr(text, "GNUPLOT"));
    free(text);
    text = read_whole(place_path(&here, "town-entropy-injected.svg"), &size);
    CHECK_CONTAINS(text, ">Segment entropy under attack (of log2 |S|) on town, over injected "
                         "queries (per victim)</title>");
    free(text);
    text = read_whole(place_path(&here, "country-effective-asked.svg"), &size);
    CHECK_CONTAINS(text, ">Effective segments (2^H) on country, over cloaks seen (of one "
                         "traveller)</title>");
    CHECK_CONTAINS(text, "From 1 to 5: StarCloak from ");
    free(text);
    place_free(&here);
    made_results_free(&made);
}

static void test_the_same_numbers_give_the_same_drawing(void **state)
{
    (void)state;
    if (!has_gnuplot()) skip();
    made_results made = made_results_new();
    want_few(&made);
    made_results_fill(&made, as_the_paper_says);
    place first = place_new();
    place second = place_new();
    sc_lab_summary summary;
    sc_diag diag = {""};
    CHECK_OK(write_to(&made, first.path, &summary, &diag), &diag);
    CHECK_OK(write_to(&made, second.path, &summary, &diag), &diag);
    static const char *const names[] = {"country-throughput-sigma_s.svg", "report.html"};
    for (size_t i = 0; i < 2; i++) {
        size_t size = 0;
        char *left = read_whole(place_path(&first, names[i]), &size);
        char *right = read_whole(place_path(&second, names[i]), &size);
        assert_string_equal(left, right);
        free(left);
        free(right);
    }
    place_free(&first);
    place_free(&second);
    made_results_free(&made);
}

// --- The axis of shares --------------------------------------------------------------------

// Success and entropy of all methods at all points: from `low` to `high` percent along k.
static void check_axis(sc_lab_metric metric, double low, double high, const char *wanted)
{
    made_results made = made_results_new();
    made.options.grids[SC_LAB_AXIS_K] = (sc_lab_grid){{3, 9}, 2};
    made_results_fill(&made, as_the_paper_says);
    for (size_t i = 0; i < made.results.count; i++) {
        sc_lab_result *r = &made.all[i];
        const double percent = r->point.mean[SC_LAB_AXIS_K] > 5 ? low : high;
        for (sc_lab_method method = 0; method < SC_LAB_METHOD_COUNT; method++) {
            r->by_method[method].cloaked = (uint64_t)(100 * percent);
            r->by_method[method].entropy = percent / 100;
        }
    }
    sc_lab_table table;
    sc_diag diag = {""};
    CHECK_OK(sc__table_init(&table, &made.results, &diag), &diag);
    char *text = NULL;
    size_t size = 0;
    FILE *script = open_memstream(&text, &size);
    assert_non_null(script);
    const sc_lab_figure figure = {.metric = metric, .map = 0, .axis = SC_LAB_AXIS_K};
    sc__script_figure(script, &table, &figure);
    fclose(script);
    CHECK_CONTAINS(text, wanted);
    // What the caption says of it.
    char start[64];
    snprintf(start, sizeof start, "set yrange [%.10g:", sc__figure_axis_start(&table, &figure));
    CHECK_CONTAINS(text, start);
    free(text);
    sc__table_fini(&table);
    made_results_free(&made);
}

static void test_high_success_fills_the_axis_and_low_is_seen_against_the_whole(void **state)
{
    (void)state;
    check_axis(SC_LAB_SUCCESS, 62, 98, "set yrange [60:100.4]\n");
    check_axis(SC_LAB_SUCCESS, 51, 58, "set yrange [50:60.1]\n");
    check_axis(SC_LAB_SUCCESS, 97, 99, "set yrange [95:100.05]\n");
    // Also where there is no difference at all.
    check_axis(SC_LAB_SUCCESS, 100, 100, "set yrange [95:100.05]\n");
    check_axis(SC_LAB_SUCCESS, 70, 70, "set yrange [65:70.05]\n");
    check_axis(SC_LAB_SUCCESS, 50, 100, "set yrange [0:101]\n");
    check_axis(SC_LAB_SUCCESS, 0, 0, "set yrange [0:101]\n");
}

static void test_entropy_is_seen_as_success_is(void **state)
{
    (void)state;
    check_axis(SC_LAB_ENTROPY, 62, 98, "set yrange [0.6:1.004]\n");
    check_axis(SC_LAB_ENTROPY, 97, 99, "set yrange [0.95:1.0005]\n");
    check_axis(SC_LAB_ENTROPY, 40, 99, "set yrange [0:1.01]\n");
    // Other axes begin at 0.
    check_axis(SC_LAB_ANONYMIZATION, 62, 98, "set yrange [0:");
    check_axis(SC_LAB_EFFECTIVE, 62, 98, "set yrange [0:");
}

static void test_intervals_are_drawn_as_far_as_they_are_possible(void **state)
{
    (void)state;
    made_results made = made_results_new();
    made.options.seed_count = 2;
    made.options.grids[SC_LAB_AXIS_K] = (sc_lab_grid){{5}, 1};
    made_results_fill(&made, as_the_paper_says);
    for (size_t i = 0; i < made.results.count; i++) {
        sc_lab_measure *basic = &made.all[i].by_method[SC_LAB_BASIC];
        basic->cloaked = made.all[i].point.seed == 1 ? 9000 : 9900;
        basic->wait_s = made.all[i].point.seed == 1 ? 1 : 3;
    }
    sc_lab_table table;
    sc_diag diag = {""};
    CHECK_OK(sc__table_init(&table, &made.results, &diag), &diag);
    sc_lab_figure figure = {.metric = SC_LAB_SUCCESS, .map = 0, .axis = SC_LAB_AXIS_K};
    for (int i = 0; i < 2; i++) {
        char *text = NULL;
        size_t size = 0;
        FILE *script = open_memstream(&text, &size);
        assert_non_null(script);
        sc__script_figure(script, &table, &figure);
        fclose(script);
        // 94.5 and 12.7062 times 4.5, to either side; 2 and 12.7062 to either side.
        CHECK_CONTAINS(text, i == 0 ? "5 94.5 37.32207869 100\n" : "5 2 0 14.70620474\n");
        if (i == 1) CHECK_CONTAINS(text, "set yrange [0:");
        free(text);
        figure.metric = SC_LAB_ANONYMIZATION;
    }
    sc__table_fini(&table);
    made_results_free(&made);
}

// --- Odd numbers -----------------------------------------------------------------------

static sc_lab_measure nothing_cloaked(const sc_lab_point *point, sc_lab_method method)
{
    (void)point;
    (void)method;
    return (sc_lab_measure){.queries = 100, .cpu_us = 3};
}

static sc_lab_measure always_the_same(const sc_lab_point *point, sc_lab_method method)
{
    (void)point;
    (void)method;
    return (sc_lab_measure){.queries = 1000,
                            .cloaked = 1000,
                            .cloaks = 10,
                            .cpu_us = 10,
                            .evaluated_cloaks = 1,
                            .evaluated_queries = 10};
}

static sc_lab_measure scattered(const sc_lab_point *point, sc_lab_method method)
{
    // Intervals far wider than the values, so that they reach below 0, and a method with nothing.
    const double wild = point->seed == 1 ? 1e-3 : 1e6;
    if (method == SC_LAB_XSTAR) return nothing_cloaked(point, method);
    return (sc_lab_measure){.queries = 1000,
                            .cloaked = point->seed == 1 ? 1 : 1000,
                            .cloaks = 10,
                            .wait_s = wild,
                            .cpu_us = 1 / wild,
                            .evaluated_cloaks = 1,
                            .evaluated_queries = 10,
                            .candidates = wild,
                            .provider_cpu_us = wild};
}

static size_t plots_of(made_formula *formula, unsigned seeds, size_t values)
{
    made_results made = made_results_new();
    made.options.seed_count = seeds;
    want_few(&made);
    for (int axis = 0; axis < SC_LAB_AXIS_COUNT; axis++) {
        if (made.options.grids[axis].count > values) made.options.grids[axis].count = values;
    }
    made_results_fill(&made, formula);
    place here = place_new();
    sc_lab_summary summary;
    sc_diag diag = {""};
    CHECK_OK(write_to(&made, here.path, &summary, &diag), &diag);
    xml_page report = xml_page_read(place_path(&here, "report.html"));
    assert_int_equal(xml_page_count(&report, "svg"), summary.plot_count);
    xml_page_free(&report);
    place_free(&here);
    made_results_free(&made);
    return summary.plot_count;
}

static void test_odd_numbers_can_be_drawn_too(void **state)
{
    (void)state;
    if (!has_gnuplot()) skip();
    // Without cloaks there are success and throughput, both 0, and nothing else to draw. Only
    // what is as the paper says was attacked.
    assert_int_equal(plots_of(nothing_cloaked, 3, 9), 4);
    assert_int_equal(plots_of(always_the_same, 2, 9), 8);
    assert_int_equal(plots_of(always_the_same, 1, 1), 8);
    assert_int_equal(plots_of(scattered, 2, 9), 8);
    assert_int_equal(plots_of(as_the_paper_says, 1, 2), 10);
}

static void test_many_values_and_odd_names_can_be_drawn(void **state)
{
    (void)state;
    if (!has_gnuplot()) skip();
    made_results made = made_results_new();
    made.options.map_count = 1;
    made.options.maps[0].name = "it's <b>&amp; \"50% $x `ls` \\n_^{a} \xff\x01";
    made.options.grids[SC_LAB_AXIS_K].count = SC_LAB_GRID_MAX;
    for (int i = 0; i < SC_LAB_GRID_MAX; i++) {
        made.options.grids[SC_LAB_AXIS_K].values[i] = 1 + 0.25 * i;
    }
    memset(made.options.figures, 0, sizeof made.options.figures);
    made.options.figures[SC_LAB_SUCCESS] = 1U << SC_LAB_AXIS_K;
    made_results_fill(&made, as_the_paper_says);
    place here = place_new();
    sc_lab_summary summary;
    sc_diag diag = {""};
    CHECK_OK(write_to(&made, here.path, &summary, &diag), &diag);
    assert_int_equal(summary.plot_count, 1);
    xml_page report = xml_page_read(place_path(&here, "report.html"));
    assert_int_equal(xml_page_count(&report, "svg"), 1);
    assert_int_equal(xml_page_count(&report, "b"), 0);
    xml_page_check_ids(&report);
    xml_page_check_references(&report, here.path);
    xml_page_free(&report);
    place_free(&here);
    made_results_free(&made);
}

// --- No gnuplot, or a bad one ------------------------------------------------------------

static void test_without_gnuplot_there_are_numbers_and_a_report(void **state)
{
    (void)state;
    made_results made = made_results_new();
    want_few(&made);
    made_results_fill(&made, as_the_paper_says);
    place here = place_new();
    place empty = place_new();
    sc_lab_summary summary;
    sc_diag diag = {""};
    other_path path = path_to(empty.path);
    const sc_err err = write_to(&made, here.path, &summary, &diag);
    path_back(&path);
    CHECK_OK(err, &diag);
    assert_int_equal(summary.figure_count, 10);
    assert_int_equal(summary.plot_count, 0);
    // 10 figures, points, claims and the report.
    assert_int_equal(count_entries(here.path), 10 + 3);
    size_t size = 0;
    char *text = read_whole(place_path(&here, "report.html"), &size);
    CHECK_CONTAINS(text, "gnuplot is not installed");
    CHECK_CONTAINS(text, "apt install gnuplot-nox");
    free(text);
    place_free(&here);
    place_free(&empty);
    made_results_free(&made);
}

// A gnuplot of our own in a directory of its own.
static void put_gnuplot(const place *here, const char *script)
{
    const char *path = place_write_text(here, "gnuplot", script);
    assert_int_equal(chmod(path, 0755), 0);
}

static void check_bad_gnuplot(const char *script, const char *complaint)
{
    made_results made = made_results_new();
    want_few(&made);
    made_results_fill(&made, as_the_paper_says);
    place here = place_new();
    place bin = place_new();
    put_gnuplot(&bin, script);
    sc_lab_summary summary;
    sc_diag diag = {""};
    other_path path = path_to(bin.path);
    const sc_err err = write_to(&made, here.path, &summary, &diag);
    path_back(&path);
    CHECK_REFUSED(err, SC_EIO, &diag, complaint);
    CHECK_CONTAINS(diag.message, "all but the plots is written");
    CHECK_CONTAINS(diag.message, "leave plots out with --no-plots");
    // The numbers and the report are there all the same.
    assert_int_equal(count_entries(here.path), 10 + 3);
    size_t size = 0;
    char *text = read_whole(place_path(&here, "report.html"), &size);
    CHECK_CONTAINS(text, "There are no plots, because gnuplot failed.");
    CHECK_CONTAINS(text, "The paper’s eight claims");
    assert_null(strstr(text, "<svg"));
    free(text);
    place_free(&here);
    place_free(&bin);
    made_results_free(&made);
}

static void test_a_gnuplot_that_fails_is_told_with_its_last_words(void **state)
{
    (void)state;
    check_bad_gnuplot("#!/bin/sh\necho 'line 3: below' >&2\necho 'no svg here' >&2\nexit 1\n",
                      "gnuplot failed: 'no svg here'; all but");
    check_bad_gnuplot("#!/bin/sh\nexit 1\n", "gnuplot failed: it said nothing");
    check_bad_gnuplot("#!/bin/sh\nkill -9 $$\n", "gnuplot failed");
    check_bad_gnuplot("#!/bin/sh\necho '<svg></svg>'\n", "drew less than it was told");
    check_bad_gnuplot("#!/bin/sh\necho '<svg>'\n", "drew less than it was told");
}

static void test_the_script_reaches_gnuplot_and_its_output_comes_back(void **state)
{
    (void)state;
    place bin = place_new();
    put_gnuplot(&bin, "#!/bin/sh\necho \"$@\"\nwhile read line; do echo \"<$line>\"; done\n");
    other_path path = path_to(bin.path);
    FILE *script = sc__gnuplot_script();
    assert_non_null(script);
    fputs("one\ntwo\n", script);
    char *text = NULL;
    size_t size = 0;
    sc_diag diag = {""};
    const sc_err err = sc__gnuplot_run(script, &text, &size, &diag);
    path_back(&path);
    CHECK_OK(err, &diag);
    assert_string_equal(text, "-d -\n<one>\n<two>\n");
    assert_int_equal(size, strlen(text));
    fclose(script);
    sc_free(text);
    place_free(&bin);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_every_figure_becomes_a_drawing),
    cmocka_unit_test(test_the_same_numbers_give_the_same_drawing),
    cmocka_unit_test(test_high_success_fills_the_axis_and_low_is_seen_against_the_whole),
    cmocka_unit_test(test_entropy_is_seen_as_success_is),
    cmocka_unit_test(test_intervals_are_drawn_as_far_as_they_are_possible),
    cmocka_unit_test(test_odd_numbers_can_be_drawn_too),
    cmocka_unit_test(test_many_values_and_odd_names_can_be_drawn),
    cmocka_unit_test(test_without_gnuplot_there_are_numbers_and_a_report),
    cmocka_unit_test(test_a_gnuplot_that_fails_is_told_with_its_last_words),
    cmocka_unit_test(test_the_script_reaches_gnuplot_and_its_output_comes_back),
};
SC_SUITE(tests)
