// How fast a provider is asked: rate, questions at once, and leaving it alone.
#include "net/http_pace.h"
#include "support/check.h"

static void test_no_more_questions_leave_at_once_than_allowed(void **state)
{
    (void)state;
    sc_http_pace pace;
    long wait_ms = 0;
    sc_http_pace_init(&pace, 0, 2, 60);
    assert_true(sc_http_pace_may_leave(&pace, &wait_ms));
    assert_true(sc_http_pace_may_leave(&pace, &wait_ms));
    assert_false(sc_http_pace_may_leave(&pace, &wait_ms));
    assert_true(wait_ms > 0);
    sc_http_pace_ends(&pace);
    assert_true(sc_http_pace_may_leave(&pace, &wait_ms));
    sc_http_pace_fini(&pace);
}

static void test_a_rate_keeps_the_next_question_back(void **state)
{
    (void)state;
    sc_http_pace pace;
    long wait_ms = 0;
    // One in a quarter of an hour.
    sc_http_pace_init(&pace, 1.0 / 900, 8, 60);
    assert_true(sc_http_pace_may_leave(&pace, &wait_ms));
    sc_http_pace_ends(&pace);
    assert_false(sc_http_pace_may_leave(&pace, &wait_ms));
    assert_true(wait_ms > 60000 && wait_ms <= 900001);
    sc_http_pace_fini(&pace);
}

static void test_errors_that_may_pass_are_asked_again_three_times_and_hold_all_back(void **state)
{
    (void)state;
    static const long passing[] = {429, 502, 503, 504};
    static const long final[] = {302, 400, 401, 403, 404, 500};
    for (size_t i = 0; i < sizeof passing / sizeof *passing; i++) {
        sc_http_pace pace;
        unsigned retries = 0;
        long wait_ms = 0;
        sc_http_pace_init(&pace, 0, 8, 60);
        for (int n = 0; n < 3; n++) {
            sc_http_arrival arrival = {.status = passing[i], .retry_after_s = 30};
            assert_true(sc_http_pace_again(&pace, &arrival, &retries));
            assert_true(arrival.is_again);
            CHECK_SAME(arrival.pause_s, 30.0);
        }
        assert_false(sc_http_pace_may_leave(&pace, &wait_ms));
        assert_true(wait_ms > 20000 && wait_ms <= 30001);
        sc_http_arrival last = {.status = passing[i]};
        assert_false(sc_http_pace_again(&pace, &last, &retries));
        assert_false(last.is_again);
        sc_http_pace_fini(&pace);
    }
    for (size_t i = 0; i < sizeof final / sizeof *final; i++) {
        sc_http_pace pace;
        unsigned retries = 0;
        sc_http_pace_init(&pace, 0, 8, 60);
        sc_http_arrival arrival = {.status = final[i]};
        assert_false(sc_http_pace_again(&pace, &arrival, &retries));
        sc_http_pace_fini(&pace);
    }
}

static void test_nobody_is_left_alone_for_longer_than_a_cloak_may_take(void **state)
{
    (void)state;
    sc_http_pace pace;
    unsigned retries = 0;
    long wait_ms = 0;
    sc_http_pace_init(&pace, 0, 8, 5);
    sc_http_arrival arrival = {.status = 503, .retry_after_s = 86400};
    assert_true(sc_http_pace_again(&pace, &arrival, &retries));
    assert_false(sc_http_pace_may_leave(&pace, &wait_ms));
    assert_true(wait_ms <= 5001);
    sc_http_pace_fini(&pace);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_no_more_questions_leave_at_once_than_allowed),
    cmocka_unit_test(test_a_rate_keeps_the_next_question_back),
    cmocka_unit_test(test_errors_that_may_pass_are_asked_again_three_times_and_hold_all_back),
    cmocka_unit_test(test_nobody_is_left_alone_for_longer_than_a_cloak_may_take),
};
SC_SUITE(tests)
