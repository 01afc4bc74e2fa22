/**
 * @file schedule.h
 * @brief Small simulated clusters by the thousand: a grid of streets, a few processes, a handful of
 * queries, and faults, all from one seed.
 */
#ifndef SC_TESTS_SUPPORT_SCHEDULE_H
#define SC_TESTS_SUPPORT_SCHEDULE_H

#include "cluster_sim/cluster_sim.h"

/** Two or three gateways and as many workers, a slow network without faults; `partition` is set
 * when it is played. */
sc_cluster_sim_options schedule_options(uint64_t seed);

/** Play it to its end. Map, partition and queries are drawn from `options->seed`. */
sc_cluster_sim_verdict schedule_play(const sc_cluster_sim_options *options);

/** The same with more queries, for 15 seconds, half of which wait for up to 13. */
sc_cluster_sim_verdict schedule_play_long(const sc_cluster_sim_options *options);

/** What must never be was not; and every query is accounted for. */
void schedule_check(const sc_cluster_sim_verdict *verdict);

/** Of many schedules together. */
void schedule_sum(sc_cluster_sim_verdict *sum, const sc_cluster_sim_verdict *verdict);

#endif
