// The outcome of a query in words: what a client reads is what the ticket has.
#include "api/outcome_json.h"

#include "base/bytes.h"
#include "support/check.h"

#include <jansson.h>
#include <stdio.h>

// An answer of two objects; its texts are a stranger's.
static const char texts[] = "\0St. \"Mary\"\xff\0hospital\0"
                            "17\0"
                            "4711";
enum { NAMELESS = 0, MARY = 1, HOSPITAL = 13, SEVENTEEN = 22, NUMBER = 25 };

static const sc_found found[] = {
    {.distance_m = 33.358,
     .duration_s = 2.5,
     .x = 8.001,
     .y = 49.9987,
     .name = MARY,
     .category = HOSPITAL,
     .key = SEVENTEEN},
    {.distance_m = 1200.0,
     .x = -0.5,
     .y = 50.00012345,
     .name = NAMELESS,
     .category = HOSPITAL,
     .key = NUMBER},
};

static sc_ticket answered(sc_answer *answer, size_t count)
{
    *answer = (sc_answer){count, found, texts, sizeof found + sizeof texts};
    return (sc_ticket){.outcome = SC_OUTCOME_ANSWERED,
                       .asked = 5000000,
                       .published = 6284400,
                       .settled = 9000000,
                       .cloak = 0x00c0ffee12345678,
                       .users = 6,
                       .segments = 14,
                       .answer = answer};
}

static void check_written(const sc_ticket *ticket, bool is_geographic, const char *wanted)
{
    sc_bytes out = {0};
    assert_int_equal(sc_outcome_json_write(ticket, is_geographic, "", &out), SC_OK);
    assert_int_equal(out.size, strlen(wanted));
    assert_memory_equal(out.data, wanted, out.size);
    json_t *json = json_loadb((const char *)out.data, out.size, JSON_REJECT_DUPLICATES, NULL);
    assert_non_null(json);
    json_decref(json);
    sc_bytes_fini(&out);
}

static void test_an_answer_has_its_objects_and_what_anonymity_took(void **state)
{
    (void)state;
    sc_answer answer;
    const sc_ticket ticket = answered(&answer, 2);
    check_written(&ticket, true,
                  "{\"outcome\":\"answered\",\"wait_s\":1.2844,"
                  "\"cloak\":{\"id\":\"00c0ffee12345678\",\"users\":6,\"segments\":14},"
                  "\"metric\":\"distance\",\"objects\":["
                  "{\"id\":\"17\",\"name\":\"St. \\\"Mary\\\"\\ufffd\",\"category\":\"hospital\","
                  "\"position\":{\"lon\":8.001,\"lat\":49.9987},\"distance_m\":33.358,"
                  "\"duration_s\":2.5},"
                  "{\"id\":\"4711\",\"name\":\"\",\"category\":\"hospital\","
                  "\"position\":{\"lon\":-0.5,\"lat\":50.00012345},\"distance_m\":1200,"
                  "\"duration_s\":0}]}");
}

static void test_the_id_of_a_cloak_has_sixteen_digits_whatever_its_number(void **state)
{
    (void)state;
    static const struct {
        uint64_t number;
        const char *digits;
    } cases[] = {
        {0, "0000000000000000"},
        {1, "0000000000000001"},
        {UINT64_MAX, "ffffffffffffffff"},
        {0x9f86d081884c7d65, "9f86d081884c7d65"},
    };
    sc_answer answer;
    sc_ticket ticket = answered(&answer, 0);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char wanted[192];
        ticket.cloak = cases[i].number;
        snprintf(wanted, sizeof wanted,
                 "{\"outcome\":\"answered\",\"wait_s\":1.2844,"
                 "\"cloak\":{\"id\":\"%s\",\"users\":6,\"segments\":14},"
                 "\"metric\":\"distance\",\"objects\":[]}",
                 cases[i].digits);
        check_written(&ticket, true, wanted);
    }
}

static void test_an_answer_may_be_empty(void **state)
{
    (void)state;
    sc_answer answer;
    const sc_ticket ticket = answered(&answer, 0);
    check_written(&ticket, true,
                  "{\"outcome\":\"answered\",\"wait_s\":1.2844,"
                  "\"cloak\":{\"id\":\"00c0ffee12345678\",\"users\":6,\"segments\":14},"
                  "\"metric\":\"distance\",\"objects\":[]}");
}

static void test_a_plane_has_x_and_y_and_a_map_without_coordinates_has_none(void **state)
{
    (void)state;
    const sc_found places[] = {
        {.distance_m = 5, .x = 100.25, .y = -3, .name = 0, .category = HOSPITAL, .key = SEVENTEEN},
        {.distance_m = 6,
         .x = NOT_A_NUMBER,
         .y = NOT_A_NUMBER,
         .name = 0,
         .category = HOSPITAL,
         .key = SEVENTEEN},
    };
    sc_answer answer;
    const sc_ticket ticket = answered(&answer, 2);
    answer.found = places;
    check_written(&ticket, false,
                  "{\"outcome\":\"answered\",\"wait_s\":1.2844,"
                  "\"cloak\":{\"id\":\"00c0ffee12345678\",\"users\":6,\"segments\":14},"
                  "\"metric\":\"distance\",\"objects\":["
                  "{\"id\":\"17\",\"name\":\"\",\"category\":\"hospital\","
                  "\"position\":{\"x\":100.25,\"y\":-3},\"distance_m\":5,\"duration_s\":0},"
                  "{\"id\":\"17\",\"name\":\"\",\"category\":\"hospital\",\"distance_m\":6,"
                  "\"duration_s\":0}]}");
}

