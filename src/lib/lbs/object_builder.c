// Putting a set of objects together from rows that come from elsewhere. See starcloak/objects.h.
//
// Rows are gathered as they come, their texts behind each other in one table of strings; only when
// the set is finished are they put in the order of the road. Of rows at the same place the one
// that came first stays first.
//
// Categories keep the numbers that they have in the map, so that requests mean the same whether
// they are answered from the map's own objects or from a table; others follow as they come.
//
// Both categories and keys are strangers' texts; sc_string_index finds those that came before.
#include "lbs/object_set.h"

#include "base/alloc.h"
#include "base/diag.h"
#include "base/string_index.h"
#include "base/utf8.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// As in a map: numbers below this leave SC_NONE free.
#define MAX_OBJECTS ((size_t)INT32_MAX - 1)

/** An object as it came. */
typedef struct kept_row {
    sc_object object;
    uint32_t key;    ///< into the strings
    uint32_t order;  ///< how many came before
} kept_row;

struct sc_objects_builder {
    const sc_map *map;

    kept_row *rows;
    size_t row_count;
    size_t row_capacity;
    sc_string_index row_of_key;

    uint32_t *categories;  ///< their names, into the strings
    size_t category_count;
    size_t category_capacity;
    sc_string_index category_ids;

    char *strings;  ///< each ended by NUL; the first is empty
    size_t string_size;
    size_t string_capacity;
};

static const char *key_at(const void *owner, uint32_t row_number)
{
    const sc_objects_builder *builder = owner;
    return builder->strings + builder->rows[row_number].key;
}

static const char *category_at(const void *owner, uint32_t category)
{
    const sc_objects_builder *builder = owner;
    return builder->strings + builder->categories[category];
}

// What a builder is like that lies at `place` and has nothing in it.
static sc_objects_builder new_builder(const sc_objects_builder *place, const sc_map *map)
{
    return (sc_objects_builder){.map = map,
                                .row_of_key = {.text_of = key_at, .owner = place},
                                .category_ids = {.text_of = category_at, .owner = place}};
}

static void clear(sc_objects_builder *builder)
{
    sc_free(builder->rows);
    sc_free(builder->categories);
    sc_free(builder->strings);
    sc_string_index_fini(&builder->row_of_key);
    sc_string_index_fini(&builder->category_ids);
    *builder = new_builder(builder, builder->map);
}

// --- Texts -----------------------------------------------------------------------

static sc_err add_string(sc_objects_builder *builder, const char *text, uint32_t *out)
{
    const size_t size = strlen(text) + 1;
    if (size > UINT32_MAX - builder->string_size) return SC_ELIMIT;
    while (builder->string_capacity < builder->string_size + size) {
        if (!sc_grow(&builder->strings, builder->string_capacity, &builder->string_capacity, 1)) {
            return SC_ENOMEM;
        }
    }
    memcpy(builder->strings + builder->string_size, text, size);
    *out = (uint32_t)builder->string_size;
    builder->string_size += size;
    return SC_OK;
}

// The number of a category, which is new if its name was not used before.
static sc_err number_category(sc_objects_builder *builder, const char *name, sc_category_id *out)
{
    const uint32_t known = sc_string_index_find(&builder->category_ids, name);
    if (known != SC_NONE) {
        *out = known;
        return SC_OK;
    }
    const uint32_t next = (uint32_t)builder->category_count;
    if (!sc_grow(&builder->categories, next, &builder->category_capacity,
                 sizeof *builder->categories)) {
        return SC_ENOMEM;
    }
    sc_err err = add_string(builder, name, &builder->categories[next]);
    if (!err) err = sc_string_index_put(&builder->category_ids, name, next, out);
    if (!err) builder->category_count++;
    return err;
}

