// The deadline queue against a plain list: always the earliest first, and each owner has the place
// of its deadline.
#include "base/deadlines.h"

#include "base/rng.h"
#include "support/check.h"

enum { OWNERS = 60, STEPS = 30000 };

typedef struct owner {
    int64_t t;
    size_t place;
} owner;

static int64_t earliest(const owner *owners)
{
    int64_t least = INT64_MAX;
    for (size_t i = 0; i < OWNERS; i++) {
        if (owners[i].place != SC_NO_DEADLINE && owners[i].t < least) least = owners[i].t;
    }
    return least;
}

static void test_the_earliest_is_always_on_top(void **state)
{
    (void)state;
    sc_deadlines queue;
    CHECK_OK(sc_deadlines_init(&queue, OWNERS), NULL);
    owner owners[OWNERS];
    for (size_t i = 0; i < OWNERS; i++) {
        owners[i].place = SC_NO_DEADLINE;
    }
    sc_rng rng;
    sc_rng_seed(&rng, 2);
    for (int step = 0; step < STEPS; step++) {
        owner *o = &owners[sc_rng_below(&rng, OWNERS)];
        if (o->place != SC_NO_DEADLINE) {
            sc_deadlines_cancel(&queue, &o->place);
            assert_int_equal(o->place, SC_NO_DEADLINE);
        } else {
            o->t = sc_rng_below(&rng, 50);
            sc_deadlines_add(&queue, o->t, o, &o->place);
        }
        const int64_t next = earliest(owners);
        assert_int_equal(sc_deadlines_next(&queue), next);
        assert_null(sc_deadlines_due(&queue, next - 1));
        const owner *due = sc_deadlines_due(&queue, next);
        if (next == INT64_MAX) {
            assert_null(due);
        } else {
            assert_int_equal(due->t, next);
        }
        for (size_t i = 0; i < OWNERS; i++) {
            if (owners[i].place == SC_NO_DEADLINE) continue;
            assert_ptr_equal(queue.entries[owners[i].place].owner, &owners[i]);
        }
    }
    sc_deadlines_fini(&queue);
    sc_deadlines_fini(&queue);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_the_earliest_is_always_on_top),
};
SC_SUITE(tests)
