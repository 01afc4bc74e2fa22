// The whole ledger without threads: rounds by hand, a clock that the test moves, and a provider
// that the test plays. Then what must not be: wrong options, too many tickets, none after the end.
#include "ledger/ledger_internal.h"

#include "support/check.h"
#include "support/ledger_fixture.h"
#include "support/sketch.h"
#include "support/streams.h"

#include <poll.h>

enum { MOST_ERRANDS = 16, MOST_PENDING = 8 };

static int64_t clock_now;

static int64_t told_time(void)
{
    return clock_now;
}

typedef struct scene {
    sc_map *map;
    sc_ledger *ledger;
    sc_errand *errands[MOST_ERRANDS];  ///< under way
    size_t errand_count;
    bool is_busy;  ///< the courier takes nothing
    unsigned outcomes[5];
    unsigned failures[SC_FAILURE_COUNT];
    unsigned published;
    uint32_t users;
    uint64_t number;  ///< of the last cloak
    sc_ticket *last;  ///< settled, and kept
} scene;

static sc_err take_errand(void *context, sc_errand *errand)
{
    scene *s = context;
    if (s->is_busy) return SC_EBUSY;
    assert_true(s->errand_count < MOST_ERRANDS);
    s->errands[s->errand_count++] = errand;
    return SC_OK;
}

static void count_settled(void *context, sc_ticket *ticket)
{
    scene *s = context;
    assert_null(ticket->next);
    s->outcomes[ticket->outcome]++;
    if (ticket->outcome == SC_OUTCOME_FAILED) s->failures[ticket->failure]++;
    sc_ticket_free(s->last);
    s->last = ticket;
}

static void count_published(void *context, const sc_relay *relay, uint64_t number, uint32_t users)
{
    scene *s = context;
    assert_true(relay->segment_count > 0 && relay->request_count > 0);
    s->published++;
    s->users = users;
    s->number = number;
}

static sc_ledger_options scene_options(scene *s)
{
    sc_ledger_options options = sc_ledger_options_default();
    options.prune_threads = 0;
    options.max_pending = MOST_PENDING;
    options.jitter_us = 100;
    options.guard_us = 10;
    options.is_paranoid = true;
    options.settled = count_settled;
    options.published = count_published;
    options.context = s;
    return options;
}

static void scene_open_with(scene *s, unsigned engine_threads)
{
    clock_now = 1000;
    *s = (scene){0};
    sketch drawn = sketch_named(small_maps[0].name);
    s->map = sketch_map(&drawn);
    sketch_free(&drawn);
    sc_ledger_options options = scene_options(s);
    options.engine_threads = engine_threads;
    sc_diag diag = {""};
    sc_rng *rng = NULL;
    CHECK_OK(sc_rng_new_seeded(1, &rng), NULL);
    CHECK_OK(sc__ledger_new_idle(s->map, &options, told_time, rng, &s->ledger, &diag), &diag);
    sc__ledger_set_sender(s->ledger, take_errand, s, NULL);
}

/** With engines in place. */
static void scene_open(scene *s)
{
    scene_open_with(s, 1);
}

static void scene_close(scene *s)
{
    sc_ledger_stop(s->ledger);
    const sc_ledger_stats stats = sc_ledger_stats_of(s->ledger);
    ledger_check_stats(&stats);
    assert_int_equal(stats.pending, 0);
    assert_int_equal(stats.violations, 0);
    assert_int_equal(sc_ledger_pending(s->ledger), 0);
    for (size_t i = 0; i < s->errand_count; i++) {
        sc_ledger_errand_back(s->ledger, s->errands[i]);
    }
    sc_ledger_free(s->ledger);
    sc_ticket_free(s->last);
    sc_map_free(s->map);
}

