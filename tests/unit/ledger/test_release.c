// When a cloak leaves: at a moment drawn evenly from the jitter, never too late for anybody, and in
// no order if several fall due together. Who completed it does not show.
#include "ledger/state.h"

#include "support/check.h"
#include "support/ledger_fixture.h"

enum { JITTER = 1000, GUARD = 10 };

static sc__ledger_state_options options_with(sc_time jitter)
{
    sc__ledger_state_options options = ledger_options();
    options.max_tickets = 64;
    options.jitter_us = jitter;
    options.guard_us = GUARD;
    return options;
}

/** The worker receives that it has left. */
static void check_published(ledger_fixture *d)
{
    const sc_msg msg = ledger_next(d, SC_MSG_PUBLISHED, PEER_WORKER);
    assert_int_equal(msg.number, 4711);
    ledger_check_quiet(d);
}

/** A proposal of these, which ends when the ledger_fixture's tickets do. */
static void propose(ledger_fixture *d, const uint32_t *numbers, sc_time now)
{
    // Ids are the counter's: more of them than a byte holds are needed here.
    sc_proposal *proposal = ledger_proposal(d, numbers, PEER_SELF);
    for (size_t i = 0; i < proposal->member_count; i++) {
        proposal->members[i].query.deadline = now + 95000;
    }
    memcpy(proposal->id.bytes, &now, sizeof now);
    proposal->id.bytes[8] = (uint8_t)numbers[0];
    ledger_reserve(d, proposal, now);
}

/** Reserve a cloak of tickets 1 and 2 at `now`, and publish it as soon as it is due: when? */
static sc_time release_of(ledger_fixture *d, const uint32_t *order, sc_time deadline_1,
                          sc_time deadline_2, sc_time now)
{
    sc_ticket *tickets[2] = {ledger_ask(d, 1, deadline_1, now), ledger_ask(d, 2, deadline_2, now)};
    propose(d, order, now);
    const sc_time moment = sc__ledger_state_next_wake(d->ledger_state);
    sc_reservation *reservation = sc__ledger_state_take_due(d->ledger_state, moment);
    assert_non_null(reservation);
    sc__ledger_state_published(d->ledger_state, reservation, 4711, 2, moment);
    check_published(d);
    sc_answer_place places[2] = {{.request = 0}};
    sc__ledger_state_answered(d->ledger_state, reservation, SC_FAILURE_NONE, places, NULL, moment);
    // Fates are forgotten as time goes by.
    sc__ledger_state_pass_time(d->ledger_state, moment);
    assert_int_equal(tickets[0]->published, moment);
    ledger_check_settled(d, 1, SC_OUTCOME_ANSWERED, 0);
    ledger_check_settled(d, 2, SC_OUTCOME_ANSWERED, 0);
    return moment;
}

static const uint32_t one_two[] = {1, 2, 0};
static const uint32_t two_one[] = {2, 1, 0};

static void test_moments_of_release_are_spread_evenly_over_the_jitter(void **state)
{
    (void)state;
    enum { BUCKETS = 20, DRAWS = 20000 };
    ledger_fixture d;
    const sc__ledger_state_options options = options_with(JITTER - 1);
    ledger_open(&d, &options, 7);
    unsigned counts[BUCKETS] = {0};
    for (int i = 0; i < DRAWS; i++) {
        const sc_time now = (sc_time)i * 100000;
        const sc_time wait = release_of(&d, one_two, now + 50000, now + 90000, now) - now;
        assert_in_range(wait, 0, JITTER - 1);
        counts[wait * BUCKETS / JITTER]++;
    }
    // Chi-square with 19 degrees of freedom: above 43.8 by chance in one of a thousand seeds.
    double chi = 0.0;
    const double expected = (double)DRAWS / BUCKETS;
    for (int i = 0; i < BUCKETS; i++) {
        chi += (counts[i] - expected) * (counts[i] - expected) / expected;
    }
    print_message("# chi-square %.1f\n", chi);
    assert_true(chi < 43.8);
    ledger_close(&d);
}

static void test_no_release_is_too_late_for_the_least_deadline(void **state)
{
    (void)state;
    ledger_fixture d;
    const sc__ledger_state_options options = options_with(JITTER);
    ledger_open(&d, &options, 8);
    sc_time latest = 0;
    for (int i = 0; i < 5000; i++) {
        const sc_time now = (sc_time)i * 100000;
        const sc_time left = 1 + i % 400;
        const sc_time wait = release_of(&d, one_two, now + left + GUARD, now + 50000, now) - now;
        assert_in_range(wait, 0, left - 1);
        if (left == 400 && wait > latest) latest = wait;
    }
    // And yet the time that is left is made use of.
    assert_true(latest > 200);
    ledger_close(&d);
}

