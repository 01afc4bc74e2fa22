// Timers: the first one is the earliest, whoever came and left in between.
#include "courier/timers.h"

#include "base/rng.h"
#include "support/check.h"

enum { MOST = 64 };

/** All timers, and whether they are set: looking at each of them is the slow way. */
typedef struct clockwork {
    sc__timers timers;
    sc__timed all[MOST];
    bool is_set[MOST];
} clockwork;

static void check_first(const clockwork *c)
{
    int64_t earliest = INT64_MAX;
    size_t count = 0;
    for (size_t i = 0; i < MOST; i++) {
        if (!c->is_set[i]) continue;
        count++;
        if (c->all[i].at_us < earliest) earliest = c->all[i].at_us;
    }
    assert_int_equal(c->timers.count, count);
    const sc__timed *first = sc__timers_first(&c->timers);
    if (count == 0) {
        assert_null(first);
    } else {
        assert_int_equal(first->at_us, earliest);
        assert_true(c->is_set[first - c->all]);
    }
}

static void test_the_first_is_always_the_earliest(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 20; seed++) {
        check_case(seed);
        sc_rng rng;
        sc_rng_seed(&rng, seed);
        clockwork c = {.timers = {.heap = NULL}};
        CHECK_OK(sc__timers_init(&c.timers, MOST), NULL);
        check_first(&c);
        for (int i = 0; i < 1000; i++) {
            const uint32_t which = sc_rng_below(&rng, MOST);
            if (c.is_set[which]) {
                sc__timers_remove(&c.timers, &c.all[which]);
            } else {
                // Few different times, so that many are the same.
                sc__timers_add(&c.timers, &c.all[which], sc_rng_below(&rng, 20));
            }
            c.is_set[which] = !c.is_set[which];
            check_first(&c);
        }
        sc__timers_fini(&c.timers);
        sc__timers_fini(&c.timers);
    }
    check_case_done();
}

static const struct CMUnitTest tests[] = {SC_CASES(test_the_first_is_always_the_earliest)};
SC_SUITE(tests)
