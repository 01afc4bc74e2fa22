// Streams of queries: what the lines say, and that what is written reads back equal.
// What is refused: test_stream_bad.c.
#include "support/check.h"
#include "support/place.h"
#include "support/sketch.h"

#include "base/rng.h"
#include "record/stream.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>

#define PROFILE "\"profile\":{\"k\":5,\"l\":6,\"sigma_s\":4,\"sigma_t\":10.2}"
#define PLACE "\"lon\":-122.4,\"lat\":37.77"
#define LINE "{\"user\":\"u17\",\"t\":12.345," PLACE "," PROFILE "}"

static sc_map *map;

static int open_map(void **state)
{
    (void)state;
    map = full_map(SC_COORDS_GEOGRAPHIC);
    return 0;
}

static int close_map(void **state)
{
    (void)state;
    sc_map_free(map);
    return 0;
}

static sc_stream *parse(const char *text)
{
    sc_stream *stream = NULL;
    sc_diag diag = {""};
    CHECK_OK(sc_stream_parse(map, text, strlen(text), "queries.jsonl", &stream, &diag), &diag);
    return stream;
}

// The only line of a text; the stream is to be freed.
static const sc_request_line *parse_one(const char *text, sc_stream **stream)
{
    size_t count = 0;
    *stream = parse(text);
    const sc_request_line *lines = sc_stream_lines(*stream, &count);
    assert_int_equal(count, 1);
    return &lines[0];
}

static void check_request(const sc_request *got, sc_request wanted)
{
    assert_int_equal(got->type, wanted.type);
    assert_int_equal(got->k, wanted.k);
    assert_int_equal(got->metric, wanted.metric);
    CHECK_CLOSE(got->radius_m, wanted.radius_m, 0.0);
    CHECK_CLOSE(got->radius_s, wanted.radius_s, 0.0);
    assert_int_equal(got->category_count, wanted.category_count);
    for (uint32_t i = 0; i < SC_REQUEST_CATEGORIES; i++) {
        assert_int_equal(got->categories[i], wanted.categories[i]);
    }
}

static void check_equal(const sc_request_line *got, const sc_request_line *wanted)
{
    const sc_ask *a = &got->ask;
    const sc_ask *b = &wanted->ask;
    assert_int_equal(a->user_size, b->user_size);
    assert_memory_equal(a->user, b->user, b->user_size);
    assert_true(a->t == b->t);
    assert_int_equal(a->is_on_edge, b->is_on_edge);
    assert_int_equal(a->edge, b->edge);
    CHECK_SAME(a->x, b->x);
    CHECK_SAME(a->y, b->y);
    CHECK_SAME(a->offset_m, b->offset_m);
    assert_int_equal(a->profile.k, b->profile.k);
    assert_int_equal(a->profile.l, b->profile.l);
    assert_int_equal(a->profile.max_hops, b->profile.max_hops);
    assert_true(a->profile.max_wait_us == b->profile.max_wait_us);
    assert_int_equal(a->result_size, b->result_size);
    check_request(&got->request, wanted->request);
}

// --- Reading ----------------------------------------------------------------

static void test_a_line_says_who_when_where_how_private_and_for_what(void **state)
{
    (void)state;
    sc_stream *stream = NULL;
    const sc_request_line *line =
        parse_one("{\"user\":\"u17\",\"t\":12.345," PLACE "," PROFILE
                  ",\"request\":{\"type\":\"knn\",\"k\":5,\"category\":\"cafe\"}}",
                  &stream);
    assert_int_equal(line->line, 1);
    assert_int_equal(line->ask.user_size, 3);
    assert_string_equal(line->ask.user, "u17");
    assert_int_equal(line->ask.t, 12345000);
    assert_false(line->ask.is_on_edge);
    CHECK_SAME(line->ask.x, -122.4);
    CHECK_SAME(line->ask.y, 37.77);
    assert_int_equal(line->ask.profile.k, 5);
    assert_int_equal(line->ask.profile.l, 6);
    assert_int_equal(line->ask.profile.max_hops, 4);
    assert_int_equal(line->ask.profile.max_wait_us, 10200000);
    assert_int_equal(line->ask.result_size, 5);
    const sc_category_id cafe = sc_map_category_find(map, "cafe");
    check_request(
        &line->request,
        (sc_request){.type = SC_REQUEST_KNN, .k = 5, .category_count = 1, .categories = {cafe}});
    sc_stream_free(stream);
}

