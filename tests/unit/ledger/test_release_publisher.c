// What leaves for a cloak with members of two gateways, and what the other one makes of the result.
//
// Queries 1 and 2 are ours, 1000 and 1001 the other gateway's. Query i asks for the 1 + i % 3
// nearest.
#include "ledger/release.h"

#include "base/alloc.h"
#include "support/check.h"
#include "support/ledger_fixture.h"
#include "support/streams.h"

static const uint32_t mixed[] = {1000, 1, 1001, 2, 0};

typedef struct scene {
    ledger_fixture ledger_fixture;
    sc_rng rng;
    sc_vocabulary vocabulary;
    sc__publisher publisher;
    sc_errand *errand;  ///< that was sent
    bool is_busy;
} scene;

static sc_err take_errand(void *context, sc_errand *errand)
{
    scene *s = context;
    if (s->is_busy) return SC_EBUSY;
    assert_null(s->errand);
    s->errand = errand;
    return SC_OK;
}

static scene *scene_open(void)
{
    scene *s = test_take(1, sizeof *s);
    const sc__ledger_state_options options = ledger_options();
    ledger_open(&s->ledger_fixture, &options, 1);
    sc_rng_seed(&s->rng, 2);
    CHECK_OK(sc_vocabulary_init_from_map(s->ledger_fixture.map, &s->vocabulary), NULL);
    s->publisher = (sc__publisher){
        .map = s->ledger_fixture.map,
        .rng = &s->rng,
        .send = take_errand,
        .send_context = s,
        .vocabulary = &s->vocabulary,
        .provider_deadline_us = 9000,
    };
    for (uint32_t i = 1; i <= 2; i++) {
        sc_ticket *ticket = ledger_ask(&s->ledger_fixture, i, 4000, 0);
        ticket->at.edge = 3;
        ticket->at.offset_m = 0.25 * i;
    }
    return s;
}

static void scene_close(scene *s)
{
    sc__errand_free(s->errand);
    sc__publisher_fini(&s->publisher);
    sc__publisher_fini(&s->publisher);
    sc_vocabulary_fini(&s->vocabulary);
    ledger_close(&s->ledger_fixture);
    free(s);
}

static uint32_t k_of(uint32_t number)
{
    return 1 + number % 3;
}

/** Each place is that of one of our members, beside its own request. */
static void check_seats(const scene *s)
{
    const sc_errand *errand = s->errand;
    assert_int_equal(errand->place_count, 2);
    bool has_seat[2] = {false};
    for (size_t i = 0; i < 2; i++) {
        const sc_answer_place *place = &errand->places[i];
        const uint32_t number = place->at.offset_m > 0.3 ? 2 : 1;
        has_seat[number - 1] = true;
        assert_int_equal(place->at.edge, 3);
        assert_int_equal(errand->relay->requests[place->request].k, k_of(number));
    }
    assert_true(has_seat[0] && has_seat[1]);
}

/** As R: the proposal is released, and due. */
static sc_reservation *due_here(scene *s)
{
    ledger_fixture *d = &s->ledger_fixture;
    const sc_proposal_id id = ledger_reserve(d, ledger_proposal(d, mixed, PEER_SELF), 0);
    ledger_check_msg(d, SC_MSG_OK, PEER_WORKER, &id);
    ledger_release(d, &id, (const uint32_t[]){1001, 1000, 0}, 3000, 0);
    sc_reservation *reservation = sc__ledger_state_take_due(d->ledger_state, 200);
    assert_non_null(reservation);
    return reservation;
}

static void test_what_leaves_has_everybodys_requests_and_our_places(void **state)
{
    (void)state;
    scene *s = scene_open();
    sc_reservation *reservation = due_here(s);
    sc__departure left;
    assert_int_equal(sc__publish(&s->publisher, reservation, 200, &left), SC_FAILURE_NONE);
    const sc_errand *errand = s->errand;
    assert_ptr_equal(left.relay, errand->relay);
    assert_int_equal(left.users, 4);
    assert_int_equal(left.number, errand->number);
    assert_ptr_equal(sc__errand_reservation(errand), reservation);
    check_seats(s);
    // 1000 and 1 ask for the same, and so do 1001 and 2.
    assert_int_equal(errand->relay->request_count, 2);
    assert_int_equal(errand->relay->segment_count, 1);
    assert_true(errand->wants_reply);
    assert_null(errand->given);
    // Before the least deadline by anybody's clock.
    assert_int_equal(errand->leave_by_us, 3000 - 10);
    assert_int_equal(errand->deadline_us, 9200);
    scene_close(s);
}

