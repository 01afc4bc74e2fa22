// Run records: every line as the format has it, byte for byte; the file whole or not at all.
#include "support/check.h"
#include "support/place.h"
#include "support/sketch.h"

#include "record/record_write.h"

#include <inttypes.h>
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

static sc_query_id id_of(uint8_t first, uint8_t last)
{
    sc_query_id id = {.bytes = {first}};
    id.bytes[15] = last;
    return id;
}

static void put_user(sc_record *record, const char *user, size_t size, const sc_request *request)
{
    const sc_query query = {.id = id_of(0xab, 0x01), .segment = 123};
    const sc_ask ask = {
        .user = user, .user_size = size, .t = 12345000, .profile = {5, 6, 4, 10200000}};
    const sc_snap where = {.edge = 77, .segment = 123, .offset_m = 31.5};
    sc_record_query(record, &query, &ask, &where, request);
}

static void put_query(sc_record *record, const char *user, const sc_request *request)
{
    put_user(record, user, strlen(user), request);
}

// What a finished record holds; release with free().
static char *finish(sc_record *record, const char *path, sc_time end)
{
    sc_diag diag = {""};
    size_t size = 0;
    CHECK_OK(sc_record_close(record, end, &diag), &diag);
    return read_whole(path, &size);
}

static void test_every_event_is_a_line_as_the_format_has_it(void **state)
{
    (void)state;
    place p = place_new();
    sc_map *map = full_map(SC_COORDS_GEOGRAPHIC);
    const char *path = place_path(&p, "run.jsonl");
    sc_record *record = NULL;
    CHECK_OK(sc_record_open(map, path, &record, NULL), NULL);

    put_query(record, "u17", &(sc_request){.type = SC_REQUEST_KNN, .k = 5});
    const sc_category_id cafe = sc_map_category_find(map, "cafe");
    put_query(record, "\"\\\n",
              &(sc_request){.type = SC_REQUEST_RANGE,
                            .radius_m = 512.25,
                            .category_count = 1,
                            .categories = {cafe}});

    put_query(record, "u17", &(sc_request){.k = 1, .category_count = 2, .categories = {0, 1}});

    sc_star_id stars[] = {4, 9};
    sc_seg_id segments[] = {0, 12, 4294967294};
    sc_node_id nodes[] = {3};
    sc_member members[] = {{.query = {.id = id_of(0x00, 0xff)}, .star = 9},
                           {.query = {.id = id_of(0x10, 0x00)}, .star = 4}};
    sc_cloak cloak = {.stars = stars,
                      .star_count = 2,
                      .segments = segments,
                      .segment_count = 3,
                      .border_nodes = nodes,
                      .border_node_count = 1,
                      .members = members,
                      .member_count = 2};
    assert_int_equal(sc_record_cloak(record, &cloak, 13000001), 0);
    // A method without stars.
    members[0].star = SC_NONE;
    cloak.star_count = cloak.border_node_count = 0;
    cloak.member_count = 1;
    assert_int_equal(sc_record_cloak(record, &cloak, 13000002), 1);
    const sc_query_id dropped = id_of(0x7f, 0x80);
    sc_record_drop(record, &dropped, 22545000, "expired");

    assert_int_equal(access(path, F_OK), -1);  // not before it is whole
    char *text = finish(record, path, 120000000);
    char expected[2048];
    snprintf(expected, sizeof expected,
             "{\"event\":\"query\",\"query\":\"ab000000000000000000000000000001\",\"user\":\"u17\","
             "\"t\":12.345000,\"edge\":77,\"offset_m\":31.500000,\"segment\":123,"
             "\"profile\":{\"k\":5,\"l\":6,\"sigma_s\":4,\"sigma_t\":10.200000},"
             "\"request\":{\"type\":\"knn\",\"k\":5,\"category\":null}}\n"
             "{\"event\":\"query\",\"query\":\"ab000000000000000000000000000001\","
             "\"user\":\"\\\"\\\\\\u000a\","
             "\"t\":12.345000,\"edge\":77,\"offset_m\":31.500000,\"segment\":123,"
             "\"profile\":{\"k\":5,\"l\":6,\"sigma_s\":4,\"sigma_t\":10.200000},"
             "\"request\":{\"type\":\"range\",\"radius_m\":512.25,\"category\":\"cafe\"}}\n"
             "{\"event\":\"query\",\"query\":\"ab000000000000000000000000000001\",\"user\":\"u17\","
             "\"t\":12.345000,\"edge\":77,\"offset_m\":31.500000,\"segment\":123,"
             "\"profile\":{\"k\":5,\"l\":6,\"sigma_s\":4,\"sigma_t\":10.200000},"
             "\"request\":{\"type\":\"knn\",\"k\":1,\"category\":[\"school\",\"cafe\"]}}\n"
             "{\"event\":\"cloak\",\"cloak\":0,\"t\":13.000001,\"stars\":[4,9],"
             "\"segments\":[0,12,4294967294],\"border_nodes\":[3],\"members\":["
             "{\"query\":\"000000000000000000000000000000ff\",\"star\":9},"
             "{\"query\":\"10000000000000000000000000000000\",\"star\":4}]}\n"
             "{\"event\":\"cloak\",\"cloak\":1,\"t\":13.000002,\"stars\":[],"
             "\"segments\":[0,12,4294967294],\"border_nodes\":[],\"members\":["
             "{\"query\":\"000000000000000000000000000000ff\"}]}\n"
             "{\"event\":\"drop\",\"query\":\"7f000000000000000000000000000080\",\"t\":22.545000,"
             "\"reason\":\"expired\"}\n"
             "{\"event\":\"end\",\"t\":120.000000,\"map\":\"%016" PRIx64 "\"}\n",
             sc_map_checksum(map));
    assert_string_equal(text, expected);
    free(text);
    sc_map_free(map);
    place_free(&p);
}

