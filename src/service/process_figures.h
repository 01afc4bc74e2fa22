/**
 * @file process_figures.h
 * @brief What this process uses of its machine.
 *
 * Read with few system calls, all of which a service may still make under its filter (sandbox.h).
 * What cannot be read, since /proc is not there, is left unknown.
 *
 * Used by: metrics.
 */
#ifndef SC_SERVICE_PROCESS_FIGURES_H
#define SC_SERVICE_PROCESS_FIGURES_H

#include <stdbool.h>
#include <stdint.h>

typedef struct sc_process_figures {
    double cpu_s;  ///< of all threads, for themselves and in the system
    bool knows_memory;
    uint64_t virtual_bytes;
    uint64_t resident_bytes;
    bool knows_descriptors;
    uint64_t descriptors;  ///< open; without those of clients, where loops have their own table
} sc_process_figures;

sc_process_figures sc_process_figures_read(void);

#endif
