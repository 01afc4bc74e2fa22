// A growing list under a lock. See received.h.
#include "support/received.h"

#include "support/check.h"

void received_open(received *h)
{
    *h = (received){.room = SIZE_MAX};
    pthread_mutex_init(&h->lock, NULL);
}

void received_close(received *h)
{
    received_msg each;
    while (received_take(h, &each)) {
        sc_msg_fini(&each.msg);
    }
    free(h->msgs);
    pthread_mutex_destroy(&h->lock);
    *h = (received){0};
}

/** With memory of the test's own: a test may have taken the library's away. */
static void keep(received *h, sc_peer to, const sc_msg *msg)
{
    if (h->count == h->capacity) {
        h->capacity = h->capacity > 0 ? 2 * h->capacity : 64;
        received_msg *larger = realloc(h->msgs, h->capacity * sizeof *larger);
        assert_non_null(larger);
        h->msgs = larger;
    }
    h->msgs[h->count++] = (received_msg){to, *msg};
}

static void hear(void *context, sc_peer to, sc_msg *msg)
{
    received *h = context;
    pthread_mutex_lock(&h->lock);
    if (h->count - h->first < h->room) {
        keep(h, to, msg);
        *msg = (sc_msg){.kind = SC_MSG_NONE};
    } else {
        h->lost++;
    }
    pthread_mutex_unlock(&h->lock);
    sc_msg_fini(msg);
}

static size_t room_left(void *context)
{
    received *h = context;
    pthread_mutex_lock(&h->lock);
    const size_t waiting = h->count - h->first;
    const size_t left = waiting < h->room ? h->room - waiting : 0;
    pthread_mutex_unlock(&h->lock);
    return left;
}

sc_port received_port(received *h)
{
    return (sc_port){.send = hear, .space = room_left, .context = h};
}

bool received_take(received *h, received_msg *out)
{
    pthread_mutex_lock(&h->lock);
    const bool is_there = h->first < h->count;
    if (is_there) *out = h->msgs[h->first++];
    if (h->first == h->count) h->first = h->count = 0;
    pthread_mutex_unlock(&h->lock);
    return is_there;
}

sc_msg received_next(received *h, sc_msg_kind kind, sc_peer to)
{
    received_msg next = {0};
    if (!received_take(h, &next))
        fail_msg("nothing was said; \"%s\" should be", sc_msg_kind_name(kind));
    assert_string_equal(sc_msg_kind_name(next.msg.kind), sc_msg_kind_name(kind));
    assert_int_equal(next.to, to);
    return next.msg;
}

void received_check_quiet(received *h)
{
    received_msg next = {0};
    if (received_take(h, &next)) fail_msg("\"%s\" was said", sc_msg_kind_name(next.msg.kind));
}

size_t received_count(received *h)
{
    pthread_mutex_lock(&h->lock);
    const size_t count = h->count - h->first;
    pthread_mutex_unlock(&h->lock);
    return count;
}

void received_limit(received *h, size_t room)
{
    pthread_mutex_lock(&h->lock);
    h->room = room;
    pthread_mutex_unlock(&h->lock);
}
