// Snapping against GEOS: the nearest road to the same positions, by our index
// and by GEOS's STRtree with its distance.
//
// usage: bench_snap MAP.scm...
//
// GEOS knows a plane only, so it gets every edge on a plane scaled at the map's
// middle latitude; its distances are compared with ours to make sure that both
// do the same work.
#include "support/bench.h"

#include <geos_c.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/** The plane that GEOS works on. */
typedef struct plane {
    double x_scale;
    double y_scale;
} plane;

/** The edges in GEOS's hands. */
typedef struct geos_roads {
    GEOSContextHandle_t context;
    GEOSSTRtree *tree;
    GEOSGeometry **lines;
    size_t count;
} geos_roads;

static plane plane_of(const sc_map *map)
{
    if (sc_map_coords(map) != SC_COORDS_GEOGRAPHIC) return (plane){1.0, 1.0};
    double x = 0.0;
    double y = 0.0;
    double sum = 0.0;
    const uint32_t n = sc_map_node_count(map);
    for (sc_node_id v = 0; v < n; v++) {
        sc_map_node_position(map, v, &x, &y);
        sum += y;
    }
    const double metres_per_degree = 6371008.8 * 0.017453292519943295;
    return (plane){metres_per_degree * cos(sum / n * 0.017453292519943295), metres_per_degree};
}

static GEOSGeometry *line_of(GEOSContextHandle_t context, const sc_map *map, plane p, sc_edge_id e)
{
    const sc_edge *edge = &sc_map_edges(map)[e];
    double ax = 0.0;
    double ay = 0.0;
    double bx = 0.0;
    double by = 0.0;
    sc_map_node_position(map, edge->from, &ax, &ay);
    sc_map_node_position(map, edge->to, &bx, &by);
    GEOSCoordSequence *points = GEOSCoordSeq_create_r(context, 2, 2);
    GEOSCoordSeq_setXY_r(context, points, 0, ax * p.x_scale, ay * p.y_scale);
    GEOSCoordSeq_setXY_r(context, points, 1, bx * p.x_scale, by * p.y_scale);
    return GEOSGeom_createLineString_r(context, points);
}

static geos_roads geos_build(const sc_map *map, plane p)
{
    geos_roads roads = {.context = GEOS_init_r(), .count = sc_map_edge_count(map)};
    roads.tree = GEOSSTRtree_create_r(roads.context, 10);
    roads.lines = malloc(roads.count * sizeof(GEOSGeometry *));
    if (!roads.lines) bench_die("bench_snap", "out of memory");
    for (sc_edge_id e = 0; e < roads.count; e++) {
        roads.lines[e] = line_of(roads.context, map, p, e);
        GEOSSTRtree_insert_r(roads.context, roads.tree, roads.lines[e], roads.lines[e]);
    }
    return roads;
}

static void geos_free(geos_roads *roads)
{
    GEOSSTRtree_destroy_r(roads->context, roads->tree);
    for (size_t i = 0; i < roads->count; i++) {
        GEOSGeom_destroy_r(roads->context, roads->lines[i]);
    }
    free(roads->lines);
    GEOS_finish_r(roads->context);
}

// Microseconds per position for the nearest edge alone; the points are made
// before and the distances measured after. `sum` is set to their sum.
static double geos_run_us(const geos_roads *roads, plane p, const double *positions, size_t count,
                          double *sum)
{
    GEOSGeometry **points = malloc(count * sizeof(GEOSGeometry *));
    const GEOSGeometry **nearest = malloc(count * sizeof(const GEOSGeometry *));
    if (!points || !nearest) bench_die("bench_snap", "out of memory");
    for (size_t i = 0; i < count; i++) {
        points[i] = GEOSGeom_createPointFromXY_r(roads->context, positions[2 * i] * p.x_scale,
                                                 positions[2 * i + 1] * p.y_scale);
    }
    const double start = bench_cpu_s();
    for (size_t i = 0; i < count; i++) {
        nearest[i] = GEOSSTRtree_nearest_r(roads->context, roads->tree, points[i]);
    }
    const double took = bench_cpu_s() - start;
    *sum = 0.0;
    for (size_t i = 0; i < count; i++) {
        double distance = 0.0;
        GEOSDistance_r(roads->context, nearest[i], points[i], &distance);
        *sum += distance;
        GEOSGeom_destroy_r(roads->context, points[i]);
    }
    free(points);
    free(nearest);
    return took / (double)count * 1e6;
}

static double snap_run_us(const sc_map *map, const double *positions, size_t count, double *sum)
{
    *sum = 0.0;
    const double start = bench_cpu_s();
    for (size_t i = 0; i < count; i++) {
        sc_snap snap;
        if (sc_map_snap(map, positions[2 * i], positions[2 * i + 1], HUGE_VAL, &snap)) continue;
        *sum += snap.distance_m;
    }
    return (bench_cpu_s() - start) / (double)count * 1e6;
}

int main(int argc, char **argv)
{
    // The first tenth of the positions warms both up; the others are timed.
    enum { WARM = 10000, POSITIONS = 110000 };
    static double positions[2 * POSITIONS];
    const double *timed = positions + (size_t)2 * WARM;
    const size_t count = POSITIONS - WARM;
    printf("Snapping: the same %zu positions within 30 m of a road, CPU time each\n", count);
    printf("%20s %12s %10s %16s %13s %12s\n", "map", "edges", "snap us", "GEOS STRtree us",
           "times faster", "distances");
    for (int i = 1; i < argc; i++) {
        sc_map *map = bench_open(argv[i]);
        uint64_t seed = 1;
        for (size_t k = 0; k < POSITIONS; k++) {
            bench_position(map, &seed, &positions[2 * k], &positions[2 * k + 1]);
        }
        double ours = 0.0;
        double theirs = 0.0;
        snap_run_us(map, positions, WARM, &ours);
        const double snap_us = snap_run_us(map, timed, count, &ours);
        const plane p = plane_of(map);
        geos_roads roads = geos_build(map, p);
        geos_run_us(&roads, p, positions, WARM, &theirs);  // also builds the tree
        const double geos_us = geos_run_us(&roads, p, timed, count, &theirs);
        geos_free(&roads);
        printf("%20s %12u %10.3f %16.3f %13.1f %10.4f %%\n", bench_name(argv[i]),
               sc_map_edge_count(map), snap_us, geos_us, geos_us / snap_us,
               100.0 * fabs(ours - theirs) / theirs);
        fflush(stdout);
        sc_map_free(map);
    }
    return 0;
}
