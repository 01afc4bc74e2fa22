// The directory of an experiment: what is done stays done, and is never taken for something else.
#include "lab/store.h"

#include "small_lab.h"

#include <jansson.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/** A result whose numbers need all their digits. */
static sc_lab_result made_result(const sc_lab_options *options, double k, uint64_t seed)
{
    sc_lab_result result = {.point = sc_lab_point_at(options, 0, SC_LAB_AXIS_K, k, seed),
                            .travellers = 77,
                            .is_attacked = true,
                            .least_asked = 5};
    for (sc_lab_method method = 0; method < SC_LAB_METHOD_COUNT; method++) {
        if (!sc__has_method(options, method)) continue;
        result.by_method[method] = (sc_lab_measure){.queries = 1000 + method,
                                                    .cloaked = 900,
                                                    .cloaks = 300,
                                                    .wait_s = 1.0 / 3 + (double)method,
                                                    .users = 5.1,
                                                    .segments = 0.1 + 0.2,
                                                    .border_nodes = 7,
                                                    .cpu_us = 1e-7 / 3,
                                                    .evaluated_cloaks = 20,
                                                    .evaluated_queries = 77,
                                                    .candidates = 1e5 / 7,
                                                    .distinct = 12,
                                                    .bytes_in = 1371.5,
                                                    .provider_cpu_us = 2.0 / 7,
                                                    .attacked_cloaks = 19,
                                                    .entropy = 0.9 + 1e-16,
                                                    .entropy_error = 1e-3 / 3,
                                                    .entropy_bias = -1e-3 / 7,
                                                    .attacked_segments = 31.0 / 3,
                                                    .attacked_effective = 29.0 / 3,
                                                    .recognised = 2.7,
                                                    .probability = 1.0 / 19,
                                                    .rank = 8.5,
                                                    .enumerated = 4,
                                                    .unexplained = 1,
                                                    .replays = 1u << 31,
                                                    .followed = {9, 8, 7, 6, 5, 4, 3, method},
                                                    .effective = {20, 1.0 / 3, 0.1 + 0.2, 7.25},
                                                    .located = {0.05, 0.1, 2.0 / 3, 1}};
    }
    return result;
}

static sc__store opened(const sc_lab_options *options)
{
    sc__store store;
    sc_diag diag = {""};
    CHECK_OK(sc__store_open(&store, options, &diag), &diag);
    return store;
}

static void refuse(const sc_lab_options *options, sc_err wanted, const char *part)
{
    sc__store store;
    sc_diag diag = {""};
    CHECK_REFUSED(sc__store_open(&store, options, &diag), wanted, &diag, part);
}

static bool is_stored(const sc__store *store, const sc_lab_point *point, sc_lab_result *out)
{
    bool is_there = false;
    sc_diag diag = {""};
    CHECK_OK(sc__store_load(store, point, out, &is_there, &diag), &diag);
    return is_there;
}

static void save(const sc__store *store, const sc_lab_result *result)
{
    sc_diag diag = {""};
    CHECK_OK(sc__store_save(store, result, &diag), &diag);
}

// --- Points -------------------------------------------------------------------------

static void test_what_is_stored_comes_back_to_the_last_bit(void **state)
{
    (void)state;
    place p = place_new();
    const sc_lab_options options = small_options(city, place_path(&p, "results"));
    sc__store store = opened(&options);
    const sc_lab_result result = made_result(&options, 3, 1);
    sc_lab_result read = {.point = {.map = 9}};
    assert_false(is_stored(&store, &result.point, &read));
    assert_int_equal(read.point.map, 9);
    save(&store, &result);
    assert_true(is_stored(&store, &result.point, &read));
    assert_memory_equal(read.by_method, result.by_method, sizeof read.by_method);
    assert_int_equal(read.travellers, 77);
    assert_true(read.is_attacked);
    assert_int_equal(read.least_asked, 5);
    assert_int_equal(read.point.seed, 1);
    sc__store_close(&store);

    // The same for a later run.
    store = opened(&options);
    assert_true(is_stored(&store, &result.point, &read));
    assert_memory_equal(read.by_method, result.by_method, sizeof read.by_method);
    sc__store_close(&store);
    place_free(&p);
}