static void test_requests_of_others_alone_are_asked_for_too(void **state)
{
    (void)state;
    scene *s = scene_open();
    ledger_fixture *d = &s->ledger_fixture;
    const uint32_t members[] = {1, 1001, 1002, 0};
    const sc_proposal_id id = ledger_reserve(d, ledger_proposal(d, members, PEER_SELF), 0);
    ledger_check_msg(d, SC_MSG_OK, PEER_WORKER, &id);
    ledger_release(d, &id, (const uint32_t[]){1002, 1001, 0}, 3000, 0);
    sc_reservation *reservation = sc__ledger_state_take_due(d->ledger_state, 200);
    sc__departure left;
    assert_int_equal(sc__publish(&s->publisher, reservation, 200, &left), SC_FAILURE_NONE);
    bool is_asked[4] = {false};
    assert_int_equal(left.relay->request_count, 3);
    for (size_t i = 0; i < 3; i++) {
        is_asked[left.relay->requests[i].k] = true;
    }
    assert_true(is_asked[1] && is_asked[2] && is_asked[3]);
    scene_close(s);
}

static bool is_zero(const void *bytes, size_t size)
{
    const unsigned char *byte = bytes;
    for (size_t i = 0; i < size; i++) {
        if (byte[i] != 0) return false;
    }
    return true;
}

static void test_who_asked_for_what_is_wiped_whether_it_leaves_or_not(void **state)
{
    (void)state;
    for (int is_busy = 0; is_busy < 2; is_busy++) {
        scene *s = scene_open();
        s->is_busy = is_busy;
        sc__departure left;
        assert_int_equal(sc__publish(&s->publisher, due_here(s), 200, &left),
                         is_busy ? SC_FAILURE_OVERLOADED : SC_FAILURE_NONE);
        assert_true(is_zero(s->publisher.users, 4 * sizeof *s->publisher.users));
        assert_true(is_zero(s->publisher.requests, 4 * sizeof *s->publisher.requests));
        scene_close(s);
    }
}

static void test_a_busy_courier_takes_neither(void **state)
{
    (void)state;
    scene *s = scene_open();
    s->is_busy = true;
    sc__departure left;
    assert_int_equal(sc__publish(&s->publisher, due_here(s), 200, &left), SC_FAILURE_OVERLOADED);
    scene_close(s);
}

static void test_a_result_sends_what_was_asked_and_what_came_back(void **state)
{
    (void)state;
    scene *s = scene_open();
    sc__departure left;
    assert_int_equal(sc__publish(&s->publisher, due_here(s), 200, &left), SC_FAILURE_NONE);
    sc_errand *errand = s->errand;
    errand->reply = (sc_bytes){.data = sc_malloc(3), .size = 3, .capacity = 3};
    memcpy(errand->reply.data, "abc", 3);
    sc_result *result = sc__errand_result(&s->publisher, errand);
    assert_non_null(result);
    assert_int_equal(result->failure, SC_FAILURE_NONE);
    assert_int_equal(result->reply_size, 3);
    assert_memory_equal(result->reply, "abc", 3);
    const sc_codec_limits limits = sc_codec_limits_default();
    sc_relay *relay = NULL;
    CHECK_OK(sc_relay_decode(&(sc_codec){.map = s->ledger_fixture.map,
                                         .vocabulary = &s->vocabulary,
                                         .encoding = SC_ENCODING_COMPACT,
                                         .limits = &limits},
                             result->relay, result->relay_size, &relay, NULL),
             NULL);
    assert_int_equal(relay->request_count, 2);
    assert_true(sc_request_equal(&relay->requests[0], &left.relay->requests[0]));
    sc_relay_free(relay);
    sc_result_free(result);
    // Where it failed, or no other gateway wants it, there is none.
    errand->failure = SC_FAILURE_TIMEOUT;
    assert_null(sc__errand_result(&s->publisher, errand));
    errand->failure = SC_FAILURE_NONE;
    errand->wants_reply = false;
    assert_null(sc__errand_result(&s->publisher, errand));
    scene_close(s);
}

