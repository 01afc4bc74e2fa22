/**
 * @file cluster_codec.h
 * @brief Messages as bytes: Protocol Buffers, cluster.proto.
 *
 * Messages that are decoded have been unsealed, so they come from this cluster; yet sizes, counts
 * and numbers are bounded as if they did not: a stale build or a stolen key must not bring a
 * process down. Segments, stars and nodes must be of the map, parts of the partition.
 *
 * Moments travel as microseconds of the calendar's clock: `offset_us`, the calendar's clock less
 * sc_clock_us() of this process at this moment, is added on the way out and taken off on the way
 * in. SC_TIME_NEVER stays. Categories travel by name.
 */
#ifndef SC_CLUSTER_CLUSTER_CODEC_H
#define SC_CLUSTER_CLUSTER_CODEC_H

#include <starcloak/map.h>
#include <starcloak/relay_codec.h>

#include "cluster/heartbeat.h"
#include "cluster/placement.h"
#include "partition/partition.h"

typedef struct sc_cluster_codec {
    const sc_map *map;
    uint32_t parts;
    const sc_vocabulary *vocabulary;  ///< NULL (a worker): see `categories`
    /** A worker has no vocabulary: it carries the categories of wishes from ok to release without
     * knowing them. It numbers the names it receives; NULL for a gateway. Made by
     * sc_category_table_new(). */
    struct sc_category_table *categories;
} sc_cluster_codec;

/** A table of category names that grows up to a bound (65,536; more: SC_ELIMIT), any thread. */
SC_CHECKED sc_err sc_category_table_new(struct sc_category_table **out);
void sc_category_table_free(struct sc_category_table *table);

/** What a message is: the number of its field. */
typedef enum sc_message_kind {
    SC_MESSAGE_COMMIT = 1,
    SC_MESSAGE_HEARTBEAT = 2,
    SC_MESSAGE_PLACEMENT = 3,
} sc_message_kind;

/**
 * In place of what was in `out`, which is wiped. What a kind of message does not need is not sent.
 *
 * @return SC_OK, SC_ENOMEM, SC_ELIMIT (larger than a process would read), SC_EINVAL (not such a
 * message: without sender, a query whose owner is another one, a proposal whose deadlines are not
 * its members')
 */
SC_CHECKED sc_err sc_msg_encode(const sc_cluster_codec *codec, const sc_msg *msg, int64_t offset_us,
                                sc_bytes *out);
SC_CHECKED sc_err sc_heartbeat_encode(const sc_heartbeat *heartbeat, sc_bytes *out);
SC_CHECKED sc_err sc_placement_encode(const sc_placement *placement, sc_bytes *out);

/** @return SC_OK, SC_EPARSE, SC_ELIMIT, SC_EUNKNOWN (no such kind, segment, part, category),
 * SC_ENOMEM; `out` is set on success alone */
SC_CHECKED sc_err sc_msg_decode(const sc_cluster_codec *codec, const void *bytes, size_t size,
                                int64_t offset_us, sc_msg *out);
/** @param parts  parts must be below; 0: any below SC_PARTITION_PARTS_MAX (status) */
SC_CHECKED sc_err sc_heartbeat_decode(uint32_t parts, const void *bytes, size_t size,
                                      sc_heartbeat **out);
SC_CHECKED sc_err sc_placement_decode(uint32_t parts, const void *bytes, size_t size,
                                      sc_placement **out);

#endif
