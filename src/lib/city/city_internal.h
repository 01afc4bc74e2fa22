/**
 * @file city_internal.h
 * @brief What the files of the city generator share.
 *
 * A city is a lattice of cells, each some 560 m wide. The lattice's lines are
 * the arterials; what lies between them is filled by the cell's own style:
 * downtown grid, rows with alleys, old quarter, suburb, hills, works, park. Two
 * kinds of line are widened to corridors: one column is the river, and every so
 * often a column or row holds a motorway.
 *
 * Everything about a cell follows from the seed, the cell's place and its
 * neighbours' styles. So a cell is planned when it is needed, as often as it is
 * needed, and forgotten: memory beside the builder is a few bytes per cell, and
 * time is linear.
 *
 *     city_layout.c     which cells there are
 *     city_styles.c     the style of each cell, and the parameters of the styles
 *     city_geometry.c   where a point of the lattice lies on the globe
 *     city_arterials.c  the sides of cells, and where streets open into them
 *     city_cell.c       what one cell owns: crossing, sides, inside
 *     city_streets.c    the streets inside a cell
 *     city_objects.c    objects along the streets
 *     city_one_way.c    which roads are one-way
 *     city_generate.c   the passes over all cells, feeding the builder
 *
 * Numbers are made with + - * / and sqrt alone, which are the same everywhere.
 */
#ifndef SC_CITY_CITY_INTERNAL_H
#define SC_CITY_CITY_INTERNAL_H

#include <starcloak/map_generate.h>
#include <stdbool.h>
#include <stdint.h>

/** How a cell is built. Those from PLAZA on have arterials all round. */
typedef enum sc_city_style {
    SC_CITY_OUTSIDE = 0,
    SC_CITY_WATER,     ///< a piece of the river
    SC_CITY_MOTORWAY,  ///< a piece of a motorway's corridor
    SC_CITY_PLAZA,     ///< one of the four cells round the main square
    SC_CITY_GRID,
    SC_CITY_ROWS,
    SC_CITY_OLD,
    SC_CITY_SUBURB,
    SC_CITY_HILLS,
    SC_CITY_WORKS,
    SC_CITY_PARK,
    SC_CITY_STYLE_COUNT,
} sc_city_style;

/** What makes one style different from another; the numbers are in city_styles.c. */
typedef struct sc_city_style_params {
    double spacing_x_m;  ///< between streets, before the ground is bent
    double spacing_y_m;
    double jitter;    ///< how far a crossing strays, in spacings
    double open;      ///< chance that a street reaches the arterial
    double keep;      ///< chance that a piece of street between crossings is there
    double stagger;   ///< chance that a crossing of four is two of three
    double alley;     ///< chance that a block has a lane through its middle
    double diagonal;  ///< chance that a block is cut across
    double spur;      ///< chance that a block may have a dead end
    double swirl;     ///< how much the streets wind, radians at most
    double bow;       ///< how much a single street is bent, of its length
    double bend;      ///< weight of a metre of street for shape points
    double bustle;    ///< weight of a metre of street for objects
} sc_city_style_params;

extern const sc_city_style_params sc__city_style_params[SC_CITY_STYLE_COUNT];

/** What a column or row of cells is for. */
typedef enum sc_city_strip {
    SC_CITY_STRIP_LAND = 0,
    SC_CITY_STRIP_RIVER,
    SC_CITY_STRIP_MOTORWAY,
} sc_city_strip;

/** The whole city, as far as it is kept. */
typedef struct sc_city {
    uint64_t seed;
    uint32_t columns;        ///< cells across; the outermost are always outside
    uint32_t rows;           ///< cells up
    uint32_t centre_column;  ///< the main square is the south-west corner of this cell
    uint32_t centre_row;
    uint32_t river_column;
    double grain;         ///< 1; less in a small town, whose cells have fewer streets
    bool roundabouts;     ///< a hamlet has none
    double scale;         ///< metres on the ground per metre of the lattice
    double radius_m;      ///< of a disc as large as the city
    double spur_least;    ///< least chance that a block may have a dead end
    double centre_scale;  ///< how much smaller the blocks at the main square are
    double turn_cos;      ///< the lattice is turned by this angle
    double turn_sin;
    double *column_x;       ///< columns + 1: western border of each, metres from the centre
    double *row_y;          ///< rows + 1: southern border
    uint8_t *column_strip;  ///< an sc_city_strip each
    uint8_t *row_strip;
    uint8_t *style;   ///< an sc_city_style per cell, row by row
    uint32_t *order;  ///< the cells that may own something, along a Hilbert curve
    uint32_t order_count;
    uint32_t *first_node;  ///< per cell: number of its first node, once nodes are added
} sc_city;

