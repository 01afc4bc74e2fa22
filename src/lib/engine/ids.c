// The query map. See ids.h.
#include "engine/ids.h"

#include "base/alloc.h"
#include "engine/engine_internal.h"

#include <string.h>

/** Full beyond this share of its places, a table doubles. */
enum { FULL_NUMERATOR = 3, FULL_DENOMINATOR = 4, LEAST_CAPACITY = 64 };

static const sc_query_id *id_of(const sc_pool *pending, uint32_t slot)
{
    const sc__pending *query = sc_pool_at(pending, slot);
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

/** Where an id with that hash would like to be. */
static size_t home(const sc__ids *ids, uint32_t hash)
{
    return hash & (ids->capacity - 1);
}

static size_t after(const sc__ids *ids, size_t at)
{
    return (at + 1) & (ids->capacity - 1);
}

void sc__ids_fini(sc__ids *ids)
{
    sc_free(ids->entries);
    *ids = (sc__ids){0};
}

static void enter(sc__ids *ids, sc__ids_entry entry)
{
    size_t at = home(ids, entry.hash);
    while (ids->entries[at].slot != SC_NONE) {
        at = after(ids, at);
    }
    ids->entries[at] = entry;
}

sc_err sc__ids_reserve(sc__ids *ids)
{
    if ((ids->count + 1) * FULL_DENOMINATOR <= ids->capacity * FULL_NUMERATOR) return SC_OK;
    sc__ids grown = {.capacity = ids->capacity > 0 ? 2 * ids->capacity : LEAST_CAPACITY,
                     .count = ids->count};
    grown.entries = sc_malloc_array(grown.capacity, sizeof *grown.entries);
    if (!grown.entries) return SC_ENOMEM;
    memset(grown.entries, 0xff, grown.capacity * sizeof *grown.entries);
    for (size_t i = 0; i < ids->capacity; i++) {
        if (ids->entries[i].slot != SC_NONE) enter(&grown, ids->entries[i]);
    }
    sc_free(ids->entries);
    *ids = grown;
    return SC_OK;
}

uint32_t sc__ids_find(const sc__ids *ids, const sc_pool *pending, const sc_query_id *id)
{
    if (ids->capacity == 0) return SC_NONE;
    const uint32_t hash = hash_of(id);
    for (size_t at = home(ids, hash); ids->entries[at].slot != SC_NONE; at = after(ids, at)) {
        const sc__ids_entry entry = ids->entries[at];
        if (entry.hash != hash) continue;
        if (memcmp(id_of(pending, entry.slot), id, sizeof *id) == 0) return entry.slot;
    }
    return SC_NONE;
}

void sc__ids_expect(const sc__ids *ids, const sc_query_id *id)
{
    if (ids->capacity > 0) __builtin_prefetch(&ids->entries[home(ids, hash_of(id))]);
}

void sc__ids_put(sc__ids *ids, const sc_pool *pending, uint32_t slot)
{
    enter(ids, (sc__ids_entry){slot, hash_of(id_of(pending, slot))});
    ids->count++;
}

void sc__ids_remove(sc__ids *ids, const sc_pool *pending, uint32_t slot)
{
    size_t gap = home(ids, hash_of(id_of(pending, slot)));
    while (ids->entries[gap].slot != slot) {
        gap = after(ids, gap);
    }
    // What follows may stand where it stands only because the gap was taken: an
    // entry whose home is not after the gap moves into it, and leaves a new one.
    for (size_t at = after(ids, gap); ids->entries[at].slot != SC_NONE; at = after(ids, at)) {
        const size_t wish = home(ids, ids->entries[at].hash);
        if (((at - wish) & (ids->capacity - 1)) < ((at - gap) & (ids->capacity - 1))) continue;
        ids->entries[gap] = ids->entries[at];
        gap = at;
    }
    ids->entries[gap].slot = SC_NONE;
    ids->count--;
}
