// The objects that a provider has spoken of. See stock.h.
#include "points/stock.h"

#include "base/alloc.h"
#include "base/diag.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/** What one cloak may bring: a provider that names ever more objects must not take all memory. */
#define OBJECTS_MAX 1000000u
#define STRINGS_MAX ((size_t)128 << 20)

static const char memory_for[] = "keeping what the provider said";

static const char *key_at(const void *owner, uint32_t object)
{
    const sc__stock *stock = owner;
    return stock->strings + stock->items[object].key;
}

void sc__stock_init(sc__stock *stock)
{
    *stock = (sc__stock){.by_key = {.text_of = key_at, .owner = stock}};
}

// --- Putting in -------------------------------------------------------------

static sc_err keep_text(sc__stock *stock, const char *text, uint32_t *out, sc_diag *diag)
{
    const size_t size = strlen(text) + 1;
    if (stock->strings_capacity - stock->strings_size < size + 1) {
        const size_t capacity = 2 * stock->strings_capacity + size + 1;
        char *larger = sc_realloc(stock->strings, capacity);
        if (!larger) return sc_fail_memory(diag, memory_for);
        // Whoever has no name has the empty one at 0.
        if (!stock->strings) larger[stock->strings_size++] = '\0';
        stock->strings = larger;
        stock->strings_capacity = capacity;
    }
    *out = 0;
    if (size == 1) return SC_OK;
    memcpy(stock->strings + stock->strings_size, text, size);
    *out = (uint32_t)stock->strings_size;
    stock->strings_size += size;
    return SC_OK;
}

static sc_err add(sc__stock *stock, const sc__row *row, uint32_t *out, sc_diag *diag)
{
    if (stock->count == OBJECTS_MAX || stock->strings_size > STRINGS_MAX) {
        return sc_fail(diag, SC_ELIMIT,
                       "the provider names more different objects for one cloak than can be kept; "
                       "ask for fewer objects, or a smaller radius");
    }
    if (!sc_grow(&stock->items, stock->count, &stock->capacity, sizeof *stock->items)) {
        return sc_fail_memory(diag, memory_for);
    }
    sc__item *item = &stock->items[stock->count];
    *item = (sc__item){.x = row->x, .y = row->y, .category = row->category, .number = stock->count};
    sc_err err = keep_text(stock, row->key, &item->key, diag);
    if (!err) err = keep_text(stock, row->name, &item->name, diag);
    if (err) return err;
    if (sc_string_index_put(&stock->by_key, row->key, stock->count, out)) {
        return sc_fail_memory(diag, memory_for);
    }
    stock->count++;
    return SC_OK;
}

// An object that is known already: is it the same one?
static sc_err compare(sc__stock *stock, const sc__row *row, uint32_t object, sc_diag *diag)
{
    sc__item *item = &stock->items[object];
    if (item->x != row->x || item->y != row->y) {
        return sc_fail(diag, SC_EREPLY,
                       "the provider gives one object two positions; does it move, or is the field "
                       "of the key another?");
    }
    if (item->category == SC_NONE) item->category = row->category;
    return SC_OK;
}

sc_err sc__stock_put(sc__stock *stock, const sc__row *row, uint64_t answer, uint32_t *out,
                     sc_diag *diag)
{
    uint32_t object = sc_string_index_find(&stock->by_key, row->key);
    const sc_err err =
        object == SC_NONE ? add(stock, row, &object, diag) : compare(stock, row, object, diag);
    if (err) return err;
    if (stock->items[object].answer == answer) {
        return sc_fail(diag, SC_EREPLY,
                       "an answer of the provider has one object twice; is the field of the key "
                       "another?");
    }
    stock->items[object].answer = answer;
    *out = object;
    return SC_OK;
}

// --- By key -----------------------------------------------------------------

static int compare_keys(const void *a, const void *b, void *strings)
{
    return strcmp((const char *)strings + ((const sc__item *)a)->key,
                  (const char *)strings + ((const sc__item *)b)->key);
}

static sc_err find_road(const sc_map *map, sc__item *item, sc_object *out, sc_diag *diag)
{
    sc_snap snap;
    const sc_err err = sc_map_snap(map, item->x, item->y, HUGE_VAL, &snap);
    if (err) return sc_fail(diag, err, "an object of the provider is near no road");
    item->off_road_m = snap.distance_m;
    *out = (sc_object){.edge = snap.edge,
                       .offset = (uint32_t)llround(snap.offset_m / sc_map_unit_m(map)),
                       .category = item->category,
                       .name = item->name};
    return SC_OK;
}

sc_err sc__stock_settle(sc__stock *stock, const sc_map *map, uint32_t **new_number, sc_diag *diag)
{
    uint32_t *numbers = sc_malloc_array(stock->count, sizeof *numbers);
    stock->objects = sc_malloc_array(stock->count, sizeof *stock->objects);
    stock->keys = sc_malloc_array(stock->count, sizeof *stock->keys);
    sc_err err = SC_OK;
    if (!numbers || !stock->objects || !stock->keys) {
        err = sc_fail_memory(diag, memory_for);
        goto fail;
    }
    if (stock->count > 0) {
        qsort_r(stock->items, stock->count, sizeof *stock->items, compare_keys, stock->strings);
    }
    for (uint32_t i = 0; i < stock->count; i++) {
        err = find_road(map, &stock->items[i], &stock->objects[i], diag);
        if (err) goto fail;
        stock->keys[i] = stock->items[i].key;
        numbers[stock->items[i].number] = i;
    }
    *new_number = numbers;
    return SC_OK;
fail:
    sc_free(numbers);
    return err;
}

void sc__stock_fini(sc__stock *stock)
{
    sc_free(stock->items);
    sc_free(stock->strings);
    sc_free(stock->objects);
    sc_free(stock->keys);
    sc_string_index_fini(&stock->by_key);
    sc__stock_init(stock);
}
