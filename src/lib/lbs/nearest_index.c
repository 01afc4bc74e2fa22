// The nearest index of a set of objects: building, describing, checking and saving it.
//
// Building chooses the lists that there is memory for, then makes one sweep per list
// (nearest_sweep.c). Sweeps share nothing but what they read, so each thread takes the next list
// that is free. The calling thread works too; where no other can be started, it does all. A list
// does not depend on the thread that makes it, so the index does not depend on the number of
// threads.
#include "base/alloc.h"
#include "base/diag.h"
#include "base/parallel.h"
#include "base/sort.h"
#include "lbs/nearest_sweep.h"
#include "lbs/object_set.h"

#include <string.h>
#include <unistd.h>

// === Building ===================================================================================

sc_index_options sc_index_options_default(void)
{
    return (sc_index_options){.k = 8, .max_bytes = 1000000000};
}

// --- Which lists ------------------------------------------------------------------

/** The lists of an index to be. */
typedef struct plan {
    sc_nearest_list *lists;  ///< by metric, then by category, all categories together last
    size_t list_count;
    size_t entry_count;
} plan;

// A list of more entries than there are objects would only have unused ones.
static uint32_t list_k(const sc_index_options *options, uint32_t object_count)
{
    return object_count < options->k ? object_count : options->k;
}

/** Bytes of one entry, with what its way costs in the other metric. */
enum { ENTRY_BYTES = sizeof(sc_nearest) + sizeof(uint32_t) };

// Take lists of k, one per metric, into an index that has `bytes` so far, if they fit.
static bool has_room(const sc_index_options *options, uint32_t star_count, uint32_t k,
                     size_t *bytes)
{
    const size_t more =
        SC_METRIC_COUNT * (sizeof(sc_nearest_list) + (size_t)star_count * k * ENTRY_BYTES);
    if (more > options->max_bytes - *bytes) return false;
    *bytes += more;
    return true;
}

// Choose lists from what matters most: first all categories together, then each by itself, the
// rarest first. To find something rare without a list takes the longest search.
static sc_err choose_categories(const sc_objects *set, const sc_index_options *options,
                                bool *is_chosen)
{
    const sc_objects_view *view = &set->view;
    const uint32_t star_count = sc_map_star_count(view->map);
    memset(is_chosen, 0, view->category_count + 1);
    size_t bytes = 0;
    if (!has_room(options, star_count, list_k(options, view->object_count), &bytes)) return SC_OK;
    is_chosen[view->category_count] = true;

    uint32_t *order = sc_malloc_array(view->category_count, sizeof *order);
    if (!order) return SC_ENOMEM;
    const sc_err err = sc_sort_order(view->category_size, view->category_count, order);
    for (uint32_t i = 0; i < view->category_count && !err; i++) {
        const uint32_t size = view->category_size[order[i]];
        // One that all objects have is served by the list of all.
        if (size == 0 || size == view->object_count) continue;
        if (!has_room(options, star_count, list_k(options, size), &bytes)) break;
        is_chosen[order[i]] = true;
    }
    sc_free(order);
    return err;
}

static sc_err make_plan(const sc_objects *set, const sc_index_options *options, plan *out)
{
    const sc_objects_view *view = &set->view;
    const uint32_t star_count = sc_map_star_count(view->map);
    const size_t row = (size_t)view->category_count + 1;
    bool *is_chosen = sc_malloc_array(row, sizeof *is_chosen);
    out->lists = sc_malloc_array(SC_METRIC_COUNT * row, sizeof *out->lists);
    sc_err err = is_chosen && out->lists ? choose_categories(set, options, is_chosen) : SC_ENOMEM;
    for (size_t i = 0; i < SC_METRIC_COUNT * row && !err; i++) {
        const uint32_t c = (uint32_t)(i % row);
        if (!is_chosen[c]) continue;
        const bool is_all = c == view->category_count;
        const uint32_t size = is_all ? view->object_count : view->category_size[c];
        sc_nearest_list *list = &out->lists[out->list_count++];
        *list = (sc_nearest_list){.category = is_all ? SC_NONE : c,
                                  .k = (uint16_t)list_k(options, size),
                                  .metric = (uint16_t)(i / row),
                                  .first = out->entry_count};
        out->entry_count += (size_t)star_count * list->k;
    }
    sc_free(is_chosen);
    return err;
}

// --- Sweeping ---------------------------------------------------------------------

