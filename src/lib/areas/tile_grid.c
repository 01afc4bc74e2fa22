// The fixed tiles, and how far it is from a node to what is outside of some. See tile_grid.h.
//
// Straight lines are measured as map/cost_bounds.h does: through the earth. The distance from a
// place to a parallel or a meridian is that to the great circle or, for a parallel, along the
// meridian; what lies beyond is no nearer.
//
// An object is where its road is, and that is up to `snap_m` from its position. That distance was
// measured on the globe flattened at the object's latitude, and a place on an edge lies on the line
// through longitudes and latitudes, beside the straight one; both are allowed for in snap_m.
#include "areas/tile_grid.h"

#include "base/diag.h"
#include "map/geo.h"

#include <math.h>

#define STEPS 1e7

/** Intersections along the side of a tile, on average: a cloak of the default size and its
 * neighbourhood are well within one. */
#define STARS_ACROSS 32.0

static double metres_per_unit(const sc_map *map)
{
    return sc_map_coords(map) == SC_COORDS_GEOGRAPHIC ? SC_EARTH_RADIUS_M * SC_PI / 180.0 : 1.0;
}

static double shrink_at(const sc_map *map, double y)
{
    return sc_map_coords(map) == SC_COORDS_GEOGRAPHIC
               ? fmax(cos(fmin(fabs(y), 89.9) * SC_PI / 180.0), 1e-3)
               : 1.0;
}

// --- The grid -----------------------------------------------------------------------------------

