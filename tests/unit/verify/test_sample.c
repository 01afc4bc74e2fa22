// The book of queries and the sample of answers: nothing is forgotten that P8 needs, no more is
// kept than wanted, and what is kept is a fair sample.
#include "verify/query_states.h"

#include "support/check.h"

#include <stdio.h>

/** A book, a sample, and the queries in them. */
typedef struct stage {
    sc_query_table ledger;
    sc_sample sample;
} stage;

static stage stage_new(uint64_t wanted)
{
    stage s = {.sample = {.wanted = wanted}};
    sc__query_table_init(&s.ledger);
    return s;
}

static void stage_free(stage *s)
{
    sc__sample_fini(&s->sample);
    sc__sample_fini(&s->sample);
    sc__query_table_fini(&s->ledger);
    sc__query_table_fini(&s->ledger);
}

static sc_key key_of(uint32_t number)
{
    char id[16];
    const int size = snprintf(id, sizeof id, "q%u", number);
    return sc__query_table_key((sc_slice){id, (size_t)size});
}

static uint32_t ask(stage *s, uint32_t number)
{
    sc_open_query *query = NULL;
    CHECK_OK(sc__query_table_add(&s->ledger, key_of(number), &query), NULL);
    assert_non_null(query);
    *query = (sc_open_query){.line = number, .edge = number};
    return sc__query_table_find(&s->ledger, key_of(number));
}

static void cloak(stage *s, uint32_t number)
{
    CHECK_OK(sc__sample_cloaked(&s->sample, &s->ledger,
                                sc__query_table_find(&s->ledger, key_of(number)), key_of(number),
                                1000 + number),
             NULL);
}

static void answer(stage *s, uint32_t number)
{
    sc_event_result result = {number, 1.0, 0.1};
    const sc_event_answer answered = {.results = &result, .result_count = 1};
    const uint32_t found = sc__query_table_find(&s->ledger, key_of(number));
    CHECK_OK(sc__sample_answered(&s->sample, &s->ledger, found, number, &answered), NULL);
}

static void test_queries_are_numbered_as_they_come_and_known_for_good(void **state)
{
    (void)state;
    stage s = stage_new(0);
    for (uint32_t i = 0; i < 5000; i++) {
        assert_int_equal(ask(&s, i), i);
        assert_int_equal(sc__query_table_fate(&s.ledger, i), SC_END_OPEN);
        // Every second one ends at once, so that places are used again.
        if (i % 2 == 0) sc__query_table_settle(&s.ledger, i, SC_END_LOST, 0);
    }
    for (uint32_t i = 0; i < 5000; i++) {
        assert_int_equal(sc__query_table_find(&s.ledger, key_of(i)), i);
        if (i % 2 == 0) {
            assert_int_equal(sc__query_table_fate(&s.ledger, i), SC_END_LOST);
        } else {
            assert_int_equal(sc__query_table_open(&s.ledger, i)->edge, i);
        }
    }
    assert_int_equal(sc__query_table_find(&s.ledger, key_of(5000)), SC_NONE);
    sc_open_query *query = (sc_open_query *)&s;
    CHECK_OK(sc__query_table_add(&s.ledger, key_of(17), &query), NULL);
    assert_null(query);
    assert_int_equal(s.ledger.count, 5000);
    assert_int_equal(s.ledger.open.count, 2500);
    stage_free(&s);
}

static void test_every_cloaked_query_keeps_the_number_of_its_cloak(void **state)
{
    (void)state;
    // More than are watched at once, so that some were watched and let go.
    enum { QUERIES = 150000 };
    stage s = stage_new(10);
    for (uint32_t i = 0; i < QUERIES; i++) {
        ask(&s, i);
        cloak(&s, i);
        assert_true(s.sample.count <= 1 << 16);
    }
    assert_true(s.sample.barred > 0);
    for (uint32_t i = 0; i < QUERIES; i++) {
        assert_int_equal(sc__sample_cloak(&s.sample, &s.ledger, i), 1000 + i);
    }
    // All that wait are found where the book says.
    for (size_t i = 0; i < s.sample.count; i++) {
        assert_int_equal(sc__query_table_fate(&s.ledger, s.sample.watched[i].number),
                         SC_END_WATCHED);
        assert_int_equal(sc__query_table_word(&s.ledger, s.sample.watched[i].number), i);
        assert_int_equal(s.sample.watched[i].edge, s.sample.watched[i].number);
    }
    stage_free(&s);
}

