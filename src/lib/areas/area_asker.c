// Asking a provider of areas: which tiles a relay needs, and the reply made from them. See
// starcloak/area_provider.h; docs/area-provider.md has the proof.
//
// A round takes, for each category that is asked for, the tiles that cover a box, fetches those
// that are missing, and evaluates the relay with the objects of all of them. If some list may lack
// an object outside of its box, the next box is taken (area_topics.c), and the next round begins.
// What is needed depends on the relay and on the provider's replies, and of that, what is missing
// is asked; sc_area_asker_ask() has neither positions nor members.
//
// Invariant: an asker never waits for a tile that another one fetches while it has itself marked
// tiles as being fetched, so no two wait for each other.
#include <starcloak/area_provider.h>
#include <starcloak/lbs.h>

#include "areas/area_provider_internal.h"
#include "areas/area_topics.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/diag.h"
#include "relay/relay_build.h"

#include <math.h>

/** More rounds than a pyramid has levels. */
enum { MAX_ROUNDS = 40 };

struct sc_area_asker {
    sc_area_provider *provider;
    sc_lbs *lbs;
    sc_objects *objects;  ///< of the last reply; held
    sc_area_work work;
    const sc_area_watcher *watcher;  ///< NULL: none
    int64_t deadline_us;
    int64_t leave_by_us;

    sc__area_topics topics;
    sc__tile_rows **rows;  ///< of the tiles of this round; held
    size_t row_count;
    size_t row_capacity;
    sc__tile_rows **own;  ///< fetched for this relay; held, as they need not be kept by the cache
    size_t own_count;
    size_t own_capacity;
    sc__area_task *tasks;
    size_t task_count;
    size_t task_capacity;
    uint64_t *versions;  ///< of the tiles that `objects` was made from, if it was made here
    size_t version_count;
    size_t version_capacity;
};

static sc_err no_memory(sc_diag *diag)
{
    return sc_fail_memory(diag, "asking a provider for areas");
}

// === Tiles that are there =======================================================================

// Whether tiles of all categories serve each of them.
static bool all_serve_each(const sc_area_provider *provider)
{
    return provider->settings->common.category.count > 0 ||
           !provider->settings->common.has[SC__AREA_CATEGORIES];
}

static sc__tile_rows *find_own(const sc_area_asker *asker, sc__area_part p)
{
    for (size_t i = 0; i < asker->own_count; i++) {
        sc__tile_rows *rows = asker->own[i];
        if (rows->category == p.category && sc__tile_is_same(rows->tile, p.tile)) return rows;
    }
    return NULL;
}

// Under the lock: what serves for a part, that itself or a larger one that holds it; NULL: nothing.
static sc__tile_rows *find_rows(sc_area_asker *asker, sc__area_part p, int64_t now_us)
{
    sc_area_provider *provider = asker->provider;
    const bool is_each = p.category != SC_NONE && all_serve_each(provider);
    for (;;) {
        for (int i = 0; i <= (int)is_each; i++) {
            const sc__area_part wanted = {p.tile, i == 0 ? p.category : SC_NONE};
            sc__tile_rows *rows = find_own(asker, wanted);
            if (rows) return rows;
            rows = sc__tile_cache_find(&provider->cache, wanted.tile, wanted.category);
            if (!rows || now_us >= rows->stale_until_us) continue;
            if (now_us >= rows->fresh_until_us) sc__area_refresh(provider, rows);
            return rows;
        }
        if (p.tile.level == 0) return NULL;
        p.tile = sc__tile_parent(p.tile);
    }
}

static void forget_rows(sc_area_asker *asker)
{
    for (size_t i = 0; i < asker->row_count; i++) {
        sc__tile_rows_release(asker->rows[i]);
    }
    asker->row_count = 0;
}

static bool keep_rows(sc_area_asker *asker, sc__tile_rows *rows)
{
    for (size_t i = 0; i < asker->row_count; i++) {
        if (asker->rows[i] == rows) return true;
    }
    if (!sc_grow(&asker->rows, asker->row_count, &asker->row_capacity, sizeof(sc__tile_rows *))) {
        return false;
    }
    asker->rows[asker->row_count++] = sc__tile_rows_hold(rows);
    return true;
}

