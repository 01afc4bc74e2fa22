// No rare request twice: which requests of a cloak leave, by who made them before, where and when.
//
// A street of crossings, 100 m apart: cloaks are a road or two of it. Users are numbers, requests
// are "the k nearest".
#include "ledger/rare_requests.h"

#include "support/check.h"
#include "support/oom.h"
#include "support/sketch.h"

static const sc_time second_us = 1000000;

enum { USERS = 3, SIDE = 40, MEMBERS_MAX = 16 };

typedef struct scene {
    sc_map *map;
    sc__rare_requests *rare;
} scene;

static sc_rare_options rare_options(void)
{
    sc_rare_options options = sc_rare_options_default();
    options.users = USERS;
    options.capacity = 4096;
    return options;
}

static void scene_open(scene *s, const sc_rare_options *options, sc_coords coords)
{
    sketch grid = sketch_grid(coords, SIDE, 3);
    s->map = sketch_map(&grid);
    sketch_free(&grid);
    CHECK_OK(sc__rare_requests_new(s->map, options, &s->rare), NULL);
}

static void scene_close(scene *s)
{
    sc__rare_requests_free(s->rare);
    sc_map_free(s->map);
}

/** A cloak of one segment whose members all ask for the k nearest, with these users up to 0; how
 * many of them are told that their request is rare. If one leaves, the cloak has left. */
static size_t leave(const scene *s, sc_seg_id segment, uint32_t k, const uint64_t *users,
                    sc_time now)
{
    sc_request requests[MEMBERS_MAX];
    bool is_rare[MEMBERS_MAX] = {false};
    size_t count = 0;
    for (; users[count] != 0; count++) {
        requests[count] = (sc_request){.type = SC_REQUEST_KNN, .k = k};
    }
    const sc__rare_cloak cloak = {&segment, 1, users, requests, count};
    const size_t rare = sc__rare_requests_judge(s->rare, &cloak, now, is_rare);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(is_rare[i], rare > 0);  // all of them ask for the same
    }
    if (rare < count) sc__rare_requests_left(s->rare, &cloak, is_rare, now);
    return rare;
}

static bool leaves(const scene *s, sc_seg_id segment, uint32_t k, uint64_t user, sc_time now)
{
    return leave(s, segment, k, (const uint64_t[]){user, 0}, now) == 0;
}

static scene *common_scene(void)
{
    static scene s;
    const sc_rare_options options = rare_options();
    scene_open(&s, &options, SC_COORDS_PLANAR);
    return &s;
}

static void test_a_rare_request_leaves_once(void **state)
{
    (void)state;
    scene *s = common_scene();
    assert_true(leaves(s, 0, 3, 1, 10 * second_us));
    assert_false(leaves(s, 0, 3, 1, 11 * second_us));
    assert_false(leaves(s, 9, 3, 1, 3000 * second_us));
    // Something else is a first request.
    assert_true(leaves(s, 0, 4, 1, 3000 * second_us));
    assert_false(leaves(s, 0, 4, 1, 3001 * second_us));
    // One that did not leave is not remembered; what left is, for an hour.
    assert_true(leaves(s, 0, 3, 1, 3611 * second_us));
    scene_close(s);
}

static void test_enough_users_nearby_and_lately_make_it_common(void **state)
{
    (void)state;
    scene *s = common_scene();
    assert_true(leaves(s, 0, 3, 1, 100 * second_us));
    assert_true(leaves(s, 0, 3, 2, 160 * second_us));
    assert_false(leaves(s, 0, 3, 1, 161 * second_us));  // two users are not enough
    assert_true(leaves(s, 0, 3, 3, 170 * second_us));
    assert_true(leaves(s, 0, 3, 1, 171 * second_us));
    // The minute of the second user is over, and a user counts once.
    assert_true(leaves(s, 0, 3, 3, 200 * second_us));
    assert_false(leaves(s, 0, 3, 1, 221 * second_us));
    // Another request is not this one.
    assert_true(leaves(s, 0, 4, 1, 221 * second_us));
    scene_close(s);
}

static void test_members_of_the_same_cloak_count(void **state)
{
    (void)state;
    scene *s = common_scene();
    assert_int_equal(leave(s, 0, 3, (const uint64_t[]){1, 2, 3, 0}, 100 * second_us), 0);
    // Each has made it before, and there are three of them.
    assert_int_equal(leave(s, 0, 3, (const uint64_t[]){1, 2, 3, 0}, 1000 * second_us), 0);
    // Twice the same user is one.
    assert_int_equal(leave(s, 0, 3, (const uint64_t[]){1, 2, 2, 0}, 2000 * second_us), 3);
    // A user who makes it for the first time lets it leave, and the bytes are the same for all.
    assert_int_equal(leave(s, 0, 3, (const uint64_t[]){1, 2, 4, 0}, 2000 * second_us), 0);
    scene_close(s);
}

