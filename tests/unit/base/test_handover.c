// The hand-over: in order, nothing lost and nothing twice, from any number of threads; and the bell
// rings whenever something can be taken.
#include "support/check.h"

#include "base/handover.h"
#include "base/rng.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <unistd.h>

/** What is handed over here. */
typedef struct thing {
    uint32_t from;    ///< who put it
    uint32_t number;  ///< its how many-th
} thing;

static sc_handover *new_handover(size_t capacity)
{
    sc_handover *h = NULL;
    CHECK_OK(sc_handover_new(sizeof(thing), capacity, &h), NULL);
    return h;
}

static bool rings(const sc_handover *h)
{
    struct pollfd bell = {.fd = sc_handover_fd(h), .events = POLLIN};
    return poll(&bell, 1, 0) == 1;
}

static void put(sc_handover *h, uint32_t number)
{
    assert_true(sc_handover_put(h, &(thing){.number = number}));
}

// --- One thread ------------------------------------------------------------------

static void test_things_come_out_in_the_order_in_which_they_went_in(void **state)
{
    (void)state;
    sc_handover *h = new_handover(5);
    sc_rng rng;
    sc_rng_seed(&rng, 1);
    uint32_t in = 0;
    uint32_t out = 0;
    for (int step = 0; step < 2000; step++) {
        const uint32_t more = sc_rng_below(&rng, 4);
        for (uint32_t i = 0; i < more && in - out < 5; i++) {
            put(h, in++);
        }
        thing things[3];
        const size_t room = sc_rng_below(&rng, 4);
        const size_t count = sc_handover_take(h, things, room);
        assert_int_equal(count, in - out < room ? in - out : room);
        for (size_t i = 0; i < count; i++) {
            assert_int_equal(things[i].number, out++);
        }
        assert_int_equal(sc_handover_count(h), in - out);
        assert_int_equal(rings(h), in > out);
    }
    assert_true(out > 1000);
    sc_handover_free(h);
}

static void test_a_full_one_refuses_and_keeps_what_it_has(void **state)
{
    (void)state;
    sc_handover *h = new_handover(3);
    for (uint32_t i = 0; i < 3; i++) {
        put(h, i);
    }
    assert_false(sc_handover_put(h, &(thing){.number = 99}));
    assert_int_equal(sc_handover_count(h), 3);
    thing things[4];
    assert_int_equal(sc_handover_take(h, things, 1), 1);
    put(h, 3);
    assert_false(sc_handover_put(h, &(thing){.number = 99}));
    assert_int_equal(sc_handover_take(h, things + 1, 3), 3);
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(things[i].number, i);
    }
    sc_handover_free(h);
}

static void test_one_without_room_takes_nothing(void **state)
{
    (void)state;
    sc_handover *h = new_handover(0);
    thing t;
    assert_false(sc_handover_put(h, &(thing){.number = 1}));
    assert_int_equal(sc_handover_take(h, &t, 1), 0);
    assert_false(rings(h));
    sc_handover_free(h);
    sc_handover_free(NULL);
}

static void test_the_bell_is_silent_until_something_comes_and_again_when_all_is_taken(void **state)
{
    (void)state;
    sc_handover *h = new_handover(8);
    thing things[8];
    assert_false(rings(h));
    put(h, 0);
    put(h, 1);
    assert_true(rings(h));
    assert_true(rings(h));  // looking does not silence it
    assert_int_equal(sc_handover_take(h, things, 1), 1);
    assert_true(rings(h));  // one is left
    assert_int_equal(sc_handover_take(h, things, 0), 0);
    assert_true(rings(h));
    assert_int_equal(sc_handover_take(h, things, 8), 1);
    assert_false(rings(h));
    assert_int_equal(sc_handover_take(h, things, 8), 0);
    put(h, 2);
    assert_true(rings(h));
    sc_handover_free(h);
}

static void test_a_bell_that_cannot_be_had_is_told(void **state)
{
    (void)state;
    struct rlimit before;
    getrlimit(RLIMIT_NOFILE, &before);
    const int lowest = fcntl(0, F_DUPFD, 0);  // the next descriptor that anybody would get
    close(lowest);
    const struct rlimit none = {.rlim_cur = (rlim_t)lowest, .rlim_max = before.rlim_max};
    setrlimit(RLIMIT_NOFILE, &none);
    sc_handover *h = NULL;
    const sc_err err = sc_handover_new(8, 8, &h);
    setrlimit(RLIMIT_NOFILE, &before);
    assert_int_equal(err, SC_EIO);
    assert_null(h);
}

// --- Many threads ----------------------------------------------------------------

enum { PUTTERS = 4, EACH = 20000, ROOM = 64 };

typedef struct putter {
    sc_handover *h;
    uint32_t from;
    uint64_t refused;
} putter;

