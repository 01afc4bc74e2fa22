// Queries with a life of their own, over real sockets: they outlive connections, are present by
// their lease, are theirs alone who asked, and end once.
#include "query_scene.h"

#include "api/async_route.h"

enum { PATH_SIZE = 64 };

static void route_all(void *context, unsigned loop, sc_http_request *request)
{
    query_scene *h = context;
    sc_route(&h->service, loop, request);
}

static query_scene_options async_options(void)
{
    query_scene_options options = query_scene_options_default();
    options.policy.address_rate = 0.0;
    options.policy.user_pending = 10;
    options.handle = route_all;
    return options;
}

/** Send a request; `more` are whole lines of headers. */
static void send_as(query_scene *h, int fd, const char *user, const char *method, const char *path,
                    const char *more, const char *body)
{
    char token[SC_TOKEN_SIZE];
    char text[4096];
    query_scene_token(h, user, token);
    const int size = snprintf(text, sizeof text,
                              "%s %s HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\n%s"
                              "Content-Type: application/json\r\nContent-Length: %zu\r\n\r\n%s",
                              method, path, token, more, strlen(body), body);
    assert_true(size > 0 && (size_t)size < sizeof text);
    assert_int_equal(send(fd, text, (size_t)size, MSG_NOSIGNAL), size);
}

#define ASYNC "Prefer: respond-async\r\n"
#define BODY(k, max_wait_s)                                                    \
    "{\"position\":{\"edge\":3,\"offset_m\":1},"                               \
    "\"profile\":{\"k\":" k ",\"max_hops\":16,\"max_wait_s\":" max_wait_s "}," \
    "\"request\":{\"type\":\"knn\",\"k\":1}}"

static void post(query_scene *h, int fd, const char *user, const char *more, const char *body)
{
    send_as(h, fd, user, "POST", "/v1/queries", more, body);
}

static void look(query_scene *h, int fd, const char *user, const char *path, const char *search)
{
    char whole[256];
    snprintf(whole, sizeof whole, "%s%s", path, search);
    send_as(h, fd, user, "GET", whole, "", "");
}

/** Where its Location says that it is. */
static void read_location(const query_scene_reply *reply, char out[PATH_SIZE])
{
    const char *at = strcasestr(reply->head, "\r\nLocation: ");
    assert_non_null(at);
    at += strlen("\r\nLocation: ");
    snprintf(out, PATH_SIZE, "%.*s", (int)strcspn(at, "\r"), at);
    assert_true(sc_async_path_is(out));
}

/** Ask; the reply is 202. */
static void ask_async(query_scene *h, int fd, const char *user, const char *more, const char *body,
                      char path[PATH_SIZE])
{
    post(h, fd, user, more, body);
    const query_scene_reply reply = query_scene_receive(fd);
    assert_int_equal(reply.status, 202);
    assert_string_equal(query_scene_text(&reply, "state"), "waiting");
    read_location(&reply, path);
    CHECK_CONTAINS(path, query_scene_text(&reply, "id"));
    json_decref(reply.body);
}

/** A reply to a look: 200 and that state, and a word that its outcome has; "" for none. */
static void check_state(int fd, const char *state, const char *reason)
{
    const query_scene_reply reply = query_scene_receive(fd);
    assert_int_equal(reply.status, 200);
    assert_string_equal(query_scene_text(&reply, "state"), state);
    assert_string_equal(query_scene_text(&reply, "reason"), reason);
    CHECK_CONTAINS(reply.head, "Cache-Control: no-store");
    json_decref(reply.body);
}

static void delete_it(query_scene *h, int fd, const char *user, const char *path)
{
    char first[16] = "";
    send_as(h, fd, user, "DELETE", path, "", "");
    // 204 has no length to read by.
    assert_int_equal(recv(fd, first, 12, MSG_WAITALL), 12);
    assert_memory_equal(first, "HTTP/1.1 204", 12);
}

static sc_async_stats stats_of(const query_scene *h)
{
    return sc_async_route_stats(sc_query_route_async(h->service.query_route));
}

