// Comparing an answer with a plain search. See answer_check.h.
#include "verify/answer_check.h"

#include "base/alloc.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/**
 * How far two distances may differ and still be the same: a millimetre, what rounding to four
 * decimals can do to a position and a distance, and the last digits of long sums.
 */
static double tolerance_m(double distance_m)
{
    return 1e-3 + 1e-4 + 1e-9 * distance_m;
}

static bool is_same(double a_m, double b_m)
{
    return fabs(a_m - b_m) <= tolerance_m(a_m);
}

// --- The plain search ------------------------------------------------------------------

static bool is_wanted(const sc_map *map, const sc_event_request *wish, sc_object_id object)
{
    const sc_category_id category = sc_map_objects(map)[object].category;
    for (uint32_t i = 0; i < wish->category_count; i++) {
        if (wish->categories[i] == category) return true;
    }
    return wish->category_count == 0;
}

/** No object farther than this can be in an answer, by what is found so far. */
static double limit_m(const sc_answers *a, const sc_event_request *wish)
{
    if (wish->is_range) return wish->radius_m + tolerance_m(wish->radius_m);
    if (wish->k == 0) return -HUGE_VAL;
    if (a->found_count < wish->k) return HUGE_VAL;
    const double last_m = a->found[wish->k - 1].distance_m;
    return last_m + tolerance_m(last_m);
}

// All objects that the answer may name, nearest first.
static sc_err search(sc_answers *a, const sc_watched *watched)
{
    a->found_count = 0;
    sc_err err = sc__distances_from(&a->distances, watched->edge, watched->offset_m);
    while (!err) {
        sc_searched_object next = {SC_NONE, 0.0};
        err = sc__distances_next(&a->distances, limit_m(a, &watched->wish), &next.object,
                                 &next.distance_m);
        if (err || next.object == SC_NONE) break;
        if (!is_wanted(a->distances.map, &watched->wish, next.object)) continue;
        if (!sc_grow(&a->found, a->found_count, &a->found_capacity, sizeof *a->found)) {
            return SC_ENOMEM;
        }
        a->found[a->found_count++] = next;
    }
    return err;
}

// --- The comparison --------------------------------------------------------------------

static int compare_results_by_object(const void *a, const void *b)
{
    const sc_object_id left = ((const sc_event_result *)a)->object;
    const sc_object_id right = ((const sc_event_result *)b)->object;
    return (left > right) - (left < right);
}

static int compare_results_by_distance(const void *a, const void *b)
{
    const double left = ((const sc_event_result *)a)->distance_m;
    const double right = ((const sc_event_result *)b)->distance_m;
    return (left > right) - (left < right);
}

static int compare_found_by_object(const void *a, const void *b)
{
    const sc_object_id left = ((const sc_searched_object *)a)->object;
    const sc_object_id right = ((const sc_searched_object *)b)->object;
    return (left > right) - (left < right);
}

/** The order in which they were told: none is nearer than one before it. */
static bool is_nearest_first(const sc_watched *watched)
{
    double farthest_m = 0.0;
    for (size_t i = 0; i < watched->result_count; i++) {
        const double distance_m = watched->results[i].distance_m;
        if (distance_m < farthest_m - tolerance_m(farthest_m)) return false;
        farthest_m = fmax(farthest_m, distance_m);
    }
    return true;
}

/** How many objects an answer must name; for a range, those on its very rim are left open. */
static size_t count_due(const sc_answers *a, const sc_event_request *wish)
{
    if (!wish->is_range) return a->found_count < wish->k ? a->found_count : wish->k;
    const double safe_m = wish->radius_m - tolerance_m(wish->radius_m);
    size_t count = 0;
    while (count < a->found_count && a->found[count].distance_m <= safe_m) {
        count++;
    }
    return count;
}

static bool has_right_count(const sc_answers *a, const sc_watched *watched, sc_findings *findings)
{
    const size_t due = count_due(a, &watched->wish);
    const size_t most = watched->wish.is_range ? a->found_count : due;
    if (watched->result_count >= due && watched->result_count <= most) return true;
    sc__wrong(findings, SC_PROMISE_ANSWERS,
              "query %s has %zu results, but a plain search finds %zu", watched->name.text,
              watched->result_count, due);
    return false;
}

// The objects that must be named are named, as far as distances tell: the i-th nearest of
// the answer is as far as the i-th nearest there is. What lies on the rim comes last.
static bool has_right_distances(const sc_answers *a, const sc_watched *watched,
                                sc_findings *findings)
{
    if (watched->result_count == 0) return true;
    qsort(watched->results, watched->result_count, sizeof *watched->results,
          compare_results_by_distance);
    const size_t due = count_due(a, &watched->wish);
    for (size_t i = 0; i < due; i++) {
        if (is_same(a->found[i].distance_m, watched->results[i].distance_m)) continue;
        sc__wrong(findings, SC_PROMISE_ANSWERS,
                  "query %s: a plain search finds another distance for number %zu",
                  watched->name.text, i + 1);
        return false;
    }
    return true;
}

