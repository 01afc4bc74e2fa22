// The arterials of a city, which are the sides of its cells, and the places
// where streets open into them.
//
// A side belongs to two cells, and both affect it: each needs its own
// streets to meet the side at places of its own. Where the two agree within a
// few metres the streets cross; elsewhere each makes a junction of three.
//
// A street that meets a side is decided here, from hashes alone, so that either
// cell can be planned without planning the other.
#include "city/city_internal.h"

#include <math.h>

enum {
    SALT_BRIDGE = 300,
    SALT_OVERPASS,
    SALT_QUIET,
    SALT_RAMPS,
    SALT_ROUNDABOUT,
    SALT_SURE,
    SALT_SOUTH_STANDS,
    SALT_WEST_STANDS,
    SALT_OPEN = 320,   // + facing
    SALT_PLACE = 330,  // + facing
};

/** Streets that meet a side from its two hands closer than this cross. */
#define MERGE_M 12.0

// --- Which lines there are -------------------------------------------------

/** The class of a lattice line: every fourth from the main square is a main road. */
static sc_road_class line_class(const uint8_t *strips, uint32_t line, uint32_t centre)
{
    // A line beside a corridor is its frontage: quays are main roads too.
    if (strips[line] == SC_CITY_STRIP_MOTORWAY || strips[line - 1] == SC_CITY_STRIP_MOTORWAY) {
        return SC_ROAD_TERTIARY;
    }
    if (strips[line] == SC_CITY_STRIP_RIVER || strips[line - 1] == SC_CITY_STRIP_RIVER) {
        return SC_ROAD_SECONDARY;
    }
    const uint32_t from_centre = line > centre ? line - centre : centre - line;
    if (from_centre % 4 == 0) return SC_ROAD_PRIMARY;
    if (from_centre % 2 == 0) return SC_ROAD_SECONDARY;
    return SC_ROAD_TERTIARY;
}

static sc_road_class column_class(const sc_city *city, uint32_t column)
{
    return line_class(city->column_strip, column, city->centre_column);
}

static sc_road_class row_class(const sc_city *city, uint32_t row)
{
    return line_class(city->row_strip, row, city->centre_row);
}

/** Whether a line gets across a corridor: a bridge, or a way over the motorway. */
static bool gets_across(const sc_city *city, sc_city_strip strip, sc_road_class road_class,
                        uint32_t column, uint32_t row)
{
    if (strip == SC_CITY_STRIP_RIVER) {
        if (road_class == SC_ROAD_PRIMARY) return true;
        if (road_class != SC_ROAD_SECONDARY) return false;
        return sc__city_chance(city->seed, column, row, SALT_BRIDGE) < 0.6;
    }
    if (road_class != SC_ROAD_TERTIARY) return true;
    return sc__city_chance(city->seed, column, row, SALT_OVERPASS) < 0.5;
}

/** Whether a line is the edge of a corridor: such a line is never given up. */
static bool is_frontage(const uint8_t *strips, uint32_t line)
{
    return strips[line] || strips[line - 1];
}

/** Quarters that can lie back to back, without a road between them. */
static bool is_loose(sc_city_style style)
{
    return style >= SC_CITY_OLD;
}

/**
 * Whether a side stands that lies between the land cells `low` and `high`.
 *
 * Only collectors are given up, some between loose quarters and most along the
 * outline. Every second line is kept whole, so each cell still has a kept side
 * both ways, those two meet at a corner, and they go on along the neighbours:
 * what was joined stays joined.
 */
static bool side_stands(const sc_city *city, sc_city_style low, sc_city_style high,
                        sc_road_class road_class, bool frontage, double draw)
{
    const bool low_built = low >= SC_CITY_PLAZA;
    const bool high_built = high >= SC_CITY_PLAZA;
    if (!low_built && !high_built) return false;
    if (road_class != SC_ROAD_TERTIARY || frontage || city->grain < 1) return true;
    if (low_built != high_built) return draw < 0.3;
    return !(is_loose(low) && is_loose(high)) || draw < 0.62;
}

