/**
 * @file serve_run.h
 * @brief A service from its settings to its end: opened, started, reloaded, drained; with hooks
 * that a command may bring along.
 *
 * Used by: serve, demo, gateway.
 */
#ifndef SC_APPS_SERVE_RUN_H
#define SC_APPS_SERVE_RUN_H

#include "api/service.h"
#include "serve_flags.h"
#include "serve_process.h"

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
 * Run a service until it is told to stop; or do what --check and --print-config ask for.
 *
 * @param hooks  NULL: none
 * @return the exit status
 */
int sc_serve_run(sc_call *call, const sc_serve_flags *flags, const sc_serve_hooks *hooks);

#endif