static void test_answers_and_failures_are_put_among_the_lines_of_another_record(void **state)
{
    (void)state;
    place p = place_new();
    sc_map *map = full_map(SC_COORDS_GEOGRAPHIC);
    const char *path = place_path(&p, "run.jsonl");
    sc_record *record = NULL;
    CHECK_OK(sc_record_open(map, path, &record, NULL), NULL);
    static const char lines[] = "{\"event\":\"query\"}\n{\"event\":\"cloak\"}\nnot ours";
    sc_record_lines(record, lines, strlen(lines) - strlen("not ours"));

    const sc_near results[] = {
        {9, 812.4, 61.25}, {0, 1234567.0000004, 86400.0}, {4294967294, 0.0000005, 0.0000005}};
    const sc_object_table own = {.count = 10};
    const sc_slice query = {"ab\"c and more", 4};
    sc_record_answer(record, &(sc_answered){.query = query,
                                            .cloak = 7,
                                            .candidates = 31,
                                            .results = results,
                                            .result_count = 3,
                                            .table = &own});
    sc_record_answer(record, &(sc_answered){.query = query, .cloak = 8, .table = &own});
    // With keys of their own.
    static const char strings[] = "\0n17\0caf\xc3\xa9 \"x\"";
    const uint32_t keys[] = {1, 5};
    const sc_object_table theirs = {
        .count = 2, .strings = strings, .strings_size = sizeof strings, .keys = keys};
    const sc_near others[] = {{1, 2.5, 0.3}, {0, 3, 0.4}};
    sc_record_answer(record, &(sc_answered){.query = query,
                                            .cloak = 9,
                                            .candidates = 2,
                                            .results = others,
                                            .result_count = 2,
                                            .table = &theirs,
                                            .is_foreign = true});
    sc_record_failed(record, query, 13000001, "provider");
    sc_record_lines(record, NULL, 0);

    assert_int_equal(access(path, F_OK), -1);
    sc_diag diag = {""};
    CHECK_OK(sc_record_commit(record, &diag), &diag);
    size_t size = 0;
    char *text = read_whole(path, &size);
    assert_string_equal(
        text,
        "{\"event\":\"query\"}\n{\"event\":\"cloak\"}\n"
        "{\"event\":\"answer\",\"query\":\"ab\\\"c\",\"cloak\":7,\"candidates\":31,\"results\":["
        "{\"poi\":9,\"distance_m\":812.400000,\"duration_s\":61.250000},"
        "{\"poi\":0,\"distance_m\":1234567.000000,\"duration_s\":86400.000000},"
        "{\"poi\":4294967294,\"distance_m\":0.000001,\"duration_s\":0.000001}]}\n"
        "{\"event\":\"answer\",\"query\":\"ab\\\"c\",\"cloak\":8,\"candidates\":0,\"results\":[]}\n"
        "{\"event\":\"answer\",\"query\":\"ab\\\"c\",\"cloak\":9,\"candidates\":2,"
        "\"objects\":\"provider\",\"results\":["
        "{\"poi\":\"caf\xc3\xa9 \\\"x\\\"\",\"distance_m\":2.500000,\"duration_s\":0.300000},"
        "{\"poi\":\"n17\",\"distance_m\":3.000000,\"duration_s\":0.400000}]}\n"
        "{\"event\":\"failed\",\"query\":\"ab\\\"c\",\"t\":13.000001,\"reason\":\"provider\"}\n");
    free(text);
    sc_map_free(map);
    place_free(&p);
}