static void submit(scene *s, uint32_t number, uint32_t k, sc_time wait)
{
    sc_ticket *ticket = ledger_ticket(number, k, clock_now + wait);
    ticket->at.edge = 3;
    ticket->at.offset_m = 0.25 * number;
    CHECK_OK(sc_ledger_submit(s->ledger, ticket), NULL);
}

/** Rounds of both, until nothing moves at this time. */
static void settle_down(scene *s)
{
    for (int i = 0; i < 4; i++) {
        sc__ledger_round(s->ledger);
        sc_engine_pool_round(sc_ledger_engines(s->ledger), clock_now);
    }
    sc__ledger_round(s->ledger);
}

static void come_back(scene *s, sc_failure failure)
{
    assert_true(s->errand_count > 0);
    sc_errand *errand = s->errands[--s->errand_count];
    errand->failure = failure;
    sc_ledger_errand_back(s->ledger, errand);
    settle_down(s);
}

static void test_a_query_goes_all_the_way(void **state)
{
    (void)state;
    scene s;
    scene_open(&s);
    const sc_time least = clock_now + 90000;
    submit(&s, 1, 2, 100000);
    submit(&s, 2, 2, 90000);
    assert_int_equal(sc_ledger_pending(s.ledger), 2);
    settle_down(&s);
    clock_now += 101;
    settle_down(&s);
    assert_int_equal(s.published, 1);
    assert_int_equal(s.users, 2);
    assert_int_equal(s.errand_count, 1);
    // The errand has the places of both, each beside its own request, and ten seconds;
    // but it leaves before the first of them runs out of time, or not at all.
    const sc_errand *errand = s.errands[0];
    assert_int_equal(errand->place_count, 2);
    assert_int_equal(errand->deadline_us, clock_now + 10000000);
    assert_int_equal(errand->leave_by_us, least);
    assert_int_equal(errand->relay->request_count, 2);
    for (size_t i = 0; i < 2; i++) {
        const sc_answer_place *place = &errand->places[i];
        const uint32_t number = place->at.offset_m > 0.3 ? 2 : 1;
        assert_int_equal(place->at.edge, 3);
        assert_int_equal(errand->relay->requests[place->request].k, 1 + number % 3);
    }
    come_back(&s, SC_FAILURE_NONE);
    assert_int_equal(s.outcomes[SC_OUTCOME_ANSWERED], 2);
    assert_int_equal(sc_ledger_pending(s.ledger), 0);
    const sc_ledger_stats stats = sc_ledger_stats_of(s.ledger);
    assert_int_equal(stats.answered, 2);
    assert_int_equal(stats.cloaks, 1);
    assert_int_equal(stats.engine.accepted, 2);
    scene_close(&s);
}

static void test_users_behind_a_cloak_are_counted_once(void **state)
{
    (void)state;
    scene s;
    scene_open(&s);
    for (uint32_t i = 1; i <= 3; i++) {
        sc_ticket *ticket = ledger_ticket(i, 2, clock_now + 100000);
        ticket->query.user = i < 3 ? 7 : 8;
        CHECK_OK(sc_ledger_submit(s.ledger, ticket), NULL);
    }
    settle_down(&s);
    clock_now += 101;
    settle_down(&s);
    assert_int_equal(s.published, 1);
    assert_int_equal(s.errands[0]->place_count, 3);
    assert_int_equal(s.users, 2);
    scene_close(&s);
}

static void test_a_cloak_has_a_number_that_its_members_and_its_errand_know(void **state)
{
    (void)state;
    scene s;
    scene_open(&s);
    uint64_t before = 0;
    for (uint32_t i = 1; i <= 2; i++) {
        submit(&s, i, 1, 100000);
        settle_down(&s);
        clock_now += 101;
        settle_down(&s);
        assert_int_equal(s.published, i);
        assert_true(s.number != before);
        assert_true(s.errands[0]->number == s.number);
        come_back(&s, SC_FAILURE_NONE);
        assert_true(s.last->cloak == s.number);
        before = s.number;
    }
    scene_close(&s);
}

