// Which worker has which part. See gateway_routes.h.
//
// Invariants, under the lock:
//  1. A part's server is its owner or nobody.
//  2. A part that has no server must be said anew once it has one.
#include "cluster/gateway_routes.h"

#include "base/alloc.h"

#include <pthread.h>
#include <string.h>

typedef struct route {
    sc_peer owner;
    sc_peer server;
    bool is_unsaid;
    sc_time fresh_until;
} route;

/** Owners that are remembered to have been told of one query; more are told twice. */
enum { TOLD_MAX = 32 };

struct sc__routes {
    // Read-only.
    uint32_t parts;
    sc_time fresh_us;

    // Under `lock`.
    pthread_mutex_t lock;
    route *of;
    uint32_t unserved;

    // The ledger's thread: words about one query come one after another.
    struct {
        sc_word_kind kind;
        sc_query_id query;
        sc_peer owners[TOLD_MAX];
        size_t count;
    } told;
};

sc_err sc__routes_new(uint32_t parts, sc_time fresh_us, sc__routes **out)
{
    sc__routes *routes = sc_calloc(1, sizeof *routes);
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
        routes->of[p].is_unsaid = true;
    }
    pthread_mutex_init(&routes->lock, NULL);
    *out = routes;
    return SC_OK;
}

void sc__routes_free(sc__routes *routes)
{
    if (!routes) return;
    pthread_mutex_destroy(&routes->lock);
    sc_free(routes->of);
    explicit_bzero(routes, sizeof *routes);
    sc_free(routes);
}

// --- Who serves ----------------------------------------------------------------------------

/** The only place where servers change: keeps both invariants and the count. */
static void set_server(sc__routes *routes, route *r, sc_peer server)
{
    if (r->server == server) return;
    routes->unserved += (server == SC_PEER_NONE);
    routes->unserved -= (r->server == SC_PEER_NONE);
    r->server = server;
    r->is_unsaid = true;
}

void sc__routes_place(sc__routes *routes, const sc_placement *placement)
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

bool sc__routes_hear(sc__routes *routes, const sc_beat *beat)
{
    bool is_unsaid = false;
    size_t next = 0;  // of the beat's parts, which ascend
    pthread_mutex_lock(&routes->lock);
    for (uint32_t p = 0; p < routes->parts; p++) {
        while (next < beat->part_count && beat->parts[next].part < p) {
            next++;
        }
        route *r = &routes->of[p];
        if (r->owner != beat->peer) continue;
        const bool is_served = next < beat->part_count && beat->parts[next].part == p;
        set_server(routes, r, is_served ? beat->peer : SC_PEER_NONE);
        is_unsaid = is_unsaid || (is_served && r->is_unsaid);
    }
    pthread_mutex_unlock(&routes->lock);
    return is_unsaid;
}

void sc__routes_sweep(sc__routes *routes, const sc_roster *roster)
{
    pthread_mutex_lock(&routes->lock);
    for (uint32_t p = 0; p < routes->parts; p++) {
        route *r = &routes->of[p];
        if (!sc_roster_find(roster, r->server)) set_server(routes, r, SC_PEER_NONE);
    }
    pthread_mutex_unlock(&routes->lock);
}

void sc__routes_lose_all(sc__routes *routes)
{
    pthread_mutex_lock(&routes->lock);
    for (uint32_t p = 0; p < routes->parts; p++) {
        set_server(routes, &routes->of[p], SC_PEER_NONE);
    }
    pthread_mutex_unlock(&routes->lock);
}

sc_peer sc__routes_nobody(sc__routes *routes, uint32_t part)
{
    if (part >= routes->parts) return SC_PEER_NONE;
    pthread_mutex_lock(&routes->lock);
    const sc_peer server = routes->of[part].server;
    set_server(routes, &routes->of[part], SC_PEER_NONE);
    pthread_mutex_unlock(&routes->lock);
    return server;
}

size_t sc__routes_take_unsaid(sc__routes *routes, uint32_t *parts, sc_time now)
{
    size_t count = 0;
    pthread_mutex_lock(&routes->lock);
    for (uint32_t p = 0; p < routes->parts; p++) {
        route *r = &routes->of[p];
        if (r->server == SC_PEER_NONE || !r->is_unsaid) continue;
        r->is_unsaid = false;
        r->fresh_until = now + routes->fresh_us;
        parts[count++] = p;
    }
    pthread_mutex_unlock(&routes->lock);
    return count;
}

bool sc__routes_are_whole(sc__routes *routes)
{
    pthread_mutex_lock(&routes->lock);
    const bool are_whole = routes->unserved == 0;
    pthread_mutex_unlock(&routes->lock);
    return are_whole;
}

// --- What needs to be sent -----------------------------------------------------------------

/** Whether this owner was told of this query by this kind of word; from now on it was. */
static bool was_told(sc__routes *routes, const sc_word *word, sc_peer owner)
{
    if (routes->told.kind != word->kind ||
        memcmp(&routes->told.query, &word->query.id, sizeof word->query.id) != 0) {
        routes->told.kind = word->kind;
        routes->told.query = word->query.id;
        routes->told.count = 0;
    }
    for (size_t i = 0; i < routes->told.count; i++) {
        if (routes->told.owners[i] == owner) return true;
    }
    if (routes->told.count < TOLD_MAX) routes->told.owners[routes->told.count++] = owner;
    return false;
}

bool sc__routes_needs(sc__routes *routes, const sc_word *word, sc_time now)
{
    if (word->part >= routes->parts || word->home >= routes->parts) return false;
    if (word->kind == SC_WORD_ADD || word->part == word->home) return true;
    pthread_mutex_lock(&routes->lock);
    const route r = routes->of[word->part];
    const sc_peer home = routes->of[word->home].owner;
    pthread_mutex_unlock(&routes->lock);
    // Whoever it is that has it: somebody will hear it, or NATS will say that nobody does.
    if (r.owner == SC_PEER_NONE) return true;
    const bool knows = was_told(routes, word, r.owner) || r.owner == home;
    return !knows || now < r.fresh_until;
}