static void test_an_outcome_is_had_on_another_connection_and_again(void **state)
{
    (void)state;
    const query_scene_options options = async_options();
    query_scene *h = query_scene_open(&options);
    char paths[3][PATH_SIZE];
    for (unsigned i = 0; i < 3; i++) {
        const int fd = query_scene_call(h);
        char user[16];
        snprintf(user, sizeof user, "user-%u", i);
        ask_async(h, fd, user, ASYNC, BODY("3", "60"), paths[i]);
        close(fd);
    }
    for (unsigned i = 0; i < 3; i++) {
        char user[16];
        snprintf(user, sizeof user, "user-%u", i);
        // Two wait for it, and later a third one looks.
        const int one = query_scene_call(h);
        const int two = query_scene_call(h);
        look(h, one, user, paths[i], "?wait=30");
        look(h, two, user, paths[i], "?wait=30");
        check_state(one, "answered", "");
        check_state(two, "answered", "");
        look(h, two, user, paths[i], "");
        const query_scene_reply reply = query_scene_receive(two);
        assert_string_equal(query_scene_text(&reply, "outcome"), "answered");
        assert_int_equal(json_array_size(json_object_get(reply.body, "objects")), 1);
        json_decref(reply.body);
        close(one);
        close(two);
    }
    assert_int_equal(sc_ledger_stats_of(h->served->ledger).answered, 3);
    assert_int_equal(sc_ledger_stats_of(h->served->ledger).gone, 0);
    assert_int_equal(stats_of(h).outcomes, 3);
    query_scene_close(h);
}

static void test_the_query_of_another_user_is_as_one_that_never_was(void **state)
{
    (void)state;
    const query_scene_options options = async_options();
    query_scene *h = query_scene_open(&options);
    const int fd = query_scene_call(h);
    char path[PATH_SIZE];
    ask_async(h, fd, "alice", ASYNC, BODY("3", "60"), path);
    char texts[3][2048];
    static const char *const never = "/v1/queries/AAAAAAAAAAAAAAAAAAAAAA";
    const char *const paths[] = {path, never, "/v1/queries/AAAAAAAAAAAAAAAAAAAAA%22"};
    for (unsigned i = 0; i < 3; i++) {
        look(h, fd, "bob", paths[i], "");
        const query_scene_reply reply = query_scene_receive(fd);
        assert_int_equal(reply.status, 404);
        char *text = json_dumps(reply.body, JSON_SORT_KEYS);
        snprintf(texts[i], sizeof texts[i], "%s", text);
        free(text);
        json_decref(reply.body);
    }
    assert_string_equal(texts[0], texts[1]);
    assert_string_equal(texts[0], texts[2]);
    CHECK_CONTAINS(texts[0], "no-such-query");
    send_as(h, fd, "bob", "DELETE", path, "", "");
    HEAR_PROBLEM(fd, 404, "no-such-query");
    // Nor without a token, and it is still there for her.
    static const char bare[] = "GET /v1/queries/x HTTP/1.1\r\nHost: localhost\r\n\r\n";
    assert_int_equal(send(fd, bare, sizeof bare - 1, MSG_NOSIGNAL), sizeof bare - 1);
    HEAR_PROBLEM(fd, 401, "token");
    look(h, fd, "alice", path, "");
    check_state(fd, "waiting", "");
    close(fd);
    query_scene_close(h);
}

static void test_a_client_that_is_away_for_longer_than_its_lease_is_withdrawn(void **state)
{
    (void)state;
    query_scene_options options = async_options();
    options.policy.lease_us = sc_time_from_seconds(0.2);
    query_scene *h = query_scene_open(&options);
    const int fd = query_scene_call(h);
    char path[PATH_SIZE];
    ask_async(h, fd, "alice", ASYNC, BODY("3", "600"), path);
    WAIT_UNTIL(sc_ledger_stats_of(h->served->ledger).gone == 1);
    WAIT_UNTIL(sc_pending_count(h->service.pending) == 0);
    look(h, fd, "alice", path, "");
    check_state(fd, "withdrawn", "lease");
    assert_int_equal(stats_of(h).lapsed, 1);
    // Two are too few for three.
    char others[2][PATH_SIZE];
    ask_async(h, fd, "bob", ASYNC, BODY("3", "0.3"), others[0]);
    ask_async(h, fd, "carol", ASYNC, BODY("2", "0.3"), others[1]);
    look(h, fd, "bob", others[0], "?wait=30");
    check_state(fd, "dropped", "expired");
    close(fd);
    query_scene_close(h);
}

