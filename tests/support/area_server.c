// A provider on the loopback that lists what is in a box. See area_server.h.
#include "support/area_server.h"

#include "areas/area_settings.h"
#include "map/geo.h"
#include "support/check.h"

#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <event2/event.h>
#include <event2/http.h>
#include <event2/keyvalq_struct.h>
#include <math.h>
#include <netdb.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

// === The world ==================================================================================

const char *const area_categories[AREA_CATEGORIES] = {"cafe", "fuel", "school", "zoo"};

static const char *draw_category(sc_rng *rng)
{
    static const uint32_t share[AREA_CATEGORIES] = {700, 250, 45, 5};
    uint32_t left = sc_rng_below(rng, 1000);
    for (size_t i = 0; i < AREA_CATEGORIES; i++) {
        if (left < share[i]) return area_categories[i];
        left -= share[i];
    }
    return area_categories[0];
}

static void make_objects(area_world *world, double snap_m)
{
    sc_objects_builder *builder = NULL;
    sc_diag diag = {""};
    CHECK_OK(sc_objects_builder_new(world->map, &builder), NULL);
    for (uint32_t i = 0; i < world->count; i++) {
        char key[16];
        sc_snap snap;
        const area_object *o = &world->items[i];
        snprintf(key, sizeof key, "%u", i);
        if (sc_map_snap(world->map, o->x, o->y, snap_m, &snap)) continue;
        const sc_object_row row = {.edge = snap.edge,
                                   .offset_m = snap.offset_m,
                                   .key = key,
                                   .category = o->category,
                                   .name = "x"};
        CHECK_OK(sc_objects_builder_add(builder, &row, &diag), &diag);
    }
    CHECK_OK(sc_objects_builder_finish(builder, &world->objects), NULL);
    sc_objects_builder_free(builder);
}

area_world area_world_new(const sc_map *map, uint32_t count, double snap_m, sc_rng *rng)
{
    area_world world = {.map = map, .count = count};
    world.items = test_take(count, sizeof *world.items);
    const bool is_round = sc_map_coords(map) == SC_COORDS_GEOGRAPHIC;
    const double per_m = is_round ? 1 / (SC_EARTH_RADIUS_M * SC_PI / 180) : 1;
    world.per_m = per_m;
    for (uint32_t i = 0; i < count; i++) {
        const sc_edge_id edge = sc_rng_below(rng, sc_map_edge_count(map));
        double x = 0;
        double y = 0;
        sc_map_edge_position(map, edge, sc_map_edge_length_m(map, edge) * sc_rng_unit(rng), &x, &y);
        const double squeeze = is_round ? cos(y * SC_PI / 180) : 1;
        // Up to a quarter more than what is put on a road.
        x += (sc_rng_unit(rng) - 0.5) * 2.5 * snap_m * per_m / squeeze;
        y += (sc_rng_unit(rng) - 0.5) * 2.5 * snap_m * per_m;
        // As a reply has them.
        world.items[i] =
            (area_object){round(x * 1e7) / 1e7, round(y * 1e7) / 1e7, draw_category(rng)};
    }
    make_objects(&world, snap_m);
    return world;
}

void area_world_free(area_world *world)
{
    sc_objects_release(world->objects);
    free(world->items);
}

// === The server =================================================================================

struct area_server {
    // Read by both threads.
    const area_world *world;
    area_mode mode;
    char port[8];

    // Of the server's thread, and before it has begun and after it has ended.
    struct event_base *base;
    struct evhttp *http;
    struct event *stop;
    int stop_pipe[2];
    pthread_t thread;
    char busy[8192];  ///< addresses that were told to come again

    // Under the lock.
    pthread_mutex_t lock;
    char *asked;
    size_t asked_size;
    size_t count;
    char *shown;  ///< what was lent last
};

static void remember(area_server *s, const char *uri)
{
    pthread_mutex_lock(&s->lock);
    const size_t size = strlen(uri);
    s->asked = realloc(s->asked, s->asked_size + size + 2);
    if (!s->asked) abort();
    s->asked_size += (size_t)sprintf(s->asked + s->asked_size, "%s\n", uri);
    s->count++;
    pthread_mutex_unlock(&s->lock);
}