static void forget_tasks(sc_area_asker *asker)
{
    for (size_t i = 0; i < asker->task_count; i++) {
        sc__area_task_fini(&asker->tasks[i]);
    }
    asker->task_count = 0;
}

// A question for the same tile that has room for one more category, or a new one.
static bool add_task(sc_area_asker *asker, sc__area_part p)
{
    const size_t at_once = (size_t)asker->provider->settings->categories_at_once;
    for (size_t i = 0; i < asker->task_count && p.category != SC_NONE; i++) {
        sc__area_task *task = &asker->tasks[i];
        if (!sc__tile_is_same(task->tile, p.tile) || task->category_count == 0 ||
            task->category_count >= at_once) {
            continue;
        }
        task->categories[task->category_count++] = p.category;
        return true;
    }
    if (!sc_grow(&asker->tasks, asker->task_count, &asker->task_capacity, sizeof *asker->tasks)) {
        return false;
    }
    asker->tasks[asker->task_count++] = (sc__area_task){
        .tile = p.tile, .categories = {p.category}, .category_count = p.category != SC_NONE};
    return true;
}

// Under the lock: the tiles of this round that are there, and tasks for those that are not.
static bool look_up(sc_area_asker *asker, bool is_first)
{
    const int64_t now_us = sc_clock_us();
    sc_area_status *status = &asker->provider->status;
    forget_rows(asker);
    forget_tasks(asker);
    asker->work.tiles = 0;
    for (size_t i = 0; i < asker->topics.count; i++) {
        const sc__area_topic *t = &asker->topics.items[i];
        for (uint32_t y = t->span.y0; y <= t->span.y1; y++) {
            for (uint32_t x = t->span.x0; x <= t->span.x1; x++) {
                const sc__area_part p = {{t->span.level, x, y}, t->category};
                sc__tile_rows *rows = find_rows(asker, p, now_us);
                asker->work.tiles++;
                status->looked_up += is_first;
                status->found += is_first && rows;
                if (rows ? !keep_rows(asker, rows) : !add_task(asker, p)) return false;
            }
        }
    }
    return true;
}

// === Fetching ===================================================================================

static bool keep_own(sc_area_asker *asker, sc__tile_rows *rows)
{
    if (!sc_grow(&asker->own, asker->own_count, &asker->own_capacity, sizeof(sc__tile_rows *))) {
        return false;
    }
    asker->own[asker->own_count++] = sc__tile_rows_hold(rows);
    return true;
}

static sc_err keep_fetched(sc_area_asker *asker, sc_diag *diag)
{
    for (size_t i = 0; i < asker->task_count; i++) {
        const sc__area_task *task = &asker->tasks[i];
        if (task->is_unchanged && !keep_own(asker, task->known)) return no_memory(diag);
        for (size_t r = 0; r < SC__AREA_CATEGORIES_MAX; r++) {
            if (task->rows[r] && !keep_own(asker, task->rows[r])) return no_memory(diag);
        }
    }
    return SC_OK;
}

// Under the lock: wait until others have fetched something. False: there is no time left.
static bool wait_for_others(sc_area_asker *asker)
{
    const struct timespec until = sc__area_moment(asker->deadline_us);
    pthread_cond_timedwait(&asker->provider->is_changed, &asker->provider->lock, &until);
    return sc_clock_us() < asker->deadline_us;
}

// All tiles of this round: those that are there, those that others fetch, and the rest.
static sc_err get_tiles(sc_area_asker *asker, sc_diag *diag)
{
    sc_area_provider *provider = asker->provider;
    bool is_first = true;
    for (;;) {
        pthread_mutex_lock(&provider->lock);
        bool is_fine = look_up(asker, is_first);
        is_first = false;
        const bool is_missing = asker->task_count > 0;
        sc_err err = is_fine ? SC_OK : no_memory(diag);
        if (!err && is_missing && !sc__area_claim(provider, asker->tasks, &asker->task_count)) {
            err = no_memory(diag);
        }
        if (!err && is_missing && asker->task_count == 0 && !wait_for_others(asker)) {
            err = sc_fail(diag, SC_ENET,
                          "an area that another cloak needs as well did not come in time");
        }
        for (size_t i = 0; i < asker->task_count && !err; i++) {
            sc__area_find_known(provider, &asker->tasks[i]);
        }
        pthread_mutex_unlock(&provider->lock);
        if (err || !is_missing) return err;
        if (asker->task_count == 0) continue;
        const int64_t now_us = sc_clock_us();
        const sc__area_allowance allowed = {
            .questions = provider->settings->max_questions - asker->work.questions,
            .deadline_s = fmax((double)(asker->deadline_us - now_us) * 1e-6, 1e-3),
            .leave_s = asker->leave_by_us == INT64_MAX || asker->work.questions > 0
                           ? 0
                           : fmax((double)(asker->leave_by_us - now_us) * 1e-6, 1e-6)};
        err = sc__area_fetch_claimed(provider, &allowed, asker->tasks, asker->task_count,
                                     &asker->work, diag);
        if (!err) err = keep_fetched(asker, diag);
        if (err) return err;
    }
}