/** What the threads share. */
typedef struct work {
    // Read only.
    const sc_objects_view *view;
    const sc_index_roads *roads;  ///< one per metric
    const plan *plan;
    sc_nearest *entries;
    uint32_t *others;
    sc_progress progress;

    sc_index_sweeper *sweepers;  ///< one of each thread
    atomic_size_t done;
} work;

static void report(const work *w)
{
    if (!w->progress.report) return;
    w->progress.report(w->progress.context, "indexing objects", atomic_load(&w->done),
                       w->plan->list_count);
}

static sc_err make_list(void *context, unsigned thread, size_t item, const atomic_bool *is_over)
{
    work *w = context;
    (void)is_over;
    if (thread == 0) report(w);
    // The list of all categories together comes last but takes the longest: begin with it.
    const sc_nearest_list *list = &w->plan->lists[w->plan->list_count - 1 - item];
    const sc_err err = sc__index_sweep(&w->sweepers[thread], &w->roads[list->metric], w->view, list,
                                       w->entries + list->first, w->others + list->first);
    atomic_fetch_add(&w->done, 1);
    return err;
}

static unsigned thread_count(const sc_index_options *options, size_t list_count)
{
    enum { MOST = 64 };
    const long processors =
        options->threads ? (long)options->threads : sysconf(_SC_NPROCESSORS_ONLN);
    size_t count = processors < 1 ? 1 : (size_t)processors;
    if (count > list_count) count = list_count;
    return count < MOST ? (unsigned)count : MOST;
}

// Make all lists, in as many threads as can be had.
static sc_err make_all_lists(work *w, const sc_index_options *options)
{
    const unsigned wanted = thread_count(options, w->plan->list_count);
    w->sweepers = sc_calloc(wanted, sizeof *w->sweepers);
    if (!w->sweepers) return SC_ENOMEM;
    const sc_parallel lists = {
        .item_count = w->plan->list_count, .run = make_list, .context = w, .takes_fewer = true};
    // Once at the beginning, in case other threads take all lists before this one gets any.
    report(w);
    const sc_err err = sc_parallel_run(&lists, wanted);
    report(w);
    for (unsigned i = 0; i < wanted; i++) {
        sc__index_sweeper_fini(&w->sweepers[i]);
    }
    sc_free(w->sweepers);
    return err;
}

// Entries begin at a cache line, as in the file: a star's eight are then one line. The block is
// what is to be freed.
static sc_nearest *make_entries(size_t count, void **block)
{
    enum { LINE = 64 };
    *block = count < (SIZE_MAX - LINE) / sizeof(sc_nearest)
                 ? sc_malloc(count * sizeof(sc_nearest) + LINE)
                 : NULL;
    if (!*block) return NULL;
    return (sc_nearest *)((char *)*block + (LINE - (uintptr_t)*block % LINE) % LINE);
}

static sc_err make_roads(sc_index_roads roads[SC_METRIC_COUNT], const sc_map *map)
{
    sc_err err = SC_OK;
    for (unsigned metric = 0; metric < SC_METRIC_COUNT && !err; metric++) {
        err = sc__index_roads_init(&roads[metric], map, (sc_metric)metric);
    }
    return err;
}

static void free_roads(sc_index_roads roads[SC_METRIC_COUNT])
{
    for (unsigned metric = 0; metric < SC_METRIC_COUNT; metric++) {
        sc__index_roads_fini(&roads[metric]);
    }
}

static sc_err build(sc_objects *set, const sc_index_options *options, const plan *p)
{
    sc_index_roads roads[SC_METRIC_COUNT] = {{0}};
    void *block = NULL;
    sc_nearest *entries = make_entries(p->entry_count, &block);
    uint32_t *others = sc_malloc_array(p->entry_count, sizeof *others);
    sc_err err = entries && others ? make_roads(roads, set->view.map) : SC_ENOMEM;
    if (!err) {
        work w = {.view = &set->view,
                  .roads = roads,
                  .plan = p,
                  .entries = entries,
                  .others = others,
                  .progress = options->progress};
        err = make_all_lists(&w, options);
    }
    free_roads(roads);
    if (err) {
        sc_free(block);
        sc_free(others);
        return err;
    }
    sc__objects_drop_index(set);
    set->own_lists = p->lists;
    set->own_entry_block = block;
    set->own_others = others;
    sc__objects_use_index(set, (sc_nearest_index){.lists = p->lists,
                                                  .list_count = p->list_count,
                                                  .entries = entries,
                                                  .others = others,
                                                  .entry_count = p->entry_count});
    return SC_OK;
}

