/**
 * @file pack_pieces.h
 * @brief Small pieces of the star graph, packed whole: cutting them would cut for nothing.
 *
 * The heaviest first, each into the part of the stars around it while that is lighter than the
 * mean, else into the lightest. What is near on the ground is near in memory, so a part should not
 * collect its islands from all over the map without need.
 *
 * Used by: partition.c.
 */
#ifndef SC_PARTITION_PACK_PIECES_H
#define SC_PARTITION_PACK_PIECES_H

#include "partition/partition_make_internal.h"

/**
 * Give every star that is in no part yet one, piece by piece.
 *
 * @param piece         of each star; numbered by their first stars
 * @param piece_weight  of each piece
 * @param parts         those below this are packed; parts from it on are left alone
 */
SC_CHECKED sc_err sc__pack_small(sc__cutting *cutting, const uint32_t *piece,
                                 const double *piece_weight, uint32_t piece_count, uint32_t parts,
                                 sc_diag *diag);

#endif
