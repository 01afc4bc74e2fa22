/**
 * @file gateway_guests.h
 * @brief Who was there at the last look, so that people can read in the log who came and who went.
 *
 * Names and kinds of processes, and whether their clocks are off by more than the guard. Nothing
 * else of the gateway asks here: the roster decides who lives. One thread at a time. If memory is
 * out, a line of the log is missing.
 *
 * Used by: gateway.c, gateway_look.c.
 */
#ifndef SC_CLUSTER_GATEWAY_GUESTS_H
#define SC_CLUSTER_GATEWAY_GUESTS_H

#include "cluster/roster.h"
#include "server/log.h"

typedef struct sc__guest {
    sc_peer peer;
    char name[SC_NAME_SIZE];
    bool is_worker;
    bool is_leaving;
    bool is_skewed;  ///< and it was said
} sc__guest;

/** Zero-initialise, set `log` and `guard_us`; sc__guests_fini() when done. */
typedef struct sc__guests {
    sc_log *log;
    sc_time guard_us;
    sc__guest *all;
    size_t count;
    size_t capacity;
} sc__guests;

void sc__guests_fini(sc__guests *guests);

/** It was heard: it may have come, may be about to leave, its clock may be off. */
void sc__guests_meet(sc__guests *guests, const sc_roster_peer *peer);

/** Say goodbye to those who are not in the roster any more. */
void sc__guests_sweep(sc__guests *guests, const sc_roster *roster);

#endif
