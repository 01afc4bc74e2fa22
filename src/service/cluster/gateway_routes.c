// Which worker has which part, and what needs to be sent to it.
//
// Invariants, under the lock:
//  1. A part's server is its owner or none.
//  2. The queries of a part without a server must be sent again once it has one.
#include "cluster/gateway_routes.h"

#include "base/alloc.h"

#include <pthread.h>
#include <string.h>

typedef struct route {
    sc_peer owner;
    sc_peer server;
    bool is_unsent;
    bool is_doubtful;       ///< NATS reported no subscriber since the server's last heartbeat
    sc_time doubted_until;  ///< until then such reports are passed over
    sc_time fresh_until;
} route;

/** Anybody on NATS may forge reports of no subscriber, so they cause queries to be sent again only
 * so often. */
static const sc_time doubted_us = 10000000;

/** Owners that are remembered to have been sent one query; more get it twice. */
enum { SENT_MAX = 32 };

struct sc__gateway_routes {
    // Read-only.
    uint32_t parts;
    sc_time fresh_us;

    // Under `lock`.
    pthread_mutex_t lock;
    route *of;
    uint32_t unserved;

    // The ledger's thread: messages about one query come one after another.
    struct {
        sc_msg_kind kind;
        sc_query_id query;
        sc_peer owners[SENT_MAX];
        size_t count;
    } sent;
};

sc_err sc__gateway_routes_new(uint32_t parts, sc_time fresh_us, sc__gateway_routes **out)
{
    sc__gateway_routes *routes = sc_calloc(1, sizeof *routes);
    if (!routes) return SC_ENOMEM;
    routes->of = sc_calloc(parts, sizeof *routes->of);
    if (!routes->of) {
        sc_free(routes);
        return SC_ENOMEM;
    }
    routes->parts = parts;
    routes->fresh_us = fresh_us;
    routes->unserved = parts;
    for (uint32_t p = 0; p < parts; p++) {
        routes->of[p].is_unsent = true;
    }
    pthread_mutex_init(&routes->lock, NULL);
    *out = routes;
    return SC_OK;
}

void sc__gateway_routes_free(sc__gateway_routes *routes)
{
    if (!routes) return;
    pthread_mutex_destroy(&routes->lock);
    sc_free(routes->of);
    explicit_bzero(routes, sizeof *routes);
    sc_free(routes);
}

// --- Servers -----------------------------------------------------------------------------------

/** The only place where servers change: keeps both invariants and the count. */
static void set_server(sc__gateway_routes *routes, route *r, sc_peer server)
{
    if (r->server == server) return;
    routes->unserved += (server == SC_PEER_NONE);
    routes->unserved -= (r->server == SC_PEER_NONE);
    r->server = server;
    r->is_unsent = true;
    r->is_doubtful = false;
}

void sc__gateway_routes_place(sc__gateway_routes *routes, const sc_placement *placement)
{
    pthread_mutex_lock(&routes->lock);
    for (uint32_t p = 0; p < routes->parts && p < placement->parts; p++) {
        route *r = &routes->of[p];
        if (r->owner == placement->owners[p]) continue;
        set_server(routes, r, SC_PEER_NONE);
        r->owner = placement->owners[p];
    }
    pthread_mutex_unlock(&routes->lock);
}

bool sc__gateway_routes_receive(sc__gateway_routes *routes, const sc_heartbeat *heartbeat)
{
    bool is_unsent = false;
    size_t next = 0;  // of the heartbeat's parts, which ascend
    pthread_mutex_lock(&routes->lock);
    for (uint32_t p = 0; p < routes->parts; p++) {
        while (next < heartbeat->part_count && heartbeat->parts[next].part < p) {
            next++;
        }
        route *r = &routes->of[p];
        if (r->owner != heartbeat->peer) continue;
        const bool is_served = next < heartbeat->part_count && heartbeat->parts[next].part == p;
        set_server(routes, r, is_served ? heartbeat->peer : SC_PEER_NONE);
        r->is_unsent = r->is_unsent || r->is_doubtful;
        r->is_doubtful = false;
        is_unsent = is_unsent || (is_served && r->is_unsent);
    }
    pthread_mutex_unlock(&routes->lock);
    return is_unsent;
}

