// Cabspotting files: whose they are, what is in them, and what is said about bad ones, word by
// word.
#include "support/check.h"
#include "support/trace_texts.h"

static void test_a_line_is_latitude_longitude_occupancy_and_time(void **state)
{
    (void)state;
    sc_traces *traces = good_traces("new_abboip.txt", "37.75134 -122.39488 0 1213084687\n"
                                                      "37.75136 -122.39527 1 1213084719\n");
    check_traces(traces, 1);
    CHECK_TRACK(traces, 0, "abboip", {1213084687, -122.39488, 37.75134},
                {1213084719, -122.39527, 37.75136});
    assert_int_equal(sc_traces_summary_of(traces).format, SC_TRACE_CABSPOTTING);
    sc_traces_free(traces);
}

static void test_files_are_written_in_many_ways(void **state)
{
    (void)state;
    static const char *const same[] = {
        "1 2 0 3\n4 5 1 6\n",
        "1 2 0 3\n4 5 1 6",
        "1 2 0 3\r\n4 5 1 6\r\n",
        "\357\273\2771 2 0 3\n4 5 1 6\n",
        "\n \t\n1\t2\t0\t3\n\n  4   5 1 6 \n\n",
        "4 5 1 6\n1 2 0 3\n",
        "1e0 2.0 0 +3\n4. 5 1 6.000\n",
        "1 2 0 3\n4 5 1 6\n99 99 0 3\n98 98 0 6\n",
    };
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        check_case(i);
        sc_traces *traces = good_traces("a.txt", same[i]);
        check_traces(traces, 1);
        CHECK_TRACK(traces, 0, "a", {3, 2, 1}, {6, 5, 4});
        sc_traces_free(traces);
    }
    check_case_done();
}

static void test_the_files_name_is_the_cabs(void **state)
{
    (void)state;
    static const struct {
        const char *file;
        const char *cab;
    } names[] = {
        {"new_abboip.txt", "abboip"},
        {"somewhere/else/new_abboip.txt", "abboip"},
        {"new_abboip.txt.xz", "abboip"},
        {"new_abboip.TXT.gz", "abboip"},
        {"new_abboip", "abboip"},
        {"abboip.txt", "abboip"},
        {"abboip", "abboip"},
        {"renew_a.txt.txt", "renew_a.txt"},
        {"new_new_a.txt", "new_a"},
        {"new_.txt", "new_"},
        {".txt", ".txt"},
        {"\xc3\xa9 t\xc3\xa9.txt", "\xc3\xa9 t\xc3\xa9"},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        check_case(i);
        sc_traces *traces = good_traces(names[i].file, "1 2 0 3\n");
        CHECK_TRACK(traces, 0, names[i].cab, {3, 2, 1});
        sc_traces_free(traces);
    }
    check_case_done();
}

static void test_bad_files_are_refused_with_line_and_field(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *message;
    } bad[] = {
        {"1 2 0 3\n1x 2 0 4\n", "a.txt:2: field 'latitude' is not a number"},
        {"1 2 0 3\n\n1 nan 0 4\n", "a.txt:3: field 'longitude' is not a number"},
        {"1 2 0 3\n1 inf 0 4\n", "a.txt:2: field 'longitude' is not a number"},
        {"1 2 0 3\n1 1e999 0 4\n", "a.txt:2: field 'longitude' is not a number"},
        {"1 2 3 4\n", "a.txt:1: field 'occupancy' is neither 0 nor 1"},
        {"1 2 01 4\n", "a.txt:1: field 'occupancy' is neither 0 nor 1"},
        {"1 2 0 now\n", "a.txt:1: field 'time' is not a number"},
        {"1 2 0 0x10\n", "a.txt:1: field 'time' is not a number"},
        {"1 2 0\n", "a.txt:1: field 'time' is missing"},
        {"1 2\n", "a.txt:1: field 'occupancy' is missing"},
        {"1\n", "a.txt:1: field 'longitude' is missing"},
        {"1,2,0,3\n", "a.txt:1: field 'latitude' is not a number"},
        {"1 2 0 3 4\n", "a.txt:1: more fields than latitude, longitude, occupancy and time"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        check_case(i);
        check_traces_refused("a.txt", bad[i].text, SC_TRACE_CABSPOTTING, SC_EPARSE, bad[i].message);
    }
    check_case_done();
}

static void test_a_file_whose_name_cannot_be_a_cabs_is_refused(void **state)
{
    (void)state;
    check_traces_refused(
        "new_\xff.txt", "1 2 0 3\n", SC_TRACE_ANY, SC_EPARSE,
        "new_\xff.txt: the name of the file, which becomes the id of the cab, is not UTF-8");
    check_traces_refused("", "1 2 0 3\n", SC_TRACE_ANY, SC_EPARSE,
                         ": the name of the file, which becomes the id of the cab, is empty");
}

static void test_a_file_without_a_line_has_no_fix(void **state)
{
    (void)state;
    check_traces_refused("a.txt", "", SC_TRACE_CABSPOTTING, SC_EINVAL,
                         "a.txt: the traces have no fix");
    check_traces_refused("a.txt", "\n  \n", SC_TRACE_CABSPOTTING, SC_EINVAL,
                         "a.txt: the traces have no fix");
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_line_is_latitude_longitude_occupancy_and_time),
    SC_CASES(test_files_are_written_in_many_ways),
    SC_CASES(test_the_files_name_is_the_cabs),
    SC_CASES(test_bad_files_are_refused_with_line_and_field),
    cmocka_unit_test(test_a_file_whose_name_cannot_be_a_cabs_is_refused),
    cmocka_unit_test(test_a_file_without_a_line_has_no_fix),
};
SC_SUITE(tests)
