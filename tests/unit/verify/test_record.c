// Reading records: what is refused and in which words, what is passed over, and where a record
// may come from.
#include <starcloak/verify.h>

#include "support/check.h"
#include "support/made_record.h"
#include "support/place.h"
#include "verify/query_states.h"
#include "verify/verify_record.h"

#include <stdio.h>
#include <zlib.h>

#define QUERY                                                                         \
    "{\"event\":\"query\",\"query\":\"q1\",\"user\":\"Zoltan\",\"t\":1.0,\"edge\":0," \
    "\"offset_m\":4.2501,\"segment\":0,\"profile\":{\"k\":1,\"l\":1,\"sigma_s\":1,"   \
    "\"sigma_t\":2.0},\"request\":{\"type\":\"knn\",\"k\":5,\"category\":null}}\n"
#define END "{\"event\":\"end\",\"t\":2.0}\n"

static sc_err verify(const sc_map *map, const char *text, sc_verify_report *report, sc_diag *diag)
{
    const sc_input input = {"run.jsonl", (const uint8_t *)text, strlen(text)};
    const sc_verify_options options = sc_verify_options_default();
    return sc__verify_input(map, &input, &options, report, diag);
}

/** A text that is no record, and what is said of it. */
typedef struct refusal {
    const char *text;
    const char *says;
} refusal;

static const refusal refusals[] = {
    {"", "run.jsonl: the record has no end event: the file is empty"},
    {QUERY, "run.jsonl: the record has no end event: the file is cut short"},
    {QUERY "{\"event\":\"en", "run.jsonl:2: not JSON, at byte "},
    {QUERY END QUERY, "run.jsonl:3: is after the end event of the record"},
    {"hello\n", "run.jsonl:1: not JSON, at byte "},
    {"[1,2]\n", "run.jsonl:1: not an event of a record"},
    {"17\n", "run.jsonl:1: not JSON"},
    {QUERY "{\"t\":1.0}\n", "run.jsonl:2: 'event' is missing or is not a text"},
    {"{\"user\":\"Zoltan\",\"t\":1.0,\"edge\":0,\"offset_m\":4.2501,\"profile\":{}}\n",
     "run.jsonl:1: this is a query of a stream, not an event of a run record; 'starcloak cloak "
     "--record' makes a record of a stream"},
    {QUERY "{\"event\":\"teleport\",\"t\":1.0}\n",
     "run.jsonl:2: 'event' is missing or is not one of query, cloak, drop, failed, answer, end"},
    {"{\"event\":\"end\"}\n", "run.jsonl:1: 't' is missing or is not a number"},
    {"{\"event\":\"end\",\"t\":\"noon\"}\n", "'t' is missing or is not a number"},
    {"{\"event\":\"end\",\"t\":1e300}\n", "'t' is missing or is not a time in seconds"},
    {"{\"event\":\"end\",\"t\":1,\"t\":2}\n", "run.jsonl:1: a key occurs twice, at byte "},
    {"{\"event\":\"end\",\"t\":1e999}\n", "run.jsonl:1: a number is too large, at byte "},
    {"{\"event\":\"query\",\"t\":1}\n", "'profile' is missing or is not an object"},
    {"{\"event\":\"query\",\"t\":1,\"profile\":{}}\n", "'query' is missing or is not a text"},
    {"{\"event\":\"drop\",\"t\":1,\"query\":\"\",\"reason\":\"x\"}\n",
     "'query' is missing or is not the id of a query"},
    {"{\"event\":\"drop\",\"t\":1,\"query\":\"q1\"}\n", "'reason' is missing or is not a text"},
    {"{\"event\":\"cloak\",\"t\":1}\n", "'cloak' is missing or is not the number of a cloak"},
    {"{\"event\":\"cloak\",\"t\":1,\"cloak\":-1}\n", "'cloak' is missing"},
    {"{\"event\":\"cloak\",\"t\":1,\"cloak\":1}\n", "'stars' is missing or is not a list"},
    {"{\"event\":\"cloak\",\"t\":1,\"cloak\":1,\"stars\":[-1]}\n",
     "'stars' is missing or is not a whole number of 0 or more"},
    {"{\"event\":\"cloak\",\"t\":1,\"cloak\":1,\"stars\":[1.5]}\n", "'stars' is missing"},
    {"{\"event\":\"cloak\",\"t\":1,\"cloak\":1,\"stars\":[],\"segments\":[],\"border_nodes\":[],"
     "\"members\":[7]}\n",
     "'members' is missing or is not a list of objects"},
    {"{\"event\":\"cloak\",\"t\":1,\"cloak\":1,\"stars\":[],\"segments\":[],\"border_nodes\":[],"
     "\"members\":[{\"star\":7}]}\n",
     "'query' is missing"},
    {"{\"event\":\"answer\",\"query\":\"q1\",\"cloak\":1}\n", "'results' is missing"},
    {"{\"event\":\"answer\",\"query\":\"q1\",\"cloak\":1,\"results\":[{\"poi\":1}]}\n",
     "'distance_m' is missing or is not a number"},
    {"{\"event\":\"answer\",\"query\":\"q1\",\"cloak\":1,\"results\":[7]}\n", "'poi' is missing"},
};