static void test_a_request_that_is_held_keeps_the_lease_and_its_end_does_not_withdraw(void **state)
{
    (void)state;
    query_scene_options options = async_options();
    options.policy.lease_us = sc_time_from_seconds(0.3);
    query_scene *h = query_scene_open(&options);
    const int fd = query_scene_call(h);
    char path[PATH_SIZE];
    ask_async(h, fd, "alice", ASYNC, BODY("3", "600"), path);
    const int held = query_scene_call(h);
    // Three leases long.
    look(h, held, "alice", path, "?wait=0.9");
    check_state(held, "waiting", "");
    look(h, held, "alice", path, "?wait=30");
    WAIT_UNTIL(stats_of(h).pending == 1);
    // Its line is cut: the lease runs out by itself.
    close(held);
    WAIT_UNTIL(stats_of(h).lapsed == 1);
    look(h, fd, "alice", path, "");
    check_state(fd, "withdrawn", "lease");
    close(fd);
    query_scene_close(h);
}

static void test_a_query_that_is_deleted_is_gone_and_those_who_wait_hear_of_it(void **state)
{
    (void)state;
    const query_scene_options options = async_options();
    query_scene *h = query_scene_open(&options);
    const int fd = query_scene_call(h);
    const int held = query_scene_call(h);
    char path[PATH_SIZE];
    ask_async(h, fd, "alice", ASYNC, BODY("3", "600"), path);
    look(h, held, "alice", path, "?wait=30");
    // Held by the time of a second look that is replied to at once, or it sees the 404.
    look(h, fd, "alice", path, "");
    check_state(fd, "waiting", "");
    delete_it(h, fd, "alice", path);
    const query_scene_reply reply = query_scene_receive(held);
    if (reply.status == 200) {
        assert_string_equal(query_scene_text(&reply, "state"), "withdrawn");
        assert_string_equal(query_scene_text(&reply, "reason"), "client");
    } else {
        assert_int_equal(reply.status, 404);
    }
    json_decref(reply.body);
    WAIT_UNTIL(sc_ledger_stats_of(h->served->ledger).gone == 1);
    look(h, held, "alice", path, "");
    HEAR_PROBLEM(held, 404, "no-such-query");
    // An outcome as well.
    close(fd);
    const int other = query_scene_call(h);
    ask_async(h, other, "alice", ASYNC, BODY("3", "0.1"), path);
    look(h, held, "alice", path, "?wait=30");
    check_state(held, "dropped", "expired");
    delete_it(h, other, "alice", path);
    look(h, held, "alice", path, "");
    HEAR_PROBLEM(held, 404, "no-such-query");
    assert_int_equal(stats_of(h).outcomes, 0);
    assert_int_equal(stats_of(h).forgotten_deleted, 2);
    close(other);
    close(held);
    query_scene_close(h);
}

#define KEY "Idempotency-Key: \"once\"\r\n"

static void test_a_repeated_request_is_the_same_query(void **state)
{
    (void)state;
    query_scene_options options = async_options();
    options.policy.user_pending = 1;
    query_scene *h = query_scene_open(&options);
    const int held = query_scene_call(h);
    const int fd = query_scene_call(h);
    // Held, and its line is cut: the query goes on.
    post(h, held, "alice", KEY, BODY("3", "60"));
    WAIT_UNTIL(sc_ledger_pending(h->served->ledger) == 1);
    close(held);
    char path[PATH_SIZE];
    ask_async(h, fd, "alice", KEY ASYNC, BODY("3", "60"), path);
    post(h, fd, "alice", KEY, BODY("3", "61"));
    HEAR_PROBLEM(fd, 422, "idempotency-mismatch");
    // The key of another user is another one; and a service that stops still knows this one.
    char other[PATH_SIZE];
    ask_async(h, fd, "bob", KEY ASYNC, BODY("3", "60"), other);
    assert_string_not_equal(path, other);
    const int again = query_scene_call(h);
    post(h, again, "alice", KEY, BODY("3", "60"));
    ask_async(h, fd, "carol", ASYNC, BODY("3", "60"), other);
    query_scene_reply reply = query_scene_receive(again);
    assert_int_equal(reply.status, 200);
    assert_string_equal(query_scene_text(&reply, "outcome"), "answered");
    read_location(&reply, other);
    assert_string_equal(other, path);
    json_decref(reply.body);
    atomic_store(&h->service.is_draining, true);
    post(h, fd, "alice", KEY, BODY("3", "60"));
    reply = query_scene_receive(fd);
    assert_string_equal(query_scene_text(&reply, "outcome"), "answered");
    json_decref(reply.body);
    assert_int_equal(sc_ledger_stats_of(h->served->ledger).taken, 3);
    assert_int_equal(stats_of(h).repeated, 3);
    close(fd);
    close(again);
    query_scene_close(h);
}

