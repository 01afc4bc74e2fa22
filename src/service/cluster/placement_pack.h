/**
 * @file placement_pack.h
 * @brief Which worker has which part: packing by load, moving little. Pure functions.
 *
 * Orphans (parts without a living worker) go, heaviest first, to the worker with the least load per
 * thread. Then parts move from the busiest to the idlest while that lowers the busiest one's load
 * by more than a little; if all of its parts are too heavy for that, one is exchanged for a lighter
 * one. A part without a measured load counts as the mean of those with one (all as 1, if none is
 * known), and never as nothing: an idle part costs memory and may wake.
 *
 * Used by: placing.c, view.c, rehearsals, tests.
 */
#ifndef SC_CLUSTER_PLACEMENT_PACK_H
#define SC_CLUSTER_PLACEMENT_PACK_H

#include "ledger/words.h"

typedef struct sc_pack_worker {
    sc_peer peer;
    uint32_t threads;  ///< >= 1
} sc_pack_worker;

/**
 * @param loads    one per part, >= 0; NaN: not known
 * @param owners   one per part, in and out; owners not among `workers` are taken as none
 * @param workers  ascending by peer; none: all parts are nobody's
 * @param balance  also move parts from living workers; false: only place orphans
 * @return how many parts changed their owner, or SIZE_MAX if memory is out (nothing is done)
 */
size_t sc_pack(const double *loads, uint32_t parts, sc_peer *owners, const sc_pack_worker *workers,
               size_t worker_count, bool balance);

/** The busiest worker's load per thread by the mean; 1 if there is no load. NaN if memory is out.
 */
double sc_pack_imbalance(const double *loads, uint32_t parts, const sc_peer *owners,
                         const sc_pack_worker *workers, size_t worker_count);

#endif
