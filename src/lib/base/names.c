// Open addressing with linear probing, at most 3/4 full. See names.h.
#include "base/names.h"

#include "base/alloc.h"

#include <string.h>
#include <xxhash.h>

#define FREE UINT32_MAX

struct sc_names_slot {
    uint32_t number;  ///< FREE: nothing is here
    uint32_t hash;    ///< of the text; most texts that differ are told apart by it
};

static uint32_t hash_of(const sc_names *names, const char *text)
{
    return (uint32_t)XXH3_64bits_withSeed(text, strlen(text), names->key);
}

// The slot that holds `text`, or the free one where it would go.
static sc_names_slot *find_slot(const sc_names *names, const char *text, uint32_t hash)
{
    const size_t mask = names->capacity - 1;
    size_t i = hash & mask;
    for (; names->slots[i].number != FREE; i = (i + 1) & mask) {
        const sc_names_slot *slot = &names->slots[i];
        if (slot->hash == hash && strcmp(names->text_of(names->owner, slot->number), text) == 0) {
            break;
        }
    }
    return &names->slots[i];
}

static sc_err grow(sc_names *names)
{
    const size_t capacity = names->capacity > 0 ? names->capacity * 2 : 64;
    const size_t mask = capacity - 1;
    sc_names_slot *slots = sc_malloc_array(capacity, sizeof *slots);
    if (!slots) return SC_ENOMEM;
    memset(slots, 0xff, capacity * sizeof *slots);  // all free
    for (size_t i = 0; i < names->capacity; i++) {
        if (names->slots[i].number == FREE) continue;
        size_t place = names->slots[i].hash & mask;
        while (slots[place].number != FREE) {
            place = (place + 1) & mask;
        }
        slots[place] = names->slots[i];
    }
    // Where memory lies differs from run to run, and whoever writes a text cannot know it.
    if (names->capacity == 0) names->key = (uintptr_t)slots;
    sc_free(names->slots);
    names->slots = slots;
    names->capacity = capacity;
    return SC_OK;
}

uint32_t sc_names_find(const sc_names *names, const char *text)
{
    if (names->count == 0) return UINT32_MAX;
    return find_slot(names, text, hash_of(names, text))->number;
}

sc_err sc_names_put(sc_names *names, const char *text, uint32_t number, uint32_t *out)
{
    if (names->count >= names->capacity / 4 * 3) {
        const sc_err err = grow(names);
        if (err) return err;
    }
    const uint32_t hash = hash_of(names, text);
    sc_names_slot *slot = find_slot(names, text, hash);
    if (slot->number == FREE) {
        *slot = (sc_names_slot){.number = number, .hash = hash};
        names->count++;
    }
    *out = slot->number;
    return SC_OK;
}

void sc_names_fini(sc_names *names)
{
    sc_free(names->slots);
    *names = (sc_names){.text_of = names->text_of, .owner = names->owner};
}
