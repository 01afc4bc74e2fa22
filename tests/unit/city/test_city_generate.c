// The city generator: for every size and seed a sound map of the size asked
// for, with the statistics of real ones.
#include <starcloak/map_generate.h>
#include <starcloak/map_import.h>
#include <starcloak/star.h>

#include <math.h>
#include <stdio.h>

#include "base/alloc.h"
#include "city/city_internal.h"
#include "support/check.h"
#include "support/place.h"

static sc_map *city_of(uint32_t node_count, uint64_t seed)
{
    const sc_city_options options = {.node_count = node_count, .seed = seed};
    sc_map *map = NULL;
    sc_diag diag = {""};
    CHECK_OK(sc_map_generate_city(&options, &map, &diag), &diag);
    return map;
}

// --- What is measured ------------------------------------------------------

enum {
    DEGREE_1,
    DEGREE_2,
    DEGREE_3,
    DEGREE_4,  ///< and more
    SEGMENT_MEAN,
    SEGMENT_10,
    SEGMENT_50,
    SEGMENT_90,
    BALL_MEAN,
    BALL_50,
    BALL_MAX,
    MEASURE_COUNT,
};

static const char *const measure_names[MEASURE_COUNT] = {
    "nodes of degree 1, %",       "nodes of degree 2, %",
    "nodes of degree 3, %",       "nodes of degree 4+, %",
    "mean length of segments, m", "10 % of segments are shorter, m",
    "median segment, m",          "90 % of segments are shorter, m",
    "mean ball of 4 hops",        "median ball of 4 hops",
    "largest ball of 4 hops",
};

/**
 * The real maps as this library counts them: parallel edges kept, pseudo-stars
 * counted, a star not in its own ball. A city must lie between the least and the greatest of each
 * line.
 */
static const struct real_map {
    const char *name;
    sc_format format;
    const char *paths[2];
    double measure[MEASURE_COUNT];
} real_maps[] = {
    {"San Francisco",
     SC_FORMAT_SHAPEFILE,
     {"san-francisco-tiger/tl_2017_06075_roads.shp.xz",
      "san-francisco-tiger/tl_2017_06075_roads.dbf.xz"},
     {6.41, 60.19, 11.91, 21.49, 108.3, 16.95, 90.6, 207.7, 33.44, 35, 86}},
    {"Northwest Atlanta",
     SC_FORMAT_MOBISIM,
     {"northwest-atlanta/Northwest_Atlanta_GA_24k.svg.xz"},
     {5.33, 73.21, 16.92, 4.54, 157.7, 39.6, 120.3, 310.9, 25.10, 24, 61}},
    {"Baltimore",
     SC_FORMAT_OSM,
     {"osm/baltimore.osm.pbf"},
     {4.98, 62.41, 22.08, 10.53, 84.6, 19.37, 57.2, 151.4, 29.80, 31, 66}},
};
enum { REAL_COUNT = sizeof real_maps / sizeof *real_maps };

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;
    return (x > y) - (x < y);
}

static void measure_degrees(const sc_map *map, double *measure)
{
    const uint32_t node_count = sc_map_node_count(map);
    const sc_edge *edges = sc_map_edges(map);
    uint32_t *degree = test_take(node_count, sizeof *degree);
    for (uint32_t i = 0; i < sc_map_edge_count(map); i++) {
        degree[edges[i].from]++;
        degree[edges[i].to]++;
    }
    for (uint32_t i = 0; i < node_count; i++) {
        if (degree[i] == 0) continue;
        const uint32_t at_most_4 = degree[i] < 4 ? degree[i] : 4;
        measure[DEGREE_1 + at_most_4 - 1] += 100.0 / node_count;
    }
    free(degree);
}

static void measure_segments(const sc_map *map, double *measure)
{
    const uint32_t count = sc_map_segment_count(map);
    double *length_m = test_take(count, sizeof *length_m);
    for (uint32_t i = 0; i < count; i++) {
        length_m[i] = sc_map_segment_length_m(map, i);
        measure[SEGMENT_MEAN] += length_m[i] / count;
    }
    qsort(length_m, count, sizeof *length_m, compare);
    measure[SEGMENT_10] = length_m[count / 10];
    measure[SEGMENT_50] = length_m[count / 2];
    measure[SEGMENT_90] = length_m[count - 1 - count / 10];
    free(length_m);
}

