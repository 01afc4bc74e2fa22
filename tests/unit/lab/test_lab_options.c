// What an experiment can be told, and how it is told that it makes no sense.
#include "small_lab.h"

static void refuse(const sc_lab_options *options, const char *part)
{
    sc_diag diag = {""};
    CHECK_REFUSED(sc_lab_options_check(options, &diag), SC_EINVAL, &diag, part);
    assert_int_equal(sc_lab_options_check(options, NULL), SC_EINVAL);
}

static void test_the_defaults_are_those_of_the_paper_and_make_sense(void **state)
{
    (void)state;
    sc_diag diag = {""};
    sc_lab_options options = sc_lab_options_default();
    options.maps[options.map_count++] = (sc_lab_map){.name = "city", .map = city};
    options.directory = "results";
    CHECK_OK(sc_lab_options_check(&options, &diag), &diag);
    assert_int_equal(options.travellers, 10000);
    assert_int_equal(options.seed_count, 3);
    assert_false(options.is_walk);
    CHECK_SAME(options.truck_share, 0.2);
    assert_false(options.has_cap);
    assert_int_equal(options.engine.compactness, 1);
    assert_int_equal(options.engine.consideration_us, 2000000);
    // The literal baselines promise nothing, and are run only where they are asked for.
    assert_int_equal(options.methods, (1u << SC_LAB_SAMPLING_LITERAL) - 1);
    assert_false(sc_lab_is_literal(SC_LAB_EXPANSION));
    assert_true(sc_lab_is_literal(SC_LAB_EXPANSION_LITERAL));
    assert_int_equal(sc_lab_to_literal(1u << SC_LAB_BASIC | 1u << SC_LAB_SAMPLING),
                     1u << SC_LAB_BASIC | 1u << SC_LAB_SAMPLING_LITERAL);
    assert_int_equal(sc_lab_to_literal(options.methods) & SC_LAB_SHARED_BASELINES, 0);
    assert_int_equal(options.grids[SC_LAB_AXIS_K].count, 7);
    CHECK_SAME(options.grids[SC_LAB_AXIS_K].values[6], 9);
    CHECK_SAME(options.grids[SC_LAB_AXIS_L].values[4], 11);
    CHECK_SAME(options.grids[SC_LAB_AXIS_SIGMA_S].values[0], 2);
    CHECK_SAME(options.grids[SC_LAB_AXIS_SIGMA_T].values[3], 20);
    // The paper varies the wait everywhere but where it measures what comes back, or attacks.
    for (sc_lab_metric metric = 0; metric <= SC_LAB_CANDIDATES; metric++) {
        const bool has_wait = (options.figures[metric] >> SC_LAB_AXIS_SIGMA_T) & 1u;
        const bool has_nearest = (options.figures[metric] >> SC_LAB_AXIS_NEAREST) & 1u;
        assert_int_equal(has_wait, metric != SC_LAB_CANDIDATES);
        assert_int_equal(has_nearest, metric == SC_LAB_CANDIDATES);
    }
    assert_int_equal(options.figures[SC_LAB_ENTROPY],
                     1u << SC_LAB_AXIS_K | 1u << SC_LAB_AXIS_L | 1u << SC_LAB_AXIS_INJECTED);
    assert_int_equal(options.figures[SC_LAB_EFFECTIVE], 1u << SC_LAB_AXIS_ASKED);
    CHECK_SAME(options.grids[SC_LAB_AXIS_INJECTED].values[0], 0);
    CHECK_SAME(options.grids[SC_LAB_AXIS_INJECTED].values[6], 6);
    CHECK_SAME(options.grids[SC_LAB_AXIS_ASKED].values[4], 5);
    assert_false(options.knows_traffic);
    assert_int_equal(options.adversary.likeness, SC_LIKENESS_OVERLAP);
    assert_int_equal(options.adversary.threads, 1);
}

