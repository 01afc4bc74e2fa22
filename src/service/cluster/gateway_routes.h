/**
 * @file gateway_routes.h
 * @brief Which worker has which part, whether it serves it, and what it has been told by us.
 *
 * For each part: its *owner*, by the placement; its *server*, the owner once it says in its beats
 * that it serves it; and whether our open queries must be *said anew*: when the server is another
 * than before, has not served it for a while, or NATS found nobody there.
 *
 * Words for parts are asked whether they need to be sent. A worker hands a query to all its parts
 * in reach, so company that is of the same owner as its home, or went to the same owner for another
 * part, need not. But a part that was just opened has nothing yet, wherever its owner got the query
 * before: for a while after its queries were said anew, company for it is always sent.
 *
 * Any thread; nothing here waits for anything but this lock.
 *
 * Used by: gateway.c, gateway_look.c, tests.
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

/** A placement counts from now on. Parts that changed their owner are served by nobody. */
void sc__gateway_routes_place(sc__gateway_routes *routes, const sc_placement *placement);

/** A worker's beat. Returns whether queries must be said anew. */
bool sc__gateway_routes_receive(sc__gateway_routes *routes, const sc_heartbeat *heartbeat);

/** Somebody is gone: who is not in the roster serves nothing. */
void sc__gateway_routes_sweep(sc__gateway_routes *routes, const sc_roster *roster);

/** We were away: nothing is known until the next beats, and everything must be said anew. */
void sc__gateway_routes_reset(sc__gateway_routes *routes);

/** NATS says that nobody has it. Returns who was thought to serve it, or SC_PEER_NONE. */
sc_peer sc__gateway_routes_no_responders(sc__gateway_routes *routes, uint32_t part);

/**
 * The parts that are served and whose queries must be said anew; it is taken as done.
 *
 * @param parts  room for all parts
 * @return how many
 */
size_t sc__gateway_routes_take_unsent(sc__gateway_routes *routes, uint32_t *parts, sc_time now);

/** Whether an add, a company or a remove needs to be sent. One thread: it remembers the last. */
bool sc__gateway_routes_needs(sc__gateway_routes *routes, const sc_word *word, sc_time now);

/** Whether every part is served. */
bool sc__gateway_routes_are_whole(sc__gateway_routes *routes);

#endif
