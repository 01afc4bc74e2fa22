/**
 * @file road_legs.h
 * @brief Where one can drive from a place without leaving its segment, and what that costs.
 *
 * From a place on a road one drives one way, or the other, as far as the road is open; with a known
 * direction only that way, and back again if the road ends, or is closed, before an intersection.
 * So there are at most two *legs*. A search from a place, the provider's for a point or the trusted
 * side's inside a cloak, begins with them.
 *
 * Costs are in units of the map: distances of sc_map_unit_m(), times of sc_map_time_unit_s(), as
 * doubles. Whole numbers of them, and sums of these, are exact. The exact position of a traveller
 * is no whole number; so a cost is kept in two parts, a whole number and what the position adds to
 * it, and is rounded once, when it is looked at: ways that cost the same come out equal, whatever
 * they lead through.
 */
#ifndef SC_MAP_ROAD_LEGS_H
#define SC_MAP_ROAD_LEGS_H

#include <starcloak/map.h>

#include <math.h>

/** A cost: a whole number, and what is added to it last. */
typedef struct sc_cost {
    double whole;  ///< HUGE_VAL: there is no way
    double shift;
} sc_cost;

/** The cost and `more`, a whole number, together. */
static inline double sc__cost_plus(sc_cost cost, double more)
{
    return (cost.whole + more) + cost.shift;
}

/** A place on a segment. */
typedef struct sc_road_spot {
    double along;     ///< from the first node of the segment
    double forward;   ///< time from the first node to here; parts that are closed take none
    double backward;  ///< time from the last node to here; likewise
} sc_road_spot;

/**
 * How long it takes to get to the place `offset` along an edge from its `from`, or backward from
 * its `to`; nothing where it is closed.
 */
double sc__edge_part_time(const sc_map *map, sc_edge_id edge, double offset, bool backward);

/** From the spot at an edge's `from` to `offset` along it; times are rounded to whole numbers. */
void sc__road_move_whole(const sc_map *map, sc_edge_id edge, uint32_t offset, sc_road_spot *spot);

/** The spot `offset` along `edge`; its times are rounded to whole numbers. */
sc_road_spot sc__road_spot_whole(const sc_map *map, sc_edge_id edge, uint32_t offset);

typedef struct sc_road_leg {
    bool is_backward;
    bool reaches_end;  ///< its limit is the end of the segment
    double from;       ///< where along the segment it begins: at the place, or where one turns
    sc_road_spot limit;
    // To a spot on the leg: for the distance its `along` is added, or subtracted if the leg leads
    // backward; for the time its `forward` or `backward` is added.
    sc_cost distance;
    sc_cost time;
} sc_road_leg;

typedef struct sc_road_legs {
    sc_road_leg legs[2];
    int count;
} sc_road_legs;

/**
 * The legs from a place.
 *
 * @param offset  in units, from the edge's `from`; within the edge
 */
sc_road_legs sc__road_legs(const sc_map *map, sc_edge_id edge, double offset,
                           sc_direction direction);

/** What it takes to get to a spot that the leg passes. */
static inline void sc__road_leg_to(const sc_road_leg *leg, const sc_road_spot *spot,
                                   sc_cost *distance, sc_cost *time)
{
    *distance = leg->distance;
    *time = leg->time;
    distance->whole += leg->is_backward ? -spot->along : spot->along;
    time->whole += leg->is_backward ? spot->backward : spot->forward;
}

/** Whether a leg passes a spot. */
static inline bool sc__road_leg_passes(const sc_road_leg *leg, const sc_road_spot *spot)
{
    return leg->is_backward ? spot->along <= leg->from && spot->along >= leg->limit.along
                            : spot->along >= leg->from && spot->along <= leg->limit.along;
}

#endif