static void test_a_quick_one_has_the_same_figures_and_the_middle_on_each(void **state)
{
    (void)state;
    sc_diag diag = {""};
    sc_lab_options options = sc_lab_options_default();
    sc_lab_options_be_quick(&options);
    options.maps[options.map_count++] = (sc_lab_map){.name = "city", .map = city};
    options.directory = "results";
    CHECK_OK(sc_lab_options_check(&options, &diag), &diag);
    const sc_lab_options full = sc_lab_options_default();
    assert_memory_equal(options.figures, full.figures, sizeof full.figures);
    assert_int_equal(options.seed_count, 1);
    for (sc_lab_axis axis = 0; axis < SC_LAB_AXIS_COUNT; axis++) {
        const sc_lab_point middle = sc_lab_point_at(&options, 0, SC_LAB_AXIS_K, 5, 1);
        const sc_lab_grid *values = &options.grids[axis];
        const sc_lab_grid *all = &full.grids[axis];
        bool is_on = false;
        for (size_t i = 0; i < values->count; i++) {
            is_on = is_on || values->values[i] == middle.mean[axis];
        }
        assert_true(is_on);
        CHECK_SAME(values->values[0], all->values[0]);
        // In so short a time no traveller asks five times.
        const double last = axis == SC_LAB_AXIS_ASKED ? 2 : all->values[all->count - 1];
        CHECK_SAME(values->values[values->count - 1], last);
    }
}

static void test_names_are_those_of_the_lists(void **state)
{
    (void)state;
    assert_string_equal(sc_lab_method_name(SC_LAB_STRICT), "strict");
    assert_string_equal(sc_lab_axis_name(SC_LAB_AXIS_SIGMA_S), "sigma_s");
    assert_string_equal(sc_lab_metric_name(SC_LAB_ANONYMIZATION), "anonymization");
    assert_string_equal(sc_lab_method_name(SC_LAB_METHOD_COUNT), "unknown");
}

// --- Maps ----------------------------------------------------------------------

static void test_maps_must_have_names_that_files_can_have(void **state)
{
    (void)state;
    sc_lab_options options = small_options(city, "results");
    static const char *const bad[] = {
        "",
        "a b",
        "../a",
        "a/b",
        "a.b",
        "\xc3\xa4",
        "12345678901234567890123456789012345678901234567890123456789012345"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        options.maps[0].name = bad[i];
        refuse(&options, "a map must have a name");
    }
    options.maps[0].name = NULL;
    refuse(&options, "a map must have a name");
    options.maps[0].name = "San-Francisco_2";
    CHECK_OK(sc_lab_options_check(&options, NULL), NULL);
    options.maps[0].name = "1234567890123456789012345678901234567890123456789012345678901234";
    assert_int_equal(strlen(options.maps[0].name), SC_LAB_NAME_MAX);
    CHECK_OK(sc_lab_options_check(&options, NULL), NULL);
}

static void test_there_must_be_maps_and_none_twice(void **state)
{
    (void)state;
    sc_lab_options options = small_options(city, "results");
    options.maps[options.map_count++] = (sc_lab_map){.name = "city", .map = grid};
    refuse(&options, "two maps are called city");
    options.maps[1] = (sc_lab_map){.name = "grid", .map = NULL};
    refuse(&options, "grid: the map is missing");
    options.map_count = 0;
    refuse(&options, "no map");
    options.map_count = SC_LAB_MAPS_MAX + 1;
    refuse(&options, "17 maps were given");
}

static void test_a_wanted_category_must_be_on_every_map_that_has_objects(void **state)
{
    (void)state;
    sc_lab_options options = small_options(city, "results");
    options.workload.wanted = SC_WANT_THIS;
    // Unused: each map has its own.
    options.workload.category = 4711;
    CHECK_OK(sc_lab_options_check(&options, NULL), NULL);
    // A map without objects has no categories, and needs none.
    options.maps[options.map_count++] = (sc_lab_map){.name = "grid", .map = grid, .category = 4711};
    CHECK_OK(sc_lab_options_check(&options, NULL), NULL);
    // The same thing may have another number elsewhere.
    sc_map *other = full_map(SC_COORDS_PLANAR);
    options.maps[options.map_count++] = (sc_lab_map){.name = "other", .map = other, .category = 1};
    CHECK_OK(sc_lab_options_check(&options, NULL), NULL);
    options.maps[2].category = sc_map_category_count(other);
    refuse(&options, "other does not have the category");
    options.maps[0].category = 4711;
    refuse(&options, "city does not have the category");
    options.workload.wanted = SC_WANT_ANY;
    CHECK_OK(sc_lab_options_check(&options, NULL), NULL);
    sc_map_free(other);
}

