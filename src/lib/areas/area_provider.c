// A provider of areas: the tiles that were fetched, for all who ask, and the thread that builds
// indexes of them and fetches those again that are used although they are stale. See
// starcloak/area_provider.h; area_asker.c has the asking.
#include <starcloak/area_provider.h>

#include "areas/area_provider_internal.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/diag.h"
#include "base/thread.h"
#include "lbs/object_set.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

/** An index is built when nothing new came for the first, or something did for the second. */
#define QUIET_US 1000000
#define IMPATIENT_US 10000000

static sc_err no_memory(sc_diag *diag)
{
    return sc_fail_memory(diag, "asking a provider for areas");
}

// === Sets of objects ============================================================================

static int newer_first(const void *a, const void *b)
{
    const sc__tile_rows *x = *(sc__tile_rows *const *)a;
    const sc__tile_rows *y = *(sc__tile_rows *const *)b;
    return (x->version < y->version) - (x->version > y->version);
}

void sc__area_sort(sc__tile_rows **rows, size_t count)
{
    if (count > 0) qsort(rows, count, sizeof(sc__tile_rows *), newer_first);
}

sc_object_row sc__tile_object(const sc__tile_rows *rows, size_t i)
{
    const sc__tile_row *row = &rows->rows[i];
    return (sc_object_row){.edge = row->edge,
                           .offset_m = row->along_m,
                           .key = rows->strings + row->key,
                           .category = rows->strings + row->category,
                           .name = rows->strings + row->name};
}

// Of an object that two tiles have, the one that was fetched later counts.
static sc_err add_rows(sc_objects_builder *builder, const sc__tile_rows *rows, sc_diag *diag)
{
    for (size_t i = 0; i < rows->count; i++) {
        const sc_object_row object = sc__tile_object(rows, i);
        const sc_err err = sc_objects_builder_add(builder, &object, diag);
        if (err && err != SC_EDUPLICATE) return err;
    }
    return SC_OK;
}

sc_err sc__area_make_set(const sc_area_provider *provider, sc__tile_rows **rows, size_t count,
                         sc_objects **out, sc_diag *diag)
{
    sc_objects_builder *builder = NULL;
    sc_diag why = {.message = ""};
    sc__area_sort(rows, count);
    sc_err err = sc_objects_builder_new(provider->map, &builder);
    for (uint32_t c = 0; c < provider->vocabulary->count && !err; c++) {
        err = sc__objects_builder_name(builder, provider->vocabulary->names[c]);
    }
    for (size_t i = 0; i < count && !err; i++) {
        err = add_rows(builder, rows[i], &why);
    }
    if (!err) err = sc_objects_builder_finish(builder, out);
    sc_objects_builder_free(builder);
    if (err == SC_ENOMEM) return no_memory(diag);
    return err ? sc_fail(diag, err, "objects of the provider: %s", why.message) : SC_OK;
}

// === Fetching ===================================================================================

// Under the lock.
static bool is_being_fetched(const sc_area_provider *provider, sc__tile tile)
{
    for (size_t i = 0; i < provider->fetched_count; i++) {
        if (sc__tile_is_same(provider->fetched[i], tile)) return true;
    }
    return false;
}

bool sc__area_claim(sc_area_provider *provider, sc__area_task *tasks, size_t *count)
{
    size_t kept = 0;
    if (!sc_reserve(&provider->fetched, provider->fetched_count + *count,
                    &provider->fetched_capacity, sizeof *provider->fetched)) {
        return false;
    }
    const size_t before = provider->fetched_count;
    for (size_t i = 0; i < *count; i++) {
        bool is_others = false;
        for (size_t f = 0; f < before; f++) {
            is_others = is_others || sc__tile_is_same(provider->fetched[f], tasks[i].tile);
        }
        if (is_others) {
            sc__area_task_fini(&tasks[i]);
            continue;
        }
        provider->fetched[provider->fetched_count++] = tasks[i].tile;
        tasks[kept++] = tasks[i];
    }
    *count = kept;
    return true;
}

// Under the lock.
static void unclaim(sc_area_provider *provider, const sc__area_task *tasks, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        for (size_t f = 0; f < provider->fetched_count; f++) {
            if (!sc__tile_is_same(provider->fetched[f], tasks[i].tile)) continue;
            provider->fetched[f] = provider->fetched[--provider->fetched_count];
            break;
        }
    }
    pthread_cond_broadcast(&provider->is_changed);
}

