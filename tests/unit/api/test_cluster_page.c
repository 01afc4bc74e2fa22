// Pages of a map in several parts: how it is divided, and who has which part. A whole service whose
// own engines have the parts; of other processes test_metrics_cluster.c tells.
#include "api/served_map.h"

#include "described.h"
#include "support/page_server.h"
#include "support/prometheus.h"

#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

enum { PARTS = 3 };

/** The town in three parts, star by star in turn. */
static sc_partition *divide_town(const sc_map *map)
{
    const uint32_t stars = sc_map_star_count(map);
    uint16_t *part_of_star = test_take(stars, sizeof *part_of_star);
    for (uint32_t star = 0; star < stars; star++) {
        part_of_star[star] = (uint16_t)(star % PARTS);
    }
    sc_partition *partition = NULL;
    sc_diag diag = {""};
    CHECK_OK(sc_partition_new(map, part_of_star, PARTS, &partition, &diag), &diag);
    free(part_of_star);
    return partition;
}

/** A service with a partition; change `live.options` before it is started. */
typedef struct divided {
    fixture f;
    sc_partition *partition;
} divided;

static void divided_open(divided *d)
{
    fixture_open(&d->f);
    d->partition = divide_town(d->f.live.map);
    d->f.live.options.ledger.partition = d->partition;
    d->f.live.options.ledger.engine_threads = 2;
}

static void divided_close(divided *d)
{
    sc_service_free(d->f.live.service);
    d->f.live.service = NULL;
    sc_partition_free(d->partition);
    fixture_close(&d->f);
}

static web_reply get(const divided *d, const char *path, const char *headers)
{
    return web_ask(live_service_address(&d->f.live), "GET", path, headers, NULL);
}

/** Two ask on one road, and are answered. */
static void ask_as_two(const divided *d)
{
    static const char body[] = "{\"position\":{\"edge\":3,\"offset_m\":5},"
                               "\"request\":{\"type\":\"knn\",\"k\":1}}";
    char headers[LIVE_HEADERS_SIZE];
    const int first = web_connect(live_service_address(&d->f.live));
    web_send(first, "POST", "/v1/queries", live_service_token(&d->f.live, "user-1", headers), body);
    web_reply reply = web_ask(live_service_address(&d->f.live), "POST", "/v1/queries",
                              live_service_token(&d->f.live, "user-2", headers), body);
    assert_int_equal(reply.status, 200);
    web_reply_free(&reply);
    reply = web_receive(first);
    assert_int_equal(reply.status, 200);
    web_reply_free(&reply);
    close(first);
}

static json_t *read_page(const web_reply *reply)
{
    json_t *page = json_loadb(reply->body, reply->size, JSON_REJECT_DUPLICATES, NULL);
    assert_non_null(page);
    return page;
}

static json_int_t count_of(const json_t *object, const char *name)
{
    const json_t *value = json_object_get(object, name);
    if (!json_is_integer(value)) fail_msg("%s is no count", name);
    return json_integer_value(value);
}

// --- The partition -------------------------------------------------------------------------------

static void test_the_partition_tells_the_part_of_each_segment(void **state)
{
    (void)state;
    divided d;
    divided_open(&d);
    live_service_start(&d.f.live);
    web_reply reply = get(&d, "/v1/partition", "");
    check_described(&d.f, "GET", "/v1/partition", 200, &reply);
    json_t *page = read_page(&reply);
    char number[17];
    snprintf(number, sizeof number, "%016llx",
             (unsigned long long)sc_partition_checksum(d.partition));
    assert_string_equal(json_string_value(json_object_get(page, "partition")), number);
    assert_int_equal(count_of(page, "parts"), PARTS);
    const json_t *segments = json_object_get(page, "segments");
    assert_int_equal(json_array_size(segments), sc_map_segment_count(d.f.live.map));
    for (sc_seg_id s = 0; s < sc_map_segment_count(d.f.live.map); s++) {
        assert_int_equal(json_integer_value(json_array_get(segments, s)),
                         sc_partition_home(d.partition, s));
    }
    json_decref(page);
    web_reply_free(&reply);
    divided_close(&d);
}

