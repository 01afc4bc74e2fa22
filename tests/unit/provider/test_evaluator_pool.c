// Threads that evaluate, when they are slow: queues, clients that go away, draining. What makes
// them slow is a gate that the test opens.
#include "provider/provider_internal.h"

#include <pthread.h>
#include <stdio.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "support/check.h"
#include "support/lbs_scene.h"

static const char compact[] = "application/x-protobuf";

// --- The gate --------------------------------------------------------------------------

static pthread_mutex_t gate_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t gate_bell = PTHREAD_COND_INITIALIZER;
static bool gate_is_open;
static int gate_waiting;  ///< pool that stand before it

static void set_gate(bool is_open)
{
    pthread_mutex_lock(&gate_lock);
    gate_is_open = is_open;
    pthread_mutex_unlock(&gate_lock);
    pthread_cond_broadcast(&gate_bell);
}

static int at_gate(void)
{
    pthread_mutex_lock(&gate_lock);
    const int waiting = gate_waiting;
    pthread_mutex_unlock(&gate_lock);
    return waiting;
}

static void pass_gate(void)
{
    pthread_mutex_lock(&gate_lock);
    gate_waiting++;
    while (!gate_is_open) {
        pthread_cond_wait(&gate_bell, &gate_lock);
    }
    gate_waiting--;
    pthread_mutex_unlock(&gate_lock);
}

static void answer_behind_gate(sc__provider_evaluator *evaluator, sc__provider_job *job)
{
    pass_gate();
    sc__provider_evaluate(evaluator, job);
}

/** Only what cannot be answered stands before the gate. */
static void answer_nonsense_behind_gate(sc__provider_evaluator *evaluator, sc__provider_job *job)
{
    if (job->size == 1) pass_gate();
    sc__provider_evaluate(evaluator, job);
}

// --- Waiting ---------------------------------------------------------------------------

/** Wait until the condition holds; a minute is as good as forever. */
#define UNTIL(condition)                                                 \
    do {                                                                 \
        for (int tries = 0; !(condition); tries++) {                     \
            if (tries == 60000) fail_msg("never happened: " #condition); \
            nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);     \
        }                                                                \
    } while (0)

/** A client in a thread of its own. */
typedef struct client {
    const lbs_scene *s;
    pthread_t thread;
    sc_bytes message;
    lbs_answer got;
} client;

static void *ask(void *context)
{
    client *c = context;
    c->got = lbs_post(c->s, "/", compact, c->message.data, c->message.size);
    return NULL;
}

static void client_start(client *c, const lbs_scene *s)
{
    *c = (client){.s = s, .message = lbs_scene_message(s, SC_ENCODING_COMPACT)};
    assert_int_equal(pthread_create(&c->thread, NULL, ask, c), 0);
}

/** It was answered with that status. */
static void client_end(client *c, long status)
{
    pthread_join(c->thread, NULL);
    assert_int_equal(c->got.status, status);
    lbs_answer_free(&c->got);
    sc_bytes_fini(&c->message);
}

/** Send the cloak by hand, and do not wait for the reply. */
static int send_cloak(const lbs_scene *s)
{
    sc_bytes message = lbs_scene_message(s, SC_ENCODING_COMPACT);
    char head[256];
    const int size = snprintf(head, sizeof head,
                              "POST / HTTP/1.1\r\nHost: x\r\nContent-Type: %s\r\n"
                              "Content-Length: %zu\r\n\r\n",
                              compact, message.size);
    const int fd = lbs_connect(s);
    assert_true(fd >= 0);
    assert_int_equal(send(fd, head, (size_t)size, MSG_NOSIGNAL), size);
    assert_int_equal(send(fd, message.data, message.size, MSG_NOSIGNAL), message.size);
    sc_bytes_fini(&message);
    return fd;
}

static uint64_t unwanted(const lbs_scene *s)
{
    return atomic_load(&s->provider->counts.unwanted);
}

// --- Tests -----------------------------------------------------------------------------

