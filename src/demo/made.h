/**
 * @file made.h
 * @brief A cloak made to be attacked: a method cloaks some queries that are alone in town.
 *
 * Uses: engine, patience. Used by: attack/examine.
 */
#ifndef SC_DEMO_MADE_H
#define SC_DEMO_MADE_H

#include <starcloak/cloak.h>

#include "demo/attack_on_demand.h"
#include "demo/patience.h"

/** What is to be tried. */
typedef struct sc__making {
    const sc_map *map;
    const sc_engine_options *engine;  ///< the method with its parameters
    const sc_attack_request *attack;  ///< its queries
    sc_rng *rng;
    const sc__patience *patience;
} sc__making;

/** Methods throw dice: where the first query finds no cloak, all is tried anew, so many times. */
enum { SC__MADE_TRIES = 8 };

/**
 * Let the queries of an attack come one after the other, and then time go on to their deadlines,
 * which are all the same.
 *
 * @param out  the cloak that the first of them is in, the caller's; NULL if there is none
 * @return SC_OK, SC_ENOMEM, SC_EINTERRUPTED, SC_ELATE
 */
SC_CHECKED sc_err sc__made_cloak(const sc__making *making, sc_cloak **out, sc_diag *diag);

#endif
