// Is it the map of the run? Told by a checksum at the end of the record, or suspected where
// queries are not on its roads.
#include <starcloak/verify.h>

#include "support/check.h"
#include "support/made_record.h"
#include "verify/verify_record.h"

#include <inttypes.h>
#include <stdio.h>

#define SENTENCE "is on an edge that the map does not have"

static sc_verify_report verify(const sc_map *map, const made_record *record)
{
    size_t size = 0;
    char *text = made_text(record, &size);
    const sc_input input = {"run.jsonl", (const uint8_t *)text, size};
    const sc_verify_options options = sc_verify_options_default();
    sc_verify_report report;
    sc_diag diag = {""};
    CHECK_OK(sc__verify_input(map, &input, &options, &report, &diag), &diag);
    free(text);
    return report;
}

/** The same for a record whose end has the field `more`. */
static sc_verify_report verify_end(const sc_map *map, const made_record *record, const char *more)
{
    made_find(record, MADE_END, 0)->more = more;
    return verify(map, record);
}

static made_record some_record(const sc_map *map)
{
    return made_record_new(map, 4, &(made_wishes){.cloaks = 10, .min_members = 2});
}

static size_t query_count(const made_record *record)
{
    size_t count = 0;
    for (size_t i = 0; i < record->count; i++) {
        count += record->events[i].kind == MADE_QUERY;
    }
    return count;
}

/** Put the first `count` queries on edges that no map has. */
static void misplace(made_record *record, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        made_find(record, MADE_QUERY, i)->edge = SC_NONE - 1;
    }
}

static void test_a_record_without_a_checksum_tells_nothing_of_its_map(void **state)
{
    (void)state;
    sc_map *map = made_town();
    made_record record = some_record(map);
    const sc_verify_report report = verify(map, &record);
    assert_int_equal(report.map_match, SC_MAP_MATCH_UNTOLD);
    assert_int_equal(report.map_checksum, 0);
    assert_int_equal(report.violations, 0);
    made_record_free(&record);
    sc_map_free(map);
}

static void test_a_checksum_tells_whether_it_is_the_map(void **state)
{
    (void)state;
    sc_map *map = made_town();
    made_record record = some_record(map);
    for (unsigned is_other = 0; is_other < 2; is_other++) {
        const uint64_t checksum = sc_map_checksum(map) ^ is_other;
        char more[64];
        snprintf(more, sizeof more, "\"map\":\"%016" PRIx64 "\",", checksum);
        const sc_verify_report report = verify_end(map, &record, more);
        assert_int_equal(report.map_match, is_other ? SC_MAP_MATCH_OTHER : SC_MAP_MATCH_SAME);
        assert_true(report.map_checksum == checksum);
        // Whether promises hold is another question.
        assert_int_equal(report.violations, 0);
    }
    made_record_free(&record);
    sc_map_free(map);
}

static void test_what_is_no_checksum_is_passed_over(void **state)
{
    (void)state;
    sc_map *map = made_town();
    made_record record = some_record(map);
    static const char *const others[] = {
        "\"map\":\"town.scm\",",
        "\"map\":17,",
        "\"map\":\"0123456789abcde\",",
        "\"map\":\"0123456789abcdef0\",",
        "\"map\":\"0123456789abcdeg\",",
        "\"map\":\"0x23456789abcdef\",",
        "\"map\":null,",
        "\"checksum\":\"0123456789abcdef\",",
    };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        assert_int_equal(verify_end(map, &record, others[i]).map_match, SC_MAP_MATCH_UNTOLD);
    }
    made_record_free(&record);
    sc_map_free(map);
}

static void test_the_map_is_doubted_when_most_queries_are_not_on_its_roads(void **state)
{
    (void)state;
    sc_map *map = made_town();
    made_record record = some_record(map);
    const size_t half = query_count(&record) / 2;
    assert_true(half >= 10);
    misplace(&record, half);
    sc_verify_report report = verify(map, &record);
    assert_int_equal(report.map_match, SC_MAP_MATCH_UNTOLD);
    CHECK_CONTAINS(report.shown[0].text, SENTENCE);

    misplace(&record, half + 1);
    report = verify(map, &record);
    assert_int_equal(report.map_match, SC_MAP_MATCH_DOUBTFUL);

    // A checksum knows better.
    char more[64];
    snprintf(more, sizeof more, "\"map\":\"%016" PRIx64 "\",", sc_map_checksum(map));
    report = verify_end(map, &record, more);
    assert_int_equal(report.map_match, SC_MAP_MATCH_SAME);
    made_record_free(&record);
    sc_map_free(map);
}

static void test_a_few_queries_raise_no_doubt_of_the_map(void **state)
{
    (void)state;
    sc_map *map = made_town();
    made_record record = made_record_new(map, 4, &(made_wishes){.cloaks = 1, .min_members = 2});
    const size_t count = query_count(&record);
    assert_true(count < 10);
    misplace(&record, count);
    assert_int_equal(verify(map, &record).map_match, SC_MAP_MATCH_UNTOLD);
    made_record_free(&record);
    sc_map_free(map);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_record_without_a_checksum_tells_nothing_of_its_map),
    cmocka_unit_test(test_a_checksum_tells_whether_it_is_the_map),
    cmocka_unit_test(test_what_is_no_checksum_is_passed_over),
    cmocka_unit_test(test_the_map_is_doubted_when_most_queries_are_not_on_its_roads),
    cmocka_unit_test(test_a_few_queries_raise_no_doubt_of_the_map),
};
SC_SUITE(tests)