static void test_a_query_that_failed_gives_its_key_back(void **state)
{
    (void)state;
    query_scene_options options = async_options();
    options.provider = "http://127.0.0.1:1/v1/evaluate";
    options.policy.least.k = 1;
    query_scene *h = query_scene_open(&options);
    const int fd = query_scene_call(h);
    char paths[2][PATH_SIZE];
    for (unsigned i = 0; i < 2; i++) {
        post(h, fd, "alice", KEY, BODY("1", "60"));
        const query_scene_reply reply = query_scene_receive(fd);
        assert_in_range(reply.status, 502, 504);
        CHECK_CONTAINS(reply.head, "application/problem+json");
        read_location(&reply, paths[i]);
        json_decref(reply.body);
    }
    assert_string_not_equal(paths[0], paths[1]);
    assert_int_equal(sc_ledger_stats_of(h->served->ledger).taken, 2);
    look(h, fd, "alice", paths[0], "");
    const query_scene_reply reply = query_scene_receive(fd);
    assert_int_equal(reply.status, 200);
    assert_string_equal(query_scene_text(&reply, "state"), "failed");
    assert_in_range(json_integer_value(json_object_get(reply.body, "status")), 502, 504);
    json_decref(reply.body);
    close(fd);
    query_scene_close(h);
}

static void test_a_query_whose_cloak_has_left_says_so_and_needs_no_client(void **state)
{
    (void)state;
    // A provider that is connected to and says nothing.
    struct sockaddr_in here = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t size = sizeof here;
    const int silent = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(silent, (const struct sockaddr *)&here, size), 0);
    assert_int_equal(listen(silent, 8), 0);
    assert_int_equal(getsockname(silent, (struct sockaddr *)&here, &size), 0);
    char url[64];
    snprintf(url, sizeof url, "http://127.0.0.1:%u/", ntohs(here.sin_port));
    query_scene_options options = async_options();
    options.provider = url;
    options.provider_deadline_s = 1.0;
    options.policy.lease_us = sc_time_from_seconds(0.2);
    options.policy.least.k = 1;
    query_scene *h = query_scene_open(&options);
    const int fd = query_scene_call(h);
    char path[PATH_SIZE];
    ask_async(h, fd, "alice", ASYNC, BODY("1", "60"), path);
    look(h, fd, "alice", path, "?wait=30&known=waiting");
    check_state(fd, "cloaked", "");
    // Away for several leases: what has left is not called back.
    WAIT_UNTIL(stats_of(h).outcomes == 1);
    const sc_ledger_stats stats = sc_ledger_stats_of(h->served->ledger);
    assert_int_equal(stats.gone + stats.gone_published, 0);
    look(h, fd, "alice", path, "?known=cloaked");
    const query_scene_reply reply = query_scene_receive(fd);
    assert_string_equal(query_scene_text(&reply, "state"), "failed");
    json_decref(reply.body);
    close(fd);
    query_scene_close(h);
    close(silent);
}

static void test_an_outcome_is_forgotten_after_its_time(void **state)
{
    (void)state;
    query_scene_options options = async_options();
    options.policy.outcome_keep_us = sc_time_from_seconds(0.1);
    query_scene *h = query_scene_open(&options);
    const int fd = query_scene_call(h);
    char path[PATH_SIZE];
    ask_async(h, fd, "alice", ASYNC, BODY("3", "0.1"), path);
    WAIT_UNTIL(stats_of(h).forgotten_untold == 1);
    assert_int_equal(stats_of(h).bytes, 0);
    look(h, fd, "alice", path, "");
    HEAR_PROBLEM(fd, 404, "no-such-query");
    close(fd);
    query_scene_close(h);
}

