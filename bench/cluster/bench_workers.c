// A cluster far larger than this machine: 64 workers with eight parts each, and as many travellers
// as one likes. How even is the load, how much is sent, how much does a worker hold?
//
// usage: bench_workers SECONDS USERS MAP.scm [PARTITION]
//
// Two spells of SECONDS each: parts placed by number alone, then by the queries that were measured
// in the first one. One thread does it all, in virtual time: queries, messages, bytes and memory
// are what they would be, CPU time is of everything together (travellers, codec and the clock as
// well).
#include "support/bench.h"

#include "base/process.h"
#include "cluster_sim/cluster_sim_internal.h"
#include "cluster_sim/sim_queries.h"
#include "partition/partition_make.h"
#include "travel/walk.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>

enum { WORKERS = 64, PARTS = 512, GATEWAYS = 4 };

static void die_if(sc_err err, const char *what, const sc_diag *diag)
{
    if (err) bench_die(what, diag->message[0] ? diag->message : sc_err_text(err));
}

/** Bytes of this process that are in memory. */
static double resident(void)
{
    return (double)sc_process_use_now().resident_bytes;
}

static sc_partition *partition_of(const sc_map *map, const char *path)
{
    sc_partition *partition = NULL;
    sc_diag diag = {""};
    if (path) {
        die_if(sc_partition_read(path, map, &partition, &diag), "partition", &diag);
    } else {
        const sc_partition_options options = {.parts = PARTS, .seed = 1};
        die_if(sc_partition_make(map, &options, &partition, &diag), "partition", &diag);
    }
    return partition;
}

/** What was done in one spell. */
typedef struct spell {
    double *loads;  ///< queries, per part
    double least;   ///< per worker
    double mean;
    double most;
    double engine_s;  ///< CPU seconds of all engines
} spell;

/** What was done since `before`. */
static spell spell_of(sc_cluster_sim *sim, uint32_t parts, const sc_part_load *before,
                      sc_part_load *now)
{
    die_if(sc_cluster_sim_loads(sim, now), "loads", &(sc_diag){""});
    spell s = {.loads = calloc(parts, sizeof(double))};
    double queries[WORKERS] = {0};
    if (!s.loads) bench_die("loads", "out of memory");
    for (uint32_t part = 0; part < parts; part++) {
        s.loads[part] = (double)(now[part].queries - before[part].queries);
        s.engine_s += 1e-6 * (double)(now[part].cpu_us - before[part].cpu_us);
        queries[sc_cluster_sim_owner(sim, part)] += s.loads[part];
    }
    s.least = s.most = queries[0];
    for (size_t i = 0; i < WORKERS; i++) {
        if (queries[i] < s.least) s.least = queries[i];
        if (queries[i] > s.most) s.most = queries[i];
        s.mean += queries[i] / WORKERS;
    }
    return s;
}

static void print_msgs(const sc_cluster_sim_verdict *v)
{
    uint64_t msgs = 0;
    uint64_t bytes = 0;
    printf("%-10s %12s %12s %12s\n", "message", "per query", "bytes each", "bytes/query");
    for (int kind = 1; kind < SC_MSG_KIND_COUNT; kind++) {
        if (v->msgs[kind] == 0) continue;
        msgs += v->msgs[kind];
        bytes += v->bytes[kind];
        printf("%-10s %12.3f %12.1f %12.1f\n", sc_msg_kind_name((sc_msg_kind)kind),
               (double)v->msgs[kind] / (double)v->asked,
               (double)v->bytes[kind] / (double)v->msgs[kind],
               (double)v->bytes[kind] / (double)v->asked);
    }
    printf("%-10s %12.3f %12.1f %12.1f\n", "all", (double)msgs / (double)v->asked,
           (double)bytes / (double)msgs, (double)bytes / (double)v->asked);
}

/** Take the engine pools away, and see what that gives back. */
static void print_memory(sc_cluster_sim *sim, double before, double empty)
{
    uint64_t held = 0;
    for (uint32_t i = GATEWAYS; i < sim->process_count; i++) {
        const sc_engine_stats engine =
            sc_engine_pool_stats_of(sim->processes[i].engines, NULL).engine;
        held += engine.pending + engine.proposed + engine.company_held;
    }
    (void)malloc_trim(0);
    const double full = resident();
    for (uint32_t i = GATEWAYS; i < sim->process_count; i++) {
        sc_engine_pool_free(sim->processes[i].engines);
        sim->processes[i].engines = NULL;
    }
    (void)malloc_trim(0);
    const double pools = full - resident();
    printf("memory: %.1f MB for a worker with nothing to do, %.1f MB with %.0f queries and company "
           "(%.0f B each beyond that); the map is shared\n",
           (empty - before) / WORKERS / 1e6, pools / WORKERS / 1e6, (double)held / WORKERS,
           (pools - (empty - before)) / (double)held);
}

