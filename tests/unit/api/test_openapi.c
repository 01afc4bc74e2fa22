// The description of our pages: sound by itself, and in step with the words of the code.
#include "api/problem_details.h"

#include "api/events.h"
#include "courier/courier.h"
#include "support/check.h"
#include "support/json_schema.h"
#include "support/openapi.h"

#include <starcloak/engine.h>
#include <stdio.h>

static void check_schema(const json_t *document, const json_t *schema, const char *where)
{
    schema_reason why = {""};
    if (json_schema_audit(document, schema, &why) != SCHEMA_FITS) {
        fail_msg("%s: %s", where, why.text);
    }
}

static void test_every_schema_can_be_checked(void **state)
{
    (void)state;
    json_t *document = openapi_load();
    json_t *components = json_object_get(document, "components");
    const char *name = NULL;
    json_t *part = NULL;
    json_object_foreach(json_object_get(components, "schemas"), name, part)
    {
        check_schema(document, part, name);
    }
    json_object_foreach(json_object_get(components, "headers"), name, part)
    {
        check_schema(document, json_object_get(part, "schema"), name);
    }
    json_decref(document);
}

static void check_operation(const json_t *document, const char *path, const char *method,
                            json_t *operation)
{
    assert_true(json_is_string(json_object_get(operation, "operationId")));
    assert_true(json_is_string(json_object_get(operation, "summary")));
    const char *status = NULL;
    json_t *response = NULL;
    json_object_foreach(json_object_get(operation, "responses"), status, response)
    {
        char where[128];
        snprintf(where, sizeof where, "%s %s %s", method, path, status);
        const json_t *found =
            openapi_response(document, method, path, (int)strtol(status, NULL, 10));
        if (!json_object_get(found, "description")) fail_msg("%s leads nowhere", where);
        const char *media = NULL;
        json_t *content = NULL;
        json_object_foreach(json_object_get(found, "content"), media, content)
        {
            check_schema(document, json_object_get(content, "schema"), where);
        }
    }
}

static void test_every_page_is_described(void **state)
{
    (void)state;
    static const struct {
        const char *method;
        const char *path;
    } pages[] = {
        {"post", "/v1/queries"},     {"get", "/v1/about"},
        {"get", "/v1/map"},          {"get", "/v1/map.bin"},
        {"get", "/v1/partition"},    {"get", "/v1/categories"},
        {"get", "/v1/events"},       {"get", "/"},
        {"get", "/healthz"},         {"get", "/readyz"},
        {"get", "/v1/cluster"},      {"get", "/metrics"},
        {"get", "/openapi.json"},    {"post", "/v1/zone"},
        {"get", "/v1/queries/{id}"}, {"delete", "/v1/queries/{id}"},
    };
    json_t *document = openapi_load();
    assert_string_equal(json_string_value(json_object_get(document, "openapi")), "3.1.0");
    json_t *paths = json_object_get(document, "paths");
    size_t count = 0;
    const char *path = NULL;
    const json_t *operations = NULL;
    json_object_foreach(paths, path, operations)
    {
        count += json_object_size(operations);
    }
    assert_int_equal(count, sizeof pages / sizeof *pages);
    for (size_t i = 0; i < sizeof pages / sizeof *pages; i++) {
        json_t *page = json_object_get(paths, pages[i].path);
        check_operation(document, pages[i].path, pages[i].method,
                        json_object_get(page, pages[i].method));
    }
    json_decref(document);
}

static void test_examples_are_examples(void **state)
{
    (void)state;
    json_t *document = openapi_load();
    size_t count = 0;
    const char *name = NULL;
    json_t *schema = NULL;
    json_object_foreach(json_object_get(json_object_get(document, "components"), "schemas"), name,
                        schema)
    {
        const json_t *examples = json_object_get(schema, "examples");
        for (size_t i = 0; i < json_array_size(examples); i++) {
            schema_reason why = {""};
            if (json_schema_check(document, schema, json_array_get(examples, i), &why)) {
                fail_msg("%s, example %zu: %s", name, i, why.text);
            }
            count++;
        }
    }
    assert_true(count >= 10);
    json_decref(document);
}

