// Whatever becomes of a query, its slot does not tell of it afterwards.
#include "engine/engine_internal.h"

#include "support/check.h"
#include "support/stage.h"

static const char street[] = "o   o\n"
                             "|   |\n"
                             "A---B\n"
                             "|   |\n"
                             "o   o\n";

static void open_street(stage *st)
{
    const sc_engine_options options = sc_engine_options_default();
    stage_open(st, street, "", &options);
}

// Every slot that was ever used is wiped, but for the link to the next spare one at its beginning.
static void check_forgotten(const stage *st, uint32_t used)
{
    const sc_item_pool *pool = &st->engine->pending;
    assert_int_equal(pool->count, 0);
    assert_int_equal(pool->made, used);
    for (sc__slot slot = 0; slot < used; slot++) {
        const unsigned char *bytes = sc_item_pool_at(pool, slot);
        for (size_t i = sizeof pool->spare; i < sizeof(sc_query); i++) {
            if (bytes[i] != 0) fail_msg("byte %zu of slot %u is left", i, slot);
        }
    }
}

static void test_a_removed_query_is_forgotten(void **state)
{
    (void)state;
    stage st;
    open_street(&st);
    const sc_query query = stage_query(&st, 7, 'A', 2, 500);
    stage_ask(&st, &query, 100);
    const sc__pending *slot = sc__pending_at(st.engine, 0);
    assert_memory_equal(&slot->query, &query, sizeof query);
    CHECK_OK(sc_engine_remove(st.engine, &query.id), NULL);
    check_forgotten(&st, 1);
    stage_close(&st);
}

static void test_a_dropped_query_is_forgotten_once_its_drop_is_taken(void **state)
{
    (void)state;
    stage st;
    open_street(&st);
    const sc_query query = stage_query(&st, 7, 'A', 2, 500);
    stage_ask(&st, &query, 100);
    stage_run(&st, 501);
    check_drop(&st, 7, SC_DROP_EXPIRED, 501);
    check_forgotten(&st, 1);
    stage_close(&st);
}

static void test_members_of_an_accepted_cloak_are_forgotten(void **state)
{
    (void)state;
    stage st;
    open_street(&st);
    const sc_query one = stage_query(&st, 7, 'A', 2, 500);
    const sc_query two = stage_query(&st, 8, 'A', 2, 500);
    stage_ask(&st, &one, 100);
    stage_ask(&st, &two, 100);
    sc_cloak *cloak = stage_take(&st);
    assert_non_null(cloak);
    CHECK_OK(sc_engine_accept(st.engine, cloak, 100, NULL), NULL);
    check_forgotten(&st, 2);
    sc_cloak_free(cloak);
    stage_close(&st);
}

static void test_a_query_removed_while_proposed_is_forgotten_with_the_refusal(void **state)
{
    (void)state;
    stage st;
    open_street(&st);
    const sc_query one = stage_query(&st, 7, 'A', 2, 500);
    const sc_query two = stage_query(&st, 8, 'A', 2, 500);
    stage_ask(&st, &one, 100);
    stage_ask(&st, &two, 100);
    sc_cloak *cloak = stage_take(&st);
    assert_non_null(cloak);
    CHECK_OK(sc_engine_remove(st.engine, &one.id), NULL);
    CHECK_OK(sc_engine_remove(st.engine, &two.id), NULL);
    CHECK_OK(sc_engine_refuse(st.engine, cloak, NULL, 0), NULL);
    check_forgotten(&st, 2);
    sc_cloak_free(cloak);
    stage_close(&st);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_removed_query_is_forgotten),
    cmocka_unit_test(test_a_dropped_query_is_forgotten_once_its_drop_is_taken),
    cmocka_unit_test(test_members_of_an_accepted_cloak_are_forgotten),
    cmocka_unit_test(test_a_query_removed_while_proposed_is_forgotten_with_the_refusal),
};
SC_SUITE(tests)
