// Attacks on demand and reports, by a service with the demo's pages, against openapi_demo.json; and
// that document, against the code.
#include "unit/api/described.h"

#include "demo/attack_json.h"
#include "demo/demo.h"
#include "replay_record.h"
#include "support/json_schema.h"
#include "support/place.h"

#include <poll.h>
#include <unistd.h>

/** A demo whose travellers do not set out. */
typedef struct demo_fixture {
    fixture f;
    sc_demo_options options;
    sc_demo *demo;
} demo_fixture;

/** Change `options` and `f.live.options`, then demo_start(). */
static void demo_open(demo_fixture *d)
{
    fixture_open(&d->f);
    json_decref(d->f.document);
    d->f.document = openapi_load_demo();
    d->options = sc_demo_options_default();
    d->options.travellers = 1;
    d->demo = NULL;
}

static void demo_start(demo_fixture *d)
{
    live_service *live = &d->f.live;
    sc_diag diag = {""};
    CHECK_OK(sc_demo_new(live->map, &d->options, &d->demo, &diag), &diag);
    live->options.extra = sc_demo_pages(d->demo, &live->options.extra_count);
    CHECK_OK(sc_service_new(live->map, &live->options, &live->service, &diag), &diag);
    CHECK_OK(sc_demo_attach(d->demo, live->service, &diag), &diag);
    CHECK_OK(sc_service_start(live->service, &diag), &diag);
}

static void demo_close(demo_fixture *d)
{
    sc_demo_stop(d->demo);
    sc_service_free(d->f.live.service);
    d->f.live.service = NULL;
    sc_demo_free(d->demo);  // the map is needed until now
    fixture_close(&d->f);
}

static const char *word_of(const json_t *object, const char *name)
{
    const char *word = json_string_value(json_object_get(object, name));
    assert_non_null(word);
    return word;
}

/** What comes of it; json_decref() it. */
static json_t *attack(const fixture *f, const char *body)
{
    web_reply reply = web_ask(live_service_address(&f->live), "POST", "/v1/attacks", "", body);
    openapi_check_text(f->document, "AttackRequest", body, strlen(body));
    check_described(f, "POST", "/v1/attacks", 200, &reply);
    json_t *value = json_loadb(reply.body, reply.size, JSON_REJECT_DUPLICATES, NULL);
    web_reply_free(&reply);
    return value;
}

/** As many linkabilities and errors as segments, and together they are certain. */
static void check_belief(const json_t *value, const char *method, size_t member_count)
{
    assert_string_equal(word_of(value, "method"), method);
    assert_true(json_is_true(json_object_get(value, "found")));
    assert_int_equal(json_integer_value(json_object_get(value, "members")), member_count);
    const size_t count = json_array_size(json_object_get(value, "segments"));
    const json_t *linkability = json_object_get(value, "linkability");
    assert_int_equal(json_array_size(linkability), count);
    assert_int_equal(json_array_size(json_object_get(value, "error")), count);
    double sum = 0.0;
    for (size_t i = 0; i < count; i++) {
        sum += json_number_value(json_array_get(linkability, i));
    }
    CHECK_CLOSE(sum, 1.0, 1e-3);  // digits may be left out
}

static void test_attacks_are_as_described(void **state)
{
    (void)state;
    demo_fixture d;
    demo_open(&d);
    demo_start(&d);
    json_t *value =
        attack(&d.f, "{\"segments\":[0,1,2],\"members\":[{\"k\":2,\"l\":2,\"max_hops\":3},"
                     "{\"k\":1,\"l\":3,\"max_hops\":3}]}");
    check_belief(value, "basic", 2);
    assert_int_equal(json_array_size(json_object_get(value, "segments")), 3);
    json_decref(value);
    value = attack(&d.f, "{\"method\":\"expansion\",\"queries\":["
                         "{\"segment\":3,\"k\":2,\"l\":3,\"max_hops\":4},"
                         "{\"segment\":4,\"k\":2,\"l\":2,\"max_hops\":4}]}");
    check_belief(value, "expansion", 2);
    json_decref(value);
    // No other traveller is in town, and company is wanted.
    value = attack(&d.f, "{\"method\":\"bounded\",\"queries\":["
                         "{\"segment\":3,\"k\":2,\"l\":3,\"max_hops\":4}]}");
    assert_string_equal(word_of(value, "method"), "bounded");
    assert_true(json_is_false(json_object_get(value, "found")));
    json_decref(value);
    demo_close(&d);
}

