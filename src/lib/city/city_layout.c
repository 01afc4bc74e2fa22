// The layout of a city: how its lattice of cells is spaced, and which cells
// belong to it.
//
// The outline grows from the main square outwards by distance, with noise, so
// that a city of any size has lobes and bays. The river and the motorways are
// columns and rows of their own; the river is one column from end to end, so
// nothing gets past it but by a bridge.
#include "base/alloc.h"
#include "base/sort.h"
#include "city/city_internal.h"
#include "map/geo.h"

#include <math.h>

#define PLAZA_WIDTH_M 500.0
#define PLAZA_HEIGHT_M 800.0
#define RIVER_M 330.0
#define MOTORWAY_M 130.0

/** What hashes are drawn for; each use has its own. */
enum {
    SALT_COLUMN_WIDTH = 100,
    SALT_ROW_HEIGHT,
    SALT_RIVER,
    SALT_TURN,
    SALT_OUTLINE,
    SALT_OUTLINE_FINE,
};

// --- Columns and rows ------------------------------------------------------

/** Where corridors lie on one arm of the lattice, counted in land strips from the centre. */
typedef struct arm {
    uint32_t land;            ///< land strips on this arm
    uint32_t river_after;     ///< UINT32_MAX: none
    uint32_t motorway_after;  ///< the first; UINT32_MAX: none
} arm;

/** Motorways are so many land strips apart: about 8 km. */
enum { MOTORWAY_EVERY = 14 };

/** Write the strips of one arm, from the centre outwards; returns how many. */
static uint32_t lay_arm(const arm *plan, uint8_t *strips)
{
    uint32_t count = 0;
    uint32_t motorway_after = plan->motorway_after;
    for (uint32_t land = 0; land < plan->land; land++) {
        // Two corridors never touch: the river comes first, a motorway then
        // waits for the next gap.
        if (land == plan->river_after) {
            strips[count++] = SC_CITY_STRIP_RIVER;
            if (motorway_after == land) motorway_after++;
        } else if (land == motorway_after) {
            strips[count++] = SC_CITY_STRIP_MOTORWAY;
            motorway_after += MOTORWAY_EVERY;
        }
        strips[count++] = SC_CITY_STRIP_LAND;
    }
    return count;
}

/** Lay both arms into one row of strips; sets the index of the first strip after the centre. */
static sc_err lay_strips(const arm *before, const arm *after, uint8_t **strips, uint32_t *count,
                         uint32_t *centre)
{
    // At most one corridor per land strip.
    uint8_t *near = sc_malloc_array(2 * (size_t)before->land + 2, sizeof *near);
    uint8_t *both = sc_malloc_array(2 * ((size_t)before->land + after->land) + 4, sizeof *both);
    if (!near || !both) {
        sc_free(near);
        sc_free(both);
        return SC_ENOMEM;
    }
    const uint32_t near_count = lay_arm(before, near);
    for (uint32_t i = 0; i < near_count; i++) {
        both[i] = near[near_count - 1 - i];
    }
    sc_free(near);
    *count = near_count + lay_arm(after, both + near_count);
    *centre = near_count;
    *strips = both;
    return SC_OK;
}

/** The borders of the strips, in metres from the centre. */
static sc_err space_strips(uint64_t seed, uint32_t salt, const uint8_t *strips, uint32_t count,
                           uint32_t centre, double plaza_m, double **out)
{
    double *border = sc_malloc_array((size_t)count + 1, sizeof *border);
    if (!border) return SC_ENOMEM;

    border[0] = 0;
    for (uint32_t i = 0; i < count; i++) {
        double width = SC_CITY_CELL_M * (0.82 + 0.36 * sc__city_chance(seed, i, centre, salt));
        if (strips[i] == SC_CITY_STRIP_RIVER) width = RIVER_M;
        if (strips[i] == SC_CITY_STRIP_MOTORWAY) width = MOTORWAY_M;
        if (i == centre || i + 1 == centre) width = plaza_m;
        border[i + 1] = border[i] + width;
    }
    const double origin = border[centre];
    for (uint32_t i = 0; i <= count; i++) {
        border[i] -= origin;
    }
    *out = border;
    return SC_OK;
}

