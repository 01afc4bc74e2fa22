/**
 * @file map_internal.h
 * @brief What a map is inside: a handful of tables, mapped or built.
 *
 * The tables of a map opened from a file point into the mapping; those of a map
 * built in memory are each on the heap. Everything else is the same, and it is
 * the same table (`tables`) that the file writer, the opener and the checksum
 * walk, so that a table added here is saved, verified and counted at once.
 *
 * Only this folder and its tests include it; map_tables.h is for other folders.
 */
#ifndef SC_MAP_MAP_INTERNAL_H
#define SC_MAP_MAP_INTERNAL_H

#include <starcloak/map.h>
#include <starcloak/map_info.h>

#include "base/file.h"
#include "map/geo.h"

/** The tables of a map; the numbers are those of the file format. */
typedef enum sc_table_kind {
    SC_TABLE_NODES = 0,
    SC_TABLE_EDGES = 1,
    SC_TABLE_EDGE_CLASSES = 2,
    SC_TABLE_SEGMENTS = 3,
    SC_TABLE_STARS = 4,
    SC_TABLE_STAR_SEGMENTS = 5,
    SC_TABLE_STAR_NEIGHBOURS = 6,
    SC_TABLE_BOXES = 7,
    SC_TABLE_OBJECTS = 8,
    SC_TABLE_SEGMENT_OBJECTS = 9,
    SC_TABLE_CATEGORIES = 10,
    SC_TABLE_STRINGS = 11,
    SC_TABLE_RUNS = 12,
    SC_TABLE_EDGE_TIMES = 13,
    SC_TABLE_SEGMENT_TIMES = 14,
    SC_TABLE_SEGMENT_NAMES = 15,
    SC_TABLE_NEAREST_LISTS = 16,
    SC_TABLE_NEAREST = 17,
    SC_TABLE_NEAREST_OTHERS = 18,
    SC_TABLE_COUNT = 19,
} sc_table_kind;

typedef struct sc_table {
    void *data;      ///< of a built map: ours to free; of an opened one: in the mapping
    uint64_t count;  ///< elements
} sc_table;

/** Edges under one box of the lowest level, and boxes in a group. */
enum { SC_BOX_EDGES = 4, SC_BOX_GROUP = 16, SC_BOX_MAX_LEVELS = 9 };

/**
 * Sixteen rectangles of the snapping index, in grid numbers, ends included. The
 * same side of all of them lies together, so that all are tested at once.
 */
typedef struct sc_box_group {
    int32_t min_x[SC_BOX_GROUP];
    int32_t min_y[SC_BOX_GROUP];
    int32_t max_x[SC_BOX_GROUP];
    int32_t max_y[SC_BOX_GROUP];
} sc_box_group;

/**
 * The ends of four edges that follow each other, in grid numbers: what a box of
 * the lowest level spans. This repeats the coordinates of nodes, so that a
 * search finds them in one cache line instead of nine.
 */
typedef struct sc_edge_run {
    int32_t from_x[SC_BOX_EDGES];
    int32_t from_y[SC_BOX_EDGES];
    int32_t to_x[SC_BOX_EDGES];
    int32_t to_y[SC_BOX_EDGES];
} sc_edge_run;

/**
 * Where each level of the index lies in the table of groups; level 0 is lowest.
 * Box i of a level is in group i / 16 of it; box i of level 0 spans edges
 * [4 i, 4 i + 4), box i of each higher level spans group i of the level below.
 */
typedef struct sc_box_levels {
    uint32_t level_count;
    uint32_t first_group[SC_BOX_MAX_LEVELS];
    uint32_t box_count[SC_BOX_MAX_LEVELS];
} sc_box_levels;

enum { SC_SOURCE_SIZE = 256 };

struct sc_map {
    sc_table tables[SC_TABLE_COUNT];
    sc_file file;  ///< what the tables point into; empty when the map was built
    bool owns_tables;

