// The worker's side of the commit, step by step: who is told what, and when a cloak is done.
#include "worker/proposals.h"

#include "base/alloc.h"
#include "base/rng.h"
#include "engine/candidate.h"
#include "support/check.h"
#include "support/received.h"
#include "support/streams.h"

enum { SELF = 77, ROOM = 3, PART = 5, PATIENCE = 100, A = 11, B = 12, C = 13 };

typedef struct scene {
    sc_rng rng;
    received received;
    sc__proposals *proposals;
    sc__allowance allowance;
} scene;

static void scene_open(scene *s, uint64_t seed)
{
    *s = (scene){0};
    sc_rng_seed(&s->rng, seed);
    received_open(&s->received);
    const sc__proposals_options options = {
        .self = SELF,
        .engine_thread = ROOM,
        .patience_us = PATIENCE,
        .port = received_port(&s->received),
    };
    CHECK_OK(sc__proposals_new(&options, &s->rng, &s->proposals), NULL);
}

static void scene_close(scene *s)
{
    received_check_quiet(&s->received);
    sc__proposals_free(s->proposals);
    received_close(&s->received);
}

/** Query i of gateway `owners[i]`, with deadline 1000 + 10 i; the last owner is 0. */
static sc_cloak *cloak_of(const sc_peer *owners)
{
    size_t count = 0;
    while (owners[count] != SC_PEER_NONE) {
        count++;
    }
    sc_cloak *cloak = sc__cloak_new(2, 4, count);
    assert_non_null(cloak);
    for (size_t i = 0; i < count; i++) {
        const sc_time deadline = 1000 + 10 * (sc_time)i;
        cloak->members[i] =
            (sc_member){.query = plain_query((uint32_t)i, 7, 1, 1, 4, deadline), .star = 9};
        cloak->members[i].query.owner = owners[i];
    }
    cloak->stars[0] = 8;
    cloak->stars[1] = 9;
    cloak->segments[0] = 7;
    cloak->segment_count = 1;
    cloak->border_nodes[0] = 6;
    cloak->border_node_count = 1;
    cloak->deadline = 1000;
    cloak->is_pruned = true;
    return cloak;
}

/** Send a message about a proposal. */
static void send_msg(scene *s, sc_peer from, sc_msg_kind kind, const sc_proposal_id *id,
                     sc_time now)
{
    sc_msg msg = {.kind = kind, .from = from, .id = *id, .engine_thread = ROOM, .deadline = 1000};
    sc__proposals_receive(s->proposals, &msg, now);
}

/** An ok with one wish for each of these queries. */
static void send_ok(scene *s, sc_peer from, const sc_proposal_id *id, const uint32_t *numbers,
                    size_t count, sc_time now)
{
    sc_msg msg = {.kind = SC_MSG_OK, .from = from, .id = *id, .deadline = 990, .count = count};
    msg.wishes = sc_calloc(count, sizeof *msg.wishes);
    assert_non_null(msg.wishes);
    for (size_t i = 0; i < count; i++) {
        msg.wishes[i].query = plain_id(numbers[i]);
    }
    sc__proposals_receive(s->proposals, &msg, now);
}

static void send_no(scene *s, sc_peer from, const sc_proposal_id *id, uint32_t gone, sc_time now)
{
    sc_msg msg = {.kind = SC_MSG_NO, .from = from, .id = *id, .count = 1};
    msg.gone = sc_calloc(1, sizeof *msg.gone);
    assert_non_null(msg.gone);
    msg.gone[0] = plain_id(gone);
    sc__proposals_receive(s->proposals, &msg, now);
}

static void check_msg(scene *s, sc_msg_kind kind, sc_peer to, const sc_proposal_id *id)
{
    sc_msg msg = received_next(&s->received, kind, to);
    assert_int_equal(msg.from, SELF);
    assert_int_equal(msg.engine_thread, ROOM);
    assert_true(sc_proposal_id_equal(&msg.id, id));
    sc_msg_fini(&msg);
}

