// Messages that wait to be sent, and the thread that sends them. See outbox.h.
#include "cluster/outbox.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/handover.h"
#include "base/pace.h"
#include "base/thread.h"

#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

/** Taken at once; and gathered, before they are handed over although the round goes on. */
enum { BATCH = 512 };

typedef struct letter {
    sc_peer to;
    bool is_last;  ///< no message: the thread ends
    sc_msg msg;
} letter;

struct sc__outbox {
    sc__outbox_send *send;
    void *context;
    sc_handover *letters;
    atomic_uint_fast64_t lost;
    pthread_t thread;
    bool is_started;

    pthread_mutex_t lock;
    size_t gathered_count;   ///< under `lock`, as the next
    letter gathered[BATCH];  ///< of the round that goes on
};

sc_err sc__outbox_new(sc__outbox_send *send, void *context, sc__outbox **out)
{
    sc__outbox *outbox = sc_calloc(1, sizeof *outbox);
    if (!outbox) return SC_ENOMEM;
    outbox->send = send;
    outbox->context = context;
    // One more than messages: the last letter always finds room.
    const sc_err err = sc_handover_new(sizeof(letter), SC_OUTBOX_SIZE + 1, &outbox->letters);
    if (err) {
        sc_free(outbox);
        return err;
    }
    pthread_mutex_init(&outbox->lock, NULL);
    *out = outbox;
    return SC_OK;
}

/** Those to one process together, in their order. */
static void send_all(sc__outbox *outbox, letter *letters, size_t count)
{
    sc_msg *msgs[BATCH];
    for (size_t i = 0; i < count; i++) {
        const sc_peer to = letters[i].to;
        if (to == SC_PEER_NONE) continue;
        size_t together = 0;
        for (size_t j = i; j < count; j++) {
            if (letters[j].to != to) continue;
            msgs[together++] = &letters[j].msg;
            letters[j].to = SC_PEER_NONE;
        }
        outbox->send(outbox->context, to, msgs, together);
    }
}

static void *run(void *argument)
{
    sc__outbox *outbox = argument;
    pthread_setname_np(pthread_self(), "outbox");
    struct pollfd source = {.fd = sc_handover_fd(outbox->letters), .events = POLLIN};
    letter letters[BATCH];
    sc_pace pace = {0};
    for (bool is_over = false; !is_over;) {
        sc_pace_sleep(sc_pace_next(&pace, SC_CLUSTER_ROUND_US, sc_clock_us()));
        (void)poll(&source, 1, -1);
        const size_t count = sc_handover_take(outbox->letters, letters, BATCH);
        for (size_t i = 0; i < count; i++) {
            is_over = is_over || letters[i].is_last;
        }
        send_all(outbox, letters, count);
        explicit_bzero(letters, count * sizeof *letters);
    }
    return NULL;
}

sc_err sc__outbox_start(sc__outbox *outbox)
{
    const sc_err err = sc_thread_start(&outbox->thread, run, outbox);
    outbox->is_started = !err;
    return err;
}

/** Under `lock`. */
static size_t space(sc__outbox *outbox)
{
    const size_t count = sc_handover_count(outbox->letters) + outbox->gathered_count;
    return count < SC_OUTBOX_SIZE ? SC_OUTBOX_SIZE - count : 0;
}

size_t sc__outbox_space(sc__outbox *outbox)
{
    pthread_mutex_lock(&outbox->lock);
    const size_t left = space(outbox);
    pthread_mutex_unlock(&outbox->lock);
    return left;
}

/** Under `lock`. There is room for all that was gathered. */
static void hand_over(sc__outbox *outbox)
{
    (void)sc_handover_put_many(outbox->letters, outbox->gathered, outbox->gathered_count);
    explicit_bzero(outbox->gathered, outbox->gathered_count * sizeof *outbox->gathered);
    outbox->gathered_count = 0;
}

void sc__outbox_put(sc__outbox *outbox, sc_peer to, sc_msg *msg)
{
    pthread_mutex_lock(&outbox->lock);
    const bool has_room = space(outbox) > 0;
    if (has_room) {
        letter *last = &outbox->gathered[outbox->gathered_count++];
        last->to = to;
        last->msg = *msg;
        if (outbox->gathered_count == BATCH) hand_over(outbox);
    }
    pthread_mutex_unlock(&outbox->lock);
    if (has_room) {
        explicit_bzero(msg, sizeof *msg);
        return;
    }
    atomic_fetch_add(&outbox->lost, 1);
    sc_msg_fini(msg);
}

void sc__outbox_flush(sc__outbox *outbox)
{
    pthread_mutex_lock(&outbox->lock);
    if (outbox->gathered_count > 0) hand_over(outbox);
    pthread_mutex_unlock(&outbox->lock);
}

uint64_t sc__outbox_lost(const sc__outbox *outbox)
{
    return atomic_load(&outbox->lost);
}

void sc__outbox_stop(sc__outbox *outbox)
{
    if (!outbox->is_started) return;
    sc__outbox_flush(outbox);
    const letter last = {.is_last = true};
    (void)sc_handover_put(outbox->letters, &last);
    pthread_join(outbox->thread, NULL);
    outbox->is_started = false;
}

void sc__outbox_free(sc__outbox *outbox)
{
    if (!outbox) return;
    sc__outbox_stop(outbox);
    sc__outbox_flush(outbox);
    letter each;
    while (sc_handover_take(outbox->letters, &each, 1) == 1) {
        sc_msg_fini(&each.msg);
    }
    sc_handover_free(outbox->letters);
    pthread_mutex_destroy(&outbox->lock);
    sc_free(outbox);
}
