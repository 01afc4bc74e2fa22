/**
 * @file state_internal.h
 * @brief Secret: what the files of the ledger state share.
 *
 *     state.c           tickets come, go, get their outcome, and run out of time
 *     protocol.c        messages sent and received
 *     reservations.c    a proposal is reserved, refused, called off
 *     proposal_check.c  whether a proposal keeps its promises, by the verifier
 *     release.c         when a cloak leaves, what is sent, and what comes back
 *
 * A proposal that does not end with answers ends in one of these ways. The outcome is what R keeps;
 * who is not R keeps none (proposal_outcomes.h).
 *
 *                     when                  who is told what          outcome    our members
 *     refuse          it comes in, and      worker: no, those not     dead, if   open as before,
 *                     does not fit          open named                there is   or too late
 *                                                                     room
 *     put_off         it comes in, no room  worker: no, all of ours   dead, if   open, added again
 *                     for an outcome, or    named                     there is   after patience
 *                     clocks differ                                   room
 *     call_off        reserved, and off     R: worker and other       dead       open, added again
 *                                           gateways: dead                       at once, or gone,
 *                                                                                or too late
 *     fail_members    reserved, and we      R: worker: dead; the      dead       failed
 *                     cannot go on          rest by the caller
 *     leave_in_doubt  reserved elsewhere,   no peer                   none       failed, in doubt,
 *                     time is over                                               each at its time
 *     fail_published  published, and no     by the caller: R the      published  failed
 *                     answer comes          other gateways: result
 */
#ifndef SC_LEDGER_STATE_INTERNAL_H
#define SC_LEDGER_STATE_INTERNAL_H

#include "ledger/id_table.h"
#include "ledger/proposal_outcomes.h"
#include <starcloak/verify.h>

#include "ledger/state.h"

/** Checks proposals before they are reserved. Zeroed, it checks none. */
typedef struct sc__examiner {
    sc_verifier *verifier;
    sc_claim_demands demands;  ///< of all members
    sc_claim_member *members;
    size_t member_capacity;
    sc_claim_own *own;  ///< what members of ours ask themselves
    size_t own_capacity;
    sc_claim_part *parts;  ///< of segments, that their users can have reached
    size_t part_capacity;
} sc__examiner;

/** @return SC_OK, SC_ENOMEM; sc__examiner_fini() in any case */
SC_CHECKED sc_err sc__examiner_init(sc__examiner *examiner, const sc_map *map,
                                    const sc_demands *demands);

/** Harmless twice, and on a zeroed one. */
void sc__examiner_fini(sc__examiner *examiner);

/**
 * Does the reservation keep its promises, if it leaves now? Who and where our members are and what
 * they ask is taken from their tickets, not from the proposal, which has been in other hands. Of
 * other gateways' members there is only the proposal, which has neither zones nor last cloaks: each
 * gateway looks for its own.
 *
 * @return SC_OK, SC_EBROKEN, SC_ENOMEM (it could not be looked at)
 */
SC_CHECKED sc_err sc__examine(sc__examiner *examiner, const sc_reservation *reservation,
                              sc_time now);

/** What R sent to the other gateways of a cloak, for those that ask again. */
typedef struct sc__sent_result {
    sc_proposal_id id;
    sc_peer worker;  ///< of the proposal: it is told that it was published, and no more
    uint64_t number;
    uint32_t users;
    sc_result *result;  ///< owned; NULL: the place is free
} sc__sent_result;

/** Results that are kept: the newest, some seconds of a busy gateway's. A reply above the size is
 * not: who asks for it asks the provider by itself. */
enum { SC__RESULTS_KEPT = 4096, SC__REPLY_KEPT = 4096 };

struct sc__ledger_state {
    sc__ledger_state_options options;
    sc_rng *rng;
    const sc_cost_estimator *costs;  ///< borrowed; NULL: what a cloak costs is not looked at
    sc__examiner examiner;
    sc_partition_walker *walker;
    sc__proposal_outcomes *outcomes;

    sc__id_table tickets;    ///< all that have no outcome, by their query
    sc_deadlines deadlines;  ///< with the guard, of tickets that are open or reserved
    sc_deadlines resends;    ///< of tickets: when engines are told of them, a second time or as
                             ///< company; one that is reserved then is passed over
    sc_time paused_until;    ///< so long there was no room for such messages
    bool *is_resent;         ///< for each part, while its queries are looked for

