// Events over a real server: every listener hears everything once and in order, whoever does not
// keep up is left behind, and nobody waits for them.
#include "service/events.h"

#include "service/events_internal.h"
#include "service/problem.h"
#include "support/check.h"
#include "support/oom.h"
#include "support/openapi.h"
#include "support/sketch.h"
#include "support/web_client.h"

#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

/** The parts that events need; no query is ever asked here. */
typedef struct fixture {
    sc_map *map;
    sc_objects *objects;
    sc_parts parts;
    pthread_mutex_t gate;  ///< who holds it stops a loop at "/gate"
    atomic_bool is_at_gate;
} fixture;

static void handle(void *context, unsigned loop, sc_http_request *request)
{
    fixture *f = context;
    const char *path = sc_http_request_path(request);
    if (strcmp(path, "/v1/events") == 0) {
        sc_events_listen(f->parts.events, loop, request);
        return;
    }
    if (strcmp(path, "/gate") == 0) {
        atomic_store(&f->is_at_gate, true);
        pthread_mutex_lock(&f->gate);
        pthread_mutex_unlock(&f->gate);
    }
    // "/tick" and how often.
    for (long ticks = strncmp(path, "/tick", 5) == 0 ? strtol(path + 5, NULL, 10) : 0; ticks > 0;
         ticks--) {
        sc__events_tick(f->parts.events, loop);
    }
    sc_http_reply(request, 204, NULL, NULL, 0, NULL, 0);
}

static void settle_nothing(void *context, sc_ticket *ticket)
{
    (void)context;
    sc_ticket_free(ticket);
}

static void fixture_open(fixture *f, unsigned loops, size_t max_listeners, size_t max_stream_bytes)
{
    sc_diag diag = {""};
    *f = (fixture){.map = full_map(SC_COORDS_GEOGRAPHIC), .gate = PTHREAD_MUTEX_INITIALIZER};
    CHECK_OK(sc_objects_of_map(f->map, &f->objects), NULL);
    f->parts.map = f->map;
    f->parts.loops = loops;
    static const char *const addresses[] = {"127.0.0.1:0"};
    sc_http_options http = sc_http_options_default();
    http.addresses = addresses;
    http.address_count = 1;
    http.loops = loops;
    http.max_stream_bytes = max_stream_bytes;
    http.handle = handle;
    http.context = f;
    http.problem = sc_problem_of_server;
    CHECK_OK(sc_http_new(&http, &f->parts.http, &diag), &diag);
    CHECK_OK(sc_events_new(&f->parts, max_listeners, &f->parts.events, &diag), &diag);

    sc_ledger_options ledger = sc_ledger_options_default();
    ledger.settled = settle_nothing;
    CHECK_OK(sc_ledger_new(f->map, &ledger, &f->parts.ledger, &diag), &diag);
    sc_courier_options courier = sc_courier_options_default();
    courier.objects = f->objects;
    courier.back = sc_ledger_errand_back;
    courier.context = f->parts.ledger;
    sc_rng *rng = NULL;
    CHECK_OK(sc_rng_new_secure(&rng), NULL);
    CHECK_OK(sc_courier_new(f->map, &courier, rng, &f->parts.courier, &diag), &diag);
    sc_rng_free(rng);
    sc_ledger_set_courier(f->parts.ledger, f->parts.courier);
    CHECK_OK(sc_http_start(f->parts.http, &diag), &diag);
}

static void fixture_close(fixture *f)
{
    sc_http_stop(f->parts.http);
    assert_int_equal(sc_events_listeners(f->parts.events), 0);
    sc_ledger_stop(f->parts.ledger);
    sc_courier_free(f->parts.courier);
    sc_events_free(f->parts.events);
    sc_ledger_free(f->parts.ledger);
    sc_http_free(f->parts.http);
    sc_objects_release(f->objects);
    sc_map_free(f->map);
}

