// Cloaks are proposals: accepted once and in time, or refused, and then the members that are left
// go on. What is not a pruned proposal of this engine is neither.
#include <starcloak/engine.h>

#include "support/check.h"
#include "support/stage.h"

static const char street[] = "o   o   o\n"
                             "|   |   |\n"
                             "A---B---C\n"
                             "|       |\n"
                             "o       o\n";

static const sc_time deadline = 1000;

/** Queries 1 to `count` at A, which become a candidate together; deadlines 1000, 1001, ... */
static void propose(stage *st, uint32_t count)
{
    const sc_engine_options options = sc_engine_options_default();
    stage_open(st, street, "", &options);
    for (uint32_t number = 1; number <= count; number++) {
        const sc_query query = stage_query(st, number, 'A', count, deadline + number - 1);
        stage_ask(st, &query, 0);
    }
}

static void test_members_of_a_proposal_are_neither_pending_nor_done(void **state)
{
    (void)state;
    stage st;
    propose(&st, 3);
    sc_engine_stats stats = sc_engine_get_stats(st.engine);
    assert_int_equal(stats.pending, 0);
    assert_int_equal(stats.proposed, 3);
    assert_int_equal(stats.accepted, 0);
    assert_int_equal(stats.active_stars, 0);
    const sc_query again = stage_query(&st, 2, 'B', 1, deadline);
    assert_int_equal(sc_engine_add(st.engine, &again), SC_EDUPLICATE);

    sc_cloak *cloak = stage_take(&st);
    assert_int_equal(cloak->deadline, deadline);
    CHECK_OK(sc_engine_accept(st.engine, cloak, deadline, NULL), NULL);
    stats = sc_engine_get_stats(st.engine);
    assert_int_equal(stats.proposed, 0);
    assert_int_equal(stats.accepted, 3);
    assert_int_equal(stats.cloaks, 1);
    CHECK_OK(sc_engine_add(st.engine, &again), NULL);  // its id is free again
    sc_cloak_free(cloak);
    stage_close(&st);
}

static void test_accepting_after_the_first_deadline_is_too_late(void **state)
{
    (void)state;
    stage st;
    propose(&st, 2);
    sc_cloak *cloak = stage_take(&st);
    assert_int_equal(sc_engine_accept(st.engine, cloak, deadline + 1, NULL), SC_ELATE);
    assert_int_equal(sc_engine_get_stats(st.engine).proposed, 2);
    assert_int_equal(sc_engine_get_stats(st.engine).accepted, 0);
    CHECK_OK(sc_engine_refuse(st.engine, cloak, NULL, 0), NULL);
    stage_run(&st, deadline + 1);
    check_drop(&st, 1, SC_DROP_EXPIRED, deadline + 1);
    check_no_drop(&st);  // the other one may go on for a moment
    assert_int_equal(sc_engine_get_stats(st.engine).pending, 1);
    sc_cloak_free(cloak);
    stage_close(&st);
}

static void test_a_proposal_is_accepted_once(void **state)
{
    (void)state;
    stage st;
    propose(&st, 2);
    sc_cloak *cloak = stage_take(&st);
    CHECK_OK(sc_engine_accept(st.engine, cloak, 0, NULL), NULL);
    const sc_engine_stats before = sc_engine_get_stats(st.engine);
    assert_int_equal(sc_engine_accept(st.engine, cloak, 0, NULL), SC_EINVAL);
    assert_int_equal(sc_engine_refuse(st.engine, cloak, NULL, 0), SC_EINVAL);
    const sc_engine_stats after = sc_engine_get_stats(st.engine);
    assert_memory_equal(&before, &after, sizeof before);
    sc_cloak_free(cloak);
    stage_close(&st);
}

