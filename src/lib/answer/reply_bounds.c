// What the map alone allows of a reply. See reply_bounds.h.
#include "answer/reply_bounds.h"

#include "base/alloc.h"
#include "map/road_legs.h"

#include <math.h>

// === The least cost of a way ====================================================================

/**
 * Edges of a segment that are walked on each side of an object. Most segments have fewer; a
 * nearer node is only a weaker bound, and a hostile reply cannot make us walk long roads again and
 * again.
 */
enum { STEPS = 16 };

// --- Objects -----------------------------------------------------------------

// Go on along an edge, or a part of it that is `distance` long and takes `time`; closed: never.
static void add_way(sc_approach *approach, int side, double distance, double time)
{
    approach->way[SC_METRIC_DISTANCE][side] += distance;
    approach->way[SC_METRIC_TIME][side] += time;
}

static void close_way(sc_approach *approach, int side)
{
    approach->way[SC_METRIC_DISTANCE][side] = HUGE_VAL;
    approach->way[SC_METRIC_TIME][side] = HUGE_VAL;
}

static void add_edge(const sc_map *map, sc_approach *approach, int side, sc_edge_id edge)
{
    const sc_travel_times times = sc_map_edge_times(map)[edge];
    const uint32_t time = side == 0 ? times.forward : times.backward;
    if (time == SC_CLOSED) {
        close_way(approach, side);
    } else {
        add_way(approach, side, sc_map_edges(map)[edge].length, time);
    }
}

// From an end of its edge to the object itself.
static void add_part(const sc_map *map, sc_approach *approach, int side, sc_edge_id edge,
                     uint32_t offset)
{
    const sc_travel_times times = sc_map_edge_times(map)[edge];
    const uint32_t length = sc_map_edges(map)[edge].length;
    const uint32_t part = side == 0 ? offset : length - offset;
    if (part == 0) return;
    if ((side == 0 ? times.forward : times.backward) == SC_CLOSED) {
        close_way(approach, side);
    } else {
        add_way(approach, side, part, nearbyint(sc__edge_part_time(map, edge, offset, side == 1)));
    }
}

sc_space_point sc__known_spot(sc_known_spots *known, const sc_map *map, sc_node_id node)
{
    const size_t place = node % SC_KNOWN_SPOTS;
    if (known->nodes[place] != node + 1) {
        known->spots[place] = sc__space_point_of(map, node);
        known->nodes[place] = node + 1;
    }
    return known->spots[place];
}

sc_approach sc__approach_by_road(sc_known_spots *known, const sc_map *map, sc_edge_id edge,
                                 uint32_t offset)
{
    const sc_edge *edges = sc_map_edges(map);
    const sc_segment *segment = &sc_map_segments(map)[edges[edge].segment];
    const sc_edge_id last_edge = segment[1].first_edge - 1;
    sc_approach approach = {.star = {SC_NONE, SC_NONE}};

    sc_edge_id before = edge;
    add_part(map, &approach, 0, edge, offset);
    for (int i = 0; i < STEPS && before > segment->first_edge; i++) {
        before--;
        add_edge(map, &approach, 0, before);
    }
    approach.spot[0] = sc__known_spot(known, map, edges[before].from);
    if (before == segment->first_edge) approach.star[0] = segment->star_a;

    sc_edge_id behind = edge;
    add_part(map, &approach, 1, edge, offset);
    for (int i = 0; i < STEPS && behind < last_edge; i++) {
        behind++;
        add_edge(map, &approach, 1, behind);
    }
    if (behind == last_edge && segment->star_b == SC_NONE) {
        close_way(&approach, 1);  // a dead end
        return approach;
    }
    approach.spot[1] = sc__known_spot(known, map, edges[behind].to);
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
    sc_approach approach = {.spot = {spot}, .star = {SC_NONE, SC_NONE}};
    close_way(&approach, 1);
    return approach;
}

