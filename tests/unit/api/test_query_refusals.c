// Everything that is refused at the query route, over real sockets: the status, the kind, the
// field; and nothing of it reaches the ledger.
#include "query_scene.h"
#include "support/place.h"
#include "support/rough_provider.h"

#include <pthread.h>

#define JSON "Content-Type: application/json\r\n"
#define GOOD                                     \
    "{\"position\":{\"edge\":3,\"offset_m\":1}," \
    "\"profile\":{\"max_wait_s\":0.1},\"request\":{\"type\":\"knn\",\"k\":1}}"

// --- Tokens --------------------------------------------------------------------------------------

// Ask with these headers, and be refused for the token's sake.
static void check_stranger(int fd, const char *headers, const char *why)
{
    query_scene_send(fd, headers, GOOD);
    const query_scene_reply reply = query_scene_receive(fd);
    assert_int_equal(reply.status, 401);
    assert_string_equal(query_scene_text(&reply, "type"), "urn:starcloak:problem:token");
    assert_string_equal(query_scene_text(&reply, "field"), "header Authorization");
    CHECK_CONTAINS(query_scene_text(&reply, "detail"), why);
    CHECK_CONTAINS(reply.head, "WWW-Authenticate: Bearer");
    json_decref(reply.body);
}

static void check_token(int fd, const char *token, const char *why)
{
    char headers[512];
    snprintf(headers, sizeof headers, JSON "Authorization: Bearer %s\r\n", token);
    check_stranger(fd, headers, why);
}

static void test_no_query_is_taken_without_a_valid_token(void **state)
{
    (void)state;
    const query_scene_options options = query_scene_options_default();
    query_scene *h = query_scene_open(&options);
    const int fd = query_scene_call(h);
    check_stranger(fd, JSON, "no token; send");
    check_stranger(fd, JSON "Authorization: Basic YWxpY2U6c2VjcmV0\r\n", "not a bearer token");
    check_stranger(fd, JSON "Authorization: Bearer\r\n", "not a bearer token");
    check_token(fd, "sct1_nonsense", "not a token of");

    sc_access_rules *terms = sc_credentials_hold(h->service.credentials);
    const int64_t now_s = time(NULL);
    char token[SC_TOKEN_SIZE];
    CHECK_OK(sc_token_issue(terms->keys, "alice", now_s - 100, now_s - 1, token, NULL), NULL);
    check_token(fd, token, "has expired");
    sc_access_rules_release(terms);

    query_scene_token(h, "alice", token);
    char *last = token + strlen(token) - 10;
    *last = *last == 'A' ? 'B' : 'A';
    check_token(fd, token, "not signed by this service");
    assert_int_equal(sc_refusals_of(&h->service, SC_PROBLEM_TOKEN), 6);

    // In another writing it is as good as any.
    query_scene_token(h, "alice", token);
    char headers[512];
    snprintf(headers, sizeof headers, JSON "authorization: bearer   %s\r\n", token);
    query_scene_send(fd, headers, GOOD);
    const query_scene_reply reply = query_scene_receive(fd);
    assert_int_equal(reply.status, 200);
    json_decref(reply.body);
    close(fd);
    query_scene_close(h);
}

static void test_a_token_that_was_revoked_is_no_longer_good(void **state)
{
    (void)state;
    const query_scene_options options = query_scene_options_default();
    query_scene *h = query_scene_open(&options);
    const int fd = query_scene_call(h);
    char token[SC_TOKEN_SIZE];
    query_scene_token(h, "alice", token);
    query_scene_ask(h, fd, "alice", GOOD);
    query_scene_reply reply = query_scene_receive(fd);
    assert_int_equal(reply.status, 200);
    json_decref(reply.body);

    const place p = place_new();
    const char *path = place_path(&p, "revoked");
    sc_access_rules *now = sc_credentials_hold(h->service.credentials);
    sc_token said;
    sc_diag diag = {""};
    CHECK_OK(sc_token_check(now->keys, token, &said), NULL);
    CHECK_OK(sc_revoked_add(path, now->keys, &said, NULL, time(NULL), &diag), &diag);
    sc_revoked *revoked = NULL;
    CHECK_OK(sc_revoked_read(path, &revoked, &diag), &diag);
    sc_access_rules *next =
        sc_access_rules_new(&now->policy, sc_token_keys_hold(now->keys), revoked);
    assert_non_null(next);
    sc_access_rules_release(now);
    sc_credentials_exchange(h->service.credentials, next);
    place_free(&p);

    check_token(fd, token, "was revoked");
    // Another of the same user is good: the keys are the same.
    query_scene_ask(h, fd, "alice", GOOD);
    reply = query_scene_receive(fd);
    assert_int_equal(reply.status, 200);
    json_decref(reply.body);
    close(fd);
    query_scene_close(h);
}