static void test_what_is_no_record_is_refused_with_the_line_and_the_field(void **state)
{
    (void)state;
    sc_map *map = made_town();
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        check_case(i);
        sc_verify_report report = {.queries = 4711};
        sc_diag diag = {""};
        const sc_err err = verify(map, refusals[i].text, &report, &diag);
        CHECK_REFUSED(err, SC_EPARSE, &diag, refusals[i].says);
        assert_int_equal(report.queries, 4711);
    }
    check_case_done();
    sc_map_free(map);
}

// Take out, or spoil, one field of a query after the other.
static void test_every_field_of_a_query_is_asked_for_and_none_is_repeated(void **state)
{
    (void)state;
    static const char *const fields[] = {
        "\"query\":\"q1\",",    "\"user\":\"Zoltan\",", "\"t\":1.0,", "\"edge\":0,",
        "\"offset_m\":4.2501,", "\"segment\":0,",       "\"k\":1,",   "\"l\":1,",
        "\"sigma_s\":1,",       "\"type\":\"knn\",",
    };
    sc_map *map = made_town();
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        check_case(i);
        for (int spoil = 0; spoil < 2; spoil++) {
            char text[1024] = QUERY END;
            char *at = strstr(text, fields[i]);
            assert_non_null(at);
            char name[32];
            assert_int_equal(sscanf(at, "\"%31[a-z_]", name), 1);
            if (spoil) {
                at[1] = 'X';  // another name
            } else {
                memmove(at, at + strlen(fields[i]), strlen(at + strlen(fields[i])) + 1);
            }
            sc_verify_report report;
            sc_diag diag = {""};
            char says[96];
            snprintf(says, sizeof says, "run.jsonl:1: '%s' is missing or is not ", name);
            CHECK_REFUSED(verify(map, text, &report, &diag), SC_EPARSE, &diag, says);
            assert_null(strstr(diag.message, "Zoltan"));
            assert_null(strstr(diag.message, "4.25"));
        }
    }
    check_case_done();
    sc_map_free(map);
}

