/**
 * @file worker_parts.h
 * @brief Secret: the parts of a worker: opened in the crew, listened to at NATS, listed in beats.
 *
 *     wanted --crew told--> open --subject heard--> heard --servers know--> listed
 *
 * and back in one step: first it is no longer heard, then no longer open. Only what is listed is
 * promised to anybody. What fails on the way is tried again with the next beat.
 *
 * One thread: the one that looks.
 *
 * Used by: worker.c.
 */
#ifndef SC_CLUSTER_WORKER_PARTS_H
#define SC_CLUSTER_WORKER_PARTS_H

#include "cluster/bus.h"
#include "cluster/heartbeat.h"
#include "worker/crew.h"

typedef struct sc__worker_parts sc__worker_parts;

/** @param hear, context  for words that come by a part's subject @param wire, crew  borrowed */
SC_CHECKED sc_err sc__worker_parts_new(uint32_t parts, sc_crew *crew, sc_wire *wire,
                                       sc_wire_hear *hear, void *context, sc__worker_parts **out);

/** Hears nothing any more; the crew is left as it is. NULL is fine. */
void sc__worker_parts_free(sc__worker_parts *parts);

/** Have the parts that `self` owns by this placement, as far as it goes at this moment. Returns
 * whether other parts are listed than before. */
bool sc__worker_parts_follow(sc__worker_parts *parts, const sc_placement *placement, sc_peer self);

/** List nothing until the servers are known to know of us again. */
void sc__worker_parts_unlist(sc__worker_parts *parts);

/** How many there are, heard or not. */
uint32_t sc__worker_parts_count(const sc__worker_parts *parts);

/** A beat with those that are listed, and with what the crew has done; NULL if memory is out. */
sc_beat *sc__worker_parts_beat(sc__worker_parts *parts);

#endif
