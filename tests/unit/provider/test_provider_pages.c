// What can be read of a provider: its health, its counts, its categories.
#include "provider/provider_internal.h"

#include <jansson.h>
#include <pthread.h>
#include <regex.h>
#include <stdio.h>

#include "support/check.h"
#include "support/lbs_scene.h"

static void check_text(const lbs_scene *s, const char *path, const char *text)
{
    lbs_answer got = lbs_ask(s, "GET", path);
    assert_int_equal(got.status, 200);
    assert_string_equal(got.type, "text/plain; charset=utf-8");
    assert_string_equal(got.body, text);
    lbs_answer_free(&got);
    got = lbs_ask(s, "HEAD", path);
    assert_int_equal(got.status, 200);
    assert_int_equal(got.size, 0);
    lbs_answer_free(&got);
}

static void test_a_provider_that_runs_is_healthy_and_ready(void **state)
{
    (void)state;
    lbs_scene s;
    lbs_scene_open(&s);
    lbs_scene_start(&s, sc__provider_evaluate);
    check_text(&s, "/healthz", "ok\n");
    check_text(&s, "/readyz?verbose", "ready\n");
    lbs_scene_close(&s);
}

static void test_categories_are_told_with_how_many_objects_each_has(void **state)
{
    (void)state;
    lbs_scene s;
    lbs_scene_open(&s);
    lbs_scene_start(&s, sc__provider_evaluate);
    lbs_answer got = lbs_ask(&s, "GET", "/v1/categories");
    assert_int_equal(got.status, 200);
    assert_string_equal(got.type, "application/json");
    json_t *page = json_loadb(got.body, got.size, JSON_REJECT_DUPLICATES, NULL);
    assert_non_null(page);
    const json_t *list = json_object_get(page, "categories");
    const sc_vocabulary *words = sc_objects_vocabulary(s.objects);
    assert_int_equal(json_array_size(list), words->count);
    json_int_t sum = 0;
    for (uint32_t i = 0; i < words->count; i++) {
        const json_t *category = json_array_get(list, i);
        assert_string_equal(json_string_value(json_object_get(category, "name")), words->names[i]);
        const json_int_t objects = json_integer_value(json_object_get(category, "objects"));
        assert_true(objects > 0);
        sum += objects;
    }
    assert_int_equal(sum, sc_objects_table(s.objects)->count);
    json_decref(page);
    lbs_answer_free(&got);
    lbs_scene_close(&s);
}

// --- Metrics ---------------------------------------------------------------------------

/** Every line is a comment or a value, as the text format has them. */
static void check_format(const char *text)
{
    regex_t line;
    assert_int_equal(regcomp(&line,
                             "^(# (HELP|TYPE) starcloak_lbs_[a-z_]+ .+|"
                             "starcloak_lbs_[a-z_]+(\\{[a-z]+=\"[^\"]+\"\\})? [0-9.]+)$",
                             REG_EXTENDED | REG_NOSUB),
                     0);
    char *copy = strdup(text);
    size_t count = 0;
    char *rest = NULL;
    for (char *at = strtok_r(copy, "\n", &rest); at; at = strtok_r(NULL, "\n", &rest)) {
        if (regexec(&line, at, 0, NULL, 0) != 0) fail_msg("not a line of metrics: %s", at);
        count++;
    }
    assert_true(count > 60);
    free(copy);
    regfree(&line);
}

static void test_metrics_count_what_happened(void **state)
{
    (void)state;
    lbs_scene s;
    lbs_scene_open(&s);
    lbs_scene_start(&s, sc__provider_evaluate);
    sc_bytes message = lbs_scene_message(&s, SC_ENCODING_COMPACT);
    for (int i = 0; i < 5; i++) {
        lbs_answer got = lbs_post(&s, "/", "application/x-protobuf", message.data, message.size);
        assert_int_equal(got.status, 200);
        lbs_answer_free(&got);
    }
    sc_bytes_fini(&message);
    lbs_answer got = lbs_post(&s, "/", "application/x-protobuf", "x", 1);
    lbs_check_problem(&got, 400, "");
    got = lbs_post(&s, "/", "text/plain", "x", 1);
    lbs_check_problem(&got, 415, "");
    got = lbs_ask(&s, "PUT", "/");
    lbs_check_problem(&got, 405, "");

    got = lbs_ask(&s, "GET", "/metrics");
    assert_int_equal(got.status, 200);
    assert_string_equal(got.type, "text/plain; version=0.0.4; charset=utf-8");
    check_format(got.body);
    CHECK_CONTAINS(got.body, "\nstarcloak_lbs_requests_total{status=\"200\"} 5\n");
    CHECK_CONTAINS(got.body, "\nstarcloak_lbs_requests_total{status=\"400\"} 1\n");
    CHECK_CONTAINS(got.body, "\nstarcloak_lbs_requests_total{status=\"405\"} 1\n");
    CHECK_CONTAINS(got.body, "\nstarcloak_lbs_requests_total{status=\"415\"} 1\n");
    CHECK_CONTAINS(got.body, "\nstarcloak_lbs_requests_total{status=\"422\"} 0\n");
    CHECK_CONTAINS(got.body, "\nstarcloak_lbs_requests_total{status=\"other\"} 0\n");
    CHECK_CONTAINS(got.body, "\nstarcloak_lbs_evaluation_seconds_bucket{le=\"+Inf\"} 6\n");
    CHECK_CONTAINS(got.body, "\nstarcloak_lbs_evaluation_seconds_count 6\n");
    CHECK_CONTAINS(got.body, "\nstarcloak_lbs_reply_seconds_count 6\n");
    CHECK_CONTAINS(got.body, "\nstarcloak_lbs_reply_seconds_bucket{le=\"0.001\"} ");
    CHECK_CONTAINS(got.body, "\nstarcloak_lbs_waiting 0\n");
    char wanted[128];
    snprintf(wanted, sizeof wanted, "\nstarcloak_lbs_objects %u\n",
             (unsigned)sc_objects_table(s.objects)->count);
    CHECK_CONTAINS(got.body, wanted);
    // Each of the five asked three things of every border node; there is no index.
    snprintf(wanted, sizeof wanted, "\nstarcloak_lbs_border_answers_total{by=\"search\"} %zu\n",
             s.cloak.border_node_count * LBS_SCENE_REQUESTS * 5);
    CHECK_CONTAINS(got.body, wanted);
    // Of a feed nothing is said where there is none.
    assert_null(strstr(got.body, "feed"));
    lbs_answer_free(&got);
    lbs_scene_close(&s);
}

static void test_statuses_that_have_no_line_are_counted_together(void **state)
{
    (void)state;
    sc__provider_counts counts;
    sc__provider_counts_init(&counts);
    sc__provider_counts_status(&counts, 200);
    sc__provider_counts_status(&counts, 503);
    sc__provider_counts_status(&counts, 418);
    sc__provider_counts_status(&counts, 299);
    assert_int_equal(atomic_load(&counts.by_status[SC__STATUS_200]), 1);
    assert_int_equal(atomic_load(&counts.by_status[SC__STATUS_503]), 1);
    assert_int_equal(atomic_load(&counts.by_status[SC__STATUS_COUNT]), 2);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_provider_that_runs_is_healthy_and_ready),
    cmocka_unit_test(test_categories_are_told_with_how_many_objects_each_has),
    cmocka_unit_test(test_metrics_count_what_happened),
    cmocka_unit_test(test_statuses_that_have_no_line_are_counted_together),
};
SC_SUITE(tests)
