/**
 * @file relay_codec_internal.h
 * @brief What the two encodings share: a context, four functions each, and helpers.
 *
 * relay_codec.c checks what both need and calls the encoding: compact_*.c or geojson_*.c.
 *
 * For: this folder and its tests.
 */
#ifndef SC_RELAY_RELAY_CODEC_INTERNAL_H
#define SC_RELAY_RELAY_CODEC_INTERNAL_H

#include <starcloak/relay.h>
#include <starcloak/relay_codec.h>

#include <stdint.h>

/** The context of every function of an encoding. */
typedef struct sc__relay_codec {
    const sc_map *map;
    const sc_vocabulary *vocabulary;
    sc_encoding encoding;
    sc_codec_limits limits;  ///< of a decoder
    sc_diag *diag;
} sc__relay_codec;

/** Bytes from a stranger, of at most the size allowed. */
typedef struct sc__relay_message {
    const uint8_t *bytes;
    size_t size;
} sc__relay_message;

// --- The encodings ----------------------------------------------------------
// What is to be written has been checked: no number leads outside of its table. Writers append.

SC_CHECKED sc_err sc__compact_write_relay(const sc__relay_codec *codec, const sc_relay *relay,
                                          sc_bytes *out);
SC_CHECKED sc_err sc__compact_read_relay(const sc__relay_codec *codec, sc__relay_message message,
                                         sc_relay **out);
SC_CHECKED sc_err sc__compact_write_reply(const sc__relay_codec *codec, const sc_relay *relay,
                                          const sc_reply *reply, sc_bytes *out);
SC_CHECKED sc_err sc__compact_read_reply(const sc__relay_codec *codec, const sc_relay *relay,
                                         sc__relay_message message, sc_reply *reply);

SC_CHECKED sc_err sc__geojson_write_relay(const sc__relay_codec *codec, const sc_relay *relay,
                                          sc_bytes *out);
SC_CHECKED sc_err sc__geojson_read_relay(const sc__relay_codec *codec, sc__relay_message message,
                                         sc_relay **out);
SC_CHECKED sc_err sc__geojson_write_reply(const sc__relay_codec *codec, const sc_relay *relay,
                                          const sc_reply *reply, sc_bytes *out);
SC_CHECKED sc_err sc__geojson_read_reply(const sc__relay_codec *codec, const sc_relay *relay,
                                         sc__relay_message message, sc_reply *reply);

// --- What both read ---------------------------------------------------------

/** The version of the protocol that is written and read. */
enum { SC__RELAY_VERSION = 2 };

/**
 * SC_OK if a message of this version is read here, else SC_EPARSE with the side to update. Relays
 * are read by providers, replies by services; 0: the message has no version.
 */
SC_CHECKED sc_err sc__relay_version_accept(const sc__relay_codec *codec, bool is_reply,
                                           uint64_t version);

/**
 * Bring a request that was read into its normal form, if it can be asked at all; how large k and
 * radius may be is checked by the provider. `place` is its place in the message.
 */
SC_CHECKED sc_err sc__relay_request_accept(const sc__relay_codec *codec, size_t place,
                                           sc_request *request);

/** SC_OK if no two of the requests are the same, else SC_EREQUEST. */
SC_CHECKED sc_err sc__relay_requests_differ(const sc__relay_codec *codec,
                                            const sc_request *requests, size_t count);

/**
 * No way is longer or takes longer: in units doubles are exact below, and in metres or seconds no
 * road comes near.
 */
#define SC__COST_MAX_UNITS (UINT64_C(1) << 53)
#define SC__COST_MAX 1e15

// === Ids in ascending order =====================================================================

/** Make `numbers` ascend, each once; returns how many are left. */
uint32_t sc__relay_sort_ids(uint32_t *numbers, uint32_t count);

/** Where `number` stands among ascending numbers, or would: behind all that are less. */
uint32_t sc__relay_id_place(const uint32_t *numbers, uint32_t count, uint32_t number);

// === Objects that a reply names =================================================================
// A provider may have millions of objects; a message describes only those that the reply names.
// They are renumbered in the same order, so that consecutive objects stay consecutive.

/** Numbers of the reply's table, ascending, each once. Release with sc__reply_objects_fini(). */
typedef struct sc__reply_objects {
    uint32_t *objects;
    uint32_t count;
} sc__reply_objects;

/**
 * Gather them. Time O(n log n) for n objects as they are sent.
 *
 * @return SC_OK, SC_ENOMEM, SC_EINVAL (an object of no known category), SC_ELIMIT (2^32 of them)
 */
SC_CHECKED sc_err sc__reply_objects_init(const sc__relay_codec *codec, const sc_reply *reply,
                                         sc__reply_objects *out);

/** Harmless twice. */
void sc__reply_objects_fini(sc__reply_objects *named);

// === The table of a provider's own objects, as a decoder builds it ==============================

/** A table in the making. Zero-initialise; it ends in a reply, or by sc_free(table.objects). */
typedef struct sc__reply_table {
    sc_object *objects;  ///< the beginning of the block
    uint32_t *keys;
    char *strings;
    size_t strings_used;
    uint32_t count;
} sc__reply_table;

/**
 * Room for `count` objects, and for texts of `text_bytes` together, each with its NUL.
 *
 * @return SC_OK, SC_ENOMEM, SC_ELIMIT (more than 32 bits can point into)
 */
SC_CHECKED sc_err sc__reply_table_init(sc__reply_table *table, size_t count, size_t text_bytes);

/** Copy a text into the table; the empty one takes no room. */
uint32_t sc__reply_table_text(sc__reply_table *table, const char *text);

/** Make it the table of `reply`, which owns it from then on. */
void sc__reply_table_give(sc__reply_table *table, sc_reply *reply);

#endif
