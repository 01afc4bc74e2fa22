// The roads of one cloak as a graph, and Dijkstra's search inside it. See inside_search.h.
#include "answer/inside_search.h"

#include "base/alloc.h"
#include "base/diag.h"
#include "base/sort.h"
#include "relay/relay_build.h"

#include <inttypes.h>
#include <string.h>

// === Building the graph =========================================================================

// --- Memory ------------------------------------------------------------------

void sc__inside_fini(sc_inside *inside)
{
    sc_free(inside->segments);
    sc_free(inside->edge_starts);
    sc_free(inside->stars);
    sc_free(inside->first_way);
    sc_free(inside->ways);
    sc_free(inside->border_of);
    sc_free(inside->border_vertex);
    sc_free(inside->spans);
    sc_free(inside->touched);
    sc_inside_queue_fini(&inside->queue);
    *inside = (sc_inside){.map = NULL};
}

// Room for `count` ends of segments, and as many ways.
static bool reserve_ends(sc_inside *inside, size_t count)
{
    const struct {
        void *array;
        size_t size;
    } growing[] = {
        {&inside->stars, sizeof *inside->stars},
        {&inside->first_way, sizeof *inside->first_way},
        {&inside->ways, sizeof *inside->ways},
        {&inside->border_of, sizeof *inside->border_of},
        {&inside->border_vertex, sizeof *inside->border_vertex},
        {&inside->spans, sizeof *inside->spans},
        {&inside->touched, sizeof *inside->touched},
        {&inside->queue.entries, sizeof *inside->queue.entries},
    };
    size_t room = inside->end_room;
    for (size_t i = 0; i < sizeof growing / sizeof *growing; i++) {
        // All grow alike. If one cannot, those before it merely have more room than they know of.
        room = inside->end_room;
        if (!sc_reserve(growing[i].array, count, &room, growing[i].size)) return false;
    }
    inside->end_room = room;
    return true;
}

static bool make_room(sc_inside *inside, size_t segments, size_t edges)
{
    // A segment has two ends, and each of them sees one way. Ways of vertices need one start more
    // than there are vertices; a search takes in each way once, and two places to begin at.
    return sc_reserve(&inside->segments, segments, &inside->segment_room,
                      sizeof *inside->segments) &&
           sc_reserve(&inside->edge_starts, edges, &inside->edge_room,
                      sizeof *inside->edge_starts) &&
           reserve_ends(inside, 2 * segments + 2);
}

// --- Building ----------------------------------------------------------------

// The place of an id among ascending ones, or SC_NONE.
static uint32_t find_id(const uint32_t *ids, size_t count, uint32_t id)
{
    size_t low = 0;
    size_t high = count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (ids[middle] < id) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < count && ids[low] == id ? (uint32_t)low : SC_NONE;
}

static size_t count_edges(const sc_map *map, const sc_relay *relay)
{
    const sc_segment *segments = sc_map_segments(map);
    size_t count = 0;
    for (size_t i = 0; i < relay->segment_count; i++) {
        const sc_seg_id s = relay->segments[i];
        count += segments[s + 1].first_edge - segments[s].first_edge;
    }
    return count;
}

// Segments, and where along them their edges begin. Lengths are sums of those of the edges.
static void list_segments(sc_inside *inside)
{
    const sc_segment *segments = sc_map_segments(inside->map);
    const sc_edge *edges = sc_map_edges(inside->map);
    size_t next_start = 0;
    for (size_t i = 0; i < inside->segment_count; i++) {
        const sc_segment *segment = &segments[inside->relay->segments[i]];
        sc_inside_segment *road = &inside->segments[i];
        *road = (sc_inside_segment){
            .first_edge = segment[0].first_edge,
            .edge_count = segment[1].first_edge - segment[0].first_edge,
            .first_start = next_start,
        };
        for (uint32_t j = 0; j < road->edge_count; j++) {
            inside->edge_starts[next_start++] = road->length;
            road->length += edges[road->first_edge + j].length;
        }
    }
}

