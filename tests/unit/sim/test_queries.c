// Streams written of travellers: what was asked, at positions that people can read.
#include "crowd.h"

#include "support/nearest.h"
#include "support/place.h"

#include "travel/trips.h"

#include <math.h>
#include <unistd.h>

enum { COUNT = 100 };

static sc_queries_options a_minute(uint64_t seed)
{
    return (sc_queries_options){.workload = sc_workload_default(), .seed = seed, .seconds = 60};
}

/** The stream of a minute, read again; release with sc_stream_free(). */
static sc_stream *stream_of(const sc_map *map, const place *p, uint64_t seed)
{
    const sc_queries_options options = a_minute(seed);
    const char *path = place_path(p, "queries.jsonl");
    sc_movement *walk = NULL;
    sc_stream *stream = NULL;
    uint64_t written = 0;
    size_t count = 0;
    sc_diag diag = {""};
    CHECK_OK(sc_walk_new(map, COUNT, seed, &walk, &diag), &diag);
    CHECK_OK(sc_queries_write(walk, &options, path, &written, &diag), &diag);
    CHECK_OK(sc_stream_read(map, path, &stream, &diag), &diag);
    sc_stream_lines(stream, &count);
    assert_int_equal(count, written);
    assert_true(count > 200);
    sc_movement_free(walk);
    return stream;
}

static void check_same_but_for_the_place(const sc_request_line *line, const sc_request_line *said)
{
    assert_string_equal(line->ask.user, said->ask.user);
    assert_true(line->ask.t == said->ask.t);
    assert_int_equal(line->ask.profile.k, said->ask.profile.k);
    assert_int_equal(line->ask.profile.l, said->ask.profile.l);
    assert_int_equal(line->ask.profile.max_hops, said->ask.profile.max_hops);
    assert_true(line->ask.profile.max_wait_us == said->ask.profile.max_wait_us);
    assert_int_equal(line->ask.result_size, said->ask.result_size);
    assert_true(sc_request_equal(&line->request, &said->request));
}

static void test_a_written_stream_reads_back_as_what_was_asked(void **state)
{
    (void)state;
    static const sc_coords kinds[] = {SC_COORDS_GEOGRAPHIC, SC_COORDS_PLANAR, SC_COORDS_NONE};
    place p = place_new();
    for (size_t kind = 0; kind < sizeof kinds / sizeof *kinds; kind++) {
        sc_map *map = full_map(kinds[kind]);
        sc_stream *stream = stream_of(map, &p, 42);
        size_t count = 0;
        const sc_request_line *lines = sc_stream_lines(stream, &count);
        crowd c = crowd_on(map, COUNT, 42);
        for (size_t i = 0; i < count; i++) {
            sc_request_line said;
            ask(&c, &said);
            check_same_but_for_the_place(&lines[i], &said);
            // Positions where the map has them, and edges where it has nothing else.
            assert_int_equal(lines[i].ask.is_on_edge, kinds[kind] == SC_COORDS_NONE);
            if (lines[i].ask.is_on_edge) {
                assert_int_equal(lines[i].ask.edge, said.ask.edge);
                CHECK_SAME(lines[i].ask.offset_m, said.ask.offset_m);
                continue;
            }
            double x = 0;
            double y = 0;
            sc_map_edge_position(map, said.ask.edge, said.ask.offset_m, &x, &y);
            CHECK_SAME(lines[i].ask.x, x);
            CHECK_SAME(lines[i].ask.y, y);
            CHECK_CLOSE(nearest_edge(map, x, y).distance_m, 0.0, 1e-6);
        }
        // The next question would have come after the end.
        assert_true(sc_travellers_next(c.travellers) >= sc_time_from_seconds(60));
        crowd_free(&c);
        sc_stream_free(stream);
        sc_map_free(map);
    }
    place_free(&p);
}

static void test_the_same_seed_writes_the_same_file_and_another_another(void **state)
{
    (void)state;
    place p = place_new();
    sc_map *map = grid_map(SC_COORDS_GEOGRAPHIC);
    char *texts[3];
    static const uint64_t seeds[] = {42, 42, 43};
    for (int i = 0; i < 3; i++) {
        size_t size = 0;
        sc_stream_free(stream_of(map, &p, seeds[i]));
        texts[i] = read_whole(place_path(&p, "queries.jsonl"), &size);
    }
    assert_string_equal(texts[0], texts[1]);
    assert_string_not_equal(texts[0], texts[2]);
    for (int i = 0; i < 3; i++) {
        free(texts[i]);
    }
    sc_map_free(map);
    place_free(&p);
}

