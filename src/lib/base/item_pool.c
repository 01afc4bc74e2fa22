// Many things of one size.
#include "base/item_pool.h"

#include "base/alloc.h"

#include <string.h>

void sc_item_pool_init(sc_item_pool *pool, size_t item_size)
{
    *pool = (sc_item_pool){.item_size = item_size, .spare = SC_ITEM_POOL_NONE};
}

void sc_item_pool_fini(sc_item_pool *pool)
{
    for (size_t i = 0; i < pool->chunk_count; i++) {
        sc_free(pool->chunks[i]);
    }
    sc_free(pool->chunks);
    sc_item_pool_init(pool, pool->item_size);
}

sc_err sc_item_pool_reserve(sc_item_pool *pool)
{
    if (pool->spare != SC_ITEM_POOL_NONE) return SC_OK;
    if (pool->made < pool->chunk_count * SC_ITEM_POOL_CHUNK) return SC_OK;
    if (pool->made > SC_ITEM_POOL_NONE - SC_ITEM_POOL_CHUNK) return SC_ENOMEM;
    if (!sc_grow(&pool->chunks, pool->chunk_count, &pool->chunk_capacity, sizeof *pool->chunks)) {
        return SC_ENOMEM;
    }
    char *chunk = sc_malloc_lines(SC_ITEM_POOL_CHUNK, pool->item_size);
    if (!chunk) return SC_ENOMEM;
    pool->chunks[pool->chunk_count++] = chunk;
    return SC_OK;
}

uint32_t sc_item_pool_take(sc_item_pool *pool)
{
    pool->count++;
    if (pool->spare == SC_ITEM_POOL_NONE) return pool->made++;
    const uint32_t item = pool->spare;
    memcpy(&pool->spare, sc_item_pool_at(pool, item), sizeof pool->spare);
    return item;
}

void sc_item_pool_give(sc_item_pool *pool, uint32_t item)
{
    memcpy(sc_item_pool_at(pool, item), &pool->spare, sizeof pool->spare);
    pool->spare = item;
    pool->count--;
}
