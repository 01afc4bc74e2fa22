// Stars and the star graph of a map, and balls in that graph.
//
// A star is a node of degree >= 3 with the segments that end there. A segment that touches none is
// a whole component, a lone road or a ring; its first node becomes a pseudo-star, so that every
// segment touches a star.
//
// A ball is what a breadth-first search finds within some hops. A walk never clears the marks of
// the one before: each walk has a number, and a mark counts only if it bears that number. So a walk
// costs its ball, however large the map.
#include <starcloak/star.h>

#include "base/alloc.h"
#include "base/sort.h"
#include "map/builder_internal.h"

#include <string.h>

// --- Stars of a map being built -----------------------------------------------------------------

static sc_node_id first_node(const sc_map *map, sc_seg_id segment)
{
    return sc__edges(map)[sc__segments(map)[segment].first_edge].from;
}

static sc_node_id last_node(const sc_map *map, sc_seg_id segment)
{
    return sc__edges(map)[sc__segments(map)[segment + 1].first_edge - 1].to;
}

// Number the stars along the curve: fills the star table's nodes, and for each
// node the star it bears or SC_NONE.
static sc_err number_stars(sc_map *map, const uint32_t *degree, sc_star_id *star_of)
{
    // First mark the nodes that bear one, in any order.
    uint32_t count = 0;
    for (sc_node_id v = 0; v < map->node_count; v++) {
        star_of[v] = degree[v] >= 3 ? count++ : SC_NONE;
    }
    for (sc_seg_id s = 0; s < map->segment_count; s++) {
        const sc_node_id node = first_node(map, s);
        if (star_of[node] == SC_NONE) star_of[node] = count++;
    }
    map->star_count = count;
    sc_err err = sc__table_make(map, SC_TABLE_STARS, (uint64_t)count + 1);
    if (err) return err;

    uint32_t *keys = sc_malloc_array(count, sizeof *keys);
    uint32_t *order = sc_malloc_array(count, sizeof *order);
    sc_node_id *node_of = sc_malloc_array(count, sizeof *node_of);
    err = SC_ENOMEM;
    if (!keys || !order || !node_of) goto done;

    const sc_curve curve = sc__curve_of(map);
    for (sc_node_id v = 0; v < map->node_count; v++) {
        if (star_of[v] == SC_NONE) continue;
        node_of[star_of[v]] = v;
        keys[star_of[v]] = sc__curve_place(&curve, v, v);
    }
    err = sc_sort_order(keys, count, order);
    if (err) goto done;
    sc_star *stars = map->tables[SC_TABLE_STARS].data;
    for (uint32_t i = 0; i < count; i++) {
        stars[i] = (sc_star){.node = node_of[order[i]]};
        star_of[node_of[order[i]]] = i;
    }
    stars[count] = (sc_star){.node = 0};
done:
    sc_free(keys);
    sc_free(order);
    sc_free(node_of);
    return err;
}

// List each star's segments. Segments are taken in order, so lists ascend; one
// that returns to its own star is listed once.
static sc_err list_segments(sc_map *map, const sc_star_id *star_of)
{
    sc_segment *segments = map->tables[SC_TABLE_SEGMENTS].data;
    sc_star *stars = map->tables[SC_TABLE_STARS].data;

    // Count into the next star's slot; sums make these the starts of the lists.
    for (sc_seg_id s = 0; s < map->segment_count; s++) {
        sc_segment *segment = &segments[s];
        segment->star_a = star_of[first_node(map, s)];
        segment->star_b = star_of[last_node(map, s)];
        stars[segment->star_a + 1].first_segment++;
        if (segment->star_b != SC_NONE && segment->star_b != segment->star_a) {
            stars[segment->star_b + 1].first_segment++;
        }
    }
    for (sc_star_id i = 0; i < map->star_count; i++) {
        stars[i + 1].first_segment += stars[i].first_segment;
    }
    const sc_err err =
        sc__table_make(map, SC_TABLE_STAR_SEGMENTS, stars[map->star_count].first_segment);
    if (err) return err;

    sc_seg_id *listed = map->tables[SC_TABLE_STAR_SEGMENTS].data;
    uint32_t *next = sc_malloc_array(map->star_count, sizeof *next);
    if (!next) return SC_ENOMEM;
    for (sc_star_id i = 0; i < map->star_count; i++) {
        next[i] = stars[i].first_segment;
    }
    for (sc_seg_id s = 0; s < map->segment_count; s++) {
        const sc_star_id a = segments[s].star_a;
        const sc_star_id b = segments[s].star_b;
        listed[next[a]++] = s;
        if (b != SC_NONE && b != a) listed[next[b]++] = s;
    }
    sc_free(next);
    return SC_OK;
}

