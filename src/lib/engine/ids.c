// The query map. See ids.h.
#include "engine/ids.h"

#include "engine/engine_internal.h"

#include <stdbool.h>
#include <string.h>

static const sc_query_id *id_of(const sc_item_pool *pending, uint32_t slot)
{
    const sc__pending *query = sc_item_pool_at(pending, slot);
    return &query->query.id;
}

static uint32_t hash_of(const sc_query_id *id)
{
    uint64_t low;
    uint64_t high;
    memcpy(&low, id->bytes, sizeof low);
    memcpy(&high, id->bytes + sizeof low, sizeof high);
    // Twice, so that every bit of the id reaches the low bits of the result.
    low = (low ^ (high >> 29) ^ (high << 17)) * UINT64_C(0x9E3779B97F4A7C15);
    low = (low ^ (low >> 32)) * UINT64_C(0x9E3779B97F4A7C15);
    return (uint32_t)(low >> 32);
}

/** An id to look for. */
typedef struct lookup {
    const sc_item_pool *pending;
    const sc_query_id *id;
    uint32_t hash;
} lookup;

static lookup look_for(const sc_item_pool *pending, const sc_query_id *id)
{
    return (lookup){pending, id, hash_of(id)};
}

static bool has(const sc__ids_entry *entry, lookup wanted)
{
    return entry->hash == wanted.hash &&
           memcmp(id_of(wanted.pending, entry->slot), wanted.id, sizeof *wanted.id) == 0;
}

#define SC_TABLE table
#define SC_TABLE_TYPE sc__ids
#define SC_TABLE_SLOT sc__ids_entry
#define SC_TABLE_KEY lookup
#define SC_TABLE_IS_FREE(table, entry) ((entry)->slot == SC_NONE)
#define SC_TABLE_HAS(table, entry, key) has(entry, key)
#define SC_TABLE_HASH(table, key) ((key).hash)
#define SC_TABLE_HASH_OF(table, entry) ((entry)->hash)
#define SC_TABLE_FREE_BYTE 0xff
#define SC_TABLE_QUARTERS 3
#include "base/table_template.h"

void sc__ids_fini(sc__ids *ids)
{
    table_fini(ids);
}

sc_err sc__ids_reserve(sc__ids *ids)
{
    return table_reserve(ids, ids->count + 1) ? SC_OK : SC_ENOMEM;
}

uint32_t sc__ids_find(const sc__ids *ids, const sc_item_pool *pending, const sc_query_id *id)
{
    const sc__ids_entry *entry = table_find(ids, look_for(pending, id));
    return entry ? entry->slot : SC_NONE;
}

void sc__ids_expect(const sc__ids *ids, const sc_query_id *id)
{
    table_prefetch(ids, look_for(NULL, id));
}

void sc__ids_put(sc__ids *ids, const sc_item_pool *pending, uint32_t slot)
{
    const lookup added = look_for(pending, id_of(pending, slot));
    table_put(ids, added, (sc__ids_entry){slot, added.hash});
}

void sc__ids_remove(sc__ids *ids, const sc_item_pool *pending, uint32_t slot)
{
    table_remove(ids, table_slot_of(ids, look_for(pending, id_of(pending, slot))));
}