static void test_provider_failures_reach_the_clients(void **state)
{
    (void)state;
    scene s;
    scene_open(&s);
    submit(&s, 1, 1, 100000);
    settle_down(&s);
    clock_now += 101;
    settle_down(&s);
    come_back(&s, SC_FAILURE_UNBELIEVABLE);
    assert_int_equal(s.failures[SC_FAILURE_UNBELIEVABLE], 1);
    scene_close(&s);
}

static void test_a_courier_that_is_too_busy_fails_the_cloak(void **state)
{
    (void)state;
    scene s;
    scene_open(&s);
    s.is_busy = true;
    submit(&s, 1, 2, 100000);
    submit(&s, 2, 2, 100000);
    settle_down(&s);
    clock_now += 101;
    settle_down(&s);
    assert_int_equal(s.failures[SC_FAILURE_OVERLOADED], 2);
    assert_int_equal(s.published, 0);
    const sc_ledger_stats stats = sc_ledger_stats_of(s.ledger);
    assert_int_equal(stats.cloaks, 0);
    assert_int_equal(stats.engine.pending + stats.engine.proposed, 0);
    scene_close(&s);
}

static void test_a_client_that_goes_at_once_is_found_although_it_has_just_come(void **state)
{
    (void)state;
    scene s;
    scene_open(&s);
    submit(&s, 1, 2, 100000);
    const sc_query_id id = plain_id(1);
    sc_ledger_withdraw(s.ledger, &id);
    submit(&s, 2, 2, 100000);
    settle_down(&s);
    clock_now += 101;
    settle_down(&s);
    assert_int_equal(s.outcomes[SC_OUTCOME_GONE], 1);
    assert_int_equal(s.published, 0);
    assert_int_equal(sc_ledger_stats_of(s.ledger).engine.pending, 1);
    scene_close(&s);
}

static void test_queries_without_company_are_dropped(void **state)
{
    (void)state;
    scene s;
    scene_open(&s);
    submit(&s, 1, 2, 500);
    settle_down(&s);
    clock_now += 501;
    settle_down(&s);
    assert_int_equal(s.outcomes[SC_OUTCOME_DROPPED], 1);
    assert_int_equal(s.last->drop, SC_DROP_EXPIRED);
    scene_close(&s);
}

static void test_a_full_ledger_takes_no_more(void **state)
{
    (void)state;
    scene s;
    scene_open(&s);
    for (uint32_t i = 1; i <= MOST_PENDING; i++) {
        submit(&s, i, 50, 500);
    }
    sc_ticket *extra = ledger_ticket(99, 1, clock_now + 500);
    assert_int_equal(sc_ledger_submit(s.ledger, extra), SC_EBUSY);
    assert_int_equal(sc_ledger_pending(s.ledger), MOST_PENDING);
    settle_down(&s);
    assert_int_equal(sc_ledger_submit(s.ledger, extra), SC_EBUSY);
    clock_now += 501;
    settle_down(&s);
    extra->query.deadline = clock_now + 500;
    CHECK_OK(sc_ledger_submit(s.ledger, extra), NULL);
    scene_close(&s);
}

static void test_an_engine_that_is_behind_is_given_no_more(void **state)
{
    (void)state;
    scene s;
    scene_open_with(&s, 2);
    // The engines' threads stand still; clients come and go.
    for (uint32_t i = 1; i <= 100; i++) {
        submit(&s, i, 50, 500);
        const sc_query_id id = plain_id(i);
        sc_ledger_withdraw(s.ledger, &id);
        sc__ledger_round(s.ledger);
    }
    assert_int_equal(s.outcomes[SC_OUTCOME_GONE], MOST_PENDING / 2);
    assert_int_equal(s.failures[SC_FAILURE_OVERLOADED], 100 - MOST_PENDING / 2);
    scene_close(&s);
}

