/**
 * @file cluster_sim.h
 * @brief Secret: a cluster in one thread, on a clock of its own, over a network that fails by plan.
 *
 * Gateways with their state, workers with their engine pools, and between them a network that
 * delays, overtakes, loses and doubles messages; processes crash and come back; all by one seed, so
 * that every schedule can be played again. The code of gateways and workers is the one that runs
 * for real: only threads, clocks and NATS are missing. The provider answers after a while, or
 * fails, or is silent.
 *
 * While it runs it looks at every step (sc_cluster_sim_verdict): no query is published twice or
 * after its deadline; every cloak published keeps P1 to P7, by the verifier, with the truth about
 * all its members; every query has exactly one outcome, unless its gateway crashed, when its client
 * knows.
 */
#ifndef SC_CLUSTER_SIM_CLUSTER_SIM_H
#define SC_CLUSTER_SIM_CLUSTER_SIM_H

#include <starcloak/engine.h>
#include <starcloak/query.h>

#include "ledger/ledger.h"
#include "messages/messages.h"
#include "partition/partition.h"
#include "worker/engine_pool.h"

/** A network that lies, by which tests see that the checks can fail. */
typedef enum sc_cluster_sim_fault {
    SC_CLUSTER_SIM_FAULT_NONE = 0,
    SC_CLUSTER_SIM_FAULT_NO_IS_OK,  ///< every no arrives as an ok
    SC_CLUSTER_SIM_FAULT_SMALLER,   ///< every proposal arrives without its last segment
} sc_cluster_sim_fault;

typedef struct sc_cluster_sim_options {
    uint64_t seed;
    unsigned gateways;
    unsigned workers;
    sc_engine_options engine;
    const sc_partition *partition;
    size_t max_pending;  ///< of each gateway
    sc_time jitter_us;
    sc_time guard_us;
    sc_time patience_us;         ///< of gateways
    sc_time worker_patience_us;  ///< 0: the same
    // The network: one way, between processes.
    sc_time delay_us;  ///< mean; drawn from 0 to twice that: messages overtake each other
    double straying;   ///< share of messages that take up to 20 times as long
    double loss;       ///< share of messages
    double doubling;
    sc_time skew_us;      ///< clocks differ by up to that; below guard_us, or promises may break
    sc_time ahead_us;     ///< and those of every second gateway are that far ahead
    bool is_skew_hidden;  ///< gateways do not know that their clocks differ
    // Processes.
    double crashes_per_s;  ///< of the whole cluster, any process; it is back after `down_us`
    double stalls_per_s;   ///< a process stands still (SIGSTOP) for up to `down_us`
    double cuts_per_s;     ///< a gateway is cut off from all others for up to `down_us`
    sc_time down_us;
    sc_time notice_us;  ///< until a crash is noticed and parts are moved
    // The provider.
    sc_time provider_us;  ///< mean
    double provider_failure;
    double leaving;       ///< share of clients that go away before their outcome
    bool is_company_off;  ///< what a partition costs (for comparison); engines of one worker still
                          ///< share
    bool is_checked;      ///< every cloak by the verifier
    bool is_encoded;      ///< messages travel as bytes (cluster/cluster_codec.h), which are counted
    sc_cluster_sim_fault fault;
    /** A query has its outcome: its number in the order of asking, from 0 on, and when. Not called
     * for those whose gateway crashed. May be NULL. */
    void (*ended)(void *context, uint64_t number, const sc_ticket *ticket, sc_time now);
    void *context;
} sc_cluster_sim_options;

sc_cluster_sim_options sc_cluster_sim_options_default(void);

typedef struct sc_cluster_sim sc_cluster_sim;
SC_CHECKED sc_err sc_cluster_sim_new(const sc_map *map, const sc_cluster_sim_options *options,
                                     sc_cluster_sim **out, sc_diag *diag);
void sc_cluster_sim_free(sc_cluster_sim *sim);

/** A query at any living gateway, at `now`, which never goes back. */
SC_CHECKED sc_err sc_cluster_sim_ask(sc_cluster_sim *sim, const sc_query *query, sc_time now);

/** Let time pass until `now`; SC_TIME_NEVER: until every query has its outcome, without new faults.
 */
SC_CHECKED sc_err sc_cluster_sim_run(sc_cluster_sim *sim, sc_time now);

/** What was found out. */
typedef struct sc_cluster_sim_verdict {
    uint64_t asked;
    uint64_t answered;
    uint64_t dropped;
    uint64_t failed[SC_FAILURE_COUNT];
    uint64_t gone;          ///< their client went away
    uint64_t disconnected;  ///< their gateway crashed
    uint64_t cloaks;
    uint64_t msgs[SC_MSG_KIND_COUNT];   ///< between processes
    uint64_t bytes[SC_MSG_KIND_COUNT];  ///< of them, if they are encoded; not sealed
    uint64_t words_inside;              ///< not sent, since the process that is meant has it
    uint64_t crashes;
    uint64_t proposals;
    uint64_t refused;  ///< of them
    // Never:
    uint64_t twice;      ///< queries published in two cloaks
    uint64_t late;       ///< published after a deadline
    uint64_t broken;     ///< cloaks that break a promise
    uint64_t unsettled;  ///< queries without an outcome at the end
    uint64_t resettled;  ///< with two
    // What knowledge of the partition rules out: segments of cloaks on which no member can be,
    // since not even a query with the greatest hops of them all would have been known there to the
    // engine that found the cloak.
    uint64_t ruled_out_segments;
    uint64_t ruled_out_cloaks;
    uint64_t ruled_out_below_l;  ///< cloaks that keep fewer than the greatest l without them
    char what[256];              ///< the first thing that must never be, as text
} sc_cluster_sim_verdict;

const sc_cluster_sim_verdict *sc_cluster_sim_verdict_of(const sc_cluster_sim *sim);

/** What parts have done since their worker has them, one per part. */
SC_CHECKED sc_err sc_cluster_sim_loads(sc_cluster_sim *sim, sc_part_load *loads);

/** Pack parts onto workers by load, as a leader would (cluster/placement.h), from now on. */
SC_CHECKED sc_err sc_cluster_sim_pack(sc_cluster_sim *sim, const double *loads);

/** Which worker has a part; SC_NONE: none. */
uint32_t sc_cluster_sim_owner(const sc_cluster_sim *sim, uint32_t part);

#endif
