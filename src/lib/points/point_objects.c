// All objects that a provider's answers for one cloak name, each once. See point_reply.h.
#include "points/point_reply.h"

#include "base/alloc.h"
#include "base/diag.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/** What one cloak may bring: a provider that names ever more objects must not take all memory. */
#define OBJECTS_MAX 1000000u
#define STRINGS_MAX ((size_t)128 << 20)

static const char memory_for[] = "keeping the provider's answers";

static const char *key_at(const void *owner, uint32_t object)
{
    const sc__point_objects *all = owner;
    return all->strings + all->items[object].key;
}

void sc__point_objects_init(sc__point_objects *all)
{
    *all = (sc__point_objects){.by_key = {.text_of = key_at, .owner = all}};
}

// --- Putting in -------------------------------------------------------------

static sc_err keep_text(sc__point_objects *all, const char *text, uint32_t *out, sc_diag *diag)
{
    const size_t size = strlen(text) + 1;
    if (all->strings_capacity - all->strings_size < size + 1) {
        const size_t capacity = 2 * all->strings_capacity + size + 1;
        char *larger = sc_realloc(all->strings, capacity);
        if (!larger) return sc_fail_memory(diag, memory_for);
        // Objects without a name share the empty one at 0.
        if (!all->strings) larger[all->strings_size++] = '\0';
        all->strings = larger;
        all->strings_capacity = capacity;
    }
    *out = 0;
    if (size == 1) return SC_OK;
    memcpy(all->strings + all->strings_size, text, size);
    *out = (uint32_t)all->strings_size;
    all->strings_size += size;
    return SC_OK;
}

static sc_err add(sc__point_objects *all, const sc__point_answer_row *row, uint32_t *out,
                  sc_diag *diag)
{
    if (all->count == OBJECTS_MAX || all->strings_size > STRINGS_MAX) {
        return sc_fail(diag, SC_ELIMIT,
                       "the provider names too many different objects for one cloak; ask for fewer "
                       "objects, or a smaller radius");
    }
    if (!sc_grow(&all->items, all->count, &all->capacity, sizeof *all->items)) {
        return sc_fail_memory(diag, memory_for);
    }
    sc__point_object *item = &all->items[all->count];
    *item = (sc__point_object){
        .x = row->x, .y = row->y, .category = row->category, .number = all->count};
    sc_err err = keep_text(all, row->key, &item->key, diag);
    if (!err) err = keep_text(all, row->name, &item->name, diag);
    if (err) return err;
    if (sc_string_index_put(&all->by_key, row->key, all->count, out)) {
        return sc_fail_memory(diag, memory_for);
    }
    all->count++;
    return SC_OK;
}

// An object that is known already: is it the same one?
static sc_err compare(sc__point_objects *all, const sc__point_answer_row *row, uint32_t object,
                      sc_diag *diag)
{
    sc__point_object *item = &all->items[object];
    if (item->x != row->x || item->y != row->y) {
        return sc_fail(diag, SC_EREPLY,
                       "the provider gives one object two positions; if it does not move, check "
                       "the name of the key field");
    }
    if (item->category == SC_NONE) item->category = row->category;
    return SC_OK;
}

sc_err sc__point_objects_put(sc__point_objects *all, const sc__point_answer_row *row,
                             uint64_t answer, uint32_t *out, sc_diag *diag)
{
    uint32_t object = sc_string_index_find(&all->by_key, row->key);
    const sc_err err =
        object == SC_NONE ? add(all, row, &object, diag) : compare(all, row, object, diag);
    if (err) return err;
    if (all->items[object].answer == answer) {
        return sc_fail(
            diag, SC_EREPLY,
            "an answer of the provider has one object twice; check the name of the key field");
    }
    all->items[object].answer = answer;
    *out = object;
    return SC_OK;
}

// --- By key -----------------------------------------------------------------

static int compare_keys(const void *a, const void *b, void *strings)
{
    return strcmp((const char *)strings + ((const sc__point_object *)a)->key,
                  (const char *)strings + ((const sc__point_object *)b)->key);
}

static sc_err find_road(const sc_map *map, sc__point_object *item, sc_object *out, sc_diag *diag)
{
    sc_snap snap;
    const sc_err err = sc_map_snap(map, item->x, item->y, HUGE_VAL, &snap);
    if (err) return sc_fail(diag, err, "an object of the provider is not near any road");
    item->off_road_m = snap.distance_m;
    *out = (sc_object){.edge = snap.edge,
                       .offset = (uint32_t)llround(snap.offset_m / sc_map_unit_m(map)),
                       .category = item->category,
                       .name = item->name};
    return SC_OK;
}

sc_err sc__point_objects_settle(sc__point_objects *all, const sc_map *map, uint32_t **new_number,
                                sc_diag *diag)
{
    uint32_t *numbers = sc_malloc_array(all->count, sizeof *numbers);
    all->objects = sc_malloc_array(all->count, sizeof *all->objects);
    all->keys = sc_malloc_array(all->count, sizeof *all->keys);
    sc_err err = SC_OK;
    if (!numbers || !all->objects || !all->keys) {
        err = sc_fail_memory(diag, memory_for);
        goto fail;
    }
    if (all->count > 0) {
        qsort_r(all->items, all->count, sizeof *all->items, compare_keys, all->strings);
    }
    for (uint32_t i = 0; i < all->count; i++) {
        err = find_road(map, &all->items[i], &all->objects[i], diag);
        if (err) goto fail;
        all->keys[i] = all->items[i].key;
        numbers[all->items[i].number] = i;
    }
    *new_number = numbers;
    return SC_OK;
fail:
    sc_free(numbers);
    return err;
}

void sc__point_objects_fini(sc__point_objects *all)
{
    sc_free(all->items);
    sc_free(all->strings);
    sc_free(all->objects);
    sc_free(all->keys);
    sc_string_index_fini(&all->by_key);
    sc__point_objects_init(all);
}
