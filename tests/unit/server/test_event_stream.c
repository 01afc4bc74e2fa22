// An event stream over a real server: every subscriber gets everything once and in order; those
// that do not keep up are left behind, and no other waits for them.
#include "server/event_stream.h"

#include "support/check.h"
#include "support/oom.h"
#include "support/web_client.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

/** A server where "/listen" is to listen; other paths do something in their loop. */
typedef struct fixture {
    sc_http *http;
    sc_event_stream *stream;
    bool has_greeting;
    bool has_tick;
    atomic_uint ticks;
    pthread_mutex_t gate;  ///< who holds it stops a loop at "/gate"
    atomic_bool is_at_gate;
} fixture;

static void greet(void *context, unsigned loop, sc_http_request *listener)
{
    (void)loop;
    const fixture *f = context;
    // A subscriber counts before it is greeted: what is sent now will arrive.
    const char *text =
        sc_event_stream_is_empty(f->stream) ? "data: alone?\n\n" : "data: welcome\n\n";
    sc_event_stream_send_first(listener, text, strlen(text));
    sc_event_stream_send_first(listener, "data: twice\n\n", 13);
    sc_event_stream_send(f->stream, "data: somebody came\n\n", 21);
}

static void tick(void *context, unsigned loop)
{
    fixture *f = context;
    atomic_fetch_add(&f->ticks, 1);
    sc_event_stream_send_loop(f->stream, loop, "data: tick\n\n", 12);
}

static void let_listen(const fixture *f, unsigned loop, sc_http_request *request)
{
    // "/listen?7" for user 7.
    const uint64_t user = strtoul(sc_http_request_search(request), NULL, 10);
    const sc_err err = sc_event_stream_subscribe(f->stream, loop, request, user);
    if (!err) return;
    // It is still ours to answer.
    const char *text = sc_err_text(err);
    sc_http_reply(request, err == SC_EBUSY ? 503 : 500, "text/plain", text, strlen(text), NULL, 0);
}

static void handle(void *context, unsigned loop, sc_http_request *request)
{
    fixture *f = context;
    const char *path = sc_http_request_path(request);
    if (strcmp(path, "/listen") == 0) {
        let_listen(f, loop, request);
        return;
    }
    if (strcmp(path, "/listen-without-memory") == 0) {
        oom_arm(1);
        const sc_err err = sc_event_stream_subscribe(f->stream, loop, request, 0);
        const bool happened = oom_happened();
        sc_http_reply(request, happened && err == SC_ENOMEM ? 204 : 500, NULL, NULL, 0, NULL, 0);
        return;
    }
    if (strcmp(path, "/gate") == 0) {
        atomic_store(&f->is_at_gate, true);
        pthread_mutex_lock(&f->gate);
        pthread_mutex_unlock(&f->gate);
    }
    if (strcmp(path, "/end") == 0) sc_event_stream_end(f->stream, loop);
    // "/second" and how often.
    for (long n = strncmp(path, "/second", 7) == 0 ? strtol(path + 7, NULL, 10) : 0; n > 0; n--) {
        sc__event_stream_second(f->stream, loop);
    }
    sc_http_reply(request, 204, NULL, NULL, 0, NULL, 0);
}

static size_t describe(void *context, int status, char *buffer, size_t room)
{
    (void)context;
    return (size_t)snprintf(buffer, room, "{\"status\":%d}", status);
}

/** Set the other options of the stream before that. */
static void fixture_open(fixture *f, unsigned loops, size_t max_listeners, size_t max_stream_bytes)
{
    static const char *const addresses[] = {"127.0.0.1:0"};
    sc_diag diag = {""};
    pthread_mutex_init(&f->gate, NULL);
    sc_http_options http = sc_http_options_default();
    http.addresses = addresses;
    http.address_count = 1;
    http.loops = loops;
    http.max_stream_bytes = max_stream_bytes;
    http.handle = handle;
    http.context = f;
    http.problem = describe;
    CHECK_OK(sc_http_new(&http, &f->http, &diag), &diag);
    const sc_event_stream_options options = {
        .http = f->http,
        .loops = loops,
        .max_listeners = max_listeners,
        .greet = f->has_greeting ? greet : NULL,
        .tick = f->has_tick ? tick : NULL,
        .context = f,
    };
    CHECK_OK(sc_event_stream_new(&options, &f->stream), NULL);
    CHECK_OK(sc_http_start(f->http, &diag), &diag);
}

