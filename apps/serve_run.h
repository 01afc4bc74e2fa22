/**
 * @file serve_run.h
 * @brief A service from the command line to its end, for the commands that run one.
 */
#ifndef SC_APPS_SERVE_RUN_H
#define SC_APPS_SERVE_RUN_H

#include <starcloak/map.h>

#include "api/service.h"
#include "serve_flags.h"
#include "serve_map.h"
#include "serve_process.h"
#include "server/log.h"

// --- Log, map and provider ----------------------------------------------------------------------

/** Zero-initialise; release with sc_serve_resources_close(). */
typedef struct sc_serve_resources {
    sc_log *log;
    sc_serve_map *served;  ///< NULL: the service has it, and closes it
    char **admin;          ///< addresses for operators
    size_t admin_count;
    char **proxies;
    size_t proxy_count;
    char **relays;
    size_t relay_count;
    char **addresses;
    size_t address_count;
    sc_point_settings *points;  ///< NULL: another provider is asked
    sc_area_settings *areas;    ///< NULL: another provider is asked
    char pass_issuer_name[SC_PASS_ISSUER_MAX + 1];
    int inherited[SC_SERVING_SOCKETS];  ///< sockets from the service manager
} sc_serve_resources;

/** Open all of it. What takes long says so in the log. */
SC_CHECKED sc_err sc_serve_resources_open(const sc_call *call, const sc_settings *settings,
                                          sc_serve_resources *out, sc_diag *diag);

/** Once; harmless on a zeroed one. */
void sc_serve_resources_close(sc_serve_resources *resources);

/** The options of a service that stands on them and on a map, which must outlive it. */
sc_service_options sc_serve_options(const sc_settings *settings, const sc_serve_map *served,
                                    sc_serve_resources *resources);

// --- From start to end --------------------------------------------------------------------------
// A service from its settings to its end: opened, started, reloaded, drained; with hooks
// that a command may bring along.

/** What a command adds to a service, in the order in which it is called. All may be NULL. */
typedef struct sc_serve_hooks {
    const sc_serve_flag *usual;  ///< its own defaults, ended by a NULL name
    /** The map is open; pages may be added to the options. */
    sc_err (*prepare)(void *context, const sc_settings *settings, const sc_map *map,
                      sc_service_options *options, sc_diag *diag);
    /** The service is made and not started. */
    sc_err (*attach)(void *context, sc_service *service, sc_diag *diag);
    /** It serves, in its sandbox. */
    sc_err (*start)(void *context, sc_service *service, sc_diag *diag);
    /** It is about to drain, or has failed; may be called twice. */
    void (*stop)(void *context);
    /** It is gone; of the map it is the last moment. Called in any case. */
    void (*close)(void *context);
    void *context;
    sc_serving_end *end;  ///< that may come from within
} sc_serve_hooks;

/**
 * Run a service until a signal stops it; or do what --check and --print-config ask for.
 *
 * @param hooks  NULL: none
 * @return the exit status
 */
int sc_serve_run(sc_call *call, const sc_serve_flags *flags, const sc_serve_hooks *hooks);

#endif
