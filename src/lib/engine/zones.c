// Zones: a partition of the roads into small groups that hang together.
//
//  1. Stars are taken in an order that the key decides. From each one a group grows: its roads that
//     are in no group yet, then those of its neighbours along roads of the group, in an order that
//     the key decides, until they are enough; first without going beyond neighbours, then, where
//     that was not enough, beyond.
//  2. What is left are pieces of too few roads between groups. Each road joins a group that it
//     touches: the one that stays narrowest by that; of these the smallest; of these the first.
//  3. Roads that touch no group are a component of the map with too few roads. They have no zone.
//
// The radius is that around the best of a zone's own ends, which need not be where it began.
//
// A group is found without asking for a home, so the position of a home in it follows from nothing.
#include <starcloak/zones.h>

#include <starcloak/star.h>

#include "base/alloc.h"
#include "base/sort.h"

#include <sodium.h>
#include <string.h>

_Static_assert(SC_ZONE_KEY_SIZE == crypto_generichash_KEYBYTES, "a key of BLAKE2b");

struct sc_zones {
    size_t zone_count;
    uint32_t *zone_of;    ///< per segment; SC_NONE: none
    uint32_t *first;      ///< per zone, and one more: into `segments`
    uint32_t *radius;     ///< per zone
    sc_seg_id *segments;  ///< zone by zone, ascending in each
};

/** While zones are drawn. */
typedef struct zone_drawing {
    const sc_map *map;
    uint32_t roads;  ///< of a zone, at least
    uint8_t key[crypto_shorthash_KEYBYTES];
    sc_zones *zones;
    uint32_t *size;   ///< per zone: how many roads it has
    uint32_t *depth;  ///< per segment: its ends are within so many hops of where its zone began
    // The group that grows.
    sc_seg_id *group;
    uint32_t group_count;
    sc_star_id *stars;  ///< whose roads it has taken or may take
    uint32_t *hops;     ///< of each of them, from the first
} zone_drawing;

static uint32_t keyed_number(const zone_drawing *draw, uint32_t id)
{
    uint8_t hash[crypto_shorthash_BYTES];
    uint32_t number = 0;
    crypto_shorthash(hash, (const uint8_t *)&id, sizeof id, draw->key);
    memcpy(&number, hash, sizeof number);
    return number;
}

// --- Groups that grow ---------------------------------------------------------------------------

/** The zone that a group has while it grows. */
static const uint32_t growing = SC_NONE - 1;

static void take_roads(zone_drawing *draw, sc_star_id star, uint32_t hops)
{
    const sc_star *at = &sc_map_stars(draw->map)[star];
    const sc_seg_id *listed = sc_map_star_segments(draw->map);
    for (uint32_t i = at[0].first_segment; i < at[1].first_segment; i++) {
        if (draw->zones->zone_of[listed[i]] != SC_NONE) continue;
        draw->zones->zone_of[listed[i]] = growing;
        draw->depth[listed[i]] = hops + 1;
        draw->group[draw->group_count++] = listed[i];
    }
}

static bool has_star(const zone_drawing *draw, uint32_t count, sc_star_id star)
{
    for (uint32_t i = 0; i < count; i++) {
        if (draw->stars[i] == star) return true;
    }
    return false;
}

/** Add the other ends of roads that the group has taken since `from`, the least key first. */
static uint32_t add_ends(zone_drawing *draw, uint32_t from, uint32_t count, uint32_t hops)
{
    const sc_segment *segments = sc_map_segments(draw->map);
    const uint32_t old = count;
    for (uint32_t i = from; i < draw->group_count; i++) {
        const sc_star_id ends[] = {segments[draw->group[i]].star_a,
                                   segments[draw->group[i]].star_b};
        for (unsigned j = 0; j < 2; j++) {
            if (ends[j] == SC_NONE || has_star(draw, count, ends[j])) continue;
            uint32_t place = count++;
            const uint32_t number = keyed_number(draw, ends[j]);
            for (; place > old && keyed_number(draw, draw->stars[place - 1]) > number; place--) {
                draw->stars[place] = draw->stars[place - 1];
            }
            draw->stars[place] = ends[j];
        }
    }
    for (uint32_t i = old; i < count; i++) {
        draw->hops[i] = hops;
    }
    return count;
}

/** Grow a group from a star, by stars within `max_hops` of it; a zone if it has roads enough. */
static void grow(zone_drawing *draw, sc_star_id star, uint32_t max_hops)
{
    uint32_t count = 1;
    draw->group_count = 0;
    draw->stars[0] = star;
    draw->hops[0] = 0;
    for (uint32_t i = 0; i < count && draw->group_count < draw->roads; i++) {
        const uint32_t from = draw->group_count;
        take_roads(draw, draw->stars[i], draw->hops[i]);
        if (draw->hops[i] < max_hops) count = add_ends(draw, from, count, draw->hops[i] + 1);
    }
    sc_zones *zones = draw->zones;
    const bool is_enough = draw->group_count >= draw->roads;
    const uint32_t zone = is_enough ? (uint32_t)zones->zone_count++ : SC_NONE;
    if (is_enough) draw->size[zone] = draw->group_count;
    for (uint32_t i = 0; i < draw->group_count; i++) {
        zones->zone_of[draw->group[i]] = zone;
    }
}

