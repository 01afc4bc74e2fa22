// A provider on the loopback, good or bad. See point_server.h.
#include "support/point_server.h"

#include "support/check.h"

#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <event2/event.h>
#include <event2/http.h>
#include <event2/keyvalq_struct.h>
#include <netdb.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

// --- The server -------------------------------------------------------------

struct point_server {
    // Read by both threads.
    const point_world *world;
    point_mode mode;
    char url[256];

    // Of the server's thread, and before it has begun and after it has ended.
    struct event_base *base;
    struct evhttp *http;
    struct event *stop;
    int stop_pipe[2];
    pthread_t thread;

    // Under the lock.
    pthread_mutex_t lock;
    char *asked;
    size_t asked_size;
    size_t count;
    char headers[2048];
    char *shown;  ///< what was lent last
};

static size_t remember(point_server *s, struct evhttp_request *request)
{
    const char *uri = evhttp_request_get_uri(request);
    pthread_mutex_lock(&s->lock);
    const size_t size = strlen(uri);
    char *larger = realloc(s->asked, s->asked_size + size + 2);
    if (!larger) abort();
    snprintf(larger + s->asked_size, size + 2, "%s\n", uri);
    s->asked = larger;
    s->asked_size += size + 1;
    const size_t before = s->count++;

    size_t used = 0;
    s->headers[0] = '\0';
    const struct evkeyvalq *headers = evhttp_request_get_input_headers(request);
    for (const struct evkeyval *h = headers->tqh_first; h; h = h->next.tqe_next) {
        const size_t left = sizeof s->headers - used;
        used += (size_t)snprintf(s->headers + used, left, "%s: %s\n", h->key, h->value);
        if (used >= sizeof s->headers) abort();
    }
    pthread_mutex_unlock(&s->lock);
    return before;
}

static void send_body(struct evhttp_request *request, const char *body, size_t size)
{
    struct evbuffer *buffer = evbuffer_new();
    if (!buffer) abort();
    evbuffer_add(buffer, body, size);
    evhttp_send_reply(request, 200, "OK", buffer);
    evbuffer_free(buffer);
}

static void send_huge(struct evhttp_request *request, bool in_chunks)
{
    enum { CHUNK = 1 << 16, CHUNKS = 16 };
    char *blanks = test_take(CHUNKS, CHUNK);
    memset(blanks, ' ', (size_t)CHUNKS * CHUNK);
    if (!in_chunks) {
        send_body(request, blanks, (size_t)CHUNKS * CHUNK);
    } else {
        evhttp_send_reply_start(request, 200, "OK");
        for (int i = 0; i < CHUNKS; i++) {
            struct evbuffer *buffer = evbuffer_new();
            evbuffer_add(buffer, blanks + (size_t)i * CHUNK, CHUNK);
            evhttp_send_reply_chunk(request, buffer);
            evbuffer_free(buffer);
        }
        evhttp_send_reply_end(request);
    }
    free(blanks);
}

static void send_truncated(struct evhttp_request *request)
{
    struct evkeyvalq *headers = evhttp_request_get_output_headers(request);
    evhttp_add_header(headers, "Content-Length", "5000");
    evhttp_add_header(headers, "Connection", "close");
    send_body(request, "{\"results\":[", 12);
}

static void close_connection(struct evhttp_request *request)
{
    struct evhttp_connection *connection = evhttp_request_get_connection(request);
    struct bufferevent *stream = evhttp_connection_get_bufferevent(connection);
    shutdown(bufferevent_getfd(stream), SHUT_RDWR);
}

static void redirect(struct evhttp_request *request)
{
    evhttp_add_header(evhttp_request_get_output_headers(request), "Location", "/elsewhere");
    evhttp_send_reply(request, 302, "Found", NULL);
}