static void test_needs_that_no_admission_lets_pass_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *field;
        const char *instead;
        const char *says;
    } needs[] = {
        {"\"k\":1,", "\"k\":0,",
         "run.jsonl:1: 'k' is missing or is not a whole number of 1 or more"},
        {"\"l\":1,", "\"l\":0,",
         "run.jsonl:1: 'l' is missing or is not a whole number of 1 or more"},
        {"\"sigma_t\":2.0", "\"sigma_t\":0.0",
         "run.jsonl:1: 'sigma_t' is missing or is not a time above 0 seconds"},
        {"\"sigma_t\":2.0", "\"sigma_t\":-20", "is not a time above 0 seconds"},
        // Half a microsecond is rounded up, less is nothing.
        {"\"sigma_t\":2.0", "\"sigma_t\":4e-7", "is not a time above 0 seconds"},
        {"\"sigma_t\":2.0", "\"sigma_t\":5e-7", NULL},
    };
    sc_map *map = made_town();
    for (size_t i = 0; i < sizeof needs / sizeof *needs; i++) {
        check_case(i);
        const char *const query = QUERY END;
        const char *at = strstr(query, needs[i].field);
        assert_non_null(at);
        char text[1024];
        snprintf(text, sizeof text, "%.*s%s%s", (int)(at - query), query, needs[i].instead,
                 at + strlen(needs[i].field));
        sc_verify_report report;
        sc_diag diag = {""};
        const sc_err err = verify(map, text, &report, &diag);
        if (needs[i].says) {
            CHECK_REFUSED(err, SC_EPARSE, &diag, needs[i].says);
        } else {
            CHECK_OK(err, &diag);
        }
    }
    check_case_done();
    sc_map_free(map);
}

static void test_a_line_that_is_not_json_is_not_repeated(void **state)
{
    (void)state;
    sc_map *map = made_town();
    sc_verify_report report;
    sc_diag diag = {""};
    const char *text = "{\"event\":\"query\",\"user\":\"Zoltan\",\"offset_m\":4.2501 \"edge\":7}\n";
    CHECK_REFUSED(verify(map, text, &report, &diag), SC_EPARSE, &diag, "not JSON, at byte ");
    assert_null(strstr(diag.message, "Zoltan"));
    assert_null(strstr(diag.message, "edge"));
    sc_map_free(map);
}

static void test_unknown_fields_and_empty_lines_are_passed_over(void **state)
{
    (void)state;
    sc_map *map = made_town();
    const made_wishes wishes = {.cloaks = 4, .min_members = 2};
    made_record record = made_record_new(map, 2, &wishes);
    for (size_t i = 0; i < record.count; i++) {
        // But in cloaks, which have nothing to tell beside what they are.
        if (record.events[i].kind == MADE_CLOAK) continue;
        record.events[i].more = "\"engine\":\"basic\",\"took_ms\":[1,2],";
    }
    size_t size = 0;
    char *text = made_text(&record, &size);
    sc_verify_report report;
    sc_diag diag = {""};
    CHECK_OK(verify(map, text, &report, &diag), &diag);
    assert_int_equal(report.violations, 0);
    free(text);
    made_record_free(&record);

    CHECK_OK(verify(map, "\n" QUERY "\r\n\n" END "\n\n", &report, &diag), &diag);
    assert_int_equal(report.queries, 1);
    assert_int_equal(report.open_at_end, 1);
    sc_map_free(map);
}

static void test_ids_beyond_32_bits_are_ids_that_the_map_has_not(void **state)
{
    (void)state;
    sc_map *map = made_town();
    sc_verify_report report;
    sc_diag diag = {""};
    const char *text =
        "{\"event\":\"cloak\",\"cloak\":0,\"t\":1,\"stars\":[99999999999999],"
        "\"segments\":[4294967295],\"border_nodes\":[4294967296],\"members\":[]}\n" END;
    CHECK_OK(verify(map, text, &report, &diag), &diag);
    assert_int_equal(report.violations, 2);
    assert_int_equal(report.violated[SC_PROMISE_P7], 1);
    assert_int_equal(report.violated[SC_PROMISE_P2], 1);  // it has no members
    sc_map_free(map);
}