// By a reader of JSON that is not ours.
static void test_every_line_is_json_whatever_users_are_called(void **state)
{
    (void)state;
    place p = place_new();
    sc_map *map = full_map(SC_COORDS_NONE);
    const char *path = place_path(&p, "run.jsonl");
    sc_record *record = NULL;
    CHECK_OK(sc_record_open(map, path, &record, NULL), NULL);
    for (int byte = 1; byte < 256; byte++) {
        const char user[] = {'a', (char)byte, 'z'};
        put_user(record, user, sizeof user, &(sc_request){.type = SC_REQUEST_KNN, .k = 5});
    }
    char *text = finish(record, path, 0);
    int lines = 0;
    char *rest = NULL;
    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        json_t *object = json_loads(line, 0, NULL);
        assert_non_null(object);
        const char *user = json_string_value(json_object_get(object, "user"));
        if (lines < 127) {
            assert_int_equal(strlen(user), 3);
            assert_int_equal((unsigned char)user[1], lines + 1);
        } else if (lines < 255) {
            char expected[16];
            snprintf(expected, sizeof expected, "hex:61%02x7a", lines + 1);
            assert_string_equal(user, expected);
        }
        json_decref(object);
        lines++;
    }
    assert_int_equal(lines, 256);
    free(text);
    sc_map_free(map);
    place_free(&p);
}

static int by_text(const void *a, const void *b)
{
    const char *const *left = a;
    const char *const *right = b;
    return strcmp(*left, *right);
}

// A count of users by their names must give as many as there are.
static void test_no_two_users_look_alike(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        size_t size;
    } users[] = {
        {"\xff", 1},
        {"\xfe", 1},
        {"\xef\xbf\xbd", 3},
        {"\xff\xff", 2},
        {"\0", 1},
        {"\0\0", 2},
        {"a\0", 2},
        {"a\0b", 3},
        {"a", 1},
        {"hex:ff", 6},
        {"hex:", 4},
        {"hex:00", 6},
        {"HEX:ff", 6},
        {"hex:6865783a6666", 16},
        {"he", 2},
        {"\xc3\xa9", 2},
        {"\xc3", 1},
        {"\xe9", 1},
        {"hex", 3},
        {"\xed\xb3\xbf", 3},
    };
    enum { COUNT = sizeof users / sizeof *users };
    place p = place_new();
    sc_map *map = full_map(SC_COORDS_NONE);
    const char *path = place_path(&p, "run.jsonl");
    sc_record *record = NULL;
    CHECK_OK(sc_record_open(map, path, &record, NULL), NULL);
    for (size_t i = 0; i < COUNT; i++) {
        put_user(record, users[i].bytes, users[i].size,
                 &(sc_request){.type = SC_REQUEST_KNN, .k = 5});
    }
    char *text = finish(record, path, 0);
    json_t *objects[COUNT];
    const char *names[COUNT];
    char *rest = NULL;
    char *line = strtok_r(text, "\n", &rest);
    for (size_t i = 0; i < COUNT; i++, line = strtok_r(NULL, "\n", &rest)) {
        objects[i] = json_loads(line, 0, NULL);
        names[i] = json_string_value(json_object_get(objects[i], "user"));
        assert_non_null(names[i]);
    }
    qsort(names, COUNT, sizeof *names, by_text);
    for (size_t i = 1; i < COUNT; i++) {
        assert_string_not_equal(names[i - 1], names[i]);
    }
    for (size_t i = 0; i < COUNT; i++) {
        json_decref(objects[i]);
    }
    free(text);
    sc_map_free(map);
    place_free(&p);
}