// --- Bodies and places ---------------------------------------------------------------------------

static void check_refused(query_scene *h, int fd, const char *body, int status, const char *word,
                          const char *field)
{
    query_scene_ask(h, fd, "alice", body);
    const query_scene_reply reply = query_scene_receive(fd);
    if (reply.status != status) fail_msg("%d: %s", reply.status, body);
    CHECK_CONTAINS(query_scene_text(&reply, "type"), word);
    assert_string_equal(query_scene_text(&reply, "field"), field);
    assert_int_equal(json_integer_value(json_object_get(reply.body, "status")), status);
    // Whatever was sent of a position is in no reply.
    char *text = json_dumps(reply.body, 0);
    if (strstr(text, "777")) fail_msg("%s", text);
    free(text);
    json_decref(reply.body);
}

#define ASK(position) "{\"position\":" position ",\"request\":{\"type\":\"knn\",\"k\":1}}"

static void test_what_cannot_be_asked_is_refused_with_its_field(void **state)
{
    (void)state;
    const query_scene_options options = query_scene_options_default();
    query_scene *h = query_scene_open(&options);
    const int fd = query_scene_call(h);
    check_refused(h, fd, "", 400, "body", "");
    check_refused(h, fd, "{\"position\":", 400, "body", "");
    check_refused(h, fd, ASK("{\"lon\":777.5,\"lat\":0}"), 400, "position", "/position/lon");
    check_refused(h, fd, ASK("{\"x\":777,\"y\":777}"), 400, "position", "/position");
    check_refused(h, fd, ASK("{\"lon\":0.000777,\"lat\":7.77}"), 422, "off-road", "/position");
    check_refused(h, fd, ASK("{\"edge\":777777,\"offset_m\":1}"), 400, "position",
                  "/position/edge");
    check_refused(h, fd, ASK("{\"edge\":1,\"offset_m\":77777.5}"), 400, "position",
                  "/position/offset_m");
    check_refused(h, fd, ASK("{\"edge\":1,\"offset_m\":-7.77}"), 400, "position",
                  "/position/offset_m");
    check_refused(h, fd,
                  "{\"position\":{\"edge\":1,\"offset_m\":1},\"profile\":{\"k\":1},"
                  "\"request\":{\"type\":\"knn\",\"k\":1}}",
                  400, "profile", "/profile/k");
    check_refused(h, fd,
                  "{\"position\":{\"edge\":1,\"offset_m\":1},"
                  "\"request\":{\"type\":\"knn\",\"k\":1,\"categories\":[\"casino\"]}}",
                  400, "request", "/request/categories");
    // No query got any farther, and a user who was refused may ask.
    assert_int_equal(sc_ledger_stats_of(h->served->ledger).taken, 0);
    assert_int_equal(sc_pending_count(h->service.pending), 0);
    assert_int_equal(sc_refusals_of(&h->service, SC_PROBLEM_POSITION), 5);
    assert_int_equal(sc_refusals_of(&h->service, SC_PROBLEM_OFF_ROAD), 1);
    assert_int_equal(sc_refusals_of(&h->service, SC_PROBLEM_BODY), 2);
    close(fd);
    query_scene_close(h);
}

static void test_a_body_must_say_that_it_is_json(void **state)
{
    (void)state;
    const query_scene_options options = query_scene_options_default();
    query_scene *h = query_scene_open(&options);
    const int fd = query_scene_call(h);
    char token[SC_TOKEN_SIZE];
    query_scene_token(h, "alice", token);
    static const struct {
        const char *line;
        bool is_good;
    } types[] = {{"", false},
                 {"Content-Type: text/plain\r\n", false},
                 {"Content-Type: application/jsonx\r\n", false},
                 {"Content-Type: application/jso\r\n", false},
                 {"Content-Type: Application/JSON\r\n", true},
                 {"Content-Type: application/json; charset=utf-8\r\n", true}};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        char headers[512];
        snprintf(headers, sizeof headers, "%sAuthorization: Bearer %s\r\n", types[i].line, token);
        query_scene_send(fd, headers, GOOD);
        const query_scene_reply reply = query_scene_receive(fd);
        assert_int_equal(reply.status, types[i].is_good ? 200 : 415);
        json_decref(reply.body);
    }
    close(fd);
    query_scene_close(h);
}

