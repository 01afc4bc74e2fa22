/**
 * @file small_lab.h
 * @brief Experiments that take milliseconds: a small city, few travellers, easy wishes.
 */
#ifndef SC_TESTS_UNIT_LAB_SMALL_LAB_H
#define SC_TESTS_UNIT_LAB_SMALL_LAB_H

#include <stdio.h>

#include <starcloak/map_generate.h>

#include "lab/point.h"
#include "support/check.h"
#include "support/place.h"
#include "support/sketch.h"

/** A city with objects. Release with sc_map_free(). */
static inline sc_map *small_city(void)
{
    sc_map *map = NULL;
    sc_diag diag = {""};
    const sc_city_options options = {.node_count = 300, .seed = 3};
    CHECK_OK(sc_map_generate_city(&options, &map, &diag), &diag);
    assert_true(sc_map_object_count(map) > 0);
    return map;
}

/** Six by six junctions, 100 m apart, without objects. */
static inline sc_map *small_grid(void)
{
    sketch s = sketch_grid(SC_COORDS_PLANAR, 6, 6);
    sc_map *map = sketch_map(&s);
    sketch_free(&s);
    return map;
}

/** The methods of engines: all but the literal baselines, which come last. */
#define ENGINE_METHODS SC_LAB_SAMPLING_LITERAL

/** The maps of one test program: made before its first test, released after its last. */
static sc_map *city;
static sc_map *grid;

static inline int open_maps(void **state)
{
    (void)state;
    city = small_city();
    grid = small_grid();
    return 0;
}

static inline int close_maps(void **state)
{
    (void)state;
    sc_map_free(city);
    sc_map_free(grid);
    return 0;
}

/** Two figures, over k and over what is asked for; two seeds; wishes that a city can grant. */
static inline sc_lab_options small_options(const sc_map *map, const char *directory)
{
    sc_lab_options options = sc_lab_options_default();
    options.maps[options.map_count++] = (sc_lab_map){.name = "city", .map = map};
    memset(options.figures, 0, sizeof options.figures);
    options.figures[SC_LAB_SUCCESS] = 1u << SC_LAB_AXIS_K;
    options.figures[SC_LAB_CANDIDATES] = 1u << SC_LAB_AXIS_NEAREST;
    options.grids[SC_LAB_AXIS_K] = (sc_lab_grid){{2, 3, 4}, 3};
    options.grids[SC_LAB_AXIS_NEAREST] = (sc_lab_grid){{1, 5}, 2};
    options.seed_count = 2;
    options.workload.k = sc_normal_around(3, 1, SC_LEAST_COUNT);
    options.workload.l = sc_normal_around(4, 1, SC_LEAST_COUNT);
    options.workload.max_hops = sc_normal_around(3, 1, 0);
    options.workload.max_wait_s = sc_normal_around(3, 1, SC_LEAST_WAIT_S);
    options.workload.pause_s = sc_normal_around(5, 1, SC_LEAST_PAUSE_S);
    options.travellers = 80;
    options.warm_up_s = 5;
    options.counted_s = 10;
    options.max_cloaks = 15;
    options.max_victims = 5;
    options.adversary.samples = 64;
    options.adversary.fruitful = 0;
    options.adversary.max_placements = 100;
    options.jobs = 2;
    options.directory = directory;
    return options;
}

/** What comes out at a point of the options' first map: `value` on an axis, with a seed. */
static inline sc_lab_result run_at(const sc_lab_options *options, sc_lab_axis axis, double value,
                                   uint64_t seed)
{
    sc__map_setup setup = {0};
    sc_lab_result result;
    sc_diag diag = {""};
    CHECK_OK(sc__map_setup_init(&setup, options, &options->maps[0], &diag), &diag);
    const sc_lab_point point = sc_lab_point_at(options, 0, axis, value, seed);
    CHECK_OK(sc__point_run(options, &setup, &point, &result, &diag), &diag);
    sc__map_setup_fini(&setup);
    return result;
}

/** The same where nothing is varied. */
static inline sc_lab_result run_middle(const sc_lab_options *options, uint64_t seed)
{
    return run_at(options, SC_LAB_AXIS_K, options->workload.k.mean, seed);
}

/** A result without what is measured: the rest follows from the seed. */
static inline sc_lab_result without_times(const sc_lab_result *result)
{
    sc_lab_result rest = *result;
    for (sc_lab_method method = 0; method < SC_LAB_METHOD_COUNT; method++) {
        rest.by_method[method].cpu_us = 0;
        rest.by_method[method].provider_cpu_us = 0;
    }
    return rest;
}

/** Both are the same but for the times. */
static inline void check_same_result(const sc_lab_result *got, const sc_lab_result *wanted)
{
    const sc_lab_result a = without_times(got);
    const sc_lab_result b = without_times(wanted);
    assert_memory_equal(&a.by_method, &b.by_method, sizeof a.by_method);
    assert_int_equal(a.travellers, b.travellers);
}

#endif
