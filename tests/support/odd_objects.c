// Objects where they hurt. See odd_objects.h.
#include "support/odd_objects.h"

#include "support/check.h"

#include <math.h>
#include <stdio.h>

// --- What a road is like ---------------------------------------------------------------

/** A sketch, and what its roads have in common. */
typedef struct field {
    sc_builder *builder;
    const sketch *sketch;
    sc_rng *rng;
    uint32_t *degree;        ///< by node; a loop counts twice
    bool *has_intersection;  ///< by node: somewhere in its component
    uint32_t category_count;
    uint32_t object_count;
} field;

// Flags spread along roads until none changes any more.
static void find_intersections(field *f)
{
    const sketch *s = f->sketch;
    for (uint32_t v = 0; v < s->node_count; v++) {
        f->has_intersection[v] = f->degree[v] >= 3;
    }
    for (bool has_changed = true; has_changed;) {
        has_changed = false;
        for (uint32_t e = 0; e < s->edge_count; e++) {
            const uint32_t from = s->edges[e].from;
            const uint32_t to = s->edges[e].to;
            if (f->has_intersection[from] == f->has_intersection[to]) continue;
            f->has_intersection[from] = true;
            f->has_intersection[to] = true;
            has_changed = true;
        }
    }
}

typedef enum road_kind { ANY_ROAD, NO_LENGTH, LOOP, DEAD_END, LONE_ROAD, ROAD_KINDS } road_kind;

static bool is_of_kind(const field *f, uint32_t edge, road_kind kind)
{
    const sketch_edge *e = &f->sketch->edges[edge];
    switch (kind) {
    case NO_LENGTH:
        return e->length <= 0;
    case LOOP:
        return e->from == e->to;
    case DEAD_END:
        return f->degree[e->from] == 1 || f->degree[e->to] == 1;
    case LONE_ROAD:
        return !f->has_intersection[e->from];
    default:
        return true;
    }
}

// A road of that kind if there is one and luck wills it.
static uint32_t draw_road(field *f, road_kind kind)
{
    uint32_t edge = 0;
    for (int tries = 0; tries < 10; tries++) {
        edge = sc_rng_below(f->rng, f->sketch->edge_count);
        if (is_of_kind(f, edge, kind)) break;
    }
    return edge;
}

// --- Putting ---------------------------------------------------------------------------

// Of few categories low numbers are frequent and high ones rare; of many all are rare.
static uint32_t draw_category(field *f)
{
    const uint32_t category = sc_rng_below(f->rng, f->category_count);
    return f->category_count > 64 ? category : sc_rng_below(f->rng, category + 1);
}

static void put(field *f, uint32_t edge, double fraction)
{
    char category[32];
    char name[32] = "";
    snprintf(category, sizeof category, "category %u", draw_category(f));
    if (sc_rng_below(f->rng, 2)) snprintf(name, sizeof name, "object %u", f->object_count);
    put_object(f->builder, edge, fraction, category, name);
    f->object_count++;
}

static double draw_fraction(field *f)
{
    const uint32_t way = sc_rng_below(f->rng, 6);
    return way < 2 ? way : sc_rng_unit(f->rng);
}

// The same place, once for each road that meets there.
static void put_on_node(field *f)
{
    const sketch_edge *some = &f->sketch->edges[draw_road(f, ANY_ROAD)];
    const uint32_t node = sc_rng_below(f->rng, 2) ? some->from : some->to;
    for (uint32_t e = 0; e < f->sketch->edge_count; e++) {
        if (f->sketch->edges[e].from == node) put(f, e, 0.0);
        if (f->sketch->edges[e].to == node) put(f, e, 1.0);
    }
}

static void put_heap(field *f)
{
    const uint32_t edge = draw_road(f, ANY_ROAD);
    const double fraction = draw_fraction(f);
    for (uint32_t i = 2 + sc_rng_below(f->rng, 12); i > 0; i--) {
        put(f, edge, fraction);
    }
}

