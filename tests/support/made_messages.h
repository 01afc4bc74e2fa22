/**
 * @file made_messages.h
 * @brief Messages, heartbeats and placements of a cluster made at random, and whether two are the
 * same.
 *
 * Everything that a kind of message can send is sent now and then: empty lists, the greatest
 * numbers, deadlines that never come.
 */
#ifndef SC_SUPPORT_MADE_MESSAGES_H
#define SC_SUPPORT_MADE_MESSAGES_H

#include "base/rng.h"
#include "cluster/cluster_codec.h"

/** A small town of some parts, with messages for categories. */
typedef struct msg_town {
    sc_map *map;
    sc_cluster_codec codec;  ///< of a gateway
} msg_town;

msg_town msg_town_new(void);
void msg_town_free(msg_town *town);

/** A sound message of that kind; release with sc_msg_fini(). */
sc_msg made_msg(const msg_town *town, sc_msg_kind kind, sc_rng *rng);

/** Let the query of an add or company ask something of its roads, or only seem to. */
void made_own(const msg_town *town, sc_msg *msg, sc_rng *rng);

sc_heartbeat *made_heartbeat(uint32_t parts, sc_rng *rng);
sc_placement *made_placement(uint32_t parts, sc_rng *rng);

/** What a kind of message sends is the same. */
void check_same_msg(const sc_msg *got, const sc_msg *wanted);
void check_same_heartbeat(const sc_heartbeat *got, const sc_heartbeat *wanted);
void check_same_placement(const sc_placement *got, const sc_placement *wanted);

#endif
