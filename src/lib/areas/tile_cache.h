/**
 * @file tile_cache.h
 * @brief Tiles that were fetched: their objects, how long they may be used, and no more bytes than
 * allowed. Not for several threads at once: its owner has a lock.
 */
#ifndef SC_AREAS_TILE_CACHE_H
#define SC_AREAS_TILE_CACHE_H

#include "areas/tile_grid.h"

#include <stdatomic.h>

/** An object of a tile, on its road. Texts are places in the tile's strings. */
typedef struct sc__tile_row {
    sc_edge_id edge;
    uint32_t key;
    uint32_t name;
    uint32_t category;
    double along_m;
} sc__tile_row;

/** What one question brought for one category; counted by its holders. Its objects never change;
 * what comes after them is under the lock of the cache's owner. */
typedef struct sc__tile_rows {
    atomic_size_t holders;
    sc__tile_row *rows;
    size_t count;
    char *strings;
    size_t bytes;  ///< that it takes, in all
    sc__tile tile;
    sc_category_id category;  ///< SC_NONE: of all
    uint64_t divisions;  ///< of it and its parts, those that were too full and asked for as four
    uint64_t version;    ///< greater for what was fetched later
    char *etag;          ///< NULL: none
    // Under the lock.
    int64_t fresh_until_us;
    int64_t stale_until_us;  ///< until then it may be used once more while it is fetched again
    uint64_t indexed;        ///< the number of the indexed set that has it; 0: none
    // While it is kept: its neighbours in the order of use.
    struct sc__tile_rows *older;
    struct sc__tile_rows *newer;
} sc__tile_rows;

void sc__tile_rows_release(sc__tile_rows *rows);
static inline sc__tile_rows *sc__tile_rows_hold(sc__tile_rows *rows)
{
    atomic_fetch_add_explicit(&rows->holders, 1, memory_order_relaxed);
    return rows;
}

typedef struct sc__tile_slot {
    sc__tile_rows *rows;  ///< NULL: free
} sc__tile_slot;

/** Zero-initialise with a limit; release with sc__tile_cache_fini(). */
typedef struct sc__tile_cache {
    size_t max_bytes;
    size_t bytes;
    uint64_t evictions;
    sc__tile_rows *newest;  ///< used last; NULL: there are none
    sc__tile_rows *oldest;  ///< not used for the longest time
    // The table, by tile and category.
    sc__tile_slot *slots;
    size_t count;
    size_t capacity;
} sc__tile_cache;

void sc__tile_cache_fini(sc__tile_cache *cache);

/** What is kept of that tile itself, fresh or not; NULL: nothing. Lent. */
sc__tile_rows *sc__tile_cache_find(sc__tile_cache *cache, sc__tile tile, sc_category_id category);

/** Keep `rows` once more, in place of what there is of its tile and category; what was not used
 * for the longest time goes. False: it is not kept, being larger than the cache or without memory.
 */
bool sc__tile_cache_put(sc__tile_cache *cache, sc__tile_rows *rows);

#endif
