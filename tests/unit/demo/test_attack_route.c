// POST /v1/attacks over real sockets: what an attack comes to, what is refused, and that a client
// that goes away or is still there at the end leaves nothing behind.
#include "demo/attack_route.h"

#include "attack_scene.h"
#include "support/web_client.h"

#include <pthread.h>

#define JSON "Content-Type: application/json\r\n"
#define NEEDS "\"k\":2,\"l\":3,\"max_hops\":3"
#define CLOAK "{\"segments\":[9,4,5],\"members\":[{" NEEDS "},{" NEEDS "}]}"

// Two roads that no method would publish together: all replays there may be are run, in vain.
#define SLOW                                                             \
    "{\"method\":\"bounded\",\"segments\":[0,35],\"members\":[{\"k\":3," \
    "\"l\":9,\"max_hops\":0},{\"k\":3,\"l\":9,\"max_hops\":0}]}"

static int call(const attack_scene *on)
{
    return query_scene_connect(live_service_address(&on->live));
}

static query_scene_reply ask(const attack_scene *on, const char *body)
{
    const int fd = call(on);
    query_scene_post(fd, ATTACK_PATH, JSON, body);
    const query_scene_reply reply = query_scene_receive(fd);
    close(fd);
    return reply;
}

// --- What it comes to ----------------------------------------------------------------------------

/** How far the numbers of an array sum up. */
static double sum_of(const json_t *array)
{
    double sum = 0.0;
    for (size_t i = 0; i < json_array_size(array); i++) {
        sum += json_number_value(json_array_get(array, i));
    }
    return sum;
}

static json_int_t whole_at(const json_t *array, size_t i)
{
    return json_integer_value(json_array_get(array, i));
}

static void test_a_cloak_is_attacked_by_the_engine_in_force(void **state)
{
    (void)state;
    attack_scene *on = attack_scene_open(2, NULL);
    // On the same connection, twice.
    const int fd = call(on);
    for (int i = 0; i < 2; i++) {
        query_scene_post(fd, ATTACK_PATH, JSON, CLOAK);
        const query_scene_reply reply = query_scene_receive(fd);
        assert_int_equal(reply.status, 200);
        CHECK_CONTAINS(reply.head, "Content-Type: application/json");
        assert_string_equal(query_scene_text(&reply, "method"), "basic");
        assert_true(json_is_true(json_object_get(reply.body, "found")));
        assert_int_equal(json_object_size(reply.body), 12);
        const json_t *segments = json_object_get(reply.body, "segments");
        assert_int_equal(json_array_size(segments), 3);
        assert_int_equal(whole_at(segments, 0), 4);
        assert_int_equal(whole_at(segments, 1), 5);
        assert_int_equal(whole_at(segments, 2), 9);
        assert_int_equal(json_integer_value(json_object_get(reply.body, "members")), 2);
        CHECK_CLOSE(sum_of(json_object_get(reply.body, "linkability")), 1.0, 1e-7);
        assert_int_equal(json_array_size(json_object_get(reply.body, "error")), 3);
        assert_true(json_integer_value(json_object_get(reply.body, "replays")) > 1000);
        json_decref(reply.body);
    }
    close(fd);
    attack_scene_close(on);
}

static void test_expansion_is_attacked_around_the_first_query(void **state)
{
    (void)state;
    attack_scene *on = attack_scene_open(1, NULL);
    const query_scene_reply reply = ask(on, "{\"method\":\"expansion\",\"queries\":["
                                            "{\"segment\":17," NEEDS "},{\"segment\":18," NEEDS "},"
                                            "{\"segment\":35," NEEDS "}]}");
    assert_int_equal(reply.status, 200);
    assert_string_equal(query_scene_text(&reply, "method"), "expansion");
    const json_t *segments = json_object_get(reply.body, "segments");
    const size_t count = json_array_size(segments);
    bool has_first = false;
    for (size_t i = 0; i < count; i++) {
        has_first = has_first || whole_at(segments, i) == 17;
    }
    assert_true(has_first && count >= 3);
    assert_int_equal(json_array_size(json_object_get(reply.body, "linkability")), count);
    json_decref(reply.body);
    attack_scene_close(on);
}