static void test_a_ledger_that_drains_takes_no_more_and_finishes_what_it_has(void **state)
{
    (void)state;
    scene s;
    scene_open(&s);
    submit(&s, 1, 1, 100000);
    settle_down(&s);
    sc_ledger_drain(s.ledger);
    sc_ticket *extra = ledger_ticket(2, 1, clock_now + 500);
    assert_int_equal(sc_ledger_submit(s.ledger, extra), SC_EINTERRUPTED);
    sc_ticket_free(extra);
    assert_int_equal(sc_ledger_pending(s.ledger), 1);
    clock_now += 101;
    settle_down(&s);
    come_back(&s, SC_FAILURE_NONE);
    assert_int_equal(s.outcomes[SC_OUTCOME_ANSWERED], 1);
    scene_close(&s);
}

static void test_the_end_settles_everything_with_errands_still_out(void **state)
{
    (void)state;
    scene s;
    scene_open(&s);
    submit(&s, 1, 1, 100000);
    settle_down(&s);
    clock_now += 101;
    settle_down(&s);
    assert_int_equal(s.errand_count, 1);
    submit(&s, 2, 5, 100000);  // open
    submit(&s, 3, 1, 100000);  // reserved
    settle_down(&s);
    submit(&s, 4, 5, 100000);  // not even read
    sc_ledger_stop(s.ledger);
    assert_int_equal(s.failures[SC_FAILURE_STOPPED], 4);
    sc_ledger_stop(s.ledger);
    const sc_query_id id = plain_id(1);
    for (int i = 0; i < 100; i++) {
        sc_ledger_withdraw(s.ledger, &id);
    }
    // The errand comes back when the courier is freed, which is after this.
    scene_close(&s);
}

static void test_what_came_back_before_the_end_is_still_answered(void **state)
{
    (void)state;
    scene s;
    scene_open(&s);
    submit(&s, 1, 1, 100000);
    settle_down(&s);
    clock_now += 101;
    settle_down(&s);
    sc_ledger_errand_back(s.ledger, s.errands[--s.errand_count]);
    sc_ledger_stop(s.ledger);
    assert_int_equal(s.outcomes[SC_OUTCOME_ANSWERED], 1);
    scene_close(&s);
}

// --- Hosted: the thread that brings tickets runs the ledger
// ---------------------------------------

enum { MANY = 3 * SC__LEDGER_BATCH / 2 };

static void hosted_open(scene *s)
{
    scene_open(s);
    sc_ledger_free(s->ledger);
    sc_ledger_options options = scene_options(s);
    options.is_hosted = true;
    options.max_pending = MANY;
    sc_rng *rng = NULL;
    CHECK_OK(sc_rng_new_seeded(1, &rng), NULL);
    CHECK_OK(sc__ledger_new_idle(s->map, &options, told_time, rng, &s->ledger, NULL), NULL);
    sc__ledger_set_sender(s->ledger, take_errand, s, NULL);
}

static void test_a_hosted_ledger_takes_more_tickets_in_a_round_than_a_batch(void **state)
{
    (void)state;
    scene s;
    hosted_open(&s);
    for (uint32_t i = 0; i < MANY; i++) {
        submit(&s, i, 1000, 500);
    }
    const sc_query_id id = plain_id(7);
    sc_ledger_withdraw(s.ledger, &id);
    assert_int_equal(sc_ledger_pending(s.ledger), MANY);
    const sc_time wake = sc_ledger_round(s.ledger);
    assert_int_equal(s.outcomes[SC_OUTCOME_GONE], 1);
    assert_int_equal(sc_ledger_stats_of(s.ledger).taken, MANY);
    assert_true(wake > clock_now);
    // Nothing came in, and nothing is due before a deadline: so it is that which is waited for.
    assert_true(wake <= clock_now + 501);
    clock_now += 501;
    for (int i = 0; i < 4; i++) {
        (void)sc_ledger_round(s.ledger);
    }
    assert_int_equal(s.outcomes[SC_OUTCOME_DROPPED], MANY - 1);
    scene_close(&s);
}

