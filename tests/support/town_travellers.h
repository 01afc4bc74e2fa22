/**
 * @file town_travellers.h
 * @brief Travellers of an odd town who ask a ledger, and whether they are told the truth.
 */
#ifndef SC_TESTS_SUPPORT_TOWN_TRAVELLERS_H
#define SC_TESTS_SUPPORT_TOWN_TRAVELLERS_H

#include "ledger/ledger.h"
#include "support/odd_town.h"

/** A query at some place for some objects; k users are wanted, and there is time for it. */
void town_ask(sc_ledger *ledger, odd_town *town, uint32_t number, uint32_t k);

/** The same objects as far away as a plain search says. */
void town_check_answer(odd_town *town, const sc_ticket *ticket);

#endif
