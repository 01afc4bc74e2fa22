// A cluster of one. See own_view.h.
//
// It is seen as a cluster is: a roster that hears a gateway and a worker, which are both this
// process, whenever somebody looks; and a placement by which the worker has every part.
#include "api/own_view.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/process.h"

#include <pthread.h>
#include <stdio.h>

/** The numbers of the two, which nobody else ever hears. */
enum { GATEWAY = 1, WORKER = 2 };

/** They are heard whenever they are looked at, so that they are never missed. */
enum { BEAT_US = 1 };

static const char name[] = "serve";

struct sc_own_view {
    sc_engine_pool *engines;
    uint32_t parts;
    uint64_t cut;
    sc_placement *placement;
    pthread_mutex_t lock;
    /* Under the lock: */
    sc_roster *roster;
    uint64_t looks;
    sc_part_load *loads;
};

sc_err sc_own_view_new(sc_engine_pool *engines, const sc_partition *cut, sc_own_view **out)
{
    sc_own_view *own = sc_calloc(1, sizeof *own);
    if (!own) return SC_ENOMEM;
    pthread_mutex_init(&own->lock, NULL);
    own->engines = engines;
    own->parts = sc_partition_part_count(cut);
    own->cut = sc_partition_checksum(cut);
    own->placement = sc_placement_new(own->parts);
    own->loads = sc_calloc(own->parts, sizeof *own->loads);
    if (!own->placement || !own->loads || sc_roster_new(own->cut, BEAT_US, 0, &own->roster)) {
        sc_own_view_free(own);
        return SC_ENOMEM;
    }
    own->placement->epoch = 1;
    own->placement->leader = GATEWAY;
    own->placement->partition = own->cut;
    for (uint32_t p = 0; p < own->parts; p++) {
        own->placement->owners[p] = WORKER;
    }
    *out = own;
    return SC_OK;
}

void sc_own_view_free(sc_own_view *own)
{
    if (!own) return;
    sc_roster_free(own->roster);
    sc_placement_free(own->placement);
    sc_free(own->loads);
    pthread_mutex_destroy(&own->lock);
    sc_free(own);
}

/** What both say. NULL if memory is out. */
static sc_heartbeat *begin_beat(const sc_own_view *own, sc_peer peer, size_t parts)
{
    sc_heartbeat *heartbeat = sc_heartbeat_new(parts);
    if (!heartbeat) return NULL;
    const sc_process_use use = sc_process_use_now();
    heartbeat->peer = peer;
    heartbeat->number = own->looks;
    heartbeat->partition = own->cut;
    heartbeat->epoch = own->placement->epoch;
    heartbeat->memory = use.resident_bytes;
    heartbeat->cpu_us = use.cpu_us;
    (void)snprintf(heartbeat->name, sizeof heartbeat->name, "%s", name);
    return heartbeat;
}

/** What the engines have done. */
static void fill_worker(sc_heartbeat *heartbeat, const sc_own_view *own,
                        const sc_engine_pool_stats *stats)
{
    heartbeat->is_worker = true;
    heartbeat->engines = *stats;
    size_t count = 0;
    for (uint32_t p = 0; p < own->parts; p++) {
        const sc_part_load *load = &own->loads[p];
        if (!load->is_open) continue;
        heartbeat->parts[count++] = (sc_heartbeat_part){.part = p, .load = *load};
        heartbeat->open += load->pending + (uint64_t)load->held;
        if (load->engine_thread >= heartbeat->threads) heartbeat->threads = load->engine_thread + 1;
    }
    heartbeat->part_count = count;
}

static sc_cluster_view *look(sc_own_view *own)
{
    own->looks++;
    sc_heartbeat *worker = begin_beat(own, WORKER, own->parts);
    sc_heartbeat *gateway = begin_beat(own, GATEWAY, 0);
    if (!worker || !gateway) {
        sc_heartbeat_free(worker);
        sc_heartbeat_free(gateway);
        return NULL;
    }
    const sc_engine_pool_stats stats = sc_engine_pool_stats_of(own->engines, own->loads);
    fill_worker(worker, own, &stats);
    for (size_t i = 0; i < worker->part_count; i++) {
        gateway->open += worker->parts[i].load.pending;
    }
    const sc_time now = sc_clock_us();
    sc_roster_receive(own->roster, worker, 0, now);
    sc_roster_receive(own->roster, gateway, 0, now);
    return sc_cluster_view_new(own->roster, own->placement, own->parts, GATEWAY, now);
}

sc_cluster_view *sc_own_view_now(sc_own_view *own)
{
    pthread_mutex_lock(&own->lock);
    sc_cluster_view *view = look(own);
    pthread_mutex_unlock(&own->lock);
    // There is no connection that could be lost.
    if (view) view->bus.is_connected = true;
    return view;
}
