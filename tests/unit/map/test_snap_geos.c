// Snapping against GEOS: distances measured by code that is not ours.
//
// On a plane GEOS looks at the map as it is; on the globe at the edges projected
// to the plane around each position. Where the nearest edge is searched, GEOS's
// tree finds candidates in degrees within a reach that is surely wide enough.
#include "support/check.h"
#include "support/nearest.h"
#include "support/place.h"
#include "support/sketch.h"

#include <starcloak/map_import.h>

#include "base/rng.h"
#include "map/geo.h"

#include <geos_c.h>
#include <math.h>
#include <stdio.h>

enum { ODD_MAPS = 400 };

static void quiet(const char *message, void *data)
{
    (void)message;
    (void)data;
}

static GEOSContextHandle_t geos_start(void)
{
    GEOSContextHandle_t geos = GEOS_init_r();
    GEOSContext_setNoticeMessageHandler_r(geos, quiet, NULL);
    GEOSContext_setErrorMessageHandler_r(geos, quiet, NULL);
    return geos;
}

static GEOSGeometry *line_of(GEOSContextHandle_t geos, const double from[2], const double to[2])
{
    GEOSCoordSequence *points = GEOSCoordSeq_create_r(geos, 2, 2);
    GEOSCoordSeq_setXY_r(geos, points, 0, from[0], from[1]);
    GEOSCoordSeq_setXY_r(geos, points, 1, to[0], to[1]);
    return GEOSGeom_createLineString_r(geos, points);
}

// How far the origin is from one edge of the map, around a position, by GEOS.
static double distance_by_geos(GEOSContextHandle_t geos, const sc_map *map, sc_edge_id edge,
                               double x, double y)
{
    double from[2];
    double to[2];
    double distance = -1.0;
    edge_in_plane(map, edge, x, y, from, to);
    GEOSGeometry *line = line_of(geos, from, to);
    GEOSGeometry *origin = GEOSGeom_createPointFromXY_r(geos, 0.0, 0.0);
    assert_int_equal(GEOSDistance_r(geos, line, origin, &distance), 1);
    GEOSGeom_destroy_r(geos, line);
    GEOSGeom_destroy_r(geos, origin);
    return distance;
}

// One position on one map: GEOS finds no edge nearer, and agrees on the one found.
static void check_position(GEOSContextHandle_t geos, const sc_map *map, double x, double y)
{
    sc_snap snap = {0};
    CHECK_OK(sc_map_snap(map, x, y, HUGE_VAL, &snap), NULL);
    double least = HUGE_VAL;
    for (sc_edge_id e = 0; e < sc_map_edge_count(map); e++) {
        least = fmin(least, distance_by_geos(geos, map, e, x, y));
    }
    // GEOS rounds along another path, by what a double can tell at that range.
    double from[2];
    double to[2];
    edge_in_plane(map, snap.edge, x, y, from, to);
    const double range = hypot(from[0], from[1]) + hypot(to[0], to[1]);
    CHECK_CLOSE(snap.distance_m, least, 1e-6 * least + 1e-14 * range);
    CHECK_CLOSE(distance_by_geos(geos, map, snap.edge, x, y), least, 1e-6 * least + 1e-14 * range);
}

