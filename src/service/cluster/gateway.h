/**
 * @file gateway.h
 * @brief Secret: a gateway's place in the cluster: between its ledger and NATS.
 *
 *     ledger --words--> gateway --sealed--> NATS --> workers, other gateways
 *     ledger <--words-- gateway <--sealed-- NATS
 *
 * It gives the ledger a voice (sc_gateway_voice()), carries words, beats, keeps the roster, and,
 * while it leads, places parts. Company is not sent to a worker that has it already: the owner of
 * the query's home, and each owner once. When a part has a new owner, or nobody, or NATS was away,
 * the ledger is told to say its open queries anew (sc_ledger_resend()), once somebody serves it.
 *
 * One thread of its own looks after beats and placements; words go straight through.
 *
 * Uses: commit, cut, ledger. Used by: service.
 */
#ifndef SC_CLUSTER_GATEWAY_H
#define SC_CLUSTER_GATEWAY_H

#include "cluster/bus.h"
#include "cluster/cluster_codec.h"
#include "cluster/cluster_view.h"
#include "ledger/ledger.h"
#include "partition/partition.h"
#include "server/log.h"

typedef struct sc_gateway_options {
    sc_bus_options bus;             ///< `cut`, callbacks and `context` are set here
    const sc_partition *partition;  ///< borrowed
    const char *name;               ///< for people
    double heartbeat_s;             ///< 0.5
    double uneven;                  ///< 1.25
    double repack_s;                ///< 60
    double guard_s;                 ///< more than this of clock skew is warned of
    sc_log *log;
    /** NATS has shut this process out for good (wire.h): it can do nothing any more, and should be
     * started anew. Called once at most, in a thread of the NATS library; may be NULL. */
    void (*given_up)(void *context);
    void *context;
} sc_gateway_options;

typedef struct sc_gateway sc_gateway;

/** Draw a number, and read the files for NATS. Nobody is spoken to yet. */
SC_CHECKED sc_err sc_gateway_new(const sc_gateway_options *options, sc_gateway **out,
                                 sc_diag *diag);

sc_peer sc_gateway_self(const sc_gateway *gateway);

/** For sc_ledger_options.workers. Lent. */
const sc_voice *sc_gateway_voice(const sc_gateway *gateway);

/** Connect to NATS; listen and beat from now on. `ledger` and `vocabulary` are borrowed until
 * sc_gateway_stop(). */
SC_CHECKED sc_err sc_gateway_start(sc_gateway *gateway, sc_ledger *ledger,
                                   const sc_vocabulary *vocabulary, sc_diag *diag);

/** Whether every part has a living worker: what /readyz asks. Any thread. */
bool sc_gateway_is_ready(sc_gateway *gateway);

/** What there is to see; free with sc_cluster_view_free(). NULL if memory is out. Any thread. */
sc_cluster_view *sc_gateway_view(sc_gateway *gateway);

/** Say that we leave, and hear nothing any more. The ledger may still speak. Twice is harmless. */
void sc_gateway_stop(sc_gateway *gateway);

/** After the ledger's end. NULL is fine. */
void sc_gateway_free(sc_gateway *gateway);

#endif
