// See bench.h.
#include "support/bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

double bench_cpu_s(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6;
}

_Noreturn void bench_die(const char *what, const char *why)
{
    fprintf(stderr, "bench: %s: %s\n", what, why);
    exit(1);
}

sc_map *bench_open(const char *path)
{
    sc_map *map = NULL;
    sc_diag diag = {{0}};
    if (sc_map_open(path, &map, &diag)) bench_die(path, diag.message);
    return map;
}

double bench_open_s(const char *path, int runs)
{
    double best = HUGE_VAL;
    for (int i = 0; i < runs; i++) {
        const double start = bench_cpu_s();
        sc_map_free(bench_open(path));
        best = fmin(best, bench_cpu_s() - start);
    }
    return best;
}

uint64_t bench_random(uint64_t *seed)
{
    uint64_t z = (*seed += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static double unit(uint64_t *seed)
{
    return (double)(bench_random(seed) >> 11) * 0x1p-53;
}

void bench_position(const sc_map *map, uint64_t *seed, double *x, double *y)
{
    const sc_edge_id edge = (sc_edge_id)(bench_random(seed) % sc_map_edge_count(map));
    sc_map_edge_position(map, edge, unit(seed) * sc_map_edge_length_m(map, edge), x, y);
    const bool on_globe = sc_map_coords(map) == SC_COORDS_GEOGRAPHIC;
    const double reach = on_globe ? 30.0 / 111195.0 : 30.0;
    *x += (2.0 * unit(seed) - 1.0) * reach / (on_globe ? cos(*y * 0.017453292519943295) : 1.0);
    *y += (2.0 * unit(seed) - 1.0) * reach;
}

const char *bench_name(const char *path)
{
    static char name[64];
    const char *slash = strrchr(path, '/');
    snprintf(name, sizeof name, "%s", slash ? slash + 1 : path);
    char *dot = strrchr(name, '.');
    if (dot) *dot = '\0';
    return name;
}

double bench_file_bytes(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 ? (double)status.st_size : 0.0;
}
