// Queries near a border of parts: other parts receive them after a quarter of their time, and again
// when a part has moved; who has received a query receives that it is over.
//
//   A   B   J   C     parts: D and E are in part 0, K and F in part 1
//   |   |   |   |
//   D---E---K---F
//   |   |   |   |
//   G   H   L   I
#include "ledger/state.h"

#include "support/check.h"
#include "support/ledger_fixture.h"
#include "support/sketch.h"
#include "support/stage.h"
#include "support/streams.h"

enum { FAR = 0, NEAR = 4 };

static const char picture[] = "A   B   J   C\n"
                              "|   |   |   |\n"
                              "D---E---K---F\n"
                              "|   |   |   |\n"
                              "G   H   L   I\n";

typedef struct scene {
    stage stage;
    sc_partition *partition;
    ledger_fixture ledger_fixture;
} scene;

static scene *scene_open_with(sc__ledger_state_options options)
{
    scene *s = test_take(1, sizeof *s);
    const sc_engine_options engine = sc_engine_options_default();
    stage_open(&s->stage, picture, "", &engine);
    uint16_t parts[4] = {0};
    parts[stage_star(&s->stage, 'K')] = 1;
    parts[stage_star(&s->stage, 'F')] = 1;
    CHECK_OK(sc_partition_new(s->stage.map, parts, 2, &s->partition, NULL), NULL);
    options.partition = s->partition;
    ledger_open(&s->ledger_fixture, &options, 1);
    return s;
}

static scene *scene_open(void)
{
    return scene_open_with(ledger_options());
}

static void scene_close(scene *s)
{
    const sc_ledger_stats stats = sc__ledger_state_stats(s->ledger_fixture.ledger_state);
    ledger_check_stats(&stats);
    ledger_close(&s->ledger_fixture);
    sc_partition_free(s->partition);
    stage_close(&s->stage);
    free(s);
}

/** A query from a dead end of that star, which waits 4000 from 0 on. */
static sc_ticket *ask(scene *s, uint32_t number, char input, uint32_t max_hops)
{
    sc_ticket *ticket = ledger_ticket(number, 1, 4000);
    ticket->query.segment = stage_dead_end(&s->stage, input);
    ticket->query.max_hops = max_hops;
    sc__ledger_state_add(s->ledger_fixture.ledger_state, ticket, 0);
    ledger_check_query(&s->ledger_fixture, SC_MSG_ADD, number, input == 'F' ? 1 : 0);
    ledger_check_quiet(&s->ledger_fixture);
    return ticket;
}

/** A single proposal of one query, by the engine of that part, published. */
static void publish(scene *s, uint32_t number, uint32_t part, sc_time now)
{
    ledger_fixture *d = &s->ledger_fixture;
    sc_proposal *proposal = ledger_proposal(d, (const uint32_t[]){number, 0}, PEER_SELF);
    proposal->part = part;
    ledger_reserve(d, proposal, now);
    sc_reservation *reservation = sc__ledger_state_take_due(d->ledger_state, now + 100);
    assert_non_null(reservation);
    sc__ledger_state_published(d->ledger_state, reservation, 1, 1, now + 100);
}

static void
test_a_query_near_a_border_is_sent_to_other_parts_after_a_quarter_of_its_time(void **state)
{
    (void)state;
    scene *s = scene_open();
    ledger_fixture *d = &s->ledger_fixture;
    assert_true(ask(s, 1, 'D', NEAR)->is_near);
    assert_false(ask(s, 2, 'D', FAR)->is_near);
    assert_true(ask(s, 3, 'F', NEAR)->is_near);
    assert_int_equal(sc__ledger_state_next_wake(d->ledger_state), 1000);
    sc__ledger_state_pass_time(d->ledger_state, 999);
    ledger_check_quiet(d);
    sc__ledger_state_pass_time(d->ledger_state, 1000);
    assert_int_equal(d->told_count, 2);
    const bool is_first = d->told[0].msg.home == 0;
    ledger_check_query(d, SC_MSG_COMPANY, is_first ? 1 : 3, is_first ? 1 : 0);
    ledger_check_query(d, SC_MSG_COMPANY, is_first ? 3 : 1, is_first ? 0 : 1);
    sc__ledger_state_pass_time(d->ledger_state, 3000);
    ledger_check_quiet(d);
    assert_int_equal(sc__ledger_state_stats(d->ledger_state).company, 2);
    scene_close(s);
}

