// How long a reply may be used, by what its head says.
#include "support/check.h"

#include "net/http_freshness.h"

static void test_a_head_says_how_long_a_reply_may_be_used(void **state)
{
    (void)state;
    static const struct {
        const char *control;
        const char *age;
        double fresh_s;
        double stale_s;
        bool is_stored;
    } cases[] = {
        {"", "", HUGE_VAL, HUGE_VAL, true},
        {"", "50", HUGE_VAL, HUGE_VAL, true},
        {"max-age=60", "", 60, 0, true},
        {"max-age=60", "20", 40, 0, true},
        {"max-age=60", "90", -30, 0, true},
        {"max-age=60", "-5", 60, 0, true},
        {"max-age=60", "soon", 60, 0, true},
        {"Max-Age=\"60\", stale-while-revalidate=30", "10", 50, 30, true},
        {"public, max-age=60, must-revalidate, stale-while-revalidate=30", "", 60, 0, true},
        {"no-cache", "", 0, 0, true},
        {"max-age=10, no-cache", "40", -30, 0, true},
        {"private, no-store", "", HUGE_VAL, 0, false},
        {"x-max-age=5", "", HUGE_VAL, 0, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sc_http_freshness got = SC_HTTP_FRESHNESS_ANY;
        sc_http_freshness_take(&got, cases[i].control, cases[i].age);
        assert_true(got.fresh_s == cases[i].fresh_s);
        assert_true(got.stale_s == cases[i].stale_s);
        assert_true(got.is_stored == cases[i].is_stored);
    }
}

static void test_of_several_replies_the_least_counts(void **state)
{
    (void)state;
    sc_http_freshness got = SC_HTTP_FRESHNESS_ANY;
    sc_http_freshness_take(&got, "max-age=60, stale-while-revalidate=5", "");
    sc_http_freshness_take(&got, "max-age=90, stale-while-revalidate=1", "50");
    assert_true(got.fresh_s == 40 && got.stale_s == 1 && got.is_stored);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_head_says_how_long_a_reply_may_be_used),
    cmocka_unit_test(test_of_several_replies_the_least_counts),
};
SC_SUITE(tests)