/** A relay for that segment and the requests of these queries, as R would send it. */
static sc_bytes relay_of(scene *s, sc_seg_id segment, const uint32_t *numbers, size_t count)
{
    sc_request requests[4] = {{0}};
    uint32_t which[4];
    for (size_t i = 0; i < count; i++) {
        requests[i] = (sc_request){.type = SC_REQUEST_KNN, .k = k_of(numbers[i])};
    }
    sc_relay *relay = NULL;
    CHECK_OK(sc_relay_new(s->ledger_fixture.map,
                          &(sc_relay_content){.segments = &segment,
                                              .segment_count = 1,
                                              .border_nodes = NULL,
                                              .border_node_count = 0,
                                              .requests = requests,
                                              .member_count = count},
                          &s->rng, which, &relay),
             NULL);
    sc_bytes bytes = {0};
    CHECK_OK(sc_relay_encode(&(sc_codec){.map = s->ledger_fixture.map,
                                         .vocabulary = &s->vocabulary,
                                         .encoding = SC_ENCODING_COMPACT},
                             relay, &bytes, NULL),
             NULL);
    sc_relay_free(relay);
    return bytes;
}

/** Elsewhere: R has published the proposal, and this is its result. */
static sc_reservation *arrived_with(scene *s, const void *relay, size_t size, const char *reply)
{
    ledger_fixture *d = &s->ledger_fixture;
    const sc_proposal_id id = ledger_reserve(d, ledger_proposal(d, mixed, PEER_OTHER), 0);
    ledger_check_msg(d, SC_MSG_OK, PEER_WORKER, &id);
    sc_msg msg = {.kind = SC_MSG_RESULT, .from = PEER_OTHER};
    msg.id = id;
    msg.number = 815;
    msg.result = sc_result_new(SC_FAILURE_NONE, relay, size, reply, strlen(reply));
    sc__ledger_state_receive(d->ledger_state, &msg, 100);
    sc_reservation *reservation = sc__ledger_state_take_arrived(d->ledger_state);
    assert_non_null(reservation);
    return reservation;
}

static sc_failure digest(scene *s, sc_seg_id segment, const uint32_t *numbers, size_t count,
                         const char *reply)
{
    sc_bytes relay = relay_of(s, segment, numbers, count);
    sc_reservation *reservation = arrived_with(s, relay.data, relay.size, reply);
    sc_bytes_fini(&relay);
    bool has_sent = false;
    return sc__digest(&s->publisher, reservation, 200, &has_sent);
}

static void test_a_result_that_arrives_is_read_by_a_worker(void **state)
{
    (void)state;
    scene *s = scene_open();
    assert_int_equal(digest(s, 0, (const uint32_t[]){3, 2, 1}, 3, "reply"), SC_FAILURE_NONE);
    const sc_errand *errand = s->errand;
    check_seats(s);
    assert_int_equal(errand->given_size, 5);
    assert_memory_equal(errand->given, "reply", 5);
    assert_false(errand->wants_reply);
    assert_int_equal(errand->number, 815);
    assert_int_equal(errand->deadline_us, 9200);
    // The worker of the courier may read it after the ledger state are closed.
    ledger_close(&s->ledger_fixture);
    assert_memory_equal(errand->given, "reply", 5);
    const sc__ledger_state_options options = ledger_options();
    ledger_open(&s->ledger_fixture, &options, 1);
    scene_close(s);
}

