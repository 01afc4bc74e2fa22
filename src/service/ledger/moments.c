// A heap with four children per node. See moments.h.
#include "ledger/moments.h"

#include "base/alloc.h"

enum { CHILDREN = 4 };

sc_err sc__moments_init(sc__moments *moments, size_t capacity)
{
    // Cleared pages are given by the system when they are first used.
    *moments = (sc__moments){.heap = sc_calloc(capacity, sizeof *moments->heap)};
    return moments->heap ? SC_OK : SC_ENOMEM;
}

void sc__moments_fini(sc__moments *moments)
{
    sc_free(moments->heap);
    *moments = (sc__moments){0};
}

static void put(sc__moments *moments, size_t place, sc__moment moment)
{
    moments->heap[place] = moment;
    *moment.place = place;
}

/** `moment` belongs at `place` or above: let it rise, and the later ones come down. */
static void rise(sc__moments *moments, size_t place, sc__moment moment)
{
    while (place > 0) {
        const size_t parent = (place - 1) / CHILDREN;
        if (moments->heap[parent].t <= moment.t) break;
        put(moments, place, moments->heap[parent]);
        place = parent;
    }
    put(moments, place, moment);
}

static size_t earliest_child(const sc__moments *moments, size_t first)
{
    const size_t end = first + CHILDREN < moments->count ? first + CHILDREN : moments->count;
    size_t best = first;
    for (size_t i = first + 1; i < end; i++) {
        if (moments->heap[i].t < moments->heap[best].t) best = i;
    }
    return best;
}

/** `moment` belongs at `place` or below. */
static void sink(sc__moments *moments, size_t place, sc__moment moment)
{
    for (size_t first; (first = place * CHILDREN + 1) < moments->count;) {
        const size_t child = earliest_child(moments, first);
        if (moment.t <= moments->heap[child].t) break;
        put(moments, place, moments->heap[child]);
        place = child;
    }
    put(moments, place, moment);
}

void sc__moments_push(sc__moments *moments, sc_time t, void *whose, size_t *place)
{
    rise(moments, moments->count++, (sc__moment){t, whose, place});
}

void sc__moments_remove(sc__moments *moments, size_t place)
{
    const sc_time t = moments->heap[place].t;
    *moments->heap[place].place = SC__NO_MOMENT;
    const sc__moment last = moments->heap[--moments->count];
    if (place == moments->count) return;
    if (last.t < t) {
        rise(moments, place, last);
    } else {
        sink(moments, place, last);
    }
}
