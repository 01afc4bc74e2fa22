/**
 * @file drop_advice.h
 * @brief What would help a query that was dropped: the one place of these texts. They have the
 * names of a query's members, so that the UI finds which to change (web/src/ask/remedies.ts).
 */
#ifndef SC_API_DROP_ADVICE_H
#define SC_API_DROP_ADVICE_H

#include <starcloak/engine.h>

#include <stddef.h>

/** Room for any advice. */
enum { SC_DROP_ADVICE_SIZE = 512 };

/** A query that was dropped. */
typedef struct sc_drop_case {
    sc_drop_reason reason;
    unsigned demands;  ///< of SC_DROP_EXPOSED: those in force for it, bits of ledger/ticket.h
    unsigned later_s;  ///< if continuity is among them: in so many seconds it no longer is
} sc_drop_case;

/** Why, and what would help that query; returns `out`. */
const char *sc_drop_advice(const sc_drop_case *drop, char out[SC_DROP_ADVICE_SIZE]);

/** What would help many queries that were dropped for the reason of this name, in a few words; ""
 * if there is no such reason. */
const char *sc_drop_help(const char *reason);

#endif
