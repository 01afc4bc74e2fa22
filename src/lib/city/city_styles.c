// The styles of a city's cells.
//
// They go by how urban a place is compared with all others of the same city: the
// shares of the styles, and so the statistics of the streets, are the same in a
// town and in a conurbation.
#include "base/alloc.h"
#include "base/sort.h"
#include "city/city_internal.h"

#include <math.h>

enum { SALT_URBAN = 150, SALT_CENTRES, SALT_USE };

// Chosen so that degrees, lengths and balls of whole cities come to lie inside
// the range of three real ones; docs/generated-city.md has the comparison.
const sc_city_style_params sc__city_style_params[SC_CITY_STYLE_COUNT] = {
    [SC_CITY_PLAZA] = {.spacing_x_m = 100,
                       .spacing_y_m = 100,
                       .jitter = 0,
                       .open = 1,
                       .keep = 1,
                       .bend = 0.45,
                       .bustle = 6},
    [SC_CITY_GRID] = {.spacing_x_m = 86,
                      .spacing_y_m = 150,
                      .jitter = 0.03,
                      .open = 0.94,
                      .keep = 0.93,
                      .stagger = 0.11,
                      .alley = 0.10,
                      .diagonal = 0.02,
                      .spur = 0.15,
                      .bend = 0.5,
                      .bustle = 5},
    [SC_CITY_ROWS] = {.spacing_x_m = 74,
                      .spacing_y_m = 190,
                      .jitter = 0.04,
                      .open = 0.85,
                      .keep = 0.88,
                      .stagger = 0.14,
                      .alley = 0.30,
                      .spur = 0.25,
                      .swirl = 0.12,
                      .bend = 0.6,
                      .bustle = 3},
    [SC_CITY_OLD] = {.spacing_x_m = 92,
                     .spacing_y_m = 116,
                     .jitter = 0.36,
                     .open = 0.70,
                     .keep = 0.78,
                     .stagger = 0.40,
                     .alley = 0.06,
                     .diagonal = 0.04,
                     .spur = 0.35,
                     .swirl = 0.25,
                     .bow = 0.06,
                     .bend = 1.0,
                     .bustle = 4},
    [SC_CITY_SUBURB] = {.spacing_x_m = 114,
                        .spacing_y_m = 148,
                        .jitter = 0.26,
                        .open = 0.45,
                        .keep = 0.66,
                        .stagger = 0.25,
                        .spur = 0.70,
                        .swirl = 0.55,
                        .bow = 0.10,
                        .bend = 1.5,
                        .bustle = 1},
    [SC_CITY_HILLS] = {.spacing_x_m = 160,
                       .spacing_y_m = 160,
                       .jitter = 0.34,
                       .open = 0.36,
                       .keep = 0.50,
                       .stagger = 0.2,
                       .spur = 0.70,
                       .swirl = 0.70,
                       .bow = 0.16,
                       .bend = 2.2,
                       .bustle = 0.6},
    [SC_CITY_WORKS] = {.spacing_x_m = 190,
                       .spacing_y_m = 150,
                       .jitter = 0.12,
                       .open = 0.6,
                       .keep = 0.7,
                       .spur = 0.8,
                       .bend = 0.5,
                       .bustle = 1.2},
    [SC_CITY_PARK] = {.spacing_x_m = 280,
                      .spacing_y_m = 280,
                      .jitter = 0.3,
                      .open = 0.6,
                      .keep = 1,
                      .swirl = 0.9,
                      .bow = 0.12,
                      .bend = 1.8,
                      .bustle = 1.5},
};

/** How urban a place is: near the main square, near a lesser centre, or by chance. */
static double urbanity(const sc_city *city, uint32_t column, uint32_t row)
{
    const sc_city_point at = sc__city_cell_centre(city, column, row);
    const double from_square = sqrt(at.x * at.x + at.y * at.y) / SC_CITY_CELL_M;
    const double chance = sc__city_noise(city->seed, at.x / SC_CITY_CELL_M * 0.3,
                                         at.y / SC_CITY_CELL_M * 0.3, SALT_URBAN);
    // The peaks of a slow noise are the lesser centres.
    const double lesser = sc__city_noise(city->seed, at.x / SC_CITY_CELL_M * 0.13,
                                         at.y / SC_CITY_CELL_M * 0.13, SALT_CENTRES);
    double urban = 0.45 * chance + (lesser > 0.3 ? 1.6 * (lesser - 0.3) : 0.0);
    if (from_square < 7) urban += 1.6 * (1.0 - from_square / 7.0);
    return urban;
}

