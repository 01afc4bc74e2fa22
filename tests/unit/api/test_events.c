// Events over a real server: what newcomers are told of the past, what everybody is told then, and
// when it ends. How a text reaches them all is tested in server/test_event_stream.c.
#include "api/events.h"

#include "api/metrics.h"
#include "api/problem_details.h"
#include "support/check.h"
#include "support/oom.h"
#include "support/openapi.h"
#include "support/served_by_hand.h"
#include "support/sketch.h"
#include "support/web_client.h"

#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

/** The service that events need; no query is ever asked here. */
typedef struct fixture {
    sc_map *map;
    sc_objects *objects;
    sc_service_internal service;
} fixture;

static void handle(void *context, unsigned loop, sc_http_request *request)
{
    fixture *f = context;
    const char *path = sc_http_request_path(request);
    if (strcmp(path, "/v1/events") == 0) {
        sc_events_listen(f->service.events, loop, request, 0);
        return;
    }
    // "/second" and how often.
    for (long n = strncmp(path, "/second", 7) == 0 ? strtol(path + 7, NULL, 10) : 0; n > 0; n--) {
        sc__events_second(f->service.events, loop);
    }
    sc_http_reply(request, 204, NULL, NULL, 0, NULL, 0);
}

static void settle_nothing(void *context, sc_ticket *ticket)
{
    (void)context;
    sc_ticket_free(ticket);
}

static void fixture_open(fixture *f, unsigned loops, size_t max_listeners)
{
    sc_diag diag = {""};
    *f = (fixture){.map = full_map(SC_COORDS_GEOGRAPHIC)};
    CHECK_OK(sc_objects_new_from_map(f->map, &f->objects), NULL);
    f->service.loops = loops;
    static const char *const addresses[] = {"127.0.0.1:0"};
    sc_http_options http = sc_http_options_default();
    http.addresses = addresses;
    http.address_count = 1;
    http.loops = loops;
    http.handle = handle;
    http.context = f;
    http.problem = sc_problem_of_server;
    CHECK_OK(sc_http_new(&http, &f->service.http, &diag), &diag);
    CHECK_OK(sc_metrics_new(&f->service.metrics), NULL);
    CHECK_OK(sc_events_new(&f->service, max_listeners, &f->service.events, &diag), &diag);

    sc_served_map *served = serve_by_hand(&f->service, f->map);
    sc_ledger_options ledger = sc_ledger_options_default();
    ledger.settled = settle_nothing;
    CHECK_OK(sc_ledger_new(f->map, &ledger, &served->ledger, &diag), &diag);
    sc_courier_options courier = sc_courier_options_default();
    courier.objects = f->objects;
    courier.back = sc_ledger_errand_back;
    courier.context = served->ledger;
    sc_rng *rng = NULL;
    CHECK_OK(sc_rng_new_secure(&rng), NULL);
    CHECK_OK(sc_courier_new(f->map, &courier, rng, &served->courier, &diag), &diag);
    sc_rng_free(rng);
    sc_ledger_set_courier(served->ledger, served->courier);
    CHECK_OK(sc_http_start(f->service.http, &diag), &diag);
}

static void fixture_close(fixture *f)
{
    sc_http_stop(f->service.http);
    assert_int_equal(sc_events_listeners(f->service.events), 0);
    sc_served_maps_close(f->service.maps);
    sc_events_free(f->service.events);
    sc_served_maps_free(f->service.maps);
    sc_http_free(f->service.http);
    sc_metrics_free(f->service.metrics);
    sc_objects_release(f->objects);
    sc_map_free(f->map);
}

static const char *address(const fixture *f)
{
    return sc_http_address(f->service.http, 0);
}

