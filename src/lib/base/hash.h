/**
 * @file hash.h
 * @brief A hash table from 128-bit keys to 32-bit values.
 *
 * Real data names nodes by 64-bit ids or by coordinates; maps number them from
 * 0. At most 3/4 full (table_template.h). Places are keyed by the
 * address of the table, so that no file can be made whose keys all collide.
 */
#ifndef SC_BASE_HASH_H
#define SC_BASE_HASH_H

#include <starcloak/err.h>
#include <stddef.h>
#include <stdint.h>

/** A key of 128 bits: two coordinates, or an id and zero. */
typedef struct sc_key {
    uint64_t high;
    uint64_t low;
} sc_key;

typedef struct sc_hash_slot sc_hash_slot;

/** Zero-initialise; sc_hash_fini() when done. */
typedef struct sc_hash {
    sc_hash_slot *slots;
    size_t capacity;
    size_t count;
} sc_hash;

/** What `key` maps to, or `missing`. */
uint32_t sc_hash_get(const sc_hash *hash, sc_key key, uint32_t missing);

/**
 * What `key` maps to; if it is new, it maps to `value` from now on.
 *
 * @param out  set to the value that holds: compare with `value` to see if it was new
 */
SC_CHECKED sc_err sc_hash_put(sc_hash *hash, sc_key key, uint32_t value, uint32_t *out);

/** Release the memory; harmless twice. */
void sc_hash_fini(sc_hash *hash);

#endif
