/**
 * @file state.h
 * @brief Secret: the state of the ledger: where each query stands, and the gateway's side of the
 * commit. No thread, no clock, no network.
 *
 *     open -> reserved -> published -> answered | failed | dropped (a rare request)
 *     open -> dropped | gone | failed      reserved -> open | gone | failed
 *
 * A *proposal* (messages/messages.h) is received as `reserve`. Its members that are ours are
 * reserved for it, if all of them are open, there is time, and the proposal is not dead already;
 * else `no`. One gateway, R, decides. At R:
 *
 *     reserved --release (at once if it is single)--> scheduled --its moment--> due --> published
 *        |                                               |
 *        +-- abort, patience over, a member gone, too late: *buried*, its members open again,
 *            `dead` to the worker and to the other gateways
 *
 * Elsewhere:
 *
 *     reserved --published, result--> published --result--> answered | failed
 *                                       +-- no result: ask R, again and again
 *        +-- dead, or abort by the worker (which then never sends release):
 *        |   buried, its members open again
 *        +-- patience over: ask R, again and again; silence: stay reserved
 *        +-- a member gone: `abort` to R, and wait for its message
 *
 * Invariants, between any two calls:
 *  1. A ticket in the ledger state is open, reserved or published, and is found by the id of its
 *     query. One that gets its outcome leaves the ledger state in the same step, and nothing sent
 *     about it later has any effect: so it ends exactly once (P8).
 *  2. A proposal's members are all reserved for it, or all published in it, and each is in one
 *     reservation. At R, if one of ours ends while they are reserved, the reservation is off in the
 *     same step: who has gone is in no cloak, and counts for no other member's k.
 *  3. What is returned by sc__ledger_state_take_due() can still be published in time: before the
 *     least deadline of *all* its members, less the guard.
 *  4. Once a proposal was buried it is never reserved nor published here; once published, never
 *     called dead, whatever any clock shows (proposal_outcomes.h). One with a gateway whose clock
 *     is known to differ by more than the guard is not reserved (sc_port.is_skewed). R sends
 * neither message before its own state says so. Proposals of our own process, by the number of
 * their worker, need no outcome: messages within it are neither lost nor doubled.
 *  5. A ticket reserved elsewhere than at R ends, at its deadline and the guard, as failed (in
 *     doubt): never is it open again while R might publish.
 *  6. The engines are told of every ticket that ends otherwise than by their own message; and of
 * every one that is open again, which may have been forgotten by an engine that received a no: as
 * soon as time passes and there is room for messages (sc_port_space()).
 *  7. No call needs memory once the ledger state is made, but for the look of the paranoid, for
 * continuity, for what the messages carry (a `no` without its list, an `ok` that is not sent, for
 * want of memory, are as a lost message), and for results. If there is none for a look or for
 * continuity, the members fail as overloaded.
 *  8. With continuity, a cloak that has left, or of which we cannot say that it has not, is the
 * last one of the users of our members. What others do with a query of theirs is not known here: a
 * user's queries have to come to one gateway.
 *
 * Company: a query near a border of parts that is still open after a quarter of its time is sent,
 * as company, to all parts in its reach (sc_partition_reach()); cluster/gateway_routes.c leaves out
 * those that have it already. When such a query is published, dropped or gone, `remove` is sent to
 * the same parts. Not so where all engines are in this process (`is_company_known`).
 *
 * The caller tells the time, which never goes back, and is told who has an outcome
 * (sc__ledger_state_take_settled()), what is to leave (sc__ledger_state_take_due()) and which
 * results have come (sc__ledger_state_take_arrived()). So a test can play any story, that of an
 * engine that lies as well.
 */
#ifndef SC_LEDGER_STATE_H
#define SC_LEDGER_STATE_H

#include <starcloak/continuity.h>
#include <starcloak/rng.h>

#include "base/deadlines.h"
#include "ledger/ledger.h"
#include "messages/messages.h"
#include "partition/partition.h"

typedef enum sc_reservation_state {
    SC_RESERVATION_RESERVED = 0,
    SC_RESERVATION_SCHEDULED,  ///< at R: released, its moment will come
    SC_RESERVATION_DUE,        ///< at R: its moment has come
    SC_RESERVATION_PUBLISHED,
    SC_RESERVATION_ARRIVED,  ///< elsewhere than at R: published, and its result is here
} sc_reservation_state;

/** A proposal that the ledger has received, and its members here. */
typedef struct sc_reservation {
    sc_proposal_id id;  ///< of the proposal
    sc_proposal
        *proposal;       ///< owned until the end; its deadlines are those that we found ourselves
    sc_ticket *members;  ///< ours, chained by `next`; each knows its place in the proposal
    sc_wish *wishes;     ///< what the others' members ask for, in the proposal's order; owned
    size_t wish_count;
    sc_result *result;  ///< of one that has arrived; owned
    sc_time give_up;    ///< of one that was published elsewhere: when its result counts as lost
    sc_time too_late;   ///< from then on it cannot leave: the least deadline, less the guard
    sc_reservation_state state;
    bool is_ours;     ///< we are R
    bool has_others;  ///< other gateways have members in it
    size_t place;     ///< among the releases, or among those that are due or have arrived
    size_t patience;  ///< among the moments when patience is over
    struct sc_reservation *next;  ///< of those that are not used
} sc_reservation;

