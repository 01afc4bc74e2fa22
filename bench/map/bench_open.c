// How long is opening a map, and how many bytes does it take?
//
// usage: bench_open MAP.scm...
//
// Opening maps the file, verifies every checksum and every index. Beside it, as
// the floor, stands one plain pass over the same bytes (XXH3 alone).
#include "support/bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <xxhash.h>

#include "base/file.h"

static double best_pass_s(const char *path, int runs)
{
    double best = 1e9;
    uint64_t sink = 0;
    for (int i = 0; i < runs; i++) {
        sc_file file = {0};
        const double start = bench_cpu_s();
        if (sc_file_map(path, &file, NULL)) bench_die(path, "cannot map");
        sink ^= XXH3_64bits(file.input.data, file.input.size);
        sc_file_close(&file);
        const double took = bench_cpu_s() - start;
        if (took < best) best = took;
    }
    // The result must be used, or the compiler may leave the work out.
    if (sink == 42) puts("");
    return best;
}

int main(int argc, char **argv)
{
    printf("Opening a map (every byte and index verified)\n");
    printf("%12s %12s %10s %10s %12s %12s %10s\n", "nodes", "edges", "MB", "B/edge", "open ms",
           "one pass ms", "ratio");
    for (int i = 1; i < argc; i++) {
        sc_map *map = bench_open(argv[i]);
        const double bytes = (double)sc_map_bytes(map);
        const uint32_t nodes = sc_map_node_count(map);
        const uint32_t edges = sc_map_edge_count(map);
        sc_map_free(map);
        const int runs = nodes > 1000000 ? 5 : 50;
        const double open_s = bench_open_s(argv[i], runs);
        const double pass_s = best_pass_s(argv[i], runs);
        printf("%12u %12u %10.1f %10.1f %12.3f %12.3f %10.2f\n", nodes, edges, bytes / 1e6,
               bytes / edges, open_s * 1e3, pass_s * 1e3, open_s / pass_s);
    }
    return 0;
}