/** Which cell owns a node that a plan refers to. */
typedef enum sc_city_owner {
    SC_CITY_SELF = 0,
    SC_CITY_EAST = 1,
    SC_CITY_NORTH = 2,
    SC_CITY_NORTH_EAST = 3,
} sc_city_owner;

/** A node: the index-th of its owner's plan. */
typedef struct sc_city_ref {
    uint16_t index;
    uint8_t owner;
} sc_city_ref;

/** A point of the lattice, in metres from the main square, before the ground is bent. */
typedef struct sc_city_point {
    double x;
    double y;
} sc_city_point;

enum {
    SC_CITY_LINES_MAX = 9,  ///< a cell is cut into at most so many blocks each way
    // A cell of 9 by 9 blocks with every lane, crescent and dead end that a style
    // can add has at most 389 nodes and 473 streets; adding is not checked.
    SC_CITY_PLAN_NODES_MAX = 512,
    SC_CITY_PLAN_STREETS_MAX = 640,
};

/**
 * What a street is a piece of, among the streets of its plan: pieces with the same number are one
 * road, and all lead the same way from a to b.
 */
enum {
    SC_CITY_LINE_NONE = 0,   ///< always open both ways: dead ends, motorways and their ramps
    SC_CITY_LINE_LEVEL = 1,  ///< from west to east
    SC_CITY_LINE_UPRIGHT = SC_CITY_LINE_LEVEL + SC_CITY_LINES_MAX + 1,  ///< from south to north
    SC_CITY_LINE_BLOCK = SC_CITY_LINE_UPRIGHT + SC_CITY_LINES_MAX + 1,  ///< through a block
    SC_CITY_LINE_ROUND = SC_CITY_LINE_BLOCK + SC_CITY_LINES_MAX * SC_CITY_LINES_MAX,
    SC_CITY_LINE_SOUTH_SIDE,  ///< the arterial of this row, through all cells
    SC_CITY_LINE_WEST_SIDE,   ///< and of this column
    SC_CITY_LINE_COUNT,
};

/** A street of a plan: a line from a to b, to be given shape points. */
typedef struct sc_city_street {
    sc_city_ref a;
    sc_city_ref b;
    sc_city_point from;
    sc_city_point to;
    double bow_m;            ///< how far its middle is pushed to its left
    uint32_t shape_weight;   ///< its share of the city's shape points
    uint32_t object_weight;  ///< its share of the city's objects
    uint8_t road_class;
    uint8_t line;  ///< the road it is a piece of
    bool arc;      ///< a quarter of a roundabout
} sc_city_street;

/** What one cell owns: its south-western crossing, southern and western side, and inside. */
typedef struct sc_city_plan {
    uint32_t column;
    uint32_t row;
    sc_city_style style;
    sc_city_point centre;  ///< of the cell
    sc_city_point half;    ///< half its width and height
    double swirl;
    uint32_t node_count;
    uint32_t street_count;
    uint32_t candidate_count;  ///< places where a dead end could be
    uint32_t leaf_count;       ///< nodes of degree 1
    uint32_t chain_count;      ///< nodes of degree 2
    sc_city_point nodes[SC_CITY_PLAN_NODES_MAX];
    uint8_t degree[SC_CITY_PLAN_NODES_MAX];
    sc_city_street streets[SC_CITY_PLAN_STREETS_MAX];
} sc_city_plan;

/**
 * Chooses `wanted` of `total` things that come one by one, evenly: asked for
 * each thing in turn with its weight, it returns how many of the wanted fall on it.
 * The shares of all things add up to `wanted` exactly.
 */
typedef struct sc_city_share {
    uint64_t wanted;
    uint64_t total;
    uint64_t passed;
} sc_city_share;

/** How many of the wanted fall on the next thing, of weight `weight`. */
uint32_t sc__city_share_next(sc_city_share *share, uint32_t weight);

/** Where streets open into a side. `low` is the cell south or west of it. */
typedef struct sc_city_access {
    double along;       ///< 0 to 1
    uint8_t low_line;   ///< which street of the low cell, from 1; 0: none
    uint8_t high_line;  ///< which street of the high cell
} sc_city_access;

