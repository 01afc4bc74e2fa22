/**
 * @file ledger.h
 * @brief The ledger: owns the state of every query, and alone talks to the provider. Engines
 * propose to it.
 *
 * *Engines propose, the ledger commits.* The engines are in this process (worker/engine_pool.h), or
 * in workers elsewhere (cluster/gateway.h): the messages between them are the same
 * (messages/messages.h), and so is the ledger state.
 *
 *     HTTP ----ticket---> ledger ----query---> engine
 *     loop                 |  ^                  |
 *       ^                  |  |                  |
 *       |                  |  +--- proposal -----+  pruned
 *       +-----outcome------+
 *                          +----- errand ----> courier ---> provider
 *
 * Tickets and outcomes are handed over between threads, unless the ledger is *hosted*: then the
 * thread that brings tickets also runs the ledger (sc_ledger_round()), and a query never changes
 * threads. The other arrows are function calls in the ledger's thread as long as one thread is
 * enough: one engine thread without threads that prune, a courier without provider threads. Else
 * they are handovers, too.
 *
 *  1. A proposal is *reserved* if all its members are open and there is time left before the least
 *     of their deadlines; else it is refused, with those who are gone, and the engine goes on with
 *     the others.
 *  2. It is *released* at a moment drawn at random within `jitter` (and before the least deadline),
 *     so that when a cloak leaves does not tell who completed it; what falls due together goes in
 *     random order. Only then is it published, and only if all its members are still there: a
 *     client that went away does not count for the k of others.
 *  3. A query is published at most once, and never after its deadline (P5). If its deadline comes
 *     while it is reserved, it is dropped as expired where we decide about the proposal (always in
 *     one process), and has failed as in doubt where another gateway does. The courier knows the
 *     least deadline of a cloak, too: if it finds neither a provider thread nor a connection until
 *     then, nothing is sent, and the members have failed as not sent in time.
 *  4. Every ticket taken comes back exactly once with its outcome (P8), also when the ledger stops.
 *  5. Who is in a cloak is not disclosed; the provider gets a relay (P7).
 *  6. With `rare` a request that its user has made before, and few others, is not sent: its member
 *     is dropped, and the cloak leaves with its road all the same (rare_requests.h).
 *  7. With `is_paranoid` each proposal is looked at by the verifier before it is reserved: P1 to
 * P7, what the engines demand for all queries, and the zones and last cloaks of our own members.
 * One that breaks a promise is counted, refused and never leaves.
 *
 * The ledger's thread and the engine's read the clock; the ledger state gets the time as an
 * argument (state.h), so that tests can play any sequence of events.
 */
#ifndef SC_LEDGER_LEDGER_H
#define SC_LEDGER_LEDGER_H

#include <starcloak/continuity.h>
#include <starcloak/engine.h>
#include <starcloak/rng.h>

#include "courier/courier.h"
#include "ledger/rare_requests.h"
#include "ledger/ticket.h"
#include "messages/messages.h"
#include "partition/partition.h"

typedef struct sc_ledger sc_ledger;

/** How many descriptors a ledger is woken by. */
enum { SC_LEDGER_DESCRIPTORS = 3 };

