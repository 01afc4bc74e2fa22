// A table of pointers with the first bits of their ids. See id_table.h.
#include "ledger/id_table.h"

#include <stdbool.h>
#include <string.h>

enum { ID_SIZE = 16 };

static uint64_t bits_of(const void *id)
{
    uint64_t bits;
    memcpy(&bits, id, sizeof bits);
    return bits;
}

static const void *id_of(const sc__id_table *table, const void *thing)
{
    return (const char *)thing + table->offset;
}

static bool has(const sc__id_table *table, const sc__id_table_entry *entry, const void *id)
{
    return entry->bits == bits_of(id) && memcmp(id_of(table, entry->thing), id, ID_SIZE) == 0;
}

#define SC_TABLE table
#define SC_TABLE_TYPE sc__id_table
#define SC_TABLE_SLOT sc__id_table_entry
#define SC_TABLE_KEY const void *
#define SC_TABLE_IS_FREE(table, entry) (!(entry)->thing)
#define SC_TABLE_HAS(table, entry, id) has(table, entry, id)
#define SC_TABLE_HASH(table, id) bits_of(id)
#define SC_TABLE_HASH_OF(table, entry) ((entry)->bits)
#include "base/table_template.h"

sc_err sc__id_table_init(sc__id_table *table, size_t most, size_t offset)
{
    *table = (sc__id_table){.offset = offset};
    // One more: there must be a slot to look at, even where nothing may be put.
    return table_reserve(table, most + 1) ? SC_OK : SC_ENOMEM;
}

void sc__id_table_fini(sc__id_table *table)
{
    table_fini(table);
}

void *sc__id_table_find(const sc__id_table *table, const void *id)
{
    const sc__id_table_entry *entry = table_find(table, id);
    return entry ? entry->thing : NULL;
}

void sc__id_table_prefetch(const sc__id_table *table, const void *id)
{
    table_prefetch(table, id);
}

void sc__id_table_put(sc__id_table *table, void *thing)
{
    const void *id = id_of(table, thing);
    table_put(table, id, (sc__id_table_entry){bits_of(id), thing});
}

void sc__id_table_remove(sc__id_table *table, const void *thing)
{
    table_remove(table, table_slot_of(table, id_of(table, thing)));
}

void *sc__id_table_any(const sc__id_table *table, size_t *from)
{
    while (*from < table->capacity && !table->slots[*from].thing) {
        ++*from;
    }
    return *from < table->capacity ? table->slots[*from].thing : NULL;
}
