// Queries in and outcomes out, over real sockets: answers are exact, company is needed, a
// client that goes away leaves, and every query ends once.
#include "query_scene.h"

#include <pthread.h>

/** A traveller on a road, and what was asked. */
typedef struct traveller {
    char user[16];
    int fd;
    sc_edge_id edge;
    double offset_m;
    sc_direction direction;
    sc_request request;
} traveller;

// Travellers ask for different things, some by where they are on the globe.
static void ask_by(query_scene *h, int fd, traveller *t, unsigned number, const char *profile)
{
    *t = (traveller){.fd = fd,
                     .edge = number % sc_map_edge_count(h->map),
                     .request = {.type = SC_REQUEST_KNN, .k = 1 + number % 4}};
    snprintf(t->user, sizeof t->user, "user-%u", number);
    t->offset_m = sc_map_edge_length_m(h->map, t->edge) * 0.3;
    char position[128];
    snprintf(position, sizeof position, "{\"edge\":%u,\"offset_m\":%.17g}", t->edge, t->offset_m);
    if (number % 2 == 1) {
        double lon = 0.0;
        double lat = 0.0;
        sc_map_edge_position(h->map, t->edge, t->offset_m, &lon, &lat);
        const unsigned heading_deg = number * 50 % 361;
        snprintf(position, sizeof position, "{\"lon\":%.17g,\"lat\":%.17g,\"heading_deg\":%u}", lon,
                 lat, heading_deg);
        sc_snap snap;
        CHECK_OK(sc_map_snap(h->map, lon, lat, 1.0, &snap), NULL);
        t->edge = snap.edge;
        t->direction = sc_map_edge_direction(h->map, t->edge, heading_deg);
        t->offset_m = snap.offset_m;
    }
    char request[128];
    t->request.metric = number % 4 < 2 ? SC_METRIC_TIME : SC_METRIC_DISTANCE;
    snprintf(request, sizeof request, "{\"type\":\"knn\",\"k\":%u%s}", t->request.k,
             t->request.metric == SC_METRIC_TIME ? "" : ",\"metric\":\"distance\"");
    if (number % 3 == 0) {
        t->request = (sc_request){.type = SC_REQUEST_RANGE,
                                  .radius_m = 250.0,
                                  .category_count = 1,
                                  .categories = {sc_map_category_find(h->map, "cafe")}};
        snprintf(request, sizeof request,
                 "{\"type\":\"range\",\"radius_m\":250,\"categories\":[\"cafe\"]}");
    }
    char body[512];
    snprintf(body, sizeof body, "{\"position\":%s,\"profile\":%s,\"request\":%s}", position,
             profile, request);
    query_scene_ask(h, t->fd, t->user, body);
}

// The same on a connection of its own.
static void traveller_ask(query_scene *h, traveller *t, unsigned number, const char *profile)
{
    ask_by(h, query_scene_call(h), t, number, profile);
}

static void check_objects(query_scene *h, const traveller *t, const json_t *objects)
{
    const sc_near *wanted = NULL;
    size_t count = 0;
    sc_diag diag = {""};
    CHECK_OK(sc_lbs_nearest(h->lbs, h->objects,
                            &(sc_near_query){{t->edge, t->offset_m, t->direction}, &t->request},
                            &wanted, &count, &diag),
             &diag);
    assert_int_equal(json_array_size(objects), count);
    for (size_t i = 0; i < count; i++) {
        const json_t *object = json_array_get(objects, i);
        char id[16];
        snprintf(id, sizeof id, "%u", wanted[i].object);
        assert_string_equal(json_string_value(json_object_get(object, "id")), id);
        assert_string_equal(json_string_value(json_object_get(object, "name")),
                            sc_map_object_name(h->map, wanted[i].object));
        CHECK_CLOSE(json_number_value(json_object_get(object, "duration_s")), wanted[i].duration_s,
                    1e-6);
        CHECK_CLOSE(json_number_value(json_object_get(object, "distance_m")), wanted[i].distance_m,
                    1e-6);
        const sc_object *row = &sc_map_objects(h->map)[wanted[i].object];
        double lon = 0.0;
        double lat = 0.0;
        sc_map_edge_position(h->map, row->edge, row->offset * sc_map_unit_m(h->map), &lon, &lat);
        const json_t *position = json_object_get(object, "position");
        CHECK_CLOSE(json_number_value(json_object_get(position, "lon")), lon, 1e-8);
        CHECK_CLOSE(json_number_value(json_object_get(position, "lat")), lat, 1e-8);
    }
}