static void *put_many(void *context)
{
    putter *p = context;
    for (uint32_t i = 0; i < EACH;) {
        if (sc_handover_put(p->h, &(thing){.from = p->from, .number = i})) {
            i++;
        } else {
            p->refused++;
            sched_yield();
        }
    }
    return NULL;
}

/** Take as a service does: sleep until the bell rings, and take only then. */
static void take_all(sc_handover *h, uint32_t wanted[PUTTERS])
{
    uint64_t taken = 0;
    sc_rng rng;
    sc_rng_seed(&rng, 7);
    while (taken < (uint64_t)PUTTERS * EACH) {
        struct pollfd bell = {.fd = sc_handover_fd(h), .events = POLLIN};
        // Ten seconds without a ring while something is missing: it was forgotten.
        assert_int_equal(poll(&bell, 1, 10000), 1);
        thing things[ROOM];
        const size_t count = sc_handover_take(h, things, 1 + sc_rng_below(&rng, ROOM));
        for (size_t i = 0; i < count; i++) {
            assert_true(things[i].from < PUTTERS);
            // Each one's own things are in order: none is lost, none comes twice.
            if (things[i].number != wanted[things[i].from]) {
                assert_int_equal(things[i].number, wanted[things[i].from]);
            }
            wanted[things[i].from]++;
        }
        taken += count;
    }
}

static void hand_over_from_many(size_t capacity)
{
    sc_handover *h = new_handover(capacity);
    pthread_t threads[PUTTERS];
    putter putters[PUTTERS];
    uint32_t wanted[PUTTERS] = {0};
    for (uint32_t i = 0; i < PUTTERS; i++) {
        putters[i] = (putter){.h = h, .from = i};
        assert_int_equal(pthread_create(&threads[i], NULL, put_many, &putters[i]), 0);
    }
    take_all(h, wanted);
    for (uint32_t i = 0; i < PUTTERS; i++) {
        pthread_join(threads[i], NULL);
        assert_int_equal(wanted[i], EACH);
    }
    assert_int_equal(sc_handover_count(h), 0);
    sc_handover_free(h);
}

static void test_nothing_of_several_threads_is_lost_or_out_of_order(void **state)
{
    (void)state;
    hand_over_from_many((size_t)PUTTERS * EACH);
    hand_over_from_many(100);
    hand_over_from_many(1);
}

static void test_many_at_once_come_out_as_one_by_one_and_ring_once(void **state)
{
    (void)state;
    enum { CAPACITY = 7 };
    sc_handover *h = new_handover(CAPACITY);
    sc_rng rng;
    sc_rng_seed(&rng, 2);
    uint32_t in = 0;
    uint32_t out = 0;
    for (int step = 0; step < 2000; step++) {
        thing things[10];
        const size_t wanted = sc_rng_below(&rng, 10);
        const size_t room = CAPACITY - (in - out);
        for (uint32_t i = 0; i < wanted; i++) {
            things[i] = (thing){.number = in + i};
        }
        const size_t put_count = sc_handover_put_many(h, things, wanted);
        assert_int_equal(put_count, wanted < room ? wanted : room);
        in += (uint32_t)put_count;
        assert_int_equal(sc_handover_total(h), in);
        assert_int_equal(rings(h), in > out);
        const size_t count = sc_handover_take(h, things, sc_rng_below(&rng, 9));
        for (size_t i = 0; i < count; i++) {
            assert_int_equal(things[i].number, out++);
        }
    }
    sc_handover_free(h);
}

static void test_a_bell_may_be_the_callers_who_has_it_again_afterwards(void **state)
{
    (void)state;
    const int bell = eventfd(5, EFD_CLOEXEC | EFD_NONBLOCK);
    assert_true(bell >= 0);
    for (int round = 0; round < 2; round++) {
        // What an earlier one left in it is forgotten.
        sc_handover *h = NULL;
        CHECK_OK(sc_handover_new_at(sizeof(thing), 3, bell, &h), NULL);
        assert_int_equal(sc_handover_fd(h), bell);
        assert_false(rings(h));
        const thing one = {.number = 1};
        assert_true(sc_handover_put(h, &one));
        assert_true(rings(h));
        sc_handover_free(h);
        assert_int_equal(fcntl(bell, F_GETFD), FD_CLOEXEC);
    }
    close(bell);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_things_come_out_in_the_order_in_which_they_went_in),
    cmocka_unit_test(test_many_at_once_come_out_as_one_by_one_and_ring_once),
    cmocka_unit_test(test_a_full_one_refuses_and_keeps_what_it_has),
    cmocka_unit_test(test_one_without_room_takes_nothing),
    cmocka_unit_test(test_the_bell_is_silent_until_something_comes_and_again_when_all_is_taken),
    cmocka_unit_test(test_a_bell_that_cannot_be_had_is_told),
    cmocka_unit_test(test_a_bell_may_be_the_callers_who_has_it_again_afterwards),
    cmocka_unit_test(test_nothing_of_several_threads_is_lost_or_out_of_order),
};
SC_SUITE(tests)
