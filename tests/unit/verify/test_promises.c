// A valid record is accepted; break one thing in it, and exactly the promise that stands
// against it is reported, by the record's verifier and, where one cloak shows it, by that of
// claims.
#include <starcloak/verify.h>

#include "support/breaks.h"
#include "support/check.h"
#include "support/made_record.h"
#include "support/sketch.h"
#include "verify/verify_record.h"

#include <stdio.h>

static sc_verify_report verify_text(const sc_map *map, const char *text, size_t size)
{
    const sc_input input = {"run.jsonl", (const uint8_t *)text, size};
    const sc_verify_options options = sc_verify_options_default();
    sc_verify_report report;
    sc_diag diag = {""};
    memset(&report, 0xee, sizeof report);
    CHECK_OK(sc__verify_input(map, &input, &options, &report, &diag), &diag);
    return report;
}

static sc_verify_report verify(const made_record *record)
{
    size_t size = 0;
    char *text = made_text(record, &size);
    const sc_verify_report report = verify_text(record->map, text, size);
    free(text);
    return report;
}

// --- What is valid is accepted ---------------------------------------------------------

static void check_valid(const made_record *record)
{
    const sc_verify_report report = verify(record);
    if (report.violations > 0) print_error("%s\n", report.shown[0].text);
    assert_int_equal(report.violations, 0);
    assert_int_equal(report.shown_count, 0);
    assert_int_equal(report.overdue, 0);
    assert_int_equal(report.open_at_end, 1);
    assert_int_equal(report.queries, report.cloaked + report.drops + report.failed + 1);
    assert_int_equal(report.checked[SC_PROMISE_P4], report.cloaked);
    assert_true(report.checked[SC_PROMISE_P7] >= report.cloaks);

    sc_verifier *verifier = NULL;
    CHECK_OK(sc_verifier_new(record->map, &verifier), NULL);
    for (size_t i = 0; i < report.cloaks; i++) {
        sc_claim claim = made_claim(record, made_find(record, MADE_CLOAK, i));
        unsigned broken = ~0U;
        sc_diag diag = {"untouched"};
        CHECK_OK(sc_verifier_check_claim(verifier, &claim, &broken, &diag), &diag);
        assert_int_equal(broken, 0);
        assert_string_equal(diag.message, "untouched");
        made_claim_free(&claim);
    }
    sc_verifier_free(verifier);
}

static void test_a_valid_record_is_accepted_with_its_answers(void **state)
{
    (void)state;
    sc_map *map = made_town();
    const made_wishes wishes = {.cloaks = 16, .min_members = 1, .has_answers = true};
    for (uint64_t seed = 0; seed < 40; seed++) {
        check_case(seed);
        made_record record = made_record_new(map, seed, &wishes);
        check_valid(&record);
        assert_int_equal(verify(&record).answers, verify(&record).cloaked);
        made_record_free(&record);
    }
    check_case_done();
    sc_map_free(map);
}

static void test_valid_records_of_odd_maps_are_accepted(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 300; seed++) {
        check_case(seed);
        sketch s = sketch_odd(seed);
        sc_map *map = sketch_map(&s);
        // Half of them as methods write that use no stars.
        const made_wishes wishes = {.cloaks = 8, .min_members = 1, .is_starless = seed % 2 == 0};
        if (sc_map_segment_count(map) < MADE_MAX_IDS && sc_map_node_count(map) < MADE_MAX_IDS) {
            made_record record = made_record_new(map, seed, &wishes);
            check_valid(&record);
            made_record_free(&record);
        }
        sc_map_free(map);
        sketch_free(&s);
    }
    check_case_done();
}

static void check_report(const made_record *record, const breakage *b)
{
    const sc_verify_report report = verify(record);
    for (unsigned i = 0; i < SC_PROMISE_COUNT; i++) {
        if ((report.violated[i] > 0) == (i == (unsigned)b->promise)) continue;
        print_error("%s: %s violated %llu times; first: %s\n", b->name,
                    sc_promise_name((sc_promise)i), (unsigned long long)report.violated[i],
                    report.shown_count > 0 ? report.shown[0].text : "");
        fail();
    }
    assert_true(report.shown_count > 0);
    assert_int_equal(report.shown[0].promise, b->promise);
    CHECK_CONTAINS(report.shown[0].text, b->says);
    assert_in_range(report.shown[0].line, 1, record->count);
}