/** Wait for what other threads do; a minute at most. */
#define WAIT_UNTIL(condition)                                        \
    do {                                                             \
        for (unsigned tries = 0; !(condition); tries++) {            \
            if (tries == 60000) fail_msg("in vain: %s", #condition); \
            usleep(1000);                                            \
        }                                                            \
    } while (0)

/** A listener. */
typedef struct subscriber {
    int fd;
    web_stream received;
} subscriber;

static subscriber listen_in(const fixture *f)
{
    subscriber e = {.fd = web_connect(address(f))};
    web_send(e.fd, "GET", "/v1/events", "", NULL);
    web_stream_await(e.fd, &e.received, 0, "retry: 2000\n\n");
    return e;
}

static void stop_listening(subscriber *e)
{
    close(e->fd);
    free(e->received.text);
}

static const sc_vocabulary *words_of(const fixture *f)
{
    return sc_courier_vocabulary(sc_served_now(&f->service)->courier);
}

/** A cloak that can be told from others by its first segment, which is its number as well. */
static void publish(const fixture *f, sc_seg_id first, size_t segment_count)
{
    sc_seg_id *segments = test_take(segment_count, sizeof *segments);
    for (size_t i = 0; i < segment_count; i++) {
        segments[i] = first + (sc_seg_id)i;
    }
    static const sc_request requests[] = {
        {.type = SC_REQUEST_KNN, .k = 5, .category_count = 1, .categories = {1}}};
    const sc_relay relay = {.segments = segments,
                            .segment_count = segment_count,
                            .requests = requests,
                            .request_count = 1};
    sc_events_published(f->service.events, &relay, first, words_of(f));
    free(segments);
}

static void send_bytes(const fixture *f, uint64_t cloak)
{
    sc_events_sent(f->service.events, cloak, SC_ENCODING_COMPACT, "foobar", 6);
}

/** Wait for the event of that name from there on, and hold its data against a schema. */
static size_t await_event(subscriber *e, size_t from, const char *name, const char *schema)
{
    char head[64];
    snprintf(head, sizeof head, "event: %s\ndata: ", name);
    const size_t at = web_stream_await(e->fd, &e->received, from, head);
    web_stream_await(e->fd, &e->received, at, "\n\n");
    const char *data = e->received.text + at + strlen(head);
    json_t *document = openapi_load();
    openapi_check_text(document, schema, data, strcspn(data, "\n"));
    json_decref(document);
    return at;
}

/** The data of the event there; json_decref() it. */
static json_t *data_at(const subscriber *e, size_t event)
{
    const char *data = strchr(e->received.text + event, '{');
    assert_non_null(data);
    json_t *value = json_loadb(data, strcspn(data, "\n"), JSON_REJECT_DUPLICATES, NULL);
    assert_non_null(value);
    return value;
}

static double number_of(const json_t *object, const char *name)
{
    const json_t *number = json_object_get(object, name);
    assert_true(json_is_number(number));
    return json_number_value(number);
}

static void get_nothing(const fixture *f, const char *path)
{
    web_reply reply = web_ask(address(f), "GET", path, "", NULL);
    assert_int_equal(reply.status, 204);
    web_reply_free(&reply);
}

static void test_a_listener_hears_history_cloaks_bytes_and_counters(void **state)
{
    (void)state;
    fixture f;
    fixture_open(&f, 2, 10);
    subscriber e = listen_in(&f);
    const size_t history = await_event(&e, 0, "history", "HistoryEvent");
    publish(&f, 7, 3);
    send_bytes(&f, 7);
    size_t at = await_event(&e, 0, "cloak", "CloakEvent");
    assert_true(history < at);
    CHECK_CONTAINS(e.received.text + at, "{\"id\":\"0000000000000007\",\"segments\":[7,8,9],");
    // The word is the courier's for category 1.
    CHECK_CONTAINS(e.received.text + at, sc_map_category_name(f.map, 1));
    at = await_event(&e, at, "sent", "SentEvent");
    CHECK_CONTAINS(e.received.text + at, "\"cloak\":\"0000000000000007\",\"encoding\":\"compact\","
                                         "\"bytes\":\"Zm9vYmFy\"}");
    at = await_event(&e, history, "counters", "Counters");  // by the clock
    CHECK_CONTAINS(e.received.text + at, "\"listeners\":1}");
    stop_listening(&e);
    WAIT_UNTIL(sc_events_listeners(f.service.events) == 0);
    fixture_close(&f);
}

// There is no listener at first: the past is there nevertheless, and what comes continues it.
static void test_a_newcomer_is_told_the_past(void **state)
{
    (void)state;
    fixture f;
    fixture_open(&f, 1, 10);
    get_nothing(&f, "/second5");
    subscriber e = listen_in(&f);
    json_t *history = data_at(&e, await_event(&e, 0, "history", "HistoryEvent"));
    get_nothing(&f, "/second1");
    json_t *counters = data_at(&e, await_event(&e, 0, "counters", "Counters"));

    const json_t *fields = json_object_get(history, "fields");
    const json_t *rows = json_object_get(history, "rows");
    assert_true(json_array_size(rows) >= 5);
    double before = 0.0;
    for (size_t i = 0; i < json_array_size(rows); i++) {
        const json_t *row = json_array_get(rows, i);
        assert_int_equal(json_array_size(row), json_array_size(fields));
        const double t = json_number_value(json_array_get(row, 0));
        assert_true(t >= before);
        before = t;
    }
    // The fields are the members of counters, in their order.
    assert_int_equal(json_array_size(fields), json_object_size(counters));
    size_t i = 0;
    const char *name = NULL;
    json_t *value = NULL;
    json_object_foreach(counters, name, value)
    {
        assert_string_equal(json_string_value(json_array_get(fields, i++)), name);
    }
    assert_true(number_of(counters, "t") >= before);
    json_decref(history);
    json_decref(counters);
    stop_listening(&e);
    fixture_close(&f);
}

static void test_sums_are_those_of_the_metrics(void **state)
{
    (void)state;
    fixture f;
    fixture_open(&f, 1, 10);
    static const sc_seg_id segments[] = {3, 4, 9};
    const sc_relay relay = {.segments = segments, .segment_count = 3};
    sc_metrics_published(f.service.metrics, NULL, &relay, 5);
    sc_metrics_published(f.service.metrics, NULL, &relay, 7);
    const sc_ticket answered = {
        .outcome = SC_OUTCOME_ANSWERED, .asked = 1000000, .published = 2250000, .settled = 3000000};
    sc_metrics_settled(f.service.metrics, &answered);
    sc_metrics_settled(f.service.metrics, &answered);
    const sc_ticket dropped = {.outcome = SC_OUTCOME_DROPPED, .asked = 0, .settled = 9000000};
    sc_metrics_settled(f.service.metrics, &dropped);  // did not wait for a cloak that came
    subscriber e = listen_in(&f);
    get_nothing(&f, "/second1");
    json_t *counters = data_at(&e, await_event(&e, 0, "counters", "Counters"));
    CHECK_CLOSE(number_of(counters, "wait_s"), 2.5, 1e-9);
    CHECK_SAME(number_of(counters, "users"), 12.0);
    CHECK_SAME(number_of(counters, "segments"), 6.0);
    json_decref(counters);
    stop_listening(&e);
    fixture_close(&f);
}

static void test_counters_are_told_each_second_whether_they_change_or_not(void **state)
{
    (void)state;
    fixture f;
    fixture_open(&f, 2, 10);
    subscriber subscribers[3];
    for (size_t i = 0; i < 3; i++) {
        subscribers[i] = listen_in(&f);
    }
    get_nothing(&f, "/second3");
    for (size_t i = 0; i < 3; i++) {
        // Before the last of them came, there may have been one or two more.
        size_t at = 0;
        for (unsigned n = 0; n < 3; n++) {
            at = 1 + web_stream_await(subscribers[i].fd, &subscribers[i].received, at,
                                      "\"listeners\":3}\n\n");
        }
        stop_listening(&subscribers[i]);
    }
    fixture_close(&f);
}

static void *take_rows(void *context)
{
    sc_events *events = context;
    for (unsigned i = 0; i < 1000; i++) {
        sc__events_second(events, 0);
    }
    return NULL;
}

// The thread sanitizer looks, too. In every history time goes on.
static void test_rows_are_whole_while_threads_read_and_write_them(void **state)
{
    (void)state;
    fixture f;
    fixture_open(&f, 2, 10);
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, take_rows, f.service.events), 0);
    for (unsigned n = 0; n < 10; n++) {
        subscriber e = listen_in(&f);
        json_t *history = data_at(&e, await_event(&e, 0, "history", "HistoryEvent"));
        const json_t *rows = json_object_get(history, "rows");
        assert_true(json_array_size(rows) <= SC_HISTORY_ROWS);
        double before = 0.0;
        for (size_t i = 0; i < json_array_size(rows); i++) {
            const double t = json_number_value(json_array_get(json_array_get(rows, i), 0));
            assert_true(t >= before);
            before = t;
        }
        json_decref(history);
        stop_listening(&e);
    }
    pthread_join(thread, NULL);
    fixture_close(&f);
}

