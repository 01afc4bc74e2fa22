// Fetching tiles. See area_fetch.h.
//
// A question goes on page by page until it is whole. Where a reply is full and the provider has no
// pages, its tile is asked for again as the four of the next level, and so on down to the bottom of
// the pyramid: which tiles these are follows from the tile and from the provider's replies.
//
// What comes back is a stranger's: of its objects those count that lie in the tile; the others are
// of its neighbours, or of none. Where one object is in two places of the same tile, or pages do
// not end, all is refused.
#include "areas/area_fetch.h"

#include "areas/area_question.h"
#include "areas/area_reply.h"
#include "base/alloc.h"
#include "base/bytes.h"
#include "base/clock.h"
#include "base/diag.h"
#include "base/string_index.h"
#include "net/http_freshness.h"
#include "net/http_headers.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/** An object that is farther outside of the asked box is outside; the rest is rounding. */
#define ROUNDING 2e-7

/** A provider may find objects by positions that have more decimals than those it tells, so a tile
 * is asked for with at least this margin. Metres. */
#define LEAST_MARGIN_M 20.0

/** Parts of a tile that wait: three of each level, and one more of the last. */
enum { PARTS_MAX = 3 * SC__TILE_LEVELS_MAX + 1 };

/** A question under way: the pages so far. */
typedef struct progress {
    sc__area_task *task;
    sc__tile tile;  ///< that is asked for now: the task's, or a part of it
    sc__area_box
        asked;  ///< the tile and a margin: for rounded positions, and objects that are large
    sc__tile parts[PARTS_MAX];  ///< of the task's tile, that are still to be asked for
    size_t part_count;
    uint64_t divisions;  ///< tiles that were too full
    sc_bytes url;
    sc_bytes body;
    struct curl_slist *headers;  ///< with If-None-Match; NULL: those of all
    char *next;                  ///< the address of the next page (curl's), or
    char *cursor;                ///< its cursor
    uint64_t offset;             ///< entries of lists so far
    uint64_t last_listed;        ///< of them, those of the last page
    uint64_t pages;
    unsigned retries;
    char *etag;
    sc_http_freshness freshness;  ///< the least of all pages

    sc__tile_row *rows;
    double (*places)[2];  ///< of rows, as the provider said
    size_t count;
    size_t earlier;     ///< of them, those that came with earlier pages
    bool has_repeated;  ///< one of those came again
    size_t capacity;
    size_t place_capacity;
    sc_bytes strings;
    sc_string_index by_key;
} progress;

typedef struct fetching {
    const sc__area_source *source;
    progress *all;
    size_t count;
    sc__area_effort *effort;
    uint64_t most_questions;
    sc_http_connections *http;
    bool is_refused;  ///< a reply was, for what it says
} fetching;

static sc_err no_memory(sc_diag *diag)
{
    return sc_fail_memory(diag, "fetching an area");
}

static char *copy_text(const char *text)
{
    const size_t size = strlen(text) + 1;
    char *copy = sc_malloc(size);
    return copy ? memcpy(copy, text, size) : NULL;
}

// --- Asking -------------------------------------------------------------------------------------

static bool may_leave(void *context, long *wait_ms)
{
    return sc_http_pace_may_leave(((const fetching *)context)->source->pace, wait_ms);
}

static void ends(void *context)
{
    sc_http_pace_ends(((const fetching *)context)->source->pace);
}

// Those of all, and what is known.
static struct curl_slist *headers_with_etag(const struct curl_slist *all, const char *etag)
{
    struct curl_slist *list = NULL;
    if (sc_http_headers_add(&list, "If-None-Match", etag) && sc_http_headers_add_all(&list, all)) {
        return list;
    }
    sc_http_headers_free(list);
    return NULL;
}

