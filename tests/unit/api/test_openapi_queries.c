// Queries and outcomes against their schemas: what the service takes is described, what the schema
// refuses the service refuses too, and what is sent fits.
#include "api/outcome_json.h"
#include "api/query_json.h"

#include "base/rng.h"
#include "support/check.h"
#include "support/default_policy.h"
#include "support/json_schema.h"
#include "support/openapi.h"

#include <stdio.h>

static const char *const words[] = {"cafe", "hospital"};
static const sc_vocabulary vocabulary = {.names = words, .count = 2};

// --- Queries ---------------------------------------------------------------------------------

/** Pieces of queries, good and bad; all ways to put them together are tried. */
static const char *const positions[] = {
    "\"position\":{\"lon\":8,\"lat\":50.5}",
    "\"position\":{\"x\":1e3,\"y\":-4}",
    "\"position\":{\"edge\":17,\"offset_m\":12.5}",
    "\"position\":{\"lon\":181,\"lat\":0}",
    "\"position\":{\"lon\":8}",
    "\"position\":{\"lon\":8,\"lat\":50,\"x\":1}",
    "\"position\":{\"edge\":1.5,\"offset_m\":0}",
    "\"position\":[8,50]",
    "\"position\":null",
    "\"where\":{\"lon\":8,\"lat\":50}",
};
static const char *const profiles[] = {
    "",
    ",\"profile\":{}",
    ",\"profile\":{\"k\":5,\"l\":3,\"max_hops\":4,\"max_wait_s\":10}",
    ",\"profile\":{\"k\":5.0}",
    ",\"profile\":{\"k\":0}",
    ",\"profile\":{\"k\":-1}",
    ",\"profile\":{\"k\":2.5}",
    ",\"profile\":{\"max_wait_s\":0}",
    ",\"profile\":{\"max_wait_s\":\"10\"}",
    ",\"profile\":{\"m\":1}",
    ",\"profile\":null",
};
static const char *const requests[] = {
    ",\"request\":{\"type\":\"knn\",\"k\":5}",
    ",\"request\":{\"type\":\"knn\",\"k\":5,\"categories\":[\"cafe\",\"hospital\"]}",
    ",\"request\":{\"type\":\"range\",\"radius_m\":0,\"categories\":null}",
    ",\"request\":{\"type\":\"range\",\"radius_m\":500,\"categories\":[]}",
    ",\"request\":{\"type\":\"range\",\"radius_s\":60,\"metric\":\"time\"}",
    ",\"request\":{\"type\":\"knn\",\"k\":5,\"metric\":\"distance\"}",
    ",\"request\":{\"type\":\"range\",\"radius_s\":60,\"metric\":\"distance\"}",
    ",\"request\":{\"type\":\"range\",\"radius_s\":60,\"radius_m\":60}",
    ",\"request\":{\"type\":\"range\",\"k\":5}",
    ",\"request\":{\"type\":\"range\",\"radius_m\":-1}",
    ",\"request\":{\"type\":\"knn\",\"k\":5,\"radius_m\":5}",
    ",\"request\":{\"type\":\"knn\",\"k\":0}",
    ",\"request\":{\"type\":\"nearest\",\"k\":5}",
    ",\"request\":{\"type\":\"knn\",\"k\":5,\"categories\":[7]}",
    ",\"request\":{\"k\":5}",
    "",
};

typedef struct verdicts {
    unsigned taken;    ///< by both
    unsigned refused;  ///< by both
    unsigned finer;    ///< by the service alone: bounds of its policy, kinds of maps
} verdicts;

static void try_query(const json_t *document, const char *text, bool is_geographic, verdicts *tally)
{
    const sc_policy terms = default_policy();
    sc_query_body question;
    sc_problem problem = {.detail = ""};
    const bool taken = sc_query_body_read(text, strlen(text),
                                          &(sc_query_format){&terms, &vocabulary, is_geographic},
                                          &question, &problem);
    json_t *value = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
    assert_non_null(value);
    schema_reason why = {""};
    const bool fits =
        json_schema_check(document, openapi_schema(document, "Query"), value, &why) == SCHEMA_FITS;
    json_decref(value);
    if (taken && !fits) fail_msg("taken, but not as described: %s: %s", why.text, text);
    tally->taken += taken;
    tally->refused += !taken && !fits;
    tally->finer += !taken && fits;
    if (taken) return;
    char body[2048];
    const size_t size = sc_problem_write(&problem, body, sizeof body);
    openapi_check_response(document, "POST", "/v1/queries", sc_problem_status(problem.kind),
                           "application/problem+json", body, size);
}

#define COUNT(array) (sizeof(array) / sizeof *(array))