static void test_a_query_without_company_has_no_cloak_to_be_attacked(void **state)
{
    (void)state;
    attack_scene *on = attack_scene_open(1, NULL);
    const query_scene_reply reply = ask(on, "{\"queries\":[{\"segment\":17," NEEDS "}]}");
    assert_int_equal(reply.status, 200);
    assert_true(json_is_false(json_object_get(reply.body, "found")));
    assert_int_equal(json_object_size(reply.body), 2);
    json_decref(reply.body);
    attack_scene_close(on);
}

// --- What is refused -----------------------------------------------------------------------------

static void test_what_cannot_be_read_is_refused_with_its_field(void **state)
{
    (void)state;
    attack_scene *on = attack_scene_open(1, NULL);
    const int fd = call(on);
    query_scene_post(fd, ATTACK_PATH, JSON, "{\"segments\":[1,2],\"members\":[{\"k\":0}]}");
    const query_scene_reply reply = query_scene_receive(fd);
    assert_int_equal(reply.status, 400);
    assert_string_equal(query_scene_text(&reply, "field"), "/members/0/k");
    json_decref(reply.body);
    query_scene_post(fd, ATTACK_PATH, "", CLOAK);
    HEAR_PROBLEM(fd, 415, "media-type");
    web_reply metrics = web_ask(live_service_address(&on->live), "GET", "/metrics", "", NULL);
    CHECK_CONTAINS(metrics.body, "starcloak_refused_total{problem=\"media-type\"} 1\n");
    web_reply_free(&metrics);
    close(fd);
    attack_scene_close(on);
}

static void *drain(void *context)
{
    const attack_scene *on = context;
    assert_int_equal(sc_service_drain(on->live.service, 0, 30.0), 0);
    return NULL;
}

// A request that is under way when it begins to drain is not idle, so its connection stays.
static void test_a_service_that_drains_takes_no_attacks(void **state)
{
    (void)state;
    attack_scene *on = attack_scene_open(1, NULL);
    const int fd = call(on);
    char head[256];
    const int size = snprintf(head, sizeof head,
                              "POST %s HTTP/1.1\r\nHost: localhost\r\n" JSON
                              "Expect: 100-continue\r\nContent-Length: %zu\r\n\r\n",
                              ATTACK_PATH, strlen(CLOAK));
    assert_int_equal(send(fd, head, (size_t)size, MSG_NOSIGNAL), size);
    static const char go_on[] = "HTTP/1.1 100 Continue\r\n\r\n";
    char received[sizeof go_on] = "";
    assert_int_equal(recv(fd, received, sizeof go_on - 1, MSG_WAITALL), sizeof go_on - 1);
    assert_string_equal(received, go_on);
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, drain, on), 0);
    WAIT_UNTIL(sc_service_is_draining(on->live.service));
    assert_int_equal(send(fd, CLOAK, strlen(CLOAK), MSG_NOSIGNAL), strlen(CLOAK));
    const query_scene_reply reply = query_scene_receive(fd);
    assert_int_equal(reply.status, 503);
    assert_string_equal(query_scene_text(&reply, "type"), "urn:starcloak:problem:draining");
    CHECK_CONTAINS(reply.head, "Retry-After: 1");
    json_decref(reply.body);
    close(fd);
    pthread_join(thread, NULL);
    attack_scene_close(on);
}

enum { CROWD = 40 };

/** Many slow attacks at once, each on a connection of its own. */
static void send_crowd(const attack_scene *on, int fds[CROWD])
{
    for (size_t i = 0; i < CROWD; i++) {
        fds[i] = call(on);
        query_scene_post(fds[i], ATTACK_PATH, JSON, SLOW);
    }
}

