/**
 * @file freshness.h
 * @brief Whether a heartbeat was made just now, and not played back: by what it has heard.
 *
 * Any client of NATS can record heartbeats and publish them again, also those of processes that are
 * gone. Clocks would tell the age of a heartbeat only as far as they agree. So every heartbeat
 * names the processes whose heartbeats its sender receives, with the last number of each. A
 * heartbeat that names one of our latest numbers was made after that one was sent: our own numbers
 * are the clock. One that names none of them is *not fresh*: its sender is named in our next
 * heartbeat, and believed once it names us.
 *
 * So a process that comes is known after two heartbeats, and recorded ones are of use to no one but
 * for a moment, in which their numbers are not above those received (roster.h).
 *
 * A sender is remembered before it is believed, and a stolen worker's key can make up senders.
 * So only SC_KEY_PROCESSES_MAX of each worker's key are remembered, and gateways have places of
 * their own. One that is fresh is never forgotten in favour of another.
 *
 * No thread, no clock.
 */
#ifndef SC_CLUSTER_FRESHNESS_H
#define SC_CLUSTER_FRESHNESS_H

#include "cluster/heartbeat.h"
#include "cluster/roster.h"

/** A process whose heartbeats come. */
typedef struct sc__heard_peer {
    sc_peer peer;
    uint64_t number;      ///< the greatest received
    sc_time received_at;  ///< when any was
    sc_time fresh_at;     ///< when the last that was fresh was; SC__NOT_FRESH: none was
} sc__heard_peer;

#define SC__NOT_FRESH INT64_MIN

typedef struct sc__freshness {
    sc_peer self;
    sc_time heartbeat_us;
    uint64_t number;   ///< of our last heartbeat
    uint64_t crowded;  ///< heartbeats of one process too many with its key, or in its role
    size_t count;
    sc__heard_peer heard[SC_HEARTBEAT_HEARD_MAX];
} sc__freshness;

void sc__freshness_init(sc__freshness *freshness, sc_peer self, sc_time heartbeat_us);

/** A heartbeat was received; returns whether it is fresh. Our own always are. One of too many
 * processes with its key is counted in `crowded`; it is fresh only if it took the place of one that
 * is not. */
bool sc__freshness_receive(sc__freshness *freshness, const sc_heartbeat *heartbeat, sc_time now);

/** Whether a fresh heartbeat of that process came within three heartbeats' time. */
bool sc__freshness_has(const sc__freshness *freshness, sc_peer peer, sc_time now);

/** Not fresh any more until its next heartbeat: its sender is not one of us. */
void sc__freshness_forget(sc__freshness *freshness, sc_peer peer);

/** Our next heartbeat, whose number will be `number`: name whom we hear. */
void sc__freshness_tell(sc__freshness *freshness, uint64_t number, sc_time now,
                        sc_heartbeat *heartbeat);

/**
 * For a listener that sends nothing, and so has no numbers of its own: whether the last heartbeat
 * of `peer` was played back, by what the gateways in the roster say. One that is there hears those
 * that are played back, and names their sender, which does not name it in turn, or with an old
 * number. Where no gateway is there, nothing contradicts a recording.
 */
bool sc__freshness_is_played_back(const sc_roster *roster, const sc_roster_peer *peer,
                                  sc_time heartbeat_us);

#endif
