/**
 * @file process_figures.h
 * @brief What this process uses of its machine, and how many descriptors are open.
 *
 * Counting descriptors takes longer the more there are: for a page that is asked for now and then.
 * The filter of a service (sandbox.h) lets all of it pass. What cannot be read, since /proc is not
 * there, is left unknown.
 *
 * Used by: metrics.
 */
#ifndef SC_SERVICE_PROCESS_FIGURES_H
#define SC_SERVICE_PROCESS_FIGURES_H

#include "base/process.h"

typedef struct sc_process_figures {
    sc_process_use use;
    bool knows_descriptors;
    uint64_t descriptors;  ///< open; without those of clients, where loops have their own table
} sc_process_figures;

sc_process_figures sc_process_figures_read(void);

#endif
