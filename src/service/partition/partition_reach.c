// The parts that a query reaches: a walk from both ends of its segment. See cut.h.
//
// Most queries are far from any cut, and a byte per star says so without a walk. Near one, a walk
// turns back at stars from which no other part can be reached with the hops that are left: whatever
// lies behind them is in their own part, and that has been seen. This loses nothing: on a shortest
// way to a new part, every star before its first one has that part within the hops left.
//
// As in other walks, marks are never cleared: one counts only if it bears the number of this walk.
// All tables are as long as the map and cost only the pages that are walked on: marks come zeroed
// from the system, and the queue is not written before it is used.
#include "base/alloc.h"
#include "partition/partition_internal.h"

#include <string.h>

struct sc_cut_walker {
    const sc_cut *cut;
    uint32_t *walk_of_star;  ///< the last walk that came by
    uint32_t *walk_of_part;
    sc_star_id *queue;  ///< stars of this walk, nearest first
    uint16_t *found;    ///< parts of this walk; the first is the home
    size_t found_count;
    uint32_t walk;  ///< number of the last walk; 0 before the first
};

sc_err sc_cut_walker_new(const sc_cut *cut, sc_cut_walker **out)
{
    // With one part nothing is ever walked on.
    const uint32_t parts = sc_cut_parts(cut);
    const size_t star_count = parts > 1 ? sc_map_star_count(cut->map) : 0;
    sc_cut_walker *walker = sc_calloc(1, sizeof *walker);
    if (!walker) return SC_ENOMEM;
    walker->cut = cut;
    walker->walk_of_star = sc_calloc(star_count, sizeof *walker->walk_of_star);
    walker->walk_of_part = sc_calloc(parts, sizeof *walker->walk_of_part);
    walker->queue = sc_malloc_array(star_count, sizeof *walker->queue);
    walker->found = sc_malloc_array(parts, sizeof *walker->found);
    if (!walker->walk_of_star || !walker->walk_of_part || !walker->queue || !walker->found) {
        sc_cut_walker_free(walker);
        return SC_ENOMEM;
    }
    *out = walker;
    return SC_OK;
}

void sc_cut_walker_free(sc_cut_walker *walker)
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
 * away, and whoever is there must be known to that engine too.
 */
static uint32_t reach_of(uint32_t max_hops)
{
    return max_hops < UINT32_MAX ? max_hops + 1 : max_hops;
}

bool sc_cut_is_near(const sc_cut *cut, sc_seg_id segment, uint32_t max_hops)
{
    const uint32_t hops = reach_of(max_hops);
    const sc_segment *s = &sc_map_segments(cut->map)[segment];
    if (!sc__cut_is_far(cut, s->star_a, hops)) return true;
    if (s->star_b == SC_NONE) return false;
    return cut->part_of_star[s->star_b] != cut->part_of_star[s->star_a] ||
           !sc__cut_is_far(cut, s->star_b, hops);
}

static void begin_walk(sc_cut_walker *walker)
{
    walker->found_count = 0;
    if (++walker->walk > 0) return;
    // Four thousand million walks later the numbers begin again.
    const uint32_t parts = sc_cut_parts(walker->cut);
    const size_t star_count = parts > 1 ? sc_map_star_count(walker->cut->map) : 0;
    memset(walker->walk_of_star, 0, star_count * sizeof *walker->walk_of_star);
    memset(walker->walk_of_part, 0, parts * sizeof *walker->walk_of_part);
    walker->walk = 1;
}

/** Note a part: the first is the home, the others ascend. */
static void note_part(sc_cut_walker *walker, uint16_t part)
{
    if (walker->walk_of_part[part] == walker->walk) return;
    walker->walk_of_part[part] = walker->walk;
    size_t at = walker->found_count++;
    for (; at > 1 && walker->found[at - 1] > part; at--) {
        walker->found[at] = walker->found[at - 1];
    }
    walker->found[at] = part;
}

/** Come by a star. It is walked on from only if that may lead to a part that is not its own. */
static void come_by(sc_cut_walker *walker, sc_star_id star, uint32_t hops_left, size_t *count)
{
    if (walker->walk_of_star[star] == walker->walk) return;
    walker->walk_of_star[star] = walker->walk;
    note_part(walker, walker->cut->part_of_star[star]);
    if (!sc__cut_is_far(walker->cut, star, hops_left)) walker->queue[(*count)++] = star;
}

static void walk(sc_cut_walker *walker, const sc_segment *segment, uint32_t max_hops)
{
    const sc_star *stars = sc_map_stars(walker->cut->map);
    const sc_star_id *neighbours = sc_map_star_neighbours(walker->cut->map);
    size_t count = 0;
    come_by(walker, segment->star_a, max_hops, &count);
    if (segment->star_b != SC_NONE) come_by(walker, segment->star_b, max_hops, &count);
    // Ring by ring: those between `at` and `ring_end` are equally far.
    size_t at = 0;
    for (uint32_t left = max_hops; left > 0 && at < count; left--) {
        const size_t ring_end = count;
        for (; at < ring_end; at++) {
            const sc_star *star = &stars[walker->queue[at]];
            for (uint32_t j = star[0].first_neighbour; j < star[1].first_neighbour; j++) {
                come_by(walker, neighbours[j], left - 1, &count);
            }
        }
    }
}

const uint16_t *sc_cut_reach(sc_cut_walker *walker, sc_seg_id segment, uint32_t max_hops,
                             size_t *count)
{
    begin_walk(walker);
    note_part(walker, (uint16_t)sc_cut_home(walker->cut, segment));
    if (sc_cut_is_near(walker->cut, segment, max_hops)) {
        walk(walker, &sc_map_segments(walker->cut->map)[segment], reach_of(max_hops));
    }
    *count = walker->found_count;
    return walker->found;
}
