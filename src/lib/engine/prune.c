// Pruning: the last random step, from a candidate to a cloak. docs/engine.md has
// the rule and the order of the draws; starcloak/prune.h the contract.
//
// A candidate holds all stars that its members allow, some 25 of them, and most
// can go. Stars leave from the boundary, in random order: with a fixed order
// an adversary who replays the queries would get the same cloak, and could read off it
// where it grew from.
//
// What makes it quick is that a star knows what it alone holds:
//  1. `place` has for each star of the map which one of T it is. So "is it in T" is
//     one load. It is all zero between two calls.
//  2. `sole` counts the segments of a star that no other star of T touches: the
//     dead ends, the loops, and the roads to stars outside. Exactly these leave S
//     with the star, so whether it may go is one comparison. When it goes, each of
//     its links, the roads to others of T, becomes a sole one at the other end.
//  3. The boundary is a set of bits in the order of T, which ascends: the i-th star
//     of it is the i-th bit.
//
// The branches of the inner loops would depend on the map, which no processor can
// predict; so they have sums and masks in place of branches, and take half the time.
#include <starcloak/prune.h>

#include "base/alloc.h"
#include "base/rng.h"
#include "base/sort.h"
#include "engine/candidate.h"
#include "engine/demand.h"

/** A star of T while it is being trimmed. */
typedef struct trimmed {
    uint32_t sole;        ///< its segments that no other star of T touches
    uint32_t first_link;  ///< its links end where the next star's begin
} trimmed;

/** Sixty-four stars of T, a bit for each. */
typedef struct star_bits {
    uint64_t boundary;
    uint64_t removable;  ///< in T still, and no member is assigned to it (P1)
} star_bits;

enum { WORD_BITS = 64 };

struct sc_pruner {
    // Tables of the map.
    const sc_star *stars;
    const sc_seg_id *star_segments;
    const sc_segment *segments;

    uint32_t *place;  ///< by star of the map: 1 + its place in T, or 0

    // By place in T.
    trimmed *trimmed;
    star_bits *bits;
    size_t star_room;  ///< of both

    uint32_t *links;  ///< places
    size_t link_room;
    uint32_t boundary_count;
};

sc_err sc_pruner_new(const sc_map *map, sc_pruner **out)
{
    sc_pruner *pruner = sc_calloc(1, sizeof *pruner);
    if (!pruner) return SC_ENOMEM;
    // Four bytes per star of the map, of which only the pages in use become real. A hash
    // table of T alone would do with less, and was a tenth to a third slower.
    pruner->place = sc_calloc(sc_map_star_count(map), sizeof *pruner->place);
    if (!pruner->place) {
        sc_pruner_free(pruner);
        return SC_ENOMEM;
    }
    pruner->stars = sc_map_stars(map);
    pruner->star_segments = sc_map_star_segments(map);
    pruner->segments = sc_map_segments(map);
    *out = pruner;
    return SC_OK;
}

void sc_pruner_free(sc_pruner *pruner)
{
    if (!pruner) return;
    sc_free(pruner->place);
    sc_free(pruner->trimmed);
    sc_free(pruner->bits);
    sc_free(pruner->links);
    sc_free(pruner);
}

static size_t word_count(size_t star_count)
{
    return star_count / WORD_BITS + 1;
}

/** Room for trimming this one: afterwards nothing can fail. */
static sc_err make_room(sc_pruner *pruner, const sc_cloak *cloak)
{
    size_t link_count = 0;
    for (size_t i = 0; i < cloak->star_count; i++) {
        const sc_star *star = &pruner->stars[cloak->stars[i]];
        link_count += star[1].first_segment - star[0].first_segment;
    }
    // Half as much again, so that candidates that grow one by one make it grow seldom.
    if (link_count > pruner->link_room) {
        const size_t room = link_count + link_count / 2;
        uint32_t *links = sc_realloc_array(pruner->links, room, sizeof *links);
        if (!links) return SC_ENOMEM;
        pruner->links = links;
        pruner->link_room = room;
    }
    if (cloak->star_count >= pruner->star_room) {
        const size_t room = cloak->star_count + cloak->star_count / 2 + 1;
        trimmed *moved = sc_realloc_array(pruner->trimmed, room, sizeof *moved);
        if (!moved) return SC_ENOMEM;
        pruner->trimmed = moved;
        star_bits *bits = sc_realloc_array(pruner->bits, word_count(room), sizeof *bits);
        if (!bits) return SC_ENOMEM;
        pruner->bits = bits;
        pruner->star_room = room;
    }
    return SC_OK;
}