static void test_a_result_without_a_reply_is_asked_for_once_more(void **state)
{
    (void)state;
    scene *s = scene_open();
    assert_int_equal(digest(s, 0, (const uint32_t[]){1, 2}, 2, ""), SC_FAILURE_NONE);
    assert_null(s->errand->given);
    assert_int_equal(s->errand->leave_by_us, 9200);
    check_seats(s);
    scene_close(s);
}

static void test_a_result_that_cannot_be_of_this_cloak_is_not_believed(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        scene *s = scene_open();
        sc_failure failure = SC_FAILURE_NONE;
        bool has_sent = false;
        if (i == 0) failure = digest(s, 1, (const uint32_t[]){1, 2}, 2, "reply");
        if (i == 1) failure = digest(s, 0, (const uint32_t[]){1, 3}, 2, "reply");
        if (i == 2)
            failure =
                sc__digest(&s->publisher, arrived_with(s, "junk", 4, "reply"), 200, &has_sent);
        if (i == 3)
            failure = sc__digest(&s->publisher, arrived_with(s, "", 0, "reply"), 200, &has_sent);
        assert_string_equal(sc_failure_name(failure), "provider_unbelievable");
        assert_null(s->errand);
        scene_close(s);
    }
}

static void test_a_result_for_which_no_worker_has_time_has_failed(void **state)
{
    (void)state;
    scene *s = scene_open();
    s->is_busy = true;
    assert_int_equal(digest(s, 0, (const uint32_t[]){1, 2}, 2, "reply"), SC_FAILURE_OVERLOADED);
    scene_close(s);
}

static void test_without_memory_nothing_leaves_and_nothing_leaks(void **state)
{
    (void)state;
    for (int is_digest = 0; is_digest < 2; is_digest++) {
        unsigned long failures = 0;
        for (bool is_last = false; !is_last; failures++) {
            scene *s = scene_open();
            sc_bytes relay = relay_of(s, 0, (const uint32_t[]){1, 2}, 2);
            sc_reservation *reservation =
                is_digest ? arrived_with(s, relay.data, relay.size, "reply") : due_here(s);
            sc__departure left;
            bool has_sent = false;
            sc_alloc_fail_at(failures + 1);
            const sc_failure failure = is_digest
                                           ? sc__digest(&s->publisher, reservation, 200, &has_sent)
                                           : sc__publish(&s->publisher, reservation, 200, &left);
            is_last = !sc_alloc_has_failed();
            sc_alloc_fail_at(0);
            assert_int_equal(failure, is_last ? SC_FAILURE_NONE : SC_FAILURE_OVERLOADED);
            sc_bytes_fini(&relay);
            scene_close(s);
        }
        assert_true(failures > 3);
    }
}

// --- Rare requests ------------------------------------------------------------------------------

/** Rare requests are looked at, and users of these queries have made theirs before. */
static void look_for_rare(scene *s, const uint32_t *numbers)
{
    sc_rare_options options = sc_rare_options_default();
    options.users = 5;
    options.capacity = 64;
    CHECK_OK(sc__rare_requests_new(s->ledger_fixture.map, &options, &s->publisher.rare), NULL);
    for (; *numbers != 0; numbers++) {
        const sc_seg_id segment = 0;
        const uint64_t user = plain_query(*numbers, 0, 1, 1, 100, 0).user;
        const sc_request request = {.type = SC_REQUEST_KNN, .k = k_of(*numbers)};
        const sc__rare_cloak cloak = {&segment, 1, &user, &request, 1};
        sc__rare_requests_left(s->publisher.rare, &cloak, NULL, 100);
    }
}

/** The cloak leaves with the request of ticket 2, and without that of ticket 1. */
static sc_reservation *leave_without_one(scene *s)
{
    look_for_rare(s, (const uint32_t[]){1, 1000, 0});
    sc_reservation *reservation = due_here(s);
    sc__departure left;
    assert_int_equal(sc__publish(&s->publisher, reservation, 200, &left), SC_FAILURE_NONE);
    const sc_errand *errand = s->errand;
    assert_ptr_equal(left.relay, errand->relay);
    // The roads are the same, and all four count.
    assert_int_equal(left.users, 4);
    assert_int_equal(errand->relay->segment_count, 1);
    assert_int_equal(errand->relay->request_count, 1);
    assert_int_equal(errand->relay->requests[0].k, k_of(2));
    assert_int_equal(errand->place_count, 1);
    assert_true(errand->places[0].at.offset_m > 0.3);
    sc__ledger_state_published(s->ledger_fixture.ledger_state, reservation, left.number, left.users,
                               200);
    return reservation;
}

