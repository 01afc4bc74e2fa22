/**
 * @file partition_internal.h
 * @brief What the files of cut/ share: a cut as it is in memory, which is as it is in its file.
 *
 * Invariants:
 *  1. The image is the file but for the hash at its end, and `checksum` is that hash.
 *  2. Every star's part is below `parts`, and there are as many stars as the map has.
 *  3. hops_to_other is there iff there are two parts or more.
 *
 * Used by: cut/, its tests and its fuzzer.
 */
#ifndef SC_PARTITION_PARTITION_INTERNAL_H
#define SC_PARTITION_PARTITION_INTERNAL_H

#include "base/file.h"
#include "partition/partition.h"

#define SC_CUT_MAGIC "SCCUT"

enum { SC_CUT_VERSION = 1 };

/** "As far or farther": what a byte can tell of hops. */
enum { SC_CUT_FAR = 255 };

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "files of cuts are little-endian and are used as they are"
#endif

/** What a file begins with; the parts of the stars follow, then the hash. */
typedef struct sc__cut_header {
    char magic[6];
    uint16_t version;
    uint64_t map_checksum;
    uint32_t star_count;
    uint32_t parts;
} sc__cut_header;

_Static_assert(sizeof(sc__cut_header) == 24, "the header's layout is part of the format");

struct sc_cut {
    const sc_map *map;
    sc__cut_header *image;
    const uint16_t *part_of_star;  ///< in the image, behind its header
    uint8_t *hops_to_other;        ///< of each star; NULL: there is one part
    uint64_t checksum;
};

/** Bytes of the image of so many stars. */
static inline size_t sc__cut_image_size(uint32_t star_count)
{
    return sizeof(sc__cut_header) + (size_t)star_count * sizeof(uint16_t);
}

/** Whether a query within so many hops of `star` stays in the star's own part. */
static inline bool sc__cut_is_far(const sc_cut *cut, sc_star_id star, uint32_t max_hops)
{
    return !cut->hops_to_other || cut->hops_to_other[star] > max_hops;
}

/** sc_cut_read() of bytes that are in memory. */
SC_CHECKED sc_err sc__cut_read_input(const sc_input *input, const sc_map *map, sc_cut **out,
                                     sc_diag *diag);

#endif
