// Brinkhoff's text output: events, ids that are used again, steps of time, and what is said about
// bad files, word by word.
#include "support/check.h"
#include "support/trace_texts.h"

#include <stdio.h>

static void test_objects_that_take_turns_are_told_apart(void **state)
{
    (void)state;
    sc_traces *traces = good_traces("b.dat", "newpoint\t0\t1\t2\t0\t10.5\t20\t3.5\t11\t20\n"
                                             "newpoint\t7\t1\t0\t0\t50\t60\t3.5\t51\t61\n"
                                             "point\t0\t2\t2\t1\t11.5\t20\t3.5\t11\t20\n"
                                             "disappearpoint\t7\t2\t0\t1\t51\t61\t3.5\t51\t61\n"
                                             "point\t0\t3\t2\t2\t12.5\t20\t3.5\t11\t20\n");
    check_traces(traces, 2);
    CHECK_TRACK(traces, 0, "0", {0, 10.5, 20}, {1, 11.5, 20}, {2, 12.5, 20});
    CHECK_TRACK(traces, 1, "7", {0, 50, 60}, {1, 51, 61});
    assert_int_equal(sc_traces_summary_of(traces).format, SC_TRACE_BRINKHOFF);
    sc_traces_free(traces);
}

static void test_an_id_that_comes_again_is_another_vehicle(void **state)
{
    (void)state;
    sc_traces *traces = good_traces("b.dat", "newpoint 1 1 0 0 1 1 0 0 0\n"
                                             "disappearpoint 1 2 0 1 2 2 0 0 0\n"
                                             "newpoint 1 1 0 5 3 3 0 0 0\n"
                                             "point 1 2 0 6 4 4 0 0 0\n"
                                             "newpoint 1 1 0 6 5 5 0 0 0\n"
                                             "disappearpoint 1 2 0 7 6 6 0 0 0\n"
                                             "point 1 9 0 8 7 7 0 0 0\n");
    check_traces(traces, 4);
    CHECK_TRACK(traces, 0, "1", {0, 1, 1}, {1, 2, 2});
    CHECK_TRACK(traces, 1, "1/2", {5, 3, 3}, {6, 4, 4});
    CHECK_TRACK(traces, 2, "1/3", {6, 5, 5}, {7, 6, 6});
    CHECK_TRACK(traces, 3, "1/4", {8, 7, 7});
    assert_int_equal(sc_traces_summary_of(traces).same_time_count, 0);
    sc_traces_free(traces);
}

static void test_an_object_may_be_there_from_the_beginning(void **state)
{
    (void)state;
    sc_traces *traces = good_traces("b.dat", "point 3 5 0 9 1 2\npoint 3 6 0 10 3 4\n");
    check_traces(traces, 1);
    CHECK_TRACK(traces, 0, "3", {9, 1, 2}, {10, 3, 4});
    sc_traces_free(traces);
}

static void test_time_counts_steps(void **state)
{
    (void)state;
    static const char text[] = "newpoint 1 1 0 0 1 1\npoint 1 2 0 3 2 2\n";
    sc_traces_options options = sc_traces_options_default();
    options.step_s = 2.5;
    sc_traces *traces = NULL;
    sc_diag diag = {""};
    CHECK_OK(parse_traces("b", text, strlen(text), &options, &traces, &diag), &diag);
    CHECK_TRACK(traces, 0, "1", {0, 1, 1}, {7.5, 2, 2});
    assert_true(sc_traces_summary_of(traces).last_s == 7.5);
    sc_traces_free(traces);

    options.step_s = 1e300;
    static const char late[] = "newpoint 1 1 0 1e300 1 1\n";
    traces = NULL;
    CHECK_REFUSED(parse_traces("b", late, strlen(late), &options, &traces, &diag), SC_EPARSE, &diag,
                  "b:1: field 'time' is too large");
}

static void test_a_step_must_take_time(void **state)
{
    (void)state;
    static const double bad[] = {0.0, -1.0, NOT_A_NUMBER, __builtin_inf()};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        sc_traces_options options = sc_traces_options_default();
        options.step_s = bad[i];
        sc_traces *traces = NULL;
        sc_diag diag = {""};
        CHECK_REFUSED(sc_traces_parse("", 0, "b", &options, &traces, &diag), SC_EINVAL, &diag,
                      "the number of seconds per step must be above 0");
    }
}

static void test_bad_files_are_refused_with_line_and_field(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *message;
    } bad[] = {
        {"point 1 1 0 0 1 1\nmbr 1 1 0 0 1 1\n",
         "b:2: field 'event' is not one of newpoint, point and disappearpoint"},
        {"Point 1 1 0 0 1 1\n",
         "b:1: field 'event' is not one of newpoint, point and disappearpoint"},
        {"point x 1 0 0 1 1\n", "b:1: field 'id' is not a whole number"},
        {"point -1 1 0 0 1 1\n", "b:1: field 'id' is not a whole number"},
        {"point 1 1.5 0 0 1 1\n", "b:1: field 'sequence' is not a whole number"},
        {"point 1 1 car 0 1 1\n", "b:1: field 'class' is not a whole number"},
        {"point 1 1 0 ? 1 1\n", "b:1: field 'time' is not a number"},
        {"point 1 1 0 0 nan 1\n", "b:1: field 'x' is not a number"},
        {"point 1 1 0 0 1 -inf\n", "b:1: field 'y' is not a number"},
        {"point 1 1 0 0 1\n", "b:1: field 'y' is missing"},
        {"point 1 1 0 0\n", "b:1: field 'x' is missing"},
        {"point 1 1 0\n", "b:1: field 'time' is missing"},
        {"point 1\n", "b:1: field 'sequence' is missing"},
        {"point\n", "b:1: field 'id' is missing"},
        {"point 1 1 0 0 1 1 fast\n", "b:1: field 'speed' is not a number"},
        {"point 1 1 0 0 1 1 3 a\n", "b:1: field 'next x' is not a number"},
        {"point 1 1 0 0 1 1 3 1 b\n", "b:1: field 'next y' is not a number"},
        {"point 1 1 0 0 1 1 3 1 1 1\n", "b:1: more fields than Brinkhoff's output has"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        check_case(i);
        check_traces_refused("b", bad[i].text, SC_TRACE_BRINKHOFF, SC_EPARSE, bad[i].message);
    }
    check_case_done();
}

static void test_an_absurdly_long_id_is_refused(void **state)
{
    (void)state;
    char text[512];
    char zeros[300];
    memset(zeros, '0', sizeof zeros - 1);
    zeros[sizeof zeros - 1] = '\0';
    snprintf(text, sizeof text, "point %s 1 0 0 1 1\n", zeros);
    check_traces_refused("b", text, SC_TRACE_ANY, SC_EPARSE,
                         "b:1: field 'id' is longer than 255 bytes");
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_objects_that_take_turns_are_told_apart),
    cmocka_unit_test(test_an_id_that_comes_again_is_another_vehicle),
    cmocka_unit_test(test_an_object_may_be_there_from_the_beginning),
    cmocka_unit_test(test_time_counts_steps),
    cmocka_unit_test(test_a_step_must_take_time),
    SC_CASES(test_bad_files_are_refused_with_line_and_field),
    cmocka_unit_test(test_an_absurdly_long_id_is_refused),
};
SC_SUITE(tests)
