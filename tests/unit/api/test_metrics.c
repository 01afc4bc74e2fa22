// Metrics of a whole service: what happens shows, and the counts agree with each other.
#include "api/metrics.h"

#include "support/check.h"
#include "support/live_service.h"
#include "support/prometheus.h"
#include "support/web_client.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static prometheus *look(const live_service *s)
{
    web_reply reply = web_ask(live_service_address(s), "GET", "/metrics", "", NULL);
    assert_int_equal(reply.status, 200);
    assert_string_equal(web_header(&reply, "Content-Type"),
                        "text/plain; version=0.0.4; charset=utf-8");
    prometheus *page = prometheus_read(reply.body, reply.size);
    web_reply_free(&reply);
    return page;
}

/** Ask as one of `count` users at once, on one road; all are answered. */
static void ask_together(const live_service *s, unsigned count)
{
    int fds[16];
    assert_true(count <= 16);
    for (unsigned i = 0; i < count; i++) {
        char user[16];
        char headers[LIVE_HEADERS_SIZE];
        char body[256];
        snprintf(user, sizeof user, "user-%u", i);
        snprintf(body, sizeof body,
                 "{\"position\":{\"edge\":3,\"offset_m\":5},\"profile\":{\"k\":%u,\"l\":3},"
                 "\"request\":{\"type\":\"knn\",\"k\":1}}",
                 count);
        fds[i] = web_connect(live_service_address(s));
        web_send(fds[i], "POST", "/v1/queries", live_service_token(s, user, headers), body);
    }
    for (unsigned i = 0; i < count; i++) {
        web_reply reply = web_receive(fds[i]);
        assert_int_equal(reply.status, 200);
        CHECK_CONTAINS(reply.body, "\"outcome\":\"answered\"");
        web_reply_free(&reply);
        close(fds[i]);
    }
}

static void test_what_happens_shows(void **state)
{
    (void)state;
    live_service s;
    live_service_prepare(&s);
    live_service_start(&s);
    ask_together(&s, 4);
    web_reply refused = web_ask(live_service_address(&s), "POST", "/v1/queries", "", "{}");
    assert_int_equal(refused.status, 401);
    web_reply_free(&refused);

    prometheus *page = look(&s);
    CHECK_SAME(prometheus_value(page, "starcloak_queries_taken_total"), 4.0);
    CHECK_SAME(prometheus_value(page, "starcloak_queries_total{outcome=\"answered\"}"), 4.0);
    CHECK_SAME(prometheus_value(page, "starcloak_pending"), 0.0);
    CHECK_SAME(prometheus_value(page, "starcloak_refused_total{problem=\"token\"}"), 1.0);
    CHECK_SAME(prometheus_value(page, "starcloak_wait_seconds_count"), 4.0);
    CHECK_SAME(prometheus_value(page, "starcloak_answer_seconds_count"), 4.0);
    CHECK_SAME(prometheus_value(page, "starcloak_cloaks_total"), 1.0);
    CHECK_SAME(prometheus_value(page, "starcloak_cloak_users_sum"), 4.0);
    CHECK_SAME(prometheus_value(page, "starcloak_cloak_users_count"), 1.0);
    assert_true(prometheus_value(page, "starcloak_cloak_segments_sum") >= 3.0);
    // The traffic is not known here, so all roads count alike.
    CHECK_CLOSE(prometheus_value(page, "starcloak_cloak_effective_segments_sum"),
                prometheus_value(page, "starcloak_cloak_segments_sum"), 1e-5);
    CHECK_SAME(prometheus_value(page, "starcloak_provider_errands_total"), 1.0);
    CHECK_SAME(prometheus_value(page, "starcloak_provider_seconds_count"), 1.0);
    assert_true(prometheus_value(page, "starcloak_http_requests_total") >= 5.0);
    assert_true(prometheus_value(page, "process_resident_memory_bytes") > 1e5);
    // Waiting and the exchange are together what an answer took.
    CHECK_CLOSE(prometheus_value(page, "starcloak_wait_seconds_sum") +
                    prometheus_value(page, "starcloak_exchange_seconds_sum"),
                prometheus_value(page, "starcloak_answer_seconds_sum"), 1e-4);
    prometheus_free(page);
    live_service_close(&s);
}