void sc__gateway_routes_sweep(sc__gateway_routes *routes, const sc_roster *roster)
{
    pthread_mutex_lock(&routes->lock);
    for (uint32_t p = 0; p < routes->parts; p++) {
        route *r = &routes->of[p];
        if (!sc_roster_find(roster, r->server)) set_server(routes, r, SC_PEER_NONE);
    }
    pthread_mutex_unlock(&routes->lock);
}

void sc__gateway_routes_reset(sc__gateway_routes *routes)
{
    pthread_mutex_lock(&routes->lock);
    for (uint32_t p = 0; p < routes->parts; p++) {
        set_server(routes, &routes->of[p], SC_PEER_NONE);
    }
    pthread_mutex_unlock(&routes->lock);
}

bool sc__gateway_routes_no_responders(sc__gateway_routes *routes, sc_peer worker, sc_time now)
{
    bool serves = false;
    if (worker == SC_PEER_NONE) return false;
    pthread_mutex_lock(&routes->lock);
    for (uint32_t p = 0; p < routes->parts; p++) {
        route *r = &routes->of[p];
        if (r->server != worker) continue;
        serves = true;
        if (now < r->doubted_until) continue;
        r->is_doubtful = true;
        r->doubted_until = now + doubted_us;
    }
    pthread_mutex_unlock(&routes->lock);
    return serves;
}

size_t sc__gateway_routes_take_unsent(sc__gateway_routes *routes, uint32_t *parts, sc_time now)
{
    size_t count = 0;
    pthread_mutex_lock(&routes->lock);
    for (uint32_t p = 0; p < routes->parts; p++) {
        route *r = &routes->of[p];
        if (r->server == SC_PEER_NONE || !r->is_unsent) continue;
        r->is_unsent = false;
        r->fresh_until = now + routes->fresh_us;
        parts[count++] = p;
    }
    pthread_mutex_unlock(&routes->lock);
    return count;
}

uint32_t sc__gateway_routes_unserved(sc__gateway_routes *routes)
{
    pthread_mutex_lock(&routes->lock);
    const uint32_t unserved = routes->unserved;
    pthread_mutex_unlock(&routes->lock);
    return unserved;
}

// --- What needs to be sent ---------------------------------------------------------------------

/** Whether this owner was sent this query by this kind of message; from now on it was. */
static bool was_sent(sc__gateway_routes *routes, const sc_msg *msg, sc_peer owner)
{
    if (routes->sent.kind != msg->kind ||
        memcmp(&routes->sent.query, &msg->query.id, sizeof msg->query.id) != 0) {
        routes->sent.kind = msg->kind;
        routes->sent.query = msg->query.id;
        routes->sent.count = 0;
    }
    for (size_t i = 0; i < routes->sent.count; i++) {
        if (routes->sent.owners[i] == owner) return true;
    }
    if (routes->sent.count < SENT_MAX) routes->sent.owners[routes->sent.count++] = owner;
    return false;
}

sc_peer sc__gateway_routes_find(sc__gateway_routes *routes, const sc_msg *msg, sc_time now)
{
    if (msg->part >= routes->parts || msg->home >= routes->parts) return SC_PEER_NONE;
    pthread_mutex_lock(&routes->lock);
    const route r = routes->of[msg->part];
    const sc_peer home = routes->of[msg->home].owner;
    pthread_mutex_unlock(&routes->lock);
    if (msg->kind == SC_MSG_ADD || msg->part == msg->home || r.owner == SC_PEER_NONE) {
        return r.owner;
    }
    const bool has_it = was_sent(routes, msg, r.owner) || r.owner == home;
    return !has_it || now < r.fresh_until ? r.owner : SC_PEER_NONE;
}