// --- How often, how many, and when ---------------------------------------------------------------

static void test_a_user_with_too_many_queries_is_told_when_to_come_back(void **state)
{
    (void)state;
    query_scene_options options = query_scene_options_default();
    options.policy.user_rate = 0.01;
    options.policy.user_burst = 2.0;
    query_scene *h = query_scene_open(&options);
    const int fd = query_scene_call(h);
    // What is refused counts too, or guessing would be free.
    check_refused(h, fd, "{}", 400, "body", "/position");
    check_refused(h, fd, "{}", 400, "body", "/position");
    query_scene_ask(h, fd, "alice", GOOD);
    query_scene_reply reply = query_scene_receive(fd);
    assert_int_equal(reply.status, 429);
    assert_string_equal(query_scene_text(&reply, "type"), "urn:starcloak:problem:rate");
    const char *after = strcasestr(reply.head, "Retry-After: ");
    assert_non_null(after);
    const long seconds = strtol(after + 13, NULL, 10);
    assert_true(seconds > 50 && seconds <= 100);
    json_decref(reply.body);
    // Another user is not meant.
    query_scene_ask(h, fd, "bob", GOOD);
    reply = query_scene_receive(fd);
    assert_int_equal(reply.status, 200);
    json_decref(reply.body);
    close(fd);
    query_scene_close(h);
}

#define WIDE(edge)                                                     \
    "{\"position\":{\"edge\":" edge ",\"offset_m\":1},"                \
    "\"profile\":{\"k\":4,\"l\":1,\"max_hops\":16,\"max_wait_s\":30}," \
    "\"request\":{\"type\":\"range\",\"radius_m\":20000}}"

static void test_a_query_that_would_cost_too_much_is_refused(void **state)
{
    (void)state;
    query_scene_options options = query_scene_options_default();
    options.policy.max_objects = 5;
    query_scene *h = query_scene_open(&options);
    const int fd = query_scene_call(h);
    check_refused(h, fd, WIDE("3"), 400, "too-costly", "/request/radius_m");
    check_refused(h, fd,
                  "{\"position\":{\"edge\":3,\"offset_m\":1},"
                  "\"request\":{\"type\":\"range\",\"radius_s\":1800}}",
                  400, "too-costly", "/request/radius_s");
    assert_int_equal(sc_refusals_of(&h->service, SC_PROBLEM_COSTLY), 2);
    // Those nearest are few, whatever else is there.
    query_scene_ask(h, fd, "alice", GOOD);
    query_scene_reply reply = query_scene_receive(fd);
    assert_int_equal(reply.status, 200);
    json_decref(reply.body);
    close(fd);
    query_scene_close(h);

    options.policy.max_objects = 0;
    options.policy.max_cost = 60;
    h = query_scene_open(&options);
    const int other = query_scene_call(h);
    check_refused(h, other, WIDE("3"), 400, "too-costly", "/request");
    query_scene_ask(h, other, "alice", GOOD);
    reply = query_scene_receive(other);
    assert_int_equal(reply.status, 200);
    json_decref(reply.body);
    close(other);
    query_scene_close(h);
}

static void check_cost_is_used_up(int fd)
{
    const query_scene_reply reply = query_scene_receive(fd);
    assert_int_equal(reply.status, 429);
    assert_string_equal(query_scene_text(&reply, "type"), "urn:starcloak:problem:cost");
    assert_non_null(strcasestr(reply.head, "Retry-After: "));
    json_decref(reply.body);
}

static void test_queries_are_charged_what_they_cost(void **state)
{
    (void)state;
    query_scene_options options = query_scene_options_default();
    options.policy.user_cost = 1e-3;
    query_scene *h = query_scene_open(&options);
    const int fd = query_scene_call(h);
    // The bucket holds less than this: it must be full, and is empty then.
    query_scene_ask(h, fd, "alice", GOOD);
    const query_scene_reply reply = query_scene_receive(fd);
    assert_int_equal(reply.status, 200);
    json_decref(reply.body);
    query_scene_ask(h, fd, "alice", GOOD);
    check_cost_is_used_up(fd);
    assert_int_equal(sc_refusals_of(&h->service, SC_PROBLEM_COST), 1);
    // Another user is not meant, and nothing is left pending.
    query_scene_ask(h, fd, "bob", GOOD);
    const query_scene_reply other = query_scene_receive(fd);
    assert_int_equal(other.status, 200);
    json_decref(other.body);
    assert_int_equal(sc_pending_count(h->service.pending), 0);
    close(fd);
    query_scene_close(h);
}

