// Doubts and replies to them, by a running service, against openapi.json.
#include "described.h"

#include <poll.h>
#include <unistd.h>

static const char *word_of(const json_t *object, const char *name)
{
    const char *word = json_string_value(json_object_get(object, name));
    assert_non_null(word);
    return word;
}

/** What comes of it; json_decref() it. */
static json_t *doubt(const fixture *f, const char *body)
{
    web_reply reply = web_ask(live_service_address(&f->live), "POST", "/v1/doubts", "", body);
    openapi_check_text(f->document, "DoubtRequest", body, strlen(body));
    check_described(f, "POST", "/v1/doubts", 200, &reply);
    json_t *value = json_loadb(reply.body, reply.size, JSON_REJECT_DUPLICATES, NULL);
    web_reply_free(&reply);
    return value;
}

/** As many linkabilities and errors as segments, and together they are certain. */
static void check_belief(const json_t *value, const char *method, size_t member_count)
{
    assert_string_equal(word_of(value, "method"), method);
    assert_true(json_is_true(json_object_get(value, "found")));
    assert_int_equal(json_integer_value(json_object_get(value, "members")), member_count);
    const size_t count = json_array_size(json_object_get(value, "segments"));
    const json_t *linkability = json_object_get(value, "linkability");
    assert_int_equal(json_array_size(linkability), count);
    assert_int_equal(json_array_size(json_object_get(value, "error")), count);
    double sum = 0.0;
    for (size_t i = 0; i < count; i++) {
        sum += json_number_value(json_array_get(linkability, i));
    }
    CHECK_CLOSE(sum, 1.0, 1e-3);  // digits may be left out
}

static void test_doubts_are_as_described(void **state)
{
    (void)state;
    fixture f;
    fixture_open(&f);
    live_service_start(&f.live);
    json_t *value = doubt(&f, "{\"segments\":[0,1,2],\"members\":[{\"k\":2,\"l\":2,\"max_hops\":3},"
                              "{\"k\":1,\"l\":3,\"max_hops\":3}]}");
    check_belief(value, "basic", 2);
    assert_int_equal(json_array_size(json_object_get(value, "segments")), 3);
    json_decref(value);
    value = doubt(&f, "{\"method\":\"expansion\",\"queries\":["
                      "{\"segment\":3,\"k\":2,\"l\":3,\"max_hops\":4},"
                      "{\"segment\":4,\"k\":2,\"l\":2,\"max_hops\":4}]}");
    check_belief(value, "expansion", 2);
    json_decref(value);
    // Nobody else is in town, and company is wanted.
    value = doubt(&f, "{\"method\":\"bounded\",\"queries\":["
                      "{\"segment\":3,\"k\":2,\"l\":3,\"max_hops\":4}]}");
    assert_string_equal(word_of(value, "method"), "bounded");
    assert_true(json_is_false(json_object_get(value, "found")));
    json_decref(value);
    fixture_close(&f);
}

/** A problem, as described, that says where. */
static void check_refused(const fixture *f, const char *body, const char *field)
{
    web_reply reply = web_ask(live_service_address(&f->live), "POST", "/v1/doubts", "", body);
    if (reply.status != 400) fail_msg("%s gave %d %s", body, reply.status, reply.body);
    check_described(f, "POST", "/v1/doubts", 400, &reply);
    json_t *problem = json_loadb(reply.body, reply.size, JSON_REJECT_DUPLICATES, NULL);
    if (strcmp(word_of(problem, "field"), field) != 0) {
        fail_msg("%s is refused for %s, not for %s", body, word_of(problem, "field"), field);
    }
    json_decref(problem);
    web_reply_free(&reply);
}

#define NEEDS "\"k\":2,\"l\":2,\"max_hops\":3"

