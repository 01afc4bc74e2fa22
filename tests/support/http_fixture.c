// A server for tests of http. See http_fixture.h.
#include "support/http_fixture.h"

#include "base/handover.h"
#include "support/check.h"

#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

enum { MAX_LOOPS = 64, ROOM = 256, TAKE = 16 };

/** A request that is kept, by its loop. */
typedef struct guest {
    struct guest *next;
    fixture *fixture;
    sc_http_request *request;  ///< NULL: gone
    unsigned loop;
    bool is_flooded;
} guest;

struct fixture {
    sc_http *http;
    char *big;

    // By loop, in its thread.
    guest *held[MAX_LOOPS];

    // A thread that has requests in its hands and gives them back.
    sc_handover *there;
    sc_handover *back[MAX_LOOPS];
    pthread_t worker;
    unsigned loops;

    atomic_bool is_ending;
    atomic_uint releases;
    atomic_uint held_count;
    atomic_uint gone_count;
};

static const char plain[] = "text/plain";

// --- Requests that are kept ----------------------------------------------------------------------

static void on_gone(void *context)
{
    guest *g = context;
    g->request = NULL;
    atomic_fetch_add(&g->fixture->gone_count, 1);
}

static guest *keep(fixture *h, unsigned loop, sc_http_request *request)
{
    guest *g = test_take(1, sizeof *g);
    *g = (guest){.fixture = h, .request = request, .loop = loop};
    sc_http_on_gone(request, on_gone, g);
    return g;
}

static guest *hold(fixture *h, unsigned loop, sc_http_request *request)
{
    guest *g = keep(h, loop, request);
    g->next = h->held[loop];
    h->held[loop] = g;
    atomic_fetch_add(&h->held_count, 1);
    return g;
}

// Called every few milliseconds in each loop.
static void on_tick(void *context, unsigned loop)
{
    fixture *h = context;
    static const char piece[8192] = {'~'};
    for (const guest *g = h->held[loop]; g; g = g->next) {
        // After the one that is too much, more may be sent before the loop tells that it is gone.
        for (int i = 0; i < 64 && g->is_flooded && g->request; i++) {
            sc_http_stream_send(g->request, piece, sizeof piece);
        }
    }
    if (atomic_load(&h->releases) == 0) return;
    for (guest *g = h->held[loop]; g; g = g->next) {
        if (g->request && !g->is_flooded) {
            sc_http_reply(g->request, 200, plain, "released", 8, NULL, 0);
            g->request = NULL;
        }
    }
}

static void on_back(void *context, unsigned loop)
{
    fixture *h = context;
    guest *guests[TAKE];
    const size_t count = sc_handover_take(h->back[loop], guests, TAKE);
    for (size_t i = 0; i < count; i++) {
        if (guests[i]->request) {
            sc_http_reply(guests[i]->request, 200, plain, "at last", 7, NULL, 0);
        }
        free(guests[i]);
    }
}

static void *work(void *context)
{
    fixture *h = context;
    while (!atomic_load(&h->is_ending)) {
        struct pollfd bell = {.fd = sc_handover_fd(h->there), .events = POLLIN};
        poll(&bell, 1, 10);
        guest *guests[TAKE];
        const size_t count = sc_handover_take(h->there, guests, TAKE);
        for (size_t i = 0; i < count; i++) {
            if (!sc_handover_put(h->back[guests[i]->loop], &guests[i])) abort();
        }
    }
    return NULL;
}

// --- Paths ---------------------------------------------------------------------------------------

static void tell(sc_http_request *request)
{
    static const char *const methods[] = {"GET", "HEAD", "POST", "DELETE", "OPTIONS", "OTHER"};
    const char *word = sc_http_request_header(request, "x-word");
    char text[512];
    const int size = snprintf(
        text, sizeof text, "%s %s ?%s word=%s %s", methods[sc_http_request_method(request)],
        sc_http_request_path(request), sc_http_request_search(request), word ? word : "-",
        sc_http_request_is_local(request) ? "local" : "far");
    sc_http_reply(request, 200, plain, text, (size_t)size, NULL, 0);
}

/** Large replies are borrowed from here. */
static const char lent_bytes[SERVER_BIG];

static void tell_peer(sc_http_request *request)
{
    char text[64];
    const int size = snprintf(text, sizeof text, "%s %s",
                              sc_http_request_is_local(request) ? "here" : "elsewhere",
                              sc_http_request_is_admin(request) ? "admin" : "public");
    sc_http_reply(request, 200, plain, text, (size_t)size, NULL, 0);
}