#define ALONE(k, wait)                                                                        \
    "{\"position\":{\"edge\":3,\"offset_m\":1},\"profile\":{\"k\":" k ",\"max_wait_s\":" wait \
    "},\"request\":{\"type\":\"knn\",\"k\":1}}"

static void test_a_user_with_a_large_k_has_its_share_of_waiting(void **state)
{
    (void)state;
    query_scene_options options = query_scene_options_default();
    options.policy.standard.max_wait_us = sc_time_from_seconds(0.1);
    options.policy.user_waiting = 1e-6;  // what is used up stays so
    options.policy.most.max_wait_us = sc_time_from_seconds(0.5);
    query_scene *h = query_scene_open(&options);
    const int fd = query_scene_call(h);
    // Five seconds are in the bucket; a hundred times the default k of 3 uses them up at once.
    query_scene_ask(h, fd, "alice", ALONE("300", "0.5"));
    WAIT_UNTIL(sc_query_charges_pending(h->service.charges, SC_PENDING_SIZES - 1) == 1);
    assert_int_equal(sc_query_charges_pending(h->service.charges, 0), 0);
    query_scene_reply reply = query_scene_receive(fd);
    assert_int_equal(reply.status, 200);
    json_decref(reply.body);
    assert_int_equal(sc_query_charges_pending(h->service.charges, SC_PENDING_SIZES - 1), 0);
    query_scene_ask(h, fd, "alice", ALONE("300", "0.5"));
    reply = query_scene_receive(fd);
    assert_int_equal(reply.status, 429);
    assert_string_equal(query_scene_text(&reply, "type"), "urn:starcloak:problem:waiting");
    assert_non_null(strcasestr(reply.head, "Retry-After: "));
    json_decref(reply.body);
    assert_int_equal(sc_refusals_of(&h->service, SC_PROBLEM_WAITING), 1);
    assert_int_equal(sc_pending_count(h->service.pending), 0);
    // Another user is not meant.
    query_scene_ask(h, fd, "bob", ALONE("300", "0.1"));
    reply = query_scene_receive(fd);
    assert_int_equal(reply.status, 200);
    json_decref(reply.body);
    close(fd);
    query_scene_close(h);
}

#define TOGETHER                                                              \
    "{\"position\":{\"edge\":3,\"offset_m\":1},\"profile\":{\"k\":2,\"l\":1," \
    "\"max_wait_s\":60},\"request\":{\"type\":\"knn\",\"k\":1}}"

// So that no user has more cloaks at the provider than pending queries.
static void test_who_goes_away_is_pending_until_the_provider_is_done(void **state)
{
    (void)state;
    rough_provider *provider = rough_provider_new(NULL, SC_ENCODING_COMPACT);
    rough_provider_up(provider);
    rough_provider_next(provider, ROUGH_SILENT, 1000);
    query_scene_options options = query_scene_options_default();
    options.provider = rough_provider_url(provider);
    options.provider_deadline_s = 60;
    query_scene *h = query_scene_open(&options);
    const int alice = query_scene_call(h);
    const int bob = query_scene_call(h);
    const int again = query_scene_call(h);
    query_scene_ask(h, alice, "alice", TOGETHER);
    query_scene_ask(h, bob, "bob", TOGETHER);
    WAIT_UNTIL(rough_provider_count(provider) >= 1);
    close(alice);
    WAIT_UNTIL(sc_http_stats_of(h->service.http).gone == 1);
    query_scene_ask(h, again, "alice", TOGETHER);
    HEAR_PROBLEM(again, 429, "pending");
    close(bob);
    close(again);
    query_scene_close(h);
    rough_provider_free(provider);
}

static void test_a_full_ledger_is_said_at_once(void **state)
{
    (void)state;
    query_scene_options options = query_scene_options_default();
    options.max_pending = 1;
    query_scene *h = query_scene_open(&options);
    const int first = query_scene_call(h);
    const int second = query_scene_call(h);
    query_scene_ask(h, first, "alice",
                    "{\"position\":{\"edge\":3,\"offset_m\":1},\"profile\":{\"max_wait_s\":600},"
                    "\"request\":{\"type\":\"knn\",\"k\":1}}");
    WAIT_UNTIL(sc_ledger_pending(h->served->ledger) == 1);
    query_scene_ask(h, second, "bob", GOOD);
    const query_scene_reply reply = query_scene_receive(second);
    assert_int_equal(reply.status, 503);
    assert_string_equal(query_scene_text(&reply, "type"), "urn:starcloak:problem:overloaded");
    CHECK_CONTAINS(reply.head, "Retry-After: 1");
    json_decref(reply.body);
    close(first);
    close(second);
    query_scene_close(h);
}

