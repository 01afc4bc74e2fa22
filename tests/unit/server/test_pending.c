// Queries under way, held against a plain list.
#include "support/check.h"

#include "base/rng.h"
#include "server/pending.h"

#include <pthread.h>

static sc_pending *new_pending(size_t capacity)
{
    sc_pending *pending = NULL;
    CHECK_OK(sc_pending_new(capacity, &pending), NULL);
    return pending;
}

static void test_a_user_has_one_unless_more_are_allowed(void **state)
{
    (void)state;
    sc_pending *pending = new_pending(10);
    CHECK_OK(sc_pending_enter(pending, 7, 1), NULL);
    assert_int_equal(sc_pending_enter(pending, 7, 1), SC_EBUSY);
    CHECK_OK(sc_pending_enter(pending, 8, 1), NULL);
    CHECK_OK(sc_pending_enter(pending, 7, 2), NULL);
    assert_int_equal(sc_pending_enter(pending, 7, 2), SC_EBUSY);
    assert_int_equal(sc_pending_enter(pending, 7, 1), SC_EBUSY);  // allowed less, meanwhile
    assert_int_equal(sc_pending_count(pending), 3);
    sc_pending_leave(pending, 7);
    assert_int_equal(sc_pending_enter(pending, 7, 1), SC_EBUSY);
    sc_pending_leave(pending, 7);
    CHECK_OK(sc_pending_enter(pending, 7, 1), NULL);
    assert_int_equal(sc_pending_count(pending), 2);
    sc_pending_free(pending);
    sc_pending_free(NULL);
}

static void test_all_together_have_so_much_room_and_no_more(void **state)
{
    (void)state;
    enum { ROOM = 1000 };
    sc_pending *pending = new_pending(ROOM);
    for (uint64_t user = 0; user < ROOM; user++) {
        CHECK_OK(sc_pending_enter(pending, user, 1), NULL);
    }
    assert_int_equal(sc_pending_enter(pending, ROOM, 1), SC_ELIMIT);
    assert_int_equal(sc_pending_enter(pending, 5, 2), SC_ELIMIT);
    assert_int_equal(sc_pending_enter(pending, 5, 1), SC_EBUSY);
    sc_pending_leave(pending, 5);
    CHECK_OK(sc_pending_enter(pending, ROOM, 1), NULL);
    assert_int_equal(sc_pending_enter(pending, 5, 1), SC_ELIMIT);
    sc_pending_free(pending);

    pending = new_pending(0);
    assert_int_equal(sc_pending_enter(pending, 5, 1), SC_ELIMIT);
    assert_int_equal(sc_pending_count(pending), 0);
    sc_pending_free(pending);
}

static void test_a_user_who_is_not_there_cannot_leave(void **state)
{
    (void)state;
    sc_pending *pending = new_pending(4);
    sc_pending_leave(pending, 1);
    CHECK_OK(sc_pending_enter(pending, 1, 1), NULL);
    sc_pending_leave(pending, 2);
    assert_int_equal(sc_pending_count(pending), 1);
    assert_int_equal(sc_pending_enter(pending, 1, 1), SC_EBUSY);
    sc_pending_free(pending);
}

// So few slots that users stand in each other's way all the time, around the end of the table too.
static void test_at_every_step_it_is_what_a_plain_list_would_be(void **state)
{
    (void)state;
    enum { USERS = 60, ROOM = 30, MOST = 3, STEPS = 20000 };
    for (uint64_t seed = 0; seed < 5; seed++) {
        check_case(seed);
        sc_pending *pending = new_pending(ROOM);
        unsigned counts[USERS] = {0};
        size_t total = 0;
        unsigned full = 0;
        sc_rng rng;
        sc_rng_seed(&rng, seed);
        uint64_t names[USERS];
        for (size_t i = 0; i < USERS; i++) {
            names[i] = sc_rng_next(&rng);
        }
        names[0] = 0;
        names[1] = UINT64_MAX;
        for (int step = 0; step < STEPS; step++) {
            const size_t who = sc_rng_below(&rng, USERS);
            if (sc_rng_below(&rng, 2) == 0) {
                const sc_err wanted = counts[who] == MOST ? SC_EBUSY
                                      : total == ROOM     ? SC_ELIMIT
                                                          : SC_OK;
                assert_int_equal(sc_pending_enter(pending, names[who], MOST), wanted);
                counts[who] += wanted == SC_OK;
                total += wanted == SC_OK;
                full += wanted == SC_ELIMIT;
            } else if (counts[who] > 0) {
                sc_pending_leave(pending, names[who]);
                counts[who]--;
                total--;
            }
            assert_int_equal(sc_pending_count(pending), total);
        }
        assert_true(full > 100);
        // Each can leave as often as it entered, and all are found to the last.
        for (size_t i = 0; i < USERS; i++) {
            for (; counts[i] > 0; counts[i]--) {
                sc_pending_leave(pending, names[i]);
                assert_int_equal(sc_pending_count(pending), --total);
            }
        }
        sc_pending_free(pending);
    }
    check_case_done();
}

// --- Threads ---------------------------------------------------------------------

enum { THREADS = 4, ROUNDS = 5000 };

typedef struct comer {
    sc_pending *pending;
    uint64_t seed;
    unsigned *inside;  ///< of user 1, by the threads that got in
    unsigned entered;
} comer;

static void *come_and_go(void *context)
{
    comer *c = context;
    sc_rng rng;
    sc_rng_seed(&rng, c->seed);
    for (int i = 0; i < ROUNDS; i++) {
        if (sc_pending_enter(c->pending, 1, 1) == SC_OK) {
            // Only one may be here at a time: the thread sanitizer looks, and so do we.
            (*c->inside)++;
            c->entered++;
            sc_pending_leave(c->pending, 1);
        }
        const uint64_t other = 2 + sc_rng_below(&rng, 50);
        if (sc_pending_enter(c->pending, other, 2) == SC_OK) sc_pending_leave(c->pending, other);
    }
    return NULL;
}

static void test_one_user_gets_in_once_however_many_threads_ask(void **state)
{
    (void)state;
    sc_pending *pending = new_pending(100);
    unsigned inside = 0;
    unsigned entered = 0;
    pthread_t threads[THREADS];
    comer comers[THREADS];
    for (size_t i = 0; i < THREADS; i++) {
        comers[i] = (comer){.pending = pending, .seed = i, .inside = &inside};
        assert_int_equal(pthread_create(&threads[i], NULL, come_and_go, &comers[i]), 0);
    }
    for (size_t i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        entered += comers[i].entered;
    }
    assert_int_equal(inside, entered);
    assert_true(entered >= ROUNDS);
    assert_int_equal(sc_pending_count(pending), 0);
    sc_pending_free(pending);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_user_has_one_unless_more_are_allowed),
    cmocka_unit_test(test_all_together_have_so_much_room_and_no_more),
    cmocka_unit_test(test_a_user_who_is_not_there_cannot_leave),
    SC_CASES(test_at_every_step_it_is_what_a_plain_list_would_be),
    cmocka_unit_test(test_one_user_gets_in_once_however_many_threads_ask),
};
SC_SUITE(tests)