// --- The boundary -----------------------------------------------------------

/** A star that a member needs, or that is gone, enters the boundary no more. */
static void bar_from_boundary(sc_pruner *pruner, uint32_t place)
{
    pruner->bits[place / WORD_BITS].removable &= ~((uint64_t)1 << place % WORD_BITS);
}

/** Put a star into the boundary, if `is_boundary`, it is removable and not there yet. */
static void put_into_boundary(sc_pruner *pruner, uint32_t place, bool is_boundary)
{
    star_bits *bits = &pruner->bits[place / WORD_BITS];
    const uint64_t bit = (uint64_t)is_boundary << place % WORD_BITS;
    const uint64_t added = bit & bits->removable & ~bits->boundary;
    bits->boundary |= added;
    pruner->boundary_count += added != 0;
}

/** Take the i-th star out of the boundary, counted from 0; gives its place. */
static uint32_t take_from_boundary(sc_pruner *pruner, uint32_t i)
{
    star_bits *bits = pruner->bits;
    for (uint32_t here; i >= (here = (uint32_t)__builtin_popcountll(bits->boundary)); bits++) {
        i -= here;
    }
    uint64_t rest = bits->boundary;
    while (i-- > 0) {
        rest &= rest - 1;
    }
    bits->boundary ^= rest & -rest;
    pruner->boundary_count--;
    return (uint32_t)((bits - pruner->bits) * WORD_BITS + __builtin_ctzll(rest));
}

// --- Trimming ---------------------------------------------------------------

/** The star at the other end; for a loop and at a dead end, `star` itself. */
static sc_star_id far_end(const sc_segment *segment, sc_star_id star)
{
    // One of the two is `star`, so this is the other one.
    const sc_star_id other = segment->star_a ^ segment->star_b ^ star;
    return other == SC_NONE ? star : other;
}

static void place_stars(sc_pruner *pruner, const sc_cloak *cloak)
{
    for (size_t w = 0; w < word_count(cloak->star_count); w++) {
        pruner->bits[w] = (star_bits){.boundary = 0, .removable = UINT64_MAX};
    }
    for (size_t i = 0; i < cloak->star_count; i++) {
        pruner->place[cloak->stars[i]] = (uint32_t)i + 1;
    }
    for (size_t i = 0; i < cloak->member_count; i++) {
        bar_from_boundary(pruner, pruner->place[cloak->members[i].star] - 1);
    }
}

/** Count what each star holds alone, find links and boundary; gives the size of seg(T). */
static size_t look_around(sc_pruner *pruner, const sc_cloak *cloak)
{
    const sc_star *stars = pruner->stars;
    uint32_t link_count = 0;
    size_t sole_total = 0;
    pruner->boundary_count = 0;
    for (uint32_t i = 0; i < cloak->star_count; i++) {
        const sc_star_id star = cloak->stars[i];
        bool is_boundary = false;
        uint32_t sole = 0;
        pruner->trimmed[i].first_link = link_count;
        for (uint32_t j = stars[star].first_segment; j < stars[star + 1].first_segment; j++) {
            const sc_star_id other = far_end(&pruner->segments[pruner->star_segments[j]], star);
            const uint32_t place = pruner->place[other];
            const bool is_link = (place > 0) & (other != star);
            pruner->links[link_count] = place - 1;  // stays only if it is one
            link_count += is_link;
            sole += !is_link;
            is_boundary |= place == 0;
        }
        pruner->trimmed[i].sole = sole;
        sole_total += sole;
        put_into_boundary(pruner, i, is_boundary);
    }
    pruner->trimmed[cloak->star_count].first_link = link_count;
    return sole_total + link_count / 2;  // what two share is a link of both
}

