// Who pending, held against a plain list.
#include "sim/counts.h"

#include "base/rng.h"
#include "support/check.h"

enum { ID_COUNT = 400 };

/** An id with few bits, so that many want the same place, the last place among them. */
static sc_query_id crowded_id(uint32_t number)
{
    sc_query_id id;
    memset(id.bytes, number % 2 == 0 ? 0xff : 0x00, sizeof id.bytes);
    id.bytes[0] = (uint8_t)(id.bytes[0] ^ (number % 3));
    memcpy(id.bytes + 12, &number, sizeof number);
    return id;
}

static void test_pending_queries_agree_with_a_plain_list(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 20; seed++) {
        check_case(seed);
        sc_rng rng;
        sc_rng_seed(&rng, seed);
        sc_pending_queries pending = {0};
        sc_time since[ID_COUNT] = {0};  // 0: not there
        size_t count = 0;
        for (sc_time step = 1; step < 4000; step++) {
            const uint32_t number = sc_rng_below(&rng, ID_COUNT);
            const sc_query_id id = crowded_id(number);
            sc_pending_query wait = {.since = -1, .traveller = 0};
            if (since[number] == 0 && sc_rng_below(&rng, 3) > 0) {
                CHECK_OK(sc_pending_queries_put(&pending, &id, (sc_pending_query){step, number}),
                         NULL);
                since[number] = step;
                count++;
            } else if (since[number] == 0) {
                assert_false(sc_pending_queries_take(&pending, &id, &wait));
                assert_int_equal(wait.since, -1);
            } else {
                assert_true(sc_pending_queries_take(&pending, &id, &wait));
                assert_int_equal(wait.since, since[number]);
                assert_int_equal(wait.traveller, number);
                since[number] = 0;
                count--;
            }
            assert_int_equal(pending.count, count);
        }
        sc_pending_queries_fini(&pending);
        sc_pending_queries_fini(&pending);
    }
    check_case_done();
}

static const struct CMUnitTest tests[] = {
    SC_CASES(test_pending_queries_agree_with_a_plain_list),
};
SC_SUITE(tests)
