// What an operator allows: the defaults make sense, and each term that does not is named.
#include "api/access_policy.h"

#include "support/check.h"
#include "support/default_policy.h"

#include <math.h>
#include <pthread.h>

static void test_the_defaults_are_those_that_are_written_down(void **state)
{
    (void)state;
    const sc_policy terms = default_policy();
    sc_diag diag = {""};
    CHECK_OK(sc_policy_check(&terms, &diag), &diag);
    assert_int_equal(terms.standard.k, 5);
    assert_int_equal(terms.standard.l, 3);
    assert_int_equal(terms.standard.max_hops, 4);
    assert_int_equal(terms.standard.max_wait_us, 10000000);
    assert_int_equal(terms.least.k, 2);
    assert_int_equal(terms.most.k, 100);
    assert_int_equal(terms.most.l, 50);
    assert_int_equal(terms.most.max_hops, 8);
    assert_int_equal(terms.most.max_wait_us, 60000000);
    assert_int_equal(terms.requests.max_k, 100);
    assert_int_equal(terms.user_pending, 1);
    assert_int_equal(terms.events, SC_ACCESS_LOCAL);
    assert_int_equal(terms.metrics, SC_ACCESS_LOCAL);
}

// One term is spoilt, and the sentence has these words.
#define CHECK_SPOILT(field, value, words)                                        \
    do {                                                                         \
        sc_policy spoilt = default_policy();                                     \
        sc_diag diag = {""};                                                     \
        spoilt.field = (value);                                                  \
        CHECK_REFUSED(sc_policy_check(&spoilt, &diag), SC_EINVAL, &diag, words); \
    } while (0)

static void test_a_term_that_makes_no_sense_is_named(void **state)
{
    (void)state;
    CHECK_SPOILT(least.k, 0, "the minimum of k is 0");
    CHECK_SPOILT(least.k, 6, "k: the minimum is 6, the default 5, the maximum 100");
    CHECK_SPOILT(most.k, 4, "k: the minimum is 2, the default 5, the maximum 4");
    CHECK_SPOILT(least.l, 0, "the minimum of l is 0");
    CHECK_SPOILT(standard.l, 20000, "l: ");
    CHECK_SPOILT(standard.max_hops, 17, "max_hops: ");
    CHECK_SPOILT(least.max_wait_us, 0, "the minimum of max_wait_s is 0");
    CHECK_SPOILT(standard.max_wait_us, sc_time_from_seconds(4000), "max_wait_s: the minimum is 1");
    CHECK_SPOILT(most.max_wait_us, sc_time_from_seconds(90000), "it must be 86400 s or less");
    CHECK_SPOILT(requests.max_k, 0, "requests.max_k is 0");
    CHECK_SPOILT(requests.max_radius_m, -1.0, "requests.max_radius_m is -1");
    CHECK_SPOILT(requests.max_radius_s, -1.0, "requests.max_radius_s is -1");
    CHECK_SPOILT(metric, SC_METRIC_COUNT, "metric: must be distance or time");
    CHECK_SPOILT(max_objects, -1.0, "max_objects is -1");
    CHECK_SPOILT(max_cost, NOT_A_NUMBER, "max_cost");
    CHECK_SPOILT(user_waiting, -1.0, "user_waiting is -1");
    CHECK_SPOILT(user_cost, -1.0, "user_cost is -1");
    CHECK_SPOILT(max_snap_m, NOT_A_NUMBER, "max_snap_m");
    CHECK_SPOILT(user_rate, -0.5, "user_rate is -0.5");
    CHECK_SPOILT(user_burst, 0.5, "user_burst is 0.5");
    CHECK_SPOILT(address_rate, HUGE_VAL, "address_rate");
    CHECK_SPOILT(address_burst, 0.0, "address_burst is 0");
    CHECK_SPOILT(user_pending, 0, "user_pending is 0");
    CHECK_SPOILT(events, (sc_access)9, "events");
    CHECK_SPOILT(metrics, (sc_access)4, "metrics");
}

static void test_bounds_may_leave_a_single_profile(void **state)
{
    (void)state;
    sc_policy terms = default_policy();
    terms.least = terms.standard;
    terms.most = terms.standard;
    sc_diag diag = {""};
    CHECK_OK(sc_policy_check(&terms, &diag), &diag);
}

