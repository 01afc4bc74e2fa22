// Admitting while memory runs out: every allocation fails once, in turn. What fails
// changes nothing, nothing leaks (the sanitizer watches), and the error says so.
#include "support/check.h"
#include "support/oom.h"
#include "support/sketch.h"

#include <starcloak/admit.h>
#include <starcloak/rng.h>

static const uint8_t any_key[SC_KEY_SIZE] = {1};

static sc_err admit_user(sc_admission *admission, uint32_t user, sc_time t, sc_diag *diag)
{
    const sc_ask ask = {.user = (const char *)&user,
                        .user_size = sizeof user,
                        .t = t,
                        .is_on_edge = true,
                        .profile = {.k = 1, .l = 1, .max_wait_us = 1}};
    sc_query query;
    return sc_admission_admit(admission, &ask, &query, NULL, diag);
}

// Admit users 0, 1, ... at `t` until `count` are in or one is not; *done counts them.
static sc_err admit_users(sc_admission *admission, uint32_t count, sc_time t, uint32_t *done,
                          sc_diag *diag)
{
    for (; *done < count; ++*done) {
        const sc_err err = admit_user(admission, *done, t, diag);
        if (err) return err;
    }
    return SC_OK;
}

static void test_admission_survives_the_failure_of_every_allocation(void **state)
{
    (void)state;
    // The first time fills what is remembered to the brim, so that the next one
    // needs more room as it begins; then it has to grow a few times.
    enum { FIRST = 8, SECOND = 100 };
    sketch s = sketch_named("street of three");
    sc_map *map = sketch_map(&s);
    const sc_limits limits = sc_limits_default();
    unsigned long failures = 0;
    FOR_EACH_FAILURE(n)
    {
        sc_admission *admission = NULL;
        sc_diag diag = {""};
        uint32_t first = 0;
        uint32_t second = 0;
        sc_err err = sc_admission_new(map, &limits, any_key, &admission, &diag);
        if (!err) err = admit_users(admission, FIRST, 1, &first, &diag);
        if (!err) err = admit_users(admission, SECOND, 2, &second, &diag);
        if (!oom_happened()) {
            CHECK_OK(err, &diag);
            sc_admission_free(admission);
            break;
        }
        assert_int_equal(err, SC_ENOMEM);
        CHECK_CONTAINS(diag.message, "memory");
        failures++;
        if (!admission) continue;

        // With memory again: a query that was admitted is known, the next one is not.
        const sc_time t = second > 0 ? 2 : 1;
        const uint32_t known = second > 0 ? second : first;
        for (uint32_t user = 0; user < known; user++) {
            assert_int_equal(admit_user(admission, user, t, NULL), SC_EDUPLICATE);
        }
        assert_int_equal(admit_user(admission, known, t, NULL), SC_OK);
        assert_int_equal(admit_user(admission, known, t, NULL), SC_EDUPLICATE);
        sc_admission_free(admission);
    }
    // The admission itself, its first table, and four doublings.
    assert_int_equal(failures, 6);
    sc_map_free(map);
    sketch_free(&s);
}

static void test_time_that_moves_on_takes_no_more_memory(void **state)
{
    (void)state;
    sketch s = sketch_named("street of three");
    sc_map *map = sketch_map(&s);
    const sc_limits limits = sc_limits_default();
    sc_admission *admission = NULL;
    assert_int_equal(sc_admission_new(map, &limits, any_key, &admission, NULL), SC_OK);
    assert_int_equal(admit_user(admission, 0, 0, NULL), SC_OK);
    oom_arm(1);
    for (sc_time t = 1; t < 1000; t++) {
        assert_int_equal(admit_user(admission, 0, t, NULL), SC_OK);
    }
    assert_false(oom_happened());
    sc_admission_free(admission);
    sc_map_free(map);
    sketch_free(&s);
}

static void test_sources_of_randomness_survive_the_failure_of_every_allocation(void **state)
{
    (void)state;
    unsigned long failures = 0;
    FOR_EACH_FAILURE(n)
    {
        sc_rng *sources[4] = {NULL, NULL, NULL, NULL};
        sc_err err = sc_rng_new_seeded(1, &sources[0]);
        if (!err) err = sc_rng_fork(sources[0], &sources[1]);
        if (!err) err = sc_rng_new_secure(&sources[2]);
        if (!err) err = sc_rng_fork(sources[2], &sources[3]);
        const bool has_failed = oom_happened();
        for (int i = 0; i < 4; i++) {
            sc_rng_free(sources[i]);
        }
        assert_int_equal(err, has_failed ? SC_ENOMEM : SC_OK);
        if (!has_failed) break;
        failures++;
    }
    assert_true(failures >= 4);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_admission_survives_the_failure_of_every_allocation),
    cmocka_unit_test(test_time_that_moves_on_takes_no_more_memory),
    cmocka_unit_test(test_sources_of_randomness_survive_the_failure_of_every_allocation),
};
SC_SUITE(tests)
