// Which points an experiment has, and in which order.
#include "lab/results.h"

#include "small_lab.h"

static sc__plan plan_of(const sc_lab_options *options)
{
    sc__plan plan = {0};
    CHECK_OK(sc__plan_init(&plan, options), NULL);
    return plan;
}

static size_t count_points(const sc_lab_options *options)
{
    sc__plan plan = plan_of(options);
    const size_t count = plan.count;
    sc__plan_fini(&plan);
    return count;
}

static sc_lab_options default_options(const sc_map *map)
{
    sc_lab_options options = sc_lab_options_default();
    options.maps[0] = (sc_lab_map){.name = "city", .map = map};
    options.map_count = 1;
    return options;
}

// On how many axes a point is away from the middle.
static unsigned count_moved(const sc_lab_options *options, const sc_lab_point *point)
{
    unsigned moved = 0;
    for (sc_lab_axis axis = 0; axis < SC_LAB_AXIS_COUNT; axis++) {
        moved += point->mean[axis] != sc__axis_middle(options, axis);
    }
    return moved;
}

static void test_all_figures_share_the_point_in_the_middle(void **state)
{
    (void)state;
    sc_lab_options options = default_options(city);
    // 7 values of k, 5 of l, 5 of sigma_s, 4 of sigma_t, 5 of nearest, 7 of injected; the middle
    // once, and it tells of all cloaks seen.
    assert_int_equal(count_points(&options), 3 * (6 + 4 + 4 + 3 + 4 + 6 + 1));
    options.seed_count = 1;
    assert_int_equal(count_points(&options), 28);
    options.figures[SC_LAB_ENTROPY] = 0;
    assert_int_equal(count_points(&options), 22);
    options.figures[SC_LAB_EFFECTIVE] = 0;
    assert_int_equal(count_points(&options), 22);
}

static void test_a_map_without_objects_has_no_points_for_the_provider(void **state)
{
    (void)state;
    sc_lab_options options = default_options(grid);
    options.seed_count = 1;
    // The number of objects asked for is not varied.
    assert_int_equal(count_points(&options), 6 + 4 + 4 + 3 + 6 + 1);
    for (sc_lab_metric metric = 0; metric < SC_LAB_METRIC_COUNT; metric++) {
        const bool is_of_provider = metric == SC_LAB_PROCESSING || metric == SC_LAB_CANDIDATES;
        if (!is_of_provider) options.figures[metric] = 0;
    }
    assert_int_equal(count_points(&options), 0);
}

static void test_injected_queries_have_points_of_their_own_and_cloaks_seen_have_none(void **state)
{
    (void)state;
    sc_lab_options options = small_options(city, "");
    memset(options.figures, 0, sizeof options.figures);
    options.seed_count = 1;
    options.figures[SC_LAB_ENTROPY] = 1u << SC_LAB_AXIS_INJECTED;
    options.grids[SC_LAB_AXIS_INJECTED] = (sc_lab_grid){{0, 2, 4}, 3};
    sc__plan plan = plan_of(&options);
    assert_int_equal(plan.count, 3);
    for (size_t i = 0; i < 3; i++) {
        // The first is the middle, as it is of all other axes.
        CHECK_SAME(plan.points[i].mean[SC_LAB_AXIS_INJECTED], 2 * (double)i);
        CHECK_SAME(plan.points[i].mean[SC_LAB_AXIS_ASKED], 1);
        assert_int_equal(count_moved(&options, &plan.points[i]), i == 0 ? 0 : 1);
    }
    sc__plan_fini(&plan);
    options.grids[SC_LAB_AXIS_INJECTED] = (sc_lab_grid){{1, 2}, 2};
    assert_int_equal(count_points(&options), 2);

    // Whatever its values, the middle is all that is needed.
    memset(options.figures, 0, sizeof options.figures);
    options.figures[SC_LAB_EFFECTIVE] = 1u << SC_LAB_AXIS_ASKED;
    options.grids[SC_LAB_AXIS_ASKED] = (sc_lab_grid){{2, 3, 4}, 3};
    plan = plan_of(&options);
    assert_int_equal(plan.count, 1);
    assert_int_equal(count_moved(&options, &plan.points[0]), 0);
    sc__plan_fini(&plan);
}

