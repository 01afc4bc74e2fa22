/**
 * @file density.h
 * @brief How busy each segment is, as far as anybody can know: what an adversary may hold, and what
 * an operator measures cloaks by.
 *
 * A density is a weight for every segment of a map, above 0: how likely the traveller of a query
 * is there, compared with the others. Counted ones are made of traffic or of the queries of a run;
 * each segment has one traveller more than was counted, so that no segment is impossible merely
 * because no traveller was seen there.
 *
 * It is about crowds: no user and no single position can be read from it. It may be read by any
 * number of threads.
 */
#ifndef STARCLOAK_DENSITY_H
#define STARCLOAK_DENSITY_H

#include <starcloak/map.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A weight for every segment of one map. Opaque. */
typedef struct sc_density sc_density;

/** The same weight everywhere. @param map  read only during this call */
SC_API SC_CHECKED sc_err sc_density_new_uniform(const sc_map *map, sc_density **out);

/** @param counts  how many travellers were seen on each segment of the map; copied */
SC_API SC_CHECKED sc_err sc_density_new_counted(const sc_map *map, const uint64_t *counts,
                                                sc_density **out);

/** Free; NULL is fine. */
SC_API void sc_density_free(sc_density *density);

/** Of how many segments. */
SC_API size_t sc_density_segment_count(const sc_density *density);

/** The weight of a segment, above 0 and finite. */
SC_API double sc_density_weight(const sc_density *density, sc_seg_id segment);

/**
 * How many travellers were seen on a segment, on average; NaN if the density is of weights. A table
 * that rests on fewer than SC_DENSITY_FEW_COUNTS says little of single roads, and what is promised
 * by it (docs/demands.md) holds against those who know as little.
 */
SC_API double sc_density_mean_count(const sc_density *density);

/** Counts per segment, on average, below which a table says little. */
#define SC_DENSITY_FEW_COUNTS 5.0

/** The largest of the whole numbers of a density. */
#define SC_DENSITY_NUMBER_MAX (UINT32_C(1) << 30)

/**
 * The weights as whole numbers from 1 to SC_DENSITY_NUMBER_MAX, so that engines and verifiers
 * compute alike: counts and one more; if one of these is larger, or of other weights, all of them
 * scaled so that the largest is SC_DENSITY_NUMBER_MAX. One per segment; lent.
 */
SC_API const uint32_t *sc_density_numbers(const sc_density *density);

/** Of these whole numbers: what tells one density from another. */
SC_API uint64_t sc_density_checksum(const sc_density *density);

/**
 * Read a table: CSV with a header that has the columns `segment` and `count` or `weight` (others
 * are passed over), in any order; "-" is standard input; xz and gzip are unpacked. Counts are
 * whole numbers and get the one more; weights are numbers (0, or from 1e-100 to 1e100), taken as
 * they are, above 0 for at least one segment, and a weight of 0 (or a segment that is not there)
 * becomes a millionth of the largest. No segment comes twice. A comment line "# map CHECKSUM" is
 * compared with the map.
 *
 * @return SC_OK, SC_EIO, SC_EPARSE (with file, line and column), SC_ELIMIT (unpacks to too much),
 *         SC_EMISMATCH (of another map), SC_ENOMEM
 */
SC_API SC_CHECKED sc_err sc_density_read(const sc_map *map, const char *path, sc_density **out,
                                         sc_diag *diag);

/**
 * Write such a table of counts, every segment of the map, with the comment line. It appears whole
 * or not at all; "-" is standard output.
 */
SC_API SC_CHECKED sc_err sc_density_write_counts(const sc_map *map, const uint64_t *counts,
                                                 const char *path, sc_diag *diag);

/**
 * The effective number of segments of a cloak: 2^H, with H the entropy of a traveller's place when
 * nothing but the cloak and the density is known. From 1 (all travellers are on one of its
 * segments) to `count` (all of its segments are equally busy). Cheap enough for every cloak of a
 * service.
 *
 * @param density   NULL: the same weight everywhere
 * @param segments  of the cloak, each once; all below the density's count
 * @param count     0 gives 0
 */
SC_API double sc_density_effective(const sc_density *density, const sc_seg_id *segments,
                                   size_t count);

#ifdef __cplusplus
}
#endif
#endif
