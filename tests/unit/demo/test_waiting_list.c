// Who waits: as many as have come and not gone, each once.
#include "demo/demo_internal.h"

#include <pthread.h>

#include "support/check.h"

enum { COUNT = 100 };

static sc__waiting somebody(uint32_t who, uint64_t number)
{
    return (sc__waiting){.number = number, .who = who, .segment = who + 1000};
}

static void test_those_who_wait_are_listed_by_traveller(void **state)
{
    (void)state;
    sc__waiting_list *pending = NULL;
    CHECK_OK(sc__waiting_list_new(COUNT, &pending), NULL);
    sc__waiting list[COUNT];
    assert_int_equal(sc__waiting_list_list(pending, list, COUNT), 0);
    for (uint32_t who = 0; who < COUNT; who += 3) {
        const sc__waiting waiting = somebody(who, COUNT - who);
        sc__waiting_list_add(pending, &waiting);
    }
    for (uint32_t who = 0; who < COUNT; who += 9) {
        sc__waiting_list_remove(pending, who);
    }
    const size_t count = sc__waiting_list_list(pending, list, COUNT);
    assert_int_equal(count, 34 - 12);
    for (size_t i = 0; i < count; i++) {
        const uint32_t who = list[i].who;
        assert_true(i == 0 || list[i - 1].who < who);
        assert_true(who % 3 == 0 && who % 9 != 0);
        assert_int_equal(list[i].number, COUNT - who);
        assert_int_equal(list[i].segment, who + 1000);
    }
    // A client may wait again; and there may be less room than that.
    const sc__waiting again = somebody(0, 200);
    sc__waiting_list_add(pending, &again);
    assert_int_equal(sc__waiting_list_list(pending, list, 5), 5);
    assert_int_equal(list[0].number, 200);
    sc__waiting_list_free(pending);
    sc__waiting_list_free(NULL);
}

// --- Several threads -----------------------------------------------------------------------------

static void *come_and_go(void *context)
{
    sc__waiting_list *pending = context;
    for (uint64_t number = 1; number <= 1000; number++) {
        const uint32_t who = (uint32_t)(number % COUNT);
        const sc__waiting waiting = somebody(who, number);
        sc__waiting_list_add(pending, &waiting);
        if (number % 2 == 0) sc__waiting_list_remove(pending, who);
    }
    return NULL;
}

static void test_a_list_is_of_one_moment(void **state)
{
    (void)state;
    sc__waiting_list *pending = NULL;
    CHECK_OK(sc__waiting_list_new(COUNT, &pending), NULL);
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, come_and_go, pending), 0);
    sc__waiting list[COUNT];
    for (int i = 0; i < 200; i++) {
        const size_t count = sc__waiting_list_list(pending, list, COUNT);
        size_t even = 0;
        for (size_t j = 0; j < count; j++) {
            assert_int_equal(list[j].number % COUNT, list[j].who);
            even += list[j].number % 2 == 0;
        }
        assert_true(even <= 1);  // it is about to go
    }
    pthread_join(thread, NULL);
    assert_int_equal(sc__waiting_list_list(pending, list, COUNT), COUNT / 2);
    sc__waiting_list_free(pending);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_those_who_wait_are_listed_by_traveller),
    cmocka_unit_test(test_a_list_is_of_one_moment),
};
SC_SUITE(tests)