static sc_err lay_lattice(sc_city *city)
{
    // Room for the outline's lobes, and a rim that stays empty.
    const double radius = city->radius_m / SC_CITY_CELL_M;
    const uint32_t land = (uint32_t)(1.35 * radius) + 4;
    const uint64_t draw = sc__city_hash(city->seed, 0, 0, SALT_RIVER);
    const bool wide = radius > 4.4;

    // The river passes one or two cells from the main square, on either hand;
    // the first motorways keep to the other side of it and off the centre.
    arm west = {.land = land, .river_after = UINT32_MAX, .motorway_after = UINT32_MAX};
    arm east = west;
    arm south = west;
    arm north = west;
    arm *wet = draw & 1 ? &west : &east;
    arm *dry = draw & 1 ? &east : &west;
    wet->river_after = wide && (draw & 2) ? 2 : 1;
    if (wide) {
        dry->motorway_after = 3 + (uint32_t)(draw >> 2) % 2;
        (draw & 8 ? &south : &north)->motorway_after = 2 + (uint32_t)(draw >> 4) % 2;
        if (radius > 11) {
            wet->motorway_after = dry->motorway_after + MOTORWAY_EVERY / 2;
            (draw & 8 ? &north : &south)->motorway_after = 2 + MOTORWAY_EVERY / 2;
        }
    }

    sc_err err =
        lay_strips(&west, &east, &city->column_strip, &city->columns, &city->centre_column);
    if (err) return err;
    err = lay_strips(&south, &north, &city->row_strip, &city->rows, &city->centre_row);
    if (err) return err;
    err = space_strips(city->seed, SALT_COLUMN_WIDTH, city->column_strip, city->columns,
                       city->centre_column, PLAZA_WIDTH_M, &city->column_x);
    if (err) return err;
    err = space_strips(city->seed, SALT_ROW_HEIGHT, city->row_strip, city->rows, city->centre_row,
                       PLAZA_HEIGHT_M, &city->row_y);
    if (err) return err;

    for (uint32_t i = 0; i < city->columns; i++) {
        if (city->column_strip[i] == SC_CITY_STRIP_RIVER) city->river_column = i;
    }
    return SC_OK;
}

// --- The outline -----------------------------------------------------------

sc_city_point sc__city_cell_centre(const sc_city *city, uint32_t column, uint32_t row)
{
    return (sc_city_point){0.5 * (city->column_x[column] + city->column_x[column + 1]),
                           0.5 * (city->row_y[row] + city->row_y[row + 1])};
}

bool sc__city_is_plaza(const sc_city *city, uint32_t column, uint32_t row)
{
    return (column == city->centre_column || column + 1 == city->centre_column) &&
           (row == city->centre_row || row + 1 == city->centre_row);
}

/** Whether a cell may be built on: land both ways, and not on the rim. */
static bool is_land(const sc_city *city, uint32_t column, uint32_t row)
{
    return city->column_strip[column] == SC_CITY_STRIP_LAND &&
           city->row_strip[row] == SC_CITY_STRIP_LAND && column > 0 && row > 0 &&
           column + 1 < city->columns && row + 1 < city->rows;
}

/** How late a cell would be settled: distance, bent by noise, and the river holding back. */
static uint32_t lateness(const sc_city *city, uint32_t column, uint32_t row)
{
    const double radius_m = city->radius_m;
    if (sc__city_is_plaza(city, column, row)) return 0;
    const sc_city_point at = sc__city_cell_centre(city, column, row);
    const double lobes =
        sc__city_noise(city->seed, at.x / radius_m * 1.3, at.y / radius_m * 1.3, SALT_OUTLINE);
    const double frays = sc__city_noise(city->seed, at.x / SC_CITY_CELL_M * 0.45,
                                        at.y / SC_CITY_CELL_M * 0.45, SALT_OUTLINE_FINE);
    const bool far_bank =
        (column > city->river_column) != (city->centre_column > city->river_column);
    const double distance = sqrt(at.x * at.x + 1.15 * at.y * at.y);
    const double late = distance * (1.0 + 0.24 * lobes) + 0.5 * SC_CITY_CELL_M * frays +
                        (far_bank ? 0.12 * distance : 0.0);
    return late <= 0 ? 1 : 1 + (uint32_t)late;
}

/** Give the `cell_count` cells that are settled first a style (not yet the right one). */
static sc_err settle(sc_city *city, uint32_t cell_count)
{
    const uint32_t all = city->columns * city->rows;
    uint32_t *late = sc_malloc_array(all, sizeof *late);
    uint32_t *order = sc_malloc_array(all, sizeof *order);
    sc_err err = SC_ENOMEM;
    if (!late || !order) goto done;

    for (uint32_t row = 0; row < city->rows; row++) {
        for (uint32_t column = 0; column < city->columns; column++) {
            late[row * city->columns + column] =
                is_land(city, column, row) ? lateness(city, column, row) : UINT32_MAX;
        }
    }
    err = sc_sort_order(late, all, order);
    if (err) goto done;
    for (uint32_t i = 0; i < cell_count && i < all; i++) {
        if (late[order[i]] != UINT32_MAX) city->style[order[i]] = SC_CITY_OLD;
    }
done:
    sc_free(late);
    sc_free(order);
    return err;
}

static uint32_t find_root(uint32_t *parent, uint32_t node)
{
    while (parent[node] != node) {
        parent[node] = parent[parent[node]];
        node = parent[node];
    }
    return node;
}