static void test_a_refused_proposal_cannot_be_accepted(void **state)
{
    (void)state;
    stage st;
    propose(&st, 2);
    sc_cloak *cloak = stage_take(&st);
    CHECK_OK(sc_engine_refuse(st.engine, cloak, NULL, 0), NULL);
    assert_int_equal(sc_engine_accept(st.engine, cloak, 0, NULL), SC_EINVAL);
    assert_int_equal(sc_engine_refuse(st.engine, cloak, NULL, 0), SC_EINVAL);

    // Not even when its members are in a proposal again, since that is another one.
    stage_run(&st, 0);
    sc_cloak *second = stage_take(&st);
    check_members(second, (const uint32_t[]){1, 2, 0});
    CHECK_OK(sc_engine_accept(st.engine, second, 0, NULL), NULL);
    assert_int_equal(sc_engine_get_stats(st.engine).accepted, 2);
    sc_cloak_free(cloak);
    sc_cloak_free(second);
    stage_close(&st);
}

static void test_an_unpruned_cloak_is_not_accepted(void **state)
{
    (void)state;
    stage st;
    propose(&st, 2);
    sc_cloak *cloak = sc_engine_take_candidate(st.engine);
    assert_int_equal(cloak->segment_count, 0);
    assert_int_equal(sc_engine_accept(st.engine, cloak, 0, NULL), SC_EINVAL);
    assert_int_equal(sc_engine_get_stats(st.engine).proposed, 2);
    CHECK_OK(sc_pruner_prune(st.pruner, cloak, &st.prune_rng), NULL);
    CHECK_OK(sc_engine_accept(st.engine, cloak, 0, NULL), NULL);
    sc_cloak_free(cloak);
    stage_close(&st);
}

static void test_another_engines_cloak_is_not_accepted(void **state)
{
    (void)state;
    stage st;
    stage other;
    propose(&st, 2);
    const sc_engine_options options = sc_engine_options_default();
    stage_open(&other, street, "", &options);
    sc_cloak *cloak = stage_take(&st);
    assert_int_equal(sc_engine_accept(other.engine, cloak, 0, NULL), SC_EINVAL);
    assert_int_equal(sc_engine_refuse(other.engine, cloak, NULL, 0), SC_EINVAL);

    // Nor if that one has the same queries, but pending.
    const sc_query alone = stage_query(&other, 1, 'A', 2, deadline);
    stage_ask(&other, &alone, 0);
    assert_int_equal(sc_engine_accept(other.engine, cloak, 0, NULL), SC_EINVAL);
    assert_int_equal(sc_engine_refuse(other.engine, cloak, NULL, 0), SC_EINVAL);
    assert_int_equal(sc_engine_get_stats(other.engine).pending, 1);
    sc_cloak_free(cloak);
    stage_close(&other);
    stage_close(&st);
}

// The engine has seen later times than the caller that accepts it.
static void test_a_clock_that_lags_does_not_make_a_cloak_timely(void **state)
{
    (void)state;
    stage st;
    propose(&st, 2);
    sc_cloak *cloak = stage_take(&st);
    stage_run(&st, deadline + 10);
    assert_int_equal(sc_engine_accept(st.engine, cloak, 0, NULL), SC_ELATE);
    CHECK_OK(sc_engine_refuse(st.engine, cloak, NULL, 0), NULL);
    sc_cloak_free(cloak);
    stage_close(&st);
}

// Two engines may have the same queries, and count their proposals alike.
static void test_a_twin_engines_cloak_is_not_accepted(void **state)
{
    (void)state;
    stage st;
    stage twin;
    propose(&st, 2);
    propose(&twin, 2);
    sc_cloak *cloak = stage_take(&st);
    sc_cloak *theirs = stage_take(&twin);
    assert_int_equal(sc_engine_accept(twin.engine, cloak, 0, NULL), SC_EINVAL);
    assert_int_equal(sc_engine_refuse(twin.engine, cloak, NULL, 0), SC_EINVAL);
    CHECK_OK(sc_engine_accept(twin.engine, theirs, 0, NULL), NULL);
    CHECK_OK(sc_engine_accept(st.engine, cloak, 0, NULL), NULL);
    sc_cloak_free(cloak);
    sc_cloak_free(theirs);
    stage_close(&twin);
    stage_close(&st);
}

