// An engine thread, by hand and with its thread: what is told is carried out, what is found is
// sent, and nothing is lost without a listener.
#include "worker/engine_thread.h"

#include "base/alloc.h"
#include "base/rng.h"
#include "support/check.h"
#include "support/received.h"
#include "support/sketch.h"
#include "support/streams.h"

#include <pthread.h>
#include <unistd.h>

enum { LONG_MS = 60000, SELF = 77, GATEWAY = 5, PATIENCE = 1000000 };

//   A   B   C
//   |   |   |
//   D---E---F
//   |   |   |
//   G   H   I
typedef struct scene {
    sc_map *map;
    sc_partition *partition;
    received received;
    sc__engine_thread *engine_thread;
} scene;

static void scene_open(scene *s, unsigned prune_threads, size_t max_queries)
{
    sketch drawn = sketch_named(small_maps[0].name);
    *s = (scene){.map = sketch_map(&drawn)};
    sketch_free(&drawn);
    CHECK_OK(sc_partition_whole(s->map, &s->partition, NULL), NULL);
    received_open(&s->received);
    const sc_engine_pool_options options = {
        .engine = sc_engine_options_default(),
        .partition = s->partition,
        .engine_threads = 1,
        .prune_threads = prune_threads,
        .max_queries = max_queries,
        .self = SELF,
        .patience_us = PATIENCE,
        .port = received_port(&s->received),
    };
    sc_rng rng;
    sc_rng_seed(&rng, 5);
    sc_diag diag = {""};
    CHECK_OK(sc__engine_thread_new(s->map, &options, 0, &rng, &s->engine_thread, &diag), &diag);
    sc__engine_thread_set_parts(s->engine_thread, (uint16_t[]){0}, 1);
}

static void scene_close(scene *s)
{
    sc__engine_thread_free(s->engine_thread);
    received_close(&s->received);
    sc_partition_free(s->partition);
    sc_map_free(s->map);
}

static void tell(scene *s, sc_msg_kind kind, uint32_t number, uint32_t k, sc_time deadline)
{
    sc_msg msg = {.kind = kind, .from = GATEWAY};
    msg.query = plain_query(number, 0, k, 1, 100, deadline);
    msg.query.owner = GATEWAY;
    assert_true(sc__engine_thread_receive(s->engine_thread, &msg));
}

static void tell_add(scene *s, uint32_t number, uint32_t k, sc_time deadline)
{
    tell(s, SC_MSG_ADD, number, k, deadline);
}

static void tell_remove(scene *s, uint32_t number)
{
    tell(s, SC_MSG_REMOVE, number, 1, 1000);
}

static void tell_answer(scene *s, sc_msg_kind kind, const sc_proposal *proposal, sc_time left)
{
    sc_msg msg = {
        .kind = kind, .from = GATEWAY, .id = proposal->id, .engine_thread = 0, .deadline = left};
    assert_true(sc__engine_thread_receive(s->engine_thread, &msg));
}

/** The one thing that was sent: a proposal with so many members. */
static sc_proposal *receive_proposal(scene *s, size_t members)
{
    sc_msg msg = received_next(&s->received, SC_MSG_RESERVE, GATEWAY);
    received_check_quiet(&s->received);
    assert_int_equal(msg.from, SELF);
    assert_int_equal(msg.proposal->member_count, members);
    assert_true(msg.proposal->is_single);
    return msg.proposal;
}

static void check_told(scene *s, sc_msg_kind kind, uint32_t number)
{
    sc_msg msg = received_next(&s->received, kind, GATEWAY);
    const sc_query_id id = plain_id(number);
    assert_memory_equal(&msg.query.id, &id, sizeof id);
    assert_int_equal(msg.reason, SC_DROP_EXPIRED);
    received_check_quiet(&s->received);
}

static sc_engine_stats stats_of(scene *s)
{
    sc_engine_pool_stats stats = {0};
    sc__engine_thread_add_stats(s->engine_thread, &stats, NULL);
    return stats.engine;
}

