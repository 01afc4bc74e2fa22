// An attack's words: what is accepted, with which meaning; for any body, however spoilt, as a plain
// reading of jansson's tree has it. And the words of the reply.
#include "demo/attack_json.h"

#include "api/settings.h"
#include "demo/attack_on_demand_internal.h"
#include "support/spoilt_text.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>

/** Segments of the map that all of this is about. */
enum { ROADS = 100 };

#define TWO "{\"k\":5,\"l\":3,\"max_hops\":4},{\"max_hops\":0,\"l\":1,\"k\":1000000}"
#define CLOAK "{\"method\":\"hybrid\",\"segments\":[9,3,99,0],\"members\":[" TWO "]}"
#define QUERIES \
    "{\"queries\":[{\"segment\":7,\"k\":2,\"l\":3,\"max_hops\":64}],\"method\":\"expansion\"}"

static sc_attack_request *read_words(const char *body, sc_problem *problem)
{
    static sc_attack_field field;
    return sc_attack_read(body, strlen(body), ROADS, SC_VARIANT_BOUNDED, &field, problem);
}

// --- What is accepted ----------------------------------------------------------------------------

static void test_a_cloak_has_its_segments_in_order_and_its_members(void **state)
{
    (void)state;
    sc_problem problem = {.detail = ""};
    sc_attack_request *attack = read_words(CLOAK, &problem);
    assert_non_null(attack);
    assert_int_equal(attack->method, SC_VARIANT_HYBRID);
    const sc_seg_id wanted[] = {0, 3, 9, 99};
    assert_int_equal(attack->segment_count, 4);
    assert_memory_equal(attack->segments, wanted, sizeof wanted);
    assert_null(attack->places);
    assert_int_equal(attack->member_count, 2);
    const sc_needs members[] = {{.k = 5, .l = 3, .max_hops = 4},
                                {.k = 1000000, .l = 1, .max_hops = 0}};
    assert_memory_equal(attack->members, members, sizeof members);
    sc_attack_request_free(attack);
}

static void test_queries_have_places(void **state)
{
    (void)state;
    sc_problem problem = {.detail = ""};
    sc_attack_request *attack = read_words(QUERIES, &problem);
    assert_non_null(attack);
    assert_int_equal(attack->method, SC_VARIANT_EXPANSION);
    assert_null(attack->segments);
    assert_int_equal(attack->member_count, 1);
    assert_int_equal(attack->places[0], 7);
    const sc_needs needs = {.k = 2, .l = 3, .max_hops = 64};
    assert_memory_equal(attack->members, &needs, sizeof needs);
    sc_attack_request_free(attack);
}

static void test_every_method_can_be_named_and_none_means_the_one_in_force(void **state)
{
    (void)state;
    sc_problem problem = {.detail = ""};
    for (int method = -1; method < SC_VARIANT_COUNT; method++) {
        char body[256];
        char name[64] = "";
        if (method >= 0) {
            snprintf(name, sizeof name, "\"method\":\"%s\",", sc_variant_name((sc_variant)method));
        }
        snprintf(body, sizeof body, "{%s\"segments\":[1],\"members\":[" TWO "]}", name);
        sc_attack_request *attack = read_words(body, &problem);
        assert_non_null(attack);
        assert_int_equal(attack->method, method >= 0 ? method : SC_VARIANT_BOUNDED);
        sc_attack_request_free(attack);
    }
}

/** The largest body there may be, with numbers of seven digits; free() it. */
static char *large_body(size_t segments, size_t members)
{
    const size_t room = 1 << 17;
    char *body = test_take(room, 1);
    size_t size = (size_t)snprintf(body, room, "{\"method\":\"expansion\",\"segments\":[");
    for (size_t i = 0; i < segments; i++) {
        size += (size_t)snprintf(body + size, room - size, "%s%zu", i > 0 ? "," : "", 9999999 - i);
    }
    size += (size_t)snprintf(body + size, room - size, "],\"members\":[");
    for (size_t i = 0; i < members; i++) {
        size +=
            (size_t)snprintf(body + size, room - size,
                             "%s{\"k\":1000000,\"l\":1000000,\"max_hops\":64}", i > 0 ? "," : "");
    }
    snprintf(body + size, room - size, "]}");
    return body;
}