static void test_points_are_named_after_what_they_are(void **state)
{
    (void)state;
    sc_lab_options options = small_options(city, "");
    options.workload = sc_workload_default();
    char name[SC__POINT_NAME];
    sc_lab_point point = sc_lab_point_at(&options, 0, SC_LAB_AXIS_K, 5, 1);
    assert_string_equal(sc__point_name(&options, &point, name), "city-k5-l5-s4-t10-n5-seed1");
    // Where queries are injected, it says how many; cloaks seen are told by any point.
    point.mean[SC_LAB_AXIS_INJECTED] = 6;
    assert_string_equal(sc__point_name(&options, &point, name), "city-k5-l5-s4-t10-n5-i6-seed1");
    point = sc_lab_point_at(&options, 0, SC_LAB_AXIS_ASKED, 4, 1);
    assert_string_equal(sc__point_name(&options, &point, name), "city-k5-l5-s4-t10-n5-seed1");
    point.mean[SC_LAB_AXIS_SIGMA_T] = 7.5;
    point.seed = UINT64_MAX;
    assert_string_equal(sc__point_name(&options, &point, name),
                        "city-k5-l5-s4-t7.5-n5-seed18446744073709551615");
    // Numbers that differ in the last bit have different names.
    char other[SC__POINT_NAME];
    point.mean[SC_LAB_AXIS_K] = 0.1 + 0.2;
    sc__point_name(&options, &point, name);
    point.mean[SC_LAB_AXIS_K] = 0.3;
    assert_string_not_equal(sc__point_name(&options, &point, other), name);
    // The longest name has room.
    options.maps[0].name = "1234567890123456789012345678901234567890123456789012345678901234";
    for (sc_lab_axis axis = 0; axis < SC_LAB_AXIS_COUNT; axis++) {
        point.mean[axis] = -1.0 / 3 * 1e-200;
    }
    assert_true(strlen(sc__point_name(&options, &point, name)) < SC__POINT_NAME - 1);
}

static bool is_point_name(const char *name)
{
    return sc__is_point_name(name, strlen(name));
}

static void test_names_of_points_are_told_from_others(void **state)
{
    (void)state;
    sc_lab_options options = small_options(city, "");
    char name[SC__POINT_NAME];
    static const char *const maps[] = {
        "a", "a-k5-l5", "-", "k3",
        "1234567890123456789012345678901234567890123456789012345678901234"};
    static const double means[] = {0, 5, 7.5, 0.1 + 0.2, 1e-300, 1e300};
    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++) {
        for (size_t j = 0; j < sizeof means / sizeof *means; j++) {
            sc_lab_point point = {.map = 0, .seed = UINT64_MAX};
            for (sc_lab_axis axis = 0; axis < SC_LAB_AXIS_COUNT; axis++) {
                point.mean[axis] = means[j];
            }
            options.maps[0].name = maps[i];
            assert_true(is_point_name(sc__point_name(&options, &point, name)));
        }
    }
    static const char *const others[] = {
        "", "notes", "city", "seed1", "-seed1",
        // Something is missing, in another order, or too much.
        "-k3-l4-s3-t3-n5-seed1", "city-k3-l4-s3-t3-n5-seed", "city-k3-l4-s3-t3-n5",
        "city-k3-l4-s3-t3-n-seed1", "city-l4-s3-t3-n5-seed1", "city-k3-l4-t3-s3-n5-seed1",
        "city-kx-l4-s3-t3-n5-seed1", "city-k3-l4-s3-t3-n5-seed1-old", "city-k3-l4-s3-t3-n5-seed1x",
        "city-k3-l4-s3-t3-n5-i-seed1", "city-k3-l4-s3-t3-i2-n5-seed1", "city-k3-l4-s3-t3-i2-seed1",
        "city-k3-l4-s3-t3-n5-seed-1", "city k3-l4-s3-t3-n5-seed1", ".city-k3-l4-s3-t3-n5-seed1",
        "12345678901234567890123456789012345678901234567890123456789012345-k3-l4-s3-t3-n5-seed1"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        assert_false(is_point_name(others[i]));
    }
}

