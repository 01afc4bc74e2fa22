// Problem details: always JSON, always whole, with what RFC 9457 asks for.
#include "api/problem_details.h"

#include "support/check.h"

#include <jansson.h>

static json_t *written(const sc_problem *problem)
{
    char text[2048];
    const size_t size = sc_problem_write(problem, text, sizeof text);
    json_t *json = json_loadb(text, size, JSON_REJECT_DUPLICATES, NULL);
    if (!json) fail_msg("not JSON: %.*s", (int)size, text);
    return json;
}

static const char *word(const json_t *json, const char *name)
{
    return json_string_value(json_object_get(json, name));
}

static void test_every_kind_has_a_type_a_title_and_its_status(void **state)
{
    (void)state;
    for (int kind = 0; kind < SC_PROBLEM_COUNT; kind++) {
        sc_problem problem;
        assert_false(sc_problem_set(&problem, (sc_problem_kind)kind, NULL, "%s", ""));
        json_t *json = written(&problem);
        CHECK_CONTAINS(word(json, "type"), "urn:starcloak:problem:");
        assert_true(strlen(word(json, "title")) > 10);
        const int status = sc_problem_status((sc_problem_kind)kind);
        assert_true(status >= 400 && status < 600);
        assert_int_equal(json_integer_value(json_object_get(json, "status")), status);
        // Nothing to add: nothing is added.
        assert_int_equal(json_object_size(json), 3);
        json_decref(json);
    }
    assert_int_equal(sc_problem_status(SC_PROBLEM_OFF_ROAD), 422);
    assert_int_equal(sc_problem_status(SC_PROBLEM_PENDING), 429);
}

static void test_the_field_and_the_detail_are_told(void **state)
{
    (void)state;
    sc_problem problem;
    sc_problem_set(&problem, SC_PROBLEM_PROFILE, "/profile/k", "k is %d; this service takes %s", 1,
                   "\"2\" to 1000");
    json_t *json = written(&problem);
    assert_string_equal(word(json, "type"), "urn:starcloak:problem:profile");
    assert_string_equal(word(json, "field"), "/profile/k");
    assert_string_equal(word(json, "detail"), "k is 1; this service takes \"2\" to 1000");
    assert_null(word(json, "outcome"));
    json_decref(json);
}

static void test_a_query_that_failed_says_so(void **state)
{
    (void)state;
    sc_problem problem;
    sc_problem_set(&problem, SC_PROBLEM_PROVIDER_TIMEOUT, NULL, "ask again");
    problem.outcome = "failed";
    problem.reason = "provider_timeout";
    json_t *json = written(&problem);
    assert_string_equal(word(json, "outcome"), "failed");
    assert_string_equal(word(json, "reason"), "provider_timeout");
    assert_int_equal(json_integer_value(json_object_get(json, "status")), 504);
    json_decref(json);
}

static void test_the_longest_problem_is_written_whole(void **state)
{
    (void)state;
    char worst[400];
    memset(worst, 0x01, sizeof worst - 1);
    worst[sizeof worst - 1] = '\0';
    for (int kind = 0; kind < SC_PROBLEM_COUNT; kind++) {
        sc_problem problem;
        sc_problem_set(&problem, (sc_problem_kind)kind, "/a/field/that/is/forty/bytes/long/or/so",
                       "%s", worst);
        problem.outcome = "failed";
        problem.reason = "provider_unbelievable";
        json_t *json = written(&problem);
        assert_int_equal(strlen(word(json, "detail")), sizeof problem.detail - 1);
        assert_string_equal(word(json, "reason"), "provider_unbelievable");
        json_decref(json);
    }
}

static void test_a_problem_is_cut_where_there_is_no_room(void **state)
{
    (void)state;
    sc_problem problem;
    sc_problem_set(&problem, SC_PROBLEM_RATE, NULL, "ask again");
    char text[32];
    memset(text, 'x', sizeof text);
    assert_int_equal(sc_problem_write(&problem, text, 20), 20);
    assert_memory_equal(text, "{\"type\":\"urn:starcloxxxx", 24);
}

static void test_the_server_has_words_for_each_status(void **state)
{
    (void)state;
    static const struct {
        int status;
        int told;
    } cases[] = {{400, 400}, {408, 408}, {413, 413}, {417, 417}, {431, 431},
                 {500, 500}, {501, 501}, {503, 503}, {418, 500}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[2048];
        const size_t size = sc_problem_of_server(NULL, cases[i].status, text, sizeof text);
        json_t *json = json_loadb(text, size, 0, NULL);
        assert_non_null(json);
        assert_int_equal(json_integer_value(json_object_get(json, "status")), cases[i].told);
        json_decref(json);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_every_kind_has_a_type_a_title_and_its_status),
    cmocka_unit_test(test_the_field_and_the_detail_are_told),
    cmocka_unit_test(test_a_query_that_failed_says_so),
    cmocka_unit_test(test_the_longest_problem_is_written_whole),
    cmocka_unit_test(test_a_problem_is_cut_where_there_is_no_room),
    cmocka_unit_test(test_the_server_has_words_for_each_status),
};
SC_SUITE(tests)