static void show_odd(sc_http_request *request)
{
    const sc_http_header headers[] = {{"Cache-Control", "max-age=60"},
                                      {"X-Broken", "a\r\nX-Smuggled: yes"},
                                      {"X-Bro\nken", "no"},
                                      {"X-Fine", "yes"}};
    sc_http_reply(request, 299, plain, "odd", 3, headers, 4);
}

static void stream(sc_http_request *request)
{
    sc_http_stream_begin(request, 200, "text/event-stream", NULL, 0);
    sc_http_stream_send(request, "one,", 4);
    sc_http_stream_send(request, "", 0);
    sc_http_stream_send(request, "two,", 4);
    sc_http_stream_send(request, "three", 5);
    sc_http_stream_end(request);
}

// --- Requests within requests --------------------------------------------------------------------

static void answer_carried(void *context, const sc_http_inner_reply *reply)
{
    char text[512];
    const int size = snprintf(text, sizeof text, "%d %.*s", reply->status, (int)reply->size,
                              reply->size > 0 ? (const char *)reply->body : "");
    sc_http_reply(context, 200, plain, text, (size_t)size, NULL, 0);
}

/** The fixture counts what went within, as any other that was held. */
static void forget_carried(void *context)
{
    (void)context;
}

static sc_slice slice_of(const char *text)
{
    return (sc_slice){text, strlen(text)};
}

static void carry(sc_http_request *request)
{
    const char *method = sc_http_request_header(request, "X-Method");
    const char *word = sc_http_request_header(request, "X-Word");
    const sc_slice headers[] = {slice_of("x-word"), slice_of(word ? word : "")};
    size_t size = 0;
    const char *body = sc_http_request_body(request, &size);
    const sc_http_inner inner = {.method = slice_of(method ? method : "GET"),
                                 .target = slice_of(sc_http_request_search(request)),
                                 .headers = headers,
                                 .header_count = word ? 1 : 0,
                                 .body = body,
                                 .body_size = size,
                                 .reply = answer_carried,
                                 .gone = forget_carried,
                                 .context = request};
    const bool is_held = strcmp(sc_http_request_search(request), "/hold") == 0;
    const sc_err err = sc_http_inner_handle(request, &inner);
    if (is_held && !err) {
        // Only what was within has it now.
        sc_http_request_body(request, &size);
        assert_int_equal(size, 0);
        assert_string_equal(sc_http_request_path(request), "");
    }
    if (err) sc_http_reply(request, err == SC_EPARSE ? 400 : 503, NULL, NULL, 0, NULL, 0);
}

static void handle(void *context, unsigned loop, sc_http_request *request)
{
    fixture *h = context;
    const char *path = sc_http_request_path(request);
    if (strcmp(path, "/now") == 0) {
        sc_http_reply(request, 200, plain, "hello", 5, NULL, 0);
    } else if (strcmp(path, "/echo") == 0) {
        size_t size = 0;
        const char *body = sc_http_request_body(request, &size);
        sc_http_reply(request, 200, plain, body, size, NULL, 0);
    } else if (strncmp(path, "/tell", 5) == 0) {
        tell(request);
    } else if (strcmp(path, "/lent") == 0 || strcmp(path, "/middling") == 0) {
        const size_t size = path[1] == 'l' ? SERVER_BIG : SERVER_MIDDLING;
        sc_http_reply_lent(request, 200, plain, lent_bytes, size, NULL, 0);
    } else if (strcmp(path, "/is-lent") == 0) {
        const bool is_lent = sc_http_is_lent(h->http, loop, lent_bytes, sizeof lent_bytes);
        sc_http_reply(request, 200, plain, is_lent ? "yes" : "no", is_lent ? 3 : 2, NULL, 0);
    } else if (strcmp(path, "/place") == 0) {
        const char *place = sc_http_request_is_reserve(request) ? "reserve" : "regular";
        sc_http_reply(request, 200, plain, place, strlen(place), NULL, 0);
    } else if (strcmp(path, "/peer") == 0) {
        tell_peer(request);
    } else if (strcmp(path, "/number") == 0) {
        char number[20];
        const int size =
            snprintf(number, sizeof number, "%016" PRIx64, sc_http_request_peer(request));
        sc_http_reply(request, 200, plain, number, (size_t)size, NULL, 0);
    } else if (strcmp(path, "/later") == 0) {
        guest *g = keep(h, loop, request);
        sc_http_request_forget_body(request);
        sc_http_request_forget_headers(request);
        if (!sc_handover_put(h->there, &g)) abort();
    } else if (strcmp(path, "/hold") == 0) {
        hold(h, loop, request);
    } else if (strcmp(path, "/forget") == 0) {
        hold(h, loop, request);
        sc_http_request_forget_body(request);
        sc_http_request_forget_headers(request);
    } else if (strcmp(path, "/big") == 0) {
        sc_http_reply(request, 200, plain, h->big, SERVER_BIG, NULL, 0);
    } else if (strcmp(path, "/stream") == 0) {
        stream(request);
    } else if (strcmp(path, "/listen") == 0 || strcmp(path, "/flood") == 0) {
        hold(h, loop, request)->is_flooded = strcmp(path, "/flood") == 0;
        sc_http_stream_begin(request, 200, plain, NULL, 0);
        sc_http_stream_send(request, "listen", 6);
    } else if (strcmp(path, "/odd") == 0) {
        show_odd(request);
    } else if (strcmp(path, "/carry") == 0) {
        carry(request);
    } else if (strcmp(path, "/empty") == 0) {
        sc_http_reply(request, 204, NULL, NULL, 0, NULL, 0);
    } else {
        sc_http_reply(request, 404, NULL, NULL, 0, NULL, 0);
    }
}

