// Which parts of roads are within a distance of other parts. See reached_roads.h.
//
// From the ends of the parts, Dijkstra's algorithm over the nodes, until it knows how far all nodes
// of the segments are, or that they are too far. Then of an edge is reached what is near one of its
// nodes, or near a part on the edge itself.
#include "verify/reached_roads.h"

#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

// --- The edges at each node ---------------------------------------------------------------------

static void count_edges(sc_reached_roads *r)
{
    const sc_edge *edges = sc_map_edges(r->map);
    for (sc_edge_id e = 0; e < sc_map_edge_count(r->map); e++) {
        r->first_edge[edges[e].from + 1]++;
        r->first_edge[edges[e].to + 1]++;
    }
    for (sc_node_id node = 0; node < sc_map_node_count(r->map); node++) {
        r->first_edge[node + 1] += r->first_edge[node];
    }
}

static bool list_edges(sc_reached_roads *r)
{
    const sc_edge *edges = sc_map_edges(r->map);
    const uint32_t node_count = sc_map_node_count(r->map);
    uint32_t *next = sc_malloc_array((size_t)node_count + 1, sizeof *next);
    if (!next) return false;
    memcpy(next, r->first_edge, (size_t)node_count * sizeof *next);
    for (sc_edge_id e = 0; e < sc_map_edge_count(r->map); e++) {
        r->edges[next[edges[e].from]++] = e;
        r->edges[next[edges[e].to]++] = e;
    }
    sc_free(next);
    return true;
}

sc_err sc__reached_init(sc_reached_roads *reached, const sc_map *map)
{
    const size_t node_count = sc_map_node_count(map);
    *reached = (sc_reached_roads){.map = map};
    reached->first_edge = sc_calloc(node_count + 1, sizeof *reached->first_edge);
    reached->nodes = sc_calloc(node_count + 1, sizeof *reached->nodes);
    reached->edges =
        sc_malloc_array(2 * (size_t)sc_map_edge_count(map) + 1, sizeof *reached->edges);
    if (reached->first_edge && reached->nodes && reached->edges) {
        count_edges(reached);
        if (list_edges(reached)) return SC_OK;
    }
    sc__reached_fini(reached);
    return SC_ENOMEM;
}

void sc__reached_fini(sc_reached_roads *reached)
{
    sc_free(reached->first_edge);
    sc_free(reached->edges);
    sc_free(reached->nodes);
    sc__node_visits_fini(&reached->visits);
    *reached = (sc_reached_roads){.map = NULL};
}

// --- The search ---------------------------------------------------------------------------------

/** A new number; where there is none left, marks are cleared and numbers begin again. */
static void begin_search(sc_reached_roads *r)
{
    if (r->now == UINT32_MAX) {
        memset(r->nodes, 0, ((size_t)sc_map_node_count(r->map) + 1) * sizeof *r->nodes);
        r->now = 0;
    }
    r->now++;
    r->visits.count = 0;
}

/** Want to know how far all nodes of the segments are; returns how many these are. */
static size_t want_nodes(sc_reached_roads *r, const sc_seg_id *segments, size_t count)
{
    const sc_segment *table = sc_map_segments(r->map);
    const sc_edge *edges = sc_map_edges(r->map);
    size_t wanted = 0;
    for (size_t i = 0; i < count; i++) {
        for (sc_edge_id e = table[segments[i]].first_edge; e < table[segments[i] + 1].first_edge;
             e++) {
            const sc_node_id ends[] = {edges[e].from, edges[e].to};
            for (size_t end = 0; end < 2; end++) {
                if (r->nodes[ends[end]].wanted == r->now) continue;
                r->nodes[ends[end]].wanted = r->now;
                wanted++;
            }
        }
    }
    return wanted;
}

static bool come_to(sc_reached_roads *r, sc_node_id node, uint64_t distance, uint64_t within)
{
    sc_node_marks *marks = &r->nodes[node];
    if (distance > within) return true;
    if (marks->found == r->now && marks->distance <= distance) return true;
    if (!sc__node_visits_reserve(&r->visits, r->visits.count + 1)) return false;
    marks->found = r->now;
    marks->distance = distance;
    sc__node_visits_push(&r->visits, (sc_node_visit){distance, node});
    return true;
}

static bool leave_parts(sc_reached_roads *r, const sc_edge_part *from, size_t count,
                        uint64_t within)
{
    const sc_edge *edges = sc_map_edges(r->map);
    for (size_t i = 0; i < count; i++) {
        const sc_edge *edge = &edges[from[i].edge];
        if (!come_to(r, edge->from, from[i].from, within) ||
            !come_to(r, edge->to, edge->length - from[i].to, within)) {
            return false;
        }
    }
    return true;
}

static bool leave_node(sc_reached_roads *r, sc_node_visit visit, uint64_t within)
{
    const sc_edge *edges = sc_map_edges(r->map);
    for (uint32_t i = r->first_edge[visit.node]; i < r->first_edge[visit.node + 1]; i++) {
        const sc_edge *edge = &edges[r->edges[i]];
        const sc_node_id other = edge->from == visit.node ? edge->to : edge->from;
        if (!come_to(r, other, visit.distance + edge->length, within)) return false;
    }
    return true;
}

static bool search(sc_reached_roads *r, size_t wanted, uint64_t within)
{
    while (wanted > 0 && r->visits.count > 0) {
        const sc_node_visit visit = sc__node_visits_pop(&r->visits);
        sc_node_marks *marks = &r->nodes[visit.node];
        if (visit.distance > marks->distance) continue;  // a shorter way was found since
        if (marks->wanted == r->now) {
            marks->wanted = 0;
            wanted--;
        }
        if (!leave_node(r, visit, within)) return false;
    }
    return true;
}