static void test_the_largest_attack_fits_into_the_body_that_a_service_takes_by_default(void **state)
{
    (void)state;
    sc_problem problem = {.detail = ""};
    sc_attack_field field;
    char *body = large_body(SC_ATTACK_REQUEST_SEGMENTS_MAX, SC_ATTACK_REQUEST_MEMBERS_MAX);
    sc_settings *settings = NULL;
    CHECK_OK(sc_settings_new(&settings), NULL);
    assert_in_range(strlen(body), 1, settings->max_body_bytes);
    sc_settings_free(settings);
    sc_attack_request *attack =
        sc_attack_read(body, strlen(body), 10000000, SC_VARIANT_BASIC, &field, &problem);
    assert_non_null(attack);
    assert_int_equal(attack->segment_count, SC_ATTACK_REQUEST_SEGMENTS_MAX);
    assert_int_equal(attack->segments[0], 9999999 - SC_ATTACK_REQUEST_SEGMENTS_MAX + 1);
    assert_int_equal(attack->member_count, SC_ATTACK_REQUEST_MEMBERS_MAX);
    sc_attack_request_free(attack);
    free(body);

    body = large_body(SC_ATTACK_REQUEST_SEGMENTS_MAX + 1, 1);
    assert_null(sc_attack_read(body, strlen(body), 10000000, SC_VARIANT_BASIC, &field, &problem));
    assert_string_equal(problem.field, "/segments");
    CHECK_CONTAINS(problem.detail, "at most 1000");
    free(body);
    body = large_body(1, SC_ATTACK_REQUEST_MEMBERS_MAX + 1);
    assert_null(sc_attack_read(body, strlen(body), 10000000, SC_VARIANT_BASIC, &field, &problem));
    assert_string_equal(problem.field, "/members");
    CHECK_CONTAINS(problem.detail, "at most 64");
    free(body);
}

// --- What is refused -----------------------------------------------------------------------------

typedef struct refusal {
    const char *body;
    sc_problem_kind kind;
    const char *field;  ///< NULL: none
    const char *detail;
} refusal;

#define M "\"members\":[" TWO "]"
#define S "\"segments\":[1,2]"
#define ONE(member) "{" S ",\"members\":[{\"k\":1,\"l\":1,\"max_hops\":1}," member "]}"
#define ASK(query) "{\"queries\":[" query "]}"

