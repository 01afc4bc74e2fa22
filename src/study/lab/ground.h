/**
 * @file ground.h
 * @brief What all points of one map share: ways along its roads, and its objects.
 *
 * Finding out the fastest ways takes longer than many a point, so it is done once, before the
 * processes part; they read it and leave it as it is.
 *
 * Uses: travel, traces, objects. Used by: lab/point, lab/assault, lab/workers.
 */
#ifndef SC_LAB_GROUND_H
#define SC_LAB_GROUND_H

#include <starcloak/objects.h>

#include "lab/lab.h"

/** Zero-initialise, then sc__ground_init(). */
typedef struct sc__ground {
    const sc_lab_map *map;  ///< borrowed; NULL before the init
    sc_route_table table;   ///< for trips; walks need none
    sc_routes *routes;      ///< for traces
    sc_objects *objects;    ///< NULL: the map has none
} sc__ground;

/** @param map  of the options; borrowed, must outlive the ground */
SC_CHECKED sc_err sc__ground_init(sc__ground *ground, const sc_lab_options *options,
                                  const sc_lab_map *map, sc_diag *diag);

/** Harmless twice, and on a zeroed one. */
void sc__ground_fini(sc__ground *ground);

/**
 * The travellers of a seed, all at their beginnings.
 *
 * @param options  those of the init
 * @return SC_OK, SC_EINVAL (traces that end before all is counted, or as sc_follow_new()),
 *         SC_ENOMEM
 */
SC_CHECKED sc_err sc__ground_movement(const sc__ground *ground, const sc_lab_options *options,
                                      uint64_t seed, sc_movement **out, sc_diag *diag);

#endif
