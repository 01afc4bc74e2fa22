// A table of numbers with the hashes of their texts.
#include "base/string_index.h"

#include <stdbool.h>
#include <string.h>
#include <xxhash.h>

#define FREE UINT32_MAX

struct sc_string_index_slot {
    uint32_t number;  ///< FREE: nothing is here
    uint32_t hash;    ///< of the text; most texts that differ have different ones
};

static uint32_t hash_of(const sc_string_index *names, const char *text)
{
    return (uint32_t)XXH3_64bits_withSeed(text, strlen(text), names->key);
}

/** A text, and its hash. */
typedef struct lookup {
    const char *text;
    uint32_t hash;
} lookup;

static lookup look_for(const sc_string_index *names, const char *text)
{
    return (lookup){text, hash_of(names, text)};
}

static bool has(const sc_string_index *names, const sc_string_index_slot *slot, lookup wanted)
{
    return slot->hash == wanted.hash &&
           strcmp(names->text_of(names->owner, slot->number), wanted.text) == 0;
}

#define SC_TABLE table
#define SC_TABLE_TYPE sc_string_index
#define SC_TABLE_SLOT sc_string_index_slot
#define SC_TABLE_KEY lookup
#define SC_TABLE_IS_FREE(table, slot) ((slot)->number == FREE)
#define SC_TABLE_HAS(table, slot, key) has(table, slot, key)
#define SC_TABLE_HASH(table, key) ((key).hash)
#define SC_TABLE_HASH_OF(table, slot) ((slot)->hash)
#define SC_TABLE_FREE_BYTE 0xff
#define SC_TABLE_QUARTERS 3
#include "base/table_template.h"

uint32_t sc_string_index_find(const sc_string_index *names, const char *text)
{
    const sc_string_index_slot *slot = table_find(names, look_for(names, text));
    return slot ? slot->number : UINT32_MAX;
}

sc_err sc_string_index_put(sc_string_index *names, const char *text, uint32_t number, uint32_t *out)
{
    const bool is_first = names->capacity == 0;
    if (!table_reserve(names, names->count + 1)) return SC_ENOMEM;
    // Where memory lies differs from run to run, and the author of a text cannot know it.
    if (is_first) names->key = (uintptr_t)names->slots;
    const lookup wanted = look_for(names, text);
    sc_string_index_slot *slot = table_slot_of(names, wanted);
    if (slot->number == FREE) {
        *slot = (sc_string_index_slot){.number = number, .hash = wanted.hash};
        names->count++;
    }
    *out = slot->number;
    return SC_OK;
}

void sc_string_index_fini(sc_string_index *names)
{
    table_fini(names);
    *names = (sc_string_index){.text_of = names->text_of, .owner = names->owner};
}
