// A courier's life: options, starting, stopping, counts. See courier.h and courier_internal.h.
#include "courier/courier_internal.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/diag.h"
#include "courier/provider_connections.h"

#include <curl/curl.h>
#include <math.h>

sc_courier_options sc_courier_options_default(void)
{
    return (sc_courier_options){.kind = SC_COURIER_BUILT_IN,
                                .threads = 1,
                                .max_errands = 10000,
                                .encoding = SC_ENCODING_COMPACT,
                                .connections = 8,
                                .try_timeout_s = 3.0,
                                .breaker_failures = 8,
                                .breaker_pause_s = 5.0,
                                .filter = sc_filter_options_default()};
}

/** Upper bounds of the latency's histogram, seconds: from built in to far away. */
static const double latency_bounds[] = {0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025,
                                        0.05,   0.1,     0.25,   0.5,   1.0,    2.5,   5.0,  10.0};

// --- For others -----------------------------------------------------------------------------

const sc_vocabulary *sc_courier_vocabulary(const sc_courier *courier)
{
    return &courier->categories.vocabulary;
}

const sc_cost_estimator *sc_courier_costs(const sc_courier *courier)
{
    return courier->costs;
}

sc_err sc_courier_read_files(const sc_courier_options *options, sc_courier_files **out,
                             sc_diag *diag)
{
    return sc__shared_rules_read(options, out, diag);
}

void sc_courier_use_files(sc_courier *courier, sc_courier_files *files)
{
    if (courier->connections) {
        sc__connections_renew(courier->connections, files);
    } else {
        sc__shared_rules_free(files);
    }
}

void sc_courier_files_free(sc_courier_files *files)
{
    sc__shared_rules_free(files);
}

bool sc_courier_is_in_place(const sc_courier *courier)
{
    return courier->is_in_place;
}

const sc_histogram *sc_courier_latency(const sc_courier *courier)
{
    return &courier->latency;
}

bool sc_courier_areas(sc_courier *courier, sc_area_status *out)
{
    if (!courier->areas) return false;
    *out = sc_area_provider_status(courier->areas);
    return true;
}

sc_courier_stats sc_courier_stats_of(sc_courier *courier)
{
    const sc__connections_counts connections = courier->connections
                                                   ? sc__connections_counts_of(courier->connections)
                                                   : (sc__connections_counts){.tries = 0};
    sc_courier_stats stats = {
        .sent = atomic_load_explicit(&courier->sent, memory_order_relaxed),
        .tries = connections.tries + atomic_load_explicit(&courier->tries, memory_order_relaxed),
        .bytes_out =
            connections.bytes_out + atomic_load_explicit(&courier->bytes_out, memory_order_relaxed),
        .bytes_in =
            connections.bytes_in + atomic_load_explicit(&courier->bytes_in, memory_order_relaxed)};
    for (size_t i = 0; i < SC_FAILURE_COUNT; i++) {
        stats.failed[i] = atomic_load_explicit(&courier->failed[i], memory_order_relaxed);
    }
    pthread_mutex_lock(&courier->lock);
    stats.under_way = courier->under_way;
    stats.is_suspended = sc__breaker_is_shut(&courier->breaker, sc_clock_us());
    stats.times_suspended = courier->breaker.times_open;
    pthread_mutex_unlock(&courier->lock);
    return stats;
}

// --- Starting -------------------------------------------------------------------------------

