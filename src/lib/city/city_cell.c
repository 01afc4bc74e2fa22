// What one cell of a city owns: the crossing at its south-western corner, the
// two arterials that start there, and all that lies inside.
//
// A cell's nodes are numbered in this order: crossing, southern side, western
// side, inside. The first three do not depend on the inside, so a neighbour
// that needs the number of a junction finds it without planning this cell.
#include "city/city_internal.h"

#include <math.h>

enum { SALT_SWIRL = 400, SALT_SHAPE, SALT_BUSTLE, SALT_STRIP };

// --- Nodes and streets -----------------------------------------------------

sc_city_ref sc__city_add_node(sc_city_plan *plan, sc_city_point point)
{
    const uint32_t index = plan->node_count++;
    plan->nodes[index] = point;
    plan->degree[index] = 0;
    return (sc_city_ref){.index = (uint16_t)index, .owner = SC_CITY_SELF};
}

static void count_end(sc_city_plan *plan, sc_city_ref ref)
{
    if (ref.owner == SC_CITY_SELF) plan->degree[ref.index]++;
}

/** How many objects a metre of this street attracts, compared with others. */
static double bustle_of(const sc_city *city, const sc_city_plan *plan, sc_city_point at,
                        sc_road_class road_class)
{
    // Shops follow main roads, and stand together: the noise is raised to a
    // power, so that a few stretches have much and most have little.
    const double noise = 0.5 + 0.5 * sc__city_noise(city->seed, at.x / 330, at.y / 330, SALT_STRIP);
    const double clump = noise * noise * noise * noise * 12 + 0.12;
    double along = 1;
    if (road_class == SC_ROAD_PRIMARY || road_class == SC_ROAD_SECONDARY) along = 3.5;
    if (road_class == SC_ROAD_TERTIARY) along = 2;
    if (road_class == SC_ROAD_SERVICE) along = 0.6;
    if (road_class == SC_ROAD_MOTORWAY || road_class == SC_ROAD_RAMP) return 0;
    return along * clump * (0.5 + sc__city_style_params[plan->style].bustle);
}

sc_city_street *sc__city_add_street(const sc_city *city, sc_city_plan *plan, sc_city_ref a,
                                    sc_city_point from, sc_city_ref b, sc_city_point to,
                                    sc_road_class road_class)
{
    const uint32_t index = plan->street_count++;
    sc_city_street *street = &plan->streets[index];
    const double dx = to.x - from.x;
    const double dy = to.y - from.y;
    const double length_m = sqrt(dx * dx + dy * dy);
    const uint32_t cell = plan->row * city->columns + plan->column;

    double bend = 1.0;  // an arterial's
    if (road_class >= SC_ROAD_LOCAL) bend = sc__city_style_params[plan->style].bend;
    const double mood = 0.15 + 1.7 * sc__city_chance(city->seed, cell, index, SALT_SHAPE);
    const sc_city_point middle = {0.5 * (from.x + to.x), 0.5 * (from.y + to.y)};
    const double luck = 0.2 + 1.6 * sc__city_chance(city->seed, cell, index, SALT_BUSTLE);
    *street = (sc_city_street){
        .a = a,
        .b = b,
        .from = from,
        .to = to,
        .shape_weight = 4 + (uint32_t)(length_m * bend * mood),
        .object_weight = (uint32_t)(length_m * luck * bustle_of(city, plan, middle, road_class)),
        .road_class = (uint8_t)road_class,
    };
    count_end(plan, a);
    count_end(plan, b);
    return street;
}

// --- The crossing and the two sides ----------------------------------------

