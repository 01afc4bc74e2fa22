// Users with queries under way, in a table that is at most half full. One lock for all: it is held
// for some tens of nanoseconds, a thousandth of what a query costs.
#include "server/pending.h"

#include "base/alloc.h"

#include <pthread.h>
#include <stdatomic.h>

typedef struct pending_user {
    uint64_t user;
    unsigned count;  ///< of queries; 0: the slot is free
} pending_user;

static uint64_t hash_of(uint64_t user)
{
    user ^= user >> 32;
    user *= 0x9e3779b97f4a7c15U;
    return user >> 32;
}

#define SC_TABLE by_user
#define SC_TABLE_SLOT pending_user
#define SC_TABLE_KEY uint64_t
#define SC_TABLE_IS_FREE(table, slot) ((slot)->count == 0)
#define SC_TABLE_HAS(table, slot, wanted) ((slot)->user == (wanted))
#define SC_TABLE_HASH(table, wanted) hash_of(wanted)
#define SC_TABLE_HASH_OF(table, slot) hash_of((slot)->user)
#include "base/table_template.h"

struct sc_pending {
    size_t capacity;  ///< read-only

    atomic_size_t total;  ///< written under `lock`

    // Under `lock`.
    pthread_mutex_t lock;
    by_user users;
};

sc_err sc_pending_new(size_t capacity, sc_pending **out)
{
    sc_pending *pending = sc_calloc(1, sizeof *pending);
    if (!pending) return SC_ENOMEM;
    // One more: there must be a slot to look at, even where no query may enter.
    if (!by_user_reserve(&pending->users, capacity + 1)) {
        sc_free(pending);
        return SC_ENOMEM;
    }
    pending->capacity = capacity;
    pthread_mutex_init(&pending->lock, NULL);
    *out = pending;
    return SC_OK;
}

void sc_pending_free(sc_pending *pending)
{
    if (!pending) return;
    pthread_mutex_destroy(&pending->lock);
    by_user_fini(&pending->users);
    sc_free(pending);
}

static sc_err enter(sc_pending *pending, uint64_t user, unsigned most)
{
    const size_t total = atomic_load_explicit(&pending->total, memory_order_relaxed);
    pending_user *s = by_user_slot_of(&pending->users, user);
    if (s->count >= most) return SC_EBUSY;
    if (total >= pending->capacity) return SC_ELIMIT;
    if (s->count == 0) pending->users.count++;
    *s = (pending_user){.user = user, .count = s->count + 1};
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
    pending_user *s = by_user_find(&pending->users, user);
    if (s) {
        // Who has nothing under way leaves the table.
        if (s->count == 1) {
            by_user_remove(&pending->users, s);
        } else {
            s->count--;
        }
        atomic_fetch_sub_explicit(&pending->total, 1, memory_order_relaxed);
    }
    pthread_mutex_unlock(&pending->lock);
}

size_t sc_pending_count(const sc_pending *pending)
{
    return atomic_load_explicit(&pending->total, memory_order_relaxed);
}