static const refusal refusals[] = {
    {"", SC_PROBLEM_BODY, NULL, "byte 0: a value is expected"},
    {"[]", SC_PROBLEM_BODY, NULL, "it must be an object"},
    {"{" S "," M "}x", SC_PROBLEM_BODY, NULL, "nothing more is expected"},
    {"{}", SC_PROBLEM_BODY, "/segments", "give segments and members, or queries"},
    {"{" M "}", SC_PROBLEM_BODY, "/segments", "the member is missing"},
    {"{" S "}", SC_PROBLEM_BODY, "/members", "the member is missing"},
    {"{\"cloak\":1}", SC_PROBLEM_BODY, NULL,
     "unknown member 'cloak'; allowed are method, segments and members, or method and queries"},
    {"{" S "," S "}", SC_PROBLEM_BODY, "/segments", "the member is repeated"},
    {"{\"queries\":[{\"segment\":7,\"k\":2,\"l\":3,\"max_hops\":1}]," S "}", SC_PROBLEM_BODY,
     "/segments", "the method makes a cloak of the queries"},
    {"{\"queries\":[{\"segment\":7,\"k\":2,\"l\":3,\"max_hops\":1}]," M "}", SC_PROBLEM_BODY,
     "/members", "not both"},
    {"{" M ",\"queries\":[]}", SC_PROBLEM_BODY, "/queries", "not both"},
    {"{\"method\":1," S "," M "}", SC_PROBLEM_BODY, "/method", "it must be a string"},
    {"{\"method\":\"Basic\"," S "," M "}", SC_PROBLEM_REQUEST, "/method",
     "it must be one of basic, bounded, hybrid, xstar, sampling, expansion"},
    {"{\"segments\":{}}", SC_PROBLEM_BODY, "/segments", "it must be an array of numbers"},
    {"{\"segments\":[]," M "}", SC_PROBLEM_REQUEST, "/segments", "give at least one entry"},
    {"{\"segments\":[1,2,1]," M "}", SC_PROBLEM_REQUEST, "/segments", "repeated; give each once"},
    {"{\"segments\":[1,\"2\"]}", SC_PROBLEM_BODY, "/segments/1", "it must be a number"},
    {"{\"segments\":[1,2,100]}", SC_PROBLEM_REQUEST, "/segments/2",
     "it must be a whole number, 0 to 99"},
    {"{\"segments\":[-1]}", SC_PROBLEM_REQUEST, "/segments/0", "0 to 99"},
    {"{\"segments\":[1.5]}", SC_PROBLEM_REQUEST, "/segments/0", "0 to 99"},
    {"{\"segments\":[1,]}", SC_PROBLEM_BODY, NULL, "a value is expected"},
    {"{\"segments\":[1", SC_PROBLEM_BODY, NULL, "a comma or a ] is expected"},
    {"{\"members\":[]}", SC_PROBLEM_REQUEST, "/members", "give at least one entry"},
    {"{\"members\":[1]}", SC_PROBLEM_BODY, "/members/0", "it must be an object"},
    {ONE("{}"), SC_PROBLEM_BODY, "/members/1/k", "the member is missing"},
    {ONE("{\"k\":1,\"max_hops\":1}"), SC_PROBLEM_BODY, "/members/1/l", "the member is missing"},
    {ONE("{\"k\":1,\"l\":1}"), SC_PROBLEM_BODY, "/members/1/max_hops", "the member is missing"},
    {ONE("{\"k\":1,\"k\":1}"), SC_PROBLEM_BODY, "/members/1/k", "repeated"},
    {ONE("{\"k\":0}"), SC_PROBLEM_PROFILE, "/members/1/k", "a whole number, 1 to 1000000"},
    {ONE("{\"l\":1000001}"), SC_PROBLEM_PROFILE, "/members/1/l", "1 to 1000000"},
    {ONE("{\"max_hops\":65}"), SC_PROBLEM_PROFILE, "/members/1/max_hops", "0 to 64"},
    {ONE("{\"max_hops\":0.5}"), SC_PROBLEM_PROFILE, "/members/1/max_hops", "0 to 64"},
    {ONE("{\"segment\":1}"), SC_PROBLEM_BODY, "/members/1",
     "unknown member 'segment'; allowed are k, l and max_hops"},
    {ASK("{\"k\":1,\"l\":1,\"max_hops\":1}"), SC_PROBLEM_BODY, "/queries/0/segment",
     "the member is missing"},
    {ASK("{\"segment\":100}"), SC_PROBLEM_REQUEST, "/queries/0/segment", "0 to 99"},
    {ASK("{\"place\":1}"), SC_PROBLEM_BODY, "/queries/0", "segment, k, l and max_hops"},
};

static void test_a_refusal_names_the_field_and_says_what_would_do(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
        const refusal *wanted = &refusals[i];
        sc_problem problem = {.detail = ""};
        if (read_words(wanted->body, &problem)) fail_msg("accepted: %s", wanted->body);
        CHECK_CONTAINS(problem.detail, wanted->detail);
        if (problem.kind != wanted->kind || !problem.field != !wanted->field) {
            fail_msg("%s: kind %d, field %s", wanted->body, (int)problem.kind, problem.field);
        }
        if (wanted->field) assert_string_equal(problem.field, wanted->field);
    }
}

// --- Beside a plain reading ----------------------------------------------------------------------

