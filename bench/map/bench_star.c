// Balls in the star graph: does a walk cost its ball, whatever the map's size?
//
// usage: bench_star MAP.scm...
#include "support/bench.h"

#include <starcloak/star.h>

#include <stdio.h>

int main(int argc, char **argv)
{
    enum { WALKS = 100000, HOPS = 4 };
    printf("Balls of %d hops around random stars, CPU time\n", HOPS);
    printf("%12s %12s %12s %12s %14s\n", "nodes", "stars", "stars/ball", "us/ball", "ns per star");
    for (int i = 1; i < argc; i++) {
        sc_map *map = bench_open(argv[i]);
        sc_ball *ball = NULL;
        if (sc_ball_new(map, &ball)) bench_die(argv[i], "out of memory");
        uint64_t seed = 1;
        size_t found = 0;
        const double start = bench_cpu_s();
        for (int k = 0; k < WALKS; k++) {
            size_t count = 0;
            sc_ball_walk(ball, (sc_star_id)(bench_random(&seed) % sc_map_star_count(map)), HOPS,
                         &count);
            found += count;
        }
        const double took = bench_cpu_s() - start;
        printf("%12u %12u %12.1f %12.3f %14.1f\n", sc_map_node_count(map), sc_map_star_count(map),
               (double)found / WALKS, took / WALKS * 1e6, took / (double)found * 1e9);
        sc_ball_free(ball);
        sc_map_free(map);
    }
    return 0;
}