typedef struct sc__ledger_state_options {
    size_t max_tickets;
    /** The cloak of a watched ticket has left; NULL: it is told to no one. */
    void (*watched)(void *context, const sc_ticket *ticket);
    void *watched_context;
    sc_peer self;
    sc_time jitter_us;              ///< below 2^32
    sc_time guard_us;               ///< >= 0; more than clocks differ by
    sc_time patience_us;            ///< > 0; how long a proposal is reserved without a message
    sc_time give_up_us;             ///< > 0; how long another gateway's result is waited for
    sc_continuity *continuity;      ///< borrowed; NULL: last cloaks of users are not kept
    const sc_map *paranoid;         ///< every proposal is looked at by the verifier; NULL: none is
    sc_demands demands;             ///< what it asks of proposals for all members; tables borrowed
    const sc_partition *partition;  ///< borrowed
    bool is_company_known;          ///< the engines that are told of a query by `add` and `remove`
                                    ///< tell all others in its reach: no company is sent
    sc_port port;                   ///< to engines, and to other gateways
} sc__ledger_state_options;

typedef struct sc__ledger_state sc__ledger_state;

/** @param rng  borrowed; moments and orders of release are drawn from it */
SC_CHECKED sc_err sc__ledger_state_new(const sc__ledger_state_options *options, sc_rng *rng,
                                       sc__ledger_state **out);

/** NULL is fine. Tickets that are still there are not freed: sc__ledger_state_stop() before. */
void sc__ledger_state_free(sc__ledger_state *state);

/** Look at what proposals cost the provider from now on: a member whose request costs more than its
 * ticket allows has failed as too costly, and the others are open as before. Borrowed. */
void sc__ledger_state_set_costs(sc__ledger_state *state, const sc_cost_estimator *costs);

/** The provider was asked `tries` times about this cloak, which cost it that many times as much. */
void sc__reservation_charge_tries(const sc_reservation *reservation, unsigned tries);

// --- What happens ---------------------------------------------------------------------------

/** A ticket comes in. One that is late, is there already, or finds no room, is settled at once. Its
 * query's owner is set to us. */
void sc__ledger_state_add(sc__ledger_state *state, sc_ticket *ticket, sc_time now);

/** A ticket for which there is no room elsewhere: it has failed as overloaded. */
void sc__ledger_state_turn_away(sc__ledger_state *state, sc_ticket *ticket, sc_time now);

/** Its client went away. One that is reserved elsewhere than at R waits for R's message first. */
void sc__ledger_state_withdraw(sc__ledger_state *state, const sc_query_id *id, sc_time now);

/** A worker or another gateway sends something. Takes what the message owns; a message that makes
 * no sense here is passed over. */
void sc__ledger_state_receive(sc__ledger_state *state, sc_msg *msg, sc_time now);

/** Parts are at other workers now, or their workers were silent: let all their open queries be
 * sent again, as company too those of other parts that were sent to them, when time passes next.
 * Time: the tickets there are, however many parts. */
void sc__ledger_state_resend(sc__ledger_state *state, const uint32_t *parts, size_t count,
                             sc_time now);

/** Settle what is there although its deadline has passed by more than the guard (what is open, the
 * engine has forgotten; what is reserved is in doubt); send company; lose patience. Published
 * elsewhere and without a result for longer than `give_up`: failed (result lost). */
void sc__ledger_state_pass_time(sc__ledger_state *state, sc_time now);

/** All that is there has failed: the service ends. Of what is published, no call may follow. */
void sc__ledger_state_stop(sc__ledger_state *state, sc_time now);

// --- What leaves ----------------------------------------------------------------------------

/**
 * A proposal whose moment has come, any one of those that are due; NULL if there is none. The
 * caller owes one of the next two calls, before any other.
 */
sc_reservation *sc__ledger_state_take_due(sc__ledger_state *state, sc_time now);

/**
 * It is on its way to the provider: worker and other gateways are told.
 *
 * @param number  of the cloak, for its members
 * @param users   different ones among them
 */
void sc__ledger_state_published(sc__ledger_state *state, sc_reservation *reservation,
                                uint64_t number, uint32_t users, sc_time now);

/** All requests of it are rare, and it was not sent: our members are dropped, and those of others
 * open again. */
void sc__ledger_state_all_rare(sc__ledger_state *state, sc_reservation *reservation, sc_time now);

/** It could not be sent. All its members have failed, those of others too. */
void sc__ledger_state_unsent(sc__ledger_state *state, sc_reservation *reservation,
                             sc_failure failure, sc_time now);

/** A proposal that was published elsewhere and whose result is here; NULL if there is none. The
 * caller reads it and owes sc__ledger_state_answered(). */
sc_reservation *sc__ledger_state_take_arrived(sc__ledger_state *state);

/**
 * What was published is back, or a result is read: `places[i]` is of our i-th member whose request
 * was sent, in the order of `reservation->members`; others are dropped. Answers move to the
 * tickets. The reservation is gone after that.
 *
 * @param result  at R, for the other gateways if there are any; taken. NULL: nothing but the
 * failure can be told to them
 */
void sc__ledger_state_answered(sc__ledger_state *state, sc_reservation *reservation,
                               sc_failure failure, sc_answer_place *places, sc_result *result,
                               sc_time now);

// --- What there is to know ------------------------------------------------------------------

/** Tickets that got their outcome since the last call, oldest first, chained by `next`. */
sc_ticket *sc__ledger_state_take_settled(sc__ledger_state *state);

/** When there is something to do even if nothing happens; SC_TIME_NEVER if there is nothing. */
sc_time sc__ledger_state_next_wake(const sc__ledger_state *state);

/** All but the engine's part. */
sc_ledger_stats sc__ledger_state_stats(const sc__ledger_state *state);

#endif
