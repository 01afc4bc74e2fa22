// What tells searches apart: each setting that the engine uses, named, and no other.
#include "cluster/search_digest.h"

#include "support/check.h"

static const char *difference(const sc_engine_options *a, const sc_engine_options *b)
{
    const sc_search_digest x = sc_search_digest_of(a);
    const sc_search_digest y = sc_search_digest_of(b);
    return sc_search_digest_difference(&x, &y);
}

/** What is named if one setting of an engine is another: the setting, or NULL if it has no use. */
static void check_named(sc_variant variant, const char *setting, bool is_used)
{
    sc_engine_options one = sc_engine_options_default();
    one.variant = variant;
    sc_engine_options other = one;
    if (strcmp(setting, "strict") == 0) other.is_strict = true;
    if (strcmp(setting, "lambda") == 0) other.compactness++;
    if (strcmp(setting, "alpha") == 0) other.consideration_us++;
    if (strcmp(setting, "crowd") == 0) other.crowd++;
    if (strcmp(setting, "k-spread") == 0) other.k_spread = 2;
    if (strcmp(setting, "cap") == 0) other.max_combinations++;
    assert_null(difference(&one, &one));
    if (is_used) {
        assert_string_equal(difference(&one, &other), setting);
    } else {
        assert_null(difference(&one, &other));
    }
}

static void test_each_setting_that_an_engine_uses_is_named_and_no_other(void **state)
{
    (void)state;
    static const struct {
        sc_variant variant;
        bool strict, lambda, alpha, crowd, k_spread, cap;
    } rows[] = {
        {.variant = SC_VARIANT_BASIC, .k_spread = true, .cap = true},
        {SC_VARIANT_BOUNDED, .strict = true, .lambda = true, .k_spread = true, .cap = true},
        {SC_VARIANT_HYBRID, .strict = true, .lambda = true, .alpha = true, .k_spread = true,
         .cap = true},
        {SC_VARIANT_PATIENT, .alpha = true, .crowd = true, .k_spread = true, .cap = true},
        {.variant = SC_VARIANT_XSTAR, .k_spread = true},
        {.variant = SC_VARIANT_SAMPLING, .cap = true},
        {.variant = SC_VARIANT_EXPANSION, .cap = true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        check_named(rows[i].variant, "strict", rows[i].strict);
        check_named(rows[i].variant, "lambda", rows[i].lambda);
        check_named(rows[i].variant, "alpha", rows[i].alpha);
        check_named(rows[i].variant, "crowd", rows[i].crowd);
        check_named(rows[i].variant, "k-spread", rows[i].k_spread);
        check_named(rows[i].variant, "cap", rows[i].cap);
    }
}

static void test_another_engine_is_named_first_and_one_that_does_not_tell_is_like_all(void **state)
{
    (void)state;
    sc_engine_options basic = sc_engine_options_default();
    sc_engine_options patient = basic;
    patient.variant = SC_VARIANT_PATIENT;
    patient.k_spread = 2;
    assert_string_equal(difference(&basic, &patient), "engine");
    const sc_search_digest known = sc_search_digest_of(&basic);
    const sc_search_digest unknown = {0};
    assert_null(sc_search_digest_difference(&known, &unknown));
    assert_null(sc_search_digest_difference(&unknown, &known));
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_each_setting_that_an_engine_uses_is_named_and_no_other),
    cmocka_unit_test(test_another_engine_is_named_first_and_one_that_does_not_tell_is_like_all),
};
SC_SUITE(tests)
