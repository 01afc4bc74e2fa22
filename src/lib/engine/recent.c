// The ids admitted at the latest moment: a hash set that forgets all at once.
//
// In a busy service nearly every query has a moment of its own, so forgetting
// must cost nothing; but a recorded stream may have thousands at one moment. So
// a slot bears the number of the round in which it was filled, and is free in
// any other round.
//
// An id is a keyed hash: its bytes are its place, and nobody without the key can
// choose users whose ids collide.
#include "engine/query_internal.h"

#include <string.h>

struct sc_recent_slot {
    sc_query_id id;
    uint64_t round;
};

// All bits are as good as random, so the first ones do.
static size_t hash_of(const sc_query_id *id)
{
    size_t bits = 0;
    memcpy(&bits, id->bytes, sizeof bits);
    return bits;
}

#define SC_TABLE table
#define SC_TABLE_TYPE sc_recent
#define SC_TABLE_SLOT sc_recent_slot
#define SC_TABLE_KEY const sc_query_id *
#define SC_TABLE_IS_FREE(table, slot) ((slot)->round != (table)->round)
#define SC_TABLE_HAS(table, slot, key) (memcmp(&(slot)->id, key, sizeof *(key)) == 0)
#define SC_TABLE_HASH(table, key) hash_of(key)
#define SC_TABLE_HASH_OF(table, slot) hash_of(&(slot)->id)
#define SC_TABLE_LEAST 16
#include "base/table_template.h"

sc_err sc__recent_reserve(sc_recent *recent)
{
    // Fresh slots are of round 0, which is never the current one.
    if (recent->round == 0) recent->round = 1;
    return table_reserve(recent, recent->count + 1) ? SC_OK : SC_ENOMEM;
}

bool sc__recent_has(const sc_recent *recent, const sc_query_id *id)
{
    return table_find(recent, id) != NULL;
}

void sc__recent_put(sc_recent *recent, const sc_query_id *id)
{
    table_put(recent, id, (sc_recent_slot){.id = *id, .round = recent->round});
}

void sc__recent_forget(sc_recent *recent)
{
    recent->count = 0;
    recent->round++;
}

void sc__recent_fini(sc_recent *recent)
{
    table_fini(recent);
    recent->round = 0;
}
