// Every allocation of a population of travellers fails once, in turn; asking needs none.
#include "support/check.h"
#include "support/oom.h"
#include "support/place.h"
#include "support/sketch.h"

#include "sim/workload.h"
#include "travel/trips.h"
#include "travel/walk.h"

#include <stdio.h>

static sc_movement *walk_on(const sc_map *map, uint32_t count)
{
    sc_movement *walk = NULL;
    CHECK_OK(sc_walk_new(map, count, 1, &walk, NULL), NULL);
    return walk;
}

static void test_walkers_without_memory_are_told(void **state)
{
    (void)state;
    sc_map *map = full_map(SC_COORDS_GEOGRAPHIC);
    unsigned long failures = 0;
    FOR_EACH_FAILURE(n)
    {
        sc_movement *walk = NULL;
        sc_diag diag = {""};
        const sc_err err = sc_walk_new(map, 100, 1, &walk, &diag);
        if (!oom_happened()) {
            CHECK_OK(err, &diag);
            sc_movement_free(walk);
            break;
        }
        CHECK_REFUSED(err, SC_ENOMEM, &diag, "out of memory while making travellers");
        assert_null(walk);
        failures++;
    }
    // The walk, its walkers, the nodes and the ends of edges.
    assert_int_equal(failures, 4);
    sc_map_free(map);
}

static void test_travellers_without_memory_are_told(void **state)
{
    (void)state;
    sc_map *map = full_map(SC_COORDS_GEOGRAPHIC);
    sc_movement *walk = walk_on(map, 100);
    const sc_workload workload = sc_workload_default();
    unsigned long failures = 0;
    FOR_EACH_FAILURE(n)
    {
        sc_travellers *travellers = NULL;
        sc_diag diag = {""};
        const sc_err err = sc_travellers_new(walk, &workload, 1, &travellers, &diag);
        if (!oom_happened()) {
            CHECK_OK(err, &diag);
            sc_travellers_free(travellers);
            break;
        }
        CHECK_REFUSED(err, SC_ENOMEM, &diag, "out of memory while making travellers");
        assert_null(travellers);
        failures++;
    }
    // The population, its travellers, their turns and their names.
    assert_int_equal(failures, 4);
    sc_movement_free(walk);
    sc_map_free(map);
}

static void test_walkers_ask_without_memory(void **state)
{
    (void)state;
    sc_map *map = full_map(SC_COORDS_GEOGRAPHIC);
    sc_movement *walk = walk_on(map, 100);
    const sc_workload workload = sc_workload_default();
    sc_travellers *travellers = NULL;
    CHECK_OK(sc_travellers_new(walk, &workload, 1, &travellers, NULL), NULL);
    sc_alloc_fail_at(1);
    for (int i = 0; i < 1000; i++) {
        sc_request_line said;
        const uint32_t who = sc_travellers_ask(travellers, &said);
        CHECK_OK(sc_travellers_resume(travellers, who, said.ask.t), NULL);
    }
    assert_false(oom_happened());
    sc_travellers_free(travellers);
    sc_movement_free(walk);
    sc_map_free(map);
}

/** A movement that is out of memory after so many calls. */
typedef struct poor {
    sc_movement base;
    int calls_left;
} poor;

static sc_err poor_at(sc_movement *movement, uint32_t who, sc_time t, sc_place *out, sc_time *back)
{
    (void)who;
    poor *p = (poor *)movement;
    if (p->calls_left == 0) return SC_ENOMEM;
    p->calls_left--;
    *out = (sc_place){0, 0};
    *back = t;
    return SC_OK;
}

static const char *poor_name(const sc_movement *movement, uint32_t who, char room[32])
{
    (void)movement;
    snprintf(room, 32, "cab %u", who);
    return room;
}

static const sc_movement_kind poor_kind = {.at = poor_at, .name = poor_name};

