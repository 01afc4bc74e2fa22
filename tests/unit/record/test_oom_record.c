// Every allocation of reading a stream and of beginning a record fails once, in turn: it is
// told, nothing leaks, no file is made or changed.
#include "support/check.h"
#include "support/oom.h"
#include "support/place.h"
#include "support/sketch.h"

#include "record/record_write.h"
#include "record/stream.h"

#include <stdio.h>

// More lines than the table first has room for, and a user too large for a block.
enum { LINES = 40 };

static char *make_stream(const sc_map *map, size_t *size)
{
    enum { LONG = 70000 };
    char *text = NULL;
    char *user = test_take(LONG, 1);
    memset(user, 'x', LONG);
    FILE *out = open_memstream(&text, size);
    assert_non_null(out);
    for (int i = 0; i < LINES; i++) {
        const sc_ask ask = {.user = user, .user_size = i == LINES / 2 ? LONG : 3, .t = i};
        sc_stream_write(out, map, &ask, &(sc_request){.k = 1});
    }
    fclose(out);
    free(user);
    return text;
}

static void test_a_stream_that_does_not_fit_is_told(void **state)
{
    (void)state;
    sc_map *map = full_map(SC_COORDS_GEOGRAPHIC);
    size_t size = 0;
    char *text = make_stream(map, &size);
    unsigned long failures = 0;
    FOR_EACH_FAILURE(n)
    {
        sc_stream *stream = NULL;
        sc_diag diag = {""};
        const sc_err err = sc_stream_parse(map, text, size, "queries", &stream, &diag);
        if (!oom_happened()) {
            CHECK_OK(err, &diag);
            sc_stream_free(stream);
            break;
        }
        CHECK_REFUSED(err, SC_ENOMEM, &diag, "out of memory while reading the queries");
        assert_null(stream);
        failures++;
    }
    // The stream, the table three times, a block of users before, for and after the large one; and
    // the tree of each line.
    assert_int_equal(failures, 7 + LINES);
    free(text);
    sc_map_free(map);
}

static void check_file(const sc_map *map, const char *path)
{
    unsigned long failures = 0;
    FOR_EACH_FAILURE(n)
    {
        sc_stream *stream = NULL;
        sc_diag diag = {""};
        const sc_err err = sc_stream_read(map, path, &stream, &diag);
        if (!oom_happened()) {
            CHECK_OK(err, &diag);
            sc_stream_free(stream);
            break;
        }
        CHECK_REFUSED(err, SC_ENOMEM, &diag, "memory");
        assert_null(stream);
        failures++;
    }
    assert_true(failures >= 3);
}

static void test_a_file_that_does_not_fit_is_told(void **state)
{
    (void)state;
    sc_map *map = full_map(SC_COORDS_GEOGRAPHIC);
    check_file(map, SC_TEST_DATA "/streams/town.jsonl");
    check_file(map, SC_TEST_DATA "/streams/town.jsonl.gz");
    check_file(map, SC_TEST_DATA "/streams/town.jsonl.xz");
    sc_map_free(map);
}

static void test_standard_input_that_does_not_fit_is_told(void **state)
{
    (void)state;
    sc_map *map = full_map(SC_COORDS_GEOGRAPHIC);
    unsigned long failures = 0;
    FOR_EACH_FAILURE(n)
    {
        sc_stream *stream = NULL;
        sc_diag diag = {""};
        assert_non_null(freopen(SC_TEST_DATA "/streams/town.jsonl.xz", "r", stdin));
        const sc_err err = sc_stream_read(map, "-", &stream, &diag);
        if (!oom_happened()) {
            CHECK_OK(err, &diag);
            sc_stream_free(stream);
            break;
        }
        CHECK_REFUSED(err, SC_ENOMEM, &diag, "memory");
        assert_null(stream);
        failures++;
    }
    assert_true(failures >= 3);
    sc_map_free(map);
}

static void test_a_record_without_memory_is_told_and_leaves_the_old_file(void **state)
{
    (void)state;
    place p = place_new();
    sc_map *map = full_map(SC_COORDS_GEOGRAPHIC);
    const char *path = place_write_text(&p, "run.jsonl", "old");
    unsigned long failures = 0;
    FOR_EACH_FAILURE(n)
    {
        sc_record *record = NULL;
        sc_diag diag = {""};
        const sc_err err = sc_record_open(map, path, &record, &diag);
        if (!oom_happened()) {
            CHECK_OK(err, &diag);
            sc_record_abandon(record);
            break;
        }
        CHECK_REFUSED(err, SC_ENOMEM, &diag, "memory");
        assert_null(record);
        assert_int_equal(count_entries(p.path), 1);
        failures++;
    }
    assert_int_equal(failures, 3);
    sc_map_free(map);
    place_free(&p);
}

static void test_an_open_record_needs_no_memory(void **state)
{
    (void)state;
    place p = place_new();
    sc_map *map = full_map(SC_COORDS_GEOGRAPHIC);
    sc_record *record = NULL;
    CHECK_OK(sc_record_open(map, place_path(&p, "run.jsonl"), &record, NULL), NULL);
    sc_alloc_fail_at(1);
    for (int i = 0; i < 1000; i++) {
        sc_record_query(record, &(sc_query){0}, &(sc_ask){.user = "u", .user_size = 1},
                        &(sc_snap){0}, &(sc_request){.k = 1, .category_count = 1});
        sc_record_cloak(record, &(sc_cloak){0}, i);
        sc_record_drop(record, &(sc_query_id){{0}}, i, "expired");
    }
    sc_diag diag = {""};
    const sc_err err = sc_record_close(record, 1000, &diag);
    assert_false(oom_happened());
    CHECK_OK(err, &diag);
    sc_map_free(map);
    place_free(&p);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_stream_that_does_not_fit_is_told),
    cmocka_unit_test(test_a_file_that_does_not_fit_is_told),
    cmocka_unit_test(test_standard_input_that_does_not_fit_is_told),
    cmocka_unit_test(test_a_record_without_memory_is_told_and_leaves_the_old_file),
    cmocka_unit_test(test_an_open_record_needs_no_memory),
};
SC_SUITE(tests)
