// What a query costs as users grow on one map, or as the map grows with its users.
//
// usage: bench_growth SECONDS [USERS MAP.scm]...
//
// One row per pair. Compare the rows: the cost of a query should not depend on
// how many there are, nor on how large the map is.
#include "support/bench.h"
#include "support/traffic.h"

#include <stdio.h>
#include <stdlib.h>

static double microseconds(const traffic *t, double seconds)
{
    return seconds / (double)t->count * 1e6;
}

static void measure(uint32_t users, double seconds, const char *path)
{
    enum { FEW = 1000000 };
    sc_map *map = bench_open(path);
    traffic t = traffic_new(map, users, seconds);
    printf("%12u %12u %10zu", sc_map_node_count(map), users, t.count);
    for (const variant_entry *v = variants; v->name; v++) {
        if (v->is_strict || v->crowd > 0) continue;
        const sc_engine_options options = variant_options(v);
        double best = traffic_cloak(&t, &options, false).cpu_s;
        for (int more = t.count < FEW ? 2 : 1; more > 0; more--) {
            const double again = traffic_cloak(&t, &options, false).cpu_s;
            if (again < best) best = again;
        }
        printf(" %10.2f", microseconds(&t, best));
    }
    const sc_engine_options options = sc_engine_options_default();
    const passage sized = traffic_cloak(&t, &options, true);
    printf(" %10.2f %12llu %8.0f\n", microseconds(&t, t.admission_s),
           (unsigned long long)sized.pending,
           (double)(sized.bytes - sized.fixed_bytes) / (double)sized.pending);
    traffic_free(&t);
    sc_map_free(map);
}

int main(int argc, char **argv)
{
    if (argc < 4 || argc % 2 != 0) {
        bench_die("bench_growth", "usage: bench_growth SECONDS [USERS MAP.scm]...");
    }
    const double seconds = strtod(argv[1], NULL);
    printf("%g s of traffic; CPU microseconds per query of the engine alone, and of admission\n",
           seconds);
    printf("%12s %12s %10s %10s %10s %10s %10s %10s %12s %8s\n", "nodes", "travellers", "queries",
           "basic", "bounded", "hybrid", "patient", "admission", "pending", "B each");
    for (int i = 2; i < argc; i += 2) {
        measure((uint32_t)strtoul(argv[i], NULL, 10), seconds, argv[i + 1]);
        fflush(stdout);
    }
    return 0;
}
