// Limits: exactly what a bucket of one's own would give while there is room; with more names than
// room never more than that, and still something for newcomers.
#include "support/check.h"

#include "base/rng.h"
#include "server/rate_limit.h"

#include <math.h>
#include <pthread.h>

#define SECOND INT64_C(1000000)

/** For comparisons to the last: one takes a whole number of microseconds. */
#define RATE 4.0

static sc_rate_limit *new_rates(size_t capacity)
{
    sc_rate_limit *limit = NULL;
    CHECK_OK(sc_rate_limit_new(capacity, &limit), NULL);
    return limit;
}

// --- One name --------------------------------------------------------------------

static void test_a_full_bucket_gives_its_burst_and_then_one_at_a_time(void **state)
{
    (void)state;
    sc_rate_limit *limit = new_rates(64);
    int64_t now = 5000 * SECOND;
    for (int i = 0; i < 5; i++) {
        assert_int_equal(sc_rate_limit_take(limit, 1, 0.5, 5, now), 0);
    }
    assert_int_equal(sc_rate_limit_take(limit, 1, 0.5, 5, now), 2);
    assert_int_equal(sc_rate_limit_take(limit, 1, 0.5, 5, now + SECOND), 1);
    assert_int_equal(sc_rate_limit_take(limit, 1, 0.5, 5, now + 2 * SECOND - 1), 1);
    now += 2 * SECOND;
    assert_int_equal(sc_rate_limit_take(limit, 1, 0.5, 5, now), 0);
    assert_int_equal(sc_rate_limit_take(limit, 1, 0.5, 5, now), 2);
    assert_int_equal(sc_rate_limit_take(limit, 2, 0.5, 5, now), 0);  // others have their own

    // Full after ten seconds, and never more than full.
    now += 100 * SECOND;
    for (int i = 0; i < 5; i++) {
        assert_int_equal(sc_rate_limit_take(limit, 1, 0.5, 5, now), 0);
    }
    assert_int_equal(sc_rate_limit_take(limit, 1, 0.5, 5, now), 2);
    sc_rate_limit_free(limit);
    sc_rate_limit_free(NULL);
}

static void test_dear_requests_take_more_and_may_be_charged_later(void **state)
{
    (void)state;
    sc_rate_limit *limit = new_rates(64);
    const int64_t now = 5000 * SECOND;
    // A bucket of 600 that fills by ten a second.
    assert_int_equal(sc_rate_limit_take_amount(limit, 1, 400, 10, 600, now), 0);
    assert_int_equal(sc_rate_limit_take_amount(limit, 1, 300, 10, 600, now), 10);
    assert_int_equal(sc_rate_limit_take_amount(limit, 1, 200, 10, 600, now), 0);
    assert_int_equal(sc_rate_limit_take_amount(limit, 1, 5, 10, 600, now), 1);
    assert_int_equal(sc_rate_limit_take_amount(limit, 1, 0, 10, 600, now), 0);
    assert_int_equal(sc_rate_limit_take_amount(limit, 1, 9, 0, 600, now), 0);  // no limit
    // More than the bucket holds needs a full one.
    assert_int_equal(sc_rate_limit_take_amount(limit, 2, 1, 10, 600, now), 0);
    assert_int_equal(sc_rate_limit_take_amount(limit, 2, 5000, 10, 600, now), 1);
    assert_int_equal(sc_rate_limit_take_amount(limit, 2, 5000, 10, 600, now + SECOND), 0);
    assert_int_equal(sc_rate_limit_take_amount(limit, 2, 600, 10, 600, now + SECOND), 60);
    // What was not known before is charged afterwards, down to nothing; or given back, up to all.
    assert_int_equal(sc_rate_limit_take_amount(limit, 3, 100, 10, 600, now), 0);
    sc_rate_limit_charge(limit, 3, 450, 10, 600, now);
    assert_int_equal(sc_rate_limit_take_amount(limit, 3, 60, 10, 600, now), 1);
    sc_rate_limit_charge(limit, 3, 1e9, 10, 600, now);
    assert_int_equal(sc_rate_limit_take_amount(limit, 3, 600, 10, 600, now), 60);
    sc_rate_limit_charge(limit, 3, -590, 10, 600, now);
    assert_int_equal(sc_rate_limit_take_amount(limit, 3, 600, 10, 600, now), 1);
    sc_rate_limit_charge(limit, 3, -1e9, 10, 600, now);
    assert_int_equal(sc_rate_limit_take_amount(limit, 3, 600, 10, 600, now), 0);
    // A name without a bucket is given nothing: a bucket cannot be more than full.
    sc_rate_limit_charge(limit, 4, -100, 10, 600, now);
    assert_int_equal(sc_rate_limit_take_amount(limit, 4, 600, 10, 600, now), 0);
    assert_int_equal(sc_rate_limit_take_amount(limit, 4, 10, 10, 600, now), 1);
    sc_rate_limit_free(limit);
}

