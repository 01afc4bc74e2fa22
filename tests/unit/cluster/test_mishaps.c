// What may happen to a cluster beside its workers: two gateways share a cloak, one of them goes,
// NATS goes and comes back, or lets nobody in any more.
#include "cluster/gateway.h"

#include "support/check.h"
#include "support/cluster_house.h"

#include <poll.h>
#include <pthread.h>

/** For waiting, in tries of 5 ms: a minute. */
enum { PATIENCE = 12000 };

/** However slow the machine is, nobody's time runs out. */
static const double long_wait_s = 3600;

static uint64_t cloak_of(house_gateway *g)
{
    pthread_mutex_lock(&g->lock);
    assert_non_null(g->back);
    const uint64_t cloak = g->back->cloak;
    pthread_mutex_unlock(&g->lock);
    return cloak;
}

static void test_travellers_of_two_gateways_share_a_cloak_that_leaves_once(void **state)
{
    cluster_house *house = *state;
    house_gateway one;
    house_gateway two;
    house_gateway_open(&one, house, "one");
    house_gateway_open(&two, house, "two");
    sc_worker *a = house_worker(house, "a");
    house_await_ready(&one);
    house_await_ready(&two);
    const sc_seg_id segment = house->segments[2];
    house_ask(&one, 1, segment, 2, 0, long_wait_s);
    house_ask(&two, 2, segment, 2, 0, long_wait_s);
    house_await_answered(&one, 1);
    house_await_answered(&two, 1);
    assert_int_equal(cloak_of(&one), cloak_of(&two));
    const sc_ledger_stats s1 = sc_ledger_stats_of(one.ledger);
    const sc_ledger_stats s2 = sc_ledger_stats_of(two.ledger);
    assert_int_equal(s1.cloaks + s2.cloaks, 1);
    assert_int_equal(s1.cloaks_elsewhere + s2.cloaks_elsewhere, 1);
    house_await_published(a, NULL, 1);
    assert_int_equal(sc_worker_stats(a).bids_published, 1);
    sc_worker_free(a);
    house_gateway_close(&two);
    house_gateway_close(&one);
}

static void test_when_the_leader_goes_the_other_gateway_leads(void **state)
{
    cluster_house *house = *state;
    house_gateway gateways[2];
    house_gateway_open(&gateways[0], house, "one");
    house_gateway_open(&gateways[1], house, "two");
    sc_worker *a = house_worker(house, "a");
    house_await_ready(&gateways[0]);
    house_await_ready(&gateways[1]);
    const bool first_leads =
        sc_gateway_self(gateways[0].gateway) < sc_gateway_self(gateways[1].gateway);
    house_gateway *stays = &gateways[first_leads ? 1 : 0];
    house_gateway_close(&gateways[first_leads ? 0 : 1]);

    const sc_seg_id segment = house->segments[1];
    house_ask(stays, 1, segment, 2, 0, long_wait_s);
    sc_worker *b = house_worker(house, "b");
    house_drain(a);
    sc_worker_free(a);
    house_await_parts(b, HOUSE_PARTS);
    house_await_ready(stays);
    house_ask(stays, 2, segment, 2, 0, long_wait_s);
    house_await_answered(stays, 2);
    sc_worker_free(b);
    house_gateway_close(stays);
}

static void test_after_nats_was_away_queries_are_said_anew(void **state)
{
    cluster_house *house = *state;
    house_gateway g;
    house_gateway_open(&g, house, "g");
    sc_worker *a = house_worker(house, "a");
    house_await_ready(&g);
    const sc_seg_id segment = house->segments[3];
    house_ask(&g, 1, segment, 3, 0, long_wait_s);
    nats_server_kill(&house->nats);
    // Said while nobody can hear it.
    house_ask(&g, 2, segment, 3, 0, long_wait_s);
    for (int i = 0; i < PATIENCE && sc_gateway_is_ready(g.gateway); i++) {
        (void)poll(NULL, 0, 5);
    }
    assert_false(sc_gateway_is_ready(g.gateway));
    nats_server_again(&house->nats);
    house_await_ready(&g);
    for (int i = 0; i < PATIENCE && sc_ledger_stats_of(g.ledger).resent == 0; i++) {
        (void)poll(NULL, 0, 5);
    }
    assert_true(sc_ledger_stats_of(g.ledger).resent > 0);
    house_ask(&g, 3, segment, 3, 0, long_wait_s);
    house_await_answered(&g, 3);
    house_await_parts(a, HOUSE_PARTS);
    sc_worker_free(a);
    house_gateway_close(&g);
}

static void test_all_can_be_closed_while_nats_is_away(void **state)
{
    cluster_house *house = *state;
    house_gateway g;
    house_gateway_open(&g, house, "g");
    sc_worker *a = house_worker(house, "a");
    house_await_ready(&g);
    house_ask(&g, 1, house->segments[0], 2, 0, long_wait_s);
    nats_server_kill(&house->nats);
    assert_int_equal(sc_worker_drain(a, 0.2), HOUSE_PARTS);
    sc_worker_free(a);
    house_gateway_close(&g);
    nats_server_again(&house->nats);
}

static void test_who_is_shut_out_for_good_says_so_once(void **state)
{
    cluster_house *house = *state;
    house_gateway g;
    house_gateway_open(&g, house, "g");
    sc_worker *a = house_worker(house, "a");
    house_await_ready(&g);
    assert_int_equal(house->shut_out, 0);
    nats_server_kill(&house->nats);
    nats_server_change(&house->nats, &(nats_manners){.user = "star", .password = "cloak"});
    nats_server_again(&house->nats);
    for (int i = 0; i < PATIENCE && house->shut_out < 2; i++) {
        (void)poll(NULL, 0, 5);
    }
    assert_false(sc_gateway_is_ready(g.gateway));
    sc_worker_free(a);
    house_gateway_close(&g);
    assert_int_equal(house->shut_out, 2);
    nats_server_kill(&house->nats);
    nats_server_change(&house->nats, &(nats_manners){0});
    nats_server_again(&house->nats);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_travellers_of_two_gateways_share_a_cloak_that_leaves_once),
    cmocka_unit_test(test_when_the_leader_goes_the_other_gateway_leads),
    cmocka_unit_test(test_after_nats_was_away_queries_are_said_anew),
    cmocka_unit_test(test_all_can_be_closed_while_nats_is_away),
    cmocka_unit_test(test_who_is_shut_out_for_good_says_so_once),
};
SC_SUITE_WITH(tests, cluster_house_begin, cluster_house_end)
