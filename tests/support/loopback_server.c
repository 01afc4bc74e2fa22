// A real HTTP server on the loopback. See loopback_server.h.
#include "support/loopback_server.h"

#include "support/check.h"

#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <event2/event.h>
#include <event2/keyvalq_struct.h>
#include <netdb.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

struct loopback_server {
    // Read by both threads.
    loopback_answer answer;
    void *context;
    char address[64];

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
    char body[8192];
    char *shown;  ///< what was lent last
};

// --- The server ---------------------------------------------------------------------------------

static void remember_headers(loopback_server *s, struct evhttp_request *request)
{
    size_t used = 0;
    s->headers[0] = '\0';
    const struct evkeyvalq *headers = evhttp_request_get_input_headers(request);
    for (const struct evkeyval *h = headers->tqh_first; h; h = h->next.tqe_next) {
        const size_t left = sizeof s->headers - used;
        used += (size_t)snprintf(s->headers + used, left, "%s: %s\n", h->key, h->value);
        if (used >= sizeof s->headers) abort();
    }
}

static size_t remember(loopback_server *s, struct evhttp_request *request)
{
    const char *uri = evhttp_request_get_uri(request);
    struct evbuffer *body = evhttp_request_get_input_buffer(request);
    pthread_mutex_lock(&s->lock);
    const size_t size = strlen(uri);
    char *larger = realloc(s->asked, s->asked_size + size + 2);
    if (!larger) abort();
    snprintf(larger + s->asked_size, size + 2, "%s\n", uri);
    s->asked = larger;
    s->asked_size += size + 1;
    const size_t before = s->count++;
    remember_headers(s, request);
    const ev_ssize_t taken = evbuffer_copyout(body, s->body, sizeof s->body - 1);
    s->body[taken > 0 ? taken : 0] = '\0';
    pthread_mutex_unlock(&s->lock);
    return before;
}

static void on_request(struct evhttp_request *request, void *context)
{
    loopback_server *s = context;
    const size_t question = remember(s, request);
    s->answer(s->context, request, question);
}

static void on_stop(evutil_socket_t fd, short what, void *context)
{
    (void)fd, (void)what;
    event_base_loopbreak(context);
}

static void *serve(void *context)
{
    // The client may hang up while it is answered.
    sigset_t broken_pipe;
    sigemptyset(&broken_pipe);
    sigaddset(&broken_pipe, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &broken_pipe, NULL);
    event_base_dispatch(((loopback_server *)context)->base);
    return NULL;
}

loopback_server *loopback_server_start(loopback_answer answer, void *context)
{
    loopback_server *s = test_take(1, sizeof *s);
    s->answer = answer;
    s->context = context;
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
    snprintf(s->address, sizeof s->address, "http://127.0.0.1:%s", port);
    assert_int_equal(pthread_create(&s->thread, NULL, serve, s), 0);
    return s;
}

void loopback_server_stop(loopback_server *server)
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

const char *loopback_server_address(const loopback_server *server)
{
    return server->address;
}

// --- What it was asked --------------------------------------------------------------------------

// A copy, so that the server may go on writing.
static const char *show(loopback_server *s, const char *text)
{
    free(s->shown);
    s->shown = strdup(text ? text : "");
    if (!s->shown) abort();
    return s->shown;
}

const char *loopback_server_asked(loopback_server *server)
{
    pthread_mutex_lock(&server->lock);
    const char *shown = show(server, server->asked);
    pthread_mutex_unlock(&server->lock);
    return shown;
}

const char *loopback_server_headers(loopback_server *server)
{
    pthread_mutex_lock(&server->lock);
    const char *shown = show(server, server->headers);
    pthread_mutex_unlock(&server->lock);
    return shown;
}

const char *loopback_server_body(loopback_server *server)
{
    pthread_mutex_lock(&server->lock);
    const char *shown = show(server, server->body);
    pthread_mutex_unlock(&server->lock);
    return shown;
}

size_t loopback_server_count(loopback_server *server)
{
    pthread_mutex_lock(&server->lock);
    const size_t count = server->count;
    pthread_mutex_unlock(&server->lock);
    return count;
}

void loopback_server_forget(loopback_server *server)
{
    pthread_mutex_lock(&server->lock);
    free(server->asked);
    server->asked = NULL;
    server->asked_size = 0;
    server->count = 0;
    pthread_mutex_unlock(&server->lock);
}

// --- Answers ------------------------------------------------------------------------------------

void loopback_send(struct evhttp_request *request, const char *body, size_t size)
{
    struct evbuffer *buffer = evbuffer_new();
    if (!buffer) abort();
    evbuffer_add(buffer, body, size);
    evhttp_send_reply(request, 200, "OK", buffer);
    evbuffer_free(buffer);
}

void loopback_send_huge(struct evhttp_request *request, int pieces, bool in_chunks)
{
    enum { PIECE = 1 << 16 };
    const size_t count = (size_t)pieces;
    char *blanks = test_take(count, PIECE);
    memset(blanks, ' ', count * PIECE);
    if (!in_chunks) {
        loopback_send(request, blanks, count * PIECE);
    } else {
        evhttp_send_reply_start(request, 200, "OK");
        for (size_t i = 0; i < count; i++) {
            struct evbuffer *buffer = evbuffer_new();
            evbuffer_add(buffer, blanks + i * PIECE, PIECE);
            evhttp_send_reply_chunk(request, buffer);
            evbuffer_free(buffer);
        }
        evhttp_send_reply_end(request);
    }
    free(blanks);
}

void loopback_set_header(struct evhttp_request *request, const char *name, const char *value)
{
    evhttp_add_header(evhttp_request_get_output_headers(request), name, value);
}

void loopback_redirect(struct evhttp_request *request)
{
    loopback_set_header(request, "Location", "/elsewhere");
    evhttp_send_reply(request, 302, "Found", NULL);
}

int loopback_socket(struct evhttp_request *request)
{
    struct evhttp_connection *connection = evhttp_request_get_connection(request);
    return (int)bufferevent_getfd(evhttp_connection_get_bufferevent(connection));
}
