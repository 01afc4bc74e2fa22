// Random stories in the ledger state of one gateway, between workers, another gateway and clients
// who go away; and a plain account of the same beside them.
//
// What is sent to us may be lost, doubled, late and in any order; engines forget and lie; strangers
// send. But a worker releases only what all have agreed to and does not call it off then, and the
// other gateway, where it is R, decides once. Whatever happens: every ticket has exactly one
// outcome, and the right to it; none is published twice, by us or by the other gateway, none after
// a deadline, and none that was dropped or had gone before; a proposal is reserved if and only if
// all our members are open and there is time; what we have called dead never leaves, and what has
// left is never called dead; and engines know of all that are open and of none that has an
// outcome.
#include "ledger/state.h"

#include "support/check.h"
#include "support/ledger_fixture.h"
#include "support/sketch.h"
#include "support/streams.h"

enum {
    TICKETS = 180,
    PROPOSALS = 200,
    STEPS = 1200,
    STORIES = 300,
    MOST_PENDING = 30,
    MEMBERS = 6
};

/** What is known of a query besides the ledger state. */
typedef struct account {
    sc_ticket *ticket;  ///< NULL once it is settled
    sc_time deadline;
    bool has_withdrawn;
    bool engine_has;    ///< as the engine was told, unless it forgot
    bool is_forgotten;  ///< by its engine
    bool engine_said;   ///< that it is dropped, or not taken
    sc_outcome outcome;
    int outcomes;
    int publications;  ///< by us, and by the other gateway
} account;

/** A proposal, and what everybody has sent and done with it. */
typedef struct offer {
    sc_proposal *proposal;  ///< a copy
    bool was_reserved;
    bool was_ok;       ///< we have sent so
    bool was_dead;     ///< we have sent so, to anybody
    bool has_left;     ///< we have published it
    bool is_released;  ///< by the worker
    bool is_aborted;
    bool has_left_there;  ///< the other gateway, as R, has published it
    bool is_dead_there;
    sc_reservation *under_way;  ///< published by us, or arrived, until it is back
} offer;

typedef struct story {
    sc_rng rng;
    sc_rng state_rng;
    sc__ledger_state *ledger_state;
    sc_time now;
    sc_time guard;
    uint32_t asked;
    account accounts[TICKETS];
    size_t offered;
    offer offers[PROPOSALS];
} story;

static uint32_t number_of(const sc_query_id *id)
{
    uint32_t number = 0;
    memcpy(&number, id->bytes + sizeof(uint64_t), sizeof number);
    return number;
}

static bool is_ours(const sc_proposal_member *member)
{
    return member->query.owner == PEER_SELF;
}

/** The account of a member; NULL if it is not ours, or was never there. */
static account *account_of(story *s, const sc_proposal_member *member)
{
    const uint32_t number = number_of(&member->query.id);
    return is_ours(member) && number < TICKETS ? &s->accounts[number] : NULL;
}

static bool chance(story *s, uint32_t one_of)
{
    return sc_rng_below(&s->rng, one_of) == 0;
}

/** One of the last few most of the time: of the others little is left to send. */
static offer *any_offer(story *s)
{
    if (s->offered == 0) return NULL;
    const size_t recent = s->offered < 8 || chance(s, 4) ? s->offered : 8;
    return &s->offers[s->offered - 1 - sc_rng_below(&s->rng, (uint32_t)recent)];
}

static offer *find_offer(story *s, const sc_proposal_id *id)
{
    for (size_t i = 0; i < s->offered; i++) {
        if (sc_proposal_id_equal(&s->offers[i].proposal->id, id)) return &s->offers[i];
    }
    fail_msg("a message about a proposal that was not made");
    return NULL;
}

// --- What the ledger state send -------------------------------------------------------------

static void engines_forget(story *s, const offer *o)
{
    for (size_t i = 0; i < o->proposal->member_count; i++) {
        account *a = account_of(s, &o->proposal->members[i]);
        if (a) a->engine_has = false;
    }
}

static void receive_of_proposal(story *s, const sc_msg *msg)
{
    offer *o = find_offer(s, &msg->id);
    switch (msg->kind) {
    case SC_MSG_OK:
        assert_false(o->was_dead || o->has_left);
        o->was_ok = true;
        break;
    case SC_MSG_PUBLISHED:
        assert_true(o->has_left);
        engines_forget(s, o);
        break;
    case SC_MSG_DEAD:
        assert_false(o->has_left);
        o->was_dead = true;
        break;
    case SC_MSG_NO:
        assert_false(o->has_left);
        for (size_t i = 0; i < msg->count; i++) {
            const uint32_t number = number_of(&msg->gone[i]);
            if (number < TICKETS) s->accounts[number].engine_has = false;
        }
        break;
    default:
        break;
    }
}