/** A client is refused, and so knows that others wait; from the last on, who came when many did.
 * Gives how many, the first ones, have not been heard yet. */
static size_t receive_refusal(const int fds[CROWD])
{
    int status = 200;
    size_t left = CROWD;
    while (status == 200 && left > 1) {
        const query_scene_reply reply = query_scene_receive(fds[--left]);
        status = reply.status;
        if (status == 503) {
            assert_string_equal(query_scene_text(&reply, "type"),
                                "urn:starcloak:problem:overloaded");
            CHECK_CONTAINS(reply.head, "Retry-After: 2");
        }
        json_decref(reply.body);
    }
    assert_int_equal(status, 503);
    return left;
}

static void test_too_many_are_told_to_come_again_and_those_who_left_delay_no_others(void **state)
{
    (void)state;
    attack_scene *on = attack_scene_open(1, NULL);
    int fds[CROWD];
    send_crowd(on, fds);
    (void)receive_refusal(fds);
    const query_scene_reply first = query_scene_receive(fds[0]);
    assert_int_equal(first.status, 200);
    assert_true(json_is_true(json_object_get(first.body, "unexplained")));
    json_decref(first.body);
    for (size_t i = 0; i < CROWD; i++) {
        close(fds[i]);
    }
    int status = 503;
    for (int tries = 0; status == 503 && tries < 12000; tries++) {
        const query_scene_reply next = ask(on, CLOAK);
        status = next.status;
        json_decref(next.body);
        usleep(5000);
    }
    assert_int_equal(status, 200);
    attack_scene_close(on);
}

static void test_who_waits_when_it_drains_is_told_so(void **state)
{
    (void)state;
    attack_scene *on = attack_scene_open(2, NULL);
    int fds[CROWD];
    send_crowd(on, fds);
    const size_t left = receive_refusal(fds);
    sc_attack_route_drain(on->attacks);
    // Who came first may have a result, who came too late was refused, and the rest is given up.
    size_t given_up = 0;
    for (size_t i = 0; i < left; i++) {
        const query_scene_reply reply = query_scene_receive(fds[i]);
        if (strcmp(query_scene_text(&reply, "type"), "urn:starcloak:problem:draining") == 0) {
            assert_int_equal(reply.status, 503);
            CHECK_CONTAINS(reply.head, "Retry-After: 1");
            CHECK_CONTAINS(query_scene_text(&reply, "detail"), "given up");
            given_up++;
        }
        json_decref(reply.body);
    }
    assert_true(given_up > 1);
    for (size_t i = 0; i < CROWD; i++) {
        close(fds[i]);
    }
    // So is who comes before the door is closed.
    const query_scene_reply reply = ask(on, CLOAK);
    assert_int_equal(reply.status, 503);
    assert_string_equal(query_scene_text(&reply, "type"), "urn:starcloak:problem:draining");
    json_decref(reply.body);
    attack_scene_close(on);
}

static void test_a_house_can_close_while_attacks_wait(void **state)
{
    (void)state;
    attack_scene *on = attack_scene_open(2, NULL);
    int fds[CROWD];
    send_crowd(on, fds);
    (void)receive_refusal(fds);
    attack_scene_close(on);
    for (size_t i = 0; i < CROWD; i++) {
        close(fds[i]);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_cloak_is_attacked_by_the_engine_in_force),
    cmocka_unit_test(test_expansion_is_attacked_around_the_first_query),
    cmocka_unit_test(test_a_query_without_company_has_no_cloak_to_be_attacked),
    cmocka_unit_test(test_what_cannot_be_read_is_refused_with_its_field),
    cmocka_unit_test(test_a_service_that_drains_takes_no_attacks),
    cmocka_unit_test(test_too_many_are_told_to_come_again_and_those_who_left_delay_no_others),
    cmocka_unit_test(test_who_waits_when_it_drains_is_told_so),
    cmocka_unit_test(test_a_house_can_close_while_attacks_wait),
};
SC_SUITE(tests)
