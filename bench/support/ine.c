// Incremental network expansion over nodes and edges. See ine.h.
#include "support/ine.h"

#include "support/bench.h"

#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

/** The largest k that is asked for here. */
enum { MAX_K = 1000 };

static void *room(size_t count, size_t size)
{
    void *memory = sc_calloc(count, size);
    if (!memory) bench_die("ine", "out of memory");
    return memory;
}

ine ine_new(const sc_objects *objects)
{
    ine s = {.view = sc__objects_view(objects)};
    const sc_map *map = s.view->map;
    const sc_edge *edges = sc_map_edges(map);
    const uint32_t edge_count = sc_map_edge_count(map);
    const uint32_t node_count = sc_map_node_count(map);
    s.node_first = room((size_t)node_count + 2, sizeof *s.node_first);
    s.roads = room(2 * (size_t)edge_count, sizeof *s.roads);
    s.edge_first = room((size_t)edge_count + 1, sizeof *s.edge_first);
    s.best.distances = room(MAX_K, sizeof *s.best.distances);
    // By counting: the entry two places on becomes where the next one of a node goes.
    for (sc_edge_id e = 0; e < edge_count; e++) {
        s.node_first[edges[e].from + 2]++;
        if (edges[e].to != edges[e].from) s.node_first[edges[e].to + 2]++;
    }
    for (uint32_t n = 2; n < node_count + 2; n++) {
        s.node_first[n] += s.node_first[n - 1];
    }
    for (sc_edge_id e = 0; e < edge_count; e++) {
        s.roads[s.node_first[edges[e].from + 1]++] = e;
        if (edges[e].to != edges[e].from) s.roads[s.node_first[edges[e].to + 1]++] = e;
    }
    uint32_t object = 0;
    for (sc_edge_id e = 0; e <= edge_count; e++) {
        while (object < s.view->object_count && s.view->objects[object].edge < e) {
            object++;
        }
        s.edge_first[e] = object;
    }
    return s;
}

void ine_free(ine *search)
{
    sc_free(search->node_first);
    sc_free(search->roads);
    sc_free(search->edge_first);
    sc_free(search->best.distances);
    sc_free(search->distances);
    sc_free(search->hits);
    sc__lbs_marks_fini(&search->node_marks);
    sc__lbs_marks_fini(&search->object_marks);
    sc_lbs_queue_fini(&search->queue);
}

static void offer(ine *s, sc_object_id object, double distance)
{
    if (distance > s->bound) return;
    sc_lbs_mark *mark = &s->object_marks.marks[object];
    if (mark->search == s->object_marks.search) {
        sc_lbs_hit *hit = &s->hits[mark->slot];
        if (distance < hit->distance) hit->distance = distance;
        return;
    }
    if (!sc_grow(&s->hits, s->hit_count, &s->hit_capacity, sizeof *s->hits)) {
        bench_die("ine", "out of memory");
    }
    *mark = (sc_lbs_mark){s->object_marks.search, (uint32_t)s->hit_count};
    s->hits[s->hit_count++] = (sc_lbs_hit){distance, object};
    if (s->best.k == UINT32_MAX) return;
    sc__lbs_best_add(&s->best, distance);
    s->bound = sc__lbs_best_bound(&s->best, s->bound);
}

static void reach(ine *s, sc_node_id node, double distance)
{
    if (distance > s->bound) return;
    sc_lbs_mark *mark = &s->node_marks.marks[node];
    if (mark->search == s->node_marks.search) {
        if (s->distances[mark->slot] <= distance) return;
        s->distances[mark->slot] = distance;
    } else {
        if (!sc_grow(&s->distances, s->node_count, &s->node_capacity, sizeof *s->distances)) {
            bench_die("ine", "out of memory");
        }
        *mark = (sc_lbs_mark){s->node_marks.search, (uint32_t)s->node_count};
        s->distances[s->node_count++] = distance;
    }
    if (!sc_lbs_queue_reserve(&s->queue, s->queue.count + 1)) bench_die("ine", "out of memory");
    sc_lbs_queue_push(&s->queue, (sc_lbs_queued){distance, node});
}

static void visit(ine *s, const sc_lbs_wanted *wanted, sc_node_id node, double distance)
{
    const sc_edge *edges = sc_map_edges(s->view->map);
    for (uint32_t i = s->node_first[node]; i < s->node_first[node + 1]; i++) {
        const sc_edge_id e = s->roads[i];
        const sc_edge *edge = &edges[e];
        for (uint32_t o = s->edge_first[e]; o < s->edge_first[e + 1]; o++) {
            if (!sc__lbs_is_wanted(wanted, s->view, o)) continue;
            const uint32_t offset = s->view->objects[o].offset;
            if (edge->from == node) offer(s, o, distance + offset);
            if (edge->to == node) offer(s, o, distance + (edge->length - offset));
        }
        reach(s, edge->from == node ? edge->to : edge->from, distance + edge->length);
    }
}

static int compare_hits(const void *a, const void *b)
{
    const double left = ((const sc_lbs_hit *)a)->distance;
    const double right = ((const sc_lbs_hit *)b)->distance;
    return (left > right) - (left < right);
}

static void settle(ine *s, uint32_t k)
{
    size_t count = 0;
    for (size_t i = 0; i < s->hit_count; i++) {
        if (s->hits[i].distance <= s->bound) s->hits[count++] = s->hits[i];
    }
    enum { FEW = 32 };
    if (count > FEW) qsort(s->hits, count, sizeof *s->hits, compare_hits);
    for (size_t i = 1; i < count && count <= FEW; i++) {
        const sc_lbs_hit hit = s->hits[i];
        size_t at = i;
        for (; at > 0 && hit.distance < s->hits[at - 1].distance; at--) {
            s->hits[at] = s->hits[at - 1];
        }
        s->hits[at] = hit;
    }
    s->hit_count = count < k ? count : k;
}

void ine_search(ine *search, const sc_lbs_wanted *wanted, sc_lbs_reach far, sc_node_id node)
{
    ine *s = search;
    s->bound = far.radius;
    s->hit_count = 0;
    s->node_count = 0;
    s->queue.count = 0;
    s->best.count = 0;
    s->best.k = far.k;
    if (!sc__lbs_marks_begin(&s->node_marks, sc_map_node_count(s->view->map)) ||
        !sc__lbs_marks_begin(&s->object_marks, s->view->object_count)) {
        bench_die("ine", "out of memory");
    }
    reach(s, node, 0);
    while (s->queue.count > 0) {
        const sc_lbs_queued next = sc_lbs_queue_pop(&s->queue);
        if (next.distance > s->bound) break;
        if (next.distance > s->distances[s->node_marks.marks[next.star].slot]) continue;
        visit(s, wanted, next.star, next.distance);
    }
    settle(s, far.k);
}