static void hear(void *context, sc_peer to, sc_msg *msg)
{
    story *s = context;
    assert_int_equal(msg->from, PEER_SELF);
    if (msg->kind == SC_MSG_ADD) {
        account *a = &s->accounts[number_of(&msg->query.id)];
        assert_null(a->outcomes ? a : NULL);
        a->engine_has = true;
        a->is_forgotten = false;
    } else if (msg->kind == SC_MSG_REMOVE) {
        s->accounts[number_of(&msg->query.id)].engine_has = false;
    } else {
        assert_true(to == PEER_WORKER || to == PEER_OTHER);
        receive_of_proposal(s, msg);
    }
    sc_msg_fini(msg);
}

// --- Outcomes -------------------------------------------------------------------------------

static void check_outcome(const story *s, const account *a, const sc_ticket *t)
{
    switch (t->outcome) {
    case SC_OUTCOME_ANSWERED:
        assert_int_equal(a->publications, 1);
        assert_true(!t->is_gone || a->has_withdrawn);
        break;
    case SC_OUTCOME_GONE:
        assert_true(a->has_withdrawn);
        break;
    case SC_OUTCOME_DROPPED:
        assert_true(a->engine_said || s->now >= a->deadline - s->guard);
        break;
    case SC_OUTCOME_FAILED:
        if (t->failure == SC_FAILURE_IN_DOUBT) {
            assert_true(s->now > a->deadline);
        } else if (t->failure == SC_FAILURE_TIMEOUT || t->failure == SC_FAILURE_LOST) {
            assert_int_equal(a->publications, 1);
        } else {
            assert_int_equal(t->failure, SC_FAILURE_OVERLOADED);
            assert_int_equal(a->publications, 0);
        }
        break;
    case SC_OUTCOME_NONE:
        fail_msg("settled without an outcome");
    }
}

static void collect_settled(story *s)
{
    for (sc_ticket *next, *t = sc__ledger_state_take_settled(s->ledger_state); t; t = next) {
        next = t->next;
        account *a = &s->accounts[number_of(&t->query.id)];
        assert_ptr_equal(a->ticket, t);
        assert_int_equal(++a->outcomes, 1);
        assert_int_equal(t->settled, s->now);
        check_outcome(s, a, t);
        a->outcome = t->outcome;
        a->ticket = NULL;
        sc_ticket_free(t);
    }
}

/** At any time, and so at the end: what must not be. */
static void check_accounts(const story *s)
{
    uint64_t pending = 0;
    for (uint32_t i = 0; i < s->asked; i++) {
        const account *a = &s->accounts[i];
        assert_int_equal(a->outcomes, a->ticket ? 0 : 1);
        assert_true(a->publications <= 1);
        if (a->outcome == SC_OUTCOME_DROPPED || a->outcome == SC_OUTCOME_GONE) {
            assert_int_equal(a->publications, 0);
        }
        if (!a->ticket && a->engine_has) fail_msg("engines would cloak what has its outcome");
        pending += a->ticket != NULL;
    }
    const sc_ledger_stats stats = sc__ledger_state_stats(s->ledger_state);
    assert_int_equal(stats.pending, pending);
    ledger_check_stats(&stats);
}

static void pass_time(story *s)
{
    sc__ledger_state_pass_time(s->ledger_state, s->now);
    for (uint32_t i = 0; i < s->asked; i++) {
        const account *a = &s->accounts[i];
        if (!a->ticket || a->ticket->state != SC_TICKET_OPEN || a->is_forgotten) continue;
        if (!a->engine_has) fail_msg("no engine knows of open query %u", i);
    }
}

// --- Clients and engines --------------------------------------------------------------------

static void ask(story *s)
{
    if (s->asked == TICKETS) return;
    const uint32_t number = s->asked++;
    account *a = &s->accounts[number];
    *a = (account){.deadline = s->now + (sc_time)sc_rng_below(&s->rng, 1000) - 5};
    a->ticket = ledger_ticket(number, 1, a->deadline);
    sc__ledger_state_add(s->ledger_state, a->ticket, s->now);
}