static void measure_balls(const sc_map *map, double *measure)
{
    const uint32_t count = sc_map_star_count(map);
    double *size = test_take(count, sizeof *size);
    sc_ball *ball = NULL;
    assert_int_equal(sc_ball_new(map, &ball), SC_OK);
    for (uint32_t i = 0; i < count; i++) {
        size_t found = 0;
        sc_ball_walk(ball, i, 4, &found);
        size[i] = (double)found - 1;
        measure[BALL_MEAN] += size[i] / count;
    }
    sc_ball_free(ball);
    qsort(size, count, sizeof *size, compare);
    measure[BALL_50] = size[count / 2];
    measure[BALL_MAX] = size[count - 1];
    free(size);
}

static void measure_map(const sc_map *map, double *measure)
{
    memset(measure, 0, MEASURE_COUNT * sizeof *measure);
    measure_degrees(map, measure);
    measure_segments(map, measure);
    measure_balls(map, measure);
}

// --- Statistics ------------------------------------------------------------

static void assert_like_real_maps(const sc_map *map)
{
    double measure[MEASURE_COUNT];
    measure_map(map, measure);
    for (size_t i = 0; i < MEASURE_COUNT; i++) {
        double least = real_maps[0].measure[i];
        double most = least;
        for (size_t k = 1; k < REAL_COUNT; k++) {
            if (real_maps[k].measure[i] < least) least = real_maps[k].measure[i];
            if (real_maps[k].measure[i] > most) most = real_maps[k].measure[i];
        }
        if (measure[i] < least || measure[i] > most) {
            fail_msg("%s: %.2f is not between %.2f and %.2f", measure_names[i], measure[i], least,
                     most);
        }
    }
}

static void test_a_city_has_the_statistics_of_real_maps(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 6; seed++) {
        check_case(seed);
        sc_map *map = city_of(20000, seed);
        assert_like_real_maps(map);
        sc_map_free(map);
    }
    check_case_done();
}

static void test_a_town_has_the_statistics_of_real_maps(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 20; seed++) {
        check_case(seed);
        sc_map *map = city_of(seed % 2 ? 5000 : 1000, seed);
        assert_like_real_maps(map);
        sc_map_free(map);
    }
    check_case_done();
}

static void test_the_numbers_of_the_real_maps_are_theirs(void **state)
{
    (void)state;
    size_t seen = 0;
    for (size_t i = 0; i < REAL_COUNT; i++) {
        char path[2][1024];
        const char *paths[2] = {path[0], path[1]};
        size_t count = 0;
        while (count < 2 && real_maps[i].paths[count] &&
               data_path(real_maps[i].paths[count], path[count], sizeof path[count])) {
            count++;
        }
        if (count == 0 || (count < 2 && real_maps[i].paths[count])) continue;
        sc_map *map = NULL;
        sc_diag diag = {""};
        sc_import_options options = SC_IMPORT_DEFAULTS;
        options.profile = SC_IMPORT_ANY;  // all roads count, open to cars or not
        CHECK_OK(sc_map_import(&(sc_import_source){real_maps[i].format, paths, count}, &options,
                               &map, NULL, &diag),
                 &diag);
        double measure[MEASURE_COUNT];
        measure_map(map, measure);
        sc_map_free(map);
        for (size_t k = 0; k < MEASURE_COUNT; k++) {
            // The table is rounded.
            const double wanted = real_maps[i].measure[k];
            if (measure[k] < 0.99 * wanted || measure[k] > 1.01 * wanted) {
                fail_msg("%s: %s: %.2f, but the table says %.2f", real_maps[i].name,
                         measure_names[k], measure[k], wanted);
            }
        }
        seen++;
    }
    if (seen == 0) skip();
}

// --- Size and soundness ----------------------------------------------------