bool sc__approach_allows(const sc_cost_bounds *bounds, const sc_approach *approach,
                         sc_space_point from, double cost)
{
    const double *way = approach->way[bounds->metric];
    // The straight line is never below the bound, and mostly it is enough to look at that.
    for (int side = 0; side < 2; side++) {
        if (isinf(way[side])) continue;
        if (cost >= sc__straight(from, approach->spot[side]) * bounds->pace + way[side])
            return true;
    }
    for (int side = 0; side < 2; side++) {
        if (isinf(way[side])) continue;
        const double least = sc__cost_bounds_least(bounds, from, approach->spot[side]);
        if (cost >= least + way[side]) return true;
    }
    return false;
}

// === Objects that can be reached ================================================================
// Components are found by joining the two ends of every segment: each star points to another one of
// its component, and the pointers lead to the star that stands for the component. Strong components
// are found by a walk through all roads as they are open (Tarjan, 1972), with a stack of its own.

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

static void find_weak(const sc_map *map, sc_star_id *components)
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

/** A walk that finds strong components. Arrays have an entry per star. */
typedef struct strong_walk {
    const sc_map *map;
    sc_star_id *components;  ///< SC_NONE: not known yet
    uint32_t *order;         ///< when a star was first visited, from 1; 0: not yet
    uint32_t *low;           ///< the earliest that was seen from it and below
    uint32_t *next_segment;  ///< which of its segments is to be taken next
    sc_star_id *path;        ///< from where the walk began to where it is
    sc_star_id *open;        ///< visited, and of no known component yet
    uint32_t path_count;
    uint32_t open_count;
    uint32_t visited;
} strong_walk;

// The star that a segment leads to from `star`; SC_NONE: nowhere else.
static sc_star_id lead_of(const sc_map *map, sc_seg_id segment, sc_star_id star)
{
    const sc_segment *at = &sc_map_segments(map)[segment];
    const sc_travel_times times = sc_map_segment_times(map)[segment];
    if (at->star_a == star) return times.forward != SC_CLOSED ? at->star_b : SC_NONE;
    return times.backward != SC_CLOSED ? at->star_a : SC_NONE;
}

static void visit(strong_walk *w, sc_star_id star)
{
    w->order[star] = w->low[star] = ++w->visited;
    w->next_segment[star] = sc_map_stars(w->map)[star].first_segment;
    w->path[w->path_count++] = star;
    w->open[w->open_count++] = star;
}

// All segments of the last star of the path have been taken: back to the one before.
static void leave(strong_walk *w)
{
    const sc_star_id star = w->path[--w->path_count];
    if (w->low[star] == w->order[star]) {
        sc_star_id member = SC_NONE;
        do {
            member = w->open[--w->open_count];
            w->components[member] = star;
        } while (member != star);
    }
    if (w->path_count == 0) return;
    const sc_star_id before = w->path[w->path_count - 1];
    if (w->low[star] < w->low[before]) w->low[before] = w->low[star];
}

static void walk_from(strong_walk *w, sc_star_id start)
{
    const sc_seg_id *listed = sc_map_star_segments(w->map);
    visit(w, start);
    while (w->path_count > 0) {
        const sc_star_id star = w->path[w->path_count - 1];
        if (w->next_segment[star] == sc_map_stars(w->map)[star + 1].first_segment) {
            leave(w);
            continue;
        }
        const sc_star_id to = lead_of(w->map, listed[w->next_segment[star]++], star);
        if (to == SC_NONE || to == star) continue;
        if (w->order[to] == 0) {
            visit(w, to);
        } else if (w->components[to] == SC_NONE && w->order[to] < w->low[star]) {
            w->low[star] = w->order[to];
        }
    }
}

static sc_err find_strong(const sc_map *map, sc_star_id *components)
{
    const uint32_t star_count = sc_map_star_count(map);
    uint32_t *room = sc_calloc((size_t)star_count * 5, sizeof *room);
    if (!room) return SC_ENOMEM;
    strong_walk w = {.map = map,
                     .components = components,
                     .order = room,
                     .low = room + star_count,
                     .next_segment = room + (size_t)2 * star_count,
                     .path = room + (size_t)3 * star_count,
                     .open = room + (size_t)4 * star_count};
    for (sc_star_id star = 0; star < star_count; star++) {
        components[star] = SC_NONE;
    }
    for (sc_star_id star = 0; star < star_count; star++) {
        if (w.order[star] == 0) walk_from(&w, star);
    }
    sc_free(room);
    return SC_OK;
}

