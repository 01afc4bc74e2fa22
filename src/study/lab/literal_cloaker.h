/**
 * @file literal_cloaker.h
 * @brief The literal baselines (sim/literal.h) as something to be replayed.
 *
 * Such a cloak has one member, and depends on where all travellers were when it was made. An
 * adversary knows how many they are and holds a density. So with every replay it puts the asker
 * onto a segment of S, and other travellers onto all roads around: on each road as many as a
 * Poisson distribution gives, whose mean is the road's share of all travellers. What is injected
 * is no traveller, and in no cloak but its own.
 */
#ifndef SC_LAB_LITERAL_CLOAKER_H
#define SC_LAB_LITERAL_CLOAKER_H

#include <starcloak/attack.h>
#include <starcloak/star.h>

#include "base/rng.h"
#include "sim/literal.h"

/** What the replays of one thread share. Zero-initialise, then sc__literal_cloaker_init(). */
typedef struct sc__literal_cloaker {
    sc_literal_method method;
    const sc_map *map;          ///< borrowed
    const sc_density *density;  ///< borrowed; NULL: uniform
    double per_weight;          ///< travellers on a road of weight 1
    sc_ball *ball;

    // Of the cloak that is attacked: all roads that a replay looks at, and travellers on them.
    sc_seg_id *roads;
    size_t road_count;
    size_t road_capacity;
    double *means;
    size_t mean_capacity;
} sc__literal_cloaker;

/** @param travellers  how many there are on the whole map */
SC_CHECKED sc_err sc__literal_cloaker_init(sc__literal_cloaker *cloaker, const sc_map *map,
                                           sc_literal_method method, const sc_density *density,
                                           uint32_t travellers);

/** Harmless twice, and on a zeroed one. */
void sc__literal_cloaker_fini(sc__literal_cloaker *cloaker);

/** For an adversary with a single thread. @param cloaker  borrowed */
sc_cloaker sc__literal_cloaker_of(sc__literal_cloaker *cloaker);

/** The next replays are against a cloak with these segments. @return SC_OK, SC_ENOMEM */
SC_CHECKED sc_err sc__literal_cloaker_see(sc__literal_cloaker *cloaker, const sc_seg_id *segments,
                                          size_t count, uint32_t max_hops);

/** A whole number of that mean, by the Poisson distribution. */
uint32_t sc__poisson_draw(sc_rng *rng, double mean);

#endif