static void send_text(struct evhttp_request *request, const char *body, size_t size)
{
    struct evbuffer *buffer = evbuffer_new();
    if (!buffer) abort();
    evbuffer_add(buffer, body, size);
    evhttp_send_reply(request, 200, "OK", buffer);
    evbuffer_free(buffer);
}

static void set_header(struct evhttp_request *request, const char *name, const char *value)
{
    evhttp_add_header(evhttp_request_get_output_headers(request), name, value);
}

static bool is_wanted(const char *categories, const char *category)
{
    const size_t size = strlen(category);
    if (!*categories) return true;
    for (const char *c = strstr(categories, category); c; c = strstr(c + 1, category)) {
        if ((c == categories || c[-1] == ',') && (c[size] == ',' || c[size] == '\0')) return true;
    }
    return false;
}

/** What is asked. */
typedef struct inquiry {
    double west, south, east, north;
    size_t limit;
    size_t offset;
    const char *categories;
} inquiry;

static size_t put_features(const area_server *s, const inquiry *q, FILE *out)
{
    size_t matched = 0;
    size_t put = 0;
    for (uint32_t i = 0; i < s->world->count; i++) {
        const area_object *o = &s->world->items[i];
        const double aside = s->mode == AREA_ROUNDS ? (i % 2 ? 15 : -15) * s->world->per_m : 0;
        const double x = o->x + aside;
        const double y = o->y + aside;
        const bool is_in = x >= q->west && x <= q->east && y >= q->south && y <= q->north;
        if (!is_in && s->mode != AREA_EVERYTHING) continue;
        if (!is_wanted(q->categories, o->category)) continue;
        if (matched++ < q->offset || put >= q->limit) continue;
        fprintf(out,
                "%s{\"type\":\"Feature\",\"id\":%s%u%s,\"geometry\":{\"type\":\"Point\","
                "\"coordinates\":[%s%.7f%s,%.7f]},\"properties\":{\"name\":\"x\",\"category\":"
                "\"%s\"}}",
                put > 0 ? "," : "", s->mode == AREA_WRONG_TYPES ? "{\"a\":" : "", i,
                s->mode == AREA_WRONG_TYPES ? "}" : "", s->mode == AREA_NOT_A_NUMBER ? "\"x" : "",
                o->x, s->mode == AREA_NOT_A_NUMBER ? "\"" : "", o->y, o->category);
        if (s->mode == AREA_TWO_PLACES) {
            fprintf(out,
                    ",{\"id\":%u,\"geometry\":{\"type\":\"Point\",\"coordinates\":[%.7f,%.7f]}"
                    ",\"properties\":{\"category\":\"cafe\"}}",
                    i, o->x + 1e-6, o->y);
        }
        put++;
    }
    return matched;
}

static void answer(area_server *s, struct evhttp_request *request, const inquiry *q)
{
    char *body = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&body, &size);
    if (!out) abort();
    fputs("{\"type\":\"FeatureCollection\",\"features\":[", out);
    const size_t matched = put_features(s, q, out);
    fprintf(out, "],\"numberMatched\":%zu", matched + (s->mode == AREA_LYING_TOTAL ? 7 : 0));
    if (s->mode == AREA_ENDLESS) fprintf(out, ",\"next\":\"?again=%zu\"", s->count);
    if (s->mode == AREA_ELSEWHERE) fputs(",\"next\":\"http://127.0.0.2/places\"", out);
    fputs("}", out);
    fclose(out);
    send_text(request, body, size);
    free(body);
}

// The head and a byte, past libevent's own writing; the rest never comes.
static void drip(struct evhttp_request *request)
{
    static const char part[] = "HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n{";
    struct evhttp_connection *connection = evhttp_request_get_connection(request);
    const int fd = (int)bufferevent_getfd(evhttp_connection_get_bufferevent(connection));
    if (send(fd, part, sizeof part - 1, MSG_NOSIGNAL) < 0) abort();
}

