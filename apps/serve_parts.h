/**
 * @file serve_parts.h
 * @brief What a service stands on: the map and its cut, the objects, a density, the log; opened by
 * settings.
 */
#ifndef SC_APPS_SERVE_PARTS_H
#define SC_APPS_SERVE_PARTS_H

#include <starcloak/density.h>
#include <starcloak/map.h>

#include "api/service.h"
#include "api/settings.h"
#include "command.h"
#include "partition/partition.h"
#include "served_objects.h"
#include "server/log.h"
#include "serving.h"

/** Zero-initialise; release with sc_serve_parts_close(). Stays where it is while it is open. */
typedef struct sc_serve_parts {
    sc_log *log;
    sc_map *map;
    sc_partition *cut;          ///< NULL: one part
    sc_served_objects objects;  ///< of the built-in provider
    sc_density *density;
    char **addresses;
    size_t address_count;
    char **categories;
    size_t category_count;
    char *point_fields;  ///< the text that the fields of `points` lie in
    sc_point_options points;
    int inherited[SC_SERVING_SOCKETS];  ///< sockets from the service manager
} sc_serve_parts;

/** Open all of it. What takes long says so in the log. */
SC_CHECKED sc_err sc_serve_parts_open(const sc_call *call, const sc_settings *settings,
                                      sc_serve_parts *out, sc_diag *diag);

/** Once; harmless on a zeroed one. */
void sc_serve_parts_close(sc_serve_parts *parts);

/** How the engines are to search, by settings. */
sc_engine_options sc_serve_engine_options(const sc_settings *settings);

/** The options of a service that stands on them, which must outlive it. */
sc_service_options sc_serve_options(const sc_settings *settings, sc_serve_parts *parts);

#endif