static void test_offsets_have_six_decimals_and_are_rounded(void **state)
{
    (void)state;
    static const struct {
        double offset_m;
        const char *wanted;
    } cases[] = {
        {0.0, "\"offset_m\":0.000000,"},        {0.0000004, "\"offset_m\":0.000000,"},
        {0.1234567, "\"offset_m\":0.123457,"},  {999.9999996, "\"offset_m\":1000.000000,"},
        {4e7, "\"offset_m\":40000000.000000,"},
    };
    place p = place_new();
    sc_map *map = full_map(SC_COORDS_NONE);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *path = place_path(&p, "run.jsonl");
        sc_record *record = NULL;
        CHECK_OK(sc_record_open(map, path, &record, NULL), NULL);
        const sc_snap where = {.offset_m = cases[i].offset_m};
        sc_record_query(record, &(sc_query){0}, &(sc_ask){.user = "u", .user_size = 1}, &where,
                        &(sc_request){.k = 1});
        char *text = finish(record, path, 0);
        CHECK_CONTAINS(text, cases[i].wanted);
        free(text);
    }
    sc_map_free(map);
    place_free(&p);
}

static void test_an_abandoned_record_leaves_the_old_file(void **state)
{
    (void)state;
    place p = place_new();
    sc_map *map = full_map(SC_COORDS_NONE);
    const char *path = place_write_text(&p, "run.jsonl", "old");
    sc_record *record = NULL;
    CHECK_OK(sc_record_open(map, path, &record, NULL), NULL);
    put_query(record, "u17", &(sc_request){.type = SC_REQUEST_KNN, .k = 5});
    sc_record_abandon(record);
    sc_record_abandon(NULL);

    size_t size = 0;
    char *text = read_whole(path, &size);
    assert_string_equal(text, "old");
    assert_int_equal(count_entries(p.path), 1);
    free(text);
    sc_map_free(map);
    place_free(&p);
}

static void test_a_record_that_cannot_be_begun_is_told(void **state)
{
    (void)state;
    place p = place_new();
    sc_map *map = full_map(SC_COORDS_NONE);
    sc_record *record = NULL;
    sc_diag diag = {""};
    const char *path = place_path(&p, "no/such/run.jsonl");
    CHECK_REFUSED(sc_record_open(map, path, &record, &diag), SC_EIO, &diag, "no/such/run.jsonl");
    assert_null(record);
    sc_map_free(map);
    place_free(&p);
}

// Files may grow to 100,000 bytes and no further, as on a full disk.
static void test_what_the_disk_refuses_is_told_at_the_end_and_leaves_nothing(void **state)
{
    (void)state;
    place p = place_new();
    sc_map *map = full_map(SC_COORDS_NONE);
    struct rlimit before;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    signal(SIGXFSZ, SIG_IGN);
    const struct rlimit small = {100000, before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);

    sc_record *record = NULL;
    sc_diag diag = {""};
    CHECK_OK(sc_record_open(map, place_path(&p, "run.jsonl"), &record, &diag), &diag);
    for (int i = 0; i < 2000; i++) {
        put_query(record, "u17", &(sc_request){.type = SC_REQUEST_KNN, .k = 5});
    }
    const sc_err err = sc_record_close(record, 0, &diag);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    CHECK_REFUSED(err, SC_EIO, &diag, "run.jsonl");
    assert_int_equal(count_entries(p.path), 0);
    sc_map_free(map);
    place_free(&p);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_every_event_is_a_line_as_the_format_has_it),
    cmocka_unit_test(test_answers_and_failures_are_put_among_the_lines_of_another_record),
    cmocka_unit_test(test_every_line_is_json_whatever_users_are_called),
    cmocka_unit_test(test_no_two_users_look_alike),
    cmocka_unit_test(test_offsets_have_six_decimals_and_are_rounded),
    cmocka_unit_test(test_an_abandoned_record_leaves_the_old_file),
    cmocka_unit_test(test_a_record_that_cannot_be_begun_is_told),
    cmocka_unit_test(test_what_the_disk_refuses_is_told_at_the_end_and_leaves_nothing),
};
SC_SUITE(tests)
