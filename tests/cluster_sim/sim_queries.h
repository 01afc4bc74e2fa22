/**
 * @file sim_queries.h
 * @brief Secret: travellers who ask a simulated cluster, as they would ask an engine in a
 * simulation.
 *
 * Each asks, waits for its outcome, pauses, and asks again, wherever it is then (sim/workload.h).
 * Travellers whose gateway crashed have lost patience, and ask no more.
 *
 *     err = sc_sim_crowd_new(movement, &workload, seed, &crowd, diag);
 *     options.ended = sc_sim_crowd_ended, options.context = crowd;
 *     err = sc_cluster_sim_new(map, &options, &simulation, diag);
 *     err = sc_sim_crowd_ask(crowd, simulation, until, diag);
 *     err = sc_cluster_sim_run(simulation, SC_TIME_NEVER);
 */
#ifndef SC_CLUSTER_SIM_SIM_QUERIES_H
#define SC_CLUSTER_SIM_SIM_QUERIES_H

#include "cluster_sim/cluster_sim.h"
#include "sim/workload.h"

typedef struct sc_sim_crowd sc_sim_crowd;

/** @param movement  borrowed; must outlive the result, and is used here alone */
SC_CHECKED sc_err sc_sim_crowd_new(sc_movement *movement, const sc_workload *workload,
                                   uint64_t seed, sc_sim_crowd **out, sc_diag *diag);

/** NULL is fine. */
void sc_sim_crowd_free(sc_sim_crowd *crowd);

/** For the options of the simulation. */
void sc_sim_crowd_ended(void *context, uint64_t number, const sc_ticket *ticket, sc_time now);

/** Let them ask until that moment, which is then `now`. Questions that are not admitted are none.
 */
SC_CHECKED sc_err sc_sim_crowd_ask(sc_sim_crowd *crowd, sc_cluster_sim *sim, sc_time until,
                                   sc_diag *diag);

#endif
