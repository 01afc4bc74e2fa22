/**
 * @file item_pool.h
 * @brief A pool of items of one size, addressed by 32-bit numbers.
 *
 * Half the size of pointers, and unlike an array that doubles, a pool never moves
 * what it holds and never has more than one chunk to spare. What is given back is
 * taken again first, while it is still in the cache. Things of 64 bytes lie in one cache line each.
 */
#ifndef SC_BASE_ITEM_POOL_H
#define SC_BASE_ITEM_POOL_H

#include <starcloak/err.h>
#include <stddef.h>
#include <stdint.h>

/** Things per chunk: large enough that chunks do not count, small enough not to be waste. */
#define SC_ITEM_POOL_CHUNK 512u

/** "No thing". */
#define SC_ITEM_POOL_NONE UINT32_MAX

typedef struct sc_item_pool {
    char **chunks;
    size_t chunk_count;
    size_t chunk_capacity;
    size_t item_size;
    uint32_t made;   ///< things that were ever handed out
    uint32_t spare;  ///< the first of those given back; each names the next
    uint32_t count;  ///< things out now
} sc_item_pool;

/** An empty pool of things of `item_size` bytes, at least 4. */
void sc_item_pool_init(sc_item_pool *pool, size_t item_size);

/** Release everything; harmless twice. */
void sc_item_pool_fini(sc_item_pool *pool);

/** Make sure that the next sc_item_pool_take() succeeds. */
SC_CHECKED sc_err sc_item_pool_reserve(sc_item_pool *pool);

/** Take one; its bytes are whatever they were. A reserve must have come before. */
uint32_t sc_item_pool_take(sc_item_pool *pool);

/** Give one back. */
void sc_item_pool_give(sc_item_pool *pool, uint32_t item);

/** Where a thing is. It stays there. */
static inline void *sc_item_pool_at(const sc_item_pool *pool, uint32_t item)
{
    return pool->chunks[item / SC_ITEM_POOL_CHUNK] + (item % SC_ITEM_POOL_CHUNK) * pool->item_size;
}

#endif
