// Asking a provider of areas: which tiles a relay needs, and the reply made from them. See
// starcloak/area_provider.h; docs/area-provider.md has the proof.
//
// A round takes, for each category that is asked for, the tiles that cover a box, fetches those
// that are missing, and evaluates the relay with the objects of all of them. If some list may lack
// an object outside of its box, the box becomes as large as the costs in the list demand, and the
// next round begins. What is asked depends on the relay, on the provider's replies and on the tiles
// that are there; sc_area_asker_ask() has neither positions nor members.
//
// Invariant: an asker never waits for a tile that another one fetches while it has itself marked
// tiles as being fetched, so no two wait for each other.
#include <starcloak/area_provider.h>
#include <starcloak/lbs.h>

#include "areas/area_provider_internal.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/diag.h"
#include "relay/relay_build.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/** Tiles that cover one box, at most: two by two at some level, always. */
enum { TILES_PER_BOX = 4 };

/** Before anything is known of the objects, a box reaches this share of a tile beyond the roads. */
#define FIRST_REACH 0.25

/** More rounds than a pyramid has levels. */
enum { MAX_ROUNDS = 40 };

/** A category that is asked for, and how far. */
typedef struct topic {
    sc_category_id category;  ///< SC_NONE: all
    sc__area_box box;
    sc__area_box before;  ///< the same, as the round began
    sc__tile_span span;   ///< that covers it
    bool has_span;        ///< and `lines` has how far it is from border nodes to its outside
} topic;

struct sc_area_asker {
    sc_area_provider *provider;
    sc_lbs *lbs;
    sc_objects *objects;  ///< of the last reply; held
    sc_area_work work;
    const sc_area_watcher *watcher;  ///< NULL: none
    int64_t deadline_us;
    int64_t leave_by_us;

