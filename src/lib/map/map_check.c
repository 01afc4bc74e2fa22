// Checks every invariant of starcloak/map.h against the edges, from which all other tables follow.
//
// Opening a file has already kept every index in range; here the tables are compared with each
// other. Fuzzers and tests run this on every map that a reader accepts, and `starcloak map check`
// on a user's file. What is not checked is the numbering along the curve: it is for speed, and no
// result depends on it.
#include "map/map_internal.h"

#include "base/alloc.h"
#include "base/diag.h"
#include "base/utf8.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/** What several of the checks need. */
typedef struct check {
    const sc_map *map;
    sc_diag *diag;
    uint32_t *degree;       ///< of every node
    sc_star_id *star_of;    ///< the star at a node, or SC_NONE
    sc_star_id *seen_from;  ///< the last star from which a star was seen as neighbour
} check;

#define REFUSE(c, ...) return sc_fail((c)->diag, SC_EMAP, "map invariant broken: " __VA_ARGS__)

static bool is_position_valid(const sc_map *map, double x, double y)
{
    // Half-way round from the grid's origin, which may be the 180th meridian.
    if (map->coords == SC_COORDS_GEOGRAPHIC) {
        return fabs(x - map->grid.origin_x) <= 180.0 && fabs(y) <= 90.0;
    }
    // On a very wide plane the grid is coarse and may round a node across the rim.
    const double rim = SC_PLANE_MAX + 1.0 / map->grid.per_unit;
    return fabs(x) <= rim && fabs(y) <= rim;
}

static sc_err check_nodes(const check *c)
{
    for (sc_node_id v = 0; c->map->coords != SC_COORDS_NONE && v < c->map->node_count; v++) {
        double x = 0.0;
        double y = 0.0;
        sc_map_node_position(c->map, v, &x, &y);
        if (!is_position_valid(c->map, sc__node_x(c->map, v), y))
            REFUSE(c, "node %u has coordinates outside the allowed range", v);
    }
    return SC_OK;
}

// Edges lie in order along their segment, and their lengths add up.
static sc_err check_chains(const check *c)
{
    const sc_edge *edges = sc__edges(c->map);
    const sc_segment *segments = sc__segments(c->map);
    const uint8_t *classes = sc_map_edge_classes(c->map);
    const sc_travel_times *edge_times = sc_map_edge_times(c->map);
    for (sc_seg_id s = 0; s < c->map->segment_count; s++) {
        const sc_edge_id first = segments[s].first_edge;
        const sc_edge_id end = segments[s + 1].first_edge;
        uint64_t length = 0;
        sc_travel_times taken = {0, 0};
        for (sc_edge_id e = first; e < end; e++) {
            if (edges[e].segment != s) {
                REFUSE(c, "edge %u names segment %u but lies in segment %u", e, edges[e].segment,
                       s);
            }
            if (classes[e] >= SC_ROAD_CLASS_COUNT) {
                REFUSE(c, "edge %u has unknown road class %u", e, classes[e]);
            }
            if (edge_times[e].forward == SC_CLOSED && edge_times[e].backward == SC_CLOSED) {
                REFUSE(c, "edge %u is closed in both directions", e);
            }
            if (edges[e].length == 0 && edge_times[e].forward != edge_times[e].backward) {
                REFUSE(c, "edge %u has no length and is not open both ways alike", e);
            }
            length += edges[e].length;
            sc__add_times(&taken, edge_times[e]);
            if (e == first) continue;
            if (edges[e].from != edges[e - 1].to) {
                REFUSE(c, "segment %u: edge %u does not begin where edge %u ends", s, e, e - 1);
            }
            if (c->degree[edges[e].from] != 2) {
                REFUSE(c, "segment %u runs through intersection %u", s, edges[e].from);
            }
        }
        if (length != segments[s].length) {
            REFUSE(c, "segment %u has length %u, but its edges add up to %llu", s,
                   segments[s].length, (unsigned long long)length);
        }

        const sc_travel_times stated = sc_map_segment_times(c->map)[s];
        if (taken.forward != stated.forward || taken.backward != stated.backward) {
            REFUSE(c, "segment %u takes %u and %u units of time, but its edges add up to %u and %u",
                   s, stated.forward, stated.backward, taken.forward, taken.backward);
        }

        // It is maximal: no end could be joined to another segment.
        const sc_node_id a = edges[first].from;
        const sc_node_id b = edges[end - 1].to;
        const bool ring = a == b && c->degree[a] == 2;
        if (!ring && (c->degree[a] == 2 || c->degree[b] == 2)) {
            REFUSE(c, "segment %u ends at a node of degree 2, where it must continue", s);
        }
    }
    return SC_OK;
}