static void test_without_jitter_cloaks_leave_at_once(void **state)
{
    (void)state;
    ledger_fixture d;
    const sc__ledger_state_options options = options_with(0);
    ledger_open(&d, &options, 9);
    assert_int_equal(release_of(&d, one_two, 1000, 1000, 5), 5);
    ledger_close(&d);
}

static void test_the_moment_does_not_depend_on_who_completed_the_cloak(void **state)
{
    (void)state;
    // The same chance, another who was first, and other deadlines that are far enough: the same
    // moment. What it does depend on is when the cloak was complete, and that within the jitter.
    for (uint64_t seed = 0; seed < 50; seed++) {
        sc_time moments[4];
        for (size_t i = 0; i < 4; i++) {
            ledger_fixture d;
            const sc__ledger_state_options options = options_with(JITTER);
            ledger_open(&d, &options, seed);
            moments[i] = release_of(&d, i % 2 ? one_two : two_one, i < 2 ? 5000 : 90000,
                                    i < 2 ? 90000 : 5000, 100);
            ledger_close(&d);
        }
        assert_int_equal(moments[0], moments[1]);
        assert_int_equal(moments[0], moments[2]);
        assert_int_equal(moments[0], moments[3]);
    }
}

/** Reserve cloaks of one each, 1 to 3 in this order, and send in which order they leave: 0 to 5. */
static size_t order_of_three(ledger_fixture *d, sc_time now)
{
    for (uint32_t i = 0; i < 3; i++) {
        ledger_ask(d, i + 1, now + 50000, now);
        propose(d, (const uint32_t[]){i + 1, 0}, now);
    }
    size_t order[3] = {0};
    for (size_t n = 0; n < 3; n++) {
        sc_reservation *reservation = sc__ledger_state_take_due(d->ledger_state, now + JITTER);
        assert_non_null(reservation);
        order[n] = reservation->id.bytes[8] - 1u;
        sc__ledger_state_published(d->ledger_state, reservation, 4711, 1, now + JITTER);
        check_published(d);
        sc_answer_place place = {0};
        sc__ledger_state_answered(d->ledger_state, reservation, SC_FAILURE_NONE, &place, NULL,
                                  now + JITTER);
        ledger_check_settled(d, (uint32_t)order[n] + 1, SC_OUTCOME_ANSWERED, 0);
    }
    assert_null(sc__ledger_state_take_due(d->ledger_state, now + JITTER));
    sc__ledger_state_pass_time(d->ledger_state, now + JITTER);
    return order[0] * 2 + (order[1] > order[2]);
}

static void test_what_falls_due_together_leaves_in_any_order(void **state)
{
    (void)state;
    enum { DRAWS = 6000 };
    ledger_fixture d;
    // All of them are complete at the same moment and due at the same moment: nothing but the draw
    // among those that are due decides.
    for (int with_jitter = 0; with_jitter < 2; with_jitter++) {
        const sc__ledger_state_options options = options_with(with_jitter ? JITTER : 0);
        ledger_open(&d, &options, 10);
        unsigned counts[6] = {0};
        for (int i = 0; i < DRAWS; i++) {
            counts[order_of_three(&d, (sc_time)i * 100000)]++;
        }
        // Five degrees of freedom: above 20.5 in one of a thousand seeds.
        double chi = 0.0;
        for (int i = 0; i < 6; i++) {
            const double off = counts[i] - DRAWS / 6.0;
            chi += off * off / (DRAWS / 6.0);
        }
        print_message("# chi-square %.1f\n", chi);
        assert_true(chi < 20.5);
        ledger_close(&d);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_moments_of_release_are_spread_evenly_over_the_jitter),
    cmocka_unit_test(test_no_release_is_too_late_for_the_least_deadline),
    cmocka_unit_test(test_without_jitter_cloaks_leave_at_once),
    cmocka_unit_test(test_the_moment_does_not_depend_on_who_completed_the_cloak),
    cmocka_unit_test(test_what_falls_due_together_leaves_in_any_order),
};
SC_SUITE(tests)
