// An answer against a plain search: which objects, how far, how they are called, and what may
// differ.
#include <stdio.h>

#include "demo/loadgen/clients.h"
#include "support/check.h"
#include "support/sketch.h"

/** A road of 100 m with objects at 20, 40, 60 and 80 m, and a group with just what compares. */
typedef struct scene {
    sc_map *map;
    sc_objects *objects;
    sc_target target;
    sc__request_writer *writer;
    sc_load_options options;
    sc__load_run shared;
    sc__client_group group;
    sc__client client;
} scene;

static scene *open_scene(void)
{
    scene *on = test_take(1, sizeof(*on));
    sketch s = sketch_new(SC_COORDS_NONE);
    sketch_add_node(&s, 0, 0);
    sketch_add_node(&s, 0, 0);
    sketch_add_edge(&s, 0, 1, 100);
    sc_builder *builder = sketch_builder(&s);
    put_object(builder, 0, 0.2, "cafe", "Blue");
    put_object(builder, 0, 0.4, "cafe", "");
    put_object(builder, 0, 0.6, "fuel", "");
    put_object(builder, 0, 0.8, "cafe", "Red");
    on->map = finish_builder(builder);
    sketch_free(&s);
    CHECK_OK(sc_objects_new_from_map(on->map, &on->objects), NULL);
    CHECK_OK(sc__request_writer_new(on->map, &on->target, &on->writer), NULL);
    on->options = sc_load_options_default();
    on->options.objects = on->objects;
    on->shared.map = on->map;
    on->shared.options = &on->options;
    on->shared.writer = on->writer;
    on->group.shared = &on->shared;
    on->group.options = &on->options;
    on->group.counts = test_take(1, sizeof(*on->group.counts));
    on->group.check = test_take(1, sizeof(*on->group.check));
    const sc_lbs_options lbs = sc_lbs_options_default();
    CHECK_OK(sc_lbs_new(on->map, &lbs, &on->group.lbs[0], NULL), NULL);
    return on;
}

static void close_scene(scene *on)
{
    sc_lbs_free(on->group.lbs[0]);
    free(on->group.check);
    free(on->group.counts);
    sc__request_writer_free(on->writer);
    sc_objects_release(on->objects);
    sc_map_free(on->map);
    free(on);
}

static void ask(scene *on, double offset_m, uint32_t nearest)
{
    on->client.question =
        (sc__client_query){.offset_m = offset_m, .nearest = nearest, .category = SC_NONE};
    on->group.check->object_count = 0;
    on->group.check->is_violated = false;
}

static void tell(scene *on, const char *id, const char *category, const char *name,
                 double distance_m)
{
    sc_reply_check *check = on->group.check;
    const size_t i = check->object_count++;
    check->distances_m[i] = distance_m;
    check->durations_s[i] = SC_UNKNOWN_S;
    check->digests[i] = sc_object_digest(id, category, name);
}

static void check_right(scene *on)
{
    const uint64_t before = on->group.counts->checked;
    sc__reply_check_exact(&on->group, &on->client);
    CHECK_OK(on->group.err, NULL);
    if (on->group.check->is_violated) print_error("%s\n", on->group.check->remark);
    assert_false(on->group.check->is_violated);
    assert_int_equal(on->group.counts->checked, before + 1);
}

static void check_wrong(scene *on, const char *part)
{
    sc__reply_check_exact(&on->group, &on->client);
    CHECK_OK(on->group.err, NULL);
    assert_true(on->group.check->is_violated);
    assert_int_equal(on->group.check->violation, SC_VIOLATION_WRONG_ANSWER);
    CHECK_CONTAINS(on->group.check->remark, part);
}

static void test_the_nearest_objects_as_the_map_calls_them_are_right(void **state)
{
    (void)state;
    scene *on = open_scene();
    ask(on, 45, 3);
    tell(on, "1", "cafe", "", 5);
    tell(on, "2", "fuel", "", 15.001);
    tell(on, "0", "cafe", "Blue", 25);
    check_right(on);
    ask(on, 45, 9);  // there are no more
    tell(on, "1", "cafe", "", 5);
    tell(on, "2", "fuel", "", 15);
    tell(on, "0", "cafe", "Blue", 25);
    tell(on, "3", "cafe", "Red", 35);
    check_right(on);
    close_scene(on);
}