static void test_when_all_places_are_taken_one_more_is_told_to_come_again(void **state)
{
    (void)state;
    lbs_scene s;
    lbs_scene_open(&s);
    s.options.max_waiting = 2;
    set_gate(false);
    lbs_scene_start(&s, answer_behind_gate);
    client clients[3];
    for (int i = 0; i < 3; i++) {
        client_start(&clients[i], &s);
    }
    UNTIL(at_gate() == 1 && sc__provider_pool_waiting(&s.provider->pool) == 2);
    client late;
    client_start(&late, &s);
    pthread_join(late.thread, NULL);
    assert_string_equal(late.got.retry_after, "1");
    lbs_check_problem(&late.got, 503, "too many");
    sc_bytes_fini(&late.message);
    // Pages are read all the same.
    lbs_answer page = lbs_ask(&s, "GET", "/metrics");
    assert_int_equal(page.status, 200);
    CHECK_CONTAINS(page.body, "\nstarcloak_lbs_waiting 2\n");
    lbs_answer_free(&page);

    set_gate(true);
    for (int i = 0; i < 3; i++) {
        client_end(&clients[i], 200);
    }
    client_start(&late, &s);
    client_end(&late, 200);
    lbs_scene_close(&s);
}

static void test_a_hard_question_delays_no_others(void **state)
{
    (void)state;
    lbs_scene s;
    lbs_scene_open(&s);
    s.options.threads = 2;
    set_gate(false);
    lbs_scene_start(&s, answer_nonsense_behind_gate);
    const int hard = lbs_connect(&s);
    static const char question[] =
        "POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/geo+json"
        "\r\nContent-Length: 1\r\n\r\n[";
    assert_int_equal(send(hard, question, sizeof question - 1, MSG_NOSIGNAL), sizeof question - 1);
    UNTIL(at_gate() == 1);
    for (int i = 0; i < 10; i++) {
        client easy;
        client_start(&easy, &s);
        client_end(&easy, 200);
    }
    assert_int_equal(at_gate(), 1);
    set_gate(true);
    char reply[16] = "";
    assert_true(recv(hard, reply, 12, MSG_WAITALL) == 12);
    assert_memory_equal(reply, "HTTP/1.1 400", 12);
    close(hard);
    lbs_scene_close(&s);
}

static void test_the_reply_to_a_client_that_is_gone_is_discarded(void **state)
{
    (void)state;
    lbs_scene s;
    lbs_scene_open(&s);
    set_gate(false);
    lbs_scene_start(&s, answer_behind_gate);
    // One goes away while it is evaluated, one while it waits.
    const int first = send_cloak(&s);
    UNTIL(at_gate() == 1);
    const int second = send_cloak(&s);
    UNTIL(sc__provider_pool_waiting(&s.provider->pool) == 1);
    close(first);
    close(second);
    UNTIL(unwanted(&s) == 2);
    assert_int_equal(atomic_load(&s.provider->open), 2);
    set_gate(true);
    UNTIL(atomic_load(&s.provider->open) == 0);
    client next;
    client_start(&next, &s);
    client_end(&next, 200);
    // Jobs without a waiting client were not evaluated.
    lbs_answer page = lbs_ask(&s, "GET", "/metrics");
    CHECK_CONTAINS(page.body, "\nstarcloak_lbs_evaluation_seconds_count 2\n");
    CHECK_CONTAINS(page.body, "\nstarcloak_lbs_unwanted_total 2\n");
    lbs_answer_free(&page);
    lbs_scene_close(&s);
}

static void *open_gate_soon(void *context)
{
    (void)context;
    nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
    set_gate(true);
    return NULL;
}

