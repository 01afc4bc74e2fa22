// A heap of stars to be visited. Four children per entry: fewer levels to climb than with two, and
// four entries of sixteen bytes are one cache line. See queue.h.
#include "lbs/queue.h"

#include "base/alloc.h"

enum { CHILDREN = 4 };

void sc__queue_fini(sc_queue *queue)
{
    sc_free(queue->entries);
    *queue = (sc_queue){.count = 0};
}

bool sc__queue_push(sc_queue *queue, double distance, sc_star_id star)
{
    if (!sc_grow(&queue->entries, queue->count, &queue->capacity, sizeof *queue->entries)) {
        return false;
    }
    size_t at = queue->count++;
    while (at > 0) {
        const size_t parent = (at - 1) / CHILDREN;
        if (queue->entries[parent].distance <= distance) break;
        queue->entries[at] = queue->entries[parent];
        at = parent;
    }
    queue->entries[at] = (sc_queued){distance, star};
    return true;
}

sc_queued sc__queue_pop(sc_queue *queue)
{
    sc_queued *entries = queue->entries;
    const sc_queued top = entries[0];
    const sc_queued last = entries[--queue->count];
    const size_t count = queue->count;
    size_t at = 0;
    for (;;) {
        const size_t first = CHILDREN * at + 1;
        if (first >= count) break;
        const size_t end = first + CHILDREN < count ? first + CHILDREN : count;
        size_t least = first;
        for (size_t i = first + 1; i < end; i++) {
            if (entries[i].distance < entries[least].distance) least = i;
        }
        if (entries[least].distance >= last.distance) break;
        entries[at] = entries[least];
        at = least;
    }
    entries[at] = last;
    return top;
}
