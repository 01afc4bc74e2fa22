// Tiles that were fetched. See tile_cache.h.
#include "areas/tile_cache.h"

#include "base/alloc.h"

#include <string.h>

void sc__tile_rows_release(sc__tile_rows *rows)
{
    if (!rows || atomic_fetch_sub_explicit(&rows->holders, 1, memory_order_acq_rel) > 1) return;
    sc_free(rows->rows);
    sc_free(rows->strings);
    sc_free(rows->etag);
    sc_free(rows);
}

// --- The table ----------------------------------------------------------------------------------

/** What a slot is found by. */
typedef struct slot_key {
    sc__tile tile;
    sc_category_id category;
} slot_key;

// Keys are the map's own numbers; nobody outside chooses them.
static size_t hash_of(sc__tile tile, sc_category_id category)
{
    uint64_t h = ((uint64_t)tile.level << 48) ^ ((uint64_t)tile.x << 24) ^ tile.y;
    h = (h ^ ((uint64_t)category << 32)) * 0x9e3779b97f4a7c15u;
    return (size_t)(h ^ (h >> 29));
}

static bool has(const sc__tile_slot *slot, slot_key key)
{
    const sc__tile_rows *rows = slot->rows;
    return rows->category == key.category && rows->tile.level == key.tile.level &&
           rows->tile.x == key.tile.x && rows->tile.y == key.tile.y;
}

#define SC_TABLE by_tile
#define SC_TABLE_TYPE sc__tile_cache
#define SC_TABLE_SLOT sc__tile_slot
#define SC_TABLE_KEY slot_key
#define SC_TABLE_IS_FREE(table, slot) ((slot)->rows == NULL)
#define SC_TABLE_HAS(table, slot, key) has((slot), (key))
#define SC_TABLE_HASH(table, key) hash_of((key).tile, (key).category)
#define SC_TABLE_HASH_OF(table, slot) hash_of((slot)->rows->tile, (slot)->rows->category)
#include "base/table_template.h"

// --- The order of use ---------------------------------------------------------------------------

static void unlink_rows(sc__tile_cache *cache, sc__tile_rows *rows)
{
    *(rows->newer ? &rows->newer->older : &cache->newest) = rows->older;
    *(rows->older ? &rows->older->newer : &cache->oldest) = rows->newer;
    rows->newer = NULL;
    rows->older = NULL;
}

static void link_newest(sc__tile_cache *cache, sc__tile_rows *rows)
{
    rows->older = cache->newest;
    *(cache->newest ? &cache->newest->newer : &cache->oldest) = rows;
    cache->newest = rows;
}

// --- Keeping ------------------------------------------------------------------------------------

static void drop(sc__tile_cache *cache, sc__tile_slot *slot)
{
    sc__tile_rows *rows = slot->rows;
    cache->bytes -= rows->bytes;
    unlink_rows(cache, rows);
    by_tile_remove(cache, slot);
    sc__tile_rows_release(rows);
}

void sc__tile_cache_fini(sc__tile_cache *cache)
{
    for (size_t i = 0; i < cache->capacity; i++) {
        if (cache->slots[i].rows) sc__tile_rows_release(cache->slots[i].rows);
    }
    by_tile_fini(cache);
}

sc__tile_rows *sc__tile_cache_find(sc__tile_cache *cache, sc__tile tile, sc_category_id category)
{
    sc__tile_slot *slot = by_tile_find(cache, (slot_key){tile, category});
    if (!slot) return NULL;
    unlink_rows(cache, slot->rows);
    link_newest(cache, slot->rows);
    return slot->rows;
}

static void make_room(sc__tile_cache *cache, size_t bytes)
{
    while (cache->oldest && cache->bytes + bytes > cache->max_bytes) {
        const sc__tile_rows *oldest = cache->oldest;
        drop(cache, by_tile_find(cache, (slot_key){oldest->tile, oldest->category}));
        cache->evictions++;
    }
}

bool sc__tile_cache_put(sc__tile_cache *cache, sc__tile_rows *rows)
{
    const slot_key key = {rows->tile, rows->category};
    sc__tile_slot *before = by_tile_find(cache, key);
    if (before) drop(cache, before);
    if (rows->bytes > cache->max_bytes) return false;
    make_room(cache, rows->bytes);
    if (!by_tile_reserve(cache, cache->count + 1)) return false;
    by_tile_put(cache, key, (sc__tile_slot){.rows = sc__tile_rows_hold(rows)});
    link_newest(cache, rows);
    cache->bytes += rows->bytes;
    return true;
}