/** A problem, as described, that says where. */
static void check_refused(const fixture *f, const char *body, const char *field)
{
    web_reply reply = web_ask(live_service_address(&f->live), "POST", "/v1/attacks", "", body);
    if (reply.status != 400) fail_msg("%s gave %d %s", body, reply.status, reply.body);
    check_described(f, "POST", "/v1/attacks", 400, &reply);
    json_t *problem = json_loadb(reply.body, reply.size, JSON_REJECT_DUPLICATES, NULL);
    if (strcmp(word_of(problem, "field"), field) != 0) {
        fail_msg("%s is refused for %s, not for %s", body, word_of(problem, "field"), field);
    }
    json_decref(problem);
    web_reply_free(&reply);
}

#define NEEDS "\"k\":2,\"l\":2,\"max_hops\":3"

static void test_attacks_that_are_none_are_refused_as_described(void **state)
{
    (void)state;
    static const struct {
        const char *body;
        const char *field;
    } cases[] = {
        {"{\"method\":\"magic\",\"queries\":[{\"segment\":3," NEEDS "}]}", "/method"},
        {"{\"segments\":[],\"members\":[{" NEEDS "}]}", "/segments"},
        {"{\"segments\":[1],\"members\":[]}", "/members"},
        {"{\"queries\":[]}", "/queries"},
        {"{\"segments\":[1,4000000000],\"members\":[{" NEEDS "}]}", "/segments/1"},
        {"{\"segments\":[1],\"members\":[{" NEEDS "},{\"k\":0,\"l\":2,\"max_hops\":3}]}",
         "/members/1/k"},
        {"{\"queries\":[{\"segment\":-1," NEEDS "}]}", "/queries/0/segment"},
    };
    demo_fixture d;
    demo_open(&d);
    demo_start(&d);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        check_refused(&d.f, cases[i].body, cases[i].field);
    }
    check_ask(&d.f, "POST", "/v1/attacks", "", "{", 400);
    check_ask(&d.f, "POST", "/v1/attacks", "", "[]", 400);
    check_ask(&d.f, "POST", "/v1/attacks", "", "{}", 400);
    check_ask(&d.f, "POST", "/v1/attacks", "Content-Type: text/plain\r\n", "{}", 415);
    web_reply reply = web_ask(live_service_address(&d.f.live), "GET", "/v1/attacks", "", NULL);
    check_described(&d.f, "POST", "/v1/attacks", 405, &reply);
    assert_string_equal(web_header(&reply, "Allow"), "POST");
    web_reply_free(&reply);
    demo_close(&d);
}

// Far more at once than may wait: each is answered, and those who must come again are told when.
static void test_too_many_attacks_are_told_to_come_again_as_described(void **state)
{
    (void)state;
    enum { ATTACKS = 24 };
    demo_fixture d;
    demo_open(&d);
    demo_start(&d);
    int fds[ATTACKS];
    for (size_t i = 0; i < ATTACKS; i++) {
        fds[i] = web_connect(live_service_address(&d.f.live));
        web_send(fds[i], "POST", "/v1/attacks", "",
                 "{\"segments\":[0,1,2,3,4,5],\"members\":[{" NEEDS "},{" NEEDS "},{" NEEDS "}]}");
    }
    size_t busy = 0;
    for (size_t i = 0; i < ATTACKS; i++) {
        web_reply reply = web_receive(fds[i]);
        check_described(&d.f, "POST", "/v1/attacks", reply.status == 503 ? 503 : 200, &reply);
        busy += reply.status == 503;
        web_reply_free(&reply);
        close(fds[i]);
    }
    assert_true(busy > 0 && busy < ATTACKS);
    demo_close(&d);
}

// It would take a while, and a service that is told to stop has no time for it.
static void test_a_attack_that_is_given_up_while_draining_is_told_as_described(void **state)
{
    (void)state;
    enum { ATTACKS = 8 };
    demo_fixture d;
    demo_open(&d);
    demo_start(&d);
    int fds[ATTACKS];
    for (size_t i = 0; i < ATTACKS; i++) {
        fds[i] = web_connect(live_service_address(&d.f.live));
        // Roads that no method would publish together: all replays there may be are run.
        web_send(fds[i], "POST", "/v1/attacks", "",
                 "{\"method\":\"bounded\",\"segments\":[0,35],\"members\":["
                 "{\"k\":3,\"l\":9,\"max_hops\":0},{\"k\":3,\"l\":9,\"max_hops\":0}]}");
    }
    // Once one of them has its reply, all have come.
    struct pollfd waits[ATTACKS];
    for (size_t i = 0; i < ATTACKS; i++) {
        waits[i] = (struct pollfd){.fd = fds[i], .events = POLLIN};
    }
    assert_true(poll(waits, ATTACKS, 60000) >= 1);
    sc_demo_stop(d.demo);  // as `starcloak demo` does
    assert_int_equal(sc_service_drain(d.f.live.service, 0, 30.0), 0);
    size_t given_up = 0;
    for (size_t i = 0; i < ATTACKS; i++) {
        web_reply reply = web_receive(fds[i]);
        check_described(&d.f, "POST", "/v1/attacks", reply.status == 503 ? 503 : 200, &reply);
        given_up += strstr(reply.body, "urn:starcloak:problem:draining") != NULL;
        web_reply_free(&reply);
        close(fds[i]);
    }
    assert_true(given_up > 0);
    demo_close(&d);
}

