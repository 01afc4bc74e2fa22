/**
 * @file clock_check.h
 * @brief Whether the clocks of a cluster's processes agree, by what their heartbeats show.
 *
 * A heartbeat carries its sender's calendar clock. Ours, when it is received, less that is by how
 * much our clock is ahead, and more by the time that the heartbeat took: never less. So
 *
 *  - a negative difference is certain: the sender's clock is ahead of ours by at least that;
 *  - a positive one may be a heartbeat that took long, and is no reason for an alarm. The sender
 *    receives our heartbeats too, and names in its own the gateways that are ahead of it for
 *    certain.
 *
 * Of two gateways whose clocks differ by more than the guard, both know: one by the difference, the
 * other by the first one's heartbeats. Proposals with queries of both are put off
 * (sc_port.is_skewed). The gateway whose clock also seems to differ from those of most processes,
 * workers included, is the one that is wrong: it is not ready. All workers with one key count once.
 *
 * Processes whose clocks agree never seem to differ for certain, however slow the network is.
 */
#ifndef SC_CLUSTER_CLOCK_CHECK_H
#define SC_CLUSTER_CLOCK_CHECK_H

#include "cluster/roster.h"

#include <pthread.h>
#include <stdatomic.h>

typedef struct sc__clock_check {
    // Read-only.
    sc_peer self;
    sc_time guard_us;

    // Any thread.
    atomic_bool is_wrong;  ///< our clock seems to be the one that is wrong

    // Under `lock`.
    pthread_mutex_t lock;
    sc_peer skewed[SC_HEARTBEAT_AHEAD_MAX];
    size_t count;      ///< of gateways whose clocks differ for certain
    bool is_overfull;  ///< there are more: all are taken for skewed
} sc__clock_check;

void sc__clock_check_init(sc__clock_check *check, sc_peer self, sc_time guard_us);
void sc__clock_check_fini(sc__clock_check *check);

/** By how much the peer's clock is ahead of ours at least; negative: ours is ahead of its. 0 if
 * neither is certain. */
int64_t sc__clock_check_ahead_us(const sc_roster_peer *peer, sc_peer self);

/** Compare again, after a heartbeat or when peers are gone. Returns whether `is_wrong` changed. */
bool sc__clock_check_update(sc__clock_check *check, const sc_roster *roster);

/** Whether that gateway's clock is known to differ from ours by more than the guard. Any thread;
 * quick. */
bool sc__clock_check_is_skewed(sc__clock_check *check, sc_peer gateway);

/** Name the gateways that are ahead of us in our heartbeat. */
void sc__clock_check_tell(const sc__clock_check *check, const sc_roster *roster,
                          sc_heartbeat *heartbeat);

#endif