// === The set of a round =========================================================================

// Under the lock: the indexed set, held, if it has all tiles of this round; else NULL.
static sc_objects *hold_indexed(const sc_area_asker *asker)
{
    const sc_area_provider *provider = asker->provider;
    if (!provider->indexed) return NULL;
    for (size_t i = 0; i < asker->row_count; i++) {
        if (asker->rows[i]->indexed != provider->indexed_number) return NULL;
    }
    return sc_objects_hold(provider->indexed);
}

// Whether the set at hand was made from these very tiles.
static bool is_set_of_rows(const sc_area_asker *asker)
{
    if (!asker->objects || asker->version_count != asker->row_count) return false;
    for (size_t i = 0; i < asker->row_count; i++) {
        if (asker->versions[i] != asker->rows[i]->version) return false;
    }
    return true;
}

static sc_err use_set(sc_area_asker *asker, sc_diag *diag)
{
    pthread_mutex_lock(&asker->provider->lock);
    sc_objects *objects = hold_indexed(asker);
    pthread_mutex_unlock(&asker->provider->lock);
    if (!objects) {
        sc__area_sort(asker->rows, asker->row_count);
        if (is_set_of_rows(asker)) return SC_OK;
        if (!sc_reserve(&asker->versions, asker->row_count, &asker->version_capacity,
                        sizeof *asker->versions)) {
            return no_memory(diag);
        }
        const sc_err err =
            sc__area_make_set(asker->provider, asker->rows, asker->row_count, &objects, diag);
        if (err) return err;
    }
    sc_objects_release(asker->objects);
    asker->objects = objects;
    asker->version_count = asker->row_count;
    for (size_t i = 0; i < asker->row_count && asker->row_count <= asker->version_capacity; i++) {
        asker->versions[i] = asker->rows[i]->version;
    }
    if (asker->row_count > asker->version_capacity) asker->version_count = SIZE_MAX;
    return SC_OK;
}

// === Telling what is asked ======================================================================

void sc_area_asker_watch(sc_area_asker *asker, const sc_area_watcher *watcher)
{
    asker->watcher = watcher;
}

static void tell_needs(const sc_area_asker *asker)
{
    const sc_area_watcher *watcher = asker->watcher;
    for (size_t i = 0; i < asker->topics.count && watcher; i++) {
        const sc__area_topic *t = &asker->topics.items[i];
        const sc_area_span span = {.category = t->category,
                                   .level = t->span.level,
                                   .x = {t->span.x0, t->span.x1},
                                   .y = {t->span.y0, t->span.y1}};
        watcher->needs(watcher->context, asker->work.rounds, &span);
    }
}

static void tell_tiles(const sc_area_asker *asker)
{
    const sc_area_watcher *watcher = asker->watcher;
    for (size_t i = 0; i < asker->row_count && watcher; i++) {
        const sc__tile_rows *rows = asker->rows[i];
        bool is_asked = false;
        for (size_t o = 0; o < asker->own_count; o++) {
            is_asked = is_asked || asker->own[o] == rows;
        }
        const sc_area_tile tile = {.number = rows->version,
                                   .category = rows->category,
                                   .level = rows->tile.level,
                                   .x = rows->tile.x,
                                   .y = rows->tile.y,
                                   .is_asked = is_asked,
                                   .divisions = rows->divisions,
                                   .count = rows->count,
                                   .rows = rows};
        watcher->has(watcher->context, asker->work.rounds, &tile);
    }
}

