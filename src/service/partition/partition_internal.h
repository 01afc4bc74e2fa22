/**
 * @file partition_internal.h
 * @brief What the files of partition/ share: the object, which is laid out as its file is, and the
 * state while one is made.
 *
 * Invariants of the object:
 *  1. The image is the file but for the hash at its end, and `checksum` is that hash.
 *  2. Every star's part is below `parts`, and there are as many stars as the map has.
 *  3. hops_to_other is there iff there are two parts or more.
 */
#ifndef SC_PARTITION_PARTITION_INTERNAL_H
#define SC_PARTITION_PARTITION_INTERNAL_H

#include "base/file.h"
#include "partition/partition_make.h"

#define SC_PARTITION_MAGIC "SCCUT"

enum { SC_PARTITION_VERSION = 1 };

/** As far or farther: the largest number of hops that a byte holds. */
enum { SC_PARTITION_FAR = 255 };

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "files of partitions are little-endian and are used as they are"
#endif

/** What a file begins with; the parts of the stars follow, then the hash. */
typedef struct sc__partition_header {
    char magic[6];
    uint16_t version;
    uint64_t map_checksum;
    uint32_t star_count;
    uint32_t parts;
} sc__partition_header;

_Static_assert(sizeof(sc__partition_header) == 24, "the header's layout is part of the format");

struct sc_partition {
    const sc_map *map;
    sc__partition_header *image;
    const uint16_t *part_of_star;  ///< in the image, behind its header
    uint8_t *hops_to_other;        ///< of each star; NULL: there is one part
    uint64_t checksum;
};

/** Bytes of the image of so many stars. */
static inline size_t sc__partition_image_size(uint32_t star_count)
{
    return sizeof(sc__partition_header) + (size_t)star_count * sizeof(uint16_t);
}

/** Whether a query within so many hops of `star` stays in the star's own part. */
static inline bool sc__partition_is_far(const sc_partition *partition, sc_star_id star,
                                        uint32_t max_hops)
{
    return !partition->hops_to_other || partition->hops_to_other[star] > max_hops;
}

/** Reads a partition from bytes in memory. */
SC_CHECKED sc_err sc__partition_read_input(const sc_input *input, const sc_map *map,
                                           sc_partition **out, sc_diag *diag);

// --- Making one --------------------------------------------------------------------------------

/** The part of a star that is in none yet. */
#define SC__NO_PART UINT16_MAX

/** A partition that is being made. */
typedef struct sc__partition_draft {
    const sc_map *map;
    uint32_t star_count;
    double *weight;          ///< of each star
    uint16_t *part_of_star;  ///< SC__NO_PART: not yet
} sc__partition_draft;

/** What all segments weigh together is taken as 1; of a map whose segments weigh nothing, all weigh
 * the same. */
typedef struct sc__partition_scale {
    const double *weights;  ///< borrowed; NULL: all the same
    double largest;         ///< weights are taken in units of it, so that no sum overflows
    double sum;             ///< in these units
} sc__partition_scale;

/** @return SC_OK, SC_EINVAL (a weight below 0 or not finite) */
SC_CHECKED sc_err sc__partition_scale_init(sc__partition_scale *scale, const sc_map *map,
                                           const double *weights, sc_diag *diag);

/** The share of a segment. */
static inline double sc__partition_share(const sc__partition_scale *scale, sc_seg_id segment)
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
uint32_t sc__partition_label_pieces(const sc_map *map, const uint16_t *kind, uint32_t *label,
                                    sc_star_id *queue);

/**
 * Divide the stars for which `piece_is_large` says so into parts 0 to `parts` - 1, with METIS or,
 * where they are few, along the curve that stars are numbered by.
 *
 * @param piece  of each star
 */
SC_CHECKED sc_err sc__partition_divide_large(sc__partition_draft *draft, const uint32_t *piece,
                                             const bool *piece_is_large, uint32_t parts,
                                             uint32_t seed, sc_diag *diag);

#endif