static uint32_t any_asked(story *s)
{
    return s->asked > 0 ? sc_rng_below(&s->rng, s->asked) : 0;
}

static void withdraw(story *s)
{
    const uint32_t number = any_asked(s);
    const sc_query_id id = plain_id(number);
    s->accounts[number].has_withdrawn = true;
    sc__ledger_state_withdraw(s->ledger_state, &id, s->now);
}

static void drop(story *s)
{
    if (s->asked == 0) return;
    const uint32_t number = any_asked(s);
    account *a = &s->accounts[number];
    const bool is_open = a->ticket && a->ticket->state == SC_TICKET_OPEN;
    a->engine_said |= is_open;
    // A lie about one that is reserved has no effect; of an open one the engine must know.
    if (is_open) a->engine_has = false;
    sc_msg msg = {.kind = chance(s, 4) ? SC_MSG_NOT_TAKEN : SC_MSG_DROPPED, .from = PEER_WORKER};
    msg.reason = SC_DROP_INFEASIBLE;
    msg.query.id = plain_id(number);
    sc__ledger_state_receive(s->ledger_state, &msg, s->now);
}

static void forget(story *s)
{
    if (s->asked == 0) return;
    account *a = &s->accounts[any_asked(s)];
    a->engine_has = false;
    a->is_forgotten = true;
}

// --- Proposals ------------------------------------------------------------------------------

/** Some of ours, in one of three stories likely open; some of theirs; or nonsense. */
static sc_proposal *draw_proposal(story *s)
{
    const size_t count = 1 + sc_rng_below(&s->rng, MEMBERS - 1);
    const uint32_t from = any_asked(s);
    const bool has_theirs = chance(s, 2);
    sc_proposal *proposal = sc_proposal_new(0, 1, 0, count);
    proposal->worker = PEER_WORKER;
    proposal->is_single = true;
    for (size_t i = 0; i < count; i++) {
        uint32_t number = (from + (uint32_t)i) % s->asked;
        for (uint32_t n = 0; n < s->asked && !chance(s, 20); n++) {
            const sc_ticket *t = s->accounts[number].ticket;
            if (t && t->state == SC_TICKET_OPEN) break;
            number = (number + 1) % s->asked;
        }
        if (chance(s, 60)) number = TICKETS + sc_rng_below(&s->rng, 5);
        const bool is_theirs = has_theirs && chance(s, 2);
        const sc_time deadline =
            !is_theirs && number < TICKETS ? s->accounts[number].deadline : s->now + 500;
        if (is_theirs) number += LEDGER_THEIRS;
        proposal->members[i].query = plain_query(number, 0, 1, 1, 1, deadline);
        proposal->members[i].query.owner = is_theirs ? PEER_OTHER : PEER_SELF;
        proposal->is_single &= !is_theirs;
    }
    proposal->releaser = proposal->members[sc_rng_below(&s->rng, (uint32_t)count)].query.owner;
    for (size_t i = 0; i < sizeof proposal->id.bytes; i++) {
        proposal->id.bytes[i] = (uint8_t)sc_rng_next(&s->rng);
    }
    return proposal;
}

/** Would the ledger state reserve it, by the account? */
static bool can_reserve(story *s, const sc_proposal *proposal)
{
    size_t count = 0;
    for (size_t i = 0; i < proposal->member_count; i++) {
        if (s->now >= proposal->members[i].query.deadline - s->guard) return false;
        if (!is_ours(&proposal->members[i])) continue;
        const account *a = account_of(s, &proposal->members[i]);
        if (!a || !a->ticket || a->ticket->state != SC_TICKET_OPEN) return false;
        for (size_t j = 0; j < i; j++) {
            if (account_of(s, &proposal->members[j]) == a) return false;
        }
        count++;
    }
    return count > 0;
}

static void send_reserve(story *s, const sc_proposal *proposal)
{
    sc_msg msg = {.kind = SC_MSG_RESERVE, .from = PEER_WORKER};
    msg.proposal = sc_proposal_clone(proposal);
    sc__ledger_state_receive(s->ledger_state, &msg, s->now);
}