// --- Figures and values ----------------------------------------------------------

static void test_there_must_be_a_figure_that_some_map_can_have(void **state)
{
    (void)state;
    sc_lab_options options = small_options(grid, "results");
    options.figures[SC_LAB_SUCCESS] = 0;
    refuse(&options, "need objects, but no map has any");
    options.figures[SC_LAB_CANDIDATES] = 0;
    refuse(&options, "no figure");
    options.figures[SC_LAB_SUCCESS] = 1u << SC_LAB_AXIS_COUNT;
    refuse(&options, "an unknown axis");
}

static void test_every_metric_has_axes_that_it_can_be_drawn_over(void **state)
{
    (void)state;
    for (sc_lab_metric metric = 0; metric < SC_LAB_METRIC_COUNT; metric++) {
        for (sc_lab_axis axis = 0; axis < SC_LAB_AXIS_COUNT; axis++) {
            const bool is_good = metric == SC_LAB_EFFECTIVE ? axis == SC_LAB_AXIS_ASKED
                                 : metric == SC_LAB_ENTROPY ? axis != SC_LAB_AXIS_ASKED
                                                            : axis < SC_LAB_AXIS_INJECTED;
            assert_int_equal(sc_lab_goes_over(metric, axis), is_good);
            sc_lab_options options = small_options(city, "results");
            memset(options.figures, 0, sizeof options.figures);
            options.figures[metric] = 1u << axis;
            char says[100];
            snprintf(says, sizeof says, "%s cannot be drawn over %s", sc_lab_metric_name(metric),
                     sc_lab_axis_name(axis));
            if (is_good) {
                CHECK_OK(sc_lab_options_check(&options, NULL), NULL);
            } else {
                refuse(&options, says);
            }
        }
    }
}

static void test_values_must_ascend_and_be_possible(void **state)
{
    (void)state;
    static const struct {
        sc_lab_grid grid;
        const char *says;
    } bad[] = {
        {{{0}, 0}, "k must take 1 to 32 values"},
        {{{3, 2}, 2}, "the values of k must ascend, each once: 2 comes after 3"},
        {{{3, 3}, 2}, "the values of k must ascend, each once: 3 comes after 3"},
        {{{0}, 1}, "k cannot be 0"},
        {{{-4}, 1}, "k cannot be -4"},
        {{{NOT_A_NUMBER}, 1}, "k cannot be nan"},
        {{{999}, 1}, "k with the mean 999 goes up to 1003, but at most 1000 is admitted"},
    };
    sc_lab_options options = small_options(city, "results");
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        options.grids[SC_LAB_AXIS_K] = bad[i].grid;
        refuse(&options, bad[i].says);
    }
    options.grids[SC_LAB_AXIS_K] = (sc_lab_grid){.count = SC_LAB_GRID_MAX + 1};
    refuse(&options, "k must take 1 to 32 values");
    // What no figure is over may have no values.
    options.figures[SC_LAB_SUCCESS] = 0;
    refuse(&options, "k must take 1 to 32 values");
    options.grids[SC_LAB_AXIS_K].count = 0;
    CHECK_OK(sc_lab_options_check(&options, NULL), NULL);
}

