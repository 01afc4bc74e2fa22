// The worker's side of the commit, step by step: who is told what, and when a cloak is done.
#include "worker/proposals.h"

#include "base/alloc.h"
#include "base/rng.h"
#include "engine/cloak_make.h"
#include "support/check.h"
#include "support/heard.h"
#include "support/streams.h"

enum { SELF = 77, ROOM = 3, PART = 5, PATIENCE = 100, A = 11, B = 12, C = 13 };

typedef struct scene {
    sc_rng rng;
    heard heard;
    sc__bids *bids;
    sc__allowance allowance;
} scene;

static void scene_open(scene *s, uint64_t seed)
{
    *s = (scene){0};
    sc_rng_seed(&s->rng, seed);
    heard_open(&s->heard);
    const sc__bids_options options = {
        .self = SELF,
        .room = ROOM,
        .patience_us = PATIENCE,
        .voice = heard_voice(&s->heard),
    };
    CHECK_OK(sc__bids_new(&options, &s->rng, &s->bids), NULL);
}

static void scene_close(scene *s)
{
    heard_check_quiet(&s->heard);
    sc__bids_free(s->bids);
    heard_close(&s->heard);
}

/** Query i of gateway `owners[i]`, with deadline 1000 + 10 i; the last owner is 0. */
static sc_cloak *cloak_of(const sc_peer *owners)
{
    size_t count = 0;
    while (owners[count] != SC_PEER_NONE) {
        count++;
    }
    sc_cloak *cloak = sc_cloak_new(2, 4, count);
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

/** Somebody says something about a bid. */
static void say(scene *s, sc_peer from, sc_word_kind kind, const sc_bid_id *id, sc_time now)
{
    sc_word word = {.kind = kind, .from = from, .id = *id, .room = ROOM, .deadline = 1000};
    sc__bids_hear(s->bids, &word, now);
}

/** An ok with one wish for each of these queries. */
static void say_ok(scene *s, sc_peer from, const sc_bid_id *id, const uint32_t *numbers,
                   size_t count, sc_time now)
{
    sc_word word = {.kind = SC_WORD_OK, .from = from, .id = *id, .deadline = 990, .count = count};
    word.wishes = sc_calloc(count, sizeof *word.wishes);
    assert_non_null(word.wishes);
    for (size_t i = 0; i < count; i++) {
        word.wishes[i].query = plain_id(numbers[i]);
    }
    sc__bids_hear(s->bids, &word, now);
}

static void say_no(scene *s, sc_peer from, const sc_bid_id *id, uint32_t gone, sc_time now)
{
    sc_word word = {.kind = SC_WORD_NO, .from = from, .id = *id, .count = 1};
    word.gone = sc_calloc(1, sizeof *word.gone);
    assert_non_null(word.gone);
    word.gone[0] = plain_id(gone);
    sc__bids_hear(s->bids, &word, now);
}

static void check_word(scene *s, sc_word_kind kind, sc_peer to, const sc_bid_id *id)
{
    sc_word word = heard_next(&s->heard, kind, to);
    assert_int_equal(word.from, SELF);
    assert_int_equal(word.room, ROOM);
    assert_true(sc_bid_id_equal(&word.id, id));
    sc_word_fini(&word);
}

/** The reservation, which must be told to this gateway; returns R. */
static sc_peer check_reserve(scene *s, sc_peer to, sc_bid_id *id)
{
    sc_word word = heard_next(&s->heard, SC_WORD_RESERVE, to);
    assert_int_equal(word.from, SELF);
    *id = word.bid->id;
    const sc_peer releaser = word.bid->releaser;
    sc_word_fini(&word);
    return releaser;
}

static void check_not_done(scene *s)
{
    sc__bid_end end;
    assert_false(sc__bids_take_done(s->bids, &end));
}

/** One cloak is done, and in this way. */
static void check_done(scene *s, sc_cloak *cloak, bool is_published)
{
    sc__bid_end end;
    assert_true(sc__bids_take_done(s->bids, &end));
    assert_ptr_equal(end.cloak, cloak);
    assert_int_equal(end.is_published, is_published);
    assert_int_equal(end.gone_count, 0);
    sc_cloak_free(end.cloak);
    check_not_done(s);
}

/** Tell a cloak with members of A, B and A; returns R. */
static sc_peer bid_of_two(scene *s, sc_cloak **cloak, sc_bid_id *id, sc_time now)
{
    *cloak = cloak_of((sc_peer[]){A, B, A, 0});
    assert_true(sc__bids_add(s->bids, *cloak, PART, &s->allowance, now));
    const sc_peer releaser = check_reserve(s, A, id);
    sc_bid_id same;
    assert_int_equal(check_reserve(s, B, &same), releaser);
    assert_true(sc_bid_id_equal(id, &same));
    heard_check_quiet(&s->heard);
    return releaser;
}

static void test_a_gateway_is_told_all_that_the_cloak_has(void **state)
{
    (void)state;
    scene s;
    scene_open(&s, 1);
    sc_cloak *cloak = cloak_of((sc_peer[]){A, A, A, 0});
    assert_true(sc__bids_add(s.bids, cloak, PART, &s.allowance, 1));
    sc_word word = heard_next(&s.heard, SC_WORD_RESERVE, A);
    const sc_bid *bid = word.bid;
    assert_int_equal(bid->worker, SELF);
    assert_int_equal(bid->room, ROOM);
    assert_int_equal(bid->part, PART);
    assert_int_equal(bid->releaser, A);
    assert_true(bid->is_single);
    assert_int_equal(bid->deadline, 1000);
    assert_int_equal(bid->last, 1020);
    assert_int_equal(bid->star_count, 2);
    assert_int_equal(bid->stars[0], 8);
    assert_int_equal(bid->stars[1], 9);
    assert_int_equal(bid->segment_count, 1);
    assert_int_equal(bid->segments[0], 7);
    assert_int_equal(bid->border_node_count, 1);
    assert_int_equal(bid->border_nodes[0], 6);
    assert_int_equal(bid->member_count, 3);
    for (size_t i = 0; i < 3; i++) {
        const sc_query *told = &bid->members[i].query;
        const sc_query *meant = &cloak->members[i].query;
        assert_memory_equal(&told->id, &meant->id, sizeof meant->id);
        assert_int_equal(told->owner, meant->owner);
        assert_int_equal(told->deadline, meant->deadline);
        assert_int_equal(told->segment, meant->segment);
        assert_int_equal(bid->members[i].star, 9);
    }
    sc_word_fini(&word);
    scene_close(&s);
}

static void test_one_gateway_is_told_once_and_decides(void **state)
{
    (void)state;
    for (int is_published = 0; is_published < 2; is_published++) {
        scene s;
        scene_open(&s, 2);
        sc_cloak *cloak = cloak_of((sc_peer[]){A, A, 0});
        assert_true(sc__bids_add(s.bids, cloak, PART, &s.allowance, 1));
        sc_bid_id id;
        assert_int_equal(check_reserve(&s, A, &id), A);
        heard_check_quiet(&s.heard);
        check_not_done(&s);
        say(&s, A, is_published ? SC_WORD_PUBLISHED : SC_WORD_DEAD, &id, 2);
        check_done(&s, cloak, is_published);
        const sc__bids_stats stats = sc__bids_stats_of(s.bids);
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
    assert_true(sc__bids_add(s.bids, cloak, PART, &s.allowance, 1));
    sc_bid_id id;
    check_reserve(&s, A, &id);
    say_no(&s, A, &id, 1, 2);
    // It decided, so there is nothing to call off.
    heard_check_quiet(&s.heard);
    sc__bid_end end;
    assert_true(sc__bids_take_done(s.bids, &end));
    assert_false(end.is_published);
    assert_int_equal(end.gone_count, 1);
    const sc_query_id gone = plain_id(1);
    assert_memory_equal(&end.gone[0], &gone, sizeof gone);
    sc_cloak_free(end.cloak);
    scene_close(&s);
}

static void test_when_all_have_said_ok_R_alone_is_told_with_the_others_wishes(void **state)
{
    (void)state;
    unsigned releasers[2] = {0, 0};
    for (uint64_t seed = 0; seed < 20; seed++) {
        scene s;
        scene_open(&s, seed);
        sc_cloak *cloak;
        sc_bid_id id;
        const sc_peer releaser = bid_of_two(&s, &cloak, &id, 1);
        releasers[releaser == B]++;
        say_ok(&s, A, &id, (uint32_t[]){0, 2}, 2, 2);
        heard_check_quiet(&s.heard);
        // Twice is not two.
        say_ok(&s, A, &id, (uint32_t[]){0, 2}, 2, 2);
        heard_check_quiet(&s.heard);
        say_ok(&s, B, &id, (uint32_t[]){1}, 1, 3);
        sc_word word = heard_next(&s.heard, SC_WORD_RELEASE, releaser);
        assert_true(sc_bid_id_equal(&word.id, &id));
        assert_int_equal(word.room, ROOM);
        assert_int_equal(word.deadline, 990);
        assert_int_equal(word.count, releaser == A ? 1 : 2);
        const sc_query_id first = plain_id(releaser == A ? 1 : 0);
        assert_memory_equal(&word.wishes[0].query, &first, sizeof first);
        sc_word_fini(&word);
        check_not_done(&s);
        say(&s, releaser, SC_WORD_PUBLISHED, &id, 4);
        check_done(&s, cloak, true);
        scene_close(&s);
    }
    // Two members of three are A's.
    assert_true(releasers[0] > releasers[1] && releasers[1] > 0);
}

static void test_who_wishes_for_more_than_its_members_is_not_heard(void **state)
{
    (void)state;
    scene s;
    scene_open(&s, 1);
    sc_cloak *cloak;
    sc_bid_id id;
    const sc_peer releaser = bid_of_two(&s, &cloak, &id, 1);
    const uint32_t many[] = {0, 1, 2, 3, 4, 5, 6, 7};
    say_ok(&s, A, &id, many, 8, 2);
    say_ok(&s, B, &id, many, 8, 2);
    sc_word word = heard_next(&s.heard, SC_WORD_RELEASE, releaser);
    assert_int_equal(word.count, releaser == A ? 1 : 2);
    sc_word_fini(&word);
    scene_close(&s);
}

static void test_one_no_calls_it_off_for_all(void **state)
{
    (void)state;
    scene s;
    scene_open(&s, 4);
    sc_cloak *cloak;
    sc_bid_id id;
    bid_of_two(&s, &cloak, &id, 1);
    say_ok(&s, A, &id, (uint32_t[]){0, 2}, 2, 2);
    say_no(&s, B, &id, 1, 3);
    check_word(&s, SC_WORD_ABORT, A, &id);
    check_word(&s, SC_WORD_ABORT, B, &id);
    sc__bid_end end;
    assert_true(sc__bids_take_done(s.bids, &end));
    assert_int_equal(end.gone_count, 1);
    assert_false(end.is_published);
    sc_cloak_free(end.cloak);
    // What comes later changes nothing.
    say_ok(&s, B, &id, (uint32_t[]){1}, 1, 4);
    say(&s, A, SC_WORD_PUBLISHED, &id, 5);
    say_no(&s, B, &id, 1, 6);
    check_not_done(&s);
    scene_close(&s);
}

static void test_silence_calls_it_off(void **state)
{
    (void)state;
    scene s;
    scene_open(&s, 5);
    sc_cloak *cloak;
    sc_bid_id id;
    bid_of_two(&s, &cloak, &id, 1);
    say_ok(&s, B, &id, (uint32_t[]){1}, 1, 50);
    assert_int_equal(sc__bids_next_wake(s.bids), 1 + PATIENCE);
    sc__bids_pass_time(s.bids, PATIENCE);
    check_not_done(&s);
    sc__bids_pass_time(s.bids, 1 + PATIENCE);
    check_word(&s, SC_WORD_ABORT, A, &id);
    check_word(&s, SC_WORD_ABORT, B, &id);
    check_done(&s, cloak, false);
    assert_int_equal(sc__bids_stats_of(s.bids).silent, 1);
    assert_int_equal(sc__bids_next_wake(s.bids), SC_TIME_NEVER);
    scene_close(&s);
}

/** A bid of two that A does not answer within patience, and B only if it is there. */
static void be_silent(scene *s, sc_time now, bool is_b_there, sc__bid_end *end)
{
    sc_cloak *cloak;
    sc_bid_id id;
    bid_of_two(s, &cloak, &id, now);
    if (is_b_there) say_ok(s, B, &id, (uint32_t[]){1}, 1, now + 1);
    sc__bids_pass_time(s->bids, now + PATIENCE);
    check_word(s, SC_WORD_ABORT, A, &id);
    check_word(s, SC_WORD_ABORT, B, &id);
    assert_true(sc__bids_take_done(s->bids, end));
    assert_false(end->is_published);
    sc_cloak_free(end->cloak);
}

static void test_who_is_silent_twice_is_gone_until_it_is_heard_again(void **state)
{
    (void)state;
    scene s;
    scene_open(&s, 5);
    sc__bid_end end;
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
    sc__bids_hear_from(s.bids, A);
    be_silent(&s, 400, false, &end);
    assert_int_equal(end.gone_count, 1);
    sc__bids_hear_from(s.bids, B);
    be_silent(&s, 500, true, &end);
    assert_int_equal(end.gone_count, 2);
    assert_int_equal(sc__bids_stats_of(s.bids).silent, 6);
    scene_close(&s);
}

static void test_a_bid_is_undecided_until_all_have_said_ok(void **state)
{
    (void)state;
    scene s;
    scene_open(&s, 11);
    sc_cloak *cloak;
    sc_bid_id id;
    const sc_peer releaser = bid_of_two(&s, &cloak, &id, 1);
    assert_int_equal(s.allowance.undecided, 1);
    say_ok(&s, B, &id, (uint32_t[]){1}, 1, 2);
    assert_int_equal(s.allowance.undecided, 1);
    say_ok(&s, A, &id, (uint32_t[]){0}, 1, 3);
    check_word(&s, SC_WORD_RELEASE, releaser, &id);
    assert_int_equal(s.allowance.undecided, 0);
    assert_int_equal(s.allowance.most, SC__ALLOWANCE_MORE);
    assert_false(s.allowance.is_bounded);
    say(&s, releaser, SC_WORD_PUBLISHED, &id, 4);
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
    assert_true(sc__bids_add(s.bids, cloak, PART, &s.allowance, 1));
    sc_bid_id id;
    check_reserve(&s, A, &id);
    assert_int_equal(s.allowance.undecided, 0);
    say_no(&s, A, &id, 1, 2);
    assert_int_equal(s.allowance.undecided, 0);
    assert_false(s.allowance.is_bounded);
    sc__bid_end end;
    assert_true(sc__bids_take_done(s.bids, &end));
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
    sc_bid_id ids[MANY];
    for (size_t i = 0; i < MANY; i++) {
        bid_of_two(&s, &cloaks[i], &ids[i], 1);
    }
    assert_false(sc__allowance_is_spent(&s.allowance));
    for (size_t i = 0; i < MANY; i++) {
        assert_int_equal(s.allowance.undecided, MANY - i);
        say_no(&s, A, &ids[i], 0, 2);
        check_word(&s, SC_WORD_ABORT, A, &ids[i]);
        check_word(&s, SC_WORD_ABORT, B, &ids[i]);
        sc__bid_end end;
        assert_true(sc__bids_take_done(s.bids, &end));
        sc_cloak_free(end.cloak);
        // All of them met the same crowd.
        assert_int_equal(s.allowance.most, MANY / 2);
        assert_int_equal(sc__allowance_is_spent(&s.allowance), MANY - 1 - i >= MANY / 2);
    }
    scene_close(&s);
}

static void test_who_is_silent_keeps_nobody_from_bidding(void **state)
{
    (void)state;
    scene s;
    scene_open(&s, 14);
    sc_cloak *first;
    sc_cloak *second;
    sc_cloak *third;
    sc_bid_id ids[3];
    bid_of_two(&s, &first, &ids[0], 0);
    bid_of_two(&s, &second, &ids[1], PATIENCE / 2);
    assert_int_equal(s.allowance.undecided, 2);
    say_ok(&s, B, &ids[0], (uint32_t[]){1}, 1, 1);
    // A is silent: the second, which waits for it, is not counted either, nor is the third.
    sc__bids_pass_time(s.bids, PATIENCE);
    check_word(&s, SC_WORD_ABORT, A, &ids[0]);
    check_word(&s, SC_WORD_ABORT, B, &ids[0]);
    check_done(&s, first, false);
    assert_int_equal(s.allowance.undecided, 0);
    bid_of_two(&s, &third, &ids[2], PATIENCE);
    assert_int_equal(s.allowance.undecided, 0);
    // It speaks again. What it says of bids that are not counted changes nothing.
    sc__bids_hear_from(s.bids, A);
    say_no(&s, A, &ids[1], 0, PATIENCE + 1);
    check_word(&s, SC_WORD_ABORT, A, &ids[1]);
    check_word(&s, SC_WORD_ABORT, B, &ids[1]);
    sc__bid_end end;
    assert_true(sc__bids_take_done(s.bids, &end));
    assert_ptr_equal(end.cloak, second);
    sc_cloak_free(end.cloak);
    assert_false(s.allowance.is_bounded);
    sc_cloak *fourth;
    sc_bid_id id;
    bid_of_two(&s, &fourth, &id, PATIENCE + 2);
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
        sc_bid_id id;
        sc_peer releaser = A;
        if (is_single) {
            cloak = cloak_of((sc_peer[]){A, A, A, 0});
            assert_true(sc__bids_add(s.bids, cloak, PART, &s.allowance, 10));
            check_reserve(&s, A, &id);
        } else {
            releaser = bid_of_two(&s, &cloak, &id, 1);
            say_ok(&s, A, &id, (uint32_t[]){0, 2}, 2, 2);
            say_ok(&s, B, &id, (uint32_t[]){1}, 1, 10);
            check_word(&s, SC_WORD_RELEASE, releaser, &id);
        }
        for (sc_time now = 10 + PATIENCE; now < 500; now += PATIENCE) {
            assert_int_equal(sc__bids_next_wake(s.bids), now);
            sc__bids_pass_time(s.bids, now);
            check_word(&s, SC_WORD_ASK, releaser, &id);
            heard_check_quiet(&s.heard);
        }
        // Only its own word counts.
        say(&s, releaser == A ? B : A, SC_WORD_DEAD, &id, 500);
        say(&s, releaser == A ? B : A, SC_WORD_PUBLISHED, &id, 500);
        check_not_done(&s);
        say(&s, releaser, SC_WORD_DEAD, &id, 501);
        check_done(&s, cloak, false);
        scene_close(&s);
    }
}

static void test_after_the_last_deadline_nobody_needs_to_know(void **state)
{
    (void)state;
    scene s;
    scene_open(&s, 7);
    sc_cloak *cloak = cloak_of((sc_peer[]){A, A, A, 0});
    assert_true(sc__bids_add(s.bids, cloak, PART, &s.allowance, 980));
    sc_bid_id id;
    check_reserve(&s, A, &id);
    // The least deadline is over, and the last is not.
    sc__bids_pass_time(s.bids, 1080 - PATIENCE / 2);
    check_not_done(&s);
    sc__bids_pass_time(s.bids, 1080);
    check_done(&s, cloak, true);
    assert_int_equal(sc__bids_stats_of(s.bids).unknown, 1);
    scene_close(&s);
}

static void test_a_part_that_goes_calls_off_what_it_can(void **state)
{
    (void)state;
    scene s;
    scene_open(&s, 8);
    sc_cloak *single = cloak_of((sc_peer[]){A, A, 0});
    assert_true(sc__bids_add(s.bids, single, PART, &s.allowance, 1));
    sc_bid_id id;
    check_reserve(&s, A, &id);
    sc_cloak *elsewhere = cloak_of((sc_peer[]){A, B, 0});
    assert_true(sc__bids_add(s.bids, elsewhere, PART + 1, &s.allowance, 1));
    check_reserve(&s, A, &id);
    check_reserve(&s, B, &id);
    sc_cloak *cloak;
    bid_of_two(&s, &cloak, &id, 1);
    sc__bids_abort_part(s.bids, PART);
    check_word(&s, SC_WORD_ABORT, A, &id);
    check_word(&s, SC_WORD_ABORT, B, &id);
    check_done(&s, cloak, false);
    assert_int_equal(sc__bids_stats_of(s.bids).under_way, 2);
    scene_close(&s);
}

static void test_strangers_and_unknown_bids_are_passed_over(void **state)
{
    (void)state;
    scene s;
    scene_open(&s, 9);
    sc_cloak *cloak;
    sc_bid_id id;
    bid_of_two(&s, &cloak, &id, 1);
    say(&s, C, SC_WORD_PUBLISHED, &id, 2);
    say(&s, C, SC_WORD_DEAD, &id, 2);
    say_no(&s, C, &id, 0, 2);
    say_ok(&s, C, &id, (uint32_t[]){0}, 1, 2);
    sc_bid_id other = id;
    other.bytes[15] ^= 1;
    say(&s, A, SC_WORD_DEAD, &other, 2);
    sc_word reserve = {.kind = SC_WORD_RESERVE, .from = A};
    sc__bids_hear(s.bids, &reserve, 2);
    check_not_done(&s);
    heard_check_quiet(&s.heard);
    assert_int_equal(sc__bids_stats_of(s.bids).under_way, 1);
    scene_close(&s);
}

static void test_many_bids_are_told_apart_and_end_in_order(void **state)
{
    (void)state;
    enum { MANY = 1000 };
    scene s;
    scene_open(&s, 10);
    static sc_cloak *cloaks[MANY];
    static sc_bid_id ids[MANY];
    for (size_t i = 0; i < MANY; i++) {
        cloaks[i] = cloak_of((sc_peer[]){A, 0});
        assert_true(sc__bids_add(s.bids, cloaks[i], PART, &s.allowance, (sc_time)i));
        check_reserve(&s, A, &ids[i]);
    }
    // 7 has no divisor with 1000 in common: all come, far from the order in which they began.
    for (size_t i = 0; i < MANY; i++) {
        const size_t which = i * 7 % MANY;
        say(&s, A, which % 2 ? SC_WORD_PUBLISHED : SC_WORD_DEAD, &ids[which], MANY);
    }
    for (size_t i = 0; i < MANY; i++) {
        const size_t which = i * 7 % MANY;
        sc__bid_end end;
        assert_true(sc__bids_take_done(s.bids, &end));
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
    cmocka_unit_test(test_when_all_have_said_ok_R_alone_is_told_with_the_others_wishes),
    cmocka_unit_test(test_who_wishes_for_more_than_its_members_is_not_heard),
    cmocka_unit_test(test_one_no_calls_it_off_for_all),
    cmocka_unit_test(test_silence_calls_it_off),
    cmocka_unit_test(test_who_is_silent_twice_is_gone_until_it_is_heard_again),
    cmocka_unit_test(test_a_bid_is_undecided_until_all_have_said_ok),
    cmocka_unit_test(test_what_one_gateway_decides_is_not_counted),
    cmocka_unit_test(test_a_no_leaves_less_to_the_part),
    cmocka_unit_test(test_who_is_silent_keeps_nobody_from_bidding),
    cmocka_unit_test(test_R_is_asked_until_it_speaks),
    cmocka_unit_test(test_after_the_last_deadline_nobody_needs_to_know),
    cmocka_unit_test(test_a_part_that_goes_calls_off_what_it_can),
    cmocka_unit_test(test_strangers_and_unknown_bids_are_passed_over),
    cmocka_unit_test(test_many_bids_are_told_apart_and_end_in_order),
};
SC_SUITE(tests)
