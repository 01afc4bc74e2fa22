/**
 * @file cluster_fixture.h
 * @brief A small cluster in one process: gateways with real ledgers and workers with real engine
 * pools, over a real NATS server, on a small town that is divided into four.
 *
 * A gateway's provider is built in. Travellers ask by number: traveller i is user i, and stands on
 * a segment of some part. Those who wait for company of k users on one segment are cloaked together
 * as soon as the last has come, and not before: so it shows whether a worker knows of all of them.
 */
#ifndef SC_TESTS_SUPPORT_CLUSTER_FIXTURE_H
#define SC_TESTS_SUPPORT_CLUSTER_FIXTURE_H

#include <pthread.h>
#include <stdatomic.h>

#include "cluster/gateway.h"
#include "cluster/worker.h"
#include "support/cluster_keys.h"
#include "support/nats_server.h"
#include "support/odd_town.h"

enum { CLUSTER_PARTS = 4 };

/** So that who dies is missed soon; and a busy machine is not taken for a dead one all the time. */
#define CLUSTER_HEARTBEAT_S 0.1

enum { CLUSTER_KEYS = 256 };

typedef struct cluster_fixture {
    odd_town town;
    sc_partition *partition;
    nats_server nats;
    /** For each part one that is at home there; no two have a star in common. */
    sc_seg_id segments[CLUSTER_PARTS];
    bool is_nats_patient;  ///< gateways and workers wait an hour for a NATS server's answer
    size_t key_count;
    sc_cluster_key *keys[CLUSTER_KEYS];  ///< of gateways and workers, until it is closed
    atomic_uint shut_out;  ///< gateways and workers that reported that NATS refuses them
} cluster_fixture;

/** Everything but the gateways and workers. */
void cluster_fixture_open(cluster_fixture *fixture);
void cluster_fixture_close(cluster_fixture *fixture);

/** A fixture for a group of tests, as their state: set-up and tear-down for cmocka. */
int cluster_fixture_begin(void **state);
int cluster_fixture_end(void **state);

/** Two segments with a star in common, at home in parts of different owners. */
void cluster_across(const cluster_fixture *fixture, const sc_peer owners[CLUSTER_PARTS],
                    sc_seg_id *here, sc_seg_id *there);

/** A gateway, its ledger and its provider. */
typedef struct cluster_gateway {
    cluster_fixture *fixture;
    sc_gateway *gateway;
    sc_ledger *ledger;
    sc_courier *courier;
    pthread_mutex_t lock;
    sc_ticket *back;  ///< tickets that have their outcome, chained by `next`
} cluster_gateway;

void cluster_gateway_open(cluster_gateway *g, cluster_fixture *fixture, const char *name);

/** All that is open fails. In the order that a service keeps. */
void cluster_gateway_close(cluster_gateway *g);

sc_worker *cluster_worker(cluster_fixture *fixture, const char *name);

/** The same with another partition, or other demands (NULL: none). */
sc_worker *cluster_stranger(cluster_fixture *fixture, const char *name,
                            const sc_partition *partition, const sc_demands *demands);

/** Traveller `number` asks, from there, for k users, and would wait for so long. With 0 hops only
 * those at the same star can be company. */
void cluster_ask(cluster_gateway *g, uint32_t number, sc_seg_id segment, uint32_t k,
                 uint32_t max_hops, double wait_s);

/** Wait until so many have been answered; none may have ended otherwise. */
void cluster_await_answered(cluster_gateway *g, uint64_t count);

/** Wait until every part is served. */
void cluster_await_ready(cluster_gateway *g);

/** Wait until a worker has at least that many parts. */
void cluster_await_parts(sc_worker *worker, uint32_t count);

/** It hands over all its parts; others must be there. */
void cluster_drain(sc_worker *worker);

/** Wait until workers (`other` may be NULL) have received the release of so many cloaks. */
void cluster_await_published(sc_worker *worker, sc_worker *other, uint64_t count);

#endif
