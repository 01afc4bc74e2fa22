// A map divided into parts: the object, its file, and which parts a query reaches.
//
// The object in memory is its file but for the hash at the end, so writing is two calls and reading
// is checking. Beside it stands one byte per star, the hops to the nearest star of another part: it
// settles most queries without a walk (see "Reach").
#include "partition/partition.h"

#include "base/alloc.h"
#include "base/diag.h"
#include "partition/partition_internal.h"

#include <inttypes.h>
#include <string.h>
#include <xxhash.h>

// --- How far the next part is ------------------------------------------------------------------

static bool touches_another_part(const sc_partition *partition, sc_star_id star)
{
    const sc_star *at = &sc_map_stars(partition->map)[star];
    const sc_star_id *neighbours = sc_map_star_neighbours(partition->map);
    for (uint32_t j = at[0].first_neighbour; j < at[1].first_neighbour; j++) {
        if (partition->part_of_star[neighbours[j]] != partition->part_of_star[star]) return true;
    }
    return false;
}

/**
 * One breadth-first search from all stars that touch another part. The way from a star to the
 * nearest one elsewhere leads through such a star of its own part; crossing into another part on
 * the way would only lead to stars that have their 1 already.
 */
static void measure_hops(const sc_partition *partition, sc_star_id *queue)
{
    const sc_star *stars = sc_map_stars(partition->map);
    const sc_star_id *neighbours = sc_map_star_neighbours(partition->map);
    const uint32_t star_count = sc_map_star_count(partition->map);
    uint8_t *hops = partition->hops_to_other;
    memset(hops, SC_PARTITION_FAR, star_count);

    size_t count = 0;
    for (sc_star_id i = 0; i < star_count; i++) {
        if (!touches_another_part(partition, i)) continue;
        hops[i] = 1;
        queue[count++] = i;
    }
    for (size_t i = 0; i < count; i++) {
        const sc_star_id at = queue[i];
        // Stars farther away keep SC_PARTITION_FAR.
        if (hops[at] == SC_PARTITION_FAR - 1) break;
        for (uint32_t j = stars[at].first_neighbour; j < stars[at + 1].first_neighbour; j++) {
            const sc_star_id next = neighbours[j];
            if (hops[next] != SC_PARTITION_FAR) continue;
            hops[next] = (uint8_t)(hops[at] + 1);
            queue[count++] = next;
        }
    }
}

static sc_err find_hops(sc_partition *partition)
{
    if (partition->image->parts == 1) return SC_OK;
    const uint32_t star_count = sc_map_star_count(partition->map);
    partition->hops_to_other = sc_malloc(star_count);
    sc_star_id *queue = sc_malloc_array(star_count, sizeof *queue);
    if (partition->hops_to_other && queue) measure_hops(partition, queue);
    sc_free(queue);
    return partition->hops_to_other && queue ? SC_OK : SC_ENOMEM;
}

// --- Life --------------------------------------------------------------------------------------

static sc_err check_parts(const sc_map *map, const uint16_t *part_of_star, uint32_t parts,
                          sc_diag *diag)
{
    if (parts < 1 || parts > SC_PARTITION_PARTS_MAX) {
        return sc_fail(diag, SC_EINVAL, "a partition of %u parts; it has 1 to %u", parts,
                       SC_PARTITION_PARTS_MAX);
    }
    for (sc_star_id i = 0; i < sc_map_star_count(map); i++) {
        if (part_of_star[i] < parts) continue;
        return sc_fail(diag, SC_EINVAL,
                       "star %u is in part %u of a partition that has %u, from 0 on", i,
                       part_of_star[i], parts);
    }
    return SC_OK;
}

