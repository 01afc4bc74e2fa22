// The roads of one cloak as a graph, and Dijkstra's search inside it. See inside_search.h.
#include "answer/inside_search.h"

#include "base/alloc.h"
#include "base/diag.h"
#include "base/sort.h"
#include "relay/relay_build.h"

#include <inttypes.h>
#include <string.h>

static const sc_inside_span unreached = {{HUGE_VAL, 0.0}, {HUGE_VAL, 0.0}};

// === Building the graph =========================================================================

// --- Memory ------------------------------------------------------------------

void sc__inside_fini(sc_inside *inside)
{
    sc_free(inside->segments);
    sc_free(inside->edge_spots);
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
           sc_reserve(&inside->edge_spots, edges, &inside->edge_room, sizeof *inside->edge_spots) &&
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

// What an edge adds to the time of a spot behind it.
static double time_of(uint32_t units)
{
    return units == SC_CLOSED ? 0.0 : units;
}

// Where the edges of a segment begin, and how far it is open from either end. Lengths are sums of
// those of the edges.
static void measure_segment(sc_inside *inside, sc_inside_segment *road)
{
    const sc_edge *edges = sc_map_edges(inside->map) + road->first_edge;
    const sc_travel_times *times = sc_map_edge_times(inside->map) + road->first_edge;
    sc_road_spot *spots = inside->edge_spots + road->first_start;
    sc_road_spot spot = {.along = 0.0};
    bool is_open = true;
    for (uint32_t i = 0; i < road->edge_count; i++) {
        spots[i] = spot;
        spot.along += edges[i].length;
        spot.forward += time_of(times[i].forward);
        is_open = is_open && times[i].forward != SC_CLOSED;
        if (is_open) road->open_ahead = spot.along;
    }
    road->length = spot.along;
    road->open_behind = spot.along;
    is_open = true;
    for (uint32_t i = road->edge_count; i-- > 0;) {
        spot.backward += time_of(times[i].backward);
        spots[i].backward = spot.backward;
        is_open = is_open && times[i].backward != SC_CLOSED;
        if (is_open) road->open_behind = spots[i].along;
    }
}

static void list_segments(sc_inside *inside)
{
    const sc_segment *segments = sc_map_segments(inside->map);
    size_t next_start = 0;
    for (size_t i = 0; i < inside->segment_count; i++) {
        const sc_segment *segment = &segments[inside->relay->segments[i]];
        sc_inside_segment *road = &inside->segments[i];
        *road = (sc_inside_segment){
            .first_edge = segment[0].first_edge,
            .edge_count = segment[1].first_edge - segment[0].first_edge,
            .first_start = next_start,
        };
        measure_segment(inside, road);
        next_start += road->edge_count;
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

// Whether a segment can be driven from one end to the other, and how long it takes.
static bool way_along(const sc_inside *inside, size_t i, bool backwards, sc_inside_way *out)
{
    const sc_inside_segment *road = &inside->segments[i];
    if (!leads_on(road)) return false;
    const sc_travel_times times = sc_map_segment_times(inside->map)[inside->relay->segments[i]];
    if ((backwards ? times.backward : times.forward) == SC_CLOSED) return false;
    *out = (sc_inside_way){.to = backwards ? road->end_a : road->end_b,
                           .distance = road->length,
                           .time = time_of(backwards ? times.backward : times.forward)};
    return true;
}

// The ways from each vertex, by counting.
static void list_ways(sc_inside *inside)
{
    uint32_t *first = inside->first_way;
    for (size_t v = 0; v <= inside->vertex_count; v++) {
        first[v] = 0;
    }
    sc_inside_way way;
    for (size_t i = 0; i < inside->segment_count; i++) {
        const sc_inside_segment *road = &inside->segments[i];
        if (way_along(inside, i, false, &way)) first[road->end_a + 1]++;
        if (way_along(inside, i, true, &way)) first[road->end_b + 1]++;
    }
    for (size_t v = 0; v < inside->vertex_count; v++) {
        first[v + 1] += first[v];
    }
    for (size_t i = 0; i < inside->segment_count; i++) {
        const sc_inside_segment *road = &inside->segments[i];
        if (way_along(inside, i, false, &way)) inside->ways[first[road->end_a]++] = way;
        if (way_along(inside, i, true, &way)) inside->ways[first[road->end_b]++] = way;
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
        inside->spans[v] = unreached;
    }
    return SC_OK;
}

uint32_t sc__inside_segment_of(const sc_inside *inside, sc_edge_id edge)
{
    const sc_seg_id id = sc_map_edges(inside->map)[edge].segment;
    const uint32_t segment = find_id(inside->relay->segments, inside->segment_count, id);
    if (segment == SC_NONE) return SC_NONE;
    const sc_inside_segment *road = &inside->segments[segment];
    // Another edge is only on a map that contradicts itself.
    return edge - road->first_edge < road->edge_count ? segment : SC_NONE;
}

uint32_t sc__inside_locate(const sc_inside *inside, sc_edge_id edge, uint32_t offset,
                           sc_road_spot *spot)
{
    const uint32_t segment = sc__inside_segment_of(inside, edge);
    if (segment == SC_NONE) return SC_NONE;
    const sc_inside_segment *road = &inside->segments[segment];
    *spot = inside->edge_spots[road->first_start + (edge - road->first_edge)];
    sc__road_move_whole(inside->map, edge, offset, spot);
    return segment;
}

// === Searching ==================================================================================
// An entry of the queue is never changed: a vertex that is reached by a cheaper way goes in again,
// and the older entry is skipped when it comes out. Entries come out in the order of both costs, so
// each way is taken at most once and the queue never holds more than there are ways and beginnings.

static void begin_search(sc_inside *inside, sc_metric metric)
{
    for (size_t i = 0; i < inside->touched_count; i++) {
        inside->spans[inside->touched[i]] = unreached;
    }
    inside->metric = metric;
    inside->touched_count = 0;
    inside->queue.count = 0;
    inside->met_count = 0;
}

static void reach(sc_inside *inside, uint32_t vertex, sc_inside_span span)
{
    sc_inside_span *known = &inside->spans[vertex];
    const sc_reach there = sc__inside_span_reach(span);
    if (!sc__reach_is_less(there, sc__inside_span_reach(*known))) return;
    if (isinf(known->cost.whole)) inside->touched[inside->touched_count++] = vertex;
    *known = span;
    sc_inside_queue_push(&inside->queue, (sc_inside_queued){there, vertex});
}

static sc_inside_span span_plus(const sc_inside *inside, sc_inside_span span, double distance,
                                double time)
{
    const bool is_by_time = inside->metric == SC_METRIC_TIME;
    span.cost.whole += is_by_time ? time : distance;
    span.other.whole += is_by_time ? distance : time;
    return span;
}

// Take the nearest vertex out and go on from there; SC_NONE if a cheaper way to it came first.
static uint32_t settle_next(sc_inside *inside)
{
    const sc_inside_queued next = sc_inside_queue_pop(&inside->queue);
    const sc_inside_span span = inside->spans[next.vertex];
    if (sc__reach_is_less(sc__inside_span_reach(span), next.reach)) return SC_NONE;
    for (uint32_t i = inside->first_way[next.vertex]; i < inside->first_way[next.vertex + 1]; i++) {
        const sc_inside_way *way = &inside->ways[i];
        reach(inside, way->to, span_plus(inside, span, way->distance, way->time));
    }
    return next.vertex;
}

void sc__inside_search_border(sc_inside *inside, sc_metric metric, uint32_t border, double limit)
{
    begin_search(inside, metric);
    const sc_inside_span here = {{0.0, 0.0}, {0.0, 0.0}};
    reach(inside, inside->border_vertex[border], here);
    while (inside->queue.count > 0 && inside->queue.entries[0].reach.cost <= limit &&
           inside->met_count < SC_INSIDE_MET) {
        const uint32_t vertex = settle_next(inside);
        if (vertex == SC_NONE) continue;
        const uint32_t other = inside->border_of[vertex];
        if (other == SC_NONE || other == border) continue;
        inside->met[inside->met_count++] =
            (sc_inside_met){other, sc__inside_span_reach(inside->spans[vertex]).cost};
    }
}

void sc__inside_search_place(sc_inside *inside, sc_metric metric, uint32_t segment,
                             const sc_road_legs *legs)
{
    const sc_inside_segment *road = &inside->segments[segment];
    begin_search(inside, metric);
    for (int i = 0; i < legs->count; i++) {
        const sc_road_leg *leg = &legs->legs[i];
        const uint32_t end = leg->is_backward ? road->end_a : road->end_b;
        if (!leg->reaches_end || end == SC_NONE) continue;
        sc_cost distance;
        sc_cost time;
        sc__road_leg_to(leg, &leg->limit, &distance, &time);
        reach(inside, end, sc__inside_span_of(metric, distance, time));
    }
    while (inside->queue.count > 0) {
        settle_next(inside);
    }
}

sc_reach sc__inside_reach(const sc_inside *inside, uint32_t segment, const sc_road_spot *spot)
{
    const sc_inside_segment *road = &inside->segments[segment];
    sc_reach best = {HUGE_VAL, HUGE_VAL};
    if (spot->along <= road->open_ahead) {
        best = sc__inside_span_reach(
            span_plus(inside, inside->spans[road->end_a], spot->along, spot->forward));
    }
    if (road->end_b != SC_NONE && spot->along >= road->open_behind) {
        const sc_reach by_b = sc__inside_span_reach(span_plus(
            inside, inside->spans[road->end_b], road->length - spot->along, spot->backward));
        if (sc__reach_is_less(by_b, best)) best = by_b;
    }
    return best;
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