static void list_vertices(sc_inside *inside)
{
    const sc_segment *segments = sc_map_segments(inside->map);
    sc_star_id *stars = inside->stars;
    size_t count = 0;
    for (size_t i = 0; i < inside->segment_count; i++) {
        const sc_segment *segment = &segments[inside->relay->segments[i]];
        stars[count++] = segment->star_a;
        if (segment->star_b != SC_NONE) stars[count++] = segment->star_b;
    }
    sc_sort_u32(stars, count);
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (kept == 0 || stars[kept - 1] != stars[i]) stars[kept++] = stars[i];
    }
    inside->vertex_count = kept;

    for (size_t i = 0; i < inside->segment_count; i++) {
        const sc_segment *segment = &segments[inside->relay->segments[i]];
        sc_inside_segment *road = &inside->segments[i];
        road->end_a = find_id(stars, kept, segment->star_a);
        road->end_b = segment->star_b == SC_NONE ? SC_NONE : find_id(stars, kept, segment->star_b);
    }
}

// Whether a segment leads from one vertex to another: dead ends and loops never make a way shorter.
static bool leads_on(const sc_inside_segment *road)
{
    return road->end_b != SC_NONE && road->end_b != road->end_a;
}

static void add_way(sc_inside *inside, uint32_t from, uint32_t to, double length)
{
    inside->ways[inside->first_way[from]++] = (sc_inside_way){to, length};
}

// The ways from each vertex, by counting.
static void list_ways(sc_inside *inside)
{
    uint32_t *first = inside->first_way;
    for (size_t v = 0; v <= inside->vertex_count; v++) {
        first[v] = 0;
    }
    for (size_t i = 0; i < inside->segment_count; i++) {
        const sc_inside_segment *road = &inside->segments[i];
        if (!leads_on(road)) continue;
        first[road->end_a + 1]++;
        first[road->end_b + 1]++;
    }
    for (size_t v = 0; v < inside->vertex_count; v++) {
        first[v + 1] += first[v];
    }
    for (size_t i = 0; i < inside->segment_count; i++) {
        const sc_inside_segment *road = &inside->segments[i];
        if (!leads_on(road)) continue;
        add_way(inside, road->end_a, road->end_b, road->length);
        add_way(inside, road->end_b, road->end_a, road->length);
    }
    // Each has moved to where the next begins.
    for (size_t v = inside->vertex_count; v > 0; v--) {
        first[v] = first[v - 1];
    }
    first[0] = 0;
}

// A vertex is on the border if its star has segments that the cloak does not. Were one missing from
// the relay, ways through it would be missing from the answer.
static sc_err find_borders(sc_inside *inside, sc_diag *diag)
{
    const sc_relay *relay = inside->relay;
    const sc_star *stars = sc_map_stars(inside->map);
    // First count each vertex's own segments, in the place of what we are looking for.
    uint32_t *inner_count = inside->border_of;
    for (size_t v = 0; v < inside->vertex_count; v++) {
        inner_count[v] = 0;
    }
    for (size_t i = 0; i < inside->segment_count; i++) {
        const sc_inside_segment *road = &inside->segments[i];
        inner_count[road->end_a]++;
        if (leads_on(road)) inner_count[road->end_b]++;
    }
    size_t found = 0;
    for (uint32_t v = 0; v < inside->vertex_count; v++) {
        const sc_star *star = &stars[inside->stars[v]];
        const bool is_border = inner_count[v] < star[1].first_segment - star[0].first_segment;
        inside->border_of[v] =
            is_border ? find_id(relay->border_nodes, relay->border_node_count, star->node)
                      : SC_NONE;
        if (!is_border) continue;
        if (inside->border_of[v] == SC_NONE) {
            return sc_fail(diag, SC_EINVAL,
                           "relay: node %" PRIu32
                           " is on the border of the segments but not listed as a border node",
                           star->node);
        }
        inside->border_vertex[inside->border_of[v]] = v;
        found++;
    }
    if (found != relay->border_node_count) {
        return sc_fail(diag, SC_EINVAL,
                       "relay: only %zu of its %zu border nodes are on the border of the segments",
                       found, relay->border_node_count);
    }
    return SC_OK;
}

sc_err sc__inside_build(sc_inside *inside, const sc_map *map, const sc_relay *relay, sc_diag *diag)
{
    inside->segment_count = 0;
    inside->vertex_count = 0;
    sc_err err = sc__relay_check(map, relay, SIZE_MAX, diag);
    if (err) return err;
    if (!make_room(inside, relay->segment_count, count_edges(map, relay))) {
        return sc_fail_memory(diag, "looking at the roads of a cloak");
    }
    inside->map = map;
    inside->relay = relay;
    inside->segment_count = relay->segment_count;
    list_segments(inside);
    list_vertices(inside);
    list_ways(inside);
    err = find_borders(inside, diag);
    if (err) {
        inside->segment_count = 0;
        inside->vertex_count = 0;
        return err;
    }
    inside->touched_count = 0;
    for (size_t v = 0; v < inside->vertex_count; v++) {
        inside->spans[v] = (sc_inside_span){HUGE_VAL, 0.0};
    }
    return SC_OK;
}