static void measure(const sc_map *map, const sc_partition *partition, uint32_t users,
                    double seconds)
{
    const uint32_t parts = sc_partition_part_count(partition);
    const sc_workload workload = sc_workload_default();
    sc_movement *walk = NULL;
    sc_sim_crowd *crowd = NULL;
    sc_cluster_sim *sim = NULL;
    sc_diag diag = {""};
    die_if(sc_walk_new(map, users, 1, &walk, &diag), "walk", &diag);
    die_if(sc_sim_crowd_new(walk, &workload, 1, &crowd, &diag), "crowd", &diag);
    sc_cluster_sim_options options = sc_cluster_sim_options_default();
    options.gateways = GATEWAYS;
    options.workers = WORKERS;
    options.partition = partition;
    options.max_pending = users / 2 + 1;
    options.delay_us = 500;
    options.guard_us = 10000;
    options.is_checked = false;
    options.is_encoded = true;
    options.ended = sc_sim_crowd_ended;
    options.context = crowd;
    const double before = resident();
    die_if(sc_cluster_sim_new(map, &options, &sim, &diag), "simulation", &diag);
    const double empty = resident();

    sc_part_load *loads = calloc(parts, sizeof *loads);
    sc_part_load *later = calloc(parts, sizeof *later);
    if (!loads || !later) bench_die("loads", "out of memory");
    const char *names[] = {"by number", "by load"};
    printf("%-10s %10s %12s %12s %12s %10s %12s %12s\n", "placed", "queries", "per worker", "least",
           "most", "most/mean", "us engine", "us in all");
    sc_time until = 0;
    for (int i = 0; i < 2; i++) {
        die_if(sc_cluster_sim_loads(sim, loads), "loads", &diag);
        const uint64_t asked = sc_cluster_sim_verdict_of(sim)->asked;
        const double start = bench_cpu_s();
        until += sc_time_from_seconds(seconds);
        die_if(sc_sim_crowd_ask(crowd, sim, until, &diag), "asking", &diag);
        const double cpu_s = bench_cpu_s() - start;
        const double more = (double)(sc_cluster_sim_verdict_of(sim)->asked - asked);
        spell s = spell_of(sim, parts, loads, later);
        printf("%-10s %10.0f %12.0f %12.0f %12.0f %10.2f %12.1f %12.1f\n", names[i], more, s.mean,
               s.least, s.most, s.most / s.mean, s.engine_s / more * 1e6, cpu_s / more * 1e6);
        fflush(stdout);
        // Queries of parts that move are sent again, which is no load of theirs: let that pass.
        if (i == 0) die_if(sc_cluster_sim_pack(sim, s.loads), "packing", &diag);
        until += sc_time_from_seconds(1.0);
        die_if(sc_sim_crowd_ask(crowd, sim, until, &diag), "asking", &diag);
        free(s.loads);
    }
    const sc_cluster_sim_verdict verdict = *sc_cluster_sim_verdict_of(sim);
    if (verdict.what[0]) bench_die("simulation", verdict.what);
    print_msgs(&verdict);
    print_memory(sim, before, empty);
    free(loads);
    free(later);
    sc_cluster_sim_free(sim);
    sc_sim_crowd_free(crowd);
    sc_movement_free(walk);
}

int main(int argc, char **argv)
{
    if (argc != 4 && argc != 5) {
        bench_die("bench_workers", "usage: bench_workers SECONDS USERS MAP.scm [PARTITION]");
    }
    const double seconds = strtod(argv[1], NULL);
    const uint32_t users = (uint32_t)strtoul(argv[2], NULL, 10);
    sc_map *map = bench_open(argv[3]);
    sc_partition *partition = partition_of(map, argc == 5 ? argv[4] : NULL);
    printf(
        "%s: %u nodes, %u stars in %u parts, %d workers, %d gateways, %u travellers, twice %g s\n",
        bench_name(argv[3]), sc_map_node_count(map), sc_map_star_count(map),
        sc_partition_part_count(partition), WORKERS, GATEWAYS, users, seconds);
    measure(map, partition, users, seconds);
    sc_partition_free(partition);
    sc_map_free(map);
    return 0;
}