static void test_no_more_may_listen_than_was_said(void **state)
{
    (void)state;
    fixture f;
    fixture_open(&f, 1, 1);
    subscriber first = listen_in(&f);
    assert_int_equal(sc_events_listeners(f.service.events), 1);
    web_reply reply = web_ask(address(&f), "GET", "/v1/events", "", NULL);
    json_t *document = openapi_load();
    assert_int_equal(reply.status, 503);
    openapi_check_response(document, "GET", "/v1/events", 503, web_header(&reply, "Content-Type"),
                           reply.body, reply.size);
    assert_string_equal(web_header(&reply, "Retry-After"), "5");
    assert_int_equal(sc_refusals_of(&f.service, SC_PROBLEM_OVERLOADED), 1);
    json_decref(document);
    web_reply_free(&reply);
    stop_listening(&first);
    fixture_close(&f);
}

static void test_nothing_is_put_into_words_without_a_listener(void **state)
{
    (void)state;
    fixture f;
    fixture_open(&f, 2, 10);
    publish(&f, 1, 100);  // by now all memory that the test itself needs has been asked for once
    static const sc_seg_id segments[] = {1};
    const sc_relay relay = {.segments = segments, .segment_count = 1};
    oom_arm(1);
    sc_events_published(f.service.events, &relay, 1, words_of(&f));
    send_bytes(&f, 1);
    sc__events_second(f.service.events, 0);
    assert_false(oom_happened());  // no memory was asked for
    subscriber e = listen_in(&f);
    publish(&f, 2, 1);
    web_stream_await(e.fd, &e.received, 0, "\"segments\":[2],");
    assert_null(strstr(e.received.text, "\"segments\":[1"));
    stop_listening(&e);
    fixture_close(&f);
}

