/**
 * @file examine.h
 * @brief Secret: showing a proposal to the doubter (verify.h) before it is reserved.
 *
 * Used by: books.c.
 */
#ifndef SC_LEDGER_EXAMINE_H
#define SC_LEDGER_EXAMINE_H

#include <starcloak/verify.h>

#include "ledger/books.h"

/** Zeroed, with its verifier; sc__examiner_fini() when done. */
typedef struct sc__examiner {
    sc_verifier *verifier;
    sc_claim_member *members;
    size_t member_capacity;
} sc__examiner;

/** Harmless twice. */
void sc__examiner_fini(sc__examiner *examiner);

/**
 * Does the proposal keep its promises, if it leaves now? Who and where the members are and what
 * they need is taken from their tickets, not from the cloak, which has been in other hands.
 *
 * @return SC_OK, SC_EBROKEN, SC_ENOMEM (it could not be looked at)
 */
SC_CHECKED sc_err sc__examine(sc__examiner *examiner, const sc_proposal *proposal, sc_time now);

#endif
