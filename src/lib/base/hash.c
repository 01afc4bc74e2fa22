// Open addressing with linear probing. See hash.h.
#include "base/hash.h"

#include "base/alloc.h"

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

// The slot that holds `key`, or the free one where it would go.
static sc_hash_slot *find_slot(const sc_hash *hash, sc_key key)
{
    const size_t mask = hash->capacity - 1;
    // Keyed by where the table lies, which a stranger who writes a file cannot
    // know: no file can be made whose keys all meet in one place.
    size_t i = (size_t)XXH3_64bits_withSeed(&key, sizeof key, (uintptr_t)hash->slots) & mask;
    while (hash->slots[i].used && !same_key(hash->slots[i].key, key)) {
        i = (i + 1) & mask;
    }
    return &hash->slots[i];
}

static sc_err grow(sc_hash *hash)
{
    sc_hash larger = {.capacity = hash->capacity > 0 ? hash->capacity * 2 : 64,
                      .count = hash->count};
    larger.slots = sc_calloc(larger.capacity, sizeof *larger.slots);
    if (!larger.slots) return SC_ENOMEM;

    for (size_t i = 0; i < hash->capacity; i++) {
        if (hash->slots[i].used) *find_slot(&larger, hash->slots[i].key) = hash->slots[i];
    }
    sc_free(hash->slots);
    *hash = larger;
    return SC_OK;
}

uint32_t sc_hash_get(const sc_hash *hash, sc_key key, uint32_t missing)
{
    if (hash->count == 0) return missing;
    const sc_hash_slot *slot = find_slot(hash, key);
    return slot->used ? slot->value : missing;
}

sc_err sc_hash_put(sc_hash *hash, sc_key key, uint32_t value, uint32_t *out)
{
    if (hash->count >= hash->capacity / 4 * 3) {
        const sc_err err = grow(hash);
        if (err) return err;
    }
    sc_hash_slot *slot = find_slot(hash, key);
    if (!slot->used) {
        *slot = (sc_hash_slot){.key = key, .value = value, .used = 1};
        hash->count++;
    }
    *out = slot->value;
    return SC_OK;
}

void sc_hash_fini(sc_hash *hash)
{
    sc_free(hash->slots);
    *hash = (sc_hash){0};
}
