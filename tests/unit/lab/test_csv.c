// The CSV files, byte by byte.
#include "base/alloc.h"
#include "base/text.h"
#include "lab/lab_output.h"

#include "support/check.h"
#include "support/made_results.h"
#include "support/place.h"

#include <stdio.h>

/** One map, two values of k, two seeds, two methods, written to a place of its own. */
typedef struct small {
    made_results made;
    place here;
} small;

static sc_lab_measure small_measure(const sc_lab_point *point, sc_lab_method method)
{
    // Success: 80 and 90 % with the two seeds of basic, 10 less for hybrid, and 30 less at k = 7.
    const uint64_t cloaked = 700 + 100 * point->seed - (method == SC_LAB_HYBRID ? 100 : 0) -
                             (point->mean[SC_LAB_AXIS_K] > 5 ? 300 : 0);
    return (sc_lab_measure){.queries = 1000,
                            .cloaked = cloaked,
                            .cloaks = cloaked / 4,
                            .wait_s = 1.5,
                            .users = 5.25,
                            .segments = 20,
                            .border_nodes = 1.0 / 3,
                            .cpu_us = 2.5,
                            .evaluated_cloaks = 40,
                            .evaluated_queries = 200,
                            .candidates = 33.125,
                            .distinct = 12,
                            .bytes_in = 4096,
                            .provider_cpu_us = 123456.78901234,
                            .attacked_cloaks = 20,
                            .entropy = 0.875,
                            .entropy_error = 0.003,
                            .entropy_bias = -0.001,
                            .attacked_segments = 12.5,
                            .attacked_effective = 11.25,
                            .recognised = 1.5,
                            .probability = 0.0625,
                            .rank = 7.5,
                            .enumerated = 4,
                            .unexplained = 1,
                            .replays = 60000,
                            .followed = {15, 9},
                            .effective = {12.5, 6.25},
                            .located = {0.08, 0.16}};
}

static void small_init(small *s)
{
    s->made = made_results_new();
    s->here = place_new();
    sc_lab_options *options = &s->made.options;
    options->directory = s->here.path;
    options->map_count = 1;
    options->methods = 1U << SC_LAB_BASIC | 1U << SC_LAB_HYBRID;
    options->seed_count = 2;
    memset(options->figures, 0, sizeof options->figures);
    options->figures[SC_LAB_SUCCESS] = 1U << SC_LAB_AXIS_K;
    options->grids[SC_LAB_AXIS_K] = (sc_lab_grid){{5, 7.5}, 2};
}

static void small_fini(small *s)
{
    place_free(&s->here);
    made_results_free(&s->made);
}

static void check_file(const place *here, const char *name, const char *wanted)
{
    size_t size = 0;
    char *text = read_whole(place_path(here, name), &size);
    assert_string_equal(text, wanted);
    free(text);
}

static void write_figure(const small *s, sc_lab_metric metric)
{
    sc_lab_table table;
    sc_diag diag = {""};
    CHECK_OK(sc__table_init(&table, &s->made.results, &diag), &diag);
    const sc_lab_figure figure = {.metric = metric, .map = 0, .axis = SC_LAB_AXIS_K};
    CHECK_OK(sc__csv_write_figure(&table, &figure, &diag), &diag);
    sc__table_fini(&table);
}

static void test_a_figure_has_a_row_for_each_value_and_method(void **state)
{
    (void)state;
    small s;
    small_init(&s);
    made_results_fill(&s.made, small_measure);
    write_figure(&s, SC_LAB_SUCCESS);
    // Of 80 and 90: mean 85, and 12.7062 times 5 to either side, but no more than all and no less
    // than nothing.
    check_file(&s.here, "town-success-k.csv",
               "k,method,mean,low,high,seeds\n"
               "5,basic,85,21.46897632,100,2\n"
               "5,hybrid,75,11.46897632,100,2\n"
               "7.5,basic,55,0,100,2\n"
               "7.5,hybrid,45,0,100,2\n");
    small_fini(&s);
}

static void test_one_seed_has_no_interval_and_no_value_is_an_empty_field(void **state)
{
    (void)state;
    small s;
    small_init(&s);
    s.made.options.seed_count = 1;
    made_results_fill(&s.made, small_measure);
    made_result_at(&s.made, 0, SC_LAB_AXIS_K, 7.5, 1)->by_method[SC_LAB_BASIC] =
        (sc_lab_measure){.queries = 50, .cpu_us = 1};
    write_figure(&s, SC_LAB_ANONYMIZATION);
    check_file(&s.here, "town-anonymization-k.csv",
               "k,method,mean,low,high,seeds\n"
               "5,basic,1.5,,,1\n"
               "5,hybrid,1.5,,,1\n"
               "7.5,basic,,,,0\n"
               "7.5,hybrid,1.5,,,1\n");
    write_figure(&s, SC_LAB_SUCCESS);
    check_file(&s.here, "town-success-k.csv",
               "k,method,mean,low,high,seeds\n"
               "5,basic,80,,,1\n"
               "5,hybrid,70,,,1\n"
               "7.5,basic,0,,,1\n"
               "7.5,hybrid,40,,,1\n");
    small_fini(&s);
}

