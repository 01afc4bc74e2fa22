// Charges: an estimate when a query comes, the rest when its cloak turned out larger; the longest
// wait when it comes, and back what it did not wait.
#include "api/query_charges.h"

#include "support/check.h"
#include "support/default_policy.h"
#include "support/sketch.h"

#include <math.h>

#define SECOND INT64_C(1000000)
#define NOW (5000 * SECOND)

typedef struct scene {
    sketch drawing;
    sc_map *map;
    sc_cost_estimator *costs;
    sc_query_charges *charges;
    sc_policy policy;
    sc_profile profile;
    sc_request request;
    sc_query_charge charge;  ///< of the last query
    sc_problem problem;
} scene;

static void scene_open(scene *s)
{
    *s = (scene){.drawing = sketch_grid(SC_COORDS_PLANAR, 20, 20),
                 .policy = default_policy(),
                 .request = {.type = SC_REQUEST_RANGE, .radius_m = 20000}};
    s->map = sketch_map(&s->drawing);
    CHECK_OK(sc_cost_estimator_new(s->map, NULL, &s->costs), NULL);
    CHECK_OK(sc_query_charges_new(64, &s->charges), NULL);
    s->profile = s->policy.standard;
}

static void scene_close(scene *s)
{
    sc_query_charges_free(s->charges);
    sc_query_charges_free(NULL);
    sc_cost_estimator_free(s->costs);
    sc_map_free(s->map);
    sketch_free(&s->drawing);
}

static bool take(scene *s, uint64_t user, int64_t now_us)
{
    const sc_query_expense expense = {
        .costs = s->costs, .segment = 7, .profile = &s->profile, .request = &s->request};
    return sc_query_charges_take(s->charges, &s->policy, user, &expense, now_us, &s->charge,
                                 &s->problem);
}

/** The last query of `user` waited so long, and its cloak cost that much. */
static void settle(scene *s, uint64_t user, double waited_s, double cost, int64_t now_us)
{
    const sc_ticket ticket = {.outcome = SC_OUTCOME_ANSWERED,
                              .asked = now_us - (int64_t)(waited_s * 1e6),
                              .published = now_us,
                              .settled = now_us + SECOND,
                              .cost = cost};
    sc_query_charges_settle(s->charges, &s->policy, user, &s->charge, &ticket, now_us);
}

// --- Work ----------------------------------------------------------------------------------------

static void test_a_cloak_that_is_larger_than_expected_is_charged_later(void **state)
{
    (void)state;
    scene s;
    scene_open(&s);
    s.policy.user_waiting = 0;
    assert_true(take(&s, 1, NOW));
    const double estimate = s.charge.cost;
    assert_true(estimate > 100);
    // Three estimates are in the bucket, or one and a cloak of two.
    s.policy.user_cost = 3.01 * estimate / 60;
    for (uint64_t user = 2; user <= 3; user++) {
        assert_true(take(&s, user, NOW));
        settle(&s, user, 1, user == 2 ? 0.5 * estimate : 2.5 * estimate, NOW);
        assert_int_equal(take(&s, user, NOW), user == 2);
    }
    assert_int_equal(s.problem.kind, SC_PROBLEM_COST);
    assert_true(s.problem.retry_after_s > 0);
    assert_true(take(&s, 3, NOW + s.problem.retry_after_s * SECOND));
    scene_close(&s);
}

static void test_what_was_not_taken_is_given_back(void **state)
{
    (void)state;
    scene s;
    scene_open(&s);
    assert_true(take(&s, 1, NOW));
    s.policy.user_cost = s.charge.cost / 60;
    s.policy.user_waiting = 1e-9;
    for (int i = 0; i < 100; i++) {
        assert_true(take(&s, 2, NOW));
        sc_query_charges_refund(s.charges, &s.policy, 2, &s.charge, NOW);
    }
    assert_true(take(&s, 2, NOW));
    assert_false(take(&s, 2, NOW));
    scene_close(&s);
}