/** The reservation, which must be told to this gateway; returns R. */
static sc_peer check_reserve(scene *s, sc_peer to, sc_proposal_id *id)
{
    sc_msg msg = received_next(&s->received, SC_MSG_RESERVE, to);
    assert_int_equal(msg.from, SELF);
    *id = msg.proposal->id;
    const sc_peer releaser = msg.proposal->releaser;
    sc_msg_fini(&msg);
    return releaser;
}

static void check_not_done(scene *s)
{
    sc__proposal_end end;
    assert_false(sc__proposals_take_done(s->proposals, &end));
}

/** One cloak is done, and in this way. */
static void check_done(scene *s, sc_cloak *cloak, bool is_published)
{
    sc__proposal_end end;
    assert_true(sc__proposals_take_done(s->proposals, &end));
    assert_ptr_equal(end.cloak, cloak);
    assert_int_equal(end.is_published, is_published);
    assert_int_equal(end.gone_count, 0);
    sc_cloak_free(end.cloak);
    check_not_done(s);
}

/** Tell a cloak with members of A, B and A; returns R. */
static sc_peer proposal_of_two(scene *s, sc_cloak **cloak, sc_proposal_id *id, sc_time now)
{
    *cloak = cloak_of((sc_peer[]){A, B, A, 0});
    assert_true(sc__proposals_add(s->proposals, *cloak, PART, &s->allowance, now));
    const sc_peer releaser = check_reserve(s, A, id);
    sc_proposal_id same;
    assert_int_equal(check_reserve(s, B, &same), releaser);
    assert_true(sc_proposal_id_equal(id, &same));
    received_check_quiet(&s->received);
    return releaser;
}

static void test_a_gateway_is_told_all_that_the_cloak_has(void **state)
{
    (void)state;
    scene s;
    scene_open(&s, 1);
    sc_cloak *cloak = cloak_of((sc_peer[]){A, A, A, 0});
    assert_true(sc__proposals_add(s.proposals, cloak, PART, &s.allowance, 1));
    sc_msg msg = received_next(&s.received, SC_MSG_RESERVE, A);
    const sc_proposal *proposal = msg.proposal;
    assert_int_equal(proposal->worker, SELF);
    assert_int_equal(proposal->engine_thread, ROOM);
    assert_int_equal(proposal->part, PART);
    assert_int_equal(proposal->releaser, A);
    assert_true(proposal->is_single);
    assert_int_equal(proposal->deadline, 1000);
    assert_int_equal(proposal->last, 1020);
    assert_int_equal(proposal->star_count, 2);
    assert_int_equal(proposal->stars[0], 8);
    assert_int_equal(proposal->stars[1], 9);
    assert_int_equal(proposal->segment_count, 1);
    assert_int_equal(proposal->segments[0], 7);
    assert_int_equal(proposal->border_node_count, 1);
    assert_int_equal(proposal->border_nodes[0], 6);
    assert_int_equal(proposal->member_count, 3);
    for (size_t i = 0; i < 3; i++) {
        const sc_query *told = &proposal->members[i].query;
        const sc_query *meant = &cloak->members[i].query;
        assert_memory_equal(&told->id, &meant->id, sizeof meant->id);
        assert_int_equal(told->owner, meant->owner);
        assert_int_equal(told->deadline, meant->deadline);
        assert_int_equal(told->segment, meant->segment);
        assert_int_equal(proposal->members[i].star, 9);
    }
    sc_msg_fini(&msg);
    scene_close(&s);
}

static void test_one_gateway_is_told_once_and_decides(void **state)
{
    (void)state;
    for (int is_published = 0; is_published < 2; is_published++) {
        scene s;
        scene_open(&s, 2);
        sc_cloak *cloak = cloak_of((sc_peer[]){A, A, 0});
        assert_true(sc__proposals_add(s.proposals, cloak, PART, &s.allowance, 1));
        sc_proposal_id id;
        assert_int_equal(check_reserve(&s, A, &id), A);
        received_check_quiet(&s.received);
        check_not_done(&s);
        send_msg(&s, A, is_published ? SC_MSG_PUBLISHED : SC_MSG_DEAD, &id, 2);
        check_done(&s, cloak, is_published);
        const sc__proposals_stats stats = sc__proposals_stats_of(s.proposals);
        assert_int_equal(stats.made, 1);
        assert_int_equal(stats.under_way, 0);
        assert_int_equal(stats.published, is_published);
        assert_int_equal(stats.refused, !is_published);
        scene_close(&s);
    }
}

