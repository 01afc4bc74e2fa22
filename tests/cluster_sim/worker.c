// A process with a crew that has no threads. See rehearsal_internal.h.
#include "base/alloc.h"
#include "cluster_sim/cluster_sim_internal.h"

#include <string.h>

/** Rounds at one moment; a crew that wants more has its next one a microsecond later. */
enum { MOST_ROUNDS = 64 };

sc_err sc__as_worker_start(sc__process *process, sc_diag *diag)
{
    const sc_rehearsal *rehearsal = process->rehearsal;
    memset(process->has_part, 0,
           sc_partition_part_count(rehearsal->options.cut) * sizeof *process->has_part);
    const sc_crew_options options = {
        .engine = rehearsal->options.engine,
        .cut = rehearsal->options.cut,
        .rooms = 1,
        .prune_threads = 0,
        .max_queries = rehearsal->options.max_pending * rehearsal->options.gateways,
        .self = sc__process_peer(process),
        .patience_us = rehearsal->options.worker_patience_us > 0
                           ? rehearsal->options.worker_patience_us
                           : rehearsal->options.patience_us,
        .voice = sc__network_voice(process),
    };
    return sc_crew_new(rehearsal->map, &options, &process->rng, &process->crew, diag);
}

void sc__as_worker_end(sc__process *process)
{
    if (process->crew) {
        const sc_crew_stats stats = sc_crew_stats_of(process->crew, NULL);
        process->rehearsal->bids_before += stats.bids;
        process->rehearsal->refused_before += stats.bids_refused;
    }
    sc_crew_free(process->crew);
    process->crew = NULL;
    if (process->has_part) {
        memset(process->has_part, 0,
               sc_partition_part_count(process->rehearsal->options.cut) *
                   sizeof *process->has_part);
    }
}

void sc__as_worker_hear(sc__process *process, sc_word *word)
{
    sc_crew_hear(process->crew, word);
    *word = (sc_word){0};
}

void sc__as_worker_attend(sc__process *process)
{
    const sc_time now = sc__process_now(process);
    sc_time next = now;
    for (unsigned i = 0; i < MOST_ROUNDS && next <= now; i++) {
        next = sc_crew_round(process->crew, now);
    }
    sc__process_wake_at(process, next > now ? next : now + 1);
}

void sc__as_worker_take_parts(sc__process *process)
{
    sc_rehearsal *rehearsal = process->rehearsal;
    const uint32_t parts = sc_partition_part_count(rehearsal->options.cut);
    const sc_peer self = sc__process_peer(process);
    uint16_t *mine = sc_malloc_array(parts, sizeof *mine);
    if (!mine) {
        sc__rehearsal_fail(rehearsal, SC_ENOMEM);
        return;
    }
    size_t count = 0;
    for (uint32_t part = 0; part < parts; part++) {
        process->has_part[part] = rehearsal->owners[part] == self;
        if (process->has_part[part]) mine[count++] = (uint16_t)part;
    }
    const sc_err err = sc_crew_set_parts(process->crew, mine, count);
    sc_free(mine);
    if (err) sc__rehearsal_fail(rehearsal, err);
    process->has_news = false;
    sc__process_wake_at(process, sc__process_now(process));
}
