// The vertices near one. See neighbours.h.
//
// On a large map every vertex is a visit to memory, and looking at one before
// asking for the next would make a search wait for each in turn. So stars with
// vertices are noted first, and the vertices called for; then they are looked at.
#include "engine/neighbours.h"

#include "base/alloc.h"
#include "engine/ball.h"

#include <stdlib.h>

sc_err sc__list_active_stars(sc_engine *engine, const sc__ball *ball, uint32_t star_count,
                             size_t *count)
{
    sc__scratch *scratch = &engine->scratch;
    const sc_star_id *stars = sc__ball_stars(ball);
    size_t seen = 0;
    uint32_t hops = 0;
    for (uint32_t number = 0; number < star_count; number++) {
        __builtin_prefetch(&engine->not_first_vertex[stars[number]]);
    }
    for (uint32_t number = 0; number < star_count; number++) {
        while (number == sc__ball_count(ball, hops)) {
            hops++;
        }
        const sc__slot vertex = sc__first_vertex(engine, stars[number]);
        if (vertex == SC_NONE) continue;
        if (!sc_grow(&scratch->active_stars, seen, &scratch->active_star_capacity,
                     sizeof *scratch->active_stars)) {
            return SC_ENOMEM;
        }
        __builtin_prefetch(sc__vertex_at(engine, vertex));
        scratch->active_stars[seen++] = (sc__active_star){vertex, number, hops};
    }
    *count = seen;
    return SC_OK;
}

/** Add the vertices of one star, from the one sighted on, as far as they may be neighbours. */
static sc_err add(sc_engine *engine, sc__slot start, sc__active_star seen, uint32_t level,
                  size_t *count)
{
    sc__scratch *scratch = &engine->scratch;
    for (sc__slot at = seen.vertex; at != SC_NONE;) {
        const sc__vertex *vertex = sc__vertex_at(engine, at);
        // The start has the neighbour's star in its covered set; is it so the other way round?
        if (at != start && seen.hops <= vertex->max_hops) {
            if (!sc_grow(&scratch->neighbours, *count, &scratch->neighbour_capacity,
                         sizeof *scratch->neighbours)) {
                return SC_ENOMEM;
            }
            scratch->neighbours[(*count)++] = (sc__neighbour){
                .vertex = at,
                .number = seen.number,
                .level = level,
                .users = vertex->user_count,
                .k = vertex->k,
                .demand = vertex->demand,
                .age = vertex->age,
                .max_hops = vertex->max_hops,
                .ball = vertex->ball,
            };
        }
        at = vertex->next;
    }
    return SC_OK;
}

static int compare_age(const void *a, const void *b)
{
    const sc__neighbour *x = a;
    const sc__neighbour *y = b;
    return (x->age > y->age) - (x->age < y->age);
}

/** Put the neighbours from `first` on, all equally far, in the order of their age. */
static void sort_by_age(sc__neighbour *neighbours, size_t first, size_t end)
{
    enum { FEW = 32 };
    if (end - first > FEW) {
        qsort(neighbours + first, end - first, sizeof *neighbours, compare_age);
        return;
    }
    for (size_t i = first + 1; i < end; i++) {
        const sc__neighbour moved = neighbours[i];
        size_t at = i;
        for (; at > first && neighbours[at - 1].age > moved.age; at--) {
            neighbours[at] = neighbours[at - 1];
        }
        neighbours[at] = moved;
    }
}

sc_err sc__neighbours_list(sc_engine *engine, sc__slot start, uint32_t hops_per_level,
                           size_t *count, uint64_t *user_count)
{
    const sc__scratch *scratch = &engine->scratch;
    const sc__vertex *vertex = sc__vertex_at(engine, start);
    const uint32_t star_count = sc__ball_count(vertex->ball, vertex->max_hops);
    size_t seen = 0;
    size_t ring = 0;  // neighbours before this one are nearer
    *count = 0;
    sc_err err = sc__list_active_stars(engine, vertex->ball, star_count, &seen);
    for (size_t i = 0; !err && i < seen; i++) {
        const sc__active_star this = scratch->active_stars[i];
        if (i > 0 && this.hops != scratch->active_stars[i - 1].hops) {
            sort_by_age(scratch->neighbours, ring, *count);
            ring = *count;
        }
        err = add(engine, start, this, hops_per_level > 0 ? this.hops / hops_per_level : 0, count);
    }
    if (err) return err;
    sort_by_age(scratch->neighbours, ring, *count);

    *user_count = vertex->user_count;
    for (size_t i = 0; i < *count; i++) {
        *user_count += scratch->neighbours[i].users;
    }
    return SC_OK;
}

void sc__neighbours_prefetch_balls(const sc_engine *engine, size_t count)
{
    enum { LINE = 64, LINES = 3 };  // a ball of four hops has some thirty stars
    for (size_t i = 0; i < count; i++) {
        const char *ball = (const char *)engine->scratch.neighbours[i].ball;
        for (size_t line = 0; line < LINES; line++) {
            __builtin_prefetch(ball + line * LINE);
        }
    }
}