static void test_doubts_that_are_none_are_refused_as_described(void **state)
{
    (void)state;
    static const struct {
        const char *body;
        const char *field;
    } cases[] = {
        {"{\"method\":\"magic\",\"queries\":[{\"segment\":3," NEEDS "}]}", "/method"},
        {"{\"segments\":[],\"members\":[{" NEEDS "}]}", "/segments"},
        {"{\"segments\":[1],\"members\":[]}", "/members"},
        {"{\"queries\":[]}", "/queries"},
        {"{\"segments\":[1,4000000000],\"members\":[{" NEEDS "}]}", "/segments/1"},
        {"{\"segments\":[1],\"members\":[{" NEEDS "},{\"k\":0,\"l\":2,\"max_hops\":3}]}",
         "/members/1/k"},
        {"{\"queries\":[{\"segment\":-1," NEEDS "}]}", "/queries/0/segment"},
    };
    fixture f;
    fixture_open(&f);
    live_service_start(&f.live);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        check_refused(&f, cases[i].body, cases[i].field);
    }
    check_ask(&f, "POST", "/v1/doubts", "", "{", 400);
    check_ask(&f, "POST", "/v1/doubts", "", "[]", 400);
    check_ask(&f, "POST", "/v1/doubts", "", "{}", 400);
    check_ask(&f, "POST", "/v1/doubts", "Content-Type: text/plain\r\n", "{}", 415);
    web_reply reply = web_ask(live_service_address(&f.live), "GET", "/v1/doubts", "", NULL);
    check_described(&f, "POST", "/v1/doubts", 405, &reply);
    assert_string_equal(web_header(&reply, "Allow"), "POST");
    web_reply_free(&reply);
    fixture_close(&f);
}

// Far more at once than may wait: each is answered, and those who must come again are told when.
static void test_too_many_doubts_are_told_to_come_again_as_described(void **state)
{
    (void)state;
    enum { DOUBTS = 24 };
    fixture f;
    fixture_open(&f);
    live_service_start(&f.live);
    int fds[DOUBTS];
    for (size_t i = 0; i < DOUBTS; i++) {
        fds[i] = web_connect(live_service_address(&f.live));
        web_send(fds[i], "POST", "/v1/doubts", "",
                 "{\"segments\":[0,1,2,3,4,5],\"members\":[{" NEEDS "},{" NEEDS "},{" NEEDS "}]}");
    }
    size_t busy = 0;
    for (size_t i = 0; i < DOUBTS; i++) {
        web_reply reply = web_receive(fds[i]);
        check_described(&f, "POST", "/v1/doubts", reply.status == 503 ? 503 : 200, &reply);
        busy += reply.status == 503;
        web_reply_free(&reply);
        close(fds[i]);
    }
    assert_true(busy > 0 && busy < DOUBTS);
    fixture_close(&f);
}

// It would take a while, and a service that is told to stop has no time for it.
static void test_a_doubt_that_is_given_up_while_draining_is_told_as_described(void **state)
{
    (void)state;
    enum { DOUBTS = 8 };
    fixture f;
    fixture_open(&f);
    live_service_start(&f.live);
    int fds[DOUBTS];
    for (size_t i = 0; i < DOUBTS; i++) {
        fds[i] = web_connect(live_service_address(&f.live));
        // Roads that no method would publish together: all replays there may be are run.
        web_send(fds[i], "POST", "/v1/doubts", "",
                 "{\"method\":\"bounded\",\"segments\":[0,35],\"members\":["
                 "{\"k\":3,\"l\":9,\"max_hops\":0},{\"k\":3,\"l\":9,\"max_hops\":0}]}");
    }
    // Once one of them has its reply, all have come.
    struct pollfd waits[DOUBTS];
    for (size_t i = 0; i < DOUBTS; i++) {
        waits[i] = (struct pollfd){.fd = fds[i], .events = POLLIN};
    }
    assert_true(poll(waits, DOUBTS, 60000) >= 1);
    assert_int_equal(sc_service_drain(f.live.service, 0, 30.0), 0);
    size_t given_up = 0;
    for (size_t i = 0; i < DOUBTS; i++) {
        web_reply reply = web_receive(fds[i]);
        check_described(&f, "POST", "/v1/doubts", reply.status == 503 ? 503 : 200, &reply);
        given_up += strstr(reply.body, "urn:starcloak:problem:draining") != NULL;
        web_reply_free(&reply);
        close(fds[i]);
    }
    assert_true(given_up > 0);
    fixture_close(&f);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_doubts_are_as_described),
    cmocka_unit_test(test_doubts_that_are_none_are_refused_as_described),
    cmocka_unit_test(test_too_many_doubts_are_told_to_come_again_as_described),
    cmocka_unit_test(test_a_doubt_that_is_given_up_while_draining_is_told_as_described),
};
SC_SUITE(tests)
