/**
 * @file run_internal.h
 * @brief A run as its supervisor sees it: flocks in their threads, the service, the provider.
 *
 *     run.c         start all, look after them, end all
 *     supervise.c   what the supervisor's own thread does meanwhile, and the accounting
 *
 * Used by: run.c, supervise.c.
 */
#ifndef SC_CLIENT_RUN_INTERNAL_H
#define SC_CLIENT_RUN_INTERNAL_H

#include <pthread.h>

#include "demo/loadgen/flock.h"
#include "demo/loadgen/faults.h"

typedef struct sc__run sc__run;

/** A flock, its thread, and how it ended. */
typedef struct sc__herd {
    sc__run *run;
    sc__flock *flock;
    pthread_t thread;
    bool is_started;
    sc_err err;
} sc__herd;

struct sc__run {
    const sc_load_options *options;
    sc_target target;
    sc_target metrics_target;  ///< where the metrics are, if they are elsewhere
    sc__words *words;
    sc__course course;
    sc__herd *herds;
    atomic_uint running;  ///< flocks that have not ended
    sc__provider_child child;
    sc_load_report *report;
};

/** The service's numbers now. SC_ENET if they cannot be had. */
SC_CHECKED sc_err sc__run_look(const sc__run *run, sc_service_counts *out, sc_diag *diag);

/** Look after the flocks until all have ended. On failure they are told to close. */
SC_CHECKED sc_err sc__run_supervise(sc__run *run, sc_diag *diag);

/** The same for flocks that hold. */
SC_CHECKED sc_err sc__run_hold(sc__run *run, sc_diag *diag);

/** When all have ended: do the books balance? */
void sc__run_account(sc__run *run);

#endif
