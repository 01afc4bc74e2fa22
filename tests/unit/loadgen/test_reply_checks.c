// Replies to a query, and what is thought of them.
#include "demo/loadgen/reply_checks.h"

#include <stdio.h>

#include "support/check.h"

static const sc_profile needs = {.k = 5, .l = 3, .max_hops = 4, .max_wait_us = 10000000};
static const sc_reply_wanted wanted = {&needs, 2, SC_METRIC_DISTANCE};

static sc_reply_check check;

/** The same reply at a known_form: whatever is found there, a thorough look finds as well. */
static void check_quickly(const sc_response *response)
{
    static sc_reply_check quick;
    CHECK_OK(sc_reply_check_read_quickly(response, &wanted, &quick), NULL);
    if (!quick.is_violated && quick.end == SC_LOAD_ANSWERED) {
        // Only the objects may be wrong.
        assert_true(!check.is_violated || check.end == SC_LOAD_ANSWERED ||
                    check.end == SC_LOAD_LOST);
        if (check.end != SC_LOAD_ANSWERED) return;
    }
    assert_int_equal(quick.end, check.end);
    assert_string_equal(quick.word, check.word);
    assert_string_equal(quick.cloak, check.cloak);
    CHECK_CLOSE(quick.wait_s, check.wait_s, 1e-12);
    assert_int_equal(quick.users, check.users);
    assert_int_equal(quick.segments, check.segments);
    if (check.is_violated && check.violation <= SC_VIOLATION_LATE) {
        assert_int_equal(quick.violation, check.violation);
    }
}

static void check_reply(int status, sc_response_type type, const char *body)
{
    char bytes[2048];
    snprintf(bytes, sizeof(bytes), "%s", body);
    const sc_response response = {
        .status = status, .type = type, .body = bytes, .body_size = strlen(bytes)};
    CHECK_OK(sc_reply_check_read(&response, &wanted, &check), NULL);
    check_quickly(&response);
}

static void check_fine(int status, const char *body, sc_load_end end, const char *word)
{
    check_reply(status, status == 200 ? SC_RESPONSE_JSON : SC_RESPONSE_PROBLEM, body);
    if (check.is_violated) print_error("%s\n", check.remark);
    assert_false(check.is_violated);
    assert_int_equal(check.end, end);
    assert_string_equal(check.word, word);
}

static void check_violated(int status, const char *body, sc_violation violation, const char *part)
{
    check_reply(status, status == 200 ? SC_RESPONSE_JSON : SC_RESPONSE_PROBLEM, body);
    assert_true(check.is_violated);
    assert_string_equal(sc_violation_name(check.violation), sc_violation_name(violation));
    CHECK_CONTAINS(check.remark, part);
    if (violation == SC_VIOLATION_BAD_REPLY) assert_int_equal(check.end, SC_LOAD_LOST);
}

#define OBJECT(distance)                                                                          \
    "{\"id\":\"17\",\"name\":\"St. Mary\",\"category\":\"hospital\",\"position\":{\"lon\":8.001," \
    "\"lat\":49.9987},\"distance_m\":" distance ",\"duration_s\":7.5}"
#define ANSWER(wait, users, segments, objects)                                  \
    "{\"outcome\":\"answered\",\"wait_s\":" wait ",\"cloak\":{\"users\":" users \
    ",\"segments\":" segments "},\"metric\":\"distance\",\"objects\":[" objects "]}"

static void test_an_answer_that_keeps_its_promises_is_fine(void **state)
{
    (void)state;
    check_fine(200, ANSWER("1.284", "6", "14", OBJECT("33.358") "," OBJECT("40")), SC_LOAD_ANSWERED,
               "");
    CHECK_SAME(check.wait_s, 1.284);
    assert_int_equal(check.users, 6);
    assert_int_equal(check.segments, 14);
    assert_int_equal(check.object_count, 2);
    CHECK_SAME(check.distances_m[0], 33.358);
    CHECK_SAME(check.distances_m[1], 40.0);
    check_fine(200, ANSWER("10.001", "5", "3", ""), SC_LOAD_ANSWERED, "");
}