    // Each reservation has a member that no other has: there are never more than tickets.
    sc_reservation *reservations;
    size_t reservation_count;          ///< that were ever used
    sc_reservation *idle_reservation;  ///< the first of those given back
    sc__id_table proposals;            ///< reservations by the id of their proposal
    sc_deadlines releases;             ///< of those that are scheduled
    sc_deadlines patience;  ///< of those that are reserved without a release, or wait for a
                            ///< result of another gateway
    sc_reservation **due;
    size_t due_count;
    sc_reservation **arrived;
    size_t arrived_count;

    sc__sent_result *results;  ///< a ring
    size_t result_next;

    sc_ticket *first_settled;
    sc_ticket *last_settled;
    sc_ledger_stats stats;
};

/** Saturating: SC_TIME_NEVER stays. */
static inline sc_time sc__ledger_later(sc_time t, sc_time by)
{
    return t < SC_TIME_NEVER - by ? t + by : SC_TIME_NEVER;
}

/** From then on no cloak can leave for a member with that deadline. */
static inline sc_time sc__ledger_too_late_for(const sc__ledger_state *state, sc_time deadline)
{
    const sc_time guard = state->options.guard_us;
    return deadline > INT64_MIN + guard ? deadline - guard : INT64_MIN;
}

/** The engines of our own process: messages to them and from them are neither lost nor doubled, so
 * that no outcome of their proposals need be known. Without workers elsewhere there are no others.
 */
static inline bool sc__ledger_is_inside(const sc__ledger_state *state, sc_peer peer)
{
    return peer == state->options.self;
}

/** Engines are to be told of it then. */
static inline void sc__ledger_resend_at(sc__ledger_state *state, sc_ticket *ticket, sc_time t)
{
    if (ticket->resend != SC_NO_DEADLINE) sc_deadlines_cancel(&state->resends, &ticket->resend);
    sc_deadlines_add(&state->resends, t, ticket, &ticket->resend);
}

// --- Outcomes (state.c) ---------------------------------------------------------------------

/** A ticket that is not in the ledger state gets its outcome. */
void sc__ledger_hand_out(sc__ledger_state *state, sc_ticket *ticket, sc_outcome outcome,
                         sc_time now);

/** One that is in the ledger state gets its outcome and leaves it. */
void sc__ledger_settle_dropped(sc__ledger_state *state, sc_ticket *ticket, sc_drop_reason reason,
                               sc_time now);
void sc__ledger_settle_failed(sc__ledger_state *state, sc_ticket *ticket, sc_failure failure,
                              sc_time now);
void sc__ledger_settle_gone(sc__ledger_state *state, sc_ticket *ticket, sc_time now);
void sc__ledger_settle_answered(sc__ledger_state *state, sc_ticket *ticket, sc_answer *answer,
                                sc_time now);

/** Its cloak has left, or may have: it is the last one of the ticket's user. */
void sc__ledger_keep_last_cloak(sc__ledger_state *state, sc_ticket *ticket);

// --- Reservations (reservations.c) ----------------------------------------------------------

/** A proposal comes in that is not known yet. Takes it. */
void sc__ledger_take_proposal(sc__ledger_state *state, sc_proposal *proposal, sc_time now);

/** Whether no other gateway with members in it has a clock that is known to differ from ours by
 * more than the guard. Else its deadlines mean something else there, and it must not be reserved.
 */
bool sc__ledger_clocks_agree(const sc__ledger_state *state, const sc_reservation *reservation);

/** Let its outcome be known, if it is R's to know; that of an own engine's proposal need not be
 * (sc__ledger_is_inside()). */
void sc__ledger_remember(sc__ledger_state *state, const sc_proposal *proposal,
                         sc_proposal_outcome outcome);

/** A proposal that is not known, or is dead, is dead from now on. False if there is no room to
 * remember that: then `dead` must not be sent.
 *
 * @param deadline  remembered until then and longer: by our own clock, a moment from which on it
 * would be refused */
