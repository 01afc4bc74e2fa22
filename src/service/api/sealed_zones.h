/**
 * @file sealed_zones.h
 * @brief Secret: a traveller's zone as a sealed text, and POST /v1/zone, which makes it.
 *
 *     POST /v1/zone {"position":{"lon":8.0123,"lat":49.9945}}
 *     {"zone":"scz1_...","roads":6,"max_hops":4}
 *
 * The service draws the zones of its map once, by a key (starcloak/zones.h), and keeps nothing of
 * who has asked for one: the traveller keeps the text, and sends it with its queries as "zone".
 *
 * The text is "scz1_" and, in base64url without padding, a nonce of 24 bytes and a secretbox of
 * libsodium. In the box, numbers little-endian:
 *
 *     16  a keyed hash of the user: the text is of no use to another one
 *      8  the checksum of the map
 *      4  the radius of the zone
 *   n * 4 its segments, ascending
 *
 * The key file is as that of tokens: the first key draws and seals, all of them open. All gateways
 * of a cluster need the same file.
 */
#ifndef SC_API_SEALED_ZONES_H
#define SC_API_SEALED_ZONES_H

#include "api/service_internal.h"

/** Zones and the keys that seal them. Opaque; read by any thread. */
typedef struct sc_sealed_zones sc_sealed_zones;

/**
 * Read the keys and draw the zones.
 *
 * @param map    borrowed
 * @param path   of the key file
 * @param roads  that a zone has at least
 * @return SC_OK, SC_EIO, SC_EPARSE, SC_EINVAL, SC_ENOMEM
 */
SC_CHECKED sc_err sc_sealed_zones_new(const sc_map *map, const char *path, uint32_t roads,
                                      sc_sealed_zones **out, sc_diag *diag);

/** Wipe the keys and free; NULL is fine. */
void sc_sealed_zones_free(sc_sealed_zones *sealed);

/** A zone that was opened. sc_opened_zone_fini() when done. */
typedef struct sc_opened_zone {
    sc_seg_id *segments;  ///< ascending; NULL: there is none
    size_t count;
    uint32_t radius;
} sc_opened_zone;

/** Wipe and free; harmless twice. */
void sc_opened_zone_fini(sc_opened_zone *zone);

/** Whether a segment is in it. */
bool sc_opened_zone_has(const sc_opened_zone *zone, sc_seg_id segment);

/**
 * Open a text.
 *
 * @param sealed  NULL: this service has no zones
 * @param token   who sends it
 * @param out     set on success
 * @return whether it is a zone of this user on this map; if not, `problem` says why
 */
bool sc_sealed_zones_open(const sc_sealed_zones *sealed, const char *text, size_t size,
                          const sc_token *token, sc_opened_zone *out, sc_problem *problem);

/** The route. */
void sc_sealed_zones_post(sc_service_internal *service, sc_http_request *request);

#endif
