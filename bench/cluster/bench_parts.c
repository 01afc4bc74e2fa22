// What a partition costs, and what company gives back: success with parts, isolated and not, beside
// one engine; the messages that are sent for it; and what somebody who knows the partition can rule
// out.
//
// usage: bench_parts SECONDS [USERS MAP.scm TRACES|-]...
//
// One table per triple. TRACES are followed in windows of as many seconds as are simulated; "-":
// travellers on trips of their own. A part has a worker of its own with isolated engines; else
// eight parts share one, and there are two gateways. Everything is virtual but the CPU time, so the
// numbers are the same on any machine.
#include "support/bench.h"

#include "cluster_sim/sim_queries.h"
#include "partition/partition_make.h"
#include "sim/run.h"
#include "traces/follow.h"
#include "travel/trips.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/** Roads, and who is on them. A movement is used up by a run: there is a new one for each. */
typedef struct ground {
    sc_map *map;
    const char *traces_path;
    uint32_t users;
    double seconds;
    sc_route_table routes;
    sc_traces *traces;
} ground;

static void die_if(sc_err err, const char *what, const sc_diag *diag)
{
    if (err) bench_die(what, diag->message[0] ? diag->message : sc_err_text(err));
}

static ground ground_open(const char *map, const char *users, const char *traces, double seconds)
{
    ground g = {.map = bench_open(map), .users = (uint32_t)strtoul(users, NULL, 10)};
    g.seconds = seconds;
    sc_diag diag = {""};
    die_if(sc_route_table_init(&g.routes, g.map, NULL, &diag), "roads", &diag);
    if (strcmp(traces, "-") != 0) {
        const sc_traces_options options = sc_traces_options_default();
        die_if(sc_traces_read(traces, &options, &g.traces, &diag), "traces", &diag);
    }
    return g;
}

static void ground_free(ground *g)
{
    sc_traces_free(g->traces);
    sc_route_table_fini(&g->routes);
    sc_map_free(g->map);
}

static sc_movement *ground_move(const ground *g)
{
    sc_movement *movement = NULL;
    sc_diag diag = {""};
    if (g->traces) {
        sc_follow_options options = sc_follow_options_default();
        options.fold_s = g->seconds;
        options.max_count = g->users;
        options.seed = 1;
        const sc_follow_input input = {g->map, g->routes.by_vehicle[SC_CAR], g->traces};
        die_if(sc_follow_new(&input, &options, NULL, &movement, NULL, &diag), "traces", &diag);
    } else {
        sc_trips_options options = sc_trips_options_default();
        options.count = g->users;
        die_if(sc_trips_new(g->map, &g->routes, &options, &movement, &diag), "trips", &diag);
    }
    return movement;
}

/** One engine without a cluster: what `starcloak simulate` sends. */
static double success_of_simulation(const ground *g)
{
    sc_movement *movement = ground_move(g);
    const sc_workload workload = sc_workload_default();
    const sc_run_options options = sc_run_options_default();
    sc_run_report report;
    sc_diag diag = {""};
    die_if(sc_run_travellers(movement, &workload, g->seconds, &options, &report, &diag),
           "simulation", &diag);
    const double success = (double)report.cloaked / (double)report.queries;
    sc_movement_free(movement);
    return success;
}

static sc_partition *partition_into(const sc_map *map, uint32_t parts)
{
    const sc_partition_options options = {.parts = parts, .seed = 1};
    sc_partition *partition = NULL;
    sc_diag diag = {""};
    die_if(sc_partition_make(map, &options, &partition, &diag), "partition", &diag);
    return partition;
}

typedef struct row {
    const char *name;
    uint32_t parts;
    uint32_t workers;
    uint32_t gateways;
    bool is_company_off;
    sc_time delay_us;
    sc_time jitter_us;
} row;

