// Which worker has which part, and which messages need not be sent.
#include "cluster/gateway_routes.h"

#include "support/check.h"
#include "support/streams.h"

enum { PARTS = 4, FRESH = 100 };

/** Two workers: A has parts 0 and 1, B has 2 and 3. */
enum { A = 11, B = 22, PARTS_OF_B = 0xc };

static sc__gateway_routes *routes_for(const sc_peer owners[PARTS])
{
    sc__gateway_routes *routes = NULL;
    CHECK_OK(sc__gateway_routes_new(PARTS, FRESH, &routes), NULL);
    sc_peer copy[PARTS];
    memcpy(copy, owners, sizeof copy);
    sc__gateway_routes_place(routes, &(sc_placement){.epoch = 1, .parts = PARTS, .owners = copy});
    return routes;
}

static sc__gateway_routes *two_and_two(void)
{
    return routes_for((const sc_peer[PARTS]){A, A, B, B});
}

/** A worker lists these parts in a heartbeat; 99 ends them. */
static bool heartbeat(sc__gateway_routes *routes, sc_peer worker, const uint32_t *parts)
{
    sc_heartbeat_part list[PARTS] = {0};
    sc_heartbeat b = {.peer = worker, .is_worker = true, .parts = list};
    for (; parts[b.part_count] != 99; b.part_count++) {
        list[b.part_count].part = parts[b.part_count];
    }
    return sc__gateway_routes_receive(routes, &b);
}

static void heartbeat_all(sc__gateway_routes *routes)
{
    heartbeat(routes, A, (const uint32_t[]){0, 1, 99});
    heartbeat(routes, B, (const uint32_t[]){2, 3, 99});
}

/** The parts whose queries are to be sent again, as bits. */
static unsigned take(sc__gateway_routes *routes, sc_time now)
{
    uint32_t parts[PARTS];
    unsigned bits = 0;
    const size_t count = sc__gateway_routes_take_unsent(routes, parts, now);
    for (size_t i = 0; i < count; i++) {
        bits |= 1u << parts[i];
    }
    return bits;
}

static bool needs(sc__gateway_routes *routes, sc_msg_kind kind, uint32_t number, uint32_t part,
                  uint32_t home, sc_time now)
{
    const sc_msg msg = {
        .kind = kind, .part = part, .home = home, .query = {.id = plain_id(number)}};
    return sc__gateway_routes_find(routes, &msg, now) != SC_PEER_NONE;
}

/** Where a query that is at home in that part goes. */
static sc_peer owner_of(sc__gateway_routes *routes, uint32_t part)
{
    const sc_msg msg = {.kind = SC_MSG_ADD, .part = part, .home = part};
    return sc__gateway_routes_find(routes, &msg, 0);
}

static void test_a_part_is_sent_again_once_when_its_owner_serves_it(void **state)
{
    (void)state;
    sc__gateway_routes *routes = two_and_two();
    assert_int_equal(take(routes, 0), 0);
    assert_true(sc__gateway_routes_unserved(routes) > 0);
    assert_true(heartbeat(routes, A, (const uint32_t[]){0, 1, 99}));
    assert_int_equal(take(routes, 0), 0x3);
    assert_false(heartbeat(routes, A, (const uint32_t[]){0, 1, 99}));
    assert_int_equal(take(routes, 0), 0);
    // Others that list it are ignored.
    heartbeat(routes, A, (const uint32_t[]){0, 1, 2, 3, 99});
    assert_true(sc__gateway_routes_unserved(routes) > 0);
    assert_true(heartbeat(routes, B, (const uint32_t[]){2, 3, 99}));
    assert_int_equal(sc__gateway_routes_unserved(routes), 0);
    assert_int_equal(take(routes, 0), 0xc);
    sc__gateway_routes_free(routes);
}