// Intersections are stars, and of the other nodes only the first of a segment
// that touches no intersection.
static sc_err check_star_nodes(const check *c)
{
    const sc_star *stars = sc__stars(c->map);
    const sc_edge *edges = sc__edges(c->map);
    const sc_segment *segments = sc__segments(c->map);
    memset(c->star_of, 0xff, c->map->node_count * sizeof *c->star_of);
    for (sc_star_id i = 0; i < c->map->star_count; i++) {
        if (c->star_of[stars[i].node] != SC_NONE) REFUSE(c, "node %u has two stars", stars[i].node);
        c->star_of[stars[i].node] = i;
    }
    uint64_t expected = 0;
    for (sc_node_id v = 0; v < c->map->node_count; v++) {
        if (c->degree[v] < 3) continue;
        if (c->star_of[v] == SC_NONE) REFUSE(c, "intersection %u has no star", v);
        expected++;
    }
    for (sc_seg_id s = 0; s < c->map->segment_count; s++) {
        const sc_node_id a = edges[segments[s].first_edge].from;
        const sc_node_id b = edges[segments[s + 1].first_edge - 1].to;
        expected += c->degree[a] < 3 && c->degree[b] < 3;
        if (c->star_of[a] == SC_NONE || segments[s].star_a != c->star_of[a]) {
            REFUSE(c, "segment %u has the wrong star at its beginning", s);
        }
        if (segments[s].star_b != c->star_of[b]) {
            REFUSE(c, "segment %u has the wrong star at its end", s);
        }
    }
    if (expected != c->map->star_count) {
        REFUSE(c, "the map has %u stars, but its edges give %llu", c->map->star_count,
               (unsigned long long)expected);
    }
    return SC_OK;
}

// Lists ascend and hold only segments of their star; as many as there are ends.
static sc_err check_star_segments(const check *c)
{
    const sc_star *stars = sc__stars(c->map);
    const sc_segment *segments = sc__segments(c->map);
    const sc_seg_id *listed = sc_map_star_segments(c->map);
    uint64_t expected = 0;
    for (sc_seg_id s = 0; s < c->map->segment_count; s++) {
        expected +=
            segments[s].star_b != SC_NONE && segments[s].star_b != segments[s].star_a ? 2 : 1;
    }
    for (sc_star_id i = 0; i < c->map->star_count; i++) {
        for (uint32_t j = stars[i].first_segment; j < stars[i + 1].first_segment; j++) {
            const sc_segment *segment = &segments[listed[j]];
            if (segment->star_a != i && segment->star_b != i) {
                REFUSE(c, "star %u lists segment %u, which does not touch it", i, listed[j]);
            }
            if (j > stars[i].first_segment && listed[j] <= listed[j - 1]) {
                REFUSE(c, "segments of star %u are out of order", i);
            }
        }
    }
    if (expected != c->map->tables[SC_TABLE_STAR_SEGMENTS].count) {
        REFUSE(c, "a segment is missing in the list of its star");
    }
    return SC_OK;
}

// Neighbours are the other ends of a star's segments, each once, ascending.
static sc_err check_star_graph(const check *c)
{
    const sc_star *stars = sc__stars(c->map);
    const sc_segment *segments = sc__segments(c->map);
    const sc_seg_id *listed = sc_map_star_segments(c->map);
    const sc_star_id *neighbours = sc_map_star_neighbours(c->map);
    memset(c->seen_from, 0xff, c->map->star_count * sizeof *c->seen_from);
    for (sc_star_id i = 0; i < c->map->star_count; i++) {
        uint32_t expected = 0;
        for (uint32_t j = stars[i].first_segment; j < stars[i + 1].first_segment; j++) {
            const sc_segment *segment = &segments[listed[j]];
            const sc_star_id other = segment->star_a == i ? segment->star_b : segment->star_a;
            if (other == SC_NONE || other == i || c->seen_from[other] == i) continue;
            c->seen_from[other] = i;
            expected++;
        }
        for (uint32_t j = stars[i].first_neighbour; j < stars[i + 1].first_neighbour; j++) {
            if (c->seen_from[neighbours[j]] != i) {
                REFUSE(c, "star %u lists star %u as a neighbour, but no segment joins them", i,
                       neighbours[j]);
            }
            if (j > stars[i].first_neighbour && neighbours[j] <= neighbours[j - 1]) {
                REFUSE(c, "neighbours of star %u are out of order", i);
            }
        }
        if (expected != stars[i + 1].first_neighbour - stars[i].first_neighbour) {
            REFUSE(c, "a neighbour is missing in the list of star %u", i);
        }
    }
    return SC_OK;
}

