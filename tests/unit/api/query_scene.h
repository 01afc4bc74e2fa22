/**
 * @file query_scene.h
 * @brief A small town with a service that takes queries: server, ledger, courier and provider, all
 * of them real, and clients on plain sockets.
 *
 * Five by five crossings on the globe, an object on every third road. Nothing is routed: every
 * request goes to the query route, unless a test replaces it.
 */
#ifndef SC_TESTS_API_QUERY_SCENE_H
#define SC_TESTS_API_QUERY_SCENE_H

#include <starcloak/lbs.h>

#include "api/metrics.h"
#include "api/service_internal.h"
#include "support/check.h"
#include "support/default_policy.h"
#include "support/served_by_hand.h"
#include "support/sketch.h"

#include <arpa/inet.h>
#include <errno.h>
#include <jansson.h>
#include <netinet/in.h>
#include <stdio.h>
#include <strings.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

typedef struct query_scene_options {
    sc_policy policy;
    unsigned loops;
    size_t max_pending;
    double jitter_s;
    unsigned engine_threads;     ///< 0: the ledger's thread runs the engine
    unsigned provider_threads;   ///< 0: and sees to the provider
    const char *provider;        ///< an address; NULL: the built-in one
    uint32_t rare_users;         ///< requests that fewer users make are rare; 0: all are sent
    double provider_deadline_s;  ///< 0: a second if it is elsewhere, a minute if built in
    void (*handle)(void *context, unsigned loop,
                   sc_http_request *request);  ///< context: the query_scene
} query_scene_options;

typedef struct query_scene {
    sketch drawing;
    sc_map *map;
    sc_objects *objects;
    sc_lbs *lbs;
    sc_service_internal service;
    sc_served_map *served;
    query_scene_options options;
} query_scene;

/** No limits of rates, and wide ones of profiles; company of three is enough, and half a second may
 * be. */
static inline query_scene_options query_scene_options_default(void)
{
    query_scene_options options = {
        .policy = default_policy(), .loops = 2, .max_pending = 1000, .jitter_s = 0.01};
    options.policy.least.max_wait_us = sc_time_from_seconds(0.05);
    options.policy.standard.k = 3;
    options.policy.standard.l = 2;
    options.policy.most = (sc_profile){
        .k = 1000, .l = 10000, .max_hops = 16, .max_wait_us = sc_time_from_seconds(3600)};
    options.policy.user_rate = 0.0;
    options.policy.user_cost = 0.0;
    options.policy.user_waiting = 0.0;
    return options;
}

static inline void query_scene_handle(void *context, unsigned loop, sc_http_request *request)
{
    query_scene *h = context;
    if (h->options.handle) {
        h->options.handle(h, loop, request);
    } else {
        sc_query_route_post(h->service.query_route, loop, request);
    }
}

static inline void query_scene_build_town(query_scene *h)
{
    h->drawing = sketch_grid(SC_COORDS_GEOGRAPHIC, 5, 5);
    sc_builder *builder = sketch_builder(&h->drawing);
    for (sc_edge_id edge = 0; edge < h->drawing.edge_count; edge += 3) {
        char name[16];
        snprintf(name, sizeof name, "No. %u", edge);
        put_object(builder, edge, 0.1 + 0.02 * edge, edge % 2 == 0 ? "cafe" : "school", name);
    }
    h->map = finish_builder(builder);
    const sc_lbs_options options = sc_lbs_options_default();
    CHECK_OK(sc_objects_new_from_map(h->map, &h->objects), NULL);
    CHECK_OK(sc_lbs_new(h->map, &options, &h->lbs, NULL), NULL);
}

static inline sc_access_rules *query_scene_terms(const sc_policy *policy)
{
    sc_token_keys *keys = NULL;
    sc_revoked *revoked = NULL;
    CHECK_OK(sc_token_keys_new(&keys), NULL);
    CHECK_OK(sc_revoked_read(NULL, &revoked, NULL), NULL);
    sc_access_rules *terms = sc_access_rules_new(policy, keys, revoked);
    assert_non_null(terms);
    return terms;
}

