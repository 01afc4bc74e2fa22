// Comparing an answer with a plain search. See answer_check.h.
#include "verify/answer_check.h"

#include "base/alloc.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/**
 * How far two costs may differ and still be the same, in metres or in seconds: a thousandth, what
 * rounding to four decimals can do to a position and a cost, and the last digits of long sums.
 */
static double tolerance(double cost)
{
    return 1e-3 + 1e-4 + 1e-9 * cost;
}

static bool is_same(double a, double b)
{
    return fabs(a - b) <= tolerance(a);
}

// --- The plain search ------------------------------------------------------------------

static double cost_of_found(const sc_searched_object *found, sc_metric metric)
{
    return metric == SC_METRIC_TIME ? found->duration_s : found->distance_m;
}

static double cost_of_result(const sc_event_result *result, sc_metric metric)
{
    return metric == SC_METRIC_TIME ? result->duration_s : result->distance_m;
}

/** No object farther than this can be in an answer, by what is found so far. */
static double limit_of(const sc_answers *a, const sc_event_request *wish)
{
    if (wish->is_range) return wish->radius + tolerance(wish->radius);
    if (wish->k == 0) return -HUGE_VAL;
    if (a->found_count < wish->k) return HUGE_VAL;
    const double last = cost_of_found(&a->found[wish->k - 1], wish->metric);
    return last + tolerance(last);
}