static void test_what_one_gateway_has_not_open_is_gone(void **state)
{
    (void)state;
    scene s;
    scene_open(&s, 3);
    sc_cloak *cloak = cloak_of((sc_peer[]){A, A, 0});
    assert_true(sc__proposals_add(s.proposals, cloak, PART, &s.allowance, 1));
    sc_proposal_id id;
    check_reserve(&s, A, &id);
    send_no(&s, A, &id, 1, 2);
    // It decided, so there is nothing to call off.
    received_check_quiet(&s.received);
    sc__proposal_end end;
    assert_true(sc__proposals_take_done(s.proposals, &end));
    assert_false(end.is_published);
    assert_int_equal(end.gone_count, 1);
    const sc_query_id gone = plain_id(1);
    assert_memory_equal(&end.gone[0], &gone, sizeof gone);
    sc_cloak_free(end.cloak);
    scene_close(&s);
}

static void test_when_all_have_sent_ok_R_alone_is_told_with_the_others_wishes(void **state)
{
    (void)state;
    unsigned releasers[2] = {0, 0};
    for (uint64_t seed = 0; seed < 20; seed++) {
        scene s;
        scene_open(&s, seed);
        sc_cloak *cloak;
        sc_proposal_id id;
        const sc_peer releaser = proposal_of_two(&s, &cloak, &id, 1);
        releasers[releaser == B]++;
        send_ok(&s, A, &id, (uint32_t[]){0, 2}, 2, 2);
        received_check_quiet(&s.received);
        // Twice is not two.
        send_ok(&s, A, &id, (uint32_t[]){0, 2}, 2, 2);
        received_check_quiet(&s.received);
        send_ok(&s, B, &id, (uint32_t[]){1}, 1, 3);
        sc_msg msg = received_next(&s.received, SC_MSG_RELEASE, releaser);
        assert_true(sc_proposal_id_equal(&msg.id, &id));
        assert_int_equal(msg.engine_thread, ROOM);
        assert_int_equal(msg.deadline, 990);
        assert_int_equal(msg.count, releaser == A ? 1 : 2);
        const sc_query_id first = plain_id(releaser == A ? 1 : 0);
        assert_memory_equal(&msg.wishes[0].query, &first, sizeof first);
        sc_msg_fini(&msg);
        check_not_done(&s);
        send_msg(&s, releaser, SC_MSG_PUBLISHED, &id, 4);
        check_done(&s, cloak, true);
        scene_close(&s);
    }
    // Two members of three are A's.
    assert_true(releasers[0] > releasers[1] && releasers[1] > 0);
}

static void test_who_wishes_for_more_than_its_members_is_not_received(void **state)
{
    (void)state;
    scene s;
    scene_open(&s, 1);
    sc_cloak *cloak;
    sc_proposal_id id;
    const sc_peer releaser = proposal_of_two(&s, &cloak, &id, 1);
    const uint32_t many[] = {0, 1, 2, 3, 4, 5, 6, 7};
    send_ok(&s, A, &id, many, 8, 2);
    send_ok(&s, B, &id, many, 8, 2);
    sc_msg msg = received_next(&s.received, SC_MSG_RELEASE, releaser);
    assert_int_equal(msg.count, releaser == A ? 1 : 2);
    sc_msg_fini(&msg);
    scene_close(&s);
}