static void test_a_place_may_be_an_edge_and_an_offset(void **state)
{
    (void)state;
    sc_stream *stream = NULL;
    const sc_request_line *line =
        parse_one("{\"user\":\"a\",\"t\":0,\"edge\":7,\"offset_m\":31.5," PROFILE "}", &stream);
    assert_true(line->ask.is_on_edge);
    assert_int_equal(line->ask.edge, 7);
    CHECK_SAME(line->ask.offset_m, 31.5);
    sc_stream_free(stream);
}

static void test_without_a_request_the_nearest_object_is_meant(void **state)
{
    (void)state;
    sc_stream *stream = NULL;
    const sc_request_line *line = parse_one(LINE, &stream);
    check_request(&line->request, (sc_request){.type = SC_REQUEST_KNN, .k = 1});
    assert_int_equal(line->ask.result_size, 1);
    sc_stream_free(stream);
}

static void test_a_range_has_a_radius_and_an_unknown_size(void **state)
{
    (void)state;
    sc_stream *stream = NULL;
    const sc_request_line *line =
        parse_one("{\"user\":\"a\",\"t\":0," PLACE "," PROFILE
                  ",\"request\":{\"type\":\"range\",\"radius_m\":500,\"category\":null}}",
                  &stream);
    check_request(&line->request, (sc_request){.type = SC_REQUEST_RANGE, .radius_m = 500});
    assert_int_equal(line->ask.result_size, 0);
    sc_stream_free(stream);
    // Of no metres, too: what is right here.
    line = parse_one("{\"user\":\"a\",\"t\":0," PLACE "," PROFILE
                     ",\"request\":{\"type\":\"range\",\"radius_m\":0}}",
                     &stream);
    check_request(&line->request, (sc_request){.type = SC_REQUEST_RANGE, .radius_m = 0});
    sc_stream_free(stream);
}

static void test_a_request_names_its_metric_or_means_the_distance(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        sc_request wanted;
    } cases[] = {
        {"{\"type\":\"knn\",\"metric\":\"time\",\"k\":5}",
         {.type = SC_REQUEST_KNN, .metric = SC_METRIC_TIME, .k = 5}},
        {"{\"type\":\"knn\",\"metric\":\"distance\",\"k\":5}", {.type = SC_REQUEST_KNN, .k = 5}},
        {"{\"type\":\"range\",\"radius_s\":90.5,\"metric\":\"time\"}",
         {.type = SC_REQUEST_RANGE, .metric = SC_METRIC_TIME, .radius_s = 90.5}},
        {"{\"type\":\"range\",\"radius_m\":7,\"metric\":\"distance\"}",
         {.type = SC_REQUEST_RANGE, .radius_m = 7}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[512];
        snprintf(text, sizeof text, "{\"user\":\"a\",\"t\":0," PLACE "," PROFILE ",\"request\":%s}",
                 cases[i].text);
        sc_stream *stream = NULL;
        check_request(&parse_one(text, &stream)->request, cases[i].wanted);
        sc_stream_free(stream);
    }
}

// However they are listed: equal requests look alike, and the order of wishes is not revealed.
static void test_categories_may_be_a_list_and_come_in_one_form(void **state)
{
    (void)state;
    static const char *const lists[] = {
        "[\"cafe\",\"school\"]",
        "[\"school\",\"cafe\"]",
        "[\"school\",\"cafe\",\"school\",\"cafe\",\"cafe\"]",
    };
    sc_request both = {.type = SC_REQUEST_KNN, .k = 2, .category_count = 2, .categories = {0, 1}};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        char text[512];
        snprintf(text, sizeof text,
                 "{\"user\":\"a\",\"t\":0," PLACE "," PROFILE
                 ",\"request\":{\"type\":\"knn\",\"k\":2,\"category\":%s}}",
                 lists[i]);
        sc_stream *stream = NULL;
        check_request(&parse_one(text, &stream)->request, both);
        sc_stream_free(stream);
    }
    // A list of one is that one.
    sc_stream *stream = NULL;
    const sc_request_line *line =
        parse_one("{\"user\":\"a\",\"t\":0," PLACE "," PROFILE
                  ",\"request\":{\"type\":\"knn\",\"k\":2,\"category\":[\"school\"]}}",
                  &stream);
    const sc_category_id school = sc_map_category_find(map, "school");
    check_request(
        &line->request,
        (sc_request){.type = SC_REQUEST_KNN, .k = 2, .category_count = 1, .categories = {school}});
    sc_stream_free(stream);
}

