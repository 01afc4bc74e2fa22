// Does the order of members say who came first? Over many cloaks a shuffled order never
// raises the alarm, and one that remembers always does.
#include "verify/query_states.h"

#include "base/rng.h"
#include "support/check.h"

enum { MOST = 9 };

static void shuffle(sc_rng *rng, uint32_t *list, size_t count)
{
    for (size_t i = count; i > 1; i--) {
        const size_t j = sc_rng_below(rng, (uint32_t)i);
        const uint32_t swapped = list[j];
        list[j] = list[i - 1];
        list[i - 1] = swapped;
    }
}

/** A way to list members, which come in the order of their arrival. */
typedef void lister(sc_rng *rng, uint32_t *list, size_t count);

static void last_first(sc_rng *rng, uint32_t *list, size_t count)
{
    (void)rng;
    for (size_t i = 0; i < count / 2; i++) {
        const uint32_t swapped = list[i];
        list[i] = list[count - 1 - i];
        list[count - 1 - i] = swapped;
    }
}

static void as_they_came(sc_rng *rng, uint32_t *list, size_t count)
{
    last_first(rng, list, count);
    last_first(rng, list, count);
}

// The one who completed the cloak, then the others in any order.
static void newest_in_front(sc_rng *rng, uint32_t *list, size_t count)
{
    last_first(rng, list, count);
    shuffle(rng, list + 1, count - 1);
}

static void newest_in_the_middle(sc_rng *rng, uint32_t *list, size_t count)
{
    const uint32_t newest = list[count - 1];
    shuffle(rng, list, count - 1);
    list[count - 1] = list[count / 2];
    list[count / 2] = newest;
}

static void newest_at_either_end(sc_rng *rng, uint32_t *list, size_t count)
{
    const uint32_t newest = list[count - 1];
    shuffle(rng, list, count - 1);
    list[count - 1] = newest;
    if (sc_rng_below(rng, 2) == 0) return;
    list[count - 1] = list[0];
    list[0] = newest;
}

static sc_order order_of(uint64_t seed, size_t cloaks, lister *listed)
{
    sc_rng rng;
    sc_rng_seed(&rng, seed);
    sc_order order = {.capacity = 0};
    uint32_t next = 0;
    for (size_t i = 0; i < cloaks; i++) {
        uint32_t list[MOST];
        const size_t count = 2 + sc_rng_below(&rng, MOST - 1);
        for (size_t j = 0; j < count; j++) {
            next += 1 + sc_rng_below(&rng, 3);
            list[j] = next;
        }
        listed(&rng, list, count);
        CHECK_OK(sc__order_add(&order, list, count), NULL);
    }
    return order;
}

static double worst(const sc_order *order)
{
    const double trend = sc__drift_deviations(&order->trend);
    const double newest = sc__drift_deviations(&order->newest);
    const double a = trend < 0 ? -trend : trend;
    const double b = newest < 0 ? -newest : newest;
    return a > b ? a : b;
}

static void test_a_shuffled_order_raises_no_alarm(void **state)
{
    (void)state;
    double most = 0.0;
    double squares = 0.0;
    enum { SEEDS = 400 };
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        check_case(seed);
        sc_order order = order_of(seed, 300, shuffle);
        const double deviations = worst(&order);
        assert_true(deviations < SC_ORDER_MAX_DEVIATIONS);
        if (deviations > most) most = deviations;
        const double trend = sc__drift_deviations(&order.trend);
        squares += trend * trend;
        sc__order_fini(&order);
    }
    check_case_done();
    // The scale is right too: the greatest of 800 normal numbers lies between 2 and 5 but for
    // one in a million, and the mean square of 400 has mean 1 and a deviation of 0.07.
    assert_true(most > 2.0 && most < 5.0);
    assert_true(squares / SEEDS > 0.6 && squares / SEEDS < 1.4);
}

static void test_an_order_that_remembers_raises_the_alarm(void **state)
{
    (void)state;
    lister *const remembering[] = {as_they_came, last_first, newest_in_front, newest_in_the_middle,
                                   newest_at_either_end};
    for (size_t i = 0; i < sizeof remembering / sizeof *remembering; i++) {
        check_case(i);
        sc_order order = order_of(i, 300, remembering[i]);
        assert_true(worst(&order) > SC_ORDER_MAX_DEVIATIONS);
        sc__order_fini(&order);
    }
    check_case_done();
}

// The newest at every place once: the terms have mean 0 and variance 1, exactly.
static void test_terms_have_mean_0_and_variance_1(void **state)
{
    (void)state;
    for (uint32_t n = 3; n <= MOST; n++) {
        double sum = 0.0;
        double squares = 0.0;
        for (uint32_t place = 0; place < n; place++) {
            uint32_t list[MOST];
            for (uint32_t i = 0; i < n; i++) {
                list[i] = i == place ? 100 : i;
            }
            sc_order order = {.capacity = 0};
            CHECK_OK(sc__order_add(&order, list, n), NULL);
            sum += order.newest.sum;
            squares += order.newest.sum * order.newest.sum;
            sc__order_fini(&order);
        }
        CHECK_CLOSE(sum, 0.0, 1e-12);
        CHECK_CLOSE(squares / n, 1.0, 1e-12);
    }
}

static void test_members_alone_and_pairs_are_no_trouble(void **state)
{
    (void)state;
    sc_order order = {.capacity = 0};
    const uint32_t list[] = {7, 3};
    for (size_t i = 0; i < 1000; i++) {
        CHECK_OK(sc__order_add(&order, list, i % 3), NULL);
    }
    assert_int_equal(order.trend.count, 333);
    assert_int_equal(order.newest.count, 0);
    // Each pair the wrong way round: the sum of 333 times -1 over its deviation, sqrt(333).
    CHECK_CLOSE(sc__drift_deviations(&order.trend), -18.248287590894659, 1e-9);
    sc__order_fini(&order);
    sc__order_fini(&order);
}

static const struct CMUnitTest tests[] = {
    SC_CASES(test_a_shuffled_order_raises_no_alarm),
    SC_CASES(test_an_order_that_remembers_raises_the_alarm),
    cmocka_unit_test(test_terms_have_mean_0_and_variance_1),
    cmocka_unit_test(test_members_alone_and_pairs_are_no_trouble),
};
SC_SUITE(tests)