static void send_huge(struct evhttp_request *request)
{
    enum { CHUNK = 1 << 16, CHUNKS = 64 };
    char *blanks = test_take(1, CHUNK);
    memset(blanks, ' ', CHUNK);
    evhttp_send_reply_start(request, 200, "OK");
    for (int i = 0; i < CHUNKS; i++) {
        struct evbuffer *buffer = evbuffer_new();
        evbuffer_add(buffer, blanks, CHUNK);
        evhttp_send_reply_chunk(request, buffer);
        evbuffer_free(buffer);
    }
    evhttp_send_reply_end(request);
    free(blanks);
}

// Whether the request was answered already, for what the mode wants.
static bool misbehave(area_server *s, struct evhttp_request *request, const char *uri)
{
    const struct evkeyvalq *headers = evhttp_request_get_input_headers(request);
    switch (s->mode) {
    case AREA_SLOW:
        return true;
    case AREA_DRIPS:
        drip(request);
        return true;
    case AREA_HUGE:
        send_huge(request);
        return true;
    case AREA_ERROR:
        evhttp_send_error(request, 500, "Internal error");
        return true;
    case AREA_REDIRECT:
        set_header(request, "Location", "/elsewhere");
        evhttp_send_reply(request, 302, "Found", NULL);
        return true;
    case AREA_NOT_JSON:
        send_text(request, "<html>busy</html>", 17);
        return true;
    case AREA_BUSY_ONCE:
        if (strstr(s->busy, uri)) return false;
        snprintf(s->busy + strlen(s->busy), sizeof s->busy - strlen(s->busy), "%s", uri);
        evhttp_send_reply(request, 429, "Too many", NULL);
        return true;
    case AREA_BUSY:
        set_header(request, "Retry-After", "3600");
        evhttp_send_reply(request, 503, "Busy", NULL);
        return true;
    case AREA_NO_STORE:
        set_header(request, "Cache-Control", "private, no-store");
        return false;
    case AREA_ONE_SECOND:
        set_header(request, "Cache-Control", "max-age=0, stale-while-revalidate=100");
        return false;
    case AREA_ETAG:
        set_header(request, "Cache-Control", "max-age=0");
        set_header(request, "ETag", "\"v1\"");
        if (!evhttp_find_header(headers, "If-None-Match")) return false;
        evhttp_send_reply(request, 304, "Not modified", NULL);
        return true;
    default:
        return false;
    }
}

static void read_box(const char *text, inquiry *q)
{
    double *sides[] = {&q->west, &q->south, &q->east, &q->north};
    char *end = NULL;
    for (size_t i = 0; i < 4; i++) {
        *sides[i] = strtod(text, &end);
        text = *end == ',' ? end + 1 : end;
    }
}

static void on_request(struct evhttp_request *request, void *context)
{
    area_server *s = context;
    const char *uri = evhttp_request_get_uri(request);
    remember(s, uri);
    if (misbehave(s, request, uri)) return;
    struct evkeyvalq query;
    if (evhttp_parse_query_str(evhttp_uri_get_query(evhttp_request_get_evhttp_uri(request)),
                               &query)) {
        evhttp_send_error(request, 400, "Bad request");
        return;
    }
    inquiry q = {.limit = SIZE_MAX, .categories = ""};
    const char *box = evhttp_find_header(&query, "bbox");
    const char *limit = evhttp_find_header(&query, "limit");
    const char *offset = evhttp_find_header(&query, "offset");
    const char *categories = evhttp_find_header(&query, "categories");
    if (box) read_box(box, &q);
    if (limit) q.limit = strtoul(limit, NULL, 10);
    if (offset) q.offset = strtoul(offset, NULL, 10);
    if (categories) q.categories = categories;
    answer(s, request, &q);
    evhttp_clear_headers(&query);
}

static void on_stop(evutil_socket_t fd, short what, void *context)
{
    (void)fd, (void)what;
    event_base_loopbreak(context);
}