static bool plain_number(const json_t *value, double least, double most, uint32_t *out)
{
    const double number = json_real_value(value);
    if (!json_is_real(value) || number < least || number > most) return false;
    *out = (uint32_t)number;
    return number == floor(number);
}

static bool plain_askers(const json_t *list, bool has_places, sc_attack_request *out)
{
    out->member_count = json_array_size(list);
    if (out->member_count < 1 || out->member_count > SC_ATTACK_REQUEST_MEMBERS_MAX) return false;
    for (size_t i = 0; i < out->member_count; i++) {
        const json_t *one = json_array_get(list, i);
        sc_needs *needs = &out->members[i];
        if (json_object_size(one) != (has_places ? 4 : 3)) return false;
        if (!plain_number(json_object_get(one, "k"), 1, 1e6, &needs->k)) return false;
        if (!plain_number(json_object_get(one, "l"), 1, 1e6, &needs->l)) return false;
        if (!plain_number(json_object_get(one, "max_hops"), 0, 1e3, &needs->max_hops)) return false;
        if (has_places &&
            !plain_number(json_object_get(one, "segment"), 0, ROADS - 1, &out->places[i])) {
            return false;
        }
    }
    return true;
}

static bool plain_segments(const json_t *list, sc_attack_request *out)
{
    bool is_named[ROADS] = {false};
    const size_t count = json_array_size(list);
    if (count < 1 || count > ROADS) return false;
    for (size_t i = 0; i < count; i++) {
        uint32_t segment = 0;
        if (!plain_number(json_array_get(list, i), 0, ROADS - 1, &segment)) return false;
        if (is_named[segment]) return false;
        is_named[segment] = true;
    }
    for (uint32_t segment = 0; segment < ROADS; segment++) {
        if (is_named[segment]) out->segments[out->segment_count++] = segment;
    }
    return true;
}

static bool plain_attack(const json_t *body, sc_attack_request *out)
{
    const json_t *method = json_object_get(body, "method");
    bool is_known = !method;
    out->method = SC_VARIANT_BOUNDED;
    for (int i = 0; json_is_string(method) && i < SC_VARIANT_COUNT; i++) {
        if (strcmp(json_string_value(method), sc_variant_name((sc_variant)i)) != 0) continue;
        out->method = (sc_variant)i;
        is_known = true;
    }
    const json_t *queries = json_object_get(body, "queries");
    const size_t named = (method ? 1u : 0u) + (queries ? 1u : 2u);
    if (!is_known || json_object_size(body) != named) return false;
    if (queries) return plain_askers(queries, true, out);
    return plain_segments(json_object_get(body, "segments"), out) &&
           plain_askers(json_object_get(body, "members"), false, out);
}

/** Whether both readings come to the same; true if it is accepted. */
static bool compare_readings(const spoilt_text *text)
{
    sc_seg_id segments[ROADS];
    sc_seg_id places[SC_ATTACK_REQUEST_MEMBERS_MAX];
    sc_needs members[SC_ATTACK_REQUEST_MEMBERS_MAX];
    memset(members, 0, sizeof members);
    sc_attack_request wanted = {.segments = segments, .places = places, .members = members};
    sc_problem problem = {.detail = ""};
    sc_attack_field field;
    json_t *body =
        json_loadb(text->bytes, text->size, JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL, NULL);
    const bool is_good = body && plain_attack(body, &wanted);
    json_decref(body);
    sc_attack_request *attack =
        sc_attack_read(text->bytes, text->size, ROADS, SC_VARIANT_BOUNDED, &field, &problem);
    if (is_good != (attack != NULL)) {
        fail_msg("%.*s: %s", (int)text->size, text->bytes, is_good ? problem.detail : "accepted");
    }
    if (!attack) {
        assert_true(problem.detail[0] != '\0');
        return false;
    }
    assert_int_equal(attack->method, wanted.method);
    assert_int_equal(attack->member_count, wanted.member_count);
    assert_memory_equal(attack->members, members, wanted.member_count * sizeof *members);
    assert_int_equal(attack->segment_count, wanted.segment_count);
    assert_int_equal(!attack->segments, wanted.segment_count == 0);
    if (attack->segments) {
        assert_memory_equal(attack->segments, segments, wanted.segment_count * sizeof *segments);
    } else {
        assert_memory_equal(attack->places, places, wanted.member_count * sizeof *places);
    }
    sc_attack_request_free(attack);
    return true;
}