static void propose(story *s)
{
    if (s->asked == 0 || s->offered == PROPOSALS) return;
    offer *o = &s->offers[s->offered++];
    *o = (offer){.proposal = draw_proposal(s)};
    // Sometimes messages about it are there first, and it may be off when it comes.
    if (!o->proposal->is_single && chance(s, 3)) return;
    const bool is_reserved = can_reserve(s, o->proposal);
    send_reserve(s, o->proposal);
    o->was_reserved = is_reserved;
    for (size_t i = 0; is_reserved && i < o->proposal->member_count; i++) {
        const account *a = account_of(s, &o->proposal->members[i]);
        if (a) assert_int_equal(a->ticket->state, SC_TICKET_RESERVED);
    }
    assert_int_equal(o->was_ok, is_reserved && !o->proposal->is_single);
}

static void send_again(story *s)
{
    const offer *o = any_offer(s);
    if (o) send_reserve(s, o->proposal);
}

/** Anybody sends anything about a proposal, within what is decided; see the top. */
static void send_msg(story *s, const offer *o, sc_msg_kind kind, sc_peer from)
{
    sc_msg msg = {.kind = kind, .from = from};
    msg.id = o->proposal->id;
    msg.deadline = kind == SC_MSG_PUBLISHED ? s->now : s->now + 1000;
    for (size_t i = 0; kind == SC_MSG_ASK && i < o->proposal->member_count; i++) {
        if (is_ours(&o->proposal->members[i])) msg.member = o->proposal->members[i].query.id;
    }
    if (kind == SC_MSG_RELEASE) {
        sc_wish *wishes = test_take(MEMBERS, sizeof *wishes);
        size_t count = 0;
        for (size_t i = o->proposal->member_count; i-- > 0;) {
            if (!is_ours(&o->proposal->members[i]))
                wishes[count++].query = o->proposal->members[i].query.id;
        }
        sc_msg lent = msg;
        lent.wishes = wishes;
        lent.count = count;
        assert_true(sc_msg_clone(&lent, &msg));
        free(wishes);
    }
    if (kind == SC_MSG_RESULT) {
        const sc_failure failure = chance(s, 3) ? SC_FAILURE_TIMEOUT : SC_FAILURE_NONE;
        msg.result = sc_result_new(failure, "", 0, "", 0);
    }
    sc__ledger_state_receive(s->ledger_state, &msg, s->now);
}

static void work(story *s)
{
    offer *o = any_offer(s);
    if (!o) return;
    const bool may_release = o->was_ok && !o->is_aborted && !o->proposal->is_single;
    if (may_release && !chance(s, 3)) {
        o->is_released = true;
    } else if (!o->is_released && !o->proposal->is_single && chance(s, 3)) {
        o->is_aborted = true;
    }
    if (o->is_released && o->proposal->releaser == PEER_SELF)
        send_msg(s, o, SC_MSG_RELEASE, PEER_WORKER);
    if (o->is_aborted) send_msg(s, o, SC_MSG_ABORT, PEER_WORKER);
}

/** The other gateway decides, where it is R. */
static void decide_there(story *s, offer *o)
{
    if (o->has_left_there || o->is_dead_there) return;
    bool is_in_time = true;
    for (size_t i = 0; i < o->proposal->member_count; i++) {
        is_in_time &= s->now < o->proposal->members[i].query.deadline - s->guard;
    }
    if (o->is_released && is_in_time && !chance(s, 4)) {
        o->has_left_there = true;
        engines_forget(s, o);
        for (size_t i = 0; i < o->proposal->member_count; i++) {
            account *a = account_of(s, &o->proposal->members[i]);
            if (a) a->publications++;
        }
    } else if (chance(s, 3)) {
        o->is_dead_there = true;
    }
}

static void speak_there(story *s)
{
    offer *o = any_offer(s);
    if (!o || o->proposal->is_single) return;
    if (o->proposal->releaser == PEER_SELF) {
        send_msg(s, o, chance(s, 4) ? SC_MSG_ABORT : SC_MSG_ASK, PEER_OTHER);
        return;
    }
    decide_there(s, o);
    if (o->is_dead_there) send_msg(s, o, SC_MSG_DEAD, PEER_OTHER);
    if (o->has_left_there && !chance(s, 3)) send_msg(s, o, SC_MSG_PUBLISHED, PEER_OTHER);
    if (o->has_left_there && chance(s, 3)) send_msg(s, o, SC_MSG_RESULT, PEER_OTHER);
}