static void *serve(void *context)
{
    sigset_t broken_pipe;
    sigemptyset(&broken_pipe);
    sigaddset(&broken_pipe, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &broken_pipe, NULL);
    event_base_dispatch(((area_server *)context)->base);
    return NULL;
}

area_server *area_server_start(const area_world *world, area_mode mode)
{
    area_server *s = test_take(1, sizeof *s);
    s->world = world;
    s->mode = mode;
    pthread_mutex_init(&s->lock, NULL);
    s->base = event_base_new();
    s->http = evhttp_new(s->base);
    assert_int_equal(pipe(s->stop_pipe), 0);
    s->stop = event_new(s->base, s->stop_pipe[0], EV_READ, on_stop, s->base);
    assert_int_equal(event_add(s->stop, NULL), 0);
    evhttp_set_gencb(s->http, on_request, s);
    struct evhttp_bound_socket *bound = evhttp_bind_socket_with_handle(s->http, "127.0.0.1", 0);
    assert_non_null(bound);
    struct sockaddr_storage address;
    socklen_t size = sizeof address;
    assert_int_equal(
        getsockname(evhttp_bound_socket_get_fd(bound), (struct sockaddr *)&address, &size), 0);
    assert_int_equal(getnameinfo((struct sockaddr *)&address, size, NULL, 0, s->port,
                                 sizeof s->port, NI_NUMERICSERV),
                     0);
    assert_int_equal(pthread_create(&s->thread, NULL, serve, s), 0);
    return s;
}

void area_server_stop(area_server *server)
{
    assert_int_equal(write(server->stop_pipe[1], "", 1), 1);
    pthread_join(server->thread, NULL);
    event_free(server->stop);
    evhttp_free(server->http);
    event_base_free(server->base);
    close(server->stop_pipe[0]);
    close(server->stop_pipe[1]);
    pthread_mutex_destroy(&server->lock);
    free(server->asked);
    free(server->shown);
    free(server);
}

static const char *show(area_server *s, char *text)
{
    free(s->shown);
    s->shown = text;
    if (!text) abort();
    return text;
}

const char *area_server_text(area_server *server, const char *more)
{
    char *text = NULL;
    if (asprintf(&text,
                 "[provider]\nurl = http://127.0.0.1:%s/places?bbox={west},{south},{east},{north}"
                 "&limit={limit}&offset={offset}&categories={categories}\n"
                 "url-all = http://127.0.0.1:%s/places?bbox={west},{south},{east},{north}"
                 "&limit={limit}&offset={offset}\n"
                 "[fields]\nlist = /features\nid = /id\ngeometry = /geometry\n"
                 "name = /properties/name\ncategory = /properties/category\n"
                 "[categories]\ncafe = cafe\nfuel = fuel\nschool = school\nzoo = zoo\n%s",
                 server->port, server->port, more) < 0) {
        abort();
    }
    return show(server, text);
}

sc_area_settings *area_server_settings(const area_server *server, const char *more)
{
    sc_area_settings *settings = NULL;
    sc_diag diag = {""};
    const char *text = area_server_text((area_server *)(uintptr_t)server, more);
    const sc_input input = {"test.ini", (const uint8_t *)text, strlen(text)};
    CHECK_OK(sc__area_settings_read(&input, &settings, &diag), &diag);
    return settings;
}

const char *area_server_asked(area_server *server)
{
    pthread_mutex_lock(&server->lock);
    const char *shown = show(server, strdup(server->asked ? server->asked : ""));
    pthread_mutex_unlock(&server->lock);
    return shown;
}

size_t area_server_count(area_server *server)
{
    pthread_mutex_lock(&server->lock);
    const size_t count = server->count;
    pthread_mutex_unlock(&server->lock);
    return count;
}

void area_server_forget(area_server *server)
{
    pthread_mutex_lock(&server->lock);
    free(server->asked);
    server->asked = NULL;
    server->asked_size = 0;
    server->count = 0;
    pthread_mutex_unlock(&server->lock);
}
