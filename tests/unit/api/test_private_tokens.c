// Queries with anonymous tokens: who is counted, what ends with an epoch, what is asked for.
#include "api/access_policy.h"
#include "api/async_route.h"

#include "query_scene.h"
#include "support/place.h"

#include "base/bytes.h"
#include "oblivious/private_token_http.h"

static const char issuer_name[] = "issuer.example";
static const char origin[] = "cloak.example";

/** A service whose tokens are signed by `key` from the first epoch on. */
typedef struct pass_scene {
    query_scene *h;
    place files;
    sc_pass_key key;
    sc_pass_issuer *issuer;
    int64_t epoch_s;
} pass_scene;

/** Asynchronous queries, too. */
static void handle(void *context, unsigned loop, sc_http_request *request)
{
    query_scene *h = context;
    if (sc_http_request_method(request) == SC_HTTP_POST) {
        sc_query_route_post(h->service.query_route, loop, request);
    } else {
        sc_async_route_look(sc_query_route_async(h->service.query_route), loop, request);
    }
}

static pass_scene pass_scene_open(int64_t epoch_s)
{
    pass_scene s = {.files = place_new(), .epoch_s = epoch_s};
    sc_diag diag = {""};
    sc_blind_rsa_key *rsa = NULL;
    sc_bytes text = {0};
    sc_pass_directory directory = {.request_uri = "/token-request", .count = 1};
    assert_int_equal(sc_blind_rsa_generate(SC_PASS_MODULUS_SIZE, &rsa), SC_OK);
    assert_int_equal(sc_pass_key_init(rsa, &s.key), SC_OK);
    memcpy(directory.keys[0].spki, s.key.spki, sizeof s.key.spki);
    assert_int_equal(sc_pass_directory_write(&directory, &text), SC_OK);
    assert_true(sc_bytes_append(&text, "", 1));
    const sc_pass_issuer_options options = {
        .directory = place_write_text(&s.files, "directory.json", (const char *)text.data),
        .name = issuer_name,
        .origin = origin,
        .epoch_s = epoch_s,
        .refresh_s = 600,
        .retry_s = 10};
    CHECK_OK(sc_pass_issuer_new(&options, &s.issuer, &diag), &diag);
    sc_bytes_fini(&text);
    query_scene_options scene = query_scene_options_default();
    scene.handle = handle;
    s.h = query_scene_open(&scene);
    sc_access_rules *terms = query_scene_terms(&scene.policy);
    terms->pass = s.issuer;
    sc_credentials_exchange(s.h->service.credentials, terms);
    return s;
}

static void pass_scene_close(pass_scene *s)
{
    query_scene_close(s->h);
    sc_pass_issuer_free(s->issuer);
    sc_pass_key_fini(&s->key);
    place_free(&s->files);
}

/** Headers of a request with a new token of an epoch. */
static void make_headers(const pass_scene *s, uint64_t epoch, char out[1024])
{
    sc_pass_challenge challenge = {.has_context = true};
    uint8_t bytes[SC_PASS_CHALLENGE_MAX];
    uint8_t request[SC_PASS_REQUEST_SIZE];
    uint8_t response[SC_PASS_RESPONSE_SIZE];
    uint8_t token[SC_PASS_TOKEN_SIZE];
    char value[SC_PASS_AUTHORIZATION_SIZE];
    sc_pass_pending pending = {0};
    snprintf(challenge.issuer, sizeof challenge.issuer, "%s", issuer_name);
    snprintf(challenge.origins, sizeof challenge.origins, "%s", origin);
    sc_pass_epoch_context(epoch, s->epoch_s, origin, challenge.context);
    const size_t size = sc_pass_challenge_encode(&challenge, bytes);
    assert_int_equal(sc_pass_begin(&s->key, bytes, size, request, &pending), SC_OK);
    assert_int_equal(sc_pass_issue(&s->key, request, sizeof request, response), SC_OK);
    assert_int_equal(sc_pass_finish(&s->key, &pending, response, sizeof response, token), SC_OK);
    sc_pass_authorization_write(token, value);
    snprintf(out, 1024, "Content-Type: application/json\r\nAuthorization: %s\r\n", value);
}

static uint64_t epoch_now(const pass_scene *s)
{
    return sc_pass_epoch(time(NULL), s->epoch_s);
}

static const char query[] =
    "{\"position\":{\"edge\":7,\"offset_m\":1},\"profile\":{\"k\":3,\"l\":2,\"max_hops\":8,"
    "\"max_wait_s\":30},\"request\":{\"type\":\"knn\",\"k\":1}}";

