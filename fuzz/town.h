/**
 * @file town.h
 * @brief The town that fuzzed records are of: always the same.
 *
 * Nine crossings with dead ends, a loop, a road that is there twice, an island, and an object
 * on every road.
 */
#ifndef SC_FUZZ_TOWN_H
#define SC_FUZZ_TOWN_H

#include "door.h"

static inline void town_put_edge(sc_builder *builder, sc_node_id from, sc_node_id to,
                                 double length_m)
{
    sc_edge_id edge = SC_NONE;
    sc_category_id category = SC_NONE;
    const char *name = from % 2 == 0 ? "cafe" : "school";
    if (sc_builder_add_edge(builder, from, to, length_m, SC_ROAD_LOCAL, &edge)) abort();
    if (sc_builder_add_category(builder, name, strlen(name), &category)) abort();
    if (sc_builder_add_object_on_edge(builder, edge, 0.3, category, "", 0)) abort();
}

//      0---1---2---9
//      |   |   |
//      3---4===5        4 has a loop, and two roads to 5
//      |   |   |
//      6---7---8--10        11---12
static inline sc_map *town_build(void)
{
    sc_builder *builder = NULL;
    sc_map *map = NULL;
    if (sc_builder_new(SC_COORDS_NONE, &builder)) abort();
    for (sc_node_id v = 0; v < 13; v++) {
        sc_node_id id = SC_NONE;
        if (sc_builder_add_node(builder, 0, 0, &id)) abort();
    }
    for (sc_node_id v = 0; v < 9; v++) {
        if (v % 3 < 2) town_put_edge(builder, v, v + 1, 100.0 + v);
        if (v < 6) town_put_edge(builder, v, v + 3, 80.0 + v);
    }
    town_put_edge(builder, 4, 4, 30.0);
    town_put_edge(builder, 4, 5, 120.0);
    town_put_edge(builder, 2, 9, 50.0);
    town_put_edge(builder, 8, 10, 60.0);
    town_put_edge(builder, 11, 12, 200.0);
    if (sc_builder_finish(builder, HUGE_VAL, NULL, &map, NULL, NULL)) abort();
    sc_builder_free(builder);
    return map;
}

#endif