static sc_err grow_groups(zone_drawing *draw)
{
    const uint32_t count = sc_map_star_count(draw->map);
    uint32_t *keys = sc_malloc_array(count, sizeof *keys);
    uint32_t *order = sc_malloc_array(count, sizeof *order);
    sc_err err = keys && order ? SC_OK : SC_ENOMEM;
    for (sc_star_id i = 0; !err && i < count; i++) {
        keys[i] = keyed_number(draw, i);
    }
    if (!err) err = sc_sort_order(keys, count, order);
    // A chain of `roads` roads, each with its own star, has all of them within that many hops.
    for (uint32_t max_hops = 1; !err && max_hops <= draw->roads; max_hops++) {
        for (uint32_t i = 0; i < count; i++) {
            grow(draw, order[i], max_hops);
        }
    }
    sc_free(keys);
    sc_free(order);
    return err;
}

// --- What is left -------------------------------------------------------------------------------

/** The segment at one of its ends whose zone it joins best; SC_NONE if it touches none. */
static sc_seg_id best_neighbour(const zone_drawing *draw, sc_seg_id segment)
{
    const sc_segment *road = &sc_map_segments(draw->map)[segment];
    const sc_seg_id *listed = sc_map_star_segments(draw->map);
    const uint32_t *zone_of = draw->zones->zone_of;
    sc_seg_id best = SC_NONE;
    const sc_star_id ends[] = {road->star_a, road->star_b};
    for (unsigned j = 0; j < 2 && ends[j] != SC_NONE; j++) {
        const sc_star *at = &sc_map_stars(draw->map)[ends[j]];
        for (uint32_t i = at[0].first_segment; i < at[1].first_segment; i++) {
            const sc_seg_id other = listed[i];
            if (zone_of[other] == SC_NONE) continue;
            const bool is_better = best == SC_NONE || draw->depth[other] < draw->depth[best] ||
                                   (draw->depth[other] == draw->depth[best] &&
                                    draw->size[zone_of[other]] < draw->size[zone_of[best]]);
            if (is_better) best = other;
        }
    }
    return best;
}

/** Let roads that touch a zone join it, round after round. */
static sc_err join_rest(zone_drawing *draw)
{
    const uint32_t total = sc_map_segment_count(draw->map);
    uint32_t *zone_of = draw->zones->zone_of;
    uint32_t count = 0;
    for (sc_seg_id s = 0; s < total; s++) {
        count += zone_of[s] == SC_NONE;
    }
    sc_seg_id *left = sc_malloc_array(count, sizeof *left);
    if (!left) return SC_ENOMEM;
    count = 0;
    for (sc_seg_id s = 0; s < total; s++) {
        if (zone_of[s] == SC_NONE) left[count++] = s;
    }
    for (bool is_over = false; !is_over;) {
        uint32_t kept = 0;
        for (uint32_t i = 0; i < count; i++) {
            const sc_seg_id other = best_neighbour(draw, left[i]);
            if (other == SC_NONE) {
                left[kept++] = left[i];
                continue;
            }
            zone_of[left[i]] = zone_of[other];
            draw->depth[left[i]] = draw->depth[other] + 1;
            draw->size[zone_of[other]]++;
        }
        is_over = kept == count;
        count = kept;
    }
    sc_free(left);
    return SC_OK;
}

// --- Lists --------------------------------------------------------------------------------------

static sc_err list_zones(zone_drawing *draw)
{
    sc_zones *zones = draw->zones;
    const size_t count = zones->zone_count;
    zones->first = sc_calloc(count + 1, sizeof *zones->first);
    zones->radius = sc_calloc(count + 1, sizeof *zones->radius);
    if (!zones->first || !zones->radius) return SC_ENOMEM;
    uint32_t total = 0;
    for (size_t i = 0; i < count; i++) {
        zones->first[i] = total;
        total += draw->size[i];
        draw->size[i] = zones->first[i];  // from now on where its next segment goes
    }
    zones->first[count] = total;
    zones->segments = sc_malloc_array(total, sizeof *zones->segments);
    if (!zones->segments) return SC_ENOMEM;
    for (sc_seg_id s = 0; s < sc_map_segment_count(draw->map); s++) {
        const uint32_t zone = zones->zone_of[s];
        if (zone == SC_NONE) continue;
        zones->segments[draw->size[zone]++] = s;
        if (draw->depth[s] > zones->radius[zone]) zones->radius[zone] = draw->depth[s];
    }
    return SC_OK;
}