static void test_one_no_calls_it_off_for_all(void **state)
{
    (void)state;
    scene s;
    scene_open(&s, 4);
    sc_cloak *cloak;
    sc_proposal_id id;
    proposal_of_two(&s, &cloak, &id, 1);
    send_ok(&s, A, &id, (uint32_t[]){0, 2}, 2, 2);
    send_no(&s, B, &id, 1, 3);
    check_msg(&s, SC_MSG_ABORT, A, &id);
    check_msg(&s, SC_MSG_ABORT, B, &id);
    sc__proposal_end end;
    assert_true(sc__proposals_take_done(s.proposals, &end));
    assert_int_equal(end.gone_count, 1);
    assert_false(end.is_published);
    sc_cloak_free(end.cloak);
    // What comes later changes nothing.
    send_ok(&s, B, &id, (uint32_t[]){1}, 1, 4);
    send_msg(&s, A, SC_MSG_PUBLISHED, &id, 5);
    send_no(&s, B, &id, 1, 6);
    check_not_done(&s);
    scene_close(&s);
}

static void test_silence_calls_it_off(void **state)
{
    (void)state;
    scene s;
    scene_open(&s, 5);
    sc_cloak *cloak;
    sc_proposal_id id;
    proposal_of_two(&s, &cloak, &id, 1);
    send_ok(&s, B, &id, (uint32_t[]){1}, 1, 50);
    assert_int_equal(sc__proposals_next_wake(s.proposals), 1 + PATIENCE);
    sc__proposals_pass_time(s.proposals, PATIENCE);
    check_not_done(&s);
    sc__proposals_pass_time(s.proposals, 1 + PATIENCE);
    check_msg(&s, SC_MSG_ABORT, A, &id);
    check_msg(&s, SC_MSG_ABORT, B, &id);
    check_done(&s, cloak, false);
    assert_int_equal(sc__proposals_stats_of(s.proposals).silent, 1);
    assert_int_equal(sc__proposals_next_wake(s.proposals), SC_TIME_NEVER);
    scene_close(&s);
}

/** A proposal of two that A does not answer within patience, and B only if it is there. */
static void be_silent(scene *s, sc_time now, bool is_b_there, sc__proposal_end *end)
{
    sc_cloak *cloak;
    sc_proposal_id id;
    proposal_of_two(s, &cloak, &id, now);
    if (is_b_there) send_ok(s, B, &id, (uint32_t[]){1}, 1, now + 1);
    sc__proposals_pass_time(s->proposals, now + PATIENCE);
    check_msg(s, SC_MSG_ABORT, A, &id);
    check_msg(s, SC_MSG_ABORT, B, &id);
    assert_true(sc__proposals_take_done(s->proposals, end));
    assert_false(end->is_published);
    sc_cloak_free(end->cloak);
}

static void test_who_is_silent_twice_is_gone_until_it_is_received_again(void **state)
{
    (void)state;
    scene s;
    scene_open(&s, 5);
    sc__proposal_end end;
    be_silent(&s, 0, true, &end);
    assert_int_equal(end.gone_count, 0);
    be_silent(&s, 100, true, &end);
    assert_int_equal(end.gone_count, 2);
    for (uint32_t i = 0; i < 2; i++) {
        const sc_query_id id = plain_id(2 * i);
        assert_memory_equal(&end.gone[i], &id, sizeof id);
    }
    // B for the first time.
    be_silent(&s, 200, false, &end);
    assert_int_equal(end.gone_count, 2);
    be_silent(&s, 300, false, &end);
    assert_int_equal(end.gone_count, 3);
    sc__proposals_note_alive(s.proposals, A);
    be_silent(&s, 400, false, &end);
    assert_int_equal(end.gone_count, 1);
    sc__proposals_note_alive(s.proposals, B);
    be_silent(&s, 500, true, &end);
    assert_int_equal(end.gone_count, 2);
    assert_int_equal(sc__proposals_stats_of(s.proposals).silent, 6);
    scene_close(&s);
}

