/**
 * @file gateway_members.h
 * @brief Secret: the processes that a gateway knows of: by their heartbeats, by NATS, and as far as
 * clocks agree.
 *
 * A gateway that was away from NATS, or stood still, has received no heartbeats and must not take
 * all others for dead: it is *quiet* for as long as it takes to receive one of each living process,
 * and neither leads nor removes members. If it did lead, others have begun to lead meanwhile, or
 * there is no other gateway.
 *
 * All calls are made under the gateway's lock, but for those to `clocks`.
 */
#ifndef SC_CLUSTER_GATEWAY_MEMBERS_H
#define SC_CLUSTER_GATEWAY_MEMBERS_H

#include "cluster/clock_check.h"
#include "cluster/freshness.h"
#include "cluster/gateway_routes.h"
#include "cluster/roster.h"
#include "server/log.h"

/** A worker that does not subscribe, as NATS reports. */
typedef struct sc__suspected_worker {
    sc_peer worker;
    sc_time since;
} sc__suspected_worker;

/** More at once need not be remembered: missed heartbeats show the same, only later. */
enum { SC__SUSPECTS_MAX = 16 };

/** The last of those that something was logged about, each once; a ring. However many there are,
 * no more than these are named within an hour. Zero-initialise. */
enum { SC__LOGGED_MAX = 32 };
typedef struct sc__logged_peers {
    sc_peer of[SC__LOGGED_MAX];
    sc_time since[SC__LOGGED_MAX];
    size_t next;
    size_t count;
} sc__logged_peers;

/** Whether something is to be logged about that one now. From then on it was. */
bool sc__logged_peers_add(sc__logged_peers *logged, sc_peer peer, sc_time now);

typedef struct sc__gateway_members {
    // Read-only.
    sc_log *log;
    sc_peer self;
    uint64_t partition;
    sc_demand_digest demands;
    sc_time heartbeat_us;

    sc__clock_check clocks;  ///< any thread

    sc__freshness freshness;
    sc_roster *roster;
    sc__peer_log peer_log;
    sc__suspected_worker suspects[SC__SUSPECTS_MAX];
    size_t suspect_count;
    sc_time quiet_until;  ///< heartbeats may be missing: no peer is taken for dead
    sc_time last_look;
    sc__logged_peers strangers;  ///< processes with another partition or other demands
    sc__logged_peers crowded;    ///< keys with too many processes, as of sc_peer_key()
    sc__logged_peers searching;  ///< workers that search differently from most
} sc__gateway_members;

/** @return SC_OK, SC_ENOMEM; either way sc__gateway_members_fini() releases it */
SC_CHECKED sc_err sc__gateway_members_init(sc__gateway_members *members, sc_log *log,
                                           const sc__cluster_identity *identity,
                                           sc_time heartbeat_us, sc_time guard_us);
void sc__gateway_members_fini(sc__gateway_members *members);

/** Heartbeats are received from now on. */
void sc__gateway_members_start(sc__gateway_members *members, sc_time now);

/** A heartbeat was received; ownership moves here. Returns whether something changed. */
bool sc__gateway_members_receive(sc__gateway_members *members, sc_heartbeat *heartbeat,
                                 sc__gateway_routes *routes, sc_time now);

/** NATS reports that a worker that serves parts has no subscriber; it may be forged. */
void sc__gateway_members_suspect(sc__gateway_members *members, sc_peer worker, sc_time now);

/** Once in each heartbeat's time: remove those that are gone. Returns whether the members are
 * known.
 * @param is_back  NATS was away and is here again */
bool sc__gateway_members_look(sc__gateway_members *members, sc__gateway_routes *routes,
                              bool is_connected, bool is_back, sc_time now);

#endif
