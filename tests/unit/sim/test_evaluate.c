// Answering the cloaks of a record. The oracle is the verifier, which knows nothing of providers:
// it compares every answer with a plain search from the true position.
#include "support/check.h"
#include "support/made_record.h"
#include "support/place.h"

#include "sim/evaluate.h"

#include <jansson.h>
#include <stdio.h>

static sc_map *map;
static sc_objects *objects;

static int open_map(void **state)
{
    (void)state;
    map = made_town();
    return sc_objects_new_from_map(map, &objects) ? 1 : 0;
}

static int close_map(void **state)
{
    (void)state;
    sc_objects_release(objects);
    sc_map_free(map);
    return 0;
}

static sc_evaluate_options seeded_options(void)
{
    sc_evaluate_options options = sc_evaluate_options_default();
    options.objects = objects;
    options.is_seeded = true;
    options.seed = 7;
    return options;
}

/** A made-up record in a file. */
static const char *write_record(const place *p, const char *name, uint64_t seed,
                                const made_wishes *wishes)
{
    made_record record = made_record_new(map, seed, wishes);
    size_t size = 0;
    char *text = made_text(&record, &size);
    const char *path = place_write(p, name, text, size);
    free(text);
    made_record_free(&record);
    return path;
}

static sc_verify_report verify(const char *path)
{
    sc_verify_report report;
    sc_diag diag = {""};
    const sc_verify_options options = {.answer_sample = UINT64_MAX};
    CHECK_OK(sc_record_verify(map, path, &options, &report, &diag), &diag);
    if (report.shown_count > 0) print_message("# %s\n", report.shown[0].text);
    return report;
}

static sc_evaluate_report evaluate(const char *path, const char *output,
                                   const sc_evaluate_options *options)
{
    sc_evaluate_report report;
    sc_diag diag = {""};
    CHECK_OK(sc_evaluate(map, path, output, options, &report, &diag), &diag);
    return report;
}

// --- Answers ------------------------------------------------------------------

static void test_every_member_gets_the_answer_of_a_plain_search(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 60; seed++) {
        check_case(seed);
        place p = place_new();
        const made_wishes wishes = {.cloaks = 1 + (uint32_t)seed % 20,
                                    .min_members = 1 + (uint32_t)seed % 3,
                                    .is_starless = seed % 5 == 0};
        const char *path = write_record(&p, "run.jsonl", seed, &wishes);
        sc_evaluate_options options = seeded_options();
        options.lbs.without_index = seed % 2 == 0;
        options.check_count = SC_CHECK_ALL;
        const sc_evaluate_report report = evaluate(path, path, &options);
        assert_int_equal(report.cloaks, wishes.cloaks);
        assert_int_equal(report.answered, report.queries);
        assert_int_equal(report.failed + report.refused + report.replaced, 0);
        assert_int_equal(report.checked, report.answered);
        assert_int_equal(report.wrong, 0);

        const sc_verify_report verified = verify(path);
        assert_int_equal(verified.violations, 0);
        assert_int_equal(verified.answers, report.answered);
        assert_int_equal(verified.cloaked, report.queries);
        assert_int_equal(verified.checked[SC_PROMISE_ANSWERS], report.answered);
        place_free(&p);
    }
    check_case_done();
}

// Lines of `text` that are no answers, in order; release with free().
static char *without_answers(const char *text)
{
    char *out = test_take(strlen(text) + 1, 1);
    size_t used = 0;
    for (const char *line = text; *line; line = strchr(line, '\n') + 1) {
        const size_t size = (size_t)(strchr(line, '\n') - line) + 1;
        if (strncmp(line, "{\"event\":\"answer\"", 16) == 0) continue;
        memcpy(out + used, line, size);
        used += size;
    }
    return out;
}

