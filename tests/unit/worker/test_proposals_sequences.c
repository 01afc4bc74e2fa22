// Random stories: gateways that send anything about any proposal at any time, of proposals that are
// over and of proposals that never were. Whatever they send, each cloak comes back exactly once, a
// release is sent at most once and only after all oks, and nothing is called off after it.
#include "worker/proposals.h"

#include "base/alloc.h"
#include "base/rng.h"
#include "engine/candidate.h"
#include "support/check.h"
#include "support/received.h"
#include "support/streams.h"

enum { GATEWAYS = 4, PROPOSALS = 24, STEPS = 400, PATIENCE = 50, SELF = 77 };

/** What an onlooker knows of a proposal. */
typedef struct told {
    sc_cloak *cloak;
    sc_proposal_id id;
    sc_peer releaser;
    bool has_members[GATEWAYS + 1];
    bool has_said_ok[GATEWAYS + 1];
    unsigned reserved[GATEWAYS + 1];  ///< how often they were told
    bool is_single;
    unsigned releases;
    unsigned aborts;
    unsigned ends;
} told;

typedef struct story {
    sc_rng rng;            ///< of the gateways
    sc_rng proposals_rng;  ///< of the worker
    received received;
    sc__proposals *proposals;
    sc__allowance allowance;
    sc_time now;
    size_t proposal_count;
    told told[PROPOSALS];
} story;

static uint32_t draw(story *s, uint32_t bound)
{
    return sc_rng_below(&s->rng, bound);
}

static told *find(story *s, const sc_proposal_id *id)
{
    for (size_t i = 0; i < s->proposal_count; i++) {
        if (sc_proposal_id_equal(&s->told[i].id, id)) return &s->told[i];
    }
    fail_msg("an unknown proposal");
    return NULL;
}

/** The first message about a proposal. Its cloak is the one that was added last. */
static void see_reserve(story *s, sc_peer to, const sc_proposal *proposal)
{
    told *t = &s->told[s->proposal_count - 1];
    t->id = proposal->id;
    t->releaser = proposal->releaser;
    t->is_single = proposal->is_single;
    t->reserved[to]++;
    assert_true(t->has_members[to] && t->has_members[proposal->releaser]);
}

static void see_release(story *s, sc_peer to, const sc_msg *msg)
{
    told *t = find(s, &msg->id);
    assert_int_equal(to, t->releaser);
    assert_false(t->is_single);
    assert_int_equal(t->aborts, 0);
    assert_int_equal(t->ends, 0);
    for (sc_peer g = 1; g <= GATEWAYS; g++) {
        assert_true(t->has_said_ok[g] || !t->has_members[g]);
    }
    assert_int_equal(++t->releases, 1);
}

/** The onlooker receives everything. */
static void look_at_msgs(story *s)
{
    received_msg each;
    while (received_take(&s->received, &each)) {
        assert_in_range(each.to, 1, GATEWAYS);
        switch (each.msg.kind) {
        case SC_MSG_RESERVE:
            see_reserve(s, each.to, each.msg.proposal);
            break;
        case SC_MSG_RELEASE:
            see_release(s, each.to, &each.msg);
            break;
        case SC_MSG_ABORT: {
            told *t = find(s, &each.msg.id);
            assert_int_equal(t->releases, 0);
            assert_false(t->is_single);
            t->aborts++;
            break;
        }
        case SC_MSG_ASK: {
            const told *t = find(s, &each.msg.id);
            assert_int_equal(each.to, t->releaser);
            assert_true(t->is_single || t->releases == 1);
            assert_int_equal(t->ends, 0);
            break;
        }
        default:
            fail_msg("\"%s\" is not for a worker to say", sc_msg_kind_name(each.msg.kind));
        }
        sc_msg_fini(&each.msg);
    }
}

static void look_at_ends(story *s)
{
    sc__proposal_end end;
    while (sc__proposals_take_done(s->proposals, &end)) {
        size_t i = 0;
        while (i < s->proposal_count && s->told[i].cloak != end.cloak) {
            i++;
        }
        assert_true(i < s->proposal_count);
        told *t = &s->told[i];
        assert_int_equal(++t->ends, 1);
        // Who was reserved and not decided upon was told that it is off.
        if (!end.is_published && !t->is_single && t->releases == 0) assert_true(t->aborts > 0);
        sc_cloak_free(end.cloak);
        t->cloak = NULL;
    }
}

static void add_cloak(story *s)
{
    if (s->proposal_count == PROPOSALS) return;
    told *t = &s->told[s->proposal_count++];
    const size_t members = 1 + draw(s, 5);
    const uint32_t gateways = 1 + draw(s, GATEWAYS);
    sc_cloak *cloak = sc__cloak_new(1, 2, members);
    assert_non_null(cloak);
    cloak->deadline = SC_TIME_NEVER;
    for (size_t i = 0; i < members; i++) {
        const sc_time deadline = s->now + draw(s, 400);
        cloak->members[i] = (sc_member){.query = plain_query((uint32_t)i, 0, 1, 1, 1, deadline)};
        cloak->members[i].query.owner = 1 + draw(s, gateways);
        t->has_members[cloak->members[i].query.owner] = true;
        if (deadline < cloak->deadline) cloak->deadline = deadline;
    }
    cloak->is_pruned = true;
    t->cloak = cloak;
    assert_true(sc__proposals_add(s->proposals, cloak, draw(s, 3), &s->allowance, s->now));
    look_at_msgs(s);
    for (sc_peer g = 1; g <= GATEWAYS; g++) {
        assert_int_equal(t->reserved[g], t->has_members[g]);
    }
}

