/**
 * @file tile_grid.h
 * @brief The fixed tiles that a provider is asked for: a pyramid over the map.
 *
 * Level 0 is one tile that holds the map; each tile of a level is four of the next, down to those
 * of the size that the settings or the map give. Below these there are a few levels more, for tiles
 * that a provider cannot list as a whole. Sides are whole numbers of 1e-7 degrees (or units of a
 * plane), as questions have them, so tiles of one level neither overlap nor leave gaps. The grid
 * depends on the map and the settings, and on nothing else.
 */
#ifndef SC_AREAS_TILE_GRID_H
#define SC_AREAS_TILE_GRID_H

#include <starcloak/map.h>
#include <starcloak/relay.h>

#include "areas/area_question.h"
#include "map/cost_bounds.h"

enum {
    SC__TILE_DEPTH_MAX = 20,  ///< finer would be of no use, and numbers stay within 32 bits
    SC__TILE_DIVISIONS = 6,   ///< levels below the finest that boxes are covered with
    SC__TILE_LEVELS_MAX = SC__TILE_DEPTH_MAX + SC__TILE_DIVISIONS
};

/** A tile: its level and its place there, from the south-west corner. */
typedef struct sc__tile {
    uint32_t level;
    uint32_t x;
    uint32_t y;
} sc__tile;

/** Some tiles of one level: a rectangle, both ends included. */
typedef struct sc__tile_span {
    uint32_t level;
    uint32_t x0;
    uint32_t y0;
    uint32_t x1;
    uint32_t y1;
} sc__tile_span;

typedef struct sc__tile_grid {
    const sc_map *map;
    int64_t west;  ///< corner of the pyramid, steps of 1e-7
    int64_t south;
    int64_t
        leaf_x;  ///< sides of a tile of the finest level, steps; both can be divided to the bottom
    int64_t leaf_y;
    uint32_t depth;      ///< the finest level that boxes are covered with
    sc__area_box world;  ///< nothing outside of it is near any road
    double snap_m;       ///< how far an object may be from its road, generously
    double tile_m;       ///< side of a tile of the finest level, from south to north
    sc_cost_bounds bounds[SC_METRIC_COUNT];
} sc__tile_grid;

/**
 * @param tile_m  of the finest level; 0: such that it has about a thousand intersections
 * @return SC_OK, SC_ENOCOORDS, SC_EINVAL (a map across the 180th meridian)
 */
SC_CHECKED sc_err sc__tile_grid_init(sc__tile_grid *grid, const sc_map *map, double tile_m,
                                     double snap_m, sc_diag *diag);

/** The box of a tile; its west and south belong to it, its east and north do not. */
sc__area_box sc__tile_box(const sc__tile_grid *grid, sc__tile tile);

/** Whether a position belongs to a tile. */
bool sc__tile_has(const sc__tile_grid *grid, sc__tile tile, double x, double y);

/** The last level. */
static inline uint32_t sc__tile_bottom(const sc__tile_grid *grid)
{
    return grid->depth + SC__TILE_DIVISIONS;
}

/** The tile of the level above that a tile is a part of; not of level 0. */
static inline sc__tile sc__tile_parent(sc__tile tile)
{
    return (sc__tile){tile.level - 1, tile.x / 2, tile.y / 2};
}

/** The tiles of the finest level of which so many are enough to cover what `box` and the world
 * share. */
sc__tile_span sc__tile_cover(const sc__tile_grid *grid, sc__area_box box, uint32_t most);

/** The box of a span; beyond the world it has no end. */
sc__area_box sc__tile_span_box(const sc__tile_grid *grid, sc__tile_span span);

/** The box around the roads of `relay`, with room for objects that belong to them. */
sc__area_box sc__relay_box(const sc__tile_grid *grid, const sc_relay *relay);

/** A box that is larger by so many metres on each side, at least. */
sc__area_box sc__box_widen(const sc__tile_grid *grid, sc__area_box box, double by_m);

/** Whether the box holds the world. */
bool sc__box_is_all(const sc__tile_grid *grid, sc__area_box box);

/** The greater of both in each direction. */
sc__area_box sc__box_join(sc__area_box a, sc__area_box b);

/** The straight line from a node to what is outside of a box, in metres; HUGE_VAL if there is
 * nothing outside. */
double sc__line_outside_m(const sc__tile_grid *grid, sc__area_box box, sc_node_id node);

/** No object that lies outside is reached at less than this cost, in metres or seconds, by that
 * line; HUGE_VAL if there is nothing outside. */
double sc__least_cost_outside(const sc__tile_grid *grid, double line_m, sc_metric metric);

/** Metres in a straight line, to be sure that what is farther away costs at least `cost`. */
double sc__line_of_cost(const sc__tile_grid *grid, sc_metric metric, double cost);

#endif
