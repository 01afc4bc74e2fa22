/**
 * @file ball_store.h
 * @brief Memory for balls: cells of whole cache lines, taken again as they come back.
 *
 * Every star that becomes active needs a ball and gives it back a few seconds later, some 200 bytes
 * in another place of memory each time. malloc() reads and writes around what it is given back, to
 * join it with its neighbours; on a large map none of that is in a cache. Here a cell that comes
 * back is a pointer on a stack, and its memory is not touched. A ball begins with a line, so that
 * it takes no more of them than it must.
 *
 * Large balls, which are rare, are left to malloc() and free().
 */
#ifndef SC_ENGINE_BALL_STORE_H
#define SC_ENGINE_BALL_STORE_H

#include <starcloak/err.h>
#include <stddef.h>

enum { SC__BALL_LINE = 64, SC__BALL_CELLS = 16 };

/** Cells of one size that came back. */
typedef struct sc__spare_cells {
    void **cells;
    size_t count;
    size_t capacity;
    size_t made;  ///< of that size, in use or not
} sc__spare_cells;

/** Zero-initialise; sc__ball_store_fini() when done. */
typedef struct sc__ball_store {
    sc__spare_cells spare[SC__BALL_CELLS];  ///< by lines, less 1
    char *rest;                             ///< of the last slab: what was never handed out
    size_t rest_size;
    char **slabs;
    size_t slab_count;
    size_t slab_capacity;
    size_t large_count;  ///< of those from malloc() that are out
} sc__ball_store;

/** Room for `size` bytes, or NULL. */
void *sc__ball_store_take(sc__ball_store *store, size_t size);

/** Give room for `size` bytes back; NULL is fine. */
void sc__ball_store_give(sc__ball_store *store, void *memory, size_t size);

/** Release all but those that are large and out; harmless twice. */
void sc__ball_store_fini(sc__ball_store *store);

#endif
