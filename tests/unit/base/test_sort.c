// src/base/sort.c: an order by keys.
#include "support/check.h"

#include "base/rng.h"
#include "base/sort.h"

static void test_sorting_gives_ascending_keys_and_keeps_the_order_of_equals(void **state)
{
    (void)state;
    sc_rng rng;
    sc_rng_seed(&rng, 11);
    for (uint64_t round = 0; round < 300; round++) {
        check_case(round);
        const uint32_t count = sc_rng_below(&rng, 2000);
        const uint32_t mask = sc_rng_below(&rng, 2) ? UINT32_MAX : 0x700700f;
        uint32_t *keys = test_take(count, sizeof *keys);
        uint32_t *order = test_take(count, sizeof *order);
        bool *seen = test_take(count, sizeof *seen);
        for (uint32_t i = 0; i < count; i++) {
            keys[i] = (uint32_t)sc_rng_next(&rng) & mask;
        }
        CHECK_OK(sc_sort_order(keys, count, order), NULL);
        for (uint32_t i = 0; i < count; i++) {
            assert_true(order[i] < count && !seen[order[i]]);
            seen[order[i]] = true;
            if (i == 0) continue;
            const uint32_t before = keys[order[i - 1]];
            const uint32_t here = keys[order[i]];
            assert_true(before < here || (before == here && order[i - 1] < order[i]));
        }
        free(keys);
        free(order);
        free(seen);
    }
    check_case_done();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SC_CASES(test_sorting_gives_ascending_keys_and_keeps_the_order_of_equals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
