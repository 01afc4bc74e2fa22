// Where the demo's travellers are. See fleet.h.
#include "demo/fleet.h"

#include "base/diag.h"

#include <endian.h>
#include <math.h>

/** One in five is slow, as in `starcloak load`. */
#define TRUCK_SHARE 0.2

// A map in degrees may reach around more than half of the globe; then units of it do not fit.
static bool is_wide(const sc_page_grid *grid)
{
    const double width = (grid->east - grid->west) * grid->per_unit;
    const double height = (grid->north - grid->south) * grid->per_unit;
    return !(fmax(width, height) < (double)INT32_MAX);
}

sc_err sc__fleet_init(sc__fleet *fleet, const sc_map *map, uint32_t count, uint64_t seed,
                      sc_diag *diag)
{
    fleet->map = map;
    fleet->grid = sc_page_grid_of(map);
    const sc_trips_options trips = {.count = count, .truck_share = TRUCK_SHARE, .seed = seed};
    if (sc_map_edge_count(map) > 0 && is_wide(&fleet->grid)) {
        return sc_fail(diag, SC_ELIMIT, "the map is too wide for positions to be told");
    }
    sc_err err = sc_road_book_init(&fleet->book, map, NULL, diag);
    if (!err) err = sc_trips_new(map, &fleet->book, &trips, &fleet->asking, diag);
    if (!err) err = sc_trips_new(map, &fleet->book, &trips, &fleet->watched, diag);
    return err;
}

void sc__fleet_fini(sc__fleet *fleet)
{
    sc_movement_free(fleet->asking);
    sc_movement_free(fleet->watched);
    sc_road_book_fini(&fleet->book);
    *fleet = (sc__fleet){0};
}

/** How far `value` is from `least`, both rounded as on the page. */
static int32_t steps(const sc_page_grid *grid, double value, double least)
{
    return (int32_t)(llround(value * grid->per_unit) - llround(least * grid->per_unit));
}

static int32_t little_endian(int32_t value)
{
    return (int32_t)htole32((uint32_t)value);
}

sc_err sc__fleet_look(sc__fleet *fleet, sc_time t, int32_t *at)
{
    const sc_page_grid *grid = &fleet->grid;
    const double unit_m = sc_map_unit_m(fleet->map);
    for (uint32_t who = 0; who < fleet->watched->count; who++, at += 2) {
        sc_place place;
        sc_time back = t;
        const sc_err err = sc_movement_at(fleet->watched, who, t, &place, &back);
        if (err) return err;
        at[0] = at[1] = little_endian(-1);
        if (back != t) continue;
        double x = 0.0;
        double y = 0.0;
        sc_map_edge_position(fleet->map, place.edge, place.offset * unit_m, &x, &y);
        at[0] = little_endian(steps(grid, x, grid->west));
        at[1] = little_endian(steps(grid, y, grid->south));
    }
    return SC_OK;
}