void sc__area_find_known(sc_area_provider *provider, sc__area_task *task)
{
    const sc_category_id category = task->category_count > 0 ? task->categories[0] : SC_NONE;
    if (task->category_count > 1) return;
    sc__tile_rows *rows = sc__tile_cache_find(&provider->cache, task->tile, category);
    if (rows && rows->etag) task->known = sc__tile_rows_hold(rows);
}

// Under the lock: tiles that came, into the cache; those that are unchanged live on.
static void take_tiles(sc_area_provider *provider, sc__area_task *task)
{
    const int64_t now_us = sc_clock_us();
    if (task->is_unchanged) {
        task->known->fresh_until_us = task->fresh_until_us;
        task->known->stale_until_us = task->stale_until_us;
        return;
    }
    const size_t count = task->category_count > 0 ? task->category_count : 1;
    bool is_kept = false;
    for (size_t i = 0; i < count; i++) {
        sc__tile_rows *rows = task->rows[i];
        rows->version = ++provider->versions;
        if (task->is_stored && sc__tile_cache_put(&provider->cache, rows)) is_kept = true;
    }
    // What is not kept is fetched again when it is needed, and is in no index.
    if (!is_kept) return;
    if (!provider->is_new) provider->first_us = now_us;
    provider->is_new = true;
    provider->last_us = now_us;
}

static void count_effort(sc_area_provider *provider, const sc__area_effort *effort)
{
    sc_area_status *status = &provider->status;
    status->questions += effort->questions;
    status->bytes_out += effort->bytes_out;
    status->bytes_in += effort->bytes_in;
    status->outside += effort->outside;
    status->left_out += effort->left_out;
}

sc_err sc__area_fetch_claimed(sc_area_provider *provider, const sc__area_allowance *allowed,
                              sc__area_task *tasks, size_t count, sc_area_work *work, sc_diag *diag)
{
    sc__area_effort effort = {.questions = 0};
    sc_err err =
        sc__area_fetch(&provider->source, allowed, tasks, count, &effort, &work->status, diag);
    work->questions += effort.questions;
    work->bytes_out += effort.bytes_out;
    work->bytes_in += effort.bytes_in;
    pthread_mutex_lock(&provider->lock);
    for (size_t i = 0; i < count && !err; i++) {
        take_tiles(provider, &tasks[i]);
    }
    count_effort(provider, &effort);
    unclaim(provider, tasks, count);
    pthread_mutex_unlock(&provider->lock);
    return err;
}

// === The background =============================================================================

// Under the lock: all tiles that are there, held; NULL when memory is out.
static sc__tile_rows **hold_all(sc_area_provider *provider, size_t *count)
{
    const int64_t now_us = sc_clock_us();
    sc__tile_rows **all = sc_malloc_array(provider->cache.count, sizeof(sc__tile_rows *));
    *count = 0;
    for (size_t i = 0; i < provider->cache.capacity && all; i++) {
        sc__tile_rows *rows = provider->cache.slots[i].rows;
        if (rows && now_us < rows->stale_until_us) all[(*count)++] = sc__tile_rows_hold(rows);
    }
    provider->is_new = false;
    return all;
}

static void publish(sc_area_provider *provider, sc_objects *objects, sc__tile_rows **all,
                    size_t count)
{
    pthread_mutex_lock(&provider->lock);
    sc_objects *before = provider->indexed;
    provider->indexed = objects;
    provider->indexed_number++;
    provider->status.indexes++;
    for (size_t i = 0; i < count; i++) {
        all[i]->indexed = provider->indexed_number;
    }
    pthread_mutex_unlock(&provider->lock);
    sc_objects_release(before);
}

sc_err sc_area_provider_build_index(sc_area_provider *provider, sc_diag *diag)
{
    size_t count = 0;
    sc_objects *objects = NULL;
    pthread_mutex_lock(&provider->lock);
    sc__tile_rows **all = hold_all(provider, &count);
    pthread_mutex_unlock(&provider->lock);
    sc_err err = all ? sc__area_make_set(provider, all, count, &objects, diag) : no_memory(diag);
    if (!err) {
        sc_index_options options = sc_index_options_default();
        options.threads = 1;
        err = sc_objects_build_index(objects, &options, diag);
    }
    if (err) {
        sc_objects_release(objects);
    } else {
        publish(provider, objects, all, count);
    }
    for (size_t i = 0; all && i < count; i++) {
        sc__tile_rows_release(all[i]);
    }
    sc_free(all);
    return err;
}

