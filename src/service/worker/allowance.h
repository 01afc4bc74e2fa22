/**
 * @file allowance.h
 * @brief How many bids of one part may be undecided at once: as many as it likes, until one is
 * refused.
 *
 * Engines of several parts may know the same queries (company). When many queries come at one
 * place, all these engines bid for all of them at once; with members at two gateways each bid gets
 * one ok here and another's no there, so that nearly all are off, nearly all members are open
 * again, and the same begins anew. What makes it worse is how many are under way: each bid keeps
 * its members from all others until it is off itself. So a part that is refused lets fewer be under
 * way, and more again as they go well, as senders on a busy network do:
 *
 *  - one that is refused halves the allowance, from what is undecided now, but never below one.
 *    Those that were made before it was last halved do not halve it again: they met the same crowd;
 *  - one to which all gateways said ok widens it by SC__ALLOWANCE_MORE.
 *
 * While it is spent, the part's engine is not run, and what else it had found goes back into its
 * queue: by the time a bid is decided, the engine knows better who is still to be had. A part that
 * was never refused notices nothing. Not counted are bids with members of one gateway alone, which
 * decides there and then, and those that wait for a gateway that is silent: they end when patience
 * is over, and say nothing about the crowd.
 *
 * Invariant: where the allowance is spent, a bid is undecided, and ends when patience is over at
 * the latest. So no part waits for ever.
 *
 * Used by: bids.c, which counts; parts.c and round.c, which look.
 */
#ifndef SC_WORKER_ALLOWANCE_H
#define SC_WORKER_ALLOWANCE_H

#include <starcloak/query.h>

/** With one, bids would be as few, but a small crowd would wait longer than without any bound. */
enum { SC__ALLOWANCE_MORE = 2 };

/** All zero: nothing was ever refused. */
typedef struct sc__allowance {
    uint32_t undecided;  ///< bids that were said, and neither released nor off
    bool is_bounded;     ///< by the next
    uint32_t most;
    sc_time halved;  ///< when
} sc__allowance;

static inline bool sc__allowance_is_spent(const sc__allowance *allowance)
{
    return allowance->is_bounded && allowance->undecided >= allowance->most;
}

/** A bid was said. */
void sc__allowance_take(sc__allowance *allowance);

/** It is off, for a reason that says nothing about others. */
void sc__allowance_return(sc__allowance *allowance);

/** All gateways said ok to it. */
void sc__allowance_widen(sc__allowance *allowance);

/** A gateway said no to one that was made at `made`. */
void sc__allowance_halve(sc__allowance *allowance, sc_time made, sc_time now);

#endif
