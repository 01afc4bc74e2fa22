// Every allocation of the service's events fails once, in turn: it is told, nothing is half done
// and nothing leaks. (What is then lost is counted: test_events.c.)
#include "api/events.h"

#include "api/metrics.h"
#include "api/problem_details.h"
#include "support/check.h"
#include "support/oom.h"
#include "support/served_by_hand.h"
#include "support/sketch.h"
#include "support/web_client.h"

#include <pthread.h>

// --- Making them ---------------------------------------------------------------------------------

static atomic_bool has_failed;

static void handle(void *context, unsigned loop, sc_http_request *request)
{
    const sc_service_internal *service = context;
    // The first request sees to it that the loop has room for the head of a reply.
    if (strcmp(sc_http_request_path(request), "/v1/events") != 0) {
        const sc_http_header large = {"X-Large",
                                      "a header that is longer than all of a usual reply's"
                                      "a header that is longer than all of a usual reply's"
                                      "a header that is longer than all of a usual reply's"
                                      "a header that is longer than all of a usual reply's"};
        sc_http_reply(request, 200, NULL, NULL, 0, &large, 1);
        return;
    }
    oom_arm(1);
    sc_events_listen(service->events, loop, request, 0);
    atomic_store(&has_failed, oom_happened());
}

static sc_http *server(sc_service_internal *service)
{
    static const char *const addresses[] = {"127.0.0.1:0"};
    sc_http_options options = sc_http_options_default();
    sc_http *http = NULL;
    sc_diag diag = {""};
    options.addresses = addresses;
    options.address_count = 1;
    options.loops = service->loops;
    options.handle = handle;
    options.context = service;
    options.problem = sc_problem_of_server;
    CHECK_OK(sc_http_new(&options, &http, &diag), &diag);
    return http;
}

static void test_events_that_cannot_be_started(void **state)
{
    (void)state;
    unsigned long failures = 0;
    for (unsigned long n = 1;; n++) {
        sc_service_internal service = {.loops = 2};
        service.http = server(&service);
        sc_diag diag = {""};
        oom_arm(n);
        const sc_err err = sc_events_new(&service, 10, &service.events, &diag);
        const bool happened = oom_happened();
        if (happened) {
            CHECK_REFUSED(err, SC_ENOMEM, &diag, "events cannot be started");
            assert_null(service.events);
            failures++;
        } else {
            CHECK_OK(err, &diag);
        }
        sc_http_free(service.http);
        sc_events_free(service.events);
        if (!happened) break;
    }
    assert_true(failures >= 8);  // itself, an audience (six or more), a tick
}

// --- Listening -----------------------------------------------------------------------------------

static void settle_nothing(void *context, sc_ticket *ticket)
{
    (void)context;
    sc_ticket_free(ticket);
}

/** What is read each second, in case that the test takes that long. */
static void furnish(sc_service_internal *service, const sc_map *map, sc_objects *objects)
{
    sc_diag diag = {""};
    CHECK_OK(sc_metrics_new(&service->metrics), NULL);
    sc_ledger_options ledger = sc_ledger_options_default();
    ledger.settled = settle_nothing;
    sc_served_map *served = serve_by_hand(service, map);
    CHECK_OK(sc_ledger_new(map, &ledger, &served->ledger, &diag), &diag);
    sc_courier_options courier = sc_courier_options_default();
    courier.objects = objects;
    courier.back = sc_ledger_errand_back;
    courier.context = served->ledger;
    sc_rng *rng = NULL;
    CHECK_OK(sc_rng_new_secure(&rng), NULL);
    CHECK_OK(sc_courier_new(map, &courier, rng, &served->courier, &diag), &diag);
    sc_rng_free(rng);
    sc_ledger_set_courier(served->ledger, served->courier);
}

static void clear_out(sc_service_internal *service)
{
    sc_served_maps_close(service->maps);
    sc_served_maps_free(service->maps);
    sc_metrics_free(service->metrics);
}

