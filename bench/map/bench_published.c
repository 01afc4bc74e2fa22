// Importing real maps as they are published (packed with xz where they are),
// and opening the result against that.
//
// usage: bench_published DATA_DIRECTORY SCRATCH_DIRECTORY
#include "support/bench.h"

#include <starcloak/map_import.h>

#include <stdio.h>
#include <unistd.h>

enum { MAX_FILES = 4 };

typedef struct published {
    const char *name;
    sc_format format;
    const char *files[MAX_FILES];
} published;

static const published maps[] = {
    {"California",
     SC_FORMAT_CNODE,
     {"california/cal.cnode.xz", "california/cal.cedge.xz", "california/calmap.txt.xz"}},
    {"Maine + Vermont",
     SC_FORMAT_DIMACS,
     {"us-tiger-dimacs/USA-road-d.ME.gr.xz", "us-tiger-dimacs/USA-road-d.ME.co.xz",
      "us-tiger-dimacs/USA-road-d.VT.gr.xz", "us-tiger-dimacs/USA-road-d.VT.co.xz"}},
    {"New York", SC_FORMAT_DIMACS, {"us-tiger-dimacs/USA-road-d.NY.gr.xz"}},
    {"San Francisco", SC_FORMAT_SHAPEFILE, {"san-francisco-tiger/tl_2017_06075_roads.shp.xz"}},
    {"Northwest Atlanta", SC_FORMAT_MOBISIM, {"northwest-atlanta/Northwest_Atlanta_GA_24k.svg.xz"}},
    {"Rhine-Neckar", SC_FORMAT_OSM, {"osm/rnv.osm.pbf"}},
    {"Liechtenstein", SC_FORMAT_OSM, {"osm/liechtenstein.osm.pbf"}},
    {"Andorra (XML)", SC_FORMAT_OSM, {"osm/andorra.osm.xz"}},
};

static void measure(const published *p, const char *data, const char *out)
{
    char paths[MAX_FILES][4096];
    const char *inputs[MAX_FILES];
    size_t count = 0;
    for (; count < MAX_FILES && p->files[count]; count++) {
        snprintf(paths[count], sizeof paths[count], "%s/%s", data, p->files[count]);
        inputs[count] = paths[count];
    }
    sc_import_options options = SC_IMPORT_DEFAULTS;
    options.skip_missing_nodes = true;
    sc_import_report report = {0};
    double imported = 1e9;
    uint32_t nodes = 0;
    for (int run = 0; run < 3; run++) {
        sc_map *map = NULL;
        sc_diag diag = {{0}};
        const double start = bench_cpu_s();
        if (sc_map_import(&(sc_import_source){p->format, inputs, count}, &options, &map, &report,
                          &diag) ||
            sc_map_save(map, out, &diag)) {
            bench_die(p->name, diag.message);
        }
        const double took = bench_cpu_s() - start;
        if (took < imported) imported = took;
        nodes = sc_map_node_count(map);
        sc_map_free(map);
    }
    const double opened = bench_open_s(out, 20);
    const double megabytes = (double)report.bytes_read / 1e6;
    printf("%20s %12u %10.1f %10.3f %10.1f %12.3f %12.0f\n", p->name, nodes, megabytes, imported,
           megabytes / imported, opened * 1e3, imported / opened);
    unlink(out);
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: bench_published DATA_DIRECTORY SCRATCH_DIRECTORY\n");
        return 2;
    }
    char out[4096];
    snprintf(out, sizeof out, "%s/published.scm", argv[2]);
    printf("Real maps as published (unpack, read, build, save), CPU time; MB are plain bytes\n");
    printf("%20s %12s %10s %10s %10s %12s %12s\n", "map", "nodes", "MB", "import s", "MB/s",
           "open ms", "times faster");
    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++) {
        measure(&maps[i], argv[1], out);
    }
    return 0;
}
