// Objects as a provider of points has them, and what it says of them. See point_world.h.
#include "support/point_world.h"

#include "map/geo.h"
#include "support/check.h"

#include <math.h>
#include <stdio.h>

// --- The world --------------------------------------------------------------

point_world point_world_new(const sc_map *map, sc_point_distance distance)
{
    point_world w = {.map = map, .distance = distance, .count = sc_map_object_count(map)};
    w.x = test_take(w.count, sizeof *w.x);
    w.y = test_take(w.count, sizeof *w.y);
    for (uint32_t i = 0; i < w.count; i++) {
        const sc_object *o = &sc_map_objects(map)[i];
        sc_map_edge_position(map, o->edge, o->offset * sc_map_unit_m(map), &w.x[i], &w.y[i]);
    }
    if (distance == SC_POINT_ROAD) w.roads = made_distances_new(map);
    return w;
}

void point_world_free(point_world *world)
{
    free(world->x);
    free(world->y);
    if (world->distance == SC_POINT_ROAD) made_distances_free(&world->roads);
}

static double straight_m(const point_world *w, double x, double y, uint32_t object)
{
    return sc_map_coords(w->map) == SC_COORDS_GEOGRAPHIC
               ? sc_geo_distance_m(x, y, w->x[object], w->y[object])
               : hypot(w->x[object] - x, w->y[object] - y);
}

double point_world_distance(const point_world *world, sc_edge_id edge, double offset_m,
                            uint32_t object)
{
    if (world->distance == SC_POINT_ROAD) {
        return made_distance(&world->roads, edge, offset_m, object);
    }
    double x = 0.0;
    double y = 0.0;
    sc_map_edge_position(world->map, edge, offset_m, &x, &y);
    return straight_m(world, x, y, object);
}

static int compare_nears(const void *a, const void *b)
{
    const double left = ((const sc_near *)a)->distance_m;
    const double right = ((const sc_near *)b)->distance_m;
    return (left > right) - (left < right);
}

static bool is_wanted(const sc_request *request, sc_category_id category)
{
    bool is_named = request->category_count == 0;
    for (uint32_t i = 0; i < request->category_count; i++) {
        is_named = is_named || request->categories[i] == category;
    }
    return is_named;
}

size_t point_world_answer(const point_world *world, sc_edge_id edge, double offset_m,
                          const sc_request *request, sc_near *out)
{
    size_t count = 0;
    for (uint32_t i = 0; i < world->count; i++) {
        const double distance_m = point_world_distance(world, edge, offset_m, i);
        if (!is_wanted(request, sc_map_objects(world->map)[i].category)) continue;
        if (!(distance_m < HUGE_VAL)) continue;
        if (request->type == SC_REQUEST_RANGE && distance_m > request->radius_m) continue;
        out[count++] = (sc_near){i, distance_m, SC_UNKNOWN_S};
    }
    if (count > 0) qsort(out, count, sizeof *out, compare_nears);
    return request->type == SC_REQUEST_KNN && count > request->k ? request->k : count;
}

// --- Answers ----------------------------------------------------------------

// The nearest objects of a position, by measuring them all; `out` has room for each.
static size_t nearest_of(const point_world *w, double x, double y, const char *category,
                         sc_near *out)
{
    sc_snap snap = {.edge = 0};
    if (w->distance == SC_POINT_ROAD) {
        if (sc_map_snap(w->map, x, y, HUGE_VAL, &snap)) abort();
    }
    size_t count = 0;
    for (uint32_t i = 0; i < w->count; i++) {
        const char *own = sc_map_category_name(w->map, sc_map_objects(w->map)[i].category);
        if (*category && strcmp(category, own) != 0) continue;
        const double distance_m = w->distance == SC_POINT_ROAD
                                      ? made_distance(&w->roads, snap.edge, snap.offset_m, i)
                                      : straight_m(w, x, y, i);
        if (distance_m < HUGE_VAL) out[count++] = (sc_near){i, distance_m, SC_UNKNOWN_S};
    }
    if (count > 0) qsort(out, count, sizeof *out, compare_nears);
    return count;
}

/** One answer in the making. */
typedef struct telling {
    const point_world *world;
    point_mode mode;
    bool is_odd;  ///< every other question
    size_t question;
    sc_near *nears;
    size_t count;
} telling;

// Leave out, repeat or reorder, as the mode says.
static void spoil_list(telling *t, uint32_t k)
{
    size_t limit = k;
    if (t->mode == POINT_TOO_MANY) limit = k + 1;
    if (t->mode == POINT_CAPPED && k > 3) limit = 3;
    if (t->mode == POINT_SHRINKS && k > 16) limit = 16 * 16 / k;
    if (t->mode == POINT_FORGETS && t->is_odd && t->count > 0) {
        t->count--;
        memmove(t->nears, t->nears + 1, t->count * sizeof *t->nears);
    }
    if (t->count > limit) t->count = limit;
    if (t->count < 2) return;
    const sc_near first = t->nears[0];
    if (t->mode == POINT_TWICE) t->nears[1] = first;
    if (t->mode == POINT_UNSORTED) {
        t->nears[0] = t->nears[t->count - 1];
        t->nears[t->count - 1] = first;
    }
}

static void tell_object(FILE *out, const telling *t, const sc_near *near)
{
    const point_world *w = t->world;
    const sc_object *o = &sc_map_objects(w->map)[near->object];
    double x = w->x[near->object];
    double distance_m = near->distance_m;
    if (t->mode == POINT_OFF_THE_GLOBE) x += 1e9;
    if (t->mode == POINT_MOVES) x += 1e-6 * (double)t->question;
    if (t->mode == POINT_NEGATIVE) distance_m = -1.0;
    if (t->mode == POINT_IN_KM) distance_m /= 1000.0;
    if (t->mode == POINT_LIES && t->is_odd) distance_m *= 2.0;
    fprintf(out, "{\"id\":\"o%u", near->object);
    for (int i = 0; t->mode == POINT_LONG_KEY && i < 1000; i++) {
        fputc('x', out);
    }
    fprintf(out, "\",\"lon\":%.17g,\"lat\":", x);
    if (t->mode == POINT_NOT_A_NUMBER) {
        fprintf(out, "NaN");
    } else {
        fprintf(out, "%.17g", w->y[near->object]);
    }
    fprintf(out, ",\"distance_m\":%.17g,\"category\":\"%s\",\"name\":\"%s%s\"}", distance_m,
            t->mode == POINT_OTHER_CATEGORY ? "another" : sc_map_category_name(w->map, o->category),
            t->mode == POINT_NOT_UTF8 ? "\xff\xfe" : "", sc_map_object_name(w->map, near->object));
}

char *point_world_tell(const point_world *world, point_mode mode, size_t question, double x,
                       double y, uint32_t k, const char *category)
{
    telling t = {.world = world,
                 .mode = mode,
                 .is_odd = question % 2 == 1,
                 .question = question,
                 .nears = test_take(world->count + 1, sizeof *t.nears)};
    t.count = nearest_of(world, x, y, category, t.nears);
    spoil_list(&t, k);

    char *body = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&body, &size);
    if (!out) abort();
    fprintf(out, "{\"%s\":[", mode == POINT_NO_LIST ? "other" : "results");
    for (size_t i = 0; i < t.count; i++) {
        if (i > 0) fputc(',', out);
        tell_object(out, &t, &t.nears[i]);
    }
    if (mode != POINT_HALF_JSON) fputs("]}", out);
    fclose(out);
    free(t.nears);
    return body;
}
