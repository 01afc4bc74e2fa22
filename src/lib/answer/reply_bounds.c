// What the map alone allows of a reply. See reply_bounds.h.
#include "answer/reply_bounds.h"

#include "base/alloc.h"
#include "map/geo.h"

#include <math.h>

// === The least length of a way ==================================================================

/**
 * Edges of a segment that are walked on each side of an object. Most segments have fewer; a
 * nearer node is only a weaker bound, and a hostile reply cannot make us walk long roads again and
 * again.
 */
enum { STEPS = 16 };

/** Coarser steps are worth less than the line before; the last place is for the least share. */
static const double usual_shares[SC_LENGTH_SHARES - 1] = {1.0, 0.9999, 0.999, 0.99, 0.95,
                                                          0.9, 0.75,   0.5,   0.25};

sc_space_point sc__space_point_of(const sc_map *map, sc_node_id node)
{
    const sc_coords coords = sc_map_coords(map);
    if (coords == SC_COORDS_NONE) return (sc_space_point){0.0, 0.0, 0.0};
    const double unit_m = sc_map_unit_m(map);
    double x = 0.0;
    double y = 0.0;
    sc_map_node_position(map, node, &x, &y);
    if (coords == SC_COORDS_PLANAR) return (sc_space_point){x / unit_m, y / unit_m, 0.0};

    const double radius = SC_EARTH_RADIUS_M / unit_m;
    const double lon = x * (SC_PI / 180.0);
    const double lat = y * (SC_PI / 180.0);
    const double from_axis = radius * cos(lat);
    return (sc_space_point){from_axis * cos(lon), from_axis * sin(lon), radius * sin(lat)};
}

static double straight(sc_space_point a, sc_space_point b)
{
    const double x = a.x - b.x;
    const double y = a.y - b.y;
    const double z = a.z - b.z;
    return sqrt(x * x + y * y + z * z);
}

sc_length_bounds sc__length_bounds_of(const sc_map *map)
{
    sc_length_bounds bounds = {.total = 0.0};
    const sc_edge *edges = sc_map_edges(map);
    double least_share = 1.0;
    for (int i = 0; i < SC_LENGTH_SHARES - 1; i++) {
        bounds.shares[i] = usual_shares[i];
    }
    // Edges that follow each other share a node, whose place need not be found twice.
    sc_node_id known = SC_NONE;
    sc_space_point to = {0.0, 0.0, 0.0};
    for (sc_edge_id e = 0; e < sc_map_edge_count(map); e++) {
        const double length = edges[e].length;
        const sc_space_point from =
            edges[e].from == known ? to : sc__space_point_of(map, edges[e].from);
        to = sc__space_point_of(map, edges[e].to);
        known = edges[e].to;
        const double line = straight(from, to);
        bounds.total += length;
        if (length >= line) continue;
        if (length < least_share * line) least_share = length / line;
        for (int i = 0; i < SC_LENGTH_SHARES - 1; i++) {
            bounds.missing[i] += fmax(0.0, usual_shares[i] * line - length);
        }
    }
    // Nothing falls short of the least share, but for the rounding of it.
    bounds.shares[SC_LENGTH_SHARES - 1] = least_share * (1.0 - 1e-9);
    return bounds;
}

double sc__length_bounds_least(const sc_length_bounds *bounds, sc_space_point a, sc_space_point b)
{
    const double line = straight(a, b);
    double least = 0.0;
    for (int i = 0; i < SC_LENGTH_SHARES; i++) {
        least = fmax(least, bounds->shares[i] * line - bounds->missing[i]);
    }
    return least;
}

// --- Objects -----------------------------------------------------------------

sc_approach sc__approach_by_road(const sc_map *map, sc_edge_id edge, uint32_t offset)
{
    const sc_edge *edges = sc_map_edges(map);
    const sc_segment *segment = &sc_map_segments(map)[edges[edge].segment];
    const sc_edge_id last_edge = segment[1].first_edge - 1;
    sc_approach approach = {.star = {SC_NONE, SC_NONE}};

    sc_edge_id before = edge;
    approach.way[0] = offset;
    for (int i = 0; i < STEPS && before > segment->first_edge; i++) {
        before--;
        approach.way[0] += edges[before].length;
    }
    approach.spot[0] = sc__space_point_of(map, edges[before].from);
    if (before == segment->first_edge) approach.star[0] = segment->star_a;

    sc_edge_id behind = edge;
    approach.way[1] = (double)edges[edge].length - offset;
    for (int i = 0; i < STEPS && behind < last_edge; i++) {
        behind++;
        approach.way[1] += edges[behind].length;
    }
    if (behind == last_edge && segment->star_b == SC_NONE) {
        approach.way[1] = HUGE_VAL;  // a dead end
        return approach;
    }
    approach.spot[1] = sc__space_point_of(map, edges[behind].to);
    if (behind == last_edge) approach.star[1] = segment->star_b;
    return approach;
}

sc_approach sc__approach_by_position(const sc_map *map, sc_edge_id edge, uint32_t offset)
{
    const sc_edge *at = &sc_map_edges(map)[edge];
    const double part = at->length > 0 ? (double)offset / at->length : 0.0;
    const sc_space_point from = sc__space_point_of(map, at->from);
    const sc_space_point to = sc__space_point_of(map, at->to);
    const sc_space_point spot = {from.x + part * (to.x - from.x), from.y + part * (to.y - from.y),
                                 from.z + part * (to.z - from.z)};
    return (sc_approach){.spot = {spot}, .way = {0.0, HUGE_VAL}, .star = {SC_NONE, SC_NONE}};
}