static void test_a_category_may_be_left_out(void **state)
{
    (void)state;
    sc_stream *stream = NULL;
    const sc_request_line *line = parse_one("{\"user\":\"a\",\"t\":0," PLACE "," PROFILE
                                            ",\"request\":{\"type\":\"knn\",\"k\":2}}",
                                            &stream);
    check_request(&line->request, (sc_request){.type = SC_REQUEST_KNN, .k = 2});
    sc_stream_free(stream);
}

static void test_a_user_may_be_a_number_and_is_then_its_digits(void **state)
{
    (void)state;
    static const struct {
        const char *json;
        const char *user;
    } cases[] = {
        {"17", "17"},
        {"-3", "-3"},
        {"9223372036854775807", "9223372036854775807"},
        {"\"\"", ""},  // admission refuses it
        {"\"a\\\"b\\\\\\n\\u007f\"", "a\"b\\\n\x7f"},
        {"\"\\ud83c\\udf1f\"", "\xf0\x9f\x8c\x9f"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[256];
        sc_stream *stream = NULL;
        snprintf(text, sizeof text, "{\"user\":%s,\"t\":0,%s,%s}", cases[i].json, PLACE, PROFILE);
        const sc_request_line *line = parse_one(text, &stream);
        assert_int_equal(line->ask.user_size, strlen(cases[i].user));
        assert_string_equal(line->ask.user, cases[i].user);
        sc_stream_free(stream);
    }
}

static void test_times_are_read_to_the_microsecond(void **state)
{
    (void)state;
    static const struct {
        const char *json;
        sc_time t;
    } cases[] = {
        {"12.345", 12345000},
        {"0", 0},
        {"-0.0", 0},
        {"0.000001", 1},
        {"-0.000001", -1},
        {"0.0000004", 0},
        {"0.0000006", 1},
        {"-12.345678", -12345678},
        {"1.1", 1100000},
        {"2.3", 2300000},
        {"4.35", 4350000},
        {"1e-3", 1000},
        {"1763190000.123457", 1763190000123457},  // a clock of our days
        {"4102444800.999999", 4102444800999999},  // and of the year 2100
        {"8589934591.999999", 8589934591999999},  // the last second that is exact
        {"-8589934591.999999", -8589934591999999},
        {"1e12", 1000000000000000000},
        {"-1000000000000", -1000000000000000000},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[256];
        sc_stream *stream = NULL;
        snprintf(text, sizeof text, "{\"user\":1,\"t\":%s,%s,%s}", cases[i].json, PLACE, PROFILE);
        const sc_request_line *line = parse_one(text, &stream);
        print_message("# %s\n", cases[i].json);
        assert_true(line->ask.t == cases[i].t);
        sc_stream_free(stream);
    }
}

static void test_needs_out_of_range_are_left_to_admission(void **state)
{
    (void)state;
    sc_stream *stream = NULL;
    const sc_request_line *line =
        parse_one("{\"user\":1,\"t\":0," PLACE ",\"profile\":{\"k\":0,\"l\":"
                  "4294967295,\"sigma_s\":0,\"sigma_t\":-1.5}}",
                  &stream);
    assert_int_equal(line->ask.profile.k, 0);
    assert_int_equal(line->ask.profile.l, UINT32_MAX);
    assert_int_equal(line->ask.profile.max_hops, 0);
    assert_int_equal(line->ask.profile.max_wait_us, -1500000);
    sc_stream_free(stream);
}

// So that admission refuses these queries, and the stream goes on.
static void test_numbers_that_do_not_fit_become_ones_that_admission_refuses(void **state)
{
    (void)state;
    sc_stream *stream = NULL;
    const sc_request_line *line =
        parse_one("{\"user\":\"a\",\"t\":0,\"edge\":-7,\"offset_m\":1,"
                  "\"profile\":{\"k\":-1,\"l\":5000000000,\"sigma_s\":-4,\"sigma_t\":10}}",
                  &stream);
    assert_int_equal(line->ask.edge, SC_NONE);
    assert_int_equal(line->ask.profile.k, 0);
    assert_int_equal(line->ask.profile.l, 0);
    assert_int_equal(line->ask.profile.max_hops, UINT32_MAX);
    sc_stream_free(stream);
}

static void test_a_line_may_carry_more_than_is_read(void **state)
{
    (void)state;
    sc_stream *stream = NULL;
    const sc_request_line *line =
        parse_one("{\"note\":{\"k\":[1,2]},\"user\":\"u17\",\"t\":12.345," PLACE "," PROFILE
                  ",\"speed\":null}",
                  &stream);
    assert_string_equal(line->ask.user, "u17");
    sc_stream_free(stream);
}

static void test_empty_lines_other_line_ends_and_a_mark_are_passed_over(void **state)
{
    (void)state;
    size_t count = 0;
    sc_stream *stream = parse("\xef\xbb\xbf" LINE "\r\n\r\n  \t\n" LINE "\n\n \n" LINE);
    const sc_request_line *lines = sc_stream_lines(stream, &count);
    assert_int_equal(count, 3);
    assert_int_equal(lines[0].line, 1);
    assert_int_equal(lines[1].line, 4);
    assert_int_equal(lines[2].line, 7);
    check_equal(&lines[1], &lines[0]);
    check_equal(&lines[2], &lines[0]);
    sc_stream_free(stream);
}

static void test_a_stream_of_nothing_has_no_lines(void **state)
{
    (void)state;
    size_t count = 1;
    sc_stream *stream = parse("");
    sc_stream_lines(stream, &count);
    assert_int_equal(count, 0);
    sc_stream_free(stream);
    stream = parse("\n\n");
    sc_stream_lines(stream, &count);
    assert_int_equal(count, 0);
    sc_stream_free(stream);
    sc_stream_free(NULL);
}

// --- Files ------------------------------------------------------------------

static void check_town(const sc_stream *stream)
{
    size_t count = 0;
    const sc_request_line *lines = sc_stream_lines(stream, &count);
    assert_int_equal(count, 4);
    assert_string_equal(lines[0].ask.user, "u1");
    assert_string_equal(lines[3].ask.user, "Zo\xc3\xab");
    assert_int_equal(lines[3].ask.t, 3250000);
    assert_int_equal(lines[3].request.category_count, 1);
    assert_int_equal(lines[3].request.categories[0], sc_map_category_find(map, "school"));
}

static void test_files_are_read_packed_or_not(void **state)
{
    (void)state;
    static const char *const names[] = {"town.jsonl", "town.jsonl.gz", "town.jsonl.xz"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[512];
        sc_stream *stream = NULL;
        sc_diag diag = {""};
        snprintf(path, sizeof path, "%s/streams/%s", SC_TEST_DATA, names[i]);
        CHECK_OK(sc_stream_read(map, path, &stream, &diag), &diag);
        check_town(stream);
        sc_stream_free(stream);
    }
}

static void test_standard_input_is_read_packed_or_not(void **state)
{
    (void)state;
    static const char *const names[] = {"town.jsonl", "town.jsonl.gz", "town.jsonl.xz"};
    const int before = dup(STDIN_FILENO);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[512];
        sc_stream *stream = NULL;
        sc_diag diag = {""};
        snprintf(path, sizeof path, "%s/streams/%s", SC_TEST_DATA, names[i]);
        assert_non_null(freopen(path, "r", stdin));
        const sc_err err = sc_stream_read(map, "-", &stream, &diag);
        CHECK_OK(err, &diag);
        check_town(stream);
        sc_stream_free(stream);
    }
    if (before >= 0) {
        assert_true(dup2(before, STDIN_FILENO) >= 0);
        close(before);
    }
}

