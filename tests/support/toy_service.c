// A service that does not hide queries. See toy_service.h.
#include "support/toy_service.h"

#include <arpa/inet.h>
#include <jansson.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include <starcloak/lbs.h>
#include <starcloak/objects.h>

#include "support/check.h"

enum { LINES = 256, ROOM = 65536, REPLY_ROOM = 65536 };

/** One connection, and what has come on it. */
typedef struct line {
    int fd;
    size_t size;
    char bytes[ROOM];
} line;

struct toy_service {
    const sc_map *map;
    toy_manners manners;
    sc_objects *objects;
    sc_lbs *lbs;
    int listener;
    char url[64];
    pthread_t thread;
    atomic_bool is_over;
    line *lines;
    size_t line_count;
    uint64_t answered;
    uint64_t dropped;
    uint64_t failed;
    char body[4096];
    char token[256];
    char text[REPLY_ROOM];
};

// --- Replies ----------------------------------------------------------------------

static void put(line *to, const char *bytes, size_t size)
{
    while (size > 0) {
        const ssize_t count = send(to->fd, bytes, size, MSG_NOSIGNAL);
        if (count <= 0) return;
        bytes += count;
        size -= (size_t)count;
    }
}

static void put_chunks(line *to, const char *body)
{
    for (size_t size = strlen(body), at = 0; at < size; at += 7) {
        char chunk[32];
        const int part = (int)(size - at < 7 ? size - at : 7);
        const int count =
            snprintf(chunk, sizeof(chunk), "%x\r\n%.*s\r\n", (unsigned)part, part, body + at);
        put(to, chunk, (size_t)count);
    }
    put(to, "0\r\n\r\n", 5);
}

static void reply(toy_service *toy, line *to, int status, const char *type, const char *body)
{
    const bool is_in_pieces = toy->manners == TOY_IN_PIECES;
    char length[64];
    snprintf(length, sizeof(length), "Content-Length: %zu", strlen(body));
    char head[1024];
    const int size =
        snprintf(head, sizeof(head), "HTTP/1.1 %d Word\r\nContent-Type: %s\r\n%s\r\n%s\r\n", status,
                 type, is_in_pieces ? "Transfer-Encoding: chunked" : length,
                 toy->manners == TOY_CLOSING ? "Connection: close\r\n" : "");
    put(to, head, (size_t)size);
    if (is_in_pieces) {
        put_chunks(to, body);
    } else {
        put(to, body, strlen(body));
    }
}

/** Both in one piece: a client that has read the first one has read the second one, too, and asks
 * nothing in between. */
static void reply_twice(line *to, const char *body)
{
    char *one = NULL;
    char *both = NULL;
    const int size = asprintf(&one,
                              "HTTP/1.1 200 Word\r\nContent-Type: application/json\r\n"
                              "Content-Length: %zu\r\n\r\n%s",
                              strlen(body), body);
    assert_true(size > 0 && asprintf(&both, "%s%s", one, one) == 2 * size);
    put(to, both, 2 * (size_t)size);
    free(one);
    free(both);
}

static void reply_problem(toy_service *toy, line *to, int status, const char *word,
                          const char *more)
{
    snprintf(toy->text, sizeof(toy->text),
             "{\"type\":\"urn:starcloak:problem:%s\",\"title\":\"It cannot be\",\"status\":%d%s}",
             word, status, more);
    reply(toy, to, status, "application/problem+json", toy->text);
}