static void fixture_close(fixture *f)
{
    sc_http_stop(f->http);
    assert_int_equal(sc_event_stream_count(f->stream), 0);
    sc_event_stream_free(f->stream);
    sc_http_free(f->http);
    pthread_mutex_destroy(&f->gate);
}

static const char *address(const fixture *f)
{
    return sc_http_address(f->http, 0);
}

/** Wait for what other threads do; a minute at most. */
#define WAIT_UNTIL(condition)                                        \
    do {                                                             \
        for (unsigned tries = 0; !(condition); tries++) {            \
            if (tries == 60000) fail_msg("in vain: %s", #condition); \
            usleep(1000);                                            \
        }                                                            \
    } while (0)

/** A listener. */
typedef struct subscriber {
    int fd;
    web_stream received;
} subscriber;

static subscriber listen_in(const fixture *f)
{
    subscriber e = {.fd = web_connect(address(f))};
    web_send(e.fd, "GET", "/listen", "", NULL);
    web_stream_await(e.fd, &e.received, 0, "retry: 2000\n\n");
    return e;
}

static size_t await(subscriber *e, size_t from, const char *part)
{
    return web_stream_await(e->fd, &e->received, from, part);
}

static void stop_listening(subscriber *e)
{
    close(e->fd);
    free(e->received.text);
}

static void tell_number(const fixture *f, unsigned number)
{
    char text[32];
    const int size = snprintf(text, sizeof text, "data: no. %u\n\n", number);
    sc_event_stream_send(f->stream, text, (size_t)size);
}

static void send_text(const fixture *f, const char *text)
{
    sc_event_stream_send(f->stream, text, strlen(text));
}

static size_t count_of(const char *text, const char *part)
{
    size_t count = 0;
    for (const char *s = text; (s = strstr(s, part)); s++) {
        count++;
    }
    return count;
}

static void get_nothing(const fixture *f, const char *path)
{
    web_reply reply = web_ask(address(f), "GET", path, "", NULL);
    assert_int_equal(reply.status, 204);
    web_reply_free(&reply);
}

static void test_a_listener_gets_a_stream_of_events(void **state)
{
    (void)state;
    fixture f = {0};
    fixture_open(&f, 1, 10, 1 << 20);
    assert_true(sc_event_stream_is_empty(f.stream));
    subscriber e = listen_in(&f);
    assert_false(sc_event_stream_is_empty(f.stream));
    CHECK_CONTAINS(e.received.text, "HTTP/1.1 200 ");
    CHECK_CONTAINS(e.received.text, "Content-Type: text/event-stream\r\n");
    CHECK_CONTAINS(e.received.text, "Cache-Control: no-store\r\n");
    CHECK_CONTAINS(e.received.text, "X-Accel-Buffering: no\r\n");
    send_text(&f, "event: word\ndata: {}\n\n");
    await(&e, 0, "event: word\ndata: {}\n\n");
    stop_listening(&e);
    WAIT_UNTIL(sc_event_stream_count(f.stream) == 0);
    fixture_close(&f);
}

static void test_every_listener_hears_everything_once_and_in_order(void **state)
{
    (void)state;
    enum { LISTENERS = 8, TEXTS = 300 };
    fixture f = {0};
    fixture_open(&f, 2, LISTENERS, 1 << 20);
    subscriber subscribers[LISTENERS];
    for (size_t i = 0; i < LISTENERS; i++) {
        subscribers[i] = listen_in(&f);
    }
    for (unsigned n = 0; n < TEXTS; n++) {
        tell_number(&f, n);
    }
    for (size_t i = 0; i < LISTENERS; i++) {
        size_t at = 0;
        for (unsigned n = 0; n < TEXTS; n++) {
            char wanted[32];
            snprintf(wanted, sizeof wanted, "data: no. %u\n", n);
            at = 1 + await(&subscribers[i], at, wanted);
        }
        assert_int_equal(count_of(subscribers[i].received.text, "data: no. "), TEXTS);
        stop_listening(&subscribers[i]);
    }
    assert_int_equal(sc_event_stream_lost(f.stream), 0);
    fixture_close(&f);
}

static void test_a_newcomer_is_greeted_alone_and_counts_by_then(void **state)
{
    (void)state;
    fixture f = {.has_greeting = true};
    fixture_open(&f, 1, 10, 1 << 20);
    subscriber first = listen_in(&f);
    await(&first, 0, "data: somebody came\n\n");
    subscriber second = listen_in(&f);
    await(&first, await(&first, 0, "somebody came") + 1, "somebody came");
    await(&second, 0, "data: somebody came\n\n");
    // Greetings come first, in their order, and to the newcomer only.
    assert_true(strstr(second.received.text, "data: welcome\n\n") <
                strstr(second.received.text, "data: twice\n\n"));
    assert_true(strstr(second.received.text, "data: twice\n\n") <
                strstr(second.received.text, "data: somebody came\n\n"));
    assert_int_equal(count_of(first.received.text, "data: welcome\n\n"), 1);
    stop_listening(&first);
    stop_listening(&second);
    fixture_close(&f);
}

static void test_one_user_has_a_tenth_of_all_listeners(void **state)
{
    (void)state;
    enum { MOST = 20, SHARE = 2 };
    fixture f = {0};
    fixture_open(&f, 1, MOST, 1 << 20);
    int streams[SHARE];
    for (int i = 0; i < SHARE; i++) {
        streams[i] = web_connect(address(&f));
        web_send(streams[i], "GET", "/listen?7", "", NULL);
    }
    WAIT_UNTIL(sc_event_stream_count(f.stream) == SHARE);
    web_reply reply = web_ask(address(&f), "GET", "/listen?7", "", NULL);
    assert_int_equal(reply.status, 503);
    web_reply_free(&reply);
    // Others may, and the same one again once it has left.
    const int other = web_connect(address(&f));
    web_send(other, "GET", "/listen?8", "", NULL);
    WAIT_UNTIL(sc_event_stream_count(f.stream) == SHARE + 1);
    close(streams[0]);
    WAIT_UNTIL(sc_event_stream_count(f.stream) == SHARE);
    const int again = web_connect(address(&f));
    web_send(again, "GET", "/listen?7", "", NULL);
    WAIT_UNTIL(sc_event_stream_count(f.stream) == SHARE + 1);
    close(streams[1]);
    close(other);
    close(again);
    fixture_close(&f);
}

static void test_no_more_may_listen_than_was_said(void **state)
{
    (void)state;
    fixture f = {0};
    fixture_open(&f, 1, 2, 1 << 20);
    subscriber first = listen_in(&f);
    subscriber second = listen_in(&f);
    assert_int_equal(sc_event_stream_count(f.stream), 2);
    web_reply reply = web_ask(address(&f), "GET", "/listen", "", NULL);
    assert_int_equal(reply.status, 503);
    web_reply_free(&reply);
    assert_int_equal(sc_event_stream_count(f.stream), 2);
    stop_listening(&first);
    WAIT_UNTIL(sc_event_stream_count(f.stream) == 1);
    subscriber third = listen_in(&f);  // there is room again
    send_text(&f, "data: both\n\n");
    await(&third, 0, "data: both\n\n");
    await(&second, 0, "data: both\n\n");
    stop_listening(&second);
    stop_listening(&third);
    fixture_close(&f);
}

static void test_a_listener_who_cannot_be_remembered_does_not_count(void **state)
{
    (void)state;
    fixture f = {0};
    fixture_open(&f, 1, 1, 1 << 20);
    get_nothing(&f, "/listen-without-memory");
    assert_true(sc_event_stream_is_empty(f.stream));
    subscriber e = listen_in(&f);  // the place is free
    stop_listening(&e);
    fixture_close(&f);
}

static void test_nothing_is_sent_without_subscribers(void **state)
{
    (void)state;
    fixture f = {.has_tick = true};
    fixture_open(&f, 2, 10, 1 << 20);
    oom_arm(1);
    send_text(&f, "data: early\n\n");
    assert_false(oom_happened());  // it did not even ask for memory
    get_nothing(&f, "/second3");
    assert_int_equal(atomic_load(&f.ticks), 0);
    subscriber e = listen_in(&f);
    send_text(&f, "data: late\n\n");
    await(&e, 0, "data: late\n\n");
    assert_null(strstr(e.received.text, "data: early"));
    assert_int_equal(sc_event_stream_lost(f.stream), 0);
    stop_listening(&e);
    fixture_close(&f);
}

static void test_what_there_is_no_memory_for_is_lost_and_counted(void **state)
{
    (void)state;
    fixture f = {0};
    fixture_open(&f, 1, 10, 1 << 20);
    subscriber e = listen_in(&f);
    uint64_t failures = 0;
    FOR_EACH_FAILURE(n)
    {
        tell_number(&f, (unsigned)n);
        if (!oom_happened()) break;
        failures++;
        assert_int_equal(sc_event_stream_lost(f.stream), failures);
    }
    assert_int_equal(failures, 1);
    await(&e, 0, "data: no. 2\n\n");
    assert_null(strstr(e.received.text, "data: no. 1\n"));
    stop_listening(&e);
    fixture_close(&f);
}

/** Let the only loop stand still, until the gate is unlocked; close what is returned after that. */
static int stop_at_gate(fixture *f)
{
    atomic_store(&f->is_at_gate, false);
    pthread_mutex_lock(&f->gate);
    const int fd = web_connect(address(f));
    web_send(fd, "GET", "/gate", "Connection: close\r\n", NULL);
    WAIT_UNTIL(atomic_load(&f->is_at_gate));
    return fd;
}

// The loop stands still, and far more happens than it can remember.
static void test_a_loop_that_does_not_keep_up_loses_texts_and_delays_no_other(void **state)
{
    (void)state;
    enum { TEXTS = 3000 };
    fixture f = {0};
    fixture_open(&f, 1, 10, 1 << 20);
    subscriber e = listen_in(&f);
    const int fd = stop_at_gate(&f);
    for (unsigned n = 0; n < TEXTS; n++) {
        tell_number(&f, n);
    }
    const uint64_t lost = sc_event_stream_lost(f.stream);
    pthread_mutex_unlock(&f.gate);
    assert_int_equal(lost, TEXTS - SC_EVENT_STREAM_WAITING_MAX);
    // When it has caught up, it receives again; and what was not lost came before.
    uint64_t before = 0;
    do {
        usleep(1000);
        before = sc_event_stream_lost(f.stream);
        tell_number(&f, 777777);
    } while (sc_event_stream_lost(f.stream) > before);
    await(&e, 0, "data: no. 777777\n");
    assert_int_equal(count_of(e.received.text, "data: no. "), TEXTS - lost + 1);
    close(fd);
    stop_listening(&e);
    fixture_close(&f);
}

/** Read so much, and look at none of it. */
static void read_rest(const subscriber *e, size_t size)
{
    static char piece[1 << 16];
    for (size_t received = 0; received < size;) {
        const ssize_t got = TEMP_FAILURE_RETRY(recv(e->fd, piece, sizeof piece, 0));
        assert_true(got > 0);
        received += (size_t)got;
    }
}

// Few texts, but long ones: where a whole town is, again and again.
static void test_a_loop_that_does_not_keep_up_takes_no_more_memory_than_was_said(void **state)
{
    (void)state;
    enum { TEXTS = 8, LONG = SC_EVENT_STREAM_WAITING_BYTES_MAX / TEXTS };
    fixture f = {0};
    fixture_open(&f, 1, 10, (size_t)2 * SC_EVENT_STREAM_WAITING_BYTES_MAX);
    subscriber e = listen_in(&f);
    char *text = test_take(LONG, 1);
    memset(text, 'x', LONG);
    // Whatever was sent makes room again, so as much fits the second time.
    for (uint64_t round = 0; round < 2; round++) {
        const int fd = stop_at_gate(&f);
        for (unsigned n = 0; n < TEXTS; n++) {
            sc_event_stream_send(f.stream, text, LONG);
        }
        assert_int_equal(sc_event_stream_lost(f.stream), round);
        sc_event_stream_send(f.stream, "x", 1);
        assert_int_equal(sc_event_stream_lost(f.stream), round + 1);
        pthread_mutex_unlock(&f.gate);
        read_rest(&e, SC_EVENT_STREAM_WAITING_BYTES_MAX);
        close(fd);
    }
    free(text);
    stop_listening(&e);
    fixture_close(&f);
}

static void test_who_does_not_read_is_cut_off(void **state)
{
    (void)state;
    fixture f = {0};
    fixture_open(&f, 1, 10, 1 << 18);
    subscriber deaf = listen_in(&f);
    enum { LONG = 60000 };
    char *text = test_take(LONG + 1, 1);
    memset(text, 'x', LONG);
    // The kernel's buffers take some megabytes; then what waits here grows too large.
    WAIT_UNTIL((send_text(&f, text), sc_event_stream_count(f.stream) == 0));
    free(text);
    stop_listening(&deaf);
    subscriber e = listen_in(&f);
    send_text(&f, "data: next\n\n");
    await(&e, 0, "data: next\n\n");
    stop_listening(&e);
    fixture_close(&f);
}

static void test_silence_is_broken_by_a_comment(void **state)
{
    (void)state;
    fixture f = {0};
    fixture_open(&f, 1, 10, 1 << 20);
    subscriber e = listen_in(&f);
    char path[32];
    snprintf(path, sizeof path, "/second%d", SC_EVENT_STREAM_SILENCE_S);
    get_nothing(&f, path);
    get_nothing(&f, "/second2");  // one or two real ones may have come in between, and do no harm
    await(&e, 0, ": nothing new\n\n");
    send_text(&f, "data: something\n\n");
    await(&e, 0, "data: something\n\n");
    assert_int_equal(count_of(e.received.text, ": nothing new\n\n"), 1);
    stop_listening(&e);
    fixture_close(&f);
}

static void test_who_is_told_something_each_second_hears_no_comment(void **state)
{
    (void)state;
    fixture f = {.has_tick = true};
    fixture_open(&f, 1, 10, 1 << 20);
    subscriber e = listen_in(&f);
    get_nothing(&f, "/second40");
    send_text(&f, "data: last\n\n");
    await(&e, 0, "data: last\n\n");
    assert_true(count_of(e.received.text, "data: tick\n\n") >= 40);
    assert_null(strstr(e.received.text, ": nothing new"));
    stop_listening(&e);
    fixture_close(&f);
}

static void test_streams_end_when_they_are_ended(void **state)
{
    (void)state;
    fixture f = {0};
    fixture_open(&f, 1, 3, 1 << 20);
    subscriber subscribers[3];
    for (size_t i = 0; i < 3; i++) {
        subscribers[i] = listen_in(&f);
    }
    send_text(&f, "data: farewell\n\n");
    await(&subscribers[2], 0, "data: farewell\n\n");
    get_nothing(&f, "/end");
    assert_true(sc_event_stream_is_empty(f.stream));
    for (size_t i = 0; i < 3; i++) {
        const size_t at = await(&subscribers[i], 0, "data: farewell\n\n");
        await(&subscribers[i], at, "\r\n0\r\n\r\n");  // the last chunk
        stop_listening(&subscribers[i]);
    }
    subscriber e = listen_in(&f);  // the places are free
    stop_listening(&e);
    fixture_close(&f);
}

static void *tell_many(void *context)
{
    const fixture *f = context;
    for (unsigned n = 0; n < 500; n++) {
        tell_number(f, n);
        usleep(100);
    }
    return NULL;
}

// Listeners come and go while two threads talk: nothing is torn, and all places are free again.
static void test_threads_tell_while_listeners_come_and_go(void **state)
{
    (void)state;
    fixture f = {.has_greeting = true};
    fixture_open(&f, 2, 10, 1 << 20);
    pthread_t threads[2];
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, tell_many, &f), 0);
    }
    for (unsigned i = 0; i < 20; i++) {
        subscriber e = listen_in(&f);
        await(&e, 0, "data: twice\n\n");
        stop_listening(&e);
    }
    for (size_t i = 0; i < 2; i++) {
        pthread_join(threads[i], NULL);
    }
    WAIT_UNTIL(sc_event_stream_is_empty(f.stream));
    fixture_close(&f);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_listener_gets_a_stream_of_events),
    cmocka_unit_test(test_every_listener_hears_everything_once_and_in_order),
    cmocka_unit_test(test_a_newcomer_is_greeted_alone_and_counts_by_then),
    cmocka_unit_test(test_no_more_may_listen_than_was_said),
    cmocka_unit_test(test_one_user_has_a_tenth_of_all_listeners),
    cmocka_unit_test(test_a_listener_who_cannot_be_remembered_does_not_count),
    cmocka_unit_test(test_nothing_is_sent_without_subscribers),
    cmocka_unit_test(test_what_there_is_no_memory_for_is_lost_and_counted),
    cmocka_unit_test(test_a_loop_that_does_not_keep_up_loses_texts_and_delays_no_other),
    cmocka_unit_test(test_a_loop_that_does_not_keep_up_takes_no_more_memory_than_was_said),
    cmocka_unit_test(test_who_does_not_read_is_cut_off),
    cmocka_unit_test(test_silence_is_broken_by_a_comment),
    cmocka_unit_test(test_who_is_told_something_each_second_hears_no_comment),
    cmocka_unit_test(test_streams_end_when_they_are_ended),
    cmocka_unit_test(test_threads_tell_while_listeners_come_and_go),
};
SC_SUITE(tests)
