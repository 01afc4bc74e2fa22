/**
 * @file slow_patient.h
 * @brief The patient method of the slow engine (slow_engine.h).
 *
 * Nothing is kept but that a query waits, and which ends of its road will do: its listings. Two
 * listings are compared with each other by the
 * definition of reach, and a search writes its lists out as the page has them.
 */
#ifndef SC_TESTS_SUPPORT_SLOW_PATIENT_H
#define SC_TESTS_SUPPORT_SLOW_PATIENT_H

#include "support/slow_engine_internal.h"

/** List the query at the ends of its road that will do; false if none does. */
bool slow_patient_list(const slow_engine *engine, slow_query *q);

/** How many stars have a listing. */
uint32_t slow_patient_active_star_count(const slow_engine *engine);

/** A query that has just been listed looks around: perhaps the most urgent one is searched from. */
void slow_patient_look_around(slow_engine *engine, slow_query *newcomer);

/** Search from a listed query; what is found becomes a candidate. */
bool slow_patient_search(slow_engine *engine, slow_query *from);

#endif