static void reply_metrics(toy_service *toy, line *to)
{
    const uint64_t answered = toy->answered * (toy->manners == TOY_MISCOUNTING ? 2 : 1);
    const uint64_t pending = toy->manners == TOY_PENDING && toy->answered > 0;
    const uint64_t broken = toy->manners == TOY_BREAKING ? toy->answered : 0;
    if (toy->manners == TOY_SHY) {
        reply_problem(toy, to, 403, "forbidden", "");
        return;
    }
    snprintf(toy->text, sizeof(toy->text),
             "# HELP starcloak_queries_total Queries.\n# TYPE starcloak_queries_total counter\n"
             "starcloak_queries_total{outcome=\"answered\"} %llu\n"
             "starcloak_queries_total{outcome=\"dropped\",reason=\"expired\"} %llu\n"
             "starcloak_queries_total{outcome=\"failed\",reason=\"provider_timeout\"} %llu\n"
             "starcloak_pending %llu\nstarcloak_violations_total %llu\n"
             "process_cpu_seconds_total 1.25\nprocess_resident_memory_bytes 1048576\n",
             (unsigned long long)answered, (unsigned long long)toy->dropped,
             (unsigned long long)toy->failed, (unsigned long long)pending,
             (unsigned long long)broken);
    reply(toy, to, 200, "text/plain; version=0.0.4", toy->text);
}

// --- Answers ----------------------------------------------------------------------

static double number(const json_t *object, const char *key)
{
    return json_number_value(json_object_get(object, key));
}

static sc_metric metric_of(const json_t *query)
{
    const json_t *request = json_object_get(query, "request");
    return sc_metric_find(json_string_value(json_object_get(request, "metric")));
}

/** The exact answer to what is asked. */
static size_t find(toy_service *toy, const json_t *query, const sc_near **nears)
{
    const json_t *position = json_object_get(query, "position");
    const json_t *wanted = json_object_get(query, "request");
    const json_t *names = json_object_get(wanted, "categories");
    sc_request request = {
        .type = SC_REQUEST_KNN, .metric = metric_of(query), .k = (uint32_t)number(wanted, "k")};
    request.category_count = (uint32_t)json_array_size(names);
    for (uint32_t i = 0; i < request.category_count; i++) {
        request.categories[i] =
            sc_map_category_find(toy->map, json_string_value(json_array_get(names, i)));
    }
    sc_snap at = {.edge = (sc_edge_id)number(position, "edge"),
                  .offset_m = number(position, "offset_m")};
    if (!json_object_get(position, "edge")) {
        const bool is_geographic = json_object_get(position, "lon") != NULL;
        CHECK_OK(sc_map_snap(toy->map, number(position, is_geographic ? "lon" : "x"),
                             number(position, is_geographic ? "lat" : "y"), 1000, &at),
                 NULL);
    }
    size_t count = 0;
    CHECK_OK(sc_lbs_nearest(toy->lbs, toy->objects,
                            &(sc_near_query){{.edge = at.edge, .offset_m = at.offset_m}, &request},
                            nears, &count, NULL),
             NULL);
    return count;
}

/** The name of an object, in quotes. */
static void quote_name(const toy_service *toy, sc_object_id object, char *out, size_t room)
{
    json_t *name = json_string(sc_map_object_name(toy->map, object));
    const size_t size = json_dumpb(name, out, room - 1, JSON_ENCODE_ANY);
    json_decref(name);
    assert_true(size > 0 && size < room);
    out[size] = '\0';
}

