// Counting who is where: as one counts plainly, moment by moment.
#include "travel/movement.h"

#include "support/check.h"
#include "support/sketch.h"

#include "base/rng.h"
#include "travel/trips.h"
#include "travel/walk.h"

static sc_map *grid_map(uint32_t width, uint32_t height)
{
    sketch s = sketch_grid(SC_COORDS_PLANAR, width, height);
    sc_map *map = sketch_map(&s);
    sketch_free(&s);
    return map;
}

/** Moment by moment, everybody in turn: the other way round. */
static void count_plainly(sc_movement *movement, sc_time from, sc_time until, sc_time step,
                          uint64_t *counts)
{
    for (sc_time t = from; t < until; t += step) {
        for (uint32_t who = 0; who < movement->count; who++) {
            sc_place place = {SC_NONE, 0};
            sc_time back = -1;
            CHECK_OK(sc_movement_at(movement, who, t, &place, &back), NULL);
            if (back == t) counts[sc_map_edges(movement->map)[place.edge].segment]++;
        }
    }
}

static uint64_t sum_of(const uint64_t *counts, uint32_t count)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < count; i++) {
        sum += counts[i];
    }
    return sum;
}

/** Takes both movements, which are the same. */
static void check_counts(sc_movement *movement, sc_movement *same, sc_time from, sc_time until,
                         sc_time step)
{
    const uint32_t segment_count = sc_map_segment_count(movement->map);
    uint64_t *counts = test_take(segment_count, sizeof *counts);
    uint64_t *wanted = test_take(segment_count, sizeof *wanted);
    for (uint32_t s = 0; s < segment_count; s++) {
        counts[s] = wanted[s] = s;  // what was counted before stays
    }
    CHECK_OK(sc_traffic_count(movement, from, until, step, counts), NULL);
    count_plainly(same, from, until, step, wanted);
    for (uint32_t s = 0; s < segment_count; s++) {
        assert_int_equal(counts[s], wanted[s]);
    }
    free(counts);
    free(wanted);
    sc_movement_free(movement);
    sc_movement_free(same);
}

static void test_counts_of_walks_are_those_of_a_plain_count(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 30; seed++) {
        check_case(seed);
        sc_map *map = grid_map(3 + (uint32_t)seed % 5, 4);
        sc_movement *walk[2] = {NULL, NULL};
        for (int i = 0; i < 2; i++) {
            CHECK_OK(sc_walk_new(map, 40, seed, &walk[i], NULL), NULL);
        }
        sc_rng rng;
        sc_rng_seed(&rng, seed);
        const sc_time from = sc_time_from_seconds(sc_rng_unit(&rng) * 20);
        const sc_time step = sc_time_from_seconds(0.1 + sc_rng_unit(&rng) * 5);
        // Also just on a step, just before and just behind it.
        const sc_time until = from + 9 * step + (sc_time)(seed % 3) - 1;
        check_counts(walk[0], walk[1], from, until, step);
        sc_map_free(map);
    }
    check_case_done();
}

static void test_counts_of_trips_are_those_of_a_plain_count(void **state)
{
    (void)state;
    sc_map *map = grid_map(9, 7);
    sc_route_table routes;
    CHECK_OK(sc_route_table_init(&routes, map, NULL, NULL), NULL);
    for (uint64_t seed = 0; seed < 10; seed++) {
        check_case(seed);
        const sc_trips_options options = {.count = 60, .truck_share = 0.2, .seed = seed};
        sc_movement *trips[2] = {NULL, NULL};
        for (int i = 0; i < 2; i++) {
            CHECK_OK(sc_trips_new(map, &routes, &options, &trips[i], NULL), NULL);
        }
        check_counts(trips[0], trips[1], sc_time_from_seconds(5), sc_time_from_seconds(65),
                     sc_time_from_seconds(7));
    }
    check_case_done();
    sc_route_table_fini(&routes);
    sc_map_free(map);
}

static void test_everybody_on_the_roads_is_counted_at_every_moment(void **state)
{
    (void)state;
    sc_map *map = grid_map(5, 5);
    const uint32_t segment_count = sc_map_segment_count(map);
    uint64_t *counts = test_take(segment_count, sizeof *counts);
    sc_movement *walk = NULL;
    CHECK_OK(sc_walk_new(map, 17, 3, &walk, NULL), NULL);
    // At 0, 10 and 20 s; 30 s is no more.
    CHECK_OK(sc_traffic_count(walk, 0, sc_time_from_seconds(30), sc_time_from_seconds(10), counts),
             NULL);
    assert_int_equal(sum_of(counts, segment_count), 17 * 3);
    // And going on from there, once more.
    CHECK_OK(sc_traffic_count(walk, sc_time_from_seconds(30), sc_time_from_seconds(31),
                              SC_TIME_NEVER, counts),
             NULL);
    assert_int_equal(sum_of(counts, segment_count), 17 * 4);
    sc_movement_free(walk);
    free(counts);
    sc_map_free(map);
}

// --- Who is off the roads --------------------------------------------------------------------

