// The streets inside one cell of a city.
//
// Streets run from side to side both ways and cut the cell into blocks. Then
// the style is applied: pieces are missing, but never so many that a
// crossing cannot be reached; crossings stray and stagger; blocks get a lane
// through their middle, a short cut across, or a dead end.
//
// Dead ends are dealt out over the whole city (sc_city_share): every block that
// could have one is counted, and as many are chosen as the city needs.
#include "base/rng.h"
#include "city/city_internal.h"

#include <math.h>

enum { SALT_QUARTER = 500, LINES = SC_CITY_LINES_MAX, CROSSINGS = (LINES + 1) * (LINES + 1) };

/** A place where streets cross, or meet a side. A staggered one is two nodes. */
typedef struct crossing {
    sc_city_point point;  ///< where it would be as one node
    sc_city_ref ref[2];   ///< both the same, unless staggered
    sc_city_point end[2];
    bool exists;
    bool level;  ///< staggered along the level street: ref[0] is west, ref[1] east
    bool flip;   ///< which of the two the street across meets first
} crossing;

/** A piece of street between two crossings. */
typedef struct piece {
    bool exists;
    bool tapped;  ///< has a node near its middle, where something branches off
    sc_city_ref tap;
    sc_city_point tap_point;
    double tap_at;  ///< how far along it is
} piece;

/** What a block has inside. */
typedef enum inside {
    NOTHING = 0,
    ALLEY_LEVEL,
    ALLEY_UPRIGHT,
    CUT_RISING,
    CUT_FALLING,
    SPUR_SOUTH,  // the four in the order of a block's sides
    SPUR_NORTH,
    SPUR_WEST,
    SPUR_EAST,
} inside;

typedef struct quarter {
    const sc_city *city;
    sc_city_plan *plan;
    const sc_city_style_params *params;
    sc_rng rng;
    uint32_t across;  ///< blocks from west to east
    uint32_t up;      ///< blocks from south to north
    crossing crossings[LINES + 1][LINES + 1];
    piece level[LINES + 1][LINES + 1];    ///< [i][j]: from crossing (i,j) east
    piece upright[LINES + 1][LINES + 1];  ///< [i][j]: from crossing (i,j) north
    inside blocks[LINES][LINES];
    double tap_level[LINES];    ///< where things branch off level pieces: the same in a column,
    double tap_upright[LINES];  ///< and off upright pieces in a row, so that lanes run straight
} quarter;

static sc_city_point between(sc_city_point a, sc_city_point b, double fraction)
{
    return (sc_city_point){a.x + fraction * (b.x - a.x), a.y + fraction * (b.y - a.y)};
}

// --- Crossings -------------------------------------------------------------

/** Put the junctions of one side into the frame of crossings. */
static void take_side(quarter *q, const sc_city_frame *frame, sc_city_facing facing)
{
    static const sc_city_owner owners[4] = {SC_CITY_SELF, SC_CITY_NORTH, SC_CITY_SELF,
                                            SC_CITY_EAST};
    const sc_city_side *side = &frame->side[facing];
    const sc_city_plan *plan = q->plan;
    const bool high = facing == SC_CITY_FACING_SOUTH || facing == SC_CITY_FACING_WEST;
    const bool upright = facing == SC_CITY_FACING_WEST || facing == SC_CITY_FACING_EAST;
    sc_city_lines lines;
    sc__city_lines(q->city, plan->column, plan->row, facing, &lines);

    double along[LINES + 1] = {0};
    uint32_t node[LINES + 1] = {0};
    for (uint32_t i = 1; i < lines.blocks; i++) {
        along[i] = lines.along[i];
    }
    along[lines.blocks] = 1;
    for (uint32_t k = 0; k < side->count; k++) {
        const uint32_t line = high ? side->access[k].high_line : side->access[k].low_line;
        if (line == 0) continue;
        along[line] = side->access[k].along;
        node[line] = k + 1;
    }
    for (uint32_t i = 0; i <= lines.blocks; i++) {
        const double u = upright ? (facing == SC_CITY_FACING_EAST) : along[i];
        const double v = upright ? along[i] : (facing == SC_CITY_FACING_NORTH);
        const uint32_t column = upright ? (facing == SC_CITY_FACING_EAST ? q->across : 0) : i;
        const uint32_t row = upright ? i : (facing == SC_CITY_FACING_NORTH ? q->up : 0);
        crossing *at = &q->crossings[column][row];
        at->point = (sc_city_point){plan->centre.x + (2 * u - 1) * plan->half.x,
                                    plan->centre.y + (2 * v - 1) * plan->half.y};
        at->end[0] = at->end[1] = at->point;
        if (node[i] == 0) continue;
        at->exists = true;
        at->ref[0] = at->ref[1] = (sc_city_ref){
            .index = (uint16_t)(frame->first[facing] + node[i] - 1),
            .owner = (uint8_t)owners[facing],
        };
    }
}

