/**
 * @file tickets.h
 * @brief Tickets by the id of their query.
 *
 * Ids are keyed hashes, so their own bits say where to look, and nobody outside can make them
 * collide. Open addressing, linear probing, at most half full; removal closes the gap, so that no
 * grave is left. Room is taken at the start: adding cannot fail.
 *
 * Used by: books.c.
 */
#ifndef SC_LEDGER_TICKETS_H
#define SC_LEDGER_TICKETS_H

#include "ledger/ticket.h"

typedef struct sc__tickets_entry {
    uint64_t bits;      ///< of the id, so that most others are told apart without looking there
    sc_ticket *ticket;  ///< NULL: empty
} sc__tickets_entry;

/** From sc__tickets_init(). */
typedef struct sc__tickets {
    sc__tickets_entry *entries;
    size_t capacity;  ///< a power of two
    size_t count;
    size_t most;  ///< that it was made for
} sc__tickets;

SC_CHECKED sc_err sc__tickets_init(sc__tickets *tickets, size_t most);

/** Harmless twice. The tickets are left alone. */
void sc__tickets_fini(sc__tickets *tickets);

/** The ticket of that query, or NULL. */
sc_ticket *sc__tickets_find(const sc__tickets *tickets, const sc_query_id *id);

/** Call for the memory where that ticket would be, for a find that comes soon. */
void sc__tickets_expect(const sc__tickets *tickets, const sc_query_id *id);

/** Its id must not be there yet, and there must be room. */
void sc__tickets_put(sc__tickets *tickets, sc_ticket *ticket);

/** It must be there. */
void sc__tickets_remove(sc__tickets *tickets, const sc_ticket *ticket);

/** Any one of them; NULL if there is none. Start with `*from` 0; what is before it stays empty if
 * each one found is removed. */
sc_ticket *sc__tickets_any(const sc__tickets *tickets, size_t *from);

#endif