/** The nodes of the largest component. */
static uint32_t largest_component(const sc_map *map)
{
    const uint32_t count = sc_map_node_count(map);
    const sc_edge *edges = sc_map_edges(map);
    uint32_t *parent = test_take(count, sizeof *parent);
    uint32_t *size = test_take(count, sizeof *size);
    for (uint32_t i = 0; i < count; i++) {
        parent[i] = i;
    }
    for (uint32_t i = 0; i < sc_map_edge_count(map); i++) {
        uint32_t a = edges[i].from;
        uint32_t b = edges[i].to;
        while (parent[a] != a) {
            a = parent[a] = parent[parent[a]];
        }
        while (parent[b] != b) {
            b = parent[b] = parent[parent[b]];
        }
        parent[a] = b;
    }
    uint32_t largest = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t root = i;
        while (parent[root] != root) {
            root = parent[root];
        }
        if (++size[root] > largest) largest = size[root];
    }
    free(parent);
    free(size);
    return largest;
}

static void test_every_size_and_seed_gives_a_sound_map_in_one_piece(void **state)
{
    (void)state;
    static const uint32_t sizes[] = {100, 101, 137, 300, 699, 700, 999, 1000, 1777, 5000, 20000};
    for (uint64_t seed = 0; seed < 33; seed++) {
        check_case(seed);
        const uint32_t wanted = sizes[seed % (sizeof sizes / sizeof *sizes)];
        sc_map *map = city_of(wanted, seed);
        sc_diag diag = {""};
        CHECK_OK(sc_map_check(map, &diag), &diag);
        const double node_count = sc_map_node_count(map);
        CHECK_CLOSE(node_count, wanted, 0.02 * wanted);
        assert_true(largest_component(map) >= 0.98 * node_count);
        assert_int_equal(sc_map_coords(map), SC_COORDS_GEOGRAPHIC);
        assert_true(sc_map_is_in_metres(map));
        sc_map_free(map);
    }
    check_case_done();
}

static void test_no_edge_has_length_zero(void **state)
{
    (void)state;
    sc_map *map = city_of(20000, 11);
    for (uint32_t i = 0; i < sc_map_edge_count(map); i++) {
        assert_true(sc_map_edges(map)[i].length > 0);
    }
    sc_map_free(map);
}

static void test_the_same_options_give_the_same_map(void **state)
{
    (void)state;
    sc_map *one = city_of(5000, 42);
    sc_map *same = city_of(5000, 42);
    sc_map *other_seed = city_of(5000, 43);
    sc_map *other_size = city_of(5001, 42);
    assert_true(sc_map_checksum(one) == sc_map_checksum(same));
    assert_true(sc_map_checksum(one) != sc_map_checksum(other_seed));
    assert_true(sc_map_checksum(one) != sc_map_checksum(other_size));
    assert_string_equal(sc_map_source(one), "generated city, 5000 nodes, seed 42");
    sc_map_free(one);
    sc_map_free(same);
    sc_map_free(other_seed);
    sc_map_free(other_size);
}

static void test_a_seed_means_the_same_city_on_every_machine(void **state)
{
    (void)state;
    // A change here changes every generated map: say so in the changelog.
    sc_map *map = city_of(5000, 42);
    uint64_t hash = 0xcbf29ce484222325u;  // FNV-1a over all coordinates
    for (uint32_t i = 0; i < sc_map_node_count(map); i++) {
        const sc_node node = sc_map_nodes(map)[i];
        hash = (hash ^ (uint32_t)node.x) * 0x100000001b3u;
        hash = (hash ^ (uint32_t)node.y) * 0x100000001b3u;
    }
    sc_map_free(map);
    assert_int_equal(hash, 0x45ffd7f29e38bfeau);
}

static void test_a_city_of_an_impossible_size_is_refused(void **state)
{
    (void)state;
    static const uint32_t sizes[] = {0, 1, 99, 30000001, UINT32_MAX};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const sc_city_options options = {.node_count = sizes[i]};
        sc_map *map = NULL;
        sc_diag diag = {""};
        char number[16];
        snprintf(number, sizeof number, "not %u", sizes[i]);
        CHECK_REFUSED(sc_map_generate_city(&options, &map, &diag), SC_EINVAL, &diag, number);
        assert_null(map);
        assert_int_equal(sc_map_generate_city(&options, &map, NULL), SC_EINVAL);
    }
}