// --- What was reached ---------------------------------------------------------------------------

/** How far beyond a node one comes, at most `length`; false if the node is too far itself. */
static bool rest_behind(const sc_reached_roads *r, sc_node_id node, uint64_t within,
                        uint32_t length, uint32_t *rest)
{
    const sc_node_marks *marks = &r->nodes[node];
    if (marks->found != r->now) return false;
    const uint64_t left = within - marks->distance;
    *rest = left < length ? (uint32_t)left : length;
    return true;
}

static bool add_part(sc_edge_parts *parts, sc_edge_part part)
{
    if (!sc_grow(&parts->at, parts->count, &parts->capacity, sizeof *parts->at)) return false;
    parts->at[parts->count++] = part;
    return true;
}

static int by_start(const void *a, const void *b)
{
    const sc_edge_part *left = a;
    const sc_edge_part *right = b;
    return (left->from > right->from) - (left->from < right->from);
}

/** Make one of those that overlap or touch, from `first` on; returns the length of all of them. */
static uint64_t merge_parts(sc_edge_parts *parts, size_t first)
{
    uint64_t length = 0;
    size_t last = first;
    if (parts->count == first) return 0;
    qsort(parts->at + first, parts->count - first, sizeof *parts->at, by_start);
    for (size_t i = first + 1; i < parts->count; i++) {
        if (parts->at[i].from > parts->at[last].to) {
            parts->at[++last] = parts->at[i];
        } else if (parts->at[i].to > parts->at[last].to) {
            parts->at[last].to = parts->at[i].to;
        }
    }
    parts->count = last + 1;
    for (size_t i = first; i < parts->count; i++) {
        length += parts->at[i].to - parts->at[i].from;
    }
    return length;
}

/** Add what is reached of an edge; `from` are the parts on it. */
static bool collect_edge(const sc_reached_roads *r, sc_edge_id e, const sc_edge_part *from,
                         size_t count, uint64_t within, uint64_t *covered)
{
    const sc_edge *edge = &sc_map_edges(r->map)[e];
    const size_t first = r->found->count;
    uint32_t rest = 0;
    bool is_whole = true;
    if (rest_behind(r, edge->from, within, edge->length, &rest)) {
        is_whole = add_part(r->found, (sc_edge_part){e, 0, rest});
    }
    if (is_whole && rest_behind(r, edge->to, within, edge->length, &rest)) {
        is_whole = add_part(r->found, (sc_edge_part){e, edge->length - rest, edge->length});
    }
    for (size_t i = 0; i < count && is_whole; i++) {
        const uint32_t before = within < from[i].from ? from[i].from - (uint32_t)within : 0;
        const uint32_t room = edge->length - from[i].to;
        const uint32_t behind = within < room ? from[i].to + (uint32_t)within : edge->length;
        is_whole = add_part(r->found, (sc_edge_part){e, before, behind});
    }
    *covered += merge_parts(r->found, first);
    return is_whole;
}

/** The parts of `from` that are on an edge: sets [*first, *last), which go along with the edges. */
static void find_parts(const sc_edge_part *from, size_t count, sc_edge_id edge, size_t *first,
                       size_t *last)
{
    *first = *last;
    while (*first < count && from[*first].edge < edge) {
        (*first)++;
    }
    *last = *first;
    while (*last < count && from[*last].edge == edge) {
        (*last)++;
    }
}

static bool collect(const sc_reached_roads *r, const sc_edge_part *from, size_t from_count,
                    uint64_t within, const sc_seg_id *segments, size_t count, sc_claim_part *parts)
{
    const sc_segment *table = sc_map_segments(r->map);
    size_t first = 0;
    size_t last = 0;
    for (size_t i = 0; i < count; i++) {
        const sc_segment *segment = &table[segments[i]];
        const size_t found_before = r->found->count;
        uint64_t covered = 0;
        for (sc_edge_id e = segment[0].first_edge; e < segment[1].first_edge; e++) {
            find_parts(from, from_count, e, &first, &last);
            if (!collect_edge(r, e, from + first, last - first, within, &covered)) return false;
        }
        uint64_t length = 0;
        for (sc_edge_id e = segment[0].first_edge; e < segment[1].first_edge; e++) {
            length += sc_map_edges(r->map)[e].length;
        }
        // Of a road without length all is reached, or nothing.
        const bool is_any = r->found->count > found_before;
        const uint64_t part =
            length > 0 ? covered * SC_CLAIM_WHOLE / length : (is_any ? SC_CLAIM_WHOLE : 0);
        parts[i] = (sc_claim_part){segments[i], (uint16_t)part};
    }
    return true;
}

sc_err sc__reached_find(sc_reached_roads *reached, const sc_edge_part *from, size_t from_count,
                        uint64_t within, const sc_seg_id *segments, size_t segment_count,
                        sc_edge_parts *found, sc_claim_part *parts)
{
    found->count = 0;
    reached->found = found;
    begin_search(reached);
    const size_t wanted = want_nodes(reached, segments, segment_count);
    const bool is_whole =
        leave_parts(reached, from, from_count, within) && search(reached, wanted, within) &&
        collect(reached, from, from_count, within, segments, segment_count, parts);
    return is_whole ? SC_OK : SC_ENOMEM;
}
