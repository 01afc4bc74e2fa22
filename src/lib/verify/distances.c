// Dijkstra over nodes and objects alike. See distances.h.
//
// Objects are reached from the ends of their edge as nodes are, and wait in the same heap, so
// that whatever comes out first has its distance. An entry is never changed: what is found
// again nearer is put in again, and the later one is passed over.
#include "verify/distances.h"

#include "base/alloc.h"

#include <math.h>
#include <string.h>

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
    // Nobody looks at four thousand million answers; if so, marks of old would be believed.
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