// --- Counting ----------------------------------------------------------------

static sc_err add_one(sc_component_counts *counts, sc_star_id component, uint64_t category)
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

static sc_err add_object(sc_component_counts *counts, sc_star_id component, const sc_object *object)
{
    const sc_err err = add_one(counts, component, object->category);
    return err ? err : add_one(counts, component, ALL_CATEGORIES);
}

// Whether one may drive to an object from the star at an end of its segment.
static bool is_entered(const sc_map *map, const sc_object *object, int side)
{
    const sc_segment *segment = &sc_map_segments(map)[sc_map_edges(map)[object->edge].segment];
    const sc_travel_times *times = sc_map_edge_times(map);
    const sc_travel_times own = times[object->edge];
    const uint32_t length = sc_map_edges(map)[object->edge].length;
    const uint32_t part = side == 0 ? object->offset : length - object->offset;
    if (part > 0 && (side == 0 ? own.forward : own.backward) == SC_CLOSED) return false;
    for (sc_edge_id e = segment[0].first_edge; side == 0 && e < object->edge; e++) {
        if (times[e].forward == SC_CLOSED) return false;
    }
    for (sc_edge_id e = object->edge + 1; side == 1 && e < segment[1].first_edge; e++) {
        if (times[e].backward == SC_CLOSED) return false;
    }
    return true;
}

static sc_err count_object(sc_object_counts *counts, const sc_map *map, const sc_object *object)
{
    const sc_segment *segment = &sc_map_segments(map)[sc_map_edges(map)[object->edge].segment];
    sc_err err = add_object(&counts->weak, counts->weak.components[segment->star_a], object);
    sc_star_id counted = SC_NONE;
    for (int side = 0; side < 2 && !err; side++) {
        const sc_star_id star = side == 0 ? segment->star_a : segment->star_b;
        if (star == SC_NONE || !is_entered(map, object, side)) continue;
        const sc_star_id component = counts->strong.components[star];
        if (component == counted) continue;
        counted = component;
        err = add_object(&counts->strong, component, object);
    }
    return err;
}

sc_err sc__object_counts_init(sc_object_counts *counts, const sc_map *map)
{
    const uint32_t object_count = sc_map_object_count(map);
    if (object_count == 0) return SC_OK;
    const uint32_t star_count = sc_map_star_count(map);
    counts->weak.components = sc_malloc_array(star_count, sizeof(sc_star_id));
    counts->strong.components = sc_malloc_array(star_count, sizeof(sc_star_id));
    if (!counts->weak.components || !counts->strong.components) return SC_ENOMEM;
    find_weak(map, counts->weak.components);
    sc_err err = find_strong(map, counts->strong.components);
    for (sc_object_id o = 0; o < object_count && !err; o++) {
        err = count_object(counts, map, &sc_map_objects(map)[o]);
    }
    return err;
}

static void component_counts_fini(sc_component_counts *counts)
{
    sc_free(counts->components);
    sc_hash_fini(&counts->rows);
    sc_free(counts->row_counts);
    *counts = (sc_component_counts){.components = NULL};
}

void sc__object_counts_fini(sc_object_counts *counts)
{
    component_counts_fini(&counts->weak);
    component_counts_fini(&counts->strong);
}

// --- Looking up --------------------------------------------------------------

static uint32_t count_of(const sc_component_counts *counts, sc_star_id component, uint64_t category)
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

static uint64_t count_wanted(const sc_component_counts *counts, sc_star_id star,
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

uint64_t sc__object_counts_least(const sc_object_counts *counts, sc_star_id star,
                                 const sc_request *request)
{
    return count_wanted(&counts->strong, star, request);
}

uint64_t sc__object_counts_most(const sc_object_counts *counts, sc_star_id star,
                                const sc_request *request)
{
    return count_wanted(&counts->weak, star, request);
}