static void traveller_check_answer(query_scene *h, const traveller *t, unsigned k, unsigned l)
{
    const query_scene_reply reply = query_scene_receive(t->fd);
    assert_int_equal(reply.status, 200);
    CHECK_CONTAINS(reply.head, "Content-Type: application/json");
    assert_string_equal(query_scene_text(&reply, "outcome"), "answered");
    const json_t *cloak = json_object_get(reply.body, "cloak");
    assert_true(json_integer_value(json_object_get(cloak, "users")) >= k);
    assert_true(json_integer_value(json_object_get(cloak, "segments")) >= l);
    assert_true(json_number_value(json_object_get(reply.body, "wait_s")) < 60.0);
    check_objects(h, t, json_object_get(reply.body, "objects"));
    json_decref(reply.body);
}

enum { CROWD = 24 };

static void test_travellers_together_get_the_answers_they_would_get_alone(void **state)
{
    (void)state;
    const query_scene_options options = query_scene_options_default();
    query_scene *h = query_scene_open(&options);
    traveller crowd[CROWD];
    int fds[CROWD];
    for (unsigned i = 0; i < CROWD; i++) {
        fds[i] = query_scene_call(h);
    }
    // Twice on the same connections.
    for (unsigned round = 0; round < 2; round++) {
        for (unsigned i = 0; i < CROWD; i++) {
            ask_by(h, fds[i], &crowd[i], i, "{\"k\":4,\"l\":3,\"max_hops\":16,\"max_wait_s\":60}");
        }
        for (unsigned i = 0; i < CROWD; i++) {
            traveller_check_answer(h, &crowd[i], 4, 3);
        }
    }
    const sc_ledger_stats stats = sc_ledger_stats_of(h->served->ledger);
    assert_int_equal(stats.answered, 2 * CROWD);
    assert_int_equal(stats.violations, 0);
    for (unsigned i = 0; i < CROWD; i++) {
        close(fds[i]);
    }
    query_scene_close(h);
}

static void check_dropped(int fd, const char *reason)
{
    const query_scene_reply reply = query_scene_receive(fd);
    assert_int_equal(reply.status, 200);
    assert_string_equal(query_scene_text(&reply, "outcome"), "dropped");
    assert_string_equal(query_scene_text(&reply, "reason"), reason);
    assert_non_null(json_object_get(reply.body, "wait_s"));
    assert_true(strlen(query_scene_text(&reply, "advice")) > 0);
    json_decref(reply.body);
}

static const char crowd_profile[] = "{\"k\":4,\"l\":3,\"max_hops\":16,\"max_wait_s\":60}";

static void test_a_rare_request_is_not_sent_twice_and_the_others_get_their_answers(void **state)
{
    (void)state;
    query_scene_options options = query_scene_options_default();
    options.rare_users = 5;
    query_scene *h = query_scene_open(&options);
    // Four travellers who ask for different things; the second time three others ask for other
    // things than the first.
    static const unsigned numbers[2][4] = {{1, 2, 3, 4}, {1, 26, 27, 28}};
    traveller crowd[4];
    for (unsigned round = 0; round < 2; round++) {
        for (unsigned i = 0; i < 4; i++) {
            traveller_ask(h, &crowd[i], numbers[round][i], crowd_profile);
        }
        for (unsigned i = 0; i < 4; i++) {
            // The one that was left out still counts: all hid among four.
            if (round == 1 && i == 0) {
                check_dropped(crowd[i].fd, "rare-request");
            } else {
                traveller_check_answer(h, &crowd[i], 4, 3);
            }
            close(crowd[i].fd);
        }
    }
    const sc_ledger_stats stats = sc_ledger_stats_of(h->served->ledger);
    assert_int_equal(stats.answered, 7);
    assert_int_equal(stats.dropped[SC_DROP_RARE_REQUEST], 1);
    assert_int_equal(stats.violations, 0);
    query_scene_close(h);
}

static void test_requests_that_are_rounded_get_exact_answers_and_a_rare_crowd_none(void **state)
{
    (void)state;
    query_scene_options options = query_scene_options_default();
    options.rare_users = 1000;
    query_scene *h = query_scene_open(&options);
    traveller crowd[CROWD];
    for (unsigned round = 0; round < 2; round++) {
        for (unsigned i = 0; i < CROWD; i++) {
            traveller_ask(h, &crowd[i], i, crowd_profile);
        }
        for (unsigned i = 0; i < CROWD; i++) {
            if (round == 0) {
                traveller_check_answer(h, &crowd[i], 4, 3);
            } else {
                check_dropped(crowd[i].fd, "rare-request");
            }
            close(crowd[i].fd);
        }
    }
    query_scene_close(h);
}

