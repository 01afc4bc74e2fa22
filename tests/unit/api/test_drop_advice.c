// Advice for queries that were dropped: about the demands that were in force, and no others.
#include "api/drop_advice.h"

#include "ledger/ticket.h"
#include "support/check.h"

static char advice[SC_DROP_ADVICE_SIZE];

static const char *exposed(unsigned demands)
{
    const sc_drop_case drop = {
        .reason = SC_DROP_EXPOSED, .demands = demands, .later_s = 4000000000};
    return sc_drop_advice(&drop, advice);
}

static bool has(const char *text, const char *part)
{
    return strstr(text, part) != NULL;
}

static void test_every_reason_has_advice_that_is_whole(void **state)
{
    (void)state;
    for (sc_drop_reason i = 0; i < SC_DROP_REASON_COUNT; i++) {
        const sc_drop_case drop = {.reason = i};
        assert_true(strlen(sc_drop_advice(&drop, advice)) > 20);
        assert_true(strlen(sc_drop_help(sc_drop_reason_name(i))) > 10);
        // Beside a name and a number, in 80 columns.
        assert_true(strlen(sc_drop_help(sc_drop_reason_name(i))) < 52);
    }
    assert_string_equal(sc_drop_help("mood"), "");
    const sc_drop_case rare = {.reason = SC_DROP_RARE_REQUEST};
    CHECK_CONTAINS(sc_drop_advice(&rare, advice), "another form, or later");
}

static void test_advice_is_about_the_demands_in_force(void **state)
{
    (void)state;
    for (unsigned demands = 0; demands < 16; demands++) {
        const char *text = exposed(demands);
        assert_true(strlen(text) < SC_DROP_ADVICE_SIZE - 1);
        const bool is_traffic = demands & SC_TICKET_TRAFFIC;
        const bool is_linked = demands & SC_TICKET_CONTINUITY;
        assert_int_equal(has(text, "one is much busier"), is_traffic);
        assert_int_equal(has(text, "where more roads are busy"), is_traffic);
        assert_int_equal(has(text, "places to protect"), (demands & SC_TICKET_CLASSES) != 0);
        assert_int_equal(has(text, "whole zone"), (demands & SC_TICKET_ZONE) != 0);
        assert_int_equal(has(text, "since the last cloak"), is_linked);
        assert_int_equal(has(text, "ask again later (in 4000000000 s at the latest)"), is_linked);
        // The UI offers to change what is named.
        assert_int_equal(has(text, "max_hops"), demands != SC_TICKET_CONTINUITY);
        assert_int_equal(has(text, "smaller l"),
                         demands == 0 || (demands & SC_TICKET_CLASSES) || is_linked);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_every_reason_has_advice_that_is_whole),
    cmocka_unit_test(test_advice_is_about_the_demands_in_force),
};
SC_SUITE(tests)