static void test_a_point_is_not_taken_for_another(void **state)
{
    (void)state;
    place p = place_new();
    const sc_lab_options options = small_options(city, place_path(&p, "results"));
    sc__store store = opened(&options);
    const sc_lab_result result = made_result(&options, 3, 1);
    const sc_lab_result other = made_result(&options, 4, 1);
    save(&store, &result);
    // The file is copied.
    size_t size = 0;
    char *bytes =
        read_whole(place_path(&p, "results/points/city-k3-l4-s3-t3-n5-seed1.json"), &size);
    place_write(&p, "results/points/city-k4-l4-s3-t3-n5-seed1.json", bytes, size);
    sc_lab_result read;
    assert_false(is_stored(&store, &other.point, &read));
    free(bytes);
    sc__store_close(&store);
    place_free(&p);
}

// Cut short anywhere, or with any byte changed, it is not taken; but for white space, and the last
// of the 17 digits of a number where it makes no difference.
static void test_a_damaged_point_is_as_good_as_none(void **state)
{
    (void)state;
    place p = place_new();
    // A copy: paths are lent for a while only.
    char directory[1024];
    snprintf(directory, sizeof directory, "%s", place_path(&p, "results"));
    sc_lab_options options = small_options(city, directory);
    options.methods = 1u << SC_LAB_BASIC | 1u << SC_LAB_XSTAR;
    sc__store store = opened(&options);
    const sc_lab_result result = made_result(&options, 3, 1);
    save(&store, &result);
    const char *name = "results/points/city-k3-l4-s3-t3-n5-seed1.json";
    size_t size = 0;
    char *bytes = read_whole(place_path(&p, name), &size);
    sc_lab_result read;
    for (size_t cut = 0; cut + 2 < size; cut++) {
        place_write(&p, name, bytes, cut);
        assert_false(is_stored(&store, &result.point, &read));
    }
    for (size_t at = 0; at < size; at++) {
        const char was = bytes[at];
        bytes[at] = was == '1' ? '2' : '1';
        place_write(&p, name, bytes, size);
        if (is_stored(&store, &result.point, &read)) {
            assert_true(strchr(" \n0123456789", was) != NULL);
            assert_memory_equal(read.by_method, result.by_method, sizeof read.by_method);
            assert_int_equal(read.travellers, result.travellers);
        }
        bytes[at] = was;
    }
    place_write(&p, name, bytes, size);
    assert_true(is_stored(&store, &result.point, &read));
    free(bytes);
    sc__store_close(&store);
    place_free(&p);
}

// Figures may be added to an experiment: what they want is done then, and only where it was not.
static void test_a_point_that_was_not_attacked_is_missing_where_attacks_are_wanted(void **state)
{
    (void)state;
    place p = place_new();
    char directory[600];
    snprintf(directory, sizeof directory, "%s/results", p.path);
    sc_lab_options options = small_options(city, directory);
    sc__store store = opened(&options);
    sc_lab_result middle = made_result(&options, 3, 1);
    sc_lab_result other = made_result(&options, 2, 1);
    middle.is_attacked = false;
    middle.least_asked = 0;
    other.is_attacked = false;
    other.least_asked = 0;
    save(&store, &middle);
    save(&store, &other);
    sc_lab_result read;
    assert_true(is_stored(&store, &middle.point, &read));
    options.figures[SC_LAB_ENTROPY] = 1u << SC_LAB_AXIS_K;
    options.grids[SC_LAB_AXIS_K] = (sc_lab_grid){{3, 4}, 2};
    assert_false(is_stored(&store, &middle.point, &read));
    assert_true(is_stored(&store, &other.point, &read));
    middle.is_attacked = true;
    save(&store, &middle);
    assert_true(is_stored(&store, &middle.point, &read));

    // Who is followed depends on how many cloaks the figures look at.
    options.figures[SC_LAB_EFFECTIVE] = 1u << SC_LAB_AXIS_ASKED;
    options.grids[SC_LAB_AXIS_ASKED] = (sc_lab_grid){{1, 4}, 2};
    assert_false(is_stored(&store, &middle.point, &read));
    assert_true(is_stored(&store, &other.point, &read));
    middle.least_asked = 4;
    save(&store, &middle);
    assert_true(is_stored(&store, &middle.point, &read));
    options.grids[SC_LAB_AXIS_ASKED] = (sc_lab_grid){{1, 5}, 2};
    assert_false(is_stored(&store, &middle.point, &read));
    // What is more than is wanted does no harm.
    options.figures[SC_LAB_EFFECTIVE] = 0;
    options.figures[SC_LAB_ENTROPY] = 0;
    assert_true(is_stored(&store, &middle.point, &read));
    assert_int_equal(read.least_asked, 4);
    sc__store_close(&store);
    place_free(&p);
}

