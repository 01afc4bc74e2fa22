// Every allocation of an attack fails once, in turn: the adversary says so, keeps nothing, and does
// the same attack again as if nothing had been.
//
// The countdown to failure is a thread's own, so the attacks are the caller's; that other threads
// fail is tested with a cloaker that does (test_adversary.c).
#include <starcloak/attack.h>

#include "support/check.h"
#include "support/oom.h"
#include "support/streams.h"

enum { SEGMENTS = 9 };

static const sc_seg_id segments[SEGMENTS] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
static const sc_needs needs[] = {{3, 3, 4, 0}, {2, 2, 4, 0}, {3, 4, 4, 0}};
static const sc_injected own[] = {{.segment = 2, .needs = {2, 2, 4, 0}}};
static const sc_sighting sighting = {segments, SEGMENTS, needs, 3, own, 1};

/** Six placements of two. */
static const sc_sighting small = {segments, 3, needs, 2, own, 1};

static sc_adversary_options options_for(sc_variant variant)
{
    sc_adversary_options options = sc_adversary_options_default();
    options.engine.variant = variant;
    options.engine.max_combinations = sc_variant_cap(variant);
    options.samples = SC_ATTACK_BATCHES;
    options.fruitful = 0;
    options.runs = 2;
    options.threads = 1;
    return options;
}

static void test_an_adversary_that_cannot_be_made_leaves_nothing(void **state)
{
    (void)state;
    sc_map *map = stream_long_street(1);
    for (int v = 0; v < SC_VARIANT_COUNT; v++) {
        sc_adversary_options options = options_for((sc_variant)v);
        options.threads = 3;
        sc_adversary *adversary = NULL;
        unsigned long failures = 0;
        FOR_EACH_FAILURE(n)
        {
            sc_diag diag = {""};
            const sc_err err = sc_adversary_new(map, &options, NULL, &adversary, &diag);
            if (!oom_happened()) break;
            assert_int_equal(err, SC_ENOMEM);
            CHECK_CONTAINS(diag.message, "memory");
            assert_null(adversary);
            failures++;
        }
        assert_non_null(adversary);
        sc_adversary_free(adversary);
        assert_true(failures > 15);  // five for each of three threads, and some for the adversary
    }
    sc_map_free(map);
}

typedef sc_err attacker(sc_adversary *adversary, uint64_t number, const sc_sighting *seen,
                        sc_posterior *out, sc_diag *diag);

/** Let each allocation of an attack fail, each time of a new adversary; gives how many there are.
 */
static unsigned long fail_each(const sc_map *map, const sc_adversary_options *options,
                               const sc_cloaker *cloaker, const sc_sighting *seen, attacker *attack)
{
    sc_adversary *adversary = NULL;
    sc_posterior wanted;
    CHECK_OK(sc_adversary_new(map, options, cloaker, &adversary, NULL), NULL);
    CHECK_OK(attack(adversary, 1, seen, &wanted, NULL), NULL);
    sc_adversary_free(adversary);

    unsigned long failures = 0;
    bool has_failed = true;
    for (unsigned long n = 1; has_failed; n++) {
        sc_diag diag = {""};
        sc_posterior posterior;
        CHECK_OK(sc_adversary_new(map, options, cloaker, &adversary, NULL), NULL);
        sc_alloc_fail_at(n);
        sc_err err = attack(adversary, 1, seen, &posterior, &diag);
        has_failed = oom_happened();
        if (has_failed) {
            assert_int_equal(err, SC_ENOMEM);
            CHECK_CONTAINS(diag.message, "memory");
            failures++;
            err = attack(adversary, 1, seen, &posterior, &diag);
        }
        CHECK_OK(err, &diag);
        for (size_t i = 0; i < seen->segment_count; i++) {
            CHECK_SAME(posterior.links[i].linkability, wanted.links[i].linkability);
        }
        assert_int_equal(posterior.fruitful, wanted.fruitful);
        sc_posterior_fini(&posterior);
        sc_adversary_free(adversary);
    }
    sc_posterior_fini(&wanted);
    return failures;
}

