/**
 * @file gateway_routes.h
 * @brief Which worker has which part, whether it serves it, and which queries were sent to it.
 *
 * For each part: its *owner*, by the placement; its *server*, the owner once it lists the part in
 * its heartbeats; and whether our open queries are *unsent* there and must be sent again: when the
 * server is another than before, has not served it for a while, or NATS reported no subscriber.
 *
 * Messages for a part go to its owner, sealed for it alone; those of a part without one are not
 * sent, since its queries are sent again once it is served.
 *
 * Messages for parts are checked for whether they need to be sent. A worker hands a query to all
 * its parts in reach, so company that is of the same owner as its home, or went to the same owner
 * for another part, need not. But a part that was just opened has nothing yet, even if its owner
 * got the query before: for a while after its queries were sent again, company for it is always
 * sent.
 *
 * Any thread; nothing here waits for anything but this lock.
 */
#ifndef SC_CLUSTER_GATEWAY_ROUTES_H
#define SC_CLUSTER_GATEWAY_ROUTES_H

#include "cluster/heartbeat.h"
#include "cluster/placement.h"
#include "cluster/roster.h"

typedef struct sc__gateway_routes sc__gateway_routes;

/** @param fresh_us  how long a part is one that was just opened */
SC_CHECKED sc_err sc__gateway_routes_new(uint32_t parts, sc_time fresh_us,
                                         sc__gateway_routes **out);

/** NULL is fine. */
void sc__gateway_routes_free(sc__gateway_routes *routes);

/** A placement counts from now on. Parts that changed their owner have no server. */
void sc__gateway_routes_place(sc__gateway_routes *routes, const sc_placement *placement);

/** A worker's heartbeat. Returns whether queries must be sent again. */
bool sc__gateway_routes_receive(sc__gateway_routes *routes, const sc_heartbeat *heartbeat);

/** A peer is gone: workers that are not in the roster serve nothing. */
void sc__gateway_routes_sweep(sc__gateway_routes *routes, const sc_roster *roster);

/** NATS was away: nothing is known until the next heartbeats, and everything must be sent again. */
void sc__gateway_routes_reset(sc__gateway_routes *routes);

/** NATS reports that this worker has no subscriber, or it is a forged report. Whether it is alive
 * its heartbeats show; but something that was sent may be lost: with its next heartbeat, queries of
 * the parts that it serves are sent again, unless that was done a while ago. Returns whether it
 * serves any. */
bool sc__gateway_routes_no_responders(sc__gateway_routes *routes, sc_peer worker, sc_time now);

/**
 * The parts that are served and whose queries must be sent again; they count as sent from now on.
 *
 * @param parts  room for all parts
 * @return how many
 */
size_t sc__gateway_routes_take_unsent(sc__gateway_routes *routes, uint32_t *parts, sc_time now);

/** The worker to which an add, a company or a remove is to be sent; SC_PEER_NONE: its part has
 * none, or the worker has it already. One thread: it remembers the last. */
sc_peer sc__gateway_routes_find(sc__gateway_routes *routes, const sc_msg *msg, sc_time now);

/** How many parts no worker serves. */
uint32_t sc__gateway_routes_unserved(sc__gateway_routes *routes);

#endif