static void test_two_queries_are_proposed_and_accepted(void **state)
{
    (void)state;
    scene s;
    scene_open(&s, 0, 10);
    tell_add(&s, 1, 2, 1000);
    assert_int_equal(sc__engine_thread_round(s.engine_thread, 1), 1001);
    received_check_quiet(&s.received);
    tell_add(&s, 2, 2, 1000);
    // Nothing to do but to ask what became of it.
    assert_int_equal(sc__engine_thread_round(s.engine_thread, 2), 2 + PATIENCE);
    sc_proposal *proposal = receive_proposal(&s, 2);
    tell_answer(&s, SC_MSG_PUBLISHED, proposal, 2);
    assert_int_equal(sc__engine_thread_round(s.engine_thread, 3), SC_TIME_NEVER);
    const sc_engine_stats stats = stats_of(&s);
    assert_int_equal(stats.accepted, 2);
    assert_int_equal(stats.proposed, 0);
    received_check_quiet(&s.received);
    sc_proposal_free(proposal);
    scene_close(&s);
}

static void test_after_a_refusal_those_who_are_left_go_on(void **state)
{
    (void)state;
    scene s;
    scene_open(&s, 0, 10);
    for (uint32_t i = 1; i <= 3; i++) {
        tell_add(&s, i, 3, 1000);
    }
    sc__engine_thread_round(s.engine_thread, 1);
    sc_proposal *proposal = receive_proposal(&s, 3);
    tell_remove(&s, 2);
    tell_answer(&s, SC_MSG_DEAD, proposal, 0);
    sc_proposal_free(proposal);
    sc__engine_thread_round(s.engine_thread, 2);
    received_check_quiet(&s.received);
    tell_add(&s, 4, 3, 1000);
    sc__engine_thread_round(s.engine_thread, 3);
    proposal = receive_proposal(&s, 3);
    const sc_query_id gone = plain_id(2);
    for (size_t i = 0; i < 3; i++) {
        assert_memory_not_equal(&proposal->members[i].query.id, &gone, sizeof gone);
    }
    tell_answer(&s, SC_MSG_DEAD, proposal, 0);
    sc_proposal_free(proposal);
    sc__engine_thread_round(s.engine_thread, 4);
    sc_proposal_free(receive_proposal(&s, 3));
    scene_close(&s);
}

static void test_who_was_gone_and_is_open_again_in_the_next_message_is_not_forgotten(void **state)
{
    (void)state;
    scene s;
    scene_open(&s, 0, 10);
    tell_add(&s, 1, 2, 1000);
    tell_add(&s, 2, 2, 1000);
    sc__engine_thread_round(s.engine_thread, 1);
    sc_proposal *proposal = receive_proposal(&s, 2);
    sc_msg no = {.kind = SC_MSG_NO, .from = GATEWAY, .id = proposal->id, .count = 1};
    no.gone = sc_calloc(1, sizeof *no.gone);
    assert_non_null(no.gone);
    no.gone[0] = plain_id(1);
    assert_true(sc__engine_thread_receive(s.engine_thread, &no));
    tell_add(&s, 1, 2, 1000);
    sc_proposal_free(proposal);
    sc__engine_thread_round(s.engine_thread, 2);
    sc_proposal_free(receive_proposal(&s, 2));
    scene_close(&s);
}

static void test_a_cloak_that_left_in_time_is_done_though_the_engines_clock_is_ahead(void **state)
{
    (void)state;
    scene s;
    scene_open(&s, 0, 10);
    tell_add(&s, 1, 2, 100);
    tell_add(&s, 2, 2, 200);
    sc__engine_thread_round(s.engine_thread, 1);
    sc_proposal *proposal = receive_proposal(&s, 2);
    // Something that makes the engine run.
    tell_add(&s, 3, 9, 160);
    sc__engine_thread_round(s.engine_thread, 150);
    tell_answer(&s, SC_MSG_PUBLISHED, proposal, 90);
    tell_remove(&s, 3);
    sc__engine_thread_round(s.engine_thread, 151);
    received_check_quiet(&s.received);
    const sc_engine_stats stats = stats_of(&s);
    assert_int_equal(stats.pending + stats.proposed, 0);
    assert_int_equal(stats.removed, 3);
    sc_proposal_free(proposal);
    scene_close(&s);
}