static void answer(point_server *s, struct evhttp_request *request, size_t question)
{
    const struct evhttp_uri *uri = evhttp_request_get_evhttp_uri(request);
    struct evkeyvalq query;
    if (evhttp_parse_query_str(evhttp_uri_get_query(uri), &query)) {
        evhttp_send_error(request, 400, "Bad request");
        return;
    }
    const char *lon = evhttp_find_header(&query, "lon");
    const char *lat = evhttp_find_header(&query, "lat");
    const char *k = evhttp_find_header(&query, "k");
    const char *category = evhttp_find_header(&query, "category");
    char *body = point_world_tell(s->world, s->mode, question, strtod(lon, NULL), strtod(lat, NULL),
                                  (uint32_t)strtoul(k, NULL, 10), category ? category : "");
    send_body(request, body, strlen(body));
    free(body);
    evhttp_clear_headers(&query);
}

static void on_request(struct evhttp_request *request, void *context)
{
    point_server *s = context;
    const size_t question = remember(s, request);
    evhttp_add_header(evhttp_request_get_output_headers(request), "Set-Cookie", "who=you");
    switch (s->mode) {
    case POINT_SLOW:
        break;
    case POINT_ERROR:
        evhttp_send_error(request, 500, "Internal error");
        break;
    case POINT_MISSING:
        evhttp_send_error(request, 404, "Not found");
        break;
    case POINT_REDIRECT:
        redirect(request);
        break;
    case POINT_CLOSED:
        close_connection(request);
        break;
    case POINT_TRUNCATED:
        send_truncated(request);
        break;
    case POINT_HUGE:
    case POINT_HUGE_IN_CHUNKS:
        send_huge(request, s->mode == POINT_HUGE_IN_CHUNKS);
        break;
    case POINT_NO_BODY:
        send_body(request, "", 0);
        break;
    case POINT_NOT_JSON:
        send_body(request, "<html>busy</html>", 17);
        break;
    default:
        answer(s, request, question);
        break;
    }
}

static void on_stop(evutil_socket_t fd, short what, void *context)
{
    (void)fd;
    (void)what;
    event_base_loopbreak(context);
}

static void *serve(void *context)
{
    // The client may hang up while it is answered.
    sigset_t broken_pipe;
    sigemptyset(&broken_pipe);
    sigaddset(&broken_pipe, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &broken_pipe, NULL);
    event_base_dispatch(((point_server *)context)->base);
    return NULL;
}

point_server *point_server_start(const point_world *world, point_mode mode)
{
    point_server *s = test_take(1, sizeof *s);
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
    char port[8];
    assert_int_equal(
        getnameinfo((struct sockaddr *)&address, size, NULL, 0, port, sizeof port, NI_NUMERICSERV),
        0);
    snprintf(s->url, sizeof s->url,
             "http://127.0.0.1:%s/nearest?lon={lon}&lat={lat}&k={k}&category={category}", port);
    assert_int_equal(pthread_create(&s->thread, NULL, serve, s), 0);
    return s;
}

void point_server_stop(point_server *server)
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

sc_point_options point_server_options(const point_server *server)
{
    sc_point_options options = sc_point_options_default();
    options.url = server->url;
    options.distance = server->world->distance;
    return options;
}

// --- What it was asked ------------------------------------------------------

// A copy, so that the server may go on writing.
static const char *show(point_server *s, const char *text)
{
    free(s->shown);
    s->shown = strdup(text ? text : "");
    if (!s->shown) abort();
    return s->shown;
}

const char *point_server_asked(point_server *server)
{
    pthread_mutex_lock(&server->lock);
    const char *shown = show(server, server->asked);
    pthread_mutex_unlock(&server->lock);
    return shown;
}

const char *point_server_headers(point_server *server)
{
    pthread_mutex_lock(&server->lock);
    const char *shown = show(server, server->headers);
    pthread_mutex_unlock(&server->lock);
    return shown;
}

size_t point_server_count(point_server *server)
{
    pthread_mutex_lock(&server->lock);
    const size_t count = server->count;
    pthread_mutex_unlock(&server->lock);
    return count;
}

void point_server_forget(point_server *server)
{
    pthread_mutex_lock(&server->lock);
    free(server->asked);
    server->asked = NULL;
    server->asked_size = 0;
    server->count = 0;
    pthread_mutex_unlock(&server->lock);
}