static sc_err fill(void *context, size_t i, sc_http_question *out, sc_diag *diag)
{
    fetching *f = context;
    progress *p = &f->all[i];
    const sc_area_settings *settings = f->source->settings;
    const char *words[SC__AREA_CATEGORIES_MAX];
    if (f->effort->questions >= f->most_questions) {
        return sc_fail(diag, SC_ELIMIT,
                       "a cloak needs more than %" PRIu64
                       " questions to the provider (max-questions, section [limits]); larger tiles "
                       "or pages need fewer",
                       settings->max_questions);
    }
    for (size_t c = 0; c < p->task->category_count; c++) {
        words[c] = f->source->vocabulary->names[p->task->categories[c]];
    }
    const sc__area_question question = {.box = p->asked,
                                        .categories = words,
                                        .category_count = p->task->category_count,
                                        .offset = p->offset,
                                        .cursor = p->cursor ? p->cursor : ""};
    p->url.size = 0;
    p->body.size = 0;
    const sc_err err =
        sc__area_question_fill(settings, &question, p->next ? NULL : &p->url, &p->body, diag);
    if (err) return err;
    if (p->task->known && p->pages == 0 && !p->headers) {
        p->headers = headers_with_etag(f->source->headers, p->task->known->etag);
        if (!p->headers) return no_memory(diag);
    }
    out->url = p->next ? p->next : (const char *)p->url.data;
    out->body = settings->common.body ? (const char *)p->body.data : NULL;
    out->headers = p->pages == 0 ? p->headers : NULL;
    f->effort->questions++;
    return SC_OK;
}

// --- Pages --------------------------------------------------------------------------------------

// An address may hold a key.
static void forget_next(progress *p)
{
    if (p->next) explicit_bzero(p->next, strlen(p->next));
    curl_free(p->next);
    p->next = NULL;
}

static sc_err lead_on(const fetching *f, progress *p, const char *next, bool *is_again,
                      sc_diag *diag)
{
    if (sc__area_settings_paging(f->source->settings) == SC__AREA_BY_CURSOR) {
        if (p->cursor && strcmp(p->cursor, next) == 0) {
            return sc_fail(diag, SC_EREPLY, "a page of the provider leads to itself");
        }
        char *copy = copy_text(next);
        if (!copy) return no_memory(diag);
        sc_free(p->cursor);
        p->cursor = copy;
        *is_again = true;
        return SC_OK;
    }
    const char *base = p->next ? p->next : (const char *)p->url.data;
    char *address = sc__area_next_address(base, next);
    if (!address) {
        return sc_fail(diag, SC_EREPLY,
                       "the next page of the provider is not at the same scheme, host and port");
    }
    const bool is_itself = strcmp(address, base) == 0;
    forget_next(p);
    p->next = address;
    *is_again = true;
    return is_itself ? sc_fail(diag, SC_EREPLY, "a page of the provider leads to itself") : SC_OK;
}

/** Shorter pages by offset have shown to be the last (is_followed()). */
static uint64_t final_size(const sc__area_source *source)
{
    return atomic_load_explicit(source->final_size, memory_order_relaxed);
}

static void raise_final_size(const sc__area_source *source, uint64_t size)
{
    uint_fast64_t known = final_size(source);
    while (known < size && !atomic_compare_exchange_weak(source->final_size, &known, size)) {
    }
}

// Whether a page by offset is followed by others. One that is not full is the last, unless the
// provider gives fewer than it is asked for: so the next is asked for as well, until that has shown
// of a page as long that it was the last. A full page shows it of all.
static bool is_followed(const fetching *f, progress *p, const sc__area_reply *reply)
{
    const uint64_t listed = reply->page.listed;
    const uint64_t full = f->source->settings->page_size;
    const bool is_told = reply->total != UINT64_MAX;
    if (listed >= full) raise_final_size(f->source, full);
    if (listed == 0 && !is_told) raise_final_size(f->source, p->last_listed);
    p->last_listed = listed;
    if (listed == 0) return false;
    return listed >= full || (is_told ? p->offset < reply->total : listed >= final_size(f->source));
}

// Whether there is another page, and where.
static sc_err find_next_page(const fetching *f, progress *p, const sc__area_reply *reply,
                             bool *is_again, sc_diag *diag)
{
    const sc_area_settings *s = f->source->settings;
    const sc__area_paging paging = sc__area_settings_paging(s);
    const bool is_short_of = reply->total != UINT64_MAX && p->offset < reply->total;
    if (paging == SC__AREA_BY_OFFSET) {
        *is_again = is_followed(f, p, reply);
    } else if (reply->next) {
        const sc_err err = lead_on(f, p, reply->next, is_again, diag);
        if (err) return err;
    }
    if (!*is_again && is_short_of) {
        return sc_fail(diag, SC_EREPLY,
                       "a reply of the provider has fewer objects than it says there are, and "
                       "leads to no other page; check section [paging]");
    }
    if (*is_again && p->pages >= s->max_pages) {
        return sc_fail(diag, SC_ELIMIT,
                       "a question to the provider has more than %" PRIu64
                       " pages (max-pages, section [paging])",
                       s->max_pages);
    }
    return SC_OK;
}