void sc__area_refresh(sc_area_provider *provider, const sc__tile_rows *rows)
{
    for (size_t i = 0; i < provider->refresh_count; i++) {
        const sc__area_part *p = &provider->refresh[i];
        if (p->category == rows->category && sc__tile_is_same(p->tile, rows->tile)) return;
    }
    if (provider->refresh_count == SC__AREA_REFRESH_MAX) return;
    provider->refresh[provider->refresh_count++] = (sc__area_part){rows->tile, rows->category};
    pthread_cond_broadcast(&provider->is_changed);
}

// Under the lock, which is let go meanwhile: fetch a tile again that is used although it is stale.
static void refresh_one(sc_area_provider *provider)
{
    const sc__area_part p = provider->refresh[--provider->refresh_count];
    sc__area_task task = {
        .tile = p.tile, .categories = {p.category}, .category_count = p.category != SC_NONE};
    size_t count = 1;
    if (is_being_fetched(provider, p.tile) || !sc__area_claim(provider, &task, &count) ||
        count == 0)
        return;
    sc__area_find_known(provider, &task);
    pthread_mutex_unlock(&provider->lock);
    sc_area_work work = {.tiles = 0};
    const sc__area_allowance allowed = {.questions = provider->settings->max_questions,
                                        .deadline_s = provider->settings->common.deadline_s,
                                        .stop = &provider->stop};
    // If it fails, the next one that needs it fetches it, and is told why.
    (void)!sc__area_fetch_claimed(provider, &allowed, &task, 1, &work, NULL);
    sc__area_task_fini(&task);
    pthread_mutex_lock(&provider->lock);
}

// Under the lock: when an index is due; INT64_MAX: there is nothing new.
static int64_t index_due_us(const sc_area_provider *provider)
{
    if (!provider->is_new) return INT64_MAX;
    const int64_t quiet_us = provider->last_us + QUIET_US;
    const int64_t late_us = provider->first_us + IMPATIENT_US;
    return quiet_us < late_us ? quiet_us : late_us;
}

static void *run_background(void *context)
{
    sc_area_provider *provider = context;
    pthread_setname_np(pthread_self(), "areas");
    pthread_mutex_lock(&provider->lock);
    while (!provider->is_stopping) {
        const int64_t due_us = index_due_us(provider);
        if (provider->refresh_count > 0) {
            refresh_one(provider);
        } else if (sc_clock_us() >= due_us) {
            pthread_mutex_unlock(&provider->lock);
            // Without memory there is none, and answers are searched for.
            (void)!sc_area_provider_build_index(provider, NULL);
            pthread_mutex_lock(&provider->lock);
        } else if (due_us == INT64_MAX) {
            pthread_cond_wait(&provider->is_changed, &provider->lock);
        } else {
            const struct timespec until = sc__area_moment(due_us);
            pthread_cond_timedwait(&provider->is_changed, &provider->lock, &until);
        }
    }
    pthread_mutex_unlock(&provider->lock);
    return NULL;
}

// === The provider ===============================================================================

static bool add_name(sc_vocabulary *vocabulary, const char ***names, size_t *capacity,
                     const char *name)
{
    if (sc_vocabulary_find(vocabulary, name) != SC_NONE) return true;
    if (!sc_grow(names, vocabulary->count, capacity, sizeof **names)) return false;
    vocabulary->names = *names;
    (*names)[vocabulary->count++] = name;
    return true;
}

static bool make_vocabulary(sc_area_provider *provider)
{
    const char **names = NULL;
    size_t capacity = 0;
    bool is_fine = true;
    sc_vocabulary *v = &provider->own_vocabulary;
    for (sc_category_id c = 0; c < sc_map_category_count(provider->map) && is_fine; c++) {
        is_fine = add_name(v, &names, &capacity, sc_map_category_name(provider->map, c));
    }
    for (size_t i = 0; i < provider->settings->common.ours.count && is_fine; i++) {
        is_fine = add_name(v, &names, &capacity, provider->settings->common.ours.items[i]);
    }
    v->names = names;
    return is_fine;
}

