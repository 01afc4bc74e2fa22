// Importing: each format at each size, and opening the result against it.
//
// usage: bench_import DIRECTORY MAP.scm...
//
// The roads of each map are written in every format into DIRECTORY, read back,
// saved, opened again, and removed. An import is what `starcloak map import`
// does: read, build, save.
#include "support/bench.h"
#include "support/write_map.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

// Import the files once; returns the CPU time and the bytes read.
static double import_s(const bench_format *format, char paths[][4096], const char *out,
                       double *bytes, const sc_map *original)
{
    const char *inputs[BENCH_MAX_FILES] = {paths[0], paths[1]};
    const sc_import_options options = SC_IMPORT_DEFAULTS;
    sc_import_report report = {0};
    sc_diag diag = {{0}};
    sc_map *map = NULL;
    const double start = bench_cpu_s();
    if (sc_map_import(&(sc_import_source){format->format, inputs, format->reads_both ? 2 : 1},
                      &options, &map, &report, &diag) ||
        sc_map_save(map, out, &diag)) {
        bench_die(format->name, diag.message);
    }
    const double took = bench_cpu_s() - start;
    *bytes = (double)report.bytes_read;
    // Nodes a millimetre apart may become one where positions are rounded.
    const double edges = sc_map_edge_count(map);
    if (edges < 0.99 * sc_map_edge_count(original)) bench_die(format->name, "roads were lost");
    sc_map_free(map);
    return took;
}

static void measure(const bench_format *format, const sc_map *map, const char *directory)
{
    char stem[2048];
    char out[4096];
    char paths[BENCH_MAX_FILES][4096];
    snprintf(stem, sizeof stem, "%s/roads", directory);
    snprintf(out, sizeof out, "%s.scm", stem);
    for (int i = 0; i < BENCH_MAX_FILES; i++) {
        snprintf(paths[i], sizeof paths[i], "%s%s", stem,
                 format->endings[i] ? format->endings[i] : "");
    }
    if (!format->write(map, stem)) {
        printf("%12u %12s  (osmium is missing)\n", sc_map_node_count(map), format->name);
        return;
    }
    double bytes = 0.0;
    double took = 1e9;
    const int runs = sc_map_node_count(map) > 1000000 ? 1 : 3;
    for (int i = 0; i < runs; i++) {
        const double once = import_s(format, paths, out, &bytes, map);
        if (once < took) took = once;
    }
    const double opened = bench_open_s(out, bench_file_bytes(out) > 1e8 ? 3 : 20);
    printf("%12u %12s %10.1f %10.3f %10.1f %12.3f %12.0f\n", sc_map_node_count(map), format->name,
           bytes / 1e6, took, bytes / 1e6 / took, opened * 1e3, took / opened);
    fflush(stdout);
    unlink(out);
    for (int i = 0; i < BENCH_MAX_FILES; i++) {
        if (format->endings[i]) unlink(paths[i]);
    }
    char shx[4096];
    snprintf(shx, sizeof shx, "%s.shx", stem);
    unlink(shx);
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        fprintf(stderr, "usage: bench_import DIRECTORY MAP.scm...\n");
        return 2;
    }
    printf("Importing (read, build, save), CPU time, and opening the result\n");
    printf("%12s %12s %10s %10s %10s %12s %12s\n", "nodes", "format", "MB", "import s", "MB/s",
           "open ms", "times faster");
    for (int i = 2; i < argc; i++) {
        sc_map *map = bench_open(argv[i]);
        for (int f = 0; f < BENCH_FORMATS; f++) {
            measure(&bench_formats[f], map, argv[1]);
        }
        sc_map_free(map);
    }
    return 0;
}