static void reply_answer(toy_service *toy, line *to, const json_t *query)
{
    const json_t *profile = json_object_get(query, "profile");
    const sc_near *nears = NULL;
    const toy_manners manners = toy->manners;
    size_t count = find(toy, query, &nears);
    if (manners == TOY_FORGETFUL && count > 0) count--;
    size_t size = (size_t)snprintf(toy->text, sizeof(toy->text),
                                   "{\"outcome\":\"%s\",\"wait_s\":%.3f,\"cloak\":{\"users\":%d,"
                                   "\"segments\":%d},\"metric\":\"%s\",\"objects\":[",
                                   manners == TOY_ODD_OUTCOME ? "forgotten" : "answered",
                                   manners == TOY_LATE ? number(profile, "max_wait_s") + 1 : 0.0,
                                   (int)number(profile, "k") - (manners == TOY_FEW_USERS),
                                   (int)number(profile, "l") - (manners == TOY_FEW_SEGMENTS),
                                   sc_metric_name(metric_of(query)));
    for (size_t i = 0; i < count; i++) {
        const double distance_m = nears[i].distance_m + (manners == TOY_WRONG);
        const sc_object_id object = nears[i].object;
        const sc_category_id category = sc_map_objects(toy->map)[object].category;
        char name[256];
        quote_name(toy, object, name, sizeof(name));
        size += (size_t)snprintf(toy->text + size, sizeof(toy->text) - size,
                                 "%s{\"id\":\"%u\",\"name\":%s,\"category\":\"%s\","
                                 "\"position\":{\"lon\":8.0,\"lat\":50.0},\"distance_m\":%.6f,"
                                 "\"duration_s\":%.6f}",
                                 i > 0 ? "," : "", object + (manners == TOY_SWAPPING), name,
                                 sc_map_category_name(toy->map, category), distance_m,
                                 nears[i].duration_s + (manners == TOY_WRONG));
    }
    snprintf(toy->text + size, sizeof(toy->text) - size, "]}");
    toy->answered++;
    if (manners == TOY_TWICE) {
        reply_twice(to, toy->text);
    } else {
        reply(toy, to, 200, "application/json", toy->text);
    }
}

static bool reply_query(toy_service *toy, line *to, const char *body, size_t size)
{
    json_t *query = json_loadb(body, size, 0, NULL);
    if (!query || !json_object_get(query, "profile")) {
        reply_problem(toy, to, 400, "body", "");
        json_decref(query);
        return true;
    }
    bool stays = true;
    switch (toy->manners) {
    case TOY_DROPPING:
        toy->dropped++;
        reply(
            toy, to, 200, "application/json",
            "{\"outcome\":\"dropped\",\"reason\":\"expired\",\"wait_s\":1.5,\"advice\":\"wait\"}");
        break;
    case TOY_FAILING:
        toy->failed++;
        reply_problem(toy, to, 504, "provider-timeout",
                      ",\"outcome\":\"failed\",\"reason\":\"provider_timeout\"");
        break;
    case TOY_REFUSING:
        reply_problem(toy, to, 429, "rate", "");
        break;
    case TOY_CUTTING:
        stays = false;
        break;
    case TOY_MUTE:
        break;
    case TOY_NO_HTTP:
        put(to, "220 ready\r\n", 11);
        break;
    case TOY_NO_JSON:
        reply(toy, to, 200, "application/json", "{\"outcome\":");
        break;
    case TOY_ODD_STATUS:
        reply_problem(toy, to, 418, "teapot", "");
        break;
    default:
        reply_answer(toy, to, query);
        stays = toy->manners != TOY_CLOSING;
        break;
    }
    json_decref(query);
    return stays;
}

// --- Requests ---------------------------------------------------------------------

static void remember(toy_service *toy, const char *head, const char *body, size_t size)
{
    static const char bearer[] = "Bearer ";
    const char *token = strstr(head, bearer);
    if (token) {
        token += sizeof(bearer) - 1;
        snprintf(toy->token, sizeof(toy->token), "%.*s", (int)strcspn(token, "\r"), token);
    }
    snprintf(toy->body, sizeof(toy->body), "%.*s", (int)size, body);
}

/** Answer a request if it is there as a whole. False if the connection is to be closed. */
static bool serve(toy_service *toy, line *from)
{
    from->bytes[from->size] = '\0';
    char *end = strstr(from->bytes, "\r\n\r\n");
    if (!end) return true;
    const char *length = strstr(from->bytes, "Content-Length: ");
    const size_t body_size = length && length < end ? (size_t)strtoul(length + 16, NULL, 10) : 0;
    const size_t head_size = (size_t)(end + 4 - from->bytes);
    if (body_size >= ROOM - head_size) return false;
    if (from->size < head_size + body_size) return true;
    bool stays = true;
    if (strncmp(from->bytes, "POST /v1/queries ", 17) == 0) {
        remember(toy, from->bytes, end + 4, body_size);
        stays = reply_query(toy, from, end + 4, body_size);
    } else if (strncmp(from->bytes, "GET /metrics ", 13) == 0) {
        reply_metrics(toy, from);
    } else if (strncmp(from->bytes, "GET /healthz ", 13) == 0) {
        reply(toy, from, 200, "text/plain", "fine");
    } else {
        reply_problem(toy, from, 404, "not-found", "");
    }
    from->size -= head_size + body_size;
    memmove(from->bytes, from->bytes + head_size + body_size, from->size);
    return stays;
}

