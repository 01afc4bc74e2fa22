/**
 * @file roster.h
 * @brief Who is alive, by their beats; and who leads. No thread, no clock.
 *
 * A peer is alive while its last beat is younger than three beats' time and it has not said that it
 * leaves (then it is *leaving*, and gone when its beats end). Beats with a number not above the
 * last are passed over; those of another cut are counted and passed over.
 *
 * The leader is the living gateway with the least number, once one has listened for three beats'
 * time: all who hear the same beats agree. Where they do not, there are two leaders for a while,
 * and placements that differ: parts are served twice or not at all until that is over, which costs
 * success, never a promise.
 *
 * Used by: gateway*.c, placing.c, view.c, status, service (own_view.c), tests.
 */
#ifndef SC_CLUSTER_ROSTER_H
#define SC_CLUSTER_ROSTER_H

#include "cluster/heartbeat.h"
#include "server/log.h"

typedef struct sc_roster sc_roster;

/** @param started  now @param beat_us  between two beats @param cut  sc_partition_checksum(); 0:
 * any */
SC_CHECKED sc_err sc_roster_new(uint64_t partition, sc_time heartbeat_us, sc_time started,
                                sc_roster **out);
void sc_roster_free(sc_roster *roster);

/** One who is there. */
typedef struct sc_roster_peer {
    sc_heartbeat *heartbeat;  ///< the last
    sc_time heard;            ///< when
    sc_time first;            ///< when it was first heard
    int64_t skew_us;  ///< our calendar clock less its, when the beat came: at least minus the
                      ///< difference of the clocks, and more by the way that the beat took
    double load;      ///< of a worker: queries per second, smoothed over about a minute
    double cpu;       ///< of the process: cores
} sc_roster_peer;

/** A beat; taken. @return whether it says something new of who is there (came, left, leaves, other
 * parts); false also if it was passed over */
bool sc_roster_receive(sc_roster *roster, sc_heartbeat *heartbeat, int64_t calendar_us,
                       sc_time now);

/** Take out who was silent for too long; returns whether anybody was. */
bool sc_roster_expire(sc_roster *roster, sc_time now);

/** Somebody is known to be gone (nobody has its parts, said NATS): do not wait for its beats. */
void sc_roster_forget(sc_roster *roster, sc_peer peer);

size_t sc_roster_count(const sc_roster *roster);
/** In the order of their numbers; lent until the next change. */
const sc_roster_peer *sc_roster_at(const sc_roster *roster, size_t i);
const sc_roster_peer *sc_roster_find(const sc_roster *roster, sc_peer peer);

/** SC_PEER_NONE before one has listened long enough, or if no gateway is there. */
sc_peer sc_roster_leader(const sc_roster *roster, sc_time now);

/** Queries per second of a part, smoothed over about a minute, whoever had it. NaN: it was not
 * watched for long enough. */
double sc_roster_part_load(const sc_roster *roster, uint32_t part);

/** Beats of another cut. */
uint64_t sc_roster_strangers(const sc_roster *roster);

// --- Peers that came and went, for the log -------------------------------------------------------

typedef struct sc__peer_logged {
    sc_peer peer;
    char name[SC_PEER_NAME_SIZE];
    bool is_worker;
    bool is_leaving;
    bool is_skewed;  ///< and it was said
} sc__peer_logged;

/** Zero-initialise, set `log` and `guard_us`; guests_fini() when done. */
typedef struct sc__peer_log {
    sc_log *out;
    sc_time guard_us;
    sc__peer_logged *all;
    size_t count;
    size_t capacity;
} sc__peer_log;

void sc__peer_log_fini(sc__peer_log *log);

/** A heartbeat was received: logs that its sender came, is about to leave, or has a clock that is
 * off by more than the guard. */
void sc__peer_log_receive(sc__peer_log *log, const sc_roster_peer *peer);

/** Logs peers that are not in the roster any more, and forgets them. */
void sc__peer_log_sweep(sc__peer_log *log, const sc_roster *roster);

#endif
