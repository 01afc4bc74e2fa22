// Terms in force: whoever holds some keeps them, whatever is exchanged meanwhile; the last frees
// them (the sanitizers look). Who asks, by a token, is tested at the door.
#include "api/access_policy.h"

#include "support/check.h"
#include "support/default_policy.h"

#include <pthread.h>

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
    cmocka_unit_test(test_the_last_ones_given_are_in_force),
    cmocka_unit_test(test_terms_with_the_same_keys_know_the_same_tokens),
    cmocka_unit_test(test_terms_are_exchanged_while_others_read),
};
SC_SUITE(tests)