static void
test_queries_that_expire_or_come_late_are_told_and_those_known_already_are_not(void **state)
{
    (void)state;
    scene s;
    scene_open(&s, 0, 10);
    tell_add(&s, 1, 2, 100);
    assert_int_equal(sc__engine_thread_round(s.engine_thread, 1), 101);
    tell_add(&s, 1, 2, 100);
    sc__engine_thread_round(s.engine_thread, 2);
    received_check_quiet(&s.received);
    sc__engine_thread_round(s.engine_thread, 101);
    check_told(&s, SC_MSG_DROPPED, 1);
    tell_add(&s, 2, 2, 100);
    sc__engine_thread_round(s.engine_thread, 101);
    check_told(&s, SC_MSG_DROPPED, 2);
    tell_add(&s, 3, 0, 1000);  // k of 0
    sc__engine_thread_round(s.engine_thread, 102);
    check_told(&s, SC_MSG_NOT_TAKEN, 3);
    // Messages that crossed do no harm.
    tell_remove(&s, 1);
    tell_remove(&s, 77);
    sc__engine_thread_round(s.engine_thread, 103);
    received_check_quiet(&s.received);
    scene_close(&s);
}

enum { MANY = 5000, DEAF = 300 };  // what is asked, and what finds room

/** Hear of all of them, a few at a time. */
static void check_all_told(scene *s, sc_msg_kind kind, sc_time now)
{
    bool is_told[MANY] = {false};
    for (size_t told = 0; told < MANY;) {
        sc__engine_thread_round(s->engine_thread, now);
        assert_true(received_count(&s->received) > 0);
        received_msg each;
        for (size_t i = 0; i < 100 && received_take(&s->received, &each); i++) {
            assert_int_equal(each.msg.kind, kind);
            const bool is_proposal = kind == SC_MSG_RESERVE;
            const sc_query_id *id =
                is_proposal ? &each.msg.proposal->members[0].query.id : &each.msg.query.id;
            uint32_t number = MANY;
            memcpy(&number, id->bytes + sizeof(uint64_t), sizeof number);
            assert_true(number < MANY && !is_told[number]);
            is_told[number] = true;
            sc_msg_fini(&each.msg);
            told++;
        }
    }
    received_check_quiet(&s->received);
    assert_int_equal(s->received.lost, 0);
}

static void test_nothing_is_lost_without_a_listener(void **state)
{
    (void)state;
    for (int expires = 0; expires < 2; expires++) {
        scene s;
        scene_open(&s, 0, MANY);
        received_limit(&s.received, DEAF);
        for (uint32_t i = 0; i < MANY; i++) {
            tell_add(&s, i, expires ? 2 * MANY : 1, 100);
        }
        assert_true(sc__engine_thread_is_behind(s.engine_thread));
        sc_time now = 1;
        for (int i = 0; i < 2 * MANY / SC_ENGINE_POOL_BATCH; i++) {
            sc__engine_thread_round(s.engine_thread, now);
        }
        if (expires) now = 101;
        // It comes back to what it could not send.
        for (int i = 0; i < 2; i++) {
            const sc_time wake = sc__engine_thread_round(s.engine_thread, now);
            assert_true(wake > now && wake < now + 100000);
        }
        check_all_told(&s, expires ? SC_MSG_DROPPED : SC_MSG_RESERVE, now);
        assert_false(sc__engine_thread_is_behind(s.engine_thread));
        scene_close(&s);
    }
}

