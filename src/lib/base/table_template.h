/**
 * @file table_template.h
 * @brief A hash table with slots of one type, made for that type by including this file.
 *
 * Say what a slot is and how a key is found in it, then include; there is no include guard, so that
 * a file can make several tables:
 *
 *     typedef struct visits { uint64_t user; uint32_t count; } visits;   a count of 0: free
 *
 *     #define SC_TABLE by_user
 *     #define SC_TABLE_SLOT visits
 *     #define SC_TABLE_KEY uint64_t
 *     #define SC_TABLE_IS_FREE(table, slot) ((slot)->count == 0)
 *     #define SC_TABLE_HAS(table, slot, key) ((slot)->user == (key))
 *     #define SC_TABLE_HASH(table, key) mix(key)
 *     #define SC_TABLE_HASH_OF(table, slot) mix((slot)->user)
 *     #include "base/table_template.h"
 *
 *     by_user table = {0};                          zero is empty
 *     visits *v = by_user_find(&table, user)        NULL if it is not there
 *     by_user_reserve(&table, table.count + 1)      false when memory is out
 *     by_user_put(&table, user, (visits){user, 1})  it must be new, and there must be room
 *     by_user_remove(&table, v)
 *     by_user_fini(&table)
 *
 * Open addressing with linear probing in a power of two of slots. The low bits of a hash choose the
 * slot, so they should be as good as random; where outsiders choose the keys, the hash must depend
 * on something that they cannot know. Removing moves back what stands behind the gap, so that there
 * are no tombstones, and a table does not become slower with use. Slots move when the table grows
 * or something is removed.
 *
 * SC_TABLE           the prefix of the functions, and the name of the type
 * SC_TABLE_TYPE      a struct that exists already and has fields `slots`, `count` and `capacity`; a
 *                    struct of these three is made unless defined
 * SC_TABLE_SLOT      the type of a slot
 * SC_TABLE_KEY       the type of a key, which is copied
 * SC_TABLE_IS_FREE(table, slot)    whether nothing is in a slot; all slots that are made are filled
 *                    with the byte SC_TABLE_FREE_BYTE, and must be free
 * SC_TABLE_HAS(table, slot, key)   whether it is `key` that is in a slot that is not free
 * SC_TABLE_HASH(table, key)        at least as many bits as the table has slots
 * SC_TABLE_HASH_OF(table, slot)    of what is in a slot that is not free
 * SC_TABLE_FREE_BYTE   0 unless defined
 * SC_TABLE_QUARTERS    how full it may become; 2 unless defined, 3 to save memory
 * SC_TABLE_LEAST       slots of the smallest table, a power of two; 64 unless defined
 */
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "base/alloc.h"

#ifndef SC_TABLE_FREE_BYTE
#define SC_TABLE_FREE_BYTE 0
#endif
#ifndef SC_TABLE_LEAST
#define SC_TABLE_LEAST 64
#endif
#ifndef SC_TABLE_QUARTERS
#define SC_TABLE_QUARTERS 2
#endif
#define SC_TABLE_JOIN2(name, verb) name##_##verb
#define SC_TABLE_JOIN(name, verb) SC_TABLE_JOIN2(name, verb)
#define SC_TABLE_FN(verb) SC_TABLE_JOIN(SC_TABLE, verb)

#ifndef SC_TABLE_TYPE
#define SC_TABLE_TYPE SC_TABLE
typedef struct SC_TABLE {
    SC_TABLE_SLOT *slots;
    size_t count;     ///< slots that are not free
    size_t capacity;  ///< slots, a power of two; or 0
} SC_TABLE;
#endif

/** Release the memory; harmless twice. */
static inline void SC_TABLE_FN(fini)(SC_TABLE_TYPE *table)
{
    sc_free(table->slots);
    table->slots = NULL;
    table->count = 0;
    table->capacity = 0;
}

/** The slot of `key`, or the free one where it would go. The table must have slots. */
static inline SC_TABLE_SLOT *SC_TABLE_FN(slot_of)(const SC_TABLE_TYPE *table, SC_TABLE_KEY key)
{
    const size_t mask = table->capacity - 1;
    size_t at = (size_t)SC_TABLE_HASH(table, key) & mask;
    while (!SC_TABLE_IS_FREE(table, &table->slots[at]) &&
           !SC_TABLE_HAS(table, &table->slots[at], key)) {
        at = (at + 1) & mask;
    }
    return &table->slots[at];
}

/** The slot of `key`, or NULL. */
static inline SC_TABLE_SLOT *SC_TABLE_FN(find)(const SC_TABLE_TYPE *table, SC_TABLE_KEY key)
{
    if (table->capacity == 0) return NULL;
    SC_TABLE_SLOT *slot = SC_TABLE_FN(slot_of)(table, key);
    return SC_TABLE_IS_FREE(table, slot) ? NULL : slot;
}