// === Terms in force: a holder keeps its terms, whatever is exchanged meanwhile; the last
// frees them (the sanitizers look). Users, by token, are tested at the query route.

static sc_access_rules *terms_of(uint32_t k)
{
    sc_policy policy = default_policy();
    policy.standard.k = k;
    sc_token_keys *keys = NULL;
    sc_revoked *revoked = NULL;
    sc_diag diag = {""};
    CHECK_OK(sc_token_keys_new(&keys), NULL);
    CHECK_OK(sc_revoked_read(NULL, &revoked, &diag), &diag);
    sc_access_rules *terms = sc_access_rules_new(&policy, keys, revoked);
    assert_non_null(terms);
    return terms;
}

static void test_the_last_ones_given_are_in_force(void **state)
{
    (void)state;
    sc_credentials *credentials = NULL;
    CHECK_OK(sc_credentials_new(terms_of(3), &credentials), NULL);
    sc_access_rules *before = sc_credentials_hold(credentials);
    assert_int_equal(before->policy.standard.k, 3);
    sc_credentials_exchange(credentials, terms_of(4));
    sc_access_rules *after = sc_credentials_hold(credentials);
    assert_int_equal(after->policy.standard.k, 4);
    // Still there for the one who holds them.
    assert_int_equal(before->policy.standard.k, 3);
    sc_access_rules_release(before);
    sc_access_rules_release(after);
    sc_credentials_free(credentials);
}

static void test_terms_with_the_same_keys_know_the_same_tokens(void **state)
{
    (void)state;
    sc_diag diag = {""};
    sc_access_rules *now = terms_of(3);
    char text[SC_TOKEN_SIZE];
    CHECK_OK(sc_token_issue(now->keys, "alice", 1000, 2000, text, &diag), &diag);
    // Again and again, and each lets go of the one before.
    for (uint32_t k = 4; k < 10; k++) {
        sc_policy policy = now->policy;
        policy.standard.k = k;
        sc_access_rules *next = sc_access_rules_new(&policy, sc_token_keys_hold(now->keys), NULL);
        assert_non_null(next);
        sc_access_rules_release(now);
        now = next;
        sc_token token;
        assert_int_equal(sc_token_check(now->keys, text, &token), SC_OK);
        assert_int_equal(now->policy.standard.k, k);
    }
    sc_access_rules_release(now);
}

// --- Many at once --------------------------------------------------------------------------------

enum { READERS = 3, ROUNDS = 2000 };

static void *read_often(void *context)
{
    sc_credentials *credentials = context;
    uint32_t last = 0;
    for (int i = 0; i < ROUNDS; i++) {
        sc_access_rules *terms = sc_credentials_hold(credentials);
        const uint32_t k = terms->policy.standard.k;
        // Never torn, never back to older ones.
        if (k < last || terms->policy.least.k != 2) return context;
        last = k;
        sc_access_rules_release(terms);
    }
    return NULL;
}

static void test_terms_are_exchanged_while_others_read(void **state)
{
    (void)state;
    sc_credentials *credentials = NULL;
    CHECK_OK(sc_credentials_new(terms_of(2), &credentials), NULL);
    pthread_t readers[READERS];
    for (int i = 0; i < READERS; i++) {
        assert_int_equal(pthread_create(&readers[i], NULL, read_often, credentials), 0);
    }
    for (uint32_t k = 3; k < 300; k++) {
        sc_credentials_exchange(credentials, terms_of(k));
    }
    for (int i = 0; i < READERS; i++) {
        void *wrong = credentials;
        assert_int_equal(pthread_join(readers[i], &wrong), 0);
        assert_null(wrong);
    }
    sc_credentials_free(credentials);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_the_defaults_are_those_that_are_written_down),
    cmocka_unit_test(test_a_term_that_makes_no_sense_is_named),
    cmocka_unit_test(test_bounds_may_leave_a_single_profile),
    cmocka_unit_test(test_the_last_ones_given_are_in_force),
    cmocka_unit_test(test_terms_with_the_same_keys_know_the_same_tokens),
    cmocka_unit_test(test_terms_are_exchanged_while_others_read),
};
SC_SUITE(tests)
