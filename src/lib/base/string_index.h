/**
 * @file string_index.h
 * @brief An index from strings to numbers: which category, which object.
 *
 * A hash table that holds numbers only; the texts are where their owner keeps them, and may move
 * about there. The texts come from outside, so they are hashed with a random key (none can be made
 * that all collide), and compared in full (none can be made to be taken for another).
 */
#ifndef SC_BASE_STRING_INDEX_H
#define SC_BASE_STRING_INDEX_H

#include <starcloak/err.h>
#include <stddef.h>
#include <stdint.h>

typedef struct sc_string_index_slot sc_string_index_slot;

/** Set `text_of` and `owner`, zero the rest; sc_string_index_fini() when done. */
typedef struct sc_string_index {
    /** The text whose number that is; asked for numbers that were put in before. */
    const char *(*text_of)(const void *owner, uint32_t number);
    const void *owner;
    sc_string_index_slot *slots;
    size_t capacity;
    size_t count;
    uint64_t key;
} sc_string_index;

/** The number of `text`, or UINT32_MAX. */
uint32_t sc_string_index_find(const sc_string_index *names, const char *text);

/**
 * The number of `text`; if it has none, it is `number` from now on.
 *
 * @param number  below UINT32_MAX
 * @param out     set to the number that holds: compare with `number` to see if it was new
 */
SC_CHECKED sc_err sc_string_index_put(sc_string_index *names, const char *text, uint32_t number,
                                      uint32_t *out);

/** Release the memory, and know no texts any more; harmless twice. */
void sc_string_index_fini(sc_string_index *names);

#endif