/** Strangers' messages, and those that should come from another sender, change nothing. */
static void speak_falsely(story *s)
{
    const offer *o = any_offer(s);
    if (!o || !o->was_reserved) return;
    sc_ticket_state before[MEMBERS] = {SC_TICKET_NEW};
    for (size_t i = 0; i < o->proposal->member_count; i++) {
        const account *a = account_of(s, &o->proposal->members[i]);
        before[i] = a && a->ticket ? a->ticket->state : SC_TICKET_SETTLED;
    }
    const sc_msg_kind kinds[] = {SC_MSG_RELEASE, SC_MSG_PUBLISHED, SC_MSG_DEAD, SC_MSG_ABORT,
                                 SC_MSG_RESULT,  SC_MSG_OK,        SC_MSG_NO};
    send_msg(s, o, kinds[sc_rng_below(&s->rng, sizeof kinds / sizeof *kinds)], PEER_STRANGER);
    for (size_t i = 0; i < o->proposal->member_count; i++) {
        const account *a = account_of(s, &o->proposal->members[i]);
        assert_int_equal(a && a->ticket ? a->ticket->state : SC_TICKET_SETTLED, before[i]);
    }
}

// --- What leaves ----------------------------------------------------------------------------

static void check_leaving(story *s, const offer *o)
{
    assert_false(o->was_dead || o->has_left);
    assert_true(o->proposal->is_single || o->is_released);
    assert_int_equal(o->proposal->releaser, PEER_SELF);
    for (size_t i = 0; i < o->proposal->member_count; i++) {
        assert_true(s->now < o->proposal->members[i].query.deadline - s->guard);
        const account *a = account_of(s, &o->proposal->members[i]);
        if (!a) continue;
        assert_int_equal(a->ticket->state, SC_TICKET_RESERVED);
        assert_false(a->has_withdrawn);
        assert_int_equal(a->publications, 0);
    }
}

static void release(story *s)
{
    for (sc_reservation *reservation;
         (reservation = sc__ledger_state_take_due(s->ledger_state, s->now));) {
        offer *o = find_offer(s, &reservation->id);
        check_leaving(s, o);
        if (chance(s, 10)) {
            sc__ledger_state_unsent(s->ledger_state, reservation, SC_FAILURE_OVERLOADED, s->now);
            assert_true(o->was_dead);
            continue;
        }
        for (size_t i = 0; i < o->proposal->member_count; i++) {
            account *a = account_of(s, &o->proposal->members[i]);
            if (a) a->publications++;
        }
        o->has_left = true;
        o->under_way = reservation;
        sc__ledger_state_published(s->ledger_state, reservation, 4711, 1, s->now);
    }
}

static void come_back(story *s, bool all)
{
    for (sc_reservation *arrived; (arrived = sc__ledger_state_take_arrived(s->ledger_state));) {
        offer *o = find_offer(s, &arrived->id);
        assert_true(o->has_left_there);
        o->under_way = arrived;
    }
    for (size_t i = 0; i < s->offered; i++) {
        sc_reservation *reservation = s->offers[i].under_way;
        if (!reservation || (!all && !chance(s, 3))) continue;
        sc_answer_place places[MEMBERS] = {{.request = 0}};
        const sc_failure failure = chance(s, 3) ? SC_FAILURE_TIMEOUT : SC_FAILURE_NONE;
        s->offers[i].under_way = NULL;
        sc__ledger_state_answered(s->ledger_state, reservation, failure, places, NULL, s->now);
    }
}

static void come_back_some(story *s)
{
    come_back(s, false);
}

static void resend(story *s)
{
    const uint32_t part = 0;
    sc__ledger_state_resend(s->ledger_state, &part, 1, s->now);
}

static void wait(story *s)
{
    s->now += !chance(s, 8) ? sc_rng_below(&s->rng, 12) : sc_rng_below(&s->rng, 150);
}

/** What may happen, each as often as it stands here. */
static void (*const steps[])(story *) = {
    ask,     ask,     ask,        ask,       withdraw,      propose,     propose,
    work,    work,    work,       work,      speak_there,   speak_there, speak_there,
    release, release, send_again, drop,      forget,        resend,      come_back_some,
    wait,    wait,    pass_time,  pass_time, speak_falsely,
};

static void take_step(story *s)
{
    steps[sc_rng_below(&s->rng, sizeof steps / sizeof *steps)](s);
    collect_settled(s);
    check_accounts(s);
}

/** To the end of every query. */
static void end_story(story *s)
{
    for (int i = 0; i < 2; i++) {
        s->now += 10000;
        release(s);
        pass_time(s);
        collect_settled(s);
        come_back(s, true);
        collect_settled(s);
        check_accounts(s);
    }
    const sc_ledger_stats stats = sc__ledger_state_stats(s->ledger_state);
    assert_int_equal(stats.pending, 0);
    assert_int_equal(stats.taken, s->asked);
    assert_int_equal(sc__ledger_state_next_wake(s->ledger_state), SC_TIME_NEVER);
}