static void test_values_that_cannot_be_are_told_by_their_axis(void **state)
{
    (void)state;
    static const struct {
        sc_lab_axis axis;
        double value;
        const char *says;
    } bad[] = {
        {SC_LAB_AXIS_K, 0, "k cannot be 0"},
        {SC_LAB_AXIS_L, 0.5, "l cannot be 0.5"},
        {SC_LAB_AXIS_SIGMA_S, -1, "sigma_s cannot be -1"},
        {SC_LAB_AXIS_SIGMA_T, 0, "sigma_t cannot be 0"},
        {SC_LAB_AXIS_NEAREST, 0, "nearest cannot be 0"},
        {SC_LAB_AXIS_L, 10001, "l with the mean 10001"},
        {SC_LAB_AXIS_SIGMA_S, 17, "sigma_s with the mean 17 goes up to "},
        {SC_LAB_AXIS_SIGMA_T, 3601, "sigma_t with the mean 3601"},
        {SC_LAB_AXIS_NEAREST, 2000, "nearest with the mean 2000"},
        {SC_LAB_AXIS_NEAREST, 1e9, "nearest cannot be 1000000000"},
        {SC_LAB_AXIS_INJECTED, -1, "injected must be a whole number from 0 to 64, not -1"},
        {SC_LAB_AXIS_INJECTED, 1.5, "injected must be a whole number from 0 to 64, not 1.5"},
        {SC_LAB_AXIS_INJECTED, 65, "injected must be a whole number from 0 to 64, not 65"},
        {SC_LAB_AXIS_INJECTED, NOT_A_NUMBER, "injected must be a whole number from 0 to 64, not "},
        {SC_LAB_AXIS_ASKED, 0, "asked must be a whole number from 1 to 8, not 0"},
        {SC_LAB_AXIS_ASKED, 2.5, "asked must be a whole number from 1 to 8, not 2.5"},
        {SC_LAB_AXIS_ASKED, 9, "asked must be a whole number from 1 to 8, not 9"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        sc_lab_options options = small_options(city, "results");
        const bool is_low = bad[i].value < 5;
        const sc_lab_grid alone = {{bad[i].value}, 1};
        const sc_lab_grid last = {{5, bad[i].value}, 2};
        options.grids[bad[i].axis] = is_low ? alone : last;
        // Whether or not a figure is over the axis.
        memset(options.figures, 0, sizeof options.figures);
        const bool is_asked = bad[i].axis == SC_LAB_AXIS_ASKED;
        options.figures[is_asked ? SC_LAB_EFFECTIVE : SC_LAB_ENTROPY] = 1u << bad[i].axis;
        refuse(&options, bad[i].says);
        memset(options.figures, 0, sizeof options.figures);
        options.figures[SC_LAB_SUCCESS] =
            1u << (bad[i].axis == SC_LAB_AXIS_K ? SC_LAB_AXIS_L : SC_LAB_AXIS_K);
        refuse(&options, bad[i].says);
    }
}

static void test_values_must_leave_room_for_their_deviation_where_it_matters(void **state)
{
    (void)state;
    sc_lab_options options = small_options(city, "results");
    options.grids[SC_LAB_AXIS_SIGMA_S] = (sc_lab_grid){{3, 13}, 2};
    CHECK_OK(sc_lab_options_check(&options, NULL), NULL);
    options.figures[SC_LAB_THROUGHPUT] = 1u << SC_LAB_AXIS_SIGMA_S;
    refuse(&options, "sigma_s with the mean 13 goes up to 17, but at most 16 is admitted");
    options.grids[SC_LAB_AXIS_SIGMA_S] = (sc_lab_grid){{3, 12}, 2};
    CHECK_OK(sc_lab_options_check(&options, NULL), NULL);
}

static void test_the_middle_must_be_possible_too(void **state)
{
    (void)state;
    sc_lab_options options = small_options(city, "results");
    options.workload.max_hops = sc_normal_around(20, 1, 0);
    refuse(&options, "sigma_s with the mean 20");
    options.workload.max_hops.deviation = -1;
    refuse(&options, "the workload is not valid");
}

// --- Numbers -----------------------------------------------------------------------

static void test_numbers_out_of_range_are_refused(void **state)
{
    (void)state;
    const sc_lab_options good = small_options(city, "results");
    CHECK_OK(sc_lab_options_check(&good, NULL), NULL);
    sc_lab_options options = good;
#define REFUSE(field, value, says) \
    do {                           \
        options = good;            \
        options.field = (value);   \
        refuse(&options, says);    \
    } while (0)
    REFUSE(methods, 0, "no method");
    REFUSE(methods, 1u << SC_LAB_METHOD_COUNT, "no method");
    REFUSE(seed_count, 0, "the number of seeds must be 1 to 1000");
    REFUSE(seed_count, 1001, "the number of seeds must be 1 to 1000");
    REFUSE(first_seed, UINT64_MAX, "seeds");
    REFUSE(travellers, 0, "travellers");
    REFUSE(travellers, SC_TRAVELLERS_MAX + 1, "travellers");
    REFUSE(warm_up_s, -1, "the warm-up");
    REFUSE(warm_up_s, NOT_A_NUMBER, "the warm-up");
    REFUSE(counted_s, 0, "the counted time");
    REFUSE(counted_s, 1e7, "the counted time");
    REFUSE(truck_share, -0.1, "the share of trucks must be from 0 to 1, not -0.1");
    REFUSE(truck_share, 1.1, "the share of trucks");
    REFUSE(truck_share, NOT_A_NUMBER, "the share of trucks");
    REFUSE(engine.k_spread, SC_K_SPREAD_MAX + 1, "the spread of k must be from 0 to 1000");
    REFUSE(engine.compactness, 0, "lambda must be from 1 to ");
    REFUSE(engine.compactness, (1u << 30) + 1, "lambda must be from 1 to ");
    REFUSE(engine.consideration_us, -1, "alpha must not be negative");
    REFUSE(engine.cost.balance, 1.5, "");
    REFUSE(engine.cost.segment, -1, "");
    REFUSE(max_cloaks, 0, "at least one cloak");
    REFUSE(max_victims, 0, "the number of victims must be 1 to 10000, not 0");
    REFUSE(max_victims, 10001, "the number of victims must be 1 to 10000, not 10001");
    REFUSE(adversary.samples, 31, "an adversary needs at least 32 samples");
    REFUSE(adversary.runs, 1, "at least twice to estimate its error, not 1 times");
    REFUSE(adversary.likeness, (sc_likeness)2, "unknown likeness of the adversary");
    REFUSE(others, (sc_lab_others)2, "unknown place of other travellers");
    REFUSE(jobs, 0, "the number of processes must be 1 to 256");
    REFUSE(jobs, 257, "the number of processes must be 1 to 256");
    REFUSE(directory, NULL, "no directory");
    REFUSE(directory, "", "no directory");
#undef REFUSE
}

static void test_a_cap_counts_only_if_there_is_one(void **state)
{
    (void)state;
    sc_lab_options options = small_options(city, "results");
    static const uint32_t bad[] = {0, SC_COMBINATIONS_MAX + 1};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        options.engine.max_combinations = bad[i];
        options.has_cap = true;
        refuse(&options, "the cap on combinations must be from 1 to ");
        options.has_cap = false;
        CHECK_OK(sc_lab_options_check(&options, NULL), NULL);
    }
}

