// Small numbers for the stars at hand. See numbers.h.
#include "engine/numbers.h"

#include "base/alloc.h"

#include <string.h>

/** 8 kB: room for the balls of ordinary queries at a sixteenth full. */
enum { LEAST_CAPACITY = 1024 };

void sc__numbers_fini(sc__numbers *numbers)
{
    sc_free(numbers->entries);
    *numbers = (sc__numbers){0};
}

/** Start the ranges anew: no entry lies in any. */
static void clear(sc__numbers *numbers)
{
    memset(numbers->entries, 0, numbers->capacity * sizeof *numbers->entries);
    numbers->first = 1;
}

/** A table of `capacity` entries with those of the present range. */
static sc_err resize(sc__numbers *numbers, uint32_t capacity)
{
    sc__numbers grown = {.capacity = capacity};
    grown.entries = sc_malloc_array(capacity, sizeof *grown.entries);
    if (!grown.entries) return SC_ENOMEM;
    clear(&grown);
    // Those of the present range come along; all others are forgotten.
    grown.count = numbers->count;
    for (uint32_t i = 0; i < numbers->capacity; i++) {
        const sc__numbered old = numbers->entries[i];
        const uint32_t number = old.stored - numbers->first;
        if (number >= numbers->count) continue;
        *sc__numbers_at(&grown, old.star) = (sc__numbered){old.star, grown.first + number};
    }
    sc_free(numbers->entries);
    *numbers = grown;
    return SC_OK;
}

sc_err sc__numbers_grow(sc__numbers *numbers, uint64_t count)
{
    uint32_t capacity = LEAST_CAPACITY;
    while (capacity / 2 < count) {
        if (capacity > UINT32_MAX / 2) return SC_ENOMEM;
        capacity *= 2;
    }
    return resize(numbers, capacity);
}

sc_err sc__numbers_begin(sc__numbers *numbers, uint32_t count)
{
    numbers->first += numbers->count;
    numbers->count = 0;
    const sc_err err = sc__numbers_reserve(numbers, count);
    if (err) return err;
    // No set can have more numbers than half the table, so this range is whole.
    if (numbers->first > UINT32_MAX - numbers->capacity) clear(numbers);
    return SC_OK;
}