bool sc__approach_allows(const sc_length_bounds *bounds, const sc_approach *approach,
                         sc_space_point from, double distance)
{
    // The straight line is never below the bound, and mostly it is enough to look at that.
    for (int side = 0; side < 2; side++) {
        if (isinf(approach->way[side])) continue;
        if (distance >= straight(from, approach->spot[side]) + approach->way[side]) return true;
    }
    for (int side = 0; side < 2; side++) {
        if (isinf(approach->way[side])) continue;
        const double least = sc__length_bounds_least(bounds, from, approach->spot[side]);
        if (distance >= least + approach->way[side]) return true;
    }
    return false;
}

// === Objects that can be reached ================================================================
// Components are found by joining the two ends of every segment: each star points to another one of
// its component, and the pointers lead to the star that stands for the component.

/** In place of a category: objects of all of them. No category has this number. */
static const uint64_t ALL_CATEGORIES = UINT64_MAX;

// --- Components --------------------------------------------------------------

// The star that the component of `star` is called by. Pointers are shortened on the way there.
static sc_star_id find_component(sc_star_id *components, sc_star_id star)
{
    while (components[star] != star) {
        components[star] = components[components[star]];
        star = components[star];
    }
    return star;
}

static void find_components(const sc_map *map, sc_star_id *components)
{
    const uint32_t star_count = sc_map_star_count(map);
    for (sc_star_id star = 0; star < star_count; star++) {
        components[star] = star;
    }
    const sc_segment *segments = sc_map_segments(map);
    for (sc_seg_id s = 0; s < sc_map_segment_count(map); s++) {
        if (segments[s].star_b == SC_NONE) continue;
        const sc_star_id a = find_component(components, segments[s].star_a);
        const sc_star_id b = find_component(components, segments[s].star_b);
        // The lower number stays, so that none points upwards.
        if (a < b) {
            components[b] = a;
        } else {
            components[a] = b;
        }
    }
    // From now on every pointer leads there directly: what it points to comes first.
    for (sc_star_id star = 0; star < star_count; star++) {
        components[star] = components[components[star]];
    }
}

// --- Counting ----------------------------------------------------------------

static sc_err add_one(sc_object_counts *counts, sc_star_id component, uint64_t category)
{
    if (!sc_grow(&counts->row_counts, counts->row_count, &counts->row_capacity,
                 sizeof *counts->row_counts)) {
        return SC_ENOMEM;
    }
    uint32_t row = 0;
    const sc_key key = {component, category};
    const sc_err err = sc_hash_put(&counts->rows, key, (uint32_t)counts->row_count, &row);
    if (err) return err;
    if (row == counts->row_count) counts->row_counts[counts->row_count++] = 0;
    counts->row_counts[row]++;
    return SC_OK;
}

sc_err sc__object_counts_init(sc_object_counts *counts, const sc_map *map)
{
    const uint32_t object_count = sc_map_object_count(map);
    if (object_count == 0) return SC_OK;
    counts->components = sc_malloc_array(sc_map_star_count(map), sizeof *counts->components);
    if (!counts->components) return SC_ENOMEM;
    find_components(map, counts->components);

    const sc_object *objects = sc_map_objects(map);
    const sc_edge *edges = sc_map_edges(map);
    const sc_segment *segments = sc_map_segments(map);
    sc_err err = SC_OK;
    for (sc_object_id o = 0; o < object_count && !err; o++) {
        const sc_star_id star = segments[edges[objects[o].edge].segment].star_a;
        err = add_one(counts, counts->components[star], objects[o].category);
        if (!err) err = add_one(counts, counts->components[star], ALL_CATEGORIES);
    }
    return err;
}

void sc__object_counts_fini(sc_object_counts *counts)
{
    sc_free(counts->components);
    sc_hash_fini(&counts->rows);
    sc_free(counts->row_counts);
    *counts = (sc_object_counts){.components = NULL};
}

// --- Looking up --------------------------------------------------------------

static uint32_t count_of(const sc_object_counts *counts, sc_star_id component, uint64_t category)
{
    const sc_key key = {component, category};
    const uint32_t row = sc_hash_get(&counts->rows, key, SC_NONE);
    return row == SC_NONE ? 0 : counts->row_counts[row];
}

static bool is_named_before(const sc_request *request, uint32_t place)
{
    for (uint32_t i = 0; i < place; i++) {
        if (request->categories[i] == request->categories[place]) return true;
    }
    return false;
}

uint64_t sc__object_counts_reachable(const sc_object_counts *counts, sc_star_id star,
                                     const sc_request *request)
{
    if (!counts->components) return 0;
    const sc_star_id component = counts->components[star];
    if (request->category_count == 0) return count_of(counts, component, ALL_CATEGORIES);
    uint64_t count = 0;
    for (uint32_t i = 0; i < request->category_count; i++) {
        // Requests in normal form name none twice; others must not count it twice either.
        if (is_named_before(request, i)) continue;
        count += count_of(counts, component, request->categories[i]);
    }
    return count;
}
