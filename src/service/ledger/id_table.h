/**
 * @file id_table.h
 * @brief Things by an id of 16 random bytes that each carries inside: tickets by that of their
 * query, reservations and outcomes by that of their proposal.
 *
 * Ids are keyed hashes or drawn at random, so their own bits are the hash, and clients cannot make
 * them collide. Room is taken at the start: adding cannot fail.
 */
#ifndef SC_LEDGER_ID_TABLE_H
#define SC_LEDGER_ID_TABLE_H

#include <starcloak/err.h>
#include <stddef.h>
#include <stdint.h>

typedef struct sc__id_table_entry {
    uint64_t bits;  ///< of the id, so that most others are told apart without looking there
    void *thing;    ///< NULL: empty
} sc__id_table_entry;

/** From sc__id_table_init(). */
typedef struct sc__id_table {
    sc__id_table_entry *slots;
    size_t capacity;  ///< a power of two
    size_t count;
    size_t offset;  ///< of the id in a thing
} sc__id_table;

/** @param most    that there may be at once
 *  @param offset  where a thing has its id: offsetof() */
SC_CHECKED sc_err sc__id_table_init(sc__id_table *table, size_t most, size_t offset);

/** Harmless twice. The things are left alone. */
void sc__id_table_fini(sc__id_table *table);

/** The thing with these 16 bytes, or NULL. */
void *sc__id_table_find(const sc__id_table *table, const void *id);

/** Call for the memory where that thing would be, for a find that comes soon. */
void sc__id_table_prefetch(const sc__id_table *table, const void *id);

/** Its id must not be there yet, nor change while it is, and there must be room. */
void sc__id_table_put(sc__id_table *table, void *thing);

/** It must be there. */
void sc__id_table_remove(sc__id_table *table, const void *thing);

/** Any one of them; NULL if there is none. Start with `*from` 0; what is before it stays empty if
 * each one found is removed. To see each one, and remove none, go on with `*from` one higher. */
void *sc__id_table_any(const sc__id_table *table, size_t *from);

#endif
