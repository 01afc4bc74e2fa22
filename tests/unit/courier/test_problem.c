// What is shown of a provider's excuse: its title, short and printable, and nothing else.
#include "courier/provider_request.h"

#include "support/check.h"

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

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_the_title_of_a_problem_is_shown),
    cmocka_unit_test(test_what_a_terminal_could_misread_is_not_shown),
    cmocka_unit_test(test_a_long_title_is_cut),
    cmocka_unit_test(test_what_is_no_problem_document_shows_nothing),
    cmocka_unit_test(test_a_media_type_is_known_whatever_its_parameters),
};
SC_SUITE(tests)