// --- What measures say -------------------------------------------------------------

static void test_metrics_of_a_measure(void **state)
{
    (void)state;
    const sc_lab_measure measure = {.queries = 200,
                                    .cloaked = 150,
                                    .wait_s = 1.25,
                                    .cpu_us = 4,
                                    .evaluated_cloaks = 10,
                                    .evaluated_queries = 30,
                                    .candidates = 42,
                                    .provider_cpu_us = 7,
                                    .attacked_cloaks = 3,
                                    .entropy = 0.75,
                                    .followed = {9, 8, 7},
                                    .effective = {20, 10, 5, 4711}};
    static const double wanted[SC_LAB_METRIC_COUNT] = {
        [SC_LAB_SUCCESS] = 75,   [SC_LAB_THROUGHPUT] = 187500, [SC_LAB_ANONYMIZATION] = 1.25,
        [SC_LAB_PROCESSING] = 7, [SC_LAB_CANDIDATES] = 42,     [SC_LAB_ENTROPY] = 0.75,
        [SC_LAB_EFFECTIVE] = 10};
    for (sc_lab_metric metric = 0; metric < SC_LAB_METRIC_COUNT; metric++) {
        const sc_lab_axis axis = metric == SC_LAB_EFFECTIVE ? SC_LAB_AXIS_ASKED : SC_LAB_AXIS_K;
        double value = 0;
        assert_true(sc_lab_value(&measure, metric, axis, 2, &value));
        CHECK_SAME(value, wanted[metric]);
    }
}

