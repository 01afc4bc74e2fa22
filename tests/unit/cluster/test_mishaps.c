// What may happen to a cluster beside its workers: two gateways share a cloak, one of them goes,
// NATS goes and comes back, or refuses all connections.
#include "cluster/gateway.h"

#include "support/check.h"
#include "support/cluster_fixture.h"

#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

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
    assert_int_equal(sc_gateway_reach_of(g.gateway).workers, 0);
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

/** Who is silent at the port of a NATS server that was killed: no packet to it is answered. */
typedef struct silent_server {
    int listener;
    int callers[4];  ///< that fill the queue of those who wait to be accepted
} silent_server;

static silent_server be_silent(uint16_t port)
{
    silent_server s = {.listener = socket(AF_INET, SOCK_STREAM, 0)};
    const struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    const struct sockaddr *at = (const struct sockaddr *)&address;
    assert_int_equal(setsockopt(s.listener, SOL_SOCKET, SO_REUSEADDR, &(int){1}, sizeof(int)), 0);
    assert_int_equal(bind(s.listener, at, sizeof address), 0);
    assert_int_equal(listen(s.listener, 0), 0);
    for (size_t i = 0; i < 4; i++) {
        s.callers[i] = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
        (void)connect(s.callers[i], at, sizeof address);
    }
    return s;
}

static void end_silence(silent_server *s)
{
    for (size_t i = 0; i < 4; i++) {
        close(s->callers[i]);
    }
    close(s->listener);
}

// To reconnect to a server that is cut off silently takes as long as the client is patient. Here
// that is an hour, and no outcome may wait for it.
static void test_outcomes_do_not_wait_for_a_nats_server_that_is_cut_off(void **state)
{
    enum { ASKED = 10 };
    cluster_fixture *fixture = *state;
    fixture->is_nats_patient = true;
    cluster_gateway g;
    cluster_gateway_open(&g, fixture, "g");
    sc_worker *a = cluster_worker(fixture, "a");
    cluster_await_ready(&g);
    nats_server_kill(&fixture->nats);
    const char *port = strrchr(fixture->nats.url, ':');
    assert_non_null(port);
    silent_server silent = be_silent((uint16_t)strtoul(port + 1, NULL, 10));
    for (int i = 0; i < PATIENCE && sc_gateway_is_ready(g.gateway); i++) {
        (void)poll(NULL, 0, 5);
    }
    assert_false(sc_gateway_is_ready(g.gateway));
    for (uint32_t asked = 1; asked <= ASKED; asked++) {
        cluster_ask(&g, asked, fixture->segments[0], 2, 0, 0.1);
        for (int i = 0; i < PATIENCE && sc_ledger_pending(g.ledger) > 0; i++) {
            (void)poll(NULL, 0, 5);
        }
        assert_int_equal(sc_ledger_pending(g.ledger), 0);
    }
    assert_int_equal(sc_ledger_stats_of(g.ledger).dropped[SC_DROP_EXPIRED], ASKED);
    end_silence(&silent);
    nats_server_again(&fixture->nats);
    cluster_await_ready(&g);
    sc_worker_free(a);
    cluster_gateway_close(&g);
    fixture->is_nats_patient = false;
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
    cmocka_unit_test(test_outcomes_do_not_wait_for_a_nats_server_that_is_cut_off),
    cmocka_unit_test(test_all_can_be_closed_while_nats_is_away),
    cmocka_unit_test(test_who_is_shut_out_for_good_says_so_once),
};
SC_SUITE_WITH(tests, cluster_fixture_begin, cluster_fixture_end)
