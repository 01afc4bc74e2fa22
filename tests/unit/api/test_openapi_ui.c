// Real responses of the pages that people look at, against openapi.json: the UI, what a service
// says of itself, and events of each kind.
#include "described.h"
#include "support/rough_provider.h"

#include <pthread.h>
#include <sodium.h>
#include <stdio.h>
#include <unistd.h>

// --- Pages ---------------------------------------------------------------------------------------

static void test_the_ui_is_as_described_and_may_be_left_out(void **state)
{
    (void)state;
    fixture f;
    fixture_open(&f);
    f.live.options.has_ui = true;
    live_service_start(&f.live);
    check_ask(&f, "GET", "/", "", NULL, 200);
    web_reply reply = web_ask(live_service_address(&f.live), "POST", "/", "", "{}");
    check_described(&f, "GET", "/", 405, &reply);
    web_reply_free(&reply);
    fixture_close(&f);

    fixture_open(&f);
    live_service_start(&f.live);
    check_ask(&f, "GET", "/", "", NULL, 404);
    fixture_close(&f);
}

static void test_what_only_a_demo_has_is_not_there(void **state)
{
    (void)state;
    static const char *const paths[] = {"/v1/attacks",          "/reports",    "/reports/",
                                        "/reports/report.html", "/demo/about", "/demo/events",
                                        "/demo/engine"};
    fixture f;
    fixture_open(&f);
    f.live.options.has_ui = true;
    f.live.options.policy.events = SC_ACCESS_OPEN;
    live_service_start(&f.live);
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        for (unsigned posts = 0; posts < 2; posts++) {
            web_reply reply = web_ask(live_service_address(&f.live), posts ? "POST" : "GET",
                                      paths[i], "", posts ? "{}" : NULL);
            if (reply.status != 404) fail_msg("%s gave %d", paths[i], reply.status);
            web_reply_free(&reply);
        }
    }
    fixture_close(&f);
}

static void show_nothing(void *context, unsigned loop, sc_http_request *request)
{
    (void)context;
    (void)loop;
    sc_http_reply(request, 204, NULL, NULL, 0, NULL, 0);
}

static void check_about(const fixture *f, const char *part)
{
    web_reply reply = web_ask(live_service_address(&f->live), "GET", "/v1/about", "", NULL);
    check_described(f, "GET", "/v1/about", 200, &reply);
    CHECK_CONTAINS(reply.body, part);
    web_reply_free(&reply);
}

static void test_a_service_tells_of_itself_as_described(void **state)
{
    (void)state;
    static const sc_extra_page extra = {
        .path = "/demo/about", .method = SC_HTTP_GET, .offer = "nothing", .show = show_nothing};
    for (unsigned kind = 0; kind < 3; kind++) {
        fixture f;
        fixture_open(&f);
        if (kind > 0) {
            f.live.options.courier.kind = SC_COURIER_HTTP;
            f.live.options.courier.url = "http://127.0.0.1:9/";
            f.live.options.courier.encoding = kind == 1 ? SC_ENCODING_COMPACT : SC_ENCODING_GEOJSON;
        }
        if (kind == 2) {
            f.live.options.policy.events = SC_ACCESS_OPEN;
            f.live.options.extra = &extra;
            f.live.options.extra_count = 1;
        }
        live_service_start(&f.live);
        static const char *const providers[] = {
            "\"provider\":\"built in\",\"encoding\":null",
            "\"provider\":\"http\",\"encoding\":\"compact\"",
            "\"provider\":\"http\",\"encoding\":\"geojson\"",
        };
        check_about(&f, providers[kind]);
        check_about(&f, kind == 2 ? "\"events\":\"open\",\"offers\":[\"nothing\"],\"zones\":false,"
                                    "\"cluster\":false,\"demo\":true,"
                                  : "\"events\":\"local\",\"offers\":[],\"zones\":false,"
                                    "\"cluster\":false,\"demo\":false,");
        fixture_close(&f);
    }
}

static void test_what_only_listeners_may_see_is_kept_from_others_as_described(void **state)
{
    (void)state;
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
        fixture f;
        fixture_open(&f);
        f.live.options.policy.events = cases[i].access;
        live_service_start(&f.live);
        check_ask(&f, "GET", "/v1/events", cases[i].headers, NULL, cases[i].status);
        fixture_close(&f);
    }
}

// --- Events --------------------------------------------------------------------------------------

/** A listener. */
typedef struct subscriber {
    int fd;
    web_stream received;
} subscriber;

/** The data of the next event of that name, which is as described; json_decref() it. */
static json_t *receive_event(const fixture *f, subscriber *e, size_t from, const char *name,
                             const char *schema)
{
    char head[64];
    snprintf(head, sizeof head, "event: %s\ndata: ", name);
    const size_t at = web_stream_await(e->fd, &e->received, from, head);
    const size_t end = web_stream_await(e->fd, &e->received, at + strlen(head), "\n\n");
    const char *data = e->received.text + at + strlen(head);
    const size_t size = end - at - strlen(head);
    openapi_check_text(f->document, schema, data, size);
    json_t *value = json_loadb(data, size, JSON_REJECT_DUPLICATES, NULL);
    assert_non_null(value);
    return value;
}