static sc_err check_provider(const sc_map *map, const sc_courier_options *o, sc_diag *diag)
{
    switch (o->kind) {
    case SC_COURIER_BUILT_IN:
        if (o->objects ? sc_objects_map(o->objects) == map : o->feed != NULL) return SC_OK;
        return sc_fail(diag, SC_EINVAL, "the built-in provider needs objects on its map");
    case SC_COURIER_HTTP:
        if (o->connections < 1 || o->connections > 1024) {
            return sc_fail(diag, SC_EINVAL,
                           "the number of connections to the provider must be 1 to 1024");
        }
        if (!(o->try_timeout_s >= 1e-3 && o->try_timeout_s <= 86400.0)) {
            return sc_fail(diag, SC_EINVAL,
                           "the time for one try must be a millisecond to a day, not %g seconds",
                           o->try_timeout_s);
        }
        if (o->encoding == SC_ENCODING_GEOJSON && sc_map_coords(map) != SC_COORDS_GEOGRAPHIC) {
            return sc_fail(diag, SC_ENOCOORDS,
                           "the map has no coordinates in degrees, which GeoJSON needs; use the "
                           "compact encoding");
        }
        return SC_OK;
    case SC_COURIER_POINTS:
        if (!o->points)
            return sc_fail(diag, SC_EINVAL, "the settings for asking at points are missing");
        if (sc_map_coords(map) == SC_COORDS_NONE) {
            return sc_fail(diag, SC_ENOCOORDS,
                           "the map has no coordinates, so a provider cannot be asked at its "
                           "points");
        }
        return SC_OK;
    case SC_COURIER_AREAS:
        if (o->areas) return SC_OK;
        return sc_fail(diag, SC_EINVAL, "the settings for asking for areas are missing");
    default:
        return sc_fail(diag, SC_EINVAL, "unknown kind of provider");
    }
}

static sc_err check_options(const sc_map *map, const sc_courier_options *o, sc_diag *diag)
{
    const unsigned least = o->kind == SC_COURIER_POINTS || o->kind == SC_COURIER_AREAS;
    if (o->threads < least || o->threads > 64) {
        return sc_fail(diag, SC_EINVAL, "provider-threads must be %u to 64, not %u", least,
                       o->threads);
    }
    if (o->max_errands < 1 || !o->back) {
        return sc_fail(diag, SC_EINVAL,
                       "at least one errand must be allowed, and a callback is needed");
    }
    if (!(o->breaker_pause_s >= 0.0 && o->breaker_pause_s <= 86400.0)) {
        return sc_fail(diag, SC_EINVAL, "the provider can be suspended for up to a day, not %g s",
                       o->breaker_pause_s);
    }
    return check_provider(map, o, diag);
}

/** The words for categories, and what requests for them cost. */
static sc_err make_categories(sc_courier *courier, const sc_courier_options *options, sc_diag *diag)
{
    sc_vocabulary of_map;
    if (sc_vocabulary_init_from_map(courier->map, &of_map))
        return sc_fail_memory(diag, "listing categories");
    // Before the set itself: should another come in between, it is counted again.
    if (options->feed)
        atomic_store(&courier->counted_loads, sc_object_feed_status(options->feed).loads);
    sc_objects *objects = options->objects ? sc_objects_hold(options->objects)
                          : options->feed  ? sc_object_feed_current(options->feed)
                                           : NULL;
    size_t own_count = 0;
    const char *const *own =
        options->areas    ? sc_area_settings_categories(options->areas, &own_count)
        : options->points ? sc_point_settings_categories(options->points, &own_count)
                          : NULL;
    const sc_vocabulary parts[] = {
        of_map,
        objects ? *sc_objects_vocabulary(objects) : (sc_vocabulary){.count = 0},
        {.names = options->more_categories, .count = (uint32_t)options->more_category_count},
        {.names = own, .count = (uint32_t)own_count},
    };
    sc_err err = sc__categories_init(&courier->categories, parts, sizeof parts / sizeof parts[0]);
    if (!err) {
        const sc_cost_objects built_in = {.objects = objects,
                                          .vocabulary = &courier->categories.vocabulary};
        err = sc_cost_estimator_new(courier->map, &built_in, &courier->costs);
    }
    sc_objects_release(objects);
    sc_vocabulary_fini(&of_map);
    return err ? sc_fail_memory(diag, "listing categories") : SC_OK;
}

