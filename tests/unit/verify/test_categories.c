// Requests for several categories, and answers about objects that are not the map's.
#include "support/check.h"
#include "support/sketch.h"
#include "verify/verify_record.h"

#include <stdio.h>

//     A--x---y---z--B     x: cafe, y: school, z: bar; A-B is one road of 100 m
static sc_map *street(void)
{
    sketch s = sketch_new(SC_COORDS_NONE);
    const uint32_t a = sketch_add_node(&s, 0, 0);
    const uint32_t b = sketch_add_node(&s, 0, 0);
    sketch_add_edge(&s, a, b, 100);
    sc_builder *builder = sketch_builder(&s);
    put_object(builder, 0, 0.2, "cafe", "x");
    put_object(builder, 0, 0.5, "school", "y");
    put_object(builder, 0, 0.9, "bar", "z");
    sketch_free(&s);
    return finish_builder(builder);
}

// A query at A for `request` gets `rest` of an answer.
static sc_err verify(const sc_map *map, const char *request, const char *rest,
                     sc_verify_report *report, sc_diag *diag)
{
    char text[2048];
    snprintf(text, sizeof text,
             "{\"event\":\"query\",\"query\":\"q1\",\"user\":\"u\",\"t\":1,\"edge\":0,"
             "\"offset_m\":0,\"segment\":0,\"profile\":{\"k\":1,\"l\":1,\"sigma_s\":1,"
             "\"sigma_t\":2},\"request\":%s}\n"
             "{\"event\":\"cloak\",\"cloak\":0,\"t\":1,\"stars\":[],\"segments\":[0],"
             "\"border_nodes\":[],\"members\":[{\"query\":\"q1\"}]}\n"
             "{\"event\":\"answer\",\"query\":\"q1\",\"cloak\":0,\"candidates\":3,%s}\n"
             "{\"event\":\"end\",\"t\":2}\n",
             request, rest);
    const sc_input input = {"run.jsonl", (const uint8_t *)text, strlen(text)};
    const sc_verify_options options = sc_verify_options_default();
    return sc__verify_input(map, &input, &options, report, diag);
}

static uint64_t violations(const sc_map *map, const char *request, const char *rest)
{
    sc_diag diag = {""};
    sc_verify_report report;
    CHECK_OK(verify(map, request, rest, &report, &diag), &diag);
    assert_int_equal(report.checked[SC_PROMISE_ANSWERS], 1);
    assert_int_equal(report.foreign_answers, 0);
    return report.violations;
}

#define X "{\"poi\":0,\"distance_m\":20.0}"
#define Y "{\"poi\":1,\"distance_m\":50.0}"
#define Z "{\"poi\":2,\"distance_m\":90.0}"

static void test_an_answer_to_several_categories_has_the_nearest_of_any_of_them(void **state)
{
    (void)state;
    sc_map *map = street();
    const char *two = "{\"type\":\"knn\",\"k\":2,\"category\":[\"bar\",\"school\"]}";
    assert_int_equal(violations(map, two, "\"results\":[" Y "," Z "]"), 0);
    assert_int_equal(violations(map, two, "\"results\":[" X "," Y "]"), 1);
    assert_int_equal(violations(map, two, "\"results\":[" Y "]"), 1);
    const char *within = "{\"type\":\"range\",\"radius_m\":60,\"category\":[\"bar\",\"school\"]}";
    assert_int_equal(violations(map, within, "\"results\":[" Y "]"), 0);
    assert_int_equal(violations(map, within, "\"results\":[" X "," Y "]"), 1);
    // One that the map does not have adds nothing; a list of one is that one.
    const char *other = "{\"type\":\"knn\",\"k\":3,\"category\":[\"zoo\",\"cafe\"]}";
    assert_int_equal(violations(map, other, "\"results\":[" X "]"), 0);
    const char *alone = "{\"type\":\"knn\",\"k\":3,\"category\":[\"bar\"]}";
    assert_int_equal(violations(map, alone, "\"results\":[" Z "]"), 0);
    const char *unknown = "{\"type\":\"knn\",\"k\":3,\"category\":[\"zoo\"]}";
    assert_int_equal(violations(map, unknown, "\"results\":[]"), 0);
    assert_int_equal(violations(map, unknown, "\"results\":[" X "]"), 1);
    sc_map_free(map);
}

static void test_what_is_no_list_of_names_is_refused(void **state)
{
    (void)state;
    sc_map *map = street();
    static const char seventeen[] =
        "[\"bar\",\"bar\",\"bar\",\"bar\",\"bar\",\"bar\",\"bar\",\"bar\",\"bar\",\"bar\",\"bar\","
        "\"bar\",\"bar\",\"bar\",\"bar\",\"bar\",\"bar\"]";
    const char *const lists[] = {"[]", "[null]", "[\"bar\",7]", "{}", "7", seventeen};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        check_case(i);
        char request[512];
        sc_diag diag = {""};
        sc_verify_report report;
        snprintf(request, sizeof request, "{\"type\":\"knn\",\"k\":1,\"category\":%s}", lists[i]);
        CHECK_REFUSED(verify(map, request, "\"results\":[]", &report, &diag), SC_EPARSE, &diag,
                      "run.jsonl:1: 'category' is missing or is not a name, a list of up to 16 "
                      "names, or null");
    }
    check_case_done();
    sc_map_free(map);
}

static void check_foreign(const sc_map *map, const char *rest)
{
    sc_diag diag = {""};
    sc_verify_report report;
    const char *request = "{\"type\":\"knn\",\"k\":1,\"category\":null}";
    CHECK_OK(verify(map, request, rest, &report, &diag), &diag);
    assert_int_equal(report.answers, 1);
    assert_int_equal(report.foreign_answers, 1);
    assert_int_equal(report.checked[SC_PROMISE_ANSWERS], 0);
    assert_int_equal(report.violations, 0);
}

// There is nothing to compare them with; that they are not looked at is told, not hidden.
static void test_answers_about_a_providers_own_objects_are_counted_apart(void **state)
{
    (void)state;
    sc_map *map = street();
    check_foreign(map,
                  "\"objects\":\"provider\",\"results\":[{\"poi\":\"n17\",\"distance_m\":3.5}]");
    check_foreign(map, "\"objects\":\"provider\",\"results\":[]");
    check_foreign(map, "\"results\":[{\"poi\":\"n17\",\"distance_m\":3.5}]");
    // Whatever else stands there: it is the map's.
    const char *request = "{\"type\":\"knn\",\"k\":1,\"category\":null}";
    assert_int_equal(violations(map, request, "\"objects\":\"map\",\"results\":[" X "]"), 0);
    assert_int_equal(violations(map, request, "\"objects\":7,\"results\":[]"), 1);
    sc_map_free(map);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_an_answer_to_several_categories_has_the_nearest_of_any_of_them),
    SC_CASES(test_what_is_no_list_of_names_is_refused),
    cmocka_unit_test(test_answers_about_a_providers_own_objects_are_counted_apart),
};
SC_SUITE(tests)