    sc_coords coords;
    bool in_metres;
    double unit_m;
    double time_unit_s;
    sc_grid grid;
    sc_box_levels levels;
    uint64_t checksum;
    char source[SC_SOURCE_SIZE];

    // Counts that the tables imply, kept for brevity.
    uint32_t node_count;
    uint32_t edge_count;
    uint32_t segment_count;
    uint32_t star_count;
    uint32_t object_count;
    uint32_t category_count;
};

/**
 * How many nodes a map without coordinates may have. They take no room in the
 * file, so without a limit a file of a kilobyte could claim two thousand million.
 */
static inline uint64_t sc__max_bare_nodes(uint64_t edge_count)
{
    return 16 * edge_count + 4096;
}

/** Go on along an edge: closed is what has a closed part, or takes too long for 32 bits. */
static inline void sc__add_times(sc_travel_times *sum, sc_travel_times edge)
{
    sum->forward =
        edge.forward < SC_CLOSED - sum->forward ? sum->forward + edge.forward : SC_CLOSED;
    sum->backward =
        edge.backward < SC_CLOSED - sum->backward ? sum->backward + edge.backward : SC_CLOSED;
}

/** The longitude of a node where the grid has it: beyond 180 for what lies east of the 180th
 * meridian, if the map has roads across it. */
double sc__node_x(const sc_map *map, sc_node_id node);

/** Bytes of one element of a table. */
size_t sc__table_element_size(sc_table_kind kind);

/** The name of a table, for people. */
const char *sc__table_name(sc_table_kind kind);

/** Where the levels of the index over `edge_count` edges lie. */
sc_box_levels sc__box_levels(uint32_t edge_count);

/** Groups of all levels together. */
uint32_t sc__box_group_count(const sc_box_levels *levels);

/** Fill the index of `map`, whose nodes, edges and levels are set (snap.c). */
void sc__index_fill(const sc_map *map, sc_edge_run *runs, sc_box_group *groups);

/** Decimals that show positions of nodes exactly; the map must have coordinates. */
int sc__position_decimals(const sc_map *map);

/** Objects lie between the nodes: with so many decimals more, they come back to their millimetre.
 */
enum { SC__OBJECT_DECIMALS = 2 };

/** Decimals that show lengths exactly, four at least. */
int sc__length_decimals(const sc_map *map);

/** Decimals that show travel times exactly, three at least. */
int sc__time_decimals(const sc_map *map);

/** Compute the checksum of a built map (scm_file.c). */
uint64_t sc__map_content_checksum(const sc_map *map);

/** Count `map` as a simple graph (map_info.c). Time O(edges log edges). */
SC_CHECKED sc_err sc__simple_graph_count(const sc_map *map, sc_simple_counts *out);

/** How many values occur more than once among `count` pairs, which are sorted in place. */
uint64_t sc__count_repeated(uint64_t *pairs, size_t count);

/** A pair of ids as one number, the same in either order. */
static inline uint64_t sc__pair(uint32_t a, uint32_t b)
{
    return a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
}

// Typed views of the tables.
static inline const sc_node *sc__nodes(const sc_map *map)
{
    return map->tables[SC_TABLE_NODES].data;
}

static inline const sc_edge *sc__edges(const sc_map *map)
{
    return map->tables[SC_TABLE_EDGES].data;
}

static inline const sc_segment *sc__segments(const sc_map *map)
{
    return map->tables[SC_TABLE_SEGMENTS].data;
}

static inline const sc_star *sc__stars(const sc_map *map)
{
    return map->tables[SC_TABLE_STARS].data;
}

static inline const sc_object *sc__objects(const sc_map *map)
{
    return map->tables[SC_TABLE_OBJECTS].data;
}

static inline const sc_edge_run *sc__edge_runs(const sc_map *map)
{
    return map->tables[SC_TABLE_RUNS].data;
}

static inline const sc_box_group *sc__box_groups(const sc_map *map)
{
    return map->tables[SC_TABLE_BOXES].data;
}

#endif
