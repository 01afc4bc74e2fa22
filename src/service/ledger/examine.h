/**
 * @file examine.h
 * @brief Secret: showing a proposal to the doubter (verify.h) before it is reserved.
 *
 * Used by: proposals.c.
 */
#ifndef SC_LEDGER_EXAMINE_H
#define SC_LEDGER_EXAMINE_H

#include <starcloak/verify.h>

#include "ledger/state.h"

/** Zeroed, with its verifier; sc__examiner_fini() when done. */
typedef struct sc__examiner {
    sc_verifier *verifier;
    sc_claim_member *members;
    size_t member_capacity;
} sc__examiner;

/** Harmless twice. */
void sc__examiner_fini(sc__examiner *examiner);

/**
 * Does the proposal keep its promises, if it leaves now? Who and where our members are and what
 * they need is taken from their tickets, not from the bid, which has been in other hands. Of other
 * gateways' members there is only the bid: each gateway looks for its own.
 *
 * @return SC_OK, SC_EBROKEN, SC_ENOMEM (it could not be looked at)
 */
SC_CHECKED sc_err sc__examine(sc__examiner *examiner, const sc_proposal *proposal, sc_time now);

#endif