/** A segment whose extent is beside column `column` of the grid's first row. */
static sc_seg_id road_at(const sc_map *map, double x)
{
    sc_snap snap;
    CHECK_OK(sc_map_snap(map, x, 0.0, 1000.0, &snap), NULL);
    return snap.segment;
}

static void test_only_those_who_can_have_come_are_company(void **state)
{
    (void)state;
    scene *s = common_scene();
    const sc_seg_id here = road_at(s->map, 1050.0);
    const sc_seg_id near = road_at(s->map, 1350.0);  // 300 m away, at most 400 between corners
    const sc_seg_id far = road_at(s->map, 2350.0);   // more than a minute's drive, by far
    assert_true(leaves(s, here, 3, 1, 100 * second_us));
    assert_true(leaves(s, near, 3, 2, 200 * second_us));
    assert_true(leaves(s, near, 3, 3, 200 * second_us));
    // Twice 400 m at 33 m/s take 24.2 s.
    assert_false(leaves(s, here, 3, 1, 224 * second_us));
    assert_true(leaves(s, here, 3, 1, 225 * second_us));
    assert_true(leaves(s, far, 4, 2, 300 * second_us));
    assert_true(leaves(s, far, 4, 3, 300 * second_us));
    assert_true(leaves(s, here, 4, 1, 300 * second_us));
    assert_false(leaves(s, here, 4, 1, 359 * second_us));
    scene_close(s);
}

static void test_on_the_globe_distances_are_metres_too(void **state)
{
    (void)state;
    scene s;
    const sc_rare_options options = rare_options();
    scene_open(&s, &options, SC_COORDS_GEOGRAPHIC);
    double x = 0.0;
    double y = 0.0;
    sc_map_node_position(s.map, 0, &x, &y);
    double next_x = 0.0;
    double next_y = 0.0;
    sc_map_node_position(s.map, 1, &next_x, &next_y);
    const double step_x = next_x - x;
    const double step_y = next_y - y;
    sc_snap here;
    sc_snap near;
    CHECK_OK(sc_map_snap(s.map, x + 10.5 * step_x, y + 10.5 * step_y, 1000.0, &here), NULL);
    CHECK_OK(sc_map_snap(s.map, x + 13.5 * step_x, y + 13.5 * step_y, 1000.0, &near), NULL);
    assert_true(leaves(&s, here.segment, 3, 1, 100 * second_us));
    assert_true(leaves(&s, near.segment, 3, 2, 200 * second_us));
    assert_true(leaves(&s, near.segment, 3, 3, 200 * second_us));
    assert_false(leaves(&s, here.segment, 3, 1, 223 * second_us));
    assert_true(leaves(&s, here.segment, 3, 1, 226 * second_us));
    scene_close(&s);
}

static void test_without_coordinates_only_a_common_road_counts(void **state)
{
    (void)state;
    scene s;
    const sc_rare_options options = rare_options();
    scene_open(&s, &options, SC_COORDS_NONE);
    assert_true(leaves(&s, 5, 3, 1, 100 * second_us));
    assert_true(leaves(&s, 6, 3, 2, 100 * second_us));
    assert_true(leaves(&s, 6, 3, 3, 100 * second_us));
    assert_false(leaves(&s, 5, 3, 1, 159 * second_us));
    assert_true(leaves(&s, 6, 3, 1, 159 * second_us));
    scene_close(&s);
}

static void test_requests_that_differ_in_anything_are_different(void **state)
{
    (void)state;
    static const sc_request requests[] = {
        {.type = SC_REQUEST_KNN, .k = 3},
        {.type = SC_REQUEST_KNN, .k = 4},
        {.type = SC_REQUEST_KNN, .k = 3, .metric = SC_METRIC_TIME},
        {.type = SC_REQUEST_KNN, .k = 3, .category_count = 1, .categories = {0}},
        {.type = SC_REQUEST_KNN, .k = 3, .category_count = 1, .categories = {1}},
        {.type = SC_REQUEST_RANGE, .radius_m = 100.0},
        {.type = SC_REQUEST_RANGE, .radius_m = 101.0},
        {.type = SC_REQUEST_RANGE, .metric = SC_METRIC_TIME, .radius_s = 100.0},
    };
    enum { COUNT = sizeof requests / sizeof *requests };
    scene *s = common_scene();
    const sc_seg_id segment = 0;
    const uint64_t user = 1;
    for (size_t round = 0; round < 2; round++) {
        for (size_t i = 0; i < COUNT; i++) {
            bool is_rare = false;
            const sc__rare_cloak cloak = {&segment, 1, &user, &requests[i], 1};
            assert_int_equal(sc__rare_requests_judge(s->rare, &cloak, 5, &is_rare), round);
            if (round == 0) sc__rare_requests_left(s->rare, &cloak, NULL, 5);
        }
    }
    scene_close(s);
}

