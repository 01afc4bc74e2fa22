/**
 * @file process.h
 * @brief What this process uses of its machine: processor time and memory.
 *
 * Read with few system calls, all of which a service may still make under its filter (sandbox.h),
 * and cheap enough for several times a second. What cannot be read, since /proc is not there, is
 * left unknown.
 */
#ifndef SC_BASE_PROCESS_H
#define SC_BASE_PROCESS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct sc_process_use {
    uint64_t cpu_us;  ///< of all threads, for themselves and in the system
    bool knows_memory;
    uint64_t virtual_bytes;   ///< 0 if it is not known, as the next
    uint64_t resident_bytes;  ///< of these in memory
} sc_process_use;

sc_process_use sc_process_use_now(void);

#endif
