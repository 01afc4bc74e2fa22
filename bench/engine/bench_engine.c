// Cloaked queries per CPU second, beside the floor of the same stream.
//
// usage: bench_engine USERS SECONDS MAP.scm...
#include "support/bench.h"
#include "support/traffic.h"

#include <stdio.h>
#include <stdlib.h>

/** Queries per CPU second, in thousands. */
static double rate_k(const traffic *t, double seconds)
{
    return (double)t->count / seconds / 1e3;
}

/** One row: the same stream through one engine. Sets *floor_s if it is not known yet. */
static void measure_one(const traffic *t, const char *name, const variant_entry *v, double *floor_s)
{
    enum { RUNS = 3 };
    const sc_engine_options options = variant_options(v);
    passage best = traffic_cloak(t, &options, false);
    for (int i = 1; i < RUNS; i++) {
        const passage again = traffic_cloak(t, &options, false);
        if (again.cpu_s < best.cpu_s) best = again;
    }
    const passage sized = traffic_cloak(t, &options, true);
    if (*floor_s <= 0) {
        *floor_s = t->admission_s + traffic_floor_s(t, sized.pending);
        printf("%-16s %-15s %8s %8.0f\n", name, "floor", "", rate_k(t, *floor_s));
    }
    const double whole_s = t->admission_s + best.cpu_s;
    // A cap is on a search, or on what a newcomer sets off.
    const bool is_alone = v->variant == SC_VARIANT_SAMPLING || v->variant == SC_VARIANT_EXPANSION;
    const double capped_of = (double)(is_alone ? best.stats.added : best.stats.searches);
    const double cloaked = (double)best.cloaked / (double)best.stats.added;
    printf("%-16s %-15s %8.0f %8.0f %8.0f %8.2f %8.1f %% %7.1f %7.2f %8llu %7.0f\n", name, v->name,
           rate_k(t, best.cpu_s), rate_k(t, whole_s), rate_k(t, whole_s) * cloaked,
           whole_s / *floor_s, 100.0 * cloaked,
           (double)best.stats.checks / (double)best.stats.added,
           100.0 * (double)best.stats.cap_hits / capped_of, (unsigned long long)sized.pending,
           (double)(sized.bytes - sized.fixed_bytes) / (double)sized.pending);
}

static void measure(const char *path, uint32_t users, double seconds)
{
    sc_map *map = bench_open(path);
    traffic t = traffic_new(map, users, seconds);
    double floor_s = 0;
    for (const variant_entry *v = variants; v->name; v++) {
        measure_one(&t, bench_name(path), v, &floor_s);
    }
    for (const variant_entry *v = compared; v->name; v++) {
        measure_one(&t, bench_name(path), v, &floor_s);
    }
    traffic_free(&t);
    sc_map_free(map);
}

int main(int argc, char **argv)
{
    if (argc < 4) bench_die("bench_engine", "usage: bench_engine USERS SECONDS MAP.scm...");
    const uint32_t users = (uint32_t)strtoul(argv[1], NULL, 10);
    const double seconds = strtod(argv[2], NULL);
    printf("%u travellers for %g s; thousands of queries per CPU second\n", users, seconds);
    printf("%-16s %-15s %8s %8s %8s %8s %10s %7s %7s %8s %7s\n", "map", "", "engine", "whole",
           "cloaked", "/ floor", "share", "checks", "cap, %", "pending", "B each");
    for (int i = 3; i < argc; i++) {
        measure(argv[i], users, seconds);
    }
    return 0;
}
