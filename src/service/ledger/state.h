/**
 * @file state.h
 * @brief Secret: the books of the ledger, where each query stands, and the gateway's side of the
 * commit. No thread, no clock, no way out.
 *
 *     open -> reserved -> published -> answered | failed
 *     open -> dropped | gone | failed      reserved -> open | gone | failed
 *
 * A *bid* (commit/words.h) is heard as `reserve`. Its members that are ours are reserved for it, if
 * all of them are open, there is time, and the bid is not dead already; else `no`. One gateway, R,
 * decides. At R:
 *
 *     reserved --release (at once if it is single)--> scheduled --its moment--> due --> published
 *        |                                               |
 *        +-- abort, patience over, a member gone, too late: *buried*, its members open again,
 *            `dead` to the worker and to the other gateways
 *
 * Elsewhere:
 *
 *     reserved --published, result--> published --result--> answered | failed
 *        +-- dead, or abort by the worker (which then never said release):
 *        |   buried, its members open again
 *        +-- patience over: ask R, again and again; silence: stay reserved
 *        +-- a member gone: `abort` to R, and wait for its word
 *
 * Invariants, between any two calls:
 *  1. A ticket in the books is open, reserved or published, and is found by the id of its query.
 *     One that gets its outcome leaves the books in the same step, and nothing said about it later
 *     has any effect: so it ends exactly once (P8).
 *  2. A proposal's members are all reserved for it, or all published in it, and each is in one
 *     proposal. At R, if one of ours ends while they are reserved, the proposal is off in the same
 *     step: who has gone is in no cloak, and counts for nobody's k.
 *  3. What is returned by sc__books_take_due() can still be published in time: before the least
 *     deadline of *all* its members, less the guard.
 *  4. Once a bid was buried it is never reserved nor published here; once published, never called
 *     dead (fates.h). R says neither before it is so in its books. Bids of our own process, by
 *     the number of their worker, need no fate: words within it are neither lost nor doubled.
 *  5. A ticket reserved elsewhere than at R ends, at its deadline and the guard, as failed (in
 *     doubt): never is it open again while R might publish.
 *  6. The engines are told of every ticket that ends otherwise than by their own word; and of every
 *     one that is open again, which may have been forgotten by an engine that heard a no: as soon
 *     as time passes and there is room for words (sc_voice_space()).
 *  7. No call needs memory once the books are made, but for the look of the paranoid, for what the
 *     words carry (a `no` without its list, an `ok` that is not said, for want of memory, are as a
 *     lost word), and for results. If there is none for a look, the members fail as overloaded.
 *
 * Company: a query near a cut that is still open after a quarter of its time is said, as company,
 * to all parts in its reach (sc_partition_reach()); whoever carries the words leaves out those that
 * have it already. When such a query is published, dropped or gone, `remove` is said to the same
 * parts.
 *
 * The caller tells the time, which never goes back, and is told who has an outcome
 * (sc__books_take_settled()), what is to leave (sc__books_take_due()) and which results have come
 * (sc__books_take_arrived()). So a test can play any story, that of an engine that lies as well.
 *
 * Used by: ledger.c, rounds.c, publish.c, rehearsals.
 */
#ifndef SC_LEDGER_STATE_H
#define SC_LEDGER_STATE_H

#include <starcloak/rng.h>

#include "base/deadlines.h"
#include "ledger/ledger.h"
#include "ledger/messages.h"
#include "partition/partition.h"

typedef enum sc_proposal_state {
    SC_PROPOSAL_RESERVED = 0,
    SC_PROPOSAL_SCHEDULED,  ///< at R: released, its moment will come
    SC_PROPOSAL_DUE,        ///< at R: its moment has come
    SC_PROPOSAL_PUBLISHED,
    SC_PROPOSAL_ARRIVED,  ///< elsewhere than at R: published, and its result is here
} sc_proposal_state;

