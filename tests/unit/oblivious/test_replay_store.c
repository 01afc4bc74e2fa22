// What is accepted once: windows, duplicates, a full store, and the Date field.
#include "oblivious/replay_store.h"

#include "support/check.h"
#include "support/oom.h"

#include <pthread.h>
#include <sodium.h>
#include <stdio.h>

static const uint8_t key[SC_REPLAY_KEY_SIZE] = {1, 2, 3};
static const int64_t NOW = 1800000000;
static const int64_t WINDOW = 60;

static int begin(void **state)
{
    (void)state;
    return sodium_init() < 0 ? -1 : 0;
}

static sc_replay_store *new_store(size_t capacity)
{
    sc_replay_store *store = NULL;
    assert_int_equal(sc_replay_store_new(capacity, WINDOW, key, &store), SC_OK);
    return store;
}

static sc_err add(sc_replay_store *store, uint64_t identity, int64_t date_s, int64_t now_s)
{
    return sc_replay_store_add(store, &identity, sizeof identity, date_s, now_s);
}

static void test_a_date_outside_of_the_window_is_refused(void **state)
{
    (void)state;
    sc_replay_store *store = new_store(16);
    assert_int_equal(add(store, 1, NOW - WINDOW - 1, NOW), SC_ETIME);
    assert_int_equal(add(store, 2, NOW + WINDOW + 1, NOW), SC_ETIME);
    assert_int_equal(add(store, 3, NOW - WINDOW, NOW), SC_OK);
    assert_int_equal(add(store, 4, NOW + WINDOW, NOW), SC_OK);
    assert_int_equal(sc_replay_store_count(store), 2);
    sc_replay_store_free(store);
}

/** Whenever something is sent again, it is refused, by its identity or by its date. */
static void test_nothing_is_ever_accepted_twice(void **state)
{
    (void)state;
    for (int64_t first = 0; first < 4 * WINDOW; first += 7) {
        sc_replay_store *store = new_store(1000);
        assert_int_equal(add(store, 0, NOW, NOW), SC_OK);
        for (int64_t ahead = -WINDOW; ahead <= WINDOW; ahead += WINDOW) {
            const int64_t date_s = NOW + first + ahead;
            const uint64_t identity = (uint64_t)(ahead + 1000);
            assert_int_equal(add(store, identity, date_s, NOW + first), SC_OK);
        }
        for (int64_t later = first; later < first + 8 * WINDOW; later++) {
            for (int64_t ahead = -WINDOW; ahead <= WINDOW; ahead += WINDOW) {
                const int64_t date_s = NOW + first + ahead;
                const uint64_t identity = (uint64_t)(ahead + 1000);
                const sc_err err = add(store, identity, date_s, NOW + later);
                assert_true(err == SC_EDUPLICATE || err == SC_ETIME);
            }
            // Others come all the time, so that the sets take turns.
            assert_int_equal(add(store, (uint64_t)(later + 1) << 32, NOW + later, NOW + later),
                             SC_OK);
        }
        sc_replay_store_free(store);
    }
}

static void test_a_full_store_takes_nothing_until_it_has_forgotten(void **state)
{
    (void)state;
    sc_replay_store *store = new_store(100);
    for (uint64_t i = 0; i < 100; i++) {
        assert_int_equal(add(store, i, NOW, NOW), SC_OK);
    }
    assert_int_equal(add(store, 100, NOW, NOW), SC_ELIMIT);
    assert_int_equal(add(store, 7, NOW, NOW), SC_EDUPLICATE);
    // After two windows the sets take turns, after four what is old is forgotten.
    assert_int_equal(add(store, 100, NOW + 120, NOW + 120), SC_ELIMIT);
    assert_int_equal(add(store, 7, NOW + 120, NOW + 120), SC_EDUPLICATE);
    assert_int_equal(add(store, 100, NOW + 240, NOW + 240), SC_OK);
    assert_int_equal(sc_replay_store_count(store), 1);
    // A pause of any length leaves nothing.
    assert_int_equal(add(store, 101, NOW + 9999, NOW + 9999), SC_OK);
    assert_int_equal(sc_replay_store_count(store), 1);
    // A clock that goes backwards forgets nothing.
    assert_int_equal(add(store, 101, NOW + 9999, NOW + 9990), SC_EDUPLICATE);
    sc_replay_store_free(store);
}

static void *add_many(void *argument)
{
    size_t accepted = 0;
    for (uint64_t i = 0; i < 2000; i++) {
        if (!add(argument, i, NOW, NOW)) accepted++;
    }
    return (void *)accepted;
}

