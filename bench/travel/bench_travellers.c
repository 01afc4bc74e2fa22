// How many times faster than real time travellers move and ask, as there are more of them.
//
// usage: bench_travellers SECONDS [TRAVELLERS MAP.scm]...
//
// One row per pair. "start" is for ways of all travellers at time 0. Then `SECONDS` of their time
// pass: once while everybody's place is looked up every second, and once while everybody asks
// (one pause after its last question) and there is no answer. A factor of 100 means that a minute
// of theirs took 0.6 CPU seconds. Walks, which find no ways, stand beside trips.
#include "support/bench.h"

#include "sim/workload.h"
#include "travel/trips.h"
#include "travel/walk.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>

static size_t bytes_in_use(void)
{
    const struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
}

static sc_movement *set_out(const sc_map *map, const sc_route_table *routes, uint32_t count)
{
    sc_movement *trips = NULL;
    sc_trips_options options = sc_trips_options_default();
    options.count = count;
    sc_diag diag = {""};
    if (sc_trips_new(map, routes, &options, &trips, &diag)) bench_die("trips", diag.message);
    return trips;
}

/** Look up where everybody is at `t`. */
static void look(sc_movement *movement, sc_time t)
{
    for (uint32_t who = 0; who < movement->count; who++) {
        sc_place place;
        sc_time back;
        if (sc_movement_at(movement, who, t, &place, &back)) bench_die("trips", "out of memory");
    }
}

/** CPU seconds while everybody is looked up every second. */
static double look_on(sc_movement *movement, int seconds)
{
    const double start = bench_cpu_s();
    for (int second = 1; second <= seconds; second++) {
        look(movement, sc_time_from_seconds(second));
    }
    return bench_cpu_s() - start;
}

/** CPU seconds while everybody asks, without the time until the first question. */
static double let_ask(sc_movement *movement, int seconds, uint64_t *questions)
{
    const sc_workload workload = sc_workload_default();
    sc_travellers *travellers = NULL;
    sc_diag diag = {""};
    if (sc_travellers_new(movement, &workload, 1, &travellers, &diag)) {
        bench_die("travellers", diag.message);
    }
    const double start = bench_cpu_s();
    for (*questions = 0; sc_travellers_next(travellers) < sc_time_from_seconds(seconds);
         ++*questions) {
        sc_request_line said;
        const uint32_t who = sc_travellers_ask(travellers, &said);
        if (sc_travellers_resume(travellers, who, said.ask.t)) {
            bench_die("travellers", "out of memory");
        }
    }
    const double took = bench_cpu_s() - start;
    sc_travellers_free(travellers);
    return took;
}

static void measure(uint32_t count, int seconds, const char *path)
{
    sc_map *map = bench_open(path);
    sc_route_table routes;
    sc_diag diag = {""};
    const double book_start = bench_cpu_s();
    if (sc_route_table_init(&routes, map, NULL, &diag)) bench_die("ways", diag.message);
    const double book_s = bench_cpu_s() - book_start;

    const size_t before = bytes_in_use();
    sc_movement *trips = set_out(map, &routes, count);
    const double start = bench_cpu_s();
    look(trips, 0);
    const double start_s = bench_cpu_s() - start;
    const double bytes = (double)(bytes_in_use() - before);
    const double look_s = look_on(trips, seconds);
    sc_movement_free(trips);

    uint64_t questions = 0;
    trips = set_out(map, &routes, count);
    const double ask_s = let_ask(trips, seconds, &questions);
    sc_movement_free(trips);

    sc_movement *walk = NULL;
    if (sc_walk_new(map, count, 1, &walk, &diag)) bench_die("walk", diag.message);
    uint64_t of_walkers = 0;
    const double walk_s = let_ask(walk, seconds, &of_walkers);
    sc_movement_free(walk);

    printf("%12u %12u %8.2f %8.2f %8.0f %10.0f %10.0f %10.2f %10.0f\n", sc_map_node_count(map),
           count, book_s, start_s, bytes / count, seconds / look_s, seconds / ask_s,
           ask_s / (double)questions * 1e6, seconds / walk_s);
    fflush(stdout);
    sc_route_table_fini(&routes);
    sc_map_free(map);
}

int main(int argc, char **argv)
{
    const int seconds = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 0;
    if (argc < 4 || argc % 2 != 0 || seconds < 1) {
        bench_die("bench_travellers", "usage: bench_travellers SECONDS [TRAVELLERS MAP.scm]...");
    }
    printf("%d s of traffic; CPU s for the ways of cars and trucks and for all to set out, bytes "
           "each;\nhow many times faster than real time: places every second, asking (and "
           "microseconds per\nquestion), asking on walks\n",
           seconds);
    printf("%12s %12s %8s %8s %8s %10s %10s %10s %10s\n", "nodes", "travellers", "ways", "start",
           "B each", "every s", "asking", "us each", "walks");
    for (int i = 2; i < argc; i += 2) {
        measure((uint32_t)strtoul(argv[i], NULL, 10), seconds, argv[i + 1]);
    }
    return 0;
}