static void test_a_rare_request_is_left_out_and_its_member_dropped(void **state)
{
    (void)state;
    scene *s = scene_open();
    sc_reservation *reservation = leave_without_one(s);
    ledger_fixture *d = &s->ledger_fixture;
    sc__ledger_state_answered(d->ledger_state, reservation, SC_FAILURE_NONE, s->errand->places,
                              NULL, 300);
    ledger_check_settled(d, 1, SC_OUTCOME_DROPPED, SC_DROP_RARE_REQUEST);
    ledger_check_settled(d, 2, SC_OUTCOME_ANSWERED, 0);
    scene_close(s);
}

static void test_what_becomes_of_the_cloak_is_no_matter_of_who_was_left_out(void **state)
{
    (void)state;
    scene *s = scene_open();
    sc_reservation *reservation = leave_without_one(s);
    ledger_fixture *d = &s->ledger_fixture;
    sc__ledger_state_answered(d->ledger_state, reservation, SC_FAILURE_TIMEOUT, s->errand->places,
                              NULL, 300);
    ledger_check_settled(d, 1, SC_OUTCOME_DROPPED, SC_DROP_RARE_REQUEST);
    ledger_check_settled(d, 2, SC_OUTCOME_FAILED, SC_FAILURE_TIMEOUT);
    const sc_ledger_stats stats = sc__ledger_state_stats(d->ledger_state);
    assert_int_equal(stats.dropped[SC_DROP_RARE_REQUEST], 1);
    ledger_check_stats(&stats);
    scene_close(s);
}

static void test_a_cloak_of_rare_requests_alone_does_not_leave(void **state)
{
    (void)state;
    scene *s = scene_open();
    look_for_rare(s, (const uint32_t[]){1, 2, 1000, 1001, 0});
    sc_reservation *reservation = due_here(s);
    const sc_proposal_id id = reservation->id;
    ledger_fixture *d = &s->ledger_fixture;
    sc__departure left;
    assert_int_equal(sc__publish(&s->publisher, reservation, 200, &left), SC_FAILURE_NONE);
    assert_null(left.relay);
    assert_null(s->errand);
    sc__ledger_state_all_rare(d->ledger_state, reservation, 200);
    // The other gateway's members go on looking for a cloak.
    ledger_check_msg(d, SC_MSG_DEAD, PEER_OTHER, &id);
    ledger_check_remove(d, 2);
    ledger_check_remove(d, 1);
    ledger_check_msg(d, SC_MSG_DEAD, PEER_WORKER, &id);
    ledger_check_quiet(d);
    ledger_check_settled(d, 1, SC_OUTCOME_DROPPED, SC_DROP_RARE_REQUEST);
    ledger_check_settled(d, 2, SC_OUTCOME_DROPPED, SC_DROP_RARE_REQUEST);
    scene_close(s);
}

static void test_what_has_left_is_remembered_and_what_has_not_is_not(void **state)
{
    (void)state;
    scene *s = scene_open();
    sc_reservation *reservation = leave_without_one(s);
    ledger_fixture *d = &s->ledger_fixture;
    sc__ledger_state_answered(d->ledger_state, reservation, SC_FAILURE_NONE, s->errand->places,
                              NULL, 300);
    sc__errand_free(s->errand);
    s->errand = NULL;
    // Again, more than an hour after ticket 1 has made its request, and not after ticket 2 has.
    const sc_time later = sc_time_from_seconds(3600.0) + 150;
    const sc_seg_id segment = 0;
    bool is_rare[2] = {false};
    const uint64_t users[] = {plain_query(1, 0, 1, 1, 100, 0).user,
                              plain_query(2, 0, 1, 1, 100, 0).user};
    const sc_request requests[] = {{.type = SC_REQUEST_KNN, .k = k_of(1)},
                                   {.type = SC_REQUEST_KNN, .k = k_of(2)}};
    const sc__rare_cloak cloak = {&segment, 1, users, requests, 2};
    assert_int_equal(sc__rare_requests_judge(s->publisher.rare, &cloak, later, is_rare), 1);
    assert_false(is_rare[0]);
    assert_true(is_rare[1]);
    scene_close(s);
}

