/**
 * @file heartbeat.h
 * @brief Secret: what processes of a cluster send: words, beats and placements.
 *
 * A *beat* says, a few times a second, who is alive, what it has and how busy it is. A *placement*
 * says which worker has which part.
 *
 * Uses: commit. Used by: everything of cluster.
 */
#ifndef SC_CLUSTER_HEARTBEAT_H
#define SC_CLUSTER_HEARTBEAT_H

#include "ledger/words.h"
#include "worker/crew.h"

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

/** Which worker has which part. One block; free with sc_placement_free(). */
typedef struct sc_placement {
    uint64_t epoch;  ///< grows; of two with one epoch, that of the greater leader counts
    sc_peer leader;  ///< who says so
    uint64_t cut;
    uint32_t parts;
    sc_peer *owners;  ///< one per part; SC_PEER_NONE: nobody
} sc_placement;

sc_placement *sc_placement_new(uint32_t parts);
sc_placement *sc_placement_clone(const sc_placement *placement);
void sc_placement_free(sc_placement *placement);

/** Whether `a` counts rather than `b`, which may be NULL. */
bool sc_placement_is_newer(const sc_placement *a, const sc_placement *b);

#endif