static void test_a_dropped_query_says_why(void **state)
{
    (void)state;
    sc_ticket ticket = {.outcome = SC_OUTCOME_DROPPED,
                        .drop = SC_DROP_EXPIRED,
                        .asked = 1000000,
                        .published = 11000000};
    check_written(&ticket, true,
                  "{\"outcome\":\"dropped\",\"reason\":\"expired\",\"wait_s\":10,\"advice\":"
                  "\"too few other users were near in time: allow a longer max_wait_s or more "
                  "max_hops, or ask for a smaller k\"}");
    // A clock that two threads read may show the end before the beginning.
    ticket.drop = SC_DROP_INFEASIBLE;
    ticket.published = 999999;
    check_written(&ticket, true,
                  "{\"outcome\":\"dropped\",\"reason\":\"infeasible\",\"wait_s\":0,\"advice\":"
                  "\"no cloak within max_hops has l segments: ask for a smaller l, or allow more "
                  "max_hops\"}");
}

static void test_an_exposed_query_says_what_was_demanded_of_it(void **state)
{
    (void)state;
    sc_ticket ticket = {.outcome = SC_OUTCOME_DROPPED,
                        .drop = SC_DROP_EXPOSED,
                        .asked = 1000000,
                        .published = 1000000,
                        .demands = SC_TICKET_CONTINUITY,
                        .linked_until = 212500000};
    check_written(
        &ticket, true,
        "{\"outcome\":\"dropped\",\"reason\":\"exposed\",\"wait_s\":0,\"advice\":"
        "\"enough segments are in reach, but they do not hide this one: too few "
        "of them can have been reached since the last cloak; ask again later (in 212 s at "
        "the latest), or ask for a smaller l\",\"demands\":[\"continuity\"],"
        "\"later_s\":212}");
    ticket.demands = SC_TICKET_TRAFFIC | SC_TICKET_CLASSES;
    check_written(&ticket, true,
                  "{\"outcome\":\"dropped\",\"reason\":\"exposed\",\"wait_s\":0,\"advice\":"
                  "\"enough segments are in reach, but they do not hide this one: one is "
                  "much busier than the others, or places to protect are on them; allow more "
                  "max_hops, or ask for a smaller l, or ask where more roads are busy\","
                  "\"demands\":[\"traffic\",\"classes\"]}");
    // Time may have passed on the way.
    ticket.demands = SC_TICKET_CONTINUITY;
    ticket.linked_until = 900000;
    sc_bytes out = {0};
    assert_int_equal(sc_outcome_json_write(&ticket, true, "", &out), SC_OK);
    CHECK_OK(sc_bytes_append(&out, "", 1) ? SC_OK : SC_ENOMEM, NULL);
    CHECK_CONTAINS((const char *)out.data, "\"later_s\":1}");
    sc_bytes_fini(&out);
}

static void test_what_was_in_the_bytes_is_replaced(void **state)
{
    (void)state;
    sc_bytes out = {0};
    sc_answer answer;
    const sc_ticket many = answered(&answer, 2);
    const sc_ticket few = {.outcome = SC_OUTCOME_DROPPED, .drop = SC_DROP_EXPIRED};
    assert_int_equal(sc_outcome_json_write(&many, true, "", &out), SC_OK);
    const size_t size = out.size;
    assert_int_equal(sc_outcome_json_write(&few, true, "", &out), SC_OK);
    assert_true(out.size < size);
    assert_memory_equal(out.data, "{\"outcome\":\"dropped\"", 20);
    sc_bytes_fini(&out);
}

static void test_every_failure_has_its_status_and_its_word(void **state)
{
    (void)state;
    static const struct {
        sc_failure failure;
        int status;
        const char *word;
        bool may_come_back;
    } cases[] = {
        {SC_FAILURE_UNREACHABLE, 502, "provider_unreachable", false},
        {SC_FAILURE_TIMEOUT, 504, "provider_timeout", false},
        {SC_FAILURE_REFUSED, 502, "provider_refused", false},
        {SC_FAILURE_UNBELIEVABLE, 502, "provider_unbelievable", false},
        {SC_FAILURE_SUSPENDED, 502, "provider_suspended", true},
        {SC_FAILURE_OVERLOADED, 503, "overloaded", true},
        {SC_FAILURE_IN_DOUBT, 503, "in_doubt", true},
        {SC_FAILURE_STOPPED, 503, "stopped", true},
        {SC_FAILURE_UNSENT, 503, "not_sent_in_time", true},
        {SC_FAILURE_LOST, 503, "result_lost", true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const sc_ticket ticket = {.outcome = SC_OUTCOME_FAILED, .failure = cases[i].failure};
        sc_problem problem;
        sc_outcome_problem(&ticket, &problem);
        assert_int_equal(sc_problem_status(problem.kind), cases[i].status);
        assert_string_equal(problem.outcome, "failed");
        assert_string_equal(problem.reason, cases[i].word);
        assert_int_equal(problem.retry_after_s > 0, cases[i].may_come_back);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_an_answer_has_its_objects_and_what_anonymity_took),
    cmocka_unit_test(test_the_id_of_a_cloak_has_sixteen_digits_whatever_its_number),
    cmocka_unit_test(test_an_answer_may_be_empty),
    cmocka_unit_test(test_a_plane_has_x_and_y_and_a_map_without_coordinates_has_none),
    cmocka_unit_test(test_a_dropped_query_says_why),
    cmocka_unit_test(test_an_exposed_query_says_what_was_demanded_of_it),
    cmocka_unit_test(test_what_was_in_the_bytes_is_replaced),
    cmocka_unit_test(test_every_failure_has_its_status_and_its_word),
};
SC_SUITE(tests)