/** One piece of arterial, the side of a cell. */
typedef struct sc_city_side {
    bool exists;
    uint8_t road_class;
    uint32_t count;
    sc_city_access access[2 * SC_CITY_LINES_MAX];
} sc_city_side;

/** The sides of a cell, as it sees them itself. */
typedef enum sc_city_facing {
    SC_CITY_FACING_SOUTH = 0,
    SC_CITY_FACING_NORTH = 1,
    SC_CITY_FACING_WEST = 2,
    SC_CITY_FACING_EAST = 3,
} sc_city_facing;

/** The streets of a cell where they meet one of its sides. */
typedef struct sc_city_lines {
    uint32_t blocks;  ///< the side is cut into so many: streets 1 .. blocks - 1
    double along[SC_CITY_LINES_MAX];
    bool open[SC_CITY_LINES_MAX];
} sc_city_lines;

/** 64 bits from the seed, two coordinates and what they are for. */
uint64_t sc__city_hash(uint64_t seed, uint32_t a, uint32_t b, uint32_t salt);

/** The same as a number in [0, 1). */
double sc__city_chance(uint64_t seed, uint32_t a, uint32_t b, uint32_t salt);

/** Smooth noise in [-1, 1] at (x, y); neighbouring whole numbers are independent. */
double sc__city_noise(uint64_t seed, double x, double y, uint32_t salt);

// --- city_layout.c ----------------------------------------------------

/** Lay out a city of `cell_count` cells with streets, for about `node_count` nodes. */
SC_CHECKED sc_err sc__city_layout(sc_city *city, uint64_t seed, uint32_t node_count,
                                  uint32_t cell_count);

/** Release what the layout holds; harmless twice and on a zeroed city. */
void sc__city_fini(sc_city *city);

/** The usual width of a cell. */
#define SC_CITY_CELL_M 560.0

sc_city_point sc__city_cell_centre(const sc_city *city, uint32_t column, uint32_t row);

/** Whether the cell touches the main square. */
bool sc__city_is_plaza(const sc_city *city, uint32_t column, uint32_t row);

static inline sc_city_style sc__city_style(const sc_city *city, uint32_t column, uint32_t row)
{
    return (sc_city_style)city->style[(size_t)row * city->columns + column];
}

/** Whether the cell has streets of its own. */
static inline bool sc__city_is_built(const sc_city *city, uint32_t column, uint32_t row)
{
    return sc__city_style(city, column, row) >= SC_CITY_PLAZA;
}

// --- city_styles.c -----------------------------------------------------

/** Give every settled cell, and every corridor that passes one, its style. */
SC_CHECKED sc_err sc__city_assign_styles(sc_city *city);

// --- city_geometry.c --------------------------------------------------

/** Where a point of a cell lies on the ground: metres east and north of the main square. */
sc_city_point sc__city_ground(const sc_city *city, const sc_city_plan *plan, sc_city_point point);

/** The same as longitude and latitude, in degrees. */
void sc__city_locate(const sc_city *city, const sc_city_plan *plan, sc_city_point point,
                     double *lon, double *lat);

/** The point `fraction` of the way along a street. */
sc_city_point sc__city_street_point(const sc_city_plan *plan, const sc_city_street *street,
                                    double fraction);

// --- city_arterials.c ---------------------------------------------------

/** The southern side of a cell: the arterial that runs east from its crossing. */
void sc__city_south_side(const sc_city *city, uint32_t column, uint32_t row, sc_city_side *side);

/** The western side: the arterial that runs north. */
void sc__city_west_side(const sc_city *city, uint32_t column, uint32_t row, sc_city_side *side);

bool sc__city_has_south_side(const sc_city *city, uint32_t column, uint32_t row);
bool sc__city_has_west_side(const sc_city *city, uint32_t column, uint32_t row);

/** Where a cell's streets meet its sides. */
void sc__city_lines(const sc_city *city, uint32_t column, uint32_t row, sc_city_facing facing,
                    sc_city_lines *lines);

/** Whether the motorway in this corridor cell has ramps. */
bool sc__city_has_ramps(const sc_city *city, uint32_t column, uint32_t row);

/** The crossing at a cell's south-western corner. */
typedef struct sc_city_crossing {
    uint32_t arms;  ///< bit per sc_city_facing: which sides meet here
    uint32_t arm_count;
    bool roundabout;  ///< then it is four nodes: east, north, west, south
} sc_city_crossing;

sc_city_crossing sc__city_crossing(const sc_city *city, uint32_t column, uint32_t row);