// Every object that we send or take says all its members: one that is not described is a mistake.
static void check_closed(const json_t *schema, const char *name)
{
    if (json_is_array(schema)) {
        for (size_t i = 0; i < json_array_size(schema); i++) {
            check_closed(json_array_get(schema, i), name);
        }
        return;
    }
    const char *type = json_string_value(json_object_get(schema, "type"));
    if (type && strcmp(type, "object") == 0 &&
        !json_is_false(json_object_get(schema, "additionalProperties"))) {
        fail_msg("%s has an object that may have anything", name);
    }
    const char *word = NULL;
    json_t *said = NULL;
    json_object_foreach((json_t *)(uintptr_t)schema, word, said)
    {
        if (strcmp(word, "examples") != 0) check_closed(said, name);
    }
}

static void test_no_object_may_have_members_that_are_not_described(void **state)
{
    (void)state;
    json_t *document = openapi_load();
    const char *name = NULL;
    json_t *schema = NULL;
    json_object_foreach(json_object_get(json_object_get(document, "components"), "schemas"), name,
                        schema)
    {
        check_closed(schema, name);
    }
    json_decref(document);
}

static bool is_listed(const json_t *list, const char *word)
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        if (strcmp(json_string_value(json_array_get(list, i)), word) == 0) return true;
    }
    return false;
}

static const json_t *enum_of(const json_t *document, const char *schema, const char *member)
{
    const json_t *members = json_object_get(openapi_schema(document, schema), "properties");
    return json_object_get(json_object_get(members, member), "enum");
}

static void test_problems_and_reasons_are_those_of_the_code(void **state)
{
    (void)state;
    json_t *document = openapi_load();
    static const char *const types[] = {
#define X(name, status, word, title) "urn:starcloak:problem:" word,
        SC_PROBLEM_MAP(X)
#undef X
    };
    const json_t *listed = enum_of(document, "Problem", "type");
    assert_int_equal(json_array_size(listed), SC_PROBLEM_COUNT);
    for (size_t i = 0; i < SC_PROBLEM_COUNT; i++) {
        if (!is_listed(listed, types[i])) fail_msg("%s is not listed", types[i]);
    }
    listed = enum_of(document, "Problem", "reason");
    assert_int_equal(json_array_size(listed), SC_FAILURE_COUNT - 1);  // all but "none"
    for (sc_failure i = SC_FAILURE_NONE + 1; i < SC_FAILURE_COUNT; i++) {
        assert_true(is_listed(listed, sc_failure_name(i)));
    }
    listed = enum_of(document, "Dropped", "reason");
    assert_int_equal(json_array_size(listed), SC_DROP_REASON_COUNT);
    for (sc_drop_reason i = 0; i < SC_DROP_REASON_COUNT; i++) {
        assert_true(is_listed(listed, sc_drop_reason_name(i)));
    }
    json_decref(document);
}

static void test_methods_and_counters_are_those_of_the_code(void **state)
{
    (void)state;
    json_t *document = openapi_load();
    const json_t *methods = json_object_get(openapi_schema(document, "Method"), "enum");
    assert_int_equal(json_array_size(methods), SC_VARIANT_COUNT);
    for (sc_variant i = 0; i < SC_VARIANT_COUNT; i++) {
        assert_true(is_listed(methods, sc_variant_name(i)));
    }
    static const char *const counters[] = {
#define X(type, name) #name,
        SC_COUNTER_MAP(X)
#undef X
    };
    const size_t count = sizeof counters / sizeof *counters;
    const json_t *required = json_object_get(openapi_schema(document, "Counters"), "required");
    const json_t *members = json_object_get(openapi_schema(document, "Counters"), "properties");
    const json_t *history = json_object_get(openapi_schema(document, "HistoryEvent"), "properties");
    const json_t *fields = json_object_get(json_object_get(history, "fields"), "const");
    assert_int_equal(json_object_size(members), count);
    assert_int_equal(json_array_size(required), count);
    assert_int_equal(json_array_size(fields), count);
    for (size_t i = 0; i < count; i++) {
        assert_non_null(json_object_get(members, counters[i]));
        assert_string_equal(json_string_value(json_array_get(required, i)), counters[i]);
        assert_string_equal(json_string_value(json_array_get(fields, i)), counters[i]);
    }
    const json_t *rows = json_object_get(history, "rows");
    const json_t *row = json_object_get(rows, "items");
    assert_int_equal(json_integer_value(json_object_get(rows, "maxItems")), SC_HISTORY_ROWS);
    assert_int_equal(json_integer_value(json_object_get(row, "minItems")), count);
    assert_int_equal(json_integer_value(json_object_get(row, "maxItems")), count);
    json_decref(document);
}

