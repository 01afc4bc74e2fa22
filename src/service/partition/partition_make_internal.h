/**
 * @file partition_make_internal.h
 * @brief What the files of partition/ share: stars that are on their way into parts.
 *
 * Used by: partition/ and its tests.
 */
#ifndef SC_PARTITION_PARTITION_MAKE_INTERNAL_H
#define SC_PARTITION_PARTITION_MAKE_INTERNAL_H

#include <starcloak/map.h>

#include "partition/partition_make.h"

/** Where a star is that is in no part yet. */
#define SC__NO_PART UINT16_MAX

/** A map that is being cut. */
typedef struct sc__cutting {
    const sc_map *map;
    uint32_t star_count;
    double *weight;          ///< of each star
    uint16_t *part_of_star;  ///< SC__NO_PART: not yet
} sc__cutting;

/** What all segments weigh together is taken as 1; of a map whose segments weigh nothing, all weigh
 * the same. */
typedef struct sc__scale {
    const double *weights;  ///< borrowed; NULL: all the same
    double largest;         ///< weights are taken in units of it, so that no sum overflows
    double sum;             ///< in these units
} sc__scale;

/** @return SC_OK, SC_EINVAL (a weight below 0 or not finite) */
SC_CHECKED sc_err sc__scale_init(sc__scale *scale, const sc_map *map, const double *weights,
                                 sc_diag *diag);

/** The share of a segment. */
static inline double sc__share(const sc__scale *scale, sc_seg_id segment)
{
    return (scale->weights ? scale->weights[segment] / scale->largest : 1) / scale->sum;
}

/**
 * Label connected stars of the same kind: pieces are numbered from 0 in the order of their first
 * stars. Time O(stars + adjacencies).
 *
 * @param kind   of each star; NULL: all are of one
 * @param label  one per star, set
 * @param queue  as long as there are stars; working memory
 * @return how many pieces there are
 */
uint32_t sc__label_pieces(const sc_map *map, const uint16_t *kind, uint32_t *label,
                          sc_star_id *queue);

/**
 * Cut the stars for which `piece_is_large` says so into parts 0 to `parts` - 1, with METIS or,
 * where they are few, along the curve that stars are numbered by.
 *
 * @param piece  of each star
 */
SC_CHECKED sc_err sc__cut_large(sc__cutting *cutting, const uint32_t *piece,
                                const bool *piece_is_large, uint32_t parts, uint32_t seed,
                                sc_diag *diag);

/** METIS on some of the stars, listed ascending. There must be 2 parts at least. */
SC_CHECKED sc_err sc__cut_with_metis(sc__cutting *cutting, const sc_star_id *stars, uint32_t count,
                                     uint32_t parts, uint32_t seed, sc_diag *diag);

/** Which parts touch which: a bit per pair. */
typedef struct sc__touching {
    uint32_t parts;
    uint64_t *bits;
} sc__touching;

SC_CHECKED sc_err sc__touching_init(sc__touching *touching, const sc_cut *cut);
void sc__touching_fini(sc__touching *touching);

static inline bool sc__touch(const sc__touching *touching, uint32_t a, uint32_t b)
{
    const size_t at = (size_t)a * touching->parts + b;
    return touching->bits[at / 64] >> at % 64 & 1;
}

#endif