/** Take a star out of T; its neighbours there are boundary from now on. */
static void remove_star(sc_pruner *pruner, uint32_t place)
{
    const trimmed *star = &pruner->trimmed[place];
    bar_from_boundary(pruner, place);
    for (uint32_t j = star[0].first_link; j < star[1].first_link; j++) {
        const uint32_t other = pruner->links[j];
        pruner->trimmed[other].sole++;  // of one that is gone too, it matters no more
        put_into_boundary(pruner, other, true);
    }
}

/** The segments of all stars. */
static sc__road_set roads_of(const sc_pruner *pruner, const sc_cloak *cloak)
{
    return (sc__road_set){
        .map_stars = pruner->stars,
        .star_segments = pruner->star_segments,
        .segments = pruner->segments,
        .stars = cloak->stars,
        .count = (uint32_t)cloak->star_count,
        .places = pruner->place,
    };
}

/** Whether members still have what they ask for beside segments without the star at `place`. */
static bool can_go(const sc_pruner *pruner, const sc_cloak *cloak, sc__kept_demands *kept,
                   uint32_t place)
{
    if (!kept) return true;
    const sc__road_set roads = roads_of(pruner, cloak);
    const uint64_t bit = (uint64_t)1 << place % WORD_BITS;
    kept->left[place / WORD_BITS] &= ~bit;
    const bool is_met = sc__kept_demands_are_met(kept, &roads);
    if (!is_met) kept->left[place / WORD_BITS] |= bit;
    return is_met;
}

static void trim(sc_pruner *pruner, sc_cloak *cloak, sc__demand demand, sc_rng *rng)
{
    sc__kept_demands *demands = sc__candidate_of(cloak)->kept;
    size_t segment_count = look_around(pruner, cloak);
    if (demands && demands->special_count > 0 && cloak->star_count <= SC__REACHED_STARS_MAX) {
        const sc__road_set roads = roads_of(pruner, cloak);
        sc__kept_demands_note_reached(demands, &roads);
    }
    while (pruner->boundary_count > 0) {
        const uint32_t i = sc_rng_below(rng, pruner->boundary_count);
        const uint32_t place = take_from_boundary(pruner, i);
        const uint32_t sole = pruner->trimmed[place].sole;
        if (!sc__demand_is_met(demand, segment_count - sole)) break;
        // Others may go without which members keep what they ask for.
        if (!can_go(pruner, cloak, demands, place)) continue;
        segment_count -= sole;
        remove_star(pruner, place);
        pruner->place[cloak->stars[place]] = 0;
    }
    size_t kept = 0;
    for (size_t i = 0; i < cloak->star_count; i++) {
        const sc_star_id star = cloak->stars[i];
        cloak->stars[kept] = star;
        kept += pruner->place[star] > 0;
    }
    cloak->star_count = kept;
}

// --- The result -------------------------------------------------------------

/** Fill in S. Where a segment leaves T, the star outside is put down in place of a border node. */
static void collect_segments(const sc_pruner *pruner, sc_cloak *cloak)
{
    const sc_star *stars = pruner->stars;
    size_t count = 0;
    size_t outside_count = 0;
    for (size_t i = 0; i < cloak->star_count; i++) {
        const sc_star_id star = cloak->stars[i];
        for (uint32_t j = stars[star].first_segment; j < stars[star + 1].first_segment; j++) {
            const sc_seg_id id = pruner->star_segments[j];
            const sc_star_id other = far_end(&pruner->segments[id], star);
            const bool is_outside = pruner->place[other] == 0;
            // What two stars of T share is taken at the one that comes first.
            if (is_outside || star <= other) cloak->segments[count++] = id;
            if (is_outside) cloak->border_nodes[outside_count++] = other;
        }
    }
    sc_sort_u32(cloak->segments, count);
    cloak->segment_count = count;
    cloak->border_node_count = outside_count;
}