static const char *address(const fixture *f)
{
    return sc_http_address(f->parts.http, 0);
}

/** Wait for what other threads do; a minute at most. */
#define WAIT_UNTIL(condition)                                        \
    do {                                                             \
        for (unsigned tries = 0; !(condition); tries++) {            \
            if (tries == 60000) fail_msg("in vain: %s", #condition); \
            usleep(1000);                                            \
        }                                                            \
    } while (0)

/** Somebody who listens. */
typedef struct ear {
    int fd;
    web_stream heard;
} ear;

static ear listen_in(const fixture *f)
{
    ear e = {.fd = web_connect(address(f))};
    web_send(e.fd, "GET", "/v1/events", "", NULL);
    web_stream_await(e.fd, &e.heard, 0, "retry: 2000\n\n");
    return e;
}

static void stop_listening(ear *e)
{
    close(e->fd);
    free(e->heard.text);
}

/** A cloak that can be told from others by its first segment. */
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
    sc_events_published(f->parts.events, &relay);
    free(segments);
}

static void check_data(const ear *e, size_t event, const char *schema)
{
    const char *data = strstr(e->heard.text + event, "data: ");
    assert_non_null(data);
    data += strlen("data: ");
    json_t *document = openapi_load();
    openapi_check_text(document, schema, data, strcspn(data, "\n"));
    json_decref(document);
}

static size_t count_of(const char *text, const char *part)
{
    size_t count = 0;
    for (const char *s = text; (s = strstr(s, part)); s++) {
        count++;
    }
    return count;
}

static void test_a_listener_hears_cloaks_and_counters(void **state)
{
    (void)state;
    fixture f;
    fixture_open(&f, 2, 10, 1 << 20);
    ear e = listen_in(&f);
    CHECK_CONTAINS(e.heard.text, "HTTP/1.1 200 ");
    CHECK_CONTAINS(e.heard.text, "Content-Type: text/event-stream\r\n");
    CHECK_CONTAINS(e.heard.text, "Cache-Control: no-store\r\n");
    CHECK_CONTAINS(e.heard.text, "X-Accel-Buffering: no\r\n");
    publish(&f, 7, 3);
    size_t at = web_stream_await(e.fd, &e.heard, 0, "event: cloak\n");
    web_stream_await(e.fd, &e.heard, at, "\n\n");
    check_data(&e, at, "CloakEvent");
    CHECK_CONTAINS(e.heard.text + at, "{\"segments\":[7,8,9],\"border_nodes\":[],");
    // The word is the courier's for category 1.
    CHECK_CONTAINS(e.heard.text + at, sc_map_category_name(f.map, 1));
    at = web_stream_await(e.fd, &e.heard, 0, "event: counters\n");
    web_stream_await(e.fd, &e.heard, at, "\n\n");
    check_data(&e, at, "Counters");
    CHECK_CONTAINS(e.heard.text + at, "\"listeners\":1}");
    stop_listening(&e);
    WAIT_UNTIL(sc_events_listeners(f.parts.events) == 0);
    fixture_close(&f);
}

static void test_every_listener_hears_everything_once_and_in_order(void **state)
{
    (void)state;
    enum { LISTENERS = 8, EVENTS = 300 };
    fixture f;
    fixture_open(&f, 2, LISTENERS, 1 << 20);
    ear ears[LISTENERS];
    for (size_t i = 0; i < LISTENERS; i++) {
        ears[i] = listen_in(&f);
    }
    for (sc_seg_id i = 0; i < EVENTS; i++) {
        publish(&f, i, 2);
    }
    for (size_t i = 0; i < LISTENERS; i++) {
        size_t at = 0;
        for (unsigned n = 0; n < EVENTS; n++) {
            char wanted[64];
            snprintf(wanted, sizeof wanted, "data: {\"segments\":[%u,%u],", n, n + 1);
            at = 1 + web_stream_await(ears[i].fd, &ears[i].heard, at, wanted);
        }
        assert_int_equal(count_of(ears[i].heard.text, "event: cloak\n"), EVENTS);
        stop_listening(&ears[i]);
    }
    assert_int_equal(sc_events_lost(f.parts.events), 0);
    fixture_close(&f);
}