// A listener for whom there is no memory is refused, and does not count.
static void test_a_listener_who_cannot_be_remembered(void **state)
{
    (void)state;
    sc_map *map = full_map(SC_COORDS_GEOGRAPHIC);
    sc_objects *objects = NULL;
    sc_service_internal service = {.loops = 1};
    sc_diag diag = {""};
    CHECK_OK(sc_objects_new_from_map(map, &objects), NULL);
    service.http = server(&service);
    furnish(&service, map, objects);
    CHECK_OK(sc_events_new(&service, 10, &service.events, &diag), &diag);
    CHECK_OK(sc_http_start(service.http, &diag), &diag);
    web_reply reply = web_ask(sc_http_address(service.http, 0), "GET", "/", "", NULL);
    assert_int_equal(reply.status, 200);
    web_reply_free(&reply);
    reply = web_ask(sc_http_address(service.http, 0), "GET", "/v1/events", "", NULL);
    assert_int_equal(reply.status, 503);
    CHECK_CONTAINS(reply.body, "urn:starcloak:problem:overloaded");
    assert_int_equal(sc_events_listeners(service.events), 0);
    web_reply_free(&reply);
    sc_http_free(service.http);
    assert_true(atomic_load(&has_failed));
    sc_events_free(service.events);
    clear_out(&service);
    sc_objects_release(objects);
    sc_map_free(map);
}

// --- Words ---------------------------------------------------------------------------------------

static sc_history past;

static bool write_history(sc_bytes *out)
{
    return sc_event_text_history(&past, out);
}

static bool write_counters(sc_bytes *out)
{
    return sc_event_text_counters(&past.rows[1], out);
}

static bool write_cloak(sc_bytes *out)
{
    static const char *const words[] = {"cafe"};
    static const sc_vocabulary vocabulary = {.names = words, .count = 1};
    static const sc_node_id border[] = {2, 7};
    static const sc_request requests[] = {
        {.type = SC_REQUEST_KNN, .k = 5, .category_count = 1, .categories = {0}},
        {.type = SC_REQUEST_RANGE, .radius_m = 500.5}};
    sc_seg_id segments[300];
    for (sc_seg_id i = 0; i < 300; i++) {
        segments[i] = i;
    }
    const sc_relay relay = {.segments = segments,
                            .segment_count = 300,
                            .border_nodes = border,
                            .border_node_count = 2,
                            .requests = requests,
                            .request_count = 2};
    return sc_event_text_cloak(&relay, 42, &vocabulary, out);
}

static bool write_sent(sc_bytes *out)
{
    static const char body[1000] = "body";
    return sc_event_text_sent(42, SC_ENCODING_COMPACT, body, sizeof body, out);
}

static void test_words_that_there_is_no_room_for(void **state)
{
    (void)state;
    for (size_t i = 0; i < SC_HISTORY_ROWS; i++) {
        sc_history_add(&past, &(sc_counters){.t = (double)i, .answered = i * i});
    }
    bool (*const events[])(sc_bytes * out) = {write_history, write_counters, write_cloak,
                                              write_sent};
    for (size_t i = 0; i < sizeof events / sizeof *events; i++) {
        unsigned long failures = 0;
        FOR_EACH_FAILURE(n)
        {
            sc_bytes text = {0};
            const bool fits = events[i](&text);
            const bool happened = oom_happened();
            assert_int_equal(fits, !happened);
            // An event that is there ends as one.
            if (fits) assert_memory_equal(text.data + text.size - 3, "}\n\n", 3);
            sc_bytes_fini(&text);
            if (!happened) break;
            failures++;
        }
        assert_true(failures >= 1);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_events_that_cannot_be_started),
    cmocka_unit_test(test_a_listener_who_cannot_be_remembered),
    cmocka_unit_test(test_words_that_there_is_no_room_for),
};
SC_SUITE(tests)