/** Nodes of a crossing: 0, 1 or 4. */
uint32_t sc__city_crossing_nodes(sc_city_crossing crossing);

/** Which of its nodes an arm starts from. */
uint16_t sc__city_crossing_node(sc_city_crossing crossing, sc_city_facing arm);

/** Radius of a roundabout. */
#define SC_CITY_ROUNDABOUT_M 17.0

// --- city_cell.c ------------------------------------------------------

/**
 * Plan what the cell owns.
 *
 * @param spurs  deals out dead ends to the places that could have one; NULL for none
 */
void sc__city_plan(const sc_city *city, uint32_t column, uint32_t row, sc_city_share *spurs,
                   sc_city_plan *plan);

/** Add a node at `point`; the plan has room for all that a cell can have. */
sc_city_ref sc__city_add_node(sc_city_plan *plan, sc_city_point point);

/** Add a street between two nodes. */
sc_city_street *sc__city_add_street(const sc_city *city, sc_city_plan *plan, sc_city_ref a,
                                    sc_city_point from, sc_city_ref b, sc_city_point to,
                                    sc_road_class road_class);

/** The four sides round a cell, and the numbers their nodes have in the owner's plan. */
typedef struct sc_city_frame {
    sc_city_side side[4];  ///< by sc_city_facing
    uint32_t first[4];     ///< index of the side's first access in its owner's plan
} sc_city_frame;

// --- city_streets.c ---------------------------------------------------

/** Fill a cell of streets. */
void sc__city_streets(const sc_city *city, const sc_city_frame *frame, sc_city_share *spurs,
                      sc_city_plan *plan);

// --- city_objects.c ---------------------------------------------------

/** The categories of a generated city, as the builder numbers them. */
typedef struct sc_city_categories {
    sc_category_id id[48];
} sc_city_categories;

/** Make the categories. */
SC_CHECKED sc_err sc__city_add_categories(sc_builder *builder, sc_city_categories *out);

/**
 * Put `count` objects along a street whose edges are
 * [first_edge, first_edge + edge_count).
 */
SC_CHECKED sc_err sc__city_add_objects(const sc_city *city, const sc_city_categories *categories,
                                       const sc_city_plan *plan, uint32_t street, uint32_t count,
                                       sc_edge_id first_edge, uint32_t edge_count,
                                       sc_builder *builder);

// --- city_one_way.c -----------------------------------------------------

/** A street as it was built. */
typedef struct sc_city_built {
    sc_node_id a;
    sc_node_id b;
    sc_edge_id first_edge;
    uint32_t edge_count;
    uint32_t road;   ///< SC_NONE: always open both ways
    bool is_turned;  ///< its road leads from b to a
    double length_m;
} sc_city_built;

/** Streets that are one-way together, or not at all. */
typedef struct sc_city_road {
    double length_m;
    uint32_t rank;     ///< in the order in which they are drawn
    bool is_backward;  ///< if it is one-way: against its streets, from b to a
    bool was_drawn;
    bool is_one_way;
} sc_city_road;

/** All streets of a city, while it is decided which of them are one-way. */
typedef struct sc_city_ways {
    sc_city_built *streets;
    size_t street_count;
    size_t street_capacity;
    sc_city_road *roads;  ///< first the arterials: of each row, then of each column
    size_t road_count;
    size_t road_capacity;
    double length_m;  ///< of all streets
    uint32_t cell;    ///< whose roads these are:
    uint32_t in_cell[SC_CITY_LINE_COUNT];
} sc_city_ways;

SC_CHECKED sc_err sc__city_ways_init(const sc_city *city, sc_city_ways *out);

/** Harmless twice. */
void sc__city_ways_fini(sc_city_ways *ways);

/** Add a street of `plan`; its road is found here. The streets of a cell come together. */
SC_CHECKED sc_err sc__city_ways_add(sc_city_ways *ways, const sc_city *city,
                                    const sc_city_plan *plan, const sc_city_street *street,
                                    sc_city_built built);

/**
 * Decide which roads are one-way: as many as make up `share` of all length, or a little less, while
 * every node can be reached from every other. Time O(nodes + streets).
 */
SC_CHECKED sc_err sc__city_ways_choose(sc_city_ways *ways, double share, uint32_t node_count);

/** Close the edges of one-way roads in one direction. */
SC_CHECKED sc_err sc__city_ways_build(const sc_city_ways *ways, sc_builder *builder);

#endif
