/**
 * @file moments.h
 * @brief What happens next: a heap of moments, each with whose it is.
 *
 * Room is taken at the start, so that adding a moment cannot fail. Whoever has a moment keeps its
 * place, so that it can be taken out again wherever it is: most deadlines never come. Four children
 * per node: new moments are mostly late ones and stay near the bottom.
 *
 * Used by: fates; the ledger's books, for deadlines, releases and patience.
 */
#ifndef SC_COMMIT_MOMENTS_H
#define SC_COMMIT_MOMENTS_H

#include <starcloak/query.h>

/** "Not in the heap", for a place. */
#define SC__NO_MOMENT SIZE_MAX

typedef struct sc__moment {
    sc_time t;
    void *whose;
    size_t *place;  ///< kept by the heap
} sc__moment;

/** From sc__moments_init(). */
typedef struct sc__moments {
    sc__moment *heap;
    size_t count;
} sc__moments;

SC_CHECKED sc_err sc__moments_init(sc__moments *moments, size_t capacity);

/** Harmless twice. */
void sc__moments_fini(sc__moments *moments);

/** There must be room. `place` is set, and kept up to date until the moment is removed. */
void sc__moments_push(sc__moments *moments, sc_time t, void *whose, size_t *place);

/** Take a moment out; its place becomes SC__NO_MOMENT. */
void sc__moments_remove(sc__moments *moments, size_t place);

/** When the earliest is; SC_TIME_NEVER if there is none. */
static inline sc_time sc__moments_next(const sc__moments *moments)
{
    return moments->count > 0 ? moments->heap[0].t : SC_TIME_NEVER;
}

/** Whose is the earliest, if it has come by `now`; else NULL. It stays where it is. */
static inline void *sc__moments_due(const sc__moments *moments, sc_time now)
{
    return sc__moments_next(moments) <= now && moments->count > 0 ? moments->heap[0].whose : NULL;
}

#endif
