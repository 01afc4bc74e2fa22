/**
 * @file cluster_view.h
 * @brief The cluster at one moment, for people and programs: status, metrics, the dashboard.
 *
 * Counts and names of processes; nothing of a query.
 */
#ifndef SC_CLUSTER_CLUSTER_VIEW_H
#define SC_CLUSTER_CLUSTER_VIEW_H

#include "cluster/bus.h"
#include "cluster/heartbeat.h"
#include "cluster/placement.h"
#include "cluster/roster.h"

typedef struct sc_cluster_view_peer {
    sc_peer peer;
    char name[SC_PEER_NAME_SIZE];
    bool is_worker;
    bool is_leader;
    bool is_leaving;
    bool is_self;
    bool is_stranger;  ///< it has another partition, or other demands; only status, which receives
                       ///< from all, sees it
    const char *differs;  ///< NULL, or a setting: of a stranger, in which its demands are not the
                          ///< leader's; of a worker, by which it searches differently from most
    double age_s;         ///< since its last heartbeat
    double skew_s;        ///< bound of the difference of clocks
    double load;          ///< of a worker: queries per second
    double cpu;           ///< cores
    uint32_t threads;
    uint32_t parts;  ///< of a worker: that it serves
    uint64_t open;
    uint64_t memory;
    uint64_t messages_out, messages_in, bytes_out, bytes_in;
    sc_engine_pool_stats engines;
} sc_cluster_view_peer;

typedef struct sc_cluster_view_part {
    sc_peer owner;   ///< by the placement; SC_PEER_NONE: none
    bool is_served;  ///< its owner lists it in heartbeats
    double load;     ///< queries per second; 0 also while it is not known
    sc_part_load counts;
} sc_cluster_view_part;

/** One block. */
typedef struct sc_cluster_view {
    uint64_t epoch;
    uint64_t partition;
    double imbalance;
    uint64_t placements;  ///< made by this process, as the next
    uint64_t moved;
    uint64_t passed_over;  ///< as the placer counts them; only in metrics
    uint64_t strangers;
    uint64_t crowded;    ///< heartbeats of too many processes with one key; only in metrics
    double heartbeat_s;  ///< between two heartbeats of a process; 0: there are none
    sc_bus_stats bus;
    size_t peer_count;
    uint32_t part_count;
    sc_cluster_view_peer *peers;  ///< gateways first, then workers, by name
    sc_cluster_view_part *parts;
} sc_cluster_view;

/**
 * All but `placements`, `moved`, `passed_over`, `crowded`, `heartbeat_s` and `bus`, which the
 * caller fills in.
 *
 * @param placement  NULL: none yet
 * @param parts      of the partition; 0: as many as the placement has
 * @param self       SC_PEER_NONE: of no member
 * @return NULL if memory is out
 */
sc_cluster_view *sc_cluster_view_new(const sc_roster *roster, const sc_placement *placement,
                                     uint32_t parts, sc_peer self, sc_time now);
void sc_cluster_view_free(sc_cluster_view *view);

/** As JSON, on one line: docs/ui.md. NULL if memory is out; free with sc_free(). */
char *sc_cluster_view_json(const sc_cluster_view *view);

#endif