/**
 * From the stars outside to the border nodes. All roads of a star of T are in S, and so
 * is the road of a dead end; so a border node is a star outside. S has as many roads there
 * as name it; it is a border node if it has more. A loop there counts as a road too: it is
 * not in S, since its only star is not in T. (Without T, all stars at S are outside.)
 */
static void find_border(const sc_pruner *pruner, sc_cloak *cloak)
{
    const sc_star *stars = pruner->stars;
    uint32_t *outside = cloak->border_nodes;
    const size_t outside_count = cloak->border_node_count;
    sc_sort_u32(outside, outside_count);
    size_t count = 0;
    for (size_t i = 0; i < outside_count;) {
        const sc_star_id star = outside[i];
        const size_t first = i;
        while (i < outside_count && outside[i] == star) {
            i++;
        }
        const size_t road_count = stars[star + 1].first_segment - stars[star].first_segment;
        if (road_count > i - first) outside[count++] = stars[star].node;
    }
    sc_sort_u32(outside, count);
    cloak->border_node_count = count;
}

// The order of members must not be that in which they came (P6).
static void shuffle_members(sc_cloak *cloak, sc_rng *rng)
{
    for (size_t i = cloak->member_count; i-- > 1;) {
        const size_t j = sc_rng_below(rng, (uint32_t)i + 1);
        const sc_member member = cloak->members[i];
        cloak->members[i] = cloak->members[j];
        cloak->members[j] = member;
    }
}

/** Whether the star of every member is in T, as an engine promises (P1). T is ascending. */
static bool has_members_stars(const sc_cloak *cloak)
{
    for (size_t i = 0; i < cloak->member_count; i++) {
        size_t first = 0;
        size_t end = cloak->star_count;
        while (first < end) {
            const size_t middle = first + (end - first) / 2;
            if (cloak->stars[middle] < cloak->members[i].star) {
                first = middle + 1;
            } else {
                end = middle;
            }
        }
        if (first == cloak->star_count || cloak->stars[first] != cloak->members[i].star) {
            return false;
        }
    }
    return true;
}

/** From stars to segments and border nodes. */
static sc_err prune_stars(sc_pruner *pruner, sc_cloak *candidate, sc_rng *rng)
{
    if (!has_members_stars(candidate)) return SC_EINVAL;
    const sc_err err = make_room(pruner, candidate);
    if (err) return err;

    sc__demand demand = {0};
    for (size_t i = 0; i < candidate->member_count; i++) {
        demand = sc__demand_meet(demand, (sc__demand){.segments = candidate->members[i].query.l});
    }
    place_stars(pruner, candidate);
    if (!sc__candidate_of(candidate)->is_whole) trim(pruner, candidate, demand, rng);
    collect_segments(pruner, candidate);
    find_border(pruner, candidate);
    for (size_t i = 0; i < candidate->star_count; i++) {
        pruner->place[candidate->stars[i]] = 0;
    }
    return SC_OK;
}

/** Segments that are no star's: both ends of each may be at the border. */
static void collect_ends(const sc_pruner *pruner, sc_cloak *cloak)
{
    size_t count = 0;
    for (size_t i = 0; i < cloak->segment_count; i++) {
        const sc_segment *segment = &pruner->segments[cloak->segments[i]];
        cloak->border_nodes[count++] = segment->star_a;
        if (segment->star_b != SC_NONE && segment->star_b != segment->star_a) {
            cloak->border_nodes[count++] = segment->star_b;
        }
    }
    cloak->border_node_count = count;
}

sc_err sc_pruner_prune(sc_pruner *pruner, sc_cloak *candidate, sc_rng *rng)
{
    if (candidate->is_pruned) return SC_OK;
    if (candidate->star_count > 0) {
        const sc_err err = prune_stars(pruner, candidate, rng);
        if (err) return err;
    } else {
        if (candidate->segment_count == 0) return SC_EINVAL;
        collect_ends(pruner, candidate);
        find_border(pruner, candidate);
    }
    shuffle_members(candidate, rng);
    candidate->is_pruned = true;
    return SC_OK;
}
