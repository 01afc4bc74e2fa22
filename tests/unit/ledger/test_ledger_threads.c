// The ledger with its threads: several doors at once, engines on a small town, a provider with
// threads of its own that answers, fails and is busy, and clients who go away. Every ticket comes
// back once, and the counts add up.
#include "ledger/ledger_internal.h"

#include "base/clock.h"
#include "base/handover.h"
#include "base/rng.h"
#include "support/check.h"
#include "support/ledger_fixture.h"
#include "support/streams.h"

#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

enum { DOORS = 3, EACH = 250, TICKETS = DOORS * EACH, LONG_MS = 60000 };

typedef struct scene {
    sc_map *map;
    sc_partition *partition;
    sc_ledger *ledger;
    sc_handover *errands;  ///< for the provider's thread; NULL ends it
    pthread_t provider;
    atomic_uint returned[TICKETS];
    atomic_uint outcomes[5];
    atomic_uint published;
    unsigned late;  ///< cloaks that left after a member's deadline; of the ledger's thread
} scene;

static uint32_t number_of(const sc_query_id *id)
{
    uint32_t number = 0;
    memcpy(&number, id->bytes + sizeof(uint64_t), sizeof number);
    return number;
}

static void count_settled(void *context, sc_ticket *ticket)
{
    scene *s = context;
    atomic_fetch_add(&s->outcomes[ticket->outcome], 1);
    atomic_fetch_add(&s->returned[number_of(&ticket->query.id)], 1);
    if (ticket->outcome == SC_OUTCOME_ANSWERED && ticket->published > ticket->query.deadline) {
        s->late++;
    }
    sc_ticket_free(ticket);
}

static void count_published(void *context, const sc_relay *relay, uint64_t number, uint32_t users)
{
    (void)number;
    scene *s = context;
    assert_true(relay->segment_count > 0 && users > 0);
    atomic_fetch_add(&s->published, 1);
}

/** One of eight finds it busy. */
static sc_err take_errand(void *context, sc_errand *errand)
{
    scene *s = context;
    if (errand->relay->segment_count % 8 == 7) return SC_EBUSY;
    return sc_handover_put(s->errands, &errand) ? SC_OK : SC_EBUSY;
}

static void *provide(void *argument)
{
    scene *s = argument;
    struct pollfd bell = {.fd = sc_handover_fd(s->errands), .events = POLLIN};
    for (;;) {
        sc_errand *errand = NULL;
        if (sc_handover_take(s->errands, &errand, 1) == 0) {
            (void)poll(&bell, 1, LONG_MS);
            continue;
        }
        if (!errand) return NULL;
        errand->failure = errand->place_count % 5 == 4 ? SC_FAILURE_TIMEOUT : SC_FAILURE_NONE;
        sc_ledger_errand_back(s->ledger, errand);
    }
}

/** Parts of about as many stars each, one after the other. */
static sc_partition *divide_into(const sc_map *map, uint32_t parts)
{
    const uint32_t stars = sc_map_star_count(map);
    uint16_t *part_of_star = test_take(stars, sizeof *part_of_star);
    for (uint32_t i = 0; i < stars; i++) {
        part_of_star[i] = (uint16_t)(i * parts / stars);
    }
    sc_partition *partition = NULL;
    CHECK_OK(sc_partition_new(map, part_of_star, parts, &partition, NULL), NULL);
    free(part_of_star);
    return partition;
}

static void scene_open(scene *s, unsigned prune_threads, unsigned engine_threads)
{
    *s = (scene){.map = stream_long_street(3)};
    s->partition = divide_into(s->map, engine_threads);
    CHECK_OK(sc_handover_new(sizeof(sc_errand *), TICKETS + 1, &s->errands), NULL);
    sc_ledger_options options = sc_ledger_options_default();
    options.prune_threads = prune_threads;
    options.engine_threads = engine_threads;
    options.partition = s->partition;
    options.max_pending = TICKETS;
    options.jitter_us = 5000;
    options.guard_us = 1000;
    options.is_paranoid = true;
    options.settled = count_settled;
    options.published = count_published;
    options.context = s;
    sc_diag diag = {""};
    CHECK_OK(sc_ledger_new(s->map, &options, &s->ledger, &diag), &diag);
    sc__ledger_set_sender(s->ledger, take_errand, s, NULL);
    assert_int_equal(pthread_create(&s->provider, NULL, provide, s), 0);
}

/** The order that a service keeps: the ledger stops, the courier is freed, the ledger is freed. */
static void scene_close(scene *s, bool was_drained)
{
    sc_ledger_stop(s->ledger);
    const sc_errand *end = NULL;
    assert_true(sc_handover_put(s->errands, &end));
    pthread_join(s->provider, NULL);

    const sc_ledger_stats stats = sc_ledger_stats_of(s->ledger);
    ledger_check_stats(&stats);
    assert_int_equal(stats.taken, TICKETS);
    assert_int_equal(stats.pending, 0);
    assert_int_equal(stats.violations, 0);
    assert_int_equal(stats.cloaks, s->published);
    assert_int_equal(stats.lost, 0);
    assert_int_equal(sc_engine_pool_stats_of(sc_ledger_engines(s->ledger), NULL).lost, 0);
    assert_int_equal(stats.answered, s->outcomes[SC_OUTCOME_ANSWERED]);
    assert_int_equal(stats.gone, s->outcomes[SC_OUTCOME_GONE]);
    assert_int_equal(s->late, 0);
    for (size_t i = 0; i < TICKETS; i++) {
        assert_int_equal(s->returned[i], 1);
    }
    if (was_drained) {
        assert_int_equal(stats.failed[SC_FAILURE_STOPPED], 0);
        assert_int_equal(stats.engine.pending + stats.engine.proposed, 0);
    }
    print_message("# %lu answered, %lu expired, %lu gone, %lu stopped, %lu overloaded, %lu timed "
                  "out; %lu cloaks, %lu refused\n",
                  stats.answered, stats.dropped[SC_DROP_EXPIRED], stats.gone,
                  stats.failed[SC_FAILURE_STOPPED], stats.failed[SC_FAILURE_OVERLOADED],
                  stats.failed[SC_FAILURE_TIMEOUT], stats.cloaks, stats.refused);
    sc_ledger_free(s->ledger);
    sc_handover_free(s->errands);
    sc_partition_free(s->partition);
    sc_map_free(s->map);
}