#define CLOAK(members)                                                \
    "{\"outcome\":\"answered\",\"wait_s\":1,\"cloak\":{" members "}," \
    "\"metric\":\"distance\",\"objects\":[]}"

static void test_the_id_of_a_cloak_is_read_if_there_is_one(void **state)
{
    (void)state;
    check_fine(200, CLOAK("\"id\":\"9f86d081884c7d65\",\"users\":6,\"segments\":14"),
               SC_LOAD_ANSWERED, "");
    assert_string_equal(check.cloak, "9f86d081884c7d65");
    assert_int_equal(check.users, 6);
    // Anywhere among the members; a known_form leaves that to the parser.
    check_fine(200, CLOAK("\"users\":6,\"id\":\"0000000000000000\",\"segments\":14"),
               SC_LOAD_ANSWERED, "");
    assert_string_equal(check.cloak, "0000000000000000");
    check_fine(200, CLOAK("\"users\":6,\"segments\":14"), SC_LOAD_ANSWERED, "");
    assert_string_equal(check.cloak, "");
}

static void test_an_id_that_is_not_sixteen_digits_is_a_bad_reply(void **state)
{
    (void)state;
    static const char *const ids[] = {
        "\"\"",
        "\"9f86d081884c7d6\"",
        "\"9f86d081884c7d655\"",
        "\"9F86D081884C7D65\"",
        "\"9f86d081884c7d6g\"",
        "9",
        "null",
    };
    for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
        char body[256];
        snprintf(body, sizeof(body), CLOAK("\"id\":%s,\"users\":6,\"segments\":14"), ids[i]);
        check_violated(200, body, SC_VIOLATION_BAD_REPLY, "16 hexadecimal digits");
    }
}

static void test_other_outcomes_are_known_by_their_reasons(void **state)
{
    (void)state;
    static const char *const reasons[] = {"expired", "infeasible", "exposed", "rare-request"};
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++) {
        char body[200];
        snprintf(body, sizeof body,
                 "{\"outcome\":\"dropped\",\"reason\":\"%s\",\"wait_s\":10.0,\"advice\":\"wait\"}",
                 reasons[i]);
        check_fine(200, body, SC_LOAD_DROPPED, reasons[i]);
    }
    check_fine(
        504,
        "{\"type\":\"urn:starcloak:problem:provider-timeout\",\"title\":\"No\",\"status\":504,"
        "\"outcome\":\"failed\",\"reason\":\"provider_timeout\"}",
        SC_LOAD_FAILED, "provider_timeout");
    check_fine(429,
               "{\"type\":\"urn:starcloak:problem:rate\",\"title\":\"Slowly\",\"status\":429,"
               "\"detail\":\"come back\"}",
               SC_LOAD_REFUSED, "rate");
}

static void test_broken_promises_are_seen(void **state)
{
    (void)state;
    check_violated(200, ANSWER("1", "4", "3", ""), SC_VIOLATION_FEW_USERS, "4 users");
    check_violated(200, ANSWER("1", "5", "2", ""), SC_VIOLATION_FEW_SEGMENTS, "2 segments");
    check_violated(200, ANSWER("10.002", "5", "3", ""), SC_VIOLATION_LATE, "10.002 s");
    check_violated(200, ANSWER("1", "5", "3", OBJECT("2") "," OBJECT("1")),
                   SC_VIOLATION_WRONG_ANSWER, "order");
    check_violated(200, ANSWER("1", "5", "3", OBJECT("1") "," OBJECT("2") "," OBJECT("3")),
                   SC_VIOLATION_WRONG_ANSWER, "3 objects");
}