    topic *topics;
    size_t topic_count;
    size_t topic_capacity;
    double *lines;  ///< metres to the outside: by topic and border node
    size_t line_capacity;
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
    for (size_t i = 0; i < asker->topic_count; i++) {
        const topic *t = &asker->topics[i];
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

static sc_err check_limits(const sc_area_asker *asker, sc_diag *diag)
{
    const sc_area_settings *s = asker->provider->settings;
    if (asker->work.questions + asker->task_count > s->max_questions) {
        return sc_fail(diag, SC_ELIMIT,
                       "a cloak needs more than %" PRIu64
                       " questions to the provider (max-questions, section [limits]); larger tiles "
                       "need fewer",
                       s->max_questions);
    }
    return SC_OK;
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
        sc_err err = is_fine ? check_limits(asker, diag) : no_memory(diag);
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
        const sc__area_time time = {
            .deadline_s = fmax((double)(asker->deadline_us - now_us) * 1e-6, 1e-3),
            .leave_s = asker->leave_by_us == INT64_MAX || asker->work.questions > 0
                           ? 0
                           : fmax((double)(asker->leave_by_us - now_us) * 1e-6, 1e-6)};
        err = sc__area_fetch_claimed(provider, &time, asker->tasks, asker->task_count, &asker->work,
                                     diag);
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

// === How far it must reach ======================================================================

static topic *find_topic(const sc_area_asker *asker, sc_category_id category)
{
    for (size_t i = 0; i < asker->topic_count; i++) {
        if (asker->topics[i].category == category) return &asker->topics[i];
    }
    return NULL;
}

static bool add_topic(sc_area_asker *asker, sc_category_id category, sc__area_box box)
{
    topic *known = find_topic(asker, category);
    if (known) {
        known->box = sc__box_join(known->box, box);
        return true;
    }
    if (!sc_grow(&asker->topics, asker->topic_count, &asker->topic_capacity,
                 sizeof *asker->topics)) {
        return false;
    }
    asker->topics[asker->topic_count++] = (topic){.category = category, .box = box};
    return true;
}

// What a request asks for: one topic or several. Where questions cannot name categories, or all
// are asked for anyhow, it is the one of all.
static size_t topics_of(const sc_area_asker *asker, const sc_request *request,
                        sc_category_id out[SC_REQUEST_CATEGORIES])
{
    const bool is_all =
        request->category_count == 0 || !asker->provider->settings->common.has[SC__AREA_CATEGORIES];
    if (is_all) {
        out[0] = SC_NONE;
        return 1;
    }
    memcpy(out, request->categories, request->category_count * sizeof *out);
    return request->category_count;
}

static double radius_of(const sc_request *request)
{
    return request->metric == SC_METRIC_TIME ? request->radius_s : request->radius_m;
}

static sc_err begin_topics(sc_area_asker *asker, const sc_relay *relay, sc_diag *diag)
{
    const sc__tile_grid *grid = &asker->provider->grid;
    const sc__area_box roads = sc__relay_box(grid, relay);
    asker->topic_count = 0;
    for (size_t r = 0; r < relay->request_count; r++) {
        const sc_request *request = &relay->requests[r];
        const double reach_m = request->type == SC_REQUEST_RANGE
                                   ? sc__line_of_cost(grid, request->metric, radius_of(request))
                                   : FIRST_REACH * grid->tile_m;
        const sc__area_box box = sc__box_widen(grid, roads, reach_m);
        sc_category_id categories[SC_REQUEST_CATEGORIES];
        const size_t count = topics_of(asker, request, categories);
        for (size_t i = 0; i < count; i++) {
            if (!add_topic(asker, categories[i], box)) return no_memory(diag);
        }
    }
    return SC_OK;
}

// The tiles of each topic. Lines to their outside are the same for all requests, and dear.
static bool cover_topics(sc_area_asker *asker, const sc_relay *relay)
{
    const sc__tile_grid *grid = &asker->provider->grid;
    const size_t count = relay->border_node_count;
    if (!sc_reserve(&asker->lines, asker->topic_count * count, &asker->line_capacity,
                    sizeof *asker->lines)) {
        return false;
    }
    for (size_t i = 0; i < asker->topic_count; i++) {
        topic *t = &asker->topics[i];
        const sc__tile_span before = t->span;
        t->before = t->box;
        t->span = sc__tile_cover(grid, t->box, TILES_PER_BOX);
        if (t->has_span && memcmp(&before, &t->span, sizeof before) == 0) continue;
        const sc__area_box box = sc__tile_span_box(grid, t->span);
        for (size_t b = 0; b < count; b++) {
            asker->lines[i * count + b] = sc__line_outside_m(grid, box, relay->border_nodes[b]);
        }
        t->has_span = true;
    }
    return true;
}

// What a list must reach to: all that is outside costs at least this; HUGE_VAL: there is no limit.
static double needed_cost(const sc_request *request, const sc_reply *reply, size_t list)
{
    const uint32_t first = reply->near_start[list];
    const uint32_t end = reply->near_start[list + 1];
    if (request->type == SC_REQUEST_RANGE) return radius_of(request);
    if (end - first < request->k) return HUGE_VAL;
    return sc_near_cost(&reply->nears[end - 1], request->metric);
}

// A box in which a list that lacks something finds it, as far as can be told.
static sc__area_box wider_box(const sc__tile_grid *grid, const topic *t, const sc_relay *relay,
                              const sc_request *request, double cost)
{
    const sc__area_box now = sc__tile_span_box(grid, t->span);
    if (isfinite(cost)) {
        const double line_m = sc__line_of_cost(grid, request->metric, cost);
        const sc__area_box box = sc__box_widen(grid, sc__relay_box(grid, relay), line_m);
        // Should that be what it was already, a tile more is.
        const bool is_more = box.west < now.west || box.south < now.south || box.east > now.east ||
                             box.north > now.north;
        if (is_more) return box;
    }
    const double side_m = ldexp(grid->tile_m, (int)(grid->depth - t->span.level));
    // From where the round began: how many requests lack something makes no difference.
    return sc__box_widen(grid, t->before, side_m);
}

// Widen the topics of a request whose lists may lack something; false: nothing is lacking.
static bool widen_request(sc_area_asker *asker, const sc_relay *relay, const sc_reply *reply,
                          size_t r)
{
    const sc__tile_grid *grid = &asker->provider->grid;
    const sc_request *request = &relay->requests[r];
    sc_category_id categories[SC_REQUEST_CATEGORIES];
    const size_t count = topics_of(asker, request, categories);
    bool is_wider = false;
    for (size_t c = 0; c < count; c++) {
        topic *t = find_topic(asker, categories[c]);
        const size_t first = (size_t)(t - asker->topics) * relay->border_node_count;
        double worst = -1;
        for (size_t b = 0; b < relay->border_node_count; b++) {
            const double cost = needed_cost(request, reply, r * relay->border_node_count + b);
            const double outside =
                sc__least_cost_outside(grid, asker->lines[first + b], request->metric);
            if (!isinf(outside) && cost > outside) worst = fmax(worst, cost);
        }
        if (worst < 0) continue;
        t->box = sc__box_join(t->box, wider_box(grid, t, relay, request, worst));
        is_wider = true;
    }
    return is_wider;
}

static bool widen(sc_area_asker *asker, const sc_relay *relay, const sc_reply *reply)
{
    bool is_wider = false;
    for (size_t r = 0; r < relay->request_count; r++) {
        is_wider |= widen_request(asker, relay, reply, r);
    }
    return is_wider;
}

// === Telling what is asked ======================================================================

void sc_area_asker_watch(sc_area_asker *asker, const sc_area_watcher *watcher)
{
    asker->watcher = watcher;
}

static void tell_needs(const sc_area_asker *asker)
{
    const sc_area_watcher *watcher = asker->watcher;
    for (size_t i = 0; i < asker->topic_count && watcher; i++) {
        const topic *t = &asker->topics[i];
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
    sc_err err = begin_topics(asker, relay, diag);
    while (!err) {
        if (!cover_topics(asker, relay)) return no_memory(diag);
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
        if (err || !widen(asker, relay, reply)) break;
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
    sc_free(asker->topics);
    sc_free(asker->lines);
    sc_free(asker->rows);
    sc_free(asker->own);
    sc_free(asker->tasks);
    sc_free(asker->versions);
    sc_free(asker);
}