static void test_measured_columns_say_so(void **state)
{
    (void)state;
    small s;
    small_init(&s);
    s.made.options.seed_count = 1;
    s.made.options.grids[SC_LAB_AXIS_K].count = 1;
    made_results_fill(&s.made, small_measure);
    write_figure(&s, SC_LAB_THROUGHPUT);
    check_file(&s.here, "town-throughput-k.csv",
               "k,method,mean_measured,low_measured,high_measured,seeds\n"
               "5,basic,320000,,,1\n"
               "5,hybrid,280000,,,1\n");
    write_figure(&s, SC_LAB_PROCESSING);
    check_file(&s.here, "town-processing-k.csv",
               "k,method,mean_measured,low_measured,high_measured,seeds\n"
               "5,basic,123456.789,,,1\n"
               "5,hybrid,123456.789,,,1\n");
    small_fini(&s);
}

static void test_points_have_all_numbers_of_all_methods(void **state)
{
    (void)state;
    small s;
    small_init(&s);
    s.made.options.seed_count = 1;
    s.made.options.first_seed = UINT64_MAX - 3;
    s.made.options.maps[0].name = "a \"town\", large";
    s.made.options.grids[SC_LAB_AXIS_K].count = 1;
    made_results_fill(&s.made, small_measure);
    sc_lab_measure *hybrid = &s.made.all[0].by_method[SC_LAB_HYBRID];
    s.made.all[0].by_method[SC_LAB_BASIC].cloaked = 800;
    *hybrid = (sc_lab_measure){.queries = 7, .cpu_us = 0.1};
    s.made.all[0].by_method[SC_LAB_BASIC].cloaks = 200;
    sc_diag diag = {""};
    CHECK_OK(sc__csv_write_points(&s.made.results, &diag), &diag);
    check_file(
        &s.here, "points.csv",
        "map,seed,k,l,sigma_s,sigma_t,nearest,injected,method,queries,cloaked,cloaks,wait_s,users,"
        "segments,border_nodes,cpu_us_measured,evaluated_cloaks,evaluated_queries,candidates,"
        "distinct,bytes_in,provider_cpu_us_measured,attacked_cloaks,entropy,entropy_error,"
        "entropy_bias,attacked_segments,attacked_effective,recognised,probability,rank,enumerated,"
        "unexplained,replays,"
        "followed_1,effective_1,located_1,followed_2,effective_2,located_2,"
        "followed_3,effective_3,located_3,followed_4,effective_4,located_4,"
        "followed_5,effective_5,located_5,followed_6,effective_6,located_6,"
        "followed_7,effective_7,located_7,followed_8,effective_8,located_8\n"
        "\"a \"\"town\"\", large\",18446744073709551612,5,5,4,10,5,0,basic,1000,800,200,1.5,"
        "5.25,20,0.3333333333,2.5,40,200,33.125,12,4096,123456.789,20,0.875,0.003,-0.001,12.5,"
        "11.25,1.5,0.0625,7.5,"
        "4,1,60000,15,12.5,0.08,9,6.25,0.16,0,,,0,,,0,,,0,,,0,,,0,,\n"
        "\"a \"\"town\"\", large\",18446744073709551612,5,5,4,10,5,0,hybrid,7,0,0,,,,,0.1,0,0,,,,"
        ",0,,,,,,,,,0,0,0,0,,,0,,,0,,,0,,,0,,,0,,,0,,,0,,\n");
    small_fini(&s);
}

static void test_text_is_quoted_only_if_it_must_be(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *field;
    } cases[] = {
        {"plain text; with 'quotes'", "plain text; with 'quotes'"},
        {"a,b", "\"a,b\""},
        {"\"", "\"\"\"\""},
        {"two\nlines", "\"two\nlines\""},
        {"cr\r", "\"cr\r\""},
        {"", ""},
    };
    place here = place_new();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        FILE *stream = fopen(place_path(&here, "field"), "w");
        assert_non_null(stream);
        sc__csv_text(stream, cases[i].text);
        assert_int_equal(fclose(stream), 0);
        check_file(&here, "field", cases[i].field);
    }
    place_free(&here);
}

// --- The same seeds ----------------------------------------------------------------

