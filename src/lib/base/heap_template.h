/**
 * @file heap_template.h
 * @brief A heap of entries of one type, made for that type by including this file.
 *
 * Say what the heap holds and which entry goes first, then include; there is no include guard, so
 * that a file can make several heaps:
 *
 *     typedef struct visit { double distance; uint32_t star; } visit;
 *
 *     #define SC_HEAP visits
 *     #define SC_HEAP_ENTRY visit
 *     #define SC_HEAP_IS_BEFORE(heap, a, b) ((a).distance < (b).distance)
 *     #include "base/heap_template.h"
 *
 *     visits heap = {0};                       zero is empty
 *     visits_reserve(&heap, heap.count + 1)    false when memory is out
 *     visits_push(&heap, (visit){3.5, 17})     there must be room, so it cannot fail
 *     visits_pop(&heap)                        takes the first out; heap.entries[0] only looks
 *     visits_fini(&heap)
 *
 * The comparison is compiled into the loops, which a function pointer would not be: searches spend
 * most of their time here. `entries` may also be an array that the caller owns, as long as it has
 * room; then nothing is reserved and nothing is released.
 *
 * SC_HEAP            the name of the type, and the prefix of its functions
 * SC_HEAP_ENTRY      the type of an entry; entries are copied, so it should be small
 * SC_HEAP_IS_BEFORE(heap, a, b)  whether entry `a` goes before entry `b`. Where it says so of
 *                    neither, their order follows from the pushes and pops so far, and from
 *                    SC_HEAP_CHILDREN.
 * SC_HEAP_CHILDREN   per entry; 2 unless defined. Four have fewer levels to climb and are one cache
 *                    line of 16-byte entries: better for large heaps, and for those where most
 *                    pushes stay near the bottom.
 * SC_HEAP_CONTEXT    the type of a field `context`, for comparing or placing; none unless defined
 * SC_HEAP_PLACE(heap, entry, at)  called when `entry` comes to stand in entries[at], so that it can
 *                    be found there and removed; nothing unless defined
 *
 * Invariant: no entry goes before its parent, which is at (at - 1) / SC_HEAP_CHILDREN.
 */
#include <stdbool.h>
#include <stddef.h>

#include "base/alloc.h"

#ifndef SC_HEAP_CHILDREN
#define SC_HEAP_CHILDREN 2
#endif
#ifndef SC_HEAP_PLACE
#define SC_HEAP_PLACE(heap, entry, at) ((void)0)
#endif
#define SC_HEAP_JOIN2(name, verb) name##_##verb
#define SC_HEAP_JOIN(name, verb) SC_HEAP_JOIN2(name, verb)
#define SC_HEAP_FN(verb) SC_HEAP_JOIN(SC_HEAP, verb)

typedef struct SC_HEAP {
    SC_HEAP_ENTRY *entries;
    size_t count;
    size_t capacity;
#ifdef SC_HEAP_CONTEXT
    SC_HEAP_CONTEXT context;
#endif
} SC_HEAP;

/** Release the memory; harmless twice. */
static inline void SC_HEAP_FN(fini)(SC_HEAP *heap)
{
    sc_free(heap->entries);
    heap->entries = NULL;
    heap->count = 0;
    heap->capacity = 0;
}

/** Get more memory; apart, so that reserving is one comparison where it is called. */
static __attribute__((noinline, unused)) bool SC_HEAP_FN(grow)(SC_HEAP *heap, size_t count)
{
    size_t capacity = heap->capacity + heap->capacity / 2 + 16;
    if (capacity < count) capacity = count;
    SC_HEAP_ENTRY *entries = sc_realloc_array(heap->entries, capacity, sizeof *entries);
    if (!entries) return false;
    heap->entries = entries;
    heap->capacity = capacity;
    return true;
}

/**
 * Make room for `count` entries in all. A heap that grows becomes half as large again at least, so
 * that growing one by one costs little.
 *
 * @return false when memory is out; the heap is then as it was
 */
static inline bool SC_HEAP_FN(reserve)(SC_HEAP *heap, size_t count)
{
    return count <= heap->capacity || SC_HEAP_FN(grow)(heap, count);
}