// Times are rounded to microseconds before they are compared: 0.1 + 0.2 s is 0.3 s.
static void test_times_are_compared_in_whole_microseconds(void **state)
{
    (void)state;
    sc_map *map = made_town();
    sc_verify_report report;
    sc_diag diag = {""};
    static const char *const ends[] = {"0.3", "0.30000000000000004", "0.3000004", "0.300001"};
    for (size_t i = 0; i < 4; i++) {
        char text[1024];
        snprintf(text, sizeof text,
                 "{\"event\":\"query\",\"query\":\"q\",\"user\":\"u\",\"t\":0.1,\"edge\":0,"
                 "\"offset_m\":0,\"segment\":0,\"profile\":{\"k\":1,\"l\":1,\"sigma_s\":0,"
                 "\"sigma_t\":0.2},\"request\":{\"type\":\"range\",\"radius_m\":5}}\n"
                 "{\"event\":\"end\",\"t\":%s}\n",
                 ends[i]);
        CHECK_OK(verify(map, text, &report, &diag), &diag);
        // It is overdue once the end is later than its deadline.
        assert_int_equal(report.overdue, i == 3);
        assert_int_equal(report.violated[SC_PROMISE_P8], i == 3);
    }
    sc_map_free(map);
}

static void test_an_expiry_in_the_very_moment_of_the_deadline_is_in_order(void **state)
{
    (void)state;
    sc_map *map = made_town();
    sc_verify_report report;
    sc_diag diag = {""};
    const char *drop = "{\"event\":\"drop\",\"query\":\"q1\",\"t\":3.0,\"reason\":\"expired\"}\n"
                       "{\"event\":\"end\",\"t\":3.0}\n";
    char text[1024];
    snprintf(text, sizeof text, "%s%s", QUERY, drop);
    CHECK_OK(verify(map, text, &report, &diag), &diag);
    assert_int_equal(report.violations, 0);
    assert_int_equal(report.drops, 1);
    sc_map_free(map);
}

static void test_a_reason_may_be_any_word(void **state)
{
    (void)state;
    sc_map *map = made_town();
    sc_verify_report report;
    sc_diag diag = {""};
    CHECK_OK(verify(map,
                    QUERY
                    "{\"event\":\"drop\",\"query\":\"q1\",\"t\":1.5,\"reason\":\"overload\"}\n" END,
                    &report, &diag),
             &diag);
    assert_int_equal(report.violations, 0);
    sc_map_free(map);
}

// --- Where it comes from ---------------------------------------------------------------

static void pack_gzip(const char *path, const char *text, size_t size)
{
    gzFile out = gzopen(path, "wb");
    assert_non_null(out);
    assert_int_equal(gzwrite(out, text, (unsigned)size), size);
    assert_int_equal(gzclose(out), Z_OK);
}

static void test_a_record_is_read_from_a_file_packed_or_not(void **state)
{
    (void)state;
    sc_map *map = made_town();
    const made_wishes wishes = {.cloaks = 10, .min_members = 2};
    made_record record = made_record_new(map, 4, &wishes);
    size_t size = 0;
    char *text = made_text(&record, &size);
    place p = place_new();
    const char *plain = place_write(&p, "run.jsonl", text, size);
    const char *packed = place_path(&p, "run.jsonl.gz");
    pack_gzip(packed, text, size);
    const sc_verify_options options = sc_verify_options_default();
    sc_verify_report report;
    sc_diag diag = {""};
    const char *const paths[] = {plain, packed};
    for (size_t i = 0; i < 2; i++) {
        CHECK_OK(sc_record_verify(map, paths[i], &options, &report, &diag), &diag);
        assert_int_equal(report.cloaks, 10);
        assert_int_equal(report.violations, 0);
    }
    CHECK_REFUSED(sc_record_verify(map, place_path(&p, "absent"), &options, &report, &diag), SC_EIO,
                  &diag, "absent: cannot read: No such file");
    place_free(&p);
    free(text);
    made_record_free(&record);
    sc_map_free(map);
}

static void count_reports(void *context, const char *phase, uint64_t done, uint64_t total)
{
    assert_non_null(phase);
    assert_true(done <= total);
    ++*(unsigned *)context;
}

