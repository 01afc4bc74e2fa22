// Making a city while memory runs out: every allocation fails once, in turn.
// Nothing may leak (the sanitizer watches), and the error must say so.
#include <starcloak/map_generate.h>

#include "support/check.h"
#include "support/oom.h"

static void check_all_failures(double one_way_share)
{
    const sc_city_options options = {.node_count = 150, .seed = 3, .one_way_share = one_way_share};
    unsigned long failures = 0;
    FOR_EACH_FAILURE(n)
    {
        sc_map *map = NULL;
        sc_diag diag = {""};
        const sc_err err = sc_map_generate_city(&options, &map, &diag);
        if (!oom_happened()) {
            CHECK_OK(err, &diag);
            assert_int_equal(sc_map_node_count(map), options.node_count);
            sc_map_free(map);
            break;
        }
        assert_int_equal(err, SC_ENOMEM);
        assert_null(map);
        CHECK_CONTAINS(diag.message, "memory");
        failures++;
    }
    // The layout alone asks a dozen times.
    assert_true(failures > 12);
}

static void test_a_city_survives_the_failure_of_every_allocation(void **state)
{
    (void)state;
    check_all_failures(0);
    check_all_failures(0.4);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_city_survives_the_failure_of_every_allocation),
};
SC_SUITE(tests)