// The star graph: the other ends of each star's segments, each named once.
static sc_err list_neighbours(sc_map *map)
{
    const sc_segment *segments = sc__segments(map);
    const sc_seg_id *listed = map->tables[SC_TABLE_STAR_SEGMENTS].data;
    sc_star *stars = map->tables[SC_TABLE_STARS].data;

    // There are at most as many neighbours as listed segments.
    sc_star_id *neighbours =
        sc_malloc_array(map->tables[SC_TABLE_STAR_SEGMENTS].count, sizeof *neighbours);
    if (!neighbours) return SC_ENOMEM;
    uint32_t total = 0;
    for (sc_star_id i = 0; i < map->star_count; i++) {
        const uint32_t start = total;
        for (uint32_t j = stars[i].first_segment; j < stars[i + 1].first_segment; j++) {
            const sc_segment *segment = &segments[listed[j]];
            const sc_star_id other = segment->star_a == i ? segment->star_b : segment->star_a;
            if (other != SC_NONE && other != i) neighbours[total++] = other;
        }
        sc_sort_u32(neighbours + start, total - start);
        uint32_t kept = start;
        for (uint32_t j = start; j < total; j++) {
            if (kept == start || neighbours[kept - 1] != neighbours[j]) {
                neighbours[kept++] = neighbours[j];
            }
        }
        total = kept;
        stars[i].first_neighbour = start;
    }
    stars[map->star_count].first_neighbour = total;
    map->tables[SC_TABLE_STAR_NEIGHBOURS] = (sc_table){.data = neighbours, .count = total};
    return SC_OK;
}

sc_err sc__stars_build(sc_map *map, const uint32_t *degree)
{
    sc_star_id *star_of = sc_malloc_array(map->node_count, sizeof *star_of);
    if (!star_of) return SC_ENOMEM;
    sc_err err = number_stars(map, degree, star_of);
    if (!err) err = list_segments(map, star_of);
    if (!err) err = list_neighbours(map);
    sc_free(star_of);
    return err;
}

// --- Balls --------------------------------------------------------------------------------------

typedef struct mark {
    uint32_t walk;
    uint32_t hops;
} mark;

struct sc_ball {
    const sc_map *map;
    mark *marks;        ///< one per star
    sc_star_id *stars;  ///< found by the last walk, nearest first
    uint32_t *hops;     ///< of each of them
    size_t count;
    uint32_t walk;  ///< number of the last walk; 0 before the first
};

sc_err sc_ball_new(const sc_map *map, sc_ball **out)
{
    const size_t n = sc_map_star_count(map);
    sc_ball *ball = sc_calloc(1, sizeof *ball);
    if (!ball) return SC_ENOMEM;
    ball->map = map;
    ball->marks = sc_calloc(n, sizeof *ball->marks);
    ball->stars = sc_malloc_array(n, sizeof *ball->stars);
    ball->hops = sc_malloc_array(n, sizeof *ball->hops);
    if (!ball->marks || !ball->stars || !ball->hops) {
        sc_ball_free(ball);
        return SC_ENOMEM;
    }
    *out = ball;
    return SC_OK;
}

void sc_ball_free(sc_ball *ball)
{
    if (!ball) return;
    sc_free(ball->marks);
    sc_free(ball->stars);
    sc_free(ball->hops);
    sc_free(ball);
}

static void reach(sc_ball *ball, sc_star_id star, uint32_t hops)
{
    ball->marks[star] = (mark){ball->walk, hops};
    ball->stars[ball->count] = star;
    ball->hops[ball->count] = hops;
    ball->count++;
}

const sc_star_id *sc_ball_walk(sc_ball *ball, sc_star_id star, uint32_t max_hops, size_t *count)
{
    const sc_star *stars = sc_map_stars(ball->map);
    const sc_star_id *neighbours = sc_map_star_neighbours(ball->map);

    ball->count = 0;
    if (++ball->walk == 0) {
        // Four thousand million walks later the numbers begin again.
        memset(ball->marks, 0, sc_map_star_count(ball->map) * sizeof *ball->marks);
        ball->walk = 1;
    }
    reach(ball, star, 0);
    for (size_t i = 0; i < ball->count && ball->hops[i] < max_hops; i++) {
        const sc_star_id at = ball->stars[i];
        const uint32_t hops = ball->hops[i] + 1;
        for (uint32_t j = stars[at].first_neighbour; j < stars[at + 1].first_neighbour; j++) {
            if (ball->marks[neighbours[j]].walk != ball->walk) reach(ball, neighbours[j], hops);
        }
    }
    *count = ball->count;
    return ball->stars;
}

const uint32_t *sc_ball_hops(const sc_ball *ball)
{
    return ball->hops;
}

uint32_t sc_ball_hops_of(const sc_ball *ball, sc_star_id star)
{
    const mark m = ball->marks[star];
    return ball->walk > 0 && m.walk == ball->walk ? m.hops : SC_NONE;
}

size_t sc_ball_segment_count(const sc_ball *ball)
{
    const sc_star *stars = sc_map_stars(ball->map);
    const sc_seg_id *listed = sc_map_star_segments(ball->map);
    const sc_segment *segments = sc_map_segments(ball->map);
    size_t total = 0;
    for (size_t i = 0; i < ball->count; i++) {
        const sc_star_id at = ball->stars[i];
        for (uint32_t j = stars[at].first_segment; j < stars[at + 1].first_segment; j++) {
            // A segment with both stars in the ball is counted at its star_a.
            const sc_star_id a = segments[listed[j]].star_a;
            total += a == at || sc_ball_hops_of(ball, a) == SC_NONE;
        }
    }
    return total;
}