static void test_all_other_lines_stay_as_they_are_and_answers_follow_their_cloak(void **state)
{
    (void)state;
    place p = place_new();
    size_t size = 0;
    // More cloaks than are evaluated together.
    const made_wishes wishes = {.cloaks = 150, .min_members = 1};
    const char *path = write_record(&p, "run.jsonl", 3, &wishes);
    const char *output = place_path(&p, "out.jsonl");
    char *before = read_whole(path, &size);
    const sc_evaluate_options options = seeded_options();
    evaluate(path, output, &options);
    char *untouched = read_whole(path, &size);
    char *after = read_whole(output, &size);
    char *rest = without_answers(after);
    assert_string_equal(before, untouched);
    assert_string_equal(before, rest);

    // The answers behind a cloak are of its members, in their order.
    uint64_t cloaks = 0;
    for (char *line = after; *line; line = strchr(line, '\n') + 1) {
        json_t *event = json_loads(line, JSON_DISABLE_EOF_CHECK, NULL);
        assert_non_null(event);
        if (strcmp(json_string_value(json_object_get(event, "event")), "cloak") == 0) {
            const json_t *members = json_object_get(event, "members");
            cloaks++;
            for (size_t i = 0; i < json_array_size(members); i++) {
                line = strchr(line, '\n') + 1;
                json_t *answer = json_loads(line, JSON_DISABLE_EOF_CHECK, NULL);
                assert_non_null(answer);
                assert_string_equal(
                    json_string_value(json_object_get(answer, "query")),
                    json_string_value(json_object_get(json_array_get(members, i), "query")));
                assert_int_equal(json_integer_value(json_object_get(answer, "cloak")),
                                 json_integer_value(json_object_get(event, "cloak")));
                assert_true(json_integer_value(json_object_get(answer, "candidates")) >=
                            (json_int_t)json_array_size(json_object_get(answer, "results")));
                json_decref(answer);
            }
        }
        json_decref(event);
    }
    assert_int_equal(cloaks, 150);
    free(rest);
    free(after);
    free(untouched);
    free(before);
    place_free(&p);
}

static void test_answers_from_before_are_replaced(void **state)
{
    (void)state;
    place p = place_new();
    const made_wishes wishes = {.cloaks = 20, .min_members = 2, .has_answers = true};
    const char *path = write_record(&p, "run.jsonl", 5, &wishes);
    const uint64_t answers = verify(path).answers;
    const sc_evaluate_options options = seeded_options();
    sc_evaluate_report report = evaluate(path, path, &options);
    assert_int_equal(report.replaced, answers);
    assert_int_equal(report.answered, answers);
    size_t size = 0;
    char *once = read_whole(path, &size);
    report = evaluate(path, path, &options);
    assert_int_equal(report.replaced, answers);
    char *twice = read_whole(path, &size);
    assert_string_equal(once, twice);
    assert_int_equal(verify(path).violations, 0);
    free(once);
    free(twice);
    place_free(&p);
}

static void test_without_an_output_nothing_is_written_and_all_is_measured(void **state)
{
    (void)state;
    place p = place_new();
    const made_wishes wishes = {.cloaks = 20, .min_members = 2};
    const char *path = write_record(&p, "run.jsonl", 8, &wishes);
    size_t size = 0;
    char *before = read_whole(path, &size);
    const sc_evaluate_options options = seeded_options();
    const sc_evaluate_report report = evaluate(path, NULL, &options);
    char *after = read_whole(path, &size);
    assert_string_equal(before, after);
    assert_int_equal(count_entries(p.path), 1);
    assert_int_equal(report.cloaks, 20);
    assert_int_equal(report.requests.count, 20);
    assert_int_equal(report.bytes_out.count, 20);
    assert_true(report.bytes_out.mean > 0 && report.bytes_in.mean > 0);
    assert_int_equal(report.candidates.count, report.answered);
    assert_true(report.candidates.mean >= report.distinct.mean);
    assert_true(report.distinct.mean >= report.results.mean);
    assert_true(report.work.looked_up + report.work.searched > 0);
    assert_true(report.provider_cpu_s > 0 && report.codec_cpu_s > 0 && report.trusted_cpu_s > 0);
    assert_true(sc_evaluate_cpu_per_cloak_s(&report) * 20 >= report.provider_cpu_s);
    free(before);
    free(after);
    place_free(&p);
}