static void test_the_partition_is_packed_and_not_sent_to_those_who_have_it(void **state)
{
    (void)state;
    divided d;
    divided_open(&d);
    live_service_start(&d.f.live);
    web_reply plain = get(&d, "/v1/partition", "");
    web_reply packed = get(&d, "/v1/partition", "Accept-Encoding: gzip\r\n");
    assert_string_equal(web_header(&packed, "Content-Encoding"), "gzip");
    page_check_unpacks(&packed, plain.body, plain.size);
    char headers[128];
    snprintf(headers, sizeof headers, "If-None-Match: %s\r\n", web_header(&plain, "ETag"));
    web_reply again = get(&d, "/v1/partition", headers);
    check_described(&d.f, "GET", "/v1/partition", 304, &again);
    page_check_head(sc_service_http(d.f.live.service), "/v1/partition", &plain);
    web_reply_free(&again);
    web_reply_free(&packed);
    web_reply_free(&plain);
    divided_close(&d);
}

// --- The cluster ---------------------------------------------------------------------------------

/** /v1/cluster, once it says that so many queries have left in cloaks of whatever part. */
static json_t *await_cloaks(const divided *d, json_int_t wanted)
{
    for (unsigned tries = 0; tries < 2000; tries++) {
        web_reply reply = get(d, "/v1/cluster", "");
        check_described(&d->f, "GET", "/v1/cluster", 200, &reply);
        json_t *page = read_page(&reply);
        web_reply_free(&reply);
        json_int_t cloaks = 0;
        const json_t *parts = json_object_get(page, "parts");
        for (size_t p = 0; p < json_array_size(parts); p++) {
            cloaks += count_of(json_array_get(parts, p), "cloaks");
        }
        if (cloaks == wanted) return page;
        json_decref(page);
        usleep(5000);
    }
    fail_msg("the cloak does not show");
    return NULL;
}

static void test_one_process_is_shown_as_a_cluster_of_one(void **state)
{
    (void)state;
    divided d;
    divided_open(&d);
    live_service_start(&d.f.live);
    ask_as_two(&d);
    json_t *page = await_cloaks(&d, 1);
    const json_t *peers = json_object_get(page, "peers");
    assert_int_equal(json_array_size(peers), 2);
    const json_t *gateway = json_array_get(peers, 0);
    const json_t *worker = json_array_get(peers, 1);
    assert_string_equal(json_string_value(json_object_get(gateway, "kind")), "gateway");
    assert_true(json_is_true(json_object_get(gateway, "leader")));
    assert_true(json_is_true(json_object_get(gateway, "self")));
    assert_string_equal(json_string_value(json_object_get(worker, "kind")), "worker");
    assert_int_equal(count_of(worker, "threads"), 2);
    assert_int_equal(count_of(worker, "parts"), PARTS);
    assert_int_equal(count_of(worker, "proposals_published"), 1);
    assert_true(count_of(worker, "memory") > 100000);
    assert_true(json_is_true(json_object_get(page, "connected")));
    assert_int_equal(count_of(page, "beat_s"), 0);  // no beat is ever missed

    const json_t *parts = json_object_get(page, "parts");
    assert_int_equal(json_array_size(parts), PARTS);
    json_int_t queries = 0;
    for (size_t p = 0; p < PARTS; p++) {
        const json_t *part = json_array_get(parts, p);
        assert_int_equal(count_of(part, "part"), p);
        assert_true(json_is_true(json_object_get(part, "served")));
        assert_string_equal(json_string_value(json_object_get(part, "owner")),
                            json_string_value(json_object_get(worker, "peer")));
        queries += count_of(part, "queries");
    }
    assert_int_equal(queries, 2);
    json_decref(page);
    divided_close(&d);
}

static void test_both_pages_and_the_metrics_name_no_user(void **state)
{
    (void)state;
    divided d;
    divided_open(&d);
    live_service_start(&d.f.live);
    ask_as_two(&d);
    static const char *const paths[] = {"/v1/cluster", "/v1/partition", "/metrics"};
    for (size_t i = 0; i < 3; i++) {
        web_reply reply = get(&d, paths[i], "");
        assert_int_equal(reply.status, 200);
        assert_null(strstr(reply.body, "user-"));
        assert_null(strstr(reply.body, "edge"));
        web_reply_free(&reply);
    }
    divided_close(&d);
}