static void test_too_much_for_any_user_is_refused_with_a_word(void **state)
{
    (void)state;
    scene s;
    scene_open(&s);
    s.policy.max_objects = 50;
    assert_false(take(&s, 1, NOW));
    assert_int_equal(s.problem.kind, SC_PROBLEM_COSTLY);
    assert_string_equal(s.problem.field, "/request/radius_m");
    CHECK_CONTAINS(s.problem.detail, "about 99 objects are in that range; ask for a range with at "
                                     "most 50");
    s.policy.max_objects = 0;
    s.policy.max_cost = 500;
    assert_false(take(&s, 1, NOW));
    assert_string_equal(s.problem.field, "/request");
    CHECK_CONTAINS(s.problem.detail, "at most 500 are allowed");
    // More segments cost more.
    s.policy.max_cost = 10000;
    assert_true(take(&s, 1, NOW));
    s.profile.l = 500;
    assert_false(take(&s, 1, NOW));
    s.policy.max_cost = 0;
    assert_true(take(&s, 1, NOW));
    scene_close(&s);
}

// --- Waiting -------------------------------------------------------------------------------------

/** How many queries in a row wait for their whole time, up to a thousand. */
static unsigned in_a_row(scene *s, uint64_t user)
{
    int64_t now_us = NOW;
    unsigned count = 0;
    while (count < 1000 && take(s, user, now_us)) {
        now_us += s->profile.max_wait_us;
        settle(s, user, (double)s->profile.max_wait_us * 1e-6, 0, now_us);
        count++;
    }
    return count;
}

static void test_those_with_the_default_k_may_always_wait(void **state)
{
    (void)state;
    scene s;
    scene_open(&s);
    s.policy.user_cost = 0;
    assert_int_equal(in_a_row(&s, 1), 1000);
    s.profile.max_wait_us = s.policy.most.max_wait_us;
    assert_int_equal(in_a_row(&s, 2), 1000);
    scene_close(&s);
}

static void test_a_large_k_has_its_share_of_waiting(void **state)
{
    (void)state;
    scene s;
    scene_open(&s);
    s.policy.user_cost = 0;
    s.profile = s.policy.most;  // k = 100 for a minute: twenty minutes of the default k
    assert_int_equal(in_a_row(&s, 1), 1);
    assert_int_equal(s.problem.kind, SC_PROBLEM_WAITING);
    assert_in_range(s.problem.retry_after_s, 200, 300);
    // One that found company at once pays for what it waited.
    for (int i = 0; i < 20; i++) {
        s.profile.k = 50;
        assert_true(take(&s, 2, NOW + i * SECOND));
        settle(&s, 2, 0.1, 0, NOW + i * SECOND);
    }
    scene_close(&s);
}

static void test_pending_queries_are_counted_by_k(void **state)
{
    (void)state;
    static const uint32_t sizes[SC_PENDING_SIZES] = {5, 6, 20, 50, 51, 101};
    scene s;
    scene_open(&s);
    s.policy.user_waiting = 0;
    sc_query_charge charges[SC_PENDING_SIZES];
    for (unsigned i = 0; i < SC_PENDING_SIZES; i++) {
        s.profile.k = sizes[i];
        assert_true(take(&s, i, NOW));
        charges[i] = s.charge;
        assert_int_equal(sc_query_charges_pending(s.charges, i), 1);
    }
    for (unsigned i = 0; i < SC_PENDING_SIZES; i++) {
        s.charge = charges[i];
        settle(&s, i, 1, 0, NOW);
        assert_int_equal(sc_query_charges_pending(s.charges, i), 0);
    }
    // One that was refused was never pending.
    s.policy.max_cost = 1;
    assert_false(take(&s, 1, NOW));
    sc_query_charges_refund(s.charges, &s.policy, 1, &s.charge, NOW);
    for (unsigned i = 0; i < SC_PENDING_SIZES; i++) {
        assert_int_equal(sc_query_charges_pending(s.charges, i), 0);
    }
    assert_string_equal(sc_pending_size_name(0), "1-5");
    assert_string_equal(sc_pending_size_name(SC_PENDING_LARGE), "21-50");
    sc_query_charges_forget(s.charges, NOW);
    scene_close(&s);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_cloak_that_is_larger_than_expected_is_charged_later),
    cmocka_unit_test(test_what_was_not_taken_is_given_back),
    cmocka_unit_test(test_too_much_for_any_user_is_refused_with_a_word),
    cmocka_unit_test(test_those_with_the_default_k_may_always_wait),
    cmocka_unit_test(test_a_large_k_has_its_share_of_waiting),
    cmocka_unit_test(test_pending_queries_are_counted_by_k),
};
SC_SUITE(tests)
