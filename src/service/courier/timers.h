/**
 * @file timers.h
 * @brief Things in the order of their time: which is due next? A heap of fixed room.
 *
 * A thing embeds an sc__timed, which knows its own place in the heap, so that it can leave at any
 * moment. Room is taken once, for all that there can be at a time: adding cannot fail.
 *
 * Used by: wire.
 */
#ifndef SC_COURIER_TIMERS_H
#define SC_COURIER_TIMERS_H

#include <starcloak/err.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct sc__timed {
    int64_t at_us;
    size_t place;  ///< in the heap; the timers' business
} sc__timed;

typedef struct sc__timers {
    sc__timed **heap;  ///< none is due before its parent, which is at half its place
    size_t count;
} sc__timers;

/** With room for `most` at a time. Release with sc__timers_fini(). */
SC_CHECKED sc_err sc__timers_init(sc__timers *timers, size_t most);

/** Harmless twice, and if it was never made. */
void sc__timers_fini(sc__timers *timers);

/** It is not among them yet. Time O(log count), as the next one. */
void sc__timers_add(sc__timers *timers, sc__timed *timed, int64_t at_us);

/** It is among them. */
void sc__timers_remove(sc__timers *timers, sc__timed *timed);

/** The one that is due first; NULL if there is none. */
static inline sc__timed *sc__timers_first(const sc__timers *timers)
{
    return timers->count > 0 ? timers->heap[0] : NULL;
}

#endif
