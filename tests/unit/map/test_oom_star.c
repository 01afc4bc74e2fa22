// Walkers of the star graph without memory: told, nothing leaks, and a walk
// itself needs none.
#include <starcloak/star.h>

#include "support/check.h"
#include "support/oom.h"
#include "support/sketch.h"

static void test_a_walker_without_memory_is_told(void **state)
{
    (void)state;
    sketch s = sketch_named("street of three");
    sc_map *map = sketch_map(&s);
    unsigned long failures = 0;
    FOR_EACH_FAILURE(n)
    {
        sc_ball *ball = NULL;
        const sc_err err = sc_ball_new(map, &ball);
        if (!oom_happened()) {
            CHECK_OK(err, NULL);
            sc_ball_free(ball);
            break;
        }
        assert_int_equal(err, SC_ENOMEM);
        assert_null(ball);
        failures++;
    }
    assert_int_equal(failures, 4);
    sc_map_free(map);
    sketch_free(&s);
}

static void test_a_walk_needs_no_memory(void **state)
{
    (void)state;
    sketch s = sketch_named("street of three");
    sc_map *map = sketch_map(&s);
    sc_ball *ball = NULL;
    CHECK_OK(sc_ball_new(map, &ball), NULL);
    sc_alloc_fail_at(1);
    size_t count = 0;
    sc_ball_walk(ball, 0, 4, &count);
    const size_t segments = sc_ball_segment_count(ball);
    assert_false(oom_happened());
    assert_int_equal(count, 3);
    assert_int_equal(segments, 8);
    sc_ball_free(ball);
    sc_map_free(map);
    sketch_free(&s);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_walker_without_memory_is_told),
    cmocka_unit_test(test_a_walk_needs_no_memory),
};
SC_SUITE(tests)