static void test_a_query_that_finds_no_company_shows(void **state)
{
    (void)state;
    live_service s;
    live_service_prepare(&s);
    live_service_start(&s);
    char headers[LIVE_HEADERS_SIZE];
    web_reply reply = web_ask(
        live_service_address(&s), "POST", "/v1/queries",
        live_service_token(&s, "somebody", headers),
        "{\"position\":{\"edge\":3,\"offset_m\":5},\"profile\":{\"k\":9,\"max_wait_s\":0.2},"
        "\"request\":{\"type\":\"knn\",\"k\":1}}");
    assert_int_equal(reply.status, 200);
    web_reply_free(&reply);
    prometheus *page = look(&s);
    CHECK_SAME(
        prometheus_value(page, "starcloak_queries_total{outcome=\"dropped\",reason=\"expired\"}"),
        1.0);
    CHECK_SAME(prometheus_value(page, "starcloak_wait_seconds_count"), 0.0);
    CHECK_SAME(prometheus_value(page, "starcloak_cloaks_total"), 0.0);
    prometheus_free(page);
    live_service_close(&s);
}

// Users, tokens and positions pass through the service, and none of them is on the page.
static void test_metrics_name_no_user(void **state)
{
    (void)state;
    live_service s;
    live_service_prepare(&s);
    live_service_start(&s);
    ask_together(&s, 3);
    web_reply reply = web_ask(live_service_address(&s), "GET", "/metrics", "", NULL);
    assert_null(strstr(reply.body, "user-"));
    assert_null(strstr(reply.body, "sct1_"));
    assert_null(strstr(reply.body, "edge"));
    web_reply_free(&reply);
    live_service_close(&s);
}

// === Metrics as text: read back by a strict reader, every figure under its name, every reason
// there from the start. Here figures are made up; test_metrics.c gathers real ones.

/** Everything 0, on some map. */
typedef struct fixture {
    sc_metrics *metrics;
    sc__metrics_snapshot readings;
} fixture;

static const double latency_bounds[] = {0.001, 0.01, 0.1};

static void fixture_open(fixture *f)
{
    *f = (fixture){.metrics = NULL};
    assert_int_equal(sc_metrics_new(&f->metrics), SC_OK);
    f->readings = (sc__metrics_snapshot){
        .metrics = f->metrics,
        .map_source = "a town",
        .map_checksum = 0xabc,
        .all.provider_latency = {.bounds = latency_bounds, .bound_count = 3},
        .process = {.use = {.knows_memory = true}, .knows_descriptors = true},
    };
}

static void fixture_close(fixture *f)
{
    sc_metrics_free(f->metrics);
}

static prometheus *print(const fixture *f)
{
    sc_bytes text = {0};
    assert_true(sc__metrics_print(&f->readings, &text));
    prometheus *page = prometheus_read((const char *)text.data, text.size);
    sc_bytes_fini(&text);
    return page;
}

static void check_value(const prometheus *page, const char *sample, double wanted)
{
    const double got = prometheus_value(page, sample);
    if (fabs(got - wanted) > 1e-9 * fabs(wanted))
        fail_msg("%s is %.9g, not %.9g", sample, got, wanted);
}

static void test_every_reason_is_there_from_the_start(void **state)
{
    (void)state;
    fixture f;
    fixture_open(&f);
    prometheus *page = print(&f);
    static const char *const at_zero[] = {
        "starcloak_queries_total{outcome=\"answered\"}",
        "starcloak_queries_total{outcome=\"gone\"}",
#define X(name, value, word) "starcloak_queries_total{outcome=\"dropped\",reason=\"" word "\"}",
        SC_DROP_MAP(X)
#undef X
#define X(name, status, word, title) "starcloak_refused_total{problem=\"" word "\"}",
            SC_PROBLEM_MAP(X)
#undef X
                "starcloak_queries_total{outcome=\"failed\",reason=\"provider_unreachable\"}",
        "starcloak_queries_total{outcome=\"failed\",reason=\"provider_timeout\"}",
        "starcloak_queries_total{outcome=\"failed\",reason=\"in_doubt\"}",
        "starcloak_queries_total{outcome=\"failed\",reason=\"stopped\"}",
        "starcloak_provider_failures_total{reason=\"provider_unbelievable\"}",
        "starcloak_wait_seconds_count",
        "starcloak_exchange_seconds_count",
        "starcloak_answer_seconds_count",
        "starcloak_cloak_users_count",
        "starcloak_cloak_segments_count",
        "starcloak_cloak_effective_segments_count",
        "starcloak_provider_seconds_count",
        "starcloak_pending",
        "starcloak_cloaks_total",
        "starcloak_violations_total",
        "starcloak_provider_suspended",
        "starcloak_http_requests_total",
        "starcloak_events_lost_total",
        "starcloak_log_lost_total",
        "starcloak_report_log_failures_total",
    };
    for (size_t i = 0; i < sizeof at_zero / sizeof *at_zero; i++) {
        check_value(page, at_zero[i], 0.0);
    }
    assert_false(
        prometheus_has(page, "starcloak_queries_total{outcome=\"failed\",reason=\"none\"}"));
    // Of failures there are all but "none", once for queries and once for cloaks.
    for (sc_failure i = SC_FAILURE_NONE + 1; i < SC_FAILURE_COUNT; i++) {
        char sample[128];
        snprintf(sample, sizeof sample, "starcloak_provider_failures_total{reason=\"%s\"}",
                 sc_failure_name(i));
        check_value(page, sample, 0.0);
    }
    prometheus_free(page);
    fixture_close(&f);
}