/** Give up cells that no arterial joins to the main square: bays may cut them off. */
static sc_err drop_islands(sc_city *city)
{
    const uint32_t all = city->columns * city->rows;
    uint32_t *parent = sc_malloc_array(all, sizeof *parent);
    bool *cut_off = sc_calloc(all, sizeof *cut_off);
    if (!parent || !cut_off) {
        sc_free(parent);
        sc_free(cut_off);
        return SC_ENOMEM;
    }

    for (uint32_t i = 0; i < all; i++) {
        parent[i] = i;
    }
    for (uint32_t row = 1; row + 1 < city->rows; row++) {
        for (uint32_t column = 1; column + 1 < city->columns; column++) {
            const uint32_t here = row * city->columns + column;
            if (sc__city_has_south_side(city, column, row)) {
                parent[find_root(parent, here)] = find_root(parent, here + 1);
            }
            if (sc__city_has_west_side(city, column, row)) {
                parent[find_root(parent, here)] = find_root(parent, here + city->columns);
            }
        }
    }
    const uint32_t main_root =
        find_root(parent, city->centre_row * city->columns + city->centre_column);
    for (uint32_t i = 0; i < all; i++) {
        if (!city->style[i]) continue;
        // All sides of a cell that stand hang together; any of them will do.
        const uint32_t column = i % city->columns;
        const uint32_t row = i / city->columns;
        uint32_t corner = i;
        if (!sc__city_has_south_side(city, column, row) &&
            !sc__city_has_west_side(city, column, row)) {
            corner = i + 1 + city->columns;
        }
        cut_off[i] = find_root(parent, corner) != main_root;
    }
    for (uint32_t i = 0; i < all; i++) {
        if (cut_off[i]) city->style[i] = SC_CITY_OUTSIDE;
    }
    sc_free(cut_off);
    sc_free(parent);
    return SC_OK;
}

// --- All of it -------------------------------------------------------------

/** The order in which cells are visited, so that near nodes get near numbers. */
static sc_err order_cells(sc_city *city)
{
    const uint32_t all = city->columns * city->rows;
    uint32_t *keys = sc_malloc_array(all, sizeof *keys);
    city->order = sc_malloc_array(all, sizeof *city->order);
    city->first_node = sc_calloc(all, sizeof *city->first_node);
    sc_err err = SC_ENOMEM;
    if (!keys || !city->order || !city->first_node) goto done;

    for (uint32_t i = 0; i < all; i++) {
        keys[i] = sc_geo_hilbert(i % city->columns, i / city->columns);
    }
    err = sc_sort_order(keys, all, city->order);
    if (err) goto done;

    // The first row and column are empty, and own nothing.
    city->order_count = 0;
    for (uint32_t i = 0; i < all; i++) {
        const uint32_t cell = city->order[i];
        if (cell % city->columns && cell / city->columns) city->order[city->order_count++] = cell;
    }
done:
    sc_free(keys);
    return err;
}

sc_err sc__city_layout(sc_city *city, uint64_t seed, uint32_t node_count, uint32_t cell_count)
{
    *city = (sc_city){.seed = seed, .grain = 1.0, .scale = 1.0, .roundabouts = node_count >= 700};
    // A hamlet has the same eight cells as a town of a thousand nodes, with
    // fewer streets in each.
    if (node_count < 1000) city->grain = sqrt((double)node_count / 1000.0);

    // A town has few cells, and most are downtown: any block may have a dead end.
    city->spur_least = node_count < 3000 ? 0.65 : 0.0;

    // The centre of a city is denser than its outskirts; that of a town is not.
    const double size = (double)node_count / 20000.0;
    city->centre_scale = 0.93 - 0.11 * (size < 1 ? size : 1.0);

    // A turn by up to 31 degrees either way, from the tangent of its half.
    const double half_turn = 0.55 * (sc__city_chance(seed, 0, 0, SALT_TURN) - 0.5);
    city->turn_cos = (1 - half_turn * half_turn) / (1 + half_turn * half_turn);
    city->turn_sin = 2 * half_turn / (1 + half_turn * half_turn);

    // From the size asked for, not from the number of cells being tried: so that
    // one cell more leaves all the others as they were.
    const double expected = node_count < 1000 ? 10.0 : (double)node_count / 94.0;
    city->radius_m = SC_CITY_CELL_M * sqrt(expected / 3.14159265);

    sc_err err = lay_lattice(city);
    if (err) goto fail;
    city->style = sc_calloc((size_t)city->columns * city->rows, sizeof *city->style);
    err = SC_ENOMEM;
    if (!city->style) goto fail;
    err = settle(city, cell_count);
    if (err) goto fail;
    err = drop_islands(city);
    if (err) goto fail;
    err = sc__city_assign_styles(city);
    if (err) goto fail;
    err = order_cells(city);
    if (err) goto fail;
    return SC_OK;
fail:
    sc__city_fini(city);
    return err;
}

void sc__city_fini(sc_city *city)
{
    sc_free(city->column_x);
    sc_free(city->row_y);
    sc_free(city->column_strip);
    sc_free(city->row_strip);
    sc_free(city->style);
    sc_free(city->order);
    sc_free(city->first_node);
    *city = (sc_city){0};
}