// --- Reports -------------------------------------------------------------------------------------

static void test_reports_are_as_described(void **state)
{
    (void)state;
    const place p = place_new();
    demo_fixture d;
    demo_open(&d);
    d.options.reports = p.path;
    demo_start(&d);
    check_ask(&d.f, "GET", "/reports/", "", NULL, 404);
    place_write_text(&p, "report.html", "<!doctype html><title>A report</title>");
    check_ask(&d.f, "GET", "/reports/", "", NULL, 200);
    web_reply reply = web_ask(live_service_address(&d.f.live), "POST", "/reports/", "", "{}");
    check_described(&d.f, "GET", "/reports/", 405, &reply);
    assert_string_equal(web_header(&reply, "Allow"), "GET, HEAD");
    web_reply_free(&reply);
    demo_close(&d);

    demo_open(&d);
    demo_start(&d);
    check_ask(&d.f, "GET", "/reports/", "", NULL, 404);
    demo_close(&d);
    place_free(&p);
}

// --- Places --------------------------------------------------------------------------------------

static void check_places(const demo_fixture *d, const char *path, int status)
{
    web_reply reply = web_ask(live_service_address(&d->f.live), "GET", path, "", NULL);
    check_described(&d->f, "GET", "/demo/places", status, &reply);
    web_reply_free(&reply);
}

static void test_places_are_as_described(void **state)
{
    (void)state;
    demo_fixture d;
    demo_open(&d);
    demo_start(&d);
    check_places(&d, "/demo/places?text=a&limit=50", 200);
    check_places(&d, "/demo/places?text=nowhere", 200);
    check_places(&d, "/demo/places?text=a&limit=51", 400);
    check_places(&d, "/demo/places", 400);
    web_reply reply = web_ask(live_service_address(&d.f.live), "POST", "/demo/places", "", "{}");
    check_described(&d.f, "GET", "/demo/places", 405, &reply);
    assert_string_equal(web_header(&reply, "Allow"), "GET, HEAD");
    web_reply_free(&reply);
    demo_close(&d);
}

// --- Replays -------------------------------------------------------------------------------------

static void check_control(const demo_fixture *d, const char *body, int status)
{
    const char *method = body ? "POST" : "GET";
    web_reply reply = web_ask(live_service_address(&d->f.live), method, "/demo/replay", "", body);
    if (body && status == 200) {
        openapi_check_text(d->f.document, "ReplayControl", body, strlen(body));
    }
    check_described(&d->f, method, "/demo/replay", status, &reply);
    web_reply_free(&reply);
}

static void test_replays_are_as_described(void **state)
{
    (void)state;
    const place p = place_new();
    demo_fixture d;
    demo_open(&d);
    script s = script_new(d.f.live.map);
    script_query(&s, 0, 1, 0);
    script_end(&s, 10);
    d.options.replay = place_write(&p, "run.jsonl", s.text, s.size);
    demo_start(&d);
    check_control(&d, NULL, 200);
    check_control(&d, "{\"paused\":true,\"speed\":0.1,\"t\":5.5}", 200);
    check_control(&d, "{}", 200);
    check_control(&d, "{\"speed\":0.09}", 400);
    check_control(&d, "[]", 400);
    demo_close(&d);
    demo_open(&d);
    demo_start(&d);
    check_control(&d, NULL, 404);
    demo_close(&d);
    script_free(&s);
    place_free(&p);
}

static void check_about(const demo_fixture *d, const char *part)
{
    web_reply reply = web_ask(live_service_address(&d->f.live), "GET", "/v1/about", "", NULL);
    check_described(&d->f, "GET", "/v1/about", 200, &reply);
    CHECK_CONTAINS(reply.body, part);
    web_reply_free(&reply);
}

static void test_the_service_says_what_the_demo_offers(void **state)
{
    (void)state;
    const place p = place_new();
    demo_fixture d;
    demo_open(&d);
    d.options.reports = p.path;
    demo_start(&d);
    check_about(&d, "\"offers\":[\"attacks\"],\"zones\":false,\"cluster\":false,\"demo\":true,"
                    "\"records_true_positions_until\":null}");
    place_write_text(&p, "report.html", "<!doctype html>");
    check_about(&d, "\"offers\":[\"attacks\",\"reports\"],");
    demo_close(&d);
    place_free(&p);
}