// The empty text at 0 and the categories of the map, before anything else.
static sc_err begin(sc_objects_builder *builder)
{
    uint32_t place = 0;
    sc_err err = add_string(builder, "", &place);
    for (sc_category_id c = 0; c < sc_map_category_count(builder->map) && !err; c++) {
        sc_category_id number = 0;
        err = number_category(builder, sc_map_category_name(builder->map, c), &number);
    }
    // Half begun it would not be begun again, and categories would not have the map's numbers.
    if (err) clear(builder);
    return err;
}

// --- Rows -------------------------------------------------------------------------

sc_err sc_objects_builder_new(const sc_map *map, sc_objects_builder **out)
{
    sc_objects_builder *builder = sc_malloc(sizeof *builder);
    if (!builder) return SC_ENOMEM;
    *builder = new_builder(builder, map);
    const sc_err err = begin(builder);
    if (err) {
        sc_objects_builder_free(builder);
        return err;
    }
    *out = builder;
    return SC_OK;
}

sc_err sc__objects_builder_name(sc_objects_builder *builder, const char *category)
{
    sc_category_id number = 0;
    return number_category(builder, category, &number);
}

void sc_objects_builder_free(sc_objects_builder *builder)
{
    if (!builder) return;
    clear(builder);
    sc_free(builder);
}

// Whether a row can be an object; rows are strangers' and each refusal has its reason.
static sc_err check_row(const sc_objects_builder *builder, const sc_object_row *row, sc_diag *diag)
{
    const char *key = row->key;
    const char *category = row->category;
    const char *name = row->name;
    if (row->edge >= sc_map_edge_count(builder->map)) {
        return sc_fail(diag, SC_EINVAL, "the map has no edge %u; it has %u edges, numbered from 0",
                       row->edge, sc_map_edge_count(builder->map));
    }
    if (!isfinite(row->offset_m)) {
        return sc_fail(diag, SC_EINVAL, "an object's offset along its edge is not a number");
    }
    if (!key || *key == '\0') return sc_fail(diag, SC_EINVAL, "an object has no key");
    if (!sc_is_utf8(key)) return sc_fail(diag, SC_EINVAL, "an object's key is not UTF-8");
    if (!category || *category == '\0') {
        return sc_fail(diag, SC_EINVAL, "object %s has no category",
                       sc_quote(key, strlen(key)).text);
    }
    if (!sc_is_utf8(category) || (name && !sc_is_utf8(name))) {
        return sc_fail(diag, SC_EINVAL, "the %s of object %s is not UTF-8",
                       sc_is_utf8(category) ? "name" : "category", sc_quote(key, strlen(key)).text);
    }
    if (sc_string_index_find(&builder->row_of_key, key) != SC_NONE) {
        return sc_fail(diag, SC_EDUPLICATE,
                       "two objects have the key %s; give each a key of its own",
                       sc_quote(key, strlen(key)).text);
    }
    return SC_OK;
}

static uint32_t units_along(const sc_map *map, sc_edge_id edge, double offset_m)
{
    const double length = sc_map_edges(map)[edge].length;
    const double units = round(offset_m / sc_map_unit_m(map));
    return (uint32_t)(units <= 0.0 ? 0.0 : units >= length ? length : units);
}

static sc_err add_row(sc_objects_builder *builder, kept_row added, const sc_object_row *texts)
{
    const char *name = texts->name;
    if (builder->row_count >= MAX_OBJECTS) return SC_ELIMIT;
    if (!sc_grow(&builder->rows, builder->row_count, &builder->row_capacity,
                 sizeof *builder->rows)) {
        return SC_ENOMEM;
    }
    added.order = (uint32_t)builder->row_count;
    sc_err err = number_category(builder, texts->category, &added.object.category);
    if (!err) err = add_string(builder, texts->key, &added.key);
    if (!err && name && *name) err = add_string(builder, name, &added.object.name);
    // Last, since a key that has a row must have it. It is new: that was checked before.
    uint32_t number = 0;
    if (!err) err = sc_string_index_put(&builder->row_of_key, texts->key, added.order, &number);
    if (!err) builder->rows[builder->row_count++] = added;
    return err;
}