static void put_row(field *f)
{
    const uint32_t edge = draw_road(f, ANY_ROAD);
    for (uint32_t i = 2 + sc_rng_below(f->rng, 12); i > 0; i--) {
        put(f, edge, sc_rng_unit(f->rng));
    }
}

static void put_something(field *f)
{
    switch (sc_rng_below(f->rng, 8)) {
    case 0:
        put_on_node(f);
        break;
    case 1:
        put_heap(f);
        break;
    case 2:
        put_row(f);
        break;
    case 3:
    case 4: {
        const road_kind kind = (road_kind)sc_rng_below(f->rng, ROAD_KINDS);
        put(f, draw_road(f, kind), draw_fraction(f));
        break;
    }
    default:
        put(f, draw_road(f, ANY_ROAD), draw_fraction(f));
    }
}

void odd_objects_put(sc_builder *builder, const sketch *s, sc_rng *rng)
{
    static const uint32_t sizes[] = {0, 1, 3, 6, 12, 25, 50, 100};
    static const uint32_t category_counts[] = {1, 2, 3, 5, 9, 150};
    field f = {.builder = builder, .sketch = s, .rng = rng};
    f.category_count = category_counts[sc_rng_below(rng, 6)];
    f.degree = test_take(s->node_count, sizeof *f.degree);
    f.has_intersection = test_take(s->node_count, sizeof *f.has_intersection);
    for (uint32_t e = 0; e < s->edge_count; e++) {
        f.degree[s->edges[e].from]++;
        f.degree[s->edges[e].to]++;
    }
    find_intersections(&f);
    const uint32_t most = sizes[sc_rng_below(rng, sizeof sizes / sizeof *sizes)];
    while (f.object_count < most) {
        put_something(&f);
    }
    free(f.degree);
    free(f.has_intersection);
}

// --- Asking ----------------------------------------------------------------------------

// From nothing to farther than any road leads.
static double draw_radius(const sc_map *map, sc_rng *rng)
{
    double total_m = 0;
    for (sc_seg_id s = 0; s < sc_map_segment_count(map); s++) {
        total_m += sc_map_segment_length_m(map, s);
    }
    switch (sc_rng_below(rng, 6)) {
    case 0:
        return 0;
    case 1:
        return 2 * total_m + 1;
    case 2:  // whole units, as lengths are
        return sc_rng_below(rng, 2000) * sc_map_unit_m(map);
    case 3:  // round numbers, which roads often have
        return 10.0 * sc_rng_below(rng, 100);
    default:
        return total_m * pow(sc_rng_unit(rng), 2);
    }
}

sc_request odd_request(const sc_map *map, uint32_t category_count, sc_rng *rng)
{
    sc_request request = {.type = SC_REQUEST_KNN,
                          .metric = (sc_metric)sc_rng_below(rng, SC_METRIC_COUNT)};
    if (sc_rng_below(rng, 3) == 0) {
        request.type = SC_REQUEST_RANGE;
        request.radius_m = draw_radius(map, rng);
        // About as far at the usual speed.
        request.radius_s = request.radius_m / sc_road_class_speed_m_s(SC_ROAD_UNKNOWN);
    } else {
        request.k = 1 + sc_rng_below(rng, sc_rng_below(rng, 2) ? 6 : 30);
    }
    const uint32_t named = sc_rng_below(rng, 3);
    if (category_count > 0 && named > 0) {
        request.category_count = named == 1 ? 1 : 1 + sc_rng_below(rng, SC_REQUEST_CATEGORIES);
    }
    for (uint32_t i = 0; i < request.category_count; i++) {
        request.categories[i] = sc_rng_below(rng, category_count);
    }
    return sc_request_normalise(&request);
}

size_t odd_requests(const sc_map *map, uint32_t category_count, sc_rng *rng, sc_request *requests,
                    size_t most)
{
    size_t count = 0;
    for (size_t i = 0; i < most; i++) {
        requests[count] = odd_request(map, category_count, rng);
        size_t same = 0;
        while (!sc_request_equal(&requests[same], &requests[count])) {
            same++;
        }
        count += same == count;
    }
    return count;
}