static void test_a_file_that_is_not_there_is_told(void **state)
{
    (void)state;
    sc_stream *stream = NULL;
    sc_diag diag = {""};
    const sc_err err = sc_stream_read(map, "/nowhere/queries.jsonl", &stream, &diag);
    CHECK_REFUSED(err, SC_EIO, &diag, "/nowhere/queries.jsonl");
    assert_null(stream);
}

// --- Writing ----------------------------------------------------------------

// Write one line, read it, compare.
static void check_round_trip(const sc_request_line *request_line)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    sc_stream_write(out, map, &request_line->ask, &request_line->request);
    fclose(out);
    assert_int_equal(text[size - 1], '\n');
    assert_ptr_equal(memchr(text, '\n', size), text + size - 1);

    sc_stream *stream = NULL;
    check_equal(parse_one(text, &stream), request_line);
    sc_stream_free(stream);
    free(text);
}

// Any number, of any size; with few digits or with all of them.
static double any_number(sc_rng *rng)
{
    const double size = pow(10.0, (int)sc_rng_below(rng, 40) - 20);
    const double number = (sc_rng_unit(rng) - 0.5) * size;
    return sc_rng_below(rng, 2) ? number : round(number * 1e3) / 1e3;
}

static sc_request_line any_query(sc_rng *rng, char *user, size_t room)
{
    size_t size = sc_rng_below(rng, (uint32_t)room);
    for (size_t i = 0; i < size; i++) {
        user[i] = (char)(1 + sc_rng_below(rng, 127));
    }
    sc_request_line said = {.ask = {.user = user, .user_size = size}};
    // Times up to where a number tells each microsecond: 2^33 s.
    said.ask.t = (sc_time)(sc_rng_next(rng) % (2ull * 8589934592000000)) - 8589934592000000;
    said.ask.is_on_edge = sc_rng_below(rng, 2);
    if (said.ask.is_on_edge) {
        said.ask.edge = (uint32_t)sc_rng_next(rng);
        said.ask.offset_m = any_number(rng);
    } else {
        said.ask.x = any_number(rng);
        said.ask.y = any_number(rng);
    }
    said.ask.profile.k = (uint32_t)sc_rng_next(rng);
    said.ask.profile.l = sc_rng_below(rng, 20);
    said.ask.profile.max_hops = sc_rng_below(rng, 20);
    said.ask.profile.max_wait_us = sc_rng_below(rng, 100000000);
    const uint32_t choice = sc_rng_below(rng, 4);  // all, one of two categories, or both
    if (choice == 3) {
        said.request.category_count = 2;
        said.request.categories[1] = 1;
    } else if (choice > 0) {
        said.request.category_count = 1;
        said.request.categories[0] = choice - 1;
    }
    if (sc_rng_below(rng, 2)) {
        said.request.k = said.ask.result_size = 1 + sc_rng_below(rng, 1000);
    } else {
        said.request.type = SC_REQUEST_RANGE;
        said.request.radius_m = fabs(any_number(rng)) + 1e-9;
    }
    return said;
}

