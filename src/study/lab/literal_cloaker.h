/**
 * @file literal_cloaker.h
 * @brief The literal baselines (sim/literal.h) as something to be replayed.
 *
 * Such a cloak has one member, and depends on where all travellers were when it was made. With
 * every replay an adversary puts the asker onto a segment of S; where it puts the others is a
 * choice (docs/reproduction.md has the outcomes of both):
 *
 *  - SC_OTHERS_ROADS: onto all roads around. It knows how many travellers there are and holds a
 *    density: on each road as many as a Poisson distribution gives, whose mean is the road's share.
 *  - SC_OTHERS_CLOAK: k - 1 of them onto segments of S, drawn by the density, and none elsewhere:
 * as members are put where a cloak has some.
 *
 * What is injected is no traveller, and in no cloak but its own.
 */
#ifndef SC_LAB_LITERAL_CLOAKER_H
#define SC_LAB_LITERAL_CLOAKER_H

#include <starcloak/attack.h>
#include <starcloak/star.h>

#include "base/rng.h"
#include "lab/lab.h"
#include "sim/literal.h"

/** What the replays of one thread share. Zero-initialise, then sc__literal_cloaker_init(). */
typedef struct sc__literal_cloaker {
    sc_literal_method method;
    sc_lab_others others;
    const sc_map *map;          ///< borrowed
    const sc_density *density;  ///< borrowed; NULL: uniform
    double per_weight;          ///< travellers on a road of weight 1
    sc_ball *ball;

    // Of the cloak that is attacked: roads onto which others are put, and how many: the mean on
    // each road, or with SC_OTHERS_CLOAK the weights of all up to it.
    sc_seg_id *roads;
    size_t road_count;
    size_t road_capacity;
    double *means;
    size_t mean_capacity;
} sc__literal_cloaker;

/** What the adversary takes for granted. */
typedef struct sc__literal_beliefs {
    sc_literal_method method;
    sc_lab_others others;
    const sc_density *density;  ///< borrowed; NULL: uniform
    uint32_t travellers;        ///< how many there are on the whole map
} sc__literal_beliefs;

SC_CHECKED sc_err sc__literal_cloaker_init(sc__literal_cloaker *cloaker, const sc_map *map,
                                           const sc__literal_beliefs *beliefs);

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
