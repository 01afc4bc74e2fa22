// A heap of what will happen. See events.h.
#include "cluster_sim/events.h"

#include "base/alloc.h"

#include <string.h>

sc__event *sc__event_new(sc__event_kind kind, uint32_t process, uint32_t life)
{
    sc__event *event = sc_calloc(1, sizeof *event);
    if (!event) return NULL;
    event->kind = kind;
    event->process = process;
    event->life = life;
    return event;
}

void sc__event_free(sc__event *event)
{
    if (!event) return;
    if (event->kind == SC__EVENT_MSG) sc_msg_fini(&event->msg);
    if (event->kind == SC__EVENT_ASK) sc_ticket_free(event->ticket);
    explicit_bzero(event, sizeof *event);
    sc_free(event);
}

void sc__events_fini(sc__events *events)
{
    for (size_t i = 0; i < events->count; i++) {
        sc__event_free(events->heap[i].event);
    }
    sc_free(events->heap);
    *events = (sc__events){0};
}

static bool is_before(const sc__planned *a, const sc__planned *b)
{
    return a->t != b->t ? a->t < b->t : a->number < b->number;
}

sc_err sc__events_put(sc__events *events, sc_time t, sc__event *event)
{
    if (!event) return SC_ENOMEM;
    if (!sc_grow(&events->heap, events->count, &events->capacity, sizeof *events->heap)) {
        sc__event_free(event);
        return SC_ENOMEM;
    }
    const sc__planned planned = {.t = t, .number = events->planned++, .event = event};
    size_t place = events->count++;
    while (place > 0) {
        const size_t parent = (place - 1) / 2;
        if (!is_before(&planned, &events->heap[parent])) break;
        events->heap[place] = events->heap[parent];
        place = parent;
    }
    events->heap[place] = planned;
    return SC_OK;
}

sc_time sc__events_next(const sc__events *events)
{
    return events->count > 0 ? events->heap[0].t : SC_TIME_NEVER;
}

sc__event *sc__events_take(sc__events *events)
{
    sc__event *event = events->heap[0].event;
    const sc__planned last = events->heap[--events->count];
    size_t place = 0;
    for (;;) {
        size_t child = 2 * place + 1;
        if (child >= events->count) break;
        if (child + 1 < events->count &&
            is_before(&events->heap[child + 1], &events->heap[child])) {
            child++;
        }
        if (!is_before(&events->heap[child], &last)) break;
        events->heap[place] = events->heap[child];
        place = child;
    }
    events->heap[place] = last;
    return event;
}