static void test_what_is_written_reads_back_equal(void **state)
{
    (void)state;
    assert_int_equal(sc_map_category_count(map), 2);
    for (uint64_t seed = 0; seed < 4000; seed++) {
        check_case(seed);
        sc_rng rng;
        char user[12];
        sc_rng_seed(&rng, seed);
        const sc_request_line said = any_query(&rng, user, sizeof user);
        // A zero that was rounded from below is read as a plain one: 0 and -0 are one place.
        sc_request_line plain = said;
        plain.ask.x += 0.0;
        plain.ask.y += 0.0;
        plain.ask.offset_m += 0.0;
        check_round_trip(&plain);
    }
    check_case_done();
}

static void check_time(sc_time t, const char *wanted)
{
    char text[64] = "";
    FILE *out = fmemopen(text, sizeof text, "w");
    assert_non_null(out);
    sc_time_write(out, t);
    fclose(out);
    assert_string_equal(text, wanted);
}

static void test_times_are_written_exactly(void **state)
{
    (void)state;
    check_time(0, "0.000000");
    check_time(1, "0.000001");
    check_time(-1, "-0.000001");
    check_time(12345000, "12.345000");
    check_time(999999, "0.999999");
    check_time(1000000, "1.000000");
    check_time(-1000001, "-1.000001");
    check_time(INT64_MAX, "9223372036854.775807");
    check_time(INT64_MIN, "-9223372036854.775808");
}