static sc_ticket *asked_again;

static void ask_again(void *context, sc_ticket *ticket)
{
    scene *s = context;
    count_settled(context, ticket);
    if (!asked_again) return;
    CHECK_OK(sc_ledger_submit(s->ledger, asked_again), NULL);
    asked_again = NULL;
}

static void test_a_query_that_follows_an_outcome_is_read_in_the_next_round(void **state)
{
    (void)state;
    scene s;
    hosted_open(&s);
    s.ledger->options.settled = ask_again;
    submit(&s, 1, 1000, 500);
    (void)sc_ledger_round(s.ledger);
    asked_again = ledger_ticket(2, 1000, clock_now + 5000);
    asked_again->at.edge = 3;
    clock_now += 501;
    // The round in which the first is settled says that the next must not wait.
    sc_time wake = clock_now + 1;
    for (int i = 0; i < 4 && asked_again; i++) {
        wake = sc_ledger_round(s.ledger);
    }
    assert_null(asked_again);
    assert_true(wake < clock_now);
    assert_true(sc_ledger_round(s.ledger) > clock_now);
    assert_int_equal(sc_ledger_stats_of(s.ledger).taken, 2);
    assert_int_equal(sc_ledger_stats_of(s.ledger).pending, 1);
    scene_close(&s);
}

static void test_a_hosted_ledger_that_is_told_to_end_settles_all_in_its_next_round(void **state)
{
    (void)state;
    scene s;
    hosted_open(&s);
    submit(&s, 1, 50, 100000);
    (void)sc_ledger_round(s.ledger);
    submit(&s, 2, 50, 100000);
    int fds[SC_LEDGER_DESCRIPTORS];
    sc_ledger_descriptors(s.ledger, fds);
    struct pollfd polled[SC_LEDGER_DESCRIPTORS];
    for (int i = 0; i < SC_LEDGER_DESCRIPTORS; i++) {
        polled[i] = (struct pollfd){.fd = fds[i], .events = POLLIN};
    }
    assert_int_equal(poll(polled, SC_LEDGER_DESCRIPTORS, 0), 0);
    sc_ledger_end(s.ledger);
    sc_ledger_end(s.ledger);
    assert_int_equal(poll(polled, SC_LEDGER_DESCRIPTORS, 0), 1);
    assert_int_equal(s.failures[SC_FAILURE_STOPPED], 0);
    assert_int_equal(sc_ledger_round(s.ledger), SC_TIME_NEVER);
    assert_int_equal(s.failures[SC_FAILURE_STOPPED], 2);
    assert_int_equal(sc_ledger_round(s.ledger), SC_TIME_NEVER);
    const sc_query_id id = plain_id(1);
    sc_ledger_withdraw(s.ledger, &id);
    scene_close(&s);
}

static void test_options_out_of_range_are_refused(void **state)
{
    (void)state;
    scene s;
    scene_open(&s);
    for (int i = 0; i < 15; i++) {
        check_case((uint64_t)i);
        sc_ledger_options options = scene_options(&s);
        if (i == 0) options.max_pending = 0;
        if (i == 1) options.jitter_us = -1;
        if (i == 2) options.jitter_us = INT64_C(4000000000);
        if (i == 3) options.guard_us = -1;
        if (i == 4) options.provider_deadline_s = 0.0;
        if (i == 5) options.provider_deadline_s = NOT_A_NUMBER;
        if (i == 6) options.prune_threads = 1000;
        if (i == 7) options.settled = NULL;
        if (i == 8) options.engine.max_combinations = 0;
        if (i == 9) options.max_pending = SIZE_MAX;
        if (i == 10) options.patience_us = 0;
        if (i == 11) options.patience_us = INT64_C(4000000000);
        if (i == 12) options.engine_threads = 0;
        if (i > 12) options.is_hosted = true;
        if (i == 13) options.engine_threads = 2;
        if (i == 14) options.prune_threads = 1;
        sc_ledger *ledger = NULL;
        sc_diag diag = {""};
        assert_int_equal(sc_ledger_new(s.map, &options, &ledger, &diag), SC_EINVAL);
        assert_true(diag.message[0] != '\0');
        assert_null(ledger);
    }
    check_case_done();
    sc_ledger_free(NULL);
    scene_close(&s);
}