static void test_the_metrics_have_every_part(void **state)
{
    (void)state;
    divided d;
    divided_open(&d);
    live_service_start(&d.f.live);
    ask_as_two(&d);
    json_decref(await_cloaks(&d, 1));
    web_reply reply = get(&d, "/metrics", "");
    prometheus *page = prometheus_read(reply.body, reply.size);
    web_reply_free(&reply);
    double cloaks = 0;
    for (unsigned p = 0; p < PARTS; p++) {
        char sample[96];
        snprintf(sample, sizeof sample, "starcloak_part_cloaks_total{part=\"%u\",worker=\"serve\"}",
                 p);
        cloaks += prometheus_value(page, sample);
    }
    CHECK_SAME(cloaks, 1.0);
    CHECK_SAME(prometheus_value(page, "starcloak_cluster_peers{kind=\"worker\"}"), 1.0);
    CHECK_SAME(prometheus_value(page, "starcloak_worker_parts{worker=\"serve\"}"), PARTS);
    CHECK_SAME(prometheus_value(page, "starcloak_proposals_total"), 1.0);
    prometheus_free(page);
    divided_close(&d);
}

// --- Who may see them ----------------------------------------------------------------------------

static void test_there_are_no_such_pages_where_there_is_one_part(void **state)
{
    (void)state;
    fixture f;
    fixture_open(&f);
    live_service_start(&f.live);
    check_ask(&f, "GET", "/v1/partition", "", NULL, 404);
    check_ask(&f, "GET", "/v1/cluster", "", NULL, 404);
    web_reply reply = web_ask(live_service_address(&f.live), "GET", "/metrics", "", NULL);
    assert_null(strstr(reply.body, "starcloak_cluster_"));
    assert_null(strstr(reply.body, "starcloak_part_"));
    web_reply_free(&reply);
    fixture_close(&f);
}

static void
test_the_cluster_is_for_those_who_may_see_metrics_and_the_partition_for_all(void **state)
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
        {SC_ACCESS_OPEN, "X-Forwarded-For: 192.0.2.7\r\n", 200},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        divided d;
        divided_open(&d);
        d.f.live.options.policy.metrics = cases[i].access;
        d.f.live.options.policy.events = SC_ACCESS_OFF;
        live_service_start(&d.f.live);
        check_ask(&d.f, "GET", "/v1/cluster", cases[i].headers, NULL, cases[i].status);
        check_ask(&d.f, "GET", "/v1/partition", cases[i].headers, NULL, 200);
        divided_close(&d);
    }
}

static void test_they_can_only_be_read(void **state)
{
    (void)state;
    divided d;
    divided_open(&d);
    live_service_start(&d.f.live);
    static const char *const paths[] = {"/v1/cluster", "/v1/partition"};
    for (size_t i = 0; i < 2; i++) {
        web_reply reply = web_ask(live_service_address(&d.f.live), "POST", paths[i], "", "{}");
        check_described(&d.f, "GET", paths[i], 405, &reply);
        assert_string_equal(web_header(&reply, "Allow"), "GET, HEAD");
        web_reply_free(&reply);
    }
    divided_close(&d);
}

// --- Troubles ------------------------------------------------------------------------------------

static sc_cluster_view *see_nothing(void *context)
{
    (void)context;
    return NULL;
}

static void handle(void *context, unsigned loop, sc_http_request *request)
{
    (void)loop;
    sc_cluster_show(context, request);
}

static void test_a_view_for_which_there_is_no_memory_is_told(void **state)
{
    (void)state;
    sc_served_map served = {.view = see_nothing};
    sc_http *http = page_server_start(handle, &served);
    web_reply reply = page_get(http, "/v1/cluster", "");
    assert_string_equal(web_header(&reply, "Retry-After"), "1");
    page_check_problem(&reply, 503, "overloaded", "out of memory");
    sc_http_free(http);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_the_partition_tells_the_part_of_each_segment),
    cmocka_unit_test(test_the_partition_is_packed_and_not_sent_to_those_who_have_it),
    cmocka_unit_test(test_one_process_is_shown_as_a_cluster_of_one),
    cmocka_unit_test(test_both_pages_and_the_metrics_name_no_user),
    cmocka_unit_test(test_the_metrics_have_every_part),
    cmocka_unit_test(test_there_are_no_such_pages_where_there_is_one_part),
    cmocka_unit_test(test_the_cluster_is_for_those_who_may_see_metrics_and_the_partition_for_all),
    cmocka_unit_test(test_they_can_only_be_read),
    cmocka_unit_test(test_a_view_for_which_there_is_no_memory_is_told),
};
SC_SUITE(tests)