/** Let `moved` rise from the empty place `at` to where it belongs. */
static inline void SC_HEAP_FN(rise)(SC_HEAP *heap, size_t at, SC_HEAP_ENTRY moved)
{
    SC_HEAP_ENTRY *entries = heap->entries;
    while (at > 0) {
        const size_t parent = (at - 1) / SC_HEAP_CHILDREN;
        if (!SC_HEAP_IS_BEFORE(heap, moved, entries[parent])) break;
        entries[at] = entries[parent];
        SC_HEAP_PLACE(heap, entries[at], at);
        at = parent;
    }
    entries[at] = moved;
    SC_HEAP_PLACE(heap, entries[at], at);
}

/** Let `moved` sink from the empty place `at` to where it belongs. */
static inline void SC_HEAP_FN(sink)(SC_HEAP *heap, size_t at, SC_HEAP_ENTRY moved)
{
    SC_HEAP_ENTRY *entries = heap->entries;
    const size_t count = heap->count;
    for (size_t first; (first = SC_HEAP_CHILDREN * at + 1) < count;) {
        size_t least = first;
        if (SC_HEAP_CHILDREN == 2) {  // compilers make something worse of the loop
            if (first + 1 < count && SC_HEAP_IS_BEFORE(heap, entries[first + 1], entries[first])) {
                least++;
            }
        } else {
            const size_t end = first + SC_HEAP_CHILDREN < count ? first + SC_HEAP_CHILDREN : count;
            for (size_t i = first + 1; i < end; i++) {
                if (SC_HEAP_IS_BEFORE(heap, entries[i], entries[least])) least = i;
            }
        }
        if (!SC_HEAP_IS_BEFORE(heap, entries[least], moved)) break;
        entries[at] = entries[least];
        SC_HEAP_PLACE(heap, entries[at], at);
        at = least;
    }
    entries[at] = moved;
    SC_HEAP_PLACE(heap, entries[at], at);
}

/** Add an entry; there must be room. Time O(log count), as of all that follow. */
static inline void SC_HEAP_FN(push)(SC_HEAP *heap, SC_HEAP_ENTRY added)
{
    SC_HEAP_FN(rise)(heap, heap->count++, added);
}

/** Take the first entry out; there must be one. */
static inline SC_HEAP_ENTRY SC_HEAP_FN(pop)(SC_HEAP *heap)
{
    const SC_HEAP_ENTRY top = heap->entries[0];
    heap->count--;
    SC_HEAP_FN(sink)(heap, 0, heap->entries[heap->count]);
    return top;
}

/** Put `added` in the place of the first one, which goes; there must be one. */
static inline void SC_HEAP_FN(replace_top)(SC_HEAP *heap, SC_HEAP_ENTRY added)
{
    SC_HEAP_FN(sink)(heap, 0, added);
}

/** Take out the entry at `at`; there must be one. */
static inline void SC_HEAP_FN(remove)(SC_HEAP *heap, size_t at)
{
    heap->count--;
    if (at == heap->count) return;
    // The last one fills the gap, and may belong above it or below.
    const SC_HEAP_ENTRY last = heap->entries[heap->count];
    if (at > 0 && SC_HEAP_IS_BEFORE(heap, last, heap->entries[(at - 1) / SC_HEAP_CHILDREN])) {
        SC_HEAP_FN(rise)(heap, at, last);
    } else {
        SC_HEAP_FN(sink)(heap, at, last);
    }
}

/** Put in order what was written to entries [0, count) directly. Time O(count). */
static inline void SC_HEAP_FN(reorder)(SC_HEAP *heap)
{
    // From the last that has children to the top: what is below is in order by then.
    for (size_t at = (heap->count + SC_HEAP_CHILDREN - 2) / SC_HEAP_CHILDREN; at-- > 0;) {
        SC_HEAP_FN(sink)(heap, at, heap->entries[at]);
    }
}

/** Empty the heap; its entries stay in their array, sorted, the one from the top at the end. */
static inline void SC_HEAP_FN(sort)(SC_HEAP *heap)
{
    while (heap->count > 0) {
        const size_t last = heap->count - 1;
        const SC_HEAP_ENTRY top = SC_HEAP_FN(pop)(heap);
        heap->entries[last] = top;
    }
}

#undef SC_HEAP
#undef SC_HEAP_ENTRY
#undef SC_HEAP_IS_BEFORE
#undef SC_HEAP_CHILDREN
#undef SC_HEAP_CONTEXT
#undef SC_HEAP_PLACE
#undef SC_HEAP_JOIN2
#undef SC_HEAP_JOIN
#undef SC_HEAP_FN
