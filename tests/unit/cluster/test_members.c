// Gateways and workers over a real NATS server: travellers are cloaked and answered, whichever
// processes come, go or die meanwhile.
//
// Most stories are told in the same way: two travellers of three are there before something
// happens, in every part, and the third comes after it. If all of them are answered, the workers of
// that moment knew of the first two.
#include "cluster/gateway.h"

#include "support/check.h"
#include "support/cluster_fixture.h"

#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>

/** However slow the machine is, no query's time runs out. */
static const double long_wait_s = 3600;

enum { PATIENCE = 12000, ALL = 3 * CLUSTER_PARTS };

/** Two of three, in every part. */
static void ask_first_two(cluster_gateway *g)
{
    for (uint32_t part = 0; part < CLUSTER_PARTS; part++) {
        const sc_seg_id segment = g->fixture->segments[part];
        cluster_ask(g, part * 3, segment, 3, 0, long_wait_s);
        cluster_ask(g, part * 3 + 1, segment, 3, 0, long_wait_s);
    }
}

static void ask_third(cluster_gateway *g)
{
    for (uint32_t part = 0; part < CLUSTER_PARTS; part++) {
        cluster_ask(g, part * 3 + 2, g->fixture->segments[part], 3, 0, long_wait_s);
    }
}

static void await_resent(cluster_gateway *g, uint64_t count)
{
    for (int i = 0; i < PATIENCE && sc_ledger_stats_of(g->ledger).resent < count; i++) {
        (void)poll(NULL, 0, 5);
    }
    assert_true(sc_ledger_stats_of(g->ledger).resent >= count);
}

static uint32_t served_by(sc_worker *a, sc_worker *b)
{
    return sc_worker_part_count(a) + sc_worker_part_count(b);
}

/** What is shown once both are heard of, and so many others with another partition, and each part
 * is served. */
static sc_cluster_view *await_view(cluster_gateway *g, uint64_t strangers)
{
    for (int i = 0; i < PATIENCE; i++) {
        sc_cluster_view *view = sc_gateway_view(g->gateway);
        assert_non_null(view);
        bool is_whole = view->peer_count == 2 && view->strangers >= strangers;
        for (uint32_t p = 0; p < view->part_count; p++) {
            is_whole = is_whole && view->parts[p].is_served;
        }
        if (is_whole) return view;
        sc_cluster_view_free(view);
        (void)poll(NULL, 0, 5);
    }
    fail_msg("the cluster did not come together");
    return NULL;
}

/** Until no worker is left, and no part is served. */
static void await_no_worker(cluster_gateway *g)
{
    sc_gateway_reach reach = sc_gateway_reach_of(g->gateway);
    for (int i = 0; i < PATIENCE && (reach.workers > 0 || reach.unserved_parts < CLUSTER_PARTS);
         i++) {
        (void)poll(NULL, 0, 5);
        reach = sc_gateway_reach_of(g->gateway);
    }
    assert_int_equal(reach.workers, 0);
    assert_int_equal(reach.unserved_parts, CLUSTER_PARTS);
}

static void test_travellers_are_cloaked_by_the_workers_of_their_parts(void **state)
{
    cluster_fixture *fixture = *state;
    cluster_gateway g;
    cluster_gateway_open(&g, fixture, "g");
    assert_false(sc_gateway_is_ready(g.gateway));
    sc_worker *a = cluster_worker(fixture, "a");
    sc_worker *b = cluster_worker(fixture, "b");
    cluster_await_ready(&g);
    cluster_await_parts(a, 1);
    cluster_await_parts(b, 1);
    for (int i = 0; i < PATIENCE && served_by(a, b) != CLUSTER_PARTS; i++) {
        (void)poll(NULL, 0, 5);
    }
    assert_int_equal(served_by(a, b), CLUSTER_PARTS);

    ask_first_two(&g);
    ask_third(&g);
    cluster_await_answered(&g, ALL);
    const sc_ledger_stats stats = sc_ledger_stats_of(g.ledger);
    assert_true(stats.cloaks > 0 && stats.cloaks <= CLUSTER_PARTS);
    cluster_await_published(a, b, 1);  // workers learn of it after the travellers
    sc_worker_free(a);
    sc_worker_free(b);
    cluster_gateway_close(&g);
}