static void test_points_of_entropy_are_attacked_and_no_others(void **state)
{
    (void)state;
    sc_lab_options options = default_options(city);
    options.seed_count = 1;
    options.figures[SC_LAB_ENTROPY] = 1u << SC_LAB_AXIS_L | 1u << SC_LAB_AXIS_INJECTED;
    // Without the middle.
    options.grids[SC_LAB_AXIS_L] = (sc_lab_grid){{3, 7}, 2};
    options.grids[SC_LAB_AXIS_INJECTED] = (sc_lab_grid){{2, 6}, 2};
    sc__plan plan = plan_of(&options);
    size_t attacked = 0;
    for (size_t i = 0; i < plan.count; i++) {
        const double l = plan.points[i].mean[SC_LAB_AXIS_L];
        const bool is_drawn = l == 3 || l == 7 || plan.points[i].mean[SC_LAB_AXIS_INJECTED] > 0;
        assert_int_equal(sc_lab_is_attacked(&options, &plan.points[i]), is_drawn);
        attacked += is_drawn;
        // Travellers are followed in the middle only.
        assert_int_equal(sc_lab_is_followed(&options, &plan.points[i]), i == 0);
        assert_int_equal(sc_lab_least_asked(&options, &plan.points[i]), i == 0 ? 5 : 0);
    }
    assert_int_equal(attacked, 4);
    options.grids[SC_LAB_AXIS_INJECTED] = (sc_lab_grid){{0, 6}, 2};
    assert_true(sc_lab_is_attacked(&options, &plan.points[0]));
    options.figures[SC_LAB_EFFECTIVE] = 0;
    assert_false(sc_lab_is_followed(&options, &plan.points[0]));
    assert_int_equal(sc_lab_least_asked(&options, &plan.points[0]), 0);
    sc__plan_fini(&plan);
}

static void test_a_figure_needs_the_values_of_its_axis_only(void **state)
{
    (void)state;
    sc_lab_options options = small_options(city, "");
    options.figures[SC_LAB_CANDIDATES] = 0;
    assert_int_equal(count_points(&options), 2 * 3);
    options.figures[SC_LAB_SUCCESS] = 0;
    options.figures[SC_LAB_CANDIDATES] = 1u << SC_LAB_AXIS_NEAREST;
    assert_int_equal(count_points(&options), 2 * 2);
}

static void test_a_middle_that_is_on_no_grid_is_no_point(void **state)
{
    (void)state;
    sc_lab_options options = small_options(city, "");
    options.figures[SC_LAB_CANDIDATES] = 0;
    options.grids[SC_LAB_AXIS_K] = (sc_lab_grid){{2, 4}, 2};
    sc__plan plan = plan_of(&options);
    assert_int_equal(plan.count, 2 * 2);
    for (size_t i = 0; i < plan.count; i++) {
        assert_int_equal(count_moved(&options, &plan.points[i]), 1);
    }
    sc__plan_fini(&plan);
}

static void test_points_are_different_and_the_middles_come_first(void **state)
{
    (void)state;
    sc_lab_options options = default_options(city);
    options.maps[options.map_count++] = (sc_lab_map){.name = "grid", .map = grid};
    sc__plan plan = plan_of(&options);
    assert_int_equal(plan.count, 3 * (28 + 24));
    for (size_t i = 0; i < plan.count; i++) {
        const sc_lab_point *point = &plan.points[i];
        assert_int_equal(count_moved(&options, point), i < 6 ? 0 : 1);
        for (size_t j = 0; j < i; j++) {
            assert_memory_not_equal(point, &plan.points[j], sizeof *point);
        }
    }
    sc__plan_fini(&plan);
}

static void test_maps_take_turns_and_seeds_come_one_after_the_other(void **state)
{
    (void)state;
    sc_lab_options options = small_options(city, "");
    options.maps[options.map_count++] = (sc_lab_map){.name = "other", .map = city};
    options.first_seed = 40;
    sc__plan plan = plan_of(&options);
    assert_int_equal(plan.count, 2 * 2 * 4);
    for (size_t i = 0; i < plan.count; i++) {
        assert_int_equal(plan.points[i].map, i % 2);
        // Two middles of each seed, then six others of each.
        const uint64_t seed = i < 4 ? 40 + i / 2 : 40 + (i - 4) / 6;
        assert_int_equal(plan.points[i].seed, seed);
    }
    sc__plan_fini(&plan);
}

static void test_every_value_of_a_figure_is_found_by_its_point(void **state)
{
    (void)state;
    const sc_lab_options options = default_options(city);
    sc__plan plan = plan_of(&options);
    sc_lab_result *all = test_take(plan.count, sizeof *all);
    for (size_t i = 0; i < plan.count; i++) {
        all[i].point = plan.points[i];
    }
    const sc_lab_results results = {.options = &options, .all = all, .count = plan.count};
    for (sc_lab_axis axis = 0; axis < SC_LAB_AXIS_COUNT; axis++) {
        for (size_t v = 0; v < options.grids[axis].count; v++) {
            const double value = options.grids[axis].values[v];
            const sc_lab_point point = sc_lab_point_at(&options, 0, axis, value, 2);
            const sc_lab_result *found = sc_lab_find(&results, &point);
            assert_non_null(found);
            CHECK_SAME(found->point.mean[axis], axis == SC_LAB_AXIS_ASKED ? 1 : value);
            assert_int_equal(found->point.seed, 2);
        }
    }
    const sc_lab_point nowhere = sc_lab_point_at(&options, 0, SC_LAB_AXIS_K, 3.5, 2);
    assert_null(sc_lab_find(&results, &nowhere));
    free(all);
    sc__plan_fini(&plan);
}

