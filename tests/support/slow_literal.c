// Methods that take no notice of other queries. See slow_literal.h.
#include "support/slow_literal.h"

#include "base/rng.h"
#include "support/check.h"

// Fewest hops from a star to an end of a segment; SC_NONE: there is no way.
static uint32_t hops_to(const slow_roads *roads, sc_star_id star, sc_seg_id segment)
{
    const sc_segment *at = &sc_map_segments(roads->map)[segment];
    const uint32_t first = slow_hops(roads, star, at->star_a);
    const uint32_t last = at->star_b == SC_NONE ? SC_NONE : slow_hops(roads, star, at->star_b);
    return first < last ? first : last;
}

static bool is_in_region(const slow_roads *roads, sc_star_id star, uint32_t max_hops,
                         sc_seg_id segment)
{
    const uint32_t hops = hops_to(roads, star, segment);
    return hops != SC_NONE && hops <= max_hops;
}

uint64_t slow_literal_way(const slow_roads *roads, sc_seg_id from, sc_seg_id to)
{
    const sc_segment *segments = sc_map_segments(roads->map);
    uint64_t *ways = test_take(roads->star_count, sizeof *ways);
    memset(ways, 0xff, roads->star_count * sizeof *ways);
    ways[segments[from].star_a] = segments[from].length;
    if (segments[from].star_b != SC_NONE) ways[segments[from].star_b] = segments[from].length;
    for (bool has_changed = true; has_changed;) {
        has_changed = false;
        for (sc_seg_id s = 0; s < 2 * roads->segment_count; s++) {
            const sc_segment *road = &segments[s / 2];
            if (road->star_b == SC_NONE) continue;
            const sc_star_id here = s % 2 == 0 ? road->star_a : road->star_b;
            const sc_star_id there = s % 2 == 0 ? road->star_b : road->star_a;
            if (ways[here] == UINT64_MAX) continue;
            const uint64_t way = ways[here] + 2 * (uint64_t)road->length;
            if (way >= ways[there]) continue;
            ways[there] = way;
            has_changed = true;
        }
    }
    uint64_t way = ways[segments[to].star_a];
    if (segments[to].star_b != SC_NONE && ways[segments[to].star_b] < way) {
        way = ways[segments[to].star_b];
    }
    free(ways);
    return way == UINT64_MAX ? way : way + segments[to].length;
}

static bool is_enough(const slow_roads *roads, const sc_query *query, const uint32_t *others,
                      const bool *flags)
{
    size_t count = 0;
    uint64_t users = 1;  // the asker
    for (sc_seg_id s = 0; s < roads->segment_count; s++) {
        if (!flags[s]) continue;
        count++;
        users += others[s];
    }
    return count >= query->l && users >= query->k;
}

// The region of an end, a flag per segment; NULL if it is not enough.
static bool *region_of(const slow_roads *roads, const sc_query *query, const uint32_t *others,
                       sc_star_id end)
{
    bool *region = test_take(roads->segment_count, sizeof *region);
    for (sc_seg_id s = 0; s < roads->segment_count; s++) {
        region[s] = is_in_region(roads, end, query->max_hops, s);
    }
    if (is_enough(roads, query, others, region)) return region;
    free(region);
    return NULL;
}

// Roads of the region without the own one, by hops and then by id.
static size_t list_region(const slow_roads *roads, const bool *region, const sc_query *query,
                          sc_star_id end, sc_seg_id *list)
{
    size_t count = 0;
    for (uint32_t hops = 0; hops <= query->max_hops && hops < roads->star_count; hops++) {
        for (sc_seg_id s = 0; s < roads->segment_count; s++) {
            if (!region[s] || s == query->segment || hops_to(roads, end, s) != hops) continue;
            list[count++] = s;
        }
    }
    return count;
}

// The place of the next road: drawn from those that are left, or that of the nearest of them.
static size_t next_of(const slow_roads *roads, sc_literal_method method, const sc_seg_id *list,
                      size_t taken, size_t count, const sc_query *query, sc_rng *rng)
{
    if (method == SC_LITERAL_SAMPLING) return taken + sc_rng_below(rng, (uint32_t)(count - taken));
    size_t best = taken;
    for (size_t i = taken + 1; i < count; i++) {
        const uint64_t way = slow_literal_way(roads, query->segment, list[i]);
        const uint64_t least = slow_literal_way(roads, query->segment, list[best]);
        if (way < least || (way == least && list[i] < list[best])) best = i;
    }
    return best;
}

bool *slow_literal_choose(const slow_roads *roads, sc_literal_method method, const sc_query *query,
                          const uint32_t *others, sc_rng *rng)
{
    const sc_segment *own = &sc_map_segments(roads->map)[query->segment];
    const bool has_two = own->star_b != SC_NONE && own->star_b != own->star_a;
    sc_star_id ends[2] = {own->star_a, own->star_b};
    const bool is_turned = has_two && (method == SC_LITERAL_SAMPLING ? sc_rng_below(rng, 2) == 1
                                                                     : own->star_b < own->star_a);
    if (is_turned) {
        ends[0] = own->star_b;
        ends[1] = own->star_a;
    }
    sc_star_id end = ends[0];
    bool *region = region_of(roads, query, others, end);
    if (!region && has_two) {
        end = ends[1];
        region = region_of(roads, query, others, end);
    }
    if (!region) return NULL;
    sc_seg_id *list = test_take(roads->segment_count, sizeof *list);
    bool *chosen = test_take(roads->segment_count, sizeof *chosen);
    const size_t count = list_region(roads, region, query, end, list);
    chosen[query->segment] = true;
    for (size_t taken = 0; !is_enough(roads, query, others, chosen); taken++) {
        const size_t next = next_of(roads, method, list, taken, count, query, rng);
        const sc_seg_id road = list[next];
        list[next] = list[taken];
        list[taken] = road;
        chosen[road] = true;
    }
    free(region);
    free(list);
    return chosen;
}