// Each object named is one that may be, at the distance it has, and is named once. Sorts
// what was found.
static bool has_right_objects(sc_answers *a, const sc_watched *watched, sc_findings *findings)
{
    if (watched->result_count == 0) return true;
    qsort(a->found, a->found_count, sizeof *a->found, compare_found_by_object);
    qsort(watched->results, watched->result_count, sizeof *watched->results,
          compare_results_by_object);
    for (size_t i = 0; i < watched->result_count; i++) {
        const sc_event_result *result = &watched->results[i];
        const sc_searched_object key = {result->object, 0.0};
        const sc_searched_object *found =
            bsearch(&key, a->found, a->found_count, sizeof *a->found, compare_found_by_object);
        const char *what = NULL;
        if (!found) what = "not among what a plain search finds";
        if (found && !is_same(found->distance_m, result->distance_m))
            what = "not at the distance given";
        if (i > 0 && result->object == result[-1].object) what = "named twice";
        if (!what) continue;
        // Which object is not said: it is near the traveller.
        sc__wrong(findings, SC_PROMISE_ANSWERS, "query %s: an object of the answer is %s",
                  watched->name.text, what);
        return false;
    }
    return true;
}

sc_err sc__answers_look(sc_answers *answers, sc_watched *watched, sc_findings *findings)
{
    const sc_map *map = answers->distances.map;
    sc__looked_at(findings, SC_PROMISE_ANSWERS);
    if (watched->edge >= sc_map_edge_count(map)) {
        sc__wrong(findings, SC_PROMISE_ANSWERS, "query %s is not on an edge of the map",
                  watched->name.text);
        return SC_OK;
    }
    const sc_err err = search(answers, watched);
    if (err) return err;
    const bool is_in_order = is_nearest_first(watched);  // asked first: the others sort
    // Each stops at its first complaint: an answer is wrong once.
    if (has_right_count(answers, watched, findings) &&
        has_right_distances(answers, watched, findings) &&
        has_right_objects(answers, watched, findings) && !is_in_order) {
        sc__wrong(findings, SC_PROMISE_ANSWERS,
                  "query %s: the answer is not in order, nearest first", watched->name.text);
    }
    return SC_OK;
}

sc_err sc__answers_init(sc_answers *answers, const sc_map *map)
{
    *answers = (sc_answers){.found = NULL};
    return sc__distances_init(&answers->distances, map);
}

void sc__answers_fini(sc_answers *answers)
{
    sc__distances_fini(&answers->distances);
    sc_free(answers->found);
    *answers = (sc_answers){.found = NULL};
}

// === Dijkstra over nodes and objects alike ======================================================
// Objects are reached from the ends of their edge as nodes are, and wait in the same heap, so
// that whatever comes out first has its distance. An entry is never changed: what is found
// again nearer is put in again, and the later one is passed over.

struct sc_distance_entry {
    double distance_m;
    uint32_t id;
    bool is_object;
};

// --- The heap --------------------------------------------------------------------------

