// Balls in the star graph, by breadth-first search. See starcloak/star.h.
//
// A walk never clears the marks of the one before: each walk has a number, and
// a mark counts only if it bears that number. So a walk costs its ball, however
// large the map.
#include <starcloak/star.h>

#include "base/alloc.h"

#include <string.h>

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
