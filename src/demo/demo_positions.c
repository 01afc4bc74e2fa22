// Where the travellers are, and the thread that tells it several times a second. See
// demo_internal.h.
//
// Positions are told for moments that are evenly apart, counted from when travellers' time is 0,
// however late this thread is: so on a page no traveller stumbles. Moments that cannot be kept up
// with are left out.
//
// A new listener must get a base first (position_frames.h): sc__demo_greet() asks for one, and the
// next frame is it. The listener was registered before that, so no frame after the base escapes it.
//
// While there is no listener, positions are computed every ten seconds all the same. Otherwise the
// first listener would have to wait until all ways that were driven meanwhile have been found.
#include "demo/demo_internal.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/diag.h"
#include "base/thread.h"

#include <errno.h>
#include <string.h>

// --- Where travellers are ------------------------------------------------------------------------

/** One in five is slow, as in `starcloak load`. */
#define TRUCK_SHARE 0.2

static sc_err make_trips(sc__travellers *travellers, const sc_demo_options *options, sc_diag *diag)
{
    const sc_map *map = travellers->map;
    const sc_trips_options trips = {
        .count = options->travellers, .truck_share = TRUCK_SHARE, .seed = options->seed};
    sc_err err = sc_route_table_init(&travellers->routes, map, NULL, diag);
    if (!err) err = sc_trips_new(map, &travellers->routes, &trips, &travellers->asking, diag);
    if (!err) err = sc_trips_new(map, &travellers->routes, &trips, &travellers->watched, diag);
    return err;
}

/** The same seed takes the same tracks, so both are of the same travellers. */
static sc_err follow_traces(sc__travellers *travellers, const sc_demo_options *options,
                            sc_diag *diag)
{
    sc_follow_options follow = options->follow;
    follow.max_count = options->travellers;
    follow.seed = options->seed;
    follow.repeats = true;
    sc_err err = sc_routes_new(travellers->map, SC_CAR, NULL, &travellers->ways, diag);
    const sc_follow_input input = {
        .map = travellers->map, .routes = travellers->ways, .traces = options->traces};
    if (!err) {
        err =
            sc_follow_new(&input, &follow, NULL, &travellers->asking, &travellers->followed, diag);
    }
    if (!err) err = sc_follow_new(&input, &follow, NULL, &travellers->watched, NULL, diag);
    return err;
}

sc_err sc__travellers_init(sc__travellers *travellers, const sc_map *map,
                           const sc_demo_options *options, sc_diag *diag)
{
    travellers->map = map;
    travellers->grid = sc_map_grid_of(map);
    if (sc_map_edge_count(map) > 0 && !sc_position_grid_fits(&travellers->grid)) {
        return sc_fail(diag, SC_ELIMIT, "the map is too wide for the format of positions");
    }
    return options->traces ? follow_traces(travellers, options, diag)
                           : make_trips(travellers, options, diag);
}

void sc__travellers_fini(sc__travellers *travellers)
{
    sc_movement_free(travellers->asking);
    sc_movement_free(travellers->watched);
    sc_routes_free(travellers->ways);
    sc_route_table_fini(&travellers->routes);
    *travellers = (sc__travellers){0};
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
        at[0] = at[1] = SC_OFF_ROAD;
        if (back != t) continue;
        sc_position_units(travellers->map, grid, place.edge, place.offset * unit_m, at);
    }
    return SC_OK;
}

// --- Several times a second ----------------------------------------------------------------------

/** Between two looks without listeners. */
#define IDLE_US 10000000

sc_err sc__positions_thread_init(sc__positions_thread *own, uint32_t travellers, int32_t step)
{
    pthread_condattr_t steady;
    pthread_condattr_init(&steady);
    pthread_condattr_setclock(&steady, CLOCK_MONOTONIC);
    pthread_mutex_init(&own->lock, NULL);
    pthread_cond_init(&own->is_over, &steady);
    pthread_condattr_destroy(&steady);
    own->at = sc_malloc_array(travellers, 2 * sizeof *own->at);
    return own->at ? sc_position_frames_init(&own->frames, travellers, step) : SC_ENOMEM;
}

void sc__positions_thread_fini(sc__positions_thread *own)
{
    pthread_cond_destroy(&own->is_over);
    pthread_mutex_destroy(&own->lock);
    sc_free(own->at);
    sc_position_frames_fini(&own->frames);
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
    const bool wants_base = atomic_exchange(&demo->wants_base, false);
    if (sc_position_frames_write(&own->frames, (double)t * 1e-6, own->at, wants_base,
                                 &own->words)) {
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
