// The least that a deferred reply over HTTP/1.1 can cost: llhttp, epoll and nothing else.
//
// A request comes in, its connection waits in a list, and is answered with a fixed body of usual
// size from a timer. One read and one write per request; no limits, no time-outs, no wiping, no
// second request while one waits. `starcloak serve` is compared with it (scripts/bench_service),
// with TLS and without.
//
// usage: bench_epoll LOOPS DELAY_MS [CERTIFICATE KEY]   prints its port, and serves until killed
#include <llhttp.h>
#include <openssl/ssl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <unistd.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>

#include "service/bare_body.h"

enum { MOST_LOOPS = 64, ROOM = 16384, EVENTS = 256 };

static const char head[] = "HTTP/1.1 200 OK\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\n"
                           "Content-Type: application/json\r\nContent-Length: %zu\r\n\r\n";

typedef struct connection {
    struct connection *next;  ///< in the list of those that wait
    int fd;
    SSL *ssl;
    bool is_secured;
    bool is_whole;
    llhttp_t parser;
} connection;

typedef struct loop {
    int epoll_fd;
    int listen_fd;
    int timer_fd;
    SSL_CTX *tls;
    connection *first;
    char input[ROOM];
    pthread_t thread;
} loop;

static char reply[4096];
static size_t reply_size;

static int on_whole(llhttp_t *parser)
{
    ((connection *)parser->data)->is_whole = true;
    return 0;
}

static llhttp_settings_t settings;

static void watch(const loop *l, int fd, uint32_t events, void *what)
{
    struct epoll_event event = {.events = events, .data = {.ptr = what}};
    if (epoll_ctl(l->epoll_fd, EPOLL_CTL_ADD, fd, &event) != 0) abort();
}

static void accept_all(loop *l)
{
    int fd = -1;
    while ((fd = accept4(l->listen_fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0) {
        connection *c = calloc(1, sizeof *c);
        if (!c) abort();
        c->fd = fd;
        llhttp_init(&c->parser, HTTP_REQUEST, &settings);
        c->parser.data = c;
        if (l->tls) {
            c->ssl = SSL_new(l->tls);
            if (!c->ssl || SSL_set_fd(c->ssl, fd) != 1) abort();
            SSL_set_accept_state(c->ssl);
        }
        watch(l, fd, EPOLLIN | EPOLLRDHUP | (uint32_t)EPOLLET, c);
    }
}

static void drop(connection *c)
{
    close(c->fd);
    SSL_free(c->ssl);
    free(c);
}

/** Bytes that were read; 0: none for now; -1: the end. */
static ssize_t read_some(loop *l, connection *c)
{
    if (!c->ssl) {
        const ssize_t got = recv(c->fd, l->input, sizeof l->input, 0);
        return got > 0 ? got : -1;
    }
    if (!c->is_secured) {
        const int done = SSL_do_handshake(c->ssl);
        if (done != 1) return SSL_get_error(c->ssl, done) == SSL_ERROR_WANT_READ ? 0 : -1;
        c->is_secured = true;
    }
    const int got = SSL_read(c->ssl, l->input, sizeof l->input);
    if (got > 0) return got;
    return SSL_get_error(c->ssl, got) == SSL_ERROR_WANT_READ ? 0 : -1;
}

static void read_request(loop *l, connection *c)
{
    const ssize_t got = read_some(l, c);
    if (got < 0 || (got > 0 && llhttp_execute(&c->parser, l->input, (size_t)got) != HPE_OK)) {
        if (!c->is_whole) drop(c);
        return;
    }
    if (!c->is_whole) return;
    c->next = l->first;
    l->first = c;
}

static void answer_all(loop *l)
{
    uint64_t times = 0;
    if (read(l->timer_fd, &times, sizeof times) < 0) return;
    while (l->first) {
        connection *c = l->first;
        l->first = c->next;
        c->is_whole = false;
        const ssize_t sent = c->ssl ? SSL_write(c->ssl, reply, (int)reply_size)
                                    : send(c->fd, reply, reply_size, MSG_NOSIGNAL);
        if (sent != (ssize_t)reply_size) drop(c);
    }
}

static void *serve(void *context)
{
    loop *l = context;
    struct epoll_event events[EVENTS];
    for (;;) {
        const int count = epoll_wait(l->epoll_fd, events, EVENTS, -1);
        for (int i = 0; i < count; i++) {
            void *what = events[i].data.ptr;
            if (what == &l->listen_fd) {
                accept_all(l);
            } else if (what == &l->timer_fd) {
                answer_all(l);
            } else {
                read_request(l, what);
            }
        }
    }
    return NULL;
}

/** A listening socket that shares its port with those of the other loops. */
static int listen_at(uint16_t *port)
{
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    const int yes = 1;
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(*port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &yes, sizeof yes) != 0 ||
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes) != 0 ||
        bind(fd, (struct sockaddr *)&address, size) != 0 || listen(fd, 4096) != 0 ||
        getsockname(fd, (struct sockaddr *)&address, &size) != 0) {
        perror("bench_epoll");
        exit(1);
    }
    *port = ntohs(address.sin_port);
    return fd;
}

static SSL_CTX *make_tls(const char *certificate, const char *key)
{
    SSL_CTX *tls = SSL_CTX_new(TLS_server_method());
    if (!tls || SSL_CTX_use_certificate_chain_file(tls, certificate) != 1 ||
        SSL_CTX_use_PrivateKey_file(tls, key, SSL_FILETYPE_PEM) != 1) {
        fprintf(stderr, "bench_epoll: cannot use %s and %s\n", certificate, key);
        exit(1);
    }
    SSL_CTX_set_mode(tls, SSL_MODE_RELEASE_BUFFERS);
    return tls;
}

int main(int argc, char **argv)
{
    const long loop_count = argc > 1 ? strtol(argv[1], NULL, 10) : 2;
    const long delay_ms = argc > 2 ? strtol(argv[2], NULL, 10) : 1;
    SSL_CTX *tls = argc > 4 ? make_tls(argv[3], argv[4]) : NULL;
    struct rlimit limit;
    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
    reply_size = (size_t)snprintf(reply, sizeof reply, head, sizeof bare_body - 1);
    memcpy(reply + reply_size, bare_body, sizeof bare_body - 1);
    reply_size += sizeof bare_body - 1;
    llhttp_settings_init(&settings);
    settings.on_message_complete = on_whole;

    uint16_t port = 0;
    static loop loops[MOST_LOOPS];
    if (loop_count < 1 || loop_count > MOST_LOOPS || delay_ms < 1) return 1;
    for (long i = 0; i < loop_count; i++) {
        loop *l = &loops[i];
        const struct timespec delay = {delay_ms / 1000, delay_ms % 1000 * 1000000};
        const struct itimerspec timer = {delay, delay};
        l->tls = tls;
        l->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
        l->listen_fd = listen_at(&port);
        l->timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
        if (l->epoll_fd < 0 || l->timer_fd < 0 || timerfd_settime(l->timer_fd, 0, &timer, NULL)) {
            return 1;
        }
        watch(l, l->listen_fd, EPOLLIN, &l->listen_fd);
        watch(l, l->timer_fd, EPOLLIN, &l->timer_fd);
    }
    printf("%u\n", port);
    fflush(stdout);
    for (long i = 0; i < loop_count; i++) {
        if (pthread_create(&loops[i].thread, NULL, serve, &loops[i]) != 0) return 1;
    }
    for (long i = 0; i < loop_count; i++) {
        pthread_join(loops[i].thread, NULL);
    }
    return 0;
}
