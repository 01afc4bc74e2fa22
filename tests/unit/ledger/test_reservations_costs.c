// What a proposal costs the provider: members whose requests cost too much have failed, the others
// are open as before; and what is reserved knows its cost.
#include "ledger/state.h"

#include "support/check.h"
#include "support/ledger_fixture.h"
#include "support/sketch.h"

enum { DEADLINE = 100000, MEMBERS = 3, BORDER = 40 };

typedef struct scene {
    ledger_fixture d;
    sketch drawing;
    sc_map *map;
    sc_cost_estimator *costs;
    sc_ticket *tickets[MEMBERS + 1];  ///< by number, from 1
} scene;

static const sc_request near_one = {.type = SC_REQUEST_KNN, .k = 1};
static const sc_request far_range = {.type = SC_REQUEST_RANGE, .radius_m = 20000};

/** Members 1 and 2 ask for what is near, and the last one for all there is; none has a bound. */
static void scene_open(scene *s)
{
    const sc__ledger_state_options options = ledger_options();
    ledger_open(&s->d, &options, 1);
    s->drawing = sketch_grid(SC_COORDS_PLANAR, 10, 10);
    s->map = sketch_map(&s->drawing);
    CHECK_OK(sc_cost_estimator_new(s->map, NULL, &s->costs), NULL);
    sc__ledger_state_set_costs(s->d.ledger_state, s->costs);
    for (uint32_t i = 1; i <= MEMBERS; i++) {
        s->tickets[i] = ledger_ask(&s->d, i, DEADLINE, 0);
        s->tickets[i]->request = i < MEMBERS ? near_one : far_range;
    }
}

static void scene_close(scene *s)
{
    ledger_close(&s->d);
    sc_cost_estimator_free(s->costs);
    sc_map_free(s->map);
    sketch_free(&s->drawing);
}

static void set_bound(scene *s, double steps)
{
    for (uint32_t i = 1; i <= MEMBERS; i++) {
        s->tickets[i]->max_cost = steps;
    }
}

static double cost_of(const scene *s, const sc_request *request)
{
    return sc_cost_steps(sc_cost_reach_of(s->costs, 0, request), BORDER);
}

/** All three in a cloak with a long border. */
static sc_proposal_id propose_all(scene *s)
{
    sc_proposal *small = ledger_proposal(&s->d, (const uint32_t[]){1, 2, 3, 0}, PEER_SELF);
    sc_proposal *large =
        sc_proposal_new(small->star_count, small->segment_count, BORDER, small->member_count);
    memcpy(large->segments, small->segments, small->segment_count * sizeof *small->segments);
    memcpy(large->members, small->members, small->member_count * sizeof *small->members);
    for (sc_node_id i = 0; i < BORDER; i++) {
        large->border_nodes[i] = i;
    }
    large->id = small->id;
    large->worker = small->worker;
    large->engine_thread = small->engine_thread;
    large->releaser = small->releaser;
    large->is_single = small->is_single;
    sc_proposal_free(small);
    return ledger_reserve(&s->d, large, 1);
}

static void test_what_is_reserved_knows_its_cost(void **state)
{
    (void)state;
    scene s;
    scene_open(&s);
    propose_all(&s);
    ledger_check_quiet(&s.d);
    for (uint32_t i = 1; i <= MEMBERS; i++) {
        assert_int_equal(s.tickets[i]->state, SC_TICKET_RESERVED);
        CHECK_CLOSE(s.tickets[i]->cost, cost_of(&s, &s.tickets[i]->request), 1e-6);
    }
    assert_true(s.tickets[3]->cost > 5 * s.tickets[1]->cost);
    scene_close(&s);
}

static void test_a_member_that_costs_too_much_fails_alone(void **state)
{
    (void)state;
    scene s;
    scene_open(&s);
    set_bound(&s, cost_of(&s, &far_range) - 1);
    const sc_proposal_id id = propose_all(&s);
    ledger_check_remove(&s.d, 3);
    ledger_check_no(&s.d, &id, (const uint32_t[]){3, 0});
    ledger_check_settled(&s.d, 3, SC_OUTCOME_FAILED, SC_FAILURE_COSTLY);
    ledger_check_none_settled(&s.d);
    for (uint32_t i = 1; i <= 2; i++) {
        assert_int_equal(s.tickets[i]->state, SC_TICKET_OPEN);
        CHECK_SAME(s.tickets[i]->cost, 0);  // nothing was sent for it
    }
    // Without it they are reserved.
    ledger_propose(&s.d, (const uint32_t[]){1, 2, 0}, 2);
    ledger_check_quiet(&s.d);
    assert_int_equal(s.tickets[1]->state, SC_TICKET_RESERVED);
    scene_close(&s);
}

static void test_the_same_request_costs_once(void **state)
{
    (void)state;
    scene s;
    scene_open(&s);
    s.tickets[1]->request = far_range;
    s.tickets[2]->request = far_range;
    set_bound(&s, cost_of(&s, &far_range) + 1);
    propose_all(&s);
    ledger_check_quiet(&s.d);
    assert_int_equal(s.tickets[3]->state, SC_TICKET_RESERVED);
    scene_close(&s);
}

static void test_different_requests_cost_together(void **state)
{
    (void)state;
    scene s;
    scene_open(&s);
    s.tickets[1]->request = (sc_request){.type = SC_REQUEST_RANGE, .radius_m = 19000};
    s.tickets[2]->request = (sc_request){.type = SC_REQUEST_RANGE, .radius_m = 400};
    set_bound(&s, 1.5 * cost_of(&s, &far_range));
    const sc_proposal_id id = propose_all(&s);
    // One of the two wide ranges is too much, and one is not.
    const uint32_t first = s.tickets[1]->state == SC_TICKET_OPEN ? 3 : 1;
    ledger_check_remove(&s.d, first);
    ledger_check_no(&s.d, &id, (const uint32_t[]){first, 0});
    ledger_check_settled(&s.d, first, SC_OUTCOME_FAILED, SC_FAILURE_COSTLY);
    ledger_check_none_settled(&s.d);
    scene_close(&s);
}

static void test_tries_cost_as_often(void **state)
{
    (void)state;
    scene s;
    scene_open(&s);
    propose_all(&s);
    const double once = s.tickets[3]->cost;
    sc_reservation *reservation = sc__ledger_state_take_due(s.d.ledger_state, DEADLINE / 2);
    assert_non_null(reservation);
    sc__ledger_state_published(s.d.ledger_state, reservation, 1, MEMBERS, DEADLINE / 2);
    sc__reservation_charge_tries(reservation, 1);
    CHECK_CLOSE(s.tickets[3]->cost, once, 1e-6);
    sc__reservation_charge_tries(reservation, 4);
    CHECK_CLOSE(s.tickets[3]->cost, 4 * once, 1e-6);
    sc_answer_place places[MEMBERS] = {0};
    sc__ledger_state_answered(s.d.ledger_state, reservation, SC_FAILURE_TIMEOUT, places, NULL,
                              DEADLINE / 2);
    scene_close(&s);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_what_is_reserved_knows_its_cost),
    cmocka_unit_test(test_a_member_that_costs_too_much_fails_alone),
    cmocka_unit_test(test_the_same_request_costs_once),
    cmocka_unit_test(test_different_requests_cost_together),
    cmocka_unit_test(test_tries_cost_as_often),
};
SC_SUITE(tests)
