// A cut in memory: who is in which part, and how far the next one is. See cut.h; files are in
// cut_file.c, what a query reaches in reach.c.
#include "partition/partition.h"

#include "base/alloc.h"
#include "base/diag.h"
#include "partition/partition_internal.h"

#include <string.h>
#include <xxhash.h>

// --- How far the next part is -----------------------------------------------------------------

static bool touches_another_part(const sc_cut *cut, sc_star_id star)
{
    const sc_star *at = &sc_map_stars(cut->map)[star];
    const sc_star_id *neighbours = sc_map_star_neighbours(cut->map);
    for (uint32_t j = at[0].first_neighbour; j < at[1].first_neighbour; j++) {
        if (cut->part_of_star[neighbours[j]] != cut->part_of_star[star]) return true;
    }
    return false;
}

/**
 * One breadth-first search from all stars that touch another part. The way from a star to the
 * nearest one elsewhere leads through such a star of its own part; crossing into another part on
 * the way would only lead to stars that have their 1 already.
 */
static void measure_hops(const sc_cut *cut, sc_star_id *queue)
{
    const sc_star *stars = sc_map_stars(cut->map);
    const sc_star_id *neighbours = sc_map_star_neighbours(cut->map);
    const uint32_t star_count = sc_map_star_count(cut->map);
    uint8_t *hops = cut->hops_to_other;
    memset(hops, SC_CUT_FAR, star_count);

    size_t count = 0;
    for (sc_star_id i = 0; i < star_count; i++) {
        if (!touches_another_part(cut, i)) continue;
        hops[i] = 1;
        queue[count++] = i;
    }
    for (size_t i = 0; i < count; i++) {
        const sc_star_id at = queue[i];
        // What would be given SC_CUT_FAR has it already; so has all that lies behind.
        if (hops[at] == SC_CUT_FAR - 1) break;
        for (uint32_t j = stars[at].first_neighbour; j < stars[at + 1].first_neighbour; j++) {
            const sc_star_id next = neighbours[j];
            if (hops[next] != SC_CUT_FAR) continue;
            hops[next] = (uint8_t)(hops[at] + 1);
            queue[count++] = next;
        }
    }
}

static sc_err find_hops(sc_cut *cut)
{
    if (cut->image->parts == 1) return SC_OK;
    const uint32_t star_count = sc_map_star_count(cut->map);
    cut->hops_to_other = sc_malloc(star_count);
    sc_star_id *queue = sc_malloc_array(star_count, sizeof *queue);
    if (cut->hops_to_other && queue) measure_hops(cut, queue);
    sc_free(queue);
    return cut->hops_to_other && queue ? SC_OK : SC_ENOMEM;
}

// --- Life -------------------------------------------------------------------------------------

static sc_err check_parts(const sc_map *map, const uint16_t *part_of_star, uint32_t parts,
                          sc_diag *diag)
{
    if (parts < 1 || parts > SC_CUT_PARTS_MAX) {
        return sc_fail(diag, SC_EINVAL, "a cut of %u parts; it has 1 to %u", parts,
                       SC_CUT_PARTS_MAX);
    }
    for (sc_star_id i = 0; i < sc_map_star_count(map); i++) {
        if (part_of_star[i] < parts) continue;
        return sc_fail(diag, SC_EINVAL, "star %u is in part %u of a cut that has %u, from 0 on", i,
                       part_of_star[i], parts);
    }
    return SC_OK;
}

sc_err sc_cut_new(const sc_map *map, const uint16_t *part_of_star, uint32_t parts, sc_cut **out,
                  sc_diag *diag)
{
    sc_err err = check_parts(map, part_of_star, parts, diag);
    if (err) return err;
    const uint32_t star_count = sc_map_star_count(map);
    const size_t size = sc__cut_image_size(star_count);
    sc_cut *cut = sc_calloc(1, sizeof *cut);
    if (!cut) goto no_memory;
    cut->map = map;
    cut->image = sc_malloc(size);
    if (!cut->image) goto no_memory;
    *cut->image = (sc__cut_header){
        .magic = SC_CUT_MAGIC,
        .version = SC_CUT_VERSION,
        .map_checksum = sc_map_checksum(map),
        .star_count = star_count,
        .parts = parts,
    };
    memcpy(cut->image + 1, part_of_star, size - sizeof *cut->image);
    cut->part_of_star = (const uint16_t *)(cut->image + 1);
    cut->checksum = XXH3_64bits(cut->image, size);
    err = find_hops(cut);
    if (err) goto no_memory;
    *out = cut;
    return SC_OK;
no_memory:
    sc_cut_free(cut);
    return sc_fail_memory(diag, "making a cut of the map");
}

sc_err sc_cut_whole(const sc_map *map, sc_cut **out, sc_diag *diag)
{
    uint16_t *all_zero = sc_calloc(sc_map_star_count(map), sizeof *all_zero);
    if (!all_zero) return sc_fail_memory(diag, "making a cut of the map");
    const sc_err err = sc_cut_new(map, all_zero, 1, out, diag);
    sc_free(all_zero);
    return err;
}

void sc_cut_free(sc_cut *cut)
{
    if (!cut) return;
    sc_free(cut->image);
    sc_free(cut->hops_to_other);
    sc_free(cut);
}

// --- Questions --------------------------------------------------------------------------------

const sc_map *sc_cut_map(const sc_cut *cut)
{
    return cut->map;
}

uint32_t sc_cut_parts(const sc_cut *cut)
{
    return cut->image->parts;
}

uint32_t sc_cut_part_of_star(const sc_cut *cut, sc_star_id star)
{
    return cut->part_of_star[star];
}

uint32_t sc_cut_home(const sc_cut *cut, sc_seg_id segment)
{
    return cut->part_of_star[sc_map_segments(cut->map)[segment].star_a];
}

uint32_t sc_cut_hops_to_other(const sc_cut *cut, sc_star_id star)
{
    return cut->hops_to_other ? cut->hops_to_other[star] : SC_CUT_FAR;
}

uint64_t sc_cut_checksum(const sc_cut *cut)
{
    return cut->checksum;
}