void sc__courier_recount(sc_courier *courier, const sc_objects *objects, uint64_t loads)
{
    const sc_cost_objects built_in = {.objects = objects,
                                      .vocabulary = &courier->categories.vocabulary};
    if (atomic_exchange(&courier->counted_loads, loads) == loads) return;
    // For want of memory with the next errand.
    if (sc_cost_estimator_recount(courier->costs, &built_in))
        atomic_store(&courier->counted_loads, 0);
}

static sc_err make_answerers(sc_courier *courier, sc_rng *rng, sc_diag *diag)
{
    const unsigned count = courier->is_in_place ? 1 : courier->options.threads;
    courier->threads = sc_calloc(count, sizeof *courier->threads);
    if (!courier->threads) return sc_fail_memory(diag, "making threads for the provider");
    sc_err err = SC_OK;
    while (courier->thread_count < count && !err) {
        sc__provider_thread *thread = &courier->threads[courier->thread_count];
        thread->courier = courier;
        err = sc__answerer_init(&thread->answerer, courier->map, &courier->categories.vocabulary,
                                &courier->options, diag);
        if (err) return err;
        courier->thread_count++;
        err = sc_rng_fork(rng, &thread->rng);
    }
    return err ? sc_fail(diag, err, "no randomness for a provider thread: %s", sc_err_text(err))
               : SC_OK;
}

static sc_err make_askers(sc_courier *courier, const sc_courier_options *options, sc_diag *diag)
{
    sc_err err = sc_area_provider_new(courier->map, &courier->categories.vocabulary, options->areas,
                                      &courier->areas, diag);
    for (unsigned i = 0; i < courier->thread_count && !err; i++) {
        err = sc_area_asker_new(courier->areas, &courier->threads[i].asker, diag);
    }
    return err;
}

static sc_err make_point_providers(sc_courier *courier, const sc_courier_options *options,
                                   sc_diag *diag)
{
    sc_err err = SC_OK;
    for (unsigned i = 0; i < courier->thread_count && !err; i++) {
        err = sc_point_provider_new(courier->map, &courier->categories.vocabulary, options->points,
                                    &courier->threads[i].points, diag);
    }
    return err;
}

// What asking a provider that is elsewhere needs.
static sc_err make_ways(sc_courier *courier, const sc_courier_options *options, sc_rng *rng,
                        sc_diag *diag)
{
    if (options->kind == SC_COURIER_BUILT_IN) return SC_OK;
    if (curl_global_init(CURL_GLOBAL_DEFAULT)) {
        return sc_fail(diag, SC_ENET, "the HTTP client (curl) cannot be initialised");
    }
    courier->has_curl = true;
    if (options->kind == SC_COURIER_POINTS) {
        return make_point_providers(courier, options, diag);
    }
    if (options->kind == SC_COURIER_AREAS) return make_askers(courier, options, diag);
    sc_rng *own = NULL;
    const sc_err err = sc_rng_fork(rng, &own);
    if (err) return sc_fail(diag, err, "no random numbers for retries: %s", sc_err_text(err));
    const sc__connections_hooks hooks = {
        .leaves = sc__exchange_leaves,
        .back = sc__exchange_back,
        .may_go_on = sc__exchange_may_go_on,
        .context = courier,
    };
    return sc__connections_new(options, &hooks, own, &courier->connections, diag);
}

static sc_err start_threads(sc_courier *courier, sc_diag *diag)
{
    sc_err err = SC_OK;
    if (courier->is_in_place) return SC_OK;
    while (courier->running_count < courier->thread_count && !err) {
        sc__provider_thread *thread = &courier->threads[courier->running_count];
        err = sc__thread_start(&thread->thread, sc__provider_thread_run, thread, diag);
        if (!err) courier->running_count++;
    }
    if (!err) err = sc__thread_start(&courier->watch, sc__watch_run, courier, diag);
    courier->has_watch = !err;
    return err;
}