static void test_nothing_grows_and_the_oldest_is_forgotten_first(void **state)
{
    (void)state;
    scene s;
    sc_rare_options options = rare_options();
    options.capacity = 64;
    scene_open(&s, &options, SC_COORDS_PLANAR);
    for (uint64_t user = 1; user <= 10000; user++) {
        assert_true(leaves(&s, (sc_seg_id)(user % 7), 3, user, (sc_time)user));
    }
    unsigned known = 0;
    for (uint64_t user = 9990; user <= 10000; user++) {
        // Company of the last microseconds is there as far as there is room for it: so another
        // request is looked at, of which there is none.
        known += !leaves(&s, 30, 3, user, 10001);
    }
    assert_true(known > 0);
    assert_true(leaves(&s, 30, 3, 1, 10001));
    scene_close(&s);
}

static void test_what_is_over_is_wiped_and_then_there_is_nothing_to_wake_for(void **state)
{
    (void)state;
    scene *s = common_scene();
    assert_true(sc__rare_requests_pass_time(s->rare, 0) == SC_TIME_NEVER);
    assert_true(leaves(s, 0, 3, 1, 10 * second_us));
    sc_time wake = sc__rare_requests_pass_time(s->rare, 10 * second_us);
    unsigned calls = 0;
    for (; wake != SC_TIME_NEVER; calls++) {
        assert_true(wake > 10 * second_us);
        assert_true(calls < 5000);
        wake = sc__rare_requests_pass_time(s->rare, wake);
    }
    // An hour, and the time until all places are looked at.
    assert_in_range(calls, 3590, 3700);
    scene_close(s);
}

static void test_making_it_survives_the_failure_of_every_allocation(void **state)
{
    (void)state;
    sketch grid = sketch_grid(SC_COORDS_PLANAR, 3, 3);
    sc_map *map = sketch_map(&grid);
    const sc_rare_options options = rare_options();
    unsigned long failures = 0;
    FOR_EACH_FAILURE(n)
    {
        sc__rare_requests *rare = NULL;
        const sc_err err = sc__rare_requests_new(map, &options, &rare);
        if (!oom_happened()) {
            assert_int_equal(err, SC_OK);
            sc__rare_requests_free(rare);
            break;
        }
        assert_int_equal(err, SC_ENOMEM);
        failures++;
    }
    assert_int_equal(failures, 7);
    sc__rare_requests_free(NULL);
    sc_map_free(map);
    sketch_free(&grid);
}

static void test_requests_are_rounded_up_to_a_closed_list(void **state)
{
    (void)state;
    const sc_request_limits limits = {.max_k = 70, .max_radius_m = 3000, .max_radius_s = 600};
    static const struct {
        double asked, made;
    } counts[] = {{1, 1}, {3, 3}, {4, 5}, {11, 20}, {50, 50}, {51, 70}, {70, 70}},
      metres[] = {{0, 100}, {100, 100}, {1234.5, 2000}, {2001, 3000}, {3000, 3000}},
      seconds[] = {{1, 60}, {61, 120}, {301, 600}, {600, 600}};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        const sc_request request = {.type = SC_REQUEST_KNN, .k = (uint32_t)counts[i].asked};
        assert_int_equal(sc_request_rounded(&request, &limits).k, (uint32_t)counts[i].made);
    }
    for (size_t i = 0; i < sizeof metres / sizeof *metres; i++) {
        const sc_request request = {.type = SC_REQUEST_RANGE, .radius_m = metres[i].asked};
        CHECK_SAME(sc_request_rounded(&request, &limits).radius_m, metres[i].made);
    }
    for (size_t i = 0; i < sizeof seconds / sizeof *seconds; i++) {
        const sc_request request = {
            .type = SC_REQUEST_RANGE, .metric = SC_METRIC_TIME, .radius_s = seconds[i].asked};
        CHECK_SAME(sc_request_rounded(&request, &limits).radius_s, seconds[i].made);
    }
}

