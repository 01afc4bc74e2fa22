/**
 * @file pseudo_star.h
 * @brief Telling intersections from pseudo-stars, which stand for roads without any.
 *
 * Used by: whoever searches from star to star, or asks where a cloak may have its border.
 */
#ifndef SC_MAP_PSEUDO_STAR_H
#define SC_MAP_PSEUDO_STAR_H

#include <starcloak/map.h>

/**
 * Whether `star`, one of sc_map_stars(), stands for a component without any intersection: its only
 * segment is all there is, while an intersection has at least two.
 */
static inline bool sc_star_is_pseudo(const sc_star *star)
{
    return star[1].first_segment - star[0].first_segment < 2;
}

#endif
