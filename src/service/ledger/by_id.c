// A hash table without graves. See by_id.h.
#include "ledger/by_id.h"

#include "base/alloc.h"

#include <string.h>

enum { ID_SIZE = 16 };

static uint64_t bits_of(const void *id)
{
    uint64_t bits;
    memcpy(&bits, id, sizeof bits);
    return bits;
}

static const void *id_of(const sc__by_id *table, const void *thing)
{
    return (const char *)thing + table->offset;
}

/** Where a thing with these bits would like to be. */
static size_t home(const sc__by_id *table, uint64_t bits)
{
    return bits & (table->capacity - 1);
}

static size_t after(const sc__by_id *table, size_t at)
{
    return (at + 1) & (table->capacity - 1);
}

sc_err sc__by_id_init(sc__by_id *table, size_t most, size_t offset)
{
    size_t capacity = 16;
    while (capacity / 2 < most) {
        capacity *= 2;
    }
    *table = (sc__by_id){.capacity = capacity, .offset = offset};
    table->entries = sc_calloc(capacity, sizeof *table->entries);
    return table->entries ? SC_OK : SC_ENOMEM;
}

void sc__by_id_fini(sc__by_id *table)
{
    sc_free(table->entries);
    *table = (sc__by_id){0};
}

void *sc__by_id_find(const sc__by_id *table, const void *id)
{
    const uint64_t bits = bits_of(id);
    size_t at = home(table, bits);
    for (; table->entries[at].thing; at = after(table, at)) {
        const sc__by_id_entry *entry = &table->entries[at];
        if (entry->bits != bits) continue;
        if (memcmp(id_of(table, entry->thing), id, ID_SIZE) == 0) return entry->thing;
    }
    return NULL;
}

void sc__by_id_expect(const sc__by_id *table, const void *id)
{
    __builtin_prefetch(&table->entries[home(table, bits_of(id))]);
}

void sc__by_id_put(sc__by_id *table, void *thing)
{
    const uint64_t bits = bits_of(id_of(table, thing));
    size_t at = home(table, bits);
    while (table->entries[at].thing) {
        at = after(table, at);
    }
    table->entries[at] = (sc__by_id_entry){bits, thing};
    table->count++;
}

void sc__by_id_remove(sc__by_id *table, const void *thing)
{
    sc__by_id_entry *entries = table->entries;
    size_t gap = home(table, bits_of(id_of(table, thing)));
    while (entries[gap].thing != thing) {
        gap = after(table, gap);
    }
    // What follows may stand where it stands only because the gap was taken: an entry whose home is
    // not after the gap moves into it, and leaves a new one.
    for (size_t at = after(table, gap); entries[at].thing; at = after(table, at)) {
        const size_t from_home = (at - home(table, entries[at].bits)) & (table->capacity - 1);
        if (from_home < ((at - gap) & (table->capacity - 1))) continue;
        entries[gap] = entries[at];
        gap = at;
    }
    entries[gap] = (sc__by_id_entry){0};
    table->count--;
}

void *sc__by_id_any(const sc__by_id *table, size_t *from)
{
    while (*from < table->capacity && !table->entries[*from].thing) {
        ++*from;
    }
    return *from < table->capacity ? table->entries[*from].thing : NULL;
}
