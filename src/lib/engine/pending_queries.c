// Pending queries: lists of them, and the table from an id to its query.
//
// A query is in one list at a time (the queue, its vertex, the drops, or a list of a method without
// a graph), so its links are in the query itself and changing lists needs no memory.
#include "engine/pending_queries.h"

#include "base/alloc.h"
#include "engine/engine_internal.h"

#include <stdbool.h>
#include <string.h>

// --- Lists -------------------------------------------------------------------

void sc__list_append(const sc_engine *engine, sc__list *list, sc__slot slot)
{
    sc__pending *query = sc__pending_at(engine, slot);
    query->previous = list->last;
    query->next = SC_NONE;
    if (list->last == SC_NONE) {
        list->first = slot;
    } else {
        sc__pending_at(engine, list->last)->next = slot;
    }
    list->last = slot;
}

void sc__list_prepend(const sc_engine *engine, sc__list *list, sc__slot slot)
{
    sc__pending *query = sc__pending_at(engine, slot);
    query->previous = SC_NONE;
    query->next = list->first;
    if (list->first == SC_NONE) {
        list->last = slot;
    } else {
        sc__pending_at(engine, list->first)->previous = slot;
    }
    list->first = slot;
}

void sc__list_remove(const sc_engine *engine, sc__list *list, sc__slot slot)
{
    const sc__pending *query = sc__pending_at(engine, slot);
    if (query->previous == SC_NONE) {
        list->first = query->next;
    } else {
        sc__pending_at(engine, query->previous)->next = query->next;
    }
    if (query->next == SC_NONE) {
        list->last = query->previous;
    } else {
        sc__pending_at(engine, query->next)->previous = query->previous;
    }
}

// --- The table of ids --------------------------------------------------------

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
typedef struct id_lookup {
    const sc_item_pool *pending;
    const sc_query_id *id;
    uint32_t hash;
} id_lookup;

static id_lookup look_for(const sc_item_pool *pending, const sc_query_id *id)
{
    return (id_lookup){pending, id, hash_of(id)};
}

static bool has(const sc__ids_entry *entry, id_lookup wanted)
{
    return entry->hash == wanted.hash &&
           memcmp(id_of(wanted.pending, entry->slot), wanted.id, sizeof *wanted.id) == 0;
}

#define SC_TABLE table
#define SC_TABLE_TYPE sc__ids
#define SC_TABLE_SLOT sc__ids_entry
#define SC_TABLE_KEY id_lookup
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

void sc__ids_prefetch(const sc__ids *ids, const sc_query_id *id)
{
    table_prefetch(ids, look_for(NULL, id));
}

void sc__ids_put(sc__ids *ids, const sc_item_pool *pending, uint32_t slot)
{
    const id_lookup added = look_for(pending, id_of(pending, slot));
    table_put(ids, added, (sc__ids_entry){slot, added.hash});
}

void sc__ids_remove(sc__ids *ids, const sc_item_pool *pending, uint32_t slot)
{
    table_remove(ids, table_slot_of(ids, look_for(pending, id_of(pending, slot))));
}
