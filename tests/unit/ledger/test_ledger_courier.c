// From a door to the exact answer: the ledger with its threads, a real engine and a real courier
// whose provider is built in. What each traveller is told is what a plain search finds.
#include "ledger/ledger.h"

#include "support/check.h"
#include "support/ledger_fixture.h"
#include "support/town_travellers.h"

#include <pthread.h>
#include <unistd.h>

enum { TRAVELLERS = 60, LONG_MS = 60000 };

/** Tickets that came back, chained by `next`. */
typedef struct basket {
    pthread_mutex_t lock;
    sc_ticket *first;
    size_t count;
} basket;

static void put_into(void *context, sc_ticket *ticket)
{
    basket *b = context;
    pthread_mutex_lock(&b->lock);
    ticket->next = b->first;
    b->first = ticket;
    b->count++;
    pthread_mutex_unlock(&b->lock);
}

static sc_ledger *ledger_on(const sc_map *map, basket *b)
{
    sc_ledger_options options = sc_ledger_options_default();
    options.max_pending = TRAVELLERS;
    options.jitter_us = 2000;
    options.is_paranoid = true;
    options.settled = put_into;
    options.context = b;
    sc_ledger *ledger = NULL;
    sc_diag diag = {""};
    CHECK_OK(sc_ledger_new(map, &options, &ledger, &diag), &diag);
    return ledger;
}

static sc_courier *courier_for(sc_ledger *ledger, odd_town *town, unsigned threads)
{
    sc_courier_options options = sc_courier_options_default();
    options.threads = threads;
    options.objects = town->objects;
    options.back = sc_ledger_errand_back;
    options.context = ledger;
    sc_courier *courier = NULL;
    sc_diag diag = {""};
    CHECK_OK(sc_courier_new(town->map, &options, &town->rng, &courier, &diag), &diag);
    sc_ledger_set_courier(ledger, courier);
    return courier;
}

static void test_travellers_get_the_exact_answer(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 4; seed++) {
        check_case(seed);
        odd_town town = odd_town_drawn(seed);
        basket b = {.lock = PTHREAD_MUTEX_INITIALIZER};
        sc_ledger *ledger = ledger_on(town.map, &b);
        sc_courier *courier = courier_for(ledger, &town, seed % 2 ? 2 : 0);
        for (uint32_t i = 0; i < TRAVELLERS; i++) {
            town_ask(ledger, &town, i, 1 + i % 2);
        }
        // More than half of them find company in every town; the others would wait on.
        for (int i = 0; sc_ledger_stats_of(ledger).answered <= TRAVELLERS / 2; i++) {
            assert_true(i < LONG_MS);
            usleep(1000);
        }
        sc_ledger_stop(ledger);
        const sc_ledger_stats stats = sc_ledger_stats_of(ledger);
        sc_courier_free(courier);
        sc_ledger_free(ledger);

        ledger_check_stats(&stats);
        assert_int_equal(b.count, TRAVELLERS);
        assert_int_equal(stats.violations, 0);
        size_t answered = 0;
        for (sc_ticket *next, *ticket = b.first; ticket; ticket = next) {
            next = ticket->next;
            if (ticket->outcome == SC_OUTCOME_ANSWERED) {
                town_check_answer(&town, ticket);
                assert_true(ticket->users >= ticket->query.k && ticket->segments > 0);
                answered++;
            } else {
                assert_int_equal(ticket->outcome, SC_OUTCOME_FAILED);
                assert_int_equal(ticket->failure, SC_FAILURE_STOPPED);
            }
            sc_ticket_free(ticket);
        }
        assert_true(answered > TRAVELLERS / 2);
        pthread_mutex_destroy(&b.lock);
        odd_town_free(&town);
    }
    check_case_done();
}

static void test_a_courier_freed_with_errands_under_way_gives_them_back(void **state)
{
    (void)state;
    for (unsigned threads = 0; threads <= 2; threads += 2) {
        odd_town town = odd_town_drawn(1);
        basket b = {.lock = PTHREAD_MUTEX_INITIALIZER};
        sc_ledger *ledger = ledger_on(town.map, &b);
        sc_courier *courier = courier_for(ledger, &town, threads);
        for (uint32_t i = 0; i < TRAVELLERS; i++) {
            town_ask(ledger, &town, i, 1 + i % 2);
        }
        // Long enough for some cloaks to have left, whatever the machine does meanwhile.
        for (int i = 0; sc_ledger_stats_of(ledger).cloaks == 0; i++) {
            assert_true(i < LONG_MS);
            usleep(1000);
        }
        sc_ledger_stop(ledger);
        assert_int_equal(b.count, TRAVELLERS);
        sc_courier_free(courier);
        sc_ledger_free(ledger);
        for (sc_ticket *next, *ticket = b.first; ticket; ticket = next) {
            next = ticket->next;
            sc_ticket_free(ticket);
        }
        pthread_mutex_destroy(&b.lock);
        odd_town_free(&town);
    }
}

static const struct CMUnitTest tests[] = {
    SC_CASES(test_travellers_get_the_exact_answer),
    cmocka_unit_test(test_a_courier_freed_with_errands_under_way_gives_them_back),
};
SC_SUITE(tests)