static void test_a_view_shows_who_is_there_and_who_has_what(void **state)
{
    cluster_fixture *fixture = *state;
    cluster_gateway g;
    cluster_gateway_open(&g, fixture, "the-gateway");
    assert_int_equal(sc_gateway_reach_of(g.gateway).workers, 0);
    assert_int_equal(sc_gateway_reach_of(g.gateway).unserved_parts, CLUSTER_PARTS);
    sc_worker *w = cluster_worker(fixture, "the-worker");
    cluster_await_ready(&g);
    sc_cluster_view *view = await_view(&g, 0);
    assert_string_equal(view->peers[0].name, "the-gateway");
    assert_true(view->peers[0].is_self && view->peers[0].is_leader && !view->peers[0].is_worker);
    assert_string_equal(view->peers[1].name, "the-worker");
    assert_true(view->peers[1].is_worker && view->peers[1].memory > 0);
    assert_int_equal(view->peers[1].parts, CLUSTER_PARTS);
    assert_int_equal(view->part_count, CLUSTER_PARTS);
    for (uint32_t p = 0; p < CLUSTER_PARTS; p++) {
        assert_int_equal(view->parts[p].owner, view->peers[1].peer);
        assert_true(view->parts[p].is_served);
    }
    assert_int_equal(view->partition, sc_partition_checksum(fixture->partition));
    assert_true(view->bus.is_connected && view->bus.messages_in > 0);
    assert_true(view->placements >= 1);
    CHECK_CLOSE(view->heartbeat_s, CLUSTER_HEARTBEAT_S, 1e-6);
    sc_cluster_view_free(view);
    assert_int_equal(sc_gateway_reach_of(g.gateway).workers, 1);
    assert_int_equal(sc_gateway_reach_of(g.gateway).unserved_parts, 0);
    sc_worker_free(w);
    await_no_worker(&g);
    cluster_gateway_close(&g);
}

static void test_a_worker_that_drains_hands_its_parts_over(void **state)
{
    cluster_fixture *fixture = *state;
    cluster_gateway g;
    cluster_gateway_open(&g, fixture, "g");
    sc_worker *a = cluster_worker(fixture, "a");
    cluster_await_ready(&g);
    ask_first_two(&g);
    sc_worker *b = cluster_worker(fixture, "b");
    cluster_await_parts(b, 1);
    cluster_drain(a);
    sc_worker_free(a);
    cluster_await_parts(b, CLUSTER_PARTS);
    cluster_await_ready(&g);
    ask_third(&g);
    cluster_await_answered(&g, ALL);
    sc_worker_free(b);
    cluster_gateway_close(&g);
}

static void test_the_last_worker_has_no_other_to_hand_its_parts_to(void **state)
{
    cluster_fixture *fixture = *state;
    cluster_gateway g;
    cluster_gateway_open(&g, fixture, "g");
    sc_worker *a = cluster_worker(fixture, "a");
    cluster_await_ready(&g);
    assert_int_equal(sc_worker_drain(a, 0.3), CLUSTER_PARTS);
    sc_worker_free(a);
    cluster_gateway_close(&g);
}

static void test_a_worker_that_is_gone_without_a_word_is_noticed(void **state)
{
    cluster_fixture *fixture = *state;
    cluster_gateway g;
    cluster_gateway_open(&g, fixture, "g");
    sc_worker *a = cluster_worker(fixture, "a");
    sc_worker *b = cluster_worker(fixture, "b");
    cluster_await_ready(&g);
    cluster_await_parts(a, 1);
    cluster_await_parts(b, 1);
    cluster_await_ready(&g);
    ask_first_two(&g);
    const uint64_t resent = sc_ledger_stats_of(g.ledger).resent;
    sc_worker_free(a);
    cluster_await_parts(b, CLUSTER_PARTS);
    await_resent(&g, resent + 2);
    ask_third(&g);
    cluster_await_answered(&g, ALL);
    sc_worker_free(b);
    cluster_gateway_close(&g);
}

static void test_queries_without_a_worker_wait_for_one(void **state)
{
    cluster_fixture *fixture = *state;
    cluster_gateway g;
    cluster_gateway_open(&g, fixture, "g");
    ask_first_two(&g);
    ask_third(&g);
    sc_worker *a = cluster_worker(fixture, "a");
    cluster_await_answered(&g, ALL);
    sc_worker_free(a);
    cluster_gateway_close(&g);
}

