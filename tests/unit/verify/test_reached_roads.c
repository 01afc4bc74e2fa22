// Which parts of roads are within a distance of others: against all distances between nodes, and a
// look at every unit of every road.
#include "verify/reached_roads.h"

#include "base/alloc.h"
#include "base/rng.h"
#include "support/check.h"
#include "support/sketch.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_NODES = 128, MAX_PARTS = 8, MAX_ROADS = 512 };

#define FAR_AWAY (UINT64_C(1) << 40)

/** A small map with short roads, some without length; and all distances between its nodes. */
typedef struct scene {
    sc_map *map;
    uint64_t ways[MAX_NODES][MAX_NODES];
} scene;

static void draw_scene(scene *on, uint64_t seed, sc_rng *rng)
{
    sketch s = seed % 2 == 0 ? sketch_odd(seed) : sketch_grid(SC_COORDS_PLANAR, 4, 3);
    s.unit_unknown = false;
    for (uint32_t i = 0; i < s.edge_count; i++) {
        s.edges[i].length = sc_rng_below(rng, 12) * 1e-3;
    }
    on->map = sketch_map(&s);
    sketch_free(&s);
    const uint32_t node_count = sc_map_node_count(on->map);
    assert_true(node_count <= MAX_NODES && sc_map_segment_count(on->map) <= MAX_ROADS);
    for (uint32_t i = 0; i < MAX_NODES; i++) {
        for (uint32_t j = 0; j < MAX_NODES; j++) {
            on->ways[i][j] = i == j ? 0 : FAR_AWAY;
        }
    }
    for (sc_edge_id e = 0; e < sc_map_edge_count(on->map); e++) {
        const sc_edge *edge = &sc_map_edges(on->map)[e];
        uint64_t *there = &on->ways[edge->from][edge->to];
        if (edge->length < *there) *there = on->ways[edge->to][edge->from] = edge->length;
    }
    for (uint32_t k = 0; k < node_count; k++) {
        for (uint32_t i = 0; i < node_count; i++) {
            for (uint32_t j = 0; j < node_count; j++) {
                const uint64_t way = on->ways[i][k] + on->ways[k][j];
                if (way < on->ways[i][j]) on->ways[i][j] = way;
            }
        }
    }
}

static int by_edge(const void *a, const void *b)
{
    const sc_edge_part *left = a;
    const sc_edge_part *right = b;
    if (left->edge != right->edge) return left->edge < right->edge ? -1 : 1;
    return (left->from > right->from) - (left->from < right->from);
}

static size_t draw_parts(const scene *on, sc_rng *rng, sc_edge_part *parts)
{
    const size_t count = sc_rng_below(rng, MAX_PARTS + 1);
    for (size_t i = 0; i < count; i++) {
        const sc_edge_id e = sc_rng_below(rng, sc_map_edge_count(on->map));
        const uint32_t length = sc_map_edges(on->map)[e].length;
        const uint32_t from = sc_rng_below(rng, length + 1);
        parts[i] = (sc_edge_part){e, from, from + sc_rng_below(rng, length - from + 1)};
    }
    qsort(parts, count, sizeof *parts, by_edge);
    return count;
}

/** How far a place is from the parts, in half units: `twice` half units along the edge. */
static uint64_t distance_of(const scene *on, const sc_edge_part *parts, size_t count, sc_edge_id e,
                            uint64_t twice)
{
    const sc_edge *edges = sc_map_edges(on->map);
    const uint64_t length = edges[e].length;
    uint64_t best = FAR_AWAY;
    for (size_t i = 0; i < count; i++) {
        const sc_edge *from = &edges[parts[i].edge];
        const sc_node_id exits[] = {from->from, from->to};
        const uint64_t to_exit[] = {parts[i].from, from->length - parts[i].to};
        const sc_node_id entries[] = {edges[e].from, edges[e].to};
        const uint64_t from_entry[] = {twice, 2 * length - twice};
        for (size_t a = 0; a < 2; a++) {
            for (size_t b = 0; b < 2; b++) {
                const uint64_t way =
                    2 * (to_exit[a] + on->ways[exits[a]][entries[b]]) + from_entry[b];
                if (way < best) best = way;
            }
        }
        if (parts[i].edge != e) continue;
        uint64_t along = 0;
        if (twice < 2 * (uint64_t)parts[i].from) along = 2 * (uint64_t)parts[i].from - twice;
        if (twice > 2 * (uint64_t)parts[i].to) along = twice - 2 * (uint64_t)parts[i].to;
        if (along < best) best = along;
    }
    return best;
}