static void test_whatever_interrupts_a_part_lets_it_be_sent_again(void **state)
{
    (void)state;
    sc__gateway_routes *routes = two_and_two();
    heartbeat_all(routes);
    assert_int_equal(take(routes, 0), 0xf);

    // Its worker did not list it in one heartbeat.
    heartbeat(routes, A, (const uint32_t[]){1, 99});
    assert_true(sc__gateway_routes_unserved(routes) > 0);
    assert_int_equal(take(routes, 0), 0);
    heartbeat_all(routes);
    assert_int_equal(take(routes, 0), 0x1);

    // NATS reports no subscriber. It may be forged: what the worker serves stays served, and is
    // sent again with its next heartbeat, but not with every report.
    assert_true(sc__gateway_routes_no_responders(routes, B, 0));
    assert_false(sc__gateway_routes_no_responders(routes, 0x77, 0));
    assert_false(sc__gateway_routes_no_responders(routes, SC_PEER_NONE, 0));
    assert_int_equal(sc__gateway_routes_unserved(routes), 0);
    assert_int_equal(take(routes, 0), 0);
    heartbeat_all(routes);
    assert_int_equal(take(routes, 0), PARTS_OF_B);
    assert_true(sc__gateway_routes_no_responders(routes, B, 9999999));
    heartbeat_all(routes);
    assert_int_equal(take(routes, 9999999), 0);
    assert_true(sc__gateway_routes_no_responders(routes, B, 10000000));
    heartbeat_all(routes);
    assert_int_equal(take(routes, 0), PARTS_OF_B);
    assert_int_equal(owner_of(routes, 2), B);
    assert_int_equal(owner_of(routes, PARTS), SC_PEER_NONE);

    // It was moved, and the new owner serves it; what the old one lists is ignored.
    sc_peer owners[PARTS] = {A, B, B, B};
    sc__gateway_routes_place(routes, &(sc_placement){.epoch = 2, .parts = PARTS, .owners = owners});
    heartbeat(routes, A, (const uint32_t[]){0, 1, 99});
    assert_int_equal(take(routes, 0), 0);
    heartbeat(routes, B, (const uint32_t[]){1, 2, 3, 99});
    assert_int_equal(take(routes, 0), 0x2);

    // We were away.
    sc__gateway_routes_reset(routes);
    assert_true(sc__gateway_routes_unserved(routes) > 0);
    assert_int_equal(take(routes, 0), 0);
    heartbeat(routes, B, (const uint32_t[]){1, 2, 3, 99});
    assert_int_equal(take(routes, 0), 0xe);

    // Everybody has left the roster.
    sc_roster *roster = NULL;
    CHECK_OK(sc_roster_new(0, 1, 0, &roster), NULL);
    sc__gateway_routes_sweep(routes, roster);
    sc_roster_free(roster);
    assert_true(sc__gateway_routes_unserved(routes) > 0);
    heartbeat(routes, B, (const uint32_t[]){1, 2, 3, 99});
    assert_int_equal(take(routes, 0), 0xe);
    sc__gateway_routes_free(routes);
}

static void test_each_worker_is_told_of_company_once(void **state)
{
    (void)state;
    sc__gateway_routes *routes = routes_for((const sc_peer[PARTS]){A, A, B, B});
    // At home in part 0, so A has it already, for all its parts.
    assert_true(needs(routes, SC_MSG_ADD, 1, 0, 0, 0));
    assert_false(needs(routes, SC_MSG_COMPANY, 1, 1, 0, 0));
    assert_true(needs(routes, SC_MSG_COMPANY, 1, 2, 0, 0));
    assert_false(needs(routes, SC_MSG_COMPANY, 1, 3, 0, 0));
    // The same for another query, and for its end.
    assert_true(needs(routes, SC_MSG_COMPANY, 2, 3, 0, 0));
    assert_true(needs(routes, SC_MSG_REMOVE, 2, 0, 0, 0));
    assert_false(needs(routes, SC_MSG_REMOVE, 2, 1, 0, 0));
    assert_true(needs(routes, SC_MSG_REMOVE, 2, 2, 0, 0));
    assert_false(needs(routes, SC_MSG_REMOVE, 2, 3, 0, 0));
    // Sent again at home, it is always sent.
    assert_true(needs(routes, SC_MSG_ADD, 2, 0, 0, 0));
    assert_true(needs(routes, SC_MSG_ADD, 2, 0, 0, 0));
    sc__gateway_routes_free(routes);
}

static void test_parts_without_an_owner_are_told_all_once_they_are_served(void **state)
{
    (void)state;
    sc__gateway_routes *routes =
        routes_for((const sc_peer[PARTS]){A, SC_PEER_NONE, SC_PEER_NONE, B});
    // There is no process to which it could be sent.
    assert_false(needs(routes, SC_MSG_ADD, 1, 1, 1, 0));
    assert_false(needs(routes, SC_MSG_COMPANY, 1, 1, 0, 0));
    assert_false(needs(routes, SC_MSG_COMPANY, 1, 2, 0, 0));
    assert_true(needs(routes, SC_MSG_COMPANY, 1, 3, 0, 0));
    sc_peer owners[PARTS] = {A, A, A, B};
    sc__gateway_routes_place(routes, &(sc_placement){.epoch = 2, .parts = PARTS, .owners = owners});
    heartbeat(routes, A, (const uint32_t[]){0, 1, 2, 99});
    assert_int_equal(take(routes, 0), 0x7);
    // A part that does not exist has no owner.
    assert_false(needs(routes, SC_MSG_ADD, 1, PARTS, PARTS, 0));
    sc__gateway_routes_free(routes);
}

static void test_a_part_that_was_just_opened_is_told_of_all_company(void **state)
{
    (void)state;
    sc__gateway_routes *routes = two_and_two();
    assert_false(needs(routes, SC_MSG_COMPANY, 1, 1, 0, 0));
    heartbeat_all(routes);
    assert_int_equal(take(routes, 1000), 0xf);
    assert_true(needs(routes, SC_MSG_COMPANY, 1, 1, 0, 1000));
    assert_true(needs(routes, SC_MSG_COMPANY, 1, 1, 0, 1000 + FRESH - 1));
    assert_false(needs(routes, SC_MSG_COMPANY, 1, 1, 0, 1000 + FRESH));
    sc__gateway_routes_free(routes);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_part_is_sent_again_once_when_its_owner_serves_it),
    cmocka_unit_test(test_whatever_interrupts_a_part_lets_it_be_sent_again),
    cmocka_unit_test(test_each_worker_is_told_of_company_once),
    cmocka_unit_test(test_parts_without_an_owner_are_told_all_once_they_are_served),
    cmocka_unit_test(test_a_part_that_was_just_opened_is_told_of_all_company),
};
SC_SUITE(tests)