static void test_nodes_near_on_the_ground_have_near_numbers(void **state)
{
    (void)state;
    sc_map *map = city_of(20000, 5);
    uint32_t near = 0;
    for (uint32_t i = 0; i < sc_map_edge_count(map); i++) {
        const sc_edge *edge = &sc_map_edges(map)[i];
        const uint32_t apart =
            edge->from > edge->to ? edge->from - edge->to : edge->to - edge->from;
        near += apart <= 200;
    }
    // A cell has about a hundred nodes; only roads that leave it reach far.
    assert_true(near > 0.9 * sc_map_edge_count(map));
    sc_map_free(map);
}

static void count_report(void *context, const char *phase, uint64_t done, uint64_t total)
{
    uint32_t *count = context;
    assert_non_null(phase);
    assert_true(total == 0 || done <= total);
    ++*count;
}

static void test_progress_is_told(void **state)
{
    (void)state;
    uint32_t count = 0;
    const sc_city_options options = {.node_count = 1000, .progress = {count_report, &count}};
    sc_map *map = NULL;
    assert_int_equal(sc_map_generate_city(&options, &map, NULL), SC_OK);
    assert_true(count >= 3);
    sc_map_free(map);
}

// --- Streets ---------------------------------------------------------------

static void test_a_city_has_roads_of_every_class(void **state)
{
    (void)state;
    static const double least_share[SC_ROAD_CLASS_COUNT] = {
        [SC_ROAD_MOTORWAY] = 0.005, [SC_ROAD_PRIMARY] = 0.03, [SC_ROAD_SECONDARY] = 0.03,
        [SC_ROAD_TERTIARY] = 0.04,  [SC_ROAD_LOCAL] = 0.5,    [SC_ROAD_SERVICE] = 0.01,
        [SC_ROAD_RAMP] = 0.001,
    };
    sc_map *map = city_of(20000, 8);
    double length_m[SC_ROAD_CLASS_COUNT] = {0};
    double all_m = 0;
    for (uint32_t i = 0; i < sc_map_edge_count(map); i++) {
        length_m[sc_map_edge_classes(map)[i]] += sc_map_edge_length_m(map, i);
        all_m += sc_map_edge_length_m(map, i);
    }
    for (uint32_t i = 0; i < SC_ROAD_CLASS_COUNT; i++) {
        assert_true(length_m[i] >= least_share[i] * all_m);
    }
    sc_map_free(map);
}

/** Which pieces of a city hang together, with or without what crosses the river. */
typedef struct halves {
    uint32_t *parent;  ///< per cell and node of its plan
    uint32_t bridge_count;
} halves;

static uint32_t place_of(const sc_city *city, uint32_t cell, sc_city_ref ref)
{
    const uint32_t owner = cell + (ref.owner & 1u) + (ref.owner >> 1u) * city->columns;
    return owner * SC_CITY_PLAN_NODES_MAX + ref.index;
}

static uint32_t root_of(uint32_t *parent, uint32_t i)
{
    while (parent[i] != i) {
        i = parent[i] = parent[parent[i]];
    }
    return i;
}

static halves join_streets(const sc_city *city, bool with_bridges)
{
    const uint32_t count = city->columns * city->rows * SC_CITY_PLAN_NODES_MAX;
    halves result = {.parent = test_take(count, sizeof *result.parent)};
    for (uint32_t i = 0; i < count; i++) {
        result.parent[i] = i;
    }
    sc_city_plan *plan = test_take(1, sizeof *plan);
    const double river_x =
        0.5 * (city->column_x[city->river_column] + city->column_x[city->river_column + 1]);
    for (uint32_t i = 0; i < city->order_count; i++) {
        const uint32_t cell = city->order[i];
        sc__city_plan(city, cell % city->columns, cell / city->columns, NULL, plan);
        for (uint32_t k = 0; k < plan->street_count; k++) {
            const sc_city_street *street = &plan->streets[k];
            const bool bridge = street->from.x < river_x && street->to.x >= river_x;
            result.bridge_count += bridge;
            if (bridge && !with_bridges) continue;
            const uint32_t a = root_of(result.parent, place_of(city, cell, street->a));
            const uint32_t b = root_of(result.parent, place_of(city, cell, street->b));
            result.parent[a] = b;
        }
    }
    free(plan);
    return result;
}

