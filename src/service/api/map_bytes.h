/**
 * @file map_bytes.h
 * @brief The map as bytes: what page_map.h has, number for number, for whoever draws it at once.
 *
 * JSON is for programs of any kind; a browser that is to show 200,000 segments within half a second
 * has no time for 13 MB of digits. This is a fifth of that, and there sooner and read sooner. All
 * is little-endian. First a head of SC__MAP_BYTES_HEAD bytes:
 *
 *      0  "SCMD"           a StarCloak map for display
 *      4  u32 check        FNV-1a over what follows, as words of 32 bits
 *      8  u16 version      1
 *     10  u8  coordinates  sc_coords: 0 none, 1 degrees, 2 a plane
 *     11  u8  decimals     the unit is 10 to the power of -decimals
 *     12  u32 nodes        of the map, drawn or not
 *     16  u64 size         of all of this in bytes, a multiple of 4
 *     24  u64 checksum     of the map
 *     32  i64 west, south, east, north     in units; 0 where nothing is drawn
 *     64  u32 junctions    nodes where segments end
 *     68  u32 segments
 *     72  u32 inner        points of segments that are not ends
 *
 * Then columns, one after the other. Numbers are varints (seven bits per byte, the least first, the
 * eighth says that more follow); those with a sign are folded: 0, -1, 1, -2 are 0, 1, 2, 3.
 *
 *     per junction   its node, less that of the junction before: they ascend
 *     per junction   x and y, signed, less those of the junction before; the first, less the
 *                    south-west corner
 *     per segment    signed: the junction where it begins (its place among them), less that of the
 *                    segment before; the one where it ends, less the one where it begins
 *     per segment    how many inner points it has
 *     per inner      x and y, signed, less those of the point before it on its segment
 *     per segment    a byte, the class of its road
 *
 * and zeros up to a multiple of 4. A position is told once per junction and not once per segment
 * there, which is what makes it small. A map without coordinates is a head whose three counts are
 * 0.
 *
 * Uses: page_map (the grid). Used by: pages. Read by: web/src/map/map_bytes.ts.
 */
#ifndef SC_SERVICE_MAP_BYTES_H
#define SC_SERVICE_MAP_BYTES_H

#include <starcloak/map.h>
#include <starcloak/relay_codec.h>

enum { SC__MAP_BYTES_VERSION = 1, SC__MAP_BYTES_HEAD = 76 };

/**
 * Write the map into `out`, which is empty. False if memory is out; what was written then is for
 * the caller to release. Time O(nodes + edges).
 */
bool sc__map_bytes_write(const sc_map *map, sc_bytes *out);

#endif