static void test_cloaks_without_a_record_fare_as_those_of_one(void **state)
{
    (void)state;
    place p = place_new();
    // More than one batch.
    const made_wishes wishes = {.cloaks = 150, .min_members = 1};
    const char *path = write_record(&p, "run.jsonl", 10, &wishes);
    sc_evaluate_options options = seeded_options();
    options.check_count = 40;
    const sc_evaluate_report wanted = evaluate(path, NULL, &options);

    sc_diag diag = {""};
    sc_evaluation *evaluation = NULL;
    sc_run_reader *reader = NULL;
    CHECK_OK(sc_evaluation_new(map, &options, &evaluation, &diag), &diag);
    const sc_vocabulary *words = sc_evaluation_vocabulary(evaluation);
    CHECK_OK(sc_run_reader_open(map, words, path, &reader, &diag), &diag);
    for (sc_run_line line;;) {
        CHECK_OK(sc_run_reader_next(reader, &line, &diag), &diag);
        if (!line.text.text) break;
        if (line.kind != SC_RUN_CLOAK) continue;
        // Without a record there are no ids either.
        for (size_t i = 0; i < line.cloak.member_count; i++) {
            ((sc_run_member *)(uintptr_t)line.cloak.members)[i].query = (sc_slice){NULL, 0};
        }
        CHECK_OK(sc_evaluation_add(evaluation, &line.cloak, &diag), &diag);
    }
    assert_false(sc_evaluation_is_idle(evaluation));
    sc_evaluate_report report;
    CHECK_OK(sc_evaluation_finish(evaluation, &report, &diag), &diag);
    assert_true(sc_evaluation_is_idle(evaluation));
    sc_run_reader_free(reader);
    sc_evaluation_free(evaluation);

    assert_int_equal(report.cloaks, 150);
    assert_int_equal(report.queries, wanted.queries);
    assert_int_equal(report.answered, wanted.queries);
    assert_int_equal(report.checked, wanted.checked);
    assert_int_equal(report.wrong, 0);
    assert_memory_equal(&report.requests, &wanted.requests, sizeof report.requests);
    assert_memory_equal(&report.bytes_in, &wanted.bytes_in, sizeof report.bytes_in);
    assert_memory_equal(&report.candidates, &wanted.candidates, sizeof report.candidates);
    assert_memory_equal(&report.distinct, &wanted.distinct, sizeof report.distinct);
    assert_memory_equal(&report.results, &wanted.results, sizeof report.results);
    place_free(&p);
}

static void test_a_failure_without_a_record_is_told_by_the_number_of_its_cloak(void **state)
{
    (void)state;
    const sc_node_id far = sc_map_node_count(map) - 1;
    const sc_seg_id segment = 0;
    const sc_run_member member = {.edge = sc_map_segments(map)[segment].first_edge,
                                  .request = {.type = SC_REQUEST_KNN, .k = 1}};
    const sc_run_cloak cloak = {.number = 17,
                                .segments = &segment,
                                .segment_count = 1,
                                .border_nodes = &far,
                                .border_node_count = 1,
                                .members = &member,
                                .member_count = 1};
    const sc_evaluate_options options = seeded_options();
    sc_evaluation *evaluation = NULL;
    sc_evaluate_report report;
    sc_diag diag = {""};
    CHECK_OK(sc_evaluation_new(map, &options, &evaluation, &diag), &diag);
    CHECK_OK(sc_evaluation_add(evaluation, &cloak, &diag), &diag);
    CHECK_OK(sc_evaluation_finish(evaluation, &report, &diag), &diag);
    sc_evaluation_free(evaluation);
    assert_int_equal(report.failed, 1);
    assert_memory_equal(report.first_failure.message, "cloak 17: ", 10);
}

// --- Objects of one's own -------------------------------------------------------

static void test_objects_that_are_not_the_maps_are_told_by_their_keys(void **state)
{
    (void)state;
    place p = place_new();
    sc_objects_builder *builder = NULL;
    sc_objects *own = NULL;
    sc_diag diag = {""};
    CHECK_OK(sc_objects_builder_new(map, &builder), NULL);
    for (sc_edge_id e = 0; e < sc_map_edge_count(map); e += 2) {
        char key[24];
        snprintf(key, sizeof key, "way \"%u\"", (unsigned)e);
        CHECK_OK(
            sc_objects_builder_add(builder,
                                   &(sc_object_row){.edge = e,
                                                    .offset_m = 1.0,
                                                    .key = key,
                                                    .category = sc_map_category_name(map, e % 2),
                                                    .name = NULL},
                                   &diag),
            &diag);
    }
    CHECK_OK(sc_objects_builder_finish(builder, &own), NULL);
    sc_objects_builder_free(builder);

    const made_wishes wishes = {.cloaks = 30, .min_members = 2};
    const char *path = write_record(&p, "run.jsonl", 9, &wishes);
    sc_evaluate_options options = seeded_options();
    options.objects = own;
    options.check_count = SC_CHECK_ALL;
    const sc_evaluate_report report = evaluate(path, path, &options);
    assert_int_equal(report.checked, report.answered);
    assert_int_equal(report.wrong, 0);
    assert_int_equal(report.answered, report.queries);
    size_t size = 0;
    char *text = read_whole(path, &size);
    CHECK_CONTAINS(text, ",\"objects\":\"provider\",\"results\":[{\"poi\":\"way \\\"");
    free(text);

    const sc_verify_report verified = verify(path);
    assert_int_equal(verified.violations, 0);
    assert_int_equal(verified.answers, report.answered);
    assert_int_equal(verified.foreign_answers, report.answered);
    assert_int_equal(verified.checked[SC_PROMISE_ANSWERS], 0);
    sc_objects_release(own);
    place_free(&p);
}