/** A main road goes on for one cell beyond the last houses. */
static bool leaves_town(const sc_city *city, uint32_t column, uint32_t row, bool upright)
{
    if ((upright ? column_class(city, column) : row_class(city, row)) != SC_ROAD_PRIMARY) {
        return false;
    }
    if (city->grain < 1) return false;
    if (upright) {
        return sc__city_is_built(city, column, row - 1) ||
               sc__city_is_built(city, column - 1, row - 1) ||
               sc__city_is_built(city, column, row + 1) ||
               sc__city_is_built(city, column - 1, row + 1);
    }
    return sc__city_is_built(city, column - 1, row) ||
           sc__city_is_built(city, column - 1, row - 1) ||
           sc__city_is_built(city, column + 1, row) || sc__city_is_built(city, column + 1, row - 1);
}

bool sc__city_has_south_side(const sc_city *city, uint32_t column, uint32_t row)
{
    if (column == 0 || row == 0 || column + 1 >= city->columns) return false;
    const sc_city_strip strip = (sc_city_strip)city->column_strip[column];
    if (strip == SC_CITY_STRIP_LAND) {
        return side_stands(city, sc__city_style(city, column, row - 1),
                           sc__city_style(city, column, row), row_class(city, row),
                           is_frontage(city->row_strip, row),
                           sc__city_chance(city->seed, column, row, SALT_SOUTH_STANDS)) ||
               leaves_town(city, column, row, false);
    }
    // Corridors never lie side by side, so this ends at land.
    return sc__city_has_south_side(city, column - 1, row) &&
           sc__city_has_south_side(city, column + 1, row) &&
           gets_across(city, strip, row_class(city, row), column, row);
}

bool sc__city_has_west_side(const sc_city *city, uint32_t column, uint32_t row)
{
    if (column == 0 || row == 0 || row + 1 >= city->rows) return false;
    const sc_city_strip strip = (sc_city_strip)city->row_strip[row];
    if (strip == SC_CITY_STRIP_LAND) {
        return side_stands(city, sc__city_style(city, column - 1, row),
                           sc__city_style(city, column, row), column_class(city, column),
                           is_frontage(city->column_strip, column),
                           sc__city_chance(city->seed, column, row, SALT_WEST_STANDS)) ||
               leaves_town(city, column, row, true);
    }
    return sc__city_has_west_side(city, column, row - 1) &&
           sc__city_has_west_side(city, column, row + 1) &&
           gets_across(city, strip, column_class(city, column), column, row);
}

// --- Where a cell's streets meet its sides ---------------------------------

/** Whether a corridor has houses on either hand. */
static bool is_settled(const sc_city *city, uint32_t column, uint32_t row, bool upright)
{
    if (upright) {
        return sc__city_is_built(city, column - 1, row) || sc__city_is_built(city, column + 1, row);
    }
    return sc__city_is_built(city, column, row - 1) || sc__city_is_built(city, column, row + 1);
}

bool sc__city_has_ramps(const sc_city *city, uint32_t column, uint32_t row)
{
    if (sc__city_style(city, column, row) != SC_CITY_MOTORWAY) return false;
    const bool upright = city->column_strip[column] == SC_CITY_STRIP_MOTORWAY;
    // None where corridors cross, and always one where a motorway enters the city.
    if (upright ? city->row_strip[row] : city->column_strip[column]) return false;
    if (!is_settled(city, column, row, upright)) return false;
    return !is_settled(city, column - !upright, row - upright, upright) ||
           sc__city_chance(city->seed, column, row, SALT_RAMPS) < 0.45;
}

/** A ramp meets each of the two sides along the corridor. */
static void ramp_lines(const sc_city *city, uint32_t column, uint32_t row, bool along_upright,
                       sc_city_lines *lines)
{
    const bool upright = city->column_strip[column] == SC_CITY_STRIP_MOTORWAY;
    lines->blocks = 1;
    if (upright == along_upright && sc__city_has_ramps(city, column, row)) {
        lines->blocks = 2;
        lines->along[1] = 0.62;
        lines->open[1] = true;
    }
}

static uint32_t block_count(const sc_city *city, sc_city_style style, double width_m,
                            double spacing_m)
{
    double count = style == SC_CITY_PLAZA ? 5.0 : width_m / spacing_m;
    count = floor(count * city->grain + 0.5);
    if (count < 2) count = 2;
    if (count > SC_CITY_LINES_MAX) count = SC_CITY_LINES_MAX;
    return (uint32_t)count;
}

