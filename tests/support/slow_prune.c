// Pruning by plain sets. The steps are those of docs/engine.md.
#include "support/slow_prune.h"

#include "engine/candidate.h"
#include "support/check.h"

/** What one pruning works on: a flag per star in each set. */
typedef struct pruning {
    const slow_roads *roads;
    const sc_demands *demands;
    const sc_member *members;
    size_t member_count;
    bool *inside;     ///< T
    bool *is_member;  ///< A: stars that members are assigned to
    bool *boundary;   ///< B
    uint32_t most_l;  ///< L
} pruning;

static bool has_neighbour_outside(const pruning *p, sc_star_id star)
{
    for (sc_star_id x = 0; x < p->roads->star_count; x++) {
        if (!p->inside[x] && slow_adjacent(p->roads, star, x)) return true;
    }
    return false;
}

static size_t count_flags(const bool *flags, uint32_t flag_count)
{
    size_t count = 0;
    for (uint32_t i = 0; i < flag_count; i++) {
        count += flags[i];
    }
    return count;
}

// The i-th star of the boundary, ascending.
static sc_star_id boundary_at(const pruning *p, uint32_t i)
{
    sc_star_id star = 0;
    while (!p->boundary[star] || i-- > 0) {
        star++;
    }
    return star;
}

static void trim(pruning *p, sc_rng *rng)
{
    const uint32_t n = p->roads->star_count;
    for (sc_star_id x = 0; x < n; x++) {
        p->boundary[x] = p->inside[x] && !p->is_member[x] && has_neighbour_outside(p, x);
    }
    for (size_t size; (size = count_flags(p->boundary, n)) > 0;) {
        const sc_star_id star = boundary_at(p, sc_rng_below(rng, (uint32_t)size));
        p->boundary[star] = false;
        p->inside[star] = false;
        if (slow_segment_count(p->roads, p->inside) < p->most_l) {
            p->inside[star] = true;
            return;
        }
        if (!slow_is_good(p->roads, p->demands, p->members, p->member_count, p->inside)) {
            p->inside[star] = true;
            continue;
        }
        for (sc_star_id x = 0; x < n; x++) {
            if (slow_adjacent(p->roads, star, x) && p->inside[x] && !p->is_member[x]) {
                p->boundary[x] = true;
            }
        }
    }
}

static void fill_in(const pruning *p, sc_cloak *cloak)
{
    const slow_roads *roads = p->roads;
    const uint32_t node_count = sc_map_node_count(roads->map);
    bool *segments = test_take(roads->segment_count, sizeof *segments);
    bool *borders = test_take(node_count, sizeof *borders);
    for (sc_seg_id s = 0; s < roads->segment_count; s++) {
        segments[s] = slow_touches(roads, p->inside, s);
    }
    for (sc_node_id v = 0; v < node_count; v++) {
        borders[v] = slow_is_border(roads, segments, v);
    }
    free(cloak->stars);
    cloak->stars = slow_ids(p->inside, roads->star_count, &cloak->star_count);
    cloak->segments = slow_ids(segments, roads->segment_count, &cloak->segment_count);
    cloak->border_nodes = slow_ids(borders, node_count, &cloak->border_node_count);
    free(segments);
    free(borders);
}

// A candidate without stars has its segments.
static void fill_in_border(const slow_roads *roads, sc_cloak *cloak)
{
    const uint32_t node_count = sc_map_node_count(roads->map);
    bool *segments = test_take(roads->segment_count, sizeof *segments);
    bool *borders = test_take(node_count, sizeof *borders);
    for (size_t i = 0; i < cloak->segment_count; i++) {
        segments[cloak->segments[i]] = true;
    }
    for (sc_node_id v = 0; v < node_count; v++) {
        borders[v] = slow_is_border(roads, segments, v);
    }
    cloak->border_nodes = slow_ids(borders, node_count, &cloak->border_node_count);
    free(segments);
    free(borders);
}

static void shuffle_members(sc_cloak *cloak, sc_rng *rng)
{
    for (uint32_t i = (uint32_t)cloak->member_count - 1; i >= 1; i--) {
        const uint32_t other = sc_rng_below(rng, i + 1);
        const sc_member swapped = cloak->members[i];
        cloak->members[i] = cloak->members[other];
        cloak->members[other] = swapped;
    }
}

void slow_prune(const slow_roads *roads, const sc_demands *demands, sc_cloak *candidate,
                sc_rng *rng)
{
    if (candidate->star_count == 0) {
        fill_in_border(roads, candidate);
        shuffle_members(candidate, rng);
        return;
    }
    pruning p = {
        .roads = roads,
        .demands = demands,
        .members = candidate->members,
        .member_count = candidate->member_count,
        .inside = test_take(roads->star_count, sizeof(bool)),
        .is_member = test_take(roads->star_count, sizeof(bool)),
        .boundary = test_take(roads->star_count, sizeof(bool)),
    };
    for (size_t i = 0; i < candidate->star_count; i++) {
        p.inside[candidate->stars[i]] = true;
    }
    for (size_t i = 0; i < candidate->member_count; i++) {
        const sc_member *member = &candidate->members[i];
        p.is_member[member->star] = true;
        if (member->query.l > p.most_l) p.most_l = member->query.l;
    }
    if (!sc__candidate_of(candidate)->is_whole) trim(&p, rng);
    fill_in(&p, candidate);
    shuffle_members(candidate, rng);
    free(p.inside);
    free(p.is_member);
    free(p.boundary);
}

void slow_cloak_free(sc_cloak *cloak)
{
    if (!cloak) return;
    free(cloak->stars);
    free(cloak->segments);
    free(cloak->border_nodes);
    free(cloak->members);
    free(cloak);
}
