// The same route always, in any thread: four threads share one hierarchy, and one has another copy.
// The thread sanitizer, where it is on, sees every access.
#include "travel/routes.h"

#include "base/rng.h"
#include "support/check.h"
#include "support/sketch.h"

#include <pthread.h>

enum { THREADS = 4, WAYS = 300 };

/** Who finds ways, and what was found. */
typedef struct finder {
    const sc_map *map;
    const sc_routes *routes;
    uint64_t sum;  ///< of all legs, in order
    sc_err err;
} finder;

static sc_place any_junction(const sc_map *map, sc_rng *rng)
{
    return (sc_place){.edge = sc_rng_below(rng, sc_map_edge_count(map))};
}

static void *find_all(void *argument)
{
    finder *f = argument;
    sc_rng rng;
    sc_rng_seed(&rng, 9);
    sc_route_search *search = NULL;
    sc_route route = {0};
    f->err = sc_route_search_new(f->routes, &search);
    for (int i = 0; i < WAYS && !f->err; i++) {
        const sc_place from = any_junction(f->map, &rng);
        f->err = sc_route_find(search, from, any_junction(f->map, &rng), &route);
        for (size_t k = 0; k < route.leg_count; k++) {
            const uint64_t leg = 2 * (uint64_t)route.legs[k].segment + route.legs[k].is_backwards;
            f->sum = (f->sum ^ leg) * 0x9e3779b97f4a7c15u + (f->sum >> 29);
        }
    }
    sc_route_fini(&route);
    sc_route_search_free(search);
    return NULL;
}

static void test_four_threads_find_the_ways_that_one_finds_in_another_copy(void **state)
{
    (void)state;
    // A grid: of most ways there are many that are as fast.
    sketch s = sketch_grid(SC_COORDS_PLANAR, 25, 25);
    sc_map *map = sketch_map(&s);
    sc_routes *routes[2] = {NULL, NULL};
    for (int i = 0; i < 2; i++) {
        CHECK_OK(sc_routes_new(map, SC_CAR, NULL, &routes[i], NULL), NULL);
    }
    finder alone = {.map = map, .routes = routes[0]};
    find_all(&alone);
    CHECK_OK(alone.err, NULL);

    pthread_t threads[THREADS];
    finder finders[THREADS];
    for (int i = 0; i < THREADS; i++) {
        finders[i] = (finder){.map = map, .routes = routes[1]};
        assert_int_equal(pthread_create(&threads[i], NULL, find_all, &finders[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        CHECK_OK(finders[i].err, NULL);
        assert_true(finders[i].sum == alone.sum);
    }
    sc_routes_free(routes[0]);
    sc_routes_free(routes[1]);
    sc_map_free(map);
    sketch_free(&s);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_four_threads_find_the_ways_that_one_finds_in_another_copy),
};
SC_SUITE(tests)
