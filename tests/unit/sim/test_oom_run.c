// Whole runs while memory runs out: every allocation fails once, in turn. Nothing may
// leak (the sanitizer watches), the error must say so, and no record may stay.
#include "sim/run.h"

#include "support/check.h"
#include "support/oom.h"
#include "support/place.h"
#include "support/sketch.h"
#include "travel/walk.h"

/** A run of either kind; what it is about is borrowed. */
typedef struct attempt {
    const sc_map *map;
    const sc_stream *stream;  ///< NULL: travellers
    sc_run_options options;
} attempt;

static sc_err run(const attempt *a, sc_run_report *report, sc_diag *diag)
{
    if (a->stream) return sc_run_stream(a->map, a->stream, &a->options, report, diag);
    sc_workload workload = sc_workload_default();
    workload.k = sc_normal_around(2, 1, 1);
    workload.l = sc_normal_around(3, 1, 1);
    workload.pause_s = sc_normal_around(4, 1, 1);
    workload.max_wait_s = sc_normal_around(2, 1, 1);
    sc_movement *movement = NULL;
    sc_err err = sc_walk_new(a->map, 40, 1, &movement, diag);
    if (!err) err = sc_run_travellers(movement, &workload, 8, &a->options, report, diag);
    sc_movement_free(movement);
    return err;
}

static void fail_each_in_turn(const attempt *a, const place *here, unsigned long least)
{
    unsigned long failures = 0;
    FOR_EACH_FAILURE(n)
    {
        sc_run_report report = {0};
        sc_diag diag = {""};
        const sc_err err = run(a, &report, &diag);
        if (!oom_happened()) {
            CHECK_OK(err, &diag);
            // Both outcomes, or half of what can fail was not there to do so.
            assert_true(report.cloaked > 0 && report.cloaked < report.queries);
            break;
        }
        assert_int_equal(err, SC_ENOMEM);
        CHECK_CONTAINS(diag.message, "memory");
        assert_int_equal(count_entries(here->path), 0);
        failures++;
    }
    assert_true(failures > least);
}

static void test_travellers_survive_the_failure_of_every_allocation(void **state)
{
    (void)state;
    sketch s = sketch_grid(SC_COORDS_PLANAR, 4, 4);
    sc_map *map = sketch_map(&s);
    place here = place_new();
    attempt a = {.map = map, .options = sc_run_options_default()};
    a.options.record = place_path(&here, "run");
    a.options.engine.variant = SC_VARIANT_HYBRID;
    a.options.engine.is_paranoid = true;
    fail_each_in_turn(&a, &here, 40);
    place_free(&here);
    sc_map_free(map);
    sketch_free(&s);
}

static void test_a_pool_survives_too(void **state)
{
    (void)state;
    sketch s = sketch_grid(SC_COORDS_PLANAR, 4, 4);
    sc_map *map = sketch_map(&s);
    place here = place_new();
    attempt a = {.map = map, .options = sc_run_options_default()};
    a.options.prune_threads = 2;
    fail_each_in_turn(&a, &here, 40);
    place_free(&here);
    sc_map_free(map);
    sketch_free(&s);
}

static void test_a_stream_survives_too(void **state)
{
    (void)state;
    sketch s = sketch_grid(SC_COORDS_PLANAR, 4, 4);
    sc_map *map = sketch_map(&s);
    place here = place_new();
    sc_diag diag = {""};
    sc_stream *stream = NULL;
    static const char text[] =
        "{\"user\":\"a\",\"t\":1,\"edge\":0,\"offset_m\":1,\"profile\":{\"k\":2,\"l\":1,"
        "\"sigma_s\":3,\"sigma_t\":5},\"request\":{\"type\":\"knn\",\"k\":1,\"category\":null}}\n"
        "{\"user\":\"b\",\"t\":2,\"edge\":0,\"offset_m\":1,\"profile\":{\"k\":2,\"l\":1,"
        "\"sigma_s\":3,\"sigma_t\":5},\"request\":{\"type\":\"knn\",\"k\":1,\"category\":null}}\n"
        "{\"user\":\"c\",\"t\":3,\"edge\":0,\"offset_m\":1,\"profile\":{\"k\":9,\"l\":1,"
        "\"sigma_s\":3,\"sigma_t\":5},\"request\":{\"type\":\"knn\",\"k\":1,\"category\":null}}\n";
    CHECK_OK(sc_stream_parse(map, text, sizeof text - 1, "text", &stream, &diag), &diag);
    attempt a = {.map = map, .stream = stream, .options = sc_run_options_default()};
    a.options.record = place_path(&here, "run");
    fail_each_in_turn(&a, &here, 20);
    sc_stream_free(stream);
    place_free(&here);
    sc_map_free(map);
    sketch_free(&s);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_travellers_survive_the_failure_of_every_allocation),
    cmocka_unit_test(test_a_pool_survives_too),
    cmocka_unit_test(test_a_stream_survives_too),
};
SC_SUITE(tests)