static sc__area_box box_of_nodes(const sc_map *map)
{
    sc__area_box box = {HUGE_VAL, HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
    for (sc_node_id n = 0; n < sc_map_node_count(map); n++) {
        double x = 0;
        double y = 0;
        sc_map_node_position(map, n, &x, &y);
        box = sc__box_join(box, (sc__area_box){x, y, x, y});
    }
    return box;
}

// How far a place on an edge may be beside the straight line between its ends, metres.
static double sagitta_m(const sc_map *map, double max_y)
{
    double longest_m = 0;
    if (sc_map_coords(map) != SC_COORDS_GEOGRAPHIC) return 0;
    for (sc_edge_id e = 0; e < sc_map_edge_count(map); e++) {
        const sc_edge edge = sc_map_edges(map)[e];
        const double line =
            sc__straight(sc__space_point_of(map, edge.from), sc__space_point_of(map, edge.to));
        longest_m = fmax(longest_m, line * sc_map_unit_m(map));
    }
    const double slope = tan(fmin(max_y, 89.0) * SC_PI / 180.0);
    return longest_m * longest_m / (8 * SC_EARTH_RADIUS_M) * (1 + slope);
}

static double usual_tile_m(const sc_map *map, sc__area_box box, double per_unit_m)
{
    const double width_m =
        (box.east - box.west) * per_unit_m * shrink_at(map, (box.south + box.north) / 2);
    const double height_m = (box.north - box.south) * per_unit_m;
    const double stars = fmax(1, sc_map_star_count(map));
    return STARS_ACROSS * sqrt(fmax(width_m, 1) * fmax(height_m, 1) / stars);
}

// The next number of steps that can be halved down to the bottom.
static int64_t divisible(int64_t steps)
{
    const int64_t parts = (int64_t)1 << SC__TILE_DIVISIONS;
    return (steps + parts - 1) / parts * parts;
}

sc_err sc__tile_grid_init(sc__tile_grid *grid, const sc_map *map, double tile_m, double snap_m,
                          sc_diag *diag)
{
    if (sc_map_coords(map) == SC_COORDS_NONE || sc_map_node_count(map) == 0) {
        return sc_fail(diag, SC_ENOCOORDS,
                       "the map has no coordinates, so a provider cannot be asked for its areas");
    }
    const sc__area_box box = box_of_nodes(map);
    const bool is_round = sc_map_coords(map) == SC_COORDS_GEOGRAPHIC;
    if (is_round && box.east - box.west > 180) {
        return sc_fail(diag, SC_EINVAL,
                       "the map reaches across the 180th meridian, where boxes would begin in the "
                       "east and end in the west; areas are not possible there");
    }
    const double max_y = is_round ? fmax(fabs(box.south), fabs(box.north)) : 0;
    const double per_unit_m = metres_per_unit(map);
    const double flat =
        is_round ? 2 * snap_m / SC_EARTH_RADIUS_M * (1 + tan(fmin(max_y, 89.0) * SC_PI / 180.0))
                 : 0;
    // Places on a road are rounded to the map's unit.
    const double rounding_m = sc_map_unit_m(map) + 0.05;
    *grid = (sc__tile_grid){.map = map,
                            .snap_m = snap_m * (1 + flat) + sagitta_m(map, max_y) + rounding_m,
                            .world = box};
    if (!(tile_m > 0)) tile_m = fmax(usual_tile_m(map, box, per_unit_m), 4 * snap_m);
    grid->tile_m = fmax(tile_m, 1e-3);
    for (int m = 0; m < SC_METRIC_COUNT; m++) {
        grid->bounds[m] = sc__cost_bounds_of(map, (sc_metric)m);
    }
    grid->world = sc__box_widen(grid, box, grid->snap_m);
    grid->west = (int64_t)floor(grid->world.west * STEPS) - 1;
    grid->south = (int64_t)floor(grid->world.south * STEPS) - 1;
    const double middle = (grid->world.south + grid->world.north) / 2;
    const double span_x = grid->world.east * STEPS - (double)grid->west + 2;
    const double span_y = grid->world.north * STEPS - (double)grid->south + 2;
    grid->leaf_y = (int64_t)ceil(grid->tile_m / per_unit_m * STEPS);
    grid->leaf_x = (int64_t)ceil(grid->tile_m / (per_unit_m * shrink_at(map, middle)) * STEPS);
    const double across = fmax(span_x / (double)grid->leaf_x, span_y / (double)grid->leaf_y);
    while (grid->depth < SC__TILE_DEPTH_MAX && ldexp(1, (int)grid->depth) < across) {
        grid->depth++;
    }
    // On a map that is too large for so small tiles they are larger.
    const double tiles = ldexp(1, (int)grid->depth);
    grid->leaf_x = divisible((int64_t)fmax((double)grid->leaf_x, ceil(span_x / tiles)));
    grid->leaf_y = divisible((int64_t)fmax((double)grid->leaf_y, ceil(span_y / tiles)));
    grid->tile_m = (double)grid->leaf_y / STEPS * per_unit_m;
    return SC_OK;
}

// --- Tiles --------------------------------------------------------------------------------------

static int64_t side_x(const sc__tile_grid *grid, uint32_t level)
{
    return level <= grid->depth ? grid->leaf_x << (grid->depth - level)
                                : grid->leaf_x >> (level - grid->depth);
}

static int64_t side_y(const sc__tile_grid *grid, uint32_t level)
{
    return level <= grid->depth ? grid->leaf_y << (grid->depth - level)
                                : grid->leaf_y >> (level - grid->depth);
}

sc__area_box sc__tile_box(const sc__tile_grid *grid, sc__tile tile)
{
    const int64_t west = grid->west + side_x(grid, tile.level) * tile.x;
    const int64_t south = grid->south + side_y(grid, tile.level) * tile.y;
    return (sc__area_box){(double)west / STEPS, (double)south / STEPS,
                          (double)(west + side_x(grid, tile.level)) / STEPS,
                          (double)(south + side_y(grid, tile.level)) / STEPS};
}

bool sc__tile_has(const sc__tile_grid *grid, sc__tile tile, double x, double y)
{
    const sc__area_box box = sc__tile_box(grid, tile);
    return x >= box.west && x < box.east && y >= box.south && y < box.north;
}

static uint32_t index_of(double steps, int64_t first, int64_t side, uint32_t level)
{
    const double last = ldexp(1, (int)level) - 1;
    return (uint32_t)fmin(fmax(floor((steps - (double)first) / (double)side), 0), last);
}

static sc__tile_span span_at(const sc__tile_grid *grid, sc__area_box box, uint32_t level)
{
    return (sc__tile_span){
        .level = level,
        .x0 = index_of(box.west * STEPS, grid->west, side_x(grid, level), level),
        .y0 = index_of(box.south * STEPS, grid->south, side_y(grid, level), level),
        .x1 = index_of(box.east * STEPS, grid->west, side_x(grid, level), level),
        .y1 = index_of(box.north * STEPS, grid->south, side_y(grid, level), level)};
}

sc__tile_span sc__tile_cover(const sc__tile_grid *grid, sc__area_box box, uint32_t most)
{
    const sc__area_box w = grid->world;
    box = (sc__area_box){fmax(box.west, w.west), fmax(box.south, w.south), fmin(box.east, w.east),
                         fmin(box.north, w.north)};
    sc__tile_span span = span_at(grid, box, grid->depth);
    while (span.level > 0 && (uint64_t)(span.x1 - span.x0 + 1) * (span.y1 - span.y0 + 1) > most) {
        span = span_at(grid, box, span.level - 1);
    }
    return span;
}

sc__area_box sc__tile_span_box(const sc__tile_grid *grid, sc__tile_span span)
{
    const sc__area_box low = sc__tile_box(grid, (sc__tile){span.level, span.x0, span.y0});
    const sc__area_box high = sc__tile_box(grid, (sc__tile){span.level, span.x1, span.y1});
    const sc__area_box w = grid->world;
    return (sc__area_box){
        low.west <= w.west ? -HUGE_VAL : low.west, low.south <= w.south ? -HUGE_VAL : low.south,
        high.east >= w.east ? HUGE_VAL : high.east, high.north >= w.north ? HUGE_VAL : high.north};
}

// --- Boxes --------------------------------------------------------------------------------------

sc__area_box sc__box_join(sc__area_box a, sc__area_box b)
{
    return (sc__area_box){fmin(a.west, b.west), fmin(a.south, b.south), fmax(a.east, b.east),
                          fmax(a.north, b.north)};
}

sc__area_box sc__box_widen(const sc__tile_grid *grid, sc__area_box box, double by_m)
{
    // As long as the way along the surface is at most a quarter of the earth, a straight line is at
    // least nine tenths of it; a little more is fetched instead of counting that.
    const double by = by_m * (by_m < 1e5 ? 1.001 : 1.12) / metres_per_unit(grid->map);
    const double farthest = fmax(fabs(box.south - by), fabs(box.north + by));
    const double by_x = by / shrink_at(grid->map, farthest);
    return (sc__area_box){box.west - by_x, box.south - by, box.east + by_x, box.north + by};
}

bool sc__box_is_all(const sc__tile_grid *grid, sc__area_box box)
{
    const sc__area_box w = grid->world;
    return box.west <= w.west && box.south <= w.south && box.east >= w.east && box.north >= w.north;
}

static void add_node(const sc_map *map, sc_node_id node, sc__area_box *box)
{
    double x = 0;
    double y = 0;
    sc_map_node_position(map, node, &x, &y);
    if (x < box->west) box->west = x;
    if (x > box->east) box->east = x;
    if (y < box->south) box->south = y;
    if (y > box->north) box->north = y;
}

sc__area_box sc__relay_box(const sc__tile_grid *grid, const sc_relay *relay)
{
    const sc_edge *edges = sc_map_edges(grid->map);
    const sc_segment *segments = sc_map_segments(grid->map);
    sc__area_box box = {HUGE_VAL, HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
    for (size_t i = 0; i < relay->segment_count; i++) {
        const sc_segment *segment = &segments[relay->segments[i]];
        // Edges of a segment are a chain: each begins where the one before ends.
        add_node(grid->map, edges[segment->first_edge].from, &box);
        for (sc_edge_id e = segment->first_edge; e < segment[1].first_edge; e++) {
            add_node(grid->map, edges[e].to, &box);
        }
    }
    return sc__box_widen(grid, box, grid->snap_m);
}

// --- Costs --------------------------------------------------------------------------------------

static double chord_m(double angle)
{
    return 2 * SC_EARTH_RADIUS_M * sin((angle < SC_PI ? angle : SC_PI) / 2);
}

static double lesser(double a, double b)
{
    return a < b ? a : b;
}

// The least straight line from a place on the globe, inside of the box, to what is outside. Lines
// to both parallels, and to both meridians, grow with the angle.
static double chord_outside_m(sc__area_box box, double lon, double lat)
{
    const double rad = SC_PI / 180.0;
    const double up = lesser(box.north - lat, lat - box.south) * rad;
    const double aside = lesser(box.east - lon, lon - box.west) * rad;
    double angle = up > 0 ? up : 0;
    if (aside < SC_PI / 2) {
        const double turn = aside > 0 ? aside : 0;
        angle = lesser(angle, asin(sin(turn) * cos(lat * rad)));
    } else if (isfinite(aside)) {
        angle = lesser(angle, asin(cos(lat * rad)));
    }
    return isinf(angle) ? HUGE_VAL : chord_m(angle);
}

double sc__line_outside_m(const sc__tile_grid *grid, sc__area_box box, sc_node_id node)
{
    double x = 0;
    double y = 0;
    sc_map_node_position(grid->map, node, &x, &y);
    if (sc_map_coords(grid->map) == SC_COORDS_GEOGRAPHIC) return chord_outside_m(box, x, y);
    return fmin(fmin(box.east - x, x - box.west), fmin(box.north - y, y - box.south));
}

static double units_of(const sc_map *map, sc_metric metric)
{
    return metric == SC_METRIC_TIME ? sc_map_time_unit_s(map) : sc_map_unit_m(map);
}

double sc__least_cost_outside(const sc__tile_grid *grid, double line_m, sc_metric metric)
{
    if (isinf(line_m)) return HUGE_VAL;
    if (line_m <= grid->snap_m) return 0;
    // A unit less: the time to an object is rounded to a whole number.
    const double line = (line_m - grid->snap_m) / sc_map_unit_m(grid->map);
    const double least = sc__cost_bounds_least_line(&grid->bounds[metric], line) - 1;
    return fmax(least, 0) * units_of(grid->map, metric);
}

double sc__line_of_cost(const sc__tile_grid *grid, sc_metric metric, double cost)
{
    const sc_cost_bounds *bounds = &grid->bounds[metric];
    const double units = cost / units_of(grid->map, metric) + 2;
    double line = HUGE_VAL;
    for (int i = 0; i < SC_BOUND_SHARES; i++) {
        const double per_line = bounds->shares[i] * bounds->pace;
        if (per_line > 0) line = fmin(line, (units + bounds->missing[i]) / per_line);
    }
    return line * sc_map_unit_m(grid->map);
}
