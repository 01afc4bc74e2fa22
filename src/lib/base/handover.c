// A ring under a mutex, and an eventfd that is rung when the ring stops being empty. See
// handover.h.
#include "base/handover.h"

#include "base/alloc.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

struct sc_handover {
    pthread_mutex_t lock;
    int wake_fd;  ///< an eventfd: above 0 while something waits
    bool is_own;  ///< the eventfd is to be closed
    size_t item_size;
    size_t capacity;
    size_t first;         ///< place of the oldest
    atomic_size_t count;  ///< written under the lock, and read without it by those who only look
    uint64_t total;       ///< that were ever put
    unsigned char *ring;
};

sc_err sc_handover_new_at(size_t item_size, size_t capacity, int eventfd, sc_handover **out)
{
    sc_handover *h = sc_calloc(1, sizeof *h);
    if (!h) return SC_ENOMEM;
    *h = (sc_handover){.wake_fd = eventfd, .item_size = item_size, .capacity = capacity};
    pthread_mutex_init(&h->lock, NULL);
    // Cleared pages are given by the system when they are first used: a large capacity that is
    // never needed takes none.
    h->ring = sc_calloc(capacity, item_size);
    if (!h->ring) {
        sc_handover_free(h);
        return SC_ENOMEM;
    }
    uint64_t times;
    (void)!read(eventfd, &times, sizeof times);
    *out = h;
    return SC_OK;
}

sc_err sc_handover_new(size_t item_size, size_t capacity, sc_handover **out)
{
    sc_handover *h = NULL;
    const int own = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (own < 0) return SC_EIO;
    const sc_err err = sc_handover_new_at(item_size, capacity, own, &h);
    if (err) {
        close(own);
        return err;
    }
    h->is_own = true;
    *out = h;
    return SC_OK;
}

static size_t count_of(const sc_handover *h)
{
    return atomic_load_explicit(&h->count, memory_order_relaxed);
}

static void set_count(sc_handover *h, size_t count)
{
    atomic_store_explicit(&h->count, count, memory_order_relaxed);
}

/** Take the oldest `count` out, into `out` (NULL: nowhere). At most two pieces: up to the end of
 * the ring, and from its beginning. */
static void take_out(sc_handover *h, unsigned char *out, size_t count)
{
    while (count > 0) {
        const size_t until_end = h->capacity - h->first;
        const size_t piece = count < until_end ? count : until_end;
        const size_t bytes = piece * h->item_size;
        unsigned char *from = h->ring + h->first * h->item_size;
        if (out) {
            memcpy(out, from, bytes);
            out += bytes;
        }
        explicit_bzero(from, bytes);
        h->first = piece < until_end ? h->first + piece : 0;
        set_count(h, count_of(h) - piece);
        count -= piece;
    }
}

void sc_handover_free(sc_handover *handover)
{
    if (!handover) return;
    take_out(handover, NULL, count_of(handover));
    if (handover->is_own) close(handover->wake_fd);
    pthread_mutex_destroy(&handover->lock);
    sc_free(handover->ring);
    sc_free(handover);
}

static void wake_reader(const sc_handover *handover)
{
    const uint64_t once = 1;
    // Cannot fail: the counter would have to reach 2^64 without a read.
    (void)!write(handover->wake_fd, &once, sizeof once);
}

/** Put `count`, for which there is room, behind the last one. At most two pieces, as above. */
static void put_in(sc_handover *h, const unsigned char *items, size_t count)
{
    while (count > 0) {
        const size_t until_end = h->capacity - h->first;
        const size_t waiting = count_of(h);
        const size_t place = waiting < until_end ? h->first + waiting : waiting - until_end;
        const size_t piece = count < h->capacity - place ? count : h->capacity - place;
        memcpy(h->ring + place * h->item_size, items, piece * h->item_size);
        items += piece * h->item_size;
        set_count(h, waiting + piece);
        count -= piece;
    }
}

size_t sc_handover_put_many(sc_handover *handover, const void *items, size_t count)
{
    pthread_mutex_lock(&handover->lock);
    const size_t room = handover->capacity - count_of(handover);
    const bool was_empty = count_of(handover) == 0;
    if (count > room) count = room;
    put_in(handover, items, count);
    handover->total += count;
    pthread_mutex_unlock(&handover->lock);
    // A put that finds others waiting need not wake the reader: the put of the first of them
    // does, or the reader that left some.
    if (count > 0 && was_empty) wake_reader(handover);
    return count;
}

bool sc_handover_put(sc_handover *handover, const void *item)
{
    return sc_handover_put_many(handover, item, 1) == 1;
}

size_t sc_handover_take(sc_handover *handover, void *items, size_t room)
{
    // The descriptor first: what is put after this makes it readable again, and what was put before
    // is in the ring.
    uint64_t times;
    (void)!read(handover->wake_fd, &times, sizeof times);
    pthread_mutex_lock(&handover->lock);
    const size_t waiting = count_of(handover);
    const size_t count = waiting < room ? waiting : room;
    take_out(handover, items, count);
    const bool is_left = count < waiting;
    // From the beginning again: a queue that is mostly empty stays in the same few lines of cache.
    if (!is_left) handover->first = 0;
    pthread_mutex_unlock(&handover->lock);
    if (is_left) wake_reader(handover);
    return count;
}

int sc_handover_fd(const sc_handover *handover)
{
    return handover->wake_fd;
}

uint64_t sc_handover_total(sc_handover *handover)
{
    pthread_mutex_lock(&handover->lock);
    const uint64_t total = handover->total;
    pthread_mutex_unlock(&handover->lock);
    return total;
}

size_t sc_handover_count(sc_handover *handover)
{
    return count_of(handover);
}