/** An epoch that does not end while the test runs. */
enum { LONG_S = 1 << 30 };

static void test_three_tokens_are_three_users_and_one_twice_is_one(void **state)
{
    (void)state;
    pass_scene s = pass_scene_open(LONG_S);
    char headers[3][1024];
    int fds[3];
    for (size_t i = 0; i < 3; i++) {
        make_headers(&s, epoch_now(&s), headers[i]);
    }
    fds[0] = query_scene_call(s.h);
    fds[1] = query_scene_call(s.h);
    fds[2] = query_scene_call(s.h);
    // One is waiting, so this user may have no second one: it is the same user.
    query_scene_send(fds[0], headers[0], query);
    WAIT_UNTIL(sc_pending_count(s.h->service.pending) == 1);
    query_scene_send(fds[1], headers[0], query);
    HEAR_PROBLEM(fds[1], 429, "pending");
    query_scene_send(fds[1], headers[1], query);
    query_scene_send(fds[2], headers[2], query);
    for (size_t i = 0; i < 3; i++) {
        query_scene_reply reply = query_scene_receive(fds[i]);
        assert_int_equal(reply.status, 200);
        assert_string_equal(query_scene_text(&reply, "outcome"), "answered");
        json_decref(reply.body);
        close(fds[i]);
    }
    assert_int_equal(sc_pass_issuer_stats_of(s.issuer).remembered, 1);
    pass_scene_close(&s);
}

static void test_two_users_with_two_queries_each_are_not_four(void **state)
{
    (void)state;
    pass_scene s = pass_scene_open(LONG_S);
    sc_access_rules *terms = query_scene_terms(&s.h->options.policy);
    terms->policy.user_pending = 2;
    terms->pass = s.issuer;
    sc_credentials_exchange(s.h->service.credentials, terms);
    static const char short_query[] =
        "{\"position\":{\"edge\":7,\"offset_m\":1},\"profile\":{\"k\":3,\"l\":2,\"max_hops\":8,"
        "\"max_wait_s\":0.5},\"request\":{\"type\":\"knn\",\"k\":1}}";
    char headers[2][1024];
    int fds[4];
    make_headers(&s, epoch_now(&s), headers[0]);
    make_headers(&s, epoch_now(&s), headers[1]);
    for (size_t i = 0; i < 4; i++) {
        fds[i] = query_scene_call(s.h);
        query_scene_send(fds[i], headers[i / 2], short_query);
    }
    for (size_t i = 0; i < 4; i++) {
        query_scene_reply reply = query_scene_receive(fds[i]);
        assert_string_equal(query_scene_text(&reply, "outcome"), "dropped");
        json_decref(reply.body);
        close(fds[i]);
    }
    pass_scene_close(&s);
}

static void test_a_refusal_tells_what_to_ask_the_issuer(void **state)
{
    (void)state;
    pass_scene s = pass_scene_open(LONG_S);
    char headers[1024];
    const int fd = query_scene_call(s.h);
    make_headers(&s, epoch_now(&s) + 1, headers);
    query_scene_send(fd, headers, query);
    query_scene_reply reply = query_scene_receive(fd);
    assert_int_equal(reply.status, 401);
    CHECK_CONTAINS(reply.head, "WWW-Authenticate: Bearer");
    CHECK_CONTAINS(query_scene_text(&reply, "detail"), "not for this challenge");
    const char *value = strstr(reply.head, "WWW-Authenticate: PrivateToken ");
    assert_non_null(value);
    value += strlen("WWW-Authenticate: ");
    sc_pass_offer offer;
    size_t count = 0;
    assert_int_equal(sc_pass_authenticate_parse(value, strcspn(value, "\r"), &offer, 1, &count),
                     SC_OK);
    assert_int_equal(count, 1);
    assert_memory_equal(offer.key, s.key.spki, sizeof offer.key);
    json_decref(reply.body);
    // Tokens of accounts are good beside it.
    query_scene_ask(s.h, fd, "ann", "{}");
    HEAR_PROBLEM(fd, 400, "body");
    close(fd);
    pass_scene_close(&s);
}