static void test_progress_is_told_now_and_then(void **state)
{
    (void)state;
    sc_map *map = made_town();
    const made_wishes wishes = {.cloaks = 40, .min_members = 2, .has_answers = true};
    made_record record = made_record_new(map, 4, &wishes);
    size_t size = 0;
    char *text = made_text(&record, &size);
    const sc_input input = {"run.jsonl", (const uint8_t *)text, size};
    unsigned reports = 0;
    const sc_verify_options options = {.answer_sample = 33, .progress = {count_reports, &reports}};
    sc_verify_report report;
    CHECK_OK(sc__verify_input(map, &input, &options, &report, NULL), NULL);
    assert_int_equal(report.checked[SC_PROMISE_ANSWERS], 33);
    assert_int_equal(reports, 3);  // before the answers 1, 17 and 33
    free(text);
    made_record_free(&record);
    sc_map_free(map);
}

// --- The order of members, over a whole record -----------------------------------------

static void test_a_record_whose_members_are_listed_as_they_came_breaks_p6(void **state)
{
    (void)state;
    sc_map *map = made_town();
    for (int is_in_order = 0; is_in_order < 2; is_in_order++) {
        const made_wishes wishes = {.cloaks = 150, .min_members = 2, .is_in_order = is_in_order};
        made_record record = made_record_new(map, 6, &wishes);
        size_t size = 0;
        char *text = made_text(&record, &size);
        sc_verify_report report;
        sc_diag diag = {""};
        CHECK_OK(verify(map, text, &report, &diag), &diag);
        assert_int_equal(report.violations, report.violated[SC_PROMISE_P6]);
        if (is_in_order) {
            assert_int_equal(report.violations, 2);
            CHECK_CONTAINS(report.shown[0].text, "over 150 cloaks, the order of members follows");
            assert_int_equal(report.shown[0].line, record.count);
        } else {
            assert_int_equal(report.violations, 0);
        }
        free(text);
        made_record_free(&record);
    }
    sc_map_free(map);
}

static void test_the_order_of_a_few_cloaks_says_nothing(void **state)
{
    (void)state;
    sc_map *map = made_town();
    for (uint32_t more = 0; more < 2; more++) {
        const made_wishes wishes = {
            .cloaks = SC_ORDER_MIN_CLOAKS - 1 + more, .min_members = 3, .is_in_order = true};
        made_record record = made_record_new(map, 6, &wishes);
        size_t size = 0;
        char *text = made_text(&record, &size);
        sc_verify_report report;
        sc_diag diag = {""};
        CHECK_OK(verify(map, text, &report, &diag), &diag);
        assert_int_equal(report.violations, 2 * more);
        assert_int_equal(report.violated[SC_PROMISE_P6], 2 * more);
        free(text);
        made_record_free(&record);
    }
    sc_map_free(map);
}

static const struct CMUnitTest tests[] = {
    SC_CASES(test_what_is_no_record_is_refused_with_the_line_and_the_field),
    SC_CASES(test_every_field_of_a_query_is_asked_for_and_none_is_repeated),
    SC_CASES(test_needs_that_no_admission_lets_pass_are_refused),
    cmocka_unit_test(test_a_line_that_is_not_json_is_not_repeated),
    cmocka_unit_test(test_unknown_fields_and_empty_lines_are_passed_over),
    cmocka_unit_test(test_ids_beyond_32_bits_are_ids_that_the_map_has_not),
    cmocka_unit_test(test_times_are_compared_in_whole_microseconds),
    cmocka_unit_test(test_an_expiry_in_the_very_moment_of_the_deadline_is_in_order),
    cmocka_unit_test(test_a_reason_may_be_any_word),
    cmocka_unit_test(test_a_record_is_read_from_a_file_packed_or_not),
    cmocka_unit_test(test_progress_is_told_now_and_then),
    cmocka_unit_test(test_a_record_whose_members_are_listed_as_they_came_breaks_p6),
    cmocka_unit_test(test_the_order_of_a_few_cloaks_says_nothing),
};
SC_SUITE(tests)