// All claims of the record together break the one promise, and no other.
static void check_claims(const made_record *record, const breakage *b)
{
    sc_verifier *verifier = NULL;
    CHECK_OK(sc_verifier_new(record->map, &verifier), NULL);
    unsigned all_broken = 0;
    sc_diag diag = {""};
    for (size_t i = 0; i < record->count; i++) {
        if (record->events[i].kind != MADE_CLOAK) continue;
        sc_claim claim = made_claim(record, &record->events[i]);
        unsigned broken = ~0U;
        CHECK_OK(sc_verifier_check_claim(verifier, &claim, &broken, &diag), &diag);
        all_broken |= broken;
        made_claim_free(&claim);
    }
    if (all_broken != 1U << b->promise) print_error("%s: %s\n", b->name, diag.message);
    assert_int_equal(all_broken, 1U << b->promise);
    CHECK_CONTAINS(diag.message, sc_promise_name(b->promise));
    CHECK_CONTAINS(diag.message, b->says);
    sc_verifier_free(verifier);
}

// `context` is a valid record.
static void check_breakage(const breakage *b, void *context)
{
    made_record broken = made_record_copy(context);
    b->go(&broken);
    check_report(&broken, b);
    if (b->shows_in_claim) check_claims(&broken, b);
    made_record_free(&broken);
}

static void test_each_way_to_break_a_record_breaks_exactly_its_promise(void **state)
{
    (void)state;
    sc_map *map = made_town();
    const made_wishes wishes = {.cloaks = 16, .min_members = 1, .has_answers = true};
    for (uint64_t seed = 0; seed < 8; seed++) {
        check_case(seed);
        made_record valid = made_record_new(map, seed, &wishes);
        for_each_breakage(check_breakage, &valid);
        made_record_free(&valid);
    }
    check_case_done();
    sc_map_free(map);
}

static void test_a_member_is_where_its_edge_is_whatever_its_query_says(void **state)
{
    (void)state;
    sc_map *map = made_town();
    const made_wishes wishes = {.cloaks = 4, .min_members = 2};
    made_record record = made_record_new(map, 1, &wishes);
    const made_event *cloak = made_find(&record, MADE_CLOAK, 0);
    made_event *query = made_find_query(&record, cloak->members[0].query);
    query->segment = sc_map_segment_count(map) - 1 - query->segment;
    const sc_verify_report report = verify(&record);
    // The query is told, and its cloak, which was right, is not.
    assert_int_equal(report.violations, 1);
    assert_int_equal(report.shown[0].line, made_place(&record, query) + 1);
    made_record_free(&record);
    sc_map_free(map);
}

// --- Methods without stars -------------------------------------------------------------

static void test_without_stars_a_cloak_must_still_be_within_reach(void **state)
{
    (void)state;
    sketch s = sketch_grid(SC_COORDS_PLANAR, 8, 2);
    sc_map *map = sketch_map(&s);
    // All segments at all hops from the middle are allowed, fewer are not.
    made_ids all = {.count = sc_map_segment_count(map)};
    for (sc_seg_id i = 0; i < all.count; i++) {
        all.at[i] = i;
    }
    sc_verifier *verifier = NULL;
    CHECK_OK(sc_verifier_new(map, &verifier), NULL);
    for (sc_seg_id i = 0; i < all.count; i++) {
        // A ladder of six rungs between its rims: the stars are its twelve inner nodes, and from
        // the better end of a segment in column c the far rim is max(c, 5 - c) hops away.
        const sc_edge *edge = &sc_map_edges(map)[sc_map_segments(map)[i].first_edge];
        const uint32_t from = edge->from % 8;
        const uint32_t to = sc_map_edges(map)[sc_map_segments(map)[i + 1].first_edge - 1].to % 8;
        uint32_t best = UINT32_MAX;
        const uint32_t ends[] = {from, to};
        for (size_t j = 0; j < 2; j++) {
            const uint32_t column = ends[j] - 1;
            const uint32_t hops = column > 5 - column ? column : 5 - column;
            if (hops < best) best = hops;
        }
        for (uint32_t hops = 0; hops < 8; hops++) {
            const sc_claim_member member = {
                .segment = i, .star = SC_NONE, .k = 1, .l = 1, .max_hops = hops};
            const sc_claim claim = {.segments = all.at,
                                    .segment_count = all.count,
                                    .members = &member,
                                    .member_count = 1};
            unsigned broken = ~0U;
            CHECK_OK(sc_verifier_check_claim(verifier, &claim, &broken, NULL), NULL);
            assert_int_equal(broken, hops < best ? 1U << SC_PROMISE_P4 : 0);
        }
    }
    sc_verifier_free(verifier);
    sc_map_free(map);
    sketch_free(&s);
}

