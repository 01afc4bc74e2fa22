// What it costs when somebody means it badly: floods of queries that cannot be cloaked.
//
// usage: bench_flood MAP.scm
//
// All queries come within a second and none finds company, so they wait until they
// expire, one by one. An engine that looked at all of them for each would take a
// time that grows with the square of their number.
#include "support/bench.h"

#include <starcloak/engine.h>

#include <stdio.h>
#include <string.h>

typedef struct flood {
    const char *name;
    uint32_t users;
    uint32_t roads;  ///< segments they are on, all near each other
    uint32_t k;
    uint32_t max_hops;
} flood;

static const flood floods[] = {
    {"one user, one road", 1, 1, 5, 4},
    {"900 users, one road, k 1,000", 900, 1, 1000, 4},
    {"one user, 200 roads", 1, 200, 5, 4},
    {"900 users, 200 roads, k 1,000", 900, 200, 1000, 4},
    {"one user, 200 roads, 16 hops", 1, 200, 1000, 16},
};

static void run(sc_engine *engine, sc_time now)
{
    if (sc_engine_run(engine, now)) bench_die("engine", "out of memory");
    sc_drop drop;
    while (sc_engine_take_drop(engine, &drop)) {
    }
}

/** CPU microseconds per query of a flood of `count`. */
static double measure(const sc_map *map, const flood *kind, uint32_t count)
{
    const sc_engine_options options = sc_engine_options_default();
    sc_rng *rng = NULL;
    sc_engine *engine = NULL;
    sc_diag diag = {""};
    if (sc_rng_new_seeded(1, &rng)) bench_die("engine", "out of memory");
    if (sc_engine_new(map, &options, rng, &engine, &diag)) bench_die("engine", diag.message);

    const double start = bench_cpu_s();
    sc_time now = 0;
    for (uint32_t i = 0; i < count; i++) {
        now = sc_time_from_seconds(1.0) * i / count;
        sc_query query = {
            .user = i % kind->users,
            .deadline = now + sc_time_from_seconds(10),
            // Ids of segments that are near each other are near each other.
            .segment =
                (sc_map_segment_count(map) / 2 + i % kind->roads) % sc_map_segment_count(map),
            .k = kind->k,
            .l = 5,
            .max_hops = kind->max_hops,
        };
        memcpy(query.id.bytes, &i, sizeof i);
        if (sc_engine_add(engine, &query)) bench_die("engine", "a query is refused");
        run(engine, now);
    }
    for (sc_time wake; (wake = sc_engine_next_wake(engine)) != SC_TIME_NEVER;) {
        run(engine, wake);
    }
    const double took = bench_cpu_s() - start;
    sc_engine_free(engine);
    sc_rng_free(rng);
    return took / count * 1e6;
}

int main(int argc, char **argv)
{
    if (argc != 2) bench_die("bench_flood", "usage: bench_flood MAP.scm");
    sc_map *map = bench_open(argv[1]);
    printf(
        "Floods within a second that find no company: CPU microseconds per query, with its end\n");
    printf("%-32s %10s %10s %10s\n", "", "1,000", "4,000", "16,000");
    for (size_t i = 0; i < sizeof floods / sizeof *floods; i++) {
        printf("%-32s %10.1f %10.1f %10.1f\n", floods[i].name, measure(map, &floods[i], 1000),
               measure(map, &floods[i], 4000), measure(map, &floods[i], 16000));
    }
    sc_map_free(map);
    return 0;
}