// --- Objects ------------------------------------------------------------------------------------

static const char *key_at(const void *owner, uint32_t number)
{
    const progress *p = owner;
    return (const char *)p->strings.data + p->rows[number].key;
}

static bool add_text(sc_bytes *strings, const char *text, uint32_t *out)
{
    if (strings->size > UINT32_MAX / 2) return false;
    *out = (uint32_t)strings->size;
    return sc_bytes_append(strings, text, strlen(text) + 1);
}

static bool is_outside(sc__area_box box, double x, double y)
{
    return x < box.west - ROUNDING || x > box.east + ROUNDING || y < box.south - ROUNDING ||
           y > box.north + ROUNDING;
}

// The category that an object counts as, ours; NULL: it does not count.
static const char *category_of(const fetching *f, const sc__area_task *task,
                               const sc_adapter_object *row)
{
    const sc_vocabulary *vocabulary = f->source->vocabulary;
    // Replies that tell none are for the one category that was asked for.
    if (f->source->settings->common.category.count == 0 && task->category_count == 1) {
        return vocabulary->names[task->categories[0]];
    }
    if (!row->category || task->category_count == 0) return row->category;
    for (size_t i = 0; i < task->category_count; i++) {
        if (strcmp(vocabulary->names[task->categories[i]], row->category) == 0) {
            return row->category;
        }
    }
    return NULL;
}

static sc_err keep_row(progress *p, const sc_adapter_object *row, const sc_snap *snap,
                       const char *category, sc_diag *diag)
{
    sc__tile_row kept = {.edge = snap->edge, .along_m = snap->offset_m};
    if (!sc_grow(&p->rows, p->count, &p->capacity, sizeof *p->rows) ||
        !sc_grow(&p->places, p->count, &p->place_capacity, sizeof *p->places) ||
        !add_text(&p->strings, row->key, &kept.key) ||
        !add_text(&p->strings, row->name, &kept.name) ||
        !add_text(&p->strings, category, &kept.category)) {
        return no_memory(diag);
    }
    p->rows[p->count] = kept;
    p->places[p->count][0] = row->x;
    p->places[p->count][1] = row->y;
    uint32_t number = 0;
    if (sc_string_index_put(&p->by_key, row->key, (uint32_t)p->count, &number)) {
        return no_memory(diag);
    }
    p->count++;
    return SC_OK;
}

static sc_err take_row(const fetching *f, progress *p, const sc_adapter_object *row, bool *is_new,
                       sc_diag *diag)
{
    const sc__tile_grid *grid = f->source->grid;
    f->effort->objects++;
    if (!sc__tile_has(grid, p->tile, row->x, row->y)) {
        f->effort->outside += is_outside(p->asked, row->x, row->y);
        *is_new = true;  // of a neighbour; whether it came before is not known
        return SC_OK;
    }
    const uint32_t known = sc_string_index_find(&p->by_key, row->key);
    if (known != UINT32_MAX) {
        const bool is_same = p->places[known][0] == row->x && p->places[known][1] == row->y;
        p->has_repeated = p->has_repeated || known < p->earlier;
        if (is_same) return SC_OK;
        return sc_fail(diag, SC_EREPLY, "a reply of the provider has one object in two places");
    }
    *is_new = true;
    sc_snap snap;
    const char *category = category_of(f, p->task, row);
    if (!category || sc_map_snap(grid->map, row->x, row->y, f->source->settings->snap_m, &snap)) {
        f->effort->left_out++;
        return SC_OK;
    }
    if (p->count >= f->source->settings->max_objects) {
        return sc_fail(diag, SC_ELIMIT,
                       "an area of the provider has more than %" PRIu64
                       " objects (max-objects, section [limits])",
                       f->source->settings->max_objects);
    }
    return keep_row(p, row, &snap, category, diag);
}