static void test_only_bridges_join_the_two_banks(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 8; seed++) {
        check_case(seed);
        sc_city city = {0};
        assert_int_equal(sc__city_layout(&city, seed, 20000, 200), SC_OK);
        const halves with = join_streets(&city, true);
        const halves without = join_streets(&city, false);

        // The crossings at the two ends of a bridge: the quays of the centre's own row.
        const uint32_t west = city.centre_row * city.columns + city.river_column;
        const uint32_t a = west * SC_CITY_PLAN_NODES_MAX;
        const uint32_t b = (west + 1) * SC_CITY_PLAN_NODES_MAX;
        assert_true(with.bridge_count >= 2);
        assert_true(root_of(with.parent, a) == root_of(with.parent, b));
        assert_true(root_of(without.parent, a) != root_of(without.parent, b));
        free(with.parent);
        free(without.parent);
        sc__city_fini(&city);
    }
    check_case_done();
}

static void test_shares_are_dealt_out_to_the_last_one(void **state)
{
    (void)state;
    static const uint32_t weights[] = {5, 0, 1, 100, 7, 7, 3, 250, 1};
    uint64_t total = 0;
    for (size_t i = 0; i < sizeof weights / sizeof *weights; i++) {
        total += weights[i];
    }
    for (uint64_t wanted = 0; wanted < 50; wanted++) {
        sc_city_share share = {.wanted = wanted, .total = total};
        uint64_t sum = 0;
        for (size_t i = 0; i < sizeof weights / sizeof *weights; i++) {
            const uint32_t part = sc__city_share_next(&share, weights[i]);
            // None gets more than one above the fair share.
            assert_true(part <= wanted * weights[i] / total + 1);
            sum += part;
        }
        assert_int_equal(sum, wanted);
    }
    sc_city_share nothing = {0};
    assert_int_equal(sc__city_share_next(&nothing, 7), 0);
}

// --- Objects ---------------------------------------------------------------

static void test_objects_are_many_and_of_many_kinds(void **state)
{
    (void)state;
    sc_map *map = city_of(20000, 2);
    const uint32_t count = sc_map_object_count(map);
    const uint32_t kinds = sc_map_category_count(map);
    assert_true(count >= 20000 / 6 && count <= 20000 / 3);
    assert_true(kinds >= 30);

    uint32_t *of_kind = test_take(kinds, sizeof *of_kind);
    uint32_t named = 0;
    for (uint32_t i = 0; i < count; i++) {
        of_kind[sc_map_objects(map)[i].category]++;
        named += sc_map_object_name(map, i)[0] != '\0';
    }
    assert_true(named > count / 10 && named < count / 2);

    // A few kinds are common, most are rare, and none is missing.
    uint32_t most = 0;
    uint32_t rare = 0;
    for (uint32_t i = 0; i < kinds; i++) {
        assert_true(of_kind[i] > 0);
        if (of_kind[i] > most) most = of_kind[i];
        rare += of_kind[i] < count / 100;
    }
    assert_true(most > count / 12);
    assert_true(rare >= kinds / 4);

    // Two in a thousand, give or take three standard deviations of a count of ten.
    const sc_category_id hospital = sc_map_category_find(map, "hospital");
    assert_true(hospital != SC_NONE);
    CHECK_CLOSE(of_kind[hospital], 0.002 * count, 10);
    free(of_kind);
    sc_map_free(map);
}