static void test_spoilt_words_mean_what_a_plain_reading_says(void **state)
{
    (void)state;
    static const char *const good[] = {CLOAK, QUERIES,
                                       "{\"segments\":[1.0,2e1],\"members\":[" TWO "]}"};
    size_t accepted = 0;
    for (uint64_t seed = 0; seed < 20000; seed++) {
        check_case(seed);
        sc_rng rng;
        sc_rng_seed(&rng, seed);
        spoilt_text text = text_of(good[seed % 3]);
        for (uint32_t i = sc_rng_below(&rng, 3); i > 0; i--) {
            spoil_once(&text, &rng);
        }
        accepted += compare_readings(&text);
    }
    check_case_done();
    assert_in_range(accepted, 6000, 14000);  // about a third is not spoilt at all
}

// --- The reply -----------------------------------------------------------------------------------

static void check_written(const sc_attack_request *attack, const char *wanted)
{
    sc_bytes out = {0};
    CHECK_OK(sc_attack_write(attack, &out), NULL);
    assert_int_equal(out.size, strlen(wanted));
    assert_memory_equal(out.data, wanted, out.size);
    sc_bytes_fini(&out);
}

static void test_a_reply_has_what_the_adversary_believes(void **state)
{
    (void)state;
    sc_seg_id segments[] = {3, 4, 9};
    sc_link links[] = {{3, 0.25, 0.0041}, {4, 0.75, 0.004123456}, {9, 0.0, 0.0}};
    sc_attack_request attack = {.method = SC_VARIANT_EXPANSION,
                                .segments = segments,
                                .segment_count = 3,
                                .is_found = true,
                                .found_members = 5,
                                .posterior = {.links = links,
                                              .link_count = 3,
                                              .entropy = 0.811278,
                                              .normalised_entropy = 0.51186,
                                              .effective = 1.754765,
                                              .ruled_out = 1,
                                              .replays = 4096}};
    check_written(&attack,
                  "{\"method\":\"expansion\",\"found\":true,\"segments\":[3,4,9],\"members\":5,"
                  "\"linkability\":[0.25,0.75,0],\"error\":[0.0041,0.00412346,0],"
                  "\"entropy\":0.8113,\"normalised_entropy\":0.5119,\"effective\":1.7548,"
                  "\"ruled_out\":1,\"replays\":4096,\"unexplained\":false}");
    attack.posterior.is_unexplained = true;
    sc_bytes out = {0};
    CHECK_OK(sc_attack_write(&attack, &out), NULL);
    assert_memory_equal(out.data + out.size - 19, "\"unexplained\":true}", 19);
    sc_bytes_fini(&out);
}

static void test_a_reply_without_a_cloak_says_so_and_no_more(void **state)
{
    (void)state;
    const sc_attack_request attack = {.method = SC_VARIANT_BASIC};
    check_written(&attack, "{\"method\":\"basic\",\"found\":false}");
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_cloak_has_its_segments_in_order_and_its_members),
    cmocka_unit_test(test_queries_have_places),
    cmocka_unit_test(test_every_method_can_be_named_and_none_means_the_one_in_force),
    cmocka_unit_test(test_the_largest_attack_fits_into_the_body_that_a_service_takes_by_default),
    cmocka_unit_test(test_a_refusal_names_the_field_and_says_what_would_do),
    SC_CASES(test_spoilt_words_mean_what_a_plain_reading_says),
    cmocka_unit_test(test_a_reply_has_what_the_adversary_believes),
    cmocka_unit_test(test_a_reply_without_a_cloak_says_so_and_no_more),
};
SC_SUITE(tests)
