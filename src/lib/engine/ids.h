/**
 * @file ids.h
 * @brief The query map: from a query's id to its slot.
 *
 * Ids come from a keyed hash, so their own bits serve as the hash; a caller with
 * ids of its own making (numbers, in a test) is served by the mixing.
 */
#ifndef SC_ENGINE_IDS_H
#define SC_ENGINE_IDS_H

#include <starcloak/query.h>

#include "base/item_pool.h"

typedef struct sc__ids_entry {
    uint32_t slot;  ///< SC_NONE: empty
    uint32_t
        hash;  ///< of the id, so that entries can be told apart and moved without looking it up
} sc__ids_entry;

/** Zero-initialise; sc__ids_fini() when done. */
typedef struct sc__ids {
    sc__ids_entry *slots;
    size_t capacity;  ///< a power of two up to 2^32, or 0
    size_t count;
} sc__ids;

void sc__ids_fini(sc__ids *ids);

/** Make sure that the next sc__ids_put() succeeds. */
SC_CHECKED sc_err sc__ids_reserve(sc__ids *ids);

/** The slot of the query with that id, or SC_NONE. */
uint32_t sc__ids_find(const sc__ids *ids, const sc_item_pool *pending, const sc_query_id *id);

/** Call for the memory where the id of a query would be, for a find that comes soon. */
void sc__ids_expect(const sc__ids *ids, const sc_query_id *id);

/** Enter a query; its id must not be there yet. */
void sc__ids_put(sc__ids *ids, const sc_item_pool *pending, uint32_t slot);

/** Take a query out that is there. */
void sc__ids_remove(sc__ids *ids, const sc_item_pool *pending, uint32_t slot);

#endif
