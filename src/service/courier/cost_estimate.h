/**
 * @file cost_estimate.h
 * @brief What it costs a provider to answer, estimated before it is asked.
 *
 * A provider answers a request once for each border node of a cloak: it walks the roads in reach of
 * the node and lists the objects found. So the cost of a request is counted in *steps*,
 *
 *     intersections in reach * (border nodes / 16) + objects in range * border nodes
 *
 * since searches of sixteen border nodes share their way (lbs/shared_search.c), and what each of
 * them finds is written, sent, checked and filtered by itself. A million steps take 0.2 s or less
 * of one processor of today.
 *
 * What is in reach comes from a coarse grid of counts over the map: intersections of the map, and
 * objects of the built-in provider, which are counted again when others are loaded; those of the
 * map, if it has any, stand for the objects of a provider elsewhere, else one object for each four
 * intersections is assumed. The few nearest of a category are looked up where there is a nearest
 * index, and a provider elsewhere is taken to have one: so a rare category does not cost a search
 * of the whole map. A map without coordinates has only averages.
 *
 * Nothing is learnt from replies: neither how many objects a provider elsewhere has, nor how long
 * it takes.
 *
 * An estimate is a number of the map and the request, and of a road: not of users. Read by any
 * number of threads, also while objects are counted again.
 */
#ifndef SC_COURIER_COST_ESTIMATE_H
#define SC_COURIER_COST_ESTIMATE_H

#include <starcloak/map.h>
#include <starcloak/objects.h>
#include <starcloak/relay.h>

typedef struct sc_cost_estimator sc_cost_estimator;

/** The objects of the built-in provider. */
typedef struct sc_cost_objects {
    const sc_objects *objects;        ///< looked at now; NULL: the provider is elsewhere
    const sc_vocabulary *vocabulary;  ///< by which requests name categories; looked at now. NULL:
                                      ///< by that of the objects
} sc_cost_objects;

/**
 * Count what is where. Time O(stars + objects).
 *
 * @param map       borrowed
 * @param built_in  NULL: the provider is elsewhere
 * @return SC_OK, SC_ENOMEM
 */
SC_CHECKED sc_err sc_cost_estimator_new(const sc_map *map, const sc_cost_objects *built_in,
                                        sc_cost_estimator **out);

/** The objects are others: count them. Any thread; none waits for the counting. Time O(objects).
 * @return SC_OK, SC_ENOMEM (all is as before) */
SC_CHECKED sc_err sc_cost_estimator_recount(sc_cost_estimator *estimator,
                                            const sc_cost_objects *built_in);

/** NULL is fine. */
void sc_cost_estimator_free(sc_cost_estimator *estimator);

/** What is in reach of a request from a road. */
typedef struct sc_cost_reach {
    double stars;    ///< intersections that a search visits
    double objects;  ///< that it finds
} sc_cost_reach;

/** @param segment  near which the request is answered
 * @param request  in normal form, categories as the courier's vocabulary has them */
sc_cost_reach sc_cost_reach_of(const sc_cost_estimator *estimator, sc_seg_id segment,
                               const sc_request *request);

/** Steps for a request with that reach and so many border nodes. */
double sc_cost_steps(sc_cost_reach reach, double border_nodes);

/** Steps of a relay: those of its requests together. */
double sc_cost_of_relay(const sc_cost_estimator *estimator, const sc_relay *relay);

/** Border nodes that a cloak of so many segments has, as far as can be said before there is one. */
double sc_cost_expected_border(uint32_t segments);

#endif