static bool is_found(const sc_edge_parts *found, sc_edge_id e, uint64_t twice)
{
    for (size_t i = 0; i < found->count; i++) {
        if (found->at[i].edge == e && 2 * (uint64_t)found->at[i].from <= twice &&
            twice <= 2 * (uint64_t)found->at[i].to) {
            return true;
        }
    }
    return false;
}

/** Every unit of a segment, and both of its ends, are found if they are near enough. */
static void check_segment(const scene *on, const sc_edge_part *parts, size_t count, uint64_t within,
                          sc_seg_id segment, const sc_edge_parts *found, uint16_t part)
{
    const sc_segment *road = &sc_map_segments(on->map)[segment];
    uint64_t covered = 0;
    bool is_any = false;
    for (sc_edge_id e = road[0].first_edge; e < road[1].first_edge; e++) {
        const uint32_t length = sc_map_edges(on->map)[e].length;
        for (uint64_t twice = 0; twice <= 2 * (uint64_t)length; twice++) {
            const bool is_near = distance_of(on, parts, count, e, twice) <= 2 * within;
            assert_int_equal(is_found(found, e, twice), is_near);
            covered += is_near && twice % 2 == 1;
            is_any = is_any || is_near;
        }
    }
    const uint64_t wanted = road->length > 0 ? covered * SC_CLAIM_WHOLE / road->length
                            : is_any         ? SC_CLAIM_WHOLE
                                             : 0;
    assert_int_equal(part, wanted);
}

static void test_every_unit_that_is_near_enough_is_found(void **state)
{
    (void)state;
    size_t seen_part = 0;
    for (uint64_t seed = 0; seed < 150; seed++) {
        check_case(seed);
        scene *on = test_take(1, sizeof *on);
        sc_reached_roads reached = {0};
        sc_edge_parts found = {0};
        sc_rng rng;
        sc_rng_seed(&rng, seed);
        draw_scene(on, seed, &rng);
        CHECK_OK(sc__reached_init(&reached, on->map), NULL);
        for (int n = 0; n < 4 && sc_map_edge_count(on->map) > 0; n++) {
            sc_edge_part parts[MAX_PARTS];
            sc_seg_id roads[MAX_ROADS];
            sc_claim_part result[MAX_ROADS];
            size_t road_count = 0;
            const size_t count = draw_parts(on, &rng, parts);
            const uint64_t within = sc_rng_below(&rng, 40);
            for (sc_seg_id s = 0; s < sc_map_segment_count(on->map); s++) {
                if (sc_rng_below(&rng, 3) > 0) roads[road_count++] = s;
            }
            CHECK_OK(
                sc__reached_find(&reached, parts, count, within, roads, road_count, &found, result),
                NULL);
            for (size_t i = 0; i < road_count; i++) {
                assert_int_equal(result[i].segment, roads[i]);
                check_segment(on, parts, count, within, roads[i], &found, result[i].part);
                seen_part += result[i].part > 0 && result[i].part < SC_CLAIM_WHOLE;
            }
        }
        sc__reached_fini(&reached);
        sc_free(found.at);
        sc_map_free(on->map);
        free(on);
    }
    check_case_done();
    assert_true(seen_part > 100);
}

static const struct CMUnitTest tests[] = {
    SC_CASES(test_every_unit_that_is_near_enough_is_found),
};
SC_SUITE(tests)