uint32_t sc__inside_locate(const sc_inside *inside, sc_edge_id edge, double offset, double *along)
{
    const sc_seg_id id = sc_map_edges(inside->map)[edge].segment;
    const uint32_t segment = find_id(inside->relay->segments, inside->segment_count, id);
    if (segment == SC_NONE) return SC_NONE;
    const sc_inside_segment *road = &inside->segments[segment];
    const uint32_t step = edge - road->first_edge;
    if (step >= road->edge_count) return SC_NONE;  // only on a map that contradicts itself
    *along = inside->edge_starts[road->first_start + step] + offset;
    return segment;
}

// === Searching ==================================================================================
// An entry of the queue is never changed: a vertex that is reached by a shorter way goes in again,
// and the older entry is skipped when it comes out. Each way is taken at most once, so the queue
// never holds more than there are ways and beginnings.

static void begin_search(sc_inside *inside)
{
    for (size_t i = 0; i < inside->touched_count; i++) {
        inside->spans[inside->touched[i]] = (sc_inside_span){HUGE_VAL, 0.0};
    }
    inside->touched_count = 0;
    inside->queue.count = 0;
    inside->met_count = 0;
}

static void reach(sc_inside *inside, uint32_t vertex, sc_inside_span span)
{
    sc_inside_span *known = &inside->spans[vertex];
    const double distance = sc__inside_span_plus(span, 0.0);
    if (distance >= sc__inside_span_plus(*known, 0.0)) return;
    if (isinf(known->whole)) inside->touched[inside->touched_count++] = vertex;
    *known = span;
    sc_inside_queue_push(&inside->queue, (sc_inside_queued){distance, vertex});
}

// Take the nearest vertex out and go on from there; SC_NONE if a shorter way to it came first.
static uint32_t settle_next(sc_inside *inside)
{
    const sc_inside_queued next = sc_inside_queue_pop(&inside->queue);
    const sc_inside_span span = inside->spans[next.vertex];
    if (next.distance > sc__inside_span_plus(span, 0.0)) return SC_NONE;
    for (uint32_t i = inside->first_way[next.vertex]; i < inside->first_way[next.vertex + 1]; i++) {
        const sc_inside_way *way = &inside->ways[i];
        reach(inside, way->to, (sc_inside_span){span.whole + way->length, span.shift});
    }
    return next.vertex;
}

void sc__inside_search_border(sc_inside *inside, uint32_t border, double limit)
{
    begin_search(inside);
    reach(inside, inside->border_vertex[border], (sc_inside_span){0.0, 0.0});
    while (inside->queue.count > 0 && inside->queue.entries[0].distance <= limit &&
           inside->met_count < SC_INSIDE_MET) {
        const uint32_t vertex = settle_next(inside);
        if (vertex == SC_NONE) continue;
        const uint32_t other = inside->border_of[vertex];
        if (other == SC_NONE || other == border) continue;
        inside->met[inside->met_count++] =
            (sc_inside_met){other, sc__inside_span_plus(inside->spans[vertex], 0.0)};
    }
}

void sc__inside_search_place(sc_inside *inside, uint32_t segment, double along)
{
    const sc_inside_segment *road = &inside->segments[segment];
    begin_search(inside);
    reach(inside, road->end_a, (sc_inside_span){0.0, along});
    if (road->end_b != SC_NONE) reach(inside, road->end_b, (sc_inside_span){road->length, -along});
    while (inside->queue.count > 0) {
        settle_next(inside);
    }
}

void sc__inside_wipe(sc_inside *inside)
{
    if (inside->segment_count > 0) {
        explicit_bzero(inside->spans, inside->vertex_count * sizeof *inside->spans);
        // The order of visits, and the queue beyond its end, reveal as much.
        explicit_bzero(inside->touched, inside->vertex_count * sizeof *inside->touched);
        explicit_bzero(inside->queue.entries,
                       (2 * inside->segment_count + 2) * sizeof *inside->queue.entries);
    }
    inside->touched_count = 0;
    inside->queue.count = 0;
    inside->segment_count = 0;
    inside->vertex_count = 0;
}
