// Which worker has which part, and who is told. See cluster_sim_internal.h.
#include "base/alloc.h"
#include "cluster/placement.h"
#include "cluster_sim/cluster_sim_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int by_peer(const void *a, const void *b)
{
    const sc_placement_worker *x = a;
    const sc_placement_worker *y = b;
    return (x->peer > y->peer) - (x->peer < y->peer);
}

/** Those whom the leader believes to be there. */
static size_t list_workers(const sc_cluster_sim *sim, sc_placement_worker *workers)
{
    size_t count = 0;
    for (uint32_t i = sim->options.gateways; i < sim->process_count; i++) {
        const sc_peer known = sim->processes[i].known;
        if (known == SC_PEER_NONE) continue;
        workers[count++] = (sc_placement_worker){.peer = known, .threads = 1};
    }
    qsort(workers, count, sizeof *workers, by_peer);
    return count;
}

/** A worker that stands still learns of it when it goes on. */
static void tell_workers(sc_cluster_sim *sim)
{
    for (uint32_t i = sim->options.gateways; i < sim->process_count; i++) {
        sc__process *process = &sim->processes[i];
        if (process->standing == SC__UP) sc__as_worker_take_parts(process);
        if (process->standing == SC__STILL) process->has_news = true;
    }
}

/** Each gateway learns of it after a delay of its own. */
static void tell_gateways(sc_cluster_sim *sim, uint32_t part)
{
    for (uint32_t i = 0; i < sim->options.gateways; i++) {
        const sc__process *process = &sim->processes[i];
        if (process->standing == SC__DOWN) continue;
        sc__event *event = sc__event_new(SC__EVENT_RESEND, i, process->life);
        if (event) event->part = part;
        sc__cluster_sim_plan(sim, sim->now + sc__draw_time(&sim->rng, sim->options.delay_us),
                             event);
    }
}

static sc_err place(sc_cluster_sim *sim, const double *loads, sc_placement_worker *workers,
                    sc_peer *owners, double *alike)
{
    const uint32_t parts = sc_partition_part_count(sim->options.partition);
    for (uint32_t part = 0; part < parts; part++) {
        alike[part] = (double)NAN;
    }
    memcpy(owners, sim->owners, parts * sizeof *owners);
    const size_t count = list_workers(sim, workers);
    if (sc_placement_pack(loads ? loads : alike, parts, owners, workers, count, true) == SIZE_MAX) {
        return SC_ENOMEM;
    }
    for (uint32_t part = 0; part < parts; part++) {
        const sc_peer before = sim->owners[part];
        sim->owners[part] = owners[part];
        if (owners[part] != before && owners[part] != SC_PEER_NONE) tell_gateways(sim, part);
    }
    tell_workers(sim);
    return SC_OK;
}

void sc__place_parts(sc_cluster_sim *sim, const double *loads)
{
    const uint32_t parts = sc_partition_part_count(sim->options.partition);
    sc_placement_worker *workers = sc_calloc(sim->options.workers, sizeof *workers);
    sc_peer *owners = sc_calloc(parts, sizeof *owners);
    double *alike = sc_calloc(parts, sizeof *alike);
    sc_err err = SC_ENOMEM;
    if (workers && owners && alike) err = place(sim, loads, workers, owners, alike);
    if (err) sc__cluster_sim_fail(sim, err);
    sc_free(workers);
    sc_free(owners);
    sc_free(alike);
}
