/**
 * @file line_pieces.h
 * @brief The line of a segment as GeoJSON wants it: cut where it crosses the 180th meridian.
 *
 * RFC 7946, section 3.1.9: a line across that meridian is to be cut there in two, so that a reader
 * who knows nothing of the globe does not draw it round the world. Both pieces get the point on the
 * meridian, one with longitude 180 and one with -180.
 */
#ifndef SC_MAP_LINE_PIECES_H
#define SC_MAP_LINE_PIECES_H

#include <starcloak/map.h>

/** Called for each point of a line in turn; `begins` with the first one of each piece. */
typedef void sc_line_visit(void *context, double x, double y, bool begins);

/**
 * Go along a segment from its first node to its last. The map has coordinates.
 *
 * @param visit  may be NULL
 * @return how many pieces there are: 1, unless the segment crosses the 180th meridian
 */
size_t sc_map_line_pieces(const sc_map *map, sc_seg_id segment, sc_line_visit *visit,
                          void *context);

#endif