static void test_a_name_that_comes_back_in_time_is_admitted(void **state)
{
    (void)state;
    static const double speeds[] = {0.001, 0.3, 1, 7, 1000};
    for (size_t i = 0; i < sizeof speeds / sizeof *speeds; i++) {
        sc_rate_limit *limit = new_rates(64);
        int64_t now = 77 * SECOND;
        unsigned wait_s = 0;
        for (int n = 0; n < 3; n++) {
            while ((wait_s = sc_rate_limit_take(limit, 1, speeds[i], 2.5, now)) == 0) {
            }
            assert_true(wait_s <= (unsigned)ceil(1 / speeds[i]));
            now += wait_s * SECOND;
            assert_int_equal(sc_rate_limit_take(limit, 1, speeds[i], 2.5, now), 0);
        }
        sc_rate_limit_free(limit);
    }
}

static void test_a_rate_of_nothing_is_no_limit(void **state)
{
    (void)state;
    sc_rate_limit *limit = new_rates(64);
    for (int i = 0; i < 1000; i++) {
        assert_int_equal(sc_rate_limit_take(limit, 1, 0, 1, SECOND), 0);
    }
    assert_int_equal(sc_rate_limit_take(limit, 1, 1, 1, SECOND), 0);  // nothing was taken
    assert_int_equal(sc_rate_limit_take(limit, 1, 1, 1, SECOND), 1);
    sc_rate_limit_free(limit);
}

static void test_limits_beyond_reason_do_no_harm(void **state)
{
    (void)state;
    static const double numbers[] = {1e-300, 1e-12, 1, 1e12, 1e300, HUGE_VAL};
    for (size_t r = 0; r < 6; r++) {
        for (size_t b = 0; b < 6; b++) {
            sc_rate_limit *limit = new_rates(1);
            for (int i = 0; i < 10; i++) {
                sc_rate_limit_take(limit, 1, numbers[r], numbers[b], INT64_MAX / 4);
            }
            // A burst is one at least, and then the slowest rate says: not in your lifetime.
            const unsigned wait_s =
                sc_rate_limit_take(limit, 1, numbers[r], numbers[b], INT64_MAX / 4);
            if (r == 0 && b <= 2) assert_int_equal(wait_s, INT32_MAX);
            sc_rate_limit_free(limit);
        }
    }
}

static void test_looser_limits_hold_at_once(void **state)
{
    (void)state;
    sc_rate_limit *limit = new_rates(64);
    // One in a thousand seconds, five at once: it owes 5000 seconds.
    for (int i = 0; i < 5; i++) {
        assert_int_equal(sc_rate_limit_take(limit, 1, 0.001, 5, SECOND), 0);
    }
    assert_int_equal(sc_rate_limit_take(limit, 1, 0.001, 5, SECOND), 1000);
    // The operator allows one per second: the bucket is empty, and no emptier.
    assert_int_equal(sc_rate_limit_take(limit, 1, 1, 5, SECOND), 1);
    assert_int_equal(sc_rate_limit_take(limit, 1, 1, 5, 2 * SECOND), 1);
    sc_rate_limit_free(limit);
}

