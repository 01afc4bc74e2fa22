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

static void send_slowly(void *context, sc_peer to, sc_msg *msg)
{
    slow_line *line = context;
    pthread_mutex_lock(&line->gate);
    if (to != atomic_load(&line->sent) + 1) atomic_store(&line->is_out_of_order, true);
    atomic_fetch_add(&line->sent, 1);
    pthread_mutex_unlock(&line->gate);
    sc_msg_fini(msg);
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

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_who_puts_never_waits_and_what_finds_no_room_is_counted),
    cmocka_unit_test(test_what_was_never_sent_is_freed),
};
SC_SUITE(tests)