static void hang_up(toy_service *toy, size_t i)
{
    close(toy->lines[i].fd);
    const size_t last = --toy->line_count;
    if (i != last) memcpy(&toy->lines[i], &toy->lines[last], sizeof(line));
}

static void hear(toy_service *toy, size_t i)
{
    line *l = &toy->lines[i];
    const ssize_t count = recv(l->fd, l->bytes + l->size, ROOM - 1 - l->size, 0);
    if (count > 0) l->size += (size_t)count;
    if (count <= 0 || !serve(toy, l) || l->size == ROOM - 1) hang_up(toy, i);
}

static void take_call(toy_service *toy)
{
    const int fd = accept4(toy->listener, NULL, NULL, SOCK_CLOEXEC);
    if (fd < 0) return;
    if (toy->line_count == LINES) {
        close(fd);
        return;
    }
    toy->lines[toy->line_count].fd = fd;
    toy->lines[toy->line_count++].size = 0;
}

static void *run(void *context)
{
    toy_service *toy = context;
    while (!atomic_load(&toy->is_over)) {
        struct pollfd polled[LINES + 1] = {{.fd = toy->listener, .events = POLLIN}};
        for (size_t i = 0; i < toy->line_count; i++) {
            polled[i + 1] = (struct pollfd){.fd = toy->lines[i].fd, .events = POLLIN};
        }
        const size_t count = toy->line_count;
        if (poll(polled, (nfds_t)(count + 1), 20) <= 0) continue;
        // From the last on: the one that takes the place of one that left has been handled.
        for (size_t i = count; i-- > 0;) {
            if (polled[i + 1].revents) hear(toy, i);
        }
        if (polled[0].revents) take_call(toy);
    }
    return NULL;
}

// --- Life -------------------------------------------------------------------------

toy_service *toy_service_start(const sc_map *map, toy_manners manners)
{
    toy_service *toy = test_take(1, sizeof(*toy));
    const sc_lbs_options options = sc_lbs_options_default();
    toy->map = map;
    toy->manners = manners;
    toy->lines = test_take(LINES, sizeof(line));
    CHECK_OK(sc_objects_new_from_map(map, &toy->objects), NULL);
    CHECK_OK(sc_lbs_new(map, &options, &toy->lbs, NULL), NULL);
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof(at);
    toy->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(toy->listener >= 0);
    assert_int_equal(bind(toy->listener, (struct sockaddr *)&at, sizeof(at)), 0);
    assert_int_equal(listen(toy->listener, LINES), 0);
    assert_int_equal(getsockname(toy->listener, (struct sockaddr *)&at, &size), 0);
    snprintf(toy->url, sizeof(toy->url), "http://127.0.0.1:%u", (unsigned)ntohs(at.sin_port));
    assert_int_equal(pthread_create(&toy->thread, NULL, run, toy), 0);
    return toy;
}

void toy_service_stop(toy_service *service)
{
    atomic_store(&service->is_over, true);
    pthread_join(service->thread, NULL);
    while (service->line_count > 0) {
        hang_up(service, service->line_count - 1);
    }
    close(service->listener);
    sc_lbs_free(service->lbs);
    sc_objects_release(service->objects);
    free(service->lines);
    free(service);
}

toy_manners toy_service_manners(const toy_service *service)
{
    return service->manners;
}

const char *toy_service_url(const toy_service *service)
{
    return service->url;
}

const char *toy_service_body(const toy_service *service)
{
    return service->body;
}

const char *toy_service_token(const toy_service *service)
{
    return service->token;
}
