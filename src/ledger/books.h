/**
 * @file books.h
 * @brief Secret: the books of the ledger, where each query stands. No thread, no clock, no way out.
 *
 *     open -> reserved -> published -> answered | failed
 *     open -> dropped | gone | failed      reserved -> open | gone | failed
 *
 * Invariants, between any two calls:
 *  1. A ticket in the books is open, reserved or published, and is found by the id of its query.
 *     One that gets its outcome leaves the books in the same step, and nothing said about it later
 *     has any effect: so it ends exactly once (P8).
 *  2. A proposal's members are all reserved for it, or all published in it, and each is in one
 *     proposal. If one of them ends while they are reserved, the proposal is off in the same step,
 *     and the others are open again: who has gone is in no cloak, and counts for nobody's k.
 *  3. What is returned by sc__books_take_due() can still be published in time. The release of a
 *     reserved proposal comes before the least deadline of its members, less the guard.
 *  4. The engine is told of every ticket that ends otherwise than by its own word, before it is
 *     told that the proposal with it is off.
 *  5. No call needs memory once the books are made, but for the look of the paranoid. If there
 *     is none for that, the members fail as overloaded.
 *
 * The caller tells the time, which never goes back, and is told who has an outcome
 * (sc__books_take_settled()) and what is to leave (sc__books_take_due()). So a test can play any
 * story, that of an engine that lies as well.
 *
 * Used by: ledger.c.
 */
#ifndef SC_LEDGER_BOOKS_H
#define SC_LEDGER_BOOKS_H

#include <starcloak/rng.h>

#include "ledger/ledger.h"
#include "ledger/moments.h"
#include "ledger/words.h"

/** A cloak of which the ledger has heard. */
typedef struct sc_proposal {
    sc_cloak *cloak;     ///< the ledger's until the engine has been told what became of it
    sc_ticket *members;  ///< chained by `next`; each knows its place in the cloak
    sc_time too_late;    ///< from then on it cannot leave: the least deadline, less the guard
    size_t place;        ///< among the releases, or among those that are due
    bool is_reserved;
    bool is_due;
    struct sc_proposal *next;  ///< of those that are not used
} sc_proposal;

typedef struct sc__books_options {
    size_t max_tickets;
    sc_time jitter_us;       ///< below 2^32
    sc_time guard_us;        ///< >= 0
    const sc_map *paranoid;  ///< every proposal is looked at by the verifier; NULL: none is
    /** A word for the engine; must not fail. */
    void (*tell)(void *context, const sc__command *command);
    void *context;
} sc__books_options;

typedef struct sc__books sc__books;

/** @param rng  borrowed; moments and orders of release are drawn from it */
SC_CHECKED sc_err sc__books_new(const sc__books_options *options, sc_rng *rng, sc__books **out);

/** NULL is fine. Tickets and cloaks that are still there are nobody's: sc__books_stop() before. */
void sc__books_free(sc__books *books);

// --- What happens --------------------------------------------------------------------------

/** A ticket comes in. One that is late, is there already, or finds no room, is settled at once. */
void sc__books_add(sc__books *books, sc_ticket *ticket, sc_time now);

/** A ticket for which there is no room elsewhere: it has failed as overloaded. */
void sc__books_turn_away(sc__books *books, sc_ticket *ticket, sc_time now);

/** Its client went away. */
void sc__books_withdraw(sc__books *books, const sc_query_id *id, sc_time now);

/** The engine says something. A cloak that it proposes is the books' from now on. */
void sc__books_hear(sc__books *books, const sc__message *message, sc_time now);

/** Settle what is there although its deadline has passed by more than the guard: what is open, the
 * engine has forgotten; what is reserved is in doubt. */
void sc__books_pass_time(sc__books *books, sc_time now);

/** All that is there has failed: the service ends. Of what is published, nothing may be said to the
 * books any more. */
void sc__books_stop(sc__books *books, sc_time now);

// --- What leaves ---------------------------------------------------------------------------

/**
 * A proposal whose moment has come, any one of those that are due; NULL if there is none. The
 * caller owes one of the next two calls, before any other.
 */
sc_proposal *sc__books_take_due(sc__books *books, sc_time now);

/** It is on its way to the provider: the cloak goes back to the engine. */
void sc__books_published(sc__books *books, sc_proposal *proposal, uint32_t users, sc_time now);

/** It could not be sent. All its members have failed. */
void sc__books_unsent(sc__books *books, sc_proposal *proposal, sc_failure failure, sc_time now);

/**
 * What was published is back: `seats[i]` is of the member with place i. Answers move to the
 * tickets. The proposal is gone after that.
 */
void sc__books_answered(sc__books *books, sc_proposal *proposal, sc_failure failure, sc_seat *seats,
                        sc_time now);

// --- What there is to know -----------------------------------------------------------------

/** Tickets that got their outcome since the last call, oldest first, chained by `next`. */
sc_ticket *sc__books_take_settled(sc__books *books);

/** When there is something to do even if nothing happens; SC_TIME_NEVER if there is nothing. */
sc_time sc__books_next_wake(const sc__books *books);

/** All but the engine's part. */
sc_ledger_stats sc__books_stats(const sc__books *books);

#endif