static void test_of_many_threads_one_is_the_first(void **state)
{
    (void)state;
    sc_replay_store *store = new_store(4000);
    pthread_t threads[4];
    size_t accepted = 0;
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, add_many, store), 0);
    }
    for (size_t i = 0; i < 4; i++) {
        void *count = NULL;
        pthread_join(threads[i], &count);
        accepted += (size_t)count;
    }
    assert_int_equal(accepted, 2000);
    assert_int_equal(sc_replay_store_count(store), 2000);
    sc_replay_store_free(store);
}

static void test_stores_that_cannot_be_are_refused(void **state)
{
    (void)state;
    sc_replay_store *store = NULL;
    assert_int_equal(sc_replay_store_new(0, 1, key, &store), SC_EINVAL);
    assert_int_equal(sc_replay_store_new(SC_REPLAY_CAPACITY_MAX + 1, 1, key, &store), SC_EINVAL);
    assert_int_equal(sc_replay_store_new(1, 0, key, &store), SC_EINVAL);
    assert_int_equal(sc_replay_store_new(1, INT64_MAX, key, &store), SC_EINVAL);
    assert_null(store);
    sc_replay_store_free(NULL);
    FOR_EACH_FAILURE(n)
    {
        const sc_err err = sc_replay_store_new(10, 10, key, &store);
        if (!oom_happened()) break;
        assert_int_equal(err, SC_ENOMEM);
        assert_null(store);
    }
    sc_replay_store_free(store);
}

// --- The Date field ------------------------------------------------------------------------------

static void check_date(const char *text, int64_t wanted)
{
    int64_t time_s = -7;
    const sc_err err = sc_http_date_parse(text, strlen(text), &time_s);
    if (err != (wanted == -7 ? SC_EPARSE : SC_OK)) fail_msg("'%s': got %d", text, err);
    assert_int_equal(time_s, wanted);
}

static void test_dates_are_read_in_their_one_form(void **state)
{
    (void)state;
    check_date("Sun, 06 Nov 1994 08:49:37 GMT", 784111777);  // RFC 9110, 5.6.7
    check_date("Thu, 01 Jan 1970 00:00:00 GMT", 0);
    check_date("Tue, 29 Feb 2000 23:59:59 GMT", 951868799);
    check_date("Fri, 31 Dec 9999 23:59:60 GMT", 253402300800);
    check_date("Mon, 06 Nov 1994 08:49:37 GMT", -7);  // it was a Sunday
    check_date("Thu, 29 Feb 1900 00:00:00 GMT", -7);
    check_date("Wed, 29 Feb 2023 00:00:00 GMT", -7);
    check_date("Wed, 31 Dec 1969 23:59:59 GMT", -7);
    check_date("Sun, 06 Nov 1994 24:00:00 GMT", -7);
    check_date("Sun, 06 Nov 1994 08:60:37 GMT", -7);
    check_date("Sun, 06 Nov 1994 08:49:61 GMT", -7);
    check_date("Sun, 00 Nov 1994 08:49:37 GMT", -7);
    check_date("Sun, 06 Nov 1994 08:49:37 UTC", -7);
    check_date("sun, 06 nov 1994 08:49:37 gmt", -7);
    check_date("Sun,  6 Nov 1994 08:49:37 GMT", -7);
    check_date("Sun, 06 Nov 1994 08:49:37 GMT ", -7);
    check_date("Sunday, 06-Nov-94 08:49:37 GMT", -7);
    check_date("", -7);
}

/** Every day of some centuries, by counting. */
static void test_every_day_has_its_number(void **state)
{
    (void)state;
    static const char *const days[] = {"Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"};
    static const char *const months[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                         "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    static const int lengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    int64_t number = 0;
    char text[64];
    for (int year = 1970; year < 2410; year++) {
        const bool is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
        for (int month = 0; month < 12; month++) {
            const int length = lengths[month] + (month == 1 && is_leap ? 1 : 0);
            for (int day = 1; day <= length; day++, number++) {
                int64_t time_s = 0;
                snprintf(text, sizeof text, "%s, %02d %s %d 00:00:01 GMT", days[number % 7], day,
                         months[month], year);
                assert_int_equal(sc_http_date_parse(text, strlen(text), &time_s), SC_OK);
                assert_int_equal(time_s, number * 86400 + 1);
            }
        }
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_date_outside_of_the_window_is_refused),
    cmocka_unit_test(test_nothing_is_ever_accepted_twice),
    cmocka_unit_test(test_a_full_store_takes_nothing_until_it_has_forgotten),
    cmocka_unit_test(test_of_many_threads_one_is_the_first),
    cmocka_unit_test(test_stores_that_cannot_be_are_refused),
    cmocka_unit_test(test_dates_are_read_in_their_one_form),
    cmocka_unit_test(test_every_day_has_its_number),
};
SC_SUITE_WITH(tests, begin, NULL)