/** Prefetch the slot where a search for `key` begins. */
static inline void SC_TABLE_FN(prefetch)(const SC_TABLE_TYPE *table, SC_TABLE_KEY key)
{
    if (table->capacity == 0) return;
    __builtin_prefetch(&table->slots[(size_t)SC_TABLE_HASH(table, key) & (table->capacity - 1)]);
}

/** Fill a slot for `key`, which must not be there yet; there must be room. */
static inline void SC_TABLE_FN(put)(SC_TABLE_TYPE *table, SC_TABLE_KEY key, SC_TABLE_SLOT added)
{
    *SC_TABLE_FN(slot_of)(table, key) = added;
    table->count++;
}

/** Move everything to a new array of slots. */
static inline bool SC_TABLE_FN(resize)(SC_TABLE_TYPE *table, size_t capacity)
{
    SC_TABLE_TYPE larger = *table;
    larger.capacity = capacity;
    // Cleared pages are given by the system when they are first used.
    larger.slots = SC_TABLE_FREE_BYTE == 0 ? sc_calloc(capacity, sizeof *larger.slots)
                                           : sc_malloc_array(capacity, sizeof *larger.slots);
    if (!larger.slots) return false;
    if (SC_TABLE_FREE_BYTE != 0) {
        memset(larger.slots, SC_TABLE_FREE_BYTE, capacity * sizeof *larger.slots);
    }
    for (size_t i = 0; i < table->capacity; i++) {
        const SC_TABLE_SLOT *slot = &table->slots[i];
        if (SC_TABLE_IS_FREE(table, slot)) continue;
        size_t at = (size_t)SC_TABLE_HASH_OF(&larger, slot) & (capacity - 1);
        while (!SC_TABLE_IS_FREE(&larger, &larger.slots[at])) {
            at = (at + 1) & (capacity - 1);
        }
        larger.slots[at] = *slot;
    }
    sc_free(table->slots);
    *table = larger;
    return true;
}

/**
 * Make room for `count` keys in all. A table that grows doubles at least.
 *
 * @return false when memory is out; the table is then as it was
 */
static inline bool SC_TABLE_FN(reserve)(SC_TABLE_TYPE *table, size_t count)
{
    size_t capacity = table->capacity;
    if (count <= capacity / 4 * SC_TABLE_QUARTERS) return true;
    do {
        if (capacity > SIZE_MAX / 2) return false;
        capacity = capacity > 0 ? 2 * capacity : SC_TABLE_LEAST;
    } while (count > capacity / 4 * SC_TABLE_QUARTERS);
    return SC_TABLE_FN(resize)(table, capacity);
}

/** Free a slot that is not free. Others may move, from behind it into the gap. */
static inline void SC_TABLE_FN(remove)(SC_TABLE_TYPE *table, const SC_TABLE_SLOT *slot)
{
    const size_t mask = table->capacity - 1;
    size_t gap = (size_t)(slot - table->slots);
    for (size_t at = (gap + 1) & mask; !SC_TABLE_IS_FREE(table, &table->slots[at]);
         at = (at + 1) & mask) {
        // What was put behind the gap because that was taken moves into it, and leaves a new gap.
        // What has its home behind the gap is found without it, and stays.
        const size_t home = (size_t)SC_TABLE_HASH_OF(table, &table->slots[at]) & mask;
        if (((at - home) & mask) < ((at - gap) & mask)) continue;
        table->slots[gap] = table->slots[at];
        gap = at;
    }
    memset(&table->slots[gap], SC_TABLE_FREE_BYTE, sizeof *table->slots);
    table->count--;
}

/** The first slot from `from` on that is not free, or NULL; sets `from` to the place behind it. */
static inline SC_TABLE_SLOT *SC_TABLE_FN(next)(const SC_TABLE_TYPE *table, size_t *from)
{
    while (*from < table->capacity) {
        SC_TABLE_SLOT *slot = &table->slots[(*from)++];
        if (!SC_TABLE_IS_FREE(table, slot)) return slot;
    }
    return NULL;
}

#undef SC_TABLE
#undef SC_TABLE_TYPE
#undef SC_TABLE_SLOT
#undef SC_TABLE_KEY
#undef SC_TABLE_IS_FREE
#undef SC_TABLE_HAS
#undef SC_TABLE_HASH
#undef SC_TABLE_HASH_OF
#undef SC_TABLE_FREE_BYTE
#undef SC_TABLE_QUARTERS
#undef SC_TABLE_LEAST
#undef SC_TABLE_JOIN2
#undef SC_TABLE_JOIN
#undef SC_TABLE_FN
