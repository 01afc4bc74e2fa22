// Messages that wait to be sent, and the thread that sends them. See outbox.h.
#include "cluster/outbox.h"

#include "base/alloc.h"
#include "base/handover.h"
#include "base/thread.h"

#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

/** Taken at once. */
enum { BATCH = 64 };

typedef struct letter {
    sc_peer to;
    bool is_last;  ///< no message: the thread ends
    sc_msg msg;
} letter;

struct sc__outbox {
    void (*send)(void *context, sc_peer to, sc_msg *msg);
    void *context;
    sc_handover *letters;
    atomic_uint_fast64_t lost;
    pthread_t thread;
    bool is_started;
};

sc_err sc__outbox_new(void (*send)(void *context, sc_peer to, sc_msg *msg), void *context,
                      sc__outbox **out)
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
    *out = outbox;
    return SC_OK;
}

static void *run(void *argument)
{
    sc__outbox *outbox = argument;
    pthread_setname_np(pthread_self(), "outbox");
    struct pollfd source = {.fd = sc_handover_fd(outbox->letters), .events = POLLIN};
    letter letters[BATCH];
    for (bool is_over = false; !is_over;) {
        (void)poll(&source, 1, -1);
        const size_t count = sc_handover_take(outbox->letters, letters, BATCH);
        for (size_t i = 0; i < count; i++) {
            is_over = is_over || letters[i].is_last;
            if (!letters[i].is_last) outbox->send(outbox->context, letters[i].to, &letters[i].msg);
        }
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

size_t sc__outbox_space(sc__outbox *outbox)
{
    const size_t count = sc_handover_count(outbox->letters);
    return count < SC_OUTBOX_SIZE ? SC_OUTBOX_SIZE - count : 0;
}

void sc__outbox_put(sc__outbox *outbox, sc_peer to, sc_msg *msg)
{
    letter each = {.to = to, .msg = *msg};
    if (sc__outbox_space(outbox) > 0 && sc_handover_put(outbox->letters, &each)) {
        explicit_bzero(&each, sizeof each);
        explicit_bzero(msg, sizeof *msg);
        return;
    }
    explicit_bzero(&each, sizeof each);
    atomic_fetch_add(&outbox->lost, 1);
    sc_msg_fini(msg);
}

uint64_t sc__outbox_lost(const sc__outbox *outbox)
{
    return atomic_load(&outbox->lost);
}

void sc__outbox_stop(sc__outbox *outbox)
{
    if (!outbox->is_started) return;
    const letter last = {.is_last = true};
    (void)sc_handover_put(outbox->letters, &last);
    pthread_join(outbox->thread, NULL);
    outbox->is_started = false;
}

void sc__outbox_free(sc__outbox *outbox)
{
    if (!outbox) return;
    sc__outbox_stop(outbox);
    letter each;
    while (sc_handover_take(outbox->letters, &each, 1) == 1) {
        sc_msg_fini(&each.msg);
    }
    sc_handover_free(outbox->letters);
    sc_free(outbox);
}
