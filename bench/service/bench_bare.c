// What the HTTP library alone costs: a server that parks every request and answers later.
//
// It does what any service on libevent's server must do, and no more: a request comes in, waits in
// a list, and is answered with a fixed body of usual size from a timer. No token, no JSON, no
// engine. `starcloak serve` is compared with it (scripts/bench_service): what is left is what
// hiding costs.
//
// usage: bench_bare LOOPS DELAY_MS   prints its port, and serves until it is killed
//        bench_bare body             prints what it answers, for others to answer alike
#include <event2/buffer.h>
#include <event2/event.h>
#include <event2/http.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "service/bare_body.h"

enum { MOST_LOOPS = 64 };

/** A request that waits. */
typedef struct parked {
    struct parked *next;
    struct evhttp_request *request;
} parked;

typedef struct loop {
    struct event_base *base;
    struct event *timer;
    parked *first;  ///< the newest: the order does not matter
    pthread_t thread;
} loop;

static void park(struct evhttp_request *request, void *context)
{
    loop *l = context;
    parked *p = malloc(sizeof *p);
    if (!p) abort();
    p->request = request;
    p->next = l->first;
    l->first = p;
}

static void answer_all(evutil_socket_t fd, short what, void *context)
{
    loop *l = context;
    (void)fd;
    (void)what;
    while (l->first) {
        parked *p = l->first;
        l->first = p->next;
        evhttp_add_header(evhttp_request_get_output_headers(p->request), "Content-Type",
                          "application/json");
        struct evbuffer *buffer = evbuffer_new();
        if (!buffer) abort();
        evbuffer_add(buffer, bare_body, sizeof bare_body - 1);
        evhttp_send_reply(p->request, 200, "OK", buffer);
        evbuffer_free(buffer);
        free(p);
    }
}

static void *serve(void *context)
{
    loop *l = context;
    event_base_dispatch(l->base);
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
        bind(fd, (struct sockaddr *)&address, size) != 0 || listen(fd, 4096) != 0 ||
        getsockname(fd, (struct sockaddr *)&address, &size) != 0) {
        perror("bench_bare");
        exit(1);
    }
    *port = ntohs(address.sin_port);
    return fd;
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "body") == 0) return puts(bare_body) < 0;
    const long loop_count = argc > 1 ? strtol(argv[1], NULL, 10) : 2;
    const long delay_ms = argc > 2 ? strtol(argv[2], NULL, 10) : 1;
    struct rlimit limit;
    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
    uint16_t port = 0;
    static loop loops[MOST_LOOPS];
    if (loop_count < 1 || loop_count > MOST_LOOPS) return 1;
    for (long i = 0; i < loop_count; i++) {
        loop *l = &loops[i];
        l->base = event_base_new();
        struct evhttp *http = l->base ? evhttp_new(l->base) : NULL;
        if (!http || evhttp_accept_socket(http, listen_at(&port)) != 0) return 1;
        evhttp_set_gencb(http, park, l);
        l->timer = event_new(l->base, -1, EV_PERSIST, answer_all, l);
        const struct timeval delay = {.tv_sec = delay_ms / 1000, .tv_usec = delay_ms % 1000 * 1000};
        if (!l->timer || event_add(l->timer, &delay) != 0) return 1;
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
