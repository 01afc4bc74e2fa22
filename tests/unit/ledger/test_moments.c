// The heap of moments: always the earliest first, and whoever is in it knows where.
#include "ledger/moments.h"

#include "base/rng.h"
#include "support/check.h"

enum { OWNERS = 60, STEPS = 30000 };

typedef struct owner {
    sc_time t;
    size_t place;
} owner;

static sc_time earliest(const owner *owners)
{
    sc_time least = SC_TIME_NEVER;
    for (size_t i = 0; i < OWNERS; i++) {
        if (owners[i].place != SC__NO_MOMENT && owners[i].t < least) least = owners[i].t;
    }
    return least;
}

static void test_the_earliest_is_always_on_top(void **state)
{
    (void)state;
    sc__moments moments;
    CHECK_OK(sc__moments_init(&moments, OWNERS), NULL);
    owner owners[OWNERS];
    for (size_t i = 0; i < OWNERS; i++) {
        owners[i].place = SC__NO_MOMENT;
    }
    sc_rng rng;
    sc_rng_seed(&rng, 2);
    for (int step = 0; step < STEPS; step++) {
        owner *o = &owners[sc_rng_below(&rng, OWNERS)];
        if (o->place != SC__NO_MOMENT) {
            sc__moments_remove(&moments, o->place);
            assert_int_equal(o->place, SC__NO_MOMENT);
        } else {
            o->t = sc_rng_below(&rng, 50);
            sc__moments_push(&moments, o->t, o, &o->place);
        }
        const sc_time next = earliest(owners);
        assert_int_equal(sc__moments_next(&moments), next);
        assert_null(sc__moments_due(&moments, next - 1));
        const owner *due = sc__moments_due(&moments, next);
        if (next == SC_TIME_NEVER) {
            assert_null(due);
        } else {
            assert_int_equal(due->t, next);
        }
        for (size_t i = 0; i < OWNERS; i++) {
            if (owners[i].place == SC__NO_MOMENT) continue;
            assert_ptr_equal(moments.heap[owners[i].place].whose, &owners[i]);
        }
    }
    sc__moments_fini(&moments);
    sc__moments_fini(&moments);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_the_earliest_is_always_on_top),
};
SC_SUITE(tests)
