/**
 * @file heartbeat.h
 * @brief Secret: what processes of a cluster send: words, beats and placements.
 *
 * A *beat* says, a few times a second, who is alive, what it has and how busy it is. A *placement*
 * says which worker has which part.
 *
 */
#ifndef SC_CLUSTER_HEARTBEAT_H
#define SC_CLUSTER_HEARTBEAT_H

#include "cluster/bus.h"
#include "ledger/words.h"
#include "server/log.h"
#include "worker/crew.h"

#include <pthread.h>
#include <stdatomic.h>

enum { SC_NAME_SIZE = 64 };  ///< of a process, with its NUL

/** Whether a process may be called that: 1 to 63 letters, digits, '-', '_' and '.'. Names are shown
 * to people and in metrics: nothing that a terminal or a label could stumble over. */
bool sc_name_is_fine(const char *name, size_t size);

/** What a part has done since it was opened at a worker. */
typedef struct sc_beat_part {
    uint32_t part;
    sc_part_load load;
} sc_beat_part;

/** One block with its parts; free with sc_beat_free(). */
typedef struct sc_beat {
    sc_peer peer;
    bool is_worker;
    bool is_leaving;          ///< a worker that drains; a gateway that ends
    char name[SC_NAME_SIZE];  ///< for people
    uint64_t number;          ///< grows with each beat of a peer
    uint64_t cut;             ///< sc_partition_checksum()
    int64_t calendar_us;      ///< the sender's calendar clock when it was sent
    uint64_t epoch;           ///< of the placement that it goes by
    uint32_t threads;         ///< of a worker: rooms
    uint64_t open;  ///< queries: of a gateway, those without outcome; of a worker, those held
    uint64_t messages_out;  ///< since the start, as the next three
    uint64_t messages_in;
    uint64_t bytes_out;
    uint64_t bytes_in;
    sc_crew_stats crew;  ///< of a worker: the fields of bids, asked, lost and misdirected
    uint64_t memory;     ///< resident bytes
    uint64_t cpu_us;     ///< of the whole process, since its start
    size_t part_count;
    sc_beat_part *parts;  ///< of a worker: those it serves now, ascending
} sc_beat;

sc_beat *sc_beat_new(size_t parts);
void sc_beat_free(sc_beat *beat);

// === beating.h ==================================================================================
// What gateways and workers have in common: a thread that beats, and what every beat says.
//
// The thread calls `look` once in each beat's time, and at once whenever it is nudged: then without
// a beat, unless there is something to tell. It is the only one that looks, so what it does to
// parts and placements needs no lock against itself.

typedef struct sc__beating {
    // Read-only.
    sc_time beat_us;
    void (*look)(void *context, bool is_beat);
    void *context;

    // Who starts and ends it.
    pthread_t thread;
    bool is_started;

    // Under `lock`.
    pthread_mutex_t lock;
    pthread_cond_t bell;
    bool is_nudged;
    bool is_ending;
} sc__beating;

/** No thread yet; it may be nudged already. */
void sc__beating_init(sc__beating *beating, sc_time beat_us,
                      void (*look)(void *context, bool is_beat), void *context);

/** The first look is at once. @return SC_OK, SC_EIO */
SC_CHECKED sc_err sc__beating_start(sc__beating *beating);

/** Look soon. Any thread; never waits. */
void sc__beating_nudge(sc__beating *beating);

/** No look is under way or will come after that. Harmless twice, and if it was never started. */
void sc__beating_end(sc__beating *beating);

/** Ends it first. */
void sc__beating_fini(sc__beating *beating);

/** To hear all who live. */
enum { SC__BEATS_TO_LISTEN = 3 };

/** Who a process is. */
typedef struct sc__identity {
    sc_peer self;
    char name[SC_NAME_SIZE];
    uint64_t cut;
    bool is_worker;
    uint64_t beats;  ///< sent so far: the thread that beats counts them
} sc__identity;

/** Draw a number, never SC_PEER_NONE. @return SC_OK, SC_EINVAL (a name that is none), SC_EIO */
SC_CHECKED sc_err sc__identity_init(sc__identity *identity, const char *name, uint64_t cut,
                                    bool is_worker, sc_diag *diag);

/** Fill in who says it, when, and what the process has used; then send it. One that
 * cannot be sent is counted by the wire. */
void sc__beat_send(sc__identity *identity, sc_beat *beat, sc_wire *wire);

/** By how much the calendar's clock is ahead of sc_clock_us() now. */
int64_t sc__calendar_offset_us(void);

/** For the log: what happened to the connection. */
void sc__log_connected(sc_log *log, bool is_connected);
void sc__log_given_up(sc_log *log);

/** For the log, once: a message of this cluster that we do not understand, most likely of another
 * version. */
void sc__log_puzzle(sc_log *log, atomic_bool *was_said);

/** Wipe and release what held words. */
void sc__bytes_wipe(sc_bytes *bytes);

#endif