static void test_geos_finds_no_edge_nearer_on_odd_maps(void **state)
{
    (void)state;
    GEOSContextHandle_t geos = geos_start();
    for (uint64_t seed = 0; seed < ODD_MAPS; seed++) {
        check_case(seed);
        sketch s = sketch_odd(seed);
        if (s.coords == SC_COORDS_NONE) {
            sketch_free(&s);
            continue;
        }
        sc_map *map = sketch_map(&s);
        const bool on_globe = s.coords == SC_COORDS_GEOGRAPHIC;
        sc_rng rng;
        sc_rng_seed(&rng, seed);
        for (int i = 0; i < 12; i++) {
            const uint32_t a = sc_rng_below(&rng, s.node_count);
            const uint32_t b = sc_rng_below(&rng, s.node_count);
            const double reach = 3.0 * sc_rng_unit(&rng);
            const double x = s.x[a] + reach * (s.x[b] - s.x[a]) * sc_rng_unit(&rng);
            const double y = s.y[a] + reach * (s.y[b] - s.y[a]) * sc_rng_unit(&rng);
            check_position(geos, map, on_globe ? fmin(fmax(x, -180.0), 180.0) : x,
                           on_globe ? fmin(fmax(y, -90.0), 90.0) : y);
        }
        sc_map_free(map);
        sketch_free(&s);
    }
    check_case_done();
    GEOS_finish_r(geos);
}

// --- Real maps -----------------------------------------------------------------------

/** A map with all its edges in a tree of GEOS, in the map's own coordinates. */
typedef struct tree_map {
    GEOSContextHandle_t geos;
    const sc_map *map;
    GEOSSTRtree *tree;
    GEOSGeometry **lines;
    uint32_t *numbers;
} tree_map;

static tree_map plant(GEOSContextHandle_t geos, const sc_map *map)
{
    const uint32_t count = sc_map_edge_count(map);
    tree_map t = {.geos = geos, .map = map, .tree = GEOSSTRtree_create_r(geos, 10)};
    t.lines = test_take(count, sizeof(void *));
    t.numbers = test_take(count, sizeof *t.numbers);
    for (sc_edge_id e = 0; e < count; e++) {
        const sc_edge *edge = &sc_map_edges(map)[e];
        double from[2];
        double to[2];
        sc_map_node_position(map, edge->from, &from[0], &from[1]);
        sc_map_node_position(map, edge->to, &to[0], &to[1]);
        t.lines[e] = line_of(geos, from, to);
        t.numbers[e] = e;
        GEOSSTRtree_insert_r(geos, t.tree, t.lines[e], &t.numbers[e]);
    }
    return t;
}

static void fell(tree_map *t)
{
    GEOSSTRtree_destroy_r(t->geos, t->tree);
    for (uint32_t e = 0; e < sc_map_edge_count(t->map); e++) {
        GEOSGeom_destroy_r(t->geos, t->lines[e]);
    }
    free(t->lines);
    free(t->numbers);
}

/** The nearest of the candidates of one query. */
typedef struct candidate {
    const tree_map *tree;
    double x;
    double y;
    double least;
    uint64_t count;
} candidate;

static void try_candidate(void *item, void *data)
{
    candidate *c = data;
    const double distance =
        distance_by_geos(c->tree->geos, c->tree->map, *(uint32_t *)item, c->x, c->y);
    c->least = fmin(c->least, distance);
    c->count++;
}

static void check_in_tree(const tree_map *t, double x, double y)
{
    sc_snap snap = {0};
    CHECK_OK(sc_map_snap(t->map, x, y, HUGE_VAL, &snap), NULL);
    // All edges within a box that must hold any edge nearer than ours.
    const bool on_globe = sc_map_coords(t->map) == SC_COORDS_GEOGRAPHIC;
    const double scale = on_globe ? sc_geo_scale_at(y).x * 1e7 : 1.0;
    const double reach = snap.distance_m / scale * 1.01 + (on_globe ? 1e-6 : 1e-3);
    const double corner[2] = {x - reach, y - reach};
    const double opposite[2] = {x + reach, y + reach};
    GEOSGeometry *box = line_of(t->geos, corner, opposite);
    candidate c = {t, x, y, HUGE_VAL, 0};
    GEOSSTRtree_query_r(t->geos, t->tree, box, try_candidate, &c);
    GEOSGeom_destroy_r(t->geos, box);
    assert_true(c.count > 0);
    CHECK_CLOSE(snap.distance_m, c.least, 1e-6 * c.least + 1e-9);
}