static void test_a_proposal_is_undecided_until_all_have_sent_ok(void **state)
{
    (void)state;
    scene s;
    scene_open(&s, 11);
    sc_cloak *cloak;
    sc_proposal_id id;
    const sc_peer releaser = proposal_of_two(&s, &cloak, &id, 1);
    assert_int_equal(s.allowance.undecided, 1);
    send_ok(&s, B, &id, (uint32_t[]){1}, 1, 2);
    assert_int_equal(s.allowance.undecided, 1);
    send_ok(&s, A, &id, (uint32_t[]){0}, 1, 3);
    check_msg(&s, SC_MSG_RELEASE, releaser, &id);
    assert_int_equal(s.allowance.undecided, 0);
    assert_int_equal(s.allowance.most, SC__ALLOWANCE_MORE);
    assert_false(s.allowance.is_bounded);
    send_msg(&s, releaser, SC_MSG_PUBLISHED, &id, 4);
    check_done(&s, cloak, true);
    assert_int_equal(s.allowance.undecided, 0);
    scene_close(&s);
}

static void test_what_one_gateway_decides_is_not_counted(void **state)
{
    (void)state;
    scene s;
    scene_open(&s, 12);
    sc_cloak *cloak = cloak_of((sc_peer[]){A, A, 0});
    assert_true(sc__proposals_add(s.proposals, cloak, PART, &s.allowance, 1));
    sc_proposal_id id;
    check_reserve(&s, A, &id);
    assert_int_equal(s.allowance.undecided, 0);
    send_no(&s, A, &id, 1, 2);
    assert_int_equal(s.allowance.undecided, 0);
    assert_false(s.allowance.is_bounded);
    sc__proposal_end end;
    assert_true(sc__proposals_take_done(s.proposals, &end));
    sc_cloak_free(end.cloak);
    scene_close(&s);
}

static void test_a_no_leaves_less_to_the_part(void **state)
{
    (void)state;
    enum { MANY = 8 };
    scene s;
    scene_open(&s, 13);
    sc_cloak *cloaks[MANY];
    sc_proposal_id ids[MANY];
    for (size_t i = 0; i < MANY; i++) {
        proposal_of_two(&s, &cloaks[i], &ids[i], 1);
    }
    assert_false(sc__allowance_is_spent(&s.allowance));
    for (size_t i = 0; i < MANY; i++) {
        assert_int_equal(s.allowance.undecided, MANY - i);
        send_no(&s, A, &ids[i], 0, 2);
        check_msg(&s, SC_MSG_ABORT, A, &ids[i]);
        check_msg(&s, SC_MSG_ABORT, B, &ids[i]);
        sc__proposal_end end;
        assert_true(sc__proposals_take_done(s.proposals, &end));
        sc_cloak_free(end.cloak);
        // All of them met the same crowd.
        assert_int_equal(s.allowance.most, MANY / 2);
        assert_int_equal(sc__allowance_is_spent(&s.allowance), MANY - 1 - i >= MANY / 2);
    }
    scene_close(&s);
}

static void test_who_is_silent_keeps_no_peer_from_proposing(void **state)
{
    (void)state;
    scene s;
    scene_open(&s, 14);
    sc_cloak *first;
    sc_cloak *second;
    sc_cloak *third;
    sc_proposal_id ids[3];
    proposal_of_two(&s, &first, &ids[0], 0);
    proposal_of_two(&s, &second, &ids[1], PATIENCE / 2);
    assert_int_equal(s.allowance.undecided, 2);
    send_ok(&s, B, &ids[0], (uint32_t[]){1}, 1, 1);
    // A is silent: the second, which waits for it, is not counted either, nor is the third.
    sc__proposals_pass_time(s.proposals, PATIENCE);
    check_msg(&s, SC_MSG_ABORT, A, &ids[0]);
    check_msg(&s, SC_MSG_ABORT, B, &ids[0]);
    check_done(&s, first, false);
    assert_int_equal(s.allowance.undecided, 0);
    proposal_of_two(&s, &third, &ids[2], PATIENCE);
    assert_int_equal(s.allowance.undecided, 0);
    // It sends again. What it sends of proposals that are not counted changes nothing.
    sc__proposals_note_alive(s.proposals, A);
    send_no(&s, A, &ids[1], 0, PATIENCE + 1);
    check_msg(&s, SC_MSG_ABORT, A, &ids[1]);
    check_msg(&s, SC_MSG_ABORT, B, &ids[1]);
    sc__proposal_end end;
    assert_true(sc__proposals_take_done(s.proposals, &end));
    assert_ptr_equal(end.cloak, second);
    sc_cloak_free(end.cloak);
    assert_false(s.allowance.is_bounded);
    sc_cloak *fourth;
    sc_proposal_id id;
    proposal_of_two(&s, &fourth, &id, PATIENCE + 2);
    assert_int_equal(s.allowance.undecided, 1);
    scene_close(&s);
}

