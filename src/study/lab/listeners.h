/**
 * @file listeners.h
 * @brief Several listeners to one run: who keeps cloaks for the provider, who for the adversary.
 *
 * Uses: sim/run. Used by: lab/point.
 */
#ifndef SC_LAB_LISTENERS_H
#define SC_LAB_LISTENERS_H

#include "sim/run.h"

/** As many as there may be. */
enum { SC__LISTENERS_MAX = 2 };

/** Zero-initialise, then sc__listeners_add(). */
typedef struct sc__listeners {
    sc_run_listener all[SC__LISTENERS_MAX];
    size_t count;
} sc__listeners;

/** There must be room for it. */
void sc__listeners_add(sc__listeners *listeners, sc_run_listener listener);

/**
 * One that tells all of them, in the order in which they were added, until one fails.
 *
 * @param listeners  borrowed
 */
sc_run_listener sc__listeners_listener(sc__listeners *listeners);

#endif