typedef struct sc_ledger_options {
    sc_engine_options engine;
    /** Of engines in this process: threads with engines, >= 1, and threads that prune for each of
     * them. With 1 and 0 there is neither: the ledger's thread does it all. */
    unsigned engine_threads;
    unsigned prune_threads;
    bool is_hosted;  ///< without a thread of its own: see sc_ledger_round()
    /** SC_LEDGER_DESCRIPTORS eventfds of the caller that wake it, in place of its own: for one that
     * is made when HTTP loops have their tables of descriptors already (server/http.h). They
     * outlive it; copied. NULL: it opens its own. */
    const int *eventfds;
    /** Queries count roads by what their user can have reached since its last cloak. The engines
     * must be patient, here and elsewhere. */
    bool has_continuity;
    sc_continuity_options continuity;
    const sc_partition *partition;  ///< borrowed; NULL: one part, the whole map
    sc_peer self;                   ///< 0: a number is drawn
    const sc_port
        *workers;         ///< the engines are elsewhere, and so are other gateways; copied.
                          ///< Called in the ledger's thread. NULL: an engine pool in this process
    sc_time patience_us;  ///< how long a proposal may be reserved without a message
    size_t max_pending;   ///< tickets at once
    sc_time jitter_us;    ///< the most that a cloak waits before it leaves
    sc_time guard_us;     ///< a cloak leaves that much before the least deadline, or not
    double provider_deadline_s;  ///< from leaving to the answer
    sc_rare_options rare;        ///< requests that are not sent a second time
    bool is_paranoid;
    /** A ticket is settled and the caller's again. In the ledger's thread; must be quick, and may
     * hand the ticket to another thread. */
    void (*settled)(void *context, sc_ticket *ticket);
    /** Those of one round have been told, and no more come for now: a caller that hands them on in
     * batches does so here. As above; may be NULL. */
    void (*all_settled)(void *context);
    /** The cloak of a watched ticket has left; the ticket is still the ledger's. In the ledger's
     * thread; must be quick; may be NULL. */
    void (*watched)(void *context, const sc_ticket *ticket);
    /** A cloak leaves: what the provider sees, how many different users are behind it (for
     * counting alone), and a number drawn for it, by which its members know it; the provider does
     * not. In the ledger's thread; may be NULL. */
    void (*published)(void *context, const sc_relay *relay, uint64_t number, uint32_t users);
    /** The same with its members, for an audit (api/auditor.h); NULL: there is none. */
    void (*audited)(void *context, const sc_proposal *proposal, sc_ticket *members, sc_time t);
    void *context;
} sc_ledger_options;

/** The default engine in the ledger's own thread, no continuity, one part, 100,000 tickets, 0.2 s
 * of jitter, 10 ms of guard, 0.5 s of patience, 10 s for the provider, rare requests are sent, not
 * paranoid. */
sc_ledger_options sc_ledger_options_default(void);

/**
 * Start the threads, all signals blocked in them. Randomness is libsodium's.
 *
 * The courier's `back` must hand errands on to sc_ledger_errand_back(): so the ledger is made
 * first, and told of the courier then.
 *
 * @param map  borrowed
 * @return SC_OK, SC_EINVAL, SC_EIO (a thread, randomness), SC_ENOMEM
 */
SC_CHECKED sc_err sc_ledger_new(const sc_map *map, const sc_ledger_options *options,
                                sc_ledger **out, sc_diag *diag);

/** Before the first ticket. Borrowed; must outlive the ledger's work, that is sc_ledger_stop(). */
void sc_ledger_set_courier(sc_ledger *ledger, sc_courier *courier);

/** For the courier's options: `context` is the ledger. */
void sc_ledger_errand_back(void *context, sc_errand *errand);

/**
 * Take a ticket. Any thread; never waits.
 *
 * @return SC_OK: it is the ledger's until it is settled; SC_EBUSY (full), SC_EINTERRUPTED
 * (stopping): it is still the caller's
 */
SC_CHECKED sc_err sc_ledger_submit(sc_ledger *ledger, sc_ticket *ticket);

/**
 * The client of a query went away. If it is open or reserved, it leaves the engine and is settled
 * as gone (reserved for a cloak of another gateway: once that gateway says so); if it is published,
 * it gets its answer or failure as the others (and `is_gone` is set); if it is settled already,
 * nothing happens. Any thread; needs no memory. It never waits as long as it is called at most once
 * for each ticket.
 */
void sc_ledger_withdraw(sc_ledger *ledger, const sc_query_id *id);

/** A message from a worker or another gateway. Any thread; never waits; takes what it owns. Where
 * there is no room it is lost, and counted. */
void sc_ledger_receive(sc_ledger *ledger, sc_msg *msg);

/** Send the open queries of a part again: its worker is another, or was not there. Any thread;
 * soon.
 */
void sc_ledger_resend(sc_ledger *ledger, uint32_t part);

