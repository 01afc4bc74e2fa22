// Random stories in the books, with an engine that is honest, forgets, or lies; and a plain account
// of the same beside them.
//
// Whatever happens: every ticket has exactly one outcome, and the right to it; none is published
// twice, after its deadline, or with somebody who had gone; a proposal is reserved if and only if
// all its members are open and there is time; and the engine is left with nobody who has an
// outcome.
#include "ledger/books.h"

#include "query/cloak_make.h"
#include "support/check.h"
#include "support/desk.h"
#include "support/streams.h"

enum { TICKETS = 120, CLOAKS = 2000, STEPS = 1500, STORIES = 300, MOST_PENDING = 30, USERS = 12 };

/** What is known of a query besides the books. */
typedef struct account {
    sc_ticket *ticket;  ///< NULL once it is settled
    sc_time deadline;
    bool has_withdrawn;
    bool engine_has;   ///< it was added and not accepted, dropped, forgotten or removed
    bool was_removed;  ///< the engine was told so
    bool engine_said;  ///< that it is dropped, or not taken
    sc_ticket_state state;
    size_t cloak;  ///< reserved for, or published in
    sc_time reserved_at;
    int outcomes;
    int publications;
} account;

/** A cloak that the engine proposed. */
typedef struct offer {
    sc_cloak *cloak;  ///< NULL once it was answered
    bool is_honest;
    sc_proposal *proposal;  ///< once it is published, until it is back
} offer;

typedef struct story {
    sc_rng rng;
    sc_rng books_rng;
    sc__books *books;
    sc_time now;
    sc_time jitter;
    sc_time guard;
    uint32_t asked;
    account accounts[TICKETS];
    size_t offered;
    offer offers[CLOAKS];
    size_t published_now;  ///< offer that is being published, so that ACCEPT is expected
} story;

static uint32_t number_of(const sc_query_id *id)
{
    uint32_t number = 0;
    memcpy(&number, id->bytes + sizeof(uint64_t), sizeof number);
    return number;
}

static bool is_known(uint32_t number)
{
    return number < TICKETS;
}

// --- What the engine is told ---------------------------------------------------------------

static offer *find_offer(story *s, const sc_cloak *cloak)
{
    for (size_t i = 0; i < s->offered; i++) {
        if (s->offers[i].cloak == cloak) return &s->offers[i];
    }
    fail_msg("an answer to a cloak that has been answered, or was never proposed");
    return NULL;
}

static void hear_answer(story *s, const sc__command *command)
{
    offer *o = find_offer(s, command->cloak);
    const size_t place = (size_t)(o - s->offers);
    if (command->kind == SC__COMMAND_ACCEPT) {
        assert_int_equal(place, s->published_now);
        assert_int_equal(command->now, s->now);
    }
    for (size_t i = 0; i < o->cloak->member_count; i++) {
        const uint32_t number = number_of(&o->cloak->members[i].query.id);
        if (!is_known(number)) continue;
        account *a = &s->accounts[number];
        if (command->kind == SC__COMMAND_ACCEPT || a->was_removed) a->engine_has = false;
        if (command->kind == SC__COMMAND_REFUSE && a->state == SC_TICKET_RESERVED &&
            a->cloak == place) {
            a->state = SC_TICKET_OPEN;
        }
    }
    sc_cloak_free(o->cloak);
    o->cloak = NULL;
}

static bool is_offered(const story *s, uint32_t number)
{
    const sc_query_id id = plain_id(number);
    for (size_t i = 0; i < s->offered; i++) {
        const sc_cloak *cloak = s->offers[i].cloak;
        for (size_t j = 0; cloak && j < cloak->member_count; j++) {
            if (memcmp(&cloak->members[j].query.id, &id, sizeof id) == 0) return true;
        }
    }
    return false;
}