static void test_what_is_taken_is_described_and_what_is_not_is_refused(void **state)
{
    (void)state;
    json_t *document = openapi_load();
    verdicts tally = {0};
    for (size_t i = 0; i < 2 * COUNT(positions) * COUNT(profiles) * COUNT(requests); i++) {
        size_t rest = i / 2;
        const char *position = positions[rest % COUNT(positions)];
        rest /= COUNT(positions);
        const char *profile = profiles[rest % COUNT(profiles)];
        const char *request = requests[rest / COUNT(profiles)];
        char text[512];
        snprintf(text, sizeof text, "{%s%s%s}", position, profile, request);
        try_query(document, text, i % 2, &tally);
    }
    assert_int_equal(tally.taken, 2 * 2 * 4 * 6);  // per map two positions, four and six
    // The service alone refuses degrees on a plane, and the reverse; nothing else in these pieces.
    assert_int_equal(tally.finer, 2 * 1 * 4 * 6);
    json_decref(document);
}

static void test_the_operators_bounds_are_within_the_schemas(void **state)
{
    (void)state;
    json_t *document = openapi_load();
    static const char *const bounds[] = {
        "{\"position\":{\"lon\":1,\"lat\":1},\"profile\":{\"k\":1},"
        "\"request\":{\"type\":\"knn\",\"k\":1}}",
        "{\"position\":{\"lon\":1,\"lat\":1},\"profile\":{\"max_wait_s\":99999},"
        "\"request\":{\"type\":\"knn\",\"k\":1}}",
        "{\"position\":{\"lon\":1,\"lat\":1},\"request\":{\"type\":\"knn\",\"k\":100000}}",
        "{\"position\":{\"lon\":1,\"lat\":1},"
        "\"request\":{\"type\":\"knn\",\"k\":1,\"categories\":[\"museum\"]}}",
    };
    verdicts tally = {0};
    for (size_t i = 0; i < COUNT(bounds); i++) {
        try_query(document, bounds[i], true, &tally);
    }
    assert_int_equal(tally.finer, COUNT(bounds));
    json_decref(document);
}

// --- Outcomes --------------------------------------------------------------------------------

static void check_outcome(const json_t *document, const sc_ticket *ticket, bool is_geographic)
{
    sc_bytes text = {0};
    assert_int_equal(
        sc_outcome_json_write(ticket, is_geographic, is_geographic ? "Ring \"A\"" : "", &text),
        SC_OK);
    openapi_check_response(document, "POST", "/v1/queries", 200, "application/json", text.data,
                           text.size);
    sc_bytes_fini(&text);
}

static void test_answers_are_as_described(void **state)
{
    (void)state;
    json_t *document = openapi_load();
    static const char texts[] = "\0cafe\0say \"hi\"\n\xff\0node/17";
    static const sc_found found[] = {
        {.distance_m = 0.0, .x = 8.001, .y = 49.9987, .name = 6, .category = 1, .key = 17},
        {.distance_m = 33.358,
         .duration_s = 2.4,
         .x = -180.0,
         .y = 90.0,
         .category = 1,
         .street = 6},
        {.distance_m = 1e7,
         .x = NOT_A_NUMBER,
         .y = NOT_A_NUMBER,
         .name = 0,
         .category = 1,
         .key = 17},
    };
    for (size_t count = 0; count <= COUNT(found); count++) {
        sc_answer answer = {.count = count, .found = found, .texts = texts, .size = sizeof texts};
        const sc_ticket ticket = {.outcome = SC_OUTCOME_ANSWERED,
                                  .users = 6,
                                  .segments = 14,
                                  .asked = 1000000,
                                  .published = 2284000,
                                  .request = {.metric = count % SC_METRIC_COUNT},
                                  .answer = &answer};
        check_outcome(document, &ticket, true);
        check_outcome(document, &ticket, false);
    }
    json_decref(document);
}

static void test_drops_are_as_described(void **state)
{
    (void)state;
    json_t *document = openapi_load();
    for (sc_drop_reason i = 0; i < SC_DROP_REASON_COUNT; i++) {
        const sc_ticket ticket = {
            .outcome = SC_OUTCOME_DROPPED, .drop = i, .asked = 5, .published = 10000005};
        check_outcome(document, &ticket, true);
    }
    json_decref(document);
}

static void test_failures_are_as_described(void **state)
{
    (void)state;
    json_t *document = openapi_load();
    for (sc_failure i = SC_FAILURE_NONE + 1; i < SC_FAILURE_COUNT; i++) {
        const sc_ticket ticket = {.outcome = SC_OUTCOME_FAILED, .failure = i};
        sc_problem problem = {.detail = ""};
        sc_outcome_problem(&ticket, &problem);
        char body[2048];
        const size_t size = sc_problem_write(&problem, body, sizeof body);
        openapi_check_response(document, "POST", "/v1/queries", sc_problem_status(problem.kind),
                               "application/problem+json", body, size);
    }
    json_decref(document);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_what_is_taken_is_described_and_what_is_not_is_refused),
    cmocka_unit_test(test_the_operators_bounds_are_within_the_schemas),
    cmocka_unit_test(test_answers_are_as_described),
    cmocka_unit_test(test_drops_are_as_described),
    cmocka_unit_test(test_failures_are_as_described),
};
SC_SUITE(tests)
