// Any number of threads may read one map: four of them find what one finds. The
// thread sanitizer, where it is on, sees every access.
#include <starcloak/map_info.h>
#include <starcloak/star.h>

#include "support/check.h"
#include "support/place.h"
#include "support/sketch.h"

#include "base/rng.h"

#include <math.h>
#include <pthread.h>

enum { THREADS = 4, POSITIONS = 4000, SIDE = 30 };

/** What one thread finds. */
typedef struct findings {
    const sc_map *map;
    uint64_t sum;  ///< of all that was found, in order
} findings;

static uint64_t mixed(uint64_t sum, uint64_t value)
{
    return (sum ^ value) * 0x9e3779b97f4a7c15u + (sum >> 29);
}

static uint64_t bits_of(double value)
{
    uint64_t bits = 0;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static void *look_around(void *argument)
{
    findings *f = argument;
    sc_rng rng;
    sc_rng_seed(&rng, 7);
    for (int i = 0; i < POSITIONS; i++) {
        const double x = 3000.0 * sc_rng_unit(&rng);
        sc_snap snap = {.edge = SC_NONE};
        const sc_err err = sc_map_snap(f->map, x, 3000.0 * sc_rng_unit(&rng), 25.0, &snap);
        f->sum = mixed(f->sum, (uint64_t)err);
        f->sum = mixed(f->sum, snap.edge);
        if (!err) f->sum = mixed(f->sum, bits_of(snap.offset_m) ^ bits_of(snap.distance_m));
    }
    sc_ball *ball = NULL;
    if (sc_ball_new(f->map, &ball)) return NULL;
    for (sc_star_id star = 0; star < sc_map_star_count(f->map); star++) {
        size_t count = 0;
        const sc_star_id *found = sc_ball_walk(ball, star, 4, &count);
        for (size_t i = 0; i < count; i++) {
            f->sum = mixed(f->sum, found[i]);
        }
        f->sum = mixed(f->sum, sc_ball_segment_count(ball));
    }
    sc_ball_free(ball);
    sc_diag diag = {""};
    f->sum = mixed(f->sum, (uint64_t)sc_map_check(f->map, &diag));
    return NULL;
}

static void test_four_threads_find_what_one_finds(void **state)
{
    (void)state;
    place p = place_new();
    sketch s = sketch_grid(SC_COORDS_PLANAR, SIDE, SIDE);
    sc_map *built = sketch_map(&s);
    sc_map *opened = NULL;
    sc_diag diag = {""};
    CHECK_OK(sc_map_save(built, place_path(&p, "grid.scm"), &diag), &diag);
    CHECK_OK(sc_map_open(place_path(&p, "grid.scm"), &opened, &diag), &diag);
    const sc_map *const maps[] = {built, opened};
    for (int i = 0; i < 2; i++) {
        findings alone = {maps[i], 0};
        look_around(&alone);
        assert_true(alone.sum != 0);
        findings together[THREADS];
        pthread_t threads[THREADS];
        for (int t = 0; t < THREADS; t++) {
            together[t] = (findings){maps[i], 0};
            assert_int_equal(pthread_create(&threads[t], NULL, look_around, &together[t]), 0);
        }
        for (int t = 0; t < THREADS; t++) {
            assert_int_equal(pthread_join(threads[t], NULL), 0);
            assert_true(together[t].sum == alone.sum);
        }
    }
    sc_map_free(built);
    sc_map_free(opened);
    sketch_free(&s);
    place_free(&p);
}

/** What one thread builds. */
typedef struct built_map {
    uint64_t seed;
    uint64_t checksum;
} built_map;

static void *build_one(void *argument)
{
    built_map *b = argument;
    sketch s = sketch_odd(b->seed);
    sc_map *map = sketch_map(&s);
    b->checksum = sc_map_checksum(map);
    sc_map_free(map);
    sketch_free(&s);
    return NULL;
}

static void test_threads_build_maps_of_their_own_side_by_side(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 40; seed += THREADS) {
        built_map together[THREADS];
        pthread_t threads[THREADS];
        for (uint64_t t = 0; t < THREADS; t++) {
            together[t] = (built_map){seed + t, 0};
            assert_int_equal(pthread_create(&threads[t], NULL, build_one, &together[t]), 0);
        }
        for (uint64_t t = 0; t < THREADS; t++) {
            built_map alone = {seed + t, 0};
            assert_int_equal(pthread_join(threads[t], NULL), 0);
            build_one(&alone);
            assert_true(together[t].checksum == alone.checksum);
        }
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_four_threads_find_what_one_finds),
    cmocka_unit_test(test_threads_build_maps_of_their_own_side_by_side),
};
SC_SUITE(tests)
