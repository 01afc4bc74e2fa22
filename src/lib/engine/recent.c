// The ids admitted at the latest moment: a hash set that forgets all at once.
//
// In a busy service nearly every query has a moment of its own, so forgetting
// must cost nothing; but a recorded stream may have thousands at one moment. So
// a slot bears the number of the round in which it was filled, and is free in
// any other round. Open addressing, linear probing, at most half full.
//
// An id is a keyed hash: its bytes are its place, and nobody without the key can
// choose users whose ids collide.
#include "engine/query_internal.h"

#include "base/alloc.h"

#include <string.h>

struct sc_recent_slot {
    sc_query_id id;
    uint64_t round;
};

// The slot that holds `id`, or the free one where it would go.
static sc_recent_slot *find_slot(const sc_recent *recent, const sc_query_id *id)
{
    size_t place = 0;
    memcpy(&place, id->bytes, sizeof place);
    for (;; place++) {
        sc_recent_slot *slot = &recent->slots[place & (recent->capacity - 1)];
        if (slot->round != recent->round) return slot;
        if (memcmp(&slot->id, id, sizeof *id) == 0) return slot;
    }
}

static sc_err grow(sc_recent *recent)
{
    // Fresh slots are of round 0, which is never the current one.
    sc_recent larger = {.capacity = recent->capacity > 0 ? recent->capacity * 2 : 16, .round = 1};
    larger.slots = sc_calloc(larger.capacity, sizeof *larger.slots);
    if (!larger.slots) return SC_ENOMEM;

    for (size_t i = 0; i < recent->capacity; i++) {
        if (recent->slots[i].round == recent->round) sc__recent_put(&larger, &recent->slots[i].id);
    }
    sc_free(recent->slots);
    *recent = larger;
    return SC_OK;
}

sc_err sc__recent_reserve(sc_recent *recent)
{
    return recent->count < recent->capacity / 2 ? SC_OK : grow(recent);
}

bool sc__recent_has(const sc_recent *recent, const sc_query_id *id)
{
    return recent->count > 0 && find_slot(recent, id)->round == recent->round;
}

void sc__recent_put(sc_recent *recent, const sc_query_id *id)
{
    *find_slot(recent, id) = (sc_recent_slot){.id = *id, .round = recent->round};
    recent->count++;
}

void sc__recent_forget(sc_recent *recent)
{
    recent->count = 0;
    recent->round++;
}

void sc__recent_fini(sc_recent *recent)
{
    sc_free(recent->slots);
    *recent = (sc_recent){0};
}
