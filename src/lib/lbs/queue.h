/**
 * @file queue.h
 * @brief A heap of stars to be visited, nearest first.
 *
 * Entries are never changed: a star that is reached by a shorter way is put in
 * again, and the older entry is out of date when it comes out.
 */
#ifndef SC_LBS_QUEUE_H
#define SC_LBS_QUEUE_H

#include <starcloak/map.h>

typedef struct sc_queued {
    double distance;  ///< in units of the map; whole numbers of them are exact
    sc_star_id star;
} sc_queued;

// Four children per entry: fewer levels to climb than with two, and four entries of sixteen bytes
// are one cache line.
#define SC_HEAP sc_queue
#define SC_HEAP_ENTRY sc_queued
#define SC_HEAP_IS_BEFORE(heap, a, b) ((a).distance < (b).distance)
#define SC_HEAP_CHILDREN 4
#include "base/heap_template.h"

#endif