static void test_a_point_moves_one_mean_and_its_bounds(void **state)
{
    (void)state;
    const sc_lab_options options = default_options(city);
    const sc_lab_point point = sc_lab_point_at(&options, 0, SC_LAB_AXIS_SIGMA_T, 20, 1);
    const sc_workload workload = sc__workload_at(&options, &point);
    const sc_normal wanted = sc_normal_around(20, 2, SC_LEAST_WAIT_S);
    assert_memory_equal(&workload.max_wait_s, &wanted, sizeof wanted);
    assert_memory_equal(&workload.k, &options.workload.k, sizeof workload.k);
    assert_memory_equal(&workload.l, &options.workload.l, sizeof workload.l);
    assert_memory_equal(&workload.max_hops, &options.workload.max_hops, sizeof workload.max_hops);
    assert_memory_equal(&workload.nearest, &options.workload.nearest, sizeof workload.nearest);
    assert_memory_equal(&workload.pause_s, &options.workload.pause_s, sizeof workload.pause_s);
}

static void test_an_adversary_moves_nothing_of_the_workload(void **state)
{
    (void)state;
    const sc_lab_options options = default_options(city);
    const sc_lab_point injected = sc_lab_point_at(&options, 0, SC_LAB_AXIS_INJECTED, 6, 1);
    const sc_lab_point asked = sc_lab_point_at(&options, 0, SC_LAB_AXIS_ASKED, 4, 1);
    const sc_workload workloads[] = {sc__workload_at(&options, &injected),
                                     sc__workload_at(&options, &asked)};
    for (size_t i = 0; i < 2; i++) {
        for (sc_lab_axis axis = 0; axis < SC_LAB_AXIS_INJECTED; axis++) {
            const sc_normal *spread = sc__axis_spread(&workloads[i], axis);
            assert_memory_equal(spread, sc__axis_spread(&options.workload, axis), sizeof *spread);
        }
    }
    CHECK_SAME(injected.mean[SC_LAB_AXIS_INJECTED], 6);
    CHECK_SAME(asked.mean[SC_LAB_AXIS_INJECTED], 0);
    CHECK_SAME(asked.mean[SC_LAB_AXIS_ASKED], 1);
    assert_null(sc__axis_spread(&options.workload, SC_LAB_AXIS_INJECTED));
    assert_null(sc__axis_spread(&options.workload, SC_LAB_AXIS_ASKED));
}

static void test_a_point_wants_what_its_map_has(void **state)
{
    (void)state;
    sc_lab_options options = default_options(city);
    options.maps[options.map_count++] = (sc_lab_map){.name = "grid", .map = grid};
    options.maps[0].category = 3;
    options.maps[1].category = 4;
    options.workload.category = 4711;
    static const sc_want wants[] = {SC_WANT_ONE, SC_WANT_ANY, SC_WANT_THIS};
    for (size_t i = 0; i < sizeof wants / sizeof *wants; i++) {
        options.workload.wanted = wants[i];
        sc_lab_point point = sc_lab_point_at(&options, 0, SC_LAB_AXIS_K, 5, 1);
        assert_int_equal(sc__workload_at(&options, &point).wanted, wants[i]);
        if (wants[i] == SC_WANT_THIS) {
            assert_int_equal(sc__workload_at(&options, &point).category, 3);
        }
        // Without objects there is nothing to choose from.
        point.map = 1;
        assert_int_equal(sc__workload_at(&options, &point).wanted, SC_WANT_ANY);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_all_figures_share_the_point_in_the_middle),
    cmocka_unit_test(test_a_map_without_objects_has_no_points_for_the_provider),
    cmocka_unit_test(test_injected_queries_have_points_of_their_own_and_cloaks_seen_have_none),
    cmocka_unit_test(test_points_of_entropy_are_attacked_and_no_others),
    cmocka_unit_test(test_a_figure_needs_the_values_of_its_axis_only),
    cmocka_unit_test(test_a_middle_that_is_on_no_grid_is_no_point),
    cmocka_unit_test(test_points_are_different_and_the_middles_come_first),
    cmocka_unit_test(test_maps_take_turns_and_seeds_come_one_after_the_other),
    cmocka_unit_test(test_every_value_of_a_figure_is_found_by_its_point),
    cmocka_unit_test(test_a_point_moves_one_mean_and_its_bounds),
    cmocka_unit_test(test_an_adversary_moves_nothing_of_the_workload),
    cmocka_unit_test(test_a_point_wants_what_its_map_has),
};
SC_SUITE_WITH(tests, open_maps, close_maps)
