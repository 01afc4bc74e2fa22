// Results by a formula. See made_results.h.
#include "support/made_results.h"

#include "support/check.h"
#include "support/sketch.h"

#include <math.h>

made_results made_results_new(void)
{
    made_results made = {.options = sc_lab_options_default()};
    made.maps[0] = full_map(SC_COORDS_GEOGRAPHIC);
    sketch grid = sketch_grid(SC_COORDS_PLANAR, 9, 9);
    made.maps[1] = sketch_map(&grid);
    sketch_free(&grid);
    made.options.map_count = 2;
    made.options.maps[0] = (sc_lab_map){.name = "town", .map = made.maps[0]};
    made.options.maps[1] = (sc_lab_map){.name = "country", .map = made.maps[1]};
    made.options.version = "9.9";
    return made;
}

void made_results_free(made_results *made)
{
    free(made->all);
    sc_map_free(made->maps[0]);
    sc_map_free(made->maps[1]);
}

// Higher with what is asked for, lower with what is tolerated; sparser on the second map.
static double hardness(const sc_lab_point *p)
{
    const double k = p->mean[SC_LAB_AXIS_K] * (p->map == 1 ? 2.5 : 1);
    return k + p->mean[SC_LAB_AXIS_L] - 2 * p->mean[SC_LAB_AXIS_SIGMA_S] -
           0.3 * p->mean[SC_LAB_AXIS_SIGMA_T];
}

// What an adversary learns: more with injected queries, unless no place depends on others'.
static void put_attack(sc_lab_measure *measure, const sc_lab_point *point, sc_lab_method method)
{
    // In the order of the methods: entropy by default, gained with each k, lost with each injected.
    static const double entropy[] = {0.93, 0.92, 0.915, 0.91, 0.85, 0.97, 0.6, 0.94};
    static const double gained[] = {0.004, 0.009, 0.009, 0.009, 0.004, 0.004, 0.004, 0.004};
    static const double lost[] = {0.005, 0.005, 0.005, 0.005, 0.03, 0, 0, 0.005};
    const double injected = point->mean[SC_LAB_AXIS_INJECTED];
    const double luck = (double)(point->seed % 7) * 0.001;
    measure->attacked_cloaks = 20;
    measure->entropy = entropy[method] + gained[method] * (point->mean[SC_LAB_AXIS_K] - 5) -
                       lost[method] * injected + luck;
    measure->entropy_error = 0.004 + luck;
    measure->entropy_bias = -0.002;
    measure->attacked_segments = 11;
    measure->attacked_effective = 9.5;
    measure->recognised = injected / 2;
    measure->probability = 0.06 + 0.2 * (1 - measure->entropy);
    measure->rank = 9 * measure->entropy;
    measure->enumerated = 5;
    measure->unexplained = method == SC_LAB_XSTAR ? 1 : 0;
    measure->replays = 60000;
    for (size_t i = 0; i < SC_LAB_ASKED_MAX && injected <= 0; i++) {
        measure->followed[i] = 15;
        measure->effective[i] = 1 + 15 * measure->entropy / (1 + 0.3 * (double)i);
        measure->located[i] = 1 / measure->effective[i];
    }
}

sc_lab_measure as_the_paper_says(const sc_lab_point *point, sc_lab_method method)
{
    // In the order of the methods: points of success lost, seconds, us of CPU, times of objects.
    static const double lost[] = {0, 2, 4, 5, 20, 30, 33, -2};
    static const double waits[] = {2, 4, 4.2, 4.4, 7, 5, 5, 2.1};
    static const double cpu[] = {2, 3, 3.1, 3.2, 4, 12, 13, 3.5};
    static const double objects[] = {1.5, 1.1, 1, 0.9, 2.5, 2, 2, 1.6};
    const double luck = (double)(point->seed % 7) * 0.1;
    const double space = point->mean[SC_LAB_AXIS_SIGMA_S];
    const double lost_to_space = method == SC_LAB_XSTAR ? 3 * (6 - space) : 0;
    const double rate = 70 - hardness(point) - lost[method] - lost_to_space + luck;
    const double load = 40 * objects[method] * (1 + 0.1 * space) + luck;
    const double steep = method == SC_LAB_XSTAR ? 1 + 0.1 * point->mean[SC_LAB_AXIS_L] : 1;
    const bool has_objects = point->map == 0;
    sc_lab_measure measure = {
        .queries = 10000,
        .cloaked = (uint64_t)lround(100 * rate),
        .cloaks = (uint64_t)lround(15 * rate),
        .wait_s = waits[method] + luck,
        .users = 6.5,
        .segments = 20 + luck,
        .border_nodes = 8,
        .cpu_us = cpu[method] * steep + luck * 0.1,
        .evaluated_cloaks = has_objects ? 500 : 0,
        .evaluated_queries = has_objects ? 3000 : 0,
        .candidates = has_objects ? load + point->mean[SC_LAB_AXIS_NEAREST] : 0,
        .distinct = has_objects ? load / 2 : 0,
        .bytes_in = has_objects ? 30 * load : 0,
        .provider_cpu_us = has_objects ? 3 * load : 0,
    };
    put_attack(&measure, point, method);
    return measure;
}

static bool is_asked_for(const sc_lab_options *options, sc_lab_axis axis)
{
    unsigned axes = 0;
    for (int metric = 0; metric < SC_LAB_METRIC_COUNT; metric++) {
        axes |= options->figures[metric];
    }
    return (axes >> axis & 1U) != 0;
}

static void fill_point(made_results *made, const sc_lab_point *point, made_formula *formula)
{
    if (sc_lab_find(&made->results, point)) return;
    sc_lab_result *result = &made->all[made->results.count++];
    result->point = *point;
    result->travellers = made->options.travellers;
    for (sc_lab_method method = 0; method < SC_LAB_METHOD_COUNT; method++) {
        result->by_method[method] = formula(point, method);
    }
}

void made_results_fill(made_results *made, made_formula *formula)
{
    const sc_lab_options *options = &made->options;
    const size_t most =
        options->map_count * options->seed_count * SC_LAB_AXIS_COUNT * SC_LAB_GRID_MAX;
    free(made->all);
    made->all = test_take(most, sizeof *made->all);
    made->results = (sc_lab_results){.options = options, .all = made->all};
    for (uint32_t map = 0; map < options->map_count; map++) {
        for (sc_lab_axis axis = 0; axis < SC_LAB_AXIS_COUNT; axis++) {
            const sc_lab_grid *grid = &options->grids[axis];
            for (size_t i = 0; i < grid->count && is_asked_for(options, axis); i++) {
                for (unsigned seed = 0; seed < options->seed_count; seed++) {
                    const sc_lab_point point = sc_lab_point_at(options, map, axis, grid->values[i],
                                                               options->first_seed + seed);
                    fill_point(made, &point, formula);
                }
            }
        }
    }
}

sc_lab_result *made_result_at(made_results *made, uint32_t map, sc_lab_axis axis, double value,
                              uint64_t seed)
{
    const sc_lab_point point = sc_lab_point_at(&made->options, map, axis, value, seed);
    const sc_lab_result *found = sc_lab_find(&made->results, &point);
    assert_non_null(found);
    return &made->all[found - made->results.all];
}
