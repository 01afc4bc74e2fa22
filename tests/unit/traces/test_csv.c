// CSV traces: headers, quotes, two ways to write a time, and what is said about bad files, word by
// word.
#include "support/check.h"
#include "support/trace_texts.h"

#include "traces/trace_readers.h"

#include <stdio.h>
#include <time.h>

static void test_a_header_names_the_columns_in_any_order_and_case(void **state)
{
    (void)state;
    static const char *const same[] = {
        "id,t,lon,lat\na,3,8,49\nb,4,9,50\n",
        "id,t,x,y\na,3,8,49\nb,4,9,50\n",
        "lat,lon,t,id\n49,8,3,a\n50,9,4,b\n",
        "ID,T,Lon,LAT\na,3,8,49\nb,4,9,50",
        "speed,id,t,note,lon,lat\n,a,3,,8,49\n1,b,4,x,9,50\n",
        "id,t,lon,lat,note\na,3,8,49\nb,4,9,50,\"c,d\"\n",
        "id,t,x,y,lon,lat\na,3,1,2,8,49\nb,4,1,2,9,50\n",
        "id,t,lon,lat,x\na,3,8,49,1\nb,4,9,50,1\n",
        "\xef\xbb\xbfid,t,lon,lat\r\na,3,8,49\r\nb,4,9,50\r\n",
        "\n\nid,t,lon,lat\n\na,3,8,49\n \t\nb,4,9,50\n\n",
        " id , t , lon , lat \n a ,\t3, 8 , 49 \n b ,4,9,50\n",
        "\"id\",\"t\",\"lon\",\"lat\"\n\"a\",\"3\",\"8\",\"49\"\n\"b\",4,9,50\n",
        "id,t,lon,lat\nb,4,9,50\na,3,8,49\n",
    };
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        check_case(i);
        sc_traces *traces = good_traces("t.csv", same[i]);
        check_traces(traces, 2);
        CHECK_TRACK(traces, 0, "a", {3, 8, 49});
        CHECK_TRACK(traces, 1, "b", {4, 9, 50});
        assert_int_equal(sc_traces_summary_of(traces).format, SC_TRACE_CSV);
        sc_traces_free(traces);
    }
    check_case_done();
}

static void test_quotes_protect_commas_quotes_and_blanks(void **state)
{
    (void)state;
    sc_traces *traces = good_traces("t.csv", "id,t,lon,lat\n"
                                             "\"a, b\",1,2,3\n"
                                             "\"say \"\"hi\"\"\",1,4,5\n"
                                             "\" a \",1,6,7\n"
                                             "plain \"quote\",1,8,9\n");
    check_traces(traces, 4);
    CHECK_TRACK(traces, 0, " a ", {1, 6, 7});
    CHECK_TRACK(traces, 1, "a, b", {1, 2, 3});
    CHECK_TRACK(traces, 2, "plain \"quote\"", {1, 8, 9});
    CHECK_TRACK(traces, 3, "say \"hi\"", {1, 4, 5});
    sc_traces_free(traces);
}

static void test_ids_may_be_any_utf8(void **state)
{
    (void)state;
    sc_traces *traces = good_traces("t.csv", "id,t,lon,lat\n\xc3\xa9t\xc3\xa9,1,2,3\n"
                                             "\xf0\x9f\x9a\x95,1,2,3\n");
    check_traces(traces, 2);
    CHECK_TRACK(traces, 0, "\xc3\xa9t\xc3\xa9", {1, 2, 3});
    CHECK_TRACK(traces, 1, "\xf0\x9f\x9a\x95", {1, 2, 3});
    sc_traces_free(traces);
}

static void test_fixes_at_one_moment_leave_the_first(void **state)
{
    (void)state;
    sc_traces *traces = good_traces("t.csv", "id,t,x,y\na,2,1,1\na,1,2,2\na,2,3,3\nb,2,4,4\n"
                                             "a,1970-01-01T00:00:01Z,5,5\na,0,6,6\na,-0,7,7\n");
    check_traces(traces, 2);
    CHECK_TRACK(traces, 0, "a", {0, 6, 6}, {1, 2, 2}, {2, 1, 1});
    CHECK_TRACK(traces, 1, "b", {2, 4, 4});
    assert_int_equal(sc_traces_summary_of(traces).same_time_count, 3);
    sc_traces_free(traces);
}