// Each figure another number: none is left out, and none is under another's name.
static void test_every_figure_is_under_its_name(void **state)
{
    (void)state;
    fixture f;
    fixture_open(&f);
    sc__metrics_snapshot *r = &f.readings;
    r->all.ledger = (sc_ledger_stats){.taken = 101,
                                      .pending = 102,
                                      .answered = 103,
                                      .gone = 104,
                                      .cloaks = 105,
                                      .refused = 106,
                                      .violations = 107,
                                      .gone_published = 108,
                                      .proposals = 139,
                                      .aborted = 140,
                                      .impatient = 141,
                                      .skewed = 150,
                                      .asked = 142,
                                      .resent = 143,
                                      .company = 144,
                                      .cloaks_elsewhere = 145,
                                      .lost = 146};
    r->all.ledger.dropped[SC_DROP_INFEASIBLE] = 109;
    r->all.ledger.dropped[SC_DROP_EXPOSED] = 154;
    r->all.ledger.failed[SC_FAILURE_TIMEOUT] = 110;
    r->all.ledger.engine = (sc_engine_stats){.pending = 111,
                                             .proposed = 112,
                                             .searches = 113,
                                             .checks = 114,
                                             .cap_hits = 115,
                                             .settled = 151,
                                             .settle_failures = 152,
                                             .ends_taken_back = 153,
                                             .vertices = 116,
                                             .active_stars = 117};
    r->all.courier = (sc_courier_stats){.under_way = 118,
                                        .sent = 119,
                                        .tries = 120,
                                        .bytes_out = 121,
                                        .bytes_in = 122,
                                        .is_suspended = true,
                                        .times_suspended = 123};
    r->all.courier.failed[SC_FAILURE_REFUSED] = 124;
    r->http = (sc_http_stats){.connections = 125,
                              .accepted = 126,
                              .requests = 127,
                              .refused_by_limits = 128,
                              .gone = 129,
                              .accept_failures = 130,
                              .handshake_failures = 131};
    r->refused[SC_PROBLEM_RATE] = 132;
    r->listeners = 133;
    r->events_lost = 134;
    r->log_lost = UINT64_C(9007199254740992);
    r->map_segments = 135;
    r->process = (sc_process_usage){.use = {.cpu_us = 1250000,
                                            .knows_memory = true,
                                            .virtual_bytes = 136,
                                            .resident_bytes = 137},
                                    .knows_descriptors = true,
                                    .descriptors = 138};
    static const struct {
        const char *sample;
        double value;
    } wanted[] = {
        {"starcloak_queries_taken_total", 101},
        {"starcloak_pending", 102},
        {"starcloak_queries_total{outcome=\"answered\"}", 103},
        {"starcloak_queries_total{outcome=\"gone\"}", 104},
        {"starcloak_cloaks_total", 105},
        {"starcloak_proposals_refused_total", 106},
        {"starcloak_violations_total", 107},
        {"starcloak_proposals_total", 139},
        {"starcloak_proposals_aborted_total", 140},
        {"starcloak_proposals_impatient_total", 141},
        {"starcloak_proposals_skewed_total", 150},
        {"starcloak_proposals_asked_total", 142},
        {"starcloak_queries_resent_total", 143},
        {"starcloak_queries_company_total", 144},
        {"starcloak_cloaks_elsewhere_total", 145},
        {"starcloak_messages_lost_total", 146},
        {"starcloak_gone_published_total", 108},
        {"starcloak_queries_total{outcome=\"dropped\",reason=\"infeasible\"}", 109},
        {"starcloak_queries_total{outcome=\"dropped\",reason=\"exposed\"}", 154},
        {"starcloak_queries_total{outcome=\"failed\",reason=\"provider_timeout\"}", 110},
        {"starcloak_engine_pending", 111},
        {"starcloak_engine_proposed", 112},
        {"starcloak_engine_searches_total", 113},
        {"starcloak_engine_checks_total", 114},
        {"starcloak_engine_cap_hits_total", 115},
        {"starcloak_engine_settled_total", 151},
        {"starcloak_engine_settle_failures_total", 152},
        {"starcloak_engine_ends_taken_back_total", 153},
        {"starcloak_engine_vertices", 116},
        {"starcloak_engine_active_stars", 117},
        {"starcloak_provider_under_way", 118},
        {"starcloak_provider_errands_total", 119},
        {"starcloak_provider_tries_total", 120},
        {"starcloak_provider_sent_bytes_total", 121},
        {"starcloak_provider_received_bytes_total", 122},
        {"starcloak_provider_suspended", 1},
        {"starcloak_provider_suspensions_total", 123},
        {"starcloak_provider_failures_total{reason=\"provider_refused\"}", 124},
        {"starcloak_http_connections", 125},
        {"starcloak_http_accepted_total", 126},
        {"starcloak_http_requests_total", 127},
        {"starcloak_http_refused_total", 128},
        {"starcloak_http_gone_total", 129},
        {"starcloak_http_accept_failures_total", 130},
        {"starcloak_http_handshake_failures_total", 131},
        {"starcloak_refused_total{problem=\"rate\"}", 132},
        {"starcloak_listeners", 133},
        {"starcloak_events_lost_total", 134},
        {"starcloak_log_lost_total", 9007199254740992.0},
        {"starcloak_map_segments", 135},
        {"process_cpu_seconds_total", 1.25},
        {"process_virtual_memory_bytes", 136},
        {"process_resident_memory_bytes", 137},
        {"process_open_fds", 138},
        {"starcloak_map_info{checksum=\"0000000000000abc\",source=\"a town\"}", 1},
    };
    prometheus *page = print(&f);
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        check_value(page, wanted[i].sample, wanted[i].value);
    }
    prometheus_free(page);
    fixture_close(&f);
}