static size_t describe(void *context, int status, char *buffer, size_t room)
{
    (void)context;
    return (size_t)snprintf(buffer, room, "{\"status\":%d}", status);
}

// --- The fixture
// -----------------------------------------------------------------------------------

sc_http_options server_options(void)
{
    static const char *const addresses[] = {"127.0.0.1:0"};
    sc_http_options options = sc_http_options_default();
    options.addresses = addresses;
    options.address_count = 1;
    options.loops = 1;
    options.request_timeout_s = 20.0;
    options.idle_timeout_s = 20.0;
    options.write_timeout_s = 20.0;
    return options;
}

fixture *server_start(const sc_http_options *options)
{
    fixture *h = test_take(1, sizeof *h);
    sc_http_options mine = *options;
    sc_diag diag = {""};
    mine.handle = handle;
    mine.context = h;
    mine.problem = describe;
    h->loops = mine.loops;
    h->big = test_take(1, SERVER_BIG);
    memset(h->big, 'b', SERVER_BIG);
    CHECK_OK(sc_http_new(&mine, &h->http, &diag), &diag);
    CHECK_OK(sc_handover_new(sizeof(guest *), ROOM, &h->there), NULL);
    for (unsigned i = 0; i < h->loops; i++) {
        CHECK_OK(sc_handover_new(sizeof(guest *), ROOM, &h->back[i]), NULL);
        CHECK_OK(sc_http_watch(h->http, i, sc_handover_fd(h->back[i]), on_back, h), NULL);
        CHECK_OK(sc_http_every(h->http, i, 0.005, on_tick, h), NULL);
    }
    CHECK_OK(sc_http_start(h->http, &diag), &diag);
    assert_int_equal(pthread_create(&h->worker, NULL, work, h), 0);
    return h;
}

static void free_waiting(sc_handover *handover)
{
    guest *g = NULL;
    while (sc_handover_take(handover, &g, 1) > 0) {
        free(g);
    }
    sc_handover_free(handover);
}

void server_stop(fixture *h)
{
    sc_http_stop(h->http);
    atomic_store(&h->is_ending, true);
    pthread_join(h->worker, NULL);
    sc_http_free(h->http);
    free_waiting(h->there);
    for (unsigned i = 0; i < h->loops; i++) {
        free_waiting(h->back[i]);
        while (h->held[i]) {
            guest *g = h->held[i];
            h->held[i] = g->next;
            free(g);
        }
    }
    free(h->big);
    free(h);
}

sc_http *server_http(const fixture *h)
{
    return h->http;
}

const char *server_address(const fixture *h)
{
    return sc_http_address(h->http, 0);
}

void server_release(fixture *h)
{
    atomic_fetch_add(&h->releases, 1);
}

unsigned server_held(const fixture *h)
{
    return atomic_load(&h->held_count);
}

unsigned server_gone(const fixture *h)
{
    return atomic_load(&h->gone_count);
}

unsigned server_requests(const fixture *h)
{
    return (unsigned)sc_http_stats_of(h->http).requests;
}

void server_await(const fixture *h, unsigned (*count)(const fixture *h), unsigned wanted)
{
    for (int ms = 0; count(h) < wanted && ms < 60000; ms++) {
        usleep(1000);
    }
    assert_true(count(h) >= wanted);
}

void server_await_idle(const fixture *h)
{
    for (int ms = 0; !sc_http_is_idle(h->http) && ms < 60000; ms++) {
        usleep(1000);
    }
    assert_true(sc_http_is_idle(h->http));
}