static void test_an_attack_that_lacks_memory_leaves_the_adversary_as_it_was(void **state)
{
    (void)state;
    sc_map *map = stream_long_street(1);
    for (int v = 0; v < SC_VARIANT_COUNT; v++) {
        // One replay in each batch.
        sc_adversary_options options = options_for((sc_variant)v);
        options.max_placements = 0;
        const unsigned long drawn =
            fail_each(map, &options, NULL, &sighting, sc_adversary_correlate);
        print_message("# %s: %lu\n", sc_variant_name((sc_variant)v), drawn);
        assert_true(drawn > 30);
    }
    sc_map_free(map);
}

static void test_replays_and_enumerations_lack_memory_as_well(void **state)
{
    (void)state;
    sc_map *map = stream_long_street(1);
    const sc_adversary_options options = options_for(SC_VARIANT_XSTAR);
    assert_true(fail_each(map, &options, NULL, &small, sc_adversary_replay) > 15);
    assert_true(fail_each(map, &options, NULL, &small, sc_adversary_correlate) > 15);
    sc_map_free(map);
}

/** A cloaker that needs no memory, for it cloaks no query. */
static sc_err open_idle(void *context, const sc_map *map, sc_rng *rng, void **opened, sc_diag *diag)
{
    (void)context;
    (void)map;
    (void)rng;
    (void)diag;
    *opened = NULL;
    return SC_OK;
}

static sc_err replay_idle(void *opened, const sc_query *queries, size_t count,
                          sc_replayed *replayed)
{
    (void)opened;
    (void)queries;
    (void)count;
    (void)replayed;
    return SC_OK;
}

static void close_idle(void *opened)
{
    (void)opened;
}

static void test_replays_that_are_run_for_want_of_fruitful_ones_lack_memory_as_well(void **state)
{
    (void)state;
    const sc_cloaker idle = {NULL, open_idle, replay_idle, close_idle};
    sc_map *map = stream_long_street(1);
    sc_adversary_options options = options_for(SC_VARIANT_BASIC);
    options.max_placements = 0;
    const unsigned long once = fail_each(map, &options, &idle, &small, sc_adversary_correlate);
    options.fruitful = 1;
    const unsigned long thrice = fail_each(map, &options, &idle, &small, sc_adversary_correlate);
    assert_true(thrice >= once + 4);  // twice more rows and counts, at least
    sc_map_free(map);
}

static void test_threads_are_not_started_where_memory_for_them_is_missing(void **state)
{
    (void)state;
    sc_map *map = stream_long_street(1);
    sc_adversary_options options = options_for(SC_VARIANT_BASIC);
    options.max_placements = 0;
    options.threads = 3;
    unsigned long failures = 0;
    for (unsigned long n = 1; n <= 25; n++) {
        sc_adversary *adversary = NULL;
        sc_posterior posterior;
        CHECK_OK(sc_adversary_new(map, &options, NULL, &adversary, NULL), NULL);
        sc_alloc_fail_at(n);
        const sc_err err = sc_adversary_correlate(adversary, 1, &sighting, &posterior, NULL);
        // The caller may have left all work to the others, who have memory.
        if (oom_happened()) {
            assert_int_equal(err, SC_ENOMEM);
            failures++;
        } else {
            CHECK_OK(err, NULL);
            sc_posterior_fini(&posterior);
        }
        sc_adversary_free(adversary);
    }
    assert_true(failures >= 22);  // six for each thread, and some before they begin
    sc_map_free(map);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_an_adversary_that_cannot_be_made_leaves_nothing),
    cmocka_unit_test(test_an_attack_that_lacks_memory_leaves_the_adversary_as_it_was),
    cmocka_unit_test(test_replays_and_enumerations_lack_memory_as_well),
    cmocka_unit_test(test_replays_that_are_run_for_want_of_fruitful_ones_lack_memory_as_well),
    cmocka_unit_test(test_threads_are_not_started_where_memory_for_them_is_missing),
};
SC_SUITE(tests)
