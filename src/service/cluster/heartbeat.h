/**
 * @file heartbeat.h
 * @brief Secret: heartbeats, the thread that sends them, and what gateways and workers have in
 * common as processes of a cluster.
 *
 * A heartbeat announces, a few times a second, that a process is alive, which parts it serves and
 * how busy it is.
 */
#ifndef SC_CLUSTER_HEARTBEAT_H
#define SC_CLUSTER_HEARTBEAT_H

#include "cluster/bus.h"
#include "cluster/demand_digest.h"
#include "cluster/search_digest.h"
#include "messages/messages.h"
#include "server/log.h"
#include "worker/engine_pool.h"

#include <pthread.h>
#include <stdatomic.h>

enum { SC_PEER_NAME_SIZE = 64 };  ///< of a process, with its NUL

/** Whether a process may be called that: 1 to 63 letters, digits, '-', '_' and '.'. Names are shown
 * to people and in metrics: no character that a terminal or a label would interpret. */
bool sc_peer_name_is_valid(const char *name, size_t size);

/** What a part has done since it was opened at a worker. */
typedef struct sc_heartbeat_part {
    uint32_t part;
    sc_part_load load;
} sc_heartbeat_part;

/** Gateways that a heartbeat can name. */
enum { SC_HEARTBEAT_AHEAD_MAX = 64 };

/** A gateway whose clock is ahead of the sender's by more than the guard (clock_check.h). */
typedef struct sc_heartbeat_clock {
    sc_peer peer;
    int64_t ahead_us;  ///< at least; > 0
} sc_heartbeat_clock;

/** Processes that a heartbeat can name as heard. */
enum { SC_HEARTBEAT_HEARD_MAX = 1024 };

/** A process whose heartbeats the sender receives (freshness.h). */
typedef struct sc_heartbeat_heard {
    sc_peer peer;
    uint64_t number;  ///< of the last
} sc_heartbeat_heard;

/** One block with its parts; free with sc_heartbeat_free(). */
typedef struct sc_heartbeat {
    sc_peer peer;
    bool is_worker;
    bool is_leaving;               ///< a worker that drains; a gateway that ends
    char name[SC_PEER_NAME_SIZE];  ///< for people
    uint64_t number;               ///< grows with each heartbeat of a peer
    uint64_t partition;            ///< sc_partition_checksum()
    sc_demand_digest demands;      ///< what its cloaks keep
    sc_search_digest search;       ///< of a worker: how it searches for them
    int64_t calendar_us;           ///< the sender's calendar clock when it was sent
    uint64_t epoch;                ///< of the placement that it goes by
    uint32_t threads;              ///< of a worker: engine threads
    uint64_t open;  ///< queries: of a gateway, those without outcome; of a worker, those held
    uint64_t messages_out;  ///< since the start, as the next three
    uint64_t messages_in;
    uint64_t bytes_out;
    uint64_t bytes_in;
    sc_engine_pool_stats
        engines;      ///< of a worker: the fields of proposals, asked, lost and misdirected
    uint64_t memory;  ///< resident bytes
    uint64_t cpu_us;  ///< of the whole process, since its start
    size_t ahead_count;
    sc_heartbeat_clock ahead[SC_HEARTBEAT_AHEAD_MAX];
    size_t heard_count;
    sc_heartbeat_heard heard[SC_HEARTBEAT_HEARD_MAX];
    size_t part_count;
    sc_heartbeat_part *parts;  ///< of a worker: those it serves now, ascending
} sc_heartbeat;

sc_heartbeat *sc_heartbeat_new(size_t parts);
void sc_heartbeat_free(sc_heartbeat *heartbeat);

// --- The thread --------------------------------------------------------------------------------
//
// It calls `look` once in each heartbeat's time, and at once whenever it is woken: then without a
// heartbeat, unless something has changed. No other thread calls `look`, so what it does to parts
// and placements needs no lock against itself.

typedef struct sc__heartbeat_thread {
    // Read-only.
    sc_time heartbeat_us;
    void (*look)(void *context, bool is_due);
    void *context;

    // The thread that starts and stops it.
    pthread_t thread;
    bool is_started;

    // Under `lock`.
    pthread_mutex_t lock;
    pthread_cond_t wake;
    bool is_woken;
    bool is_ending;
} sc__heartbeat_thread;

/** No thread yet; it may be woken already. */
void sc__heartbeat_thread_init(sc__heartbeat_thread *thread, sc_time heartbeat_us,
                               void (*look)(void *context, bool is_due), void *context);

/** The first look is at once. @return SC_OK, SC_EIO */
SC_CHECKED sc_err sc__heartbeat_thread_start(sc__heartbeat_thread *thread);

/** Look soon. Any thread; never waits. */
void sc__heartbeat_thread_wake(sc__heartbeat_thread *thread);

/** No look is under way or will come after that. Harmless twice, and if it was never started. */
void sc__heartbeat_thread_stop(sc__heartbeat_thread *thread);

/** Stops it first. */
void sc__heartbeat_thread_fini(sc__heartbeat_thread *thread);

// --- A process of a cluster --------------------------------------------------------------------

/** After so many heartbeats' time, one of each living process has arrived. */
enum { SC__HEARTBEATS_TO_LISTEN = 3 };

/** The identity of a process. */
typedef struct sc__cluster_identity {
    sc_peer self;
    char name[SC_PEER_NAME_SIZE];
    uint64_t partition;
    sc_demand_digest demands;
    sc_search_digest search;  ///< of a worker, which fills it in
    bool is_worker;
    uint64_t heartbeats;  ///< sent so far; the thread above counts them
} sc__cluster_identity;

/** Draw a number; the role is the key's. @return SC_OK, SC_EINVAL (not a valid name), SC_EIO */
SC_CHECKED sc_err sc__cluster_identity_init(sc__cluster_identity *identity, const char *name,
                                            uint64_t partition, const sc_demand_digest *demands,
                                            const sc_cluster_key *key, sc_diag *diag);

/** Fill in the sender, the time, and what the process has used; then send it. The bus counts
 * heartbeats that cannot be sent. */
void sc__heartbeat_send(sc__cluster_identity *identity, sc_heartbeat *heartbeat, sc_bus *bus);

/** By how much the calendar's clock is ahead of sc_clock_us() now. */
int64_t sc__calendar_offset_us(void);

/** Log lines about the connection. */
void sc__log_connected(sc_log *log, bool is_connected);
void sc__log_given_up(sc_log *log);
void sc__log_forbidden(sc_log *log, const sc_bus_forbidden *what, bool is_worker);

/** A log line, once: a message of this cluster that cannot be decoded, most likely of another
 * version. */
void sc__log_undecodable(sc_log *log, atomic_bool *was_logged);

/** Whether this is a heartbeat of its sender. */
bool sc__heartbeat_is_from(const sc_heartbeat *heartbeat, sc_peer from);

/** A log line, once: messages under this cluster's name that were sealed with another key. */
void sc__log_unopened(sc_log *log, const sc_bus *bus, bool *was_logged);

/** Wipe and release the bytes of a message. */
void sc__bytes_wipe(sc_bytes *bytes);

#endif
