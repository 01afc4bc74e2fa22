// A table of ids that are keyed hashes, so that their own bits do as a hash. See waits.h.
#include "sim/waits.h"

#include <string.h>

struct sc_waits_slot {
    sc_query_id id;
    sc_wait wait;
    bool is_used;
};

static uint64_t hash_of(const sc_query_id *id)
{
    uint64_t bits = 0;
    memcpy(&bits, id->bytes, sizeof bits);
    return bits;
}

#define SC_TABLE table
#define SC_TABLE_TYPE sc_waits
#define SC_TABLE_SLOT sc_waits_slot
#define SC_TABLE_KEY const sc_query_id *
#define SC_TABLE_IS_FREE(table, slot) (!(slot)->is_used)
#define SC_TABLE_HAS(table, slot, wanted) (memcmp(&(slot)->id, wanted, sizeof *(wanted)) == 0)
#define SC_TABLE_HASH(table, wanted) hash_of(wanted)
#define SC_TABLE_HASH_OF(table, slot) hash_of(&(slot)->id)
#include "base/table_template.h"

sc_err sc_waits_put(sc_waits *waits, const sc_query_id *id, sc_wait wait)
{
    if (!table_reserve(waits, waits->count + 1)) return SC_ENOMEM;
    table_put(waits, id, (sc_waits_slot){.id = *id, .wait = wait, .is_used = true});
    return SC_OK;
}

bool sc_waits_take(sc_waits *waits, const sc_query_id *id, sc_wait *out)
{
    sc_waits_slot *slot = table_find(waits, id);
    if (!slot) return false;
    *out = slot->wait;
    table_remove(waits, slot);
    return true;
}

void sc_waits_fini(sc_waits *waits)
{
    table_fini(waits);
}
