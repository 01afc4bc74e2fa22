/**
 * @file traffic.h
 * @brief Counting who is where: the density that an adversary may have from elsewhere.
 *
 * Uses: travel. Used by: lab, starcloak attack and density.
 */
#ifndef SC_SIM_TRAFFIC_H
#define SC_SIM_TRAFFIC_H

#include "travel/movement.h"

/**
 * Add to `counts`, one per segment of the movement's map, where its travellers are at `from` and
 * every `step` after it until before `until`. Who is not on the roads is not counted. The movement
 * is used up to `until`.
 *
 * @return SC_OK, SC_EINVAL (step not above 0, or nothing between), SC_ENOMEM
 */
SC_CHECKED sc_err sc_traffic_count(sc_movement *movement, sc_time from, sc_time until, sc_time step,
                                   uint64_t *counts);

#endif