static void hear(void *context, const sc__command *command)
{
    story *s = context;
    account *a;
    switch (command->kind) {
    case SC__COMMAND_ADD:
        a = &s->accounts[number_of(&command->query.id)];
        assert_false(a->engine_has);
        assert_int_equal(a->state, SC_TICKET_NEW);
        a->engine_has = true;
        a->state = SC_TICKET_OPEN;
        break;
    case SC__COMMAND_REMOVE:
        a = &s->accounts[number_of(&command->id)];
        assert_false(a->was_removed);
        a->was_removed = true;
        if (!is_offered(s, number_of(&command->id))) a->engine_has = false;
        break;
    case SC__COMMAND_ACCEPT:
    case SC__COMMAND_REFUSE:
        hear_answer(s, command);
        break;
    case SC__COMMAND_WAKE:
        fail_msg("the books wake nobody");
    }
}

// --- Outcomes ------------------------------------------------------------------------------

static void check_outcome(const story *s, const account *a, const sc_ticket *t)
{
    switch (t->outcome) {
    case SC_OUTCOME_ANSWERED:
        assert_int_equal(a->state, SC_TICKET_PUBLISHED);
        assert_int_equal(t->is_gone, a->has_withdrawn);
        break;
    case SC_OUTCOME_GONE:
        assert_true(a->has_withdrawn);
        assert_int_equal(a->publications, 0);
        break;
    case SC_OUTCOME_DROPPED:
        assert_int_equal(a->publications, 0);
        assert_true(a->engine_said || s->now >= a->deadline - s->guard);
        break;
    case SC_OUTCOME_FAILED:
        if (t->failure == SC_FAILURE_IN_DOUBT) {
            assert_true(s->now > a->deadline);
            assert_int_equal(a->publications, 0);
        } else if (t->failure == SC_FAILURE_TIMEOUT) {
            assert_int_equal(a->state, SC_TICKET_PUBLISHED);
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
    for (sc_ticket *next, *t = sc__books_take_settled(s->books); t; t = next) {
        next = t->next;
        account *a = &s->accounts[number_of(&t->query.id)];
        assert_ptr_equal(a->ticket, t);
        assert_int_equal(++a->outcomes, 1);
        assert_int_equal(t->settled, s->now);
        check_outcome(s, a, t);
        a->state = SC_TICKET_SETTLED;
        a->ticket = NULL;
        sc_ticket_free(t);
    }
}

/** The account agrees with the books; and whom the engine would still cloak has no outcome. */
static void check_agreement(const story *s)
{
    uint64_t pending = 0;
    for (uint32_t i = 0; i < s->asked; i++) {
        const account *a = &s->accounts[i];
        assert_int_equal(a->outcomes, a->ticket ? 0 : 1);
        if (a->ticket) {
            assert_int_equal(a->ticket->state, a->state);
            pending++;
        } else if (a->engine_has && !a->was_removed && !is_offered(s, i)) {
            fail_msg("the engine would cloak query %u, which has its outcome", i);
        }
    }
    const sc_ledger_stats stats = sc__books_stats(s->books);
    assert_int_equal(stats.pending, pending);
    desk_check_stats(&stats);
}

// --- What happens --------------------------------------------------------------------------

static void ask(story *s)
{
    if (s->asked == TICKETS) return;
    const uint32_t number = s->asked++;
    account *a = &s->accounts[number];
    const sc_time wait = (sc_time)sc_rng_below(&s->rng, 400) - 5;
    *a = (account){.deadline = s->now + wait};
    a->ticket = desk_ticket(number, 1 + sc_rng_below(&s->rng, 3), a->deadline);
    a->ticket->query.user = sc_rng_below(&s->rng, USERS);
    sc__books_add(s->books, a->ticket, s->now);
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
    sc__books_withdraw(s->books, &id, s->now);
}

static uint32_t different_users(const story *s, const uint32_t *numbers, size_t count)
{
    uint32_t seen = 0;
    for (size_t i = 0; i < count; i++) {
        seen |= 1u << s->accounts[numbers[i]].ticket->query.user;
    }
    return (uint32_t)__builtin_popcount(seen);
}

/** Would the ledger reserve it, by the account? */
static bool can_reserve(const story *s, const sc_cloak *cloak)
{
    if (!cloak->is_pruned || cloak->member_count == 0) return false;
    for (size_t i = 0; i < cloak->member_count; i++) {
        const uint32_t number = number_of(&cloak->members[i].query.id);
        if (!is_known(number)) return false;
        const account *a = &s->accounts[number];
        if (!a->ticket || a->state != SC_TICKET_OPEN) return false;
        if (s->now >= a->deadline - s->guard) return false;
        for (size_t j = 0; j < i; j++) {
            if (number_of(&cloak->members[j].query.id) == number) return false;
        }
    }
    return true;
}

static void offer_cloak(story *s, const uint32_t *numbers, size_t count, bool is_pruned,
                        bool is_honest)
{
    assert_true(s->offered < CLOAKS);
    sc_cloak *cloak = sc_cloak_new(0, 2, count);
    for (size_t i = 0; i < count; i++) {
        cloak->members[i].query = plain_query(numbers[i], 0, 1, 1, 1, 0);
    }
    cloak->segment_count = 1;
    cloak->segments[0] = 0;
    cloak->is_pruned = is_pruned;
    const size_t place = s->offered++;
    s->offers[place] = (offer){.cloak = cloak, .is_honest = is_honest};
    const bool is_reserved = can_reserve(s, cloak);
    for (size_t i = 0; is_reserved && i < count; i++) {
        s->accounts[numbers[i]].state = SC_TICKET_RESERVED;
        s->accounts[numbers[i]].cloak = place;
        s->accounts[numbers[i]].reserved_at = s->now;
    }
    sc__books_hear(s->books, &(sc__message){.kind = SC__MESSAGE_PROPOSED, .cloak = cloak}, s->now);
    assert_int_equal(s->offers[place].cloak != NULL, is_reserved);
}

/** Some that the engine has and has not proposed; enough different users for each of them. */
static void propose(story *s)
{
    uint32_t numbers[DESK_MEMBERS];
    size_t count = 0;
    const uint32_t from = any_asked(s);
    const uint32_t most = 1 + sc_rng_below(&s->rng, 6);
    uint32_t k = 0;
    for (uint32_t i = 0; i < s->asked && count < most; i++) {
        const uint32_t number = (from + i) % s->asked;
        const account *a = &s->accounts[number];
        if (!a->engine_has || a->was_removed || !a->ticket || is_offered(s, number)) continue;
        if (a->ticket->query.k > k) k = a->ticket->query.k;
        numbers[count++] = number;
    }
    if (count == 0 || different_users(s, numbers, count) < k) return;
    offer_cloak(s, numbers, count, true, true);
}

/** Anybody, perhaps twice, perhaps somebody who was never there. */
static void lie(story *s)
{
    uint32_t numbers[DESK_MEMBERS];
    const size_t count = sc_rng_below(&s->rng, 4);
    for (size_t i = 0; i < count; i++) {
        numbers[i] = any_asked(s);
        if (sc_rng_below(&s->rng, 10) == 0) numbers[i] = TICKETS + sc_rng_below(&s->rng, 5);
    }
    if (s->asked > 0) offer_cloak(s, numbers, count, sc_rng_below(&s->rng, 8) > 0, false);
}

static void drop(story *s, bool is_honest)
{
    const uint32_t number = any_asked(s);
    if (s->asked == 0) return;
    account *a = &s->accounts[number];
    if (is_honest && (!a->engine_has || is_offered(s, number))) return;
    if (is_honest) a->engine_has = false;
    a->engine_said |= a->state == SC_TICKET_OPEN;
    const bool is_taken = sc_rng_below(&s->rng, 4) > 0;
    const sc__message message = {
        .kind = is_taken ? SC__MESSAGE_DROPPED : SC__MESSAGE_NOT_TAKEN,
        .reason = SC_DROP_INFEASIBLE,
        .id = plain_id(number),
    };
    // A lie about an open query ends it; of the engine's own state nothing is known then.
    if (a->state == SC_TICKET_OPEN) a->engine_has = false;
    sc__books_hear(s->books, &message, s->now);
}

static void forget(story *s)
{
    const uint32_t number = any_asked(s);
    if (!is_offered(s, number)) s->accounts[number].engine_has = false;
}

// --- What leaves ---------------------------------------------------------------------------

static size_t offer_of(const story *s, const sc_proposal *proposal)
{
    for (size_t i = 0; i < s->offered; i++) {
        if (s->offers[i].cloak && s->offers[i].cloak == proposal->cloak) return i;
    }
    fail_msg("a proposal that nobody made");
    return 0;
}

static void check_leaving(story *s, size_t place)
{
    const sc_cloak *cloak = s->offers[place].cloak;
    uint32_t numbers[DESK_MEMBERS];
    uint32_t k = 0;
    for (size_t i = 0; i < cloak->member_count; i++) {
        numbers[i] = number_of(&cloak->members[i].query.id);
        account *a = &s->accounts[numbers[i]];
        assert_int_equal(a->state, SC_TICKET_RESERVED);
        assert_int_equal(a->cloak, place);
        assert_false(a->has_withdrawn);
        assert_true(s->now < a->deadline - s->guard);
        assert_int_equal(a->publications, 0);
        if (a->ticket->query.k > k) k = a->ticket->query.k;
    }
    if (s->offers[place].is_honest) {
        assert_true(different_users(s, numbers, cloak->member_count) >= k);
    }
}

static void publish(story *s, sc_proposal *proposal, size_t place)
{
    const sc_cloak *cloak = s->offers[place].cloak;
    for (size_t i = 0; i < cloak->member_count; i++) {
        account *a = &s->accounts[number_of(&cloak->members[i].query.id)];
        a->publications++;
        a->state = SC_TICKET_PUBLISHED;
    }
    s->offers[place].proposal = proposal;
    s->published_now = place;
    sc__books_published(s->books, proposal, 1, s->now);
    s->published_now = SIZE_MAX;
    assert_null(s->offers[place].cloak);
}

static void release(story *s)
{
    for (sc_proposal *proposal; (proposal = sc__books_take_due(s->books, s->now));) {
        const size_t place = offer_of(s, proposal);
        check_leaving(s, place);
        if (sc_rng_below(&s->rng, 10) > 0) {
            publish(s, proposal, place);
        } else {
            sc__books_unsent(s->books, proposal, SC_FAILURE_OVERLOADED, s->now);
        }
    }
    // Nothing waits longer than the jitter allows.
    for (uint32_t i = 0; i < s->asked; i++) {
        const account *a = &s->accounts[i];
        if (a->state == SC_TICKET_RESERVED) assert_true(s->now < a->reserved_at + s->jitter);
    }
}

static void come_back(story *s, bool all)
{
    for (size_t i = 0; i < s->offered; i++) {
        sc_proposal *proposal = s->offers[i].proposal;
        if (!proposal || (!all && sc_rng_below(&s->rng, 3) > 0)) continue;
        sc_seat seats[DESK_MEMBERS] = {{0}};
        const sc_failure failure = sc_rng_below(&s->rng, 3) ? SC_FAILURE_NONE : SC_FAILURE_TIMEOUT;
        s->offers[i].proposal = NULL;
        sc__books_answered(s->books, proposal, failure, seats, s->now);
    }
}

static void take_step(story *s)
{
    switch (sc_rng_below(&s->rng, 16)) {
    case 0:
    case 1:
    case 2:
        ask(s);
        break;
    case 3:
        withdraw(s);
        break;
    case 4:
    case 5:
    case 6:
        propose(s);
        break;
    case 7:
        lie(s);
        break;
    case 8:
        drop(s, sc_rng_below(&s->rng, 4) > 0);
        break;
    case 9:
        forget(s);
        break;
    case 10:
        come_back(s, false);
        break;
    case 11:
        sc__books_pass_time(s->books, s->now);
        break;
    case 12:
    case 13:
        release(s);
        break;
    default:
        s->now +=
            sc_rng_below(&s->rng, 8) > 0 ? sc_rng_below(&s->rng, 12) : sc_rng_below(&s->rng, 150);
        break;
    }
    collect_settled(s);
    check_agreement(s);
}

static void play(uint64_t seed, sc_ledger_stats *sum)
{
    story *s = test_take(1, sizeof *s);
    sc_rng_seed(&s->rng, seed);
    sc_rng_seed(&s->books_rng, seed + 1);
    s->published_now = SIZE_MAX;
    s->jitter = (sc_time[]){0, 1, 30, 200}[seed % 4];
    s->guard = (sc_time[]){0, 10, 25}[seed % 3];
    const sc__books_options options = {
        .max_tickets = seed % 5 ? TICKETS : MOST_PENDING,
        .jitter_us = s->jitter,
        .guard_us = s->guard,
        .tell = hear,
        .context = s,
    };
    CHECK_OK(sc__books_new(&options, &s->books_rng, &s->books), NULL);
    for (int i = 0; i < STEPS; i++) {
        take_step(s);
    }
    // To the end of every query.
    s->now += 10000;
    release(s);
    sc__books_pass_time(s->books, s->now);
    collect_settled(s);
    come_back(s, true);
    collect_settled(s);
    check_agreement(s);
    const sc_ledger_stats stats = sc__books_stats(s->books);
    assert_int_equal(stats.pending, 0);
    assert_int_equal(stats.taken, s->asked);
    for (size_t i = 0; i < s->offered; i++) {
        assert_null(s->offers[i].cloak);
    }
    assert_int_equal(sc__books_next_wake(s->books), SC_TIME_NEVER);
    sum->answered += stats.answered;
    sum->gone += stats.gone;
    sum->gone_published += stats.gone_published;
    sum->refused += stats.refused;
    sum->cloaks += stats.cloaks;
    sum->dropped[SC_DROP_EXPIRED] += stats.dropped[SC_DROP_EXPIRED];
    sum->failed[SC_FAILURE_IN_DOUBT] += stats.failed[SC_FAILURE_IN_DOUBT];
    sum->failed[SC_FAILURE_OVERLOADED] += stats.failed[SC_FAILURE_OVERLOADED];
    sc__books_free(s->books);
    free(s);
}

static void test_every_story_ends_well(void **state)
{
    (void)state;
    sc_ledger_stats sum = {0};
    for (uint64_t seed = 0; seed < STORIES; seed++) {
        check_case(seed);
        play(seed, &sum);
    }
    check_case_done();
    print_message(
        "# %lu answered, %lu gone, %lu expired, %lu in doubt, %lu overloaded; %lu cloaks, "
        "%lu refused, %lu left after it\n",
        sum.answered, sum.gone, sum.dropped[SC_DROP_EXPIRED], sum.failed[SC_FAILURE_IN_DOUBT],
        sum.failed[SC_FAILURE_OVERLOADED], sum.cloaks, sum.refused, sum.gone_published);
    // Stories in which nothing happened would prove nothing.
    assert_true(sum.answered > 100 && sum.gone > 100 && sum.refused > 100 && sum.cloaks > 100);
    assert_true(sum.failed[SC_FAILURE_IN_DOUBT] > 10 && sum.gone_published > 10);
    assert_true(sum.dropped[SC_DROP_EXPIRED] > 100 && sum.failed[SC_FAILURE_OVERLOADED] > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SC_CASES(test_every_story_ends_well),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