static void test_a_query_without_company_is_dropped_and_may_be_asked_again(void **state)
{
    (void)state;
    const query_scene_options options = query_scene_options_default();
    query_scene *h = query_scene_open(&options);
    traveller t;
    traveller_ask(h, &t, 1, "{\"max_wait_s\":0.1}");
    check_dropped(t.fd, "expired");
    // On the same connection, and more roads than there are.
    query_scene_ask(h, t.fd, t.user,
                    "{\"position\":{\"edge\":1,\"offset_m\":0},\"profile\":{\"l\":5000},"
                    "\"request\":{\"type\":\"knn\",\"k\":1}}");
    check_dropped(t.fd, "infeasible");
    close(t.fd);
    query_scene_close(h);
}

static void test_a_query_that_goes_away_does_not_count_for_the_k_of_others(void **state)
{
    (void)state;
    query_scene_options options = query_scene_options_default();
    options.jitter_s = 0.0;
    query_scene *h = query_scene_open(&options);
    traveller here;
    traveller gone;
    traveller_ask(h, &gone, 1, "{\"k\":3,\"max_hops\":16,\"max_wait_s\":600}");
    WAIT_UNTIL(sc_ledger_pending(h->served->ledger) == 1);
    close(gone.fd);
    WAIT_UNTIL(sc_ledger_stats_of(h->served->ledger).gone == 1);
    WAIT_UNTIL(sc_pending_count(h->service.pending) == 0);

    // Two are too few for three.
    traveller_ask(h, &here, 2, "{\"k\":3,\"max_hops\":16,\"max_wait_s\":0.3}");
    traveller other;
    traveller_ask(h, &other, 4, "{\"k\":2,\"max_hops\":16,\"max_wait_s\":0.3}");
    check_dropped(here.fd, "expired");
    close(here.fd);
    close(other.fd);
    query_scene_close(h);
}

#define ALONE_FOR(max_wait_s)                      \
    "{\"position\":{\"edge\":3,\"offset_m\":1},"   \
    "\"profile\":{\"max_wait_s\":" max_wait_s "}," \
    "\"request\":{\"type\":\"knn\",\"k\":1}}"

static void test_one_query_of_a_user_at_a_time(void **state)
{
    (void)state;
    const query_scene_options options = query_scene_options_default();
    query_scene *h = query_scene_open(&options);
    static const char body[] = ALONE_FOR("0.4");
    static const char *const longer[] = {body, ALONE_FOR("2"), ALONE_FOR("10"), ALONE_FOR("50")};
    const int first = query_scene_call(h);
    const int second = query_scene_call(h);
    query_scene_reply reply = {0};
    for (uint64_t i = 0; i < 4 && reply.status != 429; i++) {
        // On a busy machine the first may be over before the second is there.
        if (i > 0) {
            json_decref(reply.body);
            check_dropped(first, "expired");
        }
        query_scene_ask(h, first, "alice", longer[i]);
        WAIT_UNTIL(sc_ledger_stats_of(h->served->ledger).taken > 2 * i);
        query_scene_ask(h, second, "alice", body);
        reply = query_scene_receive(second);
    }
    assert_int_equal(reply.status, 429);
    assert_string_equal(query_scene_text(&reply, "type"), "urn:starcloak:problem:pending");
    CHECK_CONTAINS(reply.head, "Retry-After: 1");
    json_decref(reply.body);
    assert_int_equal(sc_refusals_of(&h->service, SC_PROBLEM_PENDING), 1);
    // Another user may, and so may alice when she has her outcome.
    query_scene_ask(h, second, "bob", body);
    check_dropped(first, "expired");
    query_scene_ask(h, first, "alice", body);
    check_dropped(second, "expired");
    check_dropped(first, "expired");
    close(first);
    close(second);
    query_scene_close(h);
}

static void test_a_user_may_have_several_where_that_is_allowed_but_counts_once(void **state)
{
    (void)state;
    query_scene_options options = query_scene_options_default();
    options.policy.user_pending = 3;
    query_scene *h = query_scene_open(&options);
    int fds[3];
    for (int i = 0; i < 3; i++) {
        fds[i] = query_scene_call(h);
        query_scene_ask(h, fds[i], "alice",
                        "{\"position\":{\"edge\":3,\"offset_m\":1},"
                        "\"profile\":{\"k\":2,\"max_hops\":16,\"max_wait_s\":0.4},"
                        "\"request\":{\"type\":\"knn\",\"k\":1}}");
    }
    for (int i = 0; i < 3; i++) {
        check_dropped(fds[i], "expired");
        close(fds[i]);
    }
    query_scene_close(h);
}