sc_object_row sc_area_tile_object(const sc_area_tile *tile, size_t i)
{
    return sc__tile_object(tile->rows, i);
}

// === Asking =====================================================================================

static sc_err ask_rounds(sc_area_asker *asker, const sc_relay *relay, sc_reply *reply,
                         sc_diag *diag)
{
    const sc_objects *evaluated = NULL;
    sc_err err = sc__area_topics_begin(&asker->topics, relay) ? SC_OK : no_memory(diag);
    while (!err) {
        asker->work.rounds++;
        tell_needs(asker);
        err = get_tiles(asker, diag);
        if (!err) tell_tiles(asker);
        if (!err) err = use_set(asker, diag);
        // The indexed set may have served the round before: then the reply is the same, and only
        // the box that it is known to be complete for has grown.
        if (!err && asker->objects != evaluated) {
            err = sc_lbs_evaluate(asker->lbs, asker->objects, relay, reply, diag);
            evaluated = asker->objects;
        }
        if (err || !sc__area_topics_widen(&asker->topics, relay, reply)) break;
        if (asker->work.rounds == MAX_ROUNDS) {
            err = sc_fail(diag, SC_ELIMIT, "the areas of a cloak do not become wide enough");
        }
    }
    return err;
}

static void forget_own(sc_area_asker *asker)
{
    forget_rows(asker);
    forget_tasks(asker);
    for (size_t i = 0; i < asker->own_count; i++) {
        sc__tile_rows_release(asker->own[i]);
    }
    asker->own_count = 0;
}

static sc_err check_requests(const sc_area_provider *provider, const sc_relay *relay, sc_diag *diag)
{
    const sc_request_limits limits = sc_request_limits_default();
    for (size_t i = 0; i < relay->request_count; i++) {
        const sc_err err =
            sc_request_check(&relay->requests[i], &limits, provider->vocabulary->count, diag);
        if (err) return err;
    }
    return SC_OK;
}

sc_err sc_area_asker_ask(sc_area_asker *asker, const sc_relay *relay,
                         const sc_area_patience *patience, sc_reply *reply, sc_diag *diag)
{
    sc_area_provider *provider = asker->provider;
    asker->work = (sc_area_work){.tiles = 0};
    sc_err err = sc__relay_check(provider->map, relay, SIZE_MAX, diag);
    if (!err) err = check_requests(provider, relay, diag);
    if (err) return err;
    const int64_t now_us = sc_clock_us();
    const double least_s = provider->settings->common.deadline_s;
    const double wanted_s = patience && patience->deadline_s > 0 ? patience->deadline_s : least_s;
    asker->deadline_us = now_us + (int64_t)(fmin(wanted_s, least_s) * 1e6);
    asker->leave_by_us = patience && patience->leave_s > 0 && patience->leave_s < 1e9
                             ? now_us + (int64_t)(patience->leave_s * 1e6)
                             : INT64_MAX;
    err = ask_rounds(asker, relay, reply, diag);
    forget_own(asker);
    return err;
}

sc_objects *sc_area_asker_objects(const sc_area_asker *asker)
{
    return asker->objects;
}

sc_area_work sc_area_asker_work(const sc_area_asker *asker)
{
    return asker->work;
}

sc_err sc_area_asker_new(sc_area_provider *provider, sc_area_asker **out, sc_diag *diag)
{
    sc_area_asker *asker = sc_calloc(1, sizeof *asker);
    if (!asker) return no_memory(diag);
    asker->provider = provider;
    asker->topics.grid = &provider->grid;
    asker->topics.are_named = provider->settings->common.has[SC__AREA_CATEGORIES];
    const sc_lbs_options options = sc_lbs_options_default();
    const sc_err err = sc_lbs_new(provider->map, &options, &asker->lbs, diag);
    if (err) {
        sc_area_asker_free(asker);
        return err;
    }
    *out = asker;
    return SC_OK;
}

void sc_area_asker_free(sc_area_asker *asker)
{
    if (!asker) return;
    forget_own(asker);
    sc_lbs_free(asker->lbs);
    sc_objects_release(asker->objects);
    sc__area_topics_fini(&asker->topics);
    sc_free(asker->rows);
    sc_free(asker->own);
    sc_free(asker->tasks);
    sc_free(asker->versions);
    sc_free(asker);
}
