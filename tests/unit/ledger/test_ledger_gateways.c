// Two gateways and a worker, all with their threads, and messages between them: each traveller gets
// the exact answer, whichever gateway has asked the provider.
#include "ledger/ledger.h"

#include "base/handover.h"
#include "support/check.h"
#include "support/ledger_fixture.h"
#include "support/town_travellers.h"
#include "worker/engine_pool.h"

#include <pthread.h>
#include <unistd.h>

enum { TRAVELLERS = 60, LONG_MS = 60000 };

static const sc_peer peers[2] = {PEER_SELF, PEER_OTHER};

typedef struct scene {
    odd_town town;
    sc_partition *partition;
    sc_engine_pool *engines;
    sc_ledger *ledgers[2];
    sc_courier *couriers[2];
    sc_handover *settled;  ///< tickets
} scene;

static void take_settled(void *context, sc_ticket *ticket)
{
    scene *s = context;
    assert_true(sc_handover_put(s->settled, &ticket));
}

/** What NATS would do: to a gateway, or to the worker, which has all parts. */
static void carry(void *context, sc_peer to, sc_msg *msg)
{
    scene *s = context;
    for (size_t i = 0; i < 2; i++) {
        if (to != peers[i]) continue;
        sc_ledger_receive(s->ledgers[i], msg);
        return;
    }
    const bool is_of_other_part = to == SC_PEER_NONE && msg->part != msg->home;
    if (is_of_other_part) {
        sc_msg_fini(msg);
    } else {
        sc_engine_pool_receive(s->engines, msg);
    }
}

/** Half of the stars here, half there. */
static sc_partition *divide_in_two(const sc_map *map)
{
    const uint32_t stars = sc_map_star_count(map);
    uint16_t *parts = test_take(stars, sizeof *parts);
    for (uint32_t i = 0; i < stars; i++) {
        parts[i] = i % 2;
    }
    sc_partition *partition = NULL;
    CHECK_OK(sc_partition_new(map, parts, 2, &partition, NULL), NULL);
    free(parts);
    return partition;
}

static void make_worker(scene *s)
{
    sc_engine_pool_options options = {
        .engine = sc_engine_options_default(),
        .partition = s->partition,
        .engine_threads = 2,
        .max_queries = TRAVELLERS,
        .self = PEER_WORKER,
        .patience_us = 5000000,
        .port = {.send = carry, .context = s},
    };
    sc_diag diag = {""};
    CHECK_OK(sc_engine_pool_new(s->town.map, &options, &s->town.rng, &s->engines, &diag), &diag);
    CHECK_OK(sc_engine_pool_set_parts(s->engines, (const uint16_t[]){0, 1}, 2), NULL);
}

static void make_gateway(scene *s, size_t i)
{
    const sc_port port = {.send = carry, .context = s};
    sc_ledger_options options = sc_ledger_options_default();
    options.partition = s->partition;
    options.self = peers[i];
    options.workers = &port;
    options.patience_us = 5000000;
    options.max_pending = TRAVELLERS;
    options.jitter_us = 2000;
    options.is_paranoid = true;
    options.settled = take_settled;
    options.context = s;
    sc_diag diag = {""};
    CHECK_OK(sc_ledger_new(s->town.map, &options, &s->ledgers[i], &diag), &diag);
    assert_null(sc_ledger_engines(s->ledgers[i]));
    sc_courier_options courier = sc_courier_options_default();
    courier.threads = 2;
    courier.objects = s->town.objects;
    courier.back = sc_ledger_errand_back;
    courier.context = s->ledgers[i];
    CHECK_OK(sc_courier_new(s->town.map, &courier, &s->town.rng, &s->couriers[i], &diag), &diag);
    sc_ledger_set_courier(s->ledgers[i], s->couriers[i]);
}