static void check_real_map(sc_format format, const char *const *names, size_t count,
                           uint64_t positions)
{
    char paths[2][1024];
    const char *pointers[2] = {paths[0], paths[1]};
    for (size_t i = 0; i < count; i++) {
        if (!data_path(names[i], paths[i], sizeof paths[i])) skip();
    }
    sc_map *map = NULL;
    sc_diag diag = {""};
    const sc_import_options options = SC_IMPORT_DEFAULTS;
    CHECK_OK(
        sc_map_import(&(sc_import_source){format, pointers, count}, &options, &map, NULL, &diag),
        &diag);
    CHECK_OK(sc_map_check(map, &diag), &diag);
    GEOSContextHandle_t geos = geos_start();
    tree_map t = plant(geos, map);
    sc_rng rng;
    sc_rng_seed(&rng, 1);
    for (uint64_t i = 0; i < positions; i++) {
        check_case(i);
        // Near a road mostly, as travellers are; now and then far from any.
        const sc_node_id node = sc_rng_below(&rng, sc_map_node_count(map));
        const double reach = i % 500 == 0 ? 4.0 : 2.0;
        const double spread = pow(10.0, -5.0 + reach * sc_rng_unit(&rng));
        const double unit = sc_map_coords(map) == SC_COORDS_GEOGRAPHIC ? 1.0 : 1e5;
        double x = 0;
        double y = 0;
        sc_map_node_position(map, node, &x, &y);
        x += spread * unit * (sc_rng_unit(&rng) - 0.5);
        y += spread * unit * (sc_rng_unit(&rng) - 0.5);
        check_in_tree(&t, x, y);
        // And some exactly: same edge, same bits as a look at every edge.
        if (i % 200 == 0) {
            const sc_snap wanted = nearest_edge(map, x, y);
            sc_snap got = {0};
            CHECK_OK(sc_map_snap(map, x, y, HUGE_VAL, &got), NULL);
            assert_int_equal(got.edge, wanted.edge);
            CHECK_SAME(got.offset_m, wanted.offset_m);
            CHECK_SAME(got.distance_m, wanted.distance_m);
        }
    }
    check_case_done();
    fell(&t);
    GEOS_finish_r(geos);
    sc_map_free(map);
}

static void test_geos_finds_no_edge_nearer_in_san_francisco(void **state)
{
    (void)state;
    static const char *const names[] = {"san-francisco-tiger/tl_2017_06075_roads.shp.xz"};
    check_real_map(SC_FORMAT_SHAPEFILE, names, 1, 25000);
}

static void test_geos_finds_no_edge_nearer_in_northwest_atlanta(void **state)
{
    (void)state;
    static const char *const names[] = {"northwest-atlanta/Northwest_Atlanta_GA_24k.svg.xz"};
    check_real_map(SC_FORMAT_MOBISIM, names, 1, 25000);
}

static void test_geos_finds_no_edge_nearer_in_california(void **state)
{
    (void)state;
    static const char *const names[] = {"california/cal.cnode.xz", "california/cal.cedge.xz"};
    check_real_map(SC_FORMAT_CNODE, names, 2, 25000);
}

static void test_geos_finds_no_edge_nearer_in_baltimore(void **state)
{
    (void)state;
    static const char *const names[] = {"osm/baltimore.osm.pbf"};
    check_real_map(SC_FORMAT_OSM, names, 1, 25000);
}

static const struct CMUnitTest tests[] = {
    SC_CASES(test_geos_finds_no_edge_nearer_on_odd_maps),
    SC_CASES(test_geos_finds_no_edge_nearer_in_san_francisco),
    SC_CASES(test_geos_finds_no_edge_nearer_in_northwest_atlanta),
    SC_CASES(test_geos_finds_no_edge_nearer_in_california),
    SC_CASES(test_geos_finds_no_edge_nearer_in_baltimore),
};
SC_SUITE(tests)