static const char *word_of(const json_t *object, const char *name)
{
    const char *word = json_string_value(json_object_get(object, name));
    assert_non_null(word);
    return word;
}

static json_t *answer_of(const fixture *f, const web_reply *reply)
{
    check_described(f, "POST", "/v1/queries", 200, reply);
    json_t *outcome = json_loadb(reply->body, reply->size, JSON_REJECT_DUPLICATES, NULL);
    assert_string_equal(word_of(outcome, "outcome"), "answered");
    return outcome;
}

/** The bytes of a `sent` event are those that the provider got. */
static void check_bytes(const json_t *sent, rough_provider *provider)
{
    const char *base64 = word_of(sent, "bytes");
    unsigned char bytes[4096];
    size_t size = 0;
    assert_int_equal(sodium_base642bin(bytes, sizeof bytes, base64, strlen(base64), NULL, &size,
                                       NULL, sodium_base64_VARIANT_ORIGINAL),
                     0);
    assert_int_equal(rough_provider_count(provider), 1);
    const sc_bytes got = rough_provider_body(provider, 0);
    assert_int_equal(size, got.size);
    assert_memory_equal(bytes, got.data, size);
}

/** Two ask, are answered together, and know their cloak: the one that listeners are told of. */
static void check_events(sc_encoding encoding)
{
    static const char body[] = "{\"position\":{\"edge\":3,\"offset_m\":5},"
                               "\"request\":{\"type\":\"knn\",\"k\":1}}";
    fixture f;
    fixture_open(&f);
    rough_provider *provider = rough_provider_new(f.live.objects, encoding);
    rough_provider_up(provider);
    f.live.options.courier.kind = SC_COURIER_HTTP;
    f.live.options.courier.url = rough_provider_url(provider);
    f.live.options.courier.encoding = encoding;
    live_service_start(&f.live);
    subscriber e = {.fd = web_connect(live_service_address(&f.live))};
    web_send(e.fd, "GET", "/v1/events", "", NULL);
    json_decref(receive_event(&f, &e, 0, "history", "HistoryEvent"));

    char headers[LIVE_HEADERS_SIZE];
    const int first = web_connect(live_service_address(&f.live));
    web_send(first, "POST", "/v1/queries", live_service_token(&f.live, "a", headers), body);
    web_reply reply = web_ask(live_service_address(&f.live), "POST", "/v1/queries",
                              live_service_token(&f.live, "b", headers), body);
    json_t *second_outcome = answer_of(&f, &reply);
    web_reply_free(&reply);
    reply = web_receive(first);
    json_t *first_outcome = answer_of(&f, &reply);
    web_reply_free(&reply);
    close(first);

    json_t *cloak = receive_event(&f, &e, 0, "cloak", "CloakEvent");
    json_t *sent = receive_event(&f, &e, 0, "sent", "SentEvent");
    const json_t *first_cloak = json_object_get(first_outcome, "cloak");
    const json_t *second_cloak = json_object_get(second_outcome, "cloak");
    assert_string_equal(word_of(first_cloak, "id"), word_of(cloak, "id"));
    assert_string_equal(word_of(second_cloak, "id"), word_of(cloak, "id"));
    assert_string_equal(word_of(sent, "cloak"), word_of(cloak, "id"));
    assert_string_equal(word_of(sent, "encoding"), sc_encoding_name(encoding));
    assert_int_equal(json_integer_value(json_object_get(first_cloak, "segments")),
                     json_array_size(json_object_get(cloak, "segments")));
    check_bytes(sent, provider);

    // Counters come each second; sooner or later they have all of it.
    const size_t at = web_stream_await(e.fd, &e.received, 0, "\"answered\":2,");
    size_t begin = at;
    while (strncmp(e.received.text + begin, "event: ", 7) != 0) {
        begin--;
    }
    json_t *counters = receive_event(&f, &e, begin, "counters", "Counters");
    assert_int_equal(json_integer_value(json_object_get(counters, "cloaks")), 1);
    assert_int_equal(json_integer_value(json_object_get(counters, "users")), 2);
    assert_int_equal(json_integer_value(json_object_get(counters, "segments")),
                     json_array_size(json_object_get(cloak, "segments")));
    assert_int_equal(json_integer_value(json_object_get(counters, "bytes_out")),
                     rough_provider_body(provider, 0).size);
    assert_true(json_integer_value(json_object_get(counters, "bytes_in")) > 0);
    json_decref(counters);
    json_decref(cloak);
    json_decref(sent);
    json_decref(first_outcome);
    json_decref(second_outcome);
    close(e.fd);
    free(e.received.text);
    fixture_close(&f);
    rough_provider_free(provider);
}

static void test_events_of_each_kind_are_as_described(void **state)
{
    (void)state;
    check_events(SC_ENCODING_COMPACT);
    check_events(SC_ENCODING_GEOJSON);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_the_ui_is_as_described_and_may_be_left_out),
    cmocka_unit_test(test_what_only_a_demo_has_is_not_there),
    cmocka_unit_test(test_a_service_tells_of_itself_as_described),
    cmocka_unit_test(test_what_only_listeners_may_see_is_kept_from_others_as_described),
    cmocka_unit_test(test_events_of_each_kind_are_as_described),
};
SC_SUITE(tests)