// --- What goes wrong --------------------------------------------------------------

// The request of one member becomes one that no provider is asked for.
static void test_a_request_beyond_the_limits_fails_alone(void **state)
{
    (void)state;
    place p = place_new();
    const made_wishes wishes = {.cloaks = 1, .min_members = 4};
    made_record record = made_record_new(map, 12, &wishes);
    made_event *query =
        made_find_query(&record, made_find(&record, MADE_CLOAK, 0)->members[1].query);
    query->nearest = 1001;
    size_t size = 0;
    char *text = made_text(&record, &size);
    const char *path = place_write(&p, "run.jsonl", text, size);
    const sc_evaluate_options options = seeded_options();
    const sc_evaluate_report report = evaluate(path, path, &options);
    assert_int_equal(report.refused, 1);
    assert_int_equal(report.answered, report.queries - 1);
    free(text);
    text = read_whole(path, &size);
    CHECK_CONTAINS(text, "{\"event\":\"failed\",\"query\":");
    CHECK_CONTAINS(text, "\"reason\":\"request\"}");
    assert_int_equal(verify(path).violations, 0);
    free(text);
    made_record_free(&record);
    place_free(&p);
}

static void test_a_cloak_that_the_provider_cannot_answer_fails_and_others_go_on(void **state)
{
    (void)state;
    place p = place_new();
    const made_wishes wishes = {.cloaks = 40, .min_members = 1};
    const char *path = write_record(&p, "run.jsonl", 13, &wishes);
    sc_evaluate_options options = seeded_options();
    options.lbs.max_objects = 20;
    const sc_evaluate_report report = evaluate(path, path, &options);
    assert_true(report.failed > 0);
    assert_true(report.answered > 0);
    assert_int_equal(report.failed + report.answered, report.queries);
    CHECK_CONTAINS(report.first_failure.message, "cloak ");
    CHECK_CONTAINS(report.first_failure.message, "more than 20 objects");
    size_t size = 0;
    char *text = read_whole(path, &size);
    CHECK_CONTAINS(text, "\"reason\":\"provider\"}");
    const sc_verify_report verified = verify(path);
    assert_int_equal(verified.violations, 0);
    assert_int_equal(verified.answers, report.answered);
    free(text);

    // A provider that is asked again, and can do more, replaces failures too.
    options.lbs.max_objects = 1000000;
    const sc_evaluate_report again = evaluate(path, path, &options);
    assert_int_equal(again.replaced, again.queries);
    assert_int_equal(again.answered, again.queries);
    place_free(&p);
}

static void test_a_cloak_with_a_border_that_is_none_fails_and_others_go_on(void **state)
{
    (void)state;
    place p = place_new();
    const made_wishes wishes = {.cloaks = 3, .min_members = 2};
    made_record record = made_record_new(map, 14, &wishes);
    made_event *cloak = made_find(&record, MADE_CLOAK, 1);
    // A node of the map at which no segment of the cloak ends.
    cloak->border_nodes.count = 1;
    cloak->border_nodes.at[0] = sc_map_node_count(map) - 1;
    size_t size = 0;
    char *text = made_text(&record, &size);
    const char *path = place_write(&p, "run.jsonl", text, size);
    const sc_evaluate_options options = seeded_options();
    const sc_evaluate_report report = evaluate(path, path, &options);
    assert_int_equal(report.cloaks, 3);
    assert_int_equal(report.failed, cloak->member_count);
    assert_int_equal(report.answered, report.queries - report.failed);
    char who[64];
    snprintf(who, sizeof who, ": cloak %u: ", (unsigned)cloak->cloak);
    CHECK_CONTAINS(report.first_failure.message, who);
    CHECK_CONTAINS(report.first_failure.message, "run.jsonl:");
    free(text);
    made_record_free(&record);
    place_free(&p);
}

