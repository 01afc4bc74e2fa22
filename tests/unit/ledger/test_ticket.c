// A ticket by itself.
#include "ledger/ticket.h"

#include "support/check.h"

static void test_outcomes_have_names(void **state)
{
    (void)state;
    assert_string_equal(sc_outcome_name(SC_OUTCOME_NONE), "none");
    assert_string_equal(sc_outcome_name(SC_OUTCOME_ANSWERED), "answered");
    assert_string_equal(sc_outcome_name(SC_OUTCOME_DROPPED), "dropped");
    assert_string_equal(sc_outcome_name(SC_OUTCOME_FAILED), "failed");
    assert_string_equal(sc_outcome_name(SC_OUTCOME_GONE), "gone");
    sc_ticket_free(NULL);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_outcomes_have_names),
};
SC_SUITE(tests)
