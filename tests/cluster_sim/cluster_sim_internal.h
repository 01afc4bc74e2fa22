/**
 * @file cluster_sim_internal.h
 * @brief Secret: the state of a simulated cluster, and what its files share.
 *
 *     cluster_sim.c     time passes: the next event happens
 *     process.c         one process: its clock, its wakes, what waits while it stands still
 *     gateway.c         a process with a ledger state, and the way to the provider
 *     worker.c          a process with an engine pool
 *     network.c         messages on their way
 *     part_placement.c  which worker has which part, and which processes know
 *     faults.c          crashes, stalls and cuts
 *     ground_truth.c    what is true, and the checks
 *
 * Clocks: a process reads now + skew on its calendar and now + skew + boot on its own clock, by
 * which its state or engine pool live. Messages carry the calendar of the sender, as
 * cluster/cluster_codec.h has it.
 *
 * Memory that is out is remembered (sc__cluster_sim_fail()) and returned by the function that lets
 * time pass.
 */
#ifndef SC_CLUSTER_SIM_CLUSTER_SIM_INTERNAL_H
#define SC_CLUSTER_SIM_CLUSTER_SIM_INTERNAL_H

#include "base/rng.h"
#include "cluster/cluster_codec.h"
#include "cluster_sim/cluster_sim.h"
#include "cluster_sim/events.h"
#include "cluster_sim/ground_truth.h"
#include "ledger/state.h"

typedef enum sc__standing {
    SC__DOWN,   ///< crashed, and not back yet
    SC__STILL,  ///< it stands still: whatever happens to it waits
    SC__UP,
} sc__standing;

/** A gateway or a worker, through all its lives. */
typedef struct sc__process {
    sc_cluster_sim *sim;
    uint32_t index;
    bool is_worker;
    sc__standing standing;
    uint32_t life;       ///< how often it was started
    uint32_t stalls;     ///< of all its lives
    bool is_doomed;      ///< it crashes after its next step
    bool is_mute;        ///< it is being taken down: nothing it sends is received
    sc_rng rng;          ///< of this life, as the next two
    sc_time skew_us;     ///< its calendar's
    sc_time boot_us;     ///< its own clock less its calendar
    sc_time wake;        ///< when it is woken next, by the simulation's clock; SC_TIME_NEVER
    uint32_t dead_life;  ///< the last that ended in a crash, and what was sent from then on is lost
    sc_time lost_since;
    sc_time cut_until;  ///< messages from it and to it are lost until then
    sc__event *first;   ///< what waits while it stands still, oldest first
    sc__event *last;

    // A gateway's.
    sc__ledger_state *state;
    sc_query_id spread;       ///< the query of the last message to a part that is not its home,
    sc_msg_kind spread_kind;  ///< what it was,
    uint8_t *told;            ///< and which workers were told, one byte each

    // A worker's.
    sc_engine_pool *engines;
    sc_peer known;   ///< which life of it the leader believes in; SC_PEER_NONE: none
    bool *has_part;  ///< whose subjects it listens to, one per part
    bool has_news;   ///< parts were placed while it stood still
} sc__process;

struct sc_cluster_sim {
    const sc_map *map;
    sc_cluster_sim_options options;
    sc_rng rng;  ///< of the network and of faults
    sc_time now;
    bool is_calm;  ///< no new faults
    sc_err err;    ///< the first thing that went wrong; all ends with it
    sc__events events;
    sc__truth truth;
    sc__process *processes;  ///< gateways, then workers
    uint32_t process_count;
    sc_peer *owners;            ///< of parts, by the placement that counts
    uint64_t proposals_before;  ///< of engine pools that are gone
    uint64_t refused_before;    ///< of them
    sc_cluster_codec codec;     ///< if messages are encoded
    sc_bytes bytes;
};

// --- cluster_sim.c

/** Something that a simulated cluster cannot go on after. */
void sc__cluster_sim_fail(sc_cluster_sim *sim, sc_err err);

/** Plan an event, which is taken; NULL: memory was out. */
void sc__cluster_sim_plan(sc_cluster_sim *sim, sc_time t, sc__event *event);

/** From 0 to twice the mean. */
sc_time sc__draw_time(sc_rng *rng, sc_time mean);

// --- process.c

/** Its name in this life. */
sc_peer sc__process_peer(const sc__process *process);

/** What it reads on its own clock. */
sc_time sc__process_now(const sc__process *process);

/** Wake it when its own clock shows `t`, unless it is woken earlier. */
void sc__process_wake_at(sc__process *process, sc_time t);

/** Begin a life: a new number, new clocks, empty state or an empty engine pool. */
void sc__process_start(sc__process *process, sc_diag *diag);

/** Whatever it had is gone. */
void sc__process_end(sc__process *process);

/** Something happens to it; the event is taken. */
void sc__process_meet(sc__process *process, sc__event *event);

/** It stood still, and goes on: all that waits happens now. */
void sc__process_resume(sc__process *process);

// --- gateway.c

SC_CHECKED sc_err sc__as_gateway_start(sc__process *process);
void sc__as_gateway_end(sc__process *process);

/** The event is left to the caller, the message or ticket of it taken. */
void sc__as_gateway_meet(sc__process *process, sc__event *event);

/** Whatever can be done at this moment. */
void sc__as_gateway_attend(sc__process *process);

// --- worker.c

SC_CHECKED sc_err sc__as_worker_start(sc__process *process, sc_diag *diag);
void sc__as_worker_end(sc__process *process);
void sc__as_worker_receive(sc__process *process, sc_msg *msg);
void sc__as_worker_attend(sc__process *process);

/** It has the parts that the placement gives it, and no others. */
void sc__as_worker_take_parts(sc__process *process);

// --- network.c

/** What a process sends. */
sc_port sc__network_port(sc__process *process);

/** A message arrives; the event is taken. */
void sc__network_deliver(sc_cluster_sim *sim, sc__event *event);

// --- part_placement.c

/** Place parts on the workers that are known; `loads` may be NULL: all alike. */
void sc__place_parts(sc_cluster_sim *sim, const double *loads);

// --- faults.c

/** Plan the first crash, the first stall and the first cut. */
void sc__faults_plan(sc_cluster_sim *sim);

/** A crash or a stall of any process, or a cut of a gateway; and the next one is planned. */
void sc__faults_strike(sc_cluster_sim *sim, sc__event_kind kind);

/** What follows from one; the event is left to the caller. */
void sc__faults_meet(sc__process *process, const sc__event *event);

/** It ends here and now, and is back later. */
void sc__process_crash(sc__process *process, sc_time lost_since);

#endif