// To take it for missing would be to do it again, and to overwrite it.
static void test_a_file_that_cannot_be_looked_at_is_not_taken_for_missing(void **state)
{
    (void)state;
    place p = place_new();
    const sc_lab_options options = small_options(city, place_path(&p, "results"));
    sc__store store = opened(&options);
    const sc_lab_point point = sc_lab_point_at(&options, 0, SC_LAB_AXIS_K, 3, 1);
    // A link that leads to itself.
    const char *name = "city-k3-l4-s3-t3-n5-seed1.json";
    const char *path = place_path(&p, "results/points/city-k3-l4-s3-t3-n5-seed1.json");
    assert_int_equal(symlink(name, path), 0);
    sc_lab_result read;
    bool is_there = true;
    sc_diag diag = {""};
    CHECK_REFUSED(sc__store_load(&store, &point, &read, &is_there, &diag), SC_EIO, &diag,
                  "results/points/city-k3-l4-s3-t3-n5-seed1.json: cannot read: ");
    CHECK_CONTAINS(diag.message,
                   "; check that you have permission to read it, or name another directory");
    assert_false(is_there);
    sc__store_close(&store);

    path = place_path(&p, "results/experiment.json");
    assert_int_equal(unlink(path), 0);
    assert_int_equal(symlink("experiment.json", path), 0);
    refuse(&options, SC_EIO, "results/experiment.json: cannot read: ");
    place_free(&p);
}

// --- What all points share -------------------------------------------------------------

static void test_seeds_values_figures_and_maps_may_be_added(void **state)
{
    (void)state;
    place p = place_new();
    sc_lab_options options = small_options(city, place_path(&p, "results"));
    sc__store store = opened(&options);
    const sc_lab_result result = made_result(&options, 3, 1);
    save(&store, &result);
    sc__store_close(&store);

    options.seed_count = 20;
    options.first_seed = 7;
    options.grids[SC_LAB_AXIS_K] = (sc_lab_grid){{2.5}, 1};
    options.figures[SC_LAB_THROUGHPUT] = 1u << SC_LAB_AXIS_L;
    options.jobs = 1;
    options.maps[options.map_count++] = (sc_lab_map){.name = "grid", .map = grid};
    store = opened(&options);
    sc_lab_result read;
    assert_true(is_stored(&store, &result.point, &read));
    sc__store_close(&store);

    // A map that is left out is not forgotten, and may not come back as another.
    options.map_count = 1;
    store = opened(&options);
    sc__store_close(&store);
    options.maps[0] = (sc_lab_map){.name = "grid", .map = city};
    refuse(&options, SC_EMISMATCH, "grid: checksum was ");
    place_free(&p);
}