static sc_cluster_sim_verdict play(const ground *g, const sc_partition *partition, const row *r)
{
    const sc_workload workload = sc_workload_default();
    sc_movement *movement = ground_move(g);
    sc_sim_crowd *crowd = NULL;
    sc_cluster_sim *sim = NULL;
    sc_diag diag = {""};
    die_if(sc_sim_crowd_new(movement, &workload, 1, &crowd, &diag), "crowd", &diag);
    sc_cluster_sim_options options = sc_cluster_sim_options_default();
    options.gateways = r->gateways;
    options.workers = r->workers;
    options.partition = partition;
    options.max_pending = g->users;
    options.jitter_us = r->jitter_us;
    options.delay_us = r->delay_us;
    options.guard_us = r->delay_us;
    options.provider_us = 0;
    options.is_company_off = r->is_company_off;
    options.ended = sc_sim_crowd_ended;
    options.context = crowd;
    die_if(sc_cluster_sim_new(g->map, &options, &sim, &diag), "simulation", &diag);
    die_if(sc_sim_crowd_ask(crowd, sim, sc_time_from_seconds(g->seconds), &diag), "simulation",
           &diag);
    die_if(sc_cluster_sim_run(sim, SC_TIME_NEVER), "simulation", &diag);
    const sc_cluster_sim_verdict verdict = *sc_cluster_sim_verdict_of(sim);
    if (verdict.what[0]) bench_die("simulation", verdict.what);
    sc_cluster_sim_free(sim);
    sc_sim_crowd_free(crowd);
    sc_movement_free(movement);
    return verdict;
}

static void print_row(const row *r, const sc_cluster_sim_verdict *v, double cpu_s)
{
    const double asked = (double)v->asked;
    const double cloaks = (double)v->cloaks;
    uint64_t all = 0;
    for (size_t i = 0; i < SC_MSG_KIND_COUNT; i++) {
        all += v->msgs[i];
    }
    printf("%-12s %5u %7u %9.2f %8.3f %8.2f %8.2f %8.2f %6.2f %8.2f %6.2f %6.2f %8.1f\n", r->name,
           r->parts, r->workers, 100.0 * (double)v->answered / asked,
           100.0 * (double)v->refused / asked, 100.0 * (double)v->ruled_out_cloaks / cloaks,
           100.0 * (double)v->ruled_out_below_l / cloaks, (double)v->msgs[SC_MSG_COMPANY] / asked,
           (double)v->msgs[SC_MSG_REMOVE] / asked, (double)v->msgs[SC_MSG_RESERVE] / asked,
           (double)(v->msgs[SC_MSG_OK] + v->msgs[SC_MSG_RELEASE]) / asked, (double)all / asked,
           cpu_s / asked * 1e6);
    fflush(stdout);
}

static void measure(const ground *g, const row *r)
{
    sc_partition *partition = partition_into(g->map, r->parts);
    const double start = bench_cpu_s();
    const sc_cluster_sim_verdict verdict = play(g, partition, r);
    print_row(r, &verdict, bench_cpu_s() - start);
    sc_partition_free(partition);
}

static void measure_all(const ground *g)
{
    enum { NEAR_US = 500, FAR_US = 50000, JITTER_US = 200000 };
    const row one = {"one engine", 1, 1, 1, false, 0, 0};
    const row one_far = {"  far", 1, 1, 2, false, FAR_US, 0};
    measure(g, &one);
    measure(g, &one_far);
    static const uint32_t parts[] = {4, 16, 64};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        const uint32_t shared = (parts[i] + 7) / 8;
        const row rows[] = {
            {"isolated", parts[i], parts[i], 2, true, NEAR_US, 0},
            {"company", parts[i], parts[i], 2, false, NEAR_US, 0},
            {"  shared", parts[i], shared, 2, false, NEAR_US, 0},
            {"  far", parts[i], parts[i], 2, false, FAR_US, 0},
            {"  jitter", parts[i], parts[i], 2, false, NEAR_US, JITTER_US},
        };
        for (size_t j = 0; j < sizeof rows / sizeof *rows; j++) {
            measure(g, &rows[j]);
        }
    }
}

int main(int argc, char **argv)
{
    if (argc < 5 || (argc - 2) % 3 != 0) {
        bench_die("bench_parts", "usage: bench_parts SECONDS [USERS MAP.scm TRACES|-]...");
    }
    const double seconds = strtod(argv[1], NULL);
    for (int i = 2; i < argc; i += 3) {
        ground g = ground_open(argv[i + 1], argv[i], argv[i + 2], seconds);
        printf("%s, %u travellers%s, %g s; a simulation of one engine: %.2f %% cloaked\n",
               bench_name(argv[i + 1]), g.users, g.traces ? " from traces" : "", seconds,
               100.0 * success_of_simulation(&g));
        printf("%-12s %5s %7s %9s %8s %8s %8s %8s %6s %8s %6s %6s %8s\n", "", "parts", "workers",
               "answered", "refused", "ruled", "below l", "company", "remove", "proposal", "commit",
               "all", "us CPU");
        printf("%-12s %5s %7s %9s %8s %8s %8s %38s %8s\n", "", "", "", "%", "%", "% cloaks",
               "% cloaks", "messages per query ...................", "a query");
        measure_all(&g);
        printf("\n");
        ground_free(&g);
    }
    return 0;
}