// The index is what building it again from the edges gives.
static sc_err check_index(const check *c)
{
    if (c->map->coords == SC_COORDS_NONE) return SC_OK;
    const uint64_t run_count = c->map->tables[SC_TABLE_RUNS].count;
    const uint64_t group_count = c->map->tables[SC_TABLE_BOXES].count;
    sc_edge_run *runs = sc_malloc_array(run_count, sizeof *runs);
    sc_box_group *groups = sc_malloc_array(group_count, sizeof *groups);
    bool fits = false;
    if (runs && groups) {
        sc__index_fill(c->map, runs, groups);
        fits = memcmp(runs, sc__edge_runs(c->map), run_count * sizeof *runs) == 0 &&
               memcmp(groups, sc__box_groups(c->map), group_count * sizeof *groups) == 0;
    }
    const bool had_memory = runs && groups;
    sc_free(runs);
    sc_free(groups);
    if (!had_memory) return sc_fail_memory(c->diag, "checking a map");
    if (!fits) REFUSE(c, "the snapping index does not match the edges");
    return SC_OK;
}

static sc_err check_objects(const check *c)
{
    const sc_object *objects = sc__objects(c->map);
    for (sc_object_id i = 0; i < c->map->object_count; i++) {
        if (objects[i].offset > sc__edges(c->map)[objects[i].edge].length) {
            REFUSE(c, "object %u lies beyond the end of its edge", i);
        }
        const sc_object *before = i > 0 ? &objects[i - 1] : NULL;
        if (before && (before->edge > objects[i].edge ||
                       (before->edge == objects[i].edge && before->offset > objects[i].offset))) {
            REFUSE(c, "object %u is out of order", i);
        }
    }
    for (sc_seg_id s = 0; s < c->map->segment_count; s++) {
        sc_object_id first = 0;
        sc_object_id last = 0;
        sc_map_segment_objects(c->map, s, &first, &last);
        for (sc_object_id i = first; i < last; i++) {
            if (sc__edges(c->map)[objects[i].edge].segment != s) {
                REFUSE(c, "object %u is listed under segment %u but lies on another", i, s);
            }
        }
    }
    return SC_OK;
}

// Strings are ended by NUL, which is a character too, and UTF-8.
static sc_err check_strings(const check *c)
{
    const sc_table *strings = &c->map->tables[SC_TABLE_STRINGS];
    const char *text = strings->data;
    for (uint64_t at = 0; at < strings->count;) {
        const size_t size = sc_utf8_size(text + at, strings->count - at);
        if (size == 0)
            REFUSE(c, "a name is not valid UTF-8, at byte %llu of the table of strings",
                   (unsigned long long)at);
        at += size;
    }
    return SC_OK;
}

sc_err sc_map_check(const sc_map *map, sc_diag *diag)
{
    check c = {.map = map, .diag = diag};
    c.degree = sc_calloc(map->node_count, sizeof *c.degree);
    c.star_of = sc_malloc_array(map->node_count, sizeof *c.star_of);
    c.seen_from = sc_malloc_array(map->star_count, sizeof *c.seen_from);
    sc_err err = SC_ENOMEM;
    if (!c.degree || !c.star_of || !c.seen_from) {
        sc_fail_memory(diag, "checking a map");
        goto done;
    }
    for (sc_edge_id e = 0; e < map->edge_count; e++) {
        c.degree[sc__edges(map)[e].from]++;
        c.degree[sc__edges(map)[e].to]++;
    }
    err = check_nodes(&c);
    if (!err) err = check_chains(&c);
    if (!err) err = check_star_nodes(&c);
    if (!err) err = check_star_segments(&c);
    if (!err) err = check_star_graph(&c);
    if (!err) err = check_index(&c);
    if (!err) err = check_objects(&c);
    if (!err) err = check_strings(&c);
done:
    sc_free(c.degree);
    sc_free(c.star_of);
    sc_free(c.seen_from);
    return err;
}