#define BY_TIME(first_s, second_s)                                                             \
    "{\"outcome\":\"answered\",\"wait_s\":1,\"cloak\":{\"users\":5,\"segments\":3},"           \
    "\"metric\":\"time\",\"objects\":["                                                        \
    "{\"id\":\"1\",\"name\":\"\",\"category\":\"x\",\"street\":\"Ring\",\"distance_m\":9,"     \
    "\"duration_s\":" first_s "},"                                                             \
    "{\"id\":\"2\",\"name\":\"\",\"category\":\"x\",\"distance_m\":5,\"duration_s\":" second_s \
    "}]}"

static void test_objects_are_in_the_order_of_the_metric_that_was_asked_for(void **state)
{
    (void)state;
    const sc_reply_wanted by_time = {&needs, 2, SC_METRIC_TIME};
    static const char *const bodies[] = {BY_TIME("1.5", "2"), BY_TIME("2.5", "2")};
    for (size_t i = 0; i < 2; i++) {
        char body[512];
        snprintf(body, sizeof(body), "%s", bodies[i]);
        const sc_response response = {
            .status = 200, .type = SC_RESPONSE_JSON, .body = body, .body_size = strlen(body)};
        CHECK_OK(sc_reply_check_read(&response, &by_time, &check), NULL);
        assert_int_equal(check.is_violated, i == 1);
        CHECK_SAME(check.durations_s[1], 2.0);
        if (i == 1) CHECK_CONTAINS(check.remark, "order of time");
    }
    // By distance the first one is not an answer at all, and neither is one by distance by time.
    check_violated(200, bodies[0], SC_VIOLATION_WRONG_ANSWER, "another metric");
}