static void write_all(made_results *made, const place *here)
{
    sc_lab_summary summary = {0};
    sc_diag diag = {""};
    made->options.directory = here->path;
    CHECK_OK(sc_lab_write(&made->results, &summary, &diag), &diag);
    assert_int_equal(summary.figure_count, 40);
}

// The file without its columns that are measured; rows are short enough.
static char *strip_measured(const char *path)
{
    size_t size = 0;
    char *text = read_whole(path, &size);
    sc_input input = {.name = path, .data = (const uint8_t *)text, .size = size};
    sc_lines lines = sc_lines_of(&input);
    sc_slice line;
    char *kept = test_take(2 * size + 1, 1);  // each line ends in two signs here
    size_t length = 0;
    bool is_measured[64] = {false};
    for (bool is_header = true; sc_lines_next(&lines, &line); is_header = false) {
        char *buffer = test_take(line.size + 1, 1);
        sc_slice field;
        bool more = true;
        bool broken = false;
        for (size_t i = 0; sc_slice_csv_field(&line, buffer, &field, &more, &broken); i++) {
            static const char end[] = "_measured";
            const size_t tail = sizeof end - 1;
            assert_true(i < 64);
            if (is_header) {
                is_measured[i] =
                    field.size > tail && memcmp(field.text + field.size - tail, end, tail) == 0;
            }
            if (is_measured[i]) continue;
            memcpy(kept + length, field.text, field.size);
            length += field.size;
            kept[length++] = '|';
        }
        assert_false(broken);
        kept[length++] = '\n';
        free(buffer);
    }
    free(text);
    return kept;
}

static void check_same(const place *a, const place *b, const char *name)
{
    char *left = strip_measured(place_path(a, name));
    char *right = strip_measured(place_path(b, name));
    assert_true(strlen(left) > 20);
    assert_string_equal(left, right);
    free(left);
    free(right);
}

static void test_two_runs_differ_in_measured_columns_alone(void **state)
{
    (void)state;
    made_results made = made_results_new();
    place first = place_new();
    place second = place_new();
    made_results_fill(&made, as_the_paper_says);
    write_all(&made, &first);
    // Another run on a machine whose clock makes no sense: whole claims turn round.
    for (size_t i = 0; i < made.results.count; i++) {
        for (sc_lab_method method = 0; method < SC_LAB_METHOD_COUNT; method++) {
            made.all[i].by_method[method].cpu_us = 100.0 / (1 + (double)method + (double)(i % 5));
            made.all[i].by_method[method].provider_cpu_us = 5 + (double)(i * 7 % 11);
        }
    }
    write_all(&made, &second);
    check_same(&first, &second, "points.csv");
    check_same(&first, &second, "claims.csv");
    sc_lab_figures figures;
    sc__figures_list(&made.options, &figures);
    for (size_t i = 0; i < figures.count; i++) {
        char *name = sc__figure_file(&made.options, &figures.all[i], "csv");
        check_same(&first, &second, name);
        sc_free(name);
    }
    // And they do differ there.
    size_t size = 0;
    char *left = read_whole(place_path(&first, "claims.csv"), &size);
    char *right = read_whole(place_path(&second, "claims.csv"), &size);
    assert_string_not_equal(left, right);
    CHECK_CONTAINS(left, "4a,town,");
    CHECK_CONTAINS(left, ",,,,,,,,holds,");
    free(left);
    free(right);
    place_free(&first);
    place_free(&second);
    made_results_free(&made);
}

static void test_a_directory_that_is_not_there_is_told(void **state)
{
    (void)state;
    made_results made = made_results_new();
    made_results_fill(&made, as_the_paper_says);
    place here = place_new();
    made.options.directory = place_path(&here, "nowhere");
    sc_lab_summary summary = {.point_count = 7};
    sc_diag diag = {""};
    const sc_err err = sc_lab_write(&made.results, &summary, &diag);
    CHECK_REFUSED(err, SC_EIO, &diag, "points.csv: cannot write");
    assert_int_equal(summary.figure_count, 0);
    assert_int_equal(count_entries(here.path), 0);
    place_free(&here);
    made_results_free(&made);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_figure_has_a_row_for_each_value_and_method),
    cmocka_unit_test(test_one_seed_has_no_interval_and_no_value_is_an_empty_field),
    cmocka_unit_test(test_measured_columns_say_so),
    cmocka_unit_test(test_points_have_all_numbers_of_all_methods),
    cmocka_unit_test(test_text_is_quoted_only_if_it_must_be),
    cmocka_unit_test(test_two_runs_differ_in_measured_columns_alone),
    cmocka_unit_test(test_a_directory_that_is_not_there_is_told),
};
SC_SUITE(tests)
