// Requests to a provider: problem documents are made safe, and pauses between tries grow.
#include "courier/provider_request.h"

#include "support/check.h"

// --- Problem documents --------------------------------------------------------------------------

static const char type[] = "application/problem+json";

static sc__title title_of(const char *body)
{
    return sc__problem_title(type, body, strlen(body));
}

static void test_the_title_of_a_problem_is_shown(void **state)
{
    (void)state;
    const char body[] = "{\"status\":422,\"title\":\"request 1: no such category\"}";
    assert_string_equal(title_of(body).text, "request 1: no such category");
    const sc__title with_parameter =
        sc__problem_title("Application/Problem+JSON; charset=utf-8", body, sizeof body - 1);
    assert_string_equal(with_parameter.text, "request 1: no such category");
}

static void test_what_a_terminal_could_misread_is_not_shown(void **state)
{
    (void)state;
    assert_string_equal(title_of("{\"title\":\"a\\u001b[31mb\\n\\u00fc\\u007f\"}").text,
                        "a?[31mb????");
}

static void test_a_long_title_is_cut(void **state)
{
    (void)state;
    char body[1024];
    memset(body, 'x', sizeof body);
    memcpy(body, "{\"title\":\"", 10);
    memcpy(body + sizeof body - 3, "\"}", 3);
    const sc__title title = title_of(body);
    assert_int_equal(strlen(title.text), SC__TITLE_SIZE - 1);
    assert_string_equal(title.text + SC__TITLE_SIZE - 5, "x...");
    // One that just fits is whole.
    body[10 + SC__TITLE_SIZE - 4] = '"';
    body[11 + SC__TITLE_SIZE - 4] = '}';
    body[12 + SC__TITLE_SIZE - 4] = '\0';
    assert_int_equal(strlen(title_of(body).text), SC__TITLE_SIZE - 4);
    assert_null(strchr(title_of(body).text, '.'));
}

static void test_what_is_no_problem_document_shows_nothing(void **state)
{
    (void)state;
    const char *const bodies[] = {"",
                                  "{",
                                  "[]",
                                  "\"title\"",
                                  "{\"title\":7}",
                                  "{\"titel\":\"x\"}",
                                  "{\"title\":\"x\",\"title\":\"y\"}",
                                  "\xff\xfe"};
    for (size_t i = 0; i < sizeof bodies / sizeof bodies[0]; i++) {
        assert_string_equal(title_of(bodies[i]).text, "");
    }
    assert_string_equal(sc__problem_title(type, NULL, 0).text, "");
    assert_string_equal(sc__problem_title(NULL, "{\"title\":\"x\"}", 13).text, "");
    assert_string_equal(sc__problem_title("text/html", "{\"title\":\"x\"}", 13).text, "");
}

static void test_a_media_type_is_known_whatever_its_parameters(void **state)
{
    (void)state;
    assert_true(sc__is_media_type("a/b", "a/b"));
    assert_true(sc__is_media_type("A/B;version=2", "a/b"));
    assert_true(sc__is_media_type("a/b ; x", "a/b"));
    assert_false(sc__is_media_type("a/bc", "a/b"));
    assert_false(sc__is_media_type("a", "a/b"));
    assert_false(sc__is_media_type("", "a/b"));
    assert_false(sc__is_media_type(NULL, "a/b"));
}

// --- When to try again --------------------------------------------------------------------------

#define SECOND INT64_C(1000000)

static void test_only_what_may_pass_is_tried_again(void **state)
{
    (void)state;
    const int passing[] = {408, 429, 500, 502, 503, 504};
    size_t found = 0;
    for (int status = 100; status < 600; status++) {
        if (!sc__retry_may_help(status)) continue;
        assert_true(found < sizeof passing / sizeof passing[0]);
        assert_int_equal(status, passing[found++]);
    }
    assert_int_equal(found, sizeof passing / sizeof passing[0]);
}

static void test_the_pause_doubles_up_to_the_longest(void **state)
{
    (void)state;
    const int64_t wanted[] = {100000, 200000, 400000, 800000, 1600000, 3200000, 3200000, 3200000};
    for (unsigned tries = 1; tries <= 8; tries++) {
        // Without luck it is the half, and with all the luck there is nearly the whole.
        assert_int_equal(sc__retry_at(tries, 0, 7, 1000 * SECOND, 0.0), 7 + wanted[tries - 1] / 2);
        const int64_t late = sc__retry_at(tries, 0, 7, 1000 * SECOND, 0.999999);
        assert_true(late > 7 + wanted[tries - 1] * 99 / 100 && late <= 7 + wanted[tries - 1]);
    }
    assert_int_equal(sc__retry_at(4000000000u, 0, 0, 1000 * SECOND, 0.0), 1600000);
}

static void test_a_provider_that_sends_when_is_not_asked_before(void **state)
{
    (void)state;
    assert_int_equal(sc__retry_at(1, 2 * SECOND, 0, 10 * SECOND, 0.0), 2 * SECOND);
    // Those who were told the same do not come back at the same moment.
    assert_int_equal(sc__retry_at(1, 2 * SECOND, 0, 10 * SECOND, 0.5), 2 * SECOND + 25000);
    // One that is in a hurry is not hammered either.
    assert_int_equal(sc__retry_at(6, 1, 0, 10 * SECOND, 0.0), 1600000);
}

static void test_there_is_no_try_at_or_beyond_the_deadline(void **state)
{
    (void)state;
    assert_int_equal(sc__retry_at(1, 0, 0, 50001, 0.0), 50000);
    assert_true(sc__retry_at(1, 0, 0, 50000, 0.0) == SC__RETRY_NEVER);
    assert_true(sc__retry_at(1, 0, 100, 90, 0.0) == SC__RETRY_NEVER);
    assert_true(sc__retry_at(1, 0, 0, 74999, 0.5) == SC__RETRY_NEVER);
    assert_int_equal(sc__retry_at(1, 0, 0, 75001, 0.5), 75000);
    // However long the provider wants to be left alone.
    assert_true(sc__retry_at(1, INT64_MAX, 0, 10 * SECOND, 0.9) == SC__RETRY_NEVER);
    assert_true(sc__retry_at(1, 86400 * SECOND, INT64_MAX - 5, INT64_MAX - 1, 0.9) ==
                SC__RETRY_NEVER);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_the_title_of_a_problem_is_shown),
    cmocka_unit_test(test_what_a_terminal_could_misread_is_not_shown),
    cmocka_unit_test(test_a_long_title_is_cut),
    cmocka_unit_test(test_what_is_no_problem_document_shows_nothing),
    cmocka_unit_test(test_a_media_type_is_known_whatever_its_parameters),
    cmocka_unit_test(test_only_what_may_pass_is_tried_again),
    cmocka_unit_test(test_the_pause_doubles_up_to_the_longest),
    cmocka_unit_test(test_a_provider_that_sends_when_is_not_asked_before),
    cmocka_unit_test(test_there_is_no_try_at_or_beyond_the_deadline),
};
SC_SUITE(tests)