sc_err sc_partition_new(const sc_map *map, const uint16_t *part_of_star, uint32_t parts,
                        sc_partition **out, sc_diag *diag)
{
    sc_err err = check_parts(map, part_of_star, parts, diag);
    if (err) return err;
    const uint32_t star_count = sc_map_star_count(map);
    const size_t size = sc__partition_image_size(star_count);
    sc_partition *partition = sc_calloc(1, sizeof *partition);
    if (!partition) goto no_memory;
    partition->map = map;
    partition->image = sc_malloc(size);
    if (!partition->image) goto no_memory;
    *partition->image = (sc__partition_header){
        .magic = SC_PARTITION_MAGIC,
        .version = SC_PARTITION_VERSION,
        .map_checksum = sc_map_checksum(map),
        .star_count = star_count,
        .parts = parts,
    };
    memcpy(partition->image + 1, part_of_star, size - sizeof *partition->image);
    partition->part_of_star = (const uint16_t *)(partition->image + 1);
    partition->checksum = XXH3_64bits(partition->image, size);
    err = find_hops(partition);
    if (err) goto no_memory;
    *out = partition;
    return SC_OK;
no_memory:
    sc_partition_free(partition);
    return sc_fail_memory(diag, "making a partition of the map");
}

sc_err sc_partition_whole(const sc_map *map, sc_partition **out, sc_diag *diag)
{
    uint16_t *all_zero = sc_calloc(sc_map_star_count(map), sizeof *all_zero);
    if (!all_zero) return sc_fail_memory(diag, "making a partition of the map");
    const sc_err err = sc_partition_new(map, all_zero, 1, out, diag);
    sc_free(all_zero);
    return err;
}

void sc_partition_free(sc_partition *partition)
{
    if (!partition) return;
    sc_free(partition->image);
    sc_free(partition->hops_to_other);
    sc_free(partition);
}

// --- Questions ---------------------------------------------------------------------------------

const sc_map *sc_partition_map(const sc_partition *partition)
{
    return partition->map;
}

uint32_t sc_partition_part_count(const sc_partition *partition)
{
    return partition->image->parts;
}

uint32_t sc_partition_part_of_star(const sc_partition *partition, sc_star_id star)
{
    return partition->part_of_star[star];
}

uint32_t sc_partition_home(const sc_partition *partition, sc_seg_id segment)
{
    return partition->part_of_star[sc_map_segments(partition->map)[segment].star_a];
}

uint32_t sc_partition_hops_to_other(const sc_partition *partition, sc_star_id star)
{
    return partition->hops_to_other ? partition->hops_to_other[star] : SC_PARTITION_FAR;
}

uint64_t sc_partition_checksum(const sc_partition *partition)
{
    return partition->checksum;
}

// --- Files -------------------------------------------------------------------------------------
//
// A file may come from anywhere. The checks in order: its kind, its length, its hash, its map, its
// parts. Each message ends with the next step, which is nearly always to make the file again.

static sc_err damaged(const sc_input *input, const char *what, sc_diag *diag)
{
    return sc_fail(diag, SC_EPARSE,
                   "%s: damaged partition: %s; make it again with 'starcloak partition'",
                   input->name, what);
}

static sc_err check_kind(const sc_input *input, const sc__partition_header *header, sc_diag *diag)
{
    if (input->size < sizeof header->magic || memcmp(header->magic, SC_PARTITION_MAGIC, 6) != 0) {
        return sc_fail(
            diag, SC_EPARSE, "%s: is %s; make one with 'starcloak partition'", input->name,
            input->size == 0 ? "empty, and no partition of a map" : "not a partition of a map");
    }
    if (input->size < sizeof *header) return damaged(input, "it ends inside its header", diag);
    if (header->version != SC_PARTITION_VERSION) {
        return sc_fail(
            diag, SC_EPARSE,
            "%s: partition of format version %u, this program reads version %d; make it again "
            "with 'starcloak partition'",
            input->name, header->version, SC_PARTITION_VERSION);
    }
    return SC_OK;
}

static sc_err check_whole(const sc_input *input, const sc__partition_header *header, sc_diag *diag)
{
    const size_t image_size = sc__partition_image_size(header->star_count);
    uint64_t hash = 0;
    if (input->size != image_size + sizeof hash) {
        return sc_fail(
            diag, SC_EPARSE,
            "%s: damaged partition: it is %zu bytes long, and one of %u stars has %zu; make "
            "it again with 'starcloak partition'",
            input->name, input->size, header->star_count, image_size + sizeof hash);
    }
    memcpy(&hash, input->data + image_size, sizeof hash);
    if (hash != XXH3_64bits(input->data, image_size)) {
        return damaged(input, "its hash does not match", diag);
    }
    return SC_OK;
}

