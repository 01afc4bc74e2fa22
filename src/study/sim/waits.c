// Open addressing with linear probing, at most half full. Ids are keyed hashes,
// so a few of their bits are as good a place as any other. Removing moves later
// entries of the same run back, so that there are no graves to clean up.
#include "sim/waits.h"

#include "base/alloc.h"

#include <string.h>

#define CAPACITY_MIN 64

struct sc_waits_slot {
    sc_query_id id;
    sc_wait wait;
    bool is_used;
};

static size_t home_of(const sc_waits *waits, const sc_query_id *id)
{
    uint64_t bits = 0;
    memcpy(&bits, id->bytes, sizeof bits);
    return (size_t)bits & (waits->capacity - 1);
}

/** Where `id` is, or the free slot where it would go. The table is never full. */
static size_t find(const sc_waits *waits, const sc_query_id *id)
{
    size_t at = home_of(waits, id);
    while (waits->slots[at].is_used &&
           memcmp(waits->slots[at].id.bytes, id->bytes, sizeof id->bytes) != 0) {
        at = (at + 1) & (waits->capacity - 1);
    }
    return at;
}

static sc_err grow(sc_waits *waits)
{
    sc_waits larger = {
        .capacity = waits->capacity > 0 ? 2 * waits->capacity : CAPACITY_MIN,
        .count = waits->count,
    };
    larger.slots = sc_calloc(larger.capacity, sizeof *larger.slots);
    if (!larger.slots) return SC_ENOMEM;
    for (size_t i = 0; i < waits->capacity; i++) {
        const sc_waits_slot *slot = &waits->slots[i];
        if (slot->is_used) larger.slots[find(&larger, &slot->id)] = *slot;
    }
    sc_free(waits->slots);
    *waits = larger;
    return SC_OK;
}

sc_err sc_waits_put(sc_waits *waits, const sc_query_id *id, sc_wait wait)
{
    if (2 * (waits->count + 1) > waits->capacity && grow(waits)) return SC_ENOMEM;
    waits->slots[find(waits, id)] = (sc_waits_slot){.id = *id, .wait = wait, .is_used = true};
    waits->count++;
    return SC_OK;
}

/** Free the slot `gap`, and move back what would not be found behind it. */
static void close_gap(sc_waits *waits, size_t gap)
{
    const size_t mask = waits->capacity - 1;
    for (size_t at = (gap + 1) & mask; waits->slots[at].is_used; at = (at + 1) & mask) {
        const size_t home = home_of(waits, &waits->slots[at].id);
        // What has its home behind the gap is found without it, and stays.
        if (((at - home) & mask) < ((at - gap) & mask)) continue;
        waits->slots[gap] = waits->slots[at];
        gap = at;
    }
    waits->slots[gap].is_used = false;
}

bool sc_waits_take(sc_waits *waits, const sc_query_id *id, sc_wait *out)
{
    if (waits->count == 0) return false;
    const size_t at = find(waits, id);
    if (!waits->slots[at].is_used) return false;
    *out = waits->slots[at].wait;
    close_gap(waits, at);
    waits->count--;
    return true;
}

void sc_waits_fini(sc_waits *waits)
{
    sc_free(waits->slots);
    *waits = (sc_waits){0};
}
