/**
 * @file partition.h
 * @brief Secret to nobody: how a map is cut into parts. Each star is in one; each part has an
 * engine.
 *
 * A query's *home* is the part of one end of its segment. It must find company on both sides of a
 * cut: else whoever knows the cut knows on which side all members of a cloak are. So it is also
 * added to the engines of all parts within its reach: those with a star within its hops, and one
 * more, of either end. (One more, since the engine of its home may assign it to the other end.)
 * Then on every segment of a cloak there may be a member, for all that the cut says: a query there,
 * with the hops of that engine's own member, would have been known to the engine.
 *
 * A cut belongs to one map, by its checksum. It is made by partition/ and kept in a file:
 *     "SCCUT" 0x00 version(u16) | checksum of the map(u64) | stars(u32) | parts(u32) |
 *     a part per star (u16 each) | xxh3 of all before(u64)                 all little-endian
 * What is read is a stranger's: sizes, versions, numbers and the hash are looked at.
 *
 * Never changes once it is made: any thread may read it. A walker belongs to one thread.
 *
 * Uses: map. Used by: ledger, worker, cluster, partition, service, rehearsal.
 */
#ifndef SC_PARTITION_PARTITION_H
#define SC_PARTITION_PARTITION_H

#include <starcloak/map.h>

/** The most parts of a cut. */
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

/** @return SC_OK, SC_EIO, SC_EPARSE (no cut, or damaged), SC_EMISMATCH (of another map), SC_ENOMEM
 */
SC_CHECKED sc_err sc_partition_read(const char *path, const sc_map *map, sc_partition **out,
                                    sc_diag *diag);

/** Whole or not at all (outfile). */
SC_CHECKED sc_err sc_partition_write(const sc_partition *cut, const char *path, sc_diag *diag);

/** NULL is fine. */
void sc_partition_free(sc_partition *cut);

const sc_map *sc_partition_map(const sc_partition *cut);
uint32_t sc_partition_part_count(const sc_partition *cut);
uint32_t sc_partition_part_of_star(const sc_partition *cut, sc_star_id star);

/** The part that answers for queries on a segment: that of its first end. */
uint32_t sc_partition_home(const sc_partition *cut, sc_seg_id segment);

/** Hops from a star to the nearest star of another part; 255 if that is as far or farther. */
uint32_t sc_partition_hops_to_other(const sc_partition *cut, sc_star_id star);

/**
 * Whether a query there, with these hops, reaches more parts than its home. Quick. With 254 hops or
 * more it may be said of one that does not: so far is not measured, and the walk below tells.
 */
bool sc_partition_is_near(const sc_partition *cut, sc_seg_id segment, uint32_t max_hops);

/** A number that cuts differ by: a hash of map and parts. Processes compare it. */
uint64_t sc_partition_checksum(const sc_partition *cut);

/** Finds what is in reach. Memory is taken when it is made, for any walk: walking cannot fail. */
typedef struct sc_partition_walker sc_partition_walker;
SC_CHECKED sc_err sc_partition_walker_new(const sc_partition *cut, sc_partition_walker **out);
void sc_partition_walker_free(sc_partition_walker *walker);

/**
 * The parts in reach of a query: its home first, the others ascending, each once.
 *
 * @return the parts; lent until the next call
 */
const uint16_t *sc_partition_reach(sc_partition_walker *walker, sc_seg_id segment,
                                   uint32_t max_hops, size_t *count);

#endif