static void test_a_query_that_is_over_is_taken_from_all_that_received_of_it(void **state)
{
    (void)state;
    scene *s = scene_open();
    ledger_fixture *d = &s->ledger_fixture;
    // By its own part, and no other worker has it: the worker receives that the proposal has left.
    ask(s, 1, 'D', FAR);
    publish(s, 1, 0, 10);
    ledger_next(d, SC_MSG_PUBLISHED, PEER_WORKER);
    ledger_check_quiet(d);
    // Near a border: the peer that has its home may have the other part too.
    ask(s, 2, 'D', NEAR);
    publish(s, 2, 0, 200);
    ledger_check_query(d, SC_MSG_REMOVE, 2, 0);
    ledger_next(d, SC_MSG_PUBLISHED, PEER_WORKER);
    ledger_check_quiet(d);
    // Others were told, and one of them was quicker.
    ask(s, 3, 'D', NEAR);
    ask(s, 4, 'D', NEAR);
    ask(s, 5, 'D', NEAR);
    sc__ledger_state_pass_time(d->ledger_state, 1000);
    assert_int_equal(d->told_count, 3);
    d->told_count = 0;
    publish(s, 3, 1, 1100);
    ledger_check_query(d, SC_MSG_REMOVE, 3, 0);
    ledger_check_query(d, SC_MSG_REMOVE, 3, 1);
    ledger_next(d, SC_MSG_PUBLISHED, PEER_WORKER);
    ledger_withdraw(d, 4, 1300);
    ledger_check_query(d, SC_MSG_REMOVE, 4, 0);
    ledger_check_query(d, SC_MSG_REMOVE, 4, 1);
    ledger_drop(d, 5, SC_DROP_INFEASIBLE, 1300);
    ledger_check_query(d, SC_MSG_REMOVE, 5, 0);
    ledger_check_query(d, SC_MSG_REMOVE, 5, 1);
    ledger_check_quiet(d);
    scene_close(s);
}

static void test_engines_that_pass_it_on_are_told_of_a_query_once(void **state)
{
    (void)state;
    sc__ledger_state_options options = ledger_options();
    options.is_company_known = true;
    scene *s = scene_open_with(options);
    ledger_fixture *d = &s->ledger_fixture;
    assert_true(ask(s, 1, 'D', NEAR)->is_near);
    ask(s, 2, 'D', NEAR);
    ask(s, 3, 'D', NEAR);
    sc__ledger_state_pass_time(d->ledger_state, 1000);
    ledger_check_quiet(d);
    // Its home knows that there is no need of it any more, and tells the others too.
    publish(s, 1, 1, 1100);
    ledger_check_query(d, SC_MSG_REMOVE, 1, 0);
    ledger_next(d, SC_MSG_PUBLISHED, PEER_WORKER);
    ledger_withdraw(d, 2, 1300);
    ledger_check_query(d, SC_MSG_REMOVE, 2, 0);
    // One that is open again is added again, without company.
    sc__ledger_state_resend(d->ledger_state, (const uint32_t[]){0}, 1, 1400);
    sc__ledger_state_pass_time(d->ledger_state, 1400);
    ledger_check_query(d, SC_MSG_ADD, 3, 0);
    ledger_check_quiet(d);
    assert_int_equal(sc__ledger_state_stats(d->ledger_state).company, 0);
    scene_close(s);
}

static void test_a_query_that_its_home_drops_needs_no_further_msg(void **state)
{
    (void)state;
    scene *s = scene_open();
    ask(s, 1, 'D', FAR);
    ledger_drop(&s->ledger_fixture, 1, SC_DROP_INFEASIBLE, 10);
    ledger_check_quiet(&s->ledger_fixture);
    ledger_check_settled(&s->ledger_fixture, 1, SC_OUTCOME_DROPPED, SC_DROP_INFEASIBLE);
    scene_close(s);
}

