// Checking providers: a sound one passes, others fail for what they do. tests/cli has a flaw for
// each check; here are the kinds of providers that cannot be checked, and what is told of them.
#include "conformance/conformance_internal.h"
#include "support/check.h"
#include "support/lbs_scene.h"
#include "support/page_server.h"

#include <stdio.h>

/** What was reported. */
typedef struct told {
    size_t count;
    size_t failed;
    char failures[2000];  ///< "ENCODING/CHECK: FOUND\n" for each
} told;

static void note(void *context, const sc_finding *finding)
{
    told *t = context;
    t->count++;
    assert_true(finding->claim[0] != '\0');
    if (finding->verdict != SC_VERDICT_FAIL) return;
    assert_true(finding->found[0] != '\0' && finding->advice[0] != '\0');
    t->failed++;
    const size_t used = strlen(t->failures);
    snprintf(t->failures + used, sizeof t->failures - used, "%s/%s: %.60s\n", finding->encoding,
             finding->check, finding->found);
}

static sc_conformance_options options_of(const lbs_scene *s, const char *url, told *t)
{
    sc_conformance_options options = sc_conformance_options_default();
    options.url = url;
    options.map = s->map;
    options.objects = s->objects;
    options.vocabulary = sc_objects_vocabulary(s->objects);
    options.cloak_count = 3;
    options.report = note;
    options.context = t;
    return options;
}

static void test_a_sound_provider_passes_all_checks(void **state)
{
    (void)state;
    lbs_scene s;
    told t = {.count = 0};
    size_t counts[SC_VERDICT_COUNT];
    sc_diag diag = {""};
    char url[100];
    lbs_scene_open(&s);
    lbs_scene_start(&s, sc__provider_evaluate);
    snprintf(url, sizeof url, "http://%s/", sc_http_address(sc_provider_http(s.provider), 0));
    const sc_conformance_options options = options_of(&s, url, &t);
    CHECK_OK(sc_conformance_run(&options, counts, &diag), &diag);
    assert_string_equal(t.failures, "");
    assert_int_equal(counts[SC_VERDICT_FAIL], 0);
    assert_int_equal(counts[SC_VERDICT_PASS] + counts[SC_VERDICT_SKIP], t.count);
    assert_true(counts[SC_VERDICT_PASS] > 60);
    lbs_scene_close(&s);
}

/** A server that answers everything alike. */
typedef struct canned {
    int status;
    const char *type;
    const char *body;
} canned;

static void answer_canned(void *context, unsigned loop, sc_http_request *request)
{
    const canned *c = context;
    (void)loop;
    sc_http_reply(request, c->status, c->type, c->body, strlen(c->body), NULL, 0);
}

static told check_canned(canned c, sc_err wanted)
{
    lbs_scene s;
    told t = {.count = 0};
    size_t counts[SC_VERDICT_COUNT];
    sc_diag diag = {""};
    char url[100];
    lbs_scene_open(&s);
    sc_http *http = page_server_start(answer_canned, &c);
    snprintf(url, sizeof url, "http://%s/", sc_http_address(http, 0));
    const sc_conformance_options options = options_of(&s, url, &t);
    assert_int_equal(sc_conformance_run(&options, counts, &diag), wanted);
    assert_int_equal(counts[SC_VERDICT_FAIL], t.failed);
    sc_http_free(http);
    lbs_scene_close(&s);
    return t;
}

static void test_one_that_reads_no_encoding_fails(void **state)
{
    (void)state;
    const told t = check_canned((canned){415, "text/plain", ""}, SC_OK);
    // The first is passed over, for the other might be read; then there is none.
    assert_non_null(strstr(t.failures, "geojson/encoding: status 415"));
}

static void test_one_that_refuses_all_fails_with_its_own_words(void **state)
{
    (void)state;
    const told t = check_canned(
        (canned){422, "application/problem+json", "{\"title\":\"no\\u0007 roads\",\"status\":422}"},
        SC_OK);
    assert_non_null(strstr(t.failures, "compact/answered: "));
    assert_non_null(strstr(t.failures, "status 422: no? roads"));
}

static void test_one_that_answers_nonsense_fails(void **state)
{
    (void)state;
    const told t = check_canned((canned){200, "text/html", "<html>hello</html>"}, SC_OK);
    assert_non_null(strstr(t.failures, "compact/answered: "));
    assert_non_null(strstr(t.failures, "compact/garbage: "));
}

static void test_one_that_is_not_there_is_an_error(void **state)
{
    (void)state;
    lbs_scene s;
    told t = {.count = 0};
    size_t counts[SC_VERDICT_COUNT];
    sc_diag diag = {""};
    lbs_scene_open(&s);
    // Nobody listens at the port of discard on the loopback.
    const sc_conformance_options options = options_of(&s, "http://127.0.0.1:9/", &t);
    CHECK_REFUSED(sc_conformance_run(&options, counts, &diag), SC_ENET, &diag,
                  "the provider cannot be asked");
    assert_int_equal(t.count, 0);
    lbs_scene_close(&s);
}

static void test_words_are_printable_and_titles_are_of_problems(void **state)
{
    (void)state;
    static const struct {
        const char *type;
        const char *body;
        const char *wanted;
    } cases[] = {
        {"application/problem+json", "{\"title\":\"too far\"}", "status 400: too far"},
        {"Application/Problem+JSON; charset=utf-8", "{\"title\":\"x\"}", "status 400: x"},
        {"application/json", "{\"title\":\"too far\"}", "status 400"},
        {"application/problem+json", "{\"title\":7}", "status 400"},
        {"application/problem+json", "{", "status 400"},
        {"application/problem+json", "{\"title\":\"a\\nb\"}", "status 400: a?b"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sc__probe_answer answer = {
            .status = 400,
            .body = {.data = (uint8_t *)(uintptr_t)cases[i].body, .size = strlen(cases[i].body)}};
        snprintf(answer.type, sizeof answer.type, "%s", cases[i].type);
        assert_string_equal(sc__probe_answer_words(&answer).text, cases[i].wanted);
    }
    sc__probe_answer none = {.status = 0};
    snprintf(none.words, sizeof none.words, "no reply in time");
    assert_string_equal(sc__probe_answer_words(&none).text, "no reply: no reply in time");
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_sound_provider_passes_all_checks),
    cmocka_unit_test(test_one_that_reads_no_encoding_fails),
    cmocka_unit_test(test_one_that_refuses_all_fails_with_its_own_words),
    cmocka_unit_test(test_one_that_answers_nonsense_fails),
    cmocka_unit_test(test_one_that_is_not_there_is_an_error),
    cmocka_unit_test(test_words_are_printable_and_titles_are_of_problems),
};
SC_SUITE(tests)