static void add_stats(sc_ledger_stats *sum, const sc_ledger_stats *stats)
{
    sum->answered += stats->answered;
    sum->gone += stats->gone;
    sum->gone_published += stats->gone_published;
    sum->refused += stats->refused;
    sum->cloaks += stats->cloaks;
    sum->cloaks_elsewhere += stats->cloaks_elsewhere;
    sum->aborted += stats->aborted;
    sum->impatient += stats->impatient;
    sum->asked += stats->asked;
    sum->resent += stats->resent;
    sum->dropped[SC_DROP_EXPIRED] += stats->dropped[SC_DROP_EXPIRED];
    for (size_t i = 0; i < SC_FAILURE_COUNT; i++) {
        sum->failed[i] += stats->failed[i];
    }
}

static void play(uint64_t seed, const sc_partition *partition, sc_ledger_stats *sum)
{
    story *s = test_take(1, sizeof *s);
    sc_rng_seed(&s->rng, seed);
    sc_rng_seed(&s->state_rng, seed + 1);
    s->guard = (sc_time[]){0, 10, 25}[seed % 3];
    const sc__ledger_state_options options = {
        .max_tickets = seed % 5 ? TICKETS : MOST_PENDING,
        .self = PEER_SELF,
        .jitter_us = (sc_time[]){0, 1, 30, 200}[seed % 4],
        .guard_us = s->guard,
        .patience_us = 60,
        .give_up_us = 200,
        .partition = partition,
        .port = {.send = hear, .context = s},
    };
    CHECK_OK(sc__ledger_state_new(&options, &s->state_rng, &s->ledger_state), NULL);
    for (int i = 0; i < STEPS; i++) {
        take_step(s);
    }
    end_story(s);
    const sc_ledger_stats stats = sc__ledger_state_stats(s->ledger_state);
    add_stats(sum, &stats);
    for (size_t i = 0; i < s->offered; i++) {
        sc_proposal_free(s->offers[i].proposal);
    }
    sc__ledger_state_free(s->ledger_state);
    free(s);
}

static void test_every_story_ends_well(void **state)
{
    (void)state;
    sketch drawn = sketch_named(small_maps[0].name);
    sc_map *map = sketch_map(&drawn);
    sketch_free(&drawn);
    sc_partition *partition = NULL;
    CHECK_OK(sc_partition_whole(map, &partition, NULL), NULL);
    sc_ledger_stats sum = {0};
    for (uint64_t seed = 0; seed < STORIES; seed++) {
        check_case(seed);
        play(seed, partition, &sum);
    }
    check_case_done();
    sc_partition_free(partition);
    sc_map_free(map);
    print_message("# %lu answered, %lu gone, %lu expired, %lu in doubt, %lu overloaded, %lu lost\n",
                  sum.answered, sum.gone, sum.dropped[SC_DROP_EXPIRED],
                  sum.failed[SC_FAILURE_IN_DOUBT], sum.failed[SC_FAILURE_OVERLOADED],
                  sum.failed[SC_FAILURE_LOST]);
    print_message(
        "# %lu cloaks, %lu elsewhere, %lu refused, %lu aborted, %lu impatient, %lu asked, "
        "%lu resent, %lu left after it\n",
        sum.cloaks, sum.cloaks_elsewhere, sum.refused, sum.aborted, sum.impatient, sum.asked,
        sum.resent, sum.gone_published);
    // Stories in which nothing happened would prove nothing.
    assert_true(sum.answered > 100 && sum.gone > 100 && sum.refused > 100 && sum.cloaks > 100);
    assert_true(sum.failed[SC_FAILURE_IN_DOUBT] > 100 && sum.gone_published > 10);
    assert_true(sum.dropped[SC_DROP_EXPIRED] > 100 && sum.failed[SC_FAILURE_OVERLOADED] > 10);
    assert_true(sum.cloaks_elsewhere > 100 && sum.failed[SC_FAILURE_LOST] > 10);
    assert_true(sum.aborted > 100 && sum.impatient > 100 && sum.asked > 100 && sum.resent > 100);
}

static const struct CMUnitTest tests[] = {
    SC_CASES(test_every_story_ends_well),
};
SC_SUITE(tests)