static void test_bad_files_are_refused_with_line_and_field(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *message;
    } bad[] = {
        {"id,lon,lat\n", "t.csv:1: the header has no column 't'; write id,t,lon,lat or id,t,x,y"},
        {"\nt,lon,lat\n", "t.csv:2: the header has no column 'id'; write id,t,lon,lat or id,t,x,y"},
        {"id,t,lat,x\n", "t.csv:1: the header has no column 'lon'; write id,t,lon,lat or id,t,x,y"},
        {"id,t,lon,y\n", "t.csv:1: the header has no column 'lat'; write id,t,lon,lat or id,t,x,y"},
        {"a,3,8,49\n", "t.csv:1: the header has no column 'id'; write id,t,lon,lat or id,t,x,y"},
        {"id,t,lon,lat,T\n", "t.csv:1: field 't' is named twice in the header"},
        {"", "t.csv: the file is empty; it must begin with a header id,t,lon,lat"},
        {"id,t,lon,lat\n,1,2,3\n", "t.csv:2: field 'id' is empty"},
        {"id,t,lon,lat\n\xff,1,2,3\n", "t.csv:2: field 'id' is not UTF-8"},
        {"id,t,lon,lat\na\x1b[2J,1,2,3\n", "t.csv:2: field 'id' contains a control character"},
        {"id,t,lon,lat\na,soon,2,3\n",
         "t.csv:2: field 't' is neither a number of seconds nor a time of UTC like "
         "2008-06-04T00:00:00Z"},
        {"id,t,lon,lat\na,1,x,3\n", "t.csv:2: field 'lon' is not a number"},
        {"id,t,lon,lat\na,1,2,NaN\n", "t.csv:2: field 'lat' is not a number"},
        {"id,t,x,y\na,1,,3\n", "t.csv:2: field 'x' is not a number"},
        {"id,t,x,y\na,1,2,1e400\n", "t.csv:2: field 'y' is not a number"},
        {"id,t,lon,lat\n\na,1,2\n", "t.csv:3: field 'lat' is missing"},
        {"lon,lat,t,id\n1,2,3\n", "t.csv:2: field 'id' is missing"},
        {"id,t,lon,lat\na,1,2,3,4\n",
         "t.csv:2: more fields than the header has; put a text with a comma in double quotes"},
        {"id,t,lon,lat\n\"a,1,2,3\n",
         "t.csv:2: field 1 begins with a quote and does not end with one"},
        {"id,t,lon,lat\na,\"1\"x,2,3\n",
         "t.csv:2: field 2 begins with a quote and does not end with one"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        check_case(i);
        check_traces_refused("t.csv", bad[i].text, SC_TRACE_CSV, SC_EPARSE, bad[i].message);
    }
    check_case_done();
}

// A line that begins with many of one letter.
static void check_many_refused(char letter, size_t count, const char *rest, const char *message)
{
    char *many = test_take(count + 1, 1);
    memset(many, letter, count);
    char *text = NULL;
    assert_true(asprintf(&text, "id,t,lon,lat\n%s%s\n", many, rest) > 0);
    check_traces_refused("t.csv", text, SC_TRACE_ANY, SC_EPARSE, message);
    free(text);
    free(many);
}

static void test_too_much_of_anything_is_refused(void **state)
{
    (void)state;
    check_many_refused('a', 256, ",1,2,3", "t.csv:2: field 'id' is longer than 255 bytes");
    check_many_refused(',', 64, "", "t.csv:2: more than 64 fields");
    check_many_refused(' ', SC__TRACE_MAX_LINE, "a,1,2,3",
                       "t.csv:2: the line is too long for a trace");
}

static void test_a_header_without_lines_has_no_fix(void **state)
{
    (void)state;
    check_traces_refused("t.csv", "id,t,lon,lat\n", SC_TRACE_ANY, SC_EINVAL,
                         "t.csv: the traces have no fix");
}

// --- Times -------------------------------------------------------------------------------------

static bool time_of(const char *text, double *out)
{
    return sc__csv_time((sc_slice){text, strlen(text)}, out);
}