/** Mostly ok: else hardly any proposal would get all of them. */
static sc_msg_kind draw_kind(story *s)
{
    static const sc_msg_kind others[] = {SC_MSG_DEAD, SC_MSG_NO, SC_MSG_PUBLISHED};
    return draw(s, 20) < 17 ? SC_MSG_OK : others[draw(s, 3)];
}

/** Mostly one of the last, since those before are over. */
static const told *draw_proposal(story *s)
{
    const uint32_t count = (uint32_t)s->proposal_count;
    const uint32_t recent = draw(s, 10) > 0 && count > 3 ? 3 : count;
    return &s->told[count - 1 - draw(s, recent)];
}

/** Send any message, mostly about an existing proposal. */
static void send_anything(story *s)
{
    sc_msg msg = {.kind = draw_kind(s), .from = 1 + draw(s, GATEWAYS), .deadline = s->now};
    if (s->proposal_count > 0 && draw(s, 20) > 0) msg.id = draw_proposal(s)->id;
    const uint32_t count = draw(s, 4);
    if (msg.kind == SC_MSG_OK && count > 0) {
        msg.wishes = sc_calloc(count, sizeof *msg.wishes);
        msg.count = count;
    }
    if (msg.kind == SC_MSG_NO && count > 0) {
        msg.gone = sc_calloc(count, sizeof *msg.gone);
        msg.count = count;
    }
    for (size_t i = 0; msg.kind == SC_MSG_OK && i < s->proposal_count; i++) {
        told *t = &s->told[i];
        if (sc_proposal_id_equal(&t->id, &msg.id)) t->has_said_ok[msg.from] = true;
    }
    sc__proposals_receive(s->proposals, &msg, s->now);
    assert_int_equal(msg.kind, SC_MSG_NONE);
}

static void take_step(story *s)
{
    const uint32_t what = draw(s, 20);
    if (what < 2) {
        add_cloak(s);
    } else if (what < 16) {
        send_anything(s);
    } else if (what < 19) {
        s->now += draw(s, 30);
        sc__proposals_pass_time(s->proposals, s->now);
        assert_true(sc__proposals_next_wake(s->proposals) > s->now);
    } else {
        sc__proposals_abort_part(s->proposals, draw(s, 3));
    }
    look_at_msgs(s);
    look_at_ends(s);
}

/** Everybody falls silent. */
static void wait_for_the_end(story *s)
{
    for (sc_time wake; (wake = sc__proposals_next_wake(s->proposals)) != SC_TIME_NEVER;) {
        s->now = wake;
        sc__proposals_pass_time(s->proposals, s->now);
        look_at_msgs(s);
        look_at_ends(s);
    }
}

static void check_the_end(const story *s, sc__proposals_stats *sum)
{
    for (size_t i = 0; i < s->proposal_count; i++) {
        assert_int_equal(s->told[i].ends, 1);
    }
    const sc__proposals_stats stats = sc__proposals_stats_of(s->proposals);
    assert_int_equal(stats.under_way, 0);
    assert_int_equal(stats.made, s->proposal_count);
    assert_int_equal(s->allowance.undecided, 0);
    assert_true(stats.published + stats.refused + stats.silent + stats.unknown <= stats.made);
    sum->published += stats.published;
    sum->refused += stats.refused;
    sum->silent += stats.silent;
    sum->unknown += stats.unknown;
    sum->asked += stats.asked;
}

static void play(uint64_t seed, sc__proposals_stats *sum, uint64_t *releases)
{
    story *s = test_take(1, sizeof *s);
    sc_rng_seed(&s->rng, seed);
    sc_rng_seed(&s->proposals_rng, ~seed);
    received_open(&s->received);
    const sc__proposals_options options = {
        .self = SELF,
        .patience_us = PATIENCE,
        .port = received_port(&s->received),
    };
    CHECK_OK(sc__proposals_new(&options, &s->proposals_rng, &s->proposals), NULL);
    for (int i = 0; i < STEPS; i++) {
        take_step(s);
    }
    wait_for_the_end(s);
    check_the_end(s, sum);
    for (size_t i = 0; i < s->proposal_count; i++) {
        *releases += s->told[i].releases;
    }
    sc__proposals_free(s->proposals);
    received_close(&s->received);
    free(s);
}

static void test_whatever_gateways_say_each_cloak_comes_back_once(void **state)
{
    (void)state;
    sc__proposals_stats sum = {0};
    uint64_t releases = 0;
    for (uint64_t seed = 0; seed < 500; seed++) {
        check_case(seed);
        play(seed, &sum, &releases);
    }
    check_case_done();
    print_message("# %llu released, %llu published, %llu refused, %llu silent, %llu unknown\n",
                  (unsigned long long)releases, (unsigned long long)sum.published,
                  (unsigned long long)sum.refused, (unsigned long long)sum.silent,
                  (unsigned long long)sum.unknown);
    // Every way to end was seen often.
    assert_true(releases > 1000 && sum.published > 100 && sum.refused > 100);
    assert_true(sum.silent > 100 && sum.unknown > 50 && sum.asked > 100);
}

static const struct CMUnitTest tests[] = {
    SC_CASES(test_whatever_gateways_say_each_cloak_comes_back_once),
};
SC_SUITE(tests)
