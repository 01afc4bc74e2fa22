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
 * beside its proposal, so that its end can be remembered whatever comes meanwhile: that is all that
 * SC_FATE_RESERVED is for. Where no room is left,
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

typedef enum sc_fate {
    SC_FATE_UNKNOWN = 0,
    SC_FATE_RESERVED,  ///< not decided
    SC_FATE_DEAD,
    SC_FATE_PUBLISHED,
} sc_fate;

typedef struct sc__fates sc__fates;

/** @param most  that are remembered at once */
SC_CHECKED sc_err sc__fates_new(size_t most, sc__fates **out);

/** NULL is fine. */
void sc__fates_free(sc__fates *fates);

/** What is known of it. Open addressing by the id's own bits, which are random. */
sc_fate sc__fates_of(const sc__fates *fates, const sc_bid_id *id);

/** May a bid that is not known yet be put? */
bool sc__fates_has_room(const sc__fates *fates);

/**
 * Remember this, or change what is known, until `until` (never earlier than was said before). A
 * fate that is dead or published stays so.
 *
 * @return false: it is not known and there is no room; nothing is done
 */
bool sc__fates_put(sc__fates *fates, const sc_bid_id *id, sc_fate fate, sc_time until);

/** Forget what is over by `now`. */
void sc__fates_pass_time(sc__fates *fates, sc_time now);

#endif