static void test_members_with_stars_of_a_cloak_without_are_noticed(void **state)
{
    (void)state;
    sc_map *map = made_town();
    const made_wishes wishes = {.cloaks = 4, .min_members = 2};
    made_record record = made_record_new(map, 1, &wishes);
    made_find(&record, MADE_CLOAK, 1)->stars.count = 0;
    const sc_verify_report report = verify(&record);
    // The cloak is not like the first, and each member has a star that is not in it.
    assert_int_equal(report.violated[SC_PROMISE_P7], 1);
    assert_int_equal(report.violated[SC_PROMISE_P1],
                     made_find(&record, MADE_CLOAK, 1)->member_count);
    assert_int_equal(report.violations, 1 + report.violated[SC_PROMISE_P1]);
    made_record_free(&record);
    sc_map_free(map);
}

// --- What else is told -----------------------------------------------------------------

static void test_only_the_first_violations_are_put_into_words(void **state)
{
    (void)state;
    sc_map *map = made_town();
    const made_wishes wishes = {.cloaks = 30, .min_members = 2};
    made_record record = made_record_new(map, 7, &wishes);
    for (size_t i = 0; i < record.count; i++) {
        if (record.events[i].kind == MADE_QUERY) record.events[i].l = 1000;
    }
    const sc_verify_report report = verify(&record);
    assert_int_equal(report.violations, report.cloaked);
    assert_int_equal(report.violated[SC_PROMISE_P3], report.cloaked);
    assert_int_equal(report.shown_count, SC_VERIFY_SHOWN);
    for (size_t i = 1; i < report.shown_count; i++) {
        assert_true(report.shown[i - 1].line <= report.shown[i].line);
    }
    made_record_free(&record);
    sc_map_free(map);
}

/** Whether `text` has `word` with a number behind it. */
static bool has_numbered(const char *text, const char *word)
{
    const char *place = text;
    while ((place = strstr(place, word))) {
        place += strlen(word);
        if (*place >= '0' && *place <= '9') return true;
    }
    return false;
}

static void check_discretion(const breakage *b, void *context)
{
    made_record broken = made_record_copy(context);
    b->go(&broken);
    const sc_verify_report report = verify(&broken);
    assert_true(report.shown_count > 0);
    for (size_t i = 0; i < report.shown_count; i++) {
        assert_null(strstr(report.shown[i].text, "Zoltan"));
        assert_null(strstr(report.shown[i].text, "4.2501"));
        assert_false(has_numbered(report.shown[i].text, "edge "));
        assert_false(has_numbered(report.shown[i].text, "object "));
        // Those of a cloak may be named, but not the one that a traveller is on.
        if (report.shown[i].promise != SC_PROMISE_P1) continue;
        assert_false(has_numbered(report.shown[i].text, "segment "));
    }
    made_record_free(&broken);
}

static void test_no_sentence_names_a_user_or_a_position(void **state)
{
    (void)state;
    sc_map *map = made_town();
    const made_wishes wishes = {.cloaks = 16, .min_members = 1, .has_answers = true};
    made_record valid = made_record_new(map, 3, &wishes);
    for (size_t i = 0; i < valid.count; i++) {
        // Answers and needs no longer fit, which makes for more sentences.
        if (valid.events[i].kind != MADE_QUERY) continue;
        memcpy(valid.events[i].user, "Zoltan", 7);
        valid.events[i].offset_m = 4.2501;
    }
    for_each_breakage(check_discretion, &valid);
    made_record_free(&valid);
    sc_map_free(map);
}

