/**
 * @file relay_codec_internal.h
 * @brief What the two encodings share: a context, and four functions each.
 *
 * codec.c checks what both need and calls the encoding: compact_*.c or geojson_*.c.
 *
 * For: this folder and its tests.
 */
#ifndef SC_RELAY_RELAY_CODEC_INTERNAL_H
#define SC_RELAY_RELAY_CODEC_INTERNAL_H

#include <starcloak/relay_codec.h>

/** What every function of an encoding is told. */
typedef struct sc__codec {
    const sc_map *map;
    const sc_vocabulary *vocabulary;
    sc_encoding encoding;
    sc_codec_limits limits;  ///< of a decoder
    sc_diag *diag;
} sc__codec;

/** Bytes from a stranger, of at most the size allowed. */
typedef struct sc__message {
    const uint8_t *bytes;
    size_t size;
} sc__message;

// --- The encodings ----------------------------------------------------------
// What is to be written has been checked: no number leads outside of its table. Writers append.

SC_CHECKED sc_err sc__compact_write_relay(const sc__codec *codec, const sc_relay *relay,
                                          sc_bytes *out);
SC_CHECKED sc_err sc__compact_read_relay(const sc__codec *codec, sc__message message,
                                         sc_relay **out);
SC_CHECKED sc_err sc__compact_write_reply(const sc__codec *codec, const sc_reply *reply,
                                          sc_bytes *out);
SC_CHECKED sc_err sc__compact_read_reply(const sc__codec *codec, const sc_relay *relay,
                                         sc__message message, sc_reply *reply);

SC_CHECKED sc_err sc__geojson_write_relay(const sc__codec *codec, const sc_relay *relay,
                                          sc_bytes *out);
SC_CHECKED sc_err sc__geojson_read_relay(const sc__codec *codec, sc__message message,
                                         sc_relay **out);
SC_CHECKED sc_err sc__geojson_write_reply(const sc__codec *codec, const sc_relay *relay,
                                          const sc_reply *reply, sc_bytes *out);
SC_CHECKED sc_err sc__geojson_read_reply(const sc__codec *codec, const sc_relay *relay,
                                         sc__message message, sc_reply *reply);

// --- What both read ---------------------------------------------------------

/**
 * Bring a request that was read into its normal form, if it can be asked at all; how large k and
 * radius may be is for the provider to say. `place` is its place in the message.
 */
SC_CHECKED sc_err sc__request_accept(const sc__codec *codec, size_t place, sc_request *request);

/** SC_OK if no two of the requests are the same, else SC_EREQUEST. */
SC_CHECKED sc_err sc__requests_differ(const sc__codec *codec, const sc_request *requests,
                                      size_t count);

/** No distance is longer: in units doubles are exact below, and in metres no road comes near. */
#define SC__DISTANCE_MAX_UNITS (UINT64_C(1) << 53)
#define SC__DISTANCE_MAX_M 1e15

#endif