// --- Many names ------------------------------------------------------------------

/** A bucket of one's own, kept the slow way: what is in it, and since when. */
typedef struct plain_bucket {
    double level;
    int64_t since_us;
} plain_bucket;

static double level_of(plain_bucket *b, double burst, int64_t now_us)
{
    b->level = fmin(burst, b->level + (double)(now_us - b->since_us) / SECOND * RATE);
    b->since_us = now_us;
    return b->level;
}

/** What a random stream of names came to. */
typedef struct tally {
    unsigned given;
    unsigned refused;  ///< though the plain bucket had one
    unsigned refused_rightly;
} tally;

/**
 * `names` ask at random. No name gets what the plain bucket would refuse; only levels that are
 * within a rounding of one are not looked at.
 */
static tally ask_at_random(uint64_t seed, size_t capacity, uint32_t names)
{
    enum { STEPS = 20000 };
    const double burst = 4;
    sc_rate_limit *limit = new_rates(capacity);
    plain_bucket *plain = test_take(names, sizeof *plain);
    for (uint32_t i = 0; i < names; i++) {
        plain[i].level = burst;
    }
    sc_rng rng;
    sc_rng_seed(&rng, seed);
    tally t = {0};
    int64_t now = SECOND;
    for (int step = 0; step < STEPS; step++) {
        now += sc_rng_below(&rng, (uint32_t)SECOND / 100);
        // Some ask far more often than others.
        const uint32_t who = sc_rng_below(&rng, 1 + sc_rng_below(&rng, names));
        const double level = level_of(&plain[who], burst, now);
        const bool is_given =
            sc_rate_limit_take(limit, who * 0x9e3779b97f4a7c15U, RATE, burst, now) == 0;
        if (is_given) {
            if (level < 1 - 1e-6) fail_msg("name %u got one from a bucket with %f", who, level);
            plain[who].level -= 1;
            t.given++;
        } else if (level > 1 + 1e-6) {
            t.refused++;
        } else {
            t.refused_rightly++;
        }
    }
    free(plain);
    sc_rate_limit_free(limit);
    return t;
}

static void test_with_room_for_all_each_has_a_bucket_of_its_own(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 5; seed++) {
        check_case(seed);
        const tally t = ask_at_random(seed, 4096, 100);
        assert_int_equal(t.refused, 0);
        assert_true(t.given > 1000);
        assert_true(t.refused_rightly > 1000);
    }
    check_case_done();
}

static void test_with_more_names_than_room_no_name_gets_more_than_its_limit(void **state)
{
    (void)state;
    static const size_t capacities[] = {1, 3, 16, 64};
    for (uint64_t seed = 0; seed < 4; seed++) {
        check_case(seed);
        // ask_at_random() fails if any does.
        const tally t = ask_at_random(seed, capacities[seed], 500);
        assert_true(t.refused > 0);  // or there was room
        assert_true(t.given > 300);
    }
    check_case_done();
}

static void test_no_flood_of_names_makes_a_debt_forgotten(void **state)
{
    (void)state;
    const int64_t now = 9 * SECOND;
    sc_rate_limit *limit = new_rates(256);
    while (sc_rate_limit_take(limit, 1, 1, 5, now) == 0) {
    }
    // A hundred times as many names as there is room for, again and again.
    for (uint64_t i = 0; i < 25600; i++) {
        sc_rate_limit_take(limit, 1000 + i, 1, 5, now);
        if (i % 100 == 0) assert_int_not_equal(sc_rate_limit_take(limit, 1, 1, 5, now), 0);
    }
    sc_rate_limit_free(limit);
}