// After a reconnection all parts are named at once, and there may be many queries.
static void test_parts_that_are_sent_again_together_take_one_pass(void **state)
{
    (void)state;
    scene s;
    scene_open_with(&s, 1);
    sc_ledger_free(s.ledger);
    // As many parts as stars.
    const uint32_t stars = sc_map_star_count(s.map);
    uint16_t *part_of_star = test_take(stars, sizeof *part_of_star);
    for (uint32_t star = 0; star < stars; star++) {
        part_of_star[star] = (uint16_t)star;
    }
    sc_partition *partition = NULL;
    CHECK_OK(sc_partition_new(s.map, part_of_star, stars, &partition, NULL), NULL);
    free(part_of_star);
    assert_true(stars > 1);
    sc_ledger_options options = scene_options(&s);
    options.partition = partition;
    sc_rng *rng = NULL;
    CHECK_OK(sc_rng_new_seeded(1, &rng), NULL);
    CHECK_OK(sc__ledger_new_idle(s.map, &options, told_time, rng, &s.ledger, NULL), NULL);
    sc__ledger_set_sender(s.ledger, take_errand, &s, NULL);
    submit(&s, 1, 2, 100000);
    settle_down(&s);
    for (uint32_t part = 0; part < stars; part++) {
        sc_ledger_resend(s.ledger, part);
    }
    settle_down(&s);
    assert_int_equal(sc_ledger_stats_of(s.ledger).resend_passes, 1);
    assert_int_equal(sc_ledger_stats_of(s.ledger).resent, 1);
    // What is named later counts, too.
    sc_ledger_resend(s.ledger, sc_partition_home(partition, 0));
    settle_down(&s);
    assert_int_equal(sc_ledger_stats_of(s.ledger).resend_passes, 2);
    assert_int_equal(sc_ledger_stats_of(s.ledger).resent, 2);
    scene_close(&s);
    sc_partition_free(partition);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_parts_that_are_sent_again_together_take_one_pass),
    cmocka_unit_test(test_a_query_goes_all_the_way),
    cmocka_unit_test(test_users_behind_a_cloak_are_counted_once),
    cmocka_unit_test(test_a_cloak_has_a_number_that_its_members_and_its_errand_know),
    cmocka_unit_test(test_provider_failures_reach_the_clients),
    cmocka_unit_test(test_a_courier_that_is_too_busy_fails_the_cloak),
    cmocka_unit_test(test_a_client_that_goes_at_once_is_found_although_it_has_just_come),
    cmocka_unit_test(test_queries_without_company_are_dropped),
    cmocka_unit_test(test_a_full_ledger_takes_no_more),
    cmocka_unit_test(test_an_engine_that_is_behind_is_given_no_more),
    cmocka_unit_test(test_a_ledger_that_drains_takes_no_more_and_finishes_what_it_has),
    cmocka_unit_test(test_the_end_settles_everything_with_errands_still_out),
    cmocka_unit_test(test_what_came_back_before_the_end_is_still_answered),
    cmocka_unit_test(test_a_hosted_ledger_takes_more_tickets_in_a_round_than_a_batch),
    cmocka_unit_test(test_a_query_that_follows_an_outcome_is_read_in_the_next_round),
    cmocka_unit_test(test_a_hosted_ledger_that_is_told_to_end_settles_all_in_its_next_round),
    SC_CASES(test_options_out_of_range_are_refused),
};
SC_SUITE(tests)