/** How far the farthest end of a zone's roads is in the last walk; SC_NONE if one is beyond. */
static uint32_t farthest_end(const zone_drawing *draw, const sc_ball *ball, const sc_zone *zone)
{
    const sc_segment *segments = sc_map_segments(draw->map);
    uint32_t farthest = 0;
    for (size_t i = 0; i < zone->count; i++) {
        const sc_segment *road = &segments[zone->segments[i]];
        const uint32_t a = sc_ball_hops_of(ball, road->star_a);
        const uint32_t b = road->star_b == SC_NONE ? a : sc_ball_hops_of(ball, road->star_b);
        const uint32_t far = a > b ? a : b;
        if (far > farthest) farthest = far;
    }
    return farthest;
}

/** The radius of a zone, of which a bound is known. */
static uint32_t exact_radius(const zone_drawing *draw, sc_ball *ball, const sc_zone *zone)
{
    const sc_segment *segments = sc_map_segments(draw->map);
    uint32_t radius = zone->radius;
    for (size_t i = 0; i < 2 * zone->count && radius > 0; i++) {
        const sc_segment *road = &segments[zone->segments[i / 2]];
        const sc_star_id star = i % 2 == 0 ? road->star_a : road->star_b;
        size_t count = 0;
        if (star == SC_NONE) continue;
        (void)sc_ball_walk(ball, star, radius - 1, &count);
        const uint32_t farthest = farthest_end(draw, ball, zone);
        if (farthest < radius) radius = farthest;
    }
    return radius;
}

static sc_err find_radii(const zone_drawing *draw)
{
    sc_zones *zones = draw->zones;
    sc_ball *ball = NULL;
    const sc_err err = sc_ball_new(draw->map, &ball);
    if (err) return err;
    for (size_t i = 0; i < zones->zone_count; i++) {
        const sc_zone zone = sc_zones_of(zones, zones->segments[zones->first[i]]);
        zones->radius[i] = exact_radius(draw, ball, &zone);
    }
    sc_ball_free(ball);
    return SC_OK;
}

// --- All of it ----------------------------------------------------------------------------------

static sc_err draw_zones(zone_drawing *draw)
{
    const size_t segments = sc_map_segment_count(draw->map);
    const size_t stars = sc_map_star_count(draw->map);
    draw->zones->zone_of = sc_malloc_array(segments, sizeof *draw->zones->zone_of);
    draw->size = sc_malloc_array(segments, sizeof *draw->size);
    draw->depth = sc_calloc(segments, sizeof *draw->depth);
    draw->group = sc_malloc_array(segments, sizeof *draw->group);
    draw->stars = sc_malloc_array(stars, sizeof *draw->stars);
    draw->hops = sc_malloc_array(stars, sizeof *draw->hops);
    if (!draw->zones->zone_of || !draw->size || !draw->depth || !draw->group || !draw->stars ||
        !draw->hops) {
        return SC_ENOMEM;
    }
    memset(draw->zones->zone_of, 0xff, segments * sizeof *draw->zones->zone_of);
    sc_err err = grow_groups(draw);
    if (!err) err = join_rest(draw);
    if (!err) err = list_zones(draw);
    if (!err) err = find_radii(draw);
    return err;
}

sc_err sc_zones_new(const sc_map *map, uint32_t roads, const uint8_t key[SC_ZONE_KEY_SIZE],
                    sc_zones **out)
{
    if (roads < 2 || roads > SC_ZONE_ROADS_MAX) return SC_EINVAL;
    if (sodium_init() < 0) return SC_EIO;
    zone_drawing draw = {.map = map, .roads = roads};
    draw.zones = sc_calloc(1, sizeof *draw.zones);
    if (!draw.zones) return SC_ENOMEM;
    // The number of roads is in the key, so that zones of two sizes are not two views of one order.
    const uint64_t what[] = {sc_map_checksum(map), roads};
    crypto_generichash(draw.key, sizeof draw.key, (const uint8_t *)what, sizeof what, key,
                       SC_ZONE_KEY_SIZE);
    const sc_err err = draw_zones(&draw);
    sodium_memzero(draw.key, sizeof draw.key);
    sc_free(draw.size);
    sc_free(draw.depth);
    sc_free(draw.group);
    sc_free(draw.stars);
    sc_free(draw.hops);
    if (err) {
        sc_zones_free(draw.zones);
        return err;
    }
    *out = draw.zones;
    return SC_OK;
}

void sc_zones_free(sc_zones *zones)
{
    if (!zones) return;
    sc_free(zones->zone_of);
    sc_free(zones->first);
    sc_free(zones->radius);
    sc_free(zones->segments);
    sc_free(zones);
}

size_t sc_zones_count(const sc_zones *zones)
{
    return zones->zone_count;
}

sc_zone sc_zones_of(const sc_zones *zones, sc_seg_id segment)
{
    const uint32_t zone = zones->zone_of[segment];
    if (zone == SC_NONE) return (sc_zone){0};
    return (sc_zone){.segments = zones->segments + zones->first[zone],
                     .count = zones->first[zone + 1] - zones->first[zone],
                     .radius = zones->radius[zone]};
}
