// The objects of a round, and the lists of border nodes that follow from them. See area_lists.h.
#include "verify/area_lists.h"

#include "base/alloc.h"

#include <math.h>
#include <stdlib.h>

// --- Objects of a round -------------------------------------------------------------------------

/** An object on its way into the table. */
struct sc_gathered {
    uint64_t key;
    uint64_t area;
    sc_object object;
};

static int newest_of_key_first(const void *a, const void *b)
{
    const struct sc_gathered *x = a;
    const struct sc_gathered *y = b;
    if (x->key != y->key) return x->key < y->key ? -1 : 1;
    return (x->area < y->area) - (x->area > y->area);
}

static int by_edge(const void *a, const void *b)
{
    const sc_object *x = &((const struct sc_gathered *)a)->object;
    const sc_object *y = &((const struct sc_gathered *)b)->object;
    if (x->edge != y->edge) return x->edge < y->edge ? -1 : 1;
    return (x->offset > y->offset) - (x->offset < y->offset);
}

const sc_known_area *sc__area_find(const sc_area_states *s, uint64_t number)
{
    const uint32_t place = sc_hash_get(&s->by_number, (sc_key){1, number}, SC_NONE);
    return place != SC_NONE && s->areas[place].number == number ? &s->areas[place] : NULL;
}

static bool gather_area(sc_area_states *s, const sc_known_area *area, size_t *count)
{
    const double unit_m = sc_map_unit_m(s->map);
    for (size_t i = 0; i < area->object_count; i++) {
        const sc_event_object *object = &area->objects[i];
        const double length = sc_map_edges(s->map)[object->edge].length;
        if (!sc_grow(&s->gathered, *count, &s->gathered_capacity, sizeof *s->gathered)) {
            return false;
        }
        s->gathered[(*count)++] = (struct sc_gathered){
            .key = object->key,
            .area = area->number,
            .object = {.edge = object->edge,
                       .offset = (uint32_t)fmin(fmax(round(object->offset_m / unit_m), 0), length),
                       .category = object->category}};
    }
    return true;
}

// Whether the table has the objects of these very areas already; if not, they are noted.
static sc_err note_used(sc_area_states *s, const sc_event_areas *areas, size_t round, bool *is_same)
{
    size_t count = 0;
    *is_same = s->used_count > 0;
    for (size_t i = 0; i < areas->use_count; i++) {
        if (areas->uses[i].round != round) continue;
        const uint64_t number = areas->uses[i].area;
        if (count >= s->used_count || s->used[count] != number) *is_same = false;
        if (!sc_grow(&s->used, count, &s->used_capacity, sizeof *s->used)) return SC_ENOMEM;
        s->used[count++] = number;
    }
    *is_same = *is_same && count == s->used_count;
    s->used_count = count;
    return SC_OK;
}

sc_err sc__area_use_round(sc_area_states *s, const sc_event_areas *areas, size_t round)
{
    bool is_same = false;
    size_t count = 0;
    sc_err err = note_used(s, areas, round, &is_same);
    if (err || is_same) return err;
    for (size_t i = 0; i < s->used_count; i++) {
        const sc_known_area *area = sc__area_find(s, s->used[i]);
        if (area && !gather_area(s, area, &count)) return SC_ENOMEM;
    }
    if (count > 0) qsort(s->gathered, count, sizeof *s->gathered, newest_of_key_first);
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (i > 0 && s->gathered[i].key == s->gathered[i - 1].key) continue;
        s->gathered[kept++] = s->gathered[i];
    }
    if (kept > 0) qsort(s->gathered, kept, sizeof *s->gathered, by_edge);
    if (!sc_reserve(&s->objects, kept, &s->object_capacity, sizeof *s->objects) ||
        !sc_reserve(&s->keys, kept, &s->key_capacity, sizeof *s->keys)) {
        return SC_ENOMEM;
    }
    for (size_t i = 0; i < kept; i++) {
        s->objects[i] = s->gathered[i].object;
        s->keys[i] = s->gathered[i].key;
    }
    s->object_count = kept;
    return sc__ways_use(&s->answers.ways, s->objects, (uint32_t)kept);
}

// --- Lists of border nodes ----------------------------------------------------------------------

sc_err sc__area_cost_of_list(sc_area_states *s, const sc_event_request *wish, sc_node_id node,
                             double *cost)
{
    *cost = wish->radius;
    if (wish->is_range) return SC_OK;
    *cost = 0;
    s->answers.ways.extent = NULL;
    sc_err err = sc__ways_from_node(&s->answers.ways, wish, node);
    for (uint32_t i = 0; i < wish->k && !err; i++) {
        sc_searched_object found;
        err = sc__ways_next(&s->answers.ways, HUGE_VAL, &found);
        if (err) break;
        const bool is_by_time = wish->metric == SC_METRIC_TIME;
        *cost = is_by_time ? found.duration_s : found.distance_m;
        if (found.object == SC_NONE) {
            *cost = HUGE_VAL;
            break;
        }
    }
    return err;
}

sc_err sc__area_reach_of_list(sc_area_states *s, const sc_event_request *wish, sc_node_id node,
                              double cost, sc_verify_box *out)
{
    const double unit =
        wish->metric == SC_METRIC_TIME ? sc_map_time_unit_s(s->map) : sc_map_unit_m(s->map);
    sc_ways *ways = &s->answers.ways;
    double x = 0;
    double y = 0;
    sc_map_node_position(s->map, node, &x, &y);
    *out = (sc_verify_box){x, y, x, y};
    // Two units less: objects are at whole units.
    ways->extent_limit = cost / unit - 2;
    if (ways->extent_limit < 0) return SC_OK;
    ways->extent = out;
    sc_err err = sc__ways_from_node(ways, wish, node);
    sc_searched_object found = {.object = 0};
    while (!err && found.object != SC_NONE) {
        err = sc__ways_next(ways, cost, &found);
    }
    ways->extent = NULL;
    return err;
}
