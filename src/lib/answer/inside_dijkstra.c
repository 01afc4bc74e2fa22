// Dijkstra's search inside a cloak. See inside.h.
//
// An entry of the queue is never changed: a vertex that is reached by a shorter way goes in again,
// and the older entry is passed over when it comes out. Each way is taken at most once, so the
// queue never holds more than there are ways and beginnings.
#include "answer/inside_search.h"

#include <string.h>

// --- Searching ---------------------------------------------------------------

static void begin_search(sc_inside *inside)
{
    for (size_t i = 0; i < inside->touched_count; i++) {
        inside->spans[inside->touched[i]] = (sc_span){HUGE_VAL, 0.0};
    }
    inside->touched_count = 0;
    inside->queue.count = 0;
    inside->met_count = 0;
}

static void reach(sc_inside *inside, uint32_t vertex, sc_span span)
{
    sc_span *known = &inside->spans[vertex];
    const double distance = sc__span_plus(span, 0.0);
    if (distance >= sc__span_plus(*known, 0.0)) return;
    if (isinf(known->whole)) inside->touched[inside->touched_count++] = vertex;
    *known = span;
    sc_inside_queue_push(&inside->queue, (sc_inside_queued){distance, vertex});
}

// Take the nearest vertex out and go on from there; SC_NONE if a shorter way to it came first.
static uint32_t settle_next(sc_inside *inside)
{
    const sc_inside_queued next = sc_inside_queue_pop(&inside->queue);
    const sc_span span = inside->spans[next.vertex];
    if (next.distance > sc__span_plus(span, 0.0)) return SC_NONE;
    for (uint32_t i = inside->first_way[next.vertex]; i < inside->first_way[next.vertex + 1]; i++) {
        const sc_inside_way *way = &inside->ways[i];
        reach(inside, way->to, (sc_span){span.whole + way->length, span.shift});
    }
    return next.vertex;
}

void sc__inside_search_border(sc_inside *inside, uint32_t border, double limit)
{
    begin_search(inside);
    reach(inside, inside->border_vertex[border], (sc_span){0.0, 0.0});
    while (inside->queue.count > 0 && inside->queue.entries[0].distance <= limit &&
           inside->met_count < SC_INSIDE_MET) {
        const uint32_t vertex = settle_next(inside);
        if (vertex == SC_NONE) continue;
        const uint32_t other = inside->border_of[vertex];
        if (other == SC_NONE || other == border) continue;
        inside->met[inside->met_count++] =
            (sc_inside_met){other, sc__span_plus(inside->spans[vertex], 0.0)};
    }
}

void sc__inside_search_place(sc_inside *inside, uint32_t segment, double along)
{
    const sc_inside_segment *road = &inside->segments[segment];
    begin_search(inside);
    reach(inside, road->end_a, (sc_span){0.0, along});
    if (road->end_b != SC_NONE) reach(inside, road->end_b, (sc_span){road->length, -along});
    while (inside->queue.count > 0) {
        settle_next(inside);
    }
}

void sc__inside_forget(sc_inside *inside)
{
    if (inside->segment_count > 0) {
        explicit_bzero(inside->spans, inside->vertex_count * sizeof *inside->spans);
        // The order in which a search comes by, and the queue beyond its end, tell as much.
        explicit_bzero(inside->touched, inside->vertex_count * sizeof *inside->touched);
        explicit_bzero(inside->queue.entries,
                       (2 * inside->segment_count + 2) * sizeof *inside->queue.entries);
    }
    inside->touched_count = 0;
    inside->queue.count = 0;
    inside->segment_count = 0;
    inside->vertex_count = 0;
}
