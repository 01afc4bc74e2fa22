// Telling, checking and saving an index. How one is made is in index_build.c.
#include "lbs/nearest_sweep.h"

#include "base/alloc.h"
#include "base/diag.h"
#include "lbs/object_set.h"

#include <string.h>

sc_index_info sc_objects_index_info(const sc_objects *objects)
{
    const sc_objects_view *view = &objects->view;
    sc_index_info info = {.list_count = (uint32_t)view->list_count};
    const size_t star_count = sc_map_star_count(view->map);
    for (size_t i = 0; i < view->list_count; i++) {
        const uint32_t k = view->lists[i].k;
        if (k > info.k) info.k = k;
        info.bytes += sizeof *view->lists + star_count * k * sizeof *view->entries;
    }
    for (uint32_t c = 0; c <= view->category_count; c++) {
        const uint32_t size =
            c < view->category_count ? view->category_size[c] : view->object_count;
        info.left_out += size > 0 && view->list_of[c] == SC_NONE;
    }
    return info;
}

// --- Checking ----------------------------------------------------------------------

// Compare a list with what it should be.
static sc_err compare(const sc_objects *objects, const sc_nearest_list *list,
                      const sc_nearest *right, sc_diag *diag)
{
    const sc_objects_view *view = &objects->view;
    const sc_nearest *kept = view->entries + list->first;
    const size_t count = (size_t)sc_map_star_count(view->map) * list->k;
    for (size_t i = 0; i < count; i++) {
        if (kept[i].object == right[i].object && kept[i].distance == right[i].distance) continue;
        const char *name = list->category == SC_NONE ? "all categories"
                                                     : objects->vocabulary.names[list->category];
        return sc_fail(diag, SC_EMAP,
                       "nearest index: object %zu in the list of star %zu for %s is wrong; make it "
                       "again with 'starcloak map index'",
                       i % list->k + 1, i / list->k, sc_quote(name, strlen(name)).text);
    }
    return SC_OK;
}

sc_err sc_objects_check_index(const sc_objects *objects, sc_diag *diag)
{
    const sc_objects_view *view = &objects->view;
    if (view->list_count == 0) return SC_OK;
    uint32_t longest = 0;
    for (size_t i = 0; i < view->list_count; i++) {
        if (view->lists[i].k > longest) longest = view->lists[i].k;
    }
    sc_index_roads roads = {0};
    sc_index_sweeper sweeper = {0};
    const size_t star_count = sc_map_star_count(view->map);
    sc_nearest *right = sc_malloc_array(star_count * longest, sizeof *right);
    sc_err err = right ? sc__index_roads_init(&roads, view->map) : SC_ENOMEM;
    for (size_t i = 0; i < view->list_count && !err; i++) {
        err = sc__index_sweep(&sweeper, &roads, view, &view->lists[i], right);
        if (!err) err = compare(objects, &view->lists[i], right, diag);
    }
    if (err == SC_ENOMEM) sc_fail_memory(diag, "checking an index");
    sc__index_sweeper_fini(&sweeper);
    sc__index_roads_fini(&roads);
    sc_free(right);
    return err;
}

// --- Saving ------------------------------------------------------------------------

sc_err sc_objects_save_map(const sc_objects *objects, const char *path, sc_diag *diag)
{
    const sc_objects_view *view = &objects->view;
    if (objects->own_objects) {
        return sc_fail(diag, SC_EINVAL,
                       "%s: these objects are not the map's own, so their index cannot be saved "
                       "with it",
                       path);
    }
    size_t entry_count = 0;
    for (size_t i = 0; i < view->list_count; i++) {
        entry_count += (size_t)sc_map_star_count(view->map) * view->lists[i].k;
    }
    return sc__map_save_with(view->map, view->lists, view->list_count, view->entries, entry_count,
                             path, diag);
}