static void test_an_evaluation_that_answers_nothing_leaves_the_answers_from_before(void **state)
{
    (void)state;
    place p = place_new();
    const made_wishes wishes = {.cloaks = 20, .min_members = 2, .has_answers = true};
    const char *path = write_record(&p, "run.jsonl", 16, &wishes);
    size_t size = 0;
    char *before = read_whole(path, &size);
    sc_evaluate_options options = seeded_options();
    options.lbs.limits.max_k = 0;
    options.lbs.limits.max_radius_m = 0;
    const sc_evaluate_report report = evaluate(path, path, &options);
    assert_true(sc_evaluate_is_fruitless(&report));
    assert_int_equal(report.refused, report.queries);
    char *after = read_whole(path, &size);
    assert_string_equal(before, after);
    assert_int_equal(count_entries(p.path), 1);
    free(after);
    free(before);
    place_free(&p);
}

static void test_what_is_no_record_leaves_the_file_and_nothing_else(void **state)
{
    (void)state;
    place p = place_new();
    const char *path = place_write_text(&p, "run.jsonl", "{\"event\":\"end\",\"t\":1}\nmore\n");
    const sc_evaluate_options options = seeded_options();
    sc_evaluate_report report;
    sc_diag diag = {""};
    CHECK_REFUSED(sc_evaluate(map, path, path, &options, &report, &diag), SC_EPARSE, &diag,
                  "run.jsonl:2: is after the end event of the record");
    assert_int_equal(count_entries(p.path), 1);
    CHECK_REFUSED(sc_evaluate(map, place_path(&p, "absent.jsonl"), path, &options, &report, &diag),
                  SC_EIO, &diag, "absent.jsonl");
    const char *nowhere = place_path(&p, "no/such/out.jsonl");
    CHECK_REFUSED(sc_evaluate(map, path, nowhere, &options, &report, &diag), SC_EIO, &diag,
                  "no/such");
    place_free(&p);
}

static void count_reports(void *context, const char *phase, uint64_t done, uint64_t total)
{
    int *count = context;
    assert_string_equal(phase, "evaluating");
    assert_true(done <= total);
    (*count)++;
}

static void test_progress_is_told_batch_by_batch(void **state)
{
    (void)state;
    place p = place_new();
    int count = 0;
    const made_wishes wishes = {.cloaks = 150, .min_members = 1};
    const char *path = write_record(&p, "run.jsonl", 15, &wishes);
    sc_evaluate_options options = seeded_options();
    options.progress = (sc_progress){count_reports, &count};
    evaluate(path, NULL, &options);
    assert_int_equal(count, 3);
    place_free(&p);
}

static const struct CMUnitTest tests[] = {
    SC_CASES(test_every_member_gets_the_answer_of_a_plain_search),
    cmocka_unit_test(test_all_other_lines_stay_as_they_are_and_answers_follow_their_cloak),
    cmocka_unit_test(test_answers_from_before_are_replaced),
    cmocka_unit_test(test_without_an_output_nothing_is_written_and_all_is_measured),
    cmocka_unit_test(test_cloaks_without_a_record_fare_as_those_of_one),
    cmocka_unit_test(test_a_failure_without_a_record_is_told_by_the_number_of_its_cloak),
    cmocka_unit_test(test_objects_that_are_not_the_maps_are_told_by_their_keys),
    cmocka_unit_test(test_a_request_beyond_the_limits_fails_alone),
    cmocka_unit_test(test_a_cloak_that_the_provider_cannot_answer_fails_and_others_go_on),
    cmocka_unit_test(test_a_cloak_with_a_border_that_is_none_fails_and_others_go_on),
    cmocka_unit_test(test_an_evaluation_that_answers_nothing_leaves_the_answers_from_before),
    cmocka_unit_test(test_what_is_no_record_leaves_the_file_and_nothing_else),
    cmocka_unit_test(test_progress_is_told_batch_by_batch),
};
SC_SUITE_WITH(tests, open_map, close_map)