static void test_a_round_sends_when_messages_are_left(void **state)
{
    (void)state;
    scene s;
    scene_open(&s, 0, 1000);
    for (uint32_t i = 0; i < 2 * SC_ENGINE_POOL_BATCH; i++) {
        tell_add(&s, i, 2000, 100);
    }
    assert_int_equal(sc__engine_thread_round(s.engine_thread, 1), 1);
    assert_int_equal(sc__engine_thread_round(s.engine_thread, 1),
                     1);  // the message to look up is one more
    assert_int_equal(sc__engine_thread_round(s.engine_thread, 1), 101);
    assert_int_equal(stats_of(&s).pending, 2 * SC_ENGINE_POOL_BATCH);
    scene_close(&s);
}

// --- With threads ---------------------------------------------------------------------------

static void wait_for_msg(scene *s)
{
    for (int i = 0; received_count(&s->received) == 0; i++) {
        assert_true(i < LONG_MS);
        usleep(1000);
    }
}

static void test_the_thread_does_the_same_with_and_without_a_pool(void **state)
{
    (void)state;
    for (unsigned prune_threads = 0; prune_threads < 3; prune_threads++) {
        scene s;
        scene_open(&s, prune_threads, 10);
        CHECK_OK(sc__engine_thread_start(s.engine_thread), NULL);
        for (int i = 0; i < 20; i++) {
            tell_add(&s, 1, 2, SC_TIME_NEVER);
            tell_add(&s, 2, 2, SC_TIME_NEVER);
            wait_for_msg(&s);
            sc_proposal *proposal = receive_proposal(&s, 2);
            if (i % 2) {
                tell_answer(&s, SC_MSG_PUBLISHED, proposal, 2);
            } else {
                tell_remove(&s, 1);
                tell_remove(&s, 2);
                tell_answer(&s, SC_MSG_DEAD, proposal, 0);
            }
            sc_proposal_free(proposal);
        }
        // One is on its way when the end comes.
        tell_add(&s, 1, 2, SC_TIME_NEVER);
        tell_add(&s, 2, 2, SC_TIME_NEVER);
        sc__engine_thread_end(s.engine_thread);
        sc__engine_thread_end(s.engine_thread);
        const sc_engine_stats stats = stats_of(&s);
        assert_int_equal(stats.accepted, 20);
        assert_int_equal(stats.removed, 20);
        scene_close(&s);
    }
}

// A thread that stands still hears of company for a while; then the rest of its room is the
// ledger's, which does not send twice.
static void test_other_threads_leave_the_ledger_its_room(void **state)
{
    (void)state;
    enum { MAX_QUERIES = 4, ROOM = 6 * MAX_QUERIES + 2 * SC_ENGINE_POOL_BATCH };
    scene s;
    scene_open(&s, 0, MAX_QUERIES);
    size_t heard = 0;
    for (uint32_t i = 0; i < 3 * ROOM; i++) {
        sc_msg msg = {.kind = SC_MSG_COMPANY, .from = GATEWAY};
        msg.query = plain_query(i, 0, 9, 1, 100, 1000);
        heard += sc__engine_thread_hear(s.engine_thread, &msg);
    }
    // The message that wakes the thread, of scene_open(), is one of those that wait.
    assert_int_equal(heard, ROOM - 1);
    for (uint32_t i = 0; i < ROOM; i++) {
        tell_remove(&s, i);
    }
    scene_close(&s);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_other_threads_leave_the_ledger_its_room),
    cmocka_unit_test(test_two_queries_are_proposed_and_accepted),
    cmocka_unit_test(test_after_a_refusal_those_who_are_left_go_on),
    cmocka_unit_test(test_who_was_gone_and_is_open_again_in_the_next_message_is_not_forgotten),
    cmocka_unit_test(test_a_cloak_that_left_in_time_is_done_though_the_engines_clock_is_ahead),
    cmocka_unit_test(
        test_queries_that_expire_or_come_late_are_told_and_those_known_already_are_not),
    cmocka_unit_test(test_nothing_is_lost_without_a_listener),
    cmocka_unit_test(test_a_round_sends_when_messages_are_left),
    cmocka_unit_test(test_the_thread_does_the_same_with_and_without_a_pool),
};
SC_SUITE(tests)
