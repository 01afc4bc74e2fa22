// The set of ids of one moment: held against a plain list.
#include "support/check.h"

#include "base/rng.h"
#include "engine/query_internal.h"

// Ids that meet in few places: a probe must go on past others, and round the end.
static sc_query_id crowded_id(sc_rng *rng)
{
    sc_query_id id = {{0}};
    id.bytes[0] = (uint8_t)(0xfc + sc_rng_below(rng, 4));
    id.bytes[1] = 0xff;
    id.bytes[15] = (uint8_t)sc_rng_below(rng, 64);
    return id;
}

static bool list_has(const sc_query_id *list, size_t count, const sc_query_id *id)
{
    for (size_t i = 0; i < count; i++) {
        if (memcmp(&list[i], id, sizeof *id) == 0) return true;
    }
    return false;
}

static void test_it_has_what_was_put_in_since_it_last_forgot(void **state)
{
    (void)state;
    enum { STEPS = 3000, MOST = 256 };
    sc_query_id list[MOST];
    for (uint64_t seed = 0; seed < 20; seed++) {
        check_case(seed);
        sc_rng rng;
        sc_rng_seed(&rng, seed);
        // How often it forgets: sometimes at every step or so, sometimes hardly ever.
        const uint32_t patience = 2u << sc_rng_below(&rng, 9);
        sc_recent recent = {0};
        size_t count = 0;
        for (int step = 0; step < STEPS; step++) {
            if (sc_rng_below(&rng, patience) == 0) {
                sc__recent_forget(&recent);
                count = 0;
            }
            const sc_query_id id = crowded_id(&rng);
            const bool is_known = list_has(list, count, &id);
            assert_int_equal(sc__recent_has(&recent, &id), is_known);
            if (is_known) continue;
            assert_int_equal(sc__recent_reserve(&recent), SC_OK);
            sc__recent_put(&recent, &id);
            list[count++] = id;
            assert_int_equal(recent.count, count);
        }
        sc__recent_fini(&recent);
        sc__recent_fini(&recent);
    }
    check_case_done();
}

static void test_forgetting_thousands_keeps_their_room(void **state)
{
    (void)state;
    enum { MANY = 10000 };
    sc_recent recent = {0};
    sc_rng rng;
    sc_rng_seed(&rng, 1);
    for (int round = 0; round < 3; round++) {
        const size_t room = recent.capacity;
        for (int i = 0; i < MANY; i++) {
            sc_query_id id;
            const uint64_t bits[2] = {sc_rng_next(&rng), sc_rng_next(&rng)};
            memcpy(&id, bits, sizeof id);
            assert_false(sc__recent_has(&recent, &id));
            assert_int_equal(sc__recent_reserve(&recent), SC_OK);
            sc__recent_put(&recent, &id);
            assert_true(sc__recent_has(&recent, &id));
        }
        assert_true(recent.capacity >= 2 * (size_t)MANY && recent.capacity <= 4 * (size_t)MANY);
        if (round > 0) assert_int_equal(recent.capacity, room);
        sc__recent_forget(&recent);
    }
    sc__recent_fini(&recent);
}

static const struct CMUnitTest tests[] = {
    SC_CASES(test_it_has_what_was_put_in_since_it_last_forgot),
    cmocka_unit_test(test_forgetting_thousands_keeps_their_room),
};
SC_SUITE(tests)