static void test_no_more_answers_are_kept_than_wanted_and_they_are_spread(void **state)
{
    (void)state;
    enum { QUERIES = 20000, WANTED = 400, PARTS = 4 };
    stage s = stage_new(WANTED);
    for (uint32_t i = 0; i < QUERIES; i++) {
        ask(&s, i);
        cloak(&s, i);
        // Answers lag a hundred queries behind.
        if (i >= 100) answer(&s, i - 100);
        assert_true(s.sample.answered_count <= (size_t)2 * WANTED);
    }
    CHECK_OK(sc__sample_close(&s.sample, &s.ledger), NULL);
    assert_int_equal(s.sample.count, WANTED);
    size_t in_part[PARTS] = {0};
    for (size_t i = 0; i < s.sample.count; i++) {
        const sc_watched *watched = &s.sample.watched[i];
        assert_true(watched->is_answered);
        assert_int_equal(watched->results[0].object, watched->edge);
        assert_int_equal(watched->line, watched->edge);
        if (i > 0) assert_true(watched[-1].line < watched->line);
        in_part[watched->edge / (QUERIES / PARTS)]++;
    }
    // A quarter of 400 is 100, give or take 9.
    for (size_t i = 0; i < PARTS; i++) {
        assert_in_range(in_part[i], 60, 140);
    }
    stage_free(&s);
}

static void test_fewer_answers_than_wanted_are_all_kept(void **state)
{
    (void)state;
    stage s = stage_new(1000);
    for (uint32_t i = 0; i < 3000; i++) {
        ask(&s, i);
        cloak(&s, i);
        if (i % 4 == 0) answer(&s, i);
    }
    CHECK_OK(sc__sample_close(&s.sample, &s.ledger), NULL);
    assert_int_equal(s.sample.count, 750);
    assert_int_equal(sc__query_table_fate(&s.ledger, 0), SC_END_ANSWERED);
    assert_int_equal(sc__query_table_fate(&s.ledger, 1), SC_END_CLOAKED);
    stage_free(&s);
}

static void test_none_are_kept_if_none_are_wanted(void **state)
{
    (void)state;
    stage s = stage_new(0);
    for (uint32_t i = 0; i < 100; i++) {
        ask(&s, i);
        cloak(&s, i);
        answer(&s, i);
    }
    CHECK_OK(sc__sample_close(&s.sample, &s.ledger), NULL);
    assert_int_equal(s.sample.count, 0);
    stage_free(&s);
}

static void test_a_failed_query_is_watched_no_more(void **state)
{
    (void)state;
    stage s = stage_new(10);
    for (uint32_t i = 0; i < 20; i++) {
        ask(&s, i);
        cloak(&s, i);
    }
    for (uint32_t i = 0; i < 20; i += 2) {
        sc__sample_dismiss(&s.sample, &s.ledger, i, SC_END_LOST);
        assert_int_equal(sc__query_table_fate(&s.ledger, i), SC_END_LOST);
    }
    assert_int_equal(s.sample.count, 10);
    for (uint32_t i = 1; i < 20; i += 2) {
        assert_int_equal(sc__sample_cloak(&s.sample, &s.ledger, i), 1000 + i);
        answer(&s, i);
    }
    CHECK_OK(sc__sample_close(&s.sample, &s.ledger), NULL);
    assert_int_equal(s.sample.count, 10);
    stage_free(&s);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_queries_are_numbered_as_they_come_and_known_for_good),
    cmocka_unit_test(test_every_cloaked_query_keeps_the_number_of_its_cloak),
    cmocka_unit_test(test_no_more_answers_are_kept_than_wanted_and_they_are_spread),
    cmocka_unit_test(test_fewer_answers_than_wanted_are_all_kept),
    cmocka_unit_test(test_none_are_kept_if_none_are_wanted),
    cmocka_unit_test(test_a_failed_query_is_watched_no_more),
};
SC_SUITE(tests)
