/**
 * @file ledger_fixture_four.h
 * @brief A ledger_fixture with four queries in one proposal: 1 and 2 are ours, 1000 and 1001
 * another gateway's.
 */
#ifndef SC_SUPPORT_LEDGER_FIXTURE_FOUR_H
#define SC_SUPPORT_LEDGER_FIXTURE_FOUR_H

#include "support/ledger_fixture.h"

extern const uint32_t four_all[];
extern const uint32_t four_ours[];
extern const uint32_t four_theirs[];
extern const uint32_t four_none[];

/** A ledger_fixture with ledger_options(). */
ledger_fixture *four_open(void);

/** What was counted adds up; then it is closed and freed. */
void four_close(ledger_fixture *d);

/** Queries 1 and 2 and a proposal of all four, reserved at 0. */
sc_proposal_id four_reserve(ledger_fixture *d, sc_peer releaser);

/** As R: the same, published at 200. */
sc_reservation *four_publish(ledger_fixture *d, sc_proposal_id *id);

/** The next message is a result to the other gateway, which sends that it failed. */
void four_check_failure(ledger_fixture *d, sc_failure failure);

#endif
