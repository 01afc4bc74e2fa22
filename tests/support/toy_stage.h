/**
 * @file toy_stage.h
 * @brief A drawn map with a method on it, and an adversary who is doubted by exact computation.
 *
 *     toy_stage_open(&toy, picture, SC_VARIANT_BASIC);
 *     toy.needs[0] = toy.needs[1] = (sc_needs){.k = 2, .l = 4, .max_hops = 1, .result_size = 1};
 *     toy.stranger_count = 2;
 *     toy_see_stars(&toy, "AB");
 *     const slow_posterior exact = toy_attack(&toy, SC_LIKENESS_EXACT);
 *     CHECK_CLOSE(toy_link(&toy, &exact, "BC"), 0.25, 1e-12);
 *
 * Roads are named by the letters of the nodes at their two ends, as in sketch.h.
 */
#ifndef SC_TESTS_SUPPORT_TOY_STAGE_H
#define SC_TESTS_SUPPORT_TOY_STAGE_H

#include "support/sketch.h"
#include "support/slow_attack.h"

typedef struct toy_stage {
    sketch sketch;
    sc_map *map;
    toy_town town;
    sc_density *density;  ///< NULL: uniform
    // What is seen.
    sc_seg_id segments[TOY_SEGMENTS];
    size_t segment_count;
    sc_needs needs[TOY_QUERIES];  ///< of the strangers
    size_t stranger_count;
    sc_injected injected[TOY_QUERIES];
    size_t injected_count;
    uint32_t runs;  ///< of each placement, when the adversary enumerates
    uint64_t seed;  ///< of the adversary
} toy_stage;

/** Roads have the lengths of sketch_draw(): 10 m, 11 m, ... */
void toy_stage_open(toy_stage *toy, const char *picture, sc_variant variant);

/** The map of a sketch, which is taken over. */
void toy_stage_take(toy_stage *toy, sketch s, sc_variant variant);

void toy_stage_close(toy_stage *toy);

/** Another method on the same map. */
void toy_set_variant(toy_stage *toy, sc_variant variant);

/** The road with these two ends, "AB"; there must be just one. */
sc_seg_id toy_road(const toy_stage *toy, const char *ends);

/** Travellers per road, in words: "AB 5 BC 2"; all other roads have none. */
void toy_set_traffic(toy_stage *toy, const char *counts);

/** `count` strangers who all ask for the same. */
void toy_set_strangers(toy_stage *toy, size_t count, sc_needs needs);

/** The adversary has one more query of its own. */
void toy_inject(toy_stage *toy, const char *road, sc_needs needs);

/** A cloak is seen: these segments; all segments of these stars; these roads, "AB BC". */
void toy_see(toy_stage *toy, toy_segments cloak);
void toy_see_stars(toy_stage *toy, const char *letters);
void toy_see_roads(toy_stage *toy, const char *roads);

/** Exactly what can be known. */
slow_posterior toy_exact(const toy_stage *toy, sc_likeness likeness);

/**
 * The same, and the adversary's estimates agree with it: by all placements, by samples of them, and
 * by replay of one traveller alone.
 */
slow_posterior toy_attack(const toy_stage *toy, sc_likeness likeness);

/** The linkability of a road. */
double toy_link(const toy_stage *toy, const slow_posterior *exact, const char *road);

#endif
