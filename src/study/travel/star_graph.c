// The star graph, while stars are taken out of it: lists of arcs in one pool. See star_graph.h.
#include "travel/star_graph.h"

static uint32_t room(uint32_t size)
{
    return (uint32_t)SC__LEAST_ROOM << size;
}

// Take a block of the pool, one that waits if there is one.
static sc_err take_block(sc__star_graph *graph, uint32_t size, uint32_t *first)
{
    if (size >= SC__ROOM_SIZES) return SC_ELIMIT;
    if (graph->idle[size]) {
        *first = graph->idle[size] - 1;
        // NOLINTNEXTLINE(clang-analyzer-core.NullDereference): every list has a block of the pool
        graph->idle[size] = graph->pool[*first].to;
        return SC_OK;
    }
    const size_t count = graph->pool_count + room(size);
    if (count >= UINT32_MAX) return SC_ELIMIT;
    if (!sc_reserve(&graph->pool, count, &graph->pool_capacity, sizeof *graph->pool))
        return SC_ENOMEM;
    *first = (uint32_t)graph->pool_count;
    graph->pool_count = count;
    return SC_OK;
}

static void leave_block(sc__star_graph *graph, uint32_t size, uint32_t first)
{
    graph->pool[first].to = graph->idle[size];
    graph->idle[size] = first + 1;
}

// Append to a list, which moves if it is full.
static sc_err add(sc__star_graph *graph, sc_star_id star, sc__arc arc)
{
    sc__arc_list *list = &graph->lists[star];
    if (list->count == room(list->size)) {
        uint32_t first = 0;
        const sc_err err = take_block(graph, list->size + 1, &first);
        if (err) return err;
        for (uint32_t i = 0; i < list->count; i++) {
            graph->pool[first + i] = graph->pool[list->first + i];
        }
        leave_block(graph, list->size, list->first);
        list->first = first;
        list->size++;
    }
    // NOLINTNEXTLINE(clang-analyzer-core.NullDereference): every list has a block of the pool
    graph->pool[list->first + list->count++] = arc;
    return SC_OK;
}

static sc__arc *find_arc(const sc__star_graph *graph, sc_star_id star, sc_star_id to)
{
    const sc__arc_list *list = &graph->lists[star];
    for (uint32_t i = 0; i < list->count; i++) {
        // NOLINTNEXTLINE(clang-analyzer-core.NullDereference): every list has a block of the pool
        if (graph->pool[list->first + i].to == to) return &graph->pool[list->first + i];
    }
    return NULL;
}

sc_err sc__star_graph_link(sc__star_graph *graph, sc_star_id from, sc_star_id to, sc__link way)
{
    // Both lists have the arc or none does: ask the shorter one.
    const bool is_from_shorter = graph->lists[from].count <= graph->lists[to].count;
    sc__arc *known = is_from_shorter ? find_arc(graph, from, to) : find_arc(graph, to, from);
    if (known) {
        const sc__link *old = is_from_shorter ? &known->there : &known->back;
        if (old->ms <= way.ms) return SC_OK;
        find_arc(graph, from, to)->there = way;
        find_arc(graph, to, from)->back = way;
        return SC_OK;
    }
    const sc__link none = {SC__NEVER, 0};
    const sc_err err = add(graph, from, (sc__arc){to, way, none});
    return err ? err : add(graph, to, (sc__arc){from, none, way});
}

void sc__star_graph_remove(sc__star_graph *graph, sc_star_id star)
{
    uint32_t count = 0;
    const sc__arc *arcs = sc__star_graph_arcs(graph, star, &count);
    for (uint32_t i = 0; i < count; i++) {
        sc__arc_list *list = &graph->lists[arcs[i].to];
        sc__arc *back = find_arc(graph, arcs[i].to, star);
        *back = graph->pool[list->first + --list->count];
    }
}

void sc__star_graph_fini(sc__star_graph *graph)
{
    sc_free(graph->lists);
    sc_free(graph->pool);
    *graph = (sc__star_graph){.star_count = 0};
}

sc_err sc__star_graph_init(sc__star_graph *graph, const sc_map *map,
                           const sc_travel_times *segment_ms)
{
    *graph = (sc__star_graph){.star_count = sc_map_star_count(map), .is_symmetric = true};
    sc_err err = SC_ENOMEM;
    graph->lists = sc_calloc(graph->star_count, sizeof *graph->lists);
    if (!graph->lists) goto fail;
    for (sc_star_id star = 0; star < graph->star_count; star++) {
        err = take_block(graph, 0, &graph->lists[star].first);
        if (err) goto fail;
    }
    const sc_segment *segments = sc_map_segments(map);
    for (sc_seg_id s = 0; s < sc_map_segment_count(map); s++) {
        const sc_star_id a = segments[s].star_a;
        const sc_star_id b = segments[s].star_b;
        const sc_travel_times ms = segment_ms[s];
        if (ms.forward != ms.backward || ms.forward == SC__NEVER) graph->is_symmetric = false;
        // Dead ends and roads that return lead nowhere else.
        if (b == SC_NONE || a == b) continue;
        if (ms.forward != SC__NEVER) {
            err = sc__star_graph_link(graph, a, b, (sc__link){ms.forward, s});
            if (err) goto fail;
        }
        if (ms.backward != SC__NEVER) {
            err = sc__star_graph_link(graph, b, a, (sc__link){ms.backward, s});
            if (err) goto fail;
        }
    }
    return SC_OK;

fail:
    sc__star_graph_fini(graph);
    return err;
}
