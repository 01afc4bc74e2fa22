// What may happen to a cluster beside its workers: two gateways share a cloak, one of them goes,
// NATS goes and comes back, or refuses all connections.
#include "cluster/gateway.h"

#include "support/check.h"
#include "support/cluster_fixture.h"

#include <poll.h>
#include <pthread.h>

/** For waiting, in tries of 5 ms: a minute. */
enum { PATIENCE = 12000 };

/** However slow the machine is, no query's time runs out. */
static const double long_wait_s = 3600;

static uint64_t cloak_of(cluster_gateway *g)
{
    pthread_mutex_lock(&g->lock);
    assert_non_null(g->back);
    const uint64_t cloak = g->back->cloak;
    pthread_mutex_unlock(&g->lock);
    return cloak;
}

static void test_travellers_of_two_gateways_share_a_cloak_that_leaves_once(void **state)
{
    cluster_fixture *fixture = *state;
    cluster_gateway one;
    cluster_gateway two;
    cluster_gateway_open(&one, fixture, "one");
    cluster_gateway_open(&two, fixture, "two");
    sc_worker *a = cluster_worker(fixture, "a");
    cluster_await_ready(&one);
    cluster_await_ready(&two);
    const sc_seg_id segment = fixture->segments[2];
    cluster_ask(&one, 1, segment, 2, 0, long_wait_s);
    cluster_ask(&two, 2, segment, 2, 0, long_wait_s);
    cluster_await_answered(&one, 1);
    cluster_await_answered(&two, 1);
    assert_int_equal(cloak_of(&one), cloak_of(&two));
    const sc_ledger_stats s1 = sc_ledger_stats_of(one.ledger);
    const sc_ledger_stats s2 = sc_ledger_stats_of(two.ledger);
    assert_int_equal(s1.cloaks + s2.cloaks, 1);
    assert_int_equal(s1.cloaks_elsewhere + s2.cloaks_elsewhere, 1);
    cluster_await_published(a, NULL, 1);
    assert_int_equal(sc_worker_stats(a).proposals_published, 1);
    sc_worker_free(a);
    cluster_gateway_close(&two);
    cluster_gateway_close(&one);
}

static void test_when_the_leader_goes_the_other_gateway_leads(void **state)
{
    cluster_fixture *fixture = *state;
    cluster_gateway gateways[2];
    cluster_gateway_open(&gateways[0], fixture, "one");
    cluster_gateway_open(&gateways[1], fixture, "two");
    sc_worker *a = cluster_worker(fixture, "a");
    cluster_await_ready(&gateways[0]);
    cluster_await_ready(&gateways[1]);
    const bool first_leads =
        sc_gateway_self(gateways[0].gateway) < sc_gateway_self(gateways[1].gateway);
    cluster_gateway *stays = &gateways[first_leads ? 1 : 0];
    cluster_gateway_close(&gateways[first_leads ? 0 : 1]);

    const sc_seg_id segment = fixture->segments[1];
    cluster_ask(stays, 1, segment, 2, 0, long_wait_s);
    sc_worker *b = cluster_worker(fixture, "b");
    cluster_drain(a);
    sc_worker_free(a);
    cluster_await_parts(b, CLUSTER_PARTS);
    cluster_await_ready(stays);
    cluster_ask(stays, 2, segment, 2, 0, long_wait_s);
    cluster_await_answered(stays, 2);
    sc_worker_free(b);
    cluster_gateway_close(stays);
}

static void test_after_nats_was_away_queries_are_sent_again(void **state)
{
    cluster_fixture *fixture = *state;
    cluster_gateway g;
    cluster_gateway_open(&g, fixture, "g");
    sc_worker *a = cluster_worker(fixture, "a");
    cluster_await_ready(&g);
    const sc_seg_id segment = fixture->segments[3];
    cluster_ask(&g, 1, segment, 3, 0, long_wait_s);
    nats_server_kill(&fixture->nats);
    // Sent while no process can receive it.
    cluster_ask(&g, 2, segment, 3, 0, long_wait_s);
    for (int i = 0; i < PATIENCE && sc_gateway_is_ready(g.gateway); i++) {
        (void)poll(NULL, 0, 5);
    }
    assert_false(sc_gateway_is_ready(g.gateway));
    nats_server_again(&fixture->nats);
    cluster_await_ready(&g);
    for (int i = 0; i < PATIENCE && sc_ledger_stats_of(g.ledger).resent == 0; i++) {
        (void)poll(NULL, 0, 5);
    }
    assert_true(sc_ledger_stats_of(g.ledger).resent > 0);
    cluster_ask(&g, 3, segment, 3, 0, long_wait_s);
    cluster_await_answered(&g, 3);
    cluster_await_parts(a, CLUSTER_PARTS);
    sc_worker_free(a);
    cluster_gateway_close(&g);
}

static void test_all_can_be_closed_while_nats_is_away(void **state)
{
    cluster_fixture *fixture = *state;
    cluster_gateway g;
    cluster_gateway_open(&g, fixture, "g");
    sc_worker *a = cluster_worker(fixture, "a");
    cluster_await_ready(&g);
    cluster_ask(&g, 1, fixture->segments[0], 2, 0, long_wait_s);
    nats_server_kill(&fixture->nats);
    assert_int_equal(sc_worker_drain(a, 0.2), CLUSTER_PARTS);
    sc_worker_free(a);
    cluster_gateway_close(&g);
    nats_server_again(&fixture->nats);
}

static void test_who_is_shut_out_for_good_says_so_once(void **state)
{
    cluster_fixture *fixture = *state;
    cluster_gateway g;
    cluster_gateway_open(&g, fixture, "g");
    sc_worker *a = cluster_worker(fixture, "a");
    cluster_await_ready(&g);
    assert_int_equal(fixture->shut_out, 0);
    nats_server_kill(&fixture->nats);
    nats_server_change(&fixture->nats, &(nats_manners){.user = "star", .password = "cloak"});
    nats_server_again(&fixture->nats);
    for (int i = 0; i < PATIENCE && fixture->shut_out < 2; i++) {
        (void)poll(NULL, 0, 5);
    }
    assert_false(sc_gateway_is_ready(g.gateway));
    sc_worker_free(a);
    cluster_gateway_close(&g);
    assert_int_equal(fixture->shut_out, 2);
    nats_server_kill(&fixture->nats);
    nats_server_change(&fixture->nats, &(nats_manners){0});
    nats_server_again(&fixture->nats);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_travellers_of_two_gateways_share_a_cloak_that_leaves_once),
    cmocka_unit_test(test_when_the_leader_goes_the_other_gateway_leads),
    cmocka_unit_test(test_after_nats_was_away_queries_are_sent_again),
    cmocka_unit_test(test_all_can_be_closed_while_nats_is_away),
    cmocka_unit_test(test_who_is_shut_out_for_good_says_so_once),
};
SC_SUITE_WITH(tests, cluster_fixture_begin, cluster_fixture_end)