static scene *scene_open(uint64_t seed)
{
    scene *s = test_take(1, sizeof *s);
    s->town = odd_town_drawn(seed);
    s->partition = divide_in_two(s->town.map);
    CHECK_OK(sc_handover_new(sizeof(sc_ticket *), TRAVELLERS, &s->settled), NULL);
    make_worker(s);
    make_gateway(s, 0);
    make_gateway(s, 1);
    CHECK_OK(sc_engine_pool_start(s->engines), NULL);
    return s;
}

/** Everybody is told; the rest is freed. */
static void scene_stop(scene *s)
{
    for (size_t i = 0; i < 2; i++) {
        sc_ledger_stop(s->ledgers[i]);
    }
    sc_engine_pool_end(s->engines);
}

static void scene_close(scene *s)
{
    for (size_t i = 0; i < 2; i++) {
        sc_courier_free(s->couriers[i]);
        sc_ledger_free(s->ledgers[i]);
    }
    sc_engine_pool_free(s->engines);
    sc_handover_free(s->settled);
    sc_partition_free(s->partition);
    odd_town_free(&s->town);
    free(s);
}

static uint64_t answered(scene *s)
{
    return sc_ledger_stats_of(s->ledgers[0]).answered + sc_ledger_stats_of(s->ledgers[1]).answered;
}

static void test_travellers_get_the_exact_answer_by_any_provider(void **state)
{
    (void)state;
    uint64_t elsewhere = 0;
    for (uint64_t seed = 0; seed < 8; seed++) {
        check_case(seed);
        scene *s = scene_open(seed);
        for (uint32_t i = 0; i < TRAVELLERS; i++) {
            town_ask(s->ledgers[i / 2 % 2], &s->town, i, 2 + i % 2);
        }
        // More than a quarter of them find company in every town; the others would wait on.
        for (int i = 0; answered(s) <= TRAVELLERS / 4; i++) {
            assert_true(i < LONG_MS);
            usleep(1000);
        }
        scene_stop(s);
        for (size_t i = 0; i < 2; i++) {
            const sc_ledger_stats stats = sc_ledger_stats_of(s->ledgers[i]);
            ledger_check_stats(&stats);
            assert_int_equal(stats.violations, 0);
            assert_int_equal(stats.pending, 0);
            elsewhere += stats.cloaks_elsewhere;
        }
        size_t returned = 0;
        for (sc_ticket *ticket; sc_handover_take(s->settled, &ticket, 1) == 1; returned++) {
            if (ticket->outcome == SC_OUTCOME_ANSWERED) {
                town_check_answer(&s->town, ticket);
                assert_true(ticket->users >= ticket->query.k && ticket->segments > 0);
            } else {
                // R may have stopped first.
                assert_int_equal(ticket->outcome, SC_OUTCOME_FAILED);
                assert_int_equal(ticket->failure, SC_FAILURE_STOPPED);
            }
            sc_ticket_free(ticket);
        }
        assert_int_equal(returned, TRAVELLERS);
        scene_close(s);
    }
    check_case_done();
    // Else nothing was shown.
    print_message("# %lu cloaks of the other gateway\n", elsewhere);
    assert_true(elsewhere > 0);
}

static void test_where_the_engines_are_elsewhere_nothing_can_be_switched(void **state)
{
    (void)state;
    scene *s = scene_open(1);
    assert_int_equal(sc_ledger_switch(s->ledgers[0], SC_VARIANT_BASIC), SC_EINVAL);
    assert_int_equal(sc_ledger_variant(s->ledgers[0]), sc_ledger_options_default().engine.variant);
    sc_ledger_resend(s->ledgers[0], 1);
    sc_ledger_resend(s->ledgers[0], 99);
    scene_stop(s);
    scene_close(s);
}

static const struct CMUnitTest tests[] = {
    SC_CASES(test_travellers_get_the_exact_answer_by_any_provider),
    cmocka_unit_test(test_where_the_engines_are_elsewhere_nothing_can_be_switched),
};
SC_SUITE(tests)