static void test_another_id_category_or_name_is_wrong(void **state)
{
    (void)state;
    static const char *const told[][3] = {
        {"3", "cafe", "Blue"}, {"00", "cafe", "Blue"}, {"", "cafe", "Blue"},
        {"0", "fuel", "Blue"}, {"0", "cafe", "Red"},   {"0", "cafeB", "lue"},
    };
    scene *on = open_scene();
    // Wherever it stands, also as the last or the only one.
    for (size_t i = 0; i < sizeof(told) / sizeof(told[0]); i++) {
        check_case(i);
        ask(on, 25, 1);
        tell(on, told[i][0], told[i][1], told[i][2], 5);
        check_wrong(on, "another object");
        ask(on, 25, 2);
        tell(on, told[i][0], told[i][1], told[i][2], 5);
        tell(on, "1", "cafe", "", 15);
        check_wrong(on, "another object");
    }
    check_case_done();
    // The right ones, each where the other is.
    ask(on, 25, 2);
    tell(on, "1", "cafe", "", 5);
    tell(on, "0", "cafe", "Blue", 15);
    check_wrong(on, "another object");
    close_scene(on);
}

static void test_another_distance_or_number_is_wrong(void **state)
{
    (void)state;
    scene *on = open_scene();
    ask(on, 25, 1);
    tell(on, "0", "cafe", "Blue", 5.01);
    check_wrong(on, "another distance");
    ask(on, 25, 2);
    tell(on, "0", "cafe", "Blue", 5);
    check_wrong(on, "another number");
    ask(on, 25, 1);
    check_wrong(on, "another number");
    close_scene(on);
}

// From the middle of the road objects are equally far in pairs.
static void test_equally_far_objects_may_be_told_in_any_order(void **state)
{
    (void)state;
    scene *on = open_scene();
    for (int is_turned = 0; is_turned < 2; is_turned++) {
        ask(on, 50, 2);
        tell(on, is_turned ? "2" : "1", is_turned ? "fuel" : "cafe", "", 10);
        tell(on, is_turned ? "1" : "2", is_turned ? "cafe" : "fuel", "", 10);
        check_right(on);
        // The last may be one of two; the ones before it are known.
        ask(on, 50, 3);
        tell(on, "2", "fuel", "", 10);
        tell(on, "1", "cafe", "", 10);
        tell(on, is_turned ? "0" : "3", "cafe", is_turned ? "Blue" : "Red", 30);
        check_right(on);
    }
    ask(on, 50, 3);
    tell(on, "3", "cafe", "Red", 10);
    tell(on, "1", "cafe", "", 10);
    tell(on, "0", "cafe", "Blue", 30);
    check_wrong(on, "another object");
    ask(on, 50, 2);
    tell(on, "1", "cafe", "", 10);
    tell(on, "1", "cafe", "", 10);
    check_wrong(on, "twice");
    close_scene(on);
}

/** On the road of the scene, of 100 m. */
static double seconds_for(const scene *on, double distance_m)
{
    return sc_map_edge_times(on->map)[0].forward * sc_map_time_unit_s(on->map) * distance_m / 100;
}

static void test_times_are_compared_too(void **state)
{
    (void)state;
    scene *on = open_scene();
    for (unsigned metric = 0; metric < SC_METRIC_COUNT; metric++) {
        for (int off = 0; off < 2; off++) {
            ask(on, 45, 1);
            on->client.question.metric = (sc_metric)metric;
            tell(on, "1", "cafe", "", 5);
            on->group.check->durations_s[0] = seconds_for(on, 5) + off;
            if (off) {
                check_wrong(on, metric == SC_METRIC_TIME ? "another time"
                                                         : "another object, another way");
            } else {
                check_right(on);
            }
        }
    }
    close_scene(on);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_times_are_compared_too),
    cmocka_unit_test(test_the_nearest_objects_as_the_map_calls_them_are_right),
    SC_CASES(test_another_id_category_or_name_is_wrong),
    cmocka_unit_test(test_another_distance_or_number_is_wrong),
    cmocka_unit_test(test_equally_far_objects_may_be_told_in_any_order),
};
SC_SUITE(tests)