/**
 * Let the engines of this process search in another way from now on (sc_engine_switch()); soon, not
 * at once. Any thread.
 *
 * @return SC_OK, SC_EINVAL (not one of basic, bounded and hybrid, or the engine's own is not, or
 * they are elsewhere)
 */
SC_CHECKED sc_err sc_ledger_switch(sc_ledger *ledger, sc_variant variant);

/** How it searches, or is about to. Any thread. */
sc_variant sc_ledger_variant(const sc_ledger *ledger);

/** Of a hosted ledger: while one of these is readable, a round has something to do. */
void sc_ledger_descriptors(const sc_ledger *ledger, int fds[SC_LEDGER_DESCRIPTORS]);

/**
 * Of a hosted ledger: one round, without waiting. Reads what came in, sends what is due, gives
 * engines and courier their turn, and reports outcomes.
 *
 * Always called by one thread, the ledger's, which alone may call sc_ledger_submit() and
 * sc_ledger_withdraw(); from `settled` it may, too. Engines and courier must be in place: one
 * engine thread, no threads that prune, a courier without threads and with the provider built in.
 *
 * @return by the clock of the options, when the next round is due even if nothing comes in; it is
 * past if there is more to do at once
 */
sc_time sc_ledger_round(sc_ledger *ledger);

/** No more tickets from now on; those there are get their outcome. Any thread. */
void sc_ledger_drain(sc_ledger *ledger);

/** Tickets that the ledger has. Any thread. */
size_t sc_ledger_pending(const sc_ledger *ledger);

/** Have the ledger's thread settle all tickets that are still there as failed (stopped), soon, and
 * do nothing afterwards. Any thread; twice is harmless. */
void sc_ledger_end(sc_ledger *ledger);

/**
 * End the threads. Tickets still there are settled at once, as failed (stopped), in this call's
 * thread or the ledger's. Twice is harmless. A hosted ledger gets no more rounds then.
 *
 * The courier must still be there, since what is due may be sent until then. Free it after this and
 * before sc_ledger_free(): errands under way come back, and are wiped with the ledger.
 */
void sc_ledger_stop(sc_ledger *ledger);

/** Stops it first; NULL is fine. No errand may be under way any more: the courier is freed before.
 */
void sc_ledger_free(sc_ledger *ledger);

/** Counted since the start; any thread. */
typedef struct sc_ledger_stats {
    uint64_t taken;  ///< tickets; each is in exactly one of the next five
    uint64_t pending;
    uint64_t answered;
    uint64_t dropped[SC_DROP_REASON_COUNT];
    uint64_t failed[SC_FAILURE_COUNT];
    uint64_t gone;
    uint64_t proposals;         ///< received
    uint64_t refused;           ///< of them, those that were not reserved, or were buried here
    uint64_t violations;        ///< of them, those that broke a promise
    uint64_t skewed;            ///< of them, those with a gateway whose clock differs
    uint64_t cloaks;            ///< published by us
    uint64_t cloaks_elsewhere;  ///< published by another gateway, with members of ours
    uint64_t aborted;           ///< proposals that a worker called off
    uint64_t impatient;         ///< proposals that we buried as R since no release came
    uint64_t asked;             ///< questions to R
    uint64_t resent;            ///< queries that were sent again
    uint64_t company;           ///< queries that were sent as company
    uint64_t resend_passes;     ///< over all queries, for those that are to be sent again
    uint64_t lost;              ///< messages for which there was no room
    uint64_t gone_published;    ///< clients that went away after their cloak had left; counted by
                                ///< their outcome above
    sc_engine_stats engine;     ///< of the engines in this process, as they last told
    sc_continuity_stats continuity;  ///< all 0 without
} sc_ledger_stats;

sc_ledger_stats sc_ledger_stats_of(sc_ledger *ledger);

/** The engine pool in this process, for its counts; NULL: the engines are elsewhere.
 * Lent. */
typedef struct sc_engine_pool sc_engine_pool;
sc_engine_pool *sc_ledger_engines(sc_ledger *ledger);

#endif