static void test_a_flood_that_is_slower_than_the_table_fills_locks_no_name_out(void **state)
{
    (void)state;
    // Room for 1024 that get one per second each. 900 new names come per second, for a minute.
    enum { FLOOD = 900 };
    sc_rate_limit *limit = new_rates(1024);
    int64_t now = SECOND;
    uint64_t next_name = 1000000;
    unsigned refused = 0;
    unsigned newcomers_refused = 0;
    for (int second = 0; second < 60; second++) {
        for (int i = 0; i < FLOOD; i++) {
            now += SECOND / FLOOD;
            sc_rate_limit_take(limit, next_name++, 1, 5, now);
        }
        // Twenty who ask once per second all the time, and one who has never asked before.
        for (uint64_t who = 0; who < 20; who++) {
            refused += sc_rate_limit_take(limit, who, 1, 5, now) != 0;
        }
        newcomers_refused += sc_rate_limit_take(limit, next_name++, 1, 5, now) != 0;
    }
    assert_int_equal(refused, 0);
    assert_int_equal(newcomers_refused, 0);
    sc_rate_limit_free(limit);
}

static void test_asking_in_vain_keeps_no_other_name_out(void **state)
{
    (void)state;
    // All in one set. One name asks a million times; the next is served as if nothing had been.
    sc_rate_limit *limit = new_rates(16);
    for (int i = 0; i < 1000000; i++) {
        sc_rate_limit_take(limit, 1, 1, 5, SECOND);
    }
    for (int i = 0; i < 5; i++) {
        assert_int_equal(sc_rate_limit_take(limit, 2, 1, 5, SECOND), 0);
    }
    assert_int_equal(sc_rate_limit_take(limit, 1, 1, 5, 2 * SECOND), 0);
    sc_rate_limit_free(limit);
}

// --- Forgetting ------------------------------------------------------------------

// A user who asks before its bucket is full again can tell whether it is known.
static void test_only_a_bucket_that_is_full_again_is_forgotten(void **state)
{
    (void)state;
    const int64_t then = 100 * SECOND;
    sc_rate_limit *limit = new_rates(64);
    for (uint64_t who = 0; who < 20; who++) {
        for (uint64_t i = 0; i < 1 + who % 5; i++) {
            assert_int_equal(sc_rate_limit_take(limit, who, 1, 5, then), 0);
        }
    }
    // Who took one, two or three of five has them back.
    sc_rate_limit_forget(limit, then + 3 * SECOND);
    for (uint64_t who = 0; who < 20; who++) {
        const bool is_forgotten = who % 5 < 3;
        const unsigned left = is_forgotten ? 5 : 4 - (unsigned)(who % 5);
        for (unsigned i = 0; i < left; i++) {
            assert_int_equal(sc_rate_limit_take(limit, who, 1, 5, then), 0);
        }
        assert_int_equal(sc_rate_limit_take(limit, who, 1, 5, then), 1);
    }
    sc_rate_limit_free(limit);
}

// The number of a cleared bucket is no name's, though a name may have the same.
static void test_a_cleared_bucket_hides_no_debt(void **state)
{
    (void)state;
    sc_rate_limit *limit = new_rates(4);  // one set
    assert_int_equal(sc_rate_limit_take(limit, 7, 1, 5, SECOND), 0);
    while (sc_rate_limit_take(limit, 0, 1, 5, SECOND) == 0) {
    }
    sc_rate_limit_forget(limit, 2 * SECOND);  // 7, which stands first
    assert_int_equal(sc_rate_limit_take(limit, 0, 1, 5, 2 * SECOND), 0);
    assert_int_equal(sc_rate_limit_take(limit, 0, 1, 5, 2 * SECOND), 1);
    sc_rate_limit_free(limit);
}

