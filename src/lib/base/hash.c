// A table of slots with 128-bit keys.
#include "base/hash.h"

#include <stdbool.h>
#include <xxhash.h>

struct sc_hash_slot {
    sc_key key;
    uint32_t value;
    uint32_t used;
};

static bool same_key(sc_key a, sc_key b)
{
    return a.high == b.high && a.low == b.low;
}

// Keyed by where the table lies, which the author of a file cannot know: no file can be
// made whose keys all meet in one place.
static uint64_t hash_of(const sc_hash *hash, sc_key key)
{
    return XXH3_64bits_withSeed(&key, sizeof key, (uintptr_t)hash->slots);
}

#define SC_TABLE table
#define SC_TABLE_TYPE sc_hash
#define SC_TABLE_SLOT sc_hash_slot
#define SC_TABLE_KEY sc_key
#define SC_TABLE_IS_FREE(table, slot) (!(slot)->used)
#define SC_TABLE_HAS(table, slot, wanted) same_key((slot)->key, wanted)
#define SC_TABLE_HASH(table, wanted) hash_of(table, wanted)
#define SC_TABLE_HASH_OF(table, slot) hash_of(table, (slot)->key)
#define SC_TABLE_QUARTERS 3
#include "base/table_template.h"

uint32_t sc_hash_get(const sc_hash *hash, sc_key key, uint32_t missing)
{
    const sc_hash_slot *slot = table_find(hash, key);
    return slot ? slot->value : missing;
}

sc_err sc_hash_put(sc_hash *hash, sc_key key, uint32_t value, uint32_t *out)
{
    if (!table_reserve(hash, hash->count + 1)) return SC_ENOMEM;
    sc_hash_slot *slot = table_slot_of(hash, key);
    if (!slot->used) {
        *slot = (sc_hash_slot){.key = key, .value = value, .used = 1};
        hash->count++;
    }
    *out = slot->value;
    return SC_OK;
}

void sc_hash_fini(sc_hash *hash)
{
    table_fini(hash);
}