static void test_a_service_that_drains_takes_no_query(void **state)
{
    (void)state;
    const query_scene_options options = query_scene_options_default();
    query_scene *h = query_scene_open(&options);
    const int waiting = query_scene_call(h);
    const int late = query_scene_call(h);
    query_scene_ask(h, waiting, "alice",
                    "{\"position\":{\"edge\":3,\"offset_m\":1},\"profile\":{\"max_wait_s\":0.5},"
                    "\"request\":{\"type\":\"knn\",\"k\":1}}");
    WAIT_UNTIL(sc_ledger_stats_of(h->served->ledger).taken == 1);
    // The ledger may know it before the query route does.
    sc_ledger_drain(h->served->ledger);
    query_scene_ask(h, late, "bob", GOOD);
    HEAR_PROBLEM(late, 503, "draining");
    atomic_store(&h->service.is_draining, true);
    query_scene_ask(h, late, "bob", GOOD);
    HEAR_PROBLEM(late, 503, "draining");
    assert_int_equal(sc_refusals_of(&h->service, SC_PROBLEM_DRAINING), 2);
    // Who was there gets an outcome.
    const query_scene_reply reply = query_scene_receive(waiting);
    assert_int_equal(reply.status, 200);
    json_decref(reply.body);
    close(waiting);
    close(late);
    query_scene_close(h);
}

static void test_a_policy_that_is_exchanged_holds_from_then_on(void **state)
{
    (void)state;
    const query_scene_options options = query_scene_options_default();
    query_scene *h = query_scene_open(&options);
    const int fd = query_scene_call(h);
    double lon = 0.0;
    double lat = 0.0;
    sc_map_edge_position(h->map, 0, 1.0, &lon, &lat);
    // Some eleven metres south of the southernmost road.
    char body[256];
    for (sc_node_id node = 0; node < sc_map_node_count(h->map); node++) {
        double x = 0.0;
        double y = 0.0;
        sc_map_node_position(h->map, node, &x, &y);
        if (y < lat) lat = y;
    }
    snprintf(body, sizeof body,
             "{\"position\":{\"lon\":%.17g,\"lat\":%.17g},\"profile\":{\"max_wait_s\":0.1},"
             "\"request\":{\"type\":\"knn\",\"k\":1}}",
             lon, lat - 0.0001);
    query_scene_ask(h, fd, "alice", body);
    query_scene_reply reply = query_scene_receive(fd);
    assert_int_equal(reply.status, 200);
    json_decref(reply.body);

    sc_access_rules *now = sc_credentials_hold(h->service.credentials);
    sc_policy policy = now->policy;
    policy.max_snap_m = 5.0;
    sc_revoked *revoked = NULL;
    CHECK_OK(sc_revoked_read(NULL, &revoked, NULL), NULL);
    sc_access_rules *next = sc_access_rules_new(&policy, sc_token_keys_hold(now->keys), revoked);
    assert_non_null(next);
    sc_access_rules_release(now);
    sc_credentials_exchange(h->service.credentials, next);
    query_scene_ask(h, fd, "alice", body);
    reply = query_scene_receive(fd);
    assert_int_equal(reply.status, 422);
    CHECK_CONTAINS(query_scene_text(&reply, "detail"), "within 5 m of");
    json_decref(reply.body);
    close(fd);
    query_scene_close(h);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_no_query_is_taken_without_a_valid_token),
    cmocka_unit_test(test_a_token_that_was_revoked_is_no_longer_good),
    cmocka_unit_test(test_what_cannot_be_asked_is_refused_with_its_field),
    cmocka_unit_test(test_a_body_must_say_that_it_is_json),
    cmocka_unit_test(test_a_user_with_too_many_queries_is_told_when_to_come_back),
    cmocka_unit_test(test_a_query_that_would_cost_too_much_is_refused),
    cmocka_unit_test(test_queries_are_charged_what_they_cost),
    cmocka_unit_test(test_a_user_with_a_large_k_has_its_share_of_waiting),
    cmocka_unit_test(test_who_goes_away_is_pending_until_the_provider_is_done),
    cmocka_unit_test(test_a_full_ledger_is_said_at_once),
    cmocka_unit_test(test_a_service_that_drains_takes_no_query),
    cmocka_unit_test(test_a_policy_that_is_exchanged_holds_from_then_on),
};
SC_SUITE(tests)