static void test_who_cannot_be_moved_still_waits_and_resumes_when_it_can(void **state)
{
    (void)state;
    sc_map *map = full_map(SC_COORDS_GEOGRAPHIC);
    poor movement = {.base = {&poor_kind, map, 1}, .calls_left = 1};
    const sc_workload workload = sc_workload_default();
    sc_travellers *travellers = NULL;
    CHECK_OK(sc_travellers_new(&movement.base, &workload, 1, &travellers, NULL), NULL);
    sc_request_line said;
    sc_travellers_ask(travellers, &said);
    assert_int_equal(sc_travellers_resume(travellers, 0, said.ask.t), SC_ENOMEM);
    assert_true(sc_travellers_next(travellers) == SC_TIME_NEVER);
    movement.calls_left = 1;
    CHECK_OK(sc_travellers_resume(travellers, 0, said.ask.t), NULL);
    assert_true(sc_travellers_next(travellers) != SC_TIME_NEVER);
    sc_travellers_free(travellers);

    sc_diag diag = {""};
    travellers = NULL;
    CHECK_REFUSED(sc_travellers_new(&movement.base, &workload, 1, &travellers, &diag), SC_ENOMEM,
                  &diag, "making travellers");
    assert_null(travellers);
    sc_map_free(map);
}

static void test_a_stream_whose_travellers_cannot_be_moved_leaves_the_old_file(void **state)
{
    (void)state;
    place p = place_new();
    sc_map *map = full_map(SC_COORDS_GEOGRAPHIC);
    const char *path = place_write_text(&p, "queries.jsonl", "old");
    const sc_queries_options options = {.workload = sc_workload_default(), .seconds = 1000};
    poor movement = {.base = {&poor_kind, map, 3}, .calls_left = 20};
    uint64_t written = 7;
    sc_diag diag = {""};
    CHECK_REFUSED(sc_queries_write(&movement.base, &options, path, &written, &diag), SC_ENOMEM,
                  &diag, "out of memory while moving travellers");
    size_t size = 0;
    char *text = read_whole(path, &size);
    assert_string_equal(text, "old");
    assert_int_equal(count_entries(p.path), 1);
    assert_int_equal(written, 7);
    free(text);
    sc_map_free(map);
    place_free(&p);
}

// Trips need memory for ways that are longer than all before.
static void test_a_stream_without_memory_leaves_the_old_file(void **state)
{
    (void)state;
    place p = place_new();
    sc_map *map = full_map(SC_COORDS_GEOGRAPHIC);
    const char *path = place_write_text(&p, "queries.jsonl", "old");
    const sc_queries_options options = {.workload = sc_workload_default(), .seconds = 100};
    const sc_trips_options on_trips = {.count = 3, .truck_share = 0.5, .seed = 1};
    sc_route_table routes;
    CHECK_OK(sc_route_table_init(&routes, map, NULL, NULL), NULL);
    unsigned long failures = 0;
    FOR_EACH_FAILURE(n)
    {
        oom_arm(0);
        sc_movement *trips = NULL;
        CHECK_OK(sc_trips_new(map, &routes, &on_trips, &trips, NULL), NULL);
        oom_arm(n);
        uint64_t written = 0;
        sc_diag diag = {""};
        const sc_err err = sc_queries_write(trips, &options, path, &written, &diag);
        const bool happened = oom_happened();
        sc_movement_free(trips);
        if (!happened) {
            CHECK_OK(err, &diag);
            assert_true(written > 0);
            break;
        }
        CHECK_REFUSED(err, SC_ENOMEM, &diag, "memory");
        size_t size = 0;
        char *text = read_whole(path, &size);
        assert_string_equal(text, "old");
        assert_int_equal(count_entries(p.path), 1);
        free(text);
        failures++;
    }
    // Four of the travellers, one or more of the ways, and two of the file.
    assert_true(failures >= 7);
    sc_route_table_fini(&routes);
    sc_map_free(map);
    place_free(&p);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_walkers_without_memory_are_told),
    cmocka_unit_test(test_travellers_without_memory_are_told),
    cmocka_unit_test(test_walkers_ask_without_memory),
    cmocka_unit_test(test_who_cannot_be_moved_still_waits_and_resumes_when_it_can),
    cmocka_unit_test(test_a_stream_whose_travellers_cannot_be_moved_leaves_the_old_file),
    cmocka_unit_test(test_a_stream_without_memory_leaves_the_old_file),
};
SC_SUITE(tests)
