// Tickets by id: the same as a plain list says, whatever comes and goes, also where ids collide.
#include "ledger/tickets.h"

#include "base/rng.h"
#include "support/check.h"

enum { MOST = 40, IDS = 100, STEPS = 20000 };

/** Few different places: with 128 of them, ids that differ in higher bits share one. */
static sc_query_id id_of(uint32_t number)
{
    sc_query_id id = {{0}};
    id.bytes[0] = (uint8_t)(number % 5 == 0 ? 126 + number % 3 : number * 7);
    id.bytes[1] = (uint8_t)(number / 20);
    id.bytes[15] = (uint8_t)number;
    return id;
}

static void test_the_table_agrees_with_a_list(void **state)
{
    (void)state;
    sc__tickets tickets;
    CHECK_OK(sc__tickets_init(&tickets, MOST), NULL);
    sc_ticket *all[IDS];
    bool is_in[IDS] = {false};
    for (uint32_t i = 0; i < IDS; i++) {
        all[i] = sc_ticket_new();
        all[i]->query.id = id_of(i);
    }
    sc_rng rng;
    sc_rng_seed(&rng, 1);
    size_t count = 0;
    for (int step = 0; step < STEPS; step++) {
        const uint32_t i = sc_rng_below(&rng, IDS);
        if (is_in[i]) {
            sc__tickets_remove(&tickets, all[i]);
            count--;
            is_in[i] = false;
        } else if (count < MOST) {
            sc__tickets_put(&tickets, all[i]);
            count++;
            is_in[i] = true;
        }
        assert_int_equal(tickets.count, count);
        const uint32_t other = sc_rng_below(&rng, IDS);
        const sc_query_id id = id_of(other);
        sc__tickets_expect(&tickets, &id);
        assert_ptr_equal(sc__tickets_find(&tickets, &id), is_in[other] ? all[other] : NULL);
    }

    // Taking any one until there is none finds them all.
    size_t from = 0;
    size_t found = 0;
    for (sc_ticket *ticket; (ticket = sc__tickets_any(&tickets, &from)); found++) {
        sc__tickets_remove(&tickets, ticket);
    }
    assert_int_equal(found, count);
    assert_int_equal(tickets.count, 0);
    sc__tickets_fini(&tickets);
    sc__tickets_fini(&tickets);
    for (uint32_t i = 0; i < IDS; i++) {
        sc_ticket_free(all[i]);
    }
}

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_table_agrees_with_a_list),
        cmocka_unit_test(test_outcomes_have_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
