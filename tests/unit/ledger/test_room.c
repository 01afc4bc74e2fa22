// The engine's room, by hand and with its thread: what is told is carried out, what is found is
// said, and nothing is lost when nobody listens.
#include "ledger/room.h"

#include "base/rng.h"
#include "support/check.h"
#include "support/sketch.h"
#include "support/streams.h"

#include <poll.h>
#include <pthread.h>

enum { LONG_MS = 60000 };

//   A   B   C
//   |   |   |
//   D---E---F
//   |   |   |
//   G   H   I
typedef struct scene {
    sc_map *map;
    sc_rng rng;
    sc__room *room;
} scene;

static void scene_open(scene *s, unsigned prune_threads, size_t max_queries)
{
    sketch drawn = sketch_named(small_maps[0].name);
    *s = (scene){.map = sketch_map(&drawn)};
    sketch_free(&drawn);
    sc_rng_seed(&s->rng, 5);
    const sc__room_options options = {
        .engine = sc_engine_options_default(),
        .prune_threads = prune_threads,
        .max_queries = max_queries,
    };
    sc_diag diag = {""};
    CHECK_OK(sc__room_new(s->map, &options, &s->rng, &s->room, &diag), &diag);
}

static void scene_close(scene *s)
{
    sc__room_free(s->room);
    sc_map_free(s->map);
}

static void tell_add(scene *s, uint32_t number, uint32_t k, sc_time deadline)
{
    const sc__command add = {
        .kind = SC__COMMAND_ADD,
        .query = plain_query(number, 0, k, 1, 100, deadline),
    };
    sc__room_tell(s->room, &add);
}

static void tell_remove(scene *s, uint32_t number)
{
    sc__room_tell(s->room, &(sc__command){.kind = SC__COMMAND_REMOVE, .id = plain_id(number)});
}

static void tell_answer(scene *s, sc__command_kind kind, sc_cloak *cloak, sc_time now)
{
    sc__room_tell(s->room, &(sc__command){.kind = kind, .cloak = cloak, .now = now});
}

/** The one message there is. */
static sc__message hear_one(scene *s)
{
    sc__message messages[2];
    assert_int_equal(sc__room_hear(s->room, messages, 2), 1);
    return messages[0];
}

static void check_silence(scene *s)
{
    sc__message message;
    assert_int_equal(sc__room_hear(s->room, &message, 1), 0);
}

static sc_cloak *hear_proposal(scene *s, size_t members)
{
    const sc__message message = hear_one(s);
    assert_int_equal(message.kind, SC__MESSAGE_PROPOSED);
    assert_true(message.cloak->is_pruned);
    assert_int_equal(message.cloak->member_count, members);
    return message.cloak;
}

static void check_dropped(scene *s, uint32_t number, sc__message_kind kind)
{
    const sc__message message = hear_one(s);
    const sc_query_id id = plain_id(number);
    assert_int_equal(message.kind, kind);
    assert_memory_equal(&message.id, &id, sizeof id);
}

static void test_two_queries_are_proposed_and_accepted(void **state)
{
    (void)state;
    scene s;
    scene_open(&s, 0, 10);
    tell_add(&s, 1, 2, 1000);
    assert_int_equal(sc__room_round(s.room, 1), 1001);
    check_silence(&s);
    tell_add(&s, 2, 2, 1000);
    assert_int_equal(sc__room_round(s.room, 2), SC_TIME_NEVER);
    sc_cloak *cloak = hear_proposal(&s, 2);
    tell_answer(&s, SC__COMMAND_ACCEPT, cloak, 2);
    sc__room_round(s.room, 3);
    const sc_engine_stats stats = sc__room_stats(s.room);
    assert_int_equal(stats.accepted, 2);
    assert_int_equal(stats.proposed, 0);
    check_silence(&s);
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
    sc__room_round(s.room, 1);
    sc_cloak *cloak = hear_proposal(&s, 3);
    tell_remove(&s, 2);
    tell_answer(&s, SC__COMMAND_REFUSE, cloak, 0);
    sc__room_round(s.room, 2);
    check_silence(&s);
    tell_add(&s, 4, 3, 1000);
    sc__room_round(s.room, 3);
    cloak = hear_proposal(&s, 3);
    const sc_query_id gone = plain_id(2);
    for (size_t i = 0; i < 3; i++) {
        assert_memory_not_equal(&cloak->members[i].query.id, &gone, sizeof gone);
    }
    tell_answer(&s, SC__COMMAND_REFUSE, cloak, 0);
    sc__room_round(s.room, 4);
    sc_cloak_free(hear_proposal(&s, 3));
    scene_close(&s);
}

static void test_a_cloak_that_left_in_time_is_done_though_the_engines_clock_is_ahead(void **state)
{
    (void)state;
    scene s;
    scene_open(&s, 0, 10);
    tell_add(&s, 1, 2, 100);
    tell_add(&s, 2, 2, 200);
    sc__room_round(s.room, 1);
    sc_cloak *cloak = hear_proposal(&s, 2);
    sc__room_round(s.room, 150);
    tell_answer(&s, SC__COMMAND_ACCEPT, cloak, 90);
    sc__room_round(s.room, 151);
    check_silence(&s);
    const sc_engine_stats stats = sc__room_stats(s.room);
    assert_int_equal(stats.pending + stats.proposed, 0);
    assert_int_equal(stats.removed, 2);
    scene_close(&s);
}

