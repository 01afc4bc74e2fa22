// Every allocation of a population of travellers fails once, in turn; asking needs none.
#include "support/check.h"
#include "support/oom.h"
#include "support/place.h"
#include "support/sketch.h"

#include "sim/workload.h"

static void test_travellers_without_memory_are_told(void **state)
{
    (void)state;
    sc_map *map = full_map(SC_COORDS_GEOGRAPHIC);
    const sc_workload workload = sc_workload_default();
    unsigned long failures = 0;
    FOR_EACH_FAILURE(n)
    {
        sc_travellers *travellers = NULL;
        sc_diag diag = {""};
        const sc_err err = sc_travellers_new(map, &workload, 100, 1, &travellers, &diag);
        if (!oom_happened()) {
            CHECK_OK(err, &diag);
            sc_travellers_free(travellers);
            break;
        }
        CHECK_REFUSED(err, SC_ENOMEM, &diag, "out of memory while making travellers");
        assert_null(travellers);
        failures++;
    }
    // The population, its travellers, their turns, the nodes and the ends of edges.
    assert_int_equal(failures, 5);
    sc_map_free(map);
}

static void test_asking_needs_no_memory(void **state)
{
    (void)state;
    sc_map *map = full_map(SC_COORDS_GEOGRAPHIC);
    const sc_workload workload = sc_workload_default();
    sc_travellers *travellers = NULL;
    CHECK_OK(sc_travellers_new(map, &workload, 100, 1, &travellers, NULL), NULL);
    sc_alloc_fail_at(1);
    for (int i = 0; i < 1000; i++) {
        sc_spoken said;
        const uint32_t who = sc_travellers_ask(travellers, &said);
        sc_travellers_resume(travellers, who, said.ask.t);
    }
    assert_false(oom_happened());
    sc_travellers_free(travellers);
    sc_map_free(map);
}

static void test_a_stream_without_memory_leaves_the_old_file(void **state)
{
    (void)state;
    place p = place_new();
    sc_map *map = full_map(SC_COORDS_GEOGRAPHIC);
    const char *path = place_write_text(&p, "queries.jsonl", "old");
    const sc_queries_options options = {
        .workload = sc_workload_default(), .count = 10, .seconds = 10};
    unsigned long failures = 0;
    FOR_EACH_FAILURE(n)
    {
        uint64_t written = 0;
        sc_diag diag = {""};
        const sc_err err = sc_queries_write(map, &options, path, &written, &diag);
        if (!oom_happened()) {
            CHECK_OK(err, &diag);
            assert_true(written > 0);
            break;
        }
        CHECK_REFUSED(err, SC_ENOMEM, &diag, "memory");
        size_t size = 0;
        char *text = read_whole(path, &size);
        assert_string_equal(text, "old");
        assert_int_equal(count_entries(p.path), 1);
        free(text);
        failures++;
    }
    assert_int_equal(failures, 7);
    sc_map_free(map);
    place_free(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_travellers_without_memory_are_told),
        cmocka_unit_test(test_asking_needs_no_memory),
        cmocka_unit_test(test_a_stream_without_memory_leaves_the_old_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