static void test_R_is_asked_until_it_speaks(void **state)
{
    (void)state;
    for (int is_single = 0; is_single < 2; is_single++) {
        scene s;
        scene_open(&s, 6);
        sc_cloak *cloak;
        sc_proposal_id id;
        sc_peer releaser = A;
        if (is_single) {
            cloak = cloak_of((sc_peer[]){A, A, A, 0});
            assert_true(sc__proposals_add(s.proposals, cloak, PART, &s.allowance, 10));
            check_reserve(&s, A, &id);
        } else {
            releaser = proposal_of_two(&s, &cloak, &id, 1);
            send_ok(&s, A, &id, (uint32_t[]){0, 2}, 2, 2);
            send_ok(&s, B, &id, (uint32_t[]){1}, 1, 10);
            check_msg(&s, SC_MSG_RELEASE, releaser, &id);
        }
        for (sc_time now = 10 + PATIENCE; now < 500; now += PATIENCE) {
            assert_int_equal(sc__proposals_next_wake(s.proposals), now);
            sc__proposals_pass_time(s.proposals, now);
            check_msg(&s, SC_MSG_ASK, releaser, &id);
            received_check_quiet(&s.received);
        }
        // Only its own message counts.
        send_msg(&s, releaser == A ? B : A, SC_MSG_DEAD, &id, 500);
        send_msg(&s, releaser == A ? B : A, SC_MSG_PUBLISHED, &id, 500);
        check_not_done(&s);
        send_msg(&s, releaser, SC_MSG_DEAD, &id, 501);
        check_done(&s, cloak, false);
        scene_close(&s);
    }
}

static void test_after_the_last_deadline_no_one_needs_to_know(void **state)
{
    (void)state;
    scene s;
    scene_open(&s, 7);
    sc_cloak *cloak = cloak_of((sc_peer[]){A, A, A, 0});
    assert_true(sc__proposals_add(s.proposals, cloak, PART, &s.allowance, 980));
    sc_proposal_id id;
    check_reserve(&s, A, &id);
    // The least deadline is over, and the last is not.
    sc__proposals_pass_time(s.proposals, 1080 - PATIENCE / 2);
    check_not_done(&s);
    sc__proposals_pass_time(s.proposals, 1080);
    check_done(&s, cloak, true);
    assert_int_equal(sc__proposals_stats_of(s.proposals).unknown, 1);
    scene_close(&s);
}

static void test_a_part_that_goes_calls_off_what_it_can(void **state)
{
    (void)state;
    scene s;
    scene_open(&s, 8);
    sc_cloak *single = cloak_of((sc_peer[]){A, A, 0});
    assert_true(sc__proposals_add(s.proposals, single, PART, &s.allowance, 1));
    sc_proposal_id id;
    check_reserve(&s, A, &id);
    sc_cloak *elsewhere = cloak_of((sc_peer[]){A, B, 0});
    assert_true(sc__proposals_add(s.proposals, elsewhere, PART + 1, &s.allowance, 1));
    check_reserve(&s, A, &id);
    check_reserve(&s, B, &id);
    sc_cloak *cloak;
    proposal_of_two(&s, &cloak, &id, 1);
    sc__proposals_abort_part(s.proposals, PART);
    check_msg(&s, SC_MSG_ABORT, A, &id);
    check_msg(&s, SC_MSG_ABORT, B, &id);
    check_done(&s, cloak, false);
    assert_int_equal(sc__proposals_stats_of(s.proposals).under_way, 2);
    scene_close(&s);
}

