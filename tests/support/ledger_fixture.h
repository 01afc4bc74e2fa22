/**
 * @file ledger_fixture.h
 * @brief A ledger state for tests that play a gateway: tickets by number, made-up proposals, and
 * everything that the ledger state has sent.
 *
 * Ticket i has the id and the user of plain_query(i) (streams.h). A proposal here is a list of
 * members on one segment; only the paranoid would mind. Members from LEDGER_THEIRS on are of
 * another gateway.
 */
#ifndef SC_SUPPORT_LEDGER_FIXTURE_H
#define SC_SUPPORT_LEDGER_FIXTURE_H

#include "base/rng.h"
#include "ledger/state.h"

enum { LEDGER_TOLD = 256, LEDGER_MEMBERS = 16, LEDGER_THEIRS = 1000 };

/** Who is who: we, another gateway, one that has nothing to do with it, the worker. */
#define PEER_SELF UINT64_C(7)
#define PEER_OTHER UINT64_C(8)
#define PEER_STRANGER UINT64_C(9)
#define PEER_WORKER UINT64_C(100)

typedef struct ledger_msg {
    sc_peer to;
    sc_msg msg;
} ledger_msg;

typedef struct ledger_fixture {
    sc_map *map;  ///< of the partition, if none was given
    sc_partition *partition;
    sc_rng rng;
    sc__ledger_state *ledger_state;
    ledger_msg told[LEDGER_TOLD];  ///< and not yet looked at
    size_t told_count;
    uint8_t proposals;   ///< that were made
    size_t space;        ///< for messages about queries that are sent again
    sc_peer skewed;      ///< a gateway whose clock differs from ours; SC_PEER_NONE: none
    sc_ticket *settled;  ///< and not yet looked at
} ledger_fixture;

/** It stays where it is: the ledger state know its address. Without a partition there is one part.
 */
void ledger_open(ledger_fixture *d, const sc__ledger_state_options *options, uint64_t seed);

/** Room for 8 tickets, 100 us of jitter, 10 us of guard, 300 us of patience, 5000 us until a result
 * is given up. */
sc__ledger_state_options ledger_options(void);

/** Stops the ledger state, frees all that is settled and all that was sent. */
void ledger_close(ledger_fixture *d);

// --- Tickets -------------------------------------------------------------------------------

/** A ticket of k users; not yet in the ledger state. */
sc_ticket *ledger_ticket(uint32_t number, uint32_t k, sc_time deadline);

/** The same, in the ledger state; what the engine is told of it is looked at. */
sc_ticket *ledger_ask(ledger_fixture *d, uint32_t number, sc_time deadline, sc_time now);

/** The engine sends that there will be no cloak for it. */
void ledger_drop(ledger_fixture *d, uint32_t number, sc_drop_reason reason, sc_time now);

void ledger_withdraw(ledger_fixture *d, uint32_t number, sc_time now);

// --- Proposals ----------------------------------------------------------------------------------

/** A proposal of one segment with these members, none of which has a deadline of its own; the last
 * number is 0. R is `releaser`; it is single if all members are R's. */
sc_proposal *ledger_proposal(ledger_fixture *d, const uint32_t *numbers, sc_peer releaser);

/** The worker sends `reserve`; the proposal is given away. */
sc_proposal_id ledger_reserve(ledger_fixture *d, sc_proposal *proposal, sc_time now);

/** The same for a proposal of ours. */
sc_proposal_id ledger_propose(ledger_fixture *d, const uint32_t *numbers, sc_time now);

/** Send a message about a proposal; release, abort and ask with a deadline that never
 * comes. */
void ledger_receive(ledger_fixture *d, sc_msg_kind kind, sc_peer from, const sc_proposal_id *id,
                    sc_time now);

/** The worker sends `release` with the wishes of these members; the last number is 0. */
void ledger_release(ledger_fixture *d, const sc_proposal_id *id, const uint32_t *numbers,
                    sc_time deadline, sc_time now);

/** The other gateway sends `result`. */
void ledger_result(ledger_fixture *d, const sc_proposal_id *id, sc_failure failure, sc_time now);

// --- What the ledger state have sent
// --------------------------------------------------------------

/** The next message, which must be of that kind and to that peer; it is the caller's, who calls
 * sc_msg_fini(). */
sc_msg ledger_next(ledger_fixture *d, sc_msg_kind kind, sc_peer to);

/** The next message is that, about this proposal, and nothing more. */
void ledger_check_msg(ledger_fixture *d, sc_msg_kind kind, sc_peer to, const sc_proposal_id *id);

/** A `no` to the worker with these members, in any order; the last number is 0. */
void ledger_check_no(ledger_fixture *d, const sc_proposal_id *id, const uint32_t *gone);

/** The next message is add, company or remove, of that query to that part. */
void ledger_check_query(ledger_fixture *d, sc_msg_kind kind, uint32_t number, uint32_t part);
void ledger_check_remove(ledger_fixture *d, uint32_t number);

/** Nothing more was sent. */
void ledger_check_quiet(const ledger_fixture *d);

/** Time passes, and these are added again, in any order; the last number is 0. Nothing more is
 * sent.
 */
void ledger_check_added_again(ledger_fixture *d, const uint32_t *numbers, sc_time now);

// --- Outcomes ------------------------------------------------------------------------------

/**
 * That ticket has this outcome, and is freed.
 *
 * @param why  an sc_drop_reason or an sc_failure, as the outcome is; else 0
 */
void ledger_check_settled(ledger_fixture *d, uint32_t number, sc_outcome outcome, int why);

/** No other query has an outcome. */
void ledger_check_none_settled(ledger_fixture *d);

/** Each ticket taken is counted in one place. */
void ledger_check_stats(const sc_ledger_stats *stats);

#endif
