/**
 * @file relay_codec.h
 * @brief Relays and replies as bytes: the provider protocol, version 2
 * (docs/provider-protocol.md).
 *
 * Two encodings. *Compact*: Protocol Buffers with ids of a map that both sides have, for which
 * `src/lib/relay/relay.proto` is the schema. *GeoJSON*: geometry, for a provider with a map of its
 * own; `docs/provider-protocol.schema.json` is the schema. Both say the same: one request per
 * cloak, one reply.
 *
 * Whatever is decoded is a stranger's: sizes, counts and texts are bounded before memory is taken
 * for them. Decoding makes sure that no number leads outside of its table; whether a reply is
 * believable is for sc_filter_open() to say.
 */
#ifndef STARCLOAK_RELAY_CODEC_H
#define STARCLOAK_RELAY_CODEC_H

#include <starcloak/bytes.h>
#include <starcloak/map.h>
#include <starcloak/relay.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum sc_encoding {
    SC_ENCODING_COMPACT = 0,  ///< application/x-protobuf
    SC_ENCODING_GEOJSON = 1,  ///< application/geo+json; the map must have coordinates in degrees
} sc_encoding;

/** "compact", "geojson"; NULL for others. */
SC_API const char *sc_encoding_name(unsigned encoding);

/** Its media type for HTTP, with the version of the protocol: "application/geo+json; version=2". */
SC_API const char *sc_encoding_media_type(sc_encoding encoding);

/**
 * Whether a Content-Type is of this encoding and names no other version of the protocol. One that
 * names none is: the message itself tells its version. False for NULL.
 */
SC_API bool sc_encoding_is_media_type(sc_encoding encoding, const char *content_type);

/** How much a stranger may send. */
typedef struct sc_codec_limits {
    size_t max_bytes;
    size_t max_segments;
    size_t max_requests;
    size_t max_objects;  ///< of a reply
} sc_codec_limits;

/** 16 MiB, 10,000 segments, 1,000 requests, a million objects. */
SC_API sc_codec_limits sc_codec_limits_default(void);

/** How both sides talk. All borrowed. */
typedef struct sc_codec {
    const sc_map *map;
    const sc_vocabulary *vocabulary;  ///< how categories are called
    sc_encoding encoding;
    const sc_codec_limits *limits;  ///< of what is decoded; NULL: the defaults
} sc_codec;

/**
 * Write `relay` into `out`, in place of what was there.
 *
 * @return SC_OK, SC_ENOMEM, SC_ENOCOORDS (GeoJSON without degrees), SC_EMISMATCH (a relay of
 * another map), SC_EUNKNOWN (no such segment or node),
 * SC_EINVAL (not ascending, empty, more border nodes than ends, or a request that makes no sense)
 */
SC_API SC_CHECKED sc_err sc_relay_encode(const sc_codec *codec, const sc_relay *relay,
                                         sc_bytes *out, sc_diag *diag);

/**
 * Read a relay. GeoJSON lines and points are matched with the roads of `map`.
 *
 * @param out  one block of memory; free with sc_relay_free(), as one that was made
 * @return SC_OK, SC_EPARSE (not such a message, or of another version), SC_EMISMATCH (compact, of
 * another map), SC_EREQUEST (unknown category, type or metric, a radius of the other metric, a
 * request twice), SC_EUNKNOWN (no such segment or node, a line on no road), SC_ELIMIT,
 * SC_ENOCOORDS, SC_ENOMEM
 */
SC_API SC_CHECKED sc_err sc_relay_decode(const sc_codec *codec, const void *bytes, size_t size,
                                         sc_relay **out, sc_diag *diag);

/**
 * Write the reply to `relay` into `out`, in place of what was there.
 *
 * @return SC_OK, SC_ENOMEM, SC_ENOCOORDS (GeoJSON without degrees), SC_EMISMATCH, SC_EUNKNOWN and
 *         SC_EINVAL (a relay that could not be written), SC_EINVAL (not a reply to this relay, or
 * an object of a category without a word), SC_ELIMIT (more objects than 32 bits count)
 */
SC_API SC_CHECKED sc_err sc_reply_encode(const sc_codec *codec, const sc_relay *relay,
                                         const sc_reply *reply, sc_bytes *out, sc_diag *diag);

/**
 * Read the reply to `relay`. Objects of the shared map are numbers of `map`; others get a table of
 * their own, which the reply owns. GeoJSON objects are put on the nearest road: of the cloak's
 * segments where they are listed with these.
 *
 * @param reply  overwritten; on failure its content is undefined, but it can be filled again or
 *               released
 * @return SC_OK, SC_EPARSE (as a relay), SC_EMISMATCH (of another map), SC_EREPLY (lists that do
 * not fit the relay, unknown category), SC_ELIMIT, SC_EUNKNOWN and SC_EINVAL (a relay that could
 * not be written), SC_ENOCOORDS, SC_ENOMEM
 */
SC_API SC_CHECKED sc_err sc_reply_decode(const sc_codec *codec, const sc_relay *relay,
                                         const void *bytes, size_t size, sc_reply *reply,
                                         sc_diag *diag);

#ifdef __cplusplus
}
#endif
#endif
