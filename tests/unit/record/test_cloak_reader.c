// Cloaks without their members: of logs and records the segments and the number of users come out
// as they are; what is cut off or damaged is left out or refused.
#include "support/check.h"
#include "support/made_record.h"
#include "support/oom.h"
#include "support/place.h"

#include "record/cloak_reader.h"

#include <inttypes.h>
#include <stdio.h>
#include <zlib.h>

static sc_map *map;

static int open_map(void **state)
{
    (void)state;
    map = made_town();
    return 0;
}

static int close_map(void **state)
{
    (void)state;
    sc_map_free(map);
    return 0;
}

static sc_cloak_reader *reader_of(const char *text, sc_input *input)
{
    sc_cloak_reader *reader = NULL;
    *input = (sc_input){"day.jsonl", (const uint8_t *)text, strlen(text)};
    CHECK_OK(sc_cloak_reader_of(map, input, &reader, NULL), NULL);
    return reader;
}

/** What a file came to. */
typedef struct sum {
    size_t cloaks;
    uint64_t users;
    uint64_t segments;
    uint64_t cut;
    uint32_t traffic;
} sum;

static sc_err add_up(const char *text, sum *out, sc_diag *diag)
{
    sc_input input;
    sc_cloak_reader *reader = reader_of(text, &input);
    sc_seen_cloak cloak;
    sc_err err;
    *out = (sum){0};
    while (!(err = sc_cloak_reader_next(reader, &cloak, diag)) && cloak.segments) {
        out->cloaks++;
        out->users += cloak.user_count;
        out->segments += cloak.segment_count;
    }
    out->cut = sc_cloak_reader_cut_lines(reader);
    out->traffic = sc_cloak_reader_traffic(reader);
    sc_cloak_reader_free(reader);
    return err;
}

// --- Records ----------------------------------------------------------------------

static void test_every_cloak_of_a_record_comes_with_its_segments_and_number(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 30; seed++) {
        check_case(seed);
        const made_wishes wishes = {.cloaks = 1 + (uint32_t)seed % 9,
                                    .min_members = 1,
                                    .is_starless = seed % 3 == 0,
                                    .has_answers = seed % 2 == 0};
        made_record record = made_record_new(map, seed, &wishes);
        size_t size = 0;
        char *text = made_text(&record, &size);
        sc_input input;
        sc_cloak_reader *reader = reader_of(text, &input);
        sc_seen_cloak cloak;
        for (size_t i = 0; i < record.count; i++) {
            const made_event *wanted = &record.events[i];
            if (wanted->kind != MADE_CLOAK) continue;
            CHECK_OK(sc_cloak_reader_next(reader, &cloak, NULL), NULL);
            assert_int_equal(cloak.segment_count, wanted->segments.count);
            assert_memory_equal(cloak.segments, wanted->segments.at,
                                cloak.segment_count * sizeof *cloak.segments);
            assert_int_equal(cloak.user_count, wanted->member_count);
        }
        CHECK_OK(sc_cloak_reader_next(reader, &cloak, NULL), NULL);
        assert_null(cloak.segments);
        assert_int_equal(sc_cloak_reader_lines(reader), record.count);
        sc_cloak_reader_free(reader);
        free(text);
        made_record_free(&record);
    }
    check_case_done();
}

#define QUERY "{\"event\":\"query\",\"query\":\"q1\"}\n"
#define MEMBERS \
    "{\"event\":\"cloak\",\"t\":1,\"segments\":[0,1],\"members\":[{\"query\":\"q1\"},{}]}\n"
#define END "{\"event\":\"end\",\"t\":2.0}\n"
#define START "{\"event\":\"start\",\"t\":1795000000,\"traffic\":0}\n"
#define CLOAK "{\"event\":\"cloak\",\"t\":1795000001,\"segments\":[0,2,3],\"users\":5}\n"

