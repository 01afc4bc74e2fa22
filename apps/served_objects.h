/**
 * @file served_objects.h
 * @brief The objects of a provider that serves: the map's own, or a feed that tells the log.
 *
 * Used by: starcloak lbs and serve.
 */
#ifndef SC_APPS_SERVED_OBJECTS_H
#define SC_APPS_SERVED_OBJECTS_H

#include <stdatomic.h>

#include "objects_options.h"
#include "server/log.h"

/** Zero-initialise; release with sc_served_objects_close(). Stays where it is while it is open: the
 * feed's thread knows it. */
typedef struct sc_served_objects {
    sc_opened_objects own;           ///< of the map; empty if there is a feed
    _Atomic(sc_object_feed *) feed;  ///< NULL: the map's own
    sc_log *log;
    atomic_bool is_stale;  ///< it was told that the last load failed, and none came since
} sc_served_objects;

/**
 * Get the objects. Of a map without a stored index one is built in memory. As long as it is open,
 * the log is told when a feed has loaded, and when it cannot.
 *
 * @param path  of the map, for messages
 * @param log   must outlive the result, as `call` and `map`
 */
SC_CHECKED sc_err sc_served_objects_open(const sc_call *call, const sc_objects_options *options,
                                         const sc_map *map, const char *path, sc_log *log,
                                         sc_served_objects *out, sc_diag *diag);

/** Harmless twice, and on a zeroed one. */
void sc_served_objects_close(sc_served_objects *objects);

#endif
