// Every allocation of a tracker, and of counting traffic, fails once, in turn; a cloak that could
// not be seen has not been seen.
#include <starcloak/attack.h>

#include "support/check.h"
#include "support/oom.h"
#include "support/sketch.h"

#include "travel/movement.h"
#include "travel/trips.h"

static sc_map *grid_map(void)
{
    sketch s = sketch_grid(SC_COORDS_PLANAR, 12, 8);
    sc_map *map = sketch_map(&s);
    sketch_free(&s);
    return map;
}

static const sc_tracker_options at_ten = {.top_speed_m_s = 10.0};

static void test_a_tracker_without_memory_is_told(void **state)
{
    (void)state;
    sc_map *map = grid_map();
    unsigned long failures = 0;
    FOR_EACH_FAILURE(n)
    {
        sc_tracker *tracker = NULL;
        sc_diag diag = {""};
        const sc_err err = sc_tracker_new(map, &at_ten, &tracker, &diag);
        if (!oom_happened()) {
            CHECK_OK(err, &diag);
            sc_tracker_free(tracker);
            break;
        }
        CHECK_REFUSED(err, SC_ENOMEM, &diag, "out of memory while making a tracker");
        assert_null(tracker);
        failures++;
    }
    // The tracker, times of segments, marks of stars and of segments.
    assert_int_equal(failures, 4);
    sc_map_free(map);
}

enum { CLOAKS = 4 };

/** Larger from time to time, so that there is something to make room for. */
static sc_tracked cloak_at(int i, sc_seg_id room[64])
{
    const size_t count = 8 + 8 * (size_t)i;
    for (size_t s = 0; s < count; s++) {
        room[s] = (sc_seg_id)(3 * s + (size_t)i);
    }
    return (sc_tracked){.segments = room,
                        .segment_count = count,
                        .asked_from = sc_time_from_seconds(20.0 * i),
                        .asked_until = sc_time_from_seconds(20.0 * i + 5)};
}

static void check_same(const sc_posterior *got, const sc_posterior *wanted)
{
    assert_int_equal(got->link_count, wanted->link_count);
    assert_int_equal(got->is_unexplained, wanted->is_unexplained);
    for (size_t i = 0; i < got->link_count; i++) {
        assert_int_equal(got->links[i].segment, wanted->links[i].segment);
        CHECK_SAME(got->links[i].linkability, wanted->links[i].linkability);
    }
}

/** Let the n-th allocation while cloak `which` is seen fail; whether there was one. */
static bool trouble(const sc_map *map, int which, unsigned long n)
{
    sc_tracker *troubled = NULL;
    sc_tracker *untroubled = NULL;
    CHECK_OK(sc_tracker_new(map, &at_ten, &troubled, NULL), NULL);
    CHECK_OK(sc_tracker_new(map, &at_ten, &untroubled, NULL), NULL);
    bool has_failed = false;
    for (int i = 0; i < CLOAKS; i++) {
        sc_seg_id room[64];
        const sc_tracked cloak = cloak_at(i, room);
        sc_posterior got = {.replays = 4711};
        if (i == which) {
            oom_arm(n);
            const sc_err err = sc_tracker_see(troubled, &cloak, &got);
            has_failed = oom_happened();
            assert_int_equal(err, has_failed ? SC_ENOMEM : SC_OK);
            if (has_failed) assert_true(got.replays == 4711 && !got.links);
        }
        if (i != which || has_failed) CHECK_OK(sc_tracker_see(troubled, &cloak, &got), NULL);
        sc_posterior wanted = {0};
        CHECK_OK(sc_tracker_see(untroubled, &cloak, &wanted), NULL);
        check_same(&got, &wanted);
        sc_posterior_fini(&got);
        sc_posterior_fini(&wanted);
    }
    sc_tracker_free(troubled);
    sc_tracker_free(untroubled);
    return has_failed;
}

static void test_a_cloak_that_could_not_be_seen_has_not_been_seen(void **state)
{
    (void)state;
    sc_map *map = grid_map();
    unsigned long failures = 0;
    for (int which = 0; which < CLOAKS; which++) {
        unsigned long n = 1;
        while (trouble(map, which, n)) {
            n++;
            failures++;
        }
        // Whatever else there is room for, a posterior is new.
        assert_true(n > 4);
    }
    // Room for the first cloak and for the second, and for searches.
    assert_true(failures > 16 + 2 + 2);
    sc_map_free(map);
}

static void test_traffic_that_cannot_be_counted_has_not_been_counted(void **state)
{
    (void)state;
    sc_map *map = grid_map();
    const uint32_t segment_count = sc_map_segment_count(map);
    sc_route_table routes;
    CHECK_OK(sc_route_table_init(&routes, map, NULL, NULL), NULL);
    uint64_t *counts = test_take(segment_count, sizeof *counts);
    unsigned long failures = 0;
    for (unsigned long n = 1;; n++) {
        const sc_trips_options options = {.count = 5, .truck_share = 0, .seed = 1};
        sc_movement *trips = NULL;
        CHECK_OK(sc_trips_new(map, &routes, &options, &trips, NULL), NULL);
        oom_arm(n);
        const sc_err err =
            sc_traffic_count(trips, 0, sc_time_from_seconds(300), sc_time_from_seconds(60), counts);
        const bool has_failed = oom_happened();
        uint64_t sum = 0;
        for (uint32_t s = 0; s < segment_count; s++) {
            sum += counts[s];
        }
        sc_movement_free(trips);
        assert_int_equal(err, has_failed ? SC_ENOMEM : SC_OK);
        assert_int_equal(sum, has_failed ? 0 : 25);
        if (!has_failed) break;
        failures++;
    }
    // The counts aside, and the first way.
    assert_true(failures >= 2);
    free(counts);
    sc_route_table_fini(&routes);
    sc_map_free(map);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_tracker_without_memory_is_told),
    cmocka_unit_test(test_a_cloak_that_could_not_be_seen_has_not_been_seen),
    cmocka_unit_test(test_traffic_that_cannot_be_counted_has_not_been_counted),
};
SC_SUITE(tests)