static void test_a_record_without_its_queries_will_do(void **state)
{
    (void)state;
    sum got;
    CHECK_OK(add_up(MEMBERS MEMBERS, &got, NULL), NULL);
    assert_int_equal(got.cloaks, 2);
    assert_int_equal(got.users, 4);
    assert_int_equal(got.segments, 4);
    sc_diag diag = {""};
    CHECK_REFUSED(add_up(QUERY MEMBERS, &got, &diag), SC_EPARSE, &diag, "the file is cut short");
    CHECK_OK(add_up(QUERY MEMBERS END, &got, NULL), NULL);
    CHECK_REFUSED(add_up(QUERY MEMBERS END MEMBERS, &got, &diag), SC_EPARSE, &diag,
                  "day.jsonl:4: is after the end event");
    CHECK_REFUSED(add_up("", &got, &diag), SC_EPARSE, &diag, "the file is empty");
}

static void test_what_was_demanded_is_known(void **state)
{
    (void)state;
    sum got;
    CHECK_OK(add_up("{\"event\":\"demands\",\"t\":0,\"strict\":true,\"traffic\":2}\n" MEMBERS, &got,
                    NULL),
             NULL);
    assert_int_equal(got.traffic, 2);
    CHECK_OK(
        add_up("{\"event\":\"start\",\"traffic\":3}\n{\"event\":\"start\",\"traffic\":0}\n" CLOAK,
               &got, NULL),
        NULL);
    assert_int_equal(got.traffic, 3);
    CHECK_OK(add_up(CLOAK, &got, NULL), NULL);
    assert_int_equal(got.traffic, 0);
}

// --- Logs -------------------------------------------------------------------------

static void test_the_checksum_of_the_map_is_recognised(void **state)
{
    (void)state;
    char text[256];
    sum got;
    snprintf(text, sizeof text, "{\"event\":\"start\",\"t\":1,\"map\":\"%016" PRIx64 "\"}\n" CLOAK,
             sc_map_checksum(map));
    CHECK_OK(add_up(text, &got, NULL), NULL);
    assert_int_equal(got.cloaks, 1);
}

static void test_a_line_that_a_service_could_not_finish_is_left_out(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t cloaks;
        uint64_t cut;
    } cases[] = {
        {START CLOAK CLOAK, 2, 0},
        // Killed, and not started again.
        {START CLOAK CLOAK "{\"event\":\"cloak\",\"t\":17950", 2, 1},
        {START CLOAK "{", 1, 1},
        // Started again; the next start ends the line.
        {START CLOAK "{\"event\":\"cloak\",\"t\":1795000002,\"segm\n" START CLOAK, 2, 1},
        {START "{\"ev\n" START "{\"event\":\"cloak\",\"t\":1,\"segments\":[4\n" START CLOAK, 1, 2},
        {START CLOAK "\n\n" START CLOAK, 2, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        check_case(i);
        sum got;
        sc_diag diag = {""};
        CHECK_OK(add_up(cases[i].text, &got, &diag), &diag);
        assert_int_equal(got.cloaks, cases[i].cloaks);
        assert_int_equal(got.users, 5 * cases[i].cloaks);
        assert_int_equal(got.cut, cases[i].cut);
    }
    check_case_done();
}

static void test_damage_and_other_maps_are_refused_with_their_line(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        sc_err err;
        const char *message;
    } cases[] = {
        {START CLOAK "{\"event\":\"cl\n" CLOAK, SC_EPARSE, "day.jsonl:3: column"},
        {START "{\"eve\n{\"eve\n" START CLOAK, SC_EPARSE, "day.jsonl:2: column"},
        {"{\"event\":\"cl\n" START CLOAK, SC_EPARSE, "day.jsonl:1: column"},
        {START "{\"event\":\"cloak\",\"segments\":[],\"users\":2}\n", SC_EPARSE, "is empty"},
        {START "{\"event\":\"cloak\",\"segments\":[3,3],\"users\":2}\n", SC_EPARSE,
         "does not ascend"},
        {START "{\"event\":\"cloak\",\"segments\":[-1],\"users\":2}\n", SC_EPARSE,
         "other than whole numbers"},
        {START "{\"event\":\"cloak\",\"segments\":[1],\"users\":0}\n", SC_EPARSE,
         "users\" has none"},
        {START "{\"event\":\"cloak\",\"segments\":[1],\"users\":\"5\"}\n", SC_EPARSE, "users"},
        {START "{\"event\":\"cloak\",\"segments\":[1]}\n", SC_EPARSE, "members"},
        {START "{\"event\":\"cloak\",\"segments\":[99999],\"users\":2}\n", SC_EMISMATCH,
         "day.jsonl:2: a cloak names a segment that the map does not have"},
        {"{\"event\":\"start\",\"map\":\"0123456789abcdef\"}\n" CLOAK, SC_EMISMATCH,
         "day.jsonl:1: this was a run on the map with the checksum 0123456789abcdef"},
        {START "{\"event\":\"noise\"}\n", SC_EPARSE, "is not one of start"},
        {"{\"user\":\"u1\",\"profile\":{}}\n", SC_EPARSE, "a query of a stream"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        check_case(i);
        sum got;
        sc_diag diag = {""};
        CHECK_REFUSED(add_up(cases[i].text, &got, &diag), cases[i].err, &diag, cases[i].message);
    }
    check_case_done();
}

