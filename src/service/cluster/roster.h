/**
 * @file roster.h
 * @brief The processes that are alive, by their heartbeats, and the one that leads. No thread, no
 * clock.
 *
 * A peer is alive while its last heartbeat is younger than three heartbeats' time and it has not
 * announced that it leaves (then it is *leaving*, and gone when its heartbeats end). Heartbeats
 * with a number not above the last are ignored; those of another partition are counted and ignored.
 * Of each worker's key, SC_KEY_PROCESSES_MAX processes are in the roster at most.
 *
 * The leader is the living gateway with the least number, once heartbeats were received for three
 * times their period: all gateways that receive the same heartbeats agree. Where they do not, there
 * are two leaders for a while, and placements that differ: parts are served twice or not at all
 * until that is over, which costs success, never a promise.
 */
#ifndef SC_CLUSTER_ROSTER_H
#define SC_CLUSTER_ROSTER_H

#include "cluster/heartbeat.h"
#include "server/log.h"

typedef struct sc_roster sc_roster;

/** @param started  now @param heartbeat_us  between two heartbeats @param partition
 * sc_partition_checksum(); 0: any */
SC_CHECKED sc_err sc_roster_new(uint64_t partition, sc_time heartbeat_us, sc_time started,
                                sc_roster **out);
void sc_roster_free(sc_roster *roster);

/** Heartbeats by which clocks are compared. */
enum { SC_ROSTER_SKEW_WINDOW = 8 };

/** A peer that is alive. */
typedef struct sc_roster_peer {
    sc_heartbeat *heartbeat;  ///< the last
    sc_time received_at;      ///< when it was received
    sc_time first;            ///< when it was first received
    int64_t skew_us;  ///< our calendar clock less its, when the heartbeat came: by how much our
                      ///< clock is ahead, and more by the time that the heartbeat took. The least
                      ///< of the last few
    uint32_t skew_count;  ///< of how many, up to SC_ROSTER_SKEW_WINDOW
    double load;          ///< of a worker: queries per second, smoothed over about a minute
    double cpu;           ///< of the process: cores
} sc_roster_peer;

/** A heartbeat was received; ownership moves here. @return whether it changes the members (one
 * came, left, leaves, or has other parts); false also if it was ignored */
bool sc_roster_receive(sc_roster *roster, sc_heartbeat *heartbeat, int64_t calendar_us,
                       sc_time now);

/** Remove peers that were silent for too long; returns whether there were any. */
bool sc_roster_expire(sc_roster *roster, sc_time now);

/** Remove a peer that is known to be gone (NATS reported no subscriber for its parts). */
void sc_roster_forget(sc_roster *roster, sc_peer peer);

size_t sc_roster_count(const sc_roster *roster);
/** In the order of their numbers; valid until the next change. */
const sc_roster_peer *sc_roster_at(const sc_roster *roster, size_t i);
const sc_roster_peer *sc_roster_find(const sc_roster *roster, sc_peer peer);

/** SC_PEER_NONE before heartbeats were received for long enough, or if no gateway is there. */
sc_peer sc_roster_leader(const sc_roster *roster, sc_time now);

/** Queries per second of a part, smoothed over about a minute, at all its owners. NaN: it was not
 * observed for long enough. */
double sc_roster_part_load(const sc_roster *roster, uint32_t part);

/** How most workers with this partition search, of those that do not leave and tell it; NULL if
 * there is none. Valid until the next change. */
const sc_search_digest *sc_roster_usual_search(const sc_roster *roster, uint64_t partition);

/** The setting in which a worker searches differently from `usual` (may be NULL); NULL: in none, or
 * it leaves, or is no worker. */
const char *sc_roster_other_search(const sc_roster_peer *peer, const sc_search_digest *usual);

/** Heartbeats of another partition, and those of sc_roster_count_stranger(). */
uint64_t sc_roster_strangers(const sc_roster *roster);

/** Count a heartbeat that is passed over because its sender has other demands. */
void sc_roster_count_stranger(sc_roster *roster);

// --- Peers that came and went, for the log -----------------------------------------------------

typedef struct sc__peer_logged {
    sc_peer peer;
    char name[SC_PEER_NAME_SIZE];
    bool is_worker;
    bool is_leaving;
    bool is_skewed;  ///< for certain, and it was logged
} sc__peer_logged;

/** Zero-initialise, set `out`, `self` and `guard_us`; sc__peer_log_fini() when done. */
typedef struct sc__peer_log {
    sc_log *out;
    sc_peer self;
    sc_time guard_us;
    sc__peer_logged *all;
    size_t count;
    size_t capacity;
} sc__peer_log;

void sc__peer_log_fini(sc__peer_log *log);

/** A heartbeat was received: logs that its sender came, is about to leave, or has a clock that
 * differs from ours by more than the guard for certain (clock_check.h), or does not any more. */
void sc__peer_log_receive(sc__peer_log *log, const sc_roster_peer *from);

/** Logs peers that are not in the roster any more, and forgets them. */
void sc__peer_log_sweep(sc__peer_log *log, const sc_roster *roster);

#endif
