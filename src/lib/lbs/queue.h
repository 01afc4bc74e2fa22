/**
 * @file queue.h
 * @brief A heap of stars to be visited, nearest first.
 *
 * Entries are never changed: a star that is reached by a shorter way is put in
 * again, and whoever takes out the older entry finds it out of date.
 *
 * Used by: the searches of this folder.
 */
#ifndef SC_LBS_QUEUE_H
#define SC_LBS_QUEUE_H

#include <starcloak/map.h>

typedef struct sc_queued {
    double distance;  ///< in units of the map; whole numbers of them are exact
    sc_star_id star;
} sc_queued;

/** Zero-initialise; release with sc__queue_fini(). */
typedef struct sc_queue {
    sc_queued *entries;
    size_t count;
    size_t capacity;
} sc_queue;

void sc__queue_fini(sc_queue *queue);

/** False when memory is out. */
SC_CHECKED bool sc__queue_push(sc_queue *queue, double distance, sc_star_id star);

/** Take the nearest out; there must be one. */
sc_queued sc__queue_pop(sc_queue *queue);

#endif