sc_err sc_objects_build_index(sc_objects *objects, const sc_index_options *options, sc_diag *diag)
{
    if (options->k < 1 || options->k > SC_NEAREST_MAX_K) {
        return sc_fail(diag, SC_EINVAL, "an index keeps 1 to %u objects per star, not %u",
                       SC_NEAREST_MAX_K, options->k);
    }
    plan p = {0};
    sc_err err = SC_OK;
    if (objects->view.object_count > 0) err = make_plan(objects, options, &p);
    if (!err && p.list_count > 0) {
        err = build(objects, options, &p);
    } else if (!err) {
        sc__objects_drop_index(objects);
        sc__objects_use_index(objects, (sc_nearest_index){.list_count = 0});
    }
    if (err || p.list_count == 0) sc_free(p.lists);
    return err ? sc_fail_memory(diag, "indexing objects") : SC_OK;
}

// === Describing, checking and saving ============================================================

sc_index_info sc_objects_index_info(const sc_objects *objects)
{
    const sc_objects_view *view = &objects->view;
    sc_index_info info = {.list_count = (uint32_t)view->index.list_count};
    const size_t star_count = sc_map_star_count(view->map);
    for (size_t i = 0; i < view->index.list_count; i++) {
        const uint32_t k = view->index.lists[i].k;
        if (k > info.k) info.k = k;
        info.bytes += sizeof *view->index.lists + star_count * k * ENTRY_BYTES;
    }
    for (uint32_t c = 0; c <= view->category_count; c++) {
        const uint32_t size =
            c < view->category_count ? view->category_size[c] : view->object_count;
        info.left_out += size > 0 && sc__objects_list_of(view, SC_METRIC_DISTANCE, c) == SC_NONE;
    }
    return info;
}

// --- Checking ----------------------------------------------------------------------

// Compare a list with what it should be.
static sc_err compare(const sc_objects *objects, const sc_nearest_list *list,
                      const sc_nearest *right, const uint32_t *right_others, sc_diag *diag)
{
    const sc_objects_view *view = &objects->view;
    const sc_nearest *kept = view->index.entries + list->first;
    const uint32_t *others = view->index.others + list->first;
    const size_t count = (size_t)sc_map_star_count(view->map) * list->k;
    for (size_t i = 0; i < count; i++) {
        if (kept[i].object == right[i].object && kept[i].cost == right[i].cost &&
            others[i] == right_others[i]) {
            continue;
        }
        const char *name = list->category == SC_NONE ? "all categories"
                                                     : objects->vocabulary.names[list->category];
        return sc_fail(diag, SC_EMAP,
                       "nearest index: object %zu in the list of star %zu for %s by %s is wrong; "
                       "make it again with 'starcloak map index'",
                       i % list->k + 1, i / list->k, sc_quote(name, strlen(name)).text,
                       sc_metric_name(list->metric));
    }
    return SC_OK;
}

sc_err sc_objects_check_index(const sc_objects *objects, sc_diag *diag)
{
    const sc_nearest_index *index = &objects->view.index;
    if (index->list_count == 0) return SC_OK;
    uint32_t longest = 0;
    for (size_t i = 0; i < index->list_count; i++) {
        if (index->lists[i].k > longest) longest = index->lists[i].k;
    }
    sc_index_roads roads[SC_METRIC_COUNT] = {{0}};
    sc_index_sweeper sweeper = {0};
    const sc_map *map = objects->view.map;
    const size_t most = (size_t)sc_map_star_count(map) * longest;
    sc_nearest *right = sc_malloc_array(most, sizeof *right);
    uint32_t *others = sc_malloc_array(most, sizeof *others);
    sc_err err = right && others ? make_roads(roads, map) : SC_ENOMEM;
    for (size_t i = 0; i < index->list_count && !err; i++) {
        const sc_nearest_list *list = &index->lists[i];
        err = sc__index_sweep(&sweeper, &roads[list->metric], &objects->view, list, right, others);
        if (!err) err = compare(objects, list, right, others, diag);
    }
    if (err == SC_ENOMEM) sc_fail_memory(diag, "checking an index");
    sc__index_sweeper_fini(&sweeper);
    free_roads(roads);
    sc_free(right);
    sc_free(others);
    return err;
}

// --- Saving ------------------------------------------------------------------------

sc_err sc_objects_save_map(const sc_objects *objects, const char *path, sc_diag *diag)
{
    if (objects->own_objects) {
        return sc_fail(diag, SC_EINVAL,
                       "%s: these objects are not the map's own, so their index cannot be saved "
                       "with it",
                       path);
    }
    return sc__map_save_with(objects->view.map, &objects->view.index, path, diag);
}