bool sc__ledger_bury_unknown(sc__ledger_state *state, const sc_proposal_id *id, sc_time deadline,
                             sc_time now);

/**
 * A proposal that is not published is off, and buried. Its members are open again, but for
 * those whose client went away, and those whose time has run out. R sends `dead` to the other
 * gateways and, unless it knows, to the worker.
 */
void sc__ledger_call_off(sc__ledger_state *state, sc_reservation *reservation, bool worker_knows,
                         sc_time now);

/** A proposal that is not published is off, and buried; its members have failed, and it is
 * forgotten. The engines are told of each and, by R, the worker of the proposal; the caller has
 * told the other gateways, or R, what they need to know. */
void sc__ledger_fail_members(sc__ledger_state *state, sc_reservation *reservation,
                             sc_failure failure, sc_time now);

/** A member leaves a proposal of another gateway: it is in doubt. */
void sc__ledger_leave_in_doubt(sc__ledger_state *state, sc_ticket *ticket, sc_time now);

/** A proposal without members is forgotten, but for its outcome. */
void sc__ledger_forget_reservation(sc__ledger_state *state, sc_reservation *reservation);

/** Wipe and free what it owns. */
void sc__reservation_fini(sc_reservation *reservation);

/** Take it from the releases, from those due or from those that wait, wherever it is. */
void sc__ledger_unschedule(sc__ledger_state *state, sc_reservation *reservation);

// --- Release (release.c) --------------------------------------------------------------------

/** Draw the moment at which a reserved reservation leaves. */
void sc__ledger_schedule_release(sc__ledger_state *state, sc_reservation *reservation, sc_time now);

/** Its members are published; when and in which cloak. */
void sc__ledger_mark_published(sc__ledger_state *state, sc_reservation *reservation,
                               uint64_t number, uint32_t users, sc_time left);

/** Its members, published elsewhere, have failed. */
void sc__ledger_fail_published(sc__ledger_state *state, sc_reservation *reservation,
                               sc_failure failure, sc_time now);

// --- Messages sent (protocol.c) -------------------------------------------------------------

/** To the engine of its home, for the first time or again. False if memory is out. */
bool sc__ledger_send_add(sc__ledger_state *state, const sc_ticket *ticket);

/** The parts in its reach, its home first; valid until the next call. */
const uint16_t *sc__ledger_reach(sc__ledger_state *state, sc_ticket *ticket, size_t *count);

/** To those of the other parts in its reach; returns how many. */
size_t sc__ledger_send_company(sc__ledger_state *state, sc_ticket *ticket);

/**
 * It needs no cloak any more.
 *
 * @param home_knows  the engine of its home dropped it itself, or is told of its proposal
 */
void sc__ledger_send_remove(sc__ledger_state *state, sc_ticket *ticket, bool home_knows);

/** To the worker: all members of ours are reserved. */
void sc__ledger_send_ok(sc__ledger_state *state, const sc_reservation *reservation);

/** To the worker: they are not; those of ours that are not open are named (or all of ours), and
 * those of others that are too late by our clock. */
void sc__ledger_send_no(sc__ledger_state *state, const sc_proposal *proposal, bool names_all,
                        sc_time now);

/** A message about a proposal that carries no more, to any peer. */
void sc__ledger_send_about(sc__ledger_state *state, sc_peer to, sc_msg_kind kind,
                           const sc_proposal_id *id, uint32_t engine_thread, sc_time deadline);

/** To R: what became of it? */
void sc__ledger_send_ask(sc__ledger_state *state, const sc_proposal *proposal);

/** That it was published, to anybody. */
void sc__ledger_send_published(sc__ledger_state *state, sc_peer to,
                               const sc_reservation *reservation);

/** To each other gateway with members in the proposal. */
void sc__ledger_send_dead_to_gateways(sc__ledger_state *state, const sc_reservation *reservation);
void sc__ledger_send_published_to_gateways(sc__ledger_state *state,
                                           const sc_reservation *reservation);

/** Takes `result`, which may be NULL: then nothing but the failure can be told, if even that. */
void sc__ledger_send_result_to_gateways(sc__ledger_state *state, const sc_reservation *reservation,
                                        sc_failure failure, sc_result *result);

#endif