static sc_err push(sc_distances *d, sc_distance_entry entry)
{
    if (!sc_grow(&d->heap, d->heap_count, &d->heap_capacity, sizeof *d->heap)) return SC_ENOMEM;
    size_t at = d->heap_count++;
    while (at > 0 && d->heap[(at - 1) / 2].distance_m > entry.distance_m) {
        d->heap[at] = d->heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    d->heap[at] = entry;
    return SC_OK;
}

static sc_distance_entry pop(sc_distances *d)
{
    const sc_distance_entry nearest = d->heap[0];
    const sc_distance_entry last = d->heap[--d->heap_count];
    size_t at = 0;
    for (;;) {
        size_t child = 2 * at + 1;
        if (child >= d->heap_count) break;
        if (child + 1 < d->heap_count &&
            d->heap[child + 1].distance_m < d->heap[child].distance_m) {
            child++;
        }
        if (d->heap[child].distance_m >= last.distance_m) break;
        d->heap[at] = d->heap[child];
        at = child;
    }
    d->heap[at] = last;
    return nearest;
}

// --- The roads -------------------------------------------------------------------------

// Which edges meet at each node, by counting.
static void join_edges(sc_distances *d)
{
    const sc_edge *edges = sc_map_edges(d->map);
    const uint32_t edge_count = sc_map_edge_count(d->map);
    const uint32_t node_count = sc_map_node_count(d->map);
    uint32_t *first = d->first_edge;
    for (sc_edge_id e = 0; e < edge_count; e++) {
        first[edges[e].from + 1]++;
        first[edges[e].to + 1]++;
    }
    for (sc_node_id v = 0; v < node_count; v++) {
        first[v + 1] += first[v];
    }
    for (sc_edge_id e = 0; e < edge_count; e++) {
        d->edges[first[edges[e].from]++] = e;
        d->edges[first[edges[e].to]++] = e;
    }
    // Each has moved to where the next begins.
    memmove(first + 1, first, node_count * sizeof *first);
    first[0] = 0;
}

sc_err sc__distances_init(sc_distances *distances, const sc_map *map)
{
    const size_t node_count = sc_map_node_count(map);
    sc_distances d = {.map = map};
    d.first_edge = sc_calloc(node_count + 1, sizeof *d.first_edge);
    d.edges = sc_malloc_array(2 * (size_t)sc_map_edge_count(map), sizeof *d.edges);
    d.node_done = sc_calloc(node_count, sizeof *d.node_done);
    d.object_done = sc_calloc(sc_map_object_count(map), sizeof *d.object_done);
    if (!d.first_edge || !d.edges || !d.node_done || !d.object_done) {
        sc__distances_fini(&d);
        return SC_ENOMEM;
    }
    join_edges(&d);
    *distances = d;
    return SC_OK;
}

void sc__distances_fini(sc_distances *distances)
{
    sc_free(distances->first_edge);
    sc_free(distances->edges);
    sc_free(distances->node_done);
    sc_free(distances->object_done);
    sc_free(distances->heap);
    *distances = (sc_distances){.search = 0};
}

// --- The search ------------------------------------------------------------------------

static sc_object_id first_object_of(const sc_map *map, sc_edge_id edge)
{
    const sc_object *objects = sc_map_objects(map);
    sc_object_id low = 0;
    sc_object_id high = sc_map_object_count(map);
    while (low < high) {
        const sc_object_id middle = low + (high - low) / 2;
        if (objects[middle].edge < edge) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

// Walk an edge from the point `offset_m` on it, which is `distance_m` from the start: to its
// objects and to both ends.
static sc_err walk_edge(sc_distances *d, sc_edge_id edge, double offset_m, double distance_m)
{
    const sc_map *map = d->map;
    const sc_object *objects = sc_map_objects(map);
    const double length_m = sc_map_edge_length_m(map, edge);
    const sc_edge *ends = &sc_map_edges(map)[edge];
    sc_err err = push(d, (sc_distance_entry){distance_m + offset_m, ends->from, false});
    if (!err) err = push(d, (sc_distance_entry){distance_m + length_m - offset_m, ends->to, false});
    for (sc_object_id i = first_object_of(map, edge);
         i < sc_map_object_count(map) && objects[i].edge == edge && !err; i++) {
        const double off = fabs(objects[i].offset * sc_map_unit_m(map) - offset_m);
        err = push(d, (sc_distance_entry){distance_m + off, i, true});
    }
    return err;
}

static sc_err walk_on(sc_distances *d, sc_node_id node, double distance_m)
{
    for (uint32_t i = d->first_edge[node]; i < d->first_edge[node + 1]; i++) {
        const sc_edge_id e = d->edges[i];
        const sc_edge *edge = &sc_map_edges(d->map)[e];
        sc_err err = SC_OK;
        if (edge->from == node) err = walk_edge(d, e, 0.0, distance_m);
        if (!err && edge->to == node) {
            err = walk_edge(d, e, sc_map_edge_length_m(d->map, e), distance_m);
        }
        if (err) return err;
    }
    return SC_OK;
}

sc_err sc__distances_from(sc_distances *distances, sc_edge_id edge, double offset_m)
{
    distances->heap_count = 0;
    // After four thousand million answers, old marks would be taken for new ones.
    if (++distances->search == 0) return SC_ELIMIT;
    return walk_edge(distances, edge, offset_m, 0.0);
}

sc_err sc__distances_next(sc_distances *distances, double max_m, sc_object_id *object,
                          double *distance_m)
{
    sc_distances *d = distances;
    while (d->heap_count > 0 && d->heap[0].distance_m <= max_m) {
        const sc_distance_entry entry = pop(d);
        uint32_t *done = entry.is_object ? &d->object_done[entry.id] : &d->node_done[entry.id];
        if (*done == d->search) continue;
        *done = d->search;
        if (entry.is_object) {
            *object = entry.id;
            *distance_m = entry.distance_m;
            return SC_OK;
        }
        const sc_err err = walk_on(d, entry.id, entry.distance_m);
        if (err) return err;
    }
    *object = SC_NONE;
    return SC_OK;
}
