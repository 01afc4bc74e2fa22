/**
 * @file serve_map.h
 * @brief The files of a map that a service serves: the map, its parts, its tables, the objects of
 * the built-in provider; and whether a reload finds others.
 */
#ifndef SC_APPS_SERVE_MAP_H
#define SC_APPS_SERVE_MAP_H

#include <starcloak/map.h>

#include "api/settings.h"
#include "command.h"
#include "partition/partition.h"
#include "serve_demands.h"
#include "serve_process.h"
#include "server/log.h"

/** What goes by one map. Objects point to it: it stays where it is. */
typedef struct sc_serve_map {
    sc_settings settings;  ///< of the start, but for those that go with the map
    sc_settings *lent;     ///< which are of these, to be freed; NULL: they are another's
    sc_map *map;
    sc_partition *partition;  ///< NULL: one part
    sc_served_demands demands;
    sc_served_objects objects;  ///< of the built-in provider
    char **categories;
    size_t category_count;
} sc_serve_map;

/**
 * Open the map and read its tables; the objects come later.
 *
 * @param settings  of the start; borrowed, as the next
 * @param next      what goes with the map is taken from there
 */
SC_CHECKED sc_err sc_serve_map_open(const sc_settings *settings, const sc_settings *next,
                                    sc_serve_map **out, sc_diag *diag);

/** Open the objects, if the provider is built in. @param log  told of them; outlives it */
SC_CHECKED sc_err sc_serve_map_open_objects(const sc_call *call, sc_serve_map *served, sc_log *log,
                                            sc_diag *diag);

/** NULL is fine. `context` is a sc_serve_map: for sc_service_on_retired(). */
void sc_serve_map_close(void *context);

/**
 * Whether a reload finds the same map: the bytes of the map, of the parts and of the tables are the
 * same, and so is where the provider is and what it has.
 *
 * @param next        of which the objects are not open yet
 * @param vocabulary  the words that requests may use now
 */
bool sc_serve_map_is_same(const sc_serve_map *now, const sc_serve_map *next,
                          const sc_vocabulary *vocabulary);

#endif
