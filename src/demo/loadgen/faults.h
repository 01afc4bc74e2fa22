/**
 * @file faults.h
 * @brief Faults of the provider: a child process that is killed, restarted, stopped and continued.
 * Faults of clients are declared in clients.h.
 *
 * Faults come at random times; each lasts a fifth of the time between them on average, and every
 * fourth 12 to 15 s.
 *
 * It runs in a process group of its own, and dies with the thread that started it. One thread only.
 */
#ifndef SC_DEMO_LOADGEN_FAULTS_H
#define SC_DEMO_LOADGEN_FAULTS_H

#include <starcloak/err.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/rng.h"

/** Zero-initialise. */
typedef struct sc__provider_child {
    const char *command;  ///< borrowed; NULL: there is none
    double every_s;       ///< mean time between two faults
    sc_rng rng;
    pid_t pid;  ///< 0: not running
    bool is_stopped;
    int64_t next_us;  ///< when the next thing is done to it; sc_clock_us()
    uint64_t kills;
    uint64_t stops;
} sc__provider_child;

/** Start it. SC_EIO with a reason. */
SC_CHECKED sc_err sc__provider_child_start(sc__provider_child *child, int64_t now_us,
                                           sc_diag *diag);

/** Cause a fault or end it, if it is time. */
SC_CHECKED sc_err sc__provider_child_trouble(sc__provider_child *child, int64_t now_us,
                                             sc_diag *diag);

/** No more faults: it runs from now on. */
SC_CHECKED sc_err sc__provider_child_settle(sc__provider_child *child, int64_t now_us,
                                            sc_diag *diag);

/** End the process; harmless twice. */
void sc__provider_child_end(sc__provider_child *child);

#endif