static void plan_crossing(const sc_city *city, sc_city_plan *plan, sc_city_crossing crossing)
{
    const sc_city_point corner = {plan->centre.x - plan->half.x, plan->centre.y - plan->half.y};
    // The arms that other cells own; the others are counted with their streets.
    const bool from_west = crossing.arms & 1u << SC_CITY_FACING_WEST;
    const bool from_south = crossing.arms & 1u << SC_CITY_FACING_SOUTH;
    if (crossing.arm_count == 0) return;
    if (!crossing.roundabout) {
        const sc_city_ref ref = sc__city_add_node(plan, corner);
        plan->degree[ref.index] = (uint8_t)(from_west + from_south);
        return;
    }

    static const double east[4] = {1, 0, -1, 0};
    static const double north[4] = {0, 1, 0, -1};
    sc_city_ref ring[4];
    for (int i = 0; i < 4; i++) {
        ring[i] =
            sc__city_add_node(plan, (sc_city_point){corner.x + east[i] * SC_CITY_ROUNDABOUT_M,
                                                    corner.y + north[i] * SC_CITY_ROUNDABOUT_M});
    }
    plan->degree[ring[2].index] = from_west;
    plan->degree[ring[3].index] = from_south;
    for (int i = 0; i < 4; i++) {
        const sc_city_ref next = ring[(i + 1) % 4];
        sc_city_street *arc = sc__city_add_street(city, plan, ring[i], plan->nodes[ring[i].index],
                                                  next, plan->nodes[next.index], SC_ROAD_TERTIARY);
        arc->arc = true;
        arc->line = SC_CITY_LINE_ROUND;
        arc->shape_weight = 60;  // a circle wants its points, however small
        arc->object_weight = 0;
    }
}

/** One side: from its crossing through its junctions to the next crossing. */
static void plan_side(const sc_city *city, sc_city_plan *plan, const sc_city_side *side,
                      bool upright)
{
    if (!side->exists) return;
    const sc_city_crossing here = sc__city_crossing(city, plan->column, plan->row);
    const sc_city_crossing next =
        sc__city_crossing(city, plan->column + !upright, plan->row + upright);
    const sc_city_facing leaving = upright ? SC_CITY_FACING_NORTH : SC_CITY_FACING_EAST;
    const sc_city_facing arriving = upright ? SC_CITY_FACING_SOUTH : SC_CITY_FACING_WEST;
    const double length_m = 2 * (upright ? plan->half.y : plan->half.x);
    const sc_city_point corner = {plan->centre.x - plan->half.x, plan->centre.y - plan->half.y};

    // Points along the side, by their distance from the corner.
    sc_city_ref at = {sc__city_crossing_node(here, leaving), SC_CITY_SELF};
    double at_m = here.roundabout ? SC_CITY_ROUNDABOUT_M : 0;
    const uint32_t first = plan->node_count;
    for (uint32_t i = 0; i < side->count; i++) {
        const double along_m = side->access[i].along * length_m;
        const sc_city_ref ref =
            sc__city_add_node(plan, (sc_city_point){corner.x + (upright ? 0 : along_m),
                                                    corner.y + (upright ? along_m : 0)});
        plan->degree[ref.index] = side->access[i].low_line ? 1 : 0;
    }
    for (uint32_t i = 0; i <= side->count; i++) {
        const bool last = i == side->count;
        const double to_m = last ? length_m - (next.roundabout ? SC_CITY_ROUNDABOUT_M : 0)
                                 : side->access[i].along * length_m;
        const sc_city_ref to =
            last ? (sc_city_ref){sc__city_crossing_node(next, arriving),
                                 (uint8_t)(upright ? SC_CITY_NORTH : SC_CITY_EAST)}
                 : (sc_city_ref){(uint16_t)(first + i), SC_CITY_SELF};
        const sc_city_point start = {corner.x + (upright ? 0 : at_m),
                                     corner.y + (upright ? at_m : 0)};
        const sc_city_point end = {corner.x + (upright ? 0 : to_m),
                                   corner.y + (upright ? to_m : 0)};
        sc__city_add_street(city, plan, at, start, to, end, (sc_road_class)side->road_class)->line =
            upright ? SC_CITY_LINE_WEST_SIDE : SC_CITY_LINE_SOUTH_SIDE;
        at = to;
        at_m = to_m;
    }
}

