/**
 * @file placement.h
 * @brief Placements: which worker has which part; when the leader makes a new one, and how parts
 * are packed onto workers. No thread, no clock.
 *
 *  - A worker is gone, or announces that it leaves: its parts go to others, at once.
 *  - A worker came: parts move to it, at once (but workers that come within one heartbeat's time
 *    are handled together).
 *  - The load was uneven (the busiest above `uneven` times the mean) at every look for `patience`:
 *    parts move; then not again for the same time.
 *  - A worker has parts that it does not serve, and for ten heartbeats its heartbeats list no more
 *    of them: it is *passed over*, and its parts go to others. It is tried again after a pause,
 * which doubles each time. If there is no other worker, it keeps them.
 *  - The placement of another gateway is newer: decisions go on from that one. If other
 *    gateways use one that has not arrived here and does not within two heartbeats, one that is
 *    newer still is made.
 *
 * Every gateway has a placer and receives all placements, so that the next leader goes on where the
 * last one ended. Only the leader decides (sc_placer_decide()).
 */
#ifndef SC_CLUSTER_PLACEMENT_H
#define SC_CLUSTER_PLACEMENT_H

#include "cluster/heartbeat.h"
#include "cluster/roster.h"

/** Which worker has which part. One block; free with sc_placement_free(). */
typedef struct sc_placement {
    uint64_t epoch;  ///< grows; of two with one epoch, that of the greater leader counts
    sc_peer leader;  ///< the gateway that made it
    uint64_t partition;
    uint32_t parts;
    sc_peer *owners;  ///< one per part; SC_PEER_NONE: none
} sc_placement;

sc_placement *sc_placement_new(uint32_t parts);
sc_placement *sc_placement_clone(const sc_placement *placement);
void sc_placement_free(sc_placement *placement);

/** Whether `a` counts rather than `b`, which may be NULL. */
bool sc_placement_is_newer(const sc_placement *a, const sc_placement *b);

typedef struct sc_placer_options {
    sc_peer self;
    uint64_t partition;
    uint32_t parts;
    sc_time heartbeat_us;
    double uneven;        ///< 1.25
    sc_time patience_us;  ///< 60 s
} sc_placer_options;

typedef struct sc_placer sc_placer;

SC_CHECKED sc_err sc_placer_new(const sc_placer_options *options, sc_placer **out);
void sc_placer_free(sc_placer *placer);

/** A placement was received; ownership moves here. Returns whether it counts from now on. */
bool sc_placer_receive(sc_placer *placer, sc_placement *placement);

/** The one that counts; NULL: none yet. Valid until the next call that changes it. */
const sc_placement *sc_placer_current(const sc_placer *placer);

/** Heartbeats within which a worker has to take up parts. */
enum { SC_PLACER_HEARTBEATS_TO_SERVE = 10 };

/** As the leader: look at the members. Returns whether there is a new placement to send. If memory
 * is out there is none yet, and the next look tries again. */
bool sc_placer_decide(sc_placer *placer, const sc_roster *roster, sc_time now);

typedef struct sc_placer_stats {
    uint64_t placements;   ///< that we made
    uint64_t moved;        ///< parts, by these
    double imbalance;      ///< at the last look
    uint64_t passed_over;  ///< workers that did not serve their parts; each time
    sc_peer last_passed_over;
} sc_placer_stats;

sc_placer_stats sc_placer_stats_of(const sc_placer *placer);

// --- Packing -----------------------------------------------------------------------------------
//
// Pure functions. Orphans (parts without a living worker) go, heaviest first, to the worker with
// the least load per thread. Then parts move from the busiest to the idlest while that lowers the
// busiest one's load by more than a little; if all of its parts are too heavy for that, one is
// exchanged for a lighter one. A part without a measured load counts as the mean of those with one
// (all as 1, if none is known), and never as nothing: an idle part costs memory and may become
// busy.

typedef struct sc_placement_worker {
    sc_peer peer;
    uint32_t threads;  ///< >= 1
} sc_placement_worker;

/**
 * @param loads    one per part, >= 0; NaN: not known
 * @param owners   one per part, in and out; owners not among `workers` are taken as none
 * @param workers  ascending by peer; none: all parts are without owner
 * @param balance  also move parts from living workers; false: only place orphans
 * @return how many parts changed their owner, or SIZE_MAX if memory is out (nothing is done)
 */
size_t sc_placement_pack(const double *loads, uint32_t parts, sc_peer *owners,
                         const sc_placement_worker *workers, size_t worker_count, bool balance);

/** The busiest worker's load per thread by the mean; 1 if there is no load. NaN if memory is out.
 */
double sc_placement_imbalance(const double *loads, uint32_t parts, const sc_peer *owners,
                              const sc_placement_worker *workers, size_t worker_count);

#endif
