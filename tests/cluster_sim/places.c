// Which worker has which part, and who is told. See rehearsal_internal.h.
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
static size_t list_workers(const sc_rehearsal *rehearsal, sc_placement_worker *workers)
{
    size_t count = 0;
    for (uint32_t i = rehearsal->options.gateways; i < rehearsal->process_count; i++) {
        const sc_peer known = rehearsal->processes[i].known;
        if (known == SC_PEER_NONE) continue;
        workers[count++] = (sc_placement_worker){.peer = known, .threads = 1};
    }
    qsort(workers, count, sizeof *workers, by_peer);
    return count;
}

/** A worker that stands still learns of it when it goes on. */
static void tell_workers(sc_rehearsal *rehearsal)
{
    for (uint32_t i = rehearsal->options.gateways; i < rehearsal->process_count; i++) {
        sc__process *process = &rehearsal->processes[i];
        if (process->standing == SC__UP) sc__as_worker_take_parts(process);
        if (process->standing == SC__STILL) process->has_news = true;
    }
}

/** Each gateway hears of it in its own time. */
static void tell_gateways(sc_rehearsal *rehearsal, uint32_t part)
{
    for (uint32_t i = 0; i < rehearsal->options.gateways; i++) {
        const sc__process *process = &rehearsal->processes[i];
        if (process->standing == SC__DOWN) continue;
        sc__event *event = sc__event_new(SC__EVENT_RESEND, i, process->life);
        if (event) event->part = part;
        sc__rehearsal_plan(
            rehearsal, rehearsal->now + sc__draw_time(&rehearsal->rng, rehearsal->options.delay_us),
            event);
    }
}

static sc_err place(sc_rehearsal *rehearsal, const double *loads, sc_placement_worker *workers,
                    sc_peer *owners, double *alike)
{
    const uint32_t parts = sc_partition_part_count(rehearsal->options.cut);
    for (uint32_t part = 0; part < parts; part++) {
        alike[part] = (double)NAN;
    }
    memcpy(owners, rehearsal->owners, parts * sizeof *owners);
    const size_t count = list_workers(rehearsal, workers);
    if (sc_placement_pack(loads ? loads : alike, parts, owners, workers, count, true) == SIZE_MAX) {
        return SC_ENOMEM;
    }
    for (uint32_t part = 0; part < parts; part++) {
        const sc_peer before = rehearsal->owners[part];
        rehearsal->owners[part] = owners[part];
        if (owners[part] != before && owners[part] != SC_PEER_NONE) tell_gateways(rehearsal, part);
    }
    tell_workers(rehearsal);
    return SC_OK;
}

void sc__place_parts(sc_rehearsal *rehearsal, const double *loads)
{
    const uint32_t parts = sc_partition_part_count(rehearsal->options.cut);
    sc_placement_worker *workers = sc_calloc(rehearsal->options.workers, sizeof *workers);
    sc_peer *owners = sc_calloc(parts, sizeof *owners);
    double *alike = sc_calloc(parts, sizeof *alike);
    sc_err err = SC_ENOMEM;
    if (workers && owners && alike) err = place(rehearsal, loads, workers, owners, alike);
    if (err) sc__rehearsal_fail(rehearsal, err);
    sc_free(workers);
    sc_free(owners);
    sc_free(alike);
}
