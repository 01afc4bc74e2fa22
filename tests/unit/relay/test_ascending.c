// Numbers that ascend.
#include "relay/relay_codec_internal.h"

#include "support/check.h"

static void test_numbers_ascend_each_once(void **state)
{
    (void)state;
    uint32_t numbers[] = {7, 3, UINT32_MAX, 3, 0, 7, 7};
    const uint32_t wanted[] = {0, 3, 7, UINT32_MAX};
    assert_int_equal(sc__sort_unique(numbers, 7), 4);
    assert_memory_equal(numbers, wanted, sizeof wanted);
    assert_int_equal(sc__sort_unique(numbers, 0), 0);
    assert_int_equal(sc__place_of(wanted, 4, 0), 0);
    assert_int_equal(sc__place_of(wanted, 4, 7), 2);
    assert_int_equal(sc__place_of(wanted, 4, UINT32_MAX), 3);
    assert_int_equal(sc__place_of(wanted, 4, 4), 2);
    assert_int_equal(sc__place_of(wanted, 3, 8), 3);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_numbers_ascend_each_once),
};
SC_SUITE(tests)
