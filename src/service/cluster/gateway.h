/**
 * @file gateway.h
 * @brief Secret: a gateway's place in the cluster: between its ledger and NATS.
 *
 *     ledger --messages--> gateway --sealed--> NATS --> workers, other gateways
 *     ledger <--messages-- gateway <--sealed-- NATS
 *
 * It carries the ledger's messages (sc_gateway_port()), sends heartbeats, keeps the roster, and,
 * while it leads, places parts. Company is not sent to a worker that has it already: the owner of
 * the query's home, and each owner once. When a part has a new owner or none, or NATS was away, the
 * ledger sends its open queries again (sc_ledger_resend()) once a worker serves the part.
 *
 * One thread of its own looks after heartbeats and placements, another one sends what the ledger
 * says (outbox.h): nothing that decides outcomes waits for NATS. Messages that are received go
 * straight through.
 */
#ifndef SC_CLUSTER_GATEWAY_H
#define SC_CLUSTER_GATEWAY_H

#include <starcloak/demands.h>

#include "cluster/bus.h"
#include "cluster/cluster_codec.h"
#include "cluster/cluster_view.h"
#include "ledger/ledger.h"
#include "partition/partition.h"
#include "server/log.h"

typedef struct sc_gateway_options {
    sc_bus_options bus;             ///< `self`, callbacks and `context` are set here
    const sc_partition *partition;  ///< borrowed
    sc_demands demands;             ///< what its queries ask; read only when it is made
    sc_continuity_digest continuity;
    const char *name;    ///< for people
    double heartbeat_s;  ///< 0.5
    double uneven;       ///< 1.25
    double repack_s;     ///< 60
    double guard_s;      ///< clocks may differ by that much (clock_check.h)
    sc_log *log;
    /** NATS refuses this process for good (bus.h): it can do nothing any more, and should be
     * started again. Called once at most, in a thread of the NATS library; may be NULL. */
    void (*given_up)(void *context);
    void *context;
} sc_gateway_options;

typedef struct sc_gateway sc_gateway;

/** Draw a number, and read the files for NATS. No connection is made yet. */
SC_CHECKED sc_err sc_gateway_new(const sc_gateway_options *options, sc_gateway **out,
                                 sc_diag *diag);

sc_peer sc_gateway_self(const sc_gateway *gateway);

/** For sc_ledger_options.workers. Lent. */
const sc_port *sc_gateway_port(const sc_gateway *gateway);

/** Connect to NATS; receive, and send heartbeats from now on. `ledger` and `vocabulary` are
 * borrowed until sc_gateway_stop(). */
SC_CHECKED sc_err sc_gateway_start(sc_gateway *gateway, sc_ledger *ledger,
                                   const sc_vocabulary *vocabulary, sc_diag *diag);

/** Is given visits and their answers (async_visits.c): it takes what the message owns, in a thread
 * of the NATS library, and must be quick. */
typedef void sc_gateway_visits(void *context, sc_msg *msg);

/** Before sc_gateway_start(). */
void sc_gateway_set_visits(sc_gateway *gateway, sc_gateway_visits *receive, void *context);

/** Send a visit or an answer to another gateway, which may be lost. What it owns goes with it. Any
 * thread; never waits. */
void sc_gateway_send(sc_gateway *gateway, sc_peer to, sc_msg *msg);

/** Whether that is a gateway that is alive, as far as we know. Any thread. */
bool sc_gateway_knows(sc_gateway *gateway, sc_peer peer);

/** Whether every part has a living worker, and our clock is not known to be wrong: what /readyz
 * asks. Any thread. */
bool sc_gateway_is_ready(sc_gateway *gateway);

/** Whether it ever was: before that, queries would only wait. Any thread; quick. */
bool sc_gateway_has_been_ready(sc_gateway *gateway);

/** Whether our clock differs by more than the guard from another gateway's and from those of most
 * processes. Any thread. */
bool sc_gateway_clock_is_wrong(sc_gateway *gateway);

/** What the queries of a gateway can reach. */
typedef struct sc_gateway_reach {
    uint32_t workers;         ///< alive and not about to leave
    uint32_t unserved_parts;  ///< of the map, which no worker serves
} sc_gateway_reach;

/** No worker and no part without a connection to NATS. Any thread; quick, without memory. */
sc_gateway_reach sc_gateway_reach_of(sc_gateway *gateway);

/** The cluster as this gateway sees it; free with sc_cluster_view_free(). NULL if memory is out.
 * Any thread. */
sc_cluster_view *sc_gateway_view(sc_gateway *gateway);

/** Announce that this gateway leaves, and receive nothing any more. The ledger may still send.
 * Twice is harmless. */
void sc_gateway_stop(sc_gateway *gateway);

/** After the ledger's end. NULL is fine. */
void sc_gateway_free(sc_gateway *gateway);

#endif