static sc_err check_map(const sc_input *input, const sc__partition_header *header,
                        const sc_map *map, sc_diag *diag)
{
    if (header->map_checksum != sc_map_checksum(map)) {
        return sc_fail(diag, SC_EMISMATCH,
                       "%s: this is a partition of the map with the checksum %016" PRIx64
                       ", and the map at hand has %016" PRIx64
                       "; take that map, or divide this one with 'starcloak partition'",
                       input->name, header->map_checksum, sc_map_checksum(map));
    }
    if (header->star_count != sc_map_star_count(map)) {
        return damaged(input, "it has not as many stars as its map", diag);
    }
    return SC_OK;
}

sc_err sc__partition_read_input(const sc_input *input, const sc_map *map, sc_partition **out,
                                sc_diag *diag)
{
    sc__partition_header header = {0};
    if (input->size > 0) {
        memcpy(&header, input->data, input->size < sizeof header ? input->size : sizeof header);
    }
    sc_err err = check_kind(input, &header, diag);
    if (!err) err = check_whole(input, &header, diag);
    if (!err) err = check_map(input, &header, map, diag);
    if (err) return err;

    // Mappings begin at a page, and the header's size is even: these are aligned.
    const uint16_t *part_of_star = (const void *)(input->data + sizeof header);
    sc_diag why = {""};
    err = sc_partition_new(map, part_of_star, header.parts, out, &why);
    if (err == SC_EINVAL) return damaged(input, why.message, diag);
    if (err) return sc_fail_memory(diag, "reading a partition");
    return SC_OK;
}

sc_err sc_partition_read(const char *path, const sc_map *map, sc_partition **out, sc_diag *diag)
{
    sc_file file = {0};
    sc_err err = sc_file_map(path, &file, diag);
    if (err) return err;
    err = sc__partition_read_input(&file.input, map, out, diag);
    sc_file_close(&file);
    return err;
}

sc_err sc_partition_write(const sc_partition *partition, const char *path, sc_diag *diag)
{
    sc_outfile file;
    const sc_err err = sc_outfile_open(path, &file, diag);
    if (err) return err;
    // Errors of writing stay with the stream until the commit, which reports them.
    fwrite(partition->image, 1, sc__partition_image_size(partition->image->star_count),
           file.stream);
    fwrite(&partition->checksum, sizeof partition->checksum, 1, file.stream);
    return sc_outfile_commit(&file, diag);
}

// --- Reach -------------------------------------------------------------------------------------
//
// The parts that a query reaches are found by a walk from both ends of its segment. The walk turns
// back at stars from which no other part can be reached with the hops that are left: what lies
// behind them is in their own part, which has been seen. This loses nothing: on a shortest way to a
// new part, every star before its first one has that part within the hops left.
//
// Marks are never cleared: one counts only if it bears the number of this walk. All tables are as
// long as the map and cost only the pages that are walked on: marks come zeroed from the system,
// and the queue is not written before it is used.

struct sc_partition_walker {
    const sc_partition *partition;
    uint32_t *walk_of_star;  ///< the last walk that came by
    uint32_t *walk_of_part;
    sc_star_id *queue;  ///< stars of this walk, nearest first
    uint16_t *found;    ///< parts of this walk; the first is the home
    size_t found_count;
    uint32_t walk;  ///< number of the last walk; 0 before the first
};

sc_err sc_partition_walker_new(const sc_partition *partition, sc_partition_walker **out)
{
    // With one part nothing is ever walked on.
    const uint32_t parts = sc_partition_part_count(partition);
    const size_t star_count = parts > 1 ? sc_map_star_count(partition->map) : 0;
    sc_partition_walker *walker = sc_calloc(1, sizeof *walker);
    if (!walker) return SC_ENOMEM;
    walker->partition = partition;
    walker->walk_of_star = sc_calloc(star_count, sizeof *walker->walk_of_star);
    walker->walk_of_part = sc_calloc(parts, sizeof *walker->walk_of_part);
    walker->queue = sc_malloc_array(star_count, sizeof *walker->queue);
    walker->found = sc_malloc_array(parts, sizeof *walker->found);
    if (!walker->walk_of_star || !walker->walk_of_part || !walker->queue || !walker->found) {
        sc_partition_walker_free(walker);
        return SC_ENOMEM;
    }
    *out = walker;
    return SC_OK;
}