// The two are neighbours, but their homes are parts of different workers. After a quarter of its
// time the first is company at the other's worker; who comes then finds it there.
static void test_two_travellers_on_both_sides_of_a_border_find_each_other(void **state)
{
    cluster_fixture *fixture = *state;
    cluster_gateway g;
    cluster_gateway_open(&g, fixture, "g");
    sc_worker *a = cluster_worker(fixture, "a");
    sc_worker *b = cluster_worker(fixture, "b");
    cluster_await_parts(a, 1);
    cluster_await_parts(b, 1);
    cluster_await_ready(&g);
    sc_cluster_view *view = sc_gateway_view(g.gateway);
    assert_non_null(view);
    sc_peer owners[CLUSTER_PARTS];
    for (uint32_t p = 0; p < CLUSTER_PARTS; p++) {
        owners[p] = view->parts[p].owner;
    }
    sc_cluster_view_free(view);
    sc_seg_id here = 0;
    sc_seg_id there = 0;
    cluster_across(fixture, owners, &here, &there);
    cluster_ask(&g, 1, here, 2, 4, 12);
    for (int i = 0; i < PATIENCE && sc_ledger_stats_of(g.ledger).company == 0; i++) {
        (void)poll(NULL, 0, 5);
    }
    cluster_ask(&g, 2, there, 2, 4, long_wait_s);
    cluster_await_answered(&g, 2);
    assert_int_equal(sc_ledger_stats_of(g.ledger).cloaks, 1);
    sc_worker_free(a);
    sc_worker_free(b);
    cluster_gateway_close(&g);
}

static void test_who_has_another_partition_gets_no_part_and_is_counted(void **state)
{
    cluster_fixture *fixture = *state;
    sc_partition *whole = NULL;
    CHECK_OK(sc_partition_whole(fixture->town.map, &whole, NULL), NULL);
    cluster_gateway g;
    cluster_gateway_open(&g, fixture, "g");
    sc_worker *stranger = cluster_stranger(fixture, "stranger", whole, NULL);
    sc_worker *a = cluster_worker(fixture, "a");
    cluster_await_ready(&g);
    sc_cluster_view_free(await_view(&g, 1));
    cluster_await_parts(a, CLUSTER_PARTS);
    assert_int_equal(sc_worker_part_count(stranger), 0);
    sc_worker_free(a);
    sc_worker_free(stranger);
    cluster_gateway_close(&g);
    sc_partition_free(whole);
}

static void test_who_asks_something_else_of_roads_gets_no_part_and_is_counted(void **state)
{
    cluster_fixture *fixture = *state;
    cluster_gateway g;
    cluster_gateway_open(&g, fixture, "g");
    const sc_demands strict = {.is_strict = true};
    sc_worker *stranger = cluster_stranger(fixture, "stranger", fixture->partition, &strict);
    sc_worker *a = cluster_worker(fixture, "a");
    cluster_await_ready(&g);
    sc_cluster_view_free(await_view(&g, 1));
    cluster_await_parts(a, CLUSTER_PARTS);
    assert_int_equal(sc_worker_part_count(stranger), 0);
    sc_worker_free(a);
    sc_worker_free(stranger);
    cluster_gateway_close(&g);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_travellers_are_cloaked_by_the_workers_of_their_parts),
    cmocka_unit_test(test_a_view_shows_who_is_there_and_who_has_what),
    cmocka_unit_test(test_a_worker_that_drains_hands_its_parts_over),
    cmocka_unit_test(test_the_last_worker_has_no_other_to_hand_its_parts_to),
    cmocka_unit_test(test_a_worker_that_is_gone_without_a_word_is_noticed),
    cmocka_unit_test(test_queries_without_a_worker_wait_for_one),
    cmocka_unit_test(test_two_travellers_on_both_sides_of_a_border_find_each_other),
    cmocka_unit_test(test_who_has_another_partition_gets_no_part_and_is_counted),
    cmocka_unit_test(test_who_asks_something_else_of_roads_gets_no_part_and_is_counted),
};
SC_SUITE_WITH(tests, cluster_fixture_begin, cluster_fixture_end)