/** Where each kind of problem can come up. */
static const char *page_of(sc_problem_kind kind)
{
    if (kind == SC_PROBLEM_NO_SUCH_QUERY) return "/v1/queries/{id}";
    return kind == SC_PROBLEM_FORBIDDEN || kind == SC_PROBLEM_NOT_FOUND ? "/metrics"
                                                                        : "/v1/queries";
}

static void test_every_problem_is_written_as_described(void **state)
{
    (void)state;
    json_t *document = openapi_load();
    for (sc_problem_kind kind = 0; kind < SC_PROBLEM_COUNT; kind++) {
        const char *page = page_of(kind);
        const char *method = strcmp(page, "/v1/queries") == 0 ? "POST" : "GET";
        const bool is_failure = kind == SC_PROBLEM_PROVIDER || kind == SC_PROBLEM_PROVIDER_TIMEOUT;
        for (unsigned whole = 0; whole < 2; whole++) {
            sc_problem problem;
            sc_problem_set(&problem, kind, whole ? "/profile/k" : NULL, "%s",
                           whole ? "say \"why\"\n" : "");
            problem.retry_after_s = whole;
            problem.outcome = is_failure ? "failed" : NULL;
            problem.reason = is_failure ? "provider_timeout" : NULL;
            char text[2048];
            const size_t size = sc_problem_write(&problem, text, sizeof text);
            openapi_check_response(document, method, page, sc_problem_status(kind),
                                   "application/problem+json", text, size);
        }
    }
    json_decref(document);
}

// Replies that the server gives by itself may come from any page.
static void test_what_the_server_says_by_itself_is_described_everywhere(void **state)
{
    (void)state;
    json_t *document = openapi_load();
    static const int statuses[] = {400, 408, 413, 417, 431, 500, 501, 503};
    const char *path = NULL;
    json_t *page = NULL;
    json_object_foreach(json_object_get(document, "paths"), path, page)
    {
        for (size_t i = 0; i < sizeof statuses / sizeof *statuses; i++) {
            char text[2048];
            const size_t size = sc_problem_of_server(NULL, statuses[i], text, sizeof text);
            openapi_check_response(document, json_object_get(page, "post") ? "POST" : "GET", path,
                                   statuses[i], "application/problem+json", text, size);
        }
    }
    json_decref(document);
}

// Requests that monitor the service are not counted, and so never refused by a rate.
static void test_only_pages_that_are_counted_ask_to_come_later(void **state)
{
    (void)state;
    static const char *const uncounted[] = {"/healthz", "/readyz", "/metrics"};
    json_t *document = openapi_load();
    for (size_t i = 0; i < sizeof uncounted / sizeof *uncounted; i++) {
        assert_null(openapi_response(document, "GET", uncounted[i], 429));
    }
    assert_non_null(openapi_response(document, "POST", "/v1/queries", 429));
    assert_non_null(openapi_response(document, "GET", "/v1/map", 429));
    json_decref(document);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_every_schema_can_be_checked),
    cmocka_unit_test(test_every_page_is_described),
    cmocka_unit_test(test_examples_are_examples),
    cmocka_unit_test(test_no_object_may_have_members_that_are_not_described),
    cmocka_unit_test(test_problems_and_reasons_are_those_of_the_code),
    cmocka_unit_test(test_methods_and_counters_are_those_of_the_code),
    cmocka_unit_test(test_every_problem_is_written_as_described),
    cmocka_unit_test(test_what_the_server_says_by_itself_is_described_everywhere),
    cmocka_unit_test(test_only_pages_that_are_counted_ask_to_come_later),
};
SC_SUITE(tests)
