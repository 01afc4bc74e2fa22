// The nearest edge by looking at every edge. See nearest.h.
#include "support/nearest.h"

#include "map/map_internal.h"

#include <math.h>

// Metres per step of the grid at a position, along x and along y.
static void scale_at(const sc_map *map, double y, double scale[2])
{
    scale[0] = scale[1] = 1.0 / map->grid.per_unit;
    if (map->coords == SC_COORDS_GEOGRAPHIC) {
        const double per_degree = SC_EARTH_RADIUS_M * (1e-7 * (SC_PI / 180.0));
        scale[1] = per_degree;
        scale[0] = per_degree * fmax(cos(y * (SC_PI / 180.0)), 0.0);
    }
}

// A position on the grid; on a grid point where only rounding keeps it away.
static double to_grid(double x, double origin, double per_unit)
{
    const double at = (x - origin) * per_unit;
    return fabs(at - rint(at)) < 1e-6 ? rint(at) : at;
}

void edge_in_plane(const sc_map *map, sc_edge_id edge, double x, double y, double from[2],
                   double to[2])
{
    const sc_edge *e = &sc_map_edges(map)[edge];
    const sc_node a = sc_map_nodes(map)[e->from];
    const sc_node b = sc_map_nodes(map)[e->to];
    const double grid_x = to_grid(x, map->grid.origin_x, map->grid.per_unit);
    const double grid_y = to_grid(y, map->grid.origin_y, map->grid.per_unit);
    double scale[2];
    scale_at(map, y, scale);
    from[0] = (a.x - grid_x) * scale[0];
    from[1] = (a.y - grid_y) * scale[1];
    to[0] = (b.x - grid_x) * scale[0];
    to[1] = (b.y - grid_y) * scale[1];
}

// The square of the distance from the origin to a line, and how far along it.
static double square_to_line(const double a[2], const double b[2], double *part)
{
    const double d[2] = {b[0] - a[0], b[1] - a[1]};
    const double square = d[0] * d[0] + d[1] * d[1];
    const double along = -(a[0] * d[0] + a[1] * d[1]);
    if (square == 0.0 || along <= 0.0) {
        *part = 0.0;
        return a[0] * a[0] + a[1] * a[1];
    }
    if (along >= square) {
        *part = 1.0;
        return b[0] * b[0] + b[1] * b[1];
    }
    *part = along / square;
    const double p[2] = {a[0] + *part * d[0], a[1] + *part * d[1]};
    return p[0] * p[0] + p[1] * p[1];
}

// The same, seen from the end with the lesser coordinates.
static double square_to_edge(const sc_map *map, sc_edge_id edge, double x, double y, double *part)
{
    const sc_edge *e = &sc_map_edges(map)[edge];
    const sc_node a = sc_map_nodes(map)[e->from];
    const sc_node b = sc_map_nodes(map)[e->to];
    const bool turned = b.x < a.x || (b.x == a.x && b.y < a.y);
    double from[2];
    double to[2];
    edge_in_plane(map, edge, x, y, from, to);
    const double square = turned ? square_to_line(to, from, part) : square_to_line(from, to, part);
    if (turned) *part = 1.0 - *part;
    return square;
}

// Look at every edge from one position; `best` becomes what is nearer.
static void look(const sc_map *map, double x, double y, sc_snap *best, double *best_square)
{
    for (sc_edge_id e = 0; e < sc_map_edge_count(map); e++) {
        double part = 0.0;
        const double square = square_to_edge(map, e, x, y, &part);
        if (square > *best_square || (square == *best_square && e >= best->edge)) continue;
        *best_square = square;
        *best = (sc_snap){.edge = e,
                          .segment = sc_map_edges(map)[e].segment,
                          .offset_m = part * sc_map_edge_length_m(map, e),
                          .distance_m = sqrt(square)};
    }
}

sc_snap nearest_edge(const sc_map *map, double x, double y)
{
    sc_snap best = {.edge = SC_NONE};
    double best_square = HUGE_VAL;
    look(map, x, y, &best, &best_square);
    // On the globe a position is as good as one a whole turn away.
    if (sc_map_coords(map) == SC_COORDS_GEOGRAPHIC) {
        look(map, x - 360.0, y, &best, &best_square);
        look(map, x + 360.0, y, &best, &best_square);
    }
    return best;
}