static void test_strangers_and_unknown_proposals_are_passed_over(void **state)
{
    (void)state;
    scene s;
    scene_open(&s, 9);
    sc_cloak *cloak;
    sc_proposal_id id;
    proposal_of_two(&s, &cloak, &id, 1);
    send_msg(&s, C, SC_MSG_PUBLISHED, &id, 2);
    send_msg(&s, C, SC_MSG_DEAD, &id, 2);
    send_no(&s, C, &id, 0, 2);
    send_ok(&s, C, &id, (uint32_t[]){0}, 1, 2);
    sc_proposal_id other = id;
    other.bytes[15] ^= 1;
    send_msg(&s, A, SC_MSG_DEAD, &other, 2);
    sc_msg reserve = {.kind = SC_MSG_RESERVE, .from = A};
    sc__proposals_receive(s.proposals, &reserve, 2);
    check_not_done(&s);
    received_check_quiet(&s.received);
    assert_int_equal(sc__proposals_stats_of(s.proposals).under_way, 1);
    scene_close(&s);
}

static void test_many_proposals_are_told_apart_and_end_in_order(void **state)
{
    (void)state;
    enum { MANY = 1000 };
    scene s;
    scene_open(&s, 10);
    static sc_cloak *cloaks[MANY];
    static sc_proposal_id ids[MANY];
    for (size_t i = 0; i < MANY; i++) {
        cloaks[i] = cloak_of((sc_peer[]){A, 0});
        assert_true(sc__proposals_add(s.proposals, cloaks[i], PART, &s.allowance, (sc_time)i));
        check_reserve(&s, A, &ids[i]);
    }
    // 7 has no divisor with 1000 in common: all come, far from the order in which they began.
    for (size_t i = 0; i < MANY; i++) {
        const size_t which = i * 7 % MANY;
        send_msg(&s, A, which % 2 ? SC_MSG_PUBLISHED : SC_MSG_DEAD, &ids[which], MANY);
    }
    for (size_t i = 0; i < MANY; i++) {
        const size_t which = i * 7 % MANY;
        sc__proposal_end end;
        assert_true(sc__proposals_take_done(s.proposals, &end));
        assert_ptr_equal(end.cloak, cloaks[which]);
        assert_int_equal(end.is_published, which % 2);
        sc_cloak_free(end.cloak);
    }
    check_not_done(&s);
    scene_close(&s);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_gateway_is_told_all_that_the_cloak_has),
    cmocka_unit_test(test_one_gateway_is_told_once_and_decides),
    cmocka_unit_test(test_what_one_gateway_has_not_open_is_gone),
    cmocka_unit_test(test_when_all_have_sent_ok_R_alone_is_told_with_the_others_wishes),
    cmocka_unit_test(test_who_wishes_for_more_than_its_members_is_not_received),
    cmocka_unit_test(test_one_no_calls_it_off_for_all),
    cmocka_unit_test(test_silence_calls_it_off),
    cmocka_unit_test(test_who_is_silent_twice_is_gone_until_it_is_received_again),
    cmocka_unit_test(test_a_proposal_is_undecided_until_all_have_sent_ok),
    cmocka_unit_test(test_what_one_gateway_decides_is_not_counted),
    cmocka_unit_test(test_a_no_leaves_less_to_the_part),
    cmocka_unit_test(test_who_is_silent_keeps_no_peer_from_proposing),
    cmocka_unit_test(test_R_is_asked_until_it_speaks),
    cmocka_unit_test(test_after_the_last_deadline_no_one_needs_to_know),
    cmocka_unit_test(test_a_part_that_goes_calls_off_what_it_can),
    cmocka_unit_test(test_strangers_and_unknown_proposals_are_passed_over),
    cmocka_unit_test(test_many_proposals_are_told_apart_and_end_in_order),
};
SC_SUITE(tests)
