// A plain Dijkstra over nodes and edges. See slow_nearest.h.
#include "support/slow_nearest.h"

#include "support/check.h"

#include <math.h>

/** A node that can be reached, and how. */
typedef struct slow_stop {
    uint64_t distance;
    uint64_t other;
    sc_node_id node;
} slow_stop;

static bool is_less(uint64_t a, uint64_t a_other, uint64_t b, uint64_t b_other)
{
    return a < b || (a == b && a_other < b_other);
}

static bool is_stop_less(slow_stop a, slow_stop b)
{
    return is_less(a.distance, a.other, b.distance, b.other);
}

// --- The map as lists ----------------------------------------------------------------

// Which edges meet at each node: counted, then filled in.
static void list_edges(slow_nearest *slow)
{
    const sc_edge *edges = slow->edges;
    const uint32_t node_count = sc_map_node_count(slow->map);
    const uint32_t edge_count = sc_map_edge_count(slow->map);
    slow->first_at_node = test_take(node_count + 1, sizeof *slow->first_at_node);
    slow->edges_at_node = test_take(2 * (size_t)edge_count, sizeof *slow->edges_at_node);
    for (sc_edge_id e = 0; e < edge_count; e++) {
        slow->first_at_node[edges[e].from + 1]++;
        slow->first_at_node[edges[e].to + 1]++;
    }
    for (sc_node_id v = 0; v < node_count; v++) {
        slow->first_at_node[v + 1] += slow->first_at_node[v];
    }
    uint32_t *next = test_take(node_count, sizeof *next);
    for (sc_edge_id e = 0; e < edge_count; e++) {
        const sc_node_id ends[2] = {edges[e].from, edges[e].to};
        for (size_t i = 0; i < 2; i++) {
            const sc_node_id v = ends[i];
            slow->edges_at_node[slow->first_at_node[v] + next[v]++] = e;
        }
    }
    free(next);
}

// One may turn where one, three or more roads end, and where the only road of a ring begins.
static void list_turns(slow_nearest *slow)
{
    const uint32_t node_count = sc_map_node_count(slow->map);
    slow->may_turn = test_take(node_count, sizeof *slow->may_turn);
    for (sc_node_id v = 0; v < node_count; v++) {
        slow->may_turn[v] = slow->first_at_node[v + 1] - slow->first_at_node[v] != 2;
    }
    for (sc_star_id star = 0; star < sc_map_star_count(slow->map); star++) {
        slow->may_turn[sc_map_stars(slow->map)[star].node] = true;
    }
}

static void list_objects(slow_nearest *slow)
{
    const uint32_t edge_count = sc_map_edge_count(slow->map);
    slow->first_on_edge = test_take(edge_count + 1, sizeof *slow->first_on_edge);
    slow->objects_on_edge = test_take(slow->table->count, sizeof *slow->objects_on_edge);
    for (uint32_t o = 0; o < slow->table->count; o++) {
        slow->first_on_edge[slow->table->objects[o].edge + 1]++;
    }
    for (sc_edge_id e = 0; e < edge_count; e++) {
        slow->first_on_edge[e + 1] += slow->first_on_edge[e];
    }
    uint32_t *next = test_take(edge_count, sizeof *next);
    for (uint32_t o = 0; o < slow->table->count; o++) {
        const sc_edge_id e = slow->table->objects[o].edge;
        slow->objects_on_edge[slow->first_on_edge[e] + next[e]++] = o;
    }
    free(next);
}