static void test_no_time_gives_an_empty_stream(void **state)
{
    (void)state;
    place p = place_new();
    sc_map *map = grid_map(SC_COORDS_PLANAR);
    const char *path = place_path(&p, "queries.jsonl");
    const sc_queries_options options = {.workload = sc_workload_default()};
    sc_movement *walk = NULL;
    uint64_t written = 1;
    CHECK_OK(sc_walk_new(map, 10, 1, &walk, NULL), NULL);
    CHECK_OK(sc_queries_write(walk, &options, path, &written, NULL), NULL);
    assert_int_equal(written, 0);
    size_t size = 1;
    free(read_whole(path, &size));
    assert_int_equal(size, 0);
    sc_movement_free(walk);
    sc_map_free(map);
    place_free(&p);
}

/** What was told of progress. */
typedef struct told {
    int count;
    uint64_t last;
} told;

static void hear(void *context, const char *phase, uint64_t done, uint64_t total)
{
    told *t = context;
    assert_string_equal(phase, "asking");
    assert_true(done >= t->last && done <= total);
    assert_true(total == (uint64_t)sc_time_from_seconds(60));
    t->last = done;
    t->count++;
}

static void test_progress_is_told_now_and_then(void **state)
{
    (void)state;
    place p = place_new();
    sc_map *map = grid_map(SC_COORDS_PLANAR);
    told t = {0};
    sc_queries_options options = a_minute(1);
    options.progress = (sc_progress){hear, &t};
    sc_movement *walk = NULL;
    uint64_t written = 0;
    CHECK_OK(sc_walk_new(map, 5000, 1, &walk, NULL), NULL);
    CHECK_OK(sc_queries_write(walk, &options, place_path(&p, "q"), &written, NULL), NULL);
    assert_int_equal(t.count, written / 4096);
    assert_true(t.count > 1);
    sc_movement_free(walk);
    sc_map_free(map);
    place_free(&p);
}

// The whole way: travellers on trips, in a file.
static void test_travellers_on_trips_can_be_written_too(void **state)
{
    (void)state;
    place p = place_new();
    sc_map *map = grid_map(SC_COORDS_GEOGRAPHIC);
    const char *path = place_path(&p, "queries.jsonl");
    const sc_trips_options on_trips = {.count = COUNT, .truck_share = 0.2, .seed = 3};
    const sc_queries_options options = a_minute(3);
    sc_route_table routes;
    sc_movement *trips = NULL;
    uint64_t written = 0;
    sc_diag diag = {""};
    CHECK_OK(sc_route_table_init(&routes, map, NULL, &diag), &diag);
    CHECK_OK(sc_trips_new(map, &routes, &on_trips, &trips, &diag), &diag);
    CHECK_OK(sc_queries_write(trips, &options, path, &written, &diag), &diag);
    // In a minute each asks two or three times, once in twenty seconds.
    CHECK_CLOSE((double)written, 3.0 * COUNT, 0.5 * COUNT);
    sc_movement_free(trips);
    sc_route_table_fini(&routes);
    sc_map_free(map);
    place_free(&p);
}

static void test_what_cannot_be_written_is_refused_and_leaves_nothing(void **state)
{
    (void)state;
    place p = place_new();
    sc_map *map = grid_map(SC_COORDS_PLANAR);
    sc_movement *walk = NULL;
    CHECK_OK(sc_walk_new(map, 10, 1, &walk, NULL), NULL);
    sc_queries_options options = a_minute(1);
    options.workload.pause_s.min = 0.5;
    uint64_t written = 7;
    sc_diag diag = {""};
    const char *path = place_path(&p, "queries.jsonl");
    CHECK_REFUSED(sc_queries_write(walk, &options, path, &written, &diag), SC_EINVAL, &diag,
                  "the pause");
    assert_int_equal(access(path, F_OK), -1);
    options = a_minute(1);
    path = place_path(&p, "no/such/queries.jsonl");
    CHECK_REFUSED(sc_queries_write(walk, &options, path, &written, &diag), SC_EIO, &diag,
                  "no/such");
    CHECK_REFUSED(sc_queries_write(walk, &options, "/dev/full", &written, &diag), SC_EIO, &diag,
                  "/dev/full");
    assert_int_equal(written, 7);
    sc_movement_free(walk);
    sc_map_free(map);
    place_free(&p);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_written_stream_reads_back_as_what_was_asked),
    cmocka_unit_test(test_the_same_seed_writes_the_same_file_and_another_another),
    cmocka_unit_test(test_no_time_gives_an_empty_stream),
    cmocka_unit_test(test_progress_is_told_now_and_then),
    cmocka_unit_test(test_travellers_on_trips_can_be_written_too),
    cmocka_unit_test(test_what_cannot_be_written_is_refused_and_leaves_nothing),
};
SC_SUITE(tests)