static void test_what_is_not_described_is_a_bad_reply(void **state)
{
    (void)state;
    static const struct {
        const char *body;
        const char *part;
    } cases[] = {
        {"", "not a JSON object"},
        {"[]", "not a JSON object"},
        {"{\"outcome\":\"answered\"", "not a JSON object"},
        {"{\"outcome\":\"answered\",\"outcome\":\"dropped\"}", "not a JSON object"},
        {"{}", "'outcome'"},
        {"{\"outcome\":7}", "'outcome'"},
        {"{\"outcome\":\"lost\"}", "unknown"},
        {ANSWER("-1", "5", "3", ""), "'wait_s'"},
        {ANSWER("\"1\"", "5", "3", ""), "'wait_s'"},
        {ANSWER("1", "5.5", "3", ""), "'users'"},
        {ANSWER("1", "5", "-3", ""), "'segments'"},
        {"{\"outcome\":\"answered\",\"wait_s\":1,\"objects\":[]}", "'users'"},
        {"{\"outcome\":\"answered\",\"wait_s\":1,\"cloak\":{\"users\":5,\"segments\":3},"
         "\"metric\":\"distance\"}",
         "'objects'"},
        {"{\"outcome\":\"answered\",\"wait_s\":1,\"cloak\":{\"users\":5,\"segments\":3},"
         "\"objects\":[]}",
         "'metric'"},
        {"{\"outcome\":\"answered\",\"wait_s\":1,\"cloak\":{\"users\":5,\"segments\":3},"
         "\"street\":7,\"metric\":\"distance\",\"objects\":[]}",
         "'street'"},
        {"{\"outcome\":\"answered\",\"wait_s\":1,\"cloak\":{\"users\":5,\"segments\":3},"
         "\"metric\":\"distance\",\"objects\":[],\"position\":{}}",
         "does not describe"},
        {ANSWER("1", "5", "3", "{}"), "'id'"},
        {ANSWER("1", "5", "3", "17"), "'id'"},
        {ANSWER("1", "5", "3",
                "{\"id\":\"1\",\"name\":\"\",\"category\":\"x\",\"position\":{\"lon\":1},"
                "\"distance_m\":1}"),
         "position"},
        {"{\"outcome\":\"dropped\",\"wait_s\":1}", "'reason'"},
        {"{\"outcome\":\"dropped\",\"reason\":\"tired\",\"wait_s\":1}", "unknown"},
        {"{\"outcome\":\"dropped\",\"reason\":\"expired\"}", "'wait_s'"},
        {"{\"outcome\":\"dropped\",\"reason\":\"expired\",\"wait_s\":1}", "'advice'"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        check_violated(200, cases[i].body, SC_VIOLATION_BAD_REPLY, cases[i].part);
    }
}

static void test_problems_must_be_problems(void **state)
{
    (void)state;
    check_violated(429, "{\"title\":\"x\",\"status\":429}", SC_VIOLATION_BAD_REPLY, "'type'");
    check_violated(429, "{\"type\":\"urn:starcloak:problem:rate\",\"title\":\"x\",\"status\":400}",
                   SC_VIOLATION_BAD_REPLY, "the status of a problem differs");
    check_violated(429, "{\"type\":\"about:blank\",\"title\":\"x\",\"status\":429}",
                   SC_VIOLATION_BAD_REPLY, "unknown");
    check_violated(502,
                   "{\"type\":\"urn:starcloak:problem:provider\",\"title\":\"x\",\"status\":502,"
                   "\"outcome\":\"failed\",\"reason\":\"bored\"}",
                   SC_VIOLATION_BAD_REPLY, "unknown");
    check_violated(418, "{}", SC_VIOLATION_BAD_REPLY, "status 418");
    check_reply(200, SC_RESPONSE_OTHER, ANSWER("1", "5", "3", ""));
    assert_true(check.is_violated);
    CHECK_CONTAINS(check.remark, "media type");
    check_reply(400, SC_RESPONSE_JSON, "{}");
    assert_true(check.is_violated);
}

static void test_a_quick_check_reads_the_numbers_and_leaves_the_objects(void **state)
{
    (void)state;
    char body[] = "{\"outcome\":\"answered\",\"wait_s\":0.25,\"cloak\":{\"id\":"
                  "\"0123456789abcdef\",\"users\":6,\"segments\":14},\"street\":\"Ring (B 37)\","
                  "\"metric\":\"distance\",\"objects\":[{}]}";
    const sc_response response = {
        .status = 200, .type = SC_RESPONSE_JSON, .body = body, .body_size = sizeof(body) - 1};
    CHECK_OK(sc_reply_check_read_quickly(&response, &wanted, &check), NULL);
    assert_false(check.is_violated);
    assert_int_equal(check.end, SC_LOAD_ANSWERED);
    CHECK_SAME(check.wait_s, 0.25);
    assert_string_equal(check.cloak, "0123456789abcdef");
    assert_int_equal(check.users, 6);
    // Blanks are no part of that form: such a reply is looked at thoroughly.
    body[0] = ' ';
    body[1] = '{';
    CHECK_OK(sc_reply_check_read_quickly(&response, &wanted, &check), NULL);
    assert_true(check.is_violated);
}

static void test_a_strange_word_cannot_steer_a_terminal(void **state)
{
    (void)state;
    check_fine(429,
               "{\"type\":\"urn:starcloak:problem:a\\u001b[2J \",\"title\":\"x\",\"status\":429}",
               SC_LOAD_REFUSED, "a??2??");
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_an_answer_that_keeps_its_promises_is_fine),
    cmocka_unit_test(test_the_id_of_a_cloak_is_read_if_there_is_one),
    cmocka_unit_test(test_an_id_that_is_not_sixteen_digits_is_a_bad_reply),
    cmocka_unit_test(test_other_outcomes_are_known_by_their_reasons),
    cmocka_unit_test(test_broken_promises_are_seen),
    cmocka_unit_test(test_objects_are_in_the_order_of_the_metric_that_was_asked_for),
    cmocka_unit_test(test_what_is_not_described_is_a_bad_reply),
    cmocka_unit_test(test_problems_must_be_problems),
    cmocka_unit_test(test_a_quick_check_reads_the_numbers_and_leaves_the_objects),
    cmocka_unit_test(test_a_strange_word_cannot_steer_a_terminal),
};
SC_SUITE(tests)