static void test_queries_that_expire_or_come_late_or_twice_are_told(void **state)
{
    (void)state;
    scene s;
    scene_open(&s, 0, 10);
    tell_add(&s, 1, 2, 100);
    assert_int_equal(sc__room_round(s.room, 1), 101);
    tell_add(&s, 1, 2, 100);
    sc__room_round(s.room, 2);
    check_dropped(&s, 1, SC__MESSAGE_NOT_TAKEN);
    sc__room_round(s.room, 101);
    check_dropped(&s, 1, SC__MESSAGE_DROPPED);
    tell_add(&s, 2, 2, 100);
    sc__room_round(s.room, 101);
    check_dropped(&s, 2, SC__MESSAGE_DROPPED);
    // Words that crossed do no harm.
    tell_remove(&s, 1);
    tell_remove(&s, 77);
    sc__room_round(s.room, 102);
    check_silence(&s);
    scene_close(&s);
}

enum { MANY = 5000 };  // more than messages find room

/** Hear of all of them, a few at a time. */
static void check_all_told(scene *s, sc__message_kind kind, sc_time now)
{
    bool is_told[MANY] = {false};
    for (size_t told = 0; told < MANY;) {
        sc__room_round(s->room, now);
        sc__message messages[100];
        const size_t count = sc__room_hear(s->room, messages, 100);
        assert_true(count > 0);
        for (size_t i = 0; i < count; i++) {
            assert_int_equal(messages[i].kind, kind);
            const bool is_cloak = kind == SC__MESSAGE_PROPOSED;
            const sc_query_id *id =
                is_cloak ? &messages[i].cloak->members[0].query.id : &messages[i].id;
            uint32_t number = MANY;
            memcpy(&number, id->bytes + sizeof(uint64_t), sizeof number);
            assert_true(number < MANY && !is_told[number]);
            is_told[number] = true;
            if (is_cloak) sc_cloak_free(messages[i].cloak);
        }
        told += count;
    }
    check_silence(s);
}

static void test_nothing_is_lost_while_nobody_listens(void **state)
{
    (void)state;
    for (int expires = 0; expires < 2; expires++) {
        scene s;
        scene_open(&s, 0, MANY);
        for (uint32_t i = 0; i < MANY; i++) {
            tell_add(&s, i, expires ? 2 * MANY : 1, 100);
        }
        assert_true(sc__room_is_behind(s.room));
        sc_time now = 1;
        for (int i = 0; i < 2 * MANY / SC__ROOM_BATCH; i++) {
            sc__room_round(s.room, now);
        }
        if (expires) now = 101;
        // It comes back to what it could not say.
        for (int i = 0; i < 2; i++) {
            const sc_time wake = sc__room_round(s.room, now);
            assert_true(wake > now && wake < now + 100000);
        }
        check_all_told(&s, expires ? SC__MESSAGE_DROPPED : SC__MESSAGE_PROPOSED, now);
        assert_false(sc__room_is_behind(s.room));
        scene_close(&s);
    }
}

static void wait_for_message(scene *s)
{
    struct pollfd bell = {.fd = sc__room_fd(s->room), .events = POLLIN};
    assert_int_equal(poll(&bell, 1, LONG_MS), 1);
}

static void test_the_thread_does_the_same_with_and_without_a_pool(void **state)
{
    (void)state;
    for (unsigned prune_threads = 0; prune_threads < 3; prune_threads++) {
        scene s;
        scene_open(&s, prune_threads, 10);
        CHECK_OK(sc__room_start(s.room), NULL);
        for (int i = 0; i < 20; i++) {
            tell_add(&s, 1, 2, SC_TIME_NEVER);
            tell_add(&s, 2, 2, SC_TIME_NEVER);
            wait_for_message(&s);
            sc_cloak *cloak = hear_proposal(&s, 2);
            if (i % 2) {
                tell_answer(&s, SC__COMMAND_ACCEPT, cloak, 2);
            } else {
                tell_remove(&s, 1);
                tell_remove(&s, 2);
                tell_answer(&s, SC__COMMAND_REFUSE, cloak, 0);
            }
        }
        // One is on its way when the end comes.
        tell_add(&s, 1, 2, SC_TIME_NEVER);
        tell_add(&s, 2, 2, SC_TIME_NEVER);
        sc__room_end(s.room);
        sc__room_end(s.room);
        const sc_engine_stats stats = sc__room_stats(s.room);
        assert_int_equal(stats.accepted, 20);
        assert_int_equal(stats.removed, 20);
        scene_close(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_two_queries_are_proposed_and_accepted),
        cmocka_unit_test(test_after_a_refusal_those_who_are_left_go_on),
        cmocka_unit_test(test_a_cloak_that_left_in_time_is_done_though_the_engines_clock_is_ahead),
        cmocka_unit_test(test_queries_that_expire_or_come_late_or_twice_are_told),
        cmocka_unit_test(test_nothing_is_lost_while_nobody_listens),
        cmocka_unit_test(test_the_thread_does_the_same_with_and_without_a_pool),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