static void test_a_histogram_counts_upwards(void **state)
{
    (void)state;
    fixture f;
    fixture_open(&f);
    static const double seconds[] = {0.0, 0.001, 0.0011, 0.05, 0.1, 3.0, 4.5};
    for (size_t i = 0; i < sizeof seconds / sizeof *seconds; i++) {
        sc_histogram_add(&f.readings.all.provider_latency, seconds[i]);
    }
    prometheus *page = print(&f);
    check_value(page, "starcloak_provider_seconds_bucket{le=\"0.001\"}", 2);
    check_value(page, "starcloak_provider_seconds_bucket{le=\"0.01\"}", 3);
    check_value(page, "starcloak_provider_seconds_bucket{le=\"0.1\"}", 5);
    check_value(page, "starcloak_provider_seconds_bucket{le=\"+Inf\"}", 7);
    check_value(page, "starcloak_provider_seconds_count", 7);
    check_value(page, "starcloak_provider_seconds_sum", 7.6521);
    prometheus_free(page);
    fixture_close(&f);
}

static void test_a_cloak_is_measured_when_it_leaves(void **state)
{
    (void)state;
    fixture f;
    fixture_open(&f);
    static const sc_seg_id segments[] = {1, 5, 6, 7, 9, 12};
    const sc_relay relay = {.segments = segments, .segment_count = 6};
    sc_metrics_published(f.metrics, NULL, &relay, 4);
    prometheus *page = print(&f);
    check_value(page, "starcloak_cloak_users_bucket{le=\"3\"}", 0);
    check_value(page, "starcloak_cloak_users_bucket{le=\"4\"}", 1);
    check_value(page, "starcloak_cloak_users_sum", 4);
    check_value(page, "starcloak_cloak_segments_bucket{le=\"5\"}", 0);
    check_value(page, "starcloak_cloak_segments_bucket{le=\"7\"}", 1);
    check_value(page, "starcloak_cloak_segments_sum", 6);
    check_value(page, "starcloak_cloak_effective_segments_sum", 6);  // all equally busy
    prometheus_free(page);
    fixture_close(&f);
}

