/**
 * @file serve_demands.h
 * @brief What a service asks of the roads of cloaks: the tables that its settings name, and whether
 * they are worth what is asked.
 *
 * For `serve`, `gateway`, `worker` and `demo`. The processes of a cluster must agree in all of it
 * (cluster/demand_digest.h).
 */
#ifndef SC_APPS_SERVE_DEMANDS_H
#define SC_APPS_SERVE_DEMANDS_H

#include <starcloak/demands.h>
#include <starcloak/map.h>

#include "api/settings.h"
#include "server/log.h"

/** Zero-initialise; release with sc_served_demands_close(). */
typedef struct sc_served_demands {
    sc_density *density;
    sc_place_classes *classes;
    sc_demands asked;  ///< points to both
} sc_served_demands;

/** Read the tables. */
SC_CHECKED sc_err sc_served_demands_open(const sc_settings *settings, const sc_map *map,
                                         sc_served_demands *out, sc_diag *diag);

/** Harmless on a zeroed one. */
void sc_served_demands_close(sc_served_demands *demands);

/** Log what is asked, and what a table is too thin for. */
void sc_served_demands_log(const sc_served_demands *demands, const sc_settings *settings,
                           sc_log *log);

/** Engines keep the tables of the start, where the map does not change: log it if the files have
 * others by now. */
void sc_served_demands_compare(const sc_served_demands *demands, const sc_served_demands *now,
                               sc_log *log);

#endif
