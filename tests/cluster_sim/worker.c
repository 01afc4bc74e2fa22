// A process with an engine pool that has no threads. See cluster_sim_internal.h.
#include "base/alloc.h"
#include "cluster_sim/cluster_sim_internal.h"

#include <string.h>

/** Rounds at one moment; an engine pool that wants more has its next one a microsecond later. */
enum { MOST_ROUNDS = 64 };

sc_err sc__as_worker_start(sc__process *process, sc_diag *diag)
{
    const sc_cluster_sim *sim = process->sim;
    memset(process->has_part, 0,
           sc_partition_part_count(sim->options.partition) * sizeof *process->has_part);
    const sc_engine_pool_options options = {
        .engine = sim->options.engine,
        .partition = sim->options.partition,
        .engine_threads = 1,
        .prune_threads = 0,
        .max_queries = sim->options.max_pending * sim->options.gateways,
        .self = sc__process_peer(process),
        .patience_us = sim->options.worker_patience_us > 0 ? sim->options.worker_patience_us
                                                           : sim->options.patience_us,
        .port = sc__network_port(process),
    };
    return sc_engine_pool_new(sim->map, &options, &process->rng, &process->engines, diag);
}

void sc__as_worker_end(sc__process *process)
{
    if (process->engines) {
        const sc_engine_pool_stats stats = sc_engine_pool_stats_of(process->engines, NULL);
        process->sim->proposals_before += stats.proposals;
        process->sim->refused_before += stats.proposals_refused;
    }
    sc_engine_pool_free(process->engines);
    process->engines = NULL;
    if (process->has_part) {
        memset(process->has_part, 0,
               sc_partition_part_count(process->sim->options.partition) *
                   sizeof *process->has_part);
    }
}

void sc__as_worker_receive(sc__process *process, sc_msg *msg)
{
    sc_engine_pool_receive(process->engines, msg);
    *msg = (sc_msg){0};
}

void sc__as_worker_attend(sc__process *process)
{
    const sc_time now = sc__process_now(process);
    sc_time next = now;
    for (unsigned i = 0; i < MOST_ROUNDS && next <= now; i++) {
        next = sc_engine_pool_round(process->engines, now);
    }
    sc__process_wake_at(process, next > now ? next : now + 1);
}

void sc__as_worker_take_parts(sc__process *process)
{
    sc_cluster_sim *sim = process->sim;
    const uint32_t parts = sc_partition_part_count(sim->options.partition);
    const sc_peer self = sc__process_peer(process);
    uint16_t *mine = sc_malloc_array(parts, sizeof *mine);
    if (!mine) {
        sc__cluster_sim_fail(sim, SC_ENOMEM);
        return;
    }
    size_t count = 0;
    for (uint32_t part = 0; part < parts; part++) {
        process->has_part[part] = sim->owners[part] == self;
        if (process->has_part[part]) mine[count++] = (uint16_t)part;
    }
    const sc_err err = sc_engine_pool_set_parts(process->engines, mine, count);
    sc_free(mine);
    if (err) sc__cluster_sim_fail(sim, err);
    process->has_news = false;
    sc__process_wake_at(process, sc__process_now(process));
}