static void test_what_only_listeners_may_see_is_kept_from_others_as_described(void **state)
{
    (void)state;
    static const char attack[] = "{\"queries\":[{\"segment\":0,\"k\":1,\"l\":1,\"max_hops\":0}]}";
    const place p = place_new();
    static const struct {
        sc_access access;
        const char *headers;
        int status;
    } cases[] = {
        {SC_ACCESS_OFF, "", 404},
        {SC_ACCESS_TOKEN, "", 401},
        // A remote client, by a proxy on this machine.
        {SC_ACCESS_LOCAL, "X-Forwarded-For: 192.0.2.7\r\n", 403},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        demo_fixture d;
        demo_open(&d);
        d.f.live.options.policy.events = cases[i].access;
        d.options.reports = p.path;
        demo_start(&d);
        check_ask(&d.f, "GET", "/reports/", cases[i].headers, NULL, cases[i].status);
        check_ask(&d.f, "POST", "/v1/attacks", cases[i].headers, attack, cases[i].status);
        check_ask(&d.f, "GET", "/demo/methods", cases[i].headers, NULL, cases[i].status);
        check_ask(&d.f, "GET", "/demo/places", cases[i].headers, NULL, cases[i].status);
        demo_close(&d);
    }
    place_free(&p);
}

// --- The document --------------------------------------------------------------------------------

static void test_the_document_is_sound(void **state)
{
    (void)state;
    json_t *document = openapi_load_demo();
    size_t count = 0;
    const char *name = NULL;
    json_t *schema = NULL;
    json_object_foreach(json_object_get(json_object_get(document, "components"), "schemas"), name,
                        schema)
    {
        schema_reason why = {""};
        if (json_schema_audit(document, schema, &why)) fail_msg("%s: %s", name, why.text);
        const json_t *examples = json_object_get(schema, "examples");
        for (size_t i = 0; i < json_array_size(examples); i++) {
            if (json_schema_check(document, schema, json_array_get(examples, i), &why)) {
                fail_msg("%s, example %zu: %s", name, i, why.text);
            }
            count++;
        }
    }
    assert_true(count >= 14);
    // Replies that the server gives by itself may come from any page.
    static const int statuses[] = {400, 408, 413, 417, 431, 500, 501, 503};
    for (size_t i = 0; i < sizeof statuses / sizeof *statuses; i++) {
        char text[2048];
        const size_t size = sc_problem_of_server(NULL, statuses[i], text, sizeof text);
        openapi_check_response(document, "POST", "/v1/attacks", statuses[i],
                               "application/problem+json", text, size);
        openapi_check_response(document, "GET", "/reports/", statuses[i],
                               "application/problem+json", text, size);
        openapi_check_response(document, "GET", "/demo/methods", statuses[i],
                               "application/problem+json", text, size);
        openapi_check_response(document, "GET", "/demo/places", statuses[i],
                               "application/problem+json", text, size);
    }
    json_decref(document);
}

static size_t limit_of(const json_t *document, size_t kind, const char *member)
{
    const json_t *kinds = json_object_get(openapi_schema(document, "AttackRequest"), "oneOf");
    const json_t *members = json_object_get(json_array_get(kinds, kind), "properties");
    return (size_t)json_integer_value(
        json_object_get(json_object_get(members, member), "maxItems"));
}

static json_int_t most_of(const json_t *document, const char *schema)
{
    return json_integer_value(json_object_get(openapi_schema(document, schema), "maximum"));
}

static void test_limits_of_attacks_are_those_of_the_code(void **state)
{
    (void)state;
    json_t *document = openapi_load_demo();
    assert_int_equal(limit_of(document, 0, "segments"), SC_ATTACK_REQUEST_SEGMENTS_MAX);
    assert_int_equal(limit_of(document, 0, "members"), SC_ATTACK_REQUEST_MEMBERS_MAX);
    assert_int_equal(limit_of(document, 1, "queries"), SC_ATTACK_REQUEST_MEMBERS_MAX);
    assert_int_equal(most_of(document, "Need"), SC_ATTACK_REQUEST_NEED_MAX);
    assert_int_equal(most_of(document, "Hops"), SC_ATTACK_REQUEST_HOPS_MAX);
    json_decref(document);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_attacks_are_as_described),
    cmocka_unit_test(test_attacks_that_are_none_are_refused_as_described),
    cmocka_unit_test(test_too_many_attacks_are_told_to_come_again_as_described),
    cmocka_unit_test(test_a_attack_that_is_given_up_while_draining_is_told_as_described),
    cmocka_unit_test(test_reports_are_as_described),
    cmocka_unit_test(test_places_are_as_described),
    cmocka_unit_test(test_replays_are_as_described),
    cmocka_unit_test(test_the_service_says_what_the_demo_offers),
    cmocka_unit_test(test_what_only_listeners_may_see_is_kept_from_others_as_described),
    cmocka_unit_test(test_the_document_is_sound),
    cmocka_unit_test(test_limits_of_attacks_are_those_of_the_code),
};
SC_SUITE(tests)
