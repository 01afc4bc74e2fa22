// Every allocation on the way through the route fails once, in turn: the service does not start and
// says so, or the query is refused with 503; nothing leaks (the address sanitizer looks), and
// no query is left inside. What the HTTP library takes is its own.
#include "api/async_route.h"
#include "api/outcome_json.h"
#include "api/query_json.h"
#include "base/json_write.h"
#include "support/default_policy.h"
#include "support/oom.h"
#include "unit/api/query_scene.h"

#include <pthread.h>

static void test_a_query_route_that_cannot_be_started_is_reported(void **state)
{
    (void)state;
    unsigned long failures = 0;
    // A server that has watched once cannot forget it, so each try has one of its own.
    for (unsigned long n = 1;; n++) {
        const query_scene_options options = query_scene_options_default();
        query_scene *h = test_take(1, sizeof *h);
        query_scene_furnish(h, &options);
        sc_query_route *route = NULL;
        sc_diag diag = {""};
        sc_alloc_fail_at(n);
        const sc_err err = sc_query_route_new(&h->service, 10, NULL, &route, &diag);
        const bool has_failed = oom_happened();
        if (!has_failed) {
            CHECK_OK(err, &diag);
            h->service.query_route = route;
            query_scene_close(h);
            break;
        }
        assert_int_equal(err, SC_ENOMEM);
        assert_null(route);
        assert_true(diag.message[0] != '\0');
        query_scene_close(h);
        failures++;
    }
    // The route, its loops, and an admission and a handover for each of them.
    assert_true(failures >= 6);
}

/** Which allocation of the next request fails; and whether it came to that. */
static atomic_ulong fail_at;
static atomic_bool has_failed;

static void query_with_little_memory(void *context, unsigned loop, sc_http_request *request)
{
    query_scene *h = context;
    sc_alloc_fail_at(atomic_load(&fail_at));
    sc_query_route_post(h->service.query_route, loop, request);
    atomic_store(&has_failed, oom_happened());
}

// The status of the reply; 0 if there was no memory for one either, and the connection ended.
static int receive_status(int fd)
{
    char first = 0;
    if (recv(fd, &first, 1, MSG_PEEK) <= 0) return 0;
    const query_scene_reply reply = query_scene_receive(fd);
    if (reply.status == 200) assert_string_equal(query_scene_text(&reply, "outcome"), "dropped");
    json_decref(reply.body);
    return reply.status;
}

// Ask while allocation `n` fails (0: none), and say whether it came to that.
static bool is_refused(query_scene *h, unsigned long n)
{
    const int fd = query_scene_call(h);
    atomic_store(&fail_at, n);
    query_scene_ask(h, fd, "alice",
                    "{\"position\":{\"edge\":3,\"offset_m\":1},\"profile\":{\"max_wait_s\":0.05},"
                    "\"request\":{\"type\":\"knn\",\"k\":1}}");
    const int status = receive_status(fd);
    close(fd);
    // A query that was not taken has left.
    WAIT_UNTIL(sc_pending_count(h->service.pending) == 0);
    const bool is_out = atomic_load(&has_failed);
    assert_true(is_out ? status == 0 || status == 503 : status == 200);
    return is_out;
}

static void test_a_query_for_which_there_is_no_memory_is_refused(void **state)
{
    (void)state;
    query_scene_options options = query_scene_options_default();
    options.loops = 1;
    options.handle = query_with_little_memory;
    query_scene *h = query_scene_open(&options);
    // Room for who was admitted, which stays; and the ticket.
    assert_true(is_refused(h, 1));
    assert_true(is_refused(h, 2));
    assert_false(is_refused(h, 0));
    assert_int_equal(sc_refusals_of(&h->service, SC_PROBLEM_OVERLOADED), 2);
    // That one stays as well: there is nothing left that could fail.
    assert_false(is_refused(h, 1));
    query_scene_close(h);
}