typedef struct door {
    scene *scene;
    uint32_t first;  ///< number of its first ticket
} door;

/** Ask EACH times, go away some time after one of six, and want another variant now and then. */
static void *ask(void *argument)
{
    const door *d = argument;
    scene *s = d->scene;
    sc_rng rng;
    sc_rng_seed(&rng, d->first);
    for (uint32_t i = 0; i < EACH; i++) {
        const uint32_t number = d->first + i;
        sc_ticket *ticket = ledger_ticket(number, 1 + sc_rng_below(&rng, 4),
                                          sc_clock_us() + 30000 + (sc_time)i * 1000);
        ticket->query.segment = sc_rng_below(&rng, sc_map_segment_count(s->map));
        ticket->query.max_hops = 4;
        CHECK_OK(sc_ledger_submit(s->ledger, ticket), NULL);
        if (i % 6 == 5) {
            const sc_query_id id = plain_id(number - sc_rng_below(&rng, 5));
            sc_ledger_withdraw(s->ledger, &id);
        }
        if (i % 10 == 0) {
            CHECK_OK(sc_ledger_switch(s->ledger, (sc_variant)sc_rng_below(&rng, 3)), NULL);
            usleep(500);
        }
    }
    return NULL;
}

static void ask_everywhere(scene *s)
{
    door doors[DOORS];
    pthread_t threads[DOORS];
    for (uint32_t i = 0; i < DOORS; i++) {
        doors[i] = (door){s, i * EACH};
        assert_int_equal(pthread_create(&threads[i], NULL, ask, &doors[i]), 0);
    }
    for (uint32_t i = 0; i < DOORS; i++) {
        pthread_join(threads[i], NULL);
    }
}

static void wait_until_empty(const sc_ledger *ledger)
{
    for (int i = 0; sc_ledger_pending(ledger) > 0; i++) {
        assert_true(i < LONG_MS);
        usleep(1000);
    }
}

static void test_many_doors_and_every_ticket_comes_back_once(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 3; i++) {
        scene *s = test_take(1, sizeof *s);
        scene_open(s, i % 2, i < 2 ? 1 : 3);
        ask_everywhere(s);
        sc_ledger_drain(s->ledger);
        wait_until_empty(s->ledger);
        assert_true(s->outcomes[SC_OUTCOME_ANSWERED] > 0);
        assert_true(s->outcomes[SC_OUTCOME_GONE] > 0);
        scene_close(s, true);
        free(s);
    }
}

static void test_a_stop_in_the_middle_loses_no_query(void **state)
{
    (void)state;
    scene *s = test_take(1, sizeof *s);
    scene_open(s, 1, 2);
    ask_everywhere(s);
    scene_close(s, false);
    free(s);
}

/** Submits until it is told that it is over. */
static void *ask_until_the_end(void *argument)
{
    const door *d = argument;
    for (uint32_t i = 0; i < EACH; i++) {
        sc_ticket *ticket = ledger_ticket(d->first + i, 1000, sc_clock_us() + 60000000);
        if (sc_ledger_submit(d->scene->ledger, ticket) != SC_OK) {
            // Still ours. For the count it is as if it had come back.
            atomic_fetch_add(&d->scene->returned[d->first + i], 1);
            sc_ticket_free(ticket);
        }
    }
    return NULL;
}

static void test_doors_that_do_not_know_of_the_end_lose_no_query(void **state)
{
    (void)state;
    scene *s = test_take(1, sizeof *s);
    scene_open(s, 0, 1);
    door doors[DOORS];
    pthread_t threads[DOORS];
    for (uint32_t i = 0; i < DOORS; i++) {
        doors[i] = (door){s, i * EACH};
        assert_int_equal(pthread_create(&threads[i], NULL, ask_until_the_end, &doors[i]), 0);
    }
    sc_ledger_stop(s->ledger);
    for (uint32_t i = 0; i < DOORS; i++) {
        pthread_join(threads[i], NULL);
    }
    for (size_t i = 0; i < TICKETS; i++) {
        assert_int_equal(s->returned[i], 1);
    }
    const sc_errand *end = NULL;
    assert_true(sc_handover_put(s->errands, &end));
    pthread_join(s->provider, NULL);
    sc_ledger_free(s->ledger);
    sc_handover_free(s->errands);
    sc_partition_free(s->partition);
    sc_map_free(s->map);
    free(s);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_many_doors_and_every_ticket_comes_back_once),
    cmocka_unit_test(test_a_stop_in_the_middle_loses_no_query),
    cmocka_unit_test(test_doors_that_do_not_know_of_the_end_lose_no_query),
};
SC_SUITE(tests)
