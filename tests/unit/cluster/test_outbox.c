// The outbox: who puts a message never waits, however long sending takes; order is kept, and what
// finds no room is counted.
#include "cluster/outbox.h"

#include "support/check.h"

#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>

typedef struct slow_line {
    pthread_mutex_t gate;  ///< held: nothing gets through
    atomic_uint_fast64_t sent;
    atomic_bool is_out_of_order;
} slow_line;

static void send_slowly(void *context, sc_peer to, sc_msg *const *msgs, size_t count)
{
    slow_line *line = context;
    pthread_mutex_lock(&line->gate);
    if (to != atomic_load(&line->sent) + 1) atomic_store(&line->is_out_of_order, true);
    atomic_fetch_add(&line->sent, count);
    pthread_mutex_unlock(&line->gate);
    for (size_t i = 0; i < count; i++) {
        sc_msg_fini(msgs[i]);
    }
}

/** A message that owns something. */
static sc_msg made(void)
{
    sc_msg msg = {.kind = SC_MSG_RESULT, .from = 1};
    msg.result = sc_result_new(SC_FAILURE_NONE, "relay", 5, "reply", 5);
    assert_non_null(msg.result);
    return msg;
}

static void test_who_puts_never_waits_and_what_finds_no_room_is_counted(void **state)
{
    (void)state;
    slow_line line = {.gate = PTHREAD_MUTEX_INITIALIZER};
    sc__outbox *outbox = NULL;
    assert_int_equal(sc__outbox_new(send_slowly, &line, &outbox), SC_OK);
    pthread_mutex_lock(&line.gate);
    assert_int_equal(sc__outbox_start(outbox), SC_OK);
    uint64_t put = 0;
    while (sc__outbox_lost(outbox) == 0) {
        sc_msg msg = made();
        sc__outbox_put(outbox, ++put, &msg);
    }
    assert_int_equal(sc__outbox_space(outbox), 0);
    assert_true(put > SC_OUTBOX_SIZE);
    assert_int_equal(atomic_load(&line.sent), 0);
    pthread_mutex_unlock(&line.gate);
    // All but the one that was lost.
    sc__outbox_stop(outbox);
    assert_int_equal(atomic_load(&line.sent), put - 1);
    assert_false(atomic_load(&line.is_out_of_order));
    assert_int_equal(sc__outbox_space(outbox), SC_OUTBOX_SIZE);
    sc__outbox_free(outbox);
}

static void test_what_was_never_sent_is_freed(void **state)
{
    (void)state;
    slow_line line = {.gate = PTHREAD_MUTEX_INITIALIZER};
    sc__outbox *outbox = NULL;
    assert_int_equal(sc__outbox_new(send_slowly, &line, &outbox), SC_OK);
    sc_msg msg = made();
    sc__outbox_put(outbox, 1, &msg);
    sc__outbox_free(outbox);
    assert_int_equal(atomic_load(&line.sent), 0);
}

/** What one call was given. */
typedef struct call_log {
    sc_peer to[8];
    uint64_t numbers[8][8];
    size_t counts[8];
    size_t calls;
} call_log;

static void note_call(void *context, sc_peer to, sc_msg *const *msgs, size_t count)
{
    call_log *log = context;
    assert_true(log->calls < 8 && count <= 8);
    log->to[log->calls] = to;
    log->counts[log->calls] = count;
    for (size_t i = 0; i < count; i++) {
        log->numbers[log->calls][i] = msgs[i]->number;
        sc_msg_fini(msgs[i]);
    }
    log->calls++;
}

static void test_messages_of_a_round_to_one_process_go_together_in_order(void **state)
{
    (void)state;
    call_log log = {.calls = 0};
    sc__outbox *outbox = NULL;
    assert_int_equal(sc__outbox_new(note_call, &log, &outbox), SC_OK);
    for (uint64_t i = 0; i < 6; i++) {
        sc_msg msg = made();
        msg.number = i;
        sc__outbox_put(outbox, i % 2 == 0 ? 7 : 8, &msg);
    }
    assert_int_equal(sc__outbox_space(outbox), SC_OUTBOX_SIZE - 6);
    sc__outbox_flush(outbox);
    assert_int_equal(sc__outbox_start(outbox), SC_OK);
    sc__outbox_stop(outbox);
    assert_int_equal(log.calls, 2);
    for (size_t call = 0; call < 2; call++) {
        assert_int_equal(log.to[call], 7 + call);
        assert_int_equal(log.counts[call], 3);
        for (size_t i = 0; i < 3; i++) {
            assert_int_equal(log.numbers[call][i], 2 * i + call);
        }
    }
    sc__outbox_free(outbox);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_messages_of_a_round_to_one_process_go_together_in_order),
    cmocka_unit_test(test_who_puts_never_waits_and_what_finds_no_room_is_counted),
    cmocka_unit_test(test_what_was_never_sent_is_freed),
};
SC_SUITE(tests)