static void test_what_cannot_be_read_is_refused_with_its_field(void **state)
{
    (void)state;
    const query_scene_options options = async_options();
    query_scene *h = query_scene_open(&options);
    const int fd = query_scene_call(h);
    char path[PATH_SIZE];
    ask_async(h, fd, "alice", "",
              "{\"wait\":0,"
              "\"position\":{\"edge\":3,\"offset_m\":1},"
              "\"request\":{\"type\":\"knn\",\"k\":1}}",
              path);
    static const struct {
        const char *search;
        const char *field;
    } searches[] = {{"?wait=31", "parameter wait"},
                    {"?wait=", "parameter wait"},
                    {"?wait=-1", "parameter wait"},
                    {"?known=gone", "parameter known"}};
    for (size_t i = 0; i < sizeof searches / sizeof *searches; i++) {
        look(h, fd, "alice", path, searches[i].search);
        const query_scene_reply reply = query_scene_receive(fd);
        assert_int_equal(reply.status, 400);
        assert_string_equal(query_scene_text(&reply, "field"), searches[i].field);
        json_decref(reply.body);
    }
    post(h, fd, "alice", "Idempotency-Key: a b\r\n", BODY("3", "1"));
    query_scene_reply reply = query_scene_receive(fd);
    assert_int_equal(reply.status, 400);
    assert_string_equal(query_scene_text(&reply, "field"), "Idempotency-Key");
    json_decref(reply.body);
    send_as(h, fd, "alice", "PUT", path, "", "");
    reply = query_scene_receive(fd);
    assert_in_range(reply.status, 405, 501);
    json_decref(reply.body);
    close(fd);
    query_scene_close(h);
}

static void test_all_that_are_asked_and_left_are_accounted_for(void **state)
{
    (void)state;
    enum { ROUNDS = 4, CROWD = 24 };
    query_scene_options options = async_options();
    options.policy.lease_us = sc_time_from_seconds(0.15);
    options.policy.outcome_keep_us = sc_time_from_seconds(0.05);
    options.policy.max_outcomes = 5;
    query_scene *h = query_scene_open(&options);
    for (unsigned round = 0; round < ROUNDS; round++) {
        int fds[CROWD];
        for (unsigned i = 0; i < CROWD; i++) {
            char user[16];
            snprintf(user, sizeof user, "user-%u", i);
            fds[i] = query_scene_call(h);
            post(h, fds[i], user, i % 3 == 0 ? "Prefer: respond-async, wait=1\r\n" : KEY ASYNC,
                 BODY("3", "0.3"));
            // Some lines are cut at once, some while they are held.
            if ((i + round) % 4 == 0) close(fds[i]);
        }
        for (unsigned i = 0; i < CROWD; i++) {
            if ((i + round) % 4 == 0) continue;
            const query_scene_reply reply = query_scene_receive(fds[i]);
            assert_true(reply.status == 200 || reply.status == 202 || reply.status == 429);
            json_decref(reply.body);
            close(fds[i]);
        }
        WAIT_UNTIL(sc_pending_count(h->service.pending) == 0);
        WAIT_UNTIL(stats_of(h).outcomes == 0);
    }
    const sc_async_stats stats = stats_of(h);
    const sc_ledger_stats ledger = sc_ledger_stats_of(h->served->ledger);
    assert_int_equal(stats.asked, ledger.taken);
    assert_int_equal(stats.asked, stats.forgotten_told + stats.forgotten_untold +
                                      stats.forgotten_crowded_out + stats.forgotten_deleted);
    assert_int_equal(stats.lapsed, ledger.gone);
    assert_int_equal(ledger.violations, 0);
    query_scene_close(h);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_an_outcome_is_had_on_another_connection_and_again),
    cmocka_unit_test(test_the_query_of_another_user_is_as_one_that_never_was),
    cmocka_unit_test(test_a_client_that_is_away_for_longer_than_its_lease_is_withdrawn),
    cmocka_unit_test(test_a_request_that_is_held_keeps_the_lease_and_its_end_does_not_withdraw),
    cmocka_unit_test(test_a_query_that_is_deleted_is_gone_and_those_who_wait_hear_of_it),
    cmocka_unit_test(test_a_repeated_request_is_the_same_query),
    cmocka_unit_test(test_a_query_that_failed_gives_its_key_back),
    cmocka_unit_test(test_a_query_whose_cloak_has_left_says_so_and_needs_no_client),
    cmocka_unit_test(test_an_outcome_is_forgotten_after_its_time),
    cmocka_unit_test(test_what_cannot_be_read_is_refused_with_its_field),
    cmocka_unit_test(test_all_that_are_asked_and_left_are_accounted_for),
};
SC_SUITE(tests)
