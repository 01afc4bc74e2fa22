// Which is due next? A binary heap. See timers.h.
#include "courier/timers.h"

#include "base/alloc.h"

sc_err sc__timers_init(sc__timers *timers, size_t most)
{
    *timers = (sc__timers){.heap = sc_malloc_array(most, sizeof(sc__timed *))};
    return timers->heap ? SC_OK : SC_ENOMEM;
}

void sc__timers_fini(sc__timers *timers)
{
    sc_free(timers->heap);
    *timers = (sc__timers){.heap = NULL};
}

static void put(sc__timers *timers, size_t place, sc__timed *timed)
{
    timers->heap[place] = timed;
    timed->place = place;
}

// Move `timed` from a free place up to where its parent is not due later.
static void rise(sc__timers *timers, size_t place, sc__timed *timed)
{
    while (place > 0) {
        sc__timed *parent = timers->heap[(place - 1) / 2];
        if (parent->at_us <= timed->at_us) break;
        put(timers, place, parent);
        place = (place - 1) / 2;
    }
    put(timers, place, timed);
}

// Move `timed` from a free place down to where no child is due earlier.
static void sink(sc__timers *timers, size_t place, sc__timed *timed)
{
    for (;;) {
        size_t child = 2 * place + 1;
        if (child >= timers->count) break;
        if (child + 1 < timers->count &&
            timers->heap[child + 1]->at_us < timers->heap[child]->at_us) {
            child++;
        }
        if (timed->at_us <= timers->heap[child]->at_us) break;
        put(timers, place, timers->heap[child]);
        place = child;
    }
    put(timers, place, timed);
}

void sc__timers_add(sc__timers *timers, sc__timed *timed, int64_t at_us)
{
    timed->at_us = at_us;
    rise(timers, timers->count++, timed);
}

void sc__timers_remove(sc__timers *timers, sc__timed *timed)
{
    const size_t hole = timed->place;
    sc__timed *last = timers->heap[--timers->count];
    if (last == timed) return;
    // The last one fills the hole, and may belong above or below it.
    if (last->at_us < timed->at_us) {
        rise(timers, hole, last);
    } else {
        sink(timers, hole, last);
    }
}