// Two tables are asked the same, and one of them forgets now and then: there is no difference.
static void test_forgetting_makes_no_difference_to_anybody(void **state)
{
    (void)state;
    static const size_t capacities[] = {1, 16, 64, 4096};
    for (uint64_t seed = 0; seed < 4; seed++) {
        check_case(seed);
        sc_rate_limit *forgetful = new_rates(capacities[seed]);
        sc_rate_limit *plain = new_rates(capacities[seed]);
        sc_rng rng;
        sc_rng_seed(&rng, seed);
        int64_t now = SECOND;
        unsigned refused = 0;
        for (int step = 0; step < 20000; step++) {
            now += sc_rng_below(&rng, (uint32_t)SECOND / 100);
            const uint64_t who = sc_rng_below(&rng, 1 + sc_rng_below(&rng, 100));
            const unsigned wait_s = sc_rate_limit_take(plain, who, RATE, 4, now);
            assert_int_equal(sc_rate_limit_take(forgetful, who, RATE, 4, now), wait_s);
            refused += wait_s > 0;
            if (sc_rng_below(&rng, 20) == 0) sc_rate_limit_forget(forgetful, now);
        }
        assert_true(refused > 100);
        sc_rate_limit_free(forgetful);
        sc_rate_limit_free(plain);
    }
    check_case_done();
}

// --- Threads ---------------------------------------------------------------------

enum { THREADS = 4, NAMES = 50, ASKED = 200 };

typedef struct asker {
    sc_rate_limit *limit;
    unsigned given[NAMES];
} asker;

static void *ask_many(void *context)
{
    asker *a = context;
    for (unsigned i = 0; i < ASKED; i++) {
        for (uint64_t who = 0; who < NAMES; who++) {
            a->given[who] += sc_rate_limit_take(a->limit, who, 1, 100, SECOND) == 0;
        }
    }
    return NULL;
}

static void test_several_threads_share_one_limit(void **state)
{
    (void)state;
    sc_rate_limit *limit = new_rates(1024);
    pthread_t threads[THREADS];
    asker askers[THREADS];
    for (size_t i = 0; i < THREADS; i++) {
        askers[i] = (asker){.limit = limit};
        assert_int_equal(pthread_create(&threads[i], NULL, ask_many, &askers[i]), 0);
    }
    for (int i = 0; i < 100; i++) {
        sc_rate_limit_forget(limit, SECOND);  // all owe something
    }
    unsigned given[NAMES] = {0};
    for (size_t i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        for (size_t who = 0; who < NAMES; who++) {
            given[who] += askers[i].given[who];
        }
    }
    for (size_t who = 0; who < NAMES; who++) {
        assert_int_equal(given[who], 100);
    }
    sc_rate_limit_free(limit);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_full_bucket_gives_its_burst_and_then_one_at_a_time),
    cmocka_unit_test(test_dear_requests_take_more_and_may_be_charged_later),
    cmocka_unit_test(test_a_name_that_comes_back_in_time_is_admitted),
    cmocka_unit_test(test_a_rate_of_nothing_is_no_limit),
    cmocka_unit_test(test_limits_beyond_reason_do_no_harm),
    cmocka_unit_test(test_looser_limits_hold_at_once),
    SC_CASES(test_with_room_for_all_each_has_a_bucket_of_its_own),
    SC_CASES(test_with_more_names_than_room_no_name_gets_more_than_its_limit),
    cmocka_unit_test(test_no_flood_of_names_makes_a_debt_forgotten),
    cmocka_unit_test(test_a_flood_that_is_slower_than_the_table_fills_locks_no_name_out),
    cmocka_unit_test(test_asking_in_vain_keeps_no_other_name_out),
    cmocka_unit_test(test_only_a_bucket_that_is_full_again_is_forgotten),
    cmocka_unit_test(test_a_cleared_bucket_hides_no_debt),
    SC_CASES(test_forgetting_makes_no_difference_to_anybody),
    cmocka_unit_test(test_several_threads_share_one_limit),
};
SC_SUITE(tests)