/** Traveller i is on edge i from 10 i seconds on for 25, and once again for a microsecond. */
typedef struct comers {
    sc_movement base;
    sc_time again;  ///< at that moment; SC_TIME_NEVER: not again
    size_t asked;
} comers;

static sc_err comers_at(sc_movement *movement, uint32_t who, sc_time t, sc_place *out,
                        sc_time *back)
{
    comers *all = (comers *)movement;
    const sc_time comes = sc_time_from_seconds(10.0 * who);
    const sc_time goes = comes + sc_time_from_seconds(25);
    all->asked++;
    if (t < comes) {
        *back = comes;
    } else if (t < goes || t == all->again) {
        *out = (sc_place){who, 0};
        *back = t;
    } else {
        *back = t < all->again ? all->again : SC_TIME_NEVER;
    }
    return SC_OK;
}

static comers comers_on(const sc_map *map, uint32_t count, sc_time again)
{
    static const sc_movement_kind kind = {.at = comers_at};
    return (comers){.base = {.kind = &kind, .map = map, .count = count}, .again = again};
}

static void test_who_is_off_the_roads_is_not_counted(void **state)
{
    (void)state;
    enum { COUNT = 4 };
    sc_map *map = grid_map(4, 4);
    const uint32_t segment_count = sc_map_segment_count(map);
    const sc_edge *edges = sc_map_edges(map);
    uint64_t *counts = test_take(segment_count, sizeof *counts);
    comers all = comers_on(map, COUNT, SC_TIME_NEVER);
    // The first is seen at 5 and 15 s, and has left when it is 25; so do the others, each ten
    // seconds later.
    CHECK_OK(sc_traffic_count(&all.base, sc_time_from_seconds(5), sc_time_from_seconds(1e6),
                              sc_time_from_seconds(10), counts),
             NULL);
    uint64_t *wanted = test_take(segment_count, sizeof *wanted);
    for (uint32_t who = 0; who < COUNT; who++) {
        wanted[edges[who].segment] += 2;
    }
    assert_memory_equal(counts, wanted, segment_count * sizeof *counts);
    free(wanted);
    // A traveller's position is not read a hundred thousand times while it is known to be away.
    assert_true(all.asked <= (size_t)4 * COUNT);
    free(counts);
    sc_map_free(map);
}

// Back for a microsecond at a moment that is looked at, or at one between two of them.
static void test_who_comes_back_is_counted_from_the_next_moment_on(void **state)
{
    (void)state;
    sc_map *map = grid_map(4, 4);
    uint64_t *counts = test_take(sc_map_segment_count(map), sizeof *counts);
    const sc_seg_id segment = sc_map_edges(map)[0].segment;
    const sc_time from = sc_time_from_seconds(5);
    const sc_time step = sc_time_from_seconds(10);
    const struct {
        sc_time again;
        sc_time until;
        uint64_t count;
    } cases[] = {
        {from + 7 * step, sc_time_from_seconds(1000), 3},
        {from + 7 * step + 1, sc_time_from_seconds(1000), 2},
        {from + 7 * step - 1, sc_time_from_seconds(1000), 2},
        {from + 7 * step, from + 7 * step + 1, 3},
        {from + 7 * step, from + 7 * step, 2},
        {from + 7 * step - 1, SC_TIME_NEVER, 2},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        check_case(i);
        counts[segment] = 0;
        comers all = comers_on(map, 1, cases[i].again);
        CHECK_OK(sc_traffic_count(&all.base, from, cases[i].until, step, counts), NULL);
        assert_int_equal(counts[segment], cases[i].count);
    }
    check_case_done();
    free(counts);
    sc_map_free(map);
}

static void test_what_cannot_be_counted_is_refused(void **state)
{
    (void)state;
    sc_map *map = grid_map(3, 3);
    uint64_t counts[64] = {0};
    assert_true(sc_map_segment_count(map) <= 64);
    comers all = comers_on(map, 1, SC_TIME_NEVER);
    assert_int_equal(sc_traffic_count(&all.base, 0, 10, 0, counts), SC_EINVAL);
    assert_int_equal(sc_traffic_count(&all.base, 0, 10, -1, counts), SC_EINVAL);
    assert_int_equal(sc_traffic_count(&all.base, 10, 10, 1, counts), SC_EINVAL);
    assert_int_equal(sc_traffic_count(&all.base, 10, 9, 1, counts), SC_EINVAL);
    assert_int_equal(sc_traffic_count(&all.base, -1, 10, 1, counts), SC_EINVAL);
    assert_int_equal(sum_of(counts, 64), 0);
    assert_int_equal(all.asked, 0);
    sc_map_free(map);
}

static const struct CMUnitTest tests[] = {
    SC_CASES(test_counts_of_walks_are_those_of_a_plain_count),
    SC_CASES(test_counts_of_trips_are_those_of_a_plain_count),
    cmocka_unit_test(test_everybody_on_the_roads_is_counted_at_every_moment),
    cmocka_unit_test(test_who_is_off_the_roads_is_not_counted),
    SC_CASES(test_who_comes_back_is_counted_from_the_next_moment_on),
    cmocka_unit_test(test_what_cannot_be_counted_is_refused),
};
SC_SUITE(tests)