// One member was written over another meanwhile.
static void test_a_cloak_with_a_member_twice_is_neither_accepted_nor_refused(void **state)
{
    (void)state;
    stage st;
    propose(&st, 3);
    sc_cloak *cloak = stage_take(&st);
    const sc_member kept = cloak->members[1];
    cloak->members[1] = cloak->members[0];
    assert_int_equal(sc_engine_accept(st.engine, cloak, 0, NULL), SC_EINVAL);
    assert_int_equal(sc_engine_refuse(st.engine, cloak, NULL, 0), SC_EINVAL);
    assert_int_equal(sc_engine_get_stats(st.engine).proposed, 3);
    cloak->members[1] = kept;
    CHECK_OK(sc_engine_accept(st.engine, cloak, 0, NULL), NULL);
    sc_cloak_free(cloak);
    stage_close(&st);
}

static void test_refused_members_find_each_other_again(void **state)
{
    (void)state;
    stage st;
    propose(&st, 3);
    sc_cloak *cloak = stage_take(&st);
    CHECK_OK(sc_engine_refuse(st.engine, cloak, NULL, 0), NULL);
    sc_cloak_free(cloak);
    assert_int_equal(sc_engine_get_stats(st.engine).pending, 3);
    assert_int_equal(sc_engine_get_stats(st.engine).refused, 1);
    check_no_candidate(&st);
    stage_run(&st, 10);
    cloak = stage_take(&st);
    check_members(cloak, (const uint32_t[]){1, 2, 3, 0});
    sc_cloak_free(cloak);
    stage_close(&st);
}

static void test_who_has_gone_does_not_come_back(void **state)
{
    (void)state;
    stage st;
    propose(&st, 3);
    sc_cloak *cloak = stage_take(&st);
    const sc_query_id gone[] = {plain_id(2), plain_id(77)};  // and a stranger, who is ignored
    CHECK_OK(sc_engine_refuse(st.engine, cloak, gone, 2), NULL);
    sc_cloak_free(cloak);
    assert_int_equal(sc_engine_get_stats(st.engine).pending, 2);
    assert_int_equal(sc_engine_get_stats(st.engine).removed, 1);
    assert_int_equal(sc_engine_remove(st.engine, &gone[0]), SC_EUNKNOWN);
    stage_run(&st, 0);
    check_no_candidate(&st);  // two are left, and three are wanted
    const sc_query fourth = stage_query(&st, 4, 'A', 1, deadline);
    stage_ask(&st, &fourth, 0);
    cloak = stage_take(&st);
    check_members(cloak, (const uint32_t[]){1, 3, 4, 0});
    sc_cloak_free(cloak);
    stage_close(&st);
}

static void test_refused_members_queue_behind_others_in_the_order_of_adding(void **state)
{
    (void)state;
    stage st;
    propose(&st, 3);
    sc_cloak *cloak = stage_take(&st);
    // k = 2: the one of the three that comes first into the graph goes with it.
    const sc_query waiting = stage_query(&st, 4, 'B', 3, deadline);
    CHECK_OK(sc_engine_add(st.engine, &waiting), NULL);
    CHECK_OK(sc_engine_refuse(st.engine, cloak, NULL, 0), NULL);
    sc_cloak_free(cloak);
    stage_run(&st, 0);
    cloak = stage_take(&st);
    check_members(cloak, (const uint32_t[]){4, 1, 2, 0});
    sc_cloak_free(cloak);
    assert_int_equal(sc_engine_get_stats(st.engine).pending, 1);
    stage_close(&st);
}

static void test_who_was_removed_while_proposed_is_gone_when_it_is_refused(void **state)
{
    (void)state;
    stage st;
    propose(&st, 2);
    sc_cloak *cloak = stage_take(&st);
    const sc_query_id first = plain_id(1);
    CHECK_OK(sc_engine_remove(st.engine, &first), NULL);
    CHECK_OK(sc_engine_refuse(st.engine, cloak, NULL, 0), NULL);
    sc_cloak_free(cloak);
    const sc_engine_stats stats = sc_engine_get_stats(st.engine);
    assert_int_equal(stats.pending, 1);
    assert_int_equal(stats.proposed, 0);
    assert_int_equal(stats.removed, 1);
    assert_int_equal(sc_engine_remove(st.engine, &first), SC_EUNKNOWN);
    stage_run(&st, 0);
    check_no_candidate(&st);
    stage_close(&st);
}