// --- Files and memory -------------------------------------------------------------

static void test_a_log_is_read_from_a_file_packed_or_not(void **state)
{
    (void)state;
    place p = place_new();
    static const char text[] = START CLOAK CLOAK;
    const char *packed = place_path(&p, "day.jsonl.gz");
    gzFile file = gzopen(packed, "wb");
    assert_int_equal(gzwrite(file, text, (unsigned)strlen(text)), strlen(text));
    gzclose(file);
    const char *const paths[] = {place_write_text(&p, "day.jsonl", text), packed};
    for (size_t i = 0; i < 2; i++) {
        sc_cloak_reader *reader = NULL;
        sc_seen_cloak cloak;
        CHECK_OK(sc_cloak_reader_open(map, paths[i], &reader, NULL), NULL);
        CHECK_OK(sc_cloak_reader_next(reader, &cloak, NULL), NULL);
        assert_int_equal(cloak.user_count, 5);
        CHECK_OK(sc_cloak_reader_next(reader, &cloak, NULL), NULL);
        CHECK_OK(sc_cloak_reader_next(reader, &cloak, NULL), NULL);
        assert_null(cloak.segments);
        uint64_t total = 0;
        assert_int_equal(sc_cloak_reader_passed(reader, &total), strlen(text));
        assert_int_equal(total, strlen(text));
        sc_cloak_reader_free(reader);
    }
    sc_cloak_reader *reader = NULL;
    sc_diag diag = {""};
    CHECK_REFUSED(sc_cloak_reader_open(map, place_path(&p, "absent"), &reader, &diag), SC_EIO,
                  &diag, "absent");
    sc_cloak_reader_free(NULL);
    place_free(&p);
}

static void test_cloaks_that_do_not_fit_in_memory_are_told(void **state)
{
    (void)state;
    static const char text[] = START CLOAK "{\"ev\n" START CLOAK;
    unsigned long failures = 0;
    FOR_EACH_FAILURE(n)
    {
        const sc_input input = {"day.jsonl", (const uint8_t *)text, strlen(text)};
        sc_cloak_reader *reader = NULL;
        sc_seen_cloak cloak = {0};
        sc_diag diag = {""};
        sc_err err = sc_cloak_reader_of(map, &input, &reader, &diag);
        do {
            if (!err) err = sc_cloak_reader_next(reader, &cloak, &diag);
        } while (!err && cloak.segments);
        sc_cloak_reader_free(reader);
        if (!oom_happened()) {
            CHECK_OK(err, &diag);
            break;
        }
        CHECK_REFUSED(err, SC_ENOMEM, &diag, "out of memory");
        failures++;
    }
    assert_true(failures >= 5);
}

static const struct CMUnitTest tests[] = {
    SC_CASES(test_every_cloak_of_a_record_comes_with_its_segments_and_number),
    cmocka_unit_test(test_a_record_without_its_queries_will_do),
    cmocka_unit_test(test_what_was_demanded_is_known),
    cmocka_unit_test(test_the_checksum_of_the_map_is_recognised),
    SC_CASES(test_a_line_that_a_service_could_not_finish_is_left_out),
    SC_CASES(test_damage_and_other_maps_are_refused_with_their_line),
    cmocka_unit_test(test_a_log_is_read_from_a_file_packed_or_not),
    cmocka_unit_test(test_cloaks_that_do_not_fit_in_memory_are_told),
};
SC_SUITE_WITH(tests, open_map, close_map)
