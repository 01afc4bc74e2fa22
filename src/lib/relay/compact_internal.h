/**
 * @file compact_internal.h
 * @brief Protocol Buffers: unpacking a stranger's message within bounds, packing one of ours.
 *
 * For: compact_*.c.
 */
#ifndef SC_RELAY_COMPACT_INTERNAL_H
#define SC_RELAY_COMPACT_INTERNAL_H

#include <protobuf-c/protobuf-c.h>

#include "relay.pb-c.h"
#include "relay/relay_codec_internal.h"

/**
 * Unpack a message of that kind; free with sc__compact_free().
 *
 * @return SC_OK, SC_EPARSE, SC_ENOMEM, SC_ELIMIT (it takes far more memory than its size explains)
 */
SC_CHECKED sc_err sc__compact_unpack(const sc__codec *codec, const ProtobufCMessageDescriptor *kind,
                                     sc__message message, ProtobufCMessage **out);

/** NULL is fine. */
void sc__compact_free(ProtobufCMessage *message);

/** Append `message` to `out`. */
SC_CHECKED sc_err sc__compact_pack(const sc__codec *codec, const ProtobufCMessage *message,
                                   sc_bytes *out);

/** SC_EMISMATCH unless `checksum` is that of the map. */
SC_CHECKED sc_err sc__compact_check_map(const sc__codec *codec, uint64_t checksum);

#endif