// --- Motorways -------------------------------------------------------------

/** The number that the first node inside a cell has in its plan. */
static uint32_t first_inside(const sc_city *city, uint32_t column, uint32_t row)
{
    sc_city_side south;
    sc_city_side west;
    sc__city_south_side(city, column, row, &south);
    sc__city_west_side(city, column, row, &west);
    return sc__city_crossing_nodes(sc__city_crossing(city, column, row)) + south.count + west.count;
}

/** A place in a cell, from fractions of its width and height. */
static sc_city_point place(const sc_city_plan *plan, double u, double v)
{
    return (sc_city_point){plan->centre.x + (2 * u - 1) * plan->half.x,
                           plan->centre.y + (2 * v - 1) * plan->half.y};
}

/** Join a motorway's last node in this cell with its first in the next one. */
static void plan_onward(const sc_city *city, sc_city_plan *plan, sc_city_ref from, bool upright)
{
    const uint32_t column = plan->column + !upright;
    const uint32_t row = plan->row + upright;
    if (sc__city_style(city, column, row) != SC_CITY_MOTORWAY) return;
    const sc_city_ref next = {(uint16_t)first_inside(city, column, row),
                              (uint8_t)(upright ? SC_CITY_NORTH : SC_CITY_EAST)};
    const bool crossing = city->column_strip[column] && city->row_strip[row];
    const double enters = crossing ? 0.5 : 0.3;
    const sc_city_point to = {
        upright ? plan->centre.x
                : city->column_x[column] +
                      enters * (city->column_x[column + 1] - city->column_x[column]),
        upright ? city->row_y[row] + enters * (city->row_y[row + 1] - city->row_y[row])
                : plan->centre.y,
    };
    sc__city_add_street(city, plan, from, plan->nodes[from.index], next, to, SC_ROAD_MOTORWAY);
}

/**
 * A motorway runs along the middle of its corridor, over and under the roads
 * that cross it, and meets them by ramps only. Where two motorways cross they
 * share a node.
 */
static void plan_motorway(const sc_city *city, const sc_city_frame *frame, sc_city_plan *plan)
{
    const bool upright = city->column_strip[plan->column] == SC_CITY_STRIP_MOTORWAY;
    const bool level = city->row_strip[plan->row] == SC_CITY_STRIP_MOTORWAY;
    const bool crossing = city->column_strip[plan->column] && city->row_strip[plan->row];
    const double enters = crossing ? 0.5 : 0.3;
    const sc_city_ref node =
        sc__city_add_node(plan, upright ? place(plan, 0.5, enters) : place(plan, enters, 0.5));
    plan->degree[node.index] =
        (uint8_t)((upright &&
                   sc__city_style(city, plan->column, plan->row - 1) == SC_CITY_MOTORWAY) +
                  (level && sc__city_style(city, plan->column - 1, plan->row) == SC_CITY_MOTORWAY));
    sc_city_ref last = node;

    if (sc__city_has_ramps(city, plan->column, plan->row)) {
        last = sc__city_add_node(plan, upright ? place(plan, 0.5, 0.38) : place(plan, 0.38, 0.5));
        sc__city_add_street(city, plan, node, plan->nodes[node.index], last,
                            plan->nodes[last.index], SC_ROAD_MOTORWAY);
        const sc_city_facing sides[2] = {upright ? SC_CITY_FACING_WEST : SC_CITY_FACING_SOUTH,
                                         upright ? SC_CITY_FACING_EAST : SC_CITY_FACING_NORTH};
        for (uint32_t i = 0; i < 2; i++) {
            const sc_city_side *side = &frame->side[sides[i]];
            for (uint32_t k = 0; k < side->count; k++) {
                if (!(i == 0 ? side->access[k].high_line : side->access[k].low_line)) continue;
                const sc_city_ref junction = {
                    (uint16_t)(frame->first[sides[i]] + k),
                    (uint8_t)(i == 0 ? SC_CITY_SELF : (upright ? SC_CITY_EAST : SC_CITY_NORTH))};
                const double along = side->access[k].along;
                const sc_city_ref from = i == 0 ? node : last;
                sc_city_street *ramp = sc__city_add_street(
                    city, plan, from, plan->nodes[from.index], junction,
                    upright ? place(plan, i, along) : place(plan, along, i), SC_ROAD_RAMP);
                ramp->bow_m = (i == 0) == upright ? -12 : 12;
                ramp->shape_weight = 250;
            }
        }
    }
    if (upright) plan_onward(city, plan, last, true);
    if (level) plan_onward(city, plan, last, false);
}