/** The share of the cells, counted from the most urban, up to which a style reaches. */
static const struct {
    double up_to;
    sc_city_style style;
} style_ranks[] = {
    {0.17, SC_CITY_GRID},   {0.30, SC_CITY_ROWS},  {0.58, SC_CITY_OLD},
    {0.88, SC_CITY_SUBURB}, {2.00, SC_CITY_HILLS},
};

static sc_city_style ranked_style(double rank)
{
    size_t i = 0;
    while (rank >= style_ranks[i].up_to) {
        i++;
    }
    return style_ranks[i].style;
}

/** Some cells are works (by the river and the motorways) or parks instead. */
static sc_city_style special_style(const sc_city *city, uint32_t column, uint32_t row,
                                   sc_city_style usual)
{
    const double draw = sc__city_chance(city->seed, column, row, SALT_USE);
    const bool by_corridor = city->column_strip[column - 1] || city->column_strip[column + 1] ||
                             city->row_strip[row - 1] || city->row_strip[row + 1];
    if (usual == SC_CITY_GRID) return draw < 0.05 ? SC_CITY_PARK : usual;
    if (draw < 0.04) return SC_CITY_PARK;
    if (draw > (by_corridor ? 0.80 : 0.97)) return SC_CITY_WORKS;
    return usual;
}

/** Style every cell that has been settled. */
static sc_err style_cells(sc_city *city)
{
    const uint32_t all = city->columns * city->rows;
    uint32_t *cells = sc_malloc_array(all, sizeof *cells);
    uint32_t *keys = sc_malloc_array(all, sizeof *keys);
    uint32_t *order = sc_malloc_array(all, sizeof *order);
    sc_err err = SC_ENOMEM;
    if (!cells || !keys || !order) goto done;

    // A town can spare no cell for a park.
    const bool small = city->radius_m < 3 * SC_CITY_CELL_M;
    uint32_t count = 0;
    for (uint32_t row = 0; row < city->rows; row++) {
        for (uint32_t column = 0; column < city->columns; column++) {
            const uint32_t cell = row * city->columns + column;
            if (!city->style[cell]) continue;
            if (sc__city_is_plaza(city, column, row)) {
                city->style[cell] = SC_CITY_PLAZA;
                continue;
            }
            cells[count] = cell;
            keys[count++] = (uint32_t)((10.0 - urbanity(city, column, row)) * 1e8);
        }
    }
    err = sc_sort_order(keys, count, order);
    if (err) goto done;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t cell = cells[order[i]];
        const sc_city_style usual = ranked_style((double)i / (double)count);
        city->style[cell] = (uint8_t)(small ? usual
                                            : special_style(city, cell % city->columns,
                                                            cell / city->columns, usual));
    }
done:
    sc_free(cells);
    sc_free(keys);
    sc_free(order);
    return err;
}

/** Mark the corridor cells that lie in the city. */
static void mark_corridors(sc_city *city)
{
    const uint32_t columns = city->columns;
    for (uint32_t row = 1; row + 1 < city->rows; row++) {
        for (uint32_t column = 1; column + 1 < columns; column++) {
            // A motorway goes on for one cell beyond the last houses.
            bool beside_column = false;
            bool beside_row = false;
            for (uint32_t step = 0; step < 3; step++) {
                beside_column = beside_column ||
                                sc__city_is_built(city, column - 1, row + step - 1) ||
                                sc__city_is_built(city, column + 1, row + step - 1);
                beside_row = beside_row || sc__city_is_built(city, column + step - 1, row - 1) ||
                             sc__city_is_built(city, column + step - 1, row + 1);
            }
            uint8_t *style = &city->style[(size_t)row * columns + column];
            if (city->column_strip[column] == SC_CITY_STRIP_RIVER) *style = SC_CITY_WATER;
            if ((city->column_strip[column] == SC_CITY_STRIP_MOTORWAY && beside_column) ||
                (city->row_strip[row] == SC_CITY_STRIP_MOTORWAY && beside_row)) {
                *style = SC_CITY_MOTORWAY;
            }
        }
    }
    // Where corridors cross, the motorway goes on if it comes from both sides.
    for (uint32_t row = 1; row + 1 < city->rows; row++) {
        for (uint32_t column = 1; column + 1 < columns; column++) {
            if (!city->column_strip[column] || !city->row_strip[row]) continue;
            if (sc__city_style(city, column - 1, row) == SC_CITY_MOTORWAY &&
                sc__city_style(city, column + 1, row) == SC_CITY_MOTORWAY) {
                city->style[(size_t)row * columns + column] = SC_CITY_MOTORWAY;
            }
        }
    }
}

sc_err sc__city_assign_styles(sc_city *city)
{
    const sc_err err = style_cells(city);
    if (err) return err;
    mark_corridors(city);
    return SC_OK;
}