void sc_partition_walker_free(sc_partition_walker *walker)
{
    if (!walker) return;
    sc_free(walker->walk_of_star);
    sc_free(walker->walk_of_part);
    sc_free(walker->queue);
    sc_free(walker->found);
    sc_free(walker);
}

/**
 * How far a query reaches: a hop more than its own. The engine of its home may assign a query to
 * the other end of its segment, in another part; a cloak with it can then lie that much farther
 * away, and queries there must be added to that engine too.
 */
static uint32_t reach_of(uint32_t max_hops)
{
    return max_hops < UINT32_MAX ? max_hops + 1 : max_hops;
}

bool sc_partition_is_near(const sc_partition *partition, sc_seg_id segment, uint32_t max_hops)
{
    const uint32_t hops = reach_of(max_hops);
    const sc_segment *s = &sc_map_segments(partition->map)[segment];
    if (!sc__partition_is_far(partition, s->star_a, hops)) return true;
    if (s->star_b == SC_NONE) return false;
    return partition->part_of_star[s->star_b] != partition->part_of_star[s->star_a] ||
           !sc__partition_is_far(partition, s->star_b, hops);
}

static void begin_walk(sc_partition_walker *walker)
{
    walker->found_count = 0;
    if (++walker->walk > 0) return;
    // After 2^32 walks the numbers begin again.
    const uint32_t parts = sc_partition_part_count(walker->partition);
    const size_t star_count = parts > 1 ? sc_map_star_count(walker->partition->map) : 0;
    memset(walker->walk_of_star, 0, star_count * sizeof *walker->walk_of_star);
    memset(walker->walk_of_part, 0, parts * sizeof *walker->walk_of_part);
    walker->walk = 1;
}

/** Note a part: the first is the home, the others ascend. */
static void note_part(sc_partition_walker *walker, uint16_t part)
{
    if (walker->walk_of_part[part] == walker->walk) return;
    walker->walk_of_part[part] = walker->walk;
    size_t at = walker->found_count++;
    for (; at > 1 && walker->found[at - 1] > part; at--) {
        walker->found[at] = walker->found[at - 1];
    }
    walker->found[at] = part;
}

/** Visit a star. It is queued only if a walk from it may lead to another part. */
static void visit(sc_partition_walker *walker, sc_star_id star, uint32_t hops_left, size_t *count)
{
    if (walker->walk_of_star[star] == walker->walk) return;
    walker->walk_of_star[star] = walker->walk;
    note_part(walker, walker->partition->part_of_star[star]);
    if (!sc__partition_is_far(walker->partition, star, hops_left)) walker->queue[(*count)++] = star;
}

static void walk(sc_partition_walker *walker, const sc_segment *segment, uint32_t max_hops)
{
    const sc_star *stars = sc_map_stars(walker->partition->map);
    const sc_star_id *neighbours = sc_map_star_neighbours(walker->partition->map);
    size_t count = 0;
    visit(walker, segment->star_a, max_hops, &count);
    if (segment->star_b != SC_NONE) visit(walker, segment->star_b, max_hops, &count);
    // Ring by ring: those between `at` and `ring_end` are equally far.
    size_t at = 0;
    for (uint32_t left = max_hops; left > 0 && at < count; left--) {
        const size_t ring_end = count;
        for (; at < ring_end; at++) {
            const sc_star *star = &stars[walker->queue[at]];
            for (uint32_t j = star[0].first_neighbour; j < star[1].first_neighbour; j++) {
                visit(walker, neighbours[j], left - 1, &count);
            }
        }
    }
}

const uint16_t *sc_partition_reach(sc_partition_walker *walker, sc_seg_id segment,
                                   uint32_t max_hops, size_t *count)
{
    begin_walk(walker);
    note_part(walker, (uint16_t)sc_partition_home(walker->partition, segment));
    if (sc_partition_is_near(walker->partition, segment, max_hops)) {
        walk(walker, &sc_map_segments(walker->partition->map)[segment], reach_of(max_hops));
    }
    *count = walker->found_count;
    return walker->found;
}