// --- What the head of a reply says --------------------------------------------------------------

static void forget_etag(progress *p)
{
    sc_free(p->etag);
    p->etag = NULL;
}

// An ETag is of one page: of several, none would do for all. That holds for an empty page behind a
// full one, too: objects may come to it while the one before stays as it is. One for several
// categories is of no use, as each is kept by itself; and bodies are no part of what an ETag is
// for.
static void take_head(const fetching *f, progress *p, const sc_http_arrival *arrival)
{
    sc_http_freshness_take(&p->freshness, arrival->cache_control, arrival->age);
    const bool is_own = p->task->category_count <= 1 && !f->source->settings->common.body;
    forget_etag(p);
    if (is_own && p->pages == 1 && arrival->etag[0] != '\0') {
        p->etag = copy_text(arrival->etag);
    }
}

// --- Parts of a tile ----------------------------------------------------------------------------

static void ask_for(const sc__area_source *source, progress *p, sc__tile tile)
{
    const double margin_m = fmax(source->settings->extent_m, LEAST_MARGIN_M);
    p->tile = tile;
    p->offset = 0;
    // From its first page on: what led to the last page of another tile is of that one.
    forget_next(p);
    sc_free(p->cursor);
    p->cursor = NULL;
    p->asked = sc__box_widen(source->grid, sc__tile_box(source->grid, tile), margin_m);
    // A widened box may be beyond the globe.
    if (sc_map_coords(source->grid->map) == SC_COORDS_GEOGRAPHIC) {
        p->asked.west = fmax(p->asked.west, -180);
        p->asked.east = fmin(p->asked.east, 180);
        p->asked.south = fmax(p->asked.south, -90);
        p->asked.north = fmin(p->asked.north, 90);
    }
}

// Whether there may be more objects than a reply has, and no page that has them. A provider that is
// said to link its pages may have none, too: then its first page is full and has no link.
static bool is_cut_off(const sc_area_settings *s, const progress *p, const sc__area_reply *reply)
{
    const uint64_t listed = reply->page.listed;
    const bool is_first = p->offset == listed;
    return sc__area_settings_paging(s) != SC__AREA_BY_OFFSET && !reply->next && is_first &&
           s->common.has[SC__AREA_LIMIT] && listed >= s->page_size && reply->total != listed;
}

// The four parts of the tile at hand, in its place.
static sc_err divide(const fetching *f, progress *p, sc_diag *diag)
{
    const sc__tile t = p->tile;
    const uint32_t level = t.level + 1;
    if (t.level >= sc__tile_bottom(f->source->grid) || p->part_count + 4 > PARTS_MAX) {
        return sc_fail(diag, SC_ELIMIT,
                       "a reply of the provider has as many objects as were asked for, so there "
                       "may be more, and its area is too small to be divided; raise page-size, or "
                       "say how pages are found (section [paging])");
    }
    p->divisions++;
    for (uint32_t i = 4; i-- > 0;) {
        p->parts[p->part_count++] = (sc__tile){level, 2 * t.x + i % 2, 2 * t.y + i / 2};
    }
    return SC_OK;
}

// If a part is left, it is asked for next.
static sc_err go_on_with_part(const fetching *f, progress *p, bool *is_again, sc_diag *diag)
{
    if (*is_again || p->part_count == 0) return SC_OK;
    if (p->pages >= f->source->settings->max_pages) {
        return sc_fail(diag, SC_ELIMIT,
                       "an area of the provider has more objects than %" PRIu64
                       " replies hold (max-pages, section [paging])",
                       f->source->settings->max_pages);
    }
    ask_for(f->source, p, p->parts[--p->part_count]);
    *is_again = true;
    return SC_OK;
}

static sc_err take_rows(const fetching *f, progress *p, const sc__area_reply *reply, bool *is_again,
                        sc_diag *diag)
{
    sc_err err = SC_OK;
    p->earlier = p->count;
    bool has_new = reply->page.count == 0;
    for (size_t i = 0; i < reply->page.count && !err; i++) {
        err = take_row(f, p, &reply->page.objects[i], &has_new, diag);
    }
    if (!err) err = find_next_page(f, p, reply, is_again, diag);
    if (!err && *is_again && !has_new) {
        err = sc_fail(diag, SC_EREPLY,
                      "a page of the provider has nothing new and leads to another one");
    }
    // Pages are parts of one list only as long as its order stays.
    if (!err && p->has_repeated) {
        err = sc_fail(diag, SC_EREPLY,
                      "an object of an earlier page of the provider came again, so others may be "
                      "missing; let the provider sort what it lists, for example by its id");
    }
    return err;
}

