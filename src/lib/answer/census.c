// How many objects can be reached. See census.h.
//
// Components are found by joining the two ends of every segment: each star points to another one
// of its component, and who follows the pointers ends at the star that the component is called by.
#include "answer/census.h"

#include "base/alloc.h"

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

static sc_err add_one(sc_census *census, sc_star_id component, uint64_t category)
{
    if (!sc_grow(&census->counts, census->row_count, &census->row_capacity,
                 sizeof *census->counts)) {
        return SC_ENOMEM;
    }
    uint32_t row = 0;
    const sc_key key = {component, category};
    const sc_err err = sc_hash_put(&census->rows, key, (uint32_t)census->row_count, &row);
    if (err) return err;
    if (row == census->row_count) census->counts[census->row_count++] = 0;
    census->counts[row]++;
    return SC_OK;
}

sc_err sc__census_take(sc_census *census, const sc_map *map)
{
    const uint32_t object_count = sc_map_object_count(map);
    if (object_count == 0) return SC_OK;
    census->components = sc_malloc_array(sc_map_star_count(map), sizeof *census->components);
    if (!census->components) return SC_ENOMEM;
    find_components(map, census->components);

    const sc_object *objects = sc_map_objects(map);
    const sc_edge *edges = sc_map_edges(map);
    const sc_segment *segments = sc_map_segments(map);
    sc_err err = SC_OK;
    for (sc_object_id o = 0; o < object_count && !err; o++) {
        const sc_star_id star = segments[edges[objects[o].edge].segment].star_a;
        err = add_one(census, census->components[star], objects[o].category);
        if (!err) err = add_one(census, census->components[star], ALL_CATEGORIES);
    }
    return err;
}

void sc__census_fini(sc_census *census)
{
    sc_free(census->components);
    sc_hash_fini(&census->rows);
    sc_free(census->counts);
    *census = (sc_census){.components = NULL};
}

// --- Looking up --------------------------------------------------------------

static uint32_t count_of(const sc_census *census, sc_star_id component, uint64_t category)
{
    const sc_key key = {component, category};
    const uint32_t row = sc_hash_get(&census->rows, key, SC_NONE);
    return row == SC_NONE ? 0 : census->counts[row];
}

static bool is_named_before(const sc_request *request, uint32_t place)
{
    for (uint32_t i = 0; i < place; i++) {
        if (request->categories[i] == request->categories[place]) return true;
    }
    return false;
}

uint64_t sc__census_count(const sc_census *census, sc_star_id star, const sc_request *request)
{
    if (!census->components) return 0;
    const sc_star_id component = census->components[star];
    if (request->category_count == 0) return count_of(census, component, ALL_CATEGORIES);
    uint64_t count = 0;
    for (uint32_t i = 0; i < request->category_count; i++) {
        // Requests in normal form name none twice; others must not count it twice either.
        if (is_named_before(request, i)) continue;
        count += count_of(census, component, request->categories[i]);
    }
    return count;
}
