// Users with queries under way: open addressing with linear probing, at most half full, so that a
// look-up is short. One lock for all: it is held for some tens of nanoseconds, a thousandth of what
// a query costs. See pending.h.
//
// Whoever is taken out leaves no mark behind: those after it that would not be found across the gap
// move up. So the table is as good after a year as on its first day.
#include "server/pending.h"

#include "base/alloc.h"

#include <pthread.h>
#include <stdatomic.h>

typedef struct slot {
    uint64_t user;
    unsigned count;  ///< of queries; 0: the slot is free
} slot;

struct sc_pending {
    // Read-only.
    size_t capacity;
    size_t mask;  ///< slots less one

    atomic_size_t total;  ///< written under `lock`

    // Under `lock`.
    pthread_mutex_t lock;
    slot *slots;
};

sc_err sc_pending_new(size_t capacity, sc_pending **out)
{
    size_t slots = 2;
    while (slots / 2 < capacity && slots <= SIZE_MAX / 2) {
        slots *= 2;
    }
    sc_pending *pending = sc_calloc(1, sizeof *pending);
    if (!pending) return SC_ENOMEM;
    pending->slots = sc_calloc(slots, sizeof *pending->slots);
    if (!pending->slots) {
        sc_free(pending);
        return SC_ENOMEM;
    }
    pending->capacity = capacity;
    pending->mask = slots - 1;
    pthread_mutex_init(&pending->lock, NULL);
    *out = pending;
    return SC_OK;
}

void sc_pending_free(sc_pending *pending)
{
    if (!pending) return;
    pthread_mutex_destroy(&pending->lock);
    sc_free(pending->slots);
    sc_free(pending);
}

/** Where `user` would be if all slots were free. */
static size_t home_of(const sc_pending *pending, uint64_t user)
{
    user ^= user >> 32;
    user *= 0x9e3779b97f4a7c15U;
    return (size_t)(user >> 32) & pending->mask;
}

/** The slot of `user`, or the free one where it would go. */
static size_t find(const sc_pending *pending, uint64_t user)
{
    size_t i = home_of(pending, user);
    while (pending->slots[i].count > 0 && pending->slots[i].user != user) {
        i = (i + 1) & pending->mask;
    }
    return i;
}

/** Free slot `gap`, and let those behind it that passed it on their way move up. */
static void close_gap(sc_pending *pending, size_t gap)
{
    slot *slots = pending->slots;
    for (size_t i = (gap + 1) & pending->mask; slots[i].count > 0; i = (i + 1) & pending->mask) {
        const size_t come_from = home_of(pending, slots[i].user);
        // Its way from home to here leads across the gap if home is at least as far back.
        if (((i - come_from) & pending->mask) >= ((i - gap) & pending->mask)) {
            slots[gap] = slots[i];
            gap = i;
        }
    }
    slots[gap] = (slot){0};
}

static sc_err enter(sc_pending *pending, uint64_t user, unsigned most)
{
    const size_t total = atomic_load_explicit(&pending->total, memory_order_relaxed);
    slot *s = &pending->slots[find(pending, user)];
    if (s->count >= most) return SC_EBUSY;
    if (total >= pending->capacity) return SC_ELIMIT;
    *s = (slot){.user = user, .count = s->count + 1};
    atomic_store_explicit(&pending->total, total + 1, memory_order_relaxed);
    return SC_OK;
}

sc_err sc_pending_enter(sc_pending *pending, uint64_t user, unsigned most)
{
    pthread_mutex_lock(&pending->lock);
    const sc_err err = enter(pending, user, most);
    pthread_mutex_unlock(&pending->lock);
    return err;
}

void sc_pending_leave(sc_pending *pending, uint64_t user)
{
    pthread_mutex_lock(&pending->lock);
    const size_t i = find(pending, user);
    slot *s = &pending->slots[i];
    if (s->count > 0) {
        s->count--;
        if (s->count == 0) close_gap(pending, i);
        atomic_fetch_sub_explicit(&pending->total, 1, memory_order_relaxed);
    }
    pthread_mutex_unlock(&pending->lock);
}

size_t sc_pending_count(const sc_pending *pending)
{
    return atomic_load_explicit(&pending->total, memory_order_relaxed);
}