/** Blocks at the main square are small, and grow with the distance from it. */
static double plaza_line(double along, bool square_is_far)
{
    const double from_square = square_is_far ? 1 - along : along;
    const double grown = from_square * (0.27 + 0.73 * from_square);
    return square_is_far ? 1 - grown : grown;
}

/** Each cell reaches two of the sides that stand, come what may: the first two of a random turn. */
static bool is_sure(const sc_city *city, uint32_t column, uint32_t row, const bool stands[4],
                    sc_city_facing facing)
{
    const uint32_t first = (uint32_t)(sc__city_hash(city->seed, column, row, SALT_SURE) % 4);
    uint32_t found = 0;
    for (uint32_t i = 0; i < 4 && found < 2; i++) {
        const uint32_t side = (first + i) % 4;
        if (!stands[side]) continue;
        if (side == (uint32_t)facing) return true;
        found++;
    }
    return false;
}

void sc__city_lines(const sc_city *city, uint32_t column, uint32_t row, sc_city_facing facing,
                    sc_city_lines *lines)
{
    const sc_city_style style = sc__city_style(city, column, row);
    const bool upright = facing == SC_CITY_FACING_WEST || facing == SC_CITY_FACING_EAST;
    *lines = (sc_city_lines){.blocks = 1};
    if (style == SC_CITY_MOTORWAY) ramp_lines(city, column, row, upright, lines);
    if (style < SC_CITY_PLAZA) return;

    const sc_city_style_params *params = &sc__city_style_params[style];
    lines->blocks =
        upright
            ? block_count(city, style, city->row_y[row + 1] - city->row_y[row], params->spacing_y_m)
            : block_count(city, style, city->column_x[column + 1] - city->column_x[column],
                          params->spacing_x_m);

    const bool stands[4] = {
        [SC_CITY_FACING_SOUTH] = sc__city_has_south_side(city, column, row),
        [SC_CITY_FACING_NORTH] = sc__city_has_south_side(city, column, row + 1),
        [SC_CITY_FACING_WEST] = sc__city_has_west_side(city, column, row),
        [SC_CITY_FACING_EAST] = sc__city_has_west_side(city, column + 1, row),
    };
    const bool surely = is_sure(city, column, row, stands, facing);
    for (uint32_t i = 1; i < lines->blocks; i++) {
        // One number for the place of street i of this cell on this side.
        const uint32_t where = row * SC_CITY_LINES_MAX + i;
        const double stray =
            sc__city_chance(city->seed, column, where, SALT_PLACE + (uint32_t)facing) - 0.5;
        lines->along[i] =
            ((double)i + (params->jitter > 0.05 ? params->jitter * stray : 0.0)) / lines->blocks;
        if (style == SC_CITY_PLAZA) {
            lines->along[i] =
                plaza_line(lines->along[i], upright ? row + 1 == city->centre_row
                                                    : column + 1 == city->centre_column);
        }
        lines->open[i] = stands[facing] &&
                         ((surely && i == (lines->blocks + 1) / 2) ||
                          sc__city_chance(city->seed, column, where, SALT_OPEN + (uint32_t)facing) <
                              params->open);
    }
}

// --- A side, as both cells see it ------------------------------------------

/** Merge what the two cells want into one row of junctions. */
static void join_lines(const sc_city_lines *low, const sc_city_lines *high, double length_m,
                       sc_city_side *side)
{
    uint32_t i = 1;
    uint32_t j = 1;
    side->count = 0;
    for (;;) {
        while (i < low->blocks && !low->open[i]) {
            i++;
        }
        while (j < high->blocks && !high->open[j]) {
            j++;
        }
        const bool has_low = i < low->blocks;
        const bool has_high = j < high->blocks;
        if (!has_low && !has_high) return;

        sc_city_access *access = &side->access[side->count++];
        const bool both = has_low && has_high;
        const double gap_m = both ? (high->along[j] - low->along[i]) * length_m : 0;
        if (both && gap_m > -MERGE_M && gap_m < MERGE_M) {
            *access =
                (sc_city_access){0.5 * (low->along[i] + high->along[j]), (uint8_t)i, (uint8_t)j};
            i++;
            j++;
        } else if (has_low && (!has_high || gap_m > 0)) {
            *access = (sc_city_access){low->along[i], (uint8_t)i, 0};
            i++;
        } else {
            *access = (sc_city_access){high->along[j], 0, (uint8_t)j};
            j++;
        }
    }
}

