// Where the travellers are, and the thread that tells it several times a second. See
// demo_internal.h.
//
// Positions are told for moments that are evenly apart, counted from when travellers' time is 0,
// however late this thread is: so on a page no traveller stumbles. Moments that cannot be kept up
// with are left out.
//
// While there is no listener, positions are computed every ten seconds all the same. Otherwise the
// first listener would have to wait until all ways that were driven meanwhile have been found.
#include "demo/demo_internal.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/diag.h"
#include "base/thread.h"

#include <endian.h>
#include <errno.h>
#include <math.h>
#include <string.h>

// --- Where travellers are ------------------------------------------------------------------------

/** One in five is slow, as in `starcloak load`. */
#define TRUCK_SHARE 0.2

// A map in degrees may reach around more than half of the globe; then units of it do not fit.
static bool is_wide(const sc_map_grid *grid)
{
    const double width = (grid->east - grid->west) * grid->per_unit;
    const double height = (grid->north - grid->south) * grid->per_unit;
    return !(fmax(width, height) < (double)INT32_MAX);
}

sc_err sc__travellers_init(sc__travellers *travellers, const sc_map *map, uint32_t count,
                           uint64_t seed, sc_diag *diag)
{
    travellers->map = map;
    travellers->grid = sc_map_grid_of(map);
    const sc_trips_options trips = {.count = count, .truck_share = TRUCK_SHARE, .seed = seed};
    if (sc_map_edge_count(map) > 0 && is_wide(&travellers->grid)) {
        return sc_fail(diag, SC_ELIMIT, "the map is too wide for the format of positions");
    }
    sc_err err = sc_route_table_init(&travellers->routes, map, NULL, diag);
    if (!err) err = sc_trips_new(map, &travellers->routes, &trips, &travellers->asking, diag);
    if (!err) err = sc_trips_new(map, &travellers->routes, &trips, &travellers->watched, diag);
    return err;
}

void sc__travellers_fini(sc__travellers *travellers)
{
    sc_movement_free(travellers->asking);
    sc_movement_free(travellers->watched);
    sc_route_table_fini(&travellers->routes);
    *travellers = (sc__travellers){0};
}

/** How far `value` is from `least`, both rounded as on the page. */
static int32_t steps(const sc_map_grid *grid, double value, double least)
{
    return (int32_t)(llround(value * grid->per_unit) - llround(least * grid->per_unit));
}

static int32_t little_endian(int32_t value)
{
    return (int32_t)htole32((uint32_t)value);
}

sc_err sc__travellers_positions(sc__travellers *travellers, sc_time t, int32_t *at)
{
    const sc_map_grid *grid = &travellers->grid;
    const double unit_m = sc_map_unit_m(travellers->map);
    for (uint32_t who = 0; who < travellers->watched->count; who++, at += 2) {
        sc_place place;
        sc_time back = t;
        const sc_err err = sc_movement_at(travellers->watched, who, t, &place, &back);
        if (err) return err;
        at[0] = at[1] = little_endian(-1);
        if (back != t) continue;
        double x = 0.0;
        double y = 0.0;
        sc_map_edge_position(travellers->map, place.edge, place.offset * unit_m, &x, &y);
        at[0] = little_endian(steps(grid, sc_map_grid_x(grid, x), grid->west));
        at[1] = little_endian(steps(grid, y, grid->south));
    }
    return SC_OK;
}

// --- Several times a second ----------------------------------------------------------------------

/** Between two looks without listeners. */
#define IDLE_US 10000000

sc_err sc__positions_thread_init(sc__positions_thread *own, uint32_t travellers)
{
    pthread_condattr_t steady;
    pthread_condattr_init(&steady);
    pthread_condattr_setclock(&steady, CLOCK_MONOTONIC);
    pthread_mutex_init(&own->lock, NULL);
    pthread_cond_init(&own->is_over, &steady);
    pthread_condattr_destroy(&steady);
    own->at = sc_malloc_array(travellers, 2 * sizeof *own->at);
    return own->at ? SC_OK : SC_ENOMEM;
}

void sc__positions_thread_fini(sc__positions_thread *own)
{
    pthread_cond_destroy(&own->is_over);
    pthread_mutex_destroy(&own->lock);
    sc_free(own->at);
    sc_bytes_fini(&own->words);
}

/** Whether the moment has come; false: it is over. */
static bool wait_until(sc_demo *demo, int64_t t_us)
{
    sc__positions_thread *own = &demo->positions_thread;
    const struct timespec then = {.tv_sec = t_us / 1000000, .tv_nsec = t_us % 1000000 * 1000};
    bool is_over = false;
    pthread_mutex_lock(&own->lock);
    for (int late = 0; !(is_over = atomic_load(&demo->is_stopping)) && late != ETIMEDOUT;) {
        late = pthread_cond_timedwait(&own->is_over, &own->lock, &then);
    }
    pthread_mutex_unlock(&own->lock);
    return !is_over;
}

/** If memory is out, there is another look soon. */
static void look(sc_demo *demo, sc_time t)
{
    sc__positions_thread *own = &demo->positions_thread;
    if (sc__travellers_positions(&demo->on_road, t, own->at)) return;
    if (sc_event_stream_is_empty(demo->audience)) return;
    own->words.size = 0;
    if (sc__demo_text_positions((double)t * 1e-6, own->at, demo->options.travellers, &own->words)) {
        sc_event_stream_send(demo->audience, own->words.data, own->words.size);
    }
}

static void *run(void *context)
{
    sc_demo *demo = context;
    const int64_t start_us = atomic_load(&demo->start_us);
    const sc_time step = sc_time_from_seconds(demo->options.every_s);
    sc_time looked = -IDLE_US;
    for (sc_time t = step; wait_until(demo, start_us + t);) {
        if (!sc_event_stream_is_empty(demo->audience) || t - looked >= IDLE_US) {
            look(demo, t);
            looked = t;
        }
        const sc_time now = sc_clock_us() - start_us;
        t += step;
        if (t < now) t = now - now % step;
    }
    return NULL;
}

sc_err sc__positions_thread_start(sc_demo *demo, sc_diag *diag)
{
    sc__positions_thread *own = &demo->positions_thread;
    own->is_started = sc_thread_start(&own->thread, run, demo) == SC_OK;
    if (own->is_started) return SC_OK;
    return sc_fail(diag, SC_EIO, "cannot start a thread: %s", strerror(errno));
}

void sc__positions_thread_join(sc_demo *demo)
{
    sc__positions_thread *own = &demo->positions_thread;
    if (!own->is_started) return;
    pthread_mutex_lock(&own->lock);
    pthread_cond_broadcast(&own->is_over);
    pthread_mutex_unlock(&own->lock);
    pthread_join(own->thread, NULL);
    own->is_started = false;
}
