/**
 * @file proposal_outcomes.h
 * @brief What became of bids, for as long as somebody may still ask or speak of them.
 *
 * The commit stands on this: once R has said that a bid is dead, nothing that comes later may bring
 * it to life; once it has published one, it must never say that it is dead. So a fate is kept until
 * every member's time is over, and longer by twice the guard and a second, since clocks differ by
 * less than the guard. A gateway that is not R decides nothing, and keeps a fate only of what was
 * called off before it was heard of: what it reserves once more by mistake ends by R's word.
 *
 * Room is taken at the start, so that no call needs memory. What is reserved takes its room then,
 * beside its reservation, so that its end can be remembered whatever comes meanwhile: that is all
 * that SC_PROPOSAL_OUTCOME_RESERVED is for. Where no room is left,
 *
 *  - a bid that comes in is refused, with our members named as gone, so that the engine does not
 *    propose them again at once; they are added anew after patience;
 *  - an abort of an unknown bid is passed over; if the bid comes later it is reserved, never
 *    released, and off after patience;
 *  - who asks of an unknown bid is told nothing, and stays as he is: nobody may hear that it is
 *    dead unless that is remembered.
 *
 * Used by: the books.
 */
#ifndef SC_LEDGER_PROPOSAL_OUTCOMES_H
#define SC_LEDGER_PROPOSAL_OUTCOMES_H

#include "ledger/messages.h"

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

/** May a bid that is not known yet be put? */
bool sc__proposal_outcomes_has_room(const sc__proposal_outcomes *outcomes);

/**
 * Remember this, or change what is known, until `until` (never earlier than was said before). A
 * fate that is dead or published stays so.
 *
 * @return false: it is not known and there is no room; nothing is done
 */
bool sc__proposal_outcomes_put(sc__proposal_outcomes *outcomes, const sc_proposal_id *id,
                               sc_proposal_outcome outcome, sc_time until);

/** Forget what is over by `now`. */
void sc__proposal_outcomes_pass_time(sc__proposal_outcomes *outcomes, sc_time now);

#endif