/** Crossings inside lie where the lines between opposite sides meet, or stray from there. */
static void place_crossings(quarter *q)
{
    const double block_x = 2 * q->plan->half.x / q->across;
    const double block_y = 2 * q->plan->half.y / q->up;
    for (uint32_t i = 1; i < q->across; i++) {
        for (uint32_t j = 1; j < q->up; j++) {
            const sc_city_point level = between(
                q->crossings[0][j].point, q->crossings[q->across][j].point, (double)i / q->across);
            const sc_city_point upright =
                between(q->crossings[i][0].point, q->crossings[i][q->up].point, (double)j / q->up);
            crossing *at = &q->crossings[i][j];
            at->exists = true;
            at->point.x = upright.x + q->params->jitter * (sc_rng_unit(&q->rng) - 0.5) * block_x;
            at->point.y = level.y + q->params->jitter * (sc_rng_unit(&q->rng) - 0.5) * block_y;
        }
    }
}

// --- Which pieces of street there are --------------------------------------

static uint32_t find_root(uint16_t *parent, uint32_t i)
{
    while (parent[i] != i) {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    return i;
}

/** All crossings on the sides count as one place, number 0: the arterials join them. */
static uint32_t place_of(const quarter *q, uint32_t i, uint32_t j)
{
    if (i == 0 || j == 0 || i == q->across || j == q->up) return 0;
    return i * (LINES + 1) + j;
}

/** Join the ends of a piece; false if they were joined already. */
static bool join_ends(const quarter *q, uint16_t *parent, uint32_t i, uint32_t j, bool upright)
{
    const uint32_t a = find_root(parent, place_of(q, i, j));
    const uint32_t b = find_root(parent, place_of(q, i + !upright, j + upright));
    if (a == b) return false;
    parent[a] = (uint16_t)b;
    return true;
}

/** Draw which pieces are there, then put back those without which a crossing is cut off. */
static void lay_pieces(quarter *q)
{
    typedef struct gap {
        uint8_t i;
        uint8_t j;
        bool upright;
    } gap;
    gap gaps[2 * CROSSINGS];
    uint32_t gap_count = 0;
    uint16_t parent[CROSSINGS];
    for (uint32_t i = 0; i < CROSSINGS; i++) {
        parent[i] = (uint16_t)i;
    }

    for (uint32_t i = 0; i < q->across; i++) {
        for (uint32_t j = 0; j < q->up; j++) {
            for (int upright = 0; upright < 2; upright++) {
                // Pieces along the cell's sides are arterials, not ours.
                if (upright ? i == 0 : j == 0) continue;
                const uint32_t end_i = i + !upright;
                const uint32_t end_j = j + (uint32_t)upright;
                const bool at_side = place_of(q, i, j) == 0 || place_of(q, end_i, end_j) == 0;
                piece *part = upright ? &q->upright[i][j] : &q->level[i][j];
                if (at_side) {
                    // Whether it opens into the arterial was the side's decision.
                    part->exists = q->crossings[i][j].exists && q->crossings[end_i][end_j].exists;
                } else {
                    part->exists = sc_rng_unit(&q->rng) < q->params->keep;
                    if (!part->exists) gaps[gap_count++] = (gap){(uint8_t)i, (uint8_t)j, upright};
                }
                if (part->exists) join_ends(q, parent, i, j, upright);
            }
        }
    }
    for (uint32_t left = gap_count; left > 0; left--) {
        const uint32_t pick = sc_rng_below(&q->rng, left);
        const gap found = gaps[pick];
        gaps[pick] = gaps[left - 1];
        if (join_ends(q, parent, found.i, found.j, found.upright)) {
            (found.upright ? &q->upright[found.i][found.j] : &q->level[found.i][found.j])->exists =
                true;
        }
    }
}

// --- Staggered crossings ---------------------------------------------------

/** Make the nodes of the crossings inside; some crossings of four become two of three. */
static void make_crossings(quarter *q)
{
    for (uint32_t i = 1; i < q->across; i++) {
        for (uint32_t j = 1; j < q->up; j++) {
            crossing *at = &q->crossings[i][j];
            const bool four = q->level[i][j].exists && q->level[i - 1][j].exists &&
                              q->upright[i][j].exists && q->upright[i][j - 1].exists;
            const bool stagger = sc_rng_unit(&q->rng) < q->params->stagger;
            const double half_m = 5.5 + 8.5 * sc_rng_unit(&q->rng);
            const uint64_t draw = sc_rng_next(&q->rng);
            at->end[0] = at->end[1] = at->point;
            if (!four || !stagger) {
                at->ref[0] = at->ref[1] = sc__city_add_node(q->plan, at->point);
                continue;
            }
            at->level = draw >> 63;
            at->flip = draw >> 62 & 1;
            at->end[0].x -= at->level ? half_m : 0;
            at->end[1].x += at->level ? half_m : 0;
            at->end[0].y -= at->level ? 0 : half_m;
            at->end[1].y += at->level ? 0 : half_m;
            at->ref[0] = sc__city_add_node(q->plan, at->end[0]);
            at->ref[1] = sc__city_add_node(q->plan, at->end[1]);
            sc__city_add_street(q->city, q->plan, at->ref[0], at->end[0], at->ref[1], at->end[1],
                                SC_ROAD_LOCAL);
        }
    }
}

/** Which node of a crossing a street meets that comes from the given direction. */
static int end_towards(const crossing *at, sc_city_facing from)
{
    const bool far = from == SC_CITY_FACING_EAST || from == SC_CITY_FACING_NORTH;
    const bool upright = from == SC_CITY_FACING_SOUTH || from == SC_CITY_FACING_NORTH;
    return upright == at->level ? far != at->flip : far;
}

// --- What blocks have inside -----------------------------------------------

static piece *block_side(quarter *q, uint32_t i, uint32_t j, sc_city_facing facing)
{
    switch (facing) {
    case SC_CITY_FACING_SOUTH:
        return &q->level[i][j];
    case SC_CITY_FACING_NORTH:
        return &q->level[i][j + 1];
    case SC_CITY_FACING_WEST:
        return &q->upright[i][j];
    default:
        return &q->upright[i + 1][j];
    }
}

/** A dead end, if the block could have one and its turn has come. */
static inside choose_spur(quarter *q, uint32_t i, uint32_t j, uint32_t first, sc_city_share *spurs)
{
    for (uint32_t k = 0; k < 4; k++) {
        const uint32_t facing = (first + k) % 4;
        if (!block_side(q, i, j, (sc_city_facing)facing)->exists) continue;
        q->plan->candidate_count++;
        if (!spurs || sc__city_share_next(spurs, 1) == 0) return NOTHING;
        return (inside)(SPUR_SOUTH + facing);
    }
    return NOTHING;
}

static void fill_blocks(quarter *q, sc_city_share *spurs)
{
    const sc_city_style_params *params = q->params;
    double spur = params->spur;
    if (spur > 0 && spur < q->city->spur_least) spur = q->city->spur_least;
    for (uint32_t i = 0; i < q->across; i++) {
        for (uint32_t j = 0; j < q->up; j++) {
            const double draw = sc_rng_unit(&q->rng);
            const uint64_t bits = sc_rng_next(&q->rng);
            const bool level = q->level[i][j].exists && q->level[i][j + 1].exists;
            const bool upright = q->upright[i][j].exists && q->upright[i + 1][j].exists;
            const bool within = i > 0 && j > 0 && i + 1 < q->across && j + 1 < q->up;
            inside *block = &q->blocks[i][j];

            if (draw < params->alley && (level || upright)) {
                // A lane between the two longer streets, if they are there.
                *block = level ? ALLEY_UPRIGHT : ALLEY_LEVEL;
            } else if (draw >= params->alley && draw < params->alley + params->diagonal && within) {
                *block = bits & 1 ? CUT_RISING : CUT_FALLING;
            } else if (draw >= 1 - spur) {
                *block = choose_spur(q, i, j, (uint32_t)(bits >> 8) % 4, spurs);
            }

            if (*block == ALLEY_UPRIGHT || *block == SPUR_SOUTH) q->level[i][j].tapped = true;
            if (*block == ALLEY_UPRIGHT || *block == SPUR_NORTH) q->level[i][j + 1].tapped = true;
            if (*block == ALLEY_LEVEL || *block == SPUR_WEST) q->upright[i][j].tapped = true;
            if (*block == ALLEY_LEVEL || *block == SPUR_EAST) q->upright[i + 1][j].tapped = true;
        }
    }
}

// --- Streets ---------------------------------------------------------------

static sc_road_class street_class(const quarter *q)
{
    return q->plan->style == SC_CITY_PARK ? SC_ROAD_SERVICE : SC_ROAD_LOCAL;
}

/** One piece, or its two halves where something branches off. */
static void build_piece(quarter *q, uint32_t i, uint32_t j, bool upright)
{
    piece *part = upright ? &q->upright[i][j] : &q->level[i][j];
    // Drawn whether it is there or not, so that dead ends do not move the rest.
    const double bow = q->params->bow * (2 * sc_rng_unit(&q->rng) - 1);
    const double stray = q->params->jitter * (sc_rng_unit(&q->rng) - 0.5);
    const double tap_at =
        0.12 + 0.76 * (upright ? q->tap_upright[j] : q->tap_level[i]) + 0.2 * stray;
    if (!part->exists) return;

    const crossing *from = &q->crossings[i][j];
    const crossing *to = &q->crossings[i + !upright][j + upright];
    const int a = end_towards(from, upright ? SC_CITY_FACING_NORTH : SC_CITY_FACING_EAST);
    const int b = end_towards(to, upright ? SC_CITY_FACING_SOUTH : SC_CITY_FACING_WEST);
    const double length_m = 2 * (upright ? q->plan->half.y / q->up : q->plan->half.x / q->across);
    const uint8_t line = (uint8_t)(upright ? SC_CITY_LINE_UPRIGHT + i : SC_CITY_LINE_LEVEL + j);
    if (!part->tapped) {
        sc_city_street *whole = sc__city_add_street(q->city, q->plan, from->ref[a], from->end[a],
                                                    to->ref[b], to->end[b], street_class(q));
        whole->bow_m = bow * length_m;
        whole->line = line;
        return;
    }
    part->tap_at = tap_at;
    part->tap_point = between(from->end[a], to->end[b], tap_at);
    part->tap = sc__city_add_node(q->plan, part->tap_point);
    sc__city_add_street(q->city, q->plan, from->ref[a], from->end[a], part->tap, part->tap_point,
                        street_class(q))
        ->line = line;
    sc__city_add_street(q->city, q->plan, part->tap, part->tap_point, to->ref[b], to->end[b],
                        street_class(q))
        ->line = line;
}

static void build_spur(quarter *q, uint32_t i, uint32_t j, sc_city_facing facing)
{
    static const sc_city_facing opposite[4] = {SC_CITY_FACING_NORTH, SC_CITY_FACING_SOUTH,
                                               SC_CITY_FACING_EAST, SC_CITY_FACING_WEST};
    const piece *part = block_side(q, i, j, facing);
    const bool upright = facing == SC_CITY_FACING_SOUTH || facing == SC_CITY_FACING_NORTH;
    const uint32_t far_i = i + (opposite[facing] == SC_CITY_FACING_EAST);
    const uint32_t far_j = j + (opposite[facing] == SC_CITY_FACING_NORTH);
    const sc_city_point far = between(q->crossings[far_i][far_j].point,
                                      q->crossings[far_i + upright][far_j + !upright].point,
                                      part->tap_at + 0.3 * (sc_rng_unit(&q->rng) - 0.5));
    const double depth = 0.34 + 0.44 * sc_rng_unit(&q->rng);
    const double bow = q->params->bow * 1.5 * (2 * sc_rng_unit(&q->rng) - 1);
    const bool service = q->plan->style == SC_CITY_WORKS || sc_rng_unit(&q->rng) < 0.25;

    const sc_city_point end = between(part->tap_point, far, depth);
    const sc_city_ref node = sc__city_add_node(q->plan, end);
    sc_city_street *street = sc__city_add_street(q->city, q->plan, part->tap, part->tap_point, node,
                                                 end, service ? SC_ROAD_SERVICE : SC_ROAD_LOCAL);
    street->bow_m = bow * 60;
}

static void build_inside(quarter *q, uint32_t i, uint32_t j)
{
    const piece *south = &q->level[i][j];
    const piece *north = &q->level[i][j + 1];
    const piece *west = &q->upright[i][j];
    const piece *east = &q->upright[i + 1][j];
    const uint8_t line = (uint8_t)(SC_CITY_LINE_BLOCK + i * LINES + j);
    switch (q->blocks[i][j]) {
    case NOTHING:
        break;
    case ALLEY_UPRIGHT:
        sc__city_add_street(q->city, q->plan, south->tap, south->tap_point, north->tap,
                            north->tap_point, SC_ROAD_SERVICE)
            ->line = line;
        break;
    case ALLEY_LEVEL:
        sc__city_add_street(q->city, q->plan, west->tap, west->tap_point, east->tap,
                            east->tap_point, SC_ROAD_SERVICE)
            ->line = line;
        break;
    case CUT_RISING:
    case CUT_FALLING: {
        const bool rising = q->blocks[i][j] == CUT_RISING;
        const crossing *from = &q->crossings[i][rising ? j : j + 1];
        const crossing *to = &q->crossings[i + 1][rising ? j + 1 : j];
        const int a = end_towards(from, from->level ? SC_CITY_FACING_EAST
                                        : rising    ? SC_CITY_FACING_NORTH
                                                    : SC_CITY_FACING_SOUTH);
        const int b = end_towards(to, to->level ? SC_CITY_FACING_WEST
                                      : rising  ? SC_CITY_FACING_SOUTH
                                                : SC_CITY_FACING_NORTH);
        sc__city_add_street(q->city, q->plan, from->ref[a], from->end[a], to->ref[b], to->end[b],
                            SC_ROAD_LOCAL)
            ->line = line;
        break;
    }
    default:
        build_spur(q, i, j, (sc_city_facing)(q->blocks[i][j] - SPUR_SOUTH));
        break;
    }
}

/**
 * The avenues that leave the main square at an angle, two blocks long: they are
 * why the neighbourhood of the square is the densest of the city.
 */
static void build_avenue(quarter *q)
{
    const sc_city *city = q->city;
    sc_city_plan *plan = q->plan;
    if (q->across < 5 || q->up < 5) return;
    const bool west = plan->column + 1 == city->centre_column;
    const bool south = plan->row + 1 == city->centre_row;

    sc_city_ref at = {.index = 0, .owner = (uint8_t)(west + 2 * south)};
    sc_city_point point = q->crossings[west ? q->across : 0][south ? q->up : 0].point;
    // The square is one node, and three of its avenues belong to other cells.
    if (!west && !south) plan->degree[0] = (uint8_t)(plan->degree[0] + 3);
    for (uint32_t step = 1; step <= 2; step++) {
        const crossing *to =
            &q->crossings[west ? q->across - step : step][south ? q->up - step : step];
        sc__city_add_street(city, plan, at, point, to->ref[0], to->end[0], SC_ROAD_SECONDARY);
        at = to->ref[0];
        point = to->end[0];
    }
}

void sc__city_streets(const sc_city *city, const sc_city_frame *frame, sc_city_share *spurs,
                      sc_city_plan *plan)
{
    quarter q = {.city = city, .plan = plan, .params = &sc__city_style_params[plan->style]};
    sc_rng_seed(&q.rng, sc__city_hash(city->seed, plan->column, plan->row, SALT_QUARTER));
    sc_city_lines lines;
    sc__city_lines(city, plan->column, plan->row, SC_CITY_FACING_SOUTH, &lines);
    q.across = lines.blocks;
    sc__city_lines(city, plan->column, plan->row, SC_CITY_FACING_WEST, &lines);
    q.up = lines.blocks;

    for (uint32_t facing = 0; facing < 4; facing++) {
        take_side(&q, frame, (sc_city_facing)facing);
    }
    place_crossings(&q);
    lay_pieces(&q);
    make_crossings(&q);
    fill_blocks(&q, spurs);
    for (uint32_t i = 0; i < LINES; i++) {
        q.tap_level[i] = sc_rng_unit(&q.rng);
        q.tap_upright[i] = sc_rng_unit(&q.rng);
    }
    for (uint32_t i = 0; i < q.across; i++) {
        for (uint32_t j = 0; j < q.up; j++) {
            build_piece(&q, i, j, false);
            build_piece(&q, i, j, true);
        }
    }
    for (uint32_t i = 0; i < q.across; i++) {
        for (uint32_t j = 0; j < q.up; j++) {
            build_inside(&q, i, j);
        }
    }
    if (plan->style == SC_CITY_PLAZA) build_avenue(&q);
}