static void test_a_provider_that_is_not_there_is_a_failure_and_no_answer(void **state)
{
    (void)state;
    query_scene_options options = query_scene_options_default();
    options.provider = "http://127.0.0.1:1/v1/evaluate";
    query_scene *h = query_scene_open(&options);
    traveller crowd[4];
    for (unsigned i = 0; i < 4; i++) {
        traveller_ask(h, &crowd[i], i, "{\"k\":4,\"l\":1,\"max_hops\":16,\"max_wait_s\":60}");
    }
    for (unsigned i = 0; i < 4; i++) {
        const query_scene_reply reply = query_scene_receive(crowd[i].fd);
        // On a busy machine it may even be too late to ask.
        assert_in_range(reply.status, 502, 504);
        assert_string_equal(query_scene_text(&reply, "outcome"), "failed");
        CHECK_CONTAINS(query_scene_text(&reply, "reason"),
                       reply.status == 503 ? "not_sent_in_time" : "provider_");
        json_decref(reply.body);
        close(crowd[i].fd);
    }
    query_scene_close(h);
}

static void test_a_house_may_be_closed_with_travellers_in_it(void **state)
{
    (void)state;
    query_scene_options options = query_scene_options_default();
    options.jitter_s = 300.0;
    query_scene *h = query_scene_open(&options);
    traveller crowd[CROWD];
    for (unsigned i = 0; i < CROWD; i++) {
        // Some wait alone, some are reserved and wait for their moment.
        traveller_ask(h, &crowd[i], i,
                      i % 2 == 0 ? "{\"k\":3,\"max_wait_s\":600}"
                                 : "{\"k\":900,\"max_wait_s\":600}");
    }
    WAIT_UNTIL(sc_ledger_pending(h->served->ledger) == CROWD);
    query_scene_close(h);
    for (unsigned i = 0; i < CROWD; i++) {
        close(crowd[i].fd);
    }
}

static void test_clients_that_come_and_go_are_all_accounted_for(void **state)
{
    (void)state;
    const query_scene_options options = query_scene_options_default();
    query_scene *h = query_scene_open(&options);
    enum { ROUNDS = 6 };
    uint64_t asked = 0;
    for (int round = 0; round < ROUNDS; round++) {
        traveller crowd[CROWD];
        bool is_gone[CROWD];
        for (unsigned i = 0; i < CROWD; i++) {
            traveller_ask(h, &crowd[i], i, "{\"k\":3,\"max_hops\":16,\"max_wait_s\":0.2}");
            is_gone[i] = (i + (unsigned)round) % 3 == 0;
            if (is_gone[i]) close(crowd[i].fd);
            asked++;
        }
        for (unsigned i = 0; i < CROWD; i++) {
            if (is_gone[i]) continue;
            const query_scene_reply reply = query_scene_receive(crowd[i].fd);
            assert_int_equal(reply.status, 200);
            json_decref(reply.body);
            close(crowd[i].fd);
        }
        WAIT_UNTIL(sc_pending_count(h->service.pending) == 0);
    }
    const sc_ledger_stats s = sc_ledger_stats_of(h->served->ledger);
    assert_int_equal(s.pending, 0);
    assert_int_equal(s.violations, 0);
    // A client that was gone before its query had come as a whole is in none of them.
    assert_true(s.taken <= asked);
    assert_int_equal(s.taken, s.answered + s.dropped[SC_DROP_EXPIRED] + s.gone);
    query_scene_close(h);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_travellers_together_get_the_answers_they_would_get_alone),
    cmocka_unit_test(test_a_rare_request_is_not_sent_twice_and_the_others_get_their_answers),
    cmocka_unit_test(test_requests_that_are_rounded_get_exact_answers_and_a_rare_crowd_none),
    cmocka_unit_test(test_a_query_without_company_is_dropped_and_may_be_asked_again),
    cmocka_unit_test(test_a_query_that_goes_away_does_not_count_for_the_k_of_others),
    cmocka_unit_test(test_one_query_of_a_user_at_a_time),
    cmocka_unit_test(test_a_user_may_have_several_where_that_is_allowed_but_counts_once),
    cmocka_unit_test(test_a_provider_that_is_not_there_is_a_failure_and_no_answer),
    cmocka_unit_test(test_a_house_may_be_closed_with_travellers_in_it),
    cmocka_unit_test(test_clients_that_come_and_go_are_all_accounted_for),
};
SC_SUITE(tests)
