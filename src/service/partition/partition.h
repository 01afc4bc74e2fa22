/**
 * @file partition.h
 * @brief A map divided into parts, no secret: each star is in one part, each part has an engine.
 *
 * A query's *home* is the part of one end of its segment. A query must find company on both sides
 * of a border between parts: otherwise an adversary who knows the partition knows on which side
 * all members of a cloak are. So a query is also added to the engines of all parts within its
 * reach: those with a star within its hops, and one more, of either end. (One more, since the
 * engine of its home may assign it to the other end.) Then on every segment of a cloak there may be
 * a member, as far as the partition tells: a query there, with the hops of that engine's own
 * member, would have been added to that engine.
 *
 * A partition belongs to one map, by its checksum. sc_partition_make() makes one, and a file
 * (suffix .partition) keeps it:
 *     "SCCUT" 0x00 version(u16) | checksum of the map(u64) | stars(u32) | parts(u32) |
 *     a part per star (u16 each) | xxh3 of all before(u64)                 all little-endian
 * A file is not trusted: sizes, versions, numbers and the hash are checked.
 *
 * A partition never changes once it is made, and any thread may read it. A walker belongs to one
 * thread.
 */
#ifndef SC_PARTITION_PARTITION_H
#define SC_PARTITION_PARTITION_H

#include <starcloak/map.h>

/** The most parts of a partition. */
#define SC_PARTITION_PARTS_MAX 4096u

typedef struct sc_partition sc_partition;

/**
 * @param map            borrowed; must outlive the result
 * @param part_of_star   copied; one per star, below `parts`
 * @return SC_OK, SC_EINVAL, SC_ENOMEM
 */
SC_CHECKED sc_err sc_partition_new(const sc_map *map, const uint16_t *part_of_star, uint32_t parts,
                                   sc_partition **out, sc_diag *diag);

/** One part: the whole map. */
SC_CHECKED sc_err sc_partition_whole(const sc_map *map, sc_partition **out, sc_diag *diag);

/** @return SC_OK, SC_EIO, SC_EPARSE (another kind of file, or damaged), SC_EMISMATCH (of another
 * map), SC_ENOMEM
 */
SC_CHECKED sc_err sc_partition_read(const char *path, const sc_map *map, sc_partition **out,
                                    sc_diag *diag);

/** Writes the whole file or none (sc_outfile). */
SC_CHECKED sc_err sc_partition_write(const sc_partition *partition, const char *path,
                                     sc_diag *diag);

/** NULL is fine. */
void sc_partition_free(sc_partition *partition);

const sc_map *sc_partition_map(const sc_partition *partition);
uint32_t sc_partition_part_count(const sc_partition *partition);
uint32_t sc_partition_part_of_star(const sc_partition *partition, sc_star_id star);

/** The part that owns queries on a segment: that of its first end. */
uint32_t sc_partition_home(const sc_partition *partition, sc_seg_id segment);

/** Hops from a star to the nearest star of another part; 255 if that is as far or farther. */
uint32_t sc_partition_hops_to_other(const sc_partition *partition, sc_star_id star);

/**
 * Whether a query there, with these hops, reaches more parts than its home. Takes no walk. With 254
 * hops or more the result may be true for a query that does not: hops are measured up to 254 only,
 * and sc_partition_reach() is exact.
 */
bool sc_partition_is_near(const sc_partition *partition, sc_seg_id segment, uint32_t max_hops);

/** A hash of map and parts. Processes compare it to find out whether they use the same partition.
 */
uint64_t sc_partition_checksum(const sc_partition *partition);

/** Finds the parts in reach. All memory is allocated when it is made, so walking cannot fail. */
typedef struct sc_partition_walker sc_partition_walker;
SC_CHECKED sc_err sc_partition_walker_new(const sc_partition *partition, sc_partition_walker **out);
void sc_partition_walker_free(sc_partition_walker *walker);

/**
 * The parts in reach of a query: its home first, the others ascending, each once.
 *
 * @return the parts; valid until the next call
 */
const uint16_t *sc_partition_reach(sc_partition_walker *walker, sc_seg_id segment,
                                   uint32_t max_hops, size_t *count);

#endif