slow_nearest slow_nearest_new(const sc_map *map, const sc_object_table *table)
{
    slow_nearest slow = {
        .map = map, .table = table, .edges = sc_map_edges(map), .tolerance = SLOW_TOLERANCE};
    list_edges(&slow);
    list_turns(&slow);
    list_objects(&slow);
    const uint32_t node_count = sc_map_node_count(map);
    slow.node_distance = test_take(node_count, sizeof *slow.node_distance);
    slow.seen_nodes = test_take(node_count, sizeof *slow.seen_nodes);
    slow.object_distance = test_take(table->count, sizeof *slow.object_distance);
    slow.seen_objects = test_take(table->count, sizeof *slow.seen_objects);
    slow.node_other = test_take(node_count, sizeof *slow.node_other);
    slow.object_other = test_take(table->count, sizeof *slow.object_other);
    memset(slow.node_distance, 0xff, node_count * sizeof *slow.node_distance);
    memset(slow.object_distance, 0xff, table->count * sizeof *slow.object_distance);
    return slow;
}

void slow_nearest_free(slow_nearest *slow)
{
    free(slow->first_at_node);
    free(slow->may_turn);
    free(slow->edges_at_node);
    free(slow->first_on_edge);
    free(slow->objects_on_edge);
    free(slow->node_distance);
    free(slow->object_distance);
    free(slow->node_other);
    free(slow->object_other);
    free(slow->stops);
    free(slow->seen_nodes);
    free(slow->seen_objects);
    *slow = (slow_nearest){0};
}

// --- The heap ------------------------------------------------------------------------

