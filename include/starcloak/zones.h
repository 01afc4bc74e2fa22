/**
 * @file zones.h
 * @brief Zones: roads that a traveller's cloaks hold together, so that cloaks near home do not
 * show the home.
 *
 * Every road is in one zone at most, and a zone is the same for all of its roads. So a zone says
 * nothing of where in it a traveller lives: no road of it is nearer to its middle than chance has
 * it. And zones cannot be intersected: two of them are equal or have no road in common, for
 * all users and however often they ask. docs/zones.md tells what is promised.
 *
 * The same key and map give the same zones. They are made once, then only read, by any number of
 * threads. Time and memory: proportional to the map, about 0.5 s and 40 MB for a million roads.
 */
#ifndef STARCLOAK_ZONES_H
#define STARCLOAK_ZONES_H

#include <starcloak/map.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The roads that a zone has at least, unless an operator says otherwise. */
#define SC_ZONE_ROADS 5u

/** The most that may be asked for. */
#define SC_ZONE_ROADS_MAX 1000u

/** Bytes of the key that zones are drawn with. */
#define SC_ZONE_KEY_SIZE 32

/** All zones of a map. Opaque. */
typedef struct sc_zones sc_zones;

/** One of them. */
typedef struct sc_zone {
    const sc_seg_id *segments;  ///< ascending; lent until sc_zones_free()
    size_t count;               ///< 0: there is no zone
    /** The ends of all of its roads are within so many hops of one star: a cloak that may reach
     * twice as far can hold all of it from any of its roads. */
    uint32_t radius;
} sc_zone;

/**
 * Draw the zones of a map.
 *
 * @param map    read only during this call
 * @param roads  that each has at least: 2 to SC_ZONE_ROADS_MAX
 * @param key    which of all possible ways; who has it, or a zone of every road, knows them all
 * @return SC_OK, SC_EINVAL (roads), SC_EIO (libsodium does not start), SC_ENOMEM
 */
SC_API SC_CHECKED sc_err sc_zones_new(const sc_map *map, uint32_t roads,
                                      const uint8_t key[SC_ZONE_KEY_SIZE], sc_zones **out);

/** Free; NULL is fine. */
SC_API void sc_zones_free(sc_zones *zones);

/** How many there are. */
SC_API size_t sc_zones_count(const sc_zones *zones);

/** The zone of a segment. It has none if fewer roads hang together there than a zone has at least:
 * then count is 0. */
SC_API sc_zone sc_zones_of(const sc_zones *zones, sc_seg_id segment);

#ifdef __cplusplus
}
#endif
#endif