static void test_a_line_is_written_as_the_format_has_it(void **state)
{
    (void)state;
    char text[1024] = "";
    FILE *out = fmemopen(text, sizeof text, "w");
    assert_non_null(out);
    const sc_category_id school = sc_map_category_find(map, "school");
    sc_ask ask = {.user = "u\"1 and what is not its",
                  .user_size = 3,
                  .t = 12345000,
                  .x = -122.4,
                  .y = 37.77,
                  .profile = {5, 6, 4, 10200000}};
    sc_stream_write(out, map, &ask, &(sc_request){.type = SC_REQUEST_KNN, .k = 5});
    ask.is_on_edge = true;
    ask.edge = 7;
    ask.offset_m = 0.1;
    sc_stream_write(out, map, &ask,
                    &(sc_request){.type = SC_REQUEST_RANGE,
                                  .radius_m = 500,
                                  .category_count = 1,
                                  .categories = {school}});
    const sc_request both = {.k = 1, .category_count = 2, .categories = {0, 1}};
    sc_request_write(out, map, &both);
    fclose(out);
    assert_string_equal(
        text, "{\"user\":\"u\\\"1\",\"t\":12.345000,\"lon\":-122.4,\"lat\":37.77,"
              "\"profile\":{\"k\":5,\"l\":6,\"sigma_s\":4,\"sigma_t\":10.200000},"
              "\"request\":{\"type\":\"knn\",\"k\":5,\"category\":null}}\n"
              "{\"user\":\"u\\\"1\",\"t\":12.345000,\"edge\":7,\"offset_m\":0.1,"
              "\"profile\":{\"k\":5,\"l\":6,\"sigma_s\":4,\"sigma_t\":10.200000},"
              "\"request\":{\"type\":\"range\",\"radius_m\":500,\"category\":\"school\"}}\n"
              "{\"type\":\"knn\",\"k\":1,\"category\":[\"school\",\"cafe\"]}");
}

// The users of many lines fill several blocks; one alone is larger than a block, and fills
// it, so that behind it there is not even room for an empty one.
static size_t user_size_of(int line)
{
    enum { LARGE = 1500, SIZE = 100000 };
    return line == LARGE ? SIZE : line == LARGE + 1 ? 0 : 60;
}

static void test_users_stay_where_they_are_however_many_lines_follow(void **state)
{
    (void)state;
    enum { LINES = 3000, ROOM = 100000 };
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    char *user = test_take(ROOM, 1);
    memset(user, 'x', ROOM);
    for (int i = 0; i < LINES; i++) {
        const int digits = snprintf(user, ROOM, "%07d", i);
        user[digits] = 'x';
        const sc_ask ask = {.user = user, .user_size = user_size_of(i)};
        sc_stream_write(out, map, &ask, &(sc_request){.k = 1});
    }
    fclose(out);

    size_t count = 0;
    sc_stream *stream = parse(text);
    const sc_request_line *lines = sc_stream_lines(stream, &count);
    assert_int_equal(count, LINES);
    for (int i = 0; i < LINES; i++) {
        assert_int_equal(lines[i].ask.user_size, user_size_of(i));
        assert_int_equal(strlen(lines[i].ask.user), user_size_of(i));
        if (user_size_of(i) > 0) assert_int_equal(strtol(lines[i].ask.user, NULL, 10), i);
    }
    sc_stream_free(stream);
    free(user);
    free(text);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_line_says_who_when_where_how_private_and_for_what),
    cmocka_unit_test(test_a_place_may_be_an_edge_and_an_offset),
    cmocka_unit_test(test_without_a_request_the_nearest_object_is_meant),
    cmocka_unit_test(test_a_range_has_a_radius_and_an_unknown_size),
    cmocka_unit_test(test_a_request_names_its_metric_or_means_the_distance),
    cmocka_unit_test(test_categories_may_be_a_list_and_come_in_one_form),
    cmocka_unit_test(test_a_category_may_be_left_out),
    cmocka_unit_test(test_a_user_may_be_a_number_and_is_then_its_digits),
    cmocka_unit_test(test_times_are_read_to_the_microsecond),
    cmocka_unit_test(test_needs_out_of_range_are_left_to_admission),
    cmocka_unit_test(test_numbers_that_do_not_fit_become_ones_that_admission_refuses),
    cmocka_unit_test(test_a_line_may_carry_more_than_is_read),
    cmocka_unit_test(test_empty_lines_other_line_ends_and_a_mark_are_passed_over),
    cmocka_unit_test(test_a_stream_of_nothing_has_no_lines),
    cmocka_unit_test(test_files_are_read_packed_or_not),
    cmocka_unit_test(test_standard_input_is_read_packed_or_not),
    cmocka_unit_test(test_a_file_that_is_not_there_is_told),
    SC_CASES(test_what_is_written_reads_back_equal),
    cmocka_unit_test(test_times_are_written_exactly),
    cmocka_unit_test(test_a_line_is_written_as_the_format_has_it),
    cmocka_unit_test(test_users_stay_where_they_are_however_many_lines_follow),
};
SC_SUITE_WITH(tests, open_map, close_map)