static void test_other_settings_are_refused_by_name(void **state)
{
    (void)state;
    place p = place_new();
    const sc_lab_options good = small_options(city, place_path(&p, "results"));
    sc__store store = opened(&good);
    save(&store, &(const sc_lab_result[]){made_result(&good, 3, 1)}[0]);
    sc__store_close(&store);
    sc_lab_options options = good;
#define REFUSE(field, value, says)            \
    do {                                      \
        options = good;                       \
        options.field = (value);              \
        refuse(&options, SC_EMISMATCH, says); \
    } while (0)
    REFUSE(travellers, 81,
           "travellers was 80 when the points there were made, but is 81 now; name another "
           "directory, or discard them with --fresh");
    REFUSE(warm_up_s, 6, "warm-up was 5 ");
    REFUSE(counted_s, 11, "counted time was 10 ");
    REFUSE(is_closed, true, "questions was 'the same for all' ");
    REFUSE(max_cloaks, 16, "cloaks evaluated was 15 ");
    REFUSE(is_indexed, true, "provider was 'searches' ");
    REFUSE(max_victims, 7, "victims was 5 when the points there were made, but is 7 now");
    REFUSE(adversary.samples, 65, "samples of an adversary was 64 ");
    REFUSE(adversary.max_placements, 4711, "placements it enumerates was 100 ");
    REFUSE(adversary.runs, 3, "runs of each was 2 ");
    REFUSE(adversary.fruitful, 99, "fruitful replays it wants was 0 ");
    REFUSE(adversary.likeness, SC_LIKENESS_EXACT, "likeness it looks for was 'overlap' ");
    REFUSE(knows_traffic, true, "traffic it knows was 'none' ");
    REFUSE(others, SC_OTHERS_CLOAK, "others it places was 'on roads around' ");
    REFUSE(version, "9.9", "version was ");
    REFUSE(methods, 1u << SC_LAB_HYBRID, "but is 'hybrid' now");
    REFUSE(workload.k.deviation, 2, "deviation of k was 1 ");
    REFUSE(workload.pause_s.mean, 6, "pause was 5 ");
    REFUSE(workload.wanted, SC_WANT_ANY, "category was 'one each' ");
    REFUSE(maps[0].map, grid, "city: checksum was ");
    REFUSE(is_walk, true, "city: movement was 'trips' ");
    REFUSE(truck_share, 0.5, "city: trucks was 0.2 ");
    REFUSE(engine.compactness, 2, "lambda was 1 ");
    REFUSE(engine.k_spread, 2, "spread of k was 0 ");
    REFUSE(engine.consideration_us, 2500000, "alpha was 2 when the points there were made, but is");
    REFUSE(has_cap, true, "cap was 0 when the points there were made, but is 64 now");
    REFUSE(engine.cost.segment, 4711, "cost of a segment was ");
    REFUSE(engine.cost.border_node, 4711, "cost of a border node was ");
    REFUSE(engine.cost.object, 4711, "cost of an object was ");
    REFUSE(engine.cost.balance, 1, "balance of costs was ");
    REFUSE(engine.is_paranoid, true, "promises was 'not checked again' ");
    REFUSE(workload.wanted, SC_WANT_THIS, "category was 'one each' ");
#undef REFUSE
    // Nothing was lost over it.
    store = opened(&good);
    sc_lab_result read;
    assert_true(is_stored(&store, &(sc_lab_point[]){made_result(&good, 3, 1).point}[0], &read));
    sc__store_close(&store);
    place_free(&p);
}

static void test_what_makes_no_difference_may_differ(void **state)
{
    (void)state;
    place p = place_new();
    sc_lab_options options = small_options(city, place_path(&p, "results"));
    options.is_walk = true;
    sc__store store = opened(&options);
    sc__store_close(&store);
    // No traveller is on a trip; each method sets its variant, and each variant its cap.
    options.truck_share = 0.5;
    options.engine.variant = SC_VARIANT_XSTAR;
    options.engine.is_strict = true;
    options.engine.max_combinations = 3;
    options.adversary.engine.variant = SC_VARIANT_XSTAR;
    options.adversary.seed = 4711;
    options.adversary.threads = 7;
    options.workload.category = 4711;
    store = opened(&options);
    sc__store_close(&store);
    place_free(&p);
}

static void test_a_category_is_known_by_its_name(void **state)
{
    (void)state;
    place p = place_new();
    sc_lab_options options = small_options(city, place_path(&p, "results"));
    assert_true(sc_map_category_count(city) >= 2);
    options.workload.wanted = SC_WANT_THIS;
    options.maps[0].category = 0;
    options.maps[options.map_count++] = (sc_lab_map){.name = "grid", .map = grid};
    sc__store store = opened(&options);
    sc__store_close(&store);
    // It means nothing where there are no objects.
    options.maps[1].category = 1;
    store = opened(&options);
    sc__store_close(&store);
    char says[200];
    snprintf(says, sizeof says, "city: category was '%s' when the points there were made, but is",
             sc_map_category_name(city, 0));
    options.maps[0].category = 1;
    refuse(&options, SC_EMISMATCH, says);
    place_free(&p);
}