static void test_no_query_outlives_its_epoch(void **state)
{
    (void)state;
    enum { SHORT_S = 4 };
    pass_scene s = pass_scene_open(SHORT_S);
    char headers[1024];
    const int fd = query_scene_call(s.h);
    query_scene_reply reply = {0};
    uint64_t epoch = 0;
    // One that is asked at the very end of an epoch is told to come back.
    do {
        json_decref(reply.body);
        epoch = epoch_now(&s);
        make_headers(&s, epoch, headers);
        query_scene_send(fd, headers, query);
        reply = query_scene_receive(fd);
    } while (reply.status == 401 || reply.status == 503);
    // Alone, and for 30 s by its own words.
    assert_string_equal(query_scene_text(&reply, "outcome"), "dropped");
    assert_in_range(time(NULL), 0, (int64_t)(epoch + 1) * SHORT_S + SHORT_S - 1);
    json_decref(reply.body);
    close(fd);
    pass_scene_close(&s);
}

static void test_too_little_left_of_an_epoch_is_told(void **state)
{
    (void)state;
    enum { SHORT_S = 2, OFTEN = 20 };
    pass_scene s = pass_scene_open(SHORT_S);
    sc_policy policy = s.h->options.policy;
    policy.least.max_wait_us = sc_time_from_seconds(SHORT_S + 1);
    sc_access_rules *terms = query_scene_terms(&policy);
    terms->pass = s.issuer;
    sc_credentials_exchange(s.h->service.credentials, terms);
    char headers[1024];
    const int fd = query_scene_call(s.h);
    query_scene_reply reply = {0};
    for (int i = 0; i < OFTEN; i++) {
        make_headers(&s, epoch_now(&s), headers);
        query_scene_send(fd, headers, query);
        reply = query_scene_receive(fd);
        if (reply.status != 401) break;
        json_decref(reply.body);
    }
    assert_int_equal(reply.status, 503);
    CHECK_CONTAINS(reply.head, "Retry-After: ");
    CHECK_CONTAINS(query_scene_text(&reply, "detail"), "the epoch of the token is about to end");
    json_decref(reply.body);
    close(fd);
    pass_scene_close(&s);
}

static void test_an_outcome_can_be_read_in_the_next_epoch(void **state)
{
    (void)state;
    enum { SHORT_S = 3 };
    pass_scene s = pass_scene_open(SHORT_S);
    char headers[1024];
    char request[2048];
    char location[64] = "";
    const int fd = query_scene_call(s.h);
    query_scene_reply reply = {0};
    uint64_t epoch = 0;
    static const char async_query[] =
        "{\"position\":{\"edge\":7,\"offset_m\":1},\"profile\":{\"k\":3,\"l\":2,\"max_hops\":8,"
        "\"max_wait_s\":30},\"request\":{\"type\":\"knn\",\"k\":1},\"wait\":0}";
    do {
        json_decref(reply.body);
        epoch = epoch_now(&s);
        make_headers(&s, epoch, headers);
        query_scene_send(fd, headers, async_query);
        reply = query_scene_receive(fd);
    } while (reply.status == 401 || reply.status == 503);
    assert_int_equal(reply.status, 202);
    const char *at = strstr(reply.head, "Location: ");
    assert_non_null(at);
    sscanf(at, "Location: %63[^\r]", location);
    json_decref(reply.body);
    WAIT_UNTIL(epoch_now(&s) > epoch);
    const int size = snprintf(request, sizeof request, "GET %s HTTP/1.1\r\nHost: l\r\n%s\r\n",
                              location, headers);
    assert_int_equal(send(fd, request, (size_t)size, MSG_NOSIGNAL), size);
    reply = query_scene_receive(fd);
    // Two epochs on a busy machine later it would be 401.
    if (epoch_now(&s) == epoch + 1) assert_int_equal(reply.status, 200);
    if (reply.status == 200) assert_string_equal(query_scene_text(&reply, "state"), "dropped");
    json_decref(reply.body);
    // A new query is not taken.
    query_scene_send(fd, headers, query);
    HEAR_PROBLEM(fd, 401, "token");
    close(fd);
    pass_scene_close(&s);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_three_tokens_are_three_users_and_one_twice_is_one),
    cmocka_unit_test(test_two_users_with_two_queries_each_are_not_four),
    cmocka_unit_test(test_a_refusal_tells_what_to_ask_the_issuer),
    cmocka_unit_test(test_no_query_outlives_its_epoch),
    cmocka_unit_test(test_too_little_left_of_an_epoch_is_told),
    cmocka_unit_test(test_an_outcome_can_be_read_in_the_next_epoch),
};
SC_SUITE(tests)