/** All that the query route needs to be made, but for the query route. */
static inline void query_scene_furnish(query_scene *h, const query_scene_options *options)
{
    sc_service_internal *service = &h->service;
    sc_diag diag = {""};
    h->options = *options;
    query_scene_build_town(h);
    service->loops = options->loops;
    CHECK_OK(sc_credentials_new(query_scene_terms(&options->policy), &service->credentials), NULL);
    CHECK_OK(sc_rate_limit_new(1024, &service->user_rates), NULL);
    CHECK_OK(sc_query_charges_new(1024, &service->charges), NULL);
    CHECK_OK(sc_pending_new(options->max_pending, &service->pending), NULL);
    CHECK_OK(sc_metrics_new(&service->metrics), NULL);

    static const char *const addresses[] = {"127.0.0.1:0"};
    sc_http_options http = sc_http_options_default();
    http.addresses = addresses;
    http.address_count = 1;
    http.loops = options->loops;
    http.handle = query_scene_handle;
    http.context = h;
    http.problem = sc_problem_of_server;
    CHECK_OK(sc_http_new(&http, &service->http, &diag), &diag);
    h->served = serve_by_hand(service, h->map);
}

static inline sc_courier_options query_scene_courier(const query_scene *h)
{
    sc_courier_options courier = sc_courier_options_default();
    courier.objects = h->objects;
    courier.threads = h->options.provider_threads;
    if (h->options.provider) {
        courier.kind = SC_COURIER_HTTP;
        courier.url = h->options.provider;
    }
    courier.back = sc_ledger_errand_back;
    courier.context = h->served->ledger;
    return courier;
}

/** The ledger and the courier; after the query route. */
static inline void query_scene_staff(query_scene *h)
{
    sc_service_internal *service = &h->service;
    sc_diag diag = {""};
    sc_ledger_options ledger = sc_ledger_options_default();
    ledger.max_pending = h->options.max_pending;
    ledger.jitter_us = sc_time_from_seconds(h->options.jitter_s);
    // One that is not there is waited for in vain; any other has time on a busy machine, too.
    ledger.provider_deadline_s = h->options.provider_deadline_s > 0 ? h->options.provider_deadline_s
                                 : h->options.provider              ? 1.0
                                                                    : 60.0;
    ledger.is_paranoid = true;
    ledger.rare.users = h->options.rare_users;
    service->rounds_requests = h->options.rare_users > 0;
    if (h->options.engine_threads > 0) ledger.engine_threads = h->options.engine_threads;
    ledger.settled = sc_query_route_settled;
    ledger.all_settled = sc_query_route_all_settled;
    ledger.watched = sc_query_route_watched;
    ledger.context = h->served;
    CHECK_OK(sc_ledger_new(h->map, &ledger, &h->served->ledger, &diag), &diag);
    sc_rng *rng = NULL;
    CHECK_OK(sc_rng_new_secure(&rng), NULL);
    const sc_courier_options courier = query_scene_courier(h);
    CHECK_OK(sc_courier_new(h->map, &courier, rng, &h->served->courier, &diag), &diag);
    sc_rng_free(rng);
    sc_ledger_set_courier(h->served->ledger, h->served->courier);
}

/** Release with query_scene_close(). */
static inline query_scene *query_scene_open(const query_scene_options *options)
{
    query_scene *h = test_take(1, sizeof *h);
    sc_diag diag = {""};
    query_scene_furnish(h, options);
    CHECK_OK(
        sc_query_route_new(&h->service, options->max_pending, NULL, &h->service.query_route, &diag),
        &diag);
    query_scene_staff(h);
    CHECK_OK(sc_http_start(h->service.http, &diag), &diag);
    return h;
}

static inline void query_scene_close(query_scene *h)
{
    sc_service_internal *service = &h->service;
    if (service->http) sc_http_stop(service->http);
    sc_served_maps_close(service->maps);
    sc_query_route_free(service->query_route);
    sc_served_maps_free(service->maps);
    sc_http_free(service->http);
    // Every query that entered has left.
    if (service->pending) assert_int_equal(sc_pending_count(service->pending), 0);
    sc_metrics_free(service->metrics);
    sc_pending_free(service->pending);
    sc_rate_limit_free(service->user_rates);
    sc_query_charges_free(service->charges);
    sc_credentials_free(service->credentials);
    sc_lbs_free(h->lbs);
    sc_objects_release(h->objects);
    sc_map_free(h->map);
    sketch_free(&h->drawing);
    free(h);
}

/** A token for an hour from the keys now in force. */
static inline void query_scene_token(query_scene *h, const char *user, char out[SC_TOKEN_SIZE])
{
    sc_access_rules *terms = sc_credentials_hold(h->service.credentials);
    const int64_t now_s = time(NULL);
    sc_diag diag = {""};
    CHECK_OK(sc_token_issue(terms->keys, user, now_s, now_s + 3600, out, &diag), &diag);
    sc_access_rules_release(terms);
}