static void test_a_part_that_has_moved_receives_of_its_queries_and_its_company(void **state)
{
    (void)state;
    scene *s = scene_open();
    ledger_fixture *d = &s->ledger_fixture;
    ask(s, 1, 'D', NEAR);
    ask(s, 2, 'D', FAR);
    ask(s, 3, 'F', FAR);
    // Company is not due yet: of query 1 part 1 will receive in time.
    sc__ledger_state_resend(d->ledger_state, &(uint32_t){1}, 1, 10);
    sc__ledger_state_pass_time(d->ledger_state, 10);
    ledger_check_query(d, SC_MSG_ADD, 3, 1);
    ledger_check_quiet(d);
    sc__ledger_state_pass_time(d->ledger_state, 1000);
    ledger_check_query(d, SC_MSG_COMPANY, 1, 1);
    // Now it is company that part 1 has lost.
    sc__ledger_state_resend(d->ledger_state, &(uint32_t){1}, 1, 1100);
    sc__ledger_state_resend(d->ledger_state, &(uint32_t){1}, 1, 1100);
    sc__ledger_state_pass_time(d->ledger_state, 1100);
    assert_int_equal(d->told_count, 2);
    const bool is_first = d->told[0].msg.kind == SC_MSG_ADD;
    ledger_check_query(d, is_first ? SC_MSG_ADD : SC_MSG_COMPANY, is_first ? 3 : 1, 1);
    ledger_check_query(d, is_first ? SC_MSG_COMPANY : SC_MSG_ADD, is_first ? 1 : 3, 1);
    assert_int_equal(sc__ledger_state_stats(d->ledger_state).resent, 2);
    // Its own queries; one that is reserved is sent when it is open again.
    const sc_proposal_id id = ledger_propose(d, (const uint32_t[]){2, 0}, 1200);
    sc__ledger_state_resend(d->ledger_state, &(uint32_t){0}, 1, 1200);
    sc__ledger_state_pass_time(d->ledger_state, 1200);
    ledger_check_query(d, SC_MSG_ADD, 1, 0);
    ledger_check_query(d, SC_MSG_COMPANY, 1, 1);
    ledger_check_quiet(d);
    ledger_receive(d, SC_MSG_ABORT, PEER_WORKER, &id, 1201);
    ledger_check_added_again(d, (const uint32_t[]){2, 0}, 1201);
    scene_close(s);
}

static void test_a_query_whose_moment_for_company_comes_while_reserved_has_it_later(void **state)
{
    (void)state;
    scene *s = scene_open();
    ledger_fixture *d = &s->ledger_fixture;
    ask(s, 1, 'D', NEAR);
    sc_proposal *proposal = ledger_proposal(d, (const uint32_t[]){1, 1000, 0}, PEER_OTHER);
    const sc_proposal_id id = ledger_reserve(d, proposal, 950);
    ledger_check_msg(d, SC_MSG_OK, PEER_WORKER, &id);
    sc__ledger_state_pass_time(d->ledger_state, 1001);
    ledger_check_quiet(d);
    ledger_receive(d, SC_MSG_DEAD, PEER_OTHER, &id, 1100);
    sc__ledger_state_pass_time(d->ledger_state, 1100);
    ledger_check_query(d, SC_MSG_ADD, 1, 0);
    ledger_check_query(d, SC_MSG_COMPANY, 1, 1);
    ledger_check_quiet(d);
    scene_close(s);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_query_near_a_border_is_sent_to_other_parts_after_a_quarter_of_its_time),
    cmocka_unit_test(test_a_query_that_is_over_is_taken_from_all_that_received_of_it),
    cmocka_unit_test(test_engines_that_pass_it_on_are_told_of_a_query_once),
    cmocka_unit_test(test_a_query_that_its_home_drops_needs_no_further_msg),
    cmocka_unit_test(test_a_part_that_has_moved_receives_of_its_queries_and_its_company),
    cmocka_unit_test(test_a_query_whose_moment_for_company_comes_while_reserved_has_it_later),
};
SC_SUITE(tests)