/** A collector is here and there no more than a street. */
static uint8_t side_class(const sc_city *city, sc_road_class line, uint32_t column, uint32_t row,
                          uint32_t salt)
{
    if (line == SC_ROAD_TERTIARY && sc__city_chance(city->seed, column, row, salt) < 0.3) {
        return SC_ROAD_LOCAL;
    }
    return (uint8_t)line;
}

void sc__city_south_side(const sc_city *city, uint32_t column, uint32_t row, sc_city_side *side)
{
    *side = (sc_city_side){.exists = sc__city_has_south_side(city, column, row)};
    if (!side->exists) return;
    side->road_class = side_class(city, row_class(city, row), column, row, SALT_QUIET);
    sc_city_lines low;
    sc_city_lines high;
    sc__city_lines(city, column, row - 1, SC_CITY_FACING_NORTH, &low);
    sc__city_lines(city, column, row, SC_CITY_FACING_SOUTH, &high);
    join_lines(&low, &high, city->column_x[column + 1] - city->column_x[column], side);
}

void sc__city_west_side(const sc_city *city, uint32_t column, uint32_t row, sc_city_side *side)
{
    *side = (sc_city_side){.exists = sc__city_has_west_side(city, column, row)};
    if (!side->exists) return;
    side->road_class = side_class(city, column_class(city, column), row, column, SALT_QUIET);
    sc_city_lines low;
    sc_city_lines high;
    sc__city_lines(city, column - 1, row, SC_CITY_FACING_EAST, &low);
    sc__city_lines(city, column, row, SC_CITY_FACING_WEST, &high);
    join_lines(&low, &high, city->row_y[row + 1] - city->row_y[row], side);
}

// --- Crossings of arterials ------------------------------------------------

sc_city_crossing sc__city_crossing(const sc_city *city, uint32_t column, uint32_t row)
{
    sc_city_crossing crossing = {0};
    if (column == 0 || row == 0) return crossing;
    const bool arm[4] = {
        [SC_CITY_FACING_SOUTH] = sc__city_has_west_side(city, column, row - 1),
        [SC_CITY_FACING_NORTH] = sc__city_has_west_side(city, column, row),
        [SC_CITY_FACING_WEST] = sc__city_has_south_side(city, column - 1, row),
        [SC_CITY_FACING_EAST] = sc__city_has_south_side(city, column, row),
    };
    for (uint32_t i = 0; i < 4; i++) {
        if (!arm[i]) continue;
        crossing.arms |= 1u << i;
        crossing.arm_count++;
    }

    // Roundabouts belong to the outskirts, and want room.
    if (!city->roundabouts || crossing.arm_count < 3) return crossing;
    const bool corridor = city->column_strip[column] || city->column_strip[column - 1] ||
                          city->row_strip[row] || city->row_strip[row - 1];
    if (corridor) return crossing;
    for (uint32_t i = 0; i < 4; i++) {
        const sc_city_style style = sc__city_style(city, column - i % 2, row - i / 2);
        if (style == SC_CITY_PLAZA || style == SC_CITY_GRID || style == SC_CITY_ROWS) {
            return crossing;
        }
    }
    crossing.roundabout = sc__city_chance(city->seed, column, row, SALT_ROUNDABOUT) < 0.4;
    return crossing;
}

uint32_t sc__city_crossing_nodes(sc_city_crossing crossing)
{
    if (crossing.arm_count == 0) return 0;
    return crossing.roundabout ? 4 : 1;
}

uint16_t sc__city_crossing_node(sc_city_crossing crossing, sc_city_facing arm)
{
    static const uint16_t place[4] = {
        [SC_CITY_FACING_EAST] = 0,
        [SC_CITY_FACING_NORTH] = 1,
        [SC_CITY_FACING_WEST] = 2,
        [SC_CITY_FACING_SOUTH] = 3,
    };
    return crossing.roundabout ? place[arm] : 0;
}