static void test_no_more_may_listen_than_was_said(void **state)
{
    (void)state;
    fixture f;
    fixture_open(&f, 1, 2, 1 << 20);
    ear first = listen_in(&f);
    ear second = listen_in(&f);
    assert_int_equal(sc_events_listeners(f.parts.events), 2);
    web_reply reply = web_ask(address(&f), "GET", "/v1/events", "", NULL);
    json_t *document = openapi_load();
    assert_int_equal(reply.status, 503);
    openapi_check_response(document, "GET", "/v1/events", 503, web_header(&reply, "Content-Type"),
                           reply.body, reply.size);
    assert_string_equal(web_header(&reply, "Retry-After"), "5");
    json_decref(document);
    web_reply_free(&reply);
    stop_listening(&first);
    WAIT_UNTIL(sc_events_listeners(f.parts.events) == 1);
    ear third = listen_in(&f);  // there is room again
    publish(&f, 5, 1);
    web_stream_await(third.fd, &third.heard, 0, "{\"segments\":[5],");
    web_stream_await(second.fd, &second.heard, 0, "{\"segments\":[5],");
    stop_listening(&second);
    stop_listening(&third);
    fixture_close(&f);
}

static void test_nobody_is_told_when_nobody_listens(void **state)
{
    (void)state;
    fixture f;
    fixture_open(&f, 2, 10, 1 << 20);
    oom_arm(1);
    publish(&f, 1, 100);
    assert_false(oom_happened());  // it did not even ask for memory
    ear e = listen_in(&f);
    publish(&f, 2, 1);
    web_stream_await(e.fd, &e.heard, 0, "{\"segments\":[2],");
    assert_null(strstr(e.heard.text, "{\"segments\":[1,"));
    stop_listening(&e);
    fixture_close(&f);
}

static void test_what_there_is_no_memory_for_is_lost_and_counted(void **state)
{
    (void)state;
    fixture f;
    fixture_open(&f, 1, 10, 1 << 20);
    ear e = listen_in(&f);
    uint64_t failures = 0;
    FOR_EACH_FAILURE(n)
    {
        publish(&f, 9, 50);
        if (!oom_happened()) break;
        failures++;
        assert_int_equal(sc_events_lost(f.parts.events), failures);
    }
    assert_true(failures >= 2);
    const size_t at = web_stream_await(e.fd, &e.heard, 0, "{\"segments\":[9,10,");
    assert_null(strstr(e.heard.text + at + 1, "{\"segments\":[9,10,"));  // only the last one came
    stop_listening(&e);
    fixture_close(&f);
}

// The loop stands still, and far more happens than it can remember.
static void test_a_loop_that_does_not_keep_up_loses_events_and_holds_up_nobody(void **state)
{
    (void)state;
    enum { EVENTS = 3000 };
    fixture f;
    fixture_open(&f, 1, 10, 1 << 20);
    ear e = listen_in(&f);
    pthread_mutex_lock(&f.gate);
    const int fd = web_connect(address(&f));
    web_send(fd, "GET", "/gate", "Connection: close\r\n", NULL);
    WAIT_UNTIL(atomic_load(&f.is_at_gate));
    for (sc_seg_id i = 0; i < EVENTS; i++) {
        publish(&f, i, 1);
    }
    const uint64_t lost = sc_events_lost(f.parts.events);
    pthread_mutex_unlock(&f.gate);
    assert_true(lost > 0);
    // When it has caught up, it hears again; and what was not lost came before.
    uint64_t before = 0;
    do {
        usleep(1000);
        before = sc_events_lost(f.parts.events);
        publish(&f, 777777, 1);
    } while (sc_events_lost(f.parts.events) > before);
    web_stream_await(e.fd, &e.heard, 0, "{\"segments\":[777777],");
    assert_int_equal(count_of(e.heard.text, "event: cloak\n"), EVENTS - lost + 1);
    close(fd);
    stop_listening(&e);
    fixture_close(&f);
}

