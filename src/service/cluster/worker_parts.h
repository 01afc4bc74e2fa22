/**
 * @file worker_parts.h
 * @brief The parts of a worker: which are open in its engines, and which are promised to gateways.
 *
 * A part is opened in the engines, and then listed in heartbeats: only listed parts are promised to
 * gateways, which send what concerns them to this worker's own subject. A step that fails is tried
 * again with the next heartbeat. One thread: the one that sends heartbeats.
 */
#ifndef SC_CLUSTER_WORKER_PARTS_H
#define SC_CLUSTER_WORKER_PARTS_H

#include "cluster/bus.h"
#include "cluster/heartbeat.h"
#include "cluster/placement.h"
#include "worker/engine_pool.h"

/** Opaque. */
typedef struct sc__worker_parts sc__worker_parts;

/**
 * @param parts         of the partition
 * @param engines, bus  borrowed
 * @return SC_OK, SC_ENOMEM
 */
SC_CHECKED sc_err sc__worker_parts_new(uint32_t parts, sc_engine_pool *engines, sc_bus *bus,
                                       sc__worker_parts **out);

/** The engine pool is left as it is. NULL is fine. */
void sc__worker_parts_free(sc__worker_parts *parts);

/** Have the parts that `self` owns by this placement, as far as it goes at this moment. Returns
 * whether other parts are listed than before. */
bool sc__worker_parts_follow(sc__worker_parts *parts, const sc_placement *placement, sc_peer self);

/** List nothing until the servers are known to know of us again. */
void sc__worker_parts_unlist(sc__worker_parts *parts);

/** How many there are, listed or not. */
uint32_t sc__worker_parts_count(const sc__worker_parts *parts);

/** A heartbeat with those that are listed, and with the engine pool's counts; NULL if memory is
 * out. */
sc_heartbeat *sc__worker_parts_heartbeat(sc__worker_parts *parts);

#endif