/** Wait until a condition holds; a test that waits in vain fails. */
#define WAIT_UNTIL(condition)                                      \
    do {                                                           \
        int query_scene_tries = 0;                                 \
        while (!(condition)) {                                     \
            if (++query_scene_tries > 60000) fail_msg(#condition); \
            usleep(1000);                                          \
        }                                                          \
    } while (0)

// --- Clients -------------------------------------------------------------------------------------

/** A connection to HOST:PORT of this machine; close() it. */
static inline int query_scene_connect(const char *to)
{
    struct sockaddr_in address = {.sin_family = AF_INET};
    const char *colon = strchr(to, ':');
    assert_non_null(colon);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons((uint16_t)strtoul(colon + 1, NULL, 10));
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(fd >= 0);
    const struct timeval patience = {.tv_sec = 60};
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    assert_int_equal(connect(fd, (const struct sockaddr *)&address, sizeof address), 0);
    return fd;
}

static inline int query_scene_call(const query_scene *h)
{
    return query_scene_connect(sc_http_address(h->service.http, 0));
}

/** Send a request; `headers` are whole lines, each with its CR LF. */
static inline void query_scene_post(int fd, const char *path, const char *headers, const char *body)
{
    char text[8192];
    const int size = snprintf(text, sizeof text,
                              "POST %s HTTP/1.1\r\nHost: localhost\r\n%s"
                              "Content-Length: %zu\r\n\r\n%s",
                              path, headers, strlen(body), body);
    assert_true(size > 0 && (size_t)size < sizeof text);
    assert_int_equal(send(fd, text, (size_t)size, MSG_NOSIGNAL), size);
}

/** Send a query. */
static inline void query_scene_send(int fd, const char *headers, const char *body)
{
    query_scene_post(fd, "/v1/queries", headers, body);
}

/** Ask as `user`. */
static inline void query_scene_ask(query_scene *h, int fd, const char *user, const char *body)
{
    char token[SC_TOKEN_SIZE];
    char headers[512];
    query_scene_token(h, user, token);
    snprintf(headers, sizeof headers,
             "Content-Type: application/json\r\nAuthorization: Bearer %s\r\n", token);
    query_scene_send(fd, headers, body);
}

typedef struct query_scene_reply {
    int status;
    char head[2048];
    json_t *body;  ///< json_decref() it
} query_scene_reply;

/** One reply, read to its end. */
static inline query_scene_reply query_scene_receive(int fd)
{
    query_scene_reply reply = {0};
    size_t size = 0;
    // Byte by byte to the end of the head: the next reply must stay where it is.
    while (size < 4 || memcmp(reply.head + size - 4, "\r\n\r\n", 4) != 0) {
        assert_true(size + 1 < sizeof reply.head);
        assert_int_equal(TEMP_FAILURE_RETRY(recv(fd, reply.head + size, 1, 0)), 1);
        size++;
    }
    assert_memory_equal(reply.head, "HTTP/1.1 ", 9);
    reply.status = (int)strtol(reply.head + 9, NULL, 10);
    const char *length = strcasestr(reply.head, "\r\nContent-Length:");
    assert_non_null(length);
    const size_t body_size = strtoul(length + 17, NULL, 10);
    char *body = test_take(body_size + 1, 1);
    for (size_t got = 0; got < body_size;) {
        const ssize_t more = TEMP_FAILURE_RETRY(recv(fd, body + got, body_size - got, 0));
        assert_true(more > 0);
        got += (size_t)more;
    }
    reply.body = json_loadb(body, body_size, JSON_REJECT_DUPLICATES, NULL);
    if (!reply.body) fail_msg("not JSON: %s", body);
    free(body);
    return reply;
}

static inline const char *query_scene_text(const query_scene_reply *reply, const char *name)
{
    const char *word = json_string_value(json_object_get(reply->body, name));
    return word ? word : "";
}

/** The reply has this status and is a problem of this kind; and is let go. */
#define HEAR_PROBLEM(fd, wanted_status, word) \
    receive_problem_at((fd), (wanted_status), (word), __FILE__, __LINE__)

static inline void receive_problem_at(int fd, int status, const char *word, const char *file,
                                      int line)
{
    query_scene_reply reply = query_scene_receive(fd);
    char type[64];
    snprintf(type, sizeof type, "urn:starcloak:problem:%s", word);
    if (reply.status != status || strcmp(query_scene_text(&reply, "type"), type) != 0) {
        print_error("%s:%d: got %d %s (%s)\n", file, line, reply.status,
                    query_scene_text(&reply, "type"), query_scene_text(&reply, "detail"));
        fail();
    }
    CHECK_CONTAINS(reply.head, "Content-Type: application/problem+json");
    json_decref(reply.body);
}

#endif