/** Write `value` where the manifest has the checksum of the program. */
static void set_program(const place *p, const char *value)
{
    const char *path = place_path(p, "results/experiment.json");
    json_t *manifest = json_load_file(path, 0, NULL);
    assert_non_null(manifest);
    json_t *settings = json_object_get(manifest, "settings");
    // Sixteen digits: it could be read.
    const char *was = json_string_value(json_object_get(settings, "checksum of the program"));
    assert_non_null(was);
    assert_int_equal(strlen(was), 16);
    assert_int_equal(json_object_set_new(settings, "checksum of the program", json_string(value)),
                     0);
    assert_int_equal(json_dump_file(manifest, path, 0), 0);
    json_decref(manifest);
}

static void test_points_of_another_build_of_the_program_are_not_mixed_with_ours(void **state)
{
    (void)state;
    place p = place_new();
    char directory[600];
    snprintf(directory, sizeof directory, "%s/results", p.path);
    sc_lab_options options = small_options(city, directory);
    const sc_lab_result result = made_result(&options, 3, 1);
    static const char *const others[] = {"0123456789abcdef", "unknown"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        options.is_fresh = false;
        sc__store store = opened(&options);
        save(&store, &result);
        sc__store_close(&store);
        set_program(&p, others[i]);
        refuse(&options, SC_EMISMATCH,
               "the points there were made by another build of the program; name another "
               "directory, or discard them with --fresh");
        assert_int_equal(count_entries(place_path(&p, "results/points")), 1);
        options.is_fresh = true;
        store = opened(&options);
        sc__store_close(&store);
        assert_int_equal(count_entries(place_path(&p, "results/points")), 0);
    }
    place_free(&p);
}

static void test_other_traces_are_refused(void **state)
{
    (void)state;
    place p = place_new();
    static const char *const texts[] = {
        "id,t,x,y\na,0,0,0\na,10,100,0\n", "id,t,x,y\na,0,0,0\na,11,100,0\n",
        "id,t,x,y\na,0,0,0\na,5,50,0\na,10,100,0\n",
        // As many, as long, and elsewhere; or another traveller.
        "id,t,x,y\na,0,0,0\na,10,101,0\n", "id,t,x,y\nb,0,0,0\nb,10,100,0\n"};
    enum { COUNT = sizeof texts / sizeof texts[0] };
    sc_traces *traces[COUNT] = {NULL};
    const sc_traces_options reading = sc_traces_options_default();
    sc_diag diag = {""};
    for (size_t i = 0; i < COUNT; i++) {
        CHECK_OK(sc_traces_parse(texts[i], strlen(texts[i]), "a.csv", &reading, &traces[i], &diag),
                 &diag);
    }
    sc_lab_options options = small_options(grid, place_path(&p, "results"));
    options.maps[0].follow = sc_follow_options_default();
    options.maps[0].traces = traces[0];
    sc__store store = opened(&options);
    sc__store_close(&store);
    store = opened(&options);
    sc__store_close(&store);
    options.maps[0].traces = traces[1];
    refuse(&options, SC_EMISMATCH, "city: last fix was 10 ");
    options.maps[0].traces = traces[2];
    refuse(&options, SC_EMISMATCH, "city: fixes was 2 ");
    options.maps[0].traces = traces[3];
    refuse(&options, SC_EMISMATCH, "city: checksum of the traces was '");
    options.maps[0].traces = traces[4];
    refuse(&options, SC_EMISMATCH, "city: checksum of the traces was '");
    options.maps[0].traces = traces[0];
    options.maps[0].follow.fold_s = 60;
    refuse(&options, SC_EMISMATCH, "city: folded to was 0 ");
    options.maps[0].traces = NULL;
    refuse(&options, SC_EMISMATCH, "city: movement was 'traces' ");
    for (size_t i = 0; i < COUNT; i++) {
        sc_traces_free(traces[i]);
    }
    place_free(&p);
}