// Each fails in turn; then all is told, once.
static void test_what_there_is_no_memory_for_is_lost_and_counted(void **state)
{
    (void)state;
    fixture f;
    fixture_open(&f, 1, 10);
    subscriber e = listen_in(&f);
    static const sc_seg_id segments[] = {9, 10, 11};
    const sc_relay relay = {.segments = segments, .segment_count = 3};
    uint64_t failures = 0;
    FOR_EACH_FAILURE(n)
    {
        sc_events_published(f.service.events, &relay, 9, words_of(&f));
        if (!oom_happened()) break;
        failures++;
        assert_int_equal(sc_events_lost(f.service.events), failures);
    }
    assert_true(failures >= 2);  // the words, and the audience's copy
    FOR_EACH_FAILURE(n)
    {
        send_bytes(&f, 9);
        if (!oom_happened()) break;
        failures++;
        assert_int_equal(sc_events_lost(f.service.events), failures);
    }
    assert_true(failures >= 4);
    web_stream_await(e.fd, &e.received, 0, "\"bytes\":\"Zm9vYmFy\"}");
    const char *cloak = strstr(e.received.text, "event: cloak\n");
    assert_non_null(cloak);
    assert_null(strstr(cloak + 1, "event: cloak\n"));
    stop_listening(&e);
    fixture_close(&f);
}

static void test_streams_end_when_the_service_drains(void **state)
{
    (void)state;
    fixture f;
    fixture_open(&f, 2, 10);
    subscriber subscribers[3];
    for (size_t i = 0; i < 3; i++) {
        subscribers[i] = listen_in(&f);
    }
    atomic_store(&f.service.is_draining, true);
    for (size_t i = 0; i < 3; i++) {
        web_stream_await(subscribers[i].fd, &subscribers[i].received, 0,
                         "\r\n0\r\n\r\n");  // the last chunk
        stop_listening(&subscribers[i]);
    }
    WAIT_UNTIL(sc_events_listeners(f.service.events) == 0);
    web_reply reply = web_ask(address(&f), "GET", "/v1/events", "", NULL);
    assert_int_equal(reply.status, 503);
    CHECK_CONTAINS(reply.body, "urn:starcloak:problem:draining");
    web_reply_free(&reply);
    fixture_close(&f);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_listener_hears_history_cloaks_bytes_and_counters),
    cmocka_unit_test(test_a_newcomer_is_told_the_past),
    cmocka_unit_test(test_sums_are_those_of_the_metrics),
    cmocka_unit_test(test_counters_are_told_each_second_whether_they_change_or_not),
    cmocka_unit_test(test_rows_are_whole_while_threads_read_and_write_them),
    cmocka_unit_test(test_no_more_may_listen_than_was_said),
    cmocka_unit_test(test_nothing_is_put_into_words_without_a_listener),
    cmocka_unit_test(test_what_there_is_no_memory_for_is_lost_and_counted),
    cmocka_unit_test(test_streams_end_when_the_service_drains),
};
SC_SUITE(tests)
