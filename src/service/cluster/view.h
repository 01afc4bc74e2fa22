/**
 * @file view.h
 * @brief The cluster at one moment, for people and programs: status, metrics, the dashboard.
 *
 * Counts and names of processes; nothing of a query.
 *
 * Used by: gateway, status (starcloak cluster status), service (metrics, /v1/cluster).
 */
#ifndef SC_CLUSTER_VIEW_H
#define SC_CLUSTER_VIEW_H

#include "cluster/messages.h"
#include "cluster/placing.h"
#include "cluster/roster.h"
#include "cluster/wire.h"

typedef struct sc_view_peer {
    sc_peer peer;
    char name[SC_NAME_SIZE];
    bool is_worker;
    bool is_leader;
    bool is_leaving;
    bool is_self;
    bool is_stranger;  ///< it has another cut: seen by who listens to all of them
    double age_s;      ///< since its last beat
    double skew_s;     ///< bound of the difference of clocks
    double load;       ///< of a worker: queries per second
    double cpu;        ///< cores
    uint32_t threads;
    uint32_t parts;  ///< of a worker: that it serves
    uint64_t open;
    uint64_t memory;
    uint64_t messages_out, messages_in, bytes_out, bytes_in;
    sc_crew_stats crew;
} sc_view_peer;

typedef struct sc_view_part {
    sc_peer owner;   ///< by the placement; SC_PEER_NONE: nobody
    bool is_served;  ///< and its owner says so
    double load;     ///< queries per second; 0 also while it is not known
    sc_part_load counts;
} sc_view_part;

/** One block. */
typedef struct sc_cluster_view {
    uint64_t epoch;
    uint64_t cut;
    double imbalance;
    uint64_t placements;  ///< made by this process, as the next
    uint64_t moved;
    uint64_t strangers;
    double beat_s;  ///< between two beats of a process; 0: nobody is ever missed
    sc_wire_stats wire;
    size_t peer_count;
    uint32_t part_count;
    sc_view_peer *peers;  ///< gateways first, then workers, by name
    sc_view_part *parts;
} sc_cluster_view;

/**
 * All but `placements`, `moved`, `beat_s` and `wire`, which whoever has them fills in.
 *
 * @param placement  NULL: none yet
 * @param parts      of the cut; 0: as many as the placement has
 * @param self       SC_PEER_NONE: nobody's
 * @return NULL if memory is out
 */
sc_cluster_view *sc_cluster_view_new(const sc_roster *roster, const sc_placement *placement,
                                     uint32_t parts, sc_peer self, sc_time now);
void sc_cluster_view_free(sc_cluster_view *view);

/** As JSON, on one line: docs/ui.md. NULL if memory is out; free with sc_free(). */
char *sc_cluster_view_json(const sc_cluster_view *view);

#endif