static void test_a_fresh_start_forgets_points_and_settings_and_nothing_else(void **state)
{
    (void)state;
    place p = place_new();
    sc_lab_options options = small_options(city, place_path(&p, "results"));
    sc__store store = opened(&options);
    const sc_lab_result result = made_result(&options, 3, 1);
    save(&store, &result);
    sc__store_close(&store);
    place_write_text(&p, "results/notes.txt", "mine");
    place_write_text(&p, "results/points/notes.txt", "mine");
    place_write_text(&p, "results/points/notes.json", "mine");
    place_write_text(&p, "results/points/.notes.json", "mine");
    options.travellers = 81;
    options.is_fresh = true;
    store = opened(&options);
    sc_lab_result read;
    assert_false(is_stored(&store, &result.point, &read));
    sc__store_close(&store);
    assert_int_equal(count_entries(place_path(&p, "results/points")), 3);
    assert_int_equal(access(place_path(&p, "results/notes.txt"), F_OK), 0);
    // It holds from now on.
    options.is_fresh = false;
    store = opened(&options);
    sc__store_close(&store);
    place_free(&p);
}

static void test_points_of_which_nothing_is_known_are_not_taken(void **state)
{
    (void)state;
    place p = place_new();
    sc_lab_options options = small_options(city, place_path(&p, "results"));
    sc__store store = opened(&options);
    save(&store, &(const sc_lab_result[]){made_result(&options, 3, 1)}[0]);
    sc__store_close(&store);
    static const char *const damaged[] = {"", "{", "{\"settings\":{}}", "[]", "null"};
    for (size_t i = 0; i < sizeof damaged / sizeof *damaged; i++) {
        place_write_text(&p, "results/experiment.json", damaged[i]);
        refuse(&options, SC_EMISMATCH, "name another directory, or discard them");
    }
    options.is_fresh = true;
    store = opened(&options);
    sc__store_close(&store);
    place_free(&p);
}

static void test_a_directory_that_is_not_ours_is_left_alone(void **state)
{
    (void)state;
    // Another program keeps points there: even one that is called as ours are may not go.
    static const char *const theirs[] = {"results/points/city-k3-l4-s3-t3-n5-seed1.json",
                                         "results/points/a.json", "results/points/notes.txt",
                                         "results/points/.a.0123456789abcdef"};
    for (size_t i = 0; i < sizeof theirs / sizeof *theirs; i++) {
        place p = place_new();
        char directory[600];
        snprintf(directory, sizeof directory, "%s/results", p.path);
        sc_lab_options options = small_options(city, directory);
        assert_int_equal(mkdir(directory, 0777), 0);
        assert_int_equal(mkdir(place_path(&p, "results/points"), 0777), 0);
        place_write_text(&p, theirs[i], "{}");
        for (int is_fresh = 0; is_fresh <= 1; is_fresh++) {
            options.is_fresh = is_fresh != 0;
            refuse(&options, SC_EMISMATCH, "is not from an experiment; name another");
            assert_int_equal(access(place_path(&p, theirs[i]), F_OK), 0);
            assert_int_equal(access(place_path(&p, "results/experiment.json"), F_OK), -1);
        }
        place_free(&p);
    }
}

// --- Others, and the disk ------------------------------------------------------------------

static void test_two_runs_cannot_be_at_work_in_one_directory(void **state)
{
    (void)state;
    place p = place_new();
    sc_lab_options options = small_options(city, place_path(&p, "results"));
    sc__store store = opened(&options);
    refuse(&options, SC_EBUSY, "another run is using this directory");
    // Least of all one that would forget what is there.
    const sc_lab_result result = made_result(&options, 3, 1);
    save(&store, &result);
    options.is_fresh = true;
    refuse(&options, SC_EBUSY, "another run is using this directory");
    sc_lab_result read;
    assert_true(is_stored(&store, &result.point, &read));
    sc__store_close(&store);
    options.is_fresh = false;
    store = opened(&options);
    sc__store_close(&store);
    place_free(&p);
}

static void test_what_was_left_half_written_is_swept_away(void **state)
{
    (void)state;
    place p = place_new();
    const sc_lab_options options = small_options(city, place_path(&p, "results"));
    sc__store store = opened(&options);
    place_write_text(&p, "results/points/.city-k3-l4-s3-t3-n5-seed1.json.0123456789abcdef", "{");
    // Hidden, and not by us.
    place_write_text(&p, "results/points/.notes", "mine");
    place_write_text(&p, "results/points/.0123456789abcdef", "mine");
    sc__store_close(&store);
    store = opened(&options);
    assert_int_equal(count_entries(place_path(&p, "results/points")), 2);
    sc__store_close(&store);
    place_free(&p);
}

