// The heap of moments. See heap.h.
#include "engine/heap.h"

#include "base/alloc.h"
#include "engine/engine_internal.h"

enum { CHILDREN = 4 };

static sc__pending *pending_of(const sc_pool *pending, uint32_t slot)
{
    return sc_pool_at(pending, slot);
}

static bool is_before(const sc_pool *pending, sc__moment a, sc__moment b)
{
    if (a.t != b.t) return a.t < b.t;
    const sc__pending *of_a = pending_of(pending, a.slot);
    const sc__pending *of_b = pending_of(pending, b.slot);
    // Moments at the very beginning of time (alpha is endless) are equal where deadlines are not.
    if (of_a->query.deadline != of_b->query.deadline) {
        return of_a->query.deadline < of_b->query.deadline;
    }
    return of_a->order < of_b->order;
}

static void put(sc__heap *heap, const sc_pool *pending, size_t at, sc__moment moment)
{
    heap->moments[at] = moment;
    pending_of(pending, moment.slot)->heap_at = (uint32_t)at;
}

/** Let `moment` rise from the empty place `at` to where it belongs. */
static void rise(sc__heap *heap, const sc_pool *pending, size_t at, sc__moment moment)
{
    while (at > 0) {
        const size_t parent = (at - 1) / CHILDREN;
        if (!is_before(pending, moment, heap->moments[parent])) break;
        put(heap, pending, at, heap->moments[parent]);
        at = parent;
    }
    put(heap, pending, at, moment);
}

/** Let `moment` sink from the empty place `at` to where it belongs. */
static void sink(sc__heap *heap, const sc_pool *pending, size_t at, sc__moment moment)
{
    for (;;) {
        const size_t first = at * CHILDREN + 1;
        if (first >= heap->count) break;
        const size_t end = first + CHILDREN < heap->count ? first + CHILDREN : heap->count;
        size_t least = first;
        for (size_t child = first + 1; child < end; child++) {
            if (is_before(pending, heap->moments[child], heap->moments[least])) least = child;
        }
        if (!is_before(pending, heap->moments[least], moment)) break;
        put(heap, pending, at, heap->moments[least]);
        at = least;
    }
    put(heap, pending, at, moment);
}

void sc__heap_fini(sc__heap *heap)
{
    sc_free(heap->moments);
    *heap = (sc__heap){0};
}

sc_err sc__heap_reserve(sc__heap *heap, size_t count)
{
    if (count <= heap->capacity) return SC_OK;
    // A half more: doubling would leave half of it empty on average.
    const size_t capacity = count + count / 2 + CHILDREN;
    sc__moment *moments = sc_realloc_array(heap->moments, capacity, sizeof *moments);
    if (!moments) return SC_ENOMEM;
    heap->moments = moments;
    heap->capacity = capacity;
    return SC_OK;
}

void sc__heap_push(sc__heap *heap, const sc_pool *pending, sc_time t, uint32_t slot)
{
    heap->count++;
    rise(heap, pending, heap->count - 1, (sc__moment){t, slot});
}

void sc__heap_reorder(sc__heap *heap, const sc_pool *pending)
{
    // From the last that has children to the top: what is below is in order by then.
    for (size_t at = (heap->count + CHILDREN - 2) / CHILDREN; at-- > 0;) {
        sink(heap, pending, at, heap->moments[at]);
    }
}

void sc__heap_remove(sc__heap *heap, const sc_pool *pending, uint32_t slot)
{
    const size_t at = pending_of(pending, slot)->heap_at;
    heap->count--;
    if (at == heap->count) return;
    const sc__moment last = heap->moments[heap->count];
    if (at > 0 && is_before(pending, last, heap->moments[(at - 1) / CHILDREN])) {
        rise(heap, pending, at, last);
    } else {
        sink(heap, pending, at, last);
    }
}

const sc__moment *sc__heap_top(const sc__heap *heap)
{
    return heap->count > 0 ? heap->moments : NULL;
}