static void init_lock(sc_courier *courier)
{
    pthread_condattr_t steady;
    pthread_condattr_init(&steady);
    pthread_condattr_setclock(&steady, CLOCK_MONOTONIC);
    pthread_mutex_init(&courier->lock, NULL);
    pthread_cond_init(&courier->is_needed, NULL);
    pthread_cond_init(&courier->is_over, &steady);
    pthread_cond_init(&courier->is_changed, &steady);
    pthread_condattr_destroy(&steady);
}

sc_err sc_courier_new(const sc_map *map, const sc_courier_options *options, sc_rng *rng,
                      sc_courier **out, sc_diag *diag)
{
    sc_err err = check_options(map, options, diag);
    if (err) return err;
    sc_courier *courier = sc_calloc(1, sizeof *courier);
    if (!courier) return sc_fail_memory(diag, "making a courier");
    init_lock(courier);
    courier->map = map;
    courier->options = *options;
    courier->is_in_place = options->threads == 0;
    courier->look_us = INT64_MAX;
    courier->latency.bounds = latency_bounds;
    courier->latency.bound_count = sizeof latency_bounds / sizeof latency_bounds[0];
    courier->breaker =
        sc__breaker_new(options->breaker_failures, (int64_t)ceil(options->breaker_pause_s * 1e6));
    // Cleared pages are given by the system when they are first used.
    courier->jobs = sc_calloc(options->max_errands, sizeof *courier->jobs);
    err = courier->jobs ? sc_deadlines_init(&courier->leaving, options->max_errands) : SC_ENOMEM;
    if (!err) err = sc_deadlines_init(&courier->queue[false], options->max_errands);
    if (!err) err = sc_deadlines_init(&courier->queue[true], options->max_errands);
    if (err) sc_fail_memory(diag, "making room for errands");
    if (!err) err = make_categories(courier, options, diag);
    if (!err) err = make_answerers(courier, rng, diag);
    if (!err) err = make_ways(courier, options, rng, diag);
    if (!err) err = start_threads(courier, diag);
    if (err) {
        sc_courier_free(courier);
        return err;
    }
    *out = courier;
    return SC_OK;
}

// --- Stopping -------------------------------------------------------------------------------

// Provider threads finish what they have in hand and send nothing more; then the exchanges under
// way come back; then what is left in the queue.
static void stop(sc_courier *courier)
{
    pthread_mutex_lock(&courier->lock);
    courier->is_stopping = true;
    pthread_cond_broadcast(&courier->is_needed);
    pthread_cond_broadcast(&courier->is_over);
    pthread_cond_broadcast(&courier->is_changed);
    pthread_mutex_unlock(&courier->lock);
    while (courier->running_count > 0) {
        pthread_join(courier->threads[--courier->running_count].thread, NULL);
    }
    if (courier->has_watch) pthread_join(courier->watch, NULL);
    courier->has_watch = false;
    sc__connections_stop(courier->connections);
    sc__courier_clear(courier);
}

void sc_courier_free(sc_courier *courier)
{
    if (!courier) return;
    stop(courier);
    sc__connections_free(courier->connections);
    for (unsigned i = 0; i < courier->thread_count; i++) {
        sc__answerer_fini(&courier->threads[i].answerer);
        sc_rng_free(courier->threads[i].rng);
        sc_point_provider_free(courier->threads[i].points);
        sc_area_asker_free(courier->threads[i].asker);
    }
    sc_free(courier->threads);
    sc_area_provider_free(courier->areas);
    sc__categories_fini(&courier->categories);
    sc_cost_estimator_free(courier->costs);
    if (courier->has_curl) curl_global_cleanup();
    sc_deadlines_fini(&courier->leaving);
    sc_deadlines_fini(&courier->queue[false]);
    sc_deadlines_fini(&courier->queue[true]);
    sc_free(courier->jobs);
    pthread_cond_destroy(&courier->is_needed);
    pthread_cond_destroy(&courier->is_over);
    pthread_cond_destroy(&courier->is_changed);
    pthread_mutex_destroy(&courier->lock);
    sc_free(courier);
}