static sc_err start(sc_area_provider *provider, const sc_vocabulary *vocabulary, sc_diag *diag)
{
    const sc_area_settings *s = provider->settings;
    provider->vocabulary = vocabulary ? vocabulary : &provider->own_vocabulary;
    if (!vocabulary && !make_vocabulary(provider)) return no_memory(diag);
    sc_err err = sc__tile_grid_init(&provider->grid, provider->map, s->tile_m, s->snap_m, diag);
    if (!err) err = sc_http_client_start(diag);
    if (err) return err;
    provider->has_curl = true;
    provider->cache.max_bytes = (size_t)s->cache_bytes;
    provider->source =
        (sc__area_source){.settings = s,
                          .grid = &provider->grid,
                          .vocabulary = provider->vocabulary,
                          .pace = &provider->pace,
                          .final_size = &provider->final_size,
                          .headers = sc_adapter_headers(&s->common, "application/geo+json, "
                                                                    "application/json")};
    if (!provider->source.headers) return no_memory(diag);
    provider->stop = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    provider->has_thread =
        provider->stop >= 0 && !sc_thread_start(&provider->thread, run_background, provider);
    return provider->has_thread
               ? SC_OK
               : sc_fail(diag, SC_EIO, "cannot start a thread for areas: %s", strerror(errno));
}

sc_err sc_area_provider_new(const sc_map *map, const sc_vocabulary *vocabulary,
                            const sc_area_settings *settings, sc_area_provider **out, sc_diag *diag)
{
    sc_area_provider *provider = sc_calloc(1, sizeof *provider);
    if (!provider) return no_memory(diag);
    pthread_condattr_t steady;
    pthread_condattr_init(&steady);
    pthread_condattr_setclock(&steady, CLOCK_MONOTONIC);
    pthread_mutex_init(&provider->lock, NULL);
    sc_http_pace_init(&provider->pace, settings->common.rate_per_s, settings->common.parallel,
                      settings->common.deadline_s);
    pthread_cond_init(&provider->is_changed, &steady);
    pthread_condattr_destroy(&steady);
    provider->map = map;
    provider->settings = settings;
    provider->stop = -1;
    const sc_err err = start(provider, vocabulary, diag);
    if (err) {
        sc_area_provider_free(provider);
        return err;
    }
    *out = provider;
    return SC_OK;
}

void sc_area_provider_free(sc_area_provider *provider)
{
    if (!provider) return;
    pthread_mutex_lock(&provider->lock);
    provider->is_stopping = true;
    // A tile that is being fetched again is given up. The descriptor exists if the thread does.
    if (provider->has_thread) eventfd_write(provider->stop, 1);
    pthread_cond_broadcast(&provider->is_changed);
    pthread_mutex_unlock(&provider->lock);
    if (provider->has_thread) pthread_join(provider->thread, NULL);
    sc__tile_cache_fini(&provider->cache);
    sc_objects_release(provider->indexed);
    sc_http_headers_free(provider->source.headers);
    if (provider->has_curl) sc_http_client_stop();
    if (provider->stop >= 0) close(provider->stop);
    sc_free(provider->fetched);
    sc_free((void *)(uintptr_t)provider->own_vocabulary.names);
    pthread_cond_destroy(&provider->is_changed);
    sc_http_pace_fini(&provider->pace);
    pthread_mutex_destroy(&provider->lock);
    sc_free(provider);
}

const sc_vocabulary *sc_area_provider_vocabulary(const sc_area_provider *provider)
{
    return provider->vocabulary;
}

sc_area_grid sc_area_provider_grid(const sc_area_provider *provider)
{
    const sc__tile_grid *grid = &provider->grid;
    return (sc_area_grid){.west = grid->west,
                          .south = grid->south,
                          .side_x = grid->leaf_x,
                          .side_y = grid->leaf_y,
                          .depth = grid->depth,
                          .snap_m = provider->settings->snap_m,
                          .reach_m = grid->snap_m,
                          .names_categories = provider->settings->common.has[SC__AREA_CATEGORIES]};
}

sc_area_status sc_area_provider_status(sc_area_provider *provider)
{
    pthread_mutex_lock(&provider->lock);
    sc_area_status status = provider->status;
    status.tiles = provider->cache.count;
    status.bytes = provider->cache.bytes;
    status.evicted = provider->cache.evictions;
    pthread_mutex_unlock(&provider->lock);
    return status;
}
