/**
 * @file bus.h
 * @brief A process's connection to NATS: sealed messages out and in.
 *
 * Subjects begin with the cluster's name, and say what NATS may let a role do (docs/cluster.md):
 *     NAME.gateway.PEER        messages for one gateway; PEER in 16 hexadecimal digits
 *     NAME.worker.PEER         messages for one worker
 *     NAME.beat.gateway        heartbeats of gateways, to all processes
 *     NAME.beat.worker         heartbeats of workers, to gateways
 *     NAME.place               placements, to all processes
 *     NAME.void.PEER.WORKER    where NATS itself reports that a worker to which this gateway sent
 *                              something has no subscriber ("no responders")
 *
 * NATS reconnects by itself, to any server that it knows or learns of, again and again unless the
 * servers refuse the credentials; what is sent meanwhile waits in a bounded buffer of the client,
 * then is lost. Callbacks come in threads of the NATS library, one at a time per subscription.
 */
#ifndef SC_CLUSTER_BUS_H
#define SC_CLUSTER_BUS_H

#include <starcloak/err.h>
#include <starcloak/relay_codec.h>

#include "cluster/cluster_key.h"
#include "messages/messages.h"

/** What the permissions of the NATS servers forbid us. */
typedef struct sc_bus_forbidden {
    const char *action;  ///< "publish" or "subscribe"
    const char *kind;    ///< of subjects, in words: "heartbeats of gateways"
} sc_bus_forbidden;

typedef struct sc_bus_options {
    const char *const *servers;  ///< "nats://host:4222" or "tls://..."
    size_t server_count;
    const char *cluster;                ///< its name: the first token of subjects
    const char *client;                 ///< how the connection is called, for NATS's monitoring
    const char *ca;                     ///< PEM; NULL: the system's. Any of these three means TLS
    const char *certificate;            ///< PEM; NULL: none
    const char *key;                    ///< PEM
    const char *credentials;            ///< a .creds file; NULL: none
    const char *user;                   ///< NULL: none
    const char *password;               ///< wiped by the caller
    double timeout_s;                   ///< to connect
    const sc_cluster_key *cluster_key;  ///< borrowed
    sc_peer self;                       ///< our number; SC_PEER_NONE: we send nothing
    /** The connection broke (false) or is back (true). In a thread of the library; may be NULL. */
    void (*connected)(void *context, bool is_connected);
    /** The servers refused the credentials twice, and the library has given up for good: only a new
     * bus helps. After connected(false), in the same thread; may be NULL.
     */
    void (*given_up)(void *context);
    /** The servers' permissions forbid us to publish or subscribe to a kind of subjects; once for
     * each. In a thread of the library; may be NULL. */
    void (*forbidden)(void *context, const sc_bus_forbidden *what);
    void *context;
} sc_bus_options;

typedef struct sc_bus sc_bus;

/**
 * Read the files that the options name; everything is copied. No connection is made yet, so that
 * privileges can be given up in between.
 *
 * @return SC_OK, SC_EINVAL, SC_EIO (a file), SC_ENOMEM
 */
SC_CHECKED sc_err sc_bus_new(const sc_bus_options *options, sc_bus **out, sc_diag *diag);

/** Connect, once. SC_OK, SC_ENET, SC_EIO (credentials that cannot be read any more), SC_ENOMEM; on
 * failure it is of no more use. */
SC_CHECKED sc_err sc_bus_connect(sc_bus *bus, sc_diag *diag);

/** Send what waits (for at most a second), close and free; no callback comes after that. NULL is
 * fine. */
void sc_bus_free(sc_bus *bus);

/** A message that was unsealed; lent. @param from  its sender (sc_unseal_message()) */
typedef void sc_bus_receive(void *context, sc_peer from, const void *bytes, size_t size);

typedef struct sc_bus_subscription sc_bus_subscription;  ///< a subscription

/** To messages for us. */
SC_CHECKED sc_err sc_bus_subscribe_own(sc_bus *bus, sc_bus_receive *receive, void *context,
                                       sc_bus_subscription **out, sc_diag *diag);
/** @param of_workers  or of gateways; only gateways can read those of workers */
SC_CHECKED sc_err sc_bus_subscribe_heartbeats(sc_bus *bus, bool of_workers, sc_bus_receive *receive,
                                              void *context, sc_bus_subscription **out,
                                              sc_diag *diag);
SC_CHECKED sc_err sc_bus_subscribe_placements(sc_bus *bus, sc_bus_receive *receive, void *context,
                                              sc_bus_subscription **out, sc_diag *diag);
/** Called when NATS reports that a worker to which we sent something has no subscriber. Clients of
 * NATS that may publish there can forge it: a hint. */
SC_CHECKED sc_err
sc_bus_subscribe_no_responders(sc_bus *bus, void (*no_responders)(void *context, sc_peer worker),
                               void *context, sc_bus_subscription **out, sc_diag *diag);

/** No callback comes after that: one that is under way is waited for, so it may not be called in
 * one. NULL is fine. */
void sc_bus_unsubscribe(sc_bus_subscription *subscription);

/** Wait until the servers know of all subscriptions so far, at most `seconds`. SC_OK, SC_ENET */
SC_CHECKED sc_err sc_bus_flush(sc_bus *bus, double seconds);

/** Seal and send. Any thread. SC_OK; SC_ELIMIT (larger than the servers take), SC_ENET, SC_ENOMEM:
 * it is lost, and counted. */
SC_CHECKED sc_err sc_bus_send_peer(sc_bus *bus, sc_peer to, const void *bytes, size_t size);
/** The same to a worker; NATS reports if it has no subscriber. */
SC_CHECKED sc_err sc_bus_send_worker(sc_bus *bus, sc_peer worker, const void *bytes, size_t size);
SC_CHECKED sc_err sc_bus_send_heartbeat(sc_bus *bus, const void *bytes, size_t size);
/** Gateways only, as with a worker's key it cannot be sealed. */
SC_CHECKED sc_err sc_bus_send_placement(sc_bus *bus, const void *bytes, size_t size);

/** Since the start; any thread. */
typedef struct sc_bus_stats {
    bool is_connected;
    uint64_t messages_out;
    uint64_t messages_in;
    uint64_t bytes_out;
    uint64_t bytes_in;
    uint64_t unsent;     ///< lost here
    uint64_t unopened;   ///< that could not be unsealed
    uint64_t overrun;    ///< that NATS's client dropped since we were slow
    uint64_t forbidden;  ///< publications and subscriptions that the servers' permissions forbid
    uint64_t reconnects;
} sc_bus_stats;

sc_bus_stats sc_bus_stats_of(const sc_bus *bus);

/** As in the counts; waits for no lock. */
bool sc_bus_is_connected(const sc_bus *bus);

#endif