static void test_who_does_not_read_is_cut_off(void **state)
{
    (void)state;
    fixture f;
    fixture_open(&f, 1, 10, 1 << 18);
    ear deaf = listen_in(&f);
    // The kernel's buffers take some megabytes; then what waits here grows too large.
    WAIT_UNTIL((publish(&f, 100000, 10000), sc_events_listeners(f.parts.events) == 0));
    stop_listening(&deaf);
    ear e = listen_in(&f);
    publish(&f, 3, 1);
    web_stream_await(e.fd, &e.heard, 0, "{\"segments\":[3],");
    stop_listening(&e);
    fixture_close(&f);
}

static void get_nothing(const fixture *f, const char *path)
{
    web_reply reply = web_ask(address(f), "GET", path, "", NULL);
    assert_int_equal(reply.status, 204);
    web_reply_free(&reply);
}

static void test_counters_are_told_when_they_change_and_silence_is_broken(void **state)
{
    (void)state;
    fixture f;
    fixture_open(&f, 1, 10, 1 << 20);
    ear e = listen_in(&f);
    char ticks[32];
    snprintf(ticks, sizeof ticks, "/tick%d", SC__EVENTS_SILENCE_S);
    get_nothing(&f, ticks);
    get_nothing(&f, "/tick2");  // one or two real ticks may have come in between, and do no harm
    web_stream_await(e.fd, &e.heard, 0, ": nothing new\n\n");
    assert_int_equal(count_of(e.heard.text, ": nothing new\n\n"), 1);
    assert_int_equal(count_of(e.heard.text, "event: counters\n"), 1);

    ear other = listen_in(&f);
    get_nothing(&f, "/tick1");
    // There is one listener more, which is news for both.
    web_stream_await(e.fd, &e.heard, 0, "\"listeners\":2}");
    web_stream_await(other.fd, &other.heard, 0, "\"listeners\":2}");
    stop_listening(&other);
    stop_listening(&e);
    fixture_close(&f);
}

static void test_streams_end_when_the_service_drains(void **state)
{
    (void)state;
    fixture f;
    fixture_open(&f, 2, 10, 1 << 20);
    ear ears[3];
    for (size_t i = 0; i < 3; i++) {
        ears[i] = listen_in(&f);
    }
    atomic_store(&f.parts.is_draining, true);
    for (size_t i = 0; i < 3; i++) {
        web_stream_await(ears[i].fd, &ears[i].heard, 0, "\r\n0\r\n\r\n");  // the last chunk
        stop_listening(&ears[i]);
    }
    WAIT_UNTIL(sc_events_listeners(f.parts.events) == 0);
    web_reply reply = web_ask(address(&f), "GET", "/v1/events", "", NULL);
    assert_int_equal(reply.status, 503);
    CHECK_CONTAINS(reply.body, "urn:starcloak:problem:draining");
    web_reply_free(&reply);
    fixture_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_listener_hears_cloaks_and_counters),
        cmocka_unit_test(test_every_listener_hears_everything_once_and_in_order),
        cmocka_unit_test(test_no_more_may_listen_than_was_said),
        cmocka_unit_test(test_nobody_is_told_when_nobody_listens),
        cmocka_unit_test(test_what_there_is_no_memory_for_is_lost_and_counted),
        cmocka_unit_test(test_a_loop_that_does_not_keep_up_loses_events_and_holds_up_nobody),
        cmocka_unit_test(test_who_does_not_read_is_cut_off),
        cmocka_unit_test(test_counters_are_told_when_they_change_and_silence_is_broken),
        cmocka_unit_test(test_streams_end_when_the_service_drains),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