static void test_a_life_of_its_own_for_which_there_is_no_memory_is_none(void **state)
{
    (void)state;
    enum { ALLOCATIONS = 12 };
    query_scene_options options = query_scene_options_default();
    options.loops = 1;
    options.handle = query_with_little_memory;
    options.policy.outcome_keep_us = 0;
    query_scene *h = query_scene_open(&options);
    unsigned refused = 0;
    for (unsigned long n = 1; n < ALLOCATIONS; n++) {
        const int fd = query_scene_call(h);
        char token[SC_TOKEN_SIZE];
        char headers[512];
        query_scene_token(h, "alice", token);
        snprintf(headers, sizeof headers,
                 "Content-Type: application/json\r\nAuthorization: Bearer %s\r\n"
                 "Prefer: respond-async, wait=5\r\nIdempotency-Key: %lu\r\n",
                 token, n);
        atomic_store(&fail_at, n);
        query_scene_send(fd, headers,
                         "{\"position\":{\"edge\":3,\"offset_m\":1},"
                         "\"profile\":{\"max_wait_s\":0.05},"
                         "\"request\":{\"type\":\"knn\",\"k\":1}}");
        char first = 0;
        if (recv(fd, &first, 1, MSG_PEEK) > 0) {
            const query_scene_reply reply = query_scene_receive(fd);
            // Without room to be held it is told at once that it waits.
            assert_true(reply.status == 200 || reply.status == 202 || reply.status == 503);
            refused += reply.status != 200;
            json_decref(reply.body);
        } else {
            refused++;
        }
        close(fd);
        WAIT_UNTIL(sc_pending_count(h->service.pending) == 0);
        WAIT_UNTIL(sc_async_route_stats(sc_query_route_async(h->service.query_route)).outcomes ==
                   0);
    }
    // What was made before one that failed stays, so that the next query needs less.
    assert_in_range(refused, 3, ALLOCATIONS - 2);
    query_scene_close(h);
}

static void query_before_memory_runs_out(void *context, unsigned loop, sc_http_request *request)
{
    query_scene *h = context;
    sc_alloc_fail_at(0);
    sc_query_route_post(h->service.query_route, loop, request);
    // This loop gets no more, and so has none when the outcome comes.
    sc_alloc_fail_at(1);
}

static void test_an_outcome_that_cannot_be_told_is_still_an_end(void **state)
{
    (void)state;
    query_scene_options options = query_scene_options_default();
    options.loops = 1;
    options.handle = query_before_memory_runs_out;
    query_scene *h = query_scene_open(&options);
    const int fd = query_scene_call(h);
    query_scene_ask(h, fd, "alice",
                    "{\"position\":{\"edge\":3,\"offset_m\":1},\"profile\":{\"max_wait_s\":0.05},"
                    "\"request\":{\"type\":\"knn\",\"k\":1}}");
    const int status = receive_status(fd);
    assert_true(status == 0 || status == 503);
    WAIT_UNTIL(sc_pending_count(h->service.pending) == 0);
    assert_int_equal(sc_ledger_stats_of(h->served->ledger).dropped[SC_DROP_EXPIRED], 1);
    close(fd);
    query_scene_close(h);
}

static void test_an_outcome_for_which_there_is_no_room_says_so(void **state)
{
    (void)state;
    // Texts that take more than was reckoned with: they are shared, and need escapes.
    char texts[200];
    memset(texts, 0x01, sizeof texts);
    texts[0] = '\0';
    texts[sizeof texts - 1] = '\0';
    sc_found found[40];
    for (size_t i = 0; i < 40; i++) {
        found[i] = (sc_found){.name = 1, .category = 1, .key = 1};
    }
    sc_answer answer = {40, found, texts, sizeof found + sizeof texts};
    const sc_ticket ticket = {.outcome = SC_OUTCOME_ANSWERED, .answer = &answer};
    unsigned long failures = 0;
    FOR_EACH_FAILURE(n)
    {
        sc_bytes out = {0};
        const sc_err err = sc_outcome_json_write(&ticket, true, "", &out);
        const bool is_out = oom_happened();
        sc_bytes_fini(&out);
        if (!is_out) {
            assert_int_equal(err, SC_OK);
            break;
        }
        assert_int_equal(err, SC_ENOMEM);
        failures++;
    }
    assert_true(failures >= 2);
}

static void test_terms_for_which_there_is_no_memory_leave_the_parts_alone(void **state)
{
    (void)state;
    const sc_policy policy = default_policy();
    sc_access_rules *now = query_scene_terms(&policy);
    oom_arm(1);
    assert_null(sc_access_rules_new(&policy, now->keys, NULL));
    assert_true(oom_happened());
    sc_credentials *credentials = NULL;
    oom_arm(1);
    assert_int_equal(sc_credentials_new(now, &credentials), SC_ENOMEM);
    assert_null(credentials);
    assert_true(oom_happened());
    sc_access_rules_release(now);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_query_route_that_cannot_be_started_is_reported),
    cmocka_unit_test(test_a_query_for_which_there_is_no_memory_is_refused),
    cmocka_unit_test(test_a_life_of_its_own_for_which_there_is_no_memory_is_none),
    cmocka_unit_test(test_an_outcome_that_cannot_be_told_is_still_an_end),
    cmocka_unit_test(test_an_outcome_for_which_there_is_no_room_says_so),
    cmocka_unit_test(test_terms_for_which_there_is_no_memory_leave_the_parts_alone),
};
SC_SUITE(tests)