// --- The whole cell --------------------------------------------------------

static void frame_of(const sc_city *city, const sc_city_plan *plan, sc_city_frame *frame)
{
    const uint32_t column = plan->column;
    const uint32_t row = plan->row;
    sc__city_south_side(city, column, row, &frame->side[SC_CITY_FACING_SOUTH]);
    sc__city_west_side(city, column, row, &frame->side[SC_CITY_FACING_WEST]);
    frame->first[SC_CITY_FACING_SOUTH] =
        sc__city_crossing_nodes(sc__city_crossing(city, column, row));
    frame->first[SC_CITY_FACING_WEST] =
        frame->first[SC_CITY_FACING_SOUTH] + frame->side[SC_CITY_FACING_SOUTH].count;
    if (plan->style < SC_CITY_MOTORWAY) return;

    // A cell that is not outside has a neighbour to the north and to the east.
    sc_city_side below_east;
    sc__city_south_side(city, column + 1, row, &below_east);
    sc__city_south_side(city, column, row + 1, &frame->side[SC_CITY_FACING_NORTH]);
    sc__city_west_side(city, column + 1, row, &frame->side[SC_CITY_FACING_EAST]);
    frame->first[SC_CITY_FACING_NORTH] =
        sc__city_crossing_nodes(sc__city_crossing(city, column, row + 1));
    frame->first[SC_CITY_FACING_EAST] =
        sc__city_crossing_nodes(sc__city_crossing(city, column + 1, row)) + below_east.count;
}

void sc__city_plan(const sc_city *city, uint32_t column, uint32_t row, sc_city_share *spurs,
                   sc_city_plan *plan)
{
    plan->column = column;
    plan->row = row;
    plan->style = sc__city_style(city, column, row);
    plan->half = (sc_city_point){0.5 * (city->column_x[column + 1] - city->column_x[column]),
                                 0.5 * (city->row_y[row + 1] - city->row_y[row])};
    plan->centre =
        (sc_city_point){city->column_x[column] + plan->half.x, city->row_y[row] + plan->half.y};
    plan->swirl = sc__city_style_params[plan->style].swirl *
                  (2 * sc__city_chance(city->seed, column, row, SALT_SWIRL) - 1);
    plan->node_count = 0;
    plan->street_count = 0;
    plan->candidate_count = 0;
    plan->leaf_count = 0;
    plan->chain_count = 0;

    sc_city_frame frame;
    frame_of(city, plan, &frame);
    plan_crossing(city, plan, sc__city_crossing(city, column, row));
    plan_side(city, plan, &frame.side[SC_CITY_FACING_SOUTH], false);
    plan_side(city, plan, &frame.side[SC_CITY_FACING_WEST], true);
    if (plan->style == SC_CITY_MOTORWAY) plan_motorway(city, &frame, plan);
    if (plan->style >= SC_CITY_PLAZA) sc__city_streets(city, &frame, spurs, plan);

    for (uint32_t i = 0; i < plan->node_count; i++) {
        plan->leaf_count += plan->degree[i] == 1;
        plan->chain_count += plan->degree[i] == 2;
    }
}