static void test_every_number_of_cloaks_seen_is_told_by_one_measure(void **state)
{
    (void)state;
    const sc_lab_measure measure = {.followed = {9, 8, 0, [SC_LAB_ASKED_MAX - 1] = 1},
                                    .effective = {20, 10, 5, [SC_LAB_ASKED_MAX - 1] = 1.5}};
    static const double there[][2] = {{1, 20}, {2, 10}, {SC_LAB_ASKED_MAX, 1.5}};
    for (size_t i = 0; i < sizeof there / sizeof *there; i++) {
        double value = 0;
        assert_true(
            sc_lab_value(&measure, SC_LAB_EFFECTIVE, SC_LAB_AXIS_ASKED, there[i][0], &value));
        CHECK_SAME(value, there[i][1]);
    }
    // No traveller had three; and there is no 0th, and no end beyond the last.
    static const double missing[] = {3, 0, -1, SC_LAB_ASKED_MAX + 1, NOT_A_NUMBER};
    double value = 4711;
    for (size_t i = 0; i < sizeof missing / sizeof *missing; i++) {
        assert_false(
            sc_lab_value(&measure, SC_LAB_EFFECTIVE, SC_LAB_AXIS_ASKED, missing[i], &value));
    }
    assert_false(sc_lab_value(&measure, SC_LAB_EFFECTIVE, SC_LAB_AXIS_K, 1, &value));
    CHECK_SAME(value, 4711);
}

static void test_what_was_not_measured_has_no_value(void **state)
{
    (void)state;
    const sc_lab_measure nothing = {.queries = 0};
    double value = 4711;
    for (sc_lab_metric metric = 0; metric < SC_LAB_METRIC_COUNT; metric++) {
        assert_false(sc_lab_value(&nothing, metric, SC_LAB_AXIS_K, 5, &value));
        assert_false(sc_lab_value(&nothing, metric, SC_LAB_AXIS_ASKED, 1, &value));
    }
    CHECK_SAME(value, 4711);
    // A run without a cloak has a success rate, and a throughput.
    const sc_lab_measure vain = {.queries = 10, .cpu_us = 4};
    assert_true(sc_lab_value(&vain, SC_LAB_SUCCESS, SC_LAB_AXIS_K, 5, &value));
    CHECK_SAME(value, 0);
    assert_true(sc_lab_value(&vain, SC_LAB_THROUGHPUT, SC_LAB_AXIS_K, 5, &value));
    CHECK_SAME(value, 0);
    assert_false(sc_lab_value(&vain, SC_LAB_ANONYMIZATION, SC_LAB_AXIS_K, 5, &value));
}

static void test_traffic_of_traces_is_not_known_to_the_adversary(void **state)
{
    (void)state;
    sc_lab_options options = sc_lab_options_default();
    // Only whether there are traces is looked at.
    const char some = 0;
    options.maps[options.map_count++] = (sc_lab_map){.name = "city", .map = city};
    options.maps[0].traces = (const sc_traces *)&some;
    options.directory = "results";
    CHECK_OK(sc_lab_options_check(&options, NULL), &(sc_diag){""});
    options.knows_traffic = true;
    refuse(&options, "would contain the victims");
    options.maps[0].traces = NULL;
    CHECK_OK(sc_lab_options_check(&options, NULL), &(sc_diag){""});
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_the_defaults_are_those_of_the_paper_and_make_sense),
    cmocka_unit_test(test_a_quick_one_has_the_same_figures_and_the_middle_on_each),
    cmocka_unit_test(test_names_are_those_of_the_lists),
    cmocka_unit_test(test_maps_must_have_names_that_files_can_have),
    cmocka_unit_test(test_there_must_be_maps_and_none_twice),
    cmocka_unit_test(test_a_wanted_category_must_be_on_every_map_that_has_objects),
    cmocka_unit_test(test_there_must_be_a_figure_that_some_map_can_have),
    cmocka_unit_test(test_every_metric_has_axes_that_it_can_be_drawn_over),
    cmocka_unit_test(test_values_must_ascend_and_be_possible),
    cmocka_unit_test(test_values_that_cannot_be_are_told_by_their_axis),
    cmocka_unit_test(test_values_must_leave_room_for_their_deviation_where_it_matters),
    cmocka_unit_test(test_the_middle_must_be_possible_too),
    cmocka_unit_test(test_numbers_out_of_range_are_refused),
    cmocka_unit_test(test_a_cap_counts_only_if_there_is_one),
    cmocka_unit_test(test_metrics_of_a_measure),
    cmocka_unit_test(test_every_number_of_cloaks_seen_is_told_by_one_measure),
    cmocka_unit_test(test_traffic_of_traces_is_not_known_to_the_adversary),
    cmocka_unit_test(test_what_was_not_measured_has_no_value),
};
SC_SUITE_WITH(tests, open_maps, close_maps)