static void test_a_directory_that_cannot_be_made_is_told(void **state)
{
    (void)state;
    place p = place_new();
    sc_lab_options options = small_options(city, place_path(&p, "missing/results"));
    refuse(&options, SC_EIO, "missing/results: cannot create the directory: ");
    options.directory = place_write_text(&p, "file", "");
    refuse(&options, SC_EIO, "file: this is not a directory");
    char long_name[5000];
    memset(long_name, 'a', sizeof long_name);
    long_name[sizeof long_name - 1] = '\0';
    options.directory = long_name;
    refuse(&options, SC_EIO, "");
    place_free(&p);
}

static void test_a_directory_that_may_not_be_written_is_told(void **state)
{
    (void)state;
    place p = place_new();
    sc_lab_options options = small_options(city, place_path(&p, "locked"));
    assert_int_equal(mkdir(options.directory, 0555), 0);
    lose_rights(&p);
    refuse(&options, SC_EIO, "choose a place where you have permission to write");
    have_rights_again();
    place_free(&p);
}

// As on a disk that is full: the file that cannot be written is named, and nothing of it stays.
static void test_a_full_disk_is_told_and_leaves_nothing(void **state)
{
    (void)state;
    place p = place_new();
    const sc_lab_options options = small_options(city, place_path(&p, "results"));
    sc__store store = opened(&options);
    const sc_lab_result result = made_result(&options, 3, 1);
    struct rlimit before;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    signal(SIGXFSZ, SIG_IGN);
    const struct rlimit little = {.rlim_cur = 100, .rlim_max = before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &little), 0);
    sc_diag diag = {""};
    const sc_err err = sc__store_save(&store, &result, &diag);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    CHECK_REFUSED(err, SC_EIO, &diag,
                  "results/points/city-k3-l4-s3-t3-n5-seed1.json: cannot write: ");
    assert_int_equal(count_entries(place_path(&p, "results/points")), 0);
    save(&store, &result);
    sc_lab_result read;
    assert_true(is_stored(&store, &result.point, &read));
    sc__store_close(&store);
    place_free(&p);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_what_is_stored_comes_back_to_the_last_bit),
    cmocka_unit_test(test_points_are_named_after_what_they_are),
    cmocka_unit_test(test_names_of_points_are_told_from_others),
    cmocka_unit_test(test_a_point_is_not_taken_for_another),
    cmocka_unit_test(test_a_damaged_point_is_as_good_as_none),
    cmocka_unit_test(test_a_point_that_was_not_attacked_is_missing_where_attacks_are_wanted),
    cmocka_unit_test(test_a_file_that_cannot_be_looked_at_is_not_taken_for_missing),
    cmocka_unit_test(test_seeds_values_figures_and_maps_may_be_added),
    cmocka_unit_test(test_other_settings_are_refused_by_name),
    cmocka_unit_test(test_what_makes_no_difference_may_differ),
    cmocka_unit_test(test_a_category_is_known_by_its_name),
    cmocka_unit_test(test_points_of_another_build_of_the_program_are_not_mixed_with_ours),
    cmocka_unit_test(test_other_traces_are_refused),
    cmocka_unit_test(test_a_fresh_start_forgets_points_and_settings_and_nothing_else),
    cmocka_unit_test(test_points_of_which_nothing_is_known_are_not_taken),
    cmocka_unit_test(test_a_directory_that_is_not_ours_is_left_alone),
    cmocka_unit_test(test_two_runs_cannot_be_at_work_in_one_directory),
    cmocka_unit_test(test_what_was_left_half_written_is_swept_away),
    cmocka_unit_test(test_a_directory_that_cannot_be_made_is_told),
    cmocka_unit_test(test_a_directory_that_may_not_be_written_is_told),
    cmocka_unit_test(test_a_full_disk_is_told_and_leaves_nothing),
};
SC_SUITE_WITH(tests, open_maps, close_maps)