static sc_err take_page(fetching *f, progress *p, sc_http_arrival *arrival, sc_diag *diag)
{
    sc__area_reply reply = {.next = NULL};
    const sc_bytes body = {.data = (uint8_t *)(uintptr_t)arrival->bytes, .size = arrival->size};
    sc_err err = sc__area_reply_read(f->source->settings, sc_map_coords(f->source->grid->map),
                                     &body, &reply, diag);
    if (err) return err;
    // An empty page behind another only shows that this was the last.
    const bool is_behind_last = reply.page.listed == 0 && p->last_listed > 0;
    p->pages += !is_behind_last;
    p->offset += reply.page.listed;
    p->retries = 0;
    if (is_behind_last) {
        forget_etag(p);
    } else {
        take_head(f, p, arrival);
    }
    err = is_cut_off(f->source->settings, p, &reply)
              ? divide(f, p, diag)
              : take_rows(f, p, &reply, &arrival->is_again, diag);
    if (!err) err = go_on_with_part(f, p, &arrival->is_again, diag);
    sc__area_reply_fini(&reply);
    return err;
}

static sc_err take(void *context, size_t i, sc_http_arrival *arrival, sc_diag *diag)
{
    fetching *f = context;
    progress *p = &f->all[i];
    if (arrival->status == 200) {
        const sc_err err = take_page(f, p, arrival, diag);
        f->is_refused = err != SC_OK;
        return err;
    }
    if (arrival->status == 304 && p->headers && p->pages == 0) {
        p->pages++;
        take_head(f, p, arrival);
        p->task->is_unchanged = true;
        return SC_OK;
    }
    return sc_http_pace_again(f->source->pace, arrival, &p->retries)
               ? SC_OK
               : sc_http_refuse_status(f->http, arrival->status, diag);
}

// --- The end of a question ----------------------------------------------------------------------

// A copy of the rows of one category; NULL as category: of all.
static sc__tile_rows *copy_rows(const progress *p, const char *category)
{
    size_t count = 0;
    const char *texts = (const char *)p->strings.data;
    for (size_t i = 0; i < p->count; i++) {
        count += !category || strcmp(texts + p->rows[i].category, category) == 0;
    }
    sc__tile_rows *rows = sc_calloc(1, sizeof *rows);
    if (!rows) return NULL;
    atomic_init(&rows->holders, 1);
    rows->rows = sc_malloc_array(count, sizeof *rows->rows);
    rows->strings = sc_malloc(p->strings.size + 1);
    rows->etag = p->etag ? copy_text(p->etag) : NULL;
    if (!rows->rows || !rows->strings || (p->etag && !rows->etag)) {
        sc__tile_rows_release(rows);
        return NULL;
    }
    size_t size = 0;
    for (size_t i = 0; i < p->count; i++) {
        if (category && strcmp(texts + p->rows[i].category, category) != 0) continue;
        sc__tile_row row = p->rows[i];
        uint32_t *places[] = {&row.key, &row.name, &row.category};
        for (size_t t = 0; t < 3; t++) {
            const size_t bytes = strlen(texts + *places[t]) + 1;
            memcpy(rows->strings + size, texts + *places[t], bytes);
            *places[t] = (uint32_t)size;
            size += bytes;
        }
        rows->rows[rows->count++] = row;
    }
    rows->bytes = sizeof *rows + count * sizeof *rows->rows + p->strings.size + 64;
    return rows;
}

static void set_lifetime(const sc_area_settings *s, const progress *p, sc__area_task *task)
{
    const int64_t now_us = sc_clock_us();
    const sc_http_freshness *f = &p->freshness;
    const double fresh_s = fmin(s->lifetime_s, f->fresh_s);
    const double stale_s = fmin(s->stale_s, f->stale_s);
    task->is_stored = f->is_stored;
    // What is not kept is not used again either.
    task->fresh_until_us = f->is_stored ? now_us + (int64_t)(fresh_s * 1e6) : now_us - 1;
    task->stale_until_us = task->fresh_until_us + (f->is_stored ? (int64_t)(stale_s * 1e6) : 0);
}