static void test_only_answered_queries_tell_how_long_it_takes(void **state)
{
    (void)state;
    fixture f;
    fixture_open(&f);
    sc_ticket ticket = {.asked = 1000000, .published = 2500000, .settled = 2504000};
    for (sc_outcome outcome = SC_OUTCOME_ANSWERED; outcome <= SC_OUTCOME_GONE; outcome++) {
        ticket.outcome = outcome;
        sc_metrics_settled(f.metrics, &ticket);
    }
    prometheus *page = print(&f);
    check_value(page, "starcloak_wait_seconds_count", 1);
    check_value(page, "starcloak_wait_seconds_sum", 1.5);
    check_value(page, "starcloak_wait_seconds_bucket{le=\"1.5\"}", 1);
    check_value(page, "starcloak_exchange_seconds_count", 1);
    check_value(page, "starcloak_exchange_seconds_sum", 0.004);
    check_value(page, "starcloak_answer_seconds_count", 1);
    check_value(page, "starcloak_answer_seconds_sum", 1.504);
    prometheus_free(page);
    fixture_close(&f);
}

// What the map says of its source is a stranger's word, and one bad byte would cost all metrics.
static void test_a_label_cannot_break_the_page(void **state)
{
    (void)state;
    fixture f;
    fixture_open(&f);
    static const struct {
        const char *source;
        const char *label;
    } cases[] = {
        {"", ""},
        {"a \"town\"", "a \\\"town\\\""},
        {"C:\\maps\\x", "C:\\\\maps\\\\x"},
        {"one\ntwo", "one\\ntwo"},
        {"K\xc3\xb6ln", "K\xc3\xb6ln"},
        {"\xff\xc3", "??"},
        {"\"\n\\", "\\\"\\n\\\\"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        f.readings.map_source = cases[i].source;
        prometheus *page = print(&f);
        char sample[128];
        snprintf(sample, sizeof sample,
                 "starcloak_map_info{checksum=\"0000000000000abc\",source=\"%s\"}", cases[i].label);
        check_value(page, sample, 1);
        prometheus_free(page);
    }
    fixture_close(&f);
}

static void test_a_cluster_shows_where_there_is_one(void **state)
{
    (void)state;
    fixture f;
    fixture_open(&f);
    prometheus *page = print(&f);
    assert_false(prometheus_has(page, "starcloak_cluster_epoch"));
    prometheus_free(page);
    const sc_cluster_view view = {.epoch = 7};
    f.readings.view = &view;
    page = print(&f);
    check_value(page, "starcloak_cluster_epoch", 7);
    prometheus_free(page);
    fixture_close(&f);
}

static void test_what_is_not_known_is_left_out(void **state)
{
    (void)state;
    fixture f;
    fixture_open(&f);
    f.readings.process = (sc_process_usage){.use = {.cpu_us = 500000}};
    prometheus *page = print(&f);
    assert_false(prometheus_has(page, "process_resident_memory_bytes"));
    assert_false(prometheus_has(page, "process_open_fds"));
    check_value(page, "process_cpu_seconds_total", 0.5);
    assert_true(prometheus_value(page, "process_start_time_seconds") > 1.5e9);
    prometheus_free(page);
    fixture_close(&f);
}

static void test_a_process_knows_what_it_uses(void **state)
{
    (void)state;
    const sc_process_usage before = sc_process_usage_read();
    assert_true(before.use.knows_memory && before.knows_descriptors);
    assert_true(before.use.resident_bytes > 100000);
    assert_true(before.use.virtual_bytes >= before.use.resident_bytes);
    FILE *file = fopen(SC_REPOSITORY "/src/service/api/openapi.json", "r");
    assert_non_null(file);
    const sc_process_usage after = sc_process_usage_read();
    assert_int_equal(after.descriptors, before.descriptors + 1);
    assert_true(after.use.cpu_us >= before.use.cpu_us && after.use.cpu_us > 0);
    fclose(file);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_what_happens_shows),
    cmocka_unit_test(test_a_query_that_finds_no_company_shows),
    cmocka_unit_test(test_metrics_name_no_user),
    cmocka_unit_test(test_every_reason_is_there_from_the_start),
    cmocka_unit_test(test_every_figure_is_under_its_name),
    cmocka_unit_test(test_a_histogram_counts_upwards),
    cmocka_unit_test(test_a_cloak_is_measured_when_it_leaves),
    cmocka_unit_test(test_only_answered_queries_tell_how_long_it_takes),
    cmocka_unit_test(test_a_label_cannot_break_the_page),
    cmocka_unit_test(test_a_cluster_shows_where_there_is_one),
    cmocka_unit_test(test_what_is_not_known_is_left_out),
    cmocka_unit_test(test_a_process_knows_what_it_uses),
};
SC_SUITE(tests)