static void test_of_a_rounded_answer_what_was_asked_for_is_kept(void **state)
{
    (void)state;
    const sc_request nearest = {.type = SC_REQUEST_KNN, .k = 4};
    assert_true(sc_request_wants(&nearest, 3, 1e6, 1e6));
    assert_false(sc_request_wants(&nearest, 4, 0, 0));
    const sc_request range = {.type = SC_REQUEST_RANGE, .radius_m = 150};
    assert_true(sc_request_wants(&range, 99, 150, 1e6));
    assert_false(sc_request_wants(&range, 0, 150.001, 0));
    const sc_request drive = {.type = SC_REQUEST_RANGE, .metric = SC_METRIC_TIME, .radius_s = 70};
    assert_true(sc_request_wants(&drive, 99, 1e6, 70));
    assert_false(sc_request_wants(&drive, 0, 0, 70.001));
}

/** Whether the user's request for both categories leaves; if so it has left. */
static bool leaves_for(sc__rare_requests *rare, const sc_category_id categories[2], uint64_t user)
{
    const sc_seg_id segment = 4;
    sc_request request = {.type = SC_REQUEST_KNN, .k = 3, .category_count = 2};
    request.categories[0] = categories[0];
    request.categories[1] = categories[1];
    bool is_rare = false;
    const sc__rare_cloak cloak = {&segment, 1, &user, &request, 1};
    if (sc__rare_requests_judge(rare, &cloak, second_us, &is_rare) > 0) return false;
    sc__rare_requests_left(rare, &cloak, &is_rare, second_us);
    return true;
}

// The maps of a service that changes from one to the other: categories have other numbers there,
// and so another order.
static void test_what_was_made_on_one_map_was_made_on_the_other(void **state)
{
    (void)state;
    static const char *const words[] = {"cafe", "bar", "zoo"};
    static const char *const other_words[] = {"zoo", "bank", "bar", "cafe"};
    const sc_vocabulary vocabulary = {.names = words, .count = 3};
    const sc_vocabulary other_vocabulary = {.names = other_words, .count = 4};
    sc_rare_options options = rare_options();
    CHECK_OK(sc_rare_memory_new(options.capacity, &options.memory), NULL);
    scene s;
    scene other;
    scene_open(&s, &options, SC_COORDS_GEOGRAPHIC);
    scene_open(&other, &options, SC_COORDS_GEOGRAPHIC);
    sc_rare_memory_release(options.memory);
    CHECK_OK(sc__rare_requests_name(s.rare, &vocabulary), NULL);
    CHECK_OK(sc__rare_requests_name(other.rare, &other_vocabulary), NULL);
    const sc_category_id cafe_and_zoo[] = {0, 2};
    const sc_category_id zoo_and_cafe[] = {0, 3};
    const sc_category_id bank_and_cafe[] = {1, 3};
    assert_true(leaves_for(s.rare, cafe_and_zoo, 7));
    assert_false(leaves_for(other.rare, zoo_and_cafe, 7));
    assert_true(leaves_for(other.rare, zoo_and_cafe, 8));
    assert_true(leaves_for(other.rare, bank_and_cafe, 7));
    // The first map goes, and what was made on it is remembered.
    scene_close(&s);
    assert_false(leaves_for(other.rare, zoo_and_cafe, 7));
    scene_close(&other);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_what_was_made_on_one_map_was_made_on_the_other),
    cmocka_unit_test(test_a_rare_request_leaves_once),
    cmocka_unit_test(test_enough_users_nearby_and_lately_make_it_common),
    cmocka_unit_test(test_members_of_the_same_cloak_count),
    cmocka_unit_test(test_only_those_who_can_have_come_are_company),
    cmocka_unit_test(test_on_the_globe_distances_are_metres_too),
    cmocka_unit_test(test_without_coordinates_only_a_common_road_counts),
    cmocka_unit_test(test_requests_that_differ_in_anything_are_different),
    cmocka_unit_test(test_nothing_grows_and_the_oldest_is_forgotten_first),
    cmocka_unit_test(test_what_is_over_is_wiped_and_then_there_is_nothing_to_wake_for),
    cmocka_unit_test(test_requests_are_rounded_up_to_a_closed_list),
    cmocka_unit_test(test_of_a_rounded_answer_what_was_asked_for_is_kept),
    cmocka_unit_test(test_making_it_survives_the_failure_of_every_allocation),
};
SC_SUITE(tests)