static void test_a_drop_is_infeasible_if_and_only_if_both_balls_have_too_few_segments(void **state)
{
    (void)state;
    sc_map *map = made_town();
    const made_wishes wishes = {.cloaks = 4, .min_members = 2};
    made_record record = made_record_new(map, 5, &wishes);
    made_event *query = made_find_query(&record, broken_drop_for(&record, "infeasible")->query);
    for (sc_seg_id s = 0; s < sc_map_segment_count(map); s++) {
        check_case(s);
        query->segment = s;
        query->edge = sc_map_segments(map)[s].first_edge;
        query->offset_m = 0.0;
        for (query->max_hops = 0; query->max_hops < 5; query->max_hops++) {
            const uint32_t most = broken_most_segments(&record, s, query->max_hops);
            query->l = most + 1;
            assert_int_equal(verify(&record).violations, 0);
            query->l = most;
            const sc_verify_report report = verify(&record);
            assert_int_equal(report.violations, 1);
            assert_int_equal(report.violated[SC_PROMISE_P8], 1);
        }
    }
    check_case_done();
    made_record_free(&record);
    sc_map_free(map);
}

static void test_a_failure_behind_a_cloak_takes_the_place_of_its_answer(void **state)
{
    (void)state;
    sc_map *map = made_town();
    const made_wishes wishes = {.cloaks = 4, .min_members = 2};
    made_record record = made_record_new(map, 5, &wishes);
    const made_event *cloak = made_find(&record, MADE_CLOAK, 0);
    made_event failed = {.kind = MADE_FAILED, .t_us = cloak->t_us, .reason = "no provider"};
    memcpy(failed.query, cloak->members[0].query, sizeof failed.query);
    const size_t place = made_place(&record, cloak) + 1;
    made_insert(&record, place, failed);
    assert_int_equal(verify(&record).violations, 0);
    assert_int_equal(verify(&record).failed, 0);

    made_event answer = {.kind = MADE_ANSWER};
    memcpy(answer.query, failed.query, sizeof answer.query);
    made_insert(&record, place + 1, answer);
    assert_int_equal(verify(&record).violated[SC_PROMISE_P8], 1);
    made_record_free(&record);
    sc_map_free(map);
}

static void test_promises_have_names_and_texts(void **state)
{
    (void)state;
    assert_string_equal(sc_promise_name(SC_PROMISE_P1), "P1");
    assert_string_equal(sc_promise_name(SC_PROMISE_P8), "P8");
    assert_string_equal(sc_promise_name(SC_PROMISE_ANSWERS), "answers");
    assert_string_equal(sc_promise_name(SC_PROMISE_COUNT), "unknown");
    assert_string_equal(sc_promise_text(SC_PROMISE_P3), "enough segments");
    assert_string_equal(sc_promise_text(SC_PROMISE_COUNT), "unknown");
}

static const struct CMUnitTest tests[] = {
    SC_CASES(test_a_valid_record_is_accepted_with_its_answers),
    SC_CASES(test_valid_records_of_odd_maps_are_accepted),
    SC_CASES(test_each_way_to_break_a_record_breaks_exactly_its_promise),
    cmocka_unit_test(test_a_member_is_where_its_edge_is_whatever_its_query_says),
    cmocka_unit_test(test_without_stars_a_cloak_must_still_be_within_reach),
    cmocka_unit_test(test_members_with_stars_of_a_cloak_without_are_noticed),
    cmocka_unit_test(test_only_the_first_violations_are_put_into_words),
    cmocka_unit_test(test_no_sentence_names_a_user_or_a_position),
    SC_CASES(test_a_drop_is_infeasible_if_and_only_if_both_balls_have_too_few_segments),
    cmocka_unit_test(test_a_failure_behind_a_cloak_takes_the_place_of_its_answer),
    cmocka_unit_test(test_promises_have_names_and_texts),
};
SC_SUITE(tests)
