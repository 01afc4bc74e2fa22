/**
 * @file crowd.h
 * @brief Walkers who ask, for tests that do not care how people move.
 */
#ifndef SC_TESTS_UNIT_SIM_CROWD_H
#define SC_TESTS_UNIT_SIM_CROWD_H

#include "sim/workload.h"

#include "support/check.h"
#include "support/sketch.h"

#include "travel/walk.h"

/** Walkers, and the questions they ask. */
typedef struct crowd {
    sc_movement *walk;
    sc_travellers *travellers;
} crowd;

static inline crowd crowd_of(const sc_map *map, const sc_workload *workload, uint32_t count,
                             uint64_t seed)
{
    crowd c = {0};
    sc_diag diag = {""};
    CHECK_OK(sc_walk_new(map, count, seed, &c.walk, &diag), &diag);
    CHECK_OK(sc_travellers_new(c.walk, workload, seed, &c.travellers, &diag), &diag);
    return c;
}

static inline crowd crowd_on(const sc_map *map, uint32_t count, uint64_t seed)
{
    const sc_workload workload = sc_workload_default();
    return crowd_of(map, &workload, count, seed);
}

static inline void crowd_free(crowd *c)
{
    sc_travellers_free(c->travellers);
    sc_movement_free(c->walk);
}

static inline void resume(crowd *c, uint32_t who, sc_time t)
{
    CHECK_OK(sc_travellers_resume(c->travellers, who, t), NULL);
}

// One question whose outcome comes at once.
static inline uint32_t ask(crowd *c, sc_request_line *out)
{
    const uint32_t who = sc_travellers_ask(c->travellers, out);
    resume(c, who, out->ask.t);
    return who;
}

static inline sc_map *grid_map(sc_coords coords)
{
    sketch s = sketch_grid(coords, 6, 5);
    sc_map *map = sketch_map(&s);
    sketch_free(&s);
    return map;
}

#endif
