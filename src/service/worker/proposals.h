/**
 * @file proposals.h
 * @brief Secret: the worker's side of the commit: proposals under way. No thread, no clock, no
 * engine.
 *
 *     reserving --all ok--> released --published--> done (published)
 *         |                    +------dead--------> done (off)
 *         +--one no, dead, or silence for `patience`: abort to all gateways--> done (off)
 *
 * What happens to a proposal until it is released or off changes its part's allowance (backoff.h).
 *
 * Members that a no names are gone, and so are those of a gateway that is silent for the second
 * time (backoff.h).
 *
 * A cloak that comes in gets 128 random bits and R, the gateway of a random member, and is sent as
 * `reserve` to every gateway of its members, once each. If all are of one gateway, it is released
 * with that. When all have said ok, R alone is told `release`, with the wishes of the other
 * gateways' members. From then on R decides: after `patience` without a message R is asked, again
 * and again; when the last of its members' deadlines is over, its outcome does not matter any more,
 * and the proposal is done as published (its members are no longer this engine's: a gateway that
 * has one of them open sends it again). That is seen when R would have been asked once more.
 *
 * Invariants:
 *  1. `release` is sent at most once per proposal, and only after every gateway said ok; `abort` is
 *     never sent after it.
 *  2. Every cloak taken comes back by sc__proposals_take_done(), exactly once.
 *  3. Messages about proposals that are not under way change nothing.
 */
#ifndef SC_WORKER_PROPOSALS_H
#define SC_WORKER_PROPOSALS_H

#include <starcloak/cloak.h>
#include <starcloak/query.h>
#include <starcloak/rng.h>

#include "messages/messages.h"
#include "worker/backoff.h"

typedef struct sc__proposals sc__proposals;

typedef struct sc__proposals_options {
    sc_peer self;
    uint32_t engine_thread;
    sc_time patience_us;  ///< how long a gateway may be silent
    sc_port port;         ///< to gateways
} sc__proposals_options;

/** @param rng  borrowed; must be unpredictable in a service */
SC_CHECKED sc_err sc__proposals_new(const sc__proposals_options *options, sc_rng *rng,
                                    sc__proposals **out);

/** Cloaks that are still there are freed; nothing is sent. NULL is fine. */
void sc__proposals_free(sc__proposals *proposals);

/**
 * A pruned cloak of that part's engine. It is the proposals' until it is done. False: memory is
 * out; it is still the caller's, and nothing was sent.
 *
 * @param allowance  of the part, where it is counted; borrowed until it is done
 */
SC_CHECKED bool sc__proposals_add(sc__proposals *proposals, sc_cloak *cloak, uint32_t part,
                                  sc__allowance *allowance, sc_time now);

/** That gateway has sent something, about a proposal or not: it lives. */
void sc__proposals_note_alive(sc__proposals *proposals, sc_peer gateway);

/** An ok, no, published or dead. Takes what the message owns. */
void sc__proposals_receive(sc__proposals *proposals, sc_msg *msg, sc_time now);

/** Give up, or ask again, where it is time. */
void sc__proposals_pass_time(sc__proposals *proposals, sc_time now);

/** Call off what can be called off of a part whose engine is about to go. What was released stays
 * until R's message is there. */
void sc__proposals_abort_part(sc__proposals *proposals, uint32_t part);

/** What became of a cloak, which is the caller's again. Whose engine's it is, the cloak knows. */
typedef struct sc__proposal_end {
    sc_cloak *cloak;
    bool is_published;
    sc_time left;  ///< of one that is published: when it left
    /** Of one that is off: members that are not open; lent until the next call. */
    const sc_query_id *gone;
    size_t gone_count;
} sc__proposal_end;

/** The oldest that is done; false if there is none. */
bool sc__proposals_take_done(sc__proposals *proposals, sc__proposal_end *out);

/** When there is something to do even if no message comes. */
sc_time sc__proposals_next_wake(const sc__proposals *proposals);

typedef struct sc__proposals_stats {
    uint64_t under_way;
    uint64_t made;  ///< proposals
    uint64_t published;
    uint64_t refused;  ///< a gateway said no, or dead
    uint64_t silent;   ///< aborted because a gateway was silent
    uint64_t asked;    ///< questions to R
    uint64_t unknown;  ///< done without knowing
} sc__proposals_stats;

sc__proposals_stats sc__proposals_stats_of(const sc__proposals *proposals);

#endif