sc_err sc_objects_builder_add(sc_objects_builder *builder, const sc_object_row *row, sc_diag *diag)
{
    sc_err err = check_row(builder, row, diag);
    if (err) return err;
    // A builder that was finished starts empty again.
    if (builder->string_size == 0) err = begin(builder);
    if (!err) {
        const uint32_t offset = units_along(builder->map, row->edge, row->offset_m);
        err = add_row(builder, (kept_row){.object = {.edge = row->edge, .offset = offset}}, row);
    }
    if (err == SC_ENOMEM) return sc_fail_memory(diag, "taking in objects");
    if (err) {
        return sc_fail(diag, err, "too many objects, or more than 4 GiB of names and categories");
    }
    return SC_OK;
}

// --- The set ----------------------------------------------------------------------

static int compare_rows(const void *a, const void *b)
{
    const kept_row *x = a;
    const kept_row *y = b;
    if (x->object.edge != y->object.edge) return x->object.edge < y->object.edge ? -1 : 1;
    if (x->object.offset != y->object.offset) {
        return x->object.offset < y->object.offset ? -1 : 1;
    }
    return (x->order > y->order) - (x->order < y->order);
}

// For each segment the first of its objects, which lie in the order of edges.
static void list_by_segment(sc_objects *set)
{
    const sc_segment *segments = sc_map_segments(set->view.map);
    const uint32_t segment_count = sc_map_segment_count(set->view.map);
    uint32_t next = 0;
    for (sc_seg_id s = 0; s <= segment_count; s++) {
        while (next < set->view.object_count &&
               set->own_objects[next].edge < segments[s].first_edge) {
            next++;
        }
        set->own_segment_first[s] = next;
    }
}

// Move rows, categories and texts of the builder over to the set.
static sc_err take_rows(sc_objects *set, sc_objects_builder *builder)
{
    const uint32_t count = (uint32_t)builder->row_count;
    const uint32_t segment_count = sc_map_segment_count(builder->map);
    set->own_objects = sc_malloc_array(count, sizeof *set->own_objects);
    set->own_keys = sc_malloc_array(count, sizeof *set->own_keys);
    set->own_segment_first =
        sc_malloc_array((size_t)segment_count + 1, sizeof *set->own_segment_first);
    set->category_names = sc_malloc_array(builder->category_count, sizeof *set->category_names);
    if (!set->own_objects || !set->own_keys || !set->own_segment_first || !set->category_names) {
        return SC_ENOMEM;
    }
    if (count > 0) qsort(builder->rows, count, sizeof *builder->rows, compare_rows);
    for (uint32_t i = 0; i < count; i++) {
        set->own_objects[i] = builder->rows[i].object;
        set->own_keys[i] = builder->rows[i].key;
    }
    set->own_strings = builder->strings;
    builder->strings = NULL;
    for (size_t c = 0; c < builder->category_count; c++) {
        set->category_names[c] = set->own_strings + builder->categories[c];
    }
    set->table = (sc_object_table){.objects = set->own_objects,
                                   .count = count,
                                   .strings = set->own_strings,
                                   .strings_size = builder->string_size,
                                   .keys = set->own_keys};
    set->view.objects = set->own_objects;
    set->view.object_count = count;
    set->view.category_count = (uint32_t)builder->category_count;
    set->view.segment_first = set->own_segment_first;
    list_by_segment(set);
    return SC_OK;
}

sc_err sc_objects_builder_finish(sc_objects_builder *builder, sc_objects **out)
{
    // The map's categories are part of every set, also of one made by a builder used before.
    sc_err err = builder->string_size == 0 ? begin(builder) : SC_OK;
    sc_objects *set = err ? NULL : sc__objects_new(builder->map);
    if (!err && !set) err = SC_ENOMEM;
    if (!err) err = take_rows(set, builder);
    if (!err) err = sc__objects_derive(set);
    clear(builder);
    if (err) {
        sc_objects_release(set);
        return err;
    }
    *out = set;
    return SC_OK;
}
