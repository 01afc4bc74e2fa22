// Open addressing with linear probing, at most half full. See roll.h.
#include "answer/roll.h"

#include "base/alloc.h"

#include <string.h>
#include <xxhash.h>

enum { LEAST_CAPACITY = 64 };

void sc__roll_fini(sc_roll *roll)
{
    sc_free(roll->slots);
    *roll = (sc_roll){.capacity = 0};
}

bool sc__roll_begin(sc_roll *roll, size_t count)
{
    if (count > roll->capacity / 2) {
        size_t capacity = LEAST_CAPACITY;
        while (count > capacity / 2) {
            if (__builtin_mul_overflow(capacity, 2, &capacity)) return false;
        }
        sc_roll_slot *slots = sc_calloc(capacity, sizeof *slots);
        if (!slots) return false;
        sc_free(roll->slots);
        *roll = (sc_roll){.slots = slots, .capacity = capacity};
    }
    if (++roll->round == 0) {
        // After four thousand million rounds, slots of old would be believed.
        if (roll->slots) memset(roll->slots, 0, roll->capacity * sizeof *roll->slots);
        roll->round = 1;
    }
    return true;
}

uint32_t sc__roll_call(sc_roll *roll, uint32_t number, uint32_t place)
{
    const size_t mask = roll->capacity - 1;
    size_t i = XXH3_64bits_withSeed(&number, sizeof number, (uintptr_t)roll->slots) & mask;
    for (; roll->slots[i].round == roll->round; i = (i + 1) & mask) {
        if (roll->slots[i].number == number) return roll->slots[i].place;
    }
    roll->slots[i] = (sc_roll_slot){number, place, roll->round};
    return place;
}
