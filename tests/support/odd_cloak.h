/**
 * @file odd_cloak.h
 * @brief Cloaks at random, as a provider sees them: segments and border nodes.
 *
 * Some are made of stars, near each other or anywhere, as engines make them; others of any segments
 * at all, as other methods do; some are one segment, some the whole map. Border nodes are those of
 * the degree rule: with more incident edges in the map than in the cloak.
 */
#ifndef SC_TESTS_SUPPORT_ODD_CLOAK_H
#define SC_TESTS_SUPPORT_ODD_CLOAK_H

#include <starcloak/map.h>
#include <starcloak/relay.h>

#include "base/rng.h"

typedef struct odd_cloak {
    bool *inside;         ///< a flag per segment of the map
    sc_seg_id *segments;  ///< ascending
    size_t segment_count;
    sc_node_id *border_nodes;  ///< ascending
    size_t border_node_count;
} odd_cloak;

/** Any cloak. Release with odd_cloak_free(). */
odd_cloak odd_cloak_new(const sc_map *map, sc_rng *rng);

/** All segments of up to `star_count` stars, which grow from one star to neighbours at random. */
odd_cloak odd_cloak_of_stars(const sc_map *map, size_t star_count, sc_rng *rng);

/** Exactly the flagged segments; takes `inside` over. */
odd_cloak odd_cloak_of(const sc_map *map, bool *inside);

void odd_cloak_free(odd_cloak *cloak);

/** What a provider is told of it; lends from both. */
sc_relay odd_cloak_relay(const odd_cloak *cloak, const sc_map *map, const sc_request *requests,
                         size_t request_count);

/** A position: on an edge, so many metres from its `from`. */
typedef struct odd_position {
    sc_edge_id edge;
    double offset_m;
    sc_direction direction;  ///< in which a traveller there moves
} odd_position;

/** A position on a segment: at an end, in the middle, at a whole unit, or anywhere; half of them
 * with a direction. */
odd_position odd_position_on(const sc_map *map, sc_seg_id segment, sc_rng *rng);

#endif
