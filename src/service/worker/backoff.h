/**
 * @file backoff.h
 * @brief Secret: when a worker holds proposals back: after refusals, and for gateways that do not
 * answer.
 *
 * The *allowance* of a part is how many of its proposals may be undecided at once: as many as it
 * likes, until one is refused.
 *
 * Engines of several parts may know the same queries (company). When many queries come at one
 * place, all these engines propose all of them at once; with members at two gateways each proposal
 * gets one ok here and another's no there, so that nearly all are off, nearly all members are open
 * again, and it all repeats. The number under way makes it worse: each proposal keeps its members
 * from all others until it is off itself. So a part that is refused lets fewer be under way, and
 * more again as they succeed, as congestion control on a network does:
 *
 *  - one that is refused halves the allowance, from what is undecided now, but never below one.
 *    Those that were made before it was last halved do not halve it again: they met the same crowd;
 *  - one to which all gateways said ok widens it by SC__ALLOWANCE_MORE.
 *
 * While it is spent, the part's engine is not run, and what else it had found goes back into its
 * queue: by the time a proposal is decided, the engine knows better which queries are still open. A
 * part that was never refused is not affected. Not counted are proposals with members of one
 * gateway alone, which decides at once, and those that wait for a gateway that is silent: they end
 * when patience is over, and say nothing about the crowd.
 *
 * Invariant: where the allowance is spent, a proposal is undecided, and ends when patience is over
 * at the latest. So no part waits for ever.
 *
 * *Silent* gateways did not answer, and nothing was received from them since. A gateway that has
 * crashed leaves its queries in the engines, which put them into cloaks again and again in vain,
 * and each time others wait for it until patience is over. One silence may be a lost message. A
 * second one, of a proposal that was made after the first, when nothing at all was received in
 * between, is not: then the engine may forget that gateway's queries. A gateway that lives after
 * all sends its reserved queries again when they are open again, and all of them when it was
 * without a network.
 *
 * A fixed number is remembered: where there are more, the oldest silence is forgotten, and that
 * gateway has to be silent once more.
 */
#ifndef SC_WORKER_BACKOFF_H
#define SC_WORKER_BACKOFF_H

#include <starcloak/query.h>

#include "messages/messages.h"

// --- Allowance ------------------------------------------------------------------------------

/** With one, proposals would be as few, but a small crowd would wait longer than without any bound.
 */
enum { SC__ALLOWANCE_MORE = 2 };

/** All zero: nothing was ever refused. */
typedef struct sc__allowance {
    uint32_t undecided;  ///< proposals that were sent, and neither released nor off
    bool is_bounded;     ///< by the next
    uint32_t most;
    sc_time halved;  ///< when
} sc__allowance;

static inline bool sc__allowance_is_spent(const sc__allowance *allowance)
{
    return allowance->is_bounded && allowance->undecided >= allowance->most;
}

/** A proposal was sent. */
void sc__allowance_take(sc__allowance *allowance);

/** It is off, for a reason that says nothing about others. */
void sc__allowance_return(sc__allowance *allowance);

/** All gateways said ok to it. */
void sc__allowance_widen(sc__allowance *allowance);

/** A gateway said no to one that was made at `made`. */
void sc__allowance_halve(sc__allowance *allowance, sc_time made, sc_time now);

// --- Silent gateways ------------------------------------------------------------------------

enum { SC__SILENT_MOST = 32 };

typedef struct sc__silent {
    sc_peer peer;
    sc_time since;  ///< when patience with it was over
} sc__silent;

/** All zero: none. */
typedef struct sc__silence {
    sc__silent gateways[SC__SILENT_MOST];
    size_t count;
} sc__silence;

/** It did not answer what it was told at `told`. True if it was silent before that already, and
 * ever since. */
bool sc__silence_note(sc__silence *silence, sc_peer peer, sc_time told, sc_time now);

/** Whether it was silent, and ever since. */
bool sc__silence_has(const sc__silence *silence, sc_peer peer);

/** Something was received from it. */
void sc__silence_break(sc__silence *silence, sc_peer peer);

#endif
