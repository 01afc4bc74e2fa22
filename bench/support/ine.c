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
    sc_free(search->costs);
    sc_free(search->hits);
    sc__lbs_marks_fini(&search->node_marks);
    sc__lbs_marks_fini(&search->object_marks);
    sc_lbs_queue_fini(&search->queue);
}

static void offer(ine *s, sc_object_id object, sc_lbs_cost way)
{
    if (way.cost > s->bound) return;
    sc_lbs_mark *mark = &s->object_marks.marks[object];
    if (mark->search == s->object_marks.search) {
        sc_lbs_hit *hit = &s->hits[mark->slot];
        if (sc__lbs_is_cheaper(way, hit->way)) hit->way = way;
        return;
    }
    if (!sc_grow(&s->hits, s->hit_count, &s->hit_capacity, sizeof *s->hits)) {
        bench_die("ine", "out of memory");
    }
    *mark = (sc_lbs_mark){s->object_marks.search, (uint32_t)s->hit_count};
    s->hits[s->hit_count++] = (sc_lbs_hit){way, object};
    if (s->best.k == UINT32_MAX) return;
    sc__lbs_best_add(&s->best, way.cost);
    s->bound = sc__lbs_best_bound(&s->best, s->bound);
}

static void reach(ine *s, sc_node_id node, sc_lbs_cost way)
{
    if (way.cost > s->bound) return;
    sc_lbs_mark *mark = &s->node_marks.marks[node];
    if (mark->search == s->node_marks.search) {
        if (!sc__lbs_is_cheaper(way, s->costs[mark->slot])) return;
        s->costs[mark->slot] = way;
    } else {
        if (!sc_grow(&s->costs, s->node_count, &s->node_capacity, sizeof *s->costs)) {
            bench_die("ine", "out of memory");
        }
        *mark = (sc_lbs_mark){s->node_marks.search, (uint32_t)s->node_count};
        s->costs[s->node_count++] = way;
    }
    if (!sc_lbs_queue_reserve(&s->queue, s->queue.count + 1)) bench_die("ine", "out of memory");
    sc_lbs_queue_push(&s->queue, (sc_lbs_queued){way.cost, node});
}

// Along an edge from one of its ends, where it is open.
static void go_along(ine *s, const sc_lbs_wanted *wanted, sc_edge_id e, bool backwards,
                     sc_lbs_cost before)
{
    const sc_edge *edge = &sc_map_edges(s->view->map)[e];
    const sc_travel_times times = sc_map_edge_times(s->view->map)[e];
    const uint32_t time = backwards ? times.backward : times.forward;
    for (uint32_t o = s->edge_first[e]; o < s->edge_first[e + 1]; o++) {
        if (!sc__lbs_is_wanted(wanted, s->view, o)) continue;
        const uint32_t offset = s->view->objects[o].offset;
        const uint32_t part = backwards ? edge->length - offset : offset;
        if (part > 0 && time == SC_CLOSED) continue;
        const double part_time = part > 0 ? nearbyint(time * ((double)part / edge->length)) : 0.0;
        offer(s, o, sc__lbs_cost_plus(before, sc__step_of(s->metric, part, (uint32_t)part_time)));
    }
    if (time == SC_CLOSED) return;
    reach(s, backwards ? edge->from : edge->to,
          sc__lbs_cost_plus(before, sc__step_of(s->metric, edge->length, time)));
}

static void visit(ine *s, const sc_lbs_wanted *wanted, sc_node_id node, sc_lbs_cost way)
{
    const sc_edge *edges = sc_map_edges(s->view->map);
    for (uint32_t i = s->node_first[node]; i < s->node_first[node + 1]; i++) {
        const sc_edge_id e = s->roads[i];
        if (edges[e].from == node) go_along(s, wanted, e, false, way);
        if (edges[e].to == node) go_along(s, wanted, e, true, way);
    }
}

static int compare_hits(const void *a, const void *b)
{
    const double left = ((const sc_lbs_hit *)a)->way.cost;
    const double right = ((const sc_lbs_hit *)b)->way.cost;
    return (left > right) - (left < right);
}

static void settle(ine *s, uint32_t k)
{
    size_t count = 0;
    for (size_t i = 0; i < s->hit_count; i++) {
        if (s->hits[i].way.cost <= s->bound) s->hits[count++] = s->hits[i];
    }
    enum { FEW = 32 };
    if (count > FEW) qsort(s->hits, count, sizeof *s->hits, compare_hits);
    for (size_t i = 1; i < count && count <= FEW; i++) {
        const sc_lbs_hit hit = s->hits[i];
        size_t at = i;
        for (; at > 0 && hit.way.cost < s->hits[at - 1].way.cost; at--) {
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
    s->metric = far.metric;
    s->hit_count = 0;
    s->node_count = 0;
    s->queue.count = 0;
    s->best.count = 0;
    s->best.k = far.k;
    if (!sc__lbs_marks_begin(&s->node_marks, sc_map_node_count(s->view->map)) ||
        !sc__lbs_marks_begin(&s->object_marks, s->view->object_count)) {
        bench_die("ine", "out of memory");
    }
    reach(s, node, (sc_lbs_cost){0.0, 0.0});
    while (s->queue.count > 0) {
        const sc_lbs_queued next = sc_lbs_queue_pop(&s->queue);
        if (next.cost > s->bound) break;
        const sc_lbs_cost way = s->costs[s->node_marks.marks[next.star].slot];
        if (next.cost > way.cost) continue;
        visit(s, wanted, next.star, way);
    }
    settle(s, far.k);
}
