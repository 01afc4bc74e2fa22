/**
 * @file trail_reach.h
 * @brief Where an engine with continuity took a traveller to be: for one who links its cloaks and
 * knows when it asked for them.
 *
 *     sc_trail_reach_find(reach, &trails, trail);
 *     ... sc_trail_reach_at(reach, i)   of each step
 */
#ifndef SC_SCORE_TRAIL_REACH_H
#define SC_SCORE_TRAIL_REACH_H

#include <starcloak/continuity.h>

#include "score/score.h"

/** Opaque. */
typedef struct sc_trail_reach sc_trail_reach;

/**
 * @param map  borrowed; must outlive the result
 * @return SC_OK, or as sc_continuity_new()
 */
SC_CHECKED sc_err sc_trail_reach_new(const sc_map *map, const sc_continuity_options *options,
                                     sc_trail_reach **out, sc_diag *diag);

/** NULL is fine. */
void sc_trail_reach_free(sc_trail_reach *reach);

/**
 * Find for each cloak of a traveller what it can have reached, from those that had left when it
 * asked (starcloak/continuity.h). All queries of the traveller in a cloak are reckoned with.
 *
 * @return SC_OK, SC_ENOMEM
 */
SC_CHECKED sc_err sc_trail_reach_find(sc_trail_reach *reach, const sc_trails *trails, size_t trail);

/** By segment of step `i`: how much of it, of SC_REACHED_WHOLE; NULL: there was no cloak before
 * that counts. Lent until the next call. */
const uint16_t *sc_trail_reach_at(const sc_trail_reach *reach, size_t i);

#endif
