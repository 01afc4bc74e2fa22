/**
 * @file proposal_outcomes.h
 * @brief What became of proposals, for as long as a message about them may still come.
 *
 * The commit stands on this: once R has told a peer that a proposal is dead, nothing that comes
 * later may bring it to life; once it has published one, it must never call it dead. Neither rests
 * on clocks that agree. What is dead is kept until the time of R's own members is over, by R's
 * clock: from then on it would be refused. What was published is kept until every member's time is
 * over, and longer by twice the guard and a second, so that those who ask late are told; forgotten,
 * it is not called dead, since R has none of its members any more (protocol.c). A gateway that is
 * not R decides nothing, and keeps an outcome only of what was called off before it was received:
 * what it reserves once more by mistake ends by R's message.
 *
 * Room is taken at the start, so that no call needs memory. What is reserved takes its entry then,
 * beside its reservation, so that its end can be remembered whatever comes meanwhile: that is all
 * that SC_PROPOSAL_OUTCOME_RESERVED is for. Where no room is left,
 *
 *  - a proposal that comes in is refused, with our members named as gone, so that the engine does
 * not propose them again at once; they are added again after patience;
 *  - an abort of an unknown proposal is passed over; if the proposal comes later it is reserved,
 * never released, and off after patience;
 *  - a question about an unknown proposal is not answered, and the asker stays as it is: `dead` is
 * only sent if that is remembered.
 */
#ifndef SC_LEDGER_PROPOSAL_OUTCOMES_H
#define SC_LEDGER_PROPOSAL_OUTCOMES_H

#include "messages/messages.h"

typedef enum sc_proposal_outcome {
    SC_PROPOSAL_OUTCOME_UNKNOWN = 0,
    SC_PROPOSAL_OUTCOME_RESERVED,  ///< not decided
    SC_PROPOSAL_OUTCOME_DEAD,
    SC_PROPOSAL_OUTCOME_PUBLISHED,
} sc_proposal_outcome;

typedef struct sc__proposal_outcomes sc__proposal_outcomes;

/** @param most  that are remembered at once */
SC_CHECKED sc_err sc__proposal_outcomes_new(size_t most, sc__proposal_outcomes **out);

/** NULL is fine. */
void sc__proposal_outcomes_free(sc__proposal_outcomes *outcomes);

/** What is known of it. Open addressing by the id's own bits, which are random. */
sc_proposal_outcome sc__proposal_outcomes_of(const sc__proposal_outcomes *outcomes,
                                             const sc_proposal_id *id);

/** May a proposal that is not known yet be put? */
bool sc__proposal_outcomes_has_room(const sc__proposal_outcomes *outcomes);

/**
 * Remember this, or change what is known, until `until` (never earlier than was sent before). A
 * outcome that is dead or published stays so.
 *
 * @return false: it is not known and there is no room; nothing is done
 */
bool sc__proposal_outcomes_put(sc__proposal_outcomes *outcomes, const sc_proposal_id *id,
                               sc_proposal_outcome outcome, sc_time until);

/** Forget what is over by `now`. */
void sc__proposal_outcomes_pass_time(sc__proposal_outcomes *outcomes, sc_time now);

#endif
