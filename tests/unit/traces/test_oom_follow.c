// Every allocation of travellers who follow traces fails once, in turn; asking them needs none.
#include "support/oom.h"
#include "unit/traces/follow_town.h"

// Folded, and some of many: so that everything that may be made is.
static void test_followers_without_memory_are_told(void **state)
{
    (void)state;
    town t = grid_town();
    sc_rng rng;
    sc_rng_seed(&rng, 1);
    char *lines = random_lines(&rng);
    sc_traces *traces = traces_of(lines);
    for (uint32_t max_count = 0; max_count <= 50; max_count += 50) {
        sc_follow_options options = random_options();
        options.fold_s = 60;
        options.max_count = max_count;
        unsigned long failures = 0;
        FOR_EACH_FAILURE(n)
        {
            sc_movement *m = NULL;
            sc_diag diag = {""};
            sc_follow_summary summary = {.fix_count = 7};
            const sc_err err = sc_follow_new(&(sc_follow_input){t.map, t.routes, traces}, &options,
                                             NULL, &m, &summary, &diag);
            if (!oom_happened()) {
                CHECK_OK(err, &diag);
                sc_movement_free(m);
                break;
            }
            CHECK_REFUSED(err, SC_ENOMEM, &diag, "out of memory while following traces");
            assert_null(m);
            assert_int_equal(summary.fix_count, 7);
            failures++;
        }
        // Tables of fixes, episodes, stops, legs, followers and names, most of which grow; with a
        // choice also the order of drawing and what puts followers in order.
        assert_true(failures > (max_count == 0 ? 20 : 30));
    }
    sc_traces_free(traces);
    free(lines);
    town_free(&t);
}

static void test_asking_needs_no_memory(void **state)
{
    (void)state;
    town t = grid_town();
    sc_rng rng;
    sc_rng_seed(&rng, 2);
    char *lines = random_lines(&rng);
    const sc_follow_options options = random_options();
    sc_follow_summary summary;
    sc_movement *m = follow(&t, lines, &options, &summary);
    sc_alloc_fail_at(1);
    for (uint32_t who = 0; who < m->count; who++) {
        for (sc_time now = 0; now < sc_time_from_seconds(summary.seconds);
             now += sc_time_from_seconds(1)) {
            look(m, who, now);
        }
    }
    assert_false(oom_happened());
    sc_movement_free(m);
    free(lines);
    town_free(&t);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_followers_without_memory_are_told),
    cmocka_unit_test(test_asking_needs_no_memory),
};
SC_SUITE(tests)