static void test_times_are_seconds_or_a_calendars(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double seconds;
    } good[] = {
        {"0", 0},
        {"-12.5", -12.5},
        {"1.2125628e9", 1212562800},
        {"1970-01-01T00:00:00Z", 0},
        {"1969-12-31T23:59:59.5Z", -0.5},
        {"2008-06-04T07:00:00Z", 1212562800},
        {"2008-06-04T07:00:00.250Z", 1212562800.25},
        {"2000-02-29T12:34:56Z", 951827696},
        {"2000-03-01T00:00:00Z", 951868800},
        {"1900-03-01T00:00:00Z", -2203891200.0},
        {"2100-12-31T23:59:59Z", 4133980799.0},
        {"0000-01-01T00:00:00Z", -62167219200.0},
        {"0000-02-29T00:00:00Z", -62162121600.0},
        {"0000-03-01T00:00:00Z", -62162035200.0},
        {"9999-12-31T23:59:59Z", 253402300799.0},
    };
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        check_case(i);
        double seconds = NOT_A_NUMBER;
        assert_true(time_of(good[i].text, &seconds));
        CHECK_SAME(seconds, good[i].seconds);
    }
    check_case_done();
}

static void test_every_day_is_where_the_c_library_has_it(void **state)
{
    (void)state;
    enum { FIRST = -719528, LAST = 2900000, STRIDE = 97 };  // of the years 0 to 9999
    for (int64_t day = FIRST; day < LAST; day += STRIDE) {
        check_case((uint64_t)(day - FIRST));
        const time_t moment = (time_t)(day * 86400 + 12345);
        struct tm parts;
        assert_non_null(gmtime_r(&moment, &parts));
        char text[64];
        snprintf(text, sizeof text, "%04d-%02d-%02dT%02d:%02d:%02dZ", parts.tm_year + 1900,
                 parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec);
        double seconds = NOT_A_NUMBER;
        assert_true(time_of(text, &seconds));
        CHECK_SAME(seconds, (double)moment);
    }
    check_case_done();
}

static void test_what_is_no_time_is_none(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "",
        "now",
        "nan",
        "inf",
        "1e999",
        "0x10",
        "12:00:00",
        "2008-06-04",
        "2008-06-04T07:00:00",
        "2008-06-04 07:00:00Z",
        "2008-06-04T07:00:00z",
        "2008-06-04T07:00:00+02:00",
        "2008-06-04T07:00Z",
        "2008-13-04T07:00:00Z",
        "2008-00-04T07:00:00Z",
        "2008-06-00T07:00:00Z",
        "2008-06-31T07:00:00Z",
        "2007-02-29T07:00:00Z",
        "1900-02-29T07:00:00Z",
        "2008-06-04T24:00:00Z",
        "2008-06-04T07:60:00Z",
        "2008-06-04T07:00:60Z",
        "2008/06/04T07:00:00Z",
        "2008-06-04T07.00.00Z",
        "2008-06-04T07:00:00.Z",
        "2008-06-04T07:00:00,5Z",
        "2008-06-04T07:00:00.5e3Z",
        "2008-06-04T07:00:00.5.5Z",
        "2008-06-04T07:00:00.1234567890123456Z",
        "+008-06-04T07:00:00Z",
        "20080-6-04T07:00:00Z",
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        check_case(i);
        double seconds = 0.0;
        assert_false(time_of(bad[i], &seconds));
    }
    check_case_done();
}

static const struct CMUnitTest tests[] = {
    SC_CASES(test_a_header_names_the_columns_in_any_order_and_case),
    cmocka_unit_test(test_quotes_protect_commas_quotes_and_blanks),
    cmocka_unit_test(test_ids_may_be_any_utf8),
    cmocka_unit_test(test_fixes_at_one_moment_leave_the_first),
    SC_CASES(test_bad_files_are_refused_with_line_and_field),
    cmocka_unit_test(test_too_much_of_anything_is_refused),
    cmocka_unit_test(test_a_header_without_lines_has_no_fix),
    SC_CASES(test_times_are_seconds_or_a_calendars),
    SC_CASES(test_every_day_is_where_the_c_library_has_it),
    SC_CASES(test_what_is_no_time_is_none),
};
SC_SUITE(tests)
