// A table whose slots say in which round they were written. See roll.h.
#include "answer/roll.h"

#include <xxhash.h>

static uint64_t hash_of(const sc_roll *roll, uint32_t number)
{
    return XXH3_64bits_withSeed(&number, sizeof number, (uintptr_t)roll->slots);
}

#define SC_TABLE table
#define SC_TABLE_TYPE sc_roll
#define SC_TABLE_SLOT sc_roll_slot
#define SC_TABLE_KEY uint32_t
#define SC_TABLE_IS_FREE(table, slot) ((slot)->round != (table)->round)
#define SC_TABLE_HAS(table, slot, wanted) ((slot)->number == (wanted))
#define SC_TABLE_HASH(table, wanted) hash_of(table, wanted)
#define SC_TABLE_HASH_OF(table, slot) hash_of(table, (slot)->number)
#include "base/table_template.h"

void sc__roll_fini(sc_roll *roll)
{
    table_fini(roll);
}

bool sc__roll_begin(sc_roll *roll, size_t count)
{
    roll->count = 0;
    if (++roll->round == 0) {
        // After four thousand million rounds, slots of old would be believed.
        if (roll->slots) memset(roll->slots, 0, roll->capacity * sizeof *roll->slots);
        roll->round = 1;
    }
    return table_reserve(roll, count);
}

uint32_t sc__roll_call(sc_roll *roll, uint32_t number, uint32_t place)
{
    sc_roll_slot *slot = table_slot_of(roll, number);
    if (slot->round != roll->round) {
        *slot = (sc_roll_slot){number, place, roll->round};
        roll->count++;
    }
    return slot->place;
}