/** A bid of which the ledger has heard. */
typedef struct sc_proposal {
    sc_bid_id id;        ///< of the bid
    sc_bid *bid;         ///< owned until the end; its deadlines are those that we found ourselves
    sc_ticket *members;  ///< ours, chained by `next`; each knows its place in the bid
    sc_wish *wishes;     ///< what the others' members ask for, in the bid's order; owned
    size_t wish_count;
    sc_result *result;  ///< of one that has arrived; owned
    sc_time too_late;   ///< from then on it cannot leave: the least deadline, less the guard
    sc_proposal_state state;
    bool is_ours;              ///< we are R
    bool has_others;           ///< other gateways have members in it
    size_t place;              ///< among the releases, or among those that are due or have arrived
    size_t patience;           ///< among the moments when patience is over
    struct sc_proposal *next;  ///< of those that are not used
} sc_proposal;

typedef struct sc__books_options {
    size_t max_tickets;
    sc_peer self;
    sc_time jitter_us;        ///< below 2^32
    sc_time guard_us;         ///< >= 0; more than clocks differ by
    sc_time patience_us;      ///< > 0; how long a bid is reserved without a word
    sc_time give_up_us;       ///< > 0; how long another gateway's result is waited for
    const sc_map *paranoid;   ///< every bid is looked at by the verifier; NULL: none is
    const sc_partition *cut;  ///< borrowed
    sc_voice voice;           ///< to engines, and to other gateways
} sc__books_options;

typedef struct sc__books sc__books;

/** @param rng  borrowed; moments and orders of release are drawn from it */
SC_CHECKED sc_err sc__books_new(const sc__books_options *options, sc_rng *rng, sc__books **out);

/** NULL is fine. Tickets that are still there are nobody's: sc__books_stop() before. */
void sc__books_free(sc__books *books);

// --- What happens --------------------------------------------------------------------------

/** A ticket comes in. One that is late, is there already, or finds no room, is settled at once. Its
 * query's owner is set to us. */
void sc__books_add(sc__books *books, sc_ticket *ticket, sc_time now);

/** A ticket for which there is no room elsewhere: it has failed as overloaded. */
void sc__books_turn_away(sc__books *books, sc_ticket *ticket, sc_time now);

/** Its client went away. One that is reserved elsewhere than at R waits for R's word first. */
void sc__books_withdraw(sc__books *books, const sc_query_id *id, sc_time now);

/** A worker or another gateway says something. Takes what the word owns; a word that makes no sense
 * here is passed over. */
void sc__books_hear(sc__books *books, sc_word *word, sc_time now);

/** A part is at another worker now, or its worker was silent: let all its open queries be said
 * anew, as company too those of other parts that were said to it, when time passes next. Time: the
 * tickets there are. */
void sc__books_resend(sc__books *books, uint32_t part, sc_time now);

/** Settle what is there although its deadline has passed by more than the guard (what is open, the
 * engine has forgotten; what is reserved is in doubt); send company; lose patience. Published
 * elsewhere and without a result for longer than `give_up`: failed (result lost). */
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

/**
 * It is on its way to the provider: worker and other gateways are told.
 *
 * @param number  of the cloak, for its members
 * @param users   different ones among them
 */
void sc__books_published(sc__books *books, sc_proposal *proposal, uint64_t number, uint32_t users,
                         sc_time now);

/** It could not be sent. All its members have failed, those of others too. */
void sc__books_unsent(sc__books *books, sc_proposal *proposal, sc_failure failure, sc_time now);

/** A proposal that was published elsewhere and whose result is here; NULL if there is none. The
 * caller reads it and owes sc__books_answered(). */
sc_proposal *sc__books_take_arrived(sc__books *books);

/**
 * What was published is back, or a result is read: `seats[i]` is of our i-th member, in the order
 * of `proposal->members`. Answers move to the tickets. The proposal is gone after that.
 *
 * @param result  at R, for the other gateways if there are any; taken. NULL: nothing but the
 * failure can be told to them
 */
void sc__books_answered(sc__books *books, sc_proposal *proposal, sc_failure failure, sc_seat *seats,
                        sc_result *result, sc_time now);

// --- What there is to know -----------------------------------------------------------------

/** Tickets that got their outcome since the last call, oldest first, chained by `next`. */
sc_ticket *sc__books_take_settled(sc__books *books);

/** When there is something to do even if nothing happens; SC_TIME_NEVER if there is nothing. */
sc_time sc__books_next_wake(const sc__books *books);

/** All but the engine's part. */
sc_ledger_stats sc__books_stats(const sc__books *books);

#endif