// Requests at all stages: evaluated, waiting, done and not yet taken back.
static void test_stopping_lets_nothing_leak(void **state)
{
    (void)state;
    lbs_scene s;
    lbs_scene_open(&s);
    s.options.threads = 2;
    set_gate(false);
    lbs_scene_start(&s, answer_behind_gate);
    int clients[6];
    for (int i = 0; i < 6; i++) {
        clients[i] = send_cloak(&s);
    }
    UNTIL(at_gate() == 2 && sc__provider_pool_waiting(&s.provider->pool) == 4);
    // It waits for the pool, which another thread must let go.
    pthread_t helper;
    assert_int_equal(pthread_create(&helper, NULL, open_gate_soon, NULL), 0);
    lbs_scene_close(&s);
    pthread_join(helper, NULL);
    for (int i = 0; i < 6; i++) {
        close(clients[i]);
    }
}

typedef struct draining {
    sc_provider *provider;
    double seconds;
    pthread_t thread;
    bool is_done;
} draining;

static void *drain(void *context)
{
    draining *d = context;
    d->is_done = sc_provider_drain(d->provider, d->seconds);
    return NULL;
}

static bool is_refused(const lbs_scene *s)
{
    const int fd = lbs_connect(s);
    if (fd >= 0) close(fd);
    return fd < 0;
}

/** A client that has asked for one page and was answered, and has begun to ask for another. What it
 * said came at once, so that the answer shows that the beginning was heard, too. */
static int say_one_and_a_half(const lbs_scene *s)
{
    static const char words[] =
        "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\nGET /readyz HTTP/1.1\r\nHost: x\r\n";
    const int fd = lbs_connect(s);
    assert_int_equal(send(fd, words, sizeof words - 1, MSG_NOSIGNAL), sizeof words - 1);
    char last[3] = "";
    while (memcmp(last, "ok\n", 3) != 0) {
        memmove(last, last + 1, 2);
        assert_int_equal(recv(fd, last + 2, 1, 0), 1);
    }
    return fd;
}

static void test_draining_answers_what_is_there_and_refuses_what_is_new(void **state)
{
    (void)state;
    lbs_scene s;
    lbs_scene_open(&s);
    set_gate(false);
    lbs_scene_start(&s, answer_behind_gate);
    client early[2];
    client_start(&early[0], &s);
    client_start(&early[1], &s);
    // And one who has not said all yet.
    const int slow = say_one_and_a_half(&s);
    UNTIL(at_gate() == 1 && sc__provider_pool_waiting(&s.provider->pool) == 1);

    draining d = {.provider = s.provider, .seconds = 60};
    assert_int_equal(pthread_create(&d.thread, NULL, drain, &d), 0);
    UNTIL(is_refused(&s));
    assert_int_equal(send(slow, "\r\n", 2, MSG_NOSIGNAL), 2);
    char reply[16] = "";
    assert_true(recv(slow, reply, 12, MSG_WAITALL) == 12);
    assert_memory_equal(reply, "HTTP/1.1 503", 12);
    close(slow);
    set_gate(true);
    client_end(&early[0], 200);
    client_end(&early[1], 200);
    pthread_join(d.thread, NULL);
    assert_true(d.is_done);
    lbs_scene_close(&s);
}

static void test_draining_gives_up_in_the_end(void **state)
{
    (void)state;
    lbs_scene s;
    lbs_scene_open(&s);
    set_gate(false);
    lbs_scene_start(&s, answer_behind_gate);
    client stuck;
    client_start(&stuck, &s);
    UNTIL(at_gate() == 1);
    assert_false(sc_provider_drain(s.provider, 0.02));
    client_end(&stuck, 0);
    set_gate(true);
    lbs_scene_close(&s);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_when_all_places_are_taken_one_more_is_told_to_come_again),
    cmocka_unit_test(test_a_hard_question_delays_no_others),
    cmocka_unit_test(test_the_reply_to_a_client_that_is_gone_is_discarded),
    cmocka_unit_test(test_stopping_lets_nothing_leak),
    cmocka_unit_test(test_draining_answers_what_is_there_and_refuses_what_is_new),
    cmocka_unit_test(test_draining_gives_up_in_the_end),
};
SC_SUITE(tests)
