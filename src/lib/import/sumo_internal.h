/**
 * @file sumo_internal.h
 * @brief A SUMO network between its two readings: load_sumo.c fills it from XML, sumo_roads.c makes
 *        roads of it.
 */
#ifndef SC_IMPORT_SUMO_INTERNAL_H
#define SC_IMPORT_SUMO_INTERNAL_H

#include "import/import_internal.h"

/** A point of the file, in its own metres. */
typedef struct sc__sumo_point {
    double x;
    double y;
} sc__sumo_point;

/** A junction; edges may name it before it comes. */
typedef struct sc__sumo_junction {
    sc__sumo_point at;
    bool is_known;
    size_t id;        ///< where it begins among the texts
    sc_node_id node;  ///< SC_NONE before a road has needed it
} sc__sumo_junction;

/** A carriageway. */
typedef struct sc__sumo_way {
    uint32_t from;  ///< junctions
    uint32_t to;
    size_t first_point;  ///< between the two
    uint32_t point_count;
    uint32_t other;  ///< the way back, or SC_NONE
    bool is_second;  ///< the way back of one before it
    uint8_t road_class;
    double length_m;  ///< of its first open lane, as the file says
    double lane_m;    ///< of the same lane, as it is drawn; 0: it is not
    double speed_m_s;
    size_t name;  ///< where it begins among the texts; 0: it has none
    unsigned long line;
} sc__sumo_way;

/** One file, and the map that it becomes a part of. */
typedef struct sc__sumo {
    const sc_load *load;
    const sc_input *input;
    sc_builder *builder;    ///< NULL before the first file's coordinates are known
    sc_coords coords;       ///< those of the builder
    int utm_zone;           ///< that of the file; 0: keep its metres
    bool has_inside;        ///< the file has lanes inside of junctions
    sc__sumo_point offset;  ///< what SUMO has added to UTM coordinates

    sc__sumo_junction *junctions;
    size_t junction_count;
    size_t junction_capacity;
    sc__sumo_way *ways;
    size_t way_count;
    size_t way_capacity;
    sc__sumo_point *points;
    size_t point_count;
    size_t point_capacity;
    char *texts;
    size_t text_size;
    size_t text_capacity;
} sc__sumo;

/** Add the roads of the file to the builder. Changes the ways. */
SC_CHECKED sc_err sc__sumo_add_roads(sc__sumo *net);

sc_err sc__sumo_fail_memory(const sc__sumo *net);

#endif