static void test_what_the_releaser_has_left_out_is_dropped_elsewhere_too(void **state)
{
    (void)state;
    scene *s = scene_open();
    look_for_rare(s, (const uint32_t[]){0});
    // Only what ticket 2 asks for.
    assert_int_equal(digest(s, 0, (const uint32_t[]){2}, 1, "reply"), SC_FAILURE_NONE);
    ledger_fixture *d = &s->ledger_fixture;
    assert_int_equal(s->errand->place_count, 1);
    assert_true(s->errand->places[0].at.offset_m > 0.3);
    sc__ledger_state_answered(d->ledger_state, sc__errand_reservation(s->errand), SC_FAILURE_NONE,
                              s->errand->places, NULL, 300);
    ledger_check_settled(d, 1, SC_OUTCOME_DROPPED, SC_DROP_RARE_REQUEST);
    ledger_check_settled(d, 2, SC_OUTCOME_ANSWERED, 0);
    scene_close(s);
}

static void test_a_result_without_our_requests_is_not_even_read(void **state)
{
    (void)state;
    scene *s = scene_open();
    look_for_rare(s, (const uint32_t[]){0});
    sc_bytes relay = relay_of(s, 0, (const uint32_t[]){3}, 1);
    sc_reservation *reservation = arrived_with(s, relay.data, relay.size, "reply");
    sc_bytes_fini(&relay);
    bool has_sent = true;
    assert_int_equal(sc__digest(&s->publisher, reservation, 200, &has_sent), SC_FAILURE_NONE);
    assert_false(has_sent);
    assert_null(s->errand);
    ledger_fixture *d = &s->ledger_fixture;
    sc__ledger_state_answered(d->ledger_state, reservation, SC_FAILURE_NONE, NULL, NULL, 300);
    ledger_check_settled(d, 1, SC_OUTCOME_DROPPED, SC_DROP_RARE_REQUEST);
    ledger_check_settled(d, 2, SC_OUTCOME_DROPPED, SC_DROP_RARE_REQUEST);
    scene_close(s);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_what_leaves_has_everybodys_requests_and_our_places),
    cmocka_unit_test(test_requests_of_others_alone_are_asked_for_too),
    cmocka_unit_test(test_who_asked_for_what_is_wiped_whether_it_leaves_or_not),
    cmocka_unit_test(test_a_busy_courier_takes_neither),
    cmocka_unit_test(test_a_result_sends_what_was_asked_and_what_came_back),
    cmocka_unit_test(test_a_result_that_arrives_is_read_by_a_worker),
    cmocka_unit_test(test_a_result_without_a_reply_is_asked_for_once_more),
    cmocka_unit_test(test_a_result_that_cannot_be_of_this_cloak_is_not_believed),
    cmocka_unit_test(test_a_result_for_which_no_worker_has_time_has_failed),
    cmocka_unit_test(test_without_memory_nothing_leaves_and_nothing_leaks),
    cmocka_unit_test(test_a_rare_request_is_left_out_and_its_member_dropped),
    cmocka_unit_test(test_what_becomes_of_the_cloak_is_no_matter_of_who_was_left_out),
    cmocka_unit_test(test_a_cloak_of_rare_requests_alone_does_not_leave),
    cmocka_unit_test(test_what_has_left_is_remembered_and_what_has_not_is_not),
    cmocka_unit_test(test_what_the_releaser_has_left_out_is_dropped_elsewhere_too),
    cmocka_unit_test(test_a_result_without_our_requests_is_not_even_read),
};
SC_SUITE(tests)