// All objects that the answer may name, nearest first.
static sc_err search(sc_answers *a, const sc_watched *watched)
{
    a->found_count = 0;
    sc_err err = sc__ways_from(&a->ways, &watched->wish, watched->edge, watched->offset_m);
    while (!err) {
        sc_searched_object next;
        err = sc__ways_next(&a->ways, limit_of(a, &watched->wish), &next);
        if (err || next.object == SC_NONE) break;
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

static int compare_results_by_duration(const void *a, const void *b)
{
    const double left = ((const sc_event_result *)a)->duration_s;
    const double right = ((const sc_event_result *)b)->duration_s;
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
    double farthest = 0.0;
    for (size_t i = 0; i < watched->result_count; i++) {
        const double cost = cost_of_result(&watched->results[i], watched->wish.metric);
        if (cost < farthest - tolerance(farthest)) return false;
        farthest = fmax(farthest, cost);
    }
    return true;
}

/** How many objects an answer must name; for a range, those on its very rim are left open. */
static size_t count_due(const sc_answers *a, const sc_event_request *wish)
{
    if (!wish->is_range) return a->found_count < wish->k ? a->found_count : wish->k;
    const double safe = wish->radius - tolerance(wish->radius);
    size_t count = 0;
    while (count < a->found_count && cost_of_found(&a->found[count], wish->metric) <= safe) {
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

// The objects that must be named are named, as far as costs tell: the i-th nearest of
// the answer is as far as the i-th nearest there is. What lies on the rim comes last.
static bool has_right_costs(const sc_answers *a, const sc_watched *watched, sc_findings *findings)
{
    if (watched->result_count == 0) return true;
    const sc_metric metric = watched->wish.metric;
    const bool is_by_time = metric == SC_METRIC_TIME;
    qsort(watched->results, watched->result_count, sizeof *watched->results,
          is_by_time ? compare_results_by_duration : compare_results_by_distance);
    const size_t due = count_due(a, &watched->wish);
    for (size_t i = 0; i < due; i++) {
        const double cost = cost_of_result(&watched->results[i], metric);
        if (is_same(cost_of_found(&a->found[i], metric), cost)) continue;
        sc__wrong(findings, SC_PROMISE_ANSWERS,
                  "query %s: a plain search finds another %s for number %zu", watched->name.text,
                  is_by_time ? "travel time" : "distance", i + 1);
        return false;
    }
    return true;
}

// Whether what is told besides the cost is that of the same way: of the quickest of the shortest
// ways, or of the shortest of the quickest. Records of old tell no travel times.
static bool is_same_way(const sc_searched_object *found, const sc_event_result *result,
                        sc_metric metric)
{
    if (metric == SC_METRIC_TIME) return is_same(found->distance_m, result->distance_m);
    return isnan(result->duration_s) || is_same(found->duration_s, result->duration_s);
}

// What is wrong with an object that is named; NULL if nothing is.
static const char *what_is_wrong(const sc_searched_object *found, const sc_event_result *result,
                                 sc_metric metric)
{
    if (!found) return "not among what a plain search finds";
    if (!is_same(cost_of_found(found, metric), cost_of_result(result, metric))) {
        return metric == SC_METRIC_TIME ? "not at the travel time given"
                                        : "not at the distance given";
    }
    if (is_same_way(found, result, metric)) return NULL;
    return metric == SC_METRIC_TIME ? "given a distance that is not that of the quickest way"
                                    : "given a travel time that is not that of the shortest way";
}

// Each object named is one that may be, as far as it is, and is named once. Sorts
// what was found.
static bool has_right_objects(sc_answers *a, const sc_watched *watched, sc_findings *findings)
{
    if (watched->result_count == 0) return true;
    qsort(a->found, a->found_count, sizeof *a->found, compare_found_by_object);
    qsort(watched->results, watched->result_count, sizeof *watched->results,
          compare_results_by_object);
    for (size_t i = 0; i < watched->result_count; i++) {
        const sc_event_result *result = &watched->results[i];
        const sc_searched_object key = {.object = result->object};
        const sc_searched_object *found =
            bsearch(&key, a->found, a->found_count, sizeof *a->found, compare_found_by_object);
        const char *what = what_is_wrong(found, result, watched->wish.metric);
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
    const sc_map *map = answers->ways.map;
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
        has_right_costs(answers, watched, findings) &&
        has_right_objects(answers, watched, findings) && !is_in_order) {
        sc__wrong(findings, SC_PROMISE_ANSWERS,
                  "query %s: the answer is not in order, nearest first", watched->name.text);
    }
    return SC_OK;
}

sc_err sc__answers_init(sc_answers *answers, const sc_map *map)
{
    *answers = (sc_answers){.found = NULL};
    return sc__ways_init(&answers->ways, map);
}

void sc__answers_fini(sc_answers *answers)
{
    sc__ways_fini(&answers->ways);
    sc_free(answers->found);
    *answers = (sc_answers){.found = NULL};
}

// === Dijkstra over nodes and objects alike ======================================================
// Objects are reached along their edge as its ends are, and wait in the same heap, so that
// whatever comes out first has its cost. An entry is never changed: what is found again nearer is
// put in again, and the later one is passed over. What came out is not put in again.
//
// Costs are in the map's units, which are whole numbers but for the part of the first edge; that
// is rounded to a thousandth of a unit, a power of two, so that all sums are exact and ways that
// cost the same are seen to.

struct sc_way_entry {
    double cost;   ///< in the metric of the search
    double other;  ///< the other measure of the same way
    uint32_t id;
    bool is_object;
};

// --- The heap --------------------------------------------------------------------------

static bool is_before(const sc_way_entry *a, const sc_way_entry *b)
{
    return a->cost < b->cost || (a->cost == b->cost && a->other < b->other);
}

static sc_err push(sc_ways *w, sc_way_entry entry)
{
    if (!sc_grow(&w->heap, w->heap_count, &w->heap_capacity, sizeof *w->heap)) return SC_ENOMEM;
    size_t at = w->heap_count++;
    while (at > 0 && is_before(&entry, &w->heap[(at - 1) / 2])) {
        w->heap[at] = w->heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    w->heap[at] = entry;
    return SC_OK;
}

static sc_way_entry pop(sc_ways *w)
{
    const sc_way_entry nearest = w->heap[0];
    const sc_way_entry last = w->heap[--w->heap_count];
    size_t at = 0;
    for (;;) {
        size_t child = 2 * at + 1;
        if (child >= w->heap_count) break;
        if (child + 1 < w->heap_count && is_before(&w->heap[child + 1], &w->heap[child])) child++;
        if (!is_before(&w->heap[child], &last)) break;
        w->heap[at] = w->heap[child];
        at = child;
    }
    w->heap[at] = last;
    return nearest;
}

// --- The roads -------------------------------------------------------------------------

// Which edges meet at each node, by counting.
static void join_edges(sc_ways *w)
{
    const sc_edge *edges = sc_map_edges(w->map);
    const uint32_t edge_count = sc_map_edge_count(w->map);
    const uint32_t node_count = sc_map_node_count(w->map);
    uint32_t *first = w->first_edge;
    for (sc_edge_id e = 0; e < edge_count; e++) {
        first[edges[e].from + 1]++;
        first[edges[e].to + 1]++;
    }
    for (sc_node_id v = 0; v < node_count; v++) {
        first[v + 1] += first[v];
    }
    for (sc_edge_id e = 0; e < edge_count; e++) {
        w->edges[first[edges[e].from]++] = e;
        w->edges[first[edges[e].to]++] = e;
    }
    // Each has moved to where the next begins.
    memmove(first + 1, first, node_count * sizeof *first);
    first[0] = 0;
}

// Where the objects of each edge begin; they are sorted by edge.
static void find_objects(sc_ways *w)
{
    const sc_object *objects = w->objects;
    const uint32_t count = w->object_count;
    sc_object_id next = 0;
    for (sc_edge_id e = 0; e <= sc_map_edge_count(w->map); e++) {
        while (next < count && objects[next].edge < e) {
            next++;
        }
        w->first_object[e] = next;
    }
}

sc_err sc__ways_init(sc_ways *ways, const sc_map *map)
{
    const size_t node_count = sc_map_node_count(map);
    sc_ways w = {.map = map,
                 .objects = sc_map_objects(map),
                 .object_count = sc_map_object_count(map),
                 .object_capacity = sc_map_object_count(map)};
    w.first_edge = sc_calloc(node_count + 1, sizeof *w.first_edge);
    w.edges = sc_malloc_array(2 * (size_t)sc_map_edge_count(map), sizeof *w.edges);
    w.first_object = sc_malloc_array((size_t)sc_map_edge_count(map) + 1, sizeof *w.first_object);
    w.node_done = sc_calloc(node_count, sizeof *w.node_done);
    w.object_done = sc_calloc(sc_map_object_count(map), sizeof *w.object_done);
    if (!w.first_edge || !w.edges || !w.first_object || !w.node_done || !w.object_done) {
        sc__ways_fini(&w);
        return SC_ENOMEM;
    }
    join_edges(&w);
    find_objects(&w);
    *ways = w;
    return SC_OK;
}

sc_err sc__ways_use(sc_ways *ways, const sc_object *objects, uint32_t count)
{
    if (!sc_reserve(&ways->object_done, count, &ways->object_capacity, sizeof *ways->object_done)) {
        return SC_ENOMEM;
    }
    if (count > 0) memset(ways->object_done, 0, count * sizeof *ways->object_done);
    ways->objects = objects;
    ways->object_count = count;
    find_objects(ways);
    return SC_OK;
}

void sc__ways_fini(sc_ways *ways)
{
    sc_free(ways->first_edge);
    sc_free(ways->edges);
    sc_free(ways->first_object);
    sc_free(ways->node_done);
    sc_free(ways->object_done);
    sc_free(ways->heap);
    *ways = (sc_ways){.search = 0};
}

// --- The search ------------------------------------------------------------------------

static bool is_wanted(const sc_ways *w, sc_object_id object)
{
    const sc_category_id category = w->objects[object].category;
    const sc_event_request *wish = &w->wish;
    for (uint32_t i = 0; i < wish->category_count; i++) {
        if (wish->categories[i] == category) return true;
    }
    return wish->category_count == 0;
}

/** An edge driven in one direction. */
typedef struct driven_edge {
    sc_edge_id id;
    bool is_backward;
    double length;
    uint32_t time;  ///< SC_CLOSED: it is not open that way
} driven_edge;

static driven_edge drive(const sc_map *map, sc_edge_id edge, bool is_backward)
{
    const sc_travel_times *times = &sc_map_edge_times(map)[edge];
    return (driven_edge){.id = edge,
                         .is_backward = is_backward,
                         .length = sc_map_edges(map)[edge].length,
                         .time = is_backward ? times->backward : times->forward};
}

/** How far a place is from where one enters the edge; `offset` is from its `from`. */
static double driven_to(const driven_edge *edge, double offset)
{
    return edge->is_backward ? edge->length - offset : offset;
}

/** And how long it takes to get there. */
static double time_to(const driven_edge *edge, double driven)
{
    return edge->length > 0.0 ? edge->time * (driven / edge->length) : 0.0;
}

/** A way so far. */
typedef struct way {
    double distance;
    double time;
} way;

/** Come to a node, or to an object that is wanted. */
static sc_err arrive(sc_ways *w, way at, uint32_t id, bool is_object)
{
    if ((is_object ? w->object_done[id] : w->node_done[id]) == w->search) return SC_OK;
    const bool is_by_time = w->wish.metric == SC_METRIC_TIME;
    return push(w, (sc_way_entry){.cost = is_by_time ? at.time : at.distance,
                                  .other = is_by_time ? at.distance : at.time,
                                  .id = id,
                                  .is_object = is_object});
}

// Objects at one end of an edge are at the node there, whether or not the edge is open: reached as
// soon as the node is.
static sc_err find_at_end(sc_ways *w, sc_edge_id edge, bool at_to, way here)
{
    const sc_map *map = w->map;
    const sc_object *objects = w->objects;
    const uint32_t offset = at_to ? sc_map_edges(map)[edge].length : 0;
    sc_err err = SC_OK;
    for (sc_object_id i = w->first_object[edge]; i < w->first_object[edge + 1] && !err; i++) {
        if (objects[i].offset == offset && is_wanted(w, i)) err = arrive(w, here, i, true);
    }
    return err;
}

static void extend_by(sc_verify_box *extent, double x, double y)
{
    extent->west = fmin(extent->west, x);
    extent->south = fmin(extent->south, y);
    extent->east = fmax(extent->east, x);
    extent->north = fmax(extent->north, y);
}

// The part of an edge that is within the limit, from where one begins to drive.
static void extend(const sc_ways *w, const driven_edge *edge, double driven, way here, way end)
{
    const bool is_by_time = w->wish.metric == SC_METRIC_TIME;
    const double begins = is_by_time ? here.time : here.distance;
    const double takes = (is_by_time ? end.time : end.distance) - begins;
    const double left = w->extent_limit - begins;
    if (left < 0) return;
    const double part = takes > left ? left / takes : 1.0;
    double x[2];
    double y[2];
    const sc_edge *ends = &sc_map_edges(w->map)[edge->id];
    sc_map_node_position(w->map, edge->is_backward ? ends->to : ends->from, &x[0], &y[0]);
    sc_map_node_position(w->map, edge->is_backward ? ends->from : ends->to, &x[1], &y[1]);
    const double first = edge->length > 0 ? driven / edge->length : 0.0;
    const double last = first + (1.0 - first) * part;
    extend_by(w->extent, x[0] + (x[1] - x[0]) * first, y[0] + (y[1] - y[0]) * first);
    extend_by(w->extent, x[0] + (x[1] - x[0]) * last, y[0] + (y[1] - y[0]) * last);
}

// Drive an edge from a place on it, to its end and to the objects on the way there. An object is
// passed at a whole unit of time after the edge is entered.
static sc_err drive_on(sc_ways *w, const driven_edge *edge, double offset, way here)
{
    if (edge->time == SC_CLOSED) return SC_OK;
    const sc_map *map = w->map;
    const sc_object *objects = w->objects;
    const sc_edge *ends = &sc_map_edges(map)[edge->id];
    const double driven = driven_to(edge, offset);
    const double driven_time = nearbyint(time_to(edge, driven) * 1024.0) / 1024.0;
    const way end = {here.distance + edge->length - driven, here.time + edge->time - driven_time};
    if (w->extent) extend(w, edge, driven, here, end);
    sc_err err = arrive(w, end, edge->is_backward ? ends->from : ends->to, false);
    const sc_object_id object_end = w->first_object[edge->id + 1];
    for (sc_object_id i = w->first_object[edge->id]; i < object_end && !err; i++) {
        // Asked first, since most are not.
        if (!is_wanted(w, i)) continue;
        const double there = driven_to(edge, objects[i].offset);
        if (there < driven) continue;
        const double time = nearbyint(time_to(edge, there)) - driven_time;
        const way passed = {here.distance + there - driven, here.time + fmax(time, 0.0)};
        err = arrive(w, passed, i, true);
    }
    return err;
}

static sc_err drive_on_from_node(sc_ways *w, sc_node_id node, way here)
{
    for (uint32_t i = w->first_edge[node]; i < w->first_edge[node + 1]; i++) {
        const sc_edge_id e = w->edges[i];
        const sc_edge *edge = &sc_map_edges(w->map)[e];
        const driven_edge forward = drive(w->map, e, false);
        const driven_edge backward = drive(w->map, e, true);
        sc_err err = SC_OK;
        if (edge->from == node) err = find_at_end(w, e, false, here);
        if (!err && edge->from == node) err = drive_on(w, &forward, 0.0, here);
        if (!err && edge->to == node) err = find_at_end(w, e, true, here);
        if (!err && edge->to == node) err = drive_on(w, &backward, edge->length, here);
        if (err) return err;
    }
    return SC_OK;
}

// Objects where the traveller is, if that is a node inside of a segment: on the edge that meets the
// traveller's there, and on the one behind it if that has no length.
static sc_err find_beside(sc_ways *w, sc_edge_id edge, double offset)
{
    const sc_edge *edges = sc_map_edges(w->map);
    const way here = {0.0, 0.0};
    sc_err err = SC_OK;
    bool is_there = offset <= 0.0;
    for (sc_edge_id e = edge; is_there && !err && e > 0; e--) {
        if (edges[e - 1].segment != edges[edge].segment) break;
        err = find_at_end(w, e - 1, true, here);
        is_there = edges[e - 1].length == 0;
    }
    is_there = offset >= edges[edge].length;
    for (sc_edge_id e = edge + 1; is_there && !err && e < sc_map_edge_count(w->map); e++) {
        if (edges[e].segment != edges[edge].segment) break;
        err = find_at_end(w, e, false, here);
        is_there = edges[e].length == 0;
    }
    return err;
}

sc_err sc__ways_from(sc_ways *ways, const sc_event_request *wish, sc_edge_id edge, double offset_m)
{
    ways->heap_count = 0;
    ways->wish = *wish;
    // After four thousand million searches, old marks would be taken for new ones.
    if (++ways->search == 0) return SC_ELIMIT;
    const driven_edge forward = drive(ways->map, edge, false);
    const driven_edge backward = drive(ways->map, edge, true);
    const double offset = nearbyint(offset_m / sc_map_unit_m(ways->map) * 1024.0) / 1024.0;
    const double inside = fmin(fmax(offset, 0.0), forward.length);
    sc_err err = find_beside(ways, edge, inside);
    if (!err) err = drive_on(ways, &forward, inside, (way){0.0, 0.0});
    return err ? err : drive_on(ways, &backward, inside, (way){0.0, 0.0});
}

sc_err sc__ways_from_node(sc_ways *ways, const sc_event_request *wish, sc_node_id node)
{
    ways->heap_count = 0;
    ways->wish = *wish;
    if (++ways->search == 0) return SC_ELIMIT;
    return arrive(ways, (way){0.0, 0.0}, node, false);
}

static sc_searched_object found_at(const sc_ways *w, const sc_way_entry *entry)
{
    const bool is_by_time = w->wish.metric == SC_METRIC_TIME;
    const double distance = is_by_time ? entry->other : entry->cost;
    const double time = is_by_time ? entry->cost : entry->other;
    return (sc_searched_object){.object = entry->id,
                                .distance_m = distance * sc_map_unit_m(w->map),
                                .duration_s = time * sc_map_time_unit_s(w->map)};
}

sc_err sc__ways_next(sc_ways *ways, double max, sc_searched_object *out)
{
    sc_ways *w = ways;
    const bool is_by_time = w->wish.metric == SC_METRIC_TIME;
    const double unit = is_by_time ? sc_map_time_unit_s(w->map) : sc_map_unit_m(w->map);
    while (w->heap_count > 0 && w->heap[0].cost * unit <= max) {
        const sc_way_entry entry = pop(w);
        uint32_t *done = entry.is_object ? &w->object_done[entry.id] : &w->node_done[entry.id];
        if (*done == w->search) continue;
        *done = w->search;
        if (entry.is_object) {
            *out = found_at(w, &entry);
            return SC_OK;
        }
        const way here = {.distance = is_by_time ? entry.other : entry.cost,
                          .time = is_by_time ? entry.cost : entry.other};
        const sc_err err = drive_on_from_node(w, entry.id, here);
        if (err) return err;
    }
    *out = (sc_searched_object){.object = SC_NONE};
    return SC_OK;
}
