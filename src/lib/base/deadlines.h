/**
 * @file deadlines.h
 * @brief A deadline queue: what is due next, and whose it is.
 *
 * Room is taken at the start, so that adding cannot fail. An owner keeps the place of its deadline,
 * so that it can be cancelled wherever it stands: most deadlines never come. Times are numbers of
 * any clock, as long as it is the same for all.
 */
#ifndef SC_BASE_DEADLINES_H
#define SC_BASE_DEADLINES_H

#include <starcloak/err.h>
#include <stddef.h>
#include <stdint.h>

/** "Not in the queue", for a place. */
#define SC_NO_DEADLINE SIZE_MAX

typedef struct sc_deadline {
    int64_t t;
    void *owner;
    size_t *place;  ///< in the owner; kept up to date by the queue
} sc_deadline;

// Four children per entry: new deadlines are mostly late ones and stay near the bottom.
#define SC_HEAP sc_deadlines
#define SC_HEAP_ENTRY sc_deadline
#define SC_HEAP_IS_BEFORE(heap, a, b) ((a).t < (b).t)
#define SC_HEAP_PLACE(heap, entry, at) ((void)(*(entry).place = (at)))
#define SC_HEAP_CHILDREN 4
#include "base/heap_template.h"

/** With room for `most` at a time. Release with sc_deadlines_fini(). */
SC_CHECKED static inline sc_err sc_deadlines_init(sc_deadlines *deadlines, size_t most)
{
    *deadlines = (sc_deadlines){0};
    return sc_deadlines_reserve(deadlines, most) ? SC_OK : SC_ENOMEM;
}

/** There must be room. `place` is set, and kept up to date until the deadline is cancelled. */
static inline void sc_deadlines_add(sc_deadlines *deadlines, int64_t t, void *owner, size_t *place)
{
    sc_deadlines_push(deadlines, (sc_deadline){t, owner, place});
}

/** Take out the deadline at `*place`, which must be there; `*place` becomes SC_NO_DEADLINE. */
static inline void sc_deadlines_cancel(sc_deadlines *deadlines, size_t *place)
{
    sc_deadlines_remove(deadlines, *place);
    *place = SC_NO_DEADLINE;
}

/** When the earliest is; INT64_MAX if there is none. */
static inline int64_t sc_deadlines_next(const sc_deadlines *deadlines)
{
    return deadlines->count > 0 ? deadlines->entries[0].t : INT64_MAX;
}

/** The owner of the earliest, or NULL. It stays where it is. */
static inline void *sc_deadlines_first(const sc_deadlines *deadlines)
{
    return deadlines->count > 0 ? deadlines->entries[0].owner : NULL;
}

/** The owner of the earliest, if it has come by `now`; else NULL. It stays where it is. */
static inline void *sc_deadlines_due(const sc_deadlines *deadlines, int64_t now)
{
    return sc_deadlines_next(deadlines) <= now ? sc_deadlines_first(deadlines) : NULL;
}

#endif
