// Things by id: the same as a plain list sends, whatever comes and goes, also where ids collide.
#include "ledger/id_table.h"

#include "base/rng.h"
#include "support/check.h"

enum { MOST = 40, IDS = 100, STEPS = 20000 };

typedef struct thing {
    int other;  ///< the id need not come first
    uint8_t id[16];
} thing;

/** Few different places: with 128 of them, ids that differ in higher bits share one. */
static thing thing_of(uint32_t number)
{
    thing made = {0};
    made.id[0] = (uint8_t)(number % 5 == 0 ? 126 + number % 3 : number * 7);
    made.id[1] = (uint8_t)(number / 20);
    made.id[15] = (uint8_t)number;
    return made;
}

static void test_the_table_agrees_with_a_list(void **state)
{
    (void)state;
    sc__id_table ids;
    CHECK_OK(sc__id_table_init(&ids, MOST, offsetof(thing, id)), NULL);
    thing all[IDS];
    bool is_in[IDS] = {false};
    for (uint32_t i = 0; i < IDS; i++) {
        all[i] = thing_of(i);
    }
    sc_rng rng;
    sc_rng_seed(&rng, 1);
    size_t count = 0;
    for (int step = 0; step < STEPS; step++) {
        const uint32_t i = sc_rng_below(&rng, IDS);
        if (is_in[i]) {
            sc__id_table_remove(&ids, &all[i]);
            count--;
            is_in[i] = false;
        } else if (count < MOST) {
            sc__id_table_put(&ids, &all[i]);
            count++;
            is_in[i] = true;
        }
        assert_int_equal(ids.count, count);
        const uint32_t other = sc_rng_below(&rng, IDS);
        const thing wanted = thing_of(other);
        sc__id_table_prefetch(&ids, wanted.id);
        assert_ptr_equal(sc__id_table_find(&ids, wanted.id), is_in[other] ? &all[other] : NULL);
    }

    // Going on from one to the next finds each once; taking any until there is none does so too.
    size_t from = 0;
    size_t seen = 0;
    for (; sc__id_table_any(&ids, &from); from++) {
        seen++;
    }
    assert_int_equal(seen, count);
    from = 0;
    size_t found = 0;
    for (thing *one; (one = sc__id_table_any(&ids, &from)); found++) {
        sc__id_table_remove(&ids, one);
    }
    assert_int_equal(found, count);
    assert_int_equal(ids.count, 0);
    sc__id_table_fini(&ids);
    sc__id_table_fini(&ids);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_the_table_agrees_with_a_list),
};
SC_SUITE(tests)
