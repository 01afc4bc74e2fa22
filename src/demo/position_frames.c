// Positions as frames of moves. See position_frames.h, and docs/ui.md for the bytes.
#include "demo/position_frames.h"

#include "base/alloc.h"
#include "base/bytes.h"
#include "base/json_write.h"

#include <math.h>
#include <string.h>

// --- Units ---------------------------------------------------------------------------------------

bool sc_position_grid_fits(const sc_map_grid *grid)
{
    const double width = (grid->east - grid->west) * grid->per_unit;
    const double height = (grid->north - grid->south) * grid->per_unit;
    return fmax(width, height) < (double)INT32_MAX;
}

/** How far `value` is from `least`, both rounded. */
static int32_t units(const sc_map_grid *grid, double value, double least)
{
    return (int32_t)(llround(value * grid->per_unit) - llround(least * grid->per_unit));
}

void sc_position_units(const sc_map *map, const sc_map_grid *grid, sc_edge_id edge, double offset_m,
                       int32_t at[2])
{
    double x = 0.0;
    double y = 0.0;
    sc_map_edge_position(map, edge, offset_m, &x, &y);
    at[0] = units(grid, sc_map_grid_x(grid, x), grid->west);
    at[1] = units(grid, y, grid->south);
}

// --- Steps ---------------------------------------------------------------------------------------

/** No step is longer: a dot on the map is larger, seen from as near as a page shows it. */
#define STEP_MAX_M 0.25

/** How many units of the grid a metre has, on the average over all roads. */
static double units_per_metre(const sc_map *map, const sc_map_grid *grid)
{
    const sc_edge *edges = sc_map_edges(map);
    double length = 0.0;
    double metres = 0.0;
    for (sc_edge_id e = 0; e < sc_map_edge_count(map); e++) {
        double x[2];
        double y[2];
        sc_map_node_position(map, edges[e].from, &x[0], &y[0]);
        sc_map_node_position(map, edges[e].to, &x[1], &y[1]);
        length += hypot(sc_map_grid_x(grid, x[1]) - sc_map_grid_x(grid, x[0]), y[1] - y[0]);
        metres += sc_map_edge_length_m(map, e);
    }
    return metres > 0.0 ? length * grid->per_unit / metres : 0.0;
}

int32_t sc_position_step(const sc_map *map, const sc_map_grid *grid)
{
    const double most = STEP_MAX_M * units_per_metre(map, grid);
    int32_t step = 1;
    while (2.0 * step <= most && step < 1 << 20) {
        step *= 2;
    }
    return step;
}

// --- Frames --------------------------------------------------------------------------------------

/** What stands in place of a move; see docs/ui.md. */
enum { STAYS = 0, LEAVES = 1, MOVES = 2 };

sc_err sc_position_frames_init(sc_position_frames *frames, uint32_t count, int32_t step)
{
    *frames = (sc_position_frames){.count = count, .step = step};
    frames->shown = sc_malloc_array(count > 0 ? count : 1, 2 * sizeof *frames->shown);
    return frames->shown ? SC_OK : SC_ENOMEM;
}

void sc_position_frames_fini(sc_position_frames *frames)
{
    sc_free(frames->shown);
    sc_bytes_fini(&frames->moves);
    *frames = (sc_position_frames){0};
}

static int32_t in_steps(const sc_position_frames *frames, int32_t units)
{
    if (units == SC_OFF_ROAD) return SC_OFF_ROAD;
    return (int32_t)(((int64_t)units + frames->step / 2) / frames->step);
}

bool sc_position_frames_differ(const sc_position_frames *frames, const int32_t *at)
{
    for (size_t i = 0; i < 2 * (size_t)frames->count; i++) {
        if (in_steps(frames, at[i]) != frames->shown[i]) return true;
    }
    return false;
}

/** Somebody moves, comes or leaves, after `staying` others. */
static bool put_move(sc_bytes *out, uint32_t staying, const int32_t from[2], const int32_t to[2])
{
    if (staying > 0 &&
        !(sc_bytes_append_varint(out, STAYS) && sc_bytes_append_varint(out, staying))) {
        return false;
    }
    if (to[0] == SC_OFF_ROAD) return sc_bytes_append_varint(out, LEAVES);
    const int64_t x = from[0] == SC_OFF_ROAD ? to[0] : (int64_t)to[0] - from[0];
    const int64_t y = from[0] == SC_OFF_ROAD ? to[1] : (int64_t)to[1] - from[1];
    return sc_bytes_append_varint(out, MOVES + sc_fold_sign(x)) &&
           sc_bytes_append_varint(out, sc_fold_sign(y));
}

/** What has changed, into `moves`; listeners have it then. */
static bool put_moves(sc_position_frames *frames, const int32_t *at)
{
    uint32_t staying = 0;
    frames->moves.size = 0;
    for (uint32_t who = 0; who < frames->count; who++) {
        int32_t *shown = &frames->shown[2 * (size_t)who];
        const int32_t now[2] = {in_steps(frames, at[2 * (size_t)who]),
                                in_steps(frames, at[2 * (size_t)who + 1])};
        if (now[0] == shown[0] && now[1] == shown[1]) {
            staying++;
            continue;
        }
        if (!put_move(&frames->moves, staying, shown, now)) return false;
        memcpy(shown, now, sizeof now);
        staying = 0;
    }
    return true;
}

bool sc_position_frames_write(sc_position_frames *frames, double t_s, const int32_t *at,
                              bool wants_base, sc_bytes *out)
{
    const bool is_base =
        wants_base || frames->needs_base || frames->number % SC_POSITION_FRAMES_PER_BASE == 0;
    frames->number++;
    if (is_base) {
        for (size_t i = 0; i < 2 * (size_t)frames->count; i++) {
            frames->shown[i] = SC_OFF_ROAD;
        }
    }
    sc_json_writer json = sc_json_writer_of(out);
    sc_json_put_text(&json, "event: positions\ndata: ");
    sc_json_open_object(&json, NULL);
    sc_json_put_fixed(&json, "t", t_s, 3);
    sc_json_put_count(&json, "frame", frames->number);
    sc_json_put_flag(&json, "base", is_base);
    const bool fits = put_moves(frames, at);
    sc_json_put_base64(&json, "moves", frames->moves.data, frames->moves.size);
    sc_json_close_object(&json);
    sc_json_put_text(&json, "\n\n");
    frames->needs_base = !fits || json.has_failed;
    return !frames->needs_base;
}
