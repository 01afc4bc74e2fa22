/**
 * @file map_display.h
 * @brief The map for display: as JSON (GET /v1/map), as bytes (GET /v1/map.bin), and the
 * categories.
 *
 * Positions are whole numbers of `unit`, a power of ten: 1e-7 degrees, the grid of our maps, or, on
 * a plane, so fine that the longer side has some millions of them. Segment i is the i-th: x and y
 * of its first point, then the difference of each further point to the one before, so that numbers
 * are short. Two `ends` per segment are its first and last node, by which border nodes of cloaks
 * are found; one of the `classes` is the kind of its road (sc_road_class); one of the `directions`
 * says how it is open from end to end (3 both ways, 1 forwards, 2 backwards, 0 neither); and
 * `name_of` has 1 + the place of its name in `names`, or 0. Where roads cross the 180th meridian,
 * longitudes go on beyond it, up to 360: a difference is the way that the road takes. A map without
 * coordinates has null for `segments`, `bounds` and `unit`, and the reason.
 */
#ifndef SC_API_MAP_DISPLAY_H
#define SC_API_MAP_DISPLAY_H

#include <starcloak/map.h>
#include <starcloak/relay.h>
#include <starcloak/relay_codec.h>

/** What positions are whole numbers of, and what they lie within. */
typedef struct sc_map_grid {
    unsigned decimals;
    double per_unit;  ///< 10 to the power of `decimals`: units per degree, or per unit of the plane
    bool goes_on;     ///< roads cross the 180th meridian: longitudes below 0 are those beyond 180
    double west;      ///< of everything that is drawn
    double south;
    double east;
    double north;
} sc_map_grid;

/** The grid of a map that has coordinates and roads. Time O(edges). */
sc_map_grid sc_map_grid_of(const sc_map *map);

/** Where a longitude, or an x of a plane, lies between the west and the east of the grid. */
static inline double sc_map_grid_x(const sc_map_grid *grid, double x)
{
    return grid->goes_on && x < 0.0 ? x + 360.0 : x;
}

/** A position in whole numbers of the page's unit. */
typedef struct sc_map_point {
    int64_t x;
    int64_t y;
} sc_map_point;

/** Where a node is. The map has coordinates. */
sc_map_point sc__map_point_of(const sc_map *map, sc_node_id node, const sc_map_grid *grid);

/** The north-east or the south-west corner of all that is drawn; something is. */
sc_map_point sc__map_grid_corner(const sc_map_grid *grid, bool is_north_east);

/** The class of a segment's road is that of its first edge. Below SC_ROAD_CLASS_COUNT. */
uint8_t sc__map_class_of(const sc_map *map, sc_seg_id segment);

/** Append the map to `out`. False if memory is out. Time O(nodes + edges). */
bool sc__map_json_write(const sc_map *map, sc_bytes *out);

/** Append the categories, each with how many of them the map has; null if it has no such word. */
bool sc__categories_json_write(const sc_map *map, const sc_vocabulary *vocabulary, sc_bytes *out);

// --- The map as bytes ----------------------------------------------------------------------------
//
// The same numbers as the JSON, for a page that draws them at once.
//
// A browser that is to show 200,000 segments within half a second has no time for 13 MB of digits;
// this is a fifth of that. All
// is little-endian. First a head of SC__MAP_BYTES_HEAD bytes:
//
//      0  "SCMD"           a StarCloak map for display
//      4  u32 check        FNV-1a over what follows, as words of 32 bits
//      8  u16 version      2
//     10  u8  coordinates  sc_coords: 0 none, 1 degrees, 2 a plane
//     11  u8  decimals     the unit is 10 to the power of -decimals
//     12  u32 nodes        of the map, drawn or not
//     16  u64 size         of all of this in bytes, a multiple of 4
//     24  u64 checksum     of the map
//     32  i64 west, south, east, north     in units; 0 where nothing is drawn
//     64  u32 junctions    nodes where segments end
//     68  u32 segments
//     72  u32 inner        points of segments that are not ends
//     76  u32 names        of roads, each once; 0: no road has one
//
// Then columns, one after the other. Numbers are varints (seven bits per byte, the least first, the
// eighth says that more follow); those with a sign are folded: 0, -1, 1, -2 are 0, 1, 2, 3.
//
//     per junction   its node, less that of the junction before: they ascend
//     per junction   x and y, signed, less those of the junction before; the first, less the
//                    south-west corner
//     per segment    signed: the junction where it begins (its place among them), less that of the
//                    segment before; the one where it ends, less the one where it begins
//     per segment    how many inner points it has
//     per inner      x and y, signed, less those of the point before it on its segment
//     per segment    a byte: the class of its road in the lower four bits; 16 if it is open from
//     its
//                    first point to its last, and 32 if the other way
//     per segment    if there are names: 1 + the place of its name among them; 0 if it has none
//     per name       how many bytes it has, and these, UTF-8
//
// and zeros up to a multiple of 4. A position is written once per junction and not once per segment
// there, which is what makes it small. A map without coordinates is a head whose three counts are
// 0.

enum { SC__MAP_BYTES_VERSION = 2, SC__MAP_BYTES_HEAD = 80 };

/**
 * Write the map into `out`, which is empty. False if memory is out; what was written then is for
 * the caller to release. Time O(nodes + edges).
 */
bool sc__map_bytes_write(const sc_map *map, sc_bytes *out);

#endif