static sc_err settle(const fetching *f, progress *p, sc_diag *diag)
{
    sc__area_task *task = p->task;
    set_lifetime(f->source->settings, p, task);
    if (task->is_unchanged) return SC_OK;
    const size_t count = task->category_count > 0 ? task->category_count : 1;
    for (size_t i = 0; i < count; i++) {
        const bool is_all = task->category_count == 0;
        const char *word = is_all ? NULL : f->source->vocabulary->names[task->categories[i]];
        sc__tile_rows *rows = task->rows[i] = copy_rows(p, word);
        if (!rows) return no_memory(diag);
        rows->tile = task->tile;
        rows->divisions = p->divisions;
        rows->category = is_all ? SC_NONE : task->categories[i];
        rows->fresh_until_us = task->fresh_until_us;
        rows->stale_until_us = task->stale_until_us;
    }
    return SC_OK;
}

static void progress_fini(progress *p)
{
    sc_http_headers_free(p->headers);
    forget_next(p);
    sc_free(p->cursor);
    sc_free(p->etag);
    sc_bytes_wipe(&p->url);
    sc_bytes_fini(&p->url);
    sc_bytes_wipe(&p->body);
    sc_bytes_fini(&p->body);
    sc_free(p->rows);
    sc_free(p->places);
    sc_bytes_fini(&p->strings);
    sc_string_index_fini(&p->by_key);
}

static void begin(const sc__area_source *source, sc__area_task *task, progress *p)
{
    *p = (progress){.task = task,
                    .freshness = SC_HTTP_FRESHNESS_ANY,
                    .by_key = {.text_of = key_at, .owner = p}};
    ask_for(source, p, task->tile);
}

sc_err sc__area_fetch(const sc__area_source *source, const sc__area_allowance *allowed,
                      sc__area_task *tasks, size_t count, sc__area_effort *effort, int *status,
                      sc_diag *diag)
{
    const sc_adapter_settings *c = &source->settings->common;
    const sc_http_batch_options how = {.parallel =
                                           (unsigned)(c->parallel < count ? c->parallel : count),
                                       .timeout_s = c->timeout_s,
                                       .deadline_s = allowed->deadline_s,
                                       .leave_s = allowed->leave_s,
                                       .max_bytes = (size_t)c->max_bytes,
                                       .headers = source->headers,
                                       .ca_file = c->ca_file,
                                       .stop = allowed->stop};
    fetching f = {.source = source,
                  .count = count,
                  .effort = effort,
                  .most_questions = effort->questions + allowed->questions};
    sc_http_batch batch = {.count = count,
                           .takes_all = true,
                           .fill = fill,
                           .take = take,
                           .may_leave = may_leave,
                           .ends = ends,
                           .context = &f};
    *status = 0;
    f.all = sc_calloc(count, sizeof *f.all);
    if (!f.all) return no_memory(diag);
    for (size_t i = 0; i < count; i++) {
        begin(source, &tasks[i], &f.all[i]);
    }
    sc_err err = sc_http_connections_open(&how, &f.http, diag);
    if (!err) err = sc_http_batch_run(f.http, &batch, diag);
    // A body above max-bytes depends on what was asked, as the other limits do.
    if (err == SC_EREPLY && !f.is_refused) err = SC_ELIMIT;
    if (f.http) *status = sc_http_connections_status(f.http);
    sc_http_connections_close(f.http);
    effort->bytes_out += batch.bytes_out;
    effort->bytes_in += batch.bytes_in;
    for (size_t i = 0; i < count; i++) {
        if (!err) err = settle(&f, &f.all[i], diag);
        progress_fini(&f.all[i]);
    }
    sc_free(f.all);
    return err;
}

void sc__area_task_fini(sc__area_task *task)
{
    for (size_t i = 0; i < SC__AREA_CATEGORIES_MAX; i++) {
        sc__tile_rows_release(task->rows[i]);
        task->rows[i] = NULL;
    }
    sc__tile_rows_release(task->known);
    task->known = NULL;
}
