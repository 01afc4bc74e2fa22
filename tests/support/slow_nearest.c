// A plain Dijkstra over nodes and edges. See slow_nearest.h.
#include "support/slow_nearest.h"

#include "support/check.h"

#include <math.h>

/** A node that can be reached, and how. */
typedef struct slow_stop {
    uint64_t distance;
    sc_node_id node;
} slow_stop;

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
    list_objects(&slow);
    const uint32_t node_count = sc_map_node_count(map);
    slow.node_distance = test_take(node_count, sizeof *slow.node_distance);
    slow.seen_nodes = test_take(node_count, sizeof *slow.seen_nodes);
    slow.object_distance = test_take(table->count, sizeof *slow.object_distance);
    slow.seen_objects = test_take(table->count, sizeof *slow.seen_objects);
    memset(slow.node_distance, 0xff, node_count * sizeof *slow.node_distance);
    memset(slow.object_distance, 0xff, table->count * sizeof *slow.object_distance);
    return slow;
}

void slow_nearest_free(slow_nearest *slow)
{
    free(slow->first_at_node);
    free(slow->edges_at_node);
    free(slow->first_on_edge);
    free(slow->objects_on_edge);
    free(slow->node_distance);
    free(slow->object_distance);
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
    while (at > 0 && slow->stops[(at - 1) / 2].distance > stop.distance) {
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
            slow->stops[child + 1].distance < slow->stops[child].distance) {
            child++;
        }
        if (slow->stops[child].distance >= moved.distance) break;
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

static void reach_node(slow_nearest *slow, sc_node_id node, uint64_t distance)
{
    if (distance >= slow->node_distance[node]) return;
    if (slow->node_distance[node] == SLOW_NO_WAY) {
        slow->seen_nodes[slow->seen_node_count++] = node;
    }
    slow->node_distance[node] = distance;
    push_stop(slow, (slow_stop){distance, node});
}

static void reach_object(slow_nearest *slow, uint32_t object, uint64_t distance)
{
    if (distance >= slow->object_distance[object]) return;
    if (slow->object_distance[object] == SLOW_NO_WAY) {
        slow->seen_objects[slow->seen_object_count++] = object;
    }
    slow->object_distance[object] = distance;
}

// Drive onto `edge` at one of its ends: to the objects on it, and to its other end.
static void enter(slow_nearest *slow, sc_edge_id edge, sc_node_id at, uint64_t distance)
{
    const sc_edge *e = &slow->edges[edge];
    if (slow->only && !slow->only[e->segment]) return;
    for (uint32_t i = slow->first_on_edge[edge]; i < slow->first_on_edge[edge + 1]; i++) {
        const uint32_t object = slow->objects_on_edge[i];
        const uint64_t offset = slow->table->objects[object].offset;
        if (e->from == at) reach_object(slow, object, distance + offset * SLOW_PARTS);
        if (e->to == at) reach_object(slow, object, distance + (e->length - offset) * SLOW_PARTS);
    }
    reach_node(slow, e->from == at ? e->to : e->from, distance + e->length * SLOW_PARTS);
}

// Go on from the nodes reached so far. Whatever is within `limit` is then right.
static void search(slow_nearest *slow, uint64_t limit)
{
    while (slow->stop_count > 0 && slow->stops[0].distance <= limit) {
        const slow_stop stop = pop_stop(slow);
        if (stop.distance > slow->node_distance[stop.node]) continue;
        const uint32_t end = slow->first_at_node[stop.node + 1];
        for (uint32_t i = slow->first_at_node[stop.node]; i < end; i++) {
            enter(slow, slow->edges_at_node[i], stop.node, stop.distance);
        }
    }
}

/** Where a search begins: at a position, or at a node. */
typedef struct beginning {
    sc_edge_id edge;
    uint64_t offset;  ///< in parts
    sc_node_id node;  ///< SC_NONE: at the position
} beginning;

static void begin(slow_nearest *slow, const beginning *from)
{
    forget(slow);
    if (from->node != SC_NONE) {
        reach_node(slow, from->node, 0);
        return;
    }
    const sc_edge *edge = &slow->edges[from->edge];
    assert_true(from->offset <= edge->length * SLOW_PARTS);
    for (uint32_t i = slow->first_on_edge[from->edge]; i < slow->first_on_edge[from->edge + 1];
         i++) {
        const uint32_t object = slow->objects_on_edge[i];
        const uint64_t offset = slow->table->objects[object].offset * SLOW_PARTS;
        reach_object(slow, object,
                     offset > from->offset ? offset - from->offset : from->offset - offset);
    }
    reach_node(slow, edge->from, from->offset);
    reach_node(slow, edge->to, edge->length * SLOW_PARTS - from->offset);
}

static beginning at_position(const slow_nearest *slow, sc_edge_id edge, double offset_m)
{
    const double parts = offset_m / sc_map_unit_m(slow->map) * (double)SLOW_PARTS;
    return (beginning){edge, (uint64_t)llround(parts), SC_NONE};
}

void slow_measure(slow_nearest *slow, sc_edge_id edge, double offset_m)
{
    const beginning from = at_position(slow, edge, offset_m);
    begin(slow, &from);
    search(slow, SLOW_NO_WAY);
}

// --- Answers -------------------------------------------------------------------------

static uint64_t to_parts(const slow_nearest *slow, double metres)
{
    const double parts = metres / sc_map_unit_m(slow->map) * (double)SLOW_PARTS;
    return parts < 0x1p62 ? (uint64_t)llround(parts) : UINT64_C(1) << 62;
}

double slow_metres(const slow_nearest *slow, uint64_t parts)
{
    return (double)parts / (double)SLOW_PARTS * sc_map_unit_m(slow->map);
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
    const uint64_t radius = to_parts(slow, request->radius_m);
    answer->near_count = count_within(answer, radius + slow->tolerance);
    answer->most_count = answer->near_count;
    answer->least_count =
        radius < slow->tolerance ? 0 : count_within(answer, radius - slow->tolerance);
}

slow_answer slow_answer_of(const slow_nearest *slow, const uint64_t *object_distance,
                           const sc_request *request)
{
    slow_answer answer = {.nears = test_take(slow->table->count, sizeof *answer.nears)};
    for (uint32_t o = 0; o < slow->table->count; o++) {
        if (object_distance[o] == SLOW_NO_WAY) continue;
        if (!slow_is_wanted(request, slow->table->objects[o].category)) continue;
        answer.nears[answer.near_count++] = (slow_near){object_distance[o], o};
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
        answer.nears[answer.near_count++] = (slow_near){slow->object_distance[o], o};
    }
    qsort(answer.nears, answer.near_count, sizeof *answer.nears, by_distance);
    return answer;
}

static slow_answer answer_from(slow_nearest *slow, const beginning *from, const sc_request *request)
{
    uint64_t limit = request->type == SC_REQUEST_RANGE
                         ? to_parts(slow, request->radius_m) + slow->tolerance
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
    const beginning from = at_position(slow, edge, offset_m);
    return answer_from(slow, &from, request);
}

slow_answer slow_nearest_at_node(slow_nearest *slow, sc_node_id node, const sc_request *request)
{
    const beginning from = {.edge = SC_NONE, .node = node};
    return answer_from(slow, &from, request);
}

void slow_answer_free(slow_answer *answer)
{
    free(answer->nears);
    *answer = (slow_answer){0};
}

// --- Comparing -----------------------------------------------------------------------

static void check_distance(const slow_nearest *slow, double got_m, uint64_t wanted, size_t i,
                           const char *what)
{
    const double wanted_m = slow_metres(slow, wanted);
    if (fabs(got_m - wanted_m) <= slow_metres(slow, slow->tolerance)) return;
    fail_msg("%s: object %zu is at %.9f m, wanted %.9f m", what, i, got_m, wanted_m);
}

// Where an object stands in the right answer.
static const slow_near *find_near(const slow_answer *wanted, uint32_t object)
{
    for (size_t i = 0; i < wanted->near_count; i++) {
        if (wanted->nears[i].object == object) return &wanted->nears[i];
    }
    return NULL;
}

void slow_check_answer(const slow_nearest *slow, const slow_answer *wanted, const sc_near *got,
                       size_t got_count, const char *what)
{
    if (got_count < wanted->least_count || got_count > wanted->most_count) {
        fail_msg("%s: %zu objects, wanted %zu to %zu", what, got_count, wanted->least_count,
                 wanted->most_count);
    }
    bool *is_taken = test_take(slow->table->count, sizeof *is_taken);
    for (size_t i = 0; i < got_count; i++) {
        check_distance(slow, got[i].distance_m, wanted->nears[i].distance, i, what);
        const slow_near *near = find_near(wanted, got[i].object);
        if (near) {
            check_distance(slow, got[i].distance_m, near->distance, i, what);
        } else {
            fail_msg("%s: object %zu does not belong there", what, i);
        }
        if (is_taken[got[i].object]) fail_msg("%s: object %zu was there before", what, i);
        is_taken[got[i].object] = true;
        if (i > 0 && got[i].distance_m < got[i - 1].distance_m) {
            fail_msg("%s: object %zu is nearer than the one before", what, i);
        }
    }
    free(is_taken);
}
