/**
 * @file heartbeats.h
 * @brief Heartbeats for tests: gateways and workers of which little more than their being alive is
 * known.
 */
#ifndef SC_TESTS_UNIT_CLUSTER_HEARTBEATS_H
#define SC_TESTS_UNIT_CLUSTER_HEARTBEATS_H

#include "cluster/heartbeat.h"
#include "support/check.h"

#include <stdio.h>

enum { TEST_PARTITION = 77 };

/** Half a second. */
#define HEARTBEAT_US INT64_C(500000)

static inline sc_heartbeat *heartbeat_of(sc_peer peer, bool is_worker, uint64_t number,
                                         size_t parts)
{
    sc_heartbeat *heartbeat = sc_heartbeat_new(parts);
    assert_non_null(heartbeat);
    heartbeat->peer = peer;
    heartbeat->is_worker = is_worker;
    heartbeat->number = number;
    heartbeat->partition = TEST_PARTITION;
    heartbeat->threads = is_worker ? 1 : 0;
    (void)snprintf(heartbeat->name, sizeof heartbeat->name, "%s%llu", is_worker ? "w" : "gw",
                   (unsigned long long)peer);
    for (uint32_t p = 0; p < parts; p++) {
        heartbeat->parts[p].part = p;
        heartbeat->parts[p].load.is_open = true;
    }
    return heartbeat;
}

static inline sc_heartbeat *gateway_heartbeat(sc_peer peer, uint64_t number)
{
    return heartbeat_of(peer, false, number, 0);
}

/** One that serves the parts 0 to `parts` - 1. */
static inline sc_heartbeat *worker_heartbeat(sc_peer peer, uint64_t number, size_t parts)
{
    return heartbeat_of(peer, true, number, parts);
}

/** The number of a process `i` with the key of a worker. */
static inline sc_peer peer_with_key(uint32_t key, uint32_t i)
{
    return UINT64_C(1) << 63 | (sc_peer)key << 32 | i;
}

#endif
