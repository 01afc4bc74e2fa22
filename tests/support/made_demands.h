/**
 * @file made_demands.h
 * @brief Demands on the roads of cloaks, drawn: what an engine asks of all, and single queries.
 *
 * Densities with many equal numbers and some busy roads, now and then with the largest numbers
 * there are; classes of a few roads each; zones and tables of where a user can have come that are
 * mostly near the query's road, so that some demands are met, some are not, and some never can be.
 * All of it follows from a seed.
 */
#ifndef SC_TESTS_SUPPORT_MADE_DEMANDS_H
#define SC_TESTS_SUPPORT_MADE_DEMANDS_H

#include <starcloak/demands.h>
#include <starcloak/query.h>

#include "base/rng.h"
#include "support/slow_roads.h"

/** Demands for the roads of one map, and those of queries that were made. */
typedef struct made_demands {
    const slow_roads *roads;  ///< borrowed
    sc_rng rng;
    sc_demands of_engine;
    sc_density *density;
    sc_place_classes *classes;
    uint32_t zones;  ///< of so many in a hundred queries; the next likewise
    uint32_t tables;
    struct made_own *made;
    sc_rng before_queries;  ///< the generator, when none had been made
} made_demands;

/** `density` and `classes` are there, and asked for in most: traffic 0 or 2 to 4, strict or not. */
void made_demands_start(made_demands *m, const slow_roads *roads, uint64_t seed);

/** Leave what an engine other than patient can ask of its queries. */
void made_demands_reduce(made_demands *m);

/** Forget what was made for queries; the next ones get the same again, in the same order. */
void made_demands_again(made_demands *m);

void made_demands_end(made_demands *m);

/** What a query asks by itself: often NULL. Lives as long as `m`. */
const sc_own_demands *made_own_demands(made_demands *m, const sc_query *query);

#endif
