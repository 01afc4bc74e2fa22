/**
 * @file silence.h
 * @brief Secret: gateways that did not answer, and of whom nothing was heard since.
 *
 * A gateway that has crashed leaves its queries in the engines, where they are found company again
 * and again, each time in vain, and each time others wait for it until patience is over. One
 * silence may be a word that was lost. A second one, of a bid that was made after the first, when
 * nothing at all was heard in between, is not: then the engine may forget that gateway's queries.
 * One that lives after all says anew what it had reserved, when that is open again, and all it has,
 * when it was without a network.
 *
 * A fixed number is remembered: where there are more, the oldest silence is forgotten, and that
 * gateway has to be silent once more.
 *
 * Used by: bids.c.
 */
#ifndef SC_WORKER_SILENCE_H
#define SC_WORKER_SILENCE_H

#include "ledger/messages.h"

enum { SC__SILENT_MOST = 32 };

typedef struct sc__silent {
    sc_peer peer;
    sc_time since;  ///< when patience with it was over
} sc__silent;

/** All zero: nobody. */
typedef struct sc__silence {
    sc__silent gateways[SC__SILENT_MOST];
    size_t count;
} sc__silence;

/** It did not answer what it was told at `told`. True if it was silent before that already, and
 * ever since. */
bool sc__silence_note(sc__silence *silence, sc_peer peer, sc_time told, sc_time now);

/** Whether it was silent, and ever since. */
bool sc__silence_has(const sc__silence *silence, sc_peer peer);

/** Something was heard from it. */
void sc__silence_break(sc__silence *silence, sc_peer peer);

#endif