static void test_who_was_removed_while_proposed_stays_in_an_accepted_cloak(void **state)
{
    (void)state;
    stage st;
    propose(&st, 2);
    const sc_query_id first = plain_id(1);
    CHECK_OK(sc_engine_remove(st.engine, &first), NULL);  // before anybody has taken it
    sc_cloak *cloak = stage_take(&st);
    check_members(cloak, (const uint32_t[]){1, 2, 0});
    CHECK_OK(sc_engine_accept(st.engine, cloak, 0, NULL), NULL);
    const sc_engine_stats stats = sc_engine_get_stats(st.engine);
    assert_int_equal(stats.accepted, 2);
    assert_int_equal(stats.removed, 0);
    assert_int_equal(stats.proposed, 0);
    sc_cloak_free(cloak);
    stage_close(&st);
}

static void test_removing_an_unknown_query_changes_nothing(void **state)
{
    (void)state;
    stage st;
    propose(&st, 2);
    const sc_query_id stranger = plain_id(5);
    const sc_engine_stats before = sc_engine_get_stats(st.engine);
    assert_int_equal(sc_engine_remove(st.engine, &stranger), SC_EUNKNOWN);
    const sc_engine_stats after = sc_engine_get_stats(st.engine);
    assert_memory_equal(&before, &after, sizeof before);
    stage_close(&st);  // with a candidate that was not taken
}

static void test_an_id_that_is_pending_is_not_added_again(void **state)
{
    (void)state;
    stage st;
    const sc_engine_options options = sc_engine_options_default();
    stage_open(&st, street, "", &options);
    const sc_query query = stage_query(&st, 1, 'A', 2, deadline);
    CHECK_OK(sc_engine_add(st.engine, &query), NULL);
    assert_int_equal(sc_engine_add(st.engine, &query), SC_EDUPLICATE);
    stage_run(&st, 0);
    assert_int_equal(sc_engine_add(st.engine, &query), SC_EDUPLICATE);
    assert_int_equal(sc_engine_add_company(st.engine, &query), SC_EDUPLICATE);
    CHECK_OK(sc_engine_remove(st.engine, &query.id), NULL);
    CHECK_OK(sc_engine_add_company(st.engine, &query), NULL);
    stage_close(&st);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_members_of_a_proposal_are_neither_pending_nor_done),
    cmocka_unit_test(test_accepting_after_the_first_deadline_is_too_late),
    cmocka_unit_test(test_a_proposal_is_accepted_once),
    cmocka_unit_test(test_a_refused_proposal_cannot_be_accepted),
    cmocka_unit_test(test_an_unpruned_cloak_is_not_accepted),
    cmocka_unit_test(test_another_engines_cloak_is_not_accepted),
    cmocka_unit_test(test_a_clock_that_lags_does_not_make_a_cloak_timely),
    cmocka_unit_test(test_a_twin_engines_cloak_is_not_accepted),
    cmocka_unit_test(test_a_cloak_with_a_member_twice_is_neither_accepted_nor_refused),
    cmocka_unit_test(test_refused_members_find_each_other_again),
    cmocka_unit_test(test_who_has_gone_does_not_come_back),
    cmocka_unit_test(test_refused_members_queue_behind_others_in_the_order_of_adding),
    cmocka_unit_test(test_who_was_removed_while_proposed_is_gone_when_it_is_refused),
    cmocka_unit_test(test_who_was_removed_while_proposed_stays_in_an_accepted_cloak),
    cmocka_unit_test(test_removing_an_unknown_query_changes_nothing),
    cmocka_unit_test(test_an_id_that_is_pending_is_not_added_again),
};
SC_SUITE(tests)