static void test_objects_follow_the_main_roads(void **state)
{
    (void)state;
    sc_map *map = city_of(20000, 2);
    double length_m[SC_ROAD_CLASS_COUNT] = {0};
    double count[SC_ROAD_CLASS_COUNT] = {0};
    const uint8_t *classes = sc_map_edge_classes(map);
    for (uint32_t i = 0; i < sc_map_edge_count(map); i++) {
        length_m[classes[i]] += sc_map_edge_length_m(map, i);
    }
    for (uint32_t i = 0; i < sc_map_object_count(map); i++) {
        count[classes[sc_map_objects(map)[i].edge]]++;
    }
    const double per_local_m = count[SC_ROAD_LOCAL] / length_m[SC_ROAD_LOCAL];
    assert_true(count[SC_ROAD_PRIMARY] / length_m[SC_ROAD_PRIMARY] > 2 * per_local_m);
    assert_true(count[SC_ROAD_SECONDARY] / length_m[SC_ROAD_SECONDARY] > 2 * per_local_m);
    assert_true(count[SC_ROAD_MOTORWAY] == 0 && count[SC_ROAD_RAMP] == 0);
    sc_map_free(map);
}

/** The square of about 250 m that a point of an edge lies in. */
static uint32_t square_of(const sc_map *map, sc_edge_id edge, double offset_m)
{
    double lon = 0;
    double lat = 0;
    sc_map_edge_position(map, edge, offset_m, &lon, &lat);
    const int64_t column = (int64_t)floor((lon + 30) / 0.00318) + 256;
    const int64_t row = (int64_t)floor((lat - 45) / 0.00225) + 256;
    assert_true(column >= 0 && column < 512 && row >= 0 && row < 512);
    return (uint32_t)(row * 512 + column);
}

static void test_objects_stand_together_as_real_ones_do(void **state)
{
    (void)state;
    // In Baltimore, Liechtenstein, Monaco and Andorra, the tenth of all squares
    // with roads that has most objects has 43 to 69 % of them. Scattered evenly
    // over the roads of a city, it would have less than a quarter.
    for (uint64_t seed = 0; seed < 4; seed++) {
        check_case(seed);
        sc_map *map = city_of(20000, seed);
        double *objects = test_take((size_t)512 * 512, sizeof *objects);
        bool *has_road = test_take((size_t)512 * 512, sizeof *has_road);
        uint32_t squares = 0;
        for (uint32_t i = 0; i < sc_map_edge_count(map); i++) {
            const uint32_t square = square_of(map, i, 0.5 * sc_map_edge_length_m(map, i));
            squares += !has_road[square];
            has_road[square] = true;
        }
        for (uint32_t i = 0; i < sc_map_object_count(map); i++) {
            const sc_object *object = &sc_map_objects(map)[i];
            objects[square_of(map, object->edge, object->offset * sc_map_unit_m(map))]++;
        }
        qsort(objects, (size_t)512 * 512, sizeof *objects, compare);
        double top = 0;
        for (uint32_t i = 0; i < squares / 10; i++) {
            top += objects[(size_t)512 * 512 - 1 - i];
        }
        const double share = top / sc_map_object_count(map);
        if (share < 0.43 || share > 0.69) fail_msg("the top tenth has %.2f", share);
        free(objects);
        free(has_road);
        sc_map_free(map);
    }
    check_case_done();
}

static const struct CMUnitTest tests[] = {
    SC_CASES(test_a_city_has_the_statistics_of_real_maps),
    SC_CASES(test_a_town_has_the_statistics_of_real_maps),
    cmocka_unit_test(test_the_numbers_of_the_real_maps_are_theirs),
    SC_CASES(test_every_size_and_seed_gives_a_sound_map_in_one_piece),
    cmocka_unit_test(test_no_edge_has_length_zero),
    cmocka_unit_test(test_the_same_options_give_the_same_map),
    cmocka_unit_test(test_a_seed_means_the_same_city_on_every_machine),
    cmocka_unit_test(test_a_city_of_an_impossible_size_is_refused),
    cmocka_unit_test(test_nodes_near_on_the_ground_have_near_numbers),
    cmocka_unit_test(test_progress_is_told),
    cmocka_unit_test(test_a_city_has_roads_of_every_class),
    SC_CASES(test_only_bridges_join_the_two_banks),
    cmocka_unit_test(test_shares_are_dealt_out_to_the_last_one),
    cmocka_unit_test(test_objects_are_many_and_of_many_kinds),
    cmocka_unit_test(test_objects_follow_the_main_roads),
    SC_CASES(test_objects_stand_together_as_real_ones_do),
};
SC_SUITE(tests)