static void push_stop(slow_nearest *slow, slow_stop stop)
{
    if (slow->stop_count == slow->stop_capacity) {
        slow->stop_capacity = 2 * slow->stop_capacity + 16;
        slow->stops = realloc(slow->stops, slow->stop_capacity * sizeof *slow->stops);
        if (!slow->stops) abort();
    }
    size_t at = slow->stop_count++;
    while (at > 0 && is_stop_less(stop, slow->stops[(at - 1) / 2])) {
        slow->stops[at] = slow->stops[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    slow->stops[at] = stop;
}

static slow_stop pop_stop(slow_nearest *slow)
{
    const slow_stop least = slow->stops[0];
    const slow_stop moved = slow->stops[--slow->stop_count];
    size_t at = 0;
    for (;;) {
        size_t child = 2 * at + 1;
        if (child >= slow->stop_count) break;
        if (child + 1 < slow->stop_count &&
            is_stop_less(slow->stops[child + 1], slow->stops[child])) {
            child++;
        }
        if (!is_stop_less(slow->stops[child], moved)) break;
        slow->stops[at] = slow->stops[child];
        at = child;
    }
    slow->stops[at] = moved;
    return least;
}

// --- The search ----------------------------------------------------------------------

static void forget(slow_nearest *slow)
{
    for (size_t i = 0; i < slow->seen_node_count; i++) {
        slow->node_distance[slow->seen_nodes[i]] = SLOW_NO_WAY;
    }
    for (size_t i = 0; i < slow->seen_object_count; i++) {
        slow->object_distance[slow->seen_objects[i]] = SLOW_NO_WAY;
    }
    slow->seen_node_count = 0;
    slow->seen_object_count = 0;
    slow->stop_count = 0;
}

/** A way in both measures, in parts. */
typedef struct way {
    uint64_t distance;  ///< on the road, whatever the metric
    uint64_t time;
} way;

static uint64_t cost_of(const slow_nearest *slow, way w)
{
    return slow->metric == SC_METRIC_TIME ? w.time : w.distance;
}

static uint64_t other_of(const slow_nearest *slow, way w)
{
    return slow->metric == SC_METRIC_TIME ? w.distance : w.time;
}

static way plus(way a, way b)
{
    return (way){a.distance + b.distance, a.time + b.time};
}

static void reach_node(slow_nearest *slow, sc_node_id node, way w)
{
    const uint64_t cost = cost_of(slow, w);
    const uint64_t other = other_of(slow, w);
    if (!is_less(cost, other, slow->node_distance[node], slow->node_other[node])) return;
    if (slow->node_distance[node] == SLOW_NO_WAY) {
        slow->seen_nodes[slow->seen_node_count++] = node;
    }
    slow->node_distance[node] = cost;
    slow->node_other[node] = other;
    push_stop(slow, (slow_stop){cost, other, node});
}

static void reach_object(slow_nearest *slow, uint32_t object, way w)
{
    const uint64_t cost = cost_of(slow, w);
    const uint64_t other = other_of(slow, w);
    if (!is_less(cost, other, slow->object_distance[object], slow->object_other[object])) return;
    if (slow->object_distance[object] == SLOW_NO_WAY) {
        slow->seen_objects[slow->seen_object_count++] = object;
    }
    slow->object_distance[object] = cost;
    slow->object_other[object] = other;
}

static uint32_t edge_time(const slow_nearest *slow, sc_edge_id edge, bool backward)
{
    const sc_travel_times times = sc_map_edge_times(slow->map)[edge];
    return backward ? times.backward : times.forward;
}

// From an end of an edge to an object on it.
static way to_object(const slow_nearest *slow, sc_edge_id edge, uint32_t object, bool backward)
{
    const double length = slow->edges[edge].length;
    const double offset = slow->table->objects[object].offset;
    const double part = backward ? length - offset : offset;
    const uint32_t whole = edge_time(slow, edge, backward);
    const double time = part > 0.0 ? nearbyint(whole * (part / length)) : 0.0;
    return (way){(uint64_t)part * SLOW_PARTS, (uint64_t)time * SLOW_PARTS};
}

// The objects on `edge` from one of its ends on. An object at the very end is there, also if the
// edge is closed.
static void pass_objects(slow_nearest *slow, sc_edge_id edge, bool backward, way so_far)
{
    const sc_edge *e = &slow->edges[edge];
    const bool is_open = edge_time(slow, edge, backward) != SC_CLOSED;
    for (uint32_t i = slow->first_on_edge[edge]; i < slow->first_on_edge[edge + 1]; i++) {
        const uint32_t object = slow->objects_on_edge[i];
        const uint32_t end = backward ? e->length : 0;
        if (!is_open && slow->table->objects[object].offset != end) continue;
        reach_object(slow, object, plus(so_far, to_object(slow, edge, object, backward)));
    }
}

static way whole_edge(const slow_nearest *slow, sc_edge_id edge, bool backward)
{
    return (way){slow->edges[edge].length * SLOW_PARTS,
                 edge_time(slow, edge, backward) * SLOW_PARTS};
}

// Drive onto `edge` at one of its ends: to the objects on it, and to its other end.
static void enter_at(slow_nearest *slow, sc_edge_id edge, bool backward, way so_far)
{
    pass_objects(slow, edge, backward, so_far);
    if (edge_time(slow, edge, backward) == SC_CLOSED) return;
    reach_node(slow, backward ? slow->edges[edge].from : slow->edges[edge].to,
               plus(so_far, whole_edge(slow, edge, backward)));
}

static void enter(slow_nearest *slow, sc_edge_id edge, sc_node_id at, way so_far)
{
    const sc_edge *e = &slow->edges[edge];
    if (slow->only && !slow->only[e->segment]) return;
    if (e->from == at) enter_at(slow, edge, false, so_far);
    if (e->to == at) enter_at(slow, edge, true, so_far);
}

// Go on from the nodes reached so far. Whatever is within `limit` is then right.
static void search(slow_nearest *slow, uint64_t limit)
{
    while (slow->stop_count > 0 && slow->stops[0].distance <= limit) {
        const slow_stop stop = pop_stop(slow);
        if (is_less(slow->node_distance[stop.node], slow->node_other[stop.node], stop.distance,
                    stop.other)) {
            continue;
        }
        const bool is_by_time = slow->metric == SC_METRIC_TIME;
        const way so_far = {is_by_time ? stop.other : stop.distance,
                            is_by_time ? stop.distance : stop.other};
        const uint32_t end = slow->first_at_node[stop.node + 1];
        for (uint32_t i = slow->first_at_node[stop.node]; i < end; i++) {
            enter(slow, slow->edges_at_node[i], stop.node, so_far);
        }
    }
}

// From the position to an object on its own edge, if one may drive there straight.
static void begin_at_object(slow_nearest *slow, const slow_begin *from, uint32_t object,
                            bool backward)
{
    const uint64_t there = slow->table->objects[object].offset * SLOW_PARTS;
    if (backward ? there > from->offset : there < from->offset) return;
    const double length = slow->edges[from->edge].length;
    const double here = (double)from->offset / (double)SLOW_PARTS;
    const double part = length > 0.0 ? (backward ? length - here : here) / length : 0.0;
    const double passed = edge_time(slow, from->edge, backward) * part * (double)SLOW_PARTS;
    const double whole = (double)to_object(slow, from->edge, object, backward).time;
    reach_object(slow, object,
                 (way){backward ? from->offset - there : there - from->offset,
                       (uint64_t)llround(fmax(whole - passed, 0.0))});
}

// The edge other than `edge` that meets it at a node where one may not turn; and whether one drives
// along it backwards.
static sc_edge_id next_edge(const slow_nearest *slow, sc_edge_id edge, sc_node_id node,
                            bool *backward)
{
    const uint32_t first = slow->first_at_node[node];
    const sc_edge_id next = slow->edges_at_node[first] == edge ? slow->edges_at_node[first + 1]
                                                               : slow->edges_at_node[first];
    *backward = slow->edges[next].to == node;
    return next;
}

// From the far end of `edge` on, as long as there is nothing to choose.
static void go_straight_on(slow_nearest *slow, sc_edge_id edge, bool backward, way so_far)
{
    for (;;) {
        const sc_node_id node = backward ? slow->edges[edge].from : slow->edges[edge].to;
        bool next_backward = false;
        const sc_edge_id next =
            slow->may_turn[node] ? SC_NONE : next_edge(slow, edge, node, &next_backward);
        if (next == SC_NONE || edge_time(slow, next, next_backward) == SC_CLOSED) {
            reach_node(slow, node, so_far);
            return;
        }
        pass_objects(slow, next, next_backward, so_far);
        so_far = plus(so_far, whole_edge(slow, next, next_backward));
        edge = next;
        backward = next_backward;
    }
}

// Objects where the position is, on the edges of the same road that end there.
static void touch_behind(slow_nearest *slow, const slow_begin *from, bool backward)
{
    sc_edge_id edge = from->edge;
    bool is_backward = !backward;
    uint64_t left =
        is_backward ? from->offset : slow->edges[edge].length * SLOW_PARTS - from->offset;
    while (left == 0) {
        const sc_node_id node = is_backward ? slow->edges[edge].from : slow->edges[edge].to;
        if (slow->may_turn[node]) return;
        edge = next_edge(slow, edge, node, &is_backward);
        left = slow->edges[edge].length * SLOW_PARTS;
        for (uint32_t i = slow->first_on_edge[edge]; i < slow->first_on_edge[edge + 1]; i++) {
            const uint32_t object = slow->objects_on_edge[i];
            const uint32_t end = is_backward ? slow->edges[edge].length : 0;
            if (slow->table->objects[object].offset != end) continue;
            reach_object(slow, object, (way){0, 0});
        }
    }
}

static void begin_one_way(slow_nearest *slow, const slow_begin *from, bool backward)
{
    const sc_edge_id edge = from->edge;
    if (edge_time(slow, edge, backward) == SC_CLOSED) return;
    touch_behind(slow, from, backward);
    for (uint32_t i = slow->first_on_edge[edge]; i < slow->first_on_edge[edge + 1]; i++) {
        begin_at_object(slow, from, slow->objects_on_edge[i], backward);
    }
    const uint64_t length = slow->edges[edge].length * SLOW_PARTS;
    const uint64_t left = backward ? from->offset : length - from->offset;
    const double part = length > 0 ? (double)left / (double)length : 0.0;
    const double time = edge_time(slow, edge, backward) * part * (double)SLOW_PARTS;
    go_straight_on(slow, edge, backward, (way){left, (uint64_t)llround(time)});
}

static void begin(slow_nearest *slow, const slow_begin *from)
{
    forget(slow);
    slow->from = *from;
    if (from->node != SC_NONE) {
        reach_node(slow, from->node, (way){0, 0});
        return;
    }
    assert_true(from->offset <= slow->edges[from->edge].length * SLOW_PARTS);
    const bool is_two_way = edge_time(slow, from->edge, false) != SC_CLOSED &&
                            edge_time(slow, from->edge, true) != SC_CLOSED;
    const sc_direction direction = is_two_way ? slow->direction : SC_EITHER_WAY;
    if (direction != SC_BACKWARD) begin_one_way(slow, from, false);
    if (direction != SC_FORWARD) begin_one_way(slow, from, true);
}

static slow_begin at_position(const slow_nearest *slow, sc_edge_id edge, double offset_m)
{
    const double parts = offset_m / sc_map_unit_m(slow->map) * (double)SLOW_PARTS;
    return (slow_begin){edge, (uint64_t)llround(parts), SC_NONE};
}

void slow_measure(slow_nearest *slow, sc_edge_id edge, double offset_m)
{
    const slow_begin from = at_position(slow, edge, offset_m);
    begin(slow, &from);
    search(slow, SLOW_NO_WAY);
}

void slow_measure_from_node(slow_nearest *slow, sc_node_id node)
{
    const slow_begin from = {.edge = SC_NONE, .node = node};
    begin(slow, &from);
    search(slow, SLOW_NO_WAY);
}

void slow_measure_again(slow_nearest *slow)
{
    const slow_begin from = slow->from;
    begin(slow, &from);
    search(slow, SLOW_NO_WAY);
}

void slow_measure_one_way(slow_nearest *slow, bool backward)
{
    const slow_begin from = slow->from;
    forget(slow);
    begin_one_way(slow, &from, backward);
    search(slow, SLOW_NO_WAY);
}

// --- Answers -------------------------------------------------------------------------

static double unit_of(const slow_nearest *slow, sc_metric metric)
{
    return metric == SC_METRIC_TIME ? sc_map_time_unit_s(slow->map) : sc_map_unit_m(slow->map);
}

// The radius of a request, or another amount in its metric.
static uint64_t to_parts(const slow_nearest *slow, double amount)
{
    const double parts = amount / unit_of(slow, slow->metric) * (double)SLOW_PARTS;
    return parts < 0x1p62 ? (uint64_t)llround(parts) : UINT64_C(1) << 62;
}

static double radius_of(const sc_request *request)
{
    return request->metric == SC_METRIC_TIME ? request->radius_s : request->radius_m;
}

double slow_amount(const slow_nearest *slow, sc_metric metric, uint64_t parts)
{
    return (double)parts / (double)SLOW_PARTS * unit_of(slow, metric);
}

double slow_metres(const slow_nearest *slow, uint64_t parts)
{
    return slow_amount(slow, SC_METRIC_DISTANCE, parts);
}

sc_near slow_near_of(const slow_nearest *slow, const slow_near *near)
{
    const bool is_by_time = slow->metric == SC_METRIC_TIME;
    return (sc_near){
        .object = near->object,
        .distance_m = slow_metres(slow, is_by_time ? near->other : near->distance),
        .duration_s = slow_amount(slow, SC_METRIC_TIME, is_by_time ? near->distance : near->other)};
}

bool slow_is_wanted(const sc_request *request, sc_category_id category)
{
    for (uint32_t i = 0; i < request->category_count; i++) {
        if (request->categories[i] == category) return true;
    }
    return request->category_count == 0;
}

static int by_distance(const void *a, const void *b)
{
    const slow_near *left = a;
    const slow_near *right = b;
    if (left->distance != right->distance) return left->distance < right->distance ? -1 : 1;
    return (left->object > right->object) - (left->object < right->object);
}

// How many are at most so far; they are sorted.
static size_t count_within(const slow_answer *answer, uint64_t distance)
{
    size_t count = 0;
    while (count < answer->near_count && answer->nears[count].distance <= distance) {
        count++;
    }
    return count;
}

// Keep of all wanted objects, nearest first, what belongs to the answer.
static void cut(const slow_nearest *slow, slow_answer *answer, const sc_request *request)
{
    if (request->type == SC_REQUEST_KNN) {
        const size_t count = answer->near_count < request->k ? answer->near_count : request->k;
        answer->least_count = count;
        answer->most_count = count;
        if (count > 0) {
            answer->near_count =
                count_within(answer, answer->nears[count - 1].distance + 2 * slow->tolerance);
        }
        return;
    }
    const uint64_t radius = to_parts(slow, radius_of(request));
    answer->near_count = count_within(answer, radius + slow->tolerance);
    answer->most_count = answer->near_count;
    answer->least_count =
        radius < slow->tolerance ? 0 : count_within(answer, radius - slow->tolerance);
}

slow_answer slow_answer_of(const slow_nearest *slow, const uint64_t *object_distance,
                           const uint64_t *object_other, const sc_request *request)
{
    slow_answer answer = {.nears = test_take(slow->table->count, sizeof *answer.nears)};
    for (uint32_t o = 0; o < slow->table->count; o++) {
        if (object_distance[o] == SLOW_NO_WAY) continue;
        if (!slow_is_wanted(request, slow->table->objects[o].category)) continue;
        answer.nears[answer.near_count++] = (slow_near){object_distance[o], o, object_other[o]};
    }
    qsort(answer.nears, answer.near_count, sizeof *answer.nears, by_distance);
    cut(slow, &answer, request);
    return answer;
}

// The wanted objects within `limit` of the search just made, nearest first.
static slow_answer gather(const slow_nearest *slow, uint64_t limit, const sc_request *request)
{
    slow_answer answer = {.nears = test_take(slow->seen_object_count, sizeof *answer.nears)};
    for (size_t i = 0; i < slow->seen_object_count; i++) {
        const uint32_t o = slow->seen_objects[i];
        if (slow->object_distance[o] > limit) continue;
        if (!slow_is_wanted(request, slow->table->objects[o].category)) continue;
        answer.nears[answer.near_count++] =
            (slow_near){slow->object_distance[o], o, slow->object_other[o]};
    }
    qsort(answer.nears, answer.near_count, sizeof *answer.nears, by_distance);
    return answer;
}

static slow_answer answer_from(slow_nearest *slow, const slow_begin *from,
                               const sc_request *request)
{
    slow->metric = request->metric;
    uint64_t limit = request->type == SC_REQUEST_RANGE
                         ? to_parts(slow, radius_of(request)) + slow->tolerance
                         : to_parts(slow, 50.0);
    begin(slow, from);
    for (;;) {
        search(slow, limit);
        if (slow->stop_count == 0) limit = SLOW_NO_WAY;  // all there is has been seen
        slow_answer answer = gather(slow, limit, request);
        const bool is_enough =
            limit == SLOW_NO_WAY || request->type == SC_REQUEST_RANGE ||
            (answer.near_count >= request->k &&
             answer.nears[request->k - 1].distance + 2 * slow->tolerance <= limit);
        if (is_enough) {
            cut(slow, &answer, request);
            return answer;
        }
        slow_answer_free(&answer);
        limit *= 2;
    }
}

slow_answer slow_nearest_at(slow_nearest *slow, sc_edge_id edge, double offset_m,
                            const sc_request *request)
{
    const slow_begin from = at_position(slow, edge, offset_m);
    return answer_from(slow, &from, request);
}

slow_answer slow_nearest_at_node(slow_nearest *slow, sc_node_id node, const sc_request *request)
{
    const slow_begin from = {.edge = SC_NONE, .node = node};
    return answer_from(slow, &from, request);
}

void slow_answer_free(slow_answer *answer)
{
    free(answer->nears);
    *answer = (slow_answer){0};
}
