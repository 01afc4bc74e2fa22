/**
 * @file pursuit.h
 * @brief Travellers who ask again, followed from cloak to cloak.
 *
 * What is told of the first cloak and of the fifth should be of the same travellers: whoever has
 * five may well live elsewhere than whoever has one. So those with as many cloaks as are looked at
 * are followed; and only where there are hardly any, those with one less, and so on.
 *
 * Uses: attack.h, score. Used by: lab/assault.
 */
#ifndef SC_LAB_PURSUIT_H
#define SC_LAB_PURSUIT_H

#include "lab/results.h"
#include "score/cases.h"

typedef struct sc__pursuit {
    const sc_map *map;
    const sc_density *density;  ///< NULL: uniform
    uint32_t least_asked;       ///< cloaks that a traveller must have, if there are enough such
    size_t max_travellers;
    uint64_t seed;  ///< of who is followed
} sc__pursuit;

/**
 * @param cases    all cloaks of a run
 * @param measure  `followed`, `effective` and `located` are set
 */
SC_CHECKED sc_err sc__pursue(const sc__pursuit *pursuit, const sc_cases *cases,
                             sc_lab_measure *measure, sc_diag *diag);

#endif
